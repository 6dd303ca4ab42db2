"""What a launch does to points as it loads and stores them, in the same words for all leaves."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..batch import Batch
from ..problem import Problem
from ..tables import ChirpSpectrum, RaderSpectrum, RealRaderSpectrum
from .steps import axis_batch, axis_length

# The flags of batch.cl, which the argument `flags` of stockham.cl joins by "or".
INVERSE_IN, INVERSE_OUT, CONJUGATE_IN, CONJUGATE_OUT, BACKWARD = 1, 2, 4, 8, 16
INVERSE = INVERSE_IN | INVERSE_OUT


@dataclass(frozen=True)
class Ends:
    """What a launch does to points as it loads and stores them.

    A launch transforms a whole axis, or columns or rows of the matrix that a long row stands as.

    Attributes
    ----------
    source, target : {"COMPLEX", "REAL", "HERMITIAN"}
        What the launch reads and what it leaves: complex numbers, real numbers, or the first half
        of the spectrum of real numbers.
    length : int
        The number of elements of the axis to which the halves of spectra, the real stage and the
        chirp belong; with `packed`, the number of its points.
    filled : int
        The number of elements of the axis that the source holds; the others are zero.
    outputs : int
        The number of elements of the axis that the target receives.
    flags : int
        The sum of the flags by which work-groups turn a forward transform into another one:
        INVERSE_IN, INVERSE_OUT, CONJUGATE_IN, CONJUGATE_OUT, BACKWARD. The kernels of lanes take
        the direction as an argument instead.
    pair : bool
        Whether one transform computes two neighbouring columns of a real row, one as its real part
        and one as its imaginary part.
    packed : bool
        Whether a transform is one real row of which each point is two neighbouring numbers.
    quads : bool
        Whether four neighbouring numbers of a packed row can be loaded, or stored, at once.
    real_radix : int
        The radix of the real stage, if a transform is one real row of an odd length that has a
        real stage; otherwise 0. Each butterfly of this stage keeps the first half of its results,
        or of its points.
    twist : int
        If it is n > 0, the results are multiplied by powers of the n-th root of unity (the
        four-step algorithm).
    twist_first : bool
        Whether the twist multiplies the points before the transform, instead of the results.
    chirp_first, chirp_last : bool
        Whether Bluestein's chirp of `length` points multiplies the points before the transform,
        and the results after it.
    spectrum : ChirpSpectrum, RaderSpectrum or RealRaderSpectrum, optional
        The spectrum by which the launch multiplies between a transform and the transform back. The
        leaf brings its last factor into the order of the stages.
    laid_out : bool
        Whether local memory holds all `length` elements of a transform at once, in their order.
    real_points : bool
        Whether these elements are real numbers, any two of which are a point of a convolution.
    fold : int
        If the first half of the columns of a real row has been transformed, and the launch brings
        each result to its place in the half spectrum, the number of all columns; otherwise 0.
    real_origin : bool
        Whether element 0 of the target is real.
    hooked : bool
        Whether hooks stand in the loads, or the stores, of a whole axis.
    """

    source: str
    target: str
    length: int
    filled: int
    outputs: int
    flags: int = 0
    pair: bool = False
    packed: bool = False
    quads: bool = False
    real_radix: int = 0
    twist: int = 0
    twist_first: bool = False
    chirp_first: bool = False
    chirp_last: bool = False
    spectrum: ChirpSpectrum | RaderSpectrum | RealRaderSpectrum | None = None
    laid_out: bool = False
    real_points: bool = False
    fold: int = 0
    real_origin: bool = False
    hooked: bool = False

    @property
    def separates(self) -> bool:
        """Whether the kernel separates spectra of real numbers by sums, which give twice them."""
        return bool(self.pair or self.packed or self.real_radix) and self.target == "HERMITIAN"

    @property
    def is_plain(self) -> bool:
        """Whether each transform is one row of elements that are points, and nothing is added."""
        return not (
            self.pair or self.packed or self.real_radix or self.twist or self.fold
            or self.chirp_first or self.chirp_last or self.spectrum
        )  # fmt: skip

    @property
    def kept(self) -> int:
        """The number of results that a butterfly of `real_radix` keeps; 1 without a real stage."""
        return self.real_radix // 2 + 1

    @property
    def wanted(self) -> int:
        """The number of elements of the axis that the launch reads, if the source holds all."""
        elements = self.length * (2 if self.packed else 1)
        return elements // 2 + 1 if self.source == "HERMITIAN" else elements


def whole_ends(problem: Problem) -> Ends:
    """Return the ends of a transform of the whole axis, in which each element is a point."""
    n = axis_length(problem)
    filled = problem.source.shape[problem.axes[0]]
    inverse, hooked = problem.direction == "inverse", bool(problem.hooks)
    if problem.kind == "c2r":
        flags = INVERSE | (0 if inverse else CONJUGATE_IN)
        return Ends("HERMITIAN", "REAL", n, min(filled, n // 2 + 1), n, flags, hooked=hooked)
    if problem.kind == "r2c":
        flags = CONJUGATE_OUT if inverse else 0
        return Ends("REAL", "HERMITIAN", n, min(filled, n), n // 2 + 1, flags, hooked=hooked)
    source, target = (
        "REAL" if layout.real else "COMPLEX" for layout in (problem.source, problem.target)
    )
    flags = INVERSE if inverse else 0
    return Ends(source, target, n, min(filled, n), n, flags, hooked=hooked)


def points_in_one_launch(problem: Problem) -> int:
    """Return the number of points of the axis; two numbers of a real row of even length are one."""
    n = axis_length(problem)
    return n if problem.kind == "c2c" or n % 2 else n // 2


def in_one_launch(problem: Problem, points: int = 0) -> tuple[Batch, Ends]:
    """Return the batch and the ends of a launch that transforms the whole axis.

    A real row of an even length is transformed as half as many complex points.

    Parameters
    ----------
    problem : Problem
        A problem with one axis.
    points : int
        The number of points of a convolution that stands for the transform; 0 if the axis itself
        is transformed.

    Returns
    -------
    Batch, Ends
    """
    ends, length = whole_ends(problem), points_in_one_launch(problem)
    if length == ends.length:
        return axis_batch(problem, points or length), ends
    columns = (2, 1) if problem.kind == "r2c" else (1, 2)
    hook = problem.hooks.load if problem.kind == "r2c" else problem.hooks.store
    quads = hook is not None and hook.quads and not points
    packed = replace(ends, length=length, packed=True, quads=quads)
    return axis_batch(problem, points or length, columns=columns), packed


def with_real_stage(problem: Problem, radix: int, points: int = 0) -> tuple[Batch, Ends]:
    """Return the batch and the ends of real rows of an odd length, with a real stage.

    Parameters
    ----------
    problem : Problem
        A problem with one axis of real numbers.
    radix : int
        The radix of the real stage.
    points : int
        The number of points of a convolution that stands for each transform behind the real stage,
        or before it; 0 if the columns of the row themselves are transformed.

    Returns
    -------
    Batch, Ends
    """
    ends = whole_ends(problem)
    flags = ends.flags
    if problem.kind == "c2r":  # real results are their own conjugates
        flags = CONJUGATE_IN if problem.direction == "inverse" else 0
    ends = replace(ends, real_radix=radix, flags=flags)
    return axis_batch(problem, (points or ends.length // radix) * ends.kept), ends
