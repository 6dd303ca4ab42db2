"""Small problems on CPUs: one kernel for all lengths, so that a new length compiles nothing.

A small problem takes microseconds, but to compile a kernel for its length takes over a second.
Therefore the number of points and the radices of the stages are arguments of this kernel. Lengths
that are not smooth are transformed by Bluestein's algorithm.
"""

from __future__ import annotations

from dataclasses import replace

from ..batch import Batch
from ..factor import is_smooth
from ..parameters import Parameters
from ..problem import Problem
from ..traits import Traits
from .chirp import convolution_radices
from .cols import Columns, columns_of, solver_of, whole
from .lanes import radices_for

RADICES = (2, 3, 4, 5, 7)  # few, because a kernel that knows more radices takes long to compile


def _columns(problem: Problem, traits: Traits, parameters: Parameters) -> Columns | None:
    ends, batch = whole(problem)
    radices = radices_for(ends.length, parameters, RADICES)
    smooth = is_smooth(ends.length)
    if problem.hooks or not 1 < ends.length <= _limit(batch, smooth, traits, parameters):
        return None
    if not smooth:
        ends, radices = replace(ends, chirp="ALONE"), convolution_radices(ends.length, RADICES[:4])
    return columns_of(problem, batch, ends, radices, traits, parameters, shared=True)


def _limit(batch: Batch, smooth: bool, traits: Traits, parameters: Parameters) -> int:
    """Return the most points that a transform may have."""
    if batch.count == 1 and not smooth and not traits.vectorizes:
        return parameters["small_single"]
    limit = parameters["small_smooth" if smooth else "small_other"]
    return min(limit, parameters["small_points"] // batch.count)


SOLVER = solver_of(
    "small", "a few short neighbouring transforms, or one, on a CPU with vectors", _columns
)
