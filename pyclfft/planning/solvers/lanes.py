"""What solvers for CPUs share: one work-item a group, whose vectors hold transforms side by side.

Work-groups with barriers are slow on CPUs, whose runtimes play them by loops over all work-items.
lanes.cl does without: a work-item takes whole transforms, one in each lane of its vectors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from types import MappingProxyType

from ..batch import MAX_DIMENSIONS, Batch
from ..factor import RADICES, best_passes
from ..parameters import Parameters, factors_of
from ..pass_parts import defines, exact, real, uint
from ..passes import Argument, Buffer, Pass, PassTwiddles, Role, Vector
from ..problem import Layout, Problem
from ..traits import Traits
from .steps import axis_length, resting_layout, single_axis

SCRATCH = "scratch"  # workspace of groups whose points do not fit local memory
LINE_BYTES = 64  # of a CPU's caches; past them go whole lines only
ENDS = (
    ("COMPLEX", "COMPLEX"),
    ("REAL", "COMPLEX"),
    ("REAL", "HERMITIAN"),
    ("HERMITIAN", "REAL"),
)
NO_ARGUMENTS: Mapping[str, Argument] = MappingProxyType({})
MIN_LANES = 4  # of single precision: a device without vectors is better served otherwise


@dataclass(frozen=True)
class Lanes:
    """How a work-item transforms.

    Attributes
    ----------
    width : int
        Lanes of a vector.
    radices : tuple of int
        Of the passes, in order; their product is the points of a lane.
    points : int
        Vectors of scratch memory.
    scratch_bytes : int
        The same in bytes.
    is_local : bool
        It is local memory rather than a workspace.
    shared : bool
        The kernel is that of all lengths.
    """

    width: int
    radices: tuple[int, ...]
    points: int
    scratch_bytes: int
    is_local: bool
    shared: bool = False


def takes(problem: Problem, traits: Traits) -> bool:
    """Whether a problem is what lanes.cl can do: one axis, on a device that it is made for."""
    if not single_axis(problem) or most_lanes(problem, traits) == 1:
        return False
    return ends_of(problem) in ENDS


def ends_of(problem: Problem) -> tuple[str, str]:
    """Return what is read and what is left: COMPLEX, REAL, or HERMITIAN for half of a spectrum."""
    source = "HERMITIAN" if problem.kind == "c2r" else "COMPLEX"
    target = "HERMITIAN" if problem.kind == "r2c" else "COMPLEX"
    return (
        "REAL" if problem.source.real else source,
        "REAL" if problem.target.real else target,
    )


def given_points(problem: Problem) -> int:
    """Return how many points of the axis are in the source and wanted: the others are zero."""
    return min(problem.source.shape[problem.axes[0]], _wanted_points(problem))


def is_padded(problem: Problem) -> bool:
    """Whether some points of the axis are not in the source."""
    return given_points(problem) < _wanted_points(problem)


def _wanted_points(problem: Problem) -> int:
    n = axis_length(problem)
    return n // 2 + 1 if problem.kind == "c2r" else n


def row_layout(problem: Problem, length: int) -> Layout:
    """Return where rows of `length` complex numbers wait for the next launch, each in one piece.

    As in the target where that is so and has room, so that the last step can be in place.
    """
    (axis,) = problem.axes
    rest = resting_layout(problem, length)
    return rest if rest.strides[axis] == 1 else rest.along(axis)


def most_lanes(problem: Problem, traits: Traits) -> int:
    """Return the lanes of a device's vectors, 1 where lanes.cl is not made for it."""
    if not traits.is_cpu or traits.lanes < MIN_LANES:
        return 1
    return traits.lanes // (2 if problem.precision == "double" else 1)


def passes_of(
    n: int, parameters: Parameters, among: tuple[int, ...] = RADICES
) -> tuple[int, ...] | None:
    """Return the radices of passes over n points: those that were found best, or the cheapest."""
    wanted = factors_of(parameters, "lanes_radices", n)
    return wanted if wanted and set(wanted) <= set(among) else best_passes(n, among)


def lanes_for(
    problem: Problem,
    width: int,
    radices: tuple[int, ...] | None,
    traits: Traits,
    parameters: Parameters,
    rooms: int = 1,
    spare: int = 0,
    shared: bool = False,
) -> Lanes | None:
    """Return how a work-item transforms the points of `width` lanes, or None if it cannot.

    Parameters
    ----------
    problem : Problem
        Of which this is a part.
    width : int
        Lanes.
    radices : tuple of int or None
        Of the passes; None where there are none.
    traits, parameters
        Of the device.
    rooms : int
        Times that all points have a place in scratch memory.
    spare : int
        Vectors that have a place beside.
    shared : bool
        By the kernel of all lengths.
    """
    if radices is None:
        return None
    n = prod(radices)
    nbytes = (rooms * n + spare) * width * problem.complex_dtype.itemsize
    if nbytes > parameters["lanes_workspace"]:
        return None
    is_local = nbytes <= min(parameters["lanes_local"], traits.local_mem_bytes)
    return Lanes(width, radices, n, nbytes, is_local and not shared, shared)


def convolution_words(radices: tuple[int, ...]) -> str:
    """Return the same for a convolution, such as ``AROUND(4,64,AROUND(8,8,MIDDLE(8)))``."""
    words = f"MIDDLE({radices[-1]})"
    for number in reversed(range(len(radices) - 1)):
        words = f"AROUND({radices[number]},{prod(radices[number + 1 :])},{words})"
    return words


def pass_words(radices: tuple[int, ...], first: str = "PASS", only: str = "LAST") -> str:
    """Return what is done with the points, as PASSES of lanes.cl has it.

    Parameters
    ----------
    radices : tuple of int
        In order.
    first, only : str
        The words for the first of several passes, and for a single one.

    Returns
    -------
    str
        Such as ``PASS(4,64,1,PASS(8,8,4,LAST(8,32)))``.
    """
    if len(radices) == 1:
        return f"{only}({radices[0]}{',1' if only == 'LAST' else ''})"
    words = f"LAST({radices[-1]},{prod(radices[:-1])})"
    for number in reversed(range(len(radices) - 1)):
        name = "PASS" if number else first
        below, before = prod(radices[number + 1 :]), prod(radices[:number])
        words = f"{name}({radices[number]},{below},{before},{words})"
    return words


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
    shared: Mapping[str, Argument] = NO_ARGUMENTS,
    last: Mapping[str, Argument] = NO_ARGUMENTS,
    leaves: int = 0,
    displaced: bool = False,
    scale: float = 1.0,
    step: str = "",
) -> Pass:
    """Return a launch of row.cl or of cols.cl.

    Parameters
    ----------
    kernel : str
        "row" or "cols".
    problem, batch : Problem, Batch
        What to transform; the batch's dimensions in units of what a work-item takes at a time.
    lanes : Lanes
        By which work-items.
    units : tuple of int
        Extents of the batch, in such units.
    tables : mapping of str to Argument
        What follows source, target and twiddles in the kernel's parameters.
    macros : mapping
        Beside those of lanes.cl.
    traits, parameters
        Of the device.
    shared : mapping of str to Argument
        What a kernel of all lengths knows of this one.
    last : mapping of str to Argument
        Of the kernel between the geometry of the batch and the scale.
    leaves : int
        Bytes of the target's buffer, where the target is not the problem's.
    displaced : bool
        Of a source that is replaced no cache holds the lines any more when results are stored.
    scale : float
        Factor of the result.
    step : str
        What the pass does.
    """
    count = prod(units)
    per_core = parameters["lanes_groups"] if lanes.is_local else 1
    groups = min(count, per_core * traits.compute_units)
    streams = 0 < parameters["stream_bytes"] <= max(leaves, problem.nbytes)
    whole_lines = lanes.width * problem.complex_dtype.itemsize >= LINE_BYTES
    options: dict[str, int | str] = {
        "LANES": lanes.width,
        "VECTOR_BITS": 32 * traits.lanes,
        "DIMENSIONS": MAX_DIMENSIONS if lanes.shared else len(units),
        "LOCAL_SCRATCH": int(lanes.is_local),
        "STREAM": 1 + displaced if streams and whole_lines else 0,
        "PREFETCH": int(streams),
    }
    if lanes.shared:
        options["SHARED"] = 1
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
            "twiddles": PassTwiddles(lanes.radices, problem.precision),
            **tables,
            **workspace,
            **shared,
            "count": uint(count),
            "extents": _vector("uint32", units, 1),
            "src_distances": _vector("int64", [each.source for each in batch.dimensions], 0),
            "dst_distances": _vector("int64", [each.target for each in batch.dimensions], 0),
            "first": Vector("int64", (batch.source.first, batch.target.first)),
            **last,
            "scale": exact(scale, problem.precision),
            "sign": real(problem, -1 if problem.direction == "inverse" else 1),
        },
        reads=_bytes(problem, problem.source),
        writes=_bytes(problem, problem.target),
        leaves=leaves or problem.nbytes,
        step=step,
        scratch=() if lanes.is_local else ((SCRATCH, groups * lanes.scratch_bytes),),
        aliases=batch.aliases,
        radices=(lanes.radices,),
        local_bytes=lanes.scratch_bytes if lanes.is_local else 0,
    )


def _bytes(problem: Problem, layout: Layout) -> int:
    """Return how much of a source, or of a target, a pass over all of it touches."""
    itemsize = problem.complex_dtype.itemsize
    if layout.real:
        return prod(problem.shape) * itemsize // 2
    return prod(problem.spectrum_shape) * itemsize


def walkable(batch: Batch) -> bool:
    """Whether a kernel can walk a batch."""
    return len(batch.dimensions) <= MAX_DIMENSIONS


def _vector(dtype: str, values: list[int] | tuple[int, ...], rest: int) -> Vector:
    return Vector(dtype, tuple(values) + (rest,) * (MAX_DIMENSIONS - len(values)))
