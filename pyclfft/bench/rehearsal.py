"""A rival's first transform in a process of its own, as some end the process that they run in.

PoCL, for one, crashes on VkFFT's kernels for 2^18 points.
"""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pyopencl as cl

from ..runtime.device import context_of, devices, queue_of
from .cases import Workload


def rehearse(device: cl.Device, workload: Workload) -> None:
    """Let VkFFT transform once in another process.

    Parameters
    ----------
    device : cl.Device
        One of `pyclfft.devices`.
    workload : Workload
        What to transform.

    Raises
    ------
    RuntimeError
        That process has ended before it was done.
    """
    task = pickle.dumps((devices().index(device), workload))
    done = subprocess.run(
        [sys.executable, "-m", __spec__.name], input=task, capture_output=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"it ends its process: exit status {done.returncode}")


def main() -> None:
    """Do what standard input says."""
    from .rivals import VkFFT

    number, workload = pickle.loads(sys.stdin.buffer.read())
    rival = VkFFT(queue_of(context_of(devices()[number])))
    rival.prepare(workload, np.zeros(workload.source_shape, workload.source_dtype))()
    rival.synchronize()


if __name__ == "__main__":
    main()
