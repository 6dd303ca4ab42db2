"""Planning for lanes of a CPU's vectors, its tables, and what kernels do with both, in NumPy."""

from __future__ import annotations

import re
from dataclasses import replace
from math import prod

import numpy as np
import pytest

from pyclfft.planning.factor import (
    FEW_POINTS,
    MANY_POINTS,
    RADICES,
    best_lane_radices,
    is_smooth,
    lane_cost,
    lane_rows,
)
from pyclfft.planning.parameters import parameters_for
from pyclfft.planning.pass_parts import listed
from pyclfft.planning.passes import assign_buffers
from pyclfft.planning.planner import plan_passes
from pyclfft.planning.problem import make_problem
from pyclfft.planning.solvers import lane_leaf
from pyclfft.planning.solvers.cols import there_and_back
from pyclfft.planning.solvers.lane_leaf import convolution_radices
from pyclfft.planning.solvers.lanes import LINE_BYTES
from pyclfft.planning.tables import (
    BlockRoots,
    LaneChirp,
    LaneRoots,
    LaneSpectrum,
    LaneStageTwiddles,
    LaneTwiddles,
)
from tests.oracle import noise, relative_error
from tests.recorded_traits import RECORDED

CPU = RECORDED["intel-cpu"]
AVX2 = RECORDED["avx2-cpu"]
SMOOTH = [n for n in range(2, 5000) if is_smooth(n)]
EXACT = 1e-14  # relative error of a few operations in double precision


def plan(shape, axes=None, traits=CPU, dtype="c8", algorithm=None, **options):
    return plan_passes(make_problem(shape, dtype, axes, **options), traits, algorithm)


def kernels(*args, **kwargs):
    return [each.kernel for each in plan(*args, **kwargs)]


def macros(each):
    return dict(each.defines)


# --- lengths --------------------------------------------------------------------------------------


def test_passes_are_of_codelets_in_ascending_order():
    for n in SMOOTH:
        radices = best_lane_radices(n)
        assert prod(radices) == n
        assert list(radices) == sorted(radices)
        assert set(radices) <= set(RADICES) - {25, 32}
    assert best_lane_radices(1) is None
    assert best_lane_radices(17) is None


def products(n, stages, largest):
    """Yield all lists of at most `stages` ascending radices up to `largest` whose product is `n`.

    This is the search by definition, for comparison.
    """
    if n == 1:
        yield ()
    elif stages:
        for radix in (each for each in RADICES if each <= largest and n % each == 0):
            for rest in products(n // radix, stages - 1, radix):
                yield (*rest, radix)


@pytest.mark.parametrize("among", [RADICES, (2, 3, 4, 5, 7, 8)])
@pytest.mark.parametrize("fit", [FEW_POINTS, MANY_POINTS])
def test_no_passes_are_cheaper(among, fit):
    """Among lengths that eight stages reach only with large radices, too."""
    for n in (*SMOOTH[::7], 2**13, 2**17, 3**8, 393660, 399168):
        possible = [each for each in products(n, 8, 16) if set(each) <= set(among)]
        cheapest = min(((lane_cost(each, fit), each) for each in possible), default=(0, None))
        assert best_lane_radices(n, among, fit) == cheapest[1]


def test_passes_as_measured():
    """The quickest of those tried for rows on a Xeon with AVX-512, by Intel's runtime and PoCL."""
    assert best_lane_radices(16, fit=MANY_POINTS) == (16,)
    assert best_lane_radices(64, fit=MANY_POINTS) == (8, 8)
    assert best_lane_radices(256, fit=MANY_POINTS) == (4, 8, 8)
    assert best_lane_radices(1024, fit=MANY_POINTS) == (8, 8, 16)
    assert best_lane_radices(4096, fit=MANY_POINTS) == (8, 8, 8, 8)


@pytest.mark.parametrize("name", ["intel-cpu", "avx2-cpu", "pocl"])
def test_passes_of_columns_as_measured(name):
    """The quickest of those tried on an EPYC, with AVX-512 and with AVX2, by both runtimes."""
    for n, radices in (
        (16, (16,)),
        (32, (4, 8)),
        (128, (4, 4, 8)),
        (512, (4, 4, 4, 8)),
        (1024, (4, 4, 8, 8)),
    ):
        assert best_lane_radices(n) == radices
        (each,) = plan((8, n, 1024), 1, RECORDED[name])
        assert macros(each)["RADICES"] == listed(radices)


def test_passes_of_rows_heed_registers():
    for name, registers, radices in (
        ("avx2-cpu", 16, (4, 4, 8)),  # rows of 8 x 128 points
        ("intel-cpu", 32, (8, 8)),  # rows of 16 x 64
    ):
        assert RECORDED[name].vector_registers == registers
        (each,) = plan((64, 1024), 1, RECORDED[name])
        assert macros(each)["RADICES"] == listed(radices)


@pytest.mark.parametrize(
    ("shape", "dtype", "lanes"),
    [
        ((2, 1024, 1024), "c8", 16),
        ((2, 1024, 1024), "c16", 8),
        ((2, 2048, 512), "c8", 16),
        ((2, 512, 512), "c8", 8),  # short
        ((2, 4096, 512), "c8", 8),  # long
        ((2, 1024, 1000), "c8", 8),  # not pages apart
        ((1, 1024, 512), "c8", 16),
        ((1, 1024, 32), "c8", 8),  # not pages apart, and too few for all cores
        ((1, 512, 8192), "c8", 16),  # short, but 64 KiB apart
        ((1, 48, 8192), "c8", 16),
        ((1, 32, 8192), "c8", 8),  # too short
        ((1, 512, 8200), "c8", 8),
        ((1, 512, 4096), "c16", 8),
    ],
)
def test_blocks_of_two_vectors_where_a_vector_is_a_line(shape, dtype, lanes):
    (each,) = plan(shape, 1, RECORDED["avx2-cpu"], dtype)
    assert (macros(each)["LANES"], macros(each)["VECTOR_BITS"]) == (str(lanes), "256")
    (each,) = plan(shape, 1, RECORDED["intel-cpu"], dtype)
    assert macros(each)["LANES"] == ("8" if dtype == "c16" else "16")


def test_blocks_of_two_vectors_leave_no_core_idle():
    for cores, lanes in ((16, "16"), (64, "8")):
        (each,) = plan((1024, 512), 0, replace(RECORDED["avx2-cpu"], compute_units=cores))
        assert macros(each)["LANES"] == lanes


@pytest.mark.parametrize("most", [2, 4, 8, 16])
def test_rows_fit_lanes(most):
    for n in SMOOTH:
        found = lane_rows(n, most)
        if found is None:
            assert n < 4 * most * most or n % 2
            continue
        lanes, rows = found
        assert lanes in (2, 4, 8, 16)
        assert rows <= lanes <= min(most, n // rows)
        assert n % rows == 0
        assert rows in RADICES


def test_full_vectors_come_first():
    assert lane_rows(1024, 16) == (16, 16)
    assert lane_rows(1000, 16) == (8, 8)  # though there are ten rows for sixteen lanes
    assert lane_rows(500, 16) == (16, 10)  # four lanes are too few
    assert lane_rows(2197, 16) == (16, 13)
    assert lane_rows(128, 16) == (8, 8)
    assert lane_rows(15, 16) is None  # three rows in four lanes
    assert lane_rows(17 * 256, 16) is None


# --- tables, as the kernels use them --------------------------------------------------------------


def passed(points, radices):
    """What stages.cl does: transforms along axis 0, depth first, results in natural order."""
    twiddles = LaneStageTwiddles(radices, "double").values()
    result = np.empty_like(points)

    def go(block, radices, row, before):
        radix, *rest = radices
        below = prod(rest)
        block = np.fft.fft(block.reshape(radix, below, -1), axis=0)
        if not rest:
            result[row::before][:radix] = block[:, 0]
            return
        factors = twiddles[below - 1 :][: below * (radix - 1)].reshape(below, radix - 1)
        block[1:] *= factors.T[:, :, None]
        for k in range(radix):
            go(block[k], rest, row + k * before, before * radix)

    go(points, list(radices), 0, 1)
    return result


def neighbours(lanes):
    """Which neighbour in memory each lane has, if vectors have two halves; and the reverse."""
    return {
        4: [0, 2, 1, 3],
        8: [0, 1, 4, 5, 2, 3, 6, 7],
        16: [*range(4), *range(8, 12), *range(4, 8), *range(12, 16)],
    }[lanes]


@pytest.mark.parametrize("lanes", [4, 8])
def test_the_order_of_lanes_of_two_halves(lanes):
    """Each table for lanes has the order of shuffles.cl, if the vectors have two halves."""
    for table in (
        LaneTwiddles(lanes, 40, lanes, "double"),
        LaneRoots(1000, 20, lanes, "double"),
        LaneChirp(50, lanes, "double"),
        LaneSpectrum(50, (4 * lanes, 8), lanes, "double"),
    ):
        usual, halved = table.values(), replace(table, halved=True).values()
        np.testing.assert_array_equal(halved, usual[..., neighbours(lanes)])
        assert (halved != usual).any()


@pytest.mark.parametrize(
    ("name", "dtype", "shape", "halved"),
    [
        ("avx2-cpu", "c8", (64, 1024), True),
        ("avx2-cpu", "c16", (64, 1024), True),
        ("intel-cpu", "c8", (64, 1024), False),
        ("avx2-cpu", "c8", (64, 20), False),  # vectors of four lanes, two rows of which share one
    ],
)
def test_vectors_of_two_halves(name, dtype, shape, halved):
    (each,) = plan(shape, 1, RECORDED[name], dtype)
    (table,) = [value for value in each.arguments.values() if isinstance(value, LaneTwiddles)]
    assert table.halved == halved


@pytest.mark.parametrize("n", [5, 64, 360, 1001, 2048])
def test_passes_and_their_twiddles(n):
    x = noise((n, 3), np.complex128)
    radices = best_lane_radices(n)
    assert len(LaneStageTwiddles(radices, "double").values()) == n - 1
    assert relative_error(passed(x, radices), np.fft.fft(x, axis=0)) < EXACT


@pytest.mark.parametrize("halved", [False, True])
@pytest.mark.parametrize(("rows", "columns", "lanes"), [(16, 16, 16), (7, 45, 8), (4, 6, 4)])
def test_lane_twiddles(rows, columns, lanes, halved):
    """Blocks of columns, the last of which overlaps; then a transform for each lane."""
    x = noise((rows, columns), np.complex128)
    parts = LaneTwiddles(rows, columns, lanes, "double", halved=halved).values()
    if halved:
        parts = parts[..., neighbours(lanes)]
    scratch = np.empty((columns, rows), np.complex128)
    for block, first in zip(parts, range(0, columns, lanes), strict=True):
        begin = min(first, columns - lanes)
        y = np.fft.fft(x[:, begin : begin + lanes], axis=0)
        y[1:] *= block[:, 0] + 1j * block[:, 1]
        scratch[begin : begin + lanes] = y.T
    result = np.fft.fft(scratch, axis=0).ravel()
    assert relative_error(result, np.fft.fft(x.ravel())) < EXACT


def test_roots_of_long_rows():
    n, points, blocks, lanes = 20 * 24, 20, 3, 8
    near = LaneRoots(n, points, lanes, "double").values()
    far = BlockRoots(n, points, blocks, lanes, "double").values()
    k, column = np.mgrid[:points, : blocks * lanes]
    expected = np.exp(-2j * np.pi * k * column / n)
    near = near[:, 0] + 1j * near[:, 1]
    for block in range(blocks):
        found = near * far[block][:, None]
        assert relative_error(found, expected[:, block * lanes :][:, :lanes]) < EXACT


# --- what is planned ------------------------------------------------------------------------------


def test_rows_columns_and_images():
    assert kernels((3, 1024), 1) == ["row"]
    assert kernels((1024, 48), 0) == ["cols"]
    assert kernels((2, 40, 3), 1) == ["small"]
    assert kernels((2, 40, 30), 1) == ["cols"]
    assert kernels((256, 256)) == ["row", "cols"]
    assert kernels((512, 512), kind="r2c", dtype="f4") == ["row", "cols"]
    assert kernels((512, 512), kind="c2r") == ["cols", "row"]
    assert kernels((2**20,)) == ["cols", "cols"]
    assert kernels((32, 40), transposed="out") == ["row", "cols"]


def test_columns_there_and_back_are_one_launch():
    (one,) = there_and_back(plan((64, 48), 0), plan((64, 48), 0, direction="inverse"))
    assert (one.kernel, macros(one)["BACK"]) == ("cols", "1")
    assert one.arguments["scale"].values == (1 / 64, 0)
    assert one.step.endswith("and back")


@pytest.mark.parametrize(
    ("there", "back"),
    [
        (plan((64, 48), 0), plan((64, 48), 0)),  # the second one goes the same way
        (plan((64, 48), 0, direction="inverse", norm="forward"), plan((64, 48), 0)),
        (plan((64, 48), 0), plan((64, 50), 0, direction="inverse")),
        (plan((64, 48), 0), plan((32, 48), 0, direction="inverse")),
        (plan((64, 48), 0), plan((64, 48), 0, direction="inverse", dtype="c16")),
        (plan((64, 48), 0, norm="ortho"), plan((64, 48), 0, direction="inverse", norm="ortho")),
        (plan((48, 64), 1), plan((48, 64), 1, direction="inverse")),  # rows
        (plan((1009, 48), 0), plan((1009, 48), 0, direction="inverse")),  # Bluestein's algorithm
        (plan((2**20,)), plan((2**20,), direction="inverse")),  # two steps each
    ],
)
def test_what_is_not_alike_remains_two_launches(there, back):
    assert there_and_back(there, back) == (*there, *back)


@pytest.mark.parametrize("kind", ["c2c", "r2c", "c2r"])
def test_all_kinds_cut_filled_and_of_any_length(kind):
    options = {"kind": kind, "dtype": "f4" if kind == "r2c" else "c8"}
    assert kernels((4, 1001), 1, **options) == ["row" if kind == "c2c" else "cols"]
    assert kernels((4, 1024), 1, s=1000, **options) == ["row"]
    assert kernels((4, 1000), 1, s=1024, **options) == ["row"]
    assert kernels((1024, 4), 0, **options) == ["cols"]
    assert kernels((4, 1009), 1, **options) == ["cols"]
    assert kernels((2018, 4), 0, **options) == ["cols"]
    assert kernels((2**20,), **options) == ["cols", "cols"]
    assert kernels((3**13,), **options) == ["cols", "cols"]


def test_real_numbers_as_complex_ones():
    assert kernels((4, 1024), 1, dtype="f4") == ["row"]
    assert kernels((1024, 4), 0, dtype="f4") == ["cols"]
    assert kernels((2**20,), dtype="f4") == ["cols", "cols"]


def test_rows_side_by_side_where_lanes_would_be_empty():
    """Enough of them to fill the vectors of all cores twice."""
    enough = 2 * 16 * CPU.compute_units
    assert kernels((enough, 500), 1) == ["cols"]
    assert kernels((enough - 1, 500), 1) == ["row"]
    assert kernels((enough, 1024), 1) == ["row"]


def test_rows_that_fill_half_a_vector_go_in_pairs():
    """Where there are two for each core, and nothing is done to their ends."""
    cores = CPU.compute_units
    for shape, options, together in (
        ((2 * cores, 1000), {}, "2"),
        ((2 * cores - 1, 1000), {}, None),
        ((100, 64), {}, "2"),
        ((2 * cores, 1024), {}, None),  # a whole vector
        ((2 * cores, 1000), {"dtype": "f4"}, None),
        ((2 * cores, 990), {"s": 1000}, None),
        ((2 * cores, 2000), {"dtype": "f4", "kind": "r2c"}, None),
        ((64, 100), {"dtype": "c16"}, "2"),
    ):
        (each,) = plan(shape, 1, **options)
        assert (each.kernel, macros(each).get("TOGETHER")) == ("row", together), (shape, options)


def test_even_real_numbers_are_packed_and_odd_ones_paired():
    for n, packed in ((36, "1"), (27, None), (34, "1"), (17, None)):
        for shape, axis in (((n, 99), 0), ((999, n), 1)):
            (each,) = plan(shape, axis, kind="r2c", dtype="f4")
            assert macros(each).get("PACKED") == packed


def test_convolutions_are_of_quick_lengths():
    for n in (17, 97, 509, 1009, 4099, 8191):
        radices = convolution_radices(n)
        m = prod(radices)
        assert radices == best_lane_radices(m)
        assert 2 * n - 1 <= m <= 1.25 * (2 * n - 1)


@pytest.mark.parametrize(
    ("kind", "dtype"), [("c2c", "c8"), ("r2c", "f4"), ("c2r", "c8"), ("c2c", "c16")]
)
def test_no_search_for_convolutions_without_room(monkeypatch, kind, dtype):
    """Their radices are not searched for, and the plans are what they would be otherwise."""
    lengths = (32749, 32771, 65521, 65537, 3 * 65521, 2 * 65537, 15 * 65537, 999983)

    def plans():
        return [plan((n, 64), 0, kind=kind, dtype=dtype) for n in lengths]

    found = plans()
    assert {len(each) for each in found} == {1, 3}
    problem = make_problem((999983, 64), dtype, 0, kind)
    assert not lane_leaf._may_fit(problem, CPU, parameters_for(CPU))
    monkeypatch.setattr(lane_leaf, "_may_fit", lambda *_: True)
    assert found == plans()


def test_one_program_for_all_small_transforms():
    """Of any length and kind, whatever their layout; there are two numbers of lanes."""
    shapes = [((n,), 0) for n in range(2, 257)]
    shapes += [((n, 4), axis) for n in range(2, 200) for axis in (0, 1)]
    defines = set()
    for shape, axis in shapes:
        for kind, dtype in (("c2c", "c8"), ("r2c", "f4"), ("c2r", "c8"), ("dct1", "f4")):
            (each,) = plan(shape, axis, kind=kind, dtype=dtype)
            assert each.kernel == "small"
            defines.add(each.defines)
    assert {dict(each)["LANES"] for each in defines} == {"4", "16"}
    assert len(defines) == 2
    assert kernels((300,)) != ["small"]


def test_two_real_numbers_are_not_packed():
    """They would be one point, of which only sums remain."""
    for kind, dtype in (("r2c", "f4"), ("c2r", "c8")):
        (each,) = plan((2,), kind=kind, dtype=dtype)
        assert each.kernel == "small"
        assert each.radices == ((2,),)


def test_a_small_cosine_transform_is_one_launch():
    """Longer rows of even lengths have a quicker kernel."""
    for n in range(1, 130):
        for kind in ("dct1", "dct2", "dct3", "dct4", "dst1", "dst2", "dst3", "dst4"):
            if (kind, n) != ("dct1", 1):
                (row,) = kernels((5, n), 1, dtype="f4", kind=kind)
                assert row == "small" or (n > 64 and n % 2 == 0 and kind[3] != "1")
                assert kernels((n, 5), 0, dtype="f4", kind=kind) == ["small"]
    assert kernels((5, 128), 1, dtype="f4", kind="dct2") == ["row"]


def test_a_single_one_of_any_length_where_compilers_make_no_vectors():
    scalar = replace(CPU, vectorizes=False)
    for traits, shape, expected in (
        (scalar, (2039,), True),
        (scalar, (2, 2039), False),
        (scalar, (2053,), False),
        (scalar, (507,), True),
        (scalar, (512,), True),
        (scalar, (520,), False),
        (CPU, (507,), False),
        (CPU, (2039,), False),
        (CPU, (509,), True),
    ):
        assert (kernels(shape, -1, traits=traits) == ["small"]) == expected, shape


def test_the_limits_of_small_transforms_are_parameters():
    scalar = replace(CPU, vectorizes=False)
    for name, traits, shape, most in (
        ("small_smooth", CPU, (100,), 100),
        ("small_other", CPU, (101,), 101),
        ("small_points", CPU, (100, 2), 200),
        ("small_smooth", scalar, (100, 2), 100),
        ("small_other", scalar, (101, 2), 101),
        ("small_single_smooth", scalar, (100,), 100),
        ("small_single_other", scalar, (101,), 101),
    ):
        for limit in (most, most - 1):
            given = parameters_for(traits).over({name: limit}, "test")
            first, *_ = plan_passes(make_problem(shape, "c8", 0), traits, parameters=given)
            assert (first.kernel == "small") == (limit == most), name


def test_other_devices_have_other_solvers():
    assert kernels((3, 1024), 1, traits=RECORDED["h200"]) == ["stockham"]
    assert kernels((3, 1024), 1, traits=RECORDED["single"]) != ["row"]


@pytest.mark.parametrize("lanes", [4, 8, 16])
def test_vectors_are_the_devices(lanes):
    traits = replace(CPU, lanes=lanes)
    for dtype, width in (("c8", lanes), ("c16", lanes // 2)):
        (each,) = plan((3, 4096), 1, traits, dtype)
        assert macros(each)["LANES"] == str(width)
        assert macros(each)["VECTOR_BITS"] == str(32 * lanes)
        twiddles = [a for a in each.arguments.values() if isinstance(a, LaneTwiddles)]
        assert [a.lanes for a in twiddles] == [width]
        assert (
            LaneStageTwiddles(
                best_lane_radices(4096 // width, fit=traits.vector_registers // 4),
                twiddles[0].precision,
            )
            in each.arguments.values()
        )


def test_large_results_are_streamed():
    (small,), (large,) = plan((4, 1024), 1), plan((2**12, 1024), 1)
    assert (macros(small)["STREAM"], macros(large)["STREAM"]) == ("0", "1")
    assert (macros(small)["PREFETCH"], macros(large)["PREFETCH"]) == ("0", "1")


def test_large_images_column_by_column_first():
    assert kernels((256, 1024)) == ["row", "cols"]
    assert kernels((2048, 1024)) == ["cols", "row"]


def test_results_that_replace_long_columns_are_streamed_too():
    for length, expected in ((512, "1"), (4096, "2")):
        (each,) = plan((length, 2048), 0)
        assert macros(each)["STREAM"] == expected


def test_short_rows_that_share_lines_are_collected():
    for shape, options, expected in (
        ((2**14, 100), {}, "1"),
        ((2**10, 100), {}, "0"),  # small enough for a cache
        ((2**15, 56), {}, "0"),  # whole lines
        ((2**13, 999), {}, "0"),  # long
        ((2**14, 200), {"kind": "r2c", "dtype": "f4"}, "1"),
    ):
        (each,) = plan(shape, 1, **options)
        assert macros(each)["COLLECTED"] == expected, shape


def test_only_whole_lines_are_streamed():
    for lanes in (4, 8, 16):
        (each,) = plan((2**12, 1024), 1, replace(CPU, lanes=lanes))
        assert macros(each)["STREAM"] == str(int(8 * lanes >= LINE_BYTES))


def test_scratch_is_local_while_it_is_short():
    (each,) = plan((99, 2**14), 1)
    assert (macros(each)["LOCAL_SCRATCH"], each.scratch, each.global_size) == (
        "1",
        (),
        (8 * CPU.compute_units,),
    )
    (each,) = plan((99, 2**15), 1)
    groups = CPU.compute_units
    assert macros(each)["LOCAL_SCRATCH"] == "0"
    assert each.scratch == (("scratch", groups * 2**15 * 8),)
    assert each.global_size == (groups,)
    schedule = assign_buffers((each,), 99 * 2**15 * 8)
    assert schedule.workspace == each.scratch


def test_fewer_groups_than_transforms():
    (each,) = plan((3, 1024), 1)
    assert each.global_size == (3,)


def test_long_rows_twist_between_launches():
    first, second = plan((2**20,), algorithm="four_step_lanes")
    assert (macros(first)["TWIST"], macros(second)["TWIST"]) == ("1", "0")
    assert (macros(second)["FROM_ROWS"], macros(second)["TO_ROWS"]) == ("1", "0")
    assert LaneRoots(2**20, 1024, 16, "single") in first.arguments.values()
    assert BlockRoots(2**20, 1024, 64, 16, "single") in first.arguments.values()
    assert first.aliases
    assert not second.aliases


def test_macros_have_defaults():
    """Each one that a plan defines, in the file or in what it includes."""
    from pyclfft.runtime.program import source_text

    for each in (
        *plan((3, 1024), 1),
        *plan((3, 1024), 1, kind="c2r"),
        *plan((3, 1024), 1, kind="r2c", dtype="f4"),
        *plan((2**20,)),
        *plan((37, 40), 1, algorithm="cols"),
    ):
        defaults = set(re.findall(r"#ifndef (\w+)", source_text(each.source)))
        assert set(macros(each)) <= defaults


# --- what goes past the caches --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "axis", "past"),
    [
        ((256, 128, 128), 1, False),  # points of a column lie 1 KiB apart
        ((64, 128, 129), 1, True),
        ((64, 128, 512), 1, False),
        ((1024, 64, 64), 1, True),  # a small matrix
        ((8, 512, 1024), 1, False),
        ((4, 1024, 1024), 1, True),  # long columns
        ((512, 8192), 0, True),  # points 64 KiB apart share a set of the caches
        ((40, 96, 1000), 1, True),  # an odd number of lines
    ],
)
def test_columns_past_the_caches(shape, axis, past):
    (only,) = plan(shape, axis, AVX2)
    assert only.kernel == "cols"
    assert (("STREAM", "1") in only.defines) == past
    (only,) = plan(shape, axis)
    assert ("STREAM", "1") in only.defines


def first_goes_past(shape, axes, kind="c2c", traits=AVX2):
    """Whether the results of the first launch go past the caches."""
    dtype = "f4" if kind == "r2c" else "c8"
    return ("STREAM", "1") in plan(shape, axes, traits, dtype, kind=kind)[0].defines


@pytest.mark.parametrize(
    ("shape", "kind", "past"),
    [
        ((1, 1000, 1000), "c2c", False),  # 8 MB
        ((2, 1000, 1000), "c2c", True),
        ((64, 128, 128), "r2c", False),
        ((512, 128, 128), "r2c", True),
        ((256, 128, 128), "c2r", False),  # 16 MiB
        ((1024, 128, 128), "c2r", True),
    ],
)
def test_the_caches_keep_what_the_next_launch_reads(shape, kind, past):
    assert first_goes_past(shape, (1, 2), kind) == past
    assert first_goes_past(shape, (1, 2), kind, CPU)
