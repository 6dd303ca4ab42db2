"""Fusion hooks on the devices, against float64 NumPy."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import replace
from math import prod

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest

import pyclfft
from pyclfft import BuildError, Hook, Plan, PlanError
from pyclfft.planning.solvers import ALIASES, BY_NAME
from pyclfft.planning.solvers.lanes import MIN_LANES
from pyclfft.runtime import describe
from tests.oracle import noise, relative_error
from tests.pairwise import pairwise

# Both hooks multiply by what depends on the element's place, so that each index counts.
LOAD = "value *= (real)(1 + index % 7) / 4;"
STORE = "value *= (real)(1 + index % 5) / 4;"
BOUND = 2e-6
INPUT = {"c2c": "c8", "r2c": "f4", "c2r": "c8"}


def places(array):
    """Every element's index in C order, in the array's shape."""
    return np.arange(array.size).reshape(array.shape)


def loaded(x):
    return x.astype(np.result_type(x, np.float64)) * (1 + places(x) % 7) / 4


def stored(y):
    return y * (1 + places(y) % 5) / 4


def transform(x, kind="c2c", axes=None, s=None):
    """The forward transform; c2r gives as many points as `s` or twice a half says."""
    axes = tuple(range(x.ndim)) if axes is None else tuple(np.atleast_1d(axes))
    if kind == "r2c":
        return np.fft.rfftn(x, s, axes)
    if kind == "c2c":
        return np.fft.fftn(x, s, axes)
    x = np.fft.fftn(x, axes=axes[:-1])
    return np.fft.irfft(x.conj(), s[-1], axes[-1], norm="forward")


def half(shape, axis):
    return (*shape[:axis], shape[axis] // 2 + 1, *shape[axis + 1 :])


def planned(shape, kind="c2c", axes=None, **options):
    """A plan with both hooks, its input, and what it should give."""
    dtype = INPUT[kind]
    hooks = {"load": Hook(LOAD), "store": Hook(STORE)}
    plan = Plan(shape, dtype, axes, kind, hooks=hooks, **options)
    axes = tuple(range(len(shape))) if axes is None else tuple(np.atleast_1d(axes))
    x = noise(half(shape, axes[-1]) if kind == "c2r" else shape, dtype)
    if kind == "c2r":  # the middle and the first element are real
        for index in (0, shape[axes[-1]] // 2):
            if len(shape) == 1 and 2 * index % shape[0] == 0:
                x[index] = x[index].real
    lengths = [shape[axis] for axis in axes] if kind == "c2r" else options.get("s")
    return plan, x, stored(transform(loaded(x), kind, axes, lengths))


def check(plan, x, expected):
    """NumPy arrays and device arrays, out of place and in place."""
    assert relative_error(plan(x), expected) < BOUND
    queue = pyclfft.default_queue()
    on_device = cl_array.to_device(queue, x)
    result = plan(on_device)
    assert relative_error(result.get(), expected) < BOUND
    np.testing.assert_array_equal(on_device.get(), x)
    if expected.shape == x.shape and plan.problem.dtype == x.dtype:
        assert plan(on_device, out=on_device) is on_device
        assert relative_error(on_device.get(), expected) < BOUND


SHAPES = (
    ((5, 12), 1),
    ((3, 10, 7), 1),
    ((37,), 0),
    ((3, 1009), 1),
    ((2**15,), 0),
    ((9, 15), None),
    ((1, 1), None),
)
MORE_SHAPES = (
    ((12, 5), 0),
    ((1, 6), 0),
    ((1009, 3), 0),
    ((2, 3**9), 1),
    ((4, 6, 10), (2, 0)),
    ((4, 1, 6), (0, 1)),
)


@pytest.mark.one_cpu
@pytest.mark.parametrize(
    ("kind", "shape", "axes"),
    [
        pytest.param(kind, shape, axes, marks=marks)
        for shapes, marks in ((SHAPES, ()), (MORE_SHAPES, pytest.mark.full))
        for shape, axes in shapes
        for kind in INPUT
        if kind != "c2r" or isinstance(axes, int)  # several axes: see below
    ],
)
def test_kinds_and_shapes(device, kind, shape, axes):
    check(*planned(shape, kind, axes))


# They take longer transforms than of 16 points, or cosine transforms, or no hooks.
OTHER_PROBLEMS = {"four_step_lanes", "cosine_lanes", "several_axes", "equal_axes", *ALIASES}


@pytest.mark.one_cpu
@pairwise(
    {
        "algorithm": sorted(set(BY_NAME) - OTHER_PROBLEMS),
        "kind": list(INPUT),
        "shape_of, axes": [(lambda n: (4, n), 1), (lambda n: (n, 3), 0)],
    }
)
def test_every_solver(device, algorithm, kind, shape_of, axes):
    traits = describe.traits(device)
    for_cpus = "on a CPU" in BY_NAME[algorithm].requirement
    if for_cpus and not (traits.is_cpu and traits.lanes >= MIN_LANES):
        with pytest.raises(PlanError, match="on a CPU with vectors"):
            planned(shape_of(16), kind, axes, algorithm=algorithm)
        return
    for n in (16, 17):  # a solver takes powers of two, or else primes
        with suppress(PlanError):
            check(*planned(shape_of(n), kind, axes, algorithm=algorithm))
            return
    pytest.fail(f"{algorithm} takes neither 16 nor 17 points")


@pytest.mark.parametrize("algorithm", [None, "radix2", "direct"])
def test_several_axes(device, algorithm):
    check(*planned((8, 16), algorithm=algorithm))


def test_spectra_of_several_axes(device):
    """A half spectrum that is one after the load hook has been called."""
    y = noise((6, 10), "f4")
    x = np.fft.rfft2(y)
    given = (x * 4 / (1 + places(x) % 7)).astype("c8")
    hooks = {"load": Hook(LOAD), "store": Hook(STORE)}
    plan = Plan((6, 10), "c8", kind="c2r", direction="inverse", hooks=hooks)
    check(plan, given, stored(y))


@pytest.mark.one_cpu
@pytest.mark.parametrize("kind", INPUT)
@pytest.mark.parametrize("n", [2**15, 2053])
def test_many_steps(device, monkeypatch, kind, n):
    """Three launches, or Bluestein's five, of which only the first and the last one have hooks."""
    real = describe.traits
    limits = {"local_mem_bytes": 512, "max_work_group_size": 32, "lanes": 1}
    monkeypatch.setattr(describe, "traits", lambda each: replace(real(each), **limits))
    plan, x, expected = planned((n,), kind)
    assert len(plan.passes) >= 3
    assert [bool(each.hooks) for each in plan.passes][1:-1] == [False] * (len(plan.passes) - 2)
    check(plan, x, expected)


@pytest.mark.parametrize("algorithm", [None, "radix2", "direct"])
@pytest.mark.parametrize("dtype", ["c8", "f4"])
def test_padding_is_not_hooked(device, algorithm, dtype):
    """Nor is it looked at where the hook would make something of nothing."""
    x = noise((3, 5), dtype)
    plan = Plan((3, 5), dtype, 1, s=8, algorithm=algorithm, hooks={"load": Hook("value += 1;")})
    one = 1 if dtype == "f4" else 1 + 1j  # OpenCL C adds a number to both parts
    assert relative_error(plan(x), np.fft.fft(x.astype(complex) + one, 8)) < BOUND


@pytest.mark.parametrize("algorithm", [None, "radix2", "direct"])
def test_strides(device, algorithm):
    """The index counts in memory, from the array's first element on."""
    queue = pyclfft.default_queue()
    room = cl_array.to_device(queue, noise((6, 20), "c8"))
    x = room[1:5, 3:19]  # 16 of 20 columns
    steps = 20 * np.arange(4)[:, None] + np.arange(16)
    hooks = {"load": Hook("value *= (real)index;"), "store": Hook("value *= (real)index;")}
    plan = Plan(
        x.shape, "c8", 1, strides=x.strides, offset=x.offset, hooks=hooks, algorithm=algorithm
    )
    whole = room.get()
    bare = np.fft.fft(whole[1:5, 3:19].astype(complex) * steps)
    assert relative_error(plan(x).get(), bare * places(bare)) < BOUND
    wide = cl_array.zeros(queue, (4, 40), np.complex64)
    plan(x, out=wide[:, 2::2][:, :16])
    steps_out = 40 * np.arange(4)[:, None] + 2 * np.arange(16)
    assert relative_error(wide.get()[:, 2:34:2], bare * steps_out) < BOUND
    plan(x, out=x)
    assert relative_error(room.get()[1:5, 3:19], bare * steps) < BOUND
    kept = room.get()
    kept[1:5, 3:19] = whole[1:5, 3:19]
    np.testing.assert_array_equal(kept, whole)


def test_double_precision(device, fp64):
    hooks = {"load": Hook("value *= window[index];", window=np.hanning(100))}
    x = noise(100, "f8")
    result = Plan(100, "f8", kind="r2c", hooks=hooks)(x)
    assert relative_error(result, np.fft.rfft(x * np.hanning(100))) < 1e-15


@pytest.mark.one_cpu
@pytest.mark.parametrize("kind", INPUT)
@pytest.mark.parametrize(
    "shape", [(5, 12), (3, 1009), (2, 2**14), (70, 1), (40, 100), (70, 15), (1, 3**9)]
)
def test_each_result_is_stored_once(device, kind, shape):
    """And each element is loaded, at the index where it is."""
    queue = pyclfft.default_queue()
    counts = {}
    plan, x, _ = planned(shape, kind, 1)
    for place, size in (("load", x.size), ("store", prod(plan.problem.target.shape))):
        counts[place] = cl_array.zeros(queue, size, np.int32)
    hooks = {
        place: Hook("atomic_inc(counts + index);", counts=each) for place, each in counts.items()
    }
    Plan(shape, INPUT[kind], 1, kind, hooks=hooks)(x)
    assert (counts["store"].get() == 1).all()
    assert counts["load"].get().min() >= 1


# --- what hooks are for ---------------------------------------------------------------------------


def test_window_filter_and_magnitude(device):
    x, window, spectrum = noise((6, 50), "f4"), np.hanning(50), noise(26, "c8")
    hooks = {
        "load": Hook("value *= window[index % 50];", window=window),
        "store": Hook("value = cmul(value, spectrum[index % 26]);", spectrum=spectrum),
    }
    expected = np.fft.rfft(x * window) * spectrum
    assert relative_error(Plan(x.shape, "f4", 1, "r2c", hooks=hooks)(x), expected) < BOUND
    power = Hook(
        "value = (cplx)(magnitude(value), 0);",
        preamble="""
        static inline real magnitude(cplx z)
        {
            return sqrt(z.x * z.x + z.y * z.y);
        }
    """,
    )
    plan = Plan(x.shape, "f4", 1, "r2c", hooks={"store": power})
    assert relative_error(plan(x), abs(np.fft.rfft(x))) < BOUND


@pytest.mark.parametrize(
    ("number", "expected"),
    [(2, 2), (0.5, 0.5), (np.float64(0.25), 0.25), (np.int16(-3), -3), (np.uint64(2**40), 2**40)],
)
def test_numbers(device, number, expected):
    hook = Hook("value *= (real)scale;", scale=number)  # the kernel has one of that name, too
    x = noise((2, 8), "c8")
    result = Plan((2, 8), "c8", 1, hooks={"store": hook})(x)
    assert relative_error(result, expected * np.fft.fft(x)) < BOUND


def test_complex_number(device):
    x = noise(12, "c8")
    hook = Hook("value = cmul(value, turn);", turn=1j)
    assert relative_error(Plan(12, "c8", hooks={"load": hook})(x), 1j * np.fft.fft(x)) < BOUND


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u8", "f4", "c8"])
def test_arrays(device, dtype):
    """NumPy's, pyopencl's, and bare buffers."""
    queue = pyclfft.default_queue()
    gains = np.arange(1, 13).astype(dtype)
    on_device = cl_array.to_device(queue, gains)
    x = noise(12, "c8")
    c_type = {"i1": "char", "u2": "ushort", "i4": "int", "u8": "ulong", "f4": "float"}.get(dtype)
    part = "gains[index]" if c_type else "gains[index].x"
    codes = {
        f"value *= (real){part};": (gains, on_device),
        f"value *= (real)((global {c_type or 'float2'} *){part.replace('[', ')[')};": (
            on_device.base_data,
        ),
    }
    for code, arrays in codes.items():
        for array in arrays:
            plan = Plan(12, "c8", hooks={"load": Hook(code, gains=array)})
            assert relative_error(plan(x), np.fft.fft(x * np.arange(1, 13))) < BOUND


def test_both_hooks_share_a_preamble_and_names(device):
    preamble = "static inline real doubled(real x)\n{\n    return 2 * x;\n}"
    hooks = {
        place: Hook("value.x = doubled(value.x) * by;", preamble=preamble, by=by)
        for place, by in (("load", 0.5), ("store", 1.5))
    }
    x = noise(8, "c8")
    expected = np.fft.fft(x)
    expected.real *= 3
    assert relative_error(Plan(8, "c8", hooks=hooks)(x), expected) < BOUND


def test_kernel_files_can_be_included(device):
    hook = Hook("value *= (real)sizeof(cplx);", preamble='#include "prelude.cl"\n')
    x = noise(8, "c8")
    assert relative_error(Plan(8, "c8", hooks={"load": hook})(x), 8 * np.fft.fft(x)) < BOUND


# --- calls ----------------------------------------------------------------------------------------


def test_an_array_that_changes_between_calls(device):
    queue = pyclfft.default_queue()
    gains = cl_array.to_device(queue, np.ones(16, np.float32))
    plan = Plan(16, "c8", hooks={"store": Hook("value *= gains[index];", gains=gains)})
    x = noise(16, "c8")
    expected = np.fft.fft(x)
    for gain in (1, 2, 3):
        gains.set(np.full(16, gain, np.float32))
        assert relative_error(plan(x), gain * expected) < BOUND
    del gains  # the plan keeps it
    assert relative_error(plan(x), 3 * expected) < BOUND


def test_events_of_an_array_are_waited_for(device):
    """Another queue changes the array, as soon as it is let."""
    queue = pyclfft.default_queue()
    gains = cl_array.to_device(queue, np.ones(16, np.float32))
    plan = Plan(16, "c8", hooks={"store": Hook("value *= gains[index];", gains=gains)})
    x = noise(16, "c8")
    gate = cl.UserEvent(queue.context)
    other = cl.CommandQueue(queue.context)
    new = np.full(16, 5, np.float32)
    gains.add_event(
        cl.enqueue_copy(other, gains.base_data, new, is_blocking=False, wait_for=[gate])
    )
    result = plan(cl_array.to_device(queue, x))
    gate.set_status(cl.command_execution_status.COMPLETE)
    assert relative_error(result.get(), 5 * np.fft.fft(x)) < BOUND


def test_threads_share_a_plan(device):
    plan, x, expected = planned((4, 1000), axes=1)
    errors = []

    def work(seed):
        for factor in range(1, 6):
            errors.append(relative_error(plan(x * factor * seed), expected * factor * seed))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(errors) == 10
    assert max(errors) < BOUND


def test_profile(device):
    plan, x, _ = planned((4, 1000), axes=1)
    assert [each.name for each in plan.profile(x)] == ["write", plan.passes[0].kernel, "read"]


# --- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", [None, "direct"])
@pytest.mark.parametrize(
    ("hook", "line"),
    [
        (Hook("value *= gian;", gain=2), "hook:load:1: value *= gian;"),
        (Hook("real g = gain;\n\nvalue *= g g;", gain=2), "hook:load:3: value *= g g;"),
        (
            Hook("value *= 2;", preamble='#include "prelude.cl"\nreal f(real x) { return y; }\n'),
            "hook:load:preamble:2: real f(real x) { return y; }",
        ),
    ],
)
def test_mistakes_are_shown_in_their_own_lines(device, algorithm, hook, line):
    with pytest.raises(BuildError) as raised:
        Plan(6, "c8", algorithm=algorithm, hooks={"load": hook})
    assert raised.value.source_line == line
    assert line in str(raised.value)


def test_unknown_kernel_files(device):
    with pytest.raises(BuildError, match=r"no kernel file is called nothing\.cl"):
        Plan(6, "c8", hooks={"load": Hook("", preamble='#include "nothing.cl"')})


@pytest.mark.parametrize(
    ("hooks", "says"),
    [
        ([], "hooks are given as"),
        ({"first": Hook("")}, "not 'first'"),
        ({"load": "value *= 2;"}, "to a Hook, not 'load' to 'value"),
        ({"load": Hook("", data=np.empty(0))}, "data has no elements"),
    ],
)
def test_what_is_no_hook(device, hooks, says):
    with pytest.raises(PlanError, match=says) as raised:
        Plan(6, "c8", hooks=hooks)
    assert "\n" not in str(raised.value)


def test_arrays_that_do_not_fit(device):
    queue = pyclfft.default_queue()
    part = cl_array.zeros(queue, 8, np.float32)[4:]
    with pytest.raises(PlanError, match="part does not begin where its buffer does"):
        Plan(4, "c8", hooks={"load": Hook("", part=part)})
    context = cl.Context([queue.device])
    strange = cl_array.to_device(cl.CommandQueue(context), np.ones(8, np.float32))
    for array in (strange, strange.base_data):
        with pytest.raises(PlanError, match="strange belongs to another context"):
            Plan(4, "c8", hooks={"load": Hook("", strange=array)})


def test_hooks_need_input(device):
    with pytest.raises(PlanError, match="hooks need an input"):
        Plan((0, 4), "c8", s=(2, 4), hooks={"store": Hook("value += 1;")})
