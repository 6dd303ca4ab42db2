"""Layouts: which block of an array each rank holds, and the parts that two blocks share.

All of it is arithmetic on shapes, so that every rank finds the blocks of all ranks without a
message.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from ..planning.slabs import ranges

Block = tuple[slice, ...]  # a range of places along each axis of the whole array


@dataclass(frozen=True)
class Layout:
    """An array in blocks, one a rank.

    The ranks form a grid with one axis for each axis of the array that is cut; the last axis of the
    grid counts fastest. Ranks that the grid has no place for hold an empty block.

    Attributes
    ----------
    shape : tuple of int
        The shape of the whole array.
    cuts : tuple of (int, int)
        The axes that are cut, each with the number of its parts. Without cuts the first rank holds
        the whole array.
    """

    shape: tuple[int, ...]
    cuts: tuple[tuple[int, int], ...] = ()

    @property
    def cut_axes(self) -> tuple[int, ...]:
        """The axes that are cut."""
        return tuple(axis for axis, _ in self.cuts)

    def block(self, rank: int) -> Block:
        """Return the block of a rank."""
        if rank >= prod(parts for _, parts in self.cuts):
            return (slice(0, 0),) * len(self.shape)
        block = [slice(0, length) for length in self.shape]
        for axis, parts in reversed(self.cuts):
            rank, place = divmod(rank, parts)
            block[axis] = ranges(self.shape[axis], parts)[place]
        return tuple(block)


def extents(block: Block) -> tuple[int, ...]:
    """Return how many places a block has along each axis."""
    return tuple(each.stop - each.start for each in block)


def size(block: Block) -> int:
    """Return how many elements a block has."""
    return prod(extents(block))


def shared(one: Block, other: Block) -> Block | None:
    """Return the part that lies in both blocks, or None if there is none."""
    part = tuple(
        slice(max(a.start, b.start), min(a.stop, b.stop)) for a, b in zip(one, other, strict=True)
    )
    return part if all(each.start < each.stop for each in part) else None


def within(part: Block, block: Block) -> Block:
    """Return a part's places counted from the begin of the block that it lies in."""
    return tuple(
        slice(a.start - b.start, a.stop - b.start) for a, b in zip(part, block, strict=True)
    )


@dataclass(frozen=True)
class Pieces:
    """How all ranks cut their blocks into pieces that they work on one after the other.

    Attributes
    ----------
    axis : int
        The axis along which blocks are cut.
    count : int
        The number of pieces, the same for all ranks; a short block has empty ones.
    """

    axis: int
    count: int

    def piece(self, block: Block, number: int) -> Block:
        """Return one piece of a block."""
        whole = block[self.axis]
        piece = ranges(whole.stop - whole.start, self.count)[number]
        cut = slice(whole.start + piece.start, whole.start + piece.stop)
        return (*block[: self.axis], cut, *block[self.axis + 1 :])


def in_pieces(block: Block, order: Sequence[int], whole: Sequence[int], count: int) -> Pieces:
    """Choose the axis along which blocks are cut into at least `count` pieces, if one is so long.

    Parameters
    ----------
    block : Block
        The largest block of any rank.
    order : sequence of int
        The axes in the order in which they lie in memory, the slowest first.
    whole : sequence of int
        The axes that each piece holds whole.
    count : int
        How many pieces there should be.

    Returns
    -------
    Pieces
        The first axis in memory that is long enough, so that a piece lies in one place; otherwise
        the longest one, with a piece for each of its places. A single piece if no axis is left.
    """
    lengths = dict(enumerate(extents(block)))
    free = [axis for axis in order if axis not in whole]
    if not free:
        return Pieces(order[0], 1)
    long_enough = [axis for axis in free if lengths[axis] >= count]
    if long_enough:
        return Pieces(long_enough[0], count)
    longest = max(free, key=lambda axis: lengths[axis])
    return Pieces(longest, max(1, lengths[longest]))
