"""The fft extension of the array API standard, beside the standard's own strict implementation."""

from __future__ import annotations

import inspect

import numpy as np
import pyopencl.array as cl_array
import pytest

from pyclfft import array_api_fft
from pyclfft.runtime import describe
from tests.oracle import noise

strict = pytest.importorskip("array_api_strict")

TRANSFORMS = [name for name in array_api_fft.__all__ if name.removeprefix("i")[-3:] != "req"]
TRANSFORMS = [name for name in TRANSFORMS if not name.endswith("shift")]
DTYPES = ["float32", "float64", "complex64", "complex128"]
TAKES_COMPLEX = ("fft", "ifft", "fftn", "ifftn", "irfft", "irfftn", "hfft")


def parameters(function):
    return [
        (each.name, each.kind, each.default)
        for each in inspect.signature(function).parameters.values()
    ]


def test_the_standards_functions_and_signatures():
    assert sorted(array_api_fft.__all__) == sorted(strict.fft.__all__)
    for name in array_api_fft.__all__:
        assert parameters(getattr(array_api_fft, name)) == parameters(getattr(strict.fft, name))


@pytest.mark.one_cpu
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms(device, name, dtype):
    if dtype in ("float64", "complex128") and not describe.traits(device).fp64:
        pytest.skip(f"{device.name} has no double precision")
    x = noise((4, 6), dtype)
    ours, theirs = getattr(array_api_fft, name), getattr(strict.fft, name)
    if "complex" in dtype and name not in TAKES_COMPLEX:
        with pytest.raises(TypeError, match="float32, float64"):
            ours(x)
        return
    real_for_complex = "complex" not in dtype and name in TAKES_COMPLEX
    given = strict.asarray(x + 0j if real_for_complex else x)
    lengths = {"s": (4, 5), "axes": (1, 0)} if name.endswith("n") else {"n": 7, "axis": 0}
    for options in ({}, lengths, {"norm": "ortho"}):
        expected = np.asarray(theirs(given, **options))
        result = ours(x, **options)
        assert result.dtype == expected.dtype
        accuracy = 1e-5 if result.dtype in ("f4", "c8") else 1e-13
        np.testing.assert_allclose(result, expected, atol=10 * accuracy)


@pytest.mark.parametrize("name", TRANSFORMS)
def test_what_the_standard_leaves_open_is_refused(device, name):
    function = getattr(array_api_fft, name)
    for x in (np.arange(4), np.ones(4, bool), np.ones(4, "f2"), np.ones(4, np.longdouble)):
        with pytest.raises(TypeError, match=r"float32, float64.*x\.astype"):
            function(x)
    with pytest.raises(TypeError, match="array, not a list"):
        function([1.0, 2.0])
    with pytest.raises(TypeError, match="positional"):
        function(np.ones(4, "f4"), 4)


def test_on_the_device(queue):
    x = cl_array.to_device(queue, noise((4, 6), "complex64"))
    spectrum = array_api_fft.fftn(x)
    back = array_api_fft.ifftn(array_api_fft.ifftshift(array_api_fft.fftshift(spectrum)))
    np.testing.assert_allclose(back.get(), x.get(), atol=1e-6)
    with pytest.raises(TypeError, match="float32"):
        array_api_fft.rfft(x)


def test_frequencies(queue):
    for name in ("fftfreq", "rfftfreq"):
        function, expected = getattr(array_api_fft, name), getattr(np.fft, name)(9, d=0.5)
        assert function(9, d=0.5).dtype == np.float64
        np.testing.assert_array_equal(function(9, d=0.5), expected)
        single = function(9, d=0.5, dtype=np.float32, device=queue)
        assert (single.queue, single.dtype) == (queue, np.float32)
        np.testing.assert_allclose(single.get(), expected, rtol=1e-6)
        np.testing.assert_array_equal(function(9, d=0.5, device="cpu"), expected)
        with pytest.raises(TypeError, match="float32 or float64"):
            function(9, dtype=np.int32)
        with pytest.raises(ValueError, match="queue"):
            function(9, device="gpu")
    with pytest.raises(TypeError, match="array"):
        array_api_fft.fftshift([1, 2])
