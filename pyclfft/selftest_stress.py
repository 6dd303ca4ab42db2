"""Stress of a device: threads share plans and queues, and every result is compared with SciPy's.

The plans are few, so that many threads meet in one of them. Now and then a plan is made anew and
all caches are emptied, so that some threads plan and build while others compute.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import partial
from math import nan
from queue import Empty, SimpleQueue
from random import Random
from typing import Any

import pyopencl as cl

from . import selftest_random, selftest_tally, transforms
from .caches import clear_cache
from .runtime import queues
from .runtime.plan import Plan
from .runtime.vendors import runtime_of
from .selftest_cases import Outcome, precisions_of
from .selftest_random import BLOCK, PLAIN, PLANS, Case
from .selftest_tally import Failure

THREADS = 8
SHARED_PLANS = 11  # one of each kind
POINTS = 2**12  # the most elements of an array: short calls meet more often
MINUTES = 10.0  # how long it takes unless the caller asks for another time
RENEWAL = 0.02  # the chance that a call's plan is made anew
CLEARING = 0.002  # the chance that all caches are emptied before a call
BY_FUNCTION = 0.25  # the chance that a function such as `fftn` is called, which caches its plan
HANG_S = 120  # seconds after which a thread that does not come back counts as a failure

# A case with its number, what came of it, and where it ran.
Done = tuple[int, Case, Outcome, str]


class Stress:
    """Threads that call shared plans on shared queues.

    Parameters
    ----------
    device : cl.Device
        The device.
    place : str
        How the line that runs a case again names the device, for example "0:1".
    seed : int
        The seed of the cases, and of what each thread draws.
    points : int
        The most elements of an array.
    threads : int
        The number of threads.

    Attributes
    ----------
    tally : Tally
        What came of the cases.
    """

    def __init__(
        self, device: cl.Device, place: str, seed: int, points: int, threads: int = THREADS
    ) -> None:
        self.tally = selftest_tally.new_tally(device, seed, points)
        self._place = place
        self._context = queues.context_of(device)
        self._queues = [cl.CommandQueue(self._context) for _ in range(2)]
        out_of_order = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
        if device.queue_properties & out_of_order and runtime_of(device).disorder:
            self._queues.append(cl.CommandQueue(self._context, properties=out_of_order))
        known = precisions_of(device)
        numbers = (
            number
            for number in range(PLANS)
            if selftest_random.transform_of(seed, number, points).precision in known
        )
        self._numbers = [number for number, _ in zip(numbers, range(SHARED_PLANS), strict=False)]
        self._plans: dict[int, Plan] = {}
        self._done: SimpleQueue[Done] = SimpleQueue()
        self._stopped = threading.Event()
        first = self._numbers[0] * BLOCK
        case = selftest_random.case(seed, first, points)
        self._begun: list[tuple[int, Case]] = [(first, case)] * threads  # each thread's last

    @property
    def shape(self) -> dict[str, int]:
        """How many threads, plans and queues there are."""
        threads = len(self._begun)
        queues = threads + len(self._queues)  # each thread has one of its own
        return {"threads": threads, "plans": len(self._numbers), "queues": queues}

    def run(self, seconds: float) -> Iterator[Failure | None]:
        """Let all threads work for a time; each of them runs one case at least.

        Parameters
        ----------
        seconds : float
            How long they begin new cases.

        Yields
        ------
        Failure or None
            For each case the failure, if it failed; None, too, while there is nothing new.
        """
        threads = [
            threading.Thread(target=self._work, args=(number,), name=str(number), daemon=True)
            for number in range(len(self._begun))
        ]
        begin = time.monotonic()
        for each in threads:
            each.start()
        try:
            while any(each.is_alive() for each in threads):
                if (left := begin + seconds - time.monotonic()) <= 0:
                    break
                try:
                    yield self._note(*self._done.get(timeout=min(left, 0.5)))
                except Empty:
                    yield None
        finally:
            self._stopped.set()
            end = time.monotonic() + HANG_S
            for each in threads:
                each.join(max(0.0, end - time.monotonic()))
            hung = [number for number, each in enumerate(threads) if each.is_alive()]
            self.tally.stamp(time.monotonic() - begin)
        while not self._done.empty():
            yield self._note(*self._done.get())
        for number in hung:
            yield self._note(*self._failed(number, f"the call has not come back for {HANG_S} s"))

    def _work(self, thread: int) -> None:
        """Run cases until the time is over; runs in a thread, which an exception ends."""
        draw = Random(f"pyclfft {self.tally.seed} thread {thread}")
        try:
            while True:
                self._done.put(self._next(thread, draw))
                if self._stopped.is_set():
                    return
        except Exception as exception:  # of any type: each is a failure
            self._done.put(self._failed(thread, f"{type(exception).__name__}: {exception}"))

    def _next(self, thread: int, draw: Random) -> Done:
        """Draw a case and run it."""
        plan = self._numbers[int(draw.random() * len(self._numbers))]
        number = plan * BLOCK + int(draw.random() * BLOCK)
        case = selftest_random.case(self.tally.seed, number, self.tally.points)
        which = int(draw.random() * (1 + len(self._queues)))
        function = None
        if draw.random() < BY_FUNCTION and not (case.transform.load or case.transform.store):
            case = replace(case, place="device", placement="new", target=PLAIN)
            function = partial(_by_function, case)
        self._begun[thread] = number, case
        queue = (queues.queue_of(self._context), *self._queues)[which]
        if draw.random() < CLEARING:
            clear_cache()
        made = function or self._plan_of(case, plan, draw.random() < RENEWAL)
        outcome = selftest_random.examine(case, queue, made)
        return number, case, outcome, f"thread {thread}, queue {which}"

    def _plan_of(self, case: Case, number: int, anew: bool) -> Plan | None:
        """Return the plan that all threads share; None if it fails, so that its case says why."""
        if anew or number not in self._plans:
            try:
                self._plans[number] = selftest_random.planned(case.transform, self._context)
            except Exception:
                return None
        return self._plans[number]

    def _note(self, number: int, case: Case, outcome: Outcome, where: str) -> Failure | None:
        """Count a case; return its failure, if it failed."""
        known = len(self.tally.failures)
        self.tally.add(number, case, outcome, self._place)
        self.tally.next += 1
        if len(self.tally.failures) == known:
            return None
        failure = self.tally.failures[-1]
        failure.problem += f" (in {where}; alone it may pass)"
        return failure

    def _failed(self, thread: int, problem: str) -> Done:
        """Return what failed in a thread, with the last case that it has begun."""
        number, case = self._begun[thread]
        transform, bound = case.transform, selftest_random.bound(case.transform)
        outcome = Outcome(transform.kind, transform.precision, nan, bound, problem)
        return number, case, outcome, f"thread {thread}"


def _by_function(case: Case, x: Any, out: None, queue: cl.CommandQueue) -> Any:
    """Transform a device array, on its own queue, by a function such as `pyclfft.fftn`."""
    return selftest_random.by_function(transforms, case.transform, x)


def verdict(stress: Stress) -> str:
    """Return in one line what came of all cases."""
    tally, shape = stress.tally, stress.shape
    if not tally.next:
        return f"FAIL: no case has run in {tally.seconds:.0f} s: give it more --minutes M"
    cases = f"{tally.next:,} cases by {shape['threads']} threads"
    of = f"{cases} with {shape['plans']} plans on {shape['queues']} queues"
    word = f"FAIL: {tally.failed} of {of}" if tally.failed else f"pass: {of}"
    return f"{word} in {tally.seconds:.0f} s"


def record(stress: Stress) -> dict[str, Any]:
    """Return all results for a JSON file."""
    return {**asdict(stress.tally), **stress.shape}
