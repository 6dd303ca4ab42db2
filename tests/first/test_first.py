"""Every public name, every solver and every kernel, once on every device."""

from __future__ import annotations

import re
from functools import partial

import pyopencl as cl
import pytest

import pyclfft
from pyclfft.runtime import describe
from pyclfft.runtime.program import kernel_folder
from tests.first import benchmarks, functions, solvers

CHECKS = {
    **functions.all_checks(),
    **benchmarks.CHECKS,
    **{f"solver {name}": partial(solvers.check, name) for name in solvers.NAMES},
}
KERNEL = re.compile(r"^kernel\b[^;{]*?\bvoid\s+(\w+)\s*\(", re.MULTILINE)
OF_CPUS = (
    "cpu/row.cl", "cpu/cols.cl", "cpu/small.cl", "cpu/equalAxes.cl", "image/pixelRows.cl",
)  # fmt: skip

# The kernels that each check has launched on each device, in this process.
launched: dict[tuple[cl.Device, str], set[str]] = {}


@pytest.fixture
def kernels_of(device, queue, monkeypatch):
    """Make a check, unless this process has made it on the device; return the kernels launched."""

    def run(name):
        if (device, name) not in launched:
            kernels = set()
            with monkeypatch.context() as patch:
                patch.setattr(cl, "enqueue_nd_range_kernel", noting(kernels))
                CHECKS[name](queue)
            launched[device, name] = kernels
        return launched[device, name]

    return run


def noting(kernels):
    """OpenCL's function that launches kernels; each one's name is added to a set."""
    enqueue = cl.enqueue_nd_range_kernel

    def watched(queue, kernel, *args, **options):
        kernels.add(kernel.function_name)
        return enqueue(queue, kernel, *args, **options)

    return watched


@pytest.mark.parametrize("name", CHECKS)
def test_first(kernels_of, name):
    kernels_of(name)


def test_every_kernel_is_launched(device, kernels_of):
    """By one of the checks; those that another process has made are made once more."""
    declared = set()
    for path in kernel_folder().rglob("*.cl"):
        text = path.read_text(encoding="utf-8")
        is_for_cpus = path.relative_to(kernel_folder()).as_posix() in OF_CPUS
        if is_for_cpus and not describe.traits(device).is_cpu:
            continue  # no algorithm takes these kernels on a GPU
        declared |= set(KERNEL.findall(text))
    assert declared
    for name in CHECKS:
        declared -= kernels_of(name)
    assert declared == set()


def test_a_public_name_without_a_check_fails(monkeypatch):
    monkeypatch.setattr(pyclfft, "unheard_of", len, raising=False)
    with pytest.raises(pytest.fail.Exception, match=r"pyclfft\.unheard_of has no first check"):
        functions.check_of("unheard_of")(None)


def test_a_solver_without_a_problem_fails(queue, monkeypatch):
    monkeypatch.setattr(solvers, "SHAPES", (((10,), (0,)),))
    with pytest.raises(pytest.fail.Exception, match="solver 'radix2' plans none of these problems"):
        solvers.check("radix2", queue)
