"""Work on host arrays in pieces: while one is computed, others move to and from the device."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl

from . import describe, forks, loss, memory
from .executable import Executable
from .operation import failed, run
from .profile import Recorder

IN_FLIGHT = 8  # pieces at a time, each on a queue of its own: host copies alternate with transfers


class Work(NamedTuple):
    """The work on one piece.

    Attributes
    ----------
    executable : Executable
        The executable to run.
    source, target : ndarray
        The input, and the array that receives the result; both may have any strides.
    """

    executable: Executable
    source: np.ndarray
    target: np.ndarray


@dataclass
class Slot:
    """A queue with memory of its own, through which pieces go one after the other.

    Attributes
    ----------
    queue : cl.CommandQueue
        The queue that runs the upload, the kernels and the download of a piece, in order.
    buffers : dict of str to cl.Buffer
        The device's memory for a piece's input, "in", and output, "out".
    staged : dict of str to ndarray of uint8
        Host memory for "in" and "out" that the device reads and writes by itself.
    """

    queue: cl.CommandQueue
    buffers: dict[str, cl.Buffer] = field(default_factory=dict)
    staged: dict[str, np.ndarray] = field(default_factory=dict)

    def room(self, name: str, nbytes: int) -> tuple[cl.Buffer, np.ndarray]:
        """Return memory for `nbytes` on the device and on the host, new if there is too little."""
        if name not in self.buffers or self.buffers[name].size < nbytes:
            buffer = memory.allocate(self.queue.context, nbytes)
            staged = memory.pinned(self.queue, nbytes)
            # Both change, or neither if one of the allocations fails.
            self.buffers[name], self.staged[name] = buffer, staged
        return self.buffers[name], self.staged[name][:nbytes]


class Pipeline:
    """Runs pieces of host arrays through a device.

    On a CPU each piece is computed where it lies. On other devices several pieces are in flight at
    once: the upload of one, the kernels of another and the download of a third overlap, while
    threads copy between the caller's arrays and host memory that the device reaches by itself.

    Parameters
    ----------
    context : cl.Context
        A context of one device.
    recorder : Recorder, optional
        An object that remembers the events of all pieces.
    """

    def __init__(self, context: cl.Context, recorder: Recorder | None = None) -> None:
        self.context = context
        self.recorder = recorder
        self._is_cpu = describe.traits(context.devices[0]).is_cpu
        flags: Any = cl.command_queue_properties.PROFILING_ENABLE if recorder else 0
        count = 1 if self._is_cpu else IN_FLIGHT
        self._slots = [Slot(cl.CommandQueue(context, properties=flags)) for _ in range(count)]

    def run(self, works: Iterable[Work]) -> None:
        """Run pieces; all their targets hold results when this method returns.

        Raises
        ------
        DeviceMemoryError
            The device is out of memory.
        DeviceError
            The device did not do its work, or this process was forked from one that has used
            OpenCL.
        """
        forks.require_own_process()
        if self._is_cpu:
            for work in works:
                queue = self._slots[0].queue
                run(work.executable, queue, work.source, work.target, recorder=self.recorder)
            return
        idle: SimpleQueue[Slot] = SimpleQueue()
        for slot in self._slots:
            idle.put(slot)
        with ThreadPoolExecutor(len(self._slots)) as pool:  # its end waits for all pieces
            pieces: list[Future[None]] = []
            for work in works:
                pieces.append(pool.submit(self._through, idle, idle.get(), work))
                while pieces and pieces[0].done():
                    pieces.pop(0).result()  # raises the error of a piece that has failed
            for piece in pieces:
                piece.result()

    def _through(self, idle: SimpleQueue[Slot], slot: Slot, work: Work) -> None:
        """Bring a piece through the device and its result to its target; runs in a thread."""
        try:
            given, staged = slot.room("in", work.source.nbytes)
            np.copyto(staged.view(work.source.dtype).reshape(work.source.shape), work.source)
            result, received = slot.room("out", work.target.nbytes)
            up = cl.enqueue_copy(slot.queue, given, staged, is_blocking=False)
            self._record("write", "host to device", work.source.nbytes, up)
            work.executable.enqueue(slot.queue, given, result, [up], self.recorder)
            down: Any = cl.enqueue_copy(slot.queue, received, result, is_blocking=False)
            self._record("read", "device to host", work.target.nbytes, down)
            down.wait()
            np.copyto(work.target, received.view(work.target.dtype).reshape(work.target.shape))
        except BaseException as error:
            loss.finish(slot.queue)  # no command may outlive the memory that it uses
            if isinstance(error, cl.Error):
                raise failed(slot.queue, error) from error
            raise
        finally:
            idle.put(slot)

    def _record(self, name: str, step: str, nbytes: int, event: cl.Event) -> None:
        if self.recorder is not None:
            self.recorder.add(name, step, nbytes, event)
