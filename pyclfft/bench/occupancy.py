"""Occupancy: the work-items that a launch keeps on a unit of a GPU, of those it has room for.

OpenCL says neither. So this is the occupancy that follows from what is known: the room of a unit,
by NVIDIA's compute capability (`runtime.describe.unit_of`), and what a group takes of it, which are
its work-items, its local memory, and the registers that the compiler reports. Occupancy that a
profiler measures is lower: groups begin and end one after the other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import nan, prod

import pyopencl as cl

from ..planning.passes import Pass
from ..runtime.describe import Unit, unit_of
from ..runtime.program import program, source_text

RESERVED = 1024  # bytes of local memory that the runtime takes of each group
REGISTERS_AT_ONCE = 256  # that are given to some work-items together


@dataclass(frozen=True)
class Group:
    """What a work-group takes of a unit.

    Attributes
    ----------
    items : int
        Work-items.
    local_bytes : int
        Local memory.
    registers : int
        Of each work-item; 0 where nobody says.
    """

    items: int
    local_bytes: int
    registers: int = 0


def occupancy(unit: Unit, group: Group, groups: int, units: int) -> float:
    """Return the part of a unit's work-items that a launch fills, on the units that it uses.

    Parameters
    ----------
    unit : Unit
        What a unit has room for.
    group : Group
        What a group takes of it.
    groups : int
        Of the launch.
    units : int
        Of the device.

    Returns
    -------
    float
        0 to 1.
    """
    together = min(unit.groups, unit.items // group.items)
    together = min(together, unit.local_bytes // (group.local_bytes + RESERVED))
    if group.registers:
        lockstep = -(-group.items // unit.lanes)
        each = -(-group.registers * unit.lanes // REGISTERS_AT_ONCE) * REGISTERS_AT_ONCE
        together = min(together, unit.registers // (each * lockstep))
    return min(together, -(-groups // units)) * group.items / unit.items


def occupancy_of(context: cl.Context, each: Pass, groups: int) -> float:
    """Return the occupancy of a launch of so many groups of a pass; not a number if unknown."""
    device = context.devices[0]
    unit = unit_of(device)
    if unit is None:
        return nan
    kernel = cl.Kernel(program(context, each.source, each.defines, each.hooks), each.kernel)
    local_bytes = kernel.get_work_group_info(cl.kernel_work_group_info.LOCAL_MEM_SIZE, device)
    group = Group(prod(each.local_size), local_bytes, _registers(context, each, unit))
    return occupancy(unit, group, groups, device.max_compute_units)


def _registers(context: cl.Context, each: Pass, unit: Unit) -> int:
    """Return the registers of a work-item as the compiler reports them; 0 if it does not."""
    options = [f"-D{name}={value}" for name, value in each.defines]
    try:
        built = cl._Program(context, source_text(each.source, each.hooks))
        built._build(" ".join([*options, unit.option]).encode(), context.devices)
        log = str(built.get_build_info(context.devices[0], cl.program_build_info.LOG))
    except cl.Error:
        return 0
    return registers_in(log, each.kernel)


def registers_in(log: str, kernel: str) -> int:
    """Return the registers of a kernel from a compiler's report; 0 where it does not say."""
    _, _, after = log.partition(f"'{kernel}'")
    found = re.search(r"Used (\d+) registers", after.partition("Compiling entry function")[0])
    return int(found[1]) if found else 0
