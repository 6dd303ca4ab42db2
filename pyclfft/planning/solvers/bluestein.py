"""Bluestein's algorithm: a transform of any length as a cyclic convolution of a smooth length.

As jk = (j^2 + k^2 - (k - j)^2) / 2, the transform multiplies the points by a chirp, convolves them
with the conjugate chirp, and multiplies the results by the chirp again. The convolution takes a
transform of m >= 2n - 1 points, a product with a spectrum that is known beforehand, and a transform
back.

If m points fit a work-group, all of this is one launch. Otherwise the points of the convolution
stand as a matrix whose rows fit. The first launches transform the columns, in steps as in the
four-step algorithm, but leave the results where the points were; one launch convolves all rows; the
last launches transform the columns back.

References
----------
L. I. Bluestein, "A linear filtering approach to the computation of discrete Fourier transform",
IEEE Trans. Audio Electroacoustics AU-18 (1970).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod

from ..batch import Batch, Dimension
from ..factor import divisors, is_power_of_two, next_power_of_two, splits
from ..parameters import Parameters
from ..passes import Pass
from ..problem import Layout, Problem
from ..tables import ChirpSpectrum
from ..traits import Traits
from .launches import Launch, Step, step_passes, with_groups
from .solver import Solver
from .steps import axis_batch, axis_length, layout_bytes, resting_layout, single_axis
from .stockham import (
    CONJUGATE_OUT,
    TURN_IN,
    TURN_OUT,
    Ends,
    in_one_launch,
    relative_time,
    whole_ends,
)

MAX_STEPS = 4
LENGTHS_TRIED = 2
# The times of a transform without exchanges, of each exchange in a launch that convolves, and of
# each exchange in another step, relative to the time to move a point. And the factor of an exchange
# whose work-items divide. They were fitted to an H200's times.
TRANSFORM, EXCHANGE, STEP_EXCHANGE, DIVIDING = 0.08, 0.21, 0.32, 1.25
ODD = (1, 3, 5, 9, 27, 81)  # the odd factors that the length of a convolution may have
MIN_COLUMN, MAX_ROW = 16, 8192  # in steps: the least length of the longest column, the longest row


def plan(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...] | None:
    """Return one pass, or three passes or more, or None if the convolution fits no work-groups."""
    steps = quickest_steps(problem, traits, parameters) if single_axis(problem) else None
    return None if steps is None else step_passes(problem, steps)


def quickest_steps(
    problem: Problem, traits: Traits, parameters: Parameters
) -> tuple[Step, ...] | None:
    """Return the steps of the quickest convolution that fits, or None if none does.

    If one launch fits, it is taken; otherwise as few launches as possible.
    """
    for ways in _ways(problem):
        fitting = [
            steps
            for factors in ways
            if (steps := with_groups(problem, _launches(problem, factors), traits, parameters))
        ]
        if fitting:
            # If two are as quick by this reckoning, longer rows are better: they stay in a group.
            return min(
                fitting,
                key=lambda each: (time_of(each, problem.precision, traits), -_longest(each)),
            )
    return None


def _launches(problem: Problem, factors: tuple[int, ...]) -> list[Launch]:
    return [_in_one(problem, *factors)] if len(factors) == 1 else _in_steps(problem, factors)


def time_of(steps: tuple[Step, ...], precision: str, traits: Traits) -> float:
    """Return about how long the steps take, as a multiple of the time to move one point once."""
    return sum(
        each.batch.count
        * (
            min(each.batch.n, each.ends.length)
            * relative_time(each.batch, each.ends, each.group, precision)
            + each.batch.n * _transform_time(each)
        )
        * max(1, traits.compute_units * each.group.transforms / each.batch.count)  # if cores idle
        for each in steps
    )


def _transform_time(step: Step) -> float:
    """Return about how long a point's transforms take, as a multiple of the time to move it.

    The exchanges between stages decide. They take longer if the length is no power of two, because
    work-items then divide to find their points.
    """
    transforms, exchange = (2, EXCHANGE) if step.ends.spectrum else (1, STEP_EXCHANGE)
    exchange *= 1 if is_power_of_two(step.batch.n) else DIVIDING
    return transforms * (TRANSFORM + exchange * (len(step.group.stages.radices) - 1))


def _longest(steps: tuple[Step, ...]) -> int:
    return max(each.batch.n for each in steps)


def _ways(problem: Problem) -> Iterator[list[tuple[int, ...]]]:
    """Yield lists of convolutions to choose from, each convolution as its factors.

    The lists with fewer launches come first.
    """
    _, ends = in_one_launch(problem)
    yield [(m,) for m in convolution_lengths(ends.length)]
    for parts in range(2, MAX_STEPS + 1):
        lengths = convolution_lengths(axis_length(problem))
        yield [factors for m in lengths for factors in _row_splits(m, parts)]


def _row_splits(m: int, parts: int) -> list[tuple[int, ...]]:
    """Return splits of m into lengths of columns and, as the last factor, the length of rows.

    The lengths of columns are as even as possible, and none is longer than the rows.
    """
    return [
        (*columns, row)
        for row in divisors(m)
        for columns in splits(m // row, parts - 1)[:1]
        if MIN_COLUMN <= max(columns) <= row <= MAX_ROW
    ]


def convolution_lengths(n: int) -> tuple[int, ...]:
    """Return lengths that hold the convolution of n points and have quick stages.

    These are the shortest ones that are a power of two times one of the numbers in `ODD`, and the
    shortest power of two.
    """
    least = 2 * n - 1
    lengths = sorted(odd * next_power_of_two(-(-least // odd)) for odd in ODD)
    return tuple(dict.fromkeys((*lengths[:LENGTHS_TRIED], next_power_of_two(least))))


def _in_one(problem: Problem, m: int) -> Launch:
    batch, ends = in_one_launch(problem, m)
    spectrum = ChirpSpectrum(ends.length, (m,), problem.precision)
    ends = replace(ends, real_origin=problem.kind == "r2c" and not ends.packed)
    return batch, replace(ends, chirp_first=True, chirp_last=True, spectrum=spectrum), 0


def _in_steps(problem: Problem, factors: tuple[int, ...]) -> list[Launch]:
    """Return the launches that transform columns, convolve rows, and transform columns back.

    All but the first and the last launch work in place.
    """
    n, m = axis_length(problem), prod(factors)
    place = resting_layout(problem, m)
    nbytes = layout_bytes(problem, place)
    first, last = _outer_ends(problem)
    *columns, row = factors
    forward, back = [], []
    for number, factor in enumerate(columns):
        left = prod(factors[number:])
        outermost = number == 0
        ends = Ends("COMPLEX", "COMPLEX", factor, left, left, twist=left)
        there = replace(first, outputs=m, twist=m) if outermost else ends
        here = replace(last, filled=m, twist=m) if outermost else ends
        source, target = (problem.source, problem.target) if outermost else (place, place)
        batches = (
            _columns(problem, factors, number, source, place),
            _columns(problem, factors, number, place, target),
        )
        forward.append((batches[0], there, nbytes))
        back.append((batches[1], replace(here, twist_first=True), 0 if outermost else nbytes))
    rows = axis_batch(
        problem, row, [Dimension(m // row, row, row, column=1)], source=place, target=place
    )
    spectrum = ChirpSpectrum(n, factors, problem.precision)
    ends = Ends("COMPLEX", "COMPLEX", row, row, row, spectrum=spectrum)
    return [*forward, (rows, ends, nbytes), *reversed(back)]


def _outer_ends(problem: Problem) -> tuple[Ends, Ends]:
    """Return the ends of the first and of the last step of a convolution in steps."""
    whole = whole_ends(problem)
    first = replace(whole, target="COMPLEX", flags=whole.flags & ~TURN_OUT, chirp_first=True)
    last = replace(whole, source="COMPLEX", flags=whole.flags & ~TURN_IN, chirp_last=True)
    if problem.kind == "r2c":  # all results are computed, the first half is stored
        last = replace(last, flags=whole.flags & CONJUGATE_OUT, real_origin=True)
        first = replace(first, flags=0)
    return first, last


def _columns(
    problem: Problem, factors: tuple[int, ...], number: int, source: Layout, target: Layout
) -> Batch:
    """Return the columns of step `number`, whose results lie where the points were."""
    factor, rest = factors[number], prod(factors[number + 1 :])
    dimensions = [
        Dimension(rest, 1, 1, column=1),
        Dimension(prod(factors[:number]), factor * rest, factor * rest),
    ]
    columns = (rest, rest)
    return axis_batch(problem, factor, dimensions, columns=columns, source=source, target=target)


SOLVER = Solver("bluestein", "a length that a work-group or a few convolve", plan)
