"""A rewriter that joins two passes in one launch.

The second pass then finds the results of the first in the cache. The rewriter joins passes of
Stockham's kernel, along one axis or two, if the second reads what the first has left. It needs a
device whose work-groups may wait for each other, and passes whose work falls into independent
units (whole transforms, or images): chunks of units follow each other through the cache. If it
does not apply, the two passes remain two launches. fused.cl says how the joined launch works, and
why it is correct.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import gcd, lcm

from ..arguments import Buffer, Vector
from ..batch import Batch, Line
from ..parameters import Parameters
from ..passes import COUNTERS, Argument, Pass, Schedule, assign_buffers
from ..traits import Traits
from .solver import Rewriter
from .stockham import (
    Group,
    GroupLaunch,
    Shape,
    StockhamPass,
    group_of,
    stockham_pass,
    to_and_fro,
)

PRECISIONS = ("single",)  # double takes twice the registers, and nobody has measured it
SPARE_BYTES = 32  # the local memory of a group for what it holds beside its points
MIN_LAG = 1  # with less, a group could wait for a group that has yet to begin
# When one launch pays, unless the caller forces it: as on an H200 and an H100.
SMALL_BYTES = 4 * 2**20  # of results between the passes: the host takes longer than the GPU
LEAST_POINTS = 96  # shorter passes are as quick as a copy, with nothing that hides the waits
LONG = 256  # a long transform is one whose steps have over so many points
# For how many units the cache must have room, and the most work-items of a group: by whether the
# passes are steps of a long transform.
UNITS_IN_CACHE = {False: 6, True: 12}
MOST_ITEMS = {False: 320, True: 256}

# The defaults in batch.cl, numbers.cl and group.cl of the macros that passes may leave out.
DEFAULTS = {
    "DIMENSIONS": "1",
    **{f"COLUMNS_{number}": "0" for number in range(4)},
    "SRC_COLUMNS": "1",
    "DST_COLUMNS": "1",
    "SRC_UNIT": "0",
    "DST_UNIT": "0",
    "LENGTH": "N",
    "FILLED": "((ulong)N * SRC_COLUMNS)",
    "FOLD": "DST_COLUMNS",
    "OUTPUTS": "((ulong)N * DST_COLUMNS)",
    "TWIST": "0",
    "DIGITS": "2",
    "TWIST_FIRST": "0",
    "PRIMES": "0",
}


@dataclass(frozen=True)
class Chunks:
    """How the work of two passes is cut into chunks.

    Attributes
    ----------
    count : int
        The number of chunks.
    lag : int
        The number of chunks by which the first pass is ahead of the second.
    tiles : (int, int)
        The number of tiles of a chunk in each pass. A tile is the work of one work-group.
    nbytes : int
        The bytes of a chunk's results between the two passes.
    unit_bytes : int
        The bytes of a unit's results between the two passes.
    """

    count: int
    lag: int
    tiles: tuple[int, int]
    nbytes: int
    unit_bytes: int

    @property
    def groups(self) -> int:
        """The number of work-groups of the launch."""
        return self.count * sum(self.tiles)


def fused_schedule(
    passes: Sequence[Pass],
    out_bytes: int,
    traits: Traits,
    parameters: Parameters,
    *,
    in_place: bool = False,
    forced: bool = True,
) -> Schedule | None:
    """Assign buffers to passes and join the passes that can be joined.

    Parameters
    ----------
    passes, out_bytes, in_place
        The arguments that `assign_buffers` takes.
    traits, parameters
        The device's traits, and the parameters of its kernels.
    forced : bool
        Whether passes are also joined if that should not pay.

    Returns
    -------
    Schedule or None
        The schedule, or None if no passes are joined or the device does not allow it.
    """
    if not (traits.groups_may_wait and traits.l2_bytes and (forced or parameters["fused"])):
        return None
    forced = forced or parameters["fused"] == 1
    # If passes work in place, results between them are overwritten in the cache.
    schedule = assign_buffers(passes, out_bytes, in_place=in_place, frugal=True)
    kept = list(schedule.passes)
    counters = 0
    index = 0
    while index + 1 < len(kept):
        first, second = kept[index], kept[index + 1]
        index += 1
        if not (isinstance(first, StockhamPass) and isinstance(second, StockhamPass)):
            continue
        chunks = chunks_of(first, second, traits, parameters, in_place)
        if chunks is not None and (forced or _pays(first.work, second.work, chunks, traits)):
            kept[index - 1 : index + 1] = [join(first, second, chunks, traits)]
            counters = max(counters, 4 * (1 + chunks.count))
    if not counters:
        return None
    return Schedule(to_and_fro(kept), (*schedule.workspace, (COUNTERS, counters)))


def chunks_of(
    first: StockhamPass,
    second: StockhamPass,
    traits: Traits,
    parameters: Parameters,
    in_place: bool = False,
) -> Chunks | None:
    """Return how to cut the work of two passes.

    If they cannot be joined, or the cache is too small for their chunks, the result is None.

    Parameters
    ----------
    first, second : StockhamPass
        The passes, with their buffers assigned.
    traits, parameters
        The device's traits, and the parameters of its kernels.
    in_place : bool
        Whether "in" and "out" are the same memory.
    """
    plain = _plain(first.work) and _plain(second.work) and not (first.hooks or second.hooks)
    if not plain or _target(first) != _source(second):
        return None
    units = _units(first.work, second.work)
    if not _independent(first, second, units, in_place):
        units = 1
    return _cut_works(first.work, second.work, units, traits, parameters)


def will_join(launches: Sequence[GroupLaunch], traits: Traits, parameters: Parameters) -> bool:
    """Whether the two steps of a long transform become one launch because that pays.

    The second step reads what the first one leaves, and each transform is a unit.
    """
    allowed = traits.groups_may_wait and traits.l2_bytes and parameters["fused"]
    if not allowed or len(launches) != 2:
        return False
    first, second = launches
    if first.problem.hooks or not (_plain(first) and _plain(second)):
        return False
    chunks = _cut_works(first, second, _units(first, second), traits, parameters)
    return chunks is not None and _pays(first, second, chunks, traits)


def _units(first: GroupLaunch, second: GroupLaunch) -> int:
    """Return into how many units both launches can be cut, if these do not touch each other."""
    return gcd(*(each.batch.dimensions[-1].extent for each in (first, second)))


def _cut_works(
    first: GroupLaunch, second: GroupLaunch, units: int, traits: Traits, parameters: Parameters
) -> Chunks | None:
    """Return chunks of the work of two launches, or None if there are none."""
    groups = groups_of(first, second, traits)
    if groups is None:
        return None
    batches = first.batch, second.batch
    itemsize = first.problem.complex_dtype.itemsize
    unit_bytes = batches[1].count // units * batches[1].n * itemsize
    return cut(
        [each.count // units for each in batches], [each.transforms for each in groups], units,
        unit_bytes, traits.l2_bytes, parameters,
    )  # fmt: skip


def cut(
    transforms: Sequence[int],
    tiles: Sequence[int],
    units: int,
    unit_bytes: int,
    l2_bytes: int,
    parameters: Parameters,
) -> Chunks | None:
    """Return chunks that stay in the cache long enough, or None if there are none.

    Each chunk is made of whole units, and of whole tiles if there are enough units.

    Parameters
    ----------
    transforms : sequence of int
        The number of transforms of a unit in each pass.
    tiles : sequence of int
        The number of transforms of a tile in each pass.
    units, unit_bytes : int
        The number of units, and the bytes of a unit's results between the two passes.
    l2_bytes, parameters
        The size of the device's shared cache, and the parameters of its kernels.
    """
    wanted = l2_bytes // parameters["fused_chunks"]
    whole = lcm(*(tile // gcd(tile, count) for count, tile in zip(transforms, tiles, strict=True)))
    size = min(units, max(whole, wanted // unit_bytes // whole * whole))
    nbytes = size * unit_bytes
    count = -(-units // size)
    lag = min(count, max(MIN_LAG, round(parameters["fused_lag"] * wanted / nbytes)))
    # Chunks may take half of the cache: data on its way from and to memory needs room in it, too.
    if min(count, lag + 1) * nbytes > l2_bytes // 2:
        return None
    per_chunk = [-(-size * each // tile) for each, tile in zip(transforms, tiles, strict=True)]
    return Chunks(count, lag, (per_chunk[0], per_chunk[1]), nbytes, unit_bytes)


def _pays(first: GroupLaunch, second: GroupLaunch, chunks: Chunks, traits: Traits) -> bool:
    """Whether one launch is quicker than two.

    It always is if there is so little to do that the host's second launch takes longer. Otherwise
    units have to be small, so that the cache holds many of them. All data together has to be more
    than the cache holds, because otherwise two launches find it there as well. Work-groups may not
    be large, because then too few of them hide each other's waits, and they may not have fewer
    transforms side by side than in a launch of their own.
    """
    works = first, second
    groups = groups_of(first, second, traits)
    assert groups is not None
    nbytes = chunks.nbytes * chunks.count
    are_long = bool(first.ends.twist) and max(work.batch.n for work in works) > LONG
    return nbytes <= SMALL_BYTES or (
        chunks.unit_bytes <= traits.l2_bytes // UNITS_IN_CACHE[are_long]
        and nbytes > traits.l2_bytes
        and min(work.batch.n for work in works) >= LEAST_POINTS
        and groups[0].items <= MOST_ITEMS[are_long]
        and all(
            group.transforms >= work.group.transforms
            for work, group in zip(works, groups, strict=True)
        )
    )


def groups_of(
    first: GroupLaunch, second: GroupLaunch, traits: Traits
) -> tuple[Group, Group] | None:
    """Return work-groups of the same size for both passes, or None if neither pass's size fits.

    The larger size is tried first. If both passes have the same length, the first gets the stages
    of the second, because a program with different stages takes the registers of one pass and the
    local memory of the other.
    """
    if first.batch.n == second.batch.n:
        first = replace(first, group=second.group)
    for items in sorted({first.group.items, second.group.items}, reverse=True):
        groups = [_resized(work, items, traits) for work in (first, second)]
        if groups[0] is not None and groups[1] is not None:
            return groups[0], groups[1]
    return None


def _resized(work: GroupLaunch, items: int, traits: Traits) -> Group | None:
    stages, shape = work.group.stages, work.group.shape
    if items % stages.items or len(stages.radices) == 1:
        return None
    resized: Shape = replace(shape, transforms=items // stages.items)
    group = group_of(work.batch, work.ends, stages, resized, work.problem.precision)
    return group if group.local_bytes + SPARE_BYTES <= traits.local_mem_bytes else None


def _plain(each: GroupLaunch) -> bool:
    """Whether a launch transforms complex numbers and does nothing else but a twist."""
    ends = each.ends
    return (
        each.problem.precision in PRECISIONS
        and not each.group.shape.shared_rows
        and ends.source == ends.target == "COMPLEX"
        and not (ends.pair or ends.chirp_first or ends.chirp_last or ends.spectrum)
    )


# --- which memory a unit touches ------------------------------------------------------------------


def _independent(first: StockhamPass, second: StockhamPass, units: int, in_place: bool) -> bool:
    """Whether no unit touches memory that another unit writes.

    In every buffer that is written, everything that a unit reads and writes must lie in a stretch
    that is no longer than the distance from one unit to the next. All accesses to the buffer must
    agree on this distance.
    """
    accesses = []
    for each in (first, second):
        batch: Batch = each.work.batch
        sources = [d.source for d in batch.dimensions]
        targets = [d.target for d in batch.dimensions]
        accesses.append((_source(each), *_stretch(batch, batch.source, sources, units)))
        accesses.append((_target(each), *_stretch(batch, batch.target, targets, units)))
    memory = {"out": "in"} if in_place else {}
    written = {memory.get(each.name, each.name) for each in (_target(first), _target(second))}
    for name in written:
        touching = [
            rest for buffer, *rest in accesses if memory.get(buffer.name, buffer.name) == name
        ]
        low, high = min(low for low, _, _ in touching), max(high for _, high, _ in touching)
        distances = {distance for _, _, distance in touching}
        if len(distances) > 1 or high - low >= abs(distances.pop()):
            return False
    return True


def _stretch(
    batch: Batch, line: Line, distances: Sequence[int], units: int
) -> tuple[int, int, int]:
    """Return the first and the last element of unit 0, and the distance to the next unit."""
    extents = [each.extent for each in batch.dimensions]
    extents[-1] //= units
    reach = [(batch.n - 1) * line.stride]
    reach += [(extent - 1) * each for extent, each in zip(extents, distances, strict=True)]
    low, high = (sum(pick(0, each) for each in reach) for pick in (min, max))
    return line.first + low, line.first + high, extents[-1] * distances[-1]


def _source(each: Pass) -> Buffer:
    return _buffer(each.arguments["src"])


def _target(each: Pass) -> Buffer:
    return _buffer(each.arguments["dst"])


def _buffer(argument: Argument) -> Buffer:
    assert isinstance(argument, Buffer)
    return argument


# --- one pass of two ------------------------------------------------------------------------------


def join(first: StockhamPass, second: StockhamPass, chunks: Chunks, traits: Traits) -> Pass:
    """Return the one pass that does the work of two passes.

    Parameters
    ----------
    first, second : StockhamPass
        The two passes, with their buffers assigned.
    chunks : Chunks
        How their work is cut.
    traits : Traits
        The traits of the device.

    Returns
    -------
    Pass
    """
    groups = groups_of(first.work, second.work, traits)
    assert groups is not None
    resized = [
        stockham_pass(replace(work, group=group))
        for work, group in zip((first.work, second.work), groups, strict=True)
    ]
    items = groups[0].items
    return Pass(
        kernel="fused",
        source="gpu/fused.cl",
        defines=(*both_defines(*resized), ("PTX", str(int(traits.ptx)))),
        global_size=(chunks.groups * items,),
        local_size=(items,),
        arguments={
            "src": _source(first),
            "middle": _source(second),
            "dst": _target(second),
            "counters": Buffer(COUNTERS),
            "chunks": Vector("uint32", (chunks.count, chunks.lag, *chunks.tiles)),
            **_tile_arguments(resized[0], "_1"),
            **_tile_arguments(resized[1], "_2"),
        },
        reads=first.reads,
        writes=second.writes,
        leaves=second.leaves,
        step=f"{first.step}, {second.step}; {chunks.count} chunks, {chunks.lag} ahead",
        radices=first.radices + second.radices,
        local_bytes=max(each.local_bytes for each in groups) + SPARE_BYTES,
    )


def both_defines(first: Pass, second: Pass) -> Iterable[tuple[str, str]]:
    """Yield the macros of two passes; a macro that differs becomes BOTH(first, second)."""
    macros = dict(first.defines), dict(second.defines)
    for name in macros[0] | macros[1]:
        values = [each.get(name, DEFAULTS.get(name, "")) for each in macros]
        if (
            values[0] == values[1] or name == "PRIMES"
        ):  # codelets that one pass alone calls do no harm
            yield name, max(values)
        elif name == "RADICES":  # their commas would end an argument of BOTH
            yield from zip(("RADICES_1", "RADICES_2"), values, strict=True)
            yield name, "BOTH(RADICES_1,RADICES_2)"
        else:
            yield name, f"BOTH({values[0]},{values[1]})"


# The arguments of a tile beside its source and target: TILE_PARAMETERS in fused.cl.
TILE_PARAMETERS = (
    "twiddles", "roots", "count", "extents", "src_distances", "dst_distances", "src_axis",
    "dst_axis", "scale", "flags",
)  # fmt: skip


def _tile_arguments(each: Pass, suffix: str) -> dict[str, Argument]:
    """Return the arguments of a pass's tiles.

    Without a twist the kernel does not read the roots, and the twiddles take their place.
    """
    given = {"roots": each.arguments["twiddles"], **each.arguments}
    return {name + suffix: given[name] for name in TILE_PARAMETERS}


REWRITER = Rewriter(
    "fused",
    "a device whose groups may wait, and two passes of complex64 between which chunks fit its "
    "cache",
    ("stockham", "four_step_groups", "bluestein_groups", "radix2", "direct"),
    fused_schedule,
)
