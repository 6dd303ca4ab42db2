"""What pyclfft knows of vendors: only this file and icd.py act by a vendor's name.

The other modules turn these tables into the order of `devices`, into `Traits` and into messages.
"""

from __future__ import annotations

import os
import platform as host
import re
import sys
from dataclasses import dataclass
from typing import Any

import pyopencl as cl

from ..advice import pip_install

_WAKE_RUSTICL = (
    "it shows only the drivers that the environment variable RUSTICL_ENABLE names, such as "
    "RUSTICL_ENABLE=radeonsi (AMD), iris (Intel), nouveau (NVIDIA) or llvmpipe (the CPU)"
)
SCALAR = "PoCL"  # on a CPU, this runtime's compiler makes loops of work-items, and hardly vectors


@dataclass(frozen=True)
class Runtime:
    """A runtime, known by `mark`.

    The mark is a part, in lower case, of its platform's name, vendor or version.
    """

    mark: str
    order: int  # its rank among the runtimes of one type of device; a vendor's own runtime has 1
    simulator: bool = False
    name: str = ""  # a short name, if the platform's is long
    asleep: str = ""  # what to do if the runtime is installed and shows no device
    unmaps_ahead: bool = True  # as the trait of this name
    writes_through: bool = False  # likewise, of its CPU devices
    may_crash: bool = False  # whether some versions' compilers crash: a child process tries first
    no_cache: str = ""  # if it keeps compiled kernels on the disk, the variable that at 0 stops it
    disorder: bool = True  # whether several threads at once may use queues that are out of order
    compiles_late: bool = False  # whether it compiles a kernel when the kernel is first launched
    header: str = ""  # if it reads a long header for each program, the macro that says it has been


# The first row that fits counts; the last row fits every runtime.
RUNTIMES = (
    Runtime("oclgrind", 9, simulator=True),
    Runtime("fpga emulation", 9, simulator=True),  # calls itself an accelerator; runs on the CPU
    Runtime(
        "pocl",
        2,
        name=SCALAR,
        writes_through=True,
        no_cache="POCL_KERNEL_CACHE",
        compiles_late=True,
        header="_OPENCL_H_",
    ),
    Runtime("rusticl", 3, asleep=_WAKE_RUSTICL, unmaps_ahead=False, may_crash=True),
    Runtime("clover", 4, may_crash=True),  # Mesa's old runtime, known for wrong results
    # Ahead of the others on CPUs of any vendor. tests/threads_out_of_order.py hangs or crashes it.
    Runtime("intel(r) opencl", 0, name="Intel", disorder=False),
    Runtime("", 1),
)

# Two warnings that say nothing about a kernel's results. NVIDIA's compiler warns of an attribute
# that it has itself set in every kernel. PoCL's compiler warns of each hint that its optimiser has
# not followed.
_CHATTER = re.compile(r"is a kernel, so overriding noinline attribute|loop not unrolled")

# Attributes that say how many work-items of a GPU run in lockstep, one for each vendor's extension,
# and the number to take where a GPU answers none of them.
LANE_QUERIES = ("warp_size_nv", "wavefront_width_amd")
GPU_LANES = 32

# The size of NVIDIA's L2 cache in MiB by compute capability, since OpenCL tells only the sum of the
# L1 caches. If GPUs of one capability differ, it is the size of the data-centre GPU, or if there is
# none, the smallest size.
_CAPABILITY_QUERIES = ("compute_capability_major_nv", "compute_capability_minor_nv")
NVIDIA_L2 = {
    (7, 0): 6,  # V100
    (7, 5): 4,  # T4
    (8, 0): 40,  # A100
    (8, 6): 2,
    (8, 9): 24,
    (9, 0): 50,  # H100, H200, GH200
    (10, 0): 126,  # B200
    (12, 0): 24,
}
# By compute capability: how many work-items and work-groups a multiprocessor has room for, and its
# local memory in KiB. The numbers are from the CUDA C++ Programming Guide, "Technical
# Specifications per Compute Capability".
NVIDIA_UNITS = {
    (7, 0): (2048, 32, 96),
    (7, 5): (1024, 16, 64),
    (8, 0): (2048, 32, 164),
    (8, 6): (1536, 16, 100),
    (8, 9): (1536, 24, 100),
    (9, 0): (2048, 32, 228),
    (10, 0): (2048, 32, 228),
}
NVIDIA_REGISTERS = 65536
NVIDIA_ORDERS = (7, 0)  # the first capability with a memory model that has acquire and release

# The command that says at what clocks a GPU runs, in MHz, by a part of its vendor's name, and the
# device's attributes that make up its place on the bus. OpenCL itself tells only the highest clock.
CLOCK_COMMANDS = {
    "nvidia": (
        ("nvidia-smi", "--query-gpu=clocks.sm,clocks.mem", "--format=csv,noheader,nounits", "--id"),
        ("pci_domain_id_nv", "pci_bus_id_nv", "pci_slot_id_nv"),
    ),
}

# Ways to get a device, by operating system. A row that names a machine is for that machine only.
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


def query(device: Any, attribute: str, otherwise: Any) -> Any:
    """Return an attribute of a device, or `otherwise` where its runtime does not know it."""
    try:
        return getattr(device, attribute)
    except (cl.Error, AttributeError):
        return otherwise


def runtime_of(device: Any) -> Runtime:
    """Return the row of `RUNTIMES` that describes a device's runtime."""
    return runtime_behind(device.platform)


def runtime_behind(platform: Any) -> Runtime:
    """Return the row of `RUNTIMES` that describes a platform's runtime."""
    text = f"{platform.name} {platform.vendor} {platform.version}".lower()
    return next(row for row in RUNTIMES if row.mark in text)


def keeps_programs(device: Any) -> bool:
    """Return whether a device's runtime itself keeps compiled kernels on the disk.

    pyclfft then stores no programs of its own. PoCL would compile every kernel once more, for
    work-groups of any size, before it hands out a program to be stored.
    """
    variable = runtime_of(device).no_cache
    return bool(variable) and os.environ.get(variable) != "0"


def compute_capability(device: Any) -> tuple[int, int]:
    """Return the generation of an NVIDIA GPU; (0, 0) for any other device, which does not say."""
    major, minor = (query(device, attribute, 0) for attribute in _CAPABILITY_QUERIES)
    return major, minor


def has_warnings(log: str) -> bool:
    """Whether a build log warns of something in the kernel.

    Parameters
    ----------
    log : str
        The log of a build that has succeeded.

    Returns
    -------
    bool
        False if the log has no warnings but those that compilers write for sound kernels, too.
    """
    lines = (line for line in log.splitlines() if "warning:" in line.lower())
    return any(not _CHATTER.search(line) for line in lines)


def remedies() -> str:
    """Name the ways to get an OpenCL device on this operating system.

    Returns
    -------
    str
        The ways in one line.
    """
    rows = _REMEDIES.get(sys.platform, _ANY_SYSTEM)
    ways = [way for machine, way in rows if machine in ("", host.machine())]
    return "Ways to get one: " + "; or ".join(ways)
