"""Commands in odd surroundings: locales, names that are not UTF-8, no home, a read-only package."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest

from pyclfft import commandline, files
from tests.conftest import module_path, place_of

TIMEOUT = 300  # seconds until a hanging command gives up
NOBODY = 65432  # a number of a user who has neither a name nor a home

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="names on Windows are UTF-16")

# Runs commands on files with odd names, in the folder of this process, and writes what they return.
DRIVER = """
import json, locale, os, sys
from importlib import import_module
import numpy as np
from scipy.io import wavfile

locale.setlocale(locale.LC_ALL, "")

def run(command, *argv):
    return import_module(f"pyclfft.{command}").main([*argv])

names = [
    b"a b", b"it's \\"so\\"", b"two\\nlines", b"caf\\xe9", "\\u03c0 \\u222b".encode(), b"-q",
    b"$x_{$", b"%s{0}", b"x" * 251,
]
pixels = b"P5 8 8 255 " + bytes(range(64))
noise = np.random.default_rng(0).integers(-9999, 9999, 4096).astype("i2")
missing = []
for name in map(os.fsdecode, names):
    with open(name + ".pgm", "wb") as file:
        file.write(pixels)
    wavfile.write(name + ".wav", 8000, noise)
    calls = {
        "filter": (f"--output={name}.tif", "--highpass", "--", f"{name}.pgm"),
        "spectrogram": (f"--csv={name}.csv", "--", f"{name}.wav"),
        "convolve": (f"--trim", "--", f"{name}.wav", f"{name}.wav", f"w{name[1:]}.wav"),
    }
    for command, argv in calls.items():
        if status := run(command, *argv):
            missing.append([command, name, status])
    missing += [[each] for each in (f"{name}.tif", f"{name}.csv") if not os.path.exists(each)]
status = {
    "missing": missing,
    "refused": run("filter", "--highpass", os.fsdecode(b"no\\xff.pgm")),
}
if sys.argv[2:]:
    status |= {
        "picture": run("spectrogram", "-o", "picture.png", "--", os.fsdecode(names[3] + b".wav")),
        "formula": run("spectrogram", "-o", "formula.svg", "--", "$x_{$.wav"),
        "report": run("info", "--device", sys.argv[1], "--report=" + os.fsdecode(b"caf\\xe9.txt"),
                      "--quick"),
        "selftest": run("selftest", "--device", sys.argv[1], "--cases", "3", "--points", "16"),
    }
with open("results", "w") as file:
    json.dump(status, file)
"""


LOCALES = {
    "C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "UTF-8 mode": {"LC_ALL": "C", "PYTHONUTF8": "1"},
    "Turkish": {"LC_ALL": "tr_TR.UTF-8", "PYTHONUTF8": "0"},
    "German": {"LC_ALL": "de_DE.UTF-8", "PYTHONUTF8": "0"},
}
WITH_COMMAS = ("Turkish", "German")  # C's library reads and writes 0,5 there, not 0.5


@cache
def folder_of_locales():
    """A folder, for LOCPATH, of the locales with commas, which the machine itself need not have."""
    if not shutil.which("localedef"):
        pytest.skip("localedef, which makes locales, is not installed")
    folder = tempfile.mkdtemp(prefix="pyclfft-tests-locales-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name in WITH_COMMAS:
        full = LOCALES[name]["LC_ALL"]
        command = ["localedef", "-i", full.partition(".")[0], "-f", "UTF-8", f"{folder}/{full}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if not Path(folder, full, "LC_NUMERIC").exists():
            pytest.skip(f"localedef makes no {full} (apt-get install locales): {done.stderr}")
    return folder


def surroundings(**changes):
    """The environment of a command."""
    return {**os.environ, "PYTHONPATH": module_path(), **changes}


def drive(folder, environment, *more, **options):
    """Run the driver, which also takes a report and a self-test if there is `more`."""
    command = [sys.executable, "-c", DRIVER, environment["PYCLFFT_DEVICE"], *more]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, timeout=TIMEOUT, check=False,
        **options,
    )  # fmt: skip
    results = Path(folder, "results")
    assert results.exists(), done.stderr.decode(errors="replace")
    return done, json.loads(results.read_text())


def environment_of(name, device, **changes):
    if name in WITH_COMMAS:
        changes["LOCPATH"] = folder_of_locales()
    return surroundings(PYCLFFT_DEVICE=place_of(device), **LOCALES[name], **changes)


def assert_fine(done, results, **more):
    assert results == {"missing": [], "refused": 2, **more}, done.stderr
    said = done.stderr.decode(errors="surrogateescape").splitlines()
    (error,) = [each for each in said if ": error: " in each]
    assert error.startswith("pyclfft filter: error: no\\udcff.pgm: ")  # in the user's language
    assert "Traceback" not in "".join(said)


@pytest.mark.one_cpu
def test_names_of_files_in_the_locale_c(device, tmp_path):
    assert_fine(*drive(tmp_path, environment_of("C", device)))


# Compiles kernels, whose texts and whose values of macros hold numbers such as 0.5, and prints by
# how much their results are off.
COMPILE = """
import locale, sys
import numpy as np
import pyclfft
from scipy import fft, signal
from tests.oracle import noise, relative_error

locale.setlocale(locale.LC_ALL, "")
print(locale.format_string("%.1f", 0.5))
pyclfft.use_device(sys.argv[1])
wide = lambda x: x.astype("f8" if x.dtype.kind == "f" else "c16")
for shape in ((4, 32), (3, 1000), (2, 251)):
    x = noise(shape, "c8")
    print(relative_error(pyclfft.fft(x), fft.fft(wide(x))))
x = noise((20, 30), "f4")
print(relative_error(pyclfft.dctn(x, 2), fft.dctn(wide(x), 2)))
print(relative_error(pyclfft.convolve(x, x), signal.convolve(wide(x), wide(x))))
fy, fx = np.fft.fftfreq(20)[:, None], np.fft.fftfreq(30)
gains = np.exp(-2 * (np.pi * 2.5) ** 2 * (fy**2 + fx**2))
smooth = pyclfft.filter_image(x, "lowpass", shape="gaussian", sigma=2.5)
print(relative_error(smooth, fft.ifft2(gains * fft.fft2(wide(x))).real))
y, window = noise(4096, "f4"), signal.get_window("hann", 512)
frames = np.lib.stride_tricks.sliding_window_view(wide(y), 512)[::128]
print(relative_error(pyclfft.stft(y, 512, 128, center=False), fft.rfft(window * frames).T))
"""


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", ["Turkish", pytest.param("German", marks=pytest.mark.full)])
def test_kernels_are_compiled_where_numbers_have_commas(device, tmp_path, name):
    """Also by runtimes that read numbers by C's library, in a program that has asked for commas."""
    folders = {"PYCLFFT_CACHE_DIR": str(tmp_path / "ours"), "POCL_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", COMPILE, place_of(device)], text=True, capture_output=True,
        env=environment_of(name, device, **folders), timeout=TIMEOUT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    half, *errors = done.stdout.split()
    assert half == "0,5"
    assert len(errors) == 7
    assert max(map(float, errors)) < 1e-6, errors


@pytest.mark.full
@pytest.mark.one_cpu
@pytest.mark.parametrize("name", LOCALES)
def test_locales_and_names(device, tmp_path, name):
    """The cache, too, lies in a folder with an odd name."""
    cache_folder = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9 cache\n")
    (tmp_path / "here").mkdir()
    environment = environment_of(name, device, PYCLFFT_CACHE_DIR=cache_folder)
    done, results = drive(tmp_path / "here", environment, "more")
    assert_fine(done, results, picture=0, formula=0, report=0, selftest=0)
    assert "caf\\udce9 cache" in done.stdout.decode(errors="surrogateescape")
    assert any(each.is_file() for each in Path(cache_folder).rglob("*"))


@pytest.mark.full
def test_a_read_only_package_and_no_home(device):
    """A user without a name cannot write where pyclfft lies, and has no folder for a cache."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    environment = surroundings(PYCLFFT_DEVICE=place_of(device))
    for name in ("HOME", "PYCLFFT_CACHE_DIR", "PYCLFFT_DATA_DIR", "XDG_CACHE_HOME"):
        environment.pop(name, None)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        options = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        try:
            found = subprocess.run(
                [sys.executable, "-c", "import pyclfft"], cwd=folder, env=environment,
                capture_output=True, check=False, **options,
            )  # fmt: skip
        except PermissionError:
            found = None
        if found is None or b"No module" in found.stderr or b"Permission" in found.stderr:
            pytest.skip("other users may not read this checkout")
        done, results = drive(folder, environment, "more", **options)
        assert "not kept: " in done.stdout.decode()
        assert "no home: set HOME or PYCLFFT_DATA_DIR" in done.stdout.decode()
        assert (results["report"], results["selftest"]) == (0, 0)
        assert not [each for each in Path(folder).iterdir() if each.name in ("~", "pyclfft")]


# --- folders and names, without a device ----------------------------------------------------------


def test_without_a_home(monkeypatch, tmp_path):
    for name in ("HOME", "PYCLFFT_CACHE_DIR", "PYCLFFT_DATA_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.path.expanduser", lambda path: path)  # as for a user without a name
    for find, variable in (
        (files.cache_dir, "PYCLFFT_CACHE_DIR"), (files.data_dir, "PYCLFFT_DATA_DIR")
    ):  # fmt: skip
        assert find().is_absolute()
        with pytest.raises(OSError, match=f"set HOME or {variable}"):
            files.private_folder(find() / "folder")
        monkeypatch.setenv(variable, "here")
        assert find() == Path("here")
    assert not list(tmp_path.iterdir())


NO_CACHE = """
import sys
import numpy as np
import pyclfft
pyclfft.use_device(sys.argv[1])
print(pyclfft.fft(np.ones(4, "c8"))[0].real)
"""


def test_where_no_cache_can_be_written(device, tmp_path):
    """pyopencl, too, would keep code in the user's folder. PoCL cannot do without a folder."""
    nowhere = {"XDG_CACHE_HOME": "/dev/null/cache", "XDG_DATA_HOME": "/dev/null/data"}
    environment = surroundings(**nowhere, POCL_CACHE_DIR=str(tmp_path))
    for name in ("PYCLFFT_CACHE_DIR", "PYCLFFT_DATA_DIR"):
        environment.pop(name, None)
    done = subprocess.run(
        [sys.executable, "-c", NO_CACHE, place_of(device)], env=environment, text=True,
        capture_output=True, timeout=TIMEOUT, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("4.0\n", "")


@pytest.mark.parametrize("name", ["x" * 255, "é" * 127, os.fsdecode(b"\xff" * 255)])
def test_names_of_any_length_are_written(tmp_path, name):
    with files.atomic_write(tmp_path / name) as file:
        file.write(b"content")
    assert (tmp_path / name).read_bytes() == b"content"
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_stdout_takes_any_text(tmp_path):
    """Afterwards it is as it was, since a program may call a command."""
    with open(tmp_path / "out", "w+", encoding="ascii", errors="strict") as out:
        before, sys.stdout = sys.stdout, out
        try:
            say = lambda: commandline.Report(to="stdout")("caf\udce9 \u03c0")  # noqa: E731
            assert commandline.run(say, "pyclfft x") == 0
        finally:
            sys.stdout = before
        assert out.errors == "strict"
        out.seek(0)
        assert out.read() == "caf\\udce9 \\u03c0\n"
