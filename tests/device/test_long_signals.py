"""Signals from spectra that are larger than the device's memory, against SciPy in float64."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.fft

import pyclfft
from pyclfft.audio import streaming
from pyclfft.errors import DeviceMemoryError
from tests.oracle import noise

N_FFT = 64
WINDOW = 0.54 - 0.46 * np.cos(2 * np.pi * np.arange(N_FFT) / N_FFT)  # no weight is small


def by_definition(spectra, hop, center, length=None):
    """The sums of windowed frames over the sums of the window's squares."""
    frames = scipy.fft.irfft(spectra.astype("c16"), N_FFT, axis=-2) * WINDOW[:, None]
    count = frames.shape[-1]
    sums = np.zeros((*frames.shape[:-2], N_FFT + hop * (count - 1)))
    weights = np.zeros(sums.shape[-1])
    for frame in range(count):
        place = slice(frame * hop, frame * hop + N_FFT)
        sums[..., place] += frames[..., frame]
        weights[place] += WINDOW**2
    signals = sums / np.where(weights > 0, weights, 1)
    start = N_FFT // 2 * center
    if length is None:
        return signals[..., start : signals.shape[-1] - start]
    signals = signals[..., start : start + length]
    return np.pad(signals, [(0, 0)] * (signals.ndim - 1) + [(0, length - signals.shape[-1])])


@pytest.fixture
def counted(monkeypatch):
    """The pieces of a call: how many signals, frames and samples each has."""
    shapes = []
    run = streaming.Pipeline.run

    def counting(self, works):
        works = list(works)
        shapes.extend((*each.source.shape[:2], each.target.shape[1]) for each in works)
        run(self, works)

    monkeypatch.setattr(streaming.Pipeline, "run", counting)
    return shapes


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("hop", [16, 20, 75])
@pytest.mark.parametrize(
    ("shape", "length"), [((33, 900), None), ((2, 33, 900), 8000), ((33, 600), 70_000)]
)
def test_stretches_of_signals(device, counted, center, hop, shape, length):
    spectra = noise(shape, "c8")
    expected = by_definition(spectra, hop, center, length)
    with pyclfft.limit_device_memory(280_000):
        result = pyclfft.istft(spectra, hop, window=WINDOW, center=center, length=length)
    assert result.shape == expected.shape
    np.testing.assert_allclose(result, expected, atol=2e-6 * abs(expected).max())
    signals = 2 if shape[0] == 2 else 1
    assert len(counted) > 2 * signals
    assert {pieces for pieces, _, _ in counted} == {1}


@pytest.mark.parametrize("order", ["C", "F"])
def test_groups_of_whole_signals(device, counted, order):
    spectra = noise((3, 67, 33, 8), "c8")
    expected = by_definition(spectra, 16, True)
    out = np.full((3, 67, 112), np.nan, "f4", order)
    with pyclfft.limit_device_memory(300_000):
        assert pyclfft.istft(spectra, 16, window=WINDOW, out=out) is out
    np.testing.assert_allclose(out, expected, atol=2e-6 * abs(expected).max())
    assert len(counted) > 2
    assert {(frames, samples) for _, frames, samples in counted} == {(8, 112)}
    assert counted[0][0] > 1


def test_double_precision(device, fp64, counted):
    spectra = noise((33, 900), "c16")
    expected = by_definition(spectra, 16, True)
    with pyclfft.limit_device_memory(300_000):
        result = pyclfft.istft(spectra, 16, window=WINDOW)
    np.testing.assert_allclose(result, expected, atol=1e-14 * abs(expected).max())
    assert len(counted) > 2


def test_frames_that_begin_at_each_sample(device, counted):
    """At most half of the frames are transformed twice, however many overlap."""
    spectra = noise((33, 3000), "c8")
    with pyclfft.limit_device_memory(800_000):
        result = pyclfft.istft(spectra, 1, window=WINDOW)
    expected = by_definition(spectra, 1, True)
    np.testing.assert_allclose(result, expected, atol=2e-6 * abs(expected).max())
    assert len(counted) > 2
    assert sum(frames for _, frames, _ in counted) <= 2 * 3000 + 64


def test_frames_that_are_longer_than_a_piece(device):
    with pyclfft.limit_device_memory(10_000), pytest.raises(DeviceMemoryError, match="too few"):
        pyclfft.istft(noise((1025, 20), "c8"))
