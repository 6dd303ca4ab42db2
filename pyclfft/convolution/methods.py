"""The methods of convolution, and the choice of the cheapest one from measured times.

The parameters of a convolution come from what was measured for its class of problems, or else from
the defaults of the device's kind: `parameters_of` finds them, and `Costs` holds those that decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from math import log2, prod

import numpy as np
import pyopencl as cl

from ..planning.factor import next_power_of_two
from ..planning.lookup import ROWS, Workclass
from ..planning.parameters import (
    CONVOLVE_METHODS,
    COSTS,
    GIVEN,
    Given,
    Parameters,
    parameters_for,
)
from ..planning.precision import READABLE
from ..planning.problem import Problem
from ..planning.traits import Traits
from ..runtime import wisdom
from .blocks import (
    Blocks,
    Fast,
    blocks_of,
    fast_and_smooth,
    fast_on_cpu,
    fast_on_gpu,
    operations,
)
from .line_plans import MIN_TAPS
from .shapes import Dimension, Dimensions, longer_first

DIRECT, FFT, PARTITIONED = METHODS = CONVOLVE_METHODS
AUTO = "auto"

MAX_CHOICES = 256  # of methods and of blocks that are remembered for later calls
EXACT_INTEGERS = 2**52 - 1  # sums of integers up to here are exact after rounding a float64


@dataclass(frozen=True)
class Costs:
    """What decides between the ways of convolution on a device. Times are in nanoseconds.

    Attributes
    ----------
    direct, spectral : float
        The time of the smallest convolution by each way.
    product : float
        The time of one tap of the direct kernel for all arrays, definition.cl.
    register : float
        The time of one tap of the direct kernel for one axis, registers.cl.
    edge : float
        The time of one tap of that kernel for a result that not all taps contribute to: it leaves
        out, lane by lane, what does not exist.
    operation : float
        The time of one operation (`blocks.operations`) at one point of a transform.
    cached : float
        The points of a transform up to which it stays in a core's cache.
    uncached : float
        The operations that each doubling of a longer transform adds to the cost of its points.
    method : str
        The method that "auto" stands for; empty if the times decide.
    block : int
        The length of the blocks of the method "partitioned"; 0 if the times decide.
    lengths : {"cpu", "gpu", "powers", "smooth"}
        A key of `LENGTHS`: which lengths transforms of whole axes have.
    """

    direct: float
    spectral: float
    product: float
    register: float
    edge: float
    operation: float
    cached: float
    uncached: float
    method: str = ""
    block: int = 0
    lengths: str = "cpu"

    @property
    def fast(self) -> Fast:
        """The function that chooses the length of a transform of a whole axis."""
        return LENGTHS[self.lengths]


# By the names of `Costs.lengths`, the functions that choose the length of a transform.
LENGTHS: dict[str, Fast] = {
    "cpu": fast_on_cpu,
    "gpu": fast_on_gpu,
    "powers": next_power_of_two,
    "smooth": fast_and_smooth,
}


def costs_of(traits: Traits, parameters: Parameters | None = None) -> Costs:
    """Return what decides on a device; without parameters, by the defaults of its kind."""
    known = parameters or parameters_for(traits)
    rule = "cpu" if traits.is_cpu else "gpu"
    return Costs(
        **{name: known[f"cost_{name}"] for name, *_ in COSTS},
        method=known["convolve_method"],
        block=known["convolve_block"],
        lengths={0: "smooth", 1: "powers"}.get(known["convolve_lengths"], rule),
    )


def workclass_of(dimensions: Dimensions, precision: str) -> Workclass:
    """Return the class under which parameters of a convolution are measured and found.

    Real and complex inputs, and convolution and correlation, make no difference.
    """
    dimensions = longer_first(dimensions)
    axes = [each for each in dimensions if each.convolved]
    batch = prod(each.result for each in dimensions if not each.convolved)
    mode = next(_modes(axes))
    lengths = (*(each.first for each in axes), *(each.second for each in axes))
    batch = max(1, batch).bit_length() - 1
    return Workclass(f"convolve-{mode}", precision, lengths, ROWS, batch)


def _modes(axes: Sequence[Dimension]) -> Iterator[str]:
    """Yield the modes that describe the part of the result that is wanted."""
    if all(each.result == each.full for each in axes):
        yield "full"
    if all(each.result == abs(each.first - each.second) + 1 for each in axes):
        yield "valid"
    yield "same"


def parameters_of(
    chosen: cl.Device,
    dimensions: Dimensions,
    precision: str,
    values: Given = (),
    problem: Problem | None = None,
) -> Parameters:
    """Return the parameters of a convolution, or of a transform within it, on a device.

    Parameters
    ----------
    chosen : pyopencl.Device
        The device.
    dimensions : tuple of Dimension
        The dimensions of the convolution.
    precision : {"single", "double"}
        The precision in which transforms would convolve.
    values : tuple of (str, object)
        Parameters that count more than any that were measured.
    problem : Problem, optional
        The transform.

    Returns
    -------
    found : Parameters
    """
    convolves = any(each.convolved for each in dimensions)
    within = workclass_of(dimensions, precision) if convolves else None
    found = wisdom.parameters_of(chosen, problem, within=within)
    return found.over(dict(values), GIVEN) if values else found


def _point_cost(costs: Costs, length: int) -> float:
    doublings = max(0.0, log2(length / costs.cached))
    return operations(length) + costs.uncached * doublings


@lru_cache(MAX_CHOICES)
def cut_for(dimensions: Dimensions, costs: Costs) -> tuple[Blocks, ...]:
    """Return the blocks of the method "partitioned", whose transforms cost least on a device."""
    return blocks_of(dimensions, True, partial(_point_cost, costs), costs.fast, costs.block)


@lru_cache(MAX_CHOICES)
def whole_for(dimensions: Dimensions, costs: Costs) -> tuple[Blocks, ...]:
    """Return the blocks of the method "fft", which are whole axes."""
    return blocks_of(dimensions, False, fast=costs.fast)


def is_cut(dimensions: Dimensions, costs: Costs) -> bool:
    """Return whether the method "partitioned" cuts anything, rather than being "fft"."""
    return any(each.count > 1 for each in cut_for(longer_first(dimensions), costs))


def spectral_time(dimensions: Dimensions, blocks: tuple[Blocks, ...], costs: Costs) -> float:
    """Return the time that a convolution by transforms is expected to take, in nanoseconds."""
    batch = [each for each in dimensions if not each.convolved]
    points = prod(each.length for each in blocks)
    firsts = prod(each.first for each in batch) * prod(each.count for each in blocks)
    seconds = prod(each.second for each in batch)
    both = prod(each.full for each in batch) * prod(each.count for each in blocks)
    each_point = sum(_point_cost(costs, each.length) for each in blocks)
    return costs.spectral + (firsts + seconds + both) * points * each_point * costs.operation


def direct_time(dimensions: Dimensions, costs: Costs, in_registers: bool) -> float:
    """Return the time that the direct kernel is expected to take, in nanoseconds."""
    taps = prod(map(_taps, dimensions))
    if not in_registers:
        return costs.direct + taps * costs.product
    edges = _at_edges(next(each for each in dimensions if each.convolved))
    each = costs.register * (1 - edges) + costs.edge * edges
    return costs.direct + taps * each


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
    dimensions: Dimensions, costs: Costs, registers: bool = False
) -> dict[str, float]:
    """Return the nanoseconds that each method is expected to take on a device, by its name.

    The method "partitioned" is left out if it would not cut anything. `registers` says whether
    registers.cl would add the products (see `in_registers`).
    """
    dimensions = longer_first(dimensions)
    whole, cut = whole_for(dimensions, costs), cut_for(dimensions, costs)
    times = {
        DIRECT: direct_time(dimensions, costs, registers),
        FFT: spectral_time(dimensions, whole, costs),
    }
    if any(each.count > 1 for each in cut):
        times[PARTITIONED] = spectral_time(dimensions, cut, costs)
    return times


@lru_cache(MAX_CHOICES)
def cheapest(dimensions: Dimensions, costs: Costs, registers: bool = False) -> str:
    """Return the method for "auto": a measured one, or that of the least expected time."""
    if not any(each.convolved for each in dimensions):
        return DIRECT
    if costs.method:
        return costs.method
    times = expected_times(dimensions, costs, registers)
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
