"""The tables of plans in a device's memory: the host uploads them, or the device computes them.

Tables that take long to compute are kept on the disk for later plans and processes.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sys
from functools import cache
from pathlib import Path
from weakref import WeakValueDictionary

import numpy as np
import pyopencl as cl

from ..planning import roots, tables
from ..planning.precision import COMPLEX_DTYPE
from ..planning.tables import SpinFactors, Table
from . import disk, memory
from .program import program
from .queues import queue_of

logger = logging.getLogger("pyclfft")

DISK_LIMIT = 256 * 2**20  # bytes
LARGEST = DISK_LIMIT // 4  # bytes of a table that is kept on the disk
SUM_BYTES = 8  # at the beginning of a file, before the table


class SharedTable:
    """A table in a device's memory, for all executables that read it.

    Attributes
    ----------
    buffer : cl.Buffer
        The buffer, filled already. Kernels only read it.
    """

    def __init__(self, buffer: cl.Buffer) -> None:
        self.buffer = buffer


# The tables that some executable has. A table is freed with the last executable that has it.
_shared: WeakValueDictionary[tuple[cl.Context, Table], SharedTable] = WeakValueDictionary()


def shared_table(context: cl.Context, table: Table) -> SharedTable:
    """Return a table that another executable has, or else a new one from `table_buffer`.

    Whoever gets it keeps it as long as kernels may read its buffer.

    Raises
    ------
    BuildError, DeviceMemoryError
        For the reasons for which `table_buffer` raises them.
    """
    found = _shared.get((context, table))
    if found is None:  # two threads may both make it, and each then has its own
        found = _shared[context, table] = SharedTable(table_buffer(context, table))
    return found


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
    if table.takes_long:
        return _kept(context, table)
    return memory.constant(context, table.values())


def _spin_factors(context: cl.Context, table: SpinFactors) -> cl.Buffer:
    """Let the device compute roots of unity, which are as exact as the host's would be."""
    double = str(int(table.precision == "double"))
    kernel = cl.Kernel(program(context, "textbook/spinFact.cl", (("DOUBLE", double),)), "spinFact")
    count = table.n // 2
    result = memory.allocate(context, count * COMPLEX_DTYPE[table.precision].itemsize)
    kernel(queue_of(context), (count,), None, result, np.uint32(table.n)).wait()
    return result


# --- on disk --------------------------------------------------------------------------------------


def _kept(context: cl.Context, table: Table) -> cl.Buffer:
    """Return a new buffer that holds a table from the disk, or else compute and keep the table."""
    path = _disk_path(table)
    found = _load(context, path)
    if found is not None:
        return found
    values = np.ascontiguousarray(table.values())
    if values.nbytes <= LARGEST:
        disk.store(path, (_sum(values), values.reshape(-1).view(np.uint8)), DISK_LIMIT)
    return memory.constant(context, values)


def _disk_path(table: Table) -> Path:
    """Return where a table is stored, by a hash of its description and of the code behind it."""
    identity = f"{_code()} {sys.byteorder} {np.finfo(np.longdouble).nmant} {table!r}"
    return disk.folder("tables") / f"{hashlib.sha256(identity.encode()).hexdigest()}.bin"


@cache
def _code() -> str:
    """Return a hash of the modules that compute tables."""
    sources = (Path(str(module.__file__)).read_bytes() for module in (roots, tables))
    return hashlib.sha256(b"".join(sources)).hexdigest()


def _load(context: cl.Context, path: Path) -> cl.Buffer | None:
    """Return a new buffer that holds a stored table, or None where it is missing or damaged."""
    try:
        with open(path, "rb", buffering=0) as file:
            given = file.read(SUM_BYTES)
            nbytes = max(1, os.fstat(file.fileno()).st_size - SUM_BYTES)
            # The file is read where it is to be, since fresh memory takes longer than to read.
            with memory.filling(context, nbytes) as (buffer, content):
                file.readinto(content.data)
                found = _sum(content)
    except OSError:
        return None
    if given != found:
        logger.debug("%s is damaged and will be computed again", path)
        return None
    disk.note_use(path)
    return buffer


def _sum(values: np.ndarray) -> bytes:
    """Return the sum of all 64-bit words and of the size; real hashes take longer than to read."""
    words = values.reshape(-1).view(np.uint8)
    whole = words[: words.size // 8 * 8].view(np.uint64)
    return (whole.sum(dtype=np.uint64) + np.uint64(words.size)).tobytes()
