"""How the tuner measures candidates: in turns, on a device. A wrong result cannot win.

A sample times some transforms, one after the other, by the profiling information of their events:
from the end of an untimed transform to the end of the last one. So the gaps between launches count,
and the host's work before them does not. Some runtimes' events are wrong. `trusts_events` finds
this out by comparing them with the host's clock, which is then used instead.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
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

SAMPLES, FEW = 11, 3  # samples of each candidate; samples of one that is slow or hopeless
SAMPLE_S, SLOW_S = 0.003, 0.1  # shortest sample; shortest call that counts as slow
HOPELESS = 1.3  # least time over the fastest one's, from which on a candidate is hopeless
WARM_S = 0.3  # how long an idle device is kept busy before anything counts
EVENTS_S = 0.01  # how long the transforms last by which events are compared with the host's clock
LEAST, MOST = 0.5, 1.05  # allowed range of a busy queue's time by events over the host's time


class Measure(ABC):
    """Measures candidates in turns.

    Parameters
    ----------
    context : cl.Context
        Context of one device.
    source : ndarray
        The input of all candidates.
    shape, dtype : tuple of int, dtype
        Those of the result.

    Raises
    ------
    DeviceMemoryError
        If the device has no room for the input and the result.
    """

    def __init__(
        self, context: cl.Context, source: np.ndarray, shape: tuple[int, ...], dtype: np.dtype
    ) -> None:
        self.context = context
        self._shape, self._dtype = shape, np.dtype(dtype)
        self._nbytes = prod(shape) * self._dtype.itemsize
        sizes = {"in": source.nbytes, "out": self._nbytes}
        memory.require_fits(describe.traits(context.devices[0]), sizes)
        self.queue = profiling_queue(context)
        self._source, self._target = (
            memory.allocate(context, max(1, nbytes)) for nbytes in sizes.values()
        )
        cl.enqueue_copy(self.queue, self._source, np.ascontiguousarray(source))
        self._by_events: bool | None = None

    @abstractmethod
    def launch(self, candidate: Candidate) -> Callable[[], cl.Event]:
        """Make a candidate ready, and return what enqueues it."""

    @abstractmethod
    def error_of(self, result: np.ndarray) -> float:
        """Return the largest relative error in a result, as far as it is checked."""

    @property
    @abstractmethod
    def bound(self) -> float:
        """The largest relative error that is allowed."""

    def __call__(self, candidates: Sequence[Candidate]) -> list[Timing]:
        """Measure candidates in turns, and return their timings in the given order."""
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
        """Return the time of one call: the mean of `calls`, after one that is not timed."""
        if self._by_events is None:
            self._by_events = trusts_events(call, self.queue)
        clock = _by_events if self._by_events else _by_host
        return clock(call, calls, self.queue)

    def error(self, call: Callable[[], cl.Event]) -> float:
        """Return the largest relative error of a call's result."""
        cl.enqueue_fill_buffer(self.queue, self._target, np.uint8(255), 0, self._nbytes)
        call().wait()
        result = np.empty(self._shape, self._dtype)
        cl.enqueue_copy(self.queue, result, self._target)
        return self.error_of(result)

    @property
    def clock(self) -> str:
        """Clock in use: ``"events"`` or ``"host"``; empty before the first candidate is timed."""
        return {True: "events", False: "host", None: ""}[self._by_events]


class DeviceMeasure(Measure):
    """Measures candidates for one transform.

    Parameters
    ----------
    context : cl.Context
        Context of one device.
    problem : Problem
        The problem of all candidates: contiguous arrays, no hooks.

    Raises
    ------
    DeviceMemoryError
        If the device has no room for the input and the result.
    """

    def __init__(self, context: cl.Context, problem: Problem) -> None:
        memory.require_fits(describe.traits(context.devices[0]), buffers_of(problem))
        source = source_of(problem)
        super().__init__(context, source, problem.target.shape, problem.dtype)
        self.problem = problem
        self._checked, self._expected = reference_of(problem, source)

    def launch(self, candidate: Candidate) -> Callable[[], cl.Event]:
        """Make a candidate ready, and return what enqueues it."""
        executable = Executable(self.context, candidate.schedule)
        return lambda: executable.enqueue(self.queue, self._source, self._target, ())

    def error_of(self, result: np.ndarray) -> float:
        """Return the largest relative error of the checked transforms."""
        pieces = pieces_of(result, self.problem, self._checked)
        errors = [relative_error(*pair) for pair in zip(pieces, self._expected, strict=True)]
        return float(np.max(errors))

    @property
    def bound(self) -> float:
        """The largest relative error that is allowed."""
        lengths = [self.problem.shape[axis] for axis in self.problem.axes]
        return 2 * transform_bound(lengths, self.problem.precision)


class _Run:
    """A candidate with its samples. If it fails, its timing says why."""

    def __init__(self, owner: Measure, candidate: Candidate) -> None:
        self.owner, self.candidate = owner, candidate
        self.samples: list[float] = []
        self.calls = 1
        self.reason = ""

    @property
    def least(self) -> float:
        return min(self.samples, default=inf)

    def prepare(self) -> None:
        """Compile, check the result, and find the number of calls in a sample."""
        owner = self.owner
        try:
            self._call = owner.launch(self.candidate)
            error, bound = owner.error(self._call), owner.bound
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
        """Return the median of the samples, or infinity if the candidate has no right result."""
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
    """Return whether a runtime's events tell truly when kernels have run.

    A queue is kept busy for about `EVENTS_S`. By the events this has to last from `LEAST` to `MOST`
    times as long as by the host's clock. One event's times have to be in order: queued, submitted,
    started, ended.

    Parameters
    ----------
    call : callable
        Enqueues a transform and returns its event.
    queue : cl.CommandQueue
        Queue, with profiling, to which `call` enqueues.

    Returns
    -------
    bool
        True if the events can be trusted.
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
    except cl.Error:  # the runtime gives no profiling information at all
        return False
    return ordered and LEAST * by_host <= by_events <= MOST * by_host


def warm_up(call: Callable[[], cl.Event], queue: cl.CommandQueue) -> None:
    """Keep a device busy until it runs at the clock rate that it has under load."""
    end = time.perf_counter() + WARM_S
    while time.perf_counter() < end:
        call()
        queue.finish()


# --- the input, and the expected result -----------------------------------------------------------


def source_of(problem: Problem) -> np.ndarray:
    """Return uniform random numbers in [-0.5, 0.5), or for a c2r problem their spectrum."""
    generator = np.random.default_rng(1)
    real = np.dtype(f"f{problem.complex_dtype.itemsize // 2}")
    if problem.kind == "c2r":
        x = generator.random(problem.shape, real) - real.type(0.5)
        return np.fft.rfftn(x, axes=problem.axes).astype(problem.complex_dtype)
    parts = problem.source_dtype.itemsize // real.itemsize
    numbers = generator.random(prod(problem.source.shape) * parts, real) - real.type(0.5)
    return numbers.view(problem.source_dtype).reshape(problem.source.shape)


def reference_of(problem: Problem, source: np.ndarray) -> tuple[list[tuple], np.ndarray]:
    """Return the indices of the checked transforms (first, middle, last) and their true results."""
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
    """Return the chosen transforms of a batch, stacked along a new first axis."""
    batch = [axis for axis in range(array.ndim) if axis not in problem.axes]
    moved = np.moveaxis(array, batch, range(len(batch)))
    return np.stack([moved[tuple(index)] for index in chosen])


def _transformed(
    problem: Problem, x: np.ndarray, axes: tuple[int, ...], lengths: tuple[int, ...]
) -> np.ndarray:
    """Return transforms without scaling: cosine and sine transforms by SciPy, others by NumPy."""
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
