"""The wheel holds all that is needed: installed elsewhere, it finds its kernels."""

from __future__ import annotations

import configparser
import importlib.util
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

# PYTHONPATH may name the checkout, too.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
ROOT = Path(__file__).resolve().parents[2]

SCRIPT = """
import numpy as np, pyclfft, pyclfft.runtime.program
print(pyclfft.__file__)
print(pyclfft.runtime.program.kernel_folder())
x = np.arange(8, dtype="complex64")
print(np.abs(pyclfft.fft(x) - np.fft.fft(x)).max() < 1e-5)
"""


def test_every_package_is_listed():
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg")
    listed = set(config["options"]["packages"].split())
    found = {
        ".".join(path.parent.relative_to(ROOT).parts)
        for path in (ROOT / "pyclfft").rglob("__init__.py")
    }
    assert listed == found | {"pyclfft.cl"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    for needed in ("setuptools", "wheel"):
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"{needed} is not installed: pip install {needed}")
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("setup.cfg", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for name in ("pyclfft", "cl"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "-w", target, source], check=True, capture_output=True)
    (built,) = target.glob("pyclfft-*.whl")
    return built


@pytest.fixture(scope="module")
def clean_python(wheel, tmp_path_factory):
    """Python of a new environment with the wheel; its dependencies are those of this one."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=True)
    scripts = "Scripts" if sys.platform == "win32" else "bin"
    python = next((folder / scripts).glob("python*"))
    (packages,) = folder.glob("[Ll]ib/**/site-packages")
    install = [sys.executable, "-m", "pip", "install", "--no-deps", "--target", packages, wheel]
    subprocess.run(install, check=True, capture_output=True)
    # All that this Python finds but the checkout itself, which would hide an incomplete wheel.
    others = [path for path in sys.path if path and Path(path).is_dir() and Path(path) != ROOT]
    (packages / "dependencies.pth").write_text("\n".join(others))
    return python


def run_in(folder, *command):
    return subprocess.run(
        command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )


def test_installed_wheel_finds_its_kernels(clean_python, device, tmp_path):
    run = run_in(tmp_path, clean_python, "-c", SCRIPT)
    assert run.returncode == 0, run.stderr
    package, kernels, right = run.stdout.split()
    environment = clean_python.parents[1]
    assert Path(package).is_relative_to(environment)
    assert Path(kernels).is_relative_to(environment)
    assert right == "True"


def test_installed_commands_run(clean_python, tmp_path):
    image = tmp_path / "scene.pgm"
    shutil.copy(ROOT / "samples" / "scene.pgm", image)
    run = run_in(tmp_path, clean_python, "-m", "pyclfft", "filter", image, "--highpass")
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "scene_highpass.pgm").stat().st_size > 512 * 512
