"""What is built on transforms, tuned: every candidate is right, and calls take what is found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyopencl.array as cl_array
import pytest
import scipy.signal

import pyclfft
from pyclfft.audio.frame_jobs import executable_of
from pyclfft.errors import PlanError
from pyclfft.image.in_pieces import gains_by_host
from pyclfft.image.jobs import filter_job
from pyclfft.planning import database
from pyclfft.planning.lookup import Entry
from pyclfft.planning.parameters import parameters_for
from pyclfft.runtime import cache, describe, queues, wisdom
from pyclfft.tuning import measure, tuner
from pyclfft.tuning.convolutions import ConvolutionCase
from pyclfft.tuning.filters import FilterCase
from pyclfft.tuning.frames import FramesCase
from pyclfft.tuning.search import Timing
from pyclfft.tuning.space import KNOBS, neighbours
from tests.oracle import noise
from tests.pairwise import one_in

CASES = {
    "stft by frames": FramesCase(1024, 256, 24, "stft", columns=False),
    "stft by bins": FramesCase(1024, 384, 24, "stft", columns=True),
    "istft by frames": FramesCase(64, 16, 40, "istft", columns=False),
    "istft by bins": FramesCase(60, 15, 40, "istft", columns=True),
    "filter to the greatest": FilterCase((48, 40), 2, "max"),
    "filter from the least": FilterCase((30, 64), 1, "stretch"),
    "filter cut off": FilterCase((48, 40), 1, "clip"),
    "convolution": ConvolutionCase((3000,), (100,), "same", 2),
    "convolution of images": ConvolutionCase((60, 50), (7, 9), "full"),
}


@pytest.fixture(autouse=True)
def own_database(tmp_path, monkeypatch):
    """Nothing is known but what a test measures, in samples too short to mean anything."""
    monkeypatch.setenv("PYCLFFT_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(tuner, "cache_dir", lambda: tmp_path / "cache")
    monkeypatch.setattr(wisdom, "shipped_entries", lambda identity: ())
    for name in ("SAMPLE_S", "WARM_S", "EVENTS_S"):
        monkeypatch.setattr(measure, name, 1e-5)
    wisdom.forget_entries()
    pyclfft.clear_cache()
    yield tmp_path / "tuning.json"
    wisdom.forget_entries()
    pyclfft.clear_cache()


@pytest.fixture(params=[False, True], ids=["as it is", "as a GPU"])
def traits(request, device, monkeypatch):
    """The traits of a device, and those of a GPU that has its limits."""
    real = describe.traits(device)
    pretended = replace(real, is_cpu=False, vectorizes=True) if request.param else real
    monkeypatch.setattr(describe, "traits", lambda chosen: pretended)
    wisdom.forget_entries()
    return pretended


def signal_frames(case, y, window):
    padded = np.pad(y.astype("f8"), case.n_fft // 2)
    frames = np.lib.stride_tricks.sliding_window_view(padded, case.n_fft)[:: case.hop]
    return frames * window


def calls_of(case, queue):
    """Return a function of parameters that calls pyclfft, and what it should return."""
    if isinstance(case, FramesCase):
        return frames_calls(case, queue)
    if isinstance(case, FilterCase):
        return filter_calls(case)
    x, h = noise((case.batch, *case.signal), "f4"), noise((1, *case.kernel), "f4", seed=1)
    axes = tuple(range(1, x.ndim))
    expected = scipy.signal.fftconvolve(x.astype("f8"), h.astype("f8"), case.mode, axes)
    return lambda values: pyclfft.convolve(x, h, case.mode, axes=axes, parameters=values), expected


def frames_calls(case, queue):
    window = scipy.signal.get_window("hann", case.n_fft)
    y = noise(case.samples, "f4")
    spectra = np.fft.rfft(signal_frames(case, y, window)).T
    there, order = case.kind == "stft", "C" if case.columns else "F"
    given = cl_array.to_device(queue, y if there else spectra.astype("c8", order=order))

    def stft(values):
        # Every device array that stft makes is in C order; the others are views of given ones.
        frame_by_frame = cl_array.empty(queue, spectra.T.shape, "c8")
        out = None if case.columns else frame_by_frame.T
        return pyclfft.stft(given, case.n_fft, case.hop, out=out, parameters=values).get()

    def istft(values):
        length = case.samples
        return pyclfft.istft(given, case.hop, length=length, parameters=values).get()

    return (stft, spectra) if there else (istft, y.astype("f8"))


def filter_calls(case):
    image = noise((case.images, *case.size), "f8", seed=2) + 1
    pixels = np.rint(image * 100).astype("u1")
    kind = "highpass" if case.scale in ("max", "stretch") else "lowpass"
    gains = gains_by_host(filter_job(pixels, kind, axes=(1, 2)).band, case.size)
    values = np.fft.ifft2(np.fft.fft2(pixels.astype("f8")) * gains)
    if kind == "highpass":
        values = abs(values)
        least = values.min((1, 2), keepdims=True) if case.scale == "stretch" else 0
        expected = (values - least) / (values.max((1, 2), keepdims=True) - least) * 255
    else:
        expected = values.real.clip(0, 255)

    def call(values):
        return pyclfft.filter_image(pixels, kind, axes=(1, 2), scale=case.scale, parameters=values)

    return call, expected


# What test_tune.py does not try with plain transforms, and one of the rest.
OURS = ("stft_", "extrema_", "filter_", "convolve_", "taps_", "stockham_mirrored", "group")


def candidates(case, traits):
    """The start, and what differs from it in one parameter of frames, filters or convolutions."""
    task = case.task(traits, parameters_for(traits), None)
    found = {}
    for knob in KNOBS:
        if not knob.name.startswith(OURS):
            continue
        for each in neighbours(task, task.start, knob, thorough=False):
            found.setdefault(each.key, each)
    return [task.start, *found.values()]


def another(case, traits):
    """The first candidate that differs from the start in one parameter, but for its algorithm."""
    task = case.task(traits, parameters_for(traits), None)
    knobs = (each for each in KNOBS if each.name != "algorithm")
    return next(each for knob in knobs for each in neighbours(task, task.start, knob, False))


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", one_in(2, CASES))
def test_every_candidate_is_right(queue, traits, name):
    """By the public functions, which are given the values of each, beside double precision."""
    case = CASES[name]
    call, expected = calls_of(case, queue)
    several = candidates(case, traits)
    for each in several:
        result = call(each.values)
        error = np.linalg.norm(result - expected) / np.linalg.norm(expected)
        # Pixels are rounded: their error is at most a half in 255.
        assert error < (0.01 if result.dtype == np.uint8 else 2e-6), each.values


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", CASES)
def test_what_is_measured_is_checked(device, traits, name):
    case = CASES[name]
    task = case.task(traits, parameters_for(traits), None)
    (timing,) = case.measure(queues.context_of(device), task)([task.start])
    assert timing.reason == ""
    assert timing.ms > 0


@pytest.mark.parametrize("name", CASES)
def test_a_wrong_result_cannot_win(device, name):
    case, traits = CASES[name], describe.traits(device)
    task = case.task(traits, parameters_for(traits), None)
    ours = case.measure(queues.context_of(device), task)
    ours._expected = {number: 1.01 * each for number, each in ours._expected.items()}
    bound = ours.bound
    ours.__class__ = type("Strict", (type(ours),), {"bound": min(bound, 1e-3)})
    (timing,) = ours([task.start])
    assert timing.reason.startswith("relative error ")


# --- what is found is kept, and taken -------------------------------------------------------------


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", CASES)
def test_tuned_once_and_taken_by_later_calls(device, queue, own_database, monkeypatch, name):
    """Timings are made up, so that one value wins; it is looked up for a class nearby."""
    case, traits = CASES[name], describe.traits(device)
    winner = another(case, traits).values
    (parameter,) = winner

    def rigged(self, several):
        return [Timing(1.0 if winner.items() <= each.values.items() else 2.0) for each in several]

    monkeypatch.setattr(measure.Measure, "__call__", rigged)
    tuned = tuner.tune_case(case, device, None, "measure", 60.0, own_database)
    assert tuned.parameters == winner
    (entry,) = database.load(own_database)
    assert (str(entry.workclass), entry.values) == (tuned.problem, winner)
    near = {
        FramesCase: lambda: replace(case, frames=case.frames * 2),
        FilterCase: lambda: replace(case, images=case.images * 3),
        ConvolutionCase: lambda: replace(case, signal=tuple(n + 1 for n in case.signal)),
    }[type(case)]()
    for each in (case, near):
        known = each.known(device, None)
        assert known.origins == {parameter: "user"}
        call, expected = calls_of(each, queue)
        result = call(None)
        error = np.linalg.norm(result - expected) / np.linalg.norm(expected)
        assert error < (0.01 if result.dtype == np.uint8 else 2e-6)


def test_a_call_launches_what_was_tuned(device, queue, own_database):
    """The entry of a class of frames changes their launches; others keep theirs."""
    case = FramesCase(64, 16, 40)
    before = executable_of(queue.context, case.job()).schedule
    winner = another(case, describe.traits(device))
    entry = Entry(
        describe.identity(device), case.workclass(None), winner.values, wisdom.sources_hash()
    )
    database.update(own_database, lambda known: [entry])
    wisdom.forget_entries()
    cache.clear("frames")
    assert executable_of(queue.context, case.job()).schedule == winner.schedule != before
    other = replace(case, n_fft=32)
    assert other.known(device, None).origins == {}


def test_convolutions_take_the_method_that_was_tuned(device, own_database):
    case = ConvolutionCase((3000,), (100,))
    x, h = noise((1, 3000), "f4"), noise((1, 100), "f4", seed=1)
    rule = pyclfft.choose_conv_method(x, h, axes=1)
    for method in {"direct", "fft", "partitioned"} - {rule}:
        entry = Entry(
            describe.identity(device), case.workclass(None), {"convolve_method": method},
            wisdom.sources_hash(),
        )  # fmt: skip
        database.update(own_database, lambda known, entry=entry: [entry])
        wisdom.forget_entries()
        assert pyclfft.choose_conv_method(x, h, axes=1) == method


# --- parameters of the caller ---------------------------------------------------------------------

X = np.ones(256, "f4")
FUNCTIONS = {
    "stft": lambda values: pyclfft.stft(X, 64, parameters=values),
    "istft": lambda values: pyclfft.istft(np.ones((33, 5), "c8"), parameters=values),
    "spectrogram": lambda values: pyclfft.spectrogram(X, 64, parameters=values),
    "filter_image": lambda values: pyclfft.filter_image(X.reshape(16, 16), parameters=values),
    "convolve": lambda values: pyclfft.convolve(X, X[:9], parameters=values),
    "correlate": lambda values: pyclfft.correlate(X, X[:9], parameters=values),
    "fftconvolve": lambda values: pyclfft.fftconvolve(X, X[:9], parameters=values),
    "oaconvolve": lambda values: pyclfft.oaconvolve(X, X[:9], parameters=values),
}


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", FUNCTIONS)
def test_bad_parameters_are_one_clear_error(device, name):
    call = FUNCTIONS[name]
    with pytest.raises(PlanError, match="unknown parameter 'grup': choose from algorithm, "):
        call({"grup": 3})
    with pytest.raises(
        PlanError, match=r"parameter stft_columns must be one of -1, 0, 4, 8, .* not 3"
    ):
        call({"stft_columns": 3})
    with pytest.raises(PlanError, match="parameters are a mapping of names to values, not 5"):
        call(5)


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", FUNCTIONS)
def test_parameters_are_a_part_of_caches_keys(device, name):
    """A result does not depend on what was called before with other parameters."""
    call = FUNCTIONS[name]
    plain = call(None)
    for values in ({"extrema_group": 16, "convolve_block": 32}, {"algorithm": "stockham"}, {}):
        np.testing.assert_allclose(call(values), plain, rtol=1e-4, atol=1e-4)


@pytest.mark.one_cpu
@pytest.mark.parametrize("items", [1, 16, 32, 64, 1024])
def test_rows_with_and_without_mirrored_stages(device, traits, items):
    """Whichever work-items own both mirror images of a spectrum, it is right, there and back."""
    x = noise((4, 1024), "f4")
    values = {"stockham_mirrored": items}
    there = pyclfft.Plan(x.shape, "f4", 1, "r2c", algorithm="stockham", parameters=values)
    spectra = np.fft.rfft(x.astype("f8"))
    assert np.linalg.norm(there(x) - spectra) < 1e-6 * np.linalg.norm(spectra)
    back = pyclfft.Plan(
        x.shape, "c8", 1, "c2r", "inverse", algorithm="stockham", parameters=values
    )  # fmt: skip
    assert np.linalg.norm(back(spectra.astype("c8")) - x) < 1e-6 * np.linalg.norm(x)
