"""Hum: the mains' frequency and its harmonics, found in a sound and taken away.

Spectra of frames are computed on the device. Of them only the bins of harmonics come to the host,
which decides what is hum: it goes on all the time with the same phase, and music does not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..errors import PlanError
from ..planning.precision import COMPLEX_DTYPE
from .on_device import launch, precision_of, result_like
from .stft import stft
from .windows import window_values

SOURCE = "audio/hum.cl"

MAINS = (50, 60)  # Hz
WINDOW = "blackmanharris"  # which does not see partials that are some bins away
PERIODS = 10  # the periods of the mains in a frame
HOPS = 5  # frames begin a fifth of a frame apart
SPAN = 8.0  # seconds in which the mains has one frequency, and its harmonics one amplitude
HIGHEST = 3000.0  # Hz: up to here harmonics are sought
VOTING = 10  # the harmonics that tell the exact frequency
OFF = 0.5  # Hz by which the mains may be off
REFINED, MOVED = 3, 12  # how often the frequency is refined, and the middle of a cluster moved
NEAR = 0.2  # frames agree if they are apart by this part of their magnitude
AGREEING, LACKING = 0.2, 0.5  # the least part of frames that agree; the most that lack it beside
LEAST = 2 * HOPS  # frames that agree at least: neighbours share samples, and always agree
SEEN = 0.3  # the least response of a bin to a harmonic that is off


class Hum(NamedTuple):
    """The harmonics of the mains in signals.

    Attributes
    ----------
    hertz : ndarray of float, shape (signals,)
        The exact frequency of the mains in each signal.
    numbers : ndarray of uint32, shape (harmonics,)
        Which harmonics there are; 1 is the mains' own frequency.
    values : ndarray of complex128, shape (signals, knots, harmonics)
        The amplitude and the phase at sample 0 of each harmonic, at some samples.
    first, hop : int
        The sample of the first knot, and how far it is from one to the next.
    """

    hertz: np.ndarray
    numbers: np.ndarray
    values: np.ndarray
    first: int
    hop: int


class Frames(NamedTuple):
    """Frames of some periods of the mains: `length` points, `hop` apart."""

    length: int
    hop: int

    @classmethod
    def of(cls, mains: int, sr: float, samples: int) -> Frames:
        """Return the frames for signals of so many samples."""
        length = round(PERIODS * sr / mains)
        if samples < 2 * length:
            raise PlanError(
                f"a hum of {mains} Hz can be found in {2 * PERIODS / mains:g} s of sound or more, "
                f"but the sound lasts {samples / sr:.3f} s: leave hum out"
            )
        return cls(length, max(1, length // HOPS))


def remove_hum(signals: cl_array.Array, sr: float, mains: int, queue: cl.CommandQueue) -> None:
    """Take the harmonics of the mains away from signals on the device, in place.

    Parameters
    ----------
    signals : pyopencl.array.Array, shape (signals, samples)
        The signals, in C order.
    sr : float
        Samples a second.
    mains : {50, 60}
        The nominal frequency, in Hz.
    queue : cl.CommandQueue
        The queue to run on.

    Raises
    ------
    PlanError
        There is no such mains, or the signals are too short.
    """
    if mains not in MAINS:
        raise PlanError(f"hum is 50 or 60, the frequency of the mains in Hz, not {mains!r}")
    count, samples = signals.shape
    frames = Frames.of(mains, sr, samples)
    hum = find_hum(signals, sr, mains, frames, queue)
    if not len(hum.numbers):
        return
    precision = precision_of(signals)
    turns = [round(each / sr * 2**64) for each in hum.hertz.tolist()]
    launch(
        queue, "subtractHum", SOURCE, (samples, count), signals,
        hum.values.astype(COMPLEX_DTYPE[precision]), hum.numbers, np.array(turns, np.uint64),
        len(hum.numbers), hum.values.shape[1], *map(np.uint64, (samples, hum.first, hum.hop)),
        precision=precision,
    )  # fmt: skip


def find_hum(
    signals: cl_array.Array, sr: float, mains: int, frames: Frames, queue: cl.CommandQueue
) -> Hum:
    """Find the harmonics of the mains; the parameters are those of `remove_hum`."""
    numbers = np.arange(1, max(1, int(min(HIGHEST, 0.45 * sr) / mains)) + 1)
    spectra = _spectra(signals, frames, queue)
    bins = np.rint(numbers * (mains * frames.length / sr)).astype(int)
    seen = _bins(spectra, bins, queue)
    middles = (np.arange(seen.shape[1]) * frames.hop + frames.length / 2) / sr
    window = window_values(WINDOW, frames.length)
    # A bin's phase is that at the begin of its frame: turn it to the middle, then back to time 0.
    turns = bins / 2 - np.outer(middles, numbers * mains)
    seen *= 2 / window.sum() * np.exp(2j * np.pi * turns)
    tracks = [track_of(each, middles, numbers) for each in seen]
    values = np.stack([track.values for track in tracks])
    off = np.array([track.off for track in tracks])
    values *= np.exp(-2j * np.pi * off[:, None, None] * np.outer(middles, numbers))
    apart = np.outer(mains + off, numbers) / sr - bins / frames.length  # turns a sample
    response = np.stack([_response(window, each) for each in apart])[:, None]
    values /= np.where(response > SEEN, response, np.inf)
    present = values.any(axis=(0, 1))
    return Hum(
        mains + off, numbers[present].astype(np.uint32), values[..., present], frames.length // 2,
        frames.hop,
    )  # fmt: skip


def _spectra(signals: cl_array.Array, frames: Frames, queue: cl.CommandQueue) -> cl_array.Array:
    """Return spectra of the shape (signals, frames, bins)."""
    count, samples = signals.shape
    shape = (count, (samples - frames.length) // frames.hop + 1, frames.length // 2 + 1)
    spectra = result_like(signals, queue, shape, COMPLEX_DTYPE[precision_of(signals)])
    turned = spectra.transpose((0, 2, 1))
    stft(signals, frames.length, frames.hop, window=WINDOW, center=False, out=turned, queue=queue)
    return spectra


def _bins(spectra: cl_array.Array, numbers: np.ndarray, queue: cl.CommandQueue) -> np.ndarray:
    """Return some bins of spectra on the host, complex128, shape (signals, frames, numbers)."""
    signals, frames, bins = spectra.shape
    count = len(numbers)
    taken = result_like(spectra, queue, (signals, frames, count), spectra.dtype)
    launch(
        queue, "takeBins", SOURCE, (count, frames, signals), spectra, taken,
        numbers.astype(np.uint32), count, frames, bins, precision=precision_of(spectra),
    )  # fmt: skip
    return taken.get().astype(np.complex128)


# --- what is hum ----------------------------------------------------------------------------------


class Track(NamedTuple):
    """Harmonics over time: `values` of shape (frames, harmonics), at a mains that is `off` Hz off.

    The phases are counted from those of the nominal frequency.
    """

    off: float
    values: np.ndarray


def track_of(seen: np.ndarray, middles: np.ndarray, numbers: np.ndarray) -> Track:
    """Find the harmonics that go on with the same phase.

    Parameters
    ----------
    seen : ndarray of complex, shape (frames, harmonics)
        Amplitudes and phases of the nominal harmonics, turned back to time 0.
    middles : ndarray of float, shape (frames,)
        The middles of frames, in s.
    numbers : ndarray of int, shape (harmonics,)
        The numbers of the harmonics.

    Returns
    -------
    Track
        What is steady over some seconds. Parts of `SPAN` seconds overlap by half, and what they say
        is faded from one to the next.
    """
    count = len(middles)
    step = middles[1] - middles[0]
    span = min(count, max(2, round(SPAN / step)))
    begins = np.unique(np.append(np.arange(0, count - span, max(1, span // 2)), count - span))
    values = np.zeros(seen.shape, complex)
    weights = np.zeros((count, 1))
    offs = []
    for begin in begins.tolist():
        part = slice(begin, begin + span)
        off, steady = _steady(seen[part], middles[part], numbers)
        place = np.arange(span) + 0.5
        weight = np.minimum(place, span - place)[:, None]
        turning = np.exp(2j * np.pi * off * np.outer(middles[part], numbers))
        values[part] += weight * steady * turning
        weights[part] += weight
        offs.append(off)
    return Track(float(np.median(offs)), values / weights)


def _steady(seen: np.ndarray, middles: np.ndarray, numbers: np.ndarray) -> tuple[float, np.ndarray]:
    """Return by how many Hz the mains is off, and its harmonics: the same in all frames, or 0."""
    off = _rough_frequency(seen[:, :VOTING], middles, numbers[:VOTING])
    for _ in range(REFINED):
        turned = seen * np.exp(-2j * np.pi * off * np.outer(middles, numbers))
        values = _clusters(turned)
        off += _drift(turned[:, :VOTING], values[:VOTING], middles, numbers[:VOTING])
    return off, _clusters(seen * np.exp(-2j * np.pi * off * np.outer(middles, numbers)))


def _rough_frequency(seen: np.ndarray, middles: np.ndarray, numbers: np.ndarray) -> float:
    """Return the Hz by which the mains is off: where bounded magnitudes add up to the most."""
    usual = np.median(np.abs(seen), axis=0)
    bounded = seen / (np.abs(seen) + usual + 1e-300) * np.sqrt(usual)  # the faint ones count less
    step = 1 / (4 * len(numbers) * (middles[-1] - middles[0]))
    tried = np.arange(-OFF, OFF, step)
    score = np.zeros(len(tried))
    for number, column in zip(numbers, bounded.T, strict=True):
        score += np.abs(np.exp(-2j * np.pi * number * np.outer(tried, middles)) @ column)
    return float(tried[score.argmax()])


def _clusters(turned: np.ndarray) -> np.ndarray:
    """Return where most frames of each harmonic agree; 0 if there are few, or if many lack it."""
    distance = np.abs(turned[:, None] - turned)
    size = np.abs(turned)
    agreeing = (distance < NEAR * size).sum(axis=0)
    best = agreeing.argmax(axis=0)[None]
    middle = np.take_along_axis(turned, best, axis=0)[0]
    share = np.take_along_axis(agreeing, best, axis=0)[0] / len(turned)
    lacking = (size < np.abs(middle) / 2).mean(axis=0)
    wide = NEAR * np.abs(middle) + 1e-300
    for _ in range(MOVED):
        away = np.abs(turned - middle)
        weights = 1 / (1 + (away / wide) ** 2) ** 2
        middle = (weights * turned).sum(axis=0) / weights.sum(axis=0)
        inside = np.where(away < 2 * wide, away, np.nan)
        inside[0] = np.where(np.isnan(inside).all(axis=0), wide, inside[0])
        wide = np.maximum(wide / 2, np.minimum(wide, np.nanmedian(inside, axis=0)))
    enough = max(AGREEING, LEAST / len(turned))
    return np.where((share > enough) & (lacking < LACKING * share), middle, 0)


def _drift(
    turned: np.ndarray, values: np.ndarray, middles: np.ndarray, numbers: np.ndarray
) -> float:
    """Return the Hz that the phases of agreeing frames still drift by, by least squares."""
    found = values != 0
    beside = turned[:, found] / values[found]
    agrees = np.abs(beside - 1) < 2 * NEAR
    count = np.maximum(agrees.sum(axis=0), 1)
    since = middles[:, None] - (agrees * middles[:, None]).sum(axis=0) / count
    phase = np.angle(beside)
    slope = (agrees * since * phase).sum(axis=0) @ numbers[found]
    whole = (agrees * since**2).sum(axis=0) @ numbers[found] ** 2
    return float(slope / (2 * np.pi * whole)) if whole else 0.0


def _response(window: np.ndarray, off: np.ndarray) -> np.ndarray:
    """Return how a bin sees a sine that is so many turns a sample off, beside one in its middle."""
    place = np.arange(len(window)) - len(window) / 2
    return np.cos(2 * np.pi * np.outer(off, place)) @ window / window.sum()
