"""Exchanges: an array moves over the ranks from the blocks of one layout to those of another."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from .layout import Block, Layout, Pieces, extents, shared, within
from .ranks import MPI, Ranks

Message = tuple[list[int], list[int], list[Any]]  # for each rank: a count, an offset, a datatype


class Exchange:
    """Moves an array piece by piece. In each call every rank takes part.

    Parameters
    ----------
    ranks : Ranks
        The ranks.
    source, target : Layout
        The blocks from which and to which the array moves.
    order : sequence of int
        The axes in the order in which they lie in memory, at the sender and at the receiver.
    source_pieces : Pieces, optional
        The pieces of which each call sends one. Without it the sender has its whole block in
        memory.
    target_pieces : Pieces, optional
        The pieces of which each call receives one. Without it the receiver has room for its whole
        block.
    """

    def __init__(
        self,
        ranks: Ranks,
        source: Layout,
        target: Layout,
        order: Sequence[int],
        *,
        source_pieces: Pieces | None = None,
        target_pieces: Pieces | None = None,
    ) -> None:
        self._ranks, self._order = ranks, order
        everyone = range(ranks.size)
        self._sources = [source.block(rank) for rank in everyone]
        self._targets = [target.block(rank) for rank in everyone]
        self._source_pieces, self._target_pieces = source_pieces, target_pieces
        # Every rank keeps what it has: no rank has to wait for another.
        self._stays = ranks.comm is None or (source == target and not target_pieces)

    def move(self, number: int, sent: np.ndarray, received: np.ndarray) -> None:
        """Move one piece.

        Parameters
        ----------
        number : int
            The number of the piece.
        sent, received : ndarray
            This rank's block or piece of the source, and of the target; both contiguous, their axes
            in `order`.
        """
        sources = _cut(self._sources, self._source_pieces, number)
        targets = _cut(self._targets, self._target_pieces, number)
        own_source, own_target = sources[self._ranks.rank], targets[self._ranks.rank]
        if self._stays:
            part = shared(own_source, own_target)
            if part is not None:
                received[self._places(part, own_target)] = sent[self._places(part, own_source)]
            return
        to_send = self._message(sent.dtype, own_source, targets)
        to_receive = self._message(received.dtype, own_target, sources)
        try:
            self._ranks.comm.Alltoallw([sent, *to_send], [received, *to_receive])
        finally:
            for count, kind in zip(
                to_send[0] + to_receive[0], to_send[2] + to_receive[2], strict=True
            ):
                if count:
                    kind.Free()

    def _places(self, part: Block, block: Block) -> Block:
        """Return where a part lies within a block in memory."""
        places = within(part, block)
        return tuple(places[axis] for axis in self._order)

    def _message(self, dtype: np.dtype, own: Block, others: Sequence[Block]) -> Message:
        """Describe to MPI which part of the own memory each other rank sends or receives."""
        kinds = [self._kind(dtype, own, shared(own, other)) for other in others]
        nothing = import_module(MPI).BYTE
        counts = [int(kind is not None) for kind in kinds]
        return counts, [0] * len(kinds), [kind or nothing for kind in kinds]

    def _kind(self, dtype: np.dtype, own: Block, part: Block | None) -> Any:
        """Return the datatype of a part of a block in memory, or None if there is no part."""
        if part is None:
            return None
        lengths, wanted = extents(own), extents(part)
        element = import_module(MPI).Datatype.fromcode(dtype.char)
        kind = element.Create_subarray(
            [lengths[axis] for axis in self._order],
            [wanted[axis] for axis in self._order],
            [each.start for each in self._places(part, own)],
        )
        return kind.Commit()


def _cut(blocks: Sequence[Block], pieces: Pieces | None, number: int) -> Sequence[Block]:
    if pieces is None:
        return blocks
    return [pieces.piece(block, number) for block in blocks]
