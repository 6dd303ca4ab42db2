"""The discrete Fourier transform by its definition, of any length and for all bins or a few."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..convolution.operands import layout_of
from ..errors import DeviceMemoryError, PlanError
from ..planning.precision import COMPLEX_DTYPE, READABLE
from ..planning.problem import choose
from ..runtime import describe, memory
from ..runtime.cache import BoundedCache, registered
from ..runtime.executable import Executable
from ..runtime.operation import new_like, queue_for, run
from ..runtime.parts import Part, axes_to_split, in_parts
from ..transforms.call import readable
from .bins import Wanted, wanted_bins
from .direct_plans import GLOBAL, LOCAL, TILED, DftJob, dft_schedule
from .slow_ft import sequential

SEQUENTIAL = "sequential"
VARIANTS = (SEQUENTIAL, GLOBAL, LOCAL, TILED)
MAX_JOBS = 8  # each holds a table of as many roots as there are samples

_executables: BoundedCache[Executable] = registered("dfts", BoundedCache(MAX_JOBS))


def dft(
    x: Any,
    bins: Any = None,
    axis: int = -1,
    *,
    sign: int = -1,
    variant: str = TILED,
    queue: cl.CommandQueue | None = None,
) -> Any:
    """Compute the discrete Fourier transform by its definition.

    Bin k of n samples is the sum over m of ``x[m] exp(sign 2 pi i k m / n)``. The time that it
    takes grows with the number of samples and with the number of bins, whatever their factors; all
    bins of many samples are computed sooner by `fft`, which gives the same numbers.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array
        Real or complex samples.
    bins : array_like of int, shape (bins,), optional
        The numbers of the bins, in any order; negative ones count from the end. By default all
        bins are computed, in their order.
    axis : int
        The axis of the samples. Along the other axes the array is a batch.
    sign : {-1, 1}
        The sign of the exponent: -1 is that of `fft`; 1 that of `ifft`, without its division by n.
    variant : {"tiled", "global", "local", "sequential"}
        "tiled", the fastest, multiplies tiles of samples in local memory with roots in registers.
        "global" and "local" give each work-item one bin, whose samples it reads from global memory,
        or from local memory to which one work-item has copied all of them. "sequential" is a loop
        on the host, which Numba compiles. These three are there to be compared with.
    queue : cl.CommandQueue, optional
        The queue to run on. The default is the queue of a device array, or `default_queue`.

    Returns
    -------
    ndarray or pyopencl.array.Array
        The bins, along `axis` in the place of the samples: complex64 for float16, float32 and
        complex64, otherwise complex128. A device array is returned at once and carries the event of
        its completion.

    Raises
    ------
    PlanError
        A ValueError: there are no samples, a bin does not exist, an option is unknown, local
        memory is too small for the variant "local", or Numba is missing for "sequential".
    PrecisionError
        A TypeError: the samples are longdouble, or need double precision, which the device lacks.
    IndexError
        The array lacks the axis.
    DeviceMemoryError
        A MemoryError: the device is out of memory.

    See Also
    --------
    fft : All bins in n log n steps.
    zoom_fft : Equally spaced frequencies of a band, also between the bins.

    Notes
    -----
    Of real samples only the bins up to n / 2 are computed; the others are exactly their conjugates.
    The exponents k m are taken modulo n in integers, and sums of tiles are compensated, so that the
    error does not grow with n. How the sums are divided depends on the number of samples and on the
    number of bins, so that a bin has the same bits whichever other bins are computed with it, as
    long as there are as many of them.

    References
    ----------
    A. V. Oppenheim, R. W. Schafer, "Discrete-Time Signal Processing", chapter 8.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.dft([1.0, 2.0, 0.0, 2.0]).real
    array([ 5.,  1., -3.,  1.])
    >>> pyclfft.dft([1.0, 2.0, 0.0, 2.0], bins=[2, -1]).real
    array([-3.,  1.])
    """
    array, axis = samples_of(x, axis)
    wanted = wanted_bins(bins, array.shape[axis], real=array.dtype.kind == "f", sign=sign)
    return transformed(array, wanted, axis, variant=variant, queue=queue)


def samples_of(x: Any, axis: int) -> tuple[Any, int]:
    """Return an array of a dtype that devices read, and the number of its axis from 0 on.

    Raises
    ------
    PlanError, PrecisionError, IndexError
        See `dft`.
    """
    array = readable(x)
    if not array.ndim or not -array.ndim <= axis < array.ndim:
        raise IndexError(f"x has {array.ndim} axes and no axis {axis}")
    axis %= array.ndim
    if not array.shape[axis]:
        raise PlanError(f"x has no samples along axis {axis}: a transform needs at least one")
    return array, axis


def transformed(
    array: Any,
    wanted: Wanted,
    axis: int,
    share: tuple[int, int] | None = None,
    *,
    variant: str = TILED,
    queue: cl.CommandQueue | None = None,
    group: int | None = None,
) -> Any:
    """Compute the bins that are wanted, or one share of those that have to be computed.

    Shares, put together in their order, are ``wanted.computed``, bit for bit whatever their sizes;
    ``wanted.spread`` makes of them what the caller wants.

    Parameters
    ----------
    array : ndarray or pyopencl.array.Array
        The samples, as `samples_of` returns them.
    wanted : Wanted
        The bins that the caller wants.
    axis : int
        The axis of the samples, from 0.
    share : (int, int), optional
        The places in ``wanted.computed`` of the first bin and of the one after the last.
    variant : {"tiled", "global", "local", "sequential"}
        How to compute.
    queue : cl.CommandQueue, optional
        The queue to run on.
    group : int, optional
        The work-items of a group of the variants "global" and "local".

    Returns
    -------
    ndarray or pyopencl.array.Array

    Raises
    ------
    PlanError, PrecisionError, DeviceMemoryError
        See `dft`.
    """
    choose("variant", variant, VARIANTS)
    on_device = isinstance(array, cl_array.Array)
    if variant == SEQUENTIAL:
        found = _on_host(array.get() if on_device else array, wanted, axis, share)
        return cl_array.to_device(queue_for(queue, array), found) if on_device else found
    queue = queue_for(queue, array)
    count = wanted.count if share is None else len(wanted.computed[slice(*share)])
    shape = (*array.shape[:axis], count, *array.shape[axis + 1 :])
    dtype = COMPLEX_DTYPE[READABLE[array.dtype][0]]
    result = new_like(array, shape, dtype, queue)
    if not result.size:
        return result

    def compute(part: Part) -> None:
        job = _job(array[part], result[part], wanted, axis, share, variant, group)
        run(_executable(queue.context, job), queue, array[part], result[part])

    try:
        compute((slice(None),) * array.ndim)
        return result
    except DeviceMemoryError:
        if not axes_to_split(array.shape, (axis,)):
            raise
    in_parts(compute, array.shape, (axis,))
    return result


def _job(
    array: Any,
    result: Any,
    wanted: Wanted,
    axis: int,
    share: tuple[int, int] | None,
    variant: str,
    group: int | None,
) -> DftJob:
    begin, end = share or (None, None)
    source, target = layout_of("x", array), layout_of("the result", result)
    precision, _ = READABLE[array.dtype]
    return DftJob(wanted, begin, end, source, target, axis, precision, variant, group)


def _executable(context: cl.Context, job: DftJob) -> Executable:
    """Return a job made ready for a context, from the cache if it is there."""

    def make() -> Executable:
        traits = describe.traits(context.devices[0])
        schedule = dft_schedule(job, traits)
        memory.require_fits(traits, dict(schedule.workspace))
        return Executable(context, schedule)

    return _executables.get((context, job), make)


def _on_host(
    array: np.ndarray, wanted: Wanted, axis: int, share: tuple[int, int] | None
) -> np.ndarray:
    """Compute by the loop on the host, row by row."""
    bins = np.array(wanted.computed[slice(*share)] if share else wanted.computed, np.int64)
    rows = np.ascontiguousarray(np.moveaxis(array, axis, -1))
    found = sequential(rows.reshape(-1, wanted.n), bins)
    found = found.reshape(*rows.shape[:-1], len(bins))
    return np.moveaxis(found if share else wanted.spread(found), -1, axis).copy()
