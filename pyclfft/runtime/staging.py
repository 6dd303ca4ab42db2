"""Host arrays for kernels that take any number of them: where they are, or copied once each way."""

from __future__ import annotations

from types import TracebackType

import numpy as np
import pyopencl as cl

from ..planning.traits import Traits
from . import loss, memory


class Staging:
    """The memory of one call's host arrays, as its kernels see it.

    On a CPU kernels work on the arrays where they are, if the arrays are aligned. On any other
    device each input is uploaded, and the result is downloaded at the end. The inputs may share
    memory with each other, but not with the result.

    Parameters
    ----------
    queue : cl.CommandQueue
        The queue of the call.
    traits : Traits
        The traits of the queue's device.

    Examples
    --------
    ::

        with Staging(queue, traits) as stage:
            first, second = stage.given(x), stage.given(y)
            done = launch(first, second, stage.result(out))
            stage.finish(done)
    """

    def __init__(self, queue: cl.CommandQueue, traits: Traits) -> None:
        self.queue = queue
        self.uploads: list[cl.Event] = []  # the launches have to wait for them
        self._traits = traits
        self._result: tuple[np.ndarray, memory.Memory] | None = None
        self._kept: list[memory.Memory] = []  # kernels do not keep their arguments alive

    def __enter__(self) -> Staging:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            loss.finish(self.queue)  # no kernel may outlive its memory

    def given(self, array: np.ndarray) -> memory.Memory:
        """Return the memory of a contiguous input.

        Raises
        ------
        DeviceMemoryError
            The device is out of memory.
        """
        if memory.is_aligned(self._traits, array):
            return self._keep(self._wrapped(array, cl.mem_flags.READ_ONLY))
        buffer, uploaded = memory.upload(self.queue, array)
        self.uploads.append(uploaded)
        return self._keep(buffer)

    def result(self, array: np.ndarray) -> memory.Memory:
        """Return the memory of a contiguous array that is to receive the result.

        Raises
        ------
        DeviceMemoryError
            The device is out of memory.
        """
        if memory.is_aligned(self._traits, array):
            there = self._wrapped(array, cl.mem_flags.READ_WRITE)
        else:
            there = memory.allocate(self.queue.context, array.nbytes)
        self._result = (array, there)
        return self._keep(there)

    def finish(self, done: cl.Event) -> None:
        """Wait for the last launch, and for the result to be in its array."""
        assert self._result is not None
        array, there = self._result
        if not isinstance(there, cl.Buffer):
            done.wait()
        elif not memory.is_aligned(self._traits, array):
            memory.download(self.queue, array, there, [done])
        else:
            memory.map_back(self.queue, self._traits, there, done)

    def _wrapped(self, array: np.ndarray, mode: int) -> memory.Memory:
        if self._traits.system_svm:
            return memory.addressed(array)
        with memory.refusals(self.queue, array.nbytes):
            return cl.Buffer(self.queue.context, mode | cl.mem_flags.USE_HOST_PTR, hostbuf=array)

    def _keep(self, there: memory.Memory) -> memory.Memory:
        self._kept.append(there)
        return there
