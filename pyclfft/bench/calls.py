"""What a call costs the host: a plan's beside pyopencl's own, a function's beside the plan's."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import cast

import pyopencl as cl
import pyopencl.array as cl_array
import pyopencl.tools as cl_tools

from ..errors import PlanError
from ..planning.passes import assign_buffers
from ..planning.planner import plan_passes
from ..runtime.executable import Executable
from ..runtime.plan import Plan
from ..transforms import fftn
from .cases import Case
from .statistics import Spread, spread

# Short ones, so that the device does not hold up the host.
CASES = (
    Case((1024,), batch=1),
    Case((4096,), batch=1),
    Case((2**16,), batch=1),
    Case((512, 512), batch=1),
)
CALLS = 8  # in a sample; the device has caught up before the next begins
SAMPLES = 200


@dataclass(frozen=True)
class CallCost:
    """Microseconds of the host, without waiting for the device.

    Attributes
    ----------
    case : str
        Its name.
    passes : int
        Launches of one call.
    plan, raw : Spread
        A plan's call with ``out=``; pyopencl's own set_arg of every buffer and
        enqueue_nd_range_kernel for the same passes.
    allocating, functional : Spread
        A plan's call without ``out=``; a function's with its plan in the cache. Results come from a
        memory pool.
    """

    case: str
    passes: int
    plan: Spread
    raw: Spread
    allocating: Spread
    functional: Spread

    @property
    def per_pass(self) -> float:
        """What the plan adds to each pass."""
        return (self.plan.median - self.raw.median) / self.passes

    @property
    def beside_plan(self) -> float:
        """What the function adds to the plan, allocation of the result aside."""
        return self.functional.median - self.allocating.median


def measure_calls(queue: cl.CommandQueue, algorithm: str | None = None) -> list[CallCost]:
    """Measure what of this module's cases can be planned, the four ways to call taking turns."""
    costs = []
    for case in CASES:
        with suppress(PlanError):  # an algorithm that was asked for and does not apply
            costs.append(_measure(case, queue, algorithm))
    return costs


def _measure(case: Case, queue: cl.CommandQueue, algorithm: str | None) -> CallCost:
    workload = case.sized(1)
    shape, dtype, axes = workload.shape, workload.source_dtype, workload.axes
    # A pool, so that results without out= cost no allocation.
    pool = cl_tools.MemoryPool(cl_tools.ImmediateAllocator(queue))
    x, y = (cl_array.zeros(queue, shape, dtype, allocator=pool) for _ in range(2))
    plan = Plan(shape, dtype, axes, algorithm=algorithm, context=queue.context)
    schedule = assign_buffers(
        plan_passes(plan.problem, plan.traits, algorithm), plan.problem.nbytes
    )
    raw = _raw_call(Executable(plan.context, schedule), queue, x, y)
    ways: dict[str, Callable[[], object]] = {
        "plan": lambda: plan(x, out=y),
        "raw": raw,
        "allocating": lambda: plan(x),
        "functional": lambda: fftn(x, axes=axes),
    }
    samples: dict[str, list[float]] = {name: [] for name in ways}
    for round_number in range(1 + SAMPLES):
        for name, way in ways.items():
            microseconds = _host_time(way)
            y.finish()
            queue.finish()
            if round_number:  # the first one builds kernels and fills caches
                samples[name].append(microseconds)
    return CallCost(
        case.name, len(plan.passes), **{name: spread(each) for name, each in samples.items()}
    )


def _raw_call(
    executable: Executable, queue: cl.CommandQueue, x: cl_array.Array, y: cl_array.Array
) -> Callable[[], None]:
    """Return what launches the same passes by pyopencl alone.

    Numbers are the same in every call and are set once: pyopencl takes long over them. All buffers
    are set each time.
    """
    launches = []
    for each in executable.launches(*(cast("cl.Buffer", array.base_data) for array in (x, y))):
        each.kernel.set_args(*each.arguments)
        arguments = enumerate(each.arguments)
        buffers = [(n, value) for n, value in arguments if isinstance(value, cl.Buffer)]
        launches.append((each.kernel, buffers, each.global_size, each.local_size))

    def call() -> None:
        for kernel, buffers, global_size, local_size in launches:
            for position, buffer in buffers:
                kernel.set_arg(position, buffer)
            cl.enqueue_nd_range_kernel(queue, kernel, global_size, local_size)

    return call


def _host_time(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    for _ in range(CALLS):
        call()
    return (time.perf_counter() - start) / CALLS * 1e6
