"""SciPy's number of workers, which is checked and remembered as in SciPy and has no effect here."""

from __future__ import annotations

import operator
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class _Default(threading.local):
    """The number that `set_workers` has set in one thread."""

    def __init__(self) -> None:
        self.workers = 1


_default = _Default()


def get_workers() -> int:
    """Return the default number of workers of the current thread.

    Returns
    -------
    int
        The number that `set_workers` has set; 1 outside of its ``with`` blocks.

    See Also
    --------
    set_workers : Set the number.

    Notes
    -----
    This function serves programs that were written for scipy.fft. The number has no effect:
    transforms use all compute units of the device.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.get_workers()
    1
    """
    return _default.workers


@contextmanager
def set_workers(workers: int) -> Iterator[None]:
    """Set the default number of workers of the current thread while a ``with`` block runs.

    Parameters
    ----------
    workers : int
        The number of workers. -1 stands for all cores of the host, -2 for all but one, and so on.

    Returns
    -------
    context manager
        A context manager that, at its end, restores the number that was set before.

    Raises
    ------
    TypeError
        `workers` is not an integer. Both errors are raised when the block is entered.
    ValueError
        `workers` is 0, or below minus the number of cores.

    See Also
    --------
    get_workers : Return the number.

    Notes
    -----
    This function serves programs that were written for scipy.fft. The number has no effect:
    transforms use all compute units of the device. The how-to guide to devices says how to leave
    cores of a CPU to other programs.

    Examples
    --------
    >>> import pyclfft
    >>> with pyclfft.set_workers(4):
    ...     print(pyclfft.get_workers())
    4
    """
    before = _default.workers
    _default.workers = count_of(operator.index(workers))
    try:
        yield
    finally:
        _default.workers = before


def count_of(workers: int) -> int:
    """Return how many workers a number stands for: -1 for all cores, -2 for all but one.

    Raises
    ------
    ValueError
        `workers` is 0, or below minus the number of cores. The message is SciPy's.
    """
    cores = os.cpu_count() or 1
    if workers < -cores:
        raise ValueError(
            f"workers value out of range; got {workers}, must not be less than {-cores}"
        )
    if workers == 0:
        raise ValueError("workers must not be zero")
    return workers if workers > 0 else workers + 1 + cores
