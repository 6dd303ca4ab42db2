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
from pyclfft.planning.solvers import stockham
from pyclfft.tuning import lookup
from tests.device import test_imaging as images
from tests.oracle import noise, relative_error

LAUNCHED: set[str] = set()
COMPLEX = {"single": np.complex64, "double": np.complex128}
AS_SHIPPED = dict(lookup.DEFAULTS["gpu"])
BOUND = {np.dtype(np.complex64): 1e-6, np.dtype(np.complex128): 2e-15}

# Shape, axes and algorithm: odd ones whose ranges are rounded up, batches smaller and larger than a
# group.
TEXTBOOK = [
    ((8,), None, "radix2"),
    ((1, 2), -1, "radix2"),
    ((5, 16), -1, "radix2"),
    ((3, 7), -1, "direct"),
    ((1, 67), -1, None),
    ((4, 8), (0, 1), "radix2"),
    ((6, 5), (0, 1), "direct"),
    ((3, 4, 8), (1, 2), "radix2"),
    ((5, 3, 4), (1,), "direct"),
    ((1, 1), (0, 1), None),
]
TILES = [  # of the transposition (0: the textbook's) and of the direct transform
    {"transpose_tile": 16, "direct_tile": 64},
    {"transpose_tile": 3, "direct_tile": 5},
    {"transpose_tile": 0, "direct_tile": 1},
]
STOCKHAM = [
    ((5, 2), -1, "stockham"),
    ((3, 13), -1, "stockham"),  # one stage, and more transforms in a group than there are
    ((37, 9), -1, "stockham"),
    ((7, 30), -1, "stockham"),
    ((360,), None, "stockham"),
    ((1, 1001), -1, "stockham"),  # work-items that have fewer butterflies than others
    ((30, 5), 0, "stockham"),
    ((2, 32, 3), 1, "stockham"),
    ((3, 7, 17), 1, "stockham"),
    ((12, 10), (0, 1), "stockham"),
    ((3, 36), -1, "four_step"),
    ((1, 350), -1, "four_step"),
    ((60, 3), 0, "four_step"),
]
# Tuning, what solvers.stockham tries for rows and for columns, and what is transformed so: as it
# is; three rows or many columns; real and imaginary parts apart, in two sizes; a few columns.
SHORT = [
    ((7, 30), -1, "stockham"),
    ((2, 24, 3), 1, "stockham"),
    ((36, 3), 0, "four_step"),
]
GROUPS = [
    ({}, stockham.ROWS, stockham.COLUMNS, STOCKHAM),
    ({"stockham_group": 96}, ((3, False),), ((32, False),), SHORT),
    ({}, ((0, True),), ((8, True),), SHORT),
    ({}, ((1, True),), ((1, True),), SHORT),
    ({}, ((1, False),), ((4, False),), SHORT),
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


def transforms(table, dtype, queue) -> None:
    """Forward into another array, and inverse in place."""
    for shape, axes, algorithm in table:
        x = noise(shape, dtype)
        along = None if axes is None else np.atleast_1d(axes)
        plan = pyclfft.Plan(shape, dtype, axes, algorithm=algorithm)
        check(plan(x), np.fft.fftn(x.astype(complex), axes=along))
        plan = pyclfft.Plan(shape, dtype, axes, algorithm=algorithm, direction="inverse")
        on_device = cl_array.to_device(queue, x)
        assert plan(on_device, out=on_device) is on_device
        check(on_device.get(), np.fft.ifftn(x.astype(complex), axes=along))


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
            transforms(TEXTBOOK, dtype, queue)
        for parameters, rows, columns, table in GROUPS:
            lookup.DEFAULTS["gpu"].update({**AS_SHIPPED, **parameters})
            stockham.ROWS, stockham.COLUMNS = rows, columns
            transforms(table, dtype, queue)
        stockham.ROWS, stockham.COLUMNS = GROUPS[0][1:3]
        lookup.DEFAULTS["gpu"].update(AS_SHIPPED)
        loads(precision, queue)
    filters()
    print(json.dumps(sorted(LAUNCHED)))


if __name__ == "__main__":
    main()
