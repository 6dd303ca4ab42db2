"""``python -m pyclfft bench stft``: spectrograms beside other libraries, and beside a report's.

It measures four things. First, one song of three minutes, from NumPy to NumPy and from device array
to device array, by all installed libraries in turns (`stft_contenders`). Second, if the device has
memory of its own, how far a stream's uploads, kernels and downloads overlap (`stft_overlap`).
Third, the song of a report on digital music analysis: 1164 frames by the report's kernel and by
pyclfft's, 1 to 1024 of them in a launch (`stft_launches`), with the occupancy (`occupancy`) and the
greatest magnitude, which the report's fault makes too small (`stft_fault`). Fourth, where the
report's program spends its time (`stft_profile`).
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import isnan, nan
from pathlib import Path
from typing import Any

import numpy as np

from .. import commandline
from ..runtime import choice, describe, queues
from . import render, session, stft_profile
from .documents import numbers, read_document
from .environment import environment
from .plot import pyplot, save
from .render import Part, Table
from .runner import WRONG, Settings
from .statistics import Spread
from .stft_contenders import OURS, Entry, measure_contenders
from .stft_fault import PUBLISHED_REFERENCE, PUBLISHED_WRONG, Greatest
from .stft_launches import (
    COMPILED,
    FRAMES,
    HOP,
    IN_PYTHON,
    KERNELS,
    N_FFT,
    PUBLISHED_OCCUPANCY,
    PUBLISHED_SONG_MS,
    PUBLISHED_US,
    RATE,
    Point,
    measure_curve,
    measure_greatest,
    measure_song,
)
from .stft_overlap import Overlap, measure_overlap
from .stft_profile import PUBLISHED_PERCENT, measure_profile, melody, percent

PROG = "pyclfft bench stft"
SCHEMA = 2
SETTINGS = Settings(samples=21, budget_s=3.0)


@dataclass(frozen=True)
class Results:
    """Everything that ``bench stft`` has measured.

    Attributes
    ----------
    environment : dict of str to str
        Devices, versions and the commit, by name.
    seconds : float
        Length of the signal in seconds.
    samples : int
        How many samples were taken of each contender.
    entries : tuple of Entry
        The contenders, in the order of measurement.
    curve : tuple of Point
        The report's song, by the number of frames in a launch.
    song : dict of str to float
        Milliseconds that the report's 1164 frames take on the host, by baseline.
    overlap : Overlap or None
        How far a stream overlaps; None if the device has no memory of its own.
    greatest : Greatest or None
        The greatest magnitudes of a melody; None in files of former versions.
    profile : tuple of Part
        Times of the parts of the report's program, with pyclfft doing their work.
    """

    environment: dict[str, str]
    seconds: float
    samples: int
    entries: tuple[Entry, ...] = ()
    curve: tuple[Point, ...] = ()
    song: dict[str, float] = field(default_factory=dict)
    overlap: Overlap | None = None
    greatest: Greatest | None = None
    profile: tuple[stft_profile.Part, ...] = ()

    def ours(self, where: str) -> Entry:
        """Return pyclfft's entry from arrays on the host, or on the device, as `where` says."""
        return next(each for each in self.entries if (each.name, each.where) == (OURS, where))


# --- the command ----------------------------------------------------------------------------------


def main(argv: Sequence[str]) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str
        Arguments of the command, after ``bench stft``.

    Returns
    -------
    int
        Exit status: 0 if all went well; 1 if a result of pyclfft is wrong; 2 after an error.
    """
    return commandline.run(lambda: _main(argv), PROG)


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    result = commandline.Parser(
        prog=PROG,
        description="Measure short-time Fourier transforms, and compare them with SciPy, librosa "
        "and PyTorch, as far as they are installed. Then measure the kernel of a report on music "
        "analysis by the number of frames in a launch, its fault, and a profile of the report's "
        "program. Let nothing else run meanwhile.",
    )
    session.add_options(
        result, SETTINGS.samples, "time, speed-up and occupancy over the frames of a launch"
    )
    result.add_argument(
        "--seconds",
        metavar="S",
        type=commandline.count,
        default=180,
        help=f"how long the sound is, at {RATE} samples a second (default: 180)",
    )
    return result


def _main(argv: Sequence[str]) -> int:
    options = parser().parse_args(argv)
    session.require(options)
    device = choice.select_device(options.device)
    queue = queues.queue_of(queues.context_of(device))
    y = np.random.default_rng(1).uniform(-1, 1, options.seconds * RATE).astype(np.float32)
    settings = replace(SETTINGS, samples=options.samples)
    results = Results(environment((device,), ()), options.seconds, options.samples)
    print(commandline.table(list(results.environment.items())))
    results = replace(results, entries=measure_contenders(y, queue, settings))
    results = replace(results, curve=measure_curve(queue, options.samples))
    results = replace(results, song=measure_song(settings))
    if not describe.traits(device).is_cpu:
        results = replace(results, overlap=measure_overlap(queue))
    results = replace(results, greatest=measure_greatest(queue, melody()))
    results = replace(results, profile=measure_profile(queue, options.samples))
    print("", as_text(results), sep="\n")
    if options.json:
        render.write(options.json, as_json(results))
    if options.markdown:
        render.write(options.markdown, as_markdown(results))
    if options.plot:
        write_plot(options.plot, results)
    entries = any(each.wrong for each in results.entries)
    return int(entries or any(each.wrong for each in results.curve))


# --- what is shown --------------------------------------------------------------------------------


def as_text(results: Results) -> str:
    """Return all tables and paragraphs as lines of text."""
    return render.text_of(_parts(results))


def as_markdown(results: Results) -> str:
    """Return all tables and paragraphs as a page of Markdown."""
    return render.page_of("Short-time Fourier transforms", results.environment, _parts(results))


def _parts(results: Results) -> Iterator[Part]:
    """Yield the paragraphs and tables."""
    yield (
        f"The sound lasts {results.seconds} s and has {RATE} samples a second. Its frames have "
        f"{N_FFT} samples and begin {HOP} samples apart; the window is Hann's. The contenders take "
        f"turns, and each time is the median of {results.samples} samples. /{OURS} is the time "
        f"divided by the time of {OURS} between arrays in the same place."
    )
    yield Table(["ms", "median", "+-%", f"/{OURS}", "error"], list(_entry_rows(results)))
    yield from (
        f"{each.name} ({each.where}): {each.reason}" for each in results.entries if each.reason
    )
    if results.overlap:
        yield overlap_line(results.overlap)
    yield from report_parts(results)


def overlap_line(overlap: Overlap) -> str:
    """Say how far a stream's uploads, kernels and downloads overlap."""
    parts = ", ".join(f"{name} {ms:.3g} ms" for name, ms in overlap.busy_ms.items())
    return (
        f"A stream of {overlap.seconds:g} s of sound took {overlap.span_ms:.3g} ms. Each kind of "
        f"work kept the device busy for a part of this time: {parts}. During {overlap.any_ms:.3g} "
        f"ms it did at least one of them, so that {overlap.hidden:.0%} of their sum overlapped."
    )


def report_parts(results: Results) -> Iterator[Part]:
    """Yield what the report has published, beside what was measured here."""
    yield (
        f"{FRAMES} frames of {N_FFT} points, {HOP} apart, become {N_FFT // 2} magnitudes each. For "
        "each number of frames in a launch the table shows the mean microseconds of a launch, the "
        "milliseconds of all launches by their events, and the milliseconds with the gaps between "
        "the launches. The published times are from another GPU"
    )
    yield times_table(results.curve)
    yield (
        "the speed-up says how many times as fast the kernel is as with 1 frame in a launch. The "
        "occupancy is the number of work-items that a launch keeps on a unit, divided by the "
        "number for which the unit has room. It follows from the launch's groups, their local "
        "memory and their registers. The report measured an occupancy of "
        f"{PUBLISHED_OCCUPANCY[0]:.2f} to {PUBLISHED_OCCUPANCY[1]:.2f}"
    )
    yield speedup_table(results.curve)
    yield song_table(results)
    if results.greatest:
        yield "the greatest magnitude in the frames of a melody, and in the report's song:"
        yield greatest_table(results.greatest)
    if results.profile:
        yield "the whole program, beside the report's profile of the time before it used a GPU:"
        yield profile_table(results.profile)


def times_table(curve: Sequence[Point]) -> Table:
    """Return the table of times by the number of frames in a launch."""
    headings = [
        "frames", "launches", "us: published", *(f"us: {each}" for each in KERNELS),
        "ms: published", *(f"ms: {each}" for each in KERNELS),
        *(f"with gaps: {each}" for each in KERNELS),
    ]  # fmt: skip
    rows = [
        [
            str(point.frames), str(point.launches), f"{PUBLISHED_US[point.frames]:g}",
            *(f"{point.us(each):.4g}" for each in KERNELS),
            f"{point.published_ms:.4g}",
            *(f"{point.kernel_ms[each]:.4g}" for each in KERNELS),
            *(f"{point.wall_ms[each]:.4g}" for each in KERNELS),
        ]
        for point in curve
    ]  # fmt: skip
    return Table(headings, rows)


def speedups(curve: Sequence[Point]) -> dict[str, list[float]]:
    """Return by kernel the first point's time divided by each point's."""
    first = curve[0]
    return {
        "published": [first.published_ms / point.published_ms for point in curve],
        **{k: [first.kernel_ms[k] / point.kernel_ms[k] for point in curve] for k in KERNELS},
    }


def speedup_table(curve: Sequence[Point]) -> Table:
    """Return the table of speed-ups and occupancy by the number of frames in a launch."""
    columns = speedups(curve)
    headings = [
        "frames", *(f"speed-up: {name}" for name in columns),
        *(f"occupancy: {name}" for name in KERNELS),
    ]  # fmt: skip
    rows = [
        [
            str(point.frames),
            *(f"{values[n]:.3g}" for values in columns.values()),
            *(_known(point.occupancy.get(name, nan), ".2f") for name in KERNELS),
        ]
        for n, point in enumerate(curve)
    ]
    return Table(headings, rows)


def song_table(results: Results) -> Table:
    """Return the least and greatest time of all launches, beside whole functions on a CPU."""
    rows = [[name, "-", f"{ms:.4g}"] for name, ms in PUBLISHED_SONG_MS.items()]
    for name in KERNELS:
        times = [point.kernel_ms[name] for point in results.curve]
        rows += [
            [f"{name}, best", f"{min(times):.4g}", "-"],
            [f"{name}, worst", f"{max(times):.4g}", "-"],
        ]
    song = dict(results.song)
    if COMPILED in song:
        song.pop(IN_PYTHON, None)  # files of former versions have both of them
    rows += [[name, f"{ms:.4g}", "-"] for name, ms in song.items()]
    return Table(["ms of a song", "here", "published"], rows)


def greatest_table(greatest: Greatest) -> Table:
    """Return the table of the greatest magnitudes."""
    wrong = " and ".join(f"{value:g}" for value in PUBLISHED_WRONG)
    rows = [
        ["reference", f"{greatest.reference:.6g}", f"{PUBLISHED_REFERENCE:g}"],
        *([name, f"{value:.6g}", "-"] for name, value in greatest.ours.items()),
        ["with the report's fault", f"{greatest.faulty:.6g}", wrong],
    ]
    return Table(["greatest magnitude", "here", "published"], rows)


def profile_table(profile: tuple[stft_profile.Part, ...]) -> Table:
    """Return the table of where the program spends its time."""
    rows = [
        [
            each.name, f"{each.ms.median:.4g}", f"{percent(profile, each):.1f}",
            _known(each.published_percent, ".1f"),
        ]
        for each in profile
    ]  # fmt: skip
    return Table(["part of the program", "ms", "percent", "published percent, before"], rows)


def _known(value: float, form: str) -> str:
    return "-" if isnan(value) else f"{value:{form}}"


def _entry_rows(results: Results) -> Iterator[list[str]]:
    for each in results.entries:
        ours = results.ours(each.where).ms.median
        name = f"{each.name}, {each.where}"
        if each.word:
            yield [name, each.word, "-", "-", "-"]
        else:
            wrong = WRONG if each.wrong else f"{each.error:.1e}"
            ms = each.ms
            yield [
                name, f"{ms.median:.4g}", f"{ms.percent:.1f}", f"{ms.median / ours:.3g}", wrong
            ]  # fmt: skip


def as_json(results: Results) -> str:
    """Return everything that was measured as JSON, with the published figures."""
    document = {
        "schema": SCHEMA,
        **asdict(results),
        "published": {
            "us_of_a_launch": PUBLISHED_US,
            "ms_of_a_song": PUBLISHED_SONG_MS,
            "occupancy": PUBLISHED_OCCUPANCY,
            "greatest": {"reference": PUBLISHED_REFERENCE, "wrong": PUBLISHED_WRONG},
            "percent": PUBLISHED_PERCENT,
        },
    }
    return render.json_of(document)


def results_of(document: Mapping[str, Any]) -> Results:
    """Return what `as_json` has written; older documents lack greatest magnitudes and profile."""
    overlap, greatest = document["overlap"], document.get("greatest")
    return Results(
        document["environment"],
        document["seconds"],
        document["samples"],
        tuple(map(_entry_of, document["entries"])),
        tuple(map(_point_of, document["curve"])),
        document["song"],
        Overlap(**overlap) if overlap else None,
        Greatest(**greatest) if greatest else None,
        tuple(map(_part_of, document.get("profile", ()))),
    )


def read(path: str | os.PathLike[str]) -> Results:
    """Read a file of ``bench stft --json``; `read_document` says how it can fail."""
    return read_document(path, results_of, PROG)


def _entry_of(document: Mapping[str, Any]) -> Entry:
    return Entry(**{**numbers(document), "ms": Spread(**numbers(document["ms"]))})


def _point_of(document: Mapping[str, Any]) -> Point:
    maps = {name: numbers(each) for name, each in document.items() if isinstance(each, dict)}
    return Point(**{**document, **maps})


def _part_of(document: Mapping[str, Any]) -> stft_profile.Part:
    return stft_profile.Part(document["name"], Spread(**numbers(document["ms"])))


def write_plot(path: str | os.PathLike[str], results: Results) -> None:
    """Draw time, and speed-up with occupancy, over the number of frames in a launch.

    Parameters
    ----------
    path : str or path
        Name of the file. Its extension gives the format: png, svg or pdf; png without one.
    results : Results
        The results to draw.
    """
    plots = pyplot()
    figure, (left, right) = plots.subplots(1, 2, figsize=(13, 5.6), layout="constrained")
    _draw_times(left, results.curve)
    _draw_speedups(right, results.curve)
    for axes in (left, right):
        axes.set(xscale="log", yscale="log", xlabel="frames a launch")
        frames = [point.frames for point in results.curve]
        axes.set_xticks(frames, list(map(str, frames)))
        axes.minorticks_off()
        subs = (1, 2, 5) if axes is left else (1, 1.5, 2, 3, 5, 7)
        axes.yaxis.set_major_locator(plots.LogLocator(subs=subs))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.grid(alpha=0.3)
    handles, labels = left.get_legend_handles_labels()
    if len(figure.axes) > 2:  # occupancy is known and has an axis of its own
        more = figure.axes[2].get_legend_handles_labels()
        handles, labels = handles + more[0], labels + more[1]
    # The legend stands below both panels, where it hides no curve.
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize="small")
    about = results.environment
    figure.suptitle(f"{about['device']}, {about['date']}", fontsize="medium", wrap=True)
    save(figure, Path(path), dpi=100)
    plots.close(figure)


PUBLISHED_STYLE = {"color": "0.5", "linestyle": "--", "marker": "s"}


def _draw_times(axes: Any, curve: Sequence[Point]) -> None:
    frames = [point.frames for point in curve]
    for n, kernel in enumerate(KERNELS):
        times = [point.kernel_ms[kernel] for point in curve]
        axes.plot(frames, times, "o-", color=f"C{n}", label=f"{kernel}, kernels alone")
        spans = [point.wall_ms[kernel] for point in curve]
        axes.plot(frames, spans, "o:", color=f"C{n}", label=f"{kernel}, with gaps between launches")
    published = [point.published_ms for point in curve]
    axes.plot(frames, published, label="published, another GPU", **PUBLISHED_STYLE)
    axes.set_ylabel(f"milliseconds for {FRAMES} frames")


def _draw_speedups(axes: Any, curve: Sequence[Point]) -> None:
    """Draw each point's speed divided by that at 1 frame a launch; on the right, occupancy."""
    frames, columns = [point.frames for point in curve], speedups(curve)
    axes.plot(frames, columns.pop("published"), **PUBLISHED_STYLE)
    for n, values in enumerate(columns.values()):
        axes.plot(frames, values, "o-", color=f"C{n}")
    axes.set_ylabel("speed-up over 1 frame a launch, kernels alone")
    known = {kernel: [point.occupancy.get(kernel, nan) for point in curve] for kernel in KERNELS}
    if all(isnan(each) for values in known.values() for each in values):
        return
    other = axes.twinx()
    for n, (kernel, values) in enumerate(known.items()):
        other.plot(frames, values, "x-.", color=f"C{n}", alpha=0.7, label=f"{kernel}, occupancy")
    other.set(ylim=(0, 1.05), ylabel="occupancy")
