"""The end of a process that has launched a transform and does not wait for its result."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pyclfft.runtime.vendors import runtime_of
from tests.conftest import place_of

# Functions of atexit run in the opposite order of their registration: `_tell` runs after pyclfft's.
SCRIPT = """
import atexit, os

def _tell():
    print(done.command_execution_status, flush=True)
    LEAVE

atexit.register(_tell)
import pyopencl as cl, pyopencl.array as cl_array
import pyclfft
from pyclfft.runtime import ending

queue = QUEUE
x = cl_array.zeros(queue, (4, 1009), "c8")
gate = cl.UserEvent(queue.context)
x.add_event(gate)
plan = pyclfft.Plan(x.shape, "c8", -1)
y = plan(x)
done = y.events[-1]
END
"""

QUEUES = {
    "the thread's queue": "pyclfft.default_queue()",
    "a queue of the caller": "cl.CommandQueue(pyclfft.default_queue().context)",
    "a queue out of order": (
        "cl.CommandQueue(pyclfft.default_queue().context, "
        "properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)"
    ),
}


def _status_at_the_end(device, queue: str, end: str, leave: str = "pass") -> str:
    """Return what the script says of its last command, after pyclfft's own function of the end."""
    code = SCRIPT.replace("QUEUE", queue).replace("END", end).replace("LEAVE", leave)
    environment = {**os.environ, "PYCLFFT_DEVICE": place_of(device), "PYOPENCL_NO_CACHE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=600, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("queue", QUEUES.values(), ids=QUEUES.keys())
def test_the_process_waits_for_a_transform(device, tmp_path, monkeypatch, queue):
    """The empty cache makes PoCL compile the kernel; other runtimes may end with the process."""
    monkeypatch.setenv("POCL_CACHE_DIR", str(tmp_path))
    status = _status_at_the_end(device, queue, "gate.set_status(0)")
    assert status == "0" or not runtime_of(device).compiles_late


def test_the_process_does_not_wait_for_ever(device):
    """Nobody sets the event that the transform waits for.

    pyclfft waits only for runtimes that compile late. If a runtime does not, the process leaves as
    soon as pyclfft's function has run: with NVIDIA's driver on an H100 it would not end by itself.
    """
    leave = "pass" if runtime_of(device).compiles_late else "os._exit(0)"
    queue = QUEUES["the thread's queue"]
    assert _status_at_the_end(device, queue, "ending.SECONDS = 0.5", leave) != "0"
