"""Kinds of filters, sigma, masks as functions and periodic images, on every device."""

from __future__ import annotations

import numpy as np
import pyopencl.array as cl_array
import pytest
import skimage.filters
from scipy import ndimage

import pyclfft
from pyclfft import filter_image, filter_mask
from pyclfft.errors import PlanError
from pyclfft.image import filtering as imaging
from pyclfft.image.kinds import computed_gains, make_rule
from pyclfft.runtime import cache, conveyor
from tests.device.test_image_arrays import assert_close, filtered
from tests.device.test_imaging import picture
from tests.pairwise import one_in

KINDS = {
    "notch": {"points": [(0.11, -0.23), (0, 0.3)]},
    "directional": {"angle": 20},
    "unsharp": {"amount": 2},
    "highboost": {"boost": 1.2},
    "imagej": {"large": 20, "stripes": "vertical"},
}
WHITE = {"u1": 255, "u2": 65535}


def gains_of(kind, size, plane=None, **options):
    """In float64."""
    plane = plane or size
    return computed_gains(make_rule(size, plane, kind, options), plane, False, np.float64)


def lowpass(size, sigma):
    """A Gaussian's gains, by SciPy."""
    return ndimage.fourier_gaussian(np.ones(size, complex), sigma).real


# --- kinds ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["u1", "f4", "f8"])
def test_kinds_multiply_the_spectrum(device, fp64, kind, dtype):
    """Real parts by default, and pictures are clipped."""
    image = picture((31, 44), dtype=np.dtype(dtype).type)
    result = filter_image(image, kind, **KINDS[kind])
    expected = filtered(image, gains_of(kind, image.shape, **KINDS[kind])).real
    if dtype in WHITE:
        expected = np.clip(expected, 0, WHITE[dtype])
    assert result.dtype == image.dtype
    assert_close(result, expected, image, double=dtype == "f8")


@pytest.mark.one_cpu
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pad", ["none", "edge"])
def test_masks_of_kinds_do_what_the_kinds_do(device, kind, pad):
    image = picture((24, 36), dtype=np.float32)
    mask = filter_mask(image.shape, kind, pad=pad, **KINDS[kind])
    assert mask.dtype == np.float32
    assert mask.shape == (image.shape if pad == "none" else (36, 54))
    expected = gains_of(kind, image.shape, mask.shape, **KINDS[kind])
    np.testing.assert_allclose(mask, expected, rtol=0, atol=1e-6)
    result = filter_image(image, kind, pad=pad, **KINDS[kind])
    assert abs(result - filter_image(image, mask=mask, pad=pad)).max() < 1e-5


@pytest.mark.one_cpu
def test_a_notch_without_a_mirror_image(device):
    """Half of the wave is left in the real part, and all of it in the magnitude."""
    x = np.arange(40) / 40
    image = np.tile(np.cos(2 * np.pi * 8 * x), (30, 1)).astype("f4")
    options = {"points": [(0, 0.2)], "radius": 0.03, "mirrored": False}
    np.testing.assert_allclose(filter_image(image, "notch", **options), image / 2, atol=1e-5)
    magnitudes = filter_image(image, "notch", part="magnitude", **options)
    np.testing.assert_allclose(magnitudes, np.full_like(image, 0.5), atol=1e-5)


@pytest.mark.one_cpu
def test_stacks_colours_and_device_arrays(device, queue):
    image = picture((24, 36), 3)
    alone = [filter_image(np.ascontiguousarray(image[..., c]), "unsharp") for c in range(3)]
    result = filter_image(image, "unsharp")
    np.testing.assert_array_equal(result, np.dstack(alone))
    stack = np.moveaxis(image, -1, 0)
    by_stack = filter_image(cl_array.to_device(queue, stack.copy()), "unsharp", axes=(1, 2))
    np.testing.assert_array_equal(by_stack.get(), np.stack(alone))


@pytest.mark.one_cpu
def test_filters_are_kept_without_a_look_at_gains(device, monkeypatch):
    image = picture((24, 36))
    cache.clear("filters")
    first = filter_image(image, "notch", points=[(0, 0.2)])
    monkeypatch.setattr(imaging, "gains_of_rule", None)  # nobody computes gains again
    np.testing.assert_array_equal(filter_image(image, "notch", points=[(0, 0.2)]), first)
    assert pyclfft.cache_info().filters[:2] == (1, 1)


@pytest.mark.one_cpu
@pytest.mark.parametrize(
    ("kind", "pad"),
    one_in(2, [("notch", "mirror"), ("directional", "none"), ("unsharp", "periodic"),
     ("homomorphic", "none"), ("homomorphic", "periodic"), ("homomorphic", "zero")]),
)  # fmt: skip
def test_images_larger_than_the_device(device, kind, pad, monkeypatch, counted):
    monkeypatch.setattr(conveyor, "CHUNK_BYTES", 4096)
    image = picture((48, 64), dtype=np.float32)
    options = KINDS.get(kind, {}) | {"pad": pad}
    expected = filter_image(image, kind, **options)
    assert not counted
    with pyclfft.limit_device_memory(12_000):
        result = filter_image(image, kind, **options)
    assert max(counted) > 1
    np.testing.assert_allclose(result, expected, rtol=0, atol=5e-5)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"kind": "notch"}, "points="),
        ({"kind": "unsharp", "colour": 3}, "unsharp does not take colour"),
        ({"colour": 3}, "highpass does not take colour: its options are cutoff, unit"),
        ({"kind": "homomorphic", "part": "magnitude"}, "leave out part="),
        ({"mask": np.ones((24, 36)), "kind": "notch"}, "leave out kind"),
        ({"mask": np.ones((24, 36)), "points": [(0, 0.1)]}, "leave out points"),
        ({"mask": np.ones((24, 36)), "sigma": 2}, "leave out sigma"),
        ({"pad": "periodic", "algorithm": "radix2"}, "leave out algorithm"),
        (
            {"pad": "periodic", "mask": np.ones((24, 36)), "part": "magnitude"},
            "leave out algorithm",
        ),
        ({"mask": lambda fy, fx: np.ones((3, 3))}, r"returns the shape \(3, 3\) .* \(24, 36\)"),
        ({"mask": lambda fy, fx: 1 / (fy + fx + 0.5)}, "NaN or infinity"),
        ({"mask": lambda fy, fx: "all"}, "gains, which are numbers"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_what_makes_no_sense_is_refused(queue, options, says):
    with pytest.raises(PlanError, match=says) as raised:
        filter_image(picture((24, 36)), **options)
    assert "\n" not in str(raised.value)


# --- ImageJ ---------------------------------------------------------------------------------------


def imagej(image, large=40, small=3, stripes="none", tolerance=5):
    """What ImageJ's "Bandpass Filter..." makes of an image before it scales it, in float64.

    The image lies in a square of mirror images, whose side is the least power of two that is at
    least 1.5 times its longer side. A half pixel of the place of its first row and column is
    rounded up. The bin j rows and i columns away from DC is multiplied by (1 - L^(j^2 + i^2))
    S^(j^2 + i^2), with L = exp(-(2 large / side)^2) and S = exp(-(2 small / side)^2), and stripes
    by 1 - exp(-(s i)^2) or 1 - exp(-(s j)^2), with s = (100 - tolerance) / 100; DC stays.
    """
    side = 2
    while side < 1.5 * max(image.shape):
        side *= 2
    first = [int(np.floor((side - n) / 2 + 0.5)) for n in image.shape]
    square = np.empty((side, side))
    for y, x in np.ndindex(side, side):
        place = []
        for index, begin, n in zip((y, x), first, image.shape, strict=True):
            turns, rest = divmod(index - begin, n)
            place.append(n - 1 - rest if turns % 2 else rest)
        square[y, x] = image[tuple(place)]
    spectrum = np.fft.fft2(square)
    sharpness = (100 - tolerance) / 100
    for row, column in np.ndindex(side, side):
        j, i = (min(each, side - each) for each in (row, column))
        gain = 1 - np.exp(-((2 * large / side) ** 2) * (j * j + i * i))
        gain *= np.exp(-((2 * small / side) ** 2) * (j * j + i * i))
        if stripes != "none":
            across = i if stripes == "horizontal" else j
            gain *= 1 - np.exp(-((sharpness * across) ** 2))
        spectrum[row, column] *= gain if row or column else 1
    inside = tuple(slice(begin, begin + n) for begin, n in zip(first, image.shape, strict=True))
    return np.fft.ifft2(spectrum).real[inside]


IMAGEJ = {
    "as in the dialog": ((40, 30), {}),
    "odd sides": ((41, 27), {}),
    "an odd and an even side": ((20, 35), {"large": 12, "small": 0}),
    "longer than two thirds of a power of two": ((43, 22), {"large": 90, "small": 1.5}),
    "horizontal stripes": ((33, 42), {"stripes": "horizontal"}),
    "vertical stripes": ((42, 33), {"stripes": "vertical", "tolerance": 40, "large": 1000}),
    "a strip": ((2, 19), {"tolerance": 100, "stripes": "horizontal"}),
}


@pytest.mark.one_cpu
@pytest.mark.parametrize("case", IMAGEJ)
@pytest.mark.parametrize("dtype", ["u1", "f4", "f8"])
def test_imagejs_band_pass(device, fp64, case, dtype):
    size, options = IMAGEJ[case]
    image = picture(size, dtype=np.dtype(dtype).type)
    expected = imagej(image.astype(float), **options)
    result = filter_image(image, "imagej", pad="mirror", **options)
    if dtype == "u1":
        expected = np.clip(expected, 0, 255)  # and nothing is stretched
    assert result.dtype == image.dtype
    assert_close(result, expected, image, double=dtype == "f8")


@pytest.mark.one_cpu
@pytest.mark.parametrize("size", [(40, 30), (41, 27)])
def test_imagejs_square_by_a_mask_by_an_algorithm_and_in_pieces(device, size, monkeypatch, counted):
    image = picture(size, dtype=np.float32)
    expected = imagej(image.astype(float), 12, 2, "vertical")
    options = {"large": 12, "small": 2, "stripes": "vertical"}
    mask = filter_mask(size, "imagej", pad="mirror", **options)
    assert mask.shape == (64, 64)
    assert_close(filter_image(image, mask=mask, pad="mirror"), expected, image, double=False)
    half = filter_image(image, mask=mask[:, :33], pad="mirror")
    assert_close(half, expected, image, double=False)
    forced = filter_image(image, "imagej", pad="mirror", algorithm="radix2", **options)
    assert_close(forced, expected, image, double=False)
    monkeypatch.setattr(conveyor, "CHUNK_BYTES", 4096)
    with pyclfft.limit_device_memory(12_000):
        pieces = filter_image(image, "imagej", pad="mirror", **options)
    assert max(counted) > 1
    np.testing.assert_allclose(pieces, expected, rtol=0, atol=5e-5)


@pytest.mark.one_cpu
@pytest.mark.parametrize(("size", "algorithm"), [((21, 21), None), ((85, 85), None),
                                                 ((41, 27), "radix2")])  # fmt: skip
def test_a_mask_lies_where_its_kind_does_if_all_kinds_have_imagejs_square(device, size, algorithm):
    """Of ImageJ's preset and of a low pass, for there is no telling of which kind a mask is."""
    image = picture(size, dtype=np.float32)
    options = {"pad": "mirror", "algorithm": algorithm}
    expected = imagej(image.astype(float), 12, 2)
    mask = filter_mask(size, "imagej", large=12, small=2, **options)
    assert mask.shape == filter_mask(size, "lowpass", **options).shape
    for each in ({"mask": mask}, {"kind": "imagej", "large": 12, "small": 2}):
        assert_close(filter_image(image, **each, **options), expected, image, double=False)
    blur = filter_image(image, "lowpass", sigma=2, **options)
    gains = filter_mask(size, "lowpass", sigma=2, **options)
    assert_close(filter_image(image, mask=gains, **options), blur, image, double=False)
    side, first = len(gains), [(len(gains) - n + 1) // 2 for n in size]
    around = [(begin, side - n - begin) for begin, n in zip(first, size, strict=True)]
    spectrum = np.fft.fft2(np.pad(image.astype(float), around, "symmetric"))
    blurred = np.fft.ifft2(spectrum * lowpass((side, side), 2)).real
    inside = tuple(slice(begin, begin + n) for begin, n in zip(first, size, strict=True))
    assert_close(blur, blurred[inside], image, double=False)


@pytest.mark.one_cpu
def test_other_pads_have_the_sizes_of_other_kinds(device):
    assert filter_mask((40, 30), "imagej", pad="edge").shape == (60, 45)
    assert filter_mask((40, 30), "imagej").shape == (40, 30)
    assert filter_mask((40, 30), "lowpass", pad="mirror").shape == (60, 45)


# --- other libraries' filters ---------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("sigma", [0.1, 1.0, 2.7, 30])
def test_sigma_is_scipys(device, fp64, dtype, sigma):
    image = picture((30, 44), dtype=np.dtype(dtype).type)
    expected = np.fft.ifft2(ndimage.fourier_gaussian(np.fft.fft2(image.astype(float)), sigma)).real
    double = dtype == "f8"
    assert_close(filter_image(image, "lowpass", sigma=sigma), expected, image, double=double)
    high = filter_image(image, "highpass", sigma=sigma, part="real")
    assert_close(high, image - expected, image, double=double)


@pytest.mark.one_cpu
def test_sigmas_of_a_band(device):
    image = picture((30, 44), dtype=np.float32)
    gains = lowpass(image.shape, 1) * (1 - lowpass(image.shape, 4))
    for sigma in ((1, 4), (4, 1)):
        result = filter_image(image, "bandpass", sigma=sigma, part="real")
        assert_close(result, filtered(image, gains).real, image, double=False)


@pytest.mark.one_cpu
@pytest.mark.parametrize("high", [True, False])
@pytest.mark.parametrize("order", [1, 2, 3.5])
@pytest.mark.parametrize("pad", ["none", "edge"])
def test_butterworth_is_skimages(device, fp64, high, order, pad):
    """A square of 48 is padded by 12 pixels on each side, which scikit-image can do, too."""
    image = picture((48, 48), dtype=np.float64)
    expected = skimage.filters.butterworth(
        image, 0.13, high, order, squared_butterworth=True, npad=12 if pad == "edge" else 0
    )
    result = filter_image(
        image, "highpass" if high else "lowpass", 0.13, unit="cycles/px", shape="butterworth",
        order=order, pad=pad, part="real",
    )  # fmt: skip
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-13)


@pytest.mark.one_cpu
def test_unsharp_is_a_gaussians_mask(device, fp64):
    image = picture((30, 44), dtype=np.float64)
    blurred = np.fft.ifft2(ndimage.fourier_gaussian(np.fft.fft2(image), 1.5)).real
    result = filter_image(image, "unsharp", amount=0.8, sigma=1.5)
    np.testing.assert_allclose(result, image + 0.8 * (image - blurred), rtol=0, atol=1e-13)


# --- masks as functions ---------------------------------------------------------------------------


@pytest.mark.one_cpu
@pytest.mark.parametrize("pad", ["none", "mirror"])
def test_a_mask_may_be_a_function(device, pad):
    image = picture((30, 44), dtype=np.float32)
    result = filter_image(
        image, mask=lambda fy, fx: np.exp(-2 * (np.pi * 2) ** 2 * (fy**2 + fx**2)), pad=pad
    )
    np.testing.assert_allclose(
        result, filter_image(image, "lowpass", sigma=2, pad=pad), rtol=0, atol=1e-5
    )


@pytest.mark.one_cpu
def test_functions_of_frequencies(device):
    """A shift is complex; numbers and booleans are broadcast; one sided gains make half waves."""
    image = picture((30, 44), dtype=np.float32)
    shifted = filter_image(image, mask=lambda fy, fx: np.exp(-2j * np.pi * (3 * fy - 5 * fx)))
    np.testing.assert_allclose(shifted, np.roll(image, (3, -5), (0, 1)), rtol=0, atol=1e-5)
    np.testing.assert_allclose(filter_image(image, mask=lambda fy, fx: 0.5), image / 2, atol=1e-6)
    rows = filter_image(image, mask=lambda fy, fx: abs(fy) < 0.01)
    np.testing.assert_allclose(rows, np.tile(image.mean(axis=0), (30, 1)), rtol=0, atol=1e-5)
    colours = np.dstack([image] * 3)
    each = filter_image(colours, mask=lambda fy, fx: abs(fy) < 0.01)
    np.testing.assert_allclose(each, np.dstack([rows] * 3), rtol=0, atol=1e-6)


# --- homomorphic ----------------------------------------------------------------------------------


def homomorphic(image, white, low=0.5, high=1.5, sigma=None):
    """In float64, of logarithms of 1 + the number of grey steps."""
    step = white / 255
    logarithm = np.log1p(np.maximum(image.astype(float), 0) / step)
    passed = lowpass(image.shape, sigma or min(image.shape) / 16)
    result = filtered(logarithm, low * passed + high * (1 - passed)).real
    return np.expm1(result) * step


@pytest.mark.one_cpu
@pytest.mark.parametrize(
    ("dtype", "algorithm"),
    [("u1", None), ("u2", None), ("f4", None), ("f8", None), ("u1", "bluestein")],
)
def test_homomorphic(device, fp64, dtype, algorithm):
    image = picture((32, 48), dtype=np.dtype(dtype).type)
    white = WHITE.get(dtype, 1)
    result = filter_image(image, "homomorphic", algorithm=algorithm)
    expected = homomorphic(image, white)
    if dtype in WHITE:
        expected = np.clip(expected, 0, white)
    rounding = 0.5 if dtype in WHITE else 0
    noise = (1e-12 if dtype == "f8" else 2e-5) * white
    np.testing.assert_allclose(result, expected, rtol=0, atol=noise + rounding)


@pytest.mark.one_cpu
@pytest.mark.parametrize("scale", ["max", "stretch"])
def test_homomorphic_scales(device, scale):
    image = picture((32, 48))
    expected = homomorphic(image, 255, 0.2, 2, 3)
    least = expected.min() if scale == "stretch" else 0
    expected = np.clip(255 * (expected - least) / (expected.max() - least), 0, 255)
    result = filter_image(image, "homomorphic", gains=(0.2, 2), sigma=3, scale=scale)
    assert abs(result - expected).max() < 0.51


@pytest.mark.one_cpu
def test_homomorphic_colours(device):
    image = picture((32, 48), 4)
    each = filter_image(image, "homomorphic")
    for channel in range(3):
        alone = filter_image(np.ascontiguousarray(image[..., channel]), "homomorphic")
        np.testing.assert_array_equal(each[..., channel], alone)
    np.testing.assert_array_equal(each[..., 3], image[..., 3])
    luma = filter_image(image, "homomorphic", channels="luma").astype(int)
    brightness = image[..., :3].astype(float) @ (0.299, 0.587, 0.114)
    expected = image[..., :3] + (homomorphic(brightness, 255) - brightness)[..., None]
    assert abs(luma[..., :3] - np.clip(expected, 0, 255)).max() < 0.51


@pytest.mark.one_cpu
def test_homomorphic_means_the_same_at_any_depth(device):
    image = picture((32, 48))
    shallow = filter_image(image, "homomorphic", scale="none")
    deep = filter_image(image * np.uint16(257), "homomorphic", scale="none")
    floats = filter_image(image / np.float32(255), "homomorphic")
    np.testing.assert_allclose(deep / 257, shallow, rtol=0, atol=5e-3)
    np.testing.assert_allclose(floats * 255, shallow, rtol=0, atol=5e-3)


@pytest.mark.one_cpu
def test_homomorphic_of_what_is_no_brightness(device, queue):
    """Negative numbers count as black, and what is no number stays in its image."""
    image = picture((32, 48), dtype=np.float32)
    image[5, 7] = -1
    black = image.copy()
    black[5, 7] = 0
    np.testing.assert_array_equal(
        filter_image(image, "homomorphic"), filter_image(black, "homomorphic")
    )
    stack = np.stack([black] * 2)
    stack[0, 1, 2] = np.nan
    result = filter_image(stack, "homomorphic", axes=(1, 2))
    assert np.isnan(result[0]).all()
    np.testing.assert_allclose(result[1], filter_image(black, "homomorphic"), atol=1e-6)


@pytest.mark.one_cpu
def test_homomorphic_evens_out_the_light(device):
    """The same texture in light that grows tenfold from left to right."""
    rng = np.random.default_rng(0)
    texture = 0.3 + 0.1 * rng.random((64, 64))
    light = np.geomspace(0.1, 1, 64)
    result = filter_image((texture * light).astype("f4"), "homomorphic", gains=(0, 1), pad="mirror")
    means = result.reshape(64, 4, 16).mean(axis=(0, 2))
    assert means.max() / means.min() < 1.6


# --- periodic images ------------------------------------------------------------------------------


def smooth_part(image):
    """Moisan's smooth part, by a sparse linear system instead of transforms: its Laplacian on a
    torus is the difference of opposite edges, and its mean is 0."""
    rows, columns = image.shape
    edges = np.zeros(image.shape)
    edges[0] += image[-1] - image[0]
    edges[-1] += image[0] - image[-1]
    edges[:, 0] += image[:, -1] - image[:, 0]
    edges[:, -1] += image[:, 0] - image[:, -1]

    def ring(n):
        return np.roll(np.eye(n), 1, 0) + np.roll(np.eye(n), -1, 0) - 2 * np.eye(n)

    laplacian = np.kron(ring(rows), np.eye(columns)) + np.kron(np.eye(rows), ring(columns))
    solution = np.linalg.lstsq(laplacian, edges.ravel(), rcond=None)[0]
    return (solution - solution.mean()).reshape(image.shape)


def slope(size, dtype="f4"):
    """An image whose opposite edges do not fit together."""
    rows, columns = (np.linspace(0, 1, n) for n in size)
    return (picture(size, dtype=np.float64) / 4 + np.add.outer(rows, 2 * columns) / 4).astype(dtype)


@pytest.mark.one_cpu
@pytest.mark.parametrize(
    ("size", "dtype"),
    [((12, 18), "f4"), ((12, 18), "f8"), ((15, 17), "f4"), ((1, 9), "f4"), ((2, 3), "f4")],
    ids=str,
)
def test_periodic_images(device, fp64, size, dtype):
    """The periodic part is filtered, and the smooth part gets the gain of DC."""
    image = slope(size, dtype)
    smooth = smooth_part(image.astype(float))
    double = dtype == "f8"
    for kind, options in {
        "lowpass": {"sigma": 1},
        "highpass": {"sigma": 1, "part": "real"},
        "highboost": {"boost": 1.4},
    }.items():
        passed = lowpass(size, 2 if kind == "highboost" else 1)
        gains = {"lowpass": passed, "highpass": 1 - passed, "highboost": 1.4 - passed}[kind]
        expected = filtered(image - smooth, gains).real + gains[0, 0] * smooth
        result = filter_image(image, kind, pad="periodic", **options)
        assert_close(result, expected, image * 2, double=double)


@pytest.mark.one_cpu
@pytest.mark.parametrize(
    ("columns", "where", "dtype"),
    [(18, "host", "f4"), (18, "device", "c8"), (10, "host", "c8"), (10, "device", "f4")],
)
def test_periodic_images_and_masks(device, queue, columns, where, dtype):
    image = slope((12, 18))
    smooth = smooth_part(image.astype(float))
    rng = np.random.default_rng(0)
    mask = rng.random((12, columns)).astype(dtype)
    mask[0, 0] = 0.7
    if columns == 18:
        expected = filtered(image - smooth, mask).real
    else:
        expected = np.fft.irfft2(np.fft.rfft2(image - smooth) * mask, image.shape)
    given = cl_array.to_device(queue, mask) if where == "device" else mask
    result = filter_image(image, mask=given, pad="periodic")
    assert_close(result, expected + np.float64(0.7) * smooth, image * 2, double=False)


@pytest.mark.one_cpu
def test_periodic_stacks_colours_and_strides(device, queue):
    image = np.clip(255 * slope((24, 36)), 0, 255).astype("u1")
    expected = filter_image(image, "lowpass", sigma=2, pad="periodic")
    stack = np.stack([image, image[::-1, ::-1], image])
    result = filter_image(stack, "lowpass", sigma=2, pad="periodic", axes=(1, 2))
    np.testing.assert_array_equal(result[0], expected)
    np.testing.assert_array_equal(result[2], expected)
    colours = filter_image(np.dstack([image] * 3), "lowpass", sigma=2, pad="periodic")
    np.testing.assert_array_equal(colours, np.dstack([expected] * 3))
    turned = cl_array.to_device(queue, np.ascontiguousarray(image.T)).T
    np.testing.assert_array_equal(
        filter_image(turned, "lowpass", sigma=2, pad="periodic").get(), expected
    )


def test_periodic_images_leave_no_seam(device):
    """A slope stays a slope at its edges, where the filter without padding mixes both ends."""
    image = np.tile(np.linspace(0, 1, 64, dtype="f4"), (64, 1))
    periodic = filter_image(image, "lowpass", sigma=4, pad="periodic")
    wrapped = filter_image(image, "lowpass", sigma=4)
    assert abs(wrapped - image)[:, 0].max() > 0.4
    assert abs(periodic - image).max() < 0.05


@pytest.mark.one_cpu
def test_gains_of_periodic_images(device):
    np.testing.assert_array_equal(
        filter_mask((24, 36), "lowpass", 5, pad="periodic"), filter_mask((24, 36), "lowpass", 5)
    )
