"""griffinlim as librosa 0.11 has it: the same phases for the same seed."""

from __future__ import annotations

import inspect
from copy import deepcopy

import numpy as np
import pyopencl.array as cl_array
import pytest

import pyclfft
from pyclfft.errors import PlanError
from tests.oracle import noise

librosa = pytest.importorskip("librosa", minversion="0.11")

CASES = {
    "some steps": {"n_iter": 4, "random_state": 3},
    "a generator": {"n_iter": 3, "random_state": np.random.default_rng(4), "hop_length": 50},
    "no phases": {"n_iter": 5, "init": None},
    "the original": {"n_iter": 4, "random_state": 5, "momentum": 0},
    "odd frames": {"n_iter": 2, "random_state": 1, "n_fft": 257, "center": False},
    "no step": {"n_iter": 0, "random_state": np.random.RandomState(2), "dtype": "f4"},
    "other frames": {"n_iter": 2, "random_state": 1, "win_length": 200, "window": "hamming",
                     "pad_mode": "reflect", "length": 3008},
}  # fmt: skip


def magnitudes(case, dtype):
    y = noise((2, 3008), "f8")
    names = ("n_fft", "hop_length", "win_length", "window", "center", "pad_mode")
    options = {name: CASES[case][name] for name in names if name in CASES[case]}
    return abs(librosa.stft(y, **{"n_fft": 256, **options})).astype(dtype)


def close(result, expected, bound):
    assert result.shape == expected.shape
    assert result.dtype == expected.dtype
    assert np.linalg.norm(result - expected) <= bound * np.linalg.norm(expected)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("dtype", ["f4", pytest.param("f8", marks=pytest.mark.one_cpu)])
def test_signals_are_librosas(device, request, case, dtype):
    if dtype == "f8":
        request.getfixturevalue("fp64")
    wanted = magnitudes(case, dtype)
    expected = librosa.griffinlim(wanted, **deepcopy(CASES[case]))
    single = dtype == "f4" or CASES[case].get("dtype") == "f4"
    close(pyclfft.griffinlim(wanted, **deepcopy(CASES[case])), expected, 2e-5 if single else 1e-11)


@pytest.mark.one_cpu
def test_complex_magnitudes(device):
    """librosa multiplies phases by them, so do we."""
    wanted = librosa.stft(noise(3000, "f4"), n_fft=256)
    expected = librosa.griffinlim(wanted, n_iter=2, init=None)
    close(pyclfft.griffinlim(wanted, n_iter=2, init=None), expected, 2e-5)


def test_device_arrays_stay_there(device, queue):
    wanted = magnitudes("some steps", "f4")
    there = cl_array.to_device(queue, wanted)
    result = pyclfft.griffinlim(there, n_iter=3, random_state=3)
    assert isinstance(result, cl_array.Array)
    close(result.get(), librosa.griffinlim(wanted, n_iter=3, random_state=3), 2e-5)
    np.testing.assert_array_equal(there.get(), wanted)


@pytest.mark.one_cpu
def test_the_search_gets_nearer(device):
    """Without a seed, the magnitudes of what is found are close to those given."""
    y = librosa.chirp(fmin=200, fmax=2000, sr=8000, duration=1).astype("f4")
    wanted = pyclfft.spectrogram(y, 256)
    errors = []
    for n_iter in (1, 8, 64):
        found = pyclfft.spectrogram(pyclfft.griffinlim(wanted, n_iter=n_iter, length=len(y)), 256)
        errors.append(np.linalg.norm(found - wanted) / np.linalg.norm(wanted))
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.15


def test_the_signature_is_librosas():
    mine, wanted = (
        inspect.signature(each).parameters for each in (pyclfft.griffinlim, librosa.griffinlim)
    )
    assert [*mine][:-1] == [*wanted]
    assert all(mine[name].default == wanted[name].default for name in wanted)


S = np.ones((9, 4), np.float32)
BAD = {
    "momentum": ({"momentum": -0.1}, "momentum must not be negative"),
    "phases": ({"init": "zeros"}, "init must be 'random' or None"),
    "seed": ({"random_state": "x"}, "random_state must be a number or a generator"),
    "length": ({"length": 40}, "leave length out"),
    "points": ({"n_fft": 32}, "give the n_fft of S"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named(case):
    options, words = BAD[case]
    with pytest.raises(PlanError, match=words):
        pyclfft.griffinlim(S, **options)


def test_what_is_no_spectrogram_is_named():
    with pytest.raises(PlanError, match=r"shape \(..., bins, frames\)"):
        pyclfft.griffinlim(S[0])


def test_a_great_momentum_is_warned_of():
    with pytest.warns(UserWarning, match="above 1, the search may fail"):
        pyclfft.griffinlim(S, n_iter=1, momentum=1.5)
