"""Direct transforms over MPI's ranks, measured: what ``bench dft`` starts by mpiexec.

`measure_over_ranks` starts this module on some ranks. The root gets the jobs as JSON, and writes
what was measured as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from .. import commandline
from ..distributed.ranks import take_device, world
from ..errors import PyclfftError, RankError
from ..files import atomic_write
from ..runtime.queues import default_queue
from . import render
from .dft_sweeps import Entry, Job, entry_of, measure_all
from .launch import answer_of_ranks

PROG = "pyclfft bench dft"
SLOW_START_S = 120.0  # that ranks may need beside their measurements


def measure_over_ranks(
    jobs: Sequence[Job], device: str | None, samples: int, limit_s: float
) -> list[Entry]:
    """Measure jobs over as many ranks as they name, which is one number for all of them.

    Parameters
    ----------
    jobs : sequence of Job
        The jobs.
    device : str or None
        The device, in the words of `use_device`.
    samples, limit_s
        See `measure_all`.

    Returns
    -------
    list of Entry
        An entry for each job; with a reason if MPI is missing or has failed.
    """
    request = {
        "device": device,
        "samples": samples,
        "limit_s": limit_s,
        "jobs": [asdict(job) for job in jobs],
    }
    limit = SLOW_START_S + 2 * len(jobs) * (samples + 1) * limit_s
    try:
        answer = answer_of_ranks(__name__, jobs[0].ranks, request, limit)
    except PyclfftError as error:
        return [Entry(job, reason=str(error)) for job in jobs]
    return [entry_of(each) for each in answer["entries"]]


def main(argv: Sequence[str]) -> int:
    """Measure on this rank, together with the others.

    Parameters
    ----------
    argv : sequence of str
        The names of the file with the jobs, and of the file to write.

    Returns
    -------
    int
        Exit status: 0, or 2 after an error on any rank.
    """
    return commandline.run(lambda: _main(*argv), PROG)


def _main(given: str, found: str) -> int:
    request = json.loads(Path(given).read_text())
    jobs = [Job(**each) for each in request["jobs"]]
    try:
        ranks = world()
        with ranks.or_abort(), ranks.only_root_speaks():
            with ranks.together():
                take_device(ranks, request["device"])
            queue, limit_s = default_queue(), request["limit_s"]
            entries = list(measure_all(ranks, jobs, queue, request["samples"], limit_s))
            if ranks.root:
                with atomic_write(found) as file:
                    text = render.json_of({"entries": [asdict(each) for each in entries]})
                    file.write(text.encode())
    except RankError:  # the rank that has failed says why
        return commandline.FAILED
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
