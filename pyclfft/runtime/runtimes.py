"""The devices of all runtimes on this machine: in which order, and which of them work."""

from __future__ import annotations

import functools
import hashlib
import logging
import warnings
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyopencl as cl

from .. import files
from . import forks, icd, trial
from .describe import TYPES, code_identity, device_label
from .html import DeviceList
from .vendors import query, runtime_behind, runtime_of

logger = logging.getLogger(__name__)

_PROBE = "__kernel void probe(__global int *x) { x[0] = 1; }\n"
_defects: dict[cl.Device, str] = {}  # the answers that `defect` has given


def _rank(device: Any) -> tuple[Any, ...]:
    """Return a device's key for sorting.

    Simulators come last. Then the type decides, then whether the device has memory of its own,
    then its runtime.
    """
    runtime = runtime_of(device)
    kinds = [n for n, bit in enumerate(TYPES.values()) if device.type & bit]
    kind = min(kinds, default=len(TYPES))
    unified = bool(query(device, "host_unified_memory", False))
    platform = device.platform
    return runtime.simulator, kind, unified, runtime.order, platform.name, platform.version


def in_order(found: Iterable[Any]) -> list[Any]:
    """Sort devices by preference; devices that rank alike keep their order.

    Parameters
    ----------
    found : iterable of pyopencl.Device
        Devices of any platforms.

    Returns
    -------
    list of pyopencl.Device
        GPUs, then accelerators, then CPUs; simulators last.
    """
    return sorted(found, key=_rank)


@functools.cache
def every_device() -> tuple[cl.Device, ...]:
    """Return every device in order of preference, usable or not."""
    forks.require_own_process()
    platforms = icd.platforms()
    if logger.isEnabledFor(logging.DEBUG):
        logger.debug("%d platforms; %s", len(platforms), icd.hint(p.name for p in platforms))
    return tuple(in_order(device for each in platforms for device in _devices_of(each)))


def _devices_of(platform: Any) -> list[Any]:
    with suppress(cl.Error):  # "no device" is an error to some runtimes
        return list(platform.get_devices())
    return []


def without_devices() -> list[tuple[cl.Platform, str]]:
    """Return the platforms that show no device, as the two of Mesa often do.

    Returns
    -------
    list of (pyopencl.Platform, str)
        Each platform with what its user can do about it; the text is empty where we do not know.
    """
    asleep = [platform for platform in icd.platforms() if not _devices_of(platform)]
    return [(platform, runtime_behind(platform).asleep) for platform in asleep]


def by_platform(ordered: Iterable[Any]) -> list[tuple[Any, list[Any]]]:
    """Group devices by platform, in the order that `info` prints and ``"0:1"`` counts in.

    Parameters
    ----------
    ordered : iterable of pyopencl.Device
        Devices in order of preference.

    Returns
    -------
    list of (pyopencl.Platform, list of pyopencl.Device)
        The platforms in the order of their best devices, each with its devices in order of
        preference.
    """
    groups: dict[Any, list[Any]] = {}
    for device in ordered:
        groups.setdefault(device.platform, []).append(device)
    return list(groups.items())


def listing() -> list[tuple[cl.Platform, list[cl.Device]]]:
    """Return every platform with its devices, also the unusable ones.

    A number such as ``"0:1"`` counts platforms and devices in this order.

    Returns
    -------
    list of (pyopencl.Platform, list of pyopencl.Device)
        Platforms and devices as `by_platform` groups them; ``defect(device)`` says whether and why
        a device cannot be used.
    """
    return by_platform(every_device())


def defect(device: cl.Device) -> str:
    """Return why a device is not used: a usable one builds a kernel of one line.

    If compilers of the device's runtime have crashed, a child process tries the device first, with
    a longer kernel (trial.py).

    The answer is kept until the process ends. If the device is usable, or if it has failed in a
    child process, a note in the cache folder says so to later processes, one note for each version
    of the driver: Intel's compiler takes 0.1 s for the first kernel, and a child process 1 s.

    Parameters
    ----------
    device : pyopencl.Device
        Any device.

    Returns
    -------
    str
        The end of the compiler's log, the runtime's error, or what went wrong in the child process;
        empty if the device can be used.

    Warns
    -----
    RuntimeWarning
        The device cannot be used. The warning comes once for each device.
    """
    with forks.lock:
        known = _defects.get(device)
        if known is None:
            _defects[device] = reason = _examine(device)
    if known is not None:
        return known
    if reason:
        message = f"skipping OpenCL device {device_label(device)}: {reason}"
        warnings.warn(message, RuntimeWarning, stacklevel=2)
    return reason


def is_left_to_the_user(device: cl.Device) -> bool:
    """Whether a device is not used unless a user names it: a trial of it has gone wrong.

    A device that cannot build a kernel of one line is another case: nobody can use it.
    """
    return runtime_of(device).may_crash and bool(defect(device))


def _examine(device: cl.Device) -> str:
    """Return why a device is not used; a note of an earlier process spares the attempt."""
    about = code_identity(device)
    in_child = runtime_of(device).may_crash
    kernel = trial.KERNEL if in_child else _PROBE
    key = hashlib.sha256("\n".join((kernel, *about)).encode()).hexdigest()[:16]
    sound, unsound = (
        files.cache_dir() / each / key for each in ("sound-devices", "unsound-devices")
    )
    with suppress(OSError):
        if sound.exists():
            return ""
        if in_child and (wrong := _first_line(unsound)):
            return wrong
    if in_child and (wrong := _try_in_child(device)):
        _write_note(unsound, wrong, *about)
        return wrong
    reason = _build_probe(device)
    if not reason:
        _write_note(sound, *about)
    return reason


def _first_line(path: Path) -> str:
    """Return the first line of a note; an empty text where the note is missing or damaged."""
    if not path.exists():
        return ""
    return next(iter(path.read_text(encoding="utf-8", errors="replace").splitlines()), "")


def _write_note(path: Path, *lines: str) -> None:
    with suppress(OSError):  # if the cache cannot be written, that only costs time
        files.private_folder(path.parent, own=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _try_in_child(device: cl.Device) -> str:
    """Return what goes wrong in a child process, and the remedy; an empty text if nothing does."""
    wrong = trial.fault(device)
    name = runtime_of(device).mark
    remedy = (
        f"install another version of its driver, or choose it by the name {name!r} at your risk"
    )
    return f"{wrong}: {remedy}" if wrong else ""


def _build_probe(device: cl.Device) -> str:
    """Return why the probe does not build; an empty text if it does."""
    forks.require_own_process()
    # This is pyopencl's inner class: its class Program would ask a disk cache of its own, and
    # would warn of the long report of success that Intel's compiler writes.
    try:
        program = cl._Program(cl.Context([device]), _PROBE)
    except cl.Error as error:
        return str(error)
    try:
        program._build(b"", [device])
    except cl.Error as error:
        log = str(program.get_build_info(device, cl.program_build_info.LOG))
        return _end_of(log) or str(error)
    return ""


def _end_of(log: str, lines: int = 2) -> str:
    """Join the last lines of a log that name errors; if none does, its last lines with text."""
    said = [line for line in (line.strip(" \t\0") for line in log.splitlines()) if line]
    errors = [line for line in said if "error:" in line.lower()]
    return "; ".join((errors or said)[-lines:])


def devices() -> list[cl.Device]:
    """Return every usable device of this machine, in order of preference.

    GPUs come before CPUs, GPUs with memory of their own before GPUs inside a CPU, Intel's CPU
    runtime before PoCL, and simulators last.

    Returns
    -------
    list of pyopencl.Device
        The usable devices; the list is empty if there are none. Jupyter shows it as a table.

    Warns
    -----
    RuntimeWarning
        A device is skipped since it cannot build even a kernel of one line, or since a trial of it
        has gone wrong.

    See Also
    --------
    default_device : Return the device that is used.
    use_device : Choose a device.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.default_device() in pyclfft.devices()
    True
    """
    return DeviceList(device for device in every_device() if not defect(device))
