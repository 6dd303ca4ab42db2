"""Rader's algorithm: its tables, which lengths it takes, and when it is chosen."""

from __future__ import annotations

import numpy as np
import pytest

from pyclfft.errors import PlanError
from pyclfft.planning.factor import is_prime, is_smooth
from pyclfft.planning.passes import assign_buffers
from pyclfft.planning.planner import plan_passes
from pyclfft.planning.problem import make_problem
from pyclfft.planning.tables import PowersOfGenerator, RaderSpectrum
from tests.oracle import expected_of, noise, places, relative_error
from tests.recorded_traits import RECORDED
from tests.simulator import numbers, simulate

H200 = RECORDED["h200"]
PRIMES = [n for n in range(3, 700) if is_prime(n)]


def plan(shape, axis=-1, algorithm="rader", traits=H200, dtype="c8", **options):
    return plan_passes(make_problem(shape, dtype, axis, **options), traits, algorithm)


def test_primes_by_a_sieve():
    sieve = np.ones(5000, bool)
    sieve[:2] = False
    for n in range(2, 71):
        sieve[n * n :: n] = False
    assert [n for n in range(5000) if is_prime(n)] == list(np.flatnonzero(sieve))


@pytest.mark.parametrize("n", [3, 5, 17, 257, 641, 8191, 65537])
def test_powers_are_all_numbers_once(n):
    powers, inverses = PowersOfGenerator(n).values().astype(int)
    for row in (powers, inverses):
        assert sorted(row) == list(range(1, n))
        np.testing.assert_array_equal(row[1:], row[:-1] * row[1] % n)
    np.testing.assert_array_equal(powers * inverses % n, 1)


@pytest.mark.parametrize("n", [3, 17, 19, 31, 97])
def test_the_convolution_is_a_transform(n):
    """The kernel's steps in NumPy, against a transform by NumPy."""
    x = noise(n, "c16")
    powers, inverses = PowersOfGenerator(n).values()
    spectrum = RaderSpectrum(n, "double").values()
    points = np.fft.fft(x[powers])
    result = np.empty(n, complex)
    result[0] = x[0] + points[0]
    product = points * spectrum
    product[0] += x[0]
    result[inverses] = np.fft.ifft(product, norm="forward")
    assert relative_error(result, np.fft.fft(x)) < 1e-15


@pytest.mark.parametrize("n", [n for n in PRIMES if is_smooth(n - 1)])
def test_a_convolution_of_one_point_less(n):
    (only,) = plan((64, n))
    assert numbers(only)["N"] == n - 1
    assert only.local_bytes <= H200.local_mem_bytes


def test_it_is_chosen_where_half_the_points_are_quicker():
    """On an H200 these were measured; another length of a convolution is no gain."""
    rows = [n for n in PRIMES if plan((2**16, n), algorithm=None)[0].kernel == "rader"]
    columns = [n for n in PRIMES if plan((n, 2**12), 0, None)[0].kernel == "rader"]
    assert {193, 257, 331, 601, 641} <= set(rows) <= set(columns)
    assert {97, 101, 109, 257, 401, 641} <= set(columns)
    assert not {97, 113, 127, 491} & set(rows)
    assert all(n > 53 and is_smooth(n - 1) for n in columns)


def test_primes_with_codelets_need_no_convolution():
    """Complex ones up to 53, or 47 in double precision, where registers end."""
    for dtype, largest in (("c8", 53), ("c16", 47)):
        for n in (n for n in PRIMES if 13 < n < 80):
            (only,) = plan((n, 2**12), 0, None, dtype=dtype)
            assert (numbers(only)["N"] == n) == (n <= largest)
            if is_smooth(n - 1):  # and a caller may still have one
                assert plan((n, 2**12), 0, dtype=dtype)[0].kernel == "rader"


@pytest.mark.parametrize("n", [1, 2, 9, 16, 25, 2 * 17, 47, 83, 65537])
def test_other_lengths_are_refused(n):
    with pytest.raises(PlanError, match="rader' takes a prime n for which n - 1 is smooth"):
        plan((3, n, 2), 1) if n > 1 else plan((3, 2), 1)


@pytest.mark.parametrize("n", [3, 17, 23, 97])
@pytest.mark.parametrize(
    ("kind", "dtype"), [("c2c", "c16"), ("c2c", "f8"), ("r2c", "f8"), ("c2r", "c16")]
)
def test_buffers(n, kind, dtype):
    """Rows that become other rows of a result, in place or not, keep to their own memory."""
    problem = make_problem((4, n, 3), dtype, 1, kind, direction="inverse")
    passes = plan_passes(problem, H200, "rader")
    x = noise(problem.source.shape, dtype).reshape(-1)
    out = simulate(assign_buffers(passes, problem.nbytes), x.view(np.uint8), problem.nbytes)
    result = out.view(problem.dtype)[places(problem.target)]
    assert relative_error(result, expected_of(problem, x)) < 1e-14
