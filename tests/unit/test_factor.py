"""Fast lengths, stages, and the roots of unity that every algorithm builds on."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from itertools import combinations_with_replacement
from math import isqrt, prod

import mpmath
import numpy as np
import pytest

from pyclfft.planning.factor import (
    MAX_STAGES,
    RADICES,
    Stages,
    best_stages,
    factorisations,
    is_smooth,
    next_fast_len,
    next_power_of_two,
    splits,
    three_even_stages,
    two_even_stages,
)
from pyclfft.planning.roots import chirp_of, roots_of_products, roots_of_unity
from pyclfft.planning.tables import ChirpSpectrum, StageTwiddles
from pyclfft.runtime.program import source_text

LARGEST = 4096


@cache
def smooth_lengths():
    """All lengths from 2 to LARGEST without a prime factor above 13, by a sieve."""
    smooth = np.ones(LARGEST + 1, bool)
    for prime in (p for p in range(17, LARGEST + 1) if all(p % d for d in range(2, isqrt(p) + 1))):
        smooth[::prime] = False
    return [int(n) for n in np.flatnonzero(smooth) if n > 1]


@cache
def products():
    """Every product of up to MAX_STAGES radices, the largest first, by its value."""
    found = defaultdict(set)
    for stages in range(1, MAX_STAGES + 1):
        for radices in combinations_with_replacement(sorted(RADICES, reverse=True), stages):
            if prod(radices) <= LARGEST:
                found[prod(radices)].add(radices)
    return found


# --- lengths --------------------------------------------------------------------------------------


def test_is_smooth():
    assert [n for n in range(2, LARGEST + 1) if is_smooth(n)] == smooth_lengths()
    assert is_smooth(1)
    assert is_smooth(2**20 * 3**5 * 13**4)
    assert not is_smooth(2**20 * 17)
    for largest in (17, 31, 61):
        assert is_smooth(2**20 * largest**2, largest)
        assert not is_smooth(2**20 * largest, largest - 1)
    assert not is_smooth(67, 67)  # which has no codelet


@pytest.mark.parametrize(
    ("n", "fast"),
    [
        (1, 1),
        (3, 3),
        (16, 16),
        (17, 18),
        (97, 98),
        (1000, 1000),
        (1009, 1014),
        (2**20 - 1, 2**20),
        (13**6, 13**6),
        (13**9 - 1, 13**9),
    ],
)
def test_next_fast_len(n, fast):
    assert next_fast_len(n) == fast


def test_next_fast_len_of_many():
    assert [next_fast_len(n) for n in range(2, LARGEST + 1)] == [
        next(each for each in smooth_lengths() if each >= n) for n in range(2, LARGEST + 1)
    ]


def test_next_fast_len_of_huge_lengths_takes_no_search():
    fast = next_fast_len(2**60 + 1)
    assert 2**60 < fast < 1.01 * 2**60
    assert is_smooth(fast)


@pytest.mark.parametrize(
    ("n", "power"), [(1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (1000, 1024), (2**40 + 1, 2**41)]
)
def test_next_power_of_two(n, power):
    assert next_power_of_two(n) == power


# --- stages ---------------------------------------------------------------------------------------


def test_every_radix_has_a_codelet():
    source = source_text("radix.cl")
    for radix in RADICES:
        assert re.search(
            rf"void fft{radix}\(|^(COPRIME|COMPOSITE)_RADIX\({radix},", source, re.MULTILINE
        )


def test_factorisations():
    for n in smooth_lengths():
        found = list(factorisations(n, MAX_STAGES))
        assert len(found) == len(set(found))
        assert set(found) == products()[n]
    assert list(factorisations(1, MAX_STAGES)) == [()]
    assert list(factorisations(1023, MAX_STAGES)) == [(31, 11, 3)]
    assert not list(factorisations(2 * 67, MAX_STAGES))


def most_elements(radices, items):
    """Points that the busiest of the work-items holds in its fullest stage, by counting them."""
    n = prod(radices)
    held = []
    for radix in radices:
        butterflies = [0] * items
        for j in range(n // radix):
            butterflies[j % items] += 1
        held.append(max(butterflies) * radix)
    return max(held)


@pytest.mark.parametrize("max_items", [512, 256, 64, 16, 1])
@pytest.mark.parametrize("min_items", [1, 4])
def test_best_stages_of_every_length(min_items, max_items):
    for n in smooth_lengths():
        stages = best_stages(n, min_items, max_items)
        if stages is None:  # a work-item holds 32 points at most
            assert n > 13 * max_items
            continue
        assert stages.n == prod(stages.radices) == n
        assert stages.radices in products()[n]
        assert 1 <= stages.items <= max_items
        assert stages.elements == most_elements(stages.radices, stages.items)
        assert stages.elements <= 32


@pytest.mark.parametrize("split", [False, True])
@pytest.mark.parametrize("min_items", [1, 8, 64])
def test_no_stages_are_cheaper_than_the_best(min_items, split):
    """The search ends early: here all products are compared."""
    for n in smooth_lengths()[::7]:
        costs = [
            Stages(radices, items).cost(split)
            for radices in products()[n]
            for butterflies in (1, 2, 4)
            for items in {-(-n // max(radices) // butterflies)}
            if min_items <= items <= 256 and most_elements(radices, items) <= 32
        ]
        found = best_stages(n, min_items, 256, split)
        if costs:
            assert found.items >= min_items
            assert found.cost(split) <= min(costs)


def test_every_smooth_length_has_stages_on_a_usual_device():
    assert all(best_stages(n, 4, 512) for n in smooth_lengths())
    # In half as many work-items, those with factors 11 and 13 do not all fit.
    assert [n for n in smooth_lengths() if not best_stages(n, 4, 256)] == [
        3432, 3575, 3718, 3861, 4004,
    ]  # fmt: skip


def test_one_work_item_takes_what_fits_its_registers():
    assert [n for n in smooth_lengths() if best_stages(n, 4, 1)] == [
        n for n in smooth_lengths() if n <= 32
    ]


@pytest.mark.parametrize("min_items", [1, 4, 8])
def test_few_work_items_only_where_there_is_no_other_way(min_items):
    for n in smooth_lengths():
        stages = best_stages(n, min_items, 512)
        if stages.items < min_items:  # in the largest radix, a butterfly for each is the most
            assert all(n // radices[0] < min_items for radices in products()[n])


@pytest.mark.parametrize("n", [17, 97, 2 * 17, 1009, 4096 * 17])
def test_no_stages_for_other_primes(n):
    assert best_stages(n, 1, 1024) is None


def test_one_point_has_a_stage_that_does_nothing():
    assert best_stages(1, 4, 8) == Stages((1,), 1)
    assert best_stages(1, 4, 0) is None


def test_no_stages_without_work_items():
    assert best_stages(8, 1, 0) is None


def test_no_stages_for_more_than_work_items_hold():
    assert best_stages(4096, 1, 64) is None
    assert best_stages(2048, 1, 64).elements == 32
    assert best_stages(2**20, 1, 512) is None


@pytest.mark.parametrize("split", [False, True])
def test_what_costs(split):
    def cost(items, *radices):
        return Stages(radices, items).cost(split)

    assert cost(8, 8, 8) < cost(5, 8, 8)  # registers that stand empty
    assert cost(8, 8, 8) < cost(32, *[2] * 6)  # more exchanges
    assert (cost(32, 32, 32) < cost(64, 16, 16, 4)) == split  # many registers


def test_long_rows_of_doubles_have_few_points_for_each_work_item():
    assert best_stages(5000, 8, 512, True) == Stages((25, 25, 8), 200)
    assert best_stages(5000, 8, 512, True, crowded=True) == Stages((10, 10, 10, 5), 250)


def test_room_holds_every_exchange():
    assert Stages((16,), 1).room(16) == 0
    for radices in ((16, 16), (2, 2, 2, 2), (5, 4, 3), (4, 3, 5), (9, 7), (32, 32, 2)):
        for banks in (8, 16, 32):
            places, span = [], 1
            for radix in radices[:-1]:
                gap = span if radix % 2 == 0 and span < banks else 0
                span *= radix
                places += [i + i // span * gap for i in range(prod(radices))]
            assert max(places) < Stages(radices, 1).room(banks) <= 1.5 * prod(radices)


@pytest.mark.parametrize("halves", [False, True])
def test_stages_in_halves_have_even_radices(halves):
    for n in smooth_lengths():
        stages = best_stages(n, 4, 512, True, halves)
        if halves:
            assert stages is None or not any(radix % 2 for radix in stages.radices)
        else:
            assert stages is not None
    assert best_stages(2**14, 4, 512, True, True).items == 512
    assert best_stages(3**6, 4, 512, True, True) is None


@pytest.mark.parametrize(
    ("n", "largest", "radices"),
    [
        (126, 32, (14, 9)), (240, 32, (16, 15)), (98, 32, (14, 7)), (400, 32, (20, 20)),
        (240, 15, None), (640, 32, (32, 20)), (640, 20, None),  # the larger radix is allowed or not
        (105, 32, None),  # 15 is more than twice 7,
        (250, 32, None), (396, 32, (22, 18)), (330, 32, None),  # and 25 and 22 take longer
        (1155, 32, None), (34, 32, None),  # 35 and 17 have no codelet
    ],
)  # fmt: skip
def test_two_even_stages(n, largest, radices):
    stages = two_even_stages(n, largest)
    assert (stages and stages.radices) == radices
    assert stages is None or stages.items == radices[0]


@pytest.mark.parametrize(
    ("n", "radices", "items"),
    [
        (882, (7, 9, 14), 63), (429, (3, 11, 13), 39), (385, (5, 7, 11), 35),
        (1404, (9, 12, 13), 117), (1000, (10, 10, 10), 100), (2048, (8, 16, 16), 128),
    ],
)  # fmt: skip
def test_three_even_stages(n, radices, items):
    assert three_even_stages(n) == Stages(radices, items)


@pytest.mark.parametrize("n", [242, 875, 5000, 17 * 9])
def test_no_three_even_stages(n):
    """A radix would be 2, or above 16."""
    assert three_even_stages(n) is None


def test_stages_in_reverse():
    stages = Stages((16, 8, 5), 40)
    assert stages.reversed == Stages((5, 8, 16), 40)
    assert stages.reversed.n == stages.n


@pytest.mark.parametrize("parts", [1, 2, 3, 4])
def test_splits(parts):
    """Every product of so many factors above 1, in ascending order, the most even ones first."""
    for n in (*range(2, 200), 1024, 30030, 17 * 16):
        found = splits(n, parts)
        divisors = [d for d in range(2, n + 1) if n % d == 0]
        every = {
            factors
            for factors in combinations_with_replacement(divisors, parts)
            if prod(factors) == n
        } if parts < 3 or n < 200 else set(found)  # fmt: skip
        assert set(found) == (every if is_smooth(n) else set())
        assert len(found) == len(set(found))
        assert all(prod(factors) == n for factors in found)
        assert list(map(max, found)) == sorted(map(max, found))


def test_splits_of_long_lengths():
    assert splits(2**20, 2)[0] == (2**10, 2**10)
    assert splits(2**31, 2)[0] == (2**15, 2**16)
    assert splits(2**26, 3)[0] == (2**8, 2**9, 2**9)
    assert splits(7, 2) == ()


# --- roots of unity -------------------------------------------------------------------------------


def exact_roots(n, powers):
    """exp(-2 pi i k / n) as pairs of doubles, each rounded once."""
    with mpmath.workdps(40):
        roots = [mpmath.expjpi(mpmath.mpf(-2 * int(k)) / n) for k in powers]
        return np.array([(float(w.real), float(w.imag)) for w in roots])


def check_rounded_once(table, precision, exact):
    real = {"single": np.float32, "double": np.float64}[precision]
    np.testing.assert_array_equal(table.view(real).reshape(-1, 2), exact.astype(real))


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 12, 60, 127, 256, 1000])
def test_roots_of_unity_are_rounded_once(n, precision):
    check_rounded_once(roots_of_unity(n, precision), precision, exact_roots(n, range(n)))


@pytest.mark.parametrize("precision", ["single", "double"])
def test_roots_of_unity_to_any_powers(precision):
    powers = np.array([[0, 5, 11], [12, 25, 2**31 + 1]])
    table = roots_of_unity(12, precision, powers)
    assert table.shape == powers.shape
    check_rounded_once(table, precision, exact_roots(12, powers.ravel()))


def test_roots_of_unity_of_many():
    n = 2**22 + 2
    table = roots_of_unity(n, "double")
    np.testing.assert_array_equal(table[n // 2 + 1 :], table[1 : n // 2][::-1].conj())
    some = [1, 12345, n // 8, n // 3, n - 1]
    check_rounded_once(table[some], "double", exact_roots(n, some))


def misrounded(table, precision, exact):
    """The part of the numbers that are not the ones nearest to the exact ones."""
    real = {"single": np.float32, "double": np.float64}[precision]
    return (table.view(real).reshape(-1, 2) != exact.astype(real)).mean()


@pytest.mark.parametrize("n", [4096, 5000, 2 * 8191, 3 * 2**12, 2**16])
def test_many_roots_of_unity(n):
    """Many roots are products from short tables: they round as well, and are as symmetric."""
    single, double = (roots_of_unity(n, precision) for precision in ("single", "double"))
    few = np.concatenate([roots_of_unity(n, "single", k) for k in np.array_split(np.arange(n), 40)])
    np.testing.assert_array_equal(single, few)
    for table in (single, double):
        np.testing.assert_array_equal(table[: n // 2 : -1], table[1 : (n + 1) // 2].conj())
        on_axes = {k: 1j ** (-4 * k // n) for k in range(n) if 4 * k % n == 0}
        assert all(table[k] == exact for k, exact in on_axes.items())
    some = np.random.default_rng(n).integers(n, size=2000)
    exact = exact_roots(n, some)
    assert misrounded(single[some], "single", exact) == 0
    # The longest float of x86 has 11 bits more than float64: the nearest one of about a thousandth
    # lies between two float64s, and cosines and sines miss as many.
    assert misrounded(double[some], "double", exact) < 2e-3


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("sizes", [(3, 5), (70, 300), (2, 20000), (20000, 2)])
def test_roots_of_products(sizes, precision):
    n, first, second = 12**5, *(7 * np.arange(size) + 1 for size in sizes)
    table = roots_of_products(n, precision, first, second)
    np.testing.assert_array_equal(table, roots_of_unity(n, precision, np.outer(first, second)))


def test_powers_beyond_a_turn():
    powers = np.arange(5000) * (2**59 // 5000)
    some = powers[::50]
    table = roots_of_unity(1000, "double", powers)[::50].copy()
    assert misrounded(table, "double", exact_roots(1000, some % 1000)) < 2e-2


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize(
    "radices", [(2,), (13,), (4, 4), (16, 8, 4), (7, 5, 3), (3, 5, 7), (32, 25), (2,) * 6]
)
def test_stage_twiddles(radices, precision):
    exact, span = [], 1
    for radix in radices:
        for r in range(1, radix):
            exact.append(exact_roots(radix * span, [r * j for j in range(span)]))
        span *= radix
    table = StageTwiddles(radices, precision).values()
    assert table.shape == (span - 1,)  # a stage's rows begin at the span before it, less one
    check_rounded_once(table, precision, np.concatenate(exact))


def test_stage_twiddles_of_the_way_back():
    both = StageTwiddles((4, 3, 2), "single", back=True).values()
    parts = StageTwiddles((4, 3, 2), "single").values(), StageTwiddles((2, 3, 4), "single").values()
    np.testing.assert_array_equal(both, np.concatenate(parts))


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("n", [1, 2, 3, 16, 101, 1000])
def test_chirp_is_rounded_once(n, precision):
    """Half the steps of 2n-th roots of unity, their squares in integers."""
    check_rounded_once(
        chirp_of(n, precision), precision, exact_roots(2 * n, [k * k for k in range(n)])
    )


def test_chirp_of_many():
    n = 2**20 + 7
    some = [0, 1, 777777, n - 1]
    exact = exact_roots(2 * n, [k * k for k in some])
    check_rounded_once(chirp_of(n, "double")[some], "double", exact)


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize(("n", "factors"), [(5, (9,)), (7, (4, 4)), (17, (3, 4, 5)), (8, (2, 8))])
def test_chirp_spectrum(n, factors, precision):
    """A convolution with it is the conjugate chirp's; steps leave it in their own order."""
    m = prod(factors)
    spectrum = ChirpSpectrum(n, factors, precision).values()
    order = np.empty(m, int)
    for place in range(m):  # of result k = k1 + n1 (k2 + n2 k3), which step by step leaves at ...
        digits, rest = [], place
        for factor in factors[::-1]:
            digits.append(rest % factor)
            rest //= factor
        k, step = 0, 1
        for digit, factor in zip(digits[::-1], factors, strict=True):
            k += digit * step
            step *= factor
        order[place] = k
    unordered = np.empty(m, complex)
    unordered[order] = spectrum
    around = np.fft.ifft(unordered * m)
    angle = np.pi * np.arange(n) ** 2 / n
    expected = np.zeros(m, complex)
    expected[:n] = np.exp(1j * angle)
    expected[m - n + 1 :] = np.exp(1j * angle)[:0:-1]
    np.testing.assert_allclose(around, expected, atol=1e-6 if precision == "single" else 1e-14)


@pytest.mark.parametrize(
    ("radices", "expected"),
    [
        ((16, 16, 8), (16, 8, 16)),
        ((12, 12, 8, 8), (8, 12, 12, 8)),
        ((5, 5, 5), (5, 5, 5)),
        ((16, 4), (16, 4)),
        ((7,), (7,)),
    ],
)
def test_palindromes(radices, expected):
    assert Stages(radices, 3).mirrored == Stages(expected, 3)
