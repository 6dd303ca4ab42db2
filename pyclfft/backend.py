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
        SciPy's function; our function of the same name serves the call.
    args, kwargs
        The arguments of the call.

    Returns
    -------
    object
        The result. It is NotImplemented if the device cannot compute it (longdouble, and double
        precision on a device without it): SciPy then asks the next backend, and finally itself.
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
        The least points of a call that the backend serves.

    See Also
    --------
    pyclfft.scipy_backend : Return a backend that leaves short calls to SciPy.
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
        The least points of a call that the backend serves. The points of a call are the elements of
        its whole array, with the lengths that ``n`` or ``s`` gives to the transformed axes. Calls
        of fewer points go to the next backend, and finally to SciPy itself. Calls with device
        arrays are always served, because SciPy cannot serve them. With 0 the backend serves all
        calls that the module ``pyclfft`` serves as a backend.

    Returns
    -------
    ScipyBackend
        The backend, for `scipy.fft.set_backend`, `scipy.fft.set_global_backend` and
        `scipy.fft.register_backend`. Unlike the module, it can be pickled.

    Raises
    ------
    TypeError
        `smallest` is not an integer.
    ValueError
        `smallest` is negative.

    See Also
    --------
    fft : One of the functions that the backend serves.

    Notes
    -----
    A call on a device takes some microseconds before its transform begins. In this time SciPy has
    done a short transform. ``pyclfft bench --call`` prints from how many points on pyclfft is
    faster on your device.

    `scipy.fft.set_global_backend` puts a backend in the place of SciPy's own implementation. After
    it, call ``scipy.fft.register_backend("scipy")``, so that SciPy still serves short calls.

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
        The function's name.
    args, kwargs
        The arguments of its call.

    Returns
    -------
    float
        A whole number, or infinity if the call must not go to SciPy: because it has a device array,
        because we do not know the function, or because pyclfft is to refuse it in its own words.
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
