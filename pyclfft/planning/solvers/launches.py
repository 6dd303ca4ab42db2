"""Transforms in several launches of stockham.cl: what four_step and bluestein have in common."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..batch import Batch
from ..parameters import Parameters
from ..passes import Pass
from ..problem import Problem
from ..traits import Traits
from .stockham import Ends, Group, group_for, stockham_pass

# A batch, its ends, and the bytes of its target: 0 for the problem's own.
Launch = tuple[Batch, Ends, int]


@dataclass(frozen=True)
class Step:
    """One launch with its work-group.

    Attributes
    ----------
    batch : Batch
        What it transforms.
    ends : Ends
        What becomes of points on their way.
    leaves : int
        Bytes of its target, 0 for the problem's own.
    group : Group
        By which work-groups.
    """

    batch: Batch
    ends: Ends
    leaves: int
    group: Group


def with_groups(
    problem: Problem, launches: Iterable[Launch], traits: Traits, parameters: Parameters
) -> tuple[Step, ...] | None:
    """Return launches with their work-groups, or None where one does not fit a work-group."""
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
