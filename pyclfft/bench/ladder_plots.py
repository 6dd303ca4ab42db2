"""Pictures of ``bench ladder``: time, bandwidth, speed-up and single kernels, over the length."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from .kernels import KernelTime
from .ladder_view import OUTLOOK, RUNGS, fftws, gb_per_s, ms, speedup, stage_kernel
from .plot import pyplot, save
from .recursion import NAME as RECURSIVE
from .render import Results
from .rivals import Ours
from .runner import Row

PICTURES = ("time", "bandwidth", "speedup", "kernels")
GREYS = ("black", "dimgrey", "grey", "darkgrey", "silver")  # colours of the ladder's baselines
# This legend stands below its panel and the axis. It hides no line and is no wider than the panel.
BELOW = {
    "loc": "upper center", "bbox_to_anchor": (0.5, -0.2), "ncols": 3, "fontsize": "x-small",
    "columnspacing": 1.0, "handlelength": 1.5,
}  # fmt: skip
ACROSS = 4  # most panels side by side


def path_of(path: str, picture: str) -> Path:
    """Return a picture's file: its word comes before the extension, which is png by default."""
    target = Path(path)
    return target.with_name(f"{target.stem}-{picture}{target.suffix or '.png'}")


def write_plots(path: str, results: Results) -> None:
    """Draw run time, bandwidth, speed-up and single kernels over the length, on logarithmic axes.

    Parameters
    ----------
    path : str
        Name of a file. Before its extension, -time, -bandwidth, -speedup or -kernels is added. The
        extension gives the format: png, svg or pdf; png without one.
    results : Results
        The results to draw.
    """
    drawings: Mapping[str, Callable[[Results], Any]] = {
        "time": lambda results: _over_length(results, ms, "milliseconds for one transform"),
        "bandwidth": lambda results: _over_length(
            results, gb_per_s, "GB/s, as if the input were read once and the result written once"
        ),
        "speedup": _speedups,
        "kernels": _kernels,
    }
    plots = pyplot()
    for picture, draw in drawings.items():
        figure = draw(results)
        title = f"{results.environment['device']}, {results.environment['date']}"
        figure.suptitle(title, fontsize="small", wrap=True)
        save(figure, path_of(path, picture), dpi=100)
        plots.close(figure)


def _over_length(results: Results, value: Callable[[Row, str], float], label: str) -> Any:
    """Return a figure with a line for each contender: `value` over the length."""
    figure, ((axes,),) = _panels(1, (10, 5.5))
    for name, style in _styles(results.contenders).items():
        axes.plot(
            _lengths(results), [value(row, name) for row in results.rows], label=name, **style
        )
    _finish(axes, label)
    figure.legend(loc="outside right upper", fontsize="small")  # there it hides no line
    return figure


def _speedups(results: Results) -> Any:
    """Return a figure with the rungs' and the outlook's speed over that of each baseline."""
    baselines = [*fftws(results.contenders), RECURSIVE]
    baselines = [name for name in baselines if name in results.contenders] or [Ours.name]
    figure, panels = _panels(len(baselines), (4.5 * len(baselines) + 2.5, 4.5))
    styles = _styles(results.contenders)
    for axes, over in zip(panels.flat, baselines, strict=False):
        for name in (*RUNGS, *OUTLOOK):
            if name in results.contenders:
                values = [speedup(row, name, over) for row in results.rows]
                axes.plot(_lengths(results), values, label=name, **styles[name])
        axes.axhline(1, color="grey", linewidth=0.8)
        axes.set_title(f"compared with {over}", fontsize="small")
        _finish(axes, "times as fast")
    figure.legend(
        *panels.flat[0].get_legend_handles_labels(), loc="outside right upper", fontsize="small"
    )
    return figure


def _kernels(results: Results) -> Any:
    """Return a figure with a panel for each algorithm's kernels, and a last one for all stages."""
    panels_of: dict[str, dict[str, list[KernelTime]]] = {}
    stages: dict[str, list[KernelTime]] = {}
    for each in results.kernels:
        lines = panels_of.setdefault(each.algorithm, {})
        lines.setdefault(each.kernel, []).append(each)
        if each.kernel == stage_kernel(each.algorithm):
            stages.setdefault(each.algorithm, []).append(each)
    panels_of["the stages of every algorithm"] = stages
    figure, panels = _panels(len(panels_of), (14, 8))
    for axes, (title, lines) in zip(panels.flat, panels_of.items(), strict=False):
        for name, times in lines.items():
            values = [each.ms.median for each in times]
            axes.plot([each.points for each in times], values, "o-", markersize=3.5, label=name)
        axes.set_title(title, fontsize="small")
        _finish(axes, "milliseconds of all launches")
        if lines:
            axes.legend(**BELOW)
    return figure


# --- what the pictures share ----------------------------------------------------------------------


def _panels(number: int, size: tuple[float, float]) -> tuple[Any, Any]:
    """Return a figure with `number` panels that share their scales."""
    columns = min(number, ACROSS)
    figure, panels = pyplot().subplots(
        -(-number // columns), columns,
        figsize=size, layout="constrained", squeeze=False, sharex=True, sharey=True,
    )  # fmt: skip
    for axes in panels.flat[number:]:
        axes.axis("off")
    return figure, panels


def _finish(axes: Any, label: str) -> None:
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("points")
    axes.set_ylabel(label)
    axes.tick_params(labelbottom=True, labelleft=True)
    axes.grid(alpha=0.3)


def _lengths(results: Results) -> list[int]:
    return [row.workload.case.points for row in results.rows]


def _styles(contenders: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return each line's style: rungs solid, the outlook dashed, all others dashed and grey."""
    colours, greys = count(), _greys()
    styles: dict[str, dict[str, Any]] = {}
    for name in contenders:
        if name in RUNGS:
            style = {"color": f"C{next(colours)}", "marker": "o"}
        elif name in OUTLOOK:
            style = {"color": f"C{next(colours)}", "marker": "^", "linestyle": "--"}
        else:
            style = {**next(greys), "linestyle": "--"}
        styles[name] = {"markersize": 3.5, **style}
    return styles


def _greys() -> Iterator[dict[str, Any]]:
    for n in count():
        yield {"color": GREYS[n % len(GREYS)], "marker": "sDvPX"[n % 5]}
