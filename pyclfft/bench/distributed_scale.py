"""The cost model of `pyclfft.distributed.scale`, fitted to runs, beside published figures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import commandline
from ..distributed.execute import MAX_PIECE_BYTES, MIN_PIECE_BYTES, OVERLAPPING
from ..distributed.scale import Machine, Run, fitted
from ..errors import FormatError
from .distributed_cases import CUBE, DTYPE

GB = 1e9


@dataclass(frozen=True)
class Published:
    """What others have published.

    Attributes
    ----------
    where : str
        The library, the GPUs and the source; docs/explanation/scale.md has its address.
    side, ranks : int
        A cube of side ** 3 complex64 numbers, over so many GPUs.
    seconds : float
        The published time.
    memory_rate, link_rate : float
        Bytes a second of a GPU's memory, and bytes a second that a GPU sends, from the vendor's
        data sheets.
    """

    where: str
    side: int
    ranks: int
    seconds: float
    memory_rate: float
    link_rate: float

    def machine(self) -> Machine:
        """Return the machine of the data sheets.

        A 3-D transform reads and writes each element three times in its two stages.
        """
        return Machine(1.5 * 2 / self.memory_rate, 1 / self.link_rate, 0.0)


# Selene: 8 A100 (80 GB, 2.04 TB/s) a node, 300 GB/s each way through NVSwitch within a node, and
# 8 links of 25 GB/s a node to others.
PUBLISHED = (
    Published("cuFFTMp, 8 A100 of one node", 2048, 8, 78e-3, 2.04e12, 300e9),
    Published("cuFFTMp, 2048 A100 of 256 nodes", 2048, 2048, 4e-3, 2.04e12, 25e9),
)
LARGE_RANKS = (4, 16, 64, 256, 1024)
LARGE_SIDE = 1024


def read(file: str) -> dict[str, Any]:
    """Return a file of ``bench distributed --json``.

    Raises
    ------
    FormatError
        The file is something else.
    """
    try:
        document = json.loads(Path(file).read_text(encoding="utf-8"))
        _ = document["rows"], document["cores"]
    except (ValueError, KeyError, TypeError):
        raise FormatError(
            f"{file} was not written by pyclfft bench distributed --json: measure first"
        ) from None
    return document


def scale_report(documents: Sequence[dict[str, Any]]) -> str:
    """Return the fitted model, its differences from the runs, and the published figures, as text.

    Raises
    ------
    FormatError
        The files hold too few runs.
    """
    pairs = [
        (run_of(row, document["cores"]), row["seconds"]["median"])
        for document in documents
        for row in document["rows"]
        if row["name"] == CUBE
    ]
    runs, seconds = [run for run, _ in pairs], [time for _, time in pairs]
    try:
        machine = fitted(runs, seconds)
    except ValueError as error:
        raise FormatError(f"the files hold too few runs of the case {CUBE}: {error}") from None
    rows = [
        [f"{run.nbytes / 2**20:.0f}", str(run.ranks), f"{run.message_bytes / 2**10:.0f}",
         f"{time:.4f}", f"{machine.seconds(run):.4f}", f"{machine.seconds(run) / time - 1:+.0%}"]
        for run, time in pairs
    ]  # fmt: skip
    return "\n".join(
        [
            _in_words("fitted to all runs", machine),
            *_validated(pairs),
            "",
            commandline.table(
                rows, ("MiB", "ranks", "KiB a message", "measured s", "model s", "off"), ">" * 6
            ),
            "",
            f"slab and pencil for {LARGE_SIDE}^3 complex64, if each rank had such a machine:",
            commandline.table(
                _partitions(machine), ("ranks", "slab s", "pencil s", "KiB a message"), ">" * 4
            ),
            "",
            "published figures, and the model with the rates of data sheets and no latency:",
            commandline.table(
                [_published(each) for each in PUBLISHED],
                ("library", "side", "published ms", "model ms", "of published"), "<" + ">" * 4,
            ),
        ]
    )  # fmt: skip


def run_of(row: dict[str, Any], cores: int) -> Run:
    """Return what the model takes of a measured row."""
    nbytes = DTYPE.itemsize
    for length in row["shape"]:
        nbytes *= length
    block = nbytes // row["count"]
    piece = min(MAX_PIECE_BYTES, max(block // OVERLAPPING, MIN_PIECE_BYTES))
    return Run(nbytes, row["count"], "slab", -(-block // piece), row["count"] / cores)


def _in_words(what: str, machine: Machine) -> str:
    def rate(seconds: float) -> str:
        return f"{1 / seconds / GB:.2f} GB/s" if seconds else "free"

    return (
        f"{what}: device {rate(machine.device_s)} for each core, link {rate(machine.link_s)}, "
        f"{machine.message_s * 1e6:.0f} us a message; off by {machine.relative_error:.0%}"
    )


def _validated(pairs: Sequence[tuple[Run, float]]) -> list[str]:
    """Return a line on runs on most ranks, foretold from the runs on fewer; none if too few."""
    most = max(run.ranks for run, _ in pairs)
    fewer = [(run, time) for run, time in pairs if run.ranks < most]
    if len(fewer) < 3 or max(run.ranks for run, _ in fewer) < 2:
        return []
    machine = fitted([run for run, _ in fewer], [time for _, time in fewer])
    offs = [machine.seconds(run) / time - 1 for run, time in pairs if run.ranks == most]
    foretold = ", ".join(f"{off:+.0%}" for off in offs)
    return [f"fitted to fewer than {most} ranks, it foretells the runs on {most} ranks: {foretold}"]


def _partitions(machine: Machine) -> list[list[str]]:
    nbytes = LARGE_SIDE**3 * DTYPE.itemsize
    rows = []
    for ranks in LARGE_RANKS:
        slab, pencil = (Run(nbytes, ranks, partition) for partition in ("slab", "pencil"))
        rows.append(
            [str(ranks), f"{machine.seconds(slab):.3f}", f"{machine.seconds(pencil):.3f}",
             f"{slab.message_bytes / 2**10:.0f} and {pencil.message_bytes / 2**10:.0f}"]
        )  # fmt: skip
    return rows


def _published(each: Published) -> list[str]:
    run = Run(each.side**3 * DTYPE.itemsize, each.ranks)
    seconds = each.machine().seconds(run)
    return [each.where, str(each.side), f"{each.seconds * 1e3:.1f}", f"{seconds * 1e3:.1f}",
            f"{seconds / each.seconds:.0%}"]  # fmt: skip
