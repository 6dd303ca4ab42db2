"""Transforms of host arrays that are larger than a device, into arrays that the caller gives."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..errors import PlanError
from ..planning.precision import COMPLEX_DTYPE, READABLE
from ..planning.problem import lengths_and_axes, logical_shape, make_problem
from ..runtime import memory
from ..runtime.limit import checked
from ..runtime.limit import max_device_bytes as current_limit
from ..runtime.operation import queue_for
from ..runtime.pieces import Request, room_of, transform
from .call import readable_dtype


def transform_in_pieces(
    x: Any,
    out: Any = None,
    axes: int | Iterable[int] | None = None,
    kind: str = "c2c",
    direction: str = "forward",
    norm: str | None = "backward",
    *,
    s: int | Iterable[int] | None = None,
    orthogonalize: bool | None = None,
    max_device_bytes: int | None = None,
    progress: bool = True,
    queue: cl.CommandQueue | None = None,
) -> Any:
    """Transform an array of the host that may be larger than the device's memory, or a file.

    The array goes through the device in pieces. While one is computed, the next is uploaded and the
    last one downloaded. Functions such as `fft` go this way by themselves if an array does not
    fit the device. This function also writes into a given array, and takes arrays that do not fit
    the host's memory.

    Parameters
    ----------
    x : ndarray, numpy.memmap, zarr array or another array with a shape, a dtype and slices
        The input: real or complex numbers. It is read piece by piece and never as a whole, unless a
        single row of an array that is not NumPy's has to be cut.
    out : like x, optional
        The array that receives the result, of the result's shape and dtype; a new NumPy array by
        default. With ``out=x`` the result replaces the input, step by step.
    axes, kind, direction, norm, s, orthogonalize
        The parameters of `Plan`. The shape of kind "c2r" is that of the result: without `s` the
        last of `axes` has ``2 * (m - 1)`` points for m of the input.
    max_device_bytes : int, optional
        How many bytes the pieces and their workspace may take on the device in all. The default is
        the limit that `limit_device_memory` has set, or else three quarters of the device's memory.
    progress : bool
        Whether a progress bar may be shown. It is on stderr, on terminals only, and only for
        transforms that take longer than two seconds.
    queue : cl.CommandQueue, optional
        A queue of the context to run in; the pieces have queues of their own. The default is the
        queue of the default device.

    Returns
    -------
    ndarray or `out`
        The result. Its dtype has the precision in which `fft` transforms `x`.

    Raises
    ------
    PlanError
        A ValueError: the arguments contradict each other, or `out` has another shape or dtype than
        the result, is read-only, or shares memory with `x` without being the same array.
    DeviceMemoryError
        A MemoryError: a single row is too long for a piece and has no two factors that are short
        enough. Nothing has been written.
    DeviceError
        The device did not do its work.

    See Also
    --------
    limit_device_memory : Let all functions use pieces of a bounded size.
    Plan : A transform of an array that fits the device.

    Notes
    -----
    A batch of rows, or all axes that fit a piece together, cross the link to the device once each
    way. If several axes do not fit a piece together, or a single row does not fit one, the array
    crosses the link twice each way. A row that is cut needs as much memory on the host once more,
    unless it is complex and its length has a large square factor.

    If an error or Control-C interrupts the transform, the input is as it was before and `out` holds
    parts of the result. With ``out=x`` the array then holds neither the input nor the result, so
    keep a copy of an input that you cannot read again.

    References
    ----------
    D. H. Bailey, "FFTs in external or hierarchical memory", Journal of Supercomputing 4 (1990)
    23-35.

    Examples
    --------
    >>> import numpy as np
    >>> import pyclfft
    >>> x = np.ones((16, 4096), "complex64")
    >>> pyclfft.transform_in_pieces(x, out=x, axes=1, max_device_bytes=2**19) is x
    True
    >>> x[3, :2].real
    array([4096.,    0.], dtype=float32)
    """
    if isinstance(x, cl_array.Array):
        raise PlanError("x is on the device already: call fft or a Plan, or pass x.get()")
    if not (hasattr(x, "shape") and hasattr(x, "dtype") and hasattr(x, "__getitem__")):
        x = np.asarray(x)
    dtype = readable_dtype(np.dtype(x.dtype))
    precision, real = READABLE[dtype]
    if kind == "c2r" and real:
        dtype = COMPLEX_DTYPE[precision]
    _, chosen = lengths_and_axes(x.shape, s, axes)
    if not chosen:
        raise PlanError("at least 1 axis must be transformed")
    problem = make_problem(
        logical_shape(kind, x.shape, chosen), dtype, chosen, kind, direction, norm, s=s,
        orthogonalize=orthogonalize,
    )  # fmt: skip
    shape = problem.target.shape
    if out is None:
        out = memory.empty(shape, problem.dtype)
    else:
        _require_fitting(x, out, shape, problem.dtype)
    limit = current_limit() if max_device_bytes is None else checked(max_device_bytes)
    if 0 in x.shape:  # if there is a result, it is all padding
        out[...] = 0
        return out
    lengths = tuple(problem.shape[axis] for axis in chosen)
    request = Request(
        kind, direction, norm or "backward", chosen, lengths, precision, orthogonalize
    )
    transform(x, out, request, room_of(queue_for(queue).context, limit), quiet=not progress)
    return out


def _require_fitting(x: Any, out: Any, shape: tuple[int, ...], dtype: np.dtype) -> None:
    """Refuse an array that cannot receive the result.

    Raises
    ------
    PlanError
        It has another shape or dtype, is read-only, or overlaps the input.
    """
    if isinstance(out, cl_array.Array):
        raise PlanError("out is on the device: pass an array of the host")
    if tuple(out.shape) != shape or np.dtype(out.dtype) != dtype:
        raise PlanError(
            f"out must be {dtype} of shape {shape}, not {out.dtype} of shape {tuple(out.shape)}"
        )
    if out is x or not isinstance(out, np.ndarray):
        return
    if not out.flags.writeable:
        raise PlanError("out is read-only: pass an array that can be written to")
    if isinstance(x, np.ndarray) and np.may_share_memory(x, out):
        raise PlanError("out overlaps x: pass x itself, or an array with memory of its own")
