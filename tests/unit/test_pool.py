"""Memory of results: used again when nobody sees it, and never before."""

from __future__ import annotations

import contextlib
import copy
import ctypes
import gc
import linecache
import os
import pickle
import subprocess
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout

import numpy as np
import pytest

from pyclfft.runtime import memory
from pyclfft.runtime import pool as pool_module
from pyclfft.runtime.cache import CacheCounts
from pyclfft.runtime.pool import ALIGNMENT, ResultPool, block_size

NBYTES = 1000
BLOCK = block_size(NBYTES)
REMEMBERED = 4


@pytest.fixture
def pool():
    return ResultPool(REMEMBERED * BLOCK)


def address(array):
    return array.__array_interface__["data"][0]


def addresses(pool, count, nbytes=NBYTES):
    """Of blocks that are taken together, and dropped."""
    blocks = [pool.take(nbytes) for _ in range(count)]
    return [address(block) for block in blocks]


def in_a_cycle(array):
    held = [array]
    held.append(held)
    return held


HOLDS = {
    "the array": lambda array: array,
    "one element": lambda array: array[5:6],
    "no element": lambda array: array[:0],
    "a view of a view": lambda array: array[:1000:2].reshape(-1, 2).T,
    "another dtype": lambda array: array[:992].view("c16").real,
    "a subclass": lambda array: array.view(np.recarray),
    "a view of a subclass": lambda array: array.view(np.recarray)[3:],
    "a memoryview": memoryview,
    "an array of a memoryview": lambda array: np.asarray(memoryview(array)),
    "an array of its bytes": lambda array: np.frombuffer(array, "u2"),
    "an iterator": iter,
    "a pointer": lambda array: array.ctypes.data_as(ctypes.c_void_p),
    "dlpack": np.from_dlpack,
    "its base": lambda array: array[2:].base,
    "a cycle": in_a_cycle,
}


@pytest.mark.parametrize("name", HOLDS)
def test_what_anybody_sees_is_not_handed_out(pool, name):
    block = pool.take(NBYTES)
    begin = address(block)
    held = HOLDS[name](block)
    del block
    assert begin not in addresses(pool, 2) + addresses(pool, 2)
    del held
    gc.collect()
    assert begin in addresses(pool, 3)


def test_counts(pool):
    block = pool.take(NBYTES)
    begin = address(block)
    assert pool.counts() == CacheCounts(0, 1, REMEMBERED * BLOCK, 0)
    del block
    assert pool.counts() == CacheCounts(0, 1, REMEMBERED * BLOCK, BLOCK)
    again = pool.take(NBYTES)
    assert pool.counts() == CacheCounts(1, 1, REMEMBERED * BLOCK, 0)
    assert address(again) == begin


@pytest.mark.parametrize("nbytes", [1, 2, 7, 8, 9, 1000, 1024, 1025, 2**20, 2**25 - 1, 2**25 + 1])
def test_sizes_are_rounded_up_a_little(nbytes):
    assert nbytes <= block_size(nbytes) - ALIGNMENT <= nbytes * 9 / 8
    assert block_size(block_size(nbytes) - ALIGNMENT) == block_size(nbytes)


def test_nearly_equal_sizes_share_blocks(pool):
    sizes = [block_size(nbytes) for nbytes in range(2**20 + 1, 2**21 + 1)]
    assert len(set(sizes)) == pool_module.STEPS
    assert addresses(pool, 1, NBYTES) == addresses(pool, 1, NBYTES - 9)
    assert addresses(pool, 1, NBYTES // 2) != addresses(pool, 1, NBYTES)


def test_idle_blocks_stay_within_the_bound(pool):
    addresses(pool, 3 * REMEMBERED)
    assert pool.counts().size == REMEMBERED * BLOCK
    addresses(pool, 1, 2 * NBYTES)
    assert pool.counts().size <= REMEMBERED * BLOCK


def test_the_least_recently_used_is_freed_first(pool):
    blocks = [pool.take(NBYTES) for _ in range(REMEMBERED)]
    places = [address(block) for block in blocks]
    blocks[0] = None
    blocks.append(pool.take(NBYTES))  # where the first one was, which is now the last one used
    watched = [weakref.ref(block) for block in blocks[1:]]
    del blocks
    other = pool.take(NBYTES // 2)
    assert [each() is None for each in watched] == [True, False, False, False]
    del other
    assert sorted(addresses(pool, 3)) == sorted([places[0], *places[2:]])


def test_the_most_recently_used_is_handed_out_first(pool):
    blocks = [pool.take(NBYTES) for _ in range(3)]
    last = address(blocks[-1])
    del blocks
    assert addresses(pool, 1) == [last]


def test_more_than_the_bound_is_never_held(pool):
    block = pool.take(REMEMBERED * BLOCK + 1)
    watched = weakref.ref(block)
    del block
    assert watched() is None
    assert pool.counts().size == 0


def test_clear_frees_what_nobody_uses(pool):
    used, unused = pool.take(NBYTES), pool.take(NBYTES)
    used[...] = 1
    watched = weakref.ref(unused)
    del unused
    assert watched() is not None
    pool.clear()
    assert watched() is None
    assert pool.counts() == CacheCounts(0, 0, REMEMBERED * BLOCK, 0)
    pool.take(NBYTES)[...] = 2
    assert (used == 1).all()


def test_threads_do_not_write_over_each_other(pool):
    def work(number):
        held = []
        for _ in range(300):
            block = pool.take(NBYTES)
            block[...] = number
            held = [*held[-2:], block[::7]]
            assert all((each == number).all() for each in held)
        return True

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(work, range(8)))
    counts = pool.counts()
    assert counts.hits + counts.misses <= 8 * 300
    assert counts.hits > 0


class Reentered(ResultPool):
    """A pool in whose midst the same thread calls a function, as a finalizer may at any time."""

    @staticmethod
    def within():
        """Do nothing, unless a test says otherwise."""

    def _unused(self, size):
        block = super()._unused(size)
        self.answer = self.within()
        return block


def test_a_call_in_the_midst_of_another_takes_fresh_memory():
    pool = Reentered(REMEMBERED * BLOCK)
    pool.within = lambda: pool.take(NBYTES)
    block = pool.take(NBYTES)
    assert pool.answer.nbytes == BLOCK
    assert not np.shares_memory(block, pool.answer)
    assert pool.counts().misses == 1  # only the outer call has asked the pool


@pytest.mark.parametrize("method", ["clear", "counts"])
def test_every_method_may_be_called_in_the_midst_of_another(method):
    pool = Reentered(REMEMBERED * BLOCK)
    addresses(pool, REMEMBERED)
    pool.within = getattr(pool, method)
    block = pool.take(NBYTES)
    block[...] = 1
    pool.within = pool.counts
    other = pool.take(NBYTES)
    other[...] = 2
    assert (block == 1).all()
    assert pool.answer.size == (0 if method == "clear" else (REMEMBERED - 2) * BLOCK)


def test_another_thread_waits_for_its_turn(pool):
    with pool._lock, ThreadPoolExecutor(1) as threads:
        taken = threads.submit(pool.take, NBYTES)
        with pytest.raises(FutureTimeout):
            taken.result(0.05)
        pool._lock.release()
        assert taken.result(5).nbytes == BLOCK
        pool._lock.acquire()
    assert pool.counts().misses == 1


@pytest.mark.parametrize("line", range(1, 30))
def test_an_interrupt_at_any_line_leaves_a_pool_that_others_can_use(pool, line):
    """Control-C may come anywhere; the lock and the flag are free afterwards."""
    seen = 0

    def interrupt(frame, event, argument):
        nonlocal seen
        if frame.f_code.co_filename != pool_module.__file__:
            return None
        source = linecache.getline(pool_module.__file__, frame.f_lineno)
        # Between a block's last line and its end Python handles no signal, though it traces lines.
        at_an_end = "with self._lock" in source or "self._is_busy = False" in source
        if event == "line" and not (at_an_end and pool._lock._is_owned()):
            seen += 1
            if seen == line:
                raise KeyboardInterrupt
        return interrupt

    pool.take(NBYTES)
    before = sys.gettrace()
    sys.settrace(interrupt)
    try:
        with contextlib.suppress(KeyboardInterrupt):
            pool.take(NBYTES)
    finally:
        sys.settrace(before)
    counted = []
    for _ in range(2):  # in threads, since this one may pass a lock that it has kept by mistake
        thread = threading.Thread(target=lambda: counted.append(pool.counts()), daemon=True)
        thread.start()
        thread.join(5)
        pool.take(NBYTES)
    assert len(counted) == 2
    assert sum(counted[1][:2]) == sum(counted[0][:2]) + 1  # the pool was asked in between


def test_without_exact_counts_of_references(pool, monkeypatch):
    monkeypatch.setattr(pool_module, "_COUNTS", False)
    block = pool.take(NBYTES)
    watched = weakref.ref(block)
    del block
    assert watched() is None


FORK = """
import os
from pyclfft.runtime.pool import results
results.take(2**20)
results._lock.acquire()  # as another thread might while this one forks
child = os.fork()
if not child:
    results.take(2**20)
    os._exit(results.counts().hits)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_goes_on():
    run = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, timeout=300)
    assert run.stdout == "1\n", run.stderr


# --- results --------------------------------------------------------------------------------------

SHAPE, DTYPE = (3, 2**18), np.dtype("c8")


@pytest.fixture
def result():
    array = memory.empty(SHAPE, DTYPE)
    array[...] = np.arange(array.size).reshape(SHAPE)
    return array


def test_large_results_are_pooled_and_small_ones_are_not():
    pool_module.results.clear()
    for nbytes in (pool_module.MIN_BYTES - 1, pool_module.MIN_BYTES):
        array = memory.empty((nbytes,), np.dtype(np.uint8))
        assert address(array) % ALIGNMENT == 0
        assert array.nbytes == nbytes
    del array
    counts = pool_module.results.counts()
    assert (counts.misses, counts.size) == (1, block_size(pool_module.MIN_BYTES))


def pickled(array):
    return pickle.loads(pickle.dumps(array))


@pytest.mark.parametrize("another", [copy.copy, copy.deepcopy, np.copy, pickled])
def test_copies_are_arrays_of_their_own(result, another):
    expected = np.arange(result.size).reshape(SHAPE)
    made = another(result)
    assert not np.shares_memory(made, result)
    result[...] = -1
    np.testing.assert_array_equal(made, expected)


def test_flags_are_those_of_arrays(result):
    assert result.flags.writeable
    assert result.flags.c_contiguous
    assert result.flags.aligned
    result.flags.writeable = False
    result.flags.writeable = True
    with pytest.raises(ValueError, match="own its data"):  # the one thing that differs
        result.resize((1, 5))
