"""Convolutions along one axis by registers.cl, made ready for a context."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl

from ..planning.parameters import Parameters
from ..planning.planner import require_precision
from ..runtime import describe, memory, wisdom
from ..runtime.program import program
from ..runtime.rooms import rooms
from .line_plans import ADDING_KERNEL, KERNEL, SOURCE, TILE_KERNEL, LineJob, blocking_of

# What the first arguments of the kernels are; the table, and then a number, come behind them.
DIRECT_ROLES, TILE_ROLES, ADDING_ROLES = (
    ("dry", "ir", "wet"),
    ("dry", "ir", "sums"),
    ("sums", "wet"),
)
BEGIN = 4  # the number of the argument that says where the signal begins
IDLE_LAUNCHES = 4  # kernel objects that a convolver keeps for later calls


class Step(NamedTuple):
    """A kernel, what its first arguments are, and the sizes of its range and of its groups.

    Kernels do not keep the memory of their arguments alive; a step keeps that of the table.
    """

    kernel: cl.Kernel
    roles: tuple[str, ...]
    table: cl.Buffer
    items: tuple[int, ...]
    group: tuple[int, ...] | None


class LineLaunch:
    """A convolution with kernel objects that belong to it alone, which hold their arguments.

    One thread at a time may use it, on one in-order queue or waiting for the event before.

    Parameters
    ----------
    steps : sequence of Step
        The kernels: one, or one that sums up tiles and one that adds their sums.
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = steps
        self._begin = 0
        self._memories: tuple[Any, ...] = ()

    def aim(self, **memories: memory.Memory) -> None:
        """Set the arguments that are memory, by their roles, and keep that memory alive."""
        for step in self._steps:
            for position, role in enumerate(step.roles):
                step.kernel.set_arg(position, memories[role])
        self._memories = tuple(memories.values())

    def let_go(self) -> None:
        """Keep the arguments' memory alive no longer: `aim` comes before the next launch."""
        self._memories = ()

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
        with memory.refusals(queue, 0):
            for kernel, _, _, items, group in self._steps:
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
    parameters : Parameters, optional
        The parameters of the kernels; by default those that hold for all problems of the device.

    Raises
    ------
    PrecisionError, BuildError
        The device lacks double precision, or a kernel does not compile.
    """

    def __init__(
        self, job: LineJob, context: cl.Context, parameters: Parameters | None = None
    ) -> None:
        self.traits = traits = describe.traits(context.devices[0])
        parameters = parameters or wisdom.parameters_of(context.devices[0])
        require_precision(job.precision, traits)
        self.job = job
        self.context = context
        self.blocking = blocking_of(traits, job.precision, job.results, parameters)
        self.is_split = job.is_split(self.blocking, traits, parameters["taps_split"])
        self.workspace_bytes = job.sums_bytes(self.blocking) if self.is_split else 0
        self._program = program(context, SOURCE, job.defines(self.blocking))
        self._table = memory.constant(context, job.table)
        # To make a kernel object takes ten times as long as to launch it.
        self._idle: deque[LineLaunch] = deque(maxlen=IDLE_LAUNCHES)

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
        launch = self._new_launch()
        if self.is_split:
            sums = sums or memory.allocate(self.context, self.workspace_bytes)
            launch.aim(dry=dry, ir=ir, wet=wet, sums=sums)
        else:
            launch.aim(dry=dry, ir=ir, wet=wet)
        return launch

    def _new_launch(self) -> LineLaunch:
        """Return a launch that lacks only the memory of its arrays."""
        job, blocking = self.job, self.blocking
        groups, begin = -(-job.results // blocking.results), np.int64(0)
        items, group = (groups * blocking.group, job.rows), (blocking.group, 1)
        if not self.is_split:
            steps = [self._step(KERNEL, DIRECT_ROLES, (begin,), items, group)]
            return LineLaunch(steps)
        tiles, results = job.tiles(blocking), (groups * blocking.results, job.rows)
        steps = [
            self._step(TILE_KERNEL, TILE_ROLES, (begin,), (*items, tiles), (*group, 1)),
            self._step(ADDING_KERNEL, ADDING_ROLES, (np.uint32(tiles),), results, None),
        ]
        return LineLaunch(steps)

    def _step(
        self,
        name: str,
        roles: tuple[str, ...],
        numbers: tuple[np.generic, ...],
        items: tuple[int, ...],
        group: tuple[int, ...] | None,
    ) -> Step:
        kernel = cl.Kernel(self._program, name)
        given: tuple[Any, ...] = (self._table, *numbers)
        for position, value in enumerate(given, len(roles)):
            kernel.set_arg(position, value)
        return Step(kernel, roles, self._table, items, group)

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
        try:
            launch = self._idle.pop()
        except IndexError:
            launch = self._new_launch()
        if self.is_split:
            room = rooms.take(self.context, self.workspace_bytes)
            launch.aim(dry=dry, ir=ir, wet=target, sums=room.buffer)
            done = launch.enqueue(queue, 0, [*wait_for, *room.events])
            rooms.give_back(room, queue, done)
        else:
            launch.aim(dry=dry, ir=ir, wet=target)
            done = launch.enqueue(queue, 0, wait_for)
        launch.let_go()
        self._idle.append(launch)
        return done
