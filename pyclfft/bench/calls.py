"""What a call costs the host: a plan beside pyopencl itself, and a function beside its plan."""

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

# These transforms are short, so that the host does not wait for the device.
CASES = (
    Case((1024,), batch=1),
    Case((4096,), batch=1),
    Case((2**16,), batch=1),
    Case((512, 512), batch=1),
)
CALLS = 8  # calls in a sample; before the next sample the device finishes all of them
SAMPLES = 200  # samples of each way to call


@dataclass(frozen=True)
class CallCost:
    """Microseconds that a call takes on the host, without waiting for the device.

    Attributes
    ----------
    case : str
        The case's name.
    passes : int
        Number of launches in one call.
    plan, raw : Spread
        A plan called with ``out=``; and pyopencl alone, which sets every buffer by set_arg and
        enqueues the launches of that plan by enqueue_nd_range_kernel.
    allocating, functional : Spread
        A plan called without ``out=``; and a function whose plan is in the cache. Both take their
        results from a memory pool.
    """

    case: str
    passes: int
    plan: Spread
    raw: Spread
    allocating: Spread
    functional: Spread

    @property
    def per_pass(self) -> float:
        """Microseconds that the plan adds to each pass, beside pyopencl."""
        return (self.plan.median - self.raw.median) / self.passes

    @property
    def beside_plan(self) -> float:
        """Microseconds that the function adds to the plan that allocates its result."""
        return self.functional.median - self.allocating.median


def measure_calls(queue: cl.CommandQueue, algorithm: str | None = None) -> list[CallCost]:
    """Measure the cases of this module that can be planned; the four ways to call take turns."""
    costs = []
    for case in CASES:
        with suppress(PlanError):  # the algorithm that was asked for does not take the case
            costs.append(_measure(case, queue, algorithm))
    return costs


def _measure(case: Case, queue: cl.CommandQueue, algorithm: str | None) -> CallCost:
    workload = case.sized(1)
    shape, dtype, axes = workload.shape, workload.source_dtype, workload.axes
    # Results without out= come from a pool, so that they cost no allocation.
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
            if round_number:  # the first round builds kernels and fills caches
                samples[name].append(microseconds)
    return CallCost(
        case.name, len(plan.passes), **{name: spread(each) for name, each in samples.items()}
    )


def _raw_call(
    executable: Executable, queue: cl.CommandQueue, x: cl_array.Array, y: cl_array.Array
) -> Callable[[], None]:
    """Return a call that launches a plan's passes by pyopencl alone.

    It sets all buffers in each call. Numbers stay the same from call to call, and pyopencl is slow
    to set them: they are set once.
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
