"""Whether this process may use OpenCL: it may not if it was forked from one that has used it."""

from __future__ import annotations

import os
import threading

from ..errors import DeviceError
from . import icd

# Whoever finds or makes a thing that a process has once, such as a device's context, holds this
# lock. After a fork it is a new lock, so use it as `forks.lock` and keep no reference to it.
lock = threading.RLock()
_orphaned = False  # whether this process was forked from one in which runtimes had their threads


def _after_fork() -> None:
    """Note whether the parent has used OpenCL, and renew the locks that its threads may hold."""
    global lock, _orphaned
    lock = threading.RLock()
    icd.renew_lock()
    _orphaned = _orphaned or icd.has_been_asked()


def require_own_process() -> None:
    """Refuse to use OpenCL in a process that was forked from one that has used it.

    Runtimes have threads, which a forked process lacks, so that some commands would wait for ever.
    Every function that enqueues, allocates or builds calls this one first.

    Raises
    ------
    DeviceError
        This process was forked from one that has used OpenCL.
    """
    if _orphaned:
        raise DeviceError(
            "this process was forked from one that has used OpenCL, and runtimes do not survive "
            'that: start processes with multiprocessing\'s method "spawn" or "forkserver", or fork '
            "before OpenCL is first used"
        )


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_after_fork)
