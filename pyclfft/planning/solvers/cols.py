"""Any axis on CPUs: the lanes of a vector are neighbouring transforms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import prod

from ...tuning.lookup import Parameters
from ..batch import Batch, Dimension
from ..factor import best_passes
from ..passes import (
    Argument,
    BlockRoots,
    Chirp,
    ChirpSpectrum,
    LaneRoots,
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
    takes,
    walkable,
)
from .rows import uint
from .solver import Solver
from .steps import axis_batch, axis_length

STAGED = 2  # vectors that cols.cl wants beside for rows that wait in scratch memory
OF_ONE_LENGTH = ("N", "LENGTH", "GIVEN", "PASSES")  # macros that a kernel of all lengths is without


@dataclass(frozen=True)
class Ends:
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
    chirp : bool
        It is a convolution, of more points (Bluestein's algorithm).
    twist : int
        With n > 0, result k of column c is multiplied by exp(-2 pi i k c / n).
    fold_in, fold_out : int
        Points of rows of which the source, or the target, has only the first half.
    """

    length: int
    given: int
    source: str = "COMPLEX"
    target: str = "COMPLEX"
    packed: bool = False
    chirp: bool = False
    twist: int = 0
    fold_in: int = 0
    fold_out: int = 0

    @property
    def pairs(self) -> int:
        """Transforms of a lane: of an odd number of real numbers two."""
        return 2 if {self.source, self.target} == {"REAL", "HERMITIAN"} and not self.packed else 1

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
    """A batch whose first dimension is shared out to lanes.

    Attributes
    ----------
    batch : Batch
        The dimension of neighbouring transforms first.
    ends : Ends
        What is done beside transforming.
    lanes : Lanes
        How they are transformed.
    from_rows, to_rows : bool
        Points of a transform are neighbours in the source, and in the target, rather than
        transforms.
    staged : bool
        Such rows of the target are put together in scratch memory first.
    """

    batch: Batch
    ends: Ends
    lanes: Lanes
    from_rows: bool
    to_rows: bool
    staged: bool

    @property
    def is_of_rows(self) -> bool:
        """Whether points are neighbours before and afterwards."""
        return self.from_rows and self.to_rows

    @property
    def blocks(self) -> int:
        """What work-items take at a time, in all."""
        dimension, *others = self.batch.dimensions
        per_block = self.lanes.width * self.ends.pairs
        return -(-dimension.extent // per_block) * prod(each.extent for each in others)


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

    def applies(problem: Problem, traits: Traits, parameters: Parameters) -> bool:
        return takes(problem, traits) and find(problem, traits, parameters) is not None

    def passes(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...]:
        columns = find(problem, traits, parameters)
        assert columns is not None
        return (columns_pass(problem, columns, traits, parameters, scale=problem.scale),)

    return Solver(name, requirement, applies, passes, selective=True)


def _columns(problem: Problem, traits: Traits, parameters: Parameters) -> Columns | None:
    ends, batch = whole(problem)
    found = columns_of(problem, batch, ends, best_passes(ends.length), traits, parameters)
    if found is None or batch.n < parameters["lanes_shared"] or not found.is_of_rows:
        return found
    # With fewer blocks than cores, several of them had better share each row (long_row).
    return found if found.blocks >= traits.compute_units else None


def whole(problem: Problem) -> tuple[Ends, Batch]:
    """Return the ends and the batch of a launch that does all of a problem."""
    n = axis_length(problem)
    packed = problem.kind != "c2c" and n % 2 == 0
    length = n // 2 if packed else n
    ends = Ends(length, given_points(problem), *ends_of(problem), packed=packed)
    return ends, axis_batch(problem, length)


def columns_of(
    problem: Problem,
    batch: Batch,
    ends: Ends,
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
    ends : Ends
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
    for number, dimension in enumerate(batch.dimensions):
        ways = (
            _direction(dimension.source, batch.source.stride),
            _direction(dimension.target, batch.target.stride),
        )
        if dimension.extent == 1:  # its lane is a column of any stride
            ways = ("columns", "columns") if shared else (None, None)
        if None in ways:
            continue
        from_rows, to_rows = (way == "rows" for way in ways)
        stored_at_once = not (to_rows or ends.target == "HERMITIAN" or ends.chirp)
        rooms = 1 if ends.chirp or stored_at_once else 2
        staged = to_rows and not shared and _is_staged(problem, ends, dimension.target, parameters)
        spare = STAGED if staged else 0
        for width in _widths(-(-dimension.extent // ends.pairs), most_lanes(problem, traits)):
            if (from_rows and ends.length < width) or (to_rows and ends.written < width):
                continue
            lanes = lanes_for(problem, width, radices, traits, parameters, rooms, spare, shared)
            if lanes is not None:
                others = batch.dimensions[:number] + batch.dimensions[number + 1 :]
                first = replace(batch, dimensions=(dimension, *others))
                return Columns(first, ends, lanes, from_rows, to_rows, staged)
    return None


def _is_staged(problem: Problem, ends: Ends, distance: int, parameters: Parameters) -> bool:
    """Return whether rows are too short for their parts of lines, of which each counts twice.

    Lines that two rows share cannot go past the caches: they would have to come back.
    """
    itemsize = problem.complex_dtype.itemsize // (2 if ends.target == "REAL" else 1)
    nbytes = ends.written * itemsize * (2 if ends.target == "REAL" and ends.packed else 1)
    return (
        nbytes <= parameters["lanes_staged"]
        and distance * itemsize % LINE_BYTES > 0
        and problem.nbytes >= parameters["stream_bytes"]
        and not problem.hooks.store
    )


def _direction(distance: int, stride: int) -> str | None:
    """Return what lies side by side in memory: transforms, points, or neither."""
    return "columns" if distance == 1 else "rows" if stride == 1 else None


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
    dimension, *others = batch.dimensions
    transforms = lanes.width * ends.pairs
    blocks = -(-dimension.extent // transforms)
    steps = Dimension(blocks, dimension.source * transforms, dimension.target * transforms)
    radices = "x".join(map(str, lanes.radices))
    return lanes_pass(
        "cols",
        problem,
        replace(batch, dimensions=(steps, *others)),
        lanes,
        (blocks, *(each.extent for each in others)),
        _tables(problem, columns, blocks),
        _macros(columns, ragged=dimension.extent % transforms > 0),
        traits,
        parameters,
        last=(
            uint(dimension.extent),
            Vector(
                "int64",
                (
                    dimension.source if columns.from_rows else batch.source.stride,
                    dimension.target if columns.to_rows else batch.target.stride,
                ),
            ),
        ),
        shared=_sizes(columns) if lanes.shared else (),
        leaves=leaves,
        displaced=not (lanes.is_local or columns.to_rows),
        scale=scale / (2 if ends.target == "HERMITIAN" else 1),  # a sum of halves
        step=f"{batch.count} x {batch.n} {f'in {lanes.points} ' if ends.chirp else ''}= {radices}"
        + (" packed" if ends.packed else ""),
    )


def _tables(problem: Problem, columns: Columns, blocks: int) -> tuple[Argument, ...]:
    ends, lanes = columns.ends, columns.lanes
    tables: tuple[Argument, ...] = ()
    if ends.packed:
        tables += (Roots(2 * ends.length, problem.precision),)
    if ends.twist:
        n, width = lanes.points, lanes.width
        tables += (
            LaneRoots(ends.twist, n, width, problem.precision),
            BlockRoots(ends.twist, n, blocks * ends.pairs, width, problem.precision),
        )
    if ends.chirp:
        tables += (
            Chirp(ends.length, problem.precision),
            ChirpSpectrum(ends.length, lanes.radices, problem.precision),
        )
    return tables


def _sizes(columns: Columns) -> tuple[Argument, ...]:
    ends, radices = columns.ends, columns.lanes.radices
    sizes = (columns.lanes.points, ends.length, ends.given, len(radices))
    return (Vector("uint32", sizes), PassSteps(radices))


def _macros(columns: Columns, *, ragged: bool) -> dict[str, int | str]:
    """Return what differs from the defaults of cols.cl."""
    ends, lanes = columns.ends, columns.lanes
    staged = columns.from_rows or ends.source == "HERMITIAN"
    words = pass_words(lanes.radices, *([] if staged else ["FIRST", "ONLY"]))
    if ends.chirp:
        words = convolution_words(lanes.radices)
    macros: dict[str, int | str] = {
        "N": lanes.points,
        "FROM_ROWS": int(columns.from_rows),
        "TO_ROWS": int(columns.to_rows),
        "STAGED": int(columns.staged),
        "RAGGED": int(ragged),
        "TWIST": int(ends.twist > 0),
        "PASSES": f'"{words}"',
    }
    others: dict[str, tuple[int | str, int | str]] = {
        "SOURCE": (ends.source, "COMPLEX"),
        "TARGET": (ends.target, "COMPLEX"),
        "LENGTH": (ends.length, lanes.points),
        "GIVEN": (ends.given, ends.wanted),
        "PACKED": (int(ends.packed), 0),
        "CHIRP": (int(ends.chirp), 0),
        "FOLD_IN": (ends.fold_in, 0),
        "FOLD_OUT": (ends.fold_out, 0),
    }
    macros |= {name: value for name, (value, usual) in others.items() if value != usual}
    if lanes.shared:
        macros = {name: value for name, value in macros.items() if name not in OF_ONE_LENGTH}
        macros |= {"RAGGED": 1, "LARGEST": max(5, *lanes.radices)}
    return macros


SOLVER = solver_of(
    "cols", "neighbouring transforms of a smooth length, on a CPU with vectors", _columns
)
