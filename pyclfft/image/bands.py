"""Which frequencies a filter passes: cut-offs in any unit become exact integers for the kernels.

The distance of a bin from DC is sqrt((k_y u_y)^2 + (k_x u_x)^2) with wrapped indices k and the
frequency u of one bin along each side. Squares of such frequencies are rational numbers, so with a
common denominator D every squared distance and every squared cut-off is an integer, and no bin on
the circle falls on its wrong side by rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, isfinite, lcm, pi, sqrt
from typing import Any

import numpy as np

from ..errors import PlanError
from ..planning.problem import choose

KINDS = ("lowpass", "highpass", "bandpass", "bandstop")  # in the order of their numbers in gain.cl
SHAPES = ("ideal", "gaussian", "butterworth")  # in the order of their numbers in gain.cl
TWO_CUTOFFS = ("bandpass", "bandstop")

# unit -> (one bin of the transform in this unit, by the image's and the transform's length;
#          the default cut-off of a high or low pass, by the image's shorter side)
UNITS = {
    "bin": (lambda image, plane: Fraction(image, plane), lambda side: Fraction(side, 8)),
    "nyquist": (lambda image, plane: Fraction(2, plane), lambda side: Fraction(1, 4)),
    "cycles/px": (lambda image, plane: Fraction(1, plane), lambda side: Fraction(1, 8)),
    "px-period": (lambda image, plane: Fraction(1, plane), lambda side: Fraction(8)),
}

Number = int | float | Fraction
Cutoff = Number | Sequence[Number] | None


@dataclass(frozen=True)
class Band:
    """A filter of an image, described by the integers that gain.cl takes.

    Attributes
    ----------
    kind, shape : str
        One of `KINDS`, and one of `SHAPES`.
    row_weight, column_weight : int
        The squared distance of a bin from DC is ``row_weight * dr**2 + column_weight * dc**2``, for
        a bin that is dr rows and dc columns away.
    low, high : Fraction
        The squared cut-offs on this scale; if there is one cut-off, both are equal.
    order : float
        The order of a Butterworth filter.
    keep_dc : bool
        DC passes unchanged.
    text : str
        The filter in words, with the numbers that the caller has given.
    """

    kind: str
    shape: str
    row_weight: int
    column_weight: int
    low: Fraction
    high: Fraction
    order: float
    keep_dc: bool
    text: str = field(default="", compare=False)

    def __str__(self) -> str:
        return self.text

    def greatest_distance(self, rows: int, columns: int) -> int:
        """Return the greatest squared distance in a spectrum, or the cut-offs' if that is more."""
        corner = self.row_weight * (rows // 2) ** 2 + self.column_weight * (columns // 2) ** 2
        return max(corner, ceil(self.low), ceil(self.high))


def make_band(
    image: tuple[int, int],
    plane: tuple[int, int],
    kind: str = "highpass",
    cutoff: Cutoff = None,
    *,
    unit: str | None = None,
    shape: str | None = None,
    order: float | None = None,
    sigma: float | Sequence[float] | None = None,
    keep_dc: bool = False,
) -> Band:
    """Check a filter's description and make it exact.

    Parameters
    ----------
    image, plane : (int, int)
        The height and the width of the image, and those of the transform, which is larger if the
        image is padded.
    kind : {"lowpass", "highpass", "bandpass", "bandstop"}
        Which frequencies pass.
    cutoff : number or (number, number), optional
        One number for a low or high pass, two for a band. The default of a low or high pass is an
        eighth of the shorter side, in bins, or the same frequency in the other units.
    unit : {"bin", "nyquist", "cycles/px", "px-period"}, optional
        The unit of the cut-off: bins of the image's transform (the default); a fraction of the
        Nyquist frequency; cycles a pixel (0 .. 0.5); or pixels a period. In the last unit, too, the
        lower frequency counts as the low cut-off.
    shape : {"ideal", "gaussian", "butterworth"}, optional
        How the filter goes from pass to stop; "ideal" by default, and "gaussian" with `sigma`.
    order : float, optional
        The order of a Butterworth filter, above 0; 2 by default. Other filters have no order.
    sigma : number or (number, number), optional
        In place of `cutoff` and `unit`: the standard deviation, in pixels, of the Gaussian by which
        a Gaussian low pass convolves the image; two of them for a band.
    keep_dc : bool
        Leave DC, and so the image's mean, as it is.

    Returns
    -------
    Band

    Raises
    ------
    PlanError
        A ValueError: the kind, the unit or the shape is unknown, the cut-off makes no sense, or an
        order is given for a filter that is not a Butterworth filter, or sigma for one that is not a
        Gaussian.
    """
    (row_weight, column_weight), fields = exact_band(
        image, plane, "an image", "pixel", kind, cutoff, unit=unit, shape=shape, order=order,
        sigma=sigma, keep_dc=keep_dc,
    )  # fmt: skip
    return Band(row_weight=row_weight, column_weight=column_weight, **fields)


def exact_band(
    sides: tuple[int, ...],
    lengths: tuple[int, ...],
    what: str,
    element: str,
    kind: str,
    cutoff: Cutoff,
    *,
    unit: str | None,
    shape: str | None,
    order: float | None,
    sigma: float | Sequence[float] | None,
    keep_dc: bool,
) -> tuple[tuple[int, ...], dict[str, Any]]:
    """Make a filter's description exact, in any number of dimensions.

    Parameters
    ----------
    sides, lengths : tuple of int
        The sides of what is filtered, and those of its transform, which are longer if it is padded.
    what, element : str
        What is filtered and what it consists of, for errors: "an image" and "pixel".
    kind, cutoff, unit, shape, order, sigma, keep_dc
        The parameters of `make_band`.

    Returns
    -------
    weights : tuple of int
        By dimension, the factor of the squared number of bins in the squared distance from DC.
    fields : dict
        The other fields of `Band`.

    Raises
    ------
    PlanError
        As `make_band` raises it.
    """
    choose("kind", kind, KINDS)
    words = ""
    if sigma is not None:
        _require_gaussian(cutoff, unit, shape)
        cutoff = _cutoff_of_sigma(sigma)
        _require_sigmas(kind, sigma, cutoff)
        words = f"sigma {' to '.join(f'{1 / (2 * pi * each):g}' for each in cutoff[::-1])} px"
        unit, shape = "cycles/px", "gaussian"
    unit = "bin" if unit is None else unit
    shape = "ideal" if shape is None else shape
    choose("shape", shape, SHAPES)
    choose("unit", unit, tuple(UNITS))
    across = " x ".join(map(str, reversed(sides)))
    if min(sides) < 1:
        raise PlanError(f"{what} has at least one {element}, not {across}")
    order = usual_order(order, shape)
    of_one_bin, default = UNITS[unit]
    if cutoff is None and kind in TWO_CUTOFFS:
        raise PlanError(f"{kind} needs two cut-offs: cutoff=(low, high)")
    chosen = default(min(sides)) if cutoff is None else cutoff
    low, high = _frequencies(chosen, kind, unit)

    bins = [of_one_bin(*both) ** 2 for both in zip(sides, lengths, strict=True)]
    farthest = sum(
        (square * (n // 2) ** 2 for square, n in zip(bins, lengths, strict=True)), Fraction(0)
    )
    if cutoff is not None and sigma is None and high**2 > farthest:
        raise PlanError(
            f"cut-off {_shown(chosen)} ({unit}) lies beyond the farthest frequency of {what} of "
            f"{across} {element}s, which is {_farthest(farthest, unit)}"
        )
    denominator = lcm(*(square.denominator for square in bins))
    if farthest * denominator >= 2**64:
        raise PlanError(f"the sides of {what} are too large for exact distances: pad it or cut it")
    fields = {
        "kind": kind,
        "shape": shape,
        "low": low**2 * denominator,
        "high": high**2 * denominator,
        "order": float(order),
        "keep_dc": keep_dc,
        "text": _describe(kind, words or f"{_shown(chosen)} {unit}", shape, order, keep_dc),
    }
    return tuple(int(square * denominator) for square in bins), fields


def usual_order(order: float | None, shape: str) -> float:
    """Return the order of a Butterworth filter, 2 by default; refuse one of another filter."""
    if order is not None and shape != "butterworth":
        raise PlanError(
            f"order is the order of a Butterworth filter, and the shape is {shape}: add "
            'shape="butterworth", or leave out order'
        )
    order = 2 if order is None else order
    if not order > 0 or order == float("inf"):
        raise PlanError(f"order must be above 0 and finite, not {order}")
    return order


def bin_distances(length: int) -> np.ndarray:
    """Return how far each bin of a transform of `length` points lies away from DC, as uint64."""
    bins = np.arange(length, dtype=np.uint64)
    return np.minimum(bins, np.uint64(length) - bins)


def band_gains(band: Band, rows: np.ndarray, columns: np.ndarray, start: int = 0) -> np.ndarray:
    """Compute the gains of a band on the host, as gain.cl does on the device.

    Parameters
    ----------
    band : Band
        The band.
    rows, columns : ndarray of uint64
        How many rows, and how many columns, the wanted bins lie away from DC.
    start : int
        A part of the squared distance that all these bins have in common.

    Returns
    -------
    ndarray of float64, shape ``rows.shape + columns.shape``
    """
    row_weight, column_weight = np.uint64(band.row_weight), np.uint64(band.column_weight)
    down = row_weight * rows * rows + np.uint64(start)
    distances = np.add.outer(down, column_weight * columns * columns)

    def lowpass(cutoff: Fraction) -> np.ndarray:
        if band.shape == "ideal" or not cutoff:
            return (distances < np.uint64(ceil(cutoff))).astype(float)
        return smooth_lowpass(distances / float(cutoff), band.shape, band.order)

    passed = {
        "lowpass": lambda: lowpass(band.high),
        "highpass": lambda: 1 - lowpass(band.low),
        "bandpass": lambda: lowpass(band.high) * (1 - lowpass(band.low)),
        "bandstop": lambda: 1 - lowpass(band.high) * (1 - lowpass(band.low)),
    }[band.kind]()
    return np.where(distances == 0, 1.0, passed) if band.keep_dc else passed


def smooth_lowpass(ratio: np.ndarray, shape: str, order: float) -> np.ndarray:
    """Return the gains of a low pass whose shape is not ideal.

    Parameters
    ----------
    ratio : ndarray
        The squared frequencies, in parts of the squared cut-off.
    shape : {"gaussian", "butterworth"}
        How the filter goes from pass to stop.
    order : float
        The order of a Butterworth filter.

    Returns
    -------
    ndarray of float64, shape of `ratio`
    """
    if shape == "gaussian":
        return np.exp(-0.5 * ratio)
    with np.errstate(over="ignore"):  # far beyond the cut-off the gain is 1 / infinity
        return 1 / (1 + ratio**order)


def _require_gaussian(cutoff: Cutoff, unit: str | None, shape: str | None) -> None:
    """Refuse what contradicts a Gaussian that is described by its standard deviation."""
    if cutoff is not None or unit is not None:
        raise PlanError(
            "sigma, in pixels, takes the place of cutoff and unit: leave out one or the other"
        )
    if shape not in (None, "gaussian"):
        raise PlanError(
            f"sigma is the width of a Gaussian, and the shape is {shape}: leave out shape, or give "
            "a cutoff"
        )


def _cutoff_of_sigma(sigma: float | Sequence[float]) -> tuple[float, ...]:
    """Return the cut-offs, in cycles a pixel, of Gaussians whose width is given in pixels.

    A convolution by exp(-x^2 / (2 sigma^2)) multiplies the spectrum by exp(-2 (pi sigma f)^2),
    which is the Gaussian exp(-f^2 / (2 cutoff^2)) with the cut-off 1 / (2 pi sigma).
    """
    try:
        values = tuple(map(float, np.atleast_1d(np.asarray(sigma, np.float64))))
    except (TypeError, ValueError):
        raise PlanError(f"sigma is a number of pixels, or two of them, not {sigma!r}") from None
    if not all(each > 0 and isfinite(each) for each in values):
        raise PlanError(f"sigma must be above 0 and finite, in pixels, not {sigma}")
    return tuple(sorted(1 / (2 * pi * each) for each in values))


def _require_sigmas(kind: str, sigma: object, cutoffs: tuple[float, ...]) -> None:
    """Refuse one width for a band, two equal ones, and two for a low or a high pass."""
    if kind in TWO_CUTOFFS and len(set(cutoffs)) != 2:
        raise PlanError(f"{kind} needs two different widths: sigma=(1, 4), in pixels, not {sigma}")
    if kind not in TWO_CUTOFFS and len(cutoffs) != 1:
        raise PlanError(f"{kind} needs one width: sigma=2, in pixels, not {sigma}")


def _describe(kind: str, cutoff: str, shape: str, order: float, keep_dc: bool) -> str:
    """Return a filter in words: "highpass 64 bin, butterworth of order 2, DC kept"."""
    words = f"{kind} {cutoff}, {shape}"
    return words + f" of order {order:g}" * (shape == "butterworth") + ", DC kept" * keep_dc


def _frequencies(cutoff: Cutoff, kind: str, unit: str) -> tuple[Fraction, Fraction]:
    """Return the cut-offs as frequencies, low before high."""
    values = tuple(cutoff) if isinstance(cutoff, Sequence) else (cutoff,)
    wanted = 2 if kind in TWO_CUTOFFS else 1
    if len(values) != wanted:
        raise PlanError(f"{kind} needs {wanted} cut-off{'s' * (wanted > 1)}, not {_shown(cutoff)}")
    exact = [_exact(value) for value in values]
    if unit == "px-period":
        if 0 in exact:
            raise PlanError("a period of 0 pixels is no frequency: give one above 0")
        exact = sorted(1 / value for value in exact)
    if wanted == 2 and exact[0] >= exact[1]:
        raise PlanError(f"{kind} needs low < high, not {_shown(cutoff)}")
    return exact[0], exact[-1]


def _exact(value: object) -> Fraction:
    """Return a number as the fraction that its decimal digits mean: 0.1 means one tenth."""
    try:
        number = value if isinstance(value, Fraction) else Fraction(str(value))
    except ValueError:
        raise PlanError(f"a cut-off must be a finite number, not {value!r}") from None
    if number < 0:
        raise PlanError(f"a cut-off must not be negative: {value}")
    return number


def _farthest(square: Fraction, unit: str) -> str:
    frequency = sqrt(square)
    if unit == "px-period":
        return f"{1 / frequency:.4g} (px-period)" if frequency else "none"
    return f"{frequency:.4g} ({unit})"


def _shown(cutoff: Cutoff) -> str:
    values = cutoff if isinstance(cutoff, Sequence) else (cutoff,)
    return " to ".join(f"{float(v):g}" if isinstance(v, Fraction) else str(v) for v in values)
