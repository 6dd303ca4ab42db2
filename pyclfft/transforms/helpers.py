"""What goes with transforms: frequencies, shifts of the origin, lengths that are fast."""

from __future__ import annotations

import operator
from typing import Any, cast

import numpy as np
import pyopencl.array as cl_array
from numpy.typing import ArrayLike

from ..planning import factor
from ..planning.problem import lengths_and_axes
from ..runtime.shift import rolled
from .call import Shape


def fftfreq(n: int, d: float = 1.0) -> np.ndarray:
    """Return the frequencies of the points of `fft`.

    Parameters
    ----------
    n : int
        Points.
    d : float
        Distance of two samples; its inverse is the frequencies' unit.

    Returns
    -------
    ndarray, shape (n,)
        float64: 0, 1 .. and then the negative ones, over n d.

    Raises
    ------
    ValueError
        `n` is no integer, or 0.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.fftfreq(4, d=0.5)
    array([ 0. ,  0.5, -1. , -0.5])
    """
    return np.fft.fftfreq(n, d)


def rfftfreq(n: int, d: float = 1.0) -> np.ndarray:
    """Return the frequencies of the points of `rfft`: as `fftfreq`, from 0 to n // 2 over n d.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.rfftfreq(4, d=0.5)
    array([0. , 0.5, 1. ])
    """
    return np.fft.rfftfreq(n, d)


def fftshift(x: ArrayLike | cl_array.Array, axes: Shape = None) -> Any:
    """Move the frequency 0 to the middle.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array
        Input of any dtype.
    axes : int or sequence of int, optional
        Axes along which to move; all by default.

    Returns
    -------
    ndarray or pyopencl.array.Array
        A copy.

    Raises
    ------
    ValueError
        Axes that `x` lacks.

    Notes
    -----
    Of a device array one launch moves all axes at once, of elements of 1, 2, 4, 8 or 16 bytes.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.fftshift(pyclfft.fftfreq(4, d=0.25))
    array([-2., -1.,  0.,  1.])
    """
    if not isinstance(x, cl_array.Array):
        return np.fft.fftshift(cast("Any", x), cast("Any", axes))
    return rolled(x, {axis: x.shape[axis] // 2 for axis in _axes(x, axes)})


def ifftshift(x: ArrayLike | cl_array.Array, axes: Shape = None) -> Any:
    """Undo `fftshift`, also along an axis of an odd length.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.ifftshift([-1, 0, 1])
    array([ 0,  1, -1])
    """
    if not isinstance(x, cl_array.Array):
        return np.fft.ifftshift(cast("Any", x), cast("Any", axes))
    return rolled(x, {axis: (x.shape[axis] + 1) // 2 % x.shape[axis] for axis in _axes(x, axes)})


def _axes(x: Any, axes: Shape) -> tuple[int, ...]:
    """Return axes, not negative, along which there is something to move."""
    _, chosen = lengths_and_axes(tuple(max(1, extent) for extent in x.shape), None, axes)
    return tuple(axis for axis in chosen if x.shape[axis])


def next_fast_len(target: int, real: bool = False) -> int:
    """Return the smallest length of at least `target` that is transformed fast.

    Parameters
    ----------
    target : int
        At least 0.
    real : bool
        As in SciPy; the same lengths are fast for real numbers here.

    Returns
    -------
    int
        Without a prime factor above 13.

    Raises
    ------
    TypeError, ValueError
        `target` is no integer, or negative.

    Notes
    -----
    SciPy's lengths have no prime factor above 11, and for real numbers above 5.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.next_fast_len(10007)
    10010
    """
    return factor.next_fast_len(max(1, _length(target)))


def prev_fast_len(target: int, real: bool = False) -> int:
    """Return the largest length of at most `target` that is transformed fast; see `next_fast_len`.

    Raises
    ------
    ValueError
        `target` is below 1.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.prev_fast_len(10007)
    10000
    """
    length = _length(target)
    if length < 1:
        raise ValueError(f"target is {length}, should be positive: there is no shorter length")
    return factor.previous_fast_len(length)


def _length(target: Any) -> int:
    length = operator.index(target)
    if length < 0:
        raise ValueError(f"target is {length}, cannot be negative")
    return length
