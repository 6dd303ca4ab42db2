"""How much of a device's memory one call may take."""

from __future__ import annotations

import operator
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from ..errors import PlanError

VARIABLE = "PYCLFFT_MAX_DEVICE_BYTES"


class _Limits(threading.local):
    """The limits that one thread has set, the current one last."""

    def __init__(self) -> None:
        self.set: list[int | None] = []


_limits = _Limits()


def max_device_bytes() -> int | None:
    """Return the limit of the current thread, or None if there is none.

    Raises
    ------
    PlanError
        The environment variable for the limit is no positive number.
    """
    return _limits.set[-1] if _limits.set else _of_environment()


@cache
def _of_environment() -> int | None:
    text = os.environ.get(VARIABLE)
    if not text:
        return None
    if not text.isdecimal() or not int(text):
        raise PlanError(
            f"the environment variable {VARIABLE} is a positive number of bytes, not {text!r}"
        )
    return int(text)


@contextmanager
def limit_device_memory(max_device_bytes: int | None) -> Iterator[None]:
    """Limit how much of the device's memory a call takes while a ``with`` block runs.

    A call on host arrays that needs more than this goes through the device in pieces, whose
    uploads, kernels and downloads overlap. Without a limit, only arrays that do not fit the device
    do so.

    Parameters
    ----------
    max_device_bytes : int or None
        How many bytes the buffers of one call may have on the device in all: input, result and
        workspace. None removes the limit.

    Returns
    -------
    context manager
        A context manager that, at its end, restores the limit that was set before. The limit holds
        in the current thread.

    Raises
    ------
    PlanError
        A ValueError: the number is not positive. The error is raised when the block is entered.
    TypeError
        `max_device_bytes` is no integer.

    See Also
    --------
    transform_in_pieces : Transform files and arrays of other libraries, into a given array.

    Notes
    -----
    The environment variable PYCLFFT_MAX_DEVICE_BYTES sets the limit with which every thread begins.
    The functions of scipy.fft have no parameter for a limit, so it is a setting, as the number of
    workers is in `set_workers`.

    Examples
    --------
    >>> import numpy as np
    >>> import pyclfft
    >>> x = np.ones((64, 4096), "complex64")
    >>> with pyclfft.limit_device_memory(2**20):
    ...     spectrum = pyclfft.fft(x)
    >>> spectrum[0, :2].real
    array([4096.,    0.], dtype=float32)
    """
    _limits.set.append(None if max_device_bytes is None else checked(max_device_bytes))
    try:
        yield
    finally:
        _limits.set.pop()


def checked(max_device_bytes: int) -> int:
    """Return a limit that makes sense, or refuse it.

    Raises
    ------
    PlanError
        The limit is not positive.
    """
    limit = operator.index(max_device_bytes)
    if limit < 1:
        raise PlanError(f"max_device_bytes must be positive, not {limit}: None means no limit")
    return limit
