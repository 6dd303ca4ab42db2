"""Pictures of ``bench convolve``: sounds dry and wet, spectra of rooms, time by length."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any

import numpy as np

from ..convolution.functions import convolve
from ..convolution.rooms import sweep_and_noise
from .convolve_cases import DRY, IR, IR_OF_DRY_SWEEP, NOISE, RATE, ROOMS, SHORT
from .convolve_claims import Line, crossing, crossing_text, our_direct, responses, rivalries
from .convolve_contenders import CONTENDERS, HOST, SCIPY_FFT, Entry
from .convolve_sweeps import OUR_DIRECT, Point, Results
from .ladder_plots import path_of
from .plot import pyplot, save

SHOWN_S = 4.0  # seconds of the dry sound in the picture of waveforms
COLUMNS = 1200  # of a waveform; each has a line from the least to the greatest sample
BANDS_AN_OCTAVE = 12  # of the spectra
PEOPLE_HEAR = (20.0, 20_000.0)  # Hz
LIMIT_NOTE = "hollow marks: measured on a shorter signal, and scaled by its length"


DIRECT_LINES = tuple((each.name, each.where) for each in CONTENDERS if each.direct)
SPECTRAL_LINES = tuple((each.name, each.where) for each in CONTENDERS if not each.direct)


def write_plots(path: str, results: Results) -> None:
    """Draw all pictures for which there are results.

    Parameters
    ----------
    path : str
        Name of a file. Before its extension, a dash and the picture's name in `PICTURES` is added.
        The extension gives the format: png, svg or pdf; png without one.
    results : Results
        The results to draw.
    """
    plots = pyplot()
    for name, (sweeps, draw) in PICTURES.items():
        if all(results.of(sweep) for sweep in sweeps):
            figure = draw(results)
            title = f"{results.environment['device']}, {results.environment['date']}"
            figure.suptitle(title, fontsize="small", wrap=True)
            save(figure, path_of(path, name), dpi=100)
            plots.close(figure)


# --- sounds and rooms -----------------------------------------------------------------------------


def _waveforms(results: Results) -> Any:
    """Return a figure of a dry sound, and of the sound in every room, by channel."""
    dry = sweep_and_noise(SHOWN_S, RATE).astype(np.float32)
    sounds = {"dry": dry}
    for name, make in ROOMS.items():
        ir = make(IR_OF_DRY_SWEEP, RATE).astype(np.float32)
        sounds[f"wet: {name}"] = convolve(dry, ir, axes=-1)
    figure, panels = pyplot().subplots(
        len(sounds), 2, figsize=(11, 7), layout="constrained", sharex=True, sharey=True
    )
    for row, (name, sound) in zip(panels, sounds.items(), strict=True):
        for axes, samples, channel in zip(row, sound, ("left: sweep", "right: noise"), strict=True):
            _draw_waveform(axes, samples / np.abs(sound).max())
            axes.set_title(f"{name}, {channel}", fontsize="small")
    for axes in panels[-1]:
        axes.set_xlabel("seconds")
    for axes in panels[:, 0]:
        axes.set_ylabel("pressure / greatest")
    return figure


def _draw_waveform(axes: Any, samples: np.ndarray) -> None:
    width = -(-len(samples) // COLUMNS)
    whole = len(samples) // width * width
    columns = samples[:whole].reshape(-1, width)
    seconds = np.arange(len(columns)) * width / RATE
    axes.fill_between(seconds, columns.min(axis=1), columns.max(axis=1), linewidth=0.5)
    axes.grid(alpha=0.3)


def _spectra(results: Results) -> Any:
    """Return a figure of the levels of both rooms' impulse responses by frequency."""
    figure, axes = pyplot().subplots(figsize=(9, 5), layout="constrained")
    for name, make in ROOMS.items():
        ir = make(IR_OF_DRY_SWEEP, RATE)
        for channel, samples in zip(("left", "right"), ir, strict=True):
            frequencies, levels = band_levels(samples, RATE)
            style = "-" if channel == "left" else ":"
            axes.plot(frequencies, levels, style, label=f"{name}, {channel}")
    axes.set(xscale="log", xlabel="Hz", ylabel="dB, mean power in a twelfth of an octave")
    ticks = [31, 62, 125, 250, 500, 1000, 2000, 4000, 8000, 16000]
    axes.set_xticks(ticks, list(map(str, ticks)))
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right upper", fontsize="small")
    return figure


def band_levels(samples: np.ndarray, rate: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the levels of a sound in bands of a twelfth of an octave.

    Parameters
    ----------
    samples : ndarray of float64, shape (n,)
        The sound.
    rate : int
        Samples a second.

    Returns
    -------
    frequencies : ndarray of float64, shape (bands,)
        The middle of each band that holds a bin of the transform, in Hz.
    levels : ndarray of float64, shape (bands,)
        The mean power of the band's bins in decibels; that of a click of height 1 is 0.
    """
    power = np.abs(np.fft.rfft(samples)) ** 2
    bins = np.fft.rfftfreq(len(samples), 1 / rate)
    low, high = PEOPLE_HEAR
    edges = low * 2 ** (np.arange(BANDS_AN_OCTAVE * np.log2(high / low) + 1) / BANDS_AN_OCTAVE)
    counts, _ = np.histogram(bins, edges)
    sums, _ = np.histogram(bins, edges, weights=power)
    known = counts > 0
    middles = np.sqrt(edges[:-1] * edges[1:])[known]
    return middles, 10 * np.log10(np.maximum(sums[known] / counts[known], 1e-12))


# --- time by length -------------------------------------------------------------------------------


def _by_ir(results: Results) -> Any:
    """Return a figure of time by the IR's length: direct sums above, transforms below, by room."""
    figure, panels = pyplot().subplots(
        2, len(ROOMS), figsize=(12, 8), layout="constrained", sharex=True, sharey="row"
    )
    ours = (OUR_DIRECT, our_direct(results))
    kinds = {
        "direct sums": DIRECT_LINES,
        "transforms, and our direct sums": (ours, *SPECTRAL_LINES),
    }
    for row, (kind, lines) in zip(panels, kinds.items(), strict=True):
        for axes, room in zip(row, ROOMS, strict=True):
            _draw_lines(axes, results.of(IR, room), lines, lambda point: point.case.ir_s)
            axes.set_title(f"{kind}: {room}", fontsize="small")
    for axes in panels[-1]:
        axes.set_xlabel("seconds of the impulse response")
    _finish(figure, panels)
    return figure


def _by_dry(results: Results) -> Any:
    """Return a figure of time by the length of the dry sound."""
    figure, axes = pyplot().subplots(figsize=(11, 6), layout="constrained")
    lines = (*DIRECT_LINES, *SPECTRAL_LINES)
    _draw_lines(axes, results.of(DRY), lines, lambda point: point.case.dry_s)
    axes.set_xlabel("seconds of the dry sound")
    _finish(figure, np.array([axes]))
    return figure


def _crossings(results: Results) -> Any:
    """Return a figure of direct sums and transforms by the IR's length, with their crossings."""
    points, pairs = responses(results, NOISE), rivalries(results)
    figure, axes = pyplot().subplots(figsize=(10, 6.5), layout="constrained")
    lines = tuple(dict.fromkeys(line for pair in pairs for line in pair))
    _draw_lines(axes, points, lines, lambda point: point.case.ir_s)
    for direct, other in pairs:
        seconds = crossing(points, direct, other)
        said = f"{direct[0]} beats {other[0]} {crossing_text(points, seconds)}"
        if 0 < seconds < inf:
            colour = _style(direct)["color"]
            linestyle = ":" if other[0] == SCIPY_FFT else "--"
            axes.axvline(seconds, color=colour, linestyle=linestyle, label=said)
        elif seconds >= 0:
            axes.plot([], [], " ", label=said)
    axes.set(xscale="log", xlabel="seconds of the impulse response (noise)")
    _finish(figure, np.array([axes]), columns=2)
    return figure


def _label(line: Line) -> str:
    """Return a contender's name, with the place of its arrays if that is the device."""
    name, where = line
    return name if where == HOST else f"{name}, {where}"


def _draw_lines(
    axes: Any, points: Sequence[Point], lines: Sequence[Line], length: Callable[[Point], float]
) -> None:
    """Draw the time of each contender that was measured, over a length in seconds."""
    for line in lines:
        found = [(length(point), point.entry(*line)) for point in points]
        known = [(x, entry) for x, entry in found if entry and not entry.word]
        if known:
            xs, ys = [x for x, _ in known], [entry.ms.median for _, entry in known]
            style = _style(line)
            axes.plot(xs, ys, label=_label(line), markersize=5, **style)
            _hollow(axes, known, style)


def _hollow(axes: Any, known: Sequence[tuple[float, Entry]], style: Mapping[str, Any]) -> None:
    """Draw the marks of extrapolated times again, filled with white."""
    scaled = [(x, entry.ms.median) for x, entry in known if entry.extrapolated]
    if scaled:
        look = {"color": style["color"], "marker": style["marker"], "markerfacecolor": "white"}
        axes.plot(*zip(*scaled, strict=True), linestyle="", markersize=5, zorder=3, **look)


def _finish(figure: Any, panels: np.ndarray, columns: int = 4) -> None:
    """Label what the pictures of times share; the legend stands below them, and hides no line."""
    entries: dict[str, Any] = {}
    for axes in panels.flat:
        axes.set_yscale("log")
        axes.set_ylabel("milliseconds")
        axes.tick_params(labelbottom=True, labelleft=True)
        axes.grid(alpha=0.3)
        handles, labels = axes.get_legend_handles_labels()
        entries.update(zip(labels, handles, strict=True))
    figure.legend(
        entries.values(), entries.keys(), loc="outside lower center", ncols=columns,
        fontsize="small", title=LIMIT_NOTE, title_fontsize="small",
    )  # fmt: skip


MARKS = "osD^vPX*<>"


def _style(line: Line) -> dict[str, Any]:
    """Return a contender's colour and marks; lines of arrays on the device are dashed."""
    names = list(dict.fromkeys(each.name for each in CONTENDERS))
    n = names.index(line[0])
    colours = pyplot().get_cmap("tab20").colors
    order = (*range(0, len(colours), 2), *range(1, len(colours), 2))  # the dark colours first
    return {
        "color": colours[order[n % len(order)]],
        "marker": MARKS[n % len(MARKS)],
        "linestyle": "-" if line[1] == HOST else "--",
    }


# Each picture's name in its file's name: the sweeps that it needs, and what draws it.
PICTURES: Mapping[str, tuple[tuple[str, ...], Callable[[Results], Any]]] = {
    "waveforms": ((), _waveforms),
    "spectra": ((), _spectra),
    "ir": ((IR,), _by_ir),
    "dry": ((DRY,), _by_dry),
    "crossing": ((SHORT,), _crossings),
}
