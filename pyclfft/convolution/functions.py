"""Convolution and correlation with the signatures and results of scipy.signal, on any device."""

from __future__ import annotations

import timeit
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..errors import PlanError
from ..planning.parameters import Given, Values, as_key
from ..planning.problem import choose
from ..runtime import describe
from ..runtime.operation import queue_for
from .methods import (
    AUTO,
    DIRECT,
    FFT,
    METHODS,
    PARTITIONED,
    Costs,
    cheapest,
    costs_of,
    in_registers,
    is_cut,
    needs_exact_sums,
    parameters_of,
)
from .operands import array_of, precision_of, spectral_dtype
from .running import convolved
from .shapes import Dimensions, check_mode, check_whole_valid, dimensions_of

Axes = int | Iterable[int] | None


def convolve(
    in1: Any,
    in2: Any,
    mode: str = "full",
    method: str = "auto",
    *,
    axes: Axes = None,
    out: Any = None,
    parameters: Values | None = None,
    queue: cl.CommandQueue | None = None,
) -> Any:
    """Convolve two N-dimensional arrays, as scipy.signal.convolve does.

    Parameters
    ----------
    in1, in2 : array_like or pyopencl.array.Array
        Numbers or booleans, with as many dimensions as each other. If one of them is a device
        array, the other one is uploaded.
    mode : {"full", "same", "valid"}
        The part of the result that is wanted: all of it, the middle part with the shape of `in1`,
        or the part for which no zeros are added to the longer input.
    method : {"auto", "direct", "fft", "partitioned"}
        "direct" adds products, and is exact for integers. "fft" multiplies the spectra of the whole
        arrays. "partitioned" cuts `in1` into blocks, and suits inputs of very unlike lengths.
        "auto" takes the method that is expected to be quickest on the device, and "direct" for
        booleans and for integers too large for the others.
    axes : int or iterable of int, optional
        The axes along which to convolve; all axes by default. Along the other axes the arrays are a
        batch: both have one extent, or one array has the extent 1 and serves for all places of the
        other array.
    out : ndarray or pyopencl.array.Array, optional
        The array that receives the result: on the host if both inputs are, otherwise on the device.
        It has the shape and the dtype of the result, and shares no memory with an input.
    parameters : mapping, optional
        Values of parameters of the kernels, as for `Plan`.
    queue : cl.CommandQueue, optional
        The queue to run on. The default is the queue of a device array, or `default_queue`.

    Returns
    -------
    ndarray or pyopencl.array.Array
        The convolution, of the dtype that NumPy gives to a product of the two inputs. A device
        array is returned at once and carries the event of its completion.

    Raises
    ------
    PlanError
        A ValueError: the shapes do not fit, an input is empty, an option is unknown, or the array
        `out` cannot receive the result.
    PrecisionError
        A TypeError: an input is of the dtype longdouble or object, or needs double precision, which
        the device lacks.
    DeviceMemoryError
        A MemoryError: the device has no room for the spectra of device arrays. The method
        "partitioned" may need less room. Arrays of the host are convolved in pieces if the device
        has no room, or if `limit_device_memory` leaves too little.

    See Also
    --------
    correlate : Convolve with the second input reversed and conjugated.
    choose_conv_method : The method that "auto" takes.

    Notes
    -----
    If both inputs are real, their transforms are real transforms. Zeros that pad the inputs are
    never read or written. The inverse transform multiplies the spectra as it loads them, and stores
    only the part of the result that is wanted.

    References
    ----------
    A. V. Oppenheim, R. W. Schafer, "Discrete-Time Signal Processing", chapter 8.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.convolve([1, 2, 3], [0, 1, 0.5])
    array([0. , 1. , 2.5, 4. , 1.5])
    >>> pyclfft.convolve([1, 2, 3], [0, 1, 0.5], mode="same")
    array([1. , 2.5, 4. ])
    """
    return _exact_or_spectral(
        in1, in2, mode, method, axes, out, queue, as_key(parameters), correlates=False
    )


def correlate(
    in1: Any,
    in2: Any,
    mode: str = "full",
    method: str = "auto",
    *,
    axes: Axes = None,
    out: Any = None,
    parameters: Values | None = None,
    queue: cl.CommandQueue | None = None,
) -> Any:
    """Cross-correlate two N-dimensional arrays, as scipy.signal.correlate does.

    Parameters
    ----------
    in1, in2, mode, method, axes, out, parameters, queue
        The parameters of `convolve`.

    Returns
    -------
    ndarray or pyopencl.array.Array
        The convolution of `in1` with `in2` reversed along the axes and conjugated.

    Raises
    ------
    PlanError, PrecisionError, DeviceMemoryError
        See `convolve`.

    See Also
    --------
    phase_cross_correlation : How far one image has moved against another one.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.correlate([1, 2, 3], [0, 1, 0.5])
    array([0.5, 2. , 3.5, 3. , 0. ])
    """
    return _exact_or_spectral(
        in1, in2, mode, method, axes, out, queue, as_key(parameters), correlates=True
    )


def fftconvolve(
    in1: Any,
    in2: Any,
    mode: str = "full",
    axes: Axes = None,
    *,
    out: Any = None,
    parameters: Values | None = None,
    queue: cl.CommandQueue | None = None,
) -> Any:
    """Convolve two N-dimensional arrays by transforms, as scipy.signal.fftconvolve does.

    Parameters
    ----------
    in1, in2, mode, axes, out, parameters, queue
        The parameters of `convolve`.

    Returns
    -------
    ndarray or pyopencl.array.Array
        The convolution. Its numbers are floating-point numbers even if the inputs are integers,
        unlike the numbers that `convolve` returns.

    Raises
    ------
    PlanError, PrecisionError, DeviceMemoryError
        See `convolve`.

    See Also
    --------
    oaconvolve : Convolve in blocks.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.fftconvolve([1.0, 2.0, 3.0], [0.0, 1.0, 0.5]).round(6)
    array([0. , 1. , 2.5, 4. , 1.5])
    """
    return _spectral(in1, in2, mode, FFT, axes, out, queue, as_key(parameters))


def oaconvolve(
    in1: Any,
    in2: Any,
    mode: str = "full",
    axes: Axes = None,
    *,
    out: Any = None,
    parameters: Values | None = None,
    queue: cl.CommandQueue | None = None,
) -> Any:
    """Convolve two N-dimensional arrays in blocks, as scipy.signal.oaconvolve does.

    Parameters
    ----------
    in1, in2, mode, axes, out, parameters, queue
        The parameters of `convolve`.

    Returns
    -------
    ndarray or pyopencl.array.Array
        The convolution that `fftconvolve` returns. `oaconvolve` needs less time and memory for it
        if the inputs have very unlike lengths.

    Raises
    ------
    PlanError, PrecisionError, DeviceMemoryError
        See `convolve`.

    See Also
    --------
    fftconvolve : Convolve by transforms of the whole inputs.

    Notes
    -----
    SciPy adds the overlapping results of blocks; pyclfft transforms overlapping blocks and stores
    each result once (overlap-save).

    Examples
    --------
    >>> import numpy as np
    >>> import pyclfft
    >>> signal = np.ones(100_000, "float32")
    >>> pyclfft.oaconvolve(signal, [0.5, 0.5], mode="same")[1:3]
    array([1., 1.])
    """
    return _spectral(in1, in2, mode, PARTITIONED, axes, out, queue, as_key(parameters))


def choose_conv_method(
    in1: Any, in2: Any, mode: str = "full", measure: bool = False, *, axes: Axes = None
) -> Any:
    """Choose the quickest method of `convolve`, as scipy.signal.choose_conv_method does.

    Parameters
    ----------
    in1, in2, mode, axes
        The parameters of `convolve`.
    measure : bool
        Whether to time every method now. By default the function computes the times from costs that
        were measured before.

    Returns
    -------
    method : {"direct", "fft", "partitioned"}
        The method.
    times : dict of str to float
        The seconds that each method took; only with `measure`.

    Raises
    ------
    PlanError, PrecisionError
        See `convolve`.

    See Also
    --------
    convolve : Convolve by a method.

    Examples
    --------
    >>> import numpy as np
    >>> import pyclfft
    >>> pyclfft.choose_conv_method(np.ones(3), np.ones(3))
    'direct'
    """
    first, second = array_of("in1", in1), array_of("in2", in2)
    dimensions = dimensions_of(first.shape, second.shape, mode, axes)
    queue = queue_for(None, first, second)
    if not measure:
        return _chosen(first, second, dimensions, queue)
    cuts = is_cut(dimensions, _costs(first, second, dimensions, queue))
    times = {
        method: _best_time(first, second, mode, method, axes)
        for method in METHODS
        if cuts or method != PARTITIONED
    }
    return min(times, key=times.__getitem__), times


def _best_time(first: Any, second: Any, mode: str, method: str, axes: Axes) -> float:
    def call() -> None:
        result = convolve(first, second, mode, method, axes=axes)
        if isinstance(result, cl_array.Array):
            cl.wait_for_events(result.events)

    call()  # the first call compiles kernels
    return min(timeit.repeat(call, number=1, repeat=3))


# --- from arguments to a job ----------------------------------------------------------------------


def _exact_or_spectral(
    in1: Any,
    in2: Any,
    mode: str,
    method: str,
    axes: Axes,
    out: Any,
    queue: cl.CommandQueue | None,
    values: Given,
    *,
    correlates: bool,
) -> Any:
    """Convolve or correlate with the result's dtype that NumPy gives to a product."""
    choose("method", method, (AUTO, *METHODS))
    check_mode(mode)
    first, second = array_of("in1", in1), array_of("in2", in2)
    dimensions = dimensions_of(first.shape, second.shape, mode, axes, correlates=correlates)
    if axes is None:
        check_whole_valid(first.shape, second.shape, mode)
    if not first.size or not second.size:
        raise PlanError("there is nothing to convolve: in1 and in2 need at least one element each")
    queue = queue_for(queue, first, second)
    dtype = np.result_type(first.dtype, second.dtype)
    if method == AUTO:
        method = _chosen(first, second, dimensions, queue, values)
    result = convolved(first, second, dimensions, method, dtype, out, queue, correlates, values)
    if method != DIRECT:
        _warn_of_nan(result)
    return result


def _spectral(
    in1: Any,
    in2: Any,
    mode: str,
    method: str,
    axes: Axes,
    out: Any,
    queue: cl.CommandQueue | None,
    values: Given,
) -> Any:
    """Convolve by transforms, with a result of floating-point numbers."""
    first, second = array_of("in1", in1), array_of("in2", in2)
    if first.ndim == second.ndim and not (first.size and second.size):
        return _empty(first, second)
    dimensions = dimensions_of(first.shape, second.shape, mode, axes)
    queue = queue_for(queue, first, second)
    if any(each.convolved for each in dimensions):
        dtype = spectral_dtype(first.dtype, second.dtype)
    else:
        method, dtype = DIRECT, np.result_type(first.dtype, second.dtype)
    return convolved(first, second, dimensions, method, dtype, out, queue, values=values)


def _empty(first: Any, second: Any) -> Any:
    queue = queue_for(None, first, second)
    if any(isinstance(each, cl_array.Array) for each in (first, second)):
        return cl_array.Array(queue, (0,), np.dtype(np.float64))
    return np.array([])


def _chosen(
    first: Any, second: Any, dimensions: Dimensions, queue: cl.CommandQueue, values: Given = ()
) -> str:
    """Return the method for "auto": the quickest one whose results are right."""
    if first.dtype.kind == "b" and second.dtype.kind == "b":
        return DIRECT
    if needs_exact_sums(first, second, min(first.size, second.size)):
        return DIRECT
    registers = in_registers(dimensions, first.dtype, second.dtype)
    return cheapest(dimensions, _costs(first, second, dimensions, queue, values), registers)


def _costs(
    first: Any, second: Any, dimensions: Dimensions, queue: cl.CommandQueue, values: Given = ()
) -> Costs:
    """Return what decides between the methods on the queue's device."""
    precision = precision_of(spectral_dtype(first.dtype, second.dtype))
    parameters = parameters_of(queue.device, dimensions, precision, values)
    return costs_of(describe.traits(queue.device), parameters)


def _warn_of_nan(result: Any) -> None:
    """Warn as SciPy does if a transform has spread NaN or infinity over the result."""
    if isinstance(result, np.ndarray) and not np.isfinite(result.reshape(-1)[0]):
        warnings.warn(
            "Use of fft convolution on input with NAN or inf results in NAN or inf output: take "
            "method='direct', which spoils only the results that depend on them",
            RuntimeWarning,
            stacklevel=4,
        )
