"""What a solver is, and what makes one launch of two that solvers have planned."""

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
        The value of ``algorithm=`` that chooses it.
    requirement : str
        What it takes, for the error when it is forced on something else.
    plan : callable
        ``(problem, traits, parameters)`` to the passes, whose buffers are not yet assigned, or to
        None if the solver does not take the problem on a device of these traits.
    rows_only : bool
        It knows contiguous rows of complex numbers only: where a problem is anything else, the
        planner puts a copy before the solver's passes and another one behind them. A solver without
        this flag sees arrays as they lie, and hooks.
    powers_of_two : bool
        It takes no other lengths.
    """

    name: str
    requirement: str
    plan: Callable[[Problem, Traits, Parameters], tuple[Pass, ...] | None]
    rows_only: bool = False
    powers_of_two: bool = False


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
    """What makes a better schedule of the passes that solvers have planned.

    Attributes
    ----------
    name : str
        The value of ``algorithm=`` that chooses it.
    requirement : str
        What it takes, for the error when it is forced on something else.
    solvers : tuple of str
        Names of the solvers that plan the passes when the rewriter is chosen by its name.
    rewrite : callable
        ``(passes, out_bytes, traits, parameters, in_place, forced)`` to a schedule, or to None.
        Where it is not forced, it joins passes only if that should be quicker.
    """

    name: str
    requirement: str
    solvers: tuple[str, ...]
    rewrite: Rewrite
