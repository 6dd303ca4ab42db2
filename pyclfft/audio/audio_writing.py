"""Sounds written to files: WAV by Python's own module and SciPy, all else by soundfile."""

from __future__ import annotations

import math
import os
import wave
from pathlib import Path
from typing import IO, Any

import numpy as np
from scipy.io import wavfile  # type: ignore[import-untyped]

from ..advice import pip_install
from ..errors import PlanError
from ..files import atomic_write
from .audiofile import AudioInfo

FLOAT = "float"
DEPTHS = ("16", "24", "32", FLOAT)  # bits of a sample, or float32

# The endings of files that soundfile writes -> (its name of the format, the depths that it has).
BY_SOUNDFILE = {".flac": ("FLAC", ("16", "24"))}


def depth_of(info: AudioInfo) -> str:
    """Return the depth with which a sound like this one is written, so that nothing is lost."""
    for depth in ("16", "24", "32"):
        if info.kind.startswith(f"{depth}-bit") and "float" not in info.kind:
            return depth
    return "16" if info.kind.startswith("8-bit") else FLOAT


def require_writer(path: str | os.PathLike[str], depth: str | None) -> None:
    """Refuse a file or a depth that `write_audio` could not write.

    Parameters
    ----------
    path : str or path
        The file.
    depth : str or None
        One of `DEPTHS`, or None if the depth is still to be chosen.

    Raises
    ------
    PlanError
        The file's ending is of no known format, the format lacks the depth, or soundfile is not
        installed.
    """
    ending = Path(path).suffix.lower()
    if ending == ".wav":
        return
    if ending not in BY_SOUNDFILE:
        known = ", ".join((".wav", *BY_SOUNDFILE))
        raise PlanError(f"{path}: sounds are written as {known}: give the result such an ending")
    name, depths = BY_SOUNDFILE[ending]
    if depth is not None and depth not in depths:
        raise PlanError(f"{path}: {name} has samples of {' or '.join(depths)} bits, not {depth}")
    try:
        import soundfile  # type: ignore[import-untyped]  # noqa: F401
    except (ImportError, OSError):
        raise PlanError(f"{path}: {name} needs soundfile: {pip_install('sounds')}") from None


def write_audio(path: str | os.PathLike[str], samples: np.ndarray, sr: int, depth: str) -> float:
    """Write a sound to a file, which is whole or not there at all.

    Parameters
    ----------
    path : str or path
        The file; its ending names the format, .wav or .flac.
    samples : ndarray of float, shape (channels, samples)
        The sound, -1 to 1 at full scale. If the depth is of integers and samples are beyond full
        scale, all samples are scaled so that the greatest one reaches it.
    sr : int
        The sample rate, in Hz.
    depth : {"16", "24", "32", "float"}
        The bits of each sample, an integer, or float32.

    Returns
    -------
    float
        The decibels by which the sound was made quieter; 0 if it was not.

    Raises
    ------
    PlanError
        See `require_writer`.
    OSError
        The file cannot be written.
    """
    require_writer(path, depth)
    peak = float(np.abs(samples).max(initial=0.0))
    scale = 1 / peak if depth != FLOAT and peak > 1 else 1.0
    with atomic_write(path) as file:
        if Path(path).suffix.lower() == ".wav":
            _write_wav(file, samples.T, scale, sr, depth)
        else:
            _write_by_soundfile(file, path, samples.T * np.float32(scale), sr, depth)
    return -20 * math.log10(scale)


def integers(frames: np.ndarray, bits: int, scale: float = 1.0) -> np.ndarray:
    """Return samples as integers of so many bits, in int32 or, for 16 bits, in int16.

    `read_audio` divides by 2^(bits - 1), and this function multiplies by it, so that integers come
    back as they were. What is beyond the greatest or the least integer is cut off.
    """
    full = 2 ** (bits - 1)
    values = np.rint(frames.astype(np.float64) * (scale * full))
    return np.clip(values, -full, full - 1).astype(np.int16 if bits == 16 else np.int32)


def _write_wav(file: IO[bytes], frames: np.ndarray, scale: float, sr: int, depth: str) -> None:
    if depth == FLOAT:
        wavfile.write(file, sr, np.ascontiguousarray(frames, np.float32))
        return
    bits = int(depth)
    values = np.ascontiguousarray(
        integers(frames, bits, scale).astype(f"<i{2 if bits == 16 else 4}")
    )
    data = values.view(np.uint8).reshape(-1, values.itemsize)[:, : bits // 8]
    with wave.open(file, "wb") as writer:
        writer.setnchannels(frames.shape[1])
        writer.setsampwidth(bits // 8)
        writer.setframerate(sr)
        writer.writeframes(data.tobytes())


def _write_by_soundfile(
    file: IO[bytes], path: Any, frames: np.ndarray, sr: int, depth: str
) -> None:
    import soundfile

    name, _ = BY_SOUNDFILE[Path(path).suffix.lower()]
    soundfile.write(file, frames, sr, format=name, subtype=f"PCM_{depth}")
