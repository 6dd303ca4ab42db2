"""Convolution by transforms, planned: two spectra, and the transform back of their product.

The product has no pass of its own: the transform back loads the products of two bins. Nor has the
choice of the part that is wanted: its last store leaves out everything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from ..planning.arguments import Buffer, Scalar
from ..planning.hooks import Hooks, Parameter, Snippet
from ..planning.parameters import Given, Parameters
from ..planning.passes import Schedule, assign_buffers
from ..planning.planner import plan_passes
from ..planning.precision import COMPLEX_DTYPE, REAL_DTYPE
from ..planning.problem import (
    Layout,
    Problem,
    contiguous_strides,
    half_shape,
    make_problem,
)
from ..planning.schedule import schedule_into
from ..planning.traits import Traits
from ..runtime.shift import NUMBERS
from .blocks import Blocks
from .shapes import Dimensions, Places

PLACES = Buffer("places")  # what a hook knows of the arrays: the tables of blocks.cl
LINE = 64  # bytes: the second spectrum begins at a multiple of it


@dataclass(frozen=True)
class SpectralJob:
    """A convolution by transforms.

    Attributes
    ----------
    dimensions : tuple of Dimension
        The dimensions of the inputs and of the result.
    blocks : tuple of Blocks
        How each convolved axis is transformed.
    places : Places
        Where the inputs and the result lie in memory.
    precision : {"single", "double"}
        The precision of the arithmetic.
    result : dtype
        The dtype of the result. Results of an integer dtype are rounded.
    correlates : bool
        Whether the result is the correlation: the second input is reversed and conjugated.
    is_turned : bool
        Whether the convolution stands for a correlation: its first input is the correlation's
        second one, which the layout reverses, and which is conjugated as it is read. Its axes are
        cut.
    values : tuple of (str, object)
        Parameters of the kernels that count more than any that were measured.
    """

    dimensions: Dimensions
    blocks: tuple[Blocks, ...]
    places: Places
    precision: str
    result: np.dtype
    correlates: bool = False
    is_turned: bool = False
    values: Given = ()

    @property
    def real(self) -> bool:
        """Whether both inputs are real."""
        return self.places.first.real and self.places.second.real

    @property
    def batch(self) -> list[int]:
        """The dimensions along which nothing is convolved."""
        return [d for d, each in enumerate(self.dimensions) if not each.convolved]

    @property
    def axes(self) -> list[int]:
        """The dimensions along which the inputs are convolved."""
        return [d for d, each in enumerate(self.dimensions) if each.convolved]

    @property
    def lengths(self) -> tuple[int, ...]:
        """The lengths of the transforms."""
        return tuple(each.length for each in self.blocks)

    @property
    def half(self) -> tuple[int, ...]:
        """The extents of the spectrum of one block."""
        return half_shape(self.lengths, len(self.lengths) - 1) if self.real else self.lengths

    @property
    def room(self) -> tuple[int, ...]:
        """The extents of the room for a block's spectrum, whose rows begin at cache lines."""
        line = LINE // COMPLEX_DTYPE[self.precision].itemsize
        *outer, row = self.half
        return (*outer, -(-row // line) * line if outer else row)

    @property
    def bins(self) -> int:
        """The number of elements of the room for the spectrum of one block."""
        return prod(self.room)

    @property
    def is_cut(self) -> bool:
        """Whether there are several blocks along an axis."""
        return any(each.count > 1 for each in self.blocks)

    @property
    def first_grid(self) -> tuple[int, ...]:
        """The extents of the first input's batch, then the counts of its blocks along each axis."""
        extents = (self.dimensions[d].first for d in self.batch)
        return (*extents, *(each.count for each in self.blocks))

    @property
    def second_grid(self) -> tuple[int, ...]:
        """The extents of the second input's batch, then 1 for each axis."""
        extents = (self.dimensions[d].second for d in self.batch)
        return (*extents, *(1 for _ in self.blocks))

    @property
    def grid(self) -> tuple[int, ...]:
        """The extents of the batch of the result, then the counts of blocks along each axis."""
        pairs = zip(self.first_grid, self.second_grid, strict=True)
        return tuple(max(pair) for pair in pairs)

    @property
    def second_begin(self) -> int:
        """Where the second input's spectra begin, behind those of the first, in elements."""
        line = LINE // COMPLEX_DTYPE[self.precision].itemsize
        return -(-prod(self.first_grid) * self.bins // line) * line

    @property
    def spectra_bytes(self) -> int:
        """The bytes of all spectra."""
        count = self.second_begin + prod(self.second_grid) * self.bins
        return count * COMPLEX_DTYPE[self.precision].itemsize

    @property
    def array_bytes(self) -> dict[str, int]:
        """The bytes of the inputs and of the result, by their names."""
        inputs = (_dtype(each, self.precision) for each in (self.places.first, self.places.second))
        return self.places.bytes_of(*inputs, self.result)


# --- the three transforms -------------------------------------------------------------------------


def first_problem(job: SpectralJob) -> Problem:
    """Return the transform of the first input, or of its blocks."""
    if not job.is_cut:
        return _there(
            job, job.places.first, [each.first for each in job.dimensions], job.first_grid, 0
        )
    dtype = _dtype(job.places.first, job.precision)
    problem = make_problem((*job.first_grid, *job.lengths), dtype, _last(job), _kind(job, "r2c"))
    target = _spectra(job, job.first_grid)
    return replace(problem, target=target, hooks=Hooks(load=block_hook(job)))


def second_problem(job: SpectralJob) -> Problem:
    """Return the transform of the second input."""
    extents = [each.second for each in job.dimensions]
    return _there(job, job.places.second, extents, job.second_grid, job.second_begin)


def back_problem(job: SpectralJob) -> Problem:
    """Return the transform back, from two spectra to the result."""
    problem = make_problem(
        (*job.grid, *job.lengths), COMPLEX_DTYPE[job.precision], _last(job), _kind(job, "c2r"),
        "inverse",
    )  # fmt: skip
    hooks = Hooks(product_hook(job), result_hook(job))
    return replace(problem, source=_spectra(job, job.grid), hooks=hooks)


def forward_schedule(problem: Problem, traits: Traits, parameters: Parameters) -> Schedule:
    """Plan a transform to spectra."""
    return schedule_into(problem, traits, None, parameters, in_place=False)


def back_schedule(job: SpectralJob, traits: Traits, parameters: Parameters) -> Schedule:
    """Plan the transform back.

    The last pass must not run in place: it would do so in the memory of the result, which is
    smaller than all blocks.
    """
    *passes, last = plan_passes(back_problem(job), traits, None, parameters)
    return assign_buffers((*passes, replace(last, aliases=False)), 0)


def _there(
    job: SpectralJob, layout: Layout, extents: Sequence[int], grid: Sequence[int], begin: int
) -> Problem:
    """Return the transform of an input that is not cut; its spectra begin at element `begin`."""
    order = [*job.batch, *job.axes]
    counts = [1] * len(job.axes)
    outer = [extents[d] for d in job.batch]
    problem = make_problem(
        (*outer, *counts, *(extents[d] for d in job.axes)),
        _dtype(layout, job.precision), _last(job), _kind(job, "r2c"), s=job.lengths,
    )  # fmt: skip
    strides = [layout.strides[d] for d in order]
    strides[len(outer) : len(outer)] = [prod(layout.shape)] * len(counts)
    return replace(
        problem,
        source=Layout(problem.source.shape, tuple(strides), layout.offset, layout.real),
        target=replace(_spectra(job, grid), offset=begin),
    )


def _spectra(job: SpectralJob, grid: Sequence[int]) -> Layout:
    """Return how the spectra of all blocks lie in memory."""
    return Layout((*grid, *job.half), contiguous_strides((*grid, *job.room)))


def _last(job: SpectralJob) -> tuple[int, ...]:
    """Return the numbers of the axes in the array of all blocks: they are its last ones."""
    dimensions = len(job.grid) + len(job.lengths)
    return tuple(range(dimensions - len(job.lengths), dimensions))


def _kind(job: SpectralJob, real: str) -> str:
    return real if job.real else "c2c"


def _dtype(layout: Layout, precision: str) -> np.dtype:
    return (REAL_DTYPE if layout.real else COMPLEX_DTYPE)[precision]


# --- hooks ----------------------------------------------------------------------------------------


def block_hook(job: SpectralJob) -> Snippet:
    """Return the hook that takes the place of the first load, and reads the points of blocks."""
    code = "block_point{}(src, (PLACE_TYPE)index{}, places)"
    return Snippet(
        code=f"value = {code.format('', '')};",
        vector=f"value = {code.format('s', ' + offset')};",
        preamble=_preamble(
            job,
            BATCH=len(_repeated(job)),
            INPUT_TYPE=_name(job.places.first.real),
            INPUT_CONJUGATED=int(job.is_turned and not job.places.first.real),
        ),
        parameters=(Parameter("places", "global const long *", PLACES),),
        replaces=True,
    )


def product_hook(job: SpectralJob) -> Snippet:
    """Return the hook that takes the place of the load on the way back, and multiplies spectra."""
    code = "(src, (PLACE_TYPE)index{}, second_begin, places)"
    return Snippet(
        code=f"value = product{code.format('')};",
        vector=f"value = products_of{code.format(' + offset')};",
        preamble=_back_preamble(job),
        parameters=(
            Parameter("second_begin", "ulong", Scalar("uint64", job.second_begin)),
            Parameter("places", "global const long *", PLACES),
        ),
        replaces=True,
    )


def result_hook(job: SpectralJob) -> Snippet:
    """Return the hook that takes the place of the last store, and stores what is wanted."""
    code = "((global RESULT_TYPE *)dst, (PLACE_TYPE)index, value, places + KEPT_FROM);"
    return Snippet(
        code=f"store_block{code}",
        vector=f"store_blocks{code}",
        preamble=_back_preamble(job),
        parameters=(Parameter("places", "global const long *", PLACES),),
        replaces=True,
    )


def _name(real: bool) -> str:
    return "real" if real else "cplx"


def _preamble(job: SpectralJob, **macros: int | str) -> str:
    points = prod(job.grid) * prod(job.lengths)
    common = {
        "AXES": len(job.lengths),
        "LENGTHS": ", ".join(map(str, job.lengths)),
        "BINS": job.bins,
        "PLACE_TYPE": "uint" if points < 2**32 else "ulong",
    }
    lines = (f"#define {name} {value}" for name, value in {**common, **macros}.items())
    return "\n".join([*lines, '#include "convolution/blocks.cl"'])


def _back_preamble(job: SpectralJob) -> str:
    value = (REAL_DTYPE if job.real else COMPLEX_DTYPE)[job.precision]
    result = NUMBERS[job.result]
    kinds = {"i": "TO_INTEGER", "u": "TO_INTEGER", "b": "TO_TRUTH"}
    conversion = "TO_HALF" if result == "half" else kinds.get(job.result.kind, "AS_IT_IS")
    pairings = _pairings(job)
    return _preamble(
        job,
        BATCH=len(_kept_of_batch(job)),
        GRID=len(pairings),
        KEPT_FROM=3 * len(pairings),
        VALUE_TYPE=_name(job.real),
        RESULT_TYPE=result,
        CONVERSION=conversion,
        SAME_TYPE=int(job.result == value),
        CONVERT=f"convert_{result}",
        CONJUGATED=int(job.correlates),
    )


# --- tables of the hooks --------------------------------------------------------------------------


def block_places(job: SpectralJob) -> np.ndarray:
    """Return the table of `block_hook`: where the points of blocks lie in the first input."""
    source = job.places.first
    numbers = [source.offset]
    for d, blocks in zip(job.axes, job.blocks, strict=True):
        extent = job.dimensions[d].first
        numbers += [blocks.count, blocks.hop, blocks.skip, extent, source.strides[d]]
    return _table([numbers, *_repeated(job)])


def _repeated(job: SpectralJob) -> list[tuple[int, int]]:
    return [
        (job.dimensions[d].first, job.places.first.strides[d])
        for d in job.batch
        if job.dimensions[d].first > 1
    ]


def back_places(job: SpectralJob) -> np.ndarray:
    """Return the table of `product_hook`, and that of `result_hook` behind it."""
    numbers = [job.places.target.offset]
    for d, blocks in zip(job.axes, job.blocks, strict=True):
        each = job.dimensions[d]
        turn = (each.second - 1) % blocks.length if job.correlates else 0
        numbers += [
            blocks.count, blocks.hop, blocks.skip, turn, each.start, each.result,
            job.places.target.strides[d],
        ]  # fmt: skip
    return _table([*_pairings(job), numbers, *_kept_of_batch(job)])


def _kept_of_batch(job: SpectralJob) -> list[tuple[int, int, int, int]]:
    pairs = ((job.dimensions[d], job.places.target.strides[d]) for d in job.batch)
    return [(each.full, each.start, each.result, stride) for each, stride in pairs if each.full > 1]


def _pairings(job: SpectralJob) -> list[tuple[int, int, int]]:
    """Return the dimensions of the grid, and how far neighbours are apart in both spectra.

    The list is empty if both spectra have the same shape, so that equal indices belong together.
    """
    if job.first_grid == job.second_grid:
        return []
    first, second = (_steps(grid, job.bins) for grid in (job.first_grid, job.second_grid))
    return [
        (count, one, other)
        for count, one, other in zip(job.grid, first, second, strict=True)
        if count > 1
    ]


def _steps(grid: Sequence[int], bins: int) -> list[int]:
    """Return how far neighbours are apart along each dimension: 0 where one spectrum serves all."""
    return [0 if count == 1 else bins * prod(grid[d + 1 :]) for d, count in enumerate(grid)]


def _table(rows: Iterable[Iterable[int]]) -> np.ndarray:
    return np.array([number for row in rows for number in row], np.int64)
