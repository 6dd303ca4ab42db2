"""A table that is printed row by row: columns, lines, and how numbers stand in them."""

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
    """A column: its heading, width, side, and the cell of a row, of whatever is in the table."""

    heading: str
    width: int
    cell: Callable[[Any], str] = field(repr=False)
    side: str = ">"


def header(table: Sequence[Column]) -> str:
    """Return the line above the table."""
    return _line(table, [column.heading for column in table])


def line(table: Sequence[Column], row: Any) -> str:
    """Return a row as a line, which can be printed before the next is known."""
    return _line(table, [column.cell(row) for column in table])


def _line(table: Sequence[Column], cells: Sequence[str]) -> str:
    padded = (
        f"{cell:{column.side}{column.width}}" for column, cell in zip(table, cells, strict=True)
    )
    return "  ".join(padded).rstrip()


def find(row: Row, name: str) -> Outcome:
    """Return how a contender did, which may not take part."""
    return next((each for each in row.outcomes if each.contender == name), Outcome(name, word="-"))


def ratio(row: Row, name: str, ours: str = Ours.name) -> float:
    """Return a rival's time over one of ours; not a number without both."""
    own = find(row, ours).ms.median
    return find(row, name).ms.median / own if own else nan


def copy_column(copy: CopyRate) -> Column:
    """Return the column of our part of the copy's rate."""

    def cell(row: Row) -> str:
        return number(copy.fraction(row.workload.nbytes, row.ours.ms.median), ".0%")

    return Column("copy", 4, cell)


def time(outcome: Outcome) -> str:
    """Return the median in ms, or the word on what has kept it from being measured."""
    return outcome.word or number(outcome.ms.median, ".4g")


def number(value: float, form: str) -> str:
    """Return a number as text, and a dash where it is none."""
    return f"{value:{form}}" if isfinite(value) else "-"


def listed(names: Sequence[str]) -> str:
    """Return names with commas between them."""
    return ", ".join(names) or "none"


def mean_of(ratios: Sequence[float], rows: str, target: float | None) -> str:
    """Say the geometric mean of those ratios that are known, beside its target."""
    known = [ratio for ratio in ratios if isfinite(ratio)]
    wanted = f" (target {target:g})" if target else ""
    mean = number(geometric_mean(known), ".3f")
    return f"geometric mean of {len(known)} of {len(ratios)} {rows}: {mean}{wanted}"
