"""The hook between the columns and the rows of one long row, against NumPy in long double."""

from __future__ import annotations

import numpy as np
import pyopencl as cl
import pytest

import pyclfft
from pyclfft.planning.slabs import four_step
from pyclfft.runtime.four_step import twiddle_hook
from tests.oracle import bound, noise, reference, relative_error


@pytest.mark.parametrize("direction", ["forward", "inverse"])
@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("length", [2**10, 4 * 27 * 25 * 7, 6 * 97])
def test_columns_times_roots_then_rows(device, request, length, dtype, direction):
    if dtype == "c16":
        request.getfixturevalue("fp64")
    x = noise(length, dtype)
    rows, columns = four_step(length)
    precision = "single" if dtype == "c8" else "double"
    norm = "backward" if direction == "forward" else "forward"  # no factor
    between = np.empty((rows, columns), dtype)
    for begin in range(0, columns, 13):
        width = min(13, columns - begin)
        hook = twiddle_hook(length, direction, precision, (rows, width), (0, begin))
        plan = pyclfft.Plan((rows, width), dtype, 0, "c2c", direction, norm, hooks={"store": hook})
        between[:, begin : begin + width] = plan(
            np.ascontiguousarray(x.reshape(rows, columns)[:, begin : begin + width])
        )
    plan = pyclfft.Plan((rows, columns), dtype, 1, "c2c", direction, norm)
    function = "fft" if direction == "forward" else "ifft"
    expected = reference(function, x, norm=norm)
    assert relative_error(plan(between).T.ravel(), expected) < bound("bluestein", dtype, length)


def test_load_hook_of_rows_with_a_movable_origin(device, queue):
    """One plan serves all parts: a buffer says where each of them begins."""
    rows, columns = 12, 20
    x = noise((rows, columns), "c8")
    origin = cl.Buffer(queue.context, cl.mem_flags.READ_ONLY, 16)
    hook = twiddle_hook(240, "forward", "single", (4, columns), origin)
    plan = pyclfft.Plan((4, columns), "c8", 1, hooks={"load": hook}, context=queue.context)
    k, c = np.ogrid[:rows, :columns]
    expected = np.fft.fft(x.astype("c16") * np.exp(-2j * np.pi * k * c / 240))
    for begin in range(0, rows, 4):
        cl.enqueue_copy(queue, origin, np.array([begin, 0], np.uint64))
        result = plan(x[begin : begin + 4], queue=queue)
        assert relative_error(result, expected[begin : begin + 4]) < bound("stockham", "c8", 240)
