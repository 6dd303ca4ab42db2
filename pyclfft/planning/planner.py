"""The planner: from a problem and a device's traits to passes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile
from math import prod

from ..errors import PlanError, PrecisionError
from .arguments import Role, Scalar
from .hook_text import with_hooks
from .hooks import NO_HOOKS, Hooks
from .parameters import Parameters, parameters_for
from .pass_parts import defines, device_size, transpose
from .passes import Pass
from .problem import Layout, Problem, half_shape, padded_layout, plain_layout
from .solvers import BY_NAME, NAMED_ONLY, REWRITERS, SOLVERS, Solver
from .solvers.cosine import around, within
from .solvers.stockham import LINE_BYTES, best_pitch, to_and_fro
from .tables import Constants
from .traits import Traits

# Up to how many bytes of a step's result a CPU's caches should keep for the next step, by the kind
# of the whole transform. The last step of c2r writes another array than it reads.
KEPT = {"c2c": 2**23, "r2c": 2**23, "c2r": 2**25}


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
        The traits of the device.
    algorithm : str, optional
        The name of the solver to use for every axis, or of a rewriter, whose solvers are then used;
        by default each axis gets the first solver that takes it.
    parameters : Parameters, optional
        The parameters of the kernels; the device's defaults by default.

    Returns
    -------
    tuple of Pass
        The passes, to which `assign_buffers` gives their buffers. The first one is out of place.

    Raises
    ------
    PlanError
        The algorithm is unknown, or no solver that may be used takes the problem.
    PrecisionError
        The problem is in double precision, which the device lacks.
    """
    require_precision(problem.precision, traits)
    parameters = parameters or parameters_for(traits)
    solvers = _solvers(algorithm, parameters["algorithm"])
    if parameters["lanes_width"] > 0:
        traits = replace(traits, lanes=min(traits.lanes, parameters["lanes_width"]))
    find = _trigonometric_passes if problem.is_trigonometric else _fourier_passes
    # If all lengths are 1, no axis has a pass, and a copy is all there is to do.
    passes = find(problem, solvers, traits, parameters) or (copy_pass(problem, traits, parameters),)
    return _hooked(passes, problem, problem.hooks)


def _fourier_passes(
    problem: Problem, solvers: tuple[Solver, ...], traits: Traits, parameters: Parameters
) -> tuple[Pass, ...]:
    """Return the passes of a Fourier transform: of all axes at once if possible, or one by one."""
    # A caller or a tuner may prefer a solver that takes axes one by one.
    several = tuple(takewhile(lambda each: each.several_axes, solvers))
    whole = _first(problem, several, traits, parameters)
    if whole is not None:
        return whole
    passes: list[Pass] = []
    rows_only = all(each.rows_only for each in solvers)  # they cannot read rows with gaps
    pitch = 0 if rows_only else _pitch(problem, traits, parameters)
    upwards = _is_upwards(problem, traits, parameters)
    for step in axis_steps(problem, pitch=pitch, upwards=upwards):
        passes += _solve(step, solvers, traits, parameters)
    return to_and_fro(passes)


def _trigonometric_passes(
    problem: Problem, solvers: tuple[Solver, ...], traits: Traits, parameters: Parameters
) -> tuple[Pass, ...]:
    """Return the passes of a cosine or sine transform, axis after axis.

    If no solver takes an axis, passes stand around a Fourier transform. If no solver takes the
    array as it lies, and its input or output is not contiguous or has another length, a copy stands
    before or after all passes.
    """
    if len(problem.axes) == 1:
        whole = _first(problem, solvers, traits, parameters)
        if whole is not None:
            return whole

    def fourier(inner: Problem) -> tuple[Pass, ...]:
        found = _fourier_passes(inner, solvers, traits, parameters)
        return found or (copy_pass(inner, traits, parameters),)

    passes: list[Pass] = []
    plain = plain_layout(problem.shape, real=True)
    if problem.source != plain:
        passes.append(_copy(problem, problem.source, plain, traits, parameters))
    inside = replace(problem, source=plain, target=plain, hooks=NO_HOOKS)
    for axis in problem.axes:
        scale = problem.scale if axis == problem.axes[-1] else 1.0
        step = replace(inside, axes=(axis,), scale=scale)
        whole = None
        if not problem.hooks:
            whole = _first(step, solvers, traits, parameters)
            whole = whole or within(step, fourier, traits, parameters)
        passes += whole or around(step, fourier, traits, parameters)
    if problem.target != plain:
        passes.append(_copy(problem, plain, problem.target, traits, parameters))
    return tuple(passes)


def require_precision(precision: str, traits: Traits) -> None:
    """Refuse double precision if the device lacks it.

    Raises
    ------
    PrecisionError
        The device lacks double precision. The error's text names the remedy.
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


def axis_steps(problem: Problem, *, pitch: int = 0, upwards: bool = False) -> Iterator[Problem]:
    """Yield problems of one axis each in the order in which they are to be solved: the steps.

    Between two steps the data is complex and in C order. If the input is cropped or padded along an
    axis, the step of this axis does that; the steps before it leave the rest of the axis alone. The
    last step carries the scale. Axes of length 1 have no step, because nothing happens along them.

    Parameters
    ----------
    problem : Problem
        A problem with any number of axes.
    pitch : int
        The rows of the workspace begin at multiples of so many bytes; with 0 they have no gaps.
    upwards : bool
        Whether the first axes are transformed before the last ones, as far as `_axes_in_order`
        allows.

    Yields
    ------
    Problem
    """
    middle = _spectra(problem, pitch)
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
            kept=KEPT[problem.kind] if axis != order[-1] else 0,
        )
        if is_real_axis and problem.kind == "r2c":
            extents[axis] = middle.shape[axis]


def aligned_spectra(problem: Problem) -> Layout:
    """Return the layout of a problem's spectra whose rows begin at lines of the cache."""
    return _spectra(problem, LINE_BYTES)


def _spectra(problem: Problem, pitch: int) -> Layout:
    """Return the layout of a problem's spectra whose rows begin at multiples of `pitch` bytes."""
    return padded_layout(problem.spectrum_shape, max(1, pitch // problem.complex_dtype.itemsize))


def _pitch(problem: Problem, traits: Traits, parameters: Parameters) -> int:
    """Return the number of bytes at whose multiples the rows of the workspace begin, or 0.

    If several axes are columns, rows without gaps are better than those of `best_pitch`, because
    all columns of the outer axes then lie side by side.
    """
    if problem.kind == "c2c":
        return 0
    if problem.kind == "r2c" and problem.target == aligned_spectra(problem):
        return LINE_BYTES
    if parameters["pitch_bytes"] >= 0:
        return int(parameters["pitch_bytes"])
    if traits.is_cpu:
        return LINE_BYTES if problem.kind == "c2r" else 0
    if problem.kind == "r2c" or sum(problem.shape[axis] > 1 for axis in problem.axes) > 2:
        return 0
    row = problem.spectrum_shape[-1] * problem.complex_dtype.itemsize
    return best_pitch(row)


def _is_upwards(problem: Problem, traits: Traits, parameters: Parameters) -> bool:
    """Return whether the first axes are transformed before the last ones.

    A CPU overwrites a large array faster row by row than column by column, and only the first step
    overwrites nothing. A GPU begins c2r with the columns that lie side by side without gaps: the
    first step cannot work in place, so the cache has no part of the sectors that it stores.
    """
    if parameters["upwards"] >= 0:
        return bool(parameters["upwards"])
    large = 0 < parameters["stream_bytes"] <= problem.nbytes
    return large or (problem.kind == "c2r" and not traits.is_cpu)


def _axes_in_order(problem: Problem, upwards: bool) -> list[int]:
    """Return the axes in the order in which they are to be transformed.

    If the input is not plain, the axis with its shortest stride comes first, because all later
    steps read contiguous data. The other axes follow from the last to the first, or with `upwards`
    from the first to the last. For r2c the axis of real numbers is the first, for c2r the last, so
    that all other steps have only half as much to do.
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
    """Return the passes of the first solver that takes the step.

    Raises
    ------
    PlanError
        No solver takes the step.
    """
    passes = _first(step, solvers, traits, parameters)
    if passes is not None:
        return passes
    n = step.shape[step.axes[0]]
    if len({each.name for each in solvers}) > 1:  # the caller has not chosen an algorithm
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
    """Return the passes of the first solver that takes the step, or None if no solver does."""
    for solver in solvers:
        if solver.rows_only:
            passes = _between_copies(step, solver, traits, parameters)
        else:
            passes = solver.plan(step, traits, parameters)
        if passes is not None:
            return passes
    return None


def _between_copies(
    step: Problem, solver: Solver, traits: Traits, parameters: Parameters
) -> tuple[Pass, ...] | None:
    """Return the passes of a solver that takes contiguous rows only, or None.

    If the step's input is anything else, a copy stands before these passes, and likewise a copy
    stands behind them for its output.
    """
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
    """Return the step as a c2c transform of whole contiguous rows, as rows-only solvers take it."""
    layout = plain_layout(step.shape).along(step.axes[0])
    return replace(step, kind="c2c", source=layout, target=layout, hooks=NO_HOOKS)


def _before(
    step: Problem, core: Problem, traits: Traits, parameters: Parameters
) -> tuple[Pass, ...]:
    """Return the pass that turns the step's input into contiguous rows, if one is needed.

    If there is a load hook, a copy is always needed, because it applies the hook.
    """
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
    """Return the pass that turns contiguous rows into the step's output, if one is needed.

    If there is a store hook, a copy is always needed, because it applies the hook.
    """
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
    """Return the pass that copies the input to the output, cropped or padded with zeros."""
    scaled = replace(problem, scale=1.0)
    return _copy(scaled, problem.source, problem.target, traits, parameters)


def settled_passes(
    problem: Problem,
    traits: Traits,
    algorithm: str | None = None,
    parameters: Parameters | None = None,
) -> tuple[Pass, ...]:
    """Plan a transform with a copy at the end.

    A call in place needs the copy if its only pass cannot work in place.
    """
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
    """Return the pass that copies an array, cropped or padded with zeros to the target's shape.

    Parameters
    ----------
    problem : Problem
        The problem that the copy is a part of.
    source, target : Layout
        How the array lies before and after the copy.
    traits, parameters
        The device's traits, and the parameters of its kernels.
    mirror : int, optional
        The axis along which the source holds only the first half of a spectrum. The copy fills the
        second half with the conjugates of the first.

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
    """Return the solvers to try, in order.

    If the caller names an algorithm, these are only the solvers of this name, or those whose passes
    the rewriter of this name joins. Otherwise they are all of `SOLVERS`, after the `preferred` one.
    """
    if algorithm is None:
        first = (BY_NAME[preferred],) if preferred in BY_NAME else ()
        return first + SOLVERS
    rewritten = {each.name: each.solvers for each in REWRITERS}
    names = rewritten.get(algorithm, (algorithm,))
    found = tuple(each for each in (*NAMED_ONLY, *SOLVERS) if each.name in names)
    if not found:
        known = ", ".join((*BY_NAME, *rewritten))
        raise PlanError(f"unknown algorithm {algorithm!r}: choose from {known}")
    return found
