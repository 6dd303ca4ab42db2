"""Launches every kernel of cl/ on small sizes, through pyclfft's own plans and filters.

`tests/device/test_oclgrind.py` runs this under Oclgrind, a simulator that watches every access to
memory. Results are compared with SciPy; the names of the kernels launched go to standard output.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import scipy.fft
import scipy.signal

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pyclfft
from pyclfft.audio.mel import mel_matrix
from pyclfft.bench import multiply_adds
from pyclfft.convolution import ladder as climbing
from pyclfft.convolution import lines, partitions, running, streaming
from pyclfft.convolution.blocks import cut
from pyclfft.convolution.line_plans import Blocking
from pyclfft.convolution.methods import METHODS
from pyclfft.distributed import direct_plans
from pyclfft.planning.factor import Stages
from pyclfft.planning.parameters import DEFAULTS
from pyclfft.planning.problem import make_problem
from pyclfft.planning.solvers import BY_NAME, lanes, row, stockham
from pyclfft.planning.solvers.stockham import Shape
from pyclfft.planning.solvers.textbook import ladder
from pyclfft.runtime import describe, memory, wisdom
from pyclfft.runtime.four_step import twiddle_hook
from pyclfft.runtime.shift import converted
from tests.device import test_imaging as images
from tests.device.test_shorttime import MODES, expected_stft
from tests.image.test_spectrum import expected as expected_magnitudes
from tests.image.test_volumes import expected as expected_volume
from tests.oracle import expected_of, noise, relative_error

LAUNCHED: set[str] = set()
AS_SHIPPED = dict(DEFAULTS["gpu"])
BOUND = {"c8": 1e-6, "f4": 1e-6, "c16": 3e-15, "f8": 3e-15}

# Shape, axes and algorithm: odd ones whose ranges are rounded up, batches smaller and larger than a
# group.
TEXTBOOK = [
    ((8,), None, "radix2"),
    ((1, 2), -1, "radix2"),
    ((5, 16), -1, "radix2"),
    ((3, 7), -1, "direct"),
    ((1, 67), -1, None),
    ((4, 8), (0, 1), "radix2"),
    ((6, 5), (0, 1), "direct"),
    ((3, 4, 8), (1, 2), "radix2"),
    ((5, 3, 4), (1,), "direct"),
    ((1, 1), (0, 1), None),
]
LADDER = [
    (shape, axes, solver.name)
    for shape, axes in (((1, 2), -1), ((5, 16), -1), ((3, 8, 5), 1))
    for solver in ladder.SOLVERS
]
TILES = [  # of the transposition (0: the textbook's) and of the direct transform
    {"transpose_tile": 16, "direct_tile": 64},
    {"transpose_tile": 3, "direct_tile": 5},
    {"transpose_tile": 0, "direct_tile": 1},
]
STOCKHAM = [
    ((5, 2), -1, "stockham"),
    ((3, 13), -1, "stockham"),  # one stage, and more transforms in a group than there are
    ((37, 9), -1, "stockham"),
    ((7, 30), -1, "stockham"),
    ((360,), None, "stockham"),
    ((1, 2197), -1, "stockham"),  # real parts first, then imaginary parts
    ((1, 1001), -1, "stockham"),  # work-items that have fewer butterflies than others
    ((30, 5), 0, "stockham"),
    ((2, 32, 3), 1, "stockham"),
    ((3, 7, 17), 1, "stockham"),
    ((12, 10), (0, 1), "stockham"),
    ((7, 17), -1, "stockham"),  # work-items that share rows
    ((3, 34), -1, "stockham"),
    ((3, 36), -1, "four_step_groups"),
    ((1, 350), -1, "four_step_groups"),
    ((60, 3), 0, "four_step_groups"),
]
# Of every kind: one launch and several, rows and columns, real ones of even and odd lengths.
SHORT = [
    ((7, 42), -1, "stockham"),
    ((7, 63), -1, "stockham"),
    ((2, 49), -1, "stockham"),  # work-items that have one column of the real stage, or two
    ((21, 3), 0, "stockham"),
    ((9, 2), -1, "stockham"),
    ((3, 98), -1, "stockham"),
    ((3, 22), -1, "bluestein_groups"),
    ((2, 44, 3), 1, "stockham"),
    ((36, 3), 0, "four_step_groups"),
    ((3, 60), -1, "four_step_groups"),
    ((3, 7), -1, "bluestein_groups"),
    ((7, 5), 0, "bluestein_groups"),
]
EVEN = [
    ((3, 32), -1, "stockham"),
    ((3, 128), -1, "stockham"),
    ((32, 5), 0, "stockham"),
    ((2, 13), -1, "bluestein_groups"),
    ((2, 26), -1, "bluestein_groups"),
    ((2, 256), -1, "four_step_groups"),
]
MATRICES = [
    ((3, 24, 11), 1, "stockham"),
    ((2, 17, 9), 1, "rader"),
    ((2, 8, 20), (1, 2), "stockham"),
]
# In groups so small that these take three steps, and Bluestein's convolution several launches.
STEPS = [
    ((210,), None, "four_step_groups"),
    ((2, 256), -1, "four_step_groups"),
    ((113,), None, "bluestein_groups"),
    ((113, 2), 0, "bluestein_groups"),
]
# Full vectors and lanes that stay empty, blocks that overlap, columns that are left over.
LANES = [
    ((3, 64), -1, "row"),
    ((2, 168), -1, "row"),
    ((5, 40), -1, "row"),  # two of five lanes each
    ((2, 16, 6), 1, "cols"),
    ((5, 8), 0, "cols"),
    ((5, 12), -1, "cols"),
    ((2, 144), -1, "four_step_lanes"),
    ((16, 12), (0, 1), None),
    ((60,), None, "small"),
    ((17,), None, "small"),
    ((5, 15), -1, "small"),
    ((14, 3), 0, "small"),
    ((5, 7), -1, "chirp"),
    ((7, 6), 0, "chirp"),
    ((144, 2), 0, "four_step_lanes"),
    ((2, 23), -1, "long_chirp"),
    ((23, 2), 0, "long_chirp"),
]
EQUAL_AXES = [
    ((4, 8, 8), (1, 2), "equal_axes"),
    ((5, 9, 9), (1, 2), "equal_axes"),
    ((4, 9, 9, 9), (1, 2, 3), "equal_axes"),
]
REAL_LANES = [
    ((3, 128), -1, "row"),
    ((2, 168), -1, "row"),
    ((4, 72), -1, "row"),
    ((5, 20), -1, "cols"),
    ((6, 5), 0, "cols"),
    ((9, 15), -1, "cols"),
    ((5, 9), 0, "cols"),
    ((45, 3), 0, "cols"),
    ((9, 57), -1, "chirp"),
    ((9, 10), -1, "small"),
    ((15,), None, "small"),
    ((7, 3), 0, "small"),
    ((9, 18), -1, "chirp"),
    ((7, 9), 0, "chirp"),
    ((36 * 32,), -1, "four_step_lanes"),
    ((33 * 33,), -1, "four_step_lanes"),
    ((2, 23), -1, "long_chirp"),
    ((22,), -1, "long_chirp"),
]
SHARED = [  # rows that groups load and store as one long row
    ((3, 17), -1, "stockham"),
    ((3, 37), -1, "stockham"),
    ((2, 3, 19), 2, "stockham"),
    ((70, 4), -1, "stockham"),
    ((33, 27), -1, "stockham"),
    ((2, 24, 3), 1, "stockham"),
    ((3, 30), -1, "stockham"),
    ((35, 34), -1, "stockham"),
    ((3, 60), -1, "stockham"),
    ((13, 100), -1, "stockham"),  # real rows with work-items of their own
    ((5, 72), -1, "stockham"),
    ((3, 39), -1, "stockham"),
]
PRIMES = [  # real numbers: one stage, two, three
    ((3, 11), -1, "rader"),
    ((2, 41), -1, "rader"),
    ((41, 3), 0, "rader"),
    ((1, 181), -1, "rader"),
]
IMAGED = [  # work-items own mirror images of their butterflies
    ((2, 1024), -1, "stockham"),
    ((1, 768), -1, "stockham"),
]
# Shapes of small arrays and the number of their last axes that are transformed: axes of one stage
# and of two. Groups of up to three arrays, of which the last one has fewer.
SMALL_ARRAYS = [
    ((5, 4, 4), 2),
    ((7, 2, 6), 2),
    ((5, 5, 2), 2),
    ((1, 6, 10), 2),
    ((5, 36, 4), 2),
    ((1, 4, 72), 2),
    ((5, 2, 3, 4), 3),
    ((1, 2, 36, 4), 3),
    ((1, 36, 2, 2), 3),
]
TINY = {"stockham_items": 4, "stockham_group": 4}
# Tuning, what solvers.stockham tries for rows and for columns, and what is transformed so: as it
# is; three rows or many columns; real and imaginary parts apart, in two sizes; halves apart; a few
# columns; small groups; groups of columns that do not reach from one matrix into the next; and the
# convolution of real numbers, in small groups, with both parts at once and apart.
GROUPS = [
    ({}, stockham.ROWS, stockham.COLUMNS, [*STOCKHAM, *SHARED], ("c2c",)),
    ({}, stockham.ROWS, stockham.COLUMNS, [*SHORT, *SHARED, *IMAGED], ("r2c", "c2r")),
    ({"stockham_group": 96}, (Shape(3),), (Shape(32),), SHORT, ("c2c", "r2c")),
    ({}, (Shape(0, True),), (Shape(8, True),), SHORT, ("c2c", "r2c", "c2r")),
    ({}, (Shape(1, False, True),), (Shape(4, False, True),), EVEN, ("c2c", "r2c")),
    ({}, (Shape(1, True, True),), (Shape(4, True, True),), EVEN, ("c2c", "r2c", "c2r")),
    ({}, (Shape(1),), (Shape(4),), SHORT, ("c2c",)),
    (TINY, (Shape(1),), (Shape(4),), STEPS, ("c2c", "r2c", "c2r")),
    ({"stockham_apart": 1}, (Shape(0),), (Shape(8),), MATRICES, ("c2c", "r2c", "c2r")),
    ({"stockham_group": 16}, (Shape(0),), (Shape(4),), PRIMES, ("r2c", "c2r")),
    ({"stockham_group": 16}, (Shape(0, True),), (Shape(4, True),), PRIMES, ("r2c", "c2r")),
]
CUTS = [((5, 6), (8, 4)), ((3, 9), (2, 16)), ((7, 1), (3, 5)), ((3, 13), (4, 60))]
CODES = {
    "single": {"c2c": "c8", "r2c": "f4", "c2r": "c8"},
    "double": {"c2c": "c16", "r2c": "f8", "c2r": "c16"},
}
SIZES = ((4, 8), (5, 3), (1, 6), (7, 2), (8, 4))  # of images


def plan_with(kind: str, parameters: Mapping[str, object]) -> None:
    """Plan with other parameters from now on, on GPUs or on CPUs; all others stay as they are."""
    DEFAULTS[kind] = {**DEFAULTS[kind], **parameters}
    wisdom._found.cache_clear()  # it has the parameters of earlier plans


def watch_launches() -> None:
    launch = cl.enqueue_nd_range_kernel

    def watched(queue, kernel, *args, **kwargs):
        LAUNCHED.add(kernel.function_name)
        return launch(queue, kernel, *args, **kwargs)

    cl.enqueue_nd_range_kernel = watched


def keep_buffers() -> None:
    """Let no buffer be freed.

    Oclgrind 21.10 gives a new buffer the address of a freed one, but remembers what has been
    written for no more bytes than the first had, and calls what lies beyond uninitialized. It is
    right about buffers whose addresses are new.
    """
    kept = []

    class Kept(cl.Buffer):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            kept.append(self)

    cl.Buffer = Kept


def check(result, expected) -> None:
    error = relative_error(result, expected)
    assert error < BOUND[result.dtype.str[1:]], error


def transforms(table, precision, queue, kinds=("c2c",)) -> None:
    """Both directions into another array, and inverse in place where that can be."""
    for kind, (shape, axes, algorithm) in product(kinds, table):
        dtype = CODES[precision][kind]
        plan = pyclfft.Plan(shape, dtype, axes, kind, algorithm=algorithm)
        x = noise(plan.problem.source.shape, dtype)
        check(plan(x), expected_of(plan.problem, x.reshape(-1)))
        plan = pyclfft.Plan(shape, dtype, axes, kind, "inverse", algorithm=algorithm)
        on_device = cl_array.to_device(queue, x)
        out = on_device if kind == "c2c" else None
        result = plan(on_device, out=out)
        check(result.get(), expected_of(plan.problem, x.reshape(-1)))


def layouts(precision, queue) -> None:
    """Cropped or padded, in memory of any strides, by the default and by a solver of rows."""
    for kind, dtype in (*CODES[precision].items(), ("c2c", CODES[precision]["r2c"])):
        for shape, lengths in CUTS:
            for algorithm in (None, "direct"):
                problem = make_problem(shape, dtype, kind=kind, s=lengths)
                x = noise(problem.source.shape, dtype)
                expected = expected_of(problem, x.reshape(-1))
                plan = pyclfft.Plan(shape, dtype, kind=kind, s=lengths, algorithm=algorithm)
                check(plan(x), expected)
                on_device = cl_array.to_device(queue, np.asfortranarray(x))
                plan = pyclfft.Plan(
                    shape, dtype, kind=kind, s=lengths, strides=on_device.strides,
                    algorithm=algorithm,
                )  # fmt: skip
                check(plan(on_device).get(), expected)
        whole = cl_array.to_device(queue, noise((9, 2, 12), dtype))
        view = whole[1::2, :, ::3]
        shape = (*view.shape[:2], 6) if kind == "c2r" else view.shape
        problem = make_problem(shape, dtype, kind=kind)
        expected = expected_of(problem, whole.get()[1::2, :, ::3].copy().reshape(-1))
        plan = pyclfft.Plan(shape, dtype, kind=kind, strides=view.strides, offset=view.offset)
        check(plan(view).get(), expected)


def cut_steps(precision, queue) -> None:
    """In steps, with elements that do not exist: at the end of a pair of columns, too."""
    for kind, dtype in CODES[precision].items():
        for length in (61, 55):
            problem = make_problem((3, length), dtype, 1, kind, s=60)
            x = noise(problem.source.shape, dtype)
            plan = pyclfft.Plan((3, length), dtype, 1, kind, s=60, algorithm="four_step_groups")
            check(plan(x), expected_of(problem, x.reshape(-1)))


def on_lanes(precision, queue) -> None:
    """As on a CPU: vectors of four and of eight lanes, scratch in a workspace, whole lines."""
    # Oclgrind 21.10 takes what lies in an array of the host for unwritten.
    memory.can_wrap = lambda *arrays: False
    # It knows no prefetch, which changes no result.
    defines = lanes.defines
    lanes.defines = lambda *args, **macros: defines(*args, **{**macros, "PREFETCH": 0})
    real, shipped = describe.traits, DEFAULTS["cpu"]
    workspace = {**shipped, "lanes_local": 0, "stream_bytes": 1}
    for width, parameters in ((4, shipped), (8, shipped), (8, workspace)):
        describe.traits = lambda each, width=width: replace(real(each), is_cpu=True, lanes=width)
        plan_with("cpu", parameters)
        transforms(LANES, precision, queue)
        transforms(REAL_LANES, precision, queue, ("r2c", "c2r"))
        cosines(((3, 32), (2, 80), (5, 9), (3, 17), (3, 2)), precision, queue)
        plan_with("cpu", {"small_points": 0})  # in row.cl
        cosines(((3, 32),), precision, queue)
        plan_with("cpu", parameters)
        if parameters is shipped:
            transforms(EQUAL_AXES, precision, queue)
    collected_rows(precision, queue)
    frames(precision, queue)
    layouts(precision, queue)
    if precision == "single":
        hooks()
        filters_in_vectors()
        kinds()
        spectra()
        volumes()


def collected_rows(precision, queue) -> None:
    """Rows that are collected: those that share lines, and long ones, which may be short here."""
    distance, shipped = row.SLOW_DISTANCE, DEFAULTS["cpu"]
    row.SLOW_DISTANCE = lanes.LINE_BYTES
    plan_with("cpu", {"lanes_local": 64 * 1024, "stream_bytes": 1})
    plan = pyclfft.Plan((3, 64), CODES[precision]["c2c"], -1, algorithm="row")
    assert ("COLLECTED", "1") in plan.passes[0].defines
    transforms([((3, 64), -1, "row")], precision, queue)
    transforms([((3, 128), -1, "row")], precision, queue, ("c2r",))
    transforms(EQUAL_AXES, precision, queue)
    row.SLOW_DISTANCE = distance
    plan_with("cpu", shipped)


def filters_in_vectors() -> None:
    """Whole vectors of pixels and others, pixels that are no neighbours, masks of both kinds."""
    images.OPTIONS["size"] = ((6, 64), (5, 38))
    for mixture in images.mixtures(12):
        images.check_mixture(mixture)
    for rows, columns, dtype in ((6, 48, "f4"), (6, 25, "f4"), (24, 25, "c8")):  # in 1 and 2 stages
        mask = noise((rows, columns), dtype)
        pyclfft.filter_image(noise((rows, 48), "f4"), mask=mask)


def spectra() -> None:
    """Magnitudes of images, with and without a window, padded and not, of lengths of all sorts."""
    for shape, window, pad in (
        ((6, 64), None, "none"), ((6, 64), "hann", "none"), ((5, 38), "hann", "mirror"),
        ((7, 9, 3), "hann", "zero"), ((1, 17), None, "edge"),
    ):  # fmt: skip
        image = noise(shape, "f4")
        found = pyclfft.spectrum(image, window=window, pad=pad).magnitude
        check(found, expected_magnitudes(image, window, pad, found.shape))
    for shape, axes in (((6, 64), None), ((5, 19, 3), None), ((3, 4, 10), (1, 2))):
        pyclfft.find_notches(noise(shape, "f4"), axes=axes)


def volumes() -> None:
    """Filters in three dimensions, whose hooks read, weigh and store voxels."""
    for shape, kind, cutoff, options in (
        ((3, 4, 32), "lowpass", 1.5, {}),
        ((3, 5, 7), "bandpass", (0.1, 0.3), {"unit": "cycles/px", "shape": "butterworth"}),
        ((2, 5, 6), "bandstop", (0.1, 0.3), {"unit": "cycles/px", "pad": "mirror",
                                             "shape": "gaussian", "keep_dc": True}),
    ):  # fmt: skip
        volume = noise(shape, "f4")
        part = "magnitude" if kind == "bandpass" else "real"
        found = pyclfft.filter_volume(volume, kind, cutoff, **options)
        check(found, expected_volume(volume, kind, cutoff, part=part, **options))
        pyclfft.filter_volume((99 * np.abs(volume)).astype("u1"), kind, cutoff, scale="max",
                              **options)  # fmt: skip


def filters() -> None:
    images.OPTIONS["size"] = SIZES
    for mixture in images.mixtures(24):
        images.check_mixture(mixture)
    for shape in images.OPTIONS["shape"]:
        pyclfft.filter_mask((5, 6), "bandstop", (1, 3), shape=shape)
    textbook = {"kind": "highpass", "shape": "ideal", "keep_dc": False, "algorithm": "radix2"}
    images.check_mixture({**mixture, **textbook, "dtype": np.uint8, "size": (9, 17), "pad": "edge"})
    for shape, axes, dtype in (((3, 5, 6), (1, 2), "f2"), ((2, 5, 3, 6), (3, 1), "u1"),
                               ((2, 3, 5, 4), (1, 2), "u2")):  # fmt: skip
        stack = noise(shape, "f4").astype(dtype)
        pyclfft.filter_image(stack, axes=axes, scale="stretch", pad="mirror")
    for algorithm in (None, "radix2"):  # a hook, and a pass of its own
        for columns, dtype in ((8, "f4"), (5, "c8"), (5, "?")):
            mask = noise((4, columns), "c8" if dtype == "c8" else "f4").astype(dtype)
            pyclfft.filter_image(noise((4, 8), "f4"), mask=mask, algorithm=algorithm)


def kinds() -> None:
    """A mask of a rule, logarithms, and the smooth parts of periodic images."""
    for dtype in ("u1", "f4"):
        image = (100 * (0.5 + noise((5, 12), "f4"))).astype(dtype)
        for kind in ("unsharp", "homomorphic", "highpass"):
            for pad in ("periodic", "mirror"):
                pyclfft.filter_image(image, kind, pad=pad)
    pyclfft.filter_image(noise((4, 8), "f4"), "homomorphic", algorithm="radix2", scale="stretch")
    pyclfft.filter_image(noise((4, 8), "f4"), mask=noise((4, 5), "c8"), pad="periodic")


def hooks() -> None:
    """Both of them: in one launch, in two, in a convolution, in copies."""
    gains = np.arange(1, 41, dtype=np.float32)
    load = pyclfft.Hook("value *= gains[index];", gains=gains)
    store = pyclfft.Hook("value *= 1 / gains[index];", gains=gains)
    for shape, kind, dtype, algorithm in (
        ((3, 12), "c2c", "c8", None),
        ((4, 9), "c2c", "c8", "four_step_groups"),
        ((3, 7), "r2c", "f4", None),
        ((2, 17), "c2c", "c8", "bluestein_groups"),
        ((3, 5), "c2c", "f4", "direct"),
    ):
        x = noise(shape, dtype)
        plan = pyclfft.Plan(
            shape, dtype, 1, kind, hooks={"load": load, "store": store}, algorithm=algorithm
        )
        transform = np.fft.rfft if kind == "r2c" else np.fft.fft
        expected = transform(x * gains[: x.size].reshape(shape))
        check(plan(x), expected / gains[: expected.size].reshape(expected.shape))


def textbook(precision, queue) -> None:
    for tiles in TILES:
        plan_with("gpu", tiles)
        transforms(TEXTBOOK, precision, queue)
    transforms(LADDER, precision, queue)


def groups(precision, queue, numbers) -> None:
    bits = stockham.MAX_DIGIT_BITS
    for number in numbers:
        parameters, rows, columns, table, kinds = GROUPS[number]
        plan_with("gpu", {**AS_SHIPPED, **parameters})
        stockham.ROWS, stockham.COLUMNS = rows, columns
        stockham.MAX_DIGIT_BITS = 3 if number % 2 else bits
        transforms(table, precision, queue, kinds)


def rader_of_real_numbers(precision, queue) -> None:
    """Work-items that own mirror images, and cosine and sine transforms in the order of memory."""
    stages = stockham._stages
    stockham._stages = lambda *given: Stages((5, 2, 2), 5)
    transforms([((3, 41), -1, "rader"), ((41, 2), 0, "rader")], precision, queue, ("r2c", "c2r"))
    stockham._stages = stages
    dtype = CODES[precision]["r2c"]
    for name, kind in product(("dct", "dst"), (2, 3)):
        x = noise((5, 17), dtype)
        plan = pyclfft.Plan(x.shape, dtype, 1, f"{name}{kind}", norm="ortho", algorithm="rader")
        assert "COSINE_ENDS" in dict(plan.passes[0].defines)
        expected = getattr(scipy.fft, name)(x.astype("f8"), kind, norm="ortho")
        there = cl_array.to_device(queue, x)
        check(plan(there, out=there).get(), expected)


def small_arrays(precision, queue) -> None:
    """All axes in one launch, by fewer and by more work-items than lines."""
    for items, (shape, number) in product((3, 32), SMALL_ARRAYS):
        for kind, dtype in CODES[precision].items():
            points = int(np.prod(shape[-number:])) // (1 if kind == "c2c" else 2)
            plan_with("gpu", {"axes_group": items, "axes_points": 3 * points})
            axes = tuple(range(len(shape) - number, len(shape)))
            macros = dict(pyclfft.Plan(shape, dtype, axes, kind).passes[0].defines)
            assert macros["ITEMS"] == str(items)
            assert shape[0] == 1 or shape[0] % int(macros.get("TOGETHER", 1))
            transforms([(shape, axes, "several_axes")], precision, queue, (kind,))
    for shape in ((3, 5, 9), (2, 33, 3)):  # odd axes, of complex numbers only
        transforms([(shape, (1, 2), "several_axes")], precision, queue)
    traits = describe.traits
    plan_with("gpu", {"axes_group": 8})
    for shape in ((3, 4, 6), (2, 9, 10), (2, 2, 3, 5)):  # points that work-items keep
        little = int(np.prod(shape[1:])) * (12 if precision == "double" else 6)
        describe.traits = lambda each, room=little: replace(traits(each), local_mem_bytes=room)
        axes, dtype = tuple(range(1, len(shape))), CODES[precision]["c2c"]
        assert "SHARE" in dict(pyclfft.Plan(shape, dtype, axes).passes[0].defines)
        transforms([(shape, axes, "several_axes")], precision, queue)
    describe.traits = traits


def others(precision, queue) -> None:
    layouts(precision, queue)
    cut_steps(precision, queue)
    if precision == "single":
        hooks()


def cosines(shapes, precision, queue) -> None:
    """Of rows, in one launch."""
    dtype = CODES[precision]["r2c"]
    for shape, name, kind in product(shapes, ("dct", "dst"), (1, 2, 3, 4)):
        x = noise(shape, dtype)
        plan = pyclfft.Plan(shape, dtype, 1, f"{name}{kind}", norm="ortho")
        expected = getattr(scipy.fft, name)(x.astype("f8"), kind, norm="ortho")
        check(plan(cl_array.to_device(queue, x)).get(), expected)


def trigonometric(precision, queue) -> None:
    """Cosine and sine transforms of rows and columns, and arrays that are shifted."""
    dtype = CODES[precision]["r2c"]
    for name, kind, n in product(("dct", "dst"), range(1, 5), (2, 5, 8, 17)):
        for shape, axis in (((3, n), 1), ((2, n, 3), 1)):
            x = noise(shape, dtype)
            # By one launch of work-groups, and by launches before and after a Fourier transform.
            for norm, algorithm in (("backward", "direct"), ("ortho", "stockham")):
                expected = getattr(scipy.fft, name)(x.astype("f8"), kind, axis=axis, norm=norm)
                options = {"norm": norm, "algorithm": algorithm}
                plan = pyclfft.Plan(shape, dtype, axis, f"{name}{kind}", **options)
                check(plan(cl_array.to_device(queue, x)).get(), expected)
                if axis == 1:  # in place: work-items without a row of their own read the last row
                    there = cl_array.to_device(queue, x)
                    check(plan(there, out=there).get(), expected)
    # Rows that groups share: packed ones, in one stage and in two, more than fill a group.
    shapes = [(3, 30), (35, 34), (3, 60), (3, 84)]
    items = {60: 2, 84: 2, 96: 2, 100: 2, 144: 8}  # of a row; each of two has mirror images
    shapes += [(3, n) for n in (96, 100, 144)] * (precision == "single")
    for name, kind, shape in product(("dct", "dst"), (2, 3), shapes):
        x = noise(shape, dtype)
        plan = pyclfft.Plan(shape, dtype, 1, f"{name}{kind}", algorithm="stockham")
        macros = dict(plan.passes[0].defines)
        assert macros["COSINE_ROWS"] == "1"
        assert ("COSINE_PAIRS" in macros) == (shape[1] % 4 == 0)
        if precision == "single" and shape[1] in items:
            assert macros["ITEMS"] == str(items[shape[1]])
        expected = getattr(scipy.fft, name)(x.astype("f8"), kind, axis=1)
        check(plan(cl_array.to_device(queue, x)).get(), expected)
    # Four numbers at once; the second time, work-items own mirror images.
    for (kind, radices), points in product(((2, (4, 8)), (3, (8, 4))), (8, 16)):
        parameters = {
            "stockham_radices": [radices], "stockham_points": points, "stockham_mirrored": 2
        }  # fmt: skip
        x = noise((3, 64), dtype)
        plan = pyclfft.Plan(
            x.shape, dtype, 1, f"dct{kind}", algorithm="stockham", parameters=parameters
        )
        macros = dict(plan.passes[0].defines)
        assert macros["QUADS"] == macros["COSINE_PAIRS"] == "1"
        expected = scipy.fft.dct(x.astype("f8"), kind, axis=1)
        check(plan(cl_array.to_device(queue, x)).get(), expected)
    x = noise((3, 4, 5), dtype)
    there = cl_array.to_device(queue, x)
    check(pyclfft.fftshift(there).get(), np.fft.fftshift(x))
    for source, target in (("u1", dtype), ("f2", dtype), ("i4", CODES[precision]["c2c"])):
        numbers = (100 * x).astype(source)
        there_too = converted(cl_array.to_device(queue, numbers)[:, ::2], np.dtype(target))
        check(there_too.get(), numbers[:, ::2].astype(target))
    check(pyclfft.ifftshift(there[:, ::2], 2).get(), np.fft.ifftshift(x[:, ::2], 2))


def frames(precision, queue) -> None:
    """Of signals that are continued in every way, to spectra in both orders and back."""
    dtype = CODES[precision]["r2c"]
    y = noise((2, 70), dtype)
    signals = cl_array.to_device(queue, y)
    for (n_fft, hop), mode in product(((16, 5), (12, 4), (15, 7), (22, 11)), MODES):
        expected = expected_stft(y, n_fft, hop, mode=mode)
        spectra = pyclfft.stft(signals, n_fft, hop, pad_mode=mode)
        check(spectra.get(), expected)
    check(pyclfft.istft(spectra, hop, n_fft=n_fft, length=70).get(), y)
    room = cl_array.to_device(queue, np.zeros((3, 90), dtype))
    pyclfft.istft(spectra, hop, n_fft=n_fft, length=70, out=room[1:, 10:80])
    check(room.get()[1:, 10:80], y)
    for power in (1, 2, 0.5):
        magnitudes = np.abs(expected) ** power
        for options in ({}, {"normalize": "max"}, {"db": True, "top_db": None}):
            result = pyclfft.spectrogram(
                signals[1], n_fft, hop, pad_mode=mode, power=power, **options
            )
            if not options:
                check(result.get(), magnitudes[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of so few samples
        short = pyclfft.stft(signals[0, :3], 16, pad_mode="reflect")
    check(short.get(), expected_stft(y[0, :3], 16, mode="reflect"))  # of images of images


def source_frames(precision, queue) -> None:
    """By the kernel of a report on music analysis, whose frames are 2048 long: and shorter ones."""
    dtype = CODES[precision]["r2c"]
    y = noise(200, dtype)
    there = cl_array.to_device(queue, y)
    check(pyclfft.stft(there, 32, 8, algorithm="local-radix2").get(), expected_stft(y, 32, 8))
    relative = pyclfft.spectrogram(there, 32, 8, normalize="max", algorithm="local-radix2").get()
    magnitudes = np.abs(expected_stft(y, 32, 8))
    check(relative, magnitudes / magnitudes.max())
    for frames_a_launch in (1, 4):
        plan = pyclfft.Plan(
            (6, 16), CODES[precision]["c2c"], 1, algorithm="local-radix2",
            parameters={"local_frames": frames_a_launch, "local_items": 4},
        )  # fmt: skip
        x = noise((6, 16), CODES[precision]["c2c"])
        check(plan(cl_array.to_device(queue, x)).get(), np.fft.fft(x))


def stretches(precision, queue, meets: bool = False) -> None:
    """From spectra to samples, in a CPU's vectors and sample by sample, at once and in chunks.

    GPUs add up the longer frames in the groups that transform them, where local memory holds both
    parts of their points, or one part at a time. Groups that meet wait for each other.
    """
    y, real = noise((2, 170), CODES[precision]["r2c"]), describe.traits
    little = 512 * np.dtype(CODES[precision]["c2c"]).itemsize
    gpu = {"is_cpu": False, "groups_may_wait": meets}
    devices = (*(() if meets else ({"is_cpu": True},)), gpu, {**gpu, "local_mem_bytes": little})
    for (n_fft, hop), order in product(((24, 9), (72, 18), (72, 20)), "CF"):
        spectra = expected_stft(y, n_fft, hop).astype(CODES[precision]["c2c"], order="C")
        there = cl_array.to_device(queue, spectra)
        if order == "F":  # the bins of a frame are neighbours
            by_frame = np.ascontiguousarray(spectra.swapaxes(1, 2))
            there = cl_array.to_device(queue, by_frame).transpose((0, 2, 1))
        for traits, chunk in product(devices, (0, 1)):
            describe.traits = lambda device, traits=traits: replace(real(device), lanes=4, **traits)
            pyclfft.clear_cache()
            options = {"n_fft": n_fft, "length": 170, "algorithm": "stockham"}
            options["parameters"] = {"istft_chunk": chunk, "istft_meets": int(meets)}
            check(pyclfft.istft(there, hop, **options).get(), y)
    describe.traits = real


def sounds(precision, queue) -> None:
    """Mels, phases, regions, noise and hum, of two short signals."""
    dtype = CODES[precision]["r2c"]
    y = noise((2, 200), dtype)
    there = cl_array.to_device(queue, y)
    power = abs(expected_stft(y, 24, 9)) ** 2
    options = {"n_fft": 24, "hop_length": 9, "n_mels": 5, "dtype": "f8"}
    bands = mel_matrix(500, 24, 5, dtype="f8") @ power
    check(pyclfft.melspectrogram(y=there, sr=500, **options).get(), bands)
    levels = 10 * np.log10(np.maximum(1e-10, bands))
    expected = scipy.fft.dct(np.maximum(levels, levels.max() - 80), axis=-2, norm="ortho")
    check(pyclfft.mfcc(y=there, sr=500, n_mfcc=3, **options).get(), expected[:, :3])
    for given in (np.sqrt(power[:, :, :6]).astype(dtype), expected_stft(y[:, :50], 24, 9)):
        code = CODES[precision]["c2c"] if given.dtype.kind == "c" else dtype
        wanted = cl_array.to_device(queue, given.astype(code, order="C"))
        found = pyclfft.griffinlim(wanted, n_iter=2, n_fft=24, hop_length=9, random_state=1)
        assert np.isfinite(found.get()).all()
    edited = pyclfft.edit_spectrogram(there, [pyclfft.Region(gain=-6)], sr=500, n_fft=24)
    check(edited.get(), y * 10 ** (-6 / 20))
    hum = y * 1e-3 + np.sin(2 * np.pi * 60 * np.arange(200) / 200).astype(dtype)
    clean = pyclfft.denoise(cl_array.to_device(queue, hum), sr=200, hum=60, noise=y * 1e-3).get()
    assert abs(clean).max() < 0.05
    assert np.isfinite(pyclfft.denoise(there, sr=200).get()).all()


def of_frames(precision, queue) -> None:
    frames(precision, queue)
    source_frames(precision, queue)


def convolutions(precision, queue) -> None:
    """By every method; in blocks that are shorter than any that pay, with a batch and in part."""
    dtypes = CODES[precision]
    running.cut_for = lambda dimensions, traits: tuple(
        cut(each, 16) for each in dimensions if each.convolved
    )
    inputs = [
        (noise((2, 50), dtypes["r2c"]), noise((1, 5), dtypes["r2c"]), 1),
        (noise((13, 21), dtypes["c2c"]), noise((3, 4), dtypes["r2c"]), (0, 1)),
    ]
    for (x, y, axes), mode in product(inputs, ("full", "same")):
        expected = scipy.signal.fftconvolve(x.astype("c16"), y.astype("c16"), mode, axes)
        there = [cl_array.to_device(queue, each) for each in (x, y)]
        for method in METHODS:
            result = pyclfft.convolve(*there, mode, method, axes=axes).get()
            check(result, expected if result.dtype.kind == "c" else expected.real)
    image = noise((9, 14), dtypes["c2c"])
    moved = cl_array.to_device(queue, np.roll(image, (2, -3), (0, 1)))
    assert pyclfft.phase_cross_correlation(image, moved)[0].tolist() == [-2, 3]
    words = np.arange(30, dtype="i4")
    result = pyclfft.convolve(*(cl_array.to_device(queue, each) for each in (words, words[:7])))
    assert np.array_equal(result.get(), np.convolve(words, words[:7]))


def images_alone(precision, queue) -> None:
    if precision == "single":
        filters()
        kinds()
        spectra()
        volumes()


BY_NAME_SHAPES = (((3, 16), 1), ((2, 17), 1), ((16, 3), 0), ((17, 3), 0))


def by_name(precision, queue) -> None:
    """Every name of the solvers' tables, of a few rows and columns, if it takes them."""
    for name, (shape, axis) in product(BY_NAME, BY_NAME_SHAPES):
        try:
            pyclfft.Plan(shape, CODES[precision]["c2c"], axis, algorithm=name)
        except pyclfft.PlanError:
            continue
        transforms([(shape, axis, name)], precision, queue)


def streams(precision, queue) -> None:
    """Convolution in real time: partitions of two lengths, in vectors and not, and matrices."""
    dtype = CODES[precision]["r2c"]
    x = noise((2, 21), dtype)
    real, stages = describe.traits, partitions.nonuniform(40, 4, 4, 2)
    streaming.several_stages = lambda *_: stages
    for is_cpu, shape in product((False, True), ((2, 40), (2, 2, 40))):
        describe.traits = lambda device, is_cpu=is_cpu: replace(real(device), is_cpu=is_cpu)
        ir = noise(shape, dtype, seed=1)
        matrix = ir if ir.ndim == 3 else np.eye(2)[:, :, None] * ir[:, None]
        expected = [sum(map(np.convolve, x.astype("f8"), row)) for row in matrix]
        for method in ("uniform", "nonuniform"):
            stream = pyclfft.StreamingConvolver(ir, block_size=4, method=method, dtype=dtype)
            parts = [stream.push(x[:, :3]), stream.push(x[:, 3:]), stream.close()]
            check(np.concatenate(parts, axis=1), np.array(expected))
    describe.traits = real


# For the groups of a GPU, and for the vectors of a CPU: in tiles that lengths are no multiples of.
BLOCKINGS = (
    Blocking(group=4, width=1, outputs=2, taps=2, tile=8),
    Blocking(group=1, width=4, outputs=3, taps=2, tile=16),
)


def convolutions_of_lines(precision, queue) -> None:
    """Along one axis, and the kernel that measures multiply-adds."""
    real, pair = ("f4", "c8") if precision == "single" else ("f8", "c16")
    for blocking, split in product(BLOCKINGS, (0, 1024)):  # tiles of the same group, or of many
        lines.blocking_of = lambda *_, chosen=blocking: chosen
        for first, second, dtype in ((50, 21, real), (16, 40, real), (33, 17, pair)):
            pyclfft.clear_cache()
            x, h = noise((2, first), dtype), noise((2, second), dtype)
            few = {"taps_split": split}
            result = pyclfft.convolve(x, h, method="direct", axes=1, parameters=few)
            check(result, np.array([np.convolve(*each) for each in zip(x, h, strict=True)]))
    if precision == "single":
        multiply_adds.LEAST_S = 0
        multiply_adds.FIRST_TURNS = 2
        multiply_adds.MultiplyAdds(queue.context).rate()


# Of the direct transform: for the groups of a GPU, and for the vectors of a CPU.
DFT_BLOCKINGS = (
    direct_plans.Blocking(group=4, width=1, outputs=2, tiles=2, tile=4, enough=8),
    direct_plans.Blocking(group=1, width=4, outputs=1, tiles=3, tile=8, enough=8),
)


def direct(precision, queue) -> None:
    """The direct transform by every kernel: whole blocks and others, in one part and in several."""
    dtypes = ("f4", "c8") if precision == "single" else ("f8", "c16")
    for blocking in DFT_BLOCKINGS:
        direct_plans.blocking_of = lambda *_, chosen=blocking: chosen
        for n, dtype in product((1, 48, 101), dtypes):
            pyclfft.clear_cache()
            x = noise((2, n), dtype)
            wide, bins = np.fft.fft(x.astype("c16")), [0, n // 2, -1]
            for variant in ("tiled", "global", "local"):
                check(pyclfft.dft(x, variant=variant), wide)
                check(pyclfft.dft(x, bins, variant=variant), wide[:, bins])
            there = cl_array.to_device(queue, x.T.copy())  # neighbouring samples are apart
            check(pyclfft.dft(there, axis=0).get(), wide.T)


def climb(precision, queue) -> None:
    """Launch every rung of the ladder of convolution, offline and in real time."""
    if precision == "double":
        return
    assert climbing.has_textures(queue.context)
    dry, ir = noise((40, 2), "f4"), noise((11, 2), "f4")
    expected = np.stack([np.convolve(dry[:, c], ir[:, c]) for c in (0, 1)], 1)
    for rungs, chunk in ((climbing.OFFLINE, None), (climbing.REAL_TIME, 16)):
        for rung in rungs:
            result = climbing.ladder(queue.context, rung, dry, ir, chunk, group=8).run(queue)
            check(result[: len(expected)], expected)


def cut_rows(precision, queue) -> None:
    """Multiply by the roots between the two steps of a long row, in both layouts.

    The hooks are in plans: Oclgrind crashes where threads share it, as pieces of arrays do.
    """
    dtype = CODES[precision]["c2c"]
    x = noise((4, 6), dtype)
    k, c = np.ogrid[:4, :6]
    roots = np.exp(-2j * np.pi * k * (c + 3) / 48)  # the last columns of (4, 12)
    hook = twiddle_hook(48, "forward", precision, (4, 6), (0, 3))
    check(pyclfft.Plan((4, 6), dtype, 0, hooks={"store": hook})(x), np.fft.fft(x, axis=0) * roots)
    x = noise((4, 2, 4), dtype)
    k, middle, last = np.ogrid[:4, 1:3, :4]  # of (4, 3, 4)
    roots = np.exp(-2j * np.pi * k * (middle * 4 + last) / 48)
    hook = twiddle_hook(48, "forward", precision, (4, 2, 4), (0, 1, 0))
    given = cl_array.to_device(queue, x)
    swapped = cl_array.to_device(queue, np.zeros((4, 2, 4), dtype))
    reverse = cl_array.Array(
        queue, x.shape, dtype, strides=swapped.strides[::-1], data=swapped.data
    )
    pyclfft.Plan((4, 2, 4), dtype, 0, hooks={"store": hook}, context=queue.context)(given, reverse)
    check(swapped.get().T, np.fft.fft(x, axis=0) * roots)


PARTS = {
    "cut rows": cut_rows,
    "by name": by_name,
    "textbook": textbook,
    "groups": lambda *where: groups(*where, range(3)),
    "parts": lambda *where: groups(*where, range(3, 6)),
    "steps": lambda *where: groups(*where, range(6, len(GROUPS))),
    "rader": rader_of_real_numbers,
    "axes": small_arrays,
    "others": others,
    "trigonometric": trigonometric,
    "frames": of_frames,
    "sounds": sounds,
    "stretches": stretches,
    "meetings": lambda *where: stretches(*where, meets=True),
    "images": images_alone,
    "convolutions": convolutions,
    "lanes": on_lanes,
    "streams": streams,
    "lines": convolutions_of_lines,
    "direct": direct,
    "climb": climb,
}


def main() -> None:
    watch_launches()
    keep_buffers()
    queue = pyclfft.default_queue()
    assert "oclgrind" in queue.device.platform.name.lower(), queue.device.platform.name
    precision, part = sys.argv[1:]
    PARTS[part](precision, queue)
    print(json.dumps(sorted(LAUNCHED)))


if __name__ == "__main__":
    main()
