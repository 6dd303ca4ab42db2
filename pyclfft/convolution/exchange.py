"""Memory through which a stream's frames come to a device and back: it is allocated only once."""

from __future__ import annotations

import weakref
from contextlib import suppress
from math import prod
from typing import Any

import numpy as np
import pyopencl as cl

from ..errors import DeviceError
from ..runtime import describe, forks, memory


class Exchange:
    """Frames that the host and a device see in turns.

    If the device shares memory with the host, both use one array. Otherwise the frames are in host
    memory that the device reads and writes by itself, and are copied.

    Parameters
    ----------
    queue : cl.CommandQueue
        A queue of the context.
    shape : (int, int)
        The numbers of channels and frames.
    dtype : dtype
        The dtype of the frames.

    Attributes
    ----------
    frames : ndarray
        The frames, as the host sees them: zeros at the beginning.
    memory : cl.SVM or cl.Buffer
        The frames, as kernels see them.

    Raises
    ------
    DeviceMemoryError
        The device is out of memory.
    """

    def __init__(self, queue: cl.CommandQueue, shape: tuple[int, int], dtype: np.dtype) -> None:
        self.memory: Any
        self.is_shared = describe.traits(queue.device).shared_buffers
        if self.is_shared:
            self.frames = memory.shared(queue.context, shape, dtype)
            self.memory = cl.SVM(self.frames)
        else:
            nbytes = prod(shape) * dtype.itemsize
            self.frames = memory.pinned(queue, nbytes).view(dtype).reshape(shape)
            self.memory = memory.allocate(queue.context, nbytes)
        self.frames[...] = 0

    def send(self, queue: cl.CommandQueue) -> None:
        """Let the commands that follow on a queue see what the host has written."""
        if not self.is_shared:
            cl.enqueue_copy(queue, self.memory, self.frames, is_blocking=False)

    def fetch(self, queue: cl.CommandQueue, done: cl.Event) -> cl.Event:
        """Return the event after which the host sees what kernels have written until `done`."""
        if self.is_shared:
            return done
        event: Any = cl.enqueue_copy(
            queue, self.frames, self.memory, is_blocking=False, wait_for=[done]
        )
        return event


def seconds_between(first: cl.Event, last: cl.Event) -> float:
    """Return the seconds from the moment a command was enqueued to the end of another one."""
    return 1e-9 * (last.profile.end - first.profile.queued)


def finish_before_freeing(owner: object, *queues: cl.CommandQueue) -> None:
    """Wait for all commands on queues before an object, and its memory with it, goes away.

    Kernels may still run then, and neither they nor queues keep shared memory alive.
    """
    weakref.finalize(owner, _finish, queues)


def _finish(queues: tuple[cl.CommandQueue, ...]) -> None:
    for queue in queues:
        # The device may have failed, and in a forked process there is nothing to wait for.
        with suppress(cl.Error, DeviceError):
            forks.require_own_process()
            queue.finish()
