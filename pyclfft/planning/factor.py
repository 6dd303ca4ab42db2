"""Lengths: which ones have fast algorithms, and how a transform is split into stages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

PRIMES = (2, 3, 5, 7, 11, 13)
RADICES = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 25, 32)  # the codelets of radix.cl
# Radices of the stage, or pass, that knows real numbers, in rows of odd lengths.
REAL_RADICES = (3, 5, 7, 9, 11, 13, 15)
MAX_STAGES = 6
MIN_PARTLY_EMPTY = 16  # points of a row for which vectors with empty lanes pay
MAX_PASSES, LARGEST_OF_PASSES = 8, 16
MAX_STEPS = 4  # of a long transform

# Floating-point operations of each codelet for a point, twiddles within it included.
OPERATIONS = {
    2: 2, 3: 5, 4: 4, 5: 7, 6: 10, 7: 9, 8: 8, 9: 13, 10: 13, 11: 14, 12: 12, 13: 16, 15: 17,
    16: 10, 25: 19, 32: 16,
}  # fmt: skip


def next_fast_len(n: int, primes: Sequence[int] = PRIMES) -> int:
    """Return the smallest length of at least `n` that has no other prime factors than some.

    Parameters
    ----------
    n : int
        At least 1.
    primes : sequence of int
        The prime factors allowed, from 2 on; those that have codelets by default.

    Returns
    -------
    int
    """
    odd = _odd_smooth(primes[-1] * n, primes)
    return min(each * next_power_of_two(-(-n // each)) for each in odd)


def previous_fast_len(n: int, primes: Sequence[int] = PRIMES) -> int:
    """Return the largest length from 1 to `n` that has no other prime factors than `primes`."""
    return max(each << ((n // each).bit_length() - 1) for each in _odd_smooth(n, primes))


def _odd_smooth(limit: int, primes: Sequence[int]) -> list[int]:
    """Return smooth numbers without the factor 2: one power of two takes each to a length."""
    odd = [1]
    for prime in primes[1:]:
        for each in odd:  # which grows meanwhile
            if each * prime <= limit:
                odd.append(each * prime)
    return odd


def next_power_of_two(n: int) -> int:
    """Return the smallest power of two of at least `n`, which is at least 1."""
    return 1 << (n - 1).bit_length()


def is_smooth(n: int) -> bool:
    """Whether all prime factors of a length have codelets."""
    for prime in PRIMES:
        while n % prime == 0:
            n //= prime
    return n == 1


@dataclass(frozen=True)
class Stages:
    """How work-items share a transform in one kernel.

    Attributes
    ----------
    radices : tuple of int
        Of the stages, in order; their product is the length.
    items : int
        Work-items that share a transform.
    """

    radices: tuple[int, ...]
    items: int

    @property
    def n(self) -> int:
        """The transform's length."""
        return prod(self.radices)

    @property
    def reversed(self) -> Stages:
        """The same stages in reverse order."""
        return Stages(self.radices[::-1], self.items)

    @property
    def mirrored(self) -> Stages:
        """The same stages as a palindrome, if there is one."""
        counts = {radix: self.radices.count(radix) for radix in sorted(self.radices)}
        outer = [radix for radix, count in counts.items() for _ in range(count // 2)]
        middle = [radix for radix, count in counts.items() if count % 2]
        if len(middle) > 1:
            return self
        return Stages((*outer, *middle, *reversed(outer)), self.items)

    @property
    def elements(self) -> int:
        """Most points that a work-item holds in any stage."""
        return max(self._held().values())

    def cost(self, split: bool) -> float:
        """Return a relative time: arithmetic, registers that stand empty, exchanges.

        An exchange in two parts costs twice as much, so that fewer stages pay although each
        work-item then holds more than the 16 elements that are best otherwise.
        """
        held = self._held()
        work = sum((6 + OPERATIONS[radix] / 2) * held[radix] for radix in self.radices)
        work *= self.items / self.n
        return work + (4 * len(self.radices) if split else 6 * (self.elements > 16))

    def room(self, banks: int, halves: bool = False) -> int:
        """Return the elements of local memory that exchanges need, gaps included.

        Parameters
        ----------
        banks : int
            Elements of a transform that are served at once, as BANKS in stages.cl.
        halves : bool
            The lower and the upper half are exchanged one after the other.

        Returns
        -------
        int
            0 for a single stage, which exchanges nothing.
        """
        room, span = 0, 1
        for radix in self.radices[:-1]:
            gap = span if radix % 2 == 0 and span < banks else 0  # GAP in stages.cl
            span *= radix
            room = max(room, self.n // span * (span + gap))
        return room // 2 if halves else room

    def _held(self) -> dict[int, int]:
        """Return how many points a work-item holds in a stage of each radix."""
        n, items = self.n, self.items
        return {radix: -(-n // radix // items) * radix for radix in set(self.radices)}


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
) -> Stages | None:
    """Return the cheapest way to share a transform among work-items.

    Parameters
    ----------
    n : int
        Length, at least 1.
    min_items : int
        Fewer are taken only where there is no other way: their loads would be far apart.
    max_items : int
        Limit of the device, and of the other transforms in a group.
    split : bool
        Real and imaginary parts are exchanged one after the other.
    halves : bool
        The lower and the upper half are, which takes even radices, and a large one to be worth it.
    wanted : tuple of int, optional
        The radices to take, if that can be.
    points : int
        That a work-item holds at most, if that can be.
    first : int
        The radix of the first stage, if that is not to be chosen: it divides `n`.

    Returns
    -------
    Stages or None
        None where a prime factor has no codelet, or a work-item would hold too much.
    """
    if n == 1:  # a real row of two numbers is one point, all of whose work is at the ends
        return Stages((1,), 1) if max_items else None
    begin = (first,) if first > 1 else ()
    ways = [(*begin, *rest) for rest in factorisations(n // first, MAX_STAGES - len(begin))]
    if wanted and wanted[: len(begin)] == begin:
        ways.append(wanted)
    candidates = [
        Stages(_largest_last(radices) if halves and radices != wanted else radices, items)
        for radices in ways
        if not halves or (all(radix % 2 == 0 for radix in radices) and max(radices) >= 16)
        for items in _items(radices, min_items, max_items)
    ]
    usable = [each for each in candidates if each.elements <= max(32, max(each.radices))]
    for wish in (lambda each: each.radices == wanted, lambda each: each.elements == points):
        usable = [each for each in usable if wish(each)] or usable
    return min(
        usable,
        key=lambda each: (
            each.items < min_items,
            # The fewest exchanges of halves, as each takes four steps, and no small radix.
            (-max(each.radices), -min(each.radices)) if halves else (0, 0),
            each.cost(split),
            -each.elements,
            each.radices,
        ),
        default=None,
    )


def _largest_last(radices: tuple[int, ...]) -> tuple[int, ...]:
    """Return the order in which a work-item that keeps halves back has most registers left."""
    return (*radices[1:], radices[0])


@lru_cache(maxsize=4096)
def factorisations(n: int, stages: int, largest: int = 32) -> tuple[tuple[int, ...], ...]:
    """Return every product of at most `stages` radices that gives `n`, the largest radix first."""
    if n == 1:
        return ((),)
    if not stages:
        return ()
    return tuple(
        (radix, *rest)
        for radix in RADICES
        if radix <= largest and n % radix == 0
        for rest in factorisations(n // radix, stages - 1, radix)
    )


def _items(radices: tuple[int, ...], least: int, limit: int) -> Iterator[int]:
    """Yield numbers of work-items that own one, two or four of the largest butterflies each.

    Or `least` of them, where those are more and some stage has work for all.
    """
    n = prod(radices)
    fewest, most = n // max(radices), n // min(radices)
    for butterflies in (1, 2, 4):
        items = -(-fewest // butterflies)
        if items <= limit:
            yield items
    if fewest < least <= min(most, limit, n // 4):
        yield least


@lru_cache(maxsize=4096)
def best_passes(n: int, among: tuple[int, ...] = RADICES) -> tuple[int, ...] | None:
    """Return the cheapest radices of passes over `n` points of every lane of a CPU's vectors.

    Parameters
    ----------
    n : int
        At least 1.
    among : tuple of int
        Radices to choose from.

    Returns
    -------
    tuple of int or None
        In ascending order: what is far apart in memory is touched by small radices, which need
        few lines of the cache at once. None where a prime factor has no codelet, or n is 1.
    """
    if n == 1 or not is_smooth(n):
        return None
    candidates = (
        radices[::-1]
        for radices in factorisations(n, MAX_PASSES, LARGEST_OF_PASSES)
        if set(radices) <= set(among)
    )
    return min(candidates, key=lambda radices: (pass_cost(radices), radices), default=None)


def pass_cost(radices: tuple[int, ...]) -> int:
    """Return a relative time: loads and stores, arithmetic, registers that spill.

    More than 8 points, each a vector of real and one of imaginary parts, do not fit the registers,
    and their twiddles even less; the last pass has none.
    """
    work = sum(10 + OPERATIONS[radix] + 4 * (radix > 8) for radix in radices)
    return work + 8 * sum(radix > 8 for radix in radices[:-1])


def real_splits(n: int) -> tuple[int, ...]:
    """Return the radices that a stage of real numbers may have, for rows of `n` of them.

    Rows of even lengths have none: two neighbouring numbers are one of their points.
    """
    return tuple(radix for radix in REAL_RADICES if n % 2 and n % radix == 0 and n > radix)


def shown(radices: tuple[int, ...], real: bool = False) -> str:
    """Return radices for people, such as 16x4x16."""
    return "x".join(map(str, radices)) + (" real" if real else "")


@lru_cache(maxsize=4096)
def lane_rows(n: int, most: int) -> tuple[int, int] | None:
    """Return how a row is a matrix whose rows begin in the lanes of a vector.

    Parameters
    ----------
    n : int
        Length of the row.
    most : int
        Lanes of the device's vectors, a power of two.

    Returns
    -------
    lanes, rows : int
        Lanes of the vectors to take and the rows of the matrix, at most as many; its columns are
        at least as many as lanes. None where no such matrix is smooth. Best are full vectors, even
        of half the lanes, since whole ones are stored; then the most rows, which are all that is
        done at once; then the fewest lanes, so that fewer stay empty.
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


def splits(n: int, parts: int) -> tuple[tuple[int, ...], ...]:
    """Return every product of `parts` factors above 1 that gives `n`, the most even ones first.

    Parameters
    ----------
    n : int
        Length.
    parts : int
        Factors wanted, in ascending order.

    Returns
    -------
    tuple of tuple of int
        Nothing for a length that is not smooth.
    """
    if not is_smooth(n):
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
    """Return the divisors of a smooth length."""
    found = [1]
    for prime in PRIMES:
        powers = [1]
        while n % prime == 0:
            n //= prime
            powers.append(powers[-1] * prime)
        found = [each * power for each in found for power in powers]
    return tuple(sorted(found))
