"""The direct transform as a loop on the host: the sequential program of a report on parallel DFTs.

It is what parallel programs are compared with, and so it computes cosine and sine for each product.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..advice import pip_install
from ..errors import PlanError
from ..planning.precision import COMPLEX_DTYPE, READABLE, REAL_DTYPE

TOGETHER = 64  # products whose sum is added with compensation


def sequential(rows: np.ndarray, bins: np.ndarray) -> np.ndarray:
    """Compute bins of rows one after the other.

    Parameters
    ----------
    rows : ndarray, shape (rows, samples)
        Samples of float32, float64, complex64 or complex128, in whose precision it computes.
    bins : ndarray of int64, shape (bins,)
        The numbers of the bins.

    Returns
    -------
    ndarray, shape (rows, bins)

    Raises
    ------
    PlanError
        Numba is missing.
    """
    precision, _ = READABLE[rows.dtype]
    real, dtype = REAL_DTYPE[precision].type, COMPLEX_DTYPE[precision]
    found = np.empty((len(rows), len(bins)), dtype)
    loop = _compiled()
    parts = rows.astype(dtype, copy=False)
    for row, into in zip(parts, found, strict=True):
        loop(row.real.copy(), row.imag.copy(), bins, real(2 * np.pi / rows.shape[1]), into)
    return found


@lru_cache(maxsize=1)
def _compiled() -> Any:
    try:
        import numba
    except ImportError as error:
        raise PlanError(
            f"variant 'sequential' is a loop that Numba compiles: {pip_install('loops')}, or "
            "choose another variant"
        ) from error
    return numba.njit(nogil=True)(_slow_ft)


def _slow_ft(
    re: np.ndarray, im: np.ndarray, bins: np.ndarray, turn: Any, found: np.ndarray
) -> None:
    """Compute bins of one row; `turn` is 2 pi / samples, in the precision of the row."""
    n = re.size
    for place in range(bins.size):
        k, exponent = bins[place], 0  # the exponent of the root is k m modulo n
        sum_re = sum_im = lost_re = lost_im = turn * 0
        for first in range(0, n, TOGETHER):
            part_re = part_im = turn * 0
            for m in range(first, min(first + TOGETHER, n)):
                folded = exponent if 2 * exponent <= n else exponent - n
                angle = turn * re.dtype.type(folded)
                cosine, sine = np.cos(angle), np.sin(angle)
                part_re += re[m] * cosine + im[m] * sine
                part_im += im[m] * cosine - re[m] * sine
                exponent = exponent - (n - k) if exponent >= n - k else exponent + k
            wanted_re, wanted_im = part_re - lost_re, part_im - lost_im
            total_re, total_im = sum_re + wanted_re, sum_im + wanted_im
            lost_re, lost_im = (total_re - sum_re) - wanted_re, (total_im - sum_im) - wanted_im
            sum_re, sum_im = total_re, total_im
        found[place] = complex(sum_re, sum_im)
