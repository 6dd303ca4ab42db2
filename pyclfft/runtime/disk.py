"""Folders on the disk with what later processes need not make again; each folder is bounded.

The folders lie in the user's cache folder, and no other user may enter them, because a device runs
what lies there. A file is written beside its place and renamed, so that
concurrent processes see all of it or nothing. The name of a file is a hash of all that its content
depends on.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..files import atomic_write, cache_dir, private_folder

logger = logging.getLogger("pyclfft")

FOLDERS = ("programs", "tables")
STORED = "*.bin*"  # stored files, and the parts that a killed process has left


def folder(name: str) -> Path:
    """Return one of `FOLDERS`; it need not exist yet."""
    return cache_dir() / name


def store(path: Path, parts: Iterable[Any], limit: int) -> None:
    """Store a file for later processes. If the disk refuses, they make its content again.

    Parameters
    ----------
    path : pathlib.Path
        The file, whose name ends with ``.bin``. Its folder is made if it is missing.
    parts : iterable of bytes-like
        The content.
    limit : int
        How many bytes all files of the folder may have. The least recently used ones are deleted if
        they have more.
    """
    try:
        private_folder(path.parent, own=True)
        with atomic_write(path) as file:
            file.writelines(parts)
        _prune(path.parent, limit)
    except OSError as error:
        logger.debug("%s not kept in %s: %s", path.name, path.parent, error)


def note_use(path: Path) -> None:
    """Note that a file was used now."""
    with suppress(OSError):  # the folder may be read-only
        os.utime(path)


def _prune(where: Path, limit: int) -> None:
    """Delete the least recently used files until the others fit the limit."""
    files = []
    for path in where.glob(STORED):
        with suppress(OSError):  # another process may prune at the same time
            status = path.stat()
            files.append((status.st_mtime, status.st_size, path))
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if total <= limit:
            break
        path.unlink(missing_ok=True)
        total -= size


def clear() -> None:
    """Delete every stored file.

    Raises
    ------
    OSError
        A file cannot be deleted.
    """
    for name in FOLDERS:
        for path in folder(name).glob(STORED):
            path.unlink(missing_ok=True)
