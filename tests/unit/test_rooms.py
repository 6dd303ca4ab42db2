"""Rooms: device memory for intermediate results, used again but never by two calls at once."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pyclfft.errors import DeviceMemoryError
from pyclfft.runtime import memory
from pyclfft.runtime.cache import CacheCounts
from pyclfft.runtime.pool import block_size
from pyclfft.runtime.rooms import RoomPool

NBYTES = 1000
SIZE = block_size(NBYTES)


def event(status):
    return SimpleNamespace(command_execution_status=status)


QUEUE = SimpleNamespace(flush=lambda: None)
PENDING, COMPLETE, FAILED = event(3), event(0), event(-5)


@pytest.fixture
def pool(monkeypatch):
    monkeypatch.setattr(memory, "allocate", lambda context, size: SimpleNamespace(size=size))
    return RoomPool(3 * SIZE)


def test_a_room_is_used_again(pool):
    room = pool.take("context", NBYTES)
    assert room.events == ()
    pool.give_back(room, QUEUE, PENDING)
    again = pool.take("context", NBYTES - 3)  # of the same size, rounded up
    assert again.buffer is room.buffer
    assert again.events == (PENDING,)
    assert pool.counts() == CacheCounts(1, 1, 3 * SIZE, 0)


@pytest.mark.parametrize("over", [COMPLETE, FAILED])
def test_what_is_over_is_not_waited_for(pool, over):
    pool.give_back(pool.take("context", NBYTES), QUEUE, over)
    assert pool.take("context", NBYTES).events == ()


def test_a_room_belongs_to_one_call(pool):
    first, second = (pool.take("context", NBYTES) for _ in range(2))
    assert first.buffer is not second.buffer


def test_other_sizes_and_contexts_get_other_rooms(pool):
    room = pool.take("context", NBYTES)
    pool.give_back(room, QUEUE, COMPLETE)
    assert pool.take("another", NBYTES).buffer is not room.buffer
    assert pool.take("context", 2 * NBYTES).buffer is not room.buffer
    assert pool.take("context", NBYTES).buffer is room.buffer


def test_idle_bytes_are_bounded(pool):
    taken = [pool.take("context", NBYTES) for _ in range(5)]
    for room in taken:
        pool.give_back(room, QUEUE, COMPLETE)
    assert pool.counts().size == 3 * SIZE
    kept = [pool.take("context", NBYTES).buffer for _ in range(3)]
    assert kept == [each.buffer for each in reversed(taken[2:])]
    pool.give_back(pool.take("context", 10 * NBYTES), QUEUE, COMPLETE)  # larger than the bound
    assert pool.counts().size == 0


def test_clear(pool):
    pool.give_back(pool.take("context", NBYTES), QUEUE, COMPLETE)
    pool.clear()
    assert pool.counts() == CacheCounts(0, 0, 3 * SIZE, 0)


def test_a_full_device_frees_idle_rooms(pool, monkeypatch):
    pool.give_back(pool.take("context", NBYTES), QUEUE, COMPLETE)

    def allocate(context, size):
        if pool.counts().size:
            raise DeviceMemoryError("full")
        return SimpleNamespace(size=size)

    monkeypatch.setattr(memory, "allocate", allocate)
    assert pool.take("context", 2 * NBYTES).buffer.size == block_size(2 * NBYTES)
    monkeypatch.setattr(memory, "allocate", lambda *_: (_ for _ in ()).throw(DeviceMemoryError()))
    with pytest.raises(DeviceMemoryError):
        pool.take("context", NBYTES)
