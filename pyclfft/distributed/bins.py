"""Which bins of a direct transform have to be computed, and which results they become."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import PlanError
from ..planning.precision import COMPLEX_DTYPE
from ..planning.roots import roots_of_unity
from ..planning.tables import Table

Bins = range | tuple[int, ...]


@dataclass(frozen=True)
class Wanted:
    """The bins that a caller wants of a transform of `n` samples.

    Only bins of ``exp(-2 pi i k m / n)`` are computed, each once: with the other sign, bin k is bin
    n - k. The spectrum of real samples is Hermitian, so that only bins up to n / 2 are computed.

    Attributes
    ----------
    n : int
        The number of samples.
    bins : tuple of int, or None
        The numbers of the bins, from 0 to n - 1; None stands for all of them.
    real : bool
        Whether the samples are real.
    sign : {-1, 1}
        The sign of the exponent.
    """

    n: int
    bins: tuple[int, ...] | None
    real: bool
    sign: int

    @property
    def count(self) -> int:
        """The number of results."""
        return self.n if self.bins is None else len(self.bins)

    @cached_property
    def computed(self) -> Bins:
        """The bins to compute."""
        if self.bins is None:
            return range(self.n // 2 + 1 if self.real else self.n)
        return tuple(np.unique(self._folded[0]).tolist())

    @cached_property
    def places(self) -> np.ndarray:
        """For each result twice the place in `computed` of its bin, plus 1 if it is conjugated."""
        bins, conjugated = self._folded
        found = bins if self.bins is None else np.searchsorted(np.asarray(self.computed), bins)
        return (2 * found + conjugated).astype(np.uint32)

    @cached_property
    def _folded(self) -> tuple[np.ndarray, np.ndarray]:
        """The bin that each result is, and whether the result is its conjugate."""
        bins = np.arange(self.n) if self.bins is None else np.array(self.bins, np.int64)
        if self.sign > 0:
            bins = -bins % self.n
        conjugated = bins > self.n // 2 if self.real else np.zeros(len(bins), bool)
        return np.where(conjugated, self.n - bins, bins), conjugated

    def spread(self, values: np.ndarray) -> np.ndarray:
        """Return the results that computed bins become.

        Parameters
        ----------
        values : ndarray, shape (..., computed bins)
            The bins of `computed`.

        Returns
        -------
        ndarray, shape (..., results)
        """
        results = values[..., self.places // 2]
        return np.conjugate(results, out=results, where=self.places % 2 == 1)


@dataclass(frozen=True)
class BinNumbers(Table):
    """The numbers of the bins that a kernel computes."""

    bins: Bins

    def values(self) -> np.ndarray:
        """Return the numbers; their shape is (bins,), uint32."""
        return np.array(self.bins, np.uint32)


@dataclass(frozen=True)
class RootsOfBins(Table):
    """The roots exp(-2 pi i e / n), 0 <= e < n, of which few bins need few; the others are 0.

    Attributes
    ----------
    n : int
        The number of samples.
    precision : {"single", "double"}
        The precision of the roots.
    bins : range or tuple of int
        The bins.
    tile, tiles : int
        The samples of a tile and the tiles of a block, which say which exponents a bin needs.
    """

    n: int
    precision: str
    bins: Bins
    tile: int
    tiles: int

    def values(self) -> np.ndarray:
        """Return the numbers; their shape is (n,)."""
        block = self.tile * self.tiles
        samples = np.concatenate(
            (np.arange(self.tile), np.arange(0, block, self.tile), np.arange(0, self.n, block))
        )
        needed = np.unique(np.array(self.bins, np.int64)[:, None] * samples % self.n)
        table = np.zeros(self.n, COMPLEX_DTYPE[self.precision])
        table[needed] = roots_of_unity(self.n, self.precision, needed)
        return table


@dataclass(frozen=True)
class Places(Table):
    """The bin that each result is, as `Wanted.places` says."""

    wanted: Wanted

    def values(self) -> np.ndarray:
        """Return the numbers; their shape is (results,), uint32."""
        return self.wanted.places


@dataclass(frozen=True)
class OwnPlaces(Table):
    """The places of results that are the computed bins themselves, in their order."""

    count: int

    def values(self) -> np.ndarray:
        """Return the numbers; their shape is (count,), uint32."""
        return 2 * np.arange(self.count, dtype=np.uint32)


def wanted_bins(bins: Any, n: int, *, real: bool, sign: int) -> Wanted:
    """Return the bins that a caller wants, once they are checked.

    Parameters
    ----------
    bins : array_like of int, shape (bins,), or None
        The numbers of the bins. As indices of NumPy's do, negative numbers count from the end.
    n : int
        The number of samples.
    real : bool
        Whether the samples are real.
    sign : {-1, 1}
        The sign of the exponent.

    Raises
    ------
    PlanError
        A ValueError: a bin is no integer or does not exist, or `sign` is neither -1 nor 1.
    """
    if not isinstance(sign, (int, np.integer)) or sign not in (-1, 1):
        raise PlanError(f"sign must be -1 or 1, the sign of the exponent, not {sign!r}")
    if bins is None:
        return Wanted(n, None, real, int(sign))
    given = np.asarray(bins)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise PlanError(
            f"bins must be a list of integers, or None for all bins; not {_shown(bins)}: multiply "
            "frequencies by the number of samples and round them"
        )
    beyond = (given < -n) | (given >= n)
    if beyond.any():
        raise PlanError(
            f"bin {given[beyond][0]} does not exist: {n} samples have the bins {-n} to {n - 1}"
        )
    numbers = given.astype(np.int64) % n if given.size else given
    return Wanted(n, tuple(map(operator.index, numbers.tolist())), real, int(sign))


def _shown(bins: Any) -> str:
    text = repr(bins)
    return text if len(text) <= 60 else f"{text[:60]}..."
