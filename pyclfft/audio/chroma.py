"""Chroma: the energy of the twelve pitch classes."""

from __future__ import annotations

from functools import lru_cache
from math import ceil
from typing import Any

import numpy as np
import pyopencl as cl

from .magnitude_spectrogram import (
    PITCH_SECONDS,
    MagnitudeSpectrogram,
    frame_points,
    magnitudes_of,
    number,
    spectral_peaks,
)
from .units import hz_to_midi

# The frequency in Hz that counts most, and how many octaves away from it the weight is exp(-1/2).
CHROMA_CENTRE, CHROMA_OCTAVES = 250.0, 1.5
CLASS_WIDTH = 0.4  # semitones: the standard deviation of a pitch class
TUNING_FRAMES = 400  # the frames, at most, in which the tuning is sought


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
        The parameters of `onsets`.
    n_fft : int, optional
        Points of a frame. The default is the power of two next to 186 ms, 4096 at 22050 Hz, so that
        low notes are told apart.
    norm : float, optional
        The norm by which each frame is divided: ``inf`` (the greatest class becomes 1), 1 (the sum
        becomes 1) or 2. With None the energies are not divided.
    tuning : float, optional
        How many semitones the A4 of the music is above 440 Hz. By default it is found in the music.

    Returns
    -------
    ndarray of float32, shape (12, frames)
        The energy of the classes from C to B. A silent frame has zeros.

    Raises
    ------
    PlanError, DeviceError, DeviceMemoryError
        As `onsets` raises them.

    See Also
    --------
    stft : The transform whose energy is folded.
    notes : Single notes.

    References
    ----------
    T. Fujishima, "Realtime chord recognition of musical sound: a system using Common Lisp Music",
    Proc. ICMC (1999).

    Examples
    --------
    >>> import numpy as np
    >>> import pyclfft
    >>> t = np.arange(22050) / 22050
    >>> classes = pyclfft.chroma(np.sin(2 * np.pi * 440 * t))
    >>> classes.shape, int(classes.mean(axis=1).argmax())  # 9 is A
    ((12, 44), 9)
    """
    if norm is not None:
        norm = number("norm", norm) if norm != np.inf else norm
    n_fft = frame_points(number("sr", sr), PITCH_SECONDS) if n_fft is None else n_fft
    magnitudes = magnitudes_of(y, S, sr, n_fft, hop_length, queue)
    scale = magnitudes.greatest or 1.0
    tuning = find_tuning(magnitudes) if tuning is None else number("tuning", tuning, -100)
    weights = class_weights(magnitudes.sr, magnitudes.n_fft, tuning)
    relative = magnitudes.values[:, : len(weights)] * np.float32(1 / scale)
    energy = np.square(relative, out=relative) @ weights
    if norm is None:
        return energy.T * np.float32(scale) ** 2
    sizes = np.linalg.norm(energy, ord=norm, axis=1, keepdims=True)
    return np.divide(energy, sizes, out=np.zeros_like(energy), where=sizes > 1e-12).T


@lru_cache(maxsize=16)
def class_weights(sr: float, n_fft: int, tuning: float) -> np.ndarray:
    """Return the part of each bin's energy that counts for each pitch class.

    Parameters
    ----------
    sr : float
        Samples a second.
    n_fft : int
        Points of a frame.
    tuning : float
        How many semitones the A4 of the music is above 440 Hz.

    Returns
    -------
    ndarray of float32, shape (bins, 12)
        The weights. Bins so high that they hardly count are left out.
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


def find_tuning(magnitudes: MagnitudeSpectrogram) -> float:
    """Return how many semitones, -0.5 to 0.5, music is above A4 = 440 Hz; 0 for silence."""
    loudness = magnitudes.values.max(axis=1, initial=0)
    loudest = np.sort(np.argsort(loudness)[-TUNING_FRAMES:])
    strength, bins = spectral_peaks(magnitudes.values[loudest])
    frequency = bins * magnitudes.sr / magnitudes.n_fft
    heard = (strength > 0.03 * loudness[loudest, None]) & (frequency > 100) & (frequency < 3000)
    turns = np.exp(2j * np.pi * hz_to_midi(frequency[heard]))
    return float(np.angle((strength[heard] * turns).sum()) / (2 * np.pi)) if heard.any() else 0.0
