""".ci/run in a copy with nothing to run: which steps each tier takes, and when it is too late."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SET_UP = "touch samples/scene_highpass.pgm"
TOOLS = ("pip", "ruff", "mypy", "python", "sphinx-build")

pytestmark = pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")

QUICK = [
    "first check",
    "pip install --quiet -e .[suite,dev]",
    "ruff check .",
    "ruff format --check .",
    "mypy",
    "python -m pytest --ignore tests/first --begin-within N"
    " -o faulthandler_timeout=600 -o faulthandler_exit_on_timeout=true",
]
FULL = [
    "python -m pytest -x -m full -n 0 tests/device/test_oclgrind.py",
    "pip install --quiet -e .[docs]",
    "sphinx-build -q -W -b html docs FOLDER/docs",
    "packages FOLDER/packages",
    "oldest FOLDER/oldest",
    "python -m pyclfft selftest --minutes 1",
    "rusticl FOLDER/mesa",
    "python -m pytest -x -m full tests/suites",
    "python -m pytest -x -m full -n 0 tests/lab",
    "python -m pyclfft selftest --stress --minutes 0.5",
    "python -m pyclfft selftest --plans 3000",
    "oclgrind 1",
    "fuzz 1",
    "python -m pytest -x -m full --ignore tests/suites --ignore tests/lab"
    " --ignore tests/device/test_oclgrind.py",
]


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/usr/bin/env bash\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def checkout(tmp_path):
    """A repository whose tools only write down how they are called."""
    log = f'echo "$(basename "$0") $*" >> "{tmp_path}/log"'
    for name in TOOLS:
        script(tmp_path / ".venv" / "bin" / name, log)
    script(tmp_path / "bin" / "apt-get", "exit 0")
    for name in ("packages", "oldest", "rusticl", "oclgrind", "fuzz"):
        script(tmp_path / ".ci" / name, log)
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci" / "run")
    shutil.copy(ROOT / ".gitignore", tmp_path)
    (tmp_path / "samples").mkdir()
    (tmp_path / "samples" / "scene.pgm").touch()
    commands = f'{SET_UP}\necho "first check" >> "{tmp_path}/log"'
    python = "```python\nimport pyclfft\n```\n\n"
    (tmp_path / "README.md").write_text(f"{python}```sh\n{commands}\n```\n")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(["git", "-C", str(tmp_path), "add", "samples"], check=True)
    return tmp_path


def run(checkout, *arguments, **environment):
    """Run the script in the copy; return it, ended, and its tools' calls with FOLDER and N."""
    done, calls = run_as_it_is(checkout, *arguments, **environment)
    return done, [without_what_differs(each, checkout) for each in calls]


def run_as_it_is(checkout, *arguments, **environment):
    """Run the script in the copy; return it, ended, and the calls of the tools."""
    path = f"{checkout / 'bin'}{os.pathsep}{os.environ['PATH']}"
    inherited = {name: text for name, text in os.environ.items() if name != "CI"}
    done = subprocess.run(
        [str(checkout / ".ci" / "run"), *arguments], capture_output=True, text=True, check=False,
        env={**inherited, "PATH": path, "TMPDIR": str(checkout), **environment},
    )  # fmt: skip
    calls = (checkout / "log").read_text().splitlines() if (checkout / "log").exists() else []
    return done, calls


def without_what_differs(call, checkout):
    """The call with FOLDER for the script's own folder, and N for the seconds that are left."""
    words = call.rstrip().split(" ")
    inside = f"{checkout}/tmp."
    call = " ".join(
        f"FOLDER/{word.rpartition('/')[2]}" if word.startswith(inside) else word for word in words
    )
    return re.sub(r"--begin-within \d+", "--begin-within N", call)


@pytest.mark.parametrize(
    ("environment", "expected"),
    [({}, QUICK), ({"CI": ""}, QUICK), ({"CI": "false"}, QUICK), ({"CI": "true"}, QUICK + FULL)],
    ids=["no CI", "CI=", "CI=false", "CI=true"],
)
def test_without_an_argument_the_environment_decides(checkout, environment, expected):
    done, calls = run(checkout, **environment)
    assert done.returncode == 0, done.stderr
    assert calls == expected


def test_full(checkout):
    done, calls = run(checkout, "full")
    assert done.returncode == 0, done.stderr
    assert calls == QUICK + FULL
    assert "left out" not in done.stdout


@pytest.mark.parametrize("environment", [{}, {"CI": "true"}], ids=["no CI", "CI=true"])
def test_quick_by_its_name(checkout, environment):
    assert run(checkout, "quick", **environment)[1] == QUICK


def test_unknown_tier(checkout):
    done, calls = run(checkout, "slow")
    assert done.returncode == 2
    assert "usage: .ci/run [quick | full]" in done.stderr
    assert calls == []


def test_after_an_hour_parts_are_left_out(checkout):
    """bash counts its seconds on from the environment's SECONDS."""
    done, calls = run(checkout, "full", SECONDS="3600")
    assert done.returncode == 0, done.stderr
    assert calls == QUICK
    assert done.stdout.count("left out, since 3600 s are over:") == len(FULL)


def test_the_quick_suite_ends_before_the_time_of_ci(checkout):
    _, calls = run_as_it_is(checkout, "quick", SECONDS="4000")
    (seconds,) = re.findall(r"--begin-within (\d+)", calls[-1])
    assert 700 < int(seconds) <= 800


@pytest.mark.parametrize(("seconds", "left_out"), [("0", True), ("1000", False)])
def test_tests_that_would_begin_too_late_are_counted(seconds, left_out):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "0", "--begin-within", seconds,
         "tests/unit/test_pairwise.py"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    counts = re.findall(r"SKIPPED \[\d+\] .*: left out, since 0 s are over", done.stdout)
    assert len(counts) == left_out
    assert (" passed" in done.stdout) != left_out


def test_a_part_that_runs_for_too_long_is_stopped(checkout):
    """The others come to their turn: here the limit is reached at once."""
    text = (checkout / ".ci" / "run").read_text()
    script(checkout / ".ci" / "run", text.replace("LAST_END=5100", "LAST_END=$((SECONDS + 2))"))
    script(checkout / ".ci" / "oldest", "sleep 60")
    done, calls = run(checkout, "full")
    assert done.returncode == 0, done.stderr
    assert "with no fault so far: oldest dependencies" in done.stdout
    assert calls[: len(QUICK) + 3] == QUICK + FULL[:3]


@pytest.mark.parametrize("tool", ["python", "sphinx-build"])
def test_a_part_that_fails_ends_the_run(checkout, tool):
    script(checkout / ".venv" / "bin" / tool, "exit 3")
    done, _ = run(checkout, "full")
    assert done.returncode == 3
    assert "=== done" not in done.stdout


NO_WHEEL = """\
ERROR: Could not find a version that satisfies the requirement atheris (from versions: none)
ERROR: No matching distribution found for atheris"""
FULL_DISK = "ERROR: Could not install packages due to an OSError: No space left on device"


@pytest.mark.parametrize(
    ("said", "index", "status", "words"),
    [
        ("", 0, 0, ""),
        (NO_WHEEL, 0, 0, "atheris has no wheel here"),
        (NO_WHEEL, 1, 1, "pip cannot install atheris"),  # no network
        (FULL_DISK, 0, 1, "pip cannot install atheris"),
    ],
    ids=["wheel", "no wheel", "no network", "full disk"],
)
def test_fuzzing_is_left_out_only_without_a_wheel(checkout, said, index, status, words):
    shutil.copy(ROOT / ".ci" / "fuzz", checkout / ".ci" / "fuzz")
    answer = f'case $1 in index) exit {index} ;; esac\necho "{said}" >&2\nexit {int(bool(said))}'
    script(checkout / ".venv" / "bin" / "pip", answer)
    done = subprocess.run(
        [str(checkout / ".ci" / "fuzz"), "1"], capture_output=True, text=True, check=False
    )
    assert done.returncode == status
    assert words in done.stdout + done.stderr
    assert said in done.stderr
    assert (checkout / "log").exists() == (not said)  # the fuzzer has run


def test_no_picture_is_a_failure(checkout):
    (checkout / "README.md").write_text("```sh\ntrue\ntrue\n```\n")
    done, calls = run(checkout)
    assert done.returncode == 1
    assert "has written no picture" in done.stderr
    assert calls == []
