"""A pytest plugin: scipy's own tests of its chirp z-transform, with pyclfft's in its place.

``pytest -p tests.suites.scipy_czt --pyargs scipy.signal.tests.test_czt``.
"""

from __future__ import annotations

import functools

import numpy as np
import scipy.signal

import pyclfft

from .counts import SERVED, count
from .counts import pytest_sessionfinish as pytest_sessionfinish
from .counts import pytest_terminal_summary as pytest_terminal_summary


def counted(function):
    """Return the function, which also counts its calls."""

    @functools.wraps(function)
    def call(x, *args, **kwargs):
        count(SERVED, np.asarray(x))
        return function(x, *args, **kwargs)

    return call


for name in ("czt", "zoom_fft"):
    setattr(scipy.signal, name, counted(getattr(pyclfft, name)))
for name in ("CZT", "ZoomFFT", "czt_points"):
    setattr(scipy.signal, name, getattr(pyclfft, name))
