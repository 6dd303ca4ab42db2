"""Pitches that sound together in spectra, found by their harmonics: the search of `notes`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from math import ceil, log2

import numpy as np

from ..errors import PlanError
from .framing import positive
from .magnitude_spectrogram import number, spectral_peaks

STEPS = 120  # of pitch in an octave: 10 cents
NEIGHBOURS = 4  # steps by which a partial may be off
HARMONICS, REMOVED = 20, 40  # of a pitch that are summed up, and that it may have
COMPRESS = 0.6  # exponent of the partials' strength, so that many weigh more than one
FLOOR = 0.003  # of a frame's greatest magnitude, below which there are no partials
SIDE_LOBE = 0.05  # of the magnitude four bins apart, below which a peak is one of its side lobes
TONAL = 0.1  # of a block's energy is in the harmonics of the first note at least
PROMINENCE, SURROUNDING = 2.0, 12  # of a partial above the mean of so many bins on both sides
LOBE = 1.5  # energy of a window's main lobe beside its greatest bin
GROUND, MAY_LACK = 0.15, 90.0  # least compressed fundamental; Hz below which there may be none
ALPHA, BETA = 27.0, 320.0  # Hz, of the weights of harmonics: Klapuri's
EXCLUDED = 7  # steps around a pitch in which there is no other
PRESENT = 0.5  # of the compressed harmonic that seems to be a fundamental, of its neighbours
OVERTONE = 1.5  # thresholds of a note whose fundamental is a harmonic of one that is found
REFINING = 5  # harmonics that tell the exact pitch

# Steps from a pitch to its harmonics.
SHIFTS = np.rint(STEPS * np.log2(np.arange(1, REMOVED + 1))).astype(int)


@dataclass(frozen=True)
class Search:
    """What notes are sought, checked.

    Attributes
    ----------
    fmin, fmax : float
        Lowest and highest fundamental in Hz.
    polyphony : int
        Notes at the same time at most.
    threshold : float
        Least salience of a note beside that of the most salient at the same time.
    """

    fmin: float
    fmax: float
    polyphony: int
    threshold: float

    @property
    def candidates(self) -> int:
        """Pitches that are tried."""
        return ceil(STEPS * log2(self.fmax / self.fmin)) + 1

    @property
    def frequencies(self) -> np.ndarray:
        """Their fundamentals, in Hz."""
        return self.fmin * 2 ** (np.arange(self.candidates) / STEPS)


def make_search(sr: float, fmin: float, fmax: float, polyphony: int, threshold: float) -> Search:
    """Check what notes are wanted; parameters and errors as of `notes`."""
    fmin, fmax = number("fmin", fmin), number("fmax", fmax)
    if not fmin < fmax < sr / 2:
        raise PlanError(
            f"fmin < fmax < sr / 2 must hold, not {fmin:g} < {fmax:g} < {sr / 2:g}: "
            "choose a smaller fmax"
        )
    threshold = number("threshold", threshold)
    if threshold > 1:
        raise PlanError(f"threshold is a part of the most salient note, up to 1, not {threshold:g}")
    return Search(fmin, fmax, positive("polyphony", polyphony), threshold)


@dataclass(frozen=True, eq=False)
class Pitches:
    """Pitches that sound together in blocks of a signal.

    Attributes
    ----------
    hz : ndarray, shape (blocks, polyphony)
        Fundamentals; 0 for no note.
    strength : ndarray, shape (blocks, polyphony)
        Amplitudes.
    """

    hz: np.ndarray
    strength: np.ndarray


def find_pitches(spectra: np.ndarray, bin_hz: float, search: Search) -> Pitches:
    """Find the pitches that make up spectra.

    Parameters
    ----------
    spectra : ndarray, shape (blocks, bins)
        Magnitudes.
    bin_hz : float
        From one bin to the next.
    search : Search
        What is sought.

    Returns
    -------
    Pitches
    """
    partials = Partials.of(spectra, bin_hz, search)
    blocks = np.arange(len(spectra))
    hz, strength = np.zeros((2, len(blocks), search.polyphony))
    rest = partials.strength**COMPRESS
    taken = np.zeros((len(blocks), search.candidates), bool)
    going, enough = spectra.any(axis=1), np.zeros(len(blocks))
    for turn in range(search.polyphony):
        reach = _widened(rest)
        salience = np.where(taken, 0, _salience(reach, search))
        best = _lowered(salience.argmax(axis=1), reach, taken)
        height = salience[blocks, best]
        needed = np.where(_is_overtone(best, hz, search), OVERTONE, 1) * enough
        going &= (height > 0) & (height >= needed)
        if not turn:
            enough = search.threshold * height
            going &= partials.explained(best) > TONAL
        if not going.any():
            break
        found = _smooth(reach[blocks[:, None], best[:, None] + SHIFTS])
        hz[going, turn] = partials.fundamental(best)[going]
        strength[going, turn] = np.linalg.norm(found ** (1 / COMPRESS), axis=1)[going]
        _remove(rest, best, found)
        taken |= np.abs(np.arange(search.candidates) - best[:, None]) < EXCLUDED
    return Pitches(hz, strength)


@dataclass(frozen=True, eq=False)
class Partials:
    """Peaks of spectra, by their pitch in steps from `NEIGHBOURS` below the lowest candidate on.

    Attributes
    ----------
    strength, hz : ndarray, shape (blocks, steps)
        Height and frequency of the highest peak in a step; 0 where there is none.
    total : ndarray, shape (blocks,)
        Energy of the spectra.
    """

    strength: np.ndarray
    hz: np.ndarray
    total: np.ndarray

    @classmethod
    def of(cls, spectra: np.ndarray, bin_hz: float, search: Search) -> Partials:
        """Find the peaks that stand out from what is around them."""
        height, bins = spectral_peaks(spectra)
        heard = (height > 0) & (height > FLOOR * height.max(axis=1, initial=0, keepdims=True))
        heard &= height > PROMINENCE * _local_mean(spectra)
        heard[:, 4:] &= height[:, 4:] > SIDE_LOBE * spectra[:, :-4]
        heard[:, :-4] &= height[:, :-4] > SIDE_LOBE * spectra[:, 4:]
        block, place = np.nonzero(heard)
        hz = bins[block, place] * bin_hz
        steps = search.candidates + SHIFTS[-1] + 2 * NEIGHBOURS
        step = np.rint(STEPS * np.log2(hz / search.fmin)).astype(int) + NEIGHBOURS
        inside = (step >= 0) & (step < steps)
        block, place, hz, step = (each[inside] for each in (block, place, hz, step))
        order = np.argsort(height[block, place])  # the highest of a step is written last
        block, place, hz, step = (each[order] for each in (block, place, hz, step))
        strengths = np.zeros((len(spectra), steps), np.float32)
        frequencies = np.zeros((len(spectra), steps))
        strengths[block, step] = height[block, place]
        frequencies[block, step] = hz
        return cls(strengths, frequencies, np.square(spectra).sum(axis=1))

    def explained(self, best: np.ndarray) -> np.ndarray:
        """Return which part of the energy is in the harmonics of one pitch a block."""
        peaks, _ = self._highest(best, REMOVED)
        return LOBE * np.square(peaks).sum(axis=1) / np.maximum(self.total, 1e-30)

    def fundamental(self, best: np.ndarray) -> np.ndarray:
        """Return the frequency of one pitch a block by those of its lowest harmonics."""
        peaks, hz = self._highest(best, REFINING)
        m = np.arange(1, REFINING + 1)
        weights = peaks * m  # an error of a bin is an m-th of it in the fundamental
        return (weights * hz / m).sum(axis=1) / np.maximum(weights.sum(axis=1), 1e-30)

    def _highest(self, best: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Return height and frequency of the highest peak near each harmonic."""
        steps = _around(best, count)
        block = np.arange(len(best))[:, None]
        offset = self.strength[block[..., None], steps].argmax(axis=2)
        chosen = np.take_along_axis(steps, offset[..., None], axis=2)[..., 0]
        return self.strength[block, chosen], self.hz[block, chosen]


def _local_mean(spectra: np.ndarray) -> np.ndarray:
    """Return the mean of up to `SURROUNDING` bins on both sides of each."""
    sums = np.pad(np.cumsum(spectra, axis=1, dtype=np.float64), ((0, 0), (1, 0)))
    bins = np.arange(spectra.shape[1])
    low = np.maximum(bins - SURROUNDING, 0)
    high = np.minimum(bins + SURROUNDING + 1, len(bins))
    return (sums[:, high] - sums[:, low]) / (high - low)


def _around(best: np.ndarray, count: int = REMOVED) -> np.ndarray:
    """Return the steps near the harmonics of one pitch a block, shape (blocks, count, near)."""
    return best[:, None, None] + SHIFTS[:count, None] + np.arange(2 * NEIGHBOURS + 1)


def _widened(rest: np.ndarray) -> np.ndarray:
    """Return the strongest partial near each candidate and its harmonics, less if it is apart."""
    count = rest.shape[1] - 2 * NEIGHBOURS
    shifted = (
        (1 - abs(i - NEIGHBOURS) / (2 * NEIGHBOURS)) * rest[:, i : i + count]
        for i in range(2 * NEIGHBOURS + 1)
    )
    return reduce(np.maximum, shifted)


def _salience(reach: np.ndarray, search: Search) -> np.ndarray:
    """Return the weighted sum of the harmonics of all candidates, shape (blocks, candidates)."""
    count, hz = search.candidates, search.frequencies
    total = np.zeros((len(reach), count), np.float32)
    for m, shift in enumerate(SHIFTS[:HARMONICS], start=1):
        weight = (hz + ALPHA) / (m * hz + BETA)
        total += weight.astype(np.float32) * reach[:, shift : shift + count]
    lowest = [reach[:, shift : shift + count] for shift in SHIFTS[:4]]
    grounded = (lowest[0] >= GROUND * reduce(np.maximum, lowest)) | (hz < MAY_LACK)
    return np.where(grounded, total, 0)


def _lowered(best: np.ndarray, reach: np.ndarray, taken: np.ndarray) -> np.ndarray:
    """Return candidates, or those of which they are overtones: bright low notes have strong ones.

    A pitch is a harmonic of a lower one where all harmonics of that are there up to the next.
    """
    blocks = np.arange(len(best))
    lowest = best
    for q in range(2, 6):
        lower = best - SHIFTS[q - 1]
        inside = np.maximum(lower, 0)
        others = [reach[blocks, inside + SHIFTS[m - 1]] for m in range(1, q + 2) if m != q]
        present = reduce(np.minimum, others) > PRESENT * reach[blocks, best]
        lowest = np.where((lower >= 0) & present & ~taken[blocks, inside], lower, lowest)
    return lowest


def _is_overtone(best: np.ndarray, hz: np.ndarray, search: Search) -> np.ndarray:
    """Return whether a candidate a block is a harmonic of a pitch that is found already."""
    ratio = search.frequencies[best][:, None] / np.where(hz > 0, hz, np.inf)
    near = np.rint(ratio)
    return ((near > 1) & (np.abs(ratio - near) < 0.015 * near)).any(axis=1)


def _smooth(harmonics: np.ndarray) -> np.ndarray:
    """Return what an instrument explains: harmonics no stronger than the mean with neighbours."""
    padded = np.pad(harmonics, ((0, 0), (1, 1)), mode="edge")
    means = (padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]) / 3
    means[:, 0] = harmonics[:, 0]
    return np.minimum(harmonics, means)


def _remove(rest: np.ndarray, best: np.ndarray, found: np.ndarray) -> None:
    """Take the harmonics of one pitch a block away."""
    steps = _around(best)
    block = np.arange(len(best))[:, None, None]
    for m in range(REMOVED):  # one by one: steps of neighbours may be the same
        near = block[:, 0], steps[:, m]
        rest[near] = np.maximum(rest[near] - found[:, m, None], 0)
