"""The tuner's decisions: what to measure next, and which candidate wins. It knows no device.

From the known parameters on, a search changes one parameter at a time, in the order of
`space.KNOBS`, to its fastest value, and begins again as long as that helps. A thorough search tries
all structures first.

Times are kept as ratios to the start's time: a candidate takes turns with the best one so far,
whose ratio is known. So what an interrupted search has measured still holds when it goes on,
however fast the machine is then.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from statistics import median

from ..errors import DeviceError
from ..planning.parameters import Value
from .space import KNOBS, Candidate, Task, neighbours, structures, without_idle

EFFORTS = ("measure", "exhaustive")
GAIN = 0.97  # ratio below which a gain counts: runs differ by a percent or two
LOSS = 1.01  # ratio below which nothing is lost
FIELD = 8  # how many candidates take turns
CONFIRMATIONS = 3  # how often the best has to win against the start at the end
ROUNDS = {"measure": 2, "exhaustive": 4}  # most rounds through all parameters, by effort


@dataclass(frozen=True)
class Timing:
    """How long a candidate takes.

    Attributes
    ----------
    ms : float
        Milliseconds of one transform; infinity if it failed or its result was wrong.
    reason : str
        Why it failed, or what was wrong; else empty.
    """

    ms: float
    reason: str = ""


Measure = Callable[[Sequence[Candidate]], Sequence[Timing]]


@dataclass(frozen=True)
class Found:
    """What a search has found.

    Attributes
    ----------
    values : mapping of str to value
        Values of the parameters that differ from the start's; empty if the start is the fastest.
    ms, default_ms : float
        Milliseconds of one transform with these values, and with the start's, measured in turns.
    measured : int
        Number of candidates that have been measured in all.
    complete : bool
        True if nothing was left to try; False if the time ran out.
    failed : mapping of str to str
        Why candidates failed, by the text of their parameters.
    """

    values: Mapping[str, Value]
    ms: float
    default_ms: float
    measured: int
    complete: bool = True
    failed: Mapping[str, str] = field(default_factory=dict)


class TimeIsUpError(Exception):
    """The deadline is reached; what has been measured is kept."""


class Search:
    """A search for the fastest parameters of one task.

    Parameters
    ----------
    task : Task
        The problem on its device.
    measure : callable
        Takes candidates, measures them in turns, and returns their timings.
    effort : {"measure", "exhaustive"}
        How thorough the search is.
    ratios : dict of str to float, optional
        What an earlier search has measured: times divided by the start's, by the candidates' keys.
    keep : callable, optional
        Called without arguments whenever `ratios` has grown.
    deadline : float, optional
        The time of `clock` at which to stop.
    clock : callable
        Returns the time in seconds.
    hint : mapping of str to value, optional
        Values of parameters to try first.
    """

    def __init__(
        self,
        task: Task,
        measure: Measure,
        effort: str = "measure",
        ratios: dict[str, float] | None = None,
        keep: Callable[[], None] = lambda: None,
        deadline: float = inf,
        clock: Callable[[], float] = time.monotonic,
        hint: Mapping[str, Value] | None = None,
    ) -> None:
        self.hint = hint or {}
        self.task, self.measure, self.effort, self.keep = task, measure, effort, keep
        self.deadline, self.clock = deadline, clock
        self.ratios = ratios if ratios is not None else {}
        self.failed: dict[str, str] = {}
        self.start = self.best = task.start

    def run(self, step: Callable[[], object] = lambda: None) -> Found:
        """Search until nothing faster is found, or the time is up.

        Parameters
        ----------
        step : callable, optional
            Called after each parameter of the first round.

        Returns
        -------
        Found
            The fastest values, if they have won against the start in every confirmation.

        Raises
        ------
        DeviceError
            If even the start fails, or its result is wrong.
        """
        complete = True
        try:
            self._search(step)
        except TimeIsUpError:
            complete = False
        self._simplify()
        pairs = [self._timed((self.start, self.best)) for _ in range(CONFIRMATIONS)]
        wins = all(best.ms < default.ms * GAIN for default, best in pairs)
        default_ms, ms = (median(each.ms for each in column) for column in zip(*pairs, strict=True))
        return Found(
            self.best.values if wins else {},
            ms if wins else default_ms,
            default_ms,
            len(self.ratios),
            complete,
            self.failed,
        )

    def _search(self, step: Callable[[], object]) -> None:
        thorough = self.effort == "exhaustive"
        hinted = self.task.candidate(self.hint)
        if hinted is not None and hinted.key != self.start.key:
            self._compare([hinted])
        if thorough:
            self._compare(structures(self.task, self.start))
        for number in range(ROUNDS[self.effort]):
            before = self.best
            for knob in KNOBS:
                self._compare(neighbours(self.task, self.best, knob, thorough))
                if not number:
                    step()
            if self.best is before:
                return

    def _simplify(self) -> None:
        """Drop the values without which the best candidate is not slower."""
        self.best = without_idle(self.task, self.best)
        for name in self.best.values:
            fewer = {key: each for key, each in self.best.values.items() if key != name}
            simpler = self.task.candidate(fewer)
            if simpler is not None:
                best, without = self._timed((self.best, simpler))
                if without.ms < best.ms * LOSS:
                    self.best = simpler

    def _compare(self, candidates: Sequence[Candidate]) -> None:
        """Measure the candidates that are new; take the fastest one if it beats the best."""
        unknown = [each for each in candidates if each.key not in self.ratios]
        for first in range(0, len(unknown), FIELD - 1):
            if self.clock() >= self.deadline:
                raise TimeIsUpError
            several = unknown[first : first + FIELD - 1]
            reference, *timings = self._timed([self.best, *several])
            known = self._ratio(self.best)
            for each, timing in zip(several, timings, strict=True):
                self.ratios[each.key] = known * timing.ms / reference.ms
                if timing.reason:
                    self.failed[str(each.parameters)] = timing.reason
            self.keep()
        fastest = min(candidates, key=self._ratio, default=self.best)
        if self._ratio(fastest) < self._ratio(self.best) * GAIN:
            self.best = fastest

    def _ratio(self, candidate: Candidate) -> float:
        return self.ratios.get(candidate.key, 1.0 if candidate is self.start else inf)

    def _timed(self, candidates: Sequence[Candidate]) -> Sequence[Timing]:
        """Measure candidates, each schedule once; return a timing for each candidate."""
        distinct = list({each.key: each for each in candidates}.values())
        timings = dict(zip((each.key for each in distinct), self.measure(distinct), strict=True))
        first = timings[candidates[0].key]
        if first.reason:  # the first candidate is the start, or has given right results before
            raise DeviceError(f"nothing to compare with: {first.reason}")
        return [timings[each.key] for each in candidates]
