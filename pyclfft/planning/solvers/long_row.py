"""Rows too long for a CPU's caches, in two launches: the four-step algorithm in lanes.

The points stand as a matrix. The first launch transforms the columns, multiplies them by the twist
and leaves the results where the points were. The second launch transforms the rows, as many at a
time as a vector has lanes, and stores them as columns.

If the input is real, half of the spectrum of each column is redundant, and so are half of the rows:
of n1 rows only the first n1 / 2 + 1 are transformed, because the others would give conjugates of
their results. If the output is real, the launches do the reverse.

References
----------
D. H. Bailey, "FFTs in external or hierarchical memory", J. Supercomputing 4 (1990).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..batch import Dimension
from ..factor import splits
from ..parameters import Parameters, factors_of
from ..passes import Pass
from ..problem import Problem
from ..traits import Traits
from .cols import ColumnEnds, Columns, Row, columns_of, columns_pass
from .lanes import ends_of, given_points, is_padded, radices_for, row_layout, takes
from .solver import Solver
from .steps import axis_batch, axis_length, layout_bytes

MIN_LENGTH = 64  # shorter rows gain nothing by a second launch
MIN_FOLDED = 32  # the least n1 of real rows: their halves are read in both directions, by vectors
SPLITS_TRIED = 4  # the number of splits that are tried, from the most even one on


def plan(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...] | None:
    """Return two passes if the length splits into two factors for lanes, or else None."""
    steps = _steps(problem, traits, parameters) if takes(problem, traits) else None
    if steps is None:
        return None
    first, second, leaves = steps
    return (
        columns_pass(problem, first, traits, parameters, leaves=leaves),
        columns_pass(problem, second, traits, parameters, scale=problem.scale),
    )


def _steps(
    problem: Problem, traits: Traits, parameters: Parameters
) -> tuple[Columns, Columns, int] | None:
    """Return both steps and the bytes of the buffer between them, or None."""
    n = axis_length(problem)
    if n < MIN_LENGTH:
        return None
    for n1, n2 in _pairs(n, parameters):
        found = _split(problem, n1, n2, traits, parameters)
        if found is not None:
            return found
    return None


def _pairs(n: int, parameters: Parameters) -> Iterator[tuple[int, int]]:
    """Yield the pairs of factors to try: the tuned ones, then the most even ones."""
    wanted = factors_of(parameters, "factors", n) or ()
    if len(wanted) == 2:
        yield wanted[0], wanted[1]
    for less, more in splits(n, 2)[:SPLITS_TRIED]:
        yield less, more
        yield more, less


def _split(
    problem: Problem, n1: int, n2: int, traits: Traits, parameters: Parameters
) -> tuple[Columns, Columns, int] | None:
    n = n1 * n2
    rows = n1 if problem.kind == "c2c" else n1 // 2 + 1
    if problem.kind != "c2c" and n1 < MIN_FOLDED:
        return None
    rest = row_layout(problem, rows * n2)
    given = given_points(problem) if is_padded(problem) else 0
    if problem.kind == "c2r":
        dimensions = [Dimension(rows, 1, n2, column=1)], [Dimension(n2, 1, 1, column=1)]
        first = axis_batch(problem, n2, dimensions[0], columns=(n1, 1), target=rest)
        second = axis_batch(problem, n1, dimensions[1], columns=(n2, n2), source=rest)
        ends = (
            ColumnEnds(n2, n2, row=Row(n, n1, twist=True, given=given, half_in=True)),
            ColumnEnds(n1, rows, *ends_of(problem), row=Row(n, n2)),
        )
    else:
        dimensions = [Dimension(n2, 1, 1, column=1)], [Dimension(rows, n2, 1, column=1)]
        first = axis_batch(problem, n1, dimensions[0], columns=(n2, n2), target=rest)
        second = axis_batch(problem, n2, dimensions[1], columns=(1, n1), source=rest)
        ends = (
            ColumnEnds(n1, n1, *ends_of(problem), row=Row(n, n2, twist=True, given=given)),
            ColumnEnds(n2, n2, row=Row(n, n1, half_out=problem.kind == "r2c")),
        )
    steps = [
        columns_of(problem, batch, end, radices_for(batch.n, parameters), traits, parameters)
        for batch, end in zip((first, second), ends, strict=True)
    ]
    if steps[0] is None or steps[1] is None:
        return None
    return steps[0], steps[1], layout_bytes(problem, rest)


SOLVER = Solver(
    "long_row",
    "a smooth length in two factors, on a CPU with vectors",
    plan,
)
