"""Memory of large results in host memory, used again once nobody refers to it.

Fresh memory of the operating system is zeroed page by page as it is first touched, which takes
longer than a transform that fills it. So the last blocks that were handed out are remembered, and
one to which nothing but the pool refers is handed out again.

An array, and every view of it, refers to the block that it lies in. Counting references says
whether anybody is left, so there is no finalizer: nothing happens when an array is dropped.
"""

from __future__ import annotations

import os
import sys
import threading

import numpy as np

from .cache import CacheCounts, registered

ALIGNMENT = 128  # bytes: whole vectors can be stored past the caches, and no line is shared
MIN_BYTES = 2**20  # of a result: the C library itself keeps smaller memory
MAX_BYTES = 256 * 2**20
PATIENCE = 0.01  # seconds
STEPS = 8  # block sizes in a doubling: at most an eighth of a block is left over


class ResultPool:
    """Blocks of memory for results, the last ones handed out.

    Parameters
    ----------
    max_bytes : int
        Of the blocks remembered, of which in the worst case none is in use. The one that was handed
        out least recently is forgotten first, and freed when its users drop it.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._blocks: list[np.ndarray] = []  # the last one handed out at the end
        self._hits = self._misses = 0
        self.forget_threads()

    def forget_threads(self) -> None:
        """Begin anew in a process that has been forked: another thread may have held the lock."""
        self._lock = threading.Lock()

    def take(self, nbytes: int) -> np.ndarray:
        """Return a block that nobody else sees, of so many bytes and ALIGNMENT more at least.

        It is given to nobody else as long as anything refers to it, as every view of it does.
        """
        size = block_size(nbytes)
        # A finalizer or a signal's handler may come here in the midst of this very function. It
        # cannot wait for itself, and does without.
        if size > self._max_bytes or not _COUNTS or not self._lock.acquire(timeout=PATIENCE):
            return np.empty(size, np.uint8)
        try:
            block = self._unused(size)
            self._remember(block)
            return block
        finally:
            self._lock.release()

    def _unused(self, size: int) -> np.ndarray:
        for position in reversed(range(len(self._blocks))):  # its memory is likely in a cache
            fits = self._blocks[position].nbytes == size
            if fits and _references(self._blocks, position) == _UNUSED:
                self._hits += 1
                return self._blocks.pop(position)
        self._misses += 1
        return np.empty(size, np.uint8)

    def _remember(self, block: np.ndarray) -> None:
        total = block.nbytes + sum(each.nbytes for each in self._blocks)
        while total > self._max_bytes:
            total -= self._blocks.pop(0).nbytes
        self._blocks.append(block)

    def clear(self) -> None:
        """Free what nobody uses, forget the rest and start counting anew."""
        with self._lock:
            self._blocks.clear()
            self._hits = self._misses = 0

    def counts(self) -> CacheCounts:
        """Return hits, misses, the bound in bytes, and the bytes that nobody uses."""
        with self._lock:
            unused = sum(
                self._blocks[position].nbytes
                for position in range(len(self._blocks))
                if _references(self._blocks, position) == _UNUSED
            )
            return CacheCounts(self._hits, self._misses, self._max_bytes, unused)


def block_size(nbytes: int) -> int:
    """Round up, so that arrays of nearly the same size share blocks; then add ALIGNMENT."""
    step = max(1, (1 << nbytes.bit_length() - 1) // STEPS)
    return -(-nbytes // step) * step + ALIGNMENT


def _references(blocks: list[np.ndarray], position: int) -> int:
    return sys.getrefcount(blocks[position])


_UNUSED = _references([np.empty(1, np.uint8)], 0)  # by a list, and by who asks
# Without the interpreter's lock, other threads change counts while they are read.
_COUNTS: bool = getattr(sys, "_is_gil_enabled", lambda: True)()

results = registered("results", ResultPool(MAX_BYTES))
if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=results.forget_threads)
