"""Execution: one rank takes its blocks through the stages of a route, in pieces that overlap.

While the device transforms and packs one piece, the piece before it is on its way to other ranks,
and the piece after it comes from the rank that holds the whole array.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from time import perf_counter

import numpy as np
import pyopencl as cl

from .exchange import Exchange
from .lanes import Lane, Work
from .layout import Layout, Pieces, extents, in_pieces, size, within
from .ranks import Ranks
from .route import Route, Stage

LANES = 2  # pieces on the device at once
ROOMS = 2 * LANES  # each lane has room for a piece before and after its transform
OVERLAPPING = 4  # pieces of a block, unless they would be small
MIN_PIECE_BYTES = 2**20
MAX_PIECE_BYTES = 2**26

Fetch = Callable[[int], np.ndarray]  # takes the number of a piece, and returns the piece
Deliver = Callable[[int, np.ndarray], None]  # takes the number of a piece and what became of it


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
        The device memory that the call took, with the workspace of its plans.
    pieces : int
        The number of pieces of all stages.

    See Also
    --------
    pyclfft.distributed.reports : Return the reports of the last call.
    pyclfft.distributed.fftn : Transform an array over ranks or devices.
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
    route : Route
        The stages that the arrays go through.
    norm : {"backward", "ortho", "forward"}
        Which direction carries the factor 1/n.
    max_device_bytes : int, optional
        How much device memory pieces may take, beside the workspace of plans. A piece holds at
        least one place of the axis along which it is cut, however large that is.
    lane : type
        What takes the pieces through the device.
    """

    def __init__(
        self,
        ranks: Ranks,
        context: cl.Context,
        route: Route,
        norm: str,
        max_device_bytes: int | None = None,
        lane: type[Lane] = Lane,
    ) -> None:
        self.report = Report()
        self._ranks, self._route, self._norm = ranks, route, norm
        self._max_piece = max_device_bytes // ROOMS if max_device_bytes else MAX_PIECE_BYTES
        self._lanes = [lane(context, number) for number in range(LANES)]

    def run(self, x: np.ndarray, out: np.ndarray, given: Layout, result: Layout) -> None:
        """Take the input through all stages to the result.

        Parameters
        ----------
        x, out : ndarray
            This rank's block of the input and of the result, C-contiguous.
        given, result : Layout
            The blocks that the ranks have of both. In memory the axes of the result have the order
            that the route says.
        """
        begin = perf_counter()
        stages, block = self._route.stages, x
        between = np.result_type(x.dtype, out.dtype, np.complex64)
        for number, stage in enumerate(stages):
            order = self._route.order_after(number)
            if number + 1 < len(stages):
                target = stages[number + 1].before
                lengths = extents(target.block(self._ranks.rank))
                received = np.empty([lengths[axis] for axis in order], between)
            else:
                target, received = result, out
            own = sum(
                each.nbytes for each in (block, received) if each is not x and each is not out
            )
            self.report.host_bytes = max(self.report.host_bytes, own)
            pieces = self._pieces(stage, between)
            fetch = self._fetch(stage, pieces, block, stage.before if number else given)
            exchange = Exchange(self._ranks, stage.after, target, order, source_pieces=pieces)
            deliver = partial(self._move, exchange, received)
            work = Work(stage, order, self._route.request.direction, self._norm)
            self._through(work, pieces, fetch, deliver)
            block = received
        self._account(begin)

    def _pieces(self, stage: Stage, dtype: np.dtype) -> Pieces:
        """Return the pieces of a stage: several that overlap, unless the stage is small."""
        largest = max(size(each.block(0)) for each in (stage.before, stage.after)) * dtype.itemsize
        most = min(self._max_piece, max(largest // OVERLAPPING, MIN_PIECE_BYTES))
        count = max(1, -(-largest // most))
        return in_pieces(stage.before.block(0), stage.order, stage.axes, count)

    def _fetch(self, stage: Stage, pieces: Pieces, block: np.ndarray, layout: Layout) -> Fetch:
        """Return the function that gets a piece: from this rank's block, or from other ranks."""
        whole = stage.before.block(self._ranks.rank)
        if layout == stage.before:
            logical = block.transpose(np.argsort(stage.order))
            return lambda number: logical[within(pieces.piece(whole, number), whole)]
        exchange = Exchange(self._ranks, layout, stage.before, stage.order, target_pieces=pieces)

        def fetch(number: int) -> np.ndarray:
            # What no rank has are zeros, with which a short input is padded.
            received = np.zeros(extents(pieces.piece(whole, number)), block.dtype)
            self._move(exchange, received, number, block)
            return received

        return fetch

    def _through(self, work: Work, pieces: Pieces, fetch: Fetch, deliver: Deliver) -> None:
        """Take all pieces of a stage through the lanes."""
        whole = work.stage.before.block(self._ranks.rank)
        under_way: deque[tuple[int, Future[np.ndarray]]] = deque()
        with ThreadPoolExecutor(LANES) as pool:
            for number in range(pieces.count):
                piece = fetch(number)
                if len(under_way) == LANES:  # the lane that takes this piece has to be empty
                    first, result = under_way.popleft()
                    deliver(first, result.result())
                origin = [each.start for each in pieces.piece(whole, number)]
                lane = self._lanes[number % LANES]
                under_way.append((number, pool.submit(lane.transform, piece, work, origin)))
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
        staged = sum(lane.staged_bytes for lane in self._lanes)
        self.report.device_s = sum(lane.seconds for lane in self._lanes)
        self.report.device_bytes = staged + sum(lane.workspace_bytes for lane in self._lanes)
        self.report.host_bytes += staged
        self.report.seconds = perf_counter() - begin
