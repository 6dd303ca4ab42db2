"""Cosine and sine transforms with SciPy's signatures, of types I to IV."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pyopencl.array as cl_array
from numpy.typing import ArrayLike

from ..planning.precision import READABLE, REAL_DTYPE
from ..planning.problem import lengths_and_axes
from ..runtime.memory import contiguous
from .call import (
    Shape,
    axis_and_length,
    check_ignored,
    execute,
    readable,
)

TYPES = (1, 2, 3, 4)


def dct(
    x: ArrayLike | cl_array.Array,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> Any:
    """Compute the discrete cosine transform along one axis.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array, shape (..., m, ...)
        Input. float32, complex64 and float16 are transformed in single precision, all other dtypes
        in double. If the input is complex, its real and its imaginary part are transformed
        independently.
    type : {1, 2, 3, 4}
        Which of the types I to IV, as SciPy defines them, to compute. Type 1 needs at least 2
        numbers.
    n : int, optional
        How many numbers to transform, by default the length of `axis`. A longer input is cropped,
        a shorter one is padded with zeros at its end.
    axis : int
        Axis to transform; the last one by default.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is multiplied by 1/N, where N is 2 (n - 1) for type 1 and 2 n for the other
        types: with "backward" (the default) the inverse transform, with "forward" the forward
        transform. With "ortho" both are multiplied by the square root of the factor.
    overwrite_x, workers
        See `fft`.
    orthogonalize : bool, optional
        Whether the transform has the factors of sqrt(2) at its ends that make its matrix
        orthogonal. By default it has them with norm "ortho" only. SciPy ignores this parameter if
        the input is complex; pyclfft does not.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., n, ...)
        The transform: float32 or float64, or complex64 or complex128 if the input is complex.

    Raises
    ------
    TypeError
        `type` is not an integer.
    ValueError
        The length is below 1, or below 2 for type 1; or the type or the norm is unknown.
    IndexError
        `axis` is not an axis of `x`.
    PrecisionError, DeviceError
        See `fft`.

    See Also
    --------
    idct : The inverse.
    dctn : Transform along several axes.
    dst : The sine transform.

    Notes
    -----
    One launch puts the numbers in another order. Then comes a Fourier transform of real numbers of
    the same length, and a last launch computes the results from its spectrum.

    References
    ----------
    J. Makhoul, "A fast cosine transform in one and two dimensions", IEEE Trans. ASSP 28 (1980).

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.dct([1, 1, 1, 1]).round(6) + 0
    array([8., 0., 0., 0.])
    """
    return _along_axis("dct", "forward", x, type, n, axis, norm, workers, orthogonalize)


def idct(
    x: ArrayLike | cl_array.Array,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> Any:
    """Compute the inverse of `dct` along one axis; `type` is that of the forward transform.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array, shape (..., m, ...)
        Input. float32, complex64 and float16 are transformed in single precision, all other dtypes
        in double. If the input is complex, its real and its imaginary part are transformed
        independently.
    type : {1, 2, 3, 4}
        Which of the types I to IV, as SciPy defines them, to compute. Type 1 needs at least 2
        numbers.
    n : int, optional
        How many numbers to transform, by default the length of `axis`. A longer input is cropped,
        a shorter one is padded with zeros at its end.
    axis : int
        Axis to transform; the last one by default.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is multiplied by 1/N, where N is 2 (n - 1) for type 1 and 2 n for the other
        types: with "backward" (the default) the inverse transform, with "forward" the forward
        transform. With "ortho" both are multiplied by the square root of the factor.
    overwrite_x, workers
        See `fft`.
    orthogonalize : bool, optional
        Whether the transform has factors of sqrt(2) at its ends; see `dct`.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., n, ...)
        The transform: float32 or float64, or complex64 or complex128 if the input is complex.

    Raises
    ------
    TypeError
        `type` is not an integer.
    ValueError
        The length is below 1, or below 2 for type 1; or the type or the norm is unknown.
    IndexError
        `axis` is not an axis of `x`.
    PrecisionError, DeviceError
        See `fft`.

    See Also
    --------
    dct : The forward transform.
    idctn : The inverse along several axes.

    Notes
    -----
    Apart from a factor, types 1 and 4 are their own inverses, and type 3 is the inverse of type 2.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.idct([8, 0, 0, 0])
    array([1., 1., 1., 1.])
    """
    return _along_axis("dct", "inverse", x, type, n, axis, norm, workers, orthogonalize)


def dst(
    x: ArrayLike | cl_array.Array,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> Any:
    """Compute the discrete sine transform along one axis.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array, shape (..., m, ...)
        Input. float32, complex64 and float16 are transformed in single precision, all other dtypes
        in double. If the input is complex, its real and its imaginary part are transformed
        independently.
    type : {1, 2, 3, 4}
        Which of the types I to IV, as SciPy defines them, to compute. Every type takes a single
        number, too.
    n : int, optional
        How many numbers to transform, by default the length of `axis`. A longer input is cropped,
        a shorter one is padded with zeros at its end.
    axis : int
        Axis to transform; the last one by default.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is multiplied by 1/N, where N is 2 (n + 1) for type 1 and 2 n for the other
        types: with "backward" (the default) the inverse transform, with "forward" the forward
        transform. With "ortho" both are multiplied by the square root of the factor.
    overwrite_x, workers
        See `fft`.
    orthogonalize : bool, optional
        Whether the transform has the factors that `dct` describes. Type 1 of the sine transform has
        none.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., n, ...)
        The transform: float32 or float64, or complex64 or complex128 if the input is complex.

    Raises
    ------
    TypeError
        `type` is not an integer.
    ValueError
        The length is below 1, or the type or the norm is unknown.
    IndexError
        `axis` is not an axis of `x`.
    PrecisionError, DeviceError
        See `fft`.

    See Also
    --------
    idst : The inverse.
    dstn : Transform along several axes.
    dct : The cosine transform.

    Notes
    -----
    The sine transform is the cosine transform of the numbers with every other sign changed, or in
    reverse order. Kernels do both as they load and store, at no cost.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.dst([1, -1, 1, -1]).round(6) + 0
    array([0., 0., 0., 8.])
    """
    return _along_axis("dst", "forward", x, type, n, axis, norm, workers, orthogonalize)


def idst(
    x: ArrayLike | cl_array.Array,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> Any:
    """Compute the inverse of `dst` along one axis; `type` is that of the forward transform.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array, shape (..., m, ...)
        Input. float32, complex64 and float16 are transformed in single precision, all other dtypes
        in double. If the input is complex, its real and its imaginary part are transformed
        independently.
    type : {1, 2, 3, 4}
        Which of the types I to IV, as SciPy defines them, to compute. Every type takes a single
        number, too.
    n : int, optional
        How many numbers to transform, by default the length of `axis`. A longer input is cropped,
        a shorter one is padded with zeros at its end.
    axis : int
        Axis to transform; the last one by default.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is multiplied by 1/N, where N is 2 (n + 1) for type 1 and 2 n for the other
        types: with "backward" (the default) the inverse transform, with "forward" the forward
        transform. With "ortho" both are multiplied by the square root of the factor.
    overwrite_x, workers
        See `fft`.
    orthogonalize : bool, optional
        Whether the transform has the factors that `dct` describes. Type 1 of the sine transform has
        none.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., n, ...)
        The transform: float32 or float64, or complex64 or complex128 if the input is complex.

    Raises
    ------
    TypeError
        `type` is not an integer.
    ValueError
        The length is below 1, or the type or the norm is unknown.
    IndexError
        `axis` is not an axis of `x`.
    PrecisionError, DeviceError
        See `fft`.

    See Also
    --------
    dst : The forward transform.
    idstn : The inverse along several axes.

    Notes
    -----
    Apart from a factor, types 1 and 4 are their own inverses, and type 3 is the inverse of type 2.

    Examples
    --------
    >>> import pyclfft
    >>> pyclfft.idst([0, 0, 0, 8])
    array([ 1., -1.,  1., -1.])
    """
    return _along_axis("dst", "inverse", x, type, n, axis, norm, workers, orthogonalize)


def dctn(
    x: ArrayLike | cl_array.Array,
    type: int = 2,
    s: Shape = None,
    axes: Shape = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    orthogonalize: bool | None = None,
) -> Any:
    """Compute the discrete cosine transform along any number of axes.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array
        Input. float32, complex64 and float16 are transformed in single precision, all other dtypes
        in double. If the input is complex, its real and its imaginary part are transformed
        independently.
    type : {1, 2, 3, 4}
        Which of the types I to IV to compute along every axis; see `dct`.
    s : int or sequence of int, optional
        How many numbers to transform along each of `axes`, by default their lengths. Along each
        axis a longer input is cropped, a shorter one is padded with zeros at its end; -1 stands for
        the axis's own length.
    axes : int or sequence of int, optional
        Axes to transform. By default the last ``len(s)`` axes, or all of them without `s`.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is multiplied by 1/N, where N is the product of the numbers N that `dct` has
        along each axis: with "backward" (the default) the inverse transform, with "forward" the
        forward transform. With "ortho" both are multiplied by the square root of the factor.
    overwrite_x, workers
        See `fft`.
    orthogonalize : bool, optional
        Whether the transform has factors of sqrt(2) at its ends; see `dct`.

    Returns
    -------
    ndarray or pyopencl.array.Array
        The transform. Its shape is that of `x` with the lengths in `s`; its dtype is float32 or
        float64, or complex64 or complex128 if the input is complex.

    Raises
    ------
    TypeError
        `type` is not an integer.
    ValueError
        `x` lacks an axis, an axis repeats, a length is too short, there are not as many lengths as
        axes, or the type or the norm is unknown.
    PrecisionError, DeviceError
        See `fft`.

    See Also
    --------
    idctn : The inverse.
    dct : Transform along one axis.
    dstn : The sine transform.

    Notes
    -----
    One axis is transformed after the other. Along all axes but the last one, neighbours in memory
    are transformed side by side.

    Examples
    --------
    >>> import numpy as np, pyclfft
    >>> pyclfft.dctn(np.ones((2, 2))).round(6) + 0
    array([[16.,  0.],
           [ 0.,  0.]])
    """
    return _along_axes("dct", "forward", x, type, s, axes, norm, workers, orthogonalize)


def idctn(
    x: ArrayLike | cl_array.Array,
    type: int = 2,
    s: Shape = None,
    axes: Shape = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> Any:
    """Compute the inverse of `dctn`; `type` is that of the forward transform.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array
        Input. float32, complex64 and float16 are transformed in single precision, all other dtypes
        in double. If the input is complex, its real and its imaginary part are transformed
        independently.
    type : {1, 2, 3, 4}
        Which of the types I to IV to compute along every axis; see `dct`.
    s : int or sequence of int, optional
        How many numbers to transform along each of `axes`, by default their lengths. Along each
        axis a longer input is cropped, a shorter one is padded with zeros at its end; -1 stands for
        the axis's own length.
    axes : int or sequence of int, optional
        Axes to transform. By default the last ``len(s)`` axes, or all of them without `s`.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is multiplied by 1/N, where N is the product of the numbers N that `dct` has
        along each axis: with "backward" (the default) the inverse transform, with "forward" the
        forward transform. With "ortho" both are multiplied by the square root of the factor.
    overwrite_x, workers
        See `fft`.
    orthogonalize : bool, optional
        Whether the transform has factors of sqrt(2) at its ends; see `dct`.

    Returns
    -------
    ndarray or pyopencl.array.Array
        The transform. Its shape is that of `x` with the lengths in `s`; its dtype is float32 or
        float64, or complex64 or complex128 if the input is complex.

    Raises
    ------
    TypeError
        `type` is not an integer.
    ValueError
        `x` lacks an axis, an axis repeats, a length is too short, there are not as many lengths as
        axes, or the type or the norm is unknown.
    PrecisionError, DeviceError
        See `fft`.

    See Also
    --------
    dctn : The forward transform.
    idct : The inverse along one axis.

    Examples
    --------
    >>> import numpy as np, pyclfft
    >>> np.allclose(pyclfft.idctn(pyclfft.dctn(np.eye(3))), np.eye(3))
    True
    """
    return _along_axes("dct", "inverse", x, type, s, axes, norm, workers, orthogonalize)


def dstn(
    x: ArrayLike | cl_array.Array,
    type: int = 2,
    s: Shape = None,
    axes: Shape = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> Any:
    """Compute the discrete sine transform along any number of axes.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array
        Input. float32, complex64 and float16 are transformed in single precision, all other dtypes
        in double. If the input is complex, its real and its imaginary part are transformed
        independently.
    type : {1, 2, 3, 4}
        Which of the types I to IV to compute along every axis; see `dst`.
    s : int or sequence of int, optional
        How many numbers to transform along each of `axes`, by default their lengths. Along each
        axis a longer input is cropped, a shorter one is padded with zeros at its end; -1 stands for
        the axis's own length.
    axes : int or sequence of int, optional
        Axes to transform. By default the last ``len(s)`` axes, or all of them without `s`.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is multiplied by 1/N, where N is the product of the numbers N that `dst` has
        along each axis: with "backward" (the default) the inverse transform, with "forward" the
        forward transform. With "ortho" both are multiplied by the square root of the factor.
    overwrite_x, workers
        See `fft`.
    orthogonalize : bool, optional
        Whether the transform has factors of sqrt(2) at its ends; see `dct`.

    Returns
    -------
    ndarray or pyopencl.array.Array
        The transform. Its shape is that of `x` with the lengths in `s`; its dtype is float32 or
        float64, or complex64 or complex128 if the input is complex.

    Raises
    ------
    TypeError
        `type` is not an integer.
    ValueError
        `x` lacks an axis, an axis repeats, a length is too short, there are not as many lengths as
        axes, or the type or the norm is unknown.
    PrecisionError, DeviceError
        See `fft`.

    See Also
    --------
    idstn : The inverse.
    dst : Transform along one axis.
    dctn : The cosine transform.

    Examples
    --------
    >>> import numpy as np, pyclfft
    >>> pyclfft.dstn(np.ones((3, 3)), axes=1).shape
    (3, 3)
    """
    return _along_axes("dst", "forward", x, type, s, axes, norm, workers, orthogonalize)


def idstn(
    x: ArrayLike | cl_array.Array,
    type: int = 2,
    s: Shape = None,
    axes: Shape = None,
    norm: str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
) -> Any:
    """Compute the inverse of `dstn`; `type` is that of the forward transform.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array
        Input. float32, complex64 and float16 are transformed in single precision, all other dtypes
        in double. If the input is complex, its real and its imaginary part are transformed
        independently.
    type : {1, 2, 3, 4}
        Which of the types I to IV to compute along every axis; see `dst`.
    s : int or sequence of int, optional
        How many numbers to transform along each of `axes`, by default their lengths. Along each
        axis a longer input is cropped, a shorter one is padded with zeros at its end; -1 stands for
        the axis's own length.
    axes : int or sequence of int, optional
        Axes to transform. By default the last ``len(s)`` axes, or all of them without `s`.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is multiplied by 1/N, where N is the product of the numbers N that `dst` has
        along each axis: with "backward" (the default) the inverse transform, with "forward" the
        forward transform. With "ortho" both are multiplied by the square root of the factor.
    overwrite_x, workers
        See `fft`.
    orthogonalize : bool, optional
        Whether the transform has factors of sqrt(2) at its ends; see `dct`.

    Returns
    -------
    ndarray or pyopencl.array.Array
        The transform. Its shape is that of `x` with the lengths in `s`; its dtype is float32 or
        float64, or complex64 or complex128 if the input is complex.

    Raises
    ------
    TypeError
        `type` is not an integer.
    ValueError
        `x` lacks an axis, an axis repeats, a length is too short, there are not as many lengths as
        axes, or the type or the norm is unknown.
    PrecisionError, DeviceError
        See `fft`.

    See Also
    --------
    dstn : The forward transform.
    idst : The inverse along one axis.

    Examples
    --------
    >>> import numpy as np, pyclfft
    >>> np.allclose(pyclfft.idstn(pyclfft.dstn(np.eye(3))), np.eye(3))
    True
    """
    return _along_axes("dst", "inverse", x, type, s, axes, norm, workers, orthogonalize)


def _along_axis(
    base: str,
    direction: str,
    x: Any,
    type: int,
    n: int | None,
    axis: int,
    norm: str | None,
    workers: int | None,
    orthogonalize: bool | None,
) -> Any:
    check_ignored(workers)
    array, kind = readable(x), _kind(base, type)
    lengths, axes = axis_and_length(array.shape, n, axis)
    return _execute(kind, direction, array, lengths, axes, norm, orthogonalize)


def _along_axes(
    base: str,
    direction: str,
    x: Any,
    type: int,
    s: Shape,
    axes: Shape,
    norm: str | None,
    workers: int | None,
    orthogonalize: bool | None,
) -> Any:
    check_ignored(workers)
    array, kind = readable(x), _kind(base, type)
    lengths, chosen = lengths_and_axes(array.shape, s, axes)
    if not chosen:
        return x
    return _execute(kind, direction, array, lengths, chosen, norm, orthogonalize)


def _execute(
    kind: str,
    direction: str,
    array: Any,
    lengths: tuple[int, ...],
    axes: tuple[int, ...],
    norm: str | None,
    orthogonalize: bool | None,
) -> Any:
    """Transform an array; a complex one is taken for a real one with one more axis of length 2."""
    precision, real = READABLE[array.dtype]
    if real:
        return execute(kind, direction, array, lengths, axes, norm, orthogonalize)
    if isinstance(array, np.ndarray):
        array = contiguous(array)
    parts = array.view(REAL_DTYPE[precision]).reshape(*array.shape, 2)
    result = execute(kind, direction, parts, lengths, axes, norm, orthogonalize)
    return result.view(array.dtype).reshape(result.shape[:-1])


def _kind(base: str, type: int) -> str:
    """Return the name that a plan has for the transform's kind, for example "dct2".

    Raises
    ------
    TypeError
        The type is not an integer.
    ValueError
        There is no such type.
    """
    try:
        number = operator.index(type)
    except TypeError:
        raise TypeError(f"type must be an integer, one of 1, 2, 3, 4, not {type!r}") from None
    if number not in TYPES:
        raise ValueError(f"invalid type {type!r}, should be one of 1, 2, 3, 4")
    return f"{base}{number}"
