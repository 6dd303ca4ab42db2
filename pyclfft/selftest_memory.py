"""Many plans made and dropped: the memory that they leave behind, on the host and on the device."""

from __future__ import annotations

import ctypes
import gc
import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import pyopencl as cl

from . import selftest_random
from .runtime import queues
from .selftest_cases import precisions_of
from .selftest_random import BLOCK, PLANS

KINDS_OF_PLANS = 22  # different plans, two of each kind: caches hold all that they need
POINTS = 2**9  # the most elements of an array: planning is what is examined
CALLED = 5  # one plan of so many is called before it is dropped
SAMPLES = 10  # how often memory is measured
LEAST = 2  # plans that give two samples, which can be compared
LEEWAY = 8 * 2**20  # bytes by which the host's memory may grow behind the first sample


@dataclass(frozen=True)
class Sample:
    """The memory after some plans.

    Attributes
    ----------
    plans : int
        How many plans have been made and dropped.
    seconds : float
        How long it took.
    host_bytes : int or None
        The process's resident memory; None where the operating system does not say.
    buffers, device_bytes : int
        How many buffers of OpenCL are alive, of those made since the run began, and their size.
    """

    plans: int
    seconds: float
    host_bytes: int | None
    buffers: int
    device_bytes: int


class Counter:
    """The buffers of pyopencl that are alive, of those made while `counted_buffers` counts."""

    def __init__(self) -> None:
        self.buffers = self.nbytes = 0
        self._lock = threading.RLock()  # a finalizer may come while its thread counts

    def add(self, buffers: int, nbytes: int) -> None:
        """Count a new buffer, or one that is freed."""
        with self._lock:
            self.buffers += buffers
            self.nbytes += nbytes


@contextmanager
def counted_buffers() -> Iterator[Counter]:
    """Count the buffers that anyone in this process makes and frees, as pyopencl itself does not.

    Yields
    ------
    Counter
    """
    counter, real = Counter(), cl.Buffer

    class Counted(real):  # type: ignore[misc,valid-type]
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self.counted = int(self.size)
            counter.add(1, self.counted)

        def __del__(self) -> None:
            if hasattr(self, "counted"):  # it has been made
                counter.add(-1, -self.counted)

    class Kind(type):
        def __call__(cls, *args: Any, **options: Any) -> Any:
            return Counted(*args, **options)

        def __instancecheck__(cls, value: Any) -> bool:
            return isinstance(value, real)

    cl.Buffer = Kind("Buffer", (), {})  # type: ignore[misc,assignment]
    try:
        yield counter
    finally:
        cl.Buffer = real  # type: ignore[misc]


def run(device: cl.Device, count: int, seed: int = 0, points: int = POINTS) -> Iterator[Sample]:
    """Make plans and drop them, and measure the memory now and then.

    Before the first of these plans each transform is planned and called once, so that the caches
    hold all that they need.

    Parameters
    ----------
    device : cl.Device
        The device.
    count : int
        The number of plans, `LEAST` or more.
    seed : int
        The seed of `selftest_random`, whose first plans are made again and again.
    points : int
        The most elements of an array.

    Yields
    ------
    Sample
        After each tenth of the plans.
    """
    queue, known = queues.queue_of(queues.context_of(device)), precisions_of(device)
    numbers = [
        number
        for number in range(PLANS)
        if selftest_random.transform_of(seed, number, points).precision in known
    ][:KINDS_OF_PLANS]
    cases = [selftest_random.case(seed, number * BLOCK, points) for number in numbers]
    ends = {-(-count * part // SAMPLES) for part in range(1, SAMPLES + 1)}
    begin = time.monotonic()
    with counted_buffers() as counter:
        for case in cases:
            _make(case, queue, called=True)
        for made in range(1, count + 1):
            called = made // len(cases) % CALLED == 0
            _make(cases[made % len(cases)], queue, called=called)
            if made in ends:
                settle()
                seconds = time.monotonic() - begin
                yield Sample(made, seconds, resident(), counter.buffers, counter.nbytes)


def _make(case: selftest_random.Case, queue: cl.CommandQueue, *, called: bool) -> None:
    """Make the plan of a case, call it if that is wanted, and drop it."""
    plan = selftest_random.planned(case.transform, queue.context)
    if called:
        layout = case.source.layout(case.transform.input_shape)
        memory = selftest_random.memory_of(layout, case.transform.dtype, case.seed)
        selftest_random.call(case, plan, queue, memory)


def settle() -> None:
    """Free what Python and the C library only keep for later."""
    gc.collect()
    # Only glibc has the function, and on Windows CDLL does not take None.
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def resident() -> int | None:
    """Return the process's resident memory in bytes; None where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return None


def problems_of(samples: Sequence[Sample]) -> list[str]:
    """Return in words what has grown from the first sample to the last one; empty for nothing."""
    first, last = samples[0], samples[-1]
    since = f"from plan {first.plans:,} to plan {last.plans:,}"
    problems = []
    if first.host_bytes is not None and last.host_bytes is not None:
        growth = last.host_bytes - first.host_bytes
        if growth > LEEWAY:
            problems.append(
                f"the host's memory has grown by {growth / 2**20:.1f} MiB {since}; "
                f"{LEEWAY >> 20} MiB are allowed"
            )
    if last.buffers > first.buffers or last.device_bytes > first.device_bytes:
        problems.append(
            f"the buffers on the device have grown from {first.buffers:,} to {last.buffers:,}, and "
            f"from {first.device_bytes:,} to {last.device_bytes:,} bytes, {since}"
        )
    return problems


HEADER = ("plans", "seconds", "host MiB", "buffers", "device bytes")


def row(sample: Sample) -> tuple[str, ...]:
    """Return a row for a table with `HEADER`."""
    host = "unknown" if sample.host_bytes is None else f"{sample.host_bytes / 2**20:.1f}"
    return (
        f"{sample.plans:,}", f"{sample.seconds:.1f}", host, f"{sample.buffers:,}",
        f"{sample.device_bytes:,}",
    )  # fmt: skip
