"""What all transforms share: the way from a caller's array to a cached plan and its result.

The array is converted to a dtype that the device reads. Lengths and axes are understood as in
SciPy. Then a plan is found in the plan cache, or made, and called.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..errors import DeviceMemoryError, PrecisionError
from ..planning.precision import COMPLEX_DTYPE, READABLE
from ..planning.problem import lengths_and_axes, logical_shape
from ..runtime import choice, describe, memory, queues, shift
from ..runtime.cache import BoundedCache, registered, remembers_latest
from ..runtime.limit import max_device_bytes
from ..runtime.operation import new_like
from ..runtime.parts import Part, axes_to_split, in_parts
from ..runtime.pieces import Request, room_of, transform
from ..runtime.plan import Plan
from .workers import count_of

MAX_PLANS = 128
MAX_LATEST = 32  # plans that were used last, which a smaller cache finds sooner

_plans: BoundedCache[Plan] = registered("plans", BoundedCache(MAX_PLANS))

Shape = int | Iterable[int] | None


def along_axis(
    kind: str,
    direction: str,
    x: Any,
    n: int | None,
    axis: int,
    norm: str | None,
    workers: int | None,
    plan: Any,
) -> Any:
    """Transform along one axis.

    Parameters
    ----------
    kind, direction : str
        Two parameters of the `Plan`.
    x : array_like or pyopencl.array.Array
        Input.
    n : int, optional
        Length to transform; for kind "c2r" the length of the result.
    axis : int
        Axis to transform.
    norm, workers, plan
        The parameters that SciPy's functions have.

    Returns
    -------
    ndarray or pyopencl.array.Array

    Raises
    ------
    ValueError, IndexError, TypeError, DeviceError
        `pyclfft.fft` and `pyclfft.rfft` say when.
    """
    array = _checked(kind, x, workers, plan)
    if kind == "c2r" and n is None:
        n = 2 * (array.shape[axis] - 1)
    lengths, axes = axis_and_length(array.shape, n, axis)
    return execute(kind, direction, array, lengths, axes, norm)


def along_axes(
    kind: str,
    direction: str,
    x: Any,
    s: Shape,
    axes: Shape,
    norm: str | None,
    workers: int | None,
    plan: Any,
) -> Any:
    """Transform along several axes.

    Beside `s`, the lengths, and `axes`, it has the parameters of `along_axis`, returns what that
    returns and raises what that raises.
    """
    array = _checked(kind, x, workers, plan)
    lengths, chosen = lengths_and_axes(array.shape, s, axes)
    if not chosen:
        if kind != "c2c":
            raise ValueError("at least 1 axis must be transformed")
        return x if isinstance(x, cl_array.Array) else np.asarray(x)
    if kind == "c2r" and s is None:
        lengths = (*lengths[:-1], _positive(2 * (lengths[-1] - 1)))
    return execute(kind, direction, array, lengths, chosen, norm)


def axis_and_length(
    shape: Sequence[int], n: int | None, axis: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the length to transform, and the axis as a number from 0, each in a tuple.

    Raises
    ------
    ValueError
        The length is below 1. The message is SciPy's.
    IndexError
        The array lacks the axis.
    """
    extent = shape[axis]
    length = _positive(extent if n is None else n)
    return (operator.index(length),), (operator.index(axis) % len(shape),)


def _positive(length: int) -> int:
    if length < 1:
        raise ValueError(f"invalid number of data points ({length}) specified")
    return length


def execute(
    kind: str,
    direction: str,
    x: Any,
    lengths: tuple[int, ...],
    axes: tuple[int, ...],
    norm: str | None,
    orthogonalize: bool | None = None,
) -> Any:
    """Transform an array of a readable dtype by a cached plan.

    If the device has no room, or the caller limits the device's memory, an array of the host goes
    through the device in pieces, and one of the device is transformed in parts.
    """
    norm = "backward" if norm is None else norm
    on_host = isinstance(x, np.ndarray)
    limit = max_device_bytes() if on_host else None
    refusal: DeviceMemoryError | None = None
    try:
        plan = cached_plan(kind, direction, lengths, axes, norm, orthogonalize, x)
        if limit is None or plan.buffer_bytes <= limit:
            return plan(x)
    except DeviceMemoryError as error:
        if not (on_host or axes_to_split(x.shape, axes)):
            raise
        refusal = error.with_traceback(None)  # whose frames would keep memory alive
    if on_host:
        precision = READABLE[x.dtype][0]
        request = Request(kind, direction, norm, axes, lengths, precision, orthogonalize)
        try:
            result = memory.empty(request.result_shape(x.shape), request.dtype)
        except (MemoryError, ValueError) as error:  # the host has no room for the result either
            raise refusal or error from None
        context = queues.context_of(choice.default_device())
        transform(x, result, request, room_of(context, limit))
        return result
    plan_for = partial(cached_plan, kind, direction, lengths, axes, norm, orthogonalize)
    return _in_parts(plan_for, x, axes)


def _in_parts(plan_for: Callable[[Any], Plan], x: Any, axes: Collection[int]) -> Any:
    """Return what a plan for all of a device array would return, by plans for parts of it."""
    result: Any = None

    def run(part: Part) -> None:
        nonlocal result
        plan = plan_for(x[part])
        if result is None:
            target = plan.problem.target.shape
            shape = (target[a] if a in axes else n for a, n in enumerate(x.shape))
            result = new_like(x, tuple(shape), plan.problem.dtype)
        plan(x[part], out=result[part])

    in_parts(run, x.shape, axes)
    return result


def cached_plan(
    kind: str,
    direction: str,
    lengths: tuple[int, ...],
    axes: tuple[int, ...],
    norm: str,
    orthogonalize: bool | None,
    x: Any,
) -> Plan:
    """Return a plan for an array, from the cache if it is there.

    Parameters
    ----------
    kind, direction, lengths, axes, norm, orthogonalize
        The parameters of `execute`.
    x : ndarray or pyopencl.array.Array
        An array as `execute` takes it. A NumPy array is transformed on the default device.
    """
    strides, offset = None, 0
    if isinstance(x, np.ndarray):
        chosen = choice.default_device()
        context = queues.context_of(chosen)
        if not x.flags.c_contiguous and memory.reads_as_it_lies(describe.traits(chosen), x):
            strides = x.strides
    else:
        context, strides, offset = x.context, x.strides, x.offset
    return _cached(
        context, x.shape, x.dtype, lengths, axes, kind, direction, norm, orthogonalize, strides,
        offset,
    )  # fmt: skip


@remembers_latest("plans", MAX_LATEST)
def _cached(*key: Any) -> Plan:
    """Return the plan for a key, which holds the arguments of `_made`."""
    return _plans.get(key, lambda: _made(*key))


def _made(
    context: cl.Context,
    shape: tuple[int, ...],
    dtype: np.dtype,
    lengths: tuple[int, ...],
    axes: tuple[int, ...],
    kind: str,
    direction: str,
    norm: str,
    orthogonalize: bool | None,
    strides: tuple[int, ...] | None,
    offset: int,
) -> Plan:
    """Return a new plan; its key in the plan cache holds these parameters."""
    return Plan(
        logical_shape(kind, shape, axes), dtype, axes, kind, direction, norm, s=lengths,
        strides=strides, offset=offset, orthogonalize=orthogonalize, context=context,
    )  # fmt: skip


def _checked(kind: str, x: Any, workers: int | None, plan: Any) -> Any:
    """Return an array of the numbers, real or complex, that a kind of transform takes.

    Most calls give a NumPy array of a readable dtype and nothing else. They make no further call.
    """
    if plan is not None or workers is not None:
        check_ignored(workers, plan)
    array = x if type(x) is np.ndarray and x.dtype in READABLE else readable(x)
    if kind == "c2c":
        return array
    precision, real = READABLE[array.dtype]
    if kind == "r2c" and not real:
        raise TypeError("x must be a real sequence")
    if kind == "c2r" and real:
        return converted(array, COMPLEX_DTYPE[precision])
    return array


def readable(x: Any) -> Any:
    """Return an array of a dtype that the device reads, by SciPy's rules."""
    if isinstance(x, cl_array.Array):
        dtype = readable_dtype(x.dtype)
        return x if dtype == x.dtype else converted(x, dtype)
    array = x if isinstance(x, np.ndarray) else on_host(x)
    return np.asarray(array, readable_dtype(array.dtype))


def on_host(x: Any) -> np.ndarray:
    """Return a NumPy array of whatever NumPy converts, or of memory that DLPack hands over."""
    if hasattr(x, "__dlpack__") and not hasattr(x, "__array__"):
        return np.from_dlpack(x)
    return np.asarray(x)


def readable_dtype(dtype: np.dtype) -> np.dtype:
    """Return the dtype in which the device reads numbers of a dtype, by SciPy's rules.

    Raises
    ------
    PrecisionError
        No device computes in the dtype, which is longer than float64 or complex128.
    """
    if dtype in READABLE:
        return dtype  # this comes first: the checks below take longer than finding a cached plan
    dtype = dtype.newbyteorder("=")
    if dtype == np.float16:
        return np.dtype(np.float32)
    if dtype.kind not in "fc":
        return np.dtype(np.float64)
    if dtype in (np.longdouble, np.clongdouble) and dtype.itemsize > np.dtype("f8").itemsize * (
        2 if dtype.kind == "c" else 1
    ):
        raise PrecisionError(
            f"no OpenCL device computes in {dtype}: convert the input with "
            f'x.astype("{"complex128" if dtype.kind == "c" else "float64"}")'
        )
    return dtype


def converted(array: Any, dtype: np.dtype) -> Any:
    """Return an array converted to a dtype; a device array is converted on its device."""
    return array.astype(dtype) if isinstance(array, np.ndarray) else shift.converted(array, dtype)


def check_ignored(workers: int | None, plan: Any = None) -> None:
    """Refuse the values that SciPy refuses for parameters that have no effect here."""
    if plan is not None:
        raise NotImplementedError(
            "Passing a precomputed plan is not supported: call the plan itself, plan(x)"
        )
    if workers is None:
        return  # to count the cores takes longer than a small transform
    operator.index(count_of(workers))
