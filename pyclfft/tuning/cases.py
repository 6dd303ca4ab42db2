"""What can be tuned: each case knows its class of problems, its task and how to measure that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import pyopencl as cl

from ..planning.lookup import Workclass
from ..planning.parameters import Parameters
from ..planning.problem import Problem
from ..planning.traits import Traits
from ..runtime import wisdom
from .measure import DeviceMeasure, Measure
from .space import Task


class Case(Protocol):
    """Something that can be tuned, on any device."""

    @property
    def nbytes(self) -> int:
        """The least bytes that have to be read and written."""

    def workclass(self, algorithm: str | None) -> Workclass:
        """Return the class of problems for which the result holds."""

    def task(self, traits: Traits, parameters: Parameters, algorithm: str | None) -> Task:
        """Return the task on a device; a search begins with these parameters."""

    def measure(self, context: cl.Context, task: Task) -> Measure:
        """Return what measures the candidates of the task."""

    def known(self, chosen: cl.Device, algorithm: str | None) -> Parameters:
        """Return the parameters that a device has for it now."""


@dataclass(frozen=True)
class TransformCase:
    """A transform of contiguous arrays without hooks."""

    problem: Problem

    @property
    def nbytes(self) -> int:
        """The least bytes that have to be read and written."""
        source = self.problem.source.span * self.problem.source_dtype.itemsize
        return source + self.problem.nbytes

    def workclass(self, algorithm: str | None) -> Workclass:
        """Return the class of problems for which the result holds."""
        return Workclass.of(self.problem, algorithm)

    def task(self, traits: Traits, parameters: Parameters, algorithm: str | None) -> Task:
        """Return the task on a device; a search begins with these parameters."""
        return Task(self.problem, traits, parameters, algorithm)

    def measure(self, context: cl.Context, task: Task) -> Measure:
        """Return what measures the candidates of the task."""
        return DeviceMeasure(context, self.problem)

    def known(self, chosen: cl.Device, algorithm: str | None) -> Parameters:
        """Return the parameters that a device has for it now."""
        return wisdom.parameters_of(chosen, self.problem, algorithm)
