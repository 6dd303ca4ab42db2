"""What ``bench distributed`` measures: arrays that grow with the number of ranks or devices."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from .. import distributed
from ..distributed.execute import Execution
from ..distributed.lanes import Lane
from ..distributed.layout import Layout, extents
from ..distributed.ranks import Ranks
from ..distributed.route import Request, plan_route
from ..runtime import queues
from ..runtime.plan import Plan
from .statistics import Spread, spread

DTYPE = np.dtype(np.complex64)
BATCH, CUBE, ROW = "batch", "3-D", "row"
CASES = (BATCH, CUBE, ROW)
POINTS = 2**12  # of a row of the batch
WORST = 1e-6  # relative error of a result that is right
PLANE = (3, 5, 7)  # cycles along each axis of the wave whose spectrum is known


@dataclass(frozen=True)
class Case:
    """An array and the axes that are transformed."""

    name: str
    shape: tuple[int, ...]
    axes: tuple[int, ...]


@dataclass(frozen=True)
class Row:
    """What was measured of a case.

    Attributes
    ----------
    name, over : str
        The name of the case, and "ranks" or "devices".
    count : int
        How many ranks or devices shared the work.
    shape : tuple of int
        The shape of the whole array.
    seconds : Spread
        The seconds of a call, of the slowest rank.
    transfer : float
        The share of the seconds that the slowest rank spent in exchanges.
    copies : float
        The seconds of the same call without kernels and without copies on the host.
    host_bytes, device_bytes : int
        Memory that a rank or a device took at most.
    error : float
        The largest error of an element, relative to the spectrum's only peak.
    """

    name: str
    over: str
    count: int
    shape: tuple[int, ...]
    seconds: Spread
    transfer: float
    copies: float
    host_bytes: int
    device_bytes: int
    error: float

    @property
    def right(self) -> bool:
        """Whether the result was right."""
        return self.error < WORST


class CopyLane(Lane):
    """A lane that moves what another one would transform."""

    def _load(self, staged: np.ndarray, piece: np.ndarray) -> None:
        pass

    def _launch(self, plan: Plan, given: cl_array.Array, result: cl_array.Array) -> None:
        pass


def case_of(name: str, count: int, nbytes: int) -> Case:
    """Return a case in which each of `count` ranks has about `nbytes` bytes."""
    elements = nbytes // DTYPE.itemsize
    side = 1 << (elements.bit_length() - 1) // 3
    shapes = {
        BATCH: (count * max(2, elements // POINTS), POINTS),
        CUBE: (count * (elements // side**2), side, side),
        ROW: (count * elements,),
    }
    axes = {BATCH: (1,), CUBE: (0, 1, 2), ROW: (0,)}
    return Case(name, shapes[name], axes[name])


def wave(case: Case, block: Sequence[slice]) -> np.ndarray:
    """Return a block of a wave whose spectrum has a single peak in each transformed array."""
    result = np.ones(extents(tuple(block)), DTYPE)
    for axis in case.axes:
        length, places = case.shape[axis], block[axis]
        turns = PLANE[axis] * np.arange(places.start, places.stop) % length / length
        shape = [1] * result.ndim
        shape[axis] = turns.size
        result *= np.exp(2j * np.pi * turns).astype(DTYPE).reshape(shape)
    return result


def error_of(case: Case, spectrum: np.ndarray, block: Sequence[slice]) -> float:
    """Return the largest error of a block of the spectrum of `wave`, relative to its peak."""
    peak = float(np.prod([case.shape[axis] for axis in case.axes]))
    expected = np.zeros(spectrum.shape, DTYPE)
    places: list[slice | int] = [slice(None)] * spectrum.ndim
    inside = True
    for axis in case.axes:
        wanted = PLANE[axis] % case.shape[axis]
        inside = inside and block[axis].start <= wanted < block[axis].stop
        places[axis] = wanted - block[axis].start
    if inside:
        expected[tuple(places)] = peak
    return float(np.abs(spectrum - expected).max(initial=0) / peak)


def timed(call: Callable[[], object], wait: Callable[[], None], samples: int) -> list[float]:
    """Return the seconds of calls, after one that gets memory and kernels ready."""
    seconds = []
    for number in range(samples + 1):
        wait()
        begin = time.perf_counter()
        call()
        if number:
            seconds.append(time.perf_counter() - begin)
    return seconds


def copies_alone(ranks: Ranks, device: cl.Device, case: Case, block: np.ndarray) -> None:
    """Move a case through the stages of its transform without kernels."""
    request = Request("c2c", "forward", case.shape, case.axes,
                      tuple(case.shape[axis] for axis in case.axes))  # fmt: skip
    route = plan_route(request, ranks.size, "auto")
    lengths = extents(route.result.block(ranks.rank))
    out = np.empty([lengths[axis] for axis in route.result_order], DTYPE)
    given = block.reshape(extents(route.given.block(ranks.rank)))
    context = queues.context_of(device)
    execution = Execution(ranks, context, route, "backward", lane=CopyLane)
    execution.run(given, out, route.given, route.result)


def measured_over_devices(case: Case, devices: Sequence[cl.Device], samples: int) -> Row:
    """Measure a batch over devices, in one process."""
    whole = Layout(case.shape).block(0)
    x = wave(case, whole)
    result = np.empty(0)

    def call() -> None:
        nonlocal result
        result = distributed.fftn(x, axes=case.axes, devices=devices)

    seconds = timed(call, lambda: None, samples)
    reports = distributed.reports()
    rows = x.shape[0] // len(devices)
    part = Case(case.name, (rows, *case.shape[1:]), case.axes)
    copies = timed(lambda: copies_alone(Ranks(), devices[0], part, x[:rows]), lambda: None, samples)
    return Row(
        case.name, "devices", len(devices), case.shape, spread(seconds),
        max(each.transfer_s / each.seconds for each in reports),
        spread(copies).median,
        max(each.host_bytes for each in reports),
        max(each.device_bytes for each in reports),
        error_of(case, result, whole),
    )  # fmt: skip
