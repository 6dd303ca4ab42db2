"""Tables that are printed row by row: their columns and lines, and numbers as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import isfinite, nan
from typing import Any

from .rivals import Ours
from .runner import CopyRate, Outcome, Row
from .statistics import geometric_mean


@dataclass(frozen=True)
class Column:
    """A column: heading, width in characters, the text of a row's cell, and the alignment."""

    heading: str
    width: int
    cell: Callable[[Any], str] = field(repr=False)
    side: str = ">"


def header(table: Sequence[Column]) -> str:
    """Return the line of headings."""
    return _line(table, [column.heading for column in table])


def line(table: Sequence[Column], row: Any) -> str:
    """Return a row as a line. It needs no other row, and so can be printed at once."""
    return _line(table, [column.cell(row) for column in table])


def _line(table: Sequence[Column], cells: Sequence[str]) -> str:
    padded = (
        f"{cell:{column.side}{column.width}}" for column, cell in zip(table, cells, strict=True)
    )
    return "  ".join(padded).rstrip()


def find(row: Row, name: str) -> Outcome:
    """Return a contender's outcome; if it does not take part, an outcome whose word is "-"."""
    return next((each for each in row.outcomes if each.contender == name), Outcome(name, word="-"))


def ratio(row: Row, name: str, ours: str = Ours.name) -> float:
    """Return a rival's time divided by one of ours; NaN if either of them is missing."""
    own = find(row, ours).ms.median
    return find(row, name).ms.median / own if own else nan


def copy_column(copy: CopyRate) -> Column:
    """Return the column of our rate divided by the rate of a plain copy."""

    def cell(row: Row) -> str:
        return number(copy.fraction(row.workload.nbytes, row.ours.ms.median), ".0%")

    return Column("copy", 4, cell)


def time(outcome: Outcome) -> str:
    """Return the median in milliseconds, or the word that says why there is none."""
    return outcome.word or number(outcome.ms.median, ".4g")


def number(value: float, form: str) -> str:
    """Return a number as text; a dash for NaN and infinity."""
    return f"{value:{form}}" if isfinite(value) else "-"


def listed(names: Sequence[str]) -> str:
    """Return names with commas between them, or "none"."""
    return ", ".join(names) or "none"


def mean_of(ratios: Sequence[float], rows: str, target: float | None) -> str:
    """Return a line with the geometric mean of the known ratios, and its target if there is one."""
    known = [ratio for ratio in ratios if isfinite(ratio)]
    wanted = f" (target {target:g})" if target else ""
    mean = number(geometric_mean(known), ".3f")
    return f"geometric mean of {len(known)} of {len(ratios)} {rows}: {mean}{wanted}"
