"""Both leaves do the steps of one algorithm: what one of them plans, the other understands."""

from __future__ import annotations

from dataclasses import replace
from math import prod

import numpy as np
import pytest

from pyclfft.planning.parameters import parameters_for
from pyclfft.planning.passes import assign_buffers
from pyclfft.planning.problem import make_problem
from pyclfft.planning.solvers import four_step
from pyclfft.planning.solvers.ends import in_one_launch, whole_ends
from pyclfft.planning.solvers.group_leaf import GROUPS, GroupLeaf
from pyclfft.planning.solvers.lane_leaf import LANES
from pyclfft.planning.solvers.leaf import Step, launches_of, passes_of
from pyclfft.planning.tables import RaderSpectrum
from tests.oracle import expected_of, noise
from tests.recorded_traits import RECORDED
from tests.simulator import simulate

CPU, GPU = RECORDED["pocl"], RECORDED["h200"]
KINDS = (("c2c", "c16"), ("r2c", "f8"), ("c2r", "c16"))


def relative_error_of(problem, passes, x):
    itemsize = problem.dtype.itemsize
    nbytes = prod(problem.target.shape) * itemsize
    out = simulate(assign_buffers(passes, nbytes), x.reshape(-1).view(np.uint8), nbytes)
    expected = expected_of(problem, x.reshape(-1)).reshape(-1)
    return np.linalg.norm(out.view(problem.dtype) - expected) / np.linalg.norm(expected)


class InPlace(GroupLeaf):
    """Work-groups that leave results where the points were, as lanes do."""

    transposes = False

    def splits(self, problem, parameters):
        yield [(40, 32)]


@pytest.mark.parametrize("direction", ["forward", "inverse"])
@pytest.mark.parametrize(("kind", "dtype"), KINDS)
@pytest.mark.parametrize(("given", "n"), [(1280, 1280), (1000, 1280), (1500, 1280)])
def test_work_groups_do_the_steps_of_lanes(kind, dtype, direction, given, n):
    problem = make_problem((3, given), dtype, 1, kind, direction, s=n)
    passes = four_step.solver(InPlace(), "", "").plan(problem, GPU, parameters_for(GPU))
    if kind == "r2c":  # half of the spectrum of each column, left in columns
        assert passes is None
        return
    assert [each.kernel for each in passes] == ["stockham"] * 2
    assert relative_error_of(problem, passes, noise(problem.source.shape, dtype)) < 1e-14


@pytest.mark.parametrize("leaf", [LANES, GROUPS])
@pytest.mark.parametrize(("kind", "dtype"), KINDS)
@pytest.mark.parametrize("n", [24, 35])
def test_a_step_on_either_leaf(leaf, kind, dtype, n):
    """The same batch and the same ends, by two kernels."""
    traits = CPU
    problem = make_problem((4, n), dtype, 1, kind)
    steps = [Step(*in_one_launch(problem))]
    launches = launches_of(leaf, problem, steps, traits, parameters_for(traits))
    passes = passes_of(problem, launches)
    assert [each.kernel for each in passes] == ["cols" if leaf is LANES else "stockham"]
    assert launches[0].step.ends is steps[0].ends
    assert relative_error_of(problem, passes, noise(problem.source.shape, dtype)) < 1e-14


def test_lanes_refuse_what_their_kernel_does_not_know():
    problem = make_problem((40, 16), "c8", 1)
    batch, ends = in_one_launch(problem)
    for each in (
        replace(whole_ends(problem), spectrum=RaderSpectrum(17, "single")),
        replace(ends, twist=16, twist_first=True),
        replace(ends, chirp_first=True, chirp_last=True),
    ):
        assert LANES.launch(problem, Step(batch, each), CPU, parameters_for(CPU)) is None
    assert LANES.launch(problem, Step(batch, ends), CPU, parameters_for(CPU)) is not None
