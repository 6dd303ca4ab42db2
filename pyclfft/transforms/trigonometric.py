"""Cosine and sine transforms with SciPy's signatures, of types I to IV."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pyopencl.array as cl_array
from numpy.typing import ArrayLike

from ..planning.problem import READABLE, REAL_DTYPE, lengths_and_axes
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
        Input. float32 and complex64 (and float16) are transformed in single precision, all other
        dtypes in double. Of complex numbers the real and the imaginary part are each transformed by
        itself.
    type : {1, 2, 3, 4}
        Which of the transforms I to IV, as SciPy defines them. Type 1 takes at least 2 numbers.
    n : int, optional
        How many numbers to transform, by default the length of `axis`. A longer input is cropped,
        a shorter one is padded with zeros at its end.
    axis : int
        Axis to transform; the last one by default.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction carries the factor 1/N, where N is 2 (n - 1) for type 1 and 2 n for the
        others: "backward", the inverse, by default; "ortho" gives both its square root.
    overwrite_x, workers
        As for `fft`.
    orthogonalize : bool, optional
        Whether the ends have factors of sqrt(2) that make the matrix of the transform orthogonal;
        with norm "ortho" by default. SciPy ignores it where the input is complex; pyclfft does not.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., n, ...)
        float32 or float64, complex64 or complex128 of complex input.

    Raises
    ------
    TypeError
        `type` is not an integer.
    ValueError
        A length below 1, or 2 for type 1, an unknown type or norm.
    IndexError
        `axis` is not an axis of `x`.
    PrecisionError, DeviceError
        As for `fft`.

    See Also
    --------
    idct : The inverse.
    dctn : Along several axes.
    dst : The sine transform.

    Notes
    -----
    One launch puts the numbers in another order, a transform of real numbers of the same length
    follows, one launch makes the results out of its spectrum.

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
    """Compute the inverse of `dct` of a type along one axis.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array, shape (..., m, ...)
        Input. float32 and complex64 (and float16) are transformed in single precision, all other
        dtypes in double. Of complex numbers the real and the imaginary part are each transformed by
        itself.
    type : {1, 2, 3, 4}
        Which of the transforms I to IV, as SciPy defines them. Type 1 takes at least 2 numbers.
    n : int, optional
        How many numbers to transform, by default the length of `axis`. A longer input is cropped,
        a shorter one is padded with zeros at its end.
    axis : int
        Axis to transform; the last one by default.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction carries the factor 1/N, where N is 2 (n - 1) for type 1 and 2 n for the
        others: "backward", the inverse, by default; "ortho" gives both its square root.
    overwrite_x, workers
        As for `fft`.
    orthogonalize : bool, optional
        As for `dct`.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., n, ...)
        float32 or float64, complex64 or complex128 of complex input.

    Raises
    ------
    TypeError
        `type` is not an integer.
    ValueError
        A length below 1, or 2 for type 1, an unknown type or norm.
    IndexError
        `axis` is not an axis of `x`.
    PrecisionError, DeviceError
        As for `fft`.

    See Also
    --------
    dct : The forward transform.
    idctn : Along several axes.

    Notes
    -----
    Types 1 and 4 are their own inverse, 2 and 3 each other's, but for a factor.

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
        Input. float32 and complex64 (and float16) are transformed in single precision, all other
        dtypes in double. Of complex numbers the real and the imaginary part are each transformed by
        itself.
    type : {1, 2, 3, 4}
        Which of the transforms I to IV, as SciPy defines them. Type 1 takes a single number, too.
    n : int, optional
        How many numbers to transform, by default the length of `axis`. A longer input is cropped,
        a shorter one is padded with zeros at its end.
    axis : int
        Axis to transform; the last one by default.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction carries the factor 1/N, where N is 2 (n + 1) for type 1 and 2 n for the
        others: "backward", the inverse, by default; "ortho" gives both its square root.
    overwrite_x, workers
        As for `fft`.
    orthogonalize : bool, optional
        As for `dct`; type 1 has no such factors.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., n, ...)
        float32 or float64, complex64 or complex128 of complex input.

    Raises
    ------
    TypeError
        `type` is not an integer.
    ValueError
        A length below 1, an unknown type or norm.
    IndexError
        `axis` is not an axis of `x`.
    PrecisionError, DeviceError
        As for `fft`.

    See Also
    --------
    idst : The inverse.
    dstn : Along several axes.
    dct : The cosine transform.

    Notes
    -----
    The cosine transform of the same numbers with every other sign changed, or in reverse, which
    costs nothing as kernels load and store.

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
    """Compute the inverse of `dst` of a type along one axis.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array, shape (..., m, ...)
        Input. float32 and complex64 (and float16) are transformed in single precision, all other
        dtypes in double. Of complex numbers the real and the imaginary part are each transformed by
        itself.
    type : {1, 2, 3, 4}
        Which of the transforms I to IV, as SciPy defines them. Type 1 takes a single number, too.
    n : int, optional
        How many numbers to transform, by default the length of `axis`. A longer input is cropped,
        a shorter one is padded with zeros at its end.
    axis : int
        Axis to transform; the last one by default.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction carries the factor 1/N, where N is 2 (n + 1) for type 1 and 2 n for the
        others: "backward", the inverse, by default; "ortho" gives both its square root.
    overwrite_x, workers
        As for `fft`.
    orthogonalize : bool, optional
        As for `dct`; type 1 has no such factors.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., n, ...)
        float32 or float64, complex64 or complex128 of complex input.

    Raises
    ------
    TypeError
        `type` is not an integer.
    ValueError
        A length below 1, an unknown type or norm.
    IndexError
        `axis` is not an axis of `x`.
    PrecisionError, DeviceError
        As for `fft`.

    See Also
    --------
    dst : The forward transform.
    idstn : Along several axes.

    Notes
    -----
    Types 1 and 4 are their own inverse, 2 and 3 each other's, but for a factor.

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
        Input. float32 and complex64 (and float16) are transformed in single precision, all other
        dtypes in double. Of complex numbers the real and the imaginary part are each transformed by
        itself.
    type : {1, 2, 3, 4}
        As for `dct`, along every axis.
    s : int or sequence of int, optional
        How many numbers to transform along each of `axes`, by default their lengths. Along each
        axis a longer input is cropped, a shorter one is padded with zeros at its end; -1 stands for
        the axis's own length.
    axes : int or sequence of int, optional
        Axes to transform. By default the last ``len(s)`` axes, or all of them without `s`.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction carries the factor 1/N, where N is the product over the axes of what it is
        for `dct`: "backward", the inverse, by default; "ortho" gives both its square root.
    overwrite_x, workers
        As for `fft`.
    orthogonalize : bool, optional
        As for `dct`.

    Returns
    -------
    ndarray or pyopencl.array.Array
        Shaped like `x` but for the lengths in `s`; dtypes as of `dct`.

    Raises
    ------
    TypeError
        `type` is not an integer.
    ValueError
        Axes that `x` lacks or that repeat, lengths that do not fit the axes or are too short, an
        unknown type or norm.
    PrecisionError, DeviceError
        As for `fft`.

    See Also
    --------
    idctn : The inverse.
    dct : Along one axis.
    dstn : The sine transform.

    Notes
    -----
    One axis after the other; along all but the last one, neighbours in memory are transformed side
    by side.

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
    """Compute the inverse of `dctn` of a type.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array
        Input. float32 and complex64 (and float16) are transformed in single precision, all other
        dtypes in double. Of complex numbers the real and the imaginary part are each transformed by
        itself.
    type : {1, 2, 3, 4}
        As for `dct`, along every axis.
    s : int or sequence of int, optional
        How many numbers to transform along each of `axes`, by default their lengths. Along each
        axis a longer input is cropped, a shorter one is padded with zeros at its end; -1 stands for
        the axis's own length.
    axes : int or sequence of int, optional
        Axes to transform. By default the last ``len(s)`` axes, or all of them without `s`.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction carries the factor 1/N, where N is the product over the axes of what it is
        for `dct`: "backward", the inverse, by default; "ortho" gives both its square root.
    overwrite_x, workers
        As for `fft`.
    orthogonalize : bool, optional
        As for `dct`.

    Returns
    -------
    ndarray or pyopencl.array.Array
        Shaped like `x` but for the lengths in `s`; dtypes as of `dct`.

    Raises
    ------
    TypeError
        `type` is not an integer.
    ValueError
        Axes that `x` lacks or that repeat, lengths that do not fit the axes or are too short, an
        unknown type or norm.
    PrecisionError, DeviceError
        As for `fft`.

    See Also
    --------
    dctn : The forward transform.
    idct : Along one axis.

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
        Input. float32 and complex64 (and float16) are transformed in single precision, all other
        dtypes in double. Of complex numbers the real and the imaginary part are each transformed by
        itself.
    type : {1, 2, 3, 4}
        As for `dst`, along every axis.
    s : int or sequence of int, optional
        How many numbers to transform along each of `axes`, by default their lengths. Along each
        axis a longer input is cropped, a shorter one is padded with zeros at its end; -1 stands for
        the axis's own length.
    axes : int or sequence of int, optional
        Axes to transform. By default the last ``len(s)`` axes, or all of them without `s`.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction carries the factor 1/N, where N is the product over the axes of what it is
        for `dst`: "backward", the inverse, by default; "ortho" gives both its square root.
    overwrite_x, workers
        As for `fft`.
    orthogonalize : bool, optional
        As for `dct`.

    Returns
    -------
    ndarray or pyopencl.array.Array
        Shaped like `x` but for the lengths in `s`; dtypes as of `dct`.

    Raises
    ------
    TypeError
        `type` is not an integer.
    ValueError
        Axes that `x` lacks or that repeat, lengths that do not fit the axes or are too short, an
        unknown type or norm.
    PrecisionError, DeviceError
        As for `fft`.

    See Also
    --------
    idstn : The inverse.
    dst : Along one axis.
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
    """Compute the inverse of `dstn` of a type.

    Parameters
    ----------
    x : array_like or pyopencl.array.Array
        Input. float32 and complex64 (and float16) are transformed in single precision, all other
        dtypes in double. Of complex numbers the real and the imaginary part are each transformed by
        itself.
    type : {1, 2, 3, 4}
        As for `dst`, along every axis.
    s : int or sequence of int, optional
        How many numbers to transform along each of `axes`, by default their lengths. Along each
        axis a longer input is cropped, a shorter one is padded with zeros at its end; -1 stands for
        the axis's own length.
    axes : int or sequence of int, optional
        Axes to transform. By default the last ``len(s)`` axes, or all of them without `s`.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction carries the factor 1/N, where N is the product over the axes of what it is
        for `dst`: "backward", the inverse, by default; "ortho" gives both its square root.
    overwrite_x, workers
        As for `fft`.
    orthogonalize : bool, optional
        As for `dct`.

    Returns
    -------
    ndarray or pyopencl.array.Array
        Shaped like `x` but for the lengths in `s`; dtypes as of `dct`.

    Raises
    ------
    TypeError
        `type` is not an integer.
    ValueError
        Axes that `x` lacks or that repeat, lengths that do not fit the axes or are too short, an
        unknown type or norm.
    PrecisionError, DeviceError
        As for `fft`.

    See Also
    --------
    dstn : The forward transform.
    idst : Along one axis.

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
    """Transform; complex numbers are real ones, two along one more axis."""
    precision, real = READABLE[array.dtype]
    if real:
        return execute(kind, direction, array, lengths, axes, norm, orthogonalize)
    if isinstance(array, np.ndarray):
        array = contiguous(array)
    parts = array.view(REAL_DTYPE[precision]).reshape(*array.shape, 2)
    result = execute(kind, direction, parts, lengths, axes, norm, orthogonalize)
    return result.view(array.dtype).reshape(result.shape[:-1])


def _kind(base: str, type: int) -> str:
    """Return what a plan calls the transform.

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
