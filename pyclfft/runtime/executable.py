"""A schedule made ready to run: its programs built, its tables uploaded, its arguments preset."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl

from ..planning.passes import (
    Argument,
    Buffer,
    Roots,
    Scalar,
    Schedule,
    StageTwiddles,
    Table,
    Vector,
)
from . import memory
from .profile import Recorder
from .program import program
from .twiddle import roots_of_unity, stage_twiddles

IDLE_LEASES = 4  # kept for the next call; a burst of more threads or queues makes its own


@dataclass
class Lease:
    """Kernel objects, which hold their arguments, and workspace: used by one call at a time.

    Attributes
    ----------
    kernels : list of cl.Kernel
        One for each pass, all arguments set but for "in" and "out".
    workspace : dict of str to cl.Buffer
        By name.
    queue : cl.CommandQueue or None
        Of the last call.
    done : cl.Event or None
        End of the last call.
    """

    kernels: list[cl.Kernel]
    workspace: dict[str, cl.Buffer]
    queue: cl.CommandQueue | None = None
    done: cl.Event | None = None


class Launch(NamedTuple):
    """A kernel with all its arguments and sizes, as pyopencl itself takes them."""

    kernel: cl.Kernel
    arguments: tuple[Any, ...]
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]


class Executable:
    """Runs a schedule on the buffers of a caller.

    Parameters
    ----------
    context : cl.Context
        Of one device.
    schedule : Schedule
        Passes with their buffers assigned.

    Raises
    ------
    BuildError
        A kernel does not compile.
    """

    def __init__(self, context: cl.Context, schedule: Schedule) -> None:
        self.context = context
        self.schedule = schedule
        self._programs = [program(context, each.source, each.defines) for each in schedule.passes]
        self._tables: dict[Argument, cl.Buffer] = {}
        self._idle: list[Lease] = []
        self._lock = threading.Lock()
        for each in schedule.passes:
            for argument in each.arguments:
                if isinstance(argument, Table) and argument not in self._tables:
                    self._tables[argument] = memory.constant(context, _table_values(argument))

    def enqueue(
        self,
        queue: cl.CommandQueue,
        source: cl.Buffer,
        target: cl.Buffer,
        wait_for: Sequence[cl.Event] = (),
        recorder: Recorder | None = None,
    ) -> cl.Event:
        """Start every pass and return at once.

        Parameters
        ----------
        queue : cl.CommandQueue
            Of this context; in order or out of order.
        source, target : cl.Buffer
            "in" and "out".
        wait_for : sequence of cl.Event
            What the first pass has to wait for.
        recorder : Recorder, optional
            Is told every event; needs a profiling queue.

        Returns
        -------
        cl.Event
            End of the last pass.

        Raises
        ------
        DeviceMemoryError
            The device is out of memory.
        """
        callers = {"in": source, "out": target}
        out_of_order = bool(
            queue.properties & cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
        )
        nbytes = sum(each.size for each in (source, target) if each is not None)
        nbytes += self.schedule.workspace_bytes
        with memory.refusals(self.context, nbytes), self._lease(queue) as lease:
            waiting = list(wait_for)
            if lease.done is not None and (out_of_order or lease.queue != queue):
                waiting.append(lease.done)
            for each, kernel in zip(self.schedule.passes, lease.kernels, strict=True):
                for position, argument in enumerate(each.arguments):
                    if isinstance(argument, Buffer) and argument.name in callers:
                        kernel.set_arg(position, callers[argument.name])
                event = cl.enqueue_nd_range_kernel(
                    queue, kernel, each.global_size, each.local_size, wait_for=waiting or None
                )
                waiting = [event] if out_of_order else []
                if recorder is not None:
                    recorder.add(each.kernel, each.step, each.reads + each.writes, event)
            lease.queue, lease.done = queue, event
        return event

    @contextmanager
    def _lease(self, queue: cl.CommandQueue) -> Iterator[Lease]:
        """Lend kernels and workspace that nobody else uses; best those last used on this queue."""
        with self._lock:
            usable = [each for each in self._idle if each.queue == queue or _is_done(each)]
            lease = usable[0] if usable else None
            if lease is not None:
                self._idle.remove(lease)
                if _is_done(lease):
                    lease.done = None  # nothing to wait for, least of all for a call that failed
        lease = lease or self._new_lease()
        yield lease  # after an exception its state is unknown, and it is dropped
        with self._lock:
            self._idle.append(lease)
            del self._idle[:-IDLE_LEASES]

    def _new_lease(self) -> Lease:
        workspace = {
            name: memory.allocate(self.context, size) for name, size in self.schedule.workspace
        }
        kernels = []
        for each, built in zip(self.schedule.passes, self._programs, strict=True):
            kernel = cl.Kernel(built, each.kernel)
            for position, argument in enumerate(each.arguments):
                value = self._value(argument, workspace)
                if value is not None:
                    kernel.set_arg(position, value)
            kernels.append(kernel)
        return Lease(kernels, workspace)

    def launches(self, source: cl.Buffer, target: cl.Buffer) -> list[Launch]:
        """Return what a call launches, for measuring what is spent beside it.

        Parameters
        ----------
        source, target : cl.Buffer
            "in" and "out".

        Returns
        -------
        list of Launch
            With kernels and workspace of their own.
        """
        lease = self._new_lease()
        buffers = {**lease.workspace, "in": source, "out": target}
        return [
            Launch(
                kernel,
                tuple(self._value(argument, buffers) for argument in each.arguments),
                each.global_size,
                each.local_size,
            )
            for each, kernel in zip(self.schedule.passes, lease.kernels, strict=True)
        ]

    def _value(
        self, argument: Argument, workspace: dict[str, cl.Buffer]
    ) -> cl.Buffer | np.generic | np.ndarray | None:
        """Return what to pass to a kernel, or None for a buffer that the caller brings."""
        if isinstance(argument, Scalar):
            return np.dtype(argument.dtype).type(argument.value)
        if isinstance(argument, Vector):
            return np.array(argument.values, argument.dtype)
        if isinstance(argument, Buffer):
            return workspace.get(argument.name)
        return self._tables[argument]


def run_on_host(
    executable: Executable,
    queue: cl.CommandQueue,
    source: np.ndarray,
    target: np.ndarray,
    recorder: Recorder | None = None,
    wait_for: Sequence[cl.Event] = (),
) -> None:
    """Upload, run, download: one transfer each way.

    Parameters
    ----------
    executable : Executable
        What to run.
    queue : cl.CommandQueue
        Where.
    source, target : ndarray
        Contiguous; `target` is filled when this returns.
    recorder : Recorder, optional
        Is told the transfers' events too; needs a profiling queue.
    wait_for : sequence of cl.Event
        What the upload has to wait for.
    """
    source_buffer, written = memory.upload(queue, source, wait_for)
    target_buffer = memory.allocate(queue.context, target.nbytes)
    if recorder is not None:
        recorder.add("write", "host to device", source.nbytes, written)
    done = executable.enqueue(queue, source_buffer, target_buffer, [written], recorder)
    read = memory.download(queue, target, target_buffer, [done])
    if recorder is not None:
        recorder.add("read", "device to host", target.nbytes, read)


def _is_done(lease: Lease) -> bool:
    if lease.done is None:
        return True
    status = lease.done.command_execution_status
    return status <= cl.command_execution_status.COMPLETE  # below it: failed


def _table_values(table: Table) -> np.ndarray:
    if isinstance(table, Roots):
        count = table.count or table.n // table.step
        return roots_of_unity(table.n, table.precision, table.step * np.arange(count))
    if isinstance(table, StageTwiddles):
        return stage_twiddles(table.radices, table.precision)
    return np.array(table.values, np.int64)
