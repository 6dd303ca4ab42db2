"""Convolutions, tuned: by the definition, by transforms of whole axes, and in blocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from math import prod

import numpy as np
import pyopencl as cl

from ..convolution.convolvers import Job, convolver_with, spectral_schedules
from ..convolution.direct_plans import KERNEL as PLAIN
from ..convolution.direct_plans import SOURCE as DEFINITION
from ..convolution.direct_plans import DirectJob
from ..convolution.line_plans import KERNEL, SOURCE, TILE_KERNEL, blocking_of, line_job
from ..convolution.methods import cheapest, costs_of, in_registers, parameters_of, workclass_of
from ..convolution.running import Way, job_with
from ..convolution.shapes import Dimensions, dimensions_of
from ..convolution.spectral_plans import SpectralJob, back_problem
from ..planning.accuracy import relative_error
from ..planning.lookup import Workclass
from ..planning.parameters import Parameters
from ..planning.pass_parts import device_size
from ..planning.passes import Pass, Schedule
from ..planning.precision import REAL_DTYPE
from ..planning.traits import Traits
from ..runtime import memory
from .measure import Measure
from .space import Candidate, Task

BOUND = {"single": 1e-5, "double": 1e-13}  # the largest relative errors that are allowed


@dataclass(frozen=True)
class ConvolutionTask(Task):
    """A convolution on a device."""

    case: ConvolutionCase = field(kw_only=True)

    def schedule(self, parameters: Parameters) -> Schedule:
        """Return what is launched with these parameters."""
        job = self.case.job(self.traits, parameters)
        if not isinstance(job, SpectralJob):
            return _direct_schedule(job, self.traits, parameters)
        several = spectral_schedules(job, self.traits, lambda problem: parameters)
        passes = (each for schedule in several for each in schedule.passes)
        workspace = (each for schedule in several for each in schedule.workspace)
        return Schedule(tuple(passes), tuple(workspace))

    @property
    def blocks(self) -> tuple[int, ...]:
        """The lengths of blocks into which a convolution may be cut."""
        first, second = max(self.case.signal), max(self.case.kernel)
        exponents = range((2 * second - 1).bit_length(), (first - 1).bit_length())
        return tuple(2**each for each in exponents)


@dataclass(frozen=True)
class ConvolutionCase:
    """Convolutions of real signals with one kernel, which is not longer along any axis.

    Attributes
    ----------
    signal, kernel : tuple of int
        The extents of a signal, and of the kernel.
    mode : {"full", "same", "valid"}
        The part of the result that is wanted.
    batch : int
        How many signals there are.
    precision : {"single", "double"}
        The precision of all numbers.
    """

    signal: tuple[int, ...]
    kernel: tuple[int, ...]
    mode: str = "full"
    batch: int = 1
    precision: str = "single"

    @property
    def dimensions(self) -> Dimensions:
        """The dimensions of the arrays: the batch is the first one."""
        axes = range(1, 1 + len(self.signal))
        return dimensions_of((self.batch, *self.signal), (1, *self.kernel), self.mode, axes)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the result."""
        return tuple(each.result for each in self.dimensions)

    @property
    def dtype(self) -> np.dtype:
        """The dtype of all numbers."""
        return REAL_DTYPE[self.precision]

    @property
    def nbytes(self) -> int:
        """The least bytes that have to be read and written."""
        numbers = self.batch * prod(self.signal) + prod(self.kernel) + prod(self.shape)
        return numbers * self.dtype.itemsize

    def job(self, traits: Traits, parameters: Parameters) -> Job:
        """Return what the method "auto" does on a device with these parameters."""
        dimensions, nothing = self.dimensions, self.dtype.type(0)
        shapes = ((self.batch, *self.signal), (1, *self.kernel), self.shape)
        arrays = [np.broadcast_to(nothing, each) for each in shapes]
        registers = in_registers(dimensions, self.dtype, self.dtype)
        method = cheapest(dimensions, costs_of(traits, parameters), registers)
        first, second, result = arrays
        return job_with(first, second, result, dimensions, Way(method), traits, parameters)

    def workclass(self, algorithm: str | None) -> Workclass:
        """Return the class of problems for which the result holds."""
        return workclass_of(self.dimensions, self.precision)

    def task(self, traits: Traits, parameters: Parameters, algorithm: str | None) -> Task:
        """Return the task on a device; a search begins with these parameters."""
        forced = parameters.over({"convolve_method": "fft"}, "")
        job = self.job(traits, forced)
        assert isinstance(job, SpectralJob)
        return ConvolutionTask(back_problem(job), traits, parameters, case=self)

    def measure(self, context: cl.Context, task: Task) -> Measure:
        """Return what measures the candidates of the task."""
        return ConvolutionMeasure(context, self, task.traits)

    def known(self, chosen: cl.Device, algorithm: str | None) -> Parameters:
        """Return the parameters that a device has for it now."""
        return parameters_of(chosen, self.dimensions, self.precision)


class ConvolutionMeasure(Measure):
    """Measures candidates for one convolution.

    Parameters
    ----------
    context : cl.Context
        Context of one device.
    case : ConvolutionCase
        The convolution.
    traits : Traits
        The traits of the device.
    """

    def __init__(self, context: cl.Context, case: ConvolutionCase, traits: Traits) -> None:
        self.case, self.traits = case, traits
        generator = np.random.default_rng(1)
        signals = generator.uniform(-1, 1, (case.batch, *case.signal)).astype(case.dtype)
        kernel = generator.uniform(-1, 1, (1, *case.kernel)).astype(case.dtype)
        super().__init__(context, signals, case.shape, case.dtype)
        self._kernel = memory.constant(context, kernel)
        checked = sorted({0, case.batch // 2, case.batch - 1})
        self._expected = {each: self._convolved(signals[each], kernel[0]) for each in checked}

    def _convolved(self, signal: np.ndarray, kernel: np.ndarray) -> np.ndarray:
        """Return the convolution of a signal in double precision."""
        axes = self.case.dimensions[1:]
        lengths = [each.full for each in axes]
        along = tuple(range(len(axes)))
        spectra = (
            np.fft.rfftn(each.astype(np.float64), lengths, along) for each in (signal, kernel)
        )
        full = np.fft.irfftn(np.prod(list(spectra), axis=0), lengths, along)
        return full[tuple(slice(each.start, each.start + each.result) for each in axes)]

    def launch(self, candidate: Candidate) -> Callable[[], cl.Event]:
        """Make a candidate ready, and return what enqueues it."""
        job = self.case.job(self.traits, candidate.parameters)
        convolver = convolver_with(self.context, job, lambda problem: candidate.parameters)
        return partial(
            convolver.enqueue, self.queue, self._source, self._kernel, self._target
        )  # fmt: skip

    def error_of(self, result: np.ndarray) -> float:
        """Return the largest relative error of the checked signals."""
        return max(relative_error(result[number], each) for number, each in self._expected.items())

    @property
    def bound(self) -> float:
        """The largest relative error that is allowed."""
        return BOUND[self.case.precision]


def _direct_schedule(job: DirectJob, traits: Traits, parameters: Parameters) -> Schedule:
    """Return the launch of a convolution by the definition, as far as its time depends on it."""
    line = line_job(job)
    if line is None:
        sizes, local = device_size((job.count,), parameters["convolve_group"], traits)
        launched = Pass(PLAIN, DEFINITION, job.defines, sizes, local, {}, 0, 0)
        return Schedule((launched,), ())
    blocking = blocking_of(traits, line.precision, line.results, parameters)
    groups = -(-line.results // blocking.results)
    split = line.is_split(blocking, traits, parameters["taps_split"])
    launched = Pass(
        TILE_KERNEL if split else KERNEL, SOURCE, line.defines(blocking),
        (groups * blocking.group, line.rows), (blocking.group, 1), {}, 0, 0,
    )  # fmt: skip
    return Schedule((launched,), ())
