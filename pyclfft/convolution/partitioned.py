"""Partitioned convolution in real time: uniform partitions, and late stages of longer ones.

The first stage has partitions as long as a block. It computes each block when it comes, or a part
of it when only a part has come. Longer partitions, if there are any, are for late stages.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np
import pyopencl as cl

from ..planning.precision import REAL_DTYPE
from .delay_line import DelayLine
from .exchange import Exchange, finish_before_freeing, seconds_between
from .nonuniform import LateStage, Part
from .partitions import Stages
from .responses import Response


class Launch(NamedTuple):
    """A launch that has not been fetched: frames of a block, and what late stages add to them."""

    outlet: Exchange
    done: cl.Event
    begin: int
    frames: int
    late: tuple[Part, ...]


class PartitionedEngine:
    """Convolves by partitions in the frequency domain.

    Parameters
    ----------
    queue : cl.CommandQueue
        A queue that runs its commands in order and profiles them; nobody else uses it.
    response : Response
        The impulse response.
    stages : tuple of Stage
        Its partitions.
    precision : {"single", "double"}
        The precision of the arithmetic.
    launches : int
        How many blocks may be launched before the oldest one is fetched.

    Raises
    ------
    DeviceMemoryError, BuildError
        The device has no room for the spectra, or a kernel does not compile.
    """

    def __init__(
        self,
        queue: cl.CommandQueue,
        response: Response,
        stages: Stages,
        precision: str,
        launches: int = 1,
    ) -> None:
        self._queue = queue
        self._block = stages[0].block
        dtype, routing = REAL_DTYPE[precision], response.routing
        points = 2 * self._block
        self._inlets = [Exchange(queue, (routing.inputs, points), dtype) for _ in range(launches)]
        self._outlets = [Exchange(queue, (routing.outputs, points), dtype) for _ in range(launches)]
        finish_before_freeing(self, queue)
        self._turn = 0  # the number of the block's inlet and outlet
        self._line = DelayLine(queue, response, stages[0], precision, hears_newest=True)
        self._late = [
            LateStage(queue, response, each, self._block, precision, launches)
            for each in stages[1:]
        ]
        self._fed = self._launched = 0  # frames of the current block
        self._is_over = False  # whether the current block is complete and launched
        self._flying: deque[Launch] = deque()

    @property
    def room(self) -> int:
        """How many frames the current block still takes."""
        return self._block - self._fed * (not self._is_over)

    def feed(self, frames: np.ndarray) -> None:
        """Take the next frames."""
        if self._is_over:
            self._begin_block()
        window = self._inlets[self._turn].frames
        begin = self._block + self._fed
        self._fed += frames.shape[1]
        window[:, begin : self._block + self._fed] = frames

    def launch(self) -> None:
        """Start to compute what has been fed since the last launch."""
        inlet, outlet = self._inlets[self._turn], self._outlets[self._turn]
        inlet.send(self._queue)
        self._line.transform(inlet.memory)
        done = outlet.fetch(self._queue, self._line.transform_back(outlet.memory))
        frames = self._fed - self._launched
        late = tuple([each.part(self._launched) for each in self._late])
        self._flying.append(Launch(outlet, done, self._launched, frames, late))
        self._launched = self._fed
        if self._fed == self._block:
            self._end_block()
        self._queue.flush()

    def _end_block(self) -> None:
        """Sum the products for the next block, and let late stages do their share of work.

        Kernels may still read the block's memory, so the next block begins only when it is fed.
        """
        frames = self._inlets[self._turn].frames
        self._line.sum(0, self._line.vectors)
        self._line.advance()
        for each in self._late:
            each.end_block(frames[:, self._block :])
        self._is_over = True

    def _begin_block(self) -> None:
        """Let the next block follow the one that is over."""
        last = self._inlets[self._turn].frames
        self._turn = (self._turn + 1) % len(self._inlets)
        window = self._inlets[self._turn].frames
        # Both may be one array. NumPy would copy that as a whole, but not a single row of it.
        for row, before in zip(window, last, strict=True):
            row[: self._block] = before[self._block :]
        window[:, self._block :] = 0
        self._fed = self._launched = 0
        self._is_over = False

    def fetch(self, result: np.ndarray) -> None:
        """Write the result of the oldest launch."""
        outlet, done, begin, frames, late = self._flying.popleft()
        done.wait()
        first = self._block + begin
        result[...] = outlet.frames[:, first : first + frames]
        for part in late:
            part.done.wait()
            result += part.outlet.frames[:, part.begin : part.begin + frames]
        self._fetched = done

    @property
    def seconds(self) -> float:
        """What the device has taken for what was fetched last."""
        return seconds_between(self._fetched, self._fetched)
