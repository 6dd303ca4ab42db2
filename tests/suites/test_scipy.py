"""scipy's own tests of scipy.fft, on every device, through `tests.suites.scipy_backend`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pyclfft

ROOT = Path(__file__).resolve().parents[2]
MODULES = ("test_basic", "test_real_transforms", "test_multithreading", "test_fftlog")


@pytest.mark.full
def test_scipys_own_tests(device, tmp_path):
    """In one process, whose calls are counted; it fails if anything but longdouble is declined."""
    command = [
        sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "-p", "no:cacheprovider",
        "-p", "no:xdist", "-p", "tests.suites.scipy_backend", "--pyargs",
        *(f"scipy.fft.tests.{name}" for name in MODULES),
    ]  # fmt: skip
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
        "PYCLFFT_DEVICE": place_of(device),
    }
    environment.pop("PYTEST_ADDOPTS", None)
    done = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    report = done.stdout[-5000:]
    assert done.returncode == 0, report
    assert "calls served: " in report
    assert " passed" in report.splitlines()[-1]


def place_of(device):
    """What PYCLFFT_DEVICE has to be: the numbers of its platform and of the device there."""
    platforms = []
    for each in pyclfft.devices():
        if each.platform not in platforms:
            platforms.append(each.platform)
    same = [each for each in pyclfft.devices() if each.platform == device.platform]
    return f"{platforms.index(device.platform)}:{same.index(device)}"
