"""Launches of stockham.cl: transforms of lengths with codelets that fit a work-group.

`group_for` finds a work-group for a batch, and `stockham_pass` makes its launch a pass.

References
----------
N. K. Govindaraju, B. Lloyd, Y. Dotsenko, B. Smith, J. Manferdelli, "High performance discrete
Fourier transforms on graphics processors", SC 2008.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import prod

from ..arguments import Role, Scalar, Vector
from ..batch import MAX_DIMENSIONS, Batch, Line
from ..convolved_rows import (
    SIZES,
    ConvolvedRow,
    Limits,
    best_group,
    in_whole_warps,
    rows_that_fit,
)
from ..factor import (
    LARGE_PRIMES,
    SHORT_ROWS,
    Stages,
    best_stages,
    best_stages_alone,
    best_stages_of_odd_row,
    is_power_of_two,
    is_smooth,
    shown,
    three_even_stages,
    two_even_stages,
)
from ..packed_stages import MIRRORED_ITEMS, packed_stages
from ..parameters import Parameters, factors_of
from ..pass_parts import defines, exact, listed, uint
from ..passes import Argument, Pass
from ..precision import COMPLEX_DTYPE, REAL_DTYPE
from ..problem import Problem
from ..tables import Chirp, DigitRoots, Roots, StageTwiddles
from ..traits import Traits
from .ends import BACKWARD, CONJUGATE_OUT, Ends
from .leaf import Step

MAX_LENGTH = 2**20  # far beyond any work-group, so that the search for stages ends early
MAX_DIGIT_BITS = 10  # the most bits of a digit of a twist's exponent
MIN_ITEMS = 8  # the fewest work-items that a row gets; a row of fewer than TINY points gets half
TINY = 32
MIRRORED = 32  # the value of FEWEST in packed.cl, with which the macro is left out
NO_TRANSFORM = 2**32 - 1  # the number that no transform has

LINE_BYTES = 128  # the bytes that memory moves at once, and that local memory serves at once
SECTOR_BYTES = 32  # the bytes of a line that a GPU's cache moves at least; parts of them cost more
# The multiples of bytes at which rows between launches may begin, and how much longer gaps may make
# rows.
PITCHES, GAPS = (LINE_BYTES, 2 * SECTOR_BYTES, SECTOR_BYTES), 1 / 16
# The share of work-items that may idle so that groups begin at whole sectors, also in a step of a
# long transform.
IDLE, IDLE_IN_STEP = 1 / 16, 1 / 8

# The least bytes of a run in memory, and the share of time that a run of so many bytes wastes,
# compared with a run of a whole line.
WASTED = ((LINE_BYTES, 0.0), (64, 0.08), (32, 0.3), (0, 1.5))
PARTS_APART = 37  # the least prime with which parts apart are quicker on an H100
SHARED_BYTES = 32 * 1024  # the most bytes of the rows that all work-items of a group share
# Of rows that share a group although each has several work-items: the most points of packed real
# rows, and the work-items of which fewer load too far apart; the points of complex rows of which
# fewer always share a group, and the most points with which they do for fewer stages.
MOST_PACKED, FAR_APART, SHARED_POINTS = 100, 7, 40
SHARED_IN_FEWER = {"single": 135, "double": 64}
# The bytes that a work-item loads at once, the fewest bytes of a group of short rows, and the
# lengths of complex rows that are quicker with several work-items each, all of them on an H200.
VECTOR_BYTES, SHORT_BYTES, SHORT_IN_STAGES = 16, 1536, (16, 32)
# Of short packed rows: by what the source holds, precision and points, how many rows a group has at
# least for lengths of which more rows are quicker on an H200.
MORE_SHORT_ROWS = {("HERMITIAN", "double", 30): 64}
MUCH_TOO_LONG = 1.25  # the bytes of a long row of doubles, as a multiple of local memory
ALONE_BYTES = 40 * 1024  # the bytes of a row from which on a wider search for its stages pays
# Of complex rows in two even stages: the least and the most points, and the largest radix; the
# least points of rows with radix 12 that may have fewer; about how many work-items a group has; and
# how many rows it has for lengths that no rule fits.
EVEN_ROWS = {"single": (96, 640, 32), "double": (96, 400, 20)}
LEAST_OF_TWELVE, EVEN_ITEMS = 60, 64
# Of complex rows in three even stages: the most points; the most work-items of a group of several
# rows; and the share of busy lanes from which on the usual group of three stages is good.
MOST_OF_THREE, MOST_EVEN_ITEMS, BUSY_USUAL = 2000, 160, 0.775
# The points of rows that Bluestein's algorithm convolves quicker on an H100 if the cost of a
# convolved row chooses their groups.
CHIRPED = {"single": (144, 256, 512, 1024), "double": (256, 512, 1024)}
USUAL_GROUP = 128  # the work-items of a group of short rows, unless a rule or a parameter says else
# Those of odd rows of real numbers in double precision, in stages of which one has a large prime:
# its codelet takes so many registers that a multiprocessor has room for few groups.
GROUP_OF_LARGE_PRIMES = 64
# The fewest bytes of the rows of a group. A multiprocessor runs 32 groups at once at the most, so
# that 40 KiB are on their way, which hides the time that memory takes.
LEAST_BYTES = 1280
MOST_FOR_BYTES = 4  # the most rows that a group takes for that; shorter rows fill the usual group
# More than these shares of the lanes of a small group's warps have work: complex rows compute so
# little that memory takes most of their time.
BUSY_REAL, BUSY_COMPLEX = 3 / 4, 1 / 2
CROWDED = 512  # the work-items of a group from which on one group fills a multiprocessor, and the
CROWDING = 1.1  # factor by which a launch then takes longer: no other group computes meanwhile


@dataclass(frozen=True)
class Shape:
    """What a work-group may look like.

    Attributes
    ----------
    transforms : int
        The number of transforms that the group does side by side; 0 for as many as fill it.
    split : bool
        Whether work-items exchange the real parts first and the imaginary parts after them.
    halves : bool
        Whether work-items exchange the lower half of a transform first and the upper half after it.
    most_points : int
        The most points that all transforms side by side may have together.
    served : int
        The bytes that local memory serves at once.
    shared_rows : bool
        Whether all work-items of the group load and store all of its rows, as if these were one
        long row, because those of one row are so few that their loads are not close together.
    """

    transforms: int
    split: bool = False
    halves: bool = False
    most_points: int = 2**31
    served: int = LINE_BYTES
    shared_rows: bool = False

    @property
    def parts(self) -> int:
        """The number of parts in which points are exchanged, one part after the other."""
        return (1 + self.split) * (1 + self.halves)


# The shapes to try, the best one first. The more neighbouring columns a group has, the longer are
# its runs in memory; with fewer than four columns most of each line is wasted. To exchange halves
# takes more steps, but leaves local memory for more groups at once.
ROWS = (Shape(0), Shape(0, True), Shape(1), Shape(1, True), Shape(1, True, True))
SHARED = Shape(0, shared_rows=True)  # tried first for rows of large primes
SHAPES_ALONE = ROWS[2:]  # of a single row
COLUMNS = (
    Shape(32, most_points=4096),
    Shape(16),
    Shape(16, True, most_points=8192),
    Shape(8),
    Shape(8, True, True),
    Shape(8, True),
    Shape(4, True, True),
    Shape(4),
    Shape(4, True),
    Shape(16, True, True),  # only if the parameters ask for so many
)


# Groups of whole rows that are quicker on an H200 than those of the rules, found by trial: by what
# the source holds, precision and points.
FOUND = {
    ("REAL", "single", 50): (Stages((10, 5), 10), Shape(12)),
    ("REAL", "double", 50): (Stages((10, 5), 10), Shape(3)),
    ("COMPLEX", "single", 100): (Stages((10, 10), 10), Shape(3)),
    ("COMPLEX", "double", 30): (Stages((2, 15), 5), Shape(6)),
    ("COMPLEX", "single", 2197): (Stages((13, 13, 13), 169), Shape(1, split=True)),
}
# Stages of columns of points that are quicker on an H200, by precision and points.
FOUND_COLUMNS = {("double", 729): Stages((27, 27), 27)}
# Stages of the convolutions that transform real rows of a prime length, and how many rows share a
# group, that are quicker on an H200 than what `ConvolvedRow.cost` prefers: by what the source
# holds, precision and points of the convolution. A row of 251 numbers has 125 points.
FOUND_CONVOLVED = {("HERMITIAN", "single", 125): (Stages((5, 25), 5), 25)}


@dataclass(frozen=True)
class Group:
    """A work-group.

    Attributes
    ----------
    stages : Stages
        The stages of each transform, and its number of work-items.
    shape : Shape
        The number of transforms side by side, and how their points are exchanged.
    room, pitch, banks : int
        The values of the macros ROOM, PITCH and BANKS, which group.cl explains.
    local_bytes : int
        The local memory that the group takes, in bytes.
    parts_apart : bool
        Whether two work-items transform each row, one its real part and one its imaginary part.
    plain : bool
        Whether the rows that work-items share lie one behind the other, in the source and in the
        target.
    apart : bool
        Whether no group takes transforms on both sides of an end of the batch's first dimension.
    stays : bool
        Whether a launch that may work in place runs better so than from one buffer to another.
    mirrored : int
        The fewest work-items of a packed row that own both numbers of their mirror images.
    quads : bool
        Whether work-items load, or store, four neighbouring numbers of a packed row at once.
    usual_items : int
        The work-items that a group of few rows would have if it took as many rows as it may.
    """

    stages: Stages
    shape: Shape
    room: int
    pitch: int
    banks: int
    local_bytes: int
    parts_apart: bool = False
    plain: bool = False
    apart: bool = False
    stays: bool = True
    mirrored: int = MIRRORED
    quads: bool = False
    usual_items: int = 0

    @property
    def transforms(self) -> int:
        """The number of transforms that the group does side by side."""
        return self.shape.transforms

    @property
    def items(self) -> int:
        """The number of work-items of the group."""
        return self.stages.items * self.transforms


@dataclass(frozen=True)
class GroupLaunch:
    """A launch of stockham.cl.

    Attributes
    ----------
    problem : Problem
        The problem that the launch is a part of.
    step : Step
        What the launch does.
    group : Group
        The work-groups that do it.
    scale : float
        The factor by which the results are multiplied.
    """

    problem: Problem
    step: Step
    group: Group
    scale: float = 1.0

    @property
    def batch(self) -> Batch:
        """The transforms that the launch does."""
        return self.step.batch

    @property
    def ends(self) -> Ends:
        """What the launch does to points as it loads and stores them."""
        return self.step.ends

    @property
    def cost_of_odd_row(self) -> float:
        """About how long a row of an odd number of real numbers takes, to compare its stages."""
        ends, stages = self.ends, self.group.stages
        group, precision = self.group, self.problem.precision
        items = max(group.items, group.usual_items)
        return stages.cost_of_odd_row(ends.length, ends.real_radix, items, precision)

    def cost_of_convolved_row(self, traits: Traits) -> float | None:
        """Return about how long a row's convolution takes on a GPU; None if it is not known."""
        row, group = convolved_row(self.batch, self.ends, self.problem.precision), self.group
        if row is None or traits.is_cpu:
            return None
        return row.cost(group.stages, group.transforms, traits.lanes)

    @property
    def cost(self) -> float:
        """About how long a launch of a convolution takes to move its points, relative to a copy.

        Short runs of columns waste a part of each transfer. If one group fills a multiprocessor, no
        other group computes there while it waits for memory.
        """
        run = _run_bytes(self.batch, self.ends, self.group, self.problem.precision)
        wasted = next(share for least, share in WASTED if run >= least)
        return (1 + wasted) * (CROWDING if self.group.items >= CROWDED else 1.0)

    def planned(self, scale: float = 1.0) -> StockhamPass:
        """Return the launch as a pass that multiplies the results by `scale`."""
        return stockham_pass(replace(self, scale=scale))


@dataclass(frozen=True)
class StockhamPass(Pass):
    """A launch of stockham.cl that also holds its `GroupLaunch`, so that `fused` can join two.

    Attributes
    ----------
    work : GroupLaunch
        The launch from which `stockham_pass` made the pass.
    """

    work: GroupLaunch = field(kw_only=True, compare=False, repr=False)


def group_for(
    batch: Batch, ends: Ends, precision: str, traits: Traits, parameters: Parameters
) -> Group | None:
    """Return the best work-group within the device's limits, or None if there is none."""
    if (
        not (1 if ends.packed else 2) <= batch.n <= MAX_LENGTH
        or not is_smooth(batch.n, LARGE_PRIMES[-1])
        or len(batch.dimensions) > MAX_DIMENSIONS
    ):
        return None
    convolved = _group_of_convolved_rows(batch, ends, precision, traits, parameters)
    if convolved is not None:
        return convolved
    found = _found_group(batch, ends, precision, traits, parameters)
    if found is not None:
        return found
    usual = _usual_group(batch, ends, precision, traits, parameters)
    even = _even_group(usual, batch, ends, precision, traits, parameters)
    if even:
        return even
    alone = _group_alone(batch, ends, precision, traits, parameters)
    if alone and (usual is None or len(alone.stages.radices) < len(usual.stages.radices)):
        return alone
    shared = _shared_group(batch, ends, precision, traits, parameters)
    if shared and usual and _shares(usual, shared, ends, precision):
        return shared
    return usual


def _found_group(
    batch: Batch, ends: Ends, precision: str, traits: Traits, parameters: Parameters
) -> Group | None:
    """Return the group that FOUND has for whole rows, or None."""
    key = ends.source, precision, batch.n
    chosen = chooses_stages(parameters, batch.n) or parameters["stockham_group"] >= 0
    points = ends.packed or ends.source == ends.target == "COMPLEX"
    rows = points and not ends.quads and _is_whole_row(batch, ends) and _are_neighbours(batch)
    if traits.is_cpu or chosen or key not in FOUND or not rows:
        return None
    stages, shape = FOUND[key]
    shape = replace(shape, served=parameters["stockham_banks"])
    group = group_of(batch, ends, stages, shape, precision)
    group = replace(group, mirrored=_fewest_mirrored(precision, parameters))
    fits = group.items <= most_items(traits, parameters)
    return group if fits and group.local_bytes <= traits.local_mem_bytes else None


def _even_group(
    usual: Group | None,
    batch: Batch,
    ends: Ends,
    precision: str,
    traits: Traits,
    parameters: Parameters,
) -> Group | None:
    """Return a small group of complex rows in stages of about the same radix, or None.

    In two stages, rows of 96 to 640 points take nearly as little time as a copy, and up to 1.7
    times as long in the stages that `Stages.cost` prefers, as on an H200. In three stages, rows of
    up to 2000 points take up to a third less time than in more stages, or in a usual group of which
    many work-items idle.
    """
    n, chosen = batch.n, chooses_stages(parameters, batch.n) or parameters["stockham_group"] >= 0
    points = ends.source == ends.target == "COMPLEX" and _is_whole_row(batch, ends)
    by_columns = batch.loads_columns or batch.stores_columns
    if usual is None or traits.is_cpu or chosen or by_columns or not points:
        return None
    if is_power_of_two(n):
        return None  # local memory serves the usual exchanges without conflicts
    stages = _two_stages(n, precision, usual) or _three_stages(n, usual, traits.lanes)
    if stages is None:
        return None
    if len(stages.radices) == 2:
        rows = EVEN_ITEMS // stages.items
    else:
        rows = _busiest_rows(stages.items, traits.lanes)
    shape = Shape(max(1, rows), served=parameters["stockham_banks"])
    group = group_of(batch, ends, stages, shape, precision)
    fits = group.items <= most_items(traits, parameters)
    return group if fits and group.local_bytes <= traits.local_mem_bytes else None


def _two_stages(n: int, precision: str, usual: Group) -> Stages | None:
    """Return two stages of about the same radix if they are quicker than the usual ones, or None.

    Two usual stages of the same radix have the best groups already.
    """
    least, most, largest = EVEN_ROWS[precision]
    if n < least and n % 12 == 0 and n >= LEAST_OF_TWELVE:
        return Stages((12, n // 12), 12)
    stages = two_even_stages(n, largest) if least <= n <= most else None
    is_square = stages is not None and len(set(stages.radices)) == 1
    return None if is_square and len(usual.stages.radices) == 2 else stages


def _three_stages(n: int, usual: Group, lanes: int) -> Stages | None:
    """Return three stages of about the same radix if they are quicker than the usual ones."""
    many = len(usual.stages.radices) > 3
    idle = _busy(usual.items, lanes) < BUSY_USUAL and not usual.shape.shared_rows
    wanted = many or (idle and len(usual.stages.radices) == 3)
    return three_even_stages(n) if wanted and n <= MOST_OF_THREE else None


def _busiest_rows(items: int, lanes: int) -> int:
    """Return how many rows a group takes so that few lanes of its warps idle: rather few rows."""
    counts = range(1, MOST_EVEN_ITEMS // items + 1)
    return max(counts, key=lambda rows: _busy(rows * items, lanes) - rows / 50, default=1)


def _busy(items: int, lanes: int) -> float:
    """Return the share of the lanes of a group's warps that have a work-item."""
    return items / (-(-items // lanes) * lanes)


def _shared_group(
    batch: Batch, ends: Ends, precision: str, traits: Traits, parameters: Parameters
) -> Group | None:
    """Return a group that shares its rows although each has several work-items, or None."""
    chosen = chooses_stages(parameters, batch.n)
    points = ends.packed or ends.source == ends.target == "COMPLEX"
    most = MOST_PACKED if ends.packed else SHARED_IN_FEWER[precision]
    in_between = max(SHORT_ROWS) < batch.n <= most and is_smooth(batch.n)
    if traits.is_cpu or chosen or not (points and in_between and _may_share(batch, ends)):
        return None
    return _usual_group(batch, ends, precision, traits, parameters, shapes=(SHARED,))


def shared_group_of(
    step: Step, stages: Stages, rows: int, precision: str, parameters: Parameters
) -> Group:
    """Return a group of so many rows that its work-items share, in these stages."""
    batch, ends = step.batch, step.ends
    shape = Shape(rows, served=parameters["stockham_banks"], shared_rows=True)
    group = group_of(batch, ends, stages, shape, precision)
    return replace(group, plain=_plain_rows(batch, ends))


def _shares(usual: Group, shared: Group, ends: Ends, precision: str) -> bool:
    """Whether a group that shares its rows is quicker than the usual one, as on an H200.

    The usual one is slow if its rows have few work-items, which load from places that lie far
    apart. A shared row has fewer work-items with more points each, so that it may have fewer
    stages.
    """
    n, fewer = usual.stages.n, len(shared.stages.radices) < len(usual.stages.radices)
    if not ends.packed:
        return n < SHARED_POINTS or fewer
    # Local memory serves the usual exchanges of 16, 32 ... points without conflicts.
    return usual.stages.items < FAR_APART or (precision == "single" and fewer and n % 16 > 0)


def _group_of_convolved_rows(
    batch: Batch, ends: Ends, precision: str, traits: Traits, parameters: Parameters
) -> Group | None:
    """Return the best work-group for the rows of a convolution, by the cost fitted to a GPU.

    None leaves the group to `_usual_group`: if there are no such rows, on a CPU, if the parameters
    choose the stages, or if the points of a row have no room side by side. It also leaves the rows
    of Bluestein's algorithm for which no other group has been measured, or none was quicker.
    """
    row = convolved_row(batch, ends, precision)
    chosen = chooses_stages(parameters, batch.n)
    quicker = ends.laid_out or batch.n in CHIRPED[precision]
    if row is None or chosen or traits.is_cpu or not quicker:
        return None
    limit, served = most_items(traits, parameters), parameters["stockham_banks"]
    wanted, room = parameters["stockham_group"], traits.local_mem_bytes
    limits = Limits(
        sizes=tuple(min(each, limit) for each in ((wanted,) if wanted > 0 else SIZES)),
        least_items=_fewest_items(batch, ends),
        most_items=limit,
        most_bytes=min(SHARED_BYTES, room) if ends.real_points else room,
        local_bytes=room,
        banks=max(1, served // COMPLEX_DTYPE[precision].itemsize),
        lanes=traits.lanes,
    )
    found = FOUND_CONVOLVED.get((ends.source, precision, batch.n)) if row.real else None
    if found is None or wanted > 0 or not limits.allows(row, *found):
        found = best_group(row, limits)
    if found is None:
        return None
    stages, rows = found
    group = group_of(batch, ends, stages, Shape(rows, served=served), precision)
    return replace(
        group,
        plain=ends.real_points and _plain_rows(batch, ends),
        stays=_stays(batch, ends, group, precision, traits, parameters),
    )


def chooses_stages(parameters: Parameters, n: int) -> bool:
    """Whether parameters choose the stages of rows of n points, so that no rule does."""
    wanted = factors_of(parameters, "stockham_radices", n)
    return bool(wanted) or parameters["stockham_points"] > 0


def convolved_row(batch: Batch, ends: Ends, precision: str) -> ConvolvedRow | None:
    """Return what a launch convolves if its cost is known, or else None.

    It is known for rows of Rader's algorithm and of Bluestein's, but not for columns, nor for rows
    of a matrix in steps. On an H200 it is no guide to rows of real numbers in double precision that
    Bluestein's algorithm convolves.
    """
    by_columns = batch.loads_columns or batch.stores_columns
    known = ends.source == ends.target == "COMPLEX" or (precision == "single" and not ends.packed)
    chirped = ends.chirp_first and ends.chirp_last and known
    if ends.spectrum is None or by_columns or not (ends.laid_out or chirped):
        return None
    return ConvolvedRow(
        batch.n,
        waiting=ends.length if ends.laid_out else 0,
        real=ends.real_points,
        from_half=ends.real_points and ends.source == "HERMITIAN",
        precision=precision,
    )


def _usual_group(
    batch: Batch,
    ends: Ends,
    precision: str,
    traits: Traits,
    parameters: Parameters,
    shapes: Sequence[Shape] = (),
) -> Group | None:
    """Return a group of the first of some shapes that fits the device, or None if none does."""
    size, usual_items = _group_size(batch, ends, precision, traits, parameters), 0
    by_columns = batch.loads_columns or batch.stores_columns
    itemsize = COMPLEX_DTYPE[precision].itemsize
    short = _is_short(batch, ends, precision, traits, parameters)
    may_share = (short or not is_smooth(batch.n)) and _may_share(batch, ends)
    rows = shapes or ((SHARED, *ROWS) if may_share else ROWS)
    for shape in _preferred(parameters) if by_columns else rows:
        if batch.n * shape.transforms > shape.most_points:
            continue
        if shape.split and shape.transforms * itemsize > LINE_BYTES:
            continue  # fewer transforms side by side fill a line, too
        in_one_item = shape.shared_rows and short
        stages = (
            Stages((batch.n,), 1)
            if in_one_item
            else _stages(batch, ends, shape, precision, traits, parameters)
        )
        if stages is None:
            continue
        if shape.shared_rows and not shapes and stages.items >= _fewest_items(batch, ends):
            continue  # they load close together
        parts_apart = shape.shared_rows and size > 1 and _parts_apart(stages, ends)
        if parts_apart:
            stages = Stages(stages.radices, 2)
        count = shape.transforms or max(1, size // stages.items)
        shape = replace(shape, served=parameters["stockham_banks"])
        one = replace(shape, transforms=1)
        if shape.shared_rows:
            few = short or (_is_real_prime(batch, ends, precision) and not traits.is_cpu)
            if few and parameters["stockham_group"] < 0:
                count = _count_of_short(batch.n, ends, precision, traits)
            row = group_of(batch, ends, stages, one, precision, parts_apart=parts_apart)
            count = _count_of_shared(count, stages, row.local_bytes, traits)
        elif ends.real_points and not by_columns:
            row = group_of(batch, ends, stages, one, precision)
            count = _count_of_shared(count, stages, row.local_bytes, traits)
        elif not shape.transforms and parameters["stockham_group"] < 0:
            usual_items = count * stages.items
            count = _few_rows(batch, ends, stages, precision, traits, count)
        shape = replace(shape, transforms=count)
        group = group_of(batch, ends, stages, shape, precision, parts_apart=parts_apart)
        if group.local_bytes <= traits.local_mem_bytes:
            return replace(
                group,
                plain=(shape.shared_rows or ends.real_points) and _plain_rows(batch, ends),
                apart=_apart(batch, ends, count, precision, traits, parameters),
                stays=_stays(batch, ends, group, precision, traits, parameters),
                mirrored=_fewest_mirrored(precision, parameters),
                quads=ends.quads and not by_columns and _in_quads(batch, ends, stages),
                usual_items=usual_items,
            )
    return None


def _stages(
    batch: Batch,
    ends: Ends,
    shape: Shape,
    precision: str,
    traits: Traits,
    parameters: Parameters,
) -> Stages | None:
    """Return the best stages, in order, for groups of a shape; None if there are none."""
    limit = most_items(traits, parameters)
    by_columns = batch.loads_columns or batch.stores_columns
    wanted = factors_of(parameters, "stockham_radices", batch.n)
    chosen = wanted or parameters["stockham_points"] > 0 or traits.is_cpu
    in_parts = shape.halves or (shape.split and ends.source == "REAL")
    if not (chosen or by_columns or in_parts or shape.shared_rows):
        stages = _packed_stages(batch, ends, precision, traits, parameters)
        if stages is not None:
            return stages
    if by_columns and not (chosen or shape.halves or ends.spectrum):
        found = FOUND_COLUMNS.get((precision, batch.n))
        points = ends.source == ends.target == "COMPLEX"
        if points and found and found.items * shape.transforms <= limit:
            return found
    odd_row = not (chosen or by_columns or batch.part) and _is_odd_row(ends)
    if odd_row and not (shape.shared_rows or shape.halves):
        stages = best_stages_of_odd_row(
            batch.n,
            ends.length,
            ends.real_radix,
            _fewest_items(batch, ends),
            limit,
            _group_size(batch, ends, precision, traits, parameters),
            precision,
        )
    else:
        stages = best_stages(
            batch.n,
            1 if by_columns or shape.shared_rows else _fewest_items(batch, ends),
            limit // (shape.transforms or 1),
            shape.split,
            shape.halves,
            wanted,
            parameters["stockham_points"],
            ends.kept,
            LARGE_PRIMES[-1],
            not by_columns and _is_long_double_row(batch, ends, precision, traits),
            precision == "single" and not traits.is_cpu and ends.source == ends.target == "COMPLEX",
        )
    if stages is None:
        return None
    if ends.spectrum is not None:
        return stages.mirrored
    if ends.real_radix and ends.target == "REAL":
        return stages.reversed  # the real stage comes last
    if ends.packed and ends.source == "HERMITIAN" and not (wanted or shape.halves):
        return stages.reversed  # a small radix first, which can be MIRRORED (packed.cl)
    if not (by_columns or wanted or shape.halves) and ends.is_plain and is_smooth(batch.n):
        return stages.ending_whole
    return stages


def _is_whole_row(batch: Batch, ends: Ends) -> bool:
    """Whether a launch transforms whole rows, of points or packed, and nothing else is done."""
    plain = replace(ends, packed=False).is_plain
    return plain and batch.n == ends.length and not batch.part


def _is_long_double_row(batch: Batch, ends: Ends, precision: str, traits: Traits) -> bool:
    """Whether local memory is much too small for whole rows of points in double precision."""
    is_long = batch.n * COMPLEX_DTYPE[precision].itemsize > MUCH_TOO_LONG * traits.local_mem_bytes
    return precision == "double" and is_long and ends.is_plain and _is_whole_row(batch, ends)


def _is_packed_row(batch: Batch, ends: Ends) -> bool:
    """Whether a launch transforms whole packed rows, and nothing else is done to them."""
    return ends.packed and _is_whole_row(batch, ends)


def _packed_stages(
    batch: Batch, ends: Ends, precision: str, traits: Traits, parameters: Parameters
) -> Stages | None:
    """Return the stages of packed rows on a GPU that were found by trial, or None.

    A whole row has to fit local memory. If rows are loaded as halves of spectra, its real and its
    imaginary parts may fit in turn.
    """
    if traits.is_cpu or not _is_packed_row(batch, ends):
        return None
    limit = most_items(traits, parameters)
    shape = Shape(1, ends.source == "HERMITIAN", served=parameters["stockham_banks"])
    for stages in packed_stages(batch.n, ends.source, ends.quads, limit, precision):
        group = group_of(batch, ends, stages, shape, precision)
        if group.local_bytes <= traits.local_mem_bytes:
            return stages
    return None


def _in_quads(batch: Batch, ends: Ends, stages: Stages) -> bool:
    """Whether work-items can load, or store, four numbers at once: they are aligned, and paired."""
    loads = ends.source == "REAL"
    line = batch.source if loads else batch.target
    distances = [each.source if loads else each.target for each in batch.dimensions]
    return stages.pairs_end(first=loads) and _aligned(line, distances, 4)


def _fewest_mirrored(precision: str, parameters: Parameters) -> int:
    """Return the fewest work-items of a packed row that own both numbers of mirror images."""
    wanted = parameters["stockham_mirrored"]
    return MIRRORED_ITEMS[precision] if wanted < 0 else wanted


def _parts_apart(stages: Stages, ends: Ends) -> bool:
    """Whether the real and the imaginary parts of rows are transformed by work-items of their own.

    The codelet of a large prime then takes half of the registers.
    """
    alone = len(stages.radices) == 1 and stages.n >= PARTS_APART
    return alone and ends.source == ends.target == "COMPLEX"


def _plain_rows(batch: Batch, ends: Ends) -> bool:
    """Whether whole rows lie one behind the other, in the source and in the target."""
    across, *others = batch.dimensions
    sides = (
        (batch.source, across.source, ends.wanted),
        (batch.target, across.target, ends.outputs),
    )
    behind = all(
        (line.unit if ends.packed else line.stride) == 1 and (batch.count == 1 or distance == held)
        for line, distance, held in sides
    )
    real_source = ends.source == "REAL"
    together = _loads_together(batch, ends) if real_source else _stores_together(batch, ends)
    pairs = not ends.packed or (together and not ends.hooked)
    return ends.filled == ends.wanted and behind and pairs and not others


def _is_odd_row(ends: Ends) -> bool:
    """Whether a launch transforms whole rows of an odd number of real numbers, to or from half."""
    real = {ends.source, ends.target} == {"REAL", "HERMITIAN"}
    alone = replace(ends, real_radix=0).is_plain
    return real and alone and ends.length % 2 == 1


def _group_alone(
    batch: Batch, ends: Ends, precision: str, traits: Traits, parameters: Parameters
) -> Group | None:
    """Return the best work-group of a single long row by the wider search, or None.

    It is meant for single precision. Rows of powers of two do without: their usual stages are best.
    """
    n, itemsize = batch.n, COMPLEX_DTYPE[precision].itemsize
    chosen = factors_of(parameters, "stockham_radices", n) or parameters["stockham_points"] > 0
    by_columns = batch.loads_columns or batch.stores_columns
    plain = replace(ends, packed=False).is_plain and not by_columns
    quick = is_smooth(n) and not is_power_of_two(n) and precision == "single"
    if chosen or not plain or not quick or n * itemsize < ALONE_BYTES:
        return None
    limit = most_items(traits, parameters)
    if _packed_stages(batch, ends, precision, traits, parameters):
        return None  # `_usual_group` has these stages
    served = parameters["stockham_banks"]
    for shape in SHAPES_ALONE:
        size = itemsize // 2 if shape.split else itemsize
        most_room, banks = traits.local_mem_bytes // size, max(1, served // size)
        if n > most_room * (1 + shape.halves):
            continue
        stages = best_stages_alone(n, limit, banks, most_room, shape.halves)
        if stages is not None:
            if ends.packed and ends.source == "HERMITIAN" and not shape.halves:
                stages = stages.reversed  # a small radix first, as in `_usual_group`
            group = group_of(batch, ends, stages, replace(shape, served=served), precision)
            if group.local_bytes <= traits.local_mem_bytes:
                return replace(group, mirrored=_fewest_mirrored(precision, parameters))
    return None


def most_items(traits: Traits, parameters: Parameters) -> int:
    """Return the most work-items that a group may have."""
    wanted = parameters["stockham_items"]
    return int(min(wanted, traits.max_work_group_size, traits.max_work_item_sizes[0]))


def _apart(
    batch: Batch,
    ends: Ends,
    transforms: int,
    precision: str,
    traits: Traits,
    parameters: Parameters,
) -> bool:
    """Return whether each row of a batch's first dimension begins with a group of its own.

    On a GPU this pays if the groups of columns then begin at whole sectors in the source or in the
    target, if they do not otherwise, and if few work-items of the last group of each row idle.
    """
    wanted, extent = parameters["stockham_apart"], batch.dimensions[0].extent
    by_columns = batch.loads_columns or batch.stores_columns
    possible = by_columns and len(batch.dimensions) > 1 and extent % transforms and not ends.pair
    if wanted >= 0 or not possible or traits.is_cpu:
        return bool(wanted == 1 and possible)
    itemsize = COMPLEX_DTYPE[precision].itemsize
    if batch.part and not batch.dimensions[0].source == batch.dimensions[0].target == 1:
        return False
    idle = -extent % transforms
    return (
        idle <= (IDLE_IN_STEP if batch.part else IDLE) * extent
        and extent * itemsize % SECTOR_BYTES > 0
        and (_by_sectors(batch, "source", itemsize) or _by_sectors(batch, "target", itemsize))
    )


def _stays(
    batch: Batch,
    ends: Ends,
    group: Group,
    precision: str,
    traits: Traits,
    parameters: Parameters,
) -> bool:
    """Return whether a launch that may work in place should.

    Short runs are quicker from one buffer to another. But where rows begin within sectors of the
    cache, a GPU stores them quicker to where the group has loaded them, because its cache then
    holds the rest of each sector.
    """
    if parameters["stockham_in_place"] >= 0:
        return bool(parameters["stockham_in_place"])
    if _run_bytes(batch, ends, group, precision) >= LINE_BYTES:
        return True
    nbytes = batch.count * batch.n * COMPLEX_DTYPE[precision].itemsize
    if not traits.is_cpu and traits.l2_bytes < 2 * nbytes <= 2 * traits.l2_bytes:
        return True  # the cache holds one buffer, but not two
    itemsize = COMPLEX_DTYPE[precision].itemsize
    return not (batch.part or traits.is_cpu or _by_sectors(batch, "target", itemsize))


def _by_sectors(batch: Batch, side: str, itemsize: int) -> bool:
    """Whether rows of neighbouring columns begin at whole sectors in the source, or the target.

    Columns that are no neighbours in memory are said to do so: nothing else is known of them.
    """
    line: Line = getattr(batch, side)
    nearest, *others = (getattr(each, side) for each in batch.dimensions)
    distances = (line.first, line.stride, *others)
    return nearest != 1 or not any(each * itemsize % SECTOR_BYTES for each in distances)


def _preferred(parameters: Parameters) -> Iterable[Shape]:
    """Return the shapes of columns, beginning with those that the parameters prefer.

    The parameters name a number of columns side by side and a number of parts of an exchange.
    """
    count, parts = parameters["stockham_columns"], parameters["stockham_parts"]
    return sorted(COLUMNS, key=lambda each: (each.transforms != count, each.parts != parts))


def _fewest_items(batch: Batch, ends: Ends) -> int:
    """Return the fewest work-items of a row with which its loads and stores fill lines of memory.

    Packed rows need twice as many, because each work-item then stores at both ends of a spectrum,
    and the rows of spectra begin in the middle of lines. Rows of real points need no more than one,
    because a group loads and stores all of its rows as if they were one long row.
    """
    if ends.real_points:
        return 1
    fewest = MIN_ITEMS // (2 if batch.n < TINY else 1)
    return 2 * fewest if ends.packed else fewest


def _group_size(
    batch: Batch, ends: Ends, precision: str, traits: Traits, parameters: Parameters
) -> int:
    """Return about how many work-items a group of several rows has, at most."""
    wanted = parameters["stockham_group"]
    if wanted < 0:
        large = precision == "double" and _is_odd_row(ends) and not is_smooth(batch.n)
        wanted = GROUP_OF_LARGE_PRIMES if large else USUAL_GROUP
    return min(wanted, most_items(traits, parameters))


def _few_rows(
    batch: Batch, ends: Ends, stages: Stages, precision: str, traits: Traits, most: int
) -> int:
    """Return how many rows share a group that loads each row by work-items of its own.

    A group of few rows waits less for its slowest work-item, and it ends, and makes room for the
    next group, sooner. A warp that serves two real rows reaches two places of memory, and of local
    memory, with each instruction. So real rows fill as few warps as they can. Complex rows that
    begin at whole sectors, rows of an odd number of real results, and rows with large primes, whose
    codelets take nearly all registers, are not quicker in smaller groups.
    """
    lanes, nbytes = traits.lanes, batch.n * COMPLEX_DTYPE[precision].itemsize
    odd = _is_odd_row(ends) and ends.source == "REAL" and not batch.part
    real = odd or _is_packed_row(batch, ends)
    points = _is_whole_row(batch, ends) and ends.source == ends.target == "COMPLEX"
    apart = points and not ends.hooked and not _begin_sectors(batch, precision)
    least, busy = -(-LEAST_BYTES // nbytes), BUSY_REAL if real else BUSY_COMPLEX
    if least > MOST_FOR_BYTES or not (real or apart) or not is_smooth(batch.n):
        return most
    for count in range(least, most):
        filled = -(-count * stages.items // lanes) * lanes
        if count * stages.items > busy * filled:
            return min(most, filled // stages.items) if real else count
    return most


def _begin_sectors(batch: Batch, precision: str) -> bool:
    """Whether all rows begin at whole sectors of the cache, in the source and in the target."""
    itemsize = COMPLEX_DTYPE[precision].itemsize
    begins = (
        (batch.source.first, batch.target.first),
        *((each.source, each.target) for each in batch.dimensions),
    )
    return not any(place * itemsize % SECTOR_BYTES for places in begins for place in places)


def _count_of_shared(most: int, stages: Stages, row_bytes: int, traits: Traits) -> int:
    """Return how many rows share a group: few enough for local memory, and full warps if so."""
    count = rows_that_fit(most, row_bytes, min(SHARED_BYTES, traits.local_mem_bytes))
    return in_whole_warps(count, stages.items, traits.lanes)


def _is_short(
    batch: Batch, ends: Ends, precision: str, traits: Traits, parameters: Parameters
) -> bool:
    """Whether rows are so short that one work-item transforms each, and that groups share rows.

    If work-items loaded rows of their own, neighbours would load from places that lie apart. An
    H200 took up to 4.7 times as long.
    """
    chosen = chooses_stages(parameters, batch.n)
    points = ends.source == ends.target == "COMPLEX"
    if traits.is_cpu or chosen or not _are_neighbours(batch):
        return False
    if points and batch.n in SHORT_IN_STAGES:
        return False
    return batch.n in SHORT_ROWS and _row_bytes(ends, precision) > VECTOR_BYTES


def _may_share(batch: Batch, ends: Ends) -> bool:
    """Whether a group can load and store its rows as one long row."""
    if batch.part or not replace(ends, packed=False).is_plain:
        return False
    return not ends.packed or (ends.filled == ends.wanted and _are_neighbours(batch))


def _are_neighbours(batch: Batch) -> bool:
    """Whether neighbours along the axis are neighbours in memory, too, on both sides."""
    return batch.source.unit == 1 == batch.target.unit


def _is_real_prime(batch: Batch, ends: Ends, precision: str) -> bool:
    """Whether rows of real numbers have the codelet of a large prime, and pay in small groups.

    In double precision it takes so many registers that groups of fewer than GROUP_OF_LARGE_PRIMES
    work-items are no quicker.
    """
    return precision == "single" and batch.n in LARGE_PRIMES and ends.source != ends.target


def _row_bytes(ends: Ends, precision: str) -> int:
    """Return the bytes of a row in the source, or in the target if it is longer there."""
    real, point = REAL_DTYPE[precision].itemsize, COMPLEX_DTYPE[precision].itemsize
    return max(
        ends.wanted * (real if ends.source == "REAL" else point),
        ends.outputs * (real if ends.target == "REAL" else point),
    )


def _count_of_short(n: int, ends: Ends, precision: str, traits: Traits) -> int:
    """Return how many short rows share a group: as few as the memory needs, in whole warps."""
    rows = -(-SHORT_BYTES // _row_bytes(ends, precision))
    if ends.packed:
        rows = max(rows, MORE_SHORT_ROWS.get((ends.source, precision, n), 0))
    return -(-rows // traits.lanes) * traits.lanes


def _run_bytes(batch: Batch, ends: Ends, group: Group, precision: str) -> int:
    """Return how many neighbouring bytes a work-group touches: at most a line of the cache."""
    by_columns = batch.loads_columns or batch.stores_columns
    alone = ends.packed or (ends.pair and batch.paired)  # neighbours are single real numbers
    run = group.transforms * (REAL_DTYPE if alone else COMPLEX_DTYPE)[precision].itemsize
    return min(run, LINE_BYTES) if by_columns else LINE_BYTES


def group_of(
    batch: Batch,
    ends: Ends,
    stages: Stages,
    shape: Shape,
    precision: str,
    *,
    parts_apart: bool = False,
) -> Group:
    """Return the work-group of these stages and this shape, with the layout of its local memory."""
    itemsize = (REAL_DTYPE if shape.split else COMPLEX_DTYPE)[precision].itemsize
    loads_columns, stores_columns = _columns(batch, stages)
    banks = max(1, shape.served // itemsize)
    if loads_columns:
        banks = max(1, banks // shape.transforms)
    room = stages.room(banks, shape.halves)
    if ends.spectrum is not None:
        room = max(room, stages.reversed.room(banks, shape.halves))
    if shape.shared_rows:  # rows lie as begin_of_row in sharedRows.cl says
        room = max(room, (stages.n + ends.packed | 1) + (2 if parts_apart else 0))
    if ends.laid_out and ends.real_points and not shape.split:
        room = max(room, (ends.length + 1) // 2)  # each complex number has room for two real ones
    elif ends.laid_out:
        room = max(room, ends.length)
    elif ends.packed:  # local memory holds one of each two mirror images
        room = max(room, (ends.length + 1) // 2)
    elif ends.pair and ends.separates:
        room = max(room, batch.n // (2 if shape.halves else 1))
    # If the group loads rows and stores columns, the rooms of two neighbouring transforms begin in
    # different banks: they lie an odd multiple of a transform's share of the banks apart.
    if stores_columns and not loads_columns:
        room = _odd_multiple(room, max(1, banks // shape.transforms))
    pitch = shape.transforms + (1 if loads_columns and not stores_columns else 0)
    elements = max(1, room) * (pitch if loads_columns else shape.transforms)
    numbers = -(-elements // 2) if shape.split else elements  # complex ones
    nbytes = numbers * COMPLEX_DTYPE[precision].itemsize
    return Group(stages, shape, max(1, room), pitch, banks, nbytes, parts_apart)


def _odd_multiple(least: int, of: int) -> int:
    """Return the smallest odd multiple of `of` that is not less than `least`."""
    return of * (-(-least // of) | 1)


def stockham_pass(launch: GroupLaunch) -> StockhamPass:
    """Return a launch as a pass."""
    problem, batch, ends, group = launch.problem, launch.batch, launch.ends, launch.group
    scale, leaves = launch.scale, launch.step.leaves
    precision, stages = problem.precision, group.stages
    extents, sources, targets, partner, lone = _pairs(batch) if ends.pair else _singles(batch)
    count = prod(extents)
    across = extents[0] if group.apart else count  # transforms between whose ends groups reach
    groups = -(-across // group.transforms) * (count // across)
    if ends.separates:
        scale /= 2
    loads_columns, stores_columns = _columns(batch, stages)
    return StockhamPass(
        kernel="stockham",
        source="gpu/stockham.cl",
        defines=defines(
            precision,
            N=batch.n,
            ITEMS=stages.items,
            TRANSFORMS=group.transforms,
            ELEMENTS=stages.elements,
            ROOM=group.room,
            PITCH=group.pitch,
            BANKS=group.banks,
            **_radices(stages, ends),
            SPLIT=int(group.shape.split),
            HALVES=int(group.shape.halves),
            **({"SHARED_ROWS": 1} if group.shape.shared_rows else {}),
            **({"PLAIN_ROWS": 1} if group.plain else {}),
            **({"PARTS_APART": 1} if group.parts_apart else {}),
            LOAD_COLUMNS=int(loads_columns),
            STORE_COLUMNS=int(stores_columns),
            **({"APART": 1} if group.apart else {}),
            **_end_macros(batch, ends, len(extents)),
            **({"FEWEST": group.mirrored} if ends.packed and group.mirrored != MIRRORED else {}),
            **({"QUADS": 1} if group.quads else {}),
            **_halved(ends, scale),
        ),
        global_size=(groups * group.items,),
        local_size=(group.items,),
        arguments={
            "src": Role.SOURCE,
            "dst": Role.TARGET,
            "twiddles": _stage_twiddles(stages, ends, precision),
            **_tables(ends, precision),
            "count": uint(count),
            "extents": _vector("uint32", extents, 1),
            "src_distances": _vector("int64", sources, 0),
            "dst_distances": _vector("int64", targets, 0),
            "src_axis": Vector("int64", (batch.source.first, batch.source.unit)),
            "dst_axis": Vector("int64", (batch.target.first, batch.target.unit)),
            "partner": Vector("int64", partner),
            "lone": uint(lone),
            "scale": exact(scale, precision),
            "flags": uint(ends.flags),
        },
        reads=batch.count * _loaded(batch, ends) * _itemsize(problem, ends.source),
        writes=batch.count * _stored(batch, ends) * _itemsize(problem, ends.target),
        leaves=leaves or problem.nbytes,
        step=f"{batch.count} x {_shown(batch, stages, ends)}",
        aliases=batch.aliases and ends.source == _target(ends) == "COMPLEX",
        stays=group.stays,
        radices=(stages.radices,),
        local_bytes=group.local_bytes,
        work=launch,
    )


def best_pitch(row: int) -> int:
    """Return the number of bytes at whose multiples rows of `row` bytes should begin, or 0.

    If rows begin at whole sectors of the cache, no two groups of columns share one. The largest
    multiple is taken whose gaps add little to the rows.
    """
    return next((each for each in PITCHES if -row % each <= GAPS * row), 0)


def to_and_fro(passes: Iterable[Pass]) -> tuple[Pass, ...]:
    """Return the passes, of which every second one begins with the last group.

    A pass that walks backward begins with the data that is still in the device's cache.
    """
    return tuple(
        _turned(each, number % 2) if isinstance(each, StockhamPass) else each
        for number, each in enumerate(passes)
    )


def _turned(each: Pass, backward: int) -> Pass:
    flags = each.arguments["flags"]
    assert isinstance(flags, Scalar)
    assert isinstance(flags.value, int)
    forward = flags.value & ~BACKWARD
    return replace(each, arguments={**each.arguments, "flags": uint(forward | backward * BACKWARD)})


def _itemsize(problem: Problem, held: str) -> int:
    return (REAL_DTYPE if held == "REAL" else COMPLEX_DTYPE)[problem.precision].itemsize


def _loaded(batch: Batch, ends: Ends) -> int:
    """Return the number of elements of the source that a transform reads."""
    if ends.packed or ends.real_radix or ends.real_points:
        return ends.filled
    return min(batch.n, ends.filled) if batch.source.columns == 1 else batch.n


def _stored(batch: Batch, ends: Ends) -> int:
    """Return the number of elements of the target that a transform writes."""
    if ends.packed or ends.real_radix or ends.real_points:
        return ends.outputs
    if _target(ends) == "HERMITIAN" or batch.target.columns == 1:
        return min(batch.n, ends.outputs)
    return batch.n


def _target(ends: Ends) -> str:
    """Return what the kernel leaves, as the value of TARGET.

    If it neither separates spectra nor folds columns, it computes a whole complex spectrum, of
    which it stores the first half.
    """
    half = ends.separates or ends.fold
    return "COMPLEX" if ends.target == "HERMITIAN" and not half else ends.target


def _singles(batch: Batch) -> tuple:
    extents, sources, targets = zip(
        *((d.extent, d.source, d.target) for d in batch.dimensions), strict=True
    )
    return extents, sources, targets, (0, 0), NO_TRANSFORM


def _pairs(batch: Batch) -> tuple:
    """Return the geometry of a batch whose neighbours along one dimension become pairs.

    If their number is odd, the last transform has no partner, and its number is returned too.
    """
    joined = batch.dimensions[batch.paired]
    pairs, odd = -(-joined.extent // 2), joined.extent % 2
    dimensions = list(batch.dimensions)
    dimensions[batch.paired] = replace(
        joined, extent=pairs, source=2 * joined.source, target=2 * joined.target
    )
    extents, sources, targets, *_ = _singles(replace(batch, dimensions=tuple(dimensions)))
    lone = pairs - 1 if odd else NO_TRANSFORM
    return extents, sources, targets, (joined.source, joined.target), lone


def _vector(dtype: str, values: tuple[int, ...], rest: int) -> Vector:
    return Vector(dtype, values + (rest,) * (MAX_DIMENSIONS - len(values)))


def _end_macros(batch: Batch, ends: Ends, dimensions: int) -> dict[str, int | str]:
    """Return the macros of batch.cl and numbers.cl whose values differ from their defaults.

    A macro that is left out makes more launches share one program.
    """
    macros: dict[str, int | str] = {}

    def define(name: str, value: int | str, default: int | str) -> None:
        if value != default:
            macros[name] = value

    define("SOURCE", ends.source, "COMPLEX")
    define("TARGET", _target(ends), "COMPLEX")
    define("PAIR", int(ends.pair), 0)
    define("PACKED", int(ends.packed), 0)
    define("REAL_RADIX", ends.real_radix, 0)
    define("SRC_TOGETHER", int(ends.source == "REAL" and _loads_together(batch, ends)), 0)
    define("DST_TOGETHER", int(ends.target == "REAL" and _stores_together(batch, ends)), 0)
    define("PAIR_DIMENSION", batch.paired if ends.pair else 0, 0)
    define("DIMENSIONS", dimensions, 1)
    for number, dimension in enumerate(batch.dimensions):
        doubled = 2 if ends.pair and number == batch.paired else 1
        define(f"COLUMNS_{number}", dimension.column * doubled, 0)
    define("SRC_COLUMNS", batch.source.columns, 1)
    define("DST_COLUMNS", batch.target.columns, 1)
    for name, line in (("SRC_UNIT", batch.source), ("DST_UNIT", batch.target)):
        if line.unit == 1:  # as a constant it saves a register for every point
            macros[name] = 1
    define("LENGTH", ends.length, batch.n)
    define("FILLED", ends.filled, batch.n * batch.source.columns)
    define("OUTPUTS", ends.outputs, batch.n * batch.target.columns)
    define("FOLD", ends.fold or batch.target.columns, batch.target.columns)
    bits, digits = _digits(ends.twist) if ends.twist else (0, 2)
    define("TWIST", bits, 0)
    define("DIGITS", digits, 2)
    define("TWIST_FIRST", int(ends.twist_first), 0)
    define("REAL_ORIGIN", int(ends.real_origin), 0)
    define("CHIRP_FIRST", int(ends.chirp_first), 0)
    define("CHIRP_LAST", int(ends.chirp_last), 0)
    define("SPECTRUM", int(ends.spectrum is not None), 0)
    return macros


def _halved(ends: Ends, scale: float) -> dict[str, int | str]:
    """Return the macro HALVED if the spectra of real rows are scaled by 1/2 and not conjugated."""
    plain = scale == 0.5 and not ends.flags & CONJUGATE_OUT
    return {"HALVED": 1} if ends.separates and plain else {}


def _loads_together(batch: Batch, ends: Ends) -> bool:
    """Whether the two numbers of every packed point can be loaded as one complex number."""
    distances = [each.source for each in batch.dimensions]
    return ends.packed and ends.filled % 2 == 0 and _aligned(batch.source, distances)


def _stores_together(batch: Batch, ends: Ends) -> bool:
    """Whether the two numbers of every packed point can be stored as one complex number."""
    return ends.packed and _aligned(batch.target, [each.target for each in batch.dimensions])


def _aligned(line: Line, distances: Iterable[int], count: int = 2) -> bool:
    """Whether every `count` neighbours of a line can be moved at once."""
    return line.unit == 1 and not any(each % count for each in (line.first, *distances))


def _digits(order: int) -> tuple[int, int]:
    """Return the bits of a digit, and the number of digits, of the exponents of a root of unity.

    Short digits keep the table of roots in the nearest cache; each further digit rounds one product
    more.
    """
    bits = (order - 1).bit_length()
    digits = max(1, -(-bits // MAX_DIGIT_BITS))
    return -(-bits // digits), digits


def _tables(ends: Ends, precision: str) -> dict[str, Argument]:
    tables: dict[str, Argument] = {}
    if ends.twist:
        tables["roots"] = DigitRoots(ends.twist, *_digits(ends.twist), precision)
    if ends.packed:
        tables["roots"] = Roots(2 * ends.length, precision)
    if ends.chirp_first or ends.chirp_last:
        tables["chirp"] = Chirp(ends.length, precision)
    if ends.spectrum is not None:
        tables["spectrum"] = ends.spectrum
    return tables


def _columns(batch: Batch, stages: Stages) -> tuple[bool, bool]:
    """Return whether work-items load as columns, and whether they store as columns.

    A launch of a single stage does both alike, because only an exchange can rearrange the points.
    """
    loads, stores = batch.loads_columns, batch.stores_columns
    if len(stages.radices) == 1:
        loads = stores = loads or stores
    return loads, stores


def _shown(batch: Batch, stages: Stages, ends: Ends) -> str:
    """Return the length and the radices of a launch, for people."""
    if not ends.real_radix:
        points = " packed" if ends.packed else " real" if ends.real_points else ""
        return f"{batch.n} = {shown(stages.radices)}{points}"
    kept = stages.radices
    to_real = ends.target == "REAL"
    radices = (*kept[:-1], ends.real_radix) if to_real else (ends.real_radix, *kept[1:])
    return f"{ends.length} = {shown(radices, real=True)}"


def _stage_twiddles(stages: Stages, ends: Ends, precision: str) -> StageTwiddles:
    return StageTwiddles(
        stages.radices,
        precision,
        back=ends.spectrum is not None,
        real_radix=ends.real_radix,
        real_last=bool(ends.real_radix) and ends.target == "REAL",
    )


def _radices(stages: Stages, ends: Ends) -> dict[str, str]:
    """Return the macros of stockham.cl that tell its radices: RADICES_BACK for a convolution."""
    radices = {"RADICES": listed(stages.radices)}
    if any(radix in LARGE_PRIMES for radix in stages.radices):
        radices["PRIMES"] = "1"
    if ends.spectrum is not None:
        radices["RADICES_BACK"] = listed(stages.radices[::-1])
    return radices
