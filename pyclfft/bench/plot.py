"""The benchmark as a picture: each case's rate divided by a copy's, a bar for each contender."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ..advice import pip_install
from ..errors import PyclfftError
from ..files import atomic_write
from .render import Results

BAR = 0.8  # width of a case's bars, as a part of the width that the case has
INCHES = 0.32  # width of each case
ACROSS = 32  # most cases side by side
FORMATS = ("png", "svg", "pdf")


def pyplot() -> Any:
    """Import matplotlib, which only plots need.

    Raises
    ------
    PyclfftError
        If matplotlib is not installed.
    """
    try:
        matplotlib = import_module("matplotlib")
    except ImportError:
        raise PyclfftError(f"a plot needs matplotlib: {pip_install('pictures')}") from None
    matplotlib.use("Agg")  # draws to files, and so works without a screen
    return import_module("matplotlib.pyplot")


def require_plot(path: str | os.PathLike[str]) -> None:
    """Refuse a plot that cannot be drawn, before anything is measured.

    Raises
    ------
    PyclfftError
        If the format is unknown, or matplotlib is not installed.
    """
    if _format(path) not in FORMATS:
        raise PyclfftError(f"{os.fspath(path)}: a plot's name ends in {', '.join(FORMATS)}")
    pyplot()


def _format(path: str | os.PathLike[str]) -> str:
    return Path(path).suffix[1:].lower() or FORMATS[0]


def write_plot(path: str | os.PathLike[str], results: Results) -> None:
    """Draw the bars to a file.

    Parameters
    ----------
    path : str or path
        Name of the file. Its extension gives the format: png, svg or pdf; png without one.
    results : Results
        The results to draw.
    """
    plots = pyplot()
    everything = range(len(results.rows))
    widest = -(-len(everything) // -(-len(everything) // ACROSS))  # all rows are about as long
    parts = [everything[at : at + widest] for at in everything[::widest]]
    figure, grid = plots.subplots(
        len(parts),
        figsize=(3 + INCHES * widest, 4 * len(parts)),
        layout="constrained",
        squeeze=False,
    )
    for (axes,), part in zip(grid, parts, strict=True):
        _draw_bars(axes, results, part)
        axes.set_xlim(-1, widest)
    grid[0][0].legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=len(results.contenders))
    title = f"{results.environment['device']}, {results.environment['date']}"
    figure.suptitle(title, fontsize="medium", wrap=True)
    save(figure, path)
    plots.close(figure)


def save(figure: Any, path: str | os.PathLike[str], dpi: int = 120) -> None:
    """Write a figure to a whole file or not at all, in the format of its extension, or in png."""
    with atomic_write(path) as file:
        figure.savefig(file, format=_format(path), dpi=dpi)


def _draw_bars(axes: Any, results: Results, part: range) -> None:
    """Draw the bars of some cases, one bar for each contender."""
    count = len(results.contenders)
    for n, name in enumerate(results.contenders):
        left = [place + BAR * (n / count - 0.5) for place in range(len(part))]
        heights = fractions(results, n)[part.start : part.stop]
        axes.bar(left, heights, BAR / count, align="edge", label=name)
    axes.set_xticks(range(len(part)), [results.rows[place].name for place in part], rotation=90)
    axes.axhline(1, color="grey", linewidth=0.8)
    axes.set_ylabel("rate, as a part of a plain copy's")


def fractions(results: Results, contender: int) -> Sequence[float]:
    """Return each case's rate divided by the copy's; NaN if the case was not measured."""
    return [
        results.copy.fraction(row.workload.nbytes, row.outcomes[contender].ms.median)
        for row in results.rows
    ]
