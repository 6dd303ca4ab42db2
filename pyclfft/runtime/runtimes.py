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
_defects: dict[cl.Device, str] = {}  # what `defect` has answered


def _rank(device: Any) -> tuple[Any, ...]:
    """Sort key: real ones, then GPU before CPU, then memory of its own, then the better runtime."""
    runtime = runtime_of(device)
    kinds = [n for n, bit in enumerate(TYPES.values()) if device.type & bit]
    kind = min(kinds, default=len(TYPES))
    unified = bool(query(device, "host_unified_memory", False))
    platform = device.platform
    return runtime.simulator, kind, unified, runtime.order, platform.name, platform.version


def in_order(found: Iterable[Any]) -> list[Any]:
    """Sort devices by preference; equals stay as their runtime lists them.

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
    """Every device in order of preference, usable or not."""
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
    """Every platform that shows no device; Mesa's two often do so.

    Returns
    -------
    list of (pyopencl.Platform, str)
        With what to do about it, where we know.
    """
    asleep = [platform for platform in icd.platforms() if not _devices_of(platform)]
    return [(platform, runtime_behind(platform).asleep) for platform in asleep]


def by_platform(ordered: Iterable[Any]) -> list[tuple[Any, list[Any]]]:
    """Group devices by platform, in the order that `info` prints and ``"0:1"`` counts in.

    Parameters
    ----------
    ordered : iterable of pyopencl.Device
        In order of preference.

    Returns
    -------
    list of (pyopencl.Platform, list of pyopencl.Device)
        The platform of the most preferred device first; its devices in order of preference.
    """
    groups: dict[Any, list[Any]] = {}
    for device in ordered:
        groups.setdefault(device.platform, []).append(device)
    return list(groups.items())


def listing() -> list[tuple[cl.Platform, list[cl.Device]]]:
    """Every platform with its devices, the unusable ones too; ``"0:1"`` counts in this order.

    Returns
    -------
    list of (pyopencl.Platform, list of pyopencl.Device)
        See `by_platform`; ``defect(device)`` says which of them cannot be used.
    """
    return by_platform(every_device())


def defect(device: cl.Device) -> str:
    """Say why a device cannot be used: it has to build a kernel of one line.

    The answer is kept for the process. That a device is sound is also noted in the cache folder,
    once for each version of its driver, since the first kernel costs Intel's compiler 0.1 s.

    Parameters
    ----------
    device : pyopencl.Device
        Any device.

    Returns
    -------
    str
        The end of the compiler's log; empty where all is well.

    Warns
    -----
    RuntimeWarning
        The device cannot be used; once for each device.
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
    """Build the probe, unless a note in the cache folder says that it has once been built."""
    about = code_identity(device)
    key = hashlib.sha256("\n".join((_PROBE, *about)).encode()).hexdigest()[:16]
    note = files.cache_dir() / "sound-devices" / key
    with suppress(OSError):
        if note.exists():
            return ""
    reason = _build_probe(device)
    if not reason:
        with suppress(OSError):  # a cache that cannot be written only costs time
            note.parent.mkdir(parents=True, exist_ok=True)
            note.write_text("\n".join(about) + "\n")
    return reason


def _build_probe(device: cl.Device) -> str:
    """Return why the probe does not build; nothing if it does."""
    forks.require_own_process()
    # pyopencl's inner class: its Program would ask its own disk cache, and would pass on the long
    # report of success that Intel's compiler writes.
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
    """Join the last lines that speak of errors, or without any the last that say something."""
    said = [line for line in (line.strip(" \t\0") for line in log.splitlines()) if line]
    errors = [line for line in said if "error:" in line.lower()]
    return "; ".join((errors or said)[-lines:])


def devices() -> list[cl.Device]:
    """Every usable device of this machine, in order of preference.

    GPUs come before CPUs, cards with their own memory before GPUs inside a CPU, Intel's CPU runtime
    before PoCL, simulators last.

    Returns
    -------
    list of pyopencl.Device
        Empty where there is none.

    Warns
    -----
    RuntimeWarning
        A device is skipped since it cannot build even a kernel of one line.

    See Also
    --------
    default_device : The one that is used.
    use_device : Choose one.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.default_device() in pyclfft.devices()
    True
    """
    return [device for device in every_device() if not defect(device)]
