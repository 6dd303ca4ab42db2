"""Reading the JSON files of the benchmarks that have formats of their own."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from math import nan
from pathlib import Path
from typing import Any, TypeVar

from ..errors import FormatError

Made = TypeVar("Made")


def read_document(
    path: str | os.PathLike[str], make: Callable[[Mapping[str, Any]], Made], command: str
) -> Made:
    """Read a file that a benchmark has written with ``--json``.

    Parameters
    ----------
    path : str or path
        The file's name.
    make : callable
        Takes the JSON document; returns the results that it holds.
    command : str
        Name of the command that writes files of this format.

    Returns
    -------
    object
        What `make` returns.

    Raises
    ------
    FormatError
        If `command` has not written the file.
    """
    try:
        return make(json.loads(Path(path).read_text(encoding="utf-8")))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise FormatError(f"{os.fspath(path)}: no file of {command} --json") from None


def numbers(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields with NaN in the place of null, by which JSON expresses NaN."""
    return {name: nan if each is None else each for name, each in document.items()}
