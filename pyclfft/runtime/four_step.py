"""The multiplication between the two steps of one long row, done as a plan loads or stores it.

`planning/slabs.py` says how a row is cut into columns and rows. `runtime/pieces.py` transforms them
piece by piece on one device, `distributed/` on several machines at once. Both give the plans of
their parts the hook that this module makes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyopencl as cl

from ..planning.slabs import twiddles_of
from .hooks import Hook


def twiddle_hook(
    length: int, direction: str, precision: str, part: tuple[int, ...], origin: Any
) -> Hook:
    """Return the hook that multiplies a part's elements by roots of unity.

    The root for the element at a row and a column of the whole array is ``exp(sign * 2 pi i * row *
    column / length)``.

    Parameters
    ----------
    length : int
        The length of the whole row, that is, the number of the elements of the whole array.
    direction : {"forward", "inverse"}
        The sign of the exponent: minus for "forward".
    precision : {"single", "double"}
        The precision of the plan that the hook belongs to.
    part : tuple of int
        The rows and the columns of the part that the plan loads or stores, in C order. A plan with
        several parts behind each other treats each of them alike. With three numbers ``(first,
        middle, first)`` it is a part of what `square_step` makes of a row; it holds the first and
        the last axis whole, and the plan stores the axes in reverse order.
    origin : array_like of uint64, shape (len(part),), or pyopencl.Buffer
        The place, in the whole array, of the part's first element along each axis. If it is a
        buffer, the caller may write another origin into it before each call of the plan.

    Returns
    -------
    Hook
        A hook for "load" or for "store".
    """
    roots = twiddles_of(length, direction, precision)
    if not isinstance(origin, cl.Buffer):
        origin = np.asarray(origin, np.uint64)
    tables = {"shift": np.uint32(roots.shift), "fine": roots.fine, "coarse": roots.coarse}
    if len(part) == 3:
        return Hook(
            "value = times_swapped_root(value, index, middle, first, origin, shift, fine, coarse);",
            preamble='#include "fourStep.cl"',
            middle=np.uint64(part[1]),
            first=np.uint64(part[0]),
            origin=origin,
            **tables,
        )
    return Hook(
        "value = times_step_root(value, index, rows, columns, origin, shift, fine, coarse);",
        preamble='#include "fourStep.cl"',
        rows=np.uint64(part[0]),
        columns=np.uint64(part[1]),
        origin=origin,
        **tables,
    )
