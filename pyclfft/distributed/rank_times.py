"""How long each step took on each rank: means over repeats, and every repeat as CSV."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from math import inf, nan
from statistics import fmean
from typing import TypeVar

from ..files import atomic_write
from .ranks import Ranks

TOTAL = "total"

Step = Callable[[str], AbstractContextManager[None]]  # times the step that it names
Result = TypeVar("Result")


class Stopwatch:
    """Adds up the seconds of named steps.

    Attributes
    ----------
    seconds : dict of str to float
        The seconds of each step so far.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Return a context whose time counts as part of a step."""
        begin = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begin


def repeated(
    ranks: Ranks, function: Callable[[Step], Result], repeats: int, budget_s: float = inf
) -> tuple[Result, list[dict[str, float]]]:
    """Call a function several times, on all ranks together, and time its steps.

    Parameters
    ----------
    ranks : Ranks
        The ranks, all of which have to call this.
    function : callable
        Takes the function that times a step.
    repeats : int
        How often it is called, once at least.
    budget_s : float
        Seconds on the root after which it is not called again.

    Returns
    -------
    result : object
        What the last call has returned.
    seconds : list of dict of str to float
        For each call the seconds of its steps on this rank; `TOTAL` is that of the whole call.
    """
    found: list[dict[str, float]] = []
    begin = time.perf_counter()
    while True:
        ranks.wait()  # so that all begin together
        watch = Stopwatch()
        with watch.step(TOTAL):
            result = function(watch.step)
        found.append(watch.seconds)
        enough = len(found) >= repeats or time.perf_counter() - begin > budget_s
        if ranks.from_root(enough):
            return result, found


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
