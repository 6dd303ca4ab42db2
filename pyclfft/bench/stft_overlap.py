"""How far a stream's uploads, kernels and downloads overlap, for ``bench stft``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyopencl as cl

from ..audio.framing import make_frames
from ..audio.streaming import FrameStream, Held
from ..runtime import memory
from ..runtime.profile import Recorder
from .stft_launches import HOP, N_FFT, RATE

STREAMED_S = 1200  # seconds of sound in the stream


@dataclass(frozen=True)
class Overlap:
    """What two queues do at the same time, by the events of a stream.

    Attributes
    ----------
    seconds : float
        Seconds of sound in the stream.
    busy_ms : dict of str to float
        Milliseconds in which at least one "upload", "compute" or "download" was in progress.
    any_ms : float
        Milliseconds in which any of the three was in progress.
    span_ms : float
        Milliseconds from the first event's start to the last one's end. At times in between only
        the host works: it copies.
    """

    seconds: float
    busy_ms: dict[str, float]
    any_ms: float
    span_ms: float

    @property
    def hidden(self) -> float:
        """Overlapped part: 1 minus `any_ms` divided by the sum of `busy_ms`."""
        return 1 - self.any_ms / sum(self.busy_ms.values())


def measure_overlap(queue: cl.CommandQueue, seconds: float = STREAMED_S) -> Overlap:
    """Stream a long signal through the device, and compare the events of all its pieces."""
    y = np.random.default_rng(0).uniform(-1, 1, (1, int(seconds * RATE))).astype(np.float32)
    frames = make_frames(N_FFT, HOP)
    count = frames.count(y.shape[1])
    result = memory.empty((1, count, N_FFT // 2 + 1), np.dtype(np.complex64))
    recorder = Recorder()
    stream = FrameStream(frames, "single", context=queue.context, recorder=recorder)
    for _ in range(2):  # the first round allocates memory
        recorder.events.clear()
        stream.fill(Held(y, 0, True), slice(0, count), result)
    return overlap_of(
        seconds,
        [(name, each.profile.start, each.profile.end) for name, _, _, each in recorder.events],
    )


def overlap_of(seconds: float, intervals: Sequence[tuple[str, int, int]]) -> Overlap:
    """Return how far intervals of time overlap.

    Parameters
    ----------
    seconds : float
        Seconds of sound in the stream.
    intervals : sequence of (str, int, int)
        What was done ("write", "read" or a kernel's name), and its start and end in nanoseconds.

    Returns
    -------
    Overlap
        The times of uploads, kernels and downloads, alone and together.
    """
    kinds = {"write": "upload", "read": "download"}
    groups: dict[str, list[tuple[int, int]]] = {}
    for name, start, end in intervals:
        groups.setdefault(kinds.get(name, "compute"), []).append((start, end))
    everything = [each for group in groups.values() for each in group]
    span = max(end for _, end in everything) - min(start for start, _ in everything)
    busy = {name: _union(each) / 1e6 for name, each in groups.items()}
    return Overlap(seconds, busy, _union(everything) / 1e6, span / 1e6)


def _union(intervals: Iterable[tuple[int, int]]) -> int:
    """Return the length of the union of all intervals."""
    total, reached = 0, -1
    for start, end in sorted(intervals):
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total
