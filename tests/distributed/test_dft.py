"""The direct transform on every device, beside longer floats than its own."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest

import pyclfft
from pyclfft.distributed import direct, direct_plans, slow_ft
from pyclfft.distributed.bins import wanted_bins
from pyclfft.distributed.direct import samples_of, transformed
from pyclfft.distributed.direct_plans import Blocking, division_of
from pyclfft.planning.traits import Traits
from pyclfft.runtime import describe
from tests.oracle import exact_dft, noise, reference, relative_error

BOUND = {"f4": 1e-6, "c8": 1e-6, "f8": 2e-15, "c16": 2e-15}  # up to 1e5 samples
KERNELS = ("tiled", "global", "local")
DTYPES = ("f4", "c8", "f8", "c16")
# As the kernel is compiled for the device, for a GPU's groups, and in small vectors and tiles.
BLOCKINGS = {
    "own": None,
    "groups": Blocking(group=8, width=1, outputs=2, tiles=8, tile=16, enough=2048),
    "vectors": Blocking(group=1, width=4, outputs=2, tiles=3, tile=8, enough=64),
}

GENERIC = Traits("any", False, 1, 1024, (1024,) * 3, 32768, 2**30, 2**28)


def spectrum(x, sign=-1, axis=-1):
    """All bins by SciPy in NumPy's longest float."""
    return reference("fft", x, axis=axis) if sign < 0 else np.conj(spectrum(np.conj(x), axis=axis))


def agree(result, expected, dtype):
    assert result.dtype == np.result_type(dtype, "c8")
    assert result.shape == expected.shape
    assert relative_error(result, expected) <= BOUND[dtype]


@pytest.fixture(params=BLOCKINGS)
def blocking(request, monkeypatch):
    """Compile the kernel for other devices too."""
    chosen = BLOCKINGS[request.param]
    if chosen:
        monkeypatch.setattr(direct_plans, "blocking_of", lambda *_: chosen)
    pyclfft.clear_cache()
    yield
    pyclfft.clear_cache()


@pytest.fixture
def precisions(device):
    return DTYPES if describe.traits(device).fp64 else DTYPES[:2]


def test_lengths(precisions, blocking):
    """Primes, powers, and lengths around those of tiles and blocks."""
    for n in (1, 2, 3, 7, 16, 47, 48, 49, 128, 383, 384, 385, 1000, 1009, 2048):
        for dtype in precisions:
            x = noise((2, n), dtype, seed=n)
            for sign in (-1, 1):
                agree(pyclfft.dft(x, sign=sign), spectrum(x, sign), dtype)


def test_many_samples(precisions):
    """Some bins of a power, a prime, an odd and an even number of samples."""
    for n in (20_000, 65_536, 99_991, 99_999, 100_000):
        bins = [0, 1, n // 2, n // 2 + 1, n - 1, *range(7, n, n // 40)]
        for dtype in precisions:
            x = noise(n, dtype, seed=n)
            agree(pyclfft.dft(x, bins), spectrum(x)[bins], dtype)


def test_all_bins_of_many_samples(precisions):
    x = noise(10_007, precisions[-1])
    agree(pyclfft.dft(x), spectrum(x), precisions[-1])


@pytest.mark.parametrize("variant", KERNELS)
def test_every_kernel_beside_fifty_digits(precisions, variant):
    for n in (5, 24):
        for dtype in precisions:
            x = noise(n, dtype, seed=3)
            for sign in (-1, 1):
                expected = np.array(exact_dft(x, sign), complex)
                agree(pyclfft.dft(x, sign=sign, variant=variant), expected, dtype)


@pytest.mark.parametrize("variant", ["global", "local", "sequential"])
def test_variants(precisions, variant):
    if variant == "sequential":
        pytest.importorskip("numba")
    for n in (1, 64, 65, 1009) if variant != "local" else (65, 120):  # each has its own program
        for dtype in precisions:
            x = noise((2, n), dtype, seed=n)
            for sign in (-1, 1):
                agree(pyclfft.dft(x, sign=sign, variant=variant), spectrum(x, sign), dtype)


@pytest.mark.parametrize("variant", ["global", "sequential"])
def test_variants_of_many_samples(precisions, variant):
    if variant == "sequential":
        pytest.importorskip("numba")
    bins = [1, 12_345, -3]
    for dtype in precisions:
        x = noise(99_991, dtype)
        agree(pyclfft.dft(x, bins, variant=variant), spectrum(x)[bins], dtype)


def test_lists_of_bins(precisions, blocking):
    """In any order, repeated, and counted from the end; NumPy's integers too."""
    for dtype in precisions:
        x = noise((3, 101), dtype)
        for bins in ([100, 0, 50, 51, 50, -1, -101], np.array([7], "u1"), range(3, 60, 9), [5]):
            for sign in (-1, 1):
                agree(pyclfft.dft(x, bins, sign=sign), spectrum(x, sign)[:, list(bins)], dtype)


def test_axes_and_batches(precisions):
    for dtype in precisions:
        x = noise((3, 4, 50, 2), dtype)
        for axis in (0, 1, 2, 3, -2):
            agree(pyclfft.dft(x, axis=axis), spectrum(x, axis=axis), dtype)
        found = pyclfft.dft(x, [1, -2], 2)
        agree(found, spectrum(x, axis=2)[:, :, [1, -2]], dtype)


def test_device_arrays(queue, precisions):
    """Of any strides and offset; the result lies on the device too."""
    for dtype in precisions:
        x = noise((5, 6, 40), dtype)
        there = cl_array.to_device(queue, x)
        for view, same in (
            (there, x),
            (there[1:, ::2], x[1:, ::2]),
            (there.transpose((2, 0, 1)), x.transpose(2, 0, 1)),
        ):
            for axis in (0, 2):
                found = pyclfft.dft(view, axis=axis)
                assert isinstance(found, cl_array.Array)
                agree(found.get(), spectrum(same, axis=axis), dtype)


def test_dtypes(queue, device):
    single = np.arange(1, 8)
    exact = np.fft.fft(single)
    found = pyclfft.dft(single.astype("f2"))
    assert found.dtype == "complex64"
    assert relative_error(found, exact) < 1e-6
    if describe.traits(device).fp64:
        for dtype in (int, "u1", bool):
            found = pyclfft.dft(single.astype(dtype))
            assert found.dtype == "complex128"
            assert relative_error(found, np.fft.fft(single.astype(dtype))) < 2e-15
        there = cl_array.to_device(queue, single.astype("i4"))
        assert relative_error(pyclfft.dft(there).get(), exact) < 2e-15


def test_real_samples_have_hermitian_spectra(device, blocking):
    for n in (8, 9, 385):
        x = noise(n, "f4")
        for sign in (-1, 1):
            found = pyclfft.dft(x, sign=sign)
            assert np.array_equal(found[1:], found[:0:-1].conj())
            assert found[0].imag == 0
            assert n % 2 or found[n // 2].imag == 0
            one, other = pyclfft.dft(x, [2, -2], sign=sign)
            assert one == np.conj(other)


def test_nothing_is_computed_twice():
    assert wanted_bins(None, 10, real=True, sign=-1).computed == range(6)
    assert wanted_bins([7, 3, -7, 3], 10, real=True, sign=1).computed == (3,)
    assert wanted_bins([7, 3, -7, 3], 10, real=False, sign=-1).computed == (3, 7)


def shares(count, ranks):
    ends = [rank * count // ranks for rank in range(ranks + 1)]
    return list(pairwise(ends))


def test_shares_are_the_whole_bit_for_bit(precisions, blocking):
    """However many ranks there are, also more than bins; of all bins and of few."""
    for dtype in precisions:
        array, axis = samples_of(noise((2, 3001), dtype), -1)
        for bins, ranks in ((None, (2, 3, 7)), ([5, 3000, 77, 5, 1500], (2, 4, 9))):
            wanted = wanted_bins(bins, 3001, real=array.dtype.kind == "f", sign=1)
            whole = transformed(array, wanted, axis)
            for each in ranks:
                parts = [
                    transformed(array, wanted, axis, share)
                    for share in shares(len(wanted.computed), each)
                ]
                assert np.array_equal(wanted.spread(np.concatenate(parts, axis)), whole)


def test_rows_and_units_change_no_bit(device, change_traits):
    """Neither how many rows there are nor how many compute units a device has."""
    x = noise((5, 3001), "f4")
    whole = pyclfft.dft(x, [1, 2, 3])
    assert np.array_equal(pyclfft.dft(x[2], [1, 2, 3]), whole[2])
    change_traits(compute_units=1)
    pyclfft.clear_cache()
    assert np.array_equal(pyclfft.dft(x, [1, 2, 3]), whole)


def test_few_bins_are_divided_among_groups():
    blocking = BLOCKINGS["vectors"]
    division = division_of(100_000, 1, blocking)
    assert division.parts > 1
    assert division.parts * division.blocks_a_part * blocking.tiles * division.tile >= 100_000
    assert division_of(100_000, 100_000, blocking).parts == 1


def test_the_index_of_a_root_is_exact(device):
    """Where k m exceeds 32 bits: an alternating sum has all in one bin."""
    n = 100_000
    x = np.where(np.arange(n) % 2, -1, 1).astype("f4")
    found = pyclfft.dft(x, [n // 2, n // 2 - 1, 99_999])
    assert found[0] == n
    assert abs(found[1:]).max() < 1e-6 * n


def test_rows_without_room_are_computed_in_parts(device, change_traits, monkeypatch):
    x = noise((8, 1000), "f4")
    whole = pyclfft.dft(x)
    pyclfft.clear_cache()
    change_traits(global_mem_bytes=3 * 1000 * 8)
    assert np.array_equal(pyclfft.dft(x), whole)
    change_traits(global_mem_bytes=100)
    pyclfft.clear_cache()
    with pytest.raises(pyclfft.DeviceMemoryError):
        pyclfft.dft(x)


def test_other_queues_and_contexts(device, other_context):
    x = noise(64, "f4")
    queue = cl.CommandQueue(other_context)
    assert relative_error(pyclfft.dft(x, queue=queue), spectrum(x)) < 1e-6
    there = cl_array.to_device(queue, x)
    assert relative_error(pyclfft.dft(there).get(), spectrum(x)) < 1e-6
    with pytest.raises(pyclfft.PlanError, match="upload them to the queue"):
        pyclfft.dft(there, queue=pyclfft.default_queue())


def test_nothing_wanted(queue):
    assert pyclfft.dft(np.ones((3, 5), "f4"), []).shape == (3, 0)
    assert pyclfft.dft(np.ones((0, 5), "f4")).shape == (0, 5)
    there = cl_array.to_device(queue, np.ones((3, 5), "f4"))
    assert pyclfft.dft(there, []).shape == (3, 0)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([],), {}, "no samples along axis 0"),
        ((np.ones((2, 0)),), {}, "no samples along axis 1"),
        (([1, 2], [2]), {}, "bin 2 does not exist: 2 samples have the bins -2 to 1"),
        (([1, 2], [-3]), {}, "bin -3 does not exist"),
        (([1, 2], [0.5]), {}, "bins must be a list of integers"),
        (([1, 2], 1), {}, "bins must be a list of integers"),
        (([1, 2], [[1]]), {}, "bins must be a list of integers"),
        (([1, 2], [True]), {}, "bins must be a list of integers"),
        (([1, 2],), {"sign": 0}, "sign must be -1 or 1"),
        (([1, 2],), {"sign": "-"}, "sign must be -1 or 1"),
        (([1, 2],), {"variant": "fast"}, "variant"),
    ],
)
def test_bad_arguments(device, arguments, options, message):
    with pytest.raises(pyclfft.PlanError, match=message):
        pyclfft.dft(*arguments, **options)


def test_bad_arrays(device, change_traits):
    for x, axis in ((5, -1), ([1.0, 2.0], 1), ([1.0, 2.0], -2)):
        with pytest.raises(IndexError, match="no axis"):
            pyclfft.dft(x, axis=axis)
    with pytest.raises(pyclfft.PrecisionError, match="astype"):
        pyclfft.dft(np.ones(3, np.longdouble))
    with pytest.raises(pyclfft.PlanError, match="queue must be a pyopencl"):
        pyclfft.dft([1.0], queue="gpu")
    change_traits(fp64=False)
    pyclfft.clear_cache()
    with pytest.raises(pyclfft.PrecisionError, match="float32"):
        pyclfft.dft([1.0])


def test_local_memory_has_a_limit(device):
    """The error says how many samples fit, and what to choose instead."""
    numbers = describe.traits(device).local_mem_bytes // 4
    for dtype, most in (("f4", numbers), ("c8", numbers // 2)):
        with pytest.raises(pyclfft.PlanError, match=rf"{most:,}.*variant='tiled'"):
            pyclfft.dft(np.ones(most + 1, dtype), [0], variant="local")
        found = pyclfft.dft(np.ones(most, dtype), [0], variant="local")
        assert abs(found[0] - most) <= 1e-6 * most


def test_the_sequential_program_needs_numba(device, monkeypatch):
    slow_ft._compiled.cache_clear()
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(pyclfft.PlanError, match="pip install numba, or choose another variant"):
        pyclfft.dft([1.0], variant="sequential")
    slow_ft._compiled.cache_clear()


def test_too_many_samples_are_refused(device, monkeypatch):
    monkeypatch.setattr(direct_plans, "MAX_SAMPLES", 100)
    with pytest.raises(pyclfft.PlanError, match=r"at most 100 samples.*pyclfft\.fft"):
        pyclfft.dft(np.ones(101, "f4"))


def test_jobs_are_kept(device):
    pyclfft.clear_cache()
    for _ in range(3):
        pyclfft.dft(np.ones(8, "f4"))
    counts = pyclfft.cache_info().dfts
    assert (counts.hits, counts.misses, counts.max_size) == (2, 1, direct.MAX_JOBS)


def test_groups_of_the_reports_kernels(device):
    x = noise(100, "f4")
    wanted = wanted_bins(None, 100, real=True, sign=-1)
    for group in (1, 32):
        found = transformed(x, wanted, 0, variant="global", group=group)
        assert relative_error(found, spectrum(x)) < 1e-6


def test_blockings_of_devices():
    """Local memory of the smallest devices, 32 KiB, holds what a group copies."""
    for is_cpu, lanes in ((False, 32), (True, 4), (True, 8), (True, 16)):
        traits = replace(GENERIC, is_cpu=is_cpu, lanes=lanes, local_mem_bytes=2**15)
        for precision, size in (("single", 4), ("double", 8)):
            chosen = direct_plans.blocking_of(traits, precision)
            roots = 2 * (chosen.tiles + chosen.tile) * chosen.results
            assert (roots + 2 * chosen.tiles * chosen.tile) * size <= 32768
