"""All axes of small arrays in one launch, on any device: CI has no GPU, for which this is meant."""

from __future__ import annotations

import shutil
from dataclasses import replace
from math import prod

import numpy as np
import pyopencl.array as cl_array
import pytest

from pyclfft import Hook, Plan
from pyclfft.bench import amd
from pyclfft.errors import PlanError
from pyclfft.planning.planner import plan_passes
from pyclfft.planning.problem import make_problem, plain_layout
from pyclfft.runtime import describe
from tests.oracle import bound, expected_of, noise, of_few, relative_error
from tests.pairwise import pairwise
from tests.recorded_traits import RECORDED

CODES = {
    "single": {"c2c": "c8", "r2c": "f4", "c2r": "c8"},
    "double": {"c2c": "c16", "r2c": "f8", "c2r": "c16"},
}
KINDS = [(kind, way) for kind in ("c2c", "r2c", "c2r") for way in ("forward", "inverse")]
LOCAL_BYTES = 48 * 1024
# Shapes and the number of their last axes that are transformed. Every last axis is even, so that
# real numbers are taken, too.
SHAPES = (
    ((3, 4, 4), 2),
    ((16, 16), 2),  # one array
    ((5, 16, 16), 2),
    ((9, 2, 6), 2),
    ((11, 12, 2), 2),  # a single point of two real numbers
    ((2, 3, 5, 14), 2),  # two axes of arrays, an odd axis before the last one
    ((7, 9, 30), 2),
    ((2, 40, 36), 2),  # two stages along each axis
    ((2, 33, 24), 2),  # two odd stages, and one or two even ones
    ((2, 7, 130), 2),
    ((1, 50, 10), 2),  # a second stage of 5 points, an odd number
    ((2, 48, 10), 2),
    ((3, 1, 6, 8), 3),  # an axis of length 1 before the others
    ((2, 8, 8, 8), 3),
    ((4, 3, 5, 14), 3),
    ((5, 6, 7, 10), 3),
    ((2, 2, 36, 2), 3),
    ((2, 36, 2, 18), 3),
)


@pytest.fixture
def gpu(device, queue, change_traits):
    """Let plans be made as for a GPU; return a function that makes one."""
    own = describe.traits(device)
    change_traits(is_cpu=False, lanes=32, local_mem_bytes=min(LOCAL_BYTES, own.local_mem_bytes))

    def plan(shape, dtype, axes=None, *given, **options):
        if np.result_type(dtype, "c8") == "c16" and not own.fp64:
            pytest.skip("no double precision")
        return Plan(shape, dtype, axes, *given, context=queue.context, **options)

    return plan


def last_axes(shape, number):
    return tuple(range(len(shape) - number, len(shape)))


def kernels(plan):
    return [each.kernel for each in plan.passes]


def limit_of(plan, numbers):
    problem = plan.problem
    lengths = [problem.shape[axis] for axis in problem.axes]
    return bound("several_axes", problem.dtype, prod(lengths)) * of_few(numbers)


def check(plan, x, result):
    """Compare with SciPy's result for the elements x, wherever they lie in memory."""
    source = plain_layout(x.shape, plan.problem.source.real)
    expected = expected_of(replace(plan.problem, source=source), np.ravel(x))
    assert relative_error(result, expected) <= limit_of(plan, x.size)


def check_chosen(queue, plan):
    """Compare the result for device arrays and host arrays; the input must stay as it is."""
    assert kernels(plan) == ["severalAxes"]
    x = noise(plan.problem.source.shape, plan.problem.source_dtype)
    given = cl_array.to_device(queue, x)
    result = plan(given)
    check(plan, x, result.get())
    np.testing.assert_array_equal(given.get(), x)
    np.testing.assert_array_equal(plan(x), result.get())
    return x, given, result


@pytest.mark.one_cpu
@pairwise(
    {
        "shape, number": SHAPES,
        "kind, direction": KINDS,
        "precision": list(CODES),
        "norm": ["backward", "ortho", "forward"],
    }
)
def test_kinds(queue, gpu, shape, number, kind, direction, precision, norm):
    axes = last_axes(shape, number)
    plan = gpu(shape, CODES[precision][kind], axes, kind, direction, norm)
    _, given, result = check_chosen(queue, plan)
    if kind == "c2c":
        assert plan(given, out=given) is given
        np.testing.assert_array_equal(given.get(), result.get())


@pairwise(
    {
        "shape, number": [((3, 4, 4), 2), ((2, 20, 36), 2), ((3, 4, 3, 6), 3)],
        "kind, direction": KINDS,
        "precision": list(CODES),
    }
)
def test_every_device(queue, gpu, shape, number, kind, direction, precision):
    plan = gpu(shape, CODES[precision][kind], last_axes(shape, number), kind, direction)
    check_chosen(queue, plan)


@pytest.mark.one_cpu
@pairwise(
    {
        "shape": [
            (3, 16, 40),
            (2, 24, 30),
            (2, 8, 8, 10),
            (1, 9, 50, 2),
            (2, 13, 33),
            (2, 144, 2),
        ],
        "direction": ["forward", "inverse"],
        "precision": list(CODES),
    }
)
def test_points_that_work_items_keep(queue, gpu, change_traits, shape, direction, precision):
    """Local memory holds the real parts of an array, and then its imaginary parts."""
    points = prod(shape[1:])
    change_traits(local_mem_bytes=points * {"single": 6, "double": 12}[precision])
    plan = gpu(shape, CODES[precision]["c2c"], last_axes(shape, len(shape) - 1), "c2c", direction)
    assert "SHARE" in dict(plan.passes[0].defines)
    _, given, result = check_chosen(queue, plan)
    assert plan(given, out=given) is given
    np.testing.assert_array_equal(given.get(), result.get())


@pytest.mark.one_cpu
@pytest.mark.parametrize("shape", [(64, 3, 3), (2, 7, 9), (3, 13, 33), (2, 5, 3, 7), (2, 39, 1, 5)])
@pytest.mark.parametrize("precision", CODES)
def test_odd_axes_of_complex_numbers(queue, gpu, shape, precision):
    number = len(shape) - 1
    plan = gpu(shape, CODES[precision]["c2c"], last_axes(shape, number), direction="inverse")
    if 1 in shape[1:-1]:
        check(plan, x := noise(shape, plan.dtype), plan(x))  # by one launch, or by several
    else:
        check_chosen(queue, plan)


@pytest.mark.one_cpu
@pytest.mark.parametrize("kind", ["c2c", "r2c", "c2r"])
def test_an_array_that_almost_fills_local_memory(queue, gpu, kind):
    check_chosen(queue, gpu((3, 64, 64), CODES["single"][kind], (1, 2), kind))


@pytest.mark.one_cpu
def test_axes_in_another_order(queue, gpu):
    check_chosen(queue, gpu((3, 8, 10), "c8", (2, 1)))
    check_chosen(queue, gpu((3, 4, 8, 10), "f4", (2, 1, 3), "r2c"))


# --- groups ---------------------------------------------------------------------------------------

# Shapes, and how many arrays a group may have. Each count of arrays is a prime, so that the last
# group has fewer, however many of these arrays the planner takes.
GROUPS = (((13, 4, 6), 5), ((7, 6, 20), 3), ((5, 3, 4, 10), 3))


@pytest.mark.one_cpu
@pairwise(
    {
        "shape, together": GROUPS,
        "kind, direction": KINDS,
        "precision": list(CODES),
        "items": [1, 24, 64],
    }
)
def test_the_last_group_has_fewer_arrays(
    queue, gpu, shape, together, kind, direction, precision, items
):
    """Nothing beside the arrays changes, where source and target begin within larger ones."""
    points = prod(shape[1:]) // (1 if kind == "c2c" else 2)
    parameters = {"axes_points": together * points, "axes_group": items}
    axes = last_axes(shape, len(shape) - 1)
    plain = gpu(shape, CODES[precision][kind], axes, kind, direction, parameters=parameters)
    macros = dict(plain.passes[0].defines)
    taken = int(macros["TOGETHER"])
    assert 1 < taken <= together
    assert shape[0] % taken
    assert macros["ITEMS"] == str(items)
    assert plain.passes[0].global_size == (-(-shape[0] // taken) * items,)
    check_chosen(queue, plain)

    source, target = plain.problem.source, plain.problem.target
    x = noise((source.shape[0] + 4, *source.shape[1:]), plain.problem.source_dtype)
    view = cl_array.to_device(queue, x)[2:-2]
    out = cl_array.to_device(
        queue, np.full((target.shape[0] + 4, *target.shape[1:]), 7, plain.problem.dtype)
    )
    plan = gpu(
        shape, CODES[precision][kind], axes, kind, direction, parameters=parameters,
        strides=view.strides, offset=view.offset,
    )  # fmt: skip
    assert kernels(plan) == ["severalAxes"]
    part = out[1:-3]
    assert plan(view, out=part) is part
    result = out.get()
    check(plan, x[2:-2], result[1:-3])
    np.testing.assert_array_equal(result[:1], 7)
    np.testing.assert_array_equal(result[-3:], 7)


@pytest.mark.one_cpu
def test_in_place_within_a_larger_array(queue, gpu):
    whole = cl_array.to_device(queue, x := noise((9, 6, 8), "c8"))
    view = whole[2:7]
    parameters = {"axes_points": 2 * 48}
    plan = gpu(
        (5, 6, 8), "c8", (1, 2), strides=view.strides, offset=view.offset, parameters=parameters
    )
    assert plan(view, out=view) is view
    after = whole.get()
    check(plan, x[2:7], after[2:7])
    np.testing.assert_array_equal(after[:2], x[:2])
    np.testing.assert_array_equal(after[7:], x[7:])


@pytest.mark.one_cpu
def test_real_numbers_that_begin_at_an_odd_place(queue, gpu):
    """Two of them are no complex number there, neither in the source nor in the target."""
    whole = cl_array.to_device(queue, x := noise(3 * 4 * 6 + 3, "f4"))
    for first, expected in ((1, "stockham"), (2, "severalAxes")):
        plan = gpu((3, 4, 6), "f4", (1, 2), "r2c", offset=4 * first)
        assert kernels(plan)[0] == expected
        view = cl_array.Array(queue, (3, 4, 6), "f4", data=whole.data, offset=4 * first)
        check(plan, x[first : first + 72].reshape(3, 4, 6), plan(view).get())
    back = gpu((3, 4, 6), "c8", (1, 2), "c2r")
    y = noise((3, 4, 4), "c8")
    for first in (1, 2):
        room = cl_array.to_device(queue, np.full(3 * 4 * 6 + 3, 7, "f4"))
        out = cl_array.Array(queue, (3, 4, 6), "f4", data=room.data, offset=4 * first)
        back(cl_array.to_device(queue, y), out=out)
        after = room.get()
        check(back, y, after[first : first + 72].reshape(3, 4, 6))
        np.testing.assert_array_equal(after[[*range(first), *range(first + 72, 75)]], 7)


# --- results --------------------------------------------------------------------------------------


@pytest.mark.one_cpu
@pairwise(
    {
        "shape": [(3, 8, 10), (2, 5, 36), (2, 6, 4, 8), (2, 3, 5, 2)],
        "direction": ["forward", "inverse"],
        "dtype": ["c8", "c16"],
    }
)
def test_what_no_real_numbers_have_in_their_spectrum_is_left_out(
    queue, gpu, shape, direction, dtype
):
    """As by SciPy, which transforms the last axis last, and takes real parts at its ends."""
    axes = last_axes(shape, len(shape) - 1)
    plan = gpu(shape, dtype, axes, "c2r", direction)
    half = noise(plan.problem.source.shape, dtype)
    images = half
    for axis in axes[:-1]:
        images = np.roll(np.flip(images, axis), 1, axis)
    ends = np.zeros(half.shape[-1], bool)
    ends[[0, -1]] = True
    symmetric = np.where(ends, (half + images.conj()) / 2, half)
    plain = plan(cl_array.to_device(queue, symmetric)).get()
    check(plan, symmetric, plain)
    result = plan(cl_array.to_device(queue, half)).get()
    check(plan, half, result)
    assert relative_error(result, plain) <= limit_of(plan, half.size)


@pytest.mark.one_cpu
@pairwise(
    {
        "shape, together": GROUPS,
        "kind, direction": KINDS,
        "precision": list(CODES),
        "poison": [np.nan, np.inf],
    }
)
def test_arrays_stay_apart(queue, gpu, shape, together, kind, direction, precision, poison):
    """What is not finite in one array leaves all others of its group as they are."""
    points = prod(shape[1:]) // (1 if kind == "c2c" else 2)
    axes = last_axes(shape, len(shape) - 1)
    plan = gpu(
        shape, CODES[precision][kind], axes, kind, direction,
        parameters={"axes_points": together * points},
    )  # fmt: skip
    x = noise(plan.problem.source.shape, plan.problem.source_dtype)
    plain = plan(cl_array.to_device(queue, x)).get()
    for spoilt in (1, len(x) - 1):
        poisoned = x.copy()
        poisoned[(spoilt, *(extent // 2 for extent in x.shape[1:]))] = poison
        result = plan(cl_array.to_device(queue, poisoned)).get()
        assert not np.isfinite(result[spoilt]).all()
        assert poison == np.inf or np.isnan(result[spoilt]).all()
        others = np.arange(len(x)) != spoilt
        np.testing.assert_array_equal(result[others], plain[others])


@pytest.mark.one_cpu
@pairwise(
    {
        "shape, together": GROUPS,
        "kind, direction": KINDS,
        "precision": list(CODES),
    }
)
def test_equal_arrays_have_equal_bits(queue, gpu, shape, together, kind, direction, precision):
    """Wherever they lie in a group, beside whatever scale, and in every call."""
    points = prod(shape[1:]) // (1 if kind == "c2c" else 2)
    axes = last_axes(shape, len(shape) - 1)
    options = {"parameters": {"axes_points": together * points}}
    plan = gpu(shape, CODES[precision][kind], axes, kind, direction, **options)
    x = noise(plan.problem.source.shape, plan.problem.source_dtype)
    x[:] = x[0]
    x[1] *= 1e10
    given = cl_array.to_device(queue, x)
    result = plan(given).get()
    for each in result[2:]:
        np.testing.assert_array_equal(each, result[0])
    for _ in range(3):
        np.testing.assert_array_equal(plan(given).get(), result)


@pytest.mark.one_cpu
@pytest.mark.parametrize("kind", ["c2c", "r2c", "c2r"])
def test_no_arrays(queue, gpu, kind):
    plan = gpu((0, 4, 6), CODES["single"][kind], (1, 2), kind)
    x = noise(plan.problem.source.shape, plan.problem.source_dtype)
    assert plan(x).shape == plan.problem.target.shape
    assert plan(cl_array.to_device(queue, x)).shape == plan.problem.target.shape


@pytest.mark.one_cpu
def test_ends_of_spectra_are_real(queue, gpu):
    """Where an element of the spectrum of real numbers is its own mirror image, it is real."""
    result = gpu((7, 6, 8), "f4", (1, 2), "r2c")(cl_array.to_device(queue, noise((7, 6, 8), "f4")))
    result = result.get()
    assert not result[:, ::3, ::4].imag.any()
    np.testing.assert_array_equal(result[:, :0:-1, ::4], result[:, 1:, ::4].conj())


# --- what it does not take ------------------------------------------------------------------------

# Shape, axes, kind and other arguments of a plan, and an extent that the error of a caller who
# insists names.
OTHERS = {
    "an odd axis of real numbers": ((3, 8, 9), (1, 2), "r2c", {}, 9),
    "an odd axis of real results": ((3, 8, 9), (1, 2), "c2r", {}, 8),
    "real numbers along another axis": ((3, 8, 6), (2, 1), "r2c", {}, 8),
    "one axis": ((3, 8, 6), (2,), "c2c", {}, 6),
    "four axes": ((2, 4, 2, 3, 4), (1, 2, 3, 4), "c2c", {}, 4),
    "axes that are not the last ones": ((4, 8, 6), (0, 1), "c2c", {}, 8),
    "an axis in between": ((4, 2, 6), (0, 2), "c2c", {}, 6),
    "an input that is cut": ((3, 8, 9), (1, 2), "c2c", {"s": (8, 6)}, 6),
    "an input that is filled up": ((3, 8, 5), (1, 2), "c2c", {"s": (10, 5)}, 5),
    "real numbers that are cut": ((3, 8, 12), (1, 2), "r2c", {"s": (8, 10)}, 10),
    "too large for local memory": ((2, 128, 128), (1, 2), "c2c", {}, 128),
    "too large for local memory as half of a spectrum": ((2, 98, 126), (1, 2), "r2c", {}, 126),
    "a prime without a codelet": ((2, 34, 4), (1, 2), "c2c", {}, 4),
    "a long axis": ((2, 2, 400), (1, 2), "c2c", {}, 400),
}


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", OTHERS)
def test_what_takes_several_launches(queue, gpu, name):
    shape, axes, kind, options, _ = OTHERS[name]
    plan = gpu(shape, CODES["single"][kind], axes, kind, **options)
    assert "severalAxes" not in kernels(plan)
    x = noise(plan.problem.source.shape, plan.problem.source_dtype)
    check(plan, x, plan(cl_array.to_device(queue, x)).get())


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", OTHERS)
def test_what_is_refused(gpu, name):
    shape, axes, kind, options, extent = OTHERS[name]
    words = "'several_axes' takes two or three axes of arrays that a GPU's local memory holds, not "
    with pytest.raises(PlanError, match=f"{words}{extent}: choose another one"):
        gpu(shape, CODES["single"][kind], axes, kind, algorithm="several_axes", **options)


@pytest.mark.one_cpu
def test_real_input_of_a_complex_transform(queue, gpu):
    plan = gpu((3, 8, 6), "f4", (1, 2))
    assert "severalAxes" not in kernels(plan)
    x = noise((3, 8, 6), "f4")
    check(plan, x, plan(cl_array.to_device(queue, x)).get())


@pytest.mark.one_cpu
@pytest.mark.parametrize("kind", ["c2c", "r2c", "c2r"])
def test_views_with_gaps(queue, gpu, kind):
    """A source with gaps, and then a target with gaps, take a launch for each axis."""
    plan = gpu((4, 6, 8), CODES["single"][kind], (1, 2), kind)
    problem = plan.problem
    x = noise((9, *problem.source.shape[1:]), problem.source_dtype)
    view = cl_array.to_device(queue, x)[::2][:4]
    strided = gpu(
        (4, 6, 8), CODES["single"][kind], (1, 2), kind, strides=view.strides, offset=view.offset
    )
    assert "severalAxes" not in kernels(strided)
    expected = expected_of(problem, np.ascontiguousarray(x[:8:2]).reshape(-1))
    assert relative_error(strided(view).get(), expected) <= 2 * limit_of(plan, view.size)
    room = cl_array.to_device(queue, np.zeros((*problem.target.shape[:-1], 20), problem.dtype))
    out = room[:, :, 1 : problem.target.shape[-1] + 1]
    plan(cl_array.to_device(queue, x[:8:2].copy()), out=out)
    held = room.get()
    result = held[:, :, 1 : problem.target.shape[-1] + 1]
    assert relative_error(result, expected) <= 2 * limit_of(plan, view.size)
    held[:, :, 1 : problem.target.shape[-1] + 1] = 0
    assert not held.any()


@pytest.mark.one_cpu
@pytest.mark.parametrize(("kind", "place"), [("c2c", "load"), ("r2c", "store"), ("c2r", "load")])
def test_hooks(queue, gpu, kind, place):
    """A transform with hooks takes a launch for each axis."""
    hooks = {place: Hook("value *= 3;")}
    plan = gpu((4, 6, 8), CODES["single"][kind], (1, 2), kind, hooks=hooks)
    assert "severalAxes" not in kernels(plan)
    x = noise(plan.problem.source.shape, plan.problem.source_dtype)
    result = plan(cl_array.to_device(queue, x)).get()
    expected = 3 * expected_of(plan.problem, x.reshape(-1))
    assert relative_error(result, expected) <= 2 * limit_of(plan, x.size)


@pytest.mark.parametrize("kind", ["c2c", "r2c", "c2r"])
def test_never_on_a_cpu(device, queue, kind):
    if not describe.traits(device).is_cpu:
        pytest.skip("no CPU")
    plan = Plan((3, 8, 6), CODES["single"][kind], (1, 2), kind, context=queue.context)
    assert "severalAxes" not in kernels(plan)
    with pytest.raises(PlanError, match="'several_axes' takes"):
        Plan((3, 8, 6), CODES["single"][kind], (1, 2), kind, algorithm="several_axes")


@pytest.mark.one_cpu
def test_another_algorithm(queue, gpu):
    """A caller may insist on a launch for each axis, or prefer it by a parameter."""
    for options in ({"algorithm": "stockham"}, {"parameters": {"algorithm": "stockham"}}):
        plan = gpu((3, 8, 6), "c8", (1, 2), **options)
        assert kernels(plan) == ["stockham", "stockham"]
        x = noise((3, 8, 6), "c8")
        check(plan, x, plan(cl_array.to_device(queue, x)).get())


# --- on an AMD GPU --------------------------------------------------------------------------------


@pytest.mark.skipif(not shutil.which(amd.COMPILER), reason="clang-15 is not installed")
@pairwise(
    {
        "shape": [(64, 16, 16), (64, 32, 32), (64, 30, 22), (64, 60, 36), (9, 26, 2, 28)],
        "kind": ["c2c", "r2c", "c2r"],
        "precision": list(CODES),
        "chip": ["gfx906", "gfx90a", "gfx1030"],
    }
)
def test_points_are_in_registers(shape, kind, precision, chip):
    """Neither spilled nor in an array that the compiler has left in memory; and no warning."""
    axes = last_axes(shape, len(shape) - 1)
    problem = make_problem(shape, CODES[precision][kind], axes, kind)
    (only,) = plan_passes(problem, RECORDED["gfx90a"], "several_axes")
    messages, usage = amd.compile_pass(only, chip)
    assert messages == ""
    assert (usage.spilled, usage.private_bytes) == (0, 0)
    assert usage.local_bytes == only.local_bytes
