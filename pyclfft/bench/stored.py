"""Reading the results of a benchmark from the JSON that `render.as_json` has written."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from ..errors import FormatError
from .calls import CallCost
from .cases import Case, Workload
from .cpu import ON_CPUS
from .crossing import CallTimes
from .kernels import KernelTime
from .numpy_calls import NumpyTimes
from .render import ON_ONE_DEVICE, SCHEMA, Results, View
from .runner import CopyRate, Outcome, Row, Settings
from .startup import Startup
from .statistics import Spread

Made = TypeVar("Made")


def read(path: str | os.PathLike[str], view: View | None = None) -> Results:
    """Read a file that ``pyclfft bench --json`` has written.

    Parameters
    ----------
    path : str or path
        The file's name.
    view : View, optional
        How the results are shown; by default, as ``pyclfft bench`` shows them.

    Returns
    -------
    Results
        Everything that the file holds.

    Raises
    ------
    FormatError
        If ``pyclfft bench --json`` of this version has not written the file.
    """
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
        if document["schema"] == SCHEMA:
            return results_of(document, view)
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    raise FormatError(
        f"{os.fspath(path)}: no file of pyclfft bench --json, or one that another version has "
        "written: measure again"
    )


def results_of(document: Mapping[str, Any], view: View | None = None) -> Results:
    """Return the results that a document of ``pyclfft bench --json`` holds.

    Older documents lack the parts that were added later: the names of devices, the times of single
    kernels, and the times of calls from NumPy to NumPy beside others'. These parts are then empty.
    """
    names = tuple(document["contenders"])
    return Results(
        environment=document["environment"],
        contenders=names,
        elements=document["elements"],
        settings=_made(Settings, document["settings"]),
        copy=_made(CopyRate, document["copy"]),
        view=view or (ON_CPUS if document.get("devices") else ON_ONE_DEVICE),
        rows=tuple(_row(each, names) for each in document["rows"]),
        startup=tuple(_made(Startup, each) for each in document["startup"]),
        calls=tuple(_made(CallCost, each) for each in document["calls"]),
        crossing=tuple(_made(CallTimes, each) for each in document.get("crossing", ())),
        numpy_calls=tuple(_made(NumpyTimes, each) for each in document.get("numpy_calls", ())),
        devices=tuple(document.get("devices", ())),
        kernels=tuple(_made(KernelTime, each) for each in document.get("kernels", ())),
    )


def _row(row: Mapping[str, Any], names: tuple[str, ...]) -> Row:
    """Return one row; a contender that did not take part gets an outcome without numbers."""
    # The file gives the batch that was transformed. Only in these groups is it the case's own.
    own = {"one", "filter"} & set(row["groups"])
    case = _made(Case, {**row, "batch": row["batch"] if own else 0})
    outcomes = (row["outcomes"].get(name, {"contender": name}) for name in names)
    return Row(
        Workload(case, row["batch"]),
        tuple(_made(Outcome, each) for each in outcomes),
        row.get("device", ""),
    )


def _made(kind: type[Made], found: Mapping[str, Any]) -> Made:
    """Make a dataclass from the fields that the file holds; the others keep their defaults.

    The file has null where a number was NaN or infinity. Each field that may be null has as its
    default the number that null stands for.
    """
    names = (each.name for each in fields(kind))  # type: ignore[arg-type]
    return kind(**{name: _value(found[name]) for name in names if found.get(name) is not None})


def _value(value: Any) -> Any:
    """Return a field's value. An object in the file is always a `Spread`, an array a tuple."""
    if isinstance(value, dict):
        return _made(Spread, value)
    return tuple(value) if isinstance(value, list) else value
