"""The dual window: with it, the sum of a signal's frames is the signal."""

from __future__ import annotations

import numpy as np
import pytest

from pyclfft.audio.windows import dual_window, frame_window


def sums(values, hop):
    """What the frames that hold each sample of a hop have together."""
    return [values[begin::hop].sum() for begin in range(hop)]


@pytest.mark.parametrize(
    ("n_fft", "hop"), [(256, 64), (256, 100), (255, 64), (16, 16), (16, 1), (12, 30)]
)
@pytest.mark.parametrize("name", ["hamming", "boxcar", ("kaiser", 8.0)])
def test_window_times_dual_window_is_one_in_every_sample(name, n_fft, hop):
    window = frame_window(name, n_fft, n_fft)
    dual = dual_window(window, hop, np.dtype("f8"))
    assert dual.dtype == np.float64
    covered = min(hop, n_fft)  # frames that are further apart than they are long leave gaps
    np.testing.assert_allclose(sums(window * dual, hop)[:covered], 1, rtol=1e-14)


@pytest.mark.parametrize(("code", "divided"), [("f4", False), ("f8", True)])
def test_what_weighs_too_little_is_not_divided(code, divided):
    """The smallest normal numbers are 1.2e-38 and 2.2e-308."""
    window = np.array([1e-20, 1, 1, 0])
    dual = dual_window(window, 4, np.dtype(code))
    np.testing.assert_allclose(dual, [1e20 if divided else 1e-20, 1, 1, 0], rtol=1e-14)
