"""NumPy arrays that a CPU works on where they are: any memory, any owner, nothing shared."""

from __future__ import annotations

import weakref
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest

from pyclfft import Plan, fft
from pyclfft.runtime import describe, memory, pool
from pyclfft.runtime.executable import Executable
from tests.device.test_plan import user_event
from tests.oracle import noise, relative_error

SHAPE = (5, 96)
LIMIT = 2e-7


# How arrays reach the device: limits and traits that leave each way, from the first choice on.
WAYS = {
    "as it is": (memory.MAX_STAGED, {}),
    "in place": (0, {}),
    "by buffers": (0, {"system_svm": False}),
    "by buffers, mapped": (0, {"system_svm": False, "writes_through": False}),
    "by buffers, waiting": (
        0,
        {"system_svm": False, "writes_through": False, "unmaps_ahead": False},
    ),
    "by copies": (0, {"is_cpu": False}),
}


@pytest.fixture(params=WAYS)
def way(request, device, monkeypatch):
    """The device's own way, and what others are left with."""
    staged, changes = WAYS[request.param]
    traits = replace(describe.traits(device), **changes)
    monkeypatch.setattr(memory, "MAX_STAGED", staged)
    monkeypatch.setattr(describe, "traits", lambda device: traits)


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


# Arrays that are read as they lie: in another order, with gaps, real, read-only, a column.
LYING = {
    "transposed": lambda x: x.T,
    "Fortran": lambda x: np.asfortranarray(x),
    "moved": lambda x: np.moveaxis(x.reshape(4, 15, -1), 2, 0),
    "every other row": lambda x: x[::2],
    "part": lambda x: x[3:-10, 5:-10],
    "part transposed": lambda x: x[3:-10, 5:-10].T,
    "real": lambda x: np.ascontiguousarray(x.real).T,
    "read-only": lambda x: np.broadcast_to(x.T, x.T.shape),
}


@pytest.mark.parametrize("name", LYING)
@pytest.mark.parametrize("shape", [(60, 80), (600, 720)])
def test_arrays_as_they_lie(device, shape, name):
    """By copies of small ones, by their memory of large ones: NumPy copies nothing."""
    x = LYING[name](noise(shape, "c8"))
    before = x.copy()
    assert not x.flags.c_contiguous
    traits = describe.traits(device)
    large = x.nbytes > memory.MAX_STAGED // 2
    assert memory.reads_as_it_lies(traits, x) == large or not traits.is_cpu
    for axis in range(x.ndim):
        assert relative_error(fft(x, axis=axis), np.fft.fft(x.astype("c16"), axis=axis)) < 3e-7
    assert np.array_equal(x, before)


def test_where_arrays_lie():
    x = np.arange(24, dtype="f4").reshape(4, 6)
    for view, expected in (
        (x.T, x.reshape(-1)),
        (x[1:, 2:4], x.reshape(-1)[8:22]),
        (x[:, 2:3], None),
        (x[::-1], None),
        (x[:, ::2], None),
        (x[:0], None),
        (np.broadcast_to(x[0], (3, 6)), None),
        (x[2], x[2]),
    ):
        span = memory.span_of(view)
        assert (span is None) == (expected is None)
        if expected is not None:
            assert np.array_equal(span, expected)
            assert not span.flags.writeable


@pytest.mark.parametrize("shape", [(0, 4), (3, 5), (1024, 1024)])
def test_allocator(queue, shape):
    """Its arrays are like others, and results get their memory from it as well."""
    x = noise(shape, "c8")
    allocator = memory.allocator(queue.context)
    on_device = cl_array.to_device(queue, x, allocator=allocator)
    result = Plan(shape, "c8", 0 if x.size else 1, context=queue.context)(on_device)
    assert result.allocator is allocator
    assert np.array_equal(on_device.get(), x)
    assert result.get().shape == shape


def test_results_begin_at_lines():
    for nbytes in (memory.MAX_STAGED // 2 + 8, pool.MIN_BYTES - 8, pool.MIN_BYTES):
        for _ in range(3):
            result = memory.empty((nbytes // 8,), np.dtype("c8"))
            assert result.ctypes.data % memory.ALIGNMENT == 0
            assert result.flags.writeable
            assert result.flags.c_contiguous


def test_arrays_are_not_kept(plan):
    x, out = noise(SHAPE, "c8"), np.empty(SHAPE, "c8")
    watched = weakref.ref(x), weakref.ref(out)
    plan(x, out=out)
    del x, out
    assert [each() for each in watched] == [None, None]


@pytest.mark.parametrize("shape", [SHAPE, (5, 4, 2048)])
def test_in_place_and_gaps(device, way, shape):
    plan = Plan(shape, "complex64", -1)
    room = noise((*shape[:-1], 2 * shape[-1]), "c8")
    x = room[..., ::2]
    wanted, others = expected(x), room[..., 1::2].copy()
    plan(x, out=x)
    assert relative_error(x, wanted) < LIMIT
    np.testing.assert_array_equal(room[..., 1::2], others)


def test_two_queues_take_turns(plan):
    with cl.CommandQueue(plan.context) as other:
        for seed in range(6):
            x = noise(SHAPE, "c8", seed)
            result = plan(x, queue=other if seed % 3 else None)
            assert relative_error(result, expected(x)) < LIMIT


def test_what_is_to_be_waited_for(plan):
    x = noise(SHAPE, "c8")
    with ThreadPoolExecutor(1) as threads, user_event(plan.context) as gate:
        result = threads.submit(plan, x, wait_for=[gate])
        assert not wait([result], 0.1).done
        gate.set_status(cl.command_execution_status.COMPLETE)
        assert relative_error(result.result(), expected(x)) < LIMIT


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
    """Let all results come from the pool, and from an empty one, which copied arrays never do."""
    monkeypatch.setattr(memory, "MAX_STAGED", 0)
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
    real = Executable._launch

    def fail(*args, **kwargs):
        real(*args, **kwargs)
        raise KeyboardInterrupt

    x = noise(SHAPE, "c8")
    before = x.copy()
    monkeypatch.setattr(Executable, "_launch", fail)
    with pytest.raises(KeyboardInterrupt):
        plan(x)
    monkeypatch.undo()
    np.testing.assert_array_equal(x, before)
    assert relative_error(plan(x), expected(x)) < LIMIT


def test_which_arrays_are_used_as_they_are(device):
    """All aligned ones on a CPU; elsewhere none."""
    traits = describe.traits(device)
    x, y = np.empty(SHAPE, "c8"), np.empty(SHAPE, "c8")
    assert memory.can_wrap(traits, x, y) == traits.is_cpu
    assert not memory.can_wrap(traits, x, x)
    assert not memory.can_wrap(traits, shifted(x, 4), y)


def test_which_arrays_are_copied(device):
    """Small ones on a CPU that shares buffers."""
    cpu = replace(describe.traits(device), is_cpu=True, shared_buffers=True)
    most = memory.MAX_STAGED
    assert memory.can_stage(cpu, most)
    assert not memory.can_stage(cpu, most + 1)
    assert not memory.can_stage(replace(cpu, is_cpu=False), most)
    assert not memory.can_stage(replace(cpu, shared_buffers=False), most)
