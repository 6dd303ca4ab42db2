"""Execution: one rank takes its blocks through the stages of a route, in pieces that overlap.

While the device transforms and packs one piece, the piece before it is on its way to other ranks,
and the piece after it comes from the rank that holds the whole array.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from time import perf_counter

import numpy as np
import pyopencl as cl

from .exchange import Exchange
from .lanes import Lane
from .layout import Layout, Pieces, extents, in_pieces, size, within
from .ranks import Ranks
from .route import Stage, order_after

LANES = 2  # pieces on the device at once
OVERLAPPING = 4  # pieces of a block, unless they would be small
MIN_PIECE_BYTES = 2**20
PIECE_BYTES = 2**26

Fetch = Callable[[int], np.ndarray]  # takes the number of a piece, and returns the piece


@dataclass
class Report:
    """What one call took on one rank.

    Attributes
    ----------
    seconds : float
        The time of the whole call.
    transfer_s : float
        The time in which this rank exchanged parts with others, or waited for them.
    device_s : float
        The time in which pieces were copied to the device, transformed, packed and copied back. It
        overlaps with `transfer_s`.
    host_bytes : int
        The host memory that the call took at most, beside the caller's arrays.
    device_bytes : int
        The device memory that the call took, beside the workspace of its plans.
    pieces : int
        The number of pieces of all stages.
    """

    seconds: float = 0.0
    transfer_s: float = 0.0
    device_s: float = 0.0
    host_bytes: int = 0
    device_bytes: int = 0
    pieces: int = 0


class Execution:
    """One call on one rank.

    Parameters
    ----------
    ranks : Ranks
        The ranks.
    context : cl.Context
        A context of this rank's device.
    stages : sequence of Stage
        The route.
    direction, norm : str
        As for a `pyclfft.Plan`.
    max_piece_bytes : int
        How large a piece may become, if its stage can be cut so finely.
    """

    def __init__(
        self,
        ranks: Ranks,
        context: cl.Context,
        stages: Sequence[Stage],
        direction: str,
        norm: str,
        max_piece_bytes: int = PIECE_BYTES,
    ) -> None:
        self.report = Report()
        self._ranks, self._stages = ranks, stages
        self._direction, self._norm = direction, norm
        self._max_piece_bytes = max_piece_bytes
        self._lanes = [Lane(context) for _ in range(LANES)]

    def run(self, x: np.ndarray, out: np.ndarray, *, local: bool) -> None:
        """Take the input through all stages to the result.

        Parameters
        ----------
        x, out : ndarray
            This rank's block of the input and of the result, C-contiguous. If `local` is false,
            rank 0 gives the whole arrays, and the others give empty ones.
        local : bool
            Whether each rank has a block of its own.
        """
        begin = perf_counter()
        block, last = x, len(self._stages) - 1
        middle = np.result_type(x.dtype, out.dtype, np.complex64)
        for number, stage in enumerate(self._stages):
            order = order_after(self._stages, number)
            pieces = self._pieces(stage, middle)
            if number == last:
                target = stage.after if local else Layout(stage.after.shape)
                received = out
            else:
                target = self._stages[number + 1].before
                lengths = extents(target.block(self._ranks.rank))
                received = np.empty([lengths[axis] for axis in order], middle)
            self.report.host_bytes = max(
                self.report.host_bytes,
                (block.nbytes if number else 0) + (received.nbytes if number < last else 0),
            )
            if number or local:
                fetch = self._own(stage, pieces, block)
            else:
                fetch = self._from_root(stage, pieces, block)
            exchange = Exchange(self._ranks, stage.after, target, order, source_pieces=pieces)
            self._through(stage, order, pieces, fetch, partial(self._move, exchange, received))
            block = received
        self._account(begin)

    def _pieces(self, stage: Stage, dtype: np.dtype) -> Pieces:
        """Return the pieces of a stage; several, so that their steps overlap, unless it is small."""
        largest = max(size(each.block(0)) for each in (stage.before, stage.after)) * dtype.itemsize
        most = min(self._max_piece_bytes, max(largest // OVERLAPPING, MIN_PIECE_BYTES))
        return in_pieces(stage.before.block(0), stage.order, stage.axes, -(-largest // most))

    def _own(self, stage: Stage, pieces: Pieces, block: np.ndarray) -> Fetch:
        """Return a function that cuts a piece from this rank's block."""
        whole = stage.before.block(self._ranks.rank)
        logical = block.transpose(np.argsort(stage.order))
        return lambda number: logical[within(pieces.piece(whole, number), whole)]

    def _from_root(self, stage: Stage, pieces: Pieces, x: np.ndarray) -> Fetch:
        """Return a function that receives a piece from rank 0, which has the whole array."""
        whole = stage.before.block(self._ranks.rank)
        source = Layout(stage.before.shape)
        exchange = Exchange(self._ranks, source, stage.before, stage.order, target_pieces=pieces)

        def fetch(number: int) -> np.ndarray:
            received = np.empty(extents(pieces.piece(whole, number)), x.dtype)
            self._move(exchange, received, number, x)
            return received

        return fetch

    def _through(
        self,
        stage: Stage,
        order: Sequence[int],
        pieces: Pieces,
        fetch: Fetch,
        deliver: Callable[[int, np.ndarray], None],
    ) -> None:
        """Take all pieces of a stage through the lanes."""
        under_way: deque[tuple[int, Future[np.ndarray]]] = deque()
        with ThreadPoolExecutor(LANES) as pool:
            for number in range(pieces.count):
                piece = fetch(number)
                if len(under_way) == LANES:  # the lane of this piece has to be empty
                    first, result = under_way.popleft()
                    deliver(first, result.result())
                lane = self._lanes[number % LANES]
                work = pool.submit(lane.transform, piece, stage, order, self._direction, self._norm)
                under_way.append((number, work))
            for number, result in under_way:
                deliver(number, result.result())
        self.report.pieces += pieces.count

    def _move(
        self, exchange: Exchange, received: np.ndarray, number: int, sent: np.ndarray
    ) -> None:
        begin = perf_counter()
        exchange.move(number, sent, received)
        self.report.transfer_s += perf_counter() - begin

    def _account(self, begin: float) -> None:
        self.report.device_s = sum(lane.seconds for lane in self._lanes)
        self.report.device_bytes = sum(lane.nbytes for lane in self._lanes)
        self.report.host_bytes += self.report.device_bytes
        self.report.seconds = perf_counter() - begin
