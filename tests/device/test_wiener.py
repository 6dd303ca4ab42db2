"""Restoration by Wiener's filter, against scikit-image's."""

from __future__ import annotations

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest
from skimage import restoration
from skimage.restoration import uft

import pyclfft
from pyclfft import wiener
from pyclfft.errors import PlanError
from pyclfft.runtime import cache, conveyor

SHAPES = {
    "even": ((24, 36), (5, 5)),
    "odd": ((31, 45), (4, 3)),
    "signal": ((40,), (3,)),
    "volume": ((8, 9, 10), (3, 2, 3)),
}
TOLERANCE = {"f4": 2e-5, "f2": 2e-5, "f8": 1e-12, "u1": 1e-12}


def blurred(shape, side, dtype="f8", seed=0):
    """An image, a point spread function that is not symmetric, and a regularization."""
    rng = np.random.default_rng(seed)
    image = rng.random(shape) * (3 if dtype == "u1" else 1)
    psf = rng.random(side)
    return image.astype(dtype), psf / psf.sum(), rng.random(tuple(min(3, n) for n in shape))


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_results_are_skimages(device, fp64, queue, name, dtype):
    image, psf, reg = blurred(*SHAPES[name], dtype)
    for balance, regularization, clip in ((0.1, None, True), (0.01, None, False), (0.5, reg, True)):
        expected = restoration.wiener(image, psf, balance, regularization, clip=clip)
        result = wiener(image, psf, balance, regularization, clip=clip)
        assert result.dtype == expected.dtype
        scale = max(1, abs(expected).max())
        np.testing.assert_allclose(result, expected, rtol=0, atol=TOLERANCE[dtype] * scale)
        there = wiener(cl_array.to_device(queue, image), psf, balance, regularization, clip=clip)
        assert isinstance(there, cl_array.Array)
        np.testing.assert_array_equal(there.get(), result)


@pytest.mark.one_cpu
def test_sides_of_one_pixel(device):
    """On these scikit-image has no room for its Laplacian; here such a side has no roughness."""
    signal, psf, _ = blurred((40,), (3,), "f4")
    for shape in ((1, 40), (40, 1)):
        result = wiener(
            signal.reshape(shape), psf.reshape(-1, 1) if shape[1] == 1 else psf[None], 0.1
        )
        np.testing.assert_allclose(result.ravel(), wiener(signal, psf, 0.1), rtol=0, atol=1e-5)


@pytest.mark.one_cpu
def test_transfer_functions(device, fp64):
    """Given instead of impulse responses; they are real if these are symmetric."""
    image = blurred((24, 36), (5, 5))[0]
    psf = uft.ir2tf(np.ones((5, 5)) / 25, image.shape)
    reg = uft.laplacian(2, image.shape)[0]
    expected = restoration.wiener(image, psf, 0.1, reg)
    np.testing.assert_allclose(wiener(image, psf, 0.1, reg), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(wiener(image, np.ones((5, 5)) / 25, 0.1), expected, atol=1e-12)


@pytest.mark.one_cpu
def test_a_blur_is_undone(device):
    rng = np.random.default_rng(0)
    image = rng.random((60, 80)).astype("f4")
    psf = np.outer([1, 4, 1], [1, 1, 6, 1, 1]) / 60  # which erases no frequency
    kernel = np.zeros(image.shape)
    kernel[:3, :5] = psf
    spectrum = np.fft.fft2(np.roll(kernel, (-1, -2), (0, 1)))
    soft = np.fft.ifft2(np.fft.fft2(image) * spectrum).real.astype("f4")
    assert abs(soft - image).mean() > 0.1
    assert abs(wiener(soft, psf, 1e-6) - image).max() < 1e-3


@pytest.mark.one_cpu
def test_pixels_of_device_arrays_stay_there(device, queue, monkeypatch):
    image, psf, _ = blurred((24, 36), (5, 5), "f4")
    there = cl_array.to_device(queue, image)
    expected = wiener(there, psf, 0.1).get()

    def refuse(*_, **__):
        raise AssertionError("pixels went through the host")

    for name in ("get", "get_async", "set", "map_to_host"):
        monkeypatch.setattr(cl_array.Array, name, refuse)
    monkeypatch.setattr(cl, "enqueue_copy", refuse)
    result = wiener(there, psf, 0.1)
    monkeypatch.undo()
    assert result.queue == queue
    np.testing.assert_array_equal(result.get(), expected)


@pytest.mark.one_cpu
def test_device_arrays_of_any_strides(device, queue):
    image, psf, _ = blurred((24, 36), (5, 5), "f4")
    turned = cl_array.to_device(queue, np.ascontiguousarray(image.T)).T
    np.testing.assert_array_equal(wiener(turned, psf, 0.1).get(), wiener(image, psf, 0.1))
    on_device = cl_array.to_device(queue, psf.astype("f4"))
    np.testing.assert_allclose(wiener(image, on_device, 0.1), wiener(image, psf, 0.1), atol=1e-5)


@pytest.mark.one_cpu
@pytest.mark.parametrize("clip", [True, False])
def test_images_larger_than_the_device(device, monkeypatch, counted, clip):
    monkeypatch.setattr(conveyor, "CHUNK_BYTES", 4096)
    image, psf, _ = blurred((48, 64), (5, 5), "f4")
    expected = wiener(image, psf, 0.01, clip=clip)
    with pyclfft.limit_device_memory(12_000):
        result = wiener(image, psf, 0.01, clip=clip)
    assert max(counted) > 1
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-4)


@pytest.mark.one_cpu
def test_plans_are_kept(device):
    image, psf, _ = blurred((24, 36), (5, 5), "f4")
    cache.clear("deconvolutions")
    for _ in range(3):
        wiener(image, psf.copy(), 0.1)
    wiener(image, psf, 0.2)
    assert pyclfft.cache_info().deconvolutions[:2] == (2, 2)


IMAGE = np.ones((6, 8), "f4")
PSF = np.ones((3, 3)) / 9


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((IMAGE.astype("c8"), PSF, 0.1), "real pixels"),
        ((IMAGE[:0], PSF, 0.1), "at least one pixel"),
        ((np.float32(1), PSF, 0.1), "at least one pixel"),
        ((IMAGE * np.float32(np.nan), PSF, 0.1), "image holds NaN or infinity"),
        ((IMAGE, PSF[0], 0.1), r"psf of the shape \(3,\) does not fit .* \(6, 8\)"),
        ((IMAGE, np.ones((7, 3)), 0.1), "no side is longer"),
        ((IMAGE, PSF * np.inf, 0.1), "psf holds NaN or infinity"),
        ((IMAGE, np.array([["a"]]), 0.1), "psf holds numbers"),
        ((IMAGE, PSF, -1), "at least 0"),
        ((IMAGE, PSF, "little"), "balance is a number"),
        ((IMAGE, PSF, 0.1, np.ones((9, 9))), "reg of the shape"),
        ((IMAGE, PSF.astype("c8"), 0.1), r"transfer function, .* \(6, 5\), not \(3, 3\)"),
        ((IMAGE, 1j * np.ones((6, 5)), 0.1), "imaginary part"),
        ((IMAGE, PSF - PSF.mean(), 0.1), "erased a frequency"),
    ],
)
def test_what_makes_no_sense_is_refused(queue, arguments, says):
    with pytest.raises(PlanError, match=says) as raised:
        wiener(*arguments)
    assert "\n" not in str(raised.value)
