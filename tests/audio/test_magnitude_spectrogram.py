"""What onsets, chroma and notes have in common: what they take, and how long."""

from __future__ import annotations

import sys
import tracemalloc

import numpy as np
import pytest

from pyclfft.audio.chroma import chroma
from pyclfft.audio.notes import notes
from pyclfft.audio.onsets import onsets
from pyclfft.errors import PlanError

SR = 22050
NOISE = np.random.default_rng(0).standard_normal(4096)
BAD = {
    "nothing": (lambda: onsets(), "give either"),
    "both": (lambda: chroma(NOISE, S=np.ones((65, 9))), "give either"),
    "NaN": (lambda: notes(np.where(NOISE > 3, np.nan, NOISE)), "NaN"),
    "infinity": (lambda: onsets(np.where(NOISE > 3, np.inf, NOISE)), "holds NaN, infinity"),
    "NaN in S": (lambda: chroma(S=np.full((65, 9), np.nan)), "NaN"),
    "stereo": (lambda: onsets(np.zeros((2, 99999))), "mix them"),
    "stereo of soundfile": (lambda: onsets(np.zeros((99999, 2))), "mix them"),
    "notes of S": (lambda: notes(np.ones((65, 9))), "signal of shape"),
    "three dimensions": (lambda: onsets(np.ones((2, 3, 4))), "mix its channels"),
    "no samples": (lambda: notes(np.zeros(0)), "no samples"),
    "complex": (lambda: onsets(NOISE * 1j), "real numbers"),
    "complex S": (lambda: onsets(S=np.ones((65, 9)) * 1j), r"abs\(S\)"),
    "decibels": (lambda: onsets(S=-np.ones((65, 9))), "not decibels"),
    "sr": (lambda: onsets(NOISE, 0), "sr must be"),
    "sr of text": (lambda: notes(NOISE, "fast"), "sr must be"),
    "hop": (lambda: onsets(NOISE, hop_length=0), "hop_length"),
    "n_fft of notes": (lambda: notes(NOISE, n_fft=0.5), "n_fft"),
    "n_fft": (lambda: chroma(NOISE, n_fft=-1), "n_fft"),
    "short frames": (lambda: onsets(NOISE, n_fft=2), "choose a larger"),
    "units": (lambda: onsets(NOISE, units="hours"), "units"),
    "delta": (lambda: onsets(NOISE, delta=float("nan")), "delta"),
    "norm": (lambda: chroma(NOISE, norm=-1), "norm"),
    "range": (lambda: notes(NOISE, fmin=500, fmax=100), "fmax"),
    "beyond Nyquist": (lambda: notes(NOISE, 4000), "smaller fmax"),
    "salience": (lambda: notes(NOISE, salience=2), "up to 1"),
    "threshold": (lambda: notes(NOISE, threshold=2), "from 0 to 1"),
    "polyphony": (lambda: notes(NOISE, polyphony=0), "polyphony"),
}


@pytest.mark.one_cpu
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_clear_error(device, case):
    call, remedy = BAD[case]
    with pytest.raises(PlanError, match=remedy) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.mark.one_cpu
@pytest.mark.filterwarnings("error")
def test_very_short_signals(device):
    for length in (1, 100, 2000, 5000):
        y = np.sin(0.1 * np.arange(length))
        assert chroma(y).shape[0] == 12
        assert len(onsets(y)) <= 1
        assert len(notes(y)) <= 1


def effort_of(call, y):
    """What a call takes on the host, whatever the machine: Python's calls, and bytes at most."""
    calls = 0

    def count(frame, event, argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    tracemalloc.start()
    sys.setprofile(count)
    try:
        call(y, SR)
    finally:
        sys.setprofile(None)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return calls, peak


@pytest.mark.full
@pytest.mark.one_cpu
@pytest.mark.parametrize("call", [onsets, chroma, notes])
def test_effort_grows_as_the_sound_does(device, synth, call):
    """Three minutes take twelve times as much as fifteen seconds, or a little more."""
    y = np.tile(synth.render(synth.progression(1, 40), sr=SR), 7)[: 180 * SR]
    sounds = y[: 15 * SR], y
    for each in sounds:
        call(each, SR)  # makes plans
    short, long = (effort_of(call, each) for each in sounds)
    for less, more in zip(short, long, strict=True):
        assert more < 18 * less
