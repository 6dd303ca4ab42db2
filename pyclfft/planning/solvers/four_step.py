"""The four-step algorithm: a long transform as two or more steps of short transforms.

The points stand as a matrix of n1 rows. The first step transforms the columns of the matrix,
multiplies the results by roots of unity, and leaves them as rows of n1 points. Then n1 transforms
remain, side by side, along the other side of the matrix. If they are short enough, the second step
does them in place; otherwise they are split into steps in turn.

A leaf that does not transpose as it stores columns does it in two steps: the first one leaves its
results where the points were, and the second one, which transforms the rows of the matrix, stores
them as columns.

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
from ..parameters import Parameters
from ..passes import Pass
from ..problem import Layout, Problem
from ..traits import Traits
from .ends import INVERSE, Ends, whole_ends
from .leaf import Factors, L, Leaf, Step, launches_of, passes_of
from .solver import Solver
from .step_times import LEAST_TIME
from .steps import axis_batch, axis_length, columns_in_place, layout_bytes

CLEARLY = 0.99  # a split replaces an earlier one if it should take less than so much of its time


def solver(leaf: Leaf[L], name: str, requirement: str) -> Solver:
    """Return the solver that plans the four-step algorithm on a leaf."""

    def plan(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...] | None:
        if not leaf.takes(problem, traits):
            return None
        found = _quickest(leaf, problem, traits, parameters)
        return None if found is None else passes_of(problem, found)

    return Solver(name, requirement, plan)


def _quickest(
    leaf: Leaf[L], problem: Problem, traits: Traits, parameters: Parameters
) -> tuple[L, ...] | None:
    """Return the launches of the quickest factors that the leaf takes, or None if it takes none.

    Of the leaf's lists the first one with factors that fit decides.
    """
    for choices in leaf.splits(problem, parameters):
        best: tuple[L, ...] = ()
        best_time = inf
        for factors in choices:
            if best and len(factors) > len(best) and best_time <= len(factors) * LEAST_TIME:
                break
            steps = _steps(leaf, problem, factors, parameters)
            found = launches_of(leaf, problem, steps, traits, parameters)
            if found is None:
                continue
            time = leaf.time_of_steps(found, traits, parameters)
            if time < best_time * CLEARLY:
                best, best_time = found, time
        if best:
            return best
    return None


def _steps(leaf: Leaf[L], problem: Problem, factors: Factors, parameters: Parameters) -> list[Step]:
    if problem.kind == "c2r":
        return _to_real(leaf, problem, factors)
    if not leaf.transposes:
        return _in_place(leaf, problem, factors)
    if problem.kind == "r2c":
        return _of_real(leaf, problem, factors, parameters)
    return _of_complex(leaf, problem, factors)


def _of_complex(leaf: Leaf[L], problem: Problem, factors: Factors) -> list[Step]:
    """Return the steps from complex numbers to complex numbers, each of which transposes."""
    whole, last = whole_ends(problem), len(factors) - 1
    rest_at = leaf.between(problem, whole.length)
    steps = []
    for number, factor in enumerate(factors):
        left = prod(factors[number:])
        ends = Ends(
            whole.source if number == 0 else "COMPLEX",
            whole.target if number == last else "COMPLEX",
            length=factor,
            filled=whole.filled if number == 0 else left,
            outputs=factor,
            flags=whole.flags,
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
        steps.append(Step(batch, ends, 0 if number == last else layout_bytes(problem, rest_at)))
    return steps


def _of_real(
    leaf: Leaf[L], problem: Problem, factors: Factors, parameters: Parameters
) -> list[Step]:
    """Return the steps for real input.

    The first launch transforms the columns in pairs and keeps half of the results of each. The
    others transform the rows, and the last one stores each result where it belongs.
    """
    n, (n1, *others) = axis_length(problem), factors
    half, last = n1 // 2 + 1, len(others) - 1
    pitch = leaf.pitch(problem, half, parameters) if last else half
    rest_at = leaf.between(problem, n // n1 * pitch)
    nbytes = layout_bytes(problem, rest_at)
    columns = axis_batch(
        problem,
        n1,
        [Dimension(n // n1, 1, pitch, column=1, pairs=True)],
        columns=(n // n1, 1),
        target=rest_at,
    )
    whole = whole_ends(problem)
    first = Ends("REAL", "HERMITIAN", n1, whole.filled, half, pair=True, twist=n)
    steps = [Step(columns, first, nbytes)]
    for number, factor in enumerate(others[:-1]):
        done, left = prod(others[:number]), prod(others[number:])
        rest = left // factor
        along = [
            Dimension(half, 1, 1),
            Dimension(done, pitch, pitch),
            Dimension(rest, done * pitch, done * pitch * factor, column=1),
        ]
        units = (done * pitch, done * pitch)
        batch = axis_batch(
            problem, factor, along, columns=(rest, 1), units=units, source=rest_at, target=rest_at
        )
        ends = Ends("COMPLEX", "COMPLEX", factor, left, factor, twist=left)
        steps.append(Step(batch, ends, nbytes))
    done, factor = prod(others[:last]), others[last]
    rows = axis_batch(
        problem,
        factor,
        [Dimension(half, 1, 1, column=1), Dimension(done, pitch, n1, column=n1)],
        columns=(1, n1 * done),
        units=(pitch * done, 1),
        source=rest_at,
    )
    ends = Ends("COMPLEX", "HERMITIAN", n, factor, whole.outputs, whole.flags, fold=n1)
    return [*steps, Step(rows, ends)]


def _in_place(leaf: Leaf[L], problem: Problem, factors: Factors) -> list[Step]:
    """Return two steps for complex output, of which the first leaves results where points were.

    If the input is real, the first step transforms the columns in pairs and keeps half of the
    results of each, so that half of the rows remain.
    """
    n, (n1, n2) = axis_length(problem), factors
    whole, real = whole_ends(problem), problem.kind == "r2c"
    rows = n1 // 2 + 1 if real else n1
    place = leaf.between(problem, rows * n2)
    first = Ends(
        whole.source, "COMPLEX", n1, whole.filled, rows * n2, whole.flags & INVERSE, twist=n
    )
    second = Ends("COMPLEX", whole.target, n2, n2, whole.outputs, whole.flags)
    if real:
        first = replace(first, target="HERMITIAN", pair=True)
        second = replace(second, length=n, fold=n1)
    columns = columns_in_place(problem, factors, 0, problem.source, place, pairs=real)
    across = [Dimension(rows, n2, 1, column=1)]
    along = axis_batch(problem, n2, across, columns=(1, n1), source=place)
    return [Step(columns, first, layout_bytes(problem, place)), Step(along, second)]


def _to_real(leaf: Leaf[L], problem: Problem, factors: Factors) -> list[Step]:
    """Return the steps for real output.

    Each launch transforms only half of the columns, because the other half would give their
    conjugates. The last launch transforms its columns in pairs.
    """
    whole, source, last = whole_ends(problem), problem.source, len(factors) - 1
    filled, flags, steps = whole.filled, whole.flags, []
    for number, factor in enumerate(factors):
        done, left = prod(factors[:number]), prod(factors[number:])
        rest = left // factor
        target = leaf.between(problem, (rest // 2 + 1) * factor * done)
        ends = Ends("HERMITIAN", "COMPLEX", left, filled, factor, flags, twist=left)
        if number == last:
            target = problem.target
            ends = replace(ends, target="REAL", pair=True, twist=0)
        batch = column_step(
            problem, factor, done, rest // 2 + 1, source, target, rest, pairs=number == last
        )
        steps.append(Step(batch, ends, 0 if number == last else layout_bytes(problem, target)))
        source, filled, flags = target, rest // 2 + 1, INVERSE
    return steps


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
