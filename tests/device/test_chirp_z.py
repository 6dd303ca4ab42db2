"""The chirp z-transform on every device, beside sums in longer floats than its own."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyopencl.array as cl_array
import pytest
import scipy.signal

import pyclfft
from pyclfft.runtime import describe
from pyclfft.transforms import chirp_z
from tests.oracle import noise, reference, relative_error

# Relative L2 error up to 1e5 points of algorithms that convolve (PERFORMANCE.md), two and more
# factors of which are chirps.
BOUND = {"f4": 1e-6, "c8": 1e-6, "f8": 3e-15, "c16": 3e-15}


def band(x, first, step, count):
    """Frequencies of a band by sums, in NumPy's longest float."""
    k, j = np.arange(count)[:, None], np.arange(x.shape[-1])
    turns = (np.longdouble(first) + np.longdouble(step) * k) * j % 1
    pi = 4 * np.arctan(np.longdouble(1))
    roots = np.cos(2 * pi * turns) - 1j * np.sin(2 * pi * turns)
    return (x[..., None, :] * roots).sum(-1)


@pytest.fixture
def dtypes(device):
    return list(BOUND) if describe.traits(device).fp64 else ["f4", "c8"]


@pytest.mark.one_cpu
def test_the_whole_circle_is_the_transform(dtypes):
    for n in (1, 7, 1009):
        for dtype in dtypes:
            x = noise((2, n), dtype, seed=n)
            for m in (n, 3 * n):
                found = pyclfft.czt(x, m)
                expected = reference("fft", x, m)
                assert found.dtype == np.result_type(dtype, "c8")
                assert found.shape == expected.shape
                assert relative_error(found, expected) < BOUND[dtype]


@pytest.mark.one_cpu
def test_many_samples(dtypes):
    """No accuracy is lost where k^2 is large."""
    x = noise(99_991, dtypes[-1])
    assert relative_error(pyclfft.czt(x), reference("fft", x)) < BOUND[dtypes[-1]]
    found = pyclfft.zoom_fft(x, [0.25, 0.25 + 2.0**-10], 32, fs=1)
    assert relative_error(found, band(x, 0.25, 2.0**-15, 32)) < BOUND[dtypes[-1]]


def test_bands(dtypes):
    for dtype in dtypes:
        x = noise((2, 60), dtype)
        cases = (
            (([0.125, 0.375], 16), {"fs": 1}, (0.125, Fraction(1, 64), 16)),
            (([0.5, 1.0], 9), {"endpoint": True}, (0.25, Fraction(1, 32), 9)),
            ((1,), {}, (0, Fraction(1, 120), 60)),
            ((np.array([1.0]), 60), {}, (0, Fraction(1, 120), 60)),
            (([0.25, 0.75], 1), {"endpoint": True}, (0.125, Fraction(0), 1)),
        )
        for arguments, options, (first, step, count) in cases:
            step = np.longdouble(step.numerator) / step.denominator
            expected = band(x, first, step, count)
            assert (
                relative_error(pyclfft.zoom_fft(x, *arguments, **options), expected) < BOUND[dtype]
            )


def test_spirals(fp64):
    x = noise((3, 40), "c16")
    for w, a in ((0.99 * np.exp(-0.1j), 0.9), (1.01, 1.02 * np.exp(2j)), (np.exp(-0.01j), -1)):
        points = pyclfft.czt_points(25, w, a)
        np.testing.assert_array_equal(points, scipy.signal.czt_points(25, w, a))
        expected = x @ points[None, :] ** -np.arange(40.0)[:, None]
        assert relative_error(pyclfft.czt(x, 25, w, a), expected) < 1e-13
        assert relative_error(pyclfft.czt(x, 25, w, a), scipy.signal.czt(x, 25, w, a)) < 1e-12


def test_objects_are_as_scipys(fp64):
    for ours, theirs in (
        (pyclfft.CZT(8, 5, 2, 3), scipy.signal.CZT(8, 5, 2, 3)),
        (pyclfft.CZT(8), scipy.signal.CZT(8)),
        (pyclfft.ZoomFFT(8, [0.1, 0.3], 5), scipy.signal.ZoomFFT(8, [0.1, 0.3], 5)),
    ):
        assert (ours.n, ours.m) == (theirs.n, theirs.m)
        assert abs(ours.w - theirs.w) < 1e-15
        assert ours.a == theirs.a
        np.testing.assert_allclose(ours.points(), theirs.points(), rtol=1e-15)


@pytest.mark.one_cpu
def test_axes_and_device_arrays(queue, dtypes):
    for dtype in dtypes:
        x = noise((4, 6, 30), dtype)
        there = cl_array.to_device(queue, x)
        for axis in (0, 1, 2, -2):
            n = x.shape[axis]
            expected = np.moveaxis(reference("fft", np.moveaxis(x, axis, -1), 2 * n), -1, axis)
            for found in (pyclfft.czt(x, 2 * n, axis=axis), pyclfft.CZT(n, 2 * n)(x, axis=axis)):
                assert relative_error(found, expected) < BOUND[dtype]
            found = pyclfft.czt(there, 2 * n, axis=axis)
            assert isinstance(found, cl_array.Array)
            assert relative_error(found.get(), expected) < BOUND[dtype]
        part = pyclfft.zoom_fft(there[1:, ::2], 2)
        assert relative_error(part.get(), reference("fft", x[1:, ::2])) < BOUND[dtype]


def test_empty_batches(device):
    assert pyclfft.czt(np.ones((0, 5), "f4"), 7).shape == (0, 7)
    assert pyclfft.czt(np.ones((5, 0), "f4"), 7, axis=0).shape == (7, 0)


def test_fractions_are_exact():
    """Beside Python's integers."""
    rng = np.random.default_rng(0)
    multiples = rng.integers(0, 2**63, 200, dtype=np.uint64)
    for step in (Fraction(1, 3), Fraction(-5, 200_006), Fraction(0.1), Fraction(7, 2), Fraction(0)):
        found = chirp_z.fractions_of(step, multiples)
        for many, part in zip(multiples.tolist(), found.tolist(), strict=True):
            apart = step * many - Fraction(part)
            assert abs(apart - round(apart)) < Fraction(1, 2**54)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pyclfft.czt([]), "data points"),
        (lambda: pyclfft.czt([1.0], 0), "output points"),
        (lambda: pyclfft.czt([1.0], 2.0), "output points"),
        (lambda: pyclfft.CZT(0), "data points"),
        (lambda: pyclfft.CZT(3)(np.ones(4)), "CZT defined for length 3, not 4"),
        (lambda: pyclfft.zoom_fft([1.0], [1, 2, 3]), "2-length sequence"),
        (lambda: pyclfft.ZoomFFT(5, np.inf), "finite"),
        (lambda: pyclfft.ZoomFFT(5, 1, fs=0), "fs not 0"),
        (lambda: pyclfft.czt_points(0), "output points"),
    ],
)
def test_bad_arguments(device, call, message):
    with pytest.raises(pyclfft.PlanError, match=message):
        call()


def test_bad_arrays(device, change_traits):
    with pytest.raises(IndexError, match="tuple index out of range"):
        pyclfft.czt(5)
    with pytest.raises(pyclfft.PrecisionError, match="astype"):
        pyclfft.czt(np.ones(3, np.longdouble))
    change_traits(fp64=False)
    with pytest.raises(pyclfft.PrecisionError, match="float32"):
        pyclfft.czt([1.0, 2.0])


def test_transforms_are_kept(device):
    pyclfft.clear_cache()
    for _ in range(3):
        pyclfft.czt(np.ones(8, "f4"))
        pyclfft.zoom_fft(np.ones(8, "f4"), 1)
    counts = pyclfft.cache_info().chirps
    assert (counts.hits, counts.misses) == (4, 2)
