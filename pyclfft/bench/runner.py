"""The measurement: contenders take turns on the same input, and every result is checked.

A sample is the host's time of some calls one after the other and of waiting for the last, over
their number: with enough calls what the host does is hidden behind the device, as it is in a
program that has work for it. Turns, rather than one contender after the other, let what a machine
does meanwhile fall on all of them alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from math import ceil, inf, nan, prod

import numpy as np
import pyopencl as cl

from ..errors import BuildError, DeviceMemoryError, PyclfftError
from ..planning.accuracy import relative_error
from ..planning.problem import REAL_DTYPE
from ..runtime import memory
from .cases import Workload
from .rivals import Call, Contender, Ours, VkFFTOnCPU
from .scipyfft import unscaled
from .statistics import Spread, spread

WRONG, FAILED = "WRONG", "failed"

# What has kept a contender from being measured, in a word; FAILED for all else.
WORDS: tuple[tuple[type[Exception], str], ...] = (
    (DeviceMemoryError, "memory"),
    (BuildError, FAILED),
    (PyclfftError, "refused"),
)


@dataclass(frozen=True)
class Settings:
    """How long to measure.

    Attributes
    ----------
    samples : int
        Of each contender.
    sample_s : float
        Seconds that a sample lasts at least.
    min_calls : int
        In a sample, unless one call lasts longer than `slow_s`.
    slow_s : float
        See there.
    budget_s : float
        Seconds after which a contender takes no further turns.
    """

    samples: int = 61
    sample_s: float = 0.005
    min_calls: int = 3
    slow_s: float = 0.1
    budget_s: float = 2.0


@dataclass(frozen=True)
class Outcome:
    """How a case went with one contender.

    Attributes
    ----------
    contender : str
        Its name.
    ms : Spread
        Milliseconds of one transform of the whole batch.
    calls : int
        In each sample.
    prepare_s : float
        Seconds from the plan's beginning to the first result, with the upload; what an earlier
        process has compiled is not compiled again.
    error, bound : float
        Largest relative L2 error of the transforms checked, and what is allowed: infinity for
        rivals.
    word, reason : str
        What has kept it from being measured; empty where nothing has.
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
        """Empty if it was measured and the result is right; not a number is not right."""
        if self.word or self.error <= self.bound or self.bound == inf:
            return self.word
        return WRONG


@dataclass(frozen=True)
class Row:
    """A case with what every contender has made of it; ours stands first.

    Attributes
    ----------
    workload : Workload
        What was transformed.
    outcomes : tuple of Outcome
        In the contenders' order.
    device : str
        Whose contenders these are; empty where there is one device only.
    """

    workload: Workload
    outcomes: tuple[Outcome, ...]
    device: str = ""

    @property
    def name(self) -> str:
        """The case's, and the device's where there are several."""
        return " on ".join(filter(None, (self.workload.case.name, self.device)))

    @property
    def ours(self) -> Outcome:
        """How we did."""
        return self.outcomes[0]

    @property
    def own(self) -> tuple[Outcome, ...]:
        """How we did in every way: on the device, and on CPUs from NumPy to NumPy too."""
        return tuple(each for each in self.outcomes if each.bound < inf)

    def ratio(self, outcome: Outcome) -> float:
        """Return a contender's time over ours: above 1 where we are faster."""
        return outcome.ms.median / self.ours.ms.median

    @property
    def behind(self) -> float:
        """Our time over that of the fastest rival; not a number without both."""
        rivals = (each for each in self.outcomes if each.bound == inf)
        ratios = [ratio for each in rivals if (ratio := self.ratio(each)) > 0]
        return 1 / min(ratios) if ratios else nan


@dataclass(frozen=True)
class CopyRate:
    """What the device's memory can do: a plain copy from one buffer to another.

    Attributes
    ----------
    nbytes : int
        Of each buffer.
    ms : Spread
        Of one copy.
    """

    nbytes: int
    ms: Spread

    @property
    def gb_per_s(self) -> float:
        """Bytes read and written, in 10^9 a second."""
        return 2 * self.nbytes / self.ms.median / 1e6

    def fraction(self, nbytes: int, ms: float) -> float:
        """Return the rate of another job as a part of the copy's."""
        return nbytes / ms / 1e6 / self.gb_per_s


def copy_rate(queue: cl.CommandQueue, nbytes: int, settings: Settings) -> CopyRate:
    """Measure copying on the device, in the way in which transforms are measured."""
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
        The case.
    contenders : sequence of Contender
        Ours first. What goes wrong with one of them is its outcome and does not concern the others.
    noise : Noise
        Gives the input.
    settings : Settings
        How long to measure.

    Returns
    -------
    Row
    """
    source = noise.source(workload)
    expected = reference(workload, source)
    runs = [_Run(each, workload, settings) for each in contenders]
    try:
        for run in runs:
            run.prepare(source, expected)
        for _ in range(settings.samples):
            for run in runs:
                run.take()
        return Row(workload, tuple(run.outcome(expected) for run in runs))
    finally:
        for run in runs:
            run.release()


@dataclass(frozen=True)
class Side:
    """Who competes on one device.

    Attributes
    ----------
    contenders : tuple of Contender
        Ours first. One that needs no device may be on several sides.
    device : str
        Short; empty where there is one only.
    """

    contenders: tuple[Contender, ...]
    device: str = ""


def measure_sides(
    workload: Workload, sides: Sequence[Side], noise: Noise, settings: Settings
) -> tuple[Row, ...]:
    """Measure one case on several devices, all contenders taking turns, each of them once.

    Parameters
    ----------
    workload : Workload
        The case.
    sides : sequence of Side
        At least one.
    noise, settings
        As for `measure`.

    Returns
    -------
    tuple of Row
        One for each side.
    """
    everyone = list(dict.fromkeys(each for side in sides for each in side.contenders))
    outcomes = measure(workload, everyone, noise, settings).outcomes
    known = dict(zip(everyone, outcomes, strict=True))
    return tuple(
        Row(workload, tuple(known[each] for each in side.contenders), side.device) for side in sides
    )


class Turn:
    """Takes samples of a call; how many calls make one is found out at the beginning.

    That is the warm-up as well. Of a slow call it is the first sample instead: it needs no warming.
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
        """Add a sample, unless enough time is spent.

        A call before it is not timed: on a GPU another library's turn is another context's, and to
        switch between them takes a while.
        """
        if self._spent < self.settings.budget_s:
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
    """One contender at one case. After its first failure nothing more is asked of it."""

    def __init__(self, contender: Contender, workload: Workload, settings: Settings) -> None:
        self.contender, self.workload, self.settings = contender, workload, settings
        self.turn: Turn | None = None
        self.error = self.prepare_s = nan
        self.word = self.reason = ""

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # whatever it is, it is this contender's result
            self.turn = None
            self.word = next((word for kind, word in WORDS if isinstance(error, kind)), FAILED)
            self.reason = f"{type(error).__name__}: {error}"

    def prepare(self, source: np.ndarray, expected: np.ndarray) -> None:
        """Plan, transform once, check the result, and find out how many calls make a sample."""
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
        """Add a sample."""
        if self.turn:
            with self._guarded():
                self.turn.take()

    def outcome(self, expected: np.ndarray) -> Outcome:
        """Return how it went. Our result is checked again after the last call.

        Not so the rivals': from complex to real they may destroy their input at the first call.
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
        """Forget the call, which holds plan and arrays, and free their memory."""
        self.turn = None
        with suppress(Exception):  # after a failure the device may be in any state
            self.contender.release()

    def _check(self, expected: np.ndarray) -> float:
        results = self.contender.fetch(self.workload.checked)
        errors = [relative_error(*pair) for pair in zip(results, expected, strict=True)]
        return float(np.max(errors))


# --- the other way to compute it ------------------------------------------------------------------


class Noise:
    """Uniform numbers in [-0.5, 0.5), made once for all cases."""

    def __init__(self) -> None:
        self._pool = np.empty(0)

    def source(self, workload: Workload) -> np.ndarray:
        """Return the input of a case.

        From complex to real it is the spectrum of real numbers: along several axes libraries need
        not agree about anything else.
        """
        shape = workload.source_shape
        real = REAL_DTYPE[workload.case.precision]
        if workload.case.kind == "c2r":
            x = self._numbers(prod(workload.shape), real).reshape(workload.shape)
            return import_module("scipy.fft").rfftn(x, axes=workload.axes, workers=-1)
        parts = workload.source_dtype.itemsize // real.itemsize
        numbers = self._numbers(prod(shape) * parts, real)
        return numbers.view(workload.source_dtype).reshape(shape)

    def _numbers(self, count: int, dtype: np.dtype) -> np.ndarray:
        if self._pool.dtype != dtype or self._pool.size < count:
            generator = np.random.default_rng(1)
            self._pool = generator.random(count, dtype=dtype.type)
            self._pool -= dtype.type(0.5)
        return self._pool[:count]


def reference(workload: Workload, source: np.ndarray) -> np.ndarray:
    """Transform what is checked of the batch, in the next wider precision, without scaling."""
    pieces = np.stack([workload.one(source, index) for index in workload.checked])
    wider = {"f": np.float64, "F": np.complex128, "d": np.longdouble, "D": np.clongdouble}
    axes = tuple(range(1, pieces.ndim))
    return unscaled(workload.case, axes, workers=-1)(pieces.astype(wider[pieces.dtype.char]))
