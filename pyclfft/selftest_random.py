"""Random transforms of the self-test: drawn from a seed, run on a device, compared with SciPy.

Case number k of a seed is the same in every run, on every machine and with every version of Python
and NumPy. The reference is scipy.fft in the next higher precision: in double precision where the
device computes in single precision, and in long double where it computes in double precision.

References
----------
pyvkfft's test suite, which also goes through random shapes, axes, placements and norms:
https://github.com/vincefn/pyvkfft
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import frexp, log, nan, prod, sqrt
from random import Random
from typing import Any, TypeVar

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import scipy.fft  # type: ignore[import-untyped]
from numpy.lib.stride_tricks import as_strided

from .errors import PyclfftError
from .planning.accuracy import relative_error
from .planning.factor import is_smooth
from .planning.precision import COMPLEX_DTYPE, REAL_DTYPE
from .planning.problem import (
    DIRECTIONS,
    KINDS,
    NORMS,
    TRIGONOMETRIC_KINDS,
    Layout,
    half_shape,
    norm_scale,
)
from .runtime import queues
from .runtime.hooks import Hook
from .runtime.plan import Plan
from .selftest_cases import Outcome

Value = TypeVar("Value")
Runs = Callable[..., Any]  # a plan, or a function that takes the input, `out` and `queue`

BLOCK = 25  # neighbouring cases that share a plan
PLANS = 300  # plans of a seed; then the first one comes again, with other inputs
POINTS = 2**17  # the most elements of an array, unless the caller asks for others
TAIL = 5  # elements behind an array in its memory, which a call must leave as they are

# --- what is drawn --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Arrangement:
    """How an array of any shape lies in memory; in C order from the beginning by default.

    Attributes
    ----------
    order : tuple of int
        The axes, from the one with the largest stride to the one with the smallest; C order if it
        is empty.
    steps : tuple of int
        For each axis, how many places apart neighbours lie, counted in what lies in between: 1 for
        no gaps, negative for reversed axes; 1 everywhere if it is empty.
    before : int
        How many elements of the memory lie before the array.
    """

    order: tuple[int, ...] = ()
    steps: tuple[int, ...] = ()
    before: int = 0

    def layout(self, shape: Sequence[int]) -> Layout:
        """Return the strides and the offset of an array, in elements."""
        strides, room, first = [0] * len(shape), 1, self.before
        for axis in reversed(self.order or range(len(shape))):
            step = self.steps[axis] if self.steps else 1
            strides[axis] = step * room
            first += max(0, -strides[axis]) * (shape[axis] - 1)
            room *= abs(step) * shape[axis]
        return Layout(tuple(shape), tuple(strides), first)

    def is_for_numpy(self, shape: Sequence[int]) -> bool:
        """Whether a plan with these strides takes NumPy arrays: the first element is the lowest.

        One axis of more than one element has to be without gaps.
        """
        layout = self.layout(shape)
        steps = [step for step, n in zip(layout.strides, shape, strict=True) if n > 1]
        return not layout.offset and min(steps, default=1) == 1


PLAIN = Arrangement()


@dataclass(frozen=True)
class Transform:
    """What is planned.

    Attributes
    ----------
    kind : str
        A `kind` of `pyclfft.Plan`.
    precision : {"single", "double"}
        The precision of input and result.
    shape : tuple of int
        The plan's `shape`.
    axes : tuple of int
        The transformed axes.
    s : tuple of int or None
        The plan's lengths along `axes`, which crop or pad the input.
    direction, norm : str
        As for `pyclfft.Plan`.
    real : bool
        The input of "c2c" is real.
    orthogonalize : bool or None
        As for `pyclfft.Plan`.
    source : Arrangement or None
        The plan's `strides` and `offset`; None for a plan without.
    target : Arrangement
        How device arrays lie that a case gives as `out`.
    load, store : str
        The hooks, by their names in `HOOKS`; "" for none.
    """

    kind: str = "c2c"
    precision: str = "single"
    shape: tuple[int, ...] = (8,)
    axes: tuple[int, ...] = (0,)
    s: tuple[int, ...] | None = None
    direction: str = "forward"
    norm: str = "backward"
    real: bool = False
    orthogonalize: bool | None = None
    source: Arrangement | None = None
    target: Arrangement = PLAIN
    load: str = ""
    store: str = ""

    @property
    def lengths(self) -> tuple[int, ...]:
        """The transformed lengths, along `axes`."""
        return self.s or tuple(self.shape[axis] for axis in self.axes)

    @property
    def dtype(self) -> np.dtype:
        """The input's dtype."""
        real = self.real or self.kind not in ("c2c", "c2r")
        return (REAL_DTYPE if real else COMPLEX_DTYPE)[self.precision]

    @property
    def result_dtype(self) -> np.dtype:
        """The result's dtype."""
        return (COMPLEX_DTYPE if self.kind in ("c2c", "r2c") else REAL_DTYPE)[self.precision]

    @property
    def input_shape(self) -> tuple[int, ...]:
        """The input's shape."""
        return half_shape(self.shape, self.axes[-1]) if self.kind == "c2r" else self.shape

    @property
    def result_shape(self) -> tuple[int, ...]:
        """The result's shape."""
        extents = list(self.shape)
        for axis, n in zip(self.axes, self.lengths, strict=True):
            extents[axis] = n
        return half_shape(extents, self.axes[-1]) if self.kind == "r2c" else tuple(extents)

    @property
    def may_be_in_place(self) -> bool:
        """Whether the result can replace the input."""
        return (self.input_shape, self.dtype) == (self.result_shape, self.result_dtype)

    @property
    def rows(self) -> int:
        """How many transforms one call makes that know nothing of each other."""
        return prod(n for axis, n in enumerate(self.shape) if axis not in self.axes)


@dataclass(frozen=True)
class Case:
    """One call of a plan.

    Attributes
    ----------
    transform : Transform
        What is planned.
    seed : int
        The seed of the input's numbers, which are uniform in [-0.5, 0.5).
    place : {"host", "device"}
        Whether arrays are NumPy's or pyopencl's.
    placement : {"new", "out", "in place"}
        Where the result goes: to a new array, to a given one, or into the input.
    source, target : Arrangement
        How the input lies, and an array that is given for the result.
    poison : {"", "nan", "inf", "1e10"}
        What stands in one row in a second call, which may change no bit of any other row's result.
    """

    transform: Transform
    seed: int = 0
    place: str = "host"
    placement: str = "new"
    source: Arrangement = PLAIN
    target: Arrangement = PLAIN
    poison: str = ""


def case(seed: int, number: int, points: int = POINTS) -> Case:
    """Return a case: always the same one for the same arguments.

    Parameters
    ----------
    seed : int
        The seed of a run.
    number : int
        The number of the case in the run, from 0 on.
    points : int
        The most elements of an array.

    Returns
    -------
    Case

    Examples
    --------
    >>> case(0, 17) == case(0, 17)
    True
    """
    transform = transform_of(seed, number // BLOCK % PLANS, points)
    draw = Random(f"pyclfft {seed} case {number}")
    source, place = transform.source or PLAIN, _pick(draw, ("host", "device"))
    if transform.source and not source.is_for_numpy(transform.input_shape):
        place = "device"
    if not transform.source and place == "host" and _chance(draw, 0.3):
        source = _arrangement(draw, len(transform.shape))
    placements = ("new", "out", "in place") if transform.may_be_in_place else ("new", "out")
    placement, target = _pick(draw, placements), PLAIN
    if placement == "in place":
        target = source
    elif placement == "out" and _chance(draw, 0.5):
        here = place == "host"
        target = _arrangement(draw, len(transform.shape)) if here else transform.target
    poison = _pick(draw, ("", "nan", "inf", "1e10")) if transform.rows > 1 else ""
    return Case(transform, int(draw.random() * 2**31), place, placement, source, target, poison)


def transform_of(seed: int, number: int, points: int = POINTS) -> Transform:
    """Return what a plan of a seed computes: the kinds take turns, all else is drawn."""
    draw = Random(f"pyclfft {seed} plan {number} of {points}")
    kind = KINDS[number % len(KINDS)]
    least = 2 if kind == "dct1" else 1
    shape, axes = _shape(draw, points, least)
    s = None
    if _chance(draw, 0.15):
        s = tuple(max(least, int(shape[axis] * (0.5 + draw.random()))) for axis in axes)
    norm = _pick(draw, NORMS)
    trigonometric = kind in TRIGONOMETRIC_KINDS
    dimensions = len(shape)
    return Transform(
        kind=kind,
        precision=_pick(draw, ("single", "single", "double")),
        shape=shape,
        axes=axes,
        s=s,
        direction=_pick(draw, DIRECTIONS),
        norm=norm,
        real=kind == "c2c" and _chance(draw, 0.2),
        orthogonalize=_pick(draw, (None, None, True, False)) if trigonometric else None,
        source=_arrangement(draw, dimensions) if _chance(draw, 0.25) else None,
        target=_arrangement(draw, dimensions) if _chance(draw, 0.5) else PLAIN,
        load=_pick(draw, tuple(HOOKS)) if _chance(draw, 0.2) else "",
        store=_pick(draw, tuple(HOOKS)) if _chance(draw, 0.2) else "",
    )


def _shape(draw: Random, points: int, least: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Draw a shape with at most `points` elements, and the axes that are transformed.

    The number of elements is drawn so that each order of magnitude is as likely as the others.
    """
    dimensions = _pick(draw, (1, 1, 2, 2, 2, 3, 3, 4))
    order = sorted(range(dimensions), key=lambda _: draw.random())
    axes = tuple(order[: _pick(draw, (1, 1, 2, 3))])
    left = max(least**dimensions, int(points ** (0.1 + 0.9 * draw.random())))
    extents = [least] * dimensions
    for place, axis in enumerate(order):
        room = left // least ** (dimensions - place - 1)
        last = place == dimensions - 1
        most = max(least, room if last else int(room ** draw.random()))
        extents[axis] = max(least, _length(draw, most)) if axis in axes else most
        left //= extents[axis]
    return tuple(extents), axes


def _length(draw: Random, most: int) -> int:
    """Draw a length up to `most`: any one, a power of two, a smooth one or a prime one."""
    sort = _pick(draw, ("any", "power", "smooth", "prime"))
    n = max(1, int(most * (0.5 + 0.5 * draw.random())))
    if sort == "power":
        return 1 << (most.bit_length() - 1)
    while (sort == "smooth" and not is_smooth(n, 7)) or (sort == "prime" and not _is_prime(n)):
        n -= 1
    return n


def _is_prime(n: int) -> bool:
    """Whether n is prime; 1 counts as one, so that a prime can be found below any number."""
    return all(n % d for d in range(2, int(sqrt(n)) + 1))


def _arrangement(draw: Random, dimensions: int) -> Arrangement:
    order = tuple(sorted(range(dimensions), key=lambda _: draw.random()))
    steps = tuple(_pick(draw, (1, 1, 1, 2, -1)) for _ in range(dimensions))
    return Arrangement(order, steps, _pick(draw, (0, 0, 3, 16)))


def _pick(draw: Random, values: Sequence[Value]) -> Value:
    """Draw one of some values by `random`, whose numbers no version of Python changes."""
    return values[int(draw.random() * len(values))]


def _chance(draw: Random, share: float) -> bool:
    return draw.random() < share


# --- hooks ----------------------------------------------------------------------------------------

# Factors by which a hook multiplies the element that lies `index` elements behind the first one.
# They are powers of two, so that a hook adds no rounding error.
TABLE = np.array([1.0, -2.0, 0.5, 4.0, -0.25])
HOOKS = {
    "number": (lambda: Hook("value *= gain;", gain=-0.5), lambda index: -0.5 + 0 * index),
    "place": (
        lambda: Hook("value *= (real)(1 << (index % 3));"),
        lambda index: 2.0 ** (index.astype(np.uint64) % np.uint64(3)),
    ),
    "table": (
        lambda: Hook("value *= (real)factors[index % 5];", factors=TABLE.astype("f4")),
        lambda index: TABLE[index.astype(np.uint64) % np.uint64(5)],
    ),
}


def _hooked(name: str, x: np.ndarray, layout: Layout) -> np.ndarray:
    """Multiply an array as a hook does that meets it in this layout."""
    if not name:
        return x
    index = sum(
        (i * step for i, step in zip(np.indices(x.shape), layout.strides, strict=True)),
        np.zeros(x.shape, np.int64),
    )
    return x * HOOKS[name][1](index)


# --- running --------------------------------------------------------------------------------------


def planned(transform: Transform, context: cl.Context) -> Plan:
    """Make the plan of a transform."""
    given: dict[str, Any] = {}
    if transform.source is not None:
        layout, size = transform.source.layout(transform.input_shape), transform.dtype.itemsize
        given = {"strides": _bytes(layout, size), "offset": layout.offset * size}
    places = {"load": transform.load, "store": transform.store}
    hooks = {place: HOOKS[name][0]() for place, name in places.items() if name}
    return Plan(
        transform.shape, transform.dtype, transform.axes, transform.kind, transform.direction,
        transform.norm, s=transform.s, orthogonalize=transform.orthogonalize, hooks=hooks,
        context=context, **given,
    )  # fmt: skip


@dataclass(frozen=True)
class Call:
    """What a call has left behind.

    Attributes
    ----------
    result : ndarray
        The result.
    source, target : ndarray
        The whole memory of the input and of the array that was given for the result, after the
        call. Without the second one `target` is empty.
    """

    result: np.ndarray
    source: np.ndarray
    target: np.ndarray


def call(case: Case, plan: Runs, queue: cl.CommandQueue, source: np.ndarray) -> Call:
    """Call a plan with an input that lies in the memory `source`."""
    transform = case.transform
    device = queue if case.place == "device" else None
    at_source, x = _placed(source, case.source.layout(transform.input_shape), device)
    given = {"in place": x, "new": None}
    at_target, out = np.empty(0, transform.result_dtype), given.get(case.placement)
    if case.placement == "out":
        layout = case.target.layout(transform.result_shape)
        at_target, out = _placed(memory_of(layout, transform.result_dtype, 0), layout, device)
    result = plan(x, out=out, queue=queue)
    if out is not None and result is not out:
        raise PyclfftError("a call with out= returns another array")
    kind = np.ndarray if device is None else cl_array.Array
    wanted = (kind, transform.result_dtype, transform.result_shape)
    if (type(result), result.dtype, result.shape) != wanted:
        raise PyclfftError(f"the result is {result.dtype} of shape {result.shape}, not {wanted}")
    queue.finish()
    after = _on_host(at_source, queue), _on_host(at_target, queue)
    if case.placement == "in place":
        return Call(_view(after[0], case.source.layout(transform.input_shape)), *after)
    if case.placement == "out":
        return Call(_view(after[1], case.target.layout(transform.result_shape)), *after)
    return Call(_on_host(result, queue), *after)


def memory_of(layout: Layout, dtype: np.dtype, seed: int) -> np.ndarray:
    """Return memory for an array, of one dimension and full of random numbers."""
    ends = zip(layout.shape, layout.strides, strict=True)
    size = layout.offset + sum((n - 1) * max(0, stride) for n, stride in ends) + 1 + TAIL
    draw = np.random.RandomState(seed)  # its numbers are the same in every version
    numbers = draw.random_sample((size, 2 if dtype.kind == "c" else 1)) - 0.5
    return numbers.astype(f"f{dtype.itemsize // numbers.shape[1]}").view(dtype)[:, 0]


def _placed(memory: np.ndarray, layout: Layout, queue: cl.CommandQueue | None) -> tuple[Any, Any]:
    """Return a copy of some memory, on the host or on a queue's device, and the array in it."""
    if queue is None:
        memory = memory.copy()
        return memory, _view(memory, layout)
    there, size = cl_array.to_device(queue, memory), memory.itemsize
    return there, cl_array.Array(
        queue, layout.shape, memory.dtype, data=there.base_data, offset=layout.offset * size,
        strides=_bytes(layout, size), events=there.events,  # the copy may be under way
    )  # fmt: skip


def _view(memory: np.ndarray, layout: Layout) -> np.ndarray:
    return as_strided(memory[layout.offset :], layout.shape, _bytes(layout, memory.itemsize))


def _bytes(layout: Layout, itemsize: int) -> tuple[int, ...]:
    return tuple(stride * itemsize for stride in layout.strides)


def _on_host(array: Any, queue: cl.CommandQueue) -> np.ndarray:
    return array if isinstance(array, np.ndarray) else array.get(queue)


# --- judging --------------------------------------------------------------------------------------

# The largest relative L2 errors at 1e5 points: of smooth lengths, and of others, which convolve.
BOUND_AT_1E5 = {"single": (2.0e-7, 4e-7), "double": (6e-16, 1.1e-15)}
# By how much the periods of some cosine and sine transforms exceed twice their length. Type IV has
# twice the period of the others, because it changes its sign after half of it.
OF_PERIOD = {"dct1": -2, "dst1": 2}
SCATTER = 4  # standard deviations by which the error of few numbers may exceed the mean
ROUNDING = {"single": 2.0**-24, "double": 2.0**-53}


def bound(transform: Transform) -> float:
    """Return the largest relative L2 error that a result may have.

    It is the target for 1e5 points, times the square root of log N / log 1e5 for N points. Errors
    of few numbers scatter. A norm other than a power of two rounds once more, and so do the square
    roots at the ends of an orthogonal cosine or sine transform, along each axis.
    """
    kind, lengths = transform.kind, transform.lengths
    trigonometric = kind in TRIGONOMETRIC_KINDS
    periods = [2 * n + OF_PERIOD.get(kind, 0) if kind[-1] != "4" else 4 * n for n in lengths]
    counts = periods if trigonometric else lengths
    at_1e5 = BOUND_AT_1E5[transform.precision][not all(map(is_smooth, counts))]
    growth = sqrt(log(max(2, prod(counts))) / log(1e5))
    scale = norm_scale(transform.norm, transform.direction, prod(counts))
    given = transform.orthogonalize
    orthogonal = trigonometric and (transform.norm == "ortho" if given is None else given)
    roundings = (frexp(scale)[0] != 0.5) + orthogonal * len(lengths)
    scatter = 1 + SCATTER / sqrt(prod(transform.result_shape))
    return (at_1e5 * growth + roundings * ROUNDING[transform.precision]) * scatter


FUNCTIONS = {
    ("c2c", "forward"): "fftn", ("c2c", "inverse"): "ifftn",
    ("r2c", "forward"): "rfftn", ("r2c", "inverse"): "ihfftn",
    ("c2r", "forward"): "hfftn", ("c2r", "inverse"): "irfftn",
    ("dct", "forward"): "dctn", ("dct", "inverse"): "idctn",
    ("dst", "forward"): "dstn", ("dst", "inverse"): "idstn",
}  # fmt: skip


def reference(transform: Transform, x: np.ndarray) -> np.ndarray:
    """Return a transform by scipy.fft, in the next higher precision, without hooks."""
    wide = x.astype({"f": "f8", "d": "g", "F": "c16", "D": "G"}[x.dtype.char])
    return by_function(scipy.fft, transform, wide)


def by_function(library: Any, transform: Transform, x: Any) -> Any:
    """Return a transform by a function of scipy.fft, or of `pyclfft.transforms`, without hooks."""
    kind, axes, lengths = transform.kind, transform.axes, transform.lengths
    if kind in TRIGONOMETRIC_KINDS:
        function = getattr(library, FUNCTIONS[kind[:3], transform.direction])
        options = {"orthogonalize": transform.orthogonalize}
        return function(x, int(kind[3:]), lengths, axes, transform.norm, **options)
    return getattr(library, FUNCTIONS[kind, transform.direction])(x, lengths, axes, transform.norm)


def expected(case: Case, memory: np.ndarray) -> np.ndarray:
    """Return what a call has to give whose input lies in `memory`."""
    transform = case.transform
    layout = case.source.layout(transform.input_shape)
    seen, stored = layout, case.target.layout(transform.result_shape)
    if case.place == "host":  # arrays that lie otherwise than planned are copied
        seen = (transform.source or PLAIN).layout(transform.input_shape)
        stored = PLAIN.layout(transform.result_shape)
    x = _hooked(transform.load, _view(memory, layout), seen)
    return _hooked(transform.store, reference(transform, x), stored)


def examine(case: Case, queue: cl.CommandQueue, plan: Runs | None = None) -> Outcome:
    """Run a case and judge it.

    Parameters
    ----------
    case : Case
        The case.
    queue : cl.CommandQueue
        The queue to run on.
    plan : callable, optional
        The plan of `case.transform`, which is made here by default, or a function that takes what
        a plan takes.

    Returns
    -------
    Outcome
        The error, and what else is wrong, if anything.
    """
    transform = case.transform
    error, problem = nan, ""
    try:
        plan = plan or planned(transform, queue.context)
        layout = case.source.layout(transform.input_shape)
        memory = memory_of(layout, transform.dtype, case.seed)
        first = call(case, plan, queue, memory)
        error = relative_error(first.result, expected(case, memory))
        problem = _changed(case, memory, first)
        if case.poison and not problem:
            problem = _spread(case, plan, queue, memory, first)
    except Exception as exception:  # of any type: each is the outcome of this case
        problem = f"{type(exception).__name__}: {exception}"
    return Outcome(transform.kind, transform.precision, error, bound(transform), problem)


def _changed(case: Case, memory: np.ndarray, after: Call) -> str:
    """Return what a call has changed that is not its result, in words; "" for nothing."""
    transform = case.transform
    inside = case.source.layout(transform.input_shape)
    kept = _outside(inside, memory) if case.placement == "in place" else slice(None)
    if memory[kept].tobytes() != after.source[kept].tobytes():
        return "the call has changed its input"
    if case.placement == "out":
        layout = case.target.layout(transform.result_shape)
        before = memory_of(layout, transform.result_dtype, 0)
        kept = _outside(layout, before)
        if before[kept].tobytes() != after.target[kept].tobytes():
            return "the call has changed memory beside its result"
    return ""


def _outside(layout: Layout, memory: np.ndarray) -> np.ndarray:
    """Return which elements of some memory do not belong to the array in it."""
    outside = np.ones(memory.shape, np.bool_)
    _view(outside, layout)[...] = False
    return outside


def _spread(case: Case, plan: Runs, queue: cl.CommandQueue, memory: np.ndarray, first: Call) -> str:
    """Poison a row and call again; return in words if another row's result changes."""
    transform, draw = case.transform, Random(case.seed)
    poisoned = memory.copy()
    x = _view(poisoned, case.source.layout(transform.input_shape))
    row = int(draw.random() * transform.rows)
    rows = _rows(np.arange(x.size).reshape(x.shape), transform)
    # Not an element that `s` crops.
    seen = dict(zip(transform.axes, transform.lengths, strict=True))
    if transform.kind == "c2r":
        seen[transform.axes[-1]] = transform.lengths[-1] // 2 + 1
    index = np.unravel_index(rows[row], x.shape)
    inner = np.all([index[axis] < n for axis, n in seen.items()], axis=0)
    place = rows[row][inner][int(draw.random() * np.count_nonzero(inner))]
    x[np.unravel_index(place, x.shape)] = float(case.poison)
    again = _rows(call(case, plan, queue, poisoned).result, transform)
    before = _rows(first.result, transform)
    others = np.arange(transform.rows) != row
    if again[others].tobytes() != before[others].tobytes():
        return f"{case.poison} in row {row} has changed another row"
    if not np.isfinite(float(case.poison)) and np.all(np.isfinite(again[row])):
        return f"{case.poison} in row {row} has not reached its result"
    return ""


def _rows(array: np.ndarray, transform: Transform) -> np.ndarray:
    """Return an array with a row for each independent transform."""
    batch = [axis for axis in range(array.ndim) if axis not in transform.axes]
    moved = np.moveaxis(array, batch, range(len(batch)))
    return moved.reshape(transform.rows, -1)


# --- telling --------------------------------------------------------------------------------------


def repeat(case: Case, device: str | cl.Device | None = None) -> str:
    """Run one case again and say in words what comes of it.

    Parameters
    ----------
    case : Case
        The case.
    device : str or cl.Device, optional
        As for `pyclfft.use_device`; the default device by default.

    Returns
    -------
    str
        "pass" or "FAIL", the error and the bound, and what else is wrong.
    """
    from .runtime.choice import select_device

    queue = queues.queue_of(queues.context_of(select_device(device)))
    outcome = examine(case, queue)
    word = "pass" if outcome.passed else "FAIL"
    more = f", {outcome.problem}" if outcome.problem else ""
    return f"{word}: error {outcome.error:.2e}, bound {outcome.bound:.2e}{more}"


def line_of(case: Case, device: str) -> str:
    """Return one line of Python that runs a case again and prints what comes of it."""
    return f"from pyclfft.selftest_random import *; print(repeat({brief(case)}, {device!r}))"


def brief(value: Any) -> str:
    """Return the code of a dataclass of this module, without the values that are the defaults."""
    if not isinstance(value, (Case, Transform, Arrangement)):
        return repr(value)
    default = {name: each.default for name, each in value.__dataclass_fields__.items()}
    given = [f"{name}={brief(each)}" for name, each in vars(value).items() if each != default[name]]
    return f"{type(value).__name__}({', '.join(given)})"
