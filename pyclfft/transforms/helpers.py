"""Functions that go with transforms: frequencies, shifts of the origin, lengths that are fast."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pyopencl.array as cl_array
from numpy.typing import ArrayLike

from ..planning import factor
from ..planning.problem import lengths_and_axes
from ..runtime.shift import rolled
from .call import Shape

# The radices of SciPy's own transforms, by which SciPy says which lengths are fast.
SCIPY_PRIMES = (2, 3, 5, 7, 11)
SCIPY_REAL_PRIMES = (2, 3, 5)


def _fft_of(xp: Any, device: Any, name: str) -> Callable[[int, float], Any]:
    """Return a function of an array API namespace's fft extension that makes arrays on a device."""
    if xp is None or xp is np:  # the functions of NumPy 1 have no parameter `device`
        if device not in (None, "cpu"):
            raise ValueError(f'NumPy makes arrays on the device "cpu" alone, not on {device!r}')
        return getattr(np.fft, name)
    return lambda n, d: getattr(xp.fft, name)(n, d=d, device=device)


def fftfreq(n: int, d: float = 1.0, *, xp: Any = None, device: Any = None) -> Any:
    """Return the frequencies of the points of `fft`.

    Parameters
    ----------
    n : int
        The number of points.
    d : float
        The distance of two samples; frequencies are in its inverse unit.
    xp : module, optional
        The array API namespace that makes the array; NumPy by default.
    device : optional
        The device on which the namespace makes the array. NumPy's only device is "cpu".

    Returns
    -------
    ndarray, shape (n,)
        The frequencies: 0, 1 .. and then the negative ones, each divided by n d. NumPy's array is
        float64.

    Raises
    ------
    ValueError
        `n` is no integer, or NumPy does not have the device.
    ZeroDivisionError
        `n` or `d` is 0.

    See Also
    --------
    rfftfreq : Return the frequencies of half a spectrum.
    fftshift : Put the frequencies in ascending order.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.fftfreq(4, d=0.5)
    array([ 0. ,  0.5, -1. , -0.5])
    """
    return _fft_of(xp, device, "fftfreq")(n, d)


def rfftfreq(n: int, d: float = 1.0, *, xp: Any = None, device: Any = None) -> Any:
    """Return the frequencies of the points of `rfft`.

    Parameters
    ----------
    n : int
        How many numbers are transformed.
    d : float
        The distance of two samples; frequencies are in its inverse unit.
    xp : module, optional
        The array API namespace that makes the array; NumPy by default.
    device : optional
        The device on which the namespace makes the array. NumPy's only device is "cpu".

    Returns
    -------
    ndarray, shape (n // 2 + 1,)
        The frequencies 0, 1 .. n // 2, each divided by n d. NumPy's array is float64.

    Raises
    ------
    ValueError
        `n` is no integer, or NumPy does not have the device.
    ZeroDivisionError
        `n` or `d` is 0.

    See Also
    --------
    fftfreq : Return the frequencies of a whole spectrum.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.rfftfreq(4, d=0.5)
    array([0. , 0.5, 1. ])
    """
    return _fft_of(xp, device, "rfftfreq")(n, d)


def fftshift(x: ArrayLike | cl_array.Array, axes: Shape = None) -> Any:
    """Move the frequency 0 to the middle.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array
        Input of any dtype.
    axes : int or sequence of int, optional
        Axes along which to move; all of them by default.

    Returns
    -------
    ndarray or pyopencl.array.Array
        A new array with the moved elements.

    Raises
    ------
    ValueError, IndexError
        `x` lacks an axis.

    See Also
    --------
    ifftshift : Undo the shift.

    Notes
    -----
    In a device array, whose elements must have 1, 2, 4, 8 or 16 bytes, one launch moves the
    elements along all axes at once.

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

    Parameters
    ----------
    x : array_like or pyopencl.array.Array
        Input of any dtype.
    axes : int or sequence of int, optional
        Axes along which to move; all of them by default.

    Returns
    -------
    ndarray or pyopencl.array.Array
        A new array with the moved elements.

    Raises
    ------
    ValueError, IndexError
        `x` lacks an axis.

    See Also
    --------
    fftshift : Move the frequency 0 to the middle.

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
    """Return the axes, as numbers that are not negative, along which `x` has elements."""
    _, chosen = lengths_and_axes(tuple(max(1, extent) for extent in x.shape), None, axes)
    return tuple(axis for axis in chosen if x.shape[axis])


def next_fast_len(target: int, real: bool = False) -> int:
    """Return the smallest length of at least `target` that SciPy transforms fast.

    Parameters
    ----------
    target : int
        The length that is needed, at least 0.
    real : bool
        Whether the length is for a transform of real numbers, such as `rfft`.

    Returns
    -------
    int
        The length that SciPy returns: it has no prime factor above 11, and for real numbers none
        above 5. For 0 it is 0.

    Raises
    ------
    TypeError
        `target` is not an integer.
    ValueError
        `target` is negative.

    See Also
    --------
    prev_fast_len : Return the largest fast length of at most `target`.

    Notes
    -----
    All of these lengths are fast in pyclfft too. So are lengths with prime factors up to 13, also
    for real numbers, since pyclfft has kernels for these factors. The lengths of its own
    convolutions have prime factors up to 13.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.next_fast_len(13)
    14
    >>> pyclfft.next_fast_len(7, real=True)
    8
    """
    length = _length(target)
    return factor.next_fast_len(length, _primes(real)) if length else 0


def prev_fast_len(target: int, real: bool = False) -> int:
    """Return the largest length of at most `target` that SciPy transforms fast.

    Parameters
    ----------
    target : int
        The greatest length that is allowed, at least 0.
    real : bool
        Whether the length is for a transform of real numbers, such as `rfft`.

    Returns
    -------
    int
        The length that SciPy returns: it has no prime factor above 11, and for real numbers none
        above 5. For 0 it is 0.

    Raises
    ------
    TypeError
        `target` is not an integer.
    ValueError
        `target` is negative.

    See Also
    --------
    next_fast_len : Return the smallest fast length of at least `target`.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.prev_fast_len(10007)
    10000
    """
    length = _length(target)
    return factor.previous_fast_len(length, _primes(real)) if length else 0


def _length(target: Any) -> int:
    length = operator.index(target)
    if length < 0:
        raise ValueError(f"target is {length}, must be 0 or more")
    return length


def _primes(real: bool) -> tuple[int, ...]:
    return SCIPY_REAL_PRIMES if real else SCIPY_PRIMES
