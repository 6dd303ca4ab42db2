"""All axes of small arrays in one launch: stages, places in local memory, groups, refusals."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import prod

import numpy as np
import pytest

from pyclfft.errors import PlanError
from pyclfft.planning.factor import SHORT_ROWS
from pyclfft.planning.parameters import checked, parameters_for
from pyclfft.planning.passes import assign_buffers
from pyclfft.planning.planner import plan_passes
from pyclfft.planning.problem import make_problem, with_target
from pyclfft.planning.solvers import several_axes
from pyclfft.planning.solvers.several_axes import LARGEST, LARGEST_ALONE, axis_stages
from tests.oracle import expected_of, noise, places, relative_error
from tests.recorded_traits import RECORDED
from tests.simulator import numbers, simulate

H200 = RECORDED["h200"]
GPUS = {name: traits for name, traits in RECORDED.items() if not traits.is_cpu}
CODES = {
    "single": {"c2c": "c8", "r2c": "f4", "c2r": "c8"},
    "double": {"c2c": "c16", "r2c": "f8", "c2r": "c16"},
}
KINDS = tuple(CODES["single"])
SHAPES = (  # of one array each, all with an even last axis
    (2, 2), (4, 4), (16, 16), (3, 10), (11, 2), (5, 14), (18, 6), (36, 10), (64, 64), (7, 130),
    (2, 3, 4), (8, 8, 8), (16, 16, 16), (5, 7, 6), (2, 36, 2), (12, 10, 20),
)  # fmt: skip
COUNTS = (1, 2, 7, 100, 4096)


def plan(shape, number=2, kind="c2c", precision="single", traits=H200, algorithm=None, **options):
    parameters = parameters_for(traits).over(checked(options.pop("parameters", {})), "test")
    axes = options.pop("axes", tuple(range(len(shape) - number, len(shape))))
    problem = make_problem(shape, CODES[precision][kind], axes, kind, **options)
    return plan_passes(problem, traits, algorithm, parameters)


def radices_of(each):
    """The stages of the three axes that the kernel knows: two numbers of each axis."""
    members = [int(number) for number in dict(each.defines)["RADICES"].split(",")]
    assert len(members) == 8  # as template.cl says
    assert members[6:] == [1, 1]
    return tuple(zip(members[:6:2], members[1:6:2], strict=True))


def launches():
    """Every launch of the shapes and counts above on every recorded GPU."""
    for (name, traits), shape, count, kind in product(GPUS.items(), SHAPES, COUNTS, KINDS):
        for precision in ("single", "double") if traits.fp64 else ("single",):
            found = plan((count, *shape), len(shape), kind, precision, traits)
            if found[0].kernel == "severalAxes":
                points = prod(shape) // (1 if kind == "c2c" else 2)
                yield name, traits, shape, count, kind, precision, points, found


# --- stages ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("precision", CODES)
def test_stages_of_every_extent(precision):
    """One codelet if there is one of this length, or else two, if these are of smaller lengths."""
    for extent in range(1, LARGEST**2 + 50):
        found = axis_stages(extent, precision)
        alone = extent == 1 or (extent in SHORT_ROWS and extent <= LARGEST_ALONE[precision])
        two = any(a * b == extent for a, b in product(SHORT_ROWS, repeat=2) if max(a, b) <= LARGEST)
        assert (found is not None) == (alone or two)
        if found:
            large, small = found
            assert large * small == extent
            assert (small == 1) == alone
            assert large >= small
            assert {large, small} <= {1, *SHORT_ROWS}
            assert small == 1 or large <= LARGEST


def test_stages_are_as_equal_as_possible():
    assert axis_stages(64, "single") == (8, 8)
    assert axis_stages(36, "single") == (6, 6)
    assert axis_stages(48, "single") == (8, 6)
    assert axis_stages(33, "single") == (11, 3)
    assert axis_stages(256, "double") == (16, 16)
    for prime in (17, 19, 37, 17 * 4):
        assert axis_stages(prime, "single") is None


@pytest.mark.parametrize("large", [2, 3, 5, 8, 13, 16])
@pytest.mark.parametrize("small", [2, 3, 5, 8, 13])
def test_two_stages_in_the_places_of_the_points(large, small):
    """The steps of axisStage.cl in NumPy, and where `left_at` finds the numbers."""
    n = large * small
    x = noise(n, "c16")
    room = np.fft.fft(x.reshape(large, small), axis=0)  # points that lie `small` apart
    r, j = np.ogrid[:large, :small]
    room = np.fft.fft(room * np.exp(-2j * np.pi * r * j / n), axis=1).reshape(-1)
    k = np.arange(n)
    assert relative_error(room[k % large * small + k // large], np.fft.fft(x)) < 1e-14


# --- local memory ---------------------------------------------------------------------------------


def place(begin, further, block, gap):
    """As in the kernel, which adds two parts if it may."""
    if gap == 0:
        return begin + further
    if further % gap == 0 or gap % block == 0:
        return begin + begin // gap + further + further // gap
    return begin + further + (begin + further) // gap


def stages_of(each):
    """The radix and the distance of each stage of a launch, as the kernel has them."""
    inner = prod(map(prod, radices_of(each)))
    for large, small in radices_of(each):
        for radix in (large, small):
            inner //= radix
            if radix > 1:
                yield radix, inner


def check_places(each, points, together, kind, shape):
    macros = numbers(each)
    gap, room = macros["GAP"], macros["ROOM"]
    elements = np.arange(together * points)
    held = place(elements, 0, 1, gap)
    ends = together * prod(shape[:-1]) if kind == "c2r" else 0  # of half spectra that are loaded
    assert len(np.unique(held)) == len(elements)
    assert held.max() < room - ends
    for radix, distance in stages_of(each):
        line = np.arange(len(elements) // radix)
        begin = line // distance * (radix * distance) + line % distance
        for r in range(radix):
            there = place(begin, r * distance, radix * distance, gap)
            np.testing.assert_array_equal(there, held[begin + r * distance])


def test_every_element_has_a_place_of_its_own():
    """Gaps move no stage's element to the place of another one, or to the ends of spectra."""
    seen = set()
    for _, _, shape, _, kind, _, points, found in launches():
        (only,) = found
        if only.defines not in seen:
            seen.add(only.defines)
            check_places(only, points, numbers(only)["TOGETHER"], kind, shape)
    assert len({dict(defines)["GAP"] for defines in seen}) > 3


def test_gaps():
    """Work-items of the last stage are as many elements apart as it has points."""
    for _, _, _, _, _, _, _, found in launches():
        gap = numbers(found[0])["GAP"]
        radix, distance = list(stages_of(found[0]))[-1]
        assert distance == 1
        assert gap == 0 if radix % 2 else gap % radix == 0
        assert gap == 0 or gap >= several_axes.LEAST_GAP


def test_local_memory_holds_a_group():
    for _, traits, _, _, _, precision, _, found in launches():
        macros, itemsize = numbers(found[0]), 16 if precision == "double" else 8
        parts = 2 if macros.get("SHARE") else 1
        assert found[0].local_bytes == macros["ROOM"] * itemsize // parts
        assert found[0].local_bytes <= traits.local_mem_bytes


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("precision", CODES)
def test_less_local_memory_holds_fewer_arrays(kind, precision):
    arrays = []
    for nbytes in (2**15, 2**13, 2**11, 2**9):
        found = plan((2**12, 4, 8), 2, kind, precision, replace(H200, local_mem_bytes=nbytes))
        if found[0].kernel == "severalAxes":
            assert found[0].local_bytes <= nbytes
            arrays.append(numbers(found[0])["TOGETHER"])
    assert len(arrays) > 1
    assert arrays == sorted(arrays, reverse=True)
    little = replace(H200, local_mem_bytes=128)
    assert len(plan((2**12, 4, 8), 2, kind, precision, little)) == 2


# --- groups ---------------------------------------------------------------------------------------


def test_groups_have_all_arrays():
    for _, traits, shape, count, kind, precision, points, found in launches():
        (only,) = found
        macros = numbers(only)
        together, items = macros["TOGETHER"], macros["ITEMS"]
        assert 1 <= together <= count
        groups = only.global_size[0] // items
        assert (groups - 1) * together < count <= groups * together
        assert only.local_size == (items,)
        assert items <= min(traits.max_work_group_size, traits.max_work_item_sizes[0])
        in_parts = "SHARE" in macros
        assert items % traits.lanes == 0 or items == traits.max_work_group_size or in_parts
        assert only.arguments["count"].value == count
        stages = radices_of(only)
        extents = [1] * (3 - len(shape)) + list(shape)
        extents[-1] //= 1 if kind == "c2c" else 2
        assert [large * small for large, small in stages] == extents
        assert prod(extents) == points
        assert dict(only.defines)["DOUBLE"] == str(int(precision == "double"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("precision", CODES)
def test_parameters_choose_the_groups(kind, precision):
    points = 24 if kind == "c2c" else 12
    for wanted, items in ((1, 1), (points, 7), (10 * points - 1, 64), (10 * points, 1024)):
        chosen = {"axes_points": wanted, "axes_group": items}
        (only,) = plan((1000, 4, 6), 2, kind, precision, parameters=chosen)
        macros, most = numbers(only), max(1, wanted // points)
        assert most <= 2 * macros["TOGETHER"] <= 2 * most
        assert macros["ITEMS"] == items
    (only,) = plan((3, 4, 6), 2, kind, precision, parameters={"axes_points": 2**20})
    assert 2 <= numbers(only)["TOGETHER"] <= 3
    (only,) = plan((2**16, 4, 6), 2, kind, precision, parameters={"axes_points": 2**20})
    assert H200.local_mem_bytes / 4 < only.local_bytes <= H200.local_mem_bytes
    small = replace(H200, max_work_group_size=64)
    (only,) = plan((9, 4, 6), 2, kind, precision, small, parameters={"axes_group": 512})
    assert only.local_size == (64,)


@pytest.mark.parametrize(
    ("shape", "precision", "items", "share"),
    [
        ((16, 16, 16), "double", 256, 16),
        ((64, 64), "double", 512, 8),
        ((96, 96), "single", 384, 24),
        ((64, 128), "single", 512, 16),
        ((20, 20, 20), "single", 400, 20),
        ((72, 96), "single", 192, 40),
        ((72, 72), "double", 288, 24),
    ],
)
def test_work_items_keep_the_points_of_arrays_that_fit_in_parts(shape, precision, items, share):
    """Each stage has as many lines as there are points in all, divided by the radix.

    In the first one no work-item idles.
    """
    (only,) = plan((9, *shape), len(shape), precision=precision)
    macros = numbers(only)
    assert (macros["ITEMS"], macros["SHARE"], macros["TOGETHER"]) == (items, share, 1)
    assert only.global_size == (9 * items,)
    for radix, _ in stages_of(only):
        assert -(-prod(shape) // radix // items) * radix <= share
    assert prod(shape) // next(stages_of(only))[0] % items == 0
    for kind in ("r2c", "c2r"):  # not of real numbers whose spectra local memory does not hold
        found = plan((9, 2, *shape), 1 + len(shape), kind, precision)
        assert "SHARE" not in dict(found[0].defines)


def test_work_items_keep_no_points_of_arrays_that_take_too_long():
    assert len(plan((9, 98, 98), 2)) > 1  # the caller who chooses the groups may want it
    assert len(plan((9, 98, 98), 2, parameters={"axes_group": 392})) == 1


def test_an_array_moves_through_memory_once():
    for kind, reads, writes in (("c2c", 96, 96), ("r2c", 48, 72), ("c2r", 72, 48)):
        (only,) = plan((5, 3, 4), 2, kind)
        assert (only.reads, only.writes) == (5 * reads, 5 * writes)
        assert only.aliases == (kind == "c2c")
        assert only.radices == ((3,), (4,) if kind == "c2c" else (2,))
    (only,) = plan((5, 36, 4), 2)
    assert only.radices == ((6, 6), (4,))
    assert only.step == "5 x 36x4 = 6x6, 4"


# --- what it takes --------------------------------------------------------------------------------


def names(*args, **options):
    return {each.kernel for each in plan(*args, **options)}


def test_what_it_takes():
    taken = {"severalAxes"}
    assert names((4, 6)) == names((4, 6), kind="r2c") == names((4, 6), kind="c2r") == taken
    assert names((1, 1, 4, 6), 4) == taken  # axes of length 1 before the others
    assert names((9, 2, 4, 6), 3) == taken
    assert names((9, 5, 7), kind="c2c") == taken
    assert names((3, 8, 6), axes=(2, 1)) == taken
    assert names((3, 2, 8, 6), axes=(2, 1, 3), kind="r2c") == taken
    assert names((3, 8, 6), offset=24) == names((3, 8, 6), kind="r2c", offset=8) == taken


@pytest.mark.parametrize(
    ("shape", "kind", "options"),
    [
        ((3, 8, 9), "r2c", {}),
        ((3, 8, 9), "c2r", {}),
        ((3, 8, 6), "r2c", {"axes": (2, 1)}),
        ((3, 8, 6), "r2c", {"offset": 4}),
        ((3, 8, 6), "c2c", {"axes": (1,)}),
        ((3, 8, 6), "c2c", {"axes": (0, 2)}),
        ((3, 8, 6), "c2c", {"axes": (0, 1)}),
        ((2, 4, 2, 3, 4), "c2c", {"number": 4}),
        ((3, 8, 6), "c2c", {"s": (8, 5)}),
        ((3, 8, 6), "c2r", {"s": (10, 6)}),
        ((3, 8, 6), "c2c", {"strides": (768, 96, 16)}),
        ((3, 8, 6), "c2c", {"strides": (8, 24, 192)}),
        ((3, 8, 6), "c2c", {"transposed": "out"}),
        ((3, 8, 6), "c2c", {"transposed": "in"}),
        ((2, 128, 128), "c2c", {}),
        ((2, 34, 4), "c2c", {}),
        ((2, 4, 74), "r2c", {}),
        ((2, 2, 400), "c2c", {}),
    ],
)
def test_what_it_does_not_take(shape, kind, options):
    assert "severalAxes" not in names(shape, kind=kind, **options)
    with pytest.raises(PlanError, match=r"'several_axes' takes two or three axes of arrays that"):
        plan(shape, kind=kind, algorithm="several_axes", **options)


@pytest.mark.parametrize("code", ["f4", "f8"])
def test_real_input_of_a_complex_transform_takes_several_launches(code):
    passes = plan_passes(make_problem((3, 8, 6), code, (1, 2)), H200)
    assert [each.kernel for each in passes] == ["stockham"] * 2


def test_targets_with_gaps_take_several_launches():
    problem = make_problem((3, 8, 6), "c8", (1, 2))
    assert len(plan_passes(problem, H200)) == 1
    assert len(plan_passes(with_target(problem, (384, 48, 8), 64), H200)) == 1
    assert len(plan_passes(with_target(problem, (512, 64, 8), 0), H200)) == 2
    back = make_problem((3, 8, 6), "c8", (1, 2), "c2r")
    assert len(plan_passes(with_target(back, (192, 24, 4), 8), H200)) == 1
    assert len(plan_passes(with_target(back, (192, 24, 4), 4), H200)) == 2


@pytest.mark.parametrize("name", [name for name in RECORDED if name not in GPUS])
@pytest.mark.parametrize("kind", KINDS)
def test_never_on_cpus(name, kind):
    assert "severalAxes" not in names((64, 8, 8), kind=kind, traits=RECORDED[name])
    with pytest.raises(PlanError, match="that a GPU's local memory holds, not 8"):
        plan((64, 8, 8), kind=kind, traits=RECORDED[name], algorithm="several_axes")


def test_another_algorithm_that_a_caller_or_a_tuner_prefers():
    for name in ("stockham", "direct"):
        assert name in names((64, 8, 8), parameters={"algorithm": name})
        assert name in names((64, 8, 8), algorithm=name)
    assert names((64, 8, 8), parameters={"algorithm": "several_axes"}) == {"severalAxes"}
    assert names((64, 8), 1, parameters={"algorithm": "several_axes"}) == {"stockham"}


# --- results --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("direction", ["forward", "inverse"])
@pytest.mark.parametrize("shape", [(5, 4, 6), (2, 3, 36, 4), (1, 16, 16)])
def test_buffers(shape, kind, direction):
    problem = make_problem(
        shape, CODES["double"][kind], tuple(range(1, len(shape))), kind, direction, "ortho"
    )
    passes = plan_passes(problem, H200, "several_axes")
    assert assign_buffers(passes, problem.nbytes).workspace == ()
    x = noise(problem.source.shape, problem.source_dtype).reshape(-1)
    out = simulate(assign_buffers(passes, problem.nbytes), x.view(np.uint8), problem.nbytes)
    result = out.view(problem.dtype)[places(problem.target)]
    assert relative_error(result, expected_of(problem, x)) < 1e-14
    if kind == "c2c":
        schedule = assign_buffers(passes, problem.nbytes, in_place=True)
        assert len(schedule.passes) == 1
        out = simulate(schedule, x.view(np.uint8), problem.nbytes, in_place=True)
        np.testing.assert_array_equal(out.view(problem.dtype)[places(problem.target)], result)
