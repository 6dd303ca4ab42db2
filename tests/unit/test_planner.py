"""Plans for recorded devices: which passes, and always within the device's limits."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from math import prod

import numpy as np
import pytest

from pyclfft.errors import DeviceError, PlanError
from pyclfft.planning.factor import is_smooth
from pyclfft.planning.passes import (
    Buffer,
    Role,
    Roots,
    Scalar,
    StageTwiddles,
    Table,
    assign_buffers,
    without_repeated_tables,
)
from pyclfft.planning.planner import copy_pass, plan_passes, split_axes
from pyclfft.planning.problem import make_problem
from pyclfft.planning.solvers import BY_NAME
from pyclfft.runtime.program import source_text
from tests.recorded_traits import GIB, RECORDED

H200 = RECORDED["h200"]


def reals(each):
    """A pass's arguments that are real numbers."""
    scalars = [argument for argument in each.arguments if isinstance(argument, Scalar)]
    return [scalar for scalar in scalars if scalar.dtype.startswith("float")]


def kernels(problem, traits=H200, algorithm=None):
    return [each.kernel for each in plan_passes(problem, traits, algorithm)]


RADIX2 = ["spinFact", "bitReverse", "butterfly", "butterfly"]  # for 4 points
SWAP = "transposeBlocked"


@pytest.mark.parametrize(
    ("problem", "algorithm", "expected"),
    [
        (make_problem((4,), "c8"), "radix2", RADIX2),
        (make_problem((5,), "c8"), "direct", ["direct"]),
        (make_problem((1,), "c8"), "direct", ["copy"]),
        (make_problem((3, 4), "c8", ()), "radix2", ["copy"]),
        (make_problem((4,), "f4"), "radix2", ["copy", *RADIX2]),
        (make_problem((5,), "c8", s=4), "radix2", ["copy", *RADIX2]),
        (make_problem((4,), "c8", direction="inverse"), "radix2", [*RADIX2, "norm"]),
        (make_problem((5,), "c8", direction="inverse"), "direct", ["direct"]),
        (make_problem((4, 1), "c8", 0), "radix2", RADIX2),
        (make_problem((5, 4), "c8", 0), "direct", [SWAP, "direct", SWAP]),
        (make_problem((5, 3), "c8"), "direct", ["direct", SWAP, "direct", SWAP]),
        (make_problem((4, 4), "c8"), "radix2", [*RADIX2, SWAP, *RADIX2, SWAP]),
        (make_problem((4, 4), "c8", transposed="out"), "radix2", [*RADIX2, SWAP, *RADIX2]),
        (make_problem((4, 4), "c8", transposed="in"), "radix2", [*RADIX2, SWAP, *RADIX2]),
        (make_problem((5, 3), "c8", transposed="out"), "direct", ["direct", SWAP, "direct"]),
        (make_problem((5, 3), "c8", transposed="in"), "direct", ["direct", SWAP, "direct"]),
        (make_problem((1, 4), "c8", transposed="out"), "radix2", RADIX2),
        (make_problem((4, 1), "c8", transposed="in"), "radix2", RADIX2),
        (make_problem((1024,), "c8"), "direct", ["direct"]),
        (make_problem((12,), "c8"), "four_step", ["stockham"] * 2),
        (make_problem((5, 12, 3), "c8", 1), "four_step", [SWAP, "stockham", "stockham", SWAP]),
        # By default: one launch for an axis of smooth length, whatever else is asked of it.
        (make_problem((1,), "c8"), None, ["copy"]),
        (make_problem((4,), "c8"), None, ["stockham"]),
        (make_problem((2 * 3 * 5 * 7 * 11,), "c8"), None, ["stockham"]),
        (make_problem((4,), "f4"), None, ["copy", "stockham"]),
        (make_problem((4,), "c8", direction="inverse"), None, ["stockham"]),
        (make_problem((5, 4), "c8", 0), None, ["stockham"]),
        (make_problem((6, 5, 4), "c8", direction="inverse"), None, ["stockham"] * 3),
        (make_problem((5, 4), "c8", transposed="out"), None, ["stockham"] * 2),
        (make_problem((5, 4), "c8", transposed="in"), None, ["stockham"] * 2),
        (make_problem((1, 4), "c8", transposed="out"), None, ["stockham"]),
        # Two for one that is too long for a work-group, and the definition for what is left.
        (make_problem((2**16,), "c8"), None, ["stockham"] * 2),
        (make_problem((2**16, 3), "c8"), None, ["stockham", SWAP, "stockham", "stockham", SWAP]),
        (make_problem((17,), "c8"), None, ["direct"]),
        (make_problem((17, 4), "c8"), None, ["stockham", SWAP, "direct", SWAP]),
        (make_problem((17, 4), "c8", transposed="in"), None, ["direct", SWAP, "stockham"]),
        (make_problem((17 * 2**16,), "c8"), None, ["direct"]),
        # Powers of two beyond that are the textbook's.
        (make_problem((2**26,), "c8"), None, ["spinFact", "bitReverse", *["butterfly"] * 26]),
    ],
)
def test_kernels(problem, algorithm, expected):
    assert kernels(problem, algorithm=algorithm) == expected


def test_one_scale_for_all_axes():
    problem = make_problem((4, 4), "c8", direction="inverse")
    assert kernels(problem, algorithm="radix2").count("norm") == 1
    for algorithm in (None, "four_step", "direct"):
        passes = [
            each for each in plan_passes(problem, H200, algorithm) if each.source != "transpose.cl"
        ]
        scales = [scalar.value for each in passes for scalar in reals(each)]
        assert scales == [1] * (len(passes) - 1) + [1 / 16]
    assert [part.scale for part in split_axes(problem)] == [1, 1 / 16]
    assert [part.scale for part in split_axes(replace(problem, shape=(1, 4)))] == [1 / 16]


@pytest.mark.parametrize(
    ("axes", "transposed", "expected"),
    [
        ((1, 2), "", [2, 1]),
        ((2, 1), "", [1, 2]),
        ((0, 1, 2), "", [2, 1, 0]),
        ((1, 2), "out", [2, 1]),
        ((1, 2), "in", [1, 2]),
        ((2, 1), "in", [1, 2]),
    ],
)
def test_order_of_axes(axes, transposed, expected):
    problem = make_problem((3, 4, 5), "c8", axes, transposed=transposed)
    assert [part.axes[0] for part in split_axes(problem)] == expected


def test_axes_of_one_length_share_their_table():
    schedule = assign_buffers(plan_passes(make_problem((8, 8), "c8"), H200, "radix2"), 512)
    assert [each.kernel for each in schedule.passes].count("spinFact") == 1


@pytest.mark.parametrize(
    ("problem", "algorithm", "words"),
    [
        (
            make_problem((1000,), "c8"),
            "radix2",
            "a length that is a power of two, not 1000: choose",
        ),
        (make_problem((8, 6), "c8"), "radix2", "a power of two, not 6"),
        (
            make_problem((97,), "c8"),
            "stockham",
            "algorithm 'stockham' takes a smooth length that fits a work-group, not 97: choose",
        ),
        (make_problem((8, 34), "c8"), "stockham", "a smooth length that fits a work-group, not 34"),
        (make_problem((8, 2**16), "c8"), "stockham", "fits a work-group, not 65536"),
        (make_problem((2**20, 8), "c8"), "stockham", "fits a work-group, not 1048576"),
        (
            make_problem((97,), "c8"),
            "four_step",
            "algorithm 'four_step' takes a smooth length that splits into two short ones, not 97:",
        ),
        (make_problem((13,), "c8"), "four_step", "splits into two short ones, not 13"),
        (make_problem((4, 3), "c8"), "four_step", "splits into two short ones, not 3"),
        (make_problem((2**30,), "c8"), "four_step", "splits into two short ones, not 1073741824"),
        (make_problem((8,), "c8"), "radix3", f"choose from {', '.join(BY_NAME)}"),
    ],
)
def test_algorithm_is_refused(problem, algorithm, words):
    with pytest.raises(PlanError) as error:
        plan_passes(problem, H200, algorithm)
    assert words in str(error.value)


def test_order_of_algorithms():
    assert list(BY_NAME) == ["stockham", "four_step", "radix2", "direct"]


@pytest.mark.parametrize("dtype", ["c16", "f8"])
def test_double_precision_needs_fp64(dtype):
    with pytest.raises(DeviceError) as error:
        plan_passes(make_problem((8,), dtype), RECORDED["arc"])
    assert RECORDED["arc"].name in str(error.value)
    assert 'x.astype("complex64")' in str(error.value)


# --- every plan within the limits of every device -------------------------------------------------

# (shape, options); each for real and complex input, both precisions, both directions
SWEEP = (
    ((1,), {}),
    ((2,), {}),
    ((3,), {}),
    ((32,), {}),
    ((64,), {}),
    ((1000,), {}),
    ((1009,), {}),
    ((4096,), {}),
    ((2 * 13**3,), {}),
    ((30000,), {}),
    ((2**20,), {}),
    ((70000, 8), {"axes": 1}),
    ((70000, 3), {"axes": 1}),
    ((70000, 4, 2), {"axes": 1}),
    ((3, 2**14, 5), {"axes": 1}),
    ((3, 1, 5, 8), {}),
    ((16, 16, 16), {"axes": (1, 0)}),
    ((512, 384), {"transposed": "out"}),
    ((512, 384), {"transposed": "in"}),
    ((2**15, 6), {"transposed": "in"}),
    ((12, 8), {"transposed": "in"}),
    ((12, 8), {"transposed": "out"}),
    ((100, 64), {"s": (128, 50)}),
    ((0, 8), {"axes": 1}),
    ((8, 0), {"axes": 0}),
    ((2**16, 2**16), {"axes": 0}),
    ((2**31,), {}),
)
DTYPES = ("c8", "c16", "f4", "f8")


def local_bytes(each):
    """Local memory that a pass takes, by what its kernel's text says, in words of our own."""
    macros, element = numbers(each), 16 if numbers(each)["DOUBLE"] else 8
    if each.kernel == "direct":
        return macros["TILE"] * element
    if each.kernel == "transposeBlocked":
        return macros["TILE"] * (macros["TILE"] + 1) * element
    if each.kernel == "stockham" and len(stages(each)) > 1:
        return macros["ROOM"] * macros["TRANSFORMS"] * exchanged(macros)
    return 0


def exchanged(macros):
    """Bytes of an element of stockham's local memory."""
    return (16 if macros["DOUBLE"] else 8) // (2 if macros["SPLIT"] else 1)


def last_place(macros, words):
    """Where the last element of a transform lies in the widest of stockham's exchanges."""
    n, banks = macros["N"], 128 // exchanged(macros)
    places = []
    for _, (radix, _, span) in words[1:]:  # blocks of `span` elements, the gap of the stage before
        gap = span // radix if radix % 2 == 0 and span // radix < banks else 0
        places.append(n - 1 + (n - 1) // span * gap)
    return max(places)


def numbers(each):
    """A pass's macros that are numbers."""
    return {name: int(value) for name, value in each.defines if name != "STAGES"}


def stages(each):
    """The words of STAGES and their arguments: [("FIRST", [4]), ("LAST", [4, 4, 4])]."""
    text = dict(each.defines)["STAGES"]
    assert re.fullmatch(r'"\w+\([\d,]+\)( \w+\([\d,]+\))*"', text)
    words = re.findall(r"(\w+)\(([\d,]+)\)", text)
    return [(word, [int(number) for number in values.split(",")]) for word, values in words]


@cache
def kernel_texts(source):
    """Every kernel of a file, by name, from its attributes to the end of its body."""
    found = re.findall(r"^kernel .*?^}", source_text(source), re.MULTILINE | re.DOTALL)
    return {re.search(r"void (\w+)\(", each)[1]: each for each in found}


def schedules(traits, shape, options):
    """Every plan of one row of SWEEP, in place too: (passes, schedule, in place)."""
    for dtype in DTYPES:
        if dtype in ("c16", "f8") and not traits.fp64:
            continue
        for direction in ("forward", "inverse"):
            problem = make_problem(shape, dtype, direction=direction, **options)
            for algorithm in (None, *BY_NAME):
                try:
                    passes = plan_passes(problem, traits, algorithm)
                except PlanError:
                    assert algorithm not in (None, "direct")
                    continue
                yield passes, assign_buffers(passes, problem.nbytes), False
                yield (passes, *in_place_of(problem, passes, traits))


def in_place_of(problem, passes, traits):
    """The same in place, as `Plan` has it."""
    if sum(each.moves for each in passes) == 1 and not passes[0].aliases:
        passes = (*passes, copy_pass(problem, traits))
    return assign_buffers(passes, problem.nbytes, in_place=True), True


@pytest.mark.parametrize(("shape", "options"), SWEEP)
@pytest.mark.parametrize("name", RECORDED)
def test_plan_is_within_limits(name, shape, options):
    traits = RECORDED[name]
    for passes, schedule, in_place in schedules(traits, shape, options):
        for each in schedule.passes:
            check_launch(each, traits)
        check_buffers(passes, schedule, in_place)


def check_launch(each, traits):
    assert len(each.local_size) == len(each.global_size) <= 3
    assert prod(each.local_size) <= traits.max_work_group_size
    for size, local, limit in zip(
        each.global_size, each.local_size, traits.max_work_item_sizes, strict=False
    ):
        assert 1 <= local <= limit
        assert size % local == 0
    text = kernel_texts(each.source)[each.kernel]
    prescribed = re.search(r"reqd_work_group_size\((.*?)\)\)", text)
    if prescribed:
        factors = [re.findall(r"\w+", term) for term in prescribed[1].split(",")]
        macros = {"1": 1, **numbers(each)}
        group = tuple(prod(macros[factor] for factor in term) for term in factors)
        assert (*each.local_size, 1, 1)[:3] == group
    assert local_bytes(each) <= traits.local_mem_bytes
    if each.kernel != "stockham":
        assert bool(local_bytes(each)) == bool(re.search(r"\blocal ", text))
    for argument in each.arguments:
        if isinstance(argument, Scalar) and argument.dtype.startswith("uint"):
            assert 0 <= argument.value <= np.iinfo(argument.dtype).max
    if each.kernel == "stockham":
        check_stockham(each)


def check_stockham(each):
    """Everything that the macros say of a transform, from the radices alone."""
    macros, words = numbers(each), stages(each)
    radices = [values[1] if len(values) == 3 else values[0] for _, values in words]
    assert prod(radices) == macros["N"]
    if len(radices) == 1:
        assert words == [("ONLY", radices)]
    else:
        names = ["FIRST", *["STAGE"] * (len(radices) - 2), "LAST"]
        assert [word for word, _ in words] == names
        for index in range(1, len(radices)):
            before = radices[:index]
            assert words[index][1] == [before[-1], radices[index], prod(before)]
        assert last_place(macros, words) < macros["ROOM"] <= 1.5 * macros["N"]
    butterflies = [macros["N"] // radix for radix in radices]
    rounds = [-(-count // macros["ITEMS"]) for count in butterflies]
    held = [count * radix for count, radix in zip(rounds, radices, strict=True)]
    assert macros["ELEMENTS"] == max(held) <= 32
    assert max(butterflies) >= macros["ITEMS"]  # none is idle all the time

    batch = stockham_batch(each)
    assert -(-batch.count // macros["TRANSFORMS"]) * each.local_size[0] == each.global_size[0]
    columns = [column < stride for _, column, stride in (batch.source, batch.target)]
    if len(radices) == 1:  # work-items cannot change places
        columns = [any(columns)] * 2
    assert [macros["LOAD_COLUMNS"], macros["STORE_COLUMNS"]] == columns
    if batch.count:  # the kernel relies on it
        assert macros["LOAD_COLUMNS"] or batch.source[2] == 1
        assert macros["STORE_COLUMNS"] or batch.target[2] == 1
    assert each.aliases == (batch.source == batch.target)
    if macros["LOAD_COLUMNS"] or macros["STORE_COLUMNS"]:
        assert macros["TRANSFORMS"] >= 4  # of neighbouring columns

    twiddles, *roots = [a for a in each.arguments if isinstance(a, Table)]
    precision = "double" if macros["DOUBLE"] else "single"
    assert twiddles == StageTwiddles(tuple(radices), precision)
    assert len(roots) == (2 if macros["TWIST"] else 0)
    if roots:
        fine, coarse = roots
        assert fine.n == coarse.n
        assert (fine.precision, coarse.precision) == (precision, precision)
        assert (fine.step, fine.count) == (1, 2 ** macros["TWIST"])
        assert coarse.step == fine.count
        largest = (macros["N"] - 1) * (batch.inner - 1)  # exponent
        assert largest < min(fine.n, 2**32)
        assert largest >> macros["TWIST"] < coarse.count <= 2 * fine.count


@dataclass(frozen=True)
class StockhamBatch:
    """Arguments of the kernel by their names in stockham.cl; distances: outer, column, stride."""

    count: int
    inner: int
    source: tuple[int, int, int]
    target: tuple[int, int, int]
    scale: float
    inverse: int


def stockham_batch(each):
    scalars = [argument for argument in each.arguments if isinstance(argument, Scalar)]
    types = ["uint32"] * 2 + ["uint64"] * 6
    types += ["float64" if numbers(each)["DOUBLE"] else "float32", "uint32"]
    assert [scalar.dtype for scalar in scalars] == types
    values = [scalar.value for scalar in scalars]
    return StockhamBatch(*values[:2], tuple(values[2:5]), tuple(values[5:8]), *values[8:])


def check_buffers(passes, schedule, in_place):
    sizes = dict(schedule.workspace)
    filled = {"in"}
    if len(schedule.passes) > len(without_repeated_tables(passes)):
        assert in_place
        passes = (*passes, schedule.passes[-1])  # a copy at the end
    for planned, each in zip(without_repeated_tables(passes), schedule.passes, strict=True):
        if planned is each:
            source, target, data, scratch = [each.arguments[0].name], ["out"], [], []
        else:
            used = list(zip(planned.arguments, each.arguments, strict=True))
            source, target, data = (
                [after.name for before, after in used if before is role]
                for role in (Role.SOURCE, Role.TARGET, Role.DATA)
            )
            scratch = [after.name for before, after in used if isinstance(before, Buffer)]
        (written,) = scratch if planned.table else target + data
        assert filled >= {*source, *data, *([] if planned.table else scratch)}
        assert written != "in"
        if not each.aliases:
            assert written not in source
            assert not (in_place and written == "out" and "in" in source)
        assert written == "out" or sizes[written] >= each.writes
        filled.add(written)
        if in_place and written == "out":
            filled.discard("in")
    assert written == "out"


def test_as_many_rows_as_32_bits_count():
    problem = make_problem((2**31, 2), "c8", 1)
    assert problem.nbytes == 32 * GIB
    for algorithm in BY_NAME.keys() - {"four_step"}:
        for each in plan_passes(problem, H200, algorithm):
            check_launch(each, H200)


# --- shapes of work-groups ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "shape", "axis", "dtype", "expected"),
    [
        # Short rows fill a group, long ones have one of their own.
        ("h200", (1000, 16), 1, "c8", {"ITEMS": 4, "TRANSFORMS": 32, "SPLIT": 0}),
        ("h200", (1000, 4096), 1, "c8", {"TRANSFORMS": 1, "SPLIT": 0}),
        # Twice the points fit where real and imaginary parts are exchanged in turn.
        ("h200", (1000, 8192), 1, "c8", {"TRANSFORMS": 1, "SPLIT": 1}),
        ("h200", (1000, 4096), 1, "c16", {"TRANSFORMS": 1, "SPLIT": 1}),
        ("h200", (1000, 2048), 1, "c16", {"TRANSFORMS": 1, "SPLIT": 0}),
        # Columns come with their neighbours, fewer of them the longer they are.
        ("h200", (256, 1000), 0, "c8", {"TRANSFORMS": 16, "SPLIT": 0}),
        ("h200", (512, 1000), 0, "c8", {"TRANSFORMS": 8, "SPLIT": 0}),
        ("h200", (1024, 1000), 0, "c8", {"TRANSFORMS": 8, "SPLIT": 1}),
        ("h200", (2048, 1000), 0, "c8", {"TRANSFORMS": 4, "SPLIT": 1}),
        # Within the device's limits, whatever the parameters say.
        ("small", (1000, 8), 1, "c8", {"ITEMS": 4, "TRANSFORMS": 16}),
        ("single", (1000, 16), 1, "c8", {"ITEMS": 1, "TRANSFORMS": 1}),
        ("embedded", (1000, 64), 1, "c8", {"TRANSFORMS": 1, "SPLIT": 0}),
        ("embedded", (1000, 128), 1, "c8", {"TRANSFORMS": 1, "SPLIT": 1}),
    ],
)
def test_groups(name, shape, axis, dtype, expected):
    (each,) = plan_passes(make_problem(shape, dtype, axis), RECORDED[name], "stockham")
    found = numbers(each)
    assert {key: found[key] for key in expected} == expected


@pytest.mark.parametrize("shape", [(5, 8), (4096,), (256, 10), (2**16,), (1009,)])
def test_groups_within_the_limit_of_their_dimension(shape):
    """Which may be less than that of a whole group."""
    traits = replace(H200, max_work_item_sizes=(64, 1024, 1024))
    for algorithm in (None, "direct"):
        for each in plan_passes(make_problem(shape, "c8"), traits, algorithm):
            check_launch(each, traits)


@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("name", RECORDED)
def test_every_smooth_length_up_to_4096(name, dtype):
    """In one launch or two, on all devices but those that have next to no local memory."""
    traits = RECORDED[name]
    if dtype == "c16" and not traits.fp64:
        pytest.skip("no double precision")
    for n in (n for n in range(2, 4097) if is_smooth(n)):
        passes = plan_passes(make_problem((n,), dtype), traits)
        for each in passes:
            check_launch(each, traits)
        if name not in ("embedded", "single"):
            assert {each.kernel for each in passes} == {"stockham"}
            assert len(passes) <= 2


# --- what plans compute ---------------------------------------------------------------------------


def simulate(schedule, x, in_place):
    """Run a schedule in NumPy, pass by pass, from the passes' own arguments; returns "out"."""
    source = x.ravel().copy()
    buffers = {"in": source, "out": source if in_place else np.full_like(source, np.nan)}
    for name, nbytes in schedule.workspace:
        buffers[name] = np.full(nbytes // x.itemsize, np.nan, x.dtype)
    for each in schedule.passes:
        used = [buffers[a.name] for a in each.arguments if isinstance(a, Buffer)]
        scalars = [a.value for a in each.arguments if isinstance(a, Scalar)]
        SIMULATED[each.kernel](each, scalars, *used)
    return buffers["out"]


def simulate_stockham(each, scalars, source, target):
    batch = stockham_batch(each)
    q, points = np.arange(batch.count), np.arange(numbers(each)["N"])
    read, write = (
        (q // batch.inner * outer + q % batch.inner * column)[:, None] + points * stride
        for outer, column, stride in (batch.source, batch.target)
    )
    assert source is not target or np.array_equal(read, write)
    values = transform(source[read], batch.inverse) * batch.scale
    roots = [argument for argument in each.arguments if isinstance(argument, Roots)]
    if roots:
        angle = 2 * np.pi * (q % batch.inner)[:, None] * points / roots[0].n
        values *= np.exp((1j if batch.inverse else -1j) * angle)
    target[write] = values


def simulate_direct(each, scalars, source, target):
    n, flag, scale = scalars
    assert source is not target
    target[:] = (transform(source.reshape(-1, n), flag) * scale).ravel()


def simulate_transpose(each, scalars, source, target):
    assert source is not target
    target[:] = source.reshape(-1, *scalars).swapaxes(1, 2).ravel()


def simulate_bit_reverse(each, scalars, source, target):
    assert source is not target
    log2_n, rows = scalars
    assert source.size == rows << log2_n
    target[:] = source


def simulate_butterfly(each, scalars, data, table):
    log2_n, iteration, _, flag = scalars
    if iteration == log2_n:  # by now the rows are done
        data[:] = transform(data.reshape(-1, 1 << log2_n), flag).ravel()


def simulate_norm(each, scalars, data):
    count, scale = scalars
    data[:count] *= scale


def simulate_copy(each, scalars, source, target):
    assert source is not target
    target[:] = source


def transform(rows, inverse):
    return np.fft.ifft(rows, norm="forward") if inverse else np.fft.fft(rows)


SIMULATED = {
    "stockham": simulate_stockham,
    "direct": simulate_direct,
    "transpose": simulate_transpose,
    "transposeBlocked": simulate_transpose,
    "bitReverse": simulate_bit_reverse,
    "butterfly": simulate_butterfly,
    "norm": simulate_norm,
    "spinFact": lambda each, scalars, table: None,
    "copy": simulate_copy,
}


@pytest.mark.parametrize("direction", ["forward", "inverse"])
@pytest.mark.parametrize(
    ("shape", "options"),
    [
        ((1,), {}),
        ((12,), {}),
        ((34,), {}),
        ((5, 24), {"axes": 1}),
        ((24, 5), {"axes": 0}),
        ((3, 24, 5), {"axes": 1}),
        ((3, 17, 5), {"axes": 1}),
        ((6, 1, 7, 8), {}),
        ((6, 7, 8), {"axes": (2, 0), "norm": "ortho"}),
        ((2, 12, 16), {"axes": (1, 2), "transposed": "out"}),
        ((2, 12, 16), {"axes": (1, 2), "transposed": "in"}),
        ((2, 17, 16), {"axes": (1, 2), "transposed": "in"}),
        ((2**14,), {}),
        ((3, 2 * 13**3), {"axes": 1}),
        ((2, 2**14, 3), {"axes": 1}),
        ((2, 2**14, 3), {"axes": (1, 2), "transposed": "out"}),
        ((2, 2**14, 3), {"axes": (1, 2), "transposed": "in"}),
    ],
)
@pytest.mark.parametrize("name", RECORDED)
def test_what_plans_compute(name, shape, options, direction):
    """Every index, factor and buffer of a plan, on devices that nobody here has."""
    traits, dtype = RECORDED[name], "c16" if RECORDED[name].fp64 else "c8"
    problem = make_problem(shape, dtype, direction=direction, **options)
    rng = np.random.default_rng(0)
    x = (rng.random(shape) + 1j * rng.random(shape)).astype(dtype)
    function = np.fft.fftn if direction == "forward" else np.fft.ifftn
    expected = function(x, axes=problem.axes, norm=options.get("norm"))
    if problem.transposed == "in":
        x = x.swapaxes(-1, -2)
    if problem.transposed == "out":
        expected = expected.swapaxes(-1, -2)
    for algorithm in (None, *BY_NAME):
        try:
            passes = plan_passes(problem, traits, algorithm)
        except PlanError:
            assert algorithm not in (None, "direct")
            continue
        for schedule, in_place in (
            (assign_buffers(passes, problem.nbytes), False),
            in_place_of(problem, passes, traits),
        ):
            result = simulate(schedule, x, in_place)
            tolerance = 1e-12 if dtype == "c16" else 1e-5
            assert np.linalg.norm(result - expected.ravel()) <= tolerance * np.linalg.norm(expected)
