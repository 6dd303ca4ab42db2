"""The table of algorithms, in order: the first solver in it that takes a problem plans it."""

from __future__ import annotations

from dataclasses import replace

from . import (
    bluestein,
    cosine,
    equal_axes,
    four_step,
    fused,
    one_launch,
    rader,
    row,
    several_axes,
    small,
)
from .group_leaf import GROUPS, GROUPS_EVERYWHERE
from .lane_leaf import LANES
from .solver import Rewriter, Solver, first_of
from .textbook import autosort, direct, ladder, local_radix2, radix2

_OF_WORK_GROUPS = "a length with prime factors up to 61"
_COLS = one_launch.solver(
    LANES, "cols", "neighbouring transforms of a smooth length, on a CPU with vectors"
)
_STOCKHAM, _STOCKHAM_EVERYWHERE = (
    one_launch.solver(
        leaf,
        "stockham",
        f"{_OF_WORK_GROUPS} that fits a work-group",
    )
    for leaf in (GROUPS, GROUPS_EVERYWHERE)
)
_FOUR_STEP = (
    four_step.solver(
        LANES, "four_step_lanes", "a smooth length in two factors, on a CPU with vectors"
    ),
    four_step.solver(
        GROUPS,
        "four_step_groups",
        f"{_OF_WORK_GROUPS} that splits into short ones; on CPUs up to 13",
    ),
)
_BLUESTEIN = (
    bluestein.solver(LANES, "bluestein_lanes", "any length, on a CPU with vectors"),
    bluestein.solver(GROUPS, "bluestein_groups", "a length that a work-group or a few convolve"),
)

# The best solver comes first. To add an algorithm, write a file in this folder, a .cl file, a row
# in this table and a test. An algorithm on two leaves has two rows.
_AS_THEY_LIE: tuple[Solver, ...] = (
    small.SOLVER,
    row.SOLVER,
    cosine.SOLVER,
    _COLS,
    _FOUR_STEP[0],
    _STOCKHAM,
    _FOUR_STEP[1],
    _BLUESTEIN[0],
    rader.SOLVER_IF_QUICKER,
    _BLUESTEIN[1],
)


def _of_rows(solvers: tuple[Solver, ...]) -> tuple[Solver, ...]:
    """Return the solvers as solvers of contiguous rows, around which the planner puts copies.

    In this form they take the arrays that no solver takes as they lie: for example those with more
    dimensions than a kernel can walk.
    """
    return tuple(replace(each, rows_only=True) for each in solvers)


SOLVERS: tuple[Solver, ...] = (
    several_axes.SOLVER,
    equal_axes.SOLVER_IF_QUICKER,
    *_AS_THEY_LIE,
    *_of_rows(_AS_THEY_LIE),
    radix2.SOLVER,
    direct.SOLVER,
)

# Old names of solvers, which `algorithm=` still takes.
ALIASES: dict[str, Solver] = {"long_row": _FOUR_STEP[0], "cosine_row": cosine.SOLVER}

# Work-groups for large prime factors on CPUs, too; algorithms on the first leaf that takes the
# problem; Bluestein's algorithm held to one launch or to several; and solvers by their old names.
_BY_OTHER_NAMES: tuple[Solver, ...] = (
    _STOCKHAM_EVERYWHERE,
    first_of("four_step", _FOUR_STEP[1].requirement, _FOUR_STEP),
    first_of("bluestein", _BLUESTEIN[1].requirement, _BLUESTEIN),
    bluestein.solver(
        LANES,
        "chirp",
        "neighbouring transforms of any length, on a CPU with vectors",
        launches=(1, 1),
    ),
    bluestein.solver(
        LANES, "long_chirp", "any length, on a CPU with vectors", launches=(2, bluestein.MANY)
    ),
    *(replace(each, name=name) for name, each in ALIASES.items()),
)

# The planner uses these solvers only if `algorithm=` names them: others are mostly quicker.
NAMED_ONLY: tuple[Solver, ...] = (
    *_BY_OTHER_NAMES,
    *_of_rows(_BY_OTHER_NAMES),
    *ladder.SOLVERS,
    *autosort.SOLVERS,
    local_radix2.SOLVER,
    *_of_rows((local_radix2.SOLVER,)),
    rader.SOLVER,
    equal_axes.SOLVER,
)

# The rewriters, which make better schedules of the passes that solvers have planned, best first.
REWRITERS: tuple[Rewriter, ...] = (fused.REWRITER,)

# The solvers by the names that `algorithm=` takes. If a name stands in the tables twice, the solver
# of NAMED_ONLY counts, and otherwise the first one.
BY_NAME: dict[str, Solver] = {
    name: next(each for each in (*NAMED_ONLY, *SOLVERS) if each.name == name)
    for name in dict.fromkeys(each.name for each in (*SOLVERS, *NAMED_ONLY))
}

__all__ = ["ALIASES", "BY_NAME", "NAMED_ONLY", "REWRITERS", "SOLVERS", "Rewriter", "Solver"]
