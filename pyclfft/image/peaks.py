"""Peaks in the spectrum of an image: stripes, moire and the dots of halftone prints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from math import atan2, degrees, e, hypot

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..planning.problem import choose

APART = 7  # bins that a peak is greatest in, along each side; two peaks are not closer than half
LOWEST = 3.0  # bins: what lies nearer to DC is the picture's light and shade, and no pattern
ROUNDING = 1e-6  # in parts of the greatest magnitude: what is less tells nothing

CROSS = 15  # bins to each side along its row and its column with which a peak is compared

RING = 9  # bins to each side of a peak with which it is compared
CORE = 3  # bins to each side that belong to the peak itself, of a spectrum with a Hann window
# A peak exceeds half of the bins around it by one factor, and nearly all of them by a third of this
# factor. In noise the greatest of a million bins is 4.5 times their median, so that the first test
# refuses noise. The second test refuses the lines that straight edges leave in a spectrum.
NEARLY_ALL, OF_FACTOR = 0.97, 3
MEAN = 1  # bins to each side of DC over which a Hann window spreads the mean brightness
BLOCK = 16  # bins along each side of the blocks that give a rough background


@dataclass(frozen=True)
class Peak:
    """A wave that stands out of an image's spectrum.

    Attributes
    ----------
    fy, fx : float
        Its frequency down and across, in cycles a pixel. A wave has two places in the spectrum,
        which are mirror images. This is the place with ``fy > 0`` or, if `fy` is 0, with
        ``fx > 0``.
    magnitude : float
        The magnitude of the spectrum there.
    prominence : float
        How many times as great as the magnitudes around it the magnitude is.

    See Also
    --------
    spectrum : Compute the spectrum of an image, and find its peaks.
    find_notches : The frequencies of stripes and moire.
    pyclfft.image.peaks.find_peaks : Find the peaks of a spectrum of your own.
    """

    fy: float
    fx: float
    magnitude: float
    prominence: float

    @property
    def period(self) -> float:
        """The distance from one crest of the wave to the next, in pixels."""
        return 1 / hypot(self.fy, self.fx)

    @property
    def angle(self) -> float:
        """The direction in which the wave goes, in degrees, from 0 up to 180.

        It is counted anticlockwise from the direction to the right, as one sees the picture: 0 for
        vertical stripes, 90 for horizontal ones.
        """
        return degrees(atan2(-self.fy, self.fx)) % 180


def find_peaks(
    magnitude: np.ndarray,
    *,
    window: str | None = None,
    around: str = "cross",
    prominence: float = 8.0,
    lowest_bins: float = LOWEST,
    lowest: float = 0.0,
    limit: int = 20,
) -> tuple[Peak, ...]:
    """Find the peaks of an image's spectrum.

    A peak is greater than all magnitudes near it, and `prominence` times greater than what stands
    around it.

    Parameters
    ----------
    magnitude : ndarray of float, shape (rows, columns)
        The magnitudes of the spectrum of a real image, with DC in the middle, as `fftshift` puts
        it.
    window : {None, "hann", "other"}
        The window by which the image was multiplied; "other" also stands for an image that was
        padded. It decides how a frequency between two bins is told from their magnitudes.
    around : {"cross", "ring"}
        What stands around a peak. "cross": the median of the 31 bins along its row, or of those
        along its column, whichever is greater. So the bright cross that comes of unlike opposite
        edges has no peaks, and `spectrum` can do without a window. "ring": the median of the bins
        that are 4 to 9 bins away, or a third of the magnitude that 97 % of them stay below,
        whichever is greater. So straight edges, which leave lines of any direction, have no peaks,
        and `find_notches` leaves them in the picture. The image was multiplied by a Hann window,
        and the spectrum has 19 rows and 19 columns, or there are no peaks.
    prominence : float
        How many times greater than its surroundings a peak is at least.
    lowest_bins : float
        How many bins a peak is away from DC, at least.
    lowest : float
        The lowest frequency of a peak, in cycles a pixel.
    limit : int
        How many peaks to return at most.

    Returns
    -------
    tuple of Peak
        The most prominent peak first; one peak for both mirrored places of a wave.

    Raises
    ------
    PlanError
        A ValueError: `around` has another value.

    See Also
    --------
    pyclfft.spectrum : Compute the spectrum of an image, and find its peaks.
    pyclfft.find_notches : The frequencies of stripes and moire.
    pyclfft.fftshift : Move the frequency 0 to the middle.

    References
    ----------
    V. K. Jain, W. L. Collins, D. C. Davis, "High-Accuracy Analog Measurements via Interpolated
    FFT", IEEE Transactions on Instrumentation and Measurement 28, 1979, and D. Agrež, "Weighted
    Multipoint Interpolated DFT to Improve Amplitude Estimation of Multifrequency Signal", IEEE
    Transactions on Instrumentation and Measurement 51, 2002, for frequencies between bins without
    a window and with a Hann window.

    Examples
    --------
    >>> import numpy as np
    >>> from pyclfft.image.peaks import find_peaks
    >>> stripes = np.tile(np.sin(2 * np.pi * np.arange(64) / 8), (64, 1))
    >>> (peak,) = find_peaks(np.abs(np.fft.fftshift(np.fft.fft2(stripes))))
    >>> round(peak.period, 3), round(peak.angle, 3)
    (8.0, 0.0)
    """
    choose("around", around, tuple(AROUND))
    rows, columns = _candidates(magnitude, lowest_bins, lowest)
    floor = max(ROUNDING * float(magnitude.max(initial=0)), np.finfo(magnitude.dtype).tiny)
    background = AROUND[around](magnitude, rows, columns, prominence)
    ratios = magnitude[rows, columns] / np.maximum(background, floor)
    order = np.argsort(-ratios, kind="stable")[:limit]
    return tuple(
        _peak(magnitude, int(rows[each]), int(columns[each]), float(ratios[each]), window)
        for each in order[ratios[order] >= prominence]
    )


def _candidates(
    magnitude: np.ndarray, lowest_bins: float, lowest: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and columns of local maxima: one place of each mirrored pair, none near DC.

    Where both places of a pair are neighbours, which happens beside the Nyquist frequency, rounding
    decides which of them is the maximum.
    """
    height, width = magnitude.shape
    size = min(APART, height), min(APART, width)
    greatest = (
        import_module("scipy.ndimage").maximum_filter(magnitude, size=size, mode="wrap")
        == magnitude
    )  # scipy.ndimage takes long to import
    y, x = np.nonzero(greatest & (magnitude > 0))
    down, across = y - height // 2, x - width // 2
    far = np.hypot(down, across) >= lowest_bins
    far &= np.hypot(down / height, across / width) >= lowest
    # Of both places in a spectrum with DC at the corner, the earlier one stands for the pair.
    own, mirrored = ((sign * down % height) * width + sign * across % width for sign in (1, -1))
    sign = np.where(own <= mirrored, 1, -1)
    row, column = (sign * down + height // 2) % height, (sign * across + width // 2) % width
    row, column = np.divmod(np.unique((row * width + column)[far]), width)
    return row, column


# --- what stands around a peak --------------------------------------------------------------------


def _cross(
    magnitude: np.ndarray, rows: np.ndarray, columns: np.ndarray, prominence: float
) -> np.ndarray:
    """Return the median along the row of each place or along its column, the greater of both."""
    return np.maximum(
        _median_along(magnitude, rows, columns, 0), _median_along(magnitude, rows, columns, 1)
    )


def _median_along(
    magnitude: np.ndarray, rows: np.ndarray, columns: np.ndarray, axis: int
) -> np.ndarray:
    """Return the median of the neighbours of each place along an axis, around which it wraps."""
    length = magnitude.shape[axis]
    reach = min(CROSS, (length - 1) // 2)
    steps = np.arange(-reach, reach + 1)
    if axis == 0:
        return np.median(magnitude[(rows[:, None] + steps) % length, columns[:, None]], axis=1)
    return np.median(magnitude[rows[:, None], (columns[:, None] + steps) % length], axis=1)


def _ring(
    magnitude: np.ndarray, rows: np.ndarray, columns: np.ndarray, prominence: float
) -> np.ndarray:
    """Return what half, and a third of what nearly all, of a ring around each place stays below.

    The greater of both counts. Places that cannot be `prominence` times greater have infinity.
    """
    background = np.full(rows.shape, np.inf)
    if min(magnitude.shape) < 2 * RING + 1:
        return background
    # Peaks are rare: a rough background leaves few places for the exact comparison.
    rough = prominence / e * _block_medians(magnitude, rows, columns)
    (places,) = np.nonzero(magnitude[rows, columns] > rough)
    if not places.size:
        return background
    wrapped = np.pad(magnitude, RING, mode="wrap")
    wrapped[
        tuple(slice(RING + n // 2 - MEAN, RING + n // 2 + MEAN + 1) for n in magnitude.shape)
    ] = 0
    across = np.arange(-RING, RING + 1)
    ring = np.maximum.outer(abs(across), abs(across)) > CORE
    squares = sliding_window_view(wrapped, (across.size, across.size))
    neighbours = np.sort(squares[rows[places], columns[places]][:, ring], axis=1)
    count = neighbours.shape[1]
    half, nearly_all = neighbours[:, count // 2], neighbours[:, int(NEARLY_ALL * count)]
    background[places] = np.maximum(half, nearly_all / OF_FACTOR)
    return background


def _block_medians(values: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return the median of the block around each place, of blocks of about 16 by 16 bins."""
    height, width = values.shape
    down, across = max(1, height // BLOCK), max(1, width // BLOCK)
    cut = values[: height // down * down, : width // across * across]
    blocks = cut.reshape(down, height // down, across, width // across)
    medians = np.median(blocks, axis=(1, 3))
    return medians[rows * down // height, columns * across // width]


AROUND: dict[str, Callable[[np.ndarray, np.ndarray, np.ndarray, float], np.ndarray]] = {
    "cross": _cross,
    "ring": _ring,
}


# --- one peak -------------------------------------------------------------------------------------


def _peak(
    magnitude: np.ndarray, row: int, column: int, prominence: float, window: str | None
) -> Peak:
    fy, fx = (
        (place + _between_bins(line, place, window) - len(line) // 2) / len(line)
        for line, place in ((magnitude[:, column], row), (magnitude[row], column))
    )
    down, across = row - magnitude.shape[0] // 2, column - magnitude.shape[1] // 2
    sign = -1 if down < 0 or (down == 0 and across < 0) else 1
    return Peak(sign * fy, sign * fx, float(magnitude[row, column]), prominence)


def _between_bins(line: np.ndarray, place: int, window: str | None) -> float:
    """Return how many bins behind its greatest bin a wave lies, from -1/2 to 1/2."""
    before, peak, after = (float(line[(place + step) % len(line)]) for step in (-1, 0, 1))
    return min(max(BETWEEN_BINS[window](before, peak, after), -0.5), 0.5)


def _without_window(before: float, peak: float, after: float) -> float:
    """Return the place from the greater bin beside the peak; the other one is mostly leakage."""
    greater = max(before, after)
    return greater / (peak + greater) * (1 if after > before else -1)


def _with_hann(before: float, peak: float, after: float) -> float:
    """Return the place, which is exact for a wave alone, from both bins beside the peak."""
    return 2 * (after - before) / (before + 2 * peak + after)


def _with_other(before: float, peak: float, after: float) -> float:
    """Return the place of the top of a parabola through the logarithms."""
    left, top, right = np.log(np.maximum([before, peak, after], ROUNDING * peak))
    curved = left - 2 * top + right
    return float(0.5 * (left - right) / curved) if curved < 0 else 0.0


# By the window: where a wave lies from its greatest bin, from the magnitudes of three bins.
BETWEEN_BINS: dict[str | None, Callable[[float, float, float], float]] = {
    None: _without_window,
    "hann": _with_hann,
    "other": _with_other,
}
