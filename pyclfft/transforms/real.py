"""Real and Hermitian Fourier transforms with SciPy's signatures.

The spectrum of a real array is Hermitian: each point is the conjugate of its mirror image. So half
of it determines the rest: n // 2 + 1 points along the last transformed axis. `rfft` returns this
half of a real array's spectrum, and `irfft` makes the real array of it. `hfft` takes half of a
Hermitian array, whose spectrum is real, and `ihfft` returns this half of the array.
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
    """Compute the half of a real array's spectrum that determines the rest, along one axis.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array, shape (..., m, ...)
        Input, real. float32 and float16 are transformed in single precision, all other dtypes in
        double.
    n : int, optional
        How many numbers to transform, by default the length of `axis`. A longer input is cropped,
        a shorter one is padded with zeros at its end.
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
    ndarray or pyopencl.array.Array, shape (..., n // 2 + 1, ...)
        Half of the spectrum, complex64 or complex128.

    Raises
    ------
    TypeError
        The input is complex.
    ValueError
        The length is below 1, or the norm is unknown.
    IndexError
        `axis` is not an axis of `x`.
    PrecisionError, DeviceError
        See `fft`.

    See Also
    --------
    irfft : The inverse.
    fft : The whole spectrum.
    rfftn : Transform along several axes.
    rfftfreq : The frequencies of the result.

    Notes
    -----
    The transform takes half the memory of `fft`, and half of its work if the length is even or has
    a prime factor from 3 to 13. Rows are independent: neither rounding errors nor NaNs pass from
    one row to another.

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
        The first half of a Hermitian spectrum, which is real at 0 and at n/2. Imaginary parts of
        `x` at these two places are not used.
    n : int, optional
        How many numbers the result has; 2 (m - 1) by default. The first n // 2 + 1 points of `x`
        are used; if `x` has fewer, it is padded with zeros at its end.
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
        The real numbers, float32 or float64.

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
    rfft : The forward transform.
    ifft : The inverse transform of a whole spectrum.
    hfft : Transform half of a Hermitian array forward instead of back.

    Notes
    -----
    The transform takes the steps of `rfft` in reverse, and half the work of `ifft`.

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
    """Compute the half of a real array's 2-D spectrum that determines the rest.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array, shape (..., rows, columns)
        Input, real. float32 and float16 are transformed in single precision, all other dtypes in
        double.
    s : int or sequence of int, optional
        How many numbers to transform along each of `axes`, by default their lengths. Along each
        axis a longer input is cropped, a shorter one is padded with zeros at its end; -1 stands for
        the axis's own length.
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
        Half of the spectrum, complex64 or complex128. For a length n, the last of the transformed
        axes has n // 2 + 1 points.

    Raises
    ------
    TypeError
        The input is complex.
    ValueError
        There is no axis, `x` lacks an axis, an axis repeats, a length is below 1, there are not as
        many lengths as axes, or the norm is unknown.
    PrecisionError, DeviceError
        See `fft`.

    See Also
    --------
    irfft2 : The inverse.
    fft2 : The whole spectrum.
    rfftn : Transform along any axes.

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
    """Compute the inverse of `rfft2`.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array, shape (..., rows, columns)
        The first half of a Hermitian spectrum, which is real at 0 and at n/2. Imaginary parts of
        `x` at these two places are not used.
    s : int or sequence of int, optional
        Lengths of the result along `axes`; -1 stands for the length of `x` there. For a length n
        along the last axis, n // 2 + 1 points of `x` are used, and `x` is cropped or padded with
        zeros to them; by default n is 2 (m - 1), where `x` has m points there.
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
        The real numbers, float32 or float64.

    Raises
    ------
    ValueError
        There is no axis, `x` lacks an axis, an axis repeats, a length is below 1, there are not as
        many lengths as axes, or the norm is unknown.
    PrecisionError, DeviceError
        See `fft`.

    See Also
    --------
    rfft2 : The forward transform.
    irfftn : The inverse along any axes.

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
    """Compute the half of a real array's spectrum that determines the rest, along several axes.

    The result is that of `rfft` along the last of the axes, and then `fft` along the others.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array
        Input, real. float32 and float16 are transformed in single precision, all other dtypes in
        double.
    s : int or sequence of int, optional
        How many numbers to transform along each of `axes`, by default their lengths. Along each
        axis a longer input is cropped, a shorter one is padded with zeros at its end; -1 stands for
        the axis's own length.
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
        Half of the spectrum, complex64 or complex128. For a length n, the last of the transformed
        axes has n // 2 + 1 points.

    Raises
    ------
    TypeError
        The input is complex.
    ValueError
        There is no axis, `x` lacks an axis, an axis repeats, a length is below 1, there are not as
        many lengths as axes, or the norm is unknown.
    PrecisionError, DeviceError
        See `fft`.

    See Also
    --------
    irfftn : The inverse.
    fftn : The whole spectrum.
    rfft : Transform along one axis.
    rfft2 : Transform along two axes, the last two by default.

    Notes
    -----
    The other axes are transformed for half of the spectrum only, so that they take half the work
    too.

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
        The first half of a Hermitian spectrum, which is real at 0 and at n/2. Imaginary parts of
        `x` at these two places are not used.
    s : int or sequence of int, optional
        Lengths of the result along `axes`; -1 stands for the length of `x` there. For a length n
        along the last axis, n // 2 + 1 points of `x` are used, and `x` is cropped or padded with
        zeros to them; by default n is 2 (m - 1), where `x` has m points there.
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
        The real numbers, float32 or float64.

    Raises
    ------
    ValueError
        There is no axis, `x` lacks an axis, an axis repeats, a length is below 1, there are not as
        many lengths as axes, or the norm is unknown.
    PrecisionError, DeviceError
        See `fft`.

    See Also
    --------
    rfftn : The forward transform.
    ifftn : The inverse transform of a whole spectrum.

    Notes
    -----
    The last axis is transformed last: once the other axes are transformed, each row along it is
    half of the spectrum of real numbers.

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
    x : array_like or pyopencl.array.Array, shape (..., m, ...)
        The first half of a Hermitian array, which is real at 0 and at n/2. Imaginary parts of `x`
        at these two places are not used.
    n : int, optional
        How many numbers the result has; 2 (m - 1) by default. The first n // 2 + 1 points of `x`
        are used; if `x` has fewer, it is padded with zeros at its end.
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
        The real numbers, float32 or float64.

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
    ihfft : The inverse.
    irfft : Transform half of a Hermitian spectrum back instead of forward.
    hfftn : Transform along several axes.

    Notes
    -----
    This is `irfft` with the opposite sign of the exponent and, by default, without the factor 1/n:
    kernels conjugate what they load.

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
    """Compute the inverse of `hfft`: half of the Hermitian array that has a given real spectrum.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array, shape (..., m, ...)
        Input, real. float32 and float16 are transformed in single precision, all other dtypes in
        double.
    n : int, optional
        How many numbers to transform, by default the length of `axis`. A longer input is cropped,
        a shorter one is padded with zeros at its end.
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
    ndarray or pyopencl.array.Array, shape (..., n // 2 + 1, ...)
        Half of the spectrum, complex64 or complex128.

    Raises
    ------
    TypeError
        The input is complex.
    ValueError
        The length is below 1, or the norm is unknown.
    IndexError
        `axis` is not an axis of `x`.
    PrecisionError, DeviceError
        See `fft`.

    See Also
    --------
    hfft : The forward transform.
    rfft : Transform real numbers forward instead of back.

    Notes
    -----
    This is `rfft` with the opposite sign of the exponent and, by default, with the factor 1/n:
    kernels conjugate what they store.

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
    """Compute the real 2-D spectrum of a Hermitian array, of which the first half is given.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array, shape (..., rows, columns)
        The first half of a Hermitian array, which is real at 0 and at n/2. Imaginary parts of `x`
        at these two places are not used.
    s : int or sequence of int, optional
        Lengths of the result along `axes`; -1 stands for the length of `x` there. For a length n
        along the last axis, n // 2 + 1 points of `x` are used, and `x` is cropped or padded with
        zeros to them; by default n is 2 (m - 1), where `x` has m points there.
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
        The real numbers, float32 or float64.

    Raises
    ------
    ValueError
        There is no axis, `x` lacks an axis, an axis repeats, a length is below 1, there are not as
        many lengths as axes, or the norm is unknown.
    PrecisionError, DeviceError
        See `fft`.

    See Also
    --------
    ihfft2 : The inverse.
    hfftn : Transform along any axes.

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
    """Compute the inverse of `hfft2`: half of the Hermitian array with a given 2-D spectrum.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array, shape (..., rows, columns)
        Input, real. float32 and float16 are transformed in single precision, all other dtypes in
        double.
    s : int or sequence of int, optional
        How many numbers to transform along each of `axes`, by default their lengths. Along each
        axis a longer input is cropped, a shorter one is padded with zeros at its end; -1 stands for
        the axis's own length.
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
        Half of the spectrum, complex64 or complex128. For a length n, the last of the transformed
        axes has n // 2 + 1 points.

    Raises
    ------
    TypeError
        The input is complex.
    ValueError
        There is no axis, `x` lacks an axis, an axis repeats, a length is below 1, there are not as
        many lengths as axes, or the norm is unknown.
    PrecisionError, DeviceError
        See `fft`.

    See Also
    --------
    hfft2 : The forward transform.
    ihfftn : The inverse along any axes.

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

    The result is that of `fft` along all axes but the last one, and then `hfft` along that.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array
        The first half of a Hermitian array, which is real at 0 and at n/2. Imaginary parts of `x`
        at these two places are not used.
    s : int or sequence of int, optional
        Lengths of the result along `axes`; -1 stands for the length of `x` there. For a length n
        along the last axis, n // 2 + 1 points of `x` are used, and `x` is cropped or padded with
        zeros to them; by default n is 2 (m - 1), where `x` has m points there.
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
        The real numbers, float32 or float64.

    Raises
    ------
    ValueError
        There is no axis, `x` lacks an axis, an axis repeats, a length is below 1, there are not as
        many lengths as axes, or the norm is unknown.
    PrecisionError, DeviceError
        See `fft`.

    See Also
    --------
    ihfftn : The inverse.
    hfft : Transform along one axis.

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
        Input, real. float32 and float16 are transformed in single precision, all other dtypes in
        double.
    s : int or sequence of int, optional
        How many numbers to transform along each of `axes`, by default their lengths. Along each
        axis a longer input is cropped, a shorter one is padded with zeros at its end; -1 stands for
        the axis's own length.
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
        Half of the spectrum, complex64 or complex128. For a length n, the last of the transformed
        axes has n // 2 + 1 points.

    Raises
    ------
    TypeError
        The input is complex.
    ValueError
        There is no axis, `x` lacks an axis, an axis repeats, a length is below 1, there are not as
        many lengths as axes, or the norm is unknown.
    PrecisionError, DeviceError
        See `fft`.

    See Also
    --------
    hfftn : The forward transform.
    ihfft : The inverse along one axis.

    Examples
    --------
    >>> import numpy as np, pyclfft
    >>> x = np.eye(4)
    >>> np.allclose(pyclfft.hfftn(pyclfft.ihfftn(x)), x)
    True
    """
    return along_axes("r2c", "inverse", x, s, axes, norm, workers, plan)
