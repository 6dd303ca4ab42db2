"""Starting MPI's ranks: which mpiexec does it, what it needs, and what it says when they fail.

`answer_of_ranks` starts a module on some ranks, hands it a request and returns its answer. It works
with MPICH and with Open MPI. Open MPI refuses by default to start ranks for the user root, to start
more ranks than there are cores, and keeps each rank to one core; `OPEN_MPI` changes all three.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..advice import pip_install
from ..errors import PyclfftError

# What Open MPI reads from the environment. Version 5 hands its settings to PRRTE, whose variables
# begin with PRTE; version 4 reads those that begin with OMPI_MCA. MPICH reads none of them.
OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
}
# How a rank says why it has failed: our commands, `Ranks.or_abort`, and Python's tracebacks.
WORDS_OF_A_RANK = re.compile(r"^(.+: error: .+|rank \d+: .+|[\w.]+Error: .+)$", re.MULTILINE)
RULE = re.compile(r"^[\s=-]*$", re.MULTILINE)  # a blank line, or the edge of a launcher's box


def mpiexec() -> str:
    """Return the program that starts ranks: the one beside Python, else that of the path; or ""."""
    beside = Path(sys.executable).parent / "mpiexec"
    return str(beside) if beside.exists() else shutil.which("mpiexec") or ""


def environment() -> dict[str, str]:
    """Return this process's environment variables, with `OPEN_MPI` where the user sets none."""
    return {**OPEN_MPI, **os.environ}


def answer_of_ranks(module: str, ranks: int, request: Mapping[str, Any], limit_s: float) -> Any:
    """Start a module on some ranks, and return its answer.

    Parameters
    ----------
    module : str
        The module. Its arguments are the name of a JSON file with the request, and the name of the
        JSON file that it has to write.
    ranks : int
        How many ranks there are.
    request : mapping
        What the module is asked for.
    limit_s : float
        After how many seconds the ranks are taken for hanging.

    Returns
    -------
    object
        What the module has written.

    Raises
    ------
    PyclfftError
        There is no mpiexec, or the ranks have failed; the message is theirs.
    subprocess.TimeoutExpired
        The ranks hang.
    """
    launcher = mpiexec()
    if not launcher:
        raise PyclfftError(f"there is no mpiexec: {pip_install('ranks')}")
    with TemporaryDirectory(prefix="pyclfft-") as folder:
        given, found = Path(folder, "request.json"), Path(folder, "answer.json")
        given.write_text(json.dumps(request))
        command = [launcher, "-n", str(ranks), sys.executable, "-m", module, str(given), str(found)]
        done = subprocess.run(
            command, env=environment(), capture_output=True, text=True, check=False,
            timeout=limit_s,
        )  # fmt: skip
        if done.returncode:
            raise PyclfftError(reason(done.stderr))
        return json.loads(found.read_text())


def reason(stderr: str) -> str:
    r"""Return in one line why a job of several ranks has failed.

    Parameters
    ----------
    stderr : str
        What the ranks and their launcher have written to standard error.

    Returns
    -------
    str
        The first line in which a rank gives a reason; else the first paragraph, which is the
        launcher's, without the rules that Open MPI and MPICH draw around their messages.

    Examples
    --------
    >>> from pyclfft.bench.launch import reason
    >>> reason("-----\nThere are not enough slots\navailable.\n\nEither request fewer")
    'There are not enough slots available.'
    """
    if words := WORDS_OF_A_RANK.search(stderr):
        return words[0]
    paragraphs = (" ".join(each.split()) for each in RULE.split(stderr))
    return next(filter(None, paragraphs), "mpiexec has failed")
