"""melspectrogram and mfcc as librosa 0.11 has them."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pyopencl.array as cl_array
import pytest

import pyclfft
from pyclfft.audio.mel import FilterBank, mel_matrix
from pyclfft.errors import PlanError
from tests.oracle import noise

librosa = pytest.importorskip("librosa", minversion="0.11")

SR = 22050
BANDS = {
    "the defaults": {},
    "the HTK's scale": {"htk": True, "n_mels": 40, "fmin": 30, "fmax": 8000, "norm": None},
    "a norm": {"norm": 2, "n_mels": 30, "power": 1.0, "center": False},
    "the greatest as norm": {"norm": np.inf, "n_fft": 1000, "hop_length": 300, "n_mels": 20},
}
COEFFICIENTS = {
    "the defaults": {},
    "a lifter": {"lifter": 22, "n_mfcc": 13},
    "type 3 without a norm": {"dct_type": 3, "norm": None},
    "more than there are": {"n_mfcc": 200, "mel_norm": None, "n_mels": 64},
}
BOUND = {"f4": 2e-6, "f8": 1e-14}


def agree(result, expected, dtype):
    assert result.dtype == expected.dtype == dtype
    assert result.shape == expected.shape
    assert np.abs(result - expected).max() <= BOUND[dtype] * np.abs(expected).max()


@pytest.mark.parametrize("case", BANDS)
@pytest.mark.parametrize(("shape", "dtype"), [((9000,), "f4"), ((2, 3, 5000), "f8")])
def test_bands_are_librosas(device, request, case, shape, dtype):
    if dtype == "f8":
        request.getfixturevalue("fp64")
    y, options = noise(shape, dtype), BANDS[case]
    expected = librosa.feature.melspectrogram(y=y, sr=SR, **options)
    agree(pyclfft.melspectrogram(y=y, sr=SR, **options), expected, dtype)


@pytest.mark.one_cpu
@pytest.mark.parametrize("case", COEFFICIENTS)
@pytest.mark.parametrize(("shape", "dtype"), [((9000,), "f4"), ((2, 5000), "f8")])
def test_coefficients_are_librosas(device, request, case, shape, dtype):
    """Of two signals the levels reach down from the greatest of both."""
    if dtype == "f8":
        request.getfixturevalue("fp64")
    y, options = noise(shape, dtype), COEFFICIENTS[case]
    y[..., 3000:] *= 1e-7  # so that the range of 80 dB counts
    expected = librosa.feature.mfcc(y=y, sr=SR, **options)
    agree(pyclfft.mfcc(y=y, sr=SR, **options), expected, dtype)


def test_device_arrays_stay_there(device, queue):
    y = noise((2, 6000), "f4")
    there = cl_array.to_device(queue, y)
    for ours, theirs in (
        (pyclfft.melspectrogram, librosa.feature.melspectrogram),
        (pyclfft.mfcc, librosa.feature.mfcc),
    ):
        result = ours(y=there, sr=SR, queue=queue)
        assert isinstance(result, cl_array.Array)
        agree(result.get(), theirs(y=y, sr=SR), "f4")
    np.testing.assert_array_equal(there.get(), y)


@pytest.mark.one_cpu
def test_spectrograms_in_the_place_of_signals(device, queue):
    wanted = np.abs(noise((513, 20), "f4"))
    expected = librosa.feature.melspectrogram(S=wanted, sr=SR)
    agree(pyclfft.melspectrogram(S=wanted, sr=SR), expected, "f4")
    frame_by_frame = cl_array.to_device(queue, np.ascontiguousarray(wanted.T)).transpose((1, 0))
    agree(pyclfft.melspectrogram(S=frame_by_frame, sr=SR).get(), expected, "f4")
    levels = noise((64, 20), "f4")
    agree(pyclfft.mfcc(S=levels), librosa.feature.mfcc(S=levels), "f4")


@pytest.mark.parametrize("options", [{}, {"htk": True}, {"norm": 1, "fmin": 100.0}])
def test_weights_are_librosas(options):
    """And a bank of triangles is its matrix."""
    expected = librosa.filters.mel(sr=SR, n_fft=512, n_mels=40, **options)
    matrix = mel_matrix(SR, 512, 40, **options)
    np.testing.assert_allclose(matrix, expected, rtol=1e-5, atol=1e-9)
    bank, again = FilterBank.of(matrix), np.zeros(matrix.shape, np.float32)
    for row, (first, count, begin) in zip(again, bank.triangles, strict=True):
        row[first : first + count] = bank.weights[begin : begin + count]
    np.testing.assert_array_equal(again, matrix)


def test_an_empty_band_is_warned_of():
    with pytest.warns(UserWarning, match="no bin lies in some of the 100 bands"):
        bands = pyclfft.melspectrogram(S=np.ones((33, 2), np.float32), sr=16_001, n_mels=100)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = librosa.feature.melspectrogram(S=np.ones((33, 2), "f4"), sr=16_001, n_mels=100)
    np.testing.assert_allclose(bands, expected, rtol=1e-5, atol=1e-9)
    assert (bands == 0).any()


def test_signatures_are_librosas():
    """What librosa passes on to its filter bank has names here."""
    for ours, theirs in (
        (pyclfft.melspectrogram, librosa.feature.melspectrogram),
        (pyclfft.mfcc, librosa.feature.mfcc),
    ):
        mine, wanted = (inspect.signature(each).parameters for each in (ours, theirs))
        for name in [each for each in wanted if each != "kwargs"]:
            assert mine[name].default == wanted[name].default
            assert mine[name].kind == wanted[name].kind


NOISE = noise(3000, "f4")
BAD = {
    "nothing": (lambda: pyclfft.melspectrogram(), "give either signals y or a spectrogram S"),
    "both": (lambda: pyclfft.mfcc(y=NOISE, S=NOISE), "either signals y or decibels"),
    "one dimension": (lambda: pyclfft.melspectrogram(S=NOISE), "shape (..., bins, frames)"),
    "no bands": (lambda: pyclfft.melspectrogram(y=NOISE, n_mels=0), "n_mels must be a positive"),
    "limits": (lambda: pyclfft.melspectrogram(y=NOISE, fmin=9000, fmax=50), "0 <= fmin < fmax"),
    "norm": (lambda: pyclfft.melspectrogram(y=NOISE, norm="loud"), "norm must be 'slaney'"),
    "complex": (lambda: pyclfft.melspectrogram(y=NOISE + 1j), "take its real part"),
    "empty": (lambda: pyclfft.melspectrogram(y=NOISE[:0]), "has no samples"),
    "rate": (lambda: pyclfft.melspectrogram(y=NOISE, sr=0), "sr must be a number above 0"),
    "no coefficients": (lambda: pyclfft.mfcc(y=NOISE, n_mfcc=0), "n_mfcc must be a positive"),
    "lifter": (lambda: pyclfft.mfcc(y=NOISE, lifter=-1), "lifter must not be negative"),
    "of signals": (lambda: pyclfft.mfcc(S=NOISE[None], n_fft=512), "n_fft belongs to signals"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named(case):
    call, words = BAD[case]
    with pytest.raises(PlanError) as caught:
        call()
    assert words in str(caught.value)
