"""A pytest plugin: scipy's own tests of scipy.fft, with pyclfft as the global backend.

``pytest -p tests.suites.scipy_backend --pyargs scipy.fft.tests.test_basic ...``
"""

from __future__ import annotations

import multiprocessing

import scipy.fft

import pyclfft

from .counts import DECLINED, SERVED, count
from .counts import pytest_sessionfinish as pytest_sessionfinish
from .counts import pytest_terminal_summary as pytest_terminal_summary


class Counting:
    """The backend; counts in this process, which is why these tests run in one."""

    __ua_domain__ = pyclfft.__ua_domain__

    @staticmethod
    def __ua_function__(method, args, kwargs):
        result = pyclfft.__ua_function__(method, args, kwargs)
        given = args[0] if args else kwargs.get("x", kwargs.get("a", kwargs.get("A")))
        count(DECLINED if result is NotImplemented else SERVED, given)
        return result


scipy.fft.set_global_backend(Counting)
scipy.fft.register_backend("scipy")  # for what is declined


def pytest_configure(config):
    """Let worker processes have the backend too: scipy's tests start them by a fork server."""
    multiprocessing.set_forkserver_preload([__name__])
