"""The song of a report on digital music analysis, by the frames in a launch, for ``bench stft``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from math import prod
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..audio.frame_jobs import Job, executable_of
from ..audio.framing import Magnitudes, make_frames
from ..planning.accuracy import relative_error
from ..planning.passes import Pass
from ..planning.solvers.textbook import local_radix2
from ..runtime.executable import run_on_host
from ..runtime.profile import PassTime, Recorder, profiling_queue
from .occupancy import occupancy_of
from .recursion import compiled_recursion, recursive_fft
from .runner import Settings, Turn
from .statistics import spread
from .stft_fault import Greatest, faulty_fft

# Sound and frames of the report, which `bench stft` uses for everything that it measures.
RATE = 44100
N_FFT, HOP = 2048, 1024
BOUND = 1e-6  # largest relative L2 error allowed

# The published curve: number of frames in a launch -> mean microseconds of a launch. All launches
# together transform 1164 frames.
FRAMES = 1164
PUBLISHED_US = {
    1: 25.5, 2: 25.5, 4: 44.5, 8: 70.3, 16: 120.9, 32: 212.0, 64: 394.0, 128: 724.0, 256: 1427.0,
    512: 2355.0, 1024: 3522.0,
}  # fmt: skip
PUBLISHED_OCCUPANCY = (0.50, 0.98)  # least and greatest value of the published curve
PUBLISHED_SONG_MS = {"recursive, C#": 1636.0, "FFTW": 159.0, "GPU, best": 7.04, "GPU, worst": 29.7}
COMPILED, IN_PYTHON = "recursive, compiled", "recursive, Python"  # names of baselines on the host
LAUNCHES = tuple(PUBLISHED_US)
KERNELS = (local_radix2.NAME, "engine")


@dataclass(frozen=True)
class Point:
    """The time of 1164 frames, with a given number of them in each launch.

    Attributes
    ----------
    frames : int
        Number of frames in a launch.
    kernel_ms, wall_ms : dict of str to float
        Milliseconds of all launches, by kernel: the sum of their times by events; and the time from
        the first launch's arrival in the queue to the last one's end. Both are medians.
    error : dict of str to float
        Relative L2 error of the magnitudes, by kernel.
    occupancy : dict of str to float
        The part of a unit's work-items that a launch fills, by kernel; NaN if it is not known.
    """

    frames: int
    kernel_ms: dict[str, float]
    wall_ms: dict[str, float]
    error: dict[str, float]
    occupancy: dict[str, float] = field(default_factory=dict)

    @property
    def wrong(self) -> bool:
        """Whether the result of a kernel is wrong."""
        return any(not each <= BOUND for each in self.error.values())

    @property
    def launches(self) -> int:
        """Number of launches that transform all frames."""
        return -(-FRAMES // self.frames)

    @property
    def published_ms(self) -> float:
        """Milliseconds of all launches of the published kernel."""
        return self.launches * PUBLISHED_US[self.frames] / 1e3

    def us(self, kernel: str) -> float:
        """Return the mean microseconds of a launch, without the gaps between launches."""
        return 1e3 * self.kernel_ms[kernel] / self.launches


def measure_curve(
    queue: cl.CommandQueue, samples: int, launches: Sequence[int] = LAUNCHES
) -> tuple[Point, ...]:
    """Measure the transform of 1164 frames by both kernels, by the number of frames in a launch.

    Parameters
    ----------
    queue : cl.CommandQueue
        Queue of the device.
    samples : int
        How often each kernel is measured with each number of frames.
    launches : sequence of int
        The numbers of frames in a launch to measure.

    Returns
    -------
    tuple of Point
        One for each number of frames in a launch.
    """
    context = queue.context
    profiling = profiling_queue(context)
    y = _song()
    # Each kernel and number of frames has buffers of its own. Our engine cuts its buffers into
    # parts, and if a buffer has thousands of parts, NVIDIA's runtime takes 0.1 to 0.4 ms more for
    # each launch with it.
    arrays = {
        (frames, kernel): (
            cl_array.to_device(profiling, y),
            cl_array.empty(profiling, (FRAMES, N_FFT // 2), np.float32),
        )
        for frames in launches
        for kernel in KERNELS
    }
    expected = _magnitudes(y)
    works, occupancies = {}, {}
    for frames in launches:
        for kernel, make in zip(KERNELS, (_source_kernel, _engine), strict=True):
            key = frames, kernel
            works[key], launched = make(context, frames, *arrays[key])
            occupancies[key] = occupancy_of(context, launched, _groups(launched))
    taken: dict[tuple[int, str], list[tuple[float, float]]] = {key: [] for key in works}
    errors: dict[tuple[int, str], float] = {}
    for turn in range(samples + 1):
        for key, work in works.items():
            recorder = Recorder()
            work(profiling, recorder)
            profiling.finish()
            times = recorder.times()
            if turn:  # the first turn warms up
                taken[key].append((_kernel_ms(times), _span_ms(recorder.events)))
            else:
                errors[key] = relative_error(arrays[key][1].get(), expected)

    def medians(frames: int, n: int) -> dict[str, float]:
        return {each: float(np.median([t[n] for t in taken[frames, each]])) for each in KERNELS}

    return tuple(
        Point(
            frames,
            medians(frames, 0),
            medians(frames, 1),
            {each: errors[frames, each] for each in KERNELS},
            {each: occupancies[frames, each] for each in KERNELS},
        )
        for frames in launches
    )


def _groups(each: Pass) -> int:
    """Return the number of work-groups in one launch of a pass."""
    everything = prod(each.global_size) // prod(each.local_size)
    return min(each.groups_a_launch or everything, everything)


def measure_greatest(queue: cl.CommandQueue, y: np.ndarray) -> Greatest:
    """Return the greatest magnitude of a signal's frames by each kernel, and with the fault.

    Parameters
    ----------
    queue : cl.CommandQueue
        Queue of the device.
    y : ndarray of float32
        The signal.

    Returns
    -------
    Greatest
        The magnitudes beside the reference by NumPy.
    """
    found = {}
    for kernel in KERNELS:
        algorithm = kernel if kernel == local_radix2.NAME else None
        job = Job(
            MUSIC.over(y.size, 1, "single"), MUSIC.window, Magnitudes(bins=N_FFT // 2), algorithm
        )
        result = np.empty((MUSIC.count(y.size), N_FFT // 2), np.float32)
        run_on_host(executable_of(queue.context, job), queue, y, result)
        found[kernel] = float(result.max())
    frames = np.lib.stride_tricks.sliding_window_view(y, N_FFT)[::HOP]
    faulty = np.abs(faulty_fft(frames)[:, : N_FFT // 2]).max()
    return Greatest(float(_magnitudes(y).max()), found, float(faulty))


def _song() -> np.ndarray:
    return np.random.default_rng(0).uniform(-1, 1, (FRAMES + 1) * HOP).astype(np.float32)


def _magnitudes(y: np.ndarray) -> np.ndarray:
    """Return the magnitudes that the curve's kernels should compute, in double precision."""
    frames = np.lib.stride_tricks.sliding_window_view(y.astype(np.float64), N_FFT)[::HOP]
    return np.abs(np.fft.rfft(frames))[:, : N_FFT // 2]


Run = Callable[[cl.CommandQueue, Recorder], None]
MUSIC = make_frames(N_FFT, HOP, window="boxcar", center=False)


def _source_kernel(
    context: cl.Context, frames: int, source: cl_array.Array, target: cl_array.Array
) -> tuple[Run, Pass]:
    """Return the report's kernel with `frames` frames in a launch, and its pass."""
    job = Job(
        MUSIC.over(source.size, 1, "single"), MUSIC.window, Magnitudes(bins=N_FFT // 2),
        local_radix2.NAME, values=(("local_frames", frames),),
    )  # fmt: skip
    executable = executable_of(context, job)
    given: Any = source.base_data
    result: Any = target.base_data

    def run(queue: cl.CommandQueue, recorder: Recorder) -> None:
        executable.enqueue(queue, given, result, (), recorder)

    return run, executable.schedule.passes[0]


def _engine(
    context: cl.Context, frames: int, source: cl_array.Array, target: cl_array.Array
) -> tuple[Run, Pass]:
    """Return our kernel, which runs on parts of the buffers, and its pass for the first part."""
    item = source.dtype.itemsize
    given: Any = source.base_data
    result: Any = target.base_data
    parts = []
    for begin in range(0, FRAMES, frames):
        count = min(frames, FRAMES - begin)
        samples = (count + 1) * HOP
        job = Job(MUSIC.over(samples, 1, "single"), MUSIC.window, Magnitudes(bins=N_FFT // 2))
        parts.append(
            (
                executable_of(context, job),
                given.get_sub_region(begin * HOP * item, samples * item),
                result.get_sub_region(begin * N_FFT // 2 * item, count * N_FFT // 2 * item),
            )
        )

    def run(queue: cl.CommandQueue, recorder: Recorder) -> None:
        for executable, one, other in parts:
            executable.enqueue(queue, one, other, (), recorder)

    return run, parts[0][0].schedule.passes[0]


def _kernel_ms(times: Iterable[PassTime]) -> float:
    return sum(each.ms for each in times)


def _span_ms(events: Sequence[tuple[str, str, int, cl.Event]]) -> float:
    """Return the time from the first command's arrival in the queue to the last one's end."""
    profiles = [event.profile for *_, event in events]
    return (profiles[-1].end - profiles[0].queued) * 1e-6


def measure_song(settings: Settings) -> dict[str, float]:
    """Measure the report's baselines on the host: a recursion as it is taught, and FFTW.

    A baseline that is not installed is left out. If Numba is installed, the recursion is compiled.
    Else it runs on Python lists, which takes at least ten times as long, and so flatters whatever
    it is compared with.

    Parameters
    ----------
    settings : Settings
        How long to measure.

    Returns
    -------
    dict of str to float
        Milliseconds in which each baseline transforms all frames, by its name.
    """
    frames = np.ascontiguousarray(np.lib.stride_tricks.sliding_window_view(_song(), N_FFT)[::HOP])
    found = _measure_recursion(frames, settings)
    with suppress(ImportError):
        pyfftw = import_module("pyfftw")
        transform = pyfftw.builders.rfft(pyfftw.byte_align(frames), threads=1)
        found["FFTW, one core"] = _median(transform, settings)
    return found


def _measure_recursion(frames: np.ndarray, settings: Settings) -> dict[str, float]:
    """Measure the recursion, which is compiled if Numba is installed."""
    try:
        compiled = compiled_recursion()
    except ImportError:
        points = [frame.tolist() for frame in frames]
        turn = Turn(lambda: [recursive_fft(each) for each in points], lambda: None, settings)
        return {IN_PYTHON: turn.ms[0]}
    spectra = frames.astype(np.complex64)
    return {COMPILED: _median(lambda: [compiled(x) for x in spectra], settings)}


def _median(call: Callable[[], object], settings: Settings) -> float:
    turn = Turn(call, lambda: None, settings)
    for _ in range(settings.samples):
        turn.take()
    return spread(turn.ms).median
