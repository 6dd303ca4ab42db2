"""From one axis of a problem to batches for kernels: what solvers that walk strides share."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from ..batch import Batch, Dimension, Line, ordered
from ..problem import Layout, Problem, plain_layout


def single_axis(problem: Problem) -> bool:
    """Whether the problem is a Fourier transform along exactly one axis."""
    return len(problem.axes) == 1 and not problem.is_trigonometric


def axis_length(problem: Problem) -> int:
    """Return the number of points of the problem's one axis."""
    return problem.shape[problem.axes[0]]


def axis_batch(
    problem: Problem,
    n: int,
    others: Iterable[Dimension] = (),
    *,
    columns: tuple[int, int] = (1, 1),
    units: tuple[int, int] = (1, 1),
    source: Layout | None = None,
    target: Layout | None = None,
) -> Batch:
    """Return a batch of transforms of n points each along the problem's one axis.

    Parameters
    ----------
    problem : Problem
        A problem with one axis.
    n : int
        The number of points of each transform. It may be less than the axis has.
    others : iterable of Dimension
        Further dimensions of the batch along this axis, if the axis holds several transforms. Their
        distances are counted in elements of the axis.
    columns : (int, int)
        The distance between neighbouring points of a transform in the source and in the target, in
        units.
    units : (int, int)
        The size of a unit in the source and in the target, in elements of the axis.
    source, target : Layout
        The layouts to read and to write; the problem's by default.

    Returns
    -------
    Batch
    """
    (axis,) = problem.axes
    source, target = source or problem.source, target or problem.target
    dimensions = [
        Dimension(extent, source.strides[d], target.strides[d])
        for d, extent in enumerate(problem.shape)
        if d != axis
    ]
    near, far = source.strides[axis], target.strides[axis]
    # Not by `replace`, which takes five times as long: plans try hundreds of batches.
    along = [
        Dimension(d.extent, d.source * near, d.target * far, d.column, d.pairs) for d in others
    ]
    lines = (
        Line(source.offset, units[0] * near, columns[0]),
        Line(target.offset, units[1] * far, columns[1]),
    )
    in_place = lines[0].first == lines[1].first and lines[0].stride == lines[1].stride
    return Batch(
        n,
        ordered([*dimensions, *along]),
        *lines,
        aliases=source == target
        and in_place
        and all(each.source == each.target for each in along if each.extent > 1),
        part=bool(along),
    )


def columns_in_place(
    problem: Problem,
    factors: tuple[int, ...],
    number: int,
    source: Layout,
    target: Layout,
    *,
    pairs: bool = False,
) -> Batch:
    """Return the columns of step `number`, whose results lie where the points were.

    Parameters
    ----------
    problem : Problem
        A problem with one axis.
    factors : tuple of int
        The factors of the axis, or of a convolution along it. Step `number` transforms along the
        factor of this number.
    number : int
        The number of the step. It is not that of the last factor, which rows belong to.
    source, target : Layout
        The layouts to read and to write.
    pairs : bool
        Whether neighbouring columns are transformed in pairs.

    Returns
    -------
    Batch
    """
    factor, rest = factors[number], prod(factors[number + 1 :])
    dimensions = [
        Dimension(rest, 1, 1, column=1, pairs=pairs),
        Dimension(prod(factors[:number]), factor * rest, factor * rest),
    ]
    columns = (rest, rest)
    return axis_batch(problem, factor, dimensions, columns=columns, source=source, target=target)


def resting_layout(problem: Problem, length: int) -> Layout:
    """Return the layout of the results between two steps, with `length` points along the axis.

    The results are complex. If the target has room for them they lie as the target does, so that
    the last step can work in place.
    """
    (axis,) = problem.axes
    target = problem.target
    shape = (*target.shape[:axis], length, *target.shape[axis + 1 :])
    if target.is_dense and not target.real and target.shape == shape:
        return target
    return plain_layout(shape)


def layout_bytes(problem: Problem, layout: Layout) -> int:
    """Return the number of bytes of a buffer for complex elements in a layout without gaps."""
    return prod(layout.shape) * problem.complex_dtype.itemsize
