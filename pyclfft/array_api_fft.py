"""The fft extension of the Python array API standard, for NumPy and device arrays.

Code that is written for ``xp.fft`` of any array library runs with this namespace. Its functions
differ from `pyclfft`'s functions of the same names where the standard asks for it: options are
passed by keyword only, and the result has the precision of the input. Integers are refused, since
the standard does not say which precision their transform has. Functions that transform complex
numbers take real numbers too, as in other libraries.

References
----------
Consortium for Python Data API Standards, Python array API standard 2024.12, fft extension.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
from numpy.typing import DTypeLike

from . import transforms
from .runtime.forks import require_own_process

Norm = Literal["backward", "ortho", "forward"]

REAL = (np.dtype(np.float32), np.dtype(np.float64))
FLOATING = (*REAL, np.dtype(np.complex64), np.dtype(np.complex128))


def fft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Any:
    """Compute the 1-D discrete Fourier transform along one axis.

    Parameters
    ----------
    x : ndarray or pyopencl.array.Array, shape (..., m, ...)
        float32, float64, complex64 or complex128.
    n : int, optional
        Length to transform; by default the length of `axis`.
    axis : int
        Axis to transform; the last one by default.
    norm : {"backward", "ortho", "forward"}
        Which direction is multiplied by 1/n: with "backward" (the default) the inverse transform,
        with "forward" the forward transform. With "ortho" both are multiplied by the square root of
        the factor.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., n, ...)
        The complex result, in the precision of `x`.

    Raises
    ------
    TypeError
        `x` is no array, or has another dtype.
    ValueError, IndexError, DeviceError
        See `pyclfft.fft`.

    See Also
    --------
    ifft : The inverse.
    rfft : Transform real numbers, with half the work.

    Examples
    --------
    >>> import numpy as np
    >>> from pyclfft import array_api_fft
    >>> array_api_fft.fft(np.ones((2, 4), "complex64"), axis=0).dtype
    dtype('complex64')
    """
    return transforms.fft(_checked(x, FLOATING), n, axis, norm)


def ifft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Any:
    """Compute the inverse of `fft`.

    Parameters
    ----------
    x : ndarray or pyopencl.array.Array, shape (..., m, ...)
        float32, float64, complex64 or complex128.
    n : int, optional
        Length to transform; by default the length of `axis`.
    axis : int
        Axis to transform; the last one by default.
    norm : {"backward", "ortho", "forward"}
        Which direction is multiplied by 1/n: with "backward" (the default) the inverse transform,
        with "forward" the forward transform. With "ortho" both are multiplied by the square root of
        the factor.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., n, ...)
        The complex result, in the precision of `x`.

    Raises
    ------
    TypeError
        `x` is no array, or has another dtype.
    ValueError, IndexError, DeviceError
        See `pyclfft.ifft`.

    See Also
    --------
    fft : The forward transform.

    Examples
    --------
    >>> import numpy as np
    >>> from pyclfft import array_api_fft
    >>> array_api_fft.ifft(np.ones(4, "complex64")).real
    array([1., 0., 0., 0.], dtype=float32)
    """
    return transforms.ifft(_checked(x, FLOATING), n, axis, norm)


def fftn(
    x: Any,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
) -> Any:
    """Compute the discrete Fourier transform along any number of axes.

    Parameters
    ----------
    x : ndarray or pyopencl.array.Array
        float32, float64, complex64 or complex128.
    s : sequence of int, optional
        Length to transform along each of `axes`; by default the lengths of `axes`.
    axes : sequence of int, optional
        Axes to transform. By default the last ``len(s)`` axes, or all of them without `s`.
    norm : {"backward", "ortho", "forward"}
        Which direction is multiplied by 1/n: with "backward" (the default) the inverse transform,
        with "forward" the forward transform. With "ortho" both are multiplied by the square root of
        the factor.

    Returns
    -------
    ndarray or pyopencl.array.Array
        The complex result, in the precision of `x`.

    Raises
    ------
    TypeError
        `x` is no array, or has another dtype.
    ValueError, DeviceError
        See `pyclfft.fftn`.

    See Also
    --------
    ifftn : The inverse.
    rfftn : Transform real numbers, with half the work.

    Examples
    --------
    >>> import numpy as np
    >>> from pyclfft import array_api_fft
    >>> array_api_fft.fftn(np.ones((2, 2), "complex64"))[0].real
    array([4., 0.], dtype=float32)
    """
    return transforms.fftn(_checked(x, FLOATING), s, axes, norm)


def ifftn(
    x: Any,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
) -> Any:
    """Compute the inverse of `fftn`.

    Parameters
    ----------
    x : ndarray or pyopencl.array.Array
        float32, float64, complex64 or complex128.
    s : sequence of int, optional
        Length to transform along each of `axes`; by default the lengths of `axes`.
    axes : sequence of int, optional
        Axes to transform. By default the last ``len(s)`` axes, or all of them without `s`.
    norm : {"backward", "ortho", "forward"}
        Which direction is multiplied by 1/n: with "backward" (the default) the inverse transform,
        with "forward" the forward transform. With "ortho" both are multiplied by the square root of
        the factor.

    Returns
    -------
    ndarray or pyopencl.array.Array
        The complex result, in the precision of `x`.

    Raises
    ------
    TypeError
        `x` is no array, or has another dtype.
    ValueError, DeviceError
        See `pyclfft.ifftn`.

    See Also
    --------
    fftn : The forward transform.

    Examples
    --------
    >>> import numpy as np
    >>> from pyclfft import array_api_fft
    >>> array_api_fft.ifftn(np.ones((2, 2), "complex64"), axes=[0])[:, 0].real
    array([1., 0.], dtype=float32)
    """
    return transforms.ifftn(_checked(x, FLOATING), s, axes, norm)


def rfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Any:
    """Compute the half of the spectrum of real numbers from which the other half follows.

    Parameters
    ----------
    x : ndarray or pyopencl.array.Array, shape (..., m, ...)
        float32 or float64.
    n : int, optional
        Length to transform; by default the length of `axis`.
    axis : int
        Axis to transform; the last one by default.
    norm : {"backward", "ortho", "forward"}
        Which direction is multiplied by 1/n: with "backward" (the default) the inverse transform,
        with "forward" the forward transform. With "ortho" both are multiplied by the square root of
        the factor.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., n // 2 + 1, ...)
        The complex result, in the precision of `x`.

    Raises
    ------
    TypeError
        `x` is no array, or has another dtype.
    ValueError, IndexError, DeviceError
        See `pyclfft.rfft`.

    See Also
    --------
    irfft : The inverse.
    fft : The whole spectrum.

    Examples
    --------
    >>> import numpy as np
    >>> from pyclfft import array_api_fft
    >>> array_api_fft.rfft(np.ones(4, "float32")).real
    array([4., 0., 0.], dtype=float32)
    """
    return transforms.rfft(_checked(x, REAL), n, axis, norm)


def irfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Any:
    """Compute the inverse of `rfft`.

    Parameters
    ----------
    x : ndarray or pyopencl.array.Array, shape (..., m, ...)
        float32, float64, complex64 or complex128.
    n : int, optional
        How many points the result has; 2 (m - 1) by default.
    axis : int
        Axis to transform; the last one by default.
    norm : {"backward", "ortho", "forward"}
        Which direction is multiplied by 1/n: with "backward" (the default) the inverse transform,
        with "forward" the forward transform. With "ortho" both are multiplied by the square root of
        the factor.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., n, ...)
        The real result, in the precision of `x`.

    Raises
    ------
    TypeError
        `x` is no array, or has another dtype.
    ValueError, IndexError, DeviceError
        See `pyclfft.irfft`.

    See Also
    --------
    rfft : The forward transform.

    Examples
    --------
    >>> import numpy as np
    >>> from pyclfft import array_api_fft
    >>> array_api_fft.irfft(np.ones(3, "complex64")).round() + 0
    array([1., 0., 0., 0.], dtype=float32)
    """
    return transforms.irfft(_checked(x, FLOATING), n, axis, norm)


def rfftn(
    x: Any,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
) -> Any:
    """Compute `rfft` along the last of `axes`, and then `fftn` along the others.

    Parameters
    ----------
    x : ndarray or pyopencl.array.Array
        float32 or float64.
    s : sequence of int, optional
        Length to transform along each of `axes`; by default the lengths of `axes`.
    axes : sequence of int, optional
        Axes to transform. By default the last ``len(s)`` axes, or all of them without `s`.
    norm : {"backward", "ortho", "forward"}
        Which direction is multiplied by 1/n: with "backward" (the default) the inverse transform,
        with "forward" the forward transform. With "ortho" both are multiplied by the square root of
        the factor.

    Returns
    -------
    ndarray or pyopencl.array.Array
        The complex result, in the precision of `x`. For a length n, the last of the transformed
        axes has n // 2 + 1 points.

    Raises
    ------
    TypeError
        `x` is no array, or has another dtype.
    ValueError, DeviceError
        See `pyclfft.rfftn`.

    See Also
    --------
    irfftn : The inverse.
    fftn : The whole spectrum.

    Examples
    --------
    >>> import numpy as np
    >>> from pyclfft import array_api_fft
    >>> array_api_fft.rfftn(np.ones((2, 4), "float32")).shape
    (2, 3)
    """
    return transforms.rfftn(_checked(x, REAL), s, axes, norm)


def irfftn(
    x: Any,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
) -> Any:
    """Compute the inverse of `rfftn`.

    Parameters
    ----------
    x : ndarray or pyopencl.array.Array
        float32, float64, complex64 or complex128.
    s : sequence of int, optional
        Lengths of the result along `axes`. By default they are the lengths of `axes`, but along the
        last axis 2 (m - 1), where `x` has m points there.
    axes : sequence of int, optional
        Axes to transform. By default the last ``len(s)`` axes, or all of them without `s`.
    norm : {"backward", "ortho", "forward"}
        Which direction is multiplied by 1/n: with "backward" (the default) the inverse transform,
        with "forward" the forward transform. With "ortho" both are multiplied by the square root of
        the factor.

    Returns
    -------
    ndarray or pyopencl.array.Array
        The real result, in the precision of `x`.

    Raises
    ------
    TypeError
        `x` is no array, or has another dtype.
    ValueError, DeviceError
        See `pyclfft.irfftn`.

    See Also
    --------
    rfftn : The forward transform.

    Examples
    --------
    >>> import numpy as np
    >>> from pyclfft import array_api_fft
    >>> array_api_fft.irfftn(np.ones((2, 3), "complex64"), s=[2, 5], axes=[0, 1]).shape
    (2, 5)
    """
    return transforms.irfftn(_checked(x, FLOATING), s, axes, norm)


def hfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Any:
    """Compute the real spectrum of a Hermitian array, of which `x` is the first half.

    Parameters
    ----------
    x : ndarray or pyopencl.array.Array, shape (..., m, ...)
        float32, float64, complex64 or complex128.
    n : int, optional
        How many points the result has; 2 (m - 1) by default.
    axis : int
        Axis to transform; the last one by default.
    norm : {"backward", "ortho", "forward"}
        Which direction is multiplied by 1/n: with "backward" (the default) the inverse transform,
        with "forward" the forward transform. With "ortho" both are multiplied by the square root of
        the factor.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., n, ...)
        The real result, in the precision of `x`.

    Raises
    ------
    TypeError
        `x` is no array, or has another dtype.
    ValueError, IndexError, DeviceError
        See `pyclfft.hfft`.

    See Also
    --------
    ihfft : The inverse.

    Examples
    --------
    >>> import numpy as np
    >>> from pyclfft import array_api_fft
    >>> array_api_fft.hfft(np.ones(3, "complex64")).round() + 0
    array([4., 0., 0., 0.], dtype=float32)
    """
    return transforms.hfft(_checked(x, FLOATING), n, axis, norm)


def ihfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Any:
    """Compute the inverse of `hfft`.

    Parameters
    ----------
    x : ndarray or pyopencl.array.Array, shape (..., m, ...)
        float32 or float64.
    n : int, optional
        Length to transform; by default the length of `axis`.
    axis : int
        Axis to transform; the last one by default.
    norm : {"backward", "ortho", "forward"}
        Which direction is multiplied by 1/n: with "backward" (the default) the inverse transform,
        with "forward" the forward transform. With "ortho" both are multiplied by the square root of
        the factor.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., n // 2 + 1, ...)
        The complex result, in the precision of `x`.

    Raises
    ------
    TypeError
        `x` is no array, or has another dtype.
    ValueError, IndexError, DeviceError
        See `pyclfft.ihfft`.

    See Also
    --------
    hfft : The forward transform.

    Examples
    --------
    >>> import numpy as np
    >>> from pyclfft import array_api_fft
    >>> array_api_fft.ihfft(np.ones(4, "float32")).real
    array([1., 0., 0.], dtype=float32)
    """
    return transforms.ihfft(_checked(x, REAL), n, axis, norm)


def fftfreq(
    n: int, /, *, d: float = 1.0, dtype: DTypeLike | None = None, device: Any = None
) -> Any:
    """Return the frequencies of the points of `fft`.

    Parameters
    ----------
    n : int
        The number of points.
    d : float
        The distance of two samples.
    dtype : dtype, optional
        The dtype of the result: float32, or float64, which is the default.
    device : {None, "cpu"} or cl.CommandQueue
        Where the result is to be. For a queue it is a device array on that queue, otherwise a NumPy
        array.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (n,)
        The frequencies: 0, 1 .. and then the negative ones, each divided by n d.

    Raises
    ------
    TypeError
        `dtype` is neither float32 nor float64.
    ValueError
        `n` is no integer, or the device is unknown.
    ZeroDivisionError
        `n` or `d` is 0.

    See Also
    --------
    rfftfreq : Return the frequencies of half a spectrum.

    Examples
    --------
    >>> from pyclfft import array_api_fft
    >>> array_api_fft.fftfreq(4, d=0.25, dtype="float32")
    array([ 0.,  1., -2., -1.], dtype=float32)
    """
    return _placed(transforms.fftfreq(n, d), dtype, device)


def rfftfreq(
    n: int, /, *, d: float = 1.0, dtype: DTypeLike | None = None, device: Any = None
) -> Any:
    """Return the frequencies of the points of `rfft`.

    Parameters
    ----------
    n : int
        How many numbers are transformed.
    d : float
        The distance of two samples.
    dtype : dtype, optional
        The dtype of the result: float32, or float64, which is the default.
    device : {None, "cpu"} or cl.CommandQueue
        Where the result is to be. For a queue it is a device array on that queue, otherwise a NumPy
        array.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (n // 2 + 1,)
        The frequencies 0, 1 .. n // 2, each divided by n d.

    Raises
    ------
    TypeError
        `dtype` is neither float32 nor float64.
    ValueError
        `n` is no integer, or the device is unknown.
    ZeroDivisionError
        `n` or `d` is 0.

    See Also
    --------
    fftfreq : Return the frequencies of a whole spectrum.

    Examples
    --------
    >>> from pyclfft import array_api_fft
    >>> array_api_fft.rfftfreq(4, d=0.25)
    array([0., 1., 2.])
    """
    return _placed(transforms.rfftfreq(n, d), dtype, device)


def fftshift(x: Any, /, *, axes: int | Sequence[int] | None = None) -> Any:
    """Move the frequency 0 to the middle.

    Parameters
    ----------
    x : ndarray or pyopencl.array.Array
        Input of any dtype.
    axes : int or sequence of int, optional
        Axes along which to move; all of them by default.

    Returns
    -------
    ndarray or pyopencl.array.Array
        A new array with the moved elements.

    Raises
    ------
    TypeError
        `x` is no array.
    ValueError, IndexError
        `x` lacks an axis.

    See Also
    --------
    ifftshift : Undo the shift.

    Examples
    --------
    >>> import numpy as np
    >>> from pyclfft import array_api_fft
    >>> array_api_fft.fftshift(np.arange(4))
    array([2, 3, 0, 1])
    """
    return transforms.fftshift(_array(x), axes)


def ifftshift(x: Any, /, *, axes: int | Sequence[int] | None = None) -> Any:
    """Undo `fftshift`.

    Parameters
    ----------
    x : ndarray or pyopencl.array.Array
        Input of any dtype.
    axes : int or sequence of int, optional
        Axes along which to move; all of them by default.

    Returns
    -------
    ndarray or pyopencl.array.Array
        A new array with the moved elements.

    Raises
    ------
    TypeError
        `x` is no array.
    ValueError, IndexError
        `x` lacks an axis.

    See Also
    --------
    fftshift : Move the frequency 0 to the middle.

    Examples
    --------
    >>> import numpy as np
    >>> from pyclfft import array_api_fft
    >>> array_api_fft.ifftshift(np.arange(3))
    array([1, 2, 0])
    """
    return transforms.ifftshift(_array(x), axes)


def _array(x: Any) -> Any:
    if not hasattr(x, "dtype"):
        raise TypeError(f"x must be an array, not a {type(x).__name__}: pass numpy.asarray(x)")
    return x


def _checked(x: Any, allowed: Sequence[np.dtype]) -> Any:
    """Return an array if its dtype is allowed, otherwise refuse it."""
    if _array(x).dtype not in allowed:
        names = ", ".join(str(each) for each in allowed)
        raise TypeError(f"x must be one of {names}, not {x.dtype}: convert it with x.astype")
    return x


def _placed(frequencies: np.ndarray, dtype: DTypeLike | None, device: Any) -> Any:
    """Return frequencies converted to a dtype, on the host or on a queue."""
    wanted = np.dtype(np.float64 if dtype is None else dtype)
    if wanted not in REAL:
        raise TypeError(f"dtype must be float32 or float64, not {wanted}")
    values = frequencies.astype(wanted, copy=False)
    if isinstance(device, cl.CommandQueue):
        require_own_process()
        return cl_array.to_device(device, values)
    if device not in (None, "cpu"):
        raise ValueError(f'device must be None, "cpu" or a queue of pyopencl, not {device!r}')
    return values


__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]
