"""The methods of convolution, and the choice of the cheapest one from measured times."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from math import log2, prod

import numpy as np

from ..planning.precision import READABLE
from ..planning.traits import Traits
from .blocks import Blocks, Fast, blocks_of, fast_on_cpu, fast_on_gpu, operations
from .line_plans import MIN_TAPS
from .shapes import Dimension, Dimensions, longer_first

DIRECT, FFT, PARTITIONED = METHODS = ("direct", "fft", "partitioned")
AUTO = "auto"

MAX_CHOICES = 256  # of methods and of blocks that are remembered for later calls
EXACT_INTEGERS = 2**52 - 1  # sums of integers up to here are exact after rounding a float64


@dataclass(frozen=True)
class Costs:
    """Measured times on one kind of device, in nanoseconds.

    Attributes
    ----------
    direct_call, spectral_call : float
        The time of the smallest convolution by each way.
    multiply_add : float
        The time of one tap of the direct kernel for all arrays, definition.cl.
    in_registers : float
        The time of one tap of the direct kernel for one axis, registers.cl.
    at_edges : float
        The time of one tap of that kernel for a result that not all taps contribute to: it leaves
        out, lane by lane, what does not exist.
    operation : float
        The time of one operation (`blocks.operations`) at one point of a transform.
    cached_points : int
        The points of a transform up to which it stays in a core's cache.
    uncached : float
        The operations that each doubling of a longer transform adds to the cost of its points.
    """

    direct_call: float
    spectral_call: float
    multiply_add: float
    in_registers: float
    at_edges: float
    operation: float
    cached_points: int
    uncached: float


# Those of CPUs were measured as processor time, with Intel's runtime on 2 cores of an AMD EPYC (Zen
# 5). Those of GPUs were measured on an H200.
COSTS = {
    "cpu": Costs(45e3, 85e3, 0.65, 0.022, 0.25, 0.07, 2**15, 3.4),
    "gpu": Costs(30e3, 120e3, 4e-4, 6.5e-5, 6.5e-5, 5e-4, 2**14, 1.0),
}


def costs_of(traits: Traits) -> Costs:
    """Return the times of a device's kind."""
    return COSTS["cpu" if traits.is_cpu else "gpu"]


def _point_cost(costs: Costs, length: int) -> float:
    doublings = max(0.0, log2(length / costs.cached_points))
    return operations(length) + costs.uncached * doublings


@lru_cache(MAX_CHOICES)
def cut_for(dimensions: Dimensions, traits: Traits) -> tuple[Blocks, ...]:
    """Return the blocks of the method "partitioned", whose transforms cost least on a device."""
    return blocks_of(dimensions, True, partial(_point_cost, costs_of(traits)), _fast(traits))


@lru_cache(MAX_CHOICES)
def whole_for(dimensions: Dimensions, traits: Traits) -> tuple[Blocks, ...]:
    """Return the blocks of the method "fft", which are whole axes."""
    return blocks_of(dimensions, False, fast=_fast(traits))


def _fast(traits: Traits) -> Fast:
    return fast_on_cpu if traits.is_cpu else fast_on_gpu


def is_cut(dimensions: Dimensions, traits: Traits) -> bool:
    """Return whether the method "partitioned" cuts anything, rather than being "fft"."""
    return any(each.count > 1 for each in cut_for(longer_first(dimensions), traits))


def spectral_time(dimensions: Dimensions, blocks: tuple[Blocks, ...], costs: Costs) -> float:
    """Return the time that a convolution by transforms is expected to take, in nanoseconds."""
    batch = [each for each in dimensions if not each.convolved]
    points = prod(each.length for each in blocks)
    firsts = prod(each.first for each in batch) * prod(each.count for each in blocks)
    seconds = prod(each.second for each in batch)
    both = prod(each.full for each in batch) * prod(each.count for each in blocks)
    each_point = sum(_point_cost(costs, each.length) for each in blocks)
    return costs.spectral_call + (firsts + seconds + both) * points * each_point * costs.operation


def direct_time(dimensions: Dimensions, costs: Costs, in_registers: bool) -> float:
    """Return the time that the direct kernel is expected to take, in nanoseconds."""
    taps = prod(map(_taps, dimensions))
    if not in_registers:
        return costs.direct_call + taps * costs.multiply_add
    edges = _at_edges(next(each for each in dimensions if each.convolved))
    each = costs.in_registers * (1 - edges) + costs.at_edges * edges
    return costs.direct_call + taps * each


def _at_edges(axis: Dimension) -> float:
    """Return the part of the results that not all taps contribute to."""
    short, long = sorted((axis.first, axis.second))
    whole = min(axis.start + axis.result, long) - max(axis.start, short - 1)
    return 1 - max(whole, 0) / axis.result


def in_registers(dimensions: Dimensions, first: np.dtype, second: np.dtype) -> bool:
    """Whether registers.cl adds the products of arrays of these dtypes, along one axis."""
    axes = [each for each in dimensions if each.convolved]
    floats = {READABLE[each][0] if each in READABLE else None for each in (first, second)}
    return (
        len(axes) == 1
        and len(floats) == 1
        and None not in floats
        and min(axes[0].first, axes[0].second) >= MIN_TAPS
    )


def _taps(each: Dimension) -> int:
    """Return how many pairs of elements meet along a dimension, about."""
    return each.result * (min(each.first, each.second) if each.convolved else 1)


def expected_times(
    dimensions: Dimensions, traits: Traits, registers: bool = False
) -> dict[str, float]:
    """Return the nanoseconds that each method is expected to take on a device, by its name.

    The method "partitioned" is left out if it would not cut anything. `registers` says whether
    registers.cl would add the products (see `in_registers`).
    """
    costs = costs_of(traits)
    dimensions = longer_first(dimensions)
    whole, cut = whole_for(dimensions, traits), cut_for(dimensions, traits)
    times = {
        DIRECT: direct_time(dimensions, costs, registers),
        FFT: spectral_time(dimensions, whole, costs),
    }
    if any(each.count > 1 for each in cut):
        times[PARTITIONED] = spectral_time(dimensions, cut, costs)
    return times


@lru_cache(MAX_CHOICES)
def cheapest(dimensions: Dimensions, traits: Traits, registers: bool = False) -> str:
    """Return the method that is expected to take the least time on a device."""
    if not any(each.convolved for each in dimensions):
        return DIRECT
    times = expected_times(dimensions, traits, registers)
    return min(times, key=times.__getitem__)


def needs_exact_sums(first: object, second: object, terms: int) -> bool:
    """Whether sums of integers may be too large for transforms in double precision.

    Parameters
    ----------
    first, second : ndarray or pyopencl.array.Array
        The inputs. Of device arrays only the dtypes count.
    terms : int
        The most products in a sum.

    Returns
    -------
    bool
        False if neither input is of an integer dtype.
    """
    if not any(each.dtype.kind in "iu" for each in (first, second)):  # type: ignore[attr-defined]
        return False
    return _greatest(first) * _greatest(second) * terms > EXACT_INTEGERS


def _greatest(array: object) -> float:
    """Return the greatest magnitude in an array, or that its dtype allows if it is on a device."""
    dtype: np.dtype = array.dtype  # type: ignore[attr-defined]
    if isinstance(array, np.ndarray):
        return float(np.max(np.abs(array.astype(np.float64) if dtype.kind in "iu" else array)))
    return float(np.iinfo(dtype).max) + 1 if dtype.kind in "iu" else 1.0
