"""Which device to use, and what it is like: the one file that knows vendors.

What it knows leaves it as the order of `devices` and as `Traits`.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import platform as host
import re
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pyopencl as cl

from .. import files
from ..advice import pip_install
from ..errors import DeviceError
from ..planning.lookup import Identity
from ..planning.traits import Traits
from . import icd

logger = logging.getLogger(__name__)

# ---------------------------------------------------------------- what we know of vendors

_WAKE_RUSTICL = (
    "it shows only the drivers that the environment variable RUSTICL_ENABLE names, such as "
    "RUSTICL_ENABLE=radeonsi (AMD), iris (Intel) or nouveau (NVIDIA)"
)
_SCALAR = "PoCL"  # whose compiler makes loops of work-items, and hardly vectors


@dataclass(frozen=True)
class _Runtime:
    """A runtime, known by a part of its platform's name, vendor or version (in lower case)."""

    mark: str
    order: int  # among the devices of one type; a vendor's own runtime has 1
    simulator: bool = False
    name: str = ""  # short, where the platform's is not
    asleep: str = ""  # what to do where the runtime is installed and shows no device


# The first row that fits counts; without one it is _Runtime("", 1).
_RUNTIMES = (
    _Runtime("oclgrind", 9, simulator=True),
    _Runtime("fpga emulation", 9, simulator=True),  # calls itself an accelerator; runs on the CPU
    _Runtime("pocl", 2, name=_SCALAR),
    _Runtime("rusticl", 3, asleep=_WAKE_RUSTICL),
    _Runtime("clover", 4),  # Mesa's old one, known for wrong results
    _Runtime("intel(r) opencl", 0, name="Intel"),  # on CPUs of any vendor ahead of the others
    _Runtime("", 1),
)

# Types in order of preference. A simulator may be of every type at once.
_TYPES = {
    "gpu": cl.device_type.GPU,
    "accelerator": cl.device_type.ACCELERATOR,
    "cpu": cl.device_type.CPU,
}

# Warnings that say nothing of a kernel's results: NVIDIA's of its own attribute, for every kernel,
# and PoCL's of hints that its optimiser has not followed.
_CHATTER = re.compile(r"is a kernel, so overriding noinline attribute|loop not unrolled")

# Attributes that say how many work-items of a GPU run in lockstep, each of one vendor's extension.
_LANE_QUERIES = ("warp_size_nv", "wavefront_width_amd")
_GPU_LANES = 32

# NVIDIA's L2 caches in MiB by compute capability: that of the data-centre part, or where there is
# none the smallest. OpenCL tells only the sum of the L1 caches.
_CAPABILITY_QUERIES = ("compute_capability_major_nv", "compute_capability_minor_nv")
_NVIDIA_L2 = {
    (7, 0): 6,  # V100
    (7, 5): 4,  # T4
    (8, 0): 40,  # A100
    (8, 6): 2,
    (8, 9): 24,
    (9, 0): 50,  # H100, H200, GH200
    (10, 0): 126,  # B200
    (12, 0): 24,
}
# Work-items and groups for which a multiprocessor has room, and its local memory in KiB, by compute
# capability: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
_NVIDIA_UNITS = {
    (7, 0): (2048, 32, 96),
    (7, 5): (1024, 16, 64),
    (8, 0): (2048, 32, 164),
    (8, 6): (1536, 16, 100),
    (8, 9): (1536, 24, 100),
    (9, 0): (2048, 32, 228),
    (10, 0): (2048, 32, 228),
}
_NVIDIA_REGISTERS = 65536
_NVIDIA_ORDERS = (7, 0)  # from here on there is a memory model, with acquire and release

# Who says at what clock a GPU runs, in MHz, as OpenCL only tells the highest: by the vendor's name,
# with the queries for its place on the bus.
_CLOCK_COMMANDS = {
    "nvidia": (
        ("nvidia-smi", "--query-gpu=clocks.sm,clocks.mem", "--format=csv,noheader,nounits", "--id"),
        ("pci_domain_id_nv", "pci_bus_id_nv", "pci_slot_id_nv"),
    ),
}
_MHZ = re.compile(r"^cpu MHz\s*: ([\d.]+)", re.MULTILINE)

# How to get a device, by operating system; the rows with a machine hold for that machine only.
_REMEDIES: dict[str, tuple[tuple[str, str], ...]] = {
    "linux": (
        ("x86_64", f"{pip_install('cpu')} (a runtime for the CPU; no root needed)"),
        ("", "apt install pocl-opencl-icd (Debian, Ubuntu) or dnf install pocl (Fedora)"),
        ("", "the GPU vendor's driver with its OpenCL package"),
    ),
    "win32": (
        ("AMD64", f"{pip_install('cpu')} (a runtime for the CPU)"),
        ("", "the GPU vendor's driver, which contains OpenCL"),
    ),
    "darwin": (
        ("", "conda install -c conda-forge pyopencl ocl_icd_wrapper_apple (Apple's own OpenCL)"),
        ("", "conda install -c conda-forge pyopencl pocl (a runtime for the CPU)"),
    ),
}
_ANY_SYSTEM = (("", "an OpenCL runtime from the GPU's or the CPU's vendor, or PoCL"),)


def _query(device: Any, attribute: str, otherwise: Any) -> Any:
    """Ask a device; runtimes refuse questions that their version of OpenCL does not know."""
    try:
        return getattr(device, attribute)
    except (cl.Error, AttributeError):
        return otherwise


def _runtime_of(device: Any) -> _Runtime:
    return _runtime_behind(device.platform)


def _runtime_behind(platform: Any) -> _Runtime:
    text = f"{platform.name} {platform.vendor} {platform.version}".lower()
    return next(row for row in _RUNTIMES if row.mark in text)


def _rank(device: Any) -> tuple[Any, ...]:
    """Sort key: real ones, then GPU before CPU, then memory of its own, then the better runtime."""
    runtime = _runtime_of(device)
    kinds = [n for n, bit in enumerate(_TYPES.values()) if device.type & bit]
    kind = min(kinds, default=len(_TYPES))
    unified = bool(_query(device, "host_unified_memory", False))
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


# ---------------------------------------------------------------- all devices, and which work


@functools.cache
def _all() -> tuple[cl.Device, ...]:
    """Every device in order of preference, usable or not."""
    require_own_process()
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
    return [(platform, _runtime_behind(platform).asleep) for platform in asleep]


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
    return by_platform(_all())


_PROBE = "__kernel void probe(__global int *x) { x[0] = 1; }\n"

_lock = threading.RLock()
_defects: dict[cl.Device, str] = {}


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
    with _lock:
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
    require_own_process()
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
    return [device for device in _all() if not defect(device)]


# ---------------------------------------------------------------- choosing one

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


# A platform, or a platform and a device of it.
_NUMBERS = re.compile(r"(\d+)(?::(\d+))?")


@functools.lru_cache(maxsize=64)
def _select(spec: str) -> cl.Device:
    """Return the first usable device that fits; of all of them where `spec` is empty."""
    found = matching(spec, _all()) if spec else list(_all())
    for place, device in enumerate(found):
        if not defect(device):
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
    for p, (_, group) in enumerate(by_platform(ordered)):
        for d, device in enumerate(group):
            yield (p, d), device


def _is_unambiguous(spec: str) -> bool:
    """Whether the first device is meant where several fit: by a type, or by a platform's number."""
    return bool(_NUMBERS.fullmatch(spec) or _by_type(spec))


def _say_which(spec: str, taken: Any, found: Sequence[Any]) -> None:
    places = {device: f"{p}:{d}" for (p, d), device in _numbered(_all())}
    logger.warning(
        "%r fits %d devices (%s): taking %s %s", spec, len(found),
        ", ".join(places[device] for device in found), places[taken], device_label(taken),
    )  # fmt: skip


def _by_type(spec: str) -> Callable[[Any], bool] | None:
    bit = _TYPES.get(spec.lower())
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
    ways = "" if spec and _all() else remedies()
    return ". ".join(filter(None, [_what_is_wrong(spec, found), icd.hint(names), ways]))


def _what_is_wrong(spec: str, found: Sequence[cl.Device]) -> str:
    if not _all():
        return "; ".join(["no OpenCL device on this machine", *_asleep()])
    if found:
        broken = "; ".join(f"{device_label(d)}: {defect(d)}" for d in found)
        return f"no device builds even a kernel of one line: {broken}"
    there = "; ".join(f"{p}:{d} {device_label(each)}" for (p, d), each in _numbered(_all()))
    curable = [line for line in _asleep() if ": " in line]
    nothing = f"no OpenCL {'platform has the number' if spec.isdigit() else 'device fits'} {spec!r}"
    return "; ".join([nothing, f"there is: {there}", *curable])


def _asleep() -> Iterator[str]:
    """Say which runtimes are installed and show no device; behind a colon, what to do about it."""
    for platform, remedy in without_devices():
        yield f"the runtime {platform.name.strip()} shows no device" + f": {remedy}" * bool(remedy)


def remedies() -> str:
    """Name the ways to get an OpenCL device on this operating system.

    Returns
    -------
    str
        One line.
    """
    rows = _REMEDIES.get(sys.platform, _ANY_SYSTEM)
    ways = [way for machine, way in rows if machine in ("", host.machine())]
    return "Ways to get one: " + "; or ".join(ways)


# ---------------------------------------------------------------- what a device is like


def traits(device: cl.Device) -> Traits:
    """Describe a device to the planner, and to all else that depends on what it is like.

    Parameters
    ----------
    device : pyopencl.Device
        Any device.

    Returns
    -------
    Traits
        Its numbers; what a runtime does not answer gets a value that is safe.

    Raises
    ------
    DeviceError
        This process was forked from one that has used OpenCL.
    """
    require_own_process()
    is_cpu = _is_cpu(device)
    extensions = _query(device, "extensions", "").split()
    double = bool(_query(device, "double_fp_config", 0)) or "cl_khr_fp64" in extensions
    capability = _compute_capability(device)
    svm = _query(device, "svm_capabilities", 0)
    return Traits(
        name=device.name.strip(),
        is_cpu=is_cpu,
        compute_units=device.max_compute_units,
        max_work_group_size=device.max_work_group_size,
        max_work_item_sizes=tuple(int(size) for size in device.max_work_item_sizes),
        local_mem_bytes=device.local_mem_size,
        global_mem_bytes=device.global_mem_size,
        max_alloc_bytes=device.max_mem_alloc_size,
        lanes=_lanes(device, is_cpu),
        fp64=double,
        fp16="cl_khr_fp16" in extensions,
        unified_memory=is_cpu or bool(_query(device, "host_unified_memory", False)),
        l2_bytes=_NVIDIA_L2.get(capability, 0) * 2**20,
        groups_may_wait=capability >= _NVIDIA_ORDERS,
        ptx=capability >= _NVIDIA_ORDERS,
        vectorizes=not is_cpu or _vectorizes(device),
        shared_buffers=bool(svm & cl.device_svm_capabilities.FINE_GRAIN_BUFFER),
        system_svm=bool(svm & cl.device_svm_capabilities.FINE_GRAIN_SYSTEM),
    )


@dataclass(frozen=True)
class Unit:
    """What a compute unit has room for at a time.

    Attributes
    ----------
    items, groups : int
        Work-items, and work-groups.
    local_bytes : int
        Local memory of all its groups.
    registers : int
        Of all its work-items.
    lanes : int
        Work-items that run in lockstep.
    option : str
        The compiler's, that makes it report the registers of a kernel.
    """

    items: int
    groups: int
    local_bytes: int
    registers: int
    lanes: int
    option: str


def unit_of(device: Any) -> Unit | None:
    """Return what a compute unit has room for, or None where OpenCL and we do not know.

    Parameters
    ----------
    device : pyopencl.Device
        Any device.

    Returns
    -------
    Unit or None
    """
    known = _NVIDIA_UNITS.get(_compute_capability(device))
    if known is None:
        return None
    items, groups, local_kib = known
    lanes = _lanes(device, False)
    return Unit(items, groups, local_kib * 1024, _NVIDIA_REGISTERS, lanes, "-cl-nv-verbose")


def _is_cpu(device: Any) -> bool:
    """Whether its cores are the host's; a simulator may be a GPU too."""
    return bool(device.type & cl.device_type.CPU) and not device.type & cl.device_type.GPU


def _vectorizes(device: Any) -> bool:
    """Whether a CPU's runtime makes vectors of work-items."""
    return _query(device, "platform", None) is None or _runtime_of(device).name != _SCALAR


def _compute_capability(device: Any) -> tuple[int, int]:
    """Which generation of NVIDIA's it is; (0, 0) for devices of others, which do not answer."""
    major, minor = (_query(device, attribute, 0) for attribute in _CAPABILITY_QUERIES)
    return major, minor


def _lanes(device: Any, is_cpu: bool) -> int:
    """Work-items in lockstep: a CPU's float vector, a GPU's warp or wavefront."""
    if is_cpu:
        return max(1, _query(device, "native_vector_width_float", 1))
    answers = (_query(device, attribute, 0) for attribute in _LANE_QUERIES)
    return next((lanes for lanes in answers if lanes), _GPU_LANES)


def identity(device: cl.Device) -> Identity:
    """Return what the tuning database knows a device by.

    Parameters
    ----------
    device : pyopencl.Device
        Any device.

    Returns
    -------
    Identity
    """
    kind = next((name for name, bit in _TYPES.items() if device.type & bit), "")
    is_cpu = _is_cpu(device)
    return Identity(
        platform=" ".join(device.platform.name.split()),
        name=" ".join(device.name.split()),
        driver=" ".join(device.driver_version.split()),
        architecture=_architecture(device, is_cpu),
        vendor=runtime_name(device) if is_cpu else " ".join(_query(device, "vendor", "").split()),
        type="cpu" if is_cpu else kind,
    )


def _architecture(device: Any, is_cpu: bool) -> str:
    """Name what devices with the same best parameters have in common; empty where we cannot."""
    if is_cpu:
        return f"{_lanes(device, is_cpu)} lanes"
    capability = _compute_capability(device)
    if capability != (0, 0):
        return "sm_{}{}".format(*capability)
    name = re.match(r"gfx\w+", device.name)  # with features behind a colon, which differ
    return name[0] if name else ""


def device_label(device: cl.Device) -> str:
    """Name a device as messages and tables do.

    Parameters
    ----------
    device : pyopencl.Device
        Any device.

    Returns
    -------
    str
        Such as ``"AMD EPYC (Intel(R) OpenCL, driver 2026.22.10.0)"``.
    """
    name = " ".join(device.name.split())
    return f"{name} ({device.platform.name.strip()}, driver {device.driver_version.strip()})"


def runtime_name(device: cl.Device) -> str:
    """Name a device's runtime as narrow tables do.

    Parameters
    ----------
    device : pyopencl.Device
        Any device.

    Returns
    -------
    str
        Such as ``"Intel"`` or ``"PoCL"``; the platform's name where we have none of our own.
    """
    return _runtime_of(device).name or device.platform.name.strip()


def clocks(device: cl.Device) -> str:
    """Say at what clock a device runs, as far as anybody knows.

    Parameters
    ----------
    device : pyopencl.Device
        Any device.

    Returns
    -------
    str
        Such as ``"1980 MHz at most, now 1755 MHz, memory 2619 MHz"``.
    """
    most = _query(device, "max_clock_frequency", 0)
    now = _cpu_clock() if traits(device).is_cpu else _gpu_clocks(device)
    return ", ".join([f"{most} MHz at most"] * bool(most) + [f"now {now}"] * bool(now)) or "unknown"


def _cpu_clock() -> str:
    with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        found = [float(each) for each in _MHZ.findall(file.read())]
        return f"{sum(found) / len(found):.0f} MHz" if found else ""
    return ""


def _gpu_clocks(device: Any) -> str:
    vendor = _query(device, "vendor", "").lower()
    for mark, (command, place) in _CLOCK_COMMANDS.items():
        if mark in vendor:
            domain, bus, slot = (_query(device, attribute, 0) for attribute in place)
            where = f"{domain:08x}:{bus:02x}:{slot:02x}.0"
            with suppress(OSError, subprocess.SubprocessError, ValueError):
                done = subprocess.run(
                    [*command, where], capture_output=True, text=True, check=True, timeout=10
                )
                core, memory = done.stdout.strip().split(", ")
                return f"{core} MHz, memory {memory} MHz"
    return ""


def code_identity(device: cl.Device) -> tuple[str, ...]:
    """Return all that decides whether a device can run machine code built for another.

    Parameters
    ----------
    device : pyopencl.Device
        Any device.

    Returns
    -------
    tuple of str
        Runtime, device and driver with their versions. For a CPU also its instruction sets: home
        folders are shared by machines whose processors have one name and unlike abilities.
    """
    platform = device.platform
    names = (platform.name, platform.version, device.name, device.version, device.driver_version)
    return (*names, _instruction_sets()) if device.type & cl.device_type.CPU else names


@functools.cache
def _instruction_sets() -> str:
    with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        return next((line.strip() for line in file if line.startswith(("flags", "Features"))), "")
    return host.processor()


def has_warnings(log: str) -> bool:
    """Whether a build log warns of something in the kernel.

    Parameters
    ----------
    log : str
        Of a build that has succeeded.

    Returns
    -------
    bool
        False where there is nothing but the routine of this device's compiler.
    """
    lines = (line for line in log.splitlines() if "warning:" in line.lower())
    return any(not _CHATTER.search(line) for line in lines)


# ---------------------------------------------------------------- contexts and queues

_contexts: dict[cl.Device, cl.Context] = {}
_orphaned = False  # a process that was forked from one in which runtimes had started their threads


def _after_fork() -> None:
    """Find out whether this child has runtimes without their threads; renew what threads held."""
    global _lock, _orphaned
    _lock = threading.RLock()
    icd.renew_lock()
    _orphaned = _orphaned or icd.has_been_asked()


def require_own_process() -> None:
    """Refuse to use OpenCL in a process that was forked from one that has used it.

    Runtimes have threads, which a forked process lacks: some commands would wait for ever. Whatever
    enqueues, allocates or builds asks this first.

    Raises
    ------
    DeviceError
        This is such a process.
    """
    if _orphaned:
        raise DeviceError(
            "this process was forked from one that has used OpenCL, and runtimes do not survive "
            'that: start processes with multiprocessing\'s method "spawn" or "forkserver", or fork '
            "before OpenCL is first used"
        )


def context_of(device: cl.Device) -> cl.Context:
    """Return the context that pyclfft uses on a device: one for each, kept for the process.

    Intel's runtime invalidates a context that Python no longer references, even while a queue or
    a buffer in it exists; here it is always referenced.

    Parameters
    ----------
    device : pyopencl.Device
        Any device.

    Returns
    -------
    pyopencl.Context
        Of this device alone, as copies between the devices of one context can be very slow.

    Raises
    ------
    DeviceError
        The runtime refuses one, for example since the device is in exclusive use, or this process
        was forked from one that has used OpenCL.
    """
    require_own_process()
    if device in _contexts:  # early: every call of a function asks
        return _contexts[device]
    with _lock:
        if device not in _contexts:
            try:
                _contexts[device] = cl.Context([device])
            except cl.Error as error:
                raise DeviceError(f"no context on {device_label(device)}: {error}") from error
        return _contexts[device]


class _Queues(threading.local):
    """The queues of one thread."""

    def __init__(self) -> None:
        self.of: dict[cl.Context, cl.CommandQueue] = {}


_queues = _Queues()


def default_queue() -> cl.CommandQueue:
    """Return the queue that transforms of NumPy arrays run on: one for each thread and device.

    It is in order and belongs to ``context_of(default_device())``. Threads do not share it, so that
    none waits for what another has enqueued; buffers of one thread are valid in all.

    Returns
    -------
    pyopencl.CommandQueue
        The same one for every call in this thread, until the default device changes.

    Raises
    ------
    DeviceError
        As `default_device` and `context_of`.

    See Also
    --------
    default_device : Its device.
    allocator : Memory for arrays on it.

    Examples
    --------
    >>> import numpy as np
    >>> import pyopencl.array as cl_array
    >>> import pyclfft
    >>> x = cl_array.to_device(pyclfft.default_queue(), np.ones(4, "complex64"))
    >>> pyclfft.fft(x).get().real
    array([4., 0., 0., 0.], dtype=float32)
    """
    return queue_of(context_of(default_device()))


def queue_of(context: cl.Context) -> cl.CommandQueue:
    """Return this thread's queue of a context, as `default_queue` does for the default device's.

    Parameters
    ----------
    context : pyopencl.Context
        Of one device.

    Returns
    -------
    pyopencl.CommandQueue
        In order.

    Raises
    ------
    DeviceError
        This process was forked from one that has used OpenCL.
    """
    require_own_process()
    if context not in _queues.of:
        _queues.of[context] = cl.CommandQueue(context)
    return _queues.of[context]


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_after_fork)
