"""istft whose work-groups meet at their borders: delays at random, bit by bit, and counters.

On an NVIDIA GPU the groups wait by inline PTX, elsewhere by the atomics of OpenCL C.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, replace

import numpy as np
import pyopencl as cl
import pytest

from pyclfft.audio.frame_jobs import Job
from pyclfft.audio.frame_plans import WINDOW
from pyclfft.audio.framing import make_frames
from pyclfft.planning.arguments import Scalar
from pyclfft.planning.parameters import GIVEN, parameters_for
from pyclfft.planning.passes import COUNTERS, Schedule
from pyclfft.planning.problem import Layout
from pyclfft.runtime import cache, describe, memory, program
from pyclfft.runtime.executable import Executable
from tests.oracle import noise

pytestmark = pytest.mark.one_cpu  # what they test is for GPUs

GPU = {"is_cpu": False, "lanes": 32, "groups_may_wait": True}
STEPS = 3000  # the most steps of a delay

# Points of frames, points from one to the next, signals, frames of each: groups with samples inside
# their borders, and groups of which little else than borders remains.
CASES = [(512, 256, 1, 67), (256, 64, 3, 41), (256, 64, 1, 333)]


@dataclass
class Launches:
    """One schedule, with a delay in its launches or without."""

    queue: cl.CommandQueue
    executable: Executable
    source: cl.Buffer
    samples: int

    def result(self, seed: int | None = None) -> np.ndarray:
        """Return the samples of a launch with other delays for each seed."""
        lease = self.executable._borrow(self.queue)
        if seed is not None:
            ((kernel, *_),) = lease.launches
            (only,) = self.executable.schedule.passes
            kernel.set_arg(len(only.arguments) - 1, np.uint32(seed))
        target = memory.allocate(self.queue.context, 4 * self.samples)
        cl.enqueue_fill_buffer(self.queue, target, np.float32(np.nan), 0, 4 * self.samples)
        self.executable._launch(lease, self.queue, self.source, target, (), None).wait()
        result = np.empty(self.samples, np.float32)
        cl.enqueue_copy(self.queue, result, target)
        counters = np.ones(lease.workspace[COUNTERS].size // 4, np.uint32)
        cl.enqueue_copy(self.queue, counters, lease.workspace[COUNTERS])
        assert not counters.any()
        lease.queue, lease.done = self.queue, None
        self.executable._idle.append(lease)
        return result


def delayed(schedule: Schedule) -> Schedule:
    """Return a schedule whose launch has delays, and takes their seed."""
    (only,) = schedule.passes
    arguments = {**only.arguments, "seed": Scalar("uint32", 0)}
    slow = replace(only, defines=(*only.defines, ("DELAY", str(STEPS))), arguments=arguments)
    return replace(schedule, passes=(slow,))


@pytest.fixture
def launches(queue):
    """What makes the launches of a case: without delays, and with them."""
    real = describe.traits(queue.device)
    if not (real.is_cpu or real.groups_may_wait):
        pytest.skip("this GPU's work-groups may not wait for each other")
    traits = replace(real, **GPU)

    def make(n_fft, hop, signals, count):
        frames, bins = make_frames(n_fft, hop), n_fft // 2 + 1
        framing = frames.over(hop * (count - 1), signals, "single")
        layout = Layout((signals, count, bins), (bins * count, bins, 1))
        job = Job(framing, frames.window, None, None, layout, back=True)
        wanted = {"istft_meets": 1, "istft_frames": 4}
        parameters = parameters_for(traits).over(wanted, GIVEN)
        schedule = job.schedule_with(traits, parameters)
        assert dict(schedule.passes[0].defines)["MEETS"] == "1"
        spectra = memory.constant(queue.context, noise((signals, count, bins), "c8"))
        weights = memory.constant(queue.context, job.weights)
        return [
            Launches(
                queue,
                Executable(queue.context, each, {WINDOW.name: weights}),
                spectra,
                signals * hop * (count - 1),
            )
            for each in (schedule, delayed(schedule))
        ]

    return make


def is_right(launches: Launches, seed: int, expected: np.ndarray) -> bool:
    """Return whether a launch gives these samples, and leaves zeros in its counters."""
    try:
        return np.array_equal(launches.result(seed), expected)
    except AssertionError:
        return False


@pytest.mark.parametrize("case", CASES)
def test_no_delay_changes_a_bit(launches, case):
    plain, slow = launches(*case)
    expected = plain.result()
    assert np.isfinite(expected).all()
    seeds, end = random.Random(1), time.monotonic() + 2
    for _ in range(200):
        assert np.array_equal(slow.result(seeds.getrandbits(32)), expected)
        assert np.array_equal(plain.result(), expected)
        if time.monotonic() > end:
            break


@pytest.mark.parametrize(
    ("waits", "instead"),
    [
        ("while (read_acquire(border.counter) < 3)", "while (read_acquire(border.counter) < 2)"),
        (
            "const uint own = border.exists ? found[id] : 0;",
            "const uint own = border.exists ? 0 : 0;",
        ),
        ("& ~later, 0);\n    wait_for_group(1);", "& ~later, 0);"),
    ],
)
def test_a_group_that_does_not_wait_is_found(launches, monkeypatch, waits, instead):
    real = program.source_text

    def broken(name, *others):
        text = real(name, *others)
        assert name != "gpu/stockham.cl" or waits in text
        return text.replace(waits, instead)

    plain, _ = launches(512, 256, 1, 1203)
    expected = plain.result()
    monkeypatch.setattr(program, "source_text", broken)
    cache.clear("programs")
    try:
        _, slow = launches(512, 256, 1, 1203)
        assert not all(is_right(slow, seed, expected) for seed in range(300))
    finally:
        cache.clear("programs")
