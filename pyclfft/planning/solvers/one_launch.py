"""A transform in one launch: the simplest thing that a leaf can do, and the quickest where it fits.

References
----------
N. K. Govindaraju, B. Lloyd, Y. Dotsenko, B. Smith, J. Manferdelli, "High performance discrete
Fourier transforms on graphics processors", SC 2008.
"""

from __future__ import annotations

from ..parameters import Parameters
from ..passes import Pass
from ..problem import Problem
from ..traits import Traits
from .leaf import L, Leaf
from .solver import Solver


def solver(leaf: Leaf[L], name: str, requirement: str) -> Solver:
    """Return the solver that plans one launch of a leaf's kernel, after which it is named."""

    def plan(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...] | None:
        whole = leaf.whole(problem, traits, parameters) if leaf.takes(problem, traits) else None
        return None if whole is None else (whole.planned(problem.scale),)

    return Solver(name, requirement, plan)
