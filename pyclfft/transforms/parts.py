"""Transforms of a batch part by part, for a device that has no room for all of it at once."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np
import pyopencl.array as cl_array

from ..errors import DeviceMemoryError
from ..runtime import memory
from ..runtime.operation import queue_for
from ..runtime.plan import Plan


def longest_other_axis(shape: tuple[int, ...], axes: Collection[int]) -> int | None:
    """Return the longest axis that is not transformed; None if none has two places or more."""
    others = [axis for axis, extent in enumerate(shape) if axis not in axes and extent > 1]
    return max(others, key=lambda axis: shape[axis], default=None)


def in_parts(plan_for: Callable[[Any], Plan], x: Any, axis: int) -> Any:
    """Transform an array in parts: in two, and if the device has no room for them, in four, etc.

    Parameters
    ----------
    plan_for : function
        Takes a part and returns its plan.
    x : ndarray or pyopencl.array.Array
        Input.
    axis : int
        The axis along which to split the input; it is not transformed.

    Returns
    -------
    ndarray or pyopencl.array.Array
        The whole result, as a plan for all of `x` would return it.

    Raises
    ------
    DeviceMemoryError
        The device has no room for parts of one place, or for the result of a device array.
    """
    places = x.shape[axis]
    while True:
        places = -(-places // 2)
        try:
            return _by_places(plan_for, x, axis, places)
        except DeviceMemoryError:
            if places == 1:
                raise


def _by_places(plan_for: Callable[[Any], Plan], x: Any, axis: int, places: int) -> Any:
    result: Any = None
    for begin in range(0, x.shape[axis], places):
        part = (slice(None),) * axis + (slice(begin, begin + places),)
        plan = plan_for(x[part])
        if result is None:
            shape = list(plan.problem.target.shape)
            shape[axis] = x.shape[axis]
            result = _empty_like(x, tuple(shape), plan.problem.dtype)
        plan(x[part], out=result[part])
    return result


def _empty_like(x: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
    if isinstance(x, np.ndarray):
        return memory.empty(shape, dtype)
    allocate = x.allocator or memory.allocator(x.context)
    queue = queue_for(None, x)
    return cl_array.Array(queue, shape, dtype, allocator=allocate)
