"""Frames of signals, tuned: short-time transforms there and back, on the device."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pyopencl as cl

from ..audio.frame_jobs import Job
from ..audio.frame_plans import WINDOW
from ..audio.framing import Frames, make_frames
from ..planning.accuracy import relative_error, transform_bound
from ..planning.lookup import ISTFT, Workclass
from ..planning.parameters import Parameters
from ..planning.passes import Schedule
from ..planning.precision import COMPLEX_DTYPE, REAL_DTYPE
from ..planning.problem import Layout
from ..planning.traits import Traits
from ..runtime import describe, memory, wisdom
from ..runtime.executable import Executable
from .measure import Measure
from .space import Candidate, Task


@dataclass(frozen=True)
class FramesTask(Task):
    """The frames of a job on a device."""

    job: Job = field(kw_only=True)

    def schedule(self, parameters: Parameters) -> Schedule:
        """Return what is launched with these parameters."""
        return self.job.schedule_with(self.traits, parameters)


@dataclass(frozen=True)
class FramesCase:
    """Centred frames of one signal, weighted by a Hann window.

    Attributes
    ----------
    n_fft, hop : int
        The points of a frame, and the samples from one frame to the next.
    frames : int
        How many frames there are: at least two.
    kind : {"stft", "istft"}
        Whether the signal becomes spectra, or spectra become the signal.
    columns : bool
        Whether the frames of a bin are neighbours in memory, as in a device array in C order.
    precision : {"single", "double"}
        The precision of samples and spectra.
    """

    n_fft: int
    hop: int
    frames: int
    kind: str = "stft"
    columns: bool = True
    precision: str = "single"

    @property
    def samples(self) -> int:
        """The samples of the signal."""
        return self.hop * (self.frames - 1)

    @property
    def bins(self) -> int:
        """The bins of a spectrum."""
        return self.n_fft // 2 + 1

    @property
    def nbytes(self) -> int:
        """The least bytes that have to be read and written."""
        spectra = self.bins * self.frames * COMPLEX_DTYPE[self.precision].itemsize
        return spectra + self.samples * REAL_DTYPE[self.precision].itemsize

    @property
    def window(self) -> np.ndarray:
        """The weights of a frame's points, float64."""
        return np.frombuffer(self._frames.window)

    @property
    def _frames(self) -> Frames:
        return make_frames(self.n_fft, self.hop)

    def job(self, algorithm: str | None = None) -> Job:
        """Return the job of the frames."""
        frames = self._frames
        framing = frames.over(self.samples, 1, self.precision)
        steps = (1, self.frames) if self.columns else (self.bins, 1)
        layout = Layout((1, self.frames, self.bins), (self.bins * self.frames, *steps))
        return Job(framing, frames.window, None, algorithm, layout, back=self.kind == ISTFT)

    def workclass(self, algorithm: str | None) -> Workclass:
        """Return the class of problems for which the result holds."""
        return self.job(algorithm).workclass

    def task(self, traits: Traits, parameters: Parameters, algorithm: str | None) -> Task:
        """Return the task on a device; a search begins with these parameters."""
        job = self.job(algorithm)
        return FramesTask(job.problem, traits, parameters, algorithm, job=job)

    def measure(self, context: cl.Context, task: Task) -> Measure:
        """Return what measures the candidates of the task."""
        return (BackMeasure if self.kind == ISTFT else ThereMeasure)(context, self)

    def known(self, chosen: cl.Device, algorithm: str | None) -> Parameters:
        """Return the parameters that a device has for it now."""
        job = self.job(algorithm)
        return wisdom.parameters_of(chosen, job.problem, algorithm, within=job.workclass)

    @property
    def checked(self) -> list[int]:
        """The numbers of the frames whose results are checked."""
        return sorted({0, self.frames // 2, self.frames - 2})


class _FramesMeasure(Measure):
    """Measures candidates with the window in constant memory."""

    case: FramesCase

    def launch(self, candidate: Candidate) -> Callable[[], cl.Event]:
        """Make a candidate ready, and return what enqueues it."""
        memory.require_fits(
            describe.traits(self.context.devices[0]), dict(candidate.schedule.workspace)
        )
        given = {WINDOW.name: memory.constant(self.context, self.case.job().weights)}
        executable = Executable(self.context, candidate.schedule, given)
        return lambda: executable.enqueue(self.queue, self._source, self._target, ())

    @property
    def bound(self) -> float:
        """The largest relative error that is allowed; the window's rounding adds its own."""
        return 4 * transform_bound((self.case.n_fft,), self.case.precision)


class ThereMeasure(_FramesMeasure):
    """Measures candidates for the way from a signal to spectra."""

    def __init__(self, context: cl.Context, case: FramesCase) -> None:
        self.case = case
        signal = np.random.default_rng(1).uniform(-1, 1, case.samples)
        signal = signal.astype(REAL_DTYPE[case.precision])
        shape = (case.bins, case.frames) if case.columns else (case.frames, case.bins)
        super().__init__(context, signal, shape, COMPLEX_DTYPE[case.precision])
        padded = np.pad(signal.astype(np.float64), case.n_fft // 2 + case.n_fft)
        begins = {t: t * case.hop + case.n_fft for t in case.checked}
        self._expected = {
            t: np.fft.rfft(padded[begin : begin + case.n_fft] * case.window)
            for t, begin in begins.items()
        }

    def error_of(self, result: np.ndarray) -> float:
        """Return the largest relative error of the checked frames."""
        frames = result.T if self.case.columns else result
        return max(relative_error(frames[t], each) for t, each in self._expected.items())


class BackMeasure(_FramesMeasure):
    """Measures candidates for the way from spectra to a signal."""

    def __init__(self, context: cl.Context, case: FramesCase) -> None:
        self.case = case
        shape = (case.bins, case.frames) if case.columns else (case.frames, case.bins)
        numbers = np.random.default_rng(1).uniform(-1, 1, (*shape, 2))
        spectra = numbers.astype(REAL_DTYPE[case.precision]).view(COMPLEX_DTYPE[case.precision])
        spectra = spectra.reshape(shape)
        super().__init__(context, spectra, (case.samples,), REAL_DTYPE[case.precision])
        by_frame = spectra.T if case.columns else spectra
        self._expected = dict(self._stretches(by_frame))

    def _stretches(self, spectra: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
        """Yield where checked samples begin, and what they should be, in double precision."""
        case, before = self.case, self.case.n_fft // 2
        for number in case.checked:
            begin = number * case.hop
            places = np.arange(begin, min(begin + case.hop, case.samples)) + before
            sums, weights = np.zeros(len(places)), np.zeros(len(places))
            first = max(0, (places[0] - case.n_fft) // case.hop)
            for t in range(first, min(case.frames - 1, places[-1] // case.hop) + 1):
                inside = (places >= t * case.hop) & (places < t * case.hop + case.n_fft)
                points = places[inside] - t * case.hop
                frame = np.fft.irfft(spectra[t].astype(np.complex128), case.n_fft)
                sums[inside] += (frame * case.window)[points]
                weights[inside] += case.window[points] ** 2
            yield begin, sums / np.where(weights > 0, weights, 1)

    def error_of(self, result: np.ndarray) -> float:
        """Return the largest relative error of the checked stretches."""
        return max(
            relative_error(result[begin : begin + len(each)], each)
            for begin, each in self._expected.items()
        )
