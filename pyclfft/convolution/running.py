"""A convolution of checked arrays, run where they are: on the host or on the device.

Arrays of the host for which the device has no room are convolved piece by piece.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..errors import DeviceMemoryError
from ..planning.parameters import Given, Parameters
from ..planning.traits import Traits
from ..runtime import describe, memory
from ..runtime.limit import max_device_bytes
from ..runtime.operation import allocator_of, new_array
from ..runtime.staging import Staging
from .convolvers import Convolver, Job, convolver_of
from .direct_plans import DirectJob
from .methods import DIRECT, PARTITIONED, Costs, costs_of, cut_for, parameters_of, whole_for
from .operands import (
    check_out,
    for_transforms,
    layout_of,
    on_one_side,
    precision_of,
    spectral_dtype,
)
from .pieces import can_be_cut, in_pieces
from .shapes import Dimension, Dimensions, Places, reversed_layout
from .spectral_plans import SpectralJob

POINT = (Dimension(1, 1, 0, 1, False),)  # the dimension of two numbers without any


@dataclass(frozen=True)
class Way:
    """How two arrays are convolved.

    Attributes
    ----------
    method : {"direct", "fft", "partitioned"}
        The method.
    correlates : bool
        Whether they are correlated.
    values : tuple of (str, object)
        Parameters of the kernels that count more than any that were measured.
    """

    method: str
    correlates: bool = False
    values: Given = ()


def convolved(
    first: Any,
    second: Any,
    dimensions: Dimensions,
    method: str,
    dtype: np.dtype,
    out: Any,
    queue: cl.CommandQueue,
    correlates: bool = False,
    values: Given = (),
) -> Any:
    """Convolve or correlate checked arrays.

    Parameters
    ----------
    first, second : ndarray or pyopencl.array.Array
        The inputs, with elements.
    dimensions : tuple of Dimension
        The dimensions of the inputs and of the result.
    method : {"direct", "fft", "partitioned"}
        The method.
    dtype : dtype
        The dtype of the result.
    out : ndarray or pyopencl.array.Array or None
        The array that receives the result.
    queue : cl.CommandQueue
        The queue to run on.
    correlates : bool
        Whether to correlate.
    values : tuple of (str, object)
        Parameters of the kernels that count more than any that were measured.

    Returns
    -------
    ndarray or pyopencl.array.Array

    Raises
    ------
    PlanError, PrecisionError, DeviceMemoryError, BuildError
        See `pyclfft.convolve`.
    """
    first, second = on_one_side(first, second, queue)
    shape = tuple(each.result for each in dimensions)
    if out is not None:
        check_out(out, (first, second), shape, dtype)
    if not dimensions:
        dimensions, first, second = POINT, first.reshape(1), second.reshape(1)
        point = None if out is None else out.reshape(1)
        result = convolved(
            first, second, dimensions, DIRECT, dtype, point, queue, correlates, values
        )
        return result.reshape(()) if isinstance(result, cl_array.Array) else result[0]
    if not any(each.convolved for each in dimensions):
        method = DIRECT  # a product, element by element
    if method != DIRECT:
        precision = precision_of(spectral_dtype(first.dtype, second.dtype))
        first, second = for_transforms(first, precision), for_transforms(second, precision)
        if not correlates and second.size > first.size:  # blocks are cut from the longer one
            first, second = second, first
            dimensions = tuple(each.swapped for each in dimensions)
    on_device = isinstance(first, cl_array.Array)
    if method == DIRECT and not on_device:  # so that each dtype has one kernel, not each two
        first, second = (each.astype(dtype, copy=False) for each in (first, second))
    result = out
    if out is None and on_device:
        result = new_array(queue, allocator_of(first, queue), shape, dtype)
    elif out is None or not (on_device or out.flags.c_contiguous):
        result = memory.empty(shape, dtype)
    if not result.size:
        return result if out is None else out
    way = Way(method, correlates, values)
    fits = _tried(first, second, result, dimensions, way, queue)
    if not fits:  # here, where the error no longer refers to memory
        _in_pieces(first, second, result, dimensions, way, queue)
    if out is None or out is result:
        return result
    out[...] = result
    return out


def _run(
    first: Any,
    second: Any,
    result: Any,
    dimensions: Dimensions,
    way: Way,
    queue: cl.CommandQueue,
) -> None:
    """Convolve at once arrays that are all on the host, or all on the device."""
    job = _job(first, second, result, dimensions, way, queue)
    convolver = convolver_of(queue.context, job)
    if isinstance(result, cl_array.Array):
        _on_device(convolver, first, second, result, queue)
        return
    _require_within_limit(job, convolver)
    _on_host(convolver, first, second, result, queue)


def _require_within_limit(job: Job, convolver: Convolver) -> None:
    """Refuse a convolution of host arrays that takes more of the device than the caller allows."""
    limit = max_device_bytes()
    if limit is None:
        return
    needed = sum(job.array_bytes.values()) + convolver.workspace_bytes
    if needed > limit:
        raise DeviceMemoryError(
            f"this needs {needed:,} bytes on the device, and the limit is {limit:,}: allow more by "
            "limit_device_memory"
        )


def _tried(
    first: Any,
    second: Any,
    result: Any,
    dimensions: Dimensions,
    way: Way,
    queue: cl.CommandQueue,
) -> bool:
    """Convolve at once; return False if the device has no room, but has maybe some for pieces."""
    try:
        _run(first, second, result, dimensions, way, queue)
    except DeviceMemoryError:
        if isinstance(result, cl_array.Array) or not can_be_cut(dimensions):
            raise
        return False
    return True


def _in_pieces(
    first: np.ndarray,
    second: np.ndarray,
    result: np.ndarray,
    dimensions: Dimensions,
    way: Way,
    queue: cl.CommandQueue,
) -> None:
    """Convolve arrays of the host piece by piece."""
    if way.correlates:
        along = tuple(d for d, each in enumerate(dimensions) if each.convolved)
        second = np.flip(second, along).conj()
    # Sums of pieces in half precision would be less exact than sums within a piece.
    dtype = np.dtype(np.float32) if result.dtype == np.float16 else result.dtype
    total = np.empty(result.shape, dtype) if dtype != result.dtype else result

    def convolve(one: np.ndarray, other: np.ndarray, parts: Dimensions) -> np.ndarray:
        piece = memory.empty(tuple(each.result for each in parts), dtype)
        _run(one, other, piece, parts, replace(way, correlates=False), queue)
        return piece

    in_pieces(convolve, first, second, dimensions, total)
    if total is not result:
        result[...] = total


def _job(
    first: Any,
    second: Any,
    result: Any,
    dimensions: Dimensions,
    way: Way,
    queue: cl.CommandQueue,
) -> Job:
    precision = precision_of(spectral_dtype(first.dtype, second.dtype))
    parameters = parameters_of(queue.device, dimensions, precision, way.values)
    return job_with(
        first, second, result, dimensions, way, describe.traits(queue.device), parameters
    )


def job_with(
    first: Any,
    second: Any,
    result: Any,
    dimensions: Dimensions,
    way: Way,
    traits: Traits,
    parameters: Parameters,
) -> Job:
    """Return what is to be planned for two arrays, with these parameters.

    Parameters
    ----------
    first, second, result : ndarray or pyopencl.array.Array
        The inputs, and the array that receives the result.
    dimensions : tuple of Dimension
        The dimensions of the inputs and of the result.
    way : Way
        How the inputs are convolved.
    traits, parameters
        The traits of the device, and the parameters that decide how it is done there.

    Returns
    -------
    SpectralJob or DirectJob
    """
    layouts = Places(layout_of("in1", first), layout_of("in2", second), layout_of("out", result))
    if way.method == DIRECT:
        dtypes = (first.dtype, second.dtype, result.dtype)
        return DirectJob(dimensions, layouts, dtypes, way.correlates, way.values)
    precision = precision_of(spectral_dtype(first.dtype, second.dtype))
    costs = costs_of(traits, parameters)
    if way.method == PARTITIONED and way.correlates and second.size > first.size:
        turned = _turned(layouts, dimensions, costs, precision, result.dtype, way.values)
        if turned.is_cut:
            return turned
    blocks = (cut_for if way.method == PARTITIONED else whole_for)(dimensions, costs)
    return SpectralJob(
        dimensions, blocks, layouts, precision, result.dtype, way.correlates, values=way.values
    )


def _turned(
    layouts: Places,
    dimensions: Dimensions,
    costs: Costs,
    precision: str,
    dtype: np.dtype,
    values: Given,
) -> SpectralJob:
    """Return a correlation as a convolution of its second input, which is the longer one.

    Blocks are cut from the first input of a convolution. So the second input of the correlation
    becomes that, read in reverse; it is conjugated as it is read.
    """
    dimensions = tuple(each.swapped for each in dimensions)
    along = [d for d, each in enumerate(dimensions) if each.convolved]
    places = Places(reversed_layout(layouts.second, along), layouts.first, layouts.target)
    return SpectralJob(
        dimensions,
        cut_for(dimensions, costs),
        places,
        precision,
        dtype,
        is_turned=True,
        values=values,
    )


def _on_host(
    convolver: Convolver,
    first: np.ndarray,
    second: np.ndarray,
    result: np.ndarray,
    queue: cl.CommandQueue,
) -> None:
    with Staging(queue, convolver.traits) as stage:
        one, other = (stage.given(memory.contiguous(each)) for each in (first, second))
        done = convolver.enqueue(queue, one, other, stage.result(result), stage.uploads)
        stage.finish(done)


def _on_device(
    convolver: Convolver,
    first: cl_array.Array,
    second: cl_array.Array,
    result: cl_array.Array,
    queue: cl.CommandQueue,
) -> None:
    one: Any = first.base_data
    other: Any = second.base_data
    target: Any = result.base_data
    events = [event for each in (first, second, result) for event in each.events]
    result.events[:] = [convolver.enqueue(queue, one, other, target, events)]
