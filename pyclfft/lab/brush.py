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


def draw(gains: np.ndarray, stroke: Stroke, size: tuple[int, int]) -> None:
    """Draw a stroke, and its mirror image, into gains.

    Parameters
    ----------
    gains : ndarray, shape (rows, columns) of a transform
        The gains, DC at [0, 0].
    stroke : Stroke
        The stroke.
    size : (int, int)
        The rows and columns of the image, in whose bins the stroke counts. The transform of a
        padded image has more bins for the same frequencies.
    """
    touched = np.zeros(gains.shape, bool)
    steps = [n / bins for n, bins in zip(size, gains.shape, strict=True)]
    ends = stroke.points[1:] or stroke.points
    for begin, end in zip(stroke.points, ends, strict=False):
        _touch(touched, np.array(begin), np.array(end), stroke.radius, steps)
    touched |= np.roll(touched[::-1, ::-1], (1, 1), (0, 1))  # frequency -f beside each frequency f
    gains[touched] = MODES[stroke.mode]


def _touch(
    touched: np.ndarray,
    begin: np.ndarray,
    end: np.ndarray,
    radius: float,
    steps: Sequence[float],
) -> None:
    """Mark all bins that lie within a distance of a straight line; `steps` is from bin to bin."""
    axes = []
    for axis, (length, step) in enumerate(zip(touched.shape, steps, strict=True)):
        low = int(np.ceil((min(begin[axis], end[axis]) - radius) / step))
        high = int(np.floor((max(begin[axis], end[axis]) + radius) / step))
        # No further than the spectrum reaches: what lies beyond would come in on the other side.
        axes.append(np.arange(max(low, -(length // 2)), min(high, (length - 1) // 2) + 1))
    places = (bins * step for bins, step in zip(axes, steps, strict=True))
    rows, columns = np.meshgrid(*places, indexing="ij", sparse=True)
    across = end - begin
    square = float(across @ across) or 1.0
    along = ((rows - begin[0]) * across[0] + (columns - begin[1]) * across[1]) / square
    along = np.clip(along, 0, 1)
    distance = (rows - begin[0] - along * across[0]) ** 2
    distance = distance + (columns - begin[1] - along * across[1]) ** 2
    touched[np.ix_(*(a % n for a, n in zip(axes, touched.shape, strict=True)))] |= (
        distance <= radius**2
    )
