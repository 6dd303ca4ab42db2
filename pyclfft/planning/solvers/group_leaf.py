"""The leaf of work-groups: what it tries, and how long that should take (see `leaf`).

A work-group does transforms of any length that fits it and whose prime factors have codelets, in
one launch of stockham.cl.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from math import log

from ..factor import (
    LARGE_PRIMES,
    MAX_STEPS,
    OPERATIONS,
    SHORT_ROWS,
    divisors,
    is_power_of_two,
    is_smooth,
    next_power_of_two,
    real_splits,
    splits,
)
from ..parameters import Parameters, factors_of
from ..problem import Layout, Problem
from ..traits import Traits
from .ends import in_one_launch, points_in_one_launch, whole_ends, with_real_stage
from .fused import will_join
from .leaf import Convolution, Factors, Step
from .step_times import time_of
from .steps import axis_batch, axis_length, resting_layout, single_axis
from .stockham import (
    IDLE_IN_STEP,
    MIN_ITEMS,
    SECTOR_BYTES,
    Group,
    GroupLaunch,
    best_pitch,
    group_for,
)

SPLITS_TRIED = {2: 4, 3: 2, 4: 1}  # by the number of factors; the most even splits come first
MAX_CONVOLUTION_STEPS = 4
LENGTHS_TRIED = 2
ODD = (1, 3, 5, 9, 27, 81)  # the odd factors that the length of a convolution may have
MIN_COLUMN, MAX_ROW = 16, 8192  # in steps: the least length of the longest column, the longest row
# The times of a transform without exchanges, of each exchange in a launch that convolves, and of
# each exchange in another step, relative to the time to move a point. And the factor of an exchange
# whose work-items divide. They were fitted to an H200's times.
TRANSFORM, EXCHANGE, STEP_EXCHANGE, DIVIDING = 0.08, 0.21, 0.32, 1.25
LARGEST_QUICK = 16  # the radix from which on a stage takes longer, as several small ones would
# The factor of the time of two steps that are joined in one launch, as on an H100: by the most
# parts in which their groups exchange points.
JOINED = {1: 0.75, 2: 0.8, 4: 0.8}
# The factors, also fitted to an H100's times, of the cost of real rows that are transformed without
# a real stage: with one or two stages, and with more.
WITHOUT_REAL_STAGE = {True: 0.65, False: 0.9}
# The largest prime factor with which an H100 or H200 is quicker than by a convolution: of a prime
# length, by what the source holds, or PARTS if work-items transform the real and the imaginary
# parts apart; and of other lengths.
QUICK_PRIMES = {
    "single": {"PARTS": 61, "COMPLEX": 53, "REAL": 61, "HERMITIAN": 61},
    "double": {"PARTS": 59, "COMPLEX": 43, "REAL": 61, "HERMITIAN": 61},
}
QUICK_REAL_ROWS = {"single": 61, "double": 59}  # of prime lengths: longer ones are Rader's
QUICK_FACTOR = {"single": 53, "double": 31}


@dataclass(frozen=True)
class GroupLeaf:
    """Transforms in work-groups; `Leaf` explains the methods.

    Attributes
    ----------
    large_primes_everywhere : bool
        Whether lengths with large prime factors are transformed even where Bluestein's algorithm
        should be quicker: on CPUs, which have it in the lanes of their vectors, and beyond
        `QUICK_PRIMES` on GPUs.
    """

    large_primes_everywhere: bool = False

    transposes = True

    def takes(self, problem: Problem, traits: Traits) -> bool:
        """Whether a problem is a Fourier transform along one axis."""
        return single_axis(problem)

    def launch(
        self, problem: Problem, step: Step, traits: Traits, parameters: Parameters
    ) -> GroupLaunch | None:
        """Return the launch with its work-group, or None if the step fits no work-group.

        stockham.cl stores half of the spectra of columns as rows only.
        """
        if step.ends.pair and step.ends.target == "HERMITIAN" and step.batch.target.columns > 1:
            return None
        group = group_for(step.batch, step.ends, problem.precision, traits, parameters)
        if group is None:
            return None
        if not (self.large_primes_everywhere or _is_quick(problem, step, group, traits)):
            return None
        if _begins_by_sectors(problem, step, group, parameters):
            group = replace(group, apart=True)
        return GroupLaunch(problem, step, group)

    def whole(self, problem: Problem, traits: Traits, parameters: Parameters) -> GroupLaunch | None:
        """Return a launch that transforms the whole axis, or None if no work-group fits.

        If real stages of several radices are possible, the cheapest one is taken; if none is, the
        launch goes without. On GPUs a launch without can be the cheapest one.
        """
        if short := self._short_rows(problem, traits, parameters):
            return short
        radices = () if problem.kind == "c2c" else real_splits(axis_length(problem))
        steps = [Step(*with_real_stage(problem, radix)) for radix in radices]
        real = [
            found for step in steps if (found := self.launch(problem, step, traits, parameters))
        ]
        if real and traits.is_cpu:
            return min(real, key=_cost_of_stages)
        found = self.launch(problem, Step(*in_one_launch(problem)), traits, parameters)
        if real:
            return min([*real, *([found] if found else [])], key=_cost_of_odd_row)
        if found is None and not is_smooth(points_in_one_launch(problem)):
            # Rows of 34 numbers, which as 17 points would lie far apart, can still share a group.
            found = self.launch(problem, _unpacked(problem), traits, parameters)
        return found

    def _short_rows(
        self, problem: Problem, traits: Traits, parameters: Parameters
    ) -> GroupLaunch | None:
        """Return a launch of short rows that share a group, packed ones if possible, or None."""
        if traits.is_cpu or axis_length(problem) not in SHORT_ROWS:
            return None
        for step in (Step(*in_one_launch(problem)), _unpacked(problem)):
            found = self.launch(problem, step, traits, parameters)
            if found and found.group.shape.shared_rows:
                return found
        return None

    def between(self, problem: Problem, length: int) -> Layout:
        """Return the layout of the target if it has room for the results, or else a plain one."""
        return resting_layout(problem, length)

    def pitch(self, problem: Problem, length: int, parameters: Parameters) -> int:
        """Return the elements from one row to the next, so that rows begin at whole sectors."""
        itemsize = problem.complex_dtype.itemsize
        wanted = parameters["pitch_bytes"]
        nbytes = best_pitch(length * itemsize) if wanted < 0 else wanted
        elements = max(1, nbytes // itemsize)
        return -(-length // elements) * elements

    def splits(self, problem: Problem, parameters: Parameters) -> Iterator[Iterable[Factors]]:
        """Yield the tuned factors, and then the most even ones, in all orders, fewer first."""
        n, largest = axis_length(problem), LARGE_PRIMES[-1]
        if wanted := factors_of(parameters, "factors", n):
            yield [wanted]
        yield (
            factors
            for parts in range(2, MAX_STEPS + 1)
            for ascending in splits(n, parts, largest)[: SPLITS_TRIED[parts]]
            for factors in dict.fromkeys(permutations(ascending))
        )

    def time_of_steps(
        self, launches: Sequence[GroupLaunch], traits: Traits, parameters: Parameters
    ) -> float:
        """Return about how long the steps of a long transform take, relative to one copy."""
        times = [time_of(each, first=number == 0) for number, each in enumerate(launches)]
        if will_join(launches, traits, parameters):
            parts = max(each.group.shape.parts for each in launches)
            return JOINED[parts] * len(times) * max(times)
        return sum(times)

    def convolutions(
        self, problem: Problem, traits: Traits, parameters: Parameters
    ) -> Iterator[list[Convolution]]:
        """Yield convolutions of several lengths, those with fewer launches first."""
        points = points_in_one_launch(problem)
        yield [Convolution((m,)) for m in convolution_lengths(points)]
        for parts in range(2, MAX_CONVOLUTION_STEPS + 1):
            lengths = convolution_lengths(axis_length(problem))
            yield [Convolution(factors) for m in lengths for factors in _row_splits(m, parts)]

    def time(self, launches: Sequence[GroupLaunch], traits: Traits) -> float:
        """Return about how long launches take, as a multiple of the time to move one point once."""
        return sum(
            each.batch.count
            * (min(each.batch.n, each.ends.length) * each.cost + each.batch.n * _work(each))
            * max(1, traits.compute_units * each.group.transforms / each.batch.count)  # idle cores
            for each in launches
        )


def _unpacked(problem: Problem) -> Step:
    """Return the step that transforms the whole axis, of which each element is a point."""
    return Step(axis_batch(problem, axis_length(problem)), whole_ends(problem))


def _begins_by_sectors(problem: Problem, step: Step, group: Group, parameters: Parameters) -> bool:
    """Whether each row of a cosine transform's last step should begin with a group of its own.

    The step stores numbers at both ends of the result. If no group takes columns of two rows, its
    runs of stores begin at whole sectors of the cache, which saves up to a third of the time.
    """
    hook, ends, dimensions = problem.hooks.store, step.ends, step.batch.dimensions
    if not (hook and hook.replaces and ends.fold and len(dimensions) > 1):
        return False
    idle = -dimensions[0].extent % group.transforms
    by_sectors = ends.fold * problem.complex_dtype.itemsize // 2 % SECTOR_BYTES == 0
    allowed = parameters["stockham_apart"] != 0
    return allowed and by_sectors and 0 < idle <= IDLE_IN_STEP * dimensions[0].extent


def _is_quick(problem: Problem, step: Step, group: Group, traits: Traits) -> bool:
    """Whether a length is smooth, or Bluestein's algorithm would take longer, as on an H200."""
    n, ends = step.batch.n, step.ends
    if is_smooth(n):
        return True
    alone, precision = len(group.stages.radices) == 1, problem.precision
    held = "PARTS" if group.parts_apart else ends.source
    largest = QUICK_PRIMES[precision][held] if alone else QUICK_FACTOR[precision]
    if alone and problem.kind != "c2c" and not step.batch.loads_columns and n == ends.length:
        largest = min(largest, QUICK_REAL_ROWS[precision])
    if traits.is_cpu or not is_smooth(n, largest):
        return False
    # Otherwise the loads of packed rows would be far apart.
    return not ends.packed or group.shape.shared_rows or group.stages.items >= MIN_ITEMS


def _cost_of_stages(launch: GroupLaunch) -> float:
    """Return a relative time of a transform, to compare the radices of its real stage."""
    real_stage = launch.ends.length * OPERATIONS[launch.ends.real_radix] / 4
    group = launch.group
    return launch.batch.n * group.stages.cost(group.shape.split) + real_stage


def _cost_of_odd_row(launch: GroupLaunch) -> float:
    """Return a relative time of a transform of a row of odd length on a GPU.

    From real numbers it is less than `cost_of_odd_row` says if there is no real stage, whose
    work-items load two columns each.
    """
    cost, few = launch.cost_of_odd_row, len(launch.group.stages.radices) <= 2
    without = launch.problem.kind == "r2c" and not launch.ends.real_radix
    return cost * WITHOUT_REAL_STAGE[few] if without else cost


def _work(launch: GroupLaunch) -> float:
    """Return about how long a point's transforms take, as a multiple of the time to move it.

    The exchanges between stages decide. They take longer if the length is no power of two, because
    work-items then divide to find their points. Two large stages take as long as more small ones.
    """
    transforms, exchange = (2, EXCHANGE) if launch.ends.spectrum else (1, STEP_EXCHANGE)
    exchange *= 1 if is_power_of_two(launch.batch.n) else DIVIDING
    stages = float(len(launch.group.stages.radices))
    if launch.ends.spectrum and stages == 2:
        stages = max(stages, log(launch.batch.n, LARGEST_QUICK))
    return transforms * (TRANSFORM + exchange * (stages - 1))


def _row_splits(m: int, parts: int) -> list[Factors]:
    """Return splits of m into lengths of columns and, as the last factor, the length of rows.

    The lengths of columns are as even as possible, and none is longer than the rows.
    """
    return [
        (*columns, row)
        for row in divisors(m)
        for columns in splits(m // row, parts - 1)[:1]
        if MIN_COLUMN <= max(columns) <= row <= MAX_ROW
    ]


def convolution_lengths(n: int) -> tuple[int, ...]:
    """Return lengths that hold the convolution of n points and have quick stages.

    These are the shortest ones that are a power of two times one of the numbers in `ODD`, and the
    shortest power of two.
    """
    least = 2 * n - 1
    lengths = sorted(odd * next_power_of_two(-(-least // odd)) for odd in ODD)
    return tuple(dict.fromkeys((*lengths[:LENGTHS_TRIED], next_power_of_two(least))))


GROUPS = GroupLeaf()
GROUPS_EVERYWHERE = GroupLeaf(large_primes_everywhere=True)
