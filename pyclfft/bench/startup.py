"""Time from planning to the first result, in a new process: ``python -m pyclfft.bench.startup``.

In a cold start nothing has been compiled before. In a warm start another process has compiled
everything. Each cold start has a new folder for all caches of compiled kernels, pyclfft's and the
drivers'; the warm start after it finds the caches there.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..errors import DeviceError, PyclfftError
from ..planning.planner import plan_passes
from ..planning.problem import make_problem
from ..planning.traits import Traits
from ..runtime import choice, queues
from ..runtime.program import program
from .cases import CASES, Workload
from .rivals import Ours
from .statistics import Spread, spread

SHORT = "1024"  # name of the short case, which is always measured
LARGEST = 4  # so many plans that compile the most programs: no rule says which takes the longest
REPEATS = 3  # cold starts, and warm starts, of each case
CACHES = ("PYCLFFT_CACHE_DIR", "POCL_CACHE_DIR", "CUDA_CACHE_PATH", "NEO_CACHE_DIR")


@dataclass(frozen=True)
class Startup:
    """Seconds from ``Plan(...)`` to the first result on the device.

    Attributes
    ----------
    case : str
        The case's name.
    programs : int
        Number of programs that the plan compiles.
    cold, warm : Spread
        Seconds if nothing has been compiled before, and if another process has compiled everything.
    """

    case: str
    programs: int
    cold: Spread
    warm: Spread


def measure_startup(
    spec: str | None, traits: Traits, elements: int, algorithm: str | None = None
) -> list[Startup]:
    """Measure the short case, and the plans of the target's cases that compile most.

    Parameters
    ----------
    spec : str, optional
        The device, as `use_device` takes it.
    traits : Traits
        What is known of that device.
    elements : int
        How many numbers each case transforms in all.
    algorithm : str, optional
        Name of the only algorithm to use, as `Plan` takes it.

    Returns
    -------
    list of Startup
        One for each measured case.

    Raises
    ------
    DeviceError
        If a process has failed; the message is the last line that it has printed.
    """
    targets = [case for case in CASES if case.target and case.points <= elements]
    sizes = {case: programs(case.sized(elements), traits, algorithm) for case in targets}
    largest = sorted(sizes, key=lambda case: (sizes[case], case.points))[-LARGEST:]
    arguments = [str(elements), spec or "", algorithm or ""]
    return [
        _measure(case.name, count, arguments)
        for case, count in sizes.items()
        if count and (case.name == SHORT or case in largest)
    ]


def programs(workload: Workload, traits: Traits, algorithm: str | None = None) -> int:
    """Count the programs that a plan compiles; 0 if the case cannot be planned."""
    try:
        problem = make_problem(workload.shape, workload.source_dtype, workload.axes)
        passes = plan_passes(problem, traits, algorithm)
    except PyclfftError:
        return 0
    return len({(each.source, each.defines) for each in passes})


def _measure(name: str, count: int, arguments: Sequence[str]) -> Startup:
    cold, warm = [], []
    for _ in range(REPEATS):
        with tempfile.TemporaryDirectory(prefix="pyclfft-bench-") as folder:
            cold.append(_seconds(name, arguments, folder))
            warm.append(_seconds(name, arguments, folder))
    return Startup(name, count, spread(cold), spread(warm))


def _seconds(name: str, arguments: Sequence[str], folder: str) -> float:
    """Run this module as a program, and return the seconds that it prints."""
    root = str(Path(__file__).parents[2])
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    caches = dict.fromkeys(CACHES, folder)
    done = subprocess.run(
        [sys.executable, "-m", __spec__.name, name, *arguments],
        env={**os.environ, **caches, "PYTHONPATH": path},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        raise DeviceError(f"planning {name} in a process of its own fails: {last}")
    return float(json.loads(done.stdout.splitlines()[-1]))


def main(argv: Sequence[str]) -> None:
    """Plan a case, transform once, and print the seconds that both have taken."""
    name, elements, spec, algorithm = argv
    (case,) = (case for case in CASES if case.name == name)
    workload = case.sized(int(elements))
    queue = queues.queue_of(queues.context_of(choice.select_device(spec or None)))
    x, y = _arrays(workload, queue)
    gc.collect()  # now, since to look through all imported modules takes as long as a warm start
    start = time.perf_counter()
    Ours(queue, algorithm or None).plan(workload)(x, out=y)
    queue.finish()
    print(json.dumps(time.perf_counter() - start))


def _arrays(workload: Workload, queue: cl.CommandQueue) -> tuple[cl_array.Array, cl_array.Array]:
    """Do what is no part of planning: allocate, touch the memory, and run a first kernel.

    At a process's first kernel a driver sets itself up; NVIDIA's takes 6 ms.
    """
    x = cl_array.zeros(queue, workload.source_shape, workload.source_dtype)
    y = cl_array.zeros(queue, workload.result_shape, workload.result_dtype)
    norm = cl.Kernel(program(queue.context, "textbook/norm.cl", (("DOUBLE", "0"),)), "norm")
    norm.set_args(cast("cl.Buffer", x.base_data), np.uint64(1), np.float32(1))
    cl.enqueue_nd_range_kernel(queue, norm, (1,), None)
    queue.finish()
    return x, y


if __name__ == "__main__":
    main(sys.argv[1:])
