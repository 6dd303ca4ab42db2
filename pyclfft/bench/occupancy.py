"""Occupancy: how many of the work-items that a unit of a GPU can hold a launch keeps on it.

OpenCL tells neither of the two numbers, so occupancy is computed. What a unit can hold follows from
NVIDIA's compute capability (`runtime.describe.unit_of`); what a group takes of it are its
work-items, its local memory, and the registers that the compiler reports. A profiler measures a
lower occupancy, because groups begin and end one after the other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import nan, prod

import pyopencl as cl

from ..planning.passes import Pass
from ..runtime.describe import Unit, unit_of
from ..runtime.program import program, source_text

RESERVED = 1024  # bytes of local memory that the runtime takes for each group
REGISTERS_AT_ONCE = 256  # registers are given to work-items in multiples of this


@dataclass(frozen=True)
class Group:
    """What a work-group takes of a unit.

    Attributes
    ----------
    items : int
        Number of work-items.
    local_bytes : int
        Bytes of local memory.
    registers : int
        Registers of each work-item; 0 if they are not known.
    """

    items: int
    local_bytes: int
    registers: int = 0


def occupancy(unit: Unit, group: Group, groups: int, units: int) -> float:
    """Return how many of the work-items that a unit can hold a launch keeps on it, as a part of 1.

    Parameters
    ----------
    unit : Unit
        What a unit can hold.
    group : Group
        What a work-group takes of a unit.
    groups : int
        Number of work-groups in the launch.
    units : int
        Number of units in the device.

    Returns
    -------
    float
        Occupancy, from 0 to 1.
    """
    together = min(unit.groups, unit.items // group.items)
    together = min(together, unit.local_bytes // (group.local_bytes + RESERVED))
    if group.registers:
        lockstep = -(-group.items // unit.lanes)
        each = -(-group.registers * unit.lanes // REGISTERS_AT_ONCE) * REGISTERS_AT_ONCE
        together = min(together, unit.registers // (each * lockstep))
    return min(together, -(-groups // units)) * group.items / unit.items


def occupancy_of(context: cl.Context, each: Pass, groups: int) -> float:
    """Return the occupancy of a launch of `groups` groups of a pass; NaN if it is not known."""
    device = context.devices[0]
    unit = unit_of(device)
    if unit is None:
        return nan
    kernel = cl.Kernel(program(context, each.source, each.defines, each.hooks), each.kernel)
    local_bytes = kernel.get_work_group_info(cl.kernel_work_group_info.LOCAL_MEM_SIZE, device)
    group = Group(prod(each.local_size), local_bytes, _registers(context, each, unit))
    return occupancy(unit, group, groups, device.max_compute_units)


def _registers(context: cl.Context, each: Pass, unit: Unit) -> int:
    """Return the registers of a work-item, as the compiler reports them; 0 if it does not."""
    try:
        built = cl._Program(context, source_text(each.source, each.hooks, each.defines))
        built._build(unit.option.encode(), context.devices)
        log = str(built.get_build_info(context.devices[0], cl.program_build_info.LOG))
    except cl.Error:
        return 0
    return registers_in(log, each.kernel)


def registers_in(log: str, kernel: str) -> int:
    """Return a kernel's registers by a compiler's report; 0 if the report does not tell them."""
    _, _, after = log.partition(f"'{kernel}'")
    found = re.search(r"Used (\d+) registers", after.partition("Compiling entry function")[0])
    return int(found[1]) if found else 0
