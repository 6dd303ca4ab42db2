"""Convolvers: planned convolutions made ready for a context, and the cache that keeps them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import pyopencl as cl

from ..planning.parameters import Parameters
from ..planning.pass_parts import device_size
from ..planning.passes import Schedule
from ..planning.planner import require_precision
from ..planning.problem import Problem
from ..planning.traits import Traits
from ..runtime import describe, memory
from ..runtime.cache import BoundedCache, registered
from ..runtime.executable import Executable
from ..runtime.program import program
from ..runtime.rooms import rooms
from .direct_plans import KERNEL, SOURCE, DirectJob
from .line_plans import line_job
from .lines import LineConvolver
from .methods import parameters_of
from .operands import precision_of, spectral_dtype
from .spectral_plans import (
    PLACES,
    SpectralJob,
    back_places,
    back_problem,
    back_schedule,
    block_places,
    first_problem,
    forward_schedule,
    second_problem,
)

MAX_CONVOLVERS = 32
IDLE_KERNELS = 4  # that a direct convolver keeps for later calls

Job = SpectralJob | DirectJob
Found = Callable[[Problem | None], Parameters]  # the parameters of a transform, or of the rest


class Convolver(Protocol):
    """A convolution that can be run any number of times.

    Attributes
    ----------
    traits : Traits
        The traits of its device.
    workspace_bytes : int
        The device memory that a call takes beside its inputs and its result.
    """

    traits: Traits
    workspace_bytes: int

    def enqueue(
        self,
        queue: cl.CommandQueue,
        first: memory.Memory,
        second: memory.Memory,
        target: memory.Memory,
        wait_for: Sequence[cl.Event] = (),
    ) -> cl.Event:
        """Start the convolution after the events, and return the event of its end."""


class SpectralConvolver:
    """Convolves by three transforms: both inputs there, and the product of their spectra back.

    Parameters
    ----------
    job : SpectralJob
        The convolution.
    context : cl.Context
        A context of one device.
    found : function
        Returns the parameters of each of the transforms.

    Raises
    ------
    PrecisionError, DeviceMemoryError, BuildError
        The device lacks double precision or memory, or a kernel does not compile.
    """

    def __init__(self, job: SpectralJob, context: cl.Context, found: Found) -> None:
        self.job = job
        self.context = context
        self.traits = traits = describe.traits(context.devices[0])
        schedules = spectral_schedules(job, traits, found)
        ours = {"spectra": job.spectra_bytes}
        for number, each in enumerate(schedules):
            ours |= {f"{name} {number}": nbytes for name, nbytes in each.workspace}
        memory.require_fits(traits, {**ours, **job.array_bytes})
        self.workspace_bytes = sum(ours.values())
        self._spectra_bytes = job.spectra_bytes
        places = block_places(job), block_places(job), back_places(job)
        self._first, self._second, self._back = map(self._executable, schedules, places)

    def _executable(self, schedule: Schedule, places: np.ndarray) -> Executable:
        given = {PLACES.name: memory.constant(self.context, places)}
        return Executable(self.context, schedule, given)

    def enqueue(
        self,
        queue: cl.CommandQueue,
        first: memory.Memory,
        second: memory.Memory,
        target: memory.Memory,
        wait_for: Sequence[cl.Event] = (),
    ) -> cl.Event:
        """Start the three transforms, in memory for spectra that no other call uses."""
        if self.job.is_turned:
            first, second = second, first
        room = rooms.take(self.context, self._spectra_bytes)
        before = [*wait_for, *room.events]
        there = [
            self._first.enqueue(queue, first, room.buffer, before),
            self._second.enqueue(queue, second, room.buffer, before),
        ]
        done = self._back.enqueue(queue, room.buffer, target, there)
        rooms.give_back(room, queue, done)
        return done


def spectral_schedules(
    job: SpectralJob, traits: Traits, found: Found
) -> tuple[Schedule, Schedule, Schedule]:
    """Return how both inputs are transformed, and how their product is transformed back.

    Parameters
    ----------
    job : SpectralJob
        The convolution.
    traits : Traits
        The traits of the device.
    found : function
        Returns the parameters of a transform.
    """
    first, second, back = first_problem(job), second_problem(job), back_problem(job)
    return (
        forward_schedule(first, traits, found(first)),
        forward_schedule(second, traits, found(second)),
        back_schedule(job, traits, found(back)),
    )


class DirectConvolver:
    """Convolves by the definition, in one launch.

    Parameters
    ----------
    job : DirectJob
        The convolution.
    context : cl.Context
        A context of one device.
    parameters : Parameters
        The parameters of the kernels.

    Raises
    ------
    PrecisionError, BuildError
        The device lacks double precision, or the kernel does not compile.
    """

    workspace_bytes = 0

    def __init__(self, job: DirectJob, context: cl.Context, parameters: Parameters) -> None:
        self.traits = traits = describe.traits(context.devices[0])
        require_precision(job.precision, traits)
        items = max(1, job.count)
        self._sizes = device_size((items,), parameters["convolve_group"], traits)
        self.job = job
        self._program = program(context, SOURCE, job.defines)
        self._places = memory.constant(context, job.table)
        # Kernels hold their arguments, so that each call needs one of its own.
        self._idle: deque[cl.Kernel] = deque(maxlen=IDLE_KERNELS)

    def enqueue(
        self,
        queue: cl.CommandQueue,
        first: memory.Memory,
        second: memory.Memory,
        target: memory.Memory,
        wait_for: Sequence[cl.Event] = (),
    ) -> cl.Event:
        """Start the launch."""
        try:
            kernel = self._idle.pop()
        except IndexError:
            kernel = cl.Kernel(self._program, KERNEL)
            kernel.set_arg(3, self._places)
            kernel.set_arg(4, np.uint64(self.job.count))
        for position, argument in enumerate((first, second, target)):
            kernel.set_arg(position, argument)
        with memory.refusals(queue, 0):
            done = cl.enqueue_nd_range_kernel(
                queue, kernel, *self._sizes, wait_for=list(wait_for) or None
            )
        self._idle.append(kernel)
        return done


_convolvers: BoundedCache[Convolver] = registered("convolvers", BoundedCache(MAX_CONVOLVERS))


def convolver_of(context: cl.Context, job: Job) -> Convolver:
    """Return the convolver of a job, which is kept for the next job like it.

    Raises
    ------
    PlanError, DeviceError, DeviceMemoryError, BuildError
        The device cannot do the job.
    """
    chosen = context.devices[0]
    if isinstance(job, SpectralJob):
        precision = job.precision
    else:
        precision = precision_of(spectral_dtype(*job.dtypes[:2]))

    def found(problem: Problem | None) -> Parameters:
        return parameters_of(chosen, job.dimensions, precision, job.values, problem)

    return _convolvers.get((context, job), lambda: convolver_with(context, job, found))


def convolver_with(context: cl.Context, job: Job, found: Found) -> Convolver:
    """Return a new convolver of a job.

    Parameters
    ----------
    context : cl.Context
        A context of one device.
    job : SpectralJob or DirectJob
        The convolution.
    found : function
        Returns the parameters of a transform, or those of other kernels.

    Raises
    ------
    PlanError, DeviceError, DeviceMemoryError, BuildError
        The device cannot do the job.
    """
    if isinstance(job, SpectralJob):
        return SpectralConvolver(job, context, found)
    memory.require_fits(describe.traits(context.devices[0]), job.array_bytes)
    line = line_job(job)
    if line is not None:
        return LineConvolver(line, context, found(None))
    return DirectConvolver(job, context, found(None))
