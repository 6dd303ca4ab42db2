"""Real and Hermitian Fourier transforms with SciPy's signatures.

A real array's spectrum is its own mirror image, conjugated, so that half of it says all: n // 2 + 1
points along the last transformed axis. `rfft` and its relatives leave that half, and `irfft` takes
it; `hfft` takes the half of an array that is Hermitian itself, whose spectrum is real, and `ihfft`
leaves it.
"""

from __future__ import annotations

from typing import Any

import pyopencl.array as cl_array
from numpy.typing import ArrayLike

from .call import Shape, along_axes, along_axis


def rfft(
    x: ArrayLike | cl_array.Array,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
) -> Any:
    """Compute the half of a real array's spectrum that says all, along one axis.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array, shape (..., m, ...)
        Input, real. float32 (and float16) is transformed in single precision, all else in double.
    n : int, optional
        Numbers to transform: the input is cropped or padded with zeros at its end to it. The length
        of `axis` by default.
    axis : int
        Axis to transform.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction carries the factor 1/n; "backward", the inverse, by default.
    overwrite_x, workers, plan
        As for `fft`.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., n // 2 + 1, ...)
        complex64 or complex128.

    Raises
    ------
    TypeError
        Complex input.
    ValueError, IndexError, PrecisionError, DeviceError
        As for `fft`.

    Notes
    -----
    Half the memory of `fft`, and half the work if the length is even or has a prime factor from 3
    to 13. Rows are independent: neither rounding errors nor NaNs pass from one to another.

    References
    ----------
    J. W. Cooley, P. A. W. Lewis, P. D. Welch, J. Sound Vib. 12 (1970), for even lengths;
    H. V. Sorensen, D. L. Jones, M. T. Heideman, C. S. Burrus, IEEE Trans. ASSP-35 (1987).

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.rfft([1, 0, 0, 0]).real
    array([1., 1., 1.])
    """
    return along_axis("r2c", "forward", x, n, axis, norm, workers, plan)


def irfft(
    x: ArrayLike | cl_array.Array,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
) -> Any:
    """Compute the inverse of `rfft` along one axis.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array, shape (..., m, ...)
        The first half of a Hermitian spectrum. Imaginary parts where it has to be real, at 0 and at
        n/2, are not used.
    n : int, optional
        Numbers of the result, of which `x` gives n // 2 + 1 points, cropped or padded with zeros at
        their end. 2 (m - 1) by default.
    axis, norm, overwrite_x, workers, plan
        As for `rfft`.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., n, ...)
        float32 or float64.

    Raises
    ------
    ValueError, IndexError, PrecisionError, DeviceError
        As for `fft`.

    Notes
    -----
    The steps of `rfft` the other way round, at half the work of `ifft`.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.irfft([4, 0, 0])
    array([1., 1., 1., 1.])
    """
    return along_axis("c2r", "inverse", x, n, axis, norm, workers, plan)


def rfft2(
    x: ArrayLike | cl_array.Array,
    s: Shape = None,
    axes: Shape = (-2, -1),
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
) -> Any:
    """Compute `rfftn` over the last two axes by default; all else is as there.

    Examples
    --------
    >>> import numpy as np, pyclfft
    >>> pyclfft.rfft2(np.ones((2, 4))).shape
    (2, 3)
    """
    return along_axes("r2c", "forward", x, s, axes, norm, workers, plan)


def irfft2(
    x: ArrayLike | cl_array.Array,
    s: Shape = None,
    axes: Shape = (-2, -1),
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
) -> Any:
    """Compute `irfftn` over the last two axes by default; all else is as there.

    Examples
    --------
    >>> import numpy as np, pyclfft
    >>> pyclfft.irfft2(np.ones((2, 3))).shape
    (2, 4)
    """
    return along_axes("c2r", "inverse", x, s, axes, norm, workers, plan)


def rfftn(
    x: ArrayLike | cl_array.Array,
    s: Shape = None,
    axes: Shape = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
) -> Any:
    """Compute the half of a real array's spectrum that says all, along several axes.

    That is `rfft` along the last one, and then `fft` along the others.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array
        Input, real.
    s : int or sequence of int, optional
        Numbers to transform along each of `axes`, of the real array; -1 leaves a length as it is.
    axes : int or sequence of int, optional
        Axes to transform; the last ``len(s)``, or all, by default.
    norm, overwrite_x, workers, plan
        As for `rfft`.

    Returns
    -------
    ndarray or pyopencl.array.Array

    Raises
    ------
    ValueError
        No axis, or what `fftn` refuses.
    TypeError, PrecisionError, DeviceError
        As for `rfft`.

    Notes
    -----
    Half a spectrum goes along the other axes, so that they are half the work too.

    Examples
    --------
    >>> import numpy as np, pyclfft
    >>> pyclfft.rfftn(np.ones((2, 2, 2))).shape
    (2, 2, 2)
    """
    return along_axes("r2c", "forward", x, s, axes, norm, workers, plan)


def irfftn(
    x: ArrayLike | cl_array.Array,
    s: Shape = None,
    axes: Shape = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
) -> Any:
    """Compute the inverse of `rfftn`: `ifft` along all axes but the last one, then `irfft`.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array
        The half of a Hermitian spectrum.
    s : int or sequence of int, optional
        Numbers to transform along each of `axes`, of the real array; -1 leaves a length as it is.
    axes : int or sequence of int, optional
        Axes to transform; the last ``len(s)``, or all, by default.
    norm, overwrite_x, workers, plan
        As for `irfft`.

    Returns
    -------
    ndarray or pyopencl.array.Array

    Raises
    ------
    ValueError
        No axis, or what `fftn` refuses.
    TypeError, PrecisionError, DeviceError
        As for `irfft`.

    Notes
    -----
    The last axis is transformed last, since only then the rest is a real array's half spectrum.

    Examples
    --------
    >>> import numpy as np, pyclfft
    >>> x = np.eye(4)
    >>> np.allclose(pyclfft.irfftn(pyclfft.rfftn(x)), x)
    True
    """
    return along_axes("c2r", "inverse", x, s, axes, norm, workers, plan)


def hfft(
    x: ArrayLike | cl_array.Array,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
) -> Any:
    """Compute the real spectrum of a Hermitian array, of which the first half is given.

    Parameters
    ----------
    x, n, axis, norm, overwrite_x, workers, plan
        As for `irfft`, of which this is the forward transform: it has no factor by default.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., n, ...)
        float32 or float64.

    Raises
    ------
    ValueError, IndexError, PrecisionError, DeviceError
        As for `fft`.

    Notes
    -----
    `irfft` with the other sign of the exponent: kernels conjugate what they load.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.hfft([1, 0, 0])
    array([1., 1., 1., 1.])
    """
    return along_axis("c2r", "forward", x, n, axis, norm, workers, plan)


def ihfft(
    x: ArrayLike | cl_array.Array,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
) -> Any:
    """Compute the inverse of `hfft`: the first half of what has a given real spectrum.

    Parameters and errors are those of `rfft`, of which this is the inverse direction: it has the
    factor 1/n by default.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., n // 2 + 1, ...)
        complex64 or complex128.

    Notes
    -----
    `rfft` with the other sign of the exponent: kernels conjugate what they store.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.ihfft([4, 0, 0, 0]).real
    array([1., 1., 1.])
    """
    return along_axis("r2c", "inverse", x, n, axis, norm, workers, plan)


def hfft2(
    x: ArrayLike | cl_array.Array,
    s: Shape = None,
    axes: Shape = (-2, -1),
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
) -> Any:
    """Compute `hfftn` over the last two axes by default; all else is as there.

    Examples
    --------
    >>> import numpy as np, pyclfft
    >>> pyclfft.hfft2(np.ones((2, 3))).shape
    (2, 4)
    """
    return along_axes("c2r", "forward", x, s, axes, norm, workers, plan)


def ihfft2(
    x: ArrayLike | cl_array.Array,
    s: Shape = None,
    axes: Shape = (-2, -1),
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
) -> Any:
    """Compute `ihfftn` over the last two axes by default; all else is as there.

    Examples
    --------
    >>> import numpy as np, pyclfft
    >>> pyclfft.ihfft2(np.ones((2, 4))).shape
    (2, 3)
    """
    return along_axes("r2c", "inverse", x, s, axes, norm, workers, plan)


def hfftn(
    x: ArrayLike | cl_array.Array,
    s: Shape = None,
    axes: Shape = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
) -> Any:
    """Compute the real spectrum of a Hermitian array along several axes.

    That is `fft` along all but the last one, and then `hfft`.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array
        The half of a Hermitian array.
    s : int or sequence of int, optional
        Numbers to transform along each of `axes`, of the real array; -1 leaves a length as it is.
    axes : int or sequence of int, optional
        Axes to transform; the last ``len(s)``, or all, by default.
    norm, overwrite_x, workers, plan
        As for `hfft`.

    Returns
    -------
    ndarray or pyopencl.array.Array

    Raises
    ------
    ValueError
        No axis, or what `fftn` refuses.
    TypeError, PrecisionError, DeviceError
        As for `hfft`.

    Examples
    --------
    >>> import numpy as np, pyclfft
    >>> pyclfft.hfftn(np.ones((2, 3))).shape
    (2, 4)
    """
    return along_axes("c2r", "forward", x, s, axes, norm, workers, plan)


def ihfftn(
    x: ArrayLike | cl_array.Array,
    s: Shape = None,
    axes: Shape = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
) -> Any:
    """Compute the inverse of `hfftn`: `ihfft` along the last axis, then `ifft` along the others.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array
        Input, real.
    s : int or sequence of int, optional
        Numbers to transform along each of `axes`, of the real array; -1 leaves a length as it is.
    axes : int or sequence of int, optional
        Axes to transform; the last ``len(s)``, or all, by default.
    norm, overwrite_x, workers, plan
        As for `ihfft`.

    Returns
    -------
    ndarray or pyopencl.array.Array

    Raises
    ------
    ValueError
        No axis, or what `fftn` refuses.
    TypeError, PrecisionError, DeviceError
        As for `ihfft`.

    Examples
    --------
    >>> import numpy as np, pyclfft
    >>> x = np.eye(4)
    >>> np.allclose(pyclfft.hfftn(pyclfft.ihfftn(x)), x)
    True
    """
    return along_axes("r2c", "inverse", x, s, axes, norm, workers, plan)
