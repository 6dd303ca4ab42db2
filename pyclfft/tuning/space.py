"""What a tuner tries: for every parameter the values that make sense, and their schedules.

A value is only a wish: a solver follows it as far as it can. So a candidate is the schedule that
follows from its values, and if several sets of values lead to one schedule, only one set is tried.
Nobody has to write down which parameters matter to a problem.
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
    LARGE_PRIMES,
    LARGEST_LANE_RADIX,
    MAX_LANE_STAGES,
    MAX_STAGES,
    Stages,
    factorisations,
    is_smooth,
    lane_cost,
    splits,
)
from ..planning.parameters import CONVOLVE_METHODS, Factors, Parameters, Value
from ..planning.passes import Schedule
from ..planning.problem import Problem
from ..planning.schedule import schedule_of
from ..planning.solvers import ALIASES, BY_NAME
from ..planning.traits import Traits

MIN_LONG = 64  # shortest transform that is tried in several steps
CONVOLVING = ("rader", "bluestein_lanes", "bluestein_groups", "bluestein", "chirp", "long_chirp")
NEVER, ALWAYS = 0, 1  # values of `stream_bytes`: results go past the caches never, or always
TRIED = "tuner"  # the origin that parameters have while their values are tried


@dataclass(frozen=True)
class Candidate:
    """Values of parameters, and the schedule that follows from them.

    Attributes
    ----------
    parameters : Parameters
        All parameters, with the tried values among them.
    schedule : Schedule
        The launches that follow from the parameters.
    """

    parameters: Parameters
    schedule: Schedule

    @property
    def values(self) -> dict[str, Value]:
        """The values that the search has set; other parameters keep the values known before."""
        origins = self.parameters.origins
        return {name: self.parameters[name] for name in origins if origins[name] == TRIED}

    @cached_property
    def key(self) -> str:
        """A hash of everything that the schedule launches; every process computes the same one."""
        return hashlib.sha256(repr(self.schedule).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Task:
    """A problem on a device, for which the fastest parameters are wanted.

    What is built on transforms has tasks of its own, with other schedules.

    Attributes
    ----------
    problem, traits : Problem, Traits
        The transform, or one of those in the schedule, and what is known of the device.
    parameters : Parameters
        The parameters from which the search begins.
    algorithm : str or None
        Name of the only solver to use; None if the search chooses one.
    """

    problem: Problem
    traits: Traits
    parameters: Parameters
    algorithm: str | None = None

    def schedule(self, parameters: Parameters) -> Schedule:
        """Return what is launched with these parameters.

        Raises
        ------
        PlanError
            If there is no plan, or no room for one.
        """
        return schedule_of(self.problem, self.traits, self.algorithm, parameters)

    @property
    def blocks(self) -> tuple[int, ...]:
        """The lengths of blocks into which a convolution may be cut; () for all other problems."""
        return ()

    @property
    def start(self) -> Candidate:
        """The candidate from whose parameters the search begins.

        Raises
        ------
        PlanError
            If the only solver to use does not take the problem.
        """
        return Candidate(self.parameters, self.schedule(self.parameters))

    def candidate(self, values: Mapping[str, Value]) -> Candidate | None:
        """Return the candidate of some values; None if there is no plan, or no room for one."""
        parameters = self.parameters.over(values, TRIED)
        try:
            return Candidate(parameters, self.schedule(parameters))
        except PlanError:
            return None


Values = Iterable[Value]


@dataclass(frozen=True)
class Knob:
    """A parameter, with the values to try.

    Attributes
    ----------
    name : str
        Name of the parameter.
    values : callable
        Takes the task, the candidate to start from, and whether to be thorough; yields values.
    structural : bool
        Whether the parameter decides what is launched, rather than how. A thorough search tries
        all structural parameters in combination.
    """

    name: str
    values: Callable[[Task, Candidate, bool], Values]
    structural: bool = False


def _numbers(quick: Iterable[int], more: Iterable[int] = ()) -> Callable[..., Values]:
    """Return a function that yields `quick` numbers, and if the search is thorough `more`."""
    return lambda task, best, thorough: (*quick, *(more if thorough else ()))


def _algorithms(task: Task, best: Candidate, thorough: bool) -> Values:
    """Yield the solvers that take any layout. If lengths are smooth, leave out convolutions."""
    if task.algorithm is not None:
        return
    smooth = all(is_smooth(task.problem.shape[axis]) for axis in task.problem.axes)
    for name, each in BY_NAME.items():
        if not (each.rows_only or name in ALIASES or (smooth and name in CONVOLVING)):
            yield name


def _factors(task: Task, best: Candidate, thorough: bool) -> Values:
    """Yield lists that split one long axis at a time into two or three lengths, for its steps."""
    for axis in task.problem.axes:
        n = task.problem.shape[axis]
        if n < MIN_LONG:
            continue
        for parts, count in ((2, 8 if thorough else 4), (3, 6 if thorough else 2)):
            for found in splits(n, parts, LARGE_PRIMES[-1])[:count]:
                orders = permutations(found) if parts == 2 or thorough else (found,)
                for factors in dict.fromkeys(orders):
                    yield _with(best.parameters["factors"], factors)


def _radices(name: str, kernels: tuple[str, ...]) -> Callable[..., Values]:
    """Return a function that yields other radices for the lengths of stages, one at a time."""

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
    """Yield radices of a transform's stages: cheapest first, each list in both orders."""
    found = factorisations(n, MAX_STAGES)
    for radices in sorted(found, key=lambda each: Stages(each, n // max(each)).cost(False)):
        yield from dict.fromkeys((radices, radices[::-1]))


def _ways_of_passes(n: int) -> Iterator[tuple[int, ...]]:
    """Yield radices of stages over lanes: cheapest first, each list in both orders."""
    for radices in sorted(factorisations(n, MAX_LANE_STAGES, LARGEST_LANE_RADIX), key=lane_cost):
        yield from dict.fromkeys((radices[::-1], radices))


WAYS = {"stockham_radices": _ways_of_stages, "lanes_radices": _ways_of_passes}


def _with(known: Factors, factors: tuple[int, ...]) -> Factors:
    """Return the lists of factors; `factors` replaces the known list that has its product."""
    return (*(each for each in known if prod(each) != prod(factors)), factors)


def _blocks(task: Task, best: Candidate, thorough: bool) -> Values:
    """Yield the lengths of blocks, the shortest first."""
    return task.blocks if thorough else task.blocks[:8]


def _widths(task: Task, best: Candidate, thorough: bool) -> Values:
    return (each for each in (4, 8, 16) if each <= task.traits.lanes)


# Parameters in the order in which they are tried: first those that decide most.
KNOBS: tuple[Knob, ...] = (
    Knob("convolve_method", lambda task, best, thorough: CONVOLVE_METHODS, structural=True),
    Knob("convolve_block", _blocks, structural=True),
    Knob("convolve_lengths", _numbers((0, 1)), structural=True),
    Knob("algorithm", _algorithms, structural=True),
    Knob("factors", _factors, structural=True),
    Knob("fused", _numbers((0, 1))),
    Knob("lanes_width", _widths, structural=True),
    Knob("lanes_radices", _radices("lanes_radices", ("row", "cols")), structural=True),
    Knob("stockham_radices", _radices("stockham_radices", ("stockham", "fused")), structural=True),
    Knob("stockham_points", _numbers((4, 8, 16, 32), (2, 12, 24)), structural=True),
    Knob("stockham_columns", _numbers((4, 8, 16, 32))),
    Knob("stockham_parts", _numbers((1, 2, 4))),
    Knob("stft_columns", _numbers((4, 8, 16, 32), (0,))),
    Knob("stft_parts", _numbers((1, 2, 4), (0,))),
    Knob("stft_group", _numbers((32, 64, 128, 256), (0, 512))),
    Knob("istft_frames", _numbers((0, 4, 8, 16), (2, 6, 12, 32))),
    Knob("istft_meets", _numbers((0, 1))),
    Knob("istft_chunk", _numbers((2**20, 2**22, 2**23, 2**24, 2**25), (2**19, 2**21, 2**26))),
    Knob("stockham_mirrored", _numbers((1, 16, 64, 1024))),
    Knob("pitch_bytes", _numbers((0, 128), (32, 64, 256))),
    Knob("upwards", _numbers((0, 1))),
    Knob("stockham_apart", _numbers((0, 1))),
    Knob("stockham_in_place", _numbers((0, 1))),
    Knob("stockham_items", _numbers((64, 128, 256, 512, 1024))),
    Knob("stockham_group", _numbers((32, 64, 128, 256), (16, 512))),
    Knob("stockham_banks", _numbers((1, 64, 256))),
    Knob("axes_points", _numbers((512, 1024, 2048, 4096), (256, 8192))),
    Knob("axes_group", _numbers((64, 128, 256), (32, 512))),
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
    Knob("filter_rows", _numbers((1, 2, 8, 16), (32,))),
    Knob("extrema_group", _numbers((64, 256), (32, 512))),
    Knob("extrema_groups", _numbers((64, 1024), (16, 4096))),
    Knob("taps_outputs", _numbers((4, 8, 16, 32))),
    Knob("taps_group", _numbers((32, 64, 128, 256))),
    Knob("taps_split", _numbers((0, 1, 16))),
    Knob("convolve_group", _numbers((16, 128, 256))),
)


def neighbours(task: Task, best: Candidate, knob: Knob, thorough: bool) -> list[Candidate]:
    """Return the candidates that differ from `best` in one parameter, each schedule once.

    The schedule of `best` itself is not among them.

    Parameters
    ----------
    task : Task
        The problem on its device.
    best : Candidate
        The candidate to start from.
    knob : Knob
        The parameter to change.
    thorough : bool
        Whether to try more values.
    """
    found: dict[str, Candidate] = {}
    for value in knob.values(task, best, thorough):
        each = task.candidate({**best.values, knob.name: value})
        if each is not None and each.key != best.key:
            found.setdefault(each.key, each)
    return list(found.values())


def without_idle(task: Task, best: Candidate) -> Candidate:
    """Return `best` without the values that do not change its schedule."""
    for name in best.values:
        fewer = task.candidate({key: each for key, each in best.values.items() if key != name})
        if fewer is not None and fewer.key == best.key:
            best = fewer
    return best


def structures(task: Task, start: Candidate) -> list[Candidate]:
    """Return the candidates of all structural parameters in combination, each schedule once.

    Radices are tried for the lengths into which the earlier parameters have split the transform.
    """
    found = {start.key: start}
    for knob in KNOBS:
        for each in list(found.values()) if knob.structural else ():
            for other in neighbours(task, each, knob, thorough=True):
                found.setdefault(other.key, other)
    return [each for key, each in found.items() if key != start.key]
