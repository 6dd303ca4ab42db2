"""Transforms of host arrays that are larger than the device's memory, piece by piece.

A transform becomes sweeps (`planning/slabs.py`). In a sweep the whole array crosses to the device
and back once, in pieces: each piece holds whole axes, which are transformed, and a range of the
other axes. The last sweep writes into the result; so do all sweeps before it whose results have the
result's dtype. An array of several axes needs a sweep for each group of axes that fits a piece, and
a batch of rows needs one sweep.

A row that does not fit a piece takes two sweeps: it is seen as an array of rows and columns, whose
columns are transformed first and whose rows last (`LongRow`), or of three axes (`SquareRow`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod
from typing import Any, Protocol

import numpy as np
import pyopencl as cl
from numpy.lib.stride_tricks import as_strided

from ..errors import DeviceMemoryError
from ..planning.passes import Schedule
from ..planning.precision import COMPLEX_DTYPE, REAL_DTYPE
from ..planning.problem import (
    TRIGONOMETRIC_KINDS,
    Problem,
    contiguous_strides,
    half_shape,
    logical_shape,
    make_problem,
)
from ..planning.schedule import schedule_of
from ..planning.slabs import four_step_within, parts, square_step, steps_within
from ..planning.traits import Traits
from ..progress import Progress
from . import describe, wisdom
from .cache import BoundedCache
from .conveyor import LANES, Conveyor, Piece, Slab
from .executable import Executable
from .four_step import twiddle_hook
from .hooks import bind
from .parts import Part

SHARE_OF_MEMORY = 0.75  # of a device's memory, where the caller sets no limit
FEW_BYTES = 64 * 2**20  # a smaller piece does not keep the link busy
PIECES = 24  # so many in a sweep, so that the first upload and the last download take little of it
MAX_ORIGIN = 24  # bytes of the place of a piece in an array of three axes
MAX_SHAPES = 16  # shapes of pieces in a sweep: two at most for each axis that is cut
LEAST_RUN = 64  # elements that lie together in the second sweep of a row in place
LONG_RUN = 256 * 2**10  # bytes that lie together on the host, beyond which longer runs gain nothing

Shapes = tuple[tuple[int, ...], tuple[int, ...]]  # of the source and of the target of a sweep


@dataclass(frozen=True)
class Request:
    """A transform, but for the arrays.

    Attributes
    ----------
    kind, direction, norm, orthogonalize
        The parameters of `Plan`.
    axes, lengths : tuple of int
        The transformed axes, and the length to transform along each of them.
    precision : {"single", "double"}
        The precision of the arithmetic.
    """

    kind: str
    direction: str
    norm: str
    axes: tuple[int, ...]
    lengths: tuple[int, ...]
    precision: str
    orthogonalize: bool | None = None

    @property
    def is_trigonometric(self) -> bool:
        """Whether this is a cosine or sine transform."""
        return self.kind in TRIGONOMETRIC_KINDS

    @property
    def dtype(self) -> np.dtype:
        """The dtype of the result."""
        real = self.kind == "c2r" or self.is_trigonometric
        return (REAL_DTYPE if real else COMPLEX_DTYPE)[self.precision]

    def extents(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the shape of the part of an input that the transform reads: it may be cropped."""
        read = list(shape)
        for axis, length in zip(self.axes, self._given(), strict=True):
            read[axis] = min(read[axis], length)
        return tuple(read)

    def result_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the shape of the result for the shape of an input."""
        result = list(shape)
        for axis, length in zip(self.axes, self.lengths, strict=True):
            result[axis] = length
        return half_shape(result, self.axes[-1]) if self.kind == "r2c" else tuple(result)

    def of(self, axes: Sequence[int]) -> Request:
        """Return the part of the transform along some of the axes.

        The last axis is where real numbers become a spectrum, or a spectrum becomes real numbers.
        """
        known = dict(zip(self.axes, self.lengths, strict=True))
        halved = self.kind in ("r2c", "c2r") and self.axes[-1] not in axes
        return replace(
            self,
            kind="c2c" if halved else self.kind,
            axes=tuple(axes),
            lengths=tuple(known[axis] for axis in axes),
        )

    def _given(self) -> tuple[int, ...]:
        if self.kind != "c2r":
            return self.lengths
        return (*self.lengths[:-1], self.lengths[-1] // 2 + 1)


@dataclass(frozen=True)
class Room:
    """The memory of a device that the pieces may take.

    Attributes
    ----------
    context : cl.Context
        A context of one device.
    nbytes : int
        The bytes of all buffers of all pieces that are on their way at once.
    """

    context: cl.Context
    nbytes: int

    @cached_property
    def traits(self) -> Traits:
        """The device's traits, with the memory that one piece may take."""
        real = describe.traits(self.context.devices[0])
        each = max(1, self.nbytes // LANES)
        return replace(real, global_mem_bytes=each, max_alloc_bytes=min(each, real.max_alloc_bytes))


class Stage(Protocol):
    """A part of the work, during which the array crosses the link once or twice each way."""

    @property
    def nbytes(self) -> int:
        """The bytes that cross the link, both ways together."""

    def fit(self, room: Room) -> float:
        """Return by what factor pieces have to be smaller than planned; 1 or more if they fit."""

    def run(self, room: Room, moved: Callable[[int], None]) -> None:
        """Do the work."""


@dataclass(frozen=True)
class Sweep:
    """One transform of all pieces of an array, none of which is cut along transformed axes.

    Attributes
    ----------
    request : Request
        The transform.
    source, target : array_like
        The arrays; parts of them are named by slices. The target may be the source.
    shapes : (tuple of int, tuple of int)
        The shapes of the parts of source and target, from their first elements on, that the sweep
        reads and writes.
    most : int
        How many elements a piece may have.
    dtype : dtype
        The dtype in which a piece is uploaded.
    transposed : bool
        The target's axes are in the reverse order.
    roots : int
        If it is not 0, the results are multiplied by the roots of unity of this order that stand
        between the two sweeps of a long row.
    whole : tuple of int
        Axes that are not cut, though they are not transformed.
    """

    request: Request
    source: Any
    target: Any
    shapes: Shapes
    most: int
    dtype: np.dtype
    transposed: bool = False
    roots: int = 0
    whole: tuple[int, ...] = ()

    @property
    def nbytes(self) -> int:
        """The bytes that cross the link, both ways together."""
        read, written = (prod(shape) for shape in self.shapes)
        return read * self.dtype.itemsize + written * self.request.dtype.itemsize

    @cached_property
    def parts(self) -> list[tuple[Part, Part]]:
        """The parts of source and target that belong together, the largest ones first."""
        given, result = self.shapes
        extents = [max(pair) for pair in zip(given, result, strict=True)]
        cut = parts(extents, (*self.request.axes, *self.whole), self._piece(extents))
        return [(self._whole_axes(part, given), self._whole_axes(part, result)) for part in cut]

    def _whole_axes(self, part: Part, shape: Sequence[int]) -> Part:
        """Return a part that has all of `shape` along the transformed axes."""
        whole = self.request.axes
        return tuple(
            slice(0, extent) if axis in whole else each
            for axis, (each, extent) in enumerate(zip(part, shape, strict=True))
        )

    def _piece(self, extents: Sequence[int]) -> int:
        """Return how many elements a piece has at most: fewer than fit, if that loses nothing."""
        whole = prod(extents[axis] for axis in (*self.request.axes, *self.whole))
        item = max(self.dtype.itemsize, self.request.dtype.itemsize)
        enough = max(FEW_BYTES // item, prod(extents) // PIECES, whole)
        if 0 in self.request.axes and len(extents) > 1:  # the elements of a run lie together
            enough = max(enough, whole * (LONG_RUN // item))
        return min(self.most, enough)

    def problem(self, given: Part) -> Problem:
        """Return the transform of a part."""
        request = self.request
        shape = tuple(each.stop - each.start for each in given)
        item = request.dtype.itemsize
        reverse = contiguous_strides(request.result_shape(shape)[::-1])[::-1]
        return make_problem(
            logical_shape(request.kind, shape, request.axes), self.dtype, request.axes,
            request.kind, request.direction, request.norm, s=request.lengths,
            orthogonalize=request.orthogonalize,
            out_strides=[item * stride for stride in reverse] if self.transposed else None,
        )  # fmt: skip

    def schedule(self, problem: Problem, room: Room) -> Schedule:
        """Return what is launched for a piece."""
        parameters = wisdom.parameters_of(room.context.devices[0], problem, None)
        return schedule_of(problem, room.traits, None, parameters)

    def fit(self, room: Room) -> float:
        """Return by what factor pieces have to be smaller than planned; 1 or more if they fit."""
        if not self.parts:
            return 1.0
        problem = self.problem(self.parts[0][0])
        sizes = {
            "in": problem.source.span * problem.source_dtype.itemsize,
            "out": problem.nbytes,
            **dict(self.schedule(problem, room).workspace),
        }
        if room.traits.holds(sizes):
            return 1.0
        return min(
            room.traits.global_mem_bytes / sum(sizes.values()),
            room.traits.max_alloc_bytes / max(sizes.values()),
        )

    def run(self, room: Room, moved: Callable[[int], None]) -> None:
        """Bring all pieces through the device."""
        if not self.parts:
            return
        largest = self.problem(self.parts[0][0])
        given_bytes = largest.source.span * largest.source_dtype.itemsize
        conveyor = Conveyor(room.context, given_bytes, largest.nbytes, moved)
        conveyor.run(self._pieces(room))

    def _pieces(self, room: Room) -> Iterator[Piece]:
        """Yield the pieces; those of equal shapes share executables."""
        dtypes = (self.dtype, self.request.dtype)
        lanes = [_LaneKernels(self, room) for _ in range(LANES)]
        # The hook of a lane reads the place of the lane's piece. Without hooks all lanes are alike.
        kernels = lanes if self.roots else lanes[:1] * LANES
        for given, result in self.parts:
            place = result[::-1] if self.transposed else result

            def launch(
                lane: int,
                queue: cl.CommandQueue,
                source: cl.Buffer,
                target: cl.Buffer,
                given: Part = given,
                result: Part = result,
            ) -> cl.Event:
                return kernels[lane].launch(queue, source, target, given, result)

            yield Piece(Slab(self.source, given), Slab(self.target, place), dtypes, launch)


class _LaneKernels:
    """The executables of a sweep, one for each shape of its pieces, and the place that hooks read.

    Parameters
    ----------
    sweep : Sweep
        The sweep.
    room : Room
        The memory that the pieces may take.
    """

    def __init__(self, sweep: Sweep, room: Room) -> None:
        self._sweep, self._room = sweep, room
        self._made: BoundedCache[Executable] = BoundedCache(MAX_SHAPES)
        read_only = cl.mem_flags.READ_ONLY
        self._origin = cl.Buffer(room.context, read_only, MAX_ORIGIN) if sweep.roots else None

    def launch(
        self,
        queue: cl.CommandQueue,
        source: cl.Buffer,
        target: cl.Buffer,
        given: Part,
        result: Part,
    ) -> cl.Event:
        """Enqueue the transform of a part, and return the event of its end."""
        shape = tuple(each.stop - each.start for each in given)
        executable = self._made.get(shape, lambda: self._executable(given, result))
        if self._origin is not None:
            begin = np.array([each.start for each in result], np.uint64)
            cl.enqueue_copy(queue, self._origin, begin)
        return executable.enqueue(queue, source, target)

    def _executable(self, given: Part, result: Part) -> Executable:
        sweep, room = self._sweep, self._room
        problem = sweep.problem(given)
        if self._origin is None:
            return Executable(room.context, sweep.schedule(problem, room))
        shape = tuple(each.stop - each.start for each in result)
        request = sweep.request
        hook = twiddle_hook(sweep.roots, request.direction, request.precision, shape, self._origin)
        bound = bind({"store": hook}, request.precision, room.context)
        schedule = sweep.schedule(replace(problem, hooks=bound.hooks), room)
        return Executable(room.context, schedule, bound.buffers)


@dataclass(frozen=True)
class LongRow:
    """One row that does not fit a piece, in two sweeps, with another array in between.

    The row is seen as an array of rows and columns in C order. The first sweep transforms its
    columns and multiplies them by roots of unity, the second one transforms its rows; the result is
    transposed. Real rows have spectra that are conjugate to themselves, so that only half of the
    rows between the two sweeps need be computed.

    Attributes
    ----------
    request : Request
        The transform of an array of one axis.
    source, target : array_like
        The arrays.
    index : tuple of int or slice
        The row's place in both arrays: a slice along the transformed axis, otherwise numbers.
    shape : (int, int)
        The rows and the columns.
    most : int
        How many elements a piece may have.
    dtype : dtype
        The dtype in which the row is uploaded.
    """

    request: Request
    source: Any
    target: Any
    index: tuple[int | slice, ...]
    shape: tuple[int, int]
    most: int
    dtype: np.dtype

    @property
    def nbytes(self) -> int:
        """The bytes that cross the link, both ways together."""
        return sum(each.nbytes for each in self._sketched)

    def fit(self, room: Room) -> float:
        """Return by what factor pieces have to be smaller than planned; 1 or more if they fit."""
        return min(each.fit(room) for each in self._sketched)

    def run(self, room: Room, moved: Callable[[int], None]) -> None:
        """Do both sweeps; the second one alone writes the result."""
        source = _row(self.source, self.index, self._given, self.dtype)
        is_view = isinstance(self.target, np.ndarray)
        if is_view:
            target = self.target[self.index][: self._wanted]
        else:
            target = np.empty(self._wanted, self.request.dtype)
        between = np.empty(self._half, self._complex)
        for sweep in self._sweeps(source, target, between):
            sweep.run(room, moved)
        if not is_view:
            place = (slice(0, self._wanted) if isinstance(i, slice) else i for i in self.index)
            self.target[tuple(place)] = target

    @property
    def _complex(self) -> np.dtype:
        return COMPLEX_DTYPE[self.request.precision]

    @property
    def _given(self) -> int:
        length = self.request.lengths[0]
        return length // 2 + 1 if self.request.kind == "c2r" else length

    @property
    def _wanted(self) -> int:
        length = self.request.lengths[0]
        return length // 2 + 1 if self.request.kind == "r2c" else length

    @property
    def _half(self) -> tuple[int, int]:
        """The shape of the array between the sweeps."""
        rows, columns = self.shape
        halves = {"c2c": (rows, columns), "r2c": (rows // 2 + 1, columns)}
        return halves.get(self.request.kind, (columns, rows // 2 + 1))

    @cached_property
    def _sketched(self) -> tuple[Sweep, Sweep]:
        """Both sweeps of arrays without memory, to look at sizes."""
        return self._sweeps(
            _without_memory((self._given,), self.dtype),
            _without_memory((self._wanted,), self.request.dtype),
            _without_memory(self._half, self._complex),
        )

    def _sweeps(
        self, source: np.ndarray, target: np.ndarray, between: np.ndarray
    ) -> tuple[Sweep, Sweep]:
        rows, columns = self.shape
        whole, half = self.shape, self._half
        first, last = self._first, self._last
        if self.request.kind == "c2c":
            return (
                first("c2c", source.reshape(whole), between, (whole, half)),
                last("c2c", between, target.reshape(columns, rows), (half, half)),
            )
        if self.request.kind == "r2c":
            return (
                first("r2c", source.reshape(whole), between, (whole, half)),
                last("c2c", between, FoldedRow(target, whole), (half, half)),
            )
        return (
            first("c2c", FoldedRow(source, whole), between, (half, half)),
            last("c2r", between, target.reshape(whole), (half, (columns, rows))),
        )

    def _first(self, kind: str, source: Any, target: Any, shapes: Shapes) -> Sweep:
        """Return the sweep of columns, whose results are multiplied by roots of unity."""
        request = replace(self.request, kind=kind, axes=(0,), lengths=(shapes[0][0],))
        order = self.request.lengths[0]
        return Sweep(request, source, target, shapes, self.most, self.dtype, roots=order)

    def _last(self, kind: str, source: Any, target: Any, shapes: Shapes) -> Sweep:
        """Return the sweep of rows, whose results become columns."""
        request = replace(self.request, kind=kind, axes=(1,), lengths=(shapes[1][1],))
        return Sweep(request, source, target, shapes, self.most, self._complex, transposed=True)


@dataclass(frozen=True)
class SquareRow:
    """One row that does not fit a piece, in two sweeps, of which the second one is in place.

    `square_step` says how, and when. Beside the result no memory is needed on the host.

    Attributes
    ----------
    request, source, target, index, most, dtype
        The attributes of `LongRow`.
    shape : (int, int)
        What `square_step` returns.
    """

    request: Request
    source: Any
    target: Any
    index: tuple[int | slice, ...]
    shape: tuple[int, int]
    most: int
    dtype: np.dtype

    @property
    def nbytes(self) -> int:
        """The bytes that cross the link, both ways together."""
        return sum(each.nbytes for each in self._sketched)

    def fit(self, room: Room) -> float:
        """Return by what factor pieces have to be smaller than planned; 1 or more if they fit."""
        return min(each.fit(room) for each in self._sketched)

    def run(self, room: Room, moved: Callable[[int], None]) -> None:
        """Do both sweeps, which write the result."""
        length = self.request.lengths[0]
        source = _row(self.source, self.index, length, self.dtype)
        for sweep in self._sweeps(source, self.target[self.index][:length]):
            sweep.run(room, moved)

    @cached_property
    def _sketched(self) -> tuple[Sweep, Sweep]:
        dtypes = (self.dtype, self.request.dtype)
        length = self.request.lengths[0]
        source, target = (_without_memory((length,), dtype) for dtype in dtypes)
        return self._sweeps(source, target)

    def _sweeps(self, source: np.ndarray, target: np.ndarray) -> tuple[Sweep, Sweep]:
        first, middle = self.shape
        cube, square = (first, middle, first), (first * middle, first)
        columns, rows = (
            replace(self.request, axes=(0,), lengths=(shape[0],)) for shape in (cube, square)
        )
        swapped = target.reshape(cube)
        return (
            Sweep(
                columns, source.reshape(cube), swapped, (cube, cube), self.most, self.dtype,
                transposed=True, roots=self.request.lengths[0], whole=(2,),
            ),
            Sweep(
                rows, MergedAxes(swapped), target.reshape(square), (square, square), self.most,
                self.request.dtype,
            ),
        )  # fmt: skip


class MergedAxes:
    """An array of axes (a, b, c), read as an array of axes (b a, c).

    Parameters
    ----------
    array : ndarray
        The array of three axes.
    """

    takes_threads = True

    def __init__(self, array: np.ndarray) -> None:
        inner, outer, columns = array.shape
        self._array = array
        self.dtype = array.dtype
        self.shape = (outer * inner, columns)

    def read_into(self, staged: np.ndarray, part: Part) -> None:
        """Copy a part of the array."""
        rows, columns = part
        inner = self._array.shape[0]
        for outer in range(rows.start // inner, -(-rows.stop // inner)):
            begin = max(rows.start, outer * inner)
            end = min(rows.stop, (outer + 1) * inner)
            block = self._array[begin - outer * inner : end - outer * inner, outer, columns]
            staged[begin - rows.start : end - rows.start] = block


class FoldedRow:
    """The spectrum of a real row, of which the first half is stored, as an array of two axes.

    Element (r, c) is bin ``rows * r + c``. If that bin is in the second half, it is the conjugate
    of its mirror image in the first half.

    Parameters
    ----------
    row : ndarray, shape (length // 2 + 1,)
        The first half of the spectrum.
    shape : (int, int)
        The rows and columns of the real row, in C order; their product is its length.

    Attributes
    ----------
    shape : (int, int)
        ``(columns, rows // 2 + 1)``; the other bins follow from these.
    """

    takes_threads = True

    def __init__(self, row: np.ndarray, shape: tuple[int, int]) -> None:
        rows, columns = shape
        (step,) = row.strides
        self.dtype = row.dtype
        self.shape = (columns, rows // 2 + 1)
        self._rows = rows
        self._direct = (columns + 1) // 2  # so many of the rows are in the first half
        mirrored = columns - self._direct
        self._first = as_strided(row, (self._direct, self.shape[1]), (rows * step, step))
        # Row r holds the conjugates of the bins rows * (columns - r) - c.
        self._second = as_strided(
            row[rows * mirrored :], (mirrored, self.shape[1]), (-rows * step, -step)
        )

    def read_into(self, staged: np.ndarray, part: Part) -> None:
        """Copy a part of the array."""
        rows, columns = part
        first, second = self._split(rows)
        count = first.stop - first.start
        staged[:count] = self._first[first, columns]
        np.conjugate(self._second[second, columns], out=staged[count:])

    def __setitem__(self, part: Part, values: np.ndarray) -> None:
        rows, columns = part
        first, second = self._split(rows)
        count = first.stop - first.start
        self._first[first, columns] = values[:count]
        # A column that is its own mirror image has bins that stand here twice, and differ by
        # rounding. The first half of it is stored, so that no bin depends on the order of threads.
        begin, end = max(columns.start, 1), min(columns.stop, (self._rows + 1) // 2)
        if begin < end:
            mirrored = values[count:, begin - columns.start : end - columns.start]
            np.conjugate(mirrored, out=self._second[second, begin:end])
        if columns.start == 0 and second.start == 0 < second.stop and not self.shape[0] % 2:
            self._second[0, 0] = np.conjugate(values[count, 0])  # the bin in the middle

    def _split(self, rows: slice) -> tuple[slice, slice]:
        """Return which rows are in the first half, and which of the mirrored ones."""
        middle = min(max(self._direct, rows.start), rows.stop)
        return slice(rows.start, middle), slice(middle - self._direct, rows.stop - self._direct)


def _row(array: Any, index: tuple[int | slice, ...], length: int, dtype: np.dtype) -> np.ndarray:
    """Return a row of an array with `length` elements: a view if it has them, else padded."""
    row = array[index]
    if isinstance(array, np.ndarray) and row.shape[0] >= length:
        return row[:length]
    padded = np.zeros(length, dtype)
    taken = min(length, row.shape[0])
    padded[:taken] = row[:taken]
    return padded


def _without_memory(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Return an array whose elements all lie in one place."""
    return np.broadcast_to(np.empty((), dtype), shape)


# --- whole transforms -----------------------------------------------------------------------------


def transform(x: Any, out: Any, request: Request, room: Room, *, quiet: bool = False) -> None:
    """Transform a host array in pieces.

    If the runtime refuses memory, because other programs have it, the pieces become smaller.

    Parameters
    ----------
    x, out : array_like
        The input, and the array for the result; both have a shape and a dtype, and slices name
        their parts. They may be one array.
    request : Request
        The transform.
    room : Room
        The memory that the pieces may take.
    quiet : bool
        Whether there is no progress bar, even on a terminal.

    Raises
    ------
    DeviceMemoryError
        No way of cutting the array makes pieces that the device can hold; nothing has been written.
        Or the device was found to be full in the middle of a transform in place.
    """
    while not _transformed(x, out, request, room, quiet):
        room = replace(room, nbytes=room.nbytes // 2)


def _transformed(x: Any, out: Any, request: Request, room: Room, quiet: bool) -> bool:
    """Transform in pieces; return False if the device had less room than thought.

    The error must be gone before the next attempt, because it still refers to memory.
    """
    stages = _stages_that_fit(x, out, request, room)
    total = sum(each.nbytes for each in stages)
    with Progress(total, "B", quiet, scale=True) as progress:
        progress.title = "transform in pieces"
        try:
            for stage in stages:
                stage.run(room, progress.add)
        except DeviceMemoryError:
            if progress.done and x is out:
                raise
            return False
    return True


def bytes_crossing(x: Any, out: Any, request: Request, room: Room) -> int:
    """Return how many bytes cross the link in `transform`, both ways together."""
    return sum(each.nbytes for each in _stages_that_fit(x, out, request, room))


def _stages_that_fit(x: Any, out: Any, request: Request, room: Room) -> list[Stage]:
    """Return the stages with the largest pieces of which the device holds some at once."""
    traits = room.traits
    item = max(_uploaded(x, request).itemsize, request.dtype.itemsize)
    most = min(traits.global_mem_bytes // (2 * item), traits.max_alloc_bytes // item)
    while most:
        try:
            stages = _stages(x, out, request, most)
        except ValueError as error:
            raise DeviceMemoryError(f"{traits.name} has no room for a piece: {error}") from None
        ratio = min((each.fit(room) for each in stages), default=1.0)
        if ratio >= 1:
            return stages
        most = min(int(most * ratio), most - 1)
    raise DeviceMemoryError(
        f"{room.nbytes:,} bytes on {traits.name} are too few for any piece of this transform: "
        "allow more memory"
    )


def _uploaded(x: Any, request: Request) -> np.dtype:
    """Return the dtype in which the device reads the input."""
    real = request.is_trigonometric or request.kind == "r2c"
    real = real or (request.kind == "c2c" and np.dtype(x.dtype).kind != "c")
    return (REAL_DTYPE if real else COMPLEX_DTYPE)[request.precision]


def _stages(x: Any, out: Any, request: Request, most: int) -> list[Stage]:
    """Return the stages with pieces of at most `most` elements.

    Raises
    ------
    ValueError
        A row can neither be held nor cut.
    """
    shape = request.extents(x.shape)
    result = request.result_shape(x.shape)
    extents = tuple(map(max, shape, result))
    planned = steps_within(extents, request.axes, most)
    if request.kind == "c2r":
        planned = planned[::-1]  # real numbers come last
    source, dtype = x, _uploaded(x, request)
    stages: list[Stage] = []
    for step in planned:
        part = request.of(step.axes)
        left = part.result_shape(shape)
        if part.dtype == request.dtype:
            target = out
        elif source is x:
            target = np.empty(_between(request, shape), part.dtype)
        else:
            target = source
        if prod(extents[axis] for axis in step.axes) > most:
            stages += _long_rows(part, source, target, shape, most, dtype)
        else:
            stages.append(Sweep(part, source, target, (shape, left), most, dtype))
        source, shape, dtype = target, left, part.dtype
    return stages


def _between(request: Request, shape: Sequence[int]) -> tuple[int, ...]:
    """Return the shape of the spectrum of which a sweep makes real numbers."""
    result = list(shape)
    for axis, length in zip(request.axes[:-1], request.lengths[:-1], strict=True):
        result[axis] = max(result[axis], length)
    return tuple(result)


def _long_rows(
    request: Request, source: Any, target: Any, shape: Sequence[int], most: int, dtype: np.dtype
) -> Iterator[Stage]:
    (axis,), (length,) = request.axes, request.lengths
    if request.is_trigonometric:
        raise ValueError(
            f"a row of {length:,} numbers does not fit, and cosine and sine transforms cannot cut "
            "a row: allow more memory"
        )
    square = square_step(length, most, LEAST_RUN) if request.kind == "c2c" else None
    make: Any = SquareRow if square and isinstance(target, np.ndarray) else LongRow
    factors = square if make is SquareRow else four_step_within(length, most)
    alone = replace(request, axes=(0,))
    places: list[Iterable[int | slice]] = [range(extent) for extent in shape]
    places[axis] = [slice(None)]
    for index in product(*places):
        yield make(alone, source, target, index, factors, most, dtype)


def room_of(context: cl.Context, max_device_bytes: int | None = None) -> Room:
    """Return the memory that the pieces of one call may take: a limit's, or most of the device's.

    Parameters
    ----------
    context : cl.Context
        A context of one device.
    max_device_bytes : int, optional
        The caller's limit.
    """
    traits = describe.traits(context.devices[0])
    usual = int(traits.global_mem_bytes * SHARE_OF_MEMORY)
    return Room(context, min(usual, max_device_bytes or usual))
