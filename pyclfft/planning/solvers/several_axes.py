"""All axes of small arrays in one launch: each number moves through a GPU's memory once.

A batch of small images, or of small volumes, otherwise takes a launch for each axis, and each
launch reads and writes all numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from ..arguments import Role, Scalar, Vector
from ..factor import SHORT_ROWS, shown
from ..parameters import Parameters
from ..pass_parts import BITS, SIGN_BIT, defines, exact, listed, uint
from ..passes import Pass
from ..problem import Layout, Problem, contiguous_strides
from ..tables import Joined, Roots, Table
from ..traits import Traits
from .solver import Solver

MOST_AXES = 3
# The largest radix of an axis with a single stage, and of one with two stages.
LARGEST_ALONE = {"single": 32, "double": 16}
LARGEST = 16
# The most points of a group if it takes several arrays. And about how many points a work-item has:
# by the kind, with radices up to 8, up to 16, and larger ones. Fitted to an H200's times.
GROUP_POINTS = {"single": 2048, "double": 1024}
POINTS_OF_ITEM = {
    "single": {"c2c": (8, 16, 16), "r2c": (16, 32, 32), "c2r": (16, 16, 32)},
    "double": {"c2c": (8, 8, 8), "r2c": (8, 8, 8), "c2r": (8, 16, 16)},
}
LEAST_ITEMS, MOST_ITEMS = 64, 256
# If work-items keep their points between the stages: the most work-items of a group, and the most
# points of each of them, and of an array of single precision. Fitted to an H100's times.
MOST_ITEMS_IN_PARTS, MOST_KEPT, MOST_IN_PARTS = 512, {"single": 56, "double": 30}, 96 * 96
LEAST_GAP = 8  # elements of local memory from one gap to the next one, at least


def plan(problem: Problem, traits: Traits, parameters: Parameters) -> tuple[Pass, ...] | None:
    """Return one pass if local memory holds an array, or else None."""
    extents = contiguous_extents(problem)
    if traits.is_cpu or problem.hooks or extents is None:
        return None
    found = [axis_stages(extent, problem.precision) for extent in extents]
    stages = tuple(each for each in found if each is not None)
    if len(stages) < len(found):
        return None
    tried = [SmallArrays.of(problem, stages, traits, parameters)]
    if problem.kind == "c2c":
        tried += SmallArrays.in_parts(problem, stages, traits, parameters)
    fitting = (each for each in tried if each.local_bytes <= traits.local_mem_bytes)
    return next(((each.planned(),) for each in fitting), None)


def contiguous_extents(problem: Problem) -> tuple[int, ...] | None:
    """Return the points along each axis if the problem's arrays lie one behind the other, or None.

    Two real numbers are a point of the last axis.
    """
    dimensions = [d for d, extent in enumerate(problem.shape) if extent > 1]
    axes = [axis for axis in problem.axes if problem.shape[axis] > 1]
    last = dimensions[len(dimensions) - len(axes) :]
    if not 2 <= len(axes) <= MOST_AXES or sorted(axes) != last:
        return None
    is_real = problem.kind != "c2c"
    if is_real and (problem.axes[-1] != last[-1] or problem.shape[last[-1]] % 2):
        return None
    source_shape = problem.spectrum_shape if problem.kind == "c2r" else problem.shape
    whole = problem.source.shape == source_shape and problem.source.real == (problem.kind == "r2c")
    if not (whole and _is_contiguous(problem.source) and _is_contiguous(problem.target)):
        return None
    *outer, inner = (problem.shape[axis] for axis in last)
    return (*outer, inner // 2 if is_real else inner)


def _is_contiguous(layout: Layout) -> bool:
    """Whether an array has no gaps, and two of its real numbers can be moved as a complex one."""
    plain = layout.strides == contiguous_strides(layout.shape)
    return plain and not (layout.real and layout.offset % 2)


@lru_cache(maxsize=1024)
def axis_stages(extent: int, precision: str) -> tuple[int, int] | None:
    """Return the radices of the two stages of an axis, the larger one first, or None.

    The second one is 1 if a single codelet transforms the axis.
    """
    if extent == 1 or (extent in SHORT_ROWS and extent <= LARGEST_ALONE[precision]):
        return extent, 1
    pairs = [
        (extent // small, small)
        for small in SHORT_ROWS
        if extent % small == 0 and small <= extent // small <= LARGEST
    ]
    return next((each for each in reversed(pairs) if each[0] in SHORT_ROWS), None)


@dataclass(frozen=True)
class SmallArrays:
    """A launch of severalAxes.cl.

    Attributes
    ----------
    problem : Problem
        The problem.
    stages : tuple of (int, int)
        The radices of the two stages of each axis.
    together : int
        The arrays that a work-group transforms.
    items : int
        The work-items of a work-group.
    share : int
        The most points that a work-item keeps between the stages; 0 if local memory holds all
        points.
    """

    problem: Problem
    stages: tuple[tuple[int, int], ...]
    together: int
    items: int
    share: int = 0

    @classmethod
    def in_parts(
        cls,
        problem: Problem,
        stages: tuple[tuple[int, int], ...],
        traits: Traits,
        parameters: Parameters,
    ) -> list[SmallArrays]:
        """Return the launch whose work-items keep their points, or none if these are too many.

        In the first stage every work-item has the same number of lines. Otherwise it loads a line
        only after it has found out whether it has that line: 20 x 20 x 20 points took 1.7 times as
        long on an H100. Of the groups that remain, the one is taken whose work-items idle least in
        their worst stage. If several groups are equal in that, the largest one is taken.
        """
        radices = [radix for each in stages for radix in each if radix > 1]
        points, wanted = prod(radices), parameters["axes_group"]
        limit = min(traits.max_work_group_size, traits.max_work_item_sizes[0])
        if wanted >= 0:
            items = min(wanted, limit)
            return [cls(problem, stages, 1, items, _share(points, radices, items))]
        if problem.precision == "single" and points > MOST_IN_PARTS:
            return []
        fitting = [
            items
            for items in range(1, min(limit, MOST_ITEMS_IN_PARTS) + 1)
            if points // radices[0] % items == 0
            and _share(points, radices, items) <= MOST_KEPT[problem.precision]
        ]
        if not fitting:
            return []
        items = max(fitting, key=lambda items: (_least_busy(points, radices, items), items))
        return [cls(problem, stages, 1, items, _share(points, radices, items))]

    @classmethod
    def of(
        cls,
        problem: Problem,
        stages: tuple[tuple[int, int], ...],
        traits: Traits,
        parameters: Parameters,
    ) -> SmallArrays:
        """Return the launch with the groups that suit a device.

        Of the groups with at least half of the points that they may have, the one is taken whose
        work-items are busiest. Of equal ones it is the largest.
        """
        wanted = parameters["axes_points"]
        most = wanted if wanted > 0 else GROUP_POINTS[problem.precision]
        points = prod(map(prod, stages))
        room = traits.local_mem_bytes // cls(problem, stages, 1, 1).local_bytes
        together = max(1, min(most // points, _count(problem), room))
        tried = (
            cls(problem, stages, each, _items(problem, stages, each, traits, parameters))
            for each in range(together, (together - 1) // 2, -1)
        )
        fitting = [each for each in tried if each.local_bytes <= traits.local_mem_bytes]
        smallest = cls(problem, stages, 1, _items(problem, stages, 1, traits, parameters))
        return min(fitting, key=lambda each: each.rounds, default=smallest)

    @property
    def rounds(self) -> float:
        """How many points a work-item transforms in all stages, for each one of its share."""
        total = self.together * self.points
        held = sum(
            -(-total // radix // self.items) * radix
            for each in self.stages
            for radix in each
            if radix > 1
        )
        return held * self.items / total

    @property
    def points(self) -> int:
        """The points of an array."""
        return prod(map(prod, self.stages))

    @property
    def count(self) -> int:
        """The number of arrays."""
        return _count(self.problem)

    @property
    def gap(self) -> int:
        """The elements of local memory from one gap to the next one; 0 without gaps.

        The last stage takes neighbours, so that work-items are as many elements apart as it has
        points. If these are an odd number, the work-items meet different banks by themselves.
        """
        large, small = self.stages[-1]
        radix = small if small > 1 else large
        return 0 if radix % 2 else radix * -(-LEAST_GAP // radix)

    @property
    def room(self) -> int:
        """The elements of local memory that a group takes: its points, gaps, and ends of rows."""
        elements = self.together * self.points
        ends = elements // prod(self.stages[-1]) if self.problem.kind == "c2r" else 0
        return elements + (elements // self.gap if self.gap else 0) + ends

    @property
    def local_bytes(self) -> int:
        """The bytes of local memory that a group takes."""
        return self.room * self.problem.complex_dtype.itemsize // (2 if self.share else 1)

    def planned(self) -> Pass:
        """Return the launch as a pass."""
        problem = self.problem
        source, target = {
            "c2c": ("COMPLEX", "COMPLEX"),
            "r2c": ("REAL", "HERMITIAN"),
            "c2r": ("HERMITIAN", "REAL"),
        }[problem.kind]
        radices = [radix for each in self._three_axes() for radix in each]
        ends = {"SOURCE": source, "TARGET": target} if problem.kind != "c2c" else {}
        same = problem.source == problem.target
        return Pass(
            kernel="severalAxes",
            source="gpu/severalAxes.cl",
            defines=defines(
                problem.precision,
                RADICES=listed(radices),
                TOGETHER=self.together,
                ITEMS=self.items,
                GAP=self.gap,
                ROOM=self.room,
                **ends,
                **({"SHARE": self.share} if self.share else {}),
            ),
            global_size=(-(-self.count // self.together) * self.items,),
            local_size=(self.items,),
            arguments={
                "src": Role.SOURCE,
                "dst": Role.TARGET,
                "roots": self._table(),
                "count": uint(self.count),
                "firsts": Vector("int64", tuple(map(_first, (problem.source, problem.target)))),
                "scale": exact(self._scale(), problem.precision),
                **self._signs(),
            },
            reads=prod(problem.source.shape) * problem.source_dtype.itemsize,
            writes=prod(problem.target.shape) * problem.dtype.itemsize,
            leaves=problem.nbytes,
            step=f"{self.count} x {self._shown()}",
            aliases=same,
            radices=tuple(
                (large, small) if small > 1 else (large,) for large, small in self.stages
            ),
            local_bytes=self.local_bytes,
            computes=problem,
        )

    def _three_axes(self) -> tuple[tuple[int, int], ...]:
        """Return the stages of three axes, of which the first one may have a single point."""
        return ((1, 1),) * (MOST_AXES - len(self.stages)) + self.stages

    def _table(self) -> Table:
        """Return the roots of each axis with two stages, and at the end those of a real row."""
        precision = self.problem.precision
        orders = [large * small for large, small in self.stages if small > 1]
        if self.problem.kind != "c2c":
            orders.append(self.problem.shape[-1])
        return Joined(tuple(Roots(each, precision) for each in orders or (1,)), precision)

    def _scale(self) -> float:
        """Return the scale; the spectrum of real numbers is half of the sums that make it."""
        return self.problem.scale / (2 if self.problem.kind == "r2c" else 1)

    def _signs(self) -> dict[str, Scalar]:
        """Return the arguments that conjugate numbers as they are loaded, and as they are stored.

        The inverse transform is that of the conjugates, conjugated. The kernel conjugates the
        points of half of a spectrum by itself, so that a forward transform of it is the unusual
        one.
        """
        inverse = self.problem.direction == "inverse"
        loads, stores = {
            "c2c": (inverse, inverse),
            "r2c": (False, inverse),
            "c2r": (not inverse, True),
        }[self.problem.kind]
        precision = self.problem.precision
        bits, sign = BITS[precision], SIGN_BIT[precision]
        return {
            "sign_in": Scalar(bits, sign if loads else 0),
            "sign_out": Scalar(bits, sign if stores else 0),
        }

    def _shown(self) -> str:
        """Return the extents and the radices, for people."""
        packed = " packed" if self.problem.kind != "c2c" else ""
        extents = "x".join(str(large * small) for large, small in self.stages)
        radices = ", ".join(
            shown((large, small) if small > 1 else (large,)) for large, small in self.stages
        )
        return f"{extents} = {radices}{packed}"


def _count(problem: Problem) -> int:
    """Return the number of arrays."""
    return prod(problem.shape) // prod(problem.shape[axis] for axis in problem.axes)


def _items(
    problem: Problem,
    stages: tuple[tuple[int, int], ...],
    together: int,
    traits: Traits,
    parameters: Parameters,
) -> int:
    """Return the work-items of a group of so many arrays."""
    items = parameters["axes_group"]
    if items < 0:
        radix = max(max(each) for each in stages)
        shares = POINTS_OF_ITEM[problem.precision][problem.kind]
        share = shares[(radix > 8) + (radix > 16)]
        items = max(LEAST_ITEMS, min(MOST_ITEMS, together * prod(map(prod, stages)) // share))
        items = -(-items // traits.lanes) * traits.lanes
    return int(min(items, traits.max_work_group_size, traits.max_work_item_sizes[0]))


def _share(points: int, radices: Sequence[int], items: int) -> int:
    """Return how many points a work-item has in a stage, at most."""
    return max(-(-points // radix // items) * radix for radix in radices)


def _least_busy(points: int, radices: Sequence[int], items: int) -> float:
    """Return the share of work-items that have lines, in the stage with fewest of them."""
    lines = [points // radix for radix in radices]
    return min(each / (-(-each // items) * items) for each in lines)


def _first(layout: Layout) -> int:
    """Return the number of a layout's first element, as the kernel counts: in complex numbers."""
    return layout.offset // (2 if layout.real else 1)


SOLVER = Solver(
    "several_axes",
    "two or three axes of arrays that a GPU's local memory holds",
    plan,
    several_axes=True,
)
