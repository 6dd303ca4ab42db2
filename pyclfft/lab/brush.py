"""The brush: strokes on a spectrum become gains.

The browser draws strokes and sends them as lists of points. The spectrum of a real image has every
frequency twice, so each stroke is drawn a second time, mirrored at DC.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import PlanError

WHITE = 65535  # a mask is a picture of 16 bits: white passes, black stops
MAX_STROKES = 500
MAX_POINTS = 5000  # of one stroke
MAX_RADIUS = 1000.0
MAX_PLACE = 1e6

MODES = {"erase": 0.0, "restore": 1.0}  # the gain that a stroke leaves behind


@dataclass(frozen=True)
class Stroke:
    """A line along which a round brush was drawn.

    Attributes
    ----------
    mode : str
        One of `MODES`.
    radius : float
        The radius of the brush in bins.
    points : tuple of (float, float)
        Where the line goes: (row, column) in bins from DC.
    """

    mode: str
    radius: float
    points: tuple[tuple[float, float], ...]


def parse_stroke(sent: Any) -> Stroke:
    """Return a stroke that the browser has sent.

    Parameters
    ----------
    sent : mapping
        ``{"mode": str, "radius": number, "points": [[row, column], ...]}``.

    Raises
    ------
    PlanError
        It is no stroke, or one of too many points.
    """
    try:
        if not isinstance(sent, Mapping):
            raise TypeError
        points = tuple((float(row), float(column)) for row, column in sent["points"])
        stroke = Stroke(sent["mode"], float(sent["radius"]), points)
        is_near = all(abs(place) <= MAX_PLACE for point in points for place in point)
        is_right = stroke.mode in MODES and 0 < stroke.radius <= MAX_RADIUS
        is_right &= is_near and 1 <= len(points) <= MAX_POINTS
    except (KeyError, TypeError, ValueError):
        is_right = False
    if not is_right:
        raise PlanError(
            f"a stroke has the mode erase or restore, a radius up to {MAX_RADIUS:g} bins, and 1 to "
            f"{MAX_POINTS} points"
        )
    return stroke


def painted(size: tuple[int, int], strokes: Sequence[Stroke]) -> np.ndarray:
    """Return what strokes leave of each frequency.

    Parameters
    ----------
    size : (int, int)
        The rows and columns of the spectrum.
    strokes : sequence of Stroke
        The strokes, in the order in which they were drawn.

    Returns
    -------
    ndarray of float32, shape `size`
        1 where nothing was erased, 0 where it was; DC at [0, 0].
    """
    gains = np.ones(size, np.float32)
    for stroke in strokes:
        draw(gains, stroke)
    return gains


def draw(gains: np.ndarray, stroke: Stroke) -> None:
    """Draw a stroke, and its mirror image, into gains with DC at [0, 0]."""
    touched = np.zeros(gains.shape, bool)
    ends = stroke.points[1:] or stroke.points
    for begin, end in zip(stroke.points, ends, strict=False):
        _touch(touched, np.array(begin), np.array(end), stroke.radius)
    touched |= np.roll(touched[::-1, ::-1], (1, 1), (0, 1))  # frequency -f beside each frequency f
    gains[touched] = MODES[stroke.mode]


def _touch(touched: np.ndarray, begin: np.ndarray, end: np.ndarray, radius: float) -> None:
    """Mark all bins that lie within a distance of a straight line."""
    axes = []
    for axis, length in enumerate(touched.shape):
        low = int(np.ceil(min(begin[axis], end[axis]) - radius))
        high = int(np.floor(max(begin[axis], end[axis]) + radius))
        # No further than the spectrum reaches: what lies beyond would come in on the other side.
        axes.append(np.arange(max(low, -(length // 2)), min(high, (length - 1) // 2) + 1))
    rows, columns = np.meshgrid(*axes, indexing="ij", sparse=True)
    across = end - begin
    square = float(across @ across) or 1.0
    along = ((rows - begin[0]) * across[0] + (columns - begin[1]) * across[1]) / square
    along = np.clip(along, 0, 1)
    distance = (rows - begin[0] - along * across[0]) ** 2
    distance = distance + (columns - begin[1] - along * across[1]) ** 2
    touched[np.ix_(*(a % n for a, n in zip(axes, touched.shape, strict=True)))] |= (
        distance <= radius**2
    )


def levels(gains: np.ndarray) -> np.ndarray:
    """Return gains 0 .. 1 as the pixels of a mask's picture, DC in the middle.

    Returns
    -------
    ndarray of uint16
    """
    return np.fft.fftshift(np.rint(gains.astype(np.float64) * WHITE).astype(np.uint16))


def gains_of(pixels: np.ndarray) -> np.ndarray:
    """Return the gains that a mask's picture stands for.

    Parameters
    ----------
    pixels : ndarray of uint16
        As `levels` returns them. `read_gains` returns the same gains for the picture's file.

    Returns
    -------
    ndarray of float32
        DC at [0, 0].
    """
    return np.fft.ifftshift(pixels).astype(np.float32) / np.float32(WHITE)
