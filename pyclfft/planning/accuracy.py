"""How accurate the results of transforms have to be."""

from __future__ import annotations

from collections.abc import Sequence
from math import log, prod, sqrt

import numpy as np

from .factor import is_smooth

# The largest relative L2 errors of a transform of 1e5 points: first for smooth lengths, then for
# all other lengths.
BOUND_AT_1E5 = {"single": (2.0e-7, 1e-6), "double": (6e-16, 1e-15)}


def relative_error(result: np.ndarray, expected: np.ndarray) -> float:
    """Return the L2 norm of the error, divided by the L2 norm of the expected result."""
    return float(np.linalg.norm(result - expected) / np.linalg.norm(expected))


def transform_bound(lengths: Sequence[int], precision: str) -> float:
    """Return the largest relative error that a transform of these lengths may have.

    The rounding errors of a fast algorithm grow with the square root of the number of its steps,
    which grows with log N.
    """
    fast, other = BOUND_AT_1E5[precision]
    if all(is_smooth(n) for n in lengths):
        return fast * sqrt(log(max(2, prod(lengths))) / log(1e5))
    return other
