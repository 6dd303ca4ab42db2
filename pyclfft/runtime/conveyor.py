"""Pieces of host arrays on their way through a device: uploads, kernels and downloads overlap.

Several pieces are on their way at once, each on a queue of its own with memory of its own. While
the kernels of one piece run, the next piece is uploaded and the last one is downloaded.

A piece may be large. It moves in chunks of bounded size through pinned host memory, which the
device reads and writes by itself, at the full speed of the link. Threads copy the chunks between
the caller's arrays and the pinned memory; a single thread would be slower than the link.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from math import prod
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl

from ..planning.slabs import parts
from . import forks, loss, memory
from .cache import BoundedCache, registered
from .operation import failed
from .parts import Part

LANES = 3  # pieces on their way at once: one goes up, one is computed, one comes down
CHUNK_BYTES = 16 * 2**20
MAX_COPIERS = 8  # threads for each direction; one copies 5 to 10 GB/s


class Slab(NamedTuple):
    """A part of a host array.

    Attributes
    ----------
    array : ndarray or another array with a shape, a dtype, and parts that slices name
        The array. Several threads touch an array at once if it is NumPy's, or if it has a true
        attribute `takes_threads`. If it has a method ``read_into(staged, part)``, this copies a
        part; otherwise ``array[part]`` is the part.
    part : tuple of slice
        The places of the part along each axis, each with a start and a stop.
    """

    array: Any
    part: Part

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of the part."""
        return tuple(each.stop - each.start for each in self.part)

    @property
    def takes_threads(self) -> bool:
        """Whether several threads may read and write parts of the array at once."""
        return isinstance(self.array, np.ndarray) or getattr(self.array, "takes_threads", False)

    def inner(self, part: Part) -> Part:
        """Return the places in the whole array of a part of this part."""
        return tuple(
            slice(outer.start + each.start, outer.start + each.stop)
            for outer, each in zip(self.part, part, strict=True)
        )


class Piece(NamedTuple):
    """The work on one piece.

    Attributes
    ----------
    source, target : Slab
        The input, and the place of the result.
    dtypes : (dtype, dtype)
        The dtypes of the input and of the result on the device.
    launch : function
        Takes the lane's number, its queue, the buffer of the input and the buffer of the result,
        both in C order. It enqueues the kernels and returns the event of their end.
    """

    source: Slab
    target: Slab
    dtypes: tuple[np.dtype, np.dtype]
    launch: Callable[[int, cl.CommandQueue, cl.Buffer, cl.Buffer], cl.Event]


@dataclass
class Lane:
    """A queue, with the device's memory for the input and the result of one piece at a time."""

    number: int
    queue: cl.CommandQueue
    given: cl.Buffer
    result: cl.Buffer


_pinned: BoundedCache[SimpleQueue[np.ndarray]] = registered("pinned", BoundedCache(4))


def copiers() -> int:
    """Return the number of threads that copy in one direction: half of the cores, in bounds."""
    return min(MAX_COPIERS, max(1, (os.cpu_count() or 1) // 2))


def pinned_chunks(queue: cl.CommandQueue) -> SimpleQueue[np.ndarray]:
    """Return the pinned memory for all chunks of a context, which is kept for later calls."""

    def make() -> SimpleQueue[np.ndarray]:
        chunks: SimpleQueue[np.ndarray] = SimpleQueue()
        for _ in range(2 * copiers()):
            chunks.put(memory.pinned(queue, CHUNK_BYTES))
        return chunks

    return _pinned.get((queue.context, CHUNK_BYTES), make)


class Conveyor:
    """Brings pieces through a device.

    Parameters
    ----------
    context : cl.Context
        A context of one device.
    given_bytes, result_bytes : int
        The bytes of the largest input and of the largest result of a piece. The device's memory for
        them is allocated, and touched, when the conveyor is made: a device that has no room refuses
        before any piece begins.
    moved : function, optional
        Is given the number of bytes after each chunk that has crossed the link.

    Raises
    ------
    DeviceMemoryError
        The device, or the host, has no room.
    """

    def __init__(
        self,
        context: cl.Context,
        given_bytes: int,
        result_bytes: int,
        moved: Callable[[int], None] = lambda nbytes: None,
    ) -> None:
        forks.require_own_process()
        self._moved = moved
        self._lanes: SimpleQueue[Lane] = SimpleQueue()
        self._stopped = threading.Event()
        self._foreign = threading.Lock()  # held while an array that is not NumPy's is touched
        self._counting = threading.Lock()
        for number in range(LANES):
            queue = cl.CommandQueue(context)
            given, result = (
                _touched(queue, max(1, nbytes)) for nbytes in (given_bytes, result_bytes)
            )
            self._lanes.put(Lane(number, queue, given, result))
        self._chunks = pinned_chunks(queue)

    def run(self, pieces: Iterable[Piece]) -> None:
        """Bring pieces through the device; all results are in their places at the end.

        If an error or Control-C comes, no further chunk moves, and all that is under way ends
        before the error is raised.

        Raises
        ------
        DeviceMemoryError
            The device is out of memory.
        DeviceError
            The device did not do its work.
        """
        count = copiers()
        with (
            ThreadPoolExecutor(count) as self._up,
            ThreadPoolExecutor(count) as self._down,
            ThreadPoolExecutor(LANES) as lanes,
        ):
            begun: list[Future[None]] = []
            try:
                for piece in pieces:
                    begun.append(lanes.submit(self._through, self._lanes.get(), piece))
                    while begun and begun[0].done():
                        begun.pop(0).result()  # raises the error of a piece that has failed
                for each in begun:
                    each.result()
            except BaseException:
                self._stopped.set()
                raise

    def _through(self, lane: Lane, piece: Piece) -> None:
        """Bring a piece up, compute it, and bring its result down; runs in a thread."""
        try:
            above, below = piece.dtypes
            self._all(self._up, self._upload, lane, piece.source, above)
            if self._stopped.is_set():
                return
            piece.launch(lane.number, lane.queue, lane.given, lane.result).wait()
            self._all(self._down, self._download, lane, piece.target, below)
        except BaseException as error:
            self._stopped.set()
            loss.finish(lane.queue)  # no command may outlive the memory that it uses
            if isinstance(error, cl.Error):
                memory.refuse(error, lane.queue, lane.given.size + lane.result.size)
                raise failed(lane.queue, error) from error
            raise
        finally:
            self._lanes.put(lane)

    def _all(
        self,
        pool: ThreadPoolExecutor,
        move: Callable[[Lane, Slab, Part, int, np.dtype], None],
        lane: Lane,
        slab: Slab,
        dtype: np.dtype,
    ) -> None:
        """Move all chunks of a piece, and wait for them."""
        moves, offset = [], 0
        for part in parts(slab.shape, (), CHUNK_BYTES // dtype.itemsize):
            moves.append(pool.submit(move, lane, slab, slab.inner(part), offset, dtype))
            offset += prod(each.stop - each.start for each in part) * dtype.itemsize
        errors = [error for each in moves if (error := each.exception())]
        if errors:
            raise errors[0]

    def _upload(self, lane: Lane, slab: Slab, part: Part, offset: int, dtype: np.dtype) -> None:
        if self._stopped.is_set():
            return
        chunk = self._chunks.get()
        try:
            staged = _as_array(chunk, part, dtype)
            if hasattr(slab.array, "read_into"):
                slab.array.read_into(staged, part)
            elif slab.takes_threads:
                np.copyto(staged, slab.array[part], casting="same_kind")
            else:
                with self._foreign:
                    values = slab.array[part]
                np.copyto(staged, values, casting="same_kind")
            cl.enqueue_copy(
                lane.queue, lane.given, staged, dst_offset=offset, is_blocking=False
            ).wait()
        finally:
            self._chunks.put(chunk)
        self._count(staged.nbytes)

    def _download(self, lane: Lane, slab: Slab, part: Part, offset: int, dtype: np.dtype) -> None:
        if self._stopped.is_set():
            return
        chunk = self._chunks.get()
        try:
            staged = _as_array(chunk, part, dtype)
            cl.enqueue_copy(
                lane.queue, staged, lane.result, src_offset=offset, is_blocking=False
            ).wait()
            if slab.takes_threads:
                slab.array[part] = staged
            else:
                with self._foreign:
                    slab.array[part] = staged
        finally:
            self._chunks.put(chunk)
        self._count(staged.nbytes)

    def _count(self, nbytes: int) -> None:
        with self._counting:
            self._moved(nbytes)


def _as_array(chunk: np.ndarray, part: Part, dtype: np.dtype) -> np.ndarray:
    """Return the beginning of a chunk as an array for a part."""
    shape: Sequence[int] = [each.stop - each.start for each in part]
    return chunk[: prod(shape) * dtype.itemsize].view(dtype).reshape(shape)


def _touched(queue: cl.CommandQueue, nbytes: int) -> cl.Buffer:
    """Return a new buffer that a command has filled.

    NVIDIA's driver grants memory that it does not have, and fails when a command first uses it.
    """
    buffer = memory.allocate(queue.context, nbytes)
    with memory.refusals(queue, nbytes):
        cl.enqueue_fill_buffer(queue, buffer, np.uint8(0), 0, nbytes).wait()
    return buffer
