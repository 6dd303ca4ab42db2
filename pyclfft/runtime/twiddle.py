"""Twiddle tables, which the host computes in more precision than it stores them in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from ..planning.passes import (
    BlockRoots,
    Chirp,
    ChirpSpectrum,
    Constants,
    DigitRoots,
    LaneChirp,
    LaneRoots,
    LaneSpectrum,
    LaneTwiddles,
    PassSteps,
    PassTwiddles,
    Roots,
    RootSeries,
    SpinFactors,
    StageTwiddles,
    Table,
)
from ..planning.problem import COMPLEX_DTYPE

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


def root_series(n: int, first: int, step: int, count: int, precision: str) -> np.ndarray:
    """Return roots of unity as `RootSeries` describes them."""
    return roots_of_unity(n, precision, first + step * np.arange(count, dtype=np.int64))


def digit_roots(n: int, bits: int, digits: int, precision: str) -> np.ndarray:
    """Return roots of unity for each digit of an exponent, as `DigitRoots` describes them."""
    powers = np.arange(1 << bits) << bits * np.arange(digits)[:, None]
    return roots_of_unity(n, precision, powers)


def stage_twiddles(
    radices: Sequence[int],
    precision: str,
    back: bool = False,
    real_radix: int = 0,
    real_last: bool = False,
) -> np.ndarray:
    """Return the twiddles of Stockham's stages, as `StageTwiddles` describes them.

    Parameters
    ----------
    radices : sequence of int
        The radices of the stages, in order.
    precision : {"single", "double"}
        The precision of the result.
    back : bool
        Whether the twiddles of the stages in reverse order follow.
    real_radix : int
        The radix of the real stage; 0 if there is none.
    real_last : bool
        Whether the real stage is the last one; otherwise it is the first one.

    Returns
    -------
    ndarray, shape (product of the radices - 1,), or twice that with `back`
        The twiddles, complex64 or complex128.
    """
    if real_radix:
        return _real_stage_twiddles(radices, precision, real_radix, real_last)
    tables = []
    for order in (radices, radices[::-1])[: 1 + back]:
        span = 1
        for radix in order:
            powers = np.outer(np.arange(1, radix), np.arange(span))
            tables.append(roots_of_unity(radix * span, precision, powers).ravel())
            span *= radix
    return np.concatenate(tables)


def _real_stage_twiddles(
    radices: Sequence[int], precision: str, real_radix: int, real_last: bool
) -> np.ndarray:
    """Return the twiddles of stages one of which, the real stage, keeps half of its results."""
    real_stage = len(radices) - 1 if real_last else 0
    tables = []
    kept, span = 1, 1  # the results that earlier stages kept, and how many they would be in all
    for number, radix in enumerate(radices):
        done = np.arange(kept)
        if number > real_stage:  # of every `real_radix` results, only the first ones were kept
            quotient, done = np.divmod(done, radices[real_stage])
            done += quotient * real_radix
        whole = real_radix if number == real_stage else radix
        powers = np.outer(np.arange(1, radix), done)
        tables.append(roots_of_unity(whole * span, precision, powers).ravel())
        kept, span = kept * radix, span * whole
    return np.concatenate(tables)


def pass_twiddles(radices: Sequence[int], precision: str) -> np.ndarray:
    """Return the twiddles of passes on lanes, as `PassTwiddles` describes them.

    Parameters
    ----------
    radices : sequence of int
        The radices of the passes, in order.
    precision : {"single", "double"}
        The precision of the result.

    Returns
    -------
    ndarray, shape (product of the radices - 1,)
        The twiddles, complex64 or complex128.
    """
    tables = []
    below = 1
    for radix in reversed(radices):
        powers = np.outer(np.arange(below), np.arange(1, radix))
        tables.append(roots_of_unity(radix * below, precision, powers).ravel())
        below *= radix
    return np.concatenate(tables)


def pass_steps(radices: Sequence[int]) -> np.ndarray:
    """Return the steps of passes, as `PassSteps` describes them.

    Returns
    -------
    ndarray, shape (radices and blocks of the last pass,)
        The radices, and then the first row of each block, int64.
    """
    *before, _ = radices
    rows = np.arange(prod(before)).reshape(before[::-1]).transpose().ravel()
    return np.concatenate((radices, rows)).astype(np.int64)


def lane_twiddles(
    rows: int, columns: int, lanes: int, precision: str, together: int = 1
) -> np.ndarray:
    """Return twiddles between rows and columns, as `LaneTwiddles` describes them.

    Returns
    -------
    ndarray, shape (blocks, rows - 1, 2, lanes x together)
        The real and the imaginary parts, float32 or float64.
    """
    first = np.minimum(np.arange(0, columns, lanes), columns - lanes)
    column = first[:, None, None] + np.tile(np.arange(lanes), together)
    powers = np.arange(1, rows)[:, None] * column
    return _in_parts(roots_of_unity(rows * columns, precision, powers))


def lane_roots(n: int, points: int, lanes: int, precision: str) -> np.ndarray:
    """Return roots of unity for lanes, as `LaneRoots` describes them.

    Returns
    -------
    ndarray, shape (points, 2, lanes)
        The real and the imaginary parts, float32 or float64.
    """
    return _in_parts(roots_of_unity(n, precision, np.outer(np.arange(points), np.arange(lanes))))


def block_roots(n: int, points: int, blocks: int, lanes: int, precision: str) -> np.ndarray:
    """Return roots of unity for the first lane of each block, as `BlockRoots` describes them.

    Returns
    -------
    ndarray, shape (blocks, points)
        The roots, complex64 or complex128.
    """
    return roots_of_unity(n, precision, np.outer(np.arange(blocks) * lanes, np.arange(points)))


def _in_parts(roots: np.ndarray) -> np.ndarray:
    """Return real numbers: along a new axis before the last, real parts, then imaginary parts."""
    return np.stack((roots.real, roots.imag), axis=-2)


def chirp(n: int, precision: str) -> np.ndarray:
    """Return Bluestein's chirp exp(-pi i k^2 / n) for k < n, each value rounded once.

    The squares are taken modulo 2n in integers, since the angle would lose all accuracy otherwise.
    The chirp at n - k equals the chirp at k, negated if n is odd.
    """
    k = np.arange(n // 2 + 1, dtype=np.int64)
    half = roots_of_unity(2 * n, precision, k * k % (2 * n))
    mirrored = half[(n - 1) // 2 : 0 : -1]
    return np.concatenate((half, -mirrored if n % 2 else mirrored))


def chirp_spectrum(n: int, factors: Sequence[int], precision: str) -> np.ndarray:
    """Return the spectrum of the conjugate chirp, as `ChirpSpectrum` describes it.

    Parameters
    ----------
    n : int
        The length of the transform.
    factors : sequence of int
        The factors of the length m of the convolution: one for each step, in order.
    precision : {"single", "double"}
        The precision of the result.

    Returns
    -------
    ndarray, shape (m,)
        The spectrum divided by m, complex64 or complex128.
    """
    m = prod(factors)
    conjugate = chirp(n, "double").conj()
    around = np.zeros(m, np.complex128)
    around[:n] = conjugate
    around[m - n + 1 :] = conjugate[:0:-1]
    spectrum = np.fft.fft(around) / m
    rounded = spectrum.astype(COMPLEX_DTYPE[precision])
    return rounded.reshape(factors[::-1]).transpose().ravel()


def lane_chirp(n: int, lanes: int, precision: str) -> np.ndarray:
    """Return a chirp for lanes, as `LaneChirp` describes it.

    Returns
    -------
    ndarray, shape (vectors, 2, lanes)
        The real and the imaginary parts, float32 or float64.
    """
    whole = np.zeros(-(-n // lanes) * lanes, COMPLEX_DTYPE[precision])
    whole[:n] = chirp(n, precision)
    return _in_parts(whole.reshape(-1, lanes))


def lane_spectrum(n: int, factors: Sequence[int], lanes: int, precision: str) -> np.ndarray:
    """Return the spectrum of a chirp for lanes, as `LaneSpectrum` describes it.

    Returns
    -------
    ndarray, shape (blocks, places in a row, 2, lanes)
        The real and the imaginary parts of the spectrum, divided by the product of the factors;
        float32 or float64.
    """
    rows = chirp_spectrum(n, factors, precision).reshape(-1, lanes, prod(factors[1:]))
    return _in_parts(rows.swapaxes(1, 2))


# For each type of table, the function that computes its values from the type's fields.
FUNCTIONS: dict[type, Callable[..., np.ndarray]] = {
    Roots: roots_of_unity,
    RootSeries: root_series,
    SpinFactors: lambda n, precision: roots_of_unity(n, precision, np.arange(n // 2)),
    DigitRoots: digit_roots,
    StageTwiddles: stage_twiddles,
    PassTwiddles: pass_twiddles,
    PassSteps: pass_steps,
    LaneTwiddles: lane_twiddles,
    LaneRoots: lane_roots,
    BlockRoots: block_roots,
    Chirp: chirp,
    ChirpSpectrum: chirp_spectrum,
    LaneChirp: lane_chirp,
    LaneSpectrum: lane_spectrum,
    Constants: lambda values: np.array(values, np.int64),
}


def values_of(table: Table) -> np.ndarray:
    """Return the values of a plan's table."""
    return FUNCTIONS[type(table)](**vars(table))
