"""Two measurements compared: which cases have become slower by more than chance explains."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from .. import commandline
from . import stored
from .render import Results
from .statistics import Spread

NOISE = 0.03  # the times of two runs of one version differ by a smaller part than this


@dataclass(frozen=True)
class Change:
    """Our times of one case in two measurements.

    Attributes
    ----------
    case : str
        The case's name.
    before, after : Spread
        Our times in milliseconds, in the first and in the second measurement.
    """

    case: str
    before: Spread
    after: Spread

    @property
    def ratio(self) -> float:
        """Time in the second measurement divided by that in the first."""
        return self.after.median / self.before.median

    @property
    def word(self) -> str:
        """Return "slower" or "faster", or "" if the difference may be chance."""
        if self.ratio > 1 + NOISE and self.after.low > self.before.high:
            return "slower"
        if self.ratio < 1 - NOISE and self.after.high < self.before.low:
            return "faster"
        return ""


@dataclass(frozen=True)
class Comparison:
    """The differences between two measurements.

    Attributes
    ----------
    changes : tuple of Change
        Our times of the cases that both measurements have.
    notes : tuple of str
        What makes the measurements hard to compare: different devices, different numbers of
        elements, and cases that only the first one has.
    """

    changes: tuple[Change, ...]
    notes: tuple[str, ...]

    @property
    def slower(self) -> bool:
        """Whether a case has become slower, or is missing from the second measurement."""
        return any(change.word == "slower" for change in self.changes) or any(
            note.startswith("lost") for note in self.notes
        )

    def __str__(self) -> str:
        rows = [
            (each.case, f"{each.before.median:.4g}", f"{each.after.median:.4g}",
             f"{each.ratio:.3f}", each.word)
            for each in self.changes
        ]  # fmt: skip
        heading = ("case", "before ms", "after ms", "ratio", "")
        return "\n".join([commandline.table(rows, heading, "<>>>"), *self.notes])


def compare(before: str, after: str) -> Comparison:
    """Compare our times in two files that ``pyclfft bench --json`` has written.

    Parameters
    ----------
    before, after : str
        Names of the two files.

    Returns
    -------
    Comparison
        The changes of the cases that both files have.

    Raises
    ------
    FormatError
        If ``pyclfft bench --json`` has not written one of the files.
    """
    old, new = stored.read(before), stored.read(after)
    times = _times(old), _times(new)
    common = [case for case in times[0] if case in times[1]]
    lost = [case for case in times[0] if case not in times[1]]
    notes = [
        f"not the same {what}: {ours} and {theirs}"
        for what, ours, theirs in (
            ("device", old.environment["device"], new.environment["device"]),
            ("number of elements", old.elements, new.elements),
        )
        if ours != theirs
    ]
    if lost:
        notes.append(f"lost since: {', '.join(lost)}")
    changes = (Change(case, times[0][case], times[1][case]) for case in common)
    return Comparison(tuple(changes), tuple(notes))


def _times(results: Results) -> dict[str, Spread]:
    """Return our times by the names of the cases; a case without a time is left out."""
    times = {row.name: row.ours.ms for row in results.rows}
    return {case: ms for case, ms in times.items() if isfinite(ms.median)}
