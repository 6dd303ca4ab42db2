"""What `bench stft` measures beside other libraries, on every device. Speed is never asserted."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from pyclfft.bench.stft_launches import HOP, KERNELS, N_FFT, measure_curve, measure_greatest
from pyclfft.bench.stft_profile import DOMAIN, FFT, STFT, WHOLE, measure_profile, melody
from pyclfft.runtime.describe import unit_of


@pytest.mark.one_cpu
def test_the_greatest_magnitude_is_the_references(device, queue):
    y = melody(50_000)
    frames = np.lib.stride_tricks.sliding_window_view(y.astype("f8"), N_FFT)[::HOP]
    expected = np.abs(np.fft.rfft(frames))[:, : N_FFT // 2].max()
    found = measure_greatest(queue, y)
    assert found.reference == pytest.approx(expected, rel=1e-12)
    assert found.ours == pytest.approx(dict.fromkeys(KERNELS, expected), rel=1e-6)
    assert found.faulty < 0.75 * expected


@pytest.mark.one_cpu
def test_the_curve(device, queue):
    (point,) = measure_curve(queue, 1, launches=(1024,))
    assert not point.wrong
    for kernel in KERNELS:
        assert point.kernel_ms[kernel] > 0
        assert isnan(point.occupancy[kernel]) == (unit_of(device) is None)
        assert isnan(point.occupancy[kernel]) or 0 < point.occupancy[kernel] <= 1


@pytest.mark.one_cpu
def test_the_profile(device, queue):
    parts = {each.name: each.ms for each in measure_profile(queue, 2, song=44100)}
    assert set(parts) == {*WHOLE, STFT, FFT}
    assert all(ms.count == 2 and ms.median > 0 for ms in parts.values())
    assert parts[FFT].median <= parts[STFT].median <= parts[DOMAIN].median
