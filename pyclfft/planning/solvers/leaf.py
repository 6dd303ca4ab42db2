"""What does the transforms of an algorithm: a leaf.

An algorithm is written once, in steps that say nothing of a kernel: a batch of short transforms,
and what happens to points as they are loaded and stored (`Ends`). A leaf turns a step into a launch
of its kernel, or says that it cannot. There are two: `group_leaf` has work-groups (stockham.cl),
`lane_leaf` has the lanes of a CPU's vectors (cols.cl).

    algorithm     `one_launch`, `four_step`, `bluestein`: from a problem and factors to steps
    leaf          which factors to try, and from a step to a launch with its cost, or None
    launch        becomes a pass

What differs between devices is the leaf's: which factors are worth a try, in which order results
lie between two steps, how long launches take, and what is too long, too short or too few. The
algorithm asks for it, and does not know which leaf it asks. The table in `__init__` has a row for
each algorithm on each leaf.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from ..batch import Batch
from ..parameters import Parameters
from ..passes import Pass
from ..problem import Layout, Problem
from ..traits import Traits
from .ends import Ends

Factors = tuple[int, ...]


@dataclass(frozen=True)
class Step:
    """What one launch of an algorithm does.

    Attributes
    ----------
    batch : Batch
        The transforms.
    ends : Ends
        What the launch does to points as it loads and stores them.
    leaves : int
        The size of the launch's target in bytes, or 0 if the target is the problem's own.
    """

    batch: Batch
    ends: Ends
    leaves: int = 0


@dataclass(frozen=True)
class Convolution:
    """A cyclic convolution that stands for a transform in Bluestein's algorithm.

    Attributes
    ----------
    factors : tuple of int
        The lengths of the transforms of each launch; the launches of columns do theirs forward and
        back. The product is the number of points of the convolution.
    real_radix : int
        The radix of the real stage, if rows of odd length have one; otherwise 0.
    """

    factors: Factors
    real_radix: int = 0


class Launch(Protocol):
    """A step, and how a leaf does it."""

    @property
    def step(self) -> Step:
        """What the launch does."""

    def planned(self, scale: float = 1.0) -> Pass:
        """Return the launch as a pass that multiplies the results by `scale`."""


L = TypeVar("L", bound=Launch)


class Leaf(Protocol[L]):
    """How one family of kernels does the steps of an algorithm."""

    @property
    def transposes(self) -> bool:
        """Whether each launch that transforms columns leaves their results as rows.

        Otherwise results lie where the points were, and the second launch of the four-step
        algorithm brings all results to their places; `splits` then yields pairs of factors.
        """

    def takes(self, problem: Problem, traits: Traits) -> bool:
        """Whether the leaf suits a device, and a problem of one axis."""

    def launch(
        self, problem: Problem, step: Step, traits: Traits, parameters: Parameters
    ) -> L | None:
        """Return how to do a step, or None if the leaf cannot."""

    def whole(self, problem: Problem, traits: Traits, parameters: Parameters) -> L | None:
        """Return the one launch that transforms the whole axis, or None if there is none."""

    def between(self, problem: Problem, length: int) -> Layout:
        """Return the layout of results between two launches, `length` of them along the axis."""

    def pitch(self, problem: Problem, length: int, parameters: Parameters) -> int:
        """Return the elements from one row of `length` elements to the next between launches.

        It is asked for if a transform of real numbers takes three launches or more.
        """

    def splits(self, problem: Problem, parameters: Parameters) -> Iterator[Iterable[Factors]]:
        """Yield lists of factors of the length, one factor for each launch, in order of preference.

        Of the first list with factors that fit, the quickest ones are taken.
        """

    def time_of_steps(self, launches: Sequence[L], traits: Traits, parameters: Parameters) -> float:
        """Return about how long the steps of a long transform take, relative to one copy."""

    def convolutions(
        self, problem: Problem, traits: Traits, parameters: Parameters
    ) -> Iterator[list[Convolution]]:
        """Yield lists of convolutions, likewise."""

    def time(self, launches: Sequence[L], traits: Traits) -> float:
        """Return a relative time of the launches of a convolution."""


def launches_of(
    leaf: Leaf[L], problem: Problem, steps: Iterable[Step], traits: Traits, parameters: Parameters
) -> tuple[L, ...] | None:
    """Return a leaf's launches for all steps, or None if the leaf cannot do one of them."""
    launches = []
    for step in steps:
        launch = leaf.launch(problem, step, traits, parameters)
        if launch is None:
            return None
        launches.append(launch)
    return tuple(launches)


def passes_of(problem: Problem, launches: Sequence[Launch]) -> tuple[Pass, ...]:
    """Return a pass for each launch; the last one carries the scale."""
    *others, last = launches
    return (*(each.planned() for each in others), last.planned(problem.scale))
