"""Signals that are read stretch by stretch, so that work on long sounds needs bounded memory.

The signals are an array on the host or on the device, or a file. A stretch is always on the device,
and zeros stand where it reaches beyond the signals.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import log10
from typing import NamedTuple

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..planning.precision import COMPLEX_DTYPE
from ..runtime.limit import max_device_bytes
from .audiofile import AudioReader
from .on_device import launch, precision_of, result_like, uploaded
from .stft import stft

SOURCE = "audio/regions.cl"

BLOCK_BYTES = 2**25  # bytes of the spectra of a block: few for a device, many for a launch
ARRAYS = 8  # a block takes at most so many times the bytes of its spectra


@dataclass(frozen=True)
class Signals:
    """Signals of one length.

    Attributes
    ----------
    count, samples : int
        How many signals there are, and how many samples each has.
    dtype : dtype
        The dtype of the samples, float32 or float64.
    cut : callable
        Takes the number of a first sample, which may be negative, and a number of samples, and
        returns a new device array of the shape (count, samples).
    """

    count: int
    samples: int
    dtype: np.dtype
    cut: Callable[[int, int], cl_array.Array]

    @property
    def precision(self) -> str:
        """The precision of samples and spectra: "single" or "double"."""
        return "single" if self.dtype == np.float32 else "double"


@dataclass(frozen=True)
class Sound:
    """Channels of one length, which are treated some at a time.

    Attributes
    ----------
    count, samples : int
        How many channels there are, and how many samples each has.
    dtype : dtype
        The dtype of the samples, float32 or float64.
    some : callable
        Takes a slice of the channels, and returns them as `Signals`.
    """

    count: int
    samples: int
    dtype: np.dtype
    some: Callable[[slice], Signals]


class Block(NamedTuple):
    """Samples `first` to `first + length` of results: those from `offset` on of a stretch."""

    first: int
    length: int
    offset: int
    stretch: cl_array.Array

    def get(self) -> np.ndarray:
        """Return the samples on the host, shape (signals, length)."""
        return self.stretch.get()[:, self.offset : self.offset + self.length]

    def paste(self, target: cl_array.Array, row: int, queue: cl.CommandQueue) -> None:
        """Copy the samples to signals on the device, from number `row` on."""
        count, length = self.stretch.shape
        samples = target.shape[1]
        sizes = (samples, row * samples + self.first, length, self.offset, self.length)
        launch(
            queue, "pasteStretch", SOURCE, (self.length, count), target, self.stretch,
            *map(np.uint64, sizes), precision=precision_of(target),
        )  # fmt: skip


# --- what passes by -------------------------------------------------------------------------------


@dataclass
class Tally:
    """What is known of a sound when all of its blocks have passed by."""

    samples: int = 0
    energy: float = 0.0
    peak: float = 0.0

    @classmethod
    def of(cls, blocks: Iterable[np.ndarray]) -> Tally:
        """Return the tally of blocks, of which nothing else is kept."""
        result = cls()
        deque(result.watched(blocks), maxlen=0)
        return result

    def watched(self, blocks: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
        """Yield blocks of the shape (channels, samples), and count them."""
        for block in blocks:
            self.samples += block.shape[1]
            self.energy += float(np.square(block, dtype=np.float64).mean(axis=0).sum())
            self.peak = max(self.peak, float(np.abs(block).max()))
            yield block

    @property
    def level(self) -> float:
        """The level of all samples in decibels."""
        return 10 * log10(self.energy / self.samples + 1e-30)


# --- where signals are ----------------------------------------------------------------------------


def sound_of(rows: np.ndarray | cl_array.Array, queue: cl.CommandQueue) -> Sound:
    """Return the sound that is an array of the shape (channels, samples)."""
    count, samples = rows.shape

    def some(group: slice) -> Signals:
        chosen = rows[group]
        if isinstance(chosen, cl_array.Array):
            return _on_device(uploaded(chosen, queue), queue)
        return _fetched(len(chosen), samples, rows.dtype, queue, lambda part: chosen[:, part])

    return Sound(count, samples, rows.dtype, some)


def _on_device(rows: cl_array.Array, queue: cl.CommandQueue) -> Signals:
    """Return the signals of a device array whose elements lie one behind the other in C order."""
    count, samples = rows.shape

    def cut(first: int, length: int) -> cl_array.Array:
        stretch = result_like(rows, queue, (count, length), rows.dtype)
        sizes = np.uint64(samples), np.uint64(samples), np.int64(first), np.uint64(length)
        launch(
            queue, "cutStretch", SOURCE, (length, count), rows, stretch, *sizes,
            precision=precision_of(rows),
        )  # fmt: skip
        return stretch

    return Signals(count, samples, rows.dtype, cut)


def sound_of_file(
    audio: AudioReader, samples: int, queue: cl.CommandQueue, first: int = 0
) -> Sound:
    """Return the channels of an open file, `samples` samples of each from number `first` on."""
    sr, channels, dtype = audio.info.sr, audio.info.channels, np.dtype(np.float32)

    def fetch(part: slice) -> np.ndarray:
        begin, count = first + part.start, part.stop - part.start
        blocks = audio.blocks(count, start=begin / sr, duration=count / sr)
        return np.concatenate(list(blocks), axis=1)

    def some(group: slice) -> Signals:
        count = len(range(channels)[group])
        return _fetched(count, samples, dtype, queue, lambda part: fetch(part)[group])

    return Sound(channels, samples, dtype, some)


def _fetched(
    count: int,
    samples: int,
    dtype: np.dtype,
    queue: cl.CommandQueue,
    fetch: Callable[[slice], np.ndarray],
) -> Signals:
    """Return signals of which a function returns samples on the host, shape (count, ...)."""

    def cut(first: int, length: int) -> cl_array.Array:
        block = np.zeros((count, length), dtype)
        inside = slice(max(0, first), min(samples, first + length))
        if inside.start < inside.stop:
            block[:, inside.start - first : inside.stop - first] = fetch(inside)
        return uploaded(block, queue)

    return Signals(count, samples, dtype, cut)


# --- blocks ---------------------------------------------------------------------------------------


def evenly(total: int, most: int) -> int:
    """Return the length of equal blocks, `most` at most, as few as can hold a total."""
    return -(-total // -(-total // most))


def bytes_of_a_block() -> int:
    """Return how many bytes the spectra of a block may have."""
    limit = max_device_bytes()
    return BLOCK_BYTES if limit is None else min(BLOCK_BYTES, limit // ARRAYS)


def frames_of_a_block(signals: Signals, points: int) -> int:
    """Return how many frames of so many points a block may have."""
    item = COMPLEX_DTYPE[signals.precision].itemsize
    return max(1, bytes_of_a_block() // (signals.count * (points // 2 + 1) * item))


def spectra_of(
    stretch: cl_array.Array, points: int, hop: int, queue: cl.CommandQueue, window: str = "hann"
) -> cl_array.Array:
    """Return the spectra of all frames within a stretch, shape (signals, frames, bins)."""
    count, samples = stretch.shape
    shape = (count, (samples - points) // hop + 1, points // 2 + 1)
    spectra = result_like(stretch, queue, shape, COMPLEX_DTYPE[precision_of(stretch)])
    turned = spectra.transpose((0, 2, 1))
    stft(stretch, points, hop, window=window, center=False, out=turned, queue=queue)
    return spectra


def spectra_in_blocks(
    signals: Signals, points: int, hop: int, queue: cl.CommandQueue, window: str = "hann"
) -> Iterator[tuple[cl_array.Array, int]]:
    """Yield the spectra of all frames within signals, block by block.

    Parameters
    ----------
    signals : Signals
        The signals.
    points, hop : int
        The points of a frame, and the samples from one frame to the next. Frame t begins at sample
        ``t * hop``. Signals that are shorter than a frame have one.
    queue : cl.CommandQueue
        The queue to run on.
    window : str
        The window.

    Yields
    ------
    pyopencl.array.Array, shape (signals, frames, bins)
        The spectra of the next frames. All blocks have one shape, so that they share a plan.
    int
        How many of these frames there are; the others, in the last block, count for nothing.
    """
    total = max(0, signals.samples - points) // hop + 1
    together = evenly(total, frames_of_a_block(signals, points))
    for first in range(0, total, together):
        stretch = signals.cut(first * hop, (together - 1) * hop + points)
        yield spectra_of(stretch, points, hop, queue, window), min(together, total - first)
