"""Wherever pyclfft comes from, each kernel is found, and those of each folder run."""

from __future__ import annotations

import configparser
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest

from pyclfft.runtime.program import kernel_files

# PYTHONPATH may name the checkout, too.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
ROOT = Path(__file__).resolve().parents[2]

SCRIPT = """
import json
import numpy as np, pyopencl as cl, scipy.fft
import pyclfft
from pyclfft.runtime import program

read, launched = program.source_text, set()

def source_text(name, *others):
    launched.add(name)
    return read(name, *others)

program.source_text = source_text
is_cpu = bool(pyclfft.default_device().type & cl.device_type.CPU)
x = np.random.default_rng(1).random(64, np.float32)
points, spectrum = x.astype("complex64"), scipy.fft.fft(x)
for algorithm in ["radix2", "stockham"] + ["row"] * is_cpu:
    result = pyclfft.Plan(64, "complex64", algorithm=algorithm)(points)
    np.testing.assert_allclose(result, spectrum, atol=1e-4)
np.testing.assert_allclose(pyclfft.fft(x[:1]), x[:1])
np.testing.assert_allclose(pyclfft.dct(x[:15]), scipy.fft.dct(x[:15]), atol=1e-4)
image = np.full((8, 8), 7, np.uint8)
white = pyclfft.filter_image(image, "lowpass", 2, scale="max")
np.testing.assert_array_equal(white, np.full_like(image, 255))
frames = pyclfft.stft(x, n_fft=16, hop_length=4)
np.testing.assert_array_equal(pyclfft.convolve([1, 2], [3, 4]), [3, 10, 8])
np.testing.assert_allclose(pyclfft.dft(x), spectrum, atol=1e-4)
np.testing.assert_allclose(pyclfft.istft(frames, 4, n_fft=16, length=64), x, atol=1e-5)
for name in program.kernel_files():
    read(name)  # it and all that it includes
print(json.dumps({
    "package": pyclfft.__file__,
    "folder": str(program.kernel_folder()),
    "files": list(program.kernel_files()),
    "launched": sorted(launched),
    "is_cpu": is_cpu,
}))
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


@dataclass(frozen=True)
class Installed:
    """Python that knows pyclfft in one way, and where that lies."""

    python: Path
    pyclfft: Path

    def run(self, folder, *arguments):
        return subprocess.run(
            [self.python, *arguments], cwd=folder, env=ENVIRONMENT,
            capture_output=True, text=True, check=False,
        )  # fmt: skip


def make_wheel(python, source, target):
    pip = [python, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-w", target, source]
    subprocess.run(pip, env=ENVIRONMENT, check=True, capture_output=True)
    return list(target.glob("pyclfft-*.whl"))


def make_sdist(python, source, target):
    build = f"from setuptools import build_meta; build_meta.build_sdist({str(target)!r})"
    subprocess.run(
        [python, "-c", build], cwd=source, env=ENVIRONMENT, check=True, capture_output=True
    )
    return list(target.glob("pyclfft-*.tar.gz"))


# What pip installs of a folder of sources, by the way in which pyclfft comes to a user.
WAYS = {
    "wheel": make_wheel,
    "sdist": make_sdist,
    "editable": lambda python, source, target: ["--editable", source],
    "checkout": lambda python, source, target: [],
}


@pytest.fixture(scope="module", params=WAYS)
def installed(request, tmp_path_factory):
    """A new environment with pyclfft alone; its dependencies are those of this one."""
    for needed in ("setuptools", "wheel"):
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"{needed} is not installed: pip install {needed}")
    source = tmp_path_factory.mktemp("source")
    (source / "docs").mkdir()
    for name in ("setup.cfg", "pyproject.toml", "docs/on-pypi.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    for name in ("pyclfft", "cl"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    environment = tmp_path_factory.mktemp("environment")
    venv.create(environment, with_pip=False, symlinks=True)
    scripts = "Scripts" if sys.platform == "win32" else "bin"
    python = next((environment / scripts).glob("python*"))
    (packages,) = environment.glob("[Ll]ib/**/site-packages")
    # All that this Python finds but the checkout itself, which would hide what is missing.
    others = [path for path in sys.path if path and Path(path).is_dir() and Path(path) != ROOT]
    (packages / "dependencies.pth").write_text("\n".join(others))
    what = WAYS[request.param](python, source, tmp_path_factory.mktemp("built"))
    if what:
        pip = [python, "-m", "pip", "install", "--no-deps", "--no-build-isolation"]
        command = [*pip, "--ignore-installed", *what]
        subprocess.run(command, env=ENVIRONMENT, check=True, capture_output=True)
    else:
        (packages / "checkout.pth").write_text(str(source))
    is_copied = request.param in ("wheel", "sdist")
    return Installed(python, environment if is_copied else source)


def test_every_kernel_is_found_and_each_folder_runs(installed, tmp_path):
    run = installed.run(tmp_path, "-c", SCRIPT)
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    assert Path(told["package"]).is_relative_to(installed.pyclfft)
    assert Path(told["folder"]).is_relative_to(installed.pyclfft)
    assert told["files"] == list(kernel_files())
    folders = {Path(name).parent for name in told["files"]}
    of_cpus = set() if told["is_cpu"] else {Path("cpu")}
    assert {Path(name).parent for name in told["launched"]} == folders - of_cpus


@pytest.mark.parametrize("installed", ["wheel"], indirect=True)
def test_installed_commands_run(installed, tmp_path):
    image = tmp_path / "scene.pgm"
    shutil.copy(ROOT / "samples" / "scene.pgm", image)
    run = installed.run(tmp_path, "-m", "pyclfft", "filter", image, "--highpass")
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "scene_highpass.pgm").stat().st_size > 512 * 512


USERS_PROGRAM = """\
import pyclfft

plan = pyclfft.Plan((4, 64), "complex64", axes=-1)
reveal_type(plan.workspace_bytes)
plan.workspace_byte
pyclfft.use_device(3)
"""


@pytest.mark.parametrize("installed", ["wheel"], indirect=True)
def test_the_types_reach_a_user(installed, tmp_path):
    """Mypy knows the types of a plan's attributes and of a function's arguments, by py.typed."""
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed: pip install mypy")
    (tmp_path / "program.py").write_text(USERS_PROGRAM)
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--python-executable", installed.python, "program.py"],
        cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    lines = [line for line in run.stdout.splitlines() if line.startswith("program.py")]
    assert re.fullmatch(r'program.py:4: note: Revealed type is "(builtins\.)?int"', lines[0]), (
        run.stdout
    )
    assert 'program.py:5: error: "Plan" has no attribute "workspace_byte"' in lines[1]
    assert 'program.py:6: error: Argument 1 to "use_device" has incompatible type "int"' in lines[2]
    assert len(lines) == 3


def test_a_source_distribution_has_all_that_is_needed_to_test_it(tmp_path):
    if importlib.util.find_spec("setuptools") is None:
        pytest.skip("setuptools is not installed: pip install setuptools")
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split()
    if not tracked:
        pytest.skip("not a git checkout")
    for name in tracked:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (built,) = make_sdist(sys.executable, tmp_path, tmp_path)
    with tarfile.open(built) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert {*tracked} - held == {".gitignore"}


def test_the_citation_is_of_this_version():
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg")
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    for key, name in (("version", "version"), ("license", "license"), ("repository-code", "url")):
        assert f"\n{key}: {config['metadata'][name]}\n" in citation
    assert (
        f'title: "pyclfft: {config["metadata"]["description"].replace("Fast", "fast")}' in citation
    )


def test_the_description_has_no_link_that_is_dead_elsewhere():
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg")
    file = config["metadata"]["long_description"].removeprefix("file: ")
    links = re.findall(r"\]\(([^)]*)\)", (ROOT / file).read_text(encoding="utf-8"))
    assert all(link.startswith("https://") for link in links)
