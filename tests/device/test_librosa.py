"""stft and istft as librosa 0.11 has them: signatures, results, and what it builds on them."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pyopencl.array as cl_array
import pytest

import pyclfft
from pyclfft.errors import DeviceMemoryError, PlanError
from tests.oracle import noise
from tests.pairwise import one_in

librosa = pytest.importorskip("librosa", minversion="0.11")
spectrum = pytest.importorskip("librosa.core.spectrum")

pytestmark = pytest.mark.one_cpu

WINDOWS = ("hann", "hamming", "boxcar", "blackmanharris")
TINY = {"f4": 1.1754944e-38, "f8": 2.2250738585072014e-308}


def spectra(shape, dtype="c8", seed=1):
    return noise(shape, dtype, seed)


def uploaded(queue, array, order):
    """A device array in C order, or with the bins of a frame as neighbours ("F")."""
    if order == "C":
        return cl_array.to_device(queue, array)
    axes = [*range(array.ndim - 2), array.ndim - 1, array.ndim - 2]
    stored = cl_array.to_device(queue, np.ascontiguousarray(array.swapaxes(-1, -2)))
    return stored.transpose(axes)


def by_definition(stft_matrix, hop, window, start):
    """Signals in double precision, and the sum of the squared windows over each sample."""
    window = np.asarray(window, "f8")
    frames = np.fft.irfft(stft_matrix.astype("c16"), n=len(window), axis=-2) * window[:, None]
    count = frames.shape[-1]
    total = np.zeros((*frames.shape[:-2], hop * (count - 1) + len(window)))
    weight = np.zeros(total.shape[-1])
    for frame in range(count):
        part = slice(frame * hop, frame * hop + len(window))
        total[..., part] += frames[..., frame]
        weight[part] += window**2
    total = np.divide(total, weight, out=total, where=weight > TINY["f8"])
    kept = slice(start, len(weight) - start)
    return total[..., kept], weight[kept]


# --- the signatures -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["stft", "istft"])
def test_every_parameter_with_librosas_name_order_and_default(name):
    theirs = inspect.signature(getattr(librosa, name)).parameters
    ours = inspect.signature(getattr(pyclfft, name)).parameters
    assert [each for each in ours if each in theirs] == list(theirs)
    for each, parameter in theirs.items():
        assert ours[each].default == parameter.default, each


# --- istft ----------------------------------------------------------------------------------------


def drawn(seed):
    """Spectra and options for istft at random: also frames that do not meet, and other bins."""
    rng = np.random.default_rng(seed)
    bins, count = int(rng.integers(2, 70)), int(rng.integers(1, 20))
    n_fft = int(rng.integers(4, 160)) if rng.integers(2) else None
    points = n_fft or 2 * (bins - 1)
    options = {
        "n_fft": n_fft,
        "win_length": int(rng.integers(max(1, points // 2), points + 1)),
        "hop_length": int(rng.integers(1, 2 * points)),
        "window": str(rng.choice(WINDOWS)),
        "center": bool(rng.integers(2)),
        "length": int(rng.integers(1, 3000)) if rng.integers(2) else None,
        "dtype": [None, "f4", "f8"][rng.integers(3)],
    }
    shape = [(), (2,), (2, 1, 2)][rng.integers(3)]
    return spectra((*shape, bins, count), str(rng.choice(["c8", "c16"])), seed), options


def weights(options, shape, samples):
    """The sum of the squared windows over each sample, by librosa, in double precision."""
    n_fft = options["n_fft"] or 2 * (shape[-2] - 1)
    total = librosa.filters.window_sumsquare(
        window=options["window"], n_frames=shape[-1], hop_length=options["hop_length"],
        win_length=options["win_length"], n_fft=n_fft, dtype="f8",
    )  # fmt: skip
    start = n_fft // 2 if options["center"] else 0
    return librosa.util.fix_length(total[start:], size=samples)


@pytest.mark.parametrize("seed", one_in(4, range(40)))
def test_istft_at_random(device, queue, fp64, seed):
    given, options = drawn(seed)
    expected = librosa.istft(given, **options)
    result = pyclfft.istft(given, **options)
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
    weight = weights(options, given.shape, result.shape[-1])
    good = (weight > 1e-4) | (weight == 0)  # elsewhere rounding errors are all that there is
    bound = 1e-5 if "f4" in (result.dtype.str[1:], given.real.dtype.str[1:]) else 1e-12
    greatest = abs(expected[..., good]).max(initial=1e-3)
    np.testing.assert_allclose(result[..., good], expected[..., good], atol=bound * greatest)
    for order in "CF":
        back = pyclfft.istft(uploaded(queue, given, order), **options)
        assert back.dtype == result.dtype
        np.testing.assert_allclose(back.get()[..., good], result[..., good], atol=bound * greatest)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("hop", [63, 64, 80])
def test_samples_in_no_frame_are_zero(device, hop, center):
    """A Hann window of 64 points has 63 that are not 0."""
    given = spectra((33, 9))
    window = librosa.filters.get_window("hann", 64)
    expected, weight = by_definition(given, hop, window, start=32 * center)
    result = pyclfft.istft(given, hop, center=center)
    assert result.shape == expected.shape
    assert (result[weight == 0] == 0).all()
    good = weight > 1e-3
    np.testing.assert_allclose(result[good], expected[good], atol=2e-4)
    theirs = librosa.istft(given, hop_length=hop, center=center)
    np.testing.assert_allclose(result[good], theirs[good], atol=2e-4)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_what_is_divided_and_what_is_not(device, request, dtype):
    """A window whose squares are as large as the smallest normal number, and below."""
    if dtype == "f8":
        request.getfixturevalue("fp64")
    window = np.ones(8)
    window[2], window[5] = np.sqrt(TINY[dtype]) * np.array([2, 0.4])
    frame = np.arange(1.0, 9)
    given = np.fft.rfft(frame)[:, None].astype("c8" if dtype == "f4" else "c16")
    result = pyclfft.istft(given, 8, window=window, center=False)
    np.testing.assert_allclose(result[[0, 1, 3, 4, 6, 7]], frame[[0, 1, 3, 4, 6, 7]], rtol=1e-5)
    assert result[2] > 1e15  # frame / window
    assert abs(result[5]) < 1e-15  # frame * window
    theirs = librosa.istft(given, hop_length=8, window=window, center=False)
    assert theirs[2] > 1e15
    assert abs(theirs[5]) < 1e-15


@pytest.mark.parametrize("outer", [(), (3,)])
def test_no_samples_no_frames_no_signals(device, queue, outer):
    one, none = spectra((*outer, 33, 1)), np.empty((*outer, 33, 0), "c8")
    for given, length in ((one, None), (none, 100), (np.empty((0, 33, 9), "c8"), None)):
        expected = librosa.istft(given, length=length)
        result = pyclfft.istft(given, length=length)
        assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_array_equal(result, expected)
        if given.size:
            back = pyclfft.istft(cl_array.to_device(queue, given), length=length)
            assert (back.shape, back.dtype) == (expected.shape, expected.dtype)
    empty = cl_array.Array(queue, none.shape, none.dtype)
    np.testing.assert_array_equal(pyclfft.istft(empty, length=7).get(), np.zeros((*outer, 7)))
    room = np.full((*outer, 5), 7, "f4")
    assert pyclfft.istft(none, length=5, out=room) is room
    assert (room == 0).all()


def test_single_precision_of_double_spectra_needs_no_double(device, change_traits):
    given = spectra((33, 9), "c16")
    expected = librosa.istft(given)
    change_traits(fp64=False)
    for options in ({"dtype": "f4"}, {"out": np.empty(128, "f4")}):
        result = pyclfft.istft(given, **options)
        assert result.dtype == "f4"
        np.testing.assert_allclose(result, expected, atol=1e-5)
    with pytest.raises(pyclfft.PrecisionError):
        pyclfft.istft(given)


def test_frames_that_are_too_far_apart_for_the_device(device, change_traits):
    change_traits(max_alloc_bytes=2**20)
    with pytest.raises(DeviceMemoryError, match="this needs"):
        pyclfft.istft(spectra((33, 9)), 2**30)  # without an attempt to make room on the host


# --- out= -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("given", ["c8", "c16"])
def test_out_of_istft(device, fp64, given, dtype):
    """Its dtype counts, whatever dtype= says; librosa describes it as complex."""
    stored = spectra((2, 33, 9), given)
    expected = librosa.istft(stored, out=np.empty((2, 128), dtype))
    whole = np.full((4, 256), 7, dtype)
    for out in (np.empty((2, 128), dtype), np.empty((2, 128), dtype, "F"), whole[1:3, ::2]):
        for wanted in (None, "f4"):
            out[...] = np.nan
            assert pyclfft.istft(stored, out=out, dtype=wanted) is out
            np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-5)
    assert (whole[[0, 3]] == 7).all()
    assert (whole[:, 1::2] == 7).all()
    precise = librosa.istft(stored.astype("c16"))
    if np.dtype(dtype).name in ("float64", "complex128"):
        np.testing.assert_allclose(out, precise, atol=1e-12)


def test_out_of_istft_on_the_device(device, queue):
    stored = spectra((2, 33, 9))
    expected = librosa.istft(stored)
    on_device = cl_array.to_device(queue, stored)
    whole = cl_array.to_device(queue, np.full((4, 200), 7, "f4"))
    out = whole[1:3, 30:158]
    assert pyclfft.istft(on_device, out=out) is out
    result = whole.get()
    np.testing.assert_allclose(result[1:3, 30:158], expected, atol=1e-5)
    result[1:3, 30:158] = 7
    assert (result == 7).all()
    with pytest.raises(PlanError, match="out must be a device array"):
        pyclfft.istft(on_device, out=np.empty((2, 128), "f4"))
    with pytest.raises(PlanError, match="out must be a NumPy array"):
        pyclfft.istft(stored, out=out)
    with pytest.raises(PlanError, match="out must be float32 on the device, not complex64"):
        pyclfft.istft(on_device, out=cl_array.to_device(queue, np.empty((2, 128), "c8")))
    with pytest.raises(PlanError, match="copy the array"):
        pyclfft.istft(on_device, out=cl_array.to_device(queue, np.empty((2, 256), "f4"))[:, ::2])
    with pytest.raises(PlanError, match="shares memory"):
        pyclfft.istft(on_device, out=on_device.reshape(-1)[:128].view(np.float32).reshape(2, 128))


def test_out_that_cannot_be_written(device):
    out = np.empty(128, "f4")
    out.flags.writeable = False
    with pytest.raises(PlanError, match="out is read-only"):
        pyclfft.istft(spectra((33, 9)), out=out)


@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("given", ["f4", "f8"])
def test_out_of_stft(device, queue, fp64, given, dtype):
    """Its dtype counts, whatever dtype= says."""
    y = noise((2, 900), given)
    expected = librosa.stft(y, n_fft=64, out=np.empty((2, 33, 57), dtype))
    bound = 3e-5 if dtype == "c8" else 1e-12
    for wanted in (None, "c8"):
        out = np.empty((2, 33, 57), dtype)
        assert pyclfft.stft(y, 64, out=out, dtype=wanted) is out
        np.testing.assert_allclose(out, expected, atol=bound)
    room = cl_array.to_device(queue, np.empty((2, 33, 57), dtype))
    assert pyclfft.stft(cl_array.to_device(queue, y), 64, out=room) is room
    np.testing.assert_allclose(room.get(), expected, atol=bound)


# --- padding --------------------------------------------------------------------------------------


def ramp(vector, width, axis, options):
    """As numpy.pad calls it: 5 before the signal and 7 behind it."""
    vector[: width[0]] = 5
    vector[len(vector) - width[1] :] = 7


@pytest.mark.parametrize("n_fft", [64, 65])
def test_functions_that_pad(device, queue, n_fft):
    y = noise((2, 500), "f4")
    expected = librosa.stft(y, n_fft=n_fft, pad_mode=ramp)
    result = pyclfft.stft(y, n_fft, pad_mode=ramp)
    assert result.shape == expected.shape
    np.testing.assert_allclose(result, expected, atol=2e-4)
    magnitudes = pyclfft.spectrogram(y, n_fft, pad_mode=ramp)
    np.testing.assert_allclose(magnitudes, np.abs(expected), atol=2e-4)
    with pytest.raises(PlanError, match="a function pads NumPy arrays only"):
        pyclfft.stft(cl_array.to_device(queue, y), n_fft, pad_mode=ramp)
    with pytest.raises(PlanError, match="no samples"):
        pyclfft.stft(np.float32(1), n_fft, pad_mode=ramp)


def test_padding_that_is_not_used(device):
    y = noise(500, "f4")
    expected = librosa.stft(y, n_fft=64, center=False, pad_mode="wrap")
    for mode in ("wrap", ramp):
        result = pyclfft.stft(y, 64, center=False, pad_mode=mode)
        np.testing.assert_allclose(result, expected, atol=2e-5)
    zeros = pyclfft.stft(y, 64)
    np.testing.assert_array_equal(pyclfft.stft(y, 64, pad_mode="empty"), zeros)


# --- librosa's own functions on ours --------------------------------------------------------------


@pytest.fixture
def ours(monkeypatch):
    """librosa's functions call our stft and istft."""

    def replace():
        monkeypatch.setattr(spectrum, "stft", pyclfft.stft)
        monkeypatch.setattr(spectrum, "istft", pyclfft.istft)

    return replace


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"n_fft": 257, "hop_length": 100, "center": False, "window": "rect"},
        {"win_length": 128, "hop_length": 128, "pad_mode": "reflect", "length": 3000},
        {"momentum": 0, "init": None},
    ],
)
def test_griffinlim(device, fp64, ours, options, dtype):
    y = noise(3000, "f8")
    forward = {"n_fft": 256, **options}
    others = ("momentum", "init", "length")
    magnitudes = np.abs(
        librosa.stft(y, **{key: each for key, each in forward.items() if key not in others})
    )
    given = {"n_iter": 4, "random_state": 3, "dtype": dtype, **forward}
    expected = librosa.griffinlim(magnitudes, **given)
    ours()
    result = librosa.griffinlim(magnitudes, **given)
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
    inner = slice(256, -256)  # at the ends weights are next to nothing without center
    bound = 1e-9 if dtype == "f8" else 2e-3
    np.testing.assert_allclose(result[inner], expected[inner], atol=bound)


@pytest.mark.parametrize("rate", [0.5, 1.7])
def test_phase_vocoder(device, fp64, rate):
    y = noise((2, 4000), "f8")
    length = round(4000 / rate)
    stretched = librosa.phase_vocoder(librosa.stft(y, n_fft=512), rate=rate)
    expected = librosa.istft(stretched, dtype=y.dtype, length=length)
    stretched = librosa.phase_vocoder(pyclfft.stft(y, n_fft=512), rate=rate)
    result = pyclfft.istft(stretched, dtype=y.dtype, length=length)
    np.testing.assert_allclose(result, expected, atol=1e-9)


def test_warnings_are_librosas(device):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pyclfft.stft(noise(500, "f4"), 64)
        pyclfft.istft(spectra((33, 9)), 80)  # frames that do not meet
    with pytest.warns(UserWarning, match="n_fft"):
        pyclfft.stft(noise(50, "f4"), 64)
