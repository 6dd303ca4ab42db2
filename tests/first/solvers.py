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
from pyclfft.planning.solvers import BY_NAME, REWRITERS
from pyclfft.runtime import describe
from tests.oracle import expected_of, noise, relative_error

NAMES = (*BY_NAME, *(each.name for each in REWRITERS))  # all that `algorithm=` takes

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
    ((5, 16, 12), (1, 2)),
    ((4096,), (0,)),
    ((2, 4096), (1,)),
    ((1009,), (0,)),
    ((10007,), (0,)),
    ((2, 2**16), (1,)),
)
FOURIER = {"c2c": ("c8", "c16"), "r2c": ("f4", "f8"), "c2r": ("c8", "c16")}
COSINE = {"dct2": ("f4", "f8")}  # for a solver that takes no Fourier transform


# Plans are made for the device itself, or else, on a CPU, for one with vectors or for a GPU, or
# else for a device whose groups may wait for each other. So every device that can run a solver
# checks it.
VECTORS = {"is_cpu": True, "lanes": 8, "compute_units": 2}
GPU = {"is_cpu": False, "lanes": 32}
WAITING = {"groups_may_wait": True, "l2_bytes": 2 * 8 * prod((24, 64, 64))}


def check(name: str, queue: cl.CommandQueue) -> None:
    """Run the first plan that a solver makes of each kind and precision."""
    real = describe.traits(queue.device)
    if not real.is_cpu and is_for_cpus(name):
        with pytest.raises(PlanError, match="on a CPU with vectors"):
            Plan((6, 64), "complex64", 1, algorithm=name)
        return
    beliefs = ({}, *([VECTORS, GPU] if real.is_cpu else []), WAITING)
    precisions = range(2 if real.fp64 else 1)
    for belief, kinds in product(beliefs, (FOURIER, COSINE)):
        believed = replace(real, **belief)
        with mock.patch.object(describe, "traits", lambda _, traits=believed: traits):
            found = [first_plan(name, *each) for each in product(kinds.items(), precisions)]
            plans = [each for each in found if each]
            for plan in plans:
                check_plan(plan, queue)
        if plans:
            return
    pytest.fail(f"solver {name!r} plans none of these problems: add one to SHAPES in {__file__}")


def is_for_cpus(name: str) -> bool:
    """Whether a solver needs the memory of a CPU, on which GPUs cannot play one."""
    return name in BY_NAME and "on a CPU" in BY_NAME[name].requirement


def first_plan(name: str, kind: tuple[str, tuple[str, str]], precision: int) -> Plan | None:
    """Return a plan of the first problem that the solver takes."""
    for shape, axes in SHAPES:
        with suppress(PlanError):
            return Plan(shape, kind[1][precision], axes, kind[0], algorithm=name)
    return None


def check_plan(plan: Plan, queue: cl.CommandQueue) -> None:
    """Compare with SciPy, from a NumPy array and from a device array."""
    x = noise(plan.problem.source.shape, plan.problem.source_dtype)
    expected = expected_of(plan.problem, x.reshape(-1))
    for result in (plan(x), plan(cl_array.to_device(queue, x)).get()):
        assert relative_error(np.asarray(result), expected) <= BOUND[result.dtype.str[1:]]
