"""Sounds written to files, block by block: WAV by hand, all else by soundfile."""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

import numpy as np

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
    channels, count = samples.shape
    peak = float(np.abs(samples).max(initial=0.0))
    return write_blocks(path, [samples], (channels, count), sr, depth, peak)


def write_blocks(
    path: str | os.PathLike[str],
    blocks: Iterable[np.ndarray],
    shape: tuple[int, int],
    sr: int,
    depth: str,
    peak: float,
) -> float:
    """Write a sound that comes block by block, so that it may be longer than memory has room for.

    Parameters
    ----------
    path, sr, depth
        The parameters of `write_audio`; results and errors are the same, too.
    blocks : iterable of ndarray, shape (channels, some samples)
        The sound.
    shape : (int, int)
        How many channels and samples all blocks have together.
    peak : float
        The greatest magnitude of all samples.

    Notes
    -----
    A WAV file of more than 4 GiB has the format RF64.
    """
    require_writer(path, depth)
    scale = 1 / peak if depth != FLOAT and peak > 1 else 1.0
    with atomic_write(path) as file:
        if Path(path).suffix.lower() == ".wav":
            _write_wav(file, blocks, shape, scale, sr, depth)
        else:
            _write_by_soundfile(file, path, blocks, shape[0], scale, sr, depth)
    return -20 * math.log10(scale)


def integers(frames: np.ndarray, bits: int, scale: float = 1.0) -> np.ndarray:
    """Return samples as integers of so many bits, in int32 or, for 16 bits, in int16.

    `read_audio` divides by 2^(bits - 1), and this function multiplies by it, so that integers come
    back as they were. What is beyond the greatest or the least integer is cut off.
    """
    full = 2 ** (bits - 1)
    values = np.rint(frames.astype(np.float64) * (scale * full))
    return np.clip(values, -full, full - 1).astype(np.int16 if bits == 16 else np.int32)


def _write_wav(
    file: IO[bytes],
    blocks: Iterable[np.ndarray],
    shape: tuple[int, int],
    scale: float,
    sr: int,
    depth: str,
) -> None:
    channels, samples = shape
    width = 4 if depth == FLOAT else int(depth) // 8
    file.write(wav_header(channels, samples, sr, width, depth == FLOAT))
    for block in blocks:
        file.write(_wav_bytes(block.T, scale, depth))
    file.write(b"\0" * (channels * samples * width % 2))


def _wav_bytes(frames: np.ndarray, scale: float, depth: str) -> bytes:
    """Return frames as they stand in a WAV file."""
    if depth == FLOAT:
        return np.ascontiguousarray(frames, "<f4").tobytes()
    bits = int(depth)
    values = integers(frames, bits, scale).astype(f"<i{2 if bits == 16 else 4}", order="C")
    return values.view(np.uint8).reshape(-1, values.itemsize)[:, : bits // 8].tobytes()


def wav_header(channels: int, samples: int, sr: int, width: int, is_float: bool) -> bytes:
    """Return what stands before the samples of a WAV file.

    Parameters
    ----------
    channels, samples, sr : int
        How many channels there are, how many samples each has, and how many of them a second.
    width : int
        The bytes of a number.
    is_float : bool
        The numbers are floating point numbers, and otherwise integers.

    Returns
    -------
    bytes
        The header; if the file has more than 4 GiB, that of the format RF64.
    """
    frame = channels * width
    size = samples * frame
    kind = struct.pack("<HHIIHH", 3 if is_float else 1, channels, sr, sr * frame, frame, 8 * width)
    chunks = _chunk(b"fmt ", kind + b"\0\0" * is_float)
    if is_float:  # numbers other than integers need to have their count beside them
        chunks += _chunk(b"fact", struct.pack("<I", min(samples, _LONGEST)))
    whole = len(b"WAVE") + len(chunks) + 8 + size + size % 2
    if whole + 36 <= _LONGEST:
        return struct.pack("<4sI4s", b"RIFF", whole, b"WAVE") + chunks + _head(b"data", size)
    sizes = _chunk(b"ds64", struct.pack("<QQQI", whole + 36, size, samples, 0))
    head = struct.pack("<4sI4s", b"RF64", _LONGEST, b"WAVE")
    return head + sizes + chunks + _head(b"data", _LONGEST)


_LONGEST = 2**32 - 1  # the greatest size in a header; in RF64 it stands for one in another place


def _head(name: bytes, size: int) -> bytes:
    return struct.pack("<4sI", name, size)


def _chunk(name: bytes, content: bytes) -> bytes:
    return _head(name, len(content)) + content


def _write_by_soundfile(
    file: IO[bytes],
    path: Any,
    blocks: Iterable[np.ndarray],
    channels: int,
    scale: float,
    sr: int,
    depth: str,
) -> None:
    import soundfile

    name, _ = BY_SOUNDFILE[Path(path).suffix.lower()]
    subtype = f"PCM_{depth}"
    with soundfile.SoundFile(file, "w", sr, channels, subtype, format=name) as writer:
        for block in blocks:
            writer.write(block.T * np.float32(scale))
