"""What goes with transforms: frequencies, shifts of the origin, lengths that are fast."""

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

# The radices of SciPy's own transforms, which decide what its users get for a fast length.
SCIPY_PRIMES = (2, 3, 5, 7, 11)
SCIPY_REAL_PRIMES = (2, 3, 5)


def _fft_of(xp: Any, device: Any, name: str) -> Callable[[int, float], Any]:
    """Return a function of a namespace's fft extension that makes arrays on a device."""
    if xp is None or xp is np:  # before NumPy 2 its functions do not know of devices
        if device not in (None, "cpu"):
            raise ValueError(f'NumPy makes arrays on the device "cpu" alone, not on {device!r}')
        return getattr(np.fft, name)
    return lambda n, d: getattr(xp.fft, name)(n, d=d, device=device)


def fftfreq(n: int, d: float = 1.0, *, xp: Any = None, device: Any = None) -> Any:
    """Return the frequencies of the points of `fft`.

    Parameters
    ----------
    n : int
        Points.
    d : float
        Distance of two samples; its inverse is the frequencies' unit.
    xp : module, optional
        The array API namespace that makes the array; NumPy by default.
    device : optional
        Where that namespace puts it; of NumPy's only "cpu".

    Returns
    -------
    ndarray, shape (n,)
        float64: 0, 1 .. and then the negative ones, over n d.

    Raises
    ------
    ValueError
        `n` is no integer, or NumPy has no such device.
    ZeroDivisionError
        `n` or `d` is 0.

    See Also
    --------
    rfftfreq : The frequencies of half a spectrum.
    fftshift : Put them in ascending order.

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
        Numbers that are transformed.
    d : float
        Distance of two samples; its inverse is the frequencies' unit.
    xp : module, optional
        The array API namespace that makes the array; NumPy by default.
    device : optional
        Where that namespace puts it; of NumPy's only "cpu".

    Returns
    -------
    ndarray, shape (n // 2 + 1,)
        float64: 0, 1 .. n // 2, over n d.

    Raises
    ------
    ValueError
        `n` is no integer, or NumPy has no such device.
    ZeroDivisionError
        `n` or `d` is 0.

    See Also
    --------
    fftfreq : The frequencies of a whole spectrum.

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
        Axes along which to move; all by default.

    Returns
    -------
    ndarray or pyopencl.array.Array
        A copy.

    Raises
    ------
    ValueError, IndexError
        Axes that `x` lacks.

    See Also
    --------
    ifftshift : Undo it.

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
    ValueError, IndexError
        Axes that `x` lacks.

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
    """Return axes, not negative, along which there is something to move."""
    _, chosen = lengths_and_axes(tuple(max(1, extent) for extent in x.shape), None, axes)
    return tuple(axis for axis in chosen if x.shape[axis])


def next_fast_len(target: int, real: bool = False) -> int:
    """Return the smallest length of at least `target` that SciPy transforms fast.

    Parameters
    ----------
    target : int
        At least 0.
    real : bool
        Whether the length is for a transform of real numbers, such as `rfft`.

    Returns
    -------
    int
        SciPy's number: a length without a prime factor above 11, and for real numbers without one
        above 5; 0 for 0.

    Raises
    ------
    TypeError
        `target` is not an integer.
    ValueError
        `target` is negative.

    See Also
    --------
    prev_fast_len : The largest such length of at most `target`.

    Notes
    -----
    All of these lengths are fast here too. So are others, since pyclfft has kernels for factors up
    to 13, for real numbers as well; it sizes its own convolutions by these.

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
    target, real
        As for `next_fast_len`.

    Returns
    -------
    int
        As of `next_fast_len`.

    Raises
    ------
    TypeError, ValueError
        As for `next_fast_len`.

    See Also
    --------
    next_fast_len : The smallest such length of at least `target`.

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
