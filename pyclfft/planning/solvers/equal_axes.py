"""Two or three axes of equal length in one launch: a CPU's cache holds each array until it is done.

A batch of small images or volumes otherwise takes a launch for each axis, and each launch moves all
numbers through memory.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from ..arguments import Buffer
from ..batch import Batch, Dimension, Line
from ..factor import shown
from ..parameters import Parameters
from ..pass_parts import listed
from ..passes import Pass
from ..problem import Problem
from ..traits import Traits
from .cols import COLLECTED
from .lanes import (
    AVX2_REGISTERS,
    LINE_BYTES,
    Lanes,
    lanes_for,
    lanes_pass,
    most_lanes,
    past_the_caches,
    radices_for,
)
from .row import SLOW_DISTANCE
from .several_axes import contiguous_extents
from .solver import Solver

BETWEEN = "between"  # the workspace for what one round leaves for the next one
MANY = 4  # with so many arrays for each core, no core waits long for the others at the end
LEAST_BYTES = 2**25  # of results: fewer stay in the caches from one launch to the next one
CACHE_BYTES = 2**20  # the most bytes between the rounds of an array,
CACHE_OF_GROUPS = 2**18  # and of all work-groups of a core together, if it has several


def plan(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...] | None:
    """Return one pass if a core's cache holds an array, and all cores have arrays, or else None."""
    axes = equal_axes(problem)
    if axes is None or problem.hooks:
        return None
    n, number = axes
    width, count = most_lanes(problem, traits), prod(problem.shape) // n**number
    fits = _between(problem, n, number) <= CACHE_BYTES
    if not (1 < width <= n and fits and count >= MANY * traits.compute_units):
        return None
    spare = COLLECTED if _collects(problem, n, traits, parameters) else 0
    radices = radices_for(n, parameters)
    lanes = lanes_for(problem, width, radices, traits, parameters, rooms=2, spare=spare)
    if lanes is None or not lanes.is_local:
        return None
    return (_planned(problem, lanes, number, count, spare > 0, traits, parameters),)


def plan_if_quicker(
    problem: Problem, traits: Traits, parameters: Parameters
) -> tuple[Pass, ...] | None:
    """Return the pass if it is quicker than a launch for each axis, as far as was measured."""
    # On an EPYC with AVX2 and 32 MiB of L3 cache, 32 to 128 MiB take 15 to 40 % less time, but
    # 16 MiB take up to 20 % more. AVX-512 has not been measured.
    quicker = traits.vector_registers == AVX2_REGISTERS and problem.nbytes >= LEAST_BYTES
    return plan(problem, traits, parameters) if quicker else None


def equal_axes(problem: Problem) -> tuple[int, int] | None:
    """Return the length of a problem's axes and their number, or None.

    They must be the last two or three axes of contiguous complex arrays, and equally long. Axes of
    length 1 do not count.
    """
    extents = contiguous_extents(problem) if problem.kind == "c2c" else None
    if extents is None or len(set(extents)) > 1 or problem.target.real:
        return None
    return extents[0], len(extents)


def _between(problem: Problem, n: int, number: int) -> int:
    """Return the bytes that lie between the rounds of an array."""
    return int((number - 1) * n**number * problem.complex_dtype.itemsize)


def _collects(problem: Problem, n: int, traits: Traits, parameters: Parameters) -> bool:
    """Whether rows of results wait until whole lines of many rows can be stored past the caches.

    They need not if each row begins with a line, unless a CPU is slow with rows so far apart.
    """
    row = n * problem.complex_dtype.itemsize
    streams = 0 < parameters["stream_bytes"] <= problem.nbytes
    shares_lines = row % LINE_BYTES > 0 and row <= parameters["lanes_staged"]
    slow = past_the_caches(problem, traits, parameters) and row % SLOW_DISTANCE == 0
    return (streams and shares_lines) or slow


def _planned(
    problem: Problem,
    lanes: Lanes,
    number: int,
    count: int,
    collected: bool,
    traits: Traits,
    parameters: Parameters,
) -> Pass:
    """Return the launch as a pass. A core has several work-groups if they share its cache."""
    n, points = lanes.points, lanes.points**number
    batch = Batch(
        n,
        (Dimension(count, points, points),),
        Line(problem.source.offset, 1),
        Line(problem.target.offset, 1),
        aliases=problem.source == problem.target,
    )
    planned = lanes_pass(
        "equalAxes",
        problem,
        batch,
        lanes,
        (count,),
        {BETWEEN: Buffer(BETWEEN)},
        {
            "N": n,
            "AXES": number,
            "COLLECTED": int(collected),
            "RAGGED": int(n ** (number - 1) % lanes.width > 0),
            "RADICES": listed(lanes.radices),
        },
        traits,
        parameters,
        scale=problem.scale,
        step=f"{count} x {'x'.join([str(n)] * number)} = {shown(lanes.radices)}",
    )
    between = _between(problem, n, number)
    groups = min(*planned.global_size, traits.compute_units * max(1, CACHE_OF_GROUPS // between))
    return replace(
        planned,
        global_size=(groups,),
        scratch=((BETWEEN, groups * between),),
        radices=(lanes.radices,) * number,
        computes=problem,
    )


_REQUIREMENT = (
    "many contiguous complex arrays whose last two or three axes are equally long and fit the "
    "cache, on a CPU with vectors"
)
SOLVER = Solver("equal_axes", _REQUIREMENT, plan, several_axes=True)
SOLVER_IF_QUICKER = replace(SOLVER, plan=plan_if_quicker)
