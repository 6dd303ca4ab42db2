"""Steps that overlap: a thread computes items ahead of their use; the order of items stays."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Item = TypeVar("Item")

# `warnings.catch_warnings` changes what all threads share: two contexts in two threads, of which
# none lies within the other, would leave the filters of one behind. So threads hold this lock.
warnings_lock = threading.RLock()

_END: Any = object()


def ahead(items: Iterator[Item], count: int = 2) -> Iterator[Item]:
    """Yield the items of an iterator, which a thread computes ahead of their use.

    Parameters
    ----------
    items : iterator
        The iterator. Only the thread uses it, one item after the other.
    count : int
        How many items are computed ahead, at most.

    Yields
    ------
    object
        The items in their order. If the iterator raises an exception, it is raised here where the
        item would come.

    Examples
    --------
    >>> from pyclfft.overlap import ahead
    >>> list(ahead(iter("abc")))
    ['a', 'b', 'c']
    """
    with ThreadPoolExecutor(1) as thread:
        try:
            waiting = deque(thread.submit(next, items, _END) for _ in range(count))
            while (item := waiting.popleft().result()) is not _END:
                waiting.append(thread.submit(next, items, _END))
                yield item
        finally:
            thread.shutdown(cancel_futures=True)
