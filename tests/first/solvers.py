"""One small transform by each solver in each precision, chosen by asking the solver itself."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from itertools import product
from math import prod
from unittest import mock

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest

from pyclfft import Plan
from pyclfft.errors import PlanError
from pyclfft.planning.solvers import BY_NAME, fused
from pyclfft.runtime import describe
from tests.oracle import expected_of, noise, relative_error

NAMES = (*BY_NAME, fused.NAME)  # all that `algorithm=` takes

BOUND = {"c8": 1e-6, "f4": 1e-6, "c16": 3e-15, "f8": 3e-15}  # relative L2 error

# (shape, axes), the smallest first: rows, columns, one alone, lengths that are powers of two,
# smooth, prime or long, and images that are transformed along two axes.
SHAPES = (
    ((6, 64), (1,)),
    ((64, 6), (0,)),
    ((60,), (0,)),
    ((5, 60), (1,)),
    ((5, 17), (1,)),
    ((5, 101), (1,)),
    ((24, 64, 64), (1, 2)),
    ((4096,), (0,)),
    ((2, 4096), (1,)),
    ((1009,), (0,)),
    ((10007,), (0,)),
    ((2, 2**16), (1,)),
)
KINDS = {"c2c": ("c8", "c16"), "r2c": ("f4", "f8"), "c2r": ("c8", "c16")}


# Plans are made for the device itself, or else for a CPU with vectors, or else for a GPU whose
# groups may wait for each other. Every device runs the kernels for all of them, so that each solver
# is checked on each device.
BELIEFS = (
    {},
    {"is_cpu": True, "lanes": 8, "compute_units": 2},
    {"groups_may_wait": True, "l2_bytes": 2 * 8 * prod((24, 64, 64))},
)


def check(name: str, queue: cl.CommandQueue) -> None:
    """Run the first plan that a solver makes of each kind and precision."""
    real = describe.traits(queue.device)
    precisions = range(2 if real.fp64 else 1)
    for belief in BELIEFS:
        believed = replace(real, **belief)
        with mock.patch.object(devices, "traits", lambda _, traits=believed: traits):
            found = [first_plan(name, *each) for each in product(KINDS, precisions)]
            plans = [each for each in found if each]
            for plan in plans:
                check_plan(plan, queue)
        if plans:
            return
    pytest.fail(f"solver {name!r} plans none of these problems: add one to SHAPES in {__file__}")


def first_plan(name: str, kind: str, precision: int) -> Plan | None:
    """Return a plan of the first problem that the solver takes."""
    for shape, axes in SHAPES:
        with suppress(PlanError):
            return Plan(shape, KINDS[kind][precision], axes, kind, algorithm=name)
    return None


def check_plan(plan: Plan, queue: cl.CommandQueue) -> None:
    """Compare with SciPy, from a NumPy array and from a device array."""
    x = noise(plan.problem.source.shape, plan.problem.source_dtype)
    expected = expected_of(plan.problem, x.reshape(-1))
    for result in (plan(x), plan(cl_array.to_device(queue, x)).get()):
        assert relative_error(np.asarray(result), expected) <= BOUND[result.dtype.str[1:]]
