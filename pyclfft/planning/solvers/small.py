"""Little work on CPUs: one kernel for all lengths, so that a new one compiles nothing.

The compiler takes longer than a second for what is done in microseconds. So the points and the
radices of the passes are arguments here. Lengths that are not smooth go by Bluestein's algorithm.
"""

from __future__ import annotations

from dataclasses import replace

from ...tuning.lookup import Parameters
from ..factor import best_passes, is_smooth
from ..problem import Problem
from ..traits import Traits
from .chirp import convolution_passes
from .cols import Columns, columns_of, solver_of, whole

RADICES = (2, 3, 4, 5, 7)  # of lanes.cl's kernel for all lengths: more take long to compile


def _columns(problem: Problem, traits: Traits, parameters: Parameters) -> Columns | None:
    ends, batch = whole(problem)
    radices = best_passes(ends.length, RADICES)
    smooth = is_smooth(ends.length)
    limit = parameters["small_smooth" if smooth else "small_other"]
    points = ends.length * batch.count
    if not 1 < ends.length <= limit or points > parameters["small_points"] or problem.hooks:
        return None
    if not smooth:
        ends, radices = replace(ends, chirp=True), convolution_passes(ends.length, RADICES[:4])
    return columns_of(problem, batch, ends, radices, traits, parameters, shared=True)


SOLVER = solver_of(
    "small", "a few short neighbouring transforms, or one, on a CPU with vectors", _columns
)
