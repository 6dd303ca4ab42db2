"""The four-step algorithm: a long transform as sets of short ones, two of them or more.

The points stand as a matrix of n1 rows. Its columns are transformed, multiplied by roots of unity,
and left as rows of n1 points; what is left is a transform along the other side of the matrix, of
which n1 run beside each other: in place if it is short enough, or again in steps.

Real input has its columns transformed two at a time. Only half of the results of each are needed,
as the columns of the other half would give the conjugates of what these give: half the work, half
the traffic. Real output is the same in reverse.

References
----------
D. H. Bailey, "FFTs in external or hierarchical memory", J. Supercomputing 4 (1990).
"""

from __future__ import annotations

from dataclasses import replace
from math import inf, prod

from ..batch import Batch, Dimension
from ..factor import MAX_STEPS, splits
from ..parameters import Parameters, factors_of
from ..passes import Pass
from ..problem import Layout, Problem
from ..traits import Traits
from .launches import Launch, Step, step_passes, with_groups
from .solver import Solver
from .steps import axis_batch, axis_length, layout_bytes, resting_layout, single_axis
from .stockham import (
    CONJUGATE_OUT,
    TURN,
    Ends,
    relative_time,
    whole_ends,
)

SPLITS_TRIED = 4  # of each number of factors, the most even ones first


def plan(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...] | None:
    """Return a pass for each factor, if the one axis splits into lengths that fit a work-group."""
    steps = _steps(problem, traits, parameters) if single_axis(problem) else None
    return None if steps is None else step_passes(problem, steps)


def _steps(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Step, ...] | None:
    """Return the quickest steps with their work-groups, or None where no split fits."""
    if wanted := factors_of(parameters, "factors", axis_length(problem)):
        steps = with_groups(problem, _launches(problem, wanted), traits, parameters)
        if steps is not None:
            return steps
    best: tuple[Step, ...] | None = None
    best_time = inf
    for parts in range(2, MAX_STEPS + 1):
        for factors in splits(axis_length(problem), parts)[:SPLITS_TRIED]:
            if best_time <= parts:  # no launch takes less than 1
                return best
            steps = with_groups(problem, _launches(problem, factors), traits, parameters)
            time = inf if steps is None else _time(steps, problem.precision)
            if time < best_time:
                best, best_time = steps, time
    return best


def _time(steps: tuple[Step, ...], precision: str) -> float:
    return sum(relative_time(each.batch, each.ends, each.group, precision) for each in steps)


def _launches(problem: Problem, factors: tuple[int, ...]) -> list[Launch]:
    """Return the batches of all steps, their ends, and the bytes of their targets."""
    if problem.kind == "r2c":
        return _of_real(problem, factors)
    return _to_real(problem, factors) if problem.kind == "c2r" else _of_complex(problem, factors)


def _of_complex(problem: Problem, factors: tuple[int, ...]) -> list[Launch]:
    kinds = ["REAL" if each.real else "COMPLEX" for each in (problem.source, problem.target)]
    last, n = len(factors) - 1, axis_length(problem)
    rest_at = resting_layout(problem, n)
    filled = whole_ends(problem).filled
    launches = []
    for number, factor in enumerate(factors):
        left = prod(factors[number:])
        ends = Ends(
            kinds[0] if number == 0 else "COMPLEX",
            kinds[1] if number == last else "COMPLEX",
            length=factor,
            filled=filled if number == 0 else left,
            outputs=factor,
            flags=TURN if problem.direction == "inverse" else 0,
            twist=0 if number == last else left,
        )
        batch = column_step(
            problem,
            factor,
            done=prod(factors[:number]),
            rest=prod(factors[number + 1 :]),
            source=problem.source if number == 0 else rest_at,
            target=problem.target if number == last else rest_at,
        )
        launches.append((batch, ends, 0 if number == last else layout_bytes(problem, rest_at)))
    return launches


def _of_real(problem: Problem, factors: tuple[int, ...]) -> list[Launch]:
    """Transform columns in pairs and keep half of each; then rows, left where they belong."""
    n, (n1, *others) = axis_length(problem), factors
    half, last = n1 // 2 + 1, len(others) - 1
    rest_at = resting_layout(problem, n // n1 * half)
    nbytes = layout_bytes(problem, rest_at)
    columns = axis_batch(
        problem,
        n1,
        [Dimension(n // n1, 1, half, column=1, pairs=True)],
        columns=(n // n1, 1),
        target=rest_at,
    )
    filled = whole_ends(problem).filled
    first = Ends("REAL", "HERMITIAN", n1, filled, half, pair=True, twist=n)
    launches = [(columns, first, nbytes)]
    for number, factor in enumerate(others[:-1]):
        done, left = prod(others[:number]), prod(others[number:])
        step = column_step(problem, factor, done * half, left // factor, rest_at, rest_at)
        launches.append(
            (step, Ends("COMPLEX", "COMPLEX", factor, left, factor, 0, twist=left), nbytes)
        )
    done, factor = prod(others[:last]), others[last]
    rows = axis_batch(
        problem,
        factor,
        [Dimension(half, 1, 1, column=1), Dimension(done, half, n1, column=n1)],
        columns=(1, n1 * done),
        units=(half * done, 1),
        source=rest_at,
    )
    flags = CONJUGATE_OUT if problem.direction == "inverse" else 0
    ends = Ends("COMPLEX", "HERMITIAN", n, factor, n // 2 + 1, flags, fold=n1)
    return [*launches, (rows, ends, 0)]


def _to_real(problem: Problem, factors: tuple[int, ...]) -> list[Launch]:
    """Transform half of the columns, as the others are their conjugates; the last ones in pairs."""
    source, last = problem.source, len(factors) - 1
    filled = whole_ends(problem).filled
    flags = whole_ends(problem).flags
    launches = []
    for number, factor in enumerate(factors):
        done, left = prod(factors[:number]), prod(factors[number:])
        rest = left // factor
        target = resting_layout(problem, (rest // 2 + 1) * factor * done)
        ends = Ends("HERMITIAN", "COMPLEX", left, filled, factor, flags, twist=left)
        if number == last:
            target = problem.target
            ends = replace(ends, target="REAL", pair=True, twist=0)
        step = column_step(
            problem, factor, done, rest // 2 + 1, source, target, rest, pairs=number == last
        )
        launches.append((step, ends, 0 if number == last else layout_bytes(problem, target)))
        source, filled, flags = target, rest // 2 + 1, TURN
    return launches


def column_step(
    problem: Problem,
    factor: int,
    done: int,
    rest: int,
    source: Layout,
    target: Layout,
    stride: int = 0,
    *,
    pairs: bool = False,
) -> Batch:
    """Return one step along the axis.

    Before it the points are numbered (i, j, k), with i below `factor`, j below `rest` and k below
    `done`, the product of the factors that are done; after it (j, i, k).

    Parameters
    ----------
    problem : Problem
        With one axis.
    factor, done, rest : int
        As above.
    source, target : Layout
        Where to read and write.
    stride : int
        Columns between neighbouring i, where `rest` leaves some out.
    pairs : bool
        Neighbours in k are transformed in pairs.

    Returns
    -------
    Batch
    """
    return axis_batch(
        problem,
        factor,
        [Dimension(done, 1, 1, pairs=pairs), Dimension(rest, done, done * factor, column=1)],
        columns=(stride or rest, 1),
        units=(done, done),
        source=source,
        target=target,
    )


SOLVER = Solver("four_step", "a smooth length that splits into short ones", plan)
