"""Every two values meet, in as few combinations as the two longest axes allow, or nearly so."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from tests.pairwise import covering, one_in, pairwise


@pytest.mark.parametrize("counts", [(2, 3), (3, 4, 4), (4, 2, 4, 2), (18, 2, 6), (2, 2, 2, 2, 2)])
def test_every_two_values_meet(counts):
    chosen = covering(counts)
    for a, b in combinations(range(len(counts)), 2):
        met = {(each[a], each[b]) for each in chosen}
        assert met == set(product(range(counts[a]), range(counts[b])))
    first, second = sorted(counts)[-2:]
    assert first * second <= len(chosen) <= 2 * first * second


def test_parameters_with_several_names():
    mark = pairwise({"kind": ["a", "b"], "shape, axis": [((3, 8), 1), ((8, 3), 0)]}).mark
    names, cases = mark.args
    assert names == "kind, shape, axis"
    assert sorted(cases) == [
        ("a", (3, 8), 1),
        ("a", (8, 3), 0),
        ("b", (3, 8), 1),
        ("b", (8, 3), 0),
    ]


def test_the_quick_tier_takes_one_of_so_many():
    cases = one_in(3, [("a", 1), ("b", 2), ("c", 3), ("d", 4)])
    assert cases[0] == ("a", 1)
    assert cases[3] == ("d", 4)
    for case, values in zip(cases[1:3], [("b", 2), ("c", 3)], strict=True):
        assert case.values == values
        assert [mark.name for mark in case.marks] == ["full"]


def test_the_quick_tier_meets_every_value_of_thinned_combinations():
    axes = {"a": list(range(9)), "b": [10, 11], "c": [20, 21, 22]}
    cases = pairwise(axes, thin=True).mark.args[1]
    assert [getattr(case, "values", case) for case in cases] == pairwise(axes).mark.args[1]
    quick = [case for case in cases if not hasattr(case, "marks")]
    assert len(quick) == 9
    for values, found in zip(axes.values(), zip(*quick, strict=True), strict=True):
        assert set(found) == set(values)
        counts = [found.count(each) for each in values]
        assert max(counts) <= 2 * min(counts)
