"""Devices that their driver has lost: how an error says so, and what is forgotten then."""

from __future__ import annotations

from contextlib import suppress

import pyopencl as cl

from ..errors import DeviceError
from . import cache, describe, queues

# Errors by which drivers say that a device, or its queue, is gone. The last one is NVIDIA's, after
# a kernel has read or written where it must not: the driver then ends the whole context.
_LOST = (
    cl.status_code.DEVICE_NOT_AVAILABLE,
    cl.status_code.INVALID_COMMAND_QUEUE,
    -9999,
)
# Errors that have other causes, too: too little memory, or an event of another context. The device
# is lost if its queue does not even take a marker.
_DOUBTFUL = (cl.status_code.OUT_OF_RESOURCES, cl.status_code.INVALID_CONTEXT)


Place = cl.Context | cl.CommandQueue  # where a command has failed; a queue says more


def is_lost(error: cl.Error, place: Place) -> bool:
    """Return whether an error means that the driver has lost a device, or a queue of it.

    Parameters
    ----------
    error : cl.Error
        The error of a command.
    place : cl.CommandQueue or cl.Context
        The queue of the command. For a context it is this thread's queue.

    Returns
    -------
    bool
    """
    return error.code in _LOST or (error.code in _DOUBTFUL and not _answers(place))


def _answers(place: Place) -> bool:
    """Return whether a queue takes a command, without a wait for it: others may come before it."""
    try:
        queue = queues.queue_of(place) if isinstance(place, cl.Context) else place
        cl.enqueue_marker(queue)
        queue.flush()
    except (cl.Error, DeviceError):
        return False
    return True


def lost(error: cl.Error, place: Place) -> DeviceError:
    """Forget what belongs to a lost device, and return the error that tells a caller what to do.

    The context, its queue and all caches are forgotten, so that the next call begins anew. The
    caches of other devices are emptied, too, which costs their next calls some time. Plans and
    queues that others still use go on working, if their device does.

    Parameters
    ----------
    error : cl.Error
        The error of a command.
    place : cl.CommandQueue or cl.Context
        The queue, or only the context, of the command.

    Returns
    -------
    DeviceError
        The error to raise.
    """
    name = "the device"
    with suppress(cl.Error):  # a lost queue may not even tell its context
        context = place if isinstance(place, cl.Context) else place.context
        queues.forget(context)
        name = describe.traits(context.devices[0]).name
    cache.clear()
    return DeviceError(
        f"{name} is lost ({error}): there is no result, and what arrays on the device held is "
        "gone. Make plans and arrays anew and call again; if that fails, too, start a new process, "
        "or choose another device with use_device"
    )


def device_of(place: Place) -> cl.Device:
    """Return the device of a queue, or of a context that has one alone."""
    return place.devices[0] if isinstance(place, cl.Context) else place.device


def finish(queue: cl.CommandQueue) -> None:
    """Wait until a queue runs nothing, after an error: a lost queue runs nothing anyway."""
    with suppress(cl.Error):
        queue.finish()
