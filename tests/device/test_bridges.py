"""Arrays of other libraries in, and results out to them, as docs/howto/libraries.md has it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import pyclfft
from tests.oracle import noise, relative_error

NAMES = ["fft", "ifft", "fft2", "fftn", "rfft", "irfft", "rfft2", "rfftn", "hfft", "ihfft"]


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", NAMES)
def test_dask(device, fp64, name):
    dask_array = pytest.importorskip("dask.array")
    kind = "complex128" if name in ("fft", "ifft", "fft2", "fftn", "irfft", "hfft") else "float64"
    x = noise((6, 8, 10), kind)
    lazy = dask_array.from_array(x, chunks=(2, 8, 10))  # chunks are transformed one by one
    transform = dask_array.fft.fft_wrap(getattr(pyclfft, name))
    axes = {"axes": (1, 2)} if name[-1] in "2n" else {"axis": 1}
    lengths = {"s": (5, 12), "axes": (2, 1)} if name[-1] in "2n" else {"n": 6}
    if "axis" in axes:
        lazy = lazy.rechunk((2, 8, 10))
    for options in (axes, lengths):
        result = transform(lazy, **options)
        expected = getattr(np.fft, name)(x, **options)
        assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
        assert relative_error(result.compute(), expected) < 1e-14


def test_dask_in_single_precision(device):
    dask_array = pytest.importorskip("dask.array")
    x = noise((4, 16), "complex64")
    result = dask_array.fft.fft_wrap(pyclfft.fft)(dask_array.from_array(x, chunks=(1, 16)))
    assert result.dtype == np.complex64
    assert relative_error(result.compute(), np.fft.fft(x)) < 1e-6


def test_xarray_and_pandas(device):
    """They are taken as NumPy takes them: for their values."""
    x = noise((6, 8), "float32")
    expected = np.fft.fft(x.astype("f8"))
    xarray, pandas = pytest.importorskip("xarray"), pytest.importorskip("pandas")
    for labelled in (xarray.DataArray(x, dims=("row", "column")), pandas.DataFrame(x)):
        result = pyclfft.fft(labelled)
        assert type(result) is np.ndarray
        assert result.dtype == np.complex64
        assert relative_error(result, expected) < 1e-6
    assert relative_error(pyclfft.rfft(pandas.Series(x[0])), np.fft.rfft(x[0])) < 1e-6
    applied = xarray.apply_ufunc(
        pyclfft.fft,
        xarray.DataArray(x, dims=("row", "column")),
        input_core_dims=[["column"]],
        output_core_dims=[["frequency"]],
    )
    assert applied.dims == ("row", "frequency")
    assert relative_error(applied.values, expected) < 1e-6


@pytest.mark.parametrize("wrap", [np.matrix, np.ma.masked_array, lambda x: x.view(np.recarray)])
def test_subclasses(device, wrap):
    x = noise((4, 8), "complex64")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        given = wrap(x)
    for name in ("fft", "fft2", "fftn"):
        result = getattr(pyclfft, name)(given)
        assert type(result) is np.ndarray
        np.testing.assert_array_equal(result, getattr(pyclfft, name)(x))


class Exporter:
    """An array that can do nothing but hand over its memory."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


def test_dlpack(device):
    x = noise((4, 8), "complex64")
    expected = pyclfft.fft(x)
    np.testing.assert_array_equal(pyclfft.fft(Exporter(x)), expected)
    np.testing.assert_array_equal(np.from_dlpack(expected), expected)


def test_torch(device):
    """Without a copy: a tensor's memory is read where it is, and a result's becomes a tensor's."""
    torch = pytest.importorskip("torch")
    x = noise((64, 4096), "complex64")
    tensor = torch.from_numpy(x)
    assert np.shares_memory(np.asarray(tensor), x)
    result = pyclfft.fft(tensor)
    back = torch.from_numpy(result)
    assert back.data_ptr() == result.ctypes.data
    assert relative_error(back.numpy(), np.fft.fft(x)) < 1e-6
    again = torch.from_dlpack(result)
    assert again.data_ptr() == result.ctypes.data
    del result, back
    pyclfft.fft(tensor + 1)  # which must not be given the memory that a tensor still has
    assert relative_error(again.numpy(), np.fft.fft(x)) < 1e-6
    transposed = pyclfft.fft(tensor.T)
    assert relative_error(transposed, np.fft.fft(x.T)) < 1e-6
    plan = pyclfft.Plan(x.shape, "complex64", axes=-1)
    filled = torch.empty_like(tensor)
    plan(tensor.numpy(), out=filled.numpy())
    torch.testing.assert_close(filled, again)
    with pytest.raises(RuntimeError, match="detach"):
        pyclfft.fft(torch.ones(4, requires_grad=True))


def test_torch_on_a_gpu_names_the_remedy(device):
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch has no GPU")
    with pytest.raises(TypeError, match="cpu"):
        pyclfft.fft(torch.ones(4, device="cuda"))


def test_cupy(device):
    """Through the host."""
    cupy = pytest.importorskip("cupy")
    x = noise((4, 512), "complex64")
    there = cupy.asarray(x)
    back = cupy.asarray(pyclfft.fft(there.get()))
    assert relative_error(back.get(), np.fft.fft(x)) < 1e-6
    with pytest.raises(TypeError, match="get"):
        pyclfft.fft(there)
