"""Times of passes and transfers, from the device's own profiling events."""

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
        The kernel, or "write" and "read" for the transfers.
    step : str
        What it did, for people.
    ms : float
        Time from its start to its end, in milliseconds.
    nbytes : int
        Bytes it had to move at least.
    """

    name: str
    step: str
    ms: float
    nbytes: int

    @property
    def gb_per_s(self) -> float:
        """Bytes moved over time, in 10^9 bytes a second."""
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
    """Return (launches, ms in all) of every kernel, in the order of first use."""
    sums: dict[str, tuple[int, float]] = {}
    for each in times:
        launches, ms = sums.get(each.name, (0, 0.0))
        sums[each.name] = (launches + 1, ms + each.ms)
    return sums


def merge_repeats(times: Iterable[PassTime]) -> list[tuple[PassTime, int]]:
    """Join neighbours of the same kernel: (their sum, how many), in order."""
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
