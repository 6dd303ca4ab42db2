"""pyclfft as scipy.fft's backend, and what it declines."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.fft
import scipy.signal

import pyclfft
from pyclfft import backend
from pyclfft.errors import PrecisionError
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
