"""stft, istft and spectrogram, against NumPy in double precision and against librosa."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest
import scipy.fft
import scipy.signal

import pyclfft
from pyclfft.audio import frame_jobs, framing
from pyclfft.audio import stft as shorttime
from pyclfft.audio.frame_jobs import Job
from pyclfft.errors import DeviceMemoryError, PlanError
from pyclfft.planning.problem import Layout
from pyclfft.planning.solvers.textbook import local_radix2
from pyclfft.planning.tables import SpinFactors
from pyclfft.runtime import describe, memory
from pyclfft.runtime.executable import run_on_host
from pyclfft.runtime.profile import Recorder, profiling_queue
from pyclfft.runtime.program import source_text
from pyclfft.runtime.tables import table_buffer
from tests.oracle import noise

MODES = ("constant", "edge", "reflect", "symmetric", "linear_ramp")
BOUND = {"f4": 4e-7, "f8": 2e-15}  # relative L2 error, of any length up to some thousands


def frames_of(y, n_fft, hop, window, center=True, mode="constant"):
    """Frames of signals in double precision, (..., frames, n_fft), by NumPy."""
    y = np.asarray(y, "f8")
    if center:
        padding = [(0, 0)] * (y.ndim - 1) + [(n_fft // 2, n_fft // 2)]
        y = np.pad(y, padding, mode=mode)
    frames = np.lib.stride_tricks.sliding_window_view(y, n_fft, axis=-1)[..., ::hop, :]
    return frames * window


def expected_stft(y, n_fft, hop=None, win_length=None, window="hann", center=True, mode="constant"):
    """Spectra in double precision, (..., bins, frames), by NumPy and SciPy's windows."""
    win_length = win_length or n_fft
    hop = hop or win_length // 4
    weights = np.zeros(n_fft)
    before = (n_fft - win_length) // 2
    weights[before : before + win_length] = scipy.signal.get_window(window, win_length)
    frames = frames_of(y, n_fft, hop, weights, center, mode)
    return np.fft.rfft(frames, axis=-1).swapaxes(-1, -2)


def error(result, expected):
    return np.linalg.norm(result - expected) / np.linalg.norm(expected)


def check(result, expected, dtype):
    assert result.shape == expected.shape
    assert result.dtype == ("c8" if dtype == "f4" else "c16")
    assert error(result, expected) < BOUND[dtype]


# --- stft -----------------------------------------------------------------------------------------

# Powers of two, smooth numbers, odd ones, primes, one too long for one launch, very short ones.
LENGTHS = (2048, 1000, 135, 37, 1009, 16384, 2, 1)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(
    "n_fft", [n if n in (2048, 37) else pytest.param(n, marks=pytest.mark.one_cpu) for n in LENGTHS]
)
def test_every_length_of_frames(device, request, n_fft, dtype):
    if dtype == "f8":
        request.getfixturevalue("fp64")
    y = noise(max(5000, 2 * n_fft), dtype)
    hop = max(1, n_fft // 3)
    check(pyclfft.stft(y, n_fft, hop), expected_stft(y, n_fft, hop), dtype)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("mode", MODES)
def test_padding(device, mode, center):
    y = noise((2, 3, 700), "f4")
    options = {"win_length": 50, "window": "hamming", "center": center}
    result = pyclfft.stft(y, 64, 13, pad_mode=mode, **options)
    check(result, expected_stft(y, 64, 13, mode=mode, **options), "f4")


@pytest.mark.one_cpu
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("samples", [1, 2, 5, 33])
def test_signals_shorter_than_a_frame(device, samples, mode):
    """Whose images are repeated until there are enough of them."""
    y = noise(samples, "f4") + 1
    with pytest.warns(UserWarning, match=f"n_fft = 64 is more than the {samples} samples"):
        result = pyclfft.stft(y, 64, 16, pad_mode=mode)
    check(result, expected_stft(y, 64, 16, mode=mode), "f4")


@pytest.mark.one_cpu
@pytest.mark.parametrize(
    ("given", "expected"),
    [("f2", "c8"), ("f4", "c8"), ("f8", "c16"), ("i2", "c16"), (">f4", "c8"), ("?", "c16")],
)
def test_dtypes(device, fp64, given, expected):
    y = (100 * noise(500, "f8")).astype(given)
    result = pyclfft.stft(y, 64)
    assert result.dtype == expected
    assert error(result, expected_stft(y.astype("f8"), 64)) < 1e-6
    assert pyclfft.stft(y, 64, dtype="complex64").dtype == "c8"


@pytest.mark.one_cpu
def test_windows(device):
    y = noise(500, "f4")
    values = np.linspace(0.1, 1, 64)
    for window, same in (
        (("kaiser", 8.6), ("kaiser", 8.6)),
        (8.6, ("kaiser", 8.6)),
        ("blackmanharris", "blackmanharris"),
        ("bartlett", "bartlett"),
        (lambda n: scipy.signal.get_window("cosine", n), "cosine"),
        (np.hanning(65)[:-1], "hann"),
        (list(np.hanning(65)[:-1]), "hann"),
    ):
        check(pyclfft.stft(y, 64, window=window), expected_stft(y, 64, window=same), "f4")
    spectra = np.fft.rfft(frames_of(y, 64, 16, values)).T
    check(pyclfft.stft(y, 64, window=values), spectra, "f4")


@pytest.mark.one_cpu
@pytest.mark.parametrize(
    "algorithm", ["stockham", "bluestein_groups", "four_step_groups", "radix2", "direct"]
)
def test_algorithms(device, algorithm):
    y = noise((2, 900), "f4")
    result = pyclfft.stft(y, 256, 100, pad_mode="reflect", algorithm=algorithm)
    expected = expected_stft(y, 256, 100, mode="reflect")
    assert error(result, expected) < 1e-6


@pytest.mark.one_cpu
def test_out_on_the_host(device):
    y = noise((2, 900), "f4")
    expected = pyclfft.stft(y, 64)
    for order in "CF":
        out = np.full((2, 33, 60), 7, "c8", order)
        result = pyclfft.stft(y, 64, out=out)
        assert np.shares_memory(result, out)
        np.testing.assert_array_equal(result, expected)
        np.testing.assert_array_equal(out[..., :57], expected)
        assert (out[..., 57:] == 7).all()


@pytest.mark.one_cpu
@pytest.mark.parametrize("shape", [(2, 3, 200), (3, 2, 200), (1, 6, 200)])
def test_as_many_short_signals_in_another_shape(device, shape):
    """Signals of any outer shape share one executable, and with it the memory of small arrays."""
    y = noise((6, 200), "f4")
    spectra = pyclfft.stft(y, 64)
    check(spectra, expected_stft(y, 64), "f4")
    again = pyclfft.stft(y.reshape(shape), 64)
    np.testing.assert_array_equal(again, spectra.reshape(*shape[:-1], *spectra.shape[1:]))
    back = pyclfft.istft(spectra)
    np.testing.assert_array_equal(pyclfft.istft(again), back.reshape(*shape[:-1], back.shape[-1]))


@pytest.mark.one_cpu
def test_no_signals(device):
    assert pyclfft.stft(np.empty((0, 100), "f4"), 64).shape == (0, 33, 7)


def test_not_a_number_stays_in_its_frames(device):
    y = noise(2000, "f4")
    y[1000] = np.nan
    result = pyclfft.stft(y, 256, 256, center=False)
    assert np.isnan(result[:, 3]).all()
    assert np.isfinite(np.delete(result, 3, axis=1)).all()


@pytest.mark.one_cpu
@pytest.mark.parametrize(
    ("y", "options", "says"),
    [
        (np.empty(0, "f4"), {}, "no samples"),
        (np.float32(1), {}, "no samples"),
        (np.ones(100, "c8"), {}, "take its real part"),
        (np.ones(100, "f4"), {"center": False}, "n_fft = 256 is more than the 100 samples"),
        (np.ones(900, "f4"), {"win_length": 257}, "win_length cannot be 257"),
        (np.ones(900, "f4"), {"win_length": 0}, "win_length must be a positive integer"),
        (np.ones(900, "f4"), {"hop_length": 0}, "hop_length must be a positive integer, not 0"),
        (np.ones(900, "f4"), {"hop_length": 2.5}, "hop_length must be a positive integer, not 2.5"),
        (np.ones(900, "f4"), {"n_fft": -4}, "n_fft must be a positive integer"),
        (np.ones(900, "f4"), {"window": np.ones(255)}, r"the shape \(255,\), not \(256,\)"),
        (np.ones(900, "f4"), {"window": "hunn"}, "no window 'hunn'"),
        (np.ones(900, "f4"), {"pad_mode": "wrap"}, "invalid pad_mode 'wrap'"),
        (np.ones(900, "f4"), {"dtype": "f4"}, "dtype must be complex64 or complex128"),
        (np.ones(900, "f4"), {"algorithm": "fastest"}, "unknown algorithm"),
        (np.ones(900, "f4"), {"out": np.empty((129, 14), "c8")}, r"the shape \(129, 15\), or more"),
        (np.ones(900, "f4"), {"out": np.empty((129, 15), "f4")}, "out must be complex64 or"),
        (np.ones(900, "f4"), {"out": np.empty((129, 15), ">c8")}, "out must be complex64 or"),
        (np.ones(900, "f4"), {"out": np.empty((1, 129, 15), "c8")}, r"not \(1, 129, 15\)"),
        (np.ones(900, "f4"), {"out": [1, 2]}, "out must be a NumPy array"),
        (np.ones(900, "f4"), {"hop_length": 2**33}, "hop_length must be 2147483647 at most"),
        (np.ones(900, "f4"), {"n_fft": [256]}, "n_fft must be a positive integer"),
        (np.ones(900, "f4"), {"hop_length": 64.0}, "hop_length must be a positive integer"),
        (np.ones(900, "f4"), {"pad_mode": ["edge"]}, "invalid pad_mode"),
        (np.ones(900, "f4"), {"window": np.ones(256) * 1j}, "real numbers, not complex128"),
        (np.ones(900, "f4"), {"window": object()}, "real numbers, not object"),
    ],
)
def test_what_makes_no_sense(device, y, options, says):
    with pytest.raises(PlanError, match=says):
        pyclfft.stft(y, **{"n_fft": 256, **options})


# --- arrays on the device -------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(3000,), (3, 1000), (2, 2, 800)])
def test_device_arrays(device, queue, shape):
    y = noise(shape, "f4")
    signals = cl_array.to_device(queue, y)
    result = pyclfft.stft(signals, 256, 64, pad_mode="reflect")
    assert isinstance(result, cl_array.Array)
    assert result.flags.c_contiguous  # as pyopencl's own functions need it
    expected = expected_stft(y, 256, 64, mode="reflect")
    check(result.get(), expected, "f4")
    back = pyclfft.istft(result, 64)
    assert error(back.get(), y[..., : back.shape[-1]]) < 1e-6


@pytest.mark.one_cpu
def test_a_device_array_within_another_one(device, queue):
    y = noise((4, 1001), "f4")
    whole = cl_array.to_device(queue, y)
    for part, of in ((whole[1:3, 1:900], y[1:3, 1:900]), (whole[3, 4:], y[3, 4:])):
        check(pyclfft.stft(part, 128).get(), expected_stft(of, 128), "f4")
    with pytest.raises(PlanError, match="copy the array"):
        pyclfft.stft(whole[:, ::2], 128)


@pytest.mark.one_cpu
@pytest.mark.parametrize("order", ["C", "F"])
def test_out_on_the_device(device, queue, order):
    y = noise(3000, "f4")
    expected = expected_stft(y, 256)
    out = cl_array.to_device(queue, np.full((129, 50), 7, "c8", order))
    result = pyclfft.stft(cl_array.to_device(queue, y), 256, out=out)
    check(result.get() if result.flags.forc else out.get()[:, :47], expected, "f4")
    assert (out.get()[:, 47:] == 7).all()
    back = pyclfft.istft(out[:, :47], length=3000)
    assert error(back.get(), y) < 1e-6
    with pytest.raises(PlanError, match="out must be a device array"):
        pyclfft.stft(cl_array.to_device(queue, y), 256, out=np.empty((129, 47), "c8"))


@pytest.mark.one_cpu
def test_arrays_that_no_kernel_can_take(device, queue, other_context):
    y = noise((2, 900), "f4")
    signal = cl_array.to_device(queue, y)
    with pytest.raises(PlanError, match="copy the array"):
        pyclfft.stft(signal[::-1], 128)
    shared = cl_array.to_device(queue, np.zeros((65, 29), "c8"))
    part = shared.reshape(-1)[:450].view(np.float32)
    with pytest.raises(PlanError, match="out shares memory with the input"):
        pyclfft.stft(part, 128, out=shared)
    there = cl_array.to_device(cl.CommandQueue(other_context), np.zeros((65, 29), "c8"))
    with pytest.raises(PlanError, match="out belongs to another context"):
        pyclfft.stft(signal[0], 128, out=there)


@pytest.mark.one_cpu
def test_a_queue_of_another_context(device, queue, other_context):
    signal = cl_array.to_device(queue, noise(500, "f4"))
    with pytest.raises(PlanError, match="of the queue's context"):
        pyclfft.stft(signal, 64, queue=cl.CommandQueue(other_context))


# --- repeated calls on device arrays, which are remembered ----------------------------------------


@pytest.fixture
def signal(device, queue):
    return cl_array.to_device(queue, noise(500, "f4"))


def functions_of(signal):
    """The functions that take device arrays, with an input for each."""
    spectra = pyclfft.stft(signal, 64)
    return (pyclfft.stft, signal), (pyclfft.spectrogram, signal), (pyclfft.istft, spectra)


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", ["n_fft", "hop_length", "win_length"])
def test_a_refused_option_that_equals_an_accepted_one(signal, name):
    accepted = {"n_fft": 64, "hop_length": 16, "win_length": 64}
    for function, given in functions_of(signal):
        expected = function(given, **accepted).get()
        for _ in range(2):
            with pytest.raises(PlanError, match=f"{name} must be a positive integer"):
                function(given, **{**accepted, name: float(accepted[name])})
        again = function(given, **accepted, center=1).get()
        np.testing.assert_array_equal(again, expected)


@pytest.mark.one_cpu
def test_a_refused_length_that_equals_an_accepted_one(signal):
    spectra = pyclfft.stft(signal, 64)
    assert pyclfft.istft(spectra, length=400).shape == (400,)
    with pytest.raises(PlanError, match=r"length must be a positive integer, not 400\.0"):
        pyclfft.istft(spectra, length=400.0)


@pytest.mark.one_cpu
@pytest.mark.parametrize("where", ["host", "device"])
def test_every_call_warns_its_caller(device, queue, where):
    y = noise(40, "f4")
    given = y if where == "host" else cl_array.to_device(queue, y)
    for function in (shorttime.stft, shorttime.spectrogram):  # not the callable module
        for _ in range(3):
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always", UserWarning)
                function(given, 64)
            about = "n_fft = 64 is more than the 40 samples"
            assert [each.filename for each in told if str(each.message) == about] == [__file__]


@pytest.mark.one_cpu
def test_memory_is_shared_at_a_later_call_only(device, queue):
    """The two signals lie alike, but only the second one lies where the result is to go."""
    out = cl_array.to_device(queue, noise((65, 29), "c8"))
    shared = out.reshape(-1)[:450].view(np.float32)
    apart = shared.copy()
    expected = expected_stft(apart.get(), 128)
    check(pyclfft.stft(apart, 128, out=out).get(), expected, "f4")
    with pytest.raises(PlanError, match="out shares memory with the input"):
        pyclfft.stft(shared, 128, out=out)
    samples = cl_array.to_device(queue, np.empty(896, "f4"))
    pyclfft.istft(out, out=samples)
    whole = cl_array.to_device(queue, np.empty(65 * 29, "c8"))
    pyclfft.istft(whole.reshape(65, 29), out=samples)
    with pytest.raises(PlanError, match="out shares memory with the input"):
        pyclfft.istft(whole.reshape(65, 29), out=whole[:448].view(np.float32))


@pytest.mark.one_cpu
def test_what_is_refused_at_a_later_call_only(signal, queue, other_context):
    out = pyclfft.stft(signal, 64)
    elsewhere = cl.CommandQueue(other_context)
    for _ in range(2):
        check(pyclfft.stft(signal, 64, out=out).get(), expected_stft(signal.get(), 64), "f4")
        there = cl_array.to_device(elsewhere, out.get())
        with pytest.raises(PlanError, match="out belongs to another context"):
            pyclfft.stft(signal, 64, out=there)
        with pytest.raises(PlanError, match="of the queue's context"):
            pyclfft.stft(signal, 64, out=out, queue=elsewhere)
        with pytest.raises(PlanError, match=r"queue must be a pyopencl\.CommandQueue, not str"):
            pyclfft.stft(signal, 64, out=out, queue="gpu")
        with pytest.raises(PlanError, match="out must be a device array"):
            pyclfft.stft(signal, 64, out=out.get())
        with pytest.raises(PlanError, match=r"must have the shape \(33, 32\), or more frames"):
            pyclfft.stft(signal, 64, out=out[:, :31])
        with pytest.raises(PlanError, match="out must be float32 on the device, not complex64"):
            pyclfft.istft(out, out=cl_array.to_device(queue, np.empty(496, "c8")))


@pytest.mark.one_cpu
def test_another_queue_and_arrays_without_one(signal, queue):
    expected = expected_stft(signal.get(), 64)
    second = cl.CommandQueue(queue.context)
    for given, asked in ((signal, second), (signal.with_queue(None), None), (signal, None)):
        for _ in range(2):
            result = pyclfft.stft(given, 64, queue=asked)
            assert result.queue == (asked or given.queue or pyclfft.default_queue())
            check(result.get(), expected, "f4")
            check(pyclfft.stft(given, 64, out=result, queue=asked).get(), expected, "f4")


@pytest.mark.one_cpu
@pytest.mark.parametrize("dtype", ["f2", "i2", "f8", "f4"])
@pytest.mark.parametrize("wanted", [None, "c8"])
def test_every_call_converts_its_signal(device, fp64, queue, dtype, wanted):
    for seed in range(3):
        y = (100 * noise(500, "f8", seed)).astype(dtype)
        result = pyclfft.stft(cl_array.to_device(queue, y), 64, dtype=wanted)
        assert result.dtype == (wanted or ("c8" if dtype in ("f2", "f4") else "c16"))
        assert error(result.get(), expected_stft(y, 64)) < 1e-6


@pytest.mark.one_cpu
def test_every_call_converts_its_spectra(device, fp64, queue):
    for seed in range(3):
        y = noise(640, "f8", seed)
        spectra = cl_array.to_device(queue, pyclfft.stft(y, 64))
        for dtype, bound in ((None, 1e-14), ("f4", 2e-6)):
            back = pyclfft.istft(spectra, dtype=dtype)
            assert back.dtype == (dtype or "f8")
            assert error(back.get(), y) < bound


@pytest.mark.one_cpu
def test_signals_that_lie_otherwise_than_the_last(device, queue):
    y = noise((4, 1000), "f4")
    whole = cl_array.to_device(queue, y)
    parts = [
        (slice(0, 2), slice(0, 800)),
        (slice(2, 4), slice(0, 800)),
        (slice(0, 2), slice(3, 803)),
        (slice(0, 4, 2), slice(0, 800)),
    ]
    for _ in range(2):
        for part in parts:
            expected = expected_stft(y[part], 128)
            check(pyclfft.stft(whole[part], 128).get(), expected, "f4")
            alone = cl_array.to_device(queue, np.ascontiguousarray(y[part]))
            check(pyclfft.stft(alone, 128).get(), expected, "f4")
            magnitudes = pyclfft.spectrogram(whole[part], 128)
            assert error(magnitudes.get(), np.abs(expected)) < 1e-6


@pytest.mark.one_cpu
def test_results_that_lie_otherwise_than_the_last(device, queue):
    y = noise((2, 1000), "f4")
    expected = expected_stft(y, 128)
    signals = cl_array.to_device(queue, y)
    for order in "CFCF":
        out = cl_array.to_device(queue, np.full((2, 65, 40), 7, "c8", order))
        pyclfft.stft(signals, 128, out=out[..., 5:37])
        check(out.get()[..., 5:37], expected, "f4")
        assert (np.delete(out.get(), range(5, 37), axis=-1) == 7).all()
        back = cl_array.to_device(queue, np.full((3, 1100), 7, "f4"))
        for first in (0, 1):
            samples = back[first : first + 2, 50 * first :][:, :992]
            pyclfft.istft(out[..., 5:37], out=samples)
            found = back.get()[first : first + 2, 50 * first :][:, :992]
            assert error(found, y[:, :992]) < 1e-6


@pytest.mark.one_cpu
def test_a_longer_result_after_one_that_fits(device, queue):
    y = noise(1000, "f4")
    signal, expected = cl_array.to_device(queue, y), expected_stft(y, 128)
    for frames in (32, 40, 32, 41, 40):
        out = cl_array.to_device(queue, np.full((65, frames), 7, "c8"))
        assert pyclfft.stft(signal, 128, out=out).shape == (65, 32)
        check(out.get()[:, :32], expected, "f4")
        assert (out.get()[:, 32:] == 7).all()


@pytest.mark.one_cpu
def test_windows_that_change_from_call_to_call(signal):
    """An array and a function are the same objects at every call, with other weights."""
    y, weights = signal.get(), np.ones(64)

    def window(points):
        return weights[:points]

    for seed in range(3):
        weights[:] = 1 + noise(64, "f8", seed) ** 2
        spectra = np.fft.rfft(frames_of(y, 64, 16, weights)).T
        for given in (weights, window):
            result = pyclfft.stft(signal, 64, window=given)
            check(result.get(), spectra, "f4")
            assert error(pyclfft.istft(result, window=given).get(), y[:496]) < 1e-5


@pytest.mark.one_cpu
def test_options_that_cannot_be_hashed(signal):
    expected = expected_stft(signal.get(), 64)
    for _ in range(2):
        check(pyclfft.stft(signal, np.array(64)).get(), expected, "f4")
        cosines = ("general_cosine", [0.5, 0.5])
        check(pyclfft.stft(signal, 64, window=cosines).get(), expected, "f4")
        with pytest.raises(PlanError, match="n_fft must be a positive integer"):
            pyclfft.stft(signal, [64])
        with pytest.raises(PlanError, match="invalid pad_mode"):
            pyclfft.stft(signal, 64, pad_mode=["edge"])
        with pytest.raises(PlanError, match="a function pads NumPy arrays only"):
            pyclfft.stft(signal, 64, pad_mode=lambda *_: None)


@pytest.mark.one_cpu
def test_nothing_on_the_device(device, queue):
    nothing = cl_array.zeros(queue, (0, 100), "f4")
    frameless = cl_array.zeros(queue, (33, 0), "c8")
    for _ in range(2):
        spectra = pyclfft.stft(nothing, 64)
        assert spectra.shape == (0, 33, 7)
        assert pyclfft.stft(nothing, 64, out=spectra) is spectra
        assert pyclfft.istft(spectra).shape == (0, 96)
        samples = pyclfft.istft(frameless, length=100)
        assert (samples.get() == np.zeros(100, "f4")).all()


@pytest.mark.one_cpu
def test_calls_on_device_arrays_are_counted_and_forgotten(signal):
    expected = expected_stft(signal.get(), 64)
    for _ in range(2):
        pyclfft.clear_cache()
        for _ in range(3):
            result = pyclfft.stft(signal, 64)
        assert pyclfft.cache_info().frames[:2] == (2, 1)
        pyclfft.stft(cl_array.to_device(signal.queue, np.ones(500, "i2")), 64, dtype="c8")
        assert pyclfft.cache_info().frames[:2] == (3, 1)  # after conversion it is the same job
        check(result.get(), expected, "f4")
    pyclfft.clear_cache()
    assert pyclfft.cache_info().frames[::3] == (0, 0)


# --- istft ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(
    ("n_fft", "hop", "win_length", "window", "center"),
    [
        (2048, None, None, "hann", True),
        pytest.param(300, 75, 200, "hamming", True, marks=pytest.mark.one_cpu),
        pytest.param(37, 9, None, "blackman", True, marks=pytest.mark.one_cpu),
        pytest.param(64, 64, None, "boxcar", False, marks=pytest.mark.one_cpu),
        pytest.param(129, 20, 100, ("kaiser", 6.0), True, marks=pytest.mark.one_cpu),
    ],
)
def test_there_and_back(device, request, n_fft, hop, win_length, window, center, dtype):
    if dtype == "f8":
        request.getfixturevalue("fp64")
    y = noise((2, 6400), dtype)
    options = {"hop_length": hop, "win_length": win_length, "window": window, "center": center}
    spectra = pyclfft.stft(y, n_fft, **options)
    back = pyclfft.istft(spectra, n_fft=n_fft, length=6400, **options)
    assert back.dtype == dtype
    assert error(back, y) < (2e-6 if dtype == "f4" else 1e-14)


# Stretches with whole vectors of a CPU, with others, with gaps between frames, and with hops
# that are shorter than a vector.
STRETCHES = ((256, 64), (256, 100), (100, 150), (64, 64), (40, 3))


@pytest.mark.one_cpu
@pytest.mark.parametrize("is_cpu", [True, False], ids=["CPU", "GPU"])
@pytest.mark.parametrize("chunk", [0, 1, 20_000])
@pytest.mark.parametrize(("n_fft", "hop"), STRETCHES)
def test_frames_are_added_up_in_chunks(device, monkeypatch, n_fft, hop, chunk, is_cpu):
    """Several signals at a time, or stretches of them; the samples are those of the definition."""
    real = describe.traits(device)
    if is_cpu and not real.is_cpu:
        pytest.skip("a GPU has none of the memory and vectors that plans for CPUs count on")
    monkeypatch.setattr(describe, "traits", lambda chosen: replace(real, is_cpu=is_cpu))
    pyclfft.clear_cache()
    length, window = 4000, scipy.signal.get_window("hann", n_fft)
    spectra = noise((3, n_fft // 2 + 1, 1 + length // hop), "c8")
    frames = np.fft.irfft(spectra.astype("c16"), n_fft, axis=1).swapaxes(1, 2) * window
    total, weights = np.zeros((3, length + 2 * n_fft)), np.zeros(length + 2 * n_fft)
    for number in range(spectra.shape[2]):
        total[:, hop * number :][:, :n_fft] += frames[:, number]
        weights[hop * number :][:n_fft] += window**2
    expected = (total / np.where(weights > 1e-30, weights, 1))[:, n_fft // 2 :][:, :length]
    options = {"n_fft": n_fft, "length": length, "parameters": {"istft_chunk": chunk}}
    result = pyclfft.istft(spectra, hop, **options)
    where = weights[n_fft // 2 :][:length] > 1e-3  # rounding errors are divided by small sums, too
    assert error(result[:, where], expected[:, where]) < 1e-5
    there = cl_array.to_device(pyclfft.default_queue(), spectra)
    assert error(pyclfft.istft(there, hop, **options).get(), result) < 1e-6
    pyclfft.clear_cache()


def test_spectra_of_no_signal(device):
    """The result is the weighted least-squares estimate, in double precision by its definition."""
    spectra = noise((65, 20), "c8")
    window = scipy.signal.get_window("hann", 128)
    frames = np.fft.irfft(spectra.astype("c16"), axis=0).T * window
    total, weights = np.zeros(32 * 19 + 128), np.zeros(32 * 19 + 128)
    for number, frame in enumerate(frames):
        total[32 * number :][:128] += frame
        weights[32 * number :][:128] += window**2
    expected = (total / np.where(weights > 1e-30, weights, 1))[64:-64]
    assert error(pyclfft.istft(spectra), expected) < 1e-6


@pytest.mark.one_cpu
@pytest.mark.parametrize("signals", [1, 3, 5, 7])
@pytest.mark.parametrize("length", [1, 10, 100, 300])
def test_nothing_is_written_behind_short_signals(device, queue, signals, length):
    y = noise((signals, 300), "f4")
    frames = framing.make_frames(32)
    spectra = np.ascontiguousarray(pyclfft.stft(y, 32).swapaxes(-1, -2))
    count = min(spectra.shape[1], -(-(length + 32) // 8))
    framed = replace(frames.over(length, signals, "single"), frames=count)
    strides = (spectra.shape[1] * 17, 17, 1)
    job = Job(framed, frames.window, layout=Layout((signals, count, 17), strides), back=True)
    source = cl_array.to_device(queue, spectra)
    there = cl_array.to_device(queue, np.full(signals * length + 500, 7, "f4"))
    executable = frame_jobs.executable_of(queue.context, job)
    executable.enqueue(queue, source.base_data, there.base_data)
    target = there.get()
    known = target[: signals * length].reshape(signals, length)
    np.testing.assert_allclose(known, y[:, :length], atol=2e-6)
    assert (target[signals * length :] == 7).all()


@pytest.mark.one_cpu
@pytest.mark.parametrize("length", [None, 1, 700, 1000, 5000])
def test_lengths_of_signals(device, length):
    y = noise(1000, "f4")
    back = pyclfft.istft(pyclfft.stft(y, 64), length=length)
    known = min(length or 992, 992)
    assert back.shape == (length or 992,)
    assert error(back[:known], y[:known]) < 2e-6
    assert (back[1056:] == 0).all()  # behind the last frame


@pytest.mark.one_cpu
@pytest.mark.parametrize(
    ("spectra", "options", "says"),
    [
        (np.ones(33, "c8"), {}, r"the shape \(\.\.\., bins, frames\)"),
        (np.ones((0, 9), "c8"), {}, "there are no bins"),
        (np.ones((33, 0), "c8"), {}, r"no frames in spectra of the shape \(33, 0\): give a length"),
        (np.ones((33, 9), "c8"), {"length": -1}, "length must be a positive integer"),
        (np.ones((33, 9), "c8"), {"win_length": 65}, "win_length cannot be 65"),
        (np.ones((33, 9), "c8"), {"window": np.ones(32)}, r"the shape \(32,\), not \(64,\)"),
        (np.ones((33, 9), "c8"), {"dtype": "i4"}, "dtype must be float32 or float64, not int32"),
        (np.ones((33, 9), "c8"), {"out": np.empty(130, "f4")}, r"the shape \(128,\), not \(130,\)"),
        (np.ones((33, 9), "c8"), {"out": np.empty(128, "i4")}, "out must be float32 or float64"),
        (np.ones((33, 9), "c8"), {"out": [0.0] * 128}, "out must be a NumPy array"),
    ],
)
def test_what_makes_no_signal(device, spectra, options, says):
    with pytest.raises(PlanError, match=says):
        pyclfft.istft(spectra, **options)


# --- beside librosa -------------------------------------------------------------------------------


def drawn(seed):
    """A signal and options, at random."""
    rng = np.random.default_rng(seed)
    n_fft = int(rng.choice([64, 100, 125, 256, 510]))
    win_length = int(rng.integers(n_fft // 2, n_fft + 1)) if rng.integers(2) else None
    shape = [(), (2,), (2, 1, 2)][rng.integers(3)]
    y = noise((*shape, int(rng.integers(n_fft, 3000))), "f4", seed)
    options = {
        "n_fft": n_fft,
        "hop_length": int(rng.integers(1, n_fft // 2)) if rng.integers(2) else None,
        "win_length": win_length,
        "window": str(rng.choice(["hann", "hamming", "blackman", "boxcar"])),
        "center": bool(rng.integers(2)),
    }
    return y, options, str(rng.choice(MODES))


@pytest.mark.one_cpu
@pytest.mark.parametrize("seed", range(24))
def test_options_at_random_beside_librosa(device, seed):
    librosa = pytest.importorskip("librosa")
    y, options, mode = drawn(seed)
    expected = librosa.stft(y, pad_mode=mode, **options)
    result = pyclfft.stft(y, pad_mode=mode, **options)
    assert result.shape == expected.shape
    assert result.dtype == expected.dtype
    assert error(result, expected) < 1e-6
    length = [None, y.shape[-1]][seed % 2]
    back = librosa.istft(expected, length=length, **options)
    result = pyclfft.istft(expected, length=length, **options)
    assert result.shape == back.shape
    assert result.dtype == back.dtype
    inner = slice(options["n_fft"], -options["n_fft"])  # at the ends weights are next to nothing
    np.testing.assert_allclose(result[..., inner], back[..., inner], atol=2e-5)


@pytest.mark.one_cpu
@pytest.mark.parametrize(
    "options", [{}, {"ref": 3.0, "top_db": None}, {"amin": 1e-3, "top_db": 40}]
)
def test_decibels_beside_librosa(device, options):
    librosa = pytest.importorskip("librosa")
    y = noise(5000, "f4")
    amplitudes = np.abs(expected_stft(y, 256))
    np.testing.assert_allclose(
        pyclfft.spectrogram(y, 256, db=True, **options),
        librosa.amplitude_to_db(amplitudes, **options),
        atol=2e-3,
    )
    np.testing.assert_allclose(
        pyclfft.spectrogram(y, 256, power=2, db=True, **options),
        librosa.power_to_db(amplitudes**2, **options),
        atol=2e-3,
    )


# --- spectrogram ----------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["host", "device"])
@pytest.mark.parametrize("power", [1, 2, 0.5])
def test_magnitudes(device, queue, power, where):
    y = noise((2, 3000), "f4")
    expected = np.abs(expected_stft(y, 256)) ** power
    given = y if where == "host" else cl_array.to_device(queue, y)

    def spectrogram(**options):
        result = pyclfft.spectrogram(given, 256, power=power, **options)
        return result if where == "host" else result.get()

    result = spectrogram()
    assert result.dtype == "f4"
    assert error(result, expected) < 1e-6
    relative = spectrogram(normalize="max")
    assert relative.max() == 1
    np.testing.assert_allclose(relative, result / result.max(), rtol=3e-7)
    decibels = spectrogram(db=True, ref="max", top_db=30)
    assert decibels.max() == 0
    assert decibels.min() == -30
    reference = 20 / power * np.log10(expected / expected.max())
    np.testing.assert_allclose(decibels, np.maximum(reference, -30), atol=2e-3)


def test_the_greatest_number_is_exact(device):
    """Wherever it is: in the first element, the last one, any between, and in one alone."""
    for place in (0, 1, 255, 4000, 8191):
        y = np.full(8192, 1e-3, "f4")
        y[place] = 1
        magnitudes = pyclfft.spectrogram(y, 64, 64, window="boxcar", center=False)
        relative = pyclfft.spectrogram(y, 64, 64, window="boxcar", center=False, normalize="max")
        np.testing.assert_allclose(relative, magnitudes / magnitudes.max(), rtol=3e-7)
        assert relative.max() == 1


@pytest.mark.one_cpu
def test_silence_and_what_is_no_number(device):
    assert (pyclfft.spectrogram(np.zeros(500, "f4"), 64, normalize="max") == 0).all()
    decibels = pyclfft.spectrogram(np.zeros(500, "f4"), 64, db=True)
    np.testing.assert_allclose(decibels, -100)
    steep = pyclfft.spectrogram(np.zeros(500, "f4"), 64, db=True, power=10, ref=np.max)
    assert (steep == 0).all()
    y = noise(500, "f4")
    y[100] = np.nan
    for options in ({"normalize": "max"}, {"db": True, "ref": "max"}):  # as of NumPy's max
        assert np.isnan(pyclfft.spectrogram(y, 64, **options)).all()
    decibels = pyclfft.spectrogram(y, 64, db=True)
    assert np.isfinite(np.delete(decibels, range(4, 9), axis=1)).all()


@pytest.mark.one_cpu
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"power": 0}, "power must be positive"),
        ({"normalize": "sum"}, "normalize must be None or 'max'"),
        ({"normalize": "max", "db": True}, "leave normalize out"),
        ({"db": True, "ref": "mean"}, "ref must be a number or 'max'"),
        ({"db": True, "ref": np.median}, "ref must be a number or 'max'"),
        ({"db": True, "amin": 0}, "amin must be positive"),
        ({"db": True, "top_db": -1}, "top_db must not be negative"),
        ({"preset": "speech"}, "invalid preset 'speech'"),
        ({"preset": "music-analysis"}, "leave the other options out"),  # n_fft
        ({"dtype": "c8"}, "dtype must be float32 or float64"),
    ],
)
def test_numbers_that_make_no_sense(device, options, says):
    with pytest.raises(PlanError, match=says):
        pyclfft.spectrogram(np.ones(500, "f4"), 64, **options)


# --- music analysis -------------------------------------------------------------------------------


def expected_music(y):
    """As SOURCES.md describes it, in double precision."""
    chunks = -(-len(y) // 2048)
    padded = np.zeros(2048 * chunks)
    padded[: len(y)] = y
    frames = np.stack([padded[t * 1024 : t * 1024 + 2048] for t in range(2 * chunks - 1)])
    magnitudes = np.abs(np.fft.fft(frames))[:, :1024].T
    return magnitudes / magnitudes.max()


@pytest.mark.parametrize("where", ["host", "device"])
@pytest.mark.parametrize("algorithm", [None, "local-radix2"])
@pytest.mark.parametrize(
    "samples", [20000, *(pytest.param(n, marks=pytest.mark.one_cpu) for n in (1000, 2048, 2049))]
)
def test_music_analysis(device, queue, samples, algorithm, where):
    # Nyquist's bin, which does not count, has the greatest magnitude.
    y = (0.4 * noise(samples, "f8") + 0.3 * (-1.0) ** np.arange(samples)).astype("f4")
    given = y if where == "host" else cl_array.to_device(queue, y)
    result = pyclfft.spectrogram(given, preset="music-analysis", algorithm=algorithm)
    result = result if where == "host" else result.get()
    chunks = -(-samples // 2048)
    assert result.shape == (1024, 2 * chunks - 1)
    assert result.max() == 1
    np.testing.assert_allclose(result, expected_music(y), atol=1e-6)


@pytest.mark.parametrize("frames", [1, 2, 3, 32, 1000])
def test_frames_a_launch(device, queue, frames):
    """The kernel of the source takes any number of frames in a launch."""
    y = noise(15000, "f4")
    frames_wanted = shorttime.PRESETS["music-analysis"][0]
    job = Job(
        frames_wanted.over(len(y), 1, "single"), frames_wanted.window,
        shorttime.PRESETS["music-analysis"][1], local_radix2.NAME,
        values=(("local_frames", frames),),
    )  # fmt: skip
    executable = frame_jobs.executable_of(queue.context, job)
    result = np.empty((15, 1024), "f4")
    recorder = Recorder()
    run_on_host(executable, profiling_queue(queue.context), y, result, recorder)
    np.testing.assert_allclose(result.T, expected_music(y), atol=1e-6)
    launches = sum(each.name == "localRadix2" for each in recorder.times())
    assert launches == -(-15 // frames)


def faulty(x):
    """Radix-2 stages of bit-reversed points as the source has them: the difference is taken from
    the sum, which has been stored over the centre before."""
    n, span = len(x), 1
    while span < n:
        factors = np.exp(-1j * np.pi * np.arange(span) / span)
        blocks = x.reshape(-1, 2, span)
        turned = factors * blocks[:, 1]
        blocks[:, 0] += turned
        blocks[:, 1] = blocks[:, 0] - turned
        span *= 2
    return x


def test_the_fault_of_the_source(device):
    """Its lower results of each butterfly were the old centres: ours are the differences."""
    y = noise(2048, "f4")
    spectrum = np.fft.fft(y.astype("f8"))
    order = [int(f"{i:011b}"[::-1], 2) for i in range(2048)]
    wrong = faulty(y[order].astype("c16"))
    assert error(wrong, spectrum) > 0.5  # so the test below would see it
    plan = pyclfft.Plan(2048, "complex64", algorithm="local-radix2")
    assert error(plan(y.astype("c8")), spectrum) < BOUND["f4"]
    text = source_text("textbook/localRadix2.cl")
    assert text.index("a = x[upper], b =") < text.index("x[upper] = a + b")


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("n", [2, 4, 8, 64, 2048, 4096])
def test_twiddles_of_the_source_are_computed_on_the_device(device, fp64, queue, n, precision):
    """As exact as the host would have them: rounded once, from more digits than are kept."""
    table = SpinFactors(n, precision)
    dtype = {"single": "c8", "double": "c16"}[precision]
    found = np.empty(n // 2, dtype)
    cl.enqueue_copy(queue, found, table_buffer(queue.context, table))
    angles = -2 * np.pi * np.arange(n // 2) / n
    assert np.abs(found - np.exp(1j * angles)).max() <= 3 * np.finfo(dtype).eps
    assert np.abs(found - table.values()).max() <= np.finfo(dtype).eps
    if found.nbytes * 2 <= describe.traits(device).local_mem_bytes:  # as the solver wants
        plan = pyclfft.Plan(n, dtype, algorithm="local-radix2")
        assert table in plan.passes[0].arguments.values()


@pytest.mark.one_cpu
def test_groups_of_the_source_within_limits(device, change_traits):
    """It has 1024 work-items, which is more than many devices have in a group."""
    change_traits(max_work_group_size=8, local_mem_bytes=2**14)
    plan = pyclfft.Plan((3, 256), "complex64", axes=1, algorithm="local-radix2")
    assert plan.passes[0].local_size == (8,)
    x = noise((3, 256), "c8")
    assert error(plan(x), np.fft.fft(x.astype("c16"))) < BOUND["f4"]
    with pytest.raises(PlanError, match="a power of two and fits local memory"):
        pyclfft.Plan(2**11, "complex64", algorithm="local-radix2")


# --- SciPy's own class ----------------------------------------------------------------------------


@pytest.mark.one_cpu
@pytest.mark.parametrize("mode", ["onesided", "twosided", "centered"])
def test_scipys_class_on_our_backend(device, fp64, mode):
    """scipy.signal.ShortTimeFFT asks scipy.fft, and so our backend."""
    y = noise(2000, "f8")
    transform = scipy.signal.ShortTimeFFT(
        scipy.signal.get_window("hann", 100), hop=25, fs=1000, fft_mode=mode, mfft=128
    )
    expected = transform.stft(y)
    with scipy.fft.set_backend(pyclfft, only=True):
        spectra = transform.stft(y)
        back = transform.istft(spectra, k1=len(y))
    assert error(spectra, expected) < BOUND["f8"]
    assert error(back, y) < 1e-13


# --- too long for the device ----------------------------------------------------------------------


@pytest.mark.one_cpu
@pytest.mark.parametrize("options", [{}, {"normalize": "max"}, {"db": True, "ref": "max"}])
def test_in_pieces_where_memory_is_short(device, monkeypatch, options):
    y = noise((2, 9000), "f4")
    expected = pyclfft.spectrogram(y, 128, 32, pad_mode="reflect", **options)
    real, asked = memory.require_fits, []

    def require_fits(traits, sizes):
        asked.append(sizes["out"])
        if sizes["out"] > 50_000:
            raise DeviceMemoryError("too large")
        real(traits, sizes)

    monkeypatch.setattr(memory, "require_fits", require_fits)
    monkeypatch.setattr("pyclfft.audio.streaming.PIECE_BYTES", 40_000)
    pyclfft.clear_cache()
    result = pyclfft.spectrogram(y, 128, 32, pad_mode="reflect", **options)
    assert min(asked) <= 40_000 < max(asked)
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.one_cpu
def test_transforms_are_counted_and_forgotten(device):
    pyclfft.clear_cache()
    y = noise(500, "f4")
    for _ in range(3):
        pyclfft.stft(y, 64)
    assert pyclfft.cache_info().frames[:2] == (2, 1)
    pyclfft.clear_cache()
    assert pyclfft.cache_info().frames.size == 0


@pytest.mark.one_cpu
def test_no_double_precision(device, change_traits):
    change_traits(fp64=False)
    with pytest.raises(pyclfft.PrecisionError, match="float32"):
        pyclfft.stft(noise(500, "f8"), 64)
    assert pyclfft.stft(noise(500, "f8"), 64, dtype="complex64").dtype == "c8"


@pytest.mark.parametrize("gpu", [False, True])
def test_weights_at_the_beginning_that_are_hardly_above_zero(queue, change_traits, gpu):
    """The second sample is divided by the square of 1e-15, the first one by nothing."""
    if gpu:
        change_traits(is_cpu=False, local_mem_bytes=48 * 1024)
    window = scipy.signal.get_window("hamming", 64)
    window[:2] = 1e-20, 1e-15
    spectra = noise((33, 9), "c8")
    frame = np.fft.irfft(spectra[:, 0].astype("c16"))
    result = pyclfft.istft(spectra, 16, window=window, center=False, queue=queue)
    np.testing.assert_allclose(result[:2], frame[:2] * (1e-20, 1e15), rtol=1e-4)


@pytest.mark.parametrize("gpu", [False, True])
def test_weights_that_are_far_from_one(queue, change_traits, gpu):
    """Neither the square of a weight nor the quotient of two sums leaves the range of floats."""
    if gpu:
        change_traits(is_cpu=False, local_mem_bytes=48 * 1024)
    window = np.ones(256)
    window[0] = 1.2e-19
    silence = np.zeros((129, 20), "c8")
    options = {"window": window, "center": False, "queue": queue}
    assert not pyclfft.istft(silence, 32, **options).any()
    window = np.full(256, 1e8)
    window[0] = 1e-15
    spectra = noise((129, 20), "c8")
    first = np.fft.irfft(spectra[:, 0].astype("c16"))[0]
    result = pyclfft.istft(spectra, 64, **options | {"window": window})
    np.testing.assert_allclose(result[0], first * 1e15, rtol=1e-4)
