"""The plans of a recorded GPU on any device: CI has no GPU, whose launches differ from a CPU's."""

from __future__ import annotations

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest

from pyclfft.planning.factor import SHORT_ROWS
from pyclfft.planning.parameters import parameters_for
from pyclfft.planning.problem import make_problem
from pyclfft.planning.schedule import schedule_of
from pyclfft.runtime import describe
from pyclfft.runtime.executable import Executable
from pyclfft.tuning.frames import FramesCase
from tests.oracle import algorithm_for, bound, expected_of, noise, relative_error
from tests.pairwise import pairwise
from tests.recorded_traits import RECORDED

CODES = {
    "single": {"c2c": "c8", "r2c": "f4", "c2r": "c8"},
    "double": {"c2c": "c16", "r2c": "f8", "c2r": "c16"},
}
WAYS = ("forward", "inverse")
SHARED = (*sorted(SHORT_ROWS), 17, 33, 34, 36, 40, 45, 51, 60, 62, 72, 84, 96, 100, 130, 176, 240)
# Complex rows in two and in three stages of about the same radix; of 100 points a group has 3 rows.
EVEN = (
    60,
    72,
    84,
    96,
    98,
    99,
    100,
    110,
    126,
    147,
    240,
    385,
    400,
    429,
    640,
    792,
    882,
    975,
    1404,
    1960,
)
# One launch of every kind of stage, two and three launches, rows that share a group, columns, and
# convolutions in one launch and in several.
SHAPES = (
    ((5, 8), 1), ((9, 17), 1), ((3, 105), 1), ((3, 225), 1), ((3, 360), 1), ((2, 1000), 1),
    ((2, 1001), 1), ((2, 4096), 1), ((2, 12000), 1), ((2, 2**16), 1), ((1, 3**11), 1),
    ((1, 10**6), 1), ((19, 37), 0), ((96, 33), 0), ((3, 127), 1), ((3, 263), 1), ((2, 2053), 1),
    ((2, 4099), 1), ((2, 10007), 1), ((1, 20014), 1), ((5003, 3), 0), ((1, 65537), 1),
)  # fmt: skip


@pytest.mark.one_cpu
@pairwise(
    {
        "shape, axis": SHAPES,
        "kind, direction": [(kind, way) for kind in ("c2c", "r2c", "c2r") for way in WAYS],
        "precision": list(CODES),
    },
    thin=True,
)
def test_plans_of_an_h200(device, queue, shape, axis, kind, direction, precision):
    problem = make_problem(shape, CODES[precision][kind], (axis,), kind, direction)
    check(device, queue, problem, algorithm_for([shape[axis]]))


def check(device, queue, problem, algorithm):
    """Compare the transform of an H200's plan with a reference; the plan must keep its input."""
    traits, own = RECORDED["h200"], describe.traits(device)
    if problem.precision == "double" and not own.fp64:
        pytest.skip("no double precision")
    parameters = parameters_for(traits).over({"fused": 0}, "test")  # fused launches take PTX
    schedule = schedule_of(problem, traits, None, parameters)
    x = noise(problem.source.shape, problem.source_dtype)
    source = cl_array.to_device(queue, x)
    target = cl_array.empty(queue, problem.target.shape, problem.dtype)
    Executable(queue.context, schedule).enqueue(queue, source.base_data, target.base_data).wait()
    limit = bound(algorithm, problem.dtype, problem.shape[problem.axes[0]])
    assert relative_error(target.get(), expected_of(problem, x.reshape(-1))) <= limit
    cl.enqueue_copy(queue, x_after := np.empty_like(x), source.base_data)
    np.testing.assert_array_equal(x_after, x)


@pytest.mark.one_cpu
@pairwise(
    {
        "length": SHARED,
        "kind, direction": [(kind, way) for kind in ("c2c", "r2c", "c2r") for way in WAYS],
        "precision": list(CODES),
    },
    thin=True,
)
def test_short_rows_of_an_h200(device, queue, length, kind, direction, precision):
    """Groups share rows that one work-item transforms; the last group has few of them."""
    problem = make_problem((131, length), CODES[precision][kind], (1,), kind, direction)
    check(device, queue, problem, algorithm_for([length]))


@pytest.mark.one_cpu
@pairwise({"length": EVEN, "rows": [1, 7, 19], "direction": WAYS, "precision": list(CODES)})
def test_even_stages_of_an_h200(device, queue, length, rows, direction, precision):
    problem = make_problem((rows, length), CODES[precision]["c2c"], (1,), "c2c", direction)
    check(device, queue, problem, algorithm_for([length]))


@pytest.mark.one_cpu
@pytest.mark.parametrize("precision", CODES)
@pytest.mark.parametrize("direction", WAYS)
@pytest.mark.parametrize(
    ("kind", "length"),
    [("c2c", 30), ("c2c", 2197), ("r2c", 100), ("c2r", 251), ("dct3", 251)],
)
def test_groups_found_by_trial(device, queue, kind, length, direction, precision):
    """The last group has few rows."""
    code = CODES[precision]["r2c" if kind.startswith("dct") else kind]
    problem = make_problem((41, length), code, (1,), kind, direction)
    check(device, queue, problem, algorithm_for([length]))


@pytest.mark.one_cpu
@pairwise(
    {
        "length": [8, 26, 36, 60, 72, 80, 84, 88, 96, 100, 104, 108, 112, 120, 128, 144, 200, 240],
        "kind": [name + number for name in ("dct", "dst") for number in "23"],
        "direction": WAYS,
        "norm, code": [("backward", "f4"), ("ortho", "f4"), ("ortho", "f8")],
    },
    thin=True,
)
def test_cosine_rows_of_an_h200(device, queue, length, kind, direction, norm, code):
    """One, two or more work-items share a row; the last group has few rows."""
    problem = make_problem((41, length), code, (1,), kind, direction, norm)
    check(device, queue, problem, "cosine")


@pytest.mark.one_cpu
@pytest.mark.parametrize(
    ("n_fft", "frames", "columns"),
    [(2048, 5, False), (4096, 5, False), (2048, 8, True), (2048, 17, True), (1024, 17, True)],
)
def test_frames_of_an_h200(queue, n_fft, frames, columns):
    """Stages found by trial, and groups of few and of many frames."""
    case = FramesCase(n_fft, n_fft // 4, frames, columns=columns)
    parameters = parameters_for(RECORDED["h200"])
    task = case.task(RECORDED["h200"], parameters, None)
    measure = case.measure(queue.context, task)
    assert measure.error(measure.launch(task.start)) <= measure.bound


@pytest.mark.one_cpu
@pytest.mark.parametrize("direction", WAYS)
def test_columns_found_by_trial(device, queue, direction):
    """The last group has few columns."""
    problem = make_problem((729, 35), "c16", (0,), "c2c", direction)
    check(device, queue, problem, algorithm_for([729]))


@pytest.mark.one_cpu
@pairwise(
    {
        "length": SHARED,
        "kind": ["dct2", "dct3", "dst2", "dst3"],
        "norm": ["backward", "ortho", "forward"],
        "precision": list(CODES),
        "direction": WAYS,
    },
    thin=True,
)
def test_short_rows_of_cosine_transforms(device, queue, length, kind, norm, precision, direction):
    dtype = CODES[precision]["r2c"]
    problem = make_problem((131, length), dtype, (1,), kind, direction, norm)
    check(device, queue, problem, "cosine")
