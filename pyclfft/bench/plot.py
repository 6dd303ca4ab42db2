"""The benchmark as a picture: every case's part of the copy's rate, a bar for each contender."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ..errors import PyclfftError
from ..files import atomic_write
from .render import Results

BAR = 0.8  # of the room that a case has
INCHES = 0.32  # of width for each case


def pyplot() -> Any:
    """Import matplotlib, which nothing else needs.

    Raises
    ------
    PyclfftError
        It is not installed.
    """
    try:
        matplotlib = import_module("matplotlib")
    except ImportError:
        raise PyclfftError("a plot needs matplotlib: pip install 'pyclfft[bench]'") from None
    matplotlib.use("Agg")  # a file is all that is wanted, also where there is no screen
    return import_module("matplotlib.pyplot")


def write_plot(path: str | os.PathLike[str], results: Results) -> None:
    """Write the bars to a file.

    Parameters
    ----------
    path : str or path
        Its extension names the format: png, svg, pdf; png without one.
    results : Results
        What was measured.
    """
    plots = pyplot()
    rows, count = results.rows, len(results.contenders)
    figure, axes = plots.subplots(figsize=(3 + INCHES * len(rows), 5), layout="constrained")
    for n, name in enumerate(results.contenders):
        left = [place + BAR * (n / count - 0.5) for place in range(len(rows))]
        axes.bar(left, fractions(results, n), BAR / count, align="edge", label=name)
    axes.set_xticks(range(len(rows)), [row.name for row in rows], rotation=90)
    axes.axhline(1, color="grey", linewidth=0.8)
    axes.set_ylabel("rate, as a part of a plain copy's")
    title = f"{results.environment['device']}, {results.environment['date']}"
    figure.suptitle(title, fontsize="medium", wrap=True)
    axes.legend()
    with atomic_write(path) as file:
        figure.savefig(file, format=Path(path).suffix[1:] or "png", dpi=120)
    plots.close(figure)


def fractions(results: Results, contender: int) -> Sequence[float]:
    """Return each case's part of the copy's rate; not a number where it was not measured."""
    return [
        results.copy.fraction(row.workload.nbytes, row.outcomes[contender].ms.median)
        for row in results.rows
    ]
