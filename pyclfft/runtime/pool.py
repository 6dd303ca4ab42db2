"""Host memory of large results, which is used again once nobody refers to it.

The operating system zeroes fresh memory page by page as it is first touched, which takes longer
than a transform that fills it. So the pool remembers the last blocks that it has handed out. When
nothing but the pool refers to a block, the pool hands it out again.

An array, and every view of it, refers to the block that it lies in. The block's count of references
tells the pool whether an array is left. So there is no finalizer: nothing happens when an array is
dropped.
"""

from __future__ import annotations

import os
import sys
import threading

import numpy as np

from .cache import CacheCounts, registered

ALIGNMENT = 128  # bytes: whole vectors can be stored past the caches, and arrays share no line
MIN_BYTES = 2**20  # the smallest result that is pooled: the C library itself keeps smaller memory
MAX_BYTES = 256 * 2**20
STEPS = 8  # block sizes from each power of two to the next: an eighth of a block at most is unused


class ResultPool:
    """The blocks of memory for results that were handed out last.

    Parameters
    ----------
    max_bytes : int
        How many bytes the remembered blocks may have in all; in the worst case nobody uses any of
        them. The block that was handed out least recently is forgotten first. It is freed when its
        users drop it.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._blocks: list[np.ndarray] = []  # in the order in which they were handed out
        self._hits = self._misses = 0
        self.forget_threads()

    def forget_threads(self) -> None:
        """Make a new lock in a forked process: a thread that is gone may have held the old one."""
        # A finalizer or a signal handler may call a method while its own thread is inside one. It
        # could not wait for its own thread, so the lock lets it pass, and the flag tells it.
        self._lock = threading.RLock()
        self._is_busy = False

    def take(self, nbytes: int) -> np.ndarray:
        """Return a block of at least `nbytes` and ALIGNMENT bytes that nobody else uses.

        The pool gives it to nobody else as long as anything, such as a view, refers to it.
        """
        size = block_size(nbytes)
        if size <= self._max_bytes and _COUNTS:
            with self._lock:  # Control-C cannot come between this lock's acquisition and its block
                if not self._is_busy:
                    return self._pooled(size)
        return np.empty(size, np.uint8)

    def _pooled(self, size: int) -> np.ndarray:
        try:
            self._is_busy = True
            block = self._unused(size)
            if block is None:
                block = np.empty(size, np.uint8)
                self._make_room(size)
            self._blocks.append(block)
            return block
        finally:
            self._is_busy = False

    def _unused(self, size: int) -> np.ndarray | None:
        blocks = self._blocks
        for position in reversed(range(len(blocks))):  # late ones may still be in a cache
            fits = blocks[position].nbytes == size
            if fits and _references(blocks, position) == _UNUSED:
                self._hits += 1
                return blocks.pop(position)
        self._misses += 1
        return None

    def _make_room(self, nbytes: int) -> None:
        blocks = self._blocks
        total = nbytes + sum(each.nbytes for each in blocks)
        while total > self._max_bytes:
            total -= blocks.pop(0).nbytes

    def clear(self) -> None:
        """Free the blocks that nobody uses, forget the others, and start counting anew."""
        with self._lock:
            self._blocks = []  # a new list: this thread may be inside `take`, which uses the old
            self._hits = self._misses = 0

    def counts(self) -> CacheCounts:
        """Return hits, misses, the bound in bytes, and the bytes of blocks that nobody uses."""
        with self._lock:
            was_busy, blocks = self._is_busy, self._blocks
            try:
                self._is_busy = True
                unused = sum(
                    blocks[position].nbytes
                    for position in range(len(blocks))
                    if _references(blocks, position) == _UNUSED
                )
            finally:
                self._is_busy = was_busy
            return CacheCounts(self._hits, self._misses, self._max_bytes, unused)


def block_size(nbytes: int) -> int:
    """Return the size of a block for an array: rounded up, then ALIGNMENT more.

    Arrays of nearly the same size can so use the same blocks.
    """
    step = max(1, (1 << nbytes.bit_length() - 1) // STEPS)
    return -(-nbytes // step) * step + ALIGNMENT


def _references(blocks: list[np.ndarray], position: int) -> int:
    return sys.getrefcount(blocks[position])


# The references to a block that only the pool's list, and the function that counts, refer to.
_UNUSED = _references([np.empty(1, np.uint8)], 0)
# Without the interpreter's lock, other threads change counts while they are read: no block is
# pooled then.
_COUNTS: bool = getattr(sys, "_is_gil_enabled", lambda: True)()

results = registered("results", ResultPool(MAX_BYTES))
if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=results.forget_threads)
