"""Pitches that sound together in spectra, found by their harmonics: the search of `notes`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from math import ceil, log2

import numpy as np

from ..errors import PlanError
from .framing import positive
from .magnitude_spectrogram import number, spectral_peaks

STEPS = 120  # the steps of pitch in an octave: a step is 10 cents
NEIGHBOURS = 4  # the steps by which a partial may be off
HARMONICS, REMOVED = 20, 40  # the harmonics that count for a pitch's salience; all that it may have
COMPRESS = 0.6  # the exponent of partials' strengths, so that many weak ones outweigh a strong one
FLOOR = 0.003  # the part of a frame's greatest magnitude below which a peak is no partial
SIDE_LOBE = 0.05  # the part of the magnitude four bins away below which a peak is a side lobe of it
TONAL = 0.1  # the least part of a block's energy that the harmonics of its first note have
PROMINENCE, SURROUNDING = 2.0, 12  # a partial is twice the mean of 12 bins on each side
LOBE = 1.5  # the energy of a window's main lobe divided by that of its greatest bin
# The least fundamental divided by the greatest of the first four harmonics, compressed; and the
# frequency in Hz below which a pitch may lack its fundamental.
GROUND, MAY_LACK = 0.15, 90.0
ALPHA, BETA = 27.0, 320.0  # in Hz: Klapuri's constants for the weights of harmonics
EXCLUDED = 7  # the steps around a pitch in which there is no other pitch
# A pitch is taken for a harmonic of a lower one if the lower one's other harmonics have at least
# this part of its strength, compressed.
PRESENT = 0.5
OVERTONE = 1.5  # the factor on the threshold of a note that is a harmonic of another note
REFINING = 5  # the harmonics that tell the exact pitch

# The steps from a pitch to each of its harmonics.
SHIFTS = np.rint(STEPS * np.log2(np.arange(1, REMOVED + 1))).astype(int)


@dataclass(frozen=True)
class Search:
    """The notes that are sought; `make_search` has checked it.

    Attributes
    ----------
    fmin, fmax : float
        The lowest and the highest fundamental, in Hz.
    polyphony : int
        The most notes at the same time.
    salience : float
        The least salience of a note, divided by that of the most salient one at the same time.
    """

    fmin: float
    fmax: float
    polyphony: int
    salience: float

    @property
    def candidates(self) -> int:
        """How many pitches are tried."""
        return ceil(STEPS * log2(self.fmax / self.fmin)) + 1

    @property
    def frequencies(self) -> np.ndarray:
        """The fundamentals of the pitches that are tried, in Hz."""
        return self.fmin * 2 ** (np.arange(self.candidates) / STEPS)


def make_search(sr: float, fmin: float, fmax: float, polyphony: int, salience: float) -> Search:
    """Check which notes are wanted; parameters and errors are those of `notes`."""
    fmin, fmax = number("fmin", fmin), number("fmax", fmax)
    if not fmin < fmax < sr / 2:
        raise PlanError(
            f"fmin < fmax < sr / 2 must hold, not {fmin:g} < {fmax:g} < {sr / 2:g}: "
            "choose a smaller fmax"
        )
    salience = number("salience", salience)
    if salience > 1:
        raise PlanError(f"salience is a part of the most salient note, up to 1, not {salience:g}")
    return Search(fmin, fmax, positive("polyphony", polyphony), salience)


@dataclass(frozen=True, eq=False)
class Pitches:
    """Pitches that sound together in blocks of a signal.

    Attributes
    ----------
    hz : ndarray, shape (blocks, polyphony)
        The fundamentals; 0 stands for no note.
    strength : ndarray, shape (blocks, polyphony)
        The amplitudes.
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
        The distance from one bin to the next, in Hz.
    search : Search
        The notes that are sought.

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
            enough = search.salience * height
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
    """Peaks of spectra by their pitch, in steps.

    The first step is `NEIGHBOURS` steps below the lowest pitch that is tried.

    Attributes
    ----------
    strength, hz : ndarray, shape (blocks, steps)
        The height and the frequency of the highest peak in a step; 0 if there is none.
    total : ndarray, shape (blocks,)
        The energy of the spectra.
    """

    strength: np.ndarray
    hz: np.ndarray
    total: np.ndarray

    @classmethod
    def of(cls, spectra: np.ndarray, bin_hz: float, search: Search) -> Partials:
        """Find the peaks that stand out from the bins around them."""
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
        order = np.argsort(height[block, place])  # so that the highest of a step is written last
        block, place, hz, step = (each[order] for each in (block, place, hz, step))
        strengths = np.zeros((len(spectra), steps), np.float32)
        frequencies = np.zeros((len(spectra), steps))
        strengths[block, step] = height[block, place]
        frequencies[block, step] = hz
        return cls(strengths, frequencies, np.square(spectra).sum(axis=1))

    def explained(self, best: np.ndarray) -> np.ndarray:
        """Return the part of each block's energy that the harmonics of its pitch have."""
        peaks, _ = self._highest(best, REMOVED)
        return LOBE * np.square(peaks).sum(axis=1) / np.maximum(self.total, 1e-30)

    def fundamental(self, best: np.ndarray) -> np.ndarray:
        """Return the exact frequency of each block's pitch, from its lowest harmonics."""
        peaks, hz = self._highest(best, REFINING)
        m = np.arange(1, REFINING + 1)
        weights = peaks * m  # an error in harmonic m is an m-th of it in the fundamental
        return (weights * hz / m).sum(axis=1) / np.maximum(weights.sum(axis=1), 1e-30)

    def _highest(self, best: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the height and the frequency of the highest peak near each harmonic."""
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
    """Return the steps near the harmonics of each block's pitch, shape (blocks, count, near)."""
    return best[:, None, None] + SHIFTS[:count, None] + np.arange(2 * NEIGHBOURS + 1)


def _widened(rest: np.ndarray) -> np.ndarray:
    """Return the strongest partial near each step; one that is further away counts less."""
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
    """Return for each candidate the lower pitch of which it is a harmonic, or the candidate itself.

    The overtones of a bright low note may be stronger than its fundamental. A pitch counts as
    harmonic q of a lower one if the lower one has all other harmonics up to number q + 1.
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
    """Return whether each block's candidate is a harmonic of a pitch that is found already."""
    ratio = search.frequencies[best][:, None] / np.where(hz > 0, hz, np.inf)
    near = np.rint(ratio)
    return ((near > 1) & (np.abs(ratio - near) < 0.015 * near)).any(axis=1)


def _smooth(harmonics: np.ndarray) -> np.ndarray:
    """Return harmonics, each lowered to its mean with its neighbours, as instruments have them."""
    padded = np.pad(harmonics, ((0, 0), (1, 1)), mode="edge")
    means = (padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]) / 3
    means[:, 0] = harmonics[:, 0]
    return np.minimum(harmonics, means)


def _remove(rest: np.ndarray, best: np.ndarray, found: np.ndarray) -> None:
    """Remove the harmonics of each block's pitch."""
    steps = _around(best)
    block = np.arange(len(best))[:, None, None]
    for m in range(REMOVED):  # one by one, because neighbouring harmonics may share steps
        near = block[:, 0], steps[:, m]
        rest[near] = np.maximum(rest[near] - found[:, m, None], 0)
