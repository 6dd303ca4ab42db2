"""Plans of every kind, layout and number of steps, on memory that is poisoned where nothing is.

Workspace and results begin as what is not a number, and so does what lies behind them: a value that
is read before it was written, or written where it does not belong, shows.
"""

from __future__ import annotations

from math import prod

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest

import pyclfft
from pyclfft.errors import PlanError
from pyclfft.planning.factor import LARGE_PRIMES, Stages, is_smooth
from pyclfft.planning.passes import assign_buffers
from pyclfft.planning.planner import plan_passes, settled_passes
from pyclfft.planning.problem import make_problem
from pyclfft.planning.solvers import stockham
from pyclfft.planning.solvers.stockham import Shape
from pyclfft.planning.solvers.textbook import autosort, ladder
from pyclfft.runtime import describe, memory
from pyclfft.runtime.executable import Executable
from tests.oracle import bound, expected_of, noise, of_few, relative_error
from tests.pairwise import pairwise

POISON = np.uint8(0xFF)  # a byte: floating point numbers of it are not numbers
GUARD = 256  # bytes behind every buffer
KINDS = {"c2c": "c8", "r2c": "f4", "c2r": "c8"}
WIDE = {"c8": "c16", "f4": "f8"}


@pytest.fixture(autouse=True)
def poisoned_workspace(monkeypatch, device):
    """Fill all workspace with what is not a number."""
    allocate = memory.allocate

    def poisoned(context, nbytes):
        buffer = allocate(context, nbytes)
        with cl.CommandQueue(context) as queue:
            cl.enqueue_fill_buffer(queue, buffer, POISON, 0, nbytes).wait()
        return buffer

    monkeypatch.setattr(memory, "allocate", poisoned)


def dtype_of(device, kind, wide):
    narrow = KINDS[kind]
    return WIDE[narrow] if wide and describe.traits(device).fp64 else narrow


def poisoned_buffer(queue, nbytes):
    return cl.Buffer(
        queue.context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR,
        hostbuf=np.full(nbytes + GUARD, POISON),
    )  # fmt: skip


def content(queue, buffer):
    found = np.empty(buffer.size, np.uint8)
    cl.enqueue_copy(queue, found, buffer)
    return found


def run(queue, problem, x, algorithm=None, *, in_place=False, passes=None):
    """Transform what lies in `x` as the problem says; return all that is in "out" then."""
    passes = passes or plan_passes(problem, describe.traits(queue.device), algorithm)
    if in_place and sum(each.moves for each in passes) == 1 and not passes[0].aliases:
        passes = settled_passes(problem, describe.traits(queue.device), algorithm)
    plain = problem.target.is_plain
    schedule = assign_buffers(passes, problem.nbytes if plain else 0, in_place=in_place)
    given = np.concatenate([x.reshape(-1).view(np.uint8), np.full(GUARD, POISON)])
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    source = cl.Buffer(queue.context, flags, hostbuf=given)
    itemsize = problem.dtype.itemsize
    nbytes = (1 + int(places(problem.target).max())) * itemsize
    target = source if in_place else poisoned_buffer(queue, nbytes)
    Executable(queue.context, schedule).enqueue(queue, source, target)
    if not in_place:
        np.testing.assert_array_equal(content(queue, source), given)
    found = content(queue, target)
    assert (found[nbytes:] == POISON).all(), "written behind the end"
    return found[:nbytes].view(problem.dtype)


def places(layout):
    """Indices of all elements of an array in its buffer."""
    found = np.full(layout.shape, layout.offset)
    for indices, step in zip(np.indices(layout.shape), layout.strides, strict=True):
        found += indices * step
    return found


def check(queue, problem, x, algorithm=None, **options):
    out = run(queue, problem, x, algorithm, **options)
    at = places(problem.target)
    lengths = [problem.shape[axis] for axis in problem.axes]
    smooth = algorithm is None and all(is_smooth(n) for n in lengths)
    limit = bound(
        algorithm or ("stockham" if smooth else "bluestein_groups"), problem.dtype, prod(lengths)
    )
    if "r" in problem.kind:
        limit *= of_few(at.size * (1 + (problem.kind == "r2c")))
    else:
        limit *= of_few(2 * at.size)
    assert relative_error(out[at], expected_of(problem, x.reshape(-1))) <= limit
    out[at] = np.nan
    assert np.isnan(out).all(), "written between the elements"


def check_plain(device, queue, shape, axes, kind, *, wide=False, algorithm=None, **options):
    """Both directions of a transform of contiguous arrays."""
    dtype = dtype_of(device, kind, wide)
    for direction in ("forward", "inverse"):
        problem = make_problem(shape, dtype, axes, kind, direction, **options)
        check(queue, problem, noise(problem.source.shape, dtype), algorithm)


# --- lengths --------------------------------------------------------------------------------------

# Smooth and not, odd and even, one launch and several.
LENGTHS = (
    *(
        1,
        2,
        3,
        4,
        6,
        8,
        13,
        17,
        26,
        34,
        60,
        97,
        194,
        243,
        1000,
        1009,
        2018,
        4099,
        8192,
        10007,
        16384,
    ),
    *(20014, 30030, 2**16),
)


@pytest.mark.one_cpu
@pytest.mark.parametrize("kind", ["r2c", "c2r"])
@pytest.mark.parametrize("n", LENGTHS)
def test_real_transforms(device, queue, n, kind):
    """Even ones each by itself; odd ones in pairs of rows, the last of an odd number alone."""
    check_plain(device, queue, (2 + n % 3, n), 1, kind, wide=n % 2 == 1)


@pytest.mark.parametrize("kind", ["r2c", "c2r"])
@pytest.mark.parametrize("rows", [1, 5, 300])
def test_real_batches(device, queue, rows, kind):
    for shape, axis in (((rows, 12), 1), ((12, rows), 0), ((3, 12, rows), 1)):
        check_plain(device, queue, shape, axis, kind)


@pytest.mark.parametrize("kind", ["c2c", "r2c", "c2r"])
@pytest.mark.parametrize("n", [30, 47, 2**13, 10007])
def test_columns(device, queue, n, kind):
    check_plain(device, queue, (n, 11), 0, kind, wide=n == 47)


@pytest.mark.one_cpu
@pairwise(
    {
        "kind": ["c2c", "r2c", "c2r"],
        "shape, axes": [
            ((12, 10), None),
            ((7, 9), (0, 1)),
            ((7, 17), (1, 0)),
            ((4, 6, 10), (2, 0)),
            ((6, 5, 1), None),
            ((1, 6), None),
            ((3, 2, 8, 3, 5), (2, 4)),
            ((2, 3, 2, 5, 2, 3), (5, 1, 3)),
        ],
        "algorithm": [None, "direct"],
    }
)
def test_many_dimensions(device, queue, shape, axes, kind, algorithm):
    check_plain(device, queue, shape, axes, kind, algorithm=algorithm)


@pytest.mark.parametrize("norm", ["ortho", "forward"])
@pytest.mark.parametrize("kind", ["r2c", "c2r"])
def test_norms(device, queue, kind, norm):
    check_plain(device, queue, (6, 10), None, kind, norm=norm)


CUTS = [
    ((9, 5), (6, 8)),
    ((9, 7), (17, 3)),
    ((3, 400), (3, 359)),
]


@pytest.mark.parametrize("kind", ["c2c", "r2c", "c2r"])
@pytest.mark.parametrize(("shape", "s"), CUTS)
def test_crop_and_pad(device, queue, shape, s, kind):
    check_plain(device, queue, shape, None, kind, s=s)


@pytest.mark.one_cpu
@pytest.mark.parametrize("kind", ["c2c", "r2c", "c2r"])
@pytest.mark.parametrize("given", [9, 40])
def test_crop_and_pad_rows_that_work_items_share(device, queue, given, kind):
    check_plain(device, queue, (7, given), 1, kind, s=17, algorithm="stockham")


@pytest.mark.one_cpu
@pytest.mark.parametrize("kind", ["c2c", "r2c", "c2r"])
@pytest.mark.parametrize(("n", "s"), [(361, 360), (355, 360), (150, 263)])
@pytest.mark.parametrize("items", [8])
def test_crop_and_pad_of_several_steps(device, queue, small_groups, n, s, kind, items):
    small_groups(items)
    check_plain(device, queue, (3, n), 1, kind, s=s)


# A stage alone and among others, and rows that work-items share. Compilers for CPUs take long.
LARGE = [17, 34, 17 * 19, 1023]
MORE_LARGE = [*LARGE_PRIMES, 51, 62, 122, 31 * 31, 31 * 32, 427, 1025, 61 * 17]
LARGE += [pytest.param(n, marks=pytest.mark.full) for n in MORE_LARGE if n not in LARGE]


@pytest.mark.one_cpu
@pytest.mark.parametrize("kind", ["c2c", "r2c", "c2r"])
@pytest.mark.parametrize("n", LARGE)
def test_large_primes_in_work_groups(device, queue, n, kind):
    """More rows than a group has, and a remainder; the same of columns."""
    for shape, axis in (((133, n), 1), ((n, 37), 0)):
        problem = make_problem(shape, dtype_of(device, kind, False), axis, kind)
        (only,) = plan_passes(problem, describe.traits(device), "stockham")
        assert "SPECTRUM" not in dict(only.defines)
        check_plain(device, queue, shape, axis, kind, wide=axis == 1, algorithm="stockham")


@pytest.mark.one_cpu
@pytest.mark.parametrize("shape", [(133, 17), (133, 34), (17, 37)])
@pytest.mark.parametrize("direction", ["forward", "inverse"])
def test_large_primes_in_place(device, queue, shape, direction):
    """With what is not a number in one transform, which changes no other."""
    axis = int(np.argmin(shape)) if 17 in shape else 1
    plan = pyclfft.Plan(
        shape, "c8", axis, "c2c", direction, algorithm="stockham", context=queue.context
    )
    x = noise(shape, "c8")
    plain = plan(x)
    assert relative_error(plain, expected_of(plan.problem, x.ravel()).reshape(shape)) < 3e-7
    rows = np.moveaxis(x, axis, -1)
    rows[5, 3] = np.nan
    given = cl_array.to_device(queue, x)
    assert plan(given, out=given) is given
    result = np.moveaxis(given.get(), axis, -1)
    assert np.isnan(result[5]).all()
    others = np.arange(len(result)) != 5
    np.testing.assert_array_equal(result[others], np.moveaxis(plain, axis, -1)[others])


@pytest.mark.parametrize("n", [8, 9, 34, 17])
@pytest.mark.parametrize("algorithm", [None, "direct"])
def test_imaginary_parts_that_mean_nothing_are_ignored(device, queue, n, algorithm):
    """Of the first element and, for even lengths, of the middle one."""
    for direction in ("forward", "inverse"):
        problem = make_problem((3, n), "c8", 1, "c2r", direction)
        x = noise(problem.source.shape, "c8")
        own = [0, n // 2] if n % 2 == 0 else [0]
        changed = x.copy()
        x[:, own] = x[:, own].real
        changed[:, own] += 1000j
        np.testing.assert_array_equal(
            run(queue, problem, changed, algorithm), run(queue, problem, x, algorithm)
        )


ROWS = [  # shape, axis, work-items of a group at most
    ((7, 24), 1, 0),
    ((24, 7), 0, 0),
    ((3, 24, 4), 1, 0),
    ((9, 2), 1, 0),  # one point
    ((2, 4), 0, 0),
    ((300, 26), 1, 0),  # one stage
    ((3, 34), 1, 0),  # a convolution
    ((34, 3), 0, 0),
    ((3, 480), 1, 4),  # several steps
    ((480, 3), 0, 4),
    ((3, 375), 1, 4),
    ((375, 3), 0, 4),
    ((3, 226), 1, 4),  # a convolution in steps
]


@pytest.mark.one_cpu
@pytest.mark.parametrize("kind", ["r2c", "c2r"])
@pytest.mark.parametrize(("shape", "axis", "items"), ROWS)
def test_rows_have_nothing_in_common(device, queue, small_groups, shape, axis, items, kind):
    """What is not a number in one, or so much louder, changes not a bit of the others."""
    if items:
        small_groups(items)
    dtype, n = KINDS[kind], shape[axis]

    def rows_of(array):
        return np.moveaxis(array, axis, -1).reshape(-1, array.shape[axis])

    for direction in ("forward", "inverse"):
        problem = make_problem(shape, dtype, axis, kind, direction)
        assert (len(plan_passes(problem, describe.traits(device))) > 1) == bool(items)
        x, at = noise(problem.source.shape, dtype), places(problem.target)
        result = rows_of(run(queue, problem, x)[at])
        limit = bound("stockham" if is_smooth(n) else "bluestein_groups", problem.dtype, n)
        for row, expected in zip(result, rows_of(expected_of(problem, x.ravel())), strict=True):
            assert relative_error(row, expected) <= limit * of_few(n)
        second = np.unravel_index(1, [extent for d, extent in enumerate(shape) if d != axis])
        for factor in (np.nan, np.inf, 1e6):
            changed = x.copy()
            np.moveaxis(changed, axis, -1)[second] *= np.float32(factor)
            found = rows_of(run(queue, problem, changed)[at])
            np.testing.assert_array_equal(np.delete(found, 1, 0), np.delete(result, 1, 0))
            assert not np.array_equal(found[1], result[1])


@pytest.mark.parametrize("n", [16, 15, 17, 60])
def test_real_round_trip(device, queue, n):
    x = noise((5, n), np.float32)
    there = pyclfft.Plan((5, n), "float32", kind="r2c")
    back = pyclfft.Plan((5, n), "complex64", kind="c2r", direction="inverse")
    result = back(there(x))
    assert (result.dtype, result.shape) == (x.dtype, x.shape)
    assert relative_error(result, x) <= 2 * bound("bluestein", np.complex64, 5 * n)


# --- steps ----------------------------------------------------------------------------------------


@pytest.mark.one_cpu
@pytest.mark.parametrize("kind", ["c2c", "r2c", "c2r"])
@pytest.mark.parametrize(
    ("n", "items", "passes"),
    [(48, 8, 2), (3375, 4, 3), (113, 4, 3)],
)
def test_steps(device, queue, small_groups, n, items, passes, kind):
    """Three and more of them, and Bluestein's convolution in steps, on lengths that are short."""
    small_groups(items)
    traits = describe.traits(device)
    algorithm = "four_step_groups" if is_smooth(n) else "bluestein_groups"
    for shape, axis in (((n,), 0), ((n, 5), 0)):
        dtype = dtype_of(device, kind, axis)
        for direction in ("forward", "inverse"):
            problem = make_problem(shape, dtype, axis, kind, direction)
            if shape == (n,):
                assert len(plan_passes(problem, traits, algorithm)) >= passes
            check(queue, problem, noise(problem.source.shape, dtype), algorithm)


@pytest.mark.full
def test_convolution_in_five_steps(device, queue, small_groups):
    small_groups(4)
    traits = describe.traits(device)
    for kind, dtype in KINDS.items():
        problem = make_problem((2, 3001), dtype, 1, kind)
        passes = plan_passes(problem, traits)
        assert len(passes) == 5
        check(queue, problem, noise(problem.source.shape, dtype))


SHAPES = {
    "split": (Shape(0, True), Shape(8, True)),
    "halves": (Shape(1, False, True), Shape(4, False, True)),
    "split in halves": (Shape(1, True, True), Shape(4, True, True)),
    "one": (Shape(1), Shape(4)),
}


@pytest.mark.one_cpu
@pytest.mark.parametrize("kind", ["c2c", "r2c", "c2r"])
@pytest.mark.parametrize("shapes", SHAPES)
def test_shapes_of_groups(device, queue, monkeypatch, shapes, kind):
    """Exchanges in parts, for one launch, for steps and for convolutions, rows and columns."""
    rows, columns = SHAPES[shapes]
    monkeypatch.setattr(stockham, "ROWS", (rows,))
    monkeypatch.setattr(stockham, "COLUMNS", (columns,))
    wide = shapes == "split in halves"
    for shape, axis, algorithm in (
        ((3, 96), 1, "stockham"),
        ((2, 256), 1, "four_step_groups"),
        ((29, 3), 0, "bluestein_groups"),
    ):
        check_plain(device, queue, shape, axis, kind, wide=wide, algorithm=algorithm)


# The last butterflies, on the way back the first ones, are a work-item's with their mirror images.
MORE_IMAGED = [(4, 4, 4, 2), (8, 8, 10), (8, 8, 16)]
IMAGED = [(4, 16, 6), *(pytest.param(each, marks=pytest.mark.full) for each in MORE_IMAGED)]


@pytest.mark.one_cpu
@pytest.mark.parametrize("kind", ["r2c", "c2r"])
@pytest.mark.parametrize("radices", IMAGED)
def test_packed_rows_of_pairs(device, queue, monkeypatch, radices, kind):
    monkeypatch.setattr(stockham, "best_stages", lambda *_, **__: Stages(radices, 32))
    n = 2 * prod(radices)
    for rows, columns in (SHAPES["one"], SHAPES["split"], SHAPES["split in halves"]):
        monkeypatch.setattr(stockham, "ROWS", (rows,))
        monkeypatch.setattr(stockham, "COLUMNS", (columns,))
        for shape, axis in (((3, n), 1), ((n, 5), 0)):
            check_plain(device, queue, shape, axis, kind, algorithm="stockham")


@pytest.mark.one_cpu
def test_bluestein_of_a_smooth_length(device, queue):
    for kind in KINDS:
        check_plain(device, queue, (3, 60), 1, kind, algorithm="bluestein_groups")


# --- the ladder -----------------------------------------------------------------------------------

LADDER = [solver.name for solver in ladder.SOLVERS]


@pytest.mark.one_cpu
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("algorithm", LADDER)
def test_lengths_of_the_ladder(device, queue, algorithm, wide):
    """Two to four rows of each."""
    itemsize = np.dtype(dtype_of(device, "c2c", wide)).itemsize
    room = describe.traits(device).local_mem_bytes // itemsize
    for log2_n in (1, 2, 5, 9, 12) if wide else range(1, 13):
        shape = (2 + log2_n % 3, 2**log2_n)
        if algorithm != "compact" or 2**log2_n <= room:
            check_plain(device, queue, shape, 1, "c2c", wide=wide, algorithm=algorithm)


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("algorithm", LADDER)
def test_the_ladder_along_any_axes(device, queue, algorithm, norm):
    for shape, axes in (((5, 16), 1), ((16, 5), 0), ((3, 16, 4), 1), ((8, 16), None)):
        check_plain(device, queue, shape, axes, "c2c", algorithm=algorithm, norm=norm)


@pytest.mark.parametrize("algorithm", LADDER)
def test_the_ladder_in_place(device, queue, algorithm):
    """Of two points, too: a single stage, which may move them."""
    for shape, axis in (((7, 2), 1), ((5, 16), 1), ((16, 5), 0)):
        for direction in ("forward", "inverse"):
            problem = make_problem(shape, "c8", axis, direction=direction)
            check(queue, problem, noise(shape, "c8"), algorithm, in_place=True)


@pytest.mark.one_cpu
@pytest.mark.parametrize("algorithm", LADDER[:-1])
def test_a_long_length_of_the_ladder(device, queue, algorithm):
    check_plain(device, queue, (2**16,), 0, "c2c", algorithm=algorithm)


def test_compact_takes_what_local_memory_holds(device, queue):
    most = 1 << (describe.traits(device).local_mem_bytes // 8).bit_length() - 1
    check_plain(device, queue, (2, most), 1, "c2c", algorithm="compact")
    with pytest.raises(PlanError, match=f"fits local memory, not {2 * most}"):
        pyclfft.Plan(2 * most, "complex64", algorithm="compact")


STEPS = [solver.name for solver in autosort.SOLVERS]


@pytest.mark.parametrize("algorithm", STEPS)
def test_lengths_of_the_steps_to_stockham(device, queue, algorithm):
    """Both directions, as far as a work-group and its local memory go."""
    traits = describe.traits(device)
    for wide in (False, True):
        itemsize = np.dtype(dtype_of(device, "c2c", wide)).itemsize
        most = min(traits.local_mem_bytes // itemsize, 2 * traits.max_work_group_size)
        for log2_n in range(1, 13):
            if 2**log2_n <= most:
                shape = (2 + log2_n % 3, 2**log2_n)
                check_plain(device, queue, shape, 1, "c2c", wide=wide, algorithm=algorithm)


@pytest.mark.parametrize("algorithm", STEPS)
def test_the_steps_along_any_axes_and_in_place(device, queue, algorithm):
    for norm in ("backward", "ortho", "forward"):
        for shape, axes in (((5, 16), 1), ((16, 5), 0), ((3, 16, 4), 1), ((8, 16), None)):
            check_plain(device, queue, shape, axes, "c2c", algorithm=algorithm, norm=norm)
    for direction in ("forward", "inverse"):
        problem = make_problem((7, 64), "c8", 1, direction=direction)
        check(queue, problem, noise((7, 64), "c8"), algorithm, in_place=True)


# --- where arrays lie -----------------------------------------------------------------------------

VIEWS = {
    "column order": lambda x: x.T,
    "every second": lambda x: x[::2, 1::2],
    "backwards": lambda x: x[::-1, ::-1],
    "middle": lambda x: x[2:-1, 3:-2],
    "one over and over": lambda x: np.broadcast_to(x[3], x.shape),
}


@pytest.mark.one_cpu
@pairwise({"algorithm": [None, "direct"], "kind": ["c2c", "r2c", "c2r"], "view": list(VIEWS)})
def test_input_of_any_strides(device, queue, view, kind, algorithm):
    dtype = KINDS[kind]
    whole = noise((22, 25), dtype)
    x = VIEWS[view](whole)
    offset = x.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
    for axes in (0, 1, (0, 1)):
        shape, last = list(x.shape), np.atleast_1d(axes)[-1]
        shape[last] = 2 * shape[last] - 1 if kind == "c2r" else shape[last]
        problem = make_problem(shape, dtype, axes, kind, strides=x.strides, offset=offset)
        check(queue, problem, whole, algorithm)


@pytest.mark.one_cpu
@pytest.mark.parametrize(
    "algorithm", [None, "four_step_groups", "bluestein_groups", "direct", "radix2"]
)
@pytest.mark.parametrize("kind", ["c2c", "r2c", "c2r"])
def test_output_of_any_strides(device, queue, kind, algorithm):
    """Nothing is written between the elements of the result."""
    dtype, extents = KINDS[kind], (5, 32) if algorithm != "bluestein_groups" else (5, 31)
    itemsize = make_problem(extents, dtype, kind=kind).dtype.itemsize
    for strides in ((3 * itemsize, 17 * itemsize), (70 * itemsize, 2 * itemsize)):
        problem = make_problem(
            extents, dtype, 1, kind, out_strides=strides, out_offset=2 * itemsize
        )
        check(queue, problem, noise(problem.source.shape, dtype), algorithm)


@pytest.mark.parametrize("kind", ["c2c", "r2c", "c2r"])
@pytest.mark.parametrize("n", [12, 17])
def test_more_dimensions_than_a_kernel_walks(device, queue, kind, n):
    """Five beside the transformed one, none of which continues another: a copy goes before."""
    gaps, dtype = (7, 4, 9, 3, 6, 40), KINDS[kind]
    extents = (2, 3, 2, 2, 3, n)
    memory = noise(gaps, dtype)
    x = memory[:, :, :, :, :, :][::3, ::-1][:, :3, ::4][:, :, :2, ::2, ::2]
    x = x[:2, :, :, :2, :3, : n // 2 + 1 if kind == "c2r" else n]
    assert x.shape[:5] == extents[:5]
    offset = x.__array_interface__["data"][0] - memory.__array_interface__["data"][0]
    problem = make_problem(extents, dtype, 5, kind, strides=x.strides, offset=offset)
    passes = plan_passes(problem, describe.traits(device))
    assert passes[0].kernel == "copy"
    check(queue, problem, memory, passes=passes)


@pytest.mark.parametrize("kind", ["c2c", "r2c", "c2r"])
@pytest.mark.parametrize("slices", [np.s_[::-1], np.s_[:, ::-1], np.s_[1::2, ::3], np.s_[2:, 3:]])
def test_views_of_device_arrays(device, queue, kind, slices):
    dtype = KINDS[kind]
    host = noise((9, 19), dtype)
    x = cl_array.to_device(queue, host)[slices]
    shape = list(x.shape)
    shape[1] = 2 * shape[1] - 2 if kind == "c2r" else shape[1]
    plan = pyclfft.Plan(shape, dtype, kind=kind, strides=x.strides, offset=x.offset)
    result = plan(x)
    expected = expected_of(make_problem(shape, dtype, kind=kind), host[slices].copy().reshape(-1))
    assert relative_error(result.get(), expected) <= bound("bluestein", np.complex64, prod(shape))
    np.testing.assert_array_equal(cl_array.to_device(queue, host).get(), host)


@pytest.mark.parametrize("algorithm", ["stockham", "four_step_groups", "bluestein_groups"])
@pytest.mark.parametrize(("shape", "axis"), [((5, 36), 1), ((36, 5), 0), ((2, 36, 3), 1)])
def test_in_place(device, queue, shape, axis, algorithm):
    x = noise(shape, np.complex64)
    for direction in ("forward", "inverse"):
        problem = make_problem(shape, "c8", axis, direction=direction)
        check(queue, problem, x, algorithm, in_place=True)


@pytest.mark.parametrize("n", [2, 15, 26, 64, 2**14])
def test_real_in_place_in_padded_rows(device, queue, n):
    """There and back in one memory, whose rows have room for the spectrum."""
    memory = cl_array.zeros(queue, (5, n // 2 + 1), np.complex64)
    rows = memory.view(np.float32)[:, :n]
    x = noise((5, n), np.float32)
    memory.set(padded(x, memory.shape))
    there = pyclfft.Plan((5, n), "float32", 1, "r2c", strides=rows.strides, offset=rows.offset)
    back = pyclfft.Plan((5, n), "complex64", 1, "c2r", "inverse")
    limit = bound("stockham", np.complex64, n) * of_few(5 * n)
    expected = expected_of(make_problem((5, n), "float32", 1, "r2c"), x.ravel())
    assert relative_error(there(rows, out=memory).get(), expected) <= limit
    back(memory, out=rows)
    assert relative_error(memory.get().view(np.float32)[:, :n], x) <= 2 * limit


def padded(x, shape):
    """Rows with room behind, as complex numbers."""
    found = np.zeros((shape[0], 2 * shape[1]), np.float32)
    found[:, : x.shape[1]] = x
    return found.view(np.complex64)


# --- what callers rely on -------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["c2c", "r2c", "c2r"])
@pytest.mark.parametrize(("shape", "axes"), [((7, 60), 1), ((31, 16), None), ((2**15,), 0)])
def test_the_same_bits_every_time_and_no_input_modified(device, queue, shape, axes, kind):
    """`run` compares the input."""
    dtype = dtype_of(device, kind, wide=True)
    problem = make_problem(shape, dtype, axes, kind)
    x = noise(problem.source.shape, dtype)
    first = run(queue, problem, x).view(np.uint8)
    for _ in range(3):
        run(queue, problem, noise(problem.source.shape, dtype, seed=1))
        np.testing.assert_array_equal(run(queue, problem, x).view(np.uint8), first)


@pytest.mark.parametrize("kind", ["r2c", "c2r"])
def test_plans_of_real_arrays(device, queue, kind):
    """Through `Plan`: host and device arrays, `out`, profile."""
    dtype = KINDS[kind]
    plan = pyclfft.Plan((6, 15), dtype, kind=kind)
    x = noise(plan.problem.source.shape, dtype)
    before, expected = x.copy(), expected_of(plan.problem, x.reshape(-1))
    limit = bound("stockham", np.complex64, 90)
    out = np.empty(plan.problem.target.shape, plan.problem.dtype)
    assert plan(x, out=out) is out
    on_device = cl_array.to_device(queue, x)
    for result in (plan(x), out, plan(on_device).get()):
        assert (result.dtype, result.shape) == (plan.problem.dtype, plan.problem.target.shape)
        assert relative_error(result, expected) <= limit
    np.testing.assert_array_equal(x, before)
    np.testing.assert_array_equal(on_device.get(), before)
    times = plan.profile(x)
    assert times[0].nbytes == x.nbytes
    assert times[-1].nbytes == out.nbytes


@pytest.mark.parametrize("kind", ["c2c", "c2r"])
@pytest.mark.parametrize("n", [3, 11, 48])
def test_scale_is_not_rounded(device, queue, n, kind):
    """1/n in float32 is off by up to 6e-8; the inverse of an impulse shows nothing else."""
    x = np.zeros((1000, n if kind == "c2c" else n // 2 + 1), "complex64")
    x[:, 0] = noise((1000,), "float32")
    plan = pyclfft.Plan((1000, n), "complex64", -1, kind, "inverse", context=queue.context)
    exact = x[:, :1].real.astype(float) / n
    result = plan(x)
    np.testing.assert_allclose(result.real, np.broadcast_to(exact, result.shape), rtol=6.1e-8)


# --- long sweeps ----------------------------------------------------------------------------------


@pytest.mark.full
@pytest.mark.parametrize("block", range(0, 4096, 64))
def test_every_length(device, queue, block):
    """In one kind; on the next device in another one, and so its neighbours."""
    number = pyclfft.devices().index(device)
    for n in range(block + 1, block + 65):
        kind = ("c2c", "r2c", "c2r")[(n + number) % 3]
        check_plain(device, queue, (2 + n % 2, n), 1, kind, wide=n // 3 % 3 == 0)


PRIMES = (5003, 8191, 16381, 65521, 99991, 131071, 524287, 999983, 2**21 - 9)


@pytest.mark.full
@pytest.mark.parametrize("kind", ["c2c", "r2c", "c2r"])
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("n", [*(2**k for k in range(13, 25)), *PRIMES, 3**13, 5**9, 7**7, 13**5])
def test_long_lengths(device, queue, n, wide, kind):
    if wide and not describe.traits(device).fp64:
        pytest.skip(f"{device.name} has no double precision")
    check_plain(device, queue, (n,), 0, kind, wide=wide)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(200))
def test_any_problem(device, queue, seed):
    """Shapes, axes, kinds, cuts, strides and algorithms by chance."""
    rng = np.random.default_rng(seed)
    kind = str(rng.choice(list(KINDS)))
    dimensions = int(rng.integers(1, 6))
    shape = [int(n) for n in rng.integers(1, 6, dimensions)]
    axes = [int(a) for a in rng.permutation(dimensions)[: rng.integers(1, 4)]]
    shape[axes[-1]] = int(rng.integers(1, 300))
    s = [max(1, shape[a] + int(rng.integers(-3, 6))) for a in axes] if rng.random() < 0.4 else None
    dtype = dtype_of(device, kind, rng.random() < 0.5)
    direction = str(rng.choice(["forward", "inverse"]))
    given = make_problem(shape, dtype, axes, kind, s=s).source.shape
    order = rng.permutation(dimensions)
    whole = noise([2 * given[d] for d in order], dtype, seed)
    cut = whole[tuple(slice(0, 2 * given[d], 2) for d in order)]
    x = cut.transpose(np.argsort(order))
    problem = make_problem(shape, dtype, axes, kind, direction, s=s, strides=x.strides)
    for algorithm in (None, "bluestein_groups", "four_step_groups"):
        try:
            check(queue, problem, whole, algorithm)
        except PlanError:
            assert algorithm is not None
