"""Fourier transforms of arrays over the ranks of an MPI job."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

import numpy as np

from ..errors import PlanError
from ..planning.precision import COMPLEX_DTYPE, READABLE, REAL_DTYPE
from ..planning.problem import lengths_and_axes
from ..runtime import choice, queues
from ..transforms.call import readable
from .execute import Execution, Report
from .layout import Layout, extents
from .ranks import Ranks, ranks_of, take_device, world
from .route import Request, Stage, plan_route

Shape = int | Iterable[int] | None


def fftn(
    x: Any,
    s: Shape = None,
    axes: Shape = None,
    norm: str | None = None,
    *,
    comm: Any = None,
    partition: str = "auto",
    local: bool = False,
    devices: Any = None,
) -> Any:
    return _transform("c2c", "forward", x, s, axes, norm, comm, partition, local)


def ifftn(
    x: Any,
    s: Shape = None,
    axes: Shape = None,
    norm: str | None = None,
    *,
    comm: Any = None,
    partition: str = "auto",
    local: bool = False,
    devices: Any = None,
) -> Any:
    return _transform("c2c", "inverse", x, s, axes, norm, comm, partition, local)


def rfftn(
    x: Any,
    s: Shape = None,
    axes: Shape = None,
    norm: str | None = None,
    *,
    comm: Any = None,
    partition: str = "auto",
    local: bool = False,
    devices: Any = None,
) -> Any:
    return _transform("r2c", "forward", x, s, axes, norm, comm, partition, local)


def irfftn(
    x: Any,
    s: Shape = None,
    axes: Shape = None,
    norm: str | None = None,
    *,
    comm: Any = None,
    partition: str = "auto",
    local: bool = False,
    devices: Any = None,
) -> Any:
    return _transform("c2r", "inverse", x, s, axes, norm, comm, partition, local)


def _transform(kind, direction, x, s, axes, norm, comm, partition, local):
    ranks = world() if comm is None else ranks_of(comm)
    array = None if x is None else readable(x)
    shape, dtype = (array.shape, array.dtype) if array is not None else (None, None)
    if not local and ranks.comm is not None:
        shape, dtype = ranks.comm.bcast((shape, dtype))
    request = _request(kind, direction, shape, s, axes)
    stages = plan_route(request, ranks.size, partition)
    precision, _ = READABLE[dtype]
    result = (REAL_DTYPE if kind == "c2r" else COMPLEX_DTYPE)[precision]
    after = stages[-1].after
    if ranks.root and not local:
        out = np.empty(after.shape, result)
    else:
        out = np.empty(0, result)
        array = np.empty(0, dtype)
    take_device(ranks)
    context = queues.context_of(choice.default_device())
    with ranks.or_abort():
        Execution(ranks, context, stages, direction, norm or "backward").run(
            array, out, local=local
        )
    return out if ranks.root else None


def _request(kind, direction, shape, s, axes) -> Request:
    lengths, chosen = lengths_and_axes(shape, s, axes)
    if kind == "c2r" and s is None:
        lengths = (*lengths[:-1], 2 * (lengths[-1] - 1))
    return Request(kind, direction, shape, chosen, lengths)
