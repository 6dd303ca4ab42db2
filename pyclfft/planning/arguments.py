"""What a kernel's arguments can be, beside tables: buffers, numbers and short vectors."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Role(Enum):
    """What an argument is to its pass, before buffers are assigned."""

    SOURCE = "source"  # the buffer that the pass reads: it holds what the pass before has left
    TARGET = "target"  # the buffer that the pass writes; if the pass `aliases`, maybe its source
    DATA = "data"  # the buffer that the pass reads and overwrites


@dataclass(frozen=True)
class Buffer:
    """A buffer by name.

    "in" and "out" are the buffers that the caller gives at each call, "hook:load:NAME" and
    "hook:store:NAME" are the buffers of hooks, and every other name means workspace.
    """

    name: str


@dataclass(frozen=True)
class Scalar:
    """A number that a kernel takes by value, of the given NumPy dtype."""

    dtype: str
    value: int | float | complex


@dataclass(frozen=True)
class FirstGroup:
    """The number (uint) of a launch's first work-group, where a pass is split into launches."""


@dataclass(frozen=True)
class Vector:
    """A short vector that a kernel takes by value, for example a uint4."""

    dtype: str
    values: tuple[float, ...]
