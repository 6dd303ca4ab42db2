"""Medians and their spread, and means of ratios."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np


@dataclass(frozen=True)
class Spread:
    """The median of some samples, and how far they scatter.

    Attributes
    ----------
    median, low, high : float
        The median, the lower quartile and the upper quartile; NaN if there are no samples.
    count : int
        Number of samples.
    """

    median: float = nan
    low: float = nan
    high: float = nan
    count: int = 0

    @property
    def percent(self) -> float:
        """Half the distance between the quartiles, in percent of the median."""
        return 50 * (self.high - self.low) / self.median if self.median else nan


def spread(samples: Sequence[float]) -> Spread:
    """Return the spread of samples; NaNs if there are none."""
    if not samples:
        return Spread()
    low, median, high = (float(value) for value in np.percentile(samples, (25, 50, 75)))
    return Spread(median, low, high, len(samples))


def geometric_mean(ratios: Iterable[float]) -> float:
    """Return the geometric mean of ratios; NaN if there are none."""
    values = np.fromiter(ratios, float)
    return float(np.exp(np.log(values).mean())) if values.size else nan
