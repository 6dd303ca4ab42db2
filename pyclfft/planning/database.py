"""The tuning database: JSON files of tuned parameters, those in the package and the user's own.

If a file is damaged or of another version, it counts as empty. If an entry makes no sense, it is
left out. Both give a warning. Before a file of either sort is written anew, a copy of it is kept.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
from collections.abc import Callable, Iterable
from dataclasses import asdict
from dataclasses import fields as dataclass_fields
from pathlib import Path
from typing import Any

from filelock import FileLock

from ..errors import FormatError
from ..files import atomic_write, data_dir, private_folder
from .lookup import Entry, Identity, Workclass
from .parameters import brief, checked

logger = logging.getLogger("pyclfft")

SCHEMA = 1  # the version of the files' format
SHIPPED = Path(__file__).parents[1] / "tuning" / "data"
LOCK_S = 60  # how long to wait for another process that writes, in seconds
MAX_BYTES = 2**24  # the largest size of a file: some ten thousand entries
WARNED = 3  # the most entries that a warning names

# The members of an entry: those that it must have, then its texts and its times.
ASKED, TEXTS, TIMES = ("problem", "parameters"), ("sources", "date", "effort"), ("ms", "default_ms")
LEAST_MS, MOST_MS = 1e-9, 1e9  # the limits of a measured time

# The members of a file: name -> (type, the message if the member is missing or of another type).
MEMBERS = {
    "schema": (int, "it has no whole number as its schema"),
    "devices": (list, "its devices are not a list"),
    "device": (dict, "one of its devices is not described"),
    "entries": (list, "its entries are not a list"),
}
# The messages about a file that Python cannot read, in place of Python's own messages.
FAULTS = {
    json.JSONDecodeError: "it is not JSON",
    UnicodeDecodeError: "it is not text",
    RecursionError: "it is nested too deeply",
    ValueError: "one of its numbers has too many digits",
}

Entries = tuple[Entry, ...]


def user_file() -> Path:
    """Return the path of the file with the user's entries. The file need not exist."""
    return data_dir() / "tuning.json"


def shipped(like: Identity | None = None) -> Entries:
    """Return the entries that come with pyclfft.

    Parameters
    ----------
    like : Identity, optional
        A device. The entries of devices that have nothing in common with it are left out, since to
        check an entry takes longer than to find one.

    Returns
    -------
    tuple of Entry
    """
    return tuple(each for path in sorted(SHIPPED.glob("*.json")) for each in read(path, like))


def read(path: str | os.PathLike[str], like: Identity | None = None) -> Entries:
    """Return the entries of a file, or no entries if it is missing or damaged.

    Parameters
    ----------
    path : str or path
        The path of a tuning database.
    like : Identity, optional
        A device that the devices of the entries must have something in common with.

    Returns
    -------
    tuple of Entry
    """
    return _read(path, like)[0]


def _read(path: str | os.PathLike[str], like: Identity | None = None) -> tuple[Entries, bool]:
    """Return the entries that `read` returns, and whether all entries made sense."""
    try:
        entries, left_out = _loaded(path, like)
    except (FileNotFoundError, NotADirectoryError):
        return (), True
    except (OSError, FormatError) as error:
        logger.warning("tuning database left out: %s", error)
        return (), False
    return entries, not left_out


def load(path: str | os.PathLike[str]) -> Entries:
    """Return the entries of a file that make sense; a warning names the others.

    Parameters
    ----------
    path : str or path
        The path of a tuning database.

    Returns
    -------
    tuple of Entry

    Raises
    ------
    OSError
        The file cannot be read.
    FormatError
        The file is no tuning database, or it is of another version.
    """
    return _loaded(path)[0]


def _loaded(
    path: str | os.PathLike[str], like: Identity | None = None
) -> tuple[Entries, list[str]]:
    """Return the entries of a file, and for each entry left out its name and the reason.

    A warning names the entries that are left out. With `like`, only the entries of devices that
    have something in common with it are read.
    """
    entries, left_out = [], []
    for identity, listed in _listed(path):
        if like is not None and not like.origin(identity):
            continue
        for fields in listed:
            try:
                entries.append(_parsed(identity, fields))
            except (ValueError, TypeError) as error:
                left_out.append(f"the entry {_name(identity, fields)} ({error})")
    if left_out:
        more = f"; and {len(left_out) - WARNED} more" if len(left_out) > WARNED else ""
        logger.warning("left out of %s: %s%s", path, "; ".join(left_out[:WARNED]), more)
    return tuple(entries), left_out


def _listed(path: str | os.PathLike[str]) -> list[tuple[Identity, list[Any]]]:
    """Return the devices of a file, each with the entries that the file lists for it, unchecked.

    Raises
    ------
    OSError, FormatError
        `load` says when.
    """
    with Path(path).open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    try:
        if len(content) > MAX_BYTES:
            raise ValueError(f"more than {MAX_BYTES:,} bytes")
        document = _document(content)
        schema = _member(document, "schema")
        if schema != SCHEMA:
            raise FormatError(
                f"{path} is of version {schema}, this pyclfft reads {SCHEMA}: "
                "tune again, or use the pyclfft that has written it"
            )
        groups = _member(document, "devices")
        return [(_identity(_member(each, "device")), _member(each, "entries")) for each in groups]
    except FormatError:
        raise
    except (ValueError, TypeError) as error:
        raise FormatError(f"{path} is no tuning database ({error}): move it away") from None


def _document(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ValueError(FAULTS[type(error)]) from None


def _member(holder: Any, name: str) -> Any:
    """Return a member of a part of a file, or raise an error that says what is wrong."""
    kind, words = MEMBERS[name]
    if not isinstance(holder, dict) or not isinstance(holder.get(name), kind):
        raise TypeError(words)
    return holder[name]


def _identity(fields: Any) -> Identity:
    names = [each.name for each in dataclass_fields(Identity)]
    if not isinstance(fields, dict) or fields.keys() != set(names):
        raise TypeError(f"a device has {', '.join(names)}")
    if not all(isinstance(each, str) for each in fields.values()):
        raise TypeError("what a device has are texts")
    return Identity(**fields)


def _parsed(identity: Identity, fields: Any) -> Entry:
    """Return the entry of a device with these fields, or raise an error that says what is wrong."""
    if not isinstance(fields, dict) or not fields.keys() <= {*TEXTS, *TIMES, *ASKED}:
        raise TypeError(f"an entry has {', '.join((*ASKED, *TEXTS, *TIMES))}")
    others = dict(fields)
    problem = _text("problem", others.pop("problem", None))
    values = checked(others.pop("parameters", None))
    entry = Entry(identity, Workclass.parse(problem) if problem else None, values, **others)
    for name in TEXTS:
        _text(name, getattr(entry, name))
    if (entry.ms, entry.default_ms) != (0, 0):  # entries without a measurement have zeros
        for name in TIMES:
            time = getattr(entry, name)
            if not isinstance(time, int | float) or not LEAST_MS <= time <= MOST_MS:
                raise ValueError(f"{name} is no time: {brief(time)}")
    return entry


def _text(name: str, value: Any) -> str:
    if not (isinstance(value, str) and value.isprintable()):
        raise TypeError(f"{name} is a text that can be printed, not {brief(value)}")
    return value


def _name(identity: Identity, fields: Any) -> str:
    """Return words that name an entry by its problem and its device, for a warning."""
    problem = fields.get("problem") if isinstance(fields, dict) else fields
    return f"for {brief(problem) if problem else 'all problems'} on {brief(identity.name)}"


def text_of(entries: Iterable[Entry]) -> str:
    """Return the text of a file that holds these entries."""
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
    """Change the entries of a file, while a lock keeps other processes from changing it.

    Parameters
    ----------
    path : str or path
        The path of a tuning database. If its folder is missing, it is made.
    change : callable
        A function of the entries that the file has. It returns the entries that the file gets.

    Returns
    -------
    tuple of Entry
        The entries that the file now has.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    path = Path(path)
    private_folder(path.parent)
    with FileLock(f"{path}.lock", timeout=LOCK_S):
        known, complete = _read(path)
        text = text_of(entries := tuple(change(known)))
        if not complete:
            _keep_copy(path)
        with atomic_write(path) as file:
            file.write(text.encode())
    return entries


def _keep_copy(path: Path) -> None:
    """Copy a file that can be read only in part, so that nothing is lost when it is rewritten."""
    with atomic_write(path.with_name(f"{path.name}.damaged")) as copy, path.open("rb") as file:
        shutil.copyfileobj(file, copy)


def merged(entries: Iterable[Entry], new: Iterable[Entry]) -> Entries:
    """Return entries and new ones; a new entry replaces one of the same device and problem."""
    known = {_key(each): each for each in entries}
    known |= {_key(each): each for each in new}
    return tuple(known.values())


def _key(entry: Entry) -> tuple[Identity, Workclass | None]:
    return entry.identity, entry.workclass
