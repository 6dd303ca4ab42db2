"""How exact results have to be."""

from __future__ import annotations

from collections.abc import Sequence
from math import log, prod, sqrt

import numpy as np

from .factor import is_smooth

# Largest relative L2 error of a transform at 1e5 points, for lengths that have a fast algorithm
# and for others, whose definition is summed as it stands.
BOUND_AT_1E5 = {"single": (2.0e-7, 1e-6), "double": (6e-16, 1e-15)}


def relative_error(result: np.ndarray, expected: np.ndarray) -> float:
    """Return the L2 norm of the difference over the norm of what was expected."""
    return float(np.linalg.norm(result - expected) / np.linalg.norm(expected))


def transform_bound(lengths: Sequence[int], precision: str) -> float:
    """Return the largest relative error allowed of a transform of these lengths.

    Rounding errors of a fast algorithm grow with the square root of its steps, log N.
    """
    fast, other = BOUND_AT_1E5[precision]
    if all(is_smooth(n) for n in lengths):
        return fast * sqrt(log(max(2, prod(lengths))) / log(1e5))
    return other
