"""Late stages: the long partitions of a response that is cut into partitions of several lengths.

Their results belong to later frames, so their work is spread over the blocks until then. Each block
then takes about the same time, and none has to wait for a long transform.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyopencl as cl

from ..planning.precision import REAL_DTYPE
from .delay_line import DelayLine
from .exchange import Exchange
from .partitions import Stage
from .responses import Response


class Part(NamedTuple):
    """A stretch of a late stage's results, for one block."""

    outlet: Exchange
    done: cl.Event
    begin: int


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
