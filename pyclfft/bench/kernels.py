"""Each kernel of a transform alone: how long all its launches take, by the device's own events."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..errors import PyclfftError
from ..runtime import memory
from ..runtime.plan import Plan
from ..runtime.profile import totals
from .cases import Case, Workload
from .rivals import Ours
from .runner import Noise, Settings
from .statistics import Spread, spread


@dataclass(frozen=True)
class KernelTime:
    """How long one kernel takes in one transform.

    Attributes
    ----------
    algorithm : str
        Whose launches these are.
    kernel : str
        The kernel's name.
    points : int
        Length of the transform.
    launches : int
        Of this kernel in one transform.
    ms : Spread
        Milliseconds of all these launches together, without the time between them.
    """

    algorithm: str
    kernel: str
    points: int
    launches: int
    ms: Spread


def kernel_times(
    contenders: Sequence[Ours], case: Case, noise: Noise, settings: Settings
) -> Iterator[KernelTime]:
    """Measure every kernel of several algorithms, which take no turns: events time the device.

    Parameters
    ----------
    contenders : sequence of Ours
        On one queue, each with its algorithm. One that cannot transform the case is left out.
    case : Case
        What to transform.
    noise : Noise
        Gives the input.
    settings : Settings
        Samples of each algorithm, and the seconds after which no more are taken.

    Yields
    ------
    KernelTime
        By algorithm, and then in the order of first use.
    """
    workload = case.sized(1)
    source = noise.source(workload)
    for each in contenders:
        try:
            plan = each.plan(workload)
            found = _measured(plan, each.queue, workload, source, settings)
        except PyclfftError:  # the table of the cases says why
            continue
        for kernel, (launches, ms) in found.items():
            yield KernelTime(each.algorithm or each.name, kernel, case.points, launches, spread(ms))


def _measured(
    plan: Plan, queue: cl.CommandQueue, workload: Workload, source: np.ndarray, settings: Settings
) -> dict[str, tuple[int, list[float]]]:
    """Return launches and samples of every kernel; the first sample counts only if it is alone."""
    allocator = memory.allocator(queue.context)
    x = cl_array.to_device(queue, source, allocator=allocator)
    y = cl_array.empty(queue, workload.result_shape, workload.result_dtype, allocator=allocator)
    queue.finish()
    launches: dict[str, int] = {}
    samples: defaultdict[str, list[float]] = defaultdict(list)
    spent_s = 0.0
    for _ in range(settings.samples + 1):
        if spent_s > settings.budget_s:
            break
        for kernel, (count, ms) in totals(plan.profile(x, y)).items():
            launches[kernel] = count
            samples[kernel].append(ms)
            spent_s += ms / 1e3
    return {
        kernel: (count, samples[kernel][1:] or samples[kernel])
        for kernel, count in launches.items()
    }
