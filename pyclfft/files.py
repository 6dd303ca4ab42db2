"""Writing files such that they are either whole or not there, and the user's folders for files."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import EISDIR
from pathlib import Path
from typing import IO, Any

import platformdirs

MAX_PREFIX = 200  # bytes of a file's name in that of its temporary file; a name has 255 at most


def cache_dir() -> Path:
    """Return the folder for files that can be made again: ``PYCLFFT_CACHE_DIR``, or a cache folder.

    Returns
    -------
    pathlib.Path
        The folder; it need not exist yet.
    """
    return _folder("PYCLFFT_CACHE_DIR", platformdirs.user_cache_dir)


def data_dir() -> Path:
    """Return the folder for results of long work: ``PYCLFFT_DATA_DIR``, or a data folder.

    Returns
    -------
    pathlib.Path
        The folder; it need not exist yet.
    """
    return _folder("PYCLFFT_DATA_DIR", platformdirs.user_data_dir)


def _folder(variable: str, usual: Callable[[str], str]) -> Path:
    """Return the folder that a variable names, otherwise the usual one.

    A user without a home, such as a number without a name in a container, has no folder. A path
    that cannot exist stands for it: what would be kept there is made again, and what has to be kept
    ends in an error that names the remedy.
    """
    if given := os.environ.get(variable):
        return Path(given)
    with suppress(RuntimeError):  # which new versions of platformdirs raise; old ones return "~"
        path = Path(usual("pyclfft"))
        if path.is_absolute():
            return path
    return Path(os.devnull, f"no home: set HOME or {variable}")


def has_user_cache() -> bool:
    """Return whether the folder in which all programs of the user keep caches can be written."""
    with suppress(RuntimeError, OSError):  # there is no home, or it may not be entered
        folder = Path(platformdirs.user_cache_dir()).absolute()
        for each in (folder, *folder.parents):
            if each.exists():
                return each.is_dir() and os.access(each, os.W_OK)
    return False


def private_folder(path: Path, *, own: bool = False) -> Path:
    """Make a folder that no other user may enter, since what lies there is run or believed.

    Folders that exist keep their permissions, because a user may have named one on purpose.

    Parameters
    ----------
    path : pathlib.Path
        The folder. Missing folders above it are made, too, with the same permissions.
    own : bool
        The folder is one that pyclfft alone uses: if it exists, other users lose their permissions.

    Returns
    -------
    pathlib.Path
        The folder.

    Raises
    ------
    OSError
        The folder cannot be made.
    """
    if path.is_dir():
        if own and path.stat().st_mode & 0o077:
            with suppress(OSError):  # it belongs to another user, or the disk is read-only
                path.chmod(0o700)
        return path
    if path.parent != path and not path.parent.exists():
        private_folder(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)
    return path


@contextmanager
def atomic_write(path: str | os.PathLike[str], mode: str = "wb") -> Iterator[IO[Any]]:
    """Open a temporary file beside `path` that takes its name once it is written completely.

    Readers and concurrent writers see the old file or the whole new one. After an exception the old
    file is as it was, and the temporary file is gone.

    Parameters
    ----------
    path : str or path
        The file to write. Its folder must exist.
    mode : {"wb", "w+b", "w"}
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
        with os.fdopen(handle, mode, encoding=None if "b" in mode else "utf-8") as file:
            yield file
        Path(temporary).chmod(_mode_of_new_file(target))
        Path(temporary).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(temporary).unlink()
        raise


def require_writable(path: str | os.PathLike[str]) -> None:
    """Refuse a file that `atomic_write` could not write, before the long work for its content.

    Parameters
    ----------
    path : str or path
        The file that is to be written; here it is not changed.

    Raises
    ------
    OSError
        `atomic_write` would raise it, or `path` is a folder.
    """
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), os.fspath(path))
    handle, temporary = _temporary_beside(target)
    os.close(handle)
    Path(temporary).unlink()


def _temporary_beside(target: Path) -> tuple[int, str]:
    """Make a temporary file in a file's folder, and return its handle and its name."""
    name = target.name
    while len(os.fsencode(name)) > MAX_PREFIX:  # file systems count bytes
        name = name[:-1]
    try:
        return tempfile.mkstemp(prefix=f".{name}.", dir=target.parent)
    except OSError as error:
        error.filename = os.fspath(target)  # users do not know the temporary name
        raise


def _mode_of_new_file(target: Path) -> int:
    """Return the permissions that `open` would give: the old file's, or all that umask allows."""
    with suppress(OSError):
        return target.stat().st_mode & 0o7777
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
