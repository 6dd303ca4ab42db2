"""A sound before and after noise was removed, as a picture of two spectrograms."""

from __future__ import annotations

import os

from .audiofile import AudioReader
from .file_spectra import Part, spectra_of_file
from .framing import Magnitudes, make_frames
from .magnitude_spectrogram import frame_points
from .spectrogram_picture import Caption, Look, Times, draw, encode

SECONDS = 0.0929  # the length of frames: 2048 samples at 22050 Hz


def before_and_after(
    before: AudioReader, after: AudioReader, title: str, path: str | os.PathLike[str]
) -> bytes:
    """Draw a sound before and after, with the same scale of colours.

    Parameters
    ----------
    before, after : AudioReader
        Open files of the sounds, whose samples are read block by block; the mean of their channels
        is drawn.
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
    sr, samples = after.info.sr, after.info.samples
    n_fft = min(frame_points(sr, SECONDS), samples)
    hop = max(1, n_fft // 4)
    frames = make_frames(n_fft, hop)
    look = Look()
    panels = []
    for sound in (before, after):
        levels = look.levels(sr, n_fft, n_fft // 2 + 1, frames.count(samples), panels=2)
        for amplitudes in spectra_of_file(sound, frames, Magnitudes(), Part()):
            levels.add(amplitudes)
        panels.append(levels)
    times = Times(0.0, hop / sr, 0.0, samples / sr)
    caption = Caption(title, f"{sr} Hz, n_fft {n_fft}, hop {hop}")
    return encode(draw(panels, times, caption, look, names=("before", "after")), path)
