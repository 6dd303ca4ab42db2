"""Twiddle tables: computed on the host in more precision than they are stored in."""

from __future__ import annotations

import numpy as np

from ..planning.problem import COMPLEX_DTYPE


def roots_of_unity(n: int, precision: str) -> np.ndarray:
    """Return exp(-2 pi i k / n) for k = 0 .. n-1, each rounded once.

    The angle is folded into the first octant by integers, so that its own rounding stays below
    what the result can show; then cosine and sine are taken in NumPy's longest float, which has
    64 bits of mantissa on x86 and at least float64's 53 elsewhere.

    Parameters
    ----------
    n : int
        Number of roots.
    precision : {"single", "double"}
        Of the result.

    Returns
    -------
    ndarray, shape (n,)
        complex64 or complex128.
    """
    scaled = 8 * np.arange(n, dtype=np.int64)
    octant, part = np.divmod(scaled, n)
    odd = octant % 2 == 1
    part = np.where(odd, n - part, part)  # eighths of a turn, in n-ths, from the nearest axis
    angle = part.astype(np.longdouble) * (np.arctan(np.longdouble(1)) / n)
    cosine, sine = np.cos(angle), np.sin(angle)
    # Octants 1, 2, 5, 6 lie nearer to the imaginary axis: there sine and cosine change places.
    swap = np.isin(octant, (1, 2, 5, 6))
    real = np.where(swap, sine, cosine) * np.where(np.isin(octant, (2, 3, 4, 5)), -1, 1)
    imaginary = np.where(swap, cosine, sine) * np.where(octant < 4, -1, 1)
    roots = np.empty(n, COMPLEX_DTYPE[precision])
    roots.real, roots.imag = real, imaginary
    return roots
