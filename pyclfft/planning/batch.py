"""Batches: many transforms of the same length, and where their points lie in memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

MAX_DIMENSIONS = 4  # the most dimensions of a batch that a kernel can walk


@dataclass(frozen=True)
class Dimension:
    """One dimension of a batch.

    Attributes
    ----------
    extent : int
        The number of transforms along the dimension.
    source, target : int
        The distance from one transform to the next, in elements of the source and of the target.
    column : int
        If each transform is a column of a longer axis, the number of columns from one transform to
        the next along the dimension; otherwise 0.
    pairs : bool
        Whether two neighbouring transforms may be computed as one, in its real and its imaginary
        part, because both belong to the same row.
    """

    extent: int
    source: int
    target: int
    column: int = 0
    pairs: bool = False

    @property
    def along(self) -> bool:
        """Whether neighbours along the dimension are columns, or rows, of the same longer axis."""
        return self.column > 0 or self.pairs

    @property
    def nearest(self) -> int:
        """The shorter one of the two distances between neighbouring transforms."""
        return min(abs(self.source), abs(self.target))


@dataclass(frozen=True)
class Line:
    """Where the points of a transform lie.

    Attributes
    ----------
    first : int
        The index of the element at which the first transform begins.
    unit : int
        The distance between neighbours along the whole axis, in elements.
    columns : int
        The distance between neighbouring points of a transform, in units. It is more than 1 if a
        transform is a column of the axis.
    """

    first: int
    unit: int
    columns: int = 1

    @property
    def stride(self) -> int:
        """The distance between neighbouring points of a transform, in elements."""
        return self.unit * self.columns


@dataclass(frozen=True)
class Batch:
    """Many transforms of the same length.

    Attributes
    ----------
    n : int
        The number of points of each transform.
    dimensions : tuple of Dimension
        The dimensions along which transforms repeat: at least one, the fastest in memory first.
    source, target : Line
        Where the points of a transform lie in the source and in the target.
    aliases : bool
        Whether every transform lies in the target exactly where it lies in the source.
    part : bool
        Whether the transforms are columns, or rows, of a longer axis.
    """

    n: int
    dimensions: tuple[Dimension, ...]
    source: Line
    target: Line
    aliases: bool = False
    part: bool = False

    @property
    def count(self) -> int:
        """The number of transforms in all."""
        count = 1
        for dimension in self.dimensions:
            count *= dimension.extent
        return count

    @property
    def paired(self) -> int:
        """The number of the dimension whose neighbours are transformed in pairs, or 0 if none."""
        return next((d for d, each in enumerate(self.dimensions) if each.pairs), 0)

    @property
    def loads_columns(self) -> bool:
        """Whether neighbouring transforms are nearer in the source than neighbouring points."""
        return self._by_columns(self.dimensions[0].source, self.source.stride)

    @property
    def stores_columns(self) -> bool:
        """Whether neighbouring transforms are nearer in the target than neighbouring points."""
        return self._by_columns(self.dimensions[0].target, self.target.stride)

    def _by_columns(self, distance: int, stride: int) -> bool:
        return self.dimensions[0].extent > 1 and abs(distance) < abs(stride)


def ordered(dimensions: Iterable[Dimension]) -> tuple[Dimension, ...]:
    """Return the dimensions of a batch, that with the nearest neighbours first, joined if possible.

    Two dimensions become one if a step along the second is as long as all steps along the first
    together, in the source, in the target and in columns.
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
