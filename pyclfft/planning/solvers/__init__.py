"""The ordered table of algorithms: the first solver that takes a problem plans it."""

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
    row,
    small,
    stockham,
)
from .solver import Rewriter, Solver
from .textbook import direct, ladder, local_radix2, radix2

# Best first. To add an algorithm: one file here, one .cl file, one row, one test.
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
    bluestein.SOLVER,
)


def _of_rows(solvers: tuple[Solver, ...]) -> tuple[Solver, ...]:
    """Return the solvers once more, for contiguous rows between copies.

    They take what no solver takes as it lies, such as arrays of more dimensions than kernels walk.
    """
    return tuple(replace(each, rows_only=True) for each in solvers)


SOLVERS: tuple[Solver, ...] = (
    *_AS_THEY_LIE,
    *_of_rows(_AS_THEY_LIE),
    radix2.SOLVER,
    direct.SOLVER,
)

# To be asked for by name: others are quicker at whatever they do.
NAMED_ONLY: tuple[Solver, ...] = (
    *ladder.SOLVERS,
    local_radix2.SOLVER,
    *_of_rows((local_radix2.SOLVER,)),
)

# What makes better schedules of the passes that solvers have planned, best first.
REWRITERS: tuple[Rewriter, ...] = (fused.REWRITER,)

# Solvers as `algorithm=` names them: of those that stand in the tables twice, the first.
BY_NAME = {solver.name: solver for solver in reversed((*SOLVERS, *NAMED_ONLY))}
BY_NAME = dict(reversed(BY_NAME.items()))

__all__ = ["BY_NAME", "NAMED_ONLY", "REWRITERS", "SOLVERS", "Rewriter", "Solver"]
