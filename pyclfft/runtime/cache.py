"""A bounded cache: counted, clearable, safe for threads."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Generic, NamedTuple, TypeVar

from .forks import require_own_process

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
        # A value that is being made, or alone in a tuple: that is read sooner than a Future.
        self._entries: OrderedDict[Hashable, Future[Value] | tuple[Value]] = OrderedDict()
        self._lock = threading.Lock()
        self._hits = self._misses = 0

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key, made now if it is missing.

        An exception of `make` reaches everyone who waits for it, and nothing is kept.

        Raises
        ------
        DeviceError
            This process was forked from one that has used OpenCL, where another thread may have
            held the lock, or have been making the value.
        """
        require_own_process()
        making: Future[Value] | None = None
        try:  # an interrupt may come at any line, and must not leave what nobody makes
            with self._lock:
                entry = self._entries.get(key)
                if entry is not None:
                    self._entries.move_to_end(key)
                    self._hits += 1
                else:
                    making = self._entries[key] = Future()
                    self._misses += 1
                    if len(self._entries) > self._max_size:
                        self._entries.popitem(last=False)
            if making is None:
                assert entry is not None
                return entry[0] if isinstance(entry, tuple) else entry.result()
            value = make()
            self._settle(key, making, (value,))
            making.set_result(value)
            return value
        except BaseException as error:
            if making is not None and not making.done():
                self._settle(key, making, None)
                making.set_exception(error)
            raise

    def _settle(self, key: Hashable, making: Future[Value], value: tuple[Value] | None) -> None:
        """Keep a value that has been made, or forget the attempt, unless that is done already."""
        with self._lock:
            if self._entries.get(key) is making:
                if value is None:
                    del self._entries[key]
                else:
                    self._entries[key] = value

    def clear(self) -> None:
        """Forget every value and start counting anew."""
        with self._lock:
            self._entries.clear()
            self._hits = self._misses = 0

    def counts(self) -> CacheCounts:
        """Return hits, misses, the bound and the number of values."""
        with self._lock:
            return CacheCounts(self._hits, self._misses, self._max_size, len(self._entries))
