"""How many numbers a device multiplies and adds in a second, measured in registers."""

from __future__ import annotations

import numpy as np
import pyopencl as cl

from ..convolution.line_plans import blocking_of
from ..planning.precision import REAL_DTYPE
from ..runtime import describe, memory
from ..runtime.profile import profiling_queue
from ..runtime.program import program

SOURCE, KERNEL = "convolution/multiplyAdd.cl", "multiply_add"
CHAINS = 12
CPU_ITEMS, GPU_ITEMS = 16, 2048  # for each compute unit
GPU_GROUP = 256
FACTOR, STEP = 0.5, 1.0  # each sum tends to 2
FIRST_TURNS = 1000
LEAST_S = 0.1  # of a launch that is measured


class MultiplyAdds:
    """A kernel that multiplies and adds in registers, made ready to be measured.

    Parameters
    ----------
    context : cl.Context
        A context of one device.
    precision : {"single", "double"}
        The precision of the numbers.

    Raises
    ------
    BuildError, DeviceMemoryError
        The kernel does not compile, or the device is out of memory.
    """

    def __init__(self, context: cl.Context, precision: str = "single") -> None:
        traits = describe.traits(context.devices[0])
        blocking = blocking_of(traits, precision, results=1)  # its vectors suit any number
        self._group = 1 if traits.is_cpu else min(GPU_GROUP, traits.max_work_group_size)
        items = traits.compute_units * (CPU_ITEMS if traits.is_cpu else GPU_ITEMS)
        self._items = -(-items // self._group) * self._group
        self._in_a_turn = self._items * CHAINS * blocking.width
        macros = {
            "DOUBLE": int(precision == "double"),
            "CHAINS": CHAINS,
            "WIDTH": blocking.width,
            "VECTOR_BITS": blocking.vector_bits,
        }
        defines = tuple((name, str(value)) for name, value in macros.items())
        real = REAL_DTYPE[precision].type
        self._result = memory.allocate(
            context, self._items * blocking.width * real(0).itemsize
        )  # kernels do not keep the memory of their arguments alive
        self._kernel = cl.Kernel(program(context, SOURCE, defines), KERNEL)
        self._kernel.set_args(self._result, real(FACTOR), real(STEP), np.uint32(0))
        self._queue = profiling_queue(context)
        self._turns = FIRST_TURNS
        self._seconds()  # the first launch may compile
        while self._seconds() < LEAST_S:
            self._turns *= 2

    def _seconds(self) -> float:
        self._kernel.set_arg(3, np.uint32(self._turns))
        items, group = (self._items,), (self._group,)
        event = cl.enqueue_nd_range_kernel(self._queue, self._kernel, items, group)
        event.wait()
        return (event.profile.end - event.profile.start) * 1e-9

    def rate(self) -> float:
        """Measure once; return the multiply-adds in a second."""
        return self._in_a_turn * self._turns / self._seconds()
