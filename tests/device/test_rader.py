"""Rader's algorithm on a device: rows and columns, every kind, both directions, in place."""

from __future__ import annotations

import numpy as np
import pyopencl.array as cl_array
import pytest

from pyclfft import Plan
from tests.oracle import bound, expected_of, noise, of_few, relative_error
from tests.pairwise import pairwise

PRIMES = (3, 17, 31, 97, 127, 331)
CODES = {
    "single": {"c2c": "c8", "r2c": "f4", "c2r": "c8"},
    "double": {"c2c": "c16", "r2c": "f8", "c2r": "c16"},
}


@pairwise(
    {
        "n": PRIMES,
        "kind": ["c2c", "r2c", "c2r"],
        "direction": ["forward", "inverse"],
        "precision": ["single", "double"],
        "others": [((5,), ()), ((), (6,)), ((2,), (37,))],
    }
)
def test_kinds(device, queue, n, kind, direction, precision, others):
    before, after = others
    shape = (*before, n, *after)
    plan = Plan(
        shape, CODES[precision][kind], len(before), kind, direction, algorithm="rader",
        norm="ortho", context=queue.context,
    )  # fmt: skip
    assert [each.kernel for each in plan.passes] == ["rader"]
    x = noise(plan.problem.source.shape, plan.problem.source_dtype)
    expected = expected_of(plan.problem, x.reshape(-1))
    limit = bound("rader", plan.problem.dtype, n) * of_few(x.size)
    given = cl_array.to_device(queue, x)
    result = plan(given)
    assert relative_error(result.get(), expected) <= limit
    np.testing.assert_array_equal(given.get(), x)
    if kind == "c2c":
        assert plan(given, out=given) is given
        np.testing.assert_array_equal(given.get(), result.get())


@pytest.mark.parametrize("axis", [0, 1])
def test_padding_and_cropping(device, queue, axis):
    for given in (9, 40):
        shape = (given, 12) if axis == 0 else (12, given)
        plan = Plan(shape, "c8", axis, s=31, algorithm="rader", context=queue.context)
        x = noise(shape, "c8")
        expected = np.fft.fft(x.astype("c16"), 31, axis)
        result = plan(cl_array.to_device(queue, x)).get()
        assert relative_error(result, expected) <= bound("rader", "c8", 31) * 1.5


def test_element_0_of_a_real_row_is_real(device, queue):
    plan = Plan((7, 61), "f4", 1, "r2c", algorithm="rader", context=queue.context)
    x = noise((7, 61), "f4")
    assert not plan(cl_array.to_device(queue, x)).get()[:, 0].imag.any()


def test_rows_stay_apart(device, queue):
    """What is not finite in one row leaves the others alone."""
    plan = Plan((9, 37), "c8", 1, algorithm="rader", context=queue.context)
    x = noise((9, 37), "c8")
    plain = plan(cl_array.to_device(queue, x)).get()
    x[4, 11] = np.nan
    result = plan(cl_array.to_device(queue, x)).get()
    assert np.isnan(result[4]).all()
    others = np.arange(9) != 4
    np.testing.assert_array_equal(result[others], plain[others])
