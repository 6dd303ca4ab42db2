"""Which OpenCL runtimes the loader sees: the system's, and those that nobody has told it of.

An OpenCL loader reads one folder of ``.icd`` files, each of which names a runtime's library. A
runtime installed by pip is in no such folder, and ``OCL_ICD_VENDORS`` replaces the system's folder
instead of adding to it. So the first enumeration happens with a folder that holds both. The loader
reads it once; afterwards folder and environment variable are gone again, and child processes
inherit neither. Where the user has set one of the loader's own variables, it is left alone.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.metadata
import logging
import os
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyopencl as cl

logger = logging.getLogger(__name__)

_SYSTEM_FOLDER = Path("/etc/OpenCL/vendors")
# These replace the system's folder. OCL_ICD_FILENAMES is not among them: it adds to it (Khronos'
# loader) or is ignored (ocl-icd, in pyopencl's wheels), and GPU containers come with it set.
_LOADER_VARIABLES = ("OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH")

# Intel's CPU runtime, as pip installs it: the distribution, its libraries' names, its platform.
_INTEL_DISTRIBUTION = "intel-opencl-rt"
_INTEL_LIBRARIES = ("libintelocl.so", "intelocl64.dll")
_INTEL_PLATFORM = "Intel(R) OpenCL"

# NVIDIA's container tools bring the driver's library into a container, but no .icd file. The first
# path exists where the driver is loaded; the dynamic linker knows where the library is.
_NVIDIA_SIGN = Path("/proc/driver/nvidia/version")
_NVIDIA_LIBRARY = "libnvidia-opencl.so.1"

_lock = threading.RLock()


@dataclass(frozen=True)
class Entry:
    """What one ``.icd`` file says.

    Attributes
    ----------
    name : str
        The file's name without its ending.
    library : str
        The runtime's library: a path, or a name for the dynamic linker to find.
    """

    name: str
    library: str

    @property
    def file(self) -> str:
        """The library's file, whatever link leads to it."""
        path = Path(self.library)
        return str(path.resolve()) if path.is_absolute() else self.library

    @property
    def runtime(self) -> str:
        """The library's name without path and version: what two copies of one runtime share."""
        return Path(self.library).name.partition(".")[0]


def entries_in(folder: Path) -> list[Entry]:
    """Read a folder of ``.icd`` files; those whose library is a path to nothing are left out.

    Parameters
    ----------
    folder : pathlib.Path
        It need not exist.

    Returns
    -------
    list of Entry
        In the order of the files' names.
    """
    entries = []
    for path in sorted(folder.glob("*.icd")):
        try:
            library = path.read_text(errors="replace").strip()
        except OSError as error:
            logger.debug("%s cannot be read: %s", path, error)
            continue
        if library and (Path(library).exists() or not Path(library).is_absolute()):
            entries.append(Entry(path.stem, library))
    return entries


def merged(*sources: Sequence[Entry]) -> list[Entry]:
    """Join several sources of entries: each library once, each runtime from one source.

    Two copies of a runtime in one process (two PoCLs with an LLVM each) get in each other's way,
    so that a later source only adds runtimes which no earlier one has. Several versions within one
    source are somebody's wish and stay.

    Parameters
    ----------
    *sources : sequence of Entry
        The first one wins.

    Returns
    -------
    list of Entry
        In the order of the sources.
    """
    kept: dict[str, Entry] = {}
    for source in sources:
        present = {entry.runtime for entry in kept.values()}
        for entry in source:
            if entry.runtime not in present:
                kept.setdefault(entry.file, entry)
    return list(kept.values())


def intel_from_pip() -> Path | None:
    """Find the library of Intel's CPU runtime, where pip has installed it.

    Its own ``.icd`` file names a folder of the machine that built the wheel. The list of installed
    files is right for virtual environments and ``pip install --user`` alike; with
    ``pip install --target`` the library itself is not installed at all (pip 23).

    Returns
    -------
    pathlib.Path or None
        The library; None without one.
    """
    try:
        files = importlib.metadata.files(_INTEL_DISTRIBUTION) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    paths = (Path(str(file.locate())) for file in files if file.name in _INTEL_LIBRARIES)
    return next((path.resolve() for path in paths if path.exists()), None)


def unregistered() -> list[Entry]:
    """Runtimes that are installed although no ``.icd`` file says so.

    Returns
    -------
    list of Entry
        Intel's from pip, and NVIDIA's inside a container.
    """
    intel = intel_from_pip()
    found = [Entry("intel-pip", str(intel))] if intel else []
    return found + ([Entry("nvidia", _NVIDIA_LIBRARY)] if _NVIDIA_SIGN.exists() else [])


def entries_to_write() -> list[Entry]:
    """Say what the folder for the loader has to hold.

    Returns
    -------
    list of Entry
        Empty where the system's own folder is all there is: then the loader needs no help.
    """
    system = entries_in(_SYSTEM_FOLDER)
    environment = entries_in(Path(sys.prefix, "etc", "OpenCL", "vendors"))  # conda's runtimes
    entries = merged(system, environment, unregistered())
    return entries if len(entries) > len(merged(system)) else []


def write(entries: Iterable[Entry], folder: Path) -> None:
    """Write one ``.icd`` file for each entry.

    Parameters
    ----------
    entries : iterable of Entry
        Their names may repeat.
    folder : pathlib.Path
        It must exist.

    Raises
    ------
    OSError
        The folder cannot be written.
    """
    for number, entry in enumerate(entries):
        (folder / f"{number:02}-{entry.name}.icd").write_text(f"{entry.library}\n")


def user_setting() -> str:
    """Name the loader's variable that the user has set.

    Returns
    -------
    str
        As ``NAME=value``; empty without one.
    """
    values = ((name, os.environ.get(name)) for name in _LOADER_VARIABLES)
    return next((f"{name}={value}" for name, value in values if value), "")


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    """Set one environment variable for a while, also for C's getenv."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


@contextmanager
def _all_runtimes_visible() -> Iterator[None]:
    """Point a loader that has not yet started at every runtime of this machine."""
    if user_setting():
        yield
    elif sys.platform == "win32" and (library := intel_from_pip()):
        # Khronos' loader adds these to what the registry names. From its documentation; not run.
        names = (os.environ.get("OCL_ICD_FILENAMES"), str(library))
        with _environment("OCL_ICD_FILENAMES", os.pathsep.join(filter(None, names))):
            yield
    elif entries := entries_to_write():
        with tempfile.TemporaryDirectory(prefix="pyclfft-icd-") as folder:
            write(entries, Path(folder))
            with _environment("OCL_ICD_VENDORS", folder):
                yield
    else:
        yield


def _ask_loader() -> list[cl.Platform]:
    """All platforms; none is an empty list, not an error."""
    try:
        return list(cl.get_platforms())
    except cl.Error as error:
        logger.debug("the OpenCL loader says: %s", error)
        return []


def identity(platform: Any) -> tuple[str, ...]:
    """Return what two listings of one runtime have in common.

    The devices' names belong to it: Intel's GPU runtime has one platform for each family of GPUs,
    all of the same name and version.

    Parameters
    ----------
    platform : pyopencl.Platform
        The platform.

    Returns
    -------
    tuple of str
        Name, vendor, version and the devices' names.
    """
    try:
        names = [device.name for device in platform.get_devices()]
    except cl.Error:  # a platform without devices
        names = []
    return (platform.name, platform.vendor, platform.version, *names)


def without_repeats(platforms: Iterable[Any]) -> list[Any]:
    """Keep the first of each runtime that several files have named.

    Parameters
    ----------
    platforms : iterable of pyopencl.Platform
        As the loader lists them.

    Returns
    -------
    list of pyopencl.Platform
        In the same order.
    """
    first: dict[tuple[str, ...], Any] = {}
    for platform in platforms:
        first.setdefault(identity(platform), platform)
    return list(first.values())


def platforms() -> list[cl.Platform]:
    """Every platform of this machine, none twice; found once in a process.

    Returns
    -------
    list of pyopencl.Platform
        As the loader orders them, which means nothing.
    """
    with _lock:
        return list(_found())


@functools.cache
def _found() -> tuple[cl.Platform, ...]:
    try:
        with _all_runtimes_visible():
            found = _ask_loader()
    except OSError as error:  # no folder for temporary files
        logger.debug("runtimes outside %s stay unseen: %s", _SYSTEM_FOLDER, error)
        found = _ask_loader()
    return tuple(without_repeats(found))


def hint(names: Iterable[str]) -> str:
    """Say why a runtime that is installed may be missing.

    Parameters
    ----------
    names : iterable of str
        The platforms that were found.

    Returns
    -------
    str
        One sentence; empty where nothing is missing.
    """
    if setting := user_setting():
        return f"{setting} is set, so that no other runtime is looked for"
    library = intel_from_pip()
    if library is None or _INTEL_PLATFORM in names:
        return ""
    return f"Intel's CPU runtime is installed, but {_why_absent(library)}"


def _why_absent(library: Path) -> str:
    """Return the dynamic linker's complaint; without one, the loader was asked too early."""
    try:
        ctypes.CDLL(str(library))
    except OSError as error:
        return f"it cannot be loaded: {error}"
    return (
        "OpenCL was in use before pyclfft looked for it: "
        "call pyclfft.devices() before anything else lists OpenCL platforms"
    )
