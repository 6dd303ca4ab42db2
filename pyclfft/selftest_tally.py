"""Many random cases of the self-test: what came of them, kept in a file, so that a run goes on.

A run is named by its device, its seed and the pyclfft that makes it. Its state lies in the user's
data folder and is written every few seconds. After an interrupt, a crash or a lost device, the next
call with the same seed goes on with the first case that the file does not know.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from dataclasses import fields as dataclass_fields
from datetime import datetime, timezone
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pyopencl as cl

from . import __version__, selftest_random
from .errors import FormatError
from .files import atomic_write, data_dir, private_folder
from .runtime import describe, queues, wisdom
from .runtime.plan import Plan
from .selftest_cases import Outcome, precisions_of
from .selftest_random import Case

SCHEMA = 1  # the version of the files' format
SAVE_S = 2.0  # seconds from one state of the file to the next
KEPT = 100  # the most failures that are kept; later ones are counted


@dataclass
class Worst:
    """What came of all cases of a kind in a precision.

    Attributes
    ----------
    cases, failed : int
        How many cases there were, and how many of them failed.
    error, bound : float
        The relative L2 error of the case that came closest to its bound, and its bound.
    case : int
        The number of that case.
    """

    cases: int = 0
    failed: int = 0
    error: float = 0.0
    bound: float = 1.0
    case: int = 0

    def add(self, number: int, outcome: Outcome) -> None:
        """Count a case."""
        self.cases += 1
        self.failed += not outcome.passed
        if isfinite(outcome.error) and outcome.error * self.bound > self.error * outcome.bound:
            self.error, self.bound, self.case = outcome.error, outcome.bound, number


@dataclass
class Failure:
    """A case that failed.

    Attributes
    ----------
    case : int
        Its number.
    line : str
        One line of Python that runs it again.
    problem : str
        What is wrong.
    """

    case: int
    line: str
    problem: str


@dataclass
class Tally:
    """What came of a run so far.

    Attributes
    ----------
    device, driver, pyclfft : str
        The names and versions of what is checked.
    seed, points : int
        The seed of the run, and the most elements of an array.
    next : int
        The number of the first case that has not run yet.
    skipped : int
        How many cases the device could not run, because it has no double precision.
    seconds : float
        How long the run took, in all calls together.
    date : str
        The day of the last call.
    kinds : dict of str to Worst
        What came of each kind in each precision, for example "c2c single".
    failures : list of Failure
        The cases that failed, `KEPT` at most.
    schema : int
        The version of the file's format.
    """

    device: str
    driver: str
    pyclfft: str
    seed: int
    points: int
    next: int = 0
    skipped: int = 0
    seconds: float = 0.0
    date: str = ""
    kinds: dict[str, Worst] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    schema: int = SCHEMA

    @property
    def failed(self) -> int:
        """How many cases failed."""
        return sum(each.failed for each in self.kinds.values())

    def add(self, number: int, case: Case, outcome: Outcome, device: str) -> None:
        """Count a case, and keep what failed."""
        self.kinds.setdefault(f"{outcome.name} {outcome.precision}", Worst()).add(number, outcome)
        if not outcome.passed and len(self.failures) < KEPT:
            problem = outcome.problem or f"error {outcome.error:.2e}, bound {outcome.bound:.2e}"
            self.failures.append(Failure(number, selftest_random.line_of(case, device), problem))

    def stamp(self, seconds: float) -> None:
        """Note how long the run took until today."""
        self.seconds = round(seconds, 1)
        self.date = datetime.now(timezone.utc).strftime("%Y-%m-%d")


# --- the file -------------------------------------------------------------------------------------


def new_tally(device: cl.Device, seed: int, points: int) -> Tally:
    """Return the tally of a run that has not begun."""
    return Tally(
        describe.device_label(device), device.driver_version.strip(), __version__, seed, points
    )


def state_file(device: cl.Device, seed: int, points: int) -> Path:
    """Return where the state of a run lies: another pyclfft, driver or kernel has another file."""
    known = (*describe.code_identity(device), __version__, wisdom.sources_hash(), seed, points)
    name = hashlib.sha256("\0".join(map(str, known)).encode()).hexdigest()[:16]
    return data_dir() / "selftest" / f"{name}.json"


def load(path: Path) -> Tally | None:
    """Return the state of a run, or None where there is none.

    Raises
    ------
    FormatError
        The file is damaged.
    OSError
        The file cannot be read.
    """
    try:
        text = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        return _parsed(json.loads(text))
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError) as error:
        raise FormatError(
            f"{path} is no state of a self-test ({error}): begin again with --restart"
        ) from None


def _parsed(document: Any) -> Tally:
    kinds = {str(name): Worst(**each) for name, each in document.pop("kinds").items()}
    failures = [Failure(**each) for each in document.pop("failures")]
    tally = Tally(**document, kinds=kinds, failures=failures)
    for each in (tally, *kinds.values(), *failures):
        _check(each)
    if tally.schema != SCHEMA:
        raise ValueError(f"its version is {tally.schema}, not {SCHEMA}")
    return tally


# The types that a member of a state may have, by its annotation.
_TYPES: dict[str, tuple[type, ...]] = {"int": (int,), "str": (str,), "float": (int, float)}


def _check(value: Any) -> None:
    for each in dataclass_fields(value):
        given, wanted = getattr(value, each.name), _TYPES.get(str(each.type))
        if wanted and (not isinstance(given, wanted) or isinstance(given, bool)):
            raise TypeError(f"{each.name} is {type(given).__name__}")


def save(path: Path, tally: Tally) -> None:
    """Write the state of a run.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    private_folder(path.parent)
    with atomic_write(path) as file:
        file.write(json.dumps(asdict(tally)).encode())


# --- the run --------------------------------------------------------------------------------------


def advance(
    tally: Tally,
    device: cl.Device,
    place: str,
    until: int,
    seconds: float,
    path: Path | None = None,
) -> Iterator[Failure | None]:
    """Go on with a run, and keep its state.

    Parameters
    ----------
    tally : Tally
        What came of the run so far; it is changed.
    device : pyopencl.Device
        The device.
    place : str
        How the line that runs a case again names the device, for example "0:1".
    until : int
        The number of cases after which the run ends.
    seconds : float
        How long this call may take.
    path : pathlib.Path, optional
        The file that keeps the state, if one does.

    Yields
    ------
    Failure or None
        For each case the failure, if it failed.
    """
    precisions = precisions_of(device)
    queue = queues.queue_of(queues.context_of(device))
    plan: tuple[selftest_random.Transform, Plan] | None = None
    begin = saved = time.monotonic()
    before = tally.seconds
    try:
        while tally.next < until and time.monotonic() - begin < seconds:
            case = selftest_random.case(tally.seed, tally.next, tally.points)
            known = len(tally.failures)
            if case.transform.precision not in precisions:
                tally.skipped += 1
            else:
                if plan is None or plan[0] != case.transform:
                    plan = _planned(case, queue)
                outcome = selftest_random.examine(case, queue, plan and plan[1])
                tally.add(tally.next, case, outcome, place)
            tally.next += 1
            yield tally.failures[-1] if len(tally.failures) > known else None
            if path and time.monotonic() - saved > SAVE_S:
                tally.stamp(before + time.monotonic() - begin)
                save(path, tally)
                saved = time.monotonic()
    finally:
        tally.stamp(before + time.monotonic() - begin)
        if path:
            save(path, tally)


def _planned(case: Case, queue: cl.CommandQueue) -> tuple[selftest_random.Transform, Plan] | None:
    """Return the plan of a case; None if it fails, so that each of its cases says why."""
    try:
        return case.transform, selftest_random.planned(case.transform, queue.context)
    except Exception:
        return None


# --- telling --------------------------------------------------------------------------------------

HEADER = ("kind", "precision", "cases", "failed", "worst error", "its bound", "ratio", "its case")


def rows(tally: Tally) -> list[tuple[str, ...]]:
    """Return a row for each kind and precision, for a table with `HEADER`."""
    return [
        (
            *name.split(), f"{each.cases:,}", str(each.failed), f"{each.error:.2e}",
            f"{each.bound:.2e}", f"{each.error / each.bound:.2f}", str(each.case),
        )
        for name, each in sorted(tally.kinds.items())
    ]  # fmt: skip


def plans(tally: Tally) -> int:
    """Return how many different plans a run has had."""
    return min(selftest_random.PLANS, -(-tally.next // selftest_random.BLOCK))


def document(runs: list[dict[str, Any]], command: str) -> dict[str, Any]:
    """Return all results for a JSON file; a run is one on one device."""
    return {"command": command, "numpy": np.__version__, "runs": runs}
