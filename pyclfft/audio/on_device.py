"""Work on device arrays beside transforms: uploads, results, and launches of kernels by name."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, cast

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..errors import PlanError
from ..planning.parameters import parameters_for
from ..planning.pass_parts import defines, device_size
from ..planning.planner import require_precision
from ..planning.precision import READABLE, REAL_DTYPE
from ..runtime import describe, memory
from ..runtime.operation import allocator_of, new_array, queue_for
from ..runtime.program import program
from ..runtime.shift import converted
from ..transforms.call import readable


def uploaded(array: Any, queue: cl.CommandQueue) -> cl_array.Array:
    """Return an array on the device whose elements lie one behind the other in C order.

    Parameters
    ----------
    array : ndarray or pyopencl.array.Array
        Numbers of a dtype that transforms read.
    queue : cl.CommandQueue
        The queue of a host array's upload.

    Returns
    -------
    pyopencl.array.Array
        `array` itself if it is such an array already.
    """
    if isinstance(array, cl_array.Array):
        is_plain = array.flags.c_contiguous and not array.offset
        return array if is_plain else converted(array, array.dtype)
    allocate = memory.allocator(queue.context)
    return cl_array.to_device(queue, np.ascontiguousarray(array), allocator=allocate)


def real_samples(y: Any, name: str = "y") -> Any:
    """Return signals as an array of float32 or float64, where they are.

    Parameters
    ----------
    y : array_like or pyopencl.array.Array, shape (..., samples)
        What a caller gives.
    name : str
        The name of the caller's parameter.

    Raises
    ------
    PlanError
        The signals are complex, or have no samples.
    """
    signal = readable(y)
    if signal.dtype.kind == "c":
        raise PlanError(f"{name} is complex ({signal.dtype}): take its real part")
    if not signal.ndim or not prod(signal.shape):
        raise PlanError(f"{name} has no samples: its shape is {signal.shape}")
    return signal


def precision_of(array: Any) -> str:
    """Return the precision, "single" or "double", of an array that transforms read."""
    return READABLE[array.dtype][0]


def queue_with(queue: cl.CommandQueue | None, precision: str, *arrays: Any) -> cl.CommandQueue:
    """Return the queue of an operation on arrays; refuse a device without the precision."""
    queue = queue_for(queue, *arrays)
    require_precision(precision, describe.traits(queue.device))
    return queue


def result_like(
    given: Any, queue: cl.CommandQueue, shape: Sequence[int], dtype: Any
) -> cl_array.Array:
    """Return a new device array for a result, by the allocator of what was given if that has one.

    Parameters
    ----------
    given : ndarray or pyopencl.array.Array
        An input of the operation.
    queue : cl.CommandQueue
        The queue that the operation runs on.
    shape, dtype
        The shape and the dtype of the result.
    """
    allocator = allocator_of(given, queue) if isinstance(given, cl_array.Array) else None
    return new_array(queue, allocator, tuple(shape), np.dtype(dtype))


def launch(
    queue: cl.CommandQueue,
    kernel: str,
    source: str,
    items: tuple[int, ...],
    *arguments: Any,
    precision: str = "single",
    group: int = 0,
    **macros: int | str,
) -> None:
    """Launch a kernel on device arrays, after the events that these carry.

    Parameters
    ----------
    queue : cl.CommandQueue
        The queue to run on.
    kernel, source : str
        The kernel's name, and its file within ``cl/``.
    items : tuple of int
        The number of work-items along each dimension; the kernel checks its bounds.
    *arguments : pyopencl.array.Array, ndarray, int or float
        In the kernel's order: device arrays, which carry the event of the launch afterwards; tables
        to upload; an int for a parameter of type uint, and a float for one of type real. NumPy's
        own numbers go as they are.
    precision : {"single", "double"}
        The precision of real numbers.
    group : int
        The number of work-items in a group, if the kernel asks for it.
    **macros : int or str
        The macros with which the kernel's file is compiled.

    Raises
    ------
    DeviceMemoryError, BuildError
        The device is out of memory, or the kernel does not compile.
    """
    if not prod(items):
        return
    traits = describe.traits(queue.device)
    preferred = parameters_for(traits)["group"]
    sizes = (items, (group,)) if group else device_size(items, preferred, traits)
    context = queue.context
    built = cl.Kernel(program(context, source, defines(precision, **macros)), kernel)
    real = REAL_DTYPE[precision].type
    arrays = [each for each in arguments if isinstance(each, cl_array.Array)]
    with memory.refusals(queue, 0):
        values = [_value(each, context, real) for each in arguments]  # kept until the launch
        built.set_args(*values)
        waiting = [event for each in arrays for event in each.events]
        event = cl.enqueue_nd_range_kernel(queue, built, *sizes, wait_for=waiting or None)
    for each in arrays:
        each.add_event(event)


def _value(argument: Any, context: cl.Context, real: type) -> Any:
    """Return what OpenCL takes for an argument of a kernel."""
    if isinstance(argument, cl_array.Array):
        return cast("cl.Buffer", argument.base_data)
    if isinstance(argument, np.ndarray):
        return memory.constant(context, argument)
    if isinstance(argument, int):
        return np.uint32(argument)
    return real(argument) if isinstance(argument, float) else argument
