"""Transforms in steps: every axis is transformed once, and never in the step that cuts it."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from pyclfft.planning.slabs import Step, four_step, ranges, steps


@pytest.mark.parametrize(("length", "parts"), [(0, 3), (1, 4), (10, 3), (12, 4), (7, 7), (100, 1)])
def test_ranges_cover_everything_in_order(length, parts):
    expected = np.array_split(np.arange(length), parts)
    for part, numbers in zip(ranges(length, parts), expected, strict=True):
        np.testing.assert_array_equal(np.arange(length)[part], numbers)


@pytest.mark.parametrize("cuts", [1, 2])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_each_axis_is_transformed_once_and_whole(count, cuts):
    shape = (4, 5, 6, 7)
    for axes in permutations(range(4), count):
        planned = steps(shape, axes, cuts)
        transformed = [axis for step in planned for axis in step.axes]
        assert sorted(transformed) == sorted(axes)
        assert axes[-1] in planned[0].axes
        for step in planned:
            assert len(step.cut) == cuts
            assert not set(step.axes) & set(step.cut)


@pytest.mark.parametrize(
    ("shape", "axes", "cuts", "expected"),
    [
        ((8, 100), (1,), 1, [Step((1,), (0,))]),
        ((64, 64), (0, 1), 1, [Step((1,), (0,)), Step((0,), (1,))]),
        ((64, 64, 64), (0, 1, 2), 1, [Step((1, 2), (0,)), Step((0,), (1,))]),
        ((64, 64, 64), (0, 1, 2), 2, [Step((2,), (0, 1)), Step((1,), (0, 2)), Step((0,), (1, 2))]),
        ((3, 64, 64), (1, 2), 1, [Step((1, 2), (0,))]),
    ],
)
def test_slabs_and_pencils(shape, axes, cuts, expected):
    assert steps(shape, axes, cuts) == tuple(expected)


def test_a_single_row_has_nothing_to_cut():
    with pytest.raises(ValueError, match="no 1 axes to cut"):
        steps((1000,), (0,))


@pytest.mark.parametrize(
    ("length", "expected"), [(1, (1, 1)), (12, (3, 4)), (64, (8, 8)), (97, (1, 97))]
)
def test_factors_of_a_row(length, expected):
    assert four_step(length) == expected
