"""``python -m pyclfft bench distributed``: weak scaling of transforms over ranks and devices.

Each rank has as many bytes as any other, however many ranks there are. So the time would stay as it
is on one rank if the ranks did not have to exchange what they have.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from .. import commandline
from ..distributed.ranks import devices_alike
from ..errors import PyclfftError
from ..runtime import choice
from . import session
from .dft import counts
from .distributed_cases import BATCH, CASES, Row, case_of, measured_over_devices
from .distributed_ranks import measure_over_ranks
from .distributed_scale import read, scale_report
from .environment import environment, host

PROG = "pyclfft bench distributed"
RANKS = (1, 2, 4)
BYTES = 2**26
SAMPLES = 3
HEADER = (
    "case", "over", "shape", "s", "+-%", "efficiency", "transfer", "of copies", "MiB host",
    "MiB device", "error",
)  # fmt: skip
LEGEND = """
efficiency: the time on one rank, divided by the time on this number of ranks; each rank has as many
bytes as the one rank
transfer: the part of the time in which the slowest rank exchanged data with others, or waited
of copies: the time that it takes to move as much memory without kernels and without copies on the
host, divided by the measured time
MiB host, MiB device: the most memory that a rank takes, beside its input and its result
"""


def main(argv: Sequence[str]) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str
        Arguments of the command, after ``bench distributed``.

    Returns
    -------
    int
        Exit status: 0 if all went well; 1 if a result is wrong; 2 after an error.
    """
    return commandline.run(lambda: _main(argv), PROG)


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    result = commandline.Parser(
        prog=PROG,
        description="Measure transforms over MPI's ranks, each of which passes its own block, and "
        "of batches over several devices in one process. Let nothing else run meanwhile.",
    )
    add = result.add_argument
    commandline.add_device(result)
    add(
        "--ranks", metavar="N,...", type=counts, default=RANKS,
        help=f"the numbers of ranks (default: {','.join(map(str, RANKS))})",
    )  # fmt: skip
    add(
        "--cases", metavar="NAME,...", default=",".join(CASES),
        help=f"some of {', '.join(CASES)} (default: all)",
    )  # fmt: skip
    add(
        "--bytes", metavar="N", type=commandline.count, default=BYTES,
        help="how many bytes of input each rank has (default: 2^26)",
    )  # fmt: skip
    add(
        "--samples", metavar="N", type=commandline.count, default=SAMPLES,
        help=f"how many times each case is measured (default: {SAMPLES})",
    )  # fmt: skip
    add("--json", metavar="FILE", help="write all results")
    add(
        "--scale", metavar="FILE", nargs="+",
        help="measure nothing, but fit the cost model to the 3-D rows of files of --json, and "
        "compare it with published figures of other libraries",
    )  # fmt: skip
    return result


def _main(argv: Sequence[str]) -> int:
    options = parser().parse_args(argv)
    session.require_folders(options.json)
    if options.scale:
        print(scale_report([read(file) for file in options.scale]))
        return 0
    names = options.cases.split(",")
    if unknown := [name for name in names if name not in CASES]:
        raise PyclfftError(f"there is no case {unknown[0]}: choose from {', '.join(CASES)}")
    device = choice.select_device(options.device)
    where = {**environment([device], []), "host": host()}
    print(commandline.table(list(where.items())))
    print(f"\n{options.bytes:,} bytes of input for each rank, complex64", flush=True)
    rows: list[Row] = []
    for ranks in options.ranks:
        cases = [case_of(name, ranks, options.bytes) for name in names]
        rows += measure_over_ranks(cases, ranks, options.device, options.samples)
    if BATCH in names:
        alike = devices_alike(device, options.device or "")
        for count in range(1, len(alike) + 1):
            case = case_of(BATCH, count, options.bytes)
            rows.append(measured_over_devices(case, alike[:count], options.samples))
    print(commandline.table([_cells(row, rows) for row in rows], HEADER, "<<<" + ">" * 8))
    print(LEGEND)
    if options.json:
        document = {"environment": where, "bytes": options.bytes,
                    "cores": device.max_compute_units,
                    "rows": [asdict(row) for row in rows]}  # fmt: skip
        Path(options.json).write_text(json.dumps(document, indent=1), encoding="utf-8")
    return int(any(not row.right for row in rows))


def _cells(row: Row, rows: Sequence[Row]) -> list[str]:
    alone = next(each for each in rows if (each.name, each.over) == (row.name, row.over))
    efficiency = f"{alone.seconds.median / row.seconds.median:.0%}" if alone.count == 1 else "-"
    return [
        row.name,
        f"{row.count} {row.over}",
        "x".join(map(str, row.shape)),
        f"{row.seconds.median:.4f}",
        f"{row.seconds.percent:.0f}",
        efficiency,
        f"{row.transfer:.0%}",
        f"{row.copies / row.seconds.median:.0%}",
        f"{row.host_bytes / 2**20:.0f}",
        f"{row.device_bytes / 2**20:.0f}",
        f"{row.error:.1e}",
    ]
