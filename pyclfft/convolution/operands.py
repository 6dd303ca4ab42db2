"""The arrays of a convolution: which dtypes they may have, and where they lie in memory."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..errors import PlanError, PrecisionError
from ..planning.precision import COMPLEX_DTYPE, READABLE, REAL_DTYPE
from ..planning.problem import Layout, plain_layout
from ..runtime import memory
from ..runtime.shift import NUMBERS, converted
from ..transforms.call import on_host

MAX_LAYOUTS = 256  # of NumPy arrays that are remembered for later calls


def array_of(name: str, given: Any) -> Any:
    """Return a device array itself, and anything else as a NumPy array of a dtype of OpenCL C.

    Raises
    ------
    TypeError
        The dtype is none of OpenCL C, such as longdouble and object.
    """
    array = given if isinstance(given, cl_array.Array) else on_host(given)
    dtype = array.dtype.newbyteorder("=")
    if dtype not in NUMBERS:
        wide = "complex128" if dtype.kind == "c" else "float64"
        raise PrecisionError(
            f"{name} is of the dtype {dtype}, in which no OpenCL device computes: convert it with "
            f'{name}.astype("{wide}")'
        )
    return array if dtype == array.dtype else array.astype(dtype)


def on_one_side(first: Any, second: Any, queue: cl.CommandQueue) -> tuple[Any, Any]:
    """Return two arrays on the host, or two on the device if one of them is there."""
    if isinstance(first, cl_array.Array) == isinstance(second, cl_array.Array):
        return first, second
    return uploaded(first, queue), uploaded(second, queue)


def uploaded(array: Any, queue: cl.CommandQueue) -> cl_array.Array:
    """Return a device array itself, and a copy of a host array on the device."""
    if isinstance(array, cl_array.Array):
        return array
    allocate = memory.allocator(queue.context)
    return cl_array.to_device(queue, np.ascontiguousarray(array), allocator=allocate)


def spectral_dtype(*dtypes: np.dtype) -> np.dtype:
    """Return the dtype in which transforms convolve arrays: half precision counts as single.

    Integers and booleans count as float64, as in SciPy.
    """
    readable = [
        np.dtype(np.float32) if each == np.float16 else each if each.kind in "fc" else np.float64
        for each in dtypes
    ]
    return np.result_type(*readable)


def for_transforms(array: Any, precision: str) -> Any:
    """Return an array as a transform of a precision reads it: converted only if it must be."""
    wanted = (COMPLEX_DTYPE if array.dtype.kind == "c" else REAL_DTYPE)[precision]
    if array.dtype == wanted:
        return array
    return array.astype(wanted) if isinstance(array, np.ndarray) else converted(array, wanted)


def precision_of(dtype: np.dtype) -> str:
    """Return the precision, "single" or "double", of a dtype that transforms read."""
    return READABLE[dtype][0]


def layout_of(name: str, array: Any) -> Layout:
    """Return where the elements of an array lie, counted in elements.

    Raises
    ------
    PlanError
        A device array's elements do not lie at multiples of their size.
    """
    real = array.dtype.kind != "c"
    if isinstance(array, np.ndarray):  # of which a call takes a contiguous copy
        return _plain_layout(array.shape, real)
    size = array.dtype.itemsize
    if any(each % size for each in (*array.strides, array.offset)):
        raise PlanError(
            f"elements of {name} do not lie at multiples of their size, {size} bytes: copy it first"
        )
    strides = tuple(each // size for each in array.strides)
    return Layout(tuple(array.shape), strides, array.offset // size, real)


_plain_layout = lru_cache(MAX_LAYOUTS)(plain_layout)


def check_out(out: Any, inputs: tuple[Any, Any], shape: tuple[int, ...], dtype: np.dtype) -> None:
    """Refuse an array that cannot receive the result.

    Raises
    ------
    PlanError
        A ValueError that says what `out` must be.
    """
    array: Any = cl_array.Array if isinstance(inputs[0], cl_array.Array) else np.ndarray
    if not isinstance(out, array):
        kind = "NumPy array" if array is np.ndarray else "device array"
        raise PlanError(f"out must be a {kind}, as the inputs are")
    if out.shape != shape or out.dtype != dtype:
        raise PlanError(
            f"out must be {dtype} of the shape {shape}, not {out.dtype} of the shape {out.shape}"
        )
    given: Any = out
    if array is np.ndarray:
        if not out.flags.writeable:
            raise PlanError("out is read-only: pass an array that can be written to")
        shared = any(np.may_share_memory(out, each) for each in inputs)
    else:
        shared = any(given.base_data == each.base_data for each in inputs)
    if shared:
        raise PlanError("out shares memory with an input: pass another array")
