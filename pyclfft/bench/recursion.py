"""The fast Fourier transform as it is taught: a recursion, where the ladder's report begins."""

from __future__ import annotations

from cmath import exp
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from math import cos, pi, sin
from typing import Any

import numpy as np

NAME = "recursive"
SIGNATURE = "complex64[::1](complex64[::1])"


@cache
def compiled_recursion() -> Callable[[np.ndarray], np.ndarray]:
    """Compile the recursion with Numba, which takes seconds the first time.

    It does what a simple C++ program would do. Each call copies the points of even and of odd
    indices to two new arrays, transforms both, and computes a cosine and a sine for every pair, all
    in single precision.

    Returns
    -------
    callable
        Takes a contiguous complex64 array of 2^k points and returns its transform.

    Raises
    ------
    ImportError
        If Numba is not installed.
    """
    numba: Any = import_module("numba")

    # With this error model Numba divides as C++ does; by default it checks for division by zero.
    @numba.njit(SIGNATURE, error_model="numpy")
    def transform(x: np.ndarray) -> np.ndarray:
        n = x.size
        if n == 1:
            return x
        half_n = n // 2
        even = np.empty(half_n, np.complex64)
        odd = np.empty(half_n, np.complex64)
        for k in range(half_n):
            even[k] = x[2 * k]
            odd[k] = x[2 * k + 1]
        even = transform(even)
        odd = transform(odd)
        result = np.empty(n, np.complex64)
        for k in range(half_n):
            angle = np.float32(-2 * pi * k / n)
            product = np.complex64(complex(cos(angle), sin(angle))) * odd[k]
            result[k] = even[k] + product
            result[k + half_n] = even[k] - product
        return result

    compiled: Callable[[np.ndarray], np.ndarray] = transform
    return compiled


def recursive_fft(x: Sequence[complex]) -> Sequence[complex]:
    """Transform 2^k points by transforming the even and the odd ones by themselves, in Python.

    Parameters
    ----------
    x : sequence of complex
        The points.

    Returns
    -------
    sequence of complex
        The transform, of as many points.

    References
    ----------
    J. W. Cooley, J. W. Tukey, "An algorithm for the machine calculation of complex Fourier
    series", Math. Comp. 19 (1965).
    """
    n = len(x)
    if n == 1:
        return x
    even, odd = recursive_fft(x[::2]), recursive_fft(x[1::2])
    pairs = [(a, exp(-2j * pi * k / n) * b) for k, (a, b) in enumerate(zip(even, odd, strict=True))]
    return [a + b for a, b in pairs] + [a - b for a, b in pairs]
