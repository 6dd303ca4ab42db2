"""The frozen description of a transform, and the checks of everything that a caller asks for."""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import prod, sqrt

import numpy as np
from numpy.typing import DTypeLike

from ..errors import PlanError
from .hooks import NO_HOOKS, PLACES, Hooks
from .precision import COMPLEX_DTYPE, READABLE, REAL_DTYPE

DIRECTIONS = ("forward", "inverse")
NORMS = ("backward", "ortho", "forward")
FOURIER_KINDS = ("c2c", "r2c", "c2r")
TRIGONOMETRIC_KINDS = (
    "dct1", "dct2", "dct3", "dct4",
    "dst1", "dst2", "dst3", "dst4",
)  # fmt: skip
KINDS = FOURIER_KINDS + TRIGONOMETRIC_KINDS
# The kind that inverts each of these kinds, but for a factor. Each other cosine or sine transform
# inverts itself, but for a factor.
INVERSES = {"dct2": "dct3", "dct3": "dct2", "dst2": "dst3", "dst3": "dst2"}


@dataclass(frozen=True)
class Layout:
    """How an array lies in memory.

    Attributes
    ----------
    shape : tuple of int
        The extents of the array.
    strides : tuple of int
        The distance between neighbours along each dimension, in elements.
    offset : int
        The index of the array's first element within its buffer.
    real : bool
        Whether the elements are real numbers rather than complex ones.
    """

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0
    real: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether the array is contiguous in C order from its buffer's beginning."""
        return self == plain_layout(self.shape, self.real)

    @property
    def is_dense(self) -> bool:
        """Whether the array fills its buffer from the beginning, its axes in any order."""
        room = 1
        for stride, extent in sorted(zip(self.strides, self.shape, strict=True)):
            if extent > 1 and stride != room:
                return False
            room *= extent
        return not self.offset

    @property
    def span(self) -> int:
        """The number of elements from the first to the last one, gaps included."""
        if 0 in self.shape:
            return 0
        ends = zip(self.shape, self.strides, strict=True)
        return 1 + sum((extent - 1) * abs(stride) for extent, stride in ends)

    def along(self, axis: int) -> Layout:
        """Return the layout of a contiguous array of this shape in which `axis` varies fastest."""
        order = [d for d in range(len(self.shape)) if d != axis] + [axis]
        moved = contiguous_strides([self.shape[d] for d in order])
        strides = dict(zip(order, moved, strict=True))
        return Layout(self.shape, tuple(strides[d] for d in range(len(order))), 0, self.real)


@dataclass(frozen=True)
class Problem:
    """One transform of an array along some of its axes.

    Attributes
    ----------
    shape : tuple of int
        The logical extents, after the input is cropped or padded along the transformed axes: those
        of the result for c2c and c2r, those of the input for r2c. For r2c and c2r the complex side
        has ``n // 2 + 1`` points along the last of `axes`, where `shape` has n.
    axes : tuple of int
        The transformed axes, not negative, in the order given.
    direction : {"forward", "inverse"}
        The sign of the exponent: minus for forward.
    precision : {"single", "double"}
        The precision of the arithmetic and of the result.
    scale : float
        The factor by which the result is multiplied; it follows from the norm.
    source, target : Layout
        How the input and the result lie in memory.
    kind : {"c2c", "r2c", "c2r", "dct1" to "dct4", "dst1" to "dst4"}
        What the transform takes and what it gives. The input of c2c may also be real. Cosine and
        sine transforms take and give real numbers and have no direction.
    orthogonal : bool
        Whether the elements at the ends of a cosine or sine transform get the factors that make
        the transform orthogonal.
    hooks : Hooks
        What the caller does to each element of the input and of the result.
    kept : int
        If the problem is a step of a larger one, and the next step reads its result: up to how many
        bytes of the result a CPU's caches should keep until then.
    """

    shape: tuple[int, ...]
    axes: tuple[int, ...]
    direction: str
    precision: str
    scale: float
    source: Layout
    target: Layout
    kind: str = "c2c"
    orthogonal: bool = False
    hooks: Hooks = NO_HOOKS
    kept: int = 0

    @property
    def is_trigonometric(self) -> bool:
        """Whether the problem is a cosine or sine transform."""
        return self.kind in TRIGONOMETRIC_KINDS

    @property
    def dtype(self) -> np.dtype:
        """The result's dtype."""
        return (REAL_DTYPE if self.target.real else COMPLEX_DTYPE)[self.precision]

    @property
    def complex_dtype(self) -> np.dtype:
        """The dtype of the arithmetic, complex64 or complex128."""
        return COMPLEX_DTYPE[self.precision]

    @property
    def source_dtype(self) -> np.dtype:
        """The input's dtype."""
        return (REAL_DTYPE if self.source.real else COMPLEX_DTYPE)[self.precision]

    @property
    def spectrum_shape(self) -> tuple[int, ...]:
        """The extents of the complex side: n // 2 + 1 along the last of `axes` for r2c and c2r."""
        is_half = self.kind in ("r2c", "c2r")
        return half_shape(self.shape, self.axes[-1]) if is_half else self.shape

    @cached_property  # every call of a plan reads it
    def nbytes(self) -> int:
        """The number of bytes from the first to the last element of the result."""
        return self.target.span * self.dtype.itemsize

    def __str__(self) -> str:
        name = "fft" if self.direction == "forward" else "ifft"
        dtype = self.dtype if self.is_trigonometric else self.complex_dtype
        shape = "x".join(map(str, self.shape))
        axes = ", ".join(map(str, self.axes))
        order = "".join(
            f", transposed {which}"
            for which, layout in (("in", self.source), ("out", self.target))
            if len(layout.shape) > 1
            and layout == transposed_layout(layout) != plain_layout(layout.shape, layout.real)
        )
        hooked = "".join(f", {place} hook" for place in PLACES if getattr(self.hooks, place))
        return (
            f"{name} {self.kind} {dtype} {shape} along axes {axes}, "
            f"scale {self.scale:g}{order}{hooked}"
        )


def plain_layout(shape: Sequence[int], real: bool = False) -> Layout:
    """Return the layout of a contiguous array (C order) of this shape."""
    return Layout(tuple(shape), contiguous_strides(shape), real=real)


def padded_layout(shape: Sequence[int], multiple: int) -> Layout:
    """Return the layout of a complex array in C order whose rows begin at multiples of `multiple`.

    The distance from row to row is counted in elements.
    """
    *outer, columns = shape
    pitch = -(-columns // multiple) * multiple
    return Layout(tuple(shape), contiguous_strides((*outer, pitch)))


def transposed_layout(layout: Layout) -> Layout:
    """Return the layout of a contiguous array whose last two axes have changed places in memory."""
    *outer, rows, columns = layout.shape
    *strides, first, second = contiguous_strides((*outer, columns, rows))
    return Layout(layout.shape, (*strides, second, first), real=layout.real)


def half_shape(shape: Sequence[int], axis: int) -> tuple[int, ...]:
    """Return the extents of a real array's spectrum without the half that is redundant."""
    return (*shape[:axis], shape[axis] // 2 + 1, *shape[axis + 1 :])


def logical_shape(kind: str, shape: Sequence[int], axes: Sequence[int]) -> tuple[int, ...]:
    """Return the shape to plan with for the shape of an input.

    They differ if the input is half a spectrum: then it is the shape of the whole one.
    """
    if kind != "c2r":
        return tuple(shape)
    last = axes[-1]
    return (*shape[:last], max(1, 2 * (shape[last] - 1)), *shape[last + 1 :])


def contiguous_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the strides, in elements, of a contiguous array in C order."""
    return tuple(prod(shape[d + 1 :]) for d in range(len(shape)))


def make_problem(
    shape: int | Iterable[int],
    dtype: DTypeLike,
    axes: int | Iterable[int] | None = None,
    kind: str = "c2c",
    direction: str = "forward",
    norm: str | None = "backward",
    *,
    s: int | Iterable[int] | None = None,
    strides: Sequence[int] | None = None,
    offset: int = 0,
    out_strides: Sequence[int] | None = None,
    out_offset: int = 0,
    transposed: str = "",
    orthogonalize: bool | None = None,
) -> Problem:
    """Check what a caller asks for and describe it as a `Problem`.

    Parameters
    ----------
    shape : int or iterable of int
        The extents of the input. For c2r they are the extents of the real array whose spectrum the
        input is; the input then has ``n // 2 + 1`` points along the last transformed axis.
    dtype : dtype
        The dtype of the input as the device reads it: complex64, complex128, float32 or float64.
    axes : int or iterable of int, optional
        The axes to transform; all axes, or the last ``len(s)`` axes, by default.
    kind : {"c2c", "r2c", "c2r", "dct1" to "dct4", "dst1" to "dst4"}
        Complex to complex, real to complex, complex to real, or a cosine or sine transform.
    direction : {"forward", "inverse"}
        The sign of the exponent: minus for forward.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction carries the factor 1/n; "ortho" gives 1/sqrt(n) to each direction.
    s : int or iterable of int, optional
        The lengths to transform along `axes`. An axis of the input that is longer is cropped at
        its end; a shorter one is padded with zeros at its end.
    strides : sequence of int, optional
        The input's strides, in bytes as in NumPy; contiguous in C order by default.
    offset : int
        The position of the input's first element in its buffer, in bytes.
    out_strides, out_offset
        The strides and the offset of the output, in bytes.
    transposed : {"", "in", "out"}
        FFTW's transposed orders: with "in" the input arrives, with "out" the output is left, with
        its last two axes swapped in memory. This saves a transposition where a filter stands
        between two transforms.
    orthogonalize : bool, optional
        Whether the elements at the ends of a cosine or sine transform get the factors that make
        the transform orthogonal. By default they do if the norm is "ortho".

    Returns
    -------
    Problem

    Raises
    ------
    PlanError
        No transform does what the caller asks for. The error is a ValueError, and its text is
        SciPy's where SciPy refuses the same arguments.
    """
    choose("kind", kind, KINDS)
    choose("direction", direction, DIRECTIONS)
    shape = _integers(shape, "shape")
    if any(extent < 0 for extent in shape):
        raise PlanError(f"invalid shape {shape}: extents are not negative")
    dtype = np.dtype(dtype)
    if dtype not in READABLE:
        raise PlanError(
            f"no transform reads {dtype}: convert the input to one of "
            + ", ".join(str(known) for known in READABLE)
        )
    precision, real = READABLE[dtype]
    if kind != "c2c" and real != (kind != "c2r"):
        wanted = "complex" if kind == "c2r" else "real"
        raise PlanError(f"{kind} transforms {wanted} input, not {dtype}")
    lengths, transformed = lengths_and_axes(shape, s, axes)
    if kind != "c2c" and not transformed:
        raise PlanError(f"{kind} needs at least one axis")
    extents = list(shape)
    for axis, length in zip(transformed, lengths, strict=True):
        extents[axis] = length
    if transposed and set(transformed) != {len(shape) - 2, len(shape) - 1}:
        raise PlanError("a transposed order needs a transform over exactly the last two axes")
    given = half_shape(shape, transformed[-1]) if kind == "c2r" else shape
    result = half_shape(extents, transformed[-1]) if kind == "r2c" else tuple(extents)
    trigonometric = kind in TRIGONOMETRIC_KINDS
    counts = [_period(kind, n) for n in lengths] if trigonometric else lengths
    if min(counts, default=1) < 1:
        raise PlanError(f"{kind} takes at least 2 numbers along an axis, not {min(lengths)}")
    real_result = kind == "c2r" or trigonometric
    out_dtype = (REAL_DTYPE if real_result else COMPLEX_DTYPE)[precision]
    source = _layout(given, strides, offset, dtype)
    target = _layout(result, out_strides, out_offset, out_dtype)
    return Problem(
        shape=tuple(extents),
        axes=transformed,
        direction="forward" if trigonometric else direction,
        precision=precision,
        scale=norm_scale(norm, direction, prod(counts)),
        source=transposed_layout(source) if transposed == "in" else source,
        target=transposed_layout(target) if transposed == "out" else target,
        kind=INVERSES.get(kind, kind) if direction == "inverse" else kind,
        orthogonal=trigonometric and (norm == "ortho" if orthogonalize is None else orthogonalize),
    )


def _period(kind: str, n: int) -> int:
    """Return the period, in points, with which a cosine or sine transform continues n numbers."""
    return 2 * (n + {"dct1": -1, "dst1": 1}.get(kind, 0))


def with_target(problem: Problem, strides: Sequence[int], offset: int) -> Problem:
    """Return the problem with other strides and another offset, in bytes, for its result.

    Raises
    ------
    PlanError
        A stride or the offset is no multiple of an element's size.
    """
    target = _layout(problem.target.shape, strides, offset, problem.dtype)
    return replace(problem, target=target)


def choose(what: str, value: str, allowed: Collection[str]) -> str:
    """Return `value` if it is allowed, or else raise a PlanError that names the allowed values."""
    if not isinstance(value, str) or value not in allowed:
        shown = repr(value) if np.ndim(value) == 0 else f"array of shape {np.shape(value)}"
        raise PlanError(f"invalid {what} {shown}, should be one of {', '.join(allowed)}")
    return value


def norm_scale(norm: str | None, direction: str, count: int) -> float:
    """Return the factor by which `norm` multiplies a transform of `count` points.

    Raises
    ------
    PlanError
        The norm is unknown; the error's text is SciPy's.
    """
    norm = "backward" if norm is None else norm
    if norm not in NORMS:
        raise PlanError(f'Invalid norm value {norm!r}, should be "backward", "ortho" or "forward"')
    if norm == "ortho":
        return 1 / sqrt(count)
    return 1.0 if (norm == "backward") == (direction == "forward") else 1 / count


def lengths_and_axes(
    shape: Sequence[int],
    s: int | Iterable[int] | None,
    axes: int | Iterable[int] | None,
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the lengths to transform and their axes, by SciPy's rules.

    Raises
    ------
    PlanError
        The array lacks an axis, an axis repeats, there are not as many lengths as axes, or a
        length is below 1. The error's text is SciPy's.
    """
    return _lengths_and_axes(
        tuple(shape),
        None if s is None else _integers(s, "shape"),
        None if axes is None else _integers(axes, "axes"),
    )


@lru_cache(maxsize=1024)  # every call of a transform such as `fft` needs it
def _lengths_and_axes(
    shape: tuple[int, ...], lengths: tuple[int, ...] | None, axes: tuple[int, ...] | None
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    dimensions = len(shape)
    if axes is None:
        count = dimensions if lengths is None else len(lengths)
        if count > dimensions:
            raise PlanError("shape requires more axes than are present")
        chosen = tuple(range(dimensions - count, dimensions))
    else:
        chosen = tuple(a + dimensions if a < 0 else a for a in axes)
        if any(a < 0 or a >= dimensions for a in chosen):
            raise PlanError("axes exceeds dimensionality of input")
        if len(set(chosen)) != len(chosen):
            raise PlanError("all axes must be unique")
    if lengths is None:
        lengths = tuple(shape[a] for a in chosen)
    elif len(lengths) != len(chosen):
        raise PlanError("when given, axes and shape arguments have to be of the same length")
    else:
        lengths = tuple(shape[a] if n == -1 else n for n, a in zip(lengths, chosen, strict=True))
    if any(n < 1 for n in lengths):
        raise PlanError(f"invalid number of data points ({list(lengths)}) specified")
    return lengths, chosen


def _integers(value: int | Iterable[int], name: str) -> tuple[int, ...]:
    """Return an integer, or an iterable of integers, as a tuple."""
    try:
        if isinstance(value, (tuple, Iterable)):  # the test for a tuple is the quickest
            return tuple(map(operator.index, value))
        return (operator.index(value),)
    except TypeError:
        raise PlanError(f"{name} must be a scalar or iterable of integers") from None


def _layout(
    shape: Sequence[int], strides: Sequence[int] | None, offset: int, dtype: np.dtype
) -> Layout:
    """Return a layout from strides and an offset in bytes.

    Along an axis of one element or none, the given stride means nothing and is replaced by the
    stride of a contiguous array.
    """
    places = contiguous_strides(shape)
    if strides is not None:
        if len(strides) != len(shape):
            raise PlanError(
                f"{len(strides)} strides for {len(shape)} dimensions: give one for each"
            )
        places = tuple(
            stride if extent > 1 else otherwise
            for extent, stride, otherwise in zip(
                shape, _elements(strides, dtype), places, strict=True
            )
        )
    return Layout(tuple(shape), places, _elements([offset], dtype)[0], dtype.kind == "f")


def _elements(byte_counts: Sequence[int], dtype: np.dtype) -> tuple[int, ...]:
    """Return distances in bytes as distances in elements."""
    if any(count % dtype.itemsize for count in byte_counts):
        raise PlanError(
            f"strides and offset must be multiples of {dtype.itemsize} bytes, the size of {dtype}: "
            "copy the array first"
        )
    return tuple(count // dtype.itemsize for count in byte_counts)
