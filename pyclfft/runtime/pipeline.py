"""Work on host arrays in pieces: while one is computed, others are on their way up and down."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl

from . import describe, forks, memory
from .executable import Executable, run_on_host
from .profile import Recorder

IN_FLIGHT = 8  # pieces, each on a queue of its own: copies on the host take turns with transfers


class Work(NamedTuple):
    """One piece.

    Attributes
    ----------
    executable : Executable
        What to run.
    source, target : ndarray
        Of any strides; `target` is filled.
    """

    executable: Executable
    source: np.ndarray
    target: np.ndarray


@dataclass
class Slot:
    """A queue with memory of its own for one piece after the other.

    Attributes
    ----------
    queue : cl.CommandQueue
        Runs upload, kernels and download of a piece, in order.
    buffers : dict of str to cl.Buffer
        "in" and "out" on the device.
    staged : dict of str to ndarray of uint8
        The same on the host, from where, and to where, devices copy by themselves.
    """

    queue: cl.CommandQueue
    buffers: dict[str, cl.Buffer] = field(default_factory=dict)
    staged: dict[str, np.ndarray] = field(default_factory=dict)

    def room(self, name: str, nbytes: int) -> tuple[cl.Buffer, np.ndarray]:
        """Return so much memory on both sides."""
        if name not in self.buffers or self.buffers[name].size < nbytes:
            buffer = memory.allocate(self.queue.context, nbytes)
            staged = memory.pinned(self.queue, nbytes)
            self.buffers[name], self.staged[name] = buffer, staged  # both or none
        return self.buffers[name], self.staged[name][:nbytes]


class Pipeline:
    """Runs pieces of host arrays through a device.

    On a CPU each is computed where it lies. Elsewhere some are in flight at once, so that the
    upload of one, the kernels of another and the download of a third overlap, and threads copy
    between the caller's arrays and memory that the device reaches by itself.

    Parameters
    ----------
    context : cl.Context
        Of one device.
    recorder : Recorder, optional
        Is told the events of all pieces.
    """

    def __init__(self, context: cl.Context, recorder: Recorder | None = None) -> None:
        self.context = context
        self.recorder = recorder
        self._is_cpu = describe.traits(context.devices[0]).is_cpu
        flags: Any = cl.command_queue_properties.PROFILING_ENABLE if recorder else 0
        count = 1 if self._is_cpu else IN_FLIGHT
        self._slots = [Slot(cl.CommandQueue(context, properties=flags)) for _ in range(count)]

    def run(self, works: Iterable[Work]) -> None:
        """Run pieces; all targets are filled when this returns.

        Raises
        ------
        DeviceMemoryError
            The device is out of memory.
        DeviceError
            This process was forked from one that has used OpenCL.
        """
        forks.require_own_process()
        if self._is_cpu:
            for work in works:
                self._on_cpu(work)
            return
        idle: SimpleQueue[Slot] = SimpleQueue()
        for slot in self._slots:
            idle.put(slot)
        with ThreadPoolExecutor(len(self._slots)) as pool:  # whose end waits for all pieces
            pieces: list[Future[None]] = []
            for work in works:
                pieces.append(pool.submit(self._through, idle, idle.get(), work))
                while pieces and pieces[0].done():
                    pieces.pop(0).result()  # an error ends it
            for piece in pieces:
                piece.result()

    def _on_cpu(self, work: Work) -> None:
        source = memory.contiguous(work.source)
        contiguous = work.target.flags.c_contiguous
        target = work.target if contiguous else memory.empty(work.target.shape, work.target.dtype)
        run_on_host(work.executable, self._slots[0].queue, source, target, self.recorder)
        if target is not work.target:
            work.target[...] = target

    def _through(self, idle: SimpleQueue[Slot], slot: Slot, work: Work) -> None:
        """Bring a piece through the device and its result to where it belongs, in a thread."""
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
        except BaseException:
            slot.queue.finish()  # nothing may outlive its memory
            raise
        finally:
            idle.put(slot)

    def _record(self, name: str, step: str, nbytes: int, event: cl.Event) -> None:
        if self.recorder is not None:
            self.recorder.add(name, step, nbytes, event)
