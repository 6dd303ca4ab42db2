"""The ordered table of algorithms: the first one that applies to a problem solves it."""

from __future__ import annotations

from . import bluestein, chirp, cols, four_step, long_chirp, long_row, row, small, stockham
from .solver import Solver
from .textbook import direct, ladder, local_radix2, radix2

# Best first. To add an algorithm: one file here, one .cl file, one row, one test.
SOLVERS: tuple[Solver, ...] = (
    small.SOLVER,
    row.SOLVER,
    cols.SOLVER,
    long_row.SOLVER,
    stockham.SOLVER,
    four_step.SOLVER,
    chirp.SOLVER,
    long_chirp.SOLVER,
    bluestein.SOLVER,
    radix2.SOLVER,
    direct.SOLVER,
)

# To be asked for by name: others are quicker at whatever they do.
NAMED_ONLY: tuple[Solver, ...] = (*ladder.SOLVERS, local_radix2.SOLVER)

BY_NAME = {solver.name: solver for solver in (*SOLVERS, *NAMED_ONLY)}

__all__ = ["BY_NAME", "SOLVERS", "Solver"]
