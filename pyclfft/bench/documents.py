"""Reading what a benchmark's ``--json`` has written."""

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
    """Return what a file says.

    Parameters
    ----------
    path : str or path
        Its name.
    make : callable
        From the document to what it says.
    command : str
        Which has written such files.

    Returns
    -------
    object
        What `make` returns.

    Raises
    ------
    FormatError
        It is no such file.
    """
    try:
        return make(json.loads(Path(path).read_text(encoding="utf-8")))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise FormatError(f"{os.fspath(path)}: no file of {command} --json") from None


def numbers(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields in which null is not a number, as JSON has no other word for it."""
    return {name: nan if each is None else each for name, each in document.items()}
