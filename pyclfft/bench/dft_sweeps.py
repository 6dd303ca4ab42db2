"""What ``bench dft`` measures: the direct transform by length, by ranks, and by work-items a group.

A report on the direct transform, for CUDA and for MPI, has these three sweeps. Everything is timed
from the samples on the host to the bins on the host.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, replace
from math import nan, prod
from statistics import fmean
from typing import Any

import numpy as np
import pyopencl as cl

from ..convolution.operands import layout_of
from ..distributed import direct
from ..distributed.bins import wanted_bins
from ..distributed.direct_plans import GLOBAL, LOCAL, TILED, DftJob, dft_schedule
from ..distributed.rank_times import TOTAL, Step, repeated
from ..distributed.ranked_dft import dft_over_ranks
from ..distributed.ranks import Ranks
from ..errors import PyclfftError
from ..planning.accuracy import relative_error
from ..runtime import describe
from ..transforms.real import rfft
from . import render
from .documents import numbers, read_document
from .occupancy import occupancy_of
from .statistics import Spread, spread

PROG = "pyclfft bench dft"
SCHEMA = 1

SEQUENTIAL, FFT = direct.SEQUENTIAL, "fft"
LENGTHS, RANKS, GROUPS = "lengths", "ranks", "groups"
# Each sweep and what it measures, for help texts and headings.
SWEEPS = {
    LENGTHS: "the total time by the number of samples",
    RANKS: "the time of each step by the number of MPI's ranks",
    GROUPS: "the time of each step by the work-items of a group",
}
POINTS = (100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)
RANK_COUNTS = (1, 2, 3, 4, 6, 8)
RANK_POINTS = 20_000  # the most that the report measures
GROUP_SIZES = (16, 32, 64, 128, 256, 512, 1024)
GROUP_POINTS = 5000  # as many fit in the local memory of every GPU
ALONE = (SEQUENTIAL, GLOBAL, LOCAL, TILED, FFT)  # contenders in one process
OVER_RANKS = (SEQUENTIAL, TILED)  # contenders over ranks

WAIT = "wait"
BOUND = 4e-15  # relative error, in double precision
BUDGET_S = 2.0  # seconds of samples after which a contender takes no more


@dataclass(frozen=True)
class Job:
    """A contender at one case.

    Attributes
    ----------
    variant : str
        How it computes: a variant of `pyclfft.dft`, or "fft".
    points : int
        The number of real samples.
    ranks : int
        How many ranks share the work; 0 stands for one process without MPI.
    group : int
        The work-items of a group; 0 stands for the usual number.
    """

    variant: str
    points: int
    ranks: int = 0
    group: int = 0

    @property
    def name(self) -> str:
        """The contender's name, without the case."""
        ranks = f", {self.ranks} rank{'s' * (self.ranks > 1)}" if self.ranks else ""
        return f"{self.variant}{ranks}"

    def samples(self) -> np.ndarray:
        """Return the samples, of float64."""
        return np.random.default_rng(3).uniform(-0.5, 0.5, self.points)


@dataclass(frozen=True)
class Entry:
    """What was measured of a contender at one case.

    Attributes
    ----------
    job : Job
        The contender and the case.
    ms : Spread
        Milliseconds of the whole, on the root.
    parts : dict of str to float
        Milliseconds of each step and of all of them, the mean over ranks and repeats. What the
        steps lack of the total is in `WAIT`: ranks have waited for others.
    error : float
        The relative error.
    occupancy : float
        How many of the work-items that a GPU's unit can hold it keeps on it; NaN if not known.
    scaled : bool
        Whether the time was scaled from that of fewer samples.
    reason : str
        Why it was not measured; empty if it was.
    """

    job: Job
    ms: Spread = field(default_factory=Spread)
    parts: Mapping[str, float] = field(default_factory=dict)
    error: float = nan
    occupancy: float = nan
    scaled: bool = False
    reason: str = ""

    @property
    def wrong(self) -> bool:
        """Whether the result was computed and is wrong."""
        return not self.scaled and not self.reason and not self.error <= BOUND


@dataclass(frozen=True)
class Results:
    """Everything that ``bench dft`` has measured.

    Attributes
    ----------
    environment : dict of str to str
        Devices, versions and the commit, by name.
    threads : int
        The hardware threads of the host.
    limit_s : float
        Seconds of one transform from which on a time is scaled from that of fewer samples.
    entries : dict of str to tuple of Entry
        For each sweep what was measured, case by case.
    """

    environment: dict[str, str]
    threads: int
    limit_s: float
    entries: Mapping[str, tuple[Entry, ...]]

    def of(self, sweep: str, **wanted: Any) -> list[Entry]:
        """Return the entries of a sweep whose jobs have the attributes that are wanted."""
        return [
            each
            for each in self.entries.get(sweep, ())
            if all(getattr(each.job, name) == value for name, value in wanted.items())
        ]

    def ms(self, sweep: str, **wanted: Any) -> float:
        """Return the median of the only such entry; NaN if it was not measured."""
        found = self.of(sweep, **wanted)
        return found[0].ms.median if found else nan

    @property
    def wrong(self) -> bool:
        """Whether any result is wrong."""
        return any(each.wrong for entries in self.entries.values() for each in entries)

    def with_entry(self, sweep: str, entry: Entry) -> Results:
        """Return these results with one entry more."""
        entries = {**self.entries, sweep: (*self.entries.get(sweep, ()), entry)}
        return replace(self, entries=entries)


# --- measuring ------------------------------------------------------------------------------------


def measure(ranks: Ranks, job: Job, queue: cl.CommandQueue, samples: int) -> Entry:
    """Measure a contender on all ranks together.

    Parameters
    ----------
    ranks : Ranks
        The ranks.
    job : Job
        The contender and the case.
    queue : cl.CommandQueue
        This rank's queue.
    samples : int
        How often it is measured, unless it takes long.

    Returns
    -------
    Entry
        What was measured, on the root; on other ranks only the job counts.
    """
    values = job.samples() if ranks.root else None

    def transform(step: Step) -> np.ndarray | None:
        if job.variant == FFT:
            assert values is not None
            with step("compute"):
                return np.asarray(rfft(values))
        return dft_over_ranks(
            ranks, values, variant=job.variant, queue=queue, group=job.group or None, step=step
        )

    try:
        if job.variant == SEQUENTIAL:  # Numba's compiler is all that has to be prepared
            dft_over_ranks(ranks, np.ones(1) if ranks.root else None, variant=SEQUENTIAL)
        else:
            transform(lambda name: nullcontext())
        found, seconds = repeated(ranks, transform, samples, BUDGET_S)
    except PyclfftError as reason:  # each rank raises one
        return Entry(job, reason=str(reason).splitlines()[0])
    everybody = [each for rank in ranks.collect(seconds) for each in rank]
    if found is None:
        return Entry(job)
    steps = dict.fromkeys(step for each in everybody for step in each)
    parts = {step: 1e3 * fmean(each.get(step, 0) for each in everybody) for step in steps}
    parts[WAIT] = max(0.0, 2 * parts[TOTAL] - sum(parts.values()))
    error = relative_error(found, np.fft.rfft(job.samples()))
    return Entry(job, spread([1e3 * each[TOTAL] for each in seconds]), parts, error)


def measure_all(
    ranks: Ranks, jobs: Sequence[Job], queue: cl.CommandQueue, samples: int, limit_s: float
) -> Iterator[Entry]:
    """Measure jobs one after the other.

    A job that would take longer than the limit is not measured. Its time is that of the same
    contender with fewer samples, times the square of the ratio of the samples.

    Parameters
    ----------
    ranks, queue, samples
        See `measure`.
    jobs : sequence of Job
        The jobs; of each contender those with fewer samples come first.
    limit_s : float
        Seconds that one transform may take.

    Yields
    ------
    Entry
    """
    known: dict[str, tuple[int, float]] = {}
    for job in jobs:
        points, ms = known.get(job.name, (0, 0.0))
        expected = ms * (job.points / points) ** 2 if points and job.variant != FFT else 0.0
        if ranks.from_root(expected > 1e3 * limit_s):
            yield Entry(job, Spread(expected, expected, expected, 0), scaled=True)
            continue
        entry = measure(ranks, job, queue, samples)
        known[job.name] = job.points, entry.ms.median
        yield entry


def occupancy_at(context: cl.Context, job: Job) -> float:
    """Return the occupancy of a job's kernel on a GPU; NaN if it is not known."""
    samples, bins = np.empty(job.points), np.empty(job.points // 2 + 1, np.complex128)
    wanted = wanted_bins(None, job.points, real=True, sign=-1)
    planned = DftJob(
        wanted, 0, len(bins), layout_of("x", samples), layout_of("the result", bins), 0, "double",
        job.variant, job.group or None,
    )  # fmt: skip
    kernel = dft_schedule(planned, describe.traits(context.devices[0])).passes[0]
    groups = prod(kernel.global_size) // prod(kernel.local_size)
    return occupancy_of(context, kernel, groups)


# --- the jobs of each sweep -----------------------------------------------------------------------


def jobs_alone(points: Sequence[int]) -> list[Job]:
    """Return the jobs of one process in the sweep over lengths."""
    return [Job(variant, n) for variant in ALONE for n in points]


def jobs_of_ranks(points: Sequence[int], ranks: int) -> list[Job]:
    """Return the jobs of some ranks in the sweep over lengths."""
    return [Job(variant, n, ranks) for variant in OVER_RANKS for n in points]


def jobs_of_groups(points: int, most: int) -> list[Job]:
    """Return the jobs of the sweep over groups of at most `most` work-items."""
    sizes = [size for size in GROUP_SIZES if size <= most]
    return [Job(variant, points, 0, size) for variant in (GLOBAL, LOCAL) for size in sizes]


# --- as JSON --------------------------------------------------------------------------------------


def as_json(results: Results) -> str:
    """Return everything that was measured as JSON."""
    return render.json_of({"schema": SCHEMA, **asdict(results)})


def results_of(document: Mapping[str, Any]) -> Results:
    """Return what `as_json` has written."""
    return Results(
        document["environment"],
        document["threads"],
        document["limit_s"],
        {sweep: tuple(map(entry_of, entries)) for sweep, entries in document["entries"].items()},
    )


def entry_of(document: Mapping[str, Any]) -> Entry:
    """Return one entry of a JSON document."""
    parsed = numbers(document)
    return Entry(
        **{**parsed, "job": Job(**document["job"]), "ms": Spread(**numbers(document["ms"]))}
    )


def read(path: str | os.PathLike[str]) -> Results:
    """Read a file of ``bench dft --json``; `read_document` says how it can fail."""
    return read_document(path, results_of, PROG)
