"""Choosing a device: the one that a user names, or else the first one that works."""

from __future__ import annotations

import functools
import logging
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pyopencl as cl

from ..errors import DeviceError
from . import icd, runtimes, vendors
from .describe import TYPES, device_label, runtime_name
from .forks import require_own_process

logger = logging.getLogger(__name__)


# A platform's number, alone or with the number of one of its devices.
_NUMBERS = re.compile(r"(\d+)(?::(\d+))?")

_chosen: cl.Device | None = None


def default_device() -> cl.Device:
    """Return the device that transforms of NumPy arrays run on.

    That is what `use_device` has set, else what the environment variable ``PYCLFFT_DEVICE`` says,
    else the first of `devices` (of which no more are tried than necessary).

    Returns
    -------
    pyopencl.Device
        The device.

    Raises
    ------
    DeviceError
        There is no usable device, or none that ``PYCLFFT_DEVICE`` fits.

    See Also
    --------
    use_device : Choose it.
    devices : All of them.
    default_queue : A queue of it.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.default_device() == pyclfft.default_queue().device
    True
    """
    if _chosen is not None:
        return _chosen
    require_own_process()
    spec = os.environ.get("PYCLFFT_DEVICE", "").strip()
    try:
        return _select(spec)
    except DeviceError as error:
        if not spec:
            raise
        raise DeviceError(f"PYCLFFT_DEVICE={spec}: {error}") from None


def use_device(spec: str | cl.Device | None) -> None:
    """Choose the device that transforms of NumPy arrays run on, in every thread.

    Parameters
    ----------
    spec : str, pyopencl.Device or None
        ``"gpu"``, ``"cpu"`` or ``"accelerator"``; a platform's number, such as ``"1"``, or a
        device's, such as ``"0:1"``, the second device of the first platform, as ``python -m pyclfft
        info`` counts; a part of the device's, the platform's or the runtime's name, whatever its
        case (``"nvidia"``, ``"pocl"``); or the device itself. Of several that fit, the first in the
        order of `devices` is taken; where a name fits several, a warning is logged that says which
        one was taken. None returns to the default.

    Raises
    ------
    DeviceError
        No usable device fits; the choice stays as it was.

    See Also
    --------
    default_device : The device that is used.
    devices : All of them.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.use_device(pyclfft.devices()[0])
    >>> pyclfft.default_device() == pyclfft.devices()[0]
    True
    >>> pyclfft.use_device(None)
    """
    global _chosen
    _chosen = None if spec is None else select_device(spec)


def select_device(spec: str | cl.Device | None = None) -> cl.Device:
    """Find a device without choosing it.

    Parameters
    ----------
    spec : str, pyopencl.Device or None
        As for `use_device`; None is the default device.

    Returns
    -------
    pyopencl.Device
        The device.

    Raises
    ------
    DeviceError
        No usable device fits.
    """
    if spec is None:
        return default_device()
    if isinstance(spec, cl.Device):
        return spec
    if not spec.strip():
        raise DeviceError("the device's name is empty")
    return _select(spec.strip())


@functools.lru_cache(maxsize=64)
def _select(spec: str) -> cl.Device:
    """Return the first usable device that fits; of all of them where `spec` is empty."""
    found = matching(spec, runtimes.every_device()) if spec else list(runtimes.every_device())
    for place, device in enumerate(found):
        if not runtimes.defect(device):
            if spec and found[place + 1 :] and not _is_unambiguous(spec):
                _say_which(spec, device, found)
            return device
    raise DeviceError(_failure(spec, found))


def matching(spec: str, ordered: Sequence[Any]) -> list[Any]:
    """Filter devices by what a person calls them.

    Parameters
    ----------
    spec : str
        As for `use_device`.
    ordered : sequence of pyopencl.Device
        In order of preference.

    Returns
    -------
    list of pyopencl.Device
        Those that fit, in the same order.
    """
    if numbers := _NUMBERS.fullmatch(spec):
        wanted = [int(number) for number in numbers.groups() if number]
        return [device for place, device in _numbered(ordered) if [*place][: len(wanted)] == wanted]
    fits = _by_type(spec) or _by_name(spec)
    return [device for device in ordered if fits(device)]


def _numbered(ordered: Iterable[Any]) -> Iterator[tuple[tuple[int, int], Any]]:
    """Yield every device with the numbers of its platform and of itself there."""
    for p, (_, group) in enumerate(runtimes.by_platform(ordered)):
        for d, device in enumerate(group):
            yield (p, d), device


def _is_unambiguous(spec: str) -> bool:
    """Whether the first device is meant where several fit: by a type, or by a platform's number."""
    return bool(_NUMBERS.fullmatch(spec) or _by_type(spec))


def _say_which(spec: str, taken: Any, found: Sequence[Any]) -> None:
    places = {device: f"{p}:{d}" for (p, d), device in _numbered(runtimes.every_device())}
    logger.warning(
        "%r fits %d devices (%s): taking %s %s", spec, len(found),
        ", ".join(places[device] for device in found), places[taken], device_label(taken),
    )  # fmt: skip


def _by_type(spec: str) -> Callable[[Any], bool] | None:
    bit = TYPES.get(spec.lower())
    return None if bit is None else lambda device: bool(device.type & bit)


def _by_name(spec: str) -> Callable[[Any], bool]:
    part = spec.lower()

    def fits(device: Any) -> bool:
        names = (device.name, device.platform.name, runtime_name(device))
        return any(part in name.lower() for name in names)

    return fits


def _failure(spec: str, found: Sequence[cl.Device]) -> str:
    """One line: what is missing or broken, what there is, and what to do."""
    names = [platform.name for platform in icd.platforms()]
    if early := icd.asked_too_early(names):
        return f"{early} ({_what_is_wrong(spec, found)})"
    ways = "" if spec and runtimes.every_device() else vendors.remedies()
    return ". ".join(filter(None, [_what_is_wrong(spec, found), icd.hint(names), ways]))


def _what_is_wrong(spec: str, found: Sequence[cl.Device]) -> str:
    if not runtimes.every_device():
        return "; ".join(["no OpenCL device on this machine", *_asleep()])
    if found:
        broken = "; ".join(f"{device_label(d)}: {runtimes.defect(d)}" for d in found)
        return f"no device builds even a kernel of one line: {broken}"
    everything = _numbered(runtimes.every_device())
    there = "; ".join(f"{p}:{d} {device_label(each)}" for (p, d), each in everything)
    curable = [line for line in _asleep() if ": " in line]
    nothing = f"no OpenCL {'platform has the number' if spec.isdigit() else 'device fits'} {spec!r}"
    return "; ".join([nothing, f"there is: {there}", *curable])


def _asleep() -> Iterator[str]:
    """Say which runtimes are installed and show no device; behind a colon, what to do about it."""
    for platform, remedy in runtimes.without_devices():
        yield f"the runtime {platform.name.strip()} shows no device" + f": {remedy}" * bool(remedy)
