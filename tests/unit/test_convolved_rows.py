"""The groups that convolve rows on GPUs: the cheapest ones within the limits, and who decides."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import prod

import pytest

from pyclfft.planning.convolved_rows import SIZES, ConvolvedRow, Limits, best_group
from pyclfft.planning.factor import Stages, factorisations, most_elements
from pyclfft.planning.parameters import parameters_for
from pyclfft.planning.planner import plan_passes
from pyclfft.planning.problem import make_problem
from tests.recorded_traits import RECORDED

H200 = RECORDED["h200"]
LIMITS = Limits(
    sizes=SIZES,
    least_items=8,
    most_items=512,
    most_bytes=48 * 1024,
    local_bytes=48 * 1024,
    banks=16,
    lanes=32,
)
ROWS = [
    ConvolvedRow(n, n + 1 if waits else 0, False, False, precision)
    for n, waits, precision in product((72, 150, 768, 2016), (False, True), ("single", "double"))
] + [
    ConvolvedRow(n // 2, n, True, from_half, precision)
    for n, from_half, precision in product((73, 601, 1009), (False, True), ("single", "double"))
]


def planned(n, kind="c2c", dtype="c8", traits=H200, algorithm=None, **values):
    """Return the radices, the work-items of a row and the rows of the group of an only launch."""
    parameters = parameters_for(traits).over(values, "test")
    problem = make_problem((2**12, n), dtype, 1, kind)
    (only,) = plan_passes(problem, traits, algorithm, parameters)
    group = only.work.group
    return group.stages.radices, group.stages.items, group.transforms


@pytest.mark.parametrize("row", ROWS)
def test_no_other_number_of_rows_and_no_other_stages_are_cheaper(row):
    stages, rows = best_group(row, LIMITS)
    assert prod(stages.radices) == row.n
    assert stages.elements <= most_elements(stages.radices)
    cost = row.cost(stages, rows, LIMITS.lanes)
    for size in SIZES:
        others = max(1, size // stages.items)
        if others * row.row_bytes(stages, LIMITS.banks) <= LIMITS.most_bytes:
            whole = others if not row.real else rows
            assert cost <= row.cost(stages, whole, LIMITS.lanes)
    fewest = min(map(len, factorisations(row.n, 6)))
    for radices in factorisations(row.n, fewest):
        other = Stages(radices, max(LIMITS.least_items, -(-row.n // max(radices))))
        if other.elements <= most_elements(radices):
            count = max(1, 64 // other.items)
            assert row.real or cost <= row.cost(other, count, LIMITS.lanes)


@pytest.mark.parametrize("row", ROWS)
def test_the_least_cost_is_below_every_cost(row):
    stages, _ = best_group(row, LIMITS)
    for rows in (1, 2, 3, 5, 8, 13, 32):
        assert row.least_cost(stages.radices, stages.items) <= row.cost(stages, rows, 32)


def test_rows_take_no_more_local_memory_than_there_is():
    row = ConvolvedRow(2016, 2017, False, False, "double")
    assert best_group(row, replace(LIMITS, most_bytes=2**14, local_bytes=2**14)) is None
    stages, rows = best_group(row, replace(LIMITS, most_bytes=2**14))
    assert rows == 1
    assert row.row_bytes(stages, LIMITS.banks) > 2**14


def test_rows_of_real_numbers_fill_whole_warps():
    row = ConvolvedRow(96, 193, True, False, "single")
    stages, rows = best_group(row, replace(LIMITS, least_items=1))
    assert stages.items * rows % LIMITS.lanes == 0


def test_more_work_for_a_row_costs_more():
    row = ConvolvedRow(768, 769, False, False, "single")
    busy, idle = Stages((16, 3, 16), 48), Stages((16, 3, 16), 40)
    assert row.cost(busy, 2, 32) < row.cost(idle, 2, 32)
    assert row.cost(busy, 2, 32) < row.cost(busy, 1, 32)  # half of the second warp is empty
    assert replace(row, waiting=0).cost(busy, 2, 32) < row.cost(busy, 2, 32)
    assert replace(row, real=True).cost(busy, 2, 32) < replace(row, real=True, from_half=True).cost(
        busy, 2, 32
    )


@pytest.mark.parametrize(
    ("n", "kind", "dtype", "expected"),
    [
        (73, "c2c", "c8", ((12, 6), 8, 8)),
        (257, "c2c", "c8", ((16, 16), 16, 4)),
        (769, "c2c", "c8", ((16, 3, 16), 48, 2)),
        (769, "c2c", "c16", ((16, 3, 16), 48, 2)),
        (251, "c2c", "c8", ((32, 16), 16, 2)),
        (257, "r2c", "f4", ((16, 8), 8, 8)),
        (631, "r2c", "f8", ((15, 7, 3), 21, 3)),
        (1009, "c2r", "c16", ((12, 7, 6), 42, 3)),
    ],
)
def test_groups_that_were_quick_on_an_h100(n, kind, dtype, expected):
    radices, items, rows = planned(n, kind, dtype)
    assert (radices, items, rows) == expected


def test_the_last_stage_of_a_real_row_has_few_points_of_a_work_item():
    """A work-item also holds their mirror images."""
    stages, _ = best_group(ConvolvedRow(128, 257, True, False, "single"), LIMITS)
    assert stages == Stages((16, 8), 8)  # 16 points and then 16, of the larger radix first


def test_parameters_overrule_the_cost():
    for size in (16, 96, 256):
        _, items, rows = planned(257, stockham_group=size)
        assert rows == max(1, size // items)
    assert planned(769, stockham_radices=((12, 8, 8),))[0] == (8, 12, 8)
    assert max(planned(257, algorithm="rader", stockham_points=8)[0]) == 8
    assert planned(769, algorithm="rader", stockham_items=32)[1] <= 32


def test_without_a_rule_groups_have_128_work_items_or_64_on_a_cpu():
    _, items, rows = planned(144)
    assert items * rows == 128 // items * items
    for name, size in (("h200", 128), ("pocl", 64)):
        traits = RECORDED[name]
        assert planned(
            257, "r2c", "f4", traits, "rader", stockham_group=size, stockham_points=8
        ) == (planned(257, "r2c", "f4", traits, "rader", stockham_points=8))
