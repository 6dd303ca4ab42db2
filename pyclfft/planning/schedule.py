"""From a problem to a schedule: the planner's passes, joined where that pays, with buffers."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import PlanError
from .parameters import Parameters
from .passes import Pass, Schedule, assign_buffers
from .planner import plan_passes, settled_passes
from .problem import Problem
from .solvers import REWRITERS
from .traits import Traits


def schedule_of(
    problem: Problem, traits: Traits, algorithm: str | None, parameters: Parameters
) -> Schedule:
    """Plan a transform from one array to another.

    More workspace can make the passes quicker; they get it if the device has room for it.

    Parameters
    ----------
    problem : Problem
        What to transform.
    traits, parameters
        The device's traits, and the parameters of its kernels.
    algorithm : str or None
        The name of the only solver or rewriter to use, or None for the planner's choice.

    Returns
    -------
    Schedule

    Raises
    ------
    PlanError, PrecisionError
        `plan_passes` refuses the problem, or the named rewriter does not apply to it.
    """
    passes = plan_passes(problem, traits, algorithm, parameters)
    rewritten = _rewritten(passes, problem.nbytes, traits, algorithm, parameters)
    if rewritten is not None:
        return rewritten
    for each in REWRITERS:
        if algorithm == each.name:
            raise PlanError(
                f"algorithm {each.name!r} takes {each.requirement}: choose another one, or leave "
                "algorithm out"
            )
    generous = assign_buffers(passes, problem.nbytes)
    if traits.holds(buffers_of(problem, generous)):
        return generous
    return assign_buffers(passes, problem.nbytes, frugal=True)


def schedule_into(
    problem: Problem,
    traits: Traits,
    algorithm: str | None,
    parameters: Parameters,
    *,
    in_place: bool,
) -> Schedule:
    """Plan a transform whose output has gaps or another order, or is the input itself."""
    passes = plan_passes(problem, traits, algorithm, parameters)
    if in_place and sum(each.moves for each in passes) == 1 and not passes[0].aliases:
        passes = settled_passes(problem, traits, algorithm, parameters)
    ours = problem.nbytes if problem.target.is_dense else 0
    rewritten = _rewritten(passes, ours, traits, algorithm, parameters, in_place=in_place)
    return rewritten or assign_buffers(passes, ours, in_place=in_place)


def buffers_of(problem: Problem, schedule: Schedule | None = None) -> dict[str, int]:
    """Return the names and bytes of the buffers of a call.

    Without a schedule only "in" and "out" are among them.
    """
    source = problem.source.span * problem.source_dtype.itemsize
    workspace = schedule.workspace if schedule else ()
    return {"in": source, "out": problem.nbytes, **dict(workspace)}


def _rewritten(
    passes: Sequence[Pass],
    out_bytes: int,
    traits: Traits,
    algorithm: str | None,
    parameters: Parameters,
    *,
    in_place: bool = False,
) -> Schedule | None:
    """Return the schedule of the first rewriter that makes one, or None if none does.

    If `algorithm` names a rewriter, only that one is asked, and it joins passes even if that is
    not quicker.
    """
    for each in REWRITERS:
        if algorithm in (None, each.name):
            forced = algorithm == each.name
            schedule = each.rewrite(
                passes, out_bytes, traits, parameters, in_place=in_place, forced=forced
            )
            if schedule is not None:
                return schedule
    return None
