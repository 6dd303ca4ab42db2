"""Stockham's autosort transform: any smooth length that fits one work-group, in one launch.

References
----------
N. K. Govindaraju, B. Lloyd, Y. Dotsenko, B. Smith, J. Manferdelli, "High performance discrete
Fourier transforms on graphics processors", SC 2008.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import prod

from ...tuning.lookup import Parameters
from ..factor import Stages, best_stages, is_smooth
from ..passes import Argument, Pass, Role, Roots, Scalar, StageTwiddles
from ..problem import COMPLEX_DTYPE, REAL_DTYPE, Problem
from ..traits import Traits
from .rows import defines, real, single_axis, uint
from .solver import Solver

MAX_LENGTH = 2**20  # far beyond any work-group, so that the search for stages ends early
MIN_ITEMS = 4  # work-items for a row, so that their loads are neighbours

LOCAL_BANK_BYTES = 128  # of local memory that are served at once

# What to try, best first: (transforms in a group, or 0 for what fills it; whether it exchanges real
# and imaginary parts one after the other). The more neighbouring columns, the longer the runs in
# memory; below four most of each is wasted.
ROWS = ((0, False), (0, True), (1, False), (1, True))
COLUMNS = ((16, False), (8, False), (8, True), (4, False), (4, True))


@dataclass(frozen=True)
class Layout:
    """Where a batch of transforms lies: distances in elements, as stockham.cl has them.

    Attributes
    ----------
    outer, column, stride : int
        From one set of columns to the next, from column to column, and from point to point.
    """

    outer: int
    column: int
    stride: int

    @property
    def by_columns(self) -> bool:
        """Whether neighbouring transforms are neighbours in memory."""
        return self.column < self.stride


@dataclass(frozen=True)
class Batch:
    """Transforms of one length: `outer` sets of `inner` columns, from one layout to another."""

    n: int
    outer: int
    inner: int
    source: Layout
    target: Layout


@dataclass(frozen=True)
class Group:
    """The shape of a work-group.

    Attributes
    ----------
    stages : Stages
        Of each transform.
    transforms : int
        Side by side.
    split : bool
        Real and imaginary parts are exchanged one after the other, in half the local memory.
    """

    stages: Stages
    transforms: int
    split: bool

    def itemsize(self, precision: str) -> int:
        """Return the bytes of an element in local memory."""
        return (REAL_DTYPE if self.split else COMPLEX_DTYPE)[precision].itemsize

    def room(self, precision: str) -> int:
        """Return the elements of local memory that a transform needs."""
        return self.stages.room(LOCAL_BANK_BYTES // self.itemsize(precision))


def batch_of(problem: Problem) -> Batch:
    """Return the batch that a problem along one axis is."""
    (axis,) = problem.axes
    n = problem.shape[axis]
    outer, inner = prod(problem.shape[:axis]), prod(problem.shape[axis + 1 :])
    if inner == 1:
        rows = Layout(0, n, 1)
        return Batch(n, 1, outer, rows, rows)
    columns, rows = Layout(n * inner, 1, inner), Layout(n * inner, n, 1)
    return Batch(
        n,
        outer,
        inner,
        source=rows if problem.transposed == "in" else columns,
        target=rows if problem.transposed == "out" else columns,
    )


def group_for(batch: Batch, precision: str, traits: Traits, parameters: Parameters) -> Group | None:
    """Return the shape of a work-group within a device's limits, or None where there is none."""
    if not 2 <= batch.n <= MAX_LENGTH or not is_smooth(batch.n):
        return None
    limit = min(
        parameters["stockham_items"], traits.max_work_group_size, traits.max_work_item_sizes[0]
    )
    by_columns = batch.source.by_columns or batch.target.by_columns
    for transforms, split in COLUMNS if by_columns else ROWS:
        fewest = 1 if by_columns else MIN_ITEMS
        stages = best_stages(batch.n, fewest, limit // (transforms or 1), split)
        if stages is None:
            continue
        count = transforms or max(1, min(parameters["stockham_group"], limit) // stages.items)
        group = Group(stages, count, split)
        if count * group.room(precision) * group.itemsize(precision) <= traits.local_mem_bytes:
            return group
    return None


def applies(problem: Problem, traits: Traits, parameters: Parameters) -> bool:
    """Whether the one axis is smooth and short enough for a work-group."""
    return (
        single_axis(problem)
        and group_for(batch_of(problem), problem.precision, traits, parameters) is not None
    )


def passes(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...]:
    """Return one pass."""
    batch = batch_of(problem)
    group = group_for(batch, problem.precision, traits, parameters)
    assert group is not None
    return (stockham_pass(problem, batch, group, problem.scale),)


def stockham_pass(
    problem: Problem, batch: Batch, group: Group, scale: float, twist: int = 0
) -> Pass:
    """Transform a batch in one launch.

    Parameters
    ----------
    problem : Problem
        Of which the batch is a part.
    batch : Batch
        What to transform.
    group : Group
        By which work-groups.
    scale : float
        Factor of the result.
    twist : int
        With n > 0, results are multiplied by powers of the n-th root of unity (the four-step
        algorithm).

    Returns
    -------
    Pass
    """
    stages, count = group.stages, batch.outer * batch.inner
    size = stages.items * group.transforms
    bits = (twist - 1).bit_length() // 2 + 1 if twist else 0
    tables: tuple[Argument, ...] = (StageTwiddles(stages.radices, problem.precision),)
    if twist:
        fine = Roots(twist, problem.precision, 1, 1 << bits)
        tables += (fine, Roots(twist, problem.precision, 1 << bits, -(-twist // (1 << bits))))
    distances = [
        Scalar("uint64", value)
        for layout in (batch.source, batch.target)
        for value in (layout.outer, layout.column, layout.stride)
    ]
    loads_columns, stores_columns = _columns(batch, stages)
    return Pass(
        kernel="stockham",
        source="stockham.cl",
        defines=defines(
            problem,
            N=batch.n,
            ITEMS=stages.items,
            TRANSFORMS=group.transforms,
            ELEMENTS=stages.elements,
            ROOM=max(1, group.room(problem.precision)),
            STAGES=f'"{stage_macros(stages.radices)}"',
            SPLIT=int(group.split),
            LOAD_COLUMNS=int(loads_columns),
            STORE_COLUMNS=int(stores_columns),
            TWIST=bits,
        ),
        global_size=(-(-count // group.transforms) * size,),
        local_size=(size,),
        arguments=(
            Role.SOURCE,
            Role.TARGET,
            *tables,
            uint(count),
            uint(batch.inner),
            *distances,
            real(problem, scale),
            uint(int(problem.direction == "inverse")),
        ),
        reads=problem.nbytes,
        writes=problem.nbytes,
        step=f"{count} x {batch.n} = {'x'.join(map(str, stages.radices))}",
        aliases=batch.source == batch.target,
    )


def _columns(batch: Batch, stages: Stages) -> tuple[bool, bool]:
    """Whether work-items load and store as columns: only in an exchange can they change places."""
    loads, stores = batch.source.by_columns, batch.target.by_columns
    if len(stages.radices) == 1:
        loads = stores = loads or stores
    return loads, stores


def stage_macros(radices: tuple[int, ...]) -> str:
    """Return the stages as stockham.cl takes them: ``FIRST(16) STAGE(16,16,16) LAST(16,4,256)``."""
    if len(radices) == 1:
        return f"ONLY({radices[0]})"
    words, span = [f"FIRST({radices[0]})"], radices[0]
    for before, radix in pairwise(radices):
        words.append(f"STAGE({before},{radix},{span})")
        span *= radix
    words[-1] = words[-1].replace("STAGE", "LAST")
    return " ".join(words)


SOLVER = Solver("stockham", "a smooth length that fits a work-group", applies, passes)
