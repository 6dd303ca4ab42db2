"""The tables of plans in a device's memory: the host uploads them, or the device computes them."""

from __future__ import annotations

import numpy as np
import pyopencl as cl

from ..planning.precision import COMPLEX_DTYPE
from ..planning.tables import SpinFactors, Table
from . import memory
from .program import program
from .queues import queue_of


def table_buffer(context: cl.Context, table: Table) -> cl.Buffer:
    """Return a new buffer that holds a table.

    Parameters
    ----------
    context : cl.Context
        A context of one device.
    table : Table
        The description of the table, as a plan has it.

    Returns
    -------
    cl.Buffer
        The buffer, filled already.

    Raises
    ------
    BuildError
        The kernel that computes the table does not compile.
    DeviceMemoryError
        The device is out of memory.
    """
    if isinstance(table, SpinFactors):
        return _spin_factors(context, table)
    return memory.constant(context, table.values())


def _spin_factors(context: cl.Context, table: SpinFactors) -> cl.Buffer:
    """Let the device compute roots of unity, which are as exact as the host's would be."""
    double = str(int(table.precision == "double"))
    kernel = cl.Kernel(program(context, "textbook/spinFact.cl", (("DOUBLE", double),)), "spinFact")
    count = table.n // 2
    result = memory.allocate(context, count * COMPLEX_DTYPE[table.precision].itemsize)
    kernel(queue_of(context), (count,), None, result, np.uint32(table.n)).wait()
    return result
