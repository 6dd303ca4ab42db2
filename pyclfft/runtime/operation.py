"""What all operations on arrays have in common: today, the choice of the queue."""

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
