"""The ladder: radix-2 Cooley-Tukey in five versions, each of which changes one thing in another.

The versions come from a course report on OpenCL. They are here to be measured beside each other and
beside the kernels that plans use, which shows on what a kernel spends its time.

References
----------
J. W. Cooley, J. W. Tukey, "An algorithm for the machine calculation of complex Fourier series",
Math. Comp. 19 (1965).
M. C. Pease, "An adaptation of the fast Fourier transform for parallel processing", J. ACM 15
(1968).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...arguments import Role
from ...parameters import Parameters
from ...pass_parts import defines, device_size, rows_of, sign_flag, uint
from ...passes import Argument, Pass
from ...problem import Problem
from ...traits import Traits
from ..solver import Solver
from ..steps import axis_length
from . import radix2

MAX_LENGTH = 2**24  # ladder1 finds its points by floats, which hold whole numbers up to this one

Passes = Callable[[Problem, Traits, Parameters], tuple[Pass, ...]]
Takes = Callable[[Problem, Traits], bool]


def _is_countable(problem: Problem, traits: Traits) -> bool:
    """Whether the problem has one axis, whose length is a power of two up to `MAX_LENGTH`."""
    return radix2.takes(problem) and axis_length(problem) <= MAX_LENGTH


def _fits_local_memory(problem: Problem, traits: Traits) -> bool:
    """Whether the problem has one axis, a power of two, and local memory holds a row."""
    if not _is_countable(problem, traits):
        return False
    return axis_length(problem) * problem.complex_dtype.itemsize <= traits.local_mem_bytes


# --- the rungs ------------------------------------------------------------------------------------


def _reversing(kernel: str) -> Passes:
    """Return the rung whose stages find their points by reversing the bits of indices.

    Only its last stage moves the points.
    """

    def passes(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...]:
        *stages, last = _stages(problem)
        return (
            *(_stage(kernel, stage, problem, traits, parameters) for stage in stages),
            _stage(kernel, last, problem, traits, parameters, aliases=False),
        )

    return passes


def _ordered_once(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...]:
    return (
        radix2.bit_reverse(problem, traits, parameters),
        *(_stage("ladder3", stage, problem, traits, parameters) for stage in _stages(problem)),
    )


def _of_neighbours(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...]:
    passes = [radix2.bit_reverse(problem, traits, parameters)]
    for stage in _stages(problem):
        passes.append(_stage("ladder4", stage, problem, traits, parameters))
        passes.append(_permute(stage, problem, traits, parameters))
    return tuple(passes)


def _in_local_memory(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...]:
    rows = rows_of(problem)
    limits = (parameters["group"], traits.max_work_group_size, traits.max_work_item_sizes[0])
    items = min(rows.n // 2, *limits)
    return (
        Pass(
            kernel="compact",
            source="textbook/ladder.cl",
            defines=defines(problem.precision, POINTS=rows.n),
            global_size=(items * rows.count,),
            local_size=(items,),
            arguments={
                "src": Role.SOURCE,
                "dst": Role.TARGET,
                "sign_flag": sign_flag(problem),
            },
            reads=problem.nbytes,
            writes=problem.nbytes,
            step=f"{rows.count} rows of {rows.n}",
            aliases=True,
            local_bytes=rows.n * problem.complex_dtype.itemsize,
        ),
    )


# --- their launches -------------------------------------------------------------------------------


def _stages(problem: Problem) -> range:
    return range(rows_of(problem).n.bit_length() - 1)


def _stage(
    kernel: str,
    stage: int,
    problem: Problem,
    traits: Traits,
    parameters: Parameters,
    *,
    aliases: bool = True,
) -> Pass:
    """Return the launch of a stage, which combines all pairs of points."""
    rows = uint(rows_of(problem).count)
    more = {"stage": uint(stage), "rows": rows, "sign_flag": sign_flag(problem)}
    return _pairs(kernel, stage, problem, traits, parameters, more, aliases)


def _permute(stage: int, problem: Problem, traits: Traits, parameters: Parameters) -> Pass:
    """Return a launch after which the points of each pair of the next stage are neighbours."""
    rows = uint(rows_of(problem).count)
    return _pairs("permuteArray", stage, problem, traits, parameters, {"rows": rows}, False)


def _pairs(
    kernel: str,
    stage: int,
    problem: Problem,
    traits: Traits,
    parameters: Parameters,
    more: Mapping[str, Argument],
    aliases: bool,
) -> Pass:
    rows = rows_of(problem)
    sizes, local = device_size((rows.n // 2, rows.count), parameters["group"], traits)
    return Pass(
        kernel=kernel,
        source="textbook/ladder.cl",
        defines=defines(problem.precision),
        global_size=sizes,
        local_size=local,
        arguments={"src": Role.SOURCE, "dst": Role.TARGET, "n": uint(rows.n), **more},
        reads=problem.nbytes,
        writes=problem.nbytes,
        step=f"stage {stage + 1} of {len(_stages(problem))}",
        aliases=aliases,
    )


# --- the table ------------------------------------------------------------------------------------


def _rung(
    name: str,
    passes: Passes,
    takes: Takes = _is_countable,
    requirement: str = "a length that is a power of two up to 2^24",
) -> Solver:
    """Return a rung as a solver, whose passes end with norm if the problem has a scale."""

    def plan(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...] | None:
        if not takes(problem, traits):
            return None
        last = () if problem.scale == 1 else (radix2.norm(problem, traits, parameters),)
        return (*passes(problem, traits, parameters), *last)

    return Solver(name, requirement, plan, rows_only=True, powers_of_two=True)


SOLVERS = (
    _rung("ladder1", _reversing("ladder1")),
    _rung("ladder2", _reversing("ladder2")),
    _rung("ladder3", _ordered_once),
    _rung("ladder4", _of_neighbours),
    _rung(
        "compact",
        _in_local_memory,
        _fits_local_memory,
        "a length that is a power of two and fits local memory",
    ),
)
