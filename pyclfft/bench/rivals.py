"""Contenders: pyclfft and the libraries it is compared with, behind one small protocol.

All contenders transform the same array out of place, without scaling. Those on the device allocate
nothing during a call (CuPy's cosine transforms excepted), and each of them waits for its own queue
or stream. From NumPy array to NumPy array, pyclfft and scipy.fft allocate their results, as their
functions do. A rival is imported only when it is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from math import prod, sqrt
from typing import Any, Protocol, cast

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from .. import __version__
from ..errors import DeviceError, PlanError
from ..image.filtering import filter_image
from ..planning.accuracy import transform_bound
from ..planning.solvers.textbook import ladder
from ..runtime import memory
from ..runtime.plan import Plan
from ..runtime.queues import context_of, queue_of
from ..runtime.runtimes import devices
from . import filters
from .cases import FILTER, Case, Workload
from .rehearsal import rehearse
from .scipyfft import unscaled

Call = Callable[[], object]

# The ladder's kernels compute twiddles by the device's own cosines and sines: their errors may be
# larger by these factors.
LESS_EXACT: Mapping[str | None, float] = {solver.name: 1.5 for solver in ladder.SOLVERS}


class Contender(Protocol):
    """What the benchmark asks of a library that it measures."""

    name: str
    version: str

    def prepare(self, workload: Workload, source: np.ndarray) -> Call:
        """Plan, upload the input, and return a call that enqueues one transform out of place."""

    def synchronize(self) -> None:
        """Wait until everything that was enqueued is done."""

    def fetch(self, indices: Sequence[int]) -> np.ndarray:
        """Return the results of the transforms that `indices` name within the batch."""

    def release(self) -> None:
        """Free everything that `prepare` has allocated, even if it has failed half-way."""


class _OnQueue:
    """What the contenders on an OpenCL queue share: an input and a result on the device."""

    def __init__(self, queue: cl.CommandQueue) -> None:
        self.queue = queue
        self._arrays: list[cl_array.Array] = []

    def _upload(
        self, workload: Workload, source: np.ndarray
    ) -> tuple[cl_array.Array, cl_array.Array]:
        self._workload = workload
        allocator = memory.allocator(self.queue.context)
        x = cl_array.to_device(self.queue, source, allocator=allocator)
        self._arrays = [x]
        y = cl_array.zeros(
            self.queue, workload.result_shape, workload.result_dtype, allocator=allocator
        )
        self._arrays = [x, y]
        return x, y

    def synchronize(self) -> None:
        """Wait until the queue is empty."""
        self.queue.finish()

    def fetch(self, indices: Sequence[int]) -> np.ndarray:
        """Download results. Columns need the whole array: pyopencl reads contiguous parts only."""
        _, y = self._arrays
        array = y.get() if self._workload.case.columns else y
        views = [self._workload.one(array, index) for index in indices]
        return np.stack([view if isinstance(view, np.ndarray) else view.get() for view in views])

    def release(self) -> None:
        """Free both arrays now, even if something still refers to them."""
        self.queue.finish()
        for array in self._arrays:
            cast("cl.Buffer", array.base_data).release()
        self._arrays = []


class Ours(_OnQueue):
    """Pyclfft, with its arrays on the device.

    Parameters
    ----------
    queue : cl.CommandQueue
        Queue on which it runs.
    algorithm : str, optional
        Name of the only algorithm to use, as `Plan` takes it.
    """

    name = "pyclfft"
    version = __version__

    def __init__(self, queue: cl.CommandQueue, algorithm: str | None = None) -> None:
        super().__init__(queue)
        self.algorithm = algorithm

    def prepare(self, workload: Workload, source: np.ndarray) -> Call:
        """Plan, then upload the input."""
        if workload.case.kind == FILTER:
            return self._prepare_filter(workload, source)
        plan = self.plan(workload)
        x, y = self._upload(workload, source)
        return lambda: plan(x, out=y)

    def _prepare_filter(self, workload: Workload, source: np.ndarray) -> Call:
        """Upload the image; a filter allocates its result."""
        x, _ = self._upload(workload, source)

        def call() -> None:
            self._arrays[1] = self.filtered(x)

        return call

    def filtered(self, images: Any) -> Any:
        """Return images filtered as the cases of filters ask for."""
        return filter_image(images, axes=(1, 2), algorithm=self.algorithm, queue=self.queue)

    def bound(self, case: Case) -> float:
        """Return the largest relative error that a result of this case may have."""
        if case.kind == FILTER:
            return filters.BOUND
        usual = transform_bound(case.lengths, case.precision) * LESS_EXACT.get(self.algorithm, 1)
        return usual * (1 + 2 / sqrt(case.points))  # errors of few numbers scatter more

    def plan(self, workload: Workload) -> Plan:
        """Plan without scaling: choose the norm whose factor the other direction carries."""
        case = workload.case
        return Plan(
            workload.shape, workload.source_dtype, workload.axes, case.kind, case.direction,
            "backward" if case.direction == "forward" else "forward",
            algorithm=self.algorithm, context=self.queue.context,
        )  # fmt: skip


class OnHost:
    """What the contenders from NumPy array to NumPy array share: a result on the host."""

    _workload: Workload
    _result: Any = None

    def synchronize(self) -> None:
        """Do nothing: a call returns only when its result is complete."""

    def fetch(self, indices: Sequence[int]) -> np.ndarray:
        """Copy results out of the array that the last call has returned."""
        return np.stack([self._workload.one(self._result, index) for index in indices])

    def release(self) -> None:
        """Drop the result."""
        self._result = None

    def _keeping(self, workload: Workload, function: Callable[[], Any]) -> Call:
        """Return a call that runs `function` and keeps its result until the next call returns."""
        self._workload = workload

        def call() -> None:
            self._result = function()

        return call


class OursOnHost(OnHost, Ours):
    """Pyclfft as its function `fft` uses it: a ready plan, NumPy arrays as input and result."""

    name = f"{Ours.name} NumPy"

    def prepare(self, workload: Workload, source: np.ndarray) -> Call:
        """Plan; every call uploads the input and downloads the result."""
        if workload.case.kind == FILTER:
            return self._keeping(workload, lambda: self.filtered(source))
        plan = self.plan(workload)
        return self._keeping(workload, lambda: plan(source, queue=self.queue))


class OursInSteps(OnHost):
    """An image filter made of pyclfft's real transforms, from NumPy array to NumPy array.

    Parameters
    ----------
    queue : cl.CommandQueue
        Queue on which it runs.
    """

    name = f"{Ours.name} rfft2"
    version = __version__

    def __init__(self, queue: cl.CommandQueue) -> None:
        self.queue = queue

    def prepare(self, workload: Workload, source: np.ndarray) -> Call:
        """Plan both transforms."""
        return self._keeping(workload, filters.with_plans(workload, source, self.queue))


class SciPy(OnHost):
    """scipy.fft with one worker for each core. It cannot write to a given array."""

    name = "scipy"

    def __init__(self) -> None:
        self._workers = cores()
        self.version = f"{import_module('scipy').__version__}, {self._workers} workers"

    def prepare(self, workload: Workload, source: np.ndarray) -> Call:
        """Choose SciPy's function for the case."""
        if workload.case.kind == FILTER:
            steps = filters.with_library(workload, source, "scipy.fft", workers=self._workers)
            return self._keeping(workload, steps)
        function = unscaled(workload.case, workload.axes, self._workers)
        return self._keeping(workload, lambda: function(source))


class FFTW(OnHost):
    """FFTW through pyFFTW, planned with FFTW_MEASURE.

    Its arrays are aligned as FFTW prefers. pyFFTW's `execute` does not scale.

    Parameters
    ----------
    threads : int, optional
        Number of threads, which then becomes part of the contender's name. By default FFTW uses
        one thread for each core.
    """

    name = "FFTW"

    def __init__(self, threads: int | None = None) -> None:
        self._library = import_module("pyfftw")
        self._threads = threads or cores()
        said = f"{self._threads} thread{'s' * (self._threads > 1)}"
        if threads:
            self.name = f"{FFTW.name} {said}"
        self.version = (
            f"{self._library.fftw_version}, pyFFTW {self._library.__version__}, FFTW_MEASURE, "
            f"{said}"
        )

    def prepare(self, workload: Workload, source: np.ndarray) -> Call:
        """Plan, then fill the input, because planning overwrites it."""
        case = workload.case
        x = self._library.empty_aligned(workload.source_shape, workload.source_dtype)
        y = self._library.empty_aligned(workload.result_shape, workload.result_dtype)
        plan = self._library.FFTW(
            x, y, workload.axes, self._direction(case), ("FFTW_MEASURE",), self._threads
        )
        x[...] = source
        self._workload, self._result = workload, y
        return plan.execute

    @staticmethod
    def _direction(case: Case) -> str | tuple[str, ...]:
        """Return FFTW's word for the direction, or for cosine transforms one word for each axis."""
        if case.cosine:
            return ({2: "FFTW_REDFT10", 3: "FFTW_REDFT01"}[case.cosine],) * len(case.lengths)
        return "FFTW_FORWARD" if case.direction == "forward" else "FFTW_BACKWARD"


def cores() -> int:
    """Count the cores that this process may use; runtimes for CPUs use as many."""
    affinity: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


class VkFFT(_OnQueue):
    """VkFFT through pyvkfft's OpenCL interface, on the queue that pyclfft uses.

    Parameters
    ----------
    queue : cl.CommandQueue
        Queue on which it runs.
    """

    name = "VkFFT"

    def __init__(self, queue: cl.CommandQueue) -> None:
        super().__init__(queue)
        self._library = import_module("pyvkfft.opencl")
        wrapper = getattr(import_module("pyvkfft.version"), "__version__", "?")
        self.version = f"{self._library.vkfft_version()}, pyvkfft {wrapper}"

    def prepare(self, workload: Workload, source: np.ndarray) -> Call:
        """Plan without normalisation, by the type of the real array if there is one; upload."""
        case = workload.case
        self._app = self._library.VkFFTApp(
            workload.shape,
            workload.result_dtype if case.kind == "c2r" else workload.source_dtype,
            queue=self.queue, ndim=len(case.lengths), inplace=False, norm=0,
            r2c=case.kind in ("r2c", "c2r"), dct=case.cosine,
            axes=list(workload.axes) if case.columns else None,
        )  # fmt: skip
        transform = self._app.fft if case.direction == "forward" else self._app.ifft
        x, y = self._upload(workload, source)
        return lambda: transform(x, y)

    def release(self) -> None:
        """Free both arrays and VkFFT's own memory."""
        super().release()
        self._app = None


class VkFFTOnCPU(VkFFT):
    """VkFFT on a CPU, whose runtime may crash on VkFFT's kernels."""

    def rehearse(self, workload: Workload) -> None:
        """Run the case in another process first: if it crashes there, raise an error here."""
        rehearse(_transform_once, devices().index(self.queue.device), workload)


def _transform_once(number: int, workload: Workload) -> None:
    """Let VkFFT transform zeros on the device that has this number in `pyclfft.devices`."""
    rival = VkFFT(queue_of(context_of(devices()[number])))
    rival.prepare(workload, np.zeros(workload.source_shape, workload.source_dtype))()
    rival.synchronize()


class CuFFT:
    """cuFFT through CuPy, on the CUDA device whose name is that of the OpenCL device.

    Its plan is CuPy's thin wrapper of cufftPlanMany. The wrapper's `fft` writes to a given array:
    it neither allocates nor normalises.

    Parameters
    ----------
    queue : cl.CommandQueue
        Queue of the OpenCL device.
    """

    name = "cuFFT"

    def __init__(self, queue: cl.CommandQueue) -> None:
        self._cupy = import_module("cupy")
        self._cufft = self._cupy.cuda.cufft  # loads cuFFT itself; importing cupy does not
        self._cupy.cuda.Device(self._same_device(queue.device.name)).use()
        self.version = f"{self._cufft.getVersion()}, CuPy {self._cupy.__version__}"
        self._arrays: list[Any] = []

    def _same_device(self, name: str) -> int:
        runtime = self._cupy.cuda.runtime
        names = [
            runtime.getDeviceProperties(number)["name"].decode()
            for number in range(runtime.getDeviceCount())
        ]
        if name not in names:
            raise DeviceError(f"CUDA has no device {name!r}")
        return names.index(name)

    def prepare(self, workload: Workload, source: np.ndarray) -> Call:
        """Plan, then upload the input."""
        self._workload = workload
        if workload.case.cosine:
            return self._prepare_cosine(workload, source)
        plan = self._plan(workload)
        x = self._cupy.asarray(source)
        y = self._cupy.zeros(workload.result_shape, workload.result_dtype)
        self._arrays = [x, y]
        way = {"forward": self._cufft.CUFFT_FORWARD, "inverse": self._cufft.CUFFT_INVERSE}
        direction = way[workload.case.direction]
        return lambda: plan.fft(x, y, direction)

    def _prepare_cosine(self, workload: Workload, source: np.ndarray) -> Call:
        """Upload for CuPy's dctn, which calls cuFFT inside and allocates its result."""
        function = import_module("cupyx.scipy.fft").dctn
        x = self._cupy.asarray(source)
        self._arrays = [x, None]

        def call() -> None:
            self._arrays[1] = function(x, workload.case.cosine, axes=workload.axes)

        return call

    def _plan(self, workload: Workload) -> Any:
        case = workload.case
        types = {
            ("c2c", "single"): "C2C", ("r2c", "single"): "R2C", ("c2r", "single"): "C2R",
            ("c2c", "double"): "Z2Z", ("r2c", "double"): "D2Z", ("c2r", "double"): "Z2D",
        }  # fmt: skip
        inside, outside = workload.source_lengths, workload.result_lengths
        stride = workload.batch if case.columns else 1
        distances = (1, 1) if case.columns else (prod(inside), prod(outside))
        return self._cufft.PlanNd(
            case.lengths, inside, stride, distances[0], outside, stride, distances[1],
            getattr(self._cufft, f"CUFFT_{types[case.kind, case.precision]}"),
            workload.batch, "C", len(workload.shape) - 1, outside[-1],
        )  # fmt: skip

    def synchronize(self) -> None:
        """Wait until CuPy's stream is empty."""
        self._cupy.cuda.get_current_stream().synchronize()

    def fetch(self, indices: Sequence[int]) -> np.ndarray:
        """Download results."""
        _, y = self._arrays
        return np.stack([self._workload.one(y, index).get() for index in indices])

    def release(self) -> None:
        """Give the memory of the arrays and of the plan's work area back to the device."""
        self._arrays = []
        self._cupy.get_default_memory_pool().free_all_blocks()


def takes(contender: Contender, case: Case) -> bool:
    """Return whether a contender takes part in a case: few of them filter images."""
    if case.kind == FILTER:
        return isinstance(contender, Ours | OursInSteps | SciPy)
    return not isinstance(contender, OursInSteps)


Queues = Sequence[cl.CommandQueue]

RIVALS: dict[str, Callable[[cl.CommandQueue], Contender]] = {"cufft": CuFFT, "vkfft": VkFFT}

# Rivals beside pyclfft on several CPU devices: each function returns one contender for each queue.
# A library that needs no OpenCL device is one and the same contender on all of them.
CPU_RIVALS: dict[str, Callable[[Queues], list[Contender]]] = {
    "fftw": lambda queues: [FFTW()] * len(queues),
    "scipy": lambda queues: [SciPy()] * len(queues),
    "vkfft": lambda queues: [VkFFTOnCPU(queue) for queue in queues],
}
AUTO, NONE = "auto", "none"


def find_rivals(
    asked: str, where: Any, table: Mapping[str, Callable[[Any], Any]] | None = None
) -> tuple[list[Any], list[str]]:
    """Start the rivals that are asked for.

    Parameters
    ----------
    asked : str
        ``"auto"`` (all rivals that can be started), ``"none"``, or names with commas between them.
    where : cl.CommandQueue or sequence of cl.CommandQueue
        What the functions in `table` take: the queue, or the queues, of the devices to run on.
    table : mapping, optional
        The rivals to choose from: `RIVALS` by default, or `CPU_RIVALS`.

    Returns
    -------
    contenders : list
        What the functions in `table` return, in the order in which the rivals are asked for.
    absent : list of str
        For each rival of ``"auto"`` that cannot be started, a line that says why.

    Raises
    ------
    PlanError
        If a name is not in `table`.
    DeviceError
        If a rival that was asked for by name cannot be started.
    """
    table = RIVALS if table is None else table
    names = {AUTO: list(table), NONE: []}.get(asked, asked.split(","))
    unknown = [name for name in names if name not in table]
    if unknown:
        known = ", ".join((AUTO, NONE, *table))
        raise PlanError(f"unknown rival {unknown[0]!r}: choose from {known}")
    found, absent = [], []
    for name in names:
        try:
            found.append(table[name](where))
        except Exception as error:  # the library is missing, is broken, or finds no device
            reason = f"{name} does not take part: {_one_line(error)}"
            if asked != AUTO:
                raise DeviceError(reason) from error
            absent.append(reason)
    return found, absent


def _one_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
