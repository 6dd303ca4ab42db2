"""Which OpenCL runtimes the loader sees: the system's, and others that it is not told of.

An OpenCL loader reads one folder of ``.icd`` files, each of which names a runtime's library. A
runtime installed by pip is in no such folder, and ``OCL_ICD_VENDORS`` replaces the system's folder
instead of adding to it. The loader reads the folder once in a process, when anybody first lists
platforms there, be it pyclfft or a program that uses pyopencl itself.

So ``import pyclfft`` sets that variable to a folder in the user's cache, which names the system's
runtimes and the others (`point_loader`). The import lists no platforms: runtimes start threads, and
a process must be able to fork between the import and the first transform. When pyclfft has listed
the platforms, it restores the variable, so that child processes do not inherit the change. If the
user has set one of the loader's own variables, pyclfft changes nothing.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import hashlib
import importlib.metadata
import itertools
import logging
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyopencl as cl

from ..files import cache_dir, has_user_cache, private_folder
from . import pinning
from .variables import Variable

logger = logging.getLogger(__name__)

_SYSTEM_FOLDER = Path("/etc/OpenCL/vendors")
# pyopencl keeps code for kernels in a cache of its own, and fails if it cannot make the cache's
# folder: for a user without a home, or with a read-only one.
if not has_user_cache():
    cl._PYOPENCL_NO_CACHE = True

# These variables replace the system's folder. OCL_ICD_FILENAMES is not among them: Khronos' loader
# adds its files to that folder, ocl-icd (in pyopencl's wheels) ignores it, and GPU containers come
# with it set.
_LOADER_VARIABLES = ("OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH")

# Intel's CPU runtime as pip installs it: the distribution's name, the libraries' names on Linux and
# Windows, and the platform's name.
_INTEL_DISTRIBUTION = "intel-opencl-rt"
_INTEL_LIBRARIES = ("libintelocl.so", "intelocl64.dll")
_INTEL_PLATFORM = "Intel(R) OpenCL"

# NVIDIA's container tools bring the driver's library into a container, but no .icd file. If the
# driver is loaded, the path exists. The dynamic linker knows where the library is.
_NVIDIA_SIGN = Path("/proc/driver/nvidia/version")
_NVIDIA_LIBRARY = "libnvidia-opencl.so.1"

_TOO_EARLY = (
    "OpenCL's platforms were listed in this process before pyclfft was imported, so that Intel's "
    "CPU runtime, which pip has installed, is not among them: import pyclfft before the first "
    "pyopencl.get_platforms() or create_some_context()"
)

# How the names of folders for the loader begin, and after how many seconds without use pyclfft
# deletes one.
_PREFIX = "pyclfft-vendors-"
_MAX_AGE = 30 * 24 * 3600

_lock = threading.RLock()


@dataclass(frozen=True)
class Entry:
    """The runtime that one ``.icd`` file names.

    Attributes
    ----------
    name : str
        The file's name without its ending.
    library : str
        The runtime's library: a path, or a name that the dynamic linker finds.
    """

    name: str
    library: str

    @property
    def file(self) -> str:
        """The library's file, after following links."""
        path = Path(self.library)
        return str(path.resolve()) if path.is_absolute() else self.library

    @property
    def runtime(self) -> str:
        """The library's name without path and version, which all copies of one runtime share."""
        return Path(self.library).name.partition(".")[0]


def entries_in(folder: Path) -> list[Entry]:
    """Read the ``.icd`` files of a folder, but leave out files that name a path without a library.

    Parameters
    ----------
    folder : pathlib.Path
        The folder, which need not exist.

    Returns
    -------
    list of Entry
        The entries in the order of the files' names.
    """
    entries = []
    for path in sorted(folder.glob("*.icd")):
        try:
            library = os.fsdecode(path.read_bytes()).strip()
        except OSError as error:
            logger.debug("%s cannot be read: %s", path, error)
            continue
        if library and (Path(library).exists() or not Path(library).is_absolute()):
            entries.append(Entry(path.stem, library))
    return entries


def merged(*sources: Sequence[Entry]) -> list[Entry]:
    """Join several sources of entries: each library once, each runtime from one source.

    Two copies of a runtime in one process, for example two PoCLs with an LLVM each, get in each
    other's way. So a later source only adds runtimes that no earlier source has. If one source has
    several versions of a runtime, somebody wanted them, and all of them stay.

    Parameters
    ----------
    *sources : sequence of Entry
        The sources; the first one that has a runtime wins.

    Returns
    -------
    list of Entry
        The entries in the order of the sources.
    """
    kept: dict[str, Entry] = {}
    for source in sources:
        present = {entry.runtime for entry in kept.values()}
        for entry in source:
            if entry.runtime not in present:
                kept.setdefault(entry.file, entry)
    return list(kept.values())


def intel_from_pip() -> Path | None:
    """Find the library of Intel's CPU runtime that pip has installed.

    The wheel's own ``.icd`` file is of no use: it names a folder of the machine that built the
    wheel. So pip's list of installed files is read, which is right in virtual environments and
    after ``pip install --user``. With ``pip install --target``, pip 23 does not install the library
    at all.

    Returns
    -------
    pathlib.Path or None
        The library; None if it is not installed.
    """
    try:
        files = importlib.metadata.files(_INTEL_DISTRIBUTION) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    paths = (Path(str(file.locate())) for file in files if file.name in _INTEL_LIBRARIES)
    return next((path.resolve() for path in paths if path.exists()), None)


def unregistered() -> list[Entry]:
    """Return the runtimes that are installed although no ``.icd`` file names them.

    Returns
    -------
    list of Entry
        Intel's if pip has installed it, and NVIDIA's if its driver is loaded.
    """
    intel = intel_from_pip()
    found = [Entry("intel-pip", str(intel))] if intel else []
    return found + ([Entry("nvidia", _NVIDIA_LIBRARY)] if _NVIDIA_SIGN.exists() else [])


def _environment_folder() -> Path:
    """Return the folder in which conda's runtimes leave their ``.icd`` files."""
    return Path(sys.prefix, "etc", "OpenCL", "vendors")


def entries_to_write() -> list[Entry]:
    """Return the entries that the folder for the loader has to hold.

    Returns
    -------
    list of Entry
        The system's entries and the others. The list is empty if there are no others, since the
        loader then needs no help.
    """
    system = entries_in(_SYSTEM_FOLDER)
    entries = merged(system, entries_in(_environment_folder()), unregistered())
    return entries if len(entries) > len(merged(system)) else []


# ---------------------------------------------------------------- the folder for the loader


def files_of(entries: Iterable[Entry]) -> dict[str, bytes]:
    """Return the ``.icd`` files that name these runtimes.

    Parameters
    ----------
    entries : iterable of Entry
        The runtimes' entries, whose names may repeat.

    Returns
    -------
    dict of str to bytes
        The files' contents, by the files' names.
    """
    return {
        f"{number:02}-{entry.name}.icd": os.fsencode(f"{entry.library}\n")
        for number, entry in enumerate(entries)
    }


def lasting_folder(files: Mapping[str, bytes]) -> Path:
    """Return the folder in the user's cache that holds these files.

    The folder's name holds a hash of the files. So a machine whose runtimes have changed gets
    another folder, and so does each environment with other runtimes that shares the cache. A new
    folder is written under another name and then renamed, so that no process sees a part of it.

    Parameters
    ----------
    files : mapping of str to bytes
        The files' contents, by the files' names.

    Returns
    -------
    pathlib.Path
        The absolute path of the folder, which exists and holds the files.

    Raises
    ------
    OSError
        The folder does not hold the files, and it cannot be written.
    """
    digest = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:16]
    folder = cache_dir().absolute() / "runtimes" / f"{_PREFIX}{digest}"
    if _holds(folder, files):
        with suppress(OSError):  # the cache may be read-only
            os.utime(folder)  # the time of the last use, by which `_forget_old` deletes folders
        return folder
    private_folder(folder.parent, own=True)
    _forget_old(folder.parent)
    new = folder.with_name(f"{_PREFIX}new-{uuid4().hex}")
    new.mkdir(mode=0o700)
    try:
        _write(files, new)
        try:
            new.rename(folder)
        except OSError:  # another process was quicker, or a file in the folder has been damaged
            for name in files:
                (new / name).replace(folder / name)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return folder


def _holds(folder: Path, files: Mapping[str, bytes]) -> bool:
    try:
        return all((folder / name).read_bytes() == content for name, content in files.items())
    except OSError:
        return False


def _write(files: Mapping[str, bytes], folder: Path) -> None:
    for name, content in files.items():
        (folder / name).write_bytes(content)


def _forget_old(parent: Path) -> None:
    """Delete the folders that no process has used for a long time."""
    for folder in parent.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > _MAX_AGE:
                shutil.rmtree(folder, ignore_errors=True)


def _temporary_folder(files: Mapping[str, bytes]) -> Path:
    """Write the files to a new folder that only this process uses, and deletes when it ends."""
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    atexit.register(_remove, folder, os.getpid())
    _write(files, folder)
    return folder


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:  # a child that was forked from the owner must not delete the folder
        shutil.rmtree(folder, ignore_errors=True)


# ---------------------------------------------------------------- the loader's variable


def user_setting() -> str:
    """Return the loader's variable that the user has set, with its value.

    Returns
    -------
    str
        The text ``NAME=value``; empty if the user has set none. A variable that names a folder of
        pyclfft, from this process or inherited from its parent, is not the user's setting.
    """
    values = ((name, os.environ.get(name)) for name in _LOADER_VARIABLES)
    return next((f"{name}={value}" for name, value in values if value and not _is_ours(value)), "")


def _is_ours(value: str) -> bool:
    return Path(value).name.startswith(_PREFIX)


@dataclass
class _Pointer(Variable):
    """The environment variable by which pyclfft tells the loader of more runtimes.

    Attributes
    ----------
    failure : str
        Why the loader could not be told of all runtimes; empty if it could.
    """

    failure: str = ""


_pointer = _Pointer()


def point_loader() -> None:
    """Let the loader find every runtime of this machine when it starts; do not start it.

    This function sets one environment variable: to a folder in the user's cache or, if the cache
    cannot be written, to a temporary folder. `platforms` takes the variable back. If the user has
    set a variable of the loader, or if the loader needs no help, nothing is set.
    """
    if _is_ours(os.environ.get("OCL_ICD_VENDORS", "")):  # inherited from a process that imported us
        del os.environ["OCL_ICD_VENDORS"]
    if user_setting():
        return
    if sys.platform == "win32":
        if library := intel_from_pip():
            # Khronos' loader adds these files to the registry's, as its documentation says.
            names = list(filter(None, os.environ.get("OCL_ICD_FILENAMES", "").split(os.pathsep)))
            if str(library) not in names:  # an inherited variable may name it already
                _pointer.set("OCL_ICD_FILENAMES", os.pathsep.join([*names, str(library)]))
    elif entries := entries_to_write():
        try:
            _pointer.set("OCL_ICD_VENDORS", str(_folder_for(files_of(entries))))
        except OSError as error:  # temporary files cannot be written either
            _pointer.failure = f"no folder for its .icd file can be written ({error})"
            logger.debug("runtimes outside %s stay unseen: %s", _SYSTEM_FOLDER, error)


def _folder_for(files: Mapping[str, bytes]) -> Path:
    try:
        return lasting_folder(files)
    except OSError as error:
        logger.debug("the cache cannot be written: %s", error)
        return _temporary_folder(files)


# ---------------------------------------------------------------- platforms


def _ask_loader() -> list[cl.Platform]:
    """Return all platforms; the list is empty if there are none or the loader fails."""
    try:
        return list(cl.get_platforms())
    except cl.Error as error:
        logger.debug("the OpenCL loader says: %s", error)
        return []


def identity(platform: Any) -> tuple[str, ...]:
    """Return a tuple that is equal for two listings of one platform.

    It holds the devices' names, since Intel's GPU runtime has one platform for each family of GPUs,
    all with one name and version.

    Parameters
    ----------
    platform : pyopencl.Platform
        The platform.

    Returns
    -------
    tuple of str
        The platform's name, vendor and version, and then its devices' names.
    """
    try:
        names = [device.name for device in platform.get_devices()]
    except cl.Error:  # a platform without devices
        names = []
    return (platform.name, platform.vendor, platform.version, *names)


def without_repeats(platforms: Iterable[Any]) -> list[Any]:
    """Return each platform once, also if several ``.icd`` files have named its runtime.

    Parameters
    ----------
    platforms : iterable of pyopencl.Platform
        The platforms in the loader's order.

    Returns
    -------
    list of pyopencl.Platform
        The platforms without repeats, in the loader's order.
    """
    first: dict[tuple[str, ...], Any] = {}
    for platform in platforms:
        first.setdefault(identity(platform), platform)
    return list(first.values())


def platforms() -> list[cl.Platform]:
    """Return every platform of this machine once; a process asks the loader only once.

    Returns
    -------
    list of pyopencl.Platform
        The platforms in the loader's order, which means nothing.
    """
    with _lock:
        return list(_found())


@functools.cache
def _found() -> tuple[cl.Platform, ...]:
    try:
        found = _ask_loader()
    finally:
        _pointer.take_back()
        pinning.variable.take_back()
    if said := asked_too_early(platform.name for platform in found):
        logger.warning("%s", said)
    return tuple(without_repeats(found))


def hint(names: Iterable[str]) -> str:
    """Return a sentence that says why a runtime that is installed may be missing.

    Parameters
    ----------
    names : iterable of str
        The names of the platforms that were found.

    Returns
    -------
    str
        The sentence; empty if nothing is missing.
    """
    library = _missing(names)
    if setting := user_setting():
        if library:
            name, _, _ = setting.partition("=")
            return f"{setting} hides Intel's CPU runtime, which is installed: unset {name}"
        return f"{setting} is set, so that no other runtime is looked for"
    if library is None:
        return ""
    why = _why_absent(library)
    return f"Intel's CPU runtime is installed, but {why}" if why else _TOO_EARLY


def asked_too_early(names: Iterable[str]) -> str:
    """Return a message if the loader listed platforms before pyclfft told it of all runtimes.

    Parameters
    ----------
    names : iterable of str
        The names of the platforms that were found.

    Returns
    -------
    str
        What happened and what to do about it; empty if it did not happen.
    """
    library = None if user_setting() else _missing(names)
    return "" if library is None or _why_absent(library) else _TOO_EARLY


def _missing(names: Iterable[str]) -> Path | None:
    """Return the library of Intel's CPU runtime if it is installed but its platform is missing."""
    return None if _INTEL_PLATFORM in names else intel_from_pip()


def _why_absent(library: Path) -> str:
    """Return why a library could not be named or loaded; an empty text if it can be loaded."""
    if _pointer.failure:
        return _pointer.failure
    try:
        ctypes.CDLL(str(library))
    except OSError as error:
        return f"it cannot be loaded: {error}"
    return ""


# ---------------------------------------------------------------- whether OpenCL has been used


def renew_lock() -> None:
    """Make a new lock in a forked process: a thread that is gone may have held the old one."""
    global _lock
    _lock = threading.RLock()


def has_been_asked() -> bool:
    """Whether platforms have been listed in this process, by pyclfft or by anybody else.

    Returns
    -------
    bool
        On Linux this includes listings by others, since the loader then loads the runtimes'
        libraries. On other systems only pyclfft's own listing counts.
    """
    return _found.cache_info().currsize > 0 or _runtime_is_loaded()


def _runtime_is_loaded() -> bool:
    """Whether Linux has mapped the library of one of the machine's runtimes into this process."""
    marks = tuple(f"/{name.partition('.')[0]}." for name in _libraries())
    with suppress(OSError), open("/proc/self/maps", errors="replace") as maps:
        return any(mark in line for line in maps for mark in marks)
    return False


def _libraries() -> Iterator[str]:
    """Yield the names of all runtimes' libraries, and of the files to which they are links."""
    given = [Path(value) for value in map(os.environ.get, _LOADER_VARIABLES) if value]
    entries = itertools.chain(*map(entries_in, [_SYSTEM_FOLDER, _environment_folder(), *given]))
    for entry in itertools.chain(entries, unregistered()):
        yield Path(entry.library).name
        yield Path(entry.file).name
    yield from (path.name for path in given if not path.is_dir())  # a variable may name a library
