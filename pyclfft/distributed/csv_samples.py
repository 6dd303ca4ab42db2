"""Samples in CSV files: which column holds them, how often they were taken, and what is wrong.

A fast parser reads the numbers: NumPy's or, for large files, that of pandas if it is installed.
Neither of them names the line of a fault as a person counts lines. So if anything is wrong,
`_refuse` reads the file again, slowly, line by line.
"""

from __future__ import annotations

import csv
import os
import re
import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from ..errors import FormatError, PlanError

COMMENT = "#"
DELIMITERS = (";", "\t", ",")  # the first of them that the first row contains; else white space
NAMED = {"tab": "\t", "space": " "}  # characters that are hard to type
ROWS = 100  # from which the layout is found
LINES = 10_000  # in which the first of these rows have to be
LARGE_BYTES = 1 << 22  # from which on pandas, which takes 0.3 s to import, is the faster parser

# A column of times by its name, "t", "Time", "time_s", "time (ms)", "seconds" ..., and its unit.
_TIME = re.compile(r"(?:t|times?|seconds|sec)(?:[\s_]*[\[(]?\s*(s|sec|ms|us|µs|ns)\s*[\])]?)?")
_UNITS = {"s": 1.0, "sec": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
JITTER = 0.1  # how far a time may be off, as a part of a step, since files hold rounded times


@dataclass(frozen=True)
class Samples:
    """A column of a CSV file.

    Attributes
    ----------
    values : ndarray of float64, shape (n,)
        The samples.
    rate : float
        Samples a second; 1 if nothing tells it, so that frequencies are in cycles a sample.
    column : str
        What people call the column: its name in the header, or its number.
    rate_from : str
        Where `rate` comes from, in a sentence.
    hertz : bool
        Whether anything tells the rate, so that frequencies are in Hz.
    """

    values: np.ndarray
    rate: float
    column: str
    rate_from: str
    hertz: bool


@dataclass(frozen=True)
class Layout:
    """How a CSV file is laid out, as far as its beginning tells.

    Attributes
    ----------
    delimiter : str
        What stands between cells; a space stands for any white space.
    skip : int
        How many lines stand above the first row of numbers.
    header : tuple of str
        The names of the columns; empty if the file has no header.
    rows : tuple of tuple of str
        The cells of the first rows of numbers; there is at least one row.
    """

    delimiter: str
    skip: int
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def name(self, column: int) -> str:
        """Return what people call a column."""
        named = self.header[column] if column < len(self.header) else ""
        return f"column {named!r}" if named else f"column {column + 1}"

    @property
    def numeric(self) -> list[int]:
        """The columns that begin with a number."""
        return [n for n, cell in enumerate(self.rows[0]) if _is_number(cell)]

    @property
    def times(self) -> int | None:
        """The column of times, by its name or, without a header, by its equal steps; or None."""
        if self.header:
            found = (n for n in self.numeric if _TIME.fullmatch(self._heading(n)))
            return next(found, None)
        if len(self.numeric) == 1 or len(self.rows) < 3:  # two numbers are always one step apart
            return None
        first = self.numeric[0]
        cells = [row[first] for row in self.rows if first < len(row) and _is_number(row[first])]
        return first if _grow_in_equal_steps(np.array(cells, float)) else None

    @property
    def second(self) -> float:
        """The unit of the column of times, in seconds."""
        named = (
            self.header and self.times is not None and _TIME.fullmatch(self._heading(self.times))
        )
        return _UNITS[named[1] or "s"] if named else 1.0

    def _heading(self, column: int) -> str:
        return self.header[column].lower() if column < len(self.header) else ""


def read_samples(
    path: str | os.PathLike[str],
    column: str | None = None,
    delimiter: str | None = None,
    rate: float | None = None,
) -> Samples:
    """Read the samples in one column of a CSV file.

    The first row is a header if none of its cells is a number. Lines that are empty or begin with
    ``#`` are left out, and so is what follows a ``#`` within a line.

    Parameters
    ----------
    path : str or path
        The file. Errors call it by ``str(path)``.
    column : str, optional
        The name of the column, or its number, counted from 1. By default it is the first column of
        numbers that does not hold times.
    delimiter : str, optional
        What stands between cells; ``"tab"`` and ``"space"`` are names of characters. By default it
        is the semicolon, the tabulator, the comma or white space: whichever of them comes first in
        this list among those that the first row contains.
    rate : float, optional
        Samples a second. By default a column of times tells it: one that the header calls ``t``,
        ``time`` or ``seconds``, with a unit if that is not the second, as in ``time (ms)``; or, if
        there is no header, the first of several columns if it grows in equal steps.

    Returns
    -------
    Samples
        The samples, of float64.

    Raises
    ------
    FormatError
        A cell is empty or no finite number, times do not grow in equal steps, or the file is no
        CSV file; the message names the line.
    PlanError
        The file has no such column.
    OSError
        The file cannot be read.
    """
    layout = layout_of(path, NAMED.get(delimiter or "", delimiter))
    times = layout.times
    if column is not None:
        wanted = _column(path, layout, column)
    else:
        wanted = next((n for n in layout.numeric if n != times), layout.numeric[0])
    name = layout.name(wanted)
    if rate is not None:
        values = _numbers(path, layout, [wanted])[wanted]
        return Samples(values, rate, name, f"{rate:g} samples a second, as given", True)
    if times is None or times == wanted:
        values = _numbers(path, layout, [wanted])[wanted]
        return Samples(values, 1.0, name, "unknown: frequencies are in cycles a sample", False)
    numbers = _numbers(path, layout, [wanted, times])
    found = _rate(path, layout, times, numbers[times])
    words = f"{found:g} samples a second, from {layout.name(times)}"
    return Samples(numbers[wanted], found, name, words, True)


# --- the beginning of a file ----------------------------------------------------------------------


def layout_of(path: str | os.PathLike[str], delimiter: str | None = None) -> Layout:
    """Find how a CSV file is laid out from its first rows.

    Parameters
    ----------
    path : str or path
        The file.
    delimiter : str, optional
        What stands between cells; by default the first row tells it.

    Returns
    -------
    Layout
        The layout.

    Raises
    ------
    FormatError
        The file has no row of numbers, or holds something else than text.
    """
    with open(path, "rb") as file:
        if b"\0" in file.read(4096):
            raise FormatError(f"{path}: this is no CSV file in UTF-8: save it as one")
    header: tuple[str, ...] = ()
    rows: list[tuple[str, ...]] = []
    skip = 0
    for line, text in islice(_lines(path), LINES):
        if delimiter is None:
            delimiter = next((each for each in DELIMITERS if each in text), " ")
        cells = _cells(text, delimiter)
        if not rows and not header and not any(map(_is_number, cells)):
            header = cells
            continue
        skip = skip if rows else line - 1
        rows.append(cells)
        if len(rows) == ROWS:
            break
    if not rows:
        raise FormatError(
            f"{path}: it holds no row of numbers: write them with points, and name what stands "
            "between cells by --delimiter if it is none of ; , tab and space"
        )
    layout = Layout(delimiter or " ", skip, header, tuple(rows))
    if not layout.numeric:
        raise FormatError(
            f"{path}: line {skip + 1}: no cell of {' '.join(rows[0])!r} is a number: name what "
            "stands between cells by --delimiter"
        )
    return layout


def _lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines that hold cells, without comments, and their numbers from 1."""
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        for number, line in enumerate(file, 1):
            text = line.partition(COMMENT)[0].strip(" \r\n")
            if text:
                yield number, text


def _cells(text: str, delimiter: str) -> tuple[str, ...]:
    """Cut a line into cells, without the white space and the quotes around them."""
    if delimiter == " ":
        return tuple(text.split())
    row = next(csv.reader([text], delimiter=delimiter, skipinitialspace=True))
    return tuple(cell.strip() for cell in row)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell  # Python alone takes 1_000 for a number


def _column(path: str | os.PathLike[str], layout: Layout, wanted: str) -> int:
    """Return the column that a user has named."""
    if wanted in layout.header:
        return layout.header.index(wanted)
    width = max(len(layout.header), len(layout.rows[0]))
    if wanted.isdecimal() and 1 <= int(wanted) <= width:
        return int(wanted) - 1
    names = f", or of {', '.join(layout.header)}" if layout.header else ""
    raise PlanError(f"{path} has no column {wanted!r}: choose from 1 to {width}{names}")


# --- all numbers ----------------------------------------------------------------------------------


def _numbers(
    path: str | os.PathLike[str], layout: Layout, columns: Collection[int]
) -> dict[int, np.ndarray]:
    """Read columns of numbers.

    Raises
    ------
    FormatError
        A cell is missing or no finite number.
    """
    order = sorted(columns)
    large = Path(path).stat().st_size >= LARGE_BYTES
    read = _by_pandas if large and _pandas() is not None else _by_numpy
    try:
        found = read(path, layout, order)
    except ValueError as error:  # pandas' errors of parsing are of this class, too
        _refuse(path, layout, order, str(error))
    if not np.isfinite(found).all():
        _refuse(path, layout, order, "it holds a number that is not finite")
    return {column: np.ascontiguousarray(found[:, n]) for n, column in enumerate(order)}


def _pandas() -> Any:
    try:
        return import_module("pandas")
    except ImportError:
        return None


def _by_pandas(path: str | os.PathLike[str], layout: Layout, columns: Sequence[int]) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer versions always round as `round_trip` does
        table = _pandas().read_csv(
            path, sep=r"\s+" if layout.delimiter == " " else layout.delimiter, header=None,
            index_col=False, skiprows=layout.skip, comment=COMMENT, usecols=columns,
            dtype=np.float64, skipinitialspace=True, float_precision="round_trip",
            encoding="utf-8-sig", encoding_errors="replace",
        )  # fmt: skip
    return np.asarray(table, dtype=np.float64)


def _by_numpy(path: str | os.PathLike[str], layout: Layout, columns: Sequence[int]) -> np.ndarray:
    return np.loadtxt(
        path, delimiter=None if layout.delimiter == " " else layout.delimiter, comments=COMMENT,
        skiprows=layout.skip, usecols=columns, quotechar='"', encoding="utf-8-sig", ndmin=2,
    )  # fmt: skip


def _refuse(
    path: str | os.PathLike[str], layout: Layout, columns: Sequence[int], otherwise: str
) -> NoReturn:
    """Raise an error that names the first line with a fault; if none is found, say `otherwise`."""
    for line, text in _lines(path):
        if line <= layout.skip:
            continue
        cells = _cells(text, layout.delimiter)
        for column in columns:
            fault = _fault(cells[column] if column < len(cells) else "")
            if fault:
                raise FormatError(f"{path}: line {line}: {layout.name(column)} {fault}")
    raise FormatError(f"{path}: {' '.join(otherwise.split())}")


def _fault(cell: str) -> str:
    """Return what is wrong with a cell; nothing if it is a finite number."""
    if not cell:
        return "is empty: fill the gap, or leave the rows around it out"
    if not _is_number(cell):
        return f"holds {cell!r}, which is no number"
    return "" if isfinite(float(cell)) else f"holds {cell}, which is no finite number"


# --- times ----------------------------------------------------------------------------------------


def _rate(path: str | os.PathLike[str], layout: Layout, column: int, times: np.ndarray) -> float:
    """Return how many samples a second were taken at these times."""
    if len(times) == 1:
        return 1.0
    if _grow_in_equal_steps(times):
        rate = (len(times) - 1) / ((times[-1] - times[0]) * layout.second)
        return float(f"{rate:.12g}")  # no file tells more digits of it
    steps = np.diff(times)
    row = int(np.argmax(np.abs(steps - np.median(steps)))) + 1
    line, _ = next(islice((each for each in _lines(path) if each[0] > layout.skip), row, None))
    raise FormatError(
        f"{path}: line {line}: the times in {layout.name(column)} do not grow in equal steps, from "
        f"{times[row - 1]:g} to {times[row]:g}: take samples at equal steps, or give --sample-rate"
    )


def _grow_in_equal_steps(times: np.ndarray) -> bool:
    step = (times[-1] - times[0]) / max(1, len(times) - 1)
    if not 0 < step < np.inf:
        return False
    return bool(np.abs(times - (times[0] + step * np.arange(len(times)))).max() <= JITTER * step)
