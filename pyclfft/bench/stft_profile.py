"""Where a whole program for music analysis spends its time, for ``bench stft``.

A report gives a profile of its program before any part of it ran on a GPU. Here pyclfft does the
work of the same parts, and each of them is timed. The input is a melody in a WAV file, as long as
the report's song.
"""

from __future__ import annotations

import tempfile
import time
import wave
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from math import nan
from pathlib import Path

import numpy as np
import pyopencl as cl

from ..audio.audiofile import read_audio
from ..audio.frame_jobs import Job, executable_of
from ..audio.notes import notes
from ..audio.onsets import onsets
from ..audio.spectrogram_picture import AXES, Levels
from ..audio.stft import PRESETS
from ..runtime import memory
from ..runtime.executable import run_on_host
from ..runtime.profile import PassTime, Recorder, profiling_queue
from .statistics import Spread, spread
from .stft_launches import FRAMES, HOP, N_FFT, RATE

PRESET = "music-analysis"
NOTE_S = 0.25  # seconds of each note of the melody
SCALE = (60, 62, 64, 65, 67, 69, 71, 72, 71, 69, 67, 65, 64, 62)  # MIDI numbers, C4 to C5 and back
HARMONICS = (1.0, 0.5, 0.33, 0.25, 0.2)

# The report's profile of its first program, in percent of its whole time. The names are ours.
READ, DOMAIN, STFT, FFT, ONSETS, NOTES = (
    "reading the file", "frequency domain", "of which the STFT", "of which its FFT",
    "onset detection", "decomposition into notes",
)  # fmt: skip
PUBLISHED_PERCENT = {ONSETS: 39.3, DOMAIN: 38.5, STFT: 37.7, FFT: 35.5}
LEVELS = "levels"  # adding up the levels of a picture, which counts as part of the frequency domain
WHOLE = (READ, DOMAIN, ONSETS, NOTES)  # parts that make up the whole program


@dataclass(frozen=True)
class Part:
    """A part of the program.

    Attributes
    ----------
    name : str
        What the part does.
    ms : Spread
        Milliseconds that the part takes for the whole song, by the host's clock. Those of the FFT
        are the times of the STFT's kernels by their events.
    """

    name: str
    ms: Spread = field(default_factory=Spread)

    @property
    def published_percent(self) -> float:
        """The part's percentage in the report; NaN if the report gives none."""
        return PUBLISHED_PERCENT.get(self.name, nan)


def percent(parts: tuple[Part, ...], part: Part) -> float:
    """Return the percentage of the whole program's time that a part takes."""
    return 100 * part.ms.median / sum(each.ms.median for each in parts if each.name in WHOLE)


def melody(samples: int = (FRAMES + 1) * HOP) -> np.ndarray:
    """Return notes of a scale, up and down. Each has some harmonics, starts hard, and fades.

    Parameters
    ----------
    samples : int
        Number of samples, at `RATE` a second.

    Returns
    -------
    ndarray of float32, shape (samples,)
        The melody, with values from -1 to 1.
    """
    t = np.arange(int(NOTE_S * RATE)) / RATE
    envelope = np.minimum(1, t / 0.005) * np.exp(-6 * t)
    sounds = []
    for midi in SCALE:
        hz = 440 * 2 ** ((midi - 69) / 12)
        tones = (a * np.sin(2 * np.pi * hz * (k + 1) * t) for k, a in enumerate(HARMONICS))
        sounds.append(envelope * sum(tones))
    y = np.resize(np.concatenate(sounds), samples)
    return (0.9 * y / np.abs(y).max()).astype(np.float32)


def measure_profile(queue: cl.CommandQueue, samples: int, song: int = 0) -> tuple[Part, ...]:
    """Time every part of the program.

    Parameters
    ----------
    queue : cl.CommandQueue
        Queue of the device.
    samples : int
        How often the program runs, after one run that does not count.
    song : int, optional
        Number of samples in the melody; by default that of the report's song.

    Returns
    -------
    tuple of Part
        The parts with their times.
    """
    y = melody(song) if song else melody()
    taken: dict[str, list[float]] = {}
    profiling = profiling_queue(queue.context)  # one for all runs: a new queue may start slowly
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "melody.wav"
        _write(path, y)
        for turn in range(1 + samples):
            found = _run(path, queue, profiling)
            if turn:
                for name, ms in found.items():
                    taken.setdefault(name, []).append(ms)
    return tuple(Part(name, spread(ms)) for name, ms in taken.items())


def _write(path: Path, y: np.ndarray) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((32767 * y).astype("<i2").tobytes())


def _run(path: Path, queue: cl.CommandQueue, profiling: cl.CommandQueue) -> dict[str, float]:
    """Run the program once, with its STFT on a profiling queue; return each part's milliseconds."""
    ms: dict[str, float] = {}

    def timed(name: str, call: Callable[[], np.ndarray]) -> np.ndarray:
        begin = time.perf_counter()
        result = call()
        ms[name] = 1e3 * (time.perf_counter() - begin)
        return result

    recorder = Recorder()
    y = timed(READ, lambda: read_audio(path, channel="mix").samples[0])
    magnitudes = timed(STFT, lambda: _spectrogram(y, profiling, recorder))
    levels = Levels(AXES["linear"], RATE, N_FFT, *magnitudes.shape)
    timed(LEVELS, lambda: _added(levels, magnitudes))
    timed(ONSETS, lambda: onsets(y, RATE, queue=queue))
    timed(NOTES, lambda: np.array(notes(y, RATE, queue=queue), object))
    return parts_of(ms, recorder.times())


def parts_of(ms: Mapping[str, float], times: Iterable[PassTime]) -> dict[str, float]:
    """Return the milliseconds of every part of the program in one run.

    Parameters
    ----------
    ms : mapping of str to float
        Milliseconds that the host waited for each call.
    times : iterable of PassTime
        Times of everything that the device did for the STFT. Its kernels are the FFT.

    Returns
    -------
    dict of str to float
        Each part's milliseconds. If a part contains another one, its time is at least as long.
    """
    return {
        READ: ms[READ],
        DOMAIN: ms[STFT] + ms[LEVELS],
        STFT: ms[STFT],
        FFT: sum(each.ms for each in times if each.name not in ("write", "read")),
        ONSETS: ms[ONSETS],
        NOTES: ms[NOTES],
    }


def _added(levels: Levels, magnitudes: np.ndarray) -> np.ndarray:
    levels.add(magnitudes)
    return magnitudes


def _spectrogram(y: np.ndarray, queue: cl.CommandQueue, recorder: Recorder) -> np.ndarray:
    """Do what `spectrogram` does with the preset, and record the events of its kernels.

    As with `spectrogram`, a CPU uses the host's arrays where they are.
    """
    frames, magnitudes = PRESETS[PRESET]
    job = Job(frames.over(len(y), 1, "single"), frames.window, magnitudes)
    executable = executable_of(queue.context, job)
    y = memory.contiguous(y)
    result = memory.empty((frames.count(len(y)), magnitudes.bins), np.dtype(np.float32))
    if memory.can_wrap(executable.traits, y, result):
        enqueue = partial(executable.enqueue, recorder=recorder)
        memory.run_where_they_are(queue, executable.traits, y, result, enqueue)
    else:
        run_on_host(executable, queue, y, result, recorder)
    return result.T
