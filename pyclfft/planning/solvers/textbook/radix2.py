"""The textbook's radix-2 Cooley-Tukey transform: bit reversal, then one launch a stage.

References
----------
J. W. Cooley, J. W. Tukey, "An algorithm for the machine calculation of complex Fourier series",
Math. Comp. 19 (1965).
"""

from __future__ import annotations

from math import prod

from ...arguments import Buffer, Role, Scalar
from ...parameters import Parameters
from ...pass_parts import Rows, defines, kernel_size, real, rows_of, sign_flag, uint
from ...passes import Pass
from ...problem import Problem
from ...traits import Traits
from ..solver import Solver
from ..steps import axis_length, single_axis

NAME = "radix2"
MAX_LENGTH = 2**31  # indices within a row are 32 bits wide


def takes(problem: Problem) -> bool:
    """Whether the problem has one axis, whose length is a power of two."""
    if not single_axis(problem):
        return False
    n = axis_length(problem)
    return 2 <= n <= MAX_LENGTH and n & (n - 1) == 0


def plan(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...] | None:
    """Return spinFact, bitReverse, log2(n) stages and, if the problem has a scale, norm.

    If the length is no power of two, the result is None.
    """
    if not takes(problem):
        return None
    last = () if problem.scale == 1 else (norm(problem, traits, parameters),)
    return (*_row_passes(problem, traits, parameters, rows_of(problem)), *last)


def _row_passes(
    problem: Problem, traits: Traits, parameters: Parameters, rows: Rows
) -> tuple[Pass, ...]:
    log2_n = rows.n.bit_length() - 1
    spin = spin_fact(problem, traits, parameters, rows.n)
    reverse = bit_reverse(problem, traits, parameters)
    sizes, local = kernel_size("butterfly", (rows.n // 2, rows.count), traits, parameters)
    stages = [
        Pass(
            kernel="butterfly",
            source="textbook/butterfly.cl",
            defines=defines(problem.precision),
            global_size=sizes,
            local_size=local,
            arguments={
                "data": Role.DATA,
                "w": Buffer(spin.table),
                "log2_n": uint(log2_n),
                "iter": uint(iteration),
                "rows": uint(rows.count),
                "sign_flag": sign_flag(problem),
            },
            reads=problem.nbytes,
            writes=problem.nbytes,
            step=f"stage {iteration} of {log2_n}",
        )
        for iteration in range(1, log2_n + 1)
    ]
    return (spin, reverse, *stages)


def bit_reverse(problem: Problem, traits: Traits, parameters: Parameters) -> Pass:
    """Return the pass that puts every row in the order of its bit-reversed indices."""
    rows = rows_of(problem)
    sizes, local = kernel_size("bitReverse", (rows.n, rows.count), traits, parameters)
    return Pass(
        kernel="bitReverse",
        source="textbook/bitReverse.cl",
        defines=defines(problem.precision),
        global_size=sizes,
        local_size=local,
        arguments={
            "src": Role.SOURCE,
            "dst": Role.TARGET,
            "log2_n": uint(rows.n.bit_length() - 1),
            "rows": uint(rows.count),
        },
        reads=problem.nbytes,
        writes=problem.nbytes,
        step=f"{rows.count} rows of {rows.n}",
    )


def spin_fact(problem: Problem, traits: Traits, parameters: Parameters, n: int) -> Pass:
    """Return the pass that fills the table of n/2 twiddles.

    All transforms of length n in a plan share the table.
    """
    nbytes = n // 2 * problem.dtype.itemsize
    sizes, local = kernel_size("spinFact", (n // 2,), traits, parameters)
    table = f"w{n}"
    return Pass(
        kernel="spinFact",
        source="textbook/spinFact.cl",
        defines=defines(problem.precision),
        global_size=sizes,
        local_size=local,
        arguments={"w": Buffer(table), "n": uint(n)},
        reads=0,
        writes=nbytes,
        step=f"{n // 2} twiddles",
        scratch=((table, nbytes),),
        table=table,
    )


def norm(problem: Problem, traits: Traits, parameters: Parameters) -> Pass:
    """Return the pass that multiplies the whole array by the problem's scale."""
    count = prod(problem.shape)
    sizes, local = kernel_size("norm", (count,), traits, parameters)
    return Pass(
        kernel="norm",
        source="textbook/norm.cl",
        defines=defines(problem.precision),
        global_size=sizes,
        local_size=local,
        arguments={
            "data": Role.DATA,
            "count": Scalar("uint64", count),
            "scale": real(problem, problem.scale),
        },
        reads=problem.nbytes,
        writes=problem.nbytes,
        step=f"times {problem.scale:g}",
    )


SOLVER = Solver(NAME, "a length that is a power of two", plan, rows_only=True, powers_of_two=True)
