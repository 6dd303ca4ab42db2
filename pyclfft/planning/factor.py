"""Which lengths have fast algorithms, and how a transform of a length is split into stages."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isqrt, prod, sqrt

PRIMES = (2, 3, 5, 7, 11, 13)
RADICES = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 25, 32)  # the codelets of radix.cl
# The codelets of gpu/primes.cl, which work-groups alone have. A codelet holds its p points and
# p / 2 real sums at once, which are 5 p / 2 numbers, or half as many for a row of real numbers: on
# GPUs a work-item has 255 registers, and a double takes two of them.
LARGE_PRIMES = (17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61)
# The lengths of short rows, each of which one work-item of a GPU transforms alone. They have the
# codelets of radix.cl, or of gpu/shortRows.cl, which a stage of some longer cosine rows has, too.
LONGER_CODELETS = (14, 18, 20, 21, 22, 24, 26, 27, 28, 30)
SHORT_ROWS = (*RADICES, *LONGER_CODELETS)
# Of two stages that `two_even_stages` finds: how many times the smaller radix the other one may be,
# and how many times if its codelet takes long, on an H200.
MOST_UNEVEN, COSTLY, COSTLY_RATIO = 2, (22, 25, 26, 27), 1.45
LARGEST_OF_THREE = 16  # the largest radix of three stages that `three_even_stages` finds
# The radices that a real stage may have, in rows of odd lengths.
REAL_RADICES = (3, 5, 7, 9, 11, 13, 15)
MAX_STAGES = 6
MIN_PARTLY_EMPTY = 16  # the least points of a row for which vectors with empty lanes pay
# A long row in double precision: with more points in each work-item it has too few work-items, and
# a multiprocessor has registers for one row only.
MOST_DOUBLES = 25
MAX_LANE_STAGES, LARGEST_LANE_RADIX = 8, 16  # a CPU kernel's most stages, and their largest radix
FEW_POINTS, MANY_POINTS = 4, 8  # of a CPU kernel's stage, which fit the registers
MAX_STEPS = 4  # the most launches of a long transform
# Of stages whose order `Stages.ending_whole` may change: their most, and their least radix.
MOST_TURNED, LEAST_TURNED = 3, 4

# The floating-point operations of each codelet per point, with the twiddles within the codelet.
OPERATIONS = {
    2: 2, 3: 5, 4: 4, 5: 7, 6: 10, 7: 9, 8: 8, 9: 13, 10: 13, 11: 14, 12: 12, 13: 16, 15: 17,
    14: 11, 16: 10, 18: 15, 20: 11, 21: 14, 22: 16, 24: 13, 25: 19, 26: 18, 27: 24, 28: 13, 30: 19,
    32: 16, **{prime: prime + 3 for prime in LARGE_PRIMES},
}  # fmt: skip
# The same on a GPU, which adds and multiplies in one step. These numbers rank the stages of complex
# points in single precision only: in double precision registers matter more, and 3840 points took
# half as long again on an H200. The number of radix 6 was fitted to the times of that GPU.
FUSED_OPERATIONS = {
    **OPERATIONS, 3: 4, 5: 6.4, 6: 7.7, 7: 8.5, 9: 9.8, 10: 8.4, 12: 8, 15: 10.4, 25: 15.4,
}  # fmt: skip

# How many work-items a GPU's multiprocessor runs at once: its registers, how many of them a
# work-item takes for each of its points and for all else, in steps of how many, and the most
# work-items that hide the time of memory. Fitted to times on an H100.
REGISTERS, REGISTER_STEP, WARP, MOST_RESIDENT = 65536, 8, 32, 1024
REGISTERS_OF_POINT, OTHER_REGISTERS = {"single": 2.4, "double": 7.2}, 48
POINTS_OF_REAL_RADIX = {"single": 0.5, "double": 0.75}  # that a real stage of radix 1 would take


def next_fast_len(n: int, primes: Sequence[int] = PRIMES) -> int:
    """Return the smallest length of at least `n` that has no other prime factors than `primes`.

    Parameters
    ----------
    n : int
        The least length, at least 1.
    primes : sequence of int
        The prime factors allowed, beginning with 2; by default all primes that have codelets.

    Returns
    -------
    int
    """
    most = next_power_of_two(n)  # it is fast itself, so no longer length is wanted
    odd = _odd_smooth(most, tuple(primes))
    lengths = (odd[bisect_left(odd, -(-n >> twos))] << twos for twos in range(most.bit_length()))
    return min(lengths)


def previous_fast_len(n: int, primes: Sequence[int] = PRIMES) -> int:
    """Return the largest length from 1 to `n` that has no other prime factors than `primes`."""
    odd = _odd_smooth(next_power_of_two(n), tuple(primes))
    return max(odd[bisect_right(odd, n >> twos) - 1] << twos for twos in range(n.bit_length()))


@lru_cache(maxsize=128)
def _odd_smooth(limit: int, primes: tuple[int, ...]) -> list[int]:
    """Return the odd numbers that have no other prime factors than `primes`, in order.

    They go up to `limit`, a power of two, and end with this power itself.
    """
    odd = [1]
    for prime in primes[1:]:
        for each in odd:  # the list grows during the loop
            if each * prime <= limit:
                odd.append(each * prime)
    return [*sorted(odd), limit]


def is_power_of_two(n: int) -> bool:
    """Whether n is 1, 2, 4 and so on."""
    return n > 0 and n & (n - 1) == 0


def next_power_of_two(n: int) -> int:
    """Return the smallest power of two that is not less than `n`; `n` is at least 1."""
    return 1 << (n - 1).bit_length()


@lru_cache(maxsize=1024)
def is_prime(n: int) -> bool:
    """Whether n is a prime number."""
    return n > 1 and all(n % divisor for divisor in range(2, isqrt(n) + 1))


def is_smooth(n: int, largest: int = PRIMES[-1]) -> bool:
    """Whether all prime factors of the length `n` have codelets and are not above `largest`."""
    for prime in PRIMES + LARGE_PRIMES:
        while prime <= largest and n % prime == 0:
            n //= prime
    return n == 1


@dataclass(frozen=True)
class Stages:
    """How the work-items of a group share a transform.

    Attributes
    ----------
    radices : tuple of int
        The radices of the stages, in order. Their product is the length.
    items : int
        The number of work-items that share a transform.
    """

    radices: tuple[int, ...]
    items: int

    @property
    def n(self) -> int:
        """The transform's length."""
        return prod(self.radices)

    @property
    def reversed(self) -> Stages:
        """These stages in reverse order."""
        return Stages(self.radices[::-1], self.items)

    @property
    def mirrored(self) -> Stages:
        """These stages in an order that is a palindrome, or unchanged if there is no such order."""
        counts = {radix: self.radices.count(radix) for radix in sorted(self.radices)}
        outer = [radix for radix, count in counts.items() for _ in range(count // 2)]
        middle = [radix for radix, count in counts.items() if count % 2]
        if len(middle) > 1:
            return self
        return Stages((*outer, *middle, *reversed(outer)), self.items)

    @property
    def ending_whole(self) -> Stages:
        """These stages, or in ascending order if the last one leaves work-items idle for a while.

        The stores of that last stage would end in the middle of sectors. More than three stages, or
        those with small radices, keep their order: local memory then costs more than is gained.
        """
        last = self.n // self.radices[-1]
        if last <= self.items or last % self.items == 0:
            return self
        if len(self.radices) > MOST_TURNED or min(self.radices) < LEAST_TURNED:
            return self
        return Stages(tuple(sorted(self.radices)), self.items)

    def pairs_end(self, first: bool) -> bool:
        """Return whether work-items own whole pairs of butterflies of the first, or last, stage."""
        radix = self.radices[0 if first else -1]
        return len(self.radices) > 1 and self.n // radix % (2 * self.items) == 0

    @property
    def elements(self) -> int:
        """The most points that a work-item holds in any stage."""
        return max(points_held(self.radices, self.items))

    def cost(self, split: bool, crowded: bool = False, fused: bool = False) -> float:
        """Return a relative time, made of arithmetic, registers that stand empty, and exchanges.

        With `split` an exchange costs twice as much. Fewer stages then pay, although each work-item
        holds more than 16 elements, which are best otherwise. With `crowded` too, more than
        MOST_DOUBLES elements cost as much as two exchanges. With `fused` the arithmetic is that of
        FUSED_OPERATIONS.
        """
        held = zip(self.radices, points_held(self.radices, self.items), strict=True)
        operations = FUSED_OPERATIONS if fused else OPERATIONS
        work = sum((6 + operations[radix] / 2) * points for radix, points in held)
        work *= self.items / self.n
        if split:
            full = crowded and self.elements > MOST_DOUBLES
            return work + 4 * (len(self.radices) + 2 * full)
        return work + 6 * (self.elements > 16)

    @property
    def cost_alone(self) -> float:
        """A relative time of a row that has a group of its own, in single precision.

        A group of that size takes so many registers that they decide how many groups a
        multiprocessor runs at once, and with them how well it hides the time that memory takes.
        """
        work = self.cost(split=True) + 4 * len(self.radices)
        return work / sqrt(_resident(self.items, self.elements))

    def cost_of_odd_row(
        self, length: int, real_radix: int, most_items: int, precision: str
    ) -> float:
        """Return a relative time of a row of an odd number of real numbers.

        Parameters
        ----------
        length : int
            How many numbers the row has.
        real_radix : int
            The radix of its real stage, of which one of these stages does about half; or 0.
        most_items : int
            About how many work-items a group of several rows has.
        precision : {"single", "double"}
            The precision of the numbers.

        Returns
        -------
        float
            The factors were fitted to an H100's times of 39 lengths from 45 to 9375.
        """
        held = points_held(self.radices, self.items)
        points = float(max(held))
        work = sum(
            (6 + OPERATIONS[radix] / 2) * each
            for radix, each in zip(self.radices, held, strict=True)
        )
        if real_radix:
            kept = real_radix // 2 + 1
            columns = held[self.radices.index(kept)]
            work += OPERATIONS[real_radix] / 4 * columns / kept
            points = max(points, columns + real_radix * POINTS_OF_REAL_RADIX[precision])
        group = self.items * max(1, most_items // self.items)
        time = work * self.items / length + 24 * len(self.radices)
        return float(time / _resident(group, points, precision) ** 0.75)

    def room(self, banks: int, halves: bool = False) -> int:
        """Return the elements of local memory that exchanges need, gaps included.

        Parameters
        ----------
        banks : int
            The number of a transform's elements that local memory serves at once: BANKS in
            group.cl.
        halves : bool
            Whether work-items exchange the lower half first and the upper half after it.

        Returns
        -------
        int
            The number of elements; 0 for a single stage, which exchanges nothing.
        """
        room, span = 0, 1
        for radix in self.radices[:-1]:
            gap = span if radix % 2 == 0 and span < banks else 0  # as in group.cl
            span *= radix
            room = max(room, self.n // span * (span + gap))
        return room // 2 if halves else room


@lru_cache(maxsize=1024)
def two_even_stages(n: int, largest: int) -> Stages | None:
    """Return two stages of about the same radix, with a work-item for each butterfly of the second.

    Their codelets may be those of short rows. If the second radix is much smaller than the first
    one, most work-items idle in the first stage. So a `COSTLY` first radix, whose codelet takes
    long, must not be much larger than the second one.

    Parameters
    ----------
    n : int
        The length.
    largest : int
        The largest radix that the stages may have.

    Returns
    -------
    Stages or None
        The stages, the larger radix first, or None if no two radices are close enough together.
    """
    for large in range(isqrt(n - 1) + 1, largest + 1):
        small = n // large
        if small * large == n and large in SHORT_ROWS and small in SHORT_ROWS:
            ratio = COSTLY_RATIO if large in COSTLY else MOST_UNEVEN
            return Stages((large, small), large) if large <= ratio * small else None
    return None


@lru_cache(maxsize=1024)
def three_even_stages(n: int) -> Stages | None:
    """Return three stages of about the same radix, the smallest one first, or None.

    There are so many work-items that few of them idle in any stage.
    """
    radices = [each for each in SHORT_ROWS if 3 <= each <= LARGEST_OF_THREE and n % each == 0]
    ways = [
        (first, second, n // first // second)
        for first in radices
        for second in radices
        if n % (first * second) == 0
        and first <= second <= n // first // second
        and n // first // second in radices
    ]
    if not ways:
        return None
    best = min(ways, key=lambda each: (each[2] - each[0], each))
    tried = (Stages(best, n // radix) for radix in sorted(set(best), reverse=True))
    return min(tried, key=lambda each: sum(points_held(best, each.items)) * each.items)


@lru_cache(maxsize=8192)  # planning asks about thousands of candidates, each several times
def points_held(radices: tuple[int, ...], items: int) -> tuple[int, ...]:
    """Return the number of points that each of the work-items holds in each stage."""
    n = prod(radices)
    return tuple([-(-n // radix // items) * radix for radix in radices])


def most_elements(radices: tuple[int, ...]) -> int:
    """Return the most points that a work-item may hold.

    The codelet of a large prime needs registers for half as many points again as it has. Other
    stages may use them, too.
    """
    largest = max(radices)
    return max(32, largest + (largest // 2 if largest in LARGE_PRIMES else 0))


def _resident(items: int, points: float, precision: str = "single") -> int:
    """Return about how many work-items a GPU's multiprocessor runs at once: registers decide.

    Parameters
    ----------
    items : int
        The number of work-items of a group.
    points : float
        The number of points that each of them holds.
    precision : {"single", "double"}
        The precision of the points.

    Returns
    -------
    int
    """
    registers = REGISTERS_OF_POINT[precision] * points + OTHER_REGISTERS
    groups = resident_groups(-(-items // WARP) * WARP, registers)
    return min(MOST_RESIDENT, groups * items)


def resident_groups(items: int, registers: float) -> int:
    """Return for how many groups a multiprocessor has registers: at least one.

    Parameters
    ----------
    items : int
        The number of work-items of a group, in whole warps.
    registers : float
        The number of registers of each of them.

    Returns
    -------
    int
    """
    registers = -(-registers // REGISTER_STEP) * REGISTER_STEP
    return max(1, int(REGISTERS // (registers * items)))


@lru_cache(maxsize=4096)
def best_stages(
    n: int,
    min_items: int,
    max_items: int,
    split: bool = False,
    halves: bool = False,
    wanted: tuple[int, ...] | None = None,
    points: int = -1,
    first: int = 1,
    largest: int = PRIMES[-1],
    crowded: bool = False,
    fused: bool = False,
) -> Stages | None:
    """Return the cheapest way to share a transform among work-items.

    Parameters
    ----------
    n : int
        The length, at least 1.
    min_items : int
        The least number of work-items for which their loads are close together. Fewer work-items
        are taken only if there is no other way.
    max_items : int
        The most work-items that the device, and the other transforms of the group, allow.
    split : bool
        Whether work-items exchange the real parts first and the imaginary parts after them.
    halves : bool
        Whether work-items exchange the lower half first and the upper half after it. This takes
        even radices, and pays only if one of them is at least 16.
    wanted : tuple of int, optional
        The radices to take if they can be taken.
    points : int
        The most points that a work-item is to hold in a stage, if there are such stages.
    first : int
        The radix of the first stage, a divisor of `n`; 1 leaves the choice to this function.
    largest : int
        The largest prime radix that the stages may have.
    crowded : bool
        Whether points are in double precision, so that those of a long row take many registers.
    fused : bool
        Whether a launch takes complex points to complex results in single precision on a GPU, so
        that `FUSED_OPERATIONS` decide.

    Returns
    -------
    Stages or None
        The stages, or None if a prime factor has no codelet or a work-item would hold too much.
    """
    if n == 1:  # a real row of two numbers is one point: loading and storing is all its work
        return Stages((1,), 1) if max_items else None
    begin = (first,) if first > 1 else ()
    if not is_smooth(n, largest):
        return None
    ways = [(*begin, *rest) for rest in factorisations(n // first, MAX_STAGES - len(begin))]
    if wanted and wanted[: len(begin)] == begin:
        ways.append(wanted)
    ways = [each for each in ways if n <= max_items * most_elements(each)]
    if halves:
        ways = [
            radices if radices == wanted else _largest_last(radices)
            for radices in ways
            if all(radix % 2 == 0 for radix in radices) and max(radices) >= 16
        ]

    def rank(radices: tuple[int, ...], items: int, elements: int, cost: float) -> tuple:
        return (
            radices != wanted,
            points > 0 and elements != points,
            items < min_items,
            # Each exchange of halves takes four steps: large radices make exchanges few.
            (-max(radices), -min(radices)) if halves else (),
            cost,
        )

    # The ways come in the order of the best ranks that they may have. Most are not looked at.
    bounds = [
        (rank(each, min_items, points, _least_cost(each, split, fused)), each) for each in ways
    ]
    best: tuple[tuple, Stages] | None = None
    for bound, radices in sorted(bounds):
        if best is not None and bound > best[0]:
            break
        for items in items_to_try(radices, min_items, max_items):
            each = Stages(radices, items)
            held = each.elements
            if held <= most_elements(radices):
                cost = each.cost(split, crowded, fused)
                ranked = (*rank(radices, items, held, cost), -held, radices)
                if best is None or ranked < best[0]:
                    best = ranked, each
    return None if best is None else best[1]


def _least_cost(radices: tuple[int, ...], split: bool, fused: bool) -> float:
    """Return a bound below every `Stages.cost` of stages with these radices.

    It is the cost of work-items that are all busy in each stage, less what rounding may take off.
    """
    operations = FUSED_OPERATIONS if fused else OPERATIONS
    work = sum(6 + operations[radix] / 2 for radix in radices)
    return (1 - 1e-9) * (work + 4 * len(radices) * split)


@lru_cache(maxsize=4096)
def best_stages_of_odd_row(
    n: int, length: int, real_radix: int, least: int, limit: int, most_items: int, precision: str
) -> Stages | None:
    """Return the cheapest way to share a row of an odd number of real numbers.

    Parameters
    ----------
    n : int
        The number of points that the stages transform.
    length, real_radix, most_items, precision
        What `Stages.cost_of_odd_row` takes.
    least, limit : int
        The least number of work-items for which their loads are close together, and the most that
        the device allows.

    Returns
    -------
    Stages or None
        The stages, of which the first one is the real stage; None if a work-item would hold too
        much.
    """
    begin = (real_radix // 2 + 1,) if real_radix else ()
    if not is_smooth(n, LARGE_PRIMES[-1]):
        return None
    candidates = (
        Stages((*begin, *rest), items)
        for rest in factorisations(n // prod(begin), MAX_STAGES - len(begin))
        for items in _items_of_any((*begin, *rest), limit)
    )
    usable = (each for each in candidates if each.elements <= most_elements(each.radices))

    def rank(each: Stages) -> tuple:
        cost = each.cost_of_odd_row(length, real_radix, most_items, precision)
        return each.items < least, cost, each.items

    return min(usable, key=rank, default=None)


def _largest_last(radices: tuple[int, ...]) -> tuple[int, ...]:
    """Return the radices in the order that leaves most registers to a work-item.

    In an exchange of halves a work-item keeps one half in registers meanwhile.
    """
    return (*radices[1:], radices[0])


@lru_cache(maxsize=4096)
def best_stages_alone(
    n: int, max_items: int, banks: int, most_room: int, halves: bool = False
) -> Stages | None:
    """Return the cheapest way to share a row that has a group of its own, in single precision.

    The search is wider than that of `best_stages`: it tries more numbers of work-items, and orders
    of the radices that need less local memory.

    Parameters
    ----------
    n : int
        The length, at least 2.
    max_items : int
        The most work-items that the device allows.
    banks : int
        The number of elements that local memory serves at once.
    most_room : int
        The number of elements for which there is local memory.
    halves : bool
        Whether work-items exchange the lower half first and the upper half after it.

    Returns
    -------
    Stages or None
        The stages, or None if none has enough room, or with `halves` if none has even radices.
    """
    candidates = (
        Stages(order, items)
        for radices in factorisations(n, MAX_STAGES, max(RADICES))
        if not halves or (all(radix % 2 == 0 for radix in radices) and max(radices) >= 16)
        for order in _orders(radices)
        if Stages(order, 1).room(banks, halves) <= most_room
        for items in _items_of_any(order, max_items)
    )
    usable = (each for each in candidates if each.elements <= most_elements(each.radices))
    return min(usable, key=lambda each: (each.cost_alone, each.items), default=None)


def _orders(radices: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield radices in ascending order and then the odd ones first, which leaves fewer gaps.

    The largest radix comes last, because the stores of its stage then end in whole rows of
    work-items.
    """
    ascending = tuple(sorted(radices))
    yield ascending
    odd_first = tuple(sorted(radices, key=lambda radix: (radix % 2 == 0, radix)))
    if odd_first != ascending:
        yield odd_first


def _items_of_any(radices: tuple[int, ...], limit: int) -> set[int]:
    """Return the numbers of work-items that have up to four whole butterflies of some radix."""
    n = prod(radices)
    found = {-(-n // radix // many) for radix in set(radices) for many in range(1, 5)}
    return {items for items in found if items <= limit}


@lru_cache(maxsize=4096)
def factorisations(n: int, stages: int, largest: int = 64) -> tuple[tuple[int, ...], ...]:
    """Return every product of at most `stages` radices that gives `n`, largest radices first.

    No radix is above `largest`. Large primes are among the radices.
    """
    if n == 1:
        return ((),)
    if n > largest**stages:  # even the largest radix in each stage gives too little
        return ()
    return tuple(
        (radix, *rest)
        for radix in RADICES + LARGE_PRIMES
        if radix <= largest and n % radix == 0
        for rest in factorisations(n // radix, stages - 1, radix)
    )


def items_to_try(radices: tuple[int, ...], least: int, limit: int) -> Iterator[int]:
    """Yield the numbers of work-items to try for a transform.

    With these numbers each work-item owns one, two or four butterflies of the largest radix. If
    that is a large prime, the other radices may have to yield the number of work-items, so that
    none of them holds too much. If `least` work-items are more than that and some stage has work
    for all, `least` comes last.
    """
    n = prod(radices)
    fewest, most = n // max(radices), n // min(radices)
    for butterflies in (1, 2, 4):
        items = -(-fewest // butterflies)
        if items <= limit:
            yield items
    if max(radices) in LARGE_PRIMES:
        yield from (
            items
            for radix in set(radices)
            for butterflies in range(1, 5)
            if (items := -(-n // radix // butterflies)) <= limit
        )
    if fewest < least <= min(most, limit, n // 4):
        yield least


@lru_cache(maxsize=4096)
def best_lane_radices(
    n: int, among: tuple[int, ...] = RADICES, fit: int = FEW_POINTS
) -> tuple[int, ...] | None:
    """Return the cheapest radices of a CPU kernel's stages, where each lane has `n` points.

    Parameters
    ----------
    n : int
        The number of points, at least 1.
    among : tuple of int
        The radices to choose from.
    fit : int
        How many points fit the registers (see `lane_cost`).

    Returns
    -------
    tuple of int or None
        The radices in ascending order: the first stages take points that are far apart in memory,
        and small radices need few lines of the cache at once. None if no such radices have the
        product n, or n is 1.
    """
    if n == 1 or not is_smooth(n):
        return None
    few = fit < MANY_POINTS
    candidates: list[tuple[int, tuple[int, ...]]] = [
        (cost + _stage_cost(last, few), (*radices, last))
        for last in among
        if last < n and last <= LARGEST_LANE_RADIX and n % last == 0
        for cost, radices in _cheapest_before(n // last, MAX_LANE_STAGES - 1, last, among, few)
    ]
    if n in among and n <= LARGEST_LANE_RADIX:
        candidates.append((lane_cost((n,), fit), (n,)))
    return min(candidates)[1] if candidates else None


@lru_cache(maxsize=4096)
def _cheapest_before(
    n: int, stages: int, largest: int, among: tuple[int, ...], few: bool
) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Return the cost and the radices of the cheapest stages that come before a last one.

    The result is empty if at most `stages` radices, none above `largest`, cannot have the product
    `n`. Whatever the last of the cheapest stages is, the others are the cheapest ones for the rest
    of the product. So this search need not look at every product of radices.
    """
    if n == 1:
        return ((0, ()),)
    if n > largest**stages:
        return ()
    found = [
        (cost + _stage_cost(radix, few) + _spill_cost(radix, few), (*radices, radix))
        for radix in among
        if radix <= largest and n % radix == 0
        for cost, radices in _cheapest_before(n // radix, stages - 1, radix, among, few)
    ]
    return (min(found),) if found else ()


def lane_cost(radices: tuple[int, ...], fit: int = FEW_POINTS) -> int:
    """Return a relative time, made of loads and stores, arithmetic, and registers that spill.

    Parameters
    ----------
    radices : tuple of int
        The radices of the stages, in order.
    fit : int
        How many points fit the registers, `FEW_POINTS` or `MANY_POINTS`: each is a vector of real
        parts and a vector of imaginary parts. With twiddles fewer fit; the last stage has none.

    Returns
    -------
    int
    """
    few = fit < MANY_POINTS and len(radices) > 1  # one stage of 9 to 16 points is quicker than two
    stages = sum(_stage_cost(radix, few) for radix in radices)
    return stages + sum(_spill_cost(radix, few) for radix in radices[:-1])


def _stage_cost(radix: int, few: bool) -> int:
    """Return a relative time of a stage without twiddles, if few or many points fit registers."""
    return 10 + OPERATIONS[radix] + (10 if few else 4) * (radix > 8)


def _spill_cost(radix: int, few: bool) -> int:
    """Return by how much twiddles slow down a stage, because fewer of its points fit registers."""
    return 8 * (radix > 8) + 4 * (few and radix > 4)


def real_splits(n: int) -> tuple[int, ...]:
    """Return the radices that the real stage may have in a row of `n` real numbers.

    A row of an even length has no real stage: two neighbouring numbers are one point instead.
    """
    return tuple(radix for radix in REAL_RADICES if n % 2 and n % radix == 0 and n > radix)


def shown(radices: tuple[int, ...], real: bool = False) -> str:
    """Return radices as a text for people, for example 16x4x16."""
    return "x".join(map(str, radices)) + (" real" if real else "")


@lru_cache(maxsize=4096)
def lane_rows(n: int, most: int) -> tuple[int, int] | None:
    """Return how a row of points becomes a matrix whose rows stand in the lanes of vectors.

    Parameters
    ----------
    n : int
        The number of points of the row.
    most : int
        The number of lanes of the device's vectors, a power of two.

    Returns
    -------
    lanes, rows : int
        The number of lanes of the vectors to use, and the number of rows of the matrix. There are
        at most as many rows, and at least as many columns, as lanes. None if no such matrix is
        possible. Best are full vectors, even with half of the lanes, because vectors are stored
        whole. Then most rows are best, because all rows are done at once, and then fewest lanes,
        because fewer stay empty.
    """
    if not is_smooth(n):
        return None
    found = [
        (rows == lanes >= most // 2, rows, -lanes)
        for lanes in (16, 8, 4, 2)
        if lanes <= most
        for rows in RADICES
        if rows <= lanes <= n // rows and n % rows == 0
        if rows == lanes or n >= MIN_PARTLY_EMPTY
    ]
    if not found:
        return None
    _, rows, lanes = max(found)
    return -lanes, rows


def splits(n: int, parts: int, largest: int = PRIMES[-1]) -> tuple[tuple[int, ...], ...]:
    """Return every product of `parts` factors above 1 that gives `n`, the most even ones first.

    Parameters
    ----------
    n : int
        The length to split.
    parts : int
        The number of factors.
    largest : int
        The largest prime factor that `n` may have.

    Returns
    -------
    tuple of tuple of int
        The products, each as its factors in ascending order; empty if `n` is not smooth.
    """
    if not is_smooth(n, largest):
        return ()
    return tuple(sorted(_splits(n, parts, 2), key=lambda each: (max(each), -min(each))))


def _splits(n: int, parts: int, least: int) -> Iterator[tuple[int, ...]]:
    if parts == 1:
        if n >= least:
            yield (n,)
        return
    for first in divisors(n):
        if first >= least and first**parts <= n:
            for rest in _splits(n // first, parts - 1, first):
                yield (first, *rest)


@lru_cache(maxsize=1024)
def divisors(n: int) -> tuple[int, ...]:
    """Return the divisors, in ascending order, of a length whose prime factors have codelets."""
    found = [1]
    for prime in PRIMES + LARGE_PRIMES:
        powers = [1]
        while n % prime == 0:
            n //= prime
            powers.append(powers[-1] * prime)
        found = [each * power for each in found for power in powers]
    return tuple(sorted(found))
