"""Tuning: a search that measures on a device, and whose result is kept for later plans."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from math import inf, isfinite
from pathlib import Path
from statistics import median

import numpy as np
import pyopencl as cl
from numpy.typing import DTypeLike

from ..errors import PlanError
from ..files import atomic_write, cache_dir, private_folder
from ..planning import database
from ..planning.lookup import Entry, Workclass
from ..planning.parameters import Values, parameters_for
from ..planning.precision import COMPLEX_DTYPE, REAL_DTYPE
from ..planning.problem import Problem, choose, make_problem
from ..planning.solvers import BY_NAME
from ..planning.traits import Traits
from ..runtime import cache, choice, describe, queues, wisdom
from ..runtime.plan import Plan
from .cases import Case, TransformCase
from .groups import ALGORITHMS, GroupsFound, KernelGroup, tune_groups
from .search import CONFIRMATIONS, EFFORTS, LOSS, Found, Search, Timing
from .search import Measure as Turns
from .space import KNOBS, Candidate, Task

STEPS = len(KNOBS)  # how often a search calls `step`
ELEMENTS_ON_GPU, ELEMENTS_ON_CPU = 2**26, 2**22  # numbers enough to keep a device busy
DOUBLE = 16  # bytes of a complex number in double precision
BUFFERS = 8  # so many arrays in double precision have to fit into the device's memory


@dataclass(frozen=True)
class Tuned:
    """What tuning has found.

    Attributes
    ----------
    problem : str
        The class of problems for which it holds.
    parameters : mapping of str to value
        The parameters that differ from the defaults; empty if the defaults are the fastest.
    ms, default_ms : float
        Milliseconds of a transform with these parameters, and with the defaults, measured in turns.
    measured : int
        Number of candidates that have been measured.
    complete : bool
        True if nothing was left to try; False if the time ran out.
    clock : str
        What has measured: ``"events"``, or ``"host"`` if the runtime's events cannot be trusted.
    failed : mapping of str to str
        Why candidates failed or had wrong results, by the text of their parameters.
    kernels : tuple of KernelGroup
        The work-groups of each of the textbook's kernels if `algorithm` is ``"radix2"``, else
        empty.

    See Also
    --------
    tune : Find the fastest parameters of a transform.
    Plan : A planned transform, which takes the parameters that were found.
    """

    problem: str
    parameters: Values
    ms: float
    default_ms: float
    measured: int
    complete: bool
    clock: str
    failed: Values = field(default_factory=dict)
    kernels: tuple[KernelGroup, ...] = ()

    @property
    def gain(self) -> float:
        """Time with the defaults divided by the time with what was found."""
        return self.default_ms / self.ms


def tune(
    shape: int | Iterable[int],
    dtype: DTypeLike = np.complex64,
    axes: int | Iterable[int] | None = None,
    kind: str = "c2c",
    direction: str = "forward",
    *,
    algorithm: str | None = None,
    effort: str = "measure",
    time_limit: float | None = None,
    db: str | os.PathLike[str] | None = None,
    device: str | cl.Device | None = None,
    step: Callable[[], object] = lambda: None,
) -> Tuned:
    """Find the fastest parameters of a transform on a device, and keep them for later plans.

    Candidates take turns, and a candidate with a wrong result cannot win. What has been measured is
    stored at once: if a search is interrupted, the next one goes on where it stopped.

    Parameters
    ----------
    shape : int or iterable of int
        Extents of the input, as for `Plan`.
    dtype : dtype
        Type of the input's numbers.
    axes : int or iterable of int, optional
        Axes to transform; all by default.
    kind : {"c2c", "r2c", "c2r", "dct1" to "dct4", "dst1" to "dst4"}
        What goes in and comes out, as for `Plan`.
    direction : {"forward", "inverse"}
        Direction that is measured. The result holds for both directions.
    algorithm : str, optional
        Name of the only algorithm to tune. The result then holds for plans that ask for it.
    effort : {"measure", "exhaustive"}
        Whether to change one parameter after the other, or to try all structures in combination
        first.
    time_limit : float, optional
        Seconds, after which the best parameters found so far are the result.
    db : str or path, optional
        File of the tuning database to write to; by default the user's, which plans read.
    device : str or pyopencl.Device, optional
        Device to tune for, as `use_device` takes it; by default the default device.
    step : callable, optional
        Called without arguments up to `STEPS` times, to show progress.

    Returns
    -------
    Tuned
        The fastest parameters, and what they gain.

    Raises
    ------
    PlanError
        If there is nothing to transform, or an argument has no allowed value.
    DeviceMemoryError
        If the device has no room for the transform.
    DeviceError
        If even the default parameters fail, or give a wrong result.
    OSError
        If the database cannot be written.

    See Also
    --------
    Plan : A planned transform, which takes the parameters that were found.

    Examples
    --------
    >>> import pyclfft
    >>> tuned = pyclfft.tune((64, 256), "complex64", axes=1, time_limit=0.1)
    >>> tuned.problem
    'c2c single 256 rows 2^6'
    """
    problem = make_problem(shape, dtype, axes, kind, direction)
    choose("effort", effort, EFFORTS)
    if algorithm is not None:
        choose("algorithm", algorithm, BY_NAME)
    if not problem.axes or not problem.nbytes:
        raise PlanError("there is nothing to tune: transform at least one axis of some elements")
    return tune_problem(
        problem, _device(device), algorithm, effort, inf if time_limit is None else time_limit,
        database.user_file() if db is None else db, step,
    )  # fmt: skip


def _device(spec: str | cl.Device | None) -> cl.Device:
    return choice.select_device(spec)


def tune_problem(
    problem: Problem,
    chosen: cl.Device,
    algorithm: str | None,
    effort: str,
    time_limit: float,
    db: str | os.PathLike[str],
    step: Callable[[], object] = lambda: None,
) -> Tuned:
    """Tune a problem of contiguous arrays without hooks; `tune` describes the parameters."""
    case = TransformCase(problem)
    return tune_case(case, chosen, algorithm, effort, time_limit, db, step)


def tune_case(
    case: Case,
    chosen: cl.Device,
    algorithm: str | None,
    effort: str,
    time_limit: float,
    db: str | os.PathLike[str],
    step: Callable[[], object] = lambda: None,
    tell: Callable[[Candidate, Timing], object] = lambda candidate, timing: None,
) -> Tuned:
    """Find the fastest parameters of a case, and keep them.

    Parameters
    ----------
    case : Case
        What is tuned.
    chosen : pyopencl.Device
        Device to tune for.
    algorithm, effort, time_limit, db, step
        The parameters of `tune`.
    tell : callable, optional
        Called with each candidate that was measured, and its timing.

    Returns
    -------
    Tuned
    """
    deadline = time.monotonic() + time_limit
    traits = describe.traits(chosen)
    task = case.task(traits, parameters_for(traits), algorithm)
    workclass = case.workclass(algorithm)
    by_turns = case.measure(queues.context_of(chosen), task)

    def measure(candidates: Sequence[Candidate]) -> list[Timing]:
        timings = by_turns(candidates)
        for pair in zip(candidates, timings, strict=True):
            tell(*pair)
        return timings

    trials = _Trials(chosen, workclass)
    groups = GroupsFound()
    if algorithm in ALGORITHMS and isinstance(case, TransformCase):
        groups = tune_groups(case.problem, chosen, task.parameters, deadline)
    search = Search(
        task, measure, effort, trials.ratios, trials.keep, deadline, hint=groups.values
    )  # fmt: skip
    found = _with_groups(search.run(step), groups, task, measure)
    _remember(found, chosen, workclass, effort, db)
    if found.complete:
        trials.forget()
    return Tuned(
        str(workclass), found.values, found.ms, found.default_ms, found.measured, found.complete,
        by_turns.clock, found.failed, groups.kernels,
    )  # fmt: skip


def _with_groups(found: Found, groups: GroupsFound, task: Task, measure: Turns) -> Found:
    """Return what a search has found with the groups of single kernels, unless these are slower.

    A group's size is kept even if the searched schedule does not launch its kernel.
    """
    found = replace(
        found,
        measured=found.measured + groups.measured,
        complete=found.complete and groups.complete,
        failed={**found.failed, **groups.failed},
    )
    values = {**found.values, **groups.values}
    known, better = task.candidate(found.values), task.candidate(values)
    if known is None or better is None:
        return found
    if better.key == known.key:
        return replace(found, values=values)
    turns = [measure([known, better]) for _ in range(CONFIRMATIONS)]
    slower = median(with_them.ms / before.ms for before, with_them in turns)
    if not slower < LOSS:
        return found
    return replace(found, values=values, ms=found.ms * slower)


def _remember(
    found: Found, chosen: cl.Device, workclass: Workclass, effort: str, db: str | os.PathLike[str]
) -> None:
    entry = Entry(
        describe.identity(chosen),
        workclass,
        found.values,
        wisdom.sources_hash(),
        round(found.ms, 6),
        round(found.default_ms, 6),
        datetime.now(timezone.utc).strftime("%Y-%m-%d"),
        effort if found.complete else f"{effort}, cut short",
    )
    database.update(db, lambda known: database.merged(known, [entry]))
    if Path(db) == database.user_file():
        wisdom.forget_entries()
        cache.clear("plans", "hankel", "filters", "frames", "convolvers", "correlators", "chirps",
                    "deconvolutions")  # fmt: skip


class _Trials:
    """Ratios that a search has measured, in a file of the cache, so that it can be continued."""

    def __init__(self, chosen: cl.Device, workclass: Workclass) -> None:
        about = (describe.identity(chosen), str(workclass), wisdom.sources_hash())
        name = hashlib.sha256(repr(about).encode()).hexdigest()[:16]
        self._path = cache_dir() / "tuning" / f"{name}.json"
        self.ratios = self._known()

    def _known(self) -> dict[str, float]:
        try:
            stored = json.loads(self._path.read_bytes())
            return {str(key): inf if each is None else float(each) for key, each in stored.items()}
        except (OSError, ValueError, TypeError, AttributeError, OverflowError, RecursionError):
            return {}

    def keep(self) -> None:
        """Write the ratios. If that fails, an interrupted search only has to measure again."""
        stored = {key: each if isfinite(each) else None for key, each in self.ratios.items()}
        with suppress(OSError):
            private_folder(self._path.parent, own=True)
            with atomic_write(self._path) as file:
                file.write(json.dumps(stored).encode())

    def forget(self) -> None:
        """Delete the file: the search is complete."""
        with suppress(OSError):
            self._path.unlink()


def fitting_elements(traits: Traits) -> int:
    """Return how many numbers suit a device: a power of two for which it has memory.

    Parameters
    ----------
    traits : Traits
        What is known of the device.

    Returns
    -------
    int
        At most 2^26, on CPUs at most 2^22.
    """
    most = ELEMENTS_ON_CPU if traits.is_cpu else ELEMENTS_ON_GPU
    room = min(traits.max_alloc_bytes, traits.global_mem_bytes // BUFFERS) // DOUBLE
    return min(most, 1 << max(room, 1).bit_length() - 1)


# --- plans that measure ---------------------------------------------------------------------------


def measure_unknown(plan: Plan, effort: str) -> None:
    """Measure the parameters of a plan's problem and keep them, unless they are known already.

    Parameters
    ----------
    plan : Plan
        The plan, whose problem, device and algorithm are measured.
    effort : {"measure", "exhaustive"}
        How thorough the search is.
    """
    problem = _plain(plan.problem)
    if problem.nbytes and problem.axes and not _is_known(plan, problem, effort):
        tune_problem(problem, plan.device, plan.algorithm, effort, inf, database.user_file())


def _plain(problem: Problem) -> Problem:
    """Return the problem without hooks, and with contiguous arrays of its whole shape."""
    real = problem.kind != "c2r" and problem.source.real
    dtype = (REAL_DTYPE if real else COMPLEX_DTYPE)[problem.precision]
    return make_problem(
        problem.shape, dtype, problem.axes, problem.kind, problem.direction,
        orthogonalize=problem.orthogonal if problem.is_trigonometric else None,
    )  # fmt: skip


def _is_known(plan: Plan, problem: Problem, effort: str) -> bool:
    """Return whether the user's database has the problem, measured at least as thoroughly."""
    identity, workclass = describe.identity(plan.device), Workclass.of(problem, plan.algorithm)
    thorough_enough = EFFORTS[EFFORTS.index(effort) :]
    return any(
        (each.identity, each.workclass, each.sources)
        == (identity, workclass, wisdom.sources_hash())
        and each.effort in thorough_enough
        for each in wisdom.user_entries()
    )
