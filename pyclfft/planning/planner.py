"""The planner: from a problem and a device's traits to passes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod

from ..errors import PlanError, PrecisionError
from .hooks import NO_HOOKS, Hooks, with_hooks
from .parameters import Parameters, parameters_for
from .pass_parts import defines, device_size, transpose
from .passes import Constants, Pass, Role, Scalar
from .problem import Layout, Problem, half_shape, padded_layout, plain_layout
from .solvers import BY_NAME, NAMED_ONLY, REWRITERS, SOLVERS, Solver
from .solvers.stockham import LINE_BYTES, to_and_fro
from .traits import Traits
from .trigonometric import after, before, fourier_problem


def plan_passes(
    problem: Problem,
    traits: Traits,
    algorithm: str | None = None,
    parameters: Parameters | None = None,
) -> tuple[Pass, ...]:
    """Plan a transform.

    Parameters
    ----------
    problem : Problem
        What to transform.
    traits : Traits
        Of the device.
    algorithm : str, optional
        Name of the solver to use for every axis; the first that applies by default.
    parameters : Parameters, optional
        Of the kernels; the device's defaults by default.

    Returns
    -------
    tuple of Pass
        To be given buffers by `assign_buffers`; the first one is out of place.

    Raises
    ------
    PlanError
        An unknown algorithm, or one that does not apply.
    PrecisionError
        Double precision on a device without it.
    """
    require_precision(problem.precision, traits)
    parameters = parameters or parameters_for(traits)
    solvers = _solvers(algorithm, parameters["algorithm"])
    if parameters["lanes_width"] > 0:
        traits = replace(traits, lanes=min(traits.lanes, parameters["lanes_width"]))
    find = _trigonometric_passes if problem.is_trigonometric else _fourier_passes
    # Where all lengths are 1, a copy is all there is to do.
    passes = find(problem, solvers, traits, parameters) or (copy_pass(problem, traits, parameters),)
    return _hooked(passes, problem, problem.hooks)


def _fourier_passes(
    problem: Problem, solvers: tuple[Solver, ...], traits: Traits, parameters: Parameters
) -> tuple[Pass, ...]:
    """Return the passes of all axes, one after the other."""
    passes: list[Pass] = []
    aligned = not all(each.rows_only for each in solvers)
    upwards = 0 < parameters["stream_bytes"] <= problem.nbytes
    for step in axis_steps(problem, aligned=aligned, upwards=upwards):
        passes += _solve(step, solvers, traits, parameters)
    return to_and_fro(passes)


def _trigonometric_passes(
    problem: Problem, solvers: tuple[Solver, ...], traits: Traits, parameters: Parameters
) -> tuple[Pass, ...]:
    """Return the passes of all axes, with copies of what is not contiguous or as long as wanted."""
    if len(problem.axes) == 1:
        whole = _first(problem, solvers, traits, parameters)
        if whole is not None:
            return whole
    passes: list[Pass] = []
    plain = plain_layout(problem.shape, real=True)
    if problem.source != plain:
        passes.append(_copy(problem, problem.source, plain, traits, parameters))
    inside = replace(problem, source=plain, target=plain, hooks=NO_HOOKS)
    for axis in problem.axes:
        scale = problem.scale if axis == problem.axes[-1] else 1.0
        step = replace(inside, axes=(axis,), scale=scale)
        whole = None if problem.hooks else _first(step, solvers, traits, parameters)
        if whole is not None:
            passes += whole
            continue
        within = fourier_problem(step)
        passes += [
            before(step, traits, parameters),
            *(
                _fourier_passes(within, solvers, traits, parameters)
                or (copy_pass(within, traits, parameters),)
            ),
            after(step, traits, parameters),
        ]
    if problem.target != plain:
        passes.append(_copy(problem, plain, problem.target, traits, parameters))
    return tuple(passes)


def require_precision(precision: str, traits: Traits) -> None:
    """Refuse double precision on a device without it.

    Raises
    ------
    PrecisionError
        With the remedy.
    """
    if precision == "double" and not traits.fp64:
        raise PrecisionError(
            f"{traits.name} has no double precision (fp64): convert the input with "
            'x.astype("complex64") or x.astype("float32")'
        )


def _hooked(passes: tuple[Pass, ...], problem: Problem, hooks: Hooks) -> tuple[Pass, ...]:
    real_source, real_target = problem.source.real, problem.target.real
    return with_hooks(passes, hooks, real_source=real_source, real_target=real_target)


# --- axis by axis ---------------------------------------------------------------------------------


def axis_steps(
    problem: Problem, *, aligned: bool = True, upwards: bool = False
) -> Iterator[Problem]:
    """Yield problems of one axis each, in the order to be solved; the last carries the scale.

    What lies between two of them is contiguous and complex. Where the input is cut along an axis
    or filled with zeros, the first step that reads the axis sees to it: steps before leave alone
    what is not there.

    Axes of length 1 are left out, as nothing happens along them.

    Parameters
    ----------
    problem : Problem
        With any number of axes.
    aligned : bool
        Rows of workspace begin at lines of the cache, which kernels of contiguous rows cannot take.
    upwards : bool
        The first axes come before the last ones, if there is nothing to be said against it.

    Yields
    ------
    Problem
    """
    middle = plain_layout(problem.spectrum_shape)
    if aligned and problem.kind == "c2r":  # tiles of a workspace share no line of the cache
        middle = padded_layout(problem.spectrum_shape, LINE_BYTES // problem.complex_dtype.itemsize)
    extents = [
        min(given, wanted)
        for given, wanted in zip(problem.source.shape, problem.spectrum_shape, strict=True)
    ]
    if problem.kind == "r2c":
        half = problem.axes[-1]
        extents[half] = min(problem.source.shape[half], problem.shape[half])
    order = _axes_in_order(problem, upwards)
    for number, axis in enumerate(order):
        source = problem.source if number == 0 else middle
        given = extents[axis]
        is_real_axis = problem.kind != "c2c" and axis == problem.axes[-1]
        extents[axis] = problem.shape[axis]
        yield replace(
            problem,
            shape=tuple(extents),
            axes=(axis,),
            kind=problem.kind if is_real_axis else "c2c",
            scale=problem.scale if axis == order[-1] else 1.0,
            source=replace(source, shape=(*extents[:axis], given, *extents[axis + 1 :])),
            target=problem.target if axis == order[-1] else middle,
            hooks=problem.hooks.of_part(first=number == 0, last=axis == order[-1]),
        )
        if is_real_axis and problem.kind == "r2c":
            extents[axis] = middle.shape[axis]


def _axes_in_order(problem: Problem, upwards: bool) -> list[int]:
    """Return the axes in the order to be transformed.

    The one along which the input is closest comes first, since what follows is contiguous whatever
    the input was; then the last ones before the others, or upwards the first ones: a CPU
    replaces large arrays faster row by row than column by column, and the first step replaces none.
    Where numbers are real, that axis is first or last, so that all other work is on half as many.
    """
    axes = sorted(problem.axes, reverse=not upwards)
    if problem.kind != "c2c":
        axes.remove(problem.axes[-1])
    axes = [axis for axis in axes if problem.shape[axis] > 1]
    if problem.kind != "r2c" and not problem.source.is_plain and axes:
        first = min(axes, key=lambda axis: abs(problem.source.strides[axis]))
        axes.remove(first)
        axes.insert(0, first)
    if problem.kind == "c2c" or problem.shape[problem.axes[-1]] == 1:
        return axes
    return [problem.axes[-1], *axes] if problem.kind == "r2c" else [*axes, problem.axes[-1]]


def _solve(
    step: Problem, solvers: tuple[Solver, ...], traits: Traits, parameters: Parameters
) -> tuple[Pass, ...]:
    """Return the passes of the first solver that takes a step.

    Raises
    ------
    PlanError
        No solver takes it.
    """
    passes = _first(step, solvers, traits, parameters)
    if passes is not None:
        return passes
    n = step.shape[step.axes[0]]
    if len({each.name for each in solvers}) > 1:  # nobody has chosen one
        raise PlanError(
            f"no algorithm transforms {n:,} points along an axis on {traits.name}: "
            "take fewer points, or another device"
        )
    raise PlanError(
        f"algorithm {solvers[-1].name!r} takes {solvers[-1].requirement}, not {n}: "
        "choose another one, or leave algorithm out"
    )


def _first(
    step: Problem, solvers: tuple[Solver, ...], traits: Traits, parameters: Parameters
) -> tuple[Pass, ...] | None:
    """Return the passes of the first solver that takes a step, or None if none does."""
    for solver in solvers:
        find = _between_copies if solver.rows_only else _as_it_lies
        passes = find(step, solver, traits, parameters)
        if passes is not None:
            return passes
    return None


def _as_it_lies(
    step: Problem, solver: Solver, traits: Traits, parameters: Parameters
) -> tuple[Pass, ...] | None:
    """Return the passes of a solver that reads and leaves arrays of any strides."""
    return solver.plan(step, traits, parameters)


def _between_copies(
    step: Problem, solver: Solver, traits: Traits, parameters: Parameters
) -> tuple[Pass, ...] | None:
    """Return the passes of a solver of contiguous rows, between copies of all else."""
    if step.is_trigonometric:
        return None
    core = _core(step)
    passes = solver.plan(core, traits, parameters)
    if passes is None:
        return None
    return (
        *_before(step, core, traits, parameters),
        *passes,
        *_after(step, core, traits, parameters),
    )


def _core(step: Problem) -> Problem:
    """Return the transform of a step from and to complex numbers in contiguous rows, uncut."""
    layout = plain_layout(step.shape).along(step.axes[0])
    return replace(step, kind="c2c", source=layout, target=layout, hooks=NO_HOOKS)


def _before(
    step: Problem, core: Problem, traits: Traits, parameters: Parameters
) -> tuple[Pass, ...]:
    """Bring the input of a step to where a solver wants it; a load hook may need a copy."""
    if not step.hooks.load:
        if step.source == core.source:
            return ()
        if step.kind == "c2c" and step.source == plain_layout(step.shape):
            return (_transposition(core, traits, parameters, back=False),)
    mirror = step.axes[0] if step.kind == "c2r" else None
    return (_copy(core, step.source, core.source, traits, parameters, mirror),)


def _after(
    step: Problem, core: Problem, traits: Traits, parameters: Parameters
) -> tuple[Pass, ...]:
    """Bring the result of a step from where a solver has left it; a store hook may need a copy."""
    if not step.hooks.store:
        if step.target == core.target:
            return ()
        if step.kind == "c2c" and step.target == plain_layout(step.shape):
            return (_transposition(core, traits, parameters, back=True),)
    shape = step.shape if step.kind != "r2c" else half_shape(step.shape, step.axes[0])
    source = replace(core.target, shape=shape)
    return (_copy(step, source, replace(step.target, shape=shape), traits, parameters),)


def _transposition(step: Problem, traits: Traits, parameters: Parameters, *, back: bool) -> Pass:
    (axis,) = step.axes
    outer, inner = prod(step.shape[:axis]), prod(step.shape[axis + 1 :])
    rows, columns = (inner, step.shape[axis]) if back else (step.shape[axis], inner)
    return transpose(step, traits, parameters, outer, rows, columns)


# --- copies ---------------------------------------------------------------------------------------


def copy_pass(problem: Problem, traits: Traits, parameters: Parameters) -> Pass:
    """Copy the input to where the result belongs, cut or filled with zeros."""
    scaled = replace(problem, scale=1.0)
    return _copy(scaled, problem.source, problem.target, traits, parameters)


def settled_passes(
    problem: Problem,
    traits: Traits,
    algorithm: str | None = None,
    parameters: Parameters | None = None,
) -> tuple[Pass, ...]:
    """Plan with a copy at the end: for a call in place whose only pass is out of place."""
    plain = plain_layout(problem.target.shape, problem.target.real)
    parameters = parameters or parameters_for(traits)
    copy = _copy(problem, plain, problem.target, traits, parameters)
    loads, stores = (problem.hooks.of_part(first=first, last=not first) for first in (True, False))
    settled = plan_passes(
        replace(problem, target=plain, hooks=loads), traits, algorithm, parameters
    )
    return (*settled, *_hooked((copy,), problem, stores))


def _copy(
    problem: Problem,
    source: Layout,
    target: Layout,
    traits: Traits,
    parameters: Parameters,
    mirror: int | None = None,
) -> Pass:
    """Copy one array to another one, whose shape is that of `target`.

    Parameters
    ----------
    problem : Problem
        To whose target it is copied.
    source, target : Layout
        Where from and where to.
    traits, parameters
        Of the device.
    mirror : int, optional
        The axis of which the source holds the first half, and the second is its conjugate.

    Returns
    -------
    Pass
    """
    geometry = [source.offset, target.offset]
    for row in zip(target.shape, source.shape, source.strides, target.strides, strict=True):
        geometry += row
    count = prod(target.shape)
    itemsize = problem.complex_dtype.itemsize
    nbytes = [itemsize // (2 if layout.real else 1) for layout in (source, target)]
    kinds = ["REAL" if layout.real else "COMPLEX" for layout in (source, target)]
    sizes, local = device_size((count,), parameters["group"], traits)
    shown = "x".join(map(str, source.shape)) or "1"
    return Pass(
        kernel="copy",
        source="copy.cl",
        defines=defines(
            problem.precision,
            SOURCE=kinds[0] if mirror is None else "HERMITIAN",
            TARGET=kinds[1],
            DIMENSIONS=len(target.shape),
            MIRROR=mirror or 0,
        ),
        global_size=sizes,
        local_size=local,
        arguments={
            "src": Role.SOURCE,
            "dst": Role.TARGET,
            "geometry": Constants(tuple(geometry)),
            "count": Scalar("uint64", count),
        },
        reads=min(count, prod(source.shape)) * nbytes[0],
        writes=count * nbytes[1],
        leaves=problem.nbytes,
        step=f"{kinds[0].lower()} {shown} to {kinds[1].lower()}",
    )


def _solvers(algorithm: str | None, preferred: str) -> tuple[Solver, ...]:
    """Return what to try in order: only what is asked for, or first what was found best."""
    if algorithm is None:
        first = (BY_NAME[preferred],) if preferred in BY_NAME else ()
        return first + SOLVERS
    rewritten = {each.name: each.solvers for each in REWRITERS}
    names = rewritten.get(algorithm, (algorithm,))
    found = tuple(each for each in (*SOLVERS, *NAMED_ONLY) if each.name in names)
    if not found:
        known = ", ".join((*BY_NAME, *rewritten))
        raise PlanError(f"unknown algorithm {algorithm!r}: choose from {known}")
    return found
