"""Contexts and queues: one context for each device, one queue for each context and thread."""

from __future__ import annotations

import threading

import pyopencl as cl

from ..errors import DeviceError
from . import choice, forks
from .describe import device_label
from .forks import require_own_process

_REMEDY = ": start a new process, or choose another device with use_device"
_contexts: dict[cl.Device, cl.Context] = {}
_forgotten: list[cl.Context] = []  # kept, since others may still have queues and buffers in them


def context_of(device: cl.Device) -> cl.Context:
    """Return the context that pyclfft uses on a device: one for each device, for the whole process.

    Intel's runtime invalidates a context that Python no longer references, even while a queue or
    a buffer in it exists. So this module references every context until the process ends.

    Parameters
    ----------
    device : pyopencl.Device
        Any device.

    Returns
    -------
    pyopencl.Context
        A context of this device alone, since copies between devices of one context can be slow.

    Raises
    ------
    DeviceError
        The runtime refuses to make a context, for example since another process has the device to
        itself; or this process was forked from one that has used OpenCL.
    """
    known = _contexts.get(device)
    if known is not None:  # without the lock, since every transform of a NumPy array asks
        return known
    require_own_process()
    with forks.lock:
        if device not in _contexts:
            try:
                _contexts[device] = cl.Context([device])
            except cl.Error as error:
                label = device_label(device)
                raise DeviceError(f"no context on {label}: {error}{_REMEDY}") from error
        return _contexts[device]


class _Queues(threading.local):
    """The queues of one thread."""

    def __init__(self) -> None:
        self.of: dict[cl.Context, cl.CommandQueue] = {}


_queues = _Queues()


def default_queue() -> cl.CommandQueue:
    """Return the queue that transforms of NumPy arrays run on: one for each thread and device.

    The queue runs its commands in order, in the context that pyclfft uses on the default device.
    Each thread has a queue of its own, so that it never waits for what another thread has enqueued.
    All threads share the context, so that a buffer which one thread made is valid in all of them.

    Returns
    -------
    pyopencl.CommandQueue
        The same queue for every call in this thread, until the default device changes.

    Raises
    ------
    DeviceError
        There is no usable device, its runtime refuses to make a context, or this process was forked
        from one that has used OpenCL.

    See Also
    --------
    default_device : Return the queue's device.
    allocator : Return a function that allocates memory for arrays on the queue.

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


def queue_on(spec: str = "") -> cl.CommandQueue:
    """Return this thread's queue of a device, which need not be the default one.

    Parameters
    ----------
    spec : str
        The device, in the words of `use_device`; empty for the default one.

    Returns
    -------
    pyopencl.CommandQueue
        A queue that runs its commands in order.

    Raises
    ------
    DeviceError
        No device fits these words, or as `default_queue` raises it.
    """
    return queue_of(context_of(choice.select_device(spec or None)))


def queue_of(context: cl.Context) -> cl.CommandQueue:
    """Return this thread's queue of a context, as `default_queue` does for the default device's.

    Parameters
    ----------
    context : pyopencl.Context
        A context of one device.

    Returns
    -------
    pyopencl.CommandQueue
        A queue that runs its commands in order.

    Raises
    ------
    DeviceError
        The runtime refuses to make a queue, or this process was forked from one that has used
        OpenCL.
    """
    require_own_process()
    known = _queues.of.get(context)
    if known is None:
        try:
            known = _queues.of[context] = cl.CommandQueue(context)
        except cl.Error as error:
            label = device_label(context.devices[0])
            raise DeviceError(f"no queue on {label}: {error}{_REMEDY}") from error
    return known


def of_this_thread() -> tuple[cl.CommandQueue, ...]:
    """Return the queues of all devices that this thread has been given."""
    return tuple(_queues.of.values())


def forget(context: cl.Context) -> None:
    """Forget a context and this thread's queue of it: the next call that needs them makes new ones.

    Parameters
    ----------
    context : pyopencl.Context
        Any context. Queues and buffers that others have in it stay valid.
    """
    _queues.of.pop(context, None)
    with forks.lock:
        for device, known in list(_contexts.items()):
            if known == context:
                _forgotten.append(_contexts.pop(device))
