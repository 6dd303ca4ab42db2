"""Convolution of real or complex floats along one axis, planned for registers.cl.

`LineJob` says what is convolved, in numbers alone. `lines.LineConvolver` makes it ready for a
context and runs it any number of times::

    job = block_job(frames=256, taps=48000, ring=49152, outputs=2, inputs=2)
    convolver = LineConvolver(job, context)
    launch = convolver.bind(ring, ir, wet)  # has memory and kernel objects of its own
    done = launch.enqueue(queue, begin=512, wait_for=[uploaded])  # once for each block

With a job of `block_job`, ``launch.enqueue`` computes ``wet[o, n] = sum over taps k of
ir[o, k] dry[o, n - k]``, or of a matrix of impulse responses the sum of this over all inputs. All
arrays are real, contiguous, and of the job's precision:

- ``ring`` is the circular buffer, of the shape (inputs, ring). The block's frame 0 lies at
  ``begin``, its frame -1 just before, and the place before the first one is the last one. It must
  hold at least frames + taps - 1 frames, and zeros where nothing has been written.
- ``ir`` is of the shape (outputs, taps), or of (outputs, inputs, taps) if the job has
  ``matrix=True``.
- ``wet`` is of the shape (outputs, frames). The job's ``adds=True`` adds to what it holds.

Results do not depend on how a signal is cut into blocks: they are, bit for bit, those of
`pyclfft.convolve` with the method "direct".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

import numpy as np

from ..planning.parameters import Parameters, parameters_for
from ..planning.precision import READABLE, REAL_DTYPE
from ..planning.traits import Traits
from .direct_plans import DirectJob

SOURCE, KERNEL = "convolution/registers.cl", "convolve"
TILE_KERNEL, ADDING_KERNEL = "convolve_tile", "add_tiles"
MIN_TAPS = 16  # shorter convolutions do not repay the copies to local memory
NO_RING = 2**60  # the length of a ring that no signal fills
CPU_BITS = 32  # of a number in one lane of a CPU's float vectors
FEW_RESULTS = 2048  # of a row, for which GPUs have groups of 32 work-items
MAX_SUMS = 64 * 2**20  # bytes of the sums of tiles


@dataclass(frozen=True)
class Blocking:
    """How registers.cl divides the work: its macros, each explained there."""

    group: int
    width: int
    outputs: int
    taps: int
    tile: int = 512
    vector_bits: int = 0

    @property
    def results(self) -> int:
        """The results of a work-group."""
        return self.group * self.width * self.outputs

    @property
    def local_numbers(self) -> int:
        """The numbers in local memory: a tile, and what meets it, with gaps."""
        window = self.tile + self.results
        return self.tile + window + window // self.outputs + 1


def blocking_of(
    traits: Traits, precision: str, results: int, parameters: Parameters | None = None
) -> Blocking:
    """Return how the work on rows of so many results is best divided on a device.

    On CPUs, 12 vectors of results, 2 of taps and one of the signal fill the 16 registers of AVX.
    On GPUs, work-items with more results read local memory less often. But rows of few results
    would leave most of them idle, and in double precision local memory would have to be twice as
    large. All blockings of a device and a precision add products in one order, which depends on
    `taps`, `width` and `tile`: results do not depend on their number.
    """
    if not traits.is_cpu:
        known = parameters or parameters_for(traits)
        group, outputs = known["taps_group"], known["taps_outputs"]
        if group < 0:
            group = 32 if results <= FEW_RESULTS else 128
        if outputs < 0:
            outputs = 8 if results <= FEW_RESULTS or precision == "double" else 16
        group = min(group, traits.max_work_group_size, traits.max_work_item_sizes[0])
        blocking = Blocking(group, width=1, outputs=outputs, taps=32, tile=1024)
        itemsize = REAL_DTYPE[precision].itemsize
        while group > 1 and blocking.local_numbers * itemsize > traits.local_mem_bytes:
            group //= 2
            blocking = replace(blocking, group=group)
        return blocking
    width = max(2, traits.lanes * CPU_BITS // 8 // REAL_DTYPE[precision].itemsize)
    return Blocking(1, min(width, 16), outputs=12, taps=2, vector_bits=CPU_BITS * traits.lanes)


@dataclass(frozen=True)
class Side:
    """Where one array of real numbers lies, counted in its numbers.

    Attributes
    ----------
    step : int
        How far neighbours along the convolved axis are apart.
    at : int
        Where the array begins.
    term : int
        How far the arrays of neighbouring terms are apart.
    """

    step: int
    at: int = 0
    term: int = 0


@dataclass(frozen=True)
class LineJob:
    """Convolutions along one axis: sums of real ones, for each row of a batch.

    Attributes
    ----------
    results, start : int
        The number of results of a row, and where they begin in the full result.
    taps : int
        The number of taps of the impulse response.
    low, high : int
        The signal exists from index `low` to index `high` - 1; other numbers count as 0.
    dry, ir, wet : Side
        Where the signal, the impulse response and the result lie.
    batch : tuple of (int, int, int, int)
        For each dimension of the batch: its extent, and how far neighbours are apart in the signal,
        in the impulse response and in the result.
    terms : int
        The number of convolutions whose sum is a row of the result.
    precision : {"single", "double"}
        The precision of all arrays.
    product : {"REAL", "COMPLEX"}
        "COMPLEX": both arrays hold complex numbers as pairs of real ones.
    conjugated : int
        Of a complex product, 1: the signal is conjugated; 2: the impulse response is. Of a real
        one, 1: every other row is an imaginary part that changes its sign.
    ring : int
        The length of the circular buffer that the signal lies in.
    adds : bool
        Whether results are added to what the array of the results holds.
    swapped : bool
        Whether the signal is the second input of the convolution.
    """

    results: int
    start: int
    taps: int
    low: int
    high: int
    dry: Side
    ir: Side
    wet: Side
    batch: tuple[tuple[int, int, int, int], ...] = ()
    terms: int = 1
    precision: str = "single"
    product: str = "REAL"
    conjugated: int = 0
    ring: int = NO_RING
    adds: bool = False
    swapped: bool = False

    @property
    def rows(self) -> int:
        """The number of rows of real results."""
        return prod(extent for extent, *_ in self.batch) * (1 + (self.product == "COMPLEX"))

    @property
    def table(self) -> np.ndarray:
        """The table of the kernels, in the order of their structures Line and Dimension."""
        sides = self.dry, self.ir, self.wet
        line = [self.results, self.start, self.taps, self.low, self.high, self.ring]
        line += [*(each.step for each in sides), *(each.at for each in sides)]
        line += [self.terms, self.dry.term, self.ir.term]
        return np.array([*line, *(number for each in self.batch for number in each)], np.int64)

    def defines(self, blocking: Blocking) -> tuple[tuple[str, str], ...]:
        """Return the macros with which the kernels are compiled."""
        macros = {
            "DOUBLE": int(self.precision == "double"),
            "GROUP": blocking.group,
            "WIDTH": blocking.width,
            "OUTPUTS": blocking.outputs,
            "TAPS": blocking.taps,
            "TILE": blocking.tile,
            "VECTOR_BITS": blocking.vector_bits,
            "PRODUCT": self.product,
            "CONJUGATED": self.conjugated,
            "DIMENSIONS": len(self.batch),
            "ADDS": int(self.adds),
        }
        return tuple((name, str(value)) for name, value in macros.items())

    def tiles(self, blocking: Blocking) -> int:
        """Return the number of tiles of all terms."""
        return self.terms * -(-self.taps // blocking.tile)

    def sums_bytes(self, blocking: Blocking) -> int:
        """Return the bytes of the sums of all tiles, were each tile a group's own."""
        numbers = self.tiles(blocking) * self.rows * self.results
        return numbers * REAL_DTYPE[self.precision].itemsize

    def is_split(self, blocking: Blocking, traits: Traits, groups_a_unit: int) -> bool:
        """Return whether each tile is a group's own, since there would be too few groups."""
        groups = self.rows * -(-self.results // blocking.results)
        few = groups < groups_a_unit * traits.compute_units
        return few and self.tiles(blocking) > 1 and self.sums_bytes(blocking) <= MAX_SUMS


def block_job(
    frames: int,
    taps: int,
    ring: int,
    outputs: int,
    inputs: int,
    *,
    matrix: bool = False,
    precision: str = "single",
    adds: bool = False,
) -> LineJob:
    """Return the job of a block of a stream, whose signal lies in a circular buffer.

    Parameters
    ----------
    frames : int
        The frames of a block.
    taps : int
        The taps of each impulse response.
    ring : int
        The frames of the circular buffer, at least ``frames + taps - 1``.
    outputs, inputs : int
        The channels of the result and of the signal. Without a matrix they are equal, or one input
        goes to all outputs.
    matrix : bool
        Whether there is an impulse response for each pair of an output and an input.
    precision : {"single", "double"}
        The precision of all arrays.
    adds : bool
        Whether results are added to what the array of the results holds.

    Returns
    -------
    LineJob
    """
    of_output = inputs * taps if matrix else taps
    channel = ring if inputs > 1 and not matrix else 0
    return LineJob(
        results=frames,
        start=0,
        taps=taps,
        low=1 - taps,
        high=frames,
        dry=Side(step=1, term=ring),
        ir=Side(step=1, term=taps),
        wet=Side(step=1),
        batch=((outputs, channel, of_output, frames),),
        terms=inputs if matrix else 1,
        precision=precision,
        ring=ring,
        adds=adds,
    )


def line_job(job: DirectJob) -> LineJob | None:
    """Return the job as one for registers.cl, or None if that cannot do it or does not pay.

    It does convolutions along one axis, of floats or complex floats of one precision.
    """
    axes = [d for d, each in enumerate(job.dimensions) if each.convolved]
    precisions = {READABLE[each][0] if each in READABLE else None for each in job.dtypes}
    if len(axes) != 1 or len(precisions) > 1 or None in precisions:
        return None
    is_complex = [each.kind == "c" for each in job.dtypes]
    axis, along = axes[0], job.dimensions[axes[0]]
    if min(along.first, along.second) < MIN_TAPS or is_complex[2] != any(is_complex[:2]):
        return None
    # The strides of both inputs and of the result, in real numbers, and where these begin.
    layouts = job.places.first, job.places.second, job.places.target
    reals = [1 + each for each in is_complex]
    strides = [[s * n for s in each.strides] for each, n in zip(layouts, reals, strict=True)]
    begins = [each.offset * n for each, n in zip(layouts, reals, strict=True)]
    if job.correlates:
        begins[1] += (along.second - 1) * strides[1][axis]
        strides[1][axis] *= -1
    batch: list[list[int]] = []
    for d, each in enumerate(job.dimensions):
        if d == axis:
            continue
        steps = [s[d] * (n > 1) for s, n in zip(strides, (each.first, each.second), strict=False)]
        begins[0] += each.start * steps[0]
        begins[1] += each.start * steps[1]
        if each.result > 1:
            batch.append([each.result, *steps, strides[2][d]])
    both = all(is_complex)
    if any(is_complex) and not both:  # real and imaginary parts are rows
        batch.append([2, int(is_complex[0]), int(is_complex[1]), 1])
    sides = [Side(s[axis], at) for s, at in zip(strides, begins, strict=True)]
    dry, ir, taps, high, conjugated = sides[0], sides[1], along.second, along.first, 2
    swapped = along.second > along.first
    if swapped:  # the shorter input is taken for the impulse response
        dry, ir, taps, high, conjugated = ir, dry, high, taps, 1
        batch = [[extent, second, first, there] for extent, first, second, there in batch]
    return LineJob(
        results=along.result,
        start=along.start,
        taps=taps,
        low=0,
        high=high,
        dry=dry,
        ir=ir,
        wet=sides[2],
        batch=tuple((each[0], each[1], each[2], each[3]) for each in batch),
        terms=2 if both else 1,
        precision=job.precision,
        product="COMPLEX" if both else "REAL",
        conjugated=(conjugated if both else int(is_complex[1])) if job.correlates else 0,
        swapped=swapped,
    )
