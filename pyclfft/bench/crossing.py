"""Single calls from NumPy to NumPy by pyclfft and by SciPy, and from where on ours are faster."""

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

# One call a time, as programs make many short ones: a function of scipy.fft, and its input.
CALLS = (("fft", "complex64"), ("rfft", "float32"), ("rfft", "float64"))
LENGTHS = tuple(2**n for n in range(6, 19))
SAMPLES = 25
BLOCK_S = 1e-3  # of a sample at least


@dataclass(frozen=True)
class CallTimes:
    """Microseconds of one call by either, one after the other in turns.

    Attributes
    ----------
    function, dtype : str
        Of scipy.fft, and of the input.
    points : int
        Length of the one row that is transformed.
    ours, scipy : Spread
        With pyclfft as the backend; without a backend, in one thread, as SciPy is by default.
    """

    function: str
    dtype: str
    points: int
    ours: Spread
    scipy: Spread

    @property
    def ratio(self) -> float:
        """SciPy's time over ours, above 1 where ours is shorter."""
        return self.scipy.median / self.ours.median


def crossing(times: Sequence[CallTimes]) -> int | None:
    """Return from how many points on pyclfft had better serve single calls.

    That is where the geometric mean over all calls, the shorter ones by SciPy, is shortest: one
    measurement that another program has disturbed hardly moves it.

    Parameters
    ----------
    times : sequence of CallTimes
        Of any functions.

    Returns
    -------
    int or None
        None where SciPy had better serve all of them.
    """
    gains = {
        fewest: sum(log(each.ratio) for each in times if each.points >= fewest)
        for fewest in {each.points for each in times}
    }
    best = max(gains, key=gains.__getitem__, default=None)
    return best if best is not None and gains[best] > 0 else None


def measure_crossing(queue: cl.CommandQueue) -> list[CallTimes]:
    """Measure single calls of this module's lengths on a device and by SciPy.

    Parameters
    ----------
    queue : cl.CommandQueue
        Of the device, which is the default device meanwhile.

    Returns
    -------
    list of CallTimes
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
        call()  # which builds kernels
        of_ours = _calls_of_a_sample(call)
    of_scipy = _calls_of_a_sample(call)
    ours, scipy = [], []
    for _ in range(SAMPLES):
        with fft.set_backend(scipy_backend()):
            ours.append(_microseconds(call, of_ours))
        scipy.append(_microseconds(call, of_scipy))
    return CallTimes(function, dtype, points, spread(ours), spread(scipy))


def _calls_of_a_sample(call: Callable[[], Any]) -> int:
    """Return how many calls make a sample long enough for the clock."""
    return ceil(BLOCK_S * 1e6 / min(_microseconds(call, 1) for _ in range(3)))


def _microseconds(call: Callable[[], Any], count: int) -> float:
    """Return the time of one of so many calls."""
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count * 1e6
