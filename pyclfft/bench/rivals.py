"""Contenders: pyclfft and the libraries it is compared with, behind one small protocol.

Each transforms the same array out of place, without scaling. On the device none allocates, and each
is timed by its own queue or stream; from NumPy array to NumPy array ours and scipy.fft allocate
their results, as their functions do. The rivals are imported only when they are asked for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from math import prod
from typing import Any, Protocol, cast

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from .. import __version__
from ..errors import DeviceError, PlanError
from ..planning.accuracy import transform_bound
from ..planning.solvers.textbook import ladder
from ..runtime import memory
from ..runtime.plan import Plan
from ..runtime.queues import context_of, queue_of
from ..runtime.runtimes import devices
from .cases import Case, Workload
from .rehearsal import rehearse
from .scipyfft import unscaled

Call = Callable[[], object]

# Their twiddles are the device's own cosines and sines: errors may be so many times as large.
LESS_EXACT: Mapping[str | None, float] = {solver.name: 1.5 for solver in ladder.SOLVERS}


class Contender(Protocol):
    """Something that transforms."""

    name: str
    version: str

    def prepare(self, workload: Workload, source: np.ndarray) -> Call:
        """Plan, upload, and return what enqueues one transform out of place."""

    def synchronize(self) -> None:
        """Wait until all that was enqueued is done."""

    def fetch(self, indices: Sequence[int]) -> np.ndarray:
        """Return the result of some transforms of the batch."""

    def release(self) -> None:
        """Free what `prepare` has taken, also after it failed half-way."""


class _OnQueue:
    """What the contenders that run on an OpenCL queue share: two arrays there."""

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
        """Wait for the queue."""
        self.queue.finish()

    def fetch(self, indices: Sequence[int]) -> np.ndarray:
        """Download; of columns the whole, since pyopencl reads contiguous arrays only."""
        _, y = self._arrays
        array = y.get() if self._workload.case.columns else y
        views = [self._workload.one(array, index) for index in indices]
        return np.stack([view if isinstance(view, np.ndarray) else view.get() for view in views])

    def release(self) -> None:
        """Free both arrays at once, whoever still refers to them."""
        self.queue.finish()
        for array in self._arrays:
            cast("cl.Buffer", array.base_data).release()
        self._arrays = []


class Ours(_OnQueue):
    """Our own package.

    Parameters
    ----------
    queue : cl.CommandQueue
        Where to run.
    algorithm : str, optional
        As `Plan` takes it.
    """

    name = "pyclfft"
    version = __version__

    def __init__(self, queue: cl.CommandQueue, algorithm: str | None = None) -> None:
        super().__init__(queue)
        self.algorithm = algorithm

    def prepare(self, workload: Workload, source: np.ndarray) -> Call:
        """Plan and upload."""
        plan = self.plan(workload)
        x, y = self._upload(workload, source)
        return lambda: plan(x, out=y)

    def bound(self, case: Case) -> float:
        """Return the largest relative error that a result may have."""
        return transform_bound(case.lengths, case.precision) * LESS_EXACT.get(self.algorithm, 1)

    def plan(self, workload: Workload) -> Plan:
        """Plan without scaling, in both directions: then "forward" is what carries the factor."""
        case = workload.case
        return Plan(
            workload.shape, workload.source_dtype, workload.axes, case.kind, case.direction,
            "backward" if case.direction == "forward" else "forward",
            algorithm=self.algorithm, context=self.queue.context,
        )  # fmt: skip


class OnHost:
    """What the contenders from NumPy array to NumPy array share: a result there."""

    _workload: Workload
    _result: Any = None

    def synchronize(self) -> None:
        """Do nothing: a call returns when all is done."""

    def fetch(self, indices: Sequence[int]) -> np.ndarray:
        """Copy."""
        return np.stack([self._workload.one(self._result, index) for index in indices])

    def release(self) -> None:
        """Forget the result."""
        self._result = None

    def _keeping(self, workload: Workload, function: Callable[[], Any]) -> Call:
        """Return a call that keeps what the function returns until the next one has returned."""
        self._workload = workload

        def call() -> None:
            self._result = function()

        return call


class OursOnHost(OnHost, Ours):
    """Our own package as `fft` uses it: a plan in the cache, NumPy arrays in and out."""

    name = f"{Ours.name} NumPy"

    def prepare(self, workload: Workload, source: np.ndarray) -> Call:
        """Plan."""
        plan = self.plan(workload)
        return self._keeping(workload, lambda: plan(source, queue=self.queue))


class SciPy(OnHost):
    """scipy.fft with a worker for every core; it cannot be given an array for the result."""

    name = "scipy"

    def __init__(self) -> None:
        self._workers = cores()
        self.version = f"{import_module('scipy').__version__}, {self._workers} workers"

    def prepare(self, workload: Workload, source: np.ndarray) -> Call:
        """Choose the function."""
        function = unscaled(workload.case, workload.axes, self._workers)
        return self._keeping(workload, lambda: function(source))


class FFTW(OnHost):
    """FFTW through pyFFTW, planned by measuring.

    Its arrays are aligned as it likes them. The wrapper's `execute` does not scale.

    Parameters
    ----------
    threads : int, optional
        How many it uses, which its name then says; one for every core by default.
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
        """Plan, then fill the input, which planning overwrites."""
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
        """Return FFTW's word: one for all axes, or for each of them its own."""
        if case.cosine:
            return ({2: "FFTW_REDFT10", 3: "FFTW_REDFT01"}[case.cosine],) * len(case.lengths)
        return "FFTW_FORWARD" if case.direction == "forward" else "FFTW_BACKWARD"


def cores() -> int:
    """Count the cores that this process may use, as runtimes for CPUs do."""
    affinity: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


class VkFFT(_OnQueue):
    """VkFFT through pyvkfft's OpenCL interface, on the same queue as ours.

    Parameters
    ----------
    queue : cl.CommandQueue
        Where to run.
    """

    name = "VkFFT"

    def __init__(self, queue: cl.CommandQueue) -> None:
        super().__init__(queue)
        self._library = import_module("pyvkfft.opencl")
        wrapper = getattr(import_module("pyvkfft.version"), "__version__", "?")
        self.version = f"{self._library.vkfft_version()}, pyvkfft {wrapper}"

    def prepare(self, workload: Workload, source: np.ndarray) -> Call:
        """Plan without normalisation and upload; planned for the real array if it is real."""
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
        """Free the arrays and VkFFT's own memory."""
        super().release()
        self._app = None


class VkFFTOnCPU(VkFFT):
    """The same on a CPU, whose runtime may crash on it."""

    def rehearse(self, workload: Workload) -> None:
        """Find out in another process whether `prepare` would end this one."""
        rehearse(_transform_once, devices().index(self.queue.device), workload)


def _transform_once(number: int, workload: Workload) -> None:
    """Let VkFFT transform on a device by its number in `pyclfft.devices`."""
    rival = VkFFT(queue_of(context_of(devices()[number])))
    rival.prepare(workload, np.zeros(workload.source_shape, workload.source_dtype))()
    rival.synchronize()


class CuFFT:
    """cuFFT through CuPy, on the CUDA device of the same name.

    The plan is CuPy's thin one over cufftPlanMany, whose `fft` writes to a given array: no
    allocation, no normalisation.

    Parameters
    ----------
    queue : cl.CommandQueue
        Names the device.
    """

    name = "cuFFT"

    def __init__(self, queue: cl.CommandQueue) -> None:
        self._cupy = import_module("cupy")
        self._cufft = self._cupy.cuda.cufft  # which loads cuFFT itself, as an import does not
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
        """Plan and upload."""
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
        """Upload for CuPy's function, which stands around cuFFT and allocates its result."""
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
        """Wait for the stream."""
        self._cupy.cuda.get_current_stream().synchronize()

    def fetch(self, indices: Sequence[int]) -> np.ndarray:
        """Download."""
        _, y = self._arrays
        return np.stack([self._workload.one(y, index).get() for index in indices])

    def release(self) -> None:
        """Free the arrays, and the plan's work area with them, to the device."""
        self._arrays = []
        self._cupy.get_default_memory_pool().free_all_blocks()


Queues = Sequence[cl.CommandQueue]

RIVALS: dict[str, Callable[[cl.CommandQueue], Contender]] = {"cufft": CuFFT, "vkfft": VkFFT}

# Beside ours on several CPU devices: one for each; those that need no device are the same on all.
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
        ``"auto"`` (all that can be started), ``"none"``, or names with commas between them.
    where : cl.CommandQueue or sequence of it
        What the table's functions take: of the device, or the devices, that they must run on.
    table : mapping, optional
        `RIVALS` by default, or `CPU_RIVALS`.

    Returns
    -------
    contenders : list
        What the table's functions return, in the order asked for.
    absent : list of str
        Why the others do not take part.

    Raises
    ------
    PlanError
        An unknown name.
    DeviceError
        A rival asked for by name cannot be started.
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
        except Exception as error:  # another library's: missing, broken, or without a device
            reason = f"{name} does not take part: {_one_line(error)}"
            if asked != AUTO:
                raise DeviceError(reason) from error
            absent.append(reason)
    return found, absent


def _one_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
