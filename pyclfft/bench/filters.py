"""The benchmark's image filters: a high pass of an 8-bit image, by its definition and in steps.

A filter is a case like a transform. Its input and its result are 8-bit images, its frequencies are
those of `filter_image` by default, and its greatest value becomes white.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import pyopencl as cl

from ..image.bands import band_gains, bin_distances, make_band
from ..runtime.plan import Plan
from .cases import Workload

WHITE = 255
BOUND = 1e-3  # the relative error of an image of which a few pixels are rounded the other way


def half_mask(lengths: tuple[int, ...]) -> np.ndarray:
    """Return the gains of the filter, for the half of a spectrum that `rfft2` returns."""
    rows, columns = lengths
    down, across = map(bin_distances, (rows, columns))
    gains = band_gains(
        make_band((rows, columns), (rows, columns)), down, across[: columns // 2 + 1]
    )
    return gains.astype(np.float32)


def in_steps(
    image: np.ndarray,
    mask: np.ndarray,
    there: Callable[..., np.ndarray],
    back: Callable[..., np.ndarray],
    real: type[np.floating[Any]] = np.float32,
) -> np.ndarray:
    """Filter an image, or a stack of them, as a program does that has `rfft2` alone.

    Parameters
    ----------
    image : ndarray of uint8, shape (..., rows, columns)
        The image.
    mask : ndarray, shape (rows, columns // 2 + 1)
        The gains.
    there, back : callable
        The functions `rfft2` and `irfft2` of a library.
    real : dtype
        The type of numbers that they are given.

    Returns
    -------
    ndarray of uint8, shape of `image`
        The magnitudes. The greatest one of each image is white.
    """
    values = back(there(image.astype(real)) * mask, s=image.shape[-2:])
    np.abs(values, out=values)
    values *= WHITE / values.max(axis=(-2, -1), keepdims=True)
    return np.rint(values, out=values).astype(np.uint8)


def with_library(
    workload: Workload, source: np.ndarray, name: str, **more: Any
) -> Callable[[], Any]:
    """Return a call that filters in steps by the functions of a module, such as ``scipy.fft``."""
    module, mask = import_module(name), half_mask(workload.case.lengths)
    there, back = (partial(getattr(module, each), **more) for each in ("rfft2", "irfft2"))
    return lambda: in_steps(source, mask, there, back)


def with_plans(workload: Workload, source: np.ndarray, queue: cl.CommandQueue) -> Callable[[], Any]:
    """Return a call that filters in steps by pyclfft's real transforms, on a queue's device."""
    shape, mask = workload.shape, half_mask(workload.case.lengths)
    forward = Plan(shape, np.float32, (1, 2), "r2c", context=queue.context)
    inverse = Plan(shape, np.complex64, (1, 2), "c2r", "inverse", context=queue.context)

    def back(spectrum: np.ndarray, s: tuple[int, ...]) -> Any:
        return inverse(spectrum, queue=queue)

    return lambda: in_steps(source, mask, lambda x: forward(x, queue=queue), back)


def reference(workload: Workload, source: np.ndarray) -> np.ndarray:
    """Return what is expected of the filter, by SciPy in double precision, as float64."""
    module = import_module("scipy.fft")
    there, back = (partial(getattr(module, each), workers=-1) for each in ("rfft2", "irfft2"))
    mask = half_mask(workload.case.lengths)
    return in_steps(source, mask, there, back, np.float64).astype(np.float64)
