"""The shapes of a convolution: which axes it has, and which part of the full result is wanted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np

from ..errors import PlanError
from ..planning.problem import Layout, lengths_and_axes

MAX_SHAPES = 256  # whose dimensions are remembered for later calls
MODES = ("full", "same", "valid")


@dataclass(frozen=True)
class Dimension:
    """One dimension of a convolution, in both inputs and in the result.

    Attributes
    ----------
    first, second : int
        The extents of the inputs.
    start, result : int
        Where the result begins in the full result, and its extent.
    convolved : bool
        Whether the inputs are convolved along the dimension. Along any other dimension they are
        equally long, or one of them has the extent 1 and is used for all places of the other one.
    """

    first: int
    second: int
    start: int
    result: int
    convolved: bool

    @property
    def full(self) -> int:
        """The extent of the full result."""
        return self.first + self.second - 1 if self.convolved else max(self.first, self.second)

    @property
    def swapped(self) -> Dimension:
        """The dimension with the two inputs in the other order."""
        return Dimension(self.second, self.first, self.start, self.result, self.convolved)


Dimensions = tuple[Dimension, ...]


def longer_first(dimensions: Dimensions) -> Dimensions:
    """Return the dimensions with the larger input as the first one, whose axes are cut."""
    sizes = prod(each.first for each in dimensions), prod(each.second for each in dimensions)
    return tuple(each.swapped for each in dimensions) if sizes[1] > sizes[0] else dimensions


def reversed_layout(layout: Layout, axes: Iterable[int]) -> Layout:
    """Return the layout in which an array is read in reverse along some axes."""
    strides, offset = list(layout.strides), layout.offset
    for axis in axes:
        offset += (layout.shape[axis] - 1) * strides[axis]
        strides[axis] *= -1
    return Layout(layout.shape, tuple(strides), offset, layout.real)


@dataclass(frozen=True)
class Places:
    """Where the two inputs and the result of a convolution lie in memory."""

    first: Layout
    second: Layout
    target: Layout

    def bytes_of(self, *dtypes: np.dtype) -> dict[str, int]:
        """Return the bytes of the arrays' elements by their names, from the arrays' dtypes."""
        layouts = {"in1": self.first, "in2": self.second, "out": self.target}
        return {
            name: prod(layout.shape) * dtype.itemsize
            for (name, layout), dtype in zip(layouts.items(), dtypes, strict=True)
        }


def dimensions_of(
    first: Sequence[int],
    second: Sequence[int],
    mode: str,
    axes: int | Iterable[int] | None = None,
    *,
    correlates: bool = False,
) -> Dimensions:
    """Return the dimensions of a convolution or of a correlation, by SciPy's rules.

    Parameters
    ----------
    first, second : sequence of int
        The shapes of the inputs.
    mode : {"full", "same", "valid"}
        The part of the full result that is wanted: all of it, the middle part of the first input's
        shape, or the part where the shorter input lies within the longer one.
    axes : int or iterable of int, optional
        The axes along which to convolve; all axes by default.
    correlates : bool
        Whether the second input is reversed.

    Returns
    -------
    tuple of Dimension

    Raises
    ------
    PlanError
        A ValueError: the shapes do not fit, the mode is unknown, or the inputs lack an axis. The
        text is SciPy's.
    """
    check_mode(mode)
    if axes is None:  # most calls
        return _of_all_axes(tuple(first), tuple(second), mode, correlates)
    return _of_axes(first, second, mode, axes, correlates)


@lru_cache(MAX_SHAPES)
def _of_all_axes(
    first: tuple[int, ...], second: tuple[int, ...], mode: str, correlates: bool
) -> Dimensions:
    return _of_axes(first, second, mode, None, correlates)


def _of_axes(
    first: Sequence[int],
    second: Sequence[int],
    mode: str,
    axes: int | Iterable[int] | None,
    correlates: bool,
) -> Dimensions:
    if len(first) != len(second):
        raise PlanError("in1 and in2 should have the same dimensionality")
    _, given = lengths_and_axes([1] * len(first), None, axes)
    if not given and len(first):
        raise PlanError("when provided, axes cannot be empty")
    # Along an axis of one element a convolution is a product, unless the other input is reversed.
    chosen = {a for a in given if second[a] != 1 and (first[a] != 1 or correlates)}
    pairs = list(zip(first, second, strict=True))
    if any(a != b and 1 not in (a, b) for d, (a, b) in enumerate(pairs) if d not in chosen):
        raise PlanError(f"incompatible shapes for in1 and in2: {tuple(first)} and {tuple(second)}")
    if mode == "valid":
        _check_valid([pairs[axis] for axis in chosen])
    return tuple(_dimension(a, b, mode, d in chosen) for d, (a, b) in enumerate(pairs))


def check_mode(mode: str) -> None:
    """Refuse an unknown mode; the error is a ValueError."""
    if mode not in MODES:
        raise PlanError(f"acceptable mode flags are 'valid', 'same', or 'full', not {mode!r}")


def check_whole_valid(first: Sequence[int], second: Sequence[int], mode: str) -> None:
    """Refuse shapes that SciPy's `convolve` refuses with the mode "valid", also along axes of 1."""
    if mode == "valid":
        _check_valid(list(zip(first, second, strict=True)))


def _check_valid(pairs: Sequence[tuple[int, int]]) -> None:
    if not (all(a >= b for a, b in pairs) or all(b >= a for a, b in pairs)):
        raise PlanError(
            "For 'valid' mode, one must be at least as large as the other in every dimension"
        )


def _dimension(first: int, second: int, mode: str, convolved: bool) -> Dimension:
    whole = Dimension(first, second, 0, 0, convolved).full
    result = whole
    if mode == "same":
        result = first
    elif mode == "valid" and convolved:
        result = abs(first - second) + 1
    return Dimension(first, second, (whole - result) // 2, result, convolved)
