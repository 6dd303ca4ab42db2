"""Two passes in one launch: results, placement, queues, and counters, on devices made to believe.

The CPU runtimes here take the kernel's way without PTX. On a GPU that is made for it the same tests
take the other one; `tests/stress_fused.py` runs for longer there.
"""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest

from pyclfft import Plan, PlanError
from pyclfft.planning.parameters import parameters_for
from pyclfft.planning.passes import COUNTERS
from pyclfft.planning.solvers import BY_NAME
from pyclfft.runtime import cache, describe
from tests import stress_fused
from tests.oracle import noise, relative_error

pytestmark = pytest.mark.one_cpu  # what they test is for GPUs

# Shape, axes: many chunks, one, whole tiles, parts of them, an odd length, three axes
CASES = [
    ((24, 2**14), (1,)),
    ((1, 2**14), (1,)),
    ((5, 2**15), (1,)),
    ((24, 64, 64), (1, 2)),
    ((37, 48, 40), (1, 2)),
    ((96, 1, 80), (0, 2)),
    ((3, 20, 18, 36), (1, 2, 3)),
    ((7, 45, 63), (1, 2)),
]


@pytest.fixture
def believing(device, monkeypatch):
    """Let the planner believe that the device is made for it, with a cache of two arrays."""

    def believe(nbytes):
        believed = stress_fused.believed(device, nbytes)
        monkeypatch.setattr(describe, "traits", lambda _: believed)

    return believe


def planned(believing, shape, axes, monkeypatch, **options):
    """A plan with fused passes; long transforms are two passes even where a group could do them."""
    believing(8 * int(np.prod(shape)))
    if len(axes) == 1:
        monkeypatch.setattr("pyclfft.planning.planner.NAMED_ONLY", ())
        monkeypatch.setattr("pyclfft.planning.planner.SOLVERS", (BY_NAME["four_step_groups"],))
    return Plan(shape, np.complex64, axes, algorithm="fused", **options)


def check(result, x, axes, function=np.fft.fftn):
    assert relative_error(result, function(x.astype(np.complex128), axes=axes)) < 5e-7


@pytest.mark.parametrize(("shape", "axes"), CASES)
def test_results(believing, monkeypatch, queue, shape, axes):
    plan = planned(believing, shape, axes, monkeypatch)
    assert "fused" in {each.kernel for each in plan.passes}
    x = noise(shape, np.complex64)
    given = cl_array.to_device(queue, x)
    for _ in range(3):  # with the counters of the launch before
        out = cl_array.to_device(queue, np.full(shape, np.nan, np.complex64))
        plan(given, out=out)
        check(out.get(), x, axes)
        assert np.array_equal(given.get(), x)
    plan(given, out=given)
    assert np.array_equal(given.get(), out.get())


@pytest.mark.parametrize("shape", [(9, 2**14), (9, 64, 48)])
def test_inverse_with_its_norm(believing, monkeypatch, shape):
    axes = tuple(range(1, len(shape)))
    plan = planned(believing, shape, axes, monkeypatch, direction="inverse")
    x = noise(shape, np.complex64)
    check(plan(x), x, axes, np.fft.ifftn)


def test_padded_input(believing, monkeypatch, queue):
    believing(8 * 12 * 64 * 64)
    x = noise((12, 56, 61), np.complex64)
    plan = Plan(x.shape, x.dtype, (1, 2), s=(64, 64), algorithm="fused")
    expected = np.fft.fft2(x.astype(np.complex128), s=(64, 64), axes=(1, 2))
    assert relative_error(plan(x), expected) < 5e-7


def test_into_a_view(believing, monkeypatch, queue):
    plan = planned(believing, (8, 64, 48), (1, 2), monkeypatch)
    x = noise((8, 64, 48), np.complex64)
    around = cl_array.to_device(queue, np.full((8, 64, 60), np.nan, np.complex64))
    plan(cl_array.to_device(queue, x), out=around[:, :, 5:53])
    result = around.get()
    check(result[:, :, 5:53], x, (1, 2))
    assert np.isnan(result[:, :, :5]).all()
    assert np.isnan(result[:, :, 53:]).all()


def test_into_another_part_of_the_same_buffer(believing, monkeypatch, queue):
    """Units overlap, so that nothing may be written before all has been read."""
    shape = (8, 64, 48)
    plan = planned(believing, shape, (1, 2), monkeypatch)
    x = noise(shape, np.complex64)
    room = cl_array.to_device(queue, np.concatenate([x, x[:2]]))
    plan(room[:8], out=room[2:])
    check(room.get()[2:], x, (1, 2))


def test_many_calls_in_many_queues(believing, monkeypatch, device):
    """Each call has counters of its own, which are zero again at its end."""
    plan = planned(believing, (12, 2**14), (1,), monkeypatch)
    x = noise((12, 2**14), np.complex64)
    expected = plan(x)
    failures = []

    # In order: Intel's runtime hangs or crashes if threads use queues out of order
    # (tests/threads_out_of_order.py).
    def calls():
        queue = cl.CommandQueue(plan.context)
        given = cl_array.to_device(queue, x)
        results = [plan(given) for _ in range(6)]
        failures.extend(not np.array_equal(each.get(), expected) for each in results)

    threads = [threading.Thread(target=calls) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(failures) == 18
    assert not any(failures)
    queue = cl.CommandQueue(plan.context)
    for lease in plan._out_of_place._idle:
        counters = np.ones(lease.workspace[COUNTERS].size // 4, np.uint32)
        cl.enqueue_copy(queue, counters, lease.workspace[COUNTERS])
        assert not counters.any()


def test_forced_where_it_does_not_apply(device, monkeypatch, believing):
    traits = describe.traits(device)
    if not traits.groups_may_wait:
        with pytest.raises(PlanError, match="whose groups may wait"):
            Plan((4, 64, 64), np.complex64, (1, 2), algorithm="fused")
    believing(2**20)
    with pytest.raises(PlanError, match="complex64"):
        Plan((4, 64, 64), np.complex64, 1, algorithm="fused")
    apart = Plan((4, 64, 64), np.complex64, (1, 2), algorithm="stockham")
    assert [each.kernel for each in apart.passes] == ["stockham"] * 2


def test_a_little_stress(device):
    stress = stress_fused.Stress(device, 2**14)
    for _ in range(15):  # on a busy machine a launch takes a second
        stress.run(4)
        if stress.launches > 10:
            break
    assert stress.launches > 10
    assert stress.failures == []


def test_stress_finds_what_is_wrong(device, monkeypatch):
    """A group that does not wait for the last tile."""
    from pyclfft.runtime import program

    real = program.source_text
    waits = "while (read_acquire(counter) < TILES_1)"

    def broken(name, *others):
        text = real(name, *others)
        assert name != "gpu/fused.cl" or waits in text
        return text.replace(waits, "while (read_acquire(counter) + 1 < TILES_1)")

    monkeypatch.setattr(program, "source_text", broken)
    cache.clear("programs")
    try:
        # Many groups at once on a GPU, so that one overtakes another.
        stress = stress_fused.Stress(device, 2**14 if describe.traits(device).is_cpu else 2**20)
        monkeypatch.setattr(stress_fused, "REPORTED", 0)
        for _ in range(15):
            stress.run(2)
            if stress.failures:
                break
        assert stress.failures
    finally:
        cache.clear("programs")


def test_groups_of_unlike_sizes_stay_apart(believing, device):
    believing(2**22)
    traits = replace(describe.traits(device), l2_bytes=2**10)
    from pyclfft.planning.planner import plan_passes
    from pyclfft.planning.problem import make_problem
    from pyclfft.planning.solvers.fused import fused_schedule

    problem = make_problem((64, 64, 64), "complex64", (1, 2))
    passes = plan_passes(problem, traits)
    assert fused_schedule(passes, problem.nbytes, traits, parameters_for(traits)) is None
