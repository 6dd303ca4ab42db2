"""Hankel transforms, shifts of the origin, frequencies and fast lengths."""

from __future__ import annotations

import numpy as np
import pyopencl.array as cl_array
import pytest
import scipy.fft

import pyclfft
from pyclfft.planning.factor import is_smooth
from pyclfft.runtime import device as devices
from tests.oracle import noise, relative_error


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", ["fht", "ifht"])
@pytest.mark.parametrize("n", [16, 15, 64])
@pytest.mark.parametrize(("offset", "bias"), [(0.0, 0.0), (0.3, 0.1), (0.0, -0.1)])
def test_hankel(queue, name, n, offset, bias):
    fp64 = devices.traits(queue.device).fp64
    x = noise((3, n), "f8" if fp64 else "f4")
    if bias and not fp64:
        pytest.skip("no double precision")
    options = {"dln": 0.2, "mu": 0.7, "offset": offset, "bias": bias}
    expected = getattr(scipy.fft, name)(x, **options)
    ours = getattr(pyclfft, name)(x, **options)
    assert ours.dtype == expected.dtype
    assert relative_error(ours, expected) < (1e-13 if fp64 else 1e-5)
    on_device = cl_array.to_device(queue, np.stack([x, x[::-1]], axis=1))
    for row, same in enumerate((expected, expected[::-1])):  # with gaps between the rows
        there = getattr(pyclfft, name)(on_device[:, row], **options)
        assert relative_error(there.get(), same) < (1e-13 if fp64 else 1e-5)


def test_singular_hankel_transforms(device):
    for name, function in (("fht", pyclfft.fht), ("ifht", pyclfft.ifht)):
        mu, bias = (-3.5, 0.5) if name == "fht" else (-2.5, 0.5)
        x = noise(16, "f4")
        if devices.traits(device).fp64:
            for _ in range(2):  # the second plan comes from the cache
                with pytest.warns(UserWarning, match="singular") as caught:
                    function(x, 0.1, mu, bias=bias)
                assert caught[0].filename == __file__
    with pytest.raises(TypeError, match="real"):
        pyclfft.fht(np.ones(4, "c8"), 0.1, 0.0)
    with pytest.raises(ValueError, match="data points"):
        pyclfft.fht(np.ones((2, 0), "f4"), 0.1, 0.0)


@pytest.mark.parametrize("name", ["fftshift", "ifftshift"])
@pytest.mark.parametrize("dtype", ["c8", "f4", "i2", "u1", "i8"])
def test_shifts(queue, name, dtype):
    x = (100 * noise((5, 6, 7), "f4")).astype(dtype)
    there = cl_array.to_device(queue, x)
    for axes in (None, 0, (1, 2), -1):
        expected = getattr(np.fft, name)(x, axes)
        np.testing.assert_array_equal(getattr(pyclfft, name)(x, axes), expected)
        np.testing.assert_array_equal(getattr(pyclfft, name)(there, axes).get(), expected)
    part = getattr(pyclfft, name)(there[:, ::2, 1:])
    np.testing.assert_array_equal(part.get(), getattr(np.fft, name)(x[:, ::2, 1:]))
    empty = cl_array.zeros(queue, (0, 3), dtype)
    assert getattr(pyclfft, name)(empty).shape == (0, 3)
    with pytest.raises(ValueError, match="axes"):
        getattr(pyclfft, name)(there, 3)


def test_frequencies():
    np.testing.assert_array_equal(pyclfft.fftfreq(9, 0.5), scipy.fft.fftfreq(9, 0.5))
    np.testing.assert_array_equal(pyclfft.rfftfreq(9, 0.5), scipy.fft.rfftfreq(9, 0.5))
    with pytest.raises(ValueError, match="n"):
        pyclfft.fftfreq(2.5)


def test_fast_lengths():
    smooth = [n for n in range(1, 3000) if is_smooth(n)]
    for n in range(1, 2500):
        assert pyclfft.next_fast_len(n) == next(each for each in smooth if each >= n)
        assert pyclfft.prev_fast_len(n) == max(each for each in smooth if each <= n)
    assert pyclfft.next_fast_len(0) == 1
    assert is_smooth(pyclfft.prev_fast_len(10**15 + 1))
    for function in (pyclfft.next_fast_len, pyclfft.prev_fast_len):
        with pytest.raises(ValueError, match="target"):
            function(-1)
        with pytest.raises(TypeError):
            function(2.5)
    with pytest.raises(ValueError, match="positive"):
        pyclfft.prev_fast_len(0)
