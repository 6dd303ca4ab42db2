"""A program for mpiexec: transforms in a loop, in which the last rank fails as the argument says.

``kill`` ends the process of the rank by a signal. ``raise`` lets a transform raise an error on it,
while the other ranks wait for its piece. The others must not wait forever.
"""

from __future__ import annotations

import os
import signal
import sys

import numpy as np
from mpi4py import MPI

from pyclfft import distributed
from pyclfft.distributed.lanes import Lane

COMM = MPI.COMM_WORLD
LAST = COMM.rank == COMM.size - 1


def fail(*arguments):
    """What the last rank does instead of a transform."""
    if sys.argv[1] == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    raise MemoryError("the device is full")


if LAST:
    Lane.transform = fail
while True:
    distributed.fftn(None if COMM.rank else np.ones((64, 64), "complex64"))
