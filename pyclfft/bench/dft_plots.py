"""Pictures of ``bench dft``: time by length, parts by ranks, parts by work-items a group."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from math import isnan
from typing import Any

from ..distributed.rank_times import TOTAL
from ..distributed.ranked_dft import STEPS
from .dft_sweeps import GROUPS, LENGTHS, OVER_RANKS, RANKS, WAIT, Entry, Results
from .dft_view import PUBLISHED_POINTS, PUBLISHED_S
from .ladder_plots import path_of
from .plot import pyplot, save

MARKS = {"sequential": "k*", "MPI": "kX", "GPU": "kP"}


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
    for name, draw in PICTURES.items():
        if results.of(name):
            figure = draw(results)
            title = f"{results.environment['device']}, {results.environment['date']}"
            figure.suptitle(title, fontsize="small", wrap=True)
            save(figure, path_of(path, name), dpi=100)
            plots.close(figure)


def _lengths(results: Results) -> Any:
    """Return a figure of the total time by the number of samples, with the report's figures."""
    figure, axes = pyplot().subplots(figsize=(9, 5.5), layout="constrained")
    colours = count()
    entries = [each for each in results.of(LENGTHS) if not each.reason]
    for name in dict.fromkeys(each.job.name for each in entries):
        own = [each for each in entries if each.job.name == name]
        style = {"color": f"C{next(colours)}", "linestyle": "--" if own[0].job.ranks else "-"}
        axes.plot(
            [each.job.points for each in own], [each.ms.median / 1e3 for each in own], label=name,
            **style,
        )  # fmt: skip
        for each in own:
            axes.plot(
                each.job.points, each.ms.median / 1e3, "o", markersize=4, color=style["color"],
                markerfacecolor="white" if each.scaled else style["color"],
            )  # fmt: skip
    for name, seconds in PUBLISHED_S.items():
        axes.plot(PUBLISHED_POINTS, seconds, MARKS[name], markersize=9, label=f"report: {name}")
    axes.set(
        xscale="log", yscale="log", xlabel="samples (hollow marks: scaled from fewer samples)",
        ylabel="seconds",
    )  # fmt: skip
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right upper", fontsize="small")
    return figure


def _ranks(results: Results) -> Any:
    """Return a figure with a panel for each variant: the parts by ranks, and the total."""
    figure, panels = pyplot().subplots(
        1, len(OVER_RANKS), figsize=(11, 5), layout="constrained", squeeze=False
    )
    for axes, variant in zip(panels.flat, OVER_RANKS, strict=True):
        found = [each for each in results.of(RANKS, variant=variant) if not each.reason]
        _stack(axes, found, [str(each.job.ranks) for each in found])
        axes.set_ylim(0, 1.08 * _highest(found))
        axes.set(title=variant, xlabel=f"ranks, on {results.threads} hardware threads")
    panels.flat[0].set_ylabel("milliseconds, the mean of all ranks")
    handles = panels.flat[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside right upper", fontsize="small")
    return figure


def _groups(results: Results) -> Any:
    """Return a figure with a panel for each kernel: the parts by work-items, and occupancy."""
    variants = list(dict.fromkeys(each.job.variant for each in results.of(GROUPS)))
    figure, panels = pyplot().subplots(
        1, len(variants), figsize=(11, 5), layout="constrained", squeeze=False, sharey=True
    )
    for axes, variant in zip(panels.flat, variants, strict=True):
        found = [each for each in results.of(GROUPS, variant=variant) if not each.reason]
        _stack(axes, found, [str(each.job.group) for each in found])
        axes.set(title=variant, xlabel="work-items a group")
        if any(not isnan(each.occupancy) for each in found):
            other = axes.twinx()
            other.plot([100 * each.occupancy for each in found], "s--", color="C9")
            other.set(ylabel="occupancy in %", ylim=(0, 105))
    panels.flat[0].set_ylabel("milliseconds")
    panels.flat[0].set_ylim(0, 1.08 * _highest(results.of(GROUPS)))
    handles = panels.flat[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside right upper", fontsize="small")
    return figure


def _highest(entries: Sequence[Entry]) -> float:
    return max((each.parts.get(TOTAL, 0.0) for each in entries), default=1.0)


def _stack(axes: Any, found: Sequence[Entry], labels: Sequence[str]) -> None:
    """Draw the parts of each entry on top of each other, and its total as a mark."""
    places = list(range(len(found)))
    below = [0.0] * len(found)
    for colour, step in enumerate((*STEPS, WAIT)):
        heights = [each.parts.get(step, 0.0) for each in found]
        axes.bar(places, heights, bottom=below, color=f"C{colour}", label=step)
        below = [low + height for low, height in zip(below, heights, strict=True)]
    totals = [each.parts[TOTAL] for each in found]
    axes.plot(places, totals, "kD", markersize=5, label=TOTAL)
    axes.set_xticks(places, labels)
    axes.grid(axis="y", alpha=0.3)


# Each picture has the name of a sweep.
PICTURES: Mapping[str, Callable[[Results], Any]] = {
    LENGTHS: _lengths,
    RANKS: _ranks,
    GROUPS: _groups,
}
