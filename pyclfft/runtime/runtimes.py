"""The devices of all runtimes on this machine: in which order, and which of them work."""

from __future__ import annotations

import functools
import hashlib
import logging
import warnings
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import pyopencl as cl

from .. import files
from . import forks, icd
from .describe import TYPES, code_identity, device_label
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
    """Return why a device cannot be used: a usable one builds a kernel of one line.

    The answer is kept until the process ends. If the device is usable, a note in the cache folder
    says so to later processes, one note for each version of the driver: Intel's compiler takes
    0.1 s for the first kernel.

    Parameters
    ----------
    device : pyopencl.Device
        Any device.

    Returns
    -------
    str
        The end of the compiler's log, or the runtime's error; empty if the device can be used.

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


def _examine(device: cl.Device) -> str:
    """Return why the probe does not build; a note that it once did spares the attempt."""
    about = code_identity(device)
    key = hashlib.sha256("\n".join((_PROBE, *about)).encode()).hexdigest()[:16]
    note = files.cache_dir() / "sound-devices" / key
    with suppress(OSError):
        if note.exists():
            return ""
    reason = _build_probe(device)
    if not reason:
        with suppress(OSError):  # if the cache cannot be written, that only costs time
            note.parent.mkdir(parents=True, exist_ok=True)
            note.write_text("\n".join(about) + "\n")
    return reason


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
        The usable devices; the list is empty if there are none.

    Warns
    -----
    RuntimeWarning
        A device is skipped since it cannot build even a kernel of one line.

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
    return [device for device in every_device() if not defect(device)]
