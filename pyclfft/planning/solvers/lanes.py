"""What solvers for CPUs share: groups of one work-item, whose vectors hold several transforms.

Work-groups with barriers are slow on CPUs, because a CPU's runtime imitates them by loops over all
work-items. lanes.cl has no barriers: a work-item does whole transforms, one in each lane of its
vectors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from types import MappingProxyType

from ..arguments import Buffer, Role, Vector
from ..batch import MAX_DIMENSIONS, Batch
from ..factor import FEW_POINTS, RADICES, best_lane_radices
from ..parameters import Parameters, factors_of
from ..pass_parts import defines, exact, real, uint
from ..passes import Argument, Pass
from ..problem import Layout, Problem
from ..tables import LaneStageTwiddles
from ..traits import AVX2_LANES, Traits
from .steps import resting_layout, single_axis

SCRATCH = "scratch"  # the workspace of work-groups whose points do not fit local memory
AVX2_REGISTERS = 16
LINE_BYTES = 64  # the bytes of a line of a CPU's caches; only whole lines can bypass the caches
NO_ARGUMENTS: Mapping[str, Argument] = MappingProxyType({})
MIN_LANES = 4  # in single precision; devices of fewer lanes are quicker by other solvers


@dataclass(frozen=True)
class Lanes:
    """How a work-item does transforms in the lanes of its vectors.

    Attributes
    ----------
    width : int
        The number of lanes of a vector.
    radices : tuple of int
        The radices of the stages, in order. Their product is `points`.
    points : int
        The number of points that each lane transforms.
    scratch_bytes : int
        The scratch memory of a work-item, in bytes.
    is_local : bool
        Whether the scratch memory is local memory rather than a workspace.
    halved : bool
        Whether the vectors have two halves, as those of AVX; shuffles.cl says what it means for the
        order of the lanes.
    """

    width: int
    radices: tuple[int, ...]
    points: int
    scratch_bytes: int
    is_local: bool
    halved: bool


def takes(problem: Problem, traits: Traits) -> bool:
    """Whether lanes.cl can solve a problem: it has one axis, and the device has wide vectors."""
    if not single_axis(problem) or most_lanes(problem, traits) == 1:
        return False
    return problem.kind != "c2c" or not problem.target.real


def row_layout(problem: Problem, length: int) -> Layout:
    """Return the layout of rows of `length` complex numbers between launches, each row contiguous.

    If the target's rows are contiguous and have room, the rows lie as in the target, so that the
    last launch can work in place.
    """
    (axis,) = problem.axes
    rest = resting_layout(problem, length)
    return rest if rest.strides[axis] == 1 else rest.along(axis)


def most_lanes(problem: Problem, traits: Traits) -> int:
    """Return the number of lanes of the device's vectors, or 1 if lanes.cl does not suit it."""
    if not traits.is_cpu or traits.lanes < MIN_LANES:
        return 1
    return traits.lanes // (2 if problem.precision == "double" else 1)


def radices_for(
    n: int, parameters: Parameters, among: tuple[int, ...] = RADICES, fit: int = FEW_POINTS
) -> tuple[int, ...] | None:
    """Return the radices of stages over n points: the tuned ones, or else the cheapest ones.

    Stages of columns, whose points are loaded and stored far apart, are quickest if few points fit.
    """
    # Images of 1024^2 points take 17 % less time than with the radices of rows on AVX-512, 128^3
    # points 31 %, columns of 1024 points 27 % (an EPYC, Intel's runtime; about half of it on PoCL).
    wanted = factors_of(parameters, "lanes_radices", n)
    return wanted if wanted and set(wanted) <= set(among) else best_lane_radices(n, among, fit)


def lanes_for(
    problem: Problem,
    width: int,
    radices: tuple[int, ...] | None,
    traits: Traits,
    parameters: Parameters,
    rooms: int = 1,
    spare: int = 0,
) -> Lanes | None:
    """Return how a work-item transforms the points of `width` lanes, or None if it cannot.

    Parameters
    ----------
    problem : Problem
        The problem that the transforms are a part of.
    width : int
        The number of lanes.
    radices : tuple of int or None
        The radices of the stages, or None if no stages were found.
    traits, parameters
        The device's traits, and the parameters of its kernels.
    rooms : int
        How many copies of all points the scratch memory holds.
    spare : int
        The number of further vectors that the scratch memory holds.
    """
    if radices is None:
        return None
    n = prod(radices)
    nbytes = (rooms * n + spare) * width * problem.complex_dtype.itemsize
    if nbytes > parameters["lanes_workspace"]:
        return None
    is_local = nbytes <= min(parameters["lanes_local"], traits.local_mem_bytes)
    halved = traits.lanes == AVX2_LANES and width == most_lanes(problem, traits)
    return Lanes(width, radices, n, nbytes, is_local, halved)


def lanes_pass(
    kernel: str,
    problem: Problem,
    batch: Batch,
    lanes: Lanes,
    units: tuple[int, ...],
    tables: Mapping[str, Argument],
    macros: Mapping[str, int | str],
    traits: Traits,
    parameters: Parameters,
    *,
    last: Mapping[str, Argument] = NO_ARGUMENTS,
    leaves: int = 0,
    displaced: bool = False,
    cached: bool = False,
    scale: float = 1.0,
    step: str = "",
) -> Pass:
    """Return a launch of row.cl, cols.cl or equalAxes.cl.

    Parameters
    ----------
    kernel : str
        "row", "cols" or "equalAxes".
    problem : Problem
        The problem that the launch is a part of.
    batch : Batch
        The transforms to do. Its dimensions count units: a unit is what a work-item takes at a
        time.
    lanes : Lanes
        How each work-item does its transforms.
    units : tuple of int
        The extents of the batch, in units.
    tables : mapping of str to Argument
        The arguments that follow the source, the target and the twiddles.
    macros : mapping
        The macros of the kernel beside those of lanes.cl.
    traits, parameters
        The device's traits, and the parameters of its kernels.
    last : mapping of str to Argument
        The arguments between the geometry of the batch and the scale.
    leaves : int
        The size of the target's buffer in bytes, if the target is a workspace; 0 if the target is
        the problem's own.
    displaced : bool
        Whether the lines of a source that is overwritten have left all caches by the time when
        results are stored there.
    cached : bool
        Whether results should not go past the caches, however large the target is.
    scale : float
        The factor by which the results are multiplied.
    step : str
        What the pass does, for people.
    """
    count = prod(units)
    per_core = parameters["lanes_groups"] if lanes.is_local else 1
    groups = min(count, per_core * traits.compute_units)
    streams = 0 < parameters["stream_bytes"] <= max(leaves, problem.nbytes)
    whole_lines = lanes.width * problem.complex_dtype.itemsize >= LINE_BYTES
    options: dict[str, int | str] = {
        "LANES": lanes.width,
        "VECTOR_BITS": 32 * traits.lanes,
        "DIMENSIONS": len(units),
        "LOCAL_SCRATCH": int(lanes.is_local),
        "STREAM": 1 + displaced if streams and whole_lines and not cached else 0,
        "PREFETCH": int(streams),
    }
    workspace = {} if lanes.is_local else {"workspace": Buffer(SCRATCH)}
    return Pass(
        kernel=kernel,
        source=f"cpu/{kernel}.cl",
        defines=defines(problem.precision, **options, **macros),
        global_size=(groups,),
        local_size=(1,),
        arguments={
            "src": Role.SOURCE,
            "dst": Role.TARGET,
            "twiddles": LaneStageTwiddles(lanes.radices, problem.precision),
            **tables,
            **workspace,
            "count": uint(count),
            "extents": vector_of("uint32", units, 1),
            "src_distances": vector_of("int64", [each.source for each in batch.dimensions], 0),
            "dst_distances": vector_of("int64", [each.target for each in batch.dimensions], 0),
            "first": Vector("int64", (batch.source.first, batch.target.first)),
            **last,
            "scale": exact(scale, problem.precision),
            "sign": real(problem, -1 if problem.direction == "inverse" else 1),
        },
        reads=bytes_touched(problem, problem.source),
        writes=bytes_touched(problem, problem.target),
        leaves=leaves or problem.nbytes,
        step=step,
        scratch=() if lanes.is_local else ((SCRATCH, groups * lanes.scratch_bytes),),
        aliases=batch.aliases,
        radices=(lanes.radices,),
        local_bytes=lanes.scratch_bytes if lanes.is_local else 0,
    )


def is_kept(problem: Problem, traits: Traits) -> bool:
    """Whether the caches should keep the result of a step until the next step reads it."""
    # On an EPYC with AVX2 and 32 MiB of L3 cache, transforms of 4 to 8 MiB along several axes take
    # 20 to 40 % less time. AVX-512 has not been measured.
    return traits.vector_registers == AVX2_REGISTERS and problem.nbytes <= problem.kept


def past_the_caches(problem: Problem, traits: Traits, parameters: Parameters) -> bool:
    """Whether a CPU with AVX2 writes results past its caches."""
    streams = 0 < parameters["stream_bytes"] <= problem.nbytes and not is_kept(problem, traits)
    return traits.vector_registers == AVX2_REGISTERS and streams


def bytes_touched(problem: Problem, layout: Layout) -> int:
    """Return the bytes of a source, or of a target, that a pass touches."""
    itemsize = problem.complex_dtype.itemsize
    if layout.real:
        return prod(problem.shape) * itemsize // 2
    return prod(problem.spectrum_shape) * itemsize


def walkable(batch: Batch) -> bool:
    """Whether a batch has no more dimensions than a kernel can walk."""
    return len(batch.dimensions) <= MAX_DIMENSIONS


def vector_of(dtype: str, values: list[int] | tuple[int, ...], rest: int) -> Vector:
    """Return an argument with a number for each dimension of a batch, and `rest` for the others."""
    return Vector(dtype, tuple(values) + (rest,) * (MAX_DIMENSIONS - len(values)))
