"""Roots of unity and chirps, which the host computes in more precision than it stores them in."""

from __future__ import annotations

from math import isqrt

import numpy as np

from .precision import COMPLEX_DTYPE

# The types in which roots are computed before they are rounded. NumPy's longest float has 64 bits
# of mantissa on x86, and at least the 53 bits of float64 elsewhere.
WORKING_DTYPE: dict[str, np.dtype] = {
    "single": np.dtype(np.complex128),
    "double": np.dtype(np.clongdouble),
}
MANY = 2**12  # roots from which on products of two short tables are quicker than cosines and sines
TOGETHER = 2**13  # products that are computed at a time, so that every step finds them in the cache


def roots_of_unity(
    n: int, precision: str, powers: np.ndarray | None = None, dtype: np.dtype | None = None
) -> np.ndarray:
    """Return the roots exp(-2 pi i k / n), each rounded once.

    For single precision, the roots are computed in float64. For double precision, they are computed
    in NumPy's longest float. A few roots are cosines and sines. Many are products of two roots from
    short tables, which are found several times as fast and round as well.

    Parameters
    ----------
    n : int
        The order of the roots.
    precision : {"single", "double"}
        The precision of the result.
    powers : ndarray of int, optional
        The exponents k, not negative and below 2^60; 0 .. n-1 by default.
    dtype : dtype, optional
        The type to which the roots are rounded; by default that of the precision.

    Returns
    -------
    ndarray, shape of `powers`, or (n,)
        The roots, complex64 or complex128 by default.
    """
    powers = np.arange(n, dtype=np.int64) if powers is None else powers
    dtype = dtype or COMPLEX_DTYPE[precision]
    if not _are_products(n, precision, powers.size):
        return _cosines_and_sines(n, powers, WORKING_DTYPE[precision]).astype(dtype)
    tables = _ShortTables(n, WORKING_DTYPE[precision])
    roots = np.empty(powers.size, dtype)
    exponents = powers.reshape(-1)
    for begin in range(0, roots.size, TOGETHER):
        part = slice(begin, begin + TOGETHER)
        tables.fill(roots[part], exponents[part])
    return roots.reshape(powers.shape)


def roots_of_products(n: int, precision: str, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the roots exp(-2 pi i j k / n), each rounded once, for each j and each k.

    Parameters
    ----------
    n : int
        The order of the roots.
    precision : {"single", "double"}
        The precision of the result.
    first, second : ndarray of int, one dimension each
        The factors j and k of the exponents, not negative.

    Returns
    -------
    ndarray, shape (size of `first`, size of `second`)
        The roots, complex64 or complex128.
    """
    if not _are_products(n, precision, first.size * second.size):
        return roots_of_unity(n, precision, np.outer(first, second))
    tables = _ShortTables(n, WORKING_DTYPE[precision])
    roots = np.empty((first.size, second.size), COMPLEX_DTYPE[precision])
    rows, columns = max(1, TOGETHER // second.size), min(second.size, TOGETHER)
    for row in range(0, first.size, rows):
        for column in range(0, second.size, columns):
            some = slice(row, row + rows), slice(column, column + columns)
            tables.fill(roots[some], np.outer(first[some[0]], second[some[1]]))
    return roots


def _are_products(n: int, precision: str, count: int) -> bool:
    """Whether so many roots are best found as products of roots from two short tables.

    If the working type is as short as the result's, products would round worse than cosines do.
    """
    types = WORKING_DTYPE[precision], COMPLEX_DTYPE[precision]
    working, result = (np.finfo(each.char).nmant for each in types)
    return working > result and count >= max(MANY, 16 * isqrt(n))


def _cosines_and_sines(n: int, powers: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return roots of unity as cosines and sines that are computed in the type `dtype`.

    Integers fold the angle into the first octant, so that the rounding of the angle stays below the
    precision of the result.
    """
    octant, part = np.divmod(8 * (powers.astype(np.int64) % n), n)
    np.subtract(n, part, out=part, where=octant % 2 == 1)  # eighths of a turn from the nearest axis
    roots = np.empty(powers.shape, dtype)
    real_type = roots.real.dtype.type
    angle = part.astype(real_type) * (np.arctan(real_type(1)) / n)
    cosine, sine = np.cos(angle), np.sin(angle)
    # Octants 1, 2, 5, 6 lie nearer to the imaginary axis: there sine and cosine change places.
    swap = (octant + 1) & 2 != 0
    roots.real, roots.imag = np.where(swap, sine, cosine), np.where(swap, cosine, sine)
    np.negative(roots.real, out=roots.real, where=(octant + 2) & 4 != 0)  # octants 2 to 5
    np.negative(roots.imag, out=roots.imag, where=octant < 4)
    return roots


class _ShortTables:
    """Two tables of about sqrt(2n) to 4 sqrt(2n) roots; every root of unity is a product of both.

    A root lies r/n of a quarter turn from the nearest axis, -n/2 <= r < n/2. With an odd step of
    about sqrt(n/2), r is a number of steps and a rest between -step/2 and step/2. One table holds
    the roots at all steps from each axis, and the other those at all rests. Both are symmetric, so
    that roots of opposite exponents are conjugates, and the roots on the axes are exact.
    """

    def __init__(self, n: int, dtype: np.dtype) -> None:
        self._n = n
        self._most_rest = isqrt(n // 8) + 1
        self._step = 2 * self._most_rest + 1
        self._most_steps = (n // 2 + self._most_rest) // self._step
        rests = np.arange(-self._most_rest, self._most_rest + 1)
        steps = self._step * np.arange(-self._most_steps, self._most_steps + 1)
        from_axes = (n * np.arange(4)[:, None] + steps).ravel()
        self._at_rests = _cosines_and_sines(4 * n, rests % (4 * n), dtype)
        self._at_steps = _cosines_and_sines(4 * n, from_axes % (4 * n), dtype)

    def fill(self, roots: np.ndarray, powers: np.ndarray) -> None:
        """Write the roots exp(-2 pi i k / n) of the exponents k."""
        n = self._n
        rest = 4 * powers.astype(np.int64) + n // 2
        axis = rest // n
        rest -= n * axis + (n // 2 - self._most_rest)
        steps = rest // self._step
        rest -= self._step * steps
        axis &= 3
        steps += (2 * self._most_steps + 1) * axis + self._most_steps
        np.multiply(self._at_steps[steps], self._at_rests[rest], out=roots, casting="same_kind")


def in_parts(numbers: np.ndarray, halved: bool = False) -> np.ndarray:
    """Return complex numbers as real ones: real parts, then imaginary parts, before the last axis.

    Parameters
    ----------
    numbers : ndarray, shape (..., lanes)
        Complex numbers.
    halved : bool
        Whether the two quarters in the middle of the lanes change places, as shuffles.cl wants it
        for vectors of two halves.

    Returns
    -------
    ndarray, shape (..., 2, lanes)
    """
    if halved:
        quarters = numbers.reshape(*numbers.shape[:-1], 4, -1)
        numbers = quarters[..., [0, 2, 1, 3], :].reshape(numbers.shape)
    return np.stack((numbers.real, numbers.imag), axis=-2)


def chirp_of(n: int, precision: str, dtype: np.dtype | None = None) -> np.ndarray:
    """Return Bluestein's chirp exp(-pi i k^2 / n) for k < n, each value rounded once.

    The squares are taken modulo 2n in integers, since the angle would lose all accuracy otherwise.
    The chirp at n - k equals the chirp at k, negated if n is odd. `dtype` is the type to which the
    values are rounded; by default it is that of the precision.
    """
    k = np.arange(n // 2 + 1, dtype=np.int64)
    half = roots_of_unity(2 * n, precision, k * k % (2 * n), dtype)
    mirrored = half[(n - 1) // 2 : 0 : -1]
    return np.concatenate((half, -mirrored if n % 2 else mirrored))


def spectrum_around(values: np.ndarray, behind: np.ndarray, m: int) -> np.ndarray:
    """Return the spectrum of m points, divided by m, by which a cyclic convolution multiplies.

    Parameters
    ----------
    values : ndarray
        The first points.
    behind : ndarray
        The last points. What lies between them and the first ones is zero.
    m : int
        The number of points.

    Returns
    -------
    ndarray, shape (m,)
        The spectrum in float64's precision, complex128.
    """
    around = np.zeros(m, np.complex128)
    around[: values.size] = values
    around[m - behind.size :] = behind
    return np.fft.fft(around) / m


def powers_of_generator(n: int) -> np.ndarray:
    """Return the powers g^0 .. g^(n-2) modulo the prime n, where g is the least generator.

    The powers of a generator are all numbers from 1 to n - 1.
    """
    factors = _prime_factors(n - 1)
    g = next(g for g in range(1, n) if all(pow(g, (n - 1) // p, n) != 1 for p in factors))
    powers = np.ones(1, np.int64)
    while powers.size < n - 1:
        powers = np.concatenate((powers, powers * pow(g, powers.size, n) % n))
    return powers[: n - 1]


def _prime_factors(n: int) -> list[int]:
    factors, divisor = [], 2
    while n > 1:
        divisor = divisor if divisor * divisor <= n else n
        if n % divisor:
            divisor += 1
            continue
        factors.append(divisor)
        while n % divisor == 0:
            n //= divisor
    return factors
