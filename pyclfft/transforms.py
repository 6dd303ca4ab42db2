"""Fourier transforms with SciPy's signatures: NumPy arrays in and out, or device arrays in and out.

All functions share one way through: the array's dtype is made one that the device reads, a plan is
found in the plan cache or made, and the plan is called.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyopencl.array as cl_array
from numpy.typing import ArrayLike

from .errors import PlanError
from .planning.planner import require_precision
from .planning.problem import READABLE, lengths_and_axes
from .runtime import device, memory
from .runtime.cache import BoundedCache
from .runtime.plan import Plan

MAX_PLANS = 128

_plans: BoundedCache[Plan] = BoundedCache(MAX_PLANS)
plan_counts = _plans.counts
forget_plans = _plans.clear

Shape = int | Iterable[int] | None


def fft(
    x: ArrayLike | cl_array.Array,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
) -> Any:
    """Compute the 1-D discrete Fourier transform along one axis.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array, shape (..., m, ...)
        Input, real or complex. float32 and complex64 (and float16) are transformed in single
        precision, all others in double.
    n : int, optional
        Length to transform: the input is cropped or padded with zeros at its end to it. The
        length of `axis` by default.
    axis : int
        Axis to transform.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction carries the factor 1/n; "backward", the inverse, by default.
    overwrite_x : bool
        Permission to destroy `x`, which is not made use of.
    workers : int, optional
        As in SciPy; the device uses all of its compute units whatever it says. The how-to guide
        to devices says how to leave cores of a CPU to others.
    plan : None
        As in SciPy, where nothing else is allowed yet.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., n, ...)
        complex64 or complex128; a device array stays on its queue and carries an event.

    Raises
    ------
    ValueError
        A length below 1, an unknown norm.
    IndexError
        `axis` is not an axis of `x`.
    TypeError
        longdouble, which no OpenCL device computes.
    DeviceError
        Double precision on a device without it, or no device.

    References
    ----------
    Lengths without a prime factor above 13 are transformed by T. G. Stockham's autosort (in
    W. T. Cochran et al., Proc. IEEE 55, 1967) as N. K. Govindaraju et al. do it on GPUs (SC 2008),
    longer ones by D. H. Bailey's four steps (J. Supercomputing 4, 1990); all others by L. I.
    Bluestein's algorithm (IEEE Trans. AU-18, 1970).

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.fft([1, 0, 0, 0]).real
    array([1., 1., 1., 1.])
    """
    return _fft_1d("forward", x, n, axis, norm, workers, plan)


def ifft(
    x: ArrayLike | cl_array.Array,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
) -> Any:
    """Compute the inverse of `fft` along one axis; parameters, result and errors are the same.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.ifft([4, 0, 0, 0]).real
    array([1., 1., 1., 1.])
    """
    return _fft_1d("inverse", x, n, axis, norm, workers, plan)


def fft2(
    x: ArrayLike | cl_array.Array,
    s: Shape = None,
    axes: Shape = (-2, -1),
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
) -> Any:
    """Compute the 2-D discrete Fourier transform: `fftn` over the last two axes by default.

    Examples
    --------
    >>> import numpy as np, pyclfft
    >>> pyclfft.fft2(np.ones((2, 2))).real
    array([[4., 0.],
           [0., 0.]])
    """
    return _fft_nd("forward", x, s, axes, norm, workers, plan)


def ifft2(
    x: ArrayLike | cl_array.Array,
    s: Shape = None,
    axes: Shape = (-2, -1),
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
) -> Any:
    """Compute the inverse of `fft2`: `ifftn` over the last two axes by default.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.ifft2([[4, 0], [0, 0]]).real
    array([[1., 1.],
           [1., 1.]])
    """
    return _fft_nd("inverse", x, s, axes, norm, workers, plan)


def fftn(
    x: ArrayLike | cl_array.Array,
    s: Shape = None,
    axes: Shape = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
) -> Any:
    """Compute the discrete Fourier transform along any number of axes.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array
        Input, real or complex, of any number of dimensions.
    s : int or sequence of int, optional
        Length to transform along each of `axes`: the input is cropped or padded with zeros at its
        end; -1 leaves a length as it is.
    axes : int or sequence of int, optional
        Axes to transform; the last ``len(s)``, or all, by default.
    norm, overwrite_x, workers, plan
        As for `fft`.

    Returns
    -------
    ndarray or pyopencl.array.Array
        complex64 or complex128, shaped like `x` but for the lengths in `s`.

    Raises
    ------
    ValueError
        Axes that `x` lacks or that repeat, lengths that do not fit the axes or are below 1, an
        unknown norm.
    TypeError, DeviceError
        As for `fft`.

    Examples
    --------
    >>> import numpy as np, pyclfft
    >>> pyclfft.fftn(np.ones((2, 2, 2)), axes=(0, 2))[:, 0, :].real
    array([[4., 0.],
           [0., 0.]])
    """
    return _fft_nd("forward", x, s, axes, norm, workers, plan)


def ifftn(
    x: ArrayLike | cl_array.Array,
    s: Shape = None,
    axes: Shape = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
) -> Any:
    """Compute the inverse of `fftn`; parameters, result and errors are the same.

    Examples
    --------
    >>> import numpy as np, pyclfft
    >>> np.allclose(pyclfft.ifftn(pyclfft.fftn(np.eye(3))), np.eye(3))
    True
    """
    return _fft_nd("inverse", x, s, axes, norm, workers, plan)


def _fft_1d(
    direction: str, x: Any, n: int | None, axis: int, norm: str | None, workers: Any, plan: Any
) -> Any:
    array = _readable(x)
    length = array.shape[axis] if n is None else n
    if length < 1:
        raise ValueError(f"invalid number of data points ({length}) specified")
    _check_ignored(workers, plan)
    axis = tuple(range(array.ndim))[axis]
    return _execute(direction, array, (operator.index(length),), (axis,), norm)


def _fft_nd(
    direction: str, x: Any, s: Shape, axes: Shape, norm: str | None, workers: Any, plan: Any
) -> Any:
    array = _readable(x)
    lengths, chosen = lengths_and_axes(array.shape, s, axes)
    _check_ignored(workers, plan)
    if not chosen:
        return x if isinstance(x, cl_array.Array) else np.asarray(x)
    return _execute(direction, array, lengths, chosen, norm)


def _execute(
    direction: str, x: Any, lengths: Sequence[int], axes: Sequence[int], norm: str | None
) -> Any:
    """Transform an array of a readable dtype by a cached plan."""
    strides, offset = None, 0
    if isinstance(x, cl_array.Array):
        context, strides, offset = x.context, x.strides, x.offset
    else:
        chosen = device.default_device()
        context = device.context_of(chosen)
        if not x.flags.c_contiguous and memory.reads_as_it_lies(device.traits(chosen), x):
            strides = x.strides
    norm = "backward" if norm is None else norm
    key = (context, x.shape, x.dtype, lengths, axes, direction, norm, strides, offset)
    found = _plans.get(
        key,
        lambda: Plan(
            x.shape, x.dtype, axes, direction=direction, norm=norm, s=lengths,
            strides=strides, offset=offset, context=context,
        ),
    )  # fmt: skip
    return found(x)


def _readable(x: Any) -> Any:
    """Return an array of a dtype that the device reads, by SciPy's rules."""
    if isinstance(x, cl_array.Array):
        dtype = _readable_dtype(x.dtype)
        return x if dtype == x.dtype else _converted(x, dtype)
    array = x if isinstance(x, np.ndarray) else np.asarray(x)
    return np.asarray(array, _readable_dtype(array.dtype))


def _readable_dtype(dtype: np.dtype) -> np.dtype:
    if dtype in READABLE:
        return dtype  # early, since the questions below take longer than finding a cached plan
    dtype = dtype.newbyteorder("=")
    if dtype == np.float16:
        return np.dtype(np.float32)
    if dtype.kind not in "fc":
        return np.dtype(np.float64)
    if dtype in (np.longdouble, np.clongdouble) and dtype.itemsize > np.dtype("f8").itemsize * (
        2 if dtype.kind == "c" else 1
    ):
        raise TypeError(
            f"no OpenCL device computes in {dtype}: convert the input with "
            f'x.astype("{"complex128" if dtype.kind == "c" else "float64"}")'
        )
    return dtype


def _converted(x: Any, dtype: np.dtype) -> Any:
    """Return a device array converted on its device, as far as pyopencl can."""
    queue = x.queue or device.queue_of(x.context)
    require_precision(READABLE[dtype][0], device.traits(queue.device))
    try:
        known = x.view(np.uint8) if x.dtype == bool else x
        return known.with_queue(queue).astype(dtype)
    except (RuntimeError, ValueError) as error:  # strides, float16
        raise PlanError(
            f"pyopencl cannot convert this device array from {x.dtype} to {dtype} ({error}): "
            f"upload it as {dtype}"
        ) from None


def _check_ignored(workers: int | None, plan: Any) -> None:
    """Refuse what SciPy refuses of the parameters that have no effect here."""
    if plan is not None:
        raise NotImplementedError(
            "Passing a precomputed plan is not supported: call the plan itself, plan(x)"
        )
    if workers is None:
        return  # early, since counting the cores takes longer than all else here
    cores = os.cpu_count() or 1
    if workers < -cores:
        raise ValueError(
            f"workers value out of range; got {workers}, must not be less than {-cores}"
        )
    if workers == 0:
        raise ValueError("workers must not be zero")
    operator.index(workers)
