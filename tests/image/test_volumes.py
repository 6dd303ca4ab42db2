"""filter_volume against NumPy in float64."""

from __future__ import annotations

import numpy as np
import pyopencl.array as cl_array
import pytest
import scipy.fft

import pyclfft
from pyclfft.filter import main
from pyclfft.image.imagefile import ImageFile, read_images, write_images
from pyclfft.runtime import cache

PAD_MODES = {"zero": "constant", "edge": "edge", "mirror": "symmetric"}
# unit -> one bin of the transform in this unit, by the volume's and the transform's length
UNITS = {
    "bin": lambda n, p: n / p,
    "nyquist": lambda n, p: 2 / p,
    "cycles/px": lambda n, p: 1 / p,
    "px-period": lambda n, p: 1 / p,
}


def smooth(n):
    """The next length without prime factors above 13."""
    while True:
        rest = n
        for prime in (2, 3, 5, 7, 11, 13):
            while rest % prime == 0:
                rest //= prime
        if rest == 1:
            return n
        n += 1


def expected(volume, kind, cutoff, *, unit="bin", shape="ideal", order=2, pad="none",
             keep_dc=False, part="real"):  # fmt: skip
    """The filtered volume by NumPy."""
    values = np.asarray(volume, float)
    space = values.shape
    margins = [(0, 0)] * 3
    if pad != "none":
        space = [smooth(n + (n + 1) // 2) for n in values.shape]
        margins = [((o - i) // 2, o - i - (o - i) // 2)
                   for o, i in zip(space, values.shape, strict=True)]  # fmt: skip
        values = np.pad(values, margins, mode=PAD_MODES[pad])
    bins = [
        np.minimum(np.arange(p), p - np.arange(p)) * UNITS[unit](n, p)
        for n, p in zip(volume.shape, space, strict=True)
    ]
    radius = np.sqrt(sum(np.square(each) for each in np.ix_(*bins)))
    low, *high = np.atleast_1d(cutoff)
    ends = sorted([low, *high], reverse=unit == "px-period")
    ends = [1 / end for end in ends] if unit == "px-period" else ends

    def lowpass(end):
        if shape == "ideal":
            return radius < end - 1e-9
        if shape == "gaussian":
            return np.exp(-np.square(radius) / (2 * end * end))
        return 1 / (1 + (radius / end) ** (2 * order))

    band = lowpass(ends[-1]) * (1 - lowpass(ends[0]))
    gains = {
        "lowpass": lowpass(ends[-1]), "highpass": 1 - lowpass(ends[0]),
        "bandpass": band, "bandstop": 1 - band,
    }[kind].astype(float)  # fmt: skip
    if keep_dc:
        gains[0, 0, 0] = 1
    result = np.fft.ifftn(np.fft.fftn(values) * gains).real
    result = result[tuple(slice(a, a + n) for (a, _), n in zip(margins, volume.shape, strict=True))]
    return np.abs(result) if part == "magnitude" else result


def noise(shape, dtype, seed=1):
    return (250 * np.random.default_rng(seed).random(shape)).astype(dtype)


CASES = {
    "lowpass": ("lowpass", 3, {}),
    "highpass": ("highpass", 0.11, {"unit": "cycles/px", "shape": "butterworth", "order": 3}),
    "bandpass": ("bandpass", (3.1, 9.7), {"unit": "px-period", "shape": "gaussian"}),
    "bandstop": (
        "bandstop",
        (0.2, 0.61),
        {"unit": "nyquist", "shape": "butterworth", "keep_dc": True},
    ),
    "zero": ("lowpass", 0.21, {"unit": "cycles/px", "pad": "zero", "shape": "gaussian"}),
    "edge": ("bandstop", (0.2, 0.61), {"unit": "nyquist", "pad": "edge", "shape": "butterworth"}),
    "mirror": ("highpass", 5, {"unit": "px-period", "pad": "mirror", "shape": "gaussian"}),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("shape", "dtype"), [((8, 16, 32), "f4"), ((5, 7, 9), "u1")])
def test_kinds_cutoffs_and_shapes(device, case, shape, dtype):
    kind, cutoff, options = CASES[case]
    part = "magnitude" if kind in ("highpass", "bandpass") else "real"
    volume = noise(shape, dtype)
    result = pyclfft.filter_volume(volume, kind, cutoff, scale="none", **options)
    assert result.dtype == np.float32
    reference = expected(volume, kind, cutoff, part=part, **options)
    np.testing.assert_allclose(result, reference, rtol=0, atol=250e-5)


def test_double_precision(device, fp64):
    volume = noise((6, 10, 11), "i4")
    result = pyclfft.filter_volume(volume, "lowpass", 3, shape="gaussian", pad="mirror")
    assert result.dtype == np.float64
    reference = expected(volume, "lowpass", 3, shape="gaussian", pad="mirror")
    np.testing.assert_allclose(result, reference, rtol=0, atol=1e-10)


def test_a_gaussian_of_scipy(device):
    """scipy.ndimage.fourier_gaussian, in cycles a voxel."""
    from scipy.ndimage import fourier_gaussian

    volume, sigma = noise((12, 20, 30), "f4"), 2.5
    result = pyclfft.filter_volume(
        volume, "lowpass", 1 / (2 * np.pi * sigma), unit="cycles/px", shape="gaussian"
    )
    spectrum = fourier_gaussian(scipy.fft.fftn(volume.astype(float)), sigma)
    np.testing.assert_allclose(result, scipy.fft.ifftn(spectrum).real, rtol=0, atol=250e-5)
    by_sigma = pyclfft.filter_volume(volume, "lowpass", sigma=sigma)
    np.testing.assert_allclose(by_sigma, result, rtol=0, atol=250e-6)


@pytest.mark.parametrize("pad", ["none", "mirror"])
@pytest.mark.parametrize(
    ("kind", "scale"), [("highpass", None), ("lowpass", None), ("highpass", "stretch")]
)
@pytest.mark.parametrize("dtype", ["u1", "u2"])
def test_pictures_keep_their_dtype(device, pad, kind, scale, dtype):
    volume = noise((6, 9, 14), dtype)
    part = {"stretch": "real"}.get(scale, "magnitude" if kind == "highpass" else "real")
    result = pyclfft.filter_volume(volume, kind, 2, pad=pad, scale=scale, part=part)
    assert result.dtype == volume.dtype
    values = expected(volume, kind, 2, pad=pad, part=part)
    top = np.iinfo(dtype).max
    if kind == "lowpass":
        wanted = np.clip(values, 0, top)
    else:
        low = values.min() if scale == "stretch" else 0
        wanted = (values - low) * top / (values.max() - low)
    assert np.abs(result - wanted).max() <= 0.51 + top * 2e-6


def test_flat_volumes_stay_flat(device):
    assert not pyclfft.filter_volume(np.full((4, 6, 8), 77, np.uint8)).any()


@pytest.mark.parametrize("scale", ["none", "max"])
@pytest.mark.parametrize("pad", ["none", "edge"])
def test_device_arrays(device, queue, scale, pad):
    volume = noise((7, 12, 10), "u1")
    options = {"unit": "cycles/px", "shape": "gaussian", "scale": scale, "pad": pad}
    there = cl_array.to_device(queue, volume)
    result = pyclfft.filter_volume(there, "highpass", 0.1, **options)
    assert isinstance(result, cl_array.Array)
    np.testing.assert_array_equal(
        result.get(), pyclfft.filter_volume(volume, "highpass", 0.1, **options)
    )


def test_device_arrays_of_any_strides(device, queue):
    volume = noise((9, 14, 20), "f4")
    part = (slice(1, 9, 2), slice(2, 12), slice(3, 20, 3))
    there = cl_array.to_device(queue, volume)[part]
    result = pyclfft.filter_volume(there, "lowpass", 2, shape="gaussian").get()
    reference = expected(volume[part], "lowpass", 2, shape="gaussian")
    np.testing.assert_allclose(result, reference, rtol=0, atol=250e-5)
    with pytest.raises(pyclfft.PlanError, match="copy the device array"):
        pyclfft.filter_volume(there, "lowpass", 2, scale="max")


@pytest.mark.parametrize("pad", ["none", "zero", "mirror"])
@pytest.mark.parametrize("dtype", ["f4", "u1"])
def test_volumes_larger_than_the_device(device, pad, dtype):
    volume = noise((12, 40, 50), dtype)
    pyclfft.limit_device_memory(100_000)
    try:
        result = pyclfft.filter_volume(volume, "highpass", 5, shape="gaussian", pad=pad)
    finally:
        pyclfft.limit_device_memory(None)
    values = expected(volume, "highpass", 5, shape="gaussian", pad=pad, part="magnitude")
    wanted = values * 255 / values.max() if dtype == "u1" else values
    assert np.abs(result - wanted).max() <= (0.52 if dtype == "u1" else 250e-5)


def test_default_cutoff_is_an_eighth_of_the_shortest_side(device):
    volume = noise((16, 24, 40), "f4")
    np.testing.assert_array_equal(
        pyclfft.filter_volume(volume), pyclfft.filter_volume(volume, "highpass", 2)
    )


def test_one_slice_is_an_image(device):
    image = noise((20, 30), "f4")
    options = {"unit": "cycles/px", "shape": "butterworth"}
    np.testing.assert_allclose(
        pyclfft.filter_volume(image[None], "lowpass", 0.1, **options)[0],
        pyclfft.filter_image(image, "lowpass", 0.1, **options), atol=1e-3,
    )  # fmt: skip


def test_volumes_of_one_shape_share_a_filter(device):
    cache.clear("volumes")
    for seed in range(3):
        pyclfft.filter_volume(noise((4, 6, 8), "f4", seed))
    assert pyclfft.cache_info().volumes[:2] == (2, 1)


BAD = {
    "an image": (np.zeros((8, 8), "f4"), {}, r"a volume has the shape \(depth, height, width\)"),
    "nothing": (np.zeros((0, 8, 8), "f4"), {}, "a volume has the shape"),
    "complex": (np.zeros((4, 4, 4), "c8"), {}, "real pixels"),
    "NaN": (np.full((4, 4, 4), np.nan, "f4"), {}, "NaN or infinity"),
    "kind": (np.zeros((4, 4, 4), "f4"), {"kind": "notch"}, "invalid kind 'notch'"),
    "unit": (np.zeros((4, 4, 4), "f4"), {"unit": "mm"}, "invalid unit 'mm'"),
    "shape": (np.zeros((4, 4, 4), "f4"), {"shape": "box"}, "invalid shape 'box'"),
    "pad": (np.zeros((4, 4, 4), "f4"), {"pad": "wrap"}, "invalid pad 'wrap'"),
    "scale": (np.zeros((4, 4, 4), "f4"), {"scale": "log"}, "invalid scale 'log'"),
    "part": (np.zeros((4, 4, 4), "f4"), {"part": "imag"}, "invalid part 'imag'"),
    "order": (np.zeros((4, 4, 4), "f4"), {"order": 3}, "order is the order of a Butterworth"),
    "order of 0": (np.zeros((4, 4, 4), "f4"), {"order": 0, "shape": "butterworth"}, "above 0"),
    "maxval": (np.zeros((4, 4, 4), "u1"), {"maxval": 300}, "maxval 300 does not fit uint8"),
    "sigma and unit": (
        np.zeros((4, 4, 4), "f4"),
        {"sigma": 2, "unit": "bin"},
        "takes the place of cutoff and unit",
    ),
    "sigma of 0": (np.zeros((4, 4, 4), "f4"), {"sigma": 0}, "sigma must be above 0"),
    "one cut-off": (np.zeros((4, 4, 4), "f4"), {"kind": "bandpass"}, "needs two cut-offs"),
    "far": (np.zeros((4, 6, 8), "f4"), {"cutoff": 9}, "volume of 8 x 6 x 4 voxels, which is 5.385"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_makes_no_sense_is_refused(queue, case):
    volume, options, says = BAD[case]
    with pytest.raises(pyclfft.PlanError, match=says):
        pyclfft.filter_volume(volume, **options)


# --- the command ----------------------------------------------------------------------------------


def test_pages_as_slices(tmp_path, capsys):
    volume = noise((6, 20, 30), "u1")
    write_images(tmp_path / "stack.tif", [ImageFile(each, 255) for each in volume])
    assert main([str(tmp_path / "stack.tif"), "--volume", "--lowpass", "1/8", "--unit", "cycles/px",
                 "--shape", "gaussian", "--pad", "mirror"]) == 0  # fmt: skip
    said = capsys.readouterr().err
    assert "6 pages, 30 x 20 pixels" in said
    assert "in three dimensions" in said
    result = np.stack([each.pixels for each in read_images(tmp_path / "stack_lowpass.tif")])
    reference = expected(volume, "lowpass", 1 / 8, unit="cycles/px", shape="gaussian", pad="mirror")
    assert np.abs(result - np.clip(reference, 0, 255)).max() <= 0.51


@pytest.mark.parametrize(
    ("pages", "arguments", "says"),
    [
        ([((8, 9), "u1"), ((8, 8), "u1")], [], "page 2 differs from page 1"),
        ([((8, 9), "u1"), ((8, 9), "u2")], [], "page 2 differs from page 1"),
        ([((8, 9, 3), "u1")] * 2, [], "a volume has grey slices"),
        ([((8, 9), "u1")] * 2, ["--mask", "x.png"], "--mask is for images"),
        ([((8, 9), "u1")] * 2, ["--channels", "luma"], "--channels is for images"),
        ([((8, 9), "u1")] * 2, ["--algorithm", "radix2"], "--algorithm is for images"),
        ([((8, 9), "u1")] * 2, ["-o", "x.png"], "PNG cannot hold 2 images"),
    ],
)
def test_what_is_no_volume(tmp_path, monkeypatch, capsys, pages, arguments, says):
    monkeypatch.chdir(tmp_path)
    whites = {"u1": 255, "u2": 65535}
    write_images("a.tif", [ImageFile(noise(shape, t), whites[t]) for shape, t in pages])
    assert main(["a.tif", "--volume", "--highpass", *arguments]) == 2
    (line,) = [each for each in capsys.readouterr().err.splitlines() if "error" in each]
    assert says in line
    assert [each.name for each in tmp_path.iterdir()] == ["a.tif"]
