"""Any axis on CPUs: the lanes of a vector are neighbouring transforms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from math import inf, prod

from ..batch import Batch, Dimension
from ..factor import pass_cost, real_splits, shown
from ..parameters import Parameters
from ..passes import (
    Argument,
    BlockRoots,
    Chirp,
    ChirpSpectrum,
    LaneChirp,
    LaneRoots,
    LaneSpectrum,
    Pass,
    PassSteps,
    Roots,
    Vector,
)
from ..problem import Problem
from ..traits import Traits
from .lanes import (
    LINE_BYTES,
    MIN_LANES,
    Lanes,
    convolution_words,
    ends_of,
    given_points,
    lanes_for,
    lanes_pass,
    most_lanes,
    pass_words,
    passes_of,
    takes,
    walkable,
)
from .solver import Solver
from .steps import axis_batch, axis_length

STAGED = 2  # vectors that cols.cl wants beside for rows that wait in scratch memory
OF_ONE_LENGTH = ("N", "LENGTH", "GIVEN", "PASSES")  # macros that a kernel of all lengths is without


@dataclass(frozen=True)
class Row:
    """A long row that is a matrix, of which a launch transforms columns, or rows.

    Attributes
    ----------
    points : int
        Of the matrix.
    columns : int
        Of the matrix: neighbours in one of its columns are so far apart.
    twist : bool
        Result k of column c, or point k where results are those of the row, is multiplied by
        exp(-2 pi i k c / points).
    elements : int
        Of the row: fewer than points for a convolution. 0 for as many.
    given, written : int
        Elements that the source has, or the target takes. 0 for all.
    half_in, half_out : bool
        The source, or the target, has the first half, and the second one is its conjugate.
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
        """Elements given, written, and at all."""
        elements = self.elements or self.points
        given = elements // 2 + 1 if self.half_in else elements
        return self.given or given, self.written or elements, elements


@dataclass(frozen=True)
class ColumnEnds:
    """What a launch of cols.cl does at its two ends.

    Attributes
    ----------
    length : int
        Points of a transform.
    given : int
        Elements of the source: the others are zero.
    source, target : str
        What is read and left there: COMPLEX, REAL, or HERMITIAN for half of a spectrum.
    packed : bool
        Two real numbers of a transform are a point, so that `length` is half of their number.
    real_radix : int
        Of the pass that knows the real numbers of a row of odd length: it leaves transforms of
        `points` complex points. 0 where there is none.
    chirp : str
        "ALONE" for a convolution of more points (Bluestein's algorithm), or of three launches that
        share one what is done "BEFORE", "WITHIN" its rows, or "AFTER".
    row : Row, optional
        Of which transforms are a part.
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
        """Whether passes go there and back in scratch memory."""
        return self.chirp in ("ALONE", "WITHIN")

    @property
    def pairs(self) -> int:
        """Transforms of a lane: two where they are columns of one real row."""
        return 2 if self.row and {self.source, self.target} == {"REAL", "HERMITIAN"} else 1

    @property
    def points(self) -> int:
        """Complex points of what is left to transform."""
        return self.length // (self.real_radix or 1)

    @property
    def kept(self) -> int:
        """How many transforms of so many points there are."""
        return self.real_radix // 2 + 1

    @property
    def doubles(self) -> bool:
        """Whether results are sums of two, which a half has to be the factor of."""
        joined = self.packed or self.pairs == 2 or self.real_radix
        return bool(joined) and self.target == "HERMITIAN"

    @property
    def written(self) -> int:
        """Points that are left in the target."""
        return self._half if self.target == "HERMITIAN" else self.length

    @property
    def wanted(self) -> int:
        """Elements that are read if they are given."""
        if self.source == "HERMITIAN":
            return self._half
        return self.length * (2 if self.packed else 1)

    @property
    def _half(self) -> int:
        return self.length + 1 if self.packed else self.length // 2 + 1


@dataclass(frozen=True)
class Columns:
    """A batch of which one dimension is shared out to lanes.

    Attributes
    ----------
    batch : Batch
        The transforms.
    number : int
        Of that dimension: 0, or 1 where another one comes before it.
    ends : ColumnEnds
        What is done beside transforming.
    lanes : Lanes
        How they are transformed.
    ways : (str, str)
        What lies side by side in the source and in the target: "columns" if transforms do, "rows"
        if points of each do, "spread" if neither do.
    staged : bool
        Such rows of the target are put together in scratch memory first.
    """

    batch: Batch
    number: int
    ends: ColumnEnds
    lanes: Lanes
    ways: tuple[str, str]
    staged: bool

    @property
    def dimension(self) -> Dimension:
        """The dimension that is shared out."""
        return self.batch.dimensions[self.number]

    @property
    def steps(self) -> Dimension:
        """The same in blocks of transforms, which work-items take at a time."""
        whole, transforms = self.dimension, self.lanes.width * self.ends.pairs
        blocks = -(-whole.extent // transforms)
        return Dimension(blocks, whole.source * transforms, whole.target * transforms)

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        """All dimensions, in such blocks."""
        whole = self.batch.dimensions
        return (*whole[: self.number], self.steps, *whole[self.number + 1 :])

    @property
    def blocks(self) -> int:
        """Blocks in all."""
        return prod(each.extent for each in self.dimensions)


Find = Callable[[Problem, Traits, Parameters], Columns | None]


def solver_of(name: str, requirement: str, find: Find) -> Solver:
    """Return a solver of one launch of cols.cl.

    Parameters
    ----------
    name, requirement : str
        As `Solver` has them.
    find : function
        From a problem, traits and parameters to columns, or None where it does not apply.

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
    ends, radices = with_real_pass(ends, lambda n: passes_of(n, parameters))
    found = columns_of(problem, batch, ends, radices, traits, parameters)
    return None if found and idles(problem, found, traits, parameters) else found


def idles(problem: Problem, columns: Columns, traits: Traits, parameters: Parameters) -> bool:
    """Return whether so few cores have work that all had better share it, in several launches.

    Columns that are neighbours and fit a cache, or fill its lines, are quicker in one launch.
    """
    if columns.batch.n < parameters["lanes_shared"] or columns.blocks >= traits.compute_units:
        return False
    fills_lines = columns.dimension.extent * problem.complex_dtype.itemsize >= LINE_BYTES
    return "columns" not in columns.ways or not (columns.lanes.is_local or fills_lines)


def whole(problem: Problem) -> tuple[ColumnEnds, Batch]:
    """Return the ends and the batch of a launch that does all of a problem."""
    n = axis_length(problem)
    packed = problem.kind != "c2c" and n % 2 == 0
    length = n // 2 if packed else n
    ends = ColumnEnds(length, given_points(problem), *ends_of(problem), packed=packed)
    return ends, axis_batch(problem, length)


def with_real_pass(
    ends: ColumnEnds, passes: Callable[[int], tuple[int, ...] | None]
) -> tuple[ColumnEnds, tuple[int, ...] | None]:
    """Return what a launch does, with a real pass where its length has one, and its other radices.

    Parameters
    ----------
    ends : ColumnEnds
        Without such a pass.
    passes : function
        From a number of complex points to the radices of their passes, or None where there are
        none.

    Returns
    -------
    ends : ColumnEnds
        With the real pass that leaves the least work.
    radices : tuple of int or None
        Of the passes over its points.
    """
    ways = [(ends, passes(ends.points))]
    if "COMPLEX" not in (ends.source, ends.target) and not ends.packed:
        for radix in real_splits(ends.length):
            each = replace(ends, real_radix=radix)
            if each.points >= radix:  # PoCL takes three times as long for 21 = 7 x 3 as for 3 x 7
                ways.append((each, passes(each.points)))
    return min(ways, key=lambda way: inf if way[1] is None else _work(way[0], way[1]))


def _work(ends: ColumnEnds, radices: tuple[int, ...]) -> float:
    """Return a relative time: of all passes, and of half a pass over real numbers."""
    passes = ends.kept * prod(radices) * pass_cost(radices) * (1 + ends.convolves)
    return passes + (ends.length * pass_cost((ends.real_radix,)) / 2 if ends.real_radix else 0)


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
    """Return how to share out a batch to lanes, or None where its layout or size forbids it.

    Parameters
    ----------
    problem : Problem
        Of which the batch is a part.
    batch : Batch
        The transforms.
    ends : ColumnEnds
        What is done beside transforming.
    radices : tuple of int or None
        Of the passes; None where there are none.
    traits, parameters
        Of the device.
    shared : bool
        By the kernel of all lengths, which also takes a single transform.
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
        spare = (STAGED if staged else 0) + _beside(ends, prod(radices))
        for width in _widths(-(-dimension.extent // ends.pairs), most_lanes(problem, traits)):
            if (from_rows and ends.length < width) or (to_rows and ends.written < width):
                continue
            lanes = lanes_for(problem, width, radices, traits, parameters, rooms, spare, shared)
            if lanes is not None:
                inner = int(spread and number > 0)  # lines are for all of what is nearer
                arranged = replace(batch, dimensions=_arranged(batch.dimensions, number, inner))
                return Columns(arranged, inner, ends, lanes, ways, staged)
    return None


def _beside(ends: ColumnEnds, points: int) -> int:
    """Return the vectors of scratch memory that a real pass wants beside the points of a transform.

    As realPass.cl has it: the first area, and what the second one has more than those points.
    """
    if not ends.real_radix:
        return 0
    first = ends.kept * ends.points
    second = max(points, ends.length // 2 + 1) if ends.convolves else first
    return first + second - points


def _arranged(dimensions: tuple[Dimension, ...], number: int, place: int) -> tuple[Dimension, ...]:
    """Return dimensions in another order: that of the number comes to a place."""
    others = dimensions[:number] + dimensions[number + 1 :]
    return (*others[:place], dimensions[number], *others[place:])


def _is_staged(problem: Problem, ends: ColumnEnds, distance: int, parameters: Parameters) -> bool:
    """Return whether rows are too short for their parts of lines, of which each counts twice.

    Lines that two rows share cannot go past the caches: they would have to come back.
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
    if distance == 1 or dimension.extent == 1:  # a single one is a column of any stride
        return "columns"
    return "rows" if stride == 1 else "spread"


def _widths(extent: int, most: int) -> Iterator[int]:
    """Yield numbers of lanes: as many as there are transforms, or a few more, and then fewer."""
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
        Of which the columns are a part.
    columns : Columns
        What to transform, and how.
    traits, parameters
        Of the device.
    scale : float
        Factor of the result.
    leaves : int
        Bytes of the target's buffer, where the target is not the problem's.
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
    """Return what is transformed, for people, and what for, if that is a convolution."""
    ends, n = columns.ends, columns.batch.n
    if ends.chirp == "ALONE" and ends.real_radix:
        return f"{ends.real_radix} real x {ends.points} in {columns.lanes.points}"
    if ends.chirp == "ALONE":
        return f"{n} in {columns.lanes.points}"
    return f"{n} for {ends.row.elements}" if ends.chirp and ends.row else str(n)


def _shown(columns: Columns) -> str:
    """Return the radices of a launch for people, that of a real pass where it is done."""
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
        tables["all_block_roots"] = BlockRoots(row.points, n, blocks, width, problem.precision)
    if ends.chirp == "ALONE":
        tables["chirp"] = Chirp(ends.points, problem.precision)
        tables["spectrum"] = ChirpSpectrum(ends.points, lanes.radices, problem.precision)
    elif row and ends.chirp == "WITHIN":
        factors = (columns.dimension.extent, *lanes.radices)
        tables["spectra"] = LaneSpectrum(row.elements, factors, lanes.width, problem.precision)
    elif row and ends.chirp:
        tables["chirps"] = LaneChirp(row.elements, lanes.width, problem.precision)
    return tables


def _sizes(columns: Columns) -> dict[str, Argument]:
    ends, radices = columns.ends, columns.lanes.radices
    sizes = (columns.lanes.points, ends.length, ends.given, len(radices))
    return {"sizes": Vector("uint32", sizes), "steps": PassSteps(radices)}


def _macros(columns: Columns) -> dict[str, int | str]:
    """Return what differs from the defaults of cols.cl."""
    ends, lanes, row = columns.ends, columns.lanes, columns.ends.row
    gathered = columns.ways[0] == "rows" or ends.source == "HERMITIAN" or ends.real_radix
    words = pass_words(lanes.radices, *([] if gathered else ["FIRST", "ONLY"]))
    if ends.convolves:
        words = convolution_words(lanes.radices)
    macros: dict[str, int | str] = {
        "N": lanes.points,
        "FROM_ROWS": int(columns.ways[0] == "rows"),
        "TO_ROWS": int(columns.ways[1] == "rows"),
        "STAGED": int(columns.staged),
        "RAGGED": int(columns.dimension.extent % (lanes.width * ends.pairs) > 0),
        "TWIST": int(bool(row and row.twist)),
        "PASSES": f'"{words}"',
    }
    others: dict[str, tuple[int | str, int | str]] = {
        "SOURCE": (ends.source, "COMPLEX"),
        "TARGET": (ends.target, "COMPLEX"),
        "LENGTH": (ends.length, lanes.points),
        "GIVEN": (ends.given, ends.wanted),
        "PACKED": (int(ends.packed), 0),
        "PAIR": (ends.pairs - 1, 0),
        "REAL_RADIX": (ends.real_radix, 0),
        "SPREAD_IN": (int(columns.ways[0] == "spread"), 0),
        "SPREAD_OUT": (int(columns.ways[1] == "spread"), 0),
        "CHIRP": (ends.chirp, ""),
        "INNER": (columns.number, 0),
    }
    if row:
        others |= {
            "ROW_COLUMNS": (row.columns if ends.chirp or row.given or row.half_in else 0, 0),
            "ROW_GIVEN": (int(row.given > 0), 0),
            "ROW_WRITTEN": (int(row.written > 0), 0),
            "FOLD_IN": (int(row.half_in), 0),
            "FOLD_OUT": (int(row.half_out), 0),
        }
    macros |= {name: value for name, (value, usual) in others.items() if value != usual}
    if lanes.shared:
        macros = {name: value for name, value in macros.items() if name not in OF_ONE_LENGTH}
        macros |= {"RAGGED": 1, "LARGEST": max(5, *lanes.radices)}
    return macros


SOLVER = solver_of(
    "cols", "neighbouring transforms of a smooth length, on a CPU with vectors", _columns
)
