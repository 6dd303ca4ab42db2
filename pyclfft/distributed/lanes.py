"""Lanes: pieces of a host array go through a device, several at a time.

A lane has a queue, memory on the device, and host memory that the device reaches by itself. While a
piece is transformed in one lane, another lane uploads or downloads, and a third piece is on its way
to other ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from time import perf_counter

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..runtime import memory
from ..runtime.operation import failed
from ..transforms.call import cached_plan
from .route import Stage

COUNT = 2  # lanes: one piece is on its way to other ranks while the device works on the next


class Lane:
    """One piece at a time on a device.

    Parameters
    ----------
    context : cl.Context
        A context of one device.
    """

    def __init__(self, context: cl.Context) -> None:
        self.queue = cl.CommandQueue(context)
        self.seconds = 0.0
        self._buffers: dict[str, cl.Buffer] = {}
        self._staged: dict[str, np.ndarray] = {}

    @property
    def nbytes(self) -> int:
        """The memory that the lane has on the device, and as much on the host."""
        return sum(buffer.size for buffer in self._buffers.values())

    def transform(
        self, piece: np.ndarray, stage: Stage, order: Sequence[int], direction: str, norm: str
    ) -> np.ndarray:
        """Transform a piece and pack its result.

        Parameters
        ----------
        piece : ndarray
            A piece of the array before the stage, its axes in the array's order.
        stage : Stage
            Which axes are transformed.
        order : sequence of int
            The axes in the order in which the result lies in memory.
        direction, norm : str
            As for a `pyclfft.Plan`.

        Returns
        -------
        ndarray
            The result in memory that the lane's next piece overwrites, with its axes in `order`,
            contiguous.
        """
        begin = perf_counter()
        try:
            return self._transform(piece, stage, order, direction, norm)
        except BaseException as error:
            self.queue.finish()  # no command may outlive the memory that it uses
            if isinstance(error, cl.RuntimeError):
                raise failed(self.queue.device, error) from error
            raise
        finally:
            self.seconds += perf_counter() - begin

    def _transform(
        self, piece: np.ndarray, stage: Stage, order: Sequence[int], direction: str, norm: str
    ) -> np.ndarray:
        given = self._room("in", piece.shape, piece.dtype, stage.order)
        staged = self._staged["in"][: given.nbytes]
        np.copyto(_ordered(staged, given, stage.order), piece.transpose(stage.order))
        cl.enqueue_copy(self.queue, self._buffers["in"], staged, is_blocking=False)
        plan = cached_plan(stage.kind, direction, stage.lengths, stage.axes, norm, None, given)
        result = self._room("out", plan.problem.target.shape, plan.problem.dtype, order)
        plan(given, out=result, queue=self.queue)
        packed = self._staged["out"][: result.nbytes]
        cl.enqueue_copy(self.queue, packed, self._buffers["out"], is_blocking=True)
        return _ordered(packed, result, order)

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
