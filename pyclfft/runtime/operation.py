"""What all operations share: their queue, results of callers and new ones, the order of events.

An operation runs an executable on an array of the host or of the device: a plan, an image filter,
frames of signals. What it has of its own are the shapes and dtypes that it takes.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..errors import DeviceError, PlanError
from ..planning.problem import contiguous_strides
from . import loss, memory, queues
from .executable import Executable, run_on_host
from .profile import Recorder

# What pyclfft knows of a new array, pyopencl takes longer to find out than a launch takes. Its own
# operations tell it by parameters that it does not document. A version without them finds out.
_KNOWN = {"_fast", "_size", "_context", "_queue"}
_TAKES_WHAT_IS_KNOWN = inspect.signature(cl_array.Array.__init__).parameters.keys() >= _KNOWN


def queue_for(queue: cl.CommandQueue | None, *arrays: Any) -> cl.CommandQueue:
    """Return the queue that an operation on arrays runs on.

    Parameters
    ----------
    queue : cl.CommandQueue or None
        The queue that the caller wishes, if any.
    arrays : array_like
        The operation's arrays; only device arrays matter.

    Returns
    -------
    cl.CommandQueue
        The caller's queue. If the caller wishes none, it is the queue of the first device array, or
        if that has none, this thread's queue of its context. Without device arrays it is the
        default queue.

    Raises
    ------
    PlanError
        `queue` is not a queue, or a device array belongs to another context.
    """
    require_queue(queue)
    on_device: list[Any] = [each for each in arrays if isinstance(each, cl_array.Array)]
    if queue is None and on_device:
        queue = on_device[0].queue or queues.queue_of(on_device[0].context)
    if queue is None:
        queue = queues.default_queue()
    for array in on_device:
        if array.context != queue.context:
            raise PlanError(
                "not all device arrays are of the queue's context: upload them to the queue on "
                "which the operation is to run"
            )
    return queue


def require_queue(queue: Any) -> None:
    """Refuse anything that is neither a queue nor None.

    Raises
    ------
    PlanError
        `queue` is neither; the message names its type.
    """
    if queue is not None and not isinstance(queue, cl.CommandQueue):
        raise PlanError(
            f"queue must be a pyopencl.CommandQueue, not {type(queue).__name__}: leave it out for "
            "the default queue"
        )


def require_out(x: Any, out: Any) -> None:
    """Refuse an array for the result that is not where the input is, or that is read-only.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array
        The input.
    out : object
        What the caller gives for the result.

    Raises
    ------
    PlanError
        `out` is no device array beside a device array, no NumPy array beside any other input, or a
        NumPy array that cannot be written to.
    """
    kind = type(out).__name__
    if isinstance(x, cl_array.Array):
        if not isinstance(out, cl_array.Array):
            raise PlanError(f"out must be a device array, as the input is, not {kind}")
    elif not isinstance(out, np.ndarray):
        raise PlanError(f"out must be a NumPy array, not {kind}, as the input is on the host")
    elif not out.flags.writeable:
        raise PlanError("out is read-only: pass an array that can be written to")


def allocator_of(x: cl_array.Array, queue: cl.CommandQueue) -> Any:
    """Return the allocator of a device array for the result of an operation on a queue.

    If the operation runs on another queue than the array's, it is None, pyclfft's own: a pool of
    memory, such as pyopencl's, hands out what the array's queue may still be using.
    """
    return x.allocator if x.queue is None or x.queue == queue else None


def new_array(
    queue: cl.CommandQueue, allocator: Any, shape: tuple[int, ...], dtype: np.dtype
) -> cl_array.Array:
    """Return a device array for a result, as pyopencl's own operations make it.

    Parameters
    ----------
    queue : cl.CommandQueue
        The queue of the array.
    allocator : callable or None
        The allocator of the input; None stands for pyclfft's own.
    shape, dtype
        The shape and the dtype of the array.

    Returns
    -------
    pyopencl.array.Array

    Raises
    ------
    DeviceMemoryError
        The device is out of memory.
    """
    strides, size, nbytes = _layout(shape, dtype)
    allocate = allocator or memory.allocator(queue.context)
    if not (size and _TAKES_WHAT_IS_KNOWN):
        data = allocate(nbytes) if size else None  # there are no empty buffers
        return cl_array.Array(queue, shape, dtype, allocator=allocator, data=data)
    return cl_array.Array(
        None,
        shape,
        dtype,
        allocator=allocator,
        data=allocate(nbytes),
        strides=strides,
        _fast=True,
        _size=size,
        _context=queue.context,
        _queue=queue,
    )


@lru_cache(maxsize=256)
def _layout(shape: tuple[int, ...], dtype: np.dtype) -> tuple[tuple[int, ...], int, int]:
    """Return the strides in bytes, the number of elements and the bytes of an array in C order."""
    strides = tuple(dtype.itemsize * stride for stride in contiguous_strides(shape))
    return strides, prod(shape), prod(shape) * dtype.itemsize


def new_like(
    x: Any, shape: tuple[int, ...], dtype: np.dtype, queue: cl.CommandQueue | None = None
) -> Any:
    """Return a new array for a result, on the host or on the device, wherever the input is.

    Parameters
    ----------
    x : ndarray or pyopencl.array.Array
        The input.
    shape, dtype
        The shape and the dtype of the new array.
    queue : cl.CommandQueue, optional
        The queue of a device array; by default the one that `queue_for` returns for `x`.

    Returns
    -------
    ndarray or pyopencl.array.Array
        A NumPy array lies in the memory of an earlier result, as `memory.empty` says.

    Raises
    ------
    DeviceMemoryError
        The device is out of memory.
    """
    if not isinstance(x, cl_array.Array):
        return memory.empty(shape, dtype)
    queue = queue_for(queue, x)
    return new_array(queue, allocator_of(x, queue), shape, dtype)


def run(
    executable: Executable,
    queue: cl.CommandQueue,
    source: Any,
    target: Any,
    wait_for: Sequence[cl.Event] = (),
    recorder: Recorder | None = None,
) -> None:
    """Run on two arrays of the host, by `run_on_host`, or of the device, by `run_on_device`.

    Raises
    ------
    DeviceMemoryError
        The device is out of memory.
    DeviceError
        The device did not do its work, or an event of `wait_for` has failed.
    """
    try:
        if isinstance(target, cl_array.Array):
            run_on_device(executable, queue, source, target, wait_for, recorder)
        else:
            run_on_host(executable, queue, source, target, recorder, wait_for)
    except cl.Error as error:
        raise failed(queue, error) from error


def failed(place: loss.Place, error: cl.Error) -> DeviceError:
    """Return the error that tells a caller what to do where a command of a queue has failed."""
    if loss.is_lost(error, place):
        return loss.lost(error, place)
    return DeviceError(
        f"{loss.device_of(place).name} did not finish its work ({error}): there is no result. If "
        "it fails again, its driver has lost it or an event in wait_for= has failed: start a new "
        "process, or choose another device with use_device"
    )


def run_on_device(
    executable: Executable,
    queue: cl.CommandQueue,
    source: cl_array.Array,
    target: cl_array.Array,
    wait_for: Sequence[cl.Event] = (),
    recorder: Recorder | None = None,
) -> None:
    """Run on device arrays after the events that they carry; the target then carries the end's.

    Parameters
    ----------
    executable : Executable
        The executable to run.
    queue : cl.CommandQueue
        The queue to run it on.
    source, target : pyopencl.array.Array
        The input and the result, which may be one array.
    wait_for : sequence of cl.Event
        Events to wait for, beside those that the arrays carry.
    recorder : Recorder, optional
        An object that remembers every event; it needs a profiling queue.

    Raises
    ------
    DeviceError, DeviceMemoryError
        See `Executable.enqueue`.
    """
    before, after = source.events, target.events
    events: Sequence[cl.Event] = after
    if wait_for or (before and before is not after):  # views of one array share one list of events
        events = [*wait_for, *before, *(after if after is not before else ())]
    given: Any = source.base_data
    result: Any = target.base_data
    # The new event comes after all earlier events of the array: who waits for it need not wait for
    # them.
    after[:] = [executable.enqueue(queue, given, result, events, recorder)]
