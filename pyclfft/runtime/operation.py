"""What every operation on arrays has in common: today, the queue that it runs on."""

from __future__ import annotations

from typing import Any

import pyopencl as cl
import pyopencl.array as cl_array

from ..errors import PlanError
from . import queues


def queue_for(queue: cl.CommandQueue | None, *arrays: Any) -> cl.CommandQueue:
    """Return the queue that an operation on arrays runs on.

    Parameters
    ----------
    queue : cl.CommandQueue or None
        What the caller wishes.
    arrays : array_like
        The operation's arrays; only those on a device matter.

    Returns
    -------
    cl.CommandQueue
        The caller's; without a wish that of the first device array, or this thread's queue of its
        context; without device arrays the default queue.

    Raises
    ------
    PlanError
        The queue is none, or a device array is of another context.
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
    """Refuse what is neither a queue nor None.

    Raises
    ------
    PlanError
        Of what it is.
    """
    if queue is not None and not isinstance(queue, cl.CommandQueue):
        raise PlanError(
            f"queue must be a pyopencl.CommandQueue, not {type(queue).__name__}: leave it out for "
            "the default queue"
        )
