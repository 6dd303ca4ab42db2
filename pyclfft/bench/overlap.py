"""``python -m pyclfft bench overlap``: image files whose steps overlap, beside one after the other.

`pyclfft filter` reads, filters and writes pages at the same time, by a thread each. Here the same
files are filtered by the same functions in one thread, page by page, and both ways take turns. The
seconds of the single steps tell how much there is to gain: a run can be no shorter than its longest
step.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyopencl as cl

from .. import commandline
from ..image.filter_files import FileJob, FilterRequest, filter_files
from ..image.filtering import filtered
from ..image.imagefile import ImageFile, iter_images, write_images
from ..runtime import choice, queues
from . import render, session
from .documents import numbers, read_document
from .environment import environment, host
from .render import Part, Table
from .statistics import Spread, spread

PROG = "pyclfft bench overlap"
SAMPLES = 5
PAGES = 32
SIDE = 2048
STEPS = ("read", "filter", "write")
REQUEST = FilterRequest({"kind": "lowpass", "cutoff": 20, "shape": "gaussian"}, {"pad": "mirror"})


@dataclass(frozen=True)
class Case:
    """Files that are filtered by one call.

    Attributes
    ----------
    name : str
        What the table calls them.
    suffix : str
        The suffix of their names, which tells their format.
    files, pages : int
        How many files there are, and how many pages each of them has.
    """

    name: str
    suffix: str
    files: int
    pages: int


@dataclass(frozen=True)
class Row:
    """What was measured of a case.

    Attributes
    ----------
    case : Case
        The case.
    in_turn, overlapped : Spread
        The seconds of a run, one step after the other and with steps that overlap.
    steps : dict of str to float
        The median seconds of each of `STEPS` in the runs of one step after the other.
    same : bool
        Both ways have written the same files.
    """

    case: Case
    in_turn: Spread
    overlapped: Spread
    steps: dict[str, float]
    same: bool

    @property
    def gain(self) -> float:
        """How many times as fast the overlapped run is."""
        return self.in_turn.median / self.overlapped.median

    @property
    def most(self) -> float:
        """How many times as fast it would be if it took as long as its longest step."""
        return self.in_turn.median / max(self.steps.values())


@dataclass(frozen=True)
class Results:
    """What was measured.

    Attributes
    ----------
    environment : dict of str to str
        Where it was measured.
    side : int
        The rows and the columns of each page.
    rows : tuple of Row
        The cases.
    """

    environment: dict[str, str]
    side: int
    rows: tuple[Row, ...] = ()


def cases(pages: int) -> tuple[Case, ...]:
    """Return the cases, each of so many pages in all."""
    return (
        Case("pages of a TIFF file", ".tif", 1, pages),
        Case("TIFF files", ".tif", pages, 1),
        Case("PNG files", ".png", pages, 1),
    )


def main(argv: Sequence[str]) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str
        Arguments of the command, after ``bench overlap``.

    Returns
    -------
    int
        Exit status: 0 if all went well; 1 if both ways differ in a result; 2 after an error.
    """
    return commandline.run(lambda: _main(argv), PROG)


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    result = commandline.Parser(
        prog=PROG,
        description="Measure how much faster image files are filtered if reading, filtering and "
        "writing overlap, as in pyclfft filter, than if one step follows the other. The files are "
        "made for it, and deleted at the end. Let nothing else run meanwhile.",
    )
    add = result.add_argument
    commandline.add_device(result)
    add(
        "--pages", metavar="N", type=commandline.count, default=PAGES,
        help=f"how many pages each case has in all (default: {PAGES})",
    )  # fmt: skip
    add(
        "--side", metavar="PIXELS", type=commandline.count, default=SIDE,
        help=f"how many rows, and how many columns, a page of 8-bit grey has (default: {SIDE})",
    )  # fmt: skip
    add(
        "--samples", metavar="N", type=commandline.count, default=SAMPLES,
        help=f"how many times each case is measured, in either way (default: {SAMPLES})",
    )  # fmt: skip
    add(
        "--folder", metavar="PATH",
        help="the folder, on the disk that is to be measured, in which a folder for the files is "
        "made (default: that of the system for temporary files)",
    )  # fmt: skip
    add("--json", metavar="FILE", help="write everything")
    return result


def _main(argv: Sequence[str]) -> int:
    options = parser().parse_args(argv)
    session.require_folders(options.json, options.folder and str(Path(options.folder, "files")))
    choice.use_device(choice.select_device(options.device))
    queue = queues.default_queue()
    about = {**environment([queue.device], []), "host": host()}
    print(commandline.table(list(about.items())), flush=True)
    with TemporaryDirectory(prefix="pyclfft-overlap-", dir=options.folder) as folder:
        measured = partial(_measured, Path(folder), options.side, options.samples, queue)
        results = Results(about, options.side, tuple(map(measured, cases(options.pages))))
    print("", render.text_of(parts_of(results)), sep="\n")
    if options.json:
        render.write(options.json, render.json_of(asdict(results)))
    return int(not all(row.same for row in results.rows))


def read(path: str | os.PathLike[str]) -> Results:
    """Read a file of ``bench overlap --json``; `read_document` says how it can fail."""
    return read_document(path, _results_of, PROG)


def _results_of(document: Mapping[str, Any]) -> Results:
    rows = (
        Row(
            Case(**row["case"]),
            Spread(**numbers(row["in_turn"])),
            Spread(**numbers(row["overlapped"])),
            row["steps"],
            row["same"],
        )
        for row in document["rows"]
    )
    return Results(**{**document, "rows": tuple(rows)})


def parts_of(results: Results) -> Iterator[Part]:
    """Yield the paragraph and the table."""
    yield (
        f"Each page has {results.side} x {results.side} pixels of 8-bit grey. The columns read, "
        "filter and write are the seconds of these steps in the runs of one step after the other. "
        "The column at most says how many times as fast the files would be if all other steps were "
        "hidden behind the longest one. The system may keep files in memory that were just written."
    )
    yield Table(HEADER, [_cells(row) for row in results.rows])
    if differing := [row.case.name for row in results.rows if not row.same]:
        yield f"Both ways differ in a result: {', '.join(differing)}."


HEADER = (
    "case", "files", "pages each", "s in turn", "+-%", "s overlapped", "+-%", "times as fast",
    "at most", *STEPS,
)  # fmt: skip


def _cells(row: Row) -> list[str]:
    return [
        row.case.name,
        f"{row.case.files}",
        f"{row.case.pages}",
        f"{row.in_turn.median:.3f}",
        f"{row.in_turn.percent:.0f}",
        f"{row.overlapped.median:.3f}",
        f"{row.overlapped.percent:.0f}",
        f"{row.gain:.2f}",
        f"{row.most:.2f}",
        *(f"{row.steps[step]:.3f}" for step in STEPS),
    ]


# --- measuring ------------------------------------------------------------------------------------


def _measured(folder: Path, side: int, samples: int, queue: cl.CommandQueue, case: Case) -> Row:
    """Measure a case; both ways take turns, after a run of each that makes everything ready."""
    made = folder / case.name.replace(" ", "-")
    made.mkdir()
    sources = [made / f"{number}{case.suffix}" for number in range(case.files)]
    for number, source in enumerate(sources):
        write_images(source, (_page(side, number + page) for page in range(case.pages)))
    targets = {
        way: [made / f"{way}-{source.name}" for source in sources] for way in ("turn", "overlap")
    }
    in_turn, overlapped = [], []
    steps: dict[str, list[float]] = {step: [] for step in STEPS}
    for sample in range(samples + 1):
        seconds, of_steps = _in_turn(sources, targets["turn"], queue)
        together = _overlapped(sources, targets["overlap"])
        if sample:  # the first run only makes kernels and memory ready
            in_turn.append(seconds)
            overlapped.append(together)
            for step in STEPS:
                steps[step].append(of_steps[step])
    same = all(
        one.read_bytes() == other.read_bytes() for one, other in zip(*targets.values(), strict=True)
    )
    medians = {step: spread(each).median for step, each in steps.items()}
    return Row(case, spread(in_turn), spread(overlapped), medians, same)


def _page(side: int, number: int) -> ImageFile:
    """Return a page of light, shade and noise, no two of which are alike."""
    y, x = np.ogrid[:side, :side]
    light = 128 + 60 * np.sin(2 * np.pi * (y + 2 * number) / side) * np.cos(6 * np.pi * x / side)
    noise = np.random.default_rng(number).normal(0, 6, (side, side))
    return ImageFile(np.clip(np.rint(light + noise), 0, 255).astype(np.uint8), 255)


def _overlapped(sources: Sequence[Path], targets: Sequence[Path]) -> float:
    """Filter files as the command does; return the seconds that it took."""
    jobs = [
        FileJob(source, {"output": target}, REQUEST)
        for source, target in zip(sources, targets, strict=True)
    ]
    begin = time.perf_counter()
    for future in filter_files(jobs):
        future.result()
    return time.perf_counter() - begin


def _in_turn(
    sources: Sequence[Path], targets: Sequence[Path], queue: cl.CommandQueue
) -> tuple[float, dict[str, float]]:
    """Filter files page by page; return the seconds that it took, and those of each step."""
    steps = dict.fromkeys(STEPS, 0.0)
    begin = time.perf_counter()
    for source, target in zip(sources, targets, strict=True):
        write_images(target, _filtered_pages(source, queue, steps))
    seconds = time.perf_counter() - begin
    steps["write"] = seconds - steps["read"] - steps["filter"]
    return seconds, steps


def _filtered_pages(
    source: Path, queue: cl.CommandQueue, steps: dict[str, float]
) -> Iterator[ImageFile]:
    """Yield the results of the pages of a file, and count the seconds of two steps."""
    pages = iter_images(source)
    while True:
        begin = time.perf_counter()
        page = next(pages, None)
        steps["read"] += time.perf_counter() - begin
        if page is None:
            return
        image, _ = page
        begin = time.perf_counter()
        pixels = filtered(REQUEST.job(image, image.pixels), image.pixels, None, queue)
        steps["filter"] += time.perf_counter() - begin
        yield replace(image, pixels=pixels)
