"""Cosine and sine transforms of contiguous rows on CPUs, in one launch (row.cl with cosine.cl).

What stands around the transform of real numbers that they are stays in the cache. It takes types II
to IV of even lengths; dct.cl, with launches of its own, takes the rest.
"""

from __future__ import annotations

from ..batch import Batch
from ..parameters import Parameters
from ..passes import Argument, LaneTwiddles, Pass, Roots, RootSeries
from ..problem import Problem
from ..traits import Traits
from . import row
from .lanes import lanes_pass, pass_words
from .steps import axis_batch, axis_length


def applies(problem: Problem, traits: Traits, parameters: Parameters) -> bool:
    """Whether the one axis is contiguous, as long as wanted, and splits into lanes."""
    n = axis_length(problem)
    (axis,) = problem.axes
    whole = problem.source.shape == problem.shape == problem.target.shape
    if problem.kind.endswith("1") or n % 2 or not whole or problem.hooks:
        return False
    if problem.source.strides[axis] != 1 or problem.target.strides[axis] != 1:
        return False
    return row.split(problem, _batch(problem), traits, parameters) is not None


def passes(
    problem: Problem, roots: RootSeries, traits: Traits, parameters: Parameters
) -> tuple[Pass, ...]:
    """Return one pass.

    Parameters
    ----------
    problem : Problem
        That this applies to.
    roots : RootSeries
        By which points are turned before the transform or behind it.
    traits, parameters
        Of the device.
    """
    batch = _batch(problem)
    split = row.split(problem, batch, traits, parameters)
    assert split is not None
    kind, type = problem.kind[:3], int(problem.kind[-1])
    n, rows, lanes = batch.n, split.rows, split.lanes
    tables: list[Argument] = [LaneTwiddles(rows, n // rows, lanes.width, problem.precision)]
    if type != 4:
        tables.append(Roots(2 * n, problem.precision))
    macros: dict[str, int | str] = {
        "SOURCE": "REAL",
        "TARGET": "REAL",
        "COSINE": type,
        "SINE": int(kind == "dst"),
        "ORTHO": int(problem.orthogonal and type < 4),
        "ROWS": rows,
        "M": n // rows,
        "PASSES": f'"{pass_words(lanes.radices)}"',
    }
    name = {"dct": "cosine", "dst": "sine"}[kind]
    return (
        lanes_pass(
            "row",
            problem,
            batch,
            lanes,
            tuple(each.extent for each in batch.dimensions),
            (*tables, roots),
            macros,
            traits,
            parameters,
            scale=problem.scale * (2 if type == 4 else 1),
            step=f"{name} {type}, {batch.count} x {2 * n}, {n} = "
            f"{'x'.join(map(str, (rows, *lanes.radices)))} packed",
        ),
    )


def _batch(problem: Problem) -> Batch:
    """Return rows of points, each of which is two numbers."""
    return axis_batch(problem, axis_length(problem) // 2, columns=(2, 2))
