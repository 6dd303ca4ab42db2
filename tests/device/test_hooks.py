"""Fusion hooks on the devices, against float64 NumPy."""

from __future__ import annotations

import threading
from math import prod

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest

import pyclfft
from pyclfft import BuildError, Hook, Plan, PlanError
from pyclfft.planning.solvers import BY_NAME
from pyclfft.runtime import device as devices_module
from pyclfft.tuning import lookup
from tests.oracle import noise, relative_error

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


def planned(shape, kind="c2c", axes=None, dtype=None, **options):
    """A plan with both hooks, its input, and what it should give."""
    dtype = dtype or INPUT[kind]
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


@pytest.mark.parametrize("kind", INPUT)
@pytest.mark.parametrize(
    ("shape", "axes"),
    [
        ((16,), None),
        ((5, 12), 1),
        ((12, 5), 0),
        ((3, 10, 7), 1),
        ((9, 15), None),
        ((4, 6, 10), (2, 0)),
        ((1, 1), None),
        ((1, 6), 0),
        ((4, 1, 6), (0, 1)),
        ((37,), None),
        ((3, 1009), 1),
        ((1009, 3), 0),
        ((2**15,), None),
        ((2, 3**9), 1),
    ],
)
def test_kinds_and_shapes(device, kind, shape, axes):
    if kind == "c2r" and len(np.atleast_1d(axes)) * len(shape) > 1:
        pytest.skip("spectra of several axes: see below")
    check(*planned(shape, kind, axes))


@pytest.mark.parametrize("algorithm", BY_NAME)
@pytest.mark.parametrize("kind", INPUT)
@pytest.mark.parametrize(("shape", "axes"), [((4, 16), 1), ((16, 3), 0), ((8, 16), None)])
def test_every_solver(device, algorithm, kind, shape, axes):
    try:
        plan, x, expected = planned(shape, kind, axes, algorithm=algorithm)
    except PlanError:
        assert algorithm in ("four_step", "bluestein")
        return
    check(plan, x, expected)


def test_spectra_of_several_axes(device):
    """What a c2r plan reads beyond the first column need not be symmetric; what it shows, is."""
    y = noise((6, 10), "f4")
    x = np.fft.rfft2(y)
    given = (x * 4 / (1 + places(x) % 7)).astype("c8")
    plan = Plan(
        (6, 10), "c8", kind="c2r", direction="inverse",
        hooks={"load": Hook(LOAD), "store": Hook(STORE)},
    )  # fmt: skip
    check(plan, given, stored(y))
