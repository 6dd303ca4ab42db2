"""Whether the commands of events are over, and whether they have failed."""

from __future__ import annotations

import pyopencl as cl

from ..errors import DeviceError

_COMPLETE = int(cl.command_execution_status.COMPLETE)  # a status below it means failure


def is_pending(event: cl.Event) -> bool:
    """Return whether a command is not over. One that has failed is: to wait for it would fail."""
    try:
        return event.command_execution_status > _COMPLETE
    except cl.Error:  # its queue is lost
        return False


def has_succeeded(event: cl.Event) -> bool:
    """Return whether an event's command has ended, and refuse one that has failed.

    PoCL waits for ever for an event that has failed.

    Raises
    ------
    DeviceError
        The command has failed.
    """
    status = event.command_execution_status
    if status < _COMPLETE:
        raise DeviceError(
            f"a command that this was to wait for has failed (status {status}): do again what it "
            "was to do"
        )
    return status == _COMPLETE
