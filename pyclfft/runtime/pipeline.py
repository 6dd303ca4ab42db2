"""Work on host arrays in pieces: while one is computed, others are on their way up and down."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl

from . import device, memory
from .executable import Executable, run_on_host
from .profile import Recorder

QUEUES = 2  # pieces in flight


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
    target : ndarray or None
        Where the result of the piece in flight belongs.
    done : cl.Event or None
        The end of its download.
    """

    queue: cl.CommandQueue
    buffers: dict[str, cl.Buffer] = field(default_factory=dict)
    staged: dict[str, np.ndarray] = field(default_factory=dict)
    target: np.ndarray | None = None
    done: cl.Event | None = None

    def room(self, name: str, nbytes: int) -> tuple[cl.Buffer, np.ndarray]:
        """Return so much memory on both sides."""
        if name not in self.buffers or self.buffers[name].size < nbytes:
            self.buffers[name] = memory.allocate(self.queue.context, nbytes)
            self.staged[name] = memory.pinned(self.queue, nbytes)
        return self.buffers[name], self.staged[name][:nbytes]

    def finish(self) -> None:
        """Wait for the piece in flight and bring its result to where it belongs."""
        if self.done is None or self.target is None:
            return
        self.done.wait()
        staged = self.staged["out"][: self.target.nbytes]
        np.copyto(self.target, staged.view(self.target.dtype).reshape(self.target.shape))
        self.done = self.target = None


class Pipeline:
    """Runs pieces of host arrays through a device, in order.

    On a CPU each is computed where it lies. Elsewhere two queues take turns, so that the upload of
    a piece, the kernels of the one before and the download of the one before that go on at once.

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
        self._is_cpu = device.traits(context.devices[0]).is_cpu
        flags: Any = cl.command_queue_properties.PROFILING_ENABLE if recorder else 0
        count = 1 if self._is_cpu else QUEUES
        self._slots = [Slot(cl.CommandQueue(context, properties=flags)) for _ in range(count)]

    def run(self, works: Iterable[Work]) -> None:
        """Run pieces; all targets are filled when this returns.

        Raises
        ------
        DeviceMemoryError
            The device is out of memory.
        """
        start = self._on_cpu if self._is_cpu else self._start
        try:
            for work in works:
                start(self._slots[0], work)
                self._slots.append(self._slots.pop(0))
            for slot in self._slots:  # the oldest first, while others are still on their way
                slot.finish()
        except BaseException:
            for slot in self._slots:
                slot.queue.finish()  # nothing may outlive its memory
                slot.done = slot.target = None
            raise

    def _on_cpu(self, slot: Slot, work: Work) -> None:
        source = memory.contiguous(work.source)
        contiguous = work.target.flags.c_contiguous
        target = work.target if contiguous else memory.empty(work.target.shape, work.target.dtype)
        run_on_host(work.executable, slot.queue, source, target, self.recorder)
        if target is not work.target:
            work.target[...] = target

    def _start(self, slot: Slot, work: Work) -> None:
        slot.finish()
        given, staged = slot.room("in", work.source.nbytes)
        np.copyto(staged.view(work.source.dtype).reshape(work.source.shape), work.source)
        result, received = slot.room("out", work.target.nbytes)
        up = cl.enqueue_copy(slot.queue, given, staged, is_blocking=False)
        self._record("write", "host to device", work.source.nbytes, up)
        work.executable.enqueue(slot.queue, given, result, [up], self.recorder)
        down: Any = cl.enqueue_copy(slot.queue, received, result, is_blocking=False)
        self._record("read", "device to host", work.target.nbytes, down)
        slot.queue.flush()
        slot.target, slot.done = work.target, down

    def _record(self, name: str, step: str, nbytes: int, event: cl.Event) -> None:
        if self.recorder is not None:
            self.recorder.add(name, step, nbytes, event)
