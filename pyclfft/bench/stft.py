"""``python -m pyclfft bench stft``: spectrograms beside other libraries, and frames by the launch.

Three measurements. One song of three minutes, from NumPy to NumPy and from device array to device
array, by everybody who is installed, in turns (`stft_contenders`). The curve of a report on digital
music analysis: 1164 frames by its own kernel and by ours, 1 to 1024 of them a launch
(`stft_launches`). And, on devices with memory of their own, how far uploads, kernels and downloads
of a stream overlap (`stft_overlap`).
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np

from .. import commandline
from ..runtime import device as devices
from . import render, session
from .environment import environment
from .plot import pyplot, save
from .render import Part, Table
from .runner import WRONG, Settings
from .stft_contenders import OURS, Entry, measure_contenders
from .stft_launches import (
    FRAMES,
    HOP,
    KERNELS,
    N_FFT,
    PUBLISHED_SONG_MS,
    PUBLISHED_US,
    RATE,
    Point,
    measure_curve,
    measure_song,
)
from .stft_overlap import Overlap, measure_overlap

PROG = "pyclfft bench stft"
SCHEMA = 1
SETTINGS = Settings(samples=21, budget_s=3.0)


@dataclass(frozen=True)
class Results:
    """All of it.

    Attributes
    ----------
    environment : dict of str to str
        Devices, versions and the commit.
    seconds : float
        Of the signal.
    samples : int
        Of each contender.
    entries : tuple of Entry
        In the order of measurement.
    curve : tuple of Point
        By frames a launch.
    song : dict of str to float
        Milliseconds of the 1164 frames on the host, by baseline.
    overlap : Overlap or None
        Where the device has memory of its own.
    """

    environment: dict[str, str]
    seconds: float
    samples: int
    entries: tuple[Entry, ...] = ()
    curve: tuple[Point, ...] = ()
    song: dict[str, float] = field(default_factory=dict)
    overlap: Overlap | None = None

    def ours(self, where: str) -> Entry:
        """Return how we did between such arrays."""
        return next(each for each in self.entries if (each.name, each.where) == (OURS, where))


# --- the command ----------------------------------------------------------------------------------


def main(argv: Sequence[str]) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str
        Arguments, behind ``bench stft``.

    Returns
    -------
    int
        Exit status: 0; 1 where a result of ours is wrong; 2 after an error.
    """
    return commandline.run(lambda: _main(argv), PROG)


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    result = commandline.Parser(
        prog=PROG,
        description="Measure short-time Fourier transforms beside SciPy, librosa and PyTorch, as "
        "far as they are installed, and the kernel of a report on music analysis by the frames "
        "of a launch. Let nothing else run meanwhile.",
    )
    session.add_options(result, SETTINGS.samples, "the time over the frames of a launch")
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
    device = devices.select_device(options.device)
    queue = devices.queue_of(devices.context_of(device))
    y = np.random.default_rng(1).uniform(-1, 1, options.seconds * RATE).astype(np.float32)
    settings = replace(SETTINGS, samples=options.samples)
    results = Results(environment((device,), ()), options.seconds, options.samples)
    print(commandline.table(list(results.environment.items())))
    results = replace(results, entries=measure_contenders(y, queue, settings))
    results = replace(results, curve=measure_curve(queue, options.samples))
    results = replace(results, song=measure_song(settings))
    if not devices.traits(device).is_cpu:
        results = replace(results, overlap=measure_overlap(queue))
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
    """Return all tables as lines of text."""
    return render.text_of(_parts(results))


def as_markdown(results: Results) -> str:
    """Return all tables as a page."""
    return render.page_of("Short-time Fourier transforms", results.environment, _parts(results))


def _parts(results: Results) -> Iterator[Part]:
    """Yield paragraphs and tables."""
    yield (
        f"{results.seconds} s of sound at {RATE} samples a second, frames of {N_FFT}, {HOP} apart, "
        f"Hann window: medians of {results.samples} samples, in turns; "
        f"{OURS} = 1 in the same column of arrays"
    )
    yield Table(["ms", "median", "+-%", f"/{OURS}", "error"], list(_entry_rows(results)))
    yield from (
        f"{each.name} ({each.where}): {each.reason}" for each in results.entries if each.reason
    )
    yield (
        f"{FRAMES} frames of {N_FFT} points, {HOP} apart, to {N_FFT // 2} magnitudes each: ms of "
        f"all launches by their events, by frames a launch; published for another GPU"
    )
    yield Table(
        ["frames", *KERNELS, "published", *(f"{each}, with gaps" for each in KERNELS)],
        [
            [
                str(point.frames),
                *(f"{point.kernel_ms[each]:.4g}" for each in KERNELS),
                f"{point.published_ms:.4g}",
                *(f"{point.wall_ms[each]:.4g}" for each in KERNELS),
            ]
            for point in results.curve
        ],
    )
    yield Table(
        ["ms of a song", "here", "published"],
        [
            *([name, f"{ms:.4g}", "-"] for name, ms in results.song.items()),
            *([name, "-", f"{ms:.4g}"] for name, ms in PUBLISHED_SONG_MS.items()),
        ],
    )
    if results.overlap:
        parts = ", ".join(f"{name} {ms:.3g}" for name, ms in results.overlap.busy_ms.items())
        yield (
            f"a stream of {results.overlap.seconds:g} s, in ms: {parts}; "
            f"{results.overlap.any_ms:.3g} in which the device did any of these, of "
            f"{results.overlap.span_ms:.3g} in all: {results.overlap.hidden:.0%} overlapped"
        )


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
    """Return all that was measured as JSON, with the published figures."""
    document = {
        "schema": SCHEMA,
        **asdict(results),
        "published": {"us_of_a_launch": PUBLISHED_US, "ms_of_a_song": PUBLISHED_SONG_MS},
    }
    return render.json_of(document)


def write_plot(path: str | os.PathLike[str], results: Results) -> None:
    """Draw the curve: time over the frames of a launch.

    Parameters
    ----------
    path : str or path
        Its extension names the format: png, svg, pdf; png without one.
    results : Results
        What was measured.
    """
    plots = pyplot()
    figure, axes = plots.subplots(figsize=(8, 5), layout="constrained")
    frames = [point.frames for point in results.curve]
    for n, kernel in enumerate(KERNELS):
        times = [point.kernel_ms[kernel] for point in results.curve]
        axes.plot(frames, times, "o-", color=f"C{n}", label=f"{kernel}, kernels alone")
        spans = [point.wall_ms[kernel] for point in results.curve]
        axes.plot(frames, spans, "o:", color=f"C{n}", label=f"{kernel}, with gaps between launches")
    published = [point.published_ms for point in results.curve]
    axes.plot(frames, published, "s--", color="0.5", label="published, another GPU")
    axes.set(xscale="log", yscale="log", xlabel="frames a launch")
    axes.set_ylabel(f"milliseconds for {FRAMES} frames")
    axes.set_xticks(frames, list(map(str, frames)))
    axes.minorticks_off()
    axes.yaxis.set_major_locator(plots.LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    about = results.environment
    axes.set_title(f"{about['device']}, {about['date']}", fontsize="medium", wrap=True)
    save(figure, Path(path), dpi=100)
    plots.close(figure)
