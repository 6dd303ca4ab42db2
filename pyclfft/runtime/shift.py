"""Moves the elements of device arrays along axes, and converts device arrays to other dtypes.

pyopencl converts arrays, too. But it warns its users whenever a compiler writes anything, and
Intel's compiler writes even that all went well.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..errors import PlanError
from ..planning.planner import require_precision
from ..planning.precision import READABLE
from . import describe, memory
from .operation import new_array, queue_for
from .program import Defines, program

WORDS = {1: "uchar", 2: "ushort", 4: "uint", 8: "uint2", 16: "uint4"}  # by the bytes of an element
NUMBERS = {
    np.dtype(dtype): name
    for dtype, name in (
        (bool, "uchar"), (np.int8, "char"), (np.uint8, "uchar"), (np.int16, "short"),
        (np.uint16, "ushort"), (np.int32, "int"), (np.uint32, "uint"), (np.int64, "long"),
        (np.uint64, "ulong"), (np.float16, "half"), (np.float32, "float"), (np.float64, "double"),
        (np.complex64, "float2"), (np.complex128, "double2"),
    )
}  # fmt: skip
GROUP = 64


def rolled(x: cl_array.Array, shifts: Mapping[int, int]) -> cl_array.Array:
    """Return a new array whose elements have moved along axes, from an axis's end to its beginning.

    Parameters
    ----------
    x : pyopencl.array.Array
        Input of any strides.
    shifts : mapping of int to int
        How far elements move, by axis; each number is at least 0 and less than the axis's length.

    Returns
    -------
    pyopencl.array.Array
        A contiguous array on the queue of `x`; it carries the event of its completion.

    Raises
    ------
    PlanError
        OpenCL C has no word of the elements' size.
    DeviceMemoryError
        The device is out of memory.
    """
    if x.dtype.itemsize not in WORDS:
        raise PlanError(
            f"elements of {x.dtype} have {x.dtype.itemsize} bytes, and device arrays are shifted "
            f"by words of {', '.join(map(str, WORDS))}: shift it on the host"
        )
    defines = (("ELEMENT", WORDS[x.dtype.itemsize]),)
    return _moved(x, x.dtype, defines, shifts, x.allocator)


def converted(x: cl_array.Array, dtype: np.dtype) -> cl_array.Array:
    """Return a new array with the numbers of `x` converted to another dtype.

    Parameters
    ----------
    x : pyopencl.array.Array
        Numbers or booleans, of any strides.
    dtype : dtype
        float32, float64, complex64 or complex128; if `x` is complex, complex64 or complex128.

    Returns
    -------
    pyopencl.array.Array
        A contiguous array on the queue of `x`; it carries the event of its completion.

    Raises
    ------
    PlanError
        OpenCL C lacks the numbers' type, or `x` is complex and `dtype` is real.
    PrecisionError
        One of the two dtypes needs double precision, which the device does not have.
    DeviceMemoryError
        The device is out of memory.
    """
    precision, real = READABLE[dtype]
    is_complex = x.dtype.kind == "c"
    if x.dtype not in NUMBERS or (is_complex and real):
        raise PlanError(
            f"device arrays of {x.dtype} are not converted to {dtype}: upload the array as {dtype}"
        )
    for each in (precision, READABLE.get(x.dtype, (precision, real))[0]):
        require_precision(each, describe.traits(queue_for(None, x).device))
    defines = (
        ("ELEMENT", NUMBERS[x.dtype]),
        ("FLOAT16", str(int(x.dtype == np.float16))),
        ("PAIRS", str(int(is_complex))),
        ("TARGET", "REAL" if real else "COMPLEX"),
        ("DOUBLE", str(int(precision == "double"))),
    )
    # Not by the allocator of `x`: if that is a pool, it hands the memory out again for the queue of
    # `x` as soon as the new array is dropped, which another queue may still be reading.
    return _moved(x, dtype, defines, {}, None)


def _moved(
    x: cl_array.Array,
    dtype: np.dtype,
    defines: Defines,
    shifts: Mapping[int, int],
    allocator: Any,
) -> cl_array.Array:
    """Return a new array that the kernel of shift.cl, built with these macros, makes of `x`."""
    queue = queue_for(None, x)
    result = new_array(queue, allocator, x.shape, dtype)
    if not x.size:
        return result
    size = x.dtype.itemsize
    geometry = [
        (extent, shifts.get(axis, 0), stride // size)
        for axis, (extent, stride) in enumerate(zip(x.shape, x.strides, strict=True))
    ]
    defines = (*defines, ("DIMENSIONS", str(len(geometry))))
    kernel = cl.Kernel(program(queue.context, "shift.cl", defines), "shift")
    table = memory.constant(queue.context, np.array(geometry, np.int64))
    kernel.set_args(
        cast("cl.Buffer", x.base_data),
        cast("cl.Buffer", result.base_data),
        table,
        np.uint64(x.offset // size),
        np.uint64(x.size),
    )
    sizes = (-(-x.size // GROUP) * GROUP,), (GROUP,)
    with memory.refusals(queue, result.nbytes):
        event = cl.enqueue_nd_range_kernel(queue, kernel, *sizes, wait_for=x.events or None)
    result.add_event(event)
    return result
