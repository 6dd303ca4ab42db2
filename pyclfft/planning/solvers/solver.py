"""What a solver is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..parameters import Parameters
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
        ``(problem, traits, parameters) -> bool``.
    passes : callable
        ``(problem, traits, parameters) -> tuple of Pass``, buffers not yet assigned.
    native : bool
        It reads and leaves arrays of any strides, real or complex, cut or padded, and takes hooks.
        For the others the planner copies what is not contiguous rows of complex numbers.
    selective : bool
        Not native, but asked about arrays as they lie, too: it refuses those that it cannot take.
    powers_of_two : bool
        It takes no other lengths.
    """

    name: str
    requirement: str
    applies: Callable[[Problem, Traits, Parameters], bool]
    passes: Callable[[Problem, Traits, Parameters], tuple[Pass, ...]]
    native: bool = False
    selective: bool = False
    powers_of_two: bool = False
