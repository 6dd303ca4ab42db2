"""Bluestein's algorithm on CPUs for transforms too long for a cache, in three launches.

The points of the convolution stand as a matrix. The first launch transforms the columns and
multiplies them by the twist of the four-step algorithm, but leaves the results where the points
were. The second launch convolves the rows, as many at a time as a vector has lanes. The third
launch transforms the columns back. All launches compute with complex numbers, even if the input or
the output is real.

References
----------
L. I. Bluestein, "A linear filtering approach to the computation of discrete Fourier transform",
IEEE Trans. Audio Electroacoustics AU-18 (1970).
D. H. Bailey, "FFTs in external or hierarchical memory", J. Supercomputing 4 (1990).
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import islice

from ..batch import Dimension
from ..factor import best_lane_radices, lane_cost, splits
from ..parameters import Parameters
from ..passes import Pass
from ..problem import Problem
from ..traits import Traits
from .chirp import LENGTHS_TRIED, fast_lengths
from .cols import ColumnEnds, Columns, Row, columns_of, columns_pass
from .lanes import ends_of, given_points, most_lanes, radices_for, row_layout, takes
from .solver import Solver
from .steps import axis_batch, axis_length, layout_bytes


def plan(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...] | None:
    """Return three passes if a convolution splits into rows and columns for lanes, or else None."""
    steps = _steps(problem, traits, parameters) if takes(problem, traits) else None
    if steps is None:
        return None
    (first, second, last), leaves = steps
    return (
        columns_pass(problem, first, traits, parameters, leaves=leaves),
        columns_pass(problem, second, traits, parameters, leaves=leaves),
        columns_pass(problem, last, traits, parameters, scale=problem.scale),
    )


def _steps(
    problem: Problem, traits: Traits, parameters: Parameters
) -> tuple[list[Columns], int] | None:
    """Return the three steps and the bytes of the buffer between them, or None."""
    n = axis_length(problem)
    n1, n2 = convolution_matrix(n, most_lanes(problem, traits))
    rest = row_layout(problem, n1 * n2)
    source, target = ends_of(problem)
    row = Row(n1 * n2, n2, elements=n)
    read = replace(row, twist=True, given=given_points(problem), half_in=source == "HERMITIAN")
    written = replace(row, twist=True, written=n // 2 + 1 if target == "HERMITIAN" else n)
    ends = (
        ColumnEnds(n1, n1, "REAL" if source == "REAL" else "COMPLEX", chirp="BEFORE", row=read),
        ColumnEnds(n2, n2, chirp="WITHIN", row=row),
        ColumnEnds(
            n1, n1, "COMPLEX", "REAL" if target == "REAL" else "COMPLEX", chirp="AFTER", row=written
        ),
    )
    along, across = [Dimension(n2, 1, 1, column=1)], [Dimension(n1, n2, n2, column=1)]
    batches = (
        axis_batch(problem, n1, along, columns=(n2, n2), target=rest),
        axis_batch(problem, n2, across, source=rest, target=rest),
        axis_batch(problem, n1, along, columns=(n2, n2), source=rest),
    )
    steps = [
        columns_of(problem, batch, end, radices_for(batch.n, parameters), traits, parameters)
        for batch, end in zip(batches, ends, strict=True)
    ]
    found = [each for each in steps if each is not None]
    return (found, layout_bytes(problem, rest)) if len(found) == len(steps) else None


@lru_cache(maxsize=1024)
def convolution_matrix(n: int, lanes: int) -> tuple[int, int]:
    """Return rows and columns of the quickest convolution that is long enough for `n` points.

    Parameters
    ----------
    n : int
        The number of points of the transform.
    lanes : int
        The number of lanes of a vector. Rows and columns are multiples of it.

    Returns
    -------
    rows, columns : int
        The numbers of rows and of columns, which are as even as possible.
    """
    least = -(-(2 * n - 1) // lanes**2)
    found = [
        (lanes * rows, lanes * columns)
        for m in islice(fast_lengths(least), LENGTHS_TRIED)
        for rows, columns in [*splits(m, 2), (1, m)][:1]
    ]
    return min(found, key=_time)


def _time(matrix: tuple[int, int]) -> int:
    """Return a relative time of the convolution whose matrix has these rows and columns."""
    costs = [lane_cost(radices) for length in matrix if (radices := best_lane_radices(length))]
    return matrix[0] * matrix[1] * sum(costs)


SOLVER = Solver("long_chirp", "any length, on a CPU with vectors", plan)
