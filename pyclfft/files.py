"""Files that are either whole or not there, and the folders of a user for them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EISDIR
from pathlib import Path
from typing import IO, Any

import platformdirs


def cache_dir() -> Path:
    """Folder for files that can be made again: ``PYCLFFT_CACHE_DIR`` or the user's cache folder.

    Returns
    -------
    pathlib.Path
        The folder; it need not exist yet.
    """
    return Path(os.environ.get("PYCLFFT_CACHE_DIR") or platformdirs.user_cache_dir("pyclfft"))


def data_dir() -> Path:
    """Folder for what took long to find out: ``PYCLFFT_DATA_DIR`` or the user's data folder.

    Returns
    -------
    pathlib.Path
        The folder; it need not exist yet.
    """
    return Path(os.environ.get("PYCLFFT_DATA_DIR") or platformdirs.user_data_dir("pyclfft"))


@contextmanager
def atomic_write(path: str | os.PathLike[str], mode: str = "wb") -> Iterator[IO[Any]]:
    """Open a temporary file beside `path` that takes its name once it is written completely.

    Readers and concurrent writers see the old file or the new one, never a part. After an
    exception the old file is untouched and the temporary one is gone.

    Parameters
    ----------
    path : str or path
        The file to write. Its folder must exist.
    mode : {"wb", "w"}
        As for `open`.

    Yields
    ------
    file object
        Open for writing.

    Raises
    ------
    OSError
        The folder is missing, read-only or full.
    """
    target = Path(path)
    handle, temporary = _temporary_beside(target)
    try:
        with os.fdopen(handle, mode) as file:
            yield file
        Path(temporary).chmod(_mode_of_new_file(target))
        Path(temporary).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(temporary).unlink()
        raise


def require_writable(path: str | os.PathLike[str]) -> None:
    """Find out before long work whether `atomic_write` can write its result.

    Parameters
    ----------
    path : str or path
        The file that is to be written; it stays as it is.

    Raises
    ------
    OSError
        As `atomic_write`, or `path` is a folder.
    """
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), os.fspath(path))
    handle, temporary = _temporary_beside(target)
    os.close(handle)
    Path(temporary).unlink()


def _temporary_beside(target: Path) -> tuple[int, str]:
    """Make a temporary file in a file's folder, and return its handle and its name."""
    try:
        return tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        error.filename = os.fspath(target)  # not the temporary name, of which nobody knows
        raise


def _mode_of_new_file(target: Path) -> int:
    """Permissions as `open` would leave them: those of the old file, else what the umask allows."""
    with suppress(OSError):
        return target.stat().st_mode & 0o7777
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
