"""Real images and volumes: spectra with gaps between their rows, groups apart, columns in place."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.fft

from pyclfft import Plan
from tests.oracle import bound, noise, relative_error

# Spectra of 21, 17 and 12 columns, which groups of 8 do not fill; 17 rows are Rader's.
SHAPES = ((5, 24, 40), (5, 17, 32), (3, 8, 12, 23))
WAYS = (
    {"pitch_bytes": 32, "stockham_apart": 1},
    {"pitch_bytes": 128, "stockham_apart": 1, "stockham_in_place": 1},
    {"pitch_bytes": 0, "stockham_apart": 1, "stockham_in_place": 0},
    {"pitch_bytes": 256, "stockham_apart": 0, "stockham_in_place": 1},
)
ONE_BY_ONE = {"algorithm": "stockham"}  # where one launch could transform all axes, too
PLAIN = {**ONE_BY_ONE, "stockham_columns": 8, "pitch_bytes": 0, "stockham_apart": 0}


def transformed(x, shape, kind, **parameters):
    """The plan of the images' transform, and its result."""
    direction = "inverse" if kind == "c2r" else "forward"
    plan = Plan(shape, x.dtype, range(1, len(shape)), kind, direction, parameters=parameters)
    return plan, plan(x)


def input_and_expected(shape, kind):
    axes = range(1, len(shape))
    if kind == "r2c":
        x = noise(shape, "f4")
        return x, scipy.fft.rfftn(x.astype("f8"), axes=axes)
    x = noise((*shape[:-1], shape[-1] // 2 + 1), "c8")
    return x, scipy.fft.irfftn(x.astype("c16"), s=shape[1:], axes=axes)


@pytest.fixture
def gpu(device, change_traits):
    """The device, as the planner sees one whose work-groups are a GPU's."""
    change_traits(is_cpu=False, local_mem_bytes=49152)
    return device


@pytest.mark.parametrize("kind", ["r2c", "c2r"])
@pytest.mark.parametrize("shape", SHAPES)
def test_where_columns_rest_changes_no_bit(gpu, shape, kind):
    x, expected = input_and_expected(shape, kind)
    _, plain = transformed(x, shape, kind, **PLAIN)
    assert relative_error(plain, expected) <= bound("bluestein", plain.dtype, x.size)
    for way in WAYS:
        plan, result = transformed(x, shape, kind, **{**PLAIN, **way})
        macros = [dict(each.defines) for each in plan.passes]
        assert any("APART" in each for each in macros) == way["stockham_apart"]
        np.testing.assert_array_equal(result, plain, err_msg=str(way))


def test_what_rules_choose(gpu):
    for kind in ("r2c", "c2r"):
        for shape in ((3, 64, 1040), (2, 48, 1200), (3, 16, 8, 30)):
            x, expected = input_and_expected(shape, kind)
            plan, result = transformed(x, shape, kind, **ONE_BY_ONE)
            assert relative_error(result, expected) <= bound("bluestein", result.dtype, x.size)
            apart = [dict(each.defines).get("APART") for each in plan.passes]
            assert ("1" in apart) == (kind == "c2r" and len(shape) == 3)
