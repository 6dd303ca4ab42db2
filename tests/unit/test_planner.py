"""Plans for recorded devices: which passes, and always within the device's limits."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from functools import cache
from math import prod

import numpy as np
import pytest
import scipy.fft

from pyclfft.errors import DeviceError, PlanError
from pyclfft.planning.arguments import Buffer, Role, Scalar, Vector
from pyclfft.planning.factor import LARGE_PRIMES, MAX_STAGES, is_smooth
from pyclfft.planning.parameters import parameters_for
from pyclfft.planning.passes import assign_buffers, without_repeated_tables
from pyclfft.planning.planner import axis_steps, plan_passes, settled_passes
from pyclfft.planning.problem import make_problem
from pyclfft.planning.solvers import ALIASES, BY_NAME, SOLVERS, stockham
from pyclfft.planning.solvers.stockham import Shape
from pyclfft.planning.tables import Chirp, ChirpSpectrum, DigitRoots, Roots, StageTwiddles
from pyclfft.runtime.program import source_text
from tests.oracle import expected_of, noise, places
from tests.recorded_traits import GIB, RECORDED
from tests.simulator import listed, numbers, partner_columns, simulate, stockham_of

H200 = RECORDED["h200"]


def scales(each):
    """A pass's arguments that are real numbers, in one part or two."""
    numbers_given = [
        argument for argument in each.arguments.values() if isinstance(argument, (Scalar, Vector))
    ]
    return [
        number.value if isinstance(number, Scalar) else sum(number.values)
        for number in numbers_given
        if number.dtype.startswith("float")
    ]


def kernels(problem, traits=H200, algorithm=None):
    return [each.kernel for each in plan_passes(problem, traits, algorithm)]


ON_LANES = ("row", "cols")  # kernels
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
        (make_problem((3,), "c8", s=4), "radix2", ["copy", *RADIX2]),
        (make_problem((5,), "c8", s=4), "radix2", RADIX2),  # it begins where the input does
        (make_problem((4,), "c8", direction="inverse"), "radix2", [*RADIX2, "norm"]),
        (make_problem((5,), "c8", direction="inverse"), "direct", ["direct"]),
        (make_problem((4, 1), "c8", 0), "radix2", [SWAP, *RADIX2, SWAP]),
        (make_problem((5, 4), "c8", 0), "direct", [SWAP, "direct", SWAP]),
        (make_problem((5, 3), "c8"), "direct", ["direct", SWAP, "direct", SWAP]),
        (make_problem((4, 4), "c8"), "radix2", [*RADIX2, SWAP, *RADIX2, SWAP]),
        (make_problem((4, 4), "c8", transposed="out"), "radix2", [*RADIX2, SWAP, *RADIX2]),
        (make_problem((4, 4), "c8", transposed="in"), "radix2", [*RADIX2, SWAP, *RADIX2]),
        (make_problem((5, 3), "c8", transposed="out"), "direct", ["direct", SWAP, "direct"]),
        (make_problem((5, 3), "c8", transposed="in"), "direct", ["direct", SWAP, "direct"]),
        (make_problem((1024,), "c8"), "direct", ["direct"]),
        (make_problem((12,), "c8"), "four_step_groups", ["stockham"] * 2),
        (make_problem((5, 12, 3), "c8", 1), "four_step_groups", ["stockham"] * 2),
        (make_problem((4,), "f4", kind="r2c"), "radix2", ["copy", *RADIX2, "copy"]),
        (make_problem((5,), "c8", kind="c2r"), "direct", ["copy", "direct", "copy"]),
        (
            make_problem((5, 3), "f4", kind="r2c"),
            "direct",
            ["copy", "direct", "copy", SWAP, "direct", SWAP],
        ),
        (
            make_problem((5, 3), "c8", kind="c2r"),
            "direct",
            [SWAP, "direct", SWAP, "copy", "direct", "copy"],
        ),
        (make_problem((5, 1), "c8", kind="c2r"), "direct", [SWAP, "direct", "copy"]),
        (
            make_problem((5, 4), "c8", strides=(8, 40)),
            "direct",
            [
                "direct",
                SWAP,
                "direct",
            ],
        ),
        (make_problem((8,), "c8"), "ladder1", ["ladder1"] * 3),
        (make_problem((2,), "c8"), "ladder2", ["ladder2"]),
        (make_problem((8,), "c8"), "ladder2", ["ladder2"] * 3),
        (make_problem((8,), "c8"), "ladder3", ["bitReverse", *["ladder3"] * 3]),
        (make_problem((2,), "c8"), "ladder4", ["bitReverse", "ladder4", "permuteArray"]),
        (make_problem((8,), "c8"), "ladder4", ["bitReverse", *["ladder4", "permuteArray"] * 3]),
        (make_problem((5, 4096), "c8", 1), "compact", ["compact"]),
        (make_problem((8, 2), "c8", 0), "compact", [SWAP, "compact", SWAP]),
        (make_problem((4,), "c8", direction="inverse"), "compact", ["compact", "norm"]),
        # By default: one launch for an axis of smooth length, whatever else is asked of it.
        (make_problem((1,), "c8"), None, ["copy"]),
        (make_problem((4,), "c8"), None, ["stockham"]),
        (make_problem((2 * 3 * 5 * 7 * 11,), "c8"), None, ["stockham"]),
        (make_problem((4,), "f4"), None, ["stockham"]),
        (make_problem((4,), "f4", kind="r2c"), None, ["stockham"]),
        (make_problem((6, 5, 3), "c8", kind="c2r"), None, ["stockham"] * 3),
        (make_problem((5,), "c8", s=4), None, ["stockham"]),
        (make_problem((9, 5), "f4", s=(6, 8), kind="r2c"), None, ["stockham"] * 2),
        (make_problem((4, 6), "c8", strides=(8, 64), offset=24), None, ["stockham"] * 2),
        (make_problem((4,), "c8", direction="inverse"), None, ["stockham"]),
        (make_problem((5, 4), "c8", 0), None, ["stockham"]),
        (make_problem((6, 50, 40), "c8", direction="inverse"), None, ["stockham"] * 3),
        (make_problem((5, 4), "c8", transposed="out"), None, ["stockham"] * 2),
        (make_problem((5, 4), "c8", transposed="in"), None, ["stockham"] * 2),
        (make_problem((1, 4), "c8", transposed="out"), None, ["stockham"]),
        # One launch for all axes of arrays that local memory holds.
        (make_problem((6, 5, 4), "c8", kind="c2r"), None, ["severalAxes"]),
        (make_problem((6, 5, 4), "c8", direction="inverse"), None, ["severalAxes"]),
        (make_problem((7, 6, 5), "c8", (1, 2)), None, ["severalAxes"]),
        (make_problem((7, 6, 5), "c8", (1, 2)), "several_axes", ["severalAxes"]),
        (make_problem((1, 1), "c8"), "several_axes", ["copy"]),
        # As many as it takes for one that is too long for a work-group.
        (make_problem((2**16,), "c8"), None, ["stockham"] * 2),
        (make_problem((2**16, 3), "c8"), None, ["stockham"] * 3),
        (make_problem((2**16,), "f4", kind="r2c"), None, ["stockham"] * 2),
        (make_problem((2**26,), "c8"), None, ["stockham"] * 3),
        (make_problem((2**26,), "c8", kind="c2r"), None, ["stockham"] * 3),
        # Other lengths as convolutions, in one launch or three.
        (make_problem((17,), "c8"), None, ["stockham"]),
        (make_problem((47, 4), "c8"), None, ["stockham"] * 2),
        (make_problem((1019,), "f4", kind="r2c"), None, ["stockham"]),
        (make_problem((17 * 2**12,), "c8"), None, ["stockham"] * 2),
        (make_problem((67 * 2**10,), "c8"), None, ["stockham"] * 3),
        # More dimensions than a kernel walks: contiguous first, then back.
        (
            make_problem(
                (3, 5, 4, 6, 2, 7), "c8", 5, strides=(10080, 672, 3360, 56, 28 * 8 * 50, 8)
            ),
            None,
            ["copy", "stockham"],
        ),
    ],
)
def test_kernels(problem, algorithm, expected):
    assert kernels(problem, algorithm=algorithm) == expected


def test_one_scale_for_all_axes():
    problem = make_problem((4, 4), "c8", direction="inverse")
    assert kernels(problem, algorithm="radix2").count("norm") == 1
    for algorithm in (None, "four_step_groups", "direct"):
        passes = [
            each
            for each in plan_passes(problem, H200, algorithm)
            if each.source != "textbook/transpose.cl"
        ]
        found = [scale for each in passes for scale in scales(each)]
        assert found == [1] * (len(passes) - 1) + [1 / 16]
    assert [part.scale for part in axis_steps(problem)] == [1, 1 / 16]
    problem = make_problem((1, 4), "c8", direction="inverse")
    assert [part.scale for part in axis_steps(problem)] == [1 / 4]
    (only,) = plan_passes(make_problem(3, "c8", direction="inverse"), H200)
    assert scales(only) == [1 / 3]  # to float64, of which float32 holds half the digits


@pytest.mark.parametrize(
    ("axes", "options", "expected"),
    [
        ((1, 2), {}, [2, 1]),
        ((2, 1), {}, [2, 1]),
        ((0, 1, 2), {}, [2, 1, 0]),
        ((1, 2), {"transposed": "out"}, [2, 1]),
        ((1, 2), {"transposed": "in"}, [1, 2]),  # the one that is contiguous
        ((2, 1), {"transposed": "in"}, [1, 2]),
        ((0, 1, 2), {"strides": (8, 24, 96)}, [0, 2, 1]),
        ((0, 1, 2), {"strides": (160, -8, 32)}, [1, 2, 0]),
        # Where numbers are real, that axis is the first or the last.
        ((1, 0, 2), {"kind": "r2c"}, [2, 1, 0]),
        ((1, 2, 0), {"kind": "r2c"}, [0, 2, 1]),
        ((2, 0), {"kind": "r2c", "strides": (4, 12, 48)}, [0, 2]),
        ((1, 0, 2), {"kind": "c2r"}, [1, 0, 2]),
        ((1, 2, 0), {"kind": "c2r"}, [2, 1, 0]),
        ((2, 1), {"kind": "c2r", "strides": (800, 8, 80)}, [2, 1]),
    ],
)
def test_order_of_axes(axes, options, expected):
    dtype = "f4" if options.get("kind") == "r2c" else "c8"
    problem = make_problem((3, 4, 5), dtype, axes, **options)
    assert [part.axes[0] for part in axis_steps(problem)] == expected


def test_order_upwards():
    """The first axes first, but where the layout or real numbers say otherwise."""
    for options, expected in (
        ({}, [0, 1, 2]),
        ({"kind": "r2c"}, [2, 0, 1]),
        ({"kind": "c2r"}, [0, 1, 2]),
        ({"strides": (8, 24, 96)}, [0, 1, 2]),
        ({"strides": (160, 8, 32)}, [1, 0, 2]),
    ):
        dtype = "f4" if options.get("kind") == "r2c" else "c8"
        problem = make_problem((3, 4, 5), dtype, (0, 1, 2), **options)
        assert [part.axes[0] for part in axis_steps(problem, upwards=True)] == expected


def test_steps_hand_over_to_each_other():
    """What one leaves is what the next one reads, and no step transforms what is not there."""
    problem = make_problem((9, 8, 7), "f4", (2, 0, 1), kind="r2c", s=(5, 12, 10))
    first, second, third = axis_steps(problem)
    assert (first.axes, first.kind, first.shape) == ((1,), "r2c", (9, 10, 5))
    assert first.source.shape == (9, 8, 5)
    assert (second.axes, second.kind, second.shape) == ((2,), "c2c", (9, 6, 5))
    assert (third.axes, third.kind, third.shape) == ((0,), "c2c", (12, 6, 5))
    assert third.source.shape == (9, 6, 5)
    assert first.source.strides == problem.source.strides
    resting = first.target.strides
    assert resting == second.source.strides == second.target.strides == third.source.strides
    assert third.target == problem.target


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
            "algorithm 'stockham' takes a length with prime factors up to 61 that fits a "
            "work-group, not 97: choose",
        ),
        (make_problem((8, 134), "c16"), "stockham", "that fits a work-group, not 134"),
        (make_problem((8, 2**16), "c8"), "stockham", "fits a work-group, not 65536"),
        (make_problem((2**20, 8), "c8"), "stockham", "fits a work-group, not 1048576"),
        (
            make_problem((97,), "c8"),
            "four_step",
            "that splits into short ones; on CPUs up to 13, not 97:",
        ),
        (
            make_problem((13,), "c8"),
            "four_step_groups",
            "splits into short ones; on CPUs up to 13, not 13",
        ),
        (
            make_problem((4, 3), "c8"),
            "four_step_groups",
            "splits into short ones; on CPUs up to 13, not 3",
        ),
        (make_problem((1000,), "c8"), "ladder1", "a power of two up to 2^24, not 1000"),
        (make_problem((2**25,), "c8"), "ladder3", "a power of two up to 2^24, not 33554432"),
        (make_problem((3, 12), "c8", 1), "compact", "a power of two and fits local memory, not 12"),
        (make_problem((8192,), "c8"), "compact", "fits local memory, not 8192"),
        (make_problem((4096,), "c16"), "compact", "fits local memory, not 4096"),
        (make_problem((1,), "c8"), "threestep", "unknown algorithm 'threestep'"),
        (make_problem((8,), "c8"), "radix3", f"choose from {', '.join(BY_NAME)}"),
    ],
)
def test_algorithm_is_refused(problem, algorithm, words):
    with pytest.raises(PlanError) as error:
        plan_passes(problem, H200, algorithm)
    assert words in str(error.value)


def test_order_of_algorithms():
    """All axes at once, then kernels for CPUs, those for all devices, and the textbook's."""
    order = [
        "several_axes", "equal_axes", "small", "row", "cosine_lanes", "cols", "four_step_lanes",
        "stockham",
        "four_step_groups", "bluestein_lanes", "rader", "bluestein_groups", "radix2", "direct",
    ]  # fmt: skip
    assert list(dict.fromkeys(each.name for each in SOLVERS)) == order
    assert list(BY_NAME)[: len(order)] == order


@pytest.mark.parametrize("name", ["four_step", "bluestein"])
@pytest.mark.parametrize("n", [64, 1024, 5000])
def test_a_name_without_a_leaf_takes_the_first_leaf(name, n):
    problem = make_problem((3, n), "c8", 1)
    on_cpu, on_gpu = (plan_passes(problem, RECORDED[each], name) for each in ("pocl", "h200"))
    assert {each.kernel for each in on_cpu} == {"cols"}
    assert {each.kernel for each in on_gpu} == {"stockham"}
    assert on_cpu == plan_passes(problem, RECORDED["pocl"], f"{name}_lanes")
    assert on_gpu == plan_passes(problem, H200, f"{name}_groups")
    groups = plan_passes(problem, RECORDED["pocl"], f"{name}_groups")
    assert {each.kernel for each in groups} == {"stockham"}
    with pytest.raises(PlanError, match="on a CPU with vectors"):
        plan_passes(problem, H200, f"{name}_lanes")


def test_a_name_without_a_leaf_goes_on_to_the_next_leaf():
    """Lanes gain nothing by two launches of so few points, but groups can be forced."""
    assert kernels(make_problem((12,), "c8"), RECORDED["pocl"], "four_step") == ["stockham"] * 2


@pytest.mark.parametrize("name", ALIASES)
def test_old_names(name):
    real = {"dtype": "f4", "kind": "dct2"} if "cosine" in name else {"dtype": "c8"}
    problem, traits = make_problem((3, 1024), axes=1, **real), RECORDED["pocl"]
    assert plan_passes(problem, traits, name) == plan_passes(problem, traits, ALIASES[name].name)
    assert ALIASES[name].name not in ALIASES
    with pytest.raises(PlanError, match=f"algorithm '{name}' takes"):
        plan_passes(problem, H200, name)
    assert BY_NAME[name].requirement == ALIASES[name].requirement


def test_a_convolution_held_to_one_launch_or_to_several():
    short, long = make_problem((40, 17), "c8", 1), make_problem((5003,), "c8")
    traits = RECORDED["intel-cpu"]
    assert kernels(short, traits, "chirp") == ["cols"]
    assert kernels(short, traits, "long_chirp") == ["cols"] * 3
    assert kernels(long, traits, "bluestein_lanes") == ["cols"] * 3
    with pytest.raises(PlanError, match="'chirp' takes neighbouring transforms of any length"):
        plan_passes(long, traits, "chirp")


@pytest.mark.parametrize("dtype", ["c16", "f8"])
def test_double_precision_needs_fp64(dtype):
    with pytest.raises(DeviceError) as error:
        plan_passes(make_problem((8,), dtype), RECORDED["arc"])
    assert RECORDED["arc"].name in str(error.value)
    assert 'x.astype("complex64")' in str(error.value)


# --- every plan within the limits of every device -------------------------------------------------

# (shape, options); each for every kind, both precisions, both directions
SWEEP = (
    ((1,), {}),
    ((2,), {}),
    ((3,), {}),
    ((32,), {}),
    ((1000,), {}),
    ((1009,), {}),
    ((4096,), {}),
    ((2 * 13**3,), {}),
    ((4099,), {}),
    ((30000,), {}),
    ((2**20,), {}),
    ((70000, 8), {"axes": 1}),
    ((70001, 3), {"axes": 1}),
    ((70000, 4, 2), {"axes": 1}),
    ((3, 2**14, 5), {"axes": 1}),
    ((3, 5003, 5), {"axes": 1}),
    ((3, 1, 5, 8), {}),
    ((16, 16, 16), {"axes": (1, 0)}),
    ((512, 384), {"transposed": "out"}),
    ((512, 384), {"transposed": "in"}),
    ((2**15, 6), {"transposed": "in"}),
    ((12, 8), {"transposed": "in"}),
    ((12, 8), {"transposed": "out"}),
    ((100, 64), {"s": (128, 50)}),
    ((3, 4, 5, 6, 7, 8), {"axes": (2, 4)}),
    ((0, 8), {"axes": 1}),
    ((8, 0), {"axes": 0}),
)
HUGE = (
    ((2**16, 2**16), {"axes": 0}),
    ((2**31,), {}),
)
POOR = ("embedded", "single")  # where long transforms have thousands of splits to try
KINDS = (  # kind and dtype of the input
    *(("c2c", dtype) for dtype in ("c8", "c16", "f4", "f8")),
    *(("r2c", dtype) for dtype in ("f4", "f8")),
    *(("c2r", dtype) for dtype in ("c8", "c16")),
)


def local_bytes(each):
    """Local memory that a pass takes, by what its kernel's text says, in words of our own."""
    macros, element = numbers(each), 16 if numbers(each)["DOUBLE"] else 8
    if each.kernel == "direct":
        return macros["TILE"] * element
    if each.kernel == "transposeBlocked":
        return macros["TILE"] * (macros["TILE"] + 1) * element
    if each.kernel == "localRadix2":
        return macros["N"] * element
    if each.kernel == "compact":
        return macros["POINTS"] * element
    if each.kernel == "stockham":
        pitch = macros["PITCH" if macros["LOAD_COLUMNS"] else "TRANSFORMS"]
        return macros["ROOM"] * pitch * exchanged(macros)
    if each.kernel in ON_LANES and macros["LOCAL_SCRATCH"]:
        return lanes_points(each) * macros["LANES"] * element
    return 0


def lanes_points(each):
    """Vectors of scratch memory: twice where results wait there for a transposition, or a pair."""
    macros = dict(each.defines)
    source, target = macros.get("SOURCE", "COMPLEX"), macros.get("TARGET", "COMPLEX")
    if each.kernel == "row":
        return int(macros["M"]) * (1 + ("COMPLEX" not in (source, target)))
    convolves = macros.get("SPECTRUM") == "1"
    waits = not convolves and (macros["TO_ROWS"] == "1" or target == "HERMITIAN")
    return int(macros["N"]) * (1 + waits)


def exchanged(macros):
    """Bytes of an element of stockham's local memory."""
    return (16 if macros["DOUBLE"] else 8) // (2 if macros["SPLIT"] else 1)


def places_used(macros, sequences, separates, packed):
    """Elements of local memory that a transform needs in the widest of stockham's exchanges."""
    n, most = macros["N"], 1
    for radices in sequences:
        for stage, radix in enumerate(radices[:-1]):  # blocks of `span` elements, and a gap
            span = prod(radices[: stage + 1])
            gap = span // radix if radix % 2 == 0 and span // radix < macros["BANKS"] else 0
            # Of halves the upper one begins at the same place as the lower one.
            last = (n // 2 if macros["HALVES"] else n) - 1
            most = max(most, last + last // span * gap + 1)
    if packed:  # one of two mirror images is laid down
        most = max(most, (macros.get("LENGTH", n) + 1) // 2)
    elif separates:  # all results are laid down
        most = max(most, n // (1 + macros["HALVES"]))
    return most


@cache
def kernel_texts(source):
    """Every kernel of a file, by name, from its attributes to the end of its body."""
    found = re.findall(r"^kernel .*?^}", source_text(source), re.MULTILINE | re.DOTALL)
    return {re.search(r"void (\w+)\(", each)[1]: each for each in found}


def schedules(traits, shape, options):
    """Every plan of one row of SWEEP, in place too: (passes, schedule, in place)."""
    long = max(shape) > 10000  # these are made more slowly
    for kind, dtype in KINDS:
        if dtype in ("c16", "f8") and (long or not traits.fp64):
            continue
        for direction in ("forward",) if long else ("forward", "inverse"):
            problem = make_problem(shape, dtype, kind=kind, direction=direction, **options)
            for algorithm in (None, *BY_NAME):
                try:
                    passes = plan_passes(problem, traits, algorithm)
                except PlanError:
                    assert algorithm not in (None, "direct")
                    continue
                yield passes, assign_buffers(passes, problem.nbytes), False
                yield in_place_of(problem, passes, traits, algorithm)


def in_place_of(problem, passes, traits, algorithm):
    """The same in place, as `Plan` has it."""
    if sum(each.moves for each in passes) == 1 and not passes[0].aliases:
        passes = settled_passes(problem, traits, algorithm)
    return passes, assign_buffers(passes, problem.nbytes, in_place=True), True


@pytest.mark.parametrize(("shape", "options"), SWEEP)
@pytest.mark.parametrize("name", RECORDED)
def test_plan_is_within_limits(name, shape, options):
    if name in POOR and prod(shape) > 10**5 and "axes" not in options:
        pytest.skip("thousands of splits to try")
    traits = RECORDED[name]
    for passes, schedule, in_place in schedules(traits, shape, options):
        for each in schedule.passes:
            check_launch(each, traits)
        check_buffers(passes, schedule, in_place)


@pytest.mark.parametrize(("shape", "options"), HUGE)
@pytest.mark.parametrize("name", [name for name in RECORDED if name not in POOR])
def test_plan_of_a_huge_array_is_within_limits(name, shape, options):
    for kind, dtype in (("c2c", "c8"), ("r2c", "f4"), ("c2r", "c8")):
        problem = make_problem(shape, dtype, kind=kind, **options)
        for each in plan_passes(problem, RECORDED[name]):
            check_launch(each, RECORDED[name])


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
    assert local_bytes(each) <= each.local_bytes <= traits.local_mem_bytes
    if each.kernel not in ("stockham", *ON_LANES):
        assert bool(each.local_bytes) == bool(re.search(r"\blocal ", text))
    for argument in each.arguments.values():
        if isinstance(argument, Scalar) and argument.dtype.startswith("uint"):
            assert 0 <= argument.value <= np.iinfo(argument.dtype).max
    if each.kernel == "stockham":
        check_stockham(each)


def radices_of(each, batch):
    """The radices of the stages: of a convolution there and, in reverse, back."""
    radices, back = listed(each, "RADICES"), listed(each, "RADICES_BACK")
    assert prod(radices) == batch.macros["N"]
    assert 1 <= len(radices) <= MAX_STAGES  # NUMBER_6 of group.cl
    assert back == (radices[::-1] if batch.macros["SPECTRUM"] else None)
    radix = batch.macros["REAL_RADIX"]
    if radix:
        assert {batch.source, batch.target} == {"REAL", "HERMITIAN"}
        assert not batch.macros["PAIR"] | batch.macros["PACKED"] | batch.macros["SPECTRUM"]
        assert radices[0 if batch.source == "REAL" else -1] == radix // 2 + 1
    return radices


def check_stockham(each):
    """Everything that the macros say of a transform, from the radices alone."""
    macros, batch = numbers(each), stockham_of(each)
    n, transforms = macros["N"], macros["TRANSFORMS"]
    radices = radices_of(each, batch)
    separates = batch.macros["PAIR"] and batch.target == "HERMITIAN"
    sequences = [radices, radices[::-1]] if batch.macros["SPECTRUM"] else [radices]
    used = places_used(macros, sequences, separates, batch.macros["PACKED"])
    if macros.get("SHARED_ROWS"):
        check_shared_rows(each, batch)
        used = n  # a row is laid down in order
    apart = 0  # the rooms of rows that become columns lie an odd multiple of their banks apart
    if macros["STORE_COLUMNS"] and not macros["LOAD_COLUMNS"]:
        apart = 2 * max(1, macros["BANKS"] // transforms)
    assert used <= macros["ROOM"] <= 1.5 * n + 1 + apart
    assert macros["PITCH"] >= transforms
    if macros["HALVES"]:
        assert all(radix % 2 == 0 for radix in radices)
    butterflies = [n // radix for radix in radices]
    rounds = [-(-count // macros["ITEMS"]) for count in butterflies]
    held = [count * radix for count, radix in zip(rounds, radices, strict=True)]
    large = max(radices) if max(radices) in LARGE_PRIMES else 0
    assert macros["ELEMENTS"] == max(held) <= max(32, large * 3 // 2)
    assert large <= LARGE_PRIMES[-1]
    # One work-item may do the real part of a butterfly, and another one its imaginary part.
    parts = 2 if macros.get("PARTS_APART") else 1
    assert parts * max(butterflies) >= macros["ITEMS"]  # none is idle all the time

    extents = batch.extents[: batch.macros["DIMENSIONS"]]
    assert batch.extents[len(extents) :] == (1,) * (4 - len(extents))
    assert 1 <= len(extents) <= 4
    assert batch.count == prod(extents)
    across = extents[0] if macros.get("APART") else batch.count
    groups = -(-across // transforms) * (batch.count // across)
    assert groups * each.local_size[0] == each.global_size[0]
    pair = batch.macros["PAIR"]
    paired = batch.macros["PAIR_DIMENSION"]
    assert batch.lone in ((extents[paired] - 1, 2**32 - 1) if pair else (2**32 - 1,))
    pair = pair and paired == 0  # below: whether dimension 0 has pairs
    single = 2 * extents[0] - (batch.lone == extents[0] - 1) if pair else extents[0]
    columns = []
    for side, distances, axis, partner in (
        ("SRC", batch.src_distances, batch.src_axis, batch.partner[0]),
        ("DST", batch.dst_distances, batch.dst_axis, batch.partner[1]),
    ):
        assert distances[len(extents) :] == (0,) * (4 - len(extents))
        if batch.macros["PAIR"]:
            assert distances[paired] == 2 * partner
        nearest = partner if pair else distances[0]
        stride = axis[1] * batch.macros[f"{side}_COLUMNS"]
        columns.append(single > 1 and abs(nearest) < abs(stride))
        assert (f"{side}_UNIT" in macros) == (axis[1] == 1)
    by_columns = any(columns)
    if len(radices) == 1:  # work-items cannot change places
        columns = [by_columns] * 2
    assert [macros["LOAD_COLUMNS"], macros["STORE_COLUMNS"]] == columns
    if by_columns:
        assert transforms >= 4  # of neighbouring columns
    if each.aliases:
        assert batch.src_distances == batch.dst_distances
        assert batch.src_axis[0] == batch.dst_axis[0]
        assert batch.source == batch.target == "COMPLEX"
    check_tables(batch, radices)


def check_shared_rows(each, batch):
    """Rows of points, or packed rows, with too few work-items for loads that are close."""
    macros = batch.macros
    assert macros["ITEMS"] < 16
    others = ("LOAD_COLUMNS", "STORE_COLUMNS", "SPLIT", "HALVES", "TWIST", "REAL_RADIX", "PAIR",
              "SPECTRUM", "CHIRP_FIRST")  # fmt: skip
    assert not any(macros[name] for name in others)
    assert each.local_bytes <= 32 * 1024
    turn = each.arguments["flags"].value & 3
    if batch.source == "REAL" and not macros["PACKED"] and macros["OUTPUTS"] < macros["N"]:
        assert turn == 0  # TO_HALF in numbers.cl
    if batch.source == "HERMITIAN":
        assert turn == 3  # FROM_HALF


def check_tables(batch, radices):
    macros = batch.macros
    precision = "double" if macros["DOUBLE"] else "single"
    real = {"real_radix": macros["REAL_RADIX"]} if macros["REAL_RADIX"] else {}
    real |= {"real_last": True} if real and batch.target == "REAL" else {}
    assert batch.twiddles == StageTwiddles(
        tuple(radices), precision, back=bool(macros["SPECTRUM"]), **real
    )
    columns = [macros[f"COLUMNS_{d}"] for d in range(macros["DIMENSIONS"])]
    column = sum((e - 1) * c for e, c in zip(batch.extents, columns, strict=False))
    if macros["PAIR"] and batch.lone == 2**32 - 1:
        column += partner_columns(macros)
    if macros["TWIST"]:
        bits, digits = macros["TWIST"], macros["DIGITS"]
        assert batch.roots == DigitRoots(batch.roots.n, bits, digits, precision)
        points = macros["OUTPUTS"] if macros["PAIR"] else macros["N"]
        largest = (points - 1) * column  # exponent
        assert largest < batch.roots.n <= 2 ** (bits * digits)
        assert bits * digits < (batch.roots.n - 1).bit_length() + digits  # no table is in vain
    if macros["PACKED"]:
        assert batch.roots == Roots(2 * macros["LENGTH"], precision)
        assert not macros["PAIR"]
        assert {batch.source, batch.target} == {"REAL", "HERMITIAN"}
        real = "SRC" if batch.source == "REAL" else "DST"
        assert (macros["SRC_COLUMNS"], macros["DST_COLUMNS"]) == (
            (2, 1) if real == "SRC" else (1, 2)
        )
    if macros["CHIRP_FIRST"] or macros["CHIRP_LAST"]:
        assert batch.chirp == Chirp(macros["LENGTH"], precision)
    if macros["SPECTRUM"]:
        factors = batch.spectrum.factors
        assert isinstance(batch.spectrum, ChirpSpectrum)
        assert batch.spectrum.precision == precision
        assert factors[-1] == macros["N"]
        assert column + 1 == prod(factors[:-1])
        assert prod(factors) >= 2 * batch.spectrum.n - 1


def check_buffers(passes, schedule, in_place):
    sizes = dict(schedule.workspace)
    filled = {"in"}
    for planned, each in zip(without_repeated_tables(passes), schedule.passes, strict=True):
        assert list(planned.arguments) == list(each.arguments)
        used = list(zip(planned.arguments.values(), each.arguments.values(), strict=True))
        source, target, data = (
            [after.name for before, after in used if before is role]
            for role in (Role.SOURCE, Role.TARGET, Role.DATA)
        )
        own = () if planned.table else [name for name, _ in planned.scratch]
        scratch = [before.name for before, _ in used if isinstance(before, Buffer)]
        scratch = [name for name in scratch if name not in own]
        (written,) = scratch if planned.table else target + data
        assert filled >= {*source, *data, *([] if planned.table else scratch)}
        assert written != "in"
        if not each.aliases:
            assert written not in source
            assert not (in_place and written == "out" and "in" in source)
        assert written == "out" or sizes[written] >= max(each.writes, each.leaves)
        filled.add(written)
        if in_place and written == "out":
            filled.discard("in")
    assert written == "out"


def test_as_many_rows_as_32_bits_count():
    problem = make_problem((2**31, 2), "c8", 1)
    assert problem.nbytes == 32 * GIB
    planned = 0
    for algorithm in BY_NAME:
        with suppress(PlanError):
            passes = plan_passes(problem, H200, algorithm)
            planned += 1
            for each in passes:
                check_launch(each, H200)
    assert planned >= 10


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
        ("h200", (512, 1000), 0, "c8", {"TRANSFORMS": 16, "SPLIT": 1}),
        ("h200", (512, 1000), 0, "c16", {"TRANSFORMS": 8, "SPLIT": 1}),
        ("h200", (1024, 1000), 0, "c8", {"TRANSFORMS": 8, "SPLIT": 1}),
        ("h200", (2048, 1000), 0, "c8", {"TRANSFORMS": 8, "SPLIT": 1, "HALVES": 1}),
        # The longest rows in halves.
        ("h200", (100, 16384), 1, "c8", {"TRANSFORMS": 1, "SPLIT": 1, "HALVES": 1}),
        # One row fills a multiprocessor, so few points of a work-item pay.
        ("h200", (1000, 5000), 1, "c16", {"ITEMS": 250, "ELEMENTS": 20, "SPLIT": 1}),
        # Within the device's limits, whatever the parameters say.
        ("small", (1000, 8), 1, "c8", {"ITEMS": 1, "TRANSFORMS": 24}),
        ("small", (1000, 64), 1, "c8", {"ITEMS": 8, "TRANSFORMS": 8}),
        ("single", (1000, 16), 1, "c8", {"ITEMS": 1, "TRANSFORMS": 1}),
        ("embedded", (1000, 64), 1, "c8", {"TRANSFORMS": 1, "SPLIT": 0}),
        ("embedded", (1000, 128), 1, "c8", {"TRANSFORMS": 1, "SPLIT": 1}),
    ],
)
def test_groups(name, shape, axis, dtype, expected):
    (each,) = plan_passes(make_problem(shape, dtype, axis), RECORDED[name], "stockham")
    found = numbers(each)
    assert {key: found[key] for key in expected} == expected


@pytest.mark.parametrize("n", [6, 30, 34, 62, 64, 100, 1024])
def test_two_real_numbers_at_an_odd_place_are_no_complex_number(n):
    """A GPU refuses to load, or to store, eight bytes that begin at a multiple of four."""
    from_odd = make_problem((50, n), "f4", 1, "r2c", offset=4)
    to_odd = make_problem((50, n), "c8", 1, "c2r", "inverse", out_offset=4)
    for problem in (from_odd, to_odd):
        (each,) = plan_passes(problem, H200)
        macros = dict(each.defines)
        assert not {"SRC_TOGETHER", "DST_TOGETHER"} & macros.keys()
        assert not {"PACKED", "PLAIN_ROWS"} <= macros.keys()


@pytest.mark.parametrize(
    ("n", "dtype", "kind", "items", "rows"),
    [
        (256, "c8", "c2c", 16, 8),  # complex rows that begin at whole sectors fill a group
        (96, "c8", "c2c", 12, 5),  # two stages of about the same radix: about 64 work-items
        (240, "c16", "c2c", 16, 4),
        (100, "c8", "c2c", 10, 3),  # the one length of which few rows are quicker
        (840, "c8", "c2c", 84, 1),  # three such stages: few lanes idle
        (385, "c8", "c2c", 35, 4),
        (105, "c8", "c2c", 8, 3),  # those that do not: over half of a warp, and 1280 bytes
        (225, "c16", "c2c", 15, 2),
        (54, "c16", "c2c", 6, 16),  # rows that share a group: in whole warps
        (27, "c8", "c2c", 1, 32),  # short ones: 1536 bytes, in whole warps
        (5, "c8", "c2c", 1, 64),
        (30, "f4", "r2c", 1, 32),
        (60, "c16", "c2r", 1, 64),  # the one length of which more rows are quicker
        (360, "f4", "r2c", 30, 1),  # real rows fill as few warps as they can
        (225, "f4", "r2c", 15, 2),
        (96, "f4", "r2c", 12, 5),
        (100, "c8", "c2r", 5, 25),
        (360, "c8", "c2r", 18, 3),
        (225, "c8", "c2r", 25, 5),  # rows of an odd number of results fill a group
        (240, "f4", "dct2", 8, 8),  # packed rows of two stages: whole rows fill a warp
        (96, "f4", "dct3", 2, 16),  # of shorter rows, each of two work-items has mirror images
        (128, "f4", "dct3", 2, 16),
        (128, "f4", "dct2", 8, 8),
        (200, "f4", "dct3", 10, 12),  # or as few work-items as the smaller radix
        (160, "f4", "dct3", 10, 3),  # but some rows have quads instead
        (720, "f4", "dct2", 60, 1),
        (360, "f4", "dct3", 30, 1),
    ],
)
def test_rows_of_a_group(n, dtype, kind, items, rows):
    problem = make_problem((1000, n), dtype, 1, kind, "inverse" if kind == "c2r" else "forward")
    (each,) = plan_passes(problem, H200)
    found = numbers(each)
    assert (found["ITEMS"], found["TRANSFORMS"]) == (items, rows)


@pytest.mark.parametrize("size", [16, 128, 256])
def test_rows_of_a_group_of_a_wanted_size(size):
    wanted = parameters_for(H200).over({"stockham_group": size}, "test")
    for n, dtype, kind, items in ((105, "c8", "c2c", 8), (360, "f4", "r2c", 30)):
        problem = make_problem((1000, n), dtype, 1, kind)
        (each,) = plan_passes(problem, H200, parameters=wanted)
        found = numbers(each)
        assert (found["ITEMS"], found["TRANSFORMS"]) == (items, max(1, size // items))


@pytest.mark.parametrize("shape", [(5, 8), (4096,), (256, 10), (2**16,), (1009,), (30011,)])
def test_groups_within_the_limit_of_their_dimension(shape):
    """Which may be less than that of a whole group."""
    traits = replace(H200, max_work_item_sizes=(64, 1024, 1024))
    for algorithm in (None, "direct"):
        for each in plan_passes(make_problem(shape, "c8"), traits, algorithm):
            check_launch(each, traits)


@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("name", [name for name in RECORDED if name not in POOR])
def test_every_smooth_length_up_to_4096(name, dtype):
    """In one launch or two, on all devices but those that have next to no local memory."""
    traits = RECORDED[name]
    if dtype == "c16" and not traits.fp64:
        pytest.skip("no double precision")
    for n in (n for n in range(2, 4097) if is_smooth(n)):
        passes = plan_passes(make_problem((n,), dtype), traits)
        for each in passes:
            check_launch(each, traits)
        assert {each.kernel for each in passes} <= {"stockham", "small", *ON_LANES}
        assert len(passes) <= 2


# Primes among them, and lengths for two, three and more steps.
LENGTHS = (*range(1, 301), 9973, 10007, 30030, 65537, 3**11, 5**8, 2**18, 13**5, 2**20)
LONGER = (999983, 3**14, 2**22, 7**8, 2**23 - 15, 2**24, 2**25 - 39, 2**26)


def check_length(name, n):
    traits = RECORDED[name]
    for kind, dtype in (("c2c", "c8"), ("r2c", "f4"), ("c2r", "c8")):
        for shape in ((n,), (n, 9)):
            for each in plan_passes(make_problem(shape, dtype, 0, kind), traits):
                check_launch(each, traits)
                if name not in POOR:
                    assert each.source.startswith(("gpu/", "cpu/")) or n == 1


@pytest.mark.parametrize("name", RECORDED)
def test_every_length_has_a_plan(name):
    for n in LENGTHS:
        if n <= 10007 or name not in POOR:
            check_length(name, n)


@pytest.mark.full
@pytest.mark.parametrize("n", LONGER)
@pytest.mark.parametrize("name", [name for name in RECORDED if name not in POOR])
def test_every_longer_length_has_a_plan(name, n):
    check_length(name, n)


@pytest.mark.parametrize("n", [2**22, 2**26, 7**8])
def test_a_long_length_has_a_plan(n):
    check_length("h200", n)


@pytest.mark.parametrize("kind", ["c2c", "r2c", "c2r", "dct2"])
@pytest.mark.parametrize("n", [2**31 + 11, 2**40, 2**53 + 111])
@pytest.mark.parametrize("name", RECORDED)
def test_lengths_that_hardly_a_device_holds(name, n, kind):
    """There is a plan for devices that may have the memory, and an error that names no solver."""
    problem = make_problem(8, "f4" if kind in ("r2c", "dct2") else "c8", kind=kind, s=n)
    try:
        passes = plan_passes(problem, RECORDED[name])
    except PlanError as error:
        refusal = str(error)
        assert name in POOR or n >= 2**40
        assert refusal.startswith(f"no algorithm transforms {n:,} points along an axis on ")
    else:
        assert passes


# --- what plans compute ---------------------------------------------------------------------------

# Shapes of groups that are forced on all transforms: (rows, columns).
FORCED = {
    "as it is": (stockham.ROWS, stockham.COLUMNS),
    "split": ((Shape(0, True),), (Shape(8, True),)),
    "halves": ((Shape(1, False, True),), (Shape(4, False, True),)),
    "split in halves": ((Shape(1, True, True),), (Shape(8, True, True),)),
}
# Groups so small that two steps do not suffice for a few hundred points.
TINY = {
    f"groups of {items}": replace(
        H200, name=f"groups of {items}", max_work_group_size=items, max_work_item_sizes=(items,) * 3
    )
    for items in (4, 8)
}
DEVICES = {**RECORDED, **TINY}


def check_results(problem, x, traits, algorithms):
    """Of all algorithms that take the problem."""
    expected = expected_of(problem, x.reshape(-1))
    for algorithm in algorithms:
        try:
            passes = plan_passes(problem, traits, algorithm)
        except PlanError:
            assert algorithm not in (None, "direct")
        else:
            check_result(problem, x, traits, algorithm, passes, expected)


def check_result(problem, x, traits, algorithm, passes, expected):
    """Out of place and, where that can be, in place."""
    schedules = [(passes, assign_buffers(passes, problem.nbytes), False)]
    if problem.source.is_plain and x.nbytes == problem.nbytes:
        schedules.append(in_place_of(problem, passes, traits, algorithm))
    source = x.reshape(-1).view(np.uint8)
    for _, schedule, in_place in schedules:
        out = simulate(schedule, source, problem.nbytes, in_place=in_place)
        result = out.view(problem.dtype)[places(problem.target)]
        tolerance = 1e-13 if problem.precision == "double" else 3e-6
        assert np.linalg.norm(result - expected) <= tolerance * np.linalg.norm(expected)


COMPUTED = (
    ((1,), {}),
    ((12,), {}),
    ((34,), {}),
    ((97,), {}),
    ((5, 24), {"axes": 1}),
    ((24, 5), {"axes": 0}),
    ((3, 24, 5), {"axes": 1}),
    ((3, 17, 5), {"axes": 1}),
    ((6, 1, 7, 8), {}),
    ((6, 7, 1), {}),
    ((6, 7, 8), {"axes": (2, 0), "norm": "ortho"}),
    ((3, 4, 2, 5, 3, 6), {"axes": (1, 3)}),
    ((2, 12, 16), {"axes": (1, 2), "transposed": "out"}),
    ((2, 12, 16), {"axes": (1, 2), "transposed": "in"}),
    ((2, 17, 16), {"axes": (1, 2), "transposed": "in"}),
    ((7, 9), {"s": (12, 6)}),
    ((7, 300), {"s": (4, 435)}),
    ((360,), {"s": 359}),
    ((330,), {"s": 360}),
    ((3, 1000), {"axes": 1}),
    ((1001, 3), {"axes": 0}),
    ((2, 523, 3), {"axes": 1}),
)
LONG_COMPUTED = (
    ((2**14,), {}),
    ((3, 2 * 13**3), {"axes": 1}),
    ((2, 2**14, 3), {"axes": 1}),
    ((2, 2**14, 3), {"axes": (1, 2), "transposed": "out"}),
    ((2, 2**14, 3), {"axes": (1, 2), "transposed": "in"}),
    ((30011,), {}),
    ((2**17,), {}),
)


def check_computed(name, shape, options, kind, direction):
    traits = DEVICES[name]
    code = "f" if kind == "r2c" else "c"
    dtype = f"{code}{(8 if code == 'f' else 16) // (1 if traits.fp64 else 2)}"
    problem = make_problem(shape, dtype, kind=kind, direction=direction, **options)
    x = noise(prod(problem.source.shape), dtype)
    check_results(problem, x, traits, (None, *BY_NAME))


@pytest.mark.parametrize("direction", ["forward", "inverse"])
@pytest.mark.parametrize("kind", ["c2c", "r2c", "c2r"])
@pytest.mark.parametrize(("shape", "options"), COMPUTED)
@pytest.mark.parametrize("name", DEVICES)
def test_what_plans_compute(name, shape, options, kind, direction):
    """Every index, factor and buffer of a plan, on devices that nobody here has."""
    check_computed(name, shape, options, kind, direction)


@pytest.mark.parametrize("kind", ["c2c", "r2c", "c2r"])
@pytest.mark.parametrize(("shape", "options"), LONG_COMPUTED)
@pytest.mark.parametrize("name", ["h200", "mali", "intel-cpu"])
def test_what_long_plans_compute(name, shape, options, kind):
    check_computed(name, shape, options, kind, "forward")


@pytest.mark.parametrize("forced", FORCED)
@pytest.mark.parametrize("kind", ["c2c", "r2c", "c2r"])
@pytest.mark.parametrize(
    ("shape", "axis"), [((7, 48), 1), ((48, 7), 0), ((7, 50), 1), ((64, 6), 0)]
)
def test_what_plans_compute_in_any_shape_of_group(monkeypatch, shape, axis, kind, forced):
    rows, columns = FORCED[forced]
    monkeypatch.setattr(stockham, "ROWS", rows)
    monkeypatch.setattr(stockham, "COLUMNS", columns)
    problem = make_problem(shape, "f8" if kind == "r2c" else "c16", axis, kind)
    x = noise(prod(problem.source.shape), "f8" if kind == "r2c" else "c16")
    check_results(problem, x, H200, ("stockham", "four_step_groups", "bluestein_groups"))


@pytest.mark.parametrize("type", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", ["dct", "dst"])
@pytest.mark.parametrize(
    ("shape", "options"),
    [
        ((12,), {}), ((3, 15), {"axes": 1}), ((16, 5), {"axes": 0}), ((2, 17, 3), {"axes": 1}),
        ((6, 7), {}), ((4, 9), {"s": (6, 5)}), ((5, 24), {"axes": 1, "norm": "ortho"}),
        ((5, 9), {"direction": "inverse"}), ((2, 600), {"axes": 1}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", DEVICES)
def test_what_cosine_and_sine_plans_compute(name, shape, options, kind, type):
    traits = DEVICES[name]
    dtype = "f8" if traits.fp64 else "f4"
    problem = make_problem(shape, dtype, kind=f"{kind}{type}", **options)
    x = noise(shape, dtype)
    given = {key: value for key, value in options.items() if key != "direction"}
    inverse = "i" if options.get("direction") == "inverse" else ""
    expected = getattr(scipy.fft, f"{inverse}{kind}n")(x.astype(np.longdouble), type, **given)
    schedule = assign_buffers(plan_passes(problem, traits), problem.nbytes)
    out = simulate(schedule, x.reshape(-1).view(np.uint8), problem.nbytes)
    result = out.view(dtype).reshape(expected.shape)
    tolerance = 1e-13 if traits.fp64 else 3e-6
    assert np.linalg.norm(result - expected) <= tolerance * np.linalg.norm(expected)


# Of the source: NumPy's way to make it from an array that is contiguous.
VIEWS = {
    "column order": lambda x: x.T,
    "every second": lambda x: x[::2, 1::2],
    "backwards": lambda x: x[::-1, ::-1],
    "middle": lambda x: x[2:-1, 3:-2],
    "one over and over": lambda x: np.broadcast_to(x[3], x.shape),
}


@pytest.mark.parametrize("axes", [0, 1, (0, 1)])
@pytest.mark.parametrize("kind", ["c2c", "r2c", "c2r"])
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", ["h200", "embedded", *TINY])
def test_what_plans_compute_of_any_strides(name, view, kind, axes):
    traits, dtype = DEVICES[name], "f8" if kind == "r2c" else "c16"
    whole = noise((22, 25), dtype)
    x = VIEWS[view](whole)
    start = x.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
    shape = list(x.shape)
    if kind == "c2r":
        shape[np.atleast_1d(axes)[-1]] = 2 * x.shape[np.atleast_1d(axes)[-1]] - 1
    problem = make_problem(shape, dtype, axes, kind, strides=x.strides, offset=start)
    check_results(problem, whole, traits, (None, *BY_NAME))


@pytest.mark.parametrize("algorithm", [None, "four_step_groups", "bluestein_groups", "direct"])
@pytest.mark.parametrize(("kind", "dtype"), [("c2c", "c16"), ("r2c", "f8"), ("c2r", "c16")])
def test_results_of_any_strides(kind, dtype, algorithm):
    """Nothing is written between the elements of the result."""
    problem = make_problem((6, 20), dtype, kind=kind)
    itemsize = problem.dtype.itemsize
    strides = (3 * itemsize, 20 * itemsize)
    problem = make_problem((6, 20), dtype, kind=kind, out_strides=strides, out_offset=2 * itemsize)
    x = noise(problem.source.shape, dtype)
    for traits in (H200, *TINY.values()):
        try:
            passes = plan_passes(problem, traits, algorithm)
        except PlanError:
            assert algorithm == "four_step_groups"
            continue
        nbytes = 20 * itemsize * problem.target.shape[1] + 2 * itemsize
        out = simulate(assign_buffers(passes, 0), x.reshape(-1).view(np.uint8), nbytes)
        out, expected = out.view(problem.dtype), expected_of(problem, x.reshape(-1))
        at = places(problem.target)
        assert np.linalg.norm(out[at] - expected) <= 1e-13 * np.linalg.norm(expected)
        out[at] = np.nan
        assert np.isnan(out).all()
