"""The work-groups that convolve rows on GPUs: radices, work-items, and how many rows share a group.

Such a group transforms each row, multiplies it by a spectrum, and transforms it back, for Rader's
or for Bluestein's algorithm. Most of that time goes into moving points through local memory. So the
cost counts the points that a work-item moves, and asks how many work-items run at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from math import gcd

from .factor import (
    MAX_STAGES,
    Stages,
    factorisations,
    items_to_try,
    most_elements,
    points_held,
    resident_groups,
)
from .precision import COMPLEX_DTYPE

SIZES = (64, 32, 128)  # about how many work-items a group may have; of equal ones the first
MORE_STAGES = 1  # at most so many more stages than the fewest possible

# The cost of a row was fitted to an H100's times: of points to those of 32 rows of 16 primes from
# 67 to 2017, single and double, with up to 64 different groups each; of real numbers to those of 76
# rows, r2c and c2r, of 19 such primes, with up to 44 groups each. Of all groups for a row, the
# cheapest one should be the quickest one. The first three are in points, and have one value for
# points and one for real numbers, whose kernel asks less often where a number lies.
STAGE = {False: 1.0, True: 0.7}  # what a stage costs,
LAID_DOWN = {False: 2.0, True: 0.7}  # a point that waits in local memory,
IMAGES = {False: 0.0, True: 0.1}  # and one that is exchanged for its mirror image
POWER = 0.75  # of the number of work-items that run at once on a multiprocessor,
MOST_RESIDENT = 640  # which hide the time that local and global memory take, up to this number
MOST_GROUPS = 32  # that run at once on a multiprocessor
# The registers of a work-item for each point that it holds, for all else, and for numbers that come
# from half a spectrum. It holds the points of a stage, or those that wait, which take a bit more.
# A row of real numbers holds the mirror image of each point, too.
REGISTERS_OF_POINT = {
    False: {"single": 2.0, "double": 3.9},
    True: {"single": 5.2, "double": 5.6},
}
OTHER_REGISTERS = {False: 83, True: 2.5}
REGISTERS_OF_HALF, WAITING = 25, 1.23


@dataclass(frozen=True)
class ConvolvedRow:
    """A row that a work-group convolves.

    Attributes
    ----------
    n : int
        The number of points that are convolved.
    waiting : int
        How many elements of the row wait in local memory, before the convolution and after it,
        until their order changes: all of them in Rader's algorithm, 0 in Bluestein's.
    real : bool
        Whether elements are real numbers, two of which are a point (raderReal.cl).
    from_half : bool
        Whether the real numbers are those of which the source holds half the spectrum.
    precision : {"single", "double"}
        The precision of the points.
    """

    n: int
    waiting: int
    real: bool
    from_half: bool
    precision: str

    def cost(self, stages: Stages, rows: int, lanes: int) -> float:
        """Return a relative time of the row in a group.

        Parameters
        ----------
        stages : Stages
            The stages of the row, and how many work-items share it.
        rows : int
            How many rows share the group.
        lanes : int
            How many work-items run in lockstep.

        Returns
        -------
        float
            The points that a work-item moves, those of its idle butterflies included, times the
            work-items that a row occupies, over a power of the work-items that run at once.
        """
        points = max(stages.elements, WAITING * self._waiting(stages.items))
        registers = (
            REGISTERS_OF_POINT[self.real][self.precision] * points
            + OTHER_REGISTERS[self.real]
            + (REGISTERS_OF_HALF if self.from_half else 0)
        )
        occupied = -(-stages.items * rows // lanes) * lanes
        groups = min(MOST_GROUPS, resident_groups(occupied, registers))
        resident = min(MOST_RESIDENT, groups * occupied)
        moved = self._moved(stages.radices, stages.items)
        if not stages.pairs_end(first=False):
            moved += IMAGES[self.real] * points_held(stages.radices, stages.items)[-1]
        return float(moved * occupied / rows / resident**POWER)

    def least_cost(self, radices: tuple[int, ...], items: int) -> float:
        """Return a bound below every cost of these stages, less what rounding may take off."""
        return float((1 - 1e-9) * self._moved(radices, items) * items / MOST_RESIDENT**POWER)

    def _moved(self, radices: tuple[int, ...], items: int) -> float:
        """Return how many points a work-item moves through local memory."""
        held = sum(points_held(radices, items))
        return held + STAGE[self.real] * len(radices) + LAID_DOWN[self.real] * self._waiting(items)

    def _waiting(self, items: int) -> float:
        """Return how many of the points that wait are a work-item's."""
        return -(-self.waiting // items) / (2 if self.real else 1)

    def row_bytes(self, stages: Stages, banks: int) -> int:
        """Return the bytes of local memory that the row takes."""
        waiting = -(-self.waiting // 2) if self.real else self.waiting
        room = max(stages.room(banks), stages.reversed.room(banks), waiting, 1)
        return int(room * COMPLEX_DTYPE[self.precision].itemsize)


@dataclass(frozen=True)
class Limits:
    """What the groups of convolved rows must observe.

    Attributes
    ----------
    sizes : tuple of int
        About how many work-items a group may have.
    least_items : int
        The number of work-items of a row from which on its loads are close together. A row has
        fewer only if there is no other way.
    most_items : int
        The most work-items that a group may have.
    most_bytes : int
        The most bytes of local memory that rows may share.
    local_bytes : int
        The local memory that a group may take, in bytes: a row alone may take all of it.
    banks : int
        The number of a row's points that local memory serves at once.
    lanes : int
        How many work-items run in lockstep.
    """

    sizes: tuple[int, ...]
    least_items: int
    most_items: int
    most_bytes: int
    local_bytes: int
    banks: int
    lanes: int

    def allows(self, row: ConvolvedRow, stages: Stages, rows: int) -> bool:
        """Return whether a group of so many rows in these stages observes the limits."""
        fits = rows * row.row_bytes(stages, self.banks) <= self.most_bytes
        return fits and rows * stages.items <= self.most_items


@lru_cache(maxsize=4096)
def best_group(row: ConvolvedRow, limits: Limits) -> tuple[Stages, int] | None:
    """Return the stages of the cheapest group for a row, and how many rows share the group.

    Parameters
    ----------
    row : ConvolvedRow
        What the group convolves.
    limits : Limits
        What it must observe.

    Returns
    -------
    (Stages, int) or None
        None if the row has too many points for a group, or takes too much local memory.
    """
    # The ways come in the order of the least costs that they may have. Most are not looked at.
    ways = [
        (items < limits.least_items, row.least_cost(radices, items), radices, items)
        for radices, items in _ways(row.n, limits)
    ]
    best: tuple[tuple[float, ...], Stages, int] | None = None
    for few, bound, radices, items in sorted(ways):
        if best is not None and (few, bound) > best[0]:
            break
        for stages in _orders(row, Stages(radices, items)):
            row_bytes = row.row_bytes(stages, limits.banks)
            for place, rows in enumerate(_numbers_of_rows(row, stages, row_bytes, limits)):
                cost = row.cost(stages, rows, limits.lanes)
                rank = (few, cost, stages.elements, row_bytes, place)  # of equals, the first one
                if best is None or rank < best[0]:
                    best = rank, stages, rows
    return None if best is None else best[1:]


def _ways(n: int, limits: Limits) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield radices and numbers of work-items with which a row has few stages."""
    ways = [
        each
        for each in factorisations(n, MAX_STAGES)
        if n <= limits.most_items * most_elements(each)
    ]
    fewest = min(map(len, ways), default=0)
    for radices in ways:
        if len(radices) <= fewest + MORE_STAGES:
            for items in items_to_try(radices, limits.least_items, limits.most_items):
                if max(points_held(radices, items)) <= most_elements(radices):
                    yield radices, items


def _orders(row: ConvolvedRow, stages: Stages) -> Iterator[Stages]:
    """Yield the orders of stages that are tried, on an H100 the quickest of equal cost first.

    A work-item of a real row holds the mirror images of the points of its last stage. So the last
    stage should have few points of a work-item, and then the first one a large radix.
    """
    if not row.real:
        yield stages.mirrored
        return
    orders = (Stages(order, stages.items) for order in permutations(stages.radices))
    yield from sorted(
        dict.fromkeys(orders),
        key=lambda each: (points_held(each.radices, each.items)[-1], -each.radices[0]),
    )


def _numbers_of_rows(
    row: ConvolvedRow, stages: Stages, row_bytes: int, limits: Limits
) -> list[int]:
    """Return how many rows may share a group, for each of its sizes; none if a row has no room."""
    if row_bytes > limits.local_bytes:
        return []
    fitting = [
        rows_that_fit(size // stages.items, row_bytes, limits.most_bytes) for size in limits.sizes
    ]
    if row.real:
        fitting = [in_whole_warps(each, stages.items, limits.lanes) for each in fitting]
    return fitting


def rows_that_fit(most: int, row_bytes: int, most_bytes: int) -> int:
    """Return how many of at most `most` rows share so much local memory: at least one."""
    return max(1, min(most, most_bytes // row_bytes))


def in_whole_warps(rows: int, items: int, lanes: int) -> int:
    """Return the most rows, up to a number of them, that fill warps, or else that number."""
    whole = lanes // gcd(lanes, items)
    return rows // whole * whole or rows
