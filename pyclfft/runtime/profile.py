"""Times of passes and transfers, which the device's profiling events tell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import pyopencl as cl

from .forks import require_own_process


@dataclass(frozen=True)
class PassTime:
    """How long one step of a run took on the device.

    Attributes
    ----------
    name : str
        The kernel's name; "write" for a transfer to the device, "read" for one back.
    step : str
        A description of the step, for people.
    ms : float
        The time from the step's start to its end, in milliseconds.
    nbytes : int
        The bytes that the step had to move at least.

    See Also
    --------
    pyclfft.Plan.profile : Run a plan, and return the time of every pass.
    pyclfft.planning.passes.Pass : One launch of one kernel.
    """

    name: str
    step: str
    ms: float
    nbytes: int

    @property
    def gb_per_s(self) -> float:
        """The bytes moved, divided by the time, in 10^9 bytes a second."""
        return self.nbytes / self.ms / 1e6 if self.ms else 0.0


@dataclass
class Recorder:
    """Collects the events of a run on a profiling queue."""

    events: list[tuple[str, str, int, cl.Event]] = field(default_factory=list)

    def add(self, name: str, step: str, nbytes: int, event: cl.Event) -> None:
        """Remember one step's event."""
        self.events.append((name, step, nbytes, event))

    def times(self) -> tuple[PassTime, ...]:
        """Wait for every step and return its time."""
        if self.events:  # OpenCL refuses an empty list
            cl.wait_for_events([event for *_, event in self.events])
        return tuple(
            PassTime(name, step, (event.profile.end - event.profile.start) * 1e-6, nbytes)
            for name, step, nbytes, event in self.events
        )


def profiling_queue(context: cl.Context) -> cl.CommandQueue:
    """Return a new queue whose events hold times."""
    require_own_process()
    return cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)


def totals(times: Iterable[PassTime]) -> dict[str, tuple[int, float]]:
    """Return, for every kernel, its launches and their time in ms, in the order of first use."""
    sums: dict[str, tuple[int, float]] = {}
    for each in times:
        launches, ms = sums.get(each.name, (0, 0.0))
        sums[each.name] = (launches + 1, ms + each.ms)
    return sums


def merge_repeats(times: Iterable[PassTime]) -> list[tuple[PassTime, int]]:
    """Join steps of one kernel that follow each other: return their sum and their number."""
    merged: list[tuple[PassTime, int]] = []
    for each in times:
        if merged and merged[-1][0].name == each.name:
            before, count = merged[-1]
            both = PassTime(
                each.name, before.step, before.ms + each.ms, before.nbytes + each.nbytes
            )
            merged[-1] = (both, count + 1)
        else:
            merged.append((each, 1))
    return merged
