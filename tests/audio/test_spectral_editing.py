"""edit_spectrogram against NumPy in double precision, and what it leaves alone."""

from __future__ import annotations

from math import inf

import numpy as np
import pyopencl.array as cl_array
import pytest

import pyclfft
from pyclfft import Region, edit_spectrogram
from pyclfft.errors import PlanError
from tests.oracle import noise

SR = 8000


def ramp(at, begin, end, width):
    inside = np.minimum(at - begin, end - at)
    width = min(width, (end - begin) / 2)
    part = np.clip(inside / width, 0, 1) if width else (inside >= 0) * 1.0
    return np.sin(np.pi / 2 * part) ** 2


def edited(y, regions, n_fft=512, hop=128):
    """All frames of a longer signal, their gains by definition, and overlap-add."""
    pad = 4 * n_fft // hop * hop
    z = np.pad(y.astype(float), [(0, 0)] * (y.ndim - 1) + [(pad, pad)])
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(n_fft) / n_fft)
    hertz = np.arange(n_fft // 2 + 1) * SR / n_fft
    total, weight = np.zeros_like(z), np.full(z.shape[-1], 1e-300)
    first = (pad - n_fft // 2) % hop  # so that the middle of a frame is at sample 0
    for begin in range(first, z.shape[-1] - n_fft + 1, hop):
        when = (begin + n_fft // 2 - pad) / SR
        gain = np.ones(len(hertz))
        for region in (Region(*each) for each in regions):
            start = -inf if region.start <= 0 else region.start
            end = inf if region.end >= y.shape[-1] / SR else region.end
            low = -1e9 if region.fmin <= 0 else region.fmin
            high = 1e9 if region.fmax >= SR / 2 else region.fmax
            weights = ramp(when, max(start, -1e9), min(end, 1e9), region.fade)
            gain *= 1 + (region.factor - 1) * weights * ramp(hertz, low, high, region.slope)
        frame = np.fft.irfft(np.fft.rfft(z[..., begin : begin + n_fft] * window) * gain, n_fft)
        total[..., begin : begin + n_fft] += window * frame
        weight[begin : begin + n_fft] += window**2
    return (total / weight)[..., pad:-pad]


CASES = {
    "a rectangle": [(0.5, 1.0, 500, 3000, -20)],
    "erase the rest": [Region(0, 0.7), Region(0.9, inf)],
    "boost beside cut": [Region(0.2, 0.6, 100, 900, 6, 0.1, 20), Region(0.4, 0.8, 300, inf, -6)],
    "without edges": [Region(0.3, 0.6, 1000, 2000, fade=0, slope=0)],
    "short": [Region(0.5, 0.501, fade=0, gain=-3)],
    "all": [Region(gain=-6)],
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("dtype", ["f4", pytest.param("f8", marks=pytest.mark.one_cpu)])
def test_regions_change_as_defined(device, queue, request, case, dtype):
    if dtype == "f8":
        request.getfixturevalue("fp64")
    y = noise((2, 9000), dtype)
    expected = edited(y, CASES[case])
    result = edit_spectrogram(y, CASES[case], sr=SR, n_fft=512)
    assert result.dtype == dtype
    assert np.linalg.norm(result - expected) <= {"f4": 1e-6, "f8": 1e-14}[dtype] * np.linalg.norm(y)
    there = edit_spectrogram(cl_array.to_device(queue, y), CASES[case], sr=SR, n_fft=512)
    assert isinstance(there, cl_array.Array)
    np.testing.assert_array_equal(there.get(), result)


@pytest.mark.parametrize("where", ["host", "device"])
def test_samples_outside_the_frames_keep_every_bit(device, queue, where):
    """Negative zeros, infinity and NaN too."""
    y = noise(20_000, "f4")
    y[100:200], y[300], y[15_000], y[19_000:] = -0.0, np.inf, np.nan, -0.0
    given = cl_array.to_device(queue, y) if where == "device" else y
    result = edit_spectrogram(given, [Region(0.8, 1.1), Region(1.3, 1.4, 500, 600)], sr=SR)
    result = result.get() if where == "device" else result
    first, last = round(0.8 * SR) - 1024, round(1.4 * SR) + 1024
    for part in (slice(None, first), slice(last, None)):
        np.testing.assert_array_equal(result.view(np.uint32)[part], y.view(np.uint32)[part])
    assert (result[first + 1024 : last - 1024] != y[first + 1024 : last - 1024]).any()


@pytest.mark.one_cpu
def test_between_two_regions_nothing_changes(device):
    y = noise(40_000, "f4")
    result = edit_spectrogram(y, [Region(0.5, 0.6), Region(4.0, 4.1)], sr=SR, n_fft=512)
    between = slice(round(0.6 * SR) + 256, round(4.0 * SR) - 256)
    np.testing.assert_array_equal(result.view(np.uint32)[between], y.view(np.uint32)[between])


@pytest.mark.one_cpu
def test_a_tone_is_erased_and_another_stays(device):
    t = np.arange(2 * SR) / SR
    low, high = (np.sin(2 * np.pi * hertz * t) for hertz in (440, 2000))
    result = edit_spectrogram(low + high, [Region(0.5, 1.5, 1800, 2200)], sr=SR)
    assert np.abs(result - low)[6000:10_000].max() < 1e-3
    np.testing.assert_array_equal(result[:2500], (low + high)[:2500])


@pytest.mark.one_cpu
def test_nothing_to_change(device, queue):
    y = noise(3000, "f4")
    there = cl_array.to_device(queue, y)
    for regions in ([], [Region(5.0, 6.0)], [Region(fmin=1.0, fmax=2.0)]):
        assert edit_spectrogram(y, regions, sr=SR) is not y
        np.testing.assert_array_equal(edit_spectrogram(y, regions, sr=SR), y)
        np.testing.assert_array_equal(edit_spectrogram(there, regions, sr=SR).get(), y)
    integers = np.arange(3000, dtype="i2")
    assert edit_spectrogram(integers, [], sr=SR).dtype == "f8"
    wide = noise((2, 3000), "f4")
    strided = cl_array.to_device(queue, wide)[:, 1000:]
    result = edit_spectrogram(strided, [Region(0, 0.1)], sr=SR, n_fft=512)
    again = edit_spectrogram(wide[:, 1000:], [Region(0, 0.1)], sr=SR, n_fft=512)
    np.testing.assert_array_equal(result.get(), again)


Y = noise(3000, "f4")
BAD = {
    "no numbers": ([("a",)], {}, "a region has the numbers start, end"),
    "too many": ([range(8)], {}, "a region has the numbers start, end"),
    "no sequence": ([3.0], {}, "a region has the numbers start, end"),
    "backwards": ([(2.0, 1.0)], {}, "start < end and fmin < fmax"),
    "no width": ([(0, 1, 50, 50)], {}, "start < end and fmin < fmax"),
    "not a number": ([(np.nan,)], {}, "has numbers, and its gain is finite or -inf"),
    "infinite gain": ([Region(gain=inf)], {}, "has numbers, and its gain is finite or -inf"),
    "negative fade": ([Region(fade=-1)], {}, "fade and slope of a region are not negative"),
    "rate": ([], {"sr": 0}, "sr must be a number above 0"),
    "hop": ([], {"hop_length": 1500}, "overlap by half"),
    "points": ([], {"n_fft": 1}, "2 points at least"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named(case):
    regions, options, words = BAD[case]
    with pytest.raises(PlanError) as caught:
        edit_spectrogram(Y, regions, **{"sr": SR, **options})
    assert words in str(caught.value)


def test_complex_signals_are_refused():
    with pytest.raises(PlanError, match="take its real part"):
        pyclfft.edit_spectrogram(Y + 1j, [], sr=SR)
