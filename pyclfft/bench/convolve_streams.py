"""Whether copies and computing overlap in a stream of the method "direct", by its number of queues.

A stream of blocks is computed without pauses, with one queue, which the thesis calls a stream, and
with two. Events tell when each copy and each kernel began and ended on the device.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyopencl as cl

from ..convolution.circular import COPY, KERNEL, CircularEngine
from ..convolution.responses import checked_ir, response_for
from ..runtime import describe
from .render import Part, Table

STREAMS = (1, 2)
BLOCKS, SKIPPED, FLYING = 100, 20, 3  # blocks measured, those before them, and those under way

Interval = tuple[float, float]  # from a begin to an end


@dataclass(frozen=True)
class Overlap:
    """What a block takes on the device, in milliseconds.

    Attributes
    ----------
    streams : int
        The number of queues.
    copying, computing : float
        The time in which something was copied, and in which a kernel ran.
    both : float
        The time in which both happened at once.
    block : float
        The time from one block to the next.
    copies : str
        Over what the copies go.
    """

    streams: int
    copying: float
    computing: float
    both: float
    block: float
    copies: str = ""


def measure_overlaps(queue: cl.CommandQueue, ir: np.ndarray, block: int) -> tuple[Overlap, ...]:
    """Compute blocks of stereo noise without pauses, with one stream and with two.

    Parameters
    ----------
    queue : cl.CommandQueue
        A queue of the device to measure.
    ir : ndarray, shape (2, taps)
        The impulse response.
    block : int
        The frames of a block.

    Returns
    -------
    tuple of Overlap
    """
    response = response_for(checked_ir(ir), 2)
    frames = np.random.default_rng(0).standard_normal((2, block)).astype(np.float32)
    result = np.empty_like(frames)
    found = []
    for streams in STREAMS:
        engine = CircularEngine(queue.context, response, block, streams, "single", FLYING + 1)
        for number in range(SKIPPED + BLOCKS + FLYING):
            if number == SKIPPED:
                engine.trace = []
            engine.feed(frames)
            engine.launch()
            if number >= FLYING:
                engine.fetch(result)
        for _ in range(FLYING):
            engine.fetch(result)
        trace, engine.trace = engine.trace or [], None
        found.append(overlap_of(streams, trace))
    note = copies_note(queue.device)
    return tuple(replace(each, copies=note) for each in found)


def overlap_of(streams: int, trace: Iterable[tuple[str, cl.Event]]) -> Overlap:
    """Return what the events of a stream say."""
    intervals: dict[str, list[Interval]] = {COPY: [], KERNEL: []}
    for kind, event in trace:
        intervals[kind].append((event.profile.start, event.profile.end))
    copies, kernels = (merged(intervals[kind]) for kind in (COPY, KERNEL))
    blocks = len(intervals[KERNEL])
    whole = kernels[-1][1] - kernels[0][0]
    times = (total(copies), total(kernels), total(common(copies, kernels)), whole)
    copying, computing, both, block = (1e-6 * each / blocks for each in times)
    return Overlap(streams, copying, computing, both, block)


def merged(intervals: Iterable[Interval]) -> list[Interval]:
    """Return the times that are in any of the intervals, as intervals that do not touch."""
    result: list[Interval] = []
    for begin, end in sorted(intervals):
        if result and begin <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((begin, end))
    return result


def common(first: Iterable[Interval], second: Iterable[Interval]) -> list[Interval]:
    """Return the times that are in an interval of each of two lists."""
    pairs = itertools.product(first, second)
    both = ((max(a, c), min(b, d)) for (a, b), (c, d) in pairs)
    return [(begin, end) for begin, end in both if begin < end]


def total(intervals: Iterable[Interval]) -> float:
    """Return the length of intervals that do not touch."""
    return sum(end - begin for begin, end in intervals)


def parts(overlaps: tuple[Overlap, ...]) -> Iterator[Part]:
    """Yield the paragraph and the table."""
    yield (
        'The next table shows the method "direct", computed without pauses, with one queue and '
        "with two. For each block it shows the milliseconds in which something was copied, in "
        "which a kernel ran, in which both happened at once, and from this block to the next one. "
        "One queue runs its commands one after the other. With two queues, one block can be copied "
        "while the kernel of another block runs."
    )
    rows = tuple(
        (str(each.streams), *(f"{ms:.4f}" for ms in (
            each.copying, each.computing, each.both, each.block)), each.copies)
        for each in overlaps
    )  # fmt: skip
    yield Table(("streams", "copying", "computing", "both at once", "block", "copies"), rows)


def copies_note(device: cl.Device) -> str:
    """Return over what a device's copies go."""
    if describe.traits(device).is_cpu:
        return "none to overlap: within the memory"
    return "over the bus"
