"""Batches over the devices of one machine: each device takes a share of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pyopencl as cl

from ..errors import PlanError
from ..planning.slabs import ranges
from ..runtime import queues
from .execute import Execution, Report
from .ranks import Ranks
from .route import Request, plan_route


def in_shares(
    request: Request,
    x: np.ndarray,
    out: np.ndarray,
    devices: Sequence[cl.Device],
    norm: str,
    max_device_bytes: int | None = None,
) -> list[Report]:
    """Transform a batch by several devices at once; each has a thread and a context of its own.

    Parameters
    ----------
    request : Request
        The transform.
    x, out : ndarray
        The input and the array that receives the result.
    devices : sequence of cl.Device
        The devices; each gets as many rows as any other, or one more.
    norm, max_device_bytes
        As for `Execution`.

    Returns
    -------
    list of Report
        What the call took on each device.

    Raises
    ------
    PlanError
        All axes are transformed, so that there are no rows to share out.
    """
    free = [axis for axis in range(x.ndim) if axis not in request.axes and x.shape[axis] > 1]
    if not free:
        raise PlanError(
            f"devices= shares out the rows of a batch, but all axes of the shape {x.shape} are "
            "transformed: leave devices= out, or start a rank for each device with mpiexec"
        )

    def share(device: cl.Device, rows: slice) -> Report:
        part = (slice(None),) * free[0] + (rows,)
        given, result = np.ascontiguousarray(x[part]), out[part]
        route = plan_route(replace(request, shape=given.shape), 1, "slab")
        context = queues.context_of(device)
        execution = Execution(Ranks(), context, route, norm, max_device_bytes)
        execution.run(given, result, route.given, route.result)
        return execution.report

    rows = ranges(x.shape[free[0]], len(devices))
    with ThreadPoolExecutor(len(devices)) as pool:
        return list(pool.map(share, devices, rows))
