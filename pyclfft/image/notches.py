"""Peaks of an image's spectrum: what stripes, moire and halftones leave there."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pyopencl.array as cl_array
from numpy.lib.stride_tricks import sliding_window_view

from ..errors import PlanError
from ..transforms import fft2
from ..transforms.call import on_host
from .filter_plans import channel_axis, image_axes

Point = tuple[float, float]

LOWEST = 0.02  # cycles a pixel: below it, and below `LOWEST_BINS`, the picture itself has peaks
LOWEST_BINS = 6
MOST = 64  # points that are returned, the strongest ones
CORE = 3  # bins beside a peak that belong to it, of a spectrum with a Hann window
AROUND = 9  # bins beside a peak with which it is compared
# A peak is so many times as strong as half of the bins around it, and as nearly all of them. In
# noise the greatest of a million bins is 4.5 times their median; the second number refuses lines,
# which straight edges leave in a spectrum.
OVER_MEDIAN, OVER_MOST = 9.0, 3.0
NEARLY_ALL = 0.97


def find_notches(image: Any, *, axes: tuple[int, int] | None = None) -> list[Point]:
    """Find the frequencies of stripes, moire and halftones.

    They are what ``filter_image(image, "notch", points="auto")`` removes.

    Parameters
    ----------
    image : array_like or pyopencl.array.Array
        An image or a stack of images, as `filter_image` takes it. Of a stack and of colours, the
        mean power spectrum counts. A device array is downloaded.
    axes : (int, int), optional
        The axes of a stack's rows and columns, as for `filter_image`.

    Returns
    -------
    list of (float, float)
        The frequencies (fy, fx) of peaks, in cycles a pixel, the strongest one first. Of each peak
        and its mirror image (-fy, -fx), the one with fy > 0 is there, or with fy = 0 and fx > 0.
        The list is empty if there is no peak.

    Raises
    ------
    PlanError
        A ValueError: the array is no image, its pixels are no real numbers, or one is NaN or
        infinite.

    See Also
    --------
    filter_image : Remove what belongs to these frequencies, by the kind "notch".

    Notes
    -----
    A peak is a bin of the spectrum that exceeds both half and nearly all of the bins around it by
    constant factors. A peak below 0.02 cycles a pixel, or below 6 periods across the image, is not
    looked for, because so slow a pattern looks like the picture itself. Lines of text, brickwork
    and whatever else repeats in the picture have peaks, too: look at the list before you remove
    them.

    Examples
    --------
    >>> import numpy as np, pyclfft
    >>> y, x = np.mgrid[:128, :128]
    >>> noise = np.random.default_rng(0).normal(size=(128, 128))
    >>> pyclfft.find_notches(noise + np.cos(2 * np.pi * 0.2 * x))
    [(0.0, 0.2)]
    """
    logarithms = _log_magnitudes(_planes(image, axes))
    height, width = logarithms.shape
    found = []
    for row, column in _candidates(logarithms):
        strength = logarithms[row, column]
        place = [  # a tenth of a bin is as well as a place can be known
            round(index - length // 2 + _offset(logarithms, row, column, axis), 1) / length
            for axis, (index, length) in enumerate(((row, height), (column, width)))
        ]
        found.append((strength, (float(place[0]), float(place[1]))))
    found.sort(key=lambda each: -each[0])
    return [_upward(point) for _, point in found[:MOST]]


def _planes(image: Any, axes: tuple[int, int] | None) -> np.ndarray:
    """Return all images and colours as an array of the shape (planes, rows, columns)."""
    array = image.get() if isinstance(image, cl_array.Array) else on_host(image)
    if array.dtype.kind not in "biuf":
        raise PlanError(f"an image has real pixels, not {array.dtype}")
    rows, columns = image_axes(array.shape, axes)
    colours = channel_axis(array.shape, (rows, columns))
    if colours is not None:
        array = array[..., :3]  # without alpha
    planes = np.moveaxis(array, (rows, columns), (-2, -1))
    planes = planes.reshape(-1, *planes.shape[-2:]).astype(np.float32)
    if not np.isfinite(planes).all():
        raise PlanError("the image holds NaN or infinity: give these pixels a value first")
    return planes


def _log_magnitudes(planes: np.ndarray) -> np.ndarray:
    """Return the logarithm of the mean magnitude of spectra, DC in the middle.

    A Hann window keeps the edges of the images out, and a peak within three bins.
    """
    window = np.outer(*(np.hanning(n + 1)[:-1] for n in planes.shape[1:])).astype(np.float32)
    weight = float(window.sum()) or 1.0
    power = np.zeros(planes.shape[1:])
    for plane in planes:
        mean = float((plane * window).sum()) / weight
        power += np.abs(fft2((plane - np.float32(mean)) * window)) ** 2.0
    return 0.5 * np.log(np.fft.fftshift(power) + np.finfo(np.float32).tiny)


def _candidates(logarithms: np.ndarray) -> list[tuple[int, int]]:
    """Return the rows and columns of peaks in the upper half of a spectrum."""
    height, width = logarithms.shape
    if min(height, width) < 2 * AROUND + 1:
        return []
    fy, fx = (np.arange(n) - n // 2 for n in (height, width))
    bins = np.add.outer((fy / height) ** 2, (fx / width) ** 2)
    lowest = max(LOWEST, LOWEST_BINS / min(height, width))
    # Of two mirror images one; row 0, and row -n / 2 if there is one, are their own mirror images.
    own, right = (fy == 0) | (2 * fy == -height), (fx > 0) | (2 * fx == -width)
    half = (fy > 0)[:, np.newaxis] | np.logical_and.outer(own, right | (fx == 0))
    # Peaks are rare: a rough background, by blocks, leaves few bins for the exact comparison.
    rough = _block_medians(logarithms) + np.log(OVER_MEDIAN) - 1
    maximum_filter = import_module("scipy.ndimage").maximum_filter  # whose import takes long
    highest = maximum_filter(logarithms, 2 * CORE - 1, mode="wrap") == logarithms
    rows, columns = np.nonzero(highest & half & (bins >= lowest**2) & (logarithms > rough))
    if not rows.size:
        return []
    wrapped = np.pad(logarithms, AROUND, mode="wrap")
    around = sliding_window_view(wrapped, (2 * AROUND + 1,) * 2)[rows, columns]
    across = np.arange(-AROUND, AROUND + 1)
    ring = np.maximum.outer(abs(across), abs(across)) > CORE
    neighbours = np.sort(around[:, ring], axis=1)
    median = neighbours[:, neighbours.shape[1] // 2]
    most = neighbours[:, int(NEARLY_ALL * neighbours.shape[1])]
    strength = logarithms[rows, columns]
    peaks = (strength > median + np.log(OVER_MEDIAN)) & (strength > most + np.log(OVER_MOST))
    return list(zip(rows[peaks].tolist(), columns[peaks].tolist(), strict=True))


def _block_medians(values: np.ndarray, side: int = 16) -> np.ndarray:
    """Return the median of the block around each element, of blocks of about `side` by `side`."""
    height, width = values.shape
    down, across = max(1, height // side), max(1, width // side)
    rows, columns = (np.arange(n) * m // n for n, m in ((height, down), (width, across)))
    cut = values[: height // down * down, : width // across * across]
    blocks = cut.reshape(down, height // down, across, width // across)
    return np.median(blocks, axis=(1, 3))[np.ix_(rows, columns)]


def _offset(logarithms: np.ndarray, row: int, column: int, axis: int) -> float:
    """Return where between bins a peak lies: the vertex of the parabola through three bins."""
    before, here, behind = (
        float(logarithms[
            (row + step * (axis == 0)) % logarithms.shape[0],
            (column + step * (axis == 1)) % logarithms.shape[1],
        ])
        for step in (-1, 0, 1)
    )  # fmt: skip
    curvature = before - 2 * here + behind
    return 0.0 if curvature >= 0 else 0.5 * (before - behind) / curvature


def _upward(point: Point) -> Point:
    """Return a point, within half a cycle a pixel, or its mirror image: the one with fy > 0."""
    y, x = (max(-0.5, min(0.5, each)) for each in point)
    if y < 0 or (y == 0 and x < 0):
        y, x = -y, -x
    return y + 0.0, x + 0.0  # 0.0 rather than -0.0
