"""The four-step algorithm: a long transform as two or more steps of short transforms.

The points stand as a matrix of n1 rows. The first step transforms the columns of the matrix,
multiplies the results by roots of unity, and leaves them as rows of n1 points. Then n1 transforms
remain, side by side, along the other side of the matrix. If they are short enough, the second step
does them in place; otherwise they are split into steps in turn.

If the input is real, its columns are transformed two at a time, and only the first half of the
results of each column is kept, because the other half would lead to conjugates of what the first
half gives. This halves the work and the traffic. If the output is real, the steps do the reverse.

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

SPLITS_TRIED = 4  # for each number of factors; the most even splits are tried first


def plan(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...] | None:
    """Return a pass for each factor of the length if the factors fit work-groups, or else None."""
    steps = _steps(problem, traits, parameters) if single_axis(problem) else None
    return None if steps is None else step_passes(problem, steps)


def _steps(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Step, ...] | None:
    """Return the quickest steps with their work-groups, or None if no split fits work-groups.

    Tuned factors come before all others.
    """
    if wanted := factors_of(parameters, "factors", axis_length(problem)):
        steps = with_groups(problem, _launches(problem, wanted), traits, parameters)
        if steps is not None:
            return steps
    best: tuple[Step, ...] | None = None
    best_time = inf
    for parts in range(2, MAX_STEPS + 1):
        for factors in splits(axis_length(problem), parts)[:SPLITS_TRIED]:
            if best_time <= parts:  # each of the launches takes a time of at least 1
                return best
            steps = with_groups(problem, _launches(problem, factors), traits, parameters)
            time = inf if steps is None else _time(steps, problem.precision)
            if time < best_time:
                best, best_time = steps, time
    return best


def _time(steps: tuple[Step, ...], precision: str) -> float:
    return sum(relative_time(each.batch, each.ends, each.group, precision) for each in steps)


def _launches(problem: Problem, factors: tuple[int, ...]) -> list[Launch]:
    """Return the launches of all steps."""
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
    """Return the launches for real input.

    The first launch transforms the columns in pairs and keeps half of the results of each. The
    others transform the rows, and the last one stores each result where it belongs.
    """
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
    """Return the launches for real output.

    Each launch transforms only half of the columns, because the other half would give their
    conjugates. The last launch transforms its columns in pairs.
    """
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
    """Return the batch of one step along the axis.

    The step transforms along i. Before it the points lie in the order (i, j, k), the last index
    being the fastest, with i below `factor`, j below `rest` and k below `done`; after the step they
    lie in the order (j, i, k).

    Parameters
    ----------
    problem : Problem
        A problem with one axis.
    factor : int
        The number of points of each transform.
    done : int
        The product of the factors that earlier steps have transformed.
    rest : int
        The number of columns to transform, for each of the indices below `done`.
    source, target : Layout
        The layouts to read and to write.
    stride : int
        The number of columns from one i to the next, if `rest` leaves some columns out; otherwise
        0.
    pairs : bool
        Whether neighbours in k are transformed in pairs.

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
