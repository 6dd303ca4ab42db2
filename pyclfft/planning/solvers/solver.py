"""What a solver is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...tuning.lookup import Parameters
from ..passes import Pass
from ..problem import Problem
from ..traits import Traits


@dataclass(frozen=True)
class Solver:
    """One algorithm.

    Attributes
    ----------
    name : str
        As in ``algorithm="..."``.
    requirement : str
        What it takes, for the error when it is forced on something else.
    applies : callable
        ``(problem, traits, parameters) -> bool``. Input that is not plain has been loaded before.
    passes : callable
        ``(problem, traits, parameters) -> tuple of Pass``, buffers not yet assigned.
    """

    name: str
    requirement: str
    applies: Callable[[Problem, Traits, Parameters], bool]
    passes: Callable[[Problem, Traits, Parameters], tuple[Pass, ...]]
