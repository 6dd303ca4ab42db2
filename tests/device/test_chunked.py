"""Transforms of chunked dask arrays, beside NumPy's and SciPy's of the whole array."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.fft

import pyclfft
from tests.oracle import noise, relative_error

dask_array = pytest.importorskip("dask.array")
chunked = pytest.importorskip("pyclfft.distributed.chunked")

pytestmark = pytest.mark.one_cpu
SHAPE = (6, 8, 10)
CUTS = [(6, 8, 10), (2, 8, 10), (6, 3, 10), (6, 8, 4), (2, 3, 4)]
ONE_AXIS = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "dct", "idct", "dst", "idst"]
TWO_AXES = ["fft2", "ifft2", "rfft2", "irfft2"]
MORE_AXES = ["fftn", "ifftn", "rfftn", "irfftn", "dctn", "idctn", "dstn", "idstn"]
REAL = ("rfft", "ihfft", "dct", "idct", "dst", "idst")


@pytest.fixture(autouse=True)
def chosen(device, fp64):
    pyclfft.use_device(device)
    yield
    pyclfft.use_device(None)


def input_of(name, shape=SHAPE):
    return noise(shape, "float64" if name.rstrip("2n") in REAL else "complex128")


def check(name, x, lazy, **options):
    result = getattr(chunked, name)(lazy, **options, rechunk=True)
    expected = getattr(scipy.fft, name)(x, **options)
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
    computed = result.compute()
    assert computed.shape == expected.shape
    assert relative_error(computed, expected) < 1e-14


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("name", ONE_AXIS)
def test_one_axis(name, cut):
    x = input_of(name)
    lazy = dask_array.from_array(x, chunks=cut)
    for options in ({}, {"axis": 0}, {"axis": -2, "n": 5, "norm": "ortho"}):
        check(name, x, lazy, **options)


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("name", TWO_AXES + MORE_AXES)
def test_several_axes(name, cut):
    x = input_of(name)
    lazy = dask_array.from_array(x, chunks=cut)
    for options in ({}, {"axes": (2, 0)}, {"axes": (0, 1), "s": (5, 12), "norm": "forward"}):
        check(name, x, lazy, **options)
    check(name, x, lazy, axes=(1, 2))


@pytest.mark.parametrize("kind", [1, 3])
def test_types_of_cosine_transforms(kind):
    x = input_of("dct")
    lazy = dask_array.from_array(x, chunks=(2, 3, 10))
    check("dct", x, lazy, type=kind, axis=1)
    check("dctn", x, lazy, type=kind)


def test_a_single_row_becomes_one_chunk():
    x = noise(1000, "complex64")
    result = chunked.fft(dask_array.from_array(x, chunks=100), rechunk=True)
    assert (result.dtype, result.numblocks) == (np.complex64, (1,))
    assert relative_error(result.compute(), np.fft.fft(x.astype("complex128"))) < 1e-6


def test_chunks_stay_as_large_as_they_were():
    lazy = dask_array.zeros((64, 64, 64), chunks=(8, 64, 64), dtype="complex64")
    result = chunked.fftn(lazy, rechunk=True)
    assert max(np.prod(shape) for shape in zip(*result.chunks, strict=False)) <= 8 * 64 * 64


def test_nothing_is_moved_without_permission():
    lazy = dask_array.zeros((8, 8), chunks=(4, 8))
    assert chunked.fft(lazy).numblocks == (2, 1)
    with pytest.raises(
        pyclfft.PlanError, match=r"fft2: the array is cut along axis 0.*rechunk=True"
    ):
        chunked.fft2(lazy)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"axes": (0, 0)}, pyclfft.PlanError, "unique"),
        ({"axes": (5,)}, pyclfft.PlanError, "dimensionality"),
        ({"s": (3,), "axes": (0, 1)}, pyclfft.PlanError, "same length"),
        ({"plan": object()}, TypeError, "leave plan= out"),
        ({"axis": 1}, TypeError, "axis"),
    ],
)
def test_refused(options, error, text):
    with pytest.raises(error, match=text):
        chunked.fftn(dask_array.zeros((4, 4), chunks=4), **options)


def test_other_arrays_are_refused():
    with pytest.raises(TypeError, match=r"dask array, not ndarray: call pyclfft\.fft,"):
        chunked.fft(np.zeros(4))
