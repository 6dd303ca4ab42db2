"""pyclfft as a backend of scipy.fft: what SciPy's dispatcher calls (uarray's protocol).

``scipy.fft.set_backend(pyclfft)`` finds `__ua_domain__` and `__ua_function__` in the package.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from inspect import signature
from math import inf, prod
from typing import Any

import numpy as np
import pyopencl.array as cl_array

from . import transforms
from .errors import PrecisionError
from .planning.problem import lengths_and_axes

DOMAIN = "numpy.scipy.fft"

DISPATCHED = (
    "fft", "ifft", "fft2", "ifft2", "fftn", "ifftn",
    "rfft", "irfft", "rfft2", "irfft2", "rfftn", "irfftn",
    "hfft", "ihfft", "hfft2", "ihfft2", "hfftn", "ihfftn",
    "dct", "idct", "dctn", "idctn", "dst", "idst", "dstn", "idstn",
    "fht", "ifht",
)  # fmt: skip
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    name: getattr(transforms, name) for name in DISPATCHED
}


def call(method: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Serve a call of one of SciPy's functions, or decline it.

    Parameters
    ----------
    method : function
        SciPy's, whose name says which of ours is meant.
    args, kwargs
        Of the call.

    Returns
    -------
    object
        The result, or NotImplemented for what no device here computes (longdouble, and double
        precision on a device without it): SciPy then asks the next backend, at last itself.
    """
    function = FUNCTIONS.get(method.__name__)
    if function is None:
        return NotImplemented
    try:
        return function(*args, **kwargs)
    except PrecisionError:
        return NotImplemented


@dataclass(frozen=True)
class ScipyBackend:
    """A backend of scipy.fft; see `scipy_backend`.

    Attributes
    ----------
    smallest : int
        Points of the shortest call that it serves.
    """

    smallest: int = 0
    # SciPy's dispatcher keeps its context managers here.
    __ua_cache__: dict[Any, Any] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    __ua_domain__ = DOMAIN

    def __reduce__(self) -> tuple[Any, ...]:
        return ScipyBackend, (self.smallest,)

    def __ua_function__(
        self, method: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Serve a call as `call` does, or leave a short one to SciPy."""
        if self.smallest and points_of(method.__name__, args, kwargs) < self.smallest:
            return NotImplemented
        return call(method, args, kwargs)


def scipy_backend(smallest: int = 0) -> ScipyBackend:
    """Return a backend of scipy.fft that leaves short calls to SciPy.

    Parameters
    ----------
    smallest : int
        Points of the shortest call to serve: the elements of the whole array, with the lengths that
        ``n`` or ``s`` gives to its transformed axes. Calls of fewer points go to the next backend,
        at last to SciPy itself. Device arrays are always served, because SciPy takes none. With 0
        the backend serves what the module itself serves.

    Returns
    -------
    ScipyBackend
        For `scipy.fft.set_backend`, `scipy.fft.set_global_backend` and
        `scipy.fft.register_backend`. It can be pickled, which the module cannot.

    Raises
    ------
    TypeError
        `smallest` is not an integer.
    ValueError
        `smallest` is negative.

    See Also
    --------
    fft : One of the functions that it serves.

    Notes
    -----
    A call on a device costs microseconds before the transform begins, in which SciPy is done with
    a short one. ``pyclfft bench --call`` prints from how many points on pyclfft is faster on your
    device.

    `scipy.fft.set_global_backend` puts a backend in the place of SciPy's own implementation. Let
    SciPy have what is left to it then: ``scipy.fft.register_backend("scipy")``.

    Examples
    --------
    >>> import numpy as np, pyclfft, scipy.fft
    >>> with scipy.fft.set_backend(pyclfft.scipy_backend(smallest=2048)):
    ...     short, long = scipy.fft.fft(np.ones(8)), scipy.fft.fft(np.ones(4096))
    >>> print(short[0].real, long[0].real)
    8.0 4096.0
    """
    number = operator.index(smallest)
    if number < 0:
        raise ValueError(f"smallest is {number}, must be 0 or more")
    return ScipyBackend(number)


def points_of(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> float:
    """Return how many points one of SciPy's functions is to transform, batch included.

    Parameters
    ----------
    name : str
        Of the function.
    args, kwargs
        Of its call.

    Returns
    -------
    float
        A whole number; infinite for what SciPy cannot serve: functions that we do not know, device
        arrays, and calls that pyclfft is to refuse in its own words.
    """
    try:
        given = {**_defaults(name), **dict(zip(_defaults(name), args, strict=False)), **kwargs}
        x, *_ = given.values()
        if isinstance(x, cl_array.Array):
            return inf
        shape, lengths = np.shape(x), given.get("n", given.get("s"))
        if lengths is None:
            return prod(shape)
        axes = given.get("axis", given.get("axes"))
        lengths, axes = lengths_and_axes(shape, lengths, axes)
        return prod((*lengths, *(n for axis, n in enumerate(shape) if axis not in axes)))
    except (KeyError, TypeError, ValueError):
        return inf


@cache
def _defaults(name: str) -> dict[str, Any]:
    """Return the parameters of a function in order, with their defaults."""
    parameters = signature(FUNCTIONS[name]).parameters.values()
    return {each.name: each.default for each in parameters}
