"""Sounds in the lab: opened, drawn as spectrograms, cut by time and frequency, put into rooms."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pyopencl as cl
from PIL import Image

from ..audio.audio_writing import depth_of, write_audio
from ..audio.audiofile import AudioInfo, open_audio
from ..audio.notes import notes
from ..audio.spectral_editing import Region, edit_spectrogram
from ..audio.spectrogram_picture import hertz_of_mel, mel_of
from ..audio.stft import istft, spectrogram, stft
from ..audio.units import midi_to_hz
from ..convolution.reverb import resampled, reverberate
from ..errors import FormatError, PlanError
from .pictures import shown_name

SUFFIXES = (".wav", ".flac", ".ogg", ".mp3", ".aiff", ".aif", ".au", ".caf")
MAX_SAMPLES = 50_000_000  # of all channels
MAX_LEVELS = 64_000_000  # of a spectrogram: its frames times its bins
ROWS, COLUMNS = 512, 2048  # of a spectrogram's picture, at most
LOWEST = 27.5  # Hz: where an axis of notes begins, which is A0
MAX_GAIN = 60  # dB
CUT_FFT, CUT_HOP = 2048, 512  # the frames by which a rectangle is cut out

# The choices of the page, the usual one first.
SIZES = (2048, 256, 512, 1024, 4096, 8192)
OVERLAPS = (4, 2, 8)  # frames over each sample
WINDOWS = ("hann", "hamming", "blackman", "boxcar")
RANGES = (80, 40, 60, 100)  # dB
AXES = ("log", "linear", "mel")


@dataclass(frozen=True, eq=False)
class Sound:
    """A sound that is open in the lab.

    Attributes
    ----------
    name : str
        The name of its file, without folders.
    samples : ndarray of float32, shape (channels, samples)
        The sound.
    info : AudioInfo
        What its file says of it.
    changes : tuple of str
        What was done to it, in words.
    """

    name: str
    samples: np.ndarray
    info: AudioInfo
    changes: tuple[str, ...] = ()

    @property
    def sr(self) -> int:
        """Samples a second."""
        return self.info.sr

    @property
    def seconds(self) -> float:
        """How long the sound lasts."""
        return self.samples.shape[1] / self.sr

    @property
    def words(self) -> str:
        """What the sound is, for people."""
        return ", ".join((str(self.info), *self.changes))

    @property
    def mix(self) -> np.ndarray:
        """The mean of all channels."""
        return self.samples.mean(axis=0, dtype=np.float32)

    def file_name(self, what: str) -> str:
        """Return a name for a file that is made of the sound."""
        return f"{PurePosixPath(self.name).stem}_{what}.wav"


@dataclass(frozen=True)
class View:
    """How a spectrogram is drawn.

    Attributes
    ----------
    n_fft, overlap, window, db, axis
        The samples of a frame; how many frames lie over each sample, so that the hop is
        ``n_fft // overlap``; the window; the decibels from white to black; the frequency axis.
    """

    n_fft: int = SIZES[0]
    overlap: int = OVERLAPS[0]
    window: str = WINDOWS[0]
    db: int = RANGES[0]
    axis: str = AXES[0]

    def changed(self, name: str, value: Any) -> View:
        """Return the view after a change of one control, whose value is checked.

        Raises
        ------
        PlanError
            There is no such control, or the value is none of its values.
        """
        if value not in CHOICES.get(name, ()):
            raise PlanError(f"the lab has no control {name!r} with the value {value!r}")
        return replace(self, **{name: value})

    def frequencies(self, sr: int) -> np.ndarray:
        """Return the edges of a picture's rows in Hz, from the lowest up."""
        top = sr / 2
        if self.axis == "log":
            return np.geomspace(min(LOWEST, top / 2), top, ROWS + 1)
        if self.axis == "mel":
            return hertz_of_mel(np.linspace(0, float(mel_of(np.array(top))), ROWS + 1))
        return np.linspace(0, top, ROWS + 1)


CHOICES: Mapping[str, tuple[Any, ...]] = {
    "n_fft": SIZES, "overlap": OVERLAPS, "window": WINDOWS, "db": RANGES, "axis": AXES,
}  # fmt: skip


def open_sound(data: bytes, name: str) -> Sound:
    """Open a sound of at most `MAX_SAMPLES` samples; its header says how many there are.

    Raises
    ------
    FormatError
        The data are no sound, damaged, or of too many samples.
    """
    shown = shown_name(name)
    with tempfile.TemporaryDirectory(prefix="pyclfft-lab-") as folder:
        path = Path(folder) / "sound"  # sounds are read from files
        path.write_bytes(data)
        try:
            with open_audio(path) as audio:
                info = audio.info
                if info.samples * info.channels > MAX_SAMPLES:
                    raise FormatError(
                        f"{path}: the sound has more than {MAX_SAMPLES / 1e6:g} million samples: "
                        "open a shorter part"
                    )
                samples = np.concatenate(list(audio.blocks()), axis=1)
        except FormatError as error:
            raise FormatError(str(error).replace(str(path), shown)) from None
    return Sound(shown, samples, info)


# --- the spectrogram ------------------------------------------------------------------------------


def levels(sound: Sound, view: View, queue: cl.CommandQueue) -> np.ndarray:
    """Return the decibels of a spectrogram, 0 at its loudest place.

    Returns
    -------
    ndarray of float32, shape (ROWS, columns)
        The loudest level of what each row and column stand for, the lowest frequency first.

    Raises
    ------
    PlanError
        The spectrogram would be too large.
    """
    hop = view.n_fft // view.overlap
    frames = 1 + sound.samples.shape[1] // hop
    if frames * (view.n_fft // 2 + 1) > MAX_LEVELS:
        raise PlanError(
            f"a spectrogram of {frames} frames is too large for the page: choose less overlap, or "
            "open a shorter part"
        )
    decibels = spectrogram(
        sound.mix, view.n_fft, hop, window=view.window, db=True, ref="max", top_db=view.db,
        queue=queue,
    )  # fmt: skip
    edges = view.frequencies(sound.sr) * view.n_fft / sound.sr
    # A row between two bins shows the nearest one; a row of several bins the loudest.
    begins = np.clip(np.rint(edges[:-1]).astype(int), 0, len(decibels) - 1)
    decibels = np.maximum.reduceat(decibels, begins, axis=0)
    step = -(-frames // COLUMNS)
    return np.maximum.reduceat(decibels, np.arange(0, frames, step), axis=1)


def picture(decibels: np.ndarray, view: View) -> bytes:
    """Return levels as a grey PNG, white at 0 dB, the highest frequency at the top."""
    grey = np.rint(255 * (1 + np.maximum(decibels[::-1], -view.db) / view.db))
    buffer = io.BytesIO()
    Image.fromarray(grey.astype(np.uint8)).save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()


def found_notes(sound: Sound, queue: cl.CommandQueue) -> list[dict[str, Any]]:
    """Return the notes of a sound: where each begins, its seconds, its name and its frequency."""
    return [
        {
            "onset": note.onset,
            "duration": note.duration,
            "name": note.name,
            "hz": float(midi_to_hz(note.midi + note.cents / 100)),
        }
        for note in notes(sound.mix, sound.sr, queue=queue)
    ]


# --- sounds made of the sound ---------------------------------------------------------------------


@dataclass(frozen=True)
class Rectangle:
    """A range of time in seconds, and of frequency in Hz."""

    start: float
    end: float
    low: float
    high: float


def parse_rectangle(sent: Mapping[str, str]) -> Rectangle:
    """Return the rectangle that the browser has sent.

    Raises
    ------
    PlanError
        It is none.
    """
    try:
        result = Rectangle(*(float(sent[each]) for each in ("start", "end", "low", "high")))
    except (KeyError, ValueError):
        result = Rectangle(0, 0, 0, 0)
    if not (0 <= result.start < result.end < 1e9 and 0 <= result.low < result.high < 1e9):
        raise PlanError("draw a rectangle in the spectrogram first")
    return result


def cut(sound: Sound, rectangle: Rectangle, queue: cl.CommandQueue) -> Sound:
    """Return what sounds within a rectangle.

    Raises
    ------
    PlanError
        The rectangle lies behind the end of the sound.
    """
    first, last = (round(time * sound.sr) for time in (rectangle.start, rectangle.end))
    part = sound.samples[:, first:last]
    if not part.size:
        raise PlanError("the rectangle holds no samples: draw a longer one")
    length = part.shape[1]
    padded = np.pad(part, ((0, 0), (0, max(0, CUT_FFT - length))))
    frames = stft(padded, CUT_FFT, CUT_HOP, queue=queue)
    hertz = np.arange(frames.shape[-2]) * sound.sr / CUT_FFT
    half = sound.sr / CUT_FFT / 2  # a bin counts if it lies nearer to the range than its neighbours
    frames[:, (hertz < rectangle.low - half) | (hertz > rectangle.high + half)] = 0
    kept = istft(frames, CUT_HOP, n_fft=CUT_FFT, length=padded.shape[1], queue=queue)
    return replace(sound, samples=kept[:, :length])


def parse_region(sent: Mapping[str, str]) -> Region:
    """Return the rectangle that the browser has sent, with the gain in dB that it is to get.

    Raises
    ------
    PlanError
        It is no rectangle, or the gain is no number up to `MAX_GAIN`.
    """
    box = parse_rectangle(sent)
    try:
        gain = float(sent["gain"])
    except (KeyError, ValueError):
        gain = np.nan
    if not gain <= MAX_GAIN:
        raise PlanError(f"the gain is a number of decibels up to {MAX_GAIN}")
    return Region(box.start, box.end, box.low, box.high, gain)


def edited(sound: Sound, regions: Sequence[Region], queue: cl.CommandQueue) -> Sound:
    """Return a sound in which regions of the spectrogram are erased, softer or louder.

    Raises
    ------
    PlanError
        As `edit_spectrogram` raises it.
    """
    samples = edit_spectrogram(sound.samples, regions, sr=sound.sr, queue=queue)
    words = f"edited {len(regions)} time{'s' * (len(regions) != 1)}"
    return replace(sound, samples=samples, changes=(*sound.changes, words))


def in_room(sound: Sound, room: Sound, queue: cl.CommandQueue) -> Sound:
    """Return a sound as a room answers to it, as loud as before.

    Raises
    ------
    PlanError
        The room's channels do not fit, or it is silent.
    """
    taps = resampled(room.samples, room.sr, sound.sr)
    if sound.samples.shape[0] * (sound.samples.shape[1] + taps.shape[1]) > MAX_SAMPLES:
        raise PlanError("the sound would be too long in this room: open a shorter part")
    samples = reverberate(sound.samples, taps, normalize=True, queue=queue)
    return replace(sound, samples=samples, changes=(*sound.changes, f"in {room.name}"))


def wav(sound: Sound) -> bytes:
    """Return a sound as a WAV file of the depth that it came in, scaled where it would clip."""
    with tempfile.TemporaryDirectory(prefix="pyclfft-lab-") as folder:
        path = Path(folder) / "sound.wav"
        write_audio(path, sound.samples, sound.sr, depth_of(sound.info))
        return path.read_bytes()
