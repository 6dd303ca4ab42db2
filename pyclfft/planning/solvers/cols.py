"""Transforms along any axis on CPUs: the lanes of a vector hold neighbouring transforms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from math import inf, prod

from ..arguments import Vector
from ..batch import Batch, Dimension
from ..factor import lane_cost, real_splits, shown
from ..parameters import Parameters
from ..pass_parts import listed
from ..passes import Argument, Pass
from ..problem import Problem
from ..tables import (
    BlockRoots,
    Chirp,
    ChirpSpectrum,
    LaneChirp,
    LaneRoots,
    LaneSpectrum,
    LaneStages,
    Roots,
)
from ..traits import Traits
from .lanes import (
    LINE_BYTES,
    MIN_LANES,
    Lanes,
    ends_of,
    given_points,
    lanes_for,
    lanes_pass,
    most_lanes,
    radices_for,
    takes,
    walkable,
)
from .solver import Solver
from .steps import axis_batch, axis_length

COLLECTED = 2  # the further vectors of scratch memory that cols.cl needs if it collects rows there
OF_ONE_LENGTH = ("N", "LENGTH", "FILLED", "RADICES")  # macros that the kernel for all lengths lacks
# The macros of cols.cl for each part that a launch has in Bluestein's algorithm.
PARTS = {
    "ALONE": ("CHIRP_FIRST", "CHIRP_LAST", "SPECTRUM"),
    "BEFORE": ("CHIRP_FIRST",),
    "WITHIN": ("SPECTRUM",),
    "AFTER": ("CHIRP_LAST",),
}


@dataclass(frozen=True)
class Row:
    """A long row as a matrix, whose columns or rows a launch transforms.

    Attributes
    ----------
    points : int
        The number of points of the matrix.
    columns : int
        The number of columns of the matrix, and so the distance between neighbours in a column.
    twist : bool
        Whether result k of column c is multiplied by exp(-2 pi i k c / points). If the launch
        leaves the results of the whole row, point k is multiplied instead.
    elements : int
        The number of elements of the row, if they are fewer than the points, as in a convolution;
        otherwise 0.
    given, written : int
        The number of elements of the row that the source holds, and that the target receives; 0
        for all of them.
    half_in, half_out : bool
        Whether the source, or the target, holds only the first half of a spectrum, whose second
        half is the conjugate of the first.
    """

    points: int
    columns: int
    twist: bool = False
    elements: int = 0
    given: int = 0
    written: int = 0
    half_in: bool = False
    half_out: bool = False

    @property
    def limits(self) -> tuple[int, int, int]:
        """The number of elements given, of elements written, and of all elements of the row."""
        elements = self.elements or self.points
        given = elements // 2 + 1 if self.half_in else elements
        return self.given or given, self.written or elements, elements


@dataclass(frozen=True)
class ColumnEnds:
    """What a launch of cols.cl does as it loads and stores points.

    Attributes
    ----------
    length : int
        The number of points of a transform.
    given : int
        The number of elements of a transform that the source holds; the others are zero.
    source, target : str
        What the launch reads and what it leaves: "COMPLEX", "REAL", or "HERMITIAN" for half of the
        spectrum of real numbers.
    packed : bool
        Whether two neighbouring real numbers are a point, so that a transform has twice `length`
        numbers.
    real_radix : int
        The radix of the real stage, if rows of odd length have one; otherwise 0. The stage leaves
        transforms of `points` complex points.
    chirp : str
        The launch's part in Bluestein's algorithm: "ALONE" if it does the whole convolution, or
        "BEFORE", "WITHIN" or "AFTER" if three launches share it; empty for other algorithms.
    row : Row, optional
        The long row that the transforms are a part of.
    """

    length: int
    given: int
    source: str = "COMPLEX"
    target: str = "COMPLEX"
    packed: bool = False
    real_radix: int = 0
    chirp: str = ""
    row: Row | None = None

    @property
    def convolves(self) -> bool:
        """Whether the launch transforms forward and back again, with a product in between."""
        return self.chirp in ("ALONE", "WITHIN")

    @property
    def pairs(self) -> int:
        """The number of transforms in a lane: 2 if they are columns of one real row, else 1."""
        return 2 if self.row and {self.source, self.target} == {"REAL", "HERMITIAN"} else 1

    @property
    def points(self) -> int:
        """The number of complex points of the transforms that the real stage leaves, if any."""
        return self.length // (self.real_radix or 1)

    @property
    def kept(self) -> int:
        """The number of transforms of `points` points that the real stage leaves, or else 1."""
        return self.real_radix // 2 + 1

    @property
    def doubles(self) -> bool:
        """Whether the kernel separates spectra of real numbers by sums, which give twice them."""
        joined = self.packed or self.pairs == 2 or self.real_radix
        return bool(joined) and self.target == "HERMITIAN"

    @property
    def written(self) -> int:
        """The number of points of a transform that the target receives."""
        return self._half if self.target == "HERMITIAN" else self.length

    @property
    def wanted(self) -> int:
        """The number of elements of a transform that the launch reads, if the source holds all."""
        if self.source == "HERMITIAN":
            return self._half
        return self.length * (2 if self.packed else 1)

    @property
    def _half(self) -> int:
        return self.length + 1 if self.packed else self.length // 2 + 1


@dataclass(frozen=True)
class Columns:
    """A batch with one dimension whose transforms are spread over lanes.

    Attributes
    ----------
    batch : Batch
        The transforms.
    number : int
        The number of the dimension that is spread over lanes: 0, or 1 if another dimension comes
        before it.
    ends : ColumnEnds
        What the launch does as it loads and stores points.
    lanes : Lanes
        How a work-item does the transforms.
    ways : (str, str)
        What lies side by side in the source, and in the target: "columns" if neighbouring
        transforms do, "rows" if the points of a transform do, "spread" if neither do.
    staged : bool
        Whether rows of the target are collected in scratch memory before they are stored.
    """

    batch: Batch
    number: int
    ends: ColumnEnds
    lanes: Lanes
    ways: tuple[str, str]
    staged: bool

    @property
    def dimension(self) -> Dimension:
        """The dimension whose transforms are spread over lanes."""
        return self.batch.dimensions[self.number]

    @property
    def steps(self) -> Dimension:
        """The dimension of the lanes, counted in blocks that a work-item takes at a time."""
        whole, transforms = self.dimension, self.lanes.width * self.ends.pairs
        blocks = -(-whole.extent // transforms)
        return Dimension(blocks, whole.source * transforms, whole.target * transforms)

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        """All dimensions of the batch; the dimension of the lanes is counted in blocks."""
        whole = self.batch.dimensions
        return (*whole[: self.number], self.steps, *whole[self.number + 1 :])

    @property
    def blocks(self) -> int:
        """The number of blocks in all."""
        return prod(each.extent for each in self.dimensions)


Find = Callable[[Problem, Traits, Parameters], Columns | None]


def solver_of(name: str, requirement: str, find: Find) -> Solver:
    """Return a solver that plans one launch of cols.cl.

    Parameters
    ----------
    name, requirement : str
        The solver's name and requirement (see `Solver`).
    find : function
        A function of a problem, traits and parameters that returns the launch's `Columns`, or None
        if the solver does not take the problem.

    Returns
    -------
    Solver
    """

    def plan(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...] | None:
        columns = find(problem, traits, parameters) if takes(problem, traits) else None
        if columns is None:
            return None
        return (columns_pass(problem, columns, traits, parameters, scale=problem.scale),)

    return Solver(name, requirement, plan)


def _columns(problem: Problem, traits: Traits, parameters: Parameters) -> Columns | None:
    ends, batch = whole(problem)
    ends, radices = with_real_stage(ends, lambda n: radices_for(n, parameters))
    found = columns_of(problem, batch, ends, radices, traits, parameters)
    return None if found and idles(problem, found, traits, parameters) else found


def idles(problem: Problem, columns: Columns, traits: Traits, parameters: Parameters) -> bool:
    """Return whether one launch leaves cores idle, so that several launches are quicker.

    One launch is still quicker if the transforms are neighbouring columns that fit local memory, or
    that fill lines of the cache.
    """
    if columns.batch.n < parameters["lanes_shared"] or columns.blocks >= traits.compute_units:
        return False
    fills_lines = columns.dimension.extent * problem.complex_dtype.itemsize >= LINE_BYTES
    return "columns" not in columns.ways or not (columns.lanes.is_local or fills_lines)


def whole(problem: Problem) -> tuple[ColumnEnds, Batch]:
    """Return the ends and the batch of a launch that does the whole problem."""
    n = axis_length(problem)
    packed = problem.kind != "c2c" and n % 2 == 0
    length = n // 2 if packed else n
    ends = ColumnEnds(length, given_points(problem), *ends_of(problem), packed=packed)
    return ends, axis_batch(problem, length)


def with_real_stage(
    ends: ColumnEnds, radices_of: Callable[[int], tuple[int, ...] | None]
) -> tuple[ColumnEnds, tuple[int, ...] | None]:
    """Return the ends of a launch, with a real stage if that is best, and the other radices.

    Parameters
    ----------
    ends : ColumnEnds
        The ends of the launch without a real stage.
    radices_of : function
        A function of a number of complex points that returns the radices of the stages over them,
        or None if there are none.

    Returns
    -------
    ends : ColumnEnds
        The ends with the real stage that leaves the least work, or without a real stage.
    radices : tuple of int or None
        The radices of the stages over the complex points.
    """
    ways = [(ends, radices_of(ends.points))]
    if "COMPLEX" not in (ends.source, ends.target) and not ends.packed:
        for radix in real_splits(ends.length):
            each = replace(ends, real_radix=radix)
            if each.points >= radix:  # PoCL takes three times as long for 21 = 7 x 3 as for 3 x 7
                ways.append((each, radices_of(each.points)))
    return min(ways, key=lambda way: inf if way[1] is None else _work(way[0], way[1]))


def _work(ends: ColumnEnds, radices: tuple[int, ...]) -> float:
    """Return a relative time of all stages; a real stage counts half."""
    stages = ends.kept * prod(radices) * lane_cost(radices) * (1 + ends.convolves)
    return stages + (ends.length * lane_cost((ends.real_radix,)) / 2 if ends.real_radix else 0)


def columns_of(
    problem: Problem,
    batch: Batch,
    ends: ColumnEnds,
    radices: tuple[int, ...] | None,
    traits: Traits,
    parameters: Parameters,
    *,
    shared: bool = False,
) -> Columns | None:
    """Return how to spread a batch over lanes, or None if its layout or size forbids it.

    Parameters
    ----------
    problem : Problem
        The problem that the batch is a part of.
    batch : Batch
        The transforms.
    ends : ColumnEnds
        What the launch does as it loads and stores points.
    radices : tuple of int or None
        The radices of the stages, or None if no stages were found.
    traits, parameters
        The device's traits, and the parameters of its kernels.
    shared : bool
        Whether the kernel for all lengths does the transforms. It also takes a single transform.
    """
    if radices is None or not walkable(batch):
        return None
    several = [
        number
        for number, each in enumerate(batch.dimensions)
        if (each.extent > 1 or shared) and (each.column or not ends.row)
    ]
    for spread, number in product((False, True), several):
        dimension = batch.dimensions[number]
        ways = (
            _direction(dimension, dimension.source, batch.source.stride),
            _direction(dimension, dimension.target, batch.target.stride),
        )
        if ("spread" in ways) != spread:
            continue
        from_rows, to_rows = (way == "rows" for way in ways)
        stored_at_once = not (to_rows or ends.target == "HERMITIAN" or ends.convolves)
        rooms = 1 if ends.convolves or stored_at_once or ends.real_radix else 2
        staged = to_rows and not shared and _is_staged(problem, ends, dimension.target, parameters)
        spare = (COLLECTED if staged else 0) + _beside(ends, prod(radices))
        for width in _widths(-(-dimension.extent // ends.pairs), most_lanes(problem, traits)):
            if (from_rows and ends.length < width) or (to_rows and ends.written < width):
                continue
            lanes = lanes_for(problem, width, radices, traits, parameters, rooms, spare, shared)
            if lanes is not None:
                # Spread transforms leave the nearest dimension in its place: it shares lines.
                inner = int(spread and number > 0)
                arranged = replace(batch, dimensions=_arranged(batch.dimensions, number, inner))
                return Columns(arranged, inner, ends, lanes, ways, staged)
    return None


def _beside(ends: ColumnEnds, points: int) -> int:
    """Return the vectors of scratch memory that a real stage needs beside a transform's points.

    realStage.cl uses two areas. The vectors are the whole first area, and what the second area has
    beyond the points.
    """
    if not ends.real_radix:
        return 0
    first = ends.kept * ends.points
    second = max(points, ends.length // 2 + 1) if ends.convolves else first
    return first + second - points


def _arranged(dimensions: tuple[Dimension, ...], number: int, place: int) -> tuple[Dimension, ...]:
    """Return the dimensions with dimension `number` moved to position `place`."""
    others = dimensions[:number] + dimensions[number + 1 :]
    return (*others[:place], dimensions[number], *others[place:])


def _is_staged(problem: Problem, ends: ColumnEnds, distance: int, parameters: Parameters) -> bool:
    """Return whether rows should be collected in scratch memory before they are stored.

    Large results bypass the caches, which a line that two rows share cannot do: it would have to
    be read again. Collected rows are stored as one run of whole lines, which pays for short rows.
    """
    itemsize = problem.complex_dtype.itemsize // (2 if ends.target == "REAL" else 1)
    nbytes = ends.written * itemsize * (2 if ends.target == "REAL" and ends.packed else 1)
    return (
        nbytes <= parameters["lanes_staged"]
        and distance * itemsize % LINE_BYTES > 0
        and 0 < parameters["stream_bytes"] <= problem.nbytes
        and not problem.hooks.store
    )


def _direction(dimension: Dimension, distance: int, stride: int) -> str:
    """Return what lies side by side in memory: transforms, points of each, or neither."""
    if distance == 1 or dimension.extent == 1:  # a single transform is a column of any stride
        return "columns"
    return "rows" if stride == 1 else "spread"


def _widths(extent: int, most: int) -> Iterator[int]:
    """Yield numbers of lanes to try.

    The first is the least power of two that holds all transforms, within the device's limits; each
    further number is half of the one before.
    """
    least = max(2, MIN_LANES * most // 16)
    width = max(least, min(most, 1 << (extent - 1).bit_length()))
    while width >= least:
        yield width
        width //= 2


def columns_pass(
    problem: Problem,
    columns: Columns,
    traits: Traits,
    parameters: Parameters,
    *,
    scale: float = 1.0,
    leaves: int = 0,
) -> Pass:
    """Return a launch of cols.cl.

    Parameters
    ----------
    problem : Problem
        The problem that the transforms are a part of.
    columns : Columns
        The transforms, and how to do them.
    traits, parameters
        The device's traits, and the parameters of its kernels.
    scale : float
        The factor by which the results are multiplied.
    leaves : int
        The size of the target's buffer in bytes, if the target is a workspace; 0 if the target is
        the problem's own.
    """
    batch, ends, lanes = columns.batch, columns.ends, columns.lanes
    dimension, dimensions = columns.dimension, columns.dimensions
    given, written, elements = ends.row.limits if ends.row else (0, 0, 0)
    return lanes_pass(
        "cols",
        problem,
        replace(batch, dimensions=dimensions),
        lanes,
        tuple(each.extent for each in dimensions),
        _tables(problem, columns),
        _macros(columns),
        traits,
        parameters,
        last={
            "limits": Vector("uint32", (dimension.extent, given, written, elements)),
            "strides": Vector(
                "int64",
                (
                    dimension.source if columns.ways[0] == "rows" else batch.source.stride,
                    dimension.target if columns.ways[1] == "rows" else batch.target.stride,
                ),
            ),
        },
        shared=_sizes(columns) if lanes.shared else {},
        leaves=leaves,
        displaced=not lanes.is_local and columns.ways[1] != "rows",
        scale=scale / (2 if ends.doubles else 1),
        step=f"{batch.count} x {_lengths(columns)} = {_shown(columns)}",
    )


def _lengths(columns: Columns) -> str:
    """Return the length of the transforms for people; for a convolution, also whose it is."""
    ends, n = columns.ends, columns.batch.n
    if ends.chirp == "ALONE" and ends.real_radix:
        return f"{ends.real_radix} real x {ends.points} in {columns.lanes.points}"
    if ends.chirp == "ALONE":
        return f"{n} in {columns.lanes.points}"
    return f"{n} for {ends.row.elements}" if ends.chirp and ends.row else str(n)


def _shown(columns: Columns) -> str:
    """Return the radices of a launch for people, the real stage's radix in its place."""
    ends, radices = columns.ends, columns.lanes.radices
    if ends.real_radix and not ends.chirp:
        real = (ends.real_radix,)
        radices = (*radices, *real) if ends.target == "REAL" else (*real, *radices)
        return shown(radices, real=True)
    return shown(radices) + (" packed" if ends.packed else "")


def _tables(problem: Problem, columns: Columns) -> dict[str, Argument]:
    ends, lanes, row = columns.ends, columns.lanes, columns.ends.row
    tables: dict[str, Argument] = {}
    if ends.packed:
        tables["row_roots"] = Roots(2 * ends.length, problem.precision)
    if ends.real_radix:
        tables["row_roots"] = Roots(ends.length, problem.precision)
    if row and row.twist:
        n, width, blocks = lanes.points, lanes.width, columns.steps.extent * ends.pairs
        tables["lane_roots"] = LaneRoots(row.points, n, width, problem.precision)
        tables["block_roots"] = BlockRoots(row.points, n, blocks, width, problem.precision)
    if ends.chirp == "ALONE":
        tables["chirp"] = Chirp(ends.points, problem.precision)
        tables["spectrum"] = ChirpSpectrum(ends.points, lanes.radices, problem.precision)
    elif row and ends.chirp == "WITHIN":
        factors = (columns.dimension.extent, *lanes.radices)
        tables["row_spectrum"] = LaneSpectrum(row.elements, factors, lanes.width, problem.precision)
    elif row and ends.chirp:
        tables["row_chirp"] = LaneChirp(row.elements, lanes.width, problem.precision)
    return tables


def _sizes(columns: Columns) -> dict[str, Argument]:
    ends, radices = columns.ends, columns.lanes.radices
    sizes = (columns.lanes.points, ends.length, ends.given, len(radices))
    return {"sizes": Vector("uint32", sizes), "steps": LaneStages(radices)}


def _macros(columns: Columns) -> dict[str, int | str]:
    """Return the macros of cols.cl; most of those that have their default value are left out."""
    ends, lanes, row = columns.ends, columns.lanes, columns.ends.row
    macros: dict[str, int | str] = {
        "N": lanes.points,
        "FROM_ROWS": int(columns.ways[0] == "rows"),
        "TO_ROWS": int(columns.ways[1] == "rows"),
        "COLLECTED": int(columns.staged),
        "RAGGED": int(columns.dimension.extent % (lanes.width * ends.pairs) > 0),
        "TWIST": int(bool(row and row.twist)),
        "RADICES": listed(lanes.radices),
    }
    others: dict[str, tuple[int | str, int | str]] = {
        "SOURCE": (ends.source, "COMPLEX"),
        "TARGET": (ends.target, "COMPLEX"),
        "LENGTH": (ends.length, lanes.points),
        "FILLED": (ends.given, ends.wanted),
        "PACKED": (int(ends.packed), 0),
        "PAIR": (ends.pairs - 1, 0),
        "REAL_RADIX": (ends.real_radix, 0),
        "SPREAD_IN": (int(columns.ways[0] == "spread"), 0),
        "SPREAD_OUT": (int(columns.ways[1] == "spread"), 0),
        "INNER": (columns.number, 0),
    }
    if row:
        others |= {
            "ROW_COLUMNS": (row.columns if ends.chirp or row.given or row.half_in else 0, 0),
            "ROW_FILLED": (int(row.given > 0), 0),
            "ROW_OUTPUTS": (int(row.written > 0), 0),
            "FOLD_IN": (int(row.half_in), 0),
            "FOLD_OUT": (int(row.half_out), 0),
        }
    macros |= {name: value for name, (value, usual) in others.items() if value != usual}
    macros |= dict.fromkeys(PARTS.get(ends.chirp, ()), 1)
    if lanes.shared:
        macros = {name: value for name, value in macros.items() if name not in OF_ONE_LENGTH}
        macros |= {"RAGGED": 1, "LARGEST": max(5, *lanes.radices)}
    return macros


SOLVER = solver_of(
    "cols", "neighbouring transforms of a smooth length, on a CPU with vectors", _columns
)
