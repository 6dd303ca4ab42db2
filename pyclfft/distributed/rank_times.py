"""How long each step took on each rank: means over repeats, and every repeat as CSV."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from statistics import fmean

from ..files import atomic_write

TOTAL = "total"


@dataclass(frozen=True)
class RankTimes:
    """The times of a job that was repeated.

    Attributes
    ----------
    steps : sequence of str
        The names of the steps, in their order.
    seconds : sequence of sequence of mapping of str to float
        For each rank and each repeat the seconds of every step that this rank has.
    """

    steps: Sequence[str]
    seconds: Sequence[Sequence[Mapping[str, float]]]

    def mean(self, rank: int, step: str) -> float:
        """Return the mean over the repeats of a rank's step; NaN if the rank lacks the step."""
        known = [repeat[step] for repeat in self.seconds[rank] if step in repeat]
        return fmean(known) if known else nan

    def overall(self, choose: Callable[[Iterable[float]], float], step: str) -> float:
        """Return the least, the mean or the greatest of what `mean` returns for each rank."""
        known = [mean for rank in range(len(self.seconds)) if (mean := self.mean(rank, step)) >= 0]
        return choose(known) if known else nan


def write_times(path: str | os.PathLike[str], times: RankTimes) -> None:
    """Write the seconds of every step as CSV, a row for each repeat and rank.

    Parameters
    ----------
    path : str or path
        The file.
    times : RankTimes
        The times.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    lines = [",".join(("repeat", "rank", *times.steps))]
    for repeat in range(len(times.seconds[0])):
        for rank, repeats in enumerate(times.seconds):
            cells = (repeats[repeat].get(step, nan) for step in times.steps)
            words = (f"{cell:.9f}" if cell >= 0 else "" for cell in cells)
            lines.append(",".join((str(repeat), str(rank), *words)))
    with atomic_write(path) as file:
        file.write(("\n".join(lines) + "\n").encode())
