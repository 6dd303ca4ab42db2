"""Routes: a transform over ranks as stages, each of which transforms axes that blocks hold whole.

The steps come from `pyclfft.planning.slabs`. Here each gets its layout over the ranks, and the
lengths and the kind of its transform. The inverse takes the way back, so that it begins with the
blocks that the forward transform ends with.

A single row has no axis to cut. It is seen as an array of rows and columns: all columns are
transformed, the elements are multiplied by roots of unity, all rows are transformed, and the result
is read column by column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import PlanError
from ..planning.problem import choose
from ..planning.slabs import Step, four_step, steps
from .layout import Layout

PARTITIONS = ("auto", "slab", "pencil")
Cuts = tuple[tuple[int, int], ...]  # the axes that are cut, each with the number of its parts


@dataclass(frozen=True)
class Request:
    """A transform of a whole array.

    Attributes
    ----------
    kind : {"c2c", "r2c", "c2r"}
        What goes in and comes out.
    direction : {"forward", "inverse"}
        The sign of the exponent: minus for "forward".
    shape : tuple of int
        The shape of the input.
    axes, lengths : tuple of int
        The axes to transform, and how many points the transform has along each. If half of a
        spectrum comes out or goes in, it is half along the last one of `axes`.
    """

    kind: str
    direction: str
    shape: tuple[int, ...]
    axes: tuple[int, ...]
    lengths: tuple[int, ...]

    @property
    def logical_shape(self) -> tuple[int, ...]:
        """The input's shape with the lengths of the transform, the same for both directions."""
        return _replaced(self.shape, self.axes, self.lengths)

    @property
    def result_shape(self) -> tuple[int, ...]:
        """The shape of the result."""
        return _after(self.shape, self.kind, self.axes, self.lengths)


@dataclass(frozen=True)
class Stage:
    """One stage of a transform over ranks.

    Attributes
    ----------
    kind : {"c2c", "r2c", "c2r"}
        What goes in and comes out.
    axes, lengths : tuple of int
        The axes that are transformed, and how many points the transform has along each.
    before, after : Layout
        The blocks before and after the transform. They differ in the lengths of `axes` only.
    order : tuple of int
        The axes in the order in which they lie in memory before the transform. The axis along which
        the ranks have just exchanged parts comes first: what comes from one rank or goes to it then
        lies in one place.
    twiddle : int
        The length of a single row whose columns this stage transforms; the result is multiplied by
        roots of unity. Otherwise 0.
    doubles_real : bool
        Whether the result is twice the real part of the transform.
    """

    kind: str
    axes: tuple[int, ...]
    lengths: tuple[int, ...]
    before: Layout
    after: Layout
    order: tuple[int, ...]
    twiddle: int = 0
    doubles_real: bool = False


@dataclass(frozen=True)
class Route:
    """A transform over ranks.

    Attributes
    ----------
    request : Request
        What is transformed.
    stages : tuple of Stage
        The stages, in order.
    given, result : Layout
        The blocks of the input and of the result if each rank has its own. A single row is seen as
        rows and columns here; it may be shorter than their product, in its last row only.
    result_order : tuple of int
        The axes in the order in which they lie in memory in the result.
    row_axis : int or None
        The axis of a single row, which is seen as rows and columns.
    """

    request: Request
    stages: tuple[Stage, ...]
    given: Layout
    result: Layout
    result_order: tuple[int, ...]
    row_axis: int | None = None

    def order_after(self, number: int) -> tuple[int, ...]:
        """Return the order in memory in which a stage leaves the array: the next stage's."""
        if number + 1 < len(self.stages):
            return self.stages[number + 1].order
        return self.result_order


def plan_route(request: Request, ranks: int, partition: str) -> Route:
    """Return the route of a transform.

    Raises
    ------
    PlanError
        The partition is unknown, or the array has too few axes for it.
    """
    choose("partition", partition, PARTITIONS)
    axis = _row_axis(request)
    if ranks > 1 and axis is not None:
        return _row_route(request, axis, ranks)
    return _grid_route(request, ranks, partition)


# --- arrays with an axis to cut -------------------------------------------------------------------


def _grid_route(request: Request, ranks: int, partition: str) -> Route:
    planned = _steps(request, ranks, partition)
    cuts = _cuts(planned, ranks)
    if request.direction == "inverse":
        planned, cuts = planned[::-1], cuts[::-1]
    lengths = dict(zip(request.axes, request.lengths, strict=True))
    natural = tuple(range(len(request.shape)))
    stages: list[Stage] = []
    shape, order = request.shape, natural
    for step, cut in zip(planned, cuts, strict=True):
        if stages:
            order = _order(natural, stages[-1].before.cuts, cut)
        axes = tuple(axis for axis in request.axes if axis in step.axes)
        kind = request.kind if request.axes[-1] in axes else "c2c"
        chosen = tuple(lengths[axis] for axis in axes)
        after = _after(shape, kind, axes, chosen)
        stages.append(Stage(kind, axes, chosen, Layout(shape, cut), Layout(after, cut), order))
        shape = after
    return Route(request, tuple(stages), stages[0].before, stages[-1].after, natural)


def _steps(request: Request, ranks: int, partition: str) -> tuple[Step, ...]:
    """Return the steps of a partition, in the forward direction.

    Slabs need fewer exchanges than pencils, but no more ranks can work than an axis has places.
    """
    shape, axes = request.logical_shape, request.axes
    if partition != "pencil" and not _can_be_cut(shape, axes):  # one rank has the whole array
        return (Step(axes, ()),)
    if partition == "auto":
        places = min(shape[axis] for step in steps(shape, axes) for axis in step.cut)
        partition = "pencil" if places < ranks and len(shape) > 2 else "slab"
    try:
        return steps(shape, axes, {"slab": 1, "pencil": 2}[partition])
    except ValueError as error:
        raise PlanError(f'{error}: take partition="slab"') from None


def _can_be_cut(shape: Sequence[int], axes: Sequence[int]) -> bool:
    return len(axes) > 1 or any(n > 1 for axis, n in enumerate(shape) if axis not in axes)


def _cuts(planned: Sequence[Step], ranks: int) -> list[Cuts]:
    """Return the cuts of each step with their numbers of parts.

    An axis that stays cut keeps its place in the grid of ranks, so that only ranks which share that
    place exchange parts.
    """
    parts = {0: (), 1: (ranks,), 2: four_step(ranks)}[len(planned[0].cut)]
    places = [planned[0].cut]
    for step in planned[1:]:
        new = iter(axis for axis in step.cut if axis not in places[-1])
        places.append(tuple(axis if axis in step.cut else next(new) for axis in places[-1]))
    return [tuple(zip(axes, parts, strict=True)) for axes in places]


def _order(natural: Sequence[int], old: Cuts, new: Cuts) -> tuple[int, ...]:
    """Return the order in memory after an exchange: newly cut axes first, others as in C."""
    fresh = [axis for axis, _ in new if axis not in dict(old)]
    return (*fresh, *(axis for axis in natural if axis not in fresh))


def _after(
    shape: Sequence[int], kind: str, axes: Sequence[int], lengths: Sequence[int]
) -> tuple[int, ...]:
    """Return the shape after a transform of `axes`."""
    if kind == "r2c":
        lengths = (*lengths[:-1], lengths[-1] // 2 + 1)
    return _replaced(shape, axes, lengths)


def _replaced(shape: Sequence[int], axes: Sequence[int], lengths: Sequence[int]) -> tuple[int, ...]:
    new = dict(zip(axes, lengths, strict=True))
    return tuple(new.get(axis, length) for axis, length in enumerate(shape))


# --- a single row ---------------------------------------------------------------------------------


def _row_axis(request: Request) -> int | None:
    """Return the axis of a single row, if each other axis has one place."""
    pairs = enumerate(zip(request.shape, request.logical_shape, strict=True))
    long_axes = [axis for axis, lengths in pairs if lengths != (1, 1)]
    if len(long_axes) != 1 or long_axes[0] not in request.axes:
        return None
    halved = request.kind == "c2c" or long_axes[0] == request.axes[-1]
    return long_axes[0] if halved else None


def _row_route(request: Request, axis: int, ranks: int) -> Route:
    """Return the route of a row whose other axes have one place each.

    Real rows are transformed as complex ones. Of a half spectrum the missing half stays zero: twice
    the real part of its transform is the result, if the points that have no counterpart in the
    missing half have been halved (`pyclfft.distributed.blocks`).
    """
    length = request.lengths[request.axes.index(axis)]
    rows, columns = four_step(length)
    if request.direction == "inverse":  # so that its input lies as the forward result does
        rows, columns = columns, rows
    whole, cut_rows, cut_columns = (rows, columns), ((0, ranks),), ((1, ranks),)
    upright, lying = Layout(whole, cut_columns), Layout(whole, cut_rows)
    stages = (
        Stage("c2c", (0,), (rows,), upright, upright, (0, 1), twiddle=length),
        Stage("c2c", (1,), (columns,), lying, lying, (0, 1), doubles_real=request.kind == "c2r"),
    )
    given = Layout((-(-request.shape[axis] // columns), columns), cut_rows)
    result = Layout((rows, -(-request.result_shape[axis] // rows)), cut_columns)
    return Route(request, stages, given, result, (1, 0), axis)
