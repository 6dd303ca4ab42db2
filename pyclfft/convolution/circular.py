"""The direct method in real time: chunks through a circular buffer of frames on the device.

This is the design of a thesis on convolution reverb in the time domain. Chunks of r frames go round
and round through a buffer that n streams share. With l = n r the buffer has b l frames, where
b = ceil((taps + 2 l - 1) / l). So no upload overwrites frames that a running kernel still reads.
The number of the stream wraps at n, and then the number of the part of the buffer wraps at b.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl

from ..planning.precision import REAL_DTYPE
from ..runtime import memory
from .exchange import finish_before_freeing, seconds_between
from .line_plans import block_job
from .lines import LineConvolver
from .responses import Response


class Ring(NamedTuple):
    """The lengths of a circular buffer.

    Attributes
    ----------
    chunk : int
        The frames of a chunk: r.
    streams : int
        The number of streams: n.
    parts : int
        The parts of the buffer, in each of which every stream has one chunk: b.
    """

    chunk: int
    streams: int
    parts: int

    @property
    def total(self) -> int:
        """The frames of the buffer."""
        return self.chunk * self.streams * self.parts

    def begin(self, number: int) -> int:
        """Return where chunk `number` of the signal begins in the buffer."""
        stream = number % self.streams
        part = number // self.streams % self.parts
        return (part * self.streams + stream) * self.chunk


def ring_for(taps: int, chunk: int, streams: int) -> Ring:
    """Return the circular buffer for an impulse response."""
    all_streams = chunk * streams
    return Ring(chunk, streams, -(-(taps + 2 * all_streams - 1) // all_streams))


COPY, KERNEL = "copy", "kernel"  # the kinds of commands in a trace


@dataclass
class Chunk:
    """A launch that has not been fetched.

    Attributes
    ----------
    queue : cl.CommandQueue
        The queue of the launch's stream.
    lane : int
        The number of its memory on the host and on the device.
    begun : cl.Event
        The event of its first command.
    begin, count : int
        Its first frame within the chunk, and how many frames it has.
    received : cl.Event or None
        The event of its download, once that has been enqueued.
    """

    queue: cl.CommandQueue
    lane: int
    begun: cl.Event
    begin: int
    count: int
    received: cl.Event | None = None


class CircularEngine:
    """Convolves by the definition, in a circular buffer on the device.

    Parameters
    ----------
    context : cl.Context
        A context of one device.
    response : Response
        The impulse response.
    block : int
        The frames of a chunk.
    streams : int
        The number of streams.
    precision : {"single", "double"}
        The precision of the arithmetic.
    launches : int
        How many chunks may be launched before the oldest one is fetched.

    Attributes
    ----------
    trace : list of (str, cl.Event), or None
        Where there is a list, every copy and every launch is noted in it: "copy" or "kernel", and
        the event.

    Raises
    ------
    DeviceMemoryError, BuildError
        The device has no room for the buffer, or the kernel does not compile.
    """

    def __init__(
        self,
        context: cl.Context,
        response: Response,
        block: int,
        streams: int,
        precision: str,
        launches: int = 1,
    ) -> None:
        flags: Any = cl.command_queue_properties.PROFILING_ENABLE
        self._queues = [cl.CommandQueue(context, properties=flags) for _ in range(streams)]
        self._dtype, self._routing = REAL_DTYPE[precision], response.routing
        self._lengths = ring_for(response.length, block, streams)
        routing, total = self._routing, self._lengths.total
        self._ring = memory.zeros(context, routing.inputs * total * self._dtype.itemsize)
        self._response = memory.constant(context, response.taps.astype(self._dtype))
        lanes = range(launches)
        first = self._queues[0]
        self._given = [self._pinned(first, routing.inputs, block) for _ in lanes]
        self._received = [self._pinned(first, routing.outputs, block) for _ in lanes]
        nbytes = routing.outputs * block * self._dtype.itemsize
        self._results = [memory.allocate(context, nbytes) for _ in lanes]
        convolver = LineConvolver(
            block_job(
                block, response.length, total, routing.outputs, routing.inputs,
                matrix=routing.terms > 1, precision=precision,
            ),
            context,
        )  # fmt: skip
        self._launches = [
            convolver.bind(self._ring, self._response, each) for each in self._results
        ]
        finish_before_freeing(self, *self._queues)
        self._number = 0  # of the current chunk
        self._fed = self._launched = 0  # frames of it
        self._turn = 0  # the number of the launch
        self._uploaded: list[cl.Event] = []
        self.trace: list[tuple[str, cl.Event]] | None = None
        self._flying: deque[Chunk] = deque()

    def _pinned(self, queue: cl.CommandQueue, channels: int, block: int) -> np.ndarray:
        nbytes = channels * block * self._dtype.itemsize
        return memory.pinned(queue, nbytes).view(self._dtype).reshape(channels, block)

    @property
    def room(self) -> int:
        """How many frames the current chunk still takes."""
        return self._lengths.chunk - self._fed

    def feed(self, frames: np.ndarray) -> None:
        """Take the next frames."""
        begin, self._fed = self._fed, self._fed + frames.shape[1]
        self._given[self._turn % len(self._given)][:, begin : self._fed] = frames

    def launch(self) -> None:
        """Start to compute what has been fed: upload it, run the kernel, download the result.

        The download of the launch before is enqueued behind this upload, so that a device that
        copies one thing at a time does not keep the kernel waiting.
        """
        queue = self._queues[self._number % len(self._queues)]
        lane = self._turn % len(self._given)
        count = self._fed - self._launched
        begin = self._lengths.begin(self._number)
        self._upload(queue, lane, begin + self._launched)
        if self._flying:
            self._download(self._flying[-1])
        # The whole chunk is computed. Its frames that have not come yet change no earlier ones.
        computed = self._launches[lane].events(queue, begin, self._uploaded)
        self._note(COPY, *self._uploaded)
        self._note(KERNEL, *computed)
        self._flying.append(Chunk(queue, lane, self._uploaded[0], self._launched, count))
        self._launched = self._fed
        self._turn += 1
        if not self.room:
            self._number += 1
            self._fed = self._launched = 0
        queue.flush()

    def _upload(self, queue: cl.CommandQueue, lane: int, begin: int) -> None:
        """Start to copy what has been fed to its place in the ring, after all earlier uploads."""
        size, total = self._dtype.itemsize, self._lengths.total
        given = self._given[lane]
        self._uploaded = [
            cl.enqueue_copy(
                queue,
                self._ring,
                given[number, self._launched : self._fed],
                dst_offset=(number * total + begin) * size,
                is_blocking=False,
                wait_for=self._uploaded or None,
            )
            for number in range(self._routing.inputs)
        ]

    def _download(self, chunk: Chunk) -> cl.Event:
        """Start to copy a result to the host, unless that has begun; return the copy's event."""
        if chunk.received is None:
            received: Any = cl.enqueue_copy(
                chunk.queue, self._received[chunk.lane], self._results[chunk.lane],
                is_blocking=False,
            )  # fmt: skip
            chunk.received = received
            self._note(COPY, received)
        return chunk.received

    def _note(self, kind: str, *events: cl.Event) -> None:
        if self.trace is not None:
            self.trace += [(kind, event) for event in events]

    def fetch(self, result: np.ndarray) -> None:
        """Write the result of the oldest launch."""
        chunk = self._flying.popleft()
        received = self._download(chunk)
        received.wait()
        end = chunk.begin + chunk.count
        result[...] = self._received[chunk.lane][:, chunk.begin : end]
        self._fetched = (chunk.begun, received)

    @property
    def seconds(self) -> float:
        """What the device has taken for what was fetched last, copies included."""
        return seconds_between(*self._fetched)
