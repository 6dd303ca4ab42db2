"""Tables that are printed row by row: their columns and lines, and numbers as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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


def mean_speed(name: str, other: str, ratios: Sequence[float], rows: str, *notes: str) -> str:
    """Say how many times as fast one contender is as another, in the geometric mean over rows.

    Parameters
    ----------
    name, other : str
        Names of the contenders.
    ratios : sequence of float
        The time of `other` divided by the time of `name`, for each row; NaN if one is missing.
    rows : str
        What the rows are called.
    notes : str
        What the brackets at the end of the sentence say beside the number of rows.

    Returns
    -------
    str
        The sentence, without a full stop.
    """
    known = [ratio for ratio in ratios if isfinite(ratio)]
    counted = f"{len(known)} of {len(ratios)} {rows}"
    if not known:
        return f"{name} cannot be compared with {other}: {counted} have times of both"
    details = "; ".join((f"geometric mean of {counted}", *notes))
    return f"{name} is {geometric_mean(known):.3f} times as fast as {other} ({details})"


def target_note(target: float | None) -> tuple[str, ...]:
    """Return the note that names the target of a mean speed; no note if there is no target."""
    return (f"target: {target:g} times or more",) if target else ()


def factors(ratios: Mapping[str, float]) -> str:
    """Return names, each with the number of times by which something is as fast there."""
    return listed([f"{name} ({ratio:.2f} times as fast)" for name, ratio in ratios.items()])
