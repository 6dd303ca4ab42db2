"""A bounded cache: counted, clearable, safe for threads."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Generic, NamedTuple, TypeVar

Value = TypeVar("Value")


class CacheCounts(NamedTuple):
    """State of one cache, in the manner of `functools.lru_cache`."""

    hits: int
    misses: int
    max_size: int
    size: int


class BoundedCache(Generic[Value]):
    """Values by key; the one least recently used goes when there are too many.

    Two threads that ask for the same missing key wait for one making; threads with other keys are
    not held up by it.

    Parameters
    ----------
    max_size : int
        Most values to keep.
    """

    def __init__(self, max_size: int) -> None:
        self._max_size = max_size
        self._entries: OrderedDict[Hashable, Future[Value]] = OrderedDict()
        self._lock = threading.Lock()
        self._hits = self._misses = 0

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key, made now if it is missing.

        An exception of `make` reaches everyone who waits for it, and nothing is kept.
        """
        with self._lock:
            entry = self._entries.get(key)
            found = entry is not None
            if entry is None:
                entry = self._entries[key] = Future()
                self._misses += 1
                if len(self._entries) > self._max_size:
                    self._entries.popitem(last=False)
            else:
                self._entries.move_to_end(key)
                self._hits += 1
        if not found:
            self._fill(key, entry, make)
        return entry.result()

    def _fill(self, key: Hashable, entry: Future[Value], make: Callable[[], Value]) -> None:
        try:
            entry.set_result(make())
        except BaseException as error:
            with self._lock:
                if self._entries.get(key) is entry:
                    del self._entries[key]
            entry.set_exception(error)

    def clear(self) -> None:
        """Forget every value and start counting anew."""
        with self._lock:
            self._entries.clear()
            self._hits = self._misses = 0

    def counts(self) -> CacheCounts:
        """Return hits, misses, the bound and the number of values."""
        with self._lock:
            return CacheCounts(self._hits, self._misses, self._max_size, len(self._entries))
