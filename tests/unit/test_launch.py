"""What `bench` says of ranks that have failed, and what it puts into their environment."""

from __future__ import annotations

import sys

import pytest

from pyclfft.bench import launch

RULE = "-" * 74
AS_ROOT = """\
prterun has detected an attempt to run as root.

Running as root is *strongly* discouraged as any mistake (e.g., in
defining TMPDIR) or bug can result in catastrophic damage.
"""
SLOTS = """\
There are not enough slots available in the system to satisfy the 5
slots that were requested by the application:

  python
"""
ENDED = f"""\
{RULE}
prterun detected that one or more processes exited with non-zero status,
thus causing the job to be terminated. The first process to do so was:

   Process name: [prterun-host-1@1,0]
   Exit code:    2
{RULE}
"""


@pytest.mark.parametrize(
    ("stderr", "expected"),
    [
        ("", "mpiexec has failed"),
        (f"{RULE}\n\n", "mpiexec has failed"),
        (f"{RULE}\n{AS_ROOT}{RULE}\n", "prterun has detected an attempt to run as root."),
        (
            f"{RULE}\n{SLOTS}{RULE}\n",
            "There are not enough slots available in the system to satisfy the 5 slots that were "
            "requested by the application:",
        ),
        (
            f"pyclfft bench dft: error: no OpenCL device fits 'x'\n{ENDED}",
            "pyclfft bench dft: error: no OpenCL device fits 'x'",
        ),
        (f"{ENDED}rank 1: RuntimeError: a fault\n", "rank 1: RuntimeError: a fault"),
        (
            "Traceback (most recent call last):\n  File 'a.py'\nModuleNotFoundError: No module\n",
            "ModuleNotFoundError: No module",
        ),
    ],
)
def test_the_reason_is_a_line_that_says_something(stderr, expected):
    assert launch.reason(stderr) == expected


def test_what_the_user_has_set_stays(monkeypatch):
    name = "PRTE_MCA_hwloc_default_binding_policy"
    monkeypatch.delenv(name, raising=False)
    assert launch.environment()[name] == "none"
    monkeypatch.setenv(name, "core")
    assert launch.environment()[name] == "core"


def test_mpiexec_beside_python_comes_first(monkeypatch, tmp_path):
    beside, elsewhere = tmp_path / "beside", tmp_path / "elsewhere"
    for folder in (beside, elsewhere):
        folder.mkdir()
    program = elsewhere / "mpiexec"
    program.touch(mode=0o755)
    monkeypatch.setattr(sys, "executable", str(beside / "python"))
    monkeypatch.setenv("PATH", str(beside))
    assert launch.mpiexec() == ""
    monkeypatch.setenv("PATH", str(elsewhere))
    assert launch.mpiexec() == str(program)
    (beside / "mpiexec").touch(mode=0o755)
    assert launch.mpiexec() == str(beside / "mpiexec")
