"""The four-step algorithm: a long transform as two sets of short ones.

The points stand as a matrix of n1 rows and n2 columns. The columns are transformed, multiplied by
roots of unity and left as rows of a transposed matrix, whose columns are then transformed in place.

References
----------
D. H. Bailey, "FFTs in external or hierarchical memory", J. Supercomputing 4 (1990).
"""

from __future__ import annotations

from functools import partial

from ...tuning.lookup import Parameters
from ..factor import four_step_splits
from ..passes import Pass
from ..problem import Problem
from ..traits import Traits
from .rows import Rows, along_rows, single_axis
from .solver import Solver
from .stockham import Batch, Group, Layout, group_for, stockham_pass

MAX_LENGTH = 2**31  # powers of the root of unity are 32 bits wide


def applies(problem: Problem, traits: Traits, parameters: Parameters) -> bool:
    """Whether the one axis splits into two lengths that both fit a work-group."""
    if not single_axis(problem) or problem.shape[problem.axes[0]] > MAX_LENGTH:
        return False
    rows = Rows(problem.shape[problem.axes[0]], 1)
    return _steps(problem, traits, parameters, rows) is not None


def passes(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...]:
    """Return two passes, the second in place, between transpositions if needed."""
    return along_rows(
        problem, traits, parameters, partial(_row_passes, problem, traits, parameters)
    )


def _steps(
    problem: Problem, traits: Traits, parameters: Parameters, rows: Rows
) -> list[tuple[Batch, Group]] | None:
    """Return both steps with their work-groups, or None where no split fits."""
    for n1, n2 in four_step_splits(rows.n):
        across = Layout(rows.n, 1, n1)
        batches = (
            Batch(n1, rows.count, n2, Layout(rows.n, 1, n2), Layout(rows.n, n1, 1)),
            Batch(n2, rows.count, n1, across, across),
        )
        groups = [group_for(each, problem.precision, traits, parameters) for each in batches]
        steps = [(b, group) for b, group in zip(batches, groups, strict=True) if group is not None]
        if len(steps) == len(batches):
            return steps
    return None


def _row_passes(
    problem: Problem, traits: Traits, parameters: Parameters, rows: Rows
) -> tuple[Pass, ...]:
    steps = _steps(problem, traits, parameters, rows)
    assert steps is not None
    (first, first_group), (second, second_group) = steps
    return (
        stockham_pass(problem, first, first_group, 1.0, twist=rows.n),
        stockham_pass(problem, second, second_group, problem.scale),
    )


SOLVER = Solver("four_step", "a smooth length that splits into two short ones", applies, passes)
