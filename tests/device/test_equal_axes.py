"""Axes of equal length in one launch on CPUs, on memory that is poisoned where nothing is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyopencl.array as cl_array
import pytest

from pyclfft import Hook, Plan
from pyclfft.planning.parameters import DEFAULTS
from pyclfft.planning.planner import plan_passes
from pyclfft.planning.problem import make_problem
from pyclfft.planning.solvers import equal_axes
from pyclfft.runtime import describe
from tests.device.test_engine import check, poisoned_workspace
from tests.oracle import expected_of, noise, relative_error
from tests.pairwise import pairwise

__all__ = ["poisoned_workspace"]  # a fixture that takes effect by being here

CODES = {"single": "c8", "double": "c16"}
WAYS = ("forward", "inverse")
# Shapes, and the number of their last axes that are transformed: full vectors and empty lanes, one
# stage and several, an axis of length 1, arrays along several axes.
SHAPES = (
    ((8, 16, 16), 2),
    ((9, 21, 21), 2),
    ((2, 5, 1, 20, 20), 2),
    ((8, 27, 27), 2),
    ((8, 64, 64), 2),
    ((8, 100, 100), 2),
    ((8, 128, 128), 2),
    ((8, 16, 16, 16), 3),
    ((9, 21, 21, 21), 3),
    ((2, 4, 20, 20, 20), 3),
)


@pytest.fixture(autouse=True)
def cpu(device, change_traits):
    """Skip devices whose work-items run in lockstep; plan as for two cores on all others."""
    if not describe.traits(device).is_cpu or describe.traits(device).lanes < 4:
        pytest.skip("not a CPU with vectors")
    change_traits(compute_units=2)


def problem_of(device, shape, number, precision="single", direction="forward", **options):
    if precision == "double" and not describe.traits(device).fp64:
        pytest.skip("no double precision")
    axes = tuple(range(len(shape) - number, len(shape)))
    return make_problem(shape, CODES[precision], axes, direction=direction, **options)


def check_chosen(device, queue, problem, **options):
    (only,) = plan_passes(problem, describe.traits(device), "equal_axes")
    assert only.kernel == "equalAxes"
    check(
        queue, problem, noise(problem.source.shape, problem.source_dtype), "equal_axes", **options
    )
    return dict(only.defines)


@pytest.mark.one_cpu
@pairwise(
    {
        "shape, number": SHAPES,
        "precision": list(CODES),
        "direction": WAYS,
        "norm": ["backward", "ortho", "forward"],
        "in_place": [False, True],
        "past": [False, True],
        "width": [4, 8, 16],
    }
)
def test_shapes(
    device, queue, change_traits, monkeypatch,
    shape, number, precision, direction, norm, in_place, past, width,
):  # fmt: skip
    """In vectors of any width, into the caches or past them."""
    change_traits(lanes=width)
    parameters = {**DEFAULTS["cpu"], "stream_bytes": 1 if past else 2**40}
    monkeypatch.setitem(DEFAULTS, "cpu", parameters)
    problem = problem_of(device, shape, number, precision, direction, norm=norm)
    check_chosen(device, queue, problem, in_place=in_place)


@pytest.mark.parametrize("shape", [(8, 100, 100), (8, 128, 128)])
def test_rows_are_collected(device, queue, change_traits, monkeypatch, shape):
    """Rows that share lines, and rows so far apart that a CPU with AVX2 is slow with them."""
    change_traits(lanes=8)
    monkeypatch.setitem(DEFAULTS, "cpu", {**DEFAULTS["cpu"], "stream_bytes": 1})
    for direction in WAYS:
        problem = problem_of(device, shape, 2, direction=direction)
        assert check_chosen(device, queue, problem)["COLLECTED"] == "1"


@pytest.mark.one_cpu
@pytest.mark.parametrize("offset", [1, 3, 8])
def test_results_that_begin_anywhere(device, queue, monkeypatch, offset):
    """Whole lines alone go past the caches."""
    monkeypatch.setitem(DEFAULTS, "cpu", {**DEFAULTS["cpu"], "stream_bytes": 1})
    for n in (16, 64):
        strides = (8 * n * n, 8 * n, 8)
        problem = problem_of(device, (8, n, n), 2, out_strides=strides, out_offset=8 * offset)
        check_chosen(device, queue, problem)


def test_arrays_stay_apart(device, queue):
    """A NaN in one array leaves the others as they are, bit by bit."""
    shape = (9, 20, 20)
    plan = Plan(shape, "c8", (1, 2), context=queue.context, algorithm="equal_axes")
    x = noise(shape, "c8")
    clean = plan(x).copy()
    x[4, 3, 7] = np.nan
    found = plan(x)
    assert np.isnan(found[4]).all()
    others = [array for array in range(9) if array != 4]
    np.testing.assert_array_equal(found[others], clean[others])


def test_results_do_not_depend_on_the_place_in_a_batch(queue):
    plan = Plan((40, 20, 20), "c8", (1, 2), context=queue.context, algorithm="equal_axes")
    found = plan(np.broadcast_to(noise((20, 20), "c8"), (40, 20, 20)))
    np.testing.assert_array_equal(found, np.broadcast_to(found[0], found.shape))


@pytest.mark.one_cpu
def test_a_plan_chooses_it(queue, change_traits, monkeypatch):
    """On a CPU with AVX2, from a number of bytes on that is lowered here."""
    change_traits(lanes=8)
    monkeypatch.setattr(equal_axes, "LEAST_BYTES", 2**14)
    for direction in WAYS:
        plan = Plan((10, 24, 24), "c8", (1, 2), "c2c", direction, context=queue.context)
        assert [each.kernel for each in plan.passes] == ["equalAxes"]
        x = noise((10, 24, 24), "c8")
        given = cl_array.to_device(queue, x)
        result = plan(given)
        np.testing.assert_array_equal(given.get(), x)
        assert relative_error(result.get(), expected_of(plan.problem, x.ravel())) < 1e-6
        assert plan(given, out=given) is given
        np.testing.assert_array_equal(given.get(), result.get())


@pytest.mark.one_cpu
def test_hooks_take_a_launch_for_each_axis(device, queue, change_traits, monkeypatch):
    change_traits(lanes=8)
    monkeypatch.setattr(equal_axes, "LEAST_BYTES", 2**14)
    problem = problem_of(device, (10, 24, 24), 2)
    hook = Hook("value *= 2;")
    plan = Plan((10, 24, 24), "c8", (1, 2), context=queue.context, hooks={"store": hook})
    assert "equalAxes" not in [each.kernel for each in plan.passes]
    x = noise((10, 24, 24), "c8")
    doubled = replace(problem, scale=2.0)
    assert relative_error(plan(x), expected_of(doubled, x.ravel())) < 1e-6
