"""Hankel transforms, shifts of the origin, frequencies and fast lengths."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyopencl.array as cl_array
import pytest
import scipy.fft

import pyclfft
from pyclfft.errors import PlanError, PrecisionError
from pyclfft.runtime import describe
from pyclfft.runtime.shift import converted
from tests.conftest import place_of
from tests.oracle import noise, relative_error


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", ["fht", "ifht"])
@pytest.mark.parametrize("n", [16, 15, 64])
@pytest.mark.parametrize(("offset", "bias"), [(0.0, 0.0), (0.3, 0.1), (0.0, -0.1)])
def test_hankel(queue, name, n, offset, bias):
    fp64 = describe.traits(queue.device).fp64
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
        if describe.traits(device).fp64:
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


# --- numbers of other types on the device ---------------------------------------------------------

NUMBERS = ("b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2")


@pytest.mark.parametrize("dtype", NUMBERS)
def test_device_arrays_of_any_numbers_and_strides(queue, dtype, fp64):
    x = (100 * noise((5, 6, 7), "f4")).astype(dtype)
    there = cl_array.to_device(queue, x.view("u1") if dtype == "b1" else x)
    there = there.view(bool) if dtype == "b1" else there
    for part in (..., np.s_[:, ::2, 1:], np.s_[2]):
        expected = scipy.fft.fftn(x[part])
        result = pyclfft.fftn(there[part])
        assert result.dtype == expected.dtype
        assert relative_error(result.get(), expected) <= (1e-6 if dtype == "f2" else 1e-15)


def test_integers_are_rounded_once(queue, fp64):
    x = np.array([2**53 + 1, -(2**62) - 1, 3], "i8")
    assert converted(cl_array.to_device(queue, x), np.dtype("f8")).get().tolist() == [
        float(2**53), float(-(2**62)), 3.0,
    ]  # fmt: skip


def test_what_the_device_cannot_convert(queue, device, change_traits):
    structured = cl_array.to_device(queue, np.zeros(4, "i2,i2"))
    with pytest.raises(PlanError, match="upload the array as float64"):
        converted(structured, np.dtype("f8"))
    change_traits(fp64=False)
    with pytest.raises(PrecisionError, match="float32"):
        pyclfft.fft(cl_array.to_device(queue, np.zeros(4, "u1")))


WITHOUT_WARNINGS = """
import warnings
import numpy as np, pyopencl.array as cl_array
import pyclfft
warnings.simplefilter("error")
queue = pyclfft.default_queue()

def there(dtype, *shape):
    return cl_array.to_device(queue, np.ones(shape, dtype))

for dtype in ("u1", "i2", "i8", "f2", "f4", "c8"):
    if dtype not in ("u1", "i2", "i8") or DOUBLE:
        pyclfft.fft2(there(dtype, 4, 12))
        pyclfft.irfft(there(dtype, 4, 12))
        pyclfft.fftshift(there(dtype, 4, 12))
    if dtype != "c8" and (dtype[0] == "f" or DOUBLE):
        pyclfft.dct(there(dtype, 4, 12))
        pyclfft.fht(there(dtype, 4, 12), 0.1, 0.5)
        pyclfft.stft(there(dtype, 4096), n_fft=256)
        pyclfft.spectrogram(there(dtype, 4096), n_fft=256, db=True)
pyclfft.istft(there("f4", 129, 9))
pyclfft.fft(there("f4", 3, 0), n=4)
"""


def test_users_see_no_warnings_of_pyopencl(device):
    """In a new process: pyopencl warns of each of its kernels once."""
    code = WITHOUT_WARNINGS.replace("DOUBLE", str(describe.traits(device).fp64))
    environment = {**os.environ, "PYCLFFT_DEVICE": place_of(device), "PYOPENCL_NO_CACHE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=600, env=environment
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_nothing_at_all_padded_with_zeros(queue):
    gaps = cl_array.to_device(queue, np.full((3, 8), 7, "c8"))
    x = cl_array.empty(queue, (3, 0), "c8")
    pyclfft.Plan((3, 0), "c8", -1, s=4)(x, out=gaps[:, ::2])
    assert gaps.get().tolist() == [[0, 7] * 4] * 3


def test_frequencies():
    np.testing.assert_array_equal(pyclfft.fftfreq(9, 0.5), scipy.fft.fftfreq(9, 0.5))
    np.testing.assert_array_equal(pyclfft.rfftfreq(9, 0.5), scipy.fft.rfftfreq(9, 0.5))
    with pytest.raises(ValueError, match="n"):
        pyclfft.fftfreq(2.5)


def test_signatures_are_scipys():
    """Of every function that both have: parameters, their order, kinds and defaults."""
    for name in set(scipy.fft.__all__) & set(dir(pyclfft)):
        ours, theirs = (getattr(each, name) for each in (pyclfft, scipy.fft))
        if inspect.isfunction(theirs):
            parameters = [
                [(each.name, each.kind, each.default) for each in parameters.values()]
                for parameters in (inspect.signature(f).parameters for f in (ours, theirs))
            ]
            assert parameters[0] == parameters[1], name


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies_of_other_libraries(name):
    strict = pytest.importorskip("array_api_strict")
    function = getattr(pyclfft, name)
    np.testing.assert_array_equal(function(9, 0.5, xp=np, device="cpu"), function(9, 0.5))
    elsewhere, cpu = strict.Device("device1"), strict.Device("CPU_DEVICE")
    made = function(9, 0.5, xp=strict, device=elsewhere)
    assert (made.dtype, made.device) == (strict.float64, elsewhere)
    np.testing.assert_array_equal(np.asarray(made.to_device(cpu)), function(9, 0.5))
    with pytest.raises(ValueError, match='"cpu" alone'):
        function(9, device="gpu")


@pytest.mark.parametrize("real", [False, True])
def test_fast_lengths(real):
    """SciPy's numbers: programs size their arrays by them."""
    for n in (*range(3000), 10**6 + 3, 2**40 + 1, 2**59 + 1):
        assert pyclfft.next_fast_len(n, real) == scipy.fft.next_fast_len(n, real)
        assert pyclfft.prev_fast_len(n, real) == scipy.fft.prev_fast_len(n, real)
    assert pyclfft.next_fast_len(target=np.int64(7), real=True) == 8
    for function in (pyclfft.next_fast_len, pyclfft.prev_fast_len):
        with pytest.raises(ValueError, match="target"):
            function(-1)
        with pytest.raises(TypeError):
            function(2.5)


@pytest.mark.parametrize(("initial", "bias"), [(0.0, 0.0), (0.7, 0.0), (-0.4, 0.3)])
@pytest.mark.parametrize("mu", [0.0, 0.5, -1.0])
def test_offsets_of_hankel_transforms(mu, initial, bias):
    for dln in (0.05, 0.3, np.array([0.1, 0.2])):
        expected = scipy.fft.fhtoffset(dln, mu, initial, bias)
        ours = pyclfft.fhtoffset(dln, mu, initial=initial, bias=bias)
        np.testing.assert_allclose(ours, expected, rtol=1e-12, atol=1e-14)
    with pytest.raises(ZeroDivisionError):
        pyclfft.fhtoffset(0.0, mu)


# --- workers --------------------------------------------------------------------------------------


def test_workers_are_remembered():
    assert pyclfft.get_workers() == scipy.fft.get_workers() == 1
    for workers in (3, np.int64(2), -1):
        with pyclfft.set_workers(workers), scipy.fft.set_workers(workers):
            assert pyclfft.get_workers() == scipy.fft.get_workers()
            with pyclfft.set_workers(1):
                assert pyclfft.get_workers() == 1
            assert pyclfft.get_workers() == scipy.fft.get_workers()
    assert pyclfft.get_workers() == 1


def test_workers_are_each_threads_own():
    with pyclfft.set_workers(5), ThreadPoolExecutor(1) as other:
        assert other.submit(pyclfft.get_workers).result() == 1


def test_workers_are_restored_after_an_error():
    with pytest.raises(KeyError), pyclfft.set_workers(7):
        raise KeyError
    assert pyclfft.get_workers() == 1


@pytest.mark.parametrize("workers", [0, -(10**6), 2.5, "2", None])
def test_workers_that_there_are_not(workers):
    with pytest.raises((ValueError, TypeError)) as theirs, scipy.fft.set_workers(workers):
        pass
    with pytest.raises(theirs.type), pyclfft.set_workers(workers):
        pass
    assert pyclfft.get_workers() == 1


def test_all_of_scipys_names():
    """All but its choice of backends, of which there is one here."""
    backends = {"set_backend", "skip_backend", "set_global_backend", "register_backend"}
    assert set(scipy.fft.__all__) - backends <= set(pyclfft.__all__)
