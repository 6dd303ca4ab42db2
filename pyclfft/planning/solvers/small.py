"""Small problems on CPUs: one kernel for all lengths and kinds, so that a new one compiles nothing.

A small problem takes microseconds, but to compile a kernel for its length takes over a second.
Therefore the number of points, the radices of the stages, the strides and the kinds of the source
and of the target are arguments of this kernel. Lengths that are not smooth are transformed by
Bluestein's algorithm.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from ..arguments import Buffer, Role, Vector
from ..batch import MAX_DIMENSIONS, Batch, Dimension, Line
from ..cosine_sums import CosineSums, SumPlaces, SumWeights
from ..factor import is_smooth, shown
from ..parameters import Parameters
from ..pass_parts import defines, exact, uint
from ..passes import Pass
from ..precision import REAL_DTYPE
from ..problem import Problem
from ..tables import Chirp, Joined, LaneStageTwiddles, Roots, Table
from ..traits import Traits
from . import cosine
from .bluestein import convolution_step
from .cols import least_lanes
from .cosine import CosineAxis, fourier_problem
from .ends import Ends, in_one_launch, points_in_one_launch, whole_ends
from .lane_leaf import convolution_radices
from .lanes import SCRATCH, bytes_touched, most_lanes, radices_for, takes, vector_of, walkable
from .leaf import Convolution
from .solver import Solver
from .steps import axis_batch, axis_length

RADICES = (2, 3, 4, 5, 7, 11, 13)  # no composite ones, because each makes compilation longer
AS_THEY_ARE, HALF, PACKED_HALF = range(3)  # what small.cl makes points of, and of results
SHORT_COSINE = 64  # numbers: longer rows are quicker in row.cl, shorter ones are not
AREAS = 2  # of scratch memory, between which points go to and fro


def plan(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...] | None:
    """Return one pass if there are few transforms, and they are short, or else None."""
    fourier = _fourier(problem)
    if fourier is None or not takes(fourier, traits) or problem.hooks:
        return None
    # A row of 128 numbers takes 5 to 20 % longer here; one of 64 takes as long (AVX-512).
    long_cosine = problem.is_trigonometric and axis_length(problem) > SHORT_COSINE
    if long_cosine and cosine.plan(problem, traits, parameters) is not None:
        return None
    length = axis_length(fourier)
    count = prod(fourier.shape) // length or 1
    n = 2 if length == 2 else points_in_one_launch(fourier)  # two real numbers are not packed
    smooth = is_smooth(n)
    least = 1 if problem.is_trigonometric else 2  # sums remain where there is one point
    if not least <= n <= _limit(count, smooth, traits, parameters):
        return None
    ends = whole_ends(fourier) if n == length else in_one_launch(fourier)[1]
    if n == 1:
        radices: tuple[int, ...] | None = ()
    elif smooth:
        radices = radices_for(n, parameters, RADICES)
    else:
        radices = convolution_radices(n, RADICES[:4])
        ends = convolution_step(fourier, Convolution((prod(radices or ()),))).ends
    batch = axis_batch(problem, n, columns=_columns(problem, ends))
    if radices is None or not walkable(batch):
        return None
    return (Small(problem, fourier, batch, ends, radices, traits).planned(),)


def _fourier(problem: Problem) -> Problem | None:
    """Return the Fourier transform in a problem of one axis: for most kinds, the problem itself.

    The result is None if it is a cosine or sine transform of several axes, or of numbers that are
    cropped or padded.
    """
    if not problem.is_trigonometric:
        return problem
    whole = problem.source.shape == problem.shape == problem.target.shape
    return fourier_problem(problem) if whole and len(problem.axes) == 1 else None


def _columns(problem: Problem, ends: Ends) -> tuple[int, int]:
    """Return the elements from a point to the next one, in the source and in the target."""
    if problem.is_trigonometric or not ends.packed:
        return 1, 1
    return (2, 1) if ends.source == "REAL" else (1, 2)


def _limit(count: int, smooth: bool, traits: Traits, parameters: Parameters) -> int:
    """Return the most points that a transform may have."""
    kind = "smooth" if smooth else "other"
    if count == 1 and not traits.vectorizes:
        return parameters[f"small_single_{kind}"]
    return min(parameters[f"small_{kind}"], parameters["small_points"] // count)


@dataclass(frozen=True)
class Small:
    """A launch of small.cl.

    Attributes
    ----------
    problem : Problem
        The problem.
    fourier : Problem
        The Fourier transform in it.
    batch : Batch
        Where the numbers lie.
    ends : Ends
        What the launch does to points before and after the stages.
    radices : tuple of int
        The radices of the stages.
    traits : Traits
        The device's traits.
    """

    problem: Problem
    fourier: Problem
    batch: Batch
    ends: Ends
    radices: tuple[int, ...]
    traits: Traits

    # --- lanes

    @property
    def lanes(self) -> Dimension:
        """The dimension whose transforms are spread over lanes: the longest one."""
        return max(self.batch.dimensions, key=lambda each: each.extent)

    @property
    def width(self) -> int:
        """The number of lanes: one of two, since each number of lanes has a program of its own."""
        most = most_lanes(self.problem, self.traits)
        least = least_lanes(most)
        return least if self.lanes.extent <= least else most

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        """The dimensions, that of the lanes first: it counts blocks, which a work-item takes."""
        first, width = self.lanes, self.width
        blocks = Dimension(-(-first.extent // width), first.source * width, first.target * width)
        others = list(self.batch.dimensions)
        others.remove(first)
        return (blocks, *others)

    # --- numbers

    @property
    def sums(self) -> CosineSums | None:
        """The sums that make a Fourier transform a cosine or sine transform, or None."""
        problem = self.problem
        if not problem.is_trigonometric:
            return None
        axis = CosineAxis.of(problem)
        return CosineSums(
            axis.type, axis.sine, axis.n, axis.is_orthogonal(problem), axis.points, axis.roots,
            self.ends.packed,
        )  # fmt: skip

    @property
    def half(self) -> int:
        """The elements of half of the spectrum of a real row."""
        return self.ends.length + 1 if self.ends.packed else self.ends.length // 2 + 1

    @property
    def loaded(self) -> int:
        """The elements that are loaded, with those that the source lacks."""
        return self.half if self.ends.source == "HERMITIAN" else self.ends.length

    @property
    def finished(self) -> int:
        """The elements that the launch leaves."""
        return self.half if self.ends.target == "HERMITIAN" else self.ends.length

    @property
    def numbers(self) -> tuple[int, int, int, int]:
        """The points with a real part, and an imaginary one, in the source and in the target."""
        ends = self.ends
        if self.problem.is_trigonometric:
            n = axis_length(self.problem)
            return n, 0, n, 0
        return (*self._parts(ends.source, ends.filled), *self._parts(ends.target, ends.outputs))

    def _parts(self, held: str, elements: int) -> tuple[int, int]:
        """Return how many points have a real part, and an imaginary one, in so many elements."""
        if held != "REAL":
            return elements, elements
        return ((elements + 1) // 2, elements // 2) if self.ends.packed else (elements, 0)

    def _geometry(self, held: str, distances: list[int], line: Line, distance: int) -> Vector:
        """Return where numbers lie in the source, or in the target.

        These are the distances between blocks along all dimensions, the first number, and how far
        points, the parts of a point, and transforms are apart.
        """
        whole = 1 if held == "REAL" or self.problem.is_trigonometric else 2  # numbers of an element
        part = line.unit if self.ends.packed and whole == 1 else 1
        distances = distances + [0] * (MAX_DIMENSIONS - len(distances))
        elements = (*distances, line.first, line.stride)
        return Vector("int64", (*(whole * each for each in elements), part, whole * distance))

    # --- the pass

    def planned(self) -> Pass:
        """Return the launch as a pass."""
        problem, ends, dimensions = self.problem, self.ends, self.dimensions
        count, points = prod(each.extent for each in dimensions), prod(self.radices)
        groups = min(count, self.traits.compute_units)
        area = max(points, self.loaded, self.finished)
        sizes = (
            points, len(self.radices), ends.length, self.loaded, self.finished, area,
            self.lanes.extent, count,
        )  # fmt: skip
        macros = {"LANES": self.width, "VECTOR_BITS": 32 * self.traits.lanes}
        table, offsets = self._table()
        return Pass(
            kernel="small",
            source="cpu/small.cl",
            defines=defines(problem.precision, **macros),
            global_size=(groups,),
            local_size=(1,),
            arguments={
                "src": Role.SOURCE,
                "dst": Role.TARGET,
                "table": table,
                "workspace": Buffer(SCRATCH),
                "sizes": Vector("uint32", sizes),
                "kinds": Vector("uint32", (*self._kinds(), *self.numbers)),
                "radices": uint(sum(radix << 4 * i for i, radix in enumerate(self.radices))),
                "tables": Vector("uint32", offsets),
                "extents": vector_of("uint32", [each.extent for each in dimensions], 1),
                "source": self._geometry(
                    ends.source,
                    [d.source for d in dimensions],
                    self.batch.source,
                    self.lanes.source,
                ),
                "target": self._geometry(
                    ends.target,
                    [d.target for d in dimensions],
                    self.batch.target,
                    self.lanes.target,
                ),
                "scale": exact(problem.scale / (2 if ends.separates else 1), problem.precision),
                "signs": self._signs(),
            },
            reads=bytes_touched(problem, problem.source),
            writes=bytes_touched(problem, problem.target),
            leaves=problem.nbytes,
            step=self._shown(),
            scratch=(
                (SCRATCH, groups * AREAS * area * self.width * problem.complex_dtype.itemsize),
            ),
            aliases=self.batch.aliases,
            radices=(self.radices,),
        )

    def _table(self) -> tuple[Table, tuple[int, int, int, int]]:
        """Return the table, and where in it the roots, the chirp, the weights and the places begin.

        The twiddles come first, and the spectrum of the chirp follows the chirp.
        """
        ends, precision, sums = self.ends, self.problem.precision, self.sums
        parts: list[Table] = [LaneStageTwiddles(self.radices, precision)] if self.radices else []
        roots = 2 * (prod(self.radices) - 1)
        chirp = roots + (4 * ends.length if ends.packed else 0)
        weights = chirp + (2 * (ends.length + prod(self.radices)) if ends.spectrum else 0)
        places = weights
        if ends.packed:
            parts.append(Roots(2 * ends.length, precision))
        if ends.spectrum:
            parts += [Chirp(ends.length, precision), ends.spectrum]
        if sums:
            parts += [SumWeights(sums), SumPlaces(sums)]
            places += 4 * self.loaded + 2 * sums.n
        return Joined(tuple(parts), precision), (roots, chirp, weights, places)

    def _kinds(self) -> tuple[int, int, int, int]:
        """Return what joins, what finishes, whether there is a convolution, whether sums."""
        half = PACKED_HALF if self.ends.packed else HALF
        joins, finishes = (
            half if held == "HERMITIAN" else AS_THEY_ARE
            for held in (self.ends.source, self.ends.target)
        )
        return joins, finishes, int(bool(self.ends.spectrum)), int(self.problem.is_trigonometric)

    def _signs(self) -> Vector:
        """Return the signs of imaginary parts in the source and in the target.

        The inverse transform is that of the conjugates, conjugated. A forward transform of half of
        a spectrum is the unusual one: it is that of the conjugates.
        """
        sign = -1.0 if self.fourier.direction == "inverse" else 1.0
        source = {"COMPLEX": sign, "REAL": 1.0, "HERMITIAN": -sign}[self.ends.source]
        target = -1.0 if self.ends.target == "REAL" else sign
        return Vector(REAL_DTYPE[self.problem.precision].name, (source, target))

    def _shown(self) -> str:
        """Return what the launch does, for people."""
        ends, points = self.ends, prod(self.radices)
        length = f"{ends.length} in {points}" if ends.spectrum else str(ends.length)
        stages = shown(self.radices or (1,)) + (" packed" if ends.packed else "")
        if not self.problem.is_trigonometric:
            return f"{self.batch.count} x {length} = {stages}"
        axis = CosineAxis.of(self.problem)
        return f"{axis.name}, {self.batch.count} x {axis.n}, {length} = {stages}"


SOLVER = Solver("small", "a few short transforms, or a single one, on a CPU with vectors", plan)
