"""What the commands that measure have in common: options, cases one by one, lines and files."""

from __future__ import annotations

import argparse
import errno
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from .. import commandline
from . import render, table
from .cases import Case
from .plot import require_plot
from .render import Results
from .runner import Noise, Side, measure_sides


def add_options(parser: argparse.ArgumentParser, samples: int, drawing: str) -> None:
    """Add the options that all of them have.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        To which they are added.
    samples : int
        The default.
    drawing : str
        What ``--plot`` draws.
    """
    add = parser.add_argument
    commandline.add_device(parser)
    add(
        "--samples",
        metavar="N",
        type=commandline.count,
        default=samples,
        help=f"how often each contender is measured at each case (default: {samples})",
    )
    add("--json", metavar="FILE", help="write everything; after each case, so that nothing is lost")
    add("--markdown", metavar="FILE", help="write the tables")
    add("--plot", metavar="FILE", help=f"draw {drawing} (png, svg or pdf); needs matplotlib")


def require(options: argparse.Namespace) -> None:
    """Say what is missing now, not after minutes.

    Raises
    ------
    PyclfftError
        Something is to be drawn and matplotlib is not installed.
    FileNotFoundError
        The folder of a file to write.
    """
    if options.plot:
        require_plot(options.plot)
    require_folders(options.json, options.markdown, options.plot)


def require_folders(*names: str | None) -> None:
    """Refuse files whose folders are not there.

    Raises
    ------
    FileNotFoundError
        Such a file.
    """
    for name in names:
        if name and not Path(name).absolute().parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)


def show(results: Results, notes: Sequence[str] = ()) -> None:
    """Print where it was measured, what the columns mean, and a line for each row.

    Parameters
    ----------
    results : Results
        With the rows that are known so far.
    notes : sequence of str
        Lines to print above the table.
    """
    columns = results.view.columns(results)
    print(commandline.table(list(results.environment.items())))
    print(f"\n{render.scope_line(results)}")
    print(results.view.legend, *notes, sep="\n")
    print(f"\n{table.header(columns)}", flush=True)
    for row in results.rows:
        print(table.line(columns, row), flush=True)


def measure_cases(
    results: Results,
    cases: Sequence[Case],
    sides: Sequence[Side],
    options: argparse.Namespace,
    notes: Sequence[str] = (),
) -> Results:
    """Measure the cases; print and keep each as soon as it is known.

    Parameters
    ----------
    results : Results
        Without rows.
    cases : sequence of Case
        To measure.
    sides : sequence of Side
        Who competes.
    options : argparse.Namespace
        Of the command.
    notes : sequence of str
        Lines to print above the table.

    Returns
    -------
    Results
        With a row for each case and side.
    """
    show(results, notes)
    columns, noise = results.view.columns(results), Noise()
    for case in cases:
        rows = measure_sides(case.sized(results.elements), sides, noise, results.settings)
        results = replace(results, rows=(*results.rows, *rows))
        print(*(table.line(columns, row) for row in rows), sep="\n", flush=True)
        _write_json(options, results)
    return results


def finish(
    results: Results, options: argparse.Namespace, draw: Callable[[str, Results], None]
) -> int:
    """Print what follows from all rows, and write the files.

    Parameters
    ----------
    results : Results
        All of them.
    options : argparse.Namespace
        Of the command.
    draw : callable
        Draws them to a file.

    Returns
    -------
    int
        The exit status: 1 where a result of ours is wrong.
    """
    print("", *render.summary(results), sep="\n")
    for each in render.extra_tables(results):
        print(f"\n{each.text()}")
    _write_json(options, results)
    if options.markdown:
        render.write(options.markdown, render.as_markdown(results))
    if options.plot:
        draw(options.plot, results)
    return int(results.failed)


def _write_json(options: argparse.Namespace, results: Results) -> None:
    if options.json:
        render.write(options.json, render.as_json(results))
