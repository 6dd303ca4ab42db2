"""The frequency-domain delay line: spectra of past blocks and of partitions, on the device.

For each block there is one transform of all inputs, and one transform back of all outputs. Between
them stands the sum of products of partitions and past blocks. Products with blocks before the
newest one are summed as soon as those blocks are over. The transform back adds the product with the
newest block as it loads.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyopencl as cl

from ..planning.arguments import Buffer
from ..planning.hooks import Hooks, Parameter, Snippet
from ..planning.precision import COMPLEX_DTYPE, REAL_DTYPE
from ..planning.problem import Problem, make_problem
from ..planning.schedule import schedule_into
from ..runtime import describe, memory, wisdom
from ..runtime.executable import Executable
from ..runtime.program import program
from .partitions import Stage, spectra_of
from .responses import Response, Routing

SOURCE, KERNEL = "convolution/partitions.cl", "sum_partitions"
HOOK_SOURCE = "convolution/newestBlock.cl"
LINE_BYTES = 128  # rows begin at its multiples: cache lines, and the vectors of CPUs

RESPONSE, SUMS = Buffer("response"), Buffer("sums")


class DelayLine:
    """Convolves blocks of one length with the partitions of one stage.

    Parameters
    ----------
    queue : cl.CommandQueue
        A queue that runs its commands in order; all work is enqueued on it.
    response : Response
        The impulse response.
    stage : Stage
        Its partitions.
    precision : {"single", "double"}
        The precision of the arithmetic.
    hears_newest : bool
        Whether the transform back adds the product of the first partition and the newest block.
        Otherwise `sum` adds it, like all others.

    Raises
    ------
    DeviceMemoryError, BuildError
        The device has no room for the spectra, or a kernel does not compile.
    """

    def __init__(
        self,
        queue: cl.CommandQueue,
        response: Response,
        stage: Stage,
        precision: str,
        hears_newest: bool,
    ) -> None:
        self._queue = queue
        context, routing = queue.context, response.routing
        traits = describe.traits(queue.device)
        dtype = COMPLEX_DTYPE[precision]
        self._pitch = _up(stage.block + 1, LINE_BYTES // dtype.itemsize)
        row = self._pitch * dtype.itemsize
        slot = _up(routing.inputs * row, max(1, queue.device.mem_base_addr_align // 8))
        nbytes = {
            "response": stage.count * routing.outputs * routing.terms * row,
            "line": stage.count * slot,
            "sums": routing.outputs * row,
        }
        memory.require_fits(traits, nbytes)
        self._response = memory.constant(
            context, spectra_of(response.taps, stage, self._pitch, dtype)
        )
        self._line = memory.zeros(context, nbytes["line"])
        self._sums = memory.zeros(context, nbytes["sums"])
        self._slots = [
            self._line.get_sub_region(number * slot, slot) for number in range(stage.count)
        ]
        self._newest = 0

        forward = _there(routing, stage.block, precision, row)
        back = _back(routing, stage.block, precision, row)
        if hears_newest:
            back = replace(back, hooks=Hooks(load=_newest_hook(routing, self._pitch)))
        self._forward = self._executable(forward)
        self._back = self._executable(back)

        parameters = wisdom.parameters_of(queue.device)
        width, self._tile = parameters["partition_width"], parameters["partition_tile"]
        macros = {"DOUBLE": int(precision == "double"), "WIDTH": width, "TILE": self._tile}
        built = program(context, SOURCE, tuple((name, str(each)) for name, each in macros.items()))
        self.vectors = -(-2 * (stage.block + 1) // width)
        self._outputs = routing.outputs
        sizes, limit = traits.max_work_item_sizes, traits.max_work_group_size
        self._group = (min(parameters["partition_group"], sizes[0], limit), 1)
        # The work-items along a row on a CPU: two for each core, or long rows would be unbalanced.
        self._parts = -(-2 * traits.compute_units // routing.outputs) if traits.is_cpu else 0
        self._kernel = cl.Kernel(built, KERNEL)
        first = int(hears_newest)
        self._is_empty = stage.count <= first
        shape = np.array(
            [
                self._pitch, slot // dtype.itemsize, routing.terms, routing.outputs,
                routing.diagonal, stage.count, first, stage.count,
            ],
            np.uint32,
        )  # fmt: skip
        self._shape = memory.constant(context, shape)  # kernels do not keep their memory alive
        buffers = (self._response, self._line, self._sums, self._shape)
        for position, buffer in enumerate(buffers):
            self._kernel.set_arg(position, buffer)
        self._task = len(buffers)  # the position of the kernel's last argument

    def _executable(self, problem: Problem) -> Executable:
        chosen = self._queue.device
        schedule = schedule_into(
            problem,
            describe.traits(chosen),
            None,
            wisdom.parameters_of(chosen, problem),
            in_place=False,
        )
        given = {RESPONSE.name: self._response, SUMS.name: self._sums}
        return Executable(self._queue.context, schedule, given)

    def transform(self, window: memory.Memory) -> None:
        """Start to transform a block and the one before it; the spectra become the newest ones."""
        self._forward.enqueue(self._queue, window, self._slots[self._newest])

    def transform_back(self, target: memory.Memory) -> cl.Event:
        """Start to transform the sums back. The second half of the target is the result."""
        source = self._slots[self._newest] if self._back.schedule.passes[0].hooks else self._sums
        return self._back.enqueue(self._queue, source, target)

    def sum(self, begin: int, end: int) -> None:
        """Start to sum products, for the vectors of bins from `begin` to before `end`."""
        if self._is_empty or begin == end:
            return
        count = end - begin
        each = _up(-(-count // self._parts), self._tile) if self._parts else self._tile
        # One argument of four numbers: pyopencl takes 8 us to set an argument that is no buffer.
        self._kernel.set_arg(self._task, np.array([self._newest, begin, end, each], np.uint32))
        size = (_up(-(-count // each), self._group[0]), self._outputs)
        cl.enqueue_nd_range_kernel(self._queue, self._kernel, size, self._group)

    def advance(self) -> None:
        """Let the next block take the place of the oldest one."""
        self._newest = (self._newest + 1) % len(self._slots)


def _up(number: int, multiple: int) -> int:
    return -(-number // multiple) * multiple


def _there(routing: Routing, block: int, precision: str, row: int) -> Problem:
    """Return the transform of all inputs to rows that are `row` bytes apart."""
    shape, strides = (routing.inputs, 2 * block), (row, COMPLEX_DTYPE[precision].itemsize)
    return make_problem(shape, REAL_DTYPE[precision], -1, "r2c", out_strides=strides)


def _back(routing: Routing, block: int, precision: str, row: int) -> Problem:
    """Return the transform of all outputs back from rows that are `row` bytes apart."""
    shape, dtype = (routing.outputs, 2 * block), COMPLEX_DTYPE[precision]
    return make_problem(shape, dtype, -1, "c2r", "inverse", strides=(row, dtype.itemsize))


def _newest_hook(routing: Routing, pitch: int) -> Snippet:
    """Return the hook that adds the first partition times the newest block."""
    macros: dict[str, Any] = {
        "ROW_BINS": pitch,
        "TERMS": routing.terms,
        "DIAGONAL": int(routing.diagonal),
    }
    lines = [f"#define {name} {value}" for name, value in macros.items()]
    return Snippet(
        code="value = newest_bin(src, index, response, sums);",
        vector="value = newest_bins(src, index + offset, response, sums);",
        preamble="\n".join([*lines, f'#include "{HOOK_SOURCE}"']),
        parameters=(
            Parameter("response", "global const cplx *", RESPONSE),
            Parameter("sums", "global const cplx *", SUMS),
        ),
        replaces=True,
    )
