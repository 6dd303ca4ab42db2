"""The fast Hankel transform of logarithmically spaced numbers (FFTLog), as SciPy has it.

Along the last axis, a Fourier transform of real numbers is multiplied by coefficients, transformed
back, and reversed. Two plans do all of this. Hooks multiply by the coefficients and by the powers
that bias the numbers and the results. The product with the coefficients also conjugates and shifts
the phase, which reverses the result.

References
----------
A. J. S. Hamilton, "Uncorrelated modes of the non-linear power spectrum", MNRAS 312 (2000).
"""

from __future__ import annotations

from importlib import import_module
from typing import Any
from warnings import warn

import numpy as np
import pyopencl.array as cl_array
from numpy.typing import ArrayLike

from ..planning.precision import COMPLEX_DTYPE, READABLE
from ..runtime import choice, queues
from ..runtime.cache import BoundedCache, registered
from ..runtime.hooks import Hook
from ..runtime.plan import Plan
from .call import readable

MAX_PLANS = 16

_plans: BoundedCache[tuple[Plan, Plan, str]] = registered("hankel", BoundedCache(MAX_PLANS))

WEIGH = "value *= weights[index % count];"
RESPOND = "value = cmul((cplx)(value.x, -value.y), response[index % count]);"


def fht(
    a: ArrayLike | cl_array.Array, dln: float, mu: float, offset: float = 0.0, bias: float = 0.0
) -> Any:
    """Compute the fast Hankel transform of numbers that are logarithmically spaced.

    Parameters
    ----------
    a : array_like or pyopencl.array.Array, shape (..., n)
        Real numbers a(r); along the last axis, r is logarithmically spaced around a centre.
    dln : float
        The distance of two neighbours in ln r.
    mu : float
        The order of the Bessel function.
    offset : float
        Where the centre of the result lies: ln(k r) for the centres of k and of r.
    bias : float
        The exponent of a power law that is taken out of the numbers and put back into the result.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., n)
        The numbers A(k), float32 or float64.

    Warns
    -----
    UserWarning
        The transform is singular with this bias.

    Raises
    ------
    TypeError
        The input is complex.
    ValueError
        There are no numbers along the last axis.
    PrecisionError, DeviceError
        See `fft`.

    See Also
    --------
    ifht : The inverse.
    fhtoffset : The offset with which the result rings least.

    Notes
    -----
    A call takes two launches or more: a Fourier transform of real numbers, which multiplies its
    spectrum by coefficients as it stores it, and the transform back. The product also conjugates
    the spectrum and shifts its phase, which reverses the result.

    References
    ----------
    A. J. S. Hamilton, "Uncorrelated modes of the non-linear power spectrum", MNRAS 312 (2000).

    Examples
    --------
    >>> import numpy as np, pyclfft
    >>> r = np.logspace(-4, 4, 128)
    >>> a = r * np.exp(-r**2 / 2)  # which is its own transform of order 0
    >>> k = 1 / r[::-1]
    >>> A = pyclfft.fht(a, np.log(r[1] / r[0]), mu=0.0)
    >>> np.allclose(A, k * np.exp(-k**2 / 2), atol=1e-4)
    True
    """
    return _transform(a, dln, mu, offset, bias, inverse=False)


def ifht(
    A: ArrayLike | cl_array.Array,  # noqa: N803  SciPy calls it so
    dln: float,
    mu: float,
    offset: float = 0.0,
    bias: float = 0.0,
) -> Any:
    """Compute the inverse of `fht`; both take the same parameters.

    Parameters
    ----------
    A : array_like or pyopencl.array.Array, shape (..., n)
        Real numbers A(k); along the last axis, k is logarithmically spaced around a centre.
    dln : float
        The distance of two neighbours in ln k.
    mu : float
        The order of the Bessel function.
    offset : float
        Where the centre of the result lies: ln(k r) for the centres of k and of r.
    bias : float
        The exponent of a power law that is taken out of the numbers and put back into the result.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., n)
        The numbers a(r), float32 or float64.

    Warns
    -----
    UserWarning
        The inverse transform is singular with this bias.

    Raises
    ------
    TypeError
        The input is complex.
    ValueError
        There are no numbers along the last axis.
    PrecisionError, DeviceError
        See `fft`.

    See Also
    --------
    fht : The forward transform.
    fhtoffset : The offset with which the result rings least.

    Examples
    --------
    >>> import numpy as np, pyclfft
    >>> a = np.exp(-np.linspace(-3, 3, 64) ** 2)
    >>> np.allclose(pyclfft.ifht(pyclfft.fht(a, 0.1, 0.5), 0.1, 0.5), a)
    True
    """
    return _transform(A, dln, mu, offset, bias, inverse=True)


def fhtoffset(dln: float, mu: float, initial: float = 0.0, bias: float = 0.0) -> Any:
    """Return the offset closest to a wished one with which `fht` rings least.

    Parameters
    ----------
    dln : float
        The distance of two neighbours in ln r.
    mu : float
        The order of the Bessel function.
    initial : float
        The offset that is wished for.
    bias : float
        The exponent of the power law of `fht`.

    Returns
    -------
    float
        An offset for `fht` and `ifht`. It differs from `initial` by ``dln / 2`` at most.

    Raises
    ------
    ZeroDivisionError
        `dln` is 0.

    See Also
    --------
    fht : The transform.

    Notes
    -----
    The coefficient of the highest frequency is a complex number, of which a transform of real
    numbers keeps only the real part. With the offset returned here, its imaginary part is zero (the
    "low-ringing" condition).

    References
    ----------
    A. J. S. Hamilton, "Uncorrelated modes of the non-linear power spectrum", MNRAS 312 (2000).

    Examples
    --------
    >>> import pyclfft
    >>> round(float(pyclfft.fhtoffset(0.1, mu=0.5)), 6)
    -0.027643
    """
    loggamma = import_module("scipy.special").loggamma
    x = 1j * np.pi / (2 * dln)
    phase = loggamma((mu + 1 + bias) / 2 + x).imag + loggamma((mu + 1 - bias) / 2 + x).imag
    turns = (np.log(2) - initial) / dln + phase / np.pi  # a whole number of half turns is real
    return initial + dln * (turns - np.round(turns))


def _transform(a: Any, dln: float, mu: float, offset: float, bias: float, inverse: bool) -> Any:
    array = readable(a)
    if array.dtype.kind == "c":
        raise TypeError("x must be a real sequence")
    if not array.ndim or not array.shape[-1]:
        raise ValueError(f"invalid number of data points in an array of shape {array.shape}")
    layout: tuple[tuple[int, ...] | None, int] = None, 0
    if isinstance(array, cl_array.Array):
        context, layout = array.context, (array.strides, array.offset)
    else:
        context = queues.context_of(choice.default_device())
        if bias:
            array = array.astype(np.float64)  # SciPy multiplies by an array of doubles here
    problem = (array.shape, array.dtype, float(dln), float(mu), float(offset), float(bias), inverse)
    forward, back, warning = _plans.get(
        (context, layout, *problem), lambda: _planned(context, layout, *problem)
    )
    if warning:  # every call warns, also if the plans are in the cache
        warn(warning, stacklevel=3)
    return back(forward(array))


def _planned(
    context: Any,
    layout: tuple[tuple[int, ...] | None, int],
    shape: tuple[int, ...],
    dtype: np.dtype,
    dln: float,
    mu: float,
    offset: float,
    bias: float,
    inverse: bool,
) -> tuple[Plan, Plan, str]:
    """Return both plans, for arrays of this layout (strides and offset), and a warning or ""."""
    n, (strides, first) = shape[-1], layout
    u, warning = coefficients(n, dln, mu, offset, bias, inverse)
    with np.errstate(divide="ignore", invalid="ignore"):
        response = np.conj(1 / np.conj(u) if inverse else u)
    response *= np.exp(2j * np.pi * np.arange(n // 2 + 1) / n)
    hooks = {"store": Hook(RESPOND, response=response, count=n // 2 + 1)}
    hooks_back = {}
    if bias:
        steps = (np.arange(n) - (n - 1) / 2) * dln
        towards, behind = np.exp(-bias * steps), np.exp(-bias * (steps + offset))
        before, after = (1 / behind, 1 / towards) if inverse else (towards, behind)
        hooks["load"] = Hook(WEIGH, weights=before, count=n)
        hooks_back["store"] = Hook(WEIGH, weights=after, count=n)
    spectrum = COMPLEX_DTYPE[READABLE[dtype][0]]
    return (
        Plan(shape, dtype, -1, "r2c", strides=strides, offset=first, hooks=hooks, context=context),
        Plan(shape, spectrum, -1, "c2r", "inverse", hooks=hooks_back, context=context),
        warning,
    )


def coefficients(
    n: int, dln: float, mu: float, offset: float, bias: float, inverse: bool
) -> tuple[np.ndarray, str]:
    """Return the coefficients of the transform, and a warning if the first one is singular.

    They are (k r)^-ix U(bias + ix) with U(x) = 2^x G((mu + 1 + x) / 2) / G((mu + 1 - x) / 2), where
    G is the gamma function and x = 2 pi m / (n dln).

    Parameters
    ----------
    n : int
        How many numbers are transformed.
    dln, mu, offset, bias : float
        The parameters of `fht`.
    inverse : bool
        Whether the coefficients are for the inverse transform, which divides by them.

    Returns
    -------
    ndarray, shape (n // 2 + 1,)
        The coefficients, complex128.
    str
        The warning; empty if no coefficient is singular.
    """
    special = import_module("scipy.special")
    x = 2 * np.pi * np.arange(n // 2 + 1) / (n * dln)
    above, below = (mu + 1 + bias) / 2, (mu + 1 - bias) / 2
    there, back = special.loggamma(above + 0.5j * x), special.loggamma(below + 0.5j * x)
    ratio = there.real - back.real + 1j * (there.imag + back.imag)
    u = np.exp(ratio + np.log(2) * bias + 1j * x * (np.log(2) - offset))
    if n % 2 == 0:
        u[-1] = u[-1].real
    if not np.isfinite(u[0]):  # poles of the two gamma functions may cancel each other
        u[0] = 2**bias * special.poch(below, above - below)
    if np.isinf(u[0]) and not inverse:
        u[0] = 0
        return u, "singular transform; consider changing the bias"
    if u[0] == 0 and inverse:
        u[0] = np.inf
        return u, "singular inverse transform; consider changing the bias"
    return u, ""
