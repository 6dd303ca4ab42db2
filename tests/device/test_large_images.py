"""Single images that are larger than the device's memory, against NumPy in float64."""

from __future__ import annotations

import numpy as np
import pyopencl.array as cl_array
import pytest

import pyclfft
from pyclfft import filter_image, filter_mask
from pyclfft.errors import DeviceMemoryError
from pyclfft.image import in_pieces
from pyclfft.runtime import conveyor, describe, pieces
from tests.device.test_image_arrays import assert_close
from tests.device.test_imaging import assert_as_reference, check_mixture, gains, mixtures, picture
from tests.pairwise import one_in, pairwise

LIMIT = 12_000  # bytes, less than any image here takes with its transform


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    """Pieces and blocks of rows so small that images have several."""
    monkeypatch.setattr(conveyor, "CHUNK_BYTES", 4096)
    monkeypatch.setattr(pieces, "FEW_BYTES", 1024)
    monkeypatch.setattr(pieces, "LONG_RUN", 64)
    monkeypatch.setattr(in_pieces, "PIXELS_AT_ONCE", 200)


@pytest.fixture
def cut(counted):
    """A context that limits the device's memory, and requires that there were several pieces."""
    with pyclfft.limit_device_memory(LIMIT):
        yield
    assert len(counted) >= 2
    assert max(counted) > 1


SIZES = ((48, 64), (45, 77), (30, 99), (91, 40))


@pytest.mark.one_cpu
@pytest.mark.parametrize("number", one_in(2, range(16)))
def test_mixtures_of_all_options(device, cut, number):
    mixture = {**mixtures(16)[number], "size": SIZES[number % len(SIZES)]}
    if mixture["dtype"] is np.float64 and not describe.traits(device).fp64:
        pytest.skip("needs double precision")
    check_mixture(mixture)


@pytest.mark.parametrize("size", [(6, 1500), (1500, 6)])
def test_sides_that_are_longer_than_a_piece(device, cut, size):
    assert_as_reference(picture(size, dtype=np.float32), "lowpass", 0.11, unit="cycles/px")
    assert_as_reference(picture(size, dtype=np.float32), "highpass", 0.11, unit="cycles/px")


def test_alpha_and_colours_of_a_stack(device, cut):
    """Each image of the stack is too large; the axis of the stack comes last but one."""
    stack = np.random.default_rng(0).integers(0, 256, (40, 50, 4, 2)).astype(np.uint8)
    stack = np.moveaxis(stack, -1, 0)
    result = filter_image(stack, "lowpass", 0.2, unit="cycles/px", axes=(1, 2))
    np.testing.assert_array_equal(result[..., 3], stack[..., 3])
    for image, filtered in zip(stack, result, strict=True):
        expected = assert_as_reference(
            np.ascontiguousarray(image[..., :3]), "lowpass", 0.2, unit="cycles/px"
        )
        np.testing.assert_array_equal(filtered[..., :3], expected)


@pytest.mark.one_cpu
@pairwise(
    {
        "shape": [(40, 51), (40, 26)],  # the whole spectrum, and half of it
        "dtype": ["f4", "c8", "?"],
        "part": ["real", "magnitude"],
        "where": ["host", "device"],
    }
)
def test_masks(device, cut, part, shape, dtype, where):
    rng = np.random.default_rng(1)
    image = picture((40, 51), dtype=np.float32)
    drawn = (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype("c8")
    mask = {"f4": drawn.real, "c8": drawn, "?": drawn.real > 0}[dtype]
    if shape == image.shape:
        values = np.fft.ifft2(np.fft.fft2(image.astype(float)) * mask)
    else:
        values = np.fft.irfft2(np.fft.rfft2(image.astype(float)) * mask, image.shape)
    expected = abs(values) if part == "magnitude" else values.real
    if where == "device":  # in other strides, and not at the beginning of its memory
        room = np.zeros((shape[1], shape[0] + 3), mask.dtype)
        room[:, 2:-1] = mask.T
        mask = cl_array.to_device(pyclfft.default_queue(), room)[:, 2:-1].T
    result = filter_image(image, mask=mask, part=part)
    assert_close(result, expected, image * 4, double=False)


@pytest.mark.parametrize("shape", ["ideal", "gaussian", "butterworth"])
def test_gains_for_which_the_device_has_no_room(device, shape):
    expected = gains((45, 77), (45, 77), "bandpass", (5.3, 15.7), "bin", shape, 2, True)
    with pyclfft.limit_device_memory(LIMIT):
        result = filter_mask((45, 77), "bandpass", (5.3, 15.7), shape=shape, keep_dc=True)
    assert (result.dtype, result.shape) == (np.float32, (45, 77))
    np.testing.assert_allclose(result, expected, atol=1e-6)


def test_a_flat_image_stays_flat(device, cut):
    image = np.full((50, 60), 200, np.uint8)
    assert not filter_image(image, "highpass", 5).any()


def test_nan_stays_in_its_image(device, cut):
    stack = np.stack([picture((40, 50), dtype=np.float32, seed=seed) for seed in range(2)])
    expected = assert_as_reference(stack[1], "lowpass", 5)
    stack[0, 3, 4] = np.nan
    result = filter_image(stack, "lowpass", 5, axes=(1, 2))
    assert np.isnan(result[0]).all()
    np.testing.assert_array_equal(result[1], expected)


def test_a_named_algorithm_takes_the_whole_image(device):
    with pyclfft.limit_device_memory(LIMIT), pytest.raises(DeviceMemoryError, match="leave out"):
        filter_image(picture((64, 64)), "lowpass", 5, algorithm="radix2")
