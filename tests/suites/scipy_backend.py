"""A pytest plugin: scipy's own tests of scipy.fft, with pyclfft as the global backend.

``pytest -p tests.suites.scipy_backend --pyargs scipy.fft.tests.test_basic ...``

Calls are counted by what became of them and by the dtype of their input; the last lines of the
output say how many were served and how many declined. The run fails if anything but longdouble was.
"""

from __future__ import annotations

import multiprocessing
from collections import Counter

import numpy as np
import pytest
import scipy.fft

import pyclfft

SERVED: Counter[str] = Counter()
DECLINED: Counter[str] = Counter()
UNSERVED = ("longdouble", "clongdouble", "float128", "complex256")  # names of the only ones allowed


class Counting:
    """The backend; counts in this process, which is why these tests run in one."""

    __ua_domain__ = pyclfft.__ua_domain__

    @staticmethod
    def __ua_function__(method, args, kwargs):
        result = pyclfft.__ua_function__(method, args, kwargs)
        counts = DECLINED if result is NotImplemented else SERVED
        given = args[0] if args else kwargs.get("x", kwargs.get("a", kwargs.get("A")))
        counts[str(getattr(given, "dtype", np.asarray(given).dtype))] += 1
        return result


scipy.fft.set_global_backend(Counting)
scipy.fft.register_backend("scipy")  # for what is declined


def pytest_configure(config):
    """Let worker processes have the backend too: scipy's tests start them by a fork server."""
    multiprocessing.set_forkserver_preload([__name__])


def pytest_terminal_summary(terminalreporter):
    for what, counts in (("served", SERVED), ("declined", DECLINED)):
        shown = ", ".join(f"{dtype} {count}" for dtype, count in counts.most_common())
        terminalreporter.write_line(f"calls {what}: {sum(counts.values())} ({shown})")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    if set(DECLINED) - set(UNSERVED) or not SERVED:
        session.exitstatus = 1
