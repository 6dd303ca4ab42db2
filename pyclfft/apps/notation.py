"""From sound to notes: onsets, chroma, and notes with pitch, time and strength.

Magnitudes come from the device, by `spectrogram`; what follows looks at some thousands of frames
and runs in NumPy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import pairwise
from math import ceil, log2
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..errors import PlanError
from ..planning.problem import choose
from .shorttime import positive, spectrogram
from .units import hz_to_midi, midi_to_note

UNITS = ("frames", "samples", "time")

ONSET_SECONDS = 0.0929  # of a frame in which onsets are sought: 2048 samples at 22050 Hz
NOTHING = 1e-30  # magnitudes that are silence: their inverse is no float32
PITCH_SECONDS = 0.1858  # of a frame in which pitches are told apart

# --- magnitudes -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Magnitudes:
    """A magnitude spectrogram, checked.

    Attributes
    ----------
    values : ndarray of float32, shape (frames, bins)
        Frame by frame.
    sr : float
        Samples a second.
    n_fft, hop : int
        Points of a frame, and samples from one to the next.
    greatest : float
        Of all magnitudes; 0 for no frames.
    """

    values: np.ndarray
    sr: float
    n_fft: int
    hop: int
    greatest: float

    @property
    def lag(self) -> int:
        """Frames in which a window rises from half its height to all of it."""
        return max(1, round(self.n_fft / 4 / self.hop))

    @property
    def rate(self) -> float:
        """Frames a second."""
        return self.sr / self.hop


def frame_points(sr: float, seconds: float) -> int:
    """Return the power of two that is closest to so many seconds."""
    return 2 ** max(4, round(log2(sr * seconds)))


def magnitudes_of(
    y: Any,
    S: Any,  # noqa: N803  librosa's name
    sr: float,
    n_fft: int,
    hop: int,
    queue: cl.CommandQueue | None = None,
) -> Magnitudes:
    """Return the magnitudes of a signal, or those that a caller has.

    Parameters
    ----------
    y : array_like or pyopencl.array.Array, shape (samples,), or None
        A signal. Of two dimensions, it is taken as `S`.
    S : array_like or pyopencl.array.Array, shape (bins, frames), or None
        Magnitudes.
    sr : float
        Samples a second.
    n_fft, hop : int
        How the signal is framed; with `S`, its bins tell `n_fft`.
    queue : cl.CommandQueue, optional
        Where to run.

    Returns
    -------
    Magnitudes

    Raises
    ------
    PlanError
        Neither or both are given, or what is given makes no sense.
    """
    sr = _number("sr", sr)
    hop = positive("hop_length", hop)
    if (y is None) == (S is None):
        raise PlanError("give either a signal y or a magnitude spectrogram S")
    given = y if S is None else S
    given = given if isinstance(given, cl_array.Array) else np.asarray(given)
    if S is not None or given.ndim == 2:
        values = _spectrogram_values(given)
        return Magnitudes(values, sr, 2 * (values.shape[1] - 1), hop, _greatest(values))
    return signal_magnitudes(given, sr, positive("n_fft", n_fft), hop, queue)


def signal_magnitudes(
    y: Any, sr: float, n_fft: int, hop: int, queue: cl.CommandQueue | None = None
) -> Magnitudes:
    """Return the magnitudes of a signal; parameters and errors as of `magnitudes_of`."""
    if y.ndim != 1:
        raise PlanError(f"the signal has the shape {y.shape}, not (samples,): mix its channels")
    if y.dtype.kind not in "iuf":
        raise PlanError(f"the signal is of {y.dtype}: give real numbers")
    if 0 < y.shape[0] < n_fft:  # which a transform would warn of
        y = y.get() if isinstance(y, cl_array.Array) else y
        y = np.pad(y, (0, n_fft - len(y)))
    found = spectrogram(y, n_fft, hop, dtype=np.float32, queue=queue)
    values = found.get() if isinstance(found, cl_array.Array) else found
    if y.dtype.kind in "iu":
        values = values / np.float32(np.iinfo(y.dtype).max)
    return Magnitudes(values.T, sr, n_fft, hop, _greatest(values))


def _spectrogram_values(given: Any) -> np.ndarray:
    values = given.get() if isinstance(given, cl_array.Array) else given
    if values.ndim != 2:
        raise PlanError(f"a spectrogram has the shape (bins, frames), not {values.shape}")
    if values.dtype.kind not in "iuf":
        raise PlanError(f"the spectrogram is of {values.dtype}: give magnitudes, abs(S)")
    bins, frames = values.shape
    if bins < 9 or (frames <= 2 and bins > 2**15):
        raise PlanError(
            f"the shape {values.shape} looks like samples of several channels: "
            "mix them, for example by y.mean(axis=0)"
        )
    if values.min(initial=0) < 0:
        raise PlanError("the spectrogram has negative numbers: give magnitudes, not decibels")
    return values.T.astype(np.float32, copy=False)


def _greatest(values: np.ndarray) -> float:
    greatest = float(values.max(initial=0))
    if not np.isfinite(greatest):  # as a NaN anywhere makes it
        raise PlanError(
            "the signal holds NaN, infinity or numbers too large to be squared: change them"
        )
    return greatest if greatest > NOTHING else 0.0


def _number(name: str, value: Any, least: float = 0.0) -> float:
    """Return a finite number above the least one, or raise a PlanError that names it."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not least < number < float("inf"):
        raise PlanError(f"{name} must be a number above {least:g}, not {value!r}")
    return number


# --- onsets ---------------------------------------------------------------------------------------

BANDS_PER_OCTAVE = 24
LOWEST_BAND, HIGHEST_BAND = 30.0, 17000.0  # Hz
COMPRESSION = 300.0  # the greatest magnitude before 1 is added and the logarithm taken
NEAR = 0.05  # seconds around an onset in which nothing rises more
SLOW = 0.3  # of the steepest rise, down to which frames before it are of the same onset
USUAL_FRAMES = 400  # that tell what is usual
BEFORE, AFTER = 0.15, 0.1  # seconds over which the rise is compared with its mean


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
        Magnitudes, of centred frames, in the place of a signal.
    n_fft : int, optional
        Points of a frame; by default the power of two next to 93 ms, 2048 at 22050 Hz.
    hop_length : int
        Samples from one frame to the next.
    delta : float
        How far the rise of a frame has to stand above the mean rise around it: fewer onsets with a
        greater number. A rise is the mean over quarter tones of log10(1 + 300 magnitude), the
        greatest magnitude being 1.
    wait : float
        Least seconds from one onset to the next.
    backtrack : bool
        Go back from each onset to where the rise begins, as is best for cutting.
    units : {"frames", "samples", "time"}
        What is counted; samples and seconds are found between frames.
    queue : cl.CommandQueue, optional
        Where to run; the queue of a device array, or the default queue.

    Returns
    -------
    ndarray of int or float, shape (onsets,)
        In ascending order. Sound in the first frame is an onset too.

    Raises
    ------
    PlanError
        A ValueError: what is given makes no sense, or holds NaN or infinity.
    DeviceError, DeviceMemoryError
        As `stft`.

    Notes
    -----
    The spectral flux of bands of a quarter tone with logarithmic magnitudes; each is compared with
    the greatest of three neighbours one frame before, so that vibrato is no onset.

    References
    ----------
    S. Böck, G. Widmer, "Maximum filter vibrato suppression for onset detection", Proc. DAFx (2013).

    Examples
    --------
    >>> import numpy as np
    >>> from pyclfft.apps.notation import onsets
    >>> t = np.arange(22050) / 22050
    >>> y = np.sin(2 * np.pi * 440 * t) * np.exp(-5 * t)
    >>> y = np.concatenate([0 * t[:11025], y, y])
    >>> onsets(y, units="time").round(1).tolist()
    [0.5, 1.5]
    """
    choose("units", units, UNITS)
    n_fft = frame_points(_number("sr", sr), ONSET_SECONDS) if n_fft is None else n_fft
    magnitudes = magnitudes_of(y, S, sr, n_fft, hop_length, queue)
    found = find_onsets(magnitudes, _number("delta", delta), _number("wait", wait, -1), backtrack)
    samples = found * magnitudes.hop
    if units == "frames":
        return np.unique(np.rint(found).astype(int))
    return np.rint(samples).astype(int) if units == "samples" else samples / magnitudes.sr


def find_onsets(
    magnitudes: Magnitudes, delta: float = 0.015, wait: float = 0.05, backtrack: bool = False
) -> np.ndarray:
    """Return where sounds begin, in frames and their fractions; parameters as of `onsets`."""
    rise = spectral_rise(magnitudes)
    peaks = _pick_peaks(rise, delta, wait, magnitudes.rate)
    if backtrack:
        return np.unique(_begin_of_rise(rise, peaks)).astype(float)
    exact = peaks + _vertex(rise, peaks) - _slowness(rise, peaks, 2 * magnitudes.lag) / 2
    # A window has risen to half its height a quarter of a frame before its middle, and logarithms
    # show the first half of that: onsets are behind the steepest rise.
    shift = magnitudes.n_fft / 8 / magnitudes.hop
    return np.unique(np.where(peaks > 0, np.clip(exact + shift, 0, max(0, len(rise) - 1)), 0.0))


def spectral_rise(magnitudes: Magnitudes) -> np.ndarray:
    """Return how much louder frames are than those before, in the mean of all bands.

    Parameters
    ----------
    magnitudes : Magnitudes
        Of a signal.

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
    # Frames at the beginning have nothing, or only a part of a frame, before them: there, a sound
    # has to be louder than what is usual in the signal.
    half = ceil(magnitudes.n_fft / 2 / magnitudes.hop)
    first = magnitudes.lag + half
    usual = np.median(levels[:: max(1, len(levels) // USUAL_FRAMES)], axis=0)
    before[: magnitudes.lag] = usual
    before[:first] = np.maximum(before[:first], usual)
    before = np.pad(before, ((0, 0), (1, 1)))
    highest = np.maximum(np.maximum(before[:, :-2], before[:, 1:-1]), before[:, 2:])
    rise = np.maximum(levels - highest, 0).mean(axis=1)
    rise[max(first, len(rise) - half) :] = 0  # where the end of the signal is heard as a click
    return rise


@lru_cache(maxsize=16)
def band_weights(sr: float, n_fft: int) -> np.ndarray:
    """Return triangles over the bins, a quarter tone apart, or a bin where that is wider.

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
    """Return the frames that rise most around them, and by delta more than around them."""
    if not len(rise):
        return np.zeros(0, int)
    near = max(1, round(NEAR * rate))
    highest = _sliding(rise, near, near, 0).max(axis=1)
    usual = _sliding(rise, ceil(BEFORE * rate), ceil(AFTER * rate), 0).mean(axis=1)
    usual = np.maximum(usual, np.median(rise))  # at both ends, that of noise
    chosen: list[int] = []
    for frame in np.flatnonzero((rise >= highest) & (rise >= usual + delta)).tolist():
        if not chosen or frame - chosen[-1] > max(1, wait * rate):
            chosen.append(frame)
    return np.array(chosen, int)


def _sliding(values: np.ndarray, before: int, after: int, outside: float) -> np.ndarray:
    """Return the neighbours of each value, with something else beyond both ends."""
    padded = np.pad(values, (before, after), constant_values=outside)
    return np.lib.stride_tricks.sliding_window_view(padded, before + after + 1)


def _begin_of_rise(rise: np.ndarray, peaks: np.ndarray) -> np.ndarray:
    """Return the last frame before each peak that rises less than both its neighbours."""
    inner = (rise[1:-1] <= rise[:-2]) & (rise[1:-1] < rise[2:])
    lowest = np.concatenate([[0], 1 + np.flatnonzero(inner)])
    return lowest[np.searchsorted(lowest, peaks, side="right") - 1]


def _slowness(rise: np.ndarray, peaks: np.ndarray, most: int) -> np.ndarray:
    """Return for how many frames before each peak the rise is going on already."""
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


# --- chroma ---------------------------------------------------------------------------------------

CHROMA_CENTRE, CHROMA_OCTAVES = 250.0, 1.5  # Hz that count most; octaves to exp(-1/2) of that
CLASS_WIDTH = 0.4  # semitones, standard deviation
TUNING_FRAMES = 400  # that are looked at for the tuning


def chroma(
    y: Any = None,
    sr: float = 22050,
    *,
    S: Any = None,  # noqa: N803  librosa's name
    n_fft: int | None = None,
    hop_length: int = 512,
    norm: float | None = np.inf,
    tuning: float | None = None,
    queue: cl.CommandQueue | None = None,
) -> np.ndarray:
    """Fold energy to the twelve pitch classes.

    Parameters
    ----------
    y, sr, S, hop_length, queue
        As of `onsets`.
    n_fft : int, optional
        Points of a frame; by default the power of two next to 186 ms, 4096 at 22050 Hz, for low
        notes to be told apart.
    norm : float, optional
        Divide each frame by its norm: ``inf`` (the greatest class is 1), 1 (the sum is 1), 2; None
        for energies as they are.
    tuning : float, optional
        Semitones from A4 = 440 Hz to how the music is tuned; found in the music by default.

    Returns
    -------
    ndarray of float32, shape (12, frames)
        Classes from C to B. A silent frame has zeros.

    Raises
    ------
    PlanError, DeviceError, DeviceMemoryError
        As `onsets`.

    References
    ----------
    T. Fujishima, "Realtime chord recognition of musical sound: a system using Common Lisp Music",
    Proc. ICMC (1999).

    Examples
    --------
    >>> import numpy as np
    >>> from pyclfft.apps.notation import chroma
    >>> t = np.arange(22050) / 22050
    >>> classes = chroma(np.sin(2 * np.pi * 440 * t))
    >>> classes.shape, int(classes.mean(axis=1).argmax())  # 9 is A
    ((12, 44), 9)
    """
    if norm is not None:
        norm = _number("norm", norm) if norm != np.inf else norm
    n_fft = frame_points(_number("sr", sr), PITCH_SECONDS) if n_fft is None else n_fft
    magnitudes = magnitudes_of(y, S, sr, n_fft, hop_length, queue)
    scale = magnitudes.greatest or 1.0
    tuning = find_tuning(magnitudes) if tuning is None else _number("tuning", tuning, -100)
    weights = class_weights(magnitudes.sr, magnitudes.n_fft, tuning)
    relative = magnitudes.values[:, : len(weights)] * np.float32(1 / scale)
    energy = np.square(relative, out=relative) @ weights
    if norm is None:
        return energy.T * np.float32(scale) ** 2
    sizes = np.linalg.norm(energy, ord=norm, axis=1, keepdims=True)
    return np.divide(energy, sizes, out=np.zeros_like(energy), where=sizes > 1e-12).T


@lru_cache(maxsize=16)
def class_weights(sr: float, n_fft: int, tuning: float) -> np.ndarray:
    """Return how much of each bin's energy is of each pitch class.

    Parameters
    ----------
    sr : float
        Samples a second.
    n_fft : int
        Points of a frame.
    tuning : float
        In semitones.

    Returns
    -------
    ndarray of float32, shape (bins, 12)
        Without bins so high that they hardly count.
    """
    highest = CHROMA_CENTRE * 2 ** (3 * CHROMA_OCTAVES)
    frequencies = np.arange(1, min(n_fft // 2, ceil(highest * n_fft / sr)) + 1) * sr / n_fft
    pitch = hz_to_midi(frequencies)[:, None] - tuning
    apart = (pitch - np.arange(12) + 6) % 12 - 6
    bin_width = 12 * np.log2(1 + sr / n_fft / frequencies)[:, None]
    shares = np.exp(-0.5 * (apart / np.maximum(CLASS_WIDTH, bin_width / 2)) ** 2)
    octaves = np.log2(frequencies / CHROMA_CENTRE)[:, None] / CHROMA_OCTAVES
    weights = shares / shares.sum(axis=1, keepdims=True) * np.exp(-0.5 * octaves**2)
    return np.pad(weights, ((1, 0), (0, 0))).astype(np.float32)


def find_tuning(magnitudes: Magnitudes) -> float:
    """Return how many semitones, -0.5 to 0.5, music is above A4 = 440 Hz; 0 for silence."""
    loudness = magnitudes.values.max(axis=1, initial=0)
    loudest = np.sort(np.argsort(loudness)[-TUNING_FRAMES:])
    strength, bins = spectral_peaks(magnitudes.values[loudest])
    frequency = bins * magnitudes.sr / magnitudes.n_fft
    heard = (strength > 0.03 * loudness[loudest, None]) & (frequency > 100) & (frequency < 3000)
    turns = np.exp(2j * np.pi * hz_to_midi(frequency[heard]))
    return float(np.angle((strength[heard] * turns).sum()) / (2 * np.pi)) if heard.any() else 0.0


def spectral_peaks(spectra: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the peaks of magnitudes, and where they are between the bins.

    Parameters
    ----------
    spectra : ndarray, shape (frames, bins)
        Magnitudes.

    Returns
    -------
    strength : ndarray, shape (frames, bins)
        Height of the peak at a bin; 0 where there is none.
    bins : ndarray, shape (frames, bins)
        Vertex of the parabola through the logarithms of three magnitudes.
    """
    tiny = np.float32(1e-12)
    logs = np.log(np.maximum(spectra, tiny))
    left, middle, right = logs[:, :-2], logs[:, 1:-1], logs[:, 2:]
    is_peak = (middle > left) & (middle >= right) & (spectra[:, 1:-1] > tiny)
    bend = np.where(is_peak, 2 * middle - left - right, 1)
    shift = np.where(is_peak, (right - left) / (2 * np.maximum(bend, 1e-6)), 0)
    height = np.where(is_peak, np.exp(middle + 0.25 * (right - left) * shift), 0)
    edges = ((0, 0), (1, 1))
    return np.pad(height, edges), np.arange(spectra.shape[1]) + np.pad(shift, edges)


# --- notes ----------------------------------------------------------------------------------------

STEPS = 120  # of pitch in an octave: 10 cents
NEIGHBOURS = 4  # steps by which a partial may be off
HARMONICS, REMOVED = 20, 40  # of a pitch that are summed up, and that it may have
COMPRESS = 0.6  # exponent of the partials' strength, so that many weigh more than one
BLOCK = 0.4  # seconds of sound at most of which the pitches are sought together
FLOOR = 0.003  # of a frame's greatest magnitude, below which there are no partials
SIDE_LOBE = 0.05  # of the magnitude four bins apart, below which a peak is one of its side lobes
SILENCE = 1e-4  # magnitude beside the greatest of all, -80 dB
TONAL = 0.1  # of a block's energy is in the harmonics of the first note at least
PROMINENCE, SURROUNDING = 2.0, 12  # of a partial above the mean of so many bins on both sides
LOBE = 1.5  # energy of a window's main lobe beside its greatest bin
GROUND, MAY_LACK = 0.15, 90.0  # least compressed fundamental; Hz below which there may be none
ALPHA, BETA = 27.0, 320.0  # Hz, of the weights of harmonics: Klapuri's
EXCLUDED = 7  # steps around a pitch in which there is no other
PRESENT = 0.5  # of the compressed harmonic that seems to be a fundamental, of its neighbours
OVERTONE = 1.5  # thresholds of a note whose fundamental is a harmonic of one that is found
REFINING = 5  # harmonics that tell the exact pitch

TRACKED = 3  # harmonics that tell how long a note sounds
RISE = 1.25  # of a note that is struck again
LATE = 0.1  # seconds behind an onset from which on a note has begun by itself
ECHO = 0.25  # of the strength of the note behind it, below which a short note is none
FADED = 0.1  # of a note's greatest magnitude, where it has ended
FAINT = 0.02  # of the greatest strength, below which a note is not heard

# Steps from a pitch to its harmonics.
SHIFTS = np.rint(STEPS * np.log2(np.arange(1, REMOVED + 1))).astype(int)


class Note(NamedTuple):
    """A note that was heard.

    Attributes
    ----------
    onset, duration : float
        In seconds.
    name : str
        Such as "C♯4".
    midi : int
        60 is C4.
    cents : float
        How far the pitch is above that of the name, with A4 = 440 Hz; -50 to 50.
    strength : float
        Amplitude beside that of the strongest note: 0 to 1.
    """

    onset: float
    duration: float
    name: str
    midi: int
    cents: float
    strength: float


@dataclass(frozen=True)
class Search:
    """What notes are sought, checked.

    Attributes
    ----------
    fmin, fmax : float
        Lowest and highest fundamental in Hz.
    polyphony : int
        Notes at the same time at most.
    threshold : float
        Least salience of a note beside that of the most salient at the same time.
    """

    fmin: float
    fmax: float
    polyphony: int
    threshold: float

    @property
    def candidates(self) -> int:
        """Pitches that are tried."""
        return ceil(STEPS * log2(self.fmax / self.fmin)) + 1

    @property
    def frequencies(self) -> np.ndarray:
        """Their fundamentals, in Hz."""
        return self.fmin * 2 ** (np.arange(self.candidates) / STEPS)


@dataclass(frozen=True, eq=False)
class Pitches:
    """Pitches that sound together in blocks of a signal.

    Attributes
    ----------
    hz : ndarray, shape (blocks, polyphony)
        Fundamentals; 0 for no note.
    strength : ndarray, shape (blocks, polyphony)
        Amplitudes.
    """

    hz: np.ndarray
    strength: np.ndarray


def notes(
    y: Any,
    sr: float = 22050,
    *,
    n_fft: int | None = None,
    hop_length: int = 512,
    fmin: float = 55.0,
    fmax: float = 2093.0,
    polyphony: int = 4,
    threshold: float = 0.35,
    delta: float = 0.01,
    min_duration: float = 0.05,
    queue: cl.CommandQueue | None = None,
) -> list[Note]:
    """Find the notes of a melody, or of music with few notes at a time.

    Parameters
    ----------
    y : array_like or pyopencl.array.Array, shape (samples,)
        A signal.
    sr : float
        Samples a second.
    n_fft : int, optional
        Points of a frame in which pitches are told apart; by default the power of two next to
        186 ms, 4096 at 22050 Hz.
    hop_length : int
        Samples from one frame to the next.
    fmin, fmax : float
        Lowest and highest fundamental in Hz; from A1 to C7 by default.
    polyphony : int
        Notes at the same time at most: 1 for melodies.
    threshold : float
        How salient a note is at least beside the most salient one at the same time, 0 to 1.
    delta : float
        As of `onsets`.
    min_duration : float
        Shorter notes are left out, in seconds.
    queue : cl.CommandQueue, optional
        Where to run; the queue of a device array, or the default queue.

    Returns
    -------
    list of Note
        By onset, then by pitch. None in silence, or in noise.

    Raises
    ------
    PlanError, DeviceError, DeviceMemoryError
        As `onsets`.

    Notes
    -----
    The signal is cut at its onsets. In each part, the strengths of a pitch's harmonics are summed
    up for all pitches; the most salient one is taken, what its harmonics explain is removed, and
    the next is sought. Notes an octave apart share their harmonics: the upper one is heard only
    where it is louder than the lower one's overtones would be.

    References
    ----------
    A. Klapuri, "Multiple fundamental frequency estimation by summing harmonic amplitudes", Proc.
    ISMIR (2006).

    Examples
    --------
    >>> import numpy as np
    >>> from pyclfft.apps.notation import notes
    >>> t = np.arange(11025) / 22050
    >>> tones = [np.sin(2 * np.pi * f * t) * np.exp(-4 * t) for f in (261.63, 329.63, 392.0)]
    >>> y = np.concatenate([0 * t, *tones])
    >>> for note in notes(y):
    ...     print(f"{note.onset:.1f} {note.name} {note.midi}")
    0.5 C4 60
    1.0 E4 64
    1.5 G4 67
    """
    if y is None or np.ndim(y) == 2:
        raise PlanError("notes are found in a signal of shape (samples,), not in a spectrogram")
    search = make_search(_number("sr", sr), fmin, fmax, polyphony, threshold)
    points = frame_points(sr, PITCH_SECONDS) if n_fft is None else positive("n_fft", n_fft)
    fine = magnitudes_of(y, None, sr, frame_points(sr, ONSET_SECONDS), hop_length, queue)
    blocks = Blocks.between(find_onsets(fine, _number("delta", delta)), fine, points)
    coarse = magnitudes_of(y, None, sr, points, hop_length, queue)
    spectra = blocks.spectra(coarse)
    spectra[spectra.max(axis=1, initial=0) < SILENCE * max(coarse.greatest, NOTHING)] = 0
    pitches = find_pitches(spectra, sr / points, search)
    least = _number("min_duration", min_duration, -1)
    return _named(list(_assembled(blocks, pitches, fine)), fine, least)


def make_search(sr: float, fmin: float, fmax: float, polyphony: int, threshold: float) -> Search:
    """Check what notes are wanted; parameters and errors as of `notes`."""
    fmin, fmax = _number("fmin", fmin), _number("fmax", fmax)
    if not fmin < fmax < sr / 2:
        raise PlanError(
            f"fmin < fmax < sr / 2 must hold, not {fmin:g} < {fmax:g} < {sr / 2:g}: "
            "choose a smaller fmax"
        )
    threshold = _number("threshold", threshold)
    if threshold > 1:
        raise PlanError(f"threshold is a part of the most salient note, up to 1, not {threshold:g}")
    return Search(fmin, fmax, positive("polyphony", polyphony), threshold)


@dataclass(frozen=True, eq=False)
class Blocks:
    """Parts of a signal between its onsets.

    Attributes
    ----------
    edges : ndarray of float, shape (blocks + 1,)
        Where they begin and end, in frames.
    struck : ndarray of bool, shape (blocks,)
        Whether there is an onset at the beginning.
    margin : float
        Frames at the edges in which two blocks sound together.
    """

    edges: np.ndarray
    struck: np.ndarray
    margin: float

    @classmethod
    def between(cls, found: np.ndarray, magnitudes: Magnitudes, points: int) -> Blocks:
        """Cut a signal at onsets, and long parts into blocks of equal length."""
        count = len(magnitudes.values)
        ends = np.concatenate([[0.0], found[found > 0], [float(count)]])
        struck_at = set(found.tolist())
        pieces = [
            np.linspace(a, b, max(1, ceil((b - a) / (BLOCK * magnitudes.rate))), endpoint=False)
            for a, b in pairwise(ends)
        ]
        edges = np.concatenate([*pieces, [float(count)]])
        struck = np.array([each in struck_at for each in edges[:-1].tolist()])
        return cls(edges, struck, points / 4 / magnitudes.hop)

    def spectra(self, magnitudes: Magnitudes) -> np.ndarray:
        """Return the mean magnitudes of blocks without their margins, shape (blocks, bins)."""
        values = magnitudes.values
        means = np.zeros((len(self.struck), values.shape[1]), np.float32)
        for i, (begin, end) in enumerate(pairwise(self.edges)):
            first = ceil(begin + self.margin) if self.struck[i] else ceil(begin)
            behind = i + 1 < len(self.struck) and self.struck[i + 1]
            last = int(end - self.margin) if behind else int(end)
            if last <= first and not self.struck[i]:
                continue  # no more than the window's view of the block behind
            if last <= first:  # short: the frame in the middle
                first = min(round((begin + end) / 2), len(values) - 1)
                last = first + 1
            means[i] = values[first:last].mean(axis=0)
        return means


# --- pitches of spectra ---------------------------------------------------------------------------


def find_pitches(spectra: np.ndarray, bin_hz: float, search: Search) -> Pitches:
    """Find the pitches that make up spectra.

    Parameters
    ----------
    spectra : ndarray, shape (blocks, bins)
        Magnitudes.
    bin_hz : float
        From one bin to the next.
    search : Search
        What is sought.

    Returns
    -------
    Pitches
    """
    partials = Partials.of(spectra, bin_hz, search)
    blocks = np.arange(len(spectra))
    hz, strength = np.zeros((2, len(blocks), search.polyphony))
    rest = partials.strength**COMPRESS
    taken = np.zeros((len(blocks), search.candidates), bool)
    going, enough = spectra.any(axis=1), np.zeros(len(blocks))
    for turn in range(search.polyphony):
        reach = _widened(rest)
        salience = np.where(taken, 0, _salience(reach, search))
        best = _lowered(salience.argmax(axis=1), reach, taken)
        height = salience[blocks, best]
        needed = np.where(_is_overtone(best, hz, search), OVERTONE, 1) * enough
        going &= (height > 0) & (height >= needed)
        if not turn:
            enough = search.threshold * height
            going &= partials.explained(best) > TONAL
        if not going.any():
            break
        found = _smooth(reach[blocks[:, None], best[:, None] + SHIFTS])
        hz[going, turn] = partials.fundamental(best)[going]
        strength[going, turn] = np.linalg.norm(found ** (1 / COMPRESS), axis=1)[going]
        _remove(rest, best, found)
        taken |= np.abs(np.arange(search.candidates) - best[:, None]) < EXCLUDED
    return Pitches(hz, strength)


@dataclass(frozen=True, eq=False)
class Partials:
    """Peaks of spectra, by their pitch in steps from `NEIGHBOURS` below the lowest candidate on.

    Attributes
    ----------
    strength, hz : ndarray, shape (blocks, steps)
        Height and frequency of the highest peak in a step; 0 where there is none.
    total : ndarray, shape (blocks,)
        Energy of the spectra.
    """

    strength: np.ndarray
    hz: np.ndarray
    total: np.ndarray

    @classmethod
    def of(cls, spectra: np.ndarray, bin_hz: float, search: Search) -> Partials:
        """Find the peaks that stand out from what is around them."""
        height, bins = spectral_peaks(spectra)
        heard = (height > 0) & (height > FLOOR * height.max(axis=1, initial=0, keepdims=True))
        heard &= height > PROMINENCE * _local_mean(spectra)
        heard[:, 4:] &= height[:, 4:] > SIDE_LOBE * spectra[:, :-4]
        heard[:, :-4] &= height[:, :-4] > SIDE_LOBE * spectra[:, 4:]
        block, place = np.nonzero(heard)
        hz = bins[block, place] * bin_hz
        steps = search.candidates + SHIFTS[-1] + 2 * NEIGHBOURS
        step = np.rint(STEPS * np.log2(hz / search.fmin)).astype(int) + NEIGHBOURS
        inside = (step >= 0) & (step < steps)
        block, place, hz, step = (each[inside] for each in (block, place, hz, step))
        order = np.argsort(height[block, place])  # the highest of a step is written last
        block, place, hz, step = (each[order] for each in (block, place, hz, step))
        strengths = np.zeros((len(spectra), steps), np.float32)
        frequencies = np.zeros((len(spectra), steps))
        strengths[block, step] = height[block, place]
        frequencies[block, step] = hz
        return cls(strengths, frequencies, np.square(spectra).sum(axis=1))

    def explained(self, best: np.ndarray) -> np.ndarray:
        """Return which part of the energy is in the harmonics of one pitch a block."""
        peaks, _ = self._highest(best, REMOVED)
        return LOBE * np.square(peaks).sum(axis=1) / np.maximum(self.total, 1e-30)

    def fundamental(self, best: np.ndarray) -> np.ndarray:
        """Return the frequency of one pitch a block by those of its lowest harmonics."""
        peaks, hz = self._highest(best, REFINING)
        m = np.arange(1, REFINING + 1)
        weights = peaks * m  # an error of a bin is an m-th of it in the fundamental
        return (weights * hz / m).sum(axis=1) / np.maximum(weights.sum(axis=1), 1e-30)

    def _highest(self, best: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Return height and frequency of the highest peak near each harmonic."""
        steps = _around(best, count)
        block = np.arange(len(best))[:, None]
        offset = self.strength[block[..., None], steps].argmax(axis=2)
        chosen = np.take_along_axis(steps, offset[..., None], axis=2)[..., 0]
        return self.strength[block, chosen], self.hz[block, chosen]


def _local_mean(spectra: np.ndarray) -> np.ndarray:
    """Return the mean of up to `SURROUNDING` bins on both sides of each."""
    sums = np.pad(np.cumsum(spectra, axis=1, dtype=np.float64), ((0, 0), (1, 0)))
    bins = np.arange(spectra.shape[1])
    low = np.maximum(bins - SURROUNDING, 0)
    high = np.minimum(bins + SURROUNDING + 1, len(bins))
    return (sums[:, high] - sums[:, low]) / (high - low)


def _around(best: np.ndarray, count: int = REMOVED) -> np.ndarray:
    """Return the steps near the harmonics of one pitch a block, shape (blocks, count, near)."""
    return best[:, None, None] + SHIFTS[:count, None] + np.arange(2 * NEIGHBOURS + 1)


def _widened(rest: np.ndarray) -> np.ndarray:
    """Return the strongest partial near each candidate and its harmonics, less if it is apart."""
    count = rest.shape[1] - 2 * NEIGHBOURS
    shifted = (
        (1 - abs(i - NEIGHBOURS) / (2 * NEIGHBOURS)) * rest[:, i : i + count]
        for i in range(2 * NEIGHBOURS + 1)
    )
    return reduce(np.maximum, shifted)


def _salience(reach: np.ndarray, search: Search) -> np.ndarray:
    """Return the weighted sum of the harmonics of all candidates, shape (blocks, candidates)."""
    count, hz = search.candidates, search.frequencies
    total = np.zeros((len(reach), count), np.float32)
    for m, shift in enumerate(SHIFTS[:HARMONICS], start=1):
        weight = (hz + ALPHA) / (m * hz + BETA)
        total += weight.astype(np.float32) * reach[:, shift : shift + count]
    lowest = [reach[:, shift : shift + count] for shift in SHIFTS[:4]]
    grounded = (lowest[0] >= GROUND * reduce(np.maximum, lowest)) | (hz < MAY_LACK)
    return np.where(grounded, total, 0)


def _lowered(best: np.ndarray, reach: np.ndarray, taken: np.ndarray) -> np.ndarray:
    """Return candidates, or those of which they are overtones: bright low notes have strong ones.

    A pitch is a harmonic of a lower one where all harmonics of that are there up to the next.
    """
    blocks = np.arange(len(best))
    lowest = best
    for q in range(2, 6):
        lower = best - SHIFTS[q - 1]
        inside = np.maximum(lower, 0)
        others = [reach[blocks, inside + SHIFTS[m - 1]] for m in range(1, q + 2) if m != q]
        present = reduce(np.minimum, others) > PRESENT * reach[blocks, best]
        lowest = np.where((lower >= 0) & present & ~taken[blocks, inside], lower, lowest)
    return lowest


def _is_overtone(best: np.ndarray, hz: np.ndarray, search: Search) -> np.ndarray:
    """Return whether a candidate a block is a harmonic of a pitch that is found already."""
    ratio = search.frequencies[best][:, None] / np.where(hz > 0, hz, np.inf)
    near = np.rint(ratio)
    return ((near > 1) & (np.abs(ratio - near) < 0.015 * near)).any(axis=1)


def _smooth(harmonics: np.ndarray) -> np.ndarray:
    """Return what an instrument explains: harmonics no stronger than the mean with neighbours."""
    padded = np.pad(harmonics, ((0, 0), (1, 1)), mode="edge")
    means = (padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]) / 3
    means[:, 0] = harmonics[:, 0]
    return np.minimum(harmonics, means)


def _remove(rest: np.ndarray, best: np.ndarray, found: np.ndarray) -> None:
    """Take the harmonics of one pitch a block away."""
    steps = _around(best)
    block = np.arange(len(best))[:, None, None]
    for m in range(REMOVED):  # one by one: steps of neighbours may be the same
        near = block[:, 0], steps[:, m]
        rest[near] = np.maximum(rest[near] - found[:, m, None], 0)


# --- notes of pitches -----------------------------------------------------------------------------


@dataclass(eq=False)
class Sounding:
    """A note in the making: when it began and ended so far, in frames, and what was heard of it."""

    begin: float
    end: float
    strength: float
    hz: float

    def lengthen(self, end: float, strength: float, hz: float) -> None:
        """Go on, with the pitch where the note is strongest."""
        self.end = end
        if strength > self.strength:
            self.strength, self.hz = strength, hz

    def is_at(self, hz: float) -> bool:
        """Whether a pitch is this one."""
        return abs(12 * log2(hz / self.hz)) < 0.6


def _assembled(blocks: Blocks, pitches: Pitches, fine: Magnitudes) -> Iterator[Sounding]:
    """Join pitches of neighbouring blocks, where they are not struck again, to notes."""
    active: list[Sounding] = []  # since the last onset, or held over it
    onset = 0.0
    for i, (begin, end) in enumerate(pairwise(blocks.edges.tolist())):
        if blocks.struck[i]:
            onset = begin
            yield from (each for each in active if each.end < begin)
            active = [each for each in active if each.end == begin]
        for hz, strength in zip(pitches.hz[i].tolist(), pitches.strength[i].tolist(), strict=True):
            if not hz:
                continue
            held = next((each for each in active if each.is_at(hz)), None)
            if held and not (blocks.struck[i] and _is_struck(fine, hz, begin)):
                held.lengthen(end, strength, hz)
                continue
            if held:
                active.remove(held)
                # A frame around the end of a note may have seen the onset behind it already.
                is_echo = begin - held.begin < 2 * blocks.margin
                if not (is_echo and held.strength < ECHO * strength):
                    yield held
            active.append(Sounding(_first_sound(fine, hz, onset, end), end, strength, hz))
    yield from active


def _track(fine: Magnitudes, hz: float, begin: float, end: float) -> np.ndarray:
    """Return the magnitudes of the lowest harmonics over time, shape (harmonics, frames)."""
    bins = np.rint(hz * np.arange(1, TRACKED + 1) * fine.n_fft / fine.sr).astype(int)
    bins = np.unique(np.minimum(bins, fine.values.shape[1] - 1))
    values = fine.values[max(0, round(begin)) : max(1, round(end))]
    return np.stack([values[:, max(0, b - 1) : b + 2].max(axis=1) for b in bins])


def _is_struck(fine: Magnitudes, hz: float, onset: float) -> bool:
    """Whether all harmonics of a note that sounds already rise at an onset."""
    reach = fine.n_fft / 2 / fine.hop
    before = _track(fine, hz, onset - 1.5 * reach, onset + 1).min(axis=1)
    after = _track(fine, hz, onset, onset + 2 * reach).max(axis=1, initial=0)
    heard = after > 0.1 * after.max()
    return bool((after[heard] > RISE * before[heard]).all())


def _first_sound(fine: Magnitudes, hz: float, begin: float, end: float) -> float:
    """Return the frame at which a note begins, which may be far behind the begin of its block."""
    level = np.linalg.norm(_track(fine, hz, begin, end), axis=0)
    if not len(level):
        return begin
    first = int((level > 0.3 * level.max()).argmax())
    return begin + first if first > LATE * fine.rate else begin


def _last_sound(fine: Magnitudes, note: Sounding) -> float:
    """Return the frame at which a note has faded away."""
    level = np.linalg.norm(_track(fine, note.hz, note.begin, note.end), axis=0)
    if not len(level):
        return note.end
    loudest = int(level.argmax())
    faded = level[loudest:] < FADED * level[loudest]
    return note.begin + loudest + int(faded.argmax()) if faded.any() else note.end


def _named(found: list[Sounding], fine: Magnitudes, least: float) -> list[Note]:
    """Return notes with names, without those that are too short, or hardly to be heard."""
    loudest = max((each.strength for each in found), default=1.0)
    result = []
    for each in found:
        duration = (_last_sound(fine, each) - each.begin) / fine.rate
        strength = each.strength / loudest
        if duration < least or strength < FAINT:
            continue
        pitch = float(hz_to_midi(each.hz))
        midi = round(pitch)
        cents = 100 * (pitch - midi)
        onset = each.begin / fine.rate
        result.append(Note(onset, duration, midi_to_note(midi), midi, cents, strength))
    return sorted(result, key=lambda note: (note.onset, note.midi))
