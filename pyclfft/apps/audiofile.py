"""Audio files as arrays: WAV, FLAC, OGG, AIFF and others by soundfile, WAV by SciPy without it.

Samples are float32, -1 to 1 at a file's full scale, whatever it holds; files that hold floating
point numbers are left as they are. Both ways to read a WAV file give the same samples.
"""

from __future__ import annotations

import os
import struct
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from math import isfinite
from typing import IO, Any, Literal

import numpy as np

from ..advice import pip_install
from ..errors import FormatError, PlanError

Channel = int | Literal["all", "mix"]
PathName = str | os.PathLike[str]

BLOCK = 2**18  # samples that are read at a time
REMEDY = pip_install("sounds")
CONVERT = "convert it to WAV with 16 or 24 bits"

# How files begin that soundfile reads, for what is said where it is missing.
MAGICS = {
    b"fLaC": "FLAC",
    b"OggS": "OGG",
    b"FORM": "AIFF",
    b".snd": "AU",
    b"caff": "CAF",
    b"ID3": "MP3",
    b"\xff\xfb": "MP3",
}

# What soundfile calls the numbers in a file, where its own description is no better.
ENCODINGS = {
    "PCM_S8": "8-bit",
    "PCM_U8": "8-bit",
    "PCM_16": "16-bit",
    "PCM_24": "24-bit",
    "PCM_32": "32-bit",
    "FLOAT": "32-bit float",
    "DOUBLE": "64-bit float",
}

# WAV: how a file begins -> order of its bytes; its code of the kind of numbers -> words.
WAV_ORDERS = {b"RIFF": "<", b"RF64": "<", b"RIFX": ">"}
WAV_CODES = {1: "", 3: " float", 6: " A-law", 7: " mu-law"}
_EXTENSIBLE = 0xFFFE  # the code stands further behind
_UNKNOWN_SIZE = 0xFFFFFFFF  # of a file that was written without going back


@dataclass(frozen=True)
class AudioInfo:
    """What an audio file says of itself.

    Attributes
    ----------
    sr : int
        Sample rate: samples a second, of each channel.
    channels : int
        How many.
    samples : int
        Of each channel.
    kind : str
        Numbers and format in words, such as ``16-bit WAV``.
    """

    sr: int
    channels: int
    samples: int
    kind: str

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return self.samples / self.sr

    def __str__(self) -> str:
        channels = {1: "mono", 2: "stereo"}.get(self.channels, f"{self.channels} channels")
        return f"{self.seconds:.2f} s, {self.sr} Hz, {channels}, {self.kind}"


@dataclass(frozen=True, eq=False)
class AudioFile:
    """Samples of an audio file.

    Attributes
    ----------
    samples : numpy.ndarray, shape (channels, samples)
        float32: those that were asked for.
    sr : int
        Sample rate, in Hz.
    info : AudioInfo
        Of the whole file.
    """

    samples: np.ndarray
    sr: int
    info: AudioInfo


def read_audio(
    path: str | os.PathLike[str],
    *,
    start: float = 0.0,
    duration: float | None = None,
    channel: Channel = "all",
) -> AudioFile:
    """Read an audio file, or a part of it; what it is shows in its content, not in its suffix.

    Parameters
    ----------
    path : str or path
        The file: WAV (8-bit unsigned, 16, 24, 32 or 64 bits, float32, float64; RIFF, RIFX, RF64,
        extensible), and with soundfile also FLAC, OGG, AIFF, MP3, AU, CAF and others.
    start : float
        Where to begin, in seconds.
    duration : float, optional
        Seconds to read; to the end by default.
    channel : int, "mix" or "all"
        One of them, from 0; the mean of all; or each.

    Returns
    -------
    AudioFile
        Its samples are the caller's own, of the shape (1, samples) but for "all".

    Raises
    ------
    FormatError
        The file is empty, damaged, no audio, holds numbers that are not finite, or is of a format
        that needs soundfile.
    PlanError
        A start, a duration or a channel that the file does not have.
    OSError
        The file is missing, a folder, or cannot be read.

    Warns
    -----
    UserWarning
        The file was cut short; what is there is read.

    Notes
    -----
    Integers of b bits are divided by 2^(b - 1) as they stand in the file, 8-bit ones less 128.
    """
    with open_audio(path) as audio:
        blocks = audio.blocks(start=start, duration=duration, channel=channel)
        samples = np.concatenate(list(blocks), axis=1)
        return AudioFile(samples, audio.info.sr, audio.info)


def audio_blocks(
    path: str | os.PathLike[str],
    size: int = BLOCK,
    *,
    start: float = 0.0,
    duration: float | None = None,
    channel: Channel = "all",
) -> Iterator[np.ndarray]:
    """Read an audio file part by part.

    Parameters
    ----------
    path, start, duration, channel
        As of `read_audio`.
    size : int
        Samples of a block.

    Yields
    ------
    ndarray of float32, shape (channels, size)
        One behind the other; the last may be shorter.

    Raises
    ------
    FormatError, PlanError, OSError
        As `read_audio`, damage when it is reached.
    """
    with open_audio(path) as audio:
        yield from audio.blocks(size, start=start, duration=duration, channel=channel)


# --- an open file ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class AudioReader:
    """An open audio file, from `open_audio`.

    Attributes
    ----------
    path : str
        The file.
    info : AudioInfo
        What it says of itself.
    """

    path: str
    info: AudioInfo
    _read: Callable[[int, int], np.ndarray]

    def extent(self, start: float = 0.0, duration: float | None = None) -> tuple[int, int]:
        """Return the first of the samples in a part of the file, and how many there are.

        Parameters
        ----------
        start, duration : float
            As of `read_audio`.

        Raises
        ------
        PlanError
            There are none.
        """
        if not (isfinite(start) and start >= 0):
            raise PlanError(f"start is a time in seconds from 0 on, not {start}")
        if duration is not None and not duration > 0:
            raise PlanError(f"duration is a positive number of seconds, not {duration}")
        first = round(start * self.info.sr)
        left = self.info.samples - first
        if left < 1:
            raise PlanError(
                f"{self.path}: lasts {self.info.seconds:.3f} s, so that there is nothing from "
                f"{start:g} s on: choose an earlier start"
            )
        if duration is None or duration * self.info.sr >= left:
            return first, left
        return first, max(1, round(duration * self.info.sr))

    def blocks(
        self,
        size: int = BLOCK,
        *,
        start: float = 0.0,
        duration: float | None = None,
        channel: Channel = "all",
    ) -> Iterator[np.ndarray]:
        """Read part by part; parameters, what is yielded and errors as of `audio_blocks`."""
        if size < 1:
            raise PlanError(f"size is a positive number of samples, not {size}")
        first, count = self.extent(start, duration)
        _require_channel(self, channel)
        end = first + count
        while first < end:
            block = self._read(first, min(size, end - first))
            if not len(block):
                what = f"{self.path}: cut short: {end - first} samples are missing at its end"
                if first == end - count:
                    raise FormatError(f"{what}, and all that were asked for are among them")
                warnings.warn(what, stacklevel=2)
                return
            if not np.isfinite(block).all():
                raise FormatError(
                    f"{self.path}: some samples are NaN or infinite: replace them by numbers"
                )
            first += len(block)
            yield _chosen(block, channel)


@contextmanager
def open_audio(path: str | os.PathLike[str]) -> Iterator[AudioReader]:
    """Open an audio file to read it part by part.

    Parameters
    ----------
    path : str or path
        As of `read_audio`.

    Yields
    ------
    AudioReader
        Its `info` is known already.

    Raises
    ------
    FormatError, OSError
        As `read_audio`.
    """
    name = str(path)
    with open(path, "rb") as file:  # which names a missing file and a folder better than libraries
        beginning = file.read(12)
        if not beginning:
            raise FormatError(f"{name}: the file is empty")
        wav = _wav_header(file) if _is_wav(beginning) else None
    reader, close = _open_by_any(path, beginning, wav)
    try:
        if reader.info.samples < 1 or reader.info.sr < 1:
            raise FormatError(f"{name}: {NO_SAMPLES}")
        if wav and wav.missing:
            warnings.warn(
                f"{name}: cut short: {wav.missing} of {wav.promised} bytes are missing at its end",
                stacklevel=3,
            )
        yield reader
    finally:
        close()


def _require_channel(audio: AudioReader, channel: Channel) -> None:
    count = audio.info.channels
    if channel in ("all", "mix"):
        return
    if isinstance(channel, str) or not 0 <= channel < count:
        known = "0" if count == 1 else f"0 to {count - 1}"
        raise PlanError(f"{audio.path}: there is no channel {channel!r}: take {known}, or 'mix'")


def _chosen(block: np.ndarray, channel: Channel) -> np.ndarray:
    """Return channels of samples, from shape (samples, channels) to (chosen, samples)."""
    if channel == "all":
        return np.ascontiguousarray(block.T)
    if channel == "mix":
        channels = block.T  # NumPy's own mean of a few neighbours is many times slower
        return (sum(channels[1:], channels[0]) / np.float32(len(channels)))[None]
    assert isinstance(channel, int)
    return np.ascontiguousarray(block[:, channel])[None]


# --- libraries that read --------------------------------------------------------------------------


def _by_soundfile(soundfile: Any, path: PathName) -> tuple[AudioReader, Callable[[], None]]:
    name, file = str(path), soundfile.SoundFile(os.fspath(path))
    container = "WAV" if file.format == "WAVEX" else file.format
    encoding = ENCODINGS.get(file.subtype, file.subtype_info)
    info = AudioInfo(file.samplerate, file.channels, file.frames, f"{encoding} {container}")

    def read(first: int, count: int) -> np.ndarray:
        try:
            if file.tell() != first:
                file.seek(first)
            return file.read(count, "float32", always_2d=True)
        except RuntimeError as error:
            raise FormatError(
                f"{name}: damaged or cut short {first / info.sr:.1f} s from its beginning or later "
                f"({_words(error)}): get another copy, or read a shorter part"
            ) from None

    return AudioReader(name, info, read), file.close


def _by_scipy(wavfile: Any, path: PathName) -> tuple[AudioReader, Callable[[], None]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of chunks without samples; of missing samples we warn
        try:
            sr, values = wavfile.read(os.fspath(path), mmap=True)
        except ValueError:  # 3 bytes a sample cannot be mapped, nor what is cut short
            sr, values = wavfile.read(os.fspath(path))
    values = values.reshape(len(values), -1)
    samples, channels = values.shape

    def read(first: int, count: int) -> np.ndarray:
        return scaled(values[first : first + count])

    return AudioReader(str(path), AudioInfo(sr, channels, samples, "WAV"), read), lambda: None


def scaled(values: np.ndarray) -> np.ndarray:
    """Return samples as float32, -1 to 1 at full scale.

    Parameters
    ----------
    values : ndarray
        As they stand in a file; of integers with fewer bits than the dtype has, the lowest bits are
        zeros. Unsigned ones are centred.

    Returns
    -------
    ndarray of float32
        Of the same shape.
    """
    if values.dtype.kind == "f":
        with np.errstate(over="ignore"):  # which is found out, as all that is not finite
            return values.astype(np.float32)
    half = np.float32(2.0 ** (8 * values.itemsize - 1))
    centre = half if values.dtype.kind == "u" else np.float32(0)
    return (values.astype(np.float32) - centre) / half


@dataclass(frozen=True)
class _Backend:
    """A library: the module that reads, whether it reads nothing but WAV, and how it is called."""

    module: str
    only_wav: bool
    open: Callable[[Any, PathName], tuple[AudioReader, Callable[[], None]]]


NO_SAMPLES = (
    "no samples are in it, or none a second: it was cut short or never finished, get another copy"
)

# In the order in which they are tried: SciPy also reads integers of more than 32 bits.
BACKENDS = (
    _Backend("soundfile", False, _by_soundfile),
    _Backend("scipy.io.wavfile", True, _by_scipy),
)


def _open_by_any(
    path: PathName, beginning: bytes, wav: _Wav | None
) -> tuple[AudioReader, Callable[[], None]]:
    """Open by the first library that is there and can; the first one's complaint is the error's."""
    name = str(path)
    reasons: dict[str, str] = {}
    for backend in BACKENDS:
        module = None if backend.only_wav and not wav else _imported(backend.module)
        if module is None:
            continue
        try:
            reader, close = backend.open(module, path)
        except MemoryError:
            raise
        except Exception as error:  # they raise whatever a damaged file makes them raise
            reasons[backend.module] = _words(error)
            continue
        if wav and wav.kind:
            reader = replace(reader, info=replace(reader.info, kind=wav.kind))
        return reader, close
    if any("array of size 0" in reason for reason in reasons.values()):  # how newer SciPys say it
        raise FormatError(f"{name}: {NO_SAMPLES}")
    if reasons:
        remedy = CONVERT if "soundfile" in reasons else f"{CONVERT}, or {REMEDY}"
        reason = next(iter(reasons.values()))
        raise FormatError(f"{name}: no audio that can be read ({reason}): {remedy}")
    kinds = (kind for magic, kind in MAGICS.items() if beginning.startswith(magic))
    what = next(kinds, f"a file that is no WAV (it begins with {beginning[:4]!r})")
    raise FormatError(f"{name}: reading {what} needs soundfile: {REMEDY}")


def _imported(module: str) -> Any:
    """Return a module, None where it is not installed or lacks its own library."""
    try:
        return import_module(module)
    except (ImportError, OSError):
        return None


def _words(error: BaseException) -> str:
    """Return what a library complains of, without the file's name, on one line."""
    message = getattr(error, "error_string", None) or str(error) or type(error).__name__
    return " ".join(message.split()).removeprefix("Error : ").rstrip(".")


# --- what a WAV file says, whoever reads its samples ----------------------------------------------


@dataclass(frozen=True)
class _Wav:
    """Header of a WAV file: what it holds in words, bytes of samples, and those not there."""

    kind: str = ""
    promised: int = 0
    missing: int = 0


def _is_wav(beginning: bytes) -> bool:
    return beginning[:4] in WAV_ORDERS and beginning[8:12] == b"WAVE"


def _wav_header(file: IO[bytes]) -> _Wav:
    """Read the chunks before the samples; what is damaged is left to others to complain of."""
    end = file.seek(0, os.SEEK_END)
    file.seek(0)
    order = WAV_ORDERS[file.read(12)[:4]]
    kind, long_size = "", 0
    while len(head := file.read(8)) == 8:
        name, size = struct.unpack(order + "4sI", head)
        begin = file.tell()
        if name == b"data":
            promised = long_size if size == _UNKNOWN_SIZE else size
            return _Wav(kind, promised, max(0, promised - (end - begin)))
        if name == b"ds64" and len(sizes := file.read(16)) == 16:
            _, long_size = struct.unpack(order + "QQ", sizes)
        if name == b"fmt ":
            kind = _wav_kind(file.read(min(size, 40)), order)
        file.seek(begin + size + size % 2)
    return _Wav(kind)


def _wav_kind(chunk: bytes, order: str) -> str:
    if len(chunk) < 16:
        return ""
    code, bits = struct.unpack(order + "H12xH", chunk[:16])
    if code == _EXTENSIBLE and len(chunk) >= 26:
        (code,) = struct.unpack(order + "H", chunk[24:26])
    return f"{bits}-bit{WAV_CODES[code]} WAV" if code in WAV_CODES else ""
