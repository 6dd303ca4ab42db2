"""The direct transform, planned: how its sums are divided, and the passes that compute them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isqrt, prod

from ..errors import PlanError
from ..planning.arguments import Buffer, Scalar
from ..planning.passes import Argument, Pass, Schedule
from ..planning.planner import require_precision
from ..planning.precision import COMPLEX_DTYPE, REAL_DTYPE
from ..planning.problem import Layout
from ..planning.tables import Constants, Roots, Table
from ..planning.traits import Traits
from .bins import BinNumbers, Bins, OwnPlaces, Places, RootsOfBins, Wanted

TILED, GLOBAL, LOCAL = "tiled", "global", "local"
TILES_SOURCE, TILES_KERNEL = "dft/tiles.cl", "dft_tiles"
REPORT_SOURCE, REPORT_KERNELS = "dft/report.cl", {GLOBAL: "dft_global", LOCAL: "dft_local"}
PLACE_SOURCE, PLACE_KERNEL = "dft/place.cl", "place_bins"

MAX_SAMPLES = 2**31 - 1  # kernels count samples in 32 bits
CPU_BITS = 32  # of a number in one lane of a CPU's float vectors
LEAST_BLOCKS = 4  # of a part: more of them repay the roots that each group copies
REPORT_GROUP = 128  # work-items: what the report found to be good
ROOM_STEP = 256  # numbers: local memory is taken in multiples, so that lengths share a program
SUMS = Buffer("sums")


@dataclass(frozen=True)
class Blocking:
    """How tiles.cl divides the work.

    Attributes
    ----------
    group, width, outputs, tiles, tile, vector_bits : int
        The kernel's macros, each explained there.
    enough : int
        If all bins make fewer work-groups than this, the samples are divided among groups too.
    """

    group: int
    width: int
    outputs: int
    tiles: int
    tile: int
    enough: int
    vector_bits: int = 0

    @property
    def results(self) -> int:
        """The results of a work-group."""
        return self.group * self.width * self.outputs

    @property
    def local_numbers(self) -> int:
        """The complex numbers that a work-group holds in local memory: samples, and roots."""
        return self.tiles * self.tile + (self.tiles + self.tile) * self.results


@dataclass(frozen=True)
class Division:
    """How the samples of a row are divided.

    Attributes
    ----------
    tile : int
        The samples of a tile.
    blocks_a_part, parts : int
        The blocks that a work-group adds, and the number of groups that share the samples.
    """

    tile: int
    blocks_a_part: int
    parts: int


def blocking_of(traits: Traits, precision: str) -> Blocking:
    """Return how the work is best divided on a device.

    On GPUs, 16 tiles were the quickest on an H200. If the local memory of a device does not hold
    what a group copies for them, it takes 8. On CPUs, the real and imaginary sums of 6 tiles, a
    vector of roots and one of samples fill the 16 registers of AVX.
    """
    size = REAL_DTYPE[precision].itemsize
    if not traits.is_cpu:
        group = min(64, traits.max_work_group_size)
        chosen = Blocking(group, width=1, outputs=8 // size, tiles=16, tile=16, enough=2048)
        fits = 2 * size * chosen.local_numbers <= traits.local_mem_bytes
        return chosen if fits else replace(chosen, tiles=8)
    width = max(2, min(16, traits.lanes * CPU_BITS // 8 // size))
    vector_bits = CPU_BITS * traits.lanes
    return Blocking(1, width, 1, tiles=6, tile=64, enough=64, vector_bits=vector_bits)


def division_of(n: int, total: int, blocking: Blocking) -> Division:
    """Return how `n` samples are divided, if `total` bins are computed.

    It depends neither on the number of rows nor on the number of compute units, so that the bins
    are, bit for bit, the same on all devices of one kind, however they are shared out.
    """
    width, tiles = blocking.width, blocking.tiles
    # A row of roots is copied for each sample of a tile, and each block takes as long as 4 of them.
    best = _rounded(isqrt(4 * n // tiles), width)
    blocks = -(-n // (tiles * max(width, min(best, blocking.tile))))
    tile = _rounded(-(-n // (tiles * blocks)), width)
    blocks = -(-n // (tiles * tile))
    groups = -(-total // blocking.results)
    parts = max(1, min(blocking.enough // groups, blocks // LEAST_BLOCKS))
    blocks_a_part = -(-blocks // parts)
    return Division(tile, blocks_a_part, -(-blocks // blocks_a_part))


def _rounded(count: int, multiple: int) -> int:
    return -(-count // multiple) * multiple


@dataclass(frozen=True)
class DftJob:
    """A direct transform, or one share of it.

    Attributes
    ----------
    wanted : Wanted
        The bins that the caller wants, of which all shares together compute ``wanted.computed``.
    begin, end : int, or None
        The share: the places in ``wanted.computed`` of its first bin and of the one after its last.
        The results are then these bins. None: everything is computed, and the results are the
        bins that the caller wants.
    source, target : Layout
        Where the samples and the results lie.
    axis : int
        The axis of the samples, from 0.
    precision : {"single", "double"}
        The precision of the arithmetic.
    variant : {"tiled", "global", "local"}
        The kernel.
    group : int, or None
        The work-items of a group of the report's kernels; None for the usual number.
    """

    wanted: Wanted
    begin: int | None
    end: int | None
    source: Layout
    target: Layout
    axis: int
    precision: str
    variant: str
    group: int | None = None

    @property
    def bins(self) -> Bins:
        """The bins to compute."""
        return self.wanted.computed[self.begin : self.end]

    @property
    def places(self) -> Table:
        """The bin that each result is."""
        return Places(self.wanted) if self.begin is None else OwnPlaces(len(self.bins))

    @property
    def rows(self) -> int:
        """The number of rows."""
        return prod(n for axis, n in enumerate(self.source.shape) if axis != self.axis)

    def geometry(self, layout: Layout) -> Constants:
        """Return where rows lie, as rows.cl reads it."""
        pairs = zip(layout.shape, layout.strides, strict=True)
        batch = [each for axis, each in enumerate(pairs) if axis != self.axis]
        numbers = [layout.offset, layout.strides[self.axis]]
        return Constants((*numbers, *(number for each in batch for number in each)))

    def macros(self, **more: int) -> tuple[tuple[str, str], ...]:
        """Return the macros that all kernels share, and more."""
        common = {
            "DOUBLE": int(self.precision == "double"),
            "PARTS": 1 if self.source.real else 2,
            "DIMENSIONS": len(self.source.shape) - 1,
        }
        return tuple((name, str(value)) for name, value in {**common, **more}.items())


def dft_schedule(job: DftJob, traits: Traits) -> Schedule:
    """Plan a direct transform.

    Raises
    ------
    PlanError, PrecisionError
        The samples are too many for the kernel, or the device lacks double precision.
    """
    require_precision(job.precision, traits)
    if job.wanted.n > MAX_SAMPLES:
        raise PlanError(
            f"a direct transform takes at most {MAX_SAMPLES:,} samples, not {job.wanted.n:,}: cut "
            "them into parts or use pyclfft.fft"
        )
    sums, parts = _tiled(job, traits) if job.variant == TILED else (_report(job, traits), 1)
    size = COMPLEX_DTYPE[job.precision].itemsize
    nbytes = parts * job.rows * len(job.bins) * size
    return Schedule((sums, _placing(job, traits, parts)), ((SUMS.name, nbytes),))


def _tiled(job: DftJob, traits: Traits) -> tuple[Pass, int]:
    """Return the pass of tiles.cl, and the parts among which it divides the samples."""
    blocking = blocking_of(traits, job.precision)
    division = division_of(job.wanted.n, len(job.wanted.computed), blocking)
    count = len(job.bins)
    groups = -(-count // blocking.results)
    defines = job.macros(
        GROUP=blocking.group, WIDTH=blocking.width, OUTPUTS=blocking.outputs, TILES=blocking.tiles,
        TILE=blocking.tile, VECTOR_BITS=blocking.vector_bits,
    )  # fmt: skip
    arguments: dict[str, Argument] = {
        "src": Buffer("in"),
        "sums": SUMS,
        "roots": _roots(job, blocking, division),
        "bins": BinNumbers(job.bins),
        "geometry": job.geometry(job.source),
        "n": Scalar("uint32", job.wanted.n),
        "count": Scalar("uint32", count),
        "tile": Scalar("uint32", division.tile),
        "blocks_a_part": Scalar("uint32", division.blocks_a_part),
    }
    size = COMPLEX_DTYPE[job.precision].itemsize
    sums = Pass(
        TILES_KERNEL,
        TILES_SOURCE,
        defines,
        (groups * blocking.group, job.rows, division.parts),
        (blocking.group, 1, 1),
        arguments,
        reads=job.rows * job.wanted.n * size // (1 + job.source.real),
        writes=division.parts * job.rows * count * size,
        step=f"{count} of {job.wanted.n} bins, tiles of {division.tile} samples",
        local_bytes=blocking.local_numbers * size,
    )
    return sums, division.parts


def _roots(job: DftJob, blocking: Blocking, division: Division) -> Table:
    """Return the table of all roots or, if that takes less time, of those that bins need.

    All shares have the same table.
    """
    n, bins = job.wanted.n, job.wanted.computed
    of_a_bin = division.tile + blocking.tiles + division.parts * division.blocks_a_part
    if len(bins) * of_a_bin >= n:
        return Roots(n, job.precision)
    return RootsOfBins(n, job.precision, bins, division.tile, blocking.tiles)


def _report(job: DftJob, traits: Traits) -> Pass:
    """Return the pass of report.cl.

    Raises
    ------
    PlanError
        The samples do not fit in local memory; the message names the limit and the remedy.
    """
    n, count, size = job.wanted.n, len(job.bins), REAL_DTYPE[job.precision].itemsize
    numbers = n * (1 if job.source.real else 2)
    room = 0
    if job.variant == LOCAL:
        limit = traits.local_mem_bytes // size // (1 if job.source.real else 2)
        if n > limit:
            raise PlanError(
                f"variant 'local' copies all samples to local memory, which on {traits.name} holds "
                f"{limit:,} {'real' if job.source.real else 'complex'} numbers in {job.precision} "
                f"precision, not {n:,}: choose variant='tiled'"
            )
        room = min(_rounded(numbers, ROOM_STEP), traits.local_mem_bytes // size)
    group = min(job.group or REPORT_GROUP, traits.max_work_group_size)
    arguments: dict[str, Argument] = {
        "src": Buffer("in"),
        "sums": SUMS,
        "bins": BinNumbers(job.bins),
        "geometry": job.geometry(job.source),
        "n": Scalar("uint32", n),
        "count": Scalar("uint32", count),
    }
    nbytes = COMPLEX_DTYPE[job.precision].itemsize
    return Pass(
        REPORT_KERNELS[job.variant],
        REPORT_SOURCE,
        job.macros(ROOM=max(room, 1)),
        (_rounded(count, group), job.rows),
        (group, 1),
        arguments,
        reads=job.rows * numbers * size,
        writes=job.rows * count * nbytes,
        step=f"{count} of {n} bins, the samples from {job.variant} memory",
        local_bytes=room * size,
    )


def _placing(job: DftJob, traits: Traits, parts: int) -> Pass:
    """Return the pass of place.cl, which adds the parts and brings results to their places."""
    results, count = job.target.shape[job.axis], len(job.bins)
    group = min(REPORT_GROUP, traits.max_work_group_size)
    size = COMPLEX_DTYPE[job.precision].itemsize
    arguments: dict[str, Argument] = {
        "sums": SUMS,
        "dst": Buffer("out"),
        "places": job.places,
        "geometry": job.geometry(job.target),
        "results": Scalar("uint32", results),
        "count": Scalar("uint32", count),
        "parts": Scalar("uint32", parts),
    }
    return Pass(
        PLACE_KERNEL,
        PLACE_SOURCE,
        job.macros(),
        (_rounded(results, group), job.rows),
        (group, 1),
        arguments,
        reads=parts * job.rows * count * size,
        writes=job.rows * results * size,
        step=f"{results} results, sums of {parts} parts",
    )
