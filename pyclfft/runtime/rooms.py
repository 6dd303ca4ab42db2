"""Device memory for intermediate results, which is used again by later calls.

A call takes a room, starts its commands, and gives the room back at once, with the event of its
last command. The next call that takes the room waits for that event on the device, whatever its
queue. No caller ever sees the memory, so that these events are all that there is to wait for.
"""

from __future__ import annotations

import threading
from typing import NamedTuple

import pyopencl as cl

from ..errors import DeviceMemoryError
from . import forks, memory
from .cache import CacheCounts, registered
from .events import is_pending
from .pool import block_size

MAX_BYTES = 256 * 2**20  # of idle rooms; what is larger is freed, since it computes for long anyway


class Room(NamedTuple):
    """Device memory, and the events of those who used it last.

    Attributes
    ----------
    context : cl.Context
        The context of the memory.
    nbytes : int
        The bytes of the memory: at least as many as were asked for.
    buffer : cl.Buffer
        The memory.
    events : tuple of cl.Event
        The events to wait for before the memory is written to.
    """

    context: cl.Context
    nbytes: int
    buffer: cl.Buffer
    events: tuple[cl.Event, ...] = ()


class RoomPool:
    """Rooms that no call uses, of all contexts.

    Parameters
    ----------
    max_bytes : int
        How many bytes the idle rooms may have in all. The one that was given back first is freed
        first.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._idle: list[Room] = []  # in the order in which they were given back
        self._lock = threading.Lock()
        self._hits = self._misses = 0

    def take(self, context: cl.Context, nbytes: int) -> Room:
        """Return a room that no other call uses; if the device is full, idle rooms are freed first.

        Raises
        ------
        DeviceMemoryError
            The device is out of memory.
        DeviceError
            This process was forked from one that has used OpenCL.
        """
        forks.require_own_process()
        size = block_size(nbytes)
        with self._lock:
            for position in reversed(range(len(self._idle))):  # late ones may still be in a cache
                room = self._idle[position]
                if room.nbytes == size and room.context == context:
                    self._hits += 1
                    del self._idle[position]
                    return room._replace(events=tuple(filter(is_pending, room.events)))
            self._misses += 1
        return Room(context, size, self._allocated(context, size))

    def _allocated(self, context: cl.Context, size: int) -> cl.Buffer:
        try:
            return memory.allocate(context, size)
        except DeviceMemoryError:
            if not self._idle:
                raise
        self._free()
        return memory.allocate(context, size)

    def give_back(self, room: Room, queue: cl.CommandQueue, done: cl.Event) -> None:
        """Keep a room for later calls, which have to wait for an event of a queue.

        The queue is flushed, because OpenCL lets another queue wait only for what was flushed.
        A room whose call has failed is not given back: nobody knows what still uses it.
        """
        queue.flush()
        with self._lock:
            self._idle.append(room._replace(events=(done,)))
            total = sum(each.nbytes for each in self._idle)
            while total > self._max_bytes:
                total -= self._idle.pop(0).nbytes

    def _free(self) -> None:
        with self._lock:
            self._idle = []

    def clear(self) -> None:
        """Free the idle rooms and start counting anew."""
        self._free()
        self._hits = self._misses = 0

    def counts(self) -> CacheCounts:
        """Return hits, misses, the bound in bytes, and the bytes of idle rooms."""
        with self._lock:
            idle = sum(each.nbytes for each in self._idle)
            return CacheCounts(self._hits, self._misses, self._max_bytes, idle)


rooms = registered("rooms", RoomPool(MAX_BYTES))
