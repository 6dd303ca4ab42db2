"""A pytest plugin: scipy's own tests of its convolutions, with pyclfft's functions in their place.

``pytest -p tests.suites.scipy_signal --pyargs scipy.signal.tests.test_signaltools -k "..."``, where
`CONVOLUTIONS` in test_suites.py is what to write for the dots.

What pyclfft refuses by a TypeError is left to scipy, and counted: longdouble and object, in which
no device computes.
"""

from __future__ import annotations

import functools

import numpy as np
import scipy.signal
from scipy._lib._array_api import xp_capabilities_table

import pyclfft

from . import counts
from .counts import DECLINED, SERVED, count
from .counts import pytest_sessionfinish as pytest_sessionfinish
from .counts import pytest_terminal_summary as pytest_terminal_summary

FUNCTIONS = ("convolve", "correlate", "fftconvolve", "oaconvolve", "choose_conv_method")
counts.UNSERVED = (*counts.UNSERVED, "object")


def counted(ours, scipys):
    """Return our function, that leaves to SciPy's what we decline, and counts."""

    @functools.wraps(ours)
    def call(in1, in2, *args, **kwargs):
        given = [np.asarray(each) for each in (in1, in2)]
        both = np.empty(0, np.result_type(*given))
        try:
            result = ours(in1, in2, *args, **kwargs)
        except pyclfft.PrecisionError:
            count(DECLINED, both)
            return scipys(in1, in2, *args, **kwargs)
        count(SERVED, both)
        return result

    return call


for name in FUNCTIONS:
    scipys = getattr(scipy.signal, name)
    ours = counted(getattr(pyclfft, name), scipys)
    if scipys in xp_capabilities_table:  # what SciPy's tests ask for each function that they test
        xp_capabilities_table[ours] = xp_capabilities_table[scipys]
    setattr(scipy.signal, name, ours)
