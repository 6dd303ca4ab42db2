"""Half of a pytest plugin: counts the calls of foreign tests that pyclfft serves and declines.

The last lines of the output say how many, by the dtype of the input. The run fails if anything but
longdouble was declined, or nothing served.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

SERVED: Counter[str] = Counter()
DECLINED: Counter[str] = Counter()
UNSERVED = ("longdouble", "clongdouble", "float128", "complex256")  # names of the only ones allowed


def count(counts, given):
    """Count a call by the dtype of its input."""
    counts[str(getattr(given, "dtype", np.asarray(given).dtype))] += 1


def pytest_terminal_summary(terminalreporter):
    for what, counts in (("served", SERVED), ("declined", DECLINED)):
        shown = ", ".join(f"{dtype} {count}" for dtype, count in counts.most_common())
        terminalreporter.write_line(f"calls {what}: {sum(counts.values())} ({shown})")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    if set(DECLINED) - set(UNSERVED) or not SERVED:
        session.exitstatus = 1
