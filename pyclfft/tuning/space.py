"""What a tuner tries: for every parameter the values that make sense, and what they come to.

Values are only wishes: a solver takes those that it can. So a candidate is the schedule that comes
of its values, and of values that come to the same schedule one is enough: which parameters matter
to a problem need not be written down.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, permutations
from math import prod

from ..errors import PlanError
from ..planning.factor import (
    LARGEST_OF_PASSES,
    MAX_PASSES,
    MAX_STAGES,
    Stages,
    factorisations,
    is_smooth,
    pass_cost,
    splits,
)
from ..planning.parameters import Factors, Parameters, Value
from ..planning.passes import Schedule
from ..planning.problem import Problem
from ..planning.schedule import schedule_of
from ..planning.solvers import BY_NAME
from ..planning.traits import Traits

MIN_LONG = 64  # points of transforms that are tried in several steps
CONVOLVING = ("bluestein", "chirp", "long_chirp")
NEVER, ALWAYS = 0, 1  # bytes of results that go past the caches
TRIED = "tuner"  # the origin of values while they are tried


@dataclass(frozen=True)
class Candidate:
    """Values with what is launched for them.

    Attributes
    ----------
    parameters : Parameters
        All of them.
    schedule : Schedule
        What they come to.
    """

    parameters: Parameters
    schedule: Schedule

    @property
    def values(self) -> dict[str, Value]:
        """Those that differ from what was known before."""
        origins = self.parameters.origins
        return {name: self.parameters[name] for name in origins if origins[name] == TRIED}

    @cached_property
    def key(self) -> str:
        """A hash of all that it launches, the same in every process."""
        return hashlib.sha256(repr(self.schedule).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Task:
    """A problem on a device, for which parameters are wanted.

    Attributes
    ----------
    problem, traits : Problem, Traits
        The transform, and the device.
    parameters : Parameters
        Where to begin.
    algorithm : str or None
        The only solver, if it is not to be chosen.
    """

    problem: Problem
    traits: Traits
    parameters: Parameters
    algorithm: str | None = None

    @property
    def start(self) -> Candidate:
        """What the parameters to begin with come to.

        Raises
        ------
        PlanError
            The only solver does not take the problem.
        """
        schedule = schedule_of(self.problem, self.traits, self.algorithm, self.parameters)
        return Candidate(self.parameters, schedule)

    def candidate(self, values: Mapping[str, Value]) -> Candidate | None:
        """Return what values come to, or None if there is no plan or no room for it."""
        parameters = self.parameters.over(values, TRIED)
        try:
            schedule = schedule_of(self.problem, self.traits, self.algorithm, parameters)
        except PlanError:
            return None
        return Candidate(parameters, schedule)


Values = Iterable[Value]


@dataclass(frozen=True)
class Knob:
    """A parameter with the values to try.

    Attributes
    ----------
    name : str
        Of the parameter.
    values : callable
        From the task, the candidate to start from, and whether to be thorough.
    structural : bool
        It decides what is launched rather than how: a thorough search tries all such together.
    """

    name: str
    values: Callable[[Task, Candidate, bool], Values]
    structural: bool = False


def _numbers(quick: Iterable[int], more: Iterable[int] = ()) -> Callable[..., Values]:
    """Return what yields some numbers, and if thorough further ones."""
    return lambda task, best, thorough: (*quick, *(more if thorough else ()))


def _algorithms(task: Task, best: Candidate, thorough: bool) -> Values:
    """Yield solvers that take arrays as they lie; convolutions only where there is no other way."""
    if task.algorithm is not None:
        return
    smooth = all(is_smooth(task.problem.shape[axis]) for axis in task.problem.axes)
    for each in BY_NAME.values():
        if not each.rows_only and not (smooth and each.name in CONVOLVING):
            yield each.name


def _factors(task: Task, best: Candidate, thorough: bool) -> Values:
    """Yield lengths of two or three steps, for one long axis at a time."""
    for axis in task.problem.axes:
        n = task.problem.shape[axis]
        if n < MIN_LONG:
            continue
        for parts, count in ((2, 8 if thorough else 4), (3, 6 if thorough else 2)):
            for found in splits(n, parts)[:count]:
                orders = permutations(found) if parts == 2 or thorough else (found,)
                for factors in dict.fromkeys(orders):
                    yield _with(best.parameters["factors"], factors)


def _radices(name: str, kernels: tuple[str, ...]) -> Callable[..., Values]:
    """Return what yields other radices of the passes, for one of their lengths at a time."""

    def values(task: Task, best: Candidate, thorough: bool) -> Values:
        count = 24 if thorough else 6
        lengths = dict.fromkeys(
            prod(radices)
            for each in best.schedule.passes
            if each.kernel in kernels
            for radices in each.radices
        )
        for n in lengths:
            for radices in islice(WAYS[name](n), count):
                yield _with(best.parameters[name], radices)

    return values


def _ways_of_stages(n: int) -> Iterator[tuple[int, ...]]:
    """Yield radices of stages, the cheapest first, each in both orders."""
    found = factorisations(n, MAX_STAGES)
    for radices in sorted(found, key=lambda each: Stages(each, n // max(each)).cost(False)):
        yield from dict.fromkeys((radices, radices[::-1]))


def _ways_of_passes(n: int) -> Iterator[tuple[int, ...]]:
    """Yield radices of passes over lanes, the cheapest first, each in both orders."""
    for radices in sorted(factorisations(n, MAX_PASSES, LARGEST_OF_PASSES), key=pass_cost):
        yield from dict.fromkeys((radices[::-1], radices))


WAYS = {"stockham_radices": _ways_of_stages, "lanes_radices": _ways_of_passes}


def _with(known: Factors, factors: tuple[int, ...]) -> Factors:
    """Return lists of factors with another one for its product."""
    return (*(each for each in known if prod(each) != prod(factors)), factors)


def _widths(task: Task, best: Candidate, thorough: bool) -> Values:
    return (each for each in (4, 8, 16) if each <= task.traits.lanes)


# In the order in which they are tried: what decides most comes first.
KNOBS: tuple[Knob, ...] = (
    Knob("algorithm", _algorithms, structural=True),
    Knob("factors", _factors, structural=True),
    Knob("fused", _numbers((0, 1))),
    Knob("lanes_width", _widths, structural=True),
    Knob("lanes_radices", _radices("lanes_radices", ("row", "cols")), structural=True),
    Knob("stockham_radices", _radices("stockham_radices", ("stockham", "fused")), structural=True),
    Knob("stockham_points", _numbers((4, 8, 16, 32), (2, 12, 24)), structural=True),
    Knob("stockham_columns", _numbers((4, 8, 16, 32))),
    Knob("stockham_parts", _numbers((1, 2, 4))),
    Knob("stockham_items", _numbers((64, 128, 256, 512, 1024))),
    Knob("stockham_group", _numbers((32, 64, 128, 256), (16, 512))),
    Knob("stockham_banks", _numbers((1, 64, 256))),
    Knob("fused_chunks", _numbers((12, 16, 32, 48), (8, 20, 64))),
    Knob("fused_lag", _numbers((2, 8), (1, 3, 6))),
    Knob("local_items", _numbers((16, 64, 128, 256, 512, 1024))),
    Knob("stream_bytes", _numbers((NEVER, ALWAYS))),
    Knob("lanes_local", _numbers((0, 32 * 1024))),
    Knob("lanes_groups", _numbers((1, 4, 32), (2, 16))),
    Knob("lanes_staged", _numbers((0, 64 * 1024))),
    Knob("group", _numbers((16, 32, 64, 128, 256, 512), (1, 1024))),
    Knob("transpose_tile", _numbers((0, 8, 16, 32))),
    Knob("direct_tile", _numbers((32, 64, 128, 256), (16, 512))),
)


def neighbours(task: Task, best: Candidate, knob: Knob, thorough: bool) -> list[Candidate]:
    """Return what changing one parameter comes to, each schedule once and not that of `best`.

    Parameters
    ----------
    task : Task
        What to find parameters for.
    best : Candidate
        Where to start from.
    knob : Knob
        Which parameter.
    thorough : bool
        More values.
    """
    found: dict[str, Candidate] = {}
    for value in knob.values(task, best, thorough):
        each = task.candidate({**best.values, knob.name: value})
        if each is not None and each.key != best.key:
            found.setdefault(each.key, each)
    return list(found.values())


def without_idle(task: Task, best: Candidate) -> Candidate:
    """Return the same schedule by fewer values: those that change nothing are left out."""
    for name in best.values:
        fewer = task.candidate({key: each for key, each in best.values.items() if key != name})
        if fewer is not None and fewer.key == best.key:
            best = fewer
    return best


def structures(task: Task, start: Candidate) -> list[Candidate]:
    """Return what all values of the structural parameters together come to, each schedule once.

    Radices are those of the lengths that the parameters before have left.
    """
    found = {start.key: start}
    for knob in KNOBS:
        for each in list(found.values()) if knob.structural else ():
            for other in neighbours(task, each, knob, thorough=True):
                found.setdefault(other.key, other)
    return [each for key, each in found.items() if key != start.key]
