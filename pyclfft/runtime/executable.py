"""Schedules made ready to run: their programs are built, their tables made, their arguments set."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl

from ..planning.arguments import Buffer, FirstGroup, Scalar, Vector
from ..planning.passes import COUNTERS, Argument, Pass, Schedule
from . import describe, ending, forks, loss, memory
from .events import has_succeeded, is_pending
from .profile import Recorder
from .program import program
from .tables import SharedTable, shared_table

IDLE_LEASES = 4  # leases kept for later calls; if more calls overlap, they make leases of their own

_OUT_OF_ORDER = int(cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)


@dataclass
class Lease:
    """Kernel objects, which hold their arguments, and workspace, for one call at a time.

    Attributes
    ----------
    launches : list of tuple
        A kernel for each pass, its global size, its local size, and the pass. All arguments of the
        kernels are set, but for the caller's "in" and "out".
    reading : list of (cl.Kernel, int)
        The kernels that read the caller's input, each with the position of its argument "in".
    writing : list of (cl.Kernel, int)
        The kernels that write the caller's output, each with the position of its argument "out".
    workspace : dict of str to cl.Buffer or cl.SVM
        The buffers that passes know by name: the lease's workspace, and the buffers of hooks, which
        all leases share.
    queue : cl.CommandQueue or None
        The queue that the last call ran on; None before the first call.
    in_order : bool
        Whether this queue runs its commands one after the other.
    done : cl.Event or None
        The event of the last call's end; None before the first call.
    past : list of cl.Event
        Events of callers' arrays that need no wait, since their commands have succeeded on this
        queue, which is in order: an input may carry its event from call to call.
    stage : tuple of ndarray
        The memory of "in" and "out" if the lease owns it, otherwise empty.
    """

    launches: list[tuple[cl.Kernel, tuple[int, ...], tuple[int, ...], Pass]]
    reading: list[tuple[cl.Kernel, int]]
    writing: list[tuple[cl.Kernel, int]]
    workspace: dict[str, memory.Memory]
    queue: cl.CommandQueue | None = None
    in_order: bool = False
    done: cl.Event | None = None
    past: list[cl.Event] = field(default_factory=list)
    stage: tuple[np.ndarray, ...] = ()

    def pending(self) -> list[cl.Event]:
        """Return the events that the next call has to wait for: none once the last call is over."""
        return [self.done] if self.done is not None and is_pending(self.done) else []

    def still_ahead(self, events: Sequence[cl.Event]) -> list[cl.Event]:
        """Return those of a caller's events that the queue of the last call has to wait for.

        The queue is in order. Of its own commands, the ones that have succeeded are remembered, so
        that the next call need not ask about them.

        Raises
        ------
        DeviceError
            The command of an event has failed.
        """
        events = [event for event in events if event is not self.done]
        self.past = [each for each in events if each in self.past or self._has_done(each)]
        return [event for event in events if event not in self.past]

    def _has_done(self, event: cl.Event) -> bool:
        """Return whether the queue of the last call has done the command of an event."""
        return has_succeeded(event) and event.command_queue == self.queue


def parts_of(each: Pass) -> Iterator[tuple[int, int]]:
    """Yield the number of the first work-group, and the number of work-items, of each launch.

    The pass is one that takes several launches.
    """
    (items,), (group,) = each.global_size, each.local_size
    step = each.groups_a_launch
    for begin in range(0, items // group, step):
        yield begin, min(step * group, items - begin * group)


class Launch(NamedTuple):
    """A kernel with its arguments and sizes, in the form that pyopencl's functions take."""

    kernel: cl.Kernel
    arguments: tuple[Any, ...]
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]


class Executable:
    """Runs a schedule on the buffers of a caller.

    Parameters
    ----------
    context : cl.Context
        A context of one device.
    schedule : Schedule
        The passes with their buffers.
    given : mapping of str to cl.Buffer, optional
        The buffers of hooks, by the names that passes have for them. Every call uses the same ones.

    Raises
    ------
    BuildError
        A kernel does not compile.
    DeviceError
        The device is lost.
    """

    def __init__(
        self,
        context: cl.Context,
        schedule: Schedule,
        given: Mapping[str, cl.Buffer] | None = None,
    ) -> None:
        self.context = context
        self.traits = describe.traits(context.devices[0])
        self.schedule = schedule
        self._given = given or {}
        with memory.refusals(context, schedule.workspace_bytes):
            self._programs = [
                program(context, each.source, each.defines, each.hooks) for each in schedule.passes
            ]
            self._tables: dict[Argument, SharedTable] = {
                table: shared_table(context, table) for table in schedule.tables
            }
        # Leases go to and fro by append and pop, in one step each: threads need no lock for that.
        self._idle: deque[Lease] = deque(maxlen=IDLE_LEASES)
        self._idle_stages: deque[Lease] = deque(maxlen=IDLE_LEASES)
        ending.will_wait_for(self)

    def enqueue(
        self,
        queue: cl.CommandQueue,
        source: memory.Memory,
        target: memory.Memory,
        wait_for: Sequence[cl.Event] = (),
        recorder: Recorder | None = None,
    ) -> cl.Event:
        """Start every pass and return at once.

        Parameters
        ----------
        queue : cl.CommandQueue
            A queue of this context, in order or out of order.
        source, target : cl.Buffer or cl.SVM
            The memory of the input and of the output.
        wait_for : sequence of cl.Event
            The events that the first pass has to wait for.
        recorder : Recorder, optional
            An object that remembers every event; it needs a profiling queue.

        Returns
        -------
        cl.Event
            The event of the last pass's end.

        Raises
        ------
        DeviceMemoryError
            The device is out of memory.
        DeviceError
            A command of `wait_for` has failed, or this process was forked from one that has used
            OpenCL.
        """
        forks.require_own_process()
        try:
            # After an exception the lease's state is unknown, and it is not kept.
            lease = self._borrow(queue)
            event = self._launch(lease, queue, source, target, wait_for, recorder)
        except cl.Error as error:
            self._idle.clear()  # others may belong to the same queue, which may be lost
            callers = (each.size or 0 for each in (source, target) if each is not None)
            memory.refuse(error, queue, self.schedule.workspace_bytes + sum(callers))
            raise
        lease.queue, lease.done = queue, event
        self._idle.append(lease)
        return event

    def _launch(
        self,
        lease: Lease,
        queue: cl.CommandQueue,
        source: memory.Memory | None,
        target: memory.Memory | None,
        wait_for: Sequence[cl.Event],
        recorder: Recorder | None,
    ) -> cl.Event:
        """Set the caller's buffers and enqueue the kernels.

        A call takes a few us, so every line counts.
        """
        waiting: Sequence[cl.Event] = ()
        if lease.queue is queue and lease.in_order:  # the queue itself keeps the order
            done, past = lease.done, lease.past
            for event in wait_for:
                if event is not done and event not in past:
                    waiting = lease.still_ahead(wait_for)
                    break
        else:
            lease.in_order, lease.past = not queue.properties & _OUT_OF_ORDER, []
            waiting = [*wait_for, *lease.pending()]
            for event in waiting:
                has_succeeded(event)  # refuses those that have failed
        for kernel, position in lease.reading:
            kernel.set_arg(position, source)
        for kernel, position in lease.writing:
            kernel.set_arg(position, target)
        for kernel, global_size, local_size, each in lease.launches:
            if each.groups_a_launch:
                event = self._launch_in_parts(each, kernel, lease, queue, waiting, recorder)
            else:
                event = cl.enqueue_nd_range_kernel(
                    queue, kernel, global_size, local_size, None, waiting or None
                )
                if recorder is not None:
                    recorder.add(each.kernel, each.step, each.reads + each.writes, event)
            waiting = () if lease.in_order else (event,)
        return event

    def _launch_in_parts(
        self,
        each: Pass,
        kernel: cl.Kernel,
        lease: Lease,
        queue: cl.CommandQueue,
        waiting: Sequence[cl.Event],
        recorder: Recorder | None,
    ) -> cl.Event:
        """Launch a pass in several parts.

        An argument tells the kernel its first work-group, since global offsets are slow on NVIDIA's
        GPUs.
        """
        position = list(each.arguments.values()).index(FirstGroup())
        moved = (each.reads + each.writes) / each.global_size[0]
        for first, items in parts_of(each):
            kernel.set_arg(position, np.uint32(first))
            event = cl.enqueue_nd_range_kernel(
                queue, kernel, (items,), each.local_size, wait_for=waiting or None
            )
            waiting = () if lease.in_order else (event,)
            if recorder is not None:
                recorder.add(each.kernel, each.step, int(moved * items), event)
        return event

    def _borrow(self, queue: cl.CommandQueue) -> Lease:
        """Return a lease that no other call uses: an idle one, or a new one."""
        try:
            lease = self._idle.pop()
        except IndexError:
            return self._new_lease()
        if lease.queue is queue or lease.queue == queue or not lease.pending():
            return lease
        try:
            return self._borrow(queue)
        finally:
            self._idle.append(lease)

    def run_staged(
        self,
        queue: cl.CommandQueue,
        source: np.ndarray,
        target: np.ndarray,
        wait_for: Sequence[cl.Event] = (),
    ) -> None:
        """Run on copies of host arrays, which is the quickest way for small ones.

        The copies are the lease's own memory, so that all arguments of the kernels are set before
        the call. A call takes a few us, so every line counts.

        Parameters
        ----------
        queue : cl.CommandQueue
            A queue of this context.
        source, target : ndarray
            Arrays of any strides and alignment, whose sizes and dtypes are the same in every call.
            `target` holds the result when this method returns.
        wait_for : sequence of cl.Event
            The events that the first pass has to wait for.

        Raises
        ------
        DeviceMemoryError
            The device is out of memory.
        DeviceError
            This process was forked from one that has used OpenCL.
        """
        forks.require_own_process()
        try:
            lease = self._idle_stages.pop()
        except IndexError:
            lease = self._new_stage(source, target)
        given, result = lease.stage
        if given.shape != source.shape:  # one signal may come as (samples,) or as (1, samples)
            given = given.reshape(source.shape)
        if result.shape != target.shape:
            result = result.reshape(target.shape)
        given[...] = source
        try:
            self._launch(lease, queue, None, None, wait_for, None).wait()
        except BaseException:
            loss.finish(queue)  # no kernel may outlive its memory
            raise
        target[...] = result
        lease.queue = queue
        self._idle_stages.append(lease)

    def _new_stage(self, *arrays: np.ndarray) -> Lease:
        stage = tuple(memory.shared(self.context, each.shape, each.dtype) for each in arrays)
        given, result = (cl.SVM(each) for each in stage)
        lease = self._new_lease({"in": given, "out": result})
        lease.stage = stage
        return lease

    def _new_lease(self, ends: Mapping[str, memory.Memory] | None = None) -> Lease:
        workspace: dict[str, memory.Memory] = {**self._given, **(ends or {})}
        for name, size in self.schedule.workspace:
            allocate = memory.zeros if name == COUNTERS else memory.allocate
            workspace[name] = allocate(self.context, size)
        callers = () if ends else (Buffer("in"), Buffer("out"))
        lease = Lease([], [], [], workspace)
        for each, built in zip(self.schedule.passes, self._programs, strict=True):
            kernel = cl.Kernel(built, each.kernel)
            for position, argument in enumerate(each.arguments.values()):
                if argument not in callers:
                    kernel.set_arg(position, self._value(argument, workspace))
                elif argument == Buffer("in"):
                    lease.reading.append((kernel, position))
                else:
                    lease.writing.append((kernel, position))
            lease.launches.append((kernel, each.global_size, each.local_size, each))
        return lease

    def queues(self) -> list[cl.CommandQueue]:
        """Return the queues that the last calls ran on."""
        return [lease.queue for lease in self._idle if lease.queue is not None]

    def launches(self, source: cl.Buffer, target: cl.Buffer) -> list[Launch]:
        """Return the launches of a call, to measure how much longer than them a call takes.

        Parameters
        ----------
        source, target : cl.Buffer
            The memory of the input and of the output.

        Returns
        -------
        list of Launch
            The launches, with kernels and workspace that no call uses.
        """
        lease = self._new_lease()
        buffers = {**lease.workspace, "in": source, "out": target}
        return [
            Launch(
                kernel,
                tuple(self._value(argument, buffers) for argument in each.arguments.values()),
                each.global_size,
                each.local_size,
            )
            for kernel, _, _, each in lease.launches
        ]

    def _value(
        self, argument: Argument, workspace: dict[str, memory.Memory]
    ) -> memory.Memory | np.generic | np.ndarray:
        """Return the value that a kernel gets for an argument."""
        if isinstance(argument, Scalar):
            return np.dtype(argument.dtype).type(argument.value)
        if isinstance(argument, FirstGroup):
            return np.uint32(0)
        if isinstance(argument, Vector):
            return np.array(argument.values, argument.dtype)
        if isinstance(argument, Buffer):
            return workspace[argument.name]
        return self._tables[argument].buffer


def run_on_host(
    executable: Executable,
    queue: cl.CommandQueue,
    source: np.ndarray,
    target: np.ndarray,
    recorder: Recorder | None = None,
    wait_for: Sequence[cl.Event] = (),
) -> None:
    """Run on host arrays: on a CPU where they are, elsewhere with one transfer each way.

    Arrays that are not contiguous are copied once. If there is a recorder, the arrays are
    transferred on a CPU too, and the recorder remembers the transfers.

    Parameters
    ----------
    executable : Executable
        The executable to run.
    queue : cl.CommandQueue
        The queue to run it on.
    source, target : ndarray
        Arrays of any strides, in whose C order the kernels read and write. `target` holds the
        result when this function returns.
    recorder : Recorder, optional
        An object that remembers the events of passes and transfers; it needs a profiling queue.
    wait_for : sequence of cl.Event
        The events to wait for before the input is read.

    Raises
    ------
    DeviceError, DeviceMemoryError
        See `Executable.enqueue`.
    """
    forks.require_own_process()
    traits = executable.traits
    if recorder is None and memory.can_stage(traits, source.nbytes + target.nbytes):
        executable.run_staged(queue, source, target, wait_for)
        return
    given = memory.contiguous(source)
    result = target if target.flags.c_contiguous else memory.empty(target.shape, target.dtype)
    if recorder is None and memory.can_wrap(traits, given, result):
        memory.run_where_they_are(queue, traits, given, result, executable.enqueue, wait_for)
    else:
        _run_with_transfers(executable, queue, given, result, recorder, wait_for)
    if result is not target:
        target[...] = result


def _run_with_transfers(
    executable: Executable,
    queue: cl.CommandQueue,
    source: np.ndarray,
    target: np.ndarray,
    recorder: Recorder | None,
    wait_for: Sequence[cl.Event],
) -> None:
    """Run on contiguous host arrays by `memory.upload` and `memory.download`."""
    source_buffer, written = memory.upload(queue, source, wait_for)
    target_buffer = memory.allocate(queue.context, target.nbytes)
    if recorder is not None:
        recorder.add("write", "host to device", source.nbytes, written)
    done = executable.enqueue(queue, source_buffer, target_buffer, [written], recorder)
    read = memory.download(queue, target, target_buffer, [done])
    if recorder is not None:
        recorder.add("read", "device to host", target.nbytes, read)
