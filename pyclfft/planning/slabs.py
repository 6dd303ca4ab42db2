"""Slabs: a transform as steps that each need only a part of the array at a time.

An array may be too large for a device, or lie in parts on several machines. A transform along some
axes can then be made in steps. A step transforms axes that each part holds whole, and the parts are
cut along other axes. Between two steps the data changes places: over the host's memory
(`runtime/pieces.py`) or over a network (`distributed/`).

A single row has no other axis to cut. `four_step` makes an array of two axes of it: if
``n = rows * columns`` and the row is seen as an array of that shape, then its transform is that of
all columns, a multiplication by ``exp(sign * 2 pi i * r * c / n)``, the transform of all rows, and
a transposition.

References
----------
D. H. Bailey, "FFTs in external or hierarchical memory", Journal of Supercomputing 4 (1990) 23-35.
D. Pekurovsky, "P3DFFT: a framework for parallel computations of Fourier transforms in three
dimensions", SIAM Journal on Scientific Computing 34 (2012) C192-C209.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isqrt, prod

import numpy as np

from .roots import roots_of_unity


@dataclass(frozen=True)
class Step:
    """One step of a transform in parts.

    Attributes
    ----------
    axes : tuple of int
        The axes that are transformed; each part holds them whole. They may be none.
    cut : tuple of int
        The axes along which the array is cut into parts.
    """

    axes: tuple[int, ...]
    cut: tuple[int, ...]


def ranges(length: int, parts: int) -> tuple[slice, ...]:
    """Cut `length` elements into neighbouring ranges whose lengths differ by at most one.

    Parameters
    ----------
    length : int
        How many elements there are.
    parts : int
        How many ranges are made; the last ones are empty if there are more than elements.

    Returns
    -------
    tuple of slice
        The longer ranges come first.
    """
    each, more = divmod(length, parts)
    starts = [part * each + min(part, more) for part in range(parts + 1)]
    return tuple(slice(begin, end) for begin, end in itertools.pairwise(starts))


def steps(shape: Sequence[int], axes: Sequence[int], cuts: int = 1) -> tuple[Step, ...]:
    """Plan a transform in parts that are cut along `cuts` axes at once.

    Parameters
    ----------
    shape : sequence of int
        The shape of the array.
    axes : sequence of int
        The axes to transform, each at least 0 and named once; the last one is transformed in the
        first step, as the transforms of real input need it.
    cuts : int
        1 cuts slabs, 2 cuts pencils.

    Returns
    -------
    tuple of Step
        Each step holds whole what it transforms. An axis that is not transformed is cut in
        preference to one that is, and the first of several axes, whose parts lie together in
        memory. One step is enough if `cuts` axes are not transformed.

    Raises
    ------
    ValueError
        The array has no axis left to cut: it needs `cuts` axes more than one that is transformed.
    """
    free = [axis for axis in range(len(shape)) if axis not in axes and shape[axis] > 1]
    left = list(axes)
    planned: list[Step] = []
    while left:
        # The last axis always belongs to a step; of the others, those that are cut wait.
        last = left[-1]
        waiting = [axis for axis in range(len(shape)) if axis in left and axis != last]
        done = [axis for axis in range(len(shape)) if axis in axes and axis not in left]
        cut = (free + waiting + done)[:cuts]
        if len(cut) < cuts:
            raise ValueError(f"an array of shape {tuple(shape)} has no {cuts} axes to cut")
        whole = tuple(axis for axis in left if axis not in cut)
        planned.append(Step(whole, tuple(sorted(cut))))
        left = [axis for axis in left if axis in cut]
    return tuple(planned)


def steps_within(shape: Sequence[int], axes: Sequence[int], most: int) -> tuple[Step, ...]:
    """Plan a transform in few steps whose parts have at most `most` elements.

    Each step moves the whole array, so the fewest steps are the quickest.

    Parameters
    ----------
    shape : sequence of int
        The shape of the array.
    axes : sequence of int
        The axes to transform, each at least 0 and named once; the last one is transformed in the
        first step.
    most : int
        How many elements a part may have.

    Returns
    -------
    tuple of Step
        Each step holds whole what it transforms, and may be cut along all other axes. If a single
        axis has more than `most` elements, then it is alone in its step, and no part of that step
        fits: the axis has to be transformed by `four_step`.
    """
    left = list(axes)
    planned: list[Step] = []
    while left:
        whole = {left[-1]}
        for axis in sorted(left[:-1], reverse=True):  # inner axes first: they lie closer together
            if prod(shape[each] for each in (*whole, axis)) <= most:
                whole.add(axis)
        free = (axis for axis in range(len(shape)) if axis not in whole and shape[axis] > 1)
        planned.append(Step(tuple(axis for axis in left if axis in whole), tuple(free)))
        left = [axis for axis in left if axis not in whole]
    return tuple(planned)


def parts(shape: Sequence[int], whole: Sequence[int], most: int) -> list[tuple[slice, ...]]:
    """Cut an array into parts of nearly equal sizes, of at most `most` elements each.

    Outer axes are cut before inner ones. So the neighbours within a part are, as far as possible,
    neighbours in memory; and if no axis is `whole`, then each part of an array in C order is one
    stretch of memory.

    Parameters
    ----------
    shape : sequence of int
        The shape of the array.
    whole : sequence of int
        The axes that must not be cut.
    most : int
        How many elements a part may have.

    Returns
    -------
    list of tuple of slice
        The places of each part along each axis, in C order. An array without elements has no parts.

    Raises
    ------
    ValueError
        The `whole` axes alone have more than `most` elements.
    """
    extents = list(shape)
    for axis in range(len(shape)):
        if axis not in whole and prod(extents) > most:
            others = prod(extents) // extents[axis]
            extents[axis] = max(1, most // others)
    if prod(extents) > most:
        raise ValueError(f"a part of shape {tuple(extents)} has more than {most:,} elements")
    if 0 in extents:
        return []
    cuts = (
        ranges(length, -(-length // extent)) for length, extent in zip(shape, extents, strict=True)
    )
    return list(itertools.product(*cuts))


def four_step(length: int) -> tuple[int, int]:
    """Return the factors ``(rows, columns)`` of `length` that are nearest to each other.

    ``rows <= columns``; a prime length gives ``(1, length)``, which cannot be cut.
    """
    rows = next(each for each in range(isqrt(length), 0, -1) if length % each == 0)
    return rows, length // rows


def four_step_within(length: int, most: int) -> tuple[int, int]:
    """Return the factors ``(rows, columns)`` of `four_step` for a row that is longer than `most`.

    Raises
    ------
    ValueError
        No two factors of `length` are both at most `most`. The message names the nearest longer
        length that has two.
    """
    rows, columns = four_step(length)
    if columns <= most:
        return rows, columns
    remedy = f"its factors nearest to each other are {rows:,} and {columns:,}"
    if most >= 2 * isqrt(length):
        root = isqrt(length - 1) + 1
        remedy += f"; another length such as {root * -(-length // root):,} has nearer ones"
    raise ValueError(
        f"a row of {length:,} numbers does not fit, and it cannot be cut into parts of at most "
        f"{most:,} numbers: {remedy}, or allow more memory"
    )


def square_step(length: int, most: int, run: int) -> tuple[int, int] | None:
    """Return how a row is transformed in place in two steps, as an array of three axes.

    The row is seen as an array of shape ``(first, middle, first)``. The first step transforms the
    first axis and lets it change places with the last one. So what a part of the middle axis holds
    stays in the part's own memory. The second step transforms the first two axes as one, and leaves
    the result in order.

    Parameters
    ----------
    length : int
        The length of the row.
    most : int
        How many elements a part may have.
    run : int
        How many neighbours a part of the second step must have at least, along the last axis.

    Returns
    -------
    (int, int) or None
        ``(first, middle)``; None if the length has no square factor that makes parts small enough.
    """
    for first in range(isqrt(most), 1, -1):
        middle, rest = divmod(length, first * first)
        if middle and not rest and first * middle * min(run, first) <= most:
            return first, middle
    return None


@dataclass(frozen=True, eq=False)
class Twiddles:
    """The roots ``exp(sign * 2 pi i k / n)`` for ``0 <= k < n``, each the product of two entries.

    Attributes
    ----------
    shift : int
        The bit at which an exponent is cut in two.
    fine : ndarray
        The roots whose exponents are 0, 1, ... below ``2 ** shift``.
    coarse : ndarray
        The roots whose exponents are the multiples of ``2 ** shift`` below n.
    """

    shift: int
    fine: np.ndarray
    coarse: np.ndarray


@lru_cache(maxsize=8)
def twiddles_of(length: int, direction: str, precision: str) -> Twiddles:
    """Return the tables for the multiplication between the columns and the rows of `four_step`.

    Parameters
    ----------
    length : int
        The length n of the row.
    direction : {"forward", "inverse"}
        The sign of the exponents: minus for "forward".
    precision : {"single", "double"}
        The precision of the tables, each entry of which is rounded once.

    Returns
    -------
    Twiddles
        Two tables of about ``sqrt(n)`` entries each.
    """
    shift = (length.bit_length() + 1) // 2
    fine = roots_of_unity(length, precision, np.arange(min(length, 1 << shift), dtype=np.int64))
    powers = np.arange(0, length, 1 << shift, dtype=np.int64)
    coarse = roots_of_unity(length, precision, powers)
    if direction == "inverse":
        fine, coarse = fine.conj(), coarse.conj()
    return Twiddles(shift, fine, coarse)
