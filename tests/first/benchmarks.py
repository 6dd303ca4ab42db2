"""The kernels that only benchmarks launch: the steps of direct convolution, and multiply-adds."""

from __future__ import annotations

import numpy as np
import pyopencl as cl
import pytest

from pyclfft.bench import multiply_adds
from pyclfft.convolution import ladder
from tests.oracle import noise, relative_error

FRAMES, TAPS, GROUP = 60, 11, 8


def check_convolution_ladder(queue: cl.CommandQueue) -> None:
    """Convolve by the first and by the last step, offline and in real time."""
    dry, ir = noise((FRAMES, 2), "f4"), noise((TAPS, 2), "f4")
    expected = np.stack([np.convolve(dry[:, c].astype("f8"), ir[:, c]) for c in (0, 1)], 1)
    for rungs, chunk in ((ladder.OFFLINE, None), (ladder.REAL_TIME, 2 * GROUP)):
        for rung in (rungs[0], rungs[-1]):
            made = ladder.ladder(queue.context, rung, dry, ir, chunk, group=GROUP)
            result = made.run(queue)[: len(expected)]
            assert relative_error(result, expected) < 1e-6


def check_multiply_adds(queue: cl.CommandQueue) -> None:
    """Measure a rate, briefly."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(multiply_adds, "LEAST_S", 0)
        assert multiply_adds.MultiplyAdds(queue.context).rate() > 0


CHECKS = {
    "benchmark of direct convolution": check_convolution_ladder,
    "benchmark of multiply-adds": check_multiply_adds,
}
