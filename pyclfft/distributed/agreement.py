"""Agreement: what all ranks have to pass alike, checked before any of them begins to compute."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import PlanError
from ..planning.slabs import four_step
from .layout import Block, extents
from .ranks import Ranks

Shape = tuple[int, ...]


class Wish(NamedTuple):
    """What a rank wishes; its names are those of the parameters of `fftn`."""

    function: str
    s: Shape | None
    axes: Shape | None
    norm: str
    partition: str
    local: bool
    shape: Shape | None
    max_device_bytes: int | None


class Claim(NamedTuple):
    """What a rank wishes and has: the shape and the dtype of the array that it passes."""

    wish: Wish
    shape: Shape | None
    dtype: np.dtype | None


def gathered(ranks: Ranks, claim: Claim) -> list[Claim]:
    """Return the claims of all ranks.

    Raises
    ------
    PlanError
        The ranks contradict each other, or a rank passes no array though it has to, or the other
        way round. Every rank raises the same error.
    """
    claims = [claim] if ranks.comm is None else ranks.comm.allgather(claim)
    first = claims[0]
    for rank, other in enumerate(claims):
        for name, expected, found in zip(Wish._fields, first.wish, other.wish, strict=True):
            if found != expected:
                raise PlanError(
                    f"rank {rank} passes {name}={found!r}, but rank 0 passes {name}={expected!r}: "
                    "all ranks have to pass the same"
                )
        if first.wish.local or not rank:
            if other.shape is None:
                raise PlanError(f"rank {rank} passes no array: {_WHO[first.wish.local]}")
            if other.dtype != first.dtype:
                raise PlanError(
                    f"rank {rank} passes {other.dtype}, but rank 0 passes {first.dtype}: all "
                    "blocks need the same dtype"
                )
        elif other.shape is not None:
            raise PlanError(
                f"rank {rank} passes an array of shape {other.shape}, too: pass None on all ranks "
                "but rank 0, or local=True if each rank has its own block"
            )
    return claims


_WHO = {
    False: "rank 0 has to pass the whole array",
    True: "with local=True each rank has to pass its block, which may be empty",
}


def whole_shape(
    shapes: Sequence[Shape], blocks_of: Callable[[Shape], Sequence[Block]], example: str
) -> Shape:
    """Return the shape of the array that is cut into blocks of the given shapes.

    Parameters
    ----------
    shapes : sequence of tuple of int
        The shape of each rank's block.
    blocks_of : function
        Takes the shape of a whole array, and returns the blocks that the ranks have to pass; it
        raises PlanError if there is no such array.
    example : str
        How to ask for the right blocks, for the error.

    Raises
    ------
    PlanError
        No array is cut in this way, or several are; all ranks raise the same error.
    """
    alike = len({len(shape) for shape in shapes}) == 1
    candidates = dict.fromkeys(_candidates(shapes) if alike else ())
    found = [shape for shape in candidates if _extents(blocks_of, shape) == list(shapes)]
    if len(found) == 1:
        return found[0]
    if found:
        raise PlanError(
            f"the blocks may belong to an array of shape {found[0]} or {found[1]}: pass shape="
        )
    listed = ", ".join(str(shape) for shape in shapes[:4]) + (", ..." if len(shapes) > 4 else "")
    raise PlanError(
        f"the ranks pass blocks of the shapes {listed}, which together are no array cut as this "
        f"transform needs it: pass x[{example}]"
    )


def _extents(blocks_of: Callable[[Shape], Sequence[Block]], shape: Shape) -> list[Shape]:
    """Return the shapes of all blocks of an array; none if it cannot be cut."""
    try:
        return [extents(block) for block in blocks_of(shape)]
    except PlanError:
        return []


def _candidates(shapes: Sequence[Shape]) -> Iterator[Shape]:
    """Yield the shapes of arrays that may be cut along one axis or two into the given shapes."""
    ranks, first = len(shapes), shapes[0]
    for axis in range(len(first)):
        yield _replaced(first, {axis: sum(shape[axis] for shape in shapes)})
    columns = four_step(ranks)[1]
    for one, other in itertools.permutations(range(len(first)), 2):
        down = sum(shape[one] for shape in shapes[::columns])
        across = sum(shape[other] for shape in shapes[:columns])
        yield _replaced(first, {one: down, other: across})


def _replaced(shape: Shape, lengths: dict[int, int]) -> Shape:
    return tuple(lengths.get(axis, length) for axis, length in enumerate(shape))


def tuple_or_none(value: Any) -> Shape | None:
    """Return an integer or an iterable of integers as a tuple, so that ranks can compare it."""
    if value is None:
        return None
    return tuple(int(each) for each in np.atleast_1d(np.asarray(value)).tolist())
