"""Fast lengths, and the roots of unity that every algorithm builds on."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from pyclfft.planning.factor import next_fast_len
from pyclfft.runtime.twiddle import roots_of_unity


@pytest.mark.parametrize(
    ("n", "fast"), [(1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (1000, 1024), (2**40 + 1, 2**41)]
)
def test_next_fast_len(n, fast):
    assert next_fast_len(n) == fast


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 12, 60, 127, 256, 1000])
def test_roots_of_unity_are_rounded_once(n):
    with mpmath.workdps(40):
        roots = [mpmath.expjpi(mpmath.mpf(-2 * k) / n) for k in range(n)]
        exact = np.array([(float(w.real), float(w.imag)) for w in roots])
    for precision, real in (("single", np.float32), ("double", np.float64)):
        table = roots_of_unity(n, precision)
        np.testing.assert_array_equal(table.view(real).reshape(n, 2), exact.astype(real))


def test_roots_of_unity_of_many():
    n = 2**22 + 2
    table = roots_of_unity(n, "double")
    np.testing.assert_array_equal(table[n // 2 + 1 :], table[1 : n // 2][::-1].conj())
    with mpmath.workdps(40):
        for k in (1, 12345, n // 8, n // 3, n - 1):
            root = mpmath.expjpi(mpmath.mpf(-2 * k) / n)
            assert table[k] == complex(float(root.real), float(root.imag))
