"""``python -m pyclfft bench worksize``: the textbook's kernels by the size of their work-groups.

The textbook times every step of its image filter in groups of (k, 1) work-items. Which k is the
best differs by device and kernel, and that is why there is a tuner. This prints the same table for
any device, with the textbook's two below it.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isnan, nan, prod
from typing import Any

import numpy as np
import pyopencl as cl

from .. import commandline
from ..apps.filter_plans import filter_schedule
from ..apps.imaging import filter_job
from ..planning.passes import Pass, Schedule
from ..planning.traits import Traits
from ..runtime import device as devices
from ..runtime import memory
from ..runtime.executable import Executable, run_on_host
from ..runtime.profile import Recorder, profiling_queue, totals
from ..runtime.program import program
from ..selftest_cases import high_pass, noise
from ..tuning.lookup import GIVEN, parameters_for
from .environment import environment
from .plot import pyplot, require_plot, save
from .render import Part, Table, json_of, page_of, text_of, write
from .runner import WRONG
from .session import require_folders
from .statistics import Spread, spread
from .table import listed

PROG = "pyclfft bench worksize"
SCHEMA = 1  # of the JSON
EDGES = tuple(2**k for k in range(1, 14))
EDGE, SAMPLES = 512, 21
LEVELS = 0.51  # of grey by which a pixel may be off: half of one to round, and a little

SIZES = tuple(map(str, (1, 16, 32, 64, 128, 256, 512)))
TRANSFERS = ("write", "read")
BLOCKED = "transposeBlocked"  # has groups of its own
ROWS = (
    "write", "spinFact", "bitReverse", "butterfly", "norm", "transpose", BLOCKED, "highPassFilter",
    "read",
)  # fmt: skip
KERNELS = tuple(row for row in ROWS if row not in (*TRANSFERS, BLOCKED))
NOT_ALLOWED = "N/A"
STYLES: tuple[dict[str, Any], ...] = (  # of curves: ours, and the published ones
    {"color": "C0", "marker": "o", "markersize": 4},
    {"color": "C1", "linestyle": "--"},
    {"color": "C2", "linestyle": "--"},
)

Totals = Mapping[str, tuple[int, float]]  # launches and milliseconds of every step of a run


@dataclass(frozen=True)
class Figures:
    """One table: how long each step of the filter takes on a device.

    Attributes
    ----------
    title : str
        The device.
    ms : mapping of str to mapping of str to float
        Milliseconds by kernel, and then by the size of its groups. Sizes that are not allowed are
        not there; those with a wrong result are not a number.
    """

    title: str
    ms: Mapping[str, Mapping[str, float]]

    def best(self, row: str) -> tuple[str, ...]:
        """Return the sizes with the least time: several where they tie, none for transfers."""
        times = {} if row in TRANSFERS else self.ms[row]
        least = min((ms for ms in times.values() if not isnan(ms)), default=nan)
        return tuple(size for size, ms in times.items() if ms == least)


def _published(title: str, rows: Mapping[str, tuple[float, ...]]) -> Figures:
    """Return a table of the textbook's, whose rows end where the device allows no more."""
    return Figures(title, {row: dict(zip(SIZES, ms, strict=False)) for row, ms in rows.items()})


# The textbook's, for 512 x 512 pixels.
PUBLISHED = (
    _published(
        "Tesla C2050",
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
        Arguments.

    Returns
    -------
    int
        Exit status: 0; 1 where a result is wrong; 2 after an error.
    """
    return commandline.run(lambda: _main(argv), PROG)


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    result = commandline.Parser(
        prog=PROG,
        description="Time the kernels of the textbook's image filter in work-groups of several "
        "sizes, name the best for each, and show them beside the published ones. Let nothing else "
        "run on the device meanwhile.",
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
    add("--json", metavar="FILE", help="write everything")
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
    device = devices.select_device(options.device)
    about = environment((device,), ())
    print(commandline.table(list(about.items())), flush=True)
    runs = measure(device, options.image, options.samples)
    results = Results(about, options.image, options.samples, runs)
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
    """What a step of the filter takes.

    Attributes
    ----------
    launches : int
        In one run of the filter.
    ms : Spread
        Milliseconds of all of them together.
    """

    launches: int
    ms: Spread


@dataclass(frozen=True)
class Run:
    """The filter with groups of one size.

    Attributes
    ----------
    size : str
        Of the groups: ``"64"`` is (64, 1).
    times : mapping of str to Time
        Of the steps that have groups of this size, and of the transfers.
    error : float
        By how many levels of grey the worst pixel of all results is off.
    """

    size: str
    times: Mapping[str, Time]
    error: float

    @property
    def wrong(self) -> bool:
        """Whether a result was; not a number is wrong too."""
        return not self.error <= LEVELS


@dataclass(frozen=True)
class Results:
    """All that was measured.

    Attributes
    ----------
    environment : dict of str to str
        Where.
    image : int
        Pixels along each side.
    samples : int
        Runs of the filter with each size.
    runs : tuple of Run
        One for each size.
    """

    environment: Mapping[str, str]
    image: int
    samples: int
    runs: tuple[Run, ...]

    @property
    def figures(self) -> Figures:
        """The medians as a table."""
        return Figures(
            "this device",
            {
                row: {
                    run.size: nan if run.wrong else run.times[row].ms.median
                    for run in self.runs
                    if row in run.times
                }
                for row in ROWS
            },
        )

    @property
    def wrong(self) -> tuple[Run, ...]:
        """Those whose results are not what they should be."""
        return tuple(run for run in self.runs if run.wrong)

    @property
    def launches(self) -> dict[str, int]:
        """How many launches of each kernel a run of the filter has."""
        times = {row: time for run in self.runs for row, time in run.times.items()}
        kernels = (row for row in ROWS if row in times and row not in TRANSFERS)
        return {row: times[row].launches for row in kernels}


@dataclass(frozen=True)
class _Candidate:
    """The filter with groups of one size, and the steps whose times are of interest."""

    size: str
    rows: tuple[str, ...]
    schedule: Schedule


def measure(device: cl.Device, edge: int, samples: int) -> tuple[Run, ...]:
    """Filter an image with work-groups of all sizes, in turns.

    Parameters
    ----------
    device : pyopencl.Device
        Where.
    edge : int
        Pixels along each side of the image, one of `EDGES`.
    samples : int
        Runs of the filter with each size; one more before them does not count.

    Returns
    -------
    tuple of Run
        One for each size that the device allows.

    Raises
    ------
    DeviceMemoryError
        The image is too large for the device.
    """
    context, traits = devices.context_of(device), devices.traits(device)
    image = ((noise((edge, edge), np.dtype(np.float64)) + 0.5) * 255).astype(np.uint8)
    expected = high_pass(image, edge / 8)
    expected *= 255 / expected.max()
    candidates = tuple(_candidates(image, context, traits))
    sizes = {name: nbytes for each in candidates for name, nbytes in each.schedule.workspace}
    memory.require_fits(traits, {"in": image.nbytes, "out": image.nbytes, **sizes})

    queue = profiling_queue(context)
    # One workspace for all, as times depend on where in memory it lies.
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
                if turn:  # in the first, caches are filled
                    taken[n].append(times)
            progress.done += 1
    return tuple(map(_run, candidates, taken, errors))


def _candidates(image: np.ndarray, context: cl.Context, traits: Traits) -> Iterator[_Candidate]:
    """Yield the filter with each size that a kernel allows, and with the blocked transpose."""
    job, usual = filter_job(image, algorithm="radix2"), parameters_for(traits)
    naive = filter_schedule(job, traits, usual.over({"transpose_tile": 0}, GIVEN))
    for size in SIZES:
        resized = {
            each: in_groups_of(int(size), each) for each in naive.passes if each.kernel in KERNELS
        }
        allowed = {old: new for old, new in resized.items() if _is_allowed(new, context, traits)}
        if allowed:
            passes = tuple(allowed.get(each, each) for each in naive.passes)
            kernels = {each.kernel: None for each in allowed}
            yield _Candidate(size, ("write", *kernels, "read"), replace(naive, passes=passes))
    blocked = filter_schedule(job, traits, usual)
    for tile in {each.local_size[:2] for each in blocked.passes if each.kernel == BLOCKED}:
        yield _Candidate("x".join(map(str, tile)), (BLOCKED,), blocked)


def in_groups_of(size: int, each: Pass) -> Pass:
    """Launch a pass in groups of (size, 1) work-items.

    Parameters
    ----------
    size : int
        Work-items along the first dimension.
    each : Pass
        Of a kernel that checks its bounds: the range is rounded up to whole groups.

    Returns
    -------
    Pass
    """
    width, *others = each.global_size
    return replace(
        each,
        global_size=(-(-width // size) * size, *others),
        local_size=(size, *(1 for _ in others)),
    )


def _is_allowed(each: Pass, context: cl.Context, traits: Traits) -> bool:
    """Whether the device and the kernel, which may need many registers, allow so large groups."""
    kernel = cl.Kernel(program(context, each.source, each.defines, each.hooks), each.kernel)
    most = kernel.get_work_group_info(cl.kernel_work_group_info.WORK_GROUP_SIZE, context.devices[0])
    limits = zip(each.local_size, traits.max_work_item_sizes, strict=False)
    fits = all(extent <= limit for extent, limit in limits)
    return fits and prod(each.local_size) <= min(most, traits.max_work_group_size)


def _filtered(
    image: np.ndarray, executable: Executable, queue: cl.CommandQueue
) -> tuple[np.ndarray, Totals]:
    """Return the filtered image, and what each step took."""
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
    """Return all tables as lines of text."""
    return text_of(_parts(results))


def as_markdown(results: Results) -> str:
    """Return all tables as a page."""
    return page_of("Work sizes", results.environment, _parts(results))


def _parts(results: Results) -> Iterator[Part]:
    """Yield paragraphs and tables."""
    ours = results.figures
    yield legend(results)
    yield _table(ours)
    yield f"Published, for {EDGE} x {EDGE} pixels:"
    yield from map(_table, PUBLISHED)
    headings = ["best size", ours.title, *(each.title for each in PUBLISHED)]
    yield Table(
        headings,
        [[row, *(shown(each.best(row)) for each in (ours, *PUBLISHED))] for row in KERNELS],
    )
    wrong = [f"{run.size} (by {run.error:.3g} levels of grey)" for run in results.wrong]
    yield f"wrong results: {listed(wrong)}"


def legend(results: Results) -> str:
    """Say what was measured."""
    launches = ", ".join(f"{row} {count}" for row, count in results.launches.items())
    pixels = f"{results.image} x {results.image} pixels"
    return f"""\
{pixels}, filtered {results.samples} times with groups of each size, in turns.
ms: the sum of a kernel's launches in one run of the filter, from profiling events; median of runs.
Launches: {launches}.
k: groups of (k, 1) work-items. {NOT_ALLOWED}: more than the device or the kernel allows.
write, read: {results.image**2:,} bytes of pixels, whatever the size of groups."""


def _table(figures: Figures) -> Table:
    """Return the table of times by size, and the best."""
    headings = [f"ms on {figures.title}", *SIZES, "best"]
    rows = [[row, *_cells(figures, row), _best(figures, row)] for row in figures.ms]
    return Table(headings, rows)


def _cells(figures: Figures, row: str) -> list[str]:
    absent = "-" if row == BLOCKED else NOT_ALLOWED
    times = figures.ms[row]
    return [_ms(times[size]) if size in times else absent for size in SIZES]


def _ms(value: float) -> str:
    return WRONG if isnan(value) else f"{value:.4g}"


def _best(figures: Figures, row: str) -> str:
    best = figures.best(row)
    return f"{_ms(figures.ms[row][best[0]])} at {shown(best)}" if best else "-"


def shown(best: Sequence[str]) -> str:
    """Return the best sizes as text."""
    return "any" if len(best) == len(SIZES) else ", ".join(best) or "-"


def as_json(results: Results) -> str:
    """Return all that was measured as JSON, with the published figures."""
    document = {
        "schema": SCHEMA,
        **asdict(results),
        "best": {row: results.figures.best(row) for row in KERNELS},
        "wrong": [run.size for run in results.wrong],
        "published": [asdict(each) for each in PUBLISHED],
    }
    return json_of(document)


def write_plot(path: str | os.PathLike[str], results: Results) -> None:
    """Draw each step's time over the size of its groups, the published ones dashed.

    Parameters
    ----------
    path : str or path
        Its extension names the format: png, svg, pdf; png without one.
    results : Results
        What was measured.
    """
    plots = pyplot()
    panels = [row for row in ROWS if row != BLOCKED]
    figure, grid = plots.subplots(2, 4, figsize=(12, 6), layout="constrained", sharex=True)
    for axes, row in zip(grid.flat, panels, strict=True):
        for figures, style in zip((results.figures, *PUBLISHED), STYLES, strict=True):
            times = figures.ms[row]
            axes.plot(list(map(int, times)), list(times.values()), label=figures.title, **style)
        axes.set(xscale="log", yscale="log", title=row)
        axes.set_xticks(list(map(int, SIZES)), SIZES, fontsize="x-small")
        axes.yaxis.set_major_locator(plots.LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.minorticks_off()
        axes.grid(alpha=0.3)
    _draw_blocked(grid.flat[panels.index("transpose")], results.figures)
    for axes in grid[:, 0]:
        axes.set_ylabel("ms")
    for axes in grid[-1]:
        axes.set_xlabel("work-items in a group")
    figure.legend(*grid[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    about = results.environment
    figure.suptitle(
        f"{about['device']}, {about['date']}\n{results.image} x {results.image} pixels; "
        f"dashed: published, {EDGE} x {EDGE} pixels",
        fontsize="medium",
        wrap=True,
    )
    save(figure, path, dpi=96)
    plots.close(figure)


def _draw_blocked(axes: Any, figures: Figures) -> None:
    """Draw the blocked transpose, which has one size, as a level."""
    for size, ms in figures.ms[BLOCKED].items():
        axes.axhline(ms, color="C0", linestyle=":", label=f"{BLOCKED}, {size}")
        axes.legend(fontsize="small", handles=[axes.lines[-1]])
