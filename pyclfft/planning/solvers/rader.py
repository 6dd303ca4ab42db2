"""Rader's algorithm: a transform of a prime length n as a cyclic convolution of n - 1 points.

The powers of a generator g modulo n are all numbers from 1 to n - 1. With the points in the order
of g^q and the results in the order of g^-p, all but element 0 of the transform is a convolution
with the roots exp(-2 pi i g^-q / n). It has n - 1 points, half as many as Bluestein's algorithm
needs. If n - 1 is smooth, rader.cl does all of this in one launch; other primes are Bluestein's.

Real numbers, to half of their spectrum or back from it, need only half of that: their Hartley
transform is real, so that the convolution is one of n - 1 real numbers, two of which are a point
(raderReal.cl).

References
----------
C. M. Rader, "Discrete Fourier transforms when the number of data samples is prime", Proc. IEEE 56
(1968).

R. N. Bracewell, "Discrete Hartley transform", J. Opt. Soc. Am. 73 (1983).
"""

from __future__ import annotations

from dataclasses import replace

from ..factor import is_prime, is_smooth
from ..parameters import Parameters
from ..passes import Pass
from ..problem import Problem
from ..tables import PowersOfGenerator, RaderSpectrum, RealRaderSpectrum
from ..traits import Traits
from .bluestein import quickest
from .ends import INVERSE, whole_ends
from .group_leaf import GROUPS
from .leaf import Step
from .solver import Solver
from .steps import axis_batch, axis_length, single_axis
from .stockham import GroupLaunch, StockhamPass

MAX_LENGTH = 2**16  # beyond any work-group; the powers are numbers of 16 bits
LEAST_REAL = 5  # with 3 real numbers there would be one point, which no work-group transforms
# The time that it takes to bring a point into the powers' order and a result back into its own,
# relative to the time to move a point: in columns, and in rows, which local memory holds meanwhile.
# They were fitted to an H200's times. If the cost of a convolved row is known, it has that time.
PERMUTED, LAID_OUT = 0.1, {"single": 0.95, "double": 0.55}
# The least factor by which Bluestein's row costs more wherever Rader's was quicker on an H100.
MARGIN = {"single": 1.15, "double": 1.0}


def plan(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...] | None:
    """Return one pass if n is a prime, and n - 1 is smooth and fits a work-group, or else None."""
    launch = _launch(problem, traits, parameters)
    return None if launch is None else (_rader_pass(launch, traits),)


def plan_if_quicker(
    problem: Problem, traits: Traits, parameters: Parameters
) -> tuple[Pass, ...] | None:
    """Return the pass of `plan`, or None if Bluestein's algorithm should be quicker.

    For real numbers it never should: it takes four times as many points.
    """
    launch = _launch(problem, traits, parameters)
    if launch is None:
        return None
    others = None if launch.ends.real_points else quickest(GROUPS, problem, traits, parameters)
    if others is not None and _are_quicker(others, launch, traits):
        return None
    return (_rader_pass(launch, traits),)


def _are_quicker(others: tuple[GroupLaunch, ...], launch: GroupLaunch, traits: Traits) -> bool:
    """Whether Bluestein's launches should be quicker than Rader's launch.

    If each algorithm convolves rows in one launch on a GPU, the costs of both rows tell. But none
    was measured of which Rader's algorithm exchanges the points in parts.
    """
    measured = len(others) == 1 and launch.group.shape.parts == 1
    ours = launch.cost_of_convolved_row(traits) if measured else None
    theirs = others[0].cost_of_convolved_row(traits) if measured else None
    if ours is not None and theirs is not None:
        return theirs < MARGIN[launch.problem.precision] * ours
    order = LAID_OUT[launch.problem.precision] if launch.ends.laid_out else PERMUTED
    ordering = order * launch.batch.n * launch.batch.count
    return GROUPS.time(others, traits) < GROUPS.time((launch,), traits) + ordering


def _launch(problem: Problem, traits: Traits, parameters: Parameters) -> GroupLaunch | None:
    """Return the launch of the convolution, or None if there is none that fits a work-group."""
    if not single_axis(problem) or not 3 <= axis_length(problem) <= MAX_LENGTH:
        return None
    n = axis_length(problem)
    if not (is_smooth(n - 1) and is_prime(n)):
        return None
    is_real = problem.kind in ("r2c", "c2r") and n >= LEAST_REAL
    step = _real_step(problem) if is_real else _complex_step(problem)
    return GROUPS.launch(problem, step, traits, parameters)


def _complex_step(problem: Problem) -> Step:
    """Return the step of rader.cl."""
    n = axis_length(problem)
    batch = axis_batch(problem, n - 1)
    ends = replace(
        whole_ends(problem),
        spectrum=RaderSpectrum(n, problem.precision),
        laid_out=not (batch.loads_columns and batch.stores_columns),
        real_origin=problem.kind == "r2c",
    )
    return Step(batch, ends)


def _real_step(problem: Problem) -> Step:
    """Return the step of raderReal.cl, in which no parts of complex numbers change places."""
    n, ends = axis_length(problem), whole_ends(problem)
    ends = replace(
        ends,
        flags=ends.flags & ~INVERSE,
        spectrum=RealRaderSpectrum(n, problem.precision),
        laid_out=True,
        real_points=True,
        real_origin=problem.kind == "r2c",
    )
    return Step(axis_batch(problem, n // 2), ends)


def _rader_pass(launch: GroupLaunch, traits: Traits) -> StockhamPass:
    """Return the launch of rader.cl or raderReal.cl, with most macros and arguments of stockham.cl.

    A number of a spectrum is half a sum, and half a difference, of two of a Hartley transform: the
    scale tells of that half.
    """
    problem, n, is_real = launch.problem, axis_length(launch.problem), launch.ends.real_points
    each = launch.planned(problem.scale / (2 if is_real and problem.kind == "r2c" else 1))
    arguments = dict(each.arguments)
    tables = {name: arguments.pop(name) for name in ("twiddles", "spectrum")}
    ends = {name: arguments.pop(name) for name in ("src", "dst")}
    macros = dict(each.defines)
    del macros["SPECTRUM"]
    if not is_real:
        macros["LAID_OUT"] = str(int(launch.ends.laid_out))
    elif traits.is_cpu:
        macros["WAITS_EARLY"] = "1"
    kernel = "raderReal" if is_real else "rader"
    return replace(
        each,
        kernel=kernel,
        source=f"gpu/{kernel}.cl",
        defines=tuple(macros.items()),
        arguments={**ends, **tables, "powers": PowersOfGenerator(n), **arguments},
        step=each.step.replace(f"{launch.batch.n} = ", f"{n} by {launch.batch.n} = "),
        computes=problem,
    )


_REQUIREMENT = "a prime n for which n - 1 is smooth and fits a work-group"
SOLVER = Solver("rader", _REQUIREMENT, plan)
SOLVER_IF_QUICKER = Solver("rader", _REQUIREMENT, plan_if_quicker)
