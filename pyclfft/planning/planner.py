"""The planner: from a problem and a device's traits to passes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod

from ..errors import DeviceError, PlanError
from ..tuning.lookup import Parameters, parameters_for
from .passes import Constants, Pass, Role, Scalar
from .problem import Problem, plain_source
from .solvers import BY_NAME, SOLVERS, Solver
from .solvers.rows import defines, device_size
from .traits import Traits


def plan_passes(problem: Problem, traits: Traits, algorithm: str | None = None) -> tuple[Pass, ...]:
    """Plan a transform.

    Parameters
    ----------
    problem : Problem
        What to transform.
    traits : Traits
        Of the device.
    algorithm : str, optional
        Name of the solver to use for every axis; the first that applies by default.

    Returns
    -------
    tuple of Pass
        To be given buffers by `assign_buffers`; the first one is out of place.

    Raises
    ------
    PlanError
        An unknown algorithm, or one that does not apply.
    DeviceError
        Double precision on a device without it.
    """
    require_precision(problem.precision, traits)
    solvers = _solvers(algorithm)
    parameters = parameters_for(traits)
    passes: list[Pass] = []
    if not problem.source_is_plain:
        passes.append(load(problem, traits, parameters))
    for part in split_axes(replace(problem, source=plain_source(problem.shape))):
        solver = _first_that_applies(solvers, part, traits, parameters)
        passes += solver.passes(part, traits, parameters)
    if not passes:  # all lengths are 1: the result is a copy
        passes.append(load(problem, traits, parameters))
    return tuple(passes)


def require_precision(precision: str, traits: Traits) -> None:
    """Refuse double precision on a device without it.

    Raises
    ------
    DeviceError
        With the remedy.
    """
    if precision == "double" and not traits.fp64:
        raise DeviceError(
            f"{traits.name} has no double precision (fp64): convert the input with "
            'x.astype("complex64") or x.astype("float32")'
        )


def split_axes(problem: Problem) -> Iterator[Problem]:
    """Yield problems of one axis each, in the order to be solved; the last carries the scale.

    Axes of length 1 are left out: nothing happens along them, and with one of them swapping two
    axes moves nothing either. The last axis comes first, but for transposed input, which arrives
    with the one before it ready.
    """
    order = [axis for axis in reversed(problem.axes) if problem.shape[axis] > 1]
    if problem.transposed:
        order.sort(reverse=problem.transposed == "out")
    for axis in order:
        yield replace(
            problem,
            axes=(axis,),
            scale=problem.scale if axis == order[-1] else 1.0,
            transposed=problem.transposed if axis == len(problem.shape) - 2 else "",
        )


def copy_pass(problem: Problem, traits: Traits) -> Pass:
    """Copy a finished result: for a call in place whose only pass is out of place."""
    plain = replace(problem, source=plain_source(problem.shape))
    return load(plain, traits, parameters_for(traits))


def load(problem: Problem, traits: Traits, parameters: Parameters) -> Pass:
    """Gather the input into contiguous complex numbers, cropped or padded to the wanted shape."""
    source = problem.source
    geometry = [source.offset]
    for extent, given, stride in zip(problem.shape, source.shape, source.strides, strict=True):
        geometry += [extent, given, stride]
    count = prod(problem.shape)
    element = problem.dtype.itemsize // (2 if source.real else 1)
    sizes, local = device_size((count,), parameters["group"], traits)
    return Pass(
        kernel="load",
        source="load.cl",
        defines=defines(problem, REAL_SOURCE=int(source.real), DIMENSIONS=len(problem.shape)),
        global_size=sizes,
        local_size=local,
        arguments=(Role.SOURCE, Role.TARGET, Constants(tuple(geometry)), Scalar("uint64", count)),
        reads=min(count, prod(source.shape)) * element,
        writes=problem.nbytes,
        step=f"{'real' if source.real else 'complex'} {'x'.join(map(str, source.shape))}",
    )


def _solvers(algorithm: str | None) -> tuple[Solver, ...]:
    if algorithm is None:
        return SOLVERS
    if algorithm not in BY_NAME:
        raise PlanError(f"unknown algorithm {algorithm!r}: choose from {', '.join(BY_NAME)}")
    return (BY_NAME[algorithm],)


def _first_that_applies(
    solvers: tuple[Solver, ...], problem: Problem, traits: Traits, parameters: Parameters
) -> Solver:
    for solver in solvers:
        if solver.applies(problem, traits, parameters):
            return solver
    n = problem.shape[problem.axes[0]]
    raise PlanError(
        f"algorithm {solvers[-1].name!r} takes {solvers[-1].requirement}, not {n}: "
        "choose another one, or leave algorithm out"
    )
