"""Image filters, tuned: from pixels to pixels on the device."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod

import numpy as np
import pyopencl as cl

from ..image.bands import Band
from ..image.filter_plans import SPREADING, FilterJob, filter_schedule, transform_problem
from ..image.in_pieces import gains_by_host
from ..image.jobs import filter_job
from ..planning.accuracy import relative_error, transform_bound
from ..planning.lookup import Workclass
from ..planning.parameters import Parameters
from ..planning.passes import Schedule
from ..planning.traits import Traits
from ..runtime import describe, memory, wisdom
from ..runtime.executable import Executable
from .measure import Measure
from .space import Candidate, Task

DTYPES: dict[str, np.dtype] = {
    "single": np.dtype(np.uint8),
    "double": np.dtype(np.float64),
}  # of pixels, by precision
ROUNDED = 0.01  # the largest relative error of pixels that are rounded to whole numbers


@dataclass(frozen=True)
class FilterTask(Task):
    """An image filter on a device."""

    job: FilterJob = field(kw_only=True)

    def schedule(self, parameters: Parameters) -> Schedule:
        """Return what is launched with these parameters."""
        return filter_schedule(self.job, self.traits, parameters)


@dataclass(frozen=True)
class FilterCase:
    """Images that are filtered: by a high pass if results are spread, otherwise by a low pass.

    Attributes
    ----------
    size : (int, int)
        The height and the width of an image.
    images : int
        How many images there are.
    scale : {"none", "clip", "max", "stretch"}
        How filtered values become pixels.
    precision : {"single", "double"}
        The precision of the transforms; pixels are of uint8 or of float64.
    """

    size: tuple[int, int]
    images: int = 1
    scale: str = "max"
    precision: str = "single"

    @property
    def nbytes(self) -> int:
        """The least bytes that have to be read and written."""
        job = self.job()
        return prod(job.shape) * (job.dtype.itemsize + job.result_dtype.itemsize)

    def job(self, algorithm: str | None = None) -> FilterJob:
        """Return the job of the filter."""
        images = np.broadcast_to(np.zeros((), DTYPES[self.precision]), (self.images, *self.size))
        kind = "highpass" if self.scale in SPREADING else "lowpass"
        return filter_job(images, kind, axes=(1, 2), scale=self.scale, algorithm=algorithm)

    def workclass(self, algorithm: str | None) -> Workclass:
        """Return the class of problems for which the result holds."""
        return self.job(algorithm).workclass

    def task(self, traits: Traits, parameters: Parameters, algorithm: str | None) -> Task:
        """Return the task on a device; a search begins with these parameters."""
        job = self.job(algorithm)
        problem = transform_problem(job, "forward")
        return FilterTask(problem, traits, parameters, algorithm, job=job)

    def measure(self, context: cl.Context, task: Task) -> Measure:
        """Return what measures the candidates of the task."""
        return FilterMeasure(context, self.job(task.algorithm))

    def known(self, chosen: cl.Device, algorithm: str | None) -> Parameters:
        """Return the parameters that a device has for it now."""
        job = self.job(algorithm)
        problem = transform_problem(job, "forward")
        return wisdom.parameters_of(chosen, problem, algorithm, within=job.workclass)


class FilterMeasure(Measure):
    """Measures candidates for one filter.

    Parameters
    ----------
    context : cl.Context
        Context of one device.
    job : FilterJob
        The job of all candidates.
    """

    def __init__(self, context: cl.Context, job: FilterJob) -> None:
        self.job = job
        pixels = np.random.default_rng(1).integers(0, 256, job.shape).astype(job.dtype)
        super().__init__(context, pixels, job.shape, job.result_dtype)
        checked = sorted({0, job.images // 2, job.images - 1})
        self._expected = {each: self._filtered(pixels[each]) for each in checked}

    def _filtered(self, pixels: np.ndarray) -> np.ndarray:
        """Return an image filtered in double precision."""
        job = self.job
        assert isinstance(job.band, Band)
        gains = gains_by_host(job.band, job.plane)
        filtered = np.fft.ifft2(np.fft.fft2(pixels.astype(np.float64)) * gains)
        values: np.ndarray = np.abs(filtered) if job.part == "magnitude" else filtered.real
        if job.scale == "clip":
            values = values.clip(0, job.maxval)
        elif job.scale in SPREADING:
            least = values.min() if job.scale == "stretch" else 0
            values = (values - least) / (values.max() - least) * job.maxval
        return np.rint(values) if job.result_dtype.kind == "u" else values

    def launch(self, candidate: Candidate) -> Callable[[], cl.Event]:
        """Make a candidate ready, and return what enqueues it."""
        memory.require_fits(
            describe.traits(self.context.devices[0]), dict(candidate.schedule.workspace)
        )
        executable = Executable(self.context, candidate.schedule)
        return lambda: executable.enqueue(self.queue, self._source, self._target, ())

    def error_of(self, result: np.ndarray) -> float:
        """Return the largest relative error of the checked images."""
        return max(
            relative_error(result[number].astype(np.float64), each)
            for number, each in self._expected.items()
        )

    @property
    def bound(self) -> float:
        """The largest relative error that is allowed."""
        if self.job.result_dtype.kind == "u":
            return ROUNDED
        return 8 * transform_bound(self.job.plane, self.job.precision)
