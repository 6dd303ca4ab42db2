"""One small check of each public name, against NumPy and SciPy in double precision.

A function that scipy.fft has too is called by its signature, and an error is checked as a
class: neither needs an entry here. Every other name of `pyclfft.__all__` has one in `CHECKS`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from itertools import product

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest
import scipy.fft
import scipy.signal

import pyclfft
from pyclfft.audio.mel import mel_matrix
from pyclfft.errors import PyclfftError
from pyclfft.runtime import describe
from tests.device.test_shorttime import expected_stft
from tests.oracle import noise, relative_error

Check = Callable[[cl.CommandQueue], None]

BOUND = {"f4": 1e-6, "c8": 1e-6, "f8": 3e-15, "c16": 3e-15}  # relative L2 error

CHECKS: dict[str, Check] = {}


def check_of(name: str) -> Check:
    """Return the check of a public name; it fails where nobody has written one."""
    value = getattr(pyclfft, name)
    if name in CHECKS:
        return CHECKS[name]
    if isinstance(value, type) and issubclass(value, PyclfftError):
        return lambda queue: check_error(value)
    if hasattr(scipy.fft, name):
        return lambda queue: check_as_scipy(name, queue)
    return lambda queue: pytest.fail(f"pyclfft.{name} has no first check: add one in {__file__}")


def all_checks() -> dict[str, Check]:
    """Return the checks of all public names; the key is the names of which it is the check."""
    names: dict[Check, list[str]] = {}
    for name in pyclfft.__all__:
        names.setdefault(check_of(name), []).append(name)
    return {", ".join(each): check for check, each in names.items()}


def checks(*names: str) -> Callable[[Check], Check]:
    """Enter a function into `CHECKS`, for every name that it calls."""

    def enter(check: Check) -> Check:
        CHECKS.update(dict.fromkeys(names, check))
        return check

    return enter


def agree(result, expected, bound: float = 0.0) -> None:
    """Require the shape of what is expected, and its numbers within a bound of the precision."""
    result = np.asarray(result)
    assert result.shape == np.shape(expected)
    assert relative_error(result, expected) <= (bound or BOUND.get(result.dtype.str[1:], 0))


def precisions(queue: cl.CommandQueue) -> list[str]:
    """The real dtypes in which the device computes."""
    return ["f4", "f8"] if describe.traits(queue.device).fp64 else ["f4"]


# --- what scipy.fft has ---------------------------------------------------------------------------

# What these functions may require, by the names of their parameters: numbers beside an array.
NUMBERS = {"n": 12, "target": 1009}
ARRAY = "x"


def check_as_scipy(name: str, queue: cl.CommandQueue) -> None:
    """Call it with what its signature requires; arrays also as device arrays."""
    ours, theirs = getattr(pyclfft, name), getattr(scipy.fft, name)
    parameters = inspect.signature(ours).parameters.values()
    required = [each.name for each in parameters if each.default is each.empty]
    numbers = [NUMBERS[each] for each in required if each != ARRAY]
    if ARRAY not in required:
        agree(ours(*numbers), theirs(*numbers), 1e-15)
        return
    for real in precisions(queue):
        x = input_of(theirs, numbers, real)
        wide = x.astype("c16" if x.dtype.kind == "c" else "f8")
        expected = theirs(wide, *numbers)
        agree(ours(x, *numbers), expected)
        agree(ours(cl_array.to_device(queue, x), *numbers).get(), expected)


def input_of(theirs, numbers, real: str) -> np.ndarray:
    """Complex numbers if SciPy's function takes them, else real ones."""
    x = noise((6, 12), {"f4": "c8", "f8": "c16"}[real])
    try:
        theirs(x, *numbers)
    except TypeError:
        return x.real.copy()
    return x


@checks("prev_fast_len")
def check_prev_fast_len(queue):
    """SciPy has it since 1.14 only."""
    fast = [n for n in range(1, 1010) if scipy.fft.next_fast_len(n) == n]
    assert pyclfft.prev_fast_len(1009) == fast[-1]


@checks("get_workers", "set_workers")
def check_workers(queue):
    with pyclfft.set_workers(2):
        assert pyclfft.get_workers() == 2


@checks("limit_device_memory", "transform_in_pieces")
def check_pieces(queue):
    """A batch of rows, and one row that is too long for a piece, whose halves a hook joins."""
    x = noise((60, 64), "c8")
    expected = np.fft.fft(x.astype("c16"))
    with pyclfft.limit_device_memory(2**14):
        agree(pyclfft.fft(x), expected)
    row = x.reshape(-1).copy()
    assert pyclfft.transform_in_pieces(row, row, max_device_bytes=2**14) is row
    agree(row, np.fft.fft(x.reshape(-1).astype("c16")))
    long = noise(2**15, "c8")  # with a square factor: in place, by the other hook
    agree(pyclfft.transform_in_pieces(long, max_device_bytes=2**20), np.fft.fft(long.astype("c16")))


@checks("fht", "fhtoffset", "ifht")
def check_hankel(queue):
    """Its factors differ by orders of magnitude, and so do its errors from those of a transform."""
    dln, mu = 0.1, 0.5
    offset = scipy.fft.fhtoffset(dln, mu)
    agree(pyclfft.fhtoffset(dln, mu), offset, 1e-15)
    for name, dtype in product(("fht", "ifht"), precisions(queue)):
        x = noise((3, 32), dtype)
        expected = getattr(scipy.fft, name)(x.astype("f8"), dln, mu, offset)
        agree(
            getattr(pyclfft, name)(x, dln, mu, offset), expected, {"f4": 1e-5, "f8": 1e-13}[dtype]
        )


@checks("scipy_backend")
def check_scipy_backend(queue):
    x = noise((5, 12), "c8")
    for backend in (pyclfft.scipy_backend(smallest=2), pyclfft):
        with scipy.fft.set_backend(backend, only=True):
            agree(scipy.fft.fft(x), np.fft.fft(x.astype("c16")))


@checks("distributed")
def check_distributed(queue):
    """One rank, which needs no MPI, there and back; and a batch over devices."""
    x = np.arange(24, dtype="float32").reshape(4, 6)
    wide, ours = x.astype("float64"), pyclfft.distributed
    agree(ours.fftn(x), np.fft.fftn(wide), 1e-6)
    agree(ours.ifftn(x), np.fft.ifftn(wide), 1e-6)
    agree(ours.rfftn(x), np.fft.rfftn(wide), 1e-6)
    agree(ours.irfftn(ours.rfftn(x)), wide, 1e-6)
    agree(ours.fftn(x, axes=1, devices=[queue.device]), np.fft.fft(wide), 1e-6)
    assert len(ours.reports()) == 1
    assert ours.local_slices(x.shape) == (slice(0, 4), slice(0, 6))


@checks("array_api_fft")
def check_array_api(queue):
    """Each function of the standard: NumPy has them all under the same names."""
    z = noise(12, "c8")
    for name in pyclfft.array_api_fft.__all__:
        ours, theirs = getattr(pyclfft.array_api_fft, name), getattr(np.fft, name)
        if name.endswith("freq"):
            agree(ours(12), theirs(12), 1e-15)
            continue
        x = z.real.copy() if name in ("rfft", "rfftn", "ihfft") else z
        agree(ours(x), theirs(x.astype("c16" if x is z else "f8")))


# --- plans and devices ----------------------------------------------------------------------------


@checks("Plan", "Hook")
def check_plan(queue):
    gains = np.arange(1, 61, dtype=np.float32)
    load = pyclfft.Hook("value *= gains[index];", gains=gains)
    plan = pyclfft.Plan((5, 12), "c8", 1, hooks={"load": load})
    assert "12" in str(plan)
    x = noise((5, 12), "c8")
    expected = np.fft.fft(x.astype("c16") * gains.reshape(5, 12))
    agree(plan(x), expected)
    there = cl_array.to_device(queue, x)
    assert plan(there, out=there) is there
    agree(there.get(), expected)
    untiled = {"transpose_tile": 0}  # a kernel that only this parameter asks for
    columns = pyclfft.Plan((16, 6), "c8", 0, algorithm="radix2", parameters=untiled)
    x = noise((16, 6), "c8")
    agree(columns(x), np.fft.fft(x.astype("c16"), axis=0))
    x = noise((5, 12), "f4")
    around = pyclfft.Plan((5, 12), "f4", 1, "dct2", algorithm="direct")  # of several launches
    agree(around(x), scipy.fft.dct(x.astype("f8")))


@checks("default_device", "default_queue", "devices", "use_device")
def check_devices(queue):
    """The check's own device was chosen by `use_device`."""
    assert queue.device in pyclfft.devices()
    assert pyclfft.default_device() == queue.device
    assert pyclfft.default_queue() == queue
    assert pyclfft.use_device(queue.device) is None


@checks("allocator")
def check_allocator(queue):
    x = noise((3, 2**18), "c8")
    there = cl_array.to_device(queue, x, allocator=pyclfft.allocator(queue.context))
    assert np.array_equal(there.get(), x)


@checks("CacheInfo", "cache_info", "clear_cache")
def check_caches(queue):
    pyclfft.fft(np.ones(8, "c8"))
    counts = pyclfft.cache_info()
    assert isinstance(counts, pyclfft.CacheInfo)
    assert counts.plans.size > 0
    pyclfft.clear_cache()
    assert pyclfft.cache_info().plans.size == 0


@checks("Tuned", "tune")
def check_tune(queue):
    found = pyclfft.tune((64, 64), "c8", 1, time_limit=0.1, device=queue.device)
    assert isinstance(found, pyclfft.Tuned)
    assert found.ms > 0
    assert not found.failed


def check_error(error: type[PyclfftError]) -> None:
    """It says what it was given, and is a builtin error too."""
    with pytest.raises(pyclfft.PyclfftError, match="a remedy") as caught:
        raise error("a remedy")
    assert error is PyclfftError or isinstance(
        caught.value, (ValueError, RuntimeError, MemoryError, TypeError)
    )


# --- images ---------------------------------------------------------------------------------------


@checks("filter_image", "filter_mask")
def check_filters(queue):
    """By the default algorithm and by the textbook's, which has a kernel for each filter."""
    bands = {"highpass": 3, "bandpass": (2, 5)}
    cases = [("f4", algorithm, kind) for algorithm in (None, "radix2") for kind in bands]
    if "f8" in precisions(queue):
        cases.append(("f8", None, "highpass"))
    for dtype, algorithm, kind in cases:
        image = noise((16, 32), dtype)
        options = {"algorithm": algorithm, "part": "real", "scale": "none"}
        gains = pyclfft.filter_mask(image.shape, kind, bands[kind])
        expected = np.fft.ifft2(np.fft.fft2(image.astype("f8")) * gains).real
        agree(pyclfft.filter_image(image, kind, bands[kind], **options), expected)
        agree(pyclfft.filter_image(image, mask=gains, **options), expected)
    photo = (255 * (0.5 + noise((16, 32, 3), "f8"))).astype("u1")
    gains = pyclfft.filter_mask((16, 32), "lowpass", 4)[..., None]
    passed = abs(np.fft.ifft2(np.fft.fft2(photo, axes=(0, 1)) * gains, axes=(0, 1)))
    expected = 255 * (passed - passed.min()) / (passed.max() - passed.min())
    for algorithm in (None, "radix2"):
        result = pyclfft.filter_image(photo, "lowpass", 4, scale="stretch", algorithm=algorithm)
        assert result.dtype == "u1"
        assert abs(result - expected).max() < 0.51  # rounding, and single precision


@checks("find_notches")
def check_notches(queue):
    """A wave in noise is one peak, and a notch there leaves the noise."""
    image = noise((96, 128), "f4")
    striped = image + np.cos(2 * np.pi * 0.2 * np.arange(128, dtype="f4"))
    ((fy, fx),) = pyclfft.find_notches(striped)
    assert (fy, fx) == pytest.approx((0, 0.2), abs=2e-3)
    clean = pyclfft.filter_image(striped, "notch", points=[(fy, fx)], pad="periodic")
    assert abs(clean - image).mean() < 0.1
    photo = (255 * (0.5 + noise((16, 32), "f8"))).astype("u1")
    logarithm = np.fft.fft2(np.log1p(photo.astype("f8")))
    gains = pyclfft.filter_mask(photo.shape, "homomorphic")
    expected = np.expm1(np.fft.ifft2(logarithm * gains).real).clip(0, 255)
    assert abs(pyclfft.filter_image(photo, "homomorphic") - expected).max() < 0.51


@checks("wiener")
def check_wiener(queue):
    """By its definition, with the Laplacian's transfer function in closed form."""
    psf = np.array([[0, 1, 0], [1, 4, 1], [0, 1, 0]]) / 8
    fy, fx = (np.cos(2 * np.pi * np.fft.fftfreq(n)) for n in (12, 15))
    blur = 0.5 + np.add.outer(fy, fx) / 4
    gains = blur / (blur**2 + 0.1 * (4 - 2 * np.add.outer(fy, fx)) ** 2)
    for dtype in precisions(queue):
        image = noise((12, 15), dtype)
        expected = np.fft.ifft2(np.fft.fft2(image.astype("f8")) * gains).real
        agree(pyclfft.wiener(image, psf, 0.1), expected)


@checks("spectrum", "Spectrum", "Peak")
def check_spectrum(queue):
    """Magnitudes with DC in the middle; stripes are a peak."""
    for dtype in precisions(queue):
        image = noise((24, 40), dtype)
        found = pyclfft.spectrum(image, window="hann")
        window = np.outer(*(scipy.signal.get_window("hann", n) for n in image.shape))
        transformed = np.fft.fftshift(np.fft.fft2(image.astype("f8") * window))
        agree(found.magnitude, abs(transformed))
        assert isinstance(found, pyclfft.Spectrum)
    stripes = np.tile(np.sin(2 * np.pi * np.arange(64, dtype="f4") / 8), (48, 1))
    (peak,) = pyclfft.spectrum(stripes).peaks
    assert isinstance(peak, pyclfft.Peak)
    assert (peak.period, peak.angle) == pytest.approx((8, 0), abs=1e-3)


@checks("filter_volume")
def check_volume(queue):
    """Each kind of result, by gains as the definition has them."""
    shape = (8, 12, 20)
    distance = sum(
        (np.minimum(k, n - k) * (8 / n)) ** 2  # voxels are cubes: bins of the shortest side
        for n, k in zip(shape, np.ogrid[tuple(map(slice, shape))], strict=True)
    )
    for dtype in precisions(queue):
        volume = noise(shape, dtype)
        gains = np.exp(-distance / (2 * 2**2))
        expected = np.fft.ifftn(np.fft.fftn(volume.astype("f8")) * gains).real
        options = {"unit": "cycles/px", "shape": "gaussian"}
        agree(pyclfft.filter_volume(volume, "lowpass", 2 / 8, **options), expected)
    scan = (255 * (0.5 + noise(shape, "f8"))).astype("u1")
    passed = abs(np.fft.ifftn(np.fft.fftn(scan) * (distance >= 9)))
    result = pyclfft.filter_volume(scan, "highpass", 3 / 8, unit="cycles/px")
    assert abs(result - 255 * passed / passed.max()).max() < 0.51


# --- convolution ----------------------------------------------------------------------------------


@checks("convolve", "correlate", "fftconvolve", "oaconvolve", "choose_conv_method")
def check_convolutions(queue):
    """By every method: as a whole, and in blocks; exact for integers."""
    for dtype in precisions(queue):
        x, y = noise((2, 50_000), dtype), noise((1, 20), dtype)
        expected = scipy.signal.fftconvolve(x.astype("f8"), y.astype("f8"), axes=1)
        for method in ("direct", "fft", "partitioned"):
            agree(pyclfft.convolve(x, y, method=method, axes=1), expected)
            agree(pyclfft.correlate(x, y[:, ::-1], method=method, axes=1), expected)
        there = cl_array.to_device(queue, x), cl_array.to_device(queue, y)
        agree(pyclfft.fftconvolve(*there, axes=1).get(), expected)
        agree(pyclfft.oaconvolve(*there, axes=1).get(), expected)
    large = np.array([2**40, 3])
    assert pyclfft.choose_conv_method(large, large) == "direct"
    assert np.array_equal(pyclfft.convolve(large, [1, 5]), np.convolve(large, [1, 5]))


@checks("phase_cross_correlation")
def check_registration(queue):
    image = noise((24, 30), "f4")
    shift, error, _ = pyclfft.phase_cross_correlation(
        image, np.roll(image, (3, -5), (0, 1)), normalization=None
    )
    assert shift.tolist() == [-3, 5]
    assert error < 1e-2


# --- the direct transform -------------------------------------------------------------------------


@checks("dft")
def check_dft(queue):
    """By every kernel: all bins of real numbers, and some bins of complex ones."""
    for real in precisions(queue):
        x, z = noise((2, 700), real), noise((2, 700), {"f4": "c8", "f8": "c16"}[real])
        spectrum, bins = np.fft.fft(z.astype("c16")), [3, -1, 350]
        for variant in ("tiled", "global", "local"):
            agree(pyclfft.dft(x, variant=variant), np.fft.fft(x.astype("f8")))
            agree(pyclfft.dft(z, bins, variant=variant), spectrum[:, bins])
        agree(pyclfft.dft(cl_array.to_device(queue, z), bins).get(), spectrum[:, bins])


@checks("CZT", "czt", "czt_points")
def check_czt(queue):
    """Points on a spiral, of arrays of the host and of the device."""
    a, w = 1.01 * np.exp(0.3j), 0.999 * np.exp(-0.02j)
    points = pyclfft.czt_points(30, w, a)
    agree(points, scipy.signal.czt_points(30, w, a), 1e-14)
    for real in precisions(queue):
        x = noise((2, 50), real)
        expected = x.astype("f8") @ points[None, :] ** -np.arange(50)[:, None]
        agree(pyclfft.czt(x, 30, w, a), expected, 20 * BOUND[real])
        there = cl_array.to_device(queue, x)
        agree(pyclfft.CZT(50, 30, w, a)(there).get(), expected, 20 * BOUND[real])


@checks("ZoomFFT", "zoom_fft")
def check_zoom(queue):
    for real in precisions(queue):
        x = noise((2, 50), real)
        turns = np.linspace(0.1, 0.2, 30, endpoint=False)
        expected = x.astype("f8") @ np.exp(-2j * np.pi * turns * np.arange(50)[:, None])
        agree(pyclfft.zoom_fft(x, [0.1, 0.2], 30, fs=1), expected)
        there = cl_array.to_device(queue, x)
        agree(pyclfft.ZoomFFT(50, [0.1, 0.2], 30, fs=1)(there).get(), expected)


# --- sounds ---------------------------------------------------------------------------------------

SR = 22050
ONSETS = (0.3, 1.1)  # seconds
PITCHES = (69, 76)  # A4, then E5


def tune_of_two_notes() -> np.ndarray:
    """Decaying tones of eight harmonics, one after the other."""
    t = np.arange(2 * SR) / SR
    y = np.zeros(t.size)
    for onset, midi in zip(ONSETS, PITCHES, strict=True):
        since = t - onset
        hz = 440 * 2 ** ((midi - 69) / 12)
        harmonics = sum(np.sin(2 * np.pi * m * hz * since) / m for m in range(1, 9))
        y += np.where(since > 0, np.exp(-4 * np.maximum(since, 0)) * harmonics, 0)
    return (y / abs(y).max()).astype("f4")


@checks("stft", "istft")
def check_frames(queue):
    for dtype in precisions(queue):
        y = noise((2, 1000), dtype)
        expected = expected_stft(y, 128, 32)
        spectra = pyclfft.stft(y, 128, 32)
        agree(spectra, expected)
        agree(pyclfft.stft(cl_array.to_device(queue, y), 128, 32).get(), expected)
        agree(pyclfft.istft(spectra, 32, n_fft=128, length=1000), y)
        odd = pyclfft.stft(y, 128, 31)  # a hop with which GPUs take two launches
        agree(pyclfft.istft(odd, 31, n_fft=128, length=1000), y)


@checks("StreamingSTFT")
def check_stream(queue):
    y = noise((2, 1000), "f4")
    stream = pyclfft.StreamingSTFT(128, 32)
    parts = [stream.push(y[:, :300]), stream.push(y[:, 300:]), stream.close()]
    agree(np.concatenate(parts, axis=-1), expected_stft(y, 128, 32))


@checks("StreamingConvolver")
def check_convolver(queue):
    x, ir = noise((2, 1000), "f4"), noise((2, 3000), "f4", seed=1)
    expected = [np.convolve(*pair) for pair in zip(x.astype("f8"), ir, strict=True)]
    for method in ("direct", "uniform", "nonuniform"):
        stream = pyclfft.StreamingConvolver(ir, block_size=64, method=method)
        parts = [stream.push(x[:, :300]), stream.push(x[:, 300:]), stream.close()]
        agree(np.concatenate(parts, axis=-1), np.array(expected))


@checks("spectrogram")
def check_spectrogram(queue):
    """By the default algorithm, and by one that finds the greatest while it transforms."""
    y = noise(1000, "f4")
    expected = abs(expected_stft(y, 128, 32))
    agree(pyclfft.spectrogram(y, 128, 32), expected)
    for algorithm in (None, "local-radix2"):
        options = {"power": 2, "normalize": "max", "algorithm": algorithm}
        relative = pyclfft.spectrogram(y, 128, 32, **options)
        agree(relative, (expected / expected.max()) ** 2)


@checks("onsets")
def check_onsets(queue):
    found = pyclfft.onsets(tune_of_two_notes(), SR, units="time")
    assert found == pytest.approx(ONSETS, abs=0.05)


@checks("Note", "notes")
def check_notes(queue):
    found = pyclfft.notes(tune_of_two_notes(), SR)
    assert all(isinstance(note, pyclfft.Note) for note in found)
    assert [note.midi for note in found] == list(PITCHES)
    assert [note.onset for note in found] == pytest.approx(ONSETS, abs=0.05)


@checks("chroma")
def check_chroma(queue):
    """In the middle of each note its class is the strongest."""
    classes = pyclfft.chroma(tune_of_two_notes(), SR)
    middles = [round((onset + 0.2) * SR / 512) for onset in ONSETS]
    assert classes[:, middles].argmax(axis=0).tolist() == [midi % 12 for midi in PITCHES]


@checks("melspectrogram", "mfcc")
def check_mels(queue):
    """By a matrix of triangles, and by SciPy's cosine transform of decibels."""
    for dtype in precisions(queue):
        y = noise((2, 1000), dtype)
        options = {"n_fft": 128, "hop_length": 32, "n_mels": 12}
        power = abs(expected_stft(y, 128, 32)) ** 2
        bands = mel_matrix(SR, 128, 12, dtype="f8") @ power
        agree(pyclfft.melspectrogram(y=y, sr=SR, dtype="f8", **options), bands)
        there = cl_array.to_device(queue, y)
        agree(pyclfft.melspectrogram(y=there, sr=SR, dtype="f8", **options).get(), bands)
        levels = 10 * np.log10(np.maximum(1e-10, bands))
        expected = scipy.fft.dct(np.maximum(levels, levels.max() - 80), axis=-2, norm="ortho")
        agree(pyclfft.mfcc(y=y, sr=SR, n_mfcc=5, dtype="f8", **options), expected[:, :5])


@checks("griffinlim")
def check_griffinlim(queue):
    """Phases that belong together stay, and others become better."""
    y = np.sin(0.3 * np.arange(1000, dtype="f4"))
    spectra = pyclfft.stft(y, 128, 32)
    agree(pyclfft.griffinlim(spectra, n_iter=0, init=None, length=1000), y)
    found = pyclfft.griffinlim(abs(spectra), random_state=1, length=1000)
    assert relative_error(abs(pyclfft.stft(found, 128, 32)), abs(spectra)) < 0.1


@checks("Region", "edit_spectrogram")
def check_edit(queue):
    """All of a signal by a factor, and a part of it that is erased."""
    for dtype in precisions(queue):
        y = noise((2, 3000), dtype)
        halved = pyclfft.edit_spectrogram(y, [pyclfft.Region(gain=-6)], sr=SR, n_fft=128)
        agree(halved, y * 10 ** (-6 / 20))
        erased = [pyclfft.Region(1000 / SR, 2000 / SR, fade=0)]
        there = cl_array.to_device(queue, y)
        result = pyclfft.edit_spectrogram(there, erased, sr=SR, n_fft=128).get()
        assert np.array_equal(result[:, :900], y[:, :900])
        assert abs(result[:, 1100:1900]).max() < 1e-5


@checks("denoise")
def check_denoise(queue):
    """Noise, found or given, gets softer and a tone does not; hum goes."""
    t = np.arange(2 * 4000) / 4000
    for dtype in precisions(queue):
        tone, hum = (np.sin(2 * np.pi * hertz * t).astype(dtype) for hertz in (440, 50))
        added = (0.1 * noise(t.size, "f8")).astype(dtype)
        for given in (None, added):
            left = pyclfft.denoise(tone + added, sr=4000, noise=given) - tone
            assert np.std(left) < 0.5 * np.std(added)
        there = cl_array.to_device(queue, tone + added)
        left = pyclfft.denoise(there, sr=4000).get() - tone
        assert np.std(left) < 0.5 * np.std(added)
        left = pyclfft.denoise(tone + 0.1 * hum, sr=4000, hum=50, reduction=0) - tone
        assert np.std(left) < 0.03 * np.std(0.1 * hum)


# Functions of units: arguments, options and the known result.
UNITS = {
    "amplitude_to_db": ([1.0, 0.1], {}, [0, -20]),
    "db_to_amplitude": ([0.0, -20.0], {}, [1, 0.1]),
    "power_to_db": ([1.0, 0.1], {}, [0, -10]),
    "db_to_power": ([0.0, -10.0], {}, [1, 0.1]),
    "frames_to_samples": ([0, 3], {"hop_length": 100}, [0, 300]),
    "samples_to_frames": ([0, 399], {"hop_length": 100}, [0, 3]),
    "frames_to_time": ([0, 3], {"sr": 1000, "hop_length": 100}, [0, 0.3]),
    "time_to_frames": ([0.0, 0.35], {"sr": 1000, "hop_length": 100}, [0, 3]),
    "samples_to_time": ([0, 300], {"sr": 1000}, [0, 0.3]),
    "time_to_samples": ([0.0, 0.3], {"sr": 1000}, [0, 300]),
    "hz_to_midi": ([440.0, 880.0], {}, [69, 81]),
    "midi_to_hz": ([69, 81], {}, [440, 880]),
    "note_to_midi": (["A4", "C4"], {}, [69, 60]),
    "note_to_hz": (["A4", "A5"], {}, [440, 880]),
    "midi_to_note": ([69, 60], {}, ["A4", "C4"]),
    "hz_to_note": ([440.0, 880.0], {}, ["A4", "A5"]),
}


def check_unit(name: str) -> None:
    """Compare numbers closely, and names exactly."""
    argument, options, expected = UNITS[name]
    result = np.asarray(getattr(pyclfft, name)(argument, **options))
    if result.dtype.kind == "U":
        assert result.tolist() == expected
    else:
        np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-12)


CHECKS.update({name: lambda queue, name=name: check_unit(name) for name in UNITS})


@checks("fft_frequencies")
def check_fft_frequencies(queue):
    agree(pyclfft.fft_frequencies(sr=SR, n_fft=12), np.fft.rfftfreq(12, 1 / SR), 1e-15)
