"""The wheel holds all that is needed: installed elsewhere, it finds its kernels."""

from __future__ import annotations

import configparser
import importlib.util
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

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
            pytest.skip(f"{needed} is not installed: pip install 'pyclfft[test]'")
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
    own = dict.fromkeys([sysconfig.get_path("purelib"), sysconfig.get_path("platlib")])
    others = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    (packages / "dependencies.pth").write_text("\n".join([*own, *others]))
    return python


def test_installed_wheel_finds_its_kernels(clean_python, device, tmp_path):
    run = subprocess.run(
        [clean_python, "-c", SCRIPT], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    package, kernels, right = run.stdout.split()
    environment = clean_python.parents[1]
    assert Path(package).is_relative_to(environment)
    assert Path(kernels).is_relative_to(environment)
    assert right == "True"


def test_installed_commands_run(clean_python, tmp_path):
    image = tmp_path / "scene.pgm"
    shutil.copy(ROOT / "samples" / "scene.pgm", image)
    command = [clean_python, "-m", "pyclfft", "filter", image, "--highpass"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "scene_highpass.pgm").stat().st_size > 512 * 512
