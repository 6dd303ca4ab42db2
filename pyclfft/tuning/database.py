"""The tuning database: JSON files of what was measured, ours in the package and the user's own.

A file is read as far as it makes sense: one that is damaged, or of a later version, counts as empty
and is kept aside before another takes its place.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from filelock import FileLock

from ..errors import FormatError, PlanError
from ..files import atomic_write, data_dir
from .lookup import Entry, Identity, Workclass, checked

logger = logging.getLogger("pyclfft")

SCHEMA = 1  # of the files
SHIPPED = Path(__file__).parent / "data"
LOCK_S = 60  # to wait for another process that writes

Entries = tuple[Entry, ...]


def user_file() -> Path:
    """Return where the user's entries lie; it need not exist."""
    return data_dir() / "tuning.json"


def shipped() -> Entries:
    """Return the entries that come with pyclfft."""
    return tuple(each for path in sorted(SHIPPED.glob("*.json")) for each in read(path))


def read(path: str | os.PathLike[str]) -> Entries:
    """Return the entries of a file; nothing where it is missing or damaged.

    Parameters
    ----------
    path : str or path
        Of a database.

    Returns
    -------
    tuple of Entry
    """
    try:
        return load(path)
    except FileNotFoundError:
        return ()
    except (OSError, FormatError) as error:
        logger.warning("tuning database left out: %s", error)
        return ()


def load(path: str | os.PathLike[str]) -> Entries:
    """Return the entries of a file, of which those that make no sense are left out.

    Raises
    ------
    OSError
        It cannot be read.
    FormatError
        It is no database, or of another version.
    """
    try:
        document = json.loads(Path(path).read_bytes())
        if document["schema"] != SCHEMA:
            raise FormatError(
                f"{path} is of version {document['schema']}, this pyclfft reads {SCHEMA}: "
                "tune again, or use the pyclfft that has written it"
            )
        groups = [(Identity(**each["device"]), each["entries"]) for each in document["devices"]]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{path} is no tuning database ({error}): move it away") from None
    return tuple(
        entry
        for identity, entries in groups
        for each in entries
        if (entry := _parsed(identity, each)) is not None
    )


def _parsed(identity: Identity, fields: dict[str, Any]) -> Entry | None:
    try:
        others = dict(fields)
        problem, values = others.pop("problem"), checked(others.pop("parameters"))
        return Entry(identity, Workclass.parse(problem) if problem else None, values, **others)
    except (PlanError, ValueError, TypeError, KeyError, AttributeError) as error:
        logger.warning("an entry of the tuning database was left out: %s", error)
        return None


def text_of(entries: Iterable[Entry]) -> str:
    """Return entries as the text of a file."""
    groups: dict[Identity, list[Entry]] = {}
    for each in entries:
        groups.setdefault(each.identity, []).append(each)
    document = {
        "schema": SCHEMA,
        "devices": [
            {"device": asdict(identity), "entries": [_fields(each) for each in group]}
            for identity, group in groups.items()
        ],
    }
    return json.dumps(document, indent=1) + "\n"


def _fields(entry: Entry) -> dict[str, Any]:
    return {
        "problem": str(entry.workclass) if entry.workclass else "",
        "parameters": dict(entry.values),
        "sources": entry.sources,
        "ms": entry.ms,
        "default_ms": entry.default_ms,
        "date": entry.date,
        "effort": entry.effort,
    }


def update(path: str | os.PathLike[str], change: Callable[[Entries], Iterable[Entry]]) -> Entries:
    """Change a file as no other process does at the same time.

    Parameters
    ----------
    path : str or path
        Of a database; its folder is made where there is none.
    change : callable
        From the entries that it has to those that it gets.

    Returns
    -------
    tuple of Entry
        The latter.

    Raises
    ------
    OSError
        It cannot be written.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{path}.lock", timeout=LOCK_S):
        _keep_damaged(path)
        entries = tuple(change(read(path)))
        with atomic_write(path) as file:
            file.write(text_of(entries).encode())
    return entries


def _keep_damaged(path: Path) -> None:
    """Rename a file that cannot be read, so that nothing is lost when it is written anew."""
    try:
        load(path)
    except FormatError:
        with suppress(OSError):
            path.replace(path.with_name(f"{path.name}.damaged"))
    except OSError:
        pass


def merged(entries: Iterable[Entry], new: Iterable[Entry]) -> Entries:
    """Return entries with new ones, each in the place of that for the same problem."""
    known = {_key(each): each for each in entries}
    known |= {_key(each): each for each in new}
    return tuple(known.values())


def _key(entry: Entry) -> tuple[Identity, Workclass | None]:
    return entry.identity, entry.workclass
