"""The spectrum of an image as a picture, by matplotlib: magnitudes, peaks and radial profile."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..figures import matplotlib, printable
from .peaks import Peak
from .spectrum import Spectrum

SIZE = (11.0, 5.2)  # width and height in inches
SIDE = 1000  # into as many bins, at most, a side is gathered: the picture has no more pixels
DARKEST, BRIGHTEST = 2.0, 99.98  # percentiles of the levels that become the ends of the colours
RANGE = 120.0  # decibels that the colours span at most
LABELLED = 6  # peaks whose periods are written beside them


def draw(spectrum: Spectrum, title: str = "", details: str = "", colours: str = "magma") -> Any:
    """Draw a spectrum: its levels over both frequencies, its peaks, and its radial profile.

    Parameters
    ----------
    spectrum : Spectrum
        The spectrum of an image.
    title, details : str
        The words above the picture, and smaller ones below them.
    colours : str
        The name of a colour map of matplotlib.

    Returns
    -------
    matplotlib.figure.Figure
        The figure, which pyplot does not know.

    Raises
    ------
    PyclfftError
        matplotlib is not installed.
    """
    figure = matplotlib("matplotlib.figure").Figure(SIZE, layout="constrained")
    plane, line = figure.subplots(1, 2, width_ratios=(1.25, 1))
    decibels = spectrum.decibels
    low, high = np.percentile(decibels, (DARKEST, BRIGHTEST))
    low = min(max(low, high - RANGE), high - 1)
    image = plane.imshow(
        _gathered(decibels), cmap=colours, vmin=low, vmax=high, interpolation="nearest",
        aspect="equal", extent=_extent(spectrum),
    )  # fmt: skip
    plane.set(xlabel="Frequency across (cycles a pixel)", ylabel="Frequency down (cycles a pixel)")
    bar = figure.colorbar(image, ax=plane, pad=0.02, aspect=30, extend="both")
    bar.set_label("Magnitude (dB relative to the greatest)")
    bar.outline.set_linewidth(0.5)
    for number, peak in enumerate(spectrum.peaks):
        _mark(plane, peak, f"{peak.period:.3g} px" if number < LABELLED else "")
    _draw_profile(line, spectrum)
    plane.set_title(printable(title, 60), loc="left", fontsize=12, parse_math=False)
    line.set_title(details, loc="right", fontsize=8.5, color="0.3", parse_math=False)
    return figure


def _extent(spectrum: Spectrum) -> tuple[float, float, float, float]:
    """Return the frequencies at the left, right, lower and upper edge of the drawn bins."""
    (left, right), (top, bottom) = (
        (axis[0] - 0.5 / len(axis), axis[-1] + 0.5 / len(axis))
        for axis in (spectrum.fx, spectrum.fy)
    )
    return left, right, bottom, top


def _gathered(values: np.ndarray) -> np.ndarray:
    """Return the greatest values of blocks, so that no peak falls between the picture's pixels."""
    for axis, length in enumerate(values.shape):
        if length > SIDE:
            edges = np.linspace(0, length, SIDE, endpoint=False).astype(int)
            values = np.maximum.reduceat(values, edges, axis=axis)
    return values


def _mark(axes: Any, peak: Peak, words: str) -> None:
    """Draw a circle around both mirrored places of a peak, and words beside one of them."""
    outline = [matplotlib("matplotlib.patheffects").withStroke(linewidth=2, foreground="black")]
    for sign in (1, -1):
        axes.plot(
            sign * peak.fx, sign * peak.fy, "o", markersize=9, fillstyle="none", color="cyan",
            markeredgewidth=1.2, path_effects=outline, clip_on=False,
        )  # fmt: skip
    axes.annotate(
        words, (peak.fx, peak.fy), (6, 4), textcoords="offset points", fontsize=8, color="white",
        path_effects=outline,
    )  # fmt: skip


def _draw_profile(axes: Any, spectrum: Spectrum) -> None:
    """Draw the radial profile without DC, whose magnitude is the picture's brightness."""
    radii, profile = spectrum.radii[1:], spectrum.profile[1:]
    shown = profile > 0
    axes.plot(radii[shown], profile[shown], lw=1.2)
    axes.set(
        xlabel="Frequency (cycles a pixel)", ylabel="Mean magnitude", xlim=(0, 0.5),
    )  # fmt: skip
    if shown.any():
        axes.set_yscale("log")
    for peak in spectrum.peaks[:LABELLED]:
        frequency = 1 / peak.period
        if frequency <= 0.5:
            axes.axvline(frequency, color="0.6", lw=0.8, ls=(0, (2, 2)), zorder=0)
    axes.grid(alpha=0.3, lw=0.5)
