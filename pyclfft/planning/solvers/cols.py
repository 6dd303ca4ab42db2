"""Launches of cols.cl: transforms along any axis on CPUs, neighbouring ones in a vector's lanes.

`columns_of` spreads a batch over lanes, and `columns_pass` makes its launch a pass. Where one pass
transforms columns and the next one transforms them back, `there_and_back` makes one pass of both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from ..arguments import Scalar, Vector
from ..batch import Batch, Dimension, Line
from ..factor import shown
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
    RaderSpectrum,
    RealRaderSpectrum,
    Roots,
)
from ..traits import Traits
from .ends import Ends
from .lanes import (
    AVX2_REGISTERS,
    LINE_BYTES,
    MIN_LANES,
    Lanes,
    is_kept,
    lanes_for,
    lanes_pass,
    most_lanes,
    walkable,
)
from .leaf import Step
from .steps import axis_length

COLLECTED = 2  # the further vectors of scratch memory that cols.cl needs if it collects rows there
MOST_OF_TWO_VECTORS = 2048  # points of columns; two vectors of more do not fit every L2 cache
PAGE_BYTES = 4096
SLOW_STRIDE = 256  # bytes from one point of a column to the next one, see _are_cached
SMALL_MATRIX = 2**16  # bytes of all columns that a CPU writes past the caches quickly
SET_BYTES = 2**16  # what lies a multiple of it apart shares a set of each core's caches
SHORT_COLUMN, LONG_COLUMN = 32, 1024  # points

# What cols.cl can do of Bluestein's algorithm: whether it multiplies by the chirp first, by the
# spectrum of the chirp, and by the chirp last.
PARTS_OF_BLUESTEIN = (
    (False, False, False),
    (True, True, True),  # all of it in one launch
    (True, False, False),  # the first, the second and the third of three launches
    (False, True, False),
    (False, False, True),
)


@dataclass(frozen=True)
class Columns:
    """A launch of cols.cl, whose transforms are spread over lanes along one dimension.

    Attributes
    ----------
    problem : Problem
        The problem that the launch is a part of.
    step : Step
        What the launch does.
    traits, parameters
        The device's traits, and the parameters of its kernels.
    number : int
        The number of the dimension that is spread over lanes: 0, or 1 if another dimension comes
        before it.
    lanes : Lanes
        How a work-item does the transforms.
    ways : (str, str)
        What lies side by side in the source, and in the target: "columns" if neighbouring
        transforms do, "rows" if the points of a transform do, "spread" if neither do.
    staged : bool
        Whether rows of the target are collected in scratch memory before they are stored.
    """

    problem: Problem
    step: Step
    traits: Traits
    parameters: Parameters
    number: int
    lanes: Lanes
    ways: tuple[str, str]
    staged: bool

    @property
    def batch(self) -> Batch:
        """The transforms that the launch does."""
        return self.step.batch

    @property
    def ends(self) -> Ends:
        """What the launch does to points as it loads and stores them."""
        return self.step.ends

    def planned(self, scale: float = 1.0) -> Pass:
        """Return the launch as a pass that multiplies the results by `scale`."""
        return columns_pass(self, scale)

    @property
    def transforms(self) -> int:
        """The number of transforms in a lane: 2 if they are columns of one real row, else 1."""
        return 2 if self.ends.pair else 1

    @property
    def dimension(self) -> Dimension:
        """The dimension whose transforms are spread over lanes."""
        return self.batch.dimensions[self.number]

    @property
    def steps(self) -> Dimension:
        """The dimension of the lanes, counted in blocks that a work-item takes at a time."""
        whole, transforms = self.dimension, self.lanes.width * self.transforms
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


def _can_do(ends: Ends) -> bool:
    """Whether cols.cl can do what the ends say.

    It knows no other spectra than those of chirps, and twists points only where a chirp multiplies
    the results.
    """
    of_rader = isinstance(ends.spectrum, (RaderSpectrum, RealRaderSpectrum))
    if of_rader or (ends.twist_first and not ends.chirp_last):
        return False
    part = (ends.chirp_first, ends.spectrum is not None, ends.chirp_last)
    return part in PARTS_OF_BLUESTEIN


def _held(step: Step) -> tuple[str, str]:
    """Return what transforms read and leave, as the values of SOURCE and TARGET.

    Half of the spectrum of a long row is not half of the spectrum of each of its columns: theirs
    are complex, unless two of them are a pair.
    """
    ends = step.ends
    if ends.pair or not step.batch.part:
        return ends.source, ends.target
    source, target = (
        "COMPLEX" if each == "HERMITIAN" else each for each in (ends.source, ends.target)
    )
    return source, target


def _length(step: Step) -> int:
    """Return the number of elements of a transform, or of packed points."""
    return step.batch.n if step.batch.part else step.ends.length


def _stored(step: Step) -> int:
    """Return the number of points of a transform that the target receives."""
    ends, n = step.ends, step.batch.n
    if step.batch.part:
        return n // 2 + 1 if ends.pair and ends.target == "HERMITIAN" else n
    return ends.outputs // 2 if ends.packed and ends.target == "REAL" else ends.outputs


def _stride(line: Line, ends: Ends) -> int:
    """Return the distance between neighbouring elements of a transform; packed points have two."""
    return line.unit if ends.packed else line.stride


def columns_of(
    problem: Problem,
    step: Step,
    radices: tuple[int, ...] | None,
    traits: Traits,
    parameters: Parameters,
) -> Columns | None:
    """Return how to spread a batch over lanes, or None if its layout or size forbids it.

    Parameters
    ----------
    problem : Problem
        The problem that the step is a part of.
    step : Step
        What the launch does.
    radices : tuple of int or None
        The radices of the stages, or None if no stages were found.
    traits, parameters
        The device's traits, and the parameters of its kernels.
    """
    batch, ends = step.batch, step.ends
    if radices is None or not walkable(batch) or not _can_do(ends):
        return None
    convolves, part = ends.spectrum is not None, step.batch.part
    length, stored, target = _length(step), _stored(step), _held(step)[1]
    several = [
        number
        for number, each in enumerate(batch.dimensions)
        if each.extent > 1 and (each.along or not part)
    ]
    for spread, number in product((False, True), several):
        dimension = batch.dimensions[number]
        ways = (
            _direction(dimension, dimension.source, _stride(batch.source, ends)),
            _direction(dimension, dimension.target, _stride(batch.target, ends)),
        )
        if ("spread" in ways) != spread:
            continue
        from_rows, to_rows = (way == "rows" for way in ways)
        stored_at_once = not (to_rows or target == "HERMITIAN" or convolves)
        rooms = 1 if convolves or stored_at_once or ends.real_radix else 2
        staged = to_rows and _is_staged(problem, step, dimension.target, parameters)
        spare = (COLLECTED if staged else 0) + _beside(ends, prod(radices))
        extent = -(-dimension.extent // (2 if ends.pair else 1))
        most = _most_columns(problem, step, ways, traits)
        for width in _widths(extent, most):
            if (from_rows and length < width) or (to_rows and stored < width):
                continue
            lanes = lanes_for(problem, width, radices, traits, parameters, rooms, spare)
            if lanes is not None:
                # Spread transforms leave the nearest dimension in its place: it shares lines.
                inner = int(spread and number > 0)
                if inner != number:
                    step = replace(step, batch=_arranged(batch, number, inner))
                return Columns(problem, step, traits, parameters, inner, lanes, ways, staged)
    return None


def _most_columns(problem: Problem, step: Step, ways: tuple[str, str], traits: Traits) -> int:
    """Return the most transforms that a block may have.

    They are as many as a vector has lanes, but twice as many for columns of which a vector of
    points is one line of the caches, if the points of a column lie so far apart that they share few
    sets of the caches. Lines that a CPU fetches of its own accord beside them are then lost before
    the next block needs them. A block of two vectors needs them itself. With AVX-512 one vector is
    two lines.
    """
    # With two vectors, columns of 1024 to 2048 points whole pages apart take 4 to 23 % less time,
    # and transforms of 1024^2 and 2048^2 points 7 to 13 % (Intel's runtime, told to use AVX2
    # alone). Shorter columns, and columns whose points do not lie whole pages apart, take up to
    # 50 % more. But if the points lie a multiple of 64 KiB apart, columns of 48 to 720 points take
    # 13 to 33 % less time, and 128^3 points 20 % (an EPYC with AVX2).
    batch, ends, most = step.batch, step.ends, most_lanes(problem, traits)
    itemsize = problem.complex_dtype.itemsize
    strides = (batch.source.stride, batch.target.stride)
    apart = PAGE_BYTES if batch.n >= LONG_COLUMN else SET_BYTES
    pays = (
        most * itemsize == LINE_BYTES
        and SHORT_COLUMN < batch.n <= MOST_OF_TWO_VECTORS
        and ways == ("columns", "columns")
        and ends.source == ends.target == "COMPLEX"
        and all(stride * itemsize % apart == 0 for stride in strides)
        and batch.count >= 2 * most * 2 * traits.compute_units  # two blocks for each core
    )
    return 2 * most if pays else most


def _beside(ends: Ends, points: int) -> int:
    """Return the vectors of scratch memory that a real stage needs beside a transform's points.

    realStage.cl uses two areas. The vectors are the whole first area, and what the second area has
    beyond the points.
    """
    if not ends.real_radix:
        return 0
    first = ends.length // ends.real_radix * ends.kept
    second = max(points, ends.length // 2 + 1) if ends.spectrum else first
    return first + second - points


def _arranged(batch: Batch, number: int, place: int) -> Batch:
    """Return the batch with dimension `number` moved to position `place`."""
    dimensions = batch.dimensions
    others = dimensions[:number] + dimensions[number + 1 :]
    return replace(batch, dimensions=(*others[:place], dimensions[number], *others[place:]))


def _is_staged(problem: Problem, step: Step, distance: int, parameters: Parameters) -> bool:
    """Return whether rows should be collected in scratch memory before they are stored.

    Large results bypass the caches, which a line that two rows share cannot do: it would have to
    be read again. Collected rows are stored as one run of whole lines, which pays for short rows.
    """
    ends = step.ends
    itemsize = problem.complex_dtype.itemsize // (2 if ends.target == "REAL" else 1)
    nbytes = _stored(step) * itemsize * (2 if ends.target == "REAL" and ends.packed else 1)
    return (
        nbytes <= parameters["lanes_staged"]
        and distance * itemsize % LINE_BYTES > 0
        and 0 < parameters["stream_bytes"] <= problem.nbytes
        and not problem.hooks.store
    )


def _direction(dimension: Dimension, distance: int, stride: int) -> str:
    """Return what lies side by side in memory: transforms, points of each, or neither."""
    if distance == 1:
        return "columns"
    return "rows" if stride == 1 else "spread"


def _widths(extent: int, most: int) -> Iterator[int]:
    """Yield numbers of lanes to try.

    The first is the least power of two that holds all transforms, within the device's limits; each
    further number is half of the one before.
    """
    least = least_lanes(most)
    width = max(least, min(most, 1 << (extent - 1).bit_length()))
    while width >= least:
        yield width
        width //= 2


def least_lanes(most: int) -> int:
    """Return the fewest lanes of a device whose vectors have `most` lanes."""
    return max(2, MIN_LANES * most // 16)


def columns_pass(columns: Columns, scale: float) -> Pass:
    """Return a launch as a pass that multiplies the results by `scale`."""
    problem, batch, ends, lanes = columns.problem, columns.batch, columns.ends, columns.lanes
    dimension, dimensions, macros = columns.dimension, columns.dimensions, _macros(columns)
    return lanes_pass(
        "cols",
        problem,
        replace(batch, dimensions=dimensions),
        lanes,
        tuple(each.extent for each in dimensions),
        _tables(problem, columns),
        macros,
        columns.traits,
        columns.parameters,
        last={
            "limits": Vector("uint32", (dimension.extent, *_limits(columns, macros))),
            "strides": Vector(
                "int64",
                (
                    dimension.source if columns.ways[0] == "rows" else _stride(batch.source, ends),
                    dimension.target if columns.ways[1] == "rows" else _stride(batch.target, ends),
                ),
            ),
        },
        leaves=columns.step.leaves,
        displaced=not lanes.is_local and columns.ways[1] != "rows",
        cached=_are_cached(columns),
        scale=scale / (2 if ends.separates else 1),
        step=f"{batch.count} x {_lengths(columns)} = {_shown(columns)}",
    )


# The macros that a pass there and a pass back may have if they become one pass. All other macros
# have to be 0: then columns are complex, lie side by side, and nothing else is done to them.
OF_ANY_COLUMNS = (
    "DOUBLE", "LANES", "VECTOR_BITS", "DIMENSIONS", "LOCAL_SCRATCH", "STREAM", "PREFETCH", "N",
    "RADICES", "RAGGED", "INNER",
)  # fmt: skip
# The macros and the arguments in which both passes may differ. What is stored past the caches, and
# how results are scaled, is said by the pass back, which stores them.
DIFFERENT = ("STREAM", "scale", "sign")


def there_and_back(there: Sequence[Pass], back: Sequence[Pass]) -> tuple[Pass, ...]:
    """Return the passes of a forward transform and of the inverse transform of its result.

    If the last pass there and the first pass back transform the same columns, they become one pass,
    which reads and writes the columns once.

    Parameters
    ----------
    there : sequence of Pass
        The passes of the forward transform. The last one may have a store hook that changes values,
        but none that stores them itself.
    back : sequence of Pass
        The passes of the inverse transform.

    Returns
    -------
    tuple of Pass
    """
    joined = _joined(there[-1], back[0])
    return (*there[:-1], joined, *back[1:]) if joined else (*there, *back)


def _joined(there: Pass, back: Pass) -> Pass | None:
    """Return one pass in the place of two, or None if they do not transform the same columns."""
    if {there.kernel, back.kernel} != {"cols"} or back.hooks:
        return None
    ours = {**dict(there.defines), **there.arguments}
    theirs = {**dict(back.defines), **back.arguments}
    if any(value != "0" for name, value in there.defines if name not in OF_ANY_COLUMNS):
        return None
    if any(ours.get(name) != each for name, each in theirs.items() if name not in DIFFERENT):
        return None
    unscaled = isinstance(ours["scale"], Vector) and ours["scale"].values == (1, 0)
    forward, inverse = (
        isinstance(each, Scalar) and each.value == sign
        for each, sign in ((ours["sign"], 1), (theirs["sign"], -1))
    )
    if not (there.aliases and unscaled and forward and inverse):
        return None
    return replace(
        there,
        defines=(*back.defines, ("BACK", "1")),
        arguments={**there.arguments, "scale": back.arguments["scale"]},
        leaves=max(there.target_bytes, back.target_bytes),
        step=f"{there.step} and back",
    )


def _are_cached(columns: Columns) -> bool:
    """Whether results stay in the caches, however large the target is.

    They stay if the next step reads them soon. They also stay if the points of a column lie a
    multiple of `SLOW_STRIDE` apart, because a CPU with AVX2 is slow to write past its caches then,
    unless the matrix is small. Long columns, and columns whose points lie a multiple of `SET_BYTES`
    apart, do not stay: they share few sets of the caches, which is slower still.
    """
    # On an EPYC with AVX2, columns of 128 to 512 points in rows of a power of two take 10 to 40 %
    # less time if they stay in the caches. If they stayed there, columns in rows of an odd number
    # of lines would take 10 to 70 % more time, columns of 1024 points 3 to 30 % more, and columns
    # whose points lie 64 KiB apart 20 to 40 % more.
    problem, n = columns.problem, columns.batch.n
    apart = abs(columns.batch.target.stride) * problem.complex_dtype.itemsize
    kept = is_kept(problem, columns.traits)
    if columns.traits.vector_registers != AVX2_REGISTERS or apart % SLOW_STRIDE:
        return kept
    by_columns = columns.ways[1] == "columns" and columns.ends.target == "COMPLEX"
    slow = by_columns and n * apart > SMALL_MATRIX and apart % SET_BYTES > 0
    return n < LONG_COLUMN and (slow or kept)


def _limits(columns: Columns, macros: Mapping[str, int | str]) -> tuple[int, int, int]:
    """Return how many elements of a long row are given and written, and how many it has."""
    if not columns.batch.part:
        return 0, 0, 0
    elements = axis_length(columns.problem)
    given = elements // 2 + 1 if "FOLD_IN" in macros else elements
    return (
        columns.ends.filled if "ROW_FILLED" in macros else given,
        columns.ends.outputs if "ROW_OUTPUTS" in macros else elements,
        elements,
    )


def _lengths(columns: Columns) -> str:
    """Return the length of the transforms for people; for a convolution, also whose it is."""
    ends, points = columns.ends, columns.lanes.points
    if not _convolves(ends):
        return str(_length(columns.step))
    if columns.batch.part:
        return f"{columns.batch.n} for {axis_length(columns.problem)}"
    if ends.real_radix:
        return f"{ends.real_radix} real x {ends.length // ends.real_radix} in {points}"
    return f"{ends.length} in {points}"


def _convolves(ends: Ends) -> bool:
    """Whether a launch has a part in a convolution, or does all of it."""
    return ends.chirp_first or ends.chirp_last or ends.spectrum is not None


def _shown(columns: Columns) -> str:
    """Return the radices of a launch for people, the real stage's radix in its place."""
    ends, radices = columns.ends, columns.lanes.radices
    if ends.real_radix and not ends.spectrum:
        real = (ends.real_radix,)
        radices = (*radices, *real) if ends.target == "REAL" else (*real, *radices)
        return shown(radices, real=True)
    return shown(radices) + (" packed" if ends.packed else "")


def _tables(problem: Problem, columns: Columns) -> dict[str, Argument]:
    ends, lanes, precision = columns.ends, columns.lanes, problem.precision
    tables: dict[str, Argument] = {}
    if ends.packed:
        tables["row_roots"] = Roots(2 * ends.length, precision)
    if ends.real_radix:
        tables["row_roots"] = Roots(ends.length, precision)
    if ends.twist:
        n, width, blocks = lanes.points, lanes.width, columns.steps.extent * columns.transforms
        tables["lane_roots"] = LaneRoots(ends.twist, n, width, precision, lanes.halved)
        tables["block_roots"] = BlockRoots(ends.twist, n, blocks, width, precision)
    if isinstance(ends.spectrum, ChirpSpectrum):
        n, factors = ends.spectrum.n, (*ends.spectrum.factors[:-1], *lanes.radices)
        if not columns.batch.part:
            tables["chirp"] = Chirp(n, precision)
            tables["spectrum"] = ChirpSpectrum(n, factors, precision)
        else:
            tables["row_spectrum"] = LaneSpectrum(n, factors, lanes.width, precision, lanes.halved)
    elif _convolves(ends):
        tables["row_chirp"] = LaneChirp(ends.length, lanes.width, precision, lanes.halved)
    return tables


def _macros(columns: Columns) -> dict[str, int | str]:
    """Return the macros of cols.cl; most of those that have their default value are left out."""
    ends, lanes, part = columns.ends, columns.lanes, columns.batch.part
    source, target = _held(columns.step)
    macros: dict[str, int | str] = {
        "N": lanes.points,
        "FROM_ROWS": int(columns.ways[0] == "rows"),
        "TO_ROWS": int(columns.ways[1] == "rows"),
        "COLLECTED": int(columns.staged),
        "RAGGED": int(columns.dimension.extent % (lanes.width * columns.transforms) > 0),
        "TWIST": int(ends.twist > 0),
        "RADICES": listed(lanes.radices),
    }
    others: dict[str, tuple[int | str, int | str]] = {
        "SOURCE": (source, "COMPLEX"),
        "TARGET": (target, "COMPLEX"),
        "LENGTH": (_length(columns.step), lanes.points),
        "FILLED": (ends.wanted if part else ends.filled, ends.wanted),
        "PACKED": (int(ends.packed), 0),
        "PAIR": (int(ends.pair), 0),
        "REAL_RADIX": (ends.real_radix, 0),
        "SPREAD_IN": (int(columns.ways[0] == "spread"), 0),
        "SPREAD_OUT": (int(columns.ways[1] == "spread"), 0),
        "CHIRP_FIRST": (int(ends.chirp_first), 0),
        "SPECTRUM": (int(ends.spectrum is not None), 0),
        "CHIRP_LAST": (int(ends.chirp_last), 0),
        "INNER": (columns.number, 0),
    }
    if part:
        others |= {name: (value, 0) for name, value in _row_macros(columns).items()}
    macros |= {name: value for name, (value, usual) in others.items() if value != usual}
    return macros


def _row_macros(columns: Columns) -> dict[str, int]:
    """Return the macros of cols.cl for columns or rows of a long row."""
    ends, batch = columns.ends, columns.batch
    convolves, half = _convolves(ends), ends.source == "HERMITIAN"
    fold_in = half and not ends.pair
    lacks = ends.filled < (
        ends.wanted if half and not convolves else batch.n * batch.source.columns
    )
    apart = batch.source.columns if batch.source.columns > 1 else batch.n
    return {
        "ROW_COLUMNS": apart if convolves or lacks or fold_in else 0,
        "ROW_FILLED": int(lacks),
        "ROW_OUTPUTS": int(ends.chirp_last),
        "FOLD_IN": int(fold_in),
        "FOLD_OUT": int(ends.fold > 0),
    }
