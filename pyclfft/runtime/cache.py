"""Bounded caches, safe for threads; and the register of all caches, which counts and clears them.

A module that makes a cache registers it there and then, by `registered`. A cache may have another
one in front of it, which is asked first and answers sooner: `in_front`, `remembers_latest`.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from functools import lru_cache
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from .forks import require_own_process

Value = TypeVar("Value")


class CacheCounts(NamedTuple):
    """The state of one cache: the numbers that `functools.lru_cache` counts, too.

    See Also
    --------
    pyclfft.cache_info : Return the state of all caches.
    pyclfft.CacheInfo : The state of all caches, by their names.
    """

    hits: int
    misses: int
    max_size: int
    size: int


class Cache(Protocol):
    """The methods that the register needs of a cache."""

    def counts(self) -> CacheCounts:
        """Return hits, misses, the bound and the size."""

    def clear(self) -> None:
        """Forget every value and start counting anew."""


class BoundedCache(Generic[Value]):
    """A cache of values by key, which forgets the least recently used value when it is full.

    If two threads ask for one missing key, one makes the value and the other waits for it. Threads
    that ask for other keys do not wait.

    Parameters
    ----------
    max_size : int
        How many values to keep at most.
    """

    def __init__(self, max_size: int) -> None:
        self._max_size = max_size
        # While a value is made, its entry is a Future; then it is a tuple that holds the value,
        # since a tuple is read sooner.
        self._entries: OrderedDict[Hashable, Future[Value] | tuple[Value]] = OrderedDict()
        self._lock = threading.Lock()
        self._hits = self._misses = 0

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key, which `make` makes now if it is missing.

        If `make` raises an exception, every thread that waits for the value gets it, and nothing is
        kept.

        Raises
        ------
        DeviceError
            This process was forked from one that has used OpenCL, where another thread may have
            held the lock, or have been making the value.
        """
        require_own_process()
        making: Future[Value] | None = None
        try:  # an interrupt may come at any line, and must not leave an entry that nobody makes
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
        """Keep a value that has been made; for None, forget the attempt to make it."""
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


# ---------------------------------------------------------------- the register

AnyCache = TypeVar("AnyCache", bound=Cache)

# The caches of each name: the one that was registered, and then those in front of it.
_register: dict[str, list[Cache]] = {}


def registered(name: str, cache: AnyCache) -> AnyCache:
    """Enter a cache in the register.

    Parameters
    ----------
    name : str
        A name that no other cache has. `pyclfft.CacheInfo` shows the caches after which its fields
        are named; `pyclfft.clear_cache` empties every registered cache.
    cache : Cache
        The cache, which lives as long as the process.

    Returns
    -------
    Cache
        The cache itself.

    Raises
    ------
    ValueError
        Another cache has the name.
    """
    if name in _register:
        raise ValueError(f"two caches are called {name!r}")
    _register[name] = [cache]
    return cache


def in_front(name: str, cache: AnyCache) -> AnyCache:
    """Enter a cache that is asked before a registered one: its hits count as the other's.

    Parameters
    ----------
    name : str
        The name of the registered cache.
    cache : Cache
        The cache that is asked first.

    Returns
    -------
    Cache
        The cache that is asked first.
    """
    _register[name].append(cache)
    return cache


class _Latest:
    """The cache of a function that `functools.lru_cache` has decorated."""

    def __init__(self, function: Any) -> None:
        self._function = function

    def counts(self) -> CacheCounts:
        return CacheCounts(*self._function.cache_info())

    def clear(self) -> None:
        self._function.cache_clear()


def remembers_latest(
    name: str, max_size: int, typed: bool = False
) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Decorate a function that asks a registered cache, so that it remembers its latest answers.

    It is `functools.lru_cache`, which is written in C and answers sooner than the registered cache.

    Parameters
    ----------
    name : str
        The name of the registered cache.
    max_size : int
        The number of answers to remember.
    typed : bool
        Arguments that are equal, but of different types, have answers of their own: 2 and 2.0.

    Returns
    -------
    callable
        The decorator.
    """

    def decorate(function: Callable[..., Value]) -> Callable[..., Value]:
        remembering = lru_cache(max_size, typed)(function)
        in_front(name, _Latest(remembering))
        return remembering

    return decorate


def counts_of(name: str) -> CacheCounts:
    """Return the state of a registered cache, with the hits of the caches in front of it.

    Parameters
    ----------
    name : str
        The name of the registered cache.

    Returns
    -------
    CacheCounts
    """
    cache, *fronts = _register[name]
    counts = cache.counts()
    return counts._replace(hits=counts.hits + sum(front.counts().hits for front in fronts))


def clear(*names: str) -> None:
    """Empty registered caches, and the caches in front of them.

    Parameters
    ----------
    *names : str
        The names of the registered caches; without any name, all of them are emptied.
    """
    for name in names or tuple(_register):
        for cache in _register[name]:
            cache.clear()
