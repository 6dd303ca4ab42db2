"""Jobs of several MPI ranks, started by the mpiexec that stands beside Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import place_of

ROOT = Path(__file__).resolve().parents[1]
MPIEXEC = Path(sys.executable).parent / "mpiexec"
SECONDS = 300  # after which a job is taken for one that hangs


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
    """
    pytest.importorskip("mpi4py", reason="mpi4py is not installed: pip install mpi4py mpich")
    assert MPIEXEC.exists(), "mpi4py is installed without the package mpich"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    if device is not None:
        environment["PYCLFFT_DEVICE"] = place_of(device)
    command = [str(MPIEXEC), "-n", str(ranks), sys.executable, *map(str, arguments)]
    with subprocess.Popen(
        command, env=environment, cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as job:  # fmt: skip
        try:
            out, err = job.communicate(stdin, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            job.terminate()  # mpiexec then ends its ranks
            out, err = job.communicate(timeout=30)
            pytest.fail(f"the job hangs: {out.decode()} {err.decode()}")
    return subprocess.CompletedProcess(command, job.returncode, out.decode(), err.decode())
