"""The ladder of direct convolution, offline and in real time, beside double precision."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pyopencl as cl
import pytest

import pyclfft
from pyclfft.convolution.circular import ring_for
from pyclfft.convolution.ladder import (
    OFFLINE,
    REAL_TIME,
    STREAMS,
    has_textures,
    ladder,
    require_textures,
    rung_of,
    without_textures,
)
from tests.oracle import relative_error

BOUND = 1e-6  # PERFORMANCE.md's
# Frames of the sound and of the impulse response: also a response longer than the sound, one tap,
# and lengths below, at and above a tile of 64.
LENGTHS = [(1000, 300), (300, 1000), (64, 64), (500, 1), (1, 65), (130, 63)]


def stereo(frames, seed):
    return np.random.default_rng(seed).uniform(-0.5, 0.5, (frames, 2)).astype(np.float32)


def expected_of(dry, ir):
    return np.stack([np.convolve(dry[:, c].astype("f8"), ir[:, c].astype("f8")) for c in (0, 1)], 1)


@pytest.fixture
def fitting(queue):
    """Return the rung as the device can do it; require a clear refusal of what it cannot do."""

    def fit(rung, rungs, chunk):
        if not rung.textures or has_textures(queue.context):
            return rung
        with pytest.raises(pyclfft.PlanError, match="no image1d_buffer_t"):
            ladder(queue.context, rung, stereo(9, 0), stereo(3, 1), chunk)
        return without_textures(rungs)[rungs.index(rung)]

    return fit


@pytest.mark.parametrize("rung", OFFLINE, ids=lambda rung: rung.name)
def test_offline(queue, fitting, rung):
    rung = fitting(rung, OFFLINE, None)
    if rung.textures and not has_textures(queue.context):
        return  # it has been refused
    for frames, taps in LENGTHS:
        dry, ir = stereo(frames, 0), stereo(taps, 1)
        result = ladder(queue.context, rung, dry, ir, group=64).run(queue)
        assert result.shape == (frames + taps - 1, 2)
        assert relative_error(result, expected_of(dry, ir)) <= BOUND


@pytest.mark.parametrize("rung", REAL_TIME, ids=lambda rung: rung.name)
def test_in_real_time(queue, fitting, rung):
    rung = fitting(rung, REAL_TIME, 256)
    if rung.textures and not has_textures(queue.context):
        return
    for frames, taps in LENGTHS:
        dry, ir = stereo(frames, 0), stereo(taps, 1)
        result = ladder(queue.context, rung, dry, ir, chunk=128, group=64).run(queue)
        expected = expected_of(dry, ir)
        assert relative_error(result[: len(expected)], expected) <= BOUND
        assert not result[len(expected) :].any()


def test_the_circular_buffer_holds_a_whole_number_of_chunks():
    """b l frames, where l is the chunks of all streams and b = ceil((IR + l + l - 1) / l)."""
    assert ring_for(110250, 22528, STREAMS).total == 45056 * 5
    assert ring_for(1, 64, STREAMS).total == 128 * 2


@pytest.mark.parametrize(
    ("support", "most", "message"),
    [(False, 0, "no image1d_buffer_t"), (True, 65536, "65,536 frames at most, not 65,537")],
    ids=["no images", "too long"],
)
def test_textures_that_a_device_lacks(queue, support, most, message):
    """Another device in the place of the context's own, whose driver still answers for formats."""
    device = SimpleNamespace(name="A", image_support=support, image_max_buffer_size=most)
    formats = has_textures(queue.context)
    context = SimpleNamespace(devices=[device], context=queue.context)
    if support and not formats:
        message = "no image1d_buffer_t"
    with pytest.MonkeyPatch.context() as patch:
        asked = cl.get_supported_image_formats
        patch.setattr(cl, "get_supported_image_formats", lambda it, *more: asked(it.context, *more))
        with pytest.raises(pyclfft.PlanError, match=message):
            require_textures(context, 65537)


def test_what_the_ladder_refuses(queue):
    dry, ir = stereo(10, 0), stereo(3, 1)
    with pytest.raises(pyclfft.PlanError, match="plain, texture, local, both"):
        rung_of("faster", OFFLINE)
    with pytest.raises(pyclfft.PlanError, match="stereo"):
        ladder(queue.context, OFFLINE[0], dry[:, 0], ir)
    with pytest.raises(pyclfft.PlanError, match="multiple of the group's 256"):
        ladder(queue.context, REAL_TIME[0], dry, ir, chunk=100)
