"""Whether this process may use OpenCL: not if it was forked from one that has used it."""

from __future__ import annotations

import os
import threading

from ..errors import DeviceError
from . import icd

# Held while something is found or made that a process has once: a device's defect, its context.
# After a fork it is a new lock, so look it up in this module.
lock = threading.RLock()
_orphaned = False  # whether this process was forked from one in which runtimes had their threads


def _after_fork() -> None:
    """Find out whether this child has runtimes without threads; renew locks that threads held."""
    global lock, _orphaned
    lock = threading.RLock()
    icd.renew_lock()
    _orphaned = _orphaned or icd.has_been_asked()


def require_own_process() -> None:
    """Refuse to use OpenCL in a process that was forked from one that has used it.

    Runtimes have threads, which a forked process lacks: some commands would wait for ever. Whatever
    enqueues, allocates or builds asks this first.

    Raises
    ------
    DeviceError
        This is such a process.
    """
    if _orphaned:
        raise DeviceError(
            "this process was forked from one that has used OpenCL, and runtimes do not survive "
            'that: start processes with multiprocessing\'s method "spawn" or "forkserver", or fork '
            "before OpenCL is first used"
        )


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_after_fork)
