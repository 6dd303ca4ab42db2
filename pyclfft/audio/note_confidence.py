"""How surely a note is one: it keeps its pitch, it lasts, and its harmonics stand out."""

from __future__ import annotations

from math import ceil, exp

import numpy as np

from .magnitude_spectrogram import MagnitudeSpectrogram, spectral_peaks

THRESHOLD = 0.24  # the least confidence of notes by default
HARMONICS = 8  # the harmonics whose pitches are watched
FAINT = 0.02  # the part of the strongest harmonic's energy below which a harmonic is not watched
NEAR = 80.0  # the cents by which a peak may be off and still be the harmonic's
LOUD = 0.5  # the part of its greatest magnitude above which a note is heard in a frame
EDGE = 0.75  # frames beside a note's ends, in units of the rise of a window, that are left out
FEWEST = 3  # frames that are left at least, otherwise none is left out

# The constants were chosen so that speech, drums, noise and chirps are on one side, and notes of
# synthesised instruments, with vibrato too, on the other.
WANDER, STEEP = 25.0, 3.0  # cents at which confidence falls to 1/e, and how fast
LAST = 0.14  # seconds in which confidence rises to 1 - 1/e
SHARE = 0.1  # the part of the energy that is half as convincing as all
LOUDNESS = 0.15  # the exponent of a note's strength
ALL_HARMONICS, LOBE = 40, 2  # harmonics whose energy counts, and bins on both sides of each


def confidence_of(
    fine: MagnitudeSpectrogram, hz: float, begin: float, end: float, strength: float
) -> float:
    """Return how surely a note is one, from 0 to 1.

    Parameters
    ----------
    fine : MagnitudeSpectrogram
        The sound, in frames short enough to follow vibrato.
    hz : float
        The note's fundamental.
    begin, end : float
        Where the note begins and ends, in frames.
    strength : float
        The note's amplitude divided by that of the strongest note, 0 to 1.

    Returns
    -------
    float
        The product of parts that are 1 for a perfect note: how little the steadiest harmonic
        wanders, how long the note is loud, how many harmonics it has, which share of the energy
        they have, and its strength, whose weight is small.
    """
    wander, frames, count = _wander(fine, hz, *_inside(fine, begin, end))
    steady = exp(-((wander / WANDER) ** STEEP))
    lasting = 1 - exp(-frames / fine.rate / LAST)
    rich = count / (count + 1) * (HARMONICS + 1) / HARMONICS
    share = _share(fine, hz, begin, end)
    convincing = share / (share + SHARE) * (1 + SHARE)
    return steady * lasting * rich * convincing * strength**LOUDNESS


def _inside(fine: MagnitudeSpectrogram, begin: float, end: float) -> tuple[float, float]:
    """Return the frames of a note without those that hold its ends, if enough are left."""
    edge = EDGE * fine.lag
    return (begin + edge, end - edge) if end - begin - 2 * edge >= FEWEST else (begin, end)


def _frames(fine: MagnitudeSpectrogram, begin: float, end: float) -> np.ndarray:
    return fine.values[max(0, round(begin)) : max(1, round(end))]


def _wander(
    fine: MagnitudeSpectrogram, hz: float, begin: float, end: float
) -> tuple[float, int, int]:
    """Return how far the steadiest harmonic is from its pitch, and how many frames are loud.

    The third number is that of the harmonics. The distance, in cents, is the root of the mean
    square, weighted by the heights of the peaks; without any peak it is infinite.
    """
    reach = 2 ** (NEAR / 1200)
    top = ceil(HARMONICS * hz * reach * fine.n_fft / fine.sr) + 2
    height, bins = spectral_peaks(_frames(fine, begin, end)[:, :top])
    found = []
    for m in range(1, HARMONICS + 1):
        middle = m * hz * fine.n_fft / fine.sr
        part = slice(int(middle / reach), ceil(middle * reach) + 1)
        if part.stop > height.shape[1]:
            break
        places, near = bins[:, part], height[:, part]
        near = np.where((places >= middle / reach) & (places <= middle * reach), near, 0)
        best = near.argmax(axis=1)[:, None]
        heard = np.take_along_axis(near, best, axis=1)[:, 0]
        place = np.where(heard > 0, np.take_along_axis(places, best, axis=1)[:, 0], middle)
        found.append((heard, 1200 * np.log2(place / middle)))
    heights = np.array([each for each, _ in found]).reshape(len(found), len(height))
    energy = np.square(heights).sum(axis=1)
    if not energy.any():
        return float("inf"), 0, 0
    watched = energy >= FAINT * energy.max()
    heights = heights[watched]
    cents = np.array([each for _, each in found])[watched]
    weights = heights / heights.sum(axis=1, keepdims=True)
    wander = np.sqrt((weights * cents**2).sum(axis=1))
    loudness = np.linalg.norm(heights, axis=0)
    return float(wander.min()), int((loudness > LOUD * loudness.max()).sum()), len(heights)


def _share(fine: MagnitudeSpectrogram, hz: float, begin: float, end: float) -> float:
    """Return the part of the energy that is near the harmonics of a note, from 0 to 1."""
    energy = np.square(_frames(fine, begin, end)).sum(axis=0)
    places = np.arange(1, ALL_HARMONICS + 1)[:, None] * (hz * fine.n_fft / fine.sr)
    near = (np.abs(np.arange(len(energy)) - places) <= LOBE).any(axis=0)
    return float(energy[near].sum() / max(energy.sum(), 1e-30))
