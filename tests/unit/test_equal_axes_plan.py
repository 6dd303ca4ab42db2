"""Axes of equal length in one launch: when a plan has it, its buffers, and what it refuses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pyclfft.errors import PlanError
from pyclfft.planning.parameters import checked, parameters_for
from pyclfft.planning.passes import assign_buffers
from pyclfft.planning.planner import plan_passes
from pyclfft.planning.problem import make_problem, with_target
from pyclfft.planning.solvers import equal_axes
from tests.oracle import expected_of, noise, places, relative_error
from tests.recorded_traits import RECORDED
from tests.simulator import simulate

AVX2 = replace(RECORDED["avx2-cpu"], compute_units=2)
AVX512 = replace(RECORDED["intel-cpu"], compute_units=2)
LARGE = (1024, 64, 64)  # 32 MiB


def passes_of(shape, axes, code="c8", traits=AVX2, algorithm=None, parameters=(), **options):
    parameters = parameters_for(traits).over(checked(dict(parameters)), "test")
    return plan_passes(make_problem(shape, code, axes, **options), traits, algorithm, parameters)


def kernels(*arguments, **options):
    return [each.kernel for each in passes_of(*arguments, **options)]


def macros_of(*arguments, **options):
    (only,) = passes_of(*arguments, **options, algorithm="equal_axes")
    return dict(only.defines)


# --- when a plan has it ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "axes"),
    [
        (LARGE, (1, 2)),
        (LARGE, (2, 1)),
        ((1024, 1, 64, 64), (2, 3)),
        ((2, 512, 64, 64), (2, 3)),
        ((1024, 16, 16, 16), (1, 2, 3)),
        ((420, 100, 100), (1, 2)),
        ((64, 256, 256), (1, 2)),  # half of a core's cache
    ],
)
def test_large_batches_of_small_arrays(shape, axes):
    for direction in ("forward", "inverse"):
        assert kernels(shape, axes, direction=direction) == ["equalAxes"]


@pytest.mark.parametrize(
    ("shape", "axes", "code"),
    [
        ((512, 64, 64), (1, 2), "c8"),  # 16 MiB, which the caches keep
        ((4, 1024, 1024), (1, 2), "c8"),  # no cache of a core holds an array
        ((1024, 64, 32), (1, 2), "c8"),
        ((64, 64, 1024), (0, 1), "c8"),
        ((64, 1024, 64), (0, 2), "c8"),
        ((4096, 6, 6), (1, 2), "c8"),  # fewer points than lanes
        ((7, 256, 256), (1, 2), "c16"),  # fewer arrays than keep both cores busy
        ((1024, 64, 64), (1, 2), "f4"),
    ],
)
def test_others_take_a_launch_for_each_axis(shape, axes, code):
    assert "equalAxes" not in kernels(shape, axes, code)


def test_cpus_that_nobody_has_measured_take_a_launch_for_each_axis():
    for name, traits in RECORDED.items():
        chosen = "equalAxes" in kernels(LARGE, (1, 2), traits=traits)
        assert chosen == (traits.is_cpu and traits.lanes == 8), name
    assert kernels(LARGE, (1, 2), traits=AVX512, algorithm="equal_axes") == ["equalAxes"]
    preferred = {"algorithm": "equal_axes"}
    assert kernels((64, 64, 64), (1, 2), traits=AVX512, parameters=preferred) == ["equalAxes"]


def test_another_algorithm_that_a_caller_or_a_tuner_prefers():
    assert kernels(LARGE, (1, 2), parameters={"algorithm": "row"}) == ["cols", "row"]
    assert kernels(LARGE, (1, 2), algorithm="cols") == ["cols", "cols"]


@pytest.mark.parametrize("kind", ["r2c", "c2r"])
def test_real_numbers_take_several_launches(kind):
    problem = make_problem(LARGE, "f4" if kind == "r2c" else "c8", (1, 2), kind)
    assert "equalAxes" not in [each.kernel for each in plan_passes(problem, AVX2)]


def test_arrays_with_gaps_are_refused():
    problem = make_problem((64, 16, 16), "c8", (1, 2))
    for strides, taken in (((2048, 128, 8), True), ((4096, 128, 8), False)):
        given = with_target(problem, strides, 0)
        if taken:
            plan_passes(given, AVX2, "equal_axes")
        else:
            with pytest.raises(PlanError, match="'equal_axes' takes many contiguous complex"):
                plan_passes(given, AVX2, "equal_axes")


@pytest.mark.parametrize("shape", [(7, 16, 16), (64, 16, 20), (64, 34, 34), (8, 600, 600)])
def test_what_it_does_not_take(shape):
    with pytest.raises(PlanError, match="'equal_axes' takes many contiguous complex arrays whose"):
        passes_of(shape, (1, 2), algorithm="equal_axes")


# --- how ------------------------------------------------------------------------------------------


def test_rows_are_collected_where_the_caches_cannot_be_bypassed_otherwise():
    assert macros_of((1024, 64, 64), (1, 2))["COLLECTED"] == "0"  # whole lines, close together
    assert macros_of((256, 128, 128), (1, 2))["COLLECTED"] == "1"  # rows 1 KiB apart
    assert macros_of((256, 128, 128), (1, 2), traits=AVX512)["COLLECTED"] == "0"
    assert macros_of((420, 100, 100), (1, 2))["COLLECTED"] == "1"  # rows that share lines
    assert macros_of((420, 100, 100), (1, 2), traits=AVX512)["COLLECTED"] == "1"
    assert macros_of((8, 100, 100), (1, 2))["COLLECTED"] == "0"  # results stay in the caches


def test_empty_lanes():
    assert macros_of((1024, 64, 64), (1, 2))["RAGGED"] == "0"
    assert macros_of((420, 100, 100), (1, 2))["RAGGED"] == "1"
    assert macros_of((64, 20, 20, 20), (1, 2, 3))["RAGGED"] == "0"  # 400 columns


def test_work_groups_share_the_cache_of_a_core():
    for shape, groups in (((4096, 32, 32), 16), ((256, 128, 128), 4), ((64, 256, 256), 2)):
        (only,) = passes_of(shape, (1, 2))
        ((name, nbytes),) = only.scratch
        assert (name, only.global_size, nbytes) == (
            equal_axes.BETWEEN, (groups,), groups * 8 * shape[1] ** 2,
        )  # fmt: skip
    (only,) = passes_of((1024, 16, 16, 16), (1, 2, 3))
    assert only.global_size == (8,)
    assert only.scratch == ((equal_axes.BETWEEN, 8 * 2 * 8 * 16**3),)


# --- results --------------------------------------------------------------------------------------


@pytest.mark.parametrize("direction", ["forward", "inverse"])
@pytest.mark.parametrize("shape", [(9, 8, 8), (3, 4, 8, 8), (8, 9, 9, 9)])
def test_buffers(shape, direction):
    axes = tuple(range(len(shape) - (3 if shape[1] == 9 else 2), len(shape)))
    problem = make_problem(shape, "c16", axes, "c2c", direction, "ortho")
    passes = plan_passes(problem, AVX2, "equal_axes")
    x = noise(problem.source.shape, problem.source_dtype).reshape(-1)
    for in_place in (False, True):
        schedule = assign_buffers(passes, problem.nbytes, in_place=in_place)
        assert len(schedule.passes) == 1
        out = simulate(schedule, x.view(np.uint8), problem.nbytes, in_place=in_place)
        result = out.view(problem.dtype)[places(problem.target)]
        assert relative_error(result, expected_of(problem, x)) < 1e-14
