"""Windows of frames: by the names of scipy.signal.get_window, or the values that a caller gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np

from ..errors import PlanError

Window = str | float | tuple[Any, ...] | Callable[[int], Any] | Sequence[float] | np.ndarray

# The types of windows that scipy.signal.get_window takes. If two of these windows are equal, so are
# their weights. This does not hold for a function, which may return other weights at the next call.
NAMES = (str, float, int, tuple)

# The coefficients of windows that are sums of cosines. Only for the others SciPy is imported, which
# takes a second.
COSINES: dict[str, tuple[float, ...]] = {
    "boxcar": (1.0,),
    "rectangular": (1.0,),
    "ones": (1.0,),
    "hann": (0.5, 0.5),
    "hamming": (0.54, 0.46),
    "blackman": (0.42, 0.5, 0.08),
    "nuttall": (0.3635819, 0.4891775, 0.1365995, 0.0106411),
    "blackmanharris": (0.35875, 0.48829, 0.14128, 0.01168),
}


def frame_window(window: Window, length: int, n_fft: int) -> np.ndarray:
    """Return the weight of every point of a frame.

    Parameters
    ----------
    window : str, float, tuple, callable or array_like
        A periodic window as `scipy.signal.get_window` takes it, a function of the length, or the
        window's values.
    length : int
        Points of the window.
    n_fft : int
        Points of a frame. Zeros stand on both sides of a shorter window.

    Returns
    -------
    ndarray of float64, shape (n_fft,)
        The weights, read-only.

    Raises
    ------
    PlanError
        The window is unknown, does not have `length` points, or is longer than a frame.
    """
    if not 1 <= length <= n_fft:
        raise PlanError(f"a window has 1 to n_fft = {n_fft} points: win_length cannot be {length}")
    if isinstance(window, NAMES):
        try:
            return _known(window, length, n_fft)
        except TypeError:  # a tuple with an array in it
            return _centred(_by_scipy(window, length), n_fft)
    given = np.asarray(window(length) if callable(window) else window)
    if given.dtype.kind not in "biuf":
        raise PlanError(
            f"a window is a name, a function or real numbers, not {given.dtype}: see "
            "scipy.signal.get_window"
        )
    values = given.astype(np.float64)
    if values.shape != (length,):
        raise PlanError(
            f"the window has the shape {values.shape}, not ({length},): give it win_length points, "
            "which are n_fft by default"
        )
    return _centred(values, n_fft)


@lru_cache(maxsize=64)
def _known(window: str | float | tuple[Any, ...], length: int, n_fft: int) -> np.ndarray:
    return _centred(window_values(window, length), n_fft)


def window_values(window: str | float | tuple[Any, ...], length: int) -> np.ndarray:
    """Return a periodic window.

    Parameters
    ----------
    window : str, float or tuple
        The window as `scipy.signal.get_window` takes it.
    length : int
        The period, in points.

    Returns
    -------
    ndarray of float64, shape (length,)

    Raises
    ------
    PlanError
        There is no such window.

    References
    ----------
    F. J. Harris, "On the use of windows for harmonic analysis with the discrete Fourier transform",
    Proc. IEEE 66 (1978).
    """
    coefficients = COSINES.get(window) if isinstance(window, str) else None
    if coefficients is None:
        return _by_scipy(window, length)
    if length == 1:
        return np.ones(1)
    angle = 2 * np.pi * np.arange(length) / length
    signed = ((-1) ** k * a * np.cos(k * angle) for k, a in enumerate(coefficients))
    return np.asarray(sum(signed), np.float64)


def dual_window(window: np.ndarray, hop: int, dtype: np.dtype) -> np.ndarray:
    """Return the weights by which frames are multiplied so that their sum is a signal.

    Parameters
    ----------
    window : ndarray, shape (n_fft,)
        The weights by which the frames of the signal have been multiplied.
    hop : int
        Samples from one frame to the next.
    dtype : dtype
        The dtype of samples.

    Returns
    -------
    ndarray of float64, shape (n_fft,)
        The window, divided by the sum of its squares in all frames that hold a sample. Where this
        sum is not above the smallest normal number of `dtype`, nothing is divided.

    References
    ----------
    D. W. Griffin, J. S. Lim, "Signal estimation from modified short-time Fourier transform", IEEE
    Trans. ASSP-32 (1984).
    """
    hops = -(-len(window) // hop)
    squares = np.zeros(hops * hop)
    squares[: len(window)] = window**2
    sums = squares.reshape(hops, hop).sum(axis=0)
    divisors = np.where(sums > np.finfo(dtype).tiny, sums, 1)
    return window / np.tile(divisors, hops)[: len(window)]


def _by_scipy(window: Any, length: int) -> np.ndarray:
    windows = import_module("scipy.signal.windows")
    try:
        return np.asarray(windows.get_window(window, length), np.float64)
    except (ValueError, TypeError) as error:
        raise PlanError(
            f"no window {window!r} ({error}): take one of scipy.signal.windows"
        ) from None


def _centred(values: np.ndarray, n_fft: int) -> np.ndarray:
    before = (n_fft - len(values)) // 2
    padded = np.zeros(n_fft)
    padded[before : before + len(values)] = values
    padded.flags.writeable = False
    return padded
