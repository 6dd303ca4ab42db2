"""Transforms in steps: every axis is transformed once, and never in the step that cuts it."""

from __future__ import annotations

from itertools import permutations
from math import prod

import numpy as np
import pytest

from pyclfft.planning.slabs import (
    Step,
    four_step,
    four_step_within,
    parts,
    ranges,
    square_step,
    steps,
    steps_within,
    twiddles_of,
)


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


@pytest.mark.parametrize("most", [7, 30, 42, 100, 840])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_steps_within_a_size(count, most):
    shape = (4, 5, 6, 7)
    for axes in permutations(range(4), count):
        planned = steps_within(shape, axes, most)
        assert sorted(axis for step in planned for axis in step.axes) == sorted(axes)
        assert axes[-1] in planned[0].axes
        for step in planned:
            assert prod(shape[axis] for axis in step.axes) <= most
            assert set(step.cut) == set(range(4)) - set(step.axes)


@pytest.mark.parametrize(
    ("shape", "axes", "most", "expected"),
    [
        ((64, 64, 64), (0, 1, 2), 4096, [Step((1, 2), (0,)), Step((0,), (1, 2))]),
        ((9, 9, 9), (0, 1, 2), 80, [Step((2,), (0, 1)), Step((1,), (0, 2)), Step((0,), (1, 2))]),
        ((3, 64, 64), (1, 2), 4096, [Step((1, 2), (0,))]),
        ((1, 64), (1,), 10, [Step((1,), ())]),  # too long: for four_step
    ],
)  # fmt: skip
def test_few_steps(shape, axes, most, expected):
    assert steps_within(shape, axes, most) == tuple(expected)


@pytest.mark.parametrize("whole", [(), (0,), (2,), (0, 2), (1,)])
@pytest.mark.parametrize("most", [35, 36, 70, 100, 10**6])
def test_parts_cover_an_array_once(whole, most):
    shape = (5, 6, 7)
    counts = np.zeros(shape, int)
    sizes = []
    for part in parts(shape, whole, most):
        counts[part] += 1
        sizes.append(counts[part].size)
        assert all(counts[part].shape[axis] == shape[axis] for axis in whole)
    assert (counts == 1).all()
    assert max(sizes) <= most


def test_parts_are_stretches_of_memory():
    places = np.arange(5 * 6 * 7).reshape(5, 6, 7)
    for most in range(1, 211):
        for part in parts(places.shape, (), most):
            flat = places[part].ravel()
            assert (np.diff(flat) == 1).all()


def test_parts_of_nothing_and_of_too_much():
    assert parts((0, 5), (1,), 5) == []
    assert parts((), (), 1) == [()]
    with pytest.raises(ValueError, match="more than 4 elements"):
        parts((3, 5), (1,), 4)


def test_factors_that_fit():
    assert four_step_within(4096, 64) == (64, 64)
    with pytest.raises(ValueError, match=r"4,096 numbers.*63 numbers.*allow more memory"):
        four_step_within(4096, 63)
    with pytest.raises(ValueError, match=r"6 and 683.*such as 4,160 has nearer ones"):
        four_step_within(4098, 625)
    assert four_step(4160) == (64, 65)


@pytest.mark.parametrize(
    ("length", "most", "run", "expected"),
    [
        (2**14, 3000, 4, (32, 16)),
        (11520, 3000, 4, (48, 5)),
        (2**15, 21845, 64, (128, 2)),
        (2**15, 16383, 64, None),  # two runs fewer would do
        (11 * 13 * 17 * 19, 10**4, 1, None),  # no square
    ],
)
def test_square_factors(length, most, run, expected):
    assert square_step(length, most, run) == expected


@pytest.mark.parametrize("length", [1, 2, 12, 1000, 4097])
@pytest.mark.parametrize("direction", ["forward", "inverse"])
def test_every_root_is_a_product_of_two(length, direction):
    roots = twiddles_of(length, direction, "double")
    k = np.arange(length)
    found = roots.fine[k & ((1 << roots.shift) - 1)] * roots.coarse[k >> roots.shift]
    sign = -1 if direction == "forward" else 1
    expected = np.exp(sign * 2j * np.pi * k.astype(np.longdouble) / length)
    np.testing.assert_allclose(found, expected, rtol=0, atol=4e-16)
    assert roots.fine.size * roots.coarse.size < 8 * length + 8
