"""Items computed ahead of their use."""

from __future__ import annotations

import threading

import pytest

from pyclfft.overlap import ahead


def test_items_come_in_order():
    assert list(ahead(iter(range(100)))) == list(range(100))
    assert list(ahead(iter(()))) == []


def test_items_are_computed_ahead():
    """While the first item is in use, the thread makes as many more as it may, and none beyond."""
    made = threading.Semaphore(0)
    numbers = []

    def items():
        for number in range(10):
            numbers.append(number)
            made.release()
            yield number

    results = ahead(items(), 3)
    assert next(results) == 0
    for _ in range(4):
        assert made.acquire(timeout=60)
    assert numbers == [0, 1, 2, 3]
    assert threading.current_thread() is threading.main_thread()
    assert list(results) == list(range(1, 10))


def test_an_error_comes_where_its_item_would():
    def items():
        yield 1
        raise ValueError("two")

    results = ahead(items())
    assert next(results) == 1
    with pytest.raises(ValueError, match="two"):
        next(results)


def test_who_stops_early_stops_the_thread():
    before = threading.active_count()
    results = ahead(iter(range(1000)))
    next(results)
    results.close()
    assert threading.active_count() == before
