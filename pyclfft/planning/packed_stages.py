"""The stages of real rows of an even length on GPUs: which radices, and how many work-items.

Two neighbouring numbers of a row are one point of a packed transform. Near its numbers the
transform loads or stores points. Near its spectrum it exchanges mirror images. What is quick for
one of these ends is not quick for the other one, so the radices have an order of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from math import prod

from .factor import Stages, factorisations, is_smooth
from .precision import COMPLEX_DTYPE

FEWEST_POINTS = 32  # of rows whose stages are chosen here
MOST_STAGES, MORE_STAGES = 4, 1  # at most; at most so many more than the fewest possible
LEAST_RADIX, MOST_RADIX = 3, 16
MOST_NEAR_QUADS = 6  # the largest radix near numbers that are loaded, or stored, four at once
MOST_ELEMENTS = 16  # that a work-item holds
FEWEST_ITEMS, FEWEST_POINTS_EACH = 16, 4  # of a row; fewer work-items if they had fewer points each
# Where no stages of a short row pair numbers within these bounds: the least radix near numbers, and
# the fewest points of a work-item, with which they may.
SHORT, LEAST_NEAR_OF_SHORT, FEWEST_POINTS_OF_SHORT = 128, 2, 8
# Rows whose points take more bytes are long ones. They have four stages, and need more points for
# each work-item.
MOST_BYTES, MOST_ELEMENTS_OF_LONG = 2**15, 24
BUTTERFLIES = 4  # the most that a work-item has in the stage that yields the number of work-items
MOST_IDLE = 1.0  # the most work-items that idle in a stage, for each that works

LACKING = 512  # points of a row that loads four numbers at once; 4x16x8 is quickest there
CROWDED, MOST_OF_CROWDED = 2048, 8  # points of a row, and the most of them that a work-item holds

MIRRORED_ITEMS = {"single": 128, "double": 32}  # from which on it pays to own mirror images
MOST_QUICK = 12  # points of a work-item, up to which stages are quick
# Radices near the spectrum of rows whose numbers are stored one by one: odd ones and 12 take too
# many registers.
QUICK = (6, 8, 10, 16)
# Up to which radix near the spectrum of short rows a larger one pays although work-items then hold
# more points.
LARGE_FAR = {"single": 10, "double": 0}
SLOW = (11, 12, 13, 15)  # radices that take many registers in any stage


@dataclass(frozen=True)
class Choice:
    """How stages of one kind of row are chosen.

    Attributes
    ----------
    most_bytes : dict of str to int
        The most bytes of the points of a row, for each precision.
    rank : function
        What makes stages of a precision quicker than others, the most important first: numbers, of
        which less is better. The radix near the numbers of the row is the first radix.
    """

    most_bytes: dict[str, int]
    rank: Callable[[Stages, str], tuple[float, ...]]


def idle(stages: Stages, number: int) -> float:
    """Return how many work-items idle in a stage, for each that works."""
    butterflies = stages.n // stages.radices[number]
    return -(-butterflies // stages.items) * stages.items / butterflies - 1


def _crowds(stages: Stages, precision: str) -> bool:
    """Return whether rows of 4096 numbers should have other stages, as all other rows may not.

    They were 3 % quicker on an H100, and 2 % on an H200, if work-items held 8 points rather than 16
    and owned both numbers of mirror images. Rows of 3000 numbers were not.
    """
    few = stages.elements <= MOST_OF_CROWDED and mirrors(stages, precision)
    return (stages.n, precision) == (CROWDED, "single") and not few


def _lacks_large_radix(stages: Stages) -> bool:
    """Return whether rows of 1024 numbers of type II should have other stages.

    4x16x8 was 1 % quicker than 4x4x4x8 in single precision on an H100, and 7 % in double precision.
    """
    return stages.n == LACKING and (len(stages.radices) > 3 or stages.items < LACKING // 8)


def mirrors(stages: Stages, precision: str) -> bool:
    """Return whether work-items own both numbers of mirror images in the spectrum (packed.cl)."""
    even = stages.radices[-1] % 2 == 0
    return even and stages.items >= MIRRORED_ITEMS[precision] and stages.pairs_end(first=False)


def _rank_of_four_loaded(each: Stages, precision: str) -> tuple[float, ...]:
    """Return the rank of stages of rows whose numbers are loaded four at once.

    In trials, long rows in single precision were quick if the stage before the last one had a small
    radix, and all other rows if work-items held few points.
    """
    near, far = each.radices[0], each.radices[-1]
    if _is_long(each, precision) and precision == "single":
        return idle(each, -1), each.radices[-2], each.elements
    return _lacks_large_radix(each), idle(each, -1), each.elements, near, -far


def _rank_of_four_stored(each: Stages, precision: str) -> tuple[float, ...]:
    """Return the rank of stages of rows whose numbers are stored four at once.

    In trials, most rows were quick if the radix near the spectrum was large, long rows if the radix
    of the second stage was large (in single precision only if work-items owned mirror images), and
    short rows if they had few stages.
    """
    second, far = each.radices[1], each.radices[-1]
    idle_in_all = sum(idle(each, number) for number in range(len(each.radices)))
    if _is_long(each, precision):
        if precision == "single":
            return not mirrors(each, precision), -second
        return idle(each, -1), idle_in_all, -second, sum(each.radices)
    if each.n < SHORT:
        large = min(far, LARGE_FAR[precision])
        return idle(each, -1), len(each.radices), -large, each.elements, -far, sum(each.radices)
    if precision == "double":
        return far % 2, -far, idle_in_all, len(each.radices)
    crowded = each.elements > MOST_QUICK
    slow = any(radix in SLOW for radix in each.radices)
    return idle(each, -1), -far, crowded, -min(each.radices), slow


def _is_long(stages: Stages, precision: str) -> bool:
    """Return whether the points of a row take more than MOST_BYTES."""
    return stages.n * COMPLEX_DTYPE[precision].itemsize > MOST_BYTES


# By what a launch reads, and by whether it reads or writes four neighbouring numbers at once
# (quads.cl). Found by trial of up to 27 lengths in both precisions on an H200, and compared with
# other stages of 52 lengths on an H200 and an H100. In single precision compared again with up to
# 50 other stages and groups of 10 lengths from 96 to 12000 on an H100. With four neighbours at once
# found anew on an H100, by trial of up to 56 stages of each of 47 lengths in both precisions.
CHOICES = {
    ("REAL", False): Choice(
        {"single": 2**14, "double": 2**14},
        lambda each, precision: (
            _crowds(each, precision), idle(each, 0), idle(each, -1), len(each.radices),
            each.elements, -each.items,
        ),
    ),
    ("HERMITIAN", False): Choice(
        {"single": 3 * 2**14, "double": MOST_BYTES},
        lambda each, precision: (
            idle(each, -1), not mirrors(each, precision), len(each.radices) > 2,
            each.radices[-1] not in QUICK, -each.radices[-1], len(each.radices),
            any(radix in SLOW for radix in each.radices), each.elements, -each.radices[0],
            sum(each.radices),
        ),
    ),
    ("REAL", True): Choice({"single": 5 * 2**13, "double": 3 * 2**14}, _rank_of_four_loaded),
    ("HERMITIAN", True): Choice({"single": 3 * 2**14, "double": 5 * 2**14}, _rank_of_four_stored),
}  # fmt: skip


@lru_cache(maxsize=4096)
def packed_stages(
    n: int, source: str, quads: bool, most_items: int, precision: str
) -> tuple[Stages, ...]:
    """Return stages of packed rows on a GPU, of which the first ones should be quickest.

    Parameters
    ----------
    n : int
        The number of points of a row: half of its numbers.
    source : {"REAL", "HERMITIAN"}
        What the launch reads: numbers, or half of their spectrum.
    quads : bool
        Whether work-items load, or store, four neighbouring numbers at once. Each of them then owns
        whole pairs of butterflies in the stage near the numbers.
    most_items : int
        The most work-items that a row may have.
    precision : {"single", "double"}
        The precision of the numbers.

    Returns
    -------
    tuple of Stages
        The stages; none if the row is too short or too long for this choice.
    """
    choice, nbytes = CHOICES[source, quads], n * COMPLEX_DTYPE[precision].itemsize
    if n < FEWEST_POINTS or nbytes > choice.most_bytes[precision] or not is_smooth(n):
        return ()
    most_elements = MOST_ELEMENTS if nbytes <= MOST_BYTES else MOST_ELEMENTS_OF_LONG
    fewest = min(FEWEST_ITEMS, n // FEWEST_POINTS_EACH)
    bounds = Bounds(LEAST_RADIX, fewest, most_items, most_elements)
    found = _found(n, quads, bounds)
    if quads and not found and n < SHORT:
        # The shortest row, of 32 points, keeps a small radix that pairs numbers: 2x4x4.
        if source == "REAL" and n > FEWEST_POINTS:
            return packed_stages(n, source, False, most_items, precision)
        least = n // FEWEST_POINTS_OF_SHORT
        found = _found(n, quads, Bounds(LEAST_NEAR_OF_SHORT, least, most_items))
    most = min((len(each.radices) for each in found), default=0) + MORE_STAGES
    few = [each for each in found if len(each.radices) <= most]
    few.sort(key=lambda each: (*choice.rank(each, precision), each.radices, each.items))
    return tuple(each.reversed if source == "HERMITIAN" else each for each in few)


@dataclass(frozen=True)
class Bounds:
    """What stages are looked for.

    Attributes
    ----------
    least_near : int
        The least radix near the numbers.
    fewest, most : int
        The fewest and the most work-items of a row.
    most_elements : int
        The most points that a work-item holds.
    """

    least_near: int
    fewest: int
    most: int
    most_elements: int = MOST_ELEMENTS


def _found(n: int, quads: bool, bounds: Bounds) -> list[Stages]:
    """Return the stages within bounds; for `quads` those that pair numbers near the numbers."""
    return [
        each
        for radices in factorisations(n, MOST_STAGES, MOST_RADIX)
        if (numbers := _numbers_of_items(radices, bounds))
        for order in _orders(radices, bounds.least_near)
        if not quads or order[0] <= MOST_NEAR_QUADS
        for each in (Stages(order, items) for items in numbers)
        if not quads or each.pairs_end(first=True)
    ]


def _orders(radices: tuple[int, ...], least_near: int) -> Iterator[tuple[int, ...]]:
    """Yield radices in every order in which none is too small: the first one is near numbers."""
    if min(radices) >= min(least_near, LEAST_RADIX):
        for order in set(permutations(radices)):
            if order[0] >= least_near and min(order[1:], default=LEAST_RADIX) >= LEAST_RADIX:
                yield order


def _numbers_of_items(radices: tuple[int, ...], bounds: Bounds) -> list[int]:
    """Return how many work-items may share these stages, in any order, so that few of them idle."""
    n = prod(radices)
    numbers = {
        -(-n // radix // many) for radix in set(radices) for many in range(1, BUTTERFLIES + 1)
    }
    return [
        items
        for items in numbers
        if bounds.fewest <= items <= bounds.most
        and (each := Stages(radices, items)).elements <= bounds.most_elements
        and all(idle(each, number) <= MOST_IDLE for number in range(len(radices)))
    ]
