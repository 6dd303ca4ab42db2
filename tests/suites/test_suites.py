"""The tests that SciPy and NumPy have of their own transforms, against ours, on every device.

Those of librosa need a checkout of its repository (`librosa_functions`). Here its plugin runs with
a few tests like them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import place_of

ROOT = Path(__file__).resolve().parents[2]
# The tests of scipy.signal's functions that pyclfft has, but for convolve2d and correlate2d.
CONVOLUTIONS = (
    "TestConvolve and not TestConvolve2d or TestFFTConvolve or TestOAConvolve or "
    "TestAllFreqConvolves or TestCorrelate and not TestCorrelate2d or "
    "test_convolve_longdtype_input or test_choose_conv_method"
)
SUITES = {
    "scipy_backend": [
        f"scipy.fft.tests.{name}"
        for name in ("test_basic", "test_real_transforms", "test_multithreading", "test_fftlog")
    ],
    # numpy's conftest.py is left out, since it wants hypothesis, which these tests do not.
    "numpy_functions": ["--noconftest", "numpy.fft.tests.test_pocketfft"],
    # The tests that scipy calls slow try 2000 lengths, one after the other.
    "scipy_signal": [
        "scipy.signal.tests.test_signaltools",
        "-k",
        CONVOLUTIONS,
        "-m",
        "not slow",
    ],
    "scipy_czt": ["scipy.signal.tests.test_czt", "-m", "not slow"],
}


# Of librosa's griffinlim, effects and features only what shows that they call ours.
LIKE_LIBROSAS = """
import librosa
import librosa.core.constantq
import librosa.core.spectrum
import librosa.feature.rhythm
import numpy as np
import pytest

from tests.suites.counts import SERVED


def calls(function, *arguments, **options):
    before = SERVED.total()
    function(*arguments, **options)
    return SERVED.total() - before


Y = np.sin(np.arange(8192) / 5).astype("f4")


def test_stft():
    exact = np.fft.rfft(np.lib.stride_tricks.sliding_window_view(Y.astype("f8"), 512)[::128]).T
    found = librosa.stft(Y, n_fft=512, hop_length=128, window=np.ones, center=False)
    assert found.dtype == "complex64"
    assert np.allclose(found, exact, rtol=1e-6, atol=1e-8)  # as ours do in double precision only


def test_the_names_are_one_function():
    modules = (
        librosa.core, librosa.core.spectrum, librosa.core.constantq, librosa.feature.rhythm
    )
    assert all(module.stft is librosa.stft for module in modules)
    assert all(module.istft is librosa.istft for module in modules[:3])


def test_who_calls_them():
    assert calls(librosa.griffinlim, np.ones((33, 9)), n_iter=3) == 7  # both ways, and once back
    assert calls(librosa.effects.time_stretch, Y, rate=2.0) == 2
    assert calls(librosa.feature.melspectrogram, y=Y) == 1


@pytest.mark.xfail(raises=librosa.ParameterError, strict=True)
def test_our_errors_become_theirs():
    librosa.stft(Y, n_fft=2**14, center=False)
"""


def run_suite(plugin, arguments, folder, device):
    """Run tests with a plugin in a process of their own, on a device; return it, ended."""
    command = [
        sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "-p", "no:cacheprovider",
        "-p", "no:xdist", "-p", f"tests.suites.{plugin}", *arguments,
    ]  # fmt: skip
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
        "PYCLFFT_DEVICE": place_of(device),
    }
    environment.pop("PYTEST_ADDOPTS", None)
    return subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.full
@pytest.mark.parametrize("plugin", SUITES)
def test_their_own_tests(plugin, device, tmp_path):
    """In one process, whose calls are counted.

    It fails if anything but longdouble is declined; by the convolutions also object arrays may be.
    """
    done = run_suite(plugin, ["--pyargs", *SUITES[plugin]], tmp_path, device)
    report = done.stdout[-5000:]
    assert done.returncode == 0, report
    assert "calls served: " in report
    assert " passed" in report.splitlines()[-1]


@pytest.mark.full
@pytest.mark.parametrize("double", [False, True])
def test_the_plugin_for_librosas_tests(double, device, tmp_path):
    """The test of float32 beside double precision passes with ``--in-double`` only."""
    pytest.importorskip("librosa")
    (tmp_path / "test_like_librosas.py").write_text(LIKE_LIBROSAS)
    arguments = ["test_like_librosas.py", *["--in-double"] * double]
    done = run_suite("librosa_functions", arguments, tmp_path, device)
    counts = "3 passed, 1 xfailed" if double else "2 passed, 2 xfailed"
    assert done.returncode == 0, done.stdout[-5000:]
    assert counts in done.stdout.splitlines()[-1]
