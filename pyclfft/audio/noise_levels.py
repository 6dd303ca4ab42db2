"""The level of steady noise in every bin: of noise alone, or of noise under music.

Under music the level is found from the powers of all frames of neighbouring bins. Those of noise
are distributed exponentially, and those of music are above them. So the small powers are noise:
their mean tells the level of all noise, however few they are.
"""

from __future__ import annotations

from math import exp, log

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..planning.precision import REAL_DTYPE
from ..runtime.limit import max_device_bytes
from ..runtime.operation import new_array
from .on_device import launch, uploaded
from .sound_blocks import Signals, evenly, spectra_in_blocks

SOURCE = "audio/noise.cl"

# As in noise.cl: entries of a histogram, and the bits of a float below those of its entry.
ENTRIES, SHIFT = 1024, 21
FINITE = 1020  # the entries of finite powers
HISTOGRAM_BYTES = 2**26  # bytes of the histograms of the signals that are treated at once
HISTOGRAM_PART = 4  # histograms take at most this part of the memory that a call may have

AROUND = 24  # bins on each side whose powers tell the level of a bin
QUIET = 0.2  # the part of the powers that would be noise alone, for a first level
SMALL = 1.5  # powers that are small are at most so many times the level
ROUNDS = 40  # how often the level is refined
MEAN_OF_SMALL = 1 - SMALL / (exp(SMALL) - 1)  # beside the mean of all powers of noise


def given_levels(noise: Signals, points: int, hop: int, queue: cl.CommandQueue) -> np.ndarray:
    """Return the mean power of noise alone, by bins: float64, shape (signals, bins)."""
    shape = (noise.count, points // 2 + 1)
    sums, frames = np.zeros(shape), 0
    for spectra, count in spectra_in_blocks(noise, points, hop, queue):
        block = new_array(queue, None, shape, REAL_DTYPE[noise.precision])
        _launch("sumPowers", spectra, block, (shape[1],), count, noise, queue)
        sums += block.get()
        frames += count
    return sums / frames


def found_levels(signals: Signals, points: int, hop: int, queue: cl.CommandQueue) -> np.ndarray:
    """Return the power of the noise under music, by bins: float64, shape (signals, bins)."""
    bins = points // 2 + 1
    together = evenly(bins, max(1, _histograms_at_once() // signals.count))
    parts = [
        _counted(signals, first, min(together, bins - first), points, hop, queue)
        for first in range(0, bins, together)
    ]
    return np.stack([level_of(each) for each in np.concatenate(parts, axis=2)])


def _counted(
    signals: Signals, first: int, some: int, points: int, hop: int, queue: cl.CommandQueue
) -> np.ndarray:
    """Return the histograms of `some` bins, shape (signals, ENTRIES, some); read all signals."""
    histograms = uploaded(np.zeros((signals.count, ENTRIES, some), np.uint32), queue)
    for spectra, count in spectra_in_blocks(signals, points, hop, queue):
        _launch("countPowers", spectra, histograms, (some, first, some), count, signals, queue)
    return histograms.get()


def signals_at_once(points: int) -> int:
    """Return for how many signals there is room for the histograms of all bins, at least 1."""
    return max(1, _histograms_at_once() // (points // 2 + 1))


def _histograms_at_once() -> int:
    """Return for how many bins there is room for histograms."""
    limit = max_device_bytes()
    room = HISTOGRAM_BYTES if limit is None else min(HISTOGRAM_BYTES, limit // HISTOGRAM_PART)
    return room // (4 * ENTRIES)


def _launch(
    kernel: str,
    spectra: cl_array.Array,
    result: cl_array.Array,
    some: tuple[int, ...],
    count: int,
    signals: Signals,
    queue: cl.CommandQueue,
) -> None:
    """Launch a kernel for as many bins as `some` begins with; the rest of `some` it takes last."""
    _, frames, bins = spectra.shape
    launch(
        queue, kernel, SOURCE, (some[0], signals.count), spectra, result, frames, count, bins,
        *some[1:], precision=signals.precision,
    )  # fmt: skip


def level_of(histogram: np.ndarray) -> np.ndarray:
    """Return the mean power of noise in each bin.

    Parameters
    ----------
    histogram : ndarray of int, shape (ENTRIES, bins)
        How many powers each entry has. The lowest one, digital silence, does not count.

    Returns
    -------
    ndarray of float64, shape (bins,)
        0 in a bin around which all is silent.

    References
    ----------
    W. L. Deemer, D. F. Votaw, "Estimation of parameters of truncated or censored exponential
    distributions", Ann. Math. Statist. 26 (1955).
    """
    used = np.flatnonzero(histogram[1:FINITE].any(axis=1)) + 1
    if not len(used):
        return np.zeros(histogram.shape[1])
    entries = np.arange(used[0], used[-1] + 2)
    edges = (entries << SHIFT).astype(np.uint32).view(np.float32).astype(np.float64)
    edges[-1] = min(edges[-1], float(np.finfo(np.float32).max))
    near = _pooled(histogram[entries[:-1]])
    counts = _from_below(near)
    sums = _from_below(near * (edges[:-1] + edges[1:])[:, None] / 2)
    bins = np.arange(near.shape[1])

    def below(power: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return how many powers are below one of each bin, and their sum."""
        place = np.interp(power, edges, np.arange(len(edges)))
        entry = np.minimum(place.astype(int), len(near) - 1)
        part = place - entry
        return tuple(
            each[entry, bins] + part * (each[entry + 1, bins] - each[entry, bins])
            for each in (counts, sums)
        )

    entry = (counts[1:] < QUIET * counts[-1]).sum(axis=0)
    level = edges[entry + 1] / -log(1 - QUIET)
    for _ in range(ROUNDS):
        count, total = below(SMALL * level)
        level = np.where(count > 0, total / np.maximum(count, 1e-300) / MEAN_OF_SMALL, level)
    return np.where(counts[-1] > 0, level, 0)


def _pooled(counts: np.ndarray) -> np.ndarray:
    """Return the sums of the counts of neighbouring bins; bins are mirrored at the ends."""
    around = min(AROUND, counts.shape[1] - 1)
    padded = np.pad(counts.astype(np.float64), ((0, 0), (around, around)), mode="reflect")
    sums = _from_below(padded.T).T
    return sums[:, 2 * around + 1 :] - sums[:, : -2 * around - 1]


def _from_below(values: np.ndarray) -> np.ndarray:
    """Return the sums of the first 0, 1, 2 ... rows."""
    return np.concatenate([np.zeros((1, values.shape[1])), values.cumsum(axis=0)])
