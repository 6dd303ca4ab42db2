"""Small problems on CPUs: one kernel for all lengths, so that a new length compiles nothing.

A small problem takes microseconds, but to compile a kernel for its length takes over a second.
Therefore the number of points and the radices of the stages are arguments of this kernel. Lengths
that are not smooth are transformed by Bluestein's algorithm.
"""

from __future__ import annotations

from math import prod

from ..factor import is_smooth
from ..parameters import Parameters
from ..passes import Pass
from ..problem import Problem
from ..traits import Traits
from .bluestein import convolution_step
from .cols import columns_of
from .ends import in_one_launch, points_in_one_launch, whole_ends
from .lane_leaf import convolution_radices
from .lanes import radices_for, takes
from .leaf import Convolution, Step
from .solver import Solver
from .steps import axis_batch, axis_length

RADICES = (2, 3, 4, 5, 7, 11, 13)  # no composite ones, because each makes compilation longer


def plan(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...] | None:
    """Return one pass if there are few transforms, and they are short, or else None."""
    if not takes(problem, traits) or problem.hooks:
        return None
    length = axis_length(problem)
    count = prod(problem.shape) // length or 1
    n = 2 if length == 2 else points_in_one_launch(problem)  # two real numbers are not packed
    smooth = is_smooth(n)
    if not 1 < n <= _limit(count, smooth, traits, parameters):
        return None
    if n == length:
        step = Step(axis_batch(problem, n), whole_ends(problem))
    else:
        step = Step(*in_one_launch(problem))
    if smooth:
        radices = radices_for(n, parameters, RADICES)
    else:
        radices = convolution_radices(n, RADICES[:4])
        step = convolution_step(problem, Convolution((prod(radices or ()),)))
    found = columns_of(problem, step, radices, traits, parameters, shared=True)
    return None if found is None else (found.planned(problem.scale),)


def _limit(count: int, smooth: bool, traits: Traits, parameters: Parameters) -> int:
    """Return the most points that a transform may have."""
    if count == 1 and not traits.vectorizes:
        return parameters["small_other" if smooth else "small_single"]
    limit = parameters["small_smooth" if smooth else "small_other"]
    return min(limit, parameters["small_points"] // count)


SOLVER = Solver("small", "a few short neighbouring transforms, or one, on a CPU with vectors", plan)
