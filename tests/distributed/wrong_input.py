"""A program for mpiexec: what ranks must not pass. Every rank gets an error, and none hangs."""

from __future__ import annotations

import re
import traceback

import numpy as np
import pytest
from mpi4py import MPI

from pyclfft import distributed
from pyclfft.errors import PyclfftError

COMM = MPI.COMM_WORLD
ROOT = COMM.rank == 0
LAST = COMM.rank == COMM.size - 1
X = np.ones((8, 6), "complex64")


def blocks(shape, dtype="complex64"):
    """This rank passes a block of this shape."""
    return distributed.fftn(np.ones(shape, dtype), local=True)


def whole(x=X, **options):
    """Rank 0 passes an array, the others None."""
    return distributed.fftn(x if ROOT else None, **options)


# What a rank does, and a part of the error that every rank has to get.
CASES = {
    "shape": (lambda: blocks((4, 7) if LAST else (4, 6)), "(4, 7)"),
    "shape=": (lambda: distributed.fftn(X[:4], local=True, shape=(9, 6)), "shape=(9, 6)"),
    "dtype": (lambda: blocks((4, 6), "c16" if LAST else "c8"), "complex128, but rank 0 passes"),
    "axes": (lambda: whole(axes=0 if LAST else 1), "rank 1 passes axes=(0,)"),
    "norm": (lambda: whole(norm="best" if LAST else None), "best"),
    "function": (lambda: whole() if LAST else distributed.ifftn(X), "function='fftn'"),
    "nothing": (lambda: whole(None), "rank 0 passes no array"),
    "everybody": (lambda: distributed.fftn(X), "local=True"),
    "pencils": (lambda: whole(partition="pencil"), 'partition="slab"'),
    "no axis": (lambda: whole(axes=7), "axes exceeds dimensionality"),
    "text": (lambda: whole(np.array(["a"])), "rank 0 has failed" if not ROOT else "could not"),
    "devices": (lambda: whole(X, devices=[]), "devices"),
}


def main() -> None:
    """Every rank gets an error of the expected text in each case."""
    for call, expected in CASES.values():
        with pytest.raises((PyclfftError, TypeError, ValueError), match=re.escape(expected)):
            call()
        COMM.Barrier()
    if ROOT:
        print(f"{len(CASES)} errors")


try:
    main()
except BaseException:  # the other rank would wait for this one
    traceback.print_exc()
    COMM.Abort(1)
