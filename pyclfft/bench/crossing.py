"""Single calls from NumPy to NumPy, and from how many points on pyclfft is faster than SciPy."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from math import ceil, log
from typing import Any

import numpy as np
import pyopencl as cl

from ..backend import scipy_backend
from ..runtime import choice, describe
from .statistics import Spread, spread

# One call at a time, as in programs that make many short calls: (scipy.fft's function, dtype).
CALLS = (("fft", "complex64"), ("rfft", "float32"), ("rfft", "float64"))
LENGTHS = tuple(2**n for n in range(6, 19))
SAMPLES = 25
BLOCK_S = 1e-3  # seconds that a sample lasts at least


@dataclass(frozen=True)
class CallTimes:
    """Microseconds of one call by pyclfft and by SciPy, which take turns.

    Attributes
    ----------
    function, dtype : str
        Name of the function in scipy.fft, and type of its input.
    points : int
        Length of the single row that is transformed.
    ours, scipy : Spread
        With pyclfft as SciPy's backend; and by SciPy itself, in one thread, its default.
    """

    function: str
    dtype: str
    points: int
    ours: Spread
    scipy: Spread

    @property
    def ratio(self) -> float:
        """SciPy's time divided by ours: above 1 if pyclfft is faster."""
        return self.scipy.median / self.ours.median


def crossing(times: Sequence[CallTimes]) -> int | None:
    """Return from how many points on pyclfft should serve single calls.

    With this number the geometric mean over all calls is the least, if SciPy serves the shorter
    ones. A single measurement that another program has disturbed hardly changes it.

    Parameters
    ----------
    times : sequence of CallTimes
        The measured calls, of any functions and lengths.

    Returns
    -------
    int or None
        The number of points; None if SciPy should serve all calls.
    """
    gains = {
        fewest: sum(log(each.ratio) for each in times if each.points >= fewest)
        for fewest in {each.points for each in times}
    }
    best = max(gains, key=gains.__getitem__, default=None)
    return best if best is not None and gains[best] > 0 else None


def measure_crossing(queue: cl.CommandQueue) -> list[CallTimes]:
    """Measure single calls of this module's functions and lengths, by pyclfft and by SciPy.

    Parameters
    ----------
    queue : cl.CommandQueue
        Queue of the device. During the measurement this is the default device.

    Returns
    -------
    list of CallTimes
        One for each function, dtype and length that the device can compute.
    """
    fp64 = describe.traits(queue.device).fp64
    before = choice.default_device()
    choice.use_device(queue.device)
    try:
        return [
            _measure(function, dtype, points)
            for function, dtype in CALLS
            for points in LENGTHS
            if fp64 or dtype != "float64"
        ]
    finally:
        choice.use_device(before)


def _measure(function: str, dtype: str, points: int) -> CallTimes:
    fft = import_module("scipy.fft")
    x = np.random.default_rng(0).uniform(-0.5, 0.5, points).astype(dtype)
    call = partial(getattr(fft, function), x)
    with fft.set_backend(scipy_backend()):
        call()  # builds the kernels
        of_ours = _calls_of_a_sample(call)
    of_scipy = _calls_of_a_sample(call)
    ours, scipy = [], []
    for _ in range(SAMPLES):
        with fft.set_backend(scipy_backend()):
            ours.append(_microseconds(call, of_ours))
        scipy.append(_microseconds(call, of_scipy))
    return CallTimes(function, dtype, points, spread(ours), spread(scipy))


def _calls_of_a_sample(call: Callable[[], Any]) -> int:
    """Return how many calls a sample needs to last `BLOCK_S`."""
    return ceil(BLOCK_S * 1e6 / min(_microseconds(call, 1) for _ in range(3)))


def _microseconds(call: Callable[[], Any], count: int) -> float:
    """Return the mean time of a call over `count` calls."""
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count * 1e6
