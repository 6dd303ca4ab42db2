"""Cosine and sine transforms of contiguous rows on CPUs, in one launch (row.cl with cosine.cl).

A cosine or sine transform is a Fourier transform with work before and after it. In one launch the
rows stay in the cache during all three. This solver takes types 2 to 4 of even lengths; the planner
puts launches of dct.cl around a Fourier transform for the rest.
"""

from __future__ import annotations

from ..batch import Batch
from ..cosine_axis import CosineAxis
from ..parameters import Parameters
from ..pass_parts import listed
from ..passes import Argument, Pass
from ..problem import Problem
from ..tables import LaneTwiddles, Roots, RootSeries
from ..traits import Traits
from . import row
from .lanes import lanes_pass
from .solver import Solver
from .steps import axis_batch, axis_length


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
    turns = LaneTwiddles(rows, n // rows, lanes.width, problem.precision)
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


SOLVER = Solver(
    "cosine_row",
    "contiguous rows of an even length for a cosine or sine transform of type 2 to 4, on a CPU "
    "with vectors",
    plan,
)
