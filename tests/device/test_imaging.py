"""Image filters against a NumPy implementation of their own, in float64."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest

import pyclfft
from pyclfft import filter_image, filter_mask
from pyclfft.errors import DeviceError, DeviceMemoryError, PlanError
from pyclfft.image import filtering as imaging
from pyclfft.runtime import cache, describe, memory
from pyclfft.runtime.profile import Recorder, profiling_queue

# What runs on every device in the quick tier too: tests/image/test_filter.py.
pytestmark = pytest.mark.one_cpu

# --- the reference --------------------------------------------------------------------------------

PAD_MODES = {"zero": "constant", "edge": "edge", "mirror": "symmetric"}
GREATEST = {np.uint8: 255, np.uint16: 65535, np.float32: 1, np.float64: 1}
BRIGHTNESS = (0.299, 0.587, 0.114)


def frequencies(n, image, unit):
    """Of every bin along one side, in the unit of the cut-offs."""
    per_pixel = np.abs(np.fft.fftfreq(n))
    return per_pixel * {"bin": image, "nyquist": 2, "cycles/px": 1, "px-period": 1}[unit]


def gains(size, plane, kind, cutoff, unit, shape, order, keep_dc):
    r, c = (frequencies(*lengths, unit) for lengths in zip(plane, size, strict=True))
    radius = np.hypot(r[:, None], c[None, :])

    def lowpass(at):
        if shape == "ideal" or at == 0:
            return (radius < at) * 1.0
        if shape == "gaussian":
            return np.exp(-(radius**2) / (2 * at**2))
        return 1 / (1 + (radius / at) ** (2 * order))

    cutoffs = np.atleast_1d(np.array(cutoff, float))
    cutoffs = 1 / cutoffs if unit == "px-period" else cutoffs
    low, high = cutoffs.min(), cutoffs.max()
    gain = {
        "lowpass": lambda: lowpass(high),
        "highpass": lambda: 1 - lowpass(low),
        "bandpass": lambda: lowpass(high) * (1 - lowpass(low)),
        "bandstop": lambda: 1 - lowpass(high) * (1 - lowpass(low)),
    }[kind]()
    if keep_dc:
        gain[0, 0] = 1
    return gain


def imagejs_square(size):
    """The least power of two that is half as long again as the longer side."""
    side = next(side for side in POWERS_OF_TWO[1:] if 2 * side >= 3 * max(size))
    return side, side


def padded(values, plane, pad):
    """Planes with an image in their middle.

    If an odd number of rows or columns surrounds it, one more stands behind it. In ImageJ's square
    of mirror images it stands before it, which is the last place for a transform.
    """
    size = values.shape[1:]
    odd_before = pad == "mirror" and plane == imagejs_square(size)
    around, turn = [(0, 0)], []
    for n, wanted in zip(size, plane, strict=True):
        more = (wanted - n) % 2 if odd_before else 0
        before = (wanted - n) // 2 + more
        around.append((before, wanted - n - before))
        turn.append(-more)
    return np.roll(np.pad(values, around, PAD_MODES.get(pad, "constant")), turn, (1, 2))


POWERS_OF_TWO = [2**k for k in range(20)]
SMOOTH = [n for n in range(1, 1000) if (2 * 3 * 5 * 7 * 11 * 13) ** 9 % n == 0]  # 2**9 at most


def plane_of(size, pad, algorithm=None):
    """At least half as long again, up to a length that is fast."""
    if pad == "none":
        return size
    lengths = POWERS_OF_TWO if algorithm == "radix2" else SMOOTH
    return tuple(next(length for length in lengths if 2 * length >= 3 * n) for n in size)


def reference(
    image, kind, cutoff, *, unit="bin", shape="ideal", order=2, pad="none", keep_dc=False,
    channels="each", scale=None, part=None, maxval=None, algorithm=None,
):  # fmt: skip
    """The result before it is rounded, and by how much its scale amplifies errors."""
    size, top = image.shape[:2], maxval or GREATEST[image.dtype.type]
    usual_part, usual_scale = usual(image.dtype, kind, keep_dc)
    part, scale = part or usual_part, scale or usual_scale
    wide = image.reshape(*size, -1).astype(float)
    luma = channels == "luma" and wide.shape[2] == 3
    brightness = wide @ BRIGHTNESS if luma else None
    values = brightness[None] if luma else wide.transpose(2, 0, 1)
    plane = plane_of(size, pad, algorithm)
    spectra = np.fft.fft2(padded(values, plane, pad))
    filtered = np.fft.ifft2(spectra * gains(size, plane, kind, cutoff, unit, shape, order, keep_dc))
    rows, columns = ((n - m) // 2 for n, m in zip(plane, size, strict=True))
    filtered = filtered[:, rows : rows + size[0], columns : columns + size[1]]
    result = np.abs(filtered) if part == "magnitude" else filtered.real
    least = result.min() if scale == "stretch" else 0
    factor = top / (result.max() - least) if scale in ("max", "stretch") else 1
    result = ((result - least) * factor).transpose(1, 2, 0)
    if luma:
        result = result + wide - brightness[..., None]
    if scale != "none":
        result = result.clip(0, top)
    return result.reshape(image.shape), factor


def usual(dtype, kind, keep_dc):
    """Part and scale by default: the textbook's without the mean, else those of a picture."""
    keeps = keep_dc or kind in ("lowpass", "bandstop")
    scale = "none" if dtype.kind == "f" else "clip" if keeps else "max"
    return "real" if keeps else "magnitude", scale


def assert_as_reference(image, kind, cutoff, **options):
    result = filter_image(image, kind, cutoff, **options)
    expected, factor = reference(image, kind, cutoff, **options)
    double = image.dtype == np.float64
    kept = image.dtype if options.get("scale") != "none" else np.float64 if double else np.float32
    assert (result.dtype, result.shape) == (kept, image.shape)
    noise = (1e-14 if double else 4e-6) * float(np.abs(image).max()) * max(factor, 1)
    rounding = 0.5 if result.dtype.kind == "u" else 0
    np.testing.assert_allclose(result.astype(float), expected, rtol=0, atol=noise + rounding)
    return result


def picture(size, colours=1, dtype=np.uint8, seed=0, top=None):
    """Noise upon a slope, so that all frequencies are there and the mean is not in the middle."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[: size[0], : size[1]] / max(size)
    values = 0.2 + 0.3 * y[..., None] + 0.2 * x[..., None] + 0.3 * rng.random((*size, colours))
    top = top or GREATEST[dtype]
    image = (values * top).astype(dtype)
    return image[..., 0] if colours == 1 else image


# --- everything together --------------------------------------------------------------------------

OPTIONS = {
    "kind": ("highpass", "lowpass", "bandpass", "bandstop"),
    "unit": ("bin", "nyquist", "cycles/px", "px-period"),
    "shape": ("ideal", "gaussian", "butterworth"),
    "pad": ("none", "zero", "edge", "mirror"),
    "scale": ("max", "stretch", "clip", "none", None),
    "part": ("magnitude", "real", None),
    "dtype": (np.uint8, np.uint16, np.float32, np.float64),
    "colours": ((1, "each"), (3, "each"), (3, "luma")),
    "size": ((16, 16), (15, 21), (12, 33), (8, 64), (31, 7), (5, 5)),
    "keep_dc": (False, True),
    "order": (2, 1, 3.5),
}


def mixtures(count, seed=1):
    """Combinations in which each value of each option comes up equally often."""
    rng = np.random.default_rng(seed)
    columns = []
    for values in OPTIONS.values():
        indices = rng.permutation([i % len(values) for i in range(count)])
        columns.append([values[i] for i in indices])
    return [dict(zip(OPTIONS, row, strict=True)) for row in zip(*columns, strict=True)]


def name_of(mixture):
    return "-".join(
        getattr(value, "__name__", None) or str(value).replace(" ", "")
        for value in mixture.values()
    )


def check_mixture(mixture):
    """Also called by tests/oclgrind_kernels.py."""
    options = dict(mixture)
    kind, size, dtype = (options.pop(name) for name in ("kind", "size", "dtype"))
    colours, options["channels"] = options.pop("colours")
    if options["shape"] != "butterworth":
        del options["order"]
    side = {"bin": min(size), "nyquist": 2}.get(options["unit"], 1)
    cutoff = [0.1234 * side, 0.3071 * side]  # no bin lies on these circles
    if options["unit"] == "px-period":
        cutoff = [round(1 / value, 3) for value in cutoff]
    if not kind.startswith("band"):
        cutoff = cutoff[1]
    assert_as_reference(picture(size, colours, dtype), kind, cutoff, **options)


@pytest.mark.one_cpu
@pytest.mark.parametrize("mixture", mixtures(12), ids=name_of)
def test_mixtures_of_all_options(device, mixture):
    if mixture["dtype"] is np.float64 and not describe.traits(device).fp64:
        pytest.skip(f"{device.name} has no double precision")
    check_mixture(mixture)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rows", [2, 3, 16, 24, 35, 37, 100, 243, 1009])
def test_columns_of_any_length(device, rows, dtype):
    """CPUs transform them there and back in one launch if it has stages for all of a column.

    Of 46 columns of a spectrum, the last block has lanes without a column.
    """
    if dtype is np.float64 and not describe.traits(device).fp64:
        pytest.skip(f"{device.name} has no double precision")
    image = picture((rows, 90), dtype=dtype)
    assert_as_reference(image, "lowpass", 0.2, unit="cycles/px", shape="gaussian")
    assert_as_reference(image, "bandstop", (0.1, 0.2), unit="cycles/px", shape="butterworth")


@pytest.mark.parametrize("algorithm", ["radix2", "stockham", "direct", None])
@pytest.mark.parametrize("dtype", [np.uint8, np.float64])
def test_every_algorithm_gives_the_same(device, algorithm, dtype):
    if dtype is np.float64 and not describe.traits(device).fp64:
        pytest.skip(f"{device.name} has no double precision")
    assert_as_reference(picture((32, 16), 3, dtype), "highpass", 2, algorithm=algorithm)


@pytest.mark.parametrize(
    ("algorithm", "sides"),
    [(None, (5, 14)), ("direct", (5, 14)), ("radix2", (8, 16)), ("compact", (8, 16))],
)
def test_padded_sides_are_what_the_algorithm_takes(algorithm, sides):
    assert imaging.padded_size((3, 9), algorithm) == sides


@pytest.mark.parametrize("size", [(3, 5), (2, 16)])
def test_small_images_of_three_planes(device, size):
    """Planes smaller than a work-group, whose range must not reach into a fourth plane."""
    for pad in ("none", "mirror"):
        options = {"unit": "nyquist", "scale": "none", "pad": pad}
        assert_as_reference(picture(size, 3), "highpass", 0.3, **options)
        assert_as_reference(picture(size, 3), "lowpass", 0.3, **options, shape="gaussian")


# --- which bins pass ------------------------------------------------------------------------------

ON_THE_CIRCLE = {(0, 5), (5, 0), (3, 4), (4, 3)}


def wrapped(bins, size):
    """The bins with all signs, as indices of a spectrum."""
    signs = tuple(itertools.product((1, -1), repeat=2))
    return {(s * r % size[0], t * c % size[1]) for r, c in bins for s, t in signs}


@pytest.mark.parametrize(
    ("cutoff", "unit"), [(5, "bin"), (0.2, "nyquist"), (0.1, "cycles/px"), (10, "px-period")]
)
def test_bins_on_the_circle(device, cutoff, unit):
    """High passes take r >= R and low passes r < R, in whatever unit; 0.1 * 50 is bin 5 exactly."""
    high = filter_mask((50, 50), "highpass", cutoff, unit=unit)
    low = filter_mask((50, 50), "lowpass", cutoff, unit=unit)
    np.testing.assert_array_equal(high + low, 1)
    assert set(np.unique(high)) == {0, 1}
    for bins in wrapped(ON_THE_CIRCLE, (50, 50)):
        assert (high[bins], low[bins]) == (1, 0)
    for bins in wrapped({(0, 4), (3, 3), (2, 4)}, (50, 50)):
        assert (high[bins], low[bins]) == (0, 1)


def test_bands_hold_their_lower_circle_only(device):
    band = filter_mask((50, 50), "bandpass", (5, 10))
    stop = filter_mask((50, 50), "bandstop", (5, 10))
    np.testing.assert_array_equal(band + stop, 1)
    assert all(band[bins] == 1 for bins in wrapped(ON_THE_CIRCLE, (50, 50)))
    assert all(band[bins] == 0 for bins in wrapped({(6, 8), (8, 6), (0, 10)}, (50, 50)))


def wave(size, row, column):
    """An image of one frequency."""
    y, x = np.mgrid[: size[0], : size[1]]
    return np.cos(2 * np.pi * (row * y / size[0] + column * x / size[1])).astype(np.float32)


@pytest.mark.one_cpu
@pytest.mark.parametrize("bins", sorted(ON_THE_CIRCLE))
def test_a_wave_on_the_circle_is_high(device, bins):
    image = wave((50, 50), *bins)
    options = {"unit": "cycles/px", "scale": "none", "part": "real"}
    assert abs(filter_image(image, "highpass", 0.1, **options) - image).max() < 1e-5
    assert abs(filter_image(image, "lowpass", 0.1, **options)).max() < 1e-5


@pytest.mark.parametrize(
    ("unit", "cutoff", "low", "high"),
    [
        # 20 rows and 50 columns: bins count alike along both sides, frequencies do not
        ("bin", 5, {(4, 0), (0, 4), (3, 3)}, {(5, 0), (0, 5), (3, 4), (4, 3)}),
        ("cycles/px", 0.1, {(1, 0), (0, 4), (1, 4)}, {(2, 0), (0, 5), (1, 5), (2, 1)}),
        ("nyquist", 0.2, {(1, 0), (0, 4)}, {(2, 0), (0, 5)}),
        ("px-period", 10, {(1, 0), (0, 4)}, {(2, 0), (0, 5)}),
    ],
)
def test_rectangles(device, unit, cutoff, low, high):
    size = (20, 50)
    mask = filter_mask(size, "lowpass", cutoff, unit=unit)
    assert mask.shape == size
    assert all(mask[bins] == 1 for bins in wrapped(low, size))
    assert all(mask[bins] == 0 for bins in wrapped(high, size))
    options = {"unit": unit, "scale": "none", "part": "real"}
    for passed, bins in itertools.chain(*(((1, b) for b in low), ((0, b) for b in high))):
        image = wave(size, *bins)
        result = filter_image(image, "lowpass", cutoff, **options)
        np.testing.assert_allclose(result, passed * image, rtol=0, atol=2e-6)


def test_default_cutoff_is_an_eighth_of_the_shorter_side(device):
    image = picture((24, 40))
    default = filter_image(image)
    np.testing.assert_array_equal(default, filter_image(image, "highpass", 3))
    assert (default != filter_image(image, "highpass", 3.0001)).any()  # (0, 3) lies on the circle
    np.testing.assert_array_equal(filter_mask((24, 40)), filter_mask((24, 40), "highpass", 3))


@pytest.mark.parametrize("shape", OPTIONS["shape"])
@pytest.mark.parametrize("keep_dc", [False, True])
def test_masks(device, shape, keep_dc):
    order = 1.5 if shape == "butterworth" else None
    options = {"unit": "cycles/px", "shape": shape, "order": order, "keep_dc": keep_dc}
    for size, kind, cutoff in (((9, 14), "bandstop", (0.11, 0.3)), ((1, 8), "highpass", 0.2)):
        mask = filter_mask(size, kind, cutoff, **options)
        expected = gains(size, size, kind, cutoff, **options)
        assert mask.dtype == np.float32
        np.testing.assert_allclose(mask, expected, rtol=0, atol=1e-6)


def test_cutoff_of_zero(device):
    image = picture((8, 12), dtype=np.float32)
    for shape in OPTIONS["shape"]:
        options = {"shape": shape, "scale": "none", "part": "real"}
        assert not filter_image(image, "lowpass", 0, **options).any()
        np.testing.assert_allclose(filter_image(image, "highpass", 0, **options), image, atol=1e-6)


# --- options --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "cutoff", "order"),
    [
        ("gaussian", 1e-30, None),
        ("gaussian", 1e-100, None),
        ("butterworth", 1, 1e300),
        ("butterworth", 1e-30, 2),
        ("butterworth", 1e-100, 1e300),
    ],
)
def test_numbers_beyond_single_precision(device, shape, cutoff, order):
    mask = filter_mask((4, 6), "lowpass", cutoff, shape=shape, order=order)
    with np.errstate(over="ignore"):
        expected = gains((4, 6), (4, 6), "lowpass", cutoff, "bin", shape, order, False)
    np.testing.assert_allclose(mask, expected, rtol=0, atol=1e-6)


def test_keep_dc_keeps_the_mean(device):
    image = picture((20, 30), dtype=np.float32)
    options = {"scale": "none", "part": "real"}
    without = filter_image(image, "highpass", 3, **options)
    kept = filter_image(image, "highpass", 3, keep_dc=True, **options)
    assert abs(without.mean()) < 1e-6
    assert kept.mean() == pytest.approx(image.mean(), abs=1e-6)
    np.testing.assert_allclose(kept - without, image.mean(), atol=1e-6)


def test_luma_keeps_colours(device):
    """All channels change by what the brightness changes by."""
    image = picture((16, 24), 3)
    options = {"channels": "luma", "keep_dc": True, "part": "real", "scale": "none"}
    change = filter_image(image, "lowpass", 4, **options) - image
    np.testing.assert_allclose(change, change[..., :1].repeat(3, axis=2), atol=1e-4)
    brightness = (image @ BRIGHTNESS).astype(np.float32)
    options.pop("channels")
    expected = filter_image(brightness, "lowpass", 4, **options) - brightness
    np.testing.assert_allclose(change[..., 0], expected, atol=1e-3)


def test_luma_of_a_grey_image_is_the_image(device):
    image = picture((9, 12))
    grey = filter_image(image, "highpass", 2)
    np.testing.assert_array_equal(filter_image(image, "highpass", 2, channels="luma"), grey)
    column = filter_image(image[..., None], "highpass", 2, channels="luma")
    np.testing.assert_array_equal(column, grey[..., None])


def test_channels_share_one_scale(device):
    image = np.zeros((16, 16, 3), np.uint8)
    image[..., 0] = 200 * (np.arange(16) % 2)
    image[..., 1] = 100 * (np.arange(16) % 2)
    result = filter_image(image, "highpass", 2)
    assert result.max(axis=(0, 1)).tolist() == [255, 128, 0]


@pytest.mark.parametrize("pad", PAD_MODES)
@pytest.mark.parametrize("size", [(5, 12), (16, 16), (1, 3)])
def test_padding_is_as_by_numpy(device, pad, size):
    """The same as filtering an image that has been padded before, and cutting out its middle."""
    image = picture(size, dtype=np.float32)
    plane = imaging.padded_size(size)
    assert plane == plane_of(size, pad)
    options = {"unit": "cycles/px", "shape": "gaussian", "scale": "none", "part": "real"}
    large = padded(image[None], plane, pad)[0]
    rows, columns = ((n - m) // 2 for n, m in zip(plane, size, strict=True))
    expected = filter_image(large, "lowpass", 0.21, **options)
    result = filter_image(image, "lowpass", 0.21, pad=pad, **options)
    middle = expected[rows : rows + size[0], columns : columns + size[1]]
    np.testing.assert_array_equal(result, middle)


@pytest.mark.parametrize("scale", ["max", "stretch"])
def test_greatest_value_of_the_file_is_kept(device, scale):
    image = picture((16, 30), dtype=np.uint16, top=4095)
    result = filter_image(image, maxval=4095, scale=scale)
    assert result.dtype == np.uint16
    assert result.max() == 4095
    assert filter_image(image, scale=scale).max() == 65535
    clipped = filter_image(image, "lowpass", 3, maxval=1000, scale="clip")
    assert clipped.max() == 1000
    assert_as_reference(image, "highpass", 3, maxval=4095, scale=scale)


@pytest.mark.one_cpu
@pytest.mark.parametrize("size", [(64, 64), (90, 133)])
@pytest.mark.parametrize("scale", ["max", "stretch"])
def test_flat_images_stay_flat(device, size, scale):
    """Rounding errors are not stretched to a picture."""
    for dtype in (np.uint8, np.float32):
        image = np.full(size, 100, dtype)
        assert not filter_image(image, "highpass", 2, scale=scale).any()
        low = filter_image(image, "lowpass", 2, scale=scale)
        wanted = 0 if scale == "stretch" else GREATEST[dtype]
        np.testing.assert_allclose(low, np.full(size, wanted, dtype), rtol=1e-6)
    assert not filter_image(np.zeros(size, np.uint8), scale=scale).any()


@pytest.mark.parametrize("factor", [1e-25, 1e-9, 1e25])
def test_faint_and_bright_images(device, factor):
    """Neither is a faint image taken for a flat one, nor do the squares in a magnitude overflow."""
    image = picture((16, 20), dtype=np.float32) * np.float32(factor)
    assert_as_reference(image, "highpass", 3, scale="stretch")


def test_faint_details_are_not_taken_for_rounding_errors(device):
    faint = np.full((16, 16), 60000, np.uint16)
    faint[3, 5] += 2
    assert filter_image(faint, "highpass", 2).max() == 65535


@pytest.mark.one_cpu
@pytest.mark.parametrize("size", [(1, 1), (1, 17), (2, 1)])
@pytest.mark.parametrize("pad", ["none", "mirror"])
def test_images_of_one_line(device, size, pad):
    image = picture(size)
    if size == (1, 1):
        assert filter_image(image, pad=pad).shape == (1, 1)
        assert filter_image(image, "lowpass", pad=pad) == image
        return
    assert_as_reference(image, "lowpass", min(size) / 8, pad=pad)
    assert_as_reference(image, "highpass", 0.2, unit="nyquist", pad=pad, scale="clip")


# --- errors ---------------------------------------------------------------------------------------

GREY = np.zeros((6, 8), np.uint8)


@pytest.mark.parametrize(
    ("image", "arguments", "options", "says"),
    [
        (GREY, ("highpass", -1), {}, "negative"),
        (GREY, ("highpass", 6), {}, "beyond the farthest frequency of an image of 8 x 6 pixels"),
        (GREY, ("highpass", float("nan")), {}, "finite"),
        (GREY, ("bandpass", (3, 2)), {}, "low < high"),
        (GREY, ("bandpass",), {}, "two cut-offs"),
        (GREY, ("sharpen",), {}, "invalid kind 'sharpen', should be one of lowpass"),
        (GREY, (), {"unit": "Hz"}, "invalid unit 'Hz', should be one of bin"),
        (GREY, (), {"shape": "square"}, "invalid shape 'square', should be one of ideal"),
        (GREY, (), {"pad": "wrap"}, "invalid pad 'wrap', should be one of none"),
        (GREY, (), {"channels": "red"}, "invalid channels 'red', should be one of each"),
        (GREY, (), {"scale": "log"}, "invalid scale 'log', should be one of none"),
        (GREY, (), {"part": "phase"}, "invalid part 'phase', should be one of real"),
        (GREY, (), {"algorithm": "fastest"}, "unknown algorithm 'fastest': choose from"),
        (GREY, (), {"algorithm": "radix2"}, "'radix2' takes"),
        (
            GREY,
            ("lowpass", 3),
            {"order": 3},
            "order of a Butterworth filter, and the shape is ideal",
        ),
        (GREY, (), {"maxval": 256}, "maxval 256 does not fit uint8"),
        (GREY, (), {"maxval": 0}, "maxval 0"),
        (GREY, (), {"maxval": float("nan")}, "maxval nan"),
        (GREY.astype(np.uint16), (), {"maxval": 65536}, "maxval 65536"),
        (GREY.astype(np.float32), (), {"maxval": float("inf")}, "maxval inf"),
        (GREY.astype("M8[s]"), (), {}, "pixels cannot be datetime64"),
        (GREY.astype(np.longdouble), (), {}, r"image\.astype\(.float32.\)"),
        (GREY.astype(np.complex64), (), {}, "not complex64: filter its real and its imaginary"),
        (GREY[0], (), {}, r"shape \(height, width\), .*, not \(8,\)"),
        (np.stack([GREY] * 5), (), {}, r"not \(5, 6, 8\): for a stack .* axes=\(1, 2\)"),
        (GREY, (), {"axes": (0, 2)}, "axes"),
        (GREY, (), {"axes": (1, -1)}, "unique"),
        (GREY, (), {"axes": 0}, "names two axes"),
        (np.zeros((4, 4, 2), np.uint8), (), {}, r"not \(4, 4, 2\)"),
        (np.zeros((4, 4, 3, 1), np.uint8), (), {}, "shape"),
        (np.zeros((0, 4), np.uint8), (), {}, "at least one pixel"),
    ],
)
def test_what_makes_no_sense_is_refused(queue, image, arguments, options, says):
    with pytest.raises(PlanError, match=says) as raised:
        filter_image(image, *arguments, **options)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("size", "arguments", "says"),
    [
        ((0, 4), (), "at least one pixel"),
        ((8, 8), ("highpass", -2), "negative"),
        ((8, 8), ("highpass", 7), "beyond"),
        ((8, 8), ("blur", 2), "kind"),
        ((8, 8), ("notch", 2), "notch does not take cutoff"),
    ],
)
def test_masks_that_make_no_sense_are_refused(queue, size, arguments, says):
    with pytest.raises(PlanError, match=says):
        filter_mask(size, *arguments)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_pixels_that_are_no_numbers_are_refused(queue, value):
    """One would make every pixel of the result NaN, and the picture black."""
    image = picture((6, 8), dtype=np.float32)
    image[2, 3] = value
    with pytest.raises(PlanError, match="NaN or infinity"):
        filter_image(image)


def pretend(monkeypatch, **other):
    """Let every device look different; what is planned before has to go."""
    real = describe.traits
    monkeypatch.setattr(describe, "traits", lambda device: replace(real(device), **other))
    cache.clear("filters")


def test_images_larger_than_the_device_and_the_host(queue, monkeypatch):
    """Images on the device are not cut; those of the host are, in test_large_images.py."""
    images = [cl_array.zeros(queue, (200, 300), np.uint8)]
    images.append(np.broadcast_to(np.uint8(1), (2**24, 2**24)))
    pretend(monkeypatch, max_alloc_bytes=100_000)
    monkeypatch.setattr(memory, "allocate", None)  # refused before anything is allocated
    for image in images:
        with pytest.raises(DeviceMemoryError, match="device has") as raised:
            filter_image(image, "highpass", 3)
        assert isinstance(raised.value, MemoryError)


def test_double_precision_that_the_device_lacks(queue, monkeypatch):
    pretend(monkeypatch, fp64=False)
    with pytest.raises(DeviceError, match="float32"):
        filter_image(picture((8, 8), dtype=np.float64))
    assert filter_image(picture((8, 8), dtype=np.float32)).dtype == np.float32


# --- what is launched -----------------------------------------------------------------------------


@pytest.fixture
def copies(monkeypatch):
    """Count transfers at their source."""
    made = []
    copy = cl.enqueue_copy

    def counted(queue, target, source, **options):
        made.append("up" if isinstance(source, np.ndarray) else "down")
        return copy(queue, target, source, **options)

    monkeypatch.setattr(cl, "enqueue_copy", counted)
    return made


@pytest.mark.parametrize(
    ("size", "options"),
    [
        ((16, 32), {"algorithm": "radix2"}),
        ((15, 10), {"pad": "mirror", "channels": "luma"}),
        ((15, 10), {"scale": "clip", "algorithm": "direct"}),
    ],
)
def test_one_upload_and_one_download(queue, copies, size, options):
    image = picture(size, 3)
    job = imaging.filter_job(image, **options)
    recorder = Recorder()
    imaging.ImageFilter(job, queue.context)(image, profiling_queue(queue.context), recorder)
    assert copies == ["up", "down"]
    names = [each.name for each in recorder.times()]
    assert (names[0], names[-1]) == ("write", "read")
    assert {"write", "read"}.isdisjoint(names[1:-1])
    assert recorder.times()[0].nbytes == recorder.times()[-1].nbytes == image.nbytes


def test_radix2_launches_the_textbooks_kernels(queue):
    """And loading, extrema and storing around them; each table of twiddles is filled once."""
    image = picture((16, 64))
    job = imaging.filter_job(image, "highpass", 3, algorithm="radix2")
    made = imaging.ImageFilter(job, queue.context)
    recorder = Recorder()
    made(image, profiling_queue(queue.context), recorder)
    names = [each.name.removesuffix("Blocked") for each in recorder.times()]
    rows, columns = ["bitReverse"] + ["butterfly"] * 4, ["bitReverse"] + ["butterfly"] * 6
    assert names == [
        "write", "loadPixels", "spinFact", *columns, "transpose", "spinFact", *rows,
        "highPassFilter", *rows, "transpose", *columns, "norm", "extrema", "extremaOfParts",
        "storePixels", "read",
    ]  # fmt: skip
    assert [each.kernel for each in made.schedule.passes] == [
        each.name for each in recorder.times()[1:-1]
    ]


# --- images and queues ----------------------------------------------------------------------------


def test_images_in_any_layout(device):
    image = picture((20, 30), 3)
    expected = filter_image(image)
    large = np.zeros((40, 60, 3), np.uint8)
    large[::2, ::2] = image
    readonly = image.copy()
    readonly.flags.writeable = False
    for same in (np.asfortranarray(image), large[::2, ::2], image[::-1][::-1], readonly):
        np.testing.assert_array_equal(filter_image(same), expected)
    np.testing.assert_array_equal(image, picture((20, 30), 3))  # nobody wrote into it


def test_queue(queue):
    """A queue of one's own, in a context of one's own."""
    context = cl.Context([queue.device])
    mine = cl.CommandQueue(context)
    image = picture((12, 16))
    np.testing.assert_array_equal(filter_image(image, queue=mine), filter_image(image))
    np.testing.assert_array_equal(filter_mask((12, 16), queue=mine), filter_mask((12, 16)))


def test_images_of_one_shape_share_a_filter(device):
    cache.clear("filters")
    first, second = picture((12, 16)), picture((12, 16), seed=5)
    one = filter_image(first, "lowpass", 3)
    assert (filter_image(second, "lowpass", 3) != one).any()
    np.testing.assert_array_equal(filter_image(first, "lowpass", 3.0), one)
    assert pyclfft.cache_info().filters[:2] == (2, 1)  # hits, misses
    filter_image(first, "lowpass", 4)
    assert pyclfft.cache_info().filters[:2] == (2, 2)
    pyclfft.clear_cache()
    assert pyclfft.cache_info().filters == (0, 0, 16, 0)  # their device memory goes too
