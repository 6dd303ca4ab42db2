"""Rader's algorithm: its tables, which lengths it takes, and when it is chosen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pyclfft.errors import PlanError
from pyclfft.planning.convolved_rows import SIZES
from pyclfft.planning.factor import is_prime, is_smooth
from pyclfft.planning.passes import assign_buffers
from pyclfft.planning.planner import plan_passes
from pyclfft.planning.problem import make_problem
from pyclfft.planning.tables import PowersOfGenerator, RaderSpectrum, RealRaderSpectrum
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


@pytest.mark.parametrize("n", [3, 5, 17, 257, 641, 8191, 65521])
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


@pytest.mark.parametrize("n", [5, 7, 17, 19, 31, 97, 127])
@pytest.mark.parametrize("kind", ["r2c", "c2r"])
def test_the_real_convolution_is_a_transform(n, kind):
    """The steps of raderReal.cl in NumPy, against a transform by NumPy."""
    h, x = n // 2, noise(n, "f8")
    half = np.fft.rfft(x)
    given = x
    if kind == "c2r":
        behind = half[:0:-1]
        given = np.concatenate((half.real + half.imag, behind.real - behind.imag))
    powers, inverses = PowersOfGenerator(n).values()
    alpha, beta = RealRaderSpectrum(n, "double").values()
    points = np.fft.fft(given[powers].view("c16"))
    product = alpha * points + beta * points[-np.arange(h)].conj()
    product[0] += given[0] * (1 + 1j)
    hartley = np.empty(n)
    hartley[0] = given[0] + points[0].real + points[0].imag
    hartley[inverses] = np.fft.ifft(product, norm="forward").view("f8")
    images = hartley[-np.arange(n)]
    if kind == "c2r":
        assert relative_error(hartley, n * x) < 1e-15
    else:
        result = (hartley + images + 1j * (hartley - images)) / 2
        assert relative_error(result[: h + 1], half) < 1e-15


@pytest.mark.parametrize(("kind", "dtype"), [("r2c", "f4"), ("c2r", "c8"), ("r2c", "f8")])
@pytest.mark.parametrize("n", [n for n in PRIMES if n > 3 and is_smooth(n - 1)])
def test_real_numbers_take_half_the_points_and_half_the_memory(n, kind, dtype):
    """Local memory holds all n numbers of each transform, in rows and in columns."""
    for shape, axis in (((64, n), 1), ((n, 64), 0)):
        (only,) = plan(shape, axis, dtype=dtype, kind=kind)
        macros = numbers(only)
        assert (only.kernel, macros["N"], macros["LENGTH"]) == ("raderReal", n // 2, n)
        assert macros["ROOM"] * (1 if macros["SPLIT"] else 2) >= n
        assert only.local_bytes <= H200.local_mem_bytes
        nbytes = 64 * (8 if dtype == "f8" else 4)  # of a real number of each transform
        moved = (n, n + 1) if kind == "r2c" else (n + 1, n)
        assert (only.reads, only.writes) == (moved[0] * nbytes, moved[1] * nbytes)


@pytest.mark.parametrize("nbytes", [2**14, 2**15])
@pytest.mark.parametrize("n", [n for n in PRIMES if n > 3 and is_smooth(n - 1)])
def test_only_as_many_real_rows_share_a_group_as_local_memory_holds(n, nbytes):
    little = replace(H200, local_mem_bytes=nbytes)
    (only,) = plan((64, n), traits=little, dtype="f8", kind="r2c")
    macros = numbers(only)
    assert (only.kernel, macros["SPLIT"]) == ("raderReal", 0)
    assert only.local_bytes <= nbytes
    alone = macros["TRANSFORMS"] == 1  # only rows that fill a small group
    assert not alone or 2 * only.local_bytes > nbytes or 2 * macros["ITEMS"] > min(SIZES)


def test_only_on_cpus_does_a_group_wait_before_the_product():
    """A way around wrong results of Intel's CPU runtime, which would cost registers on a GPU."""
    on_cpu, on_gpu = (
        plan((5, 41), traits=RECORDED[name], dtype="f4", kind="r2c") for name in ("pocl", "h200")
    )
    assert numbers(on_cpu[0]).get("WAITS_EARLY") == 1
    assert "WAITS_EARLY" not in numbers(on_gpu[0])


def test_real_numbers_are_convolved_as_such_on_a_gpu():
    """Wherever n - 1 is smooth and no codelet takes n, also within a cosine transform."""
    for n in (n for n in PRIMES if n > 61 and is_smooth(n - 1)):
        for kind, dtype in (("r2c", "f4"), ("c2r", "c16"), ("dct2", "f4"), ("dst3", "f8")):
            (only,) = plan((2**12, n), 1, None, dtype=dtype, kind=kind)
            assert only.kernel == "raderReal"
    for n in (61, 83, 499):  # a codelet; other large factors
        assert plan((2**12, n), 1, None, dtype="f4", kind="r2c")[0].kernel == "stockham"
    assert plan((64, 3), dtype="f4", kind="r2c")[0].kernel == "rader"


@pytest.mark.parametrize("n", [n for n in PRIMES if is_smooth(n - 1)])
def test_a_convolution_of_one_point_less(n):
    (only,) = plan((64, n))
    assert numbers(only)["N"] == n - 1
    assert only.local_bytes <= H200.local_mem_bytes


def test_it_is_chosen_where_half_the_points_are_quicker():
    """On an H100 or H200 these were measured; another length of a convolution is no gain."""
    rows = [n for n in PRIMES if plan((2**16, n), algorithm=None)[0].kernel == "rader"]
    columns = [n for n in PRIMES if plan((n, 2**12), 0, None)[0].kernel == "rader"]
    assert {73, 101, 151, 193, 257, 331, 601, 641} <= set(rows) <= set(columns)
    assert {97, 101, 109, 257, 401, 641} <= set(columns)
    assert not {67, 113, 127, 251, 491} & set(rows)
    assert all(n > 53 and is_smooth(n - 1) for n in columns)


def test_primes_with_codelets_need_no_convolution():
    """Complex columns up to 53, or 43 in double precision, and rows, by parts, up to 61 or 59."""
    for dtype, columns, rows in (("c8", 53, 61), ("c16", 43, 59)):
        for n in (n for n in PRIMES if 13 < n < 80):
            (only,) = plan((n, 2**12), 0, None, dtype=dtype)
            assert (numbers(only)["N"] == n) == (n <= columns)
            (only,) = plan((2**12, n), 1, None, dtype=dtype)
            assert (numbers(only)["N"] == n) == (n <= rows)
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
