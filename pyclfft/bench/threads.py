"""``python -m pyclfft bench threads``: how many calls several threads complete, beside one thread.

Threads call `pyclfft.fft` with NumPy arrays of their own for a time, and all completed calls are
counted. One thread and several threads take turns, so that other load meets both.
"""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from .. import commandline
from ..runtime import choice
from ..transforms import fft
from . import render, session
from .documents import numbers, read_document
from .environment import environment, host
from .render import Part, Table
from .statistics import Spread, spread

PROG = "pyclfft bench threads"
THREADS = 2
SAMPLES = 7
SECONDS = 0.5
SHAPES = ((1, 1024), (16, 1024), (256, 1024), (1024, 1024))


@dataclass(frozen=True)
class Row:
    """What was measured with arrays of one shape.

    Attributes
    ----------
    shape : tuple of int
        Rows, and points of a row; each call transforms all rows.
    alone, together : Spread
        The calls that one thread, and that all threads together, complete in a second.
    """

    shape: tuple[int, ...]
    alone: Spread
    together: Spread

    @property
    def gain(self) -> float:
        """How many times as many calls all threads complete."""
        return self.together.median / self.alone.median


@dataclass(frozen=True)
class Results:
    """What was measured.

    Attributes
    ----------
    environment : dict of str to str
        Where it was measured.
    threads : int
        How many threads worked together.
    rows : tuple of Row
        The shapes.
    """

    environment: dict[str, str]
    threads: int
    rows: tuple[Row, ...] = ()


def main(argv: Sequence[str]) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str
        Arguments of the command, after ``bench threads``.

    Returns
    -------
    int
        Exit status: 0 if all went well, 2 after an error.
    """
    return commandline.run(lambda: _main(argv), PROG)


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    result = commandline.Parser(
        prog=PROG,
        description="Count how many calls of pyclfft.fft several threads complete in a second, and "
        "how many one thread completes. Each thread has NumPy arrays of its own. Let nothing else "
        "run meanwhile.",
    )
    add = result.add_argument
    commandline.add_device(result)
    add(
        "--threads", metavar="N", type=commandline.count, default=THREADS,
        help=f"how many threads work together (default: {THREADS})",
    )  # fmt: skip
    add(
        "--samples", metavar="N", type=commandline.count, default=SAMPLES,
        help=f"how many times calls are counted, of one thread and of all (default: {SAMPLES})",
    )  # fmt: skip
    add(
        "--seconds", metavar="S", type=commandline.positive, default=SECONDS,
        help=f"how long calls are counted each time (default: {SECONDS:g})",
    )  # fmt: skip
    add("--json", metavar="FILE", help="write everything to a file")
    return result


def _main(argv: Sequence[str]) -> int:
    options = parser().parse_args(argv)
    session.require_folders(options.json)
    device = choice.select_device(options.device)
    choice.use_device(device)
    about = {**environment([device], []), "host": host()}
    print(commandline.table(list(about.items())), flush=True)
    rows = (_measured(shape, options.threads, options.samples, options.seconds) for shape in SHAPES)
    results = Results(about, options.threads, tuple(rows))
    print("", render.text_of(parts_of(results)), sep="\n")
    if options.json:
        render.write(options.json, render.json_of(asdict(results)))
    return 0


def read(path: str) -> Results:
    """Read a file of ``bench threads --json``; `read_document` says how it can fail."""
    return read_document(path, _results_of, PROG)


def _results_of(document: Mapping[str, Any]) -> Results:
    rows = (
        Row(
            tuple(row["shape"]),
            Spread(**numbers(row["alone"])),
            Spread(**numbers(row["together"])),
        )
        for row in document["rows"]
    )
    return Results(**{**document, "rows": tuple(rows)})


def parts_of(results: Results) -> Iterator[Part]:
    """Yield the paragraph and the table."""
    yield (
        f"Each call of pyclfft.fft transforms a NumPy array of complex64. {results.threads} "
        "threads call it at the same time, each with an array of its own."
    )
    header = (
        "rows x points", "calls/s of one thread", "+-%",
        f"calls/s of {results.threads} threads", "+-%", "times as many",
    )  # fmt: skip
    yield Table(header, [_cells(row) for row in results.rows])


def _cells(row: Row) -> list[str]:
    return [
        " x ".join(map(str, row.shape)),
        f"{row.alone.median:,.0f}",
        f"{row.alone.percent:.0f}",
        f"{row.together.median:,.0f}",
        f"{row.together.percent:.0f}",
        f"{row.gain:.2f}",
    ]


# --- measuring ------------------------------------------------------------------------------------


def _measured(shape: tuple[int, ...], threads: int, samples: int, seconds: float) -> Row:
    """Count the calls of one thread and of all threads by turns."""
    alone, together = [], []
    for sample in range(samples + 1):
        counts = [calls_per_second(shape, many, seconds) for many in (1, threads)]
        if sample:  # the first time only makes kernels and memory ready
            alone.append(counts[0])
            together.append(counts[1])
    return Row(shape, spread(alone), spread(together))


def calls_per_second(shape: tuple[int, ...], threads: int, seconds: float) -> float:
    """Return how many calls threads complete in a second.

    Parameters
    ----------
    shape : tuple of int
        Rows, and points of a row.
    threads : int
        How many threads call at the same time.
    seconds : float
        How long they begin new calls.

    Returns
    -------
    float
        All completed calls, divided by the time from the common start to the end of the last one.
    """
    counts, start = [0] * threads, threading.Barrier(threads + 1)
    workers = [
        threading.Thread(target=_work, args=(shape, number, seconds, counts, start), daemon=True)
        for number in range(threads)
    ]
    for each in workers:
        each.start()
    start.wait()
    begin = time.perf_counter()
    for each in workers:
        each.join()
    return sum(counts) / (time.perf_counter() - begin)


def _work(
    shape: tuple[int, ...],
    number: int,
    seconds: float,
    counts: list[int],
    start: threading.Barrier,
) -> None:
    """Call `fft` for a time and count the calls; runs in a thread."""
    rows, points = shape
    parts = np.random.default_rng(number).standard_normal((rows, 2 * points), np.float32)
    x = parts.view(np.complex64)
    fft(x)  # the thread's queue is made before the start
    start.wait()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        fft(x)
        counts[number] += 1
