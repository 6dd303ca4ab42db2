"""Trying a device in a child process, because a compiler that crashes ends its process.

`fault` starts ``python -m pyclfft.runtime.trial``. The child builds and runs one kernel, which has
what pyclfft's kernels have: functions with pointers to private and local memory, unrolled loops, a
switch, structs and barriers. The child has folders of its own, so that it damages no cache.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyopencl as cl

from . import icd
from .describe import code_identity

SECONDS = 60  # after which the compiler counts as one that never ends
ITEMS, POINTS = 8, 4  # of the kernel below
KERNEL = """
typedef struct { uint item; local float2 *room; } Me;
#define UNROLL __attribute__((opencl_unroll_hint))

static inline __attribute__((always_inline)) void turn(float2 *x, uint stride, uint quarters)
{
    UNROLL for (uint r = 0; r < 4; r++)
        switch (quarters) {
        case 0: break;
        case 1: x[r * stride] = (float2)(-x[r * stride].y, x[r * stride].x); break;
        case 2: x[r * stride] = -x[r * stride]; break;
        default: x[r * stride] = (float2)(x[r * stride].y, -x[r * stride].x);
        }
}

static inline __attribute__((always_inline)) void exchange(float2 *x, Me me)
{
    UNROLL for (uint r = 0; r < 4; r++)
        me.room[me.item * 4 + r] = x[r];
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL for (uint r = 0; r < 4; r++)
        x[r] = me.room[me.item + r * 8];
}

kernel __attribute__((reqd_work_group_size(8, 1, 1))) void trial(global float2 *data)
{
    local float2 room[32];
    float2 x[4];
    Me me = {get_local_id(0), room};
    UNROLL for (uint r = 0; r < 4; r++)
        x[r] = data[me.item + r * 8];
    turn(x, 1, me.item % 4);
    exchange(x, me);
    UNROLL for (uint r = 0; r < 4; r++)
        data[me.item + r * 8] = x[r];
}
"""


# --- in the parent --------------------------------------------------------------------------------


def fault(device: cl.Device) -> str | None:
    """Return how a child process fails that builds and runs a kernel on a device.

    Parameters
    ----------
    device : pyopencl.Device
        Any device.

    Returns
    -------
    str or None
        What the compiler did wrong; empty if the kernel is right. None if there is no verdict: no
        child can be started, or it does not see the device.
    """
    if "python" not in Path(sys.executable or "").name.lower():  # a program that embeds Python
        return None
    with tempfile.TemporaryDirectory(prefix="pyclfft-trial-", ignore_cleanup_errors=True) as folder:
        try:
            done = subprocess.run(
                [sys.executable, "-m", __spec__.name, json.dumps(code_identity(device))],
                env=_environment(folder), cwd=folder, timeout=SECONDS, check=False,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                text=True,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"its compiler takes more than {SECONDS} s for a small kernel"
        except OSError:
            return None
    return _verdict(done.returncode, done.stdout)


def _environment(folder: str) -> dict[str, str]:
    """Return a child's environment: the parent's package, but a folder of the child's own."""
    package = str(Path(__file__).resolve().parents[2])
    paths = filter(None, (package, os.environ.get("PYTHONPATH")))
    own = dict.fromkeys(("PYCLFFT_CACHE_DIR", "XDG_CACHE_HOME", "TMPDIR"), folder)
    return {**os.environ, **own, "PYTHONPATH": os.pathsep.join(paths)}


def _verdict(code: int, said: str) -> str | None:
    """Return what a child's exit status and output mean, as `fault` does."""
    with suppress(ValueError, IndexError):  # a runtime may have written lines of its own
        return str(json.loads(said.splitlines()[-1]))
    if code in (0, 1):  # the device is not there, or Python failed
        return None
    return f"its compiler crashes ({_name(code)}) at a small kernel"


def _name(code: int) -> str:
    """Return what a person calls the exit status of a process that has crashed."""
    with suppress(ValueError):
        return signal.Signals(-code).name
    return f"exit status {code}"


# --- in the child ---------------------------------------------------------------------------------


def main(about: str) -> None:
    """Print the fault of the device that `about` identifies; print nothing if it is not here."""
    _leave_no_core()
    wanted = tuple(json.loads(about))
    devices = (each for platform in icd.platforms() for each in _devices(platform))
    for device in devices:
        if code_identity(device) == wanted:
            print(json.dumps(_fault_here(device)))
            return


def _leave_no_core() -> None:
    """Let no crash fill the disk with an image of the process."""
    with suppress(ImportError, ValueError, OSError):  # Windows has no such module
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _devices(platform: cl.Platform) -> list[Any]:
    with suppress(cl.Error):  # "no device" is an error to some runtimes
        return list(platform.get_devices())
    return []


def _fault_here(device: cl.Device) -> str:
    """Build the kernel and run it, in this process; return what is wrong."""
    context = cl.Context([device])
    given = np.arange(2 * ITEMS * POINTS, dtype=np.float32).view(np.complex64)
    found = np.empty_like(given)
    try:
        program = cl._Program(context, KERNEL)  # pyopencl's inner class, which has no disk cache
        program._build(b"", [device])
        kernel = cl.Kernel(cl.Program(program), "trial")
        with cl.CommandQueue(context) as queue:
            flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
            data = cl.Buffer(context, flags, hostbuf=given)
            kernel(queue, (ITEMS,), (ITEMS,), data)
            cl.enqueue_copy(queue, found, data)
    except cl.Error as error:
        return f"a small kernel fails on it: {error}"
    return "" if np.array_equal(found, _expected(given)) else "it computes a small kernel wrong"


def _expected(given: np.ndarray) -> np.ndarray:
    """Return the kernel's result: turned by quarters, and exchanged between the work-items."""
    turned = given.reshape(POINTS, ITEMS) * np.array([1, 1j, -1, -1j] * 2, np.complex64)
    return turned.T.ravel()


if __name__ == "__main__":
    main(sys.argv[1])
