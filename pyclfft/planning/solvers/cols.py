"""Any axis on CPUs: the lanes of a vector are neighbouring transforms."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...tuning.lookup import Parameters
from ..batch import Batch, Dimension
from ..passes import Argument, BlockRoots, LaneRoots, Pass, Vector
from ..problem import Problem
from ..traits import Traits
from .lanes import MIN_LANES, Lanes, lanes_for, lanes_pass, most_lanes, pass_words, takes, walkable
from .rows import uint
from .solver import Solver
from .steps import axis_batch, axis_length


@dataclass(frozen=True)
class Columns:
    """A batch whose first dimension is shared out to lanes.

    Attributes
    ----------
    batch : Batch
        The dimension of neighbouring transforms first.
    lanes : Lanes
        How they are transformed.
    from_rows, to_rows : bool
        Points of a transform are neighbours in the source, and in the target, rather than
        transforms.
    """

    batch: Batch
    lanes: Lanes
    from_rows: bool
    to_rows: bool


def applies(problem: Problem, traits: Traits, parameters: Parameters) -> bool:
    """Whether there are neighbouring transforms for lanes, short enough for scratch memory."""
    if problem.kind != "c2c" or not takes(problem, traits):
        return False
    return _columns(problem, traits, parameters) is not None


def passes(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...]:
    """Return one pass."""
    columns = _columns(problem, traits, parameters)
    assert columns is not None
    return (columns_pass(problem, columns, traits, parameters, scale=problem.scale),)


def _columns(problem: Problem, traits: Traits, parameters: Parameters) -> Columns | None:
    return columns_of(problem, axis_batch(problem, axis_length(problem)), traits, parameters)


def columns_of(
    problem: Problem, batch: Batch, traits: Traits, parameters: Parameters
) -> Columns | None:
    """Return how to share out a batch to lanes, or None where its layout or size forbids it."""
    if not walkable(batch):
        return None
    for number, dimension in enumerate(batch.dimensions):
        ways = (
            _direction(dimension.source, batch.source.stride),
            _direction(dimension.target, batch.target.stride),
        )
        if dimension.extent < 2 or None in ways:
            continue
        from_rows, to_rows = (way == "rows" for way in ways)
        width = _width(dimension.extent, most_lanes(problem, traits))
        if (from_rows or to_rows) and batch.n < width:
            continue
        lanes = lanes_for(problem, width, batch.n, traits, parameters, rooms=1 + to_rows)
        if lanes is None:
            continue
        others = batch.dimensions[:number] + batch.dimensions[number + 1 :]
        first = replace(batch, dimensions=(dimension, *others))
        return Columns(first, lanes, from_rows, to_rows)
    return None


def _direction(distance: int, stride: int) -> str | None:
    """Return what lies side by side in memory: transforms, points, or neither."""
    return "columns" if distance == 1 else "rows" if stride == 1 else None


def _width(extent: int, most: int) -> int:
    """Return as many lanes as there are transforms, or a few more."""
    least = max(2, MIN_LANES * most // 16)
    return max(least, min(most, 1 << (extent - 1).bit_length()))


def columns_pass(
    problem: Problem,
    columns: Columns,
    traits: Traits,
    parameters: Parameters,
    *,
    twist: int = 0,
    scale: float = 1.0,
    leaves: int = 0,
) -> Pass:
    """Return a launch of cols.cl.

    Parameters
    ----------
    problem : Problem
        Of which the columns are a part.
    columns : Columns
        What to transform, and how.
    traits, parameters
        Of the device.
    twist : int
        With n > 0, result k of column c is multiplied by exp(-2 pi i k c / n).
    scale : float
        Factor of the result.
    leaves : int
        Bytes of the target's buffer, where the target is not the problem's.
    """
    batch, lanes, width = columns.batch, columns.lanes, columns.lanes.width
    dimension, *others = batch.dimensions
    blocks = -(-dimension.extent // width)
    steps = Dimension(blocks, dimension.source * width, dimension.target * width)
    words = pass_words(lanes.radices, *([] if columns.from_rows else ["FIRST", "ONLY"]))
    tables: tuple[Argument, ...] = ()
    if twist:
        tables = (
            LaneRoots(twist, batch.n, width, problem.precision),
            BlockRoots(twist, batch.n, blocks, width, problem.precision),
        )
    return lanes_pass(
        "cols",
        problem,
        replace(batch, dimensions=(steps, *others)),
        lanes,
        (blocks, *(each.extent for each in others)),
        tables,
        {
            "N": batch.n,
            "FROM_ROWS": int(columns.from_rows),
            "TO_ROWS": int(columns.to_rows),
            "RAGGED": int(dimension.extent % width > 0),
            "TWIST": int(twist > 0),
            "PASSES": f'"{words}"',
        },
        traits,
        parameters,
        last=(
            uint(dimension.extent),
            Vector(
                "int64",
                (
                    dimension.source if columns.from_rows else batch.source.stride,
                    dimension.target if columns.to_rows else batch.target.stride,
                ),
            ),
        ),
        leaves=leaves,
        scale=scale,
        step=f"{batch.count} x {batch.n} = {'x'.join(map(str, lanes.radices))}",
    )


SOLVER = Solver(
    "cols",
    "neighbouring transforms of a smooth length, on a CPU with vectors",
    applies,
    passes,
    selective=True,
)
