"""What all commands that measure share: their options, their loop over cases, and their output."""

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
    """Add the options that all commands that measure have.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        The command's parser, to which the options are added.
    samples : int
        The default of ``--samples``.
    drawing : str
        What ``--plot`` draws, in a few words.
    """
    add = parser.add_argument
    commandline.add_device(parser)
    add(
        "--samples",
        metavar="N",
        type=commandline.count,
        default=samples,
        help=f"how many times each contender is measured in each case (default: {samples})",
    )
    add(
        "--json",
        metavar="FILE",
        help="write all results to a file; the file is written again after each case, so that no "
        "result is lost",
    )
    add("--markdown", metavar="FILE", help="write the tables to a file")
    add("--plot", metavar="FILE", help=f"draw {drawing} (png, svg or pdf); needs matplotlib")


def require(options: argparse.Namespace) -> None:
    """Check before the measurement, which takes minutes, that its results can be written.

    Raises
    ------
    PyclfftError
        If a drawing is asked for and matplotlib is not installed.
    FileNotFoundError
        If the folder of a file to write does not exist.
    """
    if options.plot:
        require_plot(options.plot)
    require_folders(options.json, options.markdown, options.plot)


def require_folders(*names: str | None) -> None:
    """Refuse names of files whose folders do not exist; None stands for no file.

    Raises
    ------
    FileNotFoundError
        If a folder does not exist. It names the first file whose folder is missing.
    """
    for name in names:
        if name and not Path(name).absolute().parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)


def show(results: Results, notes: Sequence[str] = ()) -> None:
    """Print where the measurement is made, what its columns mean, and a line for each row.

    Parameters
    ----------
    results : Results
        The results, with the rows that have been measured so far.
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
    """Measure cases. The rows of each case are printed and written as soon as they are measured.

    Parameters
    ----------
    results : Results
        Everything but the rows.
    cases : sequence of Case
        The cases to measure.
    sides : sequence of Side
        The contenders of each device.
    options : argparse.Namespace
        The command's options.
    notes : sequence of str
        Lines to print above the table.

    Returns
    -------
    Results
        The results with a row for each case and side.
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
    """Print what sums up the rows, and write the files that the options ask for.

    Parameters
    ----------
    results : Results
        The results with all their rows.
    options : argparse.Namespace
        The command's options.
    draw : callable
        Takes the name of a file and the results; draws the results to the file.

    Returns
    -------
    int
        Exit status: 1 if a result of pyclfft is wrong or could not be computed, else 0.
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
