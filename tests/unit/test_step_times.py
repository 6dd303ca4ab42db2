"""How long the launches of long transforms should take, and the splits that follow from it."""

from __future__ import annotations

from itertools import pairwise

import pytest

from pyclfft.planning.parameters import parameters_for
from pyclfft.planning.planner import plan_passes
from pyclfft.planning.problem import make_problem
from pyclfft.planning.schedule import schedule_of
from pyclfft.planning.solvers.step_times import LEAST_TIME, SHAPES, TIMES
from tests.recorded_traits import RECORDED

H200 = RECORDED["h200"]
ELEMENTS = 2**26


def problem_of(n, kind, double=False):
    dtype = {False: ("c8", "f4"), True: ("c16", "f8")}[double][kind not in ("c2c", "c2r")]
    direction = "inverse" if kind == "c2r" else "forward"
    return make_problem((max(1, ELEMENTS // n), n), dtype, 1, kind, direction)


def lengths(passes):
    return [each.work.batch.n for each in passes]


def test_tables_are_whole():
    for times in TIMES.values():
        for row in times.values():
            assert len(row) == len(SHAPES)
            assert min(row) >= LEAST_TIME


@pytest.mark.parametrize(
    ("n", "kind", "double", "expected"),
    [
        (2**22, "c2c", False, [2048, 2048]),
        (2**18, "r2c", False, [512, 512]),
        (2**23, "c2r", False, 3),  # two launches of long columns take longer
        (2**25, "r2c", False, 3),
        (2**23, "dct3", False, 3),
        (10**6, "c2r", True, [1600, 625]),  # long runs of stores in the last launch
        (96000, "c2r", False, [320, 300]),  # rows of 320 points begin at whole lines
    ],
)
def test_splits(n, kind, double, expected):
    found = lengths(plan_passes(problem_of(n, kind, double), H200))
    assert (len(found) if isinstance(expected, int) else found) == expected


def test_launches_that_will_be_joined_are_preferred():
    """240 x 400 points can be one launch, and 300 x 320 cannot."""
    problem, usual = problem_of(96000, "c2c"), parameters_for(H200)
    (joined,) = schedule_of(problem, H200, None, usual).passes
    assert joined.kernel == "fused"
    assert joined.step.startswith("279600 x 240 = ")
    apart = schedule_of(problem, H200, None, usual.over({"fused": 0}, "test")).passes
    assert lengths(apart) == [300, 320]


def test_rows_of_half_spectra_begin_at_whole_sectors():
    """Between three launches; between two, gaps would cost more than they gain."""
    three, two = (plan_passes(problem_of(n, "r2c"), H200) for n in (2**24, 2**18))
    for before, after in pairwise(three):
        row = before.work.batch.dimensions[0].target
        assert after.work.batch.dimensions[0].source == 1
        assert row * 8 % 32 == 0 or before is not three[0]
    assert dict(three[1].defines)["APART"] == "1"
    assert two[0].work.batch.dimensions[0].target == lengths(two)[0] // 2 + 1


def test_groups_of_a_cosine_transforms_last_step_begin_at_whole_sectors():
    cosine, real = (plan_passes(problem_of(96000, kind), H200) for kind in ("dct2", "r2c"))
    assert lengths(cosine)[0] * 4 % 32 == 0
    assert dict(cosine[-1].defines)["APART"] == "1"
    assert "APART" not in dict(real[-1].defines)
