"""rfft, hfft and their relatives beside scipy.fft in float64, errors included."""

from __future__ import annotations

import numpy as np
import pyopencl.array as cl_array
import pytest
import scipy.fft

import pyclfft
from pyclfft.runtime import describe
from tests.device.test_transforms import error_of
from tests.oracle import bound, noise, relative_error

TO_HALF = ("rfft", "ihfft")
TO_REAL = ("irfft", "hfft")
SHAPES = (((5, 16), -1), ((7, 9), 0), ((2, 12, 3), 1), ((34,), 0), ((3, 1), 1))


def dtypes(device, single, double):
    return [single, double] if describe.traits(device).fp64 else [single]


def check(name, x, *args, **options):
    ours = getattr(pyclfft, name)(x, *args, **options)
    wide = x.astype(np.result_type(x.dtype, np.float64))
    expected = getattr(scipy.fft, name)(wide, *args, **options)
    assert ours.shape == expected.shape
    assert ours.dtype == getattr(scipy.fft, name)(x, *args, **options).dtype
    if expected.size:
        limit = 3 * bound("bluestein", ours.dtype, max(x.size, expected.size))
        assert relative_error(ours, expected) <= limit
    return ours


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", TO_HALF)
@pytest.mark.parametrize(("shape", "axis"), SHAPES)
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
def test_to_half_a_spectrum(device, name, shape, axis, norm):
    for dtype in dtypes(device, "f4", "f8"):
        check(name, noise(shape, dtype), axis=axis, norm=norm)
        check(name, noise(shape, dtype), 6, axis=axis, norm=norm)


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", TO_REAL)
@pytest.mark.parametrize(("shape", "axis"), SHAPES[:-1])
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
def test_to_real_numbers(device, name, shape, axis, norm):
    for dtype in dtypes(device, "c8", "c16"):
        check(name, noise(shape, dtype), axis=axis, norm=norm)
        for n in (1, 6, 7, 40):
            check(name, noise(shape, dtype), n, axis=axis, norm=norm)
    check(name, noise(shape, "f4"), axis=axis, norm=norm)


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", ["rfftn", "ihfftn", "rfft2", "ihfft2"])
def test_to_half_a_spectrum_along_axes(device, name):
    for dtype in dtypes(device, "f4", "f8"):
        x = noise((4, 6, 5), dtype)
        check(name, x)
        check(name, x, (3, 8), (1, 2), "ortho")
        check(name, x, axes=(2, 0))


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", ["irfftn", "hfftn", "irfft2", "hfft2"])
def test_to_real_numbers_along_axes(device, name):
    for dtype in dtypes(device, "c8", "c16"):
        x = noise((4, 6, 5), dtype)
        check(name, x)
        check(name, x, (3, 9), (1, 2), "ortho")
        check(name, x, axes=(2, 0))


def test_device_arrays_stay_on_the_device(queue):
    x = noise((3, 20), "f4")
    there = cl_array.to_device(queue, x)
    half = pyclfft.rfft(there)
    assert half.queue is queue
    assert relative_error((2 * pyclfft.irfft(half)).get(), 2 * x) < 1e-6
    assert relative_error(pyclfft.irfft(there).get(), scipy.fft.irfft(x)) < 1e-6


@pytest.mark.parametrize(
    ("name", "x", "options"),
    [
        ("rfft", np.ones(4, "c8"), {}),
        ("rfftn", np.ones((2, 2), "c8"), {}),
        ("rfftn", np.ones((2, 2), "f4"), {"axes": ()}),
        ("irfftn", np.ones((2, 2), "c8"), {"axes": ()}),
        ("rfft", np.ones(4, "f4"), {"axis": 1}),
        ("rfft", np.ones((2, 0), "f4"), {}),
        ("irfft", np.ones(1, "c8"), {}),
        ("hfft", np.ones(4, "c8"), {"norm": "other"}),
        ("ihfft", np.ones(4, "f4"), {"plan": 1}),
        ("hfftn", np.ones(4, "c8"), {"s": (2, 2)}),
    ],
)
def test_type_of_error_is_scipys(device, name, x, options):
    theirs = error_of(getattr(scipy.fft, name), x, **options)
    ours = error_of(getattr(pyclfft, name), x, **options)
    assert issubclass(ours.type, theirs.type)
