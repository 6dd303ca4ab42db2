"""The tests that SciPy and NumPy have of their own transforms, against ours, on every device."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import place_of

ROOT = Path(__file__).resolve().parents[2]
SUITES = {
    "scipy_backend": [
        f"scipy.fft.tests.{name}"
        for name in ("test_basic", "test_real_transforms", "test_multithreading", "test_fftlog")
    ],
    # numpy's conftest.py is left out, since it wants hypothesis, which these tests do not.
    "numpy_functions": ["--noconftest", "numpy.fft.tests.test_pocketfft"],
}


@pytest.mark.full
@pytest.mark.parametrize("plugin", SUITES)
def test_their_own_tests(plugin, device, tmp_path):
    """In one process, whose calls are counted; it fails if anything but longdouble is declined."""
    command = [
        sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "-p", "no:cacheprovider",
        "-p", "no:xdist", "-p", f"tests.suites.{plugin}", "--pyargs", *SUITES[plugin],
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
