"""Rows and columns on lanes of a CPU's vectors, on memory that is poisoned where nothing is."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import prod

import pytest
import scipy.fft

import pyclfft
from pyclfft.errors import PlanError
from pyclfft.planning.factor import is_smooth
from pyclfft.planning.parameters import DEFAULTS
from pyclfft.planning.planner import plan_passes
from pyclfft.planning.problem import make_problem
from pyclfft.runtime import describe
from tests.device.test_engine import check, poisoned_workspace
from tests.oracle import bound, noise, relative_error
from tests.pairwise import pairwise

__all__ = ["poisoned_workspace"]  # a fixture that takes effect by being here

CODES = ("c8", "c16")
KINDS = {"c2c": CODES, "r2c": ("f4", "f8"), "c2r": CODES}
WIDTHS = (4, 8, 16)
PRECISIONS = (0, 1)  # for code_of
SMALLEST_ROW = 16  # of four lanes
# Every kind on the first CPU device, one of them on the others, which take long to compile.
EACH_KIND = pytest.mark.parametrize(
    "kind", ["r2c", *(pytest.param(kind, marks=pytest.mark.one_cpu) for kind in ("c2c", "c2r"))]
)


@pytest.fixture(autouse=True)
def cpu(device, change_traits):
    """Skip devices whose work-items run in lockstep; plan as for two cores on all others.

    Solvers that leave cores idle do not apply: what a test runs must not depend on the machine.
    """
    if not describe.traits(device).is_cpu or describe.traits(device).lanes < min(WIDTHS):
        pytest.skip("not a CPU with vectors")
    change_traits(compute_units=2)


@pytest.fixture
def lanes(monkeypatch, device):
    """Make the planner believe in vectors of so many lanes."""

    def force(width):
        real = describe.traits
        monkeypatch.setattr(describe, "traits", lambda each: replace(real(each), lanes=width))

    return force


def code_of(device, number):
    """One of both precisions in turn, where the device has both."""
    return CODES[number % 2 if describe.traits(device).fp64 else 0]


def check_all(device, queue, shape, axis, algorithm, codes=CODES, **options):
    """Both directions and, where they are asked for, both precisions."""
    for code in codes if describe.traits(device).fp64 else codes[:1]:
        for direction in ("forward", "inverse"):
            problem = make_problem(shape, code, axis, direction=direction, **options)
            check(queue, problem, noise(problem.source.shape, code), algorithm)


# --- rows -----------------------------------------------------------------------------------------

SMOOTH = [n for n in range(SMALLEST_ROW, 601) if is_smooth(n)]
LONG = [1000, 1024, 2048, 2187, 2197, 3125, 4096, 4620, 5929, 8192, 2**14, 2**15, 30030]


def check_row(device, queue, n, *, count=0, codes=CODES):
    """By `row` where it applies: neither too short nor without enough factors.

    Enough of them that some go in pairs, and one that is left over.
    """
    count = count or 2 * describe.traits(device).compute_units + 1
    try:
        check_all(device, queue, (count, n), 1, "row", codes)
    except PlanError:
        assert n < 256 or n % 2


@pytest.mark.one_cpu
@pytest.mark.parametrize("n", [*SMOOTH[::41], 256, 512, *LONG[::3]])
def test_rows(device, queue, n):
    check_row(device, queue, n)


@pytest.mark.full
@pytest.mark.parametrize("n", [*SMOOTH, *LONG, 2**16])
def test_all_rows(device, queue, n):
    check_row(device, queue, n, codes=CODES[:1])


@pytest.mark.one_cpu
@pytest.mark.parametrize("count", [1, 3, 64, 101])
def test_batches_of_rows(device, queue, count):
    for n in (96, 200, 416):
        check_row(device, queue, n, count=count)


@pytest.mark.one_cpu
@pairwise({"width": WIDTHS, "n": [100, 104, 120, 256, 693, 1000, 3125], "number": PRECISIONS})
def test_rows_of_any_width(device, queue, lanes, width, n, number):
    lanes(width)
    check_row(device, queue, n, codes=[code_of(device, number)])


@pytest.mark.parametrize("n", [256, 1000, 1200])
def test_rows_in_place(device, queue, n):
    for code in CODES:
        problem = make_problem((5, n), code, 1)
        check(queue, problem, noise((5, n), code), "row", in_place=True)


@pytest.mark.parametrize("n", [288, 280])
def test_rows_with_gaps(device, queue, n):
    """In four dimensions, backward, and at addresses that no vector begins at."""
    strides = [8 * step for step in (40000, -9000, 2500, 301, 1)]
    problem = make_problem(
        (2, 3, 3, 2, n), "c8", 4, strides=strides, offset=8 * 18003,
        out_strides=[8 * step for step in (20000, 5001, 1203, 300, 1)], out_offset=8 * 7,
    )  # fmt: skip
    x = noise(160000, "c8")
    assert [each.kernel for each in plan_passes(problem, describe.traits(queue.device))] == ["row"]
    check(queue, problem, x)


@pytest.mark.parametrize("kind", ["r2c", "c2r"])
@pytest.mark.parametrize("n", [32, 168, 1000, 2**15])
def test_real_rows(device, queue, kind, n):
    """By `row` where it applies; as `check` says, NaN at the imaginary parts that do not count."""
    codes = ("f4", "f8") if kind == "r2c" else CODES
    try:
        check_all(device, queue, (3, n), 1, "row", codes, kind=kind)
    except PlanError:
        assert n < 128


@pytest.mark.one_cpu
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", ["r2c", "c2r"])
@pytest.mark.parametrize("n", [240, 512])
def test_real_rows_of_any_width(device, queue, lanes, width, kind, n):
    lanes(width)
    check_all(device, queue, (5, n), 1, "row", ["f4" if kind == "r2c" else "c8"], kind=kind)


@pytest.mark.one_cpu
@pytest.mark.parametrize("kind", ["r2c", "c2r"])
@pytest.mark.parametrize("shape", [(40, 64), (3, 37, 96)])
def test_real_images(device, queue, kind, shape):
    codes = ("f4", "f8") if kind == "r2c" else CODES
    check_all(device, queue, shape, None, None, codes, kind=kind)


def test_real_numbers_as_complex_ones(device, queue):
    check_all(device, queue, (5, 1200), 1, "row", ("f4", "f8"))
    check_all(device, queue, (60, 37), 0, "cols", ("f4", "f8"))
    check_all(device, queue, (37, 60), 1, "cols", ("f4", "f8"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "wanted"), [(1000, 768), (3, 768), (761, 768)])
def test_rows_cut_and_filled(device, queue, kind, n, wanted):
    check_all(device, queue, (5, n), 1, "row", KINDS[kind], kind=kind, s=wanted)


# --- columns --------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 8, 13, 60, 243, 1024])
@pytest.mark.parametrize("columns", [3, 37])
def test_columns(device, queue, n, columns):
    check_all(device, queue, (n, columns), 0, "cols", codes=[code_of(device, n + columns)])


@pytest.mark.one_cpu
@pairwise(
    {
        "width": WIDTHS,
        "shape": [(2, 24, 1, 20), (3, 60, 33), (2, 128, 16)],
        "number": PRECISIONS,
    }
)
def test_columns_of_any_width(device, queue, lanes, width, shape, number):
    lanes(width)
    check_all(device, queue, shape, 1, "cols", [code_of(device, number)])


@pytest.mark.one_cpu
@pytest.mark.parametrize("number", PRECISIONS)
def test_columns_in_blocks_of_two_vectors(device, queue, lanes, number):
    """Long columns whose points lie pages apart, from other arrays and in place."""
    lanes(8)
    code = code_of(device, number)
    check_all(device, queue, (1024, 512), 0, "cols", [code])
    check(
        queue, make_problem((1024, 512), code, 0), noise((1024, 512), code), "cols", in_place=True
    )


@pytest.mark.parametrize("columns", [16, 37])
def test_columns_in_place(device, queue, columns):
    for code in CODES:
        problem = make_problem((3, 48, columns), code, 1)
        check(queue, problem, noise((3, 48, columns), code), "cols", in_place=True)


@pytest.mark.one_cpu
@pairwise({"width": WIDTHS, "shape": [(16, 16), (5, 27), (37, 40)], "number": PRECISIONS})
def test_rows_as_columns(device, queue, lanes, width, shape, number):
    """Rows of a batch side by side in the lanes."""
    lanes(width)
    check_all(device, queue, shape, 1, "cols", [code_of(device, number)])


@pytest.mark.parametrize("transposed", ["in", "out"])
@pytest.mark.parametrize("shape", [(2, 32, 48), (1, 45, 37)])
def test_transposed_orders(device, queue, shape, transposed):
    check_all(device, queue, shape, (1, 2), None, transposed=transposed)


@pytest.mark.one_cpu
@pytest.mark.parametrize("shape", [(64, 64), (100, 30), (17 * 16, 96), (3, 40, 16, 24)])
def test_images(device, queue, shape):
    check_all(device, queue, shape, None, None)


@pytest.mark.one_cpu
@pytest.mark.parametrize("kind", ["r2c", "c2r"])
@pytest.mark.parametrize(("width", "n"), [(16, 27), (16, 36), (8, 225), (4, 36)])
def test_real_columns(device, queue, lanes, width, kind, n):
    """Two numbers of a transform are a point, or one of each of two transforms; in both orders."""
    lanes(width)
    code = [KINDS[kind][width == 8 and describe.traits(device).fp64]]
    for shape, axis in (((n, 37), 0), ((37, n), 1), ((2, n, 3), 1)):
        check_all(device, queue, shape, axis, "cols", code, kind=kind)


@pytest.mark.one_cpu
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "wanted"), [(50, 36), (21, 36), (5, 45)])
def test_columns_cut_and_filled(device, queue, kind, n, wanted):
    for shape, axis in (((n, 37), 0), ((37, n), 1), ((2, n, 5), 1)):
        check_all(device, queue, shape, axis, "cols", KINDS[kind][:1], kind=kind, s=wanted)


# --- convolutions ---------------------------------------------------------------------------------


@pytest.mark.one_cpu
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("width", "n"), [(16, 17), (8, 34), (4, 101)])
def test_convolutions(device, queue, lanes, width, kind, n):
    lanes(width)
    code = [KINDS[kind][n % 2 if describe.traits(device).fp64 else 0]]
    for shape, axis in (((37, n), 1), ((n, 37), 0), ((2, n, 3), 1)):
        check_all(device, queue, shape, axis, "chirp", code, kind=kind)


@pytest.mark.one_cpu
@pytest.mark.parametrize("n", [509, 1009, 4099])
def test_long_convolutions(device, queue, n):
    check_all(device, queue, (19, n), 1, "chirp", CODES[:1])


@EACH_KIND
def test_convolutions_cut_and_filled(device, queue, kind):
    for shape, axis in (((40, 37), 0), ((37, 60), 1)):
        check_all(device, queue, shape, axis, "chirp", KINDS[kind][:1], kind=kind, s=51)


def test_convolutions_in_place(device, queue):
    for shape, axis in (((37, 51), 1), ((51, 37), 0)):
        problem = make_problem(shape, "c8", axis)
        check(queue, problem, noise(shape, "c8"), "chirp", in_place=True)


@pytest.mark.one_cpu
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("width", "n"), [(16, 257), (8, 514), (4, 101)])
def test_convolutions_in_three_launches(device, queue, lanes, width, kind, n):
    """Rows, columns, cut and filled; which are short here, so that they are many."""
    lanes(width)
    code = [KINDS[kind][width == 8 and describe.traits(device).fp64]]
    for shape, axis in (((3, n), 1), ((n, 2), 0), ((2, n, 3), 1)):
        check_all(device, queue, shape, axis, "long_chirp", code, kind=kind)
    for given in (n + 4, n // 2, 3):
        check_all(device, queue, (2, given), 1, "long_chirp", code, kind=kind, s=n)


@pytest.mark.one_cpu
def test_long_convolutions_in_place(device, queue):
    for shape, axis in (((3, 1031), 1), ((1031, 3), 0)):
        problem = make_problem(shape, "c8", axis)
        check(queue, problem, noise(shape, "c8"), "long_chirp", in_place=True)


@pytest.mark.one_cpu
@pytest.mark.parametrize("n", [4099, 99991])
def test_long_rows_of_any_length(device, queue, n):
    problem = make_problem((n,), "c8")
    assert [each.kernel for each in plan_passes(problem, describe.traits(device))] == ["cols"] * 3
    for kind in KINDS:
        check_all(device, queue, (n,), 0, None, KINDS[kind][:1], kind=kind)


# --- one kernel for all lengths -------------------------------------------------------------------


@pytest.mark.one_cpu
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [8, 7, 60, 147, 256, 17, 34, 211])
def test_a_few_of_any_length(device, queue, kind, n):
    """A single one, rows and columns."""
    algorithm = "small" if is_smooth(n) else None  # which has the bounds of a convolution
    for shape, axis in (((n,), 0), ((3, n), 1), ((n, 4), 0)):
        problem = make_problem(shape, KINDS[kind][0], axis, kind)
        kernels = [each.kernel for each in plan_passes(problem, describe.traits(device))]
        assert kernels == ["small"]
        check_all(device, queue, shape, axis, algorithm, KINDS[kind], kind=kind)


@EACH_KIND
def test_a_few_cut_and_filled(device, queue, kind):
    for (n, wanted), alone in product(((50, 36), (35, 17), (3, 36)), (True, False)):
        shape = (n,) if alone else (n, 3)
        check_all(device, queue, shape, 0, None, KINDS[kind][:1], kind=kind, s=wanted)


@pytest.mark.one_cpu
@pytest.mark.parametrize("width", WIDTHS)
def test_a_few_of_any_width(device, queue, lanes, width):
    lanes(width)
    for shape, axis in (((61,), 0), ((40, 23), 0), ((23, 40), 1)):
        check_all(device, queue, shape, axis, None)


# --- long rows ------------------------------------------------------------------------------------


@pytest.mark.one_cpu
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("n", [256, 720, 4000])
def test_long_rows_of_any_width(device, queue, lanes, width, n):
    """Which are short here, so that they are many."""
    lanes(width)
    check_all(device, queue, (3, n), 1, "four_step_lanes")


@pytest.mark.parametrize("kind", ["r2c", "c2r"])
@pytest.mark.parametrize(("width", "n"), [(16, 32 * 33), (16, 45 * 49), (8, 36 * 40), (4, 33 * 36)])
def test_long_real_rows(device, queue, lanes, width, kind, n):
    """Columns and rows of even and odd lengths, half of whose results are conjugates of others."""
    lanes(width)
    code = [KINDS[kind][n // 2 % 2 if describe.traits(device).fp64 else 0]]
    check_all(device, queue, (3, n), 1, "four_step_lanes", code, kind=kind)


@pytest.mark.one_cpu
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "wanted"), [(2000, 1200), (700, 1200), (3, 1024), (1300, 2025)])
def test_long_rows_cut_and_filled(device, queue, kind, n, wanted):
    code = [code_of(device, n)] if kind != "r2c" else ["f4"]
    check_all(device, queue, (2, n), 1, "four_step_lanes", code, kind=kind, s=wanted)
    check_all(device, queue, (n, 2), 0, "four_step_lanes", code, kind=kind, s=wanted)


@pytest.mark.one_cpu
@pytest.mark.parametrize("n", [2**18, 2**20, 3**11, 600600])
def test_long_rows(device, queue, n):
    code = code_of(device, n % 3)
    check_all(device, queue, (n,), 0, "four_step_lanes", codes=[code])
    problem = make_problem((n,), code)
    check(queue, problem, noise(n, code), "four_step_lanes", in_place=True)
    for kind in ("r2c", "c2r"):
        check_all(device, queue, (n,), 0, "four_step_lanes", KINDS[kind][:1], kind=kind)


# --- neither points nor transforms side by side ---------------------------------------------------


def spread(shape, step, itemsize):
    """Strides of an array whose elements are `step` from each other."""
    strides = [step * itemsize]
    for extent in shape[:0:-1]:
        strides.insert(0, strides[0] * extent)
    return strides


@pytest.mark.one_cpu
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("shape", "axis", "algorithm"),
    [
        ((37, 40), 1, "cols"),
        ((36, 40), 0, "cols"),
        ((5, 27, 3), 1, "cols"),
        ((20, 34), 1, "chirp"),
        ((19, 17), 0, "chirp"),
        ((3, 1225), 1, "four_step_lanes"),
        ((1024, 3), 0, "four_step_lanes"),
        ((2, 509), 1, "long_chirp"),
    ],
)
def test_spread(device, queue, kind, shape, axis, algorithm):
    """Elements two or three apart, in front of the first and backward."""
    code = KINDS[kind][0]
    result = list(shape)
    given = list(shape)
    if kind != "c2c":
        (result if kind == "r2c" else given)[axis] = shape[axis] // 2 + 1
    sizes = {"c2c": (8, 8), "r2c": (4, 8), "c2r": (8, 4)}[kind]
    strides = spread(given, -2, sizes[0])
    first = sizes[0] * (7 + 2 * prod(given))
    options = {
        "strides": strides, "offset": first,
        "out_strides": spread(result, 3, sizes[1]), "out_offset": 5 * sizes[1],
    }  # fmt: skip
    for direction in ("forward", "inverse"):
        problem = make_problem(
            tuple(given), code, axis, kind, s=shape[axis], direction=direction, **options
        )
        check(queue, problem, noise(8 + 2 * prod(given), code), algorithm)


# --- memory ---------------------------------------------------------------------------------------


@pytest.mark.one_cpu
@pytest.mark.parametrize("stream", [1, 2**40])
@pytest.mark.parametrize("local", [0, 2**16])
def test_any_memory(device, queue, monkeypatch, stream, local):
    """Past the caches or not, at once or as whole rows, in local memory or in a workspace."""
    parameters = {**DEFAULTS["cpu"], "stream_bytes": stream, "lanes_local": local}
    monkeypatch.setitem(DEFAULTS, "cpu", parameters)
    for shape, axis in (((70, 400), 1), ((60, 48), 0), ((20, 27), 1), ((75, 17), 0)):
        check_all(device, queue, shape, axis, None)
    check_all(device, queue, (9, 400), 1, None, ("f4", "f8"), kind="r2c")
    check_all(device, queue, (9, 400), 1, None, kind="c2r")
    check_all(device, queue, (70, 27), 1, "cols", CODES[:1])
    strides = (8 * 401, 8)
    check_all(device, queue, (7, 400), 1, None, CODES[:1], out_strides=strides, out_offset=8)


@pytest.mark.one_cpu
@pytest.mark.parametrize("kind", ["c2c", "c2r"])
@pytest.mark.parametrize("n", [4000, 2**14])
def test_long_rows_are_stored_in_order_past_the_caches(device, queue, monkeypatch, lanes, n, kind):
    """On a core with 16 vector registers, as this one is said to be."""
    lanes(8)
    monkeypatch.setitem(DEFAULTS, "cpu", {**DEFAULTS["cpu"], "stream_bytes": 1})
    points = 2 * n if kind == "c2r" else n
    problem = make_problem((7, points), "c8", 1, kind)
    (only,) = plan_passes(problem, describe.traits(device))
    assert ("IN_ORDER", "1") in only.defines
    check_all(device, queue, (7, points), 1, None, kind=kind)


@pytest.mark.one_cpu
@pytest.mark.parametrize("kind", ["c2c", "c2r"])
@pytest.mark.parametrize(("n", "collected"), [(1024, True), (4096, True), (1536, False)])
def test_rows_are_collected_past_the_caches(device, queue, monkeypatch, lanes, n, collected, kind):
    """On a core with 16 vector registers, if results would be a multiple of 1 KiB apart."""
    lanes(8)
    monkeypatch.setitem(DEFAULTS, "cpu", {**DEFAULTS["cpu"], "stream_bytes": 1})
    points = 2 * n if kind == "c2r" else n
    (only,) = plan_passes(make_problem((7, points), "c8", 1, kind), describe.traits(device))
    assert (("COLLECTED", "1") in only.defines) == collected
    check_all(device, queue, (7, points), 1, None, kind=kind)
    gaps = (
        {"out_strides": (4 * (2 * n + 7), 4)}
        if kind == "c2r"
        else {"out_strides": (8 * (n + 3), 8)}
    )
    check_all(device, queue, (7, points), 1, None, CODES[:1], kind=kind, **gaps)


@pytest.mark.one_cpu
@pytest.mark.parametrize("offset", range(9))
def test_results_that_begin_within_a_line(device, queue, monkeypatch, lanes, offset):
    """Rows and columns that are whole lines, or halves of lines, or neither, past the caches."""
    lanes(8)
    monkeypatch.setitem(DEFAULTS, "cpu", {**DEFAULTS["cpu"], "stream_bytes": 1})
    for shape, axis in (((9, 64), 1), ((9, 56), 1), ((9, 100), 1), ((40, 36), 0), ((40, 32), 0)):
        strides = (8 * shape[1], 8)
        options = {"out_strides": strides, "out_offset": 8 * offset}
        check_all(device, queue, shape, axis, None, CODES[:1], **options)
    strides = (4 * 128, 4)
    options = {"kind": "c2r", "out_strides": strides, "out_offset": 4 * offset}
    check_all(device, queue, (9, 128), 1, None, CODES[:1], **options)
    check_all(device, queue, (128, 24), 0, None, CODES[:1], kind="c2r")


@pytest.mark.one_cpu
@pytest.mark.parametrize("stream", [1, 2**40])
def test_any_memory_of_all_kinds(device, queue, monkeypatch, stream):
    """The same of real transforms, convolutions and images."""
    parameters = {**DEFAULTS["cpu"], "stream_bytes": stream}
    monkeypatch.setitem(DEFAULTS, "cpu", parameters)
    check_all(device, queue, (70, 27), 1, "cols", ("f4",), kind="r2c")
    check_all(device, queue, (48, 70), 0, "cols", CODES[:1], kind="c2r")
    check_all(device, queue, (70, 34), 1, "chirp", CODES[:1])
    check_all(device, queue, (70, 46), 1, "chirp", ("f4",), kind="r2c")
    check_all(device, queue, (70, 72), 1, "cols", CODES[:1])
    check_all(device, queue, (70, 50), 1, "cols", ("f4",), kind="r2c")
    check_all(device, queue, (70, 50), 1, "cols", CODES[:1], kind="c2r")
    check_all(device, queue, (70, 27), 1, "cols", CODES[:1], kind="c2r")
    check_all(device, queue, (24, 36), None, None)
    check_all(device, queue, (3, 40, 27), None, None, CODES[:1])
    gaps = (8 * 29, 8)
    check_all(device, queue, (40, 27), 1, "cols", CODES[:1], out_strides=gaps, out_offset=8)


# --- cosine and sine transforms -------------------------------------------------------------------


@pytest.mark.one_cpu
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", ["dct2", "dct3", "dct4", "dst2", "dst3", "dst4"])
def test_cosine_rows_of_all_widths(device, lanes, kind, width):
    lanes(width)
    function = getattr(scipy.fft, kind[:3])
    for number, n in enumerate((2 * SMALLEST_ROW, 96, 250, 1000, 1024)):
        dtype = KINDS["r2c"][number % 2 if describe.traits(device).fp64 else 0]
        for norm in ("backward", "ortho"):
            x = noise((3, n), dtype)
            plan = pyclfft.Plan(x.shape, dtype, 1, kind, norm=norm)
            if n >= 1000:  # enough for a matrix of any width
                assert [each.source for each in plan.passes] == ["cpu/row.cl"]
            expected = function(x.astype("f8"), int(kind[3]), norm=norm)
            assert relative_error(plan(x), expected) <= 2 * bound("stockham", dtype, n)
            plan(x, out=x)
            assert relative_error(x, expected) <= 2 * bound("stockham", dtype, n)


@pytest.mark.one_cpu
@pytest.mark.parametrize("type", [2, 3, 4])
def test_cosine_rows_past_the_caches(device, type):
    """Results of large arrays are stored past the caches, rows that begin within lines too."""
    for shape in ((4100, 1024), (4200, 1000)):
        x = noise(shape, "f4")
        for there in (x, noise((shape[0], shape[1] + 6), "f4")[:, 3:-3]):
            expected = scipy.fft.dct(there.astype("f8"), type)
            result = pyclfft.dct(there, type)
            assert relative_error(result, expected) <= 2 * bound("stockham", "f4", shape[1])
            rows = abs(result - expected).max(axis=1)
            assert rows.max() < 1e-4 * abs(expected).max()
