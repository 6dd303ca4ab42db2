"""Transforms over MPI's ranks, measured: what ``bench distributed`` starts by mpiexec.

`measure_over_ranks` starts this module on some ranks. Rank 0 gets the cases as JSON, and writes
what was measured as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pyopencl as cl

from .. import commandline, distributed
from ..distributed.ranks import Ranks, take_device, world
from ..errors import PyclfftError, RankError
from .distributed_cases import Case, Row, copies_alone, error_of, timed, wave
from .launch import answer_of_ranks
from .statistics import Spread, spread

PROG = "pyclfft bench distributed"
LIMIT_S = 540.0  # after which ranks are taken for hanging


def measure_over_ranks(
    cases: Sequence[Case], ranks: int, device: str | None, samples: int
) -> list[Row]:
    """Measure cases over ranks that mpiexec starts.

    Raises
    ------
    PyclfftError
        There is no mpiexec, or the ranks have failed; the message is theirs.
    """
    request = {
        "device": device,
        "samples": samples,
        "cases": [asdict(case) for case in cases],
    }
    try:
        rows = answer_of_ranks(__name__, ranks, request, LIMIT_S)
    except PyclfftError as error:
        raise PyclfftError(f"{ranks} ranks: {error}") from error
    return [
        Row(**{**row, "shape": tuple(row["shape"]), "seconds": Spread(**row["seconds"])})
        for row in rows
    ]


def _measured(ranks: Ranks, device: cl.Device, case: Case, samples: int) -> Row:
    """Measure a case on this rank together with the others; all of them return the same."""
    how = {"axes": case.axes, "local": True, "shape": case.shape, "comm": ranks.comm}
    own = distributed.local_slices(case.shape, ranks.comm, axes=case.axes)
    theirs = distributed.local_slices(case.shape, ranks.comm, axes=case.axes, spectrum=True)
    block = wave(case, own)
    seconds = timed(lambda: distributed.fftn(block, **how), ranks.wait, samples)
    (report,) = distributed.reports()
    error = error_of(case, distributed.fftn(block, **how), theirs)
    copies = timed(lambda: copies_alone(ranks, device, case, block), ranks.wait, samples)

    def slowest(value: float) -> float:
        return value if ranks.comm is None else max(ranks.comm.allgather(value))

    return Row(
        case.name, "ranks", ranks.size, case.shape,
        spread([slowest(each) for each in seconds]),
        slowest(report.transfer_s / report.seconds),
        spread([slowest(each) for each in copies]).median,
        int(slowest(report.host_bytes)),
        int(slowest(report.device_bytes)),
        slowest(error),
    )  # fmt: skip


def main(argv: Sequence[str]) -> int:
    """Measure on this rank, together with the others.

    Parameters
    ----------
    argv : sequence of str
        The names of the file with the cases, and of the file to write.

    Returns
    -------
    int
        Exit status: 0, or 2 after an error on any rank.
    """
    return commandline.run(lambda: _main(*argv), PROG)


def _main(given: str, found: str) -> int:
    request = json.loads(Path(given).read_text())
    try:
        ranks = world()
        with ranks.or_abort(), ranks.only_root_speaks():
            with ranks.together():
                device = take_device(ranks, request["device"])
            cases = [Case(each["name"], tuple(each["shape"]), tuple(each["axes"]))
                     for each in request["cases"]]  # fmt: skip
            rows = [_measured(ranks, device, case, request["samples"]) for case in cases]
            if ranks.root:
                Path(found).write_text(json.dumps([asdict(row) for row in rows]))
    except RankError:  # the rank that has failed says why
        return commandline.FAILED
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
