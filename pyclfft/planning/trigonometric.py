"""Cosine and sine transforms along one axis: a Fourier transform with a launch on either side.

The launch before it rearranges the numbers, and the launch after it makes the results out of the
spectrum (dct.cl). For types 2 and 3 the Fourier transform has the axis's length, from real numbers
for type 2, to real numbers for type 3. For type 4 it is complex and half as long if the length is
even, and real and as long if it is odd. For type 1 it is real and about twice as long.

References
----------
J. Makhoul, "A fast cosine transform in one and two dimensions", IEEE Trans. ASSP 28 (1980).
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from .arguments import Role
from .cosine_axis import CosineAxis
from .parameters import Parameters
from .pass_parts import defines, device_size, exact, uint
from .passes import Pass
from .problem import Problem, half_shape, plain_layout
from .tables import RootSeries
from .traits import Traits


def fourier_problem(problem: Problem) -> Problem:
    """Return the Fourier transform within a problem of one axis, from and to plain arrays."""
    axis = CosineAxis.of(problem)
    shape = _with_length(problem, axis.points)
    half = half_shape(shape, problem.axes[0])
    return replace(
        problem,
        kind=axis.kind,
        shape=shape,
        scale=1.0,
        direction="inverse" if axis.kind == "c2r" else "forward",
        source=plain_layout(half if axis.kind == "c2r" else shape, axis.kind == "r2c"),
        target=plain_layout(half if axis.kind == "r2c" else shape, axis.kind == "c2r"),
    )


def before(problem: Problem, traits: Traits, parameters: Parameters) -> Pass:
    """Return the launch that turns the input into what the Fourier transform takes."""
    axis, inner = CosineAxis.of(problem), fourier_problem(problem)
    points = inner.source.shape[problem.axes[0]]
    turned = axis.type == 3 or axis.kind == "c2c"
    return _pass("dctBefore", problem, inner, points, points, turned, traits, parameters)


def after(problem: Problem, traits: Traits, parameters: Parameters) -> Pass:
    """Return the launch that turns what the Fourier transform leaves into the results."""
    axis, inner = CosineAxis.of(problem), fourier_problem(problem)
    points = inner.target.shape[problem.axes[0]]
    alone = axis.type in (1, 3) or axis.odd
    turned = axis.type in (2, 4)
    items = axis.n if alone else points
    return _pass("dctAfter", problem, inner, points, items, turned, traits, parameters)


def _pass(
    kernel: str,
    problem: Problem,
    inner: Problem,
    points: int,
    items: int,
    turned: bool,
    traits: Traits,
    parameters: Parameters,
) -> Pass:
    axis = CosineAxis.of(problem)
    (number,) = problem.axes
    rows, columns = prod(problem.shape[:number]), prod(problem.shape[number + 1 :])
    extents = (columns, items, rows) if columns > 1 else (items, rows)
    sizes, local = device_size(extents, parameters["group"], traits)
    tables = {"roots": RootSeries(*axis.roots, problem.precision)} if turned else {}
    layout = inner.source if kernel == "dctBefore" else inner.target
    moved = prod(layout.shape) * inner.complex_dtype.itemsize // (2 if layout.real else 1)
    own = prod(problem.shape) * problem.dtype.itemsize
    reads, writes = (own, moved) if kernel == "dctBefore" else (moved, own)
    name = f"{'sine' if axis.sine else 'cosine'} {axis.type}"
    scale = {"scale": exact(problem.scale, problem.precision)} if kernel == "dctAfter" else {}
    return Pass(
        kernel=kernel,
        source="dct.cl",
        defines=defines(
            problem.precision,
            TYPE=axis.type,
            SINE=int(axis.sine),
            ODD=int(axis.odd),
            ORTHO=int(problem.orthogonal and not (axis.sine and axis.type == 1) and axis.type < 4),
            SIDE_BY_SIDE=int(columns > 1),
        ),
        global_size=sizes,
        local_size=local,
        arguments={
            "src": Role.SOURCE,
            "dst": Role.TARGET,
            **tables,
            "n": uint(axis.n),
            "m": uint(points),
            "inner": uint(columns),
            "rows": uint(rows),
            **scale,
        },
        reads=reads,
        writes=writes,
        step=f"{name}, {rows * columns} x {axis.n}",
    )


def _with_length(problem: Problem, length: int) -> tuple[int, ...]:
    (axis,) = problem.axes
    return (*problem.shape[:axis], length, *problem.shape[axis + 1 :])
