"""Plans for recorded devices: which passes, and always within the device's limits."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from math import prod

import numpy as np
import pytest

from pyclfft.errors import DeviceError, PlanError
from pyclfft.planning.passes import Buffer, Role, Scalar, assign_buffers, without_repeated_tables
from pyclfft.planning.planner import copy_pass, plan_passes, split_axes
from pyclfft.planning.problem import make_problem
from pyclfft.planning.solvers import BY_NAME
from pyclfft.runtime.program import source_text
from tests.recorded_traits import GIB, RECORDED

H200 = RECORDED["h200"]


def kernels(problem, traits=H200, algorithm=None):
    return [each.kernel for each in plan_passes(problem, traits, algorithm)]


RADIX2 = ["spinFact", "bitReverse", "butterfly", "butterfly"]  # for 4 points


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        (make_problem((4,), "c8"), RADIX2),
        (make_problem((5,), "c8"), ["direct"]),
        (make_problem((1,), "c8"), ["load"]),
        (make_problem((3, 4), "c8", ()), ["load"]),
        (make_problem((4,), "f4"), ["load", *RADIX2]),
        (make_problem((5,), "c8", s=4), ["load", *RADIX2]),
        (make_problem((4,), "c8", direction="inverse"), [*RADIX2, "norm"]),
        (make_problem((5,), "c8", direction="inverse"), ["direct"]),
        (make_problem((4, 1), "c8", 0), RADIX2),
        (make_problem((5, 4), "c8", 0), ["transposeBlocked", "direct", "transposeBlocked"]),
        (make_problem((5, 4), "c8"), [*RADIX2, "transposeBlocked", "direct", "transposeBlocked"]),
        (make_problem((5, 4), "c8", transposed="out"), [*RADIX2, "transposeBlocked", "direct"]),
        (make_problem((5, 4), "c8", transposed="in"), ["direct", "transposeBlocked", *RADIX2]),
        (make_problem((1, 4), "c8", transposed="out"), RADIX2),
        (make_problem((4, 1), "c8", transposed="in"), RADIX2),
    ],
)
def test_kernels(problem, expected):
    assert kernels(problem) == expected


def test_one_scale_for_all_axes():
    problem = make_problem((4, 4), "c8", direction="inverse")
    assert kernels(problem).count("norm") == 1
    assert [part.scale for part in split_axes(problem)] == [1, 1 / 16]
    assert [part.scale for part in split_axes(replace(problem, shape=(1, 4)))] == [1 / 16]


@pytest.mark.parametrize(
    ("axes", "transposed", "expected"),
    [
        ((1, 2), "", [2, 1]),
        ((2, 1), "", [1, 2]),
        ((0, 1, 2), "", [2, 1, 0]),
        ((1, 2), "out", [2, 1]),
        ((1, 2), "in", [1, 2]),
        ((2, 1), "in", [1, 2]),
    ],
)
def test_order_of_axes(axes, transposed, expected):
    problem = make_problem((3, 4, 5), "c8", axes, transposed=transposed)
    assert [part.axes[0] for part in split_axes(problem)] == expected


def test_axes_of_one_length_share_their_table():
    schedule = assign_buffers(plan_passes(make_problem((8, 8), "c8"), H200), 512)
    assert [each.kernel for each in schedule.passes].count("spinFact") == 1


@pytest.mark.parametrize(
    ("problem", "algorithm", "words"),
    [
        (
            make_problem((1000,), "c8"),
            "radix2",
            "a length that is a power of two, not 1000: choose",
        ),
        (make_problem((8, 6), "c8"), "radix2", "a power of two, not 6"),
        (make_problem((8,), "c8"), "radix3", f"choose from {', '.join(BY_NAME)}"),
    ],
)
def test_algorithm_is_refused(problem, algorithm, words):
    with pytest.raises(PlanError) as error:
        plan_passes(problem, H200, algorithm)
    assert words in str(error.value)


def test_direct_takes_powers_of_two():
    assert kernels(make_problem((1024,), "c8"), algorithm="direct") == ["direct"]


@pytest.mark.parametrize("dtype", ["c16", "f8"])
def test_double_precision_needs_fp64(dtype):
    with pytest.raises(DeviceError) as error:
        plan_passes(make_problem((8,), dtype), RECORDED["arc"])
    assert RECORDED["arc"].name in str(error.value)
    assert 'x.astype("complex64")' in str(error.value)


# --- every plan within the limits of every device -------------------------------------------------

# (shape, options); each for real and complex input, both precisions, both directions
SWEEP = (
    ((1,), {}),
    ((2,), {}),
    ((3,), {}),
    ((64,), {}),
    ((1009,), {}),
    ((2**20,), {}),
    ((70000, 8), {"axes": 1}),
    ((70000, 3), {"axes": 1}),
    ((70000, 4, 2), {"axes": 1}),
    ((3, 1, 5, 8), {}),
    ((16, 16, 16), {"axes": (1, 0)}),
    ((512, 384), {"transposed": "out"}),
    ((512, 384), {"transposed": "in"}),
    ((100, 64), {"s": (128, 50)}),
    ((0, 8), {"axes": 1}),
    ((8, 0), {"axes": 0}),
    ((2**16, 2**16), {"axes": 0}),
    ((2**31,), {}),
)
DTYPES = ("c8", "c16", "f4", "f8")

# Kernels with local memory: bytes that a pass takes, by its TILE and the size of an element.
LOCAL_BYTES = {
    "direct": lambda tile, size: tile * size,
    "transposeBlocked": lambda tile, size: tile * (tile + 1) * size,
}
# Kernels that prescribe their group, by TILE.
PRESCRIBED = {"direct": lambda tile: (tile, 1), "transposeBlocked": lambda tile: (tile, tile, 1)}


@cache
def kernels_that_say(text, source):
    """Kernels of a file in whose head or body a text occurs."""
    found = re.findall(r"^kernel .*?^}", source_text(source), re.MULTILINE | re.DOTALL)
    return {re.search(r"void (\w+)\(", each)[1] for each in found if re.search(text, each)}


def schedules(traits, shape, options):
    """Every plan of one row of SWEEP, in place too: (passes, schedule, in place)."""
    for dtype in DTYPES:
        if dtype in ("c16", "f8") and not traits.fp64:
            continue
        for direction in ("forward", "inverse"):
            for algorithm in (None, "direct"):
                problem = make_problem(shape, dtype, direction=direction, **options)
                passes = plan_passes(problem, traits, algorithm)
                yield passes, assign_buffers(passes, problem.nbytes), False
                if sum(each.moves for each in passes) == 1:
                    passes = (*passes, copy_pass(problem, traits))
                yield passes, assign_buffers(passes, problem.nbytes, in_place=True), True


@pytest.mark.parametrize(("shape", "options"), SWEEP)
@pytest.mark.parametrize("name", RECORDED)
def test_plan_is_within_limits(name, shape, options):
    traits = RECORDED[name]
    for passes, schedule, in_place in schedules(traits, shape, options):
        for each in schedule.passes:
            check_launch(each, traits)
        check_buffers(passes, schedule, in_place)


def check_launch(each, traits):
    assert len(each.local_size) == len(each.global_size) <= 3
    assert prod(each.local_size) <= traits.max_work_group_size
    for size, local, limit in zip(
        each.global_size, each.local_size, traits.max_work_item_sizes, strict=False
    ):
        assert 1 <= local <= limit
        assert size % local == 0
    macros = {key: int(value) for key, value in each.defines}
    tile, element = macros.get("TILE", 0), 16 if macros["DOUBLE"] else 8
    if each.kernel in PRESCRIBED:
        assert each.local_size == PRESCRIBED[each.kernel](tile)
    if each.kernel in LOCAL_BYTES:
        assert 0 < LOCAL_BYTES[each.kernel](tile, element) <= traits.local_mem_bytes
    assert (each.kernel in LOCAL_BYTES) == (
        each.kernel in kernels_that_say(r"\blocal ", each.source)
    )
    assert (each.kernel in PRESCRIBED) == (each.kernel in kernels_that_say("reqd_", each.source))
    for argument in each.arguments:
        if isinstance(argument, Scalar) and argument.dtype.startswith("uint"):
            assert 0 <= argument.value <= np.iinfo(argument.dtype).max


def check_buffers(passes, schedule, in_place):
    sizes = dict(schedule.workspace)
    filled = {"in"}
    for planned, each in zip(without_repeated_tables(passes), schedule.passes, strict=True):
        used = list(zip(planned.arguments, each.arguments, strict=True))
        source, target, data = (
            [after.name for before, after in used if before is role]
            for role in (Role.SOURCE, Role.TARGET, Role.DATA)
        )
        scratch = [after.name for before, after in used if isinstance(before, Buffer)]
        (written,) = scratch if planned.table else target + data
        assert filled >= {*source, *data, *([] if planned.table else scratch)}
        assert written not in ("in", *source)
        assert not (in_place and written == "out" and "in" in source)
        assert written == "out" or sizes[written] >= each.writes
        filled.add(written)
        if in_place and written == "out":
            filled.discard("in")
    assert written == "out"


def test_as_many_rows_as_32_bits_count():
    problem = make_problem((2**31, 2), "c8", 1)
    assert problem.nbytes == 32 * GIB
    for each in plan_passes(problem, H200):
        check_launch(each, H200)
