"""Loads: how much of the time that blocks last their computation takes, and missed deadlines."""

from __future__ import annotations

from typing import NamedTuple


class Load(NamedTuple):
    """Compute time divided by the duration of the frames computed.

    Attributes
    ----------
    mean : float
        That of all blocks together.
    worst : float
        That of the worst block.
    """

    mean: float
    worst: float


class LoadMeter:
    """Adds up what blocks take.

    Parameters
    ----------
    sample_rate : float
        The frames that are played in a second.
    """

    def __init__(self, sample_rate: float) -> None:
        self.sample_rate = sample_rate
        self.missed = 0
        self._seconds = self._duration = self._worst = 0.0

    def add_work(self, seconds: float, frames: int) -> None:
        """Count the time that the computation of frames has taken."""
        duration = frames / self.sample_rate
        self._seconds += seconds
        self._duration += duration
        self._worst = max(self._worst, seconds / duration)

    def add_push(self, seconds: float, frames: int) -> None:
        """Count a push; it misses its deadline if it takes longer than its frames last."""
        self.missed += seconds > frames / self.sample_rate

    @property
    def load(self) -> Load:
        """The load so far; zeros before the first block."""
        return Load(self._seconds / self._duration if self._duration else 0.0, self._worst)
