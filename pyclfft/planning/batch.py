"""Batches: many transforms of one length, and where their points lie in memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

MAX_DIMENSIONS = 4  # that a kernel can walk


@dataclass(frozen=True)
class Dimension:
    """One dimension of a batch.

    Attributes
    ----------
    extent : int
        Transforms along it.
    source, target : int
        Distance from one to the next, in elements of the source and of the target.
    column : int
        Where its transforms are columns of a longer axis: columns from one to the next.
    pairs : bool
        Two of its transforms may be the parts of one: they belong to the same row.
    """

    extent: int
    source: int
    target: int
    column: int = 0
    pairs: bool = False

    @property
    def nearest(self) -> int:
        """How close its transforms are where they are closest."""
        return min(abs(self.source), abs(self.target))


@dataclass(frozen=True)
class Line:
    """Where the points of a transform lie.

    Attributes
    ----------
    first : int
        Element at which the first transform begins.
    unit : int
        Elements between neighbours along the whole axis.
    columns : int
        Units between neighbouring points: more than 1 where a transform is a column of the axis.
    """

    first: int
    unit: int
    columns: int = 1

    @property
    def stride(self) -> int:
        """Elements between neighbouring points."""
        return self.unit * self.columns


@dataclass(frozen=True)
class Batch:
    """Transforms of one length.

    Attributes
    ----------
    n : int
        Points of each.
    dimensions : tuple of Dimension
        The fastest first, at least one.
    source, target : Line
        Their points.
    aliases : bool
        Every transform lies in the target just where it lay in the source.
    """

    n: int
    dimensions: tuple[Dimension, ...]
    source: Line
    target: Line
    aliases: bool = False

    @property
    def count(self) -> int:
        """Transforms in all."""
        count = 1
        for dimension in self.dimensions:
            count *= dimension.extent
        return count

    @property
    def paired(self) -> int:
        """Number of the dimension whose neighbours are transformed in pairs, if any are."""
        return next((d for d, each in enumerate(self.dimensions) if each.pairs), 0)

    @property
    def loads_columns(self) -> bool:
        """Whether neighbouring transforms are nearer in the source than neighbouring points."""
        return self._by_columns(self.dimensions[0].source, self.source.stride)

    @property
    def stores_columns(self) -> bool:
        """The same in the target."""
        return self._by_columns(self.dimensions[0].target, self.target.stride)

    def _by_columns(self, distance: int, stride: int) -> bool:
        return self.dimensions[0].extent > 1 and abs(distance) < abs(stride)


def ordered(dimensions: Iterable[Dimension]) -> tuple[Dimension, ...]:
    """Return the dimensions of a batch, nearest neighbours first, in as few as possible.

    Two dimensions are one where the second goes on, everywhere, where the first ends.
    """
    present = [each for each in dimensions if each.extent > 1]
    merged: list[Dimension] = []
    for each in sorted(present, key=lambda each: each.nearest):
        if merged and _continues(merged[-1], each):
            merged[-1] = replace(merged[-1], extent=merged[-1].extent * each.extent)
        else:
            merged.append(each)
    return tuple(merged) or (Dimension(1, 0, 0),)


def _continues(first: Dimension, second: Dimension) -> bool:
    ends = (each * first.extent for each in (first.source, first.target, first.column))
    along = (second.source, second.target, second.column) == tuple(ends)
    return along and second.pairs == first.pairs
