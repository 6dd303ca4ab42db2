"""Transforms in several launches of stockham.cl: what four_step and bluestein share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..batch import Batch
from ..parameters import Parameters
from ..passes import Pass
from ..problem import Problem
from ..traits import Traits
from .stockham import Ends, Group, group_for, stockham_pass

# The batch of a launch, its ends, and the bytes of its target, or 0 for the problem's own target.
Launch = tuple[Batch, Ends, int]


@dataclass(frozen=True)
class Step:
    """One launch with its work-group.

    Attributes
    ----------
    batch : Batch
        The transforms that the launch does.
    ends : Ends
        What the kernel does to points as it loads and stores them.
    leaves : int
        The size of the launch's target in bytes, or 0 if the target is the problem's own.
    group : Group
        The work-groups that do the transforms.
    """

    batch: Batch
    ends: Ends
    leaves: int
    group: Group


def with_groups(
    problem: Problem, launches: Iterable[Launch], traits: Traits, parameters: Parameters
) -> tuple[Step, ...] | None:
    """Return the launches with their work-groups, or None if one of them fits no work-group."""
    steps = []
    for batch, ends, leaves in launches:
        group = group_for(batch, ends, problem.precision, traits, parameters)
        if group is None:
            return None
        steps.append(Step(batch, ends, leaves, group))
    return tuple(steps)


def step_passes(problem: Problem, steps: tuple[Step, ...]) -> tuple[Pass, ...]:
    """Return a pass for each step; the last one carries the scale."""
    scales = [1.0] * (len(steps) - 1) + [problem.scale]
    return tuple(
        stockham_pass(problem, each.batch, each.group, each.ends, scale, each.leaves)
        for each, scale in zip(steps, scales, strict=True)
    )
