"""pyclfft as scipy.fft's backend, and what it declines."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pyopencl.array as cl_array
import pytest
import scipy.fft
import scipy.signal

import pyclfft
from pyclfft import backend
from pyclfft.errors import PrecisionError
from tests.conftest import place_of
from tests.oracle import relative_error


@pytest.fixture
def served(monkeypatch):
    """Names of the functions that our backend has served."""
    names = []
    call = backend.call

    def counting(method, args, kwargs):
        result = call(method, args, kwargs)
        if result is not NotImplemented:
            names.append(method.__name__)
        return result

    monkeypatch.setattr(pyclfft, "__ua_function__", counting)
    return names


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", backend.DISPATCHED)
def test_every_function_is_served(device, served, name):
    x = np.ones((4, 4), "f4")
    options = {"dln": 0.1, "mu": 0.5} if name in ("fht", "ifht") else {}
    expected = getattr(scipy.fft, name)(x, **options)
    with scipy.fft.set_backend(pyclfft):
        ours = getattr(scipy.fft, name)(x, **options)
    assert served == [name]
    np.testing.assert_allclose(ours, expected, atol=1e-5)


def test_longdouble_goes_to_the_next_backend(device, served):
    x = np.ones(4, np.longdouble)
    with scipy.fft.set_backend(pyclfft):
        assert scipy.fft.fft(x).dtype == np.clongdouble
        assert scipy.fft.dct(x).dtype == np.longdouble
    assert served == []
    with pytest.raises(TypeError, match="float64"):
        pyclfft.fft(x)
    assert issubclass(PrecisionError, TypeError)


def test_errors_are_ours(device, served):
    with scipy.fft.set_backend(pyclfft), pytest.raises(ValueError, match="data points"):
        scipy.fft.fft(np.ones((2, 0), "f4"))


def test_convolution_by_scipy(device, served):
    rng = np.random.default_rng(0)
    x, h = rng.random((30, 40), "f4"), rng.random((5, 7), "f4")
    expected = scipy.signal.fftconvolve(x.astype("f8"), h.astype("f8"))
    with scipy.fft.set_backend(pyclfft):
        ours = scipy.signal.fftconvolve(x, h)
    assert served == ["rfftn", "rfftn", "irfftn"]
    assert relative_error(ours, expected) < 1e-6


def test_ignored_parameters(device, served):
    x = np.ones(8, "f4")
    with scipy.fft.set_backend(pyclfft), scipy.fft.set_workers(2):
        scipy.fft.fft(x, overwrite_x=True, workers=2)
    assert (x == 1).all()


# --- a backend that leaves short calls to SciPy ---------------------------------------------------


def stft_of(x):
    """SciPy's, which makes one call of `rfft` for each frame, and back."""
    transform = scipy.signal.ShortTimeFFT(np.hanning(65)[:-1].astype("f4"), 16, fs=1.0)
    spectrum = transform.stft(x)
    return spectrum, transform.istft(spectrum, k1=len(x))


@pytest.mark.parametrize("backend_of", [lambda: pyclfft, pyclfft.scipy_backend])
def test_scipys_short_time_transform(device, served, backend_of):
    x = np.random.default_rng(0).standard_normal(500).astype("f4")
    expected, _ = stft_of(x.astype("f8"))
    with scipy.fft.set_backend(backend_of()):
        spectrum, again = stft_of(x)
    if backend_of() is pyclfft:
        assert set(served) == {"rfft", "irfft"}
    assert relative_error(spectrum, expected) < 1e-6
    assert relative_error(again, x) < 1e-6


COUNTED = [
    ("fft", (np.ones(8),), {}, 8),
    ("fft", ([1, 2, 3],), {}, 3),
    ("rfft", (np.ones((3, 8)),), {}, 24),
    ("rfft", (np.ones((3, 8)), 20), {}, 60),
    ("ifft", (np.ones((3, 8)),), {"n": 5, "axis": 0}, 40),
    ("irfft", (), {"x": np.ones((3, 5)), "n": 8}, 24),
    ("fft2", (np.ones((2, 3, 8)), (4, 4)), {}, 32),
    ("fft2", (np.ones((2, 3, 8)), (4, 4), (0, 1)), {}, 128),
    ("rfftn", (np.ones((3, 8)), [16, 16]), {"axes": [0, 1]}, 256),
    ("fftn", (np.ones((3, 8)),), {"s": 16}, 48),
    ("fftn", (np.ones((3, 8)),), {"axes": 0}, 24),
    ("dct", (np.ones(8), 3, 12), {}, 12),
    ("idct", (np.ones(8),), {"type": 3, "n": 12}, 12),
    ("dstn", (np.ones((3, 8)), 1, (4, 4)), {}, 16),
    ("fht", (np.ones(8), 0.1), {"mu": 0.5}, 8),
    ("ifht", (), {"A": np.ones(8), "dln": 0.1, "mu": 0.5}, 8),
]


@pytest.mark.parametrize(("name", "args", "kwargs", "points"), COUNTED)
def test_points_of_a_call(name, args, kwargs, points):
    assert backend.points_of(name, args, kwargs) == points
    assert all(np.isfinite(getattr(scipy.fft, name)(*args, **kwargs)).ravel())  # as SciPy takes it


@pytest.mark.parametrize("name", backend.DISPATCHED)
def test_points_of_every_function(name):
    assert backend.points_of(name, (np.ones((2, 4)),), {}) == 8


def test_points_of_what_scipy_cannot_serve(queue):
    for name, args in (("fft", (np.ones(4), 2.5)), ("fftn", (np.ones(4), (4, 4))), ("new", (1,))):
        assert backend.points_of(name, args, {}) == float("inf")
    assert backend.points_of("fft", (cl_array.zeros(queue, 4, "c8"),), {}) == float("inf")


@pytest.mark.parametrize(("points", "by_us"), [(63, False), (64, True), (65, True)])
def test_short_calls_are_left_to_scipy(device, monkeypatch, points, by_us):
    names = []
    monkeypatch.setitem(backend.FUNCTIONS, "fft", lambda x: names.append(len(x)) or pyclfft.fft(x))
    x = np.ones(points, "c8")
    with scipy.fft.set_backend(pyclfft.scipy_backend(smallest=64)):
        ours = scipy.fft.fft(x)
    assert names == [points] * by_us
    np.testing.assert_allclose(ours, np.fft.fft(x), atol=1e-4)


GLOBAL = """
import numpy as np, pyclfft, scipy.fft
scipy.fft.set_global_backend(pyclfft.scipy_backend(smallest=64))
scipy.fft.register_backend("scipy")
print(*(int(scipy.fft.fft(np.ones(n, "c8"))[0].real) for n in (8, 64)))
"""


@pytest.mark.one_cpu
def test_short_calls_are_left_to_scipy_by_a_global_backend(device):
    """In a process of its own, since there is no way back to SciPy's own global backend."""
    command = [sys.executable, "-c", GLOBAL]
    environment = {**os.environ, "PYCLFFT_DEVICE": place_of(device)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.stdout == "8 64\n", done.stderr


def test_device_arrays_are_always_served(queue):
    x = cl_array.to_device(queue, np.ones(4, "c8"))
    with scipy.fft.set_backend(pyclfft.scipy_backend(smallest=10**9)):
        assert scipy.fft.fft(x).get()[0] == 4


@pytest.mark.parametrize("smallest", [0, 512])
def test_backends_are_values_that_pickle(device, smallest):
    made = pyclfft.scipy_backend(smallest)
    with scipy.fft.set_backend(made):  # which leaves its traces on a backend
        scipy.fft.fft(np.ones(4, "c8"))
        again = pickle.loads(pickle.dumps(made))
        assert copy.deepcopy(made) == again == made
    assert hash(again) == hash(made)
    assert repr(again) == f"ScipyBackend(smallest={smallest})"
    with scipy.fft.set_backend(again):
        np.testing.assert_allclose(scipy.fft.fft(np.ones(4, "c8")), [4, 0, 0, 0])


def test_smallest_is_a_number_of_points():
    with pytest.raises(ValueError, match="0 or more"):
        pyclfft.scipy_backend(-1)
    for smallest in (2.5, "64"):
        with pytest.raises(TypeError):
            pyclfft.scipy_backend(smallest=smallest)
    assert pyclfft.scipy_backend(np.int64(64)) == pyclfft.scipy_backend(smallest=64)
