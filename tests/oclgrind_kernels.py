"""Launches every kernel of cl/ on small sizes, through pyclfft's own plans and filters.

`tests/device/test_oclgrind.py` runs this under Oclgrind, a simulator that watches every access to
memory. Results are compared with NumPy; the names of the kernels launched go to standard output.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pyclfft
from pyclfft.tuning import lookup
from tests.device import test_imaging as images
from tests.oracle import noise, relative_error

LAUNCHED: set[str] = set()
COMPLEX = {"single": np.complex64, "double": np.complex128}
BOUND = {np.dtype(np.complex64): 1e-6, np.dtype(np.complex128): 2e-15}

# Shapes and axes: odd ones whose ranges are rounded up, batches smaller and larger than a group.
TRANSFORMS = [
    ((8,), None),
    ((1, 2), -1),
    ((5, 16), -1),
    ((3, 7), -1),
    ((1, 67), -1),
    ((4, 8), (0, 1)),
    ((6, 5), (0, 1)),
    ((3, 4, 8), (1, 2)),
    ((5, 3, 4), (1,)),
    ((1, 1), (0, 1)),
]
TILES = [  # of the transposition (0: the textbook's) and of the direct transform
    {"transpose_tile": 16, "direct_tile": 64},
    {"transpose_tile": 3, "direct_tile": 5},
    {"transpose_tile": 0, "direct_tile": 1},
]
CUTS = [((5, 6), (8, 4)), ((3, 9), (2, 16)), ((7, 1), (3, 5))]  # shape, lengths to transform
SIZES = ((4, 8), (5, 3), (1, 6), (7, 2), (8, 4))  # of images


def watch_launches() -> None:
    launch = cl.enqueue_nd_range_kernel

    def watched(queue, kernel, *args, **kwargs):
        LAUNCHED.add(kernel.function_name)
        return launch(queue, kernel, *args, **kwargs)

    cl.enqueue_nd_range_kernel = watched


def keep_buffers() -> None:
    """Let no buffer be freed.

    Oclgrind 21.10 gives a new buffer the address of a freed one, but remembers what has been
    written for no more bytes than the first had, and calls what lies beyond uninitialized. It is
    right about buffers whose addresses are new.
    """
    kept = []

    class Kept(cl.Buffer):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            kept.append(self)

    cl.Buffer = Kept


def check(result, expected) -> None:
    error = relative_error(result, expected)
    assert error < BOUND[result.dtype], error


def transforms(dtype, queue) -> None:
    for shape, axes in TRANSFORMS:
        x = noise(shape, dtype)
        for direction, by_numpy in (("forward", np.fft.fftn), ("inverse", np.fft.ifftn)):
            plan = pyclfft.Plan(shape, dtype, axes, direction=direction)
            expected = by_numpy(x.astype(complex), axes=np.atleast_1d(axes) if axes else None)
            check(plan(x), expected)
            on_device = cl_array.to_device(queue, x)
            assert plan(on_device, out=on_device) is on_device
            check(on_device.get(), expected)


def loads(precision, queue) -> None:
    """Real or complex, cropped or padded, in memory of any strides."""
    for dtype in (COMPLEX[precision], COMPLEX[precision](0).real.dtype):
        for shape, lengths in CUTS:
            x = noise(shape, dtype)
            expected = np.fft.fftn(x.astype(complex), lengths)
            check(pyclfft.Plan(shape, dtype, s=lengths)(x), expected)
            on_device = cl_array.to_device(queue, np.asfortranarray(x))
            plan = pyclfft.Plan(shape, dtype, s=lengths, strides=on_device.strides)
            check(plan(on_device).get(), expected)


def filters() -> None:
    images.OPTIONS["size"] = SIZES
    for mixture in images.mixtures(24):
        images.check_mixture(mixture)
    for shape in images.OPTIONS["shape"]:
        pyclfft.filter_mask((5, 6), "bandstop", (1, 3), shape=shape)
    images.check_mixture(
        {**mixture, "dtype": np.uint8, "size": (9, 17), "algorithm": "radix2", "pad": "edge"}
    )


def main() -> None:
    watch_launches()
    keep_buffers()
    queue = pyclfft.default_queue()
    assert "oclgrind" in queue.device.platform.name.lower(), queue.device.platform.name
    for precision, dtype in COMPLEX.items():
        for tiles in TILES:
            lookup.DEFAULTS["gpu"].update(tiles)
            transforms(dtype, queue)
        loads(precision, queue)
    filters()
    print(json.dumps(sorted(LAUNCHED)))


if __name__ == "__main__":
    main()
