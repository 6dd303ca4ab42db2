"""Complex Fourier transforms of NumPy arrays and of device arrays, with SciPy's signatures."""

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
        Input, real or complex. float32, complex64 and float16 are transformed in single precision,
        all other dtypes in double.
    n : int, optional
        Length to transform, by default the length of `axis`. A longer input is cropped to it, a
        shorter one is padded with zeros at its end.
    axis : int
        Axis to transform; the last one by default.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is multiplied by 1/n: with "backward" (the default) the inverse transform,
        with "forward" the forward transform. With "ortho" both are multiplied by the square root of
        the factor.
    overwrite_x : bool
        Permission to destroy `x`, as in SciPy. It has no effect: `x` is never destroyed.
    workers : int, optional
        SciPy's number of workers. It is checked and has no effect: the device uses all of its
        compute units. The how-to guide to devices says how to leave cores of a CPU to others.
    plan : None
        SciPy's parameter, for which SciPy allows nothing but None yet.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., n, ...)
        The spectrum, complex64 or complex128. If `x` is a device array, so is the result; it is on
        the queue of `x` and carries the event of its completion.

    Raises
    ------
    ValueError
        The length is below 1, or the norm is unknown.
    IndexError
        `axis` is not an axis of `x`.
    PrecisionError
        A TypeError: the input is longdouble, in which no OpenCL device computes, or it needs double
        precision, which the device does not have.
    DeviceError
        There is no usable device.

    See Also
    --------
    ifft : The inverse.
    rfft : Transform real input, with half the work.
    fftn : Transform along several axes.
    fftfreq : The frequencies of the result.
    Plan : A transform that is planned once and called many times.

    Notes
    -----
    A length without a prime factor above 13 takes one launch if it fits a work-group (on a CPU, a
    core's cache) and two or three launches if it is longer. `print(Plan(...))` shows what a call
    launches.

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
        Input, real or complex. float32, complex64 and float16 are transformed in single precision,
        all other dtypes in double.
    n : int, optional
        Length to transform, by default the length of `axis`. A longer input is cropped to it, a
        shorter one is padded with zeros at its end.
    axis : int
        Axis to transform; the last one by default.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is multiplied by 1/n: with "backward" (the default) the inverse transform,
        with "forward" the forward transform. With "ortho" both are multiplied by the square root of
        the factor.
    overwrite_x, workers, plan
        See `fft`.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., n, ...)
        The result, complex64 or complex128. If `x` is a device array, so is the result; it is on
        the queue of `x` and carries the event of its completion.

    Raises
    ------
    ValueError
        The length is below 1, or the norm is unknown.
    IndexError
        `axis` is not an axis of `x`.
    PrecisionError, DeviceError
        See `fft`.

    See Also
    --------
    fft : The forward transform.
    irfft : Compute real numbers from half of their spectrum.
    ifftn : The inverse along several axes.

    Notes
    -----
    The exponent has the opposite sign. A call takes as many launches as `fft`; the last one
    multiplies by 1/n as it stores.

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
        Input, real or complex. float32, complex64 and float16 are transformed in single precision,
        all other dtypes in double.
    s : int or sequence of int, optional
        Lengths to transform along `axes`, by default the lengths of `axes`. Along each axis a
        longer input is cropped, a shorter one is padded with zeros at its end; -1 stands for the
        axis's own length.
    axes : sequence of int
        Axes to transform; the last two by default.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is multiplied by 1 / (rows columns): with "backward" (the default) the
        inverse transform, with "forward" the forward transform. With "ortho" both are multiplied by
        the square root of the factor.
    overwrite_x, workers, plan
        See `fft`.

    Returns
    -------
    ndarray or pyopencl.array.Array
        The spectrum, complex64 or complex128. Its shape is that of `x` with the lengths in `s`.

    Raises
    ------
    ValueError
        `x` lacks an axis, an axis repeats, a length is below 1, there are not as many lengths as
        axes, or the norm is unknown.
    PrecisionError, DeviceError
        See `fft`.

    See Also
    --------
    ifft2 : The inverse.
    rfft2 : Transform real input, with half the work.
    fftn : Transform along any axes.

    Notes
    -----
    First the rows are transformed, then the columns, each where it lies in memory.

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
        Input, real or complex. float32, complex64 and float16 are transformed in single precision,
        all other dtypes in double.
    s : int or sequence of int, optional
        Lengths to transform along `axes`, by default the lengths of `axes`. Along each axis a
        longer input is cropped, a shorter one is padded with zeros at its end; -1 stands for the
        axis's own length.
    axes : sequence of int
        Axes to transform; the last two by default.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is multiplied by 1 / (rows columns): with "backward" (the default) the
        inverse transform, with "forward" the forward transform. With "ortho" both are multiplied by
        the square root of the factor.
    overwrite_x, workers, plan
        See `fft`.

    Returns
    -------
    ndarray or pyopencl.array.Array
        The result, complex64 or complex128. Its shape is that of `x` with the lengths in `s`.

    Raises
    ------
    ValueError
        `x` lacks an axis, an axis repeats, a length is below 1, there are not as many lengths as
        axes, or the norm is unknown.
    PrecisionError, DeviceError
        See `fft`.

    See Also
    --------
    fft2 : The forward transform.
    ifftn : The inverse along any axes.

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
        Input, real or complex, of any number of dimensions. float32, complex64 and float16 are
        transformed in single precision, all other dtypes in double.
    s : int or sequence of int, optional
        Lengths to transform along `axes`, by default the lengths of `axes`. Along each axis a
        longer input is cropped, a shorter one is padded with zeros at its end; -1 stands for the
        axis's own length.
    axes : int or sequence of int, optional
        Axes to transform. By default the last ``len(s)`` axes, or all of them without `s`.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is multiplied by 1/n, where n is the product of all lengths: with "backward"
        (the default) the inverse transform, with "forward" the forward transform. With "ortho" both
        are multiplied by the square root of the factor.
    overwrite_x, workers, plan
        See `fft`.

    Returns
    -------
    ndarray or pyopencl.array.Array
        The spectrum, complex64 or complex128. Its shape is that of `x` with the lengths in `s`.

    Raises
    ------
    ValueError
        `x` lacks an axis, an axis repeats, a length is below 1, there are not as many lengths as
        axes, or the norm is unknown.
    PrecisionError, DeviceError
        See `fft`.

    See Also
    --------
    ifftn : The inverse.
    rfftn : Transform real input, with half the work.
    fft : Transform along one axis.
    fft2 : Transform along two axes, the last two by default.

    Notes
    -----
    One axis is transformed after the other, the last one first, each where it lies in memory. Zeros
    that pad the input are never stored: the first launch knows where the input ends.

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
        Input, real or complex, of any number of dimensions. float32, complex64 and float16 are
        transformed in single precision, all other dtypes in double.
    s : int or sequence of int, optional
        Lengths to transform along `axes`, by default the lengths of `axes`. Along each axis a
        longer input is cropped, a shorter one is padded with zeros at its end; -1 stands for the
        axis's own length.
    axes : int or sequence of int, optional
        Axes to transform. By default the last ``len(s)`` axes, or all of them without `s`.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is multiplied by 1/n, where n is the product of all lengths: with "backward"
        (the default) the inverse transform, with "forward" the forward transform. With "ortho" both
        are multiplied by the square root of the factor.
    overwrite_x, workers, plan
        See `fft`.

    Returns
    -------
    ndarray or pyopencl.array.Array
        The result, complex64 or complex128. Its shape is that of `x` with the lengths in `s`.

    Raises
    ------
    ValueError
        `x` lacks an axis, an axis repeats, a length is below 1, there are not as many lengths as
        axes, or the norm is unknown.
    PrecisionError, DeviceError
        See `fft`.

    See Also
    --------
    fftn : The forward transform.
    irfftn : Compute real numbers from half of their spectrum.

    Examples
    --------
    >>> import numpy as np, pyclfft
    >>> np.allclose(pyclfft.ifftn(pyclfft.fftn(np.eye(3))), np.eye(3))
    True
    """
    return along_axes("c2c", "inverse", x, s, axes, norm, workers, plan)
