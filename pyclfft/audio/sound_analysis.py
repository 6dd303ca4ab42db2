"""All that the spectrogram command finds out about a sound: spectra, levels, onsets, notes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from ..runtime.operation import queue_for
from ..runtime.profile import PassTime, profiling_queue
from .audiofile import AudioInfo, AudioReader
from .file_spectra import Part, Step, fits_at_once, spectra_of_file
from .framing import Frames, Magnitudes
from .note_confidence import THRESHOLD
from .notes import Note, notes
from .onsets import onsets
from .spectrogram_picture import Levels, Look, Times


@dataclass(frozen=True)
class Request:
    """What is wanted of a sound.

    Attributes
    ----------
    frames : Frames
        How the sound is framed.
    magnitudes : Magnitudes
        The numbers that its spectra become.
    window : str
        The window's name, for people.
    part : Part
        The part of the file that is analysed.
    needs : collection of {"levels", "spectra", "notes"}
        What is to be found: the levels of a picture, all amplitudes, onsets and notes.
    look : Look
        How the picture looks.
    algorithm : str or None
        The algorithm of the transforms.
    threshold : float
        The least confidence of notes.
    """

    frames: Frames
    magnitudes: Magnitudes
    window: str
    part: Part
    needs: Collection[str]
    look: Look
    algorithm: str | None = None
    threshold: float = THRESHOLD

    @property
    def bins(self) -> int:
        """How many bins of each spectrum are wanted."""
        return self.magnitudes.bins or self.frames.n_fft // 2 + 1

    @property
    def framing(self) -> str:
        """Frames and window in words."""
        return f"n_fft {self.frames.n_fft}, hop {self.frames.hop}, window {self.window}"

    @property
    def quantity(self) -> str:
        """What the numbers are, in words."""
        return "amplitude relative to the greatest" if self.magnitudes.relative else "amplitude"


@dataclass(frozen=True, eq=False)
class Analysis:
    """What was found out about a sound.

    Attributes
    ----------
    name : str
        The name of the sound's file.
    info : AudioInfo
        What the file says of itself.
    request : Request
        What was wanted.
    times : Times
        When the frames are.
    count : int
        How many frames the sound has.
    levels : tuple of Levels
        The levels of each panel of the picture, if they were wanted.
    spectra : ndarray of float32, shape (bins, frames), or None
        All amplitudes, if they were wanted.
    onsets : ndarray
        When notes begin in the file, in s; empty unless notes were wanted.
    notes : tuple of Note
        The notes that were found.
    """

    name: str
    info: AudioInfo
    request: Request
    times: Times
    count: int
    levels: tuple[Levels, ...] = ()
    spectra: np.ndarray | None = None
    onsets: np.ndarray = field(default_factory=lambda: np.empty(0))
    notes: tuple[Note, ...] = ()

    @property
    def frequencies(self) -> np.ndarray:
        """The frequency of each bin, in Hz."""
        return np.arange(self.request.bins) * self.info.sr / self.request.frames.n_fft


def analyse(
    audio: AudioReader,
    request: Request,
    *,
    step: Step = nullcontext,
    advance: Callable[[int], None] = lambda count: None,
    times: list[PassTime] | None = None,
) -> Analysis:
    """Find out what is wanted of a sound, on the default queue's device.

    Parameters
    ----------
    audio : AudioReader
        The sound's file.
    request : Request
        What is wanted.
    step : callable, optional
        Told of the steps "read", "plan", "transform", "draw" and "notes"; see `Step`.
    advance : callable, optional
        Called with the number of frames that are done, again and again.
    times : list of PassTime, optional
        Receives the times of the device's transfers and kernels, on a profiling queue.

    Returns
    -------
    Analysis

    Raises
    ------
    FormatError, PlanError, DeviceError, DeviceMemoryError
        As `spectra_of_file`, `onsets` and `notes`.

    Warns
    -----
    UserWarning
        The sound is shorter than a frame, or silent.
    """
    result = _spectra(audio, request, step, advance, times)
    if "notes" not in request.needs:
        return result
    with step("notes"):
        return _with_notes(audio, result)


def _spectra(
    audio: AudioReader,
    request: Request,
    step: Step,
    advance: Callable[[int], None],
    times: list[PassTime] | None,
) -> Analysis:
    """Find all but onsets and notes."""
    sr, frames, magnitudes = audio.info.sr, request.frames, request.magnitudes
    first, samples = request.part.extent(audio)
    if frames.n_fft > samples:
        warnings.warn(
            f"{audio.path}: n_fft = {frames.n_fft} is more than the {samples} samples", stacklevel=2
        )
    total = frames.count(samples)
    parts = request.part.panels(audio)
    levels: tuple[Levels, ...] = ()
    spectra = None
    if "levels" in request.needs:
        shape = (sr, frames.n_fft, request.bins, total)
        name = str(audio.path)
        levels = tuple(request.look.levels(*shape, len(parts), name) for _ in parts)
    if "spectra" in request.needs:
        spectra = np.empty((total, request.bins), np.float32).T
    queue = queue_for(None)
    # If a sound is too long to be transformed at once, the host divides by the greatest number.
    phases = request.look.phase and bool(levels)
    on_device = magnitudes.relative and not phases and fits_at_once(frames, samples, queue.device)
    wanted = None if phases else replace(magnitudes, relative=on_device)
    count, greatest = 0, np.float32(0)
    for number, part in enumerate(parts):
        blocks = spectra_of_file(
            audio, frames, wanted, part,
            algorithm=request.algorithm,
            queue=queue if times is None else profiling_queue(queue.context),
            step=step, times=times,
        )  # fmt: skip
        panel = levels[number] if levels else None
        done = partial(_advance, advance, number * total)
        count, most = _gather((each[: request.bins] for each in blocks), panel, spectra, step, done)
        greatest = max(greatest, most)
    if not greatest:
        warnings.warn(f"{audio.path}: the sound is silent", stacklevel=2)
    if spectra is not None:
        spectra = spectra[:, :count]  # a damaged file may end before its header says so
        if magnitudes.relative and not on_device:
            spectra /= greatest or 1
    middle = first if frames.center else first + frames.n_fft / 2
    when = Times(middle / sr, frames.hop / sr, first / sr, (first + samples) / sr)
    return Analysis(Path(audio.path).name, audio.info, request, when, count, levels, spectra)


def _advance(advance: Callable[[int], None], before: int, count: int) -> None:
    advance(before + count)


def _gather(
    blocks: Iterator[np.ndarray],
    levels: Levels | None,
    spectra: np.ndarray | None,
    step: Step,
    advance: Callable[[int], None],
) -> tuple[int, np.float32]:
    """Put all frames into the picture's levels and into an array; return how many, the greatest."""
    count, greatest = 0, np.float32(0)
    for block in blocks:
        end = count + block.shape[1]
        if levels is not None:
            with step("draw"):
                levels.add(block)
        amplitudes = np.abs(block) if block.dtype.kind == "c" else block
        if spectra is not None:
            spectra[:, count:end] = amplitudes
        greatest = max(greatest, amplitudes.max())
        count = end
        advance(count)
    return count, greatest


def _with_notes(audio: AudioReader, analysis: Analysis) -> Analysis:
    """Add onsets and notes, with their times in the file."""
    blocks = analysis.request.part.blocks(audio)
    y, sr, begin = np.concatenate([each[0] for each in blocks]), audio.info.sr, analysis.times.begin
    starts = onsets(y, sr, units="time") + begin
    found = (
        each._replace(onset=each.onset + begin)
        for each in notes(y, sr, threshold=analysis.request.threshold)
    )
    return replace(analysis, onsets=starts, notes=tuple(found))
