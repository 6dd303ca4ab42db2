"""Delays: the dry sound waits until the wet one is there."""

from __future__ import annotations

import numpy as np


class Delay:
    """Holds frames for a while.

    Parameters
    ----------
    channels, frames : int
        The channels, and the most frames that are held.
    dtype : dtype
        The dtype of the frames.
    """

    def __init__(self, channels: int, frames: int, dtype: np.dtype) -> None:
        self._ring = np.zeros((channels, frames), dtype)
        self._put = self._taken = 0

    def put(self, frames: np.ndarray) -> None:
        """Hold frames, for which there must be room."""
        total, count = self._ring.shape[1], frames.shape[1]
        first = min(count, total - self._put)
        self._ring[:, self._put : self._put + first] = frames[:, :first]
        self._ring[:, : count - first] = frames[:, first:]
        self._put = (self._put + count) % total

    def take(self, result: np.ndarray) -> None:
        """Write the oldest frames to an array, which determines their number."""
        total, count = self._ring.shape[1], result.shape[1]
        first = min(count, total - self._taken)
        result[:, :first] = self._ring[:, self._taken : self._taken + first]
        result[:, first:] = self._ring[:, : count - first]
        self._taken = (self._taken + count) % total
