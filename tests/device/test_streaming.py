"""Streams of blocks, and pieces on two queues, against all at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyopencl.array as cl_array
import pytest

import pyclfft
from pyclfft.audio import streaming
from pyclfft.errors import PlanError
from pyclfft.runtime import pipeline
from pyclfft.runtime.pipeline import Pipeline, Work
from pyclfft.runtime.profile import Recorder
from tests.device.test_shorttime import MODES, error, expected_stft
from tests.oracle import noise


@pytest.fixture(params=["as the device has it", "two queues"])
def memory_of_its_own(request, monkeypatch):
    """Pieces also as on a GPU: through pinned memory, on two queues."""
    if request.param == "two queues":
        real = pipeline.describe.traits

        def traits(device):
            return replace(real(device), is_cpu=False)

        init = Pipeline.__init__

        def changed(self, *arguments):
            with monkeypatch.context() as patch:
                patch.setattr(pipeline.describe, "traits", traits)
                init(self, *arguments)

        monkeypatch.setattr(Pipeline, "__init__", changed)


def streamed(y, cuts, **options):
    stream = pyclfft.StreamingSTFT(**options)
    parts = [stream.push(block) for block in np.split(y, cuts, axis=-1)]
    return np.concatenate([*parts, stream.close()], axis=-1)


@pytest.mark.parametrize("center", [True, pytest.param(False, marks=pytest.mark.one_cpu)])
@pytest.mark.parametrize(
    "mode",
    ["reflect", *(pytest.param(m, marks=pytest.mark.one_cpu) for m in MODES if m != "reflect")],
)
def test_blocks_of_any_size(device, memory_of_its_own, mode, center):
    y = noise((2, 3000), "f4")
    rng = np.random.default_rng(MODES.index(mode))
    options = {"n_fft": 128, "hop_length": 50, "center": center, "pad_mode": mode}
    expected = expected_stft(y, 128, 50, center=center, mode=mode)
    for count in (0, 3, 40):
        cuts = np.sort(rng.integers(0, 3001, count))  # some blocks have no samples
        result = streamed(y, cuts, **options)
        assert result.shape == expected.shape
        assert result.dtype == "c8"
        assert error(result, expected) < 4e-7
    np.testing.assert_allclose(result, pyclfft.stft(y, **options), atol=1e-5)


@pytest.mark.one_cpu
@pytest.mark.parametrize("samples", [1, 5, 63, 64, 65, 200])
@pytest.mark.parametrize("mode", MODES)
def test_short_streams(device, mode, samples):
    y = noise(samples, "f4")
    result = streamed(y, range(1, samples), n_fft=128, hop_length=30, pad_mode=mode)
    expected = expected_stft(y, 128, 30, mode=mode)
    assert result.shape == expected.shape
    assert error(result, expected) < 4e-7


@pytest.mark.one_cpu
def test_frames_come_as_soon_as_they_can(device):
    y = noise(1000, "f4")
    stream = pyclfft.StreamingSTFT(n_fft=64, hop_length=16)
    assert stream.latency == 31
    for number in range(40):
        block = stream.push(y[16 * number : 16 * number + 16])
        # Frame t is around sample 16 t and ends 32 samples later.
        assert block.shape == (33, 0 if number == 0 else 1)
    assert len(stream._held.samples[0]) <= 64  # all else is forgotten


@pytest.mark.one_cpu
@pytest.mark.parametrize(
    "n_fft", [128, *(pytest.param(each, marks=pytest.mark.full) for each in (1, 2, 9))]
)
@pytest.mark.parametrize("mode", MODES)
def test_the_first_frame_waits_only_for_samples_that_it_needs(device, mode, n_fft):
    y = noise(200, "f4")
    numbers = np.pad(np.arange(200), n_fft // 2, mode=mode)  # of the samples that frames read
    needed = numbers[:n_fft].max() + 1
    assert needed == (n_fft // 2 + 1 if n_fft % 2 or mode == "reflect" else n_fft // 2)
    options = {"n_fft": n_fft, "hop_length": 30, "pad_mode": mode}
    stream = pyclfft.StreamingSTFT(**options)
    parts = [stream.push(sample) for sample in np.split(y, 200)]
    assert [part.shape[1] for part in parts].index(1) == needed - 1
    result = np.concatenate([*parts, stream.close()], axis=1)
    np.testing.assert_allclose(result, pyclfft.stft(y, **options), atol=1e-5)
    assert error(result, expected_stft(y, n_fft, 30, mode=mode)) < 4e-7


@pytest.mark.one_cpu
def test_magnitudes_of_a_stream(device):
    y = noise(1000, "f4")
    result = streamed(y, (300, 700), n_fft=64, power=2)
    assert result.dtype == "f4"
    np.testing.assert_allclose(result, np.abs(expected_stft(y, 64)) ** 2, rtol=1e-4, atol=1e-5)


@pytest.mark.one_cpu
def test_double_precision_of_a_stream(device, fp64):
    y = noise(1000, "f8")
    assert error(streamed(y, (300,), n_fft=64, dtype="c16"), expected_stft(y, 64)) < 2e-15


@pytest.mark.one_cpu
def test_streams_that_make_no_sense(device):
    stream = pyclfft.StreamingSTFT(64)
    with pytest.raises(PlanError, match="has no samples"):
        stream.close()
    stream.push(np.ones((2, 10), "f4"))
    with pytest.raises(PlanError, match=r"blocks before had the shape \(2, 'samples'\)"):
        stream.push(np.ones(10, "f4"))
    with pytest.raises(PlanError, match="give it an axis"):
        stream.push(np.float32(1))
    with pytest.raises(PlanError, match="take its real part"):
        stream.push(np.ones((2, 10), "c8"))
    with pytest.raises(PlanError, match="a block has real numbers"):
        stream.push(np.array([["a", "b"]] * 2))
    with pytest.raises(PlanError, match=r"call \.get\(\) first"):
        stream.push(cl_array.to_device(pyclfft.default_queue(), np.ones((2, 10), "f4")))
    assert stream.close().shape == (2, 33, 1)
    fresh = pyclfft.StreamingSTFT(64)
    with pytest.raises(PlanError, match="a block has real numbers"):
        fresh.push(np.array([["a", "b"]]))
    assert fresh.push(np.ones(100, "f4")).shape[0] == 33  # the refused one has left nothing
    with pytest.raises(PlanError, match="the stream is closed"):
        stream.push(np.ones((2, 10), "f4"))
    for options in ({"dtype": "f4"}, {"power": -1}, {"n_fft": 0}, {"window": "hunn"}):
        with pytest.raises(PlanError):
            pyclfft.StreamingSTFT(**options)


@pytest.mark.one_cpu
@pytest.mark.parametrize("mode", MODES)
def test_pieces_take_no_more_samples_than_they_need(device, monkeypatch, mode):
    monkeypatch.setattr(streaming, "PIECE_BYTES", 20_000)
    stream = streaming.FrameStream(streaming.make_frames(128, 32, pad_mode=mode), "single")
    held = streaming.Held(np.zeros((1, 100_000), "f4"), 0, True)
    pieces = list(stream._pieces(held, slice(0, stream.frames.count(100_000))))
    assert [piece.frames.start for piece in pieces[1:]] == [p.frames.stop for p in pieces[:-1]]
    assert max(piece.samples.stop - piece.samples.start for piece in pieces) < 3_000


def test_pieces_in_order(device, memory_of_its_own, monkeypatch):
    """Every piece is uploaded, computed and downloaded once, whatever the others do."""
    monkeypatch.setattr(streaming, "PIECE_BYTES", 20_000)
    y = noise((2, 9000), "f4")
    recorder = Recorder()
    stream = pyclfft.StreamingSTFT(128, 32, recorder=recorder)
    result = np.concatenate([stream.push(y), stream.close()], axis=-1)
    assert error(result, expected_stft(y, 128, 32)) < 4e-7
    names = [each.name for each in recorder.times()]
    assert names.count("write") == names.count("read") >= 10


def test_a_fault_leaves_nothing_in_flight(device, memory_of_its_own):
    y = noise((1, 9000), "f4")
    stream = streaming.FrameStream(streaming.make_frames(128, 32), "single")
    result = np.zeros((1, 282, 65), "c8")

    def works():
        held = streaming.Held(y, 0, True)
        piece = next(stream._pieces(held, slice(0, 282)))
        yield Work(stream._executable(piece.framing), y[:, piece.samples], result[:, piece.frames])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stream._pipeline.run(works())
    stream.fill(streaming.Held(y, 0, True), slice(0, 282), result)
    assert error(result.swapaxes(1, 2), expected_stft(y, 128, 32)) < 4e-7
