"""Lanes: pieces of a host array go through a device, several at a time.

A lane has a queue, memory on the device, and host memory that the device reaches by itself. While a
piece is transformed in one lane, another lane uploads or downloads, and a third piece is on its way
to other ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from time import perf_counter
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..planning.precision import COMPLEX_DTYPE, READABLE
from ..runtime import loss, memory
from ..runtime.cache import BoundedCache, registered
from ..runtime.four_step import twiddle_hook
from ..runtime.operation import failed
from ..runtime.plan import Plan
from ..transforms.call import cached_plan
from .route import Stage

MAX_TWIDDLED = 16


@dataclass(frozen=True)
class Work:
    """What a lane does with a piece.

    Attributes
    ----------
    stage : Stage
        Which axes are transformed, and how the piece lies in memory.
    order : tuple of int
        The axes in the order in which the result is to lie in memory.
    direction, norm : str
        As for a `pyclfft.Plan`.
    """

    stage: Stage
    order: tuple[int, ...]
    direction: str
    norm: str


class Lane:
    """One piece at a time on a device.

    Parameters
    ----------
    context : cl.Context
        A context of one device.
    number : int
        The number of the lane among those of a context that work at the same time.
    """

    def __init__(self, context: cl.Context, number: int = 0) -> None:
        self.queue = cl.CommandQueue(context)
        self.seconds = 0.0
        self.workspace_bytes = 0
        self._number = number
        self._buffers: dict[str, cl.Buffer] = {}
        self._staged: dict[str, np.ndarray] = {}

    @property
    def staged_bytes(self) -> int:
        """The memory for pieces: as much on the device as on the host."""
        return sum(buffer.size for buffer in self._buffers.values())

    def transform(self, piece: np.ndarray, work: Work, origin: Sequence[int]) -> np.ndarray:
        """Transform a piece and pack its result on the device.

        Parameters
        ----------
        piece : ndarray
            A piece of the array before the stage, its axes in the array's order.
        work : Work
            What to do with it.
        origin : sequence of int
            Where the piece begins in the whole array.

        Returns
        -------
        ndarray
            The result, contiguous, its axes in ``work.order``, in memory that the lane's next piece
            overwrites.
        """
        begin = perf_counter()
        try:
            result = self._transform(piece, work, origin)
            return 2 * result.real if work.stage.doubles_real else result
        except BaseException as error:
            loss.finish(self.queue)  # no command may outlive the memory that it uses
            if isinstance(error, cl.Error):
                raise failed(self.queue, error) from error
            raise
        finally:
            self.seconds += perf_counter() - begin

    def _transform(self, piece: np.ndarray, work: Work, origin: Sequence[int]) -> np.ndarray:
        stage = work.stage
        if not piece.size:  # there are no empty buffers; if there is a result, it is all padding
            after = [
                stage.after.shape[a] if a in stage.axes else n for a, n in enumerate(piece.shape)
            ]
            precision, _ = READABLE[piece.dtype]
            return np.zeros([after[axis] for axis in work.order], COMPLEX_DTYPE[precision])
        given = self._room("in", piece.shape, piece.dtype, stage.order)
        staged = self._staged["in"][: given.nbytes]
        self._load(_ordered(staged, given, stage.order), piece.transpose(stage.order))
        cl.enqueue_copy(self.queue, self._buffers["in"], staged, is_blocking=False)
        plan = self._plan(work, given, origin)
        self.workspace_bytes = max(self.workspace_bytes, plan.workspace_bytes)
        target = plan.problem.target.shape
        result = self._room("out", target, plan.problem.dtype, work.order)
        self._launch(plan, given, result)
        packed = self._staged["out"][: result.nbytes]
        down: Any = cl.enqueue_copy(self.queue, packed, self._buffers["out"], is_blocking=False)
        down.wait()
        return _ordered(packed, result, work.order)

    # The benchmark replaces these two, to measure what the memory moves without them.

    def _load(self, staged: np.ndarray, piece: np.ndarray) -> None:
        """Copy a piece to memory that the device reaches by itself."""
        np.copyto(staged, piece)

    def _launch(self, plan: Plan, given: cl_array.Array, result: cl_array.Array) -> None:
        """Transform a piece on the device."""
        plan(given, out=result, queue=self.queue)

    def _plan(self, work: Work, given: cl_array.Array, origin: Sequence[int]) -> Plan:
        """Return the plan for a piece, which is ready for its origin."""
        stage, norm = work.stage, work.norm
        if not stage.twiddle:
            return cached_plan(
                stage.kind, work.direction, stage.lengths, stage.axes, norm, None, given
            )
        key = (
            self.queue.context, self._number, given.shape, given.dtype, work.direction, norm,
            stage.twiddle,
        )  # fmt: skip
        plan, place = _twiddled.get(key, lambda: _twiddled_plan(self.queue.context, work, given))
        cl.enqueue_copy(self.queue, place, np.array(origin, np.uint64), is_blocking=True)
        return plan

    def _room(
        self, name: str, shape: Sequence[int], dtype: np.dtype, order: Sequence[int]
    ) -> cl_array.Array:
        """Return a device array whose axes lie in memory in `order`; new memory if it is larger."""
        nbytes = prod(shape) * dtype.itemsize
        if name not in self._buffers or self._buffers[name].size < nbytes:
            buffer = memory.allocate(self.queue.context, nbytes)
            staged = memory.pinned(self.queue, nbytes)
            # Both change, or neither if one of the allocations fails.
            self._buffers[name], self._staged[name] = buffer, staged
        strides = strides_of(shape, dtype.itemsize, order)
        data = self._buffers[name]
        return cl_array.Array(self.queue, tuple(shape), dtype, data=data, strides=strides)


# Plans for the columns of a single row, each with the buffer that says where its piece begins. Two
# lanes share none, since the buffer must not change under a plan that runs.
_twiddled: BoundedCache[tuple[Plan, cl.Buffer]] = registered("columns", BoundedCache(MAX_TWIDDLED))


def _twiddled_plan(
    context: cl.Context, work: Work, given: cl_array.Array
) -> tuple[Plan, cl.Buffer]:
    place = memory.zeros(context, 2 * np.dtype(np.uint64).itemsize)
    precision, _ = READABLE[given.dtype]
    rows, columns = given.shape
    hook = twiddle_hook(work.stage.twiddle, work.direction, precision, (rows, columns), place)
    plan = Plan(
        given.shape, given.dtype, work.stage.axes, "c2c", work.direction, work.norm,
        hooks={"store": hook}, context=context,
    )  # fmt: skip
    return plan, place


def strides_of(shape: Sequence[int], itemsize: int, order: Sequence[int]) -> tuple[int, ...]:
    """Return the strides in bytes of a gapless array whose axes lie in memory in `order`."""
    strides = {}
    for axis in reversed(order):
        strides[axis] = itemsize
        itemsize *= shape[axis]
    return tuple(strides[axis] for axis in range(len(shape)))


def _ordered(memory: np.ndarray, array: cl_array.Array, order: Sequence[int]) -> np.ndarray:
    """Return bytes as an array of the dtype of another, its axes in the order in memory."""
    return memory.view(array.dtype).reshape([array.shape[axis] for axis in order])
