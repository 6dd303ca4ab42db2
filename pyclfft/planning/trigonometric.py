"""Cosine and sine transforms: one axis as what stands around a Fourier transform of it.

A kernel before puts the numbers in another order, one behind makes the results out of the spectrum
(dct.cl). Between them is a transform of real numbers of the same length; to real numbers for type
3; of complex numbers and half as long for type 4 of an even length; twice as long for type 1.

References
----------
J. Makhoul, "A fast cosine transform in one and two dimensions", IEEE Trans. ASSP 28 (1980).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from .parameters import Parameters
from .passes import Argument, Pass, Role, RootSeries
from .problem import Problem, half_shape, plain_layout
from .solvers import cosine_row
from .solvers.rows import defines, device_size, exact, uint
from .traits import Traits


@dataclass(frozen=True)
class Axis:
    """One axis of a cosine or sine transform.

    Attributes
    ----------
    type : int
        1 to 4.
    sine : bool
        Whether it is a sine transform.
    n : int
        Numbers along the axis.
    """

    type: int
    sine: bool
    n: int

    @classmethod
    def of(cls, problem: Problem) -> Axis:
        """Return the one axis of a problem."""
        return cls(int(problem.kind[-1]), problem.kind[:3] == "dst", problem.shape[problem.axes[0]])

    @property
    def odd(self) -> bool:
        """Whether type 4 is a transform of real numbers rather than of half as many pairs."""
        return self.type == 4 and self.n % 2 == 1

    @property
    def kind(self) -> str:
        """Kind of the Fourier transform."""
        if self.type == 3:
            return "c2r"
        return "c2c" if self.type == 4 and not self.odd else "r2c"

    @property
    def points(self) -> int:
        """Its length."""
        if self.type == 1:
            return 2 * (self.n + 1 if self.sine else self.n - 1)
        return self.n // 2 if self.kind == "c2c" else self.n

    @property
    def roots(self) -> tuple[int, int, int, int]:
        """Order of the roots of unity before it or behind it, their first power, step and count."""
        if self.type == 4:
            return (8 * self.n, 1, 2, self.n) if self.odd else (16 * self.n, 1, 8, self.points)
        return 4 * self.n, 0, 1, self.n // 2 + 1


def fourier_problem(problem: Problem) -> Problem:
    """Return the Fourier transform within a problem of one axis, contiguous on both sides."""
    axis = Axis.of(problem)
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


def in_rows(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...] | None:
    """Return the passes of one axis where one launch does all of it, else None."""
    if not cosine_row.applies(problem, traits, parameters):
        return None
    roots = RootSeries(*Axis.of(problem).roots, problem.precision)
    return cosine_row.passes(problem, roots, traits, parameters)


def before(problem: Problem, traits: Traits, parameters: Parameters) -> Pass:
    """Return the launch that makes a contiguous array what the Fourier transform takes."""
    axis, inner = Axis.of(problem), fourier_problem(problem)
    points = inner.source.shape[problem.axes[0]]
    turned = axis.type == 3 or axis.kind == "c2c"
    return _pass("dctBefore", problem, inner, points, points, turned, traits, parameters)


def after(problem: Problem, traits: Traits, parameters: Parameters) -> Pass:
    """Return the launch that makes a contiguous array of what the Fourier transform leaves."""
    axis, inner = Axis.of(problem), fourier_problem(problem)
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
    axis = Axis.of(problem)
    (number,) = problem.axes
    rows, columns = prod(problem.shape[:number]), prod(problem.shape[number + 1 :])
    extents = (columns, items, rows) if columns > 1 else (items, rows)
    sizes, local = device_size(extents, parameters["group"], traits)
    tables: tuple[Argument, ...] = ()
    if turned:
        tables = (RootSeries(*axis.roots, problem.precision),)
    layout = inner.source if kernel == "dctBefore" else inner.target
    moved = prod(layout.shape) * inner.complex_dtype.itemsize // (2 if layout.real else 1)
    own = prod(problem.shape) * problem.dtype.itemsize
    reads, writes = (own, moved) if kernel == "dctBefore" else (moved, own)
    name = f"{'sine' if axis.sine else 'cosine'} {axis.type}"
    scale = (exact(problem.scale, problem.precision),) if kernel == "dctAfter" else ()
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
        arguments=(
            Role.SOURCE,
            Role.TARGET,
            *tables,
            uint(axis.n),
            uint(points),
            uint(columns),
            uint(rows),
            *scale,
        ),
        reads=reads,
        writes=writes,
        step=f"{name}, {rows * columns} x {axis.n}",
    )


def _with_length(problem: Problem, length: int) -> tuple[int, ...]:
    (axis,) = problem.axes
    return (*problem.shape[:axis], length, *problem.shape[axis + 1 :])
