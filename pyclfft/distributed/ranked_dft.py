"""The direct transform over ranks: each computes neighbouring bins, the root puts them together.

A bin is, bit for bit, the same whichever rank computes it, if their devices are of one kind: how
its sum is divided depends on the number of samples and of all bins, not on a rank's share.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..planning.slabs import ranges
from ..runtime import memory
from ..runtime.queues import default_queue
from .bins import Wanted, wanted_bins
from .direct import SEQUENTIAL, TILED, samples_of, transformed
from .rank_times import Step
from .ranks import Ranks

# The steps in their order, as `dft_over_ranks` names them.
STEPS = ("broadcast", "allocate", "upload", "compute", "download", "gather")

TRIAL_S = 0.05  # seconds of a trial from which its time is worth scaling
GROWTH = 4  # from one trial to the next, of the number of bins


def dft_over_ranks(
    ranks: Ranks,
    samples: np.ndarray | None,
    bins: Sequence[int] | None = None,
    *,
    variant: str = TILED,
    queue: cl.CommandQueue | None = None,
    group: int | None = None,
    step: Step = lambda name: nullcontext(),
) -> np.ndarray | None:
    """Compute the discrete Fourier transform of real samples by its definition, over all ranks.

    All ranks have to call it. Their errors end all of them, as `Ranks.together` describes.

    Parameters
    ----------
    ranks : Ranks
        The ranks.
    samples : ndarray of float32 or float64, shape (n,), or None
        The samples; only those of the root count.
    bins : sequence of int, optional
        The numbers of the bins, the same on all ranks; by default 0 to ``n // 2``, as `rfft`
        returns them.
    variant : {"tiled", "global", "local", "sequential"}
        How each rank computes; see `dft`.
    queue : cl.CommandQueue, optional
        The queue of this rank. The default is `default_queue`.
    group : int, optional
        The work-items of a group of the variants "global" and "local".
    step : callable, optional
        Takes the name of a step, one of `STEPS`, and returns a context that times it.

    Returns
    -------
    ndarray of complex64 or complex128, shape (bins,), or None
        The bins; None on all ranks but the root.

    Raises
    ------
    PlanError, PrecisionError, DeviceMemoryError
        See `dft`.
    RankError
        Another rank has failed.
    """
    queue = queue or default_queue()
    with step("broadcast"):
        samples = broadcast(ranks, samples)
    with ranks.together():
        wanted = wanted_bins(bins, len(samples), real=True, sign=-1)
        share = ranks.share(len(wanted.computed))
        mine = _computed(
            samples, wanted, (share.start, share.stop), variant=variant, queue=queue, group=group,
            step=step,
        )  # fmt: skip
    with step("gather"):
        found = _gathered(ranks, mine, len(wanted.computed))
    return found if found is None or bins is None else wanted.spread(found)


def broadcast(ranks: Ranks, samples: np.ndarray | None) -> np.ndarray:
    """Return the root's samples, on every rank.

    Parameters
    ----------
    ranks : Ranks
        The ranks, all of which have to call this.
    samples : ndarray of float32 or float64, shape (n,), or None
        The samples; only those of the root count.

    Returns
    -------
    ndarray, shape (n,)
    """
    if ranks.comm is None:
        assert samples is not None
        return samples
    known: Any = None if samples is None else (len(samples), samples.dtype)
    count, dtype = ranks.from_root(known)
    if not ranks.root:
        samples = np.empty(count, dtype)
    ranks.comm.Bcast(samples)
    assert samples is not None
    return samples


def _computed(
    samples: np.ndarray, wanted: Wanted, share: tuple[int, int], step: Step, **options: Any
) -> np.ndarray:
    """Compute one rank's share of the bins, and time how it gets to the device and back."""
    array, axis = samples_of(samples, 0)
    if options["variant"] == SEQUENTIAL:
        with step("compute"):
            return np.asarray(transformed(array, wanted, axis, share, **options))
    queue = options["queue"]
    with step("allocate"):
        there = cl_array.empty(
            queue, array.shape, array.dtype, allocator=memory.allocator(queue.context)
        )
    with step("upload"):
        there.set(array, queue)
        queue.finish()
    with step("compute"):
        found = transformed(there, wanted, axis, share, **options)
        queue.finish()
    with step("download"):
        return np.asarray(found.get(queue))


def _gathered(ranks: Ranks, mine: np.ndarray, count: int) -> np.ndarray | None:
    """Return the bins of all ranks, in the order of the ranks, on the root."""
    if ranks.comm is None:
        return mine
    found = np.empty(count, mine.dtype) if ranks.root else None
    counts = [each.stop - each.start for each in ranges(count, ranks.size)]
    ranks.comm.Gatherv(mine, None if found is None else [found, counts])
    return found


def expected_seconds(
    ranks: Ranks,
    samples: np.ndarray,
    bins: Sequence[int] | None,
    variant: str,
    queue: cl.CommandQueue,
) -> float:
    """Return how long this rank's share should take, from trials with some of its bins.

    The first trial also builds the program. Then the trials grow until one takes `TRIAL_S`.

    Parameters
    ----------
    ranks : Ranks
        The ranks.
    samples : ndarray of float32 or float64, shape (n,)
        The samples.
    bins : sequence of int, or None
        The bins that all ranks together shall compute, as for `dft_over_ranks`.
    variant : {"tiled", "global", "local", "sequential"}
        How this rank computes.
    queue : cl.CommandQueue
        The queue of this rank.

    Returns
    -------
    float
        Seconds.
    """
    wanted = wanted_bins(bins, len(samples), real=True, sign=-1)
    share = ranks.share(len(wanted.computed))
    whole = share.stop - share.start
    took, count = 0.0, min(whole, 1)

    def compute() -> None:
        part = share.start, share.start + count
        transformed(samples, wanted, 0, part, variant=variant, queue=queue)

    compute()
    while count < whole and took < TRIAL_S:
        count = min(whole, GROWTH * count)
        begin = time.perf_counter()
        compute()
        took = time.perf_counter() - begin
    return took * whole / max(1, count)
