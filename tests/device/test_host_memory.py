"""NumPy arrays that a CPU works on where they are: any memory, any owner, nothing shared."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pyopencl as cl
import pytest

from pyclfft import Plan
from pyclfft.runtime import device as devices
from pyclfft.runtime import memory, pool
from pyclfft.runtime.executable import Executable
from tests.oracle import noise, relative_error

SHAPE = (5, 96)
LIMIT = 2e-7


@pytest.fixture(params=["as it is", "by buffers", "by copies"])
def way(request, device, monkeypatch):
    """How arrays reach the device: the device's own way, and what others are left with."""
    if request.param == "by buffers":
        traits = replace(devices.traits(device), system_svm=False)
        monkeypatch.setattr(devices, "traits", lambda device: traits)
    if request.param == "by copies":
        monkeypatch.setattr(memory, "can_wrap", lambda *arrays: False)


@pytest.fixture
def plan(way):
    return Plan(SHAPE, "complex64", -1)


def expected(x):
    return np.fft.fft(x.astype(complex))


def shifted(x, nbytes):
    """A copy that begins so many bytes behind a line of the cache."""
    room = memory.empty((x.nbytes + nbytes,), np.dtype(np.uint8))
    result = room[nbytes:].view(x.dtype).reshape(x.shape)
    result[...] = x
    return result


def test_results_begin_at_lines(plan):
    for seed in range(3):
        result = plan(noise(SHAPE, "c8", seed))
        assert result.ctypes.data % memory.ALIGNMENT == 0
        assert result.flags.writeable
        assert result.flags.c_contiguous


@pytest.mark.parametrize("nbytes", [0, 1, 4, 8, 16, 24])
def test_memory_begins_anywhere(plan, nbytes):
    x = shifted(noise(SHAPE, "c8"), nbytes)
    assert relative_error(plan(x), expected(x)) < LIMIT
    out = shifted(np.zeros(SHAPE, "c8"), nbytes)
    assert plan(x, out=out) is out
    assert relative_error(out, expected(x)) < LIMIT


@pytest.mark.parametrize("nbytes", [0, 8])
def test_double_needs_its_alignment(device, way, fp64, nbytes):
    x = shifted(noise(SHAPE, "c16"), nbytes)
    assert relative_error(Plan(SHAPE, "complex128", -1)(x), expected(x)) < 1e-15


def test_read_only_input(plan):
    x = noise(SHAPE, "c8")
    x.flags.writeable = False
    assert relative_error(plan(x), expected(x)) < LIMIT
    constant = np.frombuffer(x.tobytes(), "c8").reshape(SHAPE)
    assert relative_error(plan(constant), expected(x)) < LIMIT
    np.testing.assert_array_equal(constant, x)


@pytest.mark.parametrize("gap", [0, 1, SHAPE[1]])
def test_output_that_overlaps_the_input(plan, gap):
    room = np.zeros(np.prod(SHAPE) + gap, "c8")
    x, out = (part.reshape(SHAPE) for part in (room[: np.prod(SHAPE)], room[gap:]))
    x[...] = noise(SHAPE, "c8")
    wanted = expected(x.copy())
    plan(x, out=out)
    assert relative_error(out, wanted) < LIMIT


def test_a_queue_out_of_order(plan):
    properties = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    x = noise(SHAPE, "c8")
    with cl.CommandQueue(plan.context, properties=properties) as queue:
        for _ in range(10):
            assert relative_error(plan(x, queue=queue), expected(x)) < LIMIT


def test_arrays_may_be_dropped(plan):
    """Input and output of a call are nobody's when the next one allocates."""
    kept = [(plan(noise(SHAPE, "c8", seed)), seed) for seed in range(50)]
    for result, seed in kept:
        assert relative_error(result, expected(noise(SHAPE, "c8", seed))) < LIMIT


@pytest.fixture
def pooled(monkeypatch):
    """Let all results come from the pool, and from an empty one."""
    monkeypatch.setattr(pool, "MIN_BYTES", 1)
    monkeypatch.setattr(pool, "results", pool.ResultPool(pool.MAX_BYTES))


def test_memory_of_results_is_used_again(plan, pooled):
    for seed in range(20):
        x = noise(SHAPE, "c8", seed)
        assert relative_error(plan(x), expected(x)) < LIMIT
    counts = pool.results.counts()
    assert (counts.hits, counts.misses) == (19, 1)


def test_results_in_use_are_left_alone(plan, pooled):
    held = [(plan(noise(SHAPE, "c8", seed))[seed % 5, 1:], seed) for seed in range(40)][::3]
    for seed in range(40):
        plan(noise(SHAPE, "c8", seed))
    assert pool.results.counts().hits > 0
    for row, seed in held:
        wanted = expected(noise(SHAPE, "c8", seed))[seed % 5, 1:]
        assert relative_error(row, wanted) < LIMIT


def test_threads_use_results_again(plan, pooled):
    def work(seed):
        x = noise(SHAPE, "c8", seed)
        results = [plan(x) for _ in range(3)]
        return max(relative_error(each, expected(x)) for each in results)

    with ThreadPoolExecutor(4) as threads:
        assert max(threads.map(work, range(40))) < LIMIT
    assert pool.results.counts().hits > 0


def test_threads_share_an_input(plan):
    x = noise(SHAPE, "c8")
    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(lambda _: plan(x), range(40)))
    for result in results:
        np.testing.assert_array_equal(result, results[0])
    assert relative_error(results[0], expected(x)) < LIMIT


def test_an_error_leaves_arrays_usable(plan, monkeypatch):
    real = Executable.enqueue

    def fail(*args, **kwargs):
        real(*args, **kwargs)
        raise KeyboardInterrupt

    x = noise(SHAPE, "c8")
    before = x.copy()
    monkeypatch.setattr(Executable, "enqueue", fail)
    with pytest.raises(KeyboardInterrupt):
        plan(x)
    monkeypatch.undo()
    np.testing.assert_array_equal(x, before)
    assert relative_error(plan(x), expected(x)) < LIMIT


def test_which_arrays_are_used_as_they_are(device):
    """All aligned ones on a CPU; elsewhere none."""
    traits = devices.traits(device)
    x, y = memory.empty(SHAPE, np.dtype("c8")), memory.empty(SHAPE, np.dtype("c8"))
    assert memory.can_wrap(traits, x, y) == traits.is_cpu
    assert not memory.can_wrap(traits, x, x)
    assert not memory.can_wrap(traits, shifted(x, 4), y)
