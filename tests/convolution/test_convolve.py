"""Convolutions and correlations beside scipy.signal in double precision, on every device."""

from __future__ import annotations

import threading
import warnings
from dataclasses import replace

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest
import scipy.signal
from pyopencl.tools import ImmediateAllocator, MemoryPool, PooledBuffer

import pyclfft
from pyclfft.convolution import convolvers, lines, running
from pyclfft.convolution.blocks import cut, fast_on_cpu, whole
from pyclfft.runtime import describe
from tests.oracle import bound, of_few, relative_error
from tests.pairwise import pairwise

METHODS = ("direct", "fft", "partitioned")
WIDE = {"f": "f8", "c": "c16"}
DIRECT_BOUND = {"single": 1e-6, "double": 2e-15}  # PERFORMANCE.md's, up to 1e5 taps


def numbers(shape, dtype, seed=0):
    """Random numbers: integers from 0 to 99, or others between -0.5 and 0.5."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind in "iub":
        return rng.integers(0, 2 if dtype.kind == "b" else 100, shape).astype(dtype)
    x = rng.random(shape) - 0.5
    return (x + 1j * (rng.random(shape) - 0.5) if dtype.kind == "c" else x).astype(dtype)


def wide(x):
    """An array in double precision; integers as they are."""
    return x.astype(WIDE.get(x.dtype.kind, x.dtype))


def expected_of(x, y, mode, axes=None, correlates=False):
    """SciPy's convolution by transforms in double precision."""
    if correlates:
        along = range(y.ndim) if axes is None else np.atleast_1d(axes)
        y = np.flip(y, tuple(along)).conj()
    return scipy.signal.fftconvolve(wide(x), wide(y), mode, axes=axes)


def agree(result, expected, points):
    """Require an error within three transforms' bound, or within that of direct sums."""
    result = result.get() if isinstance(result, cl_array.Array) else result
    assert result.shape == expected.shape
    direct = DIRECT_BOUND["double" if result.dtype.char in "dD" else "single"]
    limit = 3 * bound("stockham", result.dtype, points) * of_few(result.size)
    assert relative_error(wide(result), expected) <= max(limit, direct)


SHAPES = [
    ((100,), (7,), None), ((7,), (100,), None), ((64,), (64,), None), ((5000,), (31,), None),
    ((12, 9), (5, 4), None), ((3, 200), (6, 11), None), ((3, 300), (1, 20), 1),
    ((300, 1), (20, 4), 0), ((2, 90, 80), (2, 11, 13), (1, 2)), ((1, 9), (4, 3), None),
    ((4, 9, 8), (2, 3, 5), None), ((1,), (6,), None),
]  # fmt: skip


@pairwise({
    "shapes": SHAPES,
    "dtypes": [("f4", "f4"), ("f8", "f4"), ("c8", "f4"), ("f4", "c8"), ("c16", "c16")],
    "mode": ["full", "same", "valid"],
    "method": [*METHODS, "auto"],
    "name": ["convolve", "correlate"],
    "place": ["host", "device"],
})  # fmt: skip
def test_as_scipy(queue, fp64, shapes, dtypes, mode, method, name, place):
    first, second, axes = shapes
    if (
        mode == "valid"
        and axes is None
        and len({np.sign(a - b) for a, b in zip(first, second, strict=True)} - {0}) > 1
    ):
        mode = "same"  # neither input is the larger one
    x, y = numbers(first, dtypes[0]), numbers(second, dtypes[1], seed=1)
    expected = expected_of(x, y, mode, axes, name == "correlate")
    given = (x, y) if place == "host" else [cl_array.to_device(queue, each) for each in (x, y)]
    result = getattr(pyclfft, name)(*given, mode, method, axes=axes)
    assert result.dtype == np.result_type(x, y)
    agree(result, expected, 2 * max(x.size, y.size))


@pairwise({
    "dtypes": [("i1", "i1"), ("u1", "i2"), ("i4", "i8"), ("u8", "u8"), ("?", "i4"), ("?", "?")],
    "shapes": [((50,), (9,)), ((9, 20), (4, 5))],
    "mode": ["full", "same", "valid"],
    "place": ["host", "device"],
})  # fmt: skip
def test_integers_are_exact(queue, dtypes, shapes, mode, place):
    """Also where sums overflow: they wrap around as NumPy's do."""
    x, y = (numbers(shape, dtype) for shape, dtype in zip(shapes, dtypes, strict=True))
    words = [each.astype("i8") for each in (x, y)]
    expected = scipy.signal.correlate(
        words[0], words[1][(slice(None, None, -1),) * y.ndim], mode, "direct"
    )
    expected = expected.astype(np.result_type(x, y))
    given = (x, y) if place == "host" else [cl_array.to_device(queue, each) for each in (x, y)]
    result = pyclfft.convolve(*given, mode, "direct")
    result = result if place == "host" else result.get()
    assert result.dtype == expected.dtype
    assert np.array_equal(result, expected)


def test_integers_by_transforms_are_rounded(device, fp64):
    x, y = numbers(200, "i4"), numbers(30, "i2")
    for method in METHODS:
        assert np.array_equal(pyclfft.convolve(x, y, method=method), np.convolve(x, y))
    large = np.array([2**40, 1])
    assert pyclfft.choose_conv_method(large, large) == "direct"
    assert np.array_equal(pyclfft.convolve(large, [3, 5]), np.convolve(large, [3, 5]))


def test_half_precision(device):
    x, y = numbers(200, "f2"), numbers(30, "f2")
    expected = np.convolve(wide(x), wide(y))
    for method in METHODS:
        result = pyclfft.convolve(x, y, method=method)
        assert result.dtype == "f2"
        assert relative_error(wide(result), expected) <= 2**-11
    assert pyclfft.fftconvolve(x, y).dtype == "f4"


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", ["fftconvolve", "oaconvolve"])
def test_long_ones(name, device):
    x, y = numbers((2, 100_000), "f4"), numbers((2, 3000), "f4", seed=1)
    for mode in ("full", "same", "valid"):
        result = getattr(pyclfft, name)(x, y, mode, axes=1)
        assert result.dtype == "f4"
        agree(result, expected_of(x, y, mode, 1), 2**18)


def test_direct_sums_of_many_terms(device):
    """A plain sum in single precision would be off by 3e-6."""
    x, y = numbers(30_100, "f4"), numbers(30_000, "f4", seed=1)
    result = pyclfft.convolve(x + np.float32(0.5), y + np.float32(0.5), "valid", "direct")
    expected = expected_of(x + np.float32(0.5), y + np.float32(0.5), "valid")
    assert relative_error(result, expected) <= 1e-6


def test_rows_are_independent(device):
    """NaN in one row of a batch, and numbers 1e10 times as large, leave the other rows alone."""
    x, y = numbers((4, 500), "f4"), numbers((1, 40), "f4", seed=1)
    spoilt = x.copy()
    spoilt[1, 100] = np.nan
    spoilt[2] *= 1e10
    for method in METHODS:
        clean = pyclfft.convolve(x, y, method=method, axes=1)
        with warnings.catch_warnings(action="ignore", category=RuntimeWarning):
            result = pyclfft.convolve(spoilt, y, method=method, axes=1)
        assert np.array_equal(result[[0, 3]], clean[[0, 3]])


def test_nan_in_blocks(device):
    """It spoils the block that it is in; direct sums spoil just the results that depend on it."""
    x, y = numbers(50_000, "f4"), numbers(31, "f4", seed=1)
    x[25_000] = np.nan
    direct = pyclfft.convolve(x, y, method="direct")
    assert np.flatnonzero(np.isnan(direct)).tolist() == list(range(25_000, 25_031))
    blocks = pyclfft.oaconvolve(x, y)
    assert np.isnan(blocks[25_000:25_031]).all()
    assert np.isfinite(blocks[:10_000]).all()
    with pytest.warns(RuntimeWarning, match="Use of fft convolution"):
        pyclfft.convolve(x, y, method="fft")


def short_blocks(dimensions, traits):
    """Blocks of the shortest useful lengths, along every axis whose first input is longer."""
    return tuple(
        cut(each, 2 << each.second.bit_length())
        if each.first > each.second
        else whole(each, fast_on_cpu)
        for each in dimensions
        if each.convolved
    )


@pytest.mark.one_cpu  # each case compiles programs of its own
@pairwise({
    "shapes": [
        ((100,), (7,), None), ((7,), (101,), None), ((40, 50), (5, 3), None),
        ((9, 50), (11, 3), None), ((3, 60, 2), (1, 9, 2), 1), ((1, 60, 2), (3, 9, 1), 1),
        ((2, 33, 20), (2, 4, 6), (2, 1)), ((20, 3, 30), (4, 1, 5), (0, 2)),
        ((20, 19, 18), (3, 4, 5), None),
    ],
    "dtypes": [("f4", "f4"), ("c8", "f4"), ("f4", "c8"), ("c8", "c8")],
    "mode": ["full", "same", "valid"],
    "name": ["convolve", "correlate"],
    "place": ["host", "device"],
})  # fmt: skip
def test_blocks_along_every_axis(monkeypatch, queue, shapes, dtypes, mode, name, place):
    """Shorter blocks than any that pay, so that small inputs have many."""
    monkeypatch.setattr(running, "cut_for", short_blocks)
    first, second, axes = shapes
    if mode == "valid" and first[0] < second[0] and len(first) > 1 and axes is None:
        mode = "same"  # neither input is the larger one
    x, y = numbers(first, dtypes[0]), numbers(second, dtypes[1], seed=1)
    expected = expected_of(x, y, mode, axes, name == "correlate")
    given = (x, y) if place == "host" else [cl_array.to_device(queue, each) for each in (x, y)]
    result = getattr(pyclfft, name)(*given, mode, "partitioned", axes=axes)
    agree(result, expected, 2 * x.size)


def test_auto_knows_the_longer_input(device):
    """It may be the second one."""
    long, short = np.ones(10**7, "f4"), np.ones(10**4, "f4")
    assert pyclfft.choose_conv_method(short, long) == "partitioned"


# --- pieces ---------------------------------------------------------------------------------------


@pytest.fixture
def small_device(device, monkeypatch):
    """Return a function that bounds the memory of the device, in bytes."""
    known = describe.traits(device)

    def bound_to(nbytes):
        traits = replace(known, global_mem_bytes=nbytes, max_alloc_bytes=nbytes)
        monkeypatch.setattr(describe, "traits", lambda _: traits)
        pyclfft.clear_cache()  # convolvers that were made before would not ask

    yield bound_to
    pyclfft.clear_cache()


@pytest.mark.one_cpu
@pairwise({
    "shapes": [
        ((3000,), (40,), None), ((40,), (3000,), None), ((500,), (500,), None),
        ((60, 50), (9, 11), None), ((9, 50), (30, 7), None), ((1, 300), (4, 300), 1),
        ((300, 1), (20, 4), 0),
    ],
    "dtypes": [("f4", "f4"), ("c8", "f4"), ("f4", "c8"), ("i2", "i4"), ("f2", "f2")],
    "mode": ["full", "same", "valid"],
    "name": ["convolve", "correlate", "fftconvolve", "oaconvolve"],
    "method": METHODS,
})  # fmt: skip
def test_what_the_device_cannot_hold(small_device, fp64, shapes, dtypes, mode, name, method):
    """It has room for a fifth of the inputs only, and their spectra take more."""
    first, second, axes = shapes
    if mode == "valid" and first == (9, 50):
        mode = "same"  # neither input is the larger one
    x, y = numbers(first, dtypes[0]), numbers(second, dtypes[1], seed=1)
    expected = expected_of(x, y, mode, axes, name == "correlate")
    small_device(x.nbytes // 5 + y.nbytes // 5 + 2048)
    method = (method,) if name in ("convolve", "correlate") else ()
    result = getattr(pyclfft, name)(x, y, mode, *method, axes=axes)
    if result.dtype.kind == "i":
        assert np.array_equal(result, np.rint(expected))
    elif result.dtype == "f2":
        assert relative_error(wide(result), expected) <= 2**-11
    else:
        agree(result, expected, 2 * max(x.size, y.size))


@pytest.mark.one_cpu
@pytest.mark.parametrize("method", METHODS)
def test_a_limit(device, monkeypatch, method):
    """Every piece stays within it, and without it there is only one."""
    runs = []
    enqueued = {each: each.enqueue for each in (convolvers.SpectralConvolver, lines.LineConvolver)}

    def counted(convolver, *arguments):
        runs.append(convolver.workspace_bytes)
        return enqueued[type(convolver)](convolver, *arguments)

    for each in enqueued:
        monkeypatch.setattr(each, "enqueue", counted)
    x, y = numbers(20_000, "f4"), numbers(300, "f4", seed=1)
    expected = expected_of(x, y, "full")
    for limit, least in ((None, 1), (40_000, 4)):
        runs.clear()
        with pyclfft.limit_device_memory(limit):
            agree(pyclfft.convolve(x, y, method=method), expected, 2**15)
        assert len(runs) >= least
        assert limit is None or max(runs) < limit
    assert len(runs) > 1
    with (
        pyclfft.limit_device_memory(3),
        pytest.raises(pyclfft.DeviceMemoryError, match="the limit is 3"),
    ):
        pyclfft.convolve(x[:4], y[:4], method=method)


def test_pieces_reach_an_array_with_gaps(small_device):
    x, y = numbers((3, 4000), "f4"), numbers((1, 50), "f4", seed=1)
    small_device(x.nbytes // 4)
    room = np.full((3, 8098), 7, "f4")
    pyclfft.fftconvolve(x, y, axes=1, out=room[:, ::2])
    agree(np.ascontiguousarray(room[:, ::2]), expected_of(x, y, "full", 1), 8192)
    assert (room[:, 1::2] == 7).all()


def test_device_arrays_are_not_cut(queue, small_device):
    x = cl_array.to_device(queue, numbers(4000, "f4"))
    small_device(1000)
    for method in METHODS:
        with pytest.raises(pyclfft.DeviceMemoryError, match="this needs"):
            pyclfft.convolve(x, x, method=method)


def test_a_device_without_any_room(small_device):
    small_device(3)
    with pytest.raises(pyclfft.DeviceMemoryError, match="this needs"):
        pyclfft.convolve(numbers(5, "f4"), numbers(3, "f4"))


# --- arrays ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_device_arrays_of_any_strides(method, queue):
    x, y = numbers((6, 40, 30), "f4"), numbers((1, 5, 7), "f4", seed=1)
    there = [cl_array.to_device(queue, each) for each in (x, y)]
    views = [(each.transpose((2, 0, 1)), (0, 2)) for each in there]
    turned = [each.transpose(2, 0, 1) for each in (x, y)]
    result = pyclfft.convolve(views[0][0], views[1][0], method=method, axes=(0, 2))
    agree(result, expected_of(*turned, "full", (0, 2)), 4096)
    part = pyclfft.convolve(there[0][1:5, 3:33], there[1], "valid", method, axes=(1, 2))
    agree(part, expected_of(x[1:5, 3:33], y, "valid", (1, 2)), 4096)


@pytest.mark.parametrize("method", METHODS)
def test_out(method, queue):
    x, y = numbers((3, 40), "f4"), numbers((1, 5), "f4", seed=1)
    expected = expected_of(x, y, "same", 1)
    room = np.zeros((3, 80), "f4")
    assert pyclfft.convolve(x, y, "same", method, axes=1, out=room[:, ::2]).base is room
    agree(room[:, ::2], expected, 128)
    assert not room[:, 1::2].any()
    there = cl_array.zeros(queue, (5, 40), "f4")
    part = there[1:4]
    assert (
        pyclfft.convolve(cl_array.to_device(queue, x), y, "same", method, axes=1, out=part) is part
    )
    agree(part, expected, 128)
    assert not there.get()[[0, 4]].any()


def test_the_same_array_twice(device):
    x = numbers(3000, "f4")
    agree(pyclfft.fftconvolve(x, x), expected_of(x, x, "full"), 8192)
    x.flags.writeable = False
    agree(pyclfft.correlate(x, x, method="fft"), expected_of(x, x, "full", None, True), 8192)


def test_threads_share_a_convolver(device):
    inputs = [(numbers(4000, "f4", seed), numbers(200, "f4", seed + 9)) for seed in range(4)]
    results = [None] * len(inputs)

    def work(number):
        for _ in range(5):
            results[number] = pyclfft.fftconvolve(*inputs[number])

    threads = [threading.Thread(target=work, args=(n,)) for n in range(len(inputs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result, (x, y) in zip(results, inputs, strict=True):
        agree(result, expected_of(x, y, "full"), 4096)


def test_the_cache_keeps_convolvers(device):
    pyclfft.clear_cache()
    for _ in range(3):
        pyclfft.fftconvolve(numbers(50, "f4"), numbers(9, "f4"))
    counts = pyclfft.cache_info().convolvers
    assert (counts.hits, counts.misses, counts.size) == (2, 1, 1)
    pyclfft.clear_cache()
    assert pyclfft.cache_info().convolvers.size == 0


@pytest.mark.parametrize("method", METHODS)
def test_intermediate_results_use_the_same_memory(method, queue):
    """One room serves any number of calls, one after the other."""
    pyclfft.clear_cache()
    x, y = (cl_array.to_device(queue, numbers(n, "f4")) for n in (5000, 1200))
    expected = expected_of(x.get(), y.get(), "full")
    for result in [pyclfft.convolve(x, y, method=method) for _ in range(4)]:
        agree(result, expected, 8192)
    rooms = pyclfft.cache_info().rooms
    assert rooms.misses in (0, 1)  # 0: direct sums may need no room
    assert rooms.hits == 3 * rooms.misses
    assert bool(rooms.size) == bool(rooms.misses)
    pyclfft.clear_cache()
    assert pyclfft.cache_info().rooms.size == 0


def test_queues_share_rooms(queue):
    """A room is written to only after another queue has read it."""
    other = cl.CommandQueue(queue.context)
    pairs = [
        [cl_array.to_device(each, numbers(60_000, "f4", seed)) for seed in (number, 7)]
        for number, each in enumerate((queue, other, queue, other, queue, other))
    ]
    results = [pyclfft.fftconvolve(*pair) for pair in pairs]
    for result, pair in zip(results, pairs, strict=True):
        agree(result, expected_of(*(each.get() for each in pair), "full"), 2**17)


def test_results_in_a_pool_of_pyopencl(queue):
    """Its memory serves for results again, on the array's own queue; other queues do not use it."""
    pool = MemoryPool(ImmediateAllocator(queue))
    x, y = numbers(20_000, "f4"), numbers(300, "f4", seed=1)
    there = [cl_array.to_device(queue, each, allocator=pool) for each in (x, y)]
    expected = expected_of(x, y, "full")
    assert isinstance(pyclfft.fftconvolve(*there).base_data, PooledBuffer)
    managed = pool.managed_bytes
    for _ in range(10):
        result = pyclfft.fftconvolve(*there)
    assert pool.managed_bytes <= 2 * managed  # the result before is dropped after the new one
    agree(result, expected, 2**15)
    elsewhere = pyclfft.fftconvolve(*there, queue=cl.CommandQueue(queue.context))
    assert not isinstance(elsewhere.base_data, PooledBuffer)
    agree(elsewhere, expected, 2**15)


# --- refusals -------------------------------------------------------------------------------------

ONE = np.ones(4, "f4")


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((ONE, ONE), {"mode": "half"}, "acceptable mode flags"),
        ((ONE, ONE), {"method": "quick"}, "invalid method 'quick', should be one of auto"),
        ((ONE, ONE[None]), {}, "same dimensionality"),
        ((ONE, []), {}, "nothing to convolve"),
        ((np.ones((2, 3)), np.ones((3, 2))), {"mode": "valid"}, "For 'valid' mode"),
        ((np.ones((2, 3)), np.ones((3, 3))), {"axes": 1}, "incompatible shapes"),
        ((ONE, ONE), {"axes": ()}, "cannot be empty"),
        ((ONE, ONE), {"axes": 1}, "exceeds dimensionality"),
        ((ONE, ONE), {"out": np.ones(7)}, "out must be float32 of the shape"),
        ((ONE, ONE), {"out": [0.0] * 7}, "out must be a NumPy array"),
        ((ONE, ONE), {"mode": "same", "out": ONE}, "shares memory"),
    ],
)
def test_refusals(device, arguments, options, message):
    with pytest.raises(pyclfft.PlanError, match=message):
        pyclfft.convolve(*arguments, **options)


@pytest.mark.parametrize("dtype", ["longdouble", "clongdouble", "object", "U1"])
def test_dtypes_that_no_device_has(device, dtype):
    for function in (pyclfft.convolve, pyclfft.fftconvolve, pyclfft.choose_conv_method):
        with pytest.raises(TypeError, match=r'convert it with in1.astype\("'):
            function(np.ones(3).astype(dtype), np.ones(3))


def test_choice(device):
    long, short = np.ones(10**7, "f4"), np.ones(10**4, "f4")
    assert pyclfft.choose_conv_method(short[:8], short[:6]) == "direct"
    assert pyclfft.choose_conv_method(long, long) == "fft"
    assert pyclfft.choose_conv_method(long, short) == "partitioned"
    assert pyclfft.choose_conv_method(long > 0, long > 0) == "direct"
    method, times = pyclfft.choose_conv_method(short, short, measure=True)
    assert times[method] == min(times.values())
