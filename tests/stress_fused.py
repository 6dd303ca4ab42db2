"""Stress of the launch that joins two passes (cl/gpu/fused.cl): random delays, thousands of times.

    python tests/stress_fused.py --seconds 300 --device nvidia

Each launch of each case has other delays: in every warp before its loads and after its stores, in
the work-item that counts, in the one that waits. Two queues run launches of their own at once.
Output and workspace are filled with NaNs before, and afterwards all of the output is compared, bit
by bit, with what two launches give, on the device. Counters must be zero again. Prints one line for
each failure (at most 20) and a summary; the exit status is 1 where anything failed.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyopencl as cl

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import pyclfft
from pyclfft.planning.arguments import Scalar
from pyclfft.planning.parameters import parameters_for
from pyclfft.planning.passes import COUNTERS, Pass, assign_buffers
from pyclfft.planning.planner import plan_passes
from pyclfft.planning.problem import make_problem
from pyclfft.planning.solvers.fused import fused_schedule
from pyclfft.planning.traits import Traits
from pyclfft.runtime import describe, memory, queues
from pyclfft.runtime.executable import Executable, Lease

DELAYS = (0, 200, 5000)  # most steps of idling: none, about a load, about a whole tile
CLOSE = 1e-6  # of the largest result, where the compiler has contracted products differently
REPORTED = 20

COMPARE = """
kernel void differ(global const uint *a, global const uint *b, global uint *count)
{
    size_t i = get_global_id(0);
    if (a[i] != b[i])
        atomic_inc(count);
}
"""


@dataclass
class Runner:
    """One case with one delay, in two queues.

    Attributes
    ----------
    name : str
        What to call it.
    executable : Executable
        With the joined passes.
    number : int
        Of the pass that is fused, and so of its kernel.
    seeded : bool
        The kernel takes the launch's number.
    """

    name: str
    executable: Executable
    number: int
    seeded: bool
    nbytes: int
    source: cl.Buffer
    expected: cl.Buffer
    in_place: bool


def believed(device: cl.Device, nbytes: int) -> Traits:
    """Return the device's traits; one that is not made for this gets what it takes.

    Then the cache just holds two arrays of `nbytes`, which gives several chunks.
    """
    traits = describe.traits(device)
    if traits.groups_may_wait and traits.l2_bytes:
        return traits
    return replace(traits, groups_may_wait=True, l2_bytes=2 * nbytes)


def cases(elements: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Shapes and axes: one and two dimensions, many chunks and one, whole tiles and parts."""
    found = []
    for n in (2**12, 2**16, 2**18, 2**20):
        found.append(((elements // n, n), (1,)))
    for n in (64, 512, 1024):
        found.append(((elements // n // n, n, n), (1, 2)))
    found += [((1, 2**16), (1,)), ((1, 512, 512), (1, 2)), ((37, 48, 40), (1, 2))]
    found += [((max(1, elements // 10**6), 1000, 1000), (1, 2))]
    found += [((elements // 2**15, 32, 32, 32), (1, 2, 3))]
    return [(shape, axes) for shape, axes in found if shape[0] >= 1 and np.prod(shape) <= elements]


def with_delay(each: Pass, steps: int) -> Pass:
    """Compile a fused pass with delays; it then takes the launch's number."""
    if each.kernel != "fused" or not steps:
        return each
    return replace(
        each,
        defines=(*each.defines, ("DELAY", str(steps))),
        arguments={**each.arguments, "seed": Scalar("uint32", 0)},
    )


class Stress:
    """All runners of a device, and what came of them."""

    def __init__(self, device: cl.Device, elements: int) -> None:
        self.context = queues.context_of(device)
        self.queues = [cl.CommandQueue(self.context) for _ in range(2)]
        self.device = device
        self.compare = cl.Kernel(cl.Program(self.context, COMPARE).build(), "differ")
        self.random = random.Random(1)
        self.launches = self.words = 0
        self.failures: list[str] = []
        self.notes: set[str] = set()
        self.targets: dict[tuple[int, int], cl.Buffer] = {}
        self.runners: list[Runner] = []
        for shape, axes in cases(elements):
            self.add(shape, axes)

    def add(self, shape: tuple[int, ...], axes: tuple[int, ...]) -> None:
        """Make the runners of a case, if its passes are joined."""
        problem = make_problem(shape, "complex64", axes)
        name = f"{'x'.join(map(str, shape))} along {axes}"
        algorithm = "four_step_groups" if len(axes) == 1 and shape[1] <= 2**13 else None
        traits = believed(self.device, problem.nbytes)
        passes = plan_passes(problem, traits, algorithm)
        parameters = parameters_for(traits)
        joined = fused_schedule(passes, problem.nbytes, traits, parameters)
        if joined is None:
            self.notes.add(f"{name}: two launches")
            return
        rng = np.random.default_rng(0)
        x = rng.random((*shape, 2), np.float32) - np.float32(0.5)
        source = memory.constant(self.context, x)
        expected = memory.allocate(self.context, problem.nbytes)
        apart = Executable(self.context, assign_buffers(passes, problem.nbytes))
        apart.enqueue(self.queues[0], source, expected).wait()
        for in_place in (False, True):
            schedule = fused_schedule(passes, problem.nbytes, traits, parameters, in_place=in_place)
            if schedule is None:
                self.notes.add(f"{name} in place: two launches")
                continue
            number = next(n for n, p in enumerate(schedule.passes) if p.kernel == "fused")
            for steps in DELAYS:
                delayed = tuple(with_delay(each, steps) for each in schedule.passes)
                executable = Executable(self.context, replace(schedule, passes=delayed))
                title = f"{name}{' in place' if in_place else ''}, delay {steps}"
                runner = Runner(
                    title, executable, number, steps > 0, problem.nbytes, source, expected, in_place
                )
                if steps == 0 and not in_place:
                    runner.expected = expected = self.agreed(runner)
                self.runners.append(runner)

    def agreed(self, runner: Runner) -> cl.Buffer:
        """Return what to compare with: two launches, or one if that differs by rounding only."""
        target = memory.allocate(self.context, runner.nbytes)
        runner.executable.enqueue(self.queues[0], runner.source, target).wait()
        first, second = (np.empty(runner.nbytes // 4, np.float32) for _ in range(2))
        cl.enqueue_copy(self.queues[0], first, runner.expected)
        cl.enqueue_copy(self.queues[0], second, target)
        if np.array_equal(first.view(np.uint32), second.view(np.uint32)):
            return runner.expected
        difference = float(np.abs(first - second).max() / np.abs(first).max())
        if not difference <= CLOSE:
            self.fail(f"{runner.name}: differs from two launches by {difference:g}")
            return runner.expected
        self.notes.add(f"{runner.name}: rounded unlike two launches, {difference:.1e}")
        return target

    def fail(self, message: str) -> None:
        self.failures.append(message)
        if len(self.failures) <= REPORTED:
            print("FAILED:", message, flush=True)

    def launch(self, runner: Runner, place: int) -> tuple[cl.Buffer, Lease, cl.Event]:
        """Start one launch on one of the queues, on poisoned memory."""
        queue = self.queues[place]
        target = self.target(runner.nbytes, place)
        lease = runner.executable._borrow(queue)
        nan = np.float32(np.nan)
        if runner.in_place:
            cl.enqueue_copy(queue, target, runner.source, byte_count=runner.nbytes)
        else:
            cl.enqueue_fill_buffer(queue, target, nan, 0, runner.nbytes)
        for name, buffer in lease.workspace.items():
            if name != COUNTERS:
                cl.enqueue_fill_buffer(queue, buffer, nan, 0, buffer.size)
        if runner.seeded:
            kernel = lease.launches[runner.number][0]
            arguments = runner.executable.schedule.passes[runner.number].arguments
            kernel.set_arg(len(arguments) - 1, np.uint32(self.random.getrandbits(32)))
        source = target if runner.in_place else runner.source
        event = runner.executable._launch(lease, queue, source, target, (), None)
        queue.flush()
        return target, lease, event

    def target(self, nbytes: int, place: int) -> cl.Buffer:
        """Return a queue's buffer for results: one of each size."""
        if (nbytes, place) not in self.targets:
            self.targets[nbytes, place] = memory.allocate(self.context, nbytes)
        return self.targets[nbytes, place]

    def check(self, runner: Runner, place: int, target: cl.Buffer, lease: Lease) -> None:
        """Compare all of the output, and look whether the counters are zero again."""
        queue = self.queues[place]
        count = memory.zeros(self.context, 4)
        words = runner.nbytes // 4
        self.compare.set_args(target, runner.expected, count)
        cl.enqueue_nd_range_kernel(queue, self.compare, (words,), None)
        differing = np.empty(1, np.uint32)
        cl.enqueue_copy(queue, differing, count)
        counters = np.empty(lease.workspace[COUNTERS].size // 4, np.uint32)
        cl.enqueue_copy(queue, counters, lease.workspace[COUNTERS])
        self.launches += 1
        self.words += words
        if differing[0]:
            self.fail(f"{runner.name}: {differing[0]} of {words} words differ")
        if counters.any():
            self.fail(f"{runner.name}: counters are not zero")
        lease.queue, lease.done = queue, None
        runner.executable._idle.append(lease)

    def run(self, seconds: float) -> None:
        """Go on until the time is over, every runner about as often."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.runners:
            pair = self.random.sample(self.runners, min(2, len(self.runners)))
            started = [(runner, n, *self.launch(runner, n)) for n, runner in enumerate(pair)]
            for runner, n, target, lease, event in started:
                event.wait()
                self.check(runner, n, target, lease)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--device", default=None, help="as for pyclfft.use_device")
    parser.add_argument(
        "--log-elements", type=int, help="of the largest cases: 24 on GPUs, else 18"
    )
    options = parser.parse_args()
    device = pyclfft.default_device() if options.device is None else None
    if device is None:
        pyclfft.use_device(options.device)
        device = pyclfft.default_device()
    traits = describe.traits(device)
    stress = Stress(device, 2 ** (options.log_elements or (18 if traits.is_cpu else 24)))
    stress.run(options.seconds)
    for note in sorted(stress.notes):
        print("note:", note)
    print(
        f"{device.name.strip()}: {stress.launches} launches of {len(stress.runners)} cases, "
        f"{stress.words:.3g} words compared, PTX {int(traits.ptx)}: "
        f"{len(stress.failures)} failures"
    )
    return 1 if stress.failures or not stress.launches else 0


if __name__ == "__main__":
    sys.exit(main())
