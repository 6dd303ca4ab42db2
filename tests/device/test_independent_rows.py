"""Rows of one call know nothing of each other, whatever the kind and the solver."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.fft

import pyclfft
from pyclfft.errors import PlanError
from pyclfft.planning.solvers import SOLVERS
from pyclfft.runtime import describe
from tests.oracle import algorithm_for, bound, noise

ROWS = 37  # more than two vectors of lanes, and no multiple of one
SCALES = 10.0 ** np.resize([0, 10, -10, 5, -5], ROWS)
KINDS = (
    ("c2c", "forward", "fft"),
    ("r2c", "forward", "rfft"),
    ("r2c", "inverse", "ihfft"),
    ("c2r", "inverse", "irfft"),
    ("c2r", "forward", "hfft"),
)
QUICK = (15, 57, 101)  # a real stage; one before a convolution; neither
FULL = (2, 3, 9, 13, 16, 45, 105, 225, 499, 1023, 1025, 2187, 6561)
LENGTHS = (*QUICK, *(pytest.param(n, marks=pytest.mark.full) for n in FULL))
NAMES = (
    None,
    *(pytest.param(each.name, marks=pytest.mark.full) for each in SOLVERS if not each.rows_only),
)
POISONS = (np.nan, np.inf)


def rows_of(kind, n, real, complex_):
    """Random rows that `kind` reads, of one scale."""
    dtype = real if kind == "r2c" else complex_
    return noise((ROWS, n // 2 + 1 if kind == "c2r" else n), dtype)


def planned(shape, kind, direction, dtype, axis, name):
    try:
        return pyclfft.Plan(shape, dtype, axes=axis, kind=kind, direction=direction, algorithm=name)
    except PlanError:
        return None  # not for this length, or this device


def check(plan, x, expected, axis):
    """Rows of very different scales are each as exact as alone; a poisoned one stays alone."""
    across = np.moveaxis
    scales = SCALES.astype(x.real.dtype)[:, None]
    loud = plan(np.ascontiguousarray(across(x * scales, 1, axis)))
    plain = np.array(plan(np.ascontiguousarray(across(x, 1, axis))))
    limit = 3 * bound("bluestein", plain.dtype, x.shape[1])  # of few numbers each
    error = np.linalg.norm(across(loud, axis, 1) / SCALES[:, None] - expected, axis=1)
    assert np.max(error / np.linalg.norm(expected, axis=1)) <= limit
    for poison in POISONS:
        for row in (0, 20):
            poisoned = x.copy()
            poisoned[row, x.shape[1] // 2] = poison
            y = across(plan(np.ascontiguousarray(across(poisoned, 1, axis))), axis, 1)
            assert not np.all(np.isfinite(y[row]))
            others = np.arange(ROWS) != row
            np.testing.assert_array_equal(y[others], across(plain, axis, 1)[others])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", LENGTHS)
def test_rows_and_columns(device, n, name):
    ran = 0
    double = describe.traits(device).fp64 and n not in QUICK[1:]
    for real, complex_ in (("f4", "c8"), ("f8", "c16"))[: 1 + double]:
        for kind, direction, function in KINDS:
            x = rows_of(kind, n, real, complex_)
            lengths = () if kind in ("c2c", "r2c") else (n,)
            wide = x.astype("c16" if x.dtype.kind == "c" else "f8")
            expected = getattr(scipy.fft, function)(wide, *lengths)
            for axis in (1, 0):
                shape = (ROWS, n) if axis == 1 else (n, ROWS)
                plan = planned(shape, kind, direction, x.dtype, axis, name)
                if plan is not None:
                    check(plan, x, expected, axis)
                    ran += 1
    assert ran or name is not None


@pytest.mark.one_cpu
@pytest.mark.parametrize(
    ("kind", "direction", "function"), [KINDS[1], KINDS[3]], ids=["to half", "to real"]
)
def test_a_row_ends_before_the_last_columns_of_a_real_stage(device, kind, direction, function):
    """A work-item whose second column would begin behind the row must not take that column.

    Its numbers would come from the next row, and its results would overwrite another column.
    """
    plan, n = with_a_column_left_over(kind, direction)
    x = rows_of(kind, n, "f4", "c8")
    wide = x.astype("f8" if kind == "r2c" else "c16")
    check(plan, x, getattr(scipy.fft, function)(wide, n), 1)


def with_a_column_left_over(kind, direction):
    """Return a plan with a real stage in which not all work-items have two columns, and its length.

    Which lengths these are depends on how many work-items the device gives to a row.
    """
    dtype = "f4" if kind == "r2c" else "c8"
    for n in range(3, 1000, 2):
        plan = planned((ROWS, n), kind, direction, dtype, 1, "stockham")
        macros = dict(plan.passes[0].defines) if plan is not None else {}
        if "REAL_RADIX" in macros:
            columns, items = n // int(macros["REAL_RADIX"]), int(macros["ITEMS"])
            if columns % items and -(-columns // items) % 2 == 0:
                return plan, n
    raise AssertionError("no plan leaves a work-item of a real stage with one column")


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", [None, "stockham", "bluestein_groups", "small", "cols", "chirp"])
def test_element_0_of_a_real_row_is_real(device, name):
    for n in (15, 57, 101, 1024):
        x = noise((ROWS, n), "f4")
        for axis, shape in ((1, x.shape), (0, x.T.shape)):
            plan = planned(shape, "r2c", "forward", "f4", axis, name)
            if plan is not None:
                y = plan(np.ascontiguousarray(x if axis else x.T))
                assert not np.any(np.take(y, 0, axis).imag)


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", ["dct", "idct", "dst", "idst"])
@pytest.mark.parametrize("type", [1, 2, 3, 4])
def test_cosines_and_sines(device, name, type):
    for n in (15, 34, 101):
        x = noise((ROWS, n), "f4")
        scaled = (x * SCALES[:, None]).astype("f4")
        ours = getattr(pyclfft, name)(scaled, type)
        expected = getattr(scipy.fft, name)(scaled.astype("f8"), type)
        error = np.linalg.norm(ours - expected, axis=1) / np.linalg.norm(expected, axis=1)
        assert np.max(error) <= 4 * bound("bluestein", "f4", n)
        scaled[3, 1] = np.nan
        others = np.arange(ROWS) != 3
        np.testing.assert_array_equal(getattr(pyclfft, name)(scaled, type)[others], ours[others])


@pytest.mark.one_cpu
def test_images_of_a_stack(device):
    for name, x in (
        ("rfft2", noise((5, 9, 15), "f4")),
        ("irfft2", noise((5, 9, 8), "c8")),
        ("hfft2", noise((5, 9, 8), "c8")),
        ("ihfft2", noise((5, 9, 15), "f4")),
        ("dctn", noise((5, 9, 15), "f4")),
    ):
        options = {"axes": (1, 2)} if name == "dctn" else {}
        transform = getattr(pyclfft, name)
        scales = np.array([1, 1e10, 1e-10, 1e5, 1], "f4")[:, None, None]
        wide = x.astype("c16" if x.dtype.kind == "c" else "f8")
        expected = getattr(scipy.fft, name)(wide, **options).reshape(5, -1)
        ours = (transform(x * scales, **options) / scales.astype("f8")).reshape(5, -1)
        error = np.linalg.norm(ours - expected, axis=1) / np.linalg.norm(expected, axis=1)
        assert np.max(error) <= 4 * bound(algorithm_for((9, 15)), "f4", 135)
        plain = np.array(transform(x, **options))
        poisoned = x.copy()
        poisoned[1, 4, 4] = np.nan
        y = transform(poisoned, **options)
        np.testing.assert_array_equal(y[[0, 2, 3, 4]], plain[[0, 2, 3, 4]])


@pytest.mark.one_cpu
@pytest.mark.parametrize("n_fft", [15, 101, 1025])
def test_frames(device, n_fft):
    """A click, and a NaN, stay in the frames that they touch, there and back."""
    hop = n_fft // 4
    y = noise(40 * n_fft, "f4")
    options = {"n_fft": n_fft, "hop_length": hop, "center": False}
    plain = np.array(pyclfft.stft(y, **options))
    at = 20 * n_fft
    first, last = -(-(at - n_fft + 1) // hop), at // hop
    outside = np.r_[:first, last + 1 : plain.shape[1]]
    for value in (1e4, np.nan):
        loud = y.copy()
        loud[at] = value
        np.testing.assert_array_equal(pyclfft.stft(loud, **options)[:, outside], plain[:, outside])
    back = np.array(pyclfft.istft(plain, hop_length=hop, n_fft=n_fft, center=False))
    spectrum = plain.copy()
    spectrum[1, 80] = np.nan
    damaged = pyclfft.istft(spectrum, hop_length=hop, n_fft=n_fft, center=False)
    untouched = np.r_[: 80 * hop, 80 * hop + n_fft : back.size]
    np.testing.assert_array_equal(damaged[untouched], back[untouched])
