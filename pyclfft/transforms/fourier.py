"""Complex Fourier transforms with SciPy's signatures: NumPy or device arrays in and out."""

from __future__ import annotations

from typing import Any

import pyopencl.array as cl_array
from numpy.typing import ArrayLike

from .call import Shape, along_axes, along_axis


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
        precision, all other dtypes in double.
    n : int, optional
        Length to transform. The input is cropped to it, or padded with zeros at its end. The length
        of `axis` by default.
    axis : int
        Axis to transform; the last one by default.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction carries the factor 1/n: "backward", the inverse, by default; "ortho" gives
        both its square root.
    overwrite_x : bool
        Permission to destroy `x`, of which no use is made.
    workers : int, optional
        As in SciPy; the device uses all of its compute units whatever it says. The how-to guide to
        devices says how to leave cores of a CPU to others.
    plan : None
        As in SciPy, where nothing else is allowed yet.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., n, ...)
        complex64 or complex128; a device array stays on its queue and carries an event.

    Raises
    ------
    ValueError
        A length below 1, or an unknown norm.
    IndexError
        `axis` is not an axis of `x`.
    PrecisionError
        A TypeError: longdouble, which no OpenCL device computes, or double precision on a device
        without it.
    DeviceError
        No device.

    See Also
    --------
    ifft : The inverse.
    rfft : Of real input, with half the work.
    fftn : Along several axes.
    fftfreq : The frequencies of the result.
    Plan : A transform that is planned once and called many times.

    Notes
    -----
    A length without a prime factor above 13 takes one launch if it fits a work-group, or on a CPU a
    core's cache, and two or three if it is longer. `print(Plan(...))` shows what a call launches.

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
    return along_axis("c2c", "forward", x, n, axis, norm, workers, plan)


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
    """Compute the inverse of `fft` along one axis.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array, shape (..., m, ...)
        Input, real or complex. float32 and complex64 (and float16) are transformed in single
        precision, all other dtypes in double.
    n : int, optional
        Length to transform. The input is cropped to it, or padded with zeros at its end. The length
        of `axis` by default.
    axis : int
        Axis to transform; the last one by default.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction carries the factor 1/n: "backward", the inverse, by default; "ortho" gives
        both its square root.
    overwrite_x, workers, plan
        As for `fft`.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., n, ...)
        complex64 or complex128; a device array stays on its queue and carries an event.

    Raises
    ------
    ValueError
        A length below 1, or an unknown norm.
    IndexError
        `axis` is not an axis of `x`.
    PrecisionError, DeviceError
        As for `fft`.

    See Also
    --------
    fft : The forward transform.
    irfft : To real numbers, from half a spectrum.
    ifftn : Along several axes.

    Notes
    -----
    The sign of the exponent is the other one; the launches are those of `fft`, with the factor 1/n
    in the last store.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.ifft([4, 0, 0, 0]).real
    array([1., 1., 1., 1.])
    """
    return along_axis("c2c", "inverse", x, n, axis, norm, workers, plan)


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
    """Compute the 2-D discrete Fourier transform.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array, shape (..., rows, columns)
        Input, real or complex. float32 and complex64 (and float16) are transformed in single
        precision, all other dtypes in double.
    s : int or sequence of int, optional
        Lengths to transform along `axes`. The input is cropped to it, or padded with zeros at its
        end. -1 leaves a length as it is. The lengths of `axes` by default.
    axes : sequence of int
        Axes to transform; the last two by default.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction carries the factor 1 / (rows columns): "backward", the inverse, by default;
        "ortho" gives both its square root.
    overwrite_x, workers, plan
        As for `fft`.

    Returns
    -------
    ndarray or pyopencl.array.Array
        complex64 or complex128, shaped like `x` but for the lengths in `s`.

    Raises
    ------
    ValueError
        Axes that `x` lacks or that repeat, lengths that do not fit the axes or are below 1, or an
        unknown norm.
    PrecisionError, DeviceError
        As for `fft`.

    See Also
    --------
    ifft2 : The inverse.
    rfft2 : Of real input, with half the work.
    fftn : Along any axes.

    Notes
    -----
    Rows and then columns, each where they lie.

    Examples
    --------
    >>> import numpy as np, pyclfft
    >>> pyclfft.fft2(np.ones((2, 2))).real
    array([[4., 0.],
           [0., 0.]])
    """
    return along_axes("c2c", "forward", x, s, axes, norm, workers, plan)


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
    """Compute the inverse of `fft2`.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array, shape (..., rows, columns)
        Input, real or complex. float32 and complex64 (and float16) are transformed in single
        precision, all other dtypes in double.
    s : int or sequence of int, optional
        Lengths to transform along `axes`. The input is cropped to it, or padded with zeros at its
        end. -1 leaves a length as it is. The lengths of `axes` by default.
    axes : sequence of int
        Axes to transform; the last two by default.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction carries the factor 1 / (rows columns): "backward", the inverse, by default;
        "ortho" gives both its square root.
    overwrite_x, workers, plan
        As for `fft`.

    Returns
    -------
    ndarray or pyopencl.array.Array
        complex64 or complex128, shaped like `x` but for the lengths in `s`.

    Raises
    ------
    ValueError
        Axes that `x` lacks or that repeat, lengths that do not fit the axes or are below 1, or an
        unknown norm.
    PrecisionError, DeviceError
        As for `fft`.

    See Also
    --------
    fft2 : The forward transform.
    ifftn : Along any axes.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.ifft2([[4, 0], [0, 0]]).real
    array([[1., 1.],
           [1., 1.]])
    """
    return along_axes("c2c", "inverse", x, s, axes, norm, workers, plan)


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
        Input, real or complex. float32 and complex64 (and float16) are transformed in single
        precision, all other dtypes in double. It has any number of dimensions.
    s : int or sequence of int, optional
        Lengths to transform along `axes`. The input is cropped to it, or padded with zeros at its
        end. -1 leaves a length as it is. The lengths of `axes` by default.
    axes : int or sequence of int, optional
        Axes to transform; the last ``len(s)``, or all, by default.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction carries the factor 1/n, where n is the product of all lengths: "backward",
        the inverse, by default; "ortho" gives both its square root.
    overwrite_x, workers, plan
        As for `fft`.

    Returns
    -------
    ndarray or pyopencl.array.Array
        complex64 or complex128, shaped like `x` but for the lengths in `s`.

    Raises
    ------
    ValueError
        Axes that `x` lacks or that repeat, lengths that do not fit the axes or are below 1, or an
        unknown norm.
    PrecisionError, DeviceError
        As for `fft`.

    See Also
    --------
    ifftn : The inverse.
    rfftn : Of real input, with half the work.
    fft : Along one axis.
    fft2 : Along the last two axes.

    Notes
    -----
    One axis after the other, the last one first, each where it lies. Zeros that pad it are never
    stored: the first launch knows where the input ends.

    Examples
    --------
    >>> import numpy as np, pyclfft
    >>> pyclfft.fftn(np.ones((2, 2, 2)), axes=(0, 2))[:, 0, :].real
    array([[4., 0.],
           [0., 0.]])
    """
    return along_axes("c2c", "forward", x, s, axes, norm, workers, plan)


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
    """Compute the inverse of `fftn`.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array
        Input, real or complex. float32 and complex64 (and float16) are transformed in single
        precision, all other dtypes in double. It has any number of dimensions.
    s : int or sequence of int, optional
        Lengths to transform along `axes`. The input is cropped to it, or padded with zeros at its
        end. -1 leaves a length as it is. The lengths of `axes` by default.
    axes : int or sequence of int, optional
        Axes to transform; the last ``len(s)``, or all, by default.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction carries the factor 1/n, where n is the product of all lengths: "backward",
        the inverse, by default; "ortho" gives both its square root.
    overwrite_x, workers, plan
        As for `fft`.

    Returns
    -------
    ndarray or pyopencl.array.Array
        complex64 or complex128, shaped like `x` but for the lengths in `s`.

    Raises
    ------
    ValueError
        Axes that `x` lacks or that repeat, lengths that do not fit the axes or are below 1, or an
        unknown norm.
    PrecisionError, DeviceError
        As for `fft`.

    See Also
    --------
    fftn : The forward transform.
    irfftn : To real numbers, from half a spectrum.

    Examples
    --------
    >>> import numpy as np, pyclfft
    >>> np.allclose(pyclfft.ifftn(pyclfft.fftn(np.eye(3))), np.eye(3))
    True
    """
    return along_axes("c2c", "inverse", x, s, axes, norm, workers, plan)
