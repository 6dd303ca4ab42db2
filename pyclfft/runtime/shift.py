"""Device arrays rolled along their axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..errors import PlanError
from . import device, memory
from .program import program

WORDS = {1: "uchar", 2: "ushort", 4: "uint", 8: "uint2", 16: "uint4"}  # by the bytes of an element
GROUP = 64


def rolled(x: cl_array.Array, shifts: Mapping[int, int]) -> cl_array.Array:
    """Return a new array whose elements have moved along some axes, at the ends around them.

    Parameters
    ----------
    x : pyopencl.array.Array
        Of any strides.
    shifts : mapping of int to int
        By axis, how far elements move: not negative and less than the axis is long.

    Returns
    -------
    pyopencl.array.Array
        Contiguous, on the same queue; it carries the event of its completion.

    Raises
    ------
    PlanError
        Elements of a size that no word of OpenCL C has.
    DeviceMemoryError
        The device is out of memory.
    """
    context = cast("cl.Context", x.context)
    queue = x.queue or device.queue_of(context)
    result = cl_array.Array(queue, x.shape, x.dtype, allocator=x.allocator)
    if not x.size:
        return result
    if x.dtype.itemsize not in WORDS:
        raise PlanError(
            f"elements of {x.dtype} have {x.dtype.itemsize} bytes, and device arrays are shifted "
            f"by words of {', '.join(map(str, WORDS))}: shift it on the host"
        )
    size = x.dtype.itemsize
    geometry = [
        (extent, shifts.get(axis, 0), stride // size)
        for axis, (extent, stride) in enumerate(zip(x.shape, x.strides, strict=True))
    ]
    defines = (("WORD", WORDS[size]), ("DIMENSIONS", str(len(geometry))))
    kernel = cl.Kernel(program(context, "shift.cl", defines), "shift")
    table = memory.constant(context, np.array(geometry, np.int64))
    kernel.set_args(
        cast("cl.Buffer", x.base_data),
        cast("cl.Buffer", result.base_data),
        table,
        np.uint64(x.offset // size),
        np.uint64(x.size),
    )
    sizes = (-(-x.size // GROUP) * GROUP,), (GROUP,)
    with memory.refusals(context, result.nbytes):
        event = cl.enqueue_nd_range_kernel(queue, kernel, *sizes, wait_for=x.events or None)
    result.add_event(event)
    return result
