"""Small problems on CPUs: one kernel for all lengths and kinds, so that a new one compiles nothing.

A small problem takes microseconds, but to compile a kernel for its length takes over a second.
Therefore the number of points, the radices of the stages, the strides and the kinds of the source
and of the target are arguments of this kernel. Lengths that are not smooth are transformed by
Bluestein's algorithm.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from ..arguments import Buffer, Role, Vector
from ..batch import Batch, Dimension, Line
from ..cosine_sums import CosineSums, SumPlaces, SumWeights
from ..factor import is_smooth, shown
from ..parameters import Parameters
from ..pass_parts import LISTED, defines, exact, uint
from ..passes import Argument, Pass
from ..precision import REAL_DTYPE
from ..problem import Problem
from ..tables import Chirp, LaneStageTwiddles, Roots
from ..traits import Traits
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
AREAS = 2  # of scratch memory, between which points go to and fro


def plan(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...] | None:
    """Return one pass if there are few transforms, and they are short, or else None."""
    fourier = _fourier(problem)
    if fourier is None or not takes(fourier, traits) or problem.hooks:
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
            return 0, 0, n, 0
        parts = {
            "COMPLEX": lambda points: (points, points),
            "HERMITIAN": lambda points: (points, points),
            "REAL": lambda n: ((n + 1) // 2, n // 2) if ends.packed else (n, 0),
        }
        return (*parts[ends.source](ends.filled), *parts[ends.target](ends.outputs))

    def _steps(self, line: Line, held: str, distance: int) -> Vector:
        """Return how far points, the parts of a point, and transforms are apart, in numbers."""
        whole = self._parts(held)
        part = line.unit if self.ends.packed and whole == 1 else 1
        return Vector("int64", (whole * line.stride, part, whole * distance, 0))

    def _parts(self, held: str) -> int:
        """Return how many numbers an element of the source, or of the target, has."""
        return 1 if held == "REAL" or self.problem.is_trigonometric else 2

    # --- the pass

    def planned(self) -> Pass:
        """Return the launch as a pass."""
        problem, ends, batch = self.problem, self.ends, self.batch
        dimensions, points = self.dimensions, prod(self.radices)
        count = prod(each.extent for each in dimensions)
        groups = min(count, self.traits.compute_units)
        area = max(points, self.loaded, self.finished)
        vector_bytes = self.width * problem.complex_dtype.itemsize
        parts = self._parts(ends.source), self._parts(ends.target)
        sizes = (
            points, len(self.radices), ends.length, self.loaded, self.finished, area,
            self.lanes.extent, 0,
        )  # fmt: skip
        return Pass(
            kernel="small",
            source="cpu/small.cl",
            defines=defines(
                problem.precision, LANES=self.width, VECTOR_BITS=32 * self.traits.lanes
            ),
            global_size=(groups,),
            local_size=(1,),
            arguments={
                "src": Role.SOURCE,
                "dst": Role.TARGET,
                **self._tables(),
                "workspace": Buffer(SCRATCH),
                "sizes": Vector("uint32", sizes),
                "radices": Vector("uint32", self.radices + (1,) * (LISTED - len(self.radices))),
                "numbers": Vector("uint32", self.numbers),
                "kinds": Vector("uint32", self._kinds()),
                "count": uint(count),
                "extents": vector_of("uint32", [each.extent for each in dimensions], 1),
                "src_distances": vector_of("int64", [parts[0] * d.source for d in dimensions], 0),
                "dst_distances": vector_of("int64", [parts[1] * d.target for d in dimensions], 0),
                "first": Vector(
                    "int64", (parts[0] * batch.source.first, parts[1] * batch.target.first)
                ),
                "src_steps": self._steps(batch.source, ends.source, self.lanes.source),
                "dst_steps": self._steps(batch.target, ends.target, self.lanes.target),
                "scale": exact(problem.scale / (2 if ends.separates else 1), problem.precision),
                "signs": self._signs(),
            },
            reads=bytes_touched(problem, problem.source),
            writes=bytes_touched(problem, problem.target),
            leaves=problem.nbytes,
            step=self._shown(),
            scratch=((SCRATCH, groups * AREAS * area * vector_bytes),),
            aliases=batch.aliases,
            radices=(self.radices,),
        )

    def _tables(self) -> Mapping[str, Argument]:
        """Return the tables; where one is not needed, another one stands in its place."""
        ends, precision, sums = self.ends, self.problem.precision, self.sums
        twiddles = LaneStageTwiddles(self.radices or (2,), precision)
        tables: dict[str, Argument] = dict.fromkeys(
            ("twiddles", "roots", "chirp", "spectrum", "places", "weights"), twiddles
        )
        if ends.packed:
            tables["roots"] = Roots(2 * ends.length, precision)
        if ends.spectrum:
            tables["chirp"] = Chirp(ends.length, precision)
            tables["spectrum"] = ends.spectrum
        if sums:
            tables["places"] = SumPlaces(sums)
            tables["weights"] = SumWeights(sums, precision)
        return tables

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
