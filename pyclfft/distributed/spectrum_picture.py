"""A spectrum as a picture, by matplotlib: the samples above, amplitudes with their peaks below."""

from __future__ import annotations

import io
from importlib import import_module
from typing import Any

import numpy as np
from scipy.signal import find_peaks  # type: ignore[import-untyped]

from ..advice import pip_install
from ..errors import PyclfftError

FORMATS = ("png", "svg", "pdf")
SIZE, DPI = (10.0, 6.5), 120  # width and height in inches, and pixels an inch
MOST_PEAKS = 10  # that are labelled
LEAST_PEAK = 0.05  # of the highest one: lower peaks are not labelled
WIDE = 20.0  # ratio of the peaks' frequencies from which on the axis is logarithmic
COLUMNS = 2000  # into which longer curves are gathered; the picture has about as many pixels


def draw(
    frequencies: np.ndarray,
    values: np.ndarray,
    samples: np.ndarray,
    rate: float,
    *,
    hertz: bool = True,
    title: str = "",
) -> Any:
    """Draw samples over time, and below them the amplitudes of their spectrum.

    Parameters
    ----------
    frequencies : ndarray of float64, shape (bins,)
        The frequencies of the bins.
    values : ndarray of complex, shape (bins,)
        The sums of the discrete Fourier transform.
    samples : ndarray of float64, shape (n,)
        The real samples.
    rate : float
        Samples a second.
    hertz : bool
        Whether frequencies are in Hz; otherwise they are in cycles a sample.
    title : str
        What stands above the picture.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    PyclfftError
        matplotlib is not installed.
    """
    order = np.argsort(frequencies)
    frequencies, values = frequencies[order], values[order]
    figure = _matplotlib("matplotlib.figure").Figure(SIZE, layout="constrained")
    above, below = figure.subplots(2, 1, height_ratios=(1, 2))
    _draw_samples(above, samples, rate, hertz)
    _draw_amplitudes(below, frequencies, amplitudes(frequencies, values, len(samples), rate), hertz)
    figure.suptitle(title, fontsize="medium", parse_math=False)
    return figure


def amplitudes(frequencies: np.ndarray, values: np.ndarray, n: int, rate: float) -> np.ndarray:
    """Return the amplitude of the sine that each bin stands for.

    Parameters
    ----------
    frequencies : ndarray of float64, shape (bins,)
        The frequencies of the bins.
    values : ndarray of complex, shape (bins,)
        The sums of the discrete Fourier transform of real samples.
    n : int
        The number of samples.
    rate : float
        Samples a second.

    Returns
    -------
    ndarray of float64, shape (bins,)
        ``2 |X| / n``, because a sine of real samples has a second bin; ``|X| / n`` at frequency 0
        and at half the rate, which have none.
    """
    alone = (frequencies == 0) | (2 * frequencies == rate)
    return np.where(alone, 1, 2) * np.abs(values) / n


def peaks(heights: np.ndarray) -> np.ndarray:
    """Return the places of the peaks that are worth a label, in order.

    Parameters
    ----------
    heights : ndarray of float64, shape (bins,)
        The amplitudes; the first bin is not taken for a peak, because it is the mean.

    Returns
    -------
    ndarray of int64, shape (peaks,)
        At most `MOST_PEAKS` places.
    """
    padded = np.append(heights, 0)  # so that the last bin may be a peak
    found, about = find_peaks(padded, prominence=LEAST_PEAK * heights[1:].max(initial=0))
    if not len(found) or not heights[found].max():
        return found[:0]
    order = np.argsort(about["prominences"])[::-1]
    return np.sort(found[order[:MOST_PEAKS]])


def _draw_samples(axes: Any, samples: np.ndarray, rate: float, hertz: bool) -> None:
    times = np.arange(len(samples)) / rate
    places, low, high = _gathered(times, samples)
    if len(places) < len(times):
        axes.fill_between(places, low, high, linewidth=0.5)
    else:
        axes.plot(times, samples, linewidth=0.8)
    axes.set_xlabel("time (s)" if hertz else "sample")
    axes.set_ylabel("samples")
    axes.margins(x=0.01)
    axes.grid(alpha=0.3)


def _draw_amplitudes(axes: Any, frequencies: np.ndarray, heights: np.ndarray, hertz: bool) -> None:
    found = peaks(heights)
    labelled = frequencies[found]
    logarithmic = len(found) > 1 and labelled[-1] > WIDE * labelled[0]
    if logarithmic:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
    shown = frequencies > 0 if logarithmic else np.full(len(frequencies), True)
    across = np.log(frequencies[shown]) if logarithmic else frequencies[shown]
    places, _, high = _gathered(across, heights[shown])
    axes.vlines(np.exp(places) if logarithmic else places, 0, high, linewidth=0.9)
    axes.plot(labelled, heights[found], "o", markersize=3.5, color="C1")
    unit = " Hz" if hertz else ""
    for place, height in zip(labelled, heights[found], strict=True):
        axes.annotate(
            f"{place:.4g}{unit}", (place, height), (0, 5), textcoords="offset points",
            rotation=60, ha="left", va="bottom", fontsize=9, annotation_clip=True,
        )  # fmt: skip
    axes.set_xlabel(f"frequency ({'Hz' if hertz else 'cycles a sample'})")
    axes.set_ylabel("amplitude: 2 |X| / N")
    axes.set_ylim(0, 1.25 * heights[shown].max(initial=0) or 1)
    axes.grid(alpha=0.3)


def _gathered(places: np.ndarray, heights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a curve's places with its least and greatest height in each column of a picture."""
    if len(places) <= 2 * COLUMNS:
        return places, heights, heights
    edges = np.linspace(places[0], places[-1], COLUMNS + 1)[:-1]
    first = np.unique(np.searchsorted(places, edges))
    return places[first], np.minimum.reduceat(heights, first), np.maximum.reduceat(heights, first)


def encode(figure: Any, suffix: str) -> bytes:
    """Return a figure as the content of a file.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure.
    suffix : {"png", "svg", "pdf"}
        The format.

    Returns
    -------
    bytes
    """
    buffer = io.BytesIO()
    figure.savefig(buffer, format=suffix, dpi=DPI)
    return buffer.getvalue()


def require_matplotlib() -> None:
    """Refuse to draw if matplotlib is missing."""
    _matplotlib("matplotlib")


def _matplotlib(module: str) -> Any:
    """Import a module of matplotlib, which takes time and is not needed for anything else."""
    try:
        return import_module(module)
    except ImportError:
        raise PyclfftError(f"a picture needs matplotlib: {pip_install('pictures')}") from None
