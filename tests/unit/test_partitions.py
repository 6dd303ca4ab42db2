"""How impulse responses are cut and routed, and the lengths of the circular buffer."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from pyclfft import PlanError
from pyclfft.convolution.circular import ring_for
from pyclfft.convolution.loads import LoadMeter
from pyclfft.convolution.partitions import (
    MAX_STAGES,
    RATIOS,
    Stage,
    cheapest_stages,
    nonuniform,
    spectra_of,
    uniform,
)
from pyclfft.convolution.playback import to_int16
from pyclfft.convolution.responses import checked_ir, response_for, usual_inputs


@pytest.mark.parametrize("taps", [1, 255, 256, 257, 110400])
def test_uniform_partitions_cover_the_response(taps):
    (stage,) = uniform(taps, 256)
    assert stage.begin == 0
    assert stage.end - 256 < taps <= stage.end


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("count", range(2, MAX_STAGES + 1))
@pytest.mark.parametrize("taps", [1, 2047, 2048, 2049, 110400, 3_000_000])
def test_later_stages_begin_when_their_results_can_be_there(taps, ratio, count):
    """A long block takes its own length to come, and another one to be computed."""
    stages = nonuniform(taps, 256, ratio, count)
    assert len(stages) <= count
    assert stages[0].begin == 0
    for before, after in pairwise(stages):
        assert after.begin == before.end == 2 * after.block
        assert after.block == ratio * before.block
    assert stages[-1].end - stages[-1].block < taps <= stages[-1].end


def test_long_responses_have_several_stages_and_short_ones_one():
    assert len(cheapest_stages(300, 256, 2, 4)) == 1
    assert len(cheapest_stages(110400, 256, 2, 4)) > 1


def test_spectra_are_those_of_padded_partitions():
    taps = np.random.default_rng(1).random((2, 3, 50))
    spectra = spectra_of(taps, Stage(8, 16, 5), 16, np.dtype(np.complex128))
    assert spectra.shape == (5, 2, 3, 16)
    last = np.fft.rfft(taps[..., 48:], 16)
    np.testing.assert_allclose(spectra[4, ..., :9], last)
    np.testing.assert_allclose(spectra[1, ..., :9], np.fft.rfft(taps[..., 24:32], 16))
    assert not spectra[..., 9:].any()


# --- the circular buffer --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("taps", "chunk", "streams", "parts"),
    [(1, 4, 1, 2), (110250, 22528, 2, 5), (9, 4, 2, 3), (10, 4, 2, 4), (100, 7, 3, 7)],
)
def test_the_length_of_the_circular_buffer(taps, chunk, streams, parts):
    """The thesis' formula: b = ceil((IR + l + l - 1) / l) with l = n r."""
    ring = ring_for(taps, chunk, streams)
    assert ring.parts == parts
    assert ring.total == parts * streams * chunk


@pytest.mark.parametrize(("taps", "chunk", "streams"), [(1, 4, 1), (9, 4, 2), (100, 7, 3)])
def test_chunks_wrap_at_the_end_of_the_buffer_and_not_behind_it(taps, chunk, streams):
    """The thesis' drawing lets the index reach the buffer's size before it wraps: one too far."""
    ring = ring_for(taps, chunk, streams)
    chunks = ring.streams * ring.parts
    begins = [ring.begin(number) for number in range(2 * chunks + 1)]
    assert begins[:chunks] == list(range(0, ring.total, chunk))
    assert begins[chunks - 1] + chunk == ring.total
    assert begins[chunks : 2 * chunks] == begins[:chunks]


@pytest.mark.parametrize(("taps", "chunk", "streams"), [(1, 4, 1), (9, 4, 2), (100, 7, 3)])
def test_no_upload_overwrites_what_running_kernels_read(taps, chunk, streams):
    """While a stream uploads chunk j + n, the kernels of chunks j + 1 to j + n - 1 may run."""
    ring = ring_for(taps, chunk, streams)
    for j in range(3 * ring.parts * streams):
        written = {(ring.begin(j + streams) + i) % ring.total for i in range(chunk)}
        for running in range(j + 1, j + streams):
            begin = ring.begin(running)
            read = {(begin + i) % ring.total for i in range(1 - taps, chunk)}
            assert not written & read


# --- responses ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "inputs", "outputs", "terms", "diagonal"),
    [
        ((5,), 1, 1, 1, False), ((5,), 3, 3, 1, True), ((1, 5), 2, 2, 1, True),
        ((2, 5), 2, 2, 1, True), ((2, 5), 1, 2, 1, False), ((4, 5), 2, 2, 2, False),
        ((4, 5), 4, 4, 1, True), ((4, 5), 1, 4, 1, False), ((3, 2, 5), 2, 3, 2, False),
    ],
)  # fmt: skip
def test_responses_for_blocks(shape, inputs, outputs, terms, diagonal):
    ir = np.arange(np.prod(shape), dtype=float).reshape(shape)
    response = response_for(ir, inputs)
    routing = response.routing
    assert (routing.inputs, routing.outputs, routing.terms) == (inputs, outputs, terms)
    assert routing.diagonal == diagonal
    assert response.taps.shape == (outputs, terms, 5)


def test_true_stereo_goes_from_input_to_output():
    ll, lr, rl, rr = ir = np.eye(4)
    taps = response_for(ir, 2).taps
    np.testing.assert_array_equal(taps, [[ll, rl], [lr, rr]])


@pytest.mark.parametrize(("shape", "inputs"), [((5,), 1), ((3, 5), 3), ((4, 5), 2), ((3, 2, 5), 2)])
def test_the_usual_channels(shape, inputs):
    assert usual_inputs(np.ones(shape)) == inputs


@pytest.mark.parametrize(
    ("ir", "message"),
    [
        (np.ones(0), "empty"), (np.ones((2, 0)), "empty"), ([1.0, np.nan], "NaN or infinite"),
        ([np.inf], "NaN or infinite"), (np.ones(3) * 1j, "real numbers"), (1.0, "shape"),
        (np.ones((1, 1, 1, 1)), "shape"), (["a"], "real numbers"),
    ],
)  # fmt: skip
def test_bad_responses(ir, message):
    with pytest.raises(PlanError, match=message):
        checked_ir(ir)


@pytest.mark.parametrize(("shape", "inputs"), [((3, 5), 2), ((3, 2, 5), 3), ((4, 5), 3)])
def test_responses_that_do_not_fit(shape, inputs):
    with pytest.raises(PlanError, match="do not fit"):
        response_for(np.ones(shape), inputs)


# --- loads and playback ---------------------------------------------------------------------------


def test_loads():
    meter = LoadMeter(1000.0)
    assert meter.load == (0.0, 0.0)
    meter.add_work(0.001, 10)
    meter.add_work(0.006, 10)
    assert meter.load.mean == pytest.approx(0.35)
    assert meter.load.worst == pytest.approx(0.6)
    meter.add_push(0.0101, 10)
    meter.add_push(0.0099, 10)
    assert meter.missed == 1


def test_integers_for_sound_cards():
    frames = np.array([[0, 0.5, -1, 2], [1, -2, np.nan, 1e-9]], np.float32)
    expected = [[0, 32767], [16384, -32767], [-32767, 0], [32767, 0]]
    np.testing.assert_array_equal(to_int16(frames), expected)
    out = np.empty((4, 2), np.int16)
    assert to_int16(frames, out) is out
    np.testing.assert_array_equal(out, expected)
    assert to_int16(frames[0]).shape == (4, 1)
