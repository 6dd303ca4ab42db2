"""A sound before and after noise was removed, as a picture of two spectrograms."""

from __future__ import annotations

import os

import numpy as np

from .magnitude_spectrogram import frame_points
from .spectrogram_picture import Caption, Look, Times, draw, encode
from .stft import spectrogram

SECONDS = 0.0929  # the length of frames: 2048 samples at 22050 Hz


def before_and_after(
    before: np.ndarray, after: np.ndarray, sr: int, title: str, path: str | os.PathLike[str]
) -> bytes:
    """Draw a sound before and after, with the same scale of colours.

    Parameters
    ----------
    before, after : ndarray of float32, shape (channels, samples)
        The sounds; the mean of their channels is drawn.
    sr : int
        Samples a second.
    title : str
        The words above the picture.
    path : str or path
        The file of the picture, whose suffix names the format.

    Returns
    -------
    bytes
        The content of the file.

    Raises
    ------
    PyclfftError
        matplotlib is not installed.
    """
    samples = before.shape[1]
    n_fft = min(frame_points(sr, SECONDS), samples)
    hop = max(1, n_fft // 4)
    look = Look()
    panels = []
    for sound in (before, after):
        amplitudes = spectrogram(sound.mean(axis=0), n_fft, hop)
        levels = look.levels(sr, n_fft, amplitudes.shape[0], amplitudes.shape[1], panels=2)
        levels.add(amplitudes)
        panels.append(levels)
    times = Times(0.0, hop / sr, 0.0, samples / sr)
    caption = Caption(title, f"{sr} Hz, n_fft {n_fft}, hop {hop}")
    return encode(draw(panels, times, caption, look, names=("before", "after")), path)
