"""Magnitudes of the frames of sound files, computed part by part while the host reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pyopencl as cl

from ..runtime import describe, memory
from ..runtime.operation import queue_for, run
from ..runtime.profile import PassTime, Recorder
from .audiofile import AudioReader, Channel
from .frame_jobs import Job, executable_of
from .framing import Frames, Magnitudes

POINTS = 2**22  # points of the frames in one part of a file: more would need more memory in vain
RELATED_POINTS = 2**27  # points of all frames up to which the device divides by the greatest number

# Told of each step of the work: called with the step's name, it returns a context in which the step
# is done. Whoever wants to know how long steps take passes `Clock.step`.
Step = Callable[[str], AbstractContextManager[Any]]


@dataclass(frozen=True)
class Part:
    """The part of a sound file that is wanted; attributes as the parameters of `read_audio`."""

    start: float = 0.0
    duration: float | None = None
    channel: Channel = "mix"

    def extent(self, audio: AudioReader) -> tuple[int, int]:
        """Return the part's first sample in the file, and how many samples the part has."""
        return audio.extent(self.start, self.duration)

    def panels(self, audio: AudioReader) -> list[Part]:
        """Return the part of each channel if all channels are wanted, otherwise this part alone."""
        if self.channel != "all":
            return [self]
        return [replace(self, channel=number) for number in range(audio.info.channels)]

    def blocks(self, audio: AudioReader) -> Iterator[np.ndarray]:
        """Read the part block by block; see `AudioReader.blocks`."""
        return audio.blocks(**asdict(self))


def fits_at_once(frames: Frames, samples: int, chosen: cl.Device) -> bool:
    """Return whether all frames of a sound may be transformed at once.

    Parameters
    ----------
    frames : Frames
        How the sound is framed.
    samples : int
        How long the sound is.
    chosen : cl.Device
        The device whose memory has to hold the samples, their spectra and the magnitudes.

    Returns
    -------
    bool
    """
    points, item = frames.count(samples) * frames.n_fft, np.dtype(np.float32).itemsize
    sizes = {"samples": frames.extent(samples) * item, "spectra": points * item}
    sizes["magnitudes"] = points // 2 * item
    return points <= RELATED_POINTS and describe.traits(chosen).holds(sizes)


def spectra_of_file(
    audio: AudioReader,
    frames: Frames,
    magnitudes: Magnitudes | None,
    part: Part,
    *,
    algorithm: str | None = None,
    queue: cl.CommandQueue | None = None,
    step: Step = nullcontext,
    times: list[PassTime] | None = None,
) -> Iterator[np.ndarray]:
    """Compute the magnitudes of a file's frames part by part, however long the file is.

    Parameters
    ----------
    audio : AudioReader
        The file.
    frames : Frames
        How the sound is framed; zeros stand before it and behind it.
    magnitudes : Magnitudes or None
        The numbers that are wanted, or None for the complex spectra. If numbers are relative to the
        greatest one, which is known only at the end, all frames are transformed at once.
    part : Part
        The part of the file, of one channel or of the mean of all.
    algorithm : str, optional
        The algorithm of the transforms, as for `Plan`.
    queue : cl.CommandQueue, optional
        The queue to run on; the default queue by default.
    step : callable, optional
        Told of the steps "read", "plan" (which begins after the first piece is read) and
        "transform".
    times : list of PassTime, optional
        Receives the times of the device's transfers and kernels; `queue` has to profile then.

    Yields
    ------
    ndarray of float32, or of complex64 for spectra, shape (bins, frames)
        The next frames. Together they are what one transform of the whole sound would give.

    Raises
    ------
    FormatError, PlanError, DeviceError, DeviceMemoryError
        As `AudioReader.blocks` and `spectrogram`.

    Notes
    -----
    All pieces have the same length, because the zeros around the sound count as samples. So they
    share one plan, which is made while the host reads. `FrameStream`, which takes any padding,
    makes plans of their own for the beginning and the end of a sound, and often has to build
    another kernel for each, which it could begin only when they come.
    """
    queue = queue_for(queue)
    _, samples = part.extent(audio)
    relative = magnitudes is not None and magnitudes.relative
    most = frames.count(samples) if relative else POINTS // frames.n_fft
    together = max(1, min(frames.count(samples), most))
    bins = (magnitudes.bins if magnitudes else 0) or frames.n_fft // 2 + 1
    dtype = np.dtype(np.float32 if magnitudes else np.complex64)
    length = (together - 1) * frames.hop + frames.n_fft
    framing = replace(frames, center=False, chunk=1).over(length, 1, "single")
    job = Job(framing, frames.window, magnitudes, algorithm)
    # Kernels are built and twiddles uploaded while the host still reads the file.
    with ThreadPoolExecutor(1) as planner:
        planned = planner.submit(executable_of, queue.context, job)
        pieces = _pieces(_filled(audio, frames, part), length, together * frames.hop)
        with step("read"):
            piece = next(pieces, None)
        with step("plan"):  # the rest of it, for which reading was too short
            executable = planned.result()
    while piece is not None:
        count = max(0, (len(piece) - frames.n_fft) // frames.hop + 1)
        if not count:
            return
        with step("transform"):
            # The last piece is filled up to the length of the others, so that it shares their plan.
            missing = length - len(piece)
            signal = np.pad(piece, (0, missing)) if missing else piece
            spectra = memory.empty((together, bins), dtype)
            # Each piece has a recorder of its own, because events keep the memory that they used.
            recorder = None if times is None else Recorder()
            run(executable, queue, signal, spectra, recorder=recorder)
            if recorder and times is not None:
                times += recorder.times()
        yield spectra[:count].T
        with step("read"):
            piece = next(pieces, None)


def _filled(audio: AudioReader, frames: Frames, part: Part) -> Iterator[np.ndarray]:
    """Yield the samples, and the zeros before and behind them that frames reach over."""
    yield np.zeros(frames.before, np.float32)
    samples = 0
    for block in part.blocks(audio):
        samples += block.shape[1]
        yield block[0]
    yield np.zeros(frames.extent(samples) - samples - frames.before, np.float32)


def _pieces(blocks: Iterator[np.ndarray], length: int, step: int) -> Iterator[np.ndarray]:
    """Cut blocks anew: yield `length` samples from every `step`-th one on, and what is left."""
    waiting: list[np.ndarray] = []
    count = 0
    for block in blocks:
        waiting.append(block)
        count += len(block)
        while count >= max(length, step):
            joined = np.concatenate(waiting)
            yield joined[:length]
            waiting = [joined[step:]]
            count -= step
    yield np.concatenate(waiting)[:length]
