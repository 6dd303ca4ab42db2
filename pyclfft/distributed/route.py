"""Routes: a transform over ranks as stages, each of which transforms axes that blocks hold whole.

The steps come from `pyclfft.planning.slabs`. Here each gets its layout over the ranks, and the
lengths and the kind of its transform. The inverse takes the way back, so that it begins with the
blocks that the forward transform ends with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import PlanError
from ..planning.problem import choose
from ..planning.slabs import Step, four_step, steps
from .layout import Layout

PARTITIONS = ("auto", "slab", "pencil")


@dataclass(frozen=True)
class Stage:
    """One stage of a transform over ranks.

    Attributes
    ----------
    kind : {"c2c", "r2c", "c2r"}
        What goes in and comes out.
    axes, lengths : tuple of int
        The axes that are transformed, and their lengths; both may be empty.
    before, after : Layout
        The blocks before and after the transform. They differ in the lengths of `axes` only.
    order : tuple of int
        The axes in the order in which they lie in memory before the transform. The axis along which
        the ranks have just exchanged parts comes first: what comes from one rank or goes to it then
        lies in one place.
    """

    kind: str
    axes: tuple[int, ...]
    lengths: tuple[int, ...]
    before: Layout
    after: Layout
    order: tuple[int, ...]


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
        The axes to transform, the last one the one of which a spectrum may be half; and how many
        points each has, of the result for kind "c2r".
    """

    kind: str
    direction: str
    shape: tuple[int, ...]
    axes: tuple[int, ...]
    lengths: tuple[int, ...]


def plan_route(request: Request, ranks: int, partition: str) -> tuple[Stage, ...]:
    """Return the stages of a transform.

    Raises
    ------
    PlanError
        The partition is unknown, or the array has too few axes for it.
    """
    choose("partition", partition, PARTITIONS)
    planned = _steps(request, ranks, partition)
    cuts = _cuts(planned, ranks)
    if request.direction == "inverse":
        planned, cuts = planned[::-1], cuts[::-1]
    lengths = dict(zip(request.axes, request.lengths, strict=True))
    stages: list[Stage] = []
    shape = request.shape
    order = tuple(range(len(shape)))
    for number, (step, cut) in enumerate(zip(planned, cuts, strict=True)):
        if number:
            order = _order(order, cuts[number - 1], cut)
        axes = tuple(axis for axis in request.axes if axis in step.axes)
        ends = request.kind != "c2c" and request.axes[-1] in axes
        kind = request.kind if ends else "c2c"
        chosen = tuple(lengths[axis] for axis in axes)
        after = _transformed(shape, kind, axes, chosen)
        stages.append(Stage(kind, axes, chosen, Layout(shape, cut), Layout(after, cut), order))
        shape = after
    return tuple(stages)


def _steps(request: Request, ranks: int, partition: str) -> tuple[Step, ...]:
    """Return the steps of a partition, in the forward direction."""
    if partition == "auto":
        slabs = steps(request.shape, request.axes)
        room = min(request.shape[axis] for step in slabs for axis in step.cut)
        partition = "pencil" if room < ranks and len(request.shape) > 2 else "slab"
    try:
        return steps(request.shape, request.axes, {"slab": 1, "pencil": 2}[partition])
    except ValueError as error:
        raise PlanError(f'{error}: take partition="slab"') from None


def _cuts(planned: Sequence[Step], ranks: int) -> list[tuple[tuple[int, int], ...]]:
    """Return the cuts of each step with their numbers of parts.

    An axis that stays cut keeps its place in the grid of ranks, so that only ranks which share that
    place exchange parts.
    """
    parts = (ranks,) if len(planned[0].cut) == 1 else four_step(ranks)
    places = [planned[0].cut]
    for step in planned[1:]:
        new = iter(axis for axis in step.cut if axis not in places[-1])
        places.append(tuple(axis if axis in step.cut else next(new) for axis in places[-1]))
    return [tuple(zip(axes, parts, strict=True)) for axes in places]


def _order(
    order: tuple[int, ...], old: Sequence[tuple[int, int]], new: Sequence[tuple[int, int]]
) -> tuple[int, ...]:
    """Return the order in memory after an exchange: newly cut axes first, others as in C."""
    fresh = [axis for axis, _ in new if axis not in dict(old)]
    return (*fresh, *(axis for axis in sorted(order) if axis not in fresh))


def _transformed(
    shape: tuple[int, ...], kind: str, axes: Sequence[int], lengths: Sequence[int]
) -> tuple[int, ...]:
    """Return the shape after a transform of `axes` to `lengths`."""
    after = list(shape)
    for axis, length in zip(axes, lengths, strict=True):
        after[axis] = length
    if kind == "r2c":
        after[axes[-1]] = lengths[-1] // 2 + 1
    return tuple(after)


def order_after(stages: Sequence[Stage], number: int) -> tuple[int, ...]:
    """Return the order of axes in which a stage leaves its result: the next one's, at last C's."""
    if number + 1 < len(stages):
        return stages[number + 1].order
    return tuple(range(len(stages[0].before.shape)))
