"""The bounded cache: counts, eviction, exceptions, threads."""

from __future__ import annotations

import contextlib
import linecache
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import pyclfft
from pyclfft.runtime import cache as cache_module
from pyclfft.runtime.cache import BoundedCache, CacheCounts

TIMEOUT = 180  # seconds until a hanging test gives up


@pytest.fixture
def cache():
    return BoundedCache(3)


def unexpected():
    raise AssertionError("made again")


def test_makes_once(cache):
    assert cache.get("key", lambda: 1) == 1
    assert cache.get("key", unexpected) == 1
    assert cache.counts() == CacheCounts(hits=1, misses=1, max_size=3, size=1)


def test_keeps_none_too(cache):
    assert cache.get("key", lambda: None) is None
    assert cache.get("key", unexpected) is None


def test_the_least_recently_used_goes(cache):
    for key in "abc":
        cache.get(key, lambda: 0)
    cache.get("a", unexpected)
    cache.get("d", lambda: 0)
    for key in "acd":
        cache.get(key, unexpected)
    assert cache.get("b", lambda: "again") == "again"
    assert cache.counts().size == 3


def test_clear(cache):
    cache.get("key", lambda: 1)
    cache.clear()
    assert cache.counts() == CacheCounts(0, 0, 3, 0)
    assert cache.get("key", lambda: 2) == 2


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt()])
def test_an_exception_is_not_kept(cache, error):
    def fail():
        raise error

    with pytest.raises(type(error)) as raised:
        cache.get("key", fail)
    assert raised.value is error
    assert cache.counts().size == 0
    assert cache.get("key", lambda: 1) == 1


class Maker:
    """Makes a value when told to."""

    def __init__(self, value):
        self.value = value
        self.calls = 0
        self.begun, self.go = threading.Event(), threading.Event()

    def __call__(self):
        self.calls += 1
        self.begun.set()
        assert self.go.wait(TIMEOUT)
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


def wait_for_hits(cache, hits):
    """Until so many threads wait for what another makes."""
    give_up = threading.Event()
    timer = threading.Timer(TIMEOUT, give_up.set)
    timer.start()
    while cache.counts().hits < hits and not give_up.is_set():
        give_up.wait(0.001)
    timer.cancel()
    assert cache.counts().hits == hits


@pytest.mark.parametrize("value", ["made", RuntimeError("not made")])
def test_threads_share_one_making(cache, value):
    maker = Maker(value)
    with ThreadPoolExecutor(8) as pool:
        results = [pool.submit(cache.get, "key", maker) for _ in range(8)]
        wait_for_hits(cache, 7)
        maker.go.set()
        if isinstance(value, Exception):
            assert [each.exception(TIMEOUT) for each in results] == [value] * 8
        else:
            assert [each.result(TIMEOUT) for each in results] == [value] * 8
    assert maker.calls == 1


def test_other_keys_are_not_held_up(cache):
    slow = Maker("slow")
    with ThreadPoolExecutor(1) as pool:
        result = pool.submit(cache.get, "slow", slow)
        assert slow.begun.wait(TIMEOUT)
        assert cache.get("fast", lambda: "fast") == "fast"
        assert not result.done()
        slow.go.set()
        assert result.result(TIMEOUT) == "slow"


@pytest.mark.parametrize("forget", ["evict", "clear"])
@pytest.mark.parametrize("value", ["made", RuntimeError("not made")])
def test_forgotten_while_it_is_made(cache, forget, value):
    """Who waits still gets it; a newer value of the same key is left alone."""
    maker = Maker(value)
    with ThreadPoolExecutor(1) as pool:
        result = pool.submit(cache.get, "key", maker)
        assert maker.begun.wait(TIMEOUT)
        if forget == "clear":
            cache.clear()
        else:
            for other in "abc":
                cache.get(other, lambda: 0)
        assert cache.get("key", lambda: "newer") == "newer"
        maker.go.set()
        assert (result.exception(TIMEOUT) or result.result()) == value
    assert cache.get("key", unexpected) == "newer"


def test_many_threads_and_keys():
    cache = BoundedCache(4)

    def work(seed):
        return all(cache.get(key, lambda: key * key) == key * key  # noqa: B023
                   for key in ((seed * i) % 11 for i in range(500)))  # fmt: skip

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(work, range(1, 17)))
    counts = cache.counts()
    assert counts.size <= 4
    assert counts.hits + counts.misses == 16 * 500


@pytest.mark.parametrize("line", range(1, 40))
def test_an_interrupt_at_any_line_leaves_nothing_that_others_wait_for(line):
    """As Control-C has it: nobody makes what was to be made."""
    cache, seen = BoundedCache(4), 0

    def interrupt(frame, event, argument):
        nonlocal seen
        if frame.f_code.co_filename != cache_module.__file__:
            return None
        source = linecache.getline(cache_module.__file__, frame.f_lineno)
        # Between a block's last line and its end no signal is handled, though it is traced.
        if event == "line" and not ("with self._lock" in source and cache._lock.locked()):
            seen += 1
            if seen == line:
                raise KeyboardInterrupt
        return interrupt

    before = sys.gettrace()
    sys.settrace(interrupt)
    try:
        with contextlib.suppress(KeyboardInterrupt):
            cache.get("key", lambda: "value")
    finally:
        sys.settrace(before)
    found = []
    next_one = threading.Thread(
        target=lambda: found.append(cache.get("key", lambda: "value")), daemon=True
    )
    next_one.start()
    next_one.join(5)
    assert found == ["value"]


# --- the register ---------------------------------------------------------------------------------


@pytest.fixture
def register(monkeypatch):
    monkeypatch.setattr(cache_module, "_register", {})


def test_a_registered_cache_is_counted_and_cleared(register, cache):
    assert cache_module.registered("mine", cache) is cache
    cache.get("key", lambda: 1)
    assert cache_module.counts_of("mine") == CacheCounts(0, 1, 3, 1)
    cache_module.clear()
    assert cache_module.counts_of("mine") == CacheCounts(0, 0, 3, 0)


def test_two_caches_cannot_have_one_name(register, cache):
    cache_module.registered("mine", cache)
    with pytest.raises(ValueError, match="two caches are called 'mine'"):
        cache_module.registered("mine", BoundedCache(1))


def test_hits_in_front_count_as_those_of_the_cache_behind(register, cache):
    cache_module.registered("mine", cache)
    front = cache_module.in_front("mine", BoundedCache(2))

    @cache_module.remembers_latest("mine", 1)
    def found(key):
        return front.get(key, lambda: cache.get(key, lambda: [key]))

    one, other = found("a"), found("b")
    assert found("b") is other  # by the function
    assert found("a") is one  # by the cache in front
    assert cache.get("a", unexpected) is one
    assert cache_module.counts_of("mine") == CacheCounts(hits=3, misses=2, max_size=3, size=2)
    cache_module.clear("mine")
    assert cache_module.counts_of("mine") == CacheCounts(0, 0, 3, 0)
    assert found("a") is not one


@pytest.mark.parametrize(("typed", "answer"), [(False, "int"), (True, "float")])
def test_equal_arguments_of_different_types(register, cache, typed, answer):
    cache_module.registered("mine", cache)

    @cache_module.remembers_latest("mine", 2, typed=typed)
    def found(*key):
        return type(key[0]).__name__

    assert found(2, 3) == "int"
    assert found(2.0, 3) == answer


def test_caches_are_cleared_by_name(register, cache):
    other = cache_module.registered("other", BoundedCache(1))
    cache_module.registered("mine", cache)
    for each in (cache, other):
        each.get("key", lambda: 1)
    cache_module.clear("other")
    assert (cache.counts().size, other.counts().size) == (1, 0)


def test_every_registered_cache_is_shown():
    """Only the plans of `fht` are not: `clear_cache` empties them, and nothing counts them."""
    assert set(cache_module._register) - {"hankel"} == set(pyclfft.CacheInfo._fields)
