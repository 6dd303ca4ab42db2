"""Single kernels of a transform: how long all launches of each take, by the device's events."""

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
    """How long all launches of one kernel take in one transform.

    Attributes
    ----------
    algorithm : str
        Name of the algorithm that launches the kernel.
    kernel : str
        Name of the kernel.
    points : int
        Length of the transform.
    launches : int
        Number of the kernel's launches in one transform.
    ms : Spread
        Milliseconds of all these launches together, without the gaps between them.
    """

    algorithm: str
    kernel: str
    points: int
    launches: int
    ms: Spread


def kernel_times(
    contenders: Sequence[Ours], case: Case, noise: Noise, settings: Settings
) -> Iterator[KernelTime]:
    """Measure every kernel of several algorithms, one algorithm after the other.

    The algorithms need not take turns, because the device's events time the kernels.

    Parameters
    ----------
    contenders : sequence of Ours
        Pyclfft with each of the algorithms. An algorithm that cannot transform the case is left
        out.
    case : Case
        The case to transform.
    noise : Noise
        Source of the input.
    settings : Settings
        How many samples are taken of each algorithm, and in how many seconds at most.

    Yields
    ------
    KernelTime
        One for each kernel: by algorithm, and then in the order of the first launches.
    """
    workload = case.sized(1)
    source = noise.source(workload)
    for each in contenders:
        try:
            plan = each.plan(workload)
            found = _measured(plan, each.queue, workload, source, settings)
        except PyclfftError:  # the reason stands below the table of the cases
            continue
        for kernel, (launches, ms) in found.items():
            yield KernelTime(each.algorithm or each.name, kernel, case.points, launches, spread(ms))


def _measured(
    plan: Plan, queue: cl.CommandQueue, workload: Workload, source: np.ndarray, settings: Settings
) -> dict[str, tuple[int, list[float]]]:
    """Return each kernel's launches and samples. The first sample warms up, unless it is alone."""
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
