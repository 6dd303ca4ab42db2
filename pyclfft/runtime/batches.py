"""Operations on batches of independent host arrays, such as images, in pieces of the batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np
import pyopencl as cl

from ..errors import DeviceMemoryError
from ..planning.slabs import parts
from ..progress import Progress
from .conveyor import Conveyor, Piece, Slab
from .executable import Executable
from .pieces import Room


def in_batches(
    x: np.ndarray,
    out: np.ndarray,
    whole: Sequence[int],
    room: Room,
    make: Callable[[tuple[int, ...]], Executable],
) -> None:
    """Run an operation on parts of a batch, whose copies and kernels overlap.

    Parameters
    ----------
    x, out : ndarray
        The input and the result, of one shape.
    whole : sequence of int
        The axes that must not be cut. The operation treats all places along the others alike.
    room : Room
        The memory that the pieces may take.
    make : function
        Takes the shape of a part, and returns the executable for parts in C order.

    Raises
    ------
    DeviceMemoryError
        A part that cannot be cut further does not fit; nothing has been written.
    """
    cut = _parts_that_fit(x, out, whole, room, make)
    dtypes = (x.dtype, out.dtype)
    most = _elements(cut[0])
    with Progress(x.nbytes + out.nbytes, "B", scale=True) as progress:
        belt = Conveyor(room.context, most * x.itemsize, most * out.itemsize, progress.add)
        belt.run(
            Piece(Slab(x, part), Slab(out, part), dtypes, _launch(make(_shape(part))))
            for part in cut
        )


def _launch(
    executable: Executable,
) -> Callable[[int, cl.CommandQueue, cl.Buffer, cl.Buffer], cl.Event]:
    return lambda lane, queue, source, target: executable.enqueue(queue, source, target)


def _parts_that_fit(
    x: np.ndarray,
    out: np.ndarray,
    whole: Sequence[int],
    room: Room,
    make: Callable[[tuple[int, ...]], Executable],
) -> list[Any]:
    """Return the parts, the largest first, of which the device holds some at once."""
    traits, least = room.traits, prod(x.shape[axis] for axis in whole)
    most = x.size
    while most >= least:
        cut = parts(x.shape, whole, most)
        elements = _elements(cut[0])
        sizes = {"in": elements * x.itemsize, "out": elements * out.itemsize}
        if traits.holds(sizes):
            try:
                sizes |= dict(make(_shape(cut[0])).schedule.workspace)
            except DeviceMemoryError:
                sizes["workspace"] = 2 * traits.global_mem_bytes  # even more than it has
        if traits.holds(sizes):
            return cut
        most = min(elements - 1, elements * traits.global_mem_bytes // sum(sizes.values()))
    raise DeviceMemoryError(
        f"{room.nbytes:,} bytes on {traits.name} are too few for a part of {least:,} elements, "
        "which cannot be cut: allow more memory, or take smaller images"
    )


def _shape(part: Sequence[slice]) -> tuple[int, ...]:
    return tuple(each.stop - each.start for each in part)


def _elements(part: Sequence[slice]) -> int:
    return prod(_shape(part))
