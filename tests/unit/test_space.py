"""What a tuner tries: every candidate is a plan that computes the transform."""

from __future__ import annotations

import numpy as np
import pytest

from pyclfft.errors import PlanError
from pyclfft.planning.parameters import PARAMETERS, checked, parameters_for
from pyclfft.planning.problem import make_problem
from pyclfft.tuning.space import KNOBS, Task, neighbours, structures, without_idle
from tests.oracle import expected_of, noise
from tests.recorded_traits import RECORDED
from tests.simulator import simulate


def task_of(name, *problem, algorithm=None, **options):
    traits = RECORDED[name]
    return Task(make_problem(*problem, **options), traits, parameters_for(traits), algorithm)


def candidates(task, thorough=False):
    start = task.start
    return [each for knob in KNOBS for each in neighbours(task, start, knob, thorough)]


def tried(task, name, thorough=False):
    """Values of a parameter that come to other schedules than the default."""
    (knob,) = (each for each in KNOBS if each.name == name)
    return [each.values[name] for each in neighbours(task, task.start, knob, thorough)]


def test_knobs_are_parameters():
    names = [each.name for each in KNOBS]
    assert set(names) <= PARAMETERS.keys()
    assert len(set(names)) == len(names)
    assert {each.name for each in KNOBS if each.structural} == {
        "algorithm", "convolve_block", "convolve_lengths", "convolve_method",
        "factors", "lanes_width", "lanes_radices", "stockham_radices",
        "stockham_points",
    }  # fmt: skip


PROBLEMS = {
    "rows": ((3, 64), "c16", 1),
    "long rows": ((2, 600), "c16", 1),
    "image": ((24, 16), "c16"),
    "columns": ((32, 5), "c16", 0),
    "prime": ((3, 37), "c16", 1),
}


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
@pytest.mark.parametrize("name", ["h200", "gfx90a", "intel-cpu", "pocl"])
def test_every_candidate_computes_the_transform(name, problem):
    task = task_of(name, *problem)
    x = noise(problem[0], "c16")
    expected = expected_of(task.problem, x.reshape(-1))
    found = candidates(task)
    assert len({each.key for each in found}) > 2
    for each in found:
        assert checked(each.values) == each.values
        source = x.reshape(-1).view(np.uint8)
        out = simulate(each.schedule, source, task.problem.nbytes).view("c16")
        error = np.linalg.norm(out - expected.reshape(-1)) / np.linalg.norm(expected)
        assert error <= 1e-13, each.values


@pytest.mark.parametrize(
    ("name", "problem", "parameter", "values"),
    [
        ("h200", ((64, 1024), "c8", 1), "stockham_points", [4, 8, 32]),
        ("h200", ((64, 1024), "c8", 1), "lanes_radices", []),
        ("h200", ((64, 1024), "c8", 1), "group", []),
        ("h200", ((64, 1024), "c8", 1), "stream_bytes", []),
        ("h200", ((64, 2**18), "c8", 1), "fused", [0]),
        ("h200", ((64, 2**16), "c8", 1), "fused", [1]),
        ("intel-cpu", ((4096, 1024), "c8", 1), "stockham_points", []),
        ("intel-cpu", ((4096, 1024), "c8", 1), "lanes_width", [4, 8]),
        ("intel-cpu", ((4096, 1024), "c8", 1), "stream_bytes", [0]),
        (
            "intel-cpu",
            ((4096, 1024), "c8", 1),
            "algorithm",
            ["cols", "four_step_lanes", "stockham"],
        ),
    ],
)
def test_only_what_matters_is_tried(name, problem, parameter, values):
    found = tried(task_of(name, *problem), parameter)
    assert set(values) <= set(found) if values else found == []


def test_radices_of_each_length():
    task = task_of("h200", (256, 1000), "c8")
    lists = tried(task, "stockham_radices")
    assert {np.prod(factors) for each in lists for factors in each} == {256, 1000}


def test_a_forced_algorithm_stays():
    task = task_of("h200", (8, 64), "c8", 1, algorithm="radix2")
    assert tried(task, "algorithm") == []
    assert tried(task, "stockham_radices") == []
    groups = tried(task, "group")
    assert {16, 32, 64} <= set(groups)
    other = task_of("h200", (8, 60), "c8", 1, algorithm="radix2")
    assert other.candidate({"group": 16}) is None
    with pytest.raises(PlanError, match="power of two"):
        other.start  # noqa: B018


def test_equal_work_has_one_key_in_every_process():
    first, second = (task_of("h200", (8, 64), "c8", 1).start for _ in range(2))
    assert first.key == second.key
    assert len(first.key) == 16
    other = task_of("h200", (8, 64), "c8", 1).candidate({"stockham_banks": 1})
    assert other.key != first.key  # though both print alike
    assert str(other.schedule) == str(first.schedule)


def test_thorough_is_more():
    task = task_of("intel-cpu", (4096, 64), "c8", 1)
    assert len(candidates(task, thorough=True)) > len(candidates(task))
    start = task.start
    found = structures(task, start)
    assert len({each.key for each in found} | {start.key}) == len(found) + 1 > 10
    assert [each for each in found if {"lanes_radices", "lanes_width"} <= each.values.keys()]


def test_values_that_change_nothing_are_left_out():
    task = task_of("intel-cpu", (4096, 1024), "c8", 1)
    values = {"lanes_radices": ((4, 4, 4),), "stockham_points": 8, "group": 16}
    best = without_idle(task, task.candidate(values))
    assert best.values == {"lanes_radices": ((4, 4, 4),)}
    assert best.key == task.candidate(values).key
