"""Little work on CPUs: one kernel for all lengths, so that a new one compiles nothing.

The compiler takes longer than a second for what is done in microseconds. So the points and the
radices of the passes are arguments here. Lengths that are not smooth go by Bluestein's algorithm.
"""

from __future__ import annotations

from dataclasses import replace

from ..batch import Batch
from ..factor import is_smooth
from ..parameters import Parameters
from ..problem import Problem
from ..traits import Traits
from .chirp import convolution_passes
from .cols import Columns, columns_of, solver_of, whole
from .lanes import passes_of

RADICES = (2, 3, 4, 5, 7)  # of lanes.cl's kernel for all lengths: more take long to compile


def _columns(problem: Problem, traits: Traits, parameters: Parameters) -> Columns | None:
    ends, batch = whole(problem)
    radices = passes_of(ends.length, parameters, RADICES)
    smooth = is_smooth(ends.length)
    if problem.hooks or not 1 < ends.length <= _limit(batch, smooth, traits, parameters):
        return None
    if not smooth:
        ends, radices = replace(ends, chirp="ALONE"), convolution_passes(ends.length, RADICES[:4])
    return columns_of(problem, batch, ends, radices, traits, parameters, shared=True)


def _limit(batch: Batch, smooth: bool, traits: Traits, parameters: Parameters) -> int:
    """Return how many points a transform may have."""
    if batch.count == 1 and not smooth and not traits.vectorizes:
        return parameters["small_single"]
    limit = parameters["small_smooth" if smooth else "small_other"]
    return min(limit, parameters["small_points"] // batch.count)


SOLVER = solver_of(
    "small", "a few short neighbouring transforms, or one, on a CPU with vectors", _columns
)
