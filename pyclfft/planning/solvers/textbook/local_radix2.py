"""Radix-2 transforms in local memory, a work-group for each transform: a spectrogram's kernel.

A report on digital music analysis describes the kernel. A frame lies in local memory, its points
are loaded in bit-reversed order, one launch does all stages of some frames, and the device computes
the twiddles beforehand.

References
----------
J. W. Cooley, J. W. Tukey, "An algorithm for the machine calculation of complex Fourier series",
Math. Comp. 19 (1965).
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ...arguments import FirstGroup, Role, Vector
from ...batch import Batch
from ...parameters import Parameters
from ...pass_parts import defines, exact, sign_flag, uint
from ...passes import Pass
from ...problem import Problem
from ...tables import SpinFactors
from ...traits import Traits
from ..solver import Solver
from ..steps import axis_batch, axis_length, single_axis

NAME = "local-radix2"
MAXIMUM_BYTES = 8  # the local memory that holds the greatest magnitude
WALKED = 2  # the most dimensions of a batch that the kernel can walk


class Walk(NamedTuple):
    """A batch as the kernel's arguments describe it.

    `extent` is the number of transforms along the first dimension. `sources` and `targets` are the
    distances between transforms along the first and the second dimension.
    """

    extent: int
    sources: tuple[int, int]
    targets: tuple[int, int]


def _takes(problem: Problem, traits: Traits) -> bool:
    """Whether the solver takes a problem.

    It takes one axis whose length is a power of two that fits local memory, if the source holds the
    whole axis and the result is complex.
    """
    if not single_axis(problem) or problem.kind == "c2r" or problem.target.real:
        return False
    n = axis_length(problem)
    return (
        n > 1
        and n & (n - 1) == 0
        and n * problem.complex_dtype.itemsize + MAXIMUM_BYTES <= traits.local_mem_bytes
        and problem.source.shape[problem.axes[0]] >= n
        and len(axis_batch(problem, n).dimensions) <= WALKED
    )


def plan(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...] | None:
    """Return one pass, which `local_frames` may split into several launches, or None."""
    if not _takes(problem, traits):
        return None
    n = axis_length(problem)
    batch = axis_batch(problem, n)
    walk = _walk(batch)
    limits = (parameters["local_items"], traits.max_work_group_size, traits.max_work_item_sizes[0])
    items = min(n // 2, *limits)
    outputs = n // 2 + 1 if problem.kind == "r2c" else n
    real = problem.source.real
    itemsize = problem.complex_dtype.itemsize
    return (
        Pass(
            kernel="localRadix2",
            source="textbook/localRadix2.cl",
            defines=defines(
                problem.precision,
                N=n,
                ITEMS=items,
                SOURCE="REAL" if real else "COMPLEX",
                OUTPUTS=outputs,
            ),
            global_size=(batch.count * items,),
            local_size=(items,),
            arguments={
                "src": Role.SOURCE,
                "dst": Role.TARGET,
                "w": SpinFactors(n, problem.precision),
                "first_group": FirstGroup(),
                "extent": uint(walk.extent),
                "src_distances": Vector("int64", walk.sources),
                "dst_distances": Vector("int64", walk.targets),
                "src_line": Vector("int64", (batch.source.first, batch.source.unit)),
                "dst_line": Vector("int64", (batch.target.first, batch.target.unit)),
                "scale": exact(problem.scale, problem.precision),
                "sign_flag": sign_flag(problem),
            },
            reads=batch.count * n * itemsize // (2 if real else 1),
            writes=batch.count * outputs * itemsize,
            leaves=problem.nbytes,
            step=f"{batch.count} x {n}",
            groups_a_launch=parameters["local_frames"],
            local_bytes=n * problem.complex_dtype.itemsize + MAXIMUM_BYTES,
        ),
    )


def _walk(batch: Batch) -> Walk:
    first, *second = batch.dimensions
    far = second[0] if second else replace(first, extent=1, source=0, target=0)
    return Walk(first.extent, (first.source, far.source), (first.target, far.target))


SOLVER = Solver(
    NAME,
    "a length that is a power of two and fits local memory",
    plan,
    powers_of_two=True,
)
