"""Plans on NumPy and on device arrays: results, placement, queues and events, errors, caches."""

from __future__ import annotations

import gc
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pyopencl.tools
import pytest

import pyclfft
from pyclfft import DeviceError, DeviceMemoryError, Plan, PlanError
from pyclfft.planning.passes import assign_buffers
from pyclfft.planning.planner import plan_passes
from pyclfft.planning.problem import make_problem
from pyclfft.planning.solvers import BY_NAME
from pyclfft.planning.solvers.lanes import MIN_LANES
from pyclfft.runtime import describe, memory
from pyclfft.runtime.executable import IDLE_LEASES, Executable, run_on_host
from pyclfft.runtime.program import program
from tests.oracle import bound, noise, reference, relative_error
from tests.pairwise import pairwise

OUT_OF_ORDER = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
TIMEOUT = 180  # seconds until a hanging test gives up

# (shape, axes, algorithm): from one pass to many, an even and an odd number of them out of place
CASES = [
    ((12,), (0,), "direct"),  # one pass
    ((64,), (0,), "radix2"),  # one out of place, others in place
    ((6, 8), (0, 1), "direct"),  # four out of place
    ((16, 12), (0,), "radix2"),  # three
    ((3, 8, 10), (2, 1), "direct"),
    ((1, 1), (0, 1), None),  # a copy
    ((12,), (0,), "stockham"),  # one that may be in place
    ((30, 14, 52), (0, 1, 2), "stockham"),  # three
    ((360,), (0,), "four_step_groups"),  # one out of place, another that may be in place
    ((5, 64, 3), (1,), "four_step_groups"),  # the same between transpositions
    ((17, 24), (0, 1), None),  # two algorithms
    ((3, 2**15), (1,), None),
    ((4, 34), (1,), "bluestein_groups"),
    ((10007,), (0,), None),
]


def check(result, expected):
    """Compare a result in single precision, from the host or a device, with the exact one."""
    result = result.get() if isinstance(result, cl_array.Array) else result
    assert (result.dtype, result.shape) == (np.complex64, expected.shape)
    assert relative_error(result, expected) <= bound("direct", np.complex64, expected.size)


def exact(x, axes=None):
    return reference("fftn", x, axes=axes)


@pytest.fixture
def upload(queue):
    """Copy an array to the device."""
    return lambda x, **options: cl_array.to_device(queue, x, **options)


# --- NumPy arrays ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("shape", "axes", "algorithm"), CASES)
def test_on_host(device, shape, axes, algorithm):
    x = noise(shape, np.complex64)
    before = x.copy()
    plan = Plan(shape, "complex64", axes, algorithm=algorithm)
    check(plan(x), exact(x, axes))
    np.testing.assert_array_equal(x, before)
    out = np.empty_like(x)
    assert plan(x, out=out) is out
    check(out, exact(before, axes))
    assert plan(x, out=x) is x
    check(x, exact(before, axes))


def test_out_of_any_strides(device):
    x = noise((4, 6), np.complex64)
    memory = np.zeros((6, 8), np.complex64)
    out = memory[:, ::2].T
    assert Plan((4, 6), "complex64")(x, out=out) is out
    check(out, exact(x))
    assert not memory[:, 1::2].any()


def test_a_plan_is_used_again(device):
    plan = Plan((3, 16), "complex64", axes=1)
    for seed in range(5):
        x = noise((3, 16), np.complex64, seed)
        check(plan(x), exact(x, 1))


def test_crop_pad_norm_and_direction(device):
    x = noise((5, 8), np.float32)
    plan = Plan(x.shape, x.dtype, s=(8, 6), direction="inverse", norm="ortho")
    check(plan(x), reference("ifftn", x, s=(8, 6), norm="ortho"))
    assert plan.problem.shape == (8, 6)


def test_empty(device, upload):
    x = np.empty((0, 8), np.complex64)
    plan = Plan(x.shape, x.dtype, axes=1)
    for result in (plan(x), plan(x, out=x), plan(upload(x))):
        assert result.shape == (0, 8)
    assert plan.profile(x) == ()
    assert plan.workspace_bytes >= 0


# --- device arrays --------------------------------------------------------------------------------


@pytest.mark.parametrize(("shape", "axes", "algorithm"), CASES)
def test_on_device(device, queue, upload, shape, axes, algorithm):
    host = noise(shape, np.complex64)
    x = upload(host)
    plan = Plan(shape, "complex64", axes, algorithm=algorithm)
    result = plan(x)
    assert isinstance(result, cl_array.Array)
    assert result.queue == queue
    assert result.events
    check(result, exact(host, axes))
    np.testing.assert_array_equal(x.get(), host)
    out = cl_array.zeros(queue, shape, np.complex64)
    assert plan(x, out=out) is out
    check(out, exact(host, axes))


@pytest.mark.parametrize(("shape", "axes", "algorithm"), CASES)
def test_in_place(device, upload, shape, axes, algorithm):
    host = noise(shape, np.complex64)
    x = upload(host)
    plan = Plan(shape, "complex64", axes, algorithm=algorithm)
    assert plan(x, out=x) is x
    check(x, exact(host, axes))
    check(plan(upload(host), out=upload(host)), exact(host, axes))  # and out of place again


def test_in_place_again_and_again(device, upload):
    """Passes whose target may be their source, mixed with others, on the same buffers."""
    host = noise((12, 20), np.complex64)
    x = upload(host)
    for algorithm in ("stockham", "direct", "four_step_groups", None):
        there = Plan((12, 20), "complex64", algorithm=algorithm)
        back = Plan((12, 20), "complex64", direction="inverse", algorithm=algorithm)
        there(x, out=x)
        back(x, out=x)
        assert relative_error(x.get(), host) <= 10 * bound("direct", np.complex64, 240)


@pytest.mark.parametrize(
    ("shape", "algorithm", "nbytes"),
    [
        ((12, 20), "stockham", 0),  # no pass needs a buffer of its own
        ((12,), "direct", 12 * 8),
        ((360,), "four_step_groups", 360 * 8),
        ((64,), "radix2", (64 + 32) * 8),  # twiddles too
    ],
)
def test_workspace_in_place(device, shape, algorithm, nbytes):
    plan = Plan(shape, "complex64", algorithm=algorithm)
    assert plan._in_place.schedule.workspace_bytes == nbytes


def test_in_place_by_another_array_of_the_buffer(device, upload):
    host = noise((8, 6), np.complex64)
    whole = upload(host)
    half = whole[4:]
    plan = Plan((4, 6), "complex64", 1, strides=half.strides, offset=half.offset)
    check(plan(half, out=whole[:4]), exact(host[4:], 1))
    np.testing.assert_array_equal(whole[4:].get(), host[4:])
    plan(half, out=cl_array.Array(whole.queue, (4, 6), np.complex64, data=whole.base_data))
    check(whole[:4], exact(host[4:], 1))


LAYOUTS = {
    "rows": lambda x: x[2:5],
    "every second": lambda x: x[1::2, ::2],
    "backwards": lambda x: x[::-1, ::-1],
    "transposed": lambda x: x.T,
    "one row": lambda x: x[3],
    "one column": lambda x: x[:, 2],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
@pytest.mark.parametrize("order", "CF")
def test_strides_and_offset(device, upload, dtype, layout, order):
    host = np.array(noise((6, 8), dtype), order=order)
    x, expected = LAYOUTS[layout](upload(host)), exact(LAYOUTS[layout](host))
    check(pyclfft.fftn(x), expected)
    plan = Plan(x.shape, dtype, strides=x.strides, offset=x.offset)
    check(plan(x), expected)


@pytest.mark.filterwarnings("ignore::pyopencl.CompilerWarning")
@pytest.mark.parametrize("code", ["i4", "?", "f8", "c16"])
def test_device_arrays_of_other_dtypes(device, fp64, upload, code):
    host = (100 * noise((4, 6), np.complex64 if code == "c16" else np.float32)).astype(code)
    result = pyclfft.fftn(upload(host)).get()
    assert result.dtype == np.complex128
    assert relative_error(result, exact(host)) <= bound("direct", np.complex128, 24)


def test_device_arrays_that_pyopencl_itself_does_not_convert(device, fp64, upload):
    """Integers with gaps, and half precision."""
    integers, half = np.arange(8, dtype="i4"), np.arange(8, dtype="f2")
    for x, there in ((integers[::2], upload(integers)[::2]), (half, upload(half))):
        result = pyclfft.fft(there).get()
        assert result.dtype == (np.complex64 if x.dtype == "f2" else np.complex128)
        assert relative_error(result, exact(x)) <= bound("direct", result.dtype.type, 8)


@pytest.mark.parametrize("shape", [(1, 8), (8, 1), (3, 1, 4)])
def test_strides_along_an_extent_of_one_do_not_matter(queue, upload, shape):
    host = noise(shape, np.complex64)
    strides = tuple(40 if n == 1 else s for n, s in zip(shape, host.strides, strict=True))
    data = upload(host).base_data
    x = cl_array.Array(queue, shape, np.complex64, data=data, strides=strides)
    out = cl_array.Array(queue, shape, np.complex64, strides=strides)
    check(Plan(shape, "complex64")(x, out=out), exact(host))


def test_padding_of_nothing(device, queue):
    result = pyclfft.fft(cl_array.empty(queue, (3, 0), np.complex64), n=4).get()
    np.testing.assert_array_equal(result, np.zeros((3, 4)))


def test_result_comes_from_the_arrays_allocator(device, queue, upload):
    pool = cl.tools.MemoryPool(cl.tools.ImmediateAllocator(queue))
    host = noise((4, 6), np.complex64)
    x = upload(host, allocator=pool)
    result = pyclfft.fftn(x)
    assert result.allocator is pool
    assert pool.active_blocks == 2
    check(result, exact(host))
    x = pyclfft.Plan((4, 6), "complex64")(x, out=x)
    check(x, exact(host))


# --- queues and events ----------------------------------------------------------------------------


@contextmanager
def user_event(context):
    """An event that is completed after the block; or much later, should the block hang."""
    event = cl.UserEvent(context)
    lock = threading.Lock()

    def complete():
        with lock:
            if event.command_execution_status != cl.command_execution_status.COMPLETE:
                event.set_status(cl.command_execution_status.COMPLETE)

    timer = threading.Timer(TIMEOUT, complete)
    timer.start()
    try:
        yield event
    finally:
        timer.cancel()
        complete()


def is_complete(event):
    return event.command_execution_status == cl.command_execution_status.COMPLETE


@pytest.fixture(params=["in order", "out of order"])
def any_queue(request, queue, device):
    if request.param == "in order":
        return queue
    if not device.queue_properties & OUT_OF_ORDER:
        pytest.skip(f"{device.name} has no queues out of order")
    return cl.CommandQueue(queue.context, properties=OUT_OF_ORDER)


@pytest.mark.parametrize("how", ["wait_for", "event of x", "event of out", "in place"])
@pytest.mark.parametrize(("shape", "axes"), [((12,), 0), ((6, 8), None)])
def test_waits_on_the_device_and_not_in_the_call(any_queue, shape, axes, how):
    host = noise(shape, np.complex64)
    x = cl_array.to_device(any_queue, host)
    out = cl_array.empty(any_queue, shape, np.complex64)
    plan = Plan(shape, "complex64", axes)
    check(plan(x), exact(host, axes))  # everything is compiled now
    with user_event(any_queue.context) as go:
        if how in ("event of x", "in place"):
            x.add_event(go)
        if how == "event of out":
            out.add_event(go)
        target = x if how == "in place" else out
        result = plan(x, out=target, wait_for=[go] if how == "wait_for" else None)
        any_queue.flush()
        assert not is_complete(go)
        assert not is_complete(result.events[-1])
    check(result, exact(host, axes))
    assert is_complete(result.events[-1])


def test_a_queue_in_order_does_not_wait_for_its_own_past(queue, monkeypatch):
    """An input carries the event of its upload for ever; others' events are always waited for."""
    in_order, other = cl.CommandQueue(queue.context), cl.CommandQueue(queue.context)
    host = noise((12,), np.complex64)
    plan = Plan((12,), "complex64", context=queue.context)
    x, out = (cl_array.to_device(in_order, host) for _ in range(2))
    enqueue, waits = cl.enqueue_nd_range_kernel, []

    def enqueue_noting_waits(*args):
        waits.append(args[5])
        return enqueue(*args)

    monkeypatch.setattr(cl, "enqueue_nd_range_kernel", enqueue_noting_waits)
    for _ in range(3):
        plan(x, out=out)
        in_order.finish()
    foreign = cl.enqueue_marker(other)
    foreign.wait()
    plan(x, out=out, wait_for=[foreign])
    plan(x, out=out)
    assert waits[1:] == [None, None, [foreign], None]
    check(out, exact(host))


def test_functional_calls_wait_on_the_device(any_queue):
    host = noise((6, 8), np.complex64)
    x = cl_array.to_device(any_queue, host)
    pyclfft.fft2(x).get()
    with user_event(any_queue.context) as go:
        x.add_event(go)
        result = pyclfft.fft2(x)
        assert result.queue == any_queue
        assert not is_complete(result.events[-1])
    check(result, exact(host))


def test_a_waiting_call_does_not_disturb_another(device, queue):
    """Its workspace is its own until it is done, whatever runs meanwhile on other queues."""
    plan = Plan((6, 8), "complex64", algorithm="direct")
    first, second = (noise((6, 8), np.complex64, seed) for seed in (1, 2))
    waiting_queue = cl.CommandQueue(queue.context)
    x = cl_array.to_device(waiting_queue, first)
    with user_event(queue.context) as go:
        waiting = plan(x, wait_for=[go])
        for _ in range(3):
            check(plan(second), exact(second))
            check(plan(cl_array.to_device(queue, second)), exact(second))
        assert not is_complete(waiting.events[-1])
    check(waiting, exact(first))


@pytest.mark.parametrize("algorithm", [None, "direct"])
def test_calls_that_start_together(any_queue, algorithm):
    """Out of order they may run at the same time, and must not share a workspace then."""
    shape = (64, 48)
    plan = Plan(shape, "complex64", algorithm=algorithm)
    inputs = [noise(shape, np.complex64, seed) for seed in range(8)]
    arrays = [cl_array.to_device(any_queue, x) for x in inputs]
    with user_event(any_queue.context) as go:
        results = [plan(x, wait_for=[go]) for x in arrays]
    for x, result in zip(inputs, results, strict=True):
        check(result, exact(x))


def test_works_again_after_a_call_that_failed(device, upload, monkeypatch):
    """Between two passes, that is, with the workspace half filled."""
    x = noise((6, 8), np.complex64)
    plan = Plan((6, 8), "complex64", algorithm="direct")
    check(plan(x), exact(x))
    enqueue, left = cl.enqueue_nd_range_kernel, iter(range(3))

    def enqueue_few(*args, **options):
        if next(left, None) is None:
            raise ConnectionError("device lost")
        return enqueue(*args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(cl, "enqueue_nd_range_kernel", enqueue_few)
        with pytest.raises(ConnectionError, match="device lost"):
            plan(upload(x))
    assert not plan._out_of_place._idle
    check(plan(x), exact(x))


def test_calls_follow_each_other_on_any_queue(any_queue):
    """The second call waits for the first through the array's events alone."""
    host = noise((6, 8), np.complex64)
    plan = Plan((6, 8), "complex64")
    back = Plan((6, 8), "complex64", direction="inverse")
    x = cl_array.to_device(any_queue, host)
    for _ in range(5):
        x = back(plan(x))
        x = back(plan(x, out=x), out=x)
    assert relative_error(x.get(), host) <= 20 * bound("direct", np.complex64, 48)


def test_another_queue(device, queue, upload):
    host = noise((6, 8), np.complex64)
    second = cl.CommandQueue(queue.context)
    plan = Plan((6, 8), "complex64")
    result = plan(upload(host), queue=second)
    assert result.queue == second
    check(result, exact(host))
    check(plan(host, queue=second), exact(host))


def test_wait_for_on_host(device, queue):
    x = noise((6, 8), np.complex64)
    event = cl.enqueue_marker(queue)
    check(Plan((6, 8), "complex64")(x, wait_for=[event]), exact(x))


def test_an_array_without_queue(device, queue, upload):
    host = noise(12, np.complex64)
    result = pyclfft.fft(upload(host).with_queue(None))
    assert result.queue == queue
    check(result, exact(host))


def test_a_context_of_ones_own(device, other_context):
    """The array's context counts, not the default one, and the plan keeps it alive."""
    queue = cl.CommandQueue(other_context)
    host = noise((6, 8), np.complex64)
    check(pyclfft.fftn(cl_array.to_device(queue, host)), exact(host))
    plan = Plan((6, 8), "complex64", context=cl.Context([device]))
    gc.collect()
    check(plan(host), exact(host))


# --- what does not fit a plan ---------------------------------------------------------------------


def test_wrong_queue_and_context(device, queue, other_context):
    x = noise(12, np.complex64)
    plan, elsewhere = Plan(12, "complex64"), cl.CommandQueue(other_context)
    there = cl_array.to_device(elsewhere, x)
    with pytest.raises(PlanError, match=r"queue belongs to another context.*context=queue.context"):
        plan(x, queue=elsewhere)
    with pytest.raises(PlanError, match="queue belongs to another context"):
        plan(there)
    with pytest.raises(PlanError, match="array belongs to another context"):
        plan(there, queue=queue)
    with pytest.raises(PlanError, match="array belongs to another context"):
        plan(cl_array.to_device(queue, x), out=there)


ON_HOST = lambda x, upload: x  # noqa: E731
ON_DEVICE = lambda x, upload: upload(x)  # noqa: E731


@pytest.mark.parametrize("place", [ON_HOST, ON_DEVICE], ids=["host", "device"])
@pytest.mark.parametrize(
    ("dtype", "shape", "words"),
    [
        ("c8", (8, 6), r"x must be complex64 of shape \(6, 8\), as planned, not complex64 of"),
        ("c8", (48,), r"not complex64 of shape \(48,\)"),
        ("c16", (6, 8), r"not complex128 of shape \(6, 8\)"),
        ("f4", (6, 8), r"not float32 of shape \(6, 8\)"),
    ],
)
def test_wrong_input(device, upload, place, dtype, shape, words):
    with pytest.raises(PlanError, match=words):
        Plan((6, 8), "complex64")(place(np.zeros(shape, dtype), upload))


@pytest.mark.parametrize("place", [ON_HOST, ON_DEVICE], ids=["host", "device"])
@pytest.mark.parametrize(("dtype", "shape"), [("c8", (8, 6)), ("f4", (6, 8))])
def test_wrong_out(device, upload, place, dtype, shape):
    x, out = (place(each, upload) for each in (np.zeros((6, 8), "c8"), np.zeros(shape, dtype)))
    with pytest.raises(PlanError, match=r"out must be complex64 of shape \(6, 8\)"):
        Plan((6, 8), "complex64")(x, out=out)


def read_only(x):
    x.flags.writeable = False
    return x


WRONG_OUTS = {
    "NumPy for device": (ON_DEVICE, lambda x, upload: x, "out must be a device array"),
    "device for NumPy": (ON_HOST, lambda x, upload: upload(x), "out must be a NumPy array"),
    "read-only": (ON_HOST, lambda x, upload: read_only(x), "read-only"),
}


@pytest.mark.parametrize("case", WRONG_OUTS)
def test_out_of_a_wrong_kind(device, upload, case):
    place, make, words = WRONG_OUTS[case]
    x = noise((6, 8), np.complex64)
    with pytest.raises(PlanError, match=words):
        Plan((6, 8), "complex64")(place(x, upload), out=make(x.copy(), upload))


def test_wrong_layout(device, upload):
    x = upload(noise((6, 8), np.complex64))
    with pytest.raises(PlanError, match="plan with strides= and offset=, or copy x"):
        Plan((6, 4), "complex64")(x[:, ::2])
    with pytest.raises(PlanError, match="offset"):
        Plan((3, 8), "complex64")(x[3:])
    plan = Plan((3, 8), "complex64", offset=3 * 64)
    with pytest.raises(PlanError, match="offset"):
        plan(x[:3])
    with pytest.raises(PlanError, match="plan with strides= and offset=, or copy x"):
        plan(np.zeros((3, 8), np.complex64))
    backward = np.zeros((3, 8), np.complex64)[::-1]
    with pytest.raises(PlanError, match="plan without strides="):
        Plan((3, 8), "complex64", strides=backward.strides)(backward)


# --- making plans ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "options", "words"),
    [
        (
            (1000,),
            {"algorithm": "radix2"},
            "a power of two, not 1000: choose another one, or leave",
        ),
        (
            (97,),
            {"algorithm": "stockham"},
            "algorithm 'stockham' takes a length with prime factors up to 61 that fits a "
            "work-group, not 97: choose",
        ),
        (
            (97,),
            {"algorithm": "four_step_groups"},
            "that splits into short ones; on CPUs up to 13",
        ),
        (
            (8,),
            {"algorithm": "fastest"},
            f"algorithm 'fastest': choose from {', '.join(BY_NAME)}",
        ),
        ((8,), {"kind": "r2r"}, "invalid kind 'r2r', should be one of c2c, r2c, c2r"),
        ((8,), {"direction": "backward"}, "should be one of forward, inverse"),
        ((8,), {"norm": "unit"}, "Invalid norm value 'unit'"),
        ((8,), {"axes": 1}, "axes exceeds dimensionality"),
        ((8,), {"s": 0}, "invalid number of data points"),
        ((8, 0), {}, "invalid number of data points"),
        ((8,), {"hooks": len}, "hooks are given as"),
        ((8,), {"effort": "patient"}, "invalid effort 'patient'"),
        ((8,), {"strides": (4,)}, "multiples of 8 bytes"),
    ],
)
def test_refused(device, shape, options, words):
    with pytest.raises(PlanError) as error:
        Plan(shape, "complex64", **options)
    assert words in str(error.value)


def test_a_context_has_one_device(device):
    with pytest.raises(PlanError, match="has 2 devices: make one context for each"):
        Plan(8, "complex64", context=SimpleNamespace(devices=[device, device]))


@pytest.mark.parametrize(
    ("algorithm", "kernels"),
    [
        ("stockham", ["stockham"]),
        ("four_step_groups", ["stockham"] * 2),
        ("radix2", ["spinFact", "bitReverse", *["butterfly"] * 10]),
        ("bluestein_groups", ["stockham"]),
        ("direct", ["direct"]),
        (None, None),
    ],
)
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_algorithm(device, fp64, untuned, dtype, algorithm, kernels):
    plan = Plan(1024, dtype, algorithm=algorithm)
    assert plan.algorithm == algorithm
    on_lanes = describe.traits(device).is_cpu and describe.traits(device).lanes >= MIN_LANES
    default = ["row" if on_lanes else "stockham"]
    assert [each.kernel for each in plan.passes] == (kernels or default)
    x = noise(1024, dtype)
    limit = bound(algorithm or "stockham", dtype, 1024)
    assert relative_error(plan(x), exact(x)) <= limit


@pytest.mark.one_cpu
@pairwise(
    {
        "order": ["in", "out"],
        "algorithm": [None, *BY_NAME],
        "shape": [(4, 8), (2, 16, 4), (13, 6), (32, 64), (17, 8), (3, 48, 100)],
    }
)
def test_transposed_orders(queue, shape, algorithm, order):
    """Plans for filters: one stage or many, rows that become columns and the other way round."""
    problem = make_problem(shape, "complex64", (-2, -1), transposed=order)
    try:
        passes = plan_passes(problem, describe.traits(queue.device), algorithm)
    except PlanError:
        assert algorithm not in (None, "direct")
        return
    x = noise(shape, np.complex64)
    source, expected = x, exact(x, (-2, -1))
    if order == "in":
        source = np.ascontiguousarray(x.swapaxes(-1, -2))
    else:
        expected = expected.swapaxes(-1, -2)
    result = np.empty(expected.shape, np.complex64)
    executable = Executable(queue.context, assign_buffers(passes, problem.nbytes))
    run_on_host(executable, queue, source, result)
    check(result, expected)


def test_large_buffers_outlive_their_last_reference(device):
    """Kernels may still run when Python has let go of workspace and result."""
    plan = Plan((2**20,), "complex64")
    with cl.CommandQueue(plan.context) as queue:
        x = cl_array.to_device(queue, noise(2**20, np.complex64))
        expected = plan(x).get()
        for _ in range(20):
            Plan((2**20,), "complex64", context=plan.context)(x)
        np.testing.assert_array_equal(plan(x).get(), expected)


def test_a_device_without_fp64(device, upload, change_traits):
    change_traits(fp64=False)
    pyclfft.clear_cache()
    x = np.ones(12)
    for call in (
        lambda: Plan(12, "complex128"),
        lambda: pyclfft.fft(x),
        lambda: pyclfft.fft(x.astype("c16")),
        lambda: pyclfft.fft(upload(x)),
        lambda: pyclfft.fft(upload(x.astype("i4"))),
    ):
        with pytest.raises(DeviceError, match=r'x\.astype\("complex64"\)'):
            call()
    check(pyclfft.fft(x.astype("f4")), exact(x))


def test_too_large_for_the_device(device, change_traits):
    change_traits(global_mem_bytes=4096, max_alloc_bytes=2048)
    Plan(128, "complex64", algorithm="stockham")  # 1 KiB
    Plan(256, "complex64", algorithm="stockham")  # twice 2 KiB, and nothing else
    for shape, algorithm, count in (
        ((16, 8, 16), None, r"16,384 of them in one buffer"),
        ((256,), "radix2", "5,120 bytes"),  # twiddles too
    ):
        with pytest.raises(DeviceMemoryError, match=count) as error:
            Plan(shape, "complex64", algorithm=algorithm)
        assert "the device has 4,096 and allocates 2,048 at most" in str(error.value)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "dct"])
@pytest.mark.parametrize("n", [2**31 + 11, 2**40, 2**53 + 111, 10**30])
def test_no_device_is_as_large(device, change_traits, monkeypatch, name, n):
    """Nothing is allocated on it, whatever the memory of this machine.

    A host that has room for the result tries to cut the row, but a prime has no factors.
    """
    change_traits(global_mem_bytes=2**30, max_alloc_bytes=2**28)
    monkeypatch.setattr(cl, "Buffer", None)
    with pytest.raises(
        DeviceMemoryError, match=r"the device has 1,073,741,824|no room for a piece"
    ):
        getattr(pyclfft, name)(np.ones(8, "f4"), n=n)


@pytest.mark.parametrize("effort", ["estimate", "measure"])
def test_no_plan_is_as_large(device, change_traits, monkeypatch, effort):
    change_traits(global_mem_bytes=2**30, max_alloc_bytes=2**28)
    monkeypatch.setattr(cl, "Buffer", None)
    with pytest.raises(DeviceMemoryError, match=r"the device has 1,073,741,824"):
        Plan(2**31 + 11, "complex64", effort=effort)
    with pytest.raises(DeviceMemoryError, match=r"the device has 1,073,741,824"):
        pyclfft.tune(2**31 + 11, "complex64")


def test_memory_that_the_device_refuses(device, queue):
    """Drivers refuse to allocate it, or like NVIDIA's promise any amount and fail at first use."""
    nbytes = 2**60

    def use():
        buffer = memory.allocate(queue.context, nbytes)
        with memory.refusals(queue.context, nbytes):
            cl.enqueue_fill_buffer(queue, buffer, np.uint8(1), 0, 1).wait()

    with pytest.raises(DeviceMemoryError, match="did not allocate 1,152,921,504,606,846,976 bytes"):
        use()


def test_other_errors_of_the_runtime_stay_as_they_are(device, queue):
    with pytest.raises(cl.LogicError), memory.refusals(queue.context, 1):
        cl.Kernel(program(queue.context, "textbook/norm.cl"), "no such kernel")


def test_printed(device):
    plan = Plan((6, 8), "complex64")
    text = str(plan)
    problem, *passes, workspace, parameters = text.splitlines()
    assert problem == f"{plan.problem} on {describe.device_label(device)}"
    assert len(passes) == len(plan.passes)
    for line, each in zip(passes, plan.passes, strict=True):
        assert line.split()[1] == each.kernel
    assert workspace.strip() == f"workspace: {plan.workspace_bytes} bytes"
    assert parameters.strip() == f"parameters: {plan.parameters}"
    assert repr(plan) == f"<Plan {plan.problem}>"


def test_workspace_bytes(device):
    for shape, algorithm, nbytes in (
        (12, "direct", 0),
        (64, "radix2", 32 * 8),  # the twiddles
        ((6, 10), "direct", 60 * 8),  # one intermediate result
        ((6, 10), "stockham", 0),
        ((360,), "four_step_groups", 0),
        ((360, 4), "four_step_groups", 360 * 4 * 8),  # runs of 4 move rather than stay
    ):
        assert Plan(shape, "complex64", algorithm=algorithm).workspace_bytes == nbytes


# --- profile --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("shape", "axes", "algorithm"), CASES)
def test_profile(device, upload, shape, axes, algorithm):
    x = noise(shape, np.complex64)
    plan = Plan(shape, "complex64", axes, algorithm=algorithm)
    launched = [each.kernel for each in plan.passes]
    on_host, on_device = plan.profile(x), plan.profile(upload(x))
    assert [each.name for each in on_device] == launched
    assert [each.name for each in on_host] == ["write", *launched, "read"]
    for each in (*on_host, *on_device):
        assert each.ms > 0
        assert each.nbytes > 0
        assert each.gb_per_s == pytest.approx(each.nbytes / each.ms / 1e6)
    assert on_host[0].nbytes == on_host[-1].nbytes == x.nbytes
    for measured, planned in zip(on_device, plan.passes, strict=True):
        assert measured.nbytes == planned.reads + planned.writes
        assert measured.step == planned.step


@pytest.mark.parametrize("place", [ON_HOST, ON_DEVICE], ids=["host", "device"])
def test_profile_with_out(device, upload, place):
    host = noise((6, 8), np.complex64)
    x, out = place(host.copy(), upload), place(np.zeros_like(host), upload)
    plan = Plan((6, 8), "complex64", algorithm="direct")
    assert len(plan.profile(x, out=out)) == len(plan.profile(x))
    check(out, exact(host))
    with pytest.raises(PlanError, match=r"out must be complex64 of shape \(6, 8\)"):
        plan.profile(x, out=place(np.zeros((8, 6), np.complex64), upload))
    plan.profile(x, out=x)
    check(x, exact(host))


def test_profile_with_out_takes_no_memory(device, queue, upload):
    pool = cl.tools.MemoryPool(cl.tools.ImmediateAllocator(queue))
    host = noise((6, 8), np.complex64)
    x = upload(host, allocator=pool)
    out = cl_array.zeros_like(x)
    before = pool.active_blocks, pool.held_blocks
    Plan((6, 8), "complex64").profile(x, out=out)
    assert (pool.active_blocks, pool.held_blocks) == before
    check(out, exact(host))


# --- threads and caches ---------------------------------------------------------------------------


def test_sixteen_threads(device, queue):
    """Functional calls and shared plans, on the host and on the device, all at once."""
    shapes = [(8,), (12,), (4, 8), (6, 17), (3, 16, 4)]
    inputs = [noise(shape, np.complex64, seed) for seed in range(2) for shape in shapes]
    expected = [exact(x) for x in inputs]
    plans = {shape: Plan(shape, "complex64") for shape in shapes}
    begin = threading.Barrier(16)
    pyclfft.clear_cache()

    def work(number):
        begin.wait(TIMEOUT)
        for step in range(30):
            which = (number * 7 + step) % len(inputs)
            x, plan = inputs[which], plans[inputs[which].shape]
            if step % 3 == 0:
                result = pyclfft.fftn(x)
            elif step % 3 == 1:
                result = plan(x)
            else:
                result = plan(cl_array.to_device(pyclfft.default_queue(), x))
            check(result, expected[which])
        return True

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(work, range(16)))


def test_one_queue_shared_by_threads(device, queue):
    plan = Plan((6, 8), "complex64", algorithm="direct")
    inputs = [noise((6, 8), np.complex64, seed) for seed in range(8)]
    arrays = [cl_array.to_device(queue, x) for x in inputs]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            for x, result in zip(inputs, pool.map(plan, arrays), strict=True):
                check(result, exact(x))


def test_cache_of_plans(device):
    pyclfft.clear_cache()
    x = noise((3, 12), np.complex64)
    for call, (hits, misses) in [
        (lambda: pyclfft.fft(x), (0, 1)),
        (lambda: pyclfft.fft(x, 12, 1, "backward"), (1, 1)),  # the same in other words
        (lambda: pyclfft.fft(x, axis=0), (1, 2)),
        (lambda: pyclfft.ifft(x), (1, 3)),
        (lambda: pyclfft.fft(x.real), (1, 4)),
        (lambda: pyclfft.fft(x[:, ::-1]), (2, 4)),
    ]:
        call()
        plans = pyclfft.cache_info().plans
        assert (plans.hits, plans.misses, plans.size) == (hits, misses, misses)
    assert pyclfft.cache_info().programs.size > 0
    pyclfft.clear_cache()
    for counts in pyclfft.cache_info():
        assert counts[:2] == (0, 0)
        assert counts.size == 0
    check(pyclfft.fft(x), exact(x, axes=1))


def test_plans_share_programs(device):
    pyclfft.clear_cache()
    Plan(12, "complex64", algorithm="direct")
    built = pyclfft.cache_info().programs.misses
    Plan((5, 11), "complex64", axes=1, algorithm="direct")
    programs = pyclfft.cache_info().programs
    assert (programs.misses, programs.hits) == (built, 1)


def test_transforms_alike_share_a_program(device):
    """Whatever the batch, the direction and the norm."""
    pyclfft.clear_cache()
    Plan((3, 1024), "complex64", axes=1)
    built = pyclfft.cache_info().programs.misses
    for options in ({}, {"direction": "inverse"}, {"norm": "ortho"}):
        Plan((500, 1024), "complex64", axes=1, **options)
    programs = pyclfft.cache_info().programs
    assert (programs.misses, programs.hits) == (built, 3)


def test_cache_of_plans_is_bounded(device):
    bound_of_cache = pyclfft.cache_info().plans.max_size
    for n in range(bound_of_cache + 10):
        pyclfft.fft(np.ones((n + 1, 1), np.complex64))
    assert pyclfft.cache_info().plans.size == bound_of_cache


@pytest.mark.parametrize("wait", [True, False])
def test_leases_do_not_pile_up(device, queue, wait):
    """Not even where every call waits, on a queue of its own, and so needs its own workspace."""
    plan = Plan((6, 8), "complex64", algorithm="direct")
    host = noise((6, 8), np.complex64)
    x = cl_array.to_device(queue, host)
    with user_event(queue.context) as go:
        events = [go] if wait else None
        results = [
            plan(x, queue=cl.CommandQueue(queue.context), wait_for=events)
            for _ in range(IDLE_LEASES + 3)
        ]
    for result in results:
        check(result, exact(host))
    assert len(plan._out_of_place._idle) <= IDLE_LEASES


# --- devices that can do less ---------------------------------------------------------------------

LESS = {
    "groups of one": {"max_work_group_size": 1, "max_work_item_sizes": (1, 1, 1)},
    "groups of 64": {"max_work_group_size": 64, "max_work_item_sizes": (64, 64, 64)},
    "one dimension": {"max_work_item_sizes": (1024, 1, 1), "max_work_group_size": 1024},
    "256 bytes of local memory": {"local_mem_bytes": 256},
}


@pytest.mark.parametrize("less", LESS)
def test_on_a_lesser_device(device, change_traits, less):
    change_traits(**LESS[less])
    for shape in ((12, 32), (3, 100, 4), (2**11,), (2, 3000)):
        x = noise(shape, np.complex64)
        check(Plan(shape, "complex64")(x), exact(x))
