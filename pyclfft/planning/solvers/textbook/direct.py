"""The discrete Fourier transform by its definition: it takes any length n and n^2 steps."""

from __future__ import annotations

from ...arguments import Role
from ...parameters import Parameters
from ...pass_parts import defines, real, rows_of, sign_flag, uint
from ...passes import Pass
from ...problem import Problem
from ...tables import Roots
from ...traits import Traits
from ..solver import Solver
from ..steps import axis_length, single_axis

MAX_LENGTH = 2**31  # indices within a row are 32 bits wide


def plan(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...] | None:
    """Return one pass, which also applies the scale, or None if a row is too long for indices."""
    if not single_axis(problem) or axis_length(problem) > MAX_LENGTH:
        return None
    rows = rows_of(problem)
    tile = min(
        parameters["direct_tile"],
        traits.max_work_group_size,
        traits.max_work_item_sizes[0],
        traits.local_mem_bytes // problem.dtype.itemsize,
        1 << (rows.n - 1).bit_length(),
    )
    return (
        Pass(
            kernel="direct",
            source="textbook/direct.cl",
            defines=defines(problem.precision, TILE=tile),
            global_size=(-(-rows.n // tile) * tile, rows.count),
            local_size=(tile, 1),
            arguments={
                "src": Role.SOURCE,
                "dst": Role.TARGET,
                "roots": Roots(rows.n, problem.precision),
                "n": uint(rows.n),
                "sign_flag": sign_flag(problem),
                "scale": real(problem, problem.scale),
            },
            reads=problem.nbytes,
            writes=problem.nbytes,
            step=f"{rows.count} rows of {rows.n}",
            local_bytes=tile * problem.dtype.itemsize,
            computes=problem,
        ),
    )


SOLVER = Solver("direct", "a transform along one axis", plan, rows_only=True)
