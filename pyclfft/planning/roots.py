"""Roots of unity and chirps, which the host computes in more precision than it stores them in."""

from __future__ import annotations

import numpy as np

from .precision import COMPLEX_DTYPE

WORKING_DTYPE = {"single": np.float64, "double": np.longdouble}


def roots_of_unity(n: int, precision: str, powers: np.ndarray | None = None) -> np.ndarray:
    """Return the roots exp(-2 pi i k / n), each rounded once.

    Integers fold the angle into the first octant, so that the rounding of the angle stays below the
    precision of the result. For single precision, cosine and sine are then computed in float64. For
    double precision, they are computed in NumPy's longest float, which has 64 bits of mantissa on
    x86 and at least the 53 bits of float64 elsewhere.

    Parameters
    ----------
    n : int
        The order of the roots.
    precision : {"single", "double"}
        The precision of the result.
    powers : ndarray of int, optional
        The exponents k, not negative; 0 .. n-1 by default.

    Returns
    -------
    ndarray, shape of `powers`, or (n,)
        The roots, complex64 or complex128.
    """
    powers = np.arange(n) if powers is None else powers
    octant, part = np.divmod(8 * (powers.astype(np.int64) % n), n)
    np.subtract(n, part, out=part, where=octant % 2 == 1)  # eighths of a turn from the nearest axis
    real_type = WORKING_DTYPE[precision]
    angle = part.astype(real_type) * (np.arctan(real_type(1)) / n)
    cosine, sine = np.cos(angle), np.sin(angle)
    # Octants 1, 2, 5, 6 lie nearer to the imaginary axis: there sine and cosine change places.
    swap = (octant + 1) & 2 != 0
    roots = np.empty(powers.shape, COMPLEX_DTYPE[precision])
    roots.real, roots.imag = np.where(swap, sine, cosine), np.where(swap, cosine, sine)
    np.negative(roots.real, out=roots.real, where=(octant + 2) & 4 != 0)  # octants 2 to 5
    np.negative(roots.imag, out=roots.imag, where=octant < 4)
    return roots


def in_parts(numbers: np.ndarray) -> np.ndarray:
    """Return complex numbers as real ones: real parts, then imaginary parts, before the last axis.

    Parameters
    ----------
    numbers : ndarray, shape (..., lanes)
        Complex numbers.

    Returns
    -------
    ndarray, shape (..., 2, lanes)
    """
    return np.stack((numbers.real, numbers.imag), axis=-2)


def chirp_of(n: int, precision: str) -> np.ndarray:
    """Return Bluestein's chirp exp(-pi i k^2 / n) for k < n, each value rounded once.

    The squares are taken modulo 2n in integers, since the angle would lose all accuracy otherwise.
    The chirp at n - k equals the chirp at k, negated if n is odd.
    """
    k = np.arange(n // 2 + 1, dtype=np.int64)
    half = roots_of_unity(2 * n, precision, k * k % (2 * n))
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
    powers = [1]
    while len(powers) < n - 1:
        powers.append(powers[-1] * g % n)
    return np.array(powers, np.int64)


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
