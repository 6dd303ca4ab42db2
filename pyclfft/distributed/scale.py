"""A cost model of transforms over ranks: compute, bandwidth and latency, on paper.

A transform of `elements` complex numbers over P ranks takes

- the time in which one rank's share goes through its device and its memory: a number of seconds for
  each byte, once for each stage;
- the time in which a rank sends a share of what it has, ``(p - 1) / p`` of it in an exchange among
  p ranks, at the rate of its link;
- the time in which it sends a message to each of the other ranks, once for each piece.

Slabs need one exchange among all ranks. Pencils need two, each among about the square root of as
many ranks, so that they send more bytes in fewer messages.

References
----------
D. Pekurovsky, "P3DFFT: a framework for parallel computations of Fourier transforms in three
dimensions", SIAM Journal on Scientific Computing 34 (2012) C192-C209.
A. Ayala, S. Tomov, M. Stoyanov, J. Dongarra, "Scalability issues in FFT computation", Parallel
Computing Technologies (PaCT 2021), LNCS 12942, 279-287.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls  # type: ignore[import-untyped]

from ..planning.slabs import four_step


@dataclass(frozen=True)
class Run:
    """A transform of a 3-D array over ranks.

    Attributes
    ----------
    nbytes : int
        The bytes of the whole array.
    ranks : int
        How many ranks share it.
    partition : {"slab", "pencil"}
        How it is cut.
    pieces : int
        In how many pieces each exchange is made.
    crowd : float
        How many ranks share the cores or the device that one rank would have alone; it multiplies
        the times of the device and of the link.

    See Also
    --------
    Machine : The costs from which the time of a run follows.
    fitted : Find these costs from measured times.
    """

    nbytes: int
    ranks: int
    partition: str = "slab"
    pieces: int = 1
    crowd: float = 1.0

    @property
    def exchanges(self) -> tuple[int, ...]:
        """The number of ranks in each exchange."""
        return (self.ranks,) if self.partition == "slab" else four_step(self.ranks)

    @property
    def stages(self) -> int:
        """How often each element goes through a device."""
        return 1 + len(self.exchanges)

    @property
    def sent_bytes(self) -> float:
        """The bytes that each rank sends to others, all exchanges together."""
        return sum(self.nbytes / self.ranks * (p - 1) / p for p in self.exchanges)

    @property
    def messages(self) -> int:
        """The messages that each rank sends to others, all exchanges together."""
        return sum((p - 1) * self.pieces for p in self.exchanges)

    @property
    def message_bytes(self) -> float:
        """The mean size of a message."""
        return self.sent_bytes / self.messages if self.messages else 0.0


@dataclass(frozen=True)
class Machine:
    """What a run costs on a machine.

    Attributes
    ----------
    device_s : float
        Seconds for each byte that goes through a rank's device once, with its way there and back.
    link_s : float
        Seconds for each byte that a rank sends to others.
    message_s : float
        Seconds for each message.
    relative_error : float
        How far the model lies from the runs that it was fitted to: the root of the mean square of
        the differences, each relative to its run. NaN if it was not fitted.

    See Also
    --------
    Run : A transform of which the machine tells the time.
    fitted : Return the machine that comes closest to measured times.
    better_partition : Return the partition that takes less time.
    """

    device_s: float
    link_s: float
    message_s: float
    relative_error: float = float("nan")

    def seconds(self, run: Run) -> float:
        """Return the time of a run, in which nothing overlaps."""
        parts = np.array([self.device_s, self.link_s, self.message_s])
        return float(np.dot(_terms(run), parts))

    def transfer(self, run: Run) -> float:
        """Return the share of the time that exchanges take."""
        return 1 - _terms(run)[0] * self.device_s / self.seconds(run)


def _terms(run: Run) -> tuple[float, float, float]:
    """Return what each cost is multiplied by."""
    through = run.stages * run.nbytes / run.ranks
    return through * run.crowd, run.sent_bytes * run.crowd, run.messages


def fitted(runs: Sequence[Run], seconds: Sequence[float]) -> Machine:
    """Return the machine whose costs, none of them negative, come closest to measured times.

    Parameters
    ----------
    runs : sequence of Run
        What was measured; on one rank and on several, otherwise the costs cannot be told apart.
    seconds : sequence of float
        The time of each run.

    Returns
    -------
    Machine
        The costs for which the sum of the squares of the relative differences is smallest.

    Raises
    ------
    ValueError
        There are fewer than three runs.

    See Also
    --------
    Run : A transform that was measured.
    better_partition : Return the partition that takes less time on the machine.
    pyclfft.distributed.reports : Return the time of the last transform.
    """
    if len(runs) < 3:
        raise ValueError(f"three costs cannot be told from {len(runs)} runs: measure three or more")
    measured = np.asarray(seconds, float)
    matrix = np.array([_terms(run) for run in runs], float) / measured[:, None]
    scales = np.maximum(matrix.max(axis=0), np.finfo(float).tiny)  # terms of very different sizes
    costs = nnls(matrix / scales, np.ones(len(runs)))[0] / scales
    error = float(np.sqrt(np.mean((matrix @ costs - 1) ** 2)))
    device_s, link_s, message_s = map(float, costs)
    return Machine(device_s, link_s, message_s, error)


def better_partition(
    machine: Machine, nbytes: int, ranks: int, places: int, pieces: int = 1
) -> str:
    """Return the partition that takes less time.

    Parameters
    ----------
    machine : Machine
        What runs cost.
    nbytes, ranks, pieces : int
        As for `Run`.
    places : int
        The length of the array's first axis; no more ranks than that can share slabs.

    See Also
    --------
    fitted : Return the machine that comes closest to measured times.
    pyclfft.distributed.fftn : Transform an array by the partition that you name.
    """
    if ranks > places:
        return "pencil"
    runs = [Run(nbytes, ranks, partition, pieces) for partition in ("slab", "pencil")]
    return min(runs, key=machine.seconds).partition
