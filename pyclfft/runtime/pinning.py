"""PoCL's threads: each of them stays on a processor of its own.

PoCL starts as many threads as there are processors. When they wake up, Linux may let two of them
wait for one processor, for milliseconds, while another processor has nothing to do: an image of
512 x 512 took 1.7 times as long on two processors (docs/howto/devices.md). If ``POCL_AFFINITY`` is
1 when PoCL is loaded, each of its threads stays on the processor that has the thread's number. So
``import pyclfft`` sets this variable (`pin_pocl`). When pyclfft has listed the platforms, which
loads PoCL, it restores the variable, so that child processes do not inherit it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from .variables import Variable

# If the user has set one of these variables, pyclfft changes nothing. The second and the third one
# limit how many threads PoCL starts: if several processes had few threads each, all processes would
# use the processors with the lowest numbers.
CHOSEN_BY_USER = ("POCL_AFFINITY", "POCL_MAX_PTHREAD_COUNT", "POCL_CPU_MAX_CU_COUNT")

variable = Variable()


def pin_pocl() -> None:
    """Let each of PoCL's threads stay on a processor of its own, if PoCL is loaded later on.

    Nothing is changed if the user has chosen how PoCL's threads run, or if this process may not use
    all processors: PoCL does not ask which ones it may use.
    """
    if not any(name in os.environ for name in CHOSEN_BY_USER) and _may_use_all_processors():
        variable.set("POCL_AFFINITY", "1")


def _may_use_all_processors() -> bool:
    """Whether the system, which must be Linux, lets this process run on each of its processors."""
    allowed: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
    if sys.platform != "linux" or allowed is None:
        return False
    return allowed(0) == set(range(os.cpu_count() or 0))
