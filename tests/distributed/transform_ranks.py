"""A program for mpiexec: transforms over its ranks, each compared with SciPy in long double.

Its argument names the device. It prints a line at its end; a rank that finds a wrong result raises.
"""

from __future__ import annotations

import math
import sys
import traceback

import numpy as np
import scipy.fft
from mpi4py import MPI

import pyclfft
from pyclfft import distributed
from tests.oracle import algorithm_for, bound, noise, of_few

COMM = MPI.COMM_WORLD
INVERSE = {"fftn": "ifftn", "rfftn": "irfftn"}

# Shape, dtype, the function and its parameters. Some shapes have fewer places than there are ranks.
CASES = (
    ((64, 48), "complex64", "fftn", {}),
    ((7, 5), "complex128", "fftn", {"norm": "ortho"}),
    ((2, 30), "complex64", "fftn", {}),
    ((33, 20), "float32", "rfftn", {}),
    ((20, 33), "float64", "rfftn", {"norm": "forward"}),
    ((12, 18), "float32", "fftn", {"s": (16, 10)}),
    ((5, 100), "complex64", "fftn", {"axes": -1}),
    ((100, 6), "complex64", "fftn", {"axes": 0}),
    ((16, 12, 10), "complex64", "fftn", {}),
    ((9, 14, 11), "float32", "rfftn", {}),
    ((9, 14, 11), "float64", "rfftn", {"partition": "slab", "axes": (2, 0, 1)}),
    ((8, 9, 10), "complex128", "fftn", {"partition": "pencil"}),
    ((6, 7, 5), "float32", "rfftn", {"partition": "pencil"}),
    ((3, 8, 9), "complex64", "fftn", {"axes": (1, 2)}),
    ((4, 3, 5, 6), "complex64", "fftn", {"partition": "pencil"}),
    ((1024,), "complex64", "fftn", {}),
    ((1000,), "complex128", "fftn", {"norm": "ortho"}),
    ((1, 360), "complex64", "fftn", {}),
    ((997,), "complex64", "fftn", {}),
    ((1009,), "float32", "fftn", {"s": 900}),
    ((900,), "complex64", "fftn", {"s": 1000}),
    ((1001,), "float32", "rfftn", {}),
    ((1024,), "float64", "rfftn", {}),
    ((1,), "complex64", "fftn", {}),
    ((0, 4), "complex64", "fftn", {"axes": 1}),
)


def main() -> None:
    """Check all cases, each with the whole array on rank 0 and with blocks, there and back."""
    pyclfft.use_device(sys.argv[1])
    for shape, dtype, name, options in CASES:
        x = noise(shape, dtype)
        expected = scipy_result(name, x, options)
        check_whole(name, x, expected, options)
        check_blocks(name, x, expected, options)
    COMM.Barrier()
    if not COMM.rank:
        print(f"{len(CASES)} cases on {COMM.size} ranks")


def scipy_result(name, x, options):
    """The result of SciPy in long double."""
    wide = x.astype(np.longdouble if name == "rfftn" else np.clongdouble)
    arguments = {key: value for key, value in options.items() if key != "partition"}
    return getattr(scipy.fft, name)(wide, **arguments)


def check_whole(name, x, expected, options):
    """Transform there and back with the whole array on rank 0; nobody else gets anything."""
    result = getattr(distributed, name)(None if COMM.rank else x, **options)
    back = getattr(distributed, INVERSE[name])(result, **back_of(x, options))
    if COMM.rank:
        assert (result, back) == (None, None)
        return
    compare(name, result, expected, ..., x, options)
    compare("back", back, cropped(x, options), ..., x, options)


def check_blocks(name, x, expected, options):
    """Transform there and back; each rank passes its own block, and gets its own."""
    asked = {key: value for key, value in options.items() if key != "norm"}
    asked["real"] = name == "rfftn"
    own = distributed.local_slices(x.shape, COMM, **asked)
    theirs = distributed.local_slices(x.shape, COMM, **asked, spectrum=True)
    how = {"comm": COMM, "local": True}
    block = getattr(distributed, name)(x[own], **how, shape=x.shape, **options)
    compare(name, block, expected, theirs, x, options)
    if "s" not in options:
        back = getattr(distributed, INVERSE[name])(
            block, **how, shape=expected.shape, **back_of(x, options)
        )
        compare("back", back, x, own, x, options)


def back_of(x, options):
    """The parameters of the way back: the lengths of a real result do not follow from its half."""
    axes = np.atleast_1d(options.get("axes", range(x.ndim))).tolist()
    return {**options, "s": options.get("s", [x.shape[axis] for axis in axes])}


def cropped(x, options):
    """What comes back of an input that has been cropped or padded along all axes."""
    lengths = np.atleast_1d(options.get("s", x.shape))
    padded = np.zeros(lengths, x.dtype)
    common = tuple(slice(min(pair)) for pair in zip(x.shape, lengths, strict=True))
    padded[common] = x[common]
    return padded


def compare(what, result, whole, place, x, options):
    """Compare what is at a place of a whole result with PERFORMANCE.md's bounds.

    Each element of a transform is a sum of all elements of its input. So the number of elements and
    their usual magnitude, by which the bounds are scaled, are those of the whole result.
    """
    expected = whole[place]
    case = f"rank {COMM.rank} of {COMM.size}: {what} at {place} of {x.shape} {x.dtype} {options}"
    assert result.shape == expected.shape, f"{case}: shape {result.shape}, not {expected.shape}"
    precise = np.result_type(x.dtype, np.complex64) == np.complex128
    wanted = {
        ("c", False): "complex64", ("c", True): "complex128",
        ("f", False): "float32", ("f", True): "float64",
    }[result.dtype.kind, precise]  # fmt: skip
    assert result.dtype == wanted, f"{case}: {result.dtype}"
    if expected.size:
        lengths = *x.shape, *np.atleast_1d(options.get("s", 1))
        limit = bound(algorithm_for(lengths), x.dtype, whole.size) * of_few(expected.size)
        usual = np.linalg.norm(whole) / math.sqrt(whole.size)
        error = np.linalg.norm(result - expected) / math.sqrt(expected.size) / usual
        assert error <= limit * (2 if what == "back" else 1), f"{case}: {error:.2e}"


if __name__ == "__main__":
    try:
        main()
    except BaseException:  # the other ranks would wait for this one
        traceback.print_exc()
        COMM.Abort(1)
