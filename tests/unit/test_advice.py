"""What errors and pages tell users to install exists, and is said in one place."""

from __future__ import annotations

import configparser
import re
from pathlib import Path

import pytest

import pyclfft
from pyclfft.advice import pip_install

PACKAGE = Path(pyclfft.__path__[0])
ROOT = PACKAGE.parent
PAGES = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
CODE = [path for path in PACKAGE.rglob("*.py") if path.name != "advice.py"]

checkout = pytest.mark.skipif(not (ROOT / "setup.cfg").exists(), reason="not a checkout")


@pytest.fixture(scope="module")
def config():
    result = configparser.ConfigParser()
    result.read(ROOT / "setup.cfg")
    return result


def names(requirements: str) -> set[str]:
    lines = filter(None, requirements.splitlines())
    return {re.match(r"[\w-]+", line.strip())[0] for line in lines}


@checkout
@pytest.mark.parametrize(
    ("extra", "advised"),
    [
        ("cpu", ("cpu",)),
        ("audio", ("pictures", "sounds", "playing")),
        ("mpi", ("ranks",)),
        ("dask", ("chunks",)),
        ("lab", ("lab",)),
    ],
)
def test_the_packages_are_those_of_the_extras(config, extra, advised):
    packages = " ".join(map(pip_install, advised)).replace("pip install", "").split()
    assert set(packages) == names(config["options.extras_require"][extra])


@checkout
def test_scipy_is_installed_with_pyclfft(config):
    """Sounds in WAV files, many windows and Hankel transforms need it."""
    assert "scipy" in names(config["options"]["install_requires"])


@checkout
@pytest.mark.parametrize("path", [*CODE, *PAGES], ids=lambda path: str(path.relative_to(ROOT)))
def test_nobody_is_told_to_install_what_is_not_on_pypi(path):
    text = path.read_text(encoding="utf-8")
    assert "pyclfft[" not in text
    assert not re.search(r"pip install (-U )?'?pyclfft", text)


@pytest.mark.parametrize("path", CODE, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_pip_is_named_in_one_place(path):
    """In what users read: docstrings and comments may speak of pip."""
    literals = re.findall(r'"[^"\n]*pip install [^"\n]*"', path.read_text(encoding="utf-8"))
    assert literals == []
