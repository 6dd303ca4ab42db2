"""Tables of plans in the memory of a device: uploaded, or computed there."""

from __future__ import annotations

import numpy as np
import pyopencl as cl

from ..planning.passes import SpinFactors, Table
from ..planning.problem import COMPLEX_DTYPE
from . import memory
from .program import program
from .queues import queue_of
from .twiddle import values_of


def table_buffer(context: cl.Context, table: Table) -> cl.Buffer:
    """Return a new buffer that holds a table when this returns.

    Parameters
    ----------
    context : cl.Context
        Of one device.
    table : Table
        Of a plan.

    Returns
    -------
    cl.Buffer

    Raises
    ------
    BuildError
        The kernel that computes the table does not compile.
    DeviceMemoryError
        The device is out of memory.
    """
    if isinstance(table, SpinFactors):
        return _spin_factors(context, table)
    return memory.constant(context, values_of(table))


def _spin_factors(context: cl.Context, table: SpinFactors) -> cl.Buffer:
    """Let the device compute roots of unity, as exact as those that the host would upload."""
    double = str(int(table.precision == "double"))
    kernel = cl.Kernel(program(context, "textbook/spinFact.cl", (("DOUBLE", double),)), "spinFact")
    count = table.n // 2
    result = memory.allocate(context, count * COMPLEX_DTYPE[table.precision].itemsize)
    kernel(queue_of(context), (count,), None, result, np.uint32(table.n)).wait()
    return result
