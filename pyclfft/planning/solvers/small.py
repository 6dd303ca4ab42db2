"""Little work on CPUs: one kernel for all lengths, so that a new one compiles nothing.

The compiler takes longer than a second for what is done in microseconds. So the points and the
radices of the passes are arguments here. Lengths that are not smooth go by Bluestein's algorithm.
"""

from __future__ import annotations

from dataclasses import replace

from ...tuning.lookup import Parameters
from ..factor import best_passes, is_smooth
from ..passes import Pass
from ..problem import Problem
from ..traits import Traits
from .chirp import convolution_passes
from .cols import Columns, columns_of, columns_pass, whole
from .lanes import takes
from .solver import Solver

RADICES = (2, 3, 4, 5, 7)  # of lanes.cl's kernel for all lengths: more take long to compile
MAX_SMOOTH, MAX_OTHER = 256, 512  # points of a transform
MAX_POINTS = 1024  # of all: of more, a kernel of their own is twice as fast


def applies(problem: Problem, traits: Traits, parameters: Parameters) -> bool:
    """Whether a problem is small, and there are neighbouring transforms or only one."""
    return takes(problem, traits) and _columns(problem, traits, parameters) is not None


def passes(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...]:
    """Return one pass."""
    columns = _columns(problem, traits, parameters)
    assert columns is not None
    return (columns_pass(problem, columns, traits, parameters, scale=problem.scale),)


def _columns(problem: Problem, traits: Traits, parameters: Parameters) -> Columns | None:
    ends, batch = whole(problem)
    radices = best_passes(ends.length, RADICES)
    smooth = is_smooth(ends.length)
    limit = MAX_SMOOTH if smooth else MAX_OTHER
    if not 1 < ends.length <= limit or ends.length * batch.count > MAX_POINTS or problem.hooks:
        return None
    if not smooth:
        ends, radices = replace(ends, chirp=True), convolution_passes(ends.length, RADICES[:4])
    return columns_of(problem, batch, ends, radices, traits, parameters, shared=True)


SOLVER = Solver(
    "small",
    "a few short neighbouring transforms, or one, on a CPU with vectors",
    applies,
    passes,
    selective=True,
)
