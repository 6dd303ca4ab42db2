"""Onsets: where sounds begin."""

from __future__ import annotations

from functools import lru_cache
from math import ceil, log2
from typing import Any

import numpy as np
import pyopencl as cl

from ..errors import PlanError
from ..planning.problem import choose
from .magnitude_spectrogram import (
    ONSET_SECONDS,
    MagnitudeSpectrogram,
    frame_points,
    magnitudes_of,
    number,
)

UNITS = ("frames", "samples", "time")

BANDS_PER_OCTAVE = 24
LOWEST_BAND, HIGHEST_BAND = 30.0, 17000.0  # Hz
COMPRESSION = 300.0  # the greatest magnitude m after scaling, when log10(1 + m) is taken
NEAR = 0.05  # seconds before and after an onset in which no frame rises more
SLOW = 0.3  # the part of the steepest rise above which earlier frames belong to its onset
USUAL_FRAMES = 400  # about how many frames tell which level is usual
BEFORE, AFTER = 0.15, 0.1  # a frame's rise is compared with the mean of so many seconds around it


def onsets(
    y: Any = None,
    sr: float = 22050,
    *,
    S: Any = None,  # noqa: N803  librosa's name
    n_fft: int | None = None,
    hop_length: int = 512,
    delta: float = 0.015,
    wait: float = 0.05,
    backtrack: bool = False,
    units: str = "frames",
    queue: cl.CommandQueue | None = None,
) -> np.ndarray:
    """Find where sounds begin.

    Parameters
    ----------
    y : array_like or pyopencl.array.Array, shape (samples,), optional
        A signal. An array of two dimensions is taken as `S`.
    sr : float
        Samples a second.
    S : array_like or pyopencl.array.Array, shape (1 + n_fft // 2, frames), optional
        Magnitudes of centred frames, in the place of a signal.
    n_fft : int, optional
        Points of a frame. The default is the power of two next to 93 ms, 2048 at 22050 Hz.
    hop_length : int
        Samples from one frame to the next.
    delta : float
        By how much the rise of a frame has to exceed the mean rise around it; a greater number
        gives fewer onsets. The rise is the growth of log10(1 + 300 magnitude) since earlier frames,
        on average over bands of a quarter tone. The greatest magnitude counts as 1.
    wait : float
        The least number of seconds from one onset to the next.
    backtrack : bool
        Go back from each onset to where the rise begins, which is the best place to cut.
    units : {"frames", "samples", "time"}
        The unit of the result. In samples and in seconds ("time") onsets also lie between frames.
    queue : cl.CommandQueue, optional
        The queue to run on. The default is the queue of a device array, or the default queue.

    Returns
    -------
    ndarray of int or float, shape (onsets,)
        The onsets in ascending order. If the first frame holds sound, it is an onset, too.

    Raises
    ------
    PlanError
        A ValueError: an option or the shape of the signal makes no sense, or the signal holds NaN
        or infinity.
    DeviceError, DeviceMemoryError
        As `stft` raises them.

    See Also
    --------
    notes : Onsets with their pitches.

    Notes
    -----
    Onsets are peaks of the spectral flux: how much the logarithms of the magnitudes have grown, in
    bands of a quarter tone. A band is compared with the greatest of itself and its two neighbours
    some frames before, so that vibrato is no onset.

    References
    ----------
    S. Böck, G. Widmer, "Maximum filter vibrato suppression for onset detection", Proc. DAFx (2013).

    Examples
    --------
    >>> import numpy as np
    >>> import pyclfft
    >>> t = np.arange(22050) / 22050
    >>> y = np.sin(2 * np.pi * 440 * t) * np.exp(-5 * t)
    >>> y = np.concatenate([0 * t[:11025], y, y])
    >>> pyclfft.onsets(y, units="time").round(1).tolist()
    [0.5, 1.5]
    """
    choose("units", units, UNITS)
    n_fft = frame_points(number("sr", sr), ONSET_SECONDS) if n_fft is None else n_fft
    magnitudes = magnitudes_of(y, S, sr, n_fft, hop_length, queue)
    found = find_onsets(magnitudes, number("delta", delta), number("wait", wait, -1), backtrack)
    samples = found * magnitudes.hop
    if units == "frames":
        return np.unique(np.rint(found).astype(int))
    return np.rint(samples).astype(int) if units == "samples" else samples / magnitudes.sr


def find_onsets(
    magnitudes: MagnitudeSpectrogram,
    delta: float = 0.015,
    wait: float = 0.05,
    backtrack: bool = False,
) -> np.ndarray:
    """Return where sounds begin, in fractions of frames; the parameters are those of `onsets`."""
    rise = spectral_rise(magnitudes)
    peaks = _pick_peaks(rise, delta, wait, magnitudes.rate)
    if backtrack:
        return np.unique(_begin_of_rise(rise, peaks)).astype(float)
    exact = peaks + _vertex(rise, peaks) - _slowness(rise, peaks, 2 * magnitudes.lag) / 2
    # A window has risen to half its height a quarter of a frame before its middle, and logarithms
    # show the first half of that: onsets are behind the steepest rise.
    shift = magnitudes.n_fft / 8 / magnitudes.hop
    return np.unique(np.where(peaks > 0, np.clip(exact + shift, 0, max(0, len(rise) - 1)), 0.0))


def spectral_rise(magnitudes: MagnitudeSpectrogram) -> np.ndarray:
    """Return how much louder each frame is than earlier ones, on average over all bands.

    Parameters
    ----------
    magnitudes : MagnitudeSpectrogram
        The magnitudes of a signal.

    Returns
    -------
    ndarray of float32, shape (frames,)
    """
    values, greatest = magnitudes.values, magnitudes.greatest
    if not greatest:
        return np.zeros(len(values), np.float32)
    bands = values @ (band_weights(magnitudes.sr, magnitudes.n_fft) * (COMPRESSION / greatest))
    levels = np.log10(1 + bands)
    before = np.roll(levels, magnitudes.lag, axis=0)
    # The first frames have no whole frame before them. Sound there has to be louder than the usual
    # level of the signal.
    half = ceil(magnitudes.n_fft / 2 / magnitudes.hop)
    first = magnitudes.lag + half
    usual = np.median(levels[:: max(1, len(levels) // USUAL_FRAMES)], axis=0)
    before[: magnitudes.lag] = usual
    before[:first] = np.maximum(before[:first], usual)
    before = np.pad(before, ((0, 0), (1, 1)))
    highest = np.maximum(np.maximum(before[:, :-2], before[:, 1:-1]), before[:, 2:])
    rise = np.maximum(levels - highest, 0).mean(axis=1)
    rise[max(first, len(rise) - half) :] = 0  # the end of the signal, which sounds like a click
    return rise


@lru_cache(maxsize=16)
def band_weights(sr: float, n_fft: int) -> np.ndarray:
    """Return triangular weights of bins, a quarter tone apart, but at least a bin.

    Parameters
    ----------
    sr : float
        Samples a second.
    n_fft : int
        Points of a frame.

    Returns
    -------
    ndarray of float32, shape (bins, bands)
        The weights of a band sum up to 1.
    """
    octaves = log2(max(2.0, min(HIGHEST_BAND, sr / 2) / LOWEST_BAND))
    steps = np.arange(ceil(octaves * BANDS_PER_OCTAVE)) / BANDS_PER_OCTAVE
    edges = np.unique(np.rint(LOWEST_BAND * 2**steps * n_fft / sr))
    edges = edges[(edges > 0) & (edges <= n_fft // 2)]
    if len(edges) < 3:
        raise PlanError(f"n_fft = {n_fft} has too few bins for sr = {sr:g}: choose a larger one")
    low, middle, high = edges[:-2], edges[1:-1], edges[2:]
    bins = np.arange(n_fft // 2 + 1)[:, None]
    weights = np.minimum((bins - low) / (middle - low), (high - bins) / (high - middle)).clip(0)
    return (weights / weights.sum(axis=0)).astype(np.float32)


def _pick_peaks(rise: np.ndarray, delta: float, wait: float, rate: float) -> np.ndarray:
    """Return the frames that rise most of all near them, and by `delta` more than the mean."""
    if not len(rise):
        return np.zeros(0, int)
    near = max(1, round(NEAR * rate))
    highest = _sliding(rise, near, near, 0).max(axis=1)
    usual = _sliding(rise, ceil(BEFORE * rate), ceil(AFTER * rate), 0).mean(axis=1)
    usual = np.maximum(usual, np.median(rise))  # zeros beyond both ends have lowered the means
    chosen: list[int] = []
    for frame in np.flatnonzero((rise >= highest) & (rise >= usual + delta)).tolist():
        if not chosen or frame - chosen[-1] > max(1, wait * rate):
            chosen.append(frame)
    return np.array(chosen, int)


def _sliding(values: np.ndarray, before: int, after: int, outside: float) -> np.ndarray:
    """Return the neighbours of each value; beyond both ends they are `outside`."""
    padded = np.pad(values, (before, after), constant_values=outside)
    return np.lib.stride_tricks.sliding_window_view(padded, before + after + 1)


def _begin_of_rise(rise: np.ndarray, peaks: np.ndarray) -> np.ndarray:
    """Return the last frame before each peak that rises less than both its neighbours."""
    inner = (rise[1:-1] <= rise[:-2]) & (rise[1:-1] < rise[2:])
    lowest = np.concatenate([[0], 1 + np.flatnonzero(inner)])
    return lowest[np.searchsorted(lowest, peaks, side="right") - 1]


def _slowness(rise: np.ndarray, peaks: np.ndarray, most: int) -> np.ndarray:
    """Return how many frames before each peak its rise begins."""
    steps = np.zeros(len(peaks), int)
    for back in range(1, most + 1):
        earlier = rise[np.maximum(peaks - back, 0)]
        steps += (steps == back - 1) & (earlier > SLOW * rise[peaks]) & (peaks > back)
    return steps


def _vertex(values: np.ndarray, peaks: np.ndarray) -> np.ndarray:
    """Return how far behind each peak the vertex of a parabola through three values is."""
    padded = np.pad(values, 1, mode="edge").astype(float)
    left, middle, right = (padded[peaks + i] for i in range(3))
    bend = 2 * middle - left - right
    return np.divide(right - left, 2 * bend, out=np.zeros(len(peaks)), where=bend > 0).clip(
        -0.5, 0.5
    )
