"""The table of algorithms, in order: the first solver in it that takes a problem plans it."""

from __future__ import annotations

from dataclasses import replace

from . import (
    bluestein,
    chirp,
    cols,
    cosine_row,
    four_step,
    fused,
    long_chirp,
    long_row,
    rader,
    row,
    small,
    stockham,
)
from .solver import Rewriter, Solver
from .textbook import autosort, direct, ladder, local_radix2, radix2

# The best solver comes first. To add an algorithm, write a file in this folder, a .cl file, a row
# in this table and a test.
_AS_THEY_LIE: tuple[Solver, ...] = (
    small.SOLVER,
    row.SOLVER,
    cosine_row.SOLVER,
    cols.SOLVER,
    long_row.SOLVER,
    stockham.SOLVER,
    four_step.SOLVER,
    chirp.SOLVER,
    long_chirp.SOLVER,
    rader.SOLVER_IF_QUICKER,
    bluestein.SOLVER,
)


def _of_rows(solvers: tuple[Solver, ...]) -> tuple[Solver, ...]:
    """Return the solvers as solvers of contiguous rows, around which the planner puts copies.

    In this form they take the arrays that no solver takes as they lie: for example those with more
    dimensions than a kernel can walk.
    """
    return tuple(replace(each, rows_only=True) for each in solvers)


SOLVERS: tuple[Solver, ...] = (
    *_AS_THEY_LIE,
    *_of_rows(_AS_THEY_LIE),
    radix2.SOLVER,
    direct.SOLVER,
)

# The planner uses these solvers only if `algorithm=` names them: others are mostly quicker.
NAMED_ONLY: tuple[Solver, ...] = (
    *ladder.SOLVERS,
    *autosort.SOLVERS,
    local_radix2.SOLVER,
    *_of_rows((local_radix2.SOLVER,)),
    rader.SOLVER,
)

# The rewriters, which make better schedules of the passes that solvers have planned, best first.
REWRITERS: tuple[Rewriter, ...] = (fused.REWRITER,)

# The solvers by the names that `algorithm=` takes. If a name stands in the tables twice, the solver
# of NAMED_ONLY counts, and otherwise the first one.
BY_NAME: dict[str, Solver] = {
    name: next(each for each in (*NAMED_ONLY, *SOLVERS) if each.name == name)
    for name in dict.fromkeys(each.name for each in (*SOLVERS, *NAMED_ONLY))
}

__all__ = ["BY_NAME", "NAMED_ONLY", "REWRITERS", "SOLVERS", "Rewriter", "Solver"]
