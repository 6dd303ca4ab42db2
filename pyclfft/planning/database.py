"""The tuning database: JSON files of what was measured, ours in the package and the user's own.

A file is read as far as it makes sense. One that is damaged, or of another version, counts as
empty; an entry that makes no sense is left out, with a warning. Before such a file is written anew
a copy of it is kept.
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
from ..files import atomic_write, data_dir
from .lookup import Entry, Identity, Workclass
from .parameters import brief, checked

logger = logging.getLogger("pyclfft")

SCHEMA = 1  # of the files
SHIPPED = Path(__file__).parents[1] / "tuning" / "data"
LOCK_S = 60  # to wait for another process that writes
MAX_BYTES = 2**24  # of a file: some ten thousand entries
WARNED = 3  # entries at most that a warning names

# What an entry has.
ASKED, TEXTS, TIMES = ("problem", "parameters"), ("sources", "date", "effort"), ("ms", "default_ms")
LEAST_MS, MOST_MS = 1e-9, 1e9  # of a time that was measured

# What a file consists of: by its name its type, and what is said where it is missing or another.
MEMBERS = {
    "schema": (int, "it has no whole number as its schema"),
    "devices": (list, "its devices are not a list"),
    "device": (dict, "one of its devices is not described"),
    "entries": (list, "its entries are not a list"),
}
# What is said of a file that Python cannot read, in place of Python's own words.
FAULTS = {
    json.JSONDecodeError: "it is not JSON",
    UnicodeDecodeError: "it is not text",
    RecursionError: "it is nested too deeply",
    ValueError: "one of its numbers has too many digits",
}

Entries = tuple[Entry, ...]


def user_file() -> Path:
    """Return where the user's entries lie; it need not exist."""
    return data_dir() / "tuning.json"


def shipped() -> Entries:
    """Return the entries that come with pyclfft."""
    return tuple(each for path in sorted(SHIPPED.glob("*.json")) for each in read(path))


def read(path: str | os.PathLike[str]) -> Entries:
    """Return the entries of a file; none where it is missing or damaged.

    Parameters
    ----------
    path : str or path
        Of a database.

    Returns
    -------
    tuple of Entry
    """
    return _read(path)[0]


def _read(path: str | os.PathLike[str]) -> tuple[Entries, bool]:
    """Return the entries that `read` returns, and whether they are all that the file has."""
    try:
        entries, left_out = _loaded(path)
    except FileNotFoundError:
        return (), True
    except (OSError, FormatError) as error:
        logger.warning("tuning database left out: %s", error)
        return (), False
    return entries, not left_out


def load(path: str | os.PathLike[str]) -> Entries:
    """Return the entries of a file; a warning names those that make no sense and are left out.

    Parameters
    ----------
    path : str or path
        Of a database.

    Returns
    -------
    tuple of Entry

    Raises
    ------
    OSError
        It cannot be read.
    FormatError
        It is no database, or of another version.
    """
    return _loaded(path)[0]


def _loaded(path: str | os.PathLike[str]) -> tuple[Entries, list[str]]:
    """Return the entries of a file, and why others were left out, of which a warning tells."""
    entries, left_out = [], []
    for identity, fields in _listed(path):
        try:
            entries.append(_parsed(identity, fields))
        except (ValueError, TypeError) as error:
            left_out.append(f"the entry {_name(identity, fields)} ({error})")
    if left_out:
        more = f"; and {len(left_out) - WARNED} more" if len(left_out) > WARNED else ""
        logger.warning("left out of %s: %s%s", path, "; ".join(left_out[:WARNED]), more)
    return tuple(entries), left_out


def _listed(path: str | os.PathLike[str]) -> list[tuple[Identity, Any]]:
    """Return what a file lists as entries, each with its device; errors as `load`."""
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
        devices = [
            (_identity(_member(each, "device")), _member(each, "entries")) for each in groups
        ]
        return [(identity, each) for identity, entries in devices for each in entries]
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
    """Return what a part of a file has by a name, or raise an error that says what is wrong."""
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
    """Return an entry, or raise an error that says why its fields make no sense."""
    if not isinstance(fields, dict) or not fields.keys() <= {*TEXTS, *TIMES, *ASKED}:
        raise TypeError(f"an entry has {', '.join((*ASKED, *TEXTS, *TIMES))}")
    others = dict(fields)
    problem = _text("problem", others.pop("problem", None))
    values = checked(others.pop("parameters", None))
    entry = Entry(identity, Workclass.parse(problem) if problem else None, values, **others)
    for name in TEXTS:
        _text(name, getattr(entry, name))
    if (entry.ms, entry.default_ms) != (0, 0):  # as entries that nobody has measured have them
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
    """Return an entry's problem and device, as far as it has them, for a warning."""
    problem = fields.get("problem") if isinstance(fields, dict) else fields
    return f"for {brief(problem) if problem else 'all problems'} on {brief(identity.name)}"


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
        known, complete = _read(path)
        text = text_of(entries := tuple(change(known)))
        if not complete:
            _keep_copy(path)
        with atomic_write(path) as file:
            file.write(text.encode())
    return entries


def _keep_copy(path: Path) -> None:
    """Copy a file that cannot all be read, so that nothing is lost when it is written anew."""
    with atomic_write(path.with_name(f"{path.name}.damaged")) as copy, path.open("rb") as file:
        shutil.copyfileobj(file, copy)


def merged(entries: Iterable[Entry], new: Iterable[Entry]) -> Entries:
    """Return entries with new ones, each in the place of that for the same problem."""
    known = {_key(each): each for each in entries}
    known |= {_key(each): each for each in new}
    return tuple(known.values())


def _key(entry: Entry) -> tuple[Identity, Workclass | None]:
    return entry.identity, entry.workclass
