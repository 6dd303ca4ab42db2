"""Two measurements side by side: what has become slower, beyond what they scatter."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from .. import commandline
from . import stored
from .render import Results
from .statistics import Spread

NOISE = 0.03  # two runs of the same code differ by less than this


@dataclass(frozen=True)
class Change:
    """Our time of one case in two measurements.

    Attributes
    ----------
    case : str
        Its name.
    before, after : Spread
        Its time in ms.
    """

    case: str
    before: Spread
    after: Spread

    @property
    def ratio(self) -> float:
        """Time after over time before."""
        return self.after.median / self.before.median

    @property
    def word(self) -> str:
        """Tell "slower" and "faster", but where it may be noise: there, nothing."""
        if self.ratio > 1 + NOISE and self.after.low > self.before.high:
            return "slower"
        if self.ratio < 1 - NOISE and self.after.high < self.before.low:
            return "faster"
        return ""


@dataclass(frozen=True)
class Comparison:
    """What two measurements have in common, and what they have not.

    Attributes
    ----------
    changes : tuple of Change
        Cases that are in both.
    notes : tuple of str
        What makes them hard to compare.
    """

    changes: tuple[Change, ...]
    notes: tuple[str, ...]

    @property
    def slower(self) -> bool:
        """Whether a case is, or has not been measured any more."""
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
    """Compare our times in two files that the benchmark has written.

    Parameters
    ----------
    before, after : str
        Their names.

    Returns
    -------
    Comparison

    Raises
    ------
    FormatError
        A file is not one of the benchmark's.
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
    """Return our times of the cases that were measured."""
    times = {row.name: row.ours.ms for row in results.rows}
    return {case: ms for case, ms in times.items() if isfinite(ms.median)}
