"""What sound cards take: interleaved integers of 16 bits."""

from __future__ import annotations

from typing import Any

import numpy as np

FULL_SCALE = 32767


def to_int16(frames: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """Convert frames to integers of 16 bits, the channels of a frame beside each other.

    Parameters
    ----------
    frames : ndarray, shape (frames,) or (channels, frames)
        Real numbers; -1 to 1 is full scale. Numbers beyond are clipped, and NaN becomes silence.
    out : ndarray of int16, shape (frames, channels), optional
        Receives the result.

    Returns
    -------
    ndarray of int16, shape (frames, channels)
    """
    scaled: Any = np.clip(np.atleast_2d(frames).T, -1, 1) * FULL_SCALE
    result = np.empty(scaled.shape, np.int16) if out is None else out
    result[...] = np.rint(np.nan_to_num(scaled, copy=False))
    return result
