"""``python -m pyclfft bench worksize``: the textbook's kernels by the size of their work-groups.

The textbook times every step of its image filter in groups of (k, 1) work-items. The best k depends
on the device and on the kernel, and this is why there is a tuner. The command prints the textbook's
table for any device, with the textbook's own two tables below it.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from math import isnan, nan
from typing import Any

import numpy as np
import pyopencl as cl

from .. import commandline
from ..image.filter_plans import filter_schedule
from ..image.jobs import filter_job
from ..planning.parameters import GIVEN, GROUPED, parameters_for
from ..planning.passes import Schedule
from ..planning.traits import Traits
from ..runtime import choice, describe, memory, queues
from ..runtime.executable import Executable, run_on_host
from ..runtime.profile import Recorder, profiling_queue, totals
from ..runtime.program import program
from ..selftest_cases import high_pass, noise
from ..tuning.groups import FLAT, is_allowed, with_groups
from .documents import numbers, read_document
from .environment import environment
from .plot import pyplot, require_plot, save
from .render import Part, Table, json_of, page_of, text_of, write
from .runner import WRONG
from .session import require_folders
from .statistics import Spread, geometric_mean, spread
from .table import listed

PROG = "pyclfft bench worksize"
SCHEMA = 2  # version of the JSON's layout
EDGES = tuple(2**k for k in range(1, 14))
EDGE, SAMPLES = 512, 21
LEVELS = 0.51  # levels of grey by which a pixel may be off: half a level by rounding, and a little

SIZES = tuple(map(str, (1, 16, 32, 64, 128, 256, 512)))
BLOCKS = ("4x4", "8x8", "16x16", "64x4", "32x8", "8x32")  # two dimensions: the textbook has none
TRANSFERS = ("write", "read")
BLOCKED = "transposeBlocked"  # its groups are as large as its blocks
ROWS = (
    "write", "spinFact", "bitReverse", "butterfly", "norm", "transpose", BLOCKED, "highPassFilter",
    "read",
)  # fmt: skip
KERNELS = GROUPED
OF_PLANES = tuple(kernel for kernel in KERNELS if kernel not in FLAT)
NOT_ALLOWED = "N/A"
STYLES: tuple[dict[str, Any], ...] = (  # styles of curves: ours, then the published ones
    {"color": "C0", "marker": "o", "markersize": 4},
    {"color": "C1", "linestyle": "--"},
    {"color": "C2", "linestyle": "--"},
)

Totals = Mapping[str, tuple[int, float]]  # launches and milliseconds of every step of a run


@dataclass(frozen=True)
class Machine:
    """What is known of a device beside its times.

    Attributes
    ----------
    together : int
        How many work-items run together; the size of groups should be a multiple of it. It is
        NVIDIA's warp, AMD's wavefront, or what an OpenCL runtime prefers for the kernel
        `butterfly`.
    units : int
        Number of compute units, each of which runs some groups at a time.
    """

    together: int
    units: int


@dataclass(frozen=True)
class Figures:
    """One table: how long each step of the filter takes on a device.

    Attributes
    ----------
    title : str
        The device, as the table's heading names it.
    ms : mapping of str to mapping of str to float
        Milliseconds by kernel, and then by the size of its groups. A size that is not allowed is
        missing; a size with a wrong result has NaN.
    launches : mapping of str to int
        How many launches of each kernel its time adds up.
    machine : Machine or None
        What is known of the device; None if nothing is.
    image : int
        Number of pixels along each side of the image.
    """

    title: str
    ms: Mapping[str, Mapping[str, float]]
    launches: Mapping[str, int]
    machine: Machine | None = None
    image: int = EDGE

    def best(self, row: str, sizes: Sequence[str] = SIZES) -> tuple[str, ...]:
        """Return the sizes with the least time: several if they tie, none for transfers."""
        if row == BLOCKED:
            sizes = tuple(self.ms[row])
        known = {} if row in TRANSFERS else self.ms[row]
        times = {size: known[size] for size in sizes if size in known}
        least = min((ms for ms in times.values() if not isnan(ms)), default=nan)
        return tuple(size for size, ms in times.items() if ms == least)

    def least(self, row: str, sizes: Sequence[str] = SIZES) -> float:
        """Return the least time in groups of the given sizes; NaN if there is none."""
        best = self.best(row, sizes)
        return self.ms[row][best[0]] if best else nan

    def groups(self, kernel: str, size: str) -> int:
        """Return how many groups one launch of a kernel has."""
        n = self.image
        columns, rows = {
            "spinFact": (n // 2, 1), "butterfly": (n // 2, n), "norm": (n * n, 1)
        }.get(kernel, (n, n))  # fmt: skip
        return -(-columns // int(size)) * rows


# Launches in the textbook's filter: it transforms rows 4 times, and 2 of these transforms are
# inverse and divide by n.
LAUNCHES = {
    "spinFact": 1, "bitReverse": 4, "butterfly": 36, "norm": 2, "transpose": 2, "highPassFilter": 1
}  # fmt: skip


def _published(title: str, machine: Machine, rows: Mapping[str, tuple[float, ...]]) -> Figures:
    """Return one of the textbook's tables. A row ends where the device allows no larger groups."""
    times = {row: dict(zip(SIZES, ms, strict=False)) for row, ms in rows.items()}
    return Figures(title, times, LAUNCHES, machine)


# The textbook's tables, for 512 x 512 pixels.
PUBLISHED = (
    _published(
        "Tesla C2050",
        Machine(together=32, units=14),
        {
            "write": (0.45, 0.36, 0.45, 0.45, 0.45, 0.36, 0.45),
            "spinFact": (0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01),
            "bitReverse": (7.51, 0.88, 0.49, 0.36, 0.32, 0.31, 0.34),
            "butterfly": (41.83, 3.41, 2.16, 1.61, 1.58, 1.58, 1.59),
            "norm": (3.96, 0.28, 0.16, 0.11, 0.08, 0.08, 0.08),
            "transpose": (3.66, 0.45, 0.24, 0.19, 0.21, 0.25, 0.21),
            "highPassFilter": (1.90, 0.13, 0.08, 0.05, 0.04, 0.04, 0.04),
            "read": (0.52, 0.35, 0.52, 0.52, 0.52, 0.35, 0.52),
        },
    ),
    _published(
        "FirePro V7900",
        Machine(together=64, units=20),
        {
            "write": (2.26, 2.18, 2.20, 2.97, 3.27, 3.44),
            "spinFact": (0.02, 0.02, 0.02, 0.03, 0.03, 0.03),
            "bitReverse": (6.58, 0.50, 0.30, 0.75, 1.02, 1.19),
            "butterfly": (53.0, 3.84, 2.17, 5.49, 7.36, 6.19),
            "norm": (2.94, 0.22, 0.12, 0.19, 0.23, 0.16),
            "transpose": (3.11, 3.38, 1.67, 2.13, 1.82, 1.91),
            "highPassFilter": (1.53, 0.12, 0.07, 0.13, 0.25, 0.19),
            "read": (1.17, 0.84, 0.85, 0.89, 0.94, 0.93),
        },
    ),
)


# --- the command ----------------------------------------------------------------------------------


def main(argv: Sequence[str]) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str
        Arguments of the command, after ``bench worksize``.

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
        description="Time the kernels of the textbook's image filter in work-groups of several "
        "sizes, of one dimension and of two. Show the best size for each kernel, what follows from "
        "it, and the published times. Let nothing else run on the device meanwhile.",
    )
    add = result.add_argument
    commandline.add_device(result)
    add(
        "--image",
        metavar="N",
        type=_edge,
        default=EDGE,
        help=f"filter an image of N x N pixels, N a power of two (default: {EDGE})",
    )
    add(
        "--samples",
        metavar="N",
        type=commandline.count,
        default=SAMPLES,
        help=f"runs of the filter with each size (default: {SAMPLES})",
    )
    add("--json", metavar="FILE", help="write all results")
    add("--markdown", metavar="FILE", help="write the tables")
    add("--plot", metavar="FILE", help="draw curves (png, svg or pdf); needs matplotlib")
    return result


def _edge(text: str) -> int:
    try:
        edge = commandline.parse_count(text)
    except ValueError:
        edge = 0
    if edge not in EDGES:
        range_ = f"from {EDGES[0]} to {EDGES[-1]}"
        raise argparse.ArgumentTypeError(f"{text!r} is no power of two {range_}")
    return edge


def _main(argv: Sequence[str]) -> int:
    options = parser().parse_args(argv)
    if options.plot:
        require_plot(options.plot)
    require_folders(options.json, options.markdown, options.plot)
    device = choice.select_device(options.device)
    about = environment((device,), ())
    print(commandline.table(list(about.items())), flush=True)
    runs = measure(device, options.image, options.samples)
    _, expected = filtered_image(options.image)
    results = Results(
        about, options.image, options.samples, runs, machine_of(device), truncated(expected)
    )
    print(f"\n{as_text(results)}")
    if options.json:
        write(options.json, as_json(results))
    if options.markdown:
        write(options.markdown, as_markdown(results))
    if options.plot:
        write_plot(options.plot, results)
    return int(bool(results.wrong))


# --- measuring ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Time:
    """How long one step of the filter takes.

    Attributes
    ----------
    launches : int
        Number of its launches in one run of the filter.
    ms : Spread
        Milliseconds of all these launches together.
    """

    launches: int
    ms: Spread


@dataclass(frozen=True)
class Run:
    """The filter with groups of one size.

    Attributes
    ----------
    size : str
        Size of the groups: ``"64"`` stands for (64, 1).
    times : mapping of str to Time
        Times of the transfers, and of the steps that have groups of this size.
    error : float
        Levels of grey by which the worst pixel of all results is off.
    """

    size: str
    times: Mapping[str, Time]
    error: float

    @property
    def wrong(self) -> bool:
        """Whether a result is wrong; an error of NaN is wrong too."""
        return not self.error <= LEVELS


@dataclass(frozen=True)
class Results:
    """Everything that ``bench worksize`` has measured.

    Attributes
    ----------
    environment : dict of str to str
        Device, versions and the commit, by name.
    image : int
        Number of pixels along each side of the image.
    samples : int
        How often the filter was timed with each size.
    runs : tuple of Run
        One for each size.
    machine : Machine or None
        What is known of the device; None in files of former versions.
    truncated : float
        Part of the pixels that would be one level of grey less if they were truncated, as in the
        textbook, instead of rounded.
    """

    environment: Mapping[str, str]
    image: int
    samples: int
    runs: tuple[Run, ...]
    machine: Machine | None = None
    truncated: float = nan

    def figures(self, title: str = "this device") -> Figures:
        """Return the medians of all times as a table."""
        times = {
            row: {
                run.size: nan if run.wrong else run.times[row].ms.median
                for run in self.runs
                if row in run.times
            }
            for row in ROWS
        }
        return Figures(title, times, self.launches, self.machine, self.image)

    @property
    def wrong(self) -> tuple[Run, ...]:
        """The runs with wrong results."""
        return tuple(run for run in self.runs if run.wrong)

    @property
    def launches(self) -> dict[str, int]:
        """How many launches of each kernel one run of the filter has."""
        times = {row: time for run in self.runs for row, time in run.times.items()}
        kernels = (row for row in ROWS if row in times and row not in TRANSFERS)
        return {row: times[row].launches for row in kernels}


@dataclass(frozen=True)
class _Candidate:
    """The filter with groups of one size, and the steps that are to be timed with it."""

    size: str
    rows: tuple[str, ...]
    schedule: Schedule


def measure(device: cl.Device, edge: int, samples: int) -> tuple[Run, ...]:
    """Filter an image with work-groups of all sizes, in turns.

    Parameters
    ----------
    device : pyopencl.Device
        Device to measure.
    edge : int
        Number of pixels along each side of the image, one of `EDGES`.
    samples : int
        How often the filter is timed with each size, after one run that does not count.

    Returns
    -------
    tuple of Run
        One for each size that the device allows.

    Raises
    ------
    DeviceMemoryError
        If the image is too large for the device.
    """
    context, traits = queues.context_of(device), describe.traits(device)
    image, expected = filtered_image(edge)
    candidates = tuple(_candidates(image, context, traits))
    sizes = {name: nbytes for each in candidates for name, nbytes in each.schedule.workspace}
    memory.require_fits(traits, {"in": image.nbytes, "out": image.nbytes, **sizes})

    queue = profiling_queue(context)
    # All schedules share one workspace, because times depend on its address in memory.
    shared = {name: memory.allocate(context, nbytes) for name, nbytes in sizes.items()}
    executables = [
        Executable(context, replace(each.schedule, workspace=()), shared) for each in candidates
    ]
    taken: list[list[Totals]] = [[] for _ in candidates]
    errors = [0.0] * len(candidates)
    with commandline.Progress(1 + samples, "turns") as progress:
        for turn in range(1 + samples):
            for n, executable in enumerate(executables):
                result, times = _filtered(image, executable, queue)
                errors[n] = float(np.maximum(errors[n], np.abs(result - expected).max()))
                if turn:  # the first turn fills caches
                    taken[n].append(times)
            progress.done += 1
    return tuple(map(_run, candidates, taken, errors))


def _candidates(image: np.ndarray, context: cl.Context, traits: Traits) -> Iterator[_Candidate]:
    """Yield the filter with each size that some kernel allows, and with the blocked transpose."""
    job, usual = filter_job(image, algorithm="radix2"), parameters_for(traits)

    def schedule(kernels: Sequence[str], size: str) -> Schedule:
        parameters = with_groups(usual, dict.fromkeys(kernels, size), GIVEN)
        return filter_schedule(job, traits, parameters)

    for size in (*SIZES, *BLOCKS):
        kernels = KERNELS if size in SIZES else OF_PLANES
        planned = {each.kernel: each for each in schedule(kernels, size).passes}
        allowed = [kernel for kernel in kernels if is_allowed(context, planned[kernel], size)]
        if allowed:
            rows = ("write", *allowed, "read") if size in SIZES else tuple(allowed)
            yield _Candidate(size, rows, schedule(allowed, size))
    blocked = filter_schedule(job, traits, usual)
    for tile in {each.local_size[:2] for each in blocked.passes if each.kernel == BLOCKED}:
        yield _Candidate("x".join(map(str, tile)), (BLOCKED,), blocked)


def machine_of(device: cl.Device) -> Machine:
    """Return what a device tells about itself."""
    context = queues.context_of(device)
    kernel = cl.Kernel(program(context, "textbook/butterfly.cl", (("DOUBLE", "0"),)), "butterfly")
    asked = cl.kernel_work_group_info.PREFERRED_WORK_GROUP_SIZE_MULTIPLE
    together: Any = kernel.get_work_group_info(asked, device)
    return Machine(together, device.max_compute_units)


def filtered_image(edge: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the image to filter, and its result in double precision, from 0 to 255."""
    image = ((noise((edge, edge), np.dtype(np.float64)) + 0.5) * 255).astype(np.uint8)
    expected = high_pass(image, edge / 8)
    return image, expected * (255 / expected.max())


def truncated(values: np.ndarray) -> float:
    """Return the part of pixels that are one level less if they are truncated, not rounded."""
    return float((np.trunc(values) < np.rint(values)).mean())


def _filtered(
    image: np.ndarray, executable: Executable, queue: cl.CommandQueue
) -> tuple[np.ndarray, Totals]:
    """Return the filtered image, and the launches and milliseconds of each step."""
    result, recorder = np.empty_like(image), Recorder()
    run_on_host(executable, queue, image, result, recorder)
    return result, totals(recorder.times())


def _run(candidate: _Candidate, taken: Sequence[Totals], error: float) -> Run:
    times = {
        row: Time(taken[0][row][0], spread([each[row][1] for each in taken]))
        for row in candidate.rows
    }
    return Run(candidate.size, times, error)


# --- what is shown --------------------------------------------------------------------------------


def as_text(results: Results) -> str:
    """Return all tables and paragraphs as lines of text."""
    return text_of(_parts(results))


def as_markdown(results: Results) -> str:
    """Return all tables and paragraphs as a page of Markdown."""
    return page_of("Work sizes", results.environment, _parts(results))


def _parts(results: Results) -> Iterator[Part]:
    """Yield the paragraphs and tables."""
    ours = results.figures()
    yield legend(results)
    yield from tables(ours)
    yield f"Published, for {EDGE} x {EDGE} pixels:"
    yield from map(_table, PUBLISHED)
    yield best_sizes((ours, *PUBLISHED))
    yield conclusions((ours, *PUBLISHED))
    wrong = [f"{run.size} (by {run.error:.3g} levels of grey)" for run in results.wrong]
    yield f"wrong results: {listed(wrong)}"


def tables(figures: Figures) -> Iterator[Table]:
    """Yield the table of sizes (k, 1), and that of two-dimensional sizes if there are any."""
    yield _table(figures)
    if any(size in figures.ms[row] for row in OF_PLANES for size in BLOCKS):
        yield _table_of_blocks(figures)


def legend(results: Results) -> str:
    """Say what was measured, and how."""
    launches = ", ".join(f"{row} {count}" for row, count in results.launches.items())
    pixels = f"{results.image} x {results.image} pixels"
    return f"""\
An image of {pixels} is filtered {results.samples} times with groups of each size, which take turns.
A time is the sum of a kernel's launches in one run of the filter, in milliseconds, from profiling
events; the table shows the median over all runs.
One run of the filter has these launches:
{launches}.
The number k stands for groups of (k, 1) work-items.
{NOT_ALLOWED} stands where the device or the kernel does not allow groups of this size.
write and read move {results.image**2:,} bytes of pixels, whatever the size of groups.
Pixels are rounded. If they were truncated, as in the textbook, {results.truncated:.0%} of them
would be one level less."""


def _table(figures: Figures) -> Table:
    """Return the table of each kernel's times by size (k, 1), and its best size."""
    headings = [f"ms on {figures.title}", *SIZES, "best"]
    rows = [[row, *_cells(figures, row, SIZES), _best(figures, row, SIZES)] for row in figures.ms]
    return Table(headings, rows)


def _table_of_blocks(figures: Figures) -> Table:
    """Return the table of times by two-dimensional size, and the best of all sizes."""
    everything = (*SIZES, *BLOCKS)
    rows = [
        [row, *_cells(figures, row, BLOCKS), _best(figures, row, everything)] for row in OF_PLANES
    ]
    return Table([f"ms on {figures.title}", *BLOCKS, "best of all"], rows)


def _cells(figures: Figures, row: str, sizes: Sequence[str]) -> list[str]:
    absent = "-" if row == BLOCKED else NOT_ALLOWED
    times = {} if row == BLOCKED else figures.ms[row]
    return [_ms(times[size]) if size in times else absent for size in sizes]


def _ms(value: float) -> str:
    return WRONG if isnan(value) else f"{value:.4g}"


def _best(figures: Figures, row: str, sizes: Sequence[str]) -> str:
    best = figures.best(row, sizes)
    return f"{_ms(figures.ms[row][best[0]])} at {shown(best)}" if best else "-"


def shown(best: Sequence[str]) -> str:
    """Return the best sizes as text; "any" if all sizes are equally good."""
    return "any" if len(best) == len(SIZES) else ", ".join(best) or "-"


# --- what follows from the times ------------------------------------------------------------------


def best_sizes(everybody: Sequence[Figures]) -> Table:
    """Return the table of each kernel's best size of (k, 1) work-items, by device."""
    headings = ["best size", *(each.title for each in everybody)]
    rows = [[row, *(shown(each.best(row)) for each in everybody)] for row in KERNELS]
    return Table(headings, rows)


def conclusions(everybody: Sequence[Figures]) -> Table:
    """Return what the conclusions of the textbook's chapter come to on each device.

    Parameters
    ----------
    everybody : sequence of Figures
        The tables of all devices.

    Returns
    -------
    Table
        A row for each conclusion, and a column for each device.
    """
    rows = [[name, *map(value, everybody)] for name, value in CONCLUSIONS.items()]
    return Table(["", *(each.title for each in everybody)], rows)


def _known(value: float, form: str = ".3g") -> str:
    return "-" if isnan(value) else f"{value:{form}}"


def _together(figures: Figures) -> str:
    return str(figures.machine.together) if figures.machine else "-"


def _units(figures: Figures) -> str:
    return str(figures.machine.units) if figures.machine else "-"


def _multiples(figures: Figures) -> str:
    """Say for how many kernels a best size is a multiple of the work-items that run together."""
    if not figures.machine:
        return "-"
    together = figures.machine.together
    good = [k for k in KERNELS if any(int(size) % together == 0 for size in figures.best(k))]
    return f"{len(good)} of {len(KERNELS)}"


def _beside_best(size: str, figures: Figures) -> str:
    """Return the mean over kernels of the time in groups of `size` divided by the least time."""
    ratios = [figures.ms[k][size] / figures.least(k) for k in KERNELS if size in figures.ms[k]]
    return _known(geometric_mean(ratios))


def _fewest_groups(figures: Figures) -> str:
    """Return how many groups a launch has at the best size: spinFact's, and the others' fewest."""
    groups = {
        kernel: min(figures.groups(kernel, size) for size in figures.best(kernel))
        for kernel in KERNELS
        if figures.best(kernel)
    }
    spin_fact = groups.pop("spinFact", 0)
    return f"{spin_fact}; {min(groups.values())}" if groups else "-"


def _transpose(figures: Figures) -> str:
    """Return the least time of a launch of transpose divided by that of one of bitReverse."""
    one, other = (
        figures.least(row) / figures.launches.get(row, nan) for row in ("transpose", "bitReverse")
    )
    return _known(one / other)


def _of_two_dimensions(figures: Figures) -> str:
    """Return the least time of transpose in (k, 1) groups over that in two-dimensional ones."""
    return _known(figures.least("transpose") / figures.least("transpose", BLOCKS))


def _of_blocks(figures: Figures) -> str:
    """Return the least time of transpose in (k, 1) groups over that of the blocked transpose."""
    blocked = figures.least(BLOCKED) if BLOCKED in figures.ms else nan
    return _known(figures.least("transpose") / blocked)


CONCLUSIONS: Mapping[str, Callable[[Figures], str]] = {
    "work-items that run together": _together,
    "kernels whose best size is a multiple of this number": _multiples,
    "time of size 1 / time of the best size, mean over kernels": partial(_beside_best, "1"),
    "time of size 16 / time of the best size, mean over kernels": partial(_beside_best, "16"),
    "compute units": _units,
    "groups of a launch at the best size: spinFact; the fewest of all others": _fewest_groups,
    "time of a launch of transpose / time of a launch of bitReverse": _transpose,
    "transpose: time of the best (k, 1) / time of the best in two dimensions": _of_two_dimensions,
    "transpose: time of the best (k, 1) / time of transposeBlocked": _of_blocks,
}


def as_json(results: Results) -> str:
    """Return everything that was measured as JSON, with the published figures."""
    document = {
        "schema": SCHEMA,
        **asdict(results),
        "best": {row: results.figures().best(row) for row in KERNELS},
        "wrong": [run.size for run in results.wrong],
        "published": [asdict(each) for each in PUBLISHED],
    }
    return json_of(document)


def results_of(document: Mapping[str, Any]) -> Results:
    """Return what `as_json` has written; older documents lack machine and truncated pixels."""
    machine = document.get("machine")
    return Results(
        document["environment"],
        document["image"],
        document["samples"],
        tuple(map(_run_of, document["runs"])),
        Machine(**machine) if machine else None,
        numbers({"truncated": None, **document})["truncated"],
    )


def read(path: str | os.PathLike[str]) -> Results:
    """Read a file of ``bench worksize --json``; `read_document` says how it can fail."""
    return read_document(path, results_of, PROG)


def _run_of(document: Mapping[str, Any]) -> Run:
    times = {
        row: Time(each["launches"], Spread(**numbers(each["ms"])))
        for row, each in document["times"].items()
    }
    return Run(document["size"], times, numbers(document)["error"])


def write_plot(path: str | os.PathLike[str], results: Results) -> None:
    """Draw each step's time over the size of its groups; published times are dashed.

    Parameters
    ----------
    path : str or path
        Name of the file. Its extension gives the format: png, svg or pdf; png without one.
    results : Results
        The results to draw.
    """
    plots = pyplot()
    ours, panels = results.figures(), [row for row in ROWS if row != BLOCKED]
    figure, grid = plots.subplots(2, 4, figsize=(12, 6.4), layout="constrained", sharex=True)
    for axes, row in zip(grid.flat, panels, strict=True):
        for figures, style in zip((ours, *PUBLISHED), STYLES, strict=True):
            times = {size: figures.ms[row][size] for size in SIZES if size in figures.ms[row]}
            axes.plot(list(map(int, times)), list(times.values()), label=figures.title, **style)
        _draw_levels(axes, row, ours)
        axes.set(xscale="log", yscale="log", title=row)
        axes.set_xticks(list(map(int, SIZES)), SIZES, fontsize="x-small")
        axes.yaxis.set_major_locator(plots.LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.minorticks_off()
        axes.margins(y=0.1)
        axes.grid(alpha=0.3)
    for axes in grid[:, 0]:
        axes.set_ylabel("ms")
    for axes in grid[-1]:
        axes.set_xlabel("work-items in a group")
    # The legend stands below all panels, where it hides no curve; transpose's panel has all lines.
    handles, labels = grid.flat[panels.index("transpose")].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    about = results.environment
    figure.suptitle(
        f"{about['device']}, {about['date']}\n{results.image} x {results.image} pixels; "
        f"dashed: published, {EDGE} x {EDGE} pixels",
        fontsize="medium",
        wrap=True,
    )
    save(figure, path, dpi=96)
    plots.close(figure)


def _draw_levels(axes: Any, row: str, figures: Figures) -> None:
    """Draw times of groups other than (k, 1) as levels: the axis of sizes has no place for them."""
    square = figures.least(row, BLOCKS) if row in OF_PLANES else nan
    if not isnan(square):
        axes.axhline(
            square, color="C3", linestyle="-.", label="this device, best of two dimensions"
        )
    if row == "transpose":
        for size, ms in figures.ms[BLOCKED].items():
            axes.axhline(ms, color="C4", linestyle=":", label=f"{BLOCKED}, {size}")
