"""Partitioned convolution in real time: blocks through the delay lines of one stage or more.

The first stage computes each block when it comes, or a part of it when only a part has come. The
stages of longer partitions are late: their results belong to later frames, so their work is spread
over the blocks until then. Each block then takes about the same time.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np
import pyopencl as cl

from ..planning.precision import REAL_DTYPE
from .delay_line import DelayLine
from .exchange import Exchange, finish_before_freeing
from .partitions import Stage, Stages
from .responses import Response

NANOSECOND = 1e-9


class Part(NamedTuple):
    """A stretch of a late stage's results, for one block."""

    outlet: Exchange
    done: cl.Event
    begin: int


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

    def fetch(self, result: np.ndarray) -> float:
        """Write the result of the oldest launch."""
        outlet, done, begin, frames, late = self._flying.popleft()
        done.wait()
        first = self._block + begin
        result[...] = outlet.frames[:, first : first + frames]
        for part in late:
            part.done.wait()
            result += part.outlet.frames[:, part.begin : part.begin + frames]
        return NANOSECOND * (done.profile.end - done.profile.queued)


class LateStage:
    """Long partitions, whose results are late, and whose work is spread over blocks.

    The frames of `ratio` blocks make one long block. When it is complete, one launch transforms it.
    After each of the next blocks one launch sums the products of some bins, until after the last
    but one the results are transformed back. They are used during the next long block.

    Parameters
    ----------
    queue, response, precision, launches
        As `PartitionedEngine` has them.
    stage : Stage
        The partitions. They begin at two of their lengths.
    block : int
        The length of a block.
    """

    def __init__(
        self,
        queue: cl.CommandQueue,
        response: Response,
        stage: Stage,
        block: int,
        precision: str,
        launches: int,
    ) -> None:
        self._queue = queue
        self._block, self._long = block, stage.block
        self._ratio = stage.block // block
        self._line = DelayLine(queue, response, stage, precision, hears_newest=False)
        dtype, routing = REAL_DTYPE[precision], response.routing
        # One is written while another is read, and launches in flight read older ones.
        count = 2 + -(-launches // self._ratio)
        long = 2 * stage.block
        self._inlets = [Exchange(queue, (routing.inputs, long), dtype) for _ in range(count)]
        self._outlets = [Exchange(queue, (routing.outputs, long), dtype) for _ in range(count)]
        over = cl.enqueue_marker(queue)
        self._done = [over] * count
        self._turn = 0  # the number of the long block
        self._blocks = 0  # the blocks of the current long block that are over

    def part(self, begin: int) -> Part:
        """Return what the stage adds to the current block from frame `begin` on."""
        number = self._turn % len(self._outlets)
        first = self._long + self._blocks * self._block + begin
        return Part(self._outlets[number], self._done[number], first)

    def end_block(self, frames: np.ndarray) -> None:
        """Take the frames of a block that is over, and do one share of work."""
        current = self._inlets[self._turn % len(self._inlets)]
        begin = self._long + self._blocks * self._block
        current.frames[:, begin : begin + self._block] = frames
        self._blocks += 1
        if self._blocks < self._ratio:
            self._sum(self._blocks)
            return
        current.send(self._queue)
        self._line.advance()
        self._line.transform(current.memory)
        self._turn += 1
        self._blocks = 0
        following = self._inlets[self._turn % len(self._inlets)]
        following.frames[:, : self._long] = current.frames[:, self._long :]

    def _sum(self, share: int) -> None:
        """Sum the products of some bins; then transform back if these are the last ones."""
        shares, vectors = self._ratio - 1, self._line.vectors
        self._line.sum(vectors * (share - 1) // shares, vectors * share // shares)
        if share == shares:
            number = (self._turn + 1) % len(self._outlets)
            outlet = self._outlets[number]
            done = self._line.transform_back(outlet.memory)
            self._done[number] = outlet.fetch(self._queue, done)
