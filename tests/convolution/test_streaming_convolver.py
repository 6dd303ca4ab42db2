"""Convolution in real time beside scipy.signal in double precision, on every device."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest
import scipy.signal

import pyclfft
from pyclfft import DeviceError, PlanError, StreamingConvolver
from pyclfft.convolution import partitions, streaming
from tests.oracle import relative_error

METHODS = ("direct", "uniform", "nonuniform")
SINGLE = 1e-6  # PERFORMANCE.md's bound of convolution by sums, up to 1e5 taps
DOUBLE = 2e-15


def noise(shape, seed=0, dtype=np.float32):
    return (np.random.default_rng(seed).random(shape) - 0.5).astype(dtype)


def expected_of(x, ir):
    """SciPy's convolution, in double precision, of each channel."""
    x, ir = x.astype("f8"), ir.astype("f8")
    return scipy.signal.fftconvolve(x, np.broadcast_to(ir, (*x.shape[:-1], ir.shape[-1])), axes=-1)


def blocks_of(x, greatest, seed=0):
    """The signal in blocks of random lengths, also 0."""
    rng = np.random.default_rng(seed)
    begin = 0
    while begin < x.shape[-1]:
        end = begin + int(rng.integers(0, greatest + 1))
        yield x[..., begin:end]
        begin = end


def streamed(stream, x, greatest=None):
    """All that a stream makes of a signal that comes in blocks."""
    blocks = blocks_of(x, greatest) if greatest else [x]
    return np.concatenate([*map(stream.push, blocks), stream.close()], axis=-1)


# --- results --------------------------------------------------------------------------------------

SHORT = [(1, 1), (1, 50), (100, 1), (129, 64), (700, 650), (300, 3000)]
LONG = [(20000, 5000), (100000, 50000), (1000, 100000)]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("latency", [0, 2])
@pytest.mark.parametrize(("frames", "taps"), SHORT)
def test_random_blocks(device, method, latency, frames, taps):
    x, ir = noise((2, frames), 1), noise((2, taps), 2)
    stream = StreamingConvolver(ir, block_size=32, method=method, latency=latency)
    assert stream.method == method
    result = streamed(stream, x, 100)
    assert result.shape == (2, frames + taps - 1)
    assert result.dtype == np.float32
    assert relative_error(result, expected_of(x, ir)) < SINGLE


@pytest.mark.full
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("frames", "taps"), LONG)
def test_long_signals(device, method, frames, taps):
    x, ir = noise(frames, 1), noise(taps, 2)
    stream = StreamingConvolver(ir, block_size=256, method=method)
    assert relative_error(streamed(stream, x, 1000), expected_of(x, ir)) < SINGLE


@pytest.mark.parametrize("ratio", [4, 8])
@pytest.mark.parametrize("latency", [0, 1, 9])
def test_several_stages(device, monkeypatch, ratio, latency):
    """Three lengths of partitions, and more blocks in flight than a long block has."""
    stages = partitions.nonuniform(3000, 16, ratio, 3)
    assert len(stages) == 3
    monkeypatch.setattr(streaming, "several_stages", lambda *_: stages)
    x, ir = noise(5000, 1), noise(3000, 2)
    stream = StreamingConvolver(ir, block_size=16, method="nonuniform", latency=latency)
    assert relative_error(streamed(stream, x, 60), expected_of(x, ir)) < SINGLE


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("block", [1, 7, 100])
def test_any_block_size(device, method, block):
    x, ir = noise(300, 1), noise(230, 2)
    stream = StreamingConvolver(ir, block_size=block, method=method)
    assert relative_error(streamed(stream, x, 50), expected_of(x, ir)) < SINGLE


@pytest.mark.parametrize("method", METHODS)
def test_double_precision(device, fp64, method):
    x, ir = noise((2, 500), 1, "f8"), noise(600, 2, "f8")
    stream = StreamingConvolver(ir, block_size=32, method=method, dtype="float64")
    result = streamed(stream, x, 100)
    assert result.dtype == np.float64
    assert relative_error(result, expected_of(x, ir)) < DOUBLE


@pytest.mark.parametrize("streams", [1, 2, 3])
@pytest.mark.parametrize("latency", [0, 1, 4])
def test_chunks_go_round_the_circular_buffer(device, streams, latency):
    """Many times, so that a chunk one frame off anywhere would be heard."""
    x, ir = noise((2, 3000), 1), noise((2, 50), 2)
    stream = StreamingConvolver(
        ir, block_size=16, method="direct", streams=streams, latency=latency
    )
    assert relative_error(streamed(stream, x, 40), expected_of(x, ir)) < SINGLE


@pytest.mark.parametrize("method", METHODS)
def test_an_impulse_gives_the_response(device, method):
    ir = noise(900, 2)
    x = np.zeros(400, np.float32)
    x[150] = 1
    result = streamed(StreamingConvolver(ir, block_size=64, method=method), x, 100)
    np.testing.assert_allclose(result[150 : 150 + 900], ir, atol=1e-6)
    assert np.abs(result[:150]).max() < 1e-6


@pytest.mark.parametrize("method", METHODS)
def test_silence_stays_silent(device, method):
    x = np.zeros((2, 1000), np.float32)
    result = streamed(StreamingConvolver(noise((2, 500)), block_size=64, method=method), x, 100)
    np.testing.assert_array_equal(result, 0)


@pytest.mark.parametrize("method", METHODS)
def test_lengths_of_blocks_do_not_matter(device, method):
    """Bit for bit by sums in a fixed order, which does not depend on blocks."""
    x, ir = noise((2, 1000), 1), noise((2, 700), 2)
    results = [
        streamed(StreamingConvolver(ir, block_size=64, method=method), x, greatest)
        for greatest in (None, 30, 200)
    ]
    for each in results[1:]:
        if method == "direct":
            np.testing.assert_array_equal(each, results[0])
        else:
            assert relative_error(each, results[0].astype("f8")) < SINGLE


@pytest.mark.parametrize("block", [64, 250])
def test_direct_streams_are_convolve_bit_for_bit(device, block):
    x, ir = noise((2, 1000), 1), noise((2, 700), 2)
    stream = StreamingConvolver(ir, block_size=block, method="direct")
    whole = pyclfft.convolve(x, ir, axes=1, method="direct")
    np.testing.assert_array_equal(streamed(stream, x, block), whole)


# --- other devices --------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("latency", [0, 2])
@pytest.mark.parametrize("changes", [{}, {"is_cpu": False}], ids=str)
def test_as_on_devices_with_memory_of_their_own(
    device, change_traits, monkeypatch, method, latency, changes
):
    """Frames are copied; and kernels are those of GPUs."""
    change_traits(shared_buffers=False, **changes)
    stages = partitions.nonuniform(700, 32, 4, 2)
    monkeypatch.setattr(streaming, "several_stages", lambda *_: stages)
    x, ir = noise((2, 900), 1), noise((2, 700), 2)
    stream = StreamingConvolver(ir, block_size=32, method=method, latency=latency)
    assert relative_error(streamed(stream, x, 100), expected_of(x, ir)) < SINGLE


# --- channels -------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("ir_shape", "inputs"),
    [((300,), 3), ((2, 300), 1), ((4, 300), 2), ((2, 2, 300), 2), ((3, 2, 300), 2),
     ((1, 3, 300), 3), ((2, 1, 300), 1)],
)  # fmt: skip
def test_matrices(device, method, ir_shape, inputs):
    x, ir = noise((inputs, 500), 1), noise(ir_shape, 2)
    matrix = ir
    if ir.ndim == 1:
        matrix = np.eye(inputs)[:, :, None] * ir
    elif ir_shape[0] == 4:  # left to left, left to right, right to left, right to right
        matrix = np.array([[ir[0], ir[2]], [ir[1], ir[3]]])
    elif ir.ndim == 2:
        matrix = ir[:, None]
    expected = [sum(map(expected_of, x, row)) for row in matrix]
    stream = StreamingConvolver(ir, block_size=32, method=method)
    assert relative_error(streamed(stream, x, 100), expected) < SINGLE


def test_blocks_without_channels(device):
    x, ir = noise(500, 1), noise(300, 2)
    assert streamed(StreamingConvolver(ir), x).shape == (799,)
    assert streamed(StreamingConvolver(ir), x[None]).shape == (1, 799)
    assert streamed(StreamingConvolver(ir[None]), x).shape == (799,)
    assert streamed(StreamingConvolver(np.stack([ir, ir])), x).shape == (2, 799)


@pytest.mark.parametrize("method", METHODS)
def test_channels_do_not_touch_each_other(device, method):
    """Not by a rounding error: whatever one holds, the other one stays what it is alone."""
    quiet, loud, ir = noise(600, 1), 1e10 * noise(600, 2), noise((2, 500), 3)
    options = {"block_size": 64, "method": method}
    alone = streamed(StreamingConvolver(ir, **options), np.stack([quiet, 0 * loud]), 100)[0]
    for other in (loud, np.full(600, np.nan, np.float32)):
        both = streamed(StreamingConvolver(ir, **options), np.stack([quiet, other]), 100)[0]
        np.testing.assert_array_equal(both, alone)


@pytest.mark.parametrize("dtype", ["i2", "f8", "f2", "u1"])
def test_blocks_of_other_dtypes(device, dtype):
    x = (100 * noise(500, 1)).astype(dtype)
    ir = noise(300, 2)
    result = streamed(StreamingConvolver(ir), x, 100)
    assert result.dtype == np.float32
    assert relative_error(result, expected_of(x, ir)) < SINGLE


# --- latency --------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("latency", [0, 1, 3])
def test_latency(device, method, latency):
    x, ir = noise(640, 1), noise(200, 2)
    rate = 50  # so slow that every device is quick enough
    stream = StreamingConvolver(ir, block_size=64, method=method, latency=latency, sample_rate=rate)
    assert stream.latency_samples == 64 * latency
    assert stream.latency_ms == pytest.approx(64000 * latency / rate)
    counts = [stream.push(block).shape[-1] for block in np.split(x, 10)]
    assert counts == [0] * latency + [64] * (10 - latency)
    assert stream.close().shape[-1] == 199 + 64 * latency
    assert 0 < stream.load.mean <= stream.load.worst


def test_without_a_sample_rate_nothing_is_measured(device):
    stream = StreamingConvolver(noise(10))
    stream.push(noise(100))
    assert stream.load is None
    assert stream.latency_ms is None
    assert stream.missed_deadlines == 0


def test_missed_deadlines_are_counted(device):
    stream = StreamingConvolver(noise(10), block_size=4096, sample_rate=100, channels=1)
    stream.push(noise(4096))
    before = stream.missed_deadlines
    stream._meter.sample_rate = 1e12  # no device is so fast
    stream.push(noise(4096))
    assert stream.missed_deadlines == before + 1


# --- NaN ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_direct_spoils_as_many_results_as_there_are_taps(device, bad):
    x, ir = noise(1000, 1), noise(300, 2)
    clean = x.copy()
    clean[333], x[333] = 0, bad
    spoilt, whole = (
        streamed(StreamingConvolver(ir, block_size=64, method="direct"), each, 100)
        for each in (x, clean)
    )
    places = np.flatnonzero(~np.isfinite(spoilt))
    np.testing.assert_array_equal(places, np.arange(333, 633))
    good = np.isfinite(spoilt)
    np.testing.assert_array_equal(spoilt[good], whole[good])


@pytest.mark.parametrize("method", ["uniform", "nonuniform"])
def test_partitions_spoil_their_blocks_and_no_later_ones(device, monkeypatch, method):
    """The NaN is in block 5; with partitions that end with tap 320 its last echo is in block 10."""
    stages = partitions.nonuniform(320, 64, 4, 2)
    monkeypatch.setattr(streaming, "several_stages", lambda *_: stages)
    x, ir = noise(2048, 1), noise(320, 2)
    clean = x.copy()
    clean[333], x[333] = 0, np.nan
    spoilt, whole = (
        streamed(StreamingConvolver(ir, block_size=64, method=method), each[:2048], 64)
        for each in (x, clean)
    )
    np.testing.assert_array_equal(spoilt[: 5 * 64], whole[: 5 * 64])
    assert np.isnan(spoilt[333:653]).all()
    np.testing.assert_array_equal(spoilt[11 * 64 :], whole[11 * 64 :])


def test_late_partitions_forget_a_nan(device, monkeypatch):
    stages = partitions.nonuniform(1000, 16, 4, 3)
    assert len(stages) == 3
    monkeypatch.setattr(streaming, "several_stages", lambda *_: stages)
    x, ir = noise(4000, 1), noise(1000, 2)
    clean = x.copy()
    clean[333], x[333] = 0, np.nan
    spoilt, whole = (
        streamed(StreamingConvolver(ir, block_size=16, method="nonuniform"), each, 16)
        for each in (x, clean)
    )
    late = stages[-1].block
    end = (333 // late + 2) * late + stages[-1].end
    assert np.isnan(spoilt[333:1333]).all()
    np.testing.assert_array_equal(spoilt[end:], whole[end:])


# --- a change of the response ---------------------------------------------------------------------


def faded(x, changes):
    """What `set_ir` promises for changes (frame, response, fade); the first one is no change."""
    frames = np.arange(x.shape[-1])
    gains = []
    for begin, _, fade in changes:
        gains.append(np.clip((frames - begin + 1) / max(fade, 1), 0, 1))
    gains[0] = np.ones(x.shape[-1])
    for number in range(len(gains) - 1):
        gains[number] = gains[number] * (1 - gains[number + 1])
    results = [
        expected_of(x.astype("f8") * gain, ir)
        for gain, (_, ir, _) in zip(gains, changes, strict=True)
    ]
    total = np.zeros(max(len(each) for each in results))
    for each in results:
        total[: len(each)] += each
    return total


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("latency", [0, 2])
@pytest.mark.parametrize("fade", [0, 1, 150])
@pytest.mark.parametrize("taps", [100, 800])
def test_a_new_response_fades_in(device, method, latency, fade, taps):
    x, old, new = noise(2000, 1), noise(300, 2), noise(taps, 3)
    stream = StreamingConvolver(old, block_size=32, method=method, latency=latency)
    parts = [stream.push(block) for block in blocks_of(x[:777], 50)]
    stream.set_ir(new, fade=fade)
    result = np.concatenate([*parts, streamed(stream, x[777:], 50)])
    expected = faded(x, [(0, old, 0), (777, new, fade)])[: 2000 + taps - 1]
    assert result.shape == expected.shape
    assert relative_error(result, expected) < SINGLE


def test_a_change_at_the_end_keeps_the_old_tail(device):
    x, old, new = noise(200, 1), noise(500, 2), noise(10, 3)
    stream = StreamingConvolver(old, block_size=32)
    first = stream.push(x)
    stream.set_ir(new)
    result = np.concatenate([first, stream.close()])
    assert relative_error(result, expected_of(x, old)) < SINGLE


def test_a_change_before_the_beginning(device):
    x, new = noise(200, 1), noise(50, 3)
    stream = StreamingConvolver(noise(500, 2), block_size=32)
    stream.set_ir(new)
    assert relative_error(streamed(stream, x), expected_of(x, new)) < SINGLE


def test_old_responses_are_let_go(device):
    stream = StreamingConvolver(noise(100), block_size=32)
    for seed in range(3):
        stream.push(noise(64))
        stream.set_ir(noise(100, seed), fade=16)
    stream.push(noise(400))
    assert len(stream._voices) == 1


# --- gains ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("latency", [0, 3])
def test_wet_and_dry(device, latency):
    x, ir = noise((2, 1000), 1), noise((2, 300), 2)
    stream = StreamingConvolver(ir, block_size=32, latency=latency, wet=0.5, dry=-2)
    expected = 0.5 * expected_of(x, ir)
    expected[:, :1000] -= 2 * x.astype("f8")
    assert relative_error(streamed(stream, x, 100), expected) < SINGLE


def test_the_dry_sound_of_a_mono_signal_is_in_all_channels(device):
    x, ir = noise(500, 1), noise((2, 100), 2)
    result = streamed(StreamingConvolver(ir, wet=0, dry=1), x)
    np.testing.assert_array_equal(result[:, :500], [x, x])


def test_the_running_maximum(device):
    """The source's: the volume falls at each new greatest magnitude, and never rises."""
    x, ir = noise(640, 1), noise(100, 2)
    x[300:] *= 5
    stream = StreamingConvolver(ir, block_size=64, normalize="running")
    expected, peak = expected_of(x, ir), 0
    for number, block in enumerate(np.split(x, 10)):
        right = expected[64 * number : 64 * number + 64]
        peak = max(peak, np.abs(right).max())
        assert relative_error(stream.push(block), right / peak) < SINGLE


def test_the_running_maximum_ignores_nan(device):
    stream = StreamingConvolver([1.0], block_size=4, normalize="running", method="direct")
    np.testing.assert_array_equal(stream.push([0.0, 0.0, 0.0, 0.0]), 0)
    np.testing.assert_array_equal(stream.push([1.0, 2.0, np.nan, 0.0]), [0.5, 1, np.nan, 0])
    np.testing.assert_array_equal(stream.push([1.0]), [0.5])


def test_responses_of_energy_1(device):
    x, ir = noise((2, 500), 1), noise((2, 300), 2)
    ir[1] *= 3
    result = streamed(StreamingConvolver(ir, normalize="ir"), x)
    scale = np.linalg.norm(ir[1].astype("f8"))
    assert relative_error(result, expected_of(x, ir) / scale) < SINGLE


# --- what a push takes ----------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("latency", [0, 2])
def test_a_push_into_an_array_allocates_nothing(device, monkeypatch, method, latency):
    block = 8192
    x, out = noise((2, block), 1), np.empty((2, block), np.float32)
    stream = StreamingConvolver(
        noise((2, 3 * block), 2), block_size=block, method=method, latency=latency,
        dry=0.5, normalize="running", sample_rate=1.0,
    )  # fmt: skip
    for _ in range(12):
        stream.push(x, out)

    def refused(*_, **__):
        raise AssertionError("memory of the device was allocated")

    monkeypatch.setattr(cl, "Buffer", refused)
    monkeypatch.setattr(cl, "fsvm_empty", refused)
    tracemalloc.start()
    try:
        for length in (block, block, 1000, block):
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            result = stream.push(x[:, :length], out)
            assert tracemalloc.get_traced_memory()[1] - before < block  # a quarter of a channel
            assert result.base is out
    finally:
        tracemalloc.stop()


def test_out_may_have_more_room(device):
    x, ir = noise((2, 100), 1), noise((2, 30), 2)
    out = np.full((2, 150), 7, np.float32)
    result = StreamingConvolver(ir).push(x, out)
    assert result.shape == (2, 100)
    assert relative_error(out[:, :100], expected_of(x, ir)[:, :100]) < SINGLE
    assert (out[:, 100:] == 7).all()


@pytest.mark.parametrize(
    "out",
    [np.empty((2, 99), "f4"), np.empty((2, 100), "f8"), np.empty(100, "f4"),
     np.empty((3, 100), "f4"), [0] * 100],
)  # fmt: skip
def test_an_out_that_does_not_fit(device, out):
    stream = StreamingConvolver(noise((2, 30)))
    with pytest.raises(PlanError, match="out must be"):
        stream.push(noise((2, 100)), out)
    assert stream.push(noise((2, 100))).shape == (2, 100)  # nothing was lost


# --- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"block_size": 0}, "block_size"), ({"block_size": 1.5}, "block_size"),
        ({"latency": -1}, "latency"), ({"streams": 0}, "streams"), ({"channels": 0}, "channels"),
        ({"method": "fft"}, "method"), ({"normalize": "peak"}, "normalize"),
        ({"sample_rate": 0}, "sample_rate"), ({"wet": np.nan}, "wet"), ({"dry": np.inf}, "dry"),
        ({"dtype": "int16"}, "dtype"), ({"dtype": "complex64"}, "dtype"), ({"queue": 3}, "queue"),
    ],
)  # fmt: skip
def test_bad_options(device, options, message):
    with pytest.raises(PlanError, match=message):
        StreamingConvolver(noise(10), **options)


def test_bad_blocks(device):
    stream = StreamingConvolver(noise(10))
    stream.push(noise((2, 10)))
    for block, message in (
        (noise((3, 10)), "2 channels"), (noise(10) * 1j, "real numbers"),
        (noise((1, 2, 10)), "shape"), (np.float32(1), "shape"),
    ):  # fmt: skip
        with pytest.raises(PlanError, match=message):
            stream.push(block)
    with pytest.raises(PlanError, match="NumPy"):
        stream.push(cl_array.zeros(pyclfft.default_queue(), 10, np.float32))
    with pytest.raises(PlanError, match="do not fit"):
        StreamingConvolver(noise((2, 10))).push(noise((3, 10)))
    with pytest.raises(PlanError, match="3 channels, this block has 2"):
        StreamingConvolver(noise(10), channels=3).push(noise((2, 10)))


def test_a_dry_sound_without_a_place(device):
    with pytest.raises(PlanError, match="dry="):
        StreamingConvolver(noise((3, 2, 10)), dry=1)


def test_a_new_response_with_other_outputs(device):
    stream = StreamingConvolver(noise(10))
    stream.push(noise(10))
    with pytest.raises(PlanError, match="makes 2 channels, the old one 1"):
        stream.set_ir(noise((2, 10)))
    with pytest.raises(PlanError, match="fade"):
        stream.set_ir(noise(10), fade=-1)


def test_a_closed_stream(device):
    with StreamingConvolver(noise(10)) as stream:
        stream.push(noise(10))
    for call in (lambda: stream.push(noise(10)), stream.close, lambda: stream.set_ir(noise(3))):
        with pytest.raises(PlanError, match="closed"):
            call()
    assert StreamingConvolver(noise(10)).close().shape == (1, 0)


def test_a_response_too_long_for_real_time(device):
    with pytest.raises(PlanError, match=r"too long for real time.*block_size"):
        StreamingConvolver(noise(1000), sample_rate=1e9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("latency", [0, 2])
def test_a_device_that_fails_ends_in_silence(device, monkeypatch, method, latency):
    stream = StreamingConvolver(
        noise((2, 300)), block_size=64, method=method, latency=latency, channels=2
    )
    out = np.empty((2, 256), np.float32)
    stream.push(noise((2, 256)), out)

    enqueue = cl.enqueue_nd_range_kernel

    def fail(queue, kernel, *_, **__):
        enqueue(queue, kernel, (3,), (2**30,))  # no device has groups of so many work-items

    out.fill(7)
    with monkeypatch.context() as patched:
        patched.setattr(cl, "enqueue_nd_range_kernel", fail)
        with pytest.raises(DeviceError, match="did not finish its work"):
            stream.push(noise((2, 256)), out)
    np.testing.assert_array_equal(out, 0)
    with pytest.raises(PlanError, match="the device has failed"):
        stream.push(noise((2, 256)))
