"""``python -m pyclfft bench stft``: spectrograms beside other libraries, and frames by the launch.

Three measurements. One song of three minutes, from NumPy to NumPy and from device array to device
array, by everybody who is installed, in turns. The curve of a report on digital music analysis:
1164 frames by its own kernel and by ours, 1 to 1024 of them a launch. And, on devices with memory
of their own, how far uploads, kernels and downloads of a stream overlap.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib import import_module
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from .. import commandline
from ..apps.frame_jobs import Job, executable_of
from ..apps.framing import Magnitudes, make_frames
from ..apps.shorttime import stft
from ..apps.streaming import FrameStream, Held
from ..planning.solvers import local_radix2
from ..runtime import device as devices
from ..runtime import memory
from ..runtime.profile import PassTime, Recorder, profiling_queue
from ..selftest import relative_error
from . import render, session
from .environment import environment
from .ladder import recursive_fft
from .plot import pyplot, save
from .render import Part, Table
from .runner import FAILED, WRONG, Settings, Turn
from .statistics import Spread, spread

PROG = "pyclfft bench stft"
SCHEMA = 1
RATE = 44100
N_FFT, HOP = 2048, 1024
SETTINGS = Settings(samples=21, budget_s=3.0)
HOST, DEVICE = "NumPy to NumPy", "on the device"
OURS, OURS_BY_FRAME, COPY = "pyclfft", "pyclfft, frame by frame", "copy"
BOUND = 1e-6  # relative L2 error
CHECKED = 16  # frames at the beginning, in the middle, and at the end

# The curve as it was published: frames -> average microseconds of a launch, 1164 frames in all.
FRAMES = 1164
PUBLISHED_US = {
    1: 25.5, 2: 25.5, 4: 44.5, 8: 70.3, 16: 120.9, 32: 212.0, 64: 394.0, 128: 724.0, 256: 1427.0,
    512: 2355.0, 1024: 3522.0,
}  # fmt: skip
PUBLISHED_SONG_MS = {"recursive, C#": 1636.0, "FFTW": 159.0, "GPU, best": 7.04, "GPU, worst": 29.7}
LAUNCHES = tuple(PUBLISHED_US)
KERNELS = (local_radix2.NAME, "engine")
STREAMED_S = 1200  # seconds of sound for the overlap


# --- what is measured -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Entry:
    """How a contender did.

    Attributes
    ----------
    name, where : str
        Of the contender, and between which arrays.
    ms : Spread
        Milliseconds of the whole signal.
    error : float
        Relative L2 error of the frames that were checked.
    word, reason : str
        What has kept it from being measured; empty where nothing has.
    """

    name: str
    where: str
    ms: Spread = field(default_factory=Spread)
    error: float = nan
    word: str = ""
    reason: str = ""

    @property
    def wrong(self) -> bool:
        """Whether it is ours and its result is not right."""
        return self.name.startswith(OURS) and not self.word and not self.error <= BOUND


@dataclass(frozen=True)
class Point:
    """1164 frames by so many a launch.

    Attributes
    ----------
    frames : int
        Of a launch.
    kernel_ms, wall_ms : dict of str to float
        By kernel: all its launches by their events, and from the first one's start on the host to
        the last one's end; medians.
    error : dict of str to float
        Relative L2 error of the magnitudes.
    """

    frames: int
    kernel_ms: dict[str, float]
    wall_ms: dict[str, float]
    error: dict[str, float]

    @property
    def published_ms(self) -> float:
        """All launches of the published kernel."""
        return -(-FRAMES // self.frames) * PUBLISHED_US[self.frames] / 1e3


@dataclass(frozen=True)
class Overlap:
    """What two queues do at once, by the events of a stream.

    Attributes
    ----------
    seconds : float
        Of sound.
    busy_ms : dict of str to float
        In which at least one upload, kernel or download was in progress.
    any_ms : float
        In which anything was.
    span_ms : float
        From the first event's start to the last one's end: at times the host copies alone.
    """

    seconds: float
    busy_ms: dict[str, float]
    any_ms: float
    span_ms: float

    @property
    def hidden(self) -> float:
        """The part of all that was done which was done while something else was."""
        return 1 - self.any_ms / sum(self.busy_ms.values())


@dataclass(frozen=True)
class Results:
    """All of it.

    Attributes
    ----------
    environment : dict of str to str
        Devices, versions and the commit.
    seconds : float
        Of the signal.
    samples : int
        Of each contender.
    entries : tuple of Entry
        In the order of measurement.
    curve : tuple of Point
        By frames a launch.
    song : dict of str to float
        Milliseconds of the 1164 frames on the host, by baseline.
    overlap : Overlap or None
        Where the device has memory of its own.
    """

    environment: dict[str, str]
    seconds: float
    samples: int
    entries: tuple[Entry, ...] = ()
    curve: tuple[Point, ...] = ()
    song: dict[str, float] = field(default_factory=dict)
    overlap: Overlap | None = None

    def ours(self, where: str) -> Entry:
        """Return how we did between such arrays."""
        return next(each for each in self.entries if (each.name, each.where) == (OURS, where))


# --- contenders -----------------------------------------------------------------------------------


class Ready(NamedTuple):
    """A contender made ready.

    Attributes
    ----------
    call : callable
        Does the work and returns the result.
    synchronize : callable
        Waits for all calls.
    fetch : callable
        From a result to a NumPy array of shape (bins, frames).
    first : int
        The number of the result's first frame, if it leaves some out.
    """

    call: Callable[[], Any]
    synchronize: Callable[[], object] = lambda: None
    fetch: Callable[[Any], np.ndarray] = np.asarray
    first: int = 0


def _ours_on_host(y: np.ndarray, queue: cl.CommandQueue) -> Ready:
    return Ready(lambda: stft(y, N_FFT, HOP, queue=queue))


def _scipy_strided(y: np.ndarray, queue: cl.CommandQueue) -> Ready:
    """Frames as a view: nothing is padded, so there are two frames fewer."""
    fft = import_module("scipy.fft")
    window = np.hanning(N_FFT + 1)[:-1].astype(y.dtype)
    frames = np.lib.stride_tricks.sliding_window_view(y, N_FFT)[::HOP]
    return Ready(lambda: fft.rfft(window * frames, axis=-1), fetch=np.transpose, first=1)


def _scipy_class(y: np.ndarray, queue: cl.CommandQueue) -> Ready:
    signal = import_module("scipy.signal")
    window = np.hanning(N_FFT + 1)[:-1]
    transform = signal.ShortTimeFFT(window, HOP, RATE, phase_shift=None)
    return Ready(lambda: transform.stft(y, p0=0))


def _librosa(y: np.ndarray, queue: cl.CommandQueue) -> Ready:
    librosa = import_module("librosa")
    return Ready(lambda: librosa.stft(y, n_fft=N_FFT, hop_length=HOP))


def _torch_on_host(y: np.ndarray, queue: cl.CommandQueue) -> Ready:
    return _torch(y, "cpu")


def _torch_on_gpu(y: np.ndarray, queue: cl.CommandQueue) -> Ready:
    _require_cuda(queue)
    return _torch(y, "cuda")


def _require_cuda(queue: cl.CommandQueue) -> None:
    torch = import_module("torch")
    if not torch.cuda.is_available() or torch.cuda.get_device_name() != queue.device.name:
        raise ImportError(f"PyTorch does not see {queue.device.name}")


def _torch(y: np.ndarray, place: str) -> Ready:
    torch = import_module("torch")
    signal, window = torch.from_numpy(y).to(place), torch.hann_window(N_FFT).to(place)

    def call() -> Any:
        return torch.stft(
            signal, N_FFT, HOP, window=window, pad_mode="constant", return_complex=True
        )

    synchronize = torch.cuda.synchronize if place == "cuda" else lambda: None
    return Ready(call, synchronize, lambda result: result.cpu().numpy())


def _torchaudio_on_gpu(y: np.ndarray, queue: cl.CommandQueue) -> Ready:
    _require_cuda(queue)
    torch, torchaudio = import_module("torch"), import_module("torchaudio")
    transform = torchaudio.transforms.Spectrogram(
        N_FFT, hop_length=HOP, power=None, pad_mode="constant"
    ).cuda()
    signal = torch.from_numpy(y).cuda()
    return Ready(
        lambda: transform(signal), torch.cuda.synchronize, lambda result: result.cpu().numpy()
    )


def _ours_on_device(y: np.ndarray, queue: cl.CommandQueue) -> Ready:
    """Bins by frames in C order, as pyopencl's own functions want arrays."""
    return _on_device(y, queue, "C")


def _ours_by_frame(y: np.ndarray, queue: cl.CommandQueue) -> Ready:
    """In the order of NumPy's results here, and of torch's: bins of a frame are neighbours."""
    return _on_device(y, queue, "F")


def _on_device(y: np.ndarray, queue: cl.CommandQueue, order: str) -> Ready:
    signal = cl_array.to_device(queue, y, allocator=memory.allocator(queue.context))
    shape = (N_FFT // 2 + 1, 1 + len(y) // HOP)
    out: Any = cl_array.Array(
        queue, shape, np.complex64, order=order, allocator=memory.allocator(queue.context)
    )
    return Ready(
        lambda: stft(signal, N_FFT, HOP, out=out), queue.finish, lambda result: result.get()
    )


def _copy(y: np.ndarray, queue: cl.CommandQueue) -> Ready:
    """Nothing but the traffic: samples are read once, and as many bytes written as spectra have."""
    spectra = (N_FFT // 2 + 1) * (1 + len(y) // HOP) * 8
    source = memory.allocate(queue.context, y.nbytes)
    target = memory.allocate(queue.context, spectra)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of compilers that have something to say
        built = cl.Program(queue.context, COPY_TEXT).build()
    kernel = cl.Kernel(built, "traffic")
    pairs, vectors = y.nbytes // 8, spectra // 16
    kernel.set_args(source, target, np.uint32(pairs), np.uint32(vectors))
    size = -(-max(pairs, vectors) // 256) * 256
    cl.enqueue_fill_buffer(queue, source, np.uint8(0), 0, y.nbytes)

    def call() -> Any:
        event = cl.enqueue_nd_range_kernel(queue, kernel, (size,), (256,))
        return source, target, event  # which live as long as the call

    return Ready(call, queue.finish)


COPY_TEXT = """
kernel void traffic(global const float2 *src, global float4 *dst, uint pairs, uint vectors)
{
    uint i = get_global_id(0);
    float2 v = i < pairs ? src[i] : (float2)(0);
    if (i < vectors)
        dst[i] = (float4)(v, v);
}
"""

# Name -> (between which arrays, how it is made ready).
CONTENDERS: tuple[tuple[str, str, Callable[[np.ndarray, cl.CommandQueue], Ready]], ...] = (
    (OURS, HOST, _ours_on_host),
    ("scipy.fft, strided", HOST, _scipy_strided),
    ("scipy ShortTimeFFT", HOST, _scipy_class),
    ("librosa", HOST, _librosa),
    ("torch.stft, CPU", HOST, _torch_on_host),
    (OURS, DEVICE, _ours_on_device),
    (OURS_BY_FRAME, DEVICE, _ours_by_frame),
    (COPY, DEVICE, _copy),
    ("torch.stft", DEVICE, _torch_on_gpu),
    ("torchaudio", DEVICE, _torchaudio_on_gpu),
)


def measure_contenders(
    y: np.ndarray, queue: cl.CommandQueue, settings: Settings
) -> tuple[Entry, ...]:
    """Let everybody transform a signal in turns, and check all results.

    Parameters
    ----------
    y : ndarray of float32
        The signal.
    queue : cl.CommandQueue
        Of ours.
    settings : Settings
        How long to measure.

    Returns
    -------
    tuple of Entry
    """
    entries: list[Entry] = []
    turns: dict[int, Turn] = {}
    for name, where, prepare in CONTENDERS:
        try:
            ready = prepare(y, queue)
            wrong = nan if name == COPY else _error(ready.fetch(ready.call()), ready.first, y)
            turns[len(entries)] = Turn(ready.call, ready.synchronize, settings)
            entries.append(Entry(name, where, error=wrong))
        except ImportError as error:
            entries.append(Entry(name, where, word="-", reason=str(error)))
        except Exception as error:  # a rival's fault is no reason to end
            if name.startswith(OURS):
                raise
            entries.append(Entry(name, where, word=FAILED, reason=f"{error}".split("\n")[0]))
    for _ in range(settings.samples):
        for turn in turns.values():
            turn.take()
    return tuple(
        replace(each, ms=spread(turns[n].ms)) if n in turns else each
        for n, each in enumerate(entries)
    )


def _error(spectra: np.ndarray, first: int, y: np.ndarray) -> float:
    """Return how far some frames are off, beside NumPy in double precision."""
    last = len(y) // HOP - 2  # of those that need no padding
    numbers = [
        t
        for begin in (2, last // 2, last - CHECKED)
        for t in range(begin, min(begin + CHECKED, last))
    ]
    window = np.hanning(N_FFT + 1)[:-1]
    frames = np.stack([y[t * HOP - N_FFT // 2 :][:N_FFT] for t in numbers]).astype(np.float64)
    expected = np.fft.rfft(window * frames)
    return relative_error(np.asarray(spectra)[:, [t - first for t in numbers]].T, expected)


# --- the curve ------------------------------------------------------------------------------------


def measure_curve(
    queue: cl.CommandQueue, samples: int, launches: Sequence[int] = LAUNCHES
) -> tuple[Point, ...]:
    """Measure 1164 frames by both kernels, so many of them a launch.

    Parameters
    ----------
    queue : cl.CommandQueue
        Of the device.
    samples : int
        Of each point.
    launches : sequence of int
        Frames a launch.

    Returns
    -------
    tuple of Point
    """
    context = queue.context
    profiling = profiling_queue(context)
    y = _song()
    source = cl_array.to_device(profiling, y)
    target = cl_array.empty(profiling, (FRAMES, N_FFT // 2), np.float32)
    expected = _magnitudes(y)
    works = {
        (frames, kernel): make(context, frames, source, target)
        for frames in launches
        for kernel, make in zip(KERNELS, (_source_kernel, _engine), strict=True)
    }
    taken: dict[tuple[int, str], list[tuple[float, float]]] = {key: [] for key in works}
    errors: dict[tuple[int, str], float] = {}
    for turn in range(samples + 1):
        for key, work in works.items():
            recorder = Recorder()
            work(profiling, recorder)
            profiling.finish()
            times = recorder.times()
            if turn:  # the first one warms up
                taken[key].append((_kernel_ms(times), _span_ms(recorder.events)))
            else:
                errors[key] = relative_error(target.get(), expected)

    def medians(frames: int, n: int) -> dict[str, float]:
        return {each: float(np.median([t[n] for t in taken[frames, each]])) for each in KERNELS}

    return tuple(
        Point(
            frames,
            medians(frames, 0),
            medians(frames, 1),
            {each: errors[frames, each] for each in KERNELS},
        )
        for frames in launches
    )


def _song() -> np.ndarray:
    return np.random.default_rng(0).uniform(-1, 1, (FRAMES + 1) * HOP).astype(np.float32)


def _magnitudes(y: np.ndarray) -> np.ndarray:
    """Return what the curve's kernels leave, in double precision."""
    frames = np.lib.stride_tricks.sliding_window_view(y.astype(np.float64), N_FFT)[::HOP]
    return np.abs(np.fft.rfft(frames))[:, : N_FFT // 2]


Run = Callable[[cl.CommandQueue, Recorder], None]
MUSIC = make_frames(N_FFT, HOP, window="boxcar", center=False)


def _source_kernel(
    context: cl.Context, frames: int, source: cl_array.Array, target: cl_array.Array
) -> Run:
    """Return the source's kernel, in launches of so many work-groups."""
    job = Job(
        MUSIC.over(source.size, 1, "single"), MUSIC.window, Magnitudes(bins=N_FFT // 2),
        local_radix2.NAME, values=(("local_frames", frames),),
    )  # fmt: skip
    executable = executable_of(context, job)
    given: Any = source.base_data
    result: Any = target.base_data

    def run(queue: cl.CommandQueue, recorder: Recorder) -> None:
        executable.enqueue(queue, given, result, (), recorder)

    return run


def _engine(
    context: cl.Context, frames: int, source: cl_array.Array, target: cl_array.Array
) -> Run:
    """Return our kernel, on parts of the buffers."""
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

    return run


def _kernel_ms(times: Iterable[PassTime]) -> float:
    return sum(each.ms for each in times)


def _span_ms(events: Sequence[tuple[str, str, int, cl.Event]]) -> float:
    """Return the time from the first command's arrival in the queue to the last one's end."""
    profiles = [event.profile for *_, event in events]
    return (profiles[-1].end - profiles[0].queued) * 1e-6


def measure_song(samples: int) -> dict[str, float]:
    """Measure the source's baselines on the host: a recursion, and FFTW if it is there."""
    y = _song()
    frames = np.ascontiguousarray(np.lib.stride_tricks.sliding_window_view(y, N_FFT)[::HOP])
    points = [frame.tolist() for frame in frames]
    settings = replace(SETTINGS, samples=samples)
    turn = Turn(lambda: [recursive_fft(each) for each in points], lambda: None, settings)
    found = {"recursive, Python": turn.ms[0]}
    try:
        pyfftw = import_module("pyfftw")
    except ImportError:
        return found
    transform = pyfftw.builders.rfft(pyfftw.byte_align(frames), threads=1)
    turn = Turn(transform, lambda: None, settings)
    for _ in range(samples):
        turn.take()
    return {**found, "FFTW, one core": spread(turn.ms).median}


# --- the overlap ----------------------------------------------------------------------------------


def measure_overlap(queue: cl.CommandQueue, seconds: float = STREAMED_S) -> Overlap:
    """Stream a long signal through the device and look at the events of all pieces."""
    y = np.random.default_rng(0).uniform(-1, 1, (1, int(seconds * RATE))).astype(np.float32)
    frames = make_frames(N_FFT, HOP)
    count = frames.count(y.shape[1])
    result = memory.empty((1, count, N_FFT // 2 + 1), np.dtype(np.complex64))
    recorder = Recorder()
    stream = FrameStream(frames, "single", context=queue.context, recorder=recorder)
    for _ in range(2):  # the first time memory is allocated
        recorder.events.clear()
        stream.fill(Held(y, 0, True), slice(0, count), result)
    return overlap_of(
        seconds,
        [(name, each.profile.start, each.profile.end) for name, _, _, each in recorder.events],
    )


def overlap_of(seconds: float, intervals: Sequence[tuple[str, int, int]]) -> Overlap:
    """Return what was done at once.

    Parameters
    ----------
    seconds : float
        Of sound.
    intervals : sequence of (str, int, int)
        What was done, "write", "read" or a kernel, with its start and end in nanoseconds.

    Returns
    -------
    Overlap
    """
    kinds = {"write": "upload", "read": "download"}
    groups: dict[str, list[tuple[int, int]]] = {}
    for name, start, end in intervals:
        groups.setdefault(kinds.get(name, "compute"), []).append((start, end))
    everything = [each for group in groups.values() for each in group]
    span = max(end for _, end in everything) - min(start for start, _ in everything)
    busy = {name: _union(each) / 1e6 for name, each in groups.items()}
    return Overlap(seconds, busy, _union(everything) / 1e6, span / 1e6)


def _union(intervals: Iterable[tuple[int, int]]) -> int:
    """Return the length of all intervals together, where they overlap once."""
    total, reached = 0, -1
    for start, end in sorted(intervals):
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total


# --- the command ----------------------------------------------------------------------------------


def main(argv: Sequence[str]) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str
        Arguments, behind ``bench stft``.

    Returns
    -------
    int
        Exit status: 0; 1 where a result of ours is wrong; 2 after an error.
    """
    return commandline.run(lambda: _main(argv), PROG)


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    result = commandline.Parser(
        prog=PROG,
        description="Measure short-time Fourier transforms beside SciPy, librosa and PyTorch, as "
        "far as they are installed, and the kernel of a report on music analysis by the frames "
        "of a launch. Let nothing else run meanwhile.",
    )
    session.add_options(result, SETTINGS.samples, "the time over the frames of a launch")
    result.add_argument(
        "--seconds",
        metavar="S",
        type=commandline.count,
        default=180,
        help=f"of sound at {RATE} samples a second (default: 180)",
    )
    return result


def _main(argv: Sequence[str]) -> int:
    options = parser().parse_args(argv)
    session.require(options)
    device = devices.select_device(options.device)
    queue = devices.queue_of(devices.context_of(device))
    y = np.random.default_rng(1).uniform(-1, 1, options.seconds * RATE).astype(np.float32)
    settings = replace(SETTINGS, samples=options.samples)
    results = Results(environment((device,), ()), options.seconds, options.samples)
    print(commandline.table(list(results.environment.items())))
    results = replace(results, entries=measure_contenders(y, queue, settings))
    results = replace(results, curve=measure_curve(queue, options.samples))
    results = replace(results, song=measure_song(options.samples))
    if not devices.traits(device).is_cpu:
        results = replace(results, overlap=measure_overlap(queue))
    print("", as_text(results), sep="\n")
    if options.json:
        render.write(options.json, as_json(results))
    if options.markdown:
        render.write(options.markdown, as_markdown(results))
    if options.plot:
        write_plot(options.plot, results)
    return int(any(each.wrong for each in results.entries) or _worst(results.curve) > BOUND)


def _worst(curve: Iterable[Point]) -> float:
    return max((wrong for point in curve for wrong in point.error.values()), default=0.0)


# --- what is shown --------------------------------------------------------------------------------


def as_text(results: Results) -> str:
    """Return all tables as lines of text."""
    return render.text_of(_parts(results))


def as_markdown(results: Results) -> str:
    """Return all tables as a page."""
    return render.page_of("Short-time Fourier transforms", results.environment, _parts(results))


def _parts(results: Results) -> Iterator[Part]:
    """Yield paragraphs and tables."""
    yield (
        f"{results.seconds} s of sound at {RATE} samples a second, frames of {N_FFT}, {HOP} apart, "
        f"Hann window: medians of {results.samples} samples, in turns; "
        f"{OURS} = 1 in the same column of arrays"
    )
    yield Table(["ms", "median", "+-%", f"/{OURS}", "error"], list(_entry_rows(results)))
    yield from (
        f"{each.name} ({each.where}): {each.reason}" for each in results.entries if each.reason
    )
    yield (
        f"{FRAMES} frames of {N_FFT} points, {HOP} apart, to {N_FFT // 2} magnitudes each: ms of "
        f"all launches by their events, by frames a launch; published for another GPU"
    )
    yield Table(
        ["frames", *KERNELS, "published", *(f"{each}, with gaps" for each in KERNELS)],
        [
            [
                str(point.frames),
                *(f"{point.kernel_ms[each]:.4g}" for each in KERNELS),
                f"{point.published_ms:.4g}",
                *(f"{point.wall_ms[each]:.4g}" for each in KERNELS),
            ]
            for point in results.curve
        ],
    )
    yield Table(
        ["ms of a song", "here", "published"],
        [
            *([name, f"{ms:.4g}", "-"] for name, ms in results.song.items()),
            *([name, "-", f"{ms:.4g}"] for name, ms in PUBLISHED_SONG_MS.items()),
        ],
    )
    if results.overlap:
        parts = ", ".join(f"{name} {ms:.3g}" for name, ms in results.overlap.busy_ms.items())
        yield (
            f"a stream of {results.overlap.seconds:g} s, in ms: {parts}; "
            f"{results.overlap.any_ms:.3g} in which the device did any of these, of "
            f"{results.overlap.span_ms:.3g} in all: {results.overlap.hidden:.0%} overlapped"
        )


def _entry_rows(results: Results) -> Iterator[list[str]]:
    for each in results.entries:
        ours = results.ours(each.where).ms.median
        name = f"{each.name}, {each.where}"
        if each.word:
            yield [name, each.word, "-", "-", "-"]
        else:
            wrong = WRONG if each.wrong else f"{each.error:.1e}"
            ms = each.ms
            yield [
                name, f"{ms.median:.4g}", f"{ms.percent:.1f}", f"{ms.median / ours:.3g}", wrong
            ]  # fmt: skip


def as_json(results: Results) -> str:
    """Return all that was measured as JSON, with the published figures."""
    document = {
        "schema": SCHEMA,
        **asdict(results),
        "published": {"us_of_a_launch": PUBLISHED_US, "ms_of_a_song": PUBLISHED_SONG_MS},
    }
    return render.json_of(document)


def write_plot(path: str | os.PathLike[str], results: Results) -> None:
    """Draw the curve: time over the frames of a launch.

    Parameters
    ----------
    path : str or path
        Its extension names the format: png, svg, pdf; png without one.
    results : Results
        What was measured.
    """
    plots = pyplot()
    figure, axes = plots.subplots(figsize=(8, 5), layout="constrained")
    frames = [point.frames for point in results.curve]
    for n, kernel in enumerate(KERNELS):
        times = [point.kernel_ms[kernel] for point in results.curve]
        axes.plot(frames, times, "o-", color=f"C{n}", label=f"{kernel}, kernels alone")
        spans = [point.wall_ms[kernel] for point in results.curve]
        axes.plot(frames, spans, "o:", color=f"C{n}", label=f"{kernel}, with gaps between launches")
    published = [point.published_ms for point in results.curve]
    axes.plot(frames, published, "s--", color="0.5", label="published, another GPU")
    axes.set(xscale="log", yscale="log", xlabel="frames a launch")
    axes.set_ylabel(f"milliseconds for {FRAMES} frames")
    axes.set_xticks(frames, list(map(str, frames)))
    axes.minorticks_off()
    axes.yaxis.set_major_locator(plots.LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    about = results.environment
    axes.set_title(f"{about['device']}, {about['date']}", fontsize="medium", wrap=True)
    save(figure, Path(path), dpi=100)
    plots.close(figure)
