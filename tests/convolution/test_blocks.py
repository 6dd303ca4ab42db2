"""Shapes and blocks of convolutions, and the choice of a method: without any device."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import scipy.signal

from pyclfft.convolution import methods
from pyclfft.convolution.blocks import blocks_of, cut, fast_on_cpu, fast_on_gpu, whole
from pyclfft.convolution.shapes import MODES, Dimension, dimensions_of
from pyclfft.planning.factor import is_smooth
from pyclfft.planning.traits import Traits

CPU = Traits("any", True, 2, 64, (64, 64, 64), 32768, 2**33, 2**32)
GPU = replace(CPU, is_cpu=False)


def axis(first, second, mode="full"):
    (dimension,) = dimensions_of((first,), (second,), mode)
    return dimension


@pytest.mark.parametrize("mode", MODES)
def test_shapes_are_scipys(mode):
    for first, second in product((1, 2, 5, 8), repeat=2):
        x, y = np.ones((first, 3)), np.ones((second, 1))
        expected = scipy.signal.fftconvolve(x, y, mode, axes=0).shape
        dimensions = dimensions_of(x.shape, y.shape, mode, 0)
        assert tuple(each.result for each in dimensions) == expected


def test_a_reversed_input_is_convolved_even_with_one_number():
    assert not dimensions_of((1,), (5,), "full")[0].convolved
    assert dimensions_of((1,), (5,), "full", correlates=True)[0].convolved


@pytest.mark.parametrize("fast", [fast_on_cpu, fast_on_gpu])
@pytest.mark.parametrize("mode", MODES)
def test_a_whole_axis_keeps_what_is_wanted_free_of_what_wraps_around(mode, fast):
    for first, second in product((2, 7, 100, 4999), (2, 6, 99)):
        each = axis(first, second, mode)
        length = whole(each, fast).length
        kept = np.arange(each.start, each.start + each.result)
        wrapped = np.arange(length, each.full) - length
        assert length >= max(first, second)
        assert kept[-1] < length
        assert not set(kept) & set(wrapped)


def test_blocks_cover_every_result_once():
    for first, second, length in ((100, 7, 16), (100, 7, 64), (10_000, 100, 256), (50, 50, 64)):
        each = axis(first, second)
        blocks = cut(each, length)
        made = [
            block * blocks.hop + point - blocks.skip
            for block in range(blocks.count)
            for point in range(blocks.skip, length)
        ]
        assert made[: each.full] == list(range(each.full))
        assert len(made) - each.full < blocks.hop  # no block too many


def test_fast_lengths():
    for length in (1, 2, 3, 17, 255, 1000, 4097, 10**6 + 3):
        found = fast_on_cpu(length)
        assert length <= found <= 1.2 * length + 1
        assert is_smooth(found)
        found = fast_on_gpu(length)
        assert max(2, length) <= found <= 1.5 * length + 2
        assert is_smooth(found)
        assert found % 2 == 0


def test_gpus_take_few_odd_factors():
    assert fast_on_gpu(1_009_999) == 2**20
    assert fast_on_gpu(30 * 48_000 + 112_607) == 3 * 2**19
    assert fast_on_gpu(2047) == 2048


def test_only_long_axes_are_cut():
    long, short = axis(10**6, 1000), axis(1000, 1000)
    assert [each.count > 1 for each in blocks_of((long, short), True)] == [True, False]
    assert all(each.count == 1 for each in blocks_of((long, short), False))


@pytest.mark.parametrize("traits", [CPU, GPU])
def test_methods_of_inputs(traits):
    costs = methods.costs_of(traits)
    sizes = {(8, 6): "direct", (10**6, 10**6): "fft", (10**6, 1000): "partitioned"}
    for (first, second), method in sizes.items():
        assert methods.cheapest((axis(first, second),), costs) == method
    # What registers.cl adds is worth it for more taps.
    long = (axis(48_000, 200),)
    assert methods.in_registers(long, np.dtype("f4"), np.dtype("f4"))
    times = [methods.expected_times(long, costs, each)["direct"] for each in (False, True)]
    assert times[1] < times[0]
    assert not methods.in_registers(long, np.dtype("f4"), np.dtype("i4"))
    assert not methods.in_registers((*long, axis(5, 5)), np.dtype("f4"), np.dtype("f4"))
    product_only = (Dimension(5, 1, 0, 5, False),)
    assert methods.cheapest(product_only, costs) == "direct"


def test_integers_that_transforms_would_round():
    small, large = np.arange(10), np.array([2**40, -3])
    assert not methods.needs_exact_sums(small, small, 10)
    assert methods.needs_exact_sums(small, large, 2**10)
    assert not methods.needs_exact_sums(large * 0.5, large * 0.5, 2**10)
    assert methods.needs_exact_sums(np.array([-(2**63)]), small, 10)
