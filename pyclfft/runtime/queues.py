"""Contexts and queues: one context for each device, one queue for each context and thread."""

from __future__ import annotations

import threading

import pyopencl as cl

from ..errors import DeviceError
from . import choice, forks
from .describe import device_label
from .forks import require_own_process

_contexts: dict[cl.Device, cl.Context] = {}


def context_of(device: cl.Device) -> cl.Context:
    """Return the context that pyclfft uses on a device: one for each, kept for the process.

    Intel's runtime invalidates a context that Python no longer references, even while a queue or
    a buffer in it exists; here it is always referenced.

    Parameters
    ----------
    device : pyopencl.Device
        Any device.

    Returns
    -------
    pyopencl.Context
        Of this device alone, as copies between the devices of one context can be very slow.

    Raises
    ------
    DeviceError
        The runtime refuses one, for example since the device is in exclusive use, or this process
        was forked from one that has used OpenCL.
    """
    require_own_process()
    if device in _contexts:  # early: every call of a function asks
        return _contexts[device]
    with forks.lock:
        if device not in _contexts:
            try:
                _contexts[device] = cl.Context([device])
            except cl.Error as error:
                raise DeviceError(f"no context on {device_label(device)}: {error}") from error
        return _contexts[device]


class _Queues(threading.local):
    """The queues of one thread."""

    def __init__(self) -> None:
        self.of: dict[cl.Context, cl.CommandQueue] = {}


_queues = _Queues()


def default_queue() -> cl.CommandQueue:
    """Return the queue that transforms of NumPy arrays run on: one for each thread and device.

    It is in order and belongs to ``context_of(default_device())``. Threads do not share it, so that
    none waits for what another has enqueued; buffers of one thread are valid in all.

    Returns
    -------
    pyopencl.CommandQueue
        The same one for every call in this thread, until the default device changes.

    Raises
    ------
    DeviceError
        As `default_device` and `context_of`.

    See Also
    --------
    default_device : Its device.
    allocator : Memory for arrays on it.

    Examples
    --------
    >>> import numpy as np
    >>> import pyopencl.array as cl_array
    >>> import pyclfft
    >>> x = cl_array.to_device(pyclfft.default_queue(), np.ones(4, "complex64"))
    >>> pyclfft.fft(x).get().real
    array([4., 0., 0., 0.], dtype=float32)
    """
    return queue_of(context_of(choice.default_device()))


def queue_of(context: cl.Context) -> cl.CommandQueue:
    """Return this thread's queue of a context, as `default_queue` does for the default device's.

    Parameters
    ----------
    context : pyopencl.Context
        Of one device.

    Returns
    -------
    pyopencl.CommandQueue
        In order.

    Raises
    ------
    DeviceError
        This process was forked from one that has used OpenCL.
    """
    require_own_process()
    if context not in _queues.of:
        _queues.of[context] = cl.CommandQueue(context)
    return _queues.of[context]
