"""The end of the process: it waits for what PoCL still runs.

PoCL compiles a kernel when it is first launched, in a thread of its own. If the process ends while
that thread compiles, the compiler's memory goes away under it, and the process ends with a
segmentation fault. This happens to scripts whose last statement launches a transform and does not
wait for the result.
"""

from __future__ import annotations

import atexit
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Protocol
from weakref import WeakSet

import pyopencl as cl

from ..errors import DeviceError
from . import forks, queues
from .events import is_pending
from .vendors import runtime_of

SECONDS = 30.0  # the longest wait: a command may itself wait for an event that nobody will set
_PAUSE = 1e-3  # seconds between two looks at a queue


class HasQueues(Protocol):
    """An object whose calls have enqueued commands."""

    def queues(self) -> Iterable[cl.CommandQueue]:
        """Return the queues that the last calls have used."""


_owners: WeakSet[HasQueues] = WeakSet()


def will_wait_for(owner: HasQueues) -> None:
    """Let the end of the process wait for the queues of an object, if the object still exists then.

    Parameters
    ----------
    owner : HasQueues
        Any object. Queues cannot be asked directly, since Python knows no weak reference to them.
    """
    _owners.add(owner)


@atexit.register
def _wait() -> None:
    """Wait until PoCL has done what the known queues hold, for SECONDS at most."""
    with suppress(DeviceError):  # in a forked process there is nothing to wait for
        forks.require_own_process()
        used = {queue for owner in list(_owners) for queue in owner.queues()}
        end = time.monotonic() + SECONDS
        for queue in used.union(queues.of_this_thread()):
            with suppress(cl.Error):  # a lost queue runs nothing
                _wait_for(queue, end)


def _wait_for(queue: cl.CommandQueue, end: float) -> None:
    """Wait for all commands of a queue until a moment of `time.monotonic`."""
    if not runtime_of(queue.device).compiles_late:
        return
    marker = cl.enqueue_marker(queue)
    queue.flush()
    while is_pending(marker) and time.monotonic() < end:
        time.sleep(_PAUSE)
