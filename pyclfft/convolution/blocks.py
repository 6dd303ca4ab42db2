"""Blocks: how long the transforms of a convolution are, and into how many it is cut.

Along each axis, the first input is transformed as a whole, or it is cut into blocks that overlap by
one value less than the second input has (overlap-save). Then the first results of each block, which
wrap around, are dropped.

References
----------
A. V. Oppenheim, R. W. Schafer, "Discrete-Time Signal Processing", section 8.7, for overlap-save.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log2

from ..planning.factor import next_fast_len, next_power_of_two
from .shapes import Dimension, Dimensions

MIN_BLOCK = 64
WHOLE_PRIMES = (2, 3, 5, 7)  # of the lengths of transforms: with these, few lengths are needed
# Transforms of at least so many points have lengths that are multiples of such a power of two:
# their other factors cost more than a slightly longer transform.
MULTIPLES = ((4096, 64), (256, 16), (2, 2), (1, 1))
# On GPUs: the odd factors that a length may have, and how much longer a transform takes for each
# doubling of its odd factor, relative to a power of two (fitted to an H200's times).
GPU_ODD, DIVIDING = (1, 3, 5, 7, 9, 15, 21, 25, 27), 0.1
BLOCK_POINTS = 600  # operations that the beginning of each transform costs beside its points'
MIN_GAIN = 0.9  # of the cost of a whole axis: blocks that cost more than this part are not worth it


Fast = Callable[[int], int]


@dataclass(frozen=True)
class Blocks:
    """How one axis is cut.

    Attributes
    ----------
    count : int
        The number of blocks; 1 if the axis is transformed as a whole.
    length : int
        The length of each transform.
    hop : int
        How far the beginnings of neighbouring blocks are apart.
    skip : int
        The number of first results of a block that are dropped. The first block begins as many
        values before the input.
    """

    count: int
    length: int
    hop: int
    skip: int


def whole(axis: Dimension, fast: Fast) -> Blocks:
    """Return the transform of a whole axis, of a length that `fast` chooses.

    It may be shorter than the full result: what wraps around must only miss the wanted part.
    """
    needed = max(axis.first, axis.second, axis.start + axis.result, axis.full - axis.start)
    return Blocks(1, fast(needed), 0, 0)


def fast_on_cpu(length: int) -> int:
    """Return the least length of a fast transform on a CPU that is not below a length."""
    multiple = next(each for least, each in MULTIPLES if length >= least)
    return multiple * next_fast_len(-(-length // multiple), WHOLE_PRIMES)


def fast_and_smooth(length: int) -> int:
    """Return the least length without prime factors above 7 that is not below a length."""
    return next_fast_len(length, WHOLE_PRIMES)


def fast_on_gpu(length: int) -> int:
    """Return a length that is not below another one and whose transforms are quick on a GPU.

    Powers of two are quickest: for others, work-items divide to find their points.
    """
    lengths = [odd * next_power_of_two(max(2, -(-length // odd))) for odd in GPU_ODD]
    return min(lengths, key=lambda each: each * (1 + DIVIDING * log2(_odd_part(each))))


def _odd_part(n: int) -> int:
    return n // (n & -n)


def cut(axis: Dimension, length: int) -> Blocks:
    """Return the blocks of a length, which must be at least the length of the second input."""
    skip = axis.second - 1
    hop = length - skip
    return Blocks(-(-axis.full // hop), length, hop, skip)


def cheapest_cut(axis: Dimension, cost: Callable[[int], float], fast: Fast) -> Blocks:
    """Return the blocks whose transforms cost least together.

    Parameters
    ----------
    axis : Dimension
        The axis to cut.
    cost : function
        The cost of a transform for each of its points, by its length.
    fast : function
        Returns the length of a transform of a whole axis, at least the length that it is given.

    Returns
    -------
    Blocks
        The whole axis unless cutting it costs clearly less.
    """
    best = whole(axis, fast)
    least = MIN_GAIN * best.length * cost(best.length)
    length = max(MIN_BLOCK, 1 << axis.second.bit_length())
    while length < best.length or length < axis.full:
        blocks = cut(axis, length)
        price = blocks.count * length * cost(length)
        if price < least and blocks.count > 1:
            best, least = blocks, price
        length *= 2
    return best


def operations(length: int) -> float:
    """Return the cost of each point of a transform: that of its passes, and of its beginning."""
    return log2(length) + 1 + BLOCK_POINTS / length


def blocks_of(
    dimensions: Dimensions,
    partitioned: bool,
    cost: Callable[[int], float] = operations,
    fast: Fast = fast_on_cpu,
    wanted: int = 0,
) -> tuple[Blocks, ...]:
    """Return the blocks of every convolved axis.

    Parameters
    ----------
    dimensions : tuple of Dimension
        The dimensions of the convolution.
    partitioned : bool
        Whether an axis may be cut, if its first input is longer than its second one.
    cost : function
        The cost of a transform for each of its points, by its length.
    fast : function
        Returns the length of a transform of a whole axis, at least the length that it is given.
    wanted : int
        The length of blocks. Where it would not cut an axis, or is 0, the costs decide.

    Returns
    -------
    tuple of Blocks
    """
    axes = [each for each in dimensions if each.convolved]
    if not partitioned:
        return tuple(whole(each, fast) for each in axes)
    return tuple(_cut_or_whole(each, cost, fast, wanted) for each in axes)


def _cut_or_whole(axis: Dimension, cost: Callable[[int], float], fast: Fast, wanted: int) -> Blocks:
    if axis.first <= axis.second:
        return whole(axis, fast)
    if axis.second <= wanted < axis.first:
        return cut(axis, wanted)
    return cheapest_cut(axis, cost, fast)
