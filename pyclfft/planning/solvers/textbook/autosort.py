"""Two steps between the textbook's butterflies and stockham.cl, to be read and measured.

`autosort` is Stockham's radix-2 transform in local memory, which needs no bit reversal, and
`in-registers` is the same with codelets of a larger radix. Rows are powers of two that local memory
holds, and a work-group transforms one row.

References
----------
T. G. Stockham's autosort, in W. T. Cochran et al., "What is the fast Fourier transform?", Proc.
IEEE 55 (1967).
"""

from __future__ import annotations

from ...arguments import Role
from ...parameters import Parameters
from ...pass_parts import Rows, defines, exact, rows_of, sign_flag
from ...passes import Pass
from ...problem import Problem
from ...tables import Roots
from ...traits import Traits
from ..solver import Solver
from ..steps import axis_length, single_axis

LARGEST_RADIX = 16  # what a work-item holds of larger ones does not fit the registers of many GPUs


def plan_autosort(
    problem: Problem, traits: Traits, parameters: Parameters
) -> tuple[Pass, ...] | None:
    """Return one pass if a work-group has a work-item for every butterfly, or else None."""
    return _plan("autosort", 2, problem, traits)


def plan_in_registers(
    problem: Problem, traits: Traits, parameters: Parameters
) -> tuple[Pass, ...] | None:
    """Return one pass with the largest radix of which the length is a power, or else None."""
    if not single_axis(problem):
        return None
    radix = _largest_radix(axis_length(problem))
    return None if radix is None else _plan("inRegisters", radix, problem, traits)


def _largest_radix(n: int) -> int | None:
    radix = LARGEST_RADIX
    while radix > 1 and not _is_power(n, radix):
        radix //= 2
    return radix if radix > 1 else None


def _is_power(n: int, radix: int) -> bool:
    while n % radix == 0 and n > radix:
        n //= radix
    return n == radix


def _plan(kernel: str, radix: int, problem: Problem, traits: Traits) -> tuple[Pass, ...] | None:
    if not single_axis(problem) or not _is_power(axis_length(problem), 2):
        return None
    rows = rows_of(problem)
    if not _fits(rows, radix, problem, traits):
        return None
    items = rows.n // radix
    sizes = {"N": rows.n, "ITEMS": items} | ({} if kernel == "autosort" else {"RADIX": radix})
    return (
        Pass(
            kernel=kernel,
            source=f"textbook/{kernel}.cl",
            defines=defines(problem.precision, **sizes),
            global_size=(items * rows.count,),
            local_size=(items,),
            arguments={
                "src": Role.SOURCE,
                "dst": Role.TARGET,
                "roots": Roots(rows.n, problem.precision),
                "scale": exact(problem.scale, problem.precision),
                "sign_flag": sign_flag(problem),
            },
            reads=problem.nbytes,
            writes=problem.nbytes,
            step=f"{rows.count} rows of {rows.n}",
            aliases=True,
            local_bytes=rows.n * problem.complex_dtype.itemsize,
            computes=problem,
        ),
    )


def _fits(rows: Rows, radix: int, problem: Problem, traits: Traits) -> bool:
    return (
        rows.n // radix <= min(traits.max_work_group_size, traits.max_work_item_sizes[0])
        and rows.n * problem.complex_dtype.itemsize <= traits.local_mem_bytes
    )


_REQUIREMENT = "a length that is a power of two and fits a work-group and local memory"
SOLVERS = (
    Solver("autosort", _REQUIREMENT, plan_autosort, rows_only=True, powers_of_two=True),
    Solver("in-registers", _REQUIREMENT, plan_in_registers, rows_only=True, powers_of_two=True),
)
