"""The measurement: contenders take turns on the same input, and every result is checked.

A sample times several calls, one after the other, and the wait for the last one, with the host's
clock; it is this time divided by the number of calls. If there are enough calls, the device hides
the host's work, as it does in a program that keeps the device busy. Because the contenders take
turns, whatever else the machine does meanwhile slows all of them alike. On CPUs a pause goes before
each sample: a library's threads may spin for a while after its call, and would slow the next one.
Each round of turns has another order, because a pause does not undo everything: after the threads
of another library have run, Linux may let two threads of a runtime share a processor for a while.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from math import ceil, inf, nan, prod
from typing import TypeVar

import numpy as np
import pyopencl as cl

from ..errors import BuildError, DeviceMemoryError, PyclfftError
from ..planning.accuracy import relative_error
from ..planning.precision import REAL_DTYPE
from ..runtime import memory
from . import filters
from .cases import FILTER, Workload
from .rivals import Call, Contender, Ours, VkFFTOnCPU, takes
from .scipyfft import unscaled
from .statistics import Spread, spread

Each = TypeVar("Each")

WRONG, FAILED = "WRONG", "failed"

# What has kept a contender from being measured, in a word; FAILED for all else.
WORDS: tuple[tuple[type[Exception], str], ...] = (
    (DeviceMemoryError, "memory"),
    (BuildError, FAILED),
    (PyclfftError, "refused"),
)


@dataclass(frozen=True)
class Settings:
    """How long each case is measured.

    Attributes
    ----------
    samples : int
        How many samples are taken of each contender, unless its budget is spent before.
    sample_s : float
        Seconds that a sample lasts at least.
    min_calls : int
        How many calls a sample has at least, unless one call lasts `slow_s` or longer.
    slow_s : float
        Seconds from which on a single call makes a sample.
    budget_s : float
        Seconds of samples after which a contender takes no further turns.
    pause_s : float
        Seconds of rest before each sample.
    """

    samples: int = 61
    sample_s: float = 0.005
    min_calls: int = 3
    slow_s: float = 0.1
    budget_s: float = 2.0
    pause_s: float = 0.0


@dataclass(frozen=True)
class Outcome:
    """What one contender has achieved at one case.

    Attributes
    ----------
    contender : str
        Name of the contender.
    ms : Spread
        Milliseconds in which the contender transforms the whole batch once.
    calls : int
        Number of calls in each sample.
    prepare_s : float
        Seconds from the beginning of planning to the first result, upload included. Programs that
        an earlier process has compiled are not compiled again.
    error, bound : float
        Largest relative L2 error of the checked transforms, and the largest error allowed. For a
        rival, any error is allowed: `bound` is infinity.
    word, reason : str
        Why the contender was not measured, in one word and in full. Both are empty if it was
        measured.
    """

    contender: str
    ms: Spread = field(default_factory=Spread)
    calls: int = 0
    prepare_s: float = nan
    error: float = nan
    bound: float = inf
    word: str = ""
    reason: str = ""

    @property
    def status(self) -> str:
        """Empty if the contender was measured and its result is right; NaN is not right."""
        if self.word or self.error <= self.bound or self.bound == inf:
            return self.word
        return WRONG


@dataclass(frozen=True)
class Row:
    """One case with the outcome of every contender; the first is pyclfft's.

    Attributes
    ----------
    workload : Workload
        The case with its batch.
    outcomes : tuple of Outcome
        One outcome for each contender, in the order of the contenders.
    device : str
        Short name of the device on which they ran; empty if there is only one device.
    """

    workload: Workload
    outcomes: tuple[Outcome, ...]
    device: str = ""

    @property
    def name(self) -> str:
        """Name of the case, followed by the device's name if there are several devices."""
        return " on ".join(filter(None, (self.workload.case.name, self.device)))

    @property
    def ours(self) -> Outcome:
        """Outcome of pyclfft with arrays on the device."""
        return self.outcomes[0]

    @property
    def own(self) -> tuple[Outcome, ...]:
        """All outcomes of pyclfft: on the device and, with ``--cpu``, from NumPy to NumPy too."""
        return tuple(each for each in self.outcomes if each.bound < inf)

    def ratio(self, outcome: Outcome) -> float:
        """Return a contender's time divided by ours: above 1 if pyclfft is faster."""
        return outcome.ms.median / self.ours.ms.median

    @property
    def behind(self) -> float:
        """Our time divided by the fastest rival's; NaN if either of them is missing."""
        rivals = (each for each in self.outcomes if each.bound == inf)
        ratios = [ratio for each in rivals if (ratio := self.ratio(each)) > 0]
        return 1 / min(ratios) if ratios else nan


@dataclass(frozen=True)
class CopyRate:
    """The speed of the device's memory: the time of a plain copy from one buffer to another.

    Attributes
    ----------
    nbytes : int
        Size of each buffer in bytes.
    ms : Spread
        Milliseconds of one copy.
    """

    nbytes: int
    ms: Spread

    @property
    def gb_per_s(self) -> float:
        """Bytes read and written, in units of 10^9 bytes a second."""
        return 2 * self.nbytes / self.ms.median / 1e6

    def fraction(self, nbytes: int, ms: float) -> float:
        """Return the rate of a job that moves `nbytes` in `ms`, divided by the copy's rate."""
        return nbytes / ms / 1e6 / self.gb_per_s


def copy_rate(queue: cl.CommandQueue, nbytes: int, settings: Settings) -> CopyRate:
    """Measure a copy on the device, in the same way as transforms are measured."""
    source, target = (memory.allocate(queue.context, nbytes) for _ in range(2))
    cl.enqueue_fill_buffer(queue, source, np.uint8(1), 0, nbytes)
    turn = Turn(lambda: cl.enqueue_copy(queue, target, source), queue.finish, settings)
    for _ in range(settings.samples):
        turn.take()
    for buffer in (source, target):
        buffer.release()
    return CopyRate(nbytes, spread(turn.ms))


def measure(
    workload: Workload, contenders: Sequence[Contender], noise: Noise, settings: Settings
) -> Row:
    """Measure one case.

    Parameters
    ----------
    workload : Workload
        The case with its batch.
    contenders : sequence of Contender
        Pyclfft first. If one of them fails, its outcome says so, and the others go on.
    noise : Noise
        Source of the input.
    settings : Settings
        How long to measure.

    Returns
    -------
    Row
        The outcomes of all contenders.
    """
    source = noise.source(workload)
    expected = reference(workload, source)
    runs = [_Run(each, workload, settings) for each in contenders]
    try:
        for run in runs:
            if takes(run.contender, workload.case):
                run.prepare(source, expected)
        for run in in_rounds(runs, settings.samples):
            run.take()
        return Row(workload, tuple(run.outcome(expected) for run in runs))
    finally:
        for run in runs:
            run.release()


def in_rounds(turns: Iterable[Each], rounds: int) -> Iterator[Each]:
    """Yield all turns in each round, in an order that differs from round to round.

    Each run of a benchmark has the same orders.

    Parameters
    ----------
    turns : iterable
        Whatever takes turns.
    rounds : int
        How many rounds there are.
    """
    order = list(turns)
    chance = random.Random(1)
    for _ in range(rounds):
        chance.shuffle(order)
        yield from order


@dataclass(frozen=True)
class Side:
    """The contenders on one device.

    Attributes
    ----------
    contenders : tuple of Contender
        Pyclfft first. A contender that needs no device may be on several sides.
    device : str
        Short name of the device; empty if there is only one.
    """

    contenders: tuple[Contender, ...]
    device: str = ""


def measure_sides(
    workload: Workload, sides: Sequence[Side], noise: Noise, settings: Settings
) -> tuple[Row, ...]:
    """Measure one case on several devices. All contenders take turns, each of them only once.

    Parameters
    ----------
    workload : Workload
        The case with its batch.
    sides : sequence of Side
        The contenders of each device; at least one side.
    noise : Noise
        Source of the input.
    settings : Settings
        How long to measure.

    Returns
    -------
    tuple of Row
        One row for each side, in their order.
    """
    everyone = list(dict.fromkeys(each for side in sides for each in side.contenders))
    outcomes = measure(workload, everyone, noise, settings).outcomes
    known = dict(zip(everyone, outcomes, strict=True))
    return tuple(
        Row(workload, tuple(known[each] for each in side.contenders), side.device) for side in sides
    )


class Turn:
    """Takes samples of a call, and at first finds out how many calls make a sample.

    These first calls are the warm-up too. If a call is slow, it needs no warm-up, and the first
    call counts as the first sample.
    """

    def __init__(self, call: Call, synchronize: Callable[[], object], settings: Settings) -> None:
        self.call, self.synchronize, self.settings = call, synchronize, settings
        self.ms: list[float] = []
        self._spent = 0.0
        self.calls = 1
        while (each := self._seconds(self.calls)) * self.calls < settings.sample_s:
            self.calls *= 2
        if each < settings.slow_s:
            self.calls = max(settings.min_calls, ceil(settings.sample_s / each))
        else:
            self._add(each)

    def take(self) -> None:
        """Add a sample after a pause, unless the budget of time is spent.

        If a sample has several calls, one more call goes before them and is not timed: on a GPU,
        another library's turn ran in another context, and switching between contexts takes time.
        """
        if self._spent < self.settings.budget_s:
            if self.settings.pause_s:
                time.sleep(self.settings.pause_s)
            if self.calls > 1:
                self._seconds(1)
            self._add(self._seconds(self.calls))

    def _add(self, each: float) -> None:
        self._spent += each * self.calls
        self.ms.append(each * 1e3)

    def _seconds(self, calls: int) -> float:
        start = time.perf_counter()
        for _ in range(calls):
            self.call()
        self.synchronize()
        return (time.perf_counter() - start) / calls


class _Run:
    """One contender at one case. After its first failure it is not called any more."""

    def __init__(self, contender: Contender, workload: Workload, settings: Settings) -> None:
        self.contender, self.workload, self.settings = contender, workload, settings
        self.turn: Turn | None = None
        self.error = self.prepare_s = nan
        self.word = self.reason = ""

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # of whatever type: the failure is this contender's outcome
            self.turn = None
            self.word = next((word for kind, word in WORDS if isinstance(error, kind)), FAILED)
            self.reason = f"{type(error).__name__}: {error}"

    def prepare(self, source: np.ndarray, expected: np.ndarray) -> None:
        """Plan, transform once, check the result, and find the number of calls in a sample."""
        with self._guarded():
            if isinstance(self.contender, VkFFTOnCPU):
                self.contender.rehearse(self.workload)
            start = time.perf_counter()
            call = self.contender.prepare(self.workload, source)
            call()
            self.contender.synchronize()
            self.prepare_s = time.perf_counter() - start
            self.error = self._check(expected)
            self.turn = Turn(call, self.contender.synchronize, self.settings)

    def take(self) -> None:
        """Add a sample, unless the contender has failed."""
        if self.turn:
            with self._guarded():
                self.turn.take()

    def outcome(self, expected: np.ndarray) -> Outcome:
        """Return the outcome. The result of pyclfft is checked once more after the last call.

        The rivals' results are not: a c2r transform of theirs may destroy its input at its first
        call.
        """
        bound = inf
        if isinstance(self.contender, Ours):
            bound = self.contender.bound(self.workload.case)
        if self.turn and bound < inf:
            with self._guarded():
                self.error = float(np.maximum(self.error, self._check(expected)))
        return Outcome(
            contender=self.contender.name,
            ms=spread(self.turn.ms if self.turn else ()),
            calls=self.turn.calls if self.turn else 0,
            prepare_s=self.prepare_s,
            error=self.error,
            bound=bound,
            word=self.word,
            reason=self.reason,
        )

    def release(self) -> None:
        """Drop the call, which holds the plan and the arrays, and free their memory."""
        self.turn = None
        with suppress(Exception):  # after a failure the device may be in any state
            self.contender.release()

    def _check(self, expected: np.ndarray) -> float:
        results = self.contender.fetch(self.workload.checked)
        errors = [relative_error(*pair) for pair in zip(results, expected, strict=True)]
        return float(np.max(errors))


# --- the input, and the reference by SciPy --------------------------------------------------------


class Noise:
    """Uniform random numbers in [-0.5, 0.5), made once for each type and used for all cases."""

    def __init__(self) -> None:
        self._pools: dict[np.dtype, np.ndarray] = {}

    def source(self, workload: Workload) -> np.ndarray:
        """Return the input of a case.

        For c2r it is the spectrum of real numbers. If a c2r input is not the spectrum of any real
        array, libraries may disagree about its transform.
        """
        shape = workload.source_shape
        if workload.case.kind == FILTER:
            return np.random.default_rng(1).integers(0, 256, shape, dtype=np.uint8)
        real = REAL_DTYPE[workload.case.precision]
        if workload.case.kind == "c2r" and len(workload.axes) > 1:
            x = self._numbers(prod(workload.shape), real).reshape(workload.shape)
            return import_module("scipy.fft").rfftn(x, axes=workload.axes, workers=-1)
        parts = workload.source_dtype.itemsize // real.itemsize
        numbers = self._numbers(prod(shape) * parts, real)
        elements = numbers.view(workload.source_dtype).reshape(shape)
        if workload.case.kind == "c2r":
            return _of_real_rows(elements, workload)
        return elements

    def _numbers(self, count: int, dtype: np.dtype) -> np.ndarray:
        pool = self._pools.get(dtype)
        if pool is None or pool.size < count:
            generator = np.random.default_rng(1)
            pool = generator.random(count, dtype=dtype.type)
            pool -= dtype.type(0.5)
            self._pools[dtype] = pool
        return pool[:count]


def _of_real_rows(elements: np.ndarray, workload: Workload) -> np.ndarray:
    """Return a copy that is the spectrum of real rows: elements without a mirror image are real."""
    (axis,) = workload.axes
    spectra = np.moveaxis(elements.copy(), axis, -1)
    spectra[..., 0].imag = 0
    if workload.case.lengths[-1] % 2 == 0:
        spectra[..., -1].imag = 0
    return np.moveaxis(spectra, -1, axis)


def reference(workload: Workload, source: np.ndarray) -> np.ndarray:
    """Transform the checked part of the batch by SciPy, in the next wider precision, unscaled."""
    pieces = np.stack([workload.one(source, index) for index in workload.checked])
    if workload.case.kind == FILTER:
        return filters.reference(workload, pieces)
    wider = {"f": np.float64, "F": np.complex128, "d": np.longdouble, "D": np.clongdouble}
    axes = tuple(range(1, pieces.ndim))
    return unscaled(workload.case, axes, workers=-1)(pieces.astype(wider[pieces.dtype.char]))
