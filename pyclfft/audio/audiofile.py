"""Audio files as arrays: WAV, FLAC, OGG, AIFF and others by soundfile; WAV also without it.

Samples are float32. Integers of any kind are scaled, so that full scale is -1 to 1; floating point
numbers are not scaled. WAV files give the same samples with soundfile and without it.
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

BLOCK = 2**18  # how many samples are read at a time
REMEDY = pip_install("sounds")
CONVERT = "convert it to WAV with 16 or 24 bits"

# How a file begins that soundfile can read -> its format, for the error if soundfile is missing.
MAGICS = {
    b"fLaC": "FLAC",
    b"OggS": "OGG",
    b"FORM": "AIFF",
    b".snd": "AU",
    b"caff": "CAF",
    b"ID3": "MP3",
    b"\xff\xfb": "MP3",
}

# Soundfile's name of the numbers in a file -> a better one for people.
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
_INTEGERS, _FLOATS = 1, 3  # the codes of numbers that we read without soundfile
_EXTENSIBLE = 0xFFFE  # in its place: the code itself stands further behind
_UNKNOWN_SIZE = 0xFFFFFFFF  # the size in a header that was written before the size was known
_FORMAT_BYTES = 40  # the size of the longest chunk about the format
_SCAN_BYTES = 2**16  # how many bytes of a file are searched for chunks at a time


@dataclass(frozen=True)
class AudioInfo:
    """What an audio file says of itself.

    Attributes
    ----------
    sr : int
        Sample rate: samples a second, of each channel.
    channels : int
        How many channels there are.
    samples : int
        How many samples each channel has.
    kind : str
        Numbers and format in words, for example ``16-bit WAV``.
    """

    sr: int
    channels: int
    samples: int
    kind: str

    @property
    def seconds(self) -> float:
        """How long the sound lasts, in seconds."""
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
        The samples that were asked for, float32.
    sr : int
        The sample rate, in Hz.
    info : AudioInfo
        What the whole file says of itself.
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
    """Read an audio file, or a part of it; its content, not its suffix, tells the format.

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
        The number of one channel, from 0 on; the mean of all channels; or every channel.

    Returns
    -------
    AudioFile
        The sound. Unless `channel` is "all", the samples have the shape (1, samples). The array
        belongs to the caller.

    Raises
    ------
    FormatError
        The file is empty, damaged or no audio, holds numbers that are not finite, or needs
        soundfile, which is not installed.
    PlanError
        The file does not have the start, the duration or the channel.
    OSError
        The file is missing, a folder, or cannot be read.

    Warns
    -----
    UserWarning
        The file was cut short; the samples that it has are read.

    See Also
    --------
    audio_blocks : Read a file part by part.
    pyclfft.stft : Transform the samples, frame by frame.

    Notes
    -----
    Integers of b bits are divided by 2^(b - 1); 128 is subtracted from 8-bit ones before.
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
        The parameters of `read_audio`.
    size : int
        Samples of a block.

    Yields
    ------
    ndarray of float32, shape (channels, size)
        The next block; the last one may be shorter.

    Raises
    ------
    FormatError, PlanError, OSError
        As `read_audio` raises them; an error about damage comes when the damage is reached.

    See Also
    --------
    read_audio : Read a file, or a part of it, at once.
    pyclfft.StreamingSTFT : Transform a signal that comes block by block.
    pyclfft.StreamingConvolver : Convolve a signal that comes block by block.
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
        """Return the first sample of a part of the file, and how many samples the part has.

        Parameters
        ----------
        start, duration : float
            The parameters of `read_audio`.

        Raises
        ------
        PlanError
            The part has no samples.
        """
        if not (isfinite(start) and start >= 0):
            raise PlanError(f"start is a time in seconds from 0 on, not {start}")
        if duration is not None and not duration > 0:
            raise PlanError(f"duration is a positive number of seconds, not {duration}")
        first = round(start * self.info.sr)
        left = self.info.samples - first
        if left < 1:
            raise PlanError(
                f"{self.path}: the sound lasts {self.info.seconds:.3f} s and has nothing from "
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
        """Read block by block; parameters, results and errors are those of `audio_blocks`."""
        if size < 1:
            raise PlanError(f"size is a positive number of samples, not {size}")
        first, count = self.extent(start, duration)
        _require_channel(self, channel)
        end = first + count
        while first < end:
            block = self._read(first, min(size, end - first))
            if not len(block):
                what = f"{self.path}: cut short: its last {end - first} samples are missing"
                if first == end - count:
                    raise FormatError(f"{what}, and with them all samples that were asked for")
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
        The parameter of `read_audio`.

    Yields
    ------
    AudioReader
        The open file; it is closed when the context ends.

    Raises
    ------
    FormatError, OSError
        As `read_audio` raises them.
    """
    name = str(path)
    with open(path, "rb") as file:  # its errors about missing files are better than the libraries'
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
    """Return the chosen channels: from the shape (samples, channels) to (chosen, samples)."""
    if channel == "all":
        return np.ascontiguousarray(block.T)
    if channel == "mix":
        channels = block.T  # NumPy's own mean of a few neighbours is many times slower
        return (sum(channels[1:], channels[0]) / np.float32(len(channels)))[None]
    assert isinstance(channel, int)
    return np.ascontiguousarray(block[:, channel])[None]


# --- who reads ------------------------------------------------------------------------------------


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


def _by_hand(wav: _Wav, path: PathName) -> tuple[AudioReader, Callable[[], None]]:
    """Open a WAV file without a library; integers may have more than 32 bits."""
    file = open(path, "rb")  # noqa: SIM115  the caller closes it
    info = AudioInfo(wav.sr, wav.channels, wav.held // wav.frame, wav.kind)

    def read(first: int, count: int) -> np.ndarray:
        file.seek(wav.begin + first * wav.frame)
        data = file.read(count * wav.frame)
        return scaled(wav.numbers(data[: len(data) // wav.frame * wav.frame]))

    return AudioReader(str(path), info, read), file.close


def scaled(values: np.ndarray) -> np.ndarray:
    """Return samples as float32, -1 to 1 at full scale.

    Parameters
    ----------
    values : ndarray
        The numbers in a file. If integers have fewer bits than the dtype, the lowest bits of the
        dtype are zeros. Unsigned integers have their zero in the middle of their range.

    Returns
    -------
    ndarray of float32
        The samples, in the shape of `values`.
    """
    if values.dtype.kind == "f":
        with np.errstate(over="ignore"):  # the caller refuses infinity
            return values.astype(np.float32)
    half = np.float32(2.0 ** (8 * values.itemsize - 1))
    centre = half if values.dtype.kind == "u" else np.float32(0)
    return (values.astype(np.float32) - centre) / half


NO_SAMPLES = (
    "no samples are in it, or none a second: it was cut short or never finished, get another copy"
)


def _open_by_any(
    path: PathName, beginning: bytes, wav: _Wav | None
) -> tuple[AudioReader, Callable[[], None]]:
    """Open a file by soundfile; if that fails or is not installed, read a WAV file by hand."""
    name, complaint = str(path), ""
    soundfile = _imported("soundfile")
    if soundfile is not None:
        try:
            reader, close = _by_soundfile(soundfile, path)
        except MemoryError:
            raise
        except Exception as error:  # a damaged file may make soundfile raise any error
            complaint = _words(error)
        else:
            kind = wav.kind if wav and wav.kind else reader.info.kind
            return replace(reader, info=replace(reader.info, kind=kind)), close
    if wav and wav.is_plain:
        return _by_hand(wav, path)
    if wav and not complaint:
        complaint = wav.kind or "a damaged WAV, or one of an unusual kind"
    if complaint:
        remedy = CONVERT if soundfile is not None else f"{CONVERT}, or {REMEDY}"
        raise FormatError(f"{name}: no audio that can be read ({complaint}): {remedy}")
    kinds = (kind for magic, kind in MAGICS.items() if beginning.startswith(magic))
    what = next(kinds, f"a file that is no WAV (it begins with {beginning[:4]!r})")
    raise FormatError(f"{name}: reading {what} needs soundfile: {REMEDY}")


def _imported(module: str) -> Any:
    """Return a module, or None if it is not installed or lacks its own library."""
    try:
        return import_module(module)
    except (ImportError, OSError):
        return None


def _words(error: BaseException) -> str:
    """Return the message of a library's error on one line, without the file's name."""
    message = getattr(error, "error_string", None) or str(error) or type(error).__name__
    return " ".join(message.split()).removeprefix("Error : ").rstrip(".")


# --- what a WAV file says, whoever reads its samples ----------------------------------------------


@dataclass(frozen=True)
class _Wav:
    """The header of a WAV file, as far as it could be read.

    Attributes
    ----------
    order : str
        The order of bytes, in the notation of `struct`.
    code, channels, sr, frame, bits : int
        The code for the kind of numbers, the number of channels, the samples a second, the bytes of
        one sample of all channels, and the bits of a number.
    begin : int
        Where the samples begin in the file.
    promised : int
        Bytes of samples that the header promises; 0 if it does not say.
    held : int
        Bytes of samples that are in the file.
    """

    order: str
    code: int = 0
    channels: int = 0
    sr: int = 0
    frame: int = 0
    bits: int = 0
    begin: int = 0
    promised: int = 0
    held: int = 0

    @property
    def missing(self) -> int:
        """Bytes of samples that the header promises and the file does not have."""
        return max(0, self.promised - self.held)

    @property
    def kind(self) -> str:
        """Numbers and format in words; empty if the code is not known."""
        return f"{self.bits}-bit{WAV_CODES[self.code]} WAV" if self.code in WAV_CODES else ""

    @property
    def width(self) -> int:
        """Bytes of a number; 0 if a frame does not consist of whole numbers."""
        width, rest = divmod(self.frame, self.channels) if self.channels else (0, 0)
        return 0 if rest else width

    @property
    def is_plain(self) -> bool:
        """Whether samples were found, and `numbers` knows how they are stored."""
        if not self.begin:
            return False
        if self.code == _FLOATS:
            return self.width in (4, 8) and self.bits == 8 * self.width
        return self.code == _INTEGERS and self.width <= 8 and 0 < self.bits <= 8 * self.width

    def numbers(self, data: bytes) -> np.ndarray:
        """Return the numbers in the file; integers are in the upper bytes of their dtype.

        Parameters
        ----------
        data : bytes
            Whole frames.

        Returns
        -------
        ndarray, shape (samples, channels)
        """
        width = 1 << (self.width - 1).bit_length()  # bytes of a dtype that holds the numbers
        letter = "f" if self.code == _FLOATS else "u" if self.width == 1 else "i"
        dtype = f"{self.order}{letter}{width}"
        if width == self.width:
            return np.frombuffer(data, dtype).reshape(-1, self.channels)
        room = np.zeros((len(data) // self.width, width), np.uint8)
        upper = slice(width - self.width, None) if self.order == "<" else slice(self.width)
        room[:, upper] = np.frombuffer(data, np.uint8).reshape(-1, self.width)
        return room.view(dtype).reshape(-1, self.channels)


def _is_wav(beginning: bytes) -> bool:
    return beginning[:4] in WAV_ORDERS and beginning[8:12] == b"WAVE"


def _wav_header(file: IO[bytes]) -> _Wav:
    """Read the chunks before the samples; damage raises no error before samples are read."""
    end = file.seek(0, os.SEEK_END)
    file.seek(0)
    wav, long_size = _Wav(WAV_ORDERS[file.read(12)[:4]]), 0
    for name, size, begin, content in _chunks(file, wav.order):
        if name == b"data":
            there = max(0, end - begin)
            promised = long_size if size == _UNKNOWN_SIZE else size
            known = size != _UNKNOWN_SIZE or long_size
            held = min(promised, there) if known else there
            return replace(wav, begin=begin, promised=promised, held=held)
        if name == b"ds64" and len(content) >= 16:
            _, long_size = struct.unpack(wav.order + "QQ", content[:16])
        if name == b"fmt " and len(content) >= 16:
            wav = _with_format(wav, content)
    return wav


def _chunks(file: IO[bytes], order: str) -> Iterator[tuple[bytes, int, int, bytes]]:
    """Yield the name, the size, the begin and the first bytes of each chunk.

    The file is read in blocks, because a damaged one may consist of millions of chunks.
    """
    head = struct.Struct(order + "4sI")
    at, start, block = 12, 0, b""
    while True:
        if at + head.size + _FORMAT_BYTES > start + len(block):
            start = file.seek(at)
            block = file.read(_SCAN_BYTES)
        here = at - start
        if here + head.size > len(block):
            return
        name, size = head.unpack_from(block, here)
        begin = at + head.size
        content = here + head.size
        yield name, size, begin, block[content : content + min(size, _FORMAT_BYTES)]
        at = begin + size + size % 2


def _with_format(wav: _Wav, chunk: bytes) -> _Wav:
    """Return a header with the values that the chunk about the format holds."""
    code, channels, sr, _, frame, bits = struct.unpack(wav.order + "HHIIHH", chunk[:16])
    if code == _EXTENSIBLE and len(chunk) >= 28:
        (code,) = struct.unpack(wav.order + "I", chunk[24:28])
    return replace(wav, code=code, channels=channels, sr=sr, frame=frame, bits=bits)
