"""Says at the start of the first check how long it takes."""

from __future__ import annotations

from math import ceil

import pyclfft

COLD_MINUTES = 1.5  # of one device on two cores, at most, where every kernel has to be compiled


def pytest_report_header() -> str:
    minutes = ceil(COLD_MINUTES * len(pyclfft.devices()))
    return f"first check: up to {minutes} min on two cores; half a minute once kernels are compiled"
