"""The tuner's decisions: what to measure next, and what has won. It knows no device.

From the parameters that are known it changes one at a time to what is fastest, in the order of
`space.KNOBS`, and begins anew as long as that helps. A thorough search tries all structures first.

All times are ratios to the start's, measured in turns with it: so what an interrupted search has
found holds when it is taken up again, however fast the machine is then.
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
GAIN = 0.97  # a ratio that is no accident: runs differ by a percent or two
LOSS = 1.01  # a ratio that is none
FIELD = 8  # candidates that take turns
CONFIRMATIONS = 3  # that the best has to win against the start
ROUNDS = {"measure": 2, "exhaustive": 4}  # through all parameters


@dataclass(frozen=True)
class Timing:
    """How long a candidate takes.

    Attributes
    ----------
    ms : float
        One transform; infinity where it failed or its result was wrong.
    reason : str
        Why it did.
    """

    ms: float
    reason: str = ""


Measure = Callable[[Sequence[Candidate]], Sequence[Timing]]


@dataclass(frozen=True)
class Found:
    """What a search has come to.

    Attributes
    ----------
    values : mapping
        Of parameters that differ from the start's; nothing where that is best.
    ms, default_ms : float
        One transform's time with these and with the start's, in turns.
    measured : int
        Candidates in all.
    complete : bool
        Nothing is left to try; false where time ran out.
    failed : mapping of str to str
        Why candidates could not win, by their values.
    """

    values: Mapping[str, Value]
    ms: float
    default_ms: float
    measured: int
    complete: bool = True
    failed: Mapping[str, str] = field(default_factory=dict)


class TimeIsUpError(Exception):
    """The limit has been reached; what is known is kept."""


class Search:
    """A search for the best parameters of one task.

    Parameters
    ----------
    task : Task
        What to find parameters for.
    measure : callable
        From candidates to their timings, measured in turns.
    effort : {"measure", "exhaustive"}
        How thoroughly.
    ratios : dict, optional
        What an earlier search has measured: ratios to the start, by the candidates' keys.
    keep : callable, optional
        Called without arguments whenever `ratios` has grown.
    deadline : float, optional
        `clock`'s time at which to stop.
    clock : callable
        Seconds.
    hint : mapping, optional
        Values that are tried first.
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
        """Search until nothing is better, or time is up.

        Parameters
        ----------
        step : callable, optional
            Called after each parameter of the first round.

        Returns
        -------
        Found

        Raises
        ------
        DeviceError
            Even the start fails, or its result is wrong.
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
        """Leave out the values that nothing is lost without."""
        self.best = without_idle(self.task, self.best)
        for name in self.best.values:
            fewer = {key: each for key, each in self.best.values.items() if key != name}
            simpler = self.task.candidate(fewer)
            if simpler is not None:
                best, without = self._timed((self.best, simpler))
                if without.ms < best.ms * LOSS:
                    self.best = simpler

    def _compare(self, candidates: Sequence[Candidate]) -> None:
        """Measure what is not known yet, and take the fastest if it is faster than the best."""
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
        """Measure, each schedule once."""
        distinct = list({each.key: each for each in candidates}.values())
        timings = dict(zip((each.key for each in distinct), self.measure(distinct), strict=True))
        first = timings[candidates[0].key]
        if first.reason:  # the default's, or what has been right before
            raise DeviceError(f"nothing to compare with: {first.reason}")
        return [timings[each.key] for each in candidates]
