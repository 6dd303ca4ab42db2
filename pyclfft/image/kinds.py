"""The kinds of filters whose gains the host computes once, beside the four of `bands.py`.

Each kind is a function in the table `MAKERS`. Its keyword parameters are the options that the kind
takes; it checks them and returns a rule, which knows the gain of every frequency. A rule becomes a
mask (`masks.py`), so that no kernel knows of kinds.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import atan2, degrees, hypot, isfinite
from typing import Any

import numpy as np

from ..errors import PlanError
from ..planning.problem import choose
from ..planning.slabs import ranges
from .bands import KINDS, SHAPES, Band, Cutoff, band_gains, make_band, smooth_lowpass

Plane = tuple[int, int]
Points = tuple[tuple[float, float], ...]

STRIPES = ("none", "horizontal", "vertical")
AUTO = "auto"  # points of a notch that are to be found in the image
GAINS_AT_ONCE = 2**20  # which the host computes together


class Rule(ABC):
    """What a filter leaves of every frequency.

    Attributes
    ----------
    symmetric : bool
        Frequencies (fy, fx) and (-fy, -fx) have the same gain, so that half of them tell all.
    logarithmic : bool
        The filter is applied to the logarithm of the brightness.
    """

    symmetric: bool = True
    logarithmic: bool = False

    @property
    def details(self) -> tuple[str, ...]:
        """Lines, for people, that say more than `str`."""
        return ()

    @abstractmethod
    def gains(self, rows: np.ndarray, columns: np.ndarray, plane: Plane) -> np.ndarray:
        """Return the gains of the bins in some rows and columns of a spectrum.

        Parameters
        ----------
        rows, columns : ndarray of int
            The indices of the bins, from 0 for DC.
        plane : (int, int)
            The rows and columns of the whole spectrum.

        Returns
        -------
        ndarray of float64, shape ``rows.shape + columns.shape``
        """


def frequencies(bins: np.ndarray, length: int) -> np.ndarray:
    """Return the frequencies of bins in cycles a pixel, -1/2 .. 1/2, as numpy.fft.fftfreq does."""
    return np.where(bins < (length + 1) // 2, bins, bins - length) / length


def computed_gains(rule: Rule, plane: Plane, half: bool, dtype: Any) -> np.ndarray:
    """Return the gains of a rule for a spectrum, or for its columns 0 .. n // 2.

    Parameters
    ----------
    rule : Rule
        The rule.
    plane : (int, int)
        The rows and columns of the whole spectrum.
    half : bool
        Whether the result has the half of the columns.
    dtype : dtype
        The dtype of the result.

    Returns
    -------
    ndarray, shape (rows, columns) or (rows, columns // 2 + 1)
    """
    height, width = plane
    columns = np.arange(width // 2 + 1 if half else width)
    gains = np.empty((height, columns.size), dtype)
    for part in ranges(height, -(-gains.size // GAINS_AT_ONCE)):
        gains[part] = rule.gains(np.arange(height)[part], columns, plane)
    return gains


# --- profiles -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Profile:
    """How a gain goes from 1, at the distance 0, to 0, far beyond the distance `width`.

    Attributes
    ----------
    width : float
        The distance at which an ideal profile ends, a Gaussian one has fallen to exp(-1/2), and a
        Butterworth one to 1/2.
    shape : str
        One of `SHAPES`.
    order : float
        The order of a Butterworth profile.
    """

    width: float
    shape: str
    order: float

    def __str__(self) -> str:
        return self.shape + f" of order {self.order:g}" * (self.shape == "butterworth")

    def __call__(self, squared: np.ndarray) -> np.ndarray:
        """Return the gains at some squared distances."""
        if self.shape == "ideal":
            return (squared < self.width**2).astype(float)
        return smooth_lowpass(squared / self.width**2, self.shape, self.order)


def make_profile(what: str, width: float, shape: str | None, order: float | None) -> Profile:
    """Check the description of a profile, which is Gaussian by default."""
    _require_number(what, width, above=0)
    shape = "gaussian" if shape is None else shape
    choose("shape", shape, SHAPES)
    if order is None:
        return Profile(float(width), shape, 2)
    if shape != "butterworth":
        raise PlanError(
            f"order is the order of a Butterworth profile, and the shape is {shape}: add "
            'shape="butterworth", or leave out order'
        )
    _require_number("order", order, above=0)
    return Profile(float(width), shape, float(order))


# --- notches --------------------------------------------------------------------------------------


def period_and_angle(point: tuple[float, float]) -> tuple[float, float]:
    """Return the period, in pixels, and the angle, in degrees, of the wave of a frequency.

    Parameters
    ----------
    point : (float, float)
        The frequency (fy, fx), in cycles a pixel.
    """
    y, x = point
    return 1 / hypot(y, x), degrees(atan2(-y, x)) % 180


@dataclass(frozen=True)
class Notch(Rule):
    """A filter that stops the surroundings of some frequencies."""

    points: Points
    profile: Profile
    mirrored: bool

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """Frequencies are stopped in pairs."""
        return self.mirrored

    def gains(self, rows: np.ndarray, columns: np.ndarray, plane: Plane) -> np.ndarray:
        """Return the product of what each notch leaves; DC stays, and so does the mean."""
        fy, fx = (frequencies(*each) for each in zip((rows, columns), plane, strict=True))
        stopped = dict.fromkeys(self.points)
        if self.mirrored:
            stopped |= dict.fromkeys((-y, -x) for y, x in self.points)
        gains = np.ones(fy.shape + fx.shape)
        for y, x in stopped:
            squared = np.add.outer(_around(fy - y) ** 2, _around(fx - x) ** 2)
            gains *= 1 - self.profile(squared)
        gains[np.logical_and.outer(rows == 0, columns == 0)] = 1
        return gains

    @property
    def details(self) -> tuple[str, ...]:
        """Each point, with the period and the angle of its wave."""
        waves = zip(self.points, map(period_and_angle, self.points), strict=True)
        return tuple(
            f"({y:.4f}, {x:.4f}): period {period:.2f} px, angle {angle:.1f} degrees"
            for (y, x), (period, angle) in waves
        )

    def __str__(self) -> str:
        return (
            f"notch at {len(self.points)} point{'s' * (len(self.points) != 1)} (fy, fx) in "
            f"cycles/px, radius {self.profile.width:.4g}, {self.profile}"
        )


def notch(
    size: Plane,
    plane: Plane,
    *,
    points: Sequence[tuple[float, float]] | None = None,
    radius: float | None = None,
    shape: str | None = None,
    order: float | None = None,
    mirrored: bool = True,
    keep_dc: bool = True,
) -> Notch:
    """Stop the surroundings of `points`, (fy, fx) in cycles a pixel."""
    if isinstance(points, str):
        raise PlanError(
            f"points is a list of (fy, fx) in cycles a pixel, not {points!r}: for an image's own "
            "peaks take the list that find_notches(image) returns"
        )
    if points is None:
        raise PlanError(f'notch needs points=[(fy, fx), ...] in cycles a pixel, or points="{AUTO}"')
    radius = 3 / min(size) if radius is None else radius
    try:
        checked = tuple(_point(each) for each in points)
    except TypeError:
        raise PlanError(f"points is a list of (fy, fx) in cycles a pixel, not {points!r}") from None
    return Notch(checked, make_profile("radius", radius, shape, order), bool(mirrored))


def _point(point: Any) -> tuple[float, float]:
    """Return a point of a spectrum as two floats."""
    try:
        y, x = map(float, point)
    except (TypeError, ValueError):
        raise PlanError(f"a point is (fy, fx), in cycles a pixel, not {point!r}") from None
    if not (abs(y) <= 0.5 and abs(x) <= 0.5):
        raise PlanError(
            f"a point's frequencies are -0.5 to 0.5 cycles a pixel, not {point!r}: divide bins by "
            "the image's side"
        )
    if not hypot(y, x):
        raise PlanError('a notch at (0, 0) would remove the image\'s mean: use kind="highpass"')
    return y, x


def _around(difference: np.ndarray) -> np.ndarray:
    """Return differences of frequencies, which wrap round at half a cycle a pixel."""
    return difference - np.rint(difference)


# --- directions -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Directional(Rule):
    """A filter that passes, or stops, the waves that run in some directions."""

    angle: float
    profile: Profile
    stop: bool

    def gains(self, rows: np.ndarray, columns: np.ndarray, plane: Plane) -> np.ndarray:
        """Return the gains by the angle between each frequency and the filter's own direction.

        A bin at half a cycle a pixel stands for both signs of this frequency, so that it has the
        mean of two gains. DC has no direction and passes.
        """
        fy, fx = (frequencies(*each) for each in zip((rows, columns), plane, strict=True))
        gains = self._passed(fy, fx)
        of_two_signs = np.logical_or.outer(fy == -0.5, fx == -0.5)
        if of_two_signs.any():
            gains = np.where(of_two_signs, (gains + self._passed(-fy, fx)) / 2, gains)
        gains[np.logical_and.outer(rows == 0, columns == 0)] = 1
        return gains

    def _passed(self, fy: np.ndarray, fx: np.ndarray) -> np.ndarray:
        angles = np.degrees(np.arctan2.outer(-fy, fx))  # rows count downwards, angles upwards
        apart = angles - self.angle
        apart -= 180 * np.rint(apart / 180)  # a wave runs in two directions
        passed = self.profile(apart**2)
        return 1 - passed if self.stop else passed

    def __str__(self) -> str:
        return (
            f"directional, {'stops' if self.stop else 'passes'} waves at {self.angle:g} degrees, "
            f"width {2 * self.profile.width:g} degrees, {self.profile}"
        )


def directional(
    size: Plane,
    plane: Plane,
    *,
    angle: float | None = None,
    width: float = 30,
    stop: bool = False,
    shape: str | None = None,
    order: float | None = None,
    keep_dc: bool = True,
) -> Directional:
    """Pass, or stop, the waves at `angle`: degrees, from 0 for vertical stripes, anticlockwise."""
    if angle is None:
        raise PlanError("directional needs angle=, in degrees: 0 is the angle of vertical stripes")
    _require_number("angle", angle)
    profile = make_profile("width", width, shape, order)
    if width > 180:
        raise PlanError(f"width is at most 180 degrees, which are all directions, not {width:g}")
    half = Profile(profile.width / 2, profile.shape, profile.order)
    return Directional(float(angle), half, bool(stop))


# --- emphasis -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Emphasis(Rule):
    """A filter that gives low frequencies one gain, and high ones another.

    Attributes
    ----------
    name : str
        The kind.
    lowpass : Band
        The low pass that says which frequencies are low.
    low, high : float
        The gains of the lowest and of the highest frequencies.
    keep_dc : bool
        DC passes unchanged.
    logarithmic : bool
        The filter is applied to the logarithm of the brightness.
    """

    name: str
    lowpass: Band
    low: float
    high: float
    keep_dc: bool
    logarithmic: bool = False

    def gains(self, rows: np.ndarray, columns: np.ndarray, plane: Plane) -> np.ndarray:
        """Return the gains, which go from `low` to `high` as the low pass goes from 1 to 0."""
        away = (
            np.minimum(bins, length - bins).astype(np.uint64)
            for bins, length in zip((rows, columns), plane, strict=True)
        )
        gains = self.high + (self.low - self.high) * band_gains(self.lowpass, *away)
        if self.keep_dc:
            gains[np.logical_and.outer(rows == 0, columns == 0)] = 1
        return gains

    def __str__(self) -> str:
        kept = ", DC kept" * self.keep_dc
        return f"{self.name}, gains {self.low:g} to {self.high:g} beside a {self.lowpass}{kept}"


def unsharp(size: Plane, plane: Plane, *, amount: float = 1, **described: Any) -> Emphasis:
    """Add `amount` times the image's high pass to the image."""
    _require_number("amount", amount)
    return _emphasis("unsharp", size, plane, 1, 1 + amount, **described)


def highboost(size: Plane, plane: Plane, *, boost: float = 1.5, **described: Any) -> Emphasis:
    """Take the image's low pass from `boost` times the image."""
    _require_number("boost", boost)
    return _emphasis("highboost", size, plane, boost - 1, boost, **described)


def homomorphic(
    size: Plane, plane: Plane, *, gains: tuple[float, float] = (0.5, 1.5), **described: Any
) -> Emphasis:
    """Weigh low and high frequencies of the logarithm of the brightness by two `gains`."""
    try:
        low, high = gains
    except (TypeError, ValueError):
        raise PlanError(f"gains are those of low and of high frequencies, not {gains!r}") from None
    for each in (low, high):
        _require_number("a gain", each)
    return _emphasis("homomorphic", size, plane, low, high, logarithmic=True, **described)


def _emphasis(
    name: str,
    size: Plane,
    plane: Plane,
    low: float,
    high: float,
    *,
    logarithmic: bool = False,
    cutoff: Cutoff = None,
    unit: str | None = None,
    shape: str | None = None,
    order: float | None = None,
    sigma: float | None = None,
    keep_dc: bool = False,
) -> Emphasis:
    """Return an emphasis; its low pass is Gaussian by default, of 2 pixels or of large surfaces."""
    if cutoff is None and sigma is None:
        if unit is not None or shape not in (None, "gaussian"):
            raise PlanError(f"{name} with a unit or a shape of its own needs a cutoff")
        sigma = min(size) / 16 if logarithmic else 2
    if cutoff is not None and shape is None:
        shape = "gaussian"
    band = make_band(
        size, plane, "lowpass", cutoff, unit=unit, shape=shape, order=order, sigma=sigma
    )
    return Emphasis(name, band, float(low), float(high), bool(keep_dc), logarithmic)


# --- ImageJ ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ImageJ(Rule):
    """The band pass of ImageJ's command "FFT > Bandpass Filter...".

    Attributes
    ----------
    large, small : float
        Structures of at least so many pixels, and of at most so many, are suppressed.
    stripes : {"none", "horizontal", "vertical"}
        Which stripes are suppressed.
    tolerance : float
        How far their direction may be off, in percent.
    side : int
        The side of the square in which ImageJ transforms the image: stripes are told from other
        structures by how many bins of this square lie between them and DC.
    """

    large: float
    small: float
    stripes: str
    tolerance: float
    side: int

    def gains(self, rows: np.ndarray, columns: np.ndarray, plane: Plane) -> np.ndarray:
        """Return the gains by ImageJ's formula; DC stays, and so does the mean."""
        fy, fx = (frequencies(*each) for each in zip((rows, columns), plane, strict=True))
        squared = np.add.outer(fy**2, fx**2)
        gains = -np.expm1(-4 * self.large**2 * squared) * np.exp(-4 * self.small**2 * squared)
        if self.stripes != "none":
            across = np.broadcast_to(fx, gains.shape)
            if self.stripes == "vertical":
                across = np.broadcast_to(fy[:, np.newaxis], gains.shape)
            sharpness = 1 - self.tolerance / 100
            gains *= -np.expm1(-((sharpness * self.side * across) ** 2))
        gains[np.logical_and.outer(rows == 0, columns == 0)] = 1
        return gains

    def __str__(self) -> str:
        words = f"imagej, structures of {self.small:g} to {self.large:g} pixels"
        if self.stripes == "none":
            return words
        return f"{words}, no {self.stripes} stripes, tolerance {self.tolerance:g} %"


def imagej_square(size: Plane) -> Plane:
    """Return the rows and columns of ImageJ's transform of an image: an equal power of two.

    It is the least one that is at least half as long again as the longer side.
    """
    side = 2
    while side < 1.5 * max(size):
        side *= 2
    return side, side


def imagej(
    size: Plane,
    plane: Plane,
    *,
    large: float = 40,
    small: float = 3,
    stripes: str = "none",
    tolerance: float = 5,
    keep_dc: bool = True,
) -> ImageJ:
    """Suppress large and small structures, in pixels, and perhaps stripes, as ImageJ does."""
    _require_number("large", large, above=0)
    _require_number("small", small, least=0)
    _require_number("tolerance", tolerance, least=0)
    if tolerance > 100:
        raise PlanError(f"tolerance is a percentage, 0 to 100, not {tolerance:g}")
    choose("stripes", stripes, STRIPES)
    side, _ = imagej_square(size)
    return ImageJ(float(large), float(small), stripes, float(tolerance), side)


# --- the table ------------------------------------------------------------------------------------

MAKERS: dict[str, Callable[..., Rule]] = {
    "notch": notch,
    "directional": directional,
    "unsharp": unsharp,
    "highboost": highboost,
    "homomorphic": homomorphic,
    "imagej": imagej,
}
ALL_KINDS = (*KINDS, *MAKERS)


@lru_cache
def options_of(kind: str) -> tuple[str, ...]:
    """Return the names of the options that a kind takes."""
    parameters = dict(inspect.signature(MAKERS.get(kind, make_band)).parameters)
    if "described" in parameters:
        parameters |= inspect.signature(_emphasis).parameters
    return tuple(
        name
        for name, each in parameters.items()
        if name == "cutoff" or (each.kind is each.KEYWORD_ONLY and name != "logarithmic")
    )


def make_rule(size: Plane, plane: Plane, kind: str, options: dict[str, Any]) -> Band | Rule:
    """Check a filter's description.

    Parameters
    ----------
    size, plane : (int, int)
        The height and the width of the image, and those of the transform.
    kind : str
        One of `ALL_KINDS`.
    options : dict
        The options of the kind, without those that nobody has given.

    Returns
    -------
    Band or Rule
        A band for the four radial kinds, a rule for all others.

    Raises
    ------
    PlanError
        A ValueError: there is no such kind, or its options make no sense.
    """
    choose("kind", kind, ALL_KINDS)
    known = options_of(kind)
    unknown = [name for name in options if name not in known]
    if unknown:
        raise PlanError(
            f"{kind} does not take {', '.join(unknown)}: its options are {', '.join(known)}"
        )
    if min(size) < 1:
        raise PlanError(f"an image has at least one pixel, not {size[1]} x {size[0]}")
    if kind in KINDS:
        return make_band(size, plane, kind, **options)
    return MAKERS[kind](size, plane, **options)


def _require_number(
    what: str, value: Any, *, above: float | None = None, least: float | None = None
) -> None:
    """Refuse what is no finite number, or too small a one."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise PlanError(f"{what} is a number, not {value!r}")
    if not isfinite(value):
        raise PlanError(f"{what} must be finite, not {value}")
    if above is not None and not value > above:
        raise PlanError(f"{what} must be above {above:g}, not {value:g}")
    if least is not None and not value >= least:
        raise PlanError(f"{what} must be at least {least:g}, not {value:g}")
