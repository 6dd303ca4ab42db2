"""The results of ``bench convolve``: what was measured at each case, and the JSON of it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import nan
from typing import Any

import numpy as np
import pyopencl as cl

from ..convolution.methods import (
    AUTO,
    DIRECT,
    FFT,
    cheapest,
    costs_of,
    expected_times,
    in_registers,
)
from ..runtime import describe
from . import render
from .convolve_cases import Case
from .convolve_contenders import (
    HOST,
    OURS,
    Entry,
    measure_case,
)
from .documents import numbers, read_document
from .runner import Settings
from .statistics import Spread

PROG = "pyclfft bench convolve"
SCHEMA = 1
OUR_DIRECT, OUR_FFT, OUR_AUTO = f"{OURS} {DIRECT}", f"{OURS} {FFT}", f"{OURS} {AUTO}"


@dataclass(frozen=True)
class Point:
    """What was measured at one case.

    Attributes
    ----------
    case : Case
        The case.
    entries : tuple of Entry
        The contenders, in the order of measurement.
    auto : str
        The method that "auto" takes.
    expected_ms : dict of str to float
        Milliseconds that the cost model expects of each method.
    """

    case: Case
    entries: tuple[Entry, ...]
    auto: str
    expected_ms: dict[str, float]

    def ms(self, name: str, where: str = HOST) -> float:
        """Return a contender's median in milliseconds; NaN if it was not measured."""
        entry = self.entry(name, where)
        return entry.ms.median if entry else nan

    def entry(self, name: str, where: str = HOST) -> Entry | None:
        """Return a contender's entry, or None."""
        found = (each for each in self.entries if (each.name, each.where) == (name, where))
        return next(found, None)


@dataclass(frozen=True)
class Results:
    """Everything that ``bench convolve`` has measured.

    Attributes
    ----------
    environment : dict of str to str
        Devices, versions and the commit, by name.
    limit_s : float
        Seconds of one call from which on a contender was measured on a shorter signal.
    samples : int
        How many samples were taken of each contender.
    points : tuple of Point
        One for each case, sweep by sweep.
    """

    environment: dict[str, str]
    limit_s: float
    samples: int
    points: tuple[Point, ...] = ()

    def of(self, sweep: str, room: str = "") -> list[Point]:
        """Return the points of a sweep; only those in a room, if one is named."""
        return [
            each
            for each in self.points
            if each.case.sweep == sweep and room in ("", each.case.room)
        ]

    @property
    def wrong(self) -> bool:
        """Whether any result of pyclfft is wrong."""
        return any(each.wrong for point in self.points for each in point.entries)


def measure_point(case: Case, queue: cl.CommandQueue, settings: Settings, limit_s: float) -> Point:
    """Measure one case; see `measure_case`."""
    traits = describe.traits(queue.device)
    single = np.dtype(np.float32)  # of all cases
    registers = in_registers(case.dimensions, single, single)
    costs = costs_of(traits)
    expected = expected_times(case.dimensions, costs, registers)
    return Point(
        case,
        measure_case(case, queue, settings, limit_s),
        cheapest(case.dimensions, costs, registers),
        {method: ns / 1e6 for method, ns in expected.items()},
    )


# --- as JSON -------------------------------------------------------------------------------------


def as_json(results: Results) -> str:
    """Return everything that was measured as JSON, with what the thesis says."""
    document = {
        "schema": SCHEMA,
        **asdict(results),
    }
    return render.json_of(document)


def results_of(document: Mapping[str, Any]) -> Results:
    """Return what `as_json` has written."""
    return Results(
        document["environment"],
        document["limit_s"],
        document["samples"],
        tuple(map(_point_of, document["points"])),
    )


def read(path: str | os.PathLike[str]) -> Results:
    """Read a file of ``bench convolve --json``; `read_document` says how it can fail."""
    return read_document(path, results_of, PROG)


def _point_of(document: Mapping[str, Any]) -> Point:
    case = document["case"]
    shapes = {name: tuple(case[name]) for name in ("first", "second")}
    return Point(
        Case(**{**case, **shapes}),
        tuple(map(_entry_of, document["entries"])),
        document["auto"],
        document["expected_ms"],
    )


def _entry_of(document: Mapping[str, Any]) -> Entry:
    return Entry(**{**numbers(document), "ms": Spread(**numbers(document["ms"]))})
