"""Direct convolution along one axis (registers.cl), on every device, beside double precision."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyopencl as cl
import pytest
import scipy.signal

import pyclfft
from pyclfft.convolution import convolvers, line_plans, lines
from pyclfft.convolution.line_plans import Blocking, block_job
from pyclfft.errors import PrecisionError
from pyclfft.planning.precision import REAL_DTYPE
from pyclfft.runtime import describe, memory, wisdom
from tests.oracle import relative_error

BOUND = {"single": 1e-6, "double": 2e-15}  # PERFORMANCE.md's, up to 1e5 taps
# As the kernel is compiled for the device, for a GPU's groups, and in small vectors and tiles.
BLOCKINGS = {
    "own": None,
    "groups": Blocking(group=16, width=1, outputs=4, taps=8, tile=64),
    "vectors": Blocking(group=1, width=4, outputs=3, taps=2, tile=16),
}
# Below, at and above the sizes of tiles and groups; one of the inputs longer than the other.
LENGTHS = [(16, 16), (100, 17), (512, 512), (513, 511), (40, 3000), (5000, 1537), (96, 96)]
DTYPES = [("f4", "f4"), ("c8", "c8"), ("c8", "f4"), ("f4", "c8")]


def numbers(shape, dtype="f4", seed=0):
    rng = np.random.default_rng(seed)
    x = rng.random(shape) - 0.5
    return (x + 1j * (rng.random(shape) - 0.5) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def convolved_alone(x, h):
    """The convolution of rows in double precision, by sums."""
    wide = "c16" if "c" in (x.dtype.kind, h.dtype.kind) else "f8"
    return np.array(
        [np.convolve(a, b) for a, b in zip(x.astype(wide), h.astype(wide), strict=True)]
    )


@pytest.fixture(params=BLOCKINGS)
def blocking(request, monkeypatch):
    """Compile the kernel for other devices too."""
    chosen = BLOCKINGS[request.param]
    if chosen:
        monkeypatch.setattr(lines, "blocking_of", lambda *_: chosen)
    pyclfft.clear_cache()
    yield chosen
    pyclfft.clear_cache()


@pytest.mark.parametrize("split", [False, True], ids=["whole", "split"])
@pytest.mark.parametrize("dtypes", DTYPES, ids="-".join)
def test_lengths(queue, blocking, dtypes, split):
    few = {"taps_split": 1024 if split else 0}
    for first, second in LENGTHS:
        x, h = numbers((2, first), dtypes[0]), numbers((2, second), dtypes[1], 1)
        result = pyclfft.convolve(x, h, method="direct", axes=1, parameters=few)
        assert relative_error(result, convolved_alone(x, h)) <= BOUND["single"]


@pytest.mark.one_cpu
def test_results_do_not_depend_on_the_blocking(queue, monkeypatch):
    """A GPU divides rows of few results otherwise, and a stream must equal the whole signal."""
    x, h = numbers((2, 3001)), numbers((2, 700), seed=1)
    gpu = replace(describe.traits(queue.device), is_cpu=False)
    few, many = (line_plans.blocking_of(gpu, "single", results) for results in (256, 10**6))
    assert few != many
    results = []
    for chosen in (few, many, replace(few, group=4), replace(many, group=2)):
        monkeypatch.setattr(lines, "blocking_of", lambda *_, chosen=chosen: chosen)
        pyclfft.clear_cache()
        results.append(pyclfft.convolve(x, h, method="direct", axes=1))
    pyclfft.clear_cache()
    assert all(np.array_equal(each, results[0]) for each in results)
    assert relative_error(results[0], convolved_alone(x, h)) <= BOUND["single"]


def test_double_precision(queue, fp64, blocking):
    x, h = numbers((2, 3001), "f8"), numbers((2, 700), "f8", 1)
    result = pyclfft.convolve(x, h, method="direct", axes=1)
    assert relative_error(result, convolved_alone(x, h)) <= BOUND["double"]


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_correlations(queue, mode):
    for dtypes in DTYPES:
        for first, second in LENGTHS:
            x, h = numbers((first,), dtypes[0]), numbers((second,), dtypes[1], 1)
            wide = (each.astype("c16") for each in (x, h))
            expected = scipy.signal.correlate(*wide, mode, "direct")
            result = pyclfft.correlate(x, h, mode, "direct")
            few = 1e-6 * np.sqrt(min(first, second) / 12)  # of sums that cancel, alone or in twos
            assert np.sqrt(np.mean(np.abs(result - expected) ** 2)) <= few


def test_columns_and_frames(queue):
    """Channels beside each other, as in a sound file, one impulse response for all of them."""
    x, h = numbers((3000, 2)), numbers((800, 1), seed=1)
    result = pyclfft.convolve(x, h, method="direct", axes=0)
    expected = convolved_alone(x.T, np.repeat(h, 2, 1).T).T
    assert relative_error(result, expected) <= BOUND["single"]


def test_registers_are_used_for_floats_along_an_axis(queue, monkeypatch):
    """The other kernel does the rest."""
    asked = []
    monkeypatch.setattr(
        convolvers, "line_job", lambda job: asked.append(line_plans.line_job(job)) or asked[-1]
    )
    pyclfft.clear_cache()
    x, h = numbers(100), numbers(20, seed=1)
    for each in (
        (x, h),
        (x.astype("i4"), h.astype("i4")),
        (x.reshape(10, 10), h.reshape(5, 4)),
        (x, h[:1]),
    ):
        pyclfft.convolve(*each, method="direct")
    assert [each is not None for each in asked] == [True, False, False, False]
    asked.clear()
    for each in ((x, h), (x, h.astype("c8")), (x.astype("c8"), h), (x.astype("c8"), h * 1j)):
        pyclfft.correlate(*each, method="direct")
    assert all(asked)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_spoils_only_its_own_results(queue, blocking, bad):
    x, h = numbers(3000), numbers(700, seed=1)
    for array, at, spoilt in ((x, 1000, 700), (h, 333, 3000)):
        old = array[at]
        array[at] = bad
        result = pyclfft.convolve(x, h, method="direct")
        array[at] = old
        wrong = np.flatnonzero(~np.isfinite(result))
        assert (wrong[0], wrong[-1], wrong.size) == (at, at + spoilt - 1, spoilt)
        good = np.isfinite(result)
        clean = pyclfft.convolve(x, h, method="direct")
        np.testing.assert_array_equal(result[good], clean[good])


def test_long_sums_keep_their_accuracy(queue):
    x, h = numbers(100_100), numbers(100_000, seed=1)
    result = pyclfft.convolve(x, h, "valid", "direct")
    expected = np.convolve(x.astype("f8"), h.astype("f8"), "valid")
    assert relative_error(result, expected) <= BOUND["single"]


# --- blocks of streams ----------------------------------------------------------------------------


def stream(queue, x, h, ring, block, matrix=False, precision="single", adds=False, parameters=None):
    """Blocks of a signal by way of a circular buffer, one after the other."""
    inputs, frames = x.shape
    outputs, taps = h.shape[0], h.shape[-1]
    job = block_job(
        block, taps, ring, outputs, inputs, matrix=matrix, precision=precision, adds=adds
    )
    context = queue.context
    size = REAL_DTYPE[precision].itemsize
    circular = memory.zeros(context, inputs * ring * size)
    wet = memory.zeros(context, outputs * block * size)
    known = wisdom.parameters_of(queue.device).over(parameters or {}, "given")
    convolver = lines.LineConvolver(job, context, known)
    launch = convolver.bind(circular, memory.constant(context, h), wet)
    held = np.zeros((inputs, ring), x.dtype)
    blocks = []
    for start in range(0, frames, block):
        at = start % ring
        held[:, (at + np.arange(block)) % ring] = x[:, start : start + block]
        cl.enqueue_copy(queue, circular, held)
        done = launch.enqueue(queue, at)
        blocks.append(np.empty((outputs, block), x.dtype))
        cl.enqueue_copy(queue, blocks[-1], wet, wait_for=[done])
    return np.concatenate(blocks, axis=1)


@pytest.mark.parametrize("split", [False, True], ids=["whole", "split"])
@pytest.mark.parametrize(("block", "taps"), [(256, 1000), (100, 33), (64, 700), (512, 20)])
def test_blocks_are_bit_for_bit_the_whole(queue, blocking, block, taps, split):
    few = {"taps_split": 1024 if split else 0}
    x, h = numbers((2, 20 * block)), numbers((2, taps), seed=1)
    for ring in (block + taps - 1, 4 * block + taps, 2 * taps + 3 * block):
        got = stream(queue, x, h, ring, block, parameters=few)
        whole = pyclfft.convolve(x, h, method="direct", axes=1, parameters=few)
        whole = whole[:, : got.shape[1]]
        np.testing.assert_array_equal(got, whole)
    assert relative_error(got, convolved_alone(x, h)[:, : got.shape[1]]) <= BOUND["single"]


def test_a_matrix_of_impulse_responses(queue, blocking):
    x, h = numbers((3, 2048)), numbers((2, 3, 500), seed=1)
    got = stream(queue, x, h, 1024, 256, matrix=True)
    expected = sum(
        convolved_alone(np.repeat(x[i : i + 1], 2, 0), h[:, i])[:, :2048] for i in range(3)
    )
    assert relative_error(got, expected) <= BOUND["single"]


def test_one_input_goes_to_all_outputs_and_adds(queue, blocking):
    x, h = numbers((1, 512)), numbers((3, 100), seed=1)
    plain = stream(queue, x, h, 700, 512)
    job = block_job(512, 100, 700, 3, 1, adds=True)
    context = queue.context
    wet = memory.constant(context, np.ones((3, 512), "f4"))
    ring = np.zeros((1, 700), "f4")
    ring[:, :512] = x
    convolver = lines.LineConvolver(job, context)
    done = convolver.bind(memory.constant(context, ring), memory.constant(context, h), wet).enqueue(
        queue
    )
    got = np.empty((3, 512), "f4")
    cl.enqueue_copy(queue, got, wet, wait_for=[done])
    np.testing.assert_array_equal(got, plain + np.float32(1))


def test_a_device_without_double_precision_says_so(queue, monkeypatch):
    traits = replace(describe.traits(queue.device), fp64=False)
    monkeypatch.setattr(describe, "traits", lambda device: traits)
    with pytest.raises(PrecisionError, match="float32"):
        lines.LineConvolver(block_job(256, 100, 512, 1, 1, precision="double"), queue.context)
