"""The cross-correlation of two images by transforms: planned, and made ready for a context.

The spectra have no pass of their own: the second image's transform multiplies them as it stores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np
import pyopencl as cl

from ..planning.hooks import Hooks, Snippet
from ..planning.precision import COMPLEX_DTYPE, REAL_DTYPE
from ..planning.problem import Layout, Problem, contiguous_strides, make_problem
from ..planning.schedule import schedule_into
from ..runtime import describe, memory, wisdom
from ..runtime.cache import BoundedCache, registered
from ..runtime.executable import Executable

MAX_CORRELATORS = 8


@dataclass(frozen=True)
class CorrelationJob:
    """The circular cross-correlation of two images.

    Attributes
    ----------
    first, second : Layout
        Where the images lie in memory; both have the same shape.
    precision : {"single", "double"}
        The precision of the arithmetic.
    phase : bool
        Whether the products of the spectra get the magnitude 1.
    """

    first: Layout
    second: Layout
    precision: str
    phase: bool

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the images."""
        return self.first.shape

    @property
    def dtype(self) -> np.dtype:
        """The dtype of spectra and of the correlation."""
        return COMPLEX_DTYPE[self.precision]


def first_problem(job: CorrelationJob) -> Problem:
    """Return the transform of the first image; its spectrum lies behind the products."""
    problem = _forward(job, job.first)
    behind = Layout(job.shape, contiguous_strides(job.shape), prod(job.shape))
    return replace(problem, target=behind)


def second_problem(job: CorrelationJob) -> Problem:
    """Return the transform of the second image, which leaves the products of both spectra."""
    preamble = f"#define FIRST_BEGIN {prod(job.shape)}ul\n#define PHASE_ONLY {int(job.phase)}\n"
    hook = Snippet(
        code="store_product(dst, index, value);",
        preamble=preamble + '#include "convolution/crossPower.cl"',
        replaces=True,
    )
    return replace(_forward(job, job.second), hooks=Hooks(store=hook))


def back_problem(job: CorrelationJob) -> Problem:
    """Return the transform back, from the products to the correlation; it has no factor."""
    return make_problem(job.shape, job.dtype, direction="inverse", norm="forward")


def _forward(job: CorrelationJob, image: Layout) -> Problem:
    dtype = (REAL_DTYPE if image.real else COMPLEX_DTYPE)[job.precision]
    return replace(make_problem(job.shape, dtype), source=image)


class Correlator:
    """Correlates two images by three transforms.

    Parameters
    ----------
    job : CorrelationJob
        The correlation.
    context : cl.Context
        A context of one device.

    Raises
    ------
    PrecisionError, DeviceMemoryError, BuildError
        The device lacks double precision or memory, or a kernel does not compile.
    """

    def __init__(self, job: CorrelationJob, context: cl.Context) -> None:
        chosen = context.devices[0]
        traits = describe.traits(chosen)
        spectra = 2 * prod(job.shape) * job.dtype.itemsize

        def executable(problem: Problem) -> Executable:
            parameters = wisdom.parameters_of(chosen, problem)
            schedule = schedule_into(problem, traits, None, parameters, in_place=False)
            memory.require_fits(traits, {"spectra": spectra, **dict(schedule.workspace)})
            return Executable(context, schedule)

        problems = first_problem(job), second_problem(job), back_problem(job)
        self._first, self._second, self._back = map(executable, problems)

    def enqueue(
        self,
        queue: cl.CommandQueue,
        first: memory.Memory,
        second: memory.Memory,
        spectra: memory.Memory,
        target: memory.Memory,
        wait_for: Sequence[cl.Event] = (),
    ) -> cl.Event:
        """Start the three transforms.

        Parameters
        ----------
        queue : cl.CommandQueue
            The queue to run on.
        first, second : memory
            The images.
        spectra : memory
            Room for two spectra. The first half then holds the products, the correlation's
            spectrum.
        target : memory
            Room for the correlation, times the number of its elements.
        wait_for : sequence of cl.Event
            What is waited for.

        Returns
        -------
        cl.Event
            The event of the end.
        """
        done = self._first.enqueue(queue, first, spectra, wait_for)
        done = self._second.enqueue(queue, second, spectra, [done])
        return self._back.enqueue(queue, spectra, target, [done])


_correlators: BoundedCache[Correlator] = registered("correlators", BoundedCache(MAX_CORRELATORS))


def correlator_of(context: cl.Context, job: CorrelationJob) -> Correlator:
    """Return the correlator of a job, which is kept for the next job like it.

    Raises
    ------
    PrecisionError, DeviceMemoryError, BuildError
        See `Correlator`.
    """
    return _correlators.get((context, job), lambda: Correlator(job, context))
