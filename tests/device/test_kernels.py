"""Every kernel by itself, with its own macros and ranges, against NumPy or mpmath."""

from __future__ import annotations

import re
import shutil
from functools import partial
from itertools import product
from math import prod
from pathlib import Path

import mpmath
import numpy as np
import pyopencl as cl
import pytest
from numpy.lib.stride_tricks import as_strided

from pyclfft.bench import amd
from pyclfft.planning.factor import LARGE_PRIMES, RADICES, Stages
from pyclfft.planning.pass_parts import listed
from pyclfft.planning.planner import plan_passes
from pyclfft.planning.problem import make_problem
from pyclfft.planning.roots import roots_of_unity
from pyclfft.runtime import describe
from pyclfft.runtime import program as program_module
from pyclfft.runtime.program import kernel_files, kernel_folder, program, source_text
from tests.oracle import exact_dft, noise, reference, relative_error
from tests.pairwise import one_in, pairwise
from tests.recorded_traits import RECORDED

COMPLEX = {"single": np.complex64, "double": np.complex128}
REAL = {"single": np.float32, "double": np.float64}
SIGN = {"single": np.uint32(1 << 31), "double": np.uint64(1 << 63)}
GROUPS = ((16,), (8, 2), (8, 2, 1))  # by dimensions; ranges are rounded up to whole groups
GUARD = np.full(64, 0xA5, np.uint8)  # stands behind every buffer and must stay
EPSILON = {"single": 2.0**-23, "double": 2.0**-52}

uint, ulong = np.uint32, np.uint64


class Longs(tuple):
    """A vector of long."""


@pytest.fixture(params=COMPLEX)
def precision(request, device):
    if request.param == "double" and not describe.traits(device).fp64:
        pytest.skip(f"{device.name} has no double precision")
    return request.param


@pytest.fixture
def launch(queue):
    return partial(run, queue)


@pytest.fixture
def group_limit(device):
    return describe.traits(device).max_work_group_size


@pytest.fixture
def add_kernel(tmp_path, monkeypatch):
    """Put a file beside the kernels, for a function that none of them shows by itself."""

    def add(name, text):
        copy = Path(shutil.copytree(kernel_folder(), tmp_path / "cl"))
        (copy / name).write_text(text)
        monkeypatch.setattr(program_module, "kernel_folder", lambda: copy)

    return add


def run(queue, kernel, source, items, *arguments, group=None, precision="single", **macros):
    """Run a kernel and return its array arguments as it leaves them.

    Arrays become buffers (the same array twice, the same buffer), tuples vectors of uint, `Longs`
    vectors of long, and NumPy's scalars go by value.
    """
    limits = describe.traits(queue.device).max_work_item_sizes
    group = group or tuple(map(min, GROUPS[len(items) - 1], limits))
    defines = {"DOUBLE": int(precision == "double"), **macros}
    built = program(queue.context, source, tuple((k, str(v)) for k, v in defines.items()))
    function = cl.Kernel(built, kernel)
    buffers = []
    for position, argument in enumerate(arguments):
        earlier = [buffer for buffer, _, array in buffers if array is argument]
        if earlier:
            function.set_arg(position, earlier[0])
        elif isinstance(argument, np.ndarray):
            content = np.concatenate([argument.reshape(-1).view(np.uint8), GUARD])
            flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
            buffer = cl.Buffer(queue.context, flags, hostbuf=content)
            buffers.append((buffer, content, argument))
            function.set_arg(position, buffer)
        else:
            integer = np.int64 if isinstance(argument, Longs) else uint
            value = np.array(argument, integer) if isinstance(argument, tuple) else argument
            function.set_arg(position, value)
    sizes = tuple(-(-count // size) * size for count, size in zip(items, group, strict=True))
    cl.enqueue_nd_range_kernel(queue, function, sizes, group)
    results = []
    for buffer, content, argument in buffers:
        cl.enqueue_copy(queue, content, buffer)
        assert (content[argument.nbytes :] == GUARD).all(), "written behind the end"
        results.append(content[: argument.nbytes].view(argument.dtype).reshape(argument.shape))
    return results


def blank(shape, dtype):
    """An array whose every value is wrong, for a kernel to fill."""
    dtype = np.dtype(dtype)
    return np.full(shape, np.nan if dtype.kind in "fc" else 0x5A, dtype)


# --- spinFact -------------------------------------------------------------------------------------


def spin_factors(n):
    """All of them in float64, to about one unit in the last place of each part.

    cos(2 pi k / n) = sin(pi/2 (n - 4k) / n), so that small values come from small angles.
    """
    k = np.arange(n // 2)
    cosine = np.sin(np.pi / 2 * ((n - 4 * k) / n))
    return cosine - 1j * np.sin(2 * np.pi * (np.minimum(k, n // 2 - k) / n))


def exact_spin_factors(n, indices):
    """Their parts in 40 digits."""
    with mpmath.workdps(40):
        turns = [mpmath.mpf(2 * int(k)) / n for k in indices]
        return [(mpmath.cospi(turn), -mpmath.sinpi(turn)) for turn in turns]


def ulps(results, exact):
    """Largest error of any part, in units in the last place."""
    errors = [0.0]
    for result, parts in zip(results, exact, strict=True):
        for got, wanted in zip((result.real, result.imag), parts, strict=True):
            unit = np.spacing(np.abs(got.dtype.type(wanted))).item()
            with mpmath.workdps(40):
                errors.append(float(abs(mpmath.mpf(got.item()) - wanted) / unit))
    return max(errors)


POWERS = [2**k for k in range(1, 21)]
EVEN = [6, 10, 12, 14, 100, 1002, 5000, 65538, 99990, 1048574]


@pytest.mark.parametrize("n", POWERS + EVEN)
def test_spin_factors_are_right_to_the_last_bit(launch, precision, n):
    (w,) = launch(
        "spinFact", "textbook/spinFact.cl", (n // 2,), blank(n // 2, COMPLEX[precision]), uint(n),
        precision=precision,
    )  # fmt: skip
    wide = spin_factors(n)
    if precision == "single":
        for got, wanted in ((w.real, wide.real), (w.imag, wide.imag)):
            unit = np.spacing(np.abs(wanted.astype(np.float32))).astype(np.float64)
            assert (np.abs(got - wanted) <= 0.501 * unit).all()
    else:
        assert np.abs(w - wide).max() < 4e-16  # a slip where no sample below falls
    rng = np.random.default_rng(n)
    turns = (0, n // 8, n // 4, 3 * n // 8, n // 2)  # the series is longest at odd eighths
    special = {turn + step for turn in turns for step in range(-20, 21)}
    indices = [k for k in special | set(rng.integers(n // 2, size=100)) if 0 <= k < n // 2]
    assert ulps(w[indices], exact_spin_factors(n, indices)) <= 0.501


@pytest.mark.parametrize("n", [2**25 + 2, 2**28, 2**31 - 2, 2**31])
def test_spin_factors_of_lengths_that_a_float_does_not_hold(launch, precision, n, add_kernel):
    add_kernel(
        "factors.cl",
        '#include "textbook/spinFact.cl"\n'
        "kernel void sampled(global cplx *w, global const uint *indices, uint n)\n"
        "{\n"
        "    w[get_global_id(0)] = spin_factor(indices[get_global_id(0)], n);\n"
        "}\n",
    )
    indices = np.random.default_rng(n).integers(n // 2, size=256).astype(uint)
    indices[:4] = 1, n // 8 - 1, n // 4 + 1, n // 2 - 1
    w, _ = launch(
        "sampled", "factors.cl", (256,), blank(256, COMPLEX[precision]), indices, uint(n),
        precision=precision,
    )  # fmt: skip
    assert ulps(w, exact_spin_factors(n, indices)) <= 0.501


# --- radix 2 --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("log2_n", "rows"), [(1, 1), (1, 5), (3, 3), (5, 2), (10, 1), (13, 3)])
def test_bit_reverse(launch, precision, log2_n, rows):
    n = 2**log2_n
    x = noise((rows, n), COMPLEX[precision])
    order = [int(f"{j:0{log2_n}b}"[::-1], 2) for j in range(n)]
    source, result = launch(
        "bitReverse", "textbook/bitReverse.cl", (n, rows), x, blank(x.shape, x.dtype), uint(log2_n),
        uint(rows), precision=precision,
    )  # fmt: skip
    np.testing.assert_array_equal(result, x[:, order])
    np.testing.assert_array_equal(source, x)


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize(("log2_n", "rows"), [(1, 1), (1, 3), (4, 5), (7, 3)])
def test_butterfly(launch, precision, log2_n, rows, inverse):
    """Each stage alone; a sum stored over an input that is still needed would show in all."""
    n = 2**log2_n
    w = roots_of_unity(n, precision)[: n // 2]
    sign_flag = SIGN[precision] * inverse
    for stage in range(1, log2_n + 1):
        x = noise((rows, n), COMPLEX[precision], stage)
        result, table = launch(
            "butterfly", "textbook/butterfly.cl", (n // 2, rows), x, w, uint(log2_n), uint(stage),
            uint(rows), sign_flag.astype(SIGN[precision].dtype), precision=precision,
        )  # fmt: skip
        span = 2 ** (stage - 1)
        pairs = x.astype(np.complex128).reshape(rows, -1, 2, span)
        factors = np.exp((2j if inverse else -2j) * np.pi * np.arange(span) / (2 * span))
        upper, lower = pairs[:, :, 0], pairs[:, :, 1] * factors
        expected = np.stack([upper + lower, upper - lower], axis=2).reshape(rows, n)
        np.testing.assert_allclose(result, expected, rtol=0, atol=8 * EPSILON[precision])
        np.testing.assert_array_equal(table, w)


# --- the ladder -----------------------------------------------------------------------------------


def bit_reversed(n):
    """The indices of n points in bit-reversed order."""
    log2_n = n.bit_length() - 1
    return np.array([int(f"{j:0{log2_n}b}"[::-1], 2) for j in range(n)])


def combined(x, stage, inverse):
    """Stage 0, 1 ... of rows in bit-reversed order."""
    span = 2**stage
    pairs = x.astype(np.complex128).reshape(len(x), -1, 2, span)
    factors = np.exp((2j if inverse else -2j) * np.pi * np.arange(span) / (2 * span))
    upper, lower = pairs[:, :, 0], pairs[:, :, 1] * factors
    return np.stack([upper + lower, upper - lower], axis=2).reshape(x.shape)


def neighbours(x, stage):
    """What ladder4 reads: of each place, its index with the bit of the stage as the lowest one.

    The bits above that one follow it in their order, and those below come before them.
    """
    n = x.shape[1]
    log2_n = n.bit_length() - 1
    places = np.arange(n)
    return x[:, (places << stage | places >> (log2_n - stage)) % n]


# How rows lie before and after a stage: from a row in bit-reversed order.
LADDER_ORDERS = {
    "ladder1": lambda x, stage: x[:, bit_reversed(x.shape[1])],
    "ladder2": lambda x, stage: x[:, bit_reversed(x.shape[1])],
    "ladder3": lambda x, stage: x,
    "ladder4": neighbours,
}


@pairwise(
    {
        "in_place": [False, True],
        "inverse": [False, True],
        "log2_n, rows": [(1, 1), (1, 3), (4, 5), (7, 3)],
        "kernel": list(LADDER_ORDERS),
    }
)
def test_stages_of_the_ladder(launch, precision, kernel, log2_n, rows, inverse, in_place):
    """Each alone; the last of the first two leaves its results in order."""
    lying, n = LADDER_ORDERS[kernel], 2**log2_n
    sign_flag = (SIGN[precision] * inverse).astype(SIGN[precision].dtype)
    for stage in range(log2_n):
        moves = kernel in ("ladder1", "ladder2") and stage == log2_n - 1
        if moves and in_place:
            continue
        x = noise((rows, n), COMPLEX[precision], stage)
        source = np.ascontiguousarray(lying(x, stage))
        target = source if in_place else blank(x.shape, x.dtype)
        results = launch(
            kernel, "textbook/ladder.cl", (n // 2, rows), source, target, uint(n), uint(stage),
            uint(rows), sign_flag, precision=precision,
        )  # fmt: skip
        expected = combined(x, stage, inverse)
        expected = expected if moves else lying(expected, stage)
        np.testing.assert_allclose(results[-1], expected, rtol=0, atol=8 * EPSILON[precision])
        if not in_place:
            np.testing.assert_array_equal(results[0], source)


def test_a_stage_of_the_fourth_rung_combines_neighbours(launch):
    """Changing places 2g and 2g + 1 changes nothing elsewhere."""
    n = 16
    x = noise((1, n), "c8")
    for stage, pair in product(range(4), range(n // 2)):
        changed = x.copy()
        changed[0, 2 * pair : 2 * pair + 2] += 1
        before, after = (
            launch("ladder4", "textbook/ladder.cl", (n // 2, 1), source, blank(x.shape, x.dtype),
                   uint(n), uint(stage), uint(1), np.uint32(0))[-1]
            for source in (x, changed)
        )  # fmt: skip
        differs = np.flatnonzero(before[0] != after[0])
        assert {*differs} <= {2 * pair, 2 * pair + 1}
        assert differs.size


@pytest.mark.parametrize(("log2_n", "rows"), [(1, 3), (2, 1), (4, 5), (7, 3)])
def test_permute_array(launch, precision, log2_n, rows):
    """It makes neighbours of the next stage's pairs; after the last stage, rows are in order."""
    n = 2**log2_n
    for stage in range(log2_n):
        x = noise((rows, n), COMPLEX[precision], stage)
        source = np.ascontiguousarray(neighbours(x, stage))
        _, result = launch(
            "permuteArray", "textbook/ladder.cl", (n // 2, rows), source, blank(x.shape, x.dtype),
            uint(n), uint(rows), precision=precision,
        )  # fmt: skip
        expected = neighbours(x, stage + 1) if stage + 1 < log2_n else x
        np.testing.assert_array_equal(result, expected)


@pairwise({"items": [1, 3, 16], "inverse": [False, True], "log2_n, rows": [(1, 3), (5, 2), (9, 1)]})
def test_compact(launch, precision, log2_n, rows, inverse, items, group_limit):
    """One work-item, some, and as many as there are pairs in a short row."""
    n = 2**log2_n
    items = min(items, n // 2, group_limit)
    x = noise((rows, n), COMPLEX[precision])
    source, result = launch(
        "compact", "textbook/ladder.cl", (rows * items,), x, blank(x.shape, x.dtype),
        (SIGN[precision] * inverse).astype(SIGN[precision].dtype), group=(items,),
        precision=precision, POINTS=n,
    )  # fmt: skip
    expected = reference("ifft", x, norm="forward") if inverse else reference("fft", x)
    assert relative_error(result, expected) < 3 * EPSILON[precision]
    np.testing.assert_array_equal(source, x)


@pytest.mark.parametrize("way", ["pair_by_arithmetic", "pair_by_bits"])
def test_pairs_of_the_first_rungs(launch, add_kernel, way):
    """As far as floats count: stride, position and place of every pair are exact."""
    add_kernel(
        "pairs.cl",
        '#include "textbook/ladder.cl"\n'
        "kernel void sampled(global uint4 *results, global const uint *indices, uint n,\n"
        "                    uint stage)\n"
        "{\n"
        "    uint i = get_global_id(0);\n"
        f"    Pair pair = {way}(indices[i], n, stage);\n"
        "    results[i] = (uint4)(pair.log2_n, pair.stride, pair.position, pair.upper);\n"
        "}\n",
    )
    for log2_n in range(1, 25):
        indices = np.random.default_rng(log2_n).integers(2**log2_n // 2, size=64).astype(uint)
        indices[:2] = 0, 2**log2_n // 2 - 1
        for stage in {0, log2_n // 2, log2_n - 1}:
            found, _ = launch(
                "sampled", "pairs.cl", (64,), blank((64, 4), uint), indices, uint(2**log2_n),
                uint(stage),
            )  # fmt: skip
            group, position = np.divmod(indices, 2**stage)
            upper = 2 * group * 2**stage + position
            sizes = (np.full(64, value) for value in (log2_n, 2**stage))
            np.testing.assert_array_equal(found, np.stack([*sizes, position, upper], axis=1))


def test_bits_are_reversed_by_a_loop(launch, add_kernel):
    add_kernel(
        "reversals.cl",
        '#include "textbook/ladder.cl"\n'
        "kernel void sampled(global uint *results, global const uint *indices, uint log2_n)\n"
        "{\n"
        "    uint i = get_global_id(0);\n"
        "    results[i] = reverse_by_loop(indices[i], log2_n);\n"
        "}\n",
    )
    for log2_n in (1, 2, 7, 24):
        indices = np.random.default_rng(log2_n).integers(2**log2_n, size=256).astype(uint)
        indices[:3] = 0, 1, 2**log2_n - 1
        found, _ = launch(
            "sampled", "reversals.cl", (256,), blank(256, uint), indices, uint(log2_n)
        )  # fmt: skip
        assert found.tolist() == [int(f"{i:0{log2_n}b}"[::-1], 2) for i in indices]


@pytest.mark.parametrize("count", [1, 15, 16, 1000])
def test_norm(launch, precision, count):
    x = noise(count, COMPLEX[precision])
    scale = REAL[precision](1 / 7)
    (result,) = launch(
        "norm", "textbook/norm.cl", (count,), x, ulong(count), scale, precision=precision
    )  # fmt: skip
    np.testing.assert_allclose(result, x * scale, rtol=EPSILON[precision])


# --- stockham -------------------------------------------------------------------------------------


def stage_tables(radices, precision):
    """exp(-2 pi i r j / (R S)) for every stage: 0 < r < R, 0 <= j < S, by the kernel's comment."""
    tables, span = [], 1
    for radix in radices:
        turns = np.outer(np.arange(1, radix), np.arange(span)) / (radix * span)
        tables.append(np.exp(-2j * np.pi * turns).ravel())
        span *= radix
    return np.concatenate(tables).astype(COMPLEX[precision])


def memory_order(x, columns):
    """Transforms by set, column and point, as they lie in memory."""
    return np.ascontiguousarray(x.swapaxes(1, 2) if columns else x)


def stockham(
    launch, x, radices, precision, *, items=0, group=1, load_columns=0, store_columns=0, split=0,
    halves=0, twist=0, inverse=0, backward=0, scale=1.0, in_place=False,
):  # fmt: skip
    """Transform the last axis of (sets, columns, points); layouts are those of memory only."""
    outer, inner, n = x.shape
    stages = Stages(radices, items or n // max(radices))
    source = memory_order(x, load_columns)
    target = source if in_place else blank(memory_order(x, store_columns).shape, x.dtype)
    tables, columns = [stage_tables(radices, precision)], {}
    digits = max(1, -(-(n * inner - 1).bit_length() // twist)) if twist else 2
    if twist:
        powers = np.arange(1 << twist) << twist * np.arange(digits)[:, None]
        tables.append(np.exp(-2j * np.pi * powers / (n * inner)).astype(x.dtype))
        columns = {"COLUMNS_0": 1}
    size, count = stages.items * group, outer * inner
    rows = Longs((n, n * inner, 0, 0)), Longs((0, 1))  # distances, first element and unit
    lanes = Longs((1, n * inner, 0, 0)), Longs((0, inner))
    near, far = (lanes if by_columns else rows for by_columns in (load_columns, store_columns))
    banks = 128 // x.itemsize << split
    room = max(1, stages.room(max(1, banks // group) if load_columns else banks, halves)) | 1
    results = launch(
        "stockham", "gpu/stockham.cl", (-(-count // group) * size,), source, target, *tables,
        uint(count), (inner, outer, 1, 1), near[0], far[0], near[1], far[1], Longs((0, 0)),
        uint(2**32 - 1), COMPLEX[precision](scale), uint(3 * inverse + 16 * backward),
        group=(size,), precision=precision, N=n, ITEMS=stages.items, TRANSFORMS=group,
        ELEMENTS=stages.elements, RADICES=listed(radices), SPLIT=split, HALVES=halves,
        PRIMES=int(any(radix in LARGE_PRIMES for radix in radices)),
        LOAD_COLUMNS=load_columns, STORE_COLUMNS=store_columns, TWIST=twist, DIGITS=digits,
        ROOM=room, PITCH=group + (load_columns and not store_columns), DIMENSIONS=2,
        BANKS=max(1, banks // group) if load_columns else banks, **columns,
    )  # fmt: skip
    if not in_place:
        np.testing.assert_array_equal(results[0], source)
    result = results[0 if in_place else 1]
    return result.swapaxes(1, 2) if store_columns else result


def assert_transforms(launch, shape, radices, precision, **options):
    """Both directions, with a scale, against SciPy in long double."""
    n, inner = shape[2], shape[1]
    x = noise(shape, COMPLEX[precision])
    twisted = np.outer(np.arange(inner), np.arange(n)) / (n * inner)
    for inverse, sign in ((0, -2j), (1, 2j)):
        expected = reference("ifft", x, norm="forward") if inverse else reference("fft", x)
        if options.get("twist"):
            expected = expected * np.exp(sign * np.pi * twisted)
        result = stockham(
            launch, x, radices, precision, inverse=inverse, backward=inverse, scale=1 / 8, **options
        )  # fmt: skip
        assert relative_error(result, expected / 8) < 3 * EPSILON[precision]


LARGE = [
    pytest.param(prime, marks=() if prime in (17, 29) else pytest.mark.full)
    for prime in LARGE_PRIMES
]


@pytest.mark.parametrize("radix", [*RADICES, *LARGE])
def test_codelet(launch, precision, radix):
    """Every impulse becomes a wave, and noise its transform, to a few units of the last place."""
    waves = stockham(launch, np.eye(radix, dtype=COMPLEX[precision])[None], (radix,), precision)[0]
    x = noise((1, 1, radix), COMPLEX[precision])
    exact = [exact_dft(row) for row in np.eye(radix)]
    exact = np.array([[complex(value) for value in row] for row in exact])
    assert np.abs(waves - exact).max() <= 2 * EPSILON[precision]
    np.testing.assert_array_equal(waves[0], np.ones(radix))
    np.testing.assert_array_equal(waves[:, 0], np.ones(radix))
    exact = np.array([complex(value) for value in exact_dft(x[0, 0])])
    assert relative_error(stockham(launch, x, (radix,), precision), exact) < 2 * EPSILON[precision]


VARIANTS = tuple(product((0, 1), repeat=4))  # LOAD_COLUMNS, STORE_COLUMNS, SPLIT, TWIST


def options_of(variant, bits):
    columns = dict(zip(("load_columns", "store_columns", "split"), variant, strict=False))
    return {**columns, "twist": bits * variant[3]}


@pytest.mark.one_cpu
@pytest.mark.parametrize("split", [0, 1])
@pytest.mark.parametrize(("load_columns", "store_columns"), [*product((0, 1), repeat=2)])
@pytest.mark.parametrize("radices", [(2, 4), (4, 6, 2), (2, 2, 2, 2, 2)])
def test_stockham_in_halves(launch, radices, load_columns, store_columns, split, group_limit):
    """Three digits of exponents, too."""
    n = int(np.prod(radices))
    items = n // max(radices)
    if group_limit < 3 * items:
        pytest.skip(f"groups have {group_limit} work-items at most")
    assert_transforms(
        launch, (2, 7, n), radices, "single", items=items, group=3, split=split, halves=1,
        load_columns=load_columns, store_columns=store_columns, twist=3,
    )  # fmt: skip


@pytest.mark.one_cpu
@pytest.mark.parametrize("variant", VARIANTS)
def test_stockham_in_every_layout(launch, precision, variant, group_limit):
    """Three stages, butterflies that some work-items do not have, and a batch with a remainder."""
    if group_limit < 4 * 9:
        pytest.skip(f"groups have {group_limit} work-items at most")
    assert_transforms(
        launch, (3, 5, 60), (4, 5, 3), precision, items=9, group=4, **options_of(variant, 5)
    )


def triples():
    """Every radix in the first, the middle and the last place once."""
    count = len(RADICES)
    return [tuple(RADICES[(i + step) % count] for step in (0, 5, 10)) for i in range(count)]


@pytest.mark.one_cpu
@pytest.mark.parametrize("index", range(len(RADICES)))
def test_every_radix_in_every_place(launch, device, index):
    traits = describe.traits(device)
    precision = "double" if traits.fp64 and index % 3 == 0 else "single"
    radices, variant = triples()[index], VARIANTS[5 * index % len(VARIANTS)]
    n = int(np.prod(radices))
    items = n // max(radices)
    group = 3 if n < 300 else 1
    room = group * n * 3 // 2 * np.dtype(COMPLEX[precision]).itemsize
    if group * items > traits.max_work_group_size or room > traits.local_mem_bytes:
        pytest.skip(f"{n} points do not fit a work-group")
    assert_transforms(
        launch, (2, 7, n), radices, precision, items=items, group=group, **options_of(variant, 6)
    )


@pytest.mark.one_cpu
@pytest.mark.parametrize(
    ("radices", "items", "group"),
    [
        ((17, 3, 19), 57, 1),
        ((2, 31), 2, 5),
        ((7,), 1, 3),
        ((3,), 1, 16),
        ((4, 2), 1, 5),  # all of a transform in one work-item
        ((13, 11, 7), 77, 1),
        ((6, 5, 2), 4, 3),
        ((2, 2, 2, 2, 3, 2), 24, 2),  # six stages
    ],
)
@pytest.mark.parametrize("columns", [0, 1])
def test_stockham_in_place(launch, radices, items, group, columns, group_limit):
    """Each group reads all that it overwrites before it does."""
    if items * group > group_limit:
        pytest.skip(f"groups have {group_limit} work-items at most")
    shape = (2, 9, int(np.prod(radices)))
    assert_transforms(
        launch, shape, radices, "single", items=items, group=group, in_place=True,
        load_columns=columns, store_columns=columns,
    )  # fmt: skip


# --- transpositions -------------------------------------------------------------------------------

MATRICES = [(1, 1, 1), (1, 1, 37), (2, 37, 1), (1, 31, 17), (3, 16, 16), (2, 5, 129), (1, 64, 33)]


@pytest.mark.parametrize("shape", MATRICES)
def test_transpose(launch, precision, shape):
    batch, rows, columns = shape
    x = noise(shape, COMPLEX[precision])
    _, result = launch(
        "transpose", "textbook/transpose.cl", (columns, rows, batch), x,
        blank((batch, columns, rows), x.dtype), uint(rows), uint(columns), precision=precision,
    )  # fmt: skip
    np.testing.assert_array_equal(result, x.transpose(0, 2, 1))


@pytest.mark.parametrize(
    ("tile", "precision"),
    [
        (1, "single"),
        (2, "double"),
        (3, "single"),
        (8, "double"),
        (16, "single"),
        (16, "double"),
        (32, "single"),
    ],
    indirect=["precision"],
)
def test_transpose_blocked(launch, precision, tile, group_limit):
    if tile**2 > group_limit:
        pytest.skip(f"groups have {group_limit} work-items at most")
    for shape in MATRICES:
        batch, rows, columns = shape
        x = noise(shape, COMPLEX[precision])
        _, result = launch(
            "transposeBlocked", "textbook/transpose.cl", (columns, rows, batch), x,
            blank((batch, columns, rows), x.dtype), uint(rows), uint(columns),
            group=(tile, tile, 1), precision=precision, TILE=tile,
        )  # fmt: skip
        np.testing.assert_array_equal(result, x.transpose(0, 2, 1))


# --- direct ---------------------------------------------------------------------------------------


def direct(launch, x, tile, precision, *, inverse=False, scale=1.0):
    rows, n = x.shape
    return launch(
        "direct", "textbook/direct.cl", (n, rows), x, blank(x.shape, x.dtype),
        roots_of_unity(n, precision), uint(n),
        (SIGN[precision] * inverse).astype(SIGN[precision].dtype), REAL[precision](scale),
        group=(tile, 1), precision=precision, TILE=tile,
    )[1]  # fmt: skip


@pytest.mark.parametrize(
    ("tile", "precision"),
    [(1, "double"), (3, "single"), (64, "single"), (64, "double"), (256, "single")],
    indirect=["precision"],
)
def test_direct(launch, precision, tile, group_limit):
    if tile > group_limit:
        pytest.skip(f"groups have {group_limit} work-items at most")
    for n in (1, 2, 3, 7, 31, 64, 65, 100, 257):
        x = noise((3, n), COMPLEX[precision], n)
        wide = x.astype(np.complex128)
        forward = direct(launch, x, tile, precision)
        backward = direct(launch, x, tile, precision, inverse=True, scale=1 / n)
        assert relative_error(forward, np.fft.fft(wide)) < 4 * EPSILON[precision]
        assert relative_error(backward, np.fft.ifft(wide)) < 4 * EPSILON[precision]


@pytest.mark.parametrize(
    ("n", "precision", "bound"),
    [(10007, "single", 2.5e-7), (30011, "single", 2.5e-7), (10007, "double", 1e-15)],
    indirect=["precision"],
)
def test_direct_errors_do_not_grow_with_the_length(launch, n, precision, bound):
    x = noise((1, n), COMPLEX[precision])
    result = direct(launch, x, 64, precision)
    assert relative_error(result, np.fft.fft(x.astype(np.complex128))) < bound


# --- copy -----------------------------------------------------------------------------------------

LAYOUTS = [  # wanted shape, shape and strides (in elements) of the source, index of its first one
    ((5,), (5,), (1,), 0),
    ((9,), (5,), (2,), 3),
    ((3,), (5,), (-1,), 4),
    ((4, 6), (4, 6), (1, 4), 0),
    ((3, 8), (7, 5), (5, 1), 0),
    ((2, 3, 4), (2, 3, 4), (0, 4, 1), 1),
    ((3, 1, 4, 2), (2, 2, 6, 1), (40, 20, 3, 1), 2),
]


def cut_to(x, shape):
    """Cropped, or filled with zeros."""
    cut = x[tuple(slice(extent) for extent in shape)]
    result = np.zeros(shape, x.dtype)
    result[tuple(slice(extent) for extent in cut.shape)] = cut
    return result


@pytest.mark.parametrize(
    "kinds", [("REAL", "COMPLEX"), ("COMPLEX", "COMPLEX"), ("COMPLEX", "REAL")]
)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_copy(launch, precision, layout, kinds):
    """To an array in column order, with a gap before it."""
    shape, given, strides, offset = layout
    types = {"REAL": REAL[precision], "COMPLEX": COMPLEX[precision]}
    memory = noise(100, types[kinds[0]])
    steps = [stride * memory.itemsize for stride in strides]
    expected = cut_to(as_strided(memory[offset:], given, steps), shape)
    steps_out = [int(np.prod(shape[:d])) for d in range(len(shape))]
    rows = zip(shape, given, strides, steps_out, strict=True)
    geometry = np.array([offset, 3, *(number for row in rows for number in row)], np.int64)
    count = expected.size
    _, result, _ = launch(
        "copy", "copy.cl", (count,), memory, blank(count + 5, types[kinds[1]]), geometry,
        ulong(count), precision=precision, SOURCE=kinds[0], TARGET=kinds[1], DIMENSIONS=len(shape),
    )  # fmt: skip
    expected = expected.real if kinds[1] == "REAL" else expected
    np.testing.assert_array_equal(result[3:-2].reshape(shape, order="F"), expected)
    assert np.isnan(result[[0, 1, 2, -2, -1]]).all()


@pairwise({"filled": [2, 4, 5, 9], "n": [1, 2, 7, 8], "mirror": [0, 1, 2]})
def test_copy_of_half_a_spectrum(launch, precision, mirror, n, filled):
    """The other half is its conjugate; imaginary parts of what is its own image are dropped."""
    shape, given = [3, 4, 2], [3, 4, 2]
    shape[mirror], given[mirror] = n, filled
    x = noise(given, COMPLEX[precision])
    half = cut_to(x, [n // 2 + 1 if d == mirror else e for d, e in enumerate(shape)])
    half = np.moveaxis(half, mirror, -1)
    half[..., 0] = half[..., 0].real
    if n % 2 == 0:
        half[..., n // 2] = half[..., n // 2].real
    full = np.concatenate([half, half[..., (n - 1) // 2 : 0 : -1].conj()], axis=-1)
    expected = np.moveaxis(full, -1, mirror)
    strides = [stride // x.itemsize for stride in x.strides]
    steps_out = [stride // x.itemsize for stride in np.empty(shape, x.dtype).strides]
    rows = zip(shape, given, strides, steps_out, strict=True)
    geometry = np.array([0, 0, *(number for row in rows for number in row)], np.int64)
    _, result, _ = launch(
        "copy", "copy.cl", (expected.size,), x, blank(shape, x.dtype), geometry,
        ulong(expected.size), precision=precision, SOURCE="HERMITIAN", TARGET="COMPLEX",
        DIMENSIONS=3, MIRROR=mirror,
    )  # fmt: skip
    np.testing.assert_array_equal(result, expected)


# --- filters --------------------------------------------------------------------------------------


def squared_distances(rows, columns, row_weight=1, column_weight=1):
    dr, dc = (np.fft.fftfreq(n, 1 / n).round().astype(np.int64) for n in (rows, columns))
    return row_weight * dr[:, None] ** 2 + column_weight * dc[None, :] ** 2


def expected_gain(kind, shape, distance, low, high, order):
    """Gains for squared distances and squared cut-offs."""

    def lowpass(cutoff):
        if shape == "ideal" or cutoff == 0:
            return (distance < cutoff).astype(float)
        if shape == "gaussian":
            return np.exp(-distance / (2 * cutoff))
        with np.errstate(over="ignore"):
            return 1 / (1 + (distance / cutoff) ** order)

    gains = {
        "lowpass": lowpass(high),
        "highpass": 1 - lowpass(low),
        "bandpass": lowpass(high) * (1 - lowpass(low)),
    }
    return gains[kind] if kind in gains else 1 - gains["bandpass"]


@pytest.mark.parametrize(
    ("size", "weights", "pass_from"),
    [
        ((8, 8), (1, 1), 4),
        ((7, 10), (1, 1), 5),
        ((9, 5), (25, 81), 700),
        ((1, 12), (1, 1), 9),
        ((6, 6), (1, 1), 0),
        ((6, 6), (1, 1), 100),
        ((4, 4), (2**59, 2**59), 2**60),
    ],
)
def test_high_pass_filter(launch, precision, size, weights, pass_from):
    x = noise((2, *size), COMPLEX[precision])
    keep = squared_distances(*size, *weights) >= pass_from
    (result,) = launch(
        "highPassFilter", "textbook/highPassFilter.cl", (*size[::-1], 2), x, *map(uint, size),
        *map(ulong, (*weights, pass_from)), precision=precision,
    )  # fmt: skip
    np.testing.assert_array_equal(result, x * keep)


KINDS = ("lowpass", "highpass", "bandpass", "bandstop")
SHAPES = ("ideal", "gaussian", "butterworth")
BANDS = [  # size, weights, squared cut-offs, order
    ((8, 8), (1, 1), (4, 9), 2),
    ((7, 10), (1, 1), (5, 13), 1),
    ((9, 4), (16, 81), (300, 700), 3.5),
    ((5, 1), (1, 1), (0, 2), 2),
    ((6, 9), (1, 1), (0, 0), 2),
    ((10, 11), (1, 1), (9, 25), 1e30),
]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", KINDS)
def test_band_filter(launch, device, kind, shape):
    # All combinations would take four times as long to compile: they come in turn.
    turn = KINDS.index(kind) + SHAPES.index(shape)
    fp64 = describe.traits(device).fp64
    keep_dc, precision = turn % 2, "double" if turn // 2 % 2 and fp64 else "single"
    for size, weights, (low, high), order in BANDS:
        x = noise((2, *size), COMPLEX[precision])
        gain = expected_gain(kind, shape, squared_distances(*size, *weights), low, high, order)
        if keep_dc:
            gain[0, 0] = 1
        (result,) = launch(
            "bandFilter", "textbook/highPassFilter.cl", (*size[::-1], 2), x, *map(uint, size),
            *map(ulong, (*weights, low, high)), *map(REAL[precision], (low, high, order)),
            precision=precision, KIND=KINDS.index(kind), SHAPE=SHAPES.index(shape),
            KEEP_DC=keep_dc,
        )  # fmt: skip
        np.testing.assert_allclose(result, x * gain, rtol=0, atol=16 * EPSILON[precision])


# --- pixels ---------------------------------------------------------------------------------------

LUMA = np.array([0.299, 0.587, 0.114])
PIXEL_TYPES = {"uchar": (np.uint8, 255), "ushort": (np.uint16, 65535), "real": (None, 1)}
PADS = ("constant", "edge", "symmetric")


def image_of(pixel, precision, size, channels):
    dtype, top = PIXEL_TYPES[pixel]
    rng = np.random.default_rng(3)
    if dtype is None:
        return rng.random((*size, channels)).astype(REAL[precision]), top
    return rng.integers(0, top, (*size, channels), endpoint=True).astype(dtype), top


def planes_of(image, luma):
    wide = image.astype(np.float64)
    if luma:
        return (wide @ LUMA)[None]
    return wide.transpose(2, 0, 1)


PIXEL_CASES = [  # loaded and stored with the same macros, so that each is compiled once
    ("uchar", "single", 1, 0, 0, 1, "max", (5, 7), (5, 7), 255),
    ("uchar", "single", 3, 1, 2, 0, "clip", (3, 4), (8, 32), 200),
    ("uchar", "double", 3, 0, 1, 0, "none", (5, 7), (8, 16), 255),
    ("ushort", "single", 3, 1, 0, 1, "stretch", (6, 2), (16, 9), 4095),
    ("ushort", "single", 1, 0, 2, 0, "clip", (1, 9), (7, 32), 65535),
    ("ushort", "double", 3, 0, 1, 1, "max", (4, 4), (16, 16), 65535),
    ("real", "single", 3, 0, 2, 0, "stretch", (1, 1), (4, 5), 1),
    ("real", "double", 3, 1, 1, 1, "none", (2, 3), (9, 8), 1),
    ("real", "double", 1, 0, 0, 0, "clip", (9, 1), (16, 2), 0.75),
]
SCALES = ("none", "clip", "max", "stretch")
NO_STACK = np.zeros(3, np.int64)  # the axes of a stack, of which one image has none
pixel_cases = pytest.mark.parametrize(
    ("pixel", "precision", "channels", "luma", "pad", "magnitude", "scale", "size", "plane", "top"),
    PIXEL_CASES,
    indirect=["precision"],
)


def pixel_macros(pixel, channels, luma, pad, magnitude, scale):
    return {
        "PIXEL": pixel,
        "RESULT_PIXEL": "real" if scale == "none" else pixel,
        "ROUND": int(pixel != "real"),
        "CHANNELS": channels,
        "LUMA": luma,
        "PAD": pad,
        "MAGNITUDE": magnitude,
        "SCALE": SCALES.index(scale),
    }


@pixel_cases
def test_load_pixels(
    launch, pixel, precision, channels, luma, pad, magnitude, scale, size, plane, top
):
    image, greatest = image_of(pixel, precision, size, channels)
    wide = planes_of(image, luma)
    around = [(0, 0)]
    for extent, wanted in zip(size, plane, strict=True):
        before = (wanted - extent) // 2
        around.append((before, wanted - extent - before))
    expected = np.pad(wide, around, PADS[pad])
    _, result, _ = launch(
        "loadPixels", "image/pixels.cl", (*plane[::-1], len(wide)), image,
        blank(expected.shape, COMPLEX[precision]), (*plane, *size), rows_of(image), NO_STACK,
        precision=precision, **pixel_macros(pixel, channels, luma, pad, magnitude, scale),
    )  # fmt: skip
    np.testing.assert_allclose(result, expected, rtol=0, atol=4 * EPSILON[precision] * greatest)


def rows_of(image):
    """Where an image begins, and elements from one row to the next, as pixels.cl has them."""
    return Longs((0, image.shape[1] * prod(image.shape[2:])))


def framed(planes, size):
    """The image within its planes."""
    rows, columns = ((n - m) // 2 for n, m in zip(planes.shape[1:], size, strict=True))
    return planes[:, rows : rows + size[0], columns : columns + size[1]].astype(np.complex128)


@pytest.mark.parametrize(
    ("group", "groups", "magnitude", "channels", "luma", "size", "plane", "precision"),
    [
        (1, 1, 1, 1, 0, (3, 4), (3, 4), "single"),
        (2, 3, 0, 3, 0, (5, 2), (8, 7), "double"),
        (64, 5, 1, 3, 1, (30, 11), (32, 32), "single"),
        (128, 2, 0, 1, 0, (17, 19), (17, 20), "double"),
    ],
    indirect=["precision"],
)
def test_extrema(
    launch, group_limit, group, groups, magnitude, channels, luma, size, plane, precision
):
    if group > group_limit:
        pytest.skip(f"groups have {group_limit} work-items at most")
    image = noise((*size, channels), REAL[precision])
    planes = noise((1 if luma else channels, *plane), COMPLEX[precision])
    values = framed(planes, size)
    values = np.abs(values) if magnitude else values.real
    _, _, parts, _ = launch(
        "extrema", "image/pixels.cl", (group * groups,), planes, image,
        blank((groups, 4), REAL[precision]), (*plane, *size), rows_of(image), NO_STACK,
        group=(group,), precision=precision, GROUP=group, PIXEL="real", CHANNELS=channels,
        LUMA=luma, MAGNITUDE=magnitude,
    )  # fmt: skip
    found = parts[:, 0].min(), parts[:, 1].max(), parts[:, 2].max()
    peak = np.abs(planes_of(image, luma)).max()
    tolerance = 4 * EPSILON[precision]
    np.testing.assert_allclose(found, (values.min(), values.max(), peak), rtol=tolerance)
    assert ((parts[:, 0] >= values.min() - tolerance) & (parts[:, 0] <= parts[:, 1])).all()


MAX, STRETCH = 2, 3


@pytest.mark.parametrize(
    ("count", "group", "scale", "extremes", "expected"),
    [
        (1, 4, MAX, (0.25, 3, 5), (0, 3)),
        (3, 4, STRETCH, (0.25, 3, 5), (0.25, 3)),
        (77, 4, MAX, (-2, 3, 5), (0, 3)),
        (256, 64, STRETCH, (-2, 3, 5), (-2, 3)),
        (9, 4, MAX, (0, 1e-6, 5), (0, 0)),  # as small as rounding errors
        (9, 4, STRETCH, (2, 2 + 2**-20, 5), (2, 2)),
        (9, 4, MAX, (0, 1e-6, 0.01), (0, 1e-6)),
        (9, 4, MAX, (-3, -1, 5), (0, 0)),  # nothing above 0
        (9, 4, STRETCH, (0, 0, 0), (0, 0)),
    ],
)
def test_extrema_of_parts(launch, count, group, scale, extremes, expected):
    least, greatest, peak = extremes
    parts = np.zeros((count, 4), np.float32)
    rng = np.random.default_rng(count)
    parts[:, :2] = np.sort(rng.uniform(least, greatest, (count, 2)), axis=1)
    parts[:, 2] = rng.uniform(0, peak, count)
    for column, value in enumerate(extremes):
        parts[rng.integers(count), column] = value
    _, result = launch(
        "extremaOfParts", "image/pixels.cl", (group,), parts, blank(2, np.float32), uint(count),
        group=(group,), GROUP=group, SCALE=scale,
    )  # fmt: skip
    np.testing.assert_array_equal(result, np.array(expected, np.float32))


def expected_pixels(planes, image, size, scale, luma, magnitude, top, found):
    """Before they are rounded."""
    values = framed(planes, size)
    values = np.abs(values) if magnitude else values.real
    if scale == "max":
        values = values * top / found[1]
    elif scale == "stretch":
        values = (values - found[0]) * top / (found[1] - found[0])
    result = values.transpose(1, 2, 0)
    if luma:
        wide = image.astype(np.float64)
        result = result + wide - planes_of(image, 1).transpose(1, 2, 0)
    return result if scale == "none" else result.clip(0, top)


@pixel_cases
def test_store_pixels(
    launch, pixel, precision, channels, luma, pad, magnitude, scale, size, plane, top
):
    image, greatest = image_of(pixel, precision, size, channels)
    planes = noise((1 if luma else channels, *plane), COMPLEX[precision]) * REAL[precision](3 * top)
    found = np.array([0 if scale == "max" else -0.5 * top, 1.5 * top], REAL[precision])
    macros = pixel_macros(pixel, channels, luma, pad, magnitude, scale)
    dtype = PIXEL_TYPES[macros["RESULT_PIXEL"]][0] or REAL[precision]
    result = launch(
        "storePixels", "image/pixels.cl", size[::-1], planes, blank(image.shape, dtype), found,
        image, (*plane, *size), rows_of(image), rows_of(image), NO_STACK, REAL[precision](top),
        precision=precision, **macros,
    )[1]  # fmt: skip
    expected = expected_pixels(planes, image, size, scale, luma, magnitude, top, found)
    tolerance = 16 * EPSILON[precision] * greatest + 0.5 * (result.dtype.kind == "u")
    np.testing.assert_allclose(result.astype(float), expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("scale", ["max", "stretch"])
def test_store_pixels_of_an_empty_range_are_black(launch, scale):
    planes = noise((1, 4, 4), np.complex64)
    found = np.array([0.25, 0.25], np.float32)
    result = launch(
        "storePixels", "image/pixels.cl", (4, 4), planes, blank((4, 4), np.uint8), found,
        blank((4, 4), np.uint8), (4, 4, 4, 4), Longs((0, 4)), Longs((0, 4)), NO_STACK,
        np.float32(255), SCALE=SCALES.index(scale),
    )[1]  # fmt: skip
    assert not result.any()


@pytest.mark.parametrize("magnitude", [1, 1e30])
@pytest.mark.parametrize("planes", [1, 5])
def test_plane_norms(launch, precision, planes, magnitude):
    """Of spectra whose rows have a gap behind them; squares would overflow in single precision."""
    rows, columns, pitch = 7, 11, 16
    spectra = np.full((planes, rows, pitch), np.nan, COMPLEX[precision])
    spectra[..., :columns] = noise((planes, rows, columns), COMPLEX[precision]) * magnitude
    spectra[0, 2, 3] = 0
    _, norms = launch(
        "planeNorms", "image/norms.cl", (columns, rows), spectra,
        blank((rows, columns), np.float32), (planes, rows, columns, pitch), precision=precision,
    )  # fmt: skip
    expected = np.linalg.norm(spectra[..., :columns].astype(np.complex128) / magnitude, axis=0)
    np.testing.assert_allclose(norms / magnitude, expected, rtol=1e-6)


# --- sounds ---------------------------------------------------------------------------------------


def test_mel_bands(launch, precision):
    """Triangles of several widths, one of which is empty; and rows that are kept and scaled."""
    real = REAL[precision]
    signals, bins, frames = 2, 9, 5
    spectra = noise((signals, bins, frames), np.dtype(real).str[1:])
    matrix = np.zeros((4, bins))
    matrix[0, :3], matrix[1, 2:8], matrix[3, 8] = (1, 2, 3), np.arange(6) + 0.5, 7
    triangles = np.array([[0, 3, 0], [2, 6, 3], [0, 0, 9], [8, 1, 9]], uint)
    weights = np.array([1, 2, 3, *(np.arange(6) + 0.5), 7], real)
    bands = blank((signals, 4, frames), real)
    numbers = (uint(frames), uint(bins), uint(4))
    *_, bands, _, _ = launch(
        "melBands", "audio/melBands.cl", (frames, 4, signals), spectra, bands, triangles, weights,
        *numbers, precision=precision,
    )  # fmt: skip
    assert relative_error(bands, matrix @ spectra) < 4 * EPSILON[precision]
    factors, kept = np.array([1, -2, 0.5], real), blank((signals, 3, frames), real)
    _, kept, _ = launch(
        "lifted", "audio/melBands.cl", (frames, 3, signals), bands, kept, factors, uint(frames),
        uint(4), uint(3), precision=precision,
    )  # fmt: skip
    assert (kept == bands[:, :3] * factors[:, None]).all()


@pytest.mark.parametrize("given", ["REAL", "COMPLEX"])
def test_phases(launch, precision, given):
    """Zeros and tiny numbers too, whose phase counts for less."""
    code = np.dtype(COMPLEX[precision]).str[1:]
    rebuilt, before = noise(100, code, 1), noise(100, code, 2)
    rebuilt[:3], before[:3] = (0, 1e-30, 1e-38), 0
    wanted = noise(100, code, 3) if given == "COMPLEX" else abs(noise(100, code, 3))
    turns = np.linspace(0, 1, 100).astype(REAL[precision])
    options = {"precision": precision, "GIVEN": given}
    spectra = blank(100, COMPLEX[precision])
    _, _, spectra = launch(
        "firstPhases", "audio/phases.cl", (100,), wanted, turns, spectra, ulong(100), **options
    )
    bound = 8 * EPSILON[precision]
    assert relative_error(spectra, np.exp(2j * np.pi * turns.astype("f8")) * wanted) < bound
    share, least = 0.4, np.finfo(REAL[precision]).tiny
    reals = (np.array(each, REAL[precision])[()] for each in (share, least))
    *_, spectra = launch(
        "nextPhases", "audio/phases.cl", (100,), wanted, rebuilt, before, spectra, ulong(100),
        *reals, **options,
    )  # fmt: skip
    z = rebuilt.astype("c16") - share * before
    expected = z / (abs(z) + float(least)) * wanted
    assert relative_error(spectra, expected) < bound


def test_regions(launch, precision):
    """Cut with zeros around, two gains at once, and added where something changes."""
    real, code = REAL[precision], np.dtype(COMPLEX[precision]).str[1:]
    signals, stretch = noise((2, 20), np.dtype(real).str[1:]), blank((2, 27), real)
    sizes = (ulong(20), ulong(20), np.int64(-3), ulong(27))
    _, stretch = launch(
        "cutStretch", "audio/regions.cl", (27, 2), signals, stretch, *sizes, precision=precision
    )
    assert (stretch == np.pad(signals, ((0, 0), (3, 4)))).all()
    pasted, _ = launch(
        "pasteStretch", "audio/regions.cl", (6, 2), blank((2, 20), real), stretch,
        *map(ulong, (20, 11, 27, 5, 6)), precision=precision,
    )  # fmt: skip
    assert (pasted[:, 11:17] == stretch[:, 5:11]).all()
    spectra = noise((2, 4, 5), code)
    spectra[0, 0, 0] = np.nan  # where nothing changes
    gains, by_frame, by_bin = np.array([0, 2]), np.zeros((2, 4)), np.zeros((2, 5))
    by_frame[0, 1:3], by_bin[0, 2:] = (0.5, 1), (0.25, 1, 1)
    by_frame[1], by_bin[1, 1:] = (0, 0, 1, 0.5), 1
    factor = np.prod(
        [1 + (g - 1) * f[:, None] * b for g, f, b in zip(gains, by_frame, by_bin, strict=True)],
        axis=0,
    )  # fmt: skip
    tables = (each.astype(real) for each in (gains, by_frame, by_bin))
    changed, *_ = launch(
        "changeOfRegions", "audio/regions.cl", (5, 4, 2), spectra, *tables, uint(2), uint(4),
        uint(5), precision=precision,
    )  # fmt: skip
    expected = np.where(factor == 1, 0, spectra * (factor - 1))
    assert relative_error(changed, expected) < 8 * EPSILON[precision]
    signals[:, 5], stretch[:, :] = -0.0, 0
    stretch[:, 10:12] = 1
    added, _ = launch(
        "addStretch", "audio/regions.cl", (27, 2), signals, stretch, *sizes, precision=precision
    )
    expected = signals.copy()
    expected[:, 7:9] += 1
    assert added.tobytes() == expected.tobytes()  # negative zeros, too


def test_histograms_of_powers(launch, precision):
    """Frames that do not count are not counted, and what is there is added to."""
    code = np.dtype(COMPLEX[precision]).str[1:]
    spectra = noise((2, 50, 7), code) * 1e3
    spectra[1, 3, 2], spectra[1, 4, 2], spectra[1, 5, 2] = 0, np.inf, np.nan
    sizes, options = (uint(50), uint(40), uint(7)), {"precision": precision}
    power = np.abs(spectra[:, :40].astype("c16")) ** 2
    _, sums = launch("sumPowers", "audio/noise.cl", (7, 2), spectra, blank((2, 7), REAL[precision]),
                     *sizes, **options)  # fmt: skip
    known = np.isfinite(power.sum(axis=1))
    assert (abs(sums / power.sum(axis=1) - 1)[known] < 1e-6).all()
    assert known.sum() == 13
    counts = [np.full((2, 1024, bins), 2, uint) for bins in (3, 4)]
    parts = [
        launch("countPowers", "audio/noise.cl", (each.shape[2], 2), spectra, each, *sizes,
               uint(first), uint(each.shape[2]), **options)[1]
        for first, each in zip((0, 3), counts, strict=True)
    ]  # fmt: skip
    found = np.concatenate(parts, axis=2)
    assert ((found - 2).sum(axis=1) == 40).all()
    assert found[1, 0, 2] == 3  # silence
    assert found[1, 1020, 2] == 3  # infinity
    assert (found[1, 1021:, 2] - 2).sum() == 1  # what is no number: devices give it various bits
    edges = (np.arange(1021) << 21).astype(uint).view("f4").astype(float)
    rounded = power.astype("f4") if precision == "double" else power
    for signal, bin_ in product(range(2), range(7)):
        own = rounded[signal, :, bin_]
        expected, _ = np.histogram(own[np.isfinite(own)], edges)
        apart = abs(np.cumsum(expected) - np.cumsum(found[signal, :1020, bin_].astype(int) - 2))
        assert apart.max() <= 1  # a power may be rounded to the next entry


def test_near_powers(launch, precision):
    """Means of the bins and frames that exist; what is not a number is nothing."""
    code = np.dtype(COMPLEX[precision]).str[1:]
    spectra = noise((2, 12, 9), code)
    spectra[1, 2, 4] = np.nan
    _, near = launch("nearPowers", "audio/noise.cl", (9, 12, 2), spectra,
                     blank((2, 12, 9), spectra.dtype), uint(12), uint(9),
                     precision=precision)  # fmt: skip
    power = np.nan_to_num(np.abs(spectra.astype("c16")) ** 2)
    for frame, bin_ in product(range(12), range(9)):
        few, more = (
            power[:, frame, max(0, bin_ - side) : bin_ + side + 1].mean(axis=1) for side in (1, 3)
        )
        steady = 0.7 * power[:, max(0, frame - 3) : frame + 4, bin_].mean(axis=1)
        expected = np.minimum(few, steady) + 1j * more
        assert (abs(near[:, frame, bin_] - expected) < 1e-6 * power.max()).all()


def test_gains_beside_noise(launch, precision):
    """A state goes from the frames of one block to those of the next."""
    real, code = REAL[precision], np.dtype(COMPLEX[precision]).str[1:]
    spectra = noise((2, 50, 7), code) * 1e3
    spectra[:, 20:30] *= 3
    power = np.abs(spectra.astype("c16")) ** 2
    levels = power.mean(axis=1).astype(real) / 2
    near = np.stack([noise((2, 50, 7), "f8") ** 2, noise((2, 50, 7), "f8", seed=2) ** 2])
    near = (near * 12 * levels[:, None]).astype(real)
    memory, least = 0.8, 0.25
    expected, before = spectra.astype("c16"), np.full((2, 7), 0.5)
    states = []
    for frame in range(3, 47):
        states.append(before)
        ratio, beside = power[:, frame] / levels, near[0, :, frame] / levels
        first = memory * before + (1 - memory) * np.maximum(beside - 1, 0)
        smooth = first / (1 + first)
        second = smooth**2 * ratio
        before = smooth**2 * beside
        around = near[1, :, frame - 3 : frame + 4].mean(axis=1) / levels
        music = np.clip((around - 1.3) / 0.7, 0, 1)
        expected[:, frame] *= np.maximum(second / (1 + second) * music, least)
    pairs = (near[0] + 1j * near[1]).astype(spectra.dtype)
    reals = (np.array(each, real)[()] for each in (memory, least))
    sizes = map(uint, (50, 7, 3, 44, 40))
    result, _, _, state = launch(
        "suppressNoise", "audio/noise.cl", (7, 2), spectra, pairs, levels,
        np.full((2, 7), 0.5, real), *sizes, *reals, precision=precision,
    )  # fmt: skip
    assert relative_error(result, expected) < 2e3 * EPSILON[precision]
    assert relative_error(state, states[37]) < 2e3 * EPSILON[precision]


def test_hum(launch, precision):
    """Bins of a list, and harmonics of two signals whose mains differ, between their knots."""
    real, code = REAL[precision], np.dtype(COMPLEX[precision]).str[1:]
    spectra, list_of = noise((2, 3, 11), code), np.array([2, 7, 10, 0], uint)
    _, taken, _ = launch(
        "takeBins", "audio/hum.cl", (4, 3, 2), spectra, blank((2, 3, 4), spectra.dtype), list_of,
        uint(4), uint(3), uint(11), precision=precision,
    )  # fmt: skip
    assert (taken == spectra[..., list_of]).all()
    numbers, hertz = np.array([1, 3], uint), np.array([0.05, 0.0501])
    turns = np.array([round(each * 2**64) for each in hertz], ulong)
    signals, knots = noise((2, 60), np.dtype(real).str[1:]), noise((2, 3, 2), code)
    for start in (0, -7, 12):  # the signals have 50 samples, of which a stretch holds some
        result, *_ = launch(
            "subtractHum", "audio/hum.cl", (60, 2), signals, knots, numbers, turns, uint(2),
            uint(3), ulong(60), np.int64(start), ulong(50), ulong(10), ulong(20),
            precision=precision,
        )  # fmt: skip
        at = start + np.arange(60)
        inside = (at >= 0) & (at < 50)
        expected = signals.astype("f8")
        for signal, h in product(range(2), range(2)):
            places, values = [10, 30, 50], knots[signal, :, h]
            z = np.interp(at, places, values.real) + 1j * np.interp(at, places, values.imag)
            wave = (z * np.exp(2j * np.pi * hertz[signal] * numbers[h] * at)).real
            expected[signal] -= np.where(inside, wave, 0)
        assert relative_error(result, expected) < 20 * EPSILON[precision]


# --- each file by itself --------------------------------------------------------------------------

KERNEL = re.compile(r"^kernel\b[^;{]*?\bvoid\s+(\w+)\s*\(", re.MULTILINE)
KERNEL_FILES = [
    name for name, path in kernel_files().items() if KERNEL.search(path.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("name", KERNEL_FILES)
def test_file_compiles_as_opencl_c_1_2(queue, name):
    """With the defaults of its macros, and with no warning, on every runtime."""
    built = cl._Program(queue.context, source_text(name))
    built._build(b"-cl-std=CL1.2 -Werror", [queue.device])  # an exception shows the log
    assert len(cl.Program(built).all_kernels()) == len(KERNEL.findall(source_text(name)))


CLANG = shutil.which(amd.COMPILER)
needs_clang = pytest.mark.skipif(not CLANG, reason="clang-15 is not installed")


@needs_clang
@pytest.mark.parametrize("flags", [(), ("-DDOUBLE=1",)], ids=["single", "double"])
@pytest.mark.parametrize("name", KERNEL_FILES)
def test_file_compiles_alone_for_amd(name, flags):
    """With the defaults of its macros: in plain OpenCL C, no warning, and no register spilled."""
    kernels = KERNEL.findall(source_text(name))
    assert kernels
    for chip in ("gfx906", "gfx90a", "gfx1030"):
        folder = kernel_folder()
        options = ("-pedantic", f"-I{folder}", *flags)
        messages, usages = amd.compile_for(chip, *options, str(folder / name))
        assert messages == ""
        assert {kernel: each.spilled for kernel, each in usages.items()} == dict.fromkeys(
            kernels, 0
        )


@needs_clang
def test_spills_and_warnings_are_noticed():
    messages, usages = amd.compile_for(
        "gfx90a",
        "-",
        text="kernel __attribute__((amdgpu_num_vgpr(8))) void greedy(global float16 *x)\n"
        "{\n"
        "    int unused;\n"
        "    x[0] = x[1] * x[2] + x[3] * x[4];\n"
        "}\n",
    )
    assert "unused variable" in messages
    assert usages["greedy"].spilled > 0
    assert usages["greedy"].private_bytes > 0


# Shapes and axes for which an AMD GPU's plan must keep all points in registers.
IN_REGISTERS = [
    ((64, 13), 1),
    ((64, 31), 1),
    ((64, 61), 1),
    ((64, 1023), 1),
    ((31, 64), 0),
    ((64, 1000), 1),
    ((64, 1001), 1),
    ((64, 2401), 1),
    ((64, 3125), 1),
    ((64, 4096), 1),
    ((64, 5000), 1),
    ((64, 6144), 1),
    ((64, 8192), 1),
    ((625, 64), 0),
    ((1000, 64), 0),
    ((1024, 64), 0),
    ((2, 2**16), 1),
    ((2, 2**20), 1),
    ((1, 50000), 1),
]

# The same for real rows: of even lengths, with a real stage, as convolutions and in steps.
REAL_IN_REGISTERS = [
    ((64, 2), 1),
    ((64, 26), 1),
    ((64, 225), 1),
    ((225, 64), 0),
    ((64, 1000), 1),
    ((64, 1024), 1),
    ((64, 2018), 1),
    ((64, 2401), 1),
    ((64, 4096), 1),
    ((64, 8192), 1),
    ((64, 16384), 1),
    ((1024, 64), 0),
    ((2, 2**16), 1),
]

# Except, by chip, dtype, step and TWIST: at most so many registers spilled, and bytes of memory. In
# double precision a few plans need a little too many.
SPILLED = {
    ("gfx906", "complex128", "250 x 200 = 25x8", "8"): (18, 76),
    ("gfx1030", "complex128", "250 x 200 = 25x8", "8"): (72, 260),
    ("gfx1030", "complex128", "64 x 8192 = 16x16x32 packed", "0"): (2, 12),
    ("gfx906", "float64", "64 x 8192 = 16x16x32 packed", "0"): (6, 28),
    ("gfx1030", "float64", "64 x 8192 = 16x16x32 packed", "0"): (4, 20),
}


@needs_clang
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize(("shape", "axis"), one_in(2, IN_REGISTERS))
def test_points_are_in_registers(shape, axis, dtype):
    """Neither spilled nor in an array that the compiler has left in memory."""
    check_registers(shape, axis, dtype, "c2c")


@needs_clang
@pytest.mark.parametrize(
    ("kind", "dtype"),
    [("r2c", "float32"), ("c2r", "complex64"), ("r2c", "float64"), ("c2r", "complex128")],
)
@pytest.mark.parametrize(("shape", "axis"), one_in(2, REAL_IN_REGISTERS))
def test_points_of_real_rows_are_in_registers(shape, axis, kind, dtype):
    check_registers(shape, axis, dtype, kind)


def check_registers(shape, axis, dtype, kind):
    for each in plan_passes(make_problem(shape, dtype, axis, kind), RECORDED["gfx90a"]):
        for chip in ("gfx906", "gfx90a", "gfx1030"):
            messages, usage = amd.compile_pass(each, chip)
            case = chip, dtype, each.step, dict(each.defines).get("TWIST", "0")
            registers, nbytes = SPILLED.get(case, (0, 0))
            assert messages == "", case
            assert usage.spilled <= registers, case
            assert usage.private_bytes <= nbytes, case


# Of the plans in docs/developer/amd.md, which are made for each chip's own traits.
IN_DOCS = (
    "c2c single 1000", "c2c single 8192", "c2c double 4096", "c2c single 1009", "c2c single 10007",
    "r2c single 60", "r2c double 1024", "c2r single 8192", "c2r double 65536",
)  # fmt: skip


@needs_clang
@pytest.mark.parametrize("transform", IN_DOCS)
def test_plans_of_the_docs_need_no_memory_for_registers(transform):
    found = [each for each in amd.cases() if each.transform == transform]
    assert {each.chip for each in found} == set(amd.CHIPS)
    for row in amd.table(found).rows:
        registers, spilled, private_bytes, local_bytes = map(int, row[-4:])
        assert (spilled, private_bytes) == (0, 0), row
        assert 0 < registers <= 256
        assert local_bytes <= amd.INSTINCT.local_mem_bytes


def test_the_docs_show_the_kernels_of_todays_plans():
    """Its registers are compared by no test, since all of them take a minute to compile."""
    page = (Path(__file__).parents[2] / "docs/developer/amd.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\| ((?:c2c|r2c|c2r) .*) \|$", page, re.MULTILINE)
    shown = [line.split(" | ") for line in lines]
    remedy = "call python -m pyclfft.bench.amd --page docs/developer/amd.md"
    assert sorted(row[:4] for row in shown) == sorted(each.cells() for each in amd.cases()), remedy


def test_every_kernel_file_is_known_to_the_package():
    """What is compiled alone above is what the program cache reads."""
    for name in KERNEL_FILES:
        assert source_text(name).count(f'"{name}"') >= 2  # its first line, and after its include
