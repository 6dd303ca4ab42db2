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


def test_no_case_gets_lost():
    axes = {"a": [1, 2, 3], "b": [4, 5]}
    cases = pairwise(axes, quick=2).mark.args[1]
    assert [getattr(case, "values", case) for case in cases] == pairwise(axes).mark.args[1]
