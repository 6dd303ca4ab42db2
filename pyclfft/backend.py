"""pyclfft as a backend of scipy.fft: what SciPy's dispatcher calls (uarray's protocol).

``scipy.fft.set_backend(pyclfft)`` finds `__ua_domain__` and `__ua_function__` in the package.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from . import transforms
from .errors import PrecisionError

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
