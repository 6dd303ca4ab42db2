"""Cosine and sine transforms along one axis: a Fourier transform with work before and after it.

What stands before rearranges the numbers, and what stands after makes the results out of the
spectrum. For types 2 and 3 the Fourier transform has the axis's length, from real numbers for type
2, to real numbers for type 3. For type 4 it is complex and half as long if the length is even, and
real and as long if it is odd. For type 1 it is real and about twice as long.

On CPUs with vectors a contiguous row of an even length stays in the cache during all three: types 2
to 4 are one launch of row.cl with cosine.cl (`SOLVER`). If work-groups do the Fourier transform, in
one launch or in several, its first load and its last store do the rest (`within`). For everything
else, on any device, a launch of dct.cl stands on either side of a Fourier transform that other
solvers plan (`around`).

References
----------
J. Makhoul, "A fast cosine transform in one and two dimensions", IEEE Trans. ASSP 28 (1980).

M. T. Heideman, "Computation of an odd-length DCT from a real-valued DFT of the same length", IEEE
Trans. Signal Processing 40 (1992): types 2 and 3 of an odd length multiply by no roots of unity.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod

from ..arguments import Role, Vector
from ..batch import Batch
from ..factor import SHORT_ROWS, Stages, is_power_of_two
from ..hook_text import with_hooks
from ..hooks import Hooks, Parameter, Snippet
from ..parameters import Parameters
from ..pass_parts import defines, device_size, exact, listed, uint
from ..passes import Argument, Pass
from ..problem import Problem, half_shape, plain_layout
from ..tables import CosinePairRoots, LaneTwiddles, PowersOfGenerator, Roots, RootSeries
from ..traits import Traits
from . import row
from .ends import in_one_launch
from .lanes import lanes_pass
from .leaf import Step
from .solver import Solver
from .steps import axis_batch, axis_length
from .stockham import GroupLaunch, chooses_stages, most_items, shared_group_of


@dataclass(frozen=True)
class CosineAxis:
    """One axis of a cosine or sine transform.

    Attributes
    ----------
    type : int
        The type of the transform, 1 to 4.
    sine : bool
        Whether the transform is a sine transform.
    n : int
        The number of elements along the axis.
    """

    type: int
    sine: bool
    n: int

    @classmethod
    def of(cls, problem: Problem) -> CosineAxis:
        """Return the one axis of a problem."""
        return cls(int(problem.kind[-1]), problem.kind[:3] == "dst", problem.shape[problem.axes[0]])

    @property
    def odd(self) -> bool:
        """Whether the type is 2, 3 or 4 and the length odd: each has a way of its own for that."""
        return self.type > 1 and self.n % 2 == 1

    @property
    def kind(self) -> str:
        """The kind of the Fourier transform."""
        if self.type == 3:
            return "c2r"
        return "c2c" if self.type == 4 and not self.odd else "r2c"

    @property
    def points(self) -> int:
        """The length of the Fourier transform."""
        if self.type == 1:
            return 2 * (self.n + 1 if self.sine else self.n - 1)
        return self.n // 2 if self.kind == "c2c" else self.n

    @property
    def name(self) -> str:
        """What the transform is called: for example "cosine 2"."""
        return f"{'sine' if self.sine else 'cosine'} {self.type}"

    def is_orthogonal(self, problem: Problem) -> bool:
        """Whether numbers at the ends have factors that make the transform an orthogonal one."""
        return problem.orthogonal and self.type < 4 and not (self.sine and self.type == 1)

    @property
    def turned(self) -> tuple[bool, bool]:
        """Whether roots of unity multiply elements before the Fourier transform, and after it."""
        if self.odd:
            return False, self.type == 4
        return self.type == 3 or self.kind == "c2c", self.type in (2, 4)

    @property
    def roots(self) -> tuple[int, int, int, int]:
        """The roots of unity around the Fourier transform: order, first power, step and count."""
        if self.type == 4:
            return (8 * self.n, 1, 2, self.n) if self.odd else (16 * self.n, 1, 8, self.points)
        return 4 * self.n, 0, 1, self.n // 2 + 1


# --- in one launch --------------------------------------------------------------------------------


def plan(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...] | None:
    """Return one pass if the axis is contiguous, whole, and splits into lanes, or else None."""
    if not _takes(problem):
        return None
    batch = _batch(problem)
    split = row.split(problem, batch, traits, parameters)
    if split is None:
        return None
    roots = RootSeries(*CosineAxis.of(problem).roots, problem.precision)
    kind, type = problem.kind[:3], int(problem.kind[-1])
    n, rows, lanes = batch.n, split.rows, split.lanes
    turns = LaneTwiddles(rows, n // rows, lanes.width, problem.precision, halved=lanes.halved)
    tables: dict[str, Argument] = {"turns": turns}
    if type != 4:
        tables["roots"] = Roots(2 * n, problem.precision)
    tables["turned"] = roots
    macros: dict[str, int | str] = {
        "SOURCE": "REAL",
        "TARGET": "REAL",
        "COSINE": type,
        "SINE": int(kind == "dst"),
        "ORTHO": int(problem.orthogonal and type < 4),
        "ROWS": rows,
        "M": n // rows,
        "RADICES": listed(lanes.radices),
    }
    name = {"dct": "cosine", "dst": "sine"}[kind]
    return (
        lanes_pass(
            "row",
            problem,
            batch,
            lanes,
            tuple(each.extent for each in batch.dimensions),
            tables,
            macros,
            traits,
            parameters,
            scale=problem.scale * (2 if type == 4 else 1),
            step=f"{name} {type}, {batch.count} x {2 * n}, {n} = "
            f"{'x'.join(map(str, (rows, *lanes.radices)))} packed",
        ),
    )


def _takes(problem: Problem) -> bool:
    """Whether a problem is a cosine or sine transform that this solver can do.

    It has one axis of an even length, contiguous and neither cropped nor padded, a type from 2 to
    4, and no hooks.
    """
    if not problem.is_trigonometric or len(problem.axes) > 1:
        return False
    (axis,) = problem.axes
    whole = problem.source.shape == problem.shape == problem.target.shape
    if problem.kind.endswith("1") or axis_length(problem) % 2 or not whole or problem.hooks:
        return False
    return problem.source.strides[axis] == problem.target.strides[axis] == 1


def _batch(problem: Problem) -> Batch:
    """Return the batch of rows, each of whose points is two neighbouring numbers."""
    return axis_batch(problem, axis_length(problem) // 2, columns=(2, 2))


# --- within a Fourier transform -------------------------------------------------------------------

# The kernels of work-groups. Each group has read all of its rows before it writes any of them.
KERNELS_OF_GROUPS = ("stockham", "rader", "raderReal")
# Packed rows in two stages that share a group: the least and the most points, the largest radix,
# the smaller radix of which whole rows fill warps, the items of a group, and the points of rows of
# type 3 that are quicker without (quads.cl). Measured on an H200.
SHARED_PAIRS, LARGEST_SHARED, WHOLE_WARPS, USUAL_SHARED = (64, 120), 16, 8, 64
QUICKER_IN_QUADS = (80, 90)
# Packed rows in two stages that two work-items share, each with the mirror images of its numbers
# (cosineRows.cl): by type, the larger radix of those rows that take less time this way on an H200.
OWN_IMAGES = {
    2: (15, 18, 20, 21, 22, 24, 25, 26, 27, 28, 30),
    3: (15, 18, 20, 21, 22, 24, 25, 26, 27, 28, 30, 32),
}
QUICK_IN_PAIRS = 60  # the one length of type 2 that cosinePairs.cl makes quicker in one work-item
MOST_FOUND_EACH = 8192  # numbers of a row, each of which finds its row
UINT_INDICES = 2**32  # from so many elements on, their numbers are 64-bit integers


def within(
    problem: Problem,
    fourier: Callable[[Problem], tuple[Pass, ...]],
    traits: Traits,
    parameters: Parameters,
) -> tuple[Pass, ...] | None:
    """Return a Fourier transform whose first load and last store do the other work, or None.

    Parameters
    ----------
    problem : Problem
        A problem with one axis and without hooks, from and to plain arrays.
    fourier : function
        A function that returns the passes of a Fourier transform.
    traits, parameters
        The device's traits, and the parameters of its kernels.

    Returns
    -------
    tuple of Pass or None
        The passes of the Fourier transform, or None if anything but work-groups does it.
    """
    inner = replace(fourier_problem(problem), scale=problem.scale)
    passes = fourier(inner)
    if not _is_of_groups(passes):
        return None
    if (shared := _in_shared_pair(passes, problem, inner, traits, parameters)) is not None:
        passes = (shared,)
    for applies, made in WITHOUT_HOOKS.items():
        if applies(passes, problem):
            return _between_numbers((made(passes[0], problem),), problem)
    inner = replace(inner, hooks=_hooks(problem, inner))
    passes = fourier(inner)
    if not _is_of_groups(passes):
        return None
    if _is_paired(passes):  # the hooks were needed only to choose stages that pair numbers
        return _between_numbers((_paired(passes[0], problem),), problem)
    real_source, real_target = inner.source.real, inner.target.real
    hooked = with_hooks(passes, inner.hooks, real_source=real_source, real_target=real_target)
    return _between_numbers(hooked, problem)


def _in_shared_pair(
    passes: tuple[Pass, ...],
    problem: Problem,
    inner: Problem,
    traits: Traits,
    parameters: Parameters,
) -> Pass | None:
    """Return a launch whose groups share packed rows of two stages, if it is quicker, or None.

    The group then has as many work-items for each row as the smaller radix. If a row has two, each
    of them has the mirror images of its own points. Otherwise eight are best, because whole rows
    fill the group's warps. Without such groups an H200 took up to 1.5 times as long.
    """
    if not _may_share_pair(problem, traits, parameters):
        return None
    found = _stages_and_rows(CosineAxis.of(problem), passes[0], traits.lanes)
    if found is None:
        return None
    (stages, rows), step = found, Step(*in_one_launch(inner))
    group = shared_group_of(step, stages, rows, inner.precision, parameters)
    fits = group.items <= most_items(traits, parameters)
    fits = fits and group.local_bytes <= traits.local_mem_bytes
    return GroupLaunch(inner, step, group).planned(inner.scale) if group.plain and fits else None


def _stages_and_rows(axis: CosineAxis, usual: Pass, lanes: int) -> tuple[Stages, int] | None:
    """Return the stages of a row and the number of a group's rows, or None to change nothing."""
    points = axis.n // 2
    if _owns_images(axis):
        radices = (2, points // 2) if axis.type == 2 else (points // 2, 2)
        return Stages(radices, 2), max(1, lanes // 2)  # a group is one warp
    pair = _shared_pair(points)
    shares_already = "SHARED_ROWS" in dict(usual.defines) and len(usual.radices[0]) == 2
    if pair is None or (shares_already and pair[1] != WHOLE_WARPS):
        return None
    return Stages(pair, pair[1]), USUAL_SHARED // pair[1]


def _owns_images(axis: CosineAxis) -> bool:
    """Whether two work-items should share a row, each with the mirror images of its numbers."""
    return axis.n // 4 in OWN_IMAGES[axis.type]


def _may_share_pair(problem: Problem, traits: Traits, parameters: Parameters) -> bool:
    """Whether rows have lengths and types that are quicker so, and parameters choose no others."""
    axis, points = CosineAxis.of(problem), CosineAxis.of(problem).n // 2
    least, most = SHARED_PAIRS
    rows = problem.axes[0] == len(problem.shape) - 1 and axis.type in (2, 3) and axis.n % 4 == 0
    chosen = chooses_stages(parameters, points) or parameters["stockham_group"] >= 0
    usual = least <= points <= most and not (axis.type == 3 and points in QUICKER_IN_QUADS)
    quicker = rows and (usual or _owns_images(axis))
    return quicker and not chosen and problem.precision == "single" and not traits.is_cpu


def _shared_pair(points: int) -> tuple[int, int] | None:
    """Return the radices of two stages, the larger one first, or None if no codelets fit."""
    pairs = [
        (points // small, small)
        for small in SHORT_ROWS
        if points % small == 0 and small <= points // small <= LARGEST_SHARED
    ]
    known = [pair for pair in pairs if pair[0] in SHORT_ROWS]
    return min(known, key=lambda pair: (pair[1] != WHOLE_WARPS, pair[1]), default=None)


def _is_of_groups(passes: tuple[Pass, ...]) -> bool:
    return all(each.kernel in KERNELS_OF_GROUPS for each in passes)


def _are_plain(passes: tuple[Pass, ...], problem: Problem) -> bool:
    """Whether the first pass is of whole rows of an odd length and of type 2 or 3."""
    axis = CosineAxis.of(problem)
    rows = problem.axes[0] == len(problem.shape) - 1
    return rows and axis.odd and axis.type < 4 and "PLAIN_ROWS" in dict(passes[0].defines)


def _shares_rows(passes: tuple[Pass, ...], problem: Problem) -> bool:
    """Whether work-items share rows that are packed, or each of which a codelet transforms whole.

    They are whole rows of type 2 or 3, one behind the other.
    """
    axis, macros = CosineAxis.of(problem), dict(passes[0].defines)
    rows = problem.axes[0] == len(problem.shape) - 1
    plain = "SHARED_ROWS" in macros and "PLAIN_ROWS" in macros
    whole = "PACKED" in macros or passes[0].radices == ((axis.n,),)
    return rows and axis.type in (2, 3) and plain and whole


def _by_rows(each: Pass, problem: Problem) -> Pass:
    """Return the pass with cosineRows.cl.

    If rows are not packed, local memory holds real numbers only. Those of an even length need
    roots: of the order 4 n for the cosine transform, of which every fourth serves packed rows. If
    the length is a multiple of 4, cosinePairs.cl has a table of its own.
    """
    axis, macros = CosineAxis.of(problem), dict(each.defines) | {"COSINE_ROWS": "1"}
    macros |= {name: str(value) for name, value in _macros(problem).items()}
    local_bytes = each.local_bytes
    if "PACKED" not in macros:
        macros, local_bytes = macros | {"SPLIT": "1"}, local_bytes // 2
    arguments = dict(each.arguments)
    if "PACKED" in macros and axis.n % 4 == 0 and not _is_short_of_type_2(each, axis):
        macros["COSINE_PAIRS"] = "1"
        arguments = _with_roots(arguments, CosinePairRoots(axis.n, problem.precision))
    elif not axis.odd:
        roots = RootSeries(4 * axis.n, 0, 1, 2 * axis.n + 1, problem.precision)
        arguments = _with_roots(arguments, roots)
    return replace(
        each, defines=tuple(macros.items()), local_bytes=local_bytes, arguments=arguments
    )


def _is_short_of_type_2(each: Pass, axis: CosineAxis) -> bool:
    """Whether rows of type 2 are so short that cosinePairs.cl makes them slower, as on an H200.

    One work-item transforms each of these rows.
    """
    return axis.type == 2 and each.radices == ((axis.n // 2,),) and axis.n != QUICK_IN_PAIRS


def _with_roots(arguments: dict[str, Argument], roots: Argument) -> dict[str, Argument]:
    """Return arguments of stockham.cl, which has its roots behind its twiddles."""
    found: dict[str, Argument] = {}
    for name, value in arguments.items():
        found[name] = value
        if name == "twiddles":
            found["roots"] = roots
    return found | {"roots": roots}


def _is_convolved(passes: tuple[Pass, ...], problem: Problem) -> bool:
    """Whether Rader's algorithm transforms rows of real numbers."""
    return _are_plain(passes, problem) and passes[0].kernel == "raderReal"


def _convolved(each: Pass, problem: Problem) -> Pass:
    """Return the pass with raderCosine.cl, and where numbers wait in it."""
    macros = dict(each.defines) | {"COSINE_ENDS": "1"}
    macros |= {name: str(value) for name, value in _macros(problem).items()}
    axis = CosineAxis.of(problem)
    powers = PowersOfGenerator(axis.n, cosine=axis.type)
    arguments = {**each.arguments, "powers": powers}
    return replace(each, defines=tuple(macros.items()), arguments=arguments)


def _is_paired(passes: tuple[Pass, ...]) -> bool:
    """Whether work-groups load, or store, four neighbours of a row at once."""
    return "QUADS" in dict(passes[0].defines)


def _paired(each: Pass, problem: Problem) -> Pass:
    """Return the pass with cosinePairs.cl.

    On the spectrum's side, neighbouring rows are n real numbers apart then, not n / 2 + 1 complex
    ones.
    """
    axis = CosineAxis.of(problem)
    signs = {name: str(_macros(problem)[name]) for name in ("DCT_SINE", "DCT_ORTHO")}
    macros = dict(each.defines) | {"COSINE_PAIRS": "1"} | signs
    spectrum = "dst_distances" if axis.type == 2 else "src_distances"
    arguments = {
        **each.arguments,
        "roots": CosinePairRoots(axis.n, problem.precision),
        spectrum: Vector("int64", (axis.n, 0, 0, 0)),
    }
    return replace(each, defines=tuple(macros.items()), arguments=arguments)


# The rows whose load and store need no hooks to become a cosine transform's, and what does it.
WITHOUT_HOOKS = {_shares_rows: _by_rows, _is_convolved: _convolved}


def _between_numbers(passes: tuple[Pass, ...], problem: Problem) -> tuple[Pass, ...]:
    """Return passes that take the problem's input and leave its result, not those of another one.

    One pass alone may work in place: a work-group writes rows that no other one reads. The last of
    several passes must not: the buffer that it reads may have another size than its result.
    """
    nbytes = prod(problem.shape) * problem.dtype.itemsize
    name, alone = CosineAxis.of(problem).name, len(passes) == 1
    *others, last = passes
    last = replace(last, aliases=alone, writes=nbytes, leaves=nbytes)
    first, *others = (replace(each, computes=problem) for each in (*others, last))
    return (replace(first, reads=nbytes, step=f"{name} in {first.step}"), *others)


def _hooks(problem: Problem, inner: Problem) -> Hooks:
    """Return the hooks of dctHook.cl, by which a Fourier transform becomes a cosine transform."""
    axis, (number,) = CosineAxis.of(problem), problem.axes
    taken, left = inner.source.shape[number], inner.target.shape[number]
    columns = prod(problem.shape[number + 1 :])
    rows = prod(problem.shape[:number])
    small = rows * max(taken, left) * columns < UINT_INDICES
    quads = axis.n % 4 == 0 and columns == 1
    macros = _macros(problem) | {
        "DCT_N": axis.n,
        "DCT_TAKEN": taken,
        "DCT_LEFT": left,
        "DCT_INNER": columns,
        "DCT_INDEX": "uint" if small else "ulong",
    }
    lines = [f"#define {name} {value}" for name, value in macros.items()]
    preamble = "\n".join([*lines, '#include "dctHook.cl"'])
    table = RootSeries(*axis.roots, problem.precision)
    roots = (Parameter("roots", "global const cplx *", table),)
    before, after = ("roots" if turned else "0" for turned in axis.turned)
    return Hooks(
        load=Snippet(
            f"value = dct_load((global const real *)src, index, {before});",
            preamble,
            roots if axis.turned[0] else (),
            replaces=True,
            along=_load_along(before) if _finds_rows_once(problem) else "",
            quads=quads and axis.type == 2,
        ),
        store=Snippet(
            f"dct_store((global real *)dst, index, {after}, value);",
            preamble,
            roots if axis.turned[1] else (),
            replaces=True,
            along=f"dct_store_along((global real *)dst, index, along, unit, {after}, value);",
            quads=quads and axis.type == 3,
        ),
    )


def _load_along(before: str) -> str:
    return f"value = dct_load_along((global const real *)src, index, along, unit, {before});"


def _finds_rows_once(problem: Problem) -> bool:
    """Whether a load finds out for each transform, not for each number, in which row it is.

    On an H100 that made transforms of type 3 of these lengths up to 1.4 times as fast, but others
    slower, for example 1000 numbers by 15 %. Other types gained nothing.
    """
    axis, columns = CosineAxis.of(problem), prod(problem.shape[problem.axes[0] + 1 :])
    long = axis.n > MOST_FOUND_EACH
    return axis.type == 3 and columns == 1 and is_power_of_two(axis.n) and long


# --- around a Fourier transform -------------------------------------------------------------------


def around(
    problem: Problem,
    fourier: Callable[[Problem], tuple[Pass, ...]],
    traits: Traits,
    parameters: Parameters,
) -> tuple[Pass, ...]:
    """Return the passes of one axis: a Fourier transform with a launch on either side.

    Parameters
    ----------
    problem : Problem
        A problem with one axis, from and to plain arrays.
    fourier : function
        A function that returns the passes of a Fourier transform.
    traits, parameters
        The device's traits, and the parameters of its kernels.
    """
    return (
        _before(problem, traits, parameters),
        *fourier(fourier_problem(problem)),
        _after(problem, traits, parameters),
    )


def fourier_problem(problem: Problem) -> Problem:
    """Return the Fourier transform within a problem of one axis, from and to plain arrays."""
    axis = CosineAxis.of(problem)
    shape = _with_length(problem, axis.points)
    half = half_shape(shape, problem.axes[0])
    return replace(
        problem,
        kind=axis.kind,
        shape=shape,
        scale=1.0,
        direction="inverse" if axis.kind == "c2r" else "forward",
        source=plain_layout(half if axis.kind == "c2r" else shape, axis.kind == "r2c"),
        target=plain_layout(half if axis.kind == "r2c" else shape, axis.kind == "c2r"),
    )


def _before(problem: Problem, traits: Traits, parameters: Parameters) -> Pass:
    """Return the launch that turns the input into what the Fourier transform takes."""
    axis, inner = CosineAxis.of(problem), fourier_problem(problem)
    points = inner.source.shape[problem.axes[0]]
    return _pass("dctBefore", problem, inner, points, axis.turned[0], traits, parameters)


def _after(problem: Problem, traits: Traits, parameters: Parameters) -> Pass:
    """Return the launch that turns what the Fourier transform leaves into the results."""
    axis, inner = CosineAxis.of(problem), fourier_problem(problem)
    points = inner.target.shape[problem.axes[0]]
    return _pass("dctAfter", problem, inner, points, axis.turned[1], traits, parameters)


def _pass(
    kernel: str,
    problem: Problem,
    inner: Problem,
    points: int,
    turned: bool,
    traits: Traits,
    parameters: Parameters,
) -> Pass:
    axis = CosineAxis.of(problem)
    (number,) = problem.axes
    rows, columns = prod(problem.shape[:number]), prod(problem.shape[number + 1 :])
    extents = (columns, points, rows) if columns > 1 else (points, rows)
    sizes, local = device_size(extents, parameters["group"], traits)
    tables = {"roots": RootSeries(*axis.roots, problem.precision)} if turned else {}
    layout = inner.source if kernel == "dctBefore" else inner.target
    moved = prod(layout.shape) * inner.complex_dtype.itemsize // (2 if layout.real else 1)
    own = prod(problem.shape) * problem.dtype.itemsize
    reads, writes = (own, moved) if kernel == "dctBefore" else (moved, own)
    scale = {"scale": exact(problem.scale, problem.precision)} if kernel == "dctAfter" else {}
    return Pass(
        kernel=kernel,
        source="dct.cl",
        defines=defines(problem.precision, **_macros(problem), SIDE_BY_SIDE=int(columns > 1)),
        global_size=sizes,
        local_size=local,
        arguments={
            "src": Role.SOURCE,
            "dst": Role.TARGET,
            **tables,
            "n": uint(axis.n),
            "m": uint(points),
            "inner": uint(columns),
            "rows": uint(rows),
            **scale,
        },
        reads=reads,
        writes=writes,
        step=f"{axis.name}, {rows * columns} x {axis.n}",
    )


def _macros(problem: Problem) -> dict[str, int]:
    """Return the macros of dctParts.cl."""
    axis = CosineAxis.of(problem)
    return {
        "DCT_TYPE": axis.type,
        "DCT_SINE": int(axis.sine),
        "DCT_ODD": int(axis.odd),
        "DCT_ORTHO": int(axis.is_orthogonal(problem)),
    }


def _with_length(problem: Problem, length: int) -> tuple[int, ...]:
    (axis,) = problem.axes
    return (*problem.shape[:axis], length, *problem.shape[axis + 1 :])


SOLVER = Solver(
    "cosine_lanes",
    "contiguous rows of an even length for a cosine or sine transform of type 2 to 4, on a CPU "
    "with vectors",
    plan,
)
