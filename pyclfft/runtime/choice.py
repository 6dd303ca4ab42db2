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


# The number of a platform, alone or with the number of one of the platform's devices.
_NUMBERS = re.compile(r"(\d+)(?::(\d+))?")

_chosen: cl.Device | None = None


def default_device() -> cl.Device:
    """Return the device that transforms of NumPy arrays run on.

    If `use_device` has chosen a device, it is that one. Otherwise, if the environment variable
    ``PYCLFFT_DEVICE`` is set, it is the device that this names, in the words of `use_device`.
    Otherwise it is the first of `devices`; the devices after it are not tried.

    Returns
    -------
    pyopencl.Device
        The default device.

    Raises
    ------
    DeviceError
        There is no usable device, or ``PYCLFFT_DEVICE`` fits none.

    See Also
    --------
    use_device : Choose the device.
    devices : List all usable devices.
    default_queue : Return a queue of the default device.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.default_device() == pyclfft.default_queue().device
    True
    """
    if _chosen is not None:
        return _chosen
    require_own_process()
    try:  # every transform of a NumPy array asks, and `get` takes longer
        spec = os.environ["PYCLFFT_DEVICE"].strip()
    except KeyError:
        spec = ""
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
        A type: ``"gpu"``, ``"cpu"`` or ``"accelerator"``. Or the number of a platform, for example
        ``"1"``, or of a device, for example ``"0:1"`` for the second device of the first platform;
        ``python -m pyclfft info`` lists these numbers. Or a part of the name of the device, the
        platform or the runtime, in upper or lower case (``"nvidia"``, ``"pocl"``). Or the device
        itself. If several devices fit, the first one in the order of `devices` is taken; if several
        fit a name, a warning is logged that says which one was taken. None undoes an earlier
        choice.

    Raises
    ------
    DeviceError
        No usable device fits; the choice stays as it was.

    See Also
    --------
    default_device : Return the device that is used.
    devices : List all usable devices.

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


def chosen_device() -> cl.Device | None:
    """Return the device that `use_device` has chosen, or None."""
    return _chosen


def select_device(spec: str | cl.Device | None = None) -> cl.Device:
    """Find a device without choosing it.

    Parameters
    ----------
    spec : str, pyopencl.Device or None
        The device, in the words of `use_device`; None stands for the default device.

    Returns
    -------
    pyopencl.Device
        The device that was found.

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
    """Return the first usable device that fits `spec`; if it is empty, every device fits."""
    found = matching(spec, runtimes.every_device()) if spec else list(runtimes.every_device())
    for place, device in enumerate(found):
        if not runtimes.defect(device):
            if spec and found[place + 1 :] and not _is_unambiguous(spec):
                _say_which(spec, device, found)
            return device
    for device in found if spec and not _by_type(spec) else ():
        if runtimes.is_left_to_the_user(device):
            logger.warning("taking %s since %r names it", device_label(device), spec)
            return device
    raise DeviceError(_failure(spec, found))


def matching(spec: str, ordered: Sequence[Any]) -> list[Any]:
    """Return the devices that a user's words fit.

    Parameters
    ----------
    spec : str
        A type, a number or a part of a name, as `use_device` takes them.
    ordered : sequence of pyopencl.Device
        Devices in order of preference.

    Returns
    -------
    list of pyopencl.Device
        The devices that fit, in order of preference.
    """
    if numbers := _NUMBERS.fullmatch(spec):
        wanted = [int(number) for number in numbers.groups() if number]
        return [device for place, device in _numbered(ordered) if [*place][: len(wanted)] == wanted]
    fits = _by_type(spec) or _by_name(spec)
    return [device for device in ordered if fits(device)]


def _numbered(ordered: Iterable[Any]) -> Iterator[tuple[tuple[int, int], Any]]:
    """Yield each device with two numbers: its platform's, and its own within the platform."""
    for p, (_, group) in enumerate(runtimes.by_platform(ordered)):
        for d, device in enumerate(group):
            yield (p, d), device


def _is_unambiguous(spec: str) -> bool:
    """Whether `spec` means the first device that fits: a type or a number does, a name does not."""
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
    """Return one line that says what is missing or broken, what there is, and what to do."""
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
        return f"no device works: {broken}"
    everything = _numbered(runtimes.every_device())
    there = "; ".join(f"{p}:{d} {device_label(each)}" for (p, d), each in everything)
    curable = [line for line in _asleep() if ": " in line]
    nothing = f"no OpenCL {'platform has the number' if spec.isdigit() else 'device fits'} {spec!r}"
    return "; ".join([nothing, f"there is: {there}", *curable])


def _asleep() -> Iterator[str]:
    """Yield a line for each runtime without devices; what to do about it follows a colon."""
    for platform, remedy in runtimes.without_devices():
        yield f"the runtime {platform.name.strip()} shows no device" + f": {remedy}" * bool(remedy)
