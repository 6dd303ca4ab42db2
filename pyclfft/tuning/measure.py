"""How the tuner measures candidates: in turns, on a device, and only what is right may win.

Times are those of a few transforms one after the other, from the end of the first to the end of the
last, by the events' profiling information; so the gaps between launches count and what the host
does before does not. Some runtimes' events lie: `trusts_events` finds that out by holding them
against the host's clock, which is taken instead.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from importlib import import_module
from math import ceil, inf, prod

import numpy as np
import pyopencl as cl

from ..errors import PyclfftError
from ..planning.accuracy import relative_error, transform_bound
from ..planning.problem import Problem
from ..planning.schedule import buffers_of
from ..runtime import describe, memory
from ..runtime.executable import Executable
from ..runtime.profile import profiling_queue
from .search import Timing
from .space import Candidate

SAMPLES, FEW = 11, 3  # of each candidate; of one that is slow or hopeless
SAMPLE_S, SLOW_S = 0.003, 0.1  # a sample's length at least; a call that is a slow one
HOPELESS = 1.3  # times the fastest, at best
WARM_S = 0.3  # for which a device that rests is kept busy before anything counts
EVENTS_S = 0.01  # of transforms by which events are held against the host's clock
LEAST, MOST = 0.5, 1.05  # of the host's time, that events of a busy queue may come to


class DeviceMeasure:
    """Measures candidates for one problem.

    Parameters
    ----------
    context : cl.Context
        Of one device.
    problem : Problem
        What they transform, contiguous and without hooks.

    Raises
    ------
    DeviceMemoryError
        The device has no room for input and result.
    """

    def __init__(self, context: cl.Context, problem: Problem) -> None:
        self.context, self.problem = context, problem
        memory.require_fits(describe.traits(context.devices[0]), buffers_of(problem))
        self.queue = profiling_queue(context)
        source = source_of(problem)
        self._checked, self._expected = reference_of(problem, source)
        self._source, self._target = (
            memory.allocate(context, max(1, nbytes)) for nbytes in (source.nbytes, problem.nbytes)
        )
        cl.enqueue_copy(self.queue, self._source, source)
        self._by_events: bool | None = None

    def __call__(self, candidates: Sequence[Candidate]) -> list[Timing]:
        """Return the timings of candidates that take turns."""
        runs = [_Run(self, each) for each in candidates]
        for run in runs:
            run.prepare()
        running = [run for run in runs if not run.reason]
        for sample in range(SAMPLES):
            if sample == FEW:
                fastest = min((run.least for run in running), default=inf)
                running = [run for run in running if run.least < min(HOPELESS * fastest, SLOW_S)]
            for run in running:
                run.take()
        return [run.timing() for run in runs]

    def seconds(self, call: Callable[[], cl.Event], calls: int) -> float:
        """Return one call's time: `calls` are timed, behind one that is not."""
        if self._by_events is None:
            self._by_events = trusts_events(call, self.queue)
        clock = _by_events if self._by_events else _by_host
        return clock(call, calls, self.queue)

    def error(self) -> float:
        """Return the largest relative error of the transforms that are checked."""
        result = np.empty(self.problem.target.shape, self.problem.dtype)
        cl.enqueue_copy(self.queue, result, self._target)
        pieces = pieces_of(result, self.problem, self._checked)
        errors = [relative_error(*pair) for pair in zip(pieces, self._expected, strict=True)]
        return float(np.max(errors))

    @property
    def clock(self) -> str:
        """What measures: ``"events"`` or ``"host"``; empty before the first candidate."""
        return {True: "events", False: "host", None: ""}[self._by_events]


class _Run:
    """A candidate with its samples. What goes wrong is its timing."""

    def __init__(self, owner: DeviceMeasure, candidate: Candidate) -> None:
        self.owner, self.candidate = owner, candidate
        self.samples: list[float] = []
        self.calls = 1
        self.reason = ""

    @property
    def least(self) -> float:
        return min(self.samples, default=inf)

    def prepare(self) -> None:
        """Compile, check the result, and take the first sample."""
        owner = self.owner
        try:
            executable = Executable(owner.context, self.candidate.schedule)
            source, target = owner._source, owner._target
            self._call = lambda: executable.enqueue(owner.queue, source, target, ())
            cl.enqueue_fill_buffer(owner.queue, target, np.uint8(255), 0, owner.problem.nbytes)
            self._call().wait()
            problem = owner.problem
            lengths = [problem.shape[axis] for axis in problem.axes]
            error, bound = owner.error(), 2 * transform_bound(lengths, problem.precision)
            if not error <= bound:
                self.reason = f"relative error {error:.1e}, allowed {bound:.1e}"
                return
            once = owner.seconds(self._call, 1)
            self.calls = max(1, ceil(SAMPLE_S / max(once, 1e-7)))
        except (PyclfftError, cl.Error) as error:
            self.reason = f"{type(error).__name__}: {str(error).splitlines()[0]}"

    def take(self) -> None:
        """Add a sample."""
        self.samples.append(self.owner.seconds(self._call, self.calls))

    def timing(self) -> Timing:
        """Return the median; infinity where there is no right result."""
        return Timing(inf if self.reason else float(np.median(self.samples)) * 1e3, self.reason)


def _by_host(call: Callable[[], cl.Event], calls: int, queue: cl.CommandQueue) -> float:
    call()
    queue.finish()
    start = time.perf_counter()
    for _ in range(calls):
        call()
    queue.finish()
    return (time.perf_counter() - start) / calls


def _by_events(call: Callable[[], cl.Event], calls: int, queue: cl.CommandQueue) -> float:
    first = call()
    for _ in range(calls):
        last = call()
    last.wait()
    return (last.profile.end - first.profile.end) * 1e-9 / calls


def trusts_events(call: Callable[[], cl.Event], queue: cl.CommandQueue) -> bool:
    """Whether events say when kernels have run.

    A queue that is kept busy for 10 ms has to be busy for half of the host's time at least, and not
    longer than that; and each event has to begin before it ends and after it was submitted.

    Parameters
    ----------
    call : callable
        Enqueues a transform and returns its event.
    queue : cl.CommandQueue
        Where; with profiling.

    Returns
    -------
    bool
    """
    warm_up(call, queue)
    calls = max(2, ceil(EVENTS_S / max(_by_host(call, 1, queue), 1e-7)))
    by_host = _by_host(call, calls, queue)
    try:
        by_events = _by_events(call, calls, queue)
        event = call()
        event.wait()
        about = event.profile
        ordered = about.queued <= about.submit <= about.start < about.end
    except cl.Error:  # no profiling information at all
        return False
    return ordered and LEAST * by_host <= by_events <= MOST * by_host


def warm_up(call: Callable[[], cl.Event], queue: cl.CommandQueue) -> None:
    """Let a device run at the clock that it has when it is busy."""
    end = time.perf_counter() + WARM_S
    while time.perf_counter() < end:
        call()
        queue.finish()


# --- what is transformed, and what should come of it ----------------------------------------------


def source_of(problem: Problem) -> np.ndarray:
    """Return uniform numbers in [-0.5, 0.5); of a c2r problem the spectrum of such."""
    generator = np.random.default_rng(1)
    real = np.dtype(f"f{problem.complex_dtype.itemsize // 2}")
    if problem.kind == "c2r":
        x = generator.random(problem.shape, real) - real.type(0.5)
        return np.fft.rfftn(x, axes=problem.axes).astype(problem.complex_dtype)
    parts = problem.source_dtype.itemsize // real.itemsize
    numbers = generator.random(prod(problem.source.shape) * parts, real) - real.type(0.5)
    return numbers.view(problem.source_dtype).reshape(problem.source.shape)


def reference_of(problem: Problem, source: np.ndarray) -> tuple[list[tuple], np.ndarray]:
    """Return which transforms are checked, first, middle and last, and what they should be."""
    others = [n for axis, n in enumerate(problem.shape) if axis not in problem.axes]
    count = prod(others)
    chosen = [np.unravel_index(k, others) for k in sorted({0, count // 2, count - 1})]
    wide = {"f": np.float64, "F": np.complex128, "d": np.longdouble, "D": np.clongdouble}
    pieces = pieces_of(source, problem, chosen).astype(wide[source.dtype.char])
    order = sorted(problem.axes)
    axes = tuple(1 + order.index(axis) for axis in problem.axes)
    lengths = tuple(problem.shape[axis] for axis in problem.axes)
    return chosen, _transformed(problem, pieces, axes, lengths) * problem.scale


def pieces_of(array: np.ndarray, problem: Problem, chosen: Sequence[tuple]) -> np.ndarray:
    """Return single transforms of a batch, one after the other."""
    batch = [axis for axis in range(array.ndim) if axis not in problem.axes]
    moved = np.moveaxis(array, batch, range(len(batch)))
    return np.stack([moved[tuple(index)] for index in chosen])


def _transformed(
    problem: Problem, x: np.ndarray, axes: tuple[int, ...], lengths: tuple[int, ...]
) -> np.ndarray:
    """Return unscaled transforms, by NumPy, or cosine transforms by SciPy."""
    if problem.is_trigonometric:
        return _cosines(problem, x, axes)
    count = prod(lengths)
    if problem.kind == "r2c":
        result = np.fft.rfftn(x, axes=axes)
        return result if problem.direction == "forward" else result.conj()
    if problem.kind == "c2r":
        x = x if problem.direction == "inverse" else x.conj()
        return np.fft.irfftn(x, s=lengths, axes=axes) * count
    if problem.direction == "forward":
        return np.fft.fftn(x, axes=axes)
    return np.fft.ifftn(x, axes=axes) * count


def _cosines(problem: Problem, x: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    transform = getattr(import_module("scipy.fft"), f"{problem.kind[:3]}n")
    return transform(x, int(problem.kind[3]), axes=axes, orthogonalize=problem.orthogonal)
