"""The leaf of lanes: what it tries on a CPU with vectors (see `leaf`).

The lanes of a vector hold neighbouring transforms, columns or rows of any smooth length whose
points fit a core's cache, in one launch of cols.cl.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from math import inf, prod

from ..factor import (
    RADICES,
    best_lane_radices,
    lane_cost,
    next_fast_len,
    real_splits,
    splits,
)
from ..parameters import Parameters, factors_of
from ..problem import Layout, Problem
from ..traits import Traits
from .cols import Columns, columns_of, least_lanes
from .ends import in_one_launch, points_in_one_launch, with_real_stage
from .lanes import LINE_BYTES, most_lanes, radices_for, row_layout, takes
from .leaf import Convolution, Factors, Step
from .steps import axis_length

MIN_LENGTH = 64  # shorter rows gain nothing by a second launch
MIN_FOLDED = 32  # the fewest points of halves: they are read in both directions, by vectors
SPLITS_TRIED = 4  # the number of splits that are tried, from the most even one on
LENGTHS_TRIED = 12  # the number of lengths of convolutions that are compared, from the shortest on


class LaneLeaf:
    """Transforms in the lanes of vectors; `Leaf` explains the methods."""

    transposes = False

    def takes(self, problem: Problem, traits: Traits) -> bool:
        """Whether the device has wide vectors, and the problem one axis."""
        return takes(problem, traits)

    def launch(
        self, problem: Problem, step: Step, traits: Traits, parameters: Parameters
    ) -> Columns | None:
        """Return the launch, or None if a layout or a length forbids it or if it leaves cores idle.

        Columns and rows of a long row may leave cores idle, because there is no other way.
        """
        radices = radices_for(step.batch.n // step.ends.kept, parameters)
        found = columns_of(problem, step, radices, traits, parameters)
        return None if found and not step.batch.part and _idles(found) else found

    def whole(self, problem: Problem, traits: Traits, parameters: Parameters) -> Columns | None:
        """Return the launch that transforms the whole axis, or None if there is none."""
        radix = _real_radix(problem, lambda n: radices_for(n, parameters))
        if radices_for(points_in_one_launch(problem) // (radix or 1), parameters) is None:
            return None
        step = Step(*(with_real_stage(problem, radix) if radix else in_one_launch(problem)))
        return self.launch(problem, step, traits, parameters)

    def between(self, problem: Problem, length: int) -> Layout:
        """Return a layout of contiguous rows."""
        return row_layout(problem, length)

    def pitch(self, problem: Problem, length: int, parameters: Parameters) -> int:
        """Return the length of rows: they lie without gaps."""
        return length

    def splits(self, problem: Problem, parameters: Parameters) -> Iterator[Iterable[Factors]]:
        """Yield pairs of factors: the tuned ones, then the most even ones.

        The factor of a real row that only half of the columns or rows remain of is the first one if
        the input is real, and the last one if the output is. It comes first in the tuned factors.
        """
        n = axis_length(problem)
        if n < MIN_LENGTH:
            return
        for halved, other in _pairs(n, parameters):
            if problem.kind == "c2c" or halved >= MIN_FOLDED:
                yield [(other, halved) if problem.kind == "c2r" else (halved, other)]

    def time_of_steps(
        self, launches: Sequence[Columns], traits: Traits, parameters: Parameters
    ) -> float:
        """Return the number of launches: `splits` compares no times."""
        return float(len(launches))

    def convolutions(
        self, problem: Problem, traits: Traits, parameters: Parameters
    ) -> Iterator[list[Convolution]]:
        """Yield the quickest convolution in one launch, then the quickest one in three."""
        if _may_fit(problem, traits, parameters):
            radix = _real_radix(problem, lambda n: _radices(n, parameters), transforms=2)
            radices = _radices(points_in_one_launch(problem) // (radix or 1), parameters)
            if radices:
                yield [Convolution((prod(radices),), radix)]
        yield [Convolution(convolution_matrix(axis_length(problem), most_lanes(problem, traits)))]

    def time(self, launches: Sequence[Columns], traits: Traits) -> float:
        """Return the work of all stages, as a multiple of that of a load and a store."""
        return sum(
            each.batch.count * each.batch.n * lane_cost(each.lanes.radices) for each in launches
        )


def _real_radix(
    problem: Problem,
    radices_of: Callable[[int], tuple[int, ...] | None],
    transforms: int = 1,
) -> int:
    """Return the radix of the real stage that leaves the least work, or 0 for no real stage.

    Parameters
    ----------
    problem : Problem
        A problem with one axis.
    radices_of : function
        A function of a number of complex points that returns the radices of the stages over them,
        or None if there are none.
    transforms : int
        The number of transforms of these points: 2 in a convolution.
    """
    n = axis_length(problem)
    # PoCL takes three times as long for 21 = 7 x 3 as for 3 x 7.
    choices = [each for each in real_splits(n) if n // each >= each]
    if problem.kind == "c2c" or not choices:
        return 0

    def work(radix: int) -> float:
        radices = radices_of(n // (radix or 1))
        if radices is None:
            return inf
        stages = (radix // 2 + 1) * prod(radices) * lane_cost(radices) * transforms
        return stages + (n * lane_cost((radix,)) / 2 if radix else 0)  # a real stage counts half

    return min((0, *choices), key=work)


def _idles(columns: Columns) -> bool:
    """Return whether one launch leaves cores idle, so that several launches are quicker.

    One launch is still quicker if the transforms are neighbouring columns that fit local memory, or
    that fill lines of the cache.
    """
    problem, traits = columns.problem, columns.traits
    enough = columns.blocks >= traits.compute_units
    if columns.ends.length < columns.parameters["lanes_shared"] or enough:
        return False
    fills_lines = columns.dimension.extent * problem.complex_dtype.itemsize >= LINE_BYTES
    return "columns" not in columns.ways or not (columns.lanes.is_local or fills_lines)


def _pairs(n: int, parameters: Parameters) -> Iterator[tuple[int, int]]:
    """Yield the pairs of factors to try: the tuned ones, then the most even ones."""
    wanted = factors_of(parameters, "factors", n) or ()
    if len(wanted) == 2:
        yield wanted[0], wanted[1]
    for less, more in splits(n, 2)[:SPLITS_TRIED]:
        yield less, more
        yield more, less


def _may_fit(problem: Problem, traits: Traits, parameters: Parameters) -> bool:
    """Return whether the scratch memory of a work-item has room for some convolution.

    The search for the radices of one that has no room would be most of the time of planning.
    """
    points = points_in_one_launch(problem) // max((1, *real_splits(axis_length(problem))))
    lanes = least_lanes(most_lanes(problem, traits))
    nbytes = (2 * points - 1) * lanes * problem.complex_dtype.itemsize
    return nbytes <= parameters["lanes_workspace"]


def _radices(n: int, parameters: Parameters) -> tuple[int, ...] | None:
    """Return the radices of a convolution for n points: tuned ones, or else the quickest."""
    quickest = convolution_radices(n)
    return radices_for(prod(quickest), parameters) if quickest else None


@lru_cache(maxsize=1024)
def convolution_radices(n: int, among: tuple[int, ...] = RADICES) -> tuple[int, ...] | None:
    """Return the radices of the quickest convolution that is long enough for `n` points.

    The result is None if every such convolution takes more stages than a launch may have.
    """
    found = (
        best_lane_radices(m, among) for m in islice(fast_lengths(max(2, 2 * n - 1)), LENGTHS_TRIED)
    )
    return min(
        (radices for radices in found if radices),
        key=lambda each: prod(each) * lane_cost(each),
        default=None,
    )


@lru_cache(maxsize=1024)
def convolution_matrix(n: int, lanes: int) -> tuple[int, int]:
    """Return rows and columns of the quickest convolution that is long enough for `n` points.

    Parameters
    ----------
    n : int
        The number of points of the transform.
    lanes : int
        The number of lanes of a vector. Rows and columns are multiples of it.

    Returns
    -------
    rows, columns : int
        The numbers of rows and of columns, which are as even as possible.
    """
    least = -(-(2 * n - 1) // lanes**2)
    found = [
        (lanes * rows, lanes * columns)
        for m in islice(fast_lengths(least), LENGTHS_TRIED)
        for rows, columns in [*splits(m, 2), (1, m)][:1]
    ]
    return min(found, key=_time)


def _time(matrix: tuple[int, int]) -> int:
    """Return a relative time of the convolution whose matrix has these rows and columns."""
    costs = [lane_cost(radices) for length in matrix if (radices := best_lane_radices(length))]
    return matrix[0] * matrix[1] * sum(costs)


def fast_lengths(least: int) -> Iterator[int]:
    """Yield the smooth lengths from `least` on, in ascending order."""
    while True:
        least = next_fast_len(least)
        yield least
        least += 1


LANES = LaneLeaf()
