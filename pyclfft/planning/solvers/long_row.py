"""Rows too long for a CPU's caches, in two launches: the four-step algorithm on lanes.

The points stand as a matrix. Its columns are transformed, twisted and left where they were; then
its rows are transformed, as many at a time as a vector has lanes, and stored as columns.

References
----------
D. H. Bailey, "FFTs in external or hierarchical memory", J. Supercomputing 4 (1990).
"""

from __future__ import annotations

from ...tuning.lookup import Parameters
from ..batch import Dimension
from ..factor import splits
from ..passes import Pass
from ..problem import Problem
from ..traits import Traits
from .cols import Columns, columns_of, columns_pass
from .lanes import takes
from .solver import Solver
from .steps import axis_batch, axis_length, layout_bytes, resting_layout

MIN_LENGTH = 64  # shorter rows gain nothing by a second launch
SPLITS_TRIED = 4  # the most even ones first


def applies(problem: Problem, traits: Traits, parameters: Parameters) -> bool:
    """Whether the axis is contiguous and splits into two lengths for lanes."""
    if problem.kind != "c2c" or not takes(problem, traits):
        return False
    return _steps(problem, traits, parameters) is not None


def passes(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...]:
    """Return two passes."""
    steps = _steps(problem, traits, parameters)
    assert steps is not None
    n = axis_length(problem)
    nbytes = layout_bytes(problem, resting_layout(problem, n))
    return (
        columns_pass(problem, steps[0], traits, parameters, twist=n, leaves=nbytes),
        columns_pass(problem, steps[1], traits, parameters, scale=problem.scale),
    )


def _steps(
    problem: Problem, traits: Traits, parameters: Parameters
) -> tuple[Columns, Columns] | None:
    (axis,) = problem.axes
    if problem.source.strides[axis] != 1 or problem.target.strides[axis] != 1:
        return None
    n = axis_length(problem)
    if n < MIN_LENGTH:
        return None
    rest = resting_layout(problem, n)
    for n1, n2 in splits(n, 2)[:SPLITS_TRIED]:
        first = axis_batch(problem, n1, [Dimension(n2, 1, 1)], columns=(n2, n2), target=rest)
        second = axis_batch(problem, n2, [Dimension(n1, n2, 1)], columns=(1, n1), source=rest)
        steps = [columns_of(problem, batch, traits, parameters) for batch in (first, second)]
        if steps[0] is not None and steps[1] is not None:
            return steps[0], steps[1]
    return None


SOLVER = Solver(
    "long_row",
    "contiguous rows of a smooth length in two factors, on a CPU with vectors",
    applies,
    passes,
    selective=True,
)
