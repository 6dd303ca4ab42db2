"""Fourier transforms of arrays over the ranks of an MPI job, or over the devices of one machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..errors import PlanError, PrecisionError
from ..planning.precision import COMPLEX_DTYPE, READABLE, REAL_DTYPE
from ..planning.problem import choose, lengths_and_axes
from ..runtime import choice, describe, memory, queues
from ..transforms.call import Shape, readable
from .agreement import Claim, Wish, gathered, tuple_or_none, whole_shape
from .blocks import finished, given_block, on_root, prepared, result_block, room
from .device_shares import in_shares
from .execute import Execution, Report
from .layout import Block, extents
from .ranks import Ranks, ranks_of, take_device, world
from .route import PARTITIONS, Request, Route, plan_route

NORMS = ("backward", "ortho", "forward")
FUNCTIONS = {
    ("c2c", "forward"): "fftn",
    ("c2c", "inverse"): "ifftn",
    ("r2c", "forward"): "rfftn",
    ("c2r", "inverse"): "irfftn",
}


class How(NamedTuple):
    """The parameters of `fftn` that say who does the work."""

    comm: Any
    partition: str
    local: bool
    shape: Sequence[int] | None
    devices: Sequence[cl.Device] | None
    max_device_bytes: int | None


_reports: tuple[Report, ...] = ()


def fftn(
    x: Any,
    s: Shape = None,
    axes: Shape = None,
    norm: str | None = None,
    *,
    comm: Any = None,
    partition: str = "auto",
    local: bool = False,
    shape: Sequence[int] | None = None,
    devices: Sequence[cl.Device] | None = None,
    max_device_bytes: int | None = None,
) -> Any:
    """Compute the N-D discrete Fourier transform over the ranks of an MPI job.

    All ranks call this function with the same parameters. By default rank 0 passes the whole array
    and gets the whole result.

    Parameters
    ----------
    x : array_like or None
        Input, real or complex, on the host: the whole array on rank 0, and None on the other ranks.
        If `local` is true, each rank passes its own block, which `local_slices` describes.
    s : int or sequence of int, optional
        Lengths to transform along `axes`, by default their lengths. A longer input is cropped, a
        shorter one is padded with zeros at its end.
    axes : int or sequence of int, optional
        Axes to transform. By default the last ``len(s)`` axes, or all of them without `s`.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is multiplied by 1/n, as for `pyclfft.fftn`.
    comm : mpi4py.MPI.Comm, optional
        The ranks; by default all that ``mpiexec`` has started. A process that no launcher has
        started is the only rank, and needs no MPI.
    partition : {"auto", "slab", "pencil"}
        How blocks are cut: along one axis, "slab", or along two, "pencil". Slabs move the array
        once between the ranks, pencils twice. "auto" takes pencils if slabs would leave some ranks
        without work. A single row is cut in its own way.
    local : bool
        Whether each rank passes its own block and gets its own block of the result.
    shape : sequence of int, optional
        With ``local=True``, the shape of the whole array of which the ranks pass blocks. It is
        needed only if it does not follow from the shapes of all blocks.
    devices : sequence of pyopencl.Device, optional
        Devices of this machine that share the work within this process, without MPI. Each takes an
        equal share of the rows of a batch: an axis must be left that is not transformed.
    max_device_bytes : int, optional
        How much device memory the pieces of the array may take on each device, beside the workspace
        of the plans; by default 256 MiB. The array goes through the device in pieces of a quarter
        of it. A piece holds the transformed axes whole, and so may need more than that.

    Returns
    -------
    ndarray or None
        The spectrum, complex64 or complex128: on rank 0 the whole one, None on other ranks. If
        `local` is true, each rank gets its block of it.

    Raises
    ------
    PyclfftError
        A parameter is wrong, or the ranks contradict each other; every rank raises an error, and
        nothing has been computed. PlanError, a ValueError, says what was wrong.
    PrecisionError
        The input needs a precision in which the device, or any device, does not compute.

    See Also
    --------
    local_slices : The block of each rank.
    reports : What the last call took.
    pyclfft.fftn : The same transform on one device.

    Notes
    -----
    If one rank fails while it computes, for example because its device is out of memory, it prints
    the reason and ends all ranks with exit status 2.

    Examples
    --------
    >>> import numpy as np
    >>> from pyclfft import distributed
    >>> distributed.fftn(np.ones((4, 6), "complex64"))[0, :2].real
    array([24.,  0.], dtype=float32)
    """
    how = How(comm, partition, local, shape, devices, max_device_bytes)
    return _transform("c2c", "forward", x, s, axes, norm, how)


def ifftn(
    x: Any,
    s: Shape = None,
    axes: Shape = None,
    norm: str | None = None,
    *,
    comm: Any = None,
    partition: str = "auto",
    local: bool = False,
    shape: Sequence[int] | None = None,
    devices: Sequence[cl.Device] | None = None,
    max_device_bytes: int | None = None,
) -> Any:
    """Compute the inverse N-D discrete Fourier transform over the ranks of an MPI job.

    Parameters
    ----------
    x, s, axes, norm, comm, partition, local, shape, devices, max_device_bytes
        See `fftn`. If `local` is true, each rank passes the block that `fftn` has given it, and
        gets the block that it has passed to `fftn`.

    Returns
    -------
    ndarray or None
        Complex64 or complex128: on rank 0 the whole result, None on other ranks. If `local` is
        true, each rank gets its block.

    Raises
    ------
    PyclfftError, PrecisionError
        See `fftn`.

    See Also
    --------
    fftn : The forward transform.
    irfftn : Compute real numbers from half of their spectrum.
    local_slices : The block of each rank.
    pyclfft.ifftn : The same transform on one device.

    Examples
    --------
    >>> import numpy as np
    >>> from pyclfft import distributed
    >>> distributed.ifftn(np.ones((4, 6), "complex64"))[0, :2].real
    array([1., 0.], dtype=float32)
    """
    how = How(comm, partition, local, shape, devices, max_device_bytes)
    return _transform("c2c", "inverse", x, s, axes, norm, how)


def rfftn(
    x: Any,
    s: Shape = None,
    axes: Shape = None,
    norm: str | None = None,
    *,
    comm: Any = None,
    partition: str = "auto",
    local: bool = False,
    shape: Sequence[int] | None = None,
    devices: Sequence[cl.Device] | None = None,
    max_device_bytes: int | None = None,
) -> Any:
    """Compute the N-D discrete Fourier transform of real input over the ranks of an MPI job.

    Parameters
    ----------
    x, s, axes, norm, comm, partition, local, shape, devices, max_device_bytes
        See `fftn`; `x` is real.

    Returns
    -------
    ndarray or None
        Half of the spectrum, complex64 or complex128: the last of the transformed axes has
        ``n // 2 + 1`` points. Rank 0 gets all of it, or each rank its block if `local` is true.

    Raises
    ------
    TypeError
        The input is complex.
    PyclfftError, PrecisionError
        See `fftn`.

    See Also
    --------
    irfftn : The inverse.
    fftn : The whole spectrum.
    local_slices : The block of each rank.
    pyclfft.rfftn : The same transform on one device.

    Notes
    -----
    A single row takes as long as a complex one; all other arrays take half the time.

    Examples
    --------
    >>> import numpy as np
    >>> from pyclfft import distributed
    >>> distributed.rfftn(np.ones((4, 6), "float32")).shape
    (4, 4)
    """
    how = How(comm, partition, local, shape, devices, max_device_bytes)
    return _transform("r2c", "forward", x, s, axes, norm, how)


def irfftn(
    x: Any,
    s: Shape = None,
    axes: Shape = None,
    norm: str | None = None,
    *,
    comm: Any = None,
    partition: str = "auto",
    local: bool = False,
    shape: Sequence[int] | None = None,
    devices: Sequence[cl.Device] | None = None,
    max_device_bytes: int | None = None,
) -> Any:
    """Compute the inverse of `rfftn` over the ranks of an MPI job.

    Parameters
    ----------
    x, s, axes, norm, comm, partition, local, shape, devices, max_device_bytes
        See `fftn`. `x` is half of a spectrum; `s` holds the lengths of the result. Without `s` the
        last of the transformed axes gets ``2 * (m - 1)`` numbers from m points.

    Returns
    -------
    ndarray or None
        Real numbers, float32 or float64. Rank 0 gets all of them, or each rank its block if `local`
        is true.

    Raises
    ------
    PyclfftError, PrecisionError
        See `fftn`.

    See Also
    --------
    rfftn : The forward transform.
    ifftn : The inverse transform of a whole spectrum.
    local_slices : The block of each rank.
    pyclfft.irfftn : The same transform on one device.

    Examples
    --------
    >>> import numpy as np
    >>> from pyclfft import distributed
    >>> distributed.irfftn(np.ones((4, 4), "complex64")).shape
    (4, 6)
    """
    how = How(comm, partition, local, shape, devices, max_device_bytes)
    return _transform("c2r", "inverse", x, s, axes, norm, how)


def local_slices(
    shape: Sequence[int],
    comm: Any = None,
    s: Shape = None,
    axes: Shape = None,
    *,
    real: bool = False,
    partition: str = "auto",
    spectrum: bool = False,
) -> Block:
    """Say which block of an array this rank passes, or gets, if ``local=True``.

    Parameters
    ----------
    shape : sequence of int
        The shape of the whole array before `fftn` or `rfftn`, which is also its shape after `ifftn`
        or `irfftn`.
    comm, s, axes, partition
        As for `fftn`.
    real : bool
        Whether the block is for `rfftn` or `irfftn`.
    spectrum : bool
        Whether the block of the spectrum is asked for: the result of `fftn`, the input of `ifftn`.

    Returns
    -------
    tuple of slice
        A range of places along each axis; it is empty if there are more ranks than places.

    Raises
    ------
    PlanError
        A parameter is wrong.

    See Also
    --------
    fftn : The transform, which takes and returns such blocks.
    rfftn : The transform of real input.
    pyclfft.distributed.scale.better_partition : Return the partition that takes less time.

    Examples
    --------
    >>> from pyclfft import distributed
    >>> distributed.local_slices((4, 6))
    (slice(0, 4, None), slice(0, 6, None))
    """
    ranks = _ranks(comm)
    request = _request("r2c" if real else "c2c", "forward", tuple(shape), s, axes)
    route = plan_route(request, ranks.size, partition)
    if spectrum:
        return result_block(route, route.result, ranks.rank)
    return given_block(route, route.given, ranks.rank)


def reports() -> tuple[Report, ...]:
    """Return what the last transform of this process took: times, and memory in bytes.

    Returns
    -------
    tuple of Report
        One for this rank, or one for each of the devices that were passed as ``devices=``.

    See Also
    --------
    pyclfft.distributed.execute.Report : What each number of a report means.
    fftn : Transform an array over ranks or devices.
    pyclfft.distributed.scale.fitted : Fit a cost model to measured times.

    Examples
    --------
    >>> import numpy as np
    >>> from pyclfft import distributed
    >>> spectrum = distributed.fftn(np.ones((4, 6), "complex64"))
    >>> [report.pieces for report in distributed.reports()]
    [2]
    """
    return _reports


# --- the way through ------------------------------------------------------------------------------


def _transform(
    kind: str, direction: str, x: Any, s: Shape, axes: Shape, norm: str | None, how: How
) -> Any:
    wish = Wish(
        FUNCTIONS[kind, direction], tuple_or_none(s), tuple_or_none(axes), norm or "backward",
        how.partition, how.local, tuple_or_none(how.shape), how.max_device_bytes,
    )  # fmt: skip
    if how.devices is not None:
        return _over_devices(kind, direction, _checked(kind, x, wish), wish, how)
    ranks = _ranks(how.comm)
    with ranks.together():
        array = _checked(kind, x, wish)
        device = _device(ranks)
    claims = gathered(ranks, Claim(wish, *_shape_and_dtype(array)))
    route = _route(kind, direction, claims, ranks)
    dtype = claims[0].dtype
    assert dtype is not None  # otherwise `gathered` has raised an error
    with ranks.together():
        _require_precision(device, dtype)
    with ranks.or_abort():
        return _run(ranks, device, route, array, dtype, wish)


def _run(
    ranks: Ranks,
    device: cl.Device,
    route: Route,
    array: np.ndarray | None,
    dtype: np.dtype,
    wish: Wish,
) -> np.ndarray | None:
    """Take this rank's block through the route; every rank does so at the same time."""
    given, result = route.given, route.result
    if not wish.local:
        given, result = on_root(given), on_root(result)
    if array is None:
        array = np.empty(extents(given_block(route, given, ranks.rank)), dtype)
    out = room(route, result, ranks.rank, _result_dtype(route.request.kind, dtype))
    block = prepared(route, given, ranks.rank, array)
    context = queues.context_of(device)
    execution = Execution(ranks, context, route, wish.norm, wish.max_device_bytes)
    execution.run(block, out, given, result)
    _keep([execution.report])
    if not (wish.local or ranks.root):
        return None
    return finished(route, result, ranks.rank, out)


def _checked(kind: str, x: Any, wish: Wish) -> np.ndarray | None:
    """Return a host array of a readable dtype, or None; refuse what no rank may pass."""
    choose("norm", wish.norm, NORMS)
    choose("partition", wish.partition, PARTITIONS)
    if wish.max_device_bytes is not None and wish.max_device_bytes < 1:
        raise PlanError(f"max_device_bytes must be at least 1, not {wish.max_device_bytes}")
    if x is None:
        return None
    if isinstance(x, cl_array.Array):
        raise PlanError("x must be on the host, because ranks exchange host memory: pass x.get()")
    array = readable(x)
    real = READABLE[array.dtype][1]
    if kind == "r2c" and not real:
        raise TypeError("x must be a real sequence")
    if kind == "c2r" and real:
        return array.astype(COMPLEX_DTYPE[READABLE[array.dtype][0]])
    return array


def _route(kind: str, direction: str, claims: Sequence[Claim], ranks: Ranks) -> Route:
    """Return the route for what all ranks have claimed; all of them find the same one."""
    wish = claims[0].wish

    def route_of(shape: tuple[int, ...]) -> Route:
        request = _request(kind, direction, shape, wish.s, wish.axes)
        return plan_route(request, ranks.size, wish.partition)

    def blocks_of(shape: tuple[int, ...]) -> list[Block]:
        route = route_of(shape)
        return [given_block(route, route.given, rank) for rank in range(ranks.size)]

    shapes = [claim.shape or () for claim in claims]
    if not wish.local or ranks.size == 1:
        return route_of(shapes[0])
    spectrum = ", spectrum=True" if direction == "inverse" else ""
    real = "" if kind == "c2c" else ", real=True"
    example = f"local_slices(shape, comm{real}{spectrum})"
    wanted = wish.shape
    if wanted is None:
        wanted = whole_shape(shapes, blocks_of, example)
    elif [extents(block) for block in blocks_of(wanted)] != shapes:
        raise PlanError(f"the ranks do not pass the blocks of shape={wanted}: pass x[{example}]")
    return route_of(wanted)


def _request(kind: str, direction: str, shape: tuple[int, ...], s: Shape, axes: Shape) -> Request:
    lengths, chosen = lengths_and_axes(shape, s, axes)
    if not chosen:
        raise PlanError("at least 1 axis must be transformed")
    if kind == "c2r" and s is None:
        lengths = (*lengths[:-1], 2 * (lengths[-1] - 1))
        if not lengths[-1]:
            raise PlanError("invalid number of data points (0) specified: pass s=")
    return Request(kind, direction, shape, chosen, lengths)


def _ranks(comm: Any) -> Ranks:
    return world() if comm is None else ranks_of(comm)


def _device(ranks: Ranks) -> cl.Device:
    """Return this rank's device: the one that the program has chosen, or else its share."""
    return choice.chosen_device() or take_device(ranks)


def _require_precision(device: cl.Device, dtype: np.dtype) -> None:
    if READABLE[dtype][0] == "double" and not describe.traits(device).fp64:
        raise PrecisionError(
            f"{device.name} has no double precision: convert the input with "
            f'x.astype("{"float32" if READABLE[dtype][1] else "complex64"}")'
        )


def _shape_and_dtype(array: np.ndarray | None) -> tuple[tuple[int, ...] | None, np.dtype | None]:
    return (None, None) if array is None else (array.shape, array.dtype)


def _result_dtype(kind: str, dtype: np.dtype) -> np.dtype:
    return (REAL_DTYPE if kind == "c2r" else COMPLEX_DTYPE)[READABLE[dtype][0]]


def _keep(reports_of_call: Sequence[Report]) -> None:
    global _reports
    _reports = tuple(reports_of_call)


# --- the devices of one machine -------------------------------------------------------------------


def _over_devices(
    kind: str, direction: str, array: np.ndarray | None, wish: Wish, how: How
) -> np.ndarray:
    """Transform a batch, each share of its rows on a device."""
    devices = list(how.devices or ())
    if how.comm is not None or how.local:
        raise PlanError("pass devices= in a program of one process, without comm= and local=")
    if not devices:
        raise PlanError("devices= is empty: pass pyclfft.devices(), or some of them")
    if array is None:
        raise PlanError("x is None: pass the whole array")
    request = _request(kind, direction, array.shape, wish.s, wish.axes)
    for device in devices:
        _require_precision(device, array.dtype)
    out = memory.empty(request.result_shape, _result_dtype(kind, array.dtype))
    _keep(in_shares(request, array, out, devices, wish.norm, wish.max_device_bytes))
    return out
