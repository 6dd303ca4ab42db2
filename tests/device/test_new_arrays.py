"""Device arrays that pyclfft makes for results are as pyopencl's own constructor makes them."""

from __future__ import annotations

import numpy as np
import pyopencl.array as cl_array
import pyopencl.tools as cl_tools
import pytest

from pyclfft.runtime import operation

SHAPES = [(), (1,), (5,), (3, 4, 5), (1, 7, 1), (0,), (3, 0, 2)]


@pytest.mark.parametrize("knows", [True, False], ids=["told", "as pyopencl finds out"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_as_pyopencl_makes_them(queue, monkeypatch, shape, knows):
    if not knows:  # as a pyopencl that has other parameters
        monkeypatch.setattr(operation, "_TAKES_WHAT_IS_KNOWN", False)
    pool = cl_tools.MemoryPool(cl_tools.ImmediateAllocator(queue))
    for allocator in (None, pool):
        for dtype in map(np.dtype, ("f4", "c8", "i2")):
            made = operation.new_array(queue, allocator, shape, dtype)
            wanted = cl_array.Array(queue, shape, dtype, allocator=allocator)
            for name in ("shape", "dtype", "strides", "size", "nbytes", "offset", "allocator"):
                assert getattr(made, name) == getattr(wanted, name), name
            assert (made.queue, made.context, made.events) == (queue, queue.context, [])
            assert made.flags.c_contiguous == wanted.flags.c_contiguous
            assert (made.base_data is None) == (wanted.base_data is None)


def test_this_pyopencl_is_told_what_is_known():
    """A newer pyopencl that no longer has these parameters makes each call 14 us longer."""
    assert operation._TAKES_WHAT_IS_KNOWN


def test_pyopencls_operations_take_them(queue):
    made = operation.new_array(queue, None, (4, 6), np.dtype("f4"))
    made[...] = 2
    np.testing.assert_array_equal((3 * made + made).get(), np.full((4, 6), 8))
