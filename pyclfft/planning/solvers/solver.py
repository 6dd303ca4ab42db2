"""What a solver is, and what a rewriter is, which improves the passes that solvers have planned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..parameters import Parameters
from ..passes import Pass, Schedule
from ..problem import Problem
from ..traits import Traits


@dataclass(frozen=True)
class Solver:
    """One algorithm.

    Attributes
    ----------
    name : str
        The value of ``algorithm=`` that chooses the solver.
    requirement : str
        What the solver takes, for the error when a caller forces it on something else.
    plan : callable
        A function of ``(problem, traits, parameters)``. It returns the passes, whose buffers are
        not yet assigned, or None if the solver does not take the problem on this device.
    rows_only : bool
        Whether the solver takes contiguous rows of complex numbers only. If the input or the output
        of a problem is anything else, the planner puts a copy before or behind the solver's passes.
        A solver without this flag gets arrays as they lie, and hooks.
    powers_of_two : bool
        Whether the solver takes powers of two only.
    several_axes : bool
        Whether the solver takes all axes of a problem at once. Others take problems of one axis.
    """

    name: str
    requirement: str
    plan: Callable[[Problem, Traits, Parameters], tuple[Pass, ...] | None]
    rows_only: bool = False
    powers_of_two: bool = False
    several_axes: bool = False


def first_of(name: str, requirement: str, solvers: Sequence[Solver]) -> Solver:
    """Return the solver that plans by the first of several solvers that takes a problem."""

    def plan(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...] | None:
        plans = (each.plan(problem, traits, parameters) for each in solvers)
        return next((passes for passes in plans if passes is not None), None)

    return Solver(name, requirement, plan)


class Rewrite(Protocol):
    """How a rewriter is called."""

    def __call__(
        self,
        passes: Sequence[Pass],
        out_bytes: int,
        traits: Traits,
        parameters: Parameters,
        *,
        in_place: bool = False,
        forced: bool = True,
    ) -> Schedule | None:
        """Return a better schedule, or None if there is none."""


@dataclass(frozen=True)
class Rewriter:
    """Something that makes a better schedule of the passes that solvers have planned.

    Attributes
    ----------
    name : str
        The value of ``algorithm=`` that chooses the rewriter.
    requirement : str
        What the rewriter takes, for the error when a caller forces it on something else.
    solvers : tuple of str
        The names of the solvers that plan the passes if a caller chooses the rewriter by its name.
    rewrite : callable
        A function of ``(passes, out_bytes, traits, parameters, in_place, forced)`` that returns a
        schedule or None. Unless it is forced, it joins passes only if that should be quicker.
    """

    name: str
    requirement: str
    solvers: tuple[str, ...]
    rewrite: Rewrite
