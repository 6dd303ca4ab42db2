"""Descriptions of a device: traits for the planner, identities for files, labels for people."""

from __future__ import annotations

import functools
import platform as host
import re
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pyopencl as cl

from ..planning.lookup import Identity
from ..planning.traits import Traits
from . import vendors
from .forks import require_own_process
from .vendors import compute_capability, query, runtime_of

# The types of devices in order of preference. A simulator may have all types at once.
TYPES = {
    "gpu": cl.device_type.GPU,
    "accelerator": cl.device_type.ACCELERATOR,
    "cpu": cl.device_type.CPU,
}
MAX_DEVICES = 64  # whose traits are remembered
_MHZ = re.compile(r"^cpu MHz\s*: ([\d.]+)", re.MULTILINE)


def traits(device: cl.Device) -> Traits:
    """Return the traits of a device, by which the planner and other code treat it.

    Parameters
    ----------
    device : pyopencl.Device
        Any device.

    Returns
    -------
    Traits
        The device's traits. If the runtime does not answer a query, the trait has a safe value.

    Raises
    ------
    DeviceError
        This process was forked from one that has used OpenCL.
    """
    require_own_process()
    return _traits(device)


@functools.lru_cache(MAX_DEVICES)
def _traits(device: cl.Device) -> Traits:
    """Ask a device for its traits; the questions take longer than a small transform."""
    is_cpu = _is_cpu(device)
    extensions = query(device, "extensions", "").split()
    double = bool(query(device, "double_fp_config", 0)) or "cl_khr_fp64" in extensions
    capability = compute_capability(device)
    svm = query(device, "svm_capabilities", 0)
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
        unified_memory=is_cpu or bool(query(device, "host_unified_memory", False)),
        l2_bytes=vendors.NVIDIA_L2.get(capability, 0) * 2**20,
        groups_may_wait=capability >= vendors.NVIDIA_ORDERS,
        ptx=capability >= vendors.NVIDIA_ORDERS,
        vectorizes=not is_cpu or _vectorizes(device),
        shared_buffers=bool(svm & cl.device_svm_capabilities.FINE_GRAIN_BUFFER),
        system_svm=bool(svm & cl.device_svm_capabilities.FINE_GRAIN_SYSTEM),
        unmaps_ahead=_unmaps_ahead(device),
        writes_through=is_cpu and _writes_through(device),
    )


@dataclass(frozen=True)
class Unit:
    """How much a compute unit of a GPU has room for at a time.

    Attributes
    ----------
    items, groups : int
        How many work-items, and how many work-groups, it has room for.
    local_bytes : int
        The local memory that its work-groups share out among them.
    registers : int
        The registers that its work-items share out among them.
    lanes : int
        How many work-items run in lockstep.
    option : str
        The compiler's option that makes it report how many registers a kernel needs.
    """

    items: int
    groups: int
    local_bytes: int
    registers: int
    lanes: int
    option: str


def unit_of(device: Any) -> Unit | None:
    """Return how much a compute unit has room for; None if neither OpenCL nor pyclfft knows it.

    Parameters
    ----------
    device : pyopencl.Device
        Any device.

    Returns
    -------
    Unit or None
    """
    known = vendors.NVIDIA_UNITS.get(compute_capability(device))
    if known is None:
        return None
    items, groups, local_kib = known
    lanes = _lanes(device, False)
    return Unit(items, groups, local_kib * 1024, vendors.NVIDIA_REGISTERS, lanes, "-cl-nv-verbose")


def _is_cpu(device: Any) -> bool:
    """Whether the device is the host's CPU, and not a simulator that calls itself a GPU too."""
    return bool(device.type & cl.device_type.CPU) and not device.type & cl.device_type.GPU


def _vectorizes(device: Any) -> bool:
    """Whether the runtime of a CPU makes vectors of work-items."""
    return query(device, "platform", None) is None or runtime_of(device).name != vendors.SCALAR


def _unmaps_ahead(device: Any) -> bool:
    """Whether the runtime accepts the end of a mapping that has not yet begun."""
    return query(device, "platform", None) is None or runtime_of(device).unmaps_ahead


def _writes_through(device: Any) -> bool:
    """Whether the runtime of a CPU lets kernels write to the memory that buffers are made of."""
    return query(device, "platform", None) is not None and runtime_of(device).writes_through


def _lanes(device: Any, is_cpu: bool) -> int:
    """Return how many work-items run in lockstep: in a CPU's vector, a GPU's warp or wavefront."""
    if is_cpu:
        return max(1, query(device, "native_vector_width_float", 1))
    answers = (query(device, attribute, 0) for attribute in vendors.LANE_QUERIES)
    return next((lanes for lanes in answers if lanes), vendors.GPU_LANES)


def identity(device: cl.Device) -> Identity:
    """Return the identity by which the tuning database knows a device.

    Parameters
    ----------
    device : pyopencl.Device
        Any device.

    Returns
    -------
    Identity
    """
    kind = next((name for name, bit in TYPES.items() if device.type & bit), "")
    is_cpu = _is_cpu(device)
    return Identity(
        platform=" ".join(device.platform.name.split()),
        name=" ".join(device.name.split()),
        driver=" ".join(device.driver_version.split()),
        architecture=_architecture(device, is_cpu),
        vendor=runtime_name(device) if is_cpu else " ".join(query(device, "vendor", "").split()),
        type="cpu" if is_cpu else kind,
    )


def _architecture(device: Any, is_cpu: bool) -> str:
    """Return a name that devices with equal best parameters share; empty if there is none."""
    if is_cpu:
        return f"{_lanes(device, is_cpu)} lanes"
    capability = compute_capability(device)
    if capability != (0, 0):
        return "sm_{}{}".format(*capability)
    name = re.match(r"gfx\w+", device.name)  # features that follow a colon are left out
    return name[0] if name else ""


def device_label(device: cl.Device) -> str:
    """Return the name of a device for messages and tables.

    Parameters
    ----------
    device : pyopencl.Device
        Any device.

    Returns
    -------
    str
        For example ``"AMD EPYC (Intel(R) OpenCL, driver 2026.22.10.0)"``.
    """
    name = " ".join(device.name.split())
    return f"{name} ({device.platform.name.strip()}, driver {device.driver_version.strip()})"


def runtime_name(device: cl.Device) -> str:
    """Return a short name of a device's runtime, for narrow tables.

    Parameters
    ----------
    device : pyopencl.Device
        Any device.

    Returns
    -------
    str
        For example ``"Intel"`` or ``"PoCL"``; the platform's name if pyclfft has no shorter one.
    """
    return runtime_of(device).name or device.platform.name.strip()


def clocks(device: cl.Device) -> str:
    """Return a text that says at what clocks a device runs, as far as they are known.

    Parameters
    ----------
    device : pyopencl.Device
        Any device.

    Returns
    -------
    str
        For example ``"1980 MHz at most, now 1755 MHz, memory 2619 MHz"``.
    """
    most = query(device, "max_clock_frequency", 0)
    now = _cpu_clock() if traits(device).is_cpu else _gpu_clocks(device)
    return ", ".join([f"{most} MHz at most"] * bool(most) + [f"now {now}"] * bool(now)) or "unknown"


def _cpu_clock() -> str:
    with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        found = [float(each) for each in _MHZ.findall(file.read())]
        return f"{sum(found) / len(found):.0f} MHz" if found else ""
    return ""


def _gpu_clocks(device: Any) -> str:
    vendor = query(device, "vendor", "").lower()
    for mark, (command, place) in vendors.CLOCK_COMMANDS.items():
        if mark in vendor:
            domain, bus, slot = (query(device, attribute, 0) for attribute in place)
            where = f"{domain:08x}:{bus:02x}:{slot:02x}.0"
            with suppress(OSError, subprocess.SubprocessError, ValueError):
                done = subprocess.run(
                    [*command, where], capture_output=True, text=True, check=True, timeout=10
                )
                core, memory = done.stdout.strip().split(", ")
                return f"{core} MHz, memory {memory} MHz"
    return ""


def code_identity(device: cl.Device) -> tuple[str, ...]:
    """Return all that decides whether a device can run machine code that was built on another.

    Parameters
    ----------
    device : pyopencl.Device
        Any device.

    Returns
    -------
    tuple of str
        The names and versions of runtime, device and driver, and for a CPU also its instruction
        sets: machines may share a home folder although their processors, of one name, have
        different instruction sets.
    """
    platform = device.platform
    names = (platform.name, platform.version, device.name, device.version, device.driver_version)
    return (*names, _instruction_sets()) if device.type & cl.device_type.CPU else names


@functools.cache
def _instruction_sets() -> str:
    with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        return next((line.strip() for line in file if line.startswith(("flags", "Features"))), "")
    return host.processor()
