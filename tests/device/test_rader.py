"""Rader's algorithm on a device: rows and columns, every kind, both directions, in place."""

from __future__ import annotations

import numpy as np
import pyopencl.array as cl_array
import pytest
import scipy.fft

from pyclfft import Hook, Plan
from pyclfft.planning.factor import Stages
from pyclfft.planning.solvers import stockham
from pyclfft.planning.solvers.stockham import Shape
from tests.oracle import bound, expected_of, noise, of_few, relative_error
from tests.pairwise import pairwise

PRIMES = (3, 5, 17, 31, 97, 127, 251, 331)
CODES = {
    "single": {"c2c": "c8", "r2c": "f4", "c2r": "c8"},
    "double": {"c2c": "c16", "r2c": "f8", "c2r": "c16"},
}
REAL = (("r2c", "f4"), ("c2r", "c8"))


def kernel_for(kind, n):
    """Real numbers are convolved as such, if they are more than one point."""
    return "rader" if kind == "c2c" or n == 3 else "raderReal"


def check(queue, plan, given, x):
    """Compare a plan's result for the array `given`, which holds the elements x in order."""
    n = plan.problem.shape[plan.problem.axes[0]]
    assert [each.kernel for each in plan.passes] == [kernel_for(plan.problem.kind, n)]
    expected = expected_of(plan.problem, x)
    limit = bound("rader", plan.problem.dtype, n) * of_few(given.size)
    result = plan(given)
    assert relative_error(result.get(), expected) <= limit
    return result


@pytest.mark.one_cpu
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
    x = noise(plan.problem.source.shape, plan.problem.source_dtype)
    given = cl_array.to_device(queue, x)
    result = check(queue, plan, given, x.reshape(-1))
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


@pairwise({"given": [1, 9, 40], "real": REAL, "axis": [0, 1]})
def test_padding_and_cropping_of_real_numbers(device, queue, given, real, axis):
    kind, dtype = real
    shape = (given, 12) if axis == 0 else (12, given)
    plan = Plan(shape, dtype, axis, kind, s=31, algorithm="rader", context=queue.context)
    x = noise(plan.problem.source.shape, dtype)
    check(queue, plan, cl_array.to_device(queue, x), x.reshape(-1))


@pytest.mark.one_cpu
@pairwise(
    {
        "shapes": [  # of groups of rows, and of groups of columns
            (Shape(0, True), Shape(8, True)),
            (Shape(3), Shape(4)),
            (Shape(1, True), Shape(32)),
        ],
        "n": [13, 71, 181],  # one stage, two, and three
        "kind": ["r2c", "c2r"],
        "precision": ["single", "double"],
        "order": ["C", "F"],
        "axis": [0, 1],
    }
)
def test_real_numbers_in_groups_of_every_shape(
    device, queue, monkeypatch, shapes, n, kind, precision, order, axis
):
    """Rows that become rows or columns, and columns that become either."""
    rows, columns = shapes
    monkeypatch.setattr(stockham, "ROWS", (rows,))
    monkeypatch.setattr(stockham, "COLUMNS", (columns,))
    shape, dtype = (n, 7) if axis == 0 else (7, n), CODES[precision][kind]
    options = {"axes": axis, "kind": kind, "algorithm": "rader", "context": queue.context}
    halved = Plan(shape, dtype, **options).problem.source.shape
    x = noise(halved, dtype)
    given = cl_array.to_device(queue, np.asarray(x, order=order))
    plan = Plan(shape, dtype, strides=given.strides, **options)
    check(queue, plan, given, x.reshape(-1, order=order))


@pytest.mark.one_cpu
@pairwise(
    {
        "n": [41, 73, 521],
        "stages": [0, 1, 2],
        "kind": ["r2c", "c2r"],
        "precision": ["single", "double"],
        "rows": [1, 3],
        "axis": [0, 1],
    }
)
def test_work_items_that_own_mirror_images(
    device, queue, monkeypatch, n, stages, kind, precision, rows, axis
):
    """Where the last stage has whole pairs of butterflies, of even and of odd radices."""
    radices, items = {
        41: (((4, 5), 2), ((5, 2, 2), 5), ((10, 2), 5)),
        73: (((6, 2, 3), 6), ((2, 9, 2), 9), ((2, 3, 6), 3)),
        521: (((2, 10, 13), 10), ((4, 13, 5), 26), ((13, 10, 2), 13)),
    }[n][stages]
    monkeypatch.setattr(stockham, "_group_of_convolved_rows", lambda *given: None)
    monkeypatch.setattr(stockham, "_stages", lambda *given: Stages(radices, items))
    monkeypatch.setattr(stockham, "ROWS", (Shape(rows),))
    monkeypatch.setattr(stockham, "COLUMNS", (Shape(rows),))
    shape, dtype = (n, 7) if axis == 0 else (7, n), CODES[precision][kind]
    plan = Plan(shape, dtype, axis, kind, algorithm="rader", context=queue.context)
    assert plan.passes[0].radices == (radices,)
    x = noise(plan.problem.source.shape, dtype)
    check(queue, plan, cl_array.to_device(queue, x), x.reshape(-1))


@pytest.mark.parametrize(("kind", "dtype"), REAL)
def test_real_numbers_that_lie_apart(device, queue, kind, dtype):
    """A view of a larger array, whose elements are no neighbours."""
    whole = cl_array.to_device(queue, noise((9, 3, 220), dtype))
    held = 71 if kind == "r2c" else 36
    view = whole[1::2, :, 3 : 3 + 2 * held : 2]
    plan = Plan(
        (4, 3, 71), dtype, 2, kind, algorithm="rader", strides=view.strides, offset=view.offset,
        context=queue.context,
    )  # fmt: skip
    expected = expected_of(plan.problem, whole.get().reshape(-1))
    assert plan.passes[0].kernel == "raderReal"
    assert relative_error(plan(view).get(), expected) <= bound("rader", plan.problem.dtype, 71) * 2


@pytest.mark.parametrize(("kind", "dtype"), REAL)
def test_hooks_of_real_numbers(device, queue, kind, dtype):
    """Each element that is loaded, and each that is stored, has its own number."""
    shape, gains = (5, 41), np.arange(1, 206, dtype="f4")
    load = Hook("value *= gains[index];", gains=gains)
    store = Hook("value *= 1 / gains[index];", gains=gains)
    hooks = {"load": load, "store": store}
    plan = Plan(shape, dtype, 1, kind, algorithm="rader", hooks=hooks, context=queue.context)
    x = noise(plan.problem.source.shape, dtype)
    changed = x * gains[: x.size].reshape(x.shape)
    expected = expected_of(plan.problem, changed.reshape(-1))
    expected = expected / gains[: expected.size].reshape(expected.shape)
    result = plan(cl_array.to_device(queue, x)).get()
    assert plan.passes[0].kernel == "raderReal"
    assert relative_error(result, expected) <= bound("rader", plan.problem.dtype, 41) * 4


@pytest.mark.one_cpu
@pairwise(
    {
        "n": [5, 67, 101],
        "name": ["dct", "dst"],
        "type": [2, 3, 4],
        "dtype": ["f4", "f8"],
        "axis": [0, 1],
    }
)
def test_cosine_and_sine_transforms(device, queue, n, name, type, dtype, axis):
    """The first load and the last store of real rows do the rest, also in place."""
    shape = (n, 7) if axis == 0 else (7, n)
    options = {"norm": "ortho", "algorithm": "rader", "context": queue.context}
    plan = Plan(shape, dtype, axis, f"{name}{type}", **options)
    assert [each.kernel for each in plan.passes] == ["raderReal"]
    in_order_of_memory = axis == 1 and type < 4
    assert ("COSINE_ENDS" in dict(plan.passes[0].defines)) == in_order_of_memory
    x = noise(shape, dtype)
    expected = getattr(scipy.fft, name)(x.astype("g"), type, axis=axis, norm="ortho")
    given = cl_array.to_device(queue, x)
    limit = bound("rader", dtype, n) * of_few(x.size)
    assert relative_error(plan(given).get(), expected) <= limit
    assert plan(given, out=given) is given
    assert relative_error(given.get(), expected) <= limit


def test_element_0_of_a_real_row_is_real(device, queue):
    plan = Plan((7, 61), "f4", 1, "r2c", algorithm="rader", context=queue.context)
    x = noise((7, 61), "f4")
    assert not plan(cl_array.to_device(queue, x)).get()[:, 0].imag.any()


@pytest.mark.parametrize(("kind", "dtype"), [("c2c", "c8"), *REAL])
def test_rows_stay_apart(device, queue, kind, dtype):
    """What is not finite in one row leaves the others alone."""
    plan = Plan((9, 37), dtype, 1, kind, algorithm="rader", context=queue.context)
    x = noise(plan.problem.source.shape, dtype)
    plain = plan(cl_array.to_device(queue, x)).get()
    x[4, 11] = np.nan
    result = plan(cl_array.to_device(queue, x)).get()
    assert np.isnan(result[4]).all()
    others = np.arange(9) != 4
    np.testing.assert_array_equal(result[others], plain[others])
