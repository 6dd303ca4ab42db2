"""Convolutions along one axis by registers.cl, made ready for a context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl

from ..planning.planner import require_precision
from ..runtime import describe, memory
from ..runtime.program import program
from ..runtime.rooms import rooms
from .line_plans import ADDING_KERNEL, KERNEL, SOURCE, TILE_KERNEL, LineJob, blocking_of

BEGIN = 4  # the number of the argument that says where the signal begins


class Step(NamedTuple):
    """A kernel with its arguments, and the sizes of its range and of its groups.

    Kernels do not keep the memory of their arguments alive; a step does.
    """

    kernel: cl.Kernel
    arguments: tuple[Any, ...]
    items: tuple[int, ...]
    group: tuple[int, ...] | None


class LineLaunch:
    """A convolution bound to its arrays, with kernel objects that belong to it alone.

    One thread at a time may use it, on one in-order queue or waiting for the event before.

    Parameters
    ----------
    steps : sequence of Step
        The kernels: one, or one that sums up tiles and one that adds their sums.
    context : cl.Context
        The context of the kernels.
    """

    def __init__(self, steps: Sequence[Step], context: cl.Context) -> None:
        self._steps = steps
        self._context = context
        self._begin = 0

    def enqueue(
        self, queue: cl.CommandQueue, begin: int = 0, wait_for: Sequence[cl.Event] = ()
    ) -> cl.Event:
        """Start the convolution after the events, and return the event of its end.

        Parameters
        ----------
        queue : cl.CommandQueue
            The queue to run on.
        begin : int
            Where in the circular buffer frame 0 of the block lies. Without such a buffer, 0.
        wait_for : sequence of cl.Event
            What is waited for.

        Returns
        -------
        cl.Event
        """
        return self.events(queue, begin, wait_for)[-1]

    def events(
        self, queue: cl.CommandQueue, begin: int = 0, wait_for: Sequence[cl.Event] = ()
    ) -> list[cl.Event]:
        """Do what `enqueue` does, and return the events of all kernels."""
        if begin != self._begin:
            self._steps[0].kernel.set_arg(BEGIN, np.int64(begin))
            self._begin = begin
        done: list[cl.Event] = []
        with memory.refusals(self._context, 0):
            for kernel, _, items, group in self._steps:
                before = done[-1:] or list(wait_for) or None
                done.append(
                    cl.enqueue_nd_range_kernel(queue, kernel, items, group, wait_for=before)
                )
        return done


class LineConvolver:
    """Convolves along one axis by the definition, in one launch or two.

    Parameters
    ----------
    job : LineJob
        The convolution.
    context : cl.Context
        A context of one device.

    Raises
    ------
    PrecisionError, BuildError
        The device lacks double precision, or a kernel does not compile.
    """

    def __init__(self, job: LineJob, context: cl.Context) -> None:
        self.traits = traits = describe.traits(context.devices[0])
        require_precision(job.precision, traits)
        self.job = job
        self.context = context
        self.blocking = blocking_of(traits, job.precision)
        self.is_split = job.is_split(self.blocking, traits)
        self._program = program(context, SOURCE, job.defines(self.blocking))
        self._table = memory.constant(context, job.table)

    def bind(
        self,
        dry: memory.Memory,
        ir: memory.Memory,
        wet: memory.Memory,
        sums: cl.Buffer | None = None,
    ) -> LineLaunch:
        """Return a launch with memory for sums of tiles, if it needs any, and with its arguments.

        Parameters
        ----------
        dry, ir, wet : memory
            The signal, the impulse response and the result.
        sums : cl.Buffer, optional
            Memory for the sums of tiles; by default the launch has its own.

        Raises
        ------
        DeviceMemoryError
            The device is out of memory.
        """
        job, blocking = self.job, self.blocking
        groups, first = -(-job.results // blocking.results), np.int64(0)
        items, group = (groups * blocking.group, job.rows), (blocking.group, 1)
        if not self.is_split:
            step = self._step(KERNEL, (dry, ir, wet, self._table, first), items, group)
            return LineLaunch([step], self.context)
        sums = sums or memory.allocate(self.context, job.sums_bytes(blocking))
        tiles, results = job.tiles(blocking), (groups * blocking.results, job.rows)
        steps = [
            self._step(
                TILE_KERNEL, (dry, ir, sums, self._table, first), (*items, tiles), (*group, 1)
            ),
            self._step(ADDING_KERNEL, (sums, wet, self._table, np.uint32(tiles)), results, None),
        ]
        return LineLaunch(steps, self.context)

    def _step(
        self,
        name: str,
        arguments: tuple[Any, ...],
        items: tuple[int, ...],
        group: tuple[int, ...] | None,
    ) -> Step:
        kernel = cl.Kernel(self._program, name)
        kernel.set_args(*arguments)
        return Step(kernel, arguments, items, group)

    def enqueue(
        self,
        queue: cl.CommandQueue,
        first: memory.Memory,
        second: memory.Memory,
        target: memory.Memory,
        wait_for: Sequence[cl.Event] = (),
    ) -> cl.Event:
        """Start the convolution, with sums of tiles in memory that no other call uses."""
        dry, ir = (second, first) if self.job.swapped else (first, second)
        if not self.is_split:
            return self.bind(dry, ir, target).enqueue(queue, 0, wait_for)
        room = rooms.take(self.context, self.job.sums_bytes(self.blocking))
        launch = self.bind(dry, ir, target, room.buffer)
        done = launch.enqueue(queue, 0, [*wait_for, *room.events])
        rooms.give_back(room, done)
        return done
