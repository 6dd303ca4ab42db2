"""Single and double precision, as NumPy's dtypes."""

from __future__ import annotations

import numpy as np

# The dtype of an array that the device reads -> (precision, whether the array holds real numbers)
READABLE: dict[np.dtype, tuple[str, bool]] = {
    np.dtype(np.complex64): ("single", False),
    np.dtype(np.complex128): ("double", False),
    np.dtype(np.float32): ("single", True),
    np.dtype(np.float64): ("double", True),
}
COMPLEX_DTYPE: dict[str, np.dtype] = {
    "single": np.dtype(np.complex64),
    "double": np.dtype(np.complex128),
}
REAL_DTYPE: dict[str, np.dtype] = {"single": np.dtype(np.float32), "double": np.dtype(np.float64)}
