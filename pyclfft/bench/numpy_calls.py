"""Calls from NumPy to NumPy of arrays that a cache holds, beside SciPy and FFTW.

Threads of FFTW spin for a while after a call and slow whoever comes next. So each contender rests
first and is measured in a block of a few calls, and the contenders take turns.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from math import inf, isqrt
from typing import Any

import numpy as np
import pyopencl as cl

from ..runtime import choice, describe
from ..runtime.memory import empty
from ..runtime.plan import Plan
from ..transforms import fftn, rfftn
from .cases import Case, Workload
from .rivals import FFTW, SciPy
from .statistics import Spread, spread

SIZES = tuple(2**n for n in (16, 17, 18, 20, 22, 23))  # bytes of the input
REST_S = 0.02  # seconds before each block
BLOCK_S = 1e-3  # seconds that a block lasts at least
BLOCKS = 9


@dataclass(frozen=True)
class NumpyTimes:
    """Microseconds of a call from NumPy to NumPy.

    Attributes
    ----------
    nbytes : int
        Bytes of the input.
    array : str
        The name of the case: "1024" are rows of 1024 complex numbers.
    out, function : Spread
        A plan called with ``out=``, and a function such as `fftn`, which allocates its result.
    scipy : Spread
        The same function of scipy.fft, with one worker for each core.
    fftw : Spread or None
        FFTW's execute, of arrays of its own; None if pyFFTW is not installed.
    """

    nbytes: int
    array: str
    out: Spread
    function: Spread
    scipy: Spread
    fftw: Spread | None = None

    @property
    def beside_scipy(self) -> float:
        """SciPy's time divided by the function's: above 1 if pyclfft is faster."""
        return self.scipy.median / self.function.median

    @property
    def beside_fftw(self) -> float:
        """FFTW's time divided by the function's; infinity if FFTW was not measured."""
        return self.fftw.median / self.function.median if self.fftw else inf


def measure_numpy_calls(queue: cl.CommandQueue) -> list[NumpyTimes]:
    """Measure arrays of this module's sizes: rows, an image, real numbers, double precision.

    Parameters
    ----------
    queue : cl.CommandQueue
        Queue of the device. During the measurement this is the default device.

    Returns
    -------
    list of NumpyTimes
        One for each array that the device can transform.
    """
    fp64 = describe.traits(queue.device).fp64
    before = choice.default_device()
    choice.use_device(queue.device)
    try:
        return [
            _measure(queue, nbytes, workload)
            for nbytes in SIZES
            for workload in _workloads(nbytes)
            if fp64 or workload.case.precision == "single"
        ]
    finally:
        choice.use_device(before)


def _workloads(nbytes: int) -> Iterator[Workload]:
    elements = nbytes // np.dtype(np.complex64).itemsize
    side = 1 << (isqrt(elements).bit_length() - 1)
    yield Case((256,)).sized(elements)
    yield Case((1024,)).sized(elements)
    yield Case((elements // side, side)).sized(elements)
    yield Case((1024,), "r2c").sized(2 * elements)
    yield Case((1024,), precision="double").sized(elements // 2)


def _measure(queue: cl.CommandQueue, nbytes: int, workload: Workload) -> NumpyTimes:
    case, axes = workload.case, workload.axes
    x = np.random.default_rng(0).uniform(-0.5, 0.5, workload.source_shape)
    x = x.astype(workload.source_dtype)
    plan = Plan(x.shape, x.dtype, axes, case.kind, context=queue.context)
    result = empty(workload.result_shape, np.dtype(workload.result_dtype))
    ways: dict[str, Callable[[], Any]] = {
        "out": partial(plan, x, out=result),
        "function": partial(rfftn if case.kind == "r2c" else fftn, x, axes=axes),
        "scipy": SciPy().prepare(workload, x),
    }
    if find_spec("pyfftw"):
        ways["fftw"] = FFTW().prepare(workload, x)
    blocks: dict[str, list[float]] = {name: [] for name in ways}
    for call in ways.values():
        call()  # builds kernels
    counts = {name: _calls_of_a_block(call) for name, call in ways.items()}
    for _ in range(BLOCKS):
        for name, call in ways.items():
            blocks[name].append(_microseconds(call, counts[name]))
    return NumpyTimes(nbytes, case.name, **{name: spread(each) for name, each in blocks.items()})


def _calls_of_a_block(call: Callable[[], Any]) -> int:
    """Return how many calls a block needs to last `BLOCK_S`, 3 at least."""
    return max(3, round(BLOCK_S * 1e6 / _microseconds(call, 3)))


def _microseconds(call: Callable[[], Any], count: int) -> float:
    """Return the mean time of a call over a block of calls, after a rest and one call more."""
    time.sleep(REST_S)
    call()
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count * 1e6
