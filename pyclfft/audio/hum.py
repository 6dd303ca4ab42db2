"""Hum: the mains' frequency and its harmonics, found in a sound and taken away.

Spectra of frames are computed on the device. Of them only the bins of harmonics come to the host,
which decides what is hum: it goes on all the time with the same phase, and music does not. What is
kept of it is short, so that a sound may be long: the harmonics of some seconds are one number each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..errors import PlanError
from ..planning.precision import COMPLEX_DTYPE
from .on_device import launch, precision_of, result_like
from .sound_blocks import Signals, spectra_in_blocks
from .windows import window_values

SOURCE = "audio/hum.cl"

MAINS = (50, 60)  # Hz
WINDOW = "blackmanharris"  # which does not see partials that are some bins away
PERIODS = 10  # the periods of the mains in a frame
HOPS = 5  # frames begin a fifth of a frame apart
SPAN = 8.0  # seconds in which the mains has one frequency, and its harmonics one amplitude
HIGHEST = 3000.0  # Hz: up to here harmonics are sought
HIGHEST_PART = 0.45  # of the sample rate: harmonics near half of it are hard to tell apart
VOTING = 10  # the harmonics that tell the exact frequency
OFF = 0.5  # Hz by which the mains may be off
REFINED, MOVED = 3, 12  # how often the frequency is refined, and the middle of a cluster moved
NEAR = 0.2  # frames agree if they are apart by this part of their magnitude
AGREEING, LACKING = 0.2, 0.5  # the least part of frames that agree; the most that lack it beside
LEAST = 2 * HOPS  # frames that agree at least: neighbours share samples, and always agree
SEEN = 0.3  # the least response of a bin to a harmonic that is off


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

    def count(self, samples: int) -> int:
        """Return how many frames lie within signals of so many samples."""
        return (samples - self.length) // self.hop + 1

    def middles(self, first: int, end: int) -> np.ndarray:
        """Return the middles of some frames, in samples."""
        return np.arange(first, end) * self.hop + self.length / 2


def without_hum(signals: Signals, sr: float, mains: int, queue: cl.CommandQueue) -> Signals:
    """Find the harmonics of the mains, and return the signals without them.

    Parameters
    ----------
    signals : Signals
        The signals.
    sr : float
        Samples a second.
    mains : {50, 60}
        The nominal frequency, in Hz.
    queue : cl.CommandQueue
        The queue to run on.

    Returns
    -------
    Signals
        The harmonics are subtracted from a stretch when it is cut.

    Raises
    ------
    PlanError
        There is no such mains, or the signals are too short or have too low a sample rate.
    """
    if mains not in MAINS:
        raise PlanError(f"hum is 50 or 60, the frequency of the mains in Hz, not {mains!r}")
    if HIGHEST_PART * sr < mains:
        raise PlanError(
            f"a sound of {sr:g} samples a second holds no hum of {mains} Hz: leave hum out"
        )
    hum = find_hum(signals, sr, mains, Frames.of(mains, sr, signals.samples), queue)
    if not len(hum.numbers):
        return signals
    turns = np.array([round(each / sr * 2**64) for each in hum.hertz.tolist()], np.uint64)

    def cut(first: int, length: int) -> cl_array.Array:
        stretch = signals.cut(first, length)
        begin, values = hum.knots(first, first + length)
        more = map(np.uint64, (signals.samples, begin, hum.frames.hop))
        launch(
            queue, "subtractHum", SOURCE, (length, signals.count), stretch,
            values.astype(COMPLEX_DTYPE[signals.precision]), hum.numbers, turns, len(hum.numbers),
            values.shape[1], np.uint64(length), np.int64(first), *more, precision=signals.precision,
        )  # fmt: skip
        return stretch

    return replace(signals, cut=cut)


def find_hum(
    signals: Signals, sr: float, mains: int, frames: Frames, queue: cl.CommandQueue
) -> Hum:
    """Find the harmonics of the mains; the parameters are those of `without_hum`."""
    numbers = np.arange(1, int(min(HIGHEST, HIGHEST_PART * sr) / mains) + 1)
    bins = np.rint(numbers * (mains * frames.length / sr)).astype(int)
    count = frames.count(signals.samples)
    span = min(count, max(2, round(SPAN * sr / frames.hop)))
    begins = part_begins(count, span)
    parts: list[list[Part]] = [[] for _ in range(signals.count)]
    seen = _windows(_seen(signals, sr, mains, frames, bins, queue), begins, span)
    for begin, window in zip(begins, seen, strict=True):
        middles = frames.middles(begin, begin + span) / sr
        for found, each in zip(parts, window, strict=True):
            found.append(Part(begin, *steady_harmonics(each, middles, numbers)))
    tracks = tuple(Track(span, tuple(found)) for found in parts)
    present = np.any([part.steady != 0 for track in tracks for part in track.parts], axis=0)
    hertz = mains + np.array([track.off for track in tracks])
    apart = np.outer(hertz, numbers) / sr - bins / frames.length  # turns a sample
    weights = window_values(WINDOW, frames.length)
    response = np.stack([_response(weights, each) for each in apart])
    scale = np.where(response > SEEN, 1 / np.where(response > SEEN, response, 1), 0)
    kept = tuple(track.only(present) for track in tracks)
    numbers = numbers[present].astype(np.uint32)
    return Hum(hertz, numbers, kept, scale[:, present], frames, sr, count)


def _seen(
    signals: Signals, sr: float, mains: int, frames: Frames, bins: np.ndarray,
    queue: cl.CommandQueue,
) -> Iterator[np.ndarray]:  # fmt: skip
    """Yield the nominal harmonics in the next frames, turned back to time 0.

    They are complex128 and have the shape (signals, frames, harmonics).
    """
    numbers = np.arange(1, len(bins) + 1)
    scale = 2 / window_values(WINDOW, frames.length).sum()
    first = 0
    for spectra, count in spectra_in_blocks(signals, frames.length, frames.hop, queue, WINDOW):
        seen = _bins(spectra, bins, queue)[:, :count]
        middles = frames.middles(first, first + count) / sr
        # A bin's phase is that at the begin of its frame: turn it to the middle, then to time 0.
        turns = bins / 2 - np.outer(middles, numbers * mains)
        yield seen * (scale * np.exp(2j * np.pi * turns))
        first += count


def _windows(blocks: Iterator[np.ndarray], begins: list[int], span: int) -> Iterator[np.ndarray]:
    """Yield windows of `span` frames, of shape (signals, span, harmonics), cut from blocks."""
    held, start = next(blocks), 0
    for begin in begins:
        while start + held.shape[1] < begin + span:
            held = np.concatenate([held[:, max(0, begin - start) :], next(blocks)], axis=1)
            start = max(start, begin)
        yield held[:, begin - start : begin - start + span]


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


class Part(NamedTuple):
    """Some seconds of a signal, from frame `begin` on.

    In them, the mains is `off` Hz off, and its harmonics are `steady`: the amplitudes and phases at
    time 0, beside phases of the nominal frequency; 0 where there is no hum.
    """

    begin: int
    off: float
    steady: np.ndarray


@dataclass(frozen=True)
class Track:
    """The harmonics of the mains in a signal: parts of `span` frames, which overlap by half."""

    span: int
    parts: tuple[Part, ...]

    @property
    def off(self) -> float:
        """The Hz by which the mains is off in most of the signal."""
        return float(np.median([part.off for part in self.parts]))

    def only(self, kept: np.ndarray) -> Track:
        """Return the track of some harmonics alone."""
        return replace(
            self, parts=tuple(part._replace(steady=part.steady[kept]) for part in self.parts)
        )

    def values(self, first: int, middles: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """Return the harmonics in the frames from number `first` on.

        Parameters
        ----------
        first : int
            The number of the first frame.
        middles : ndarray of float, shape (frames,)
            The middles of the frames, in s.
        numbers : ndarray of int, shape (harmonics,)
            The numbers of the harmonics.

        Returns
        -------
        ndarray of complex128, shape (frames, harmonics)
            Amplitudes and phases at time 0, beside phases of the mains as it is in most of the
            signal. What parts say is faded from one to the next.
        """
        end, off = first + len(middles), self.off
        values, weights = np.zeros((len(middles), len(numbers)), complex), np.zeros(len(middles))
        for part in self.parts:
            begin, behind = max(first, part.begin), min(end, part.begin + self.span)
            if begin >= behind:
                continue
            here = slice(begin - first, behind - first)
            place = np.arange(begin, behind) - part.begin + 0.5
            weight = np.minimum(place, self.span - place)
            turns = (part.off - off) * np.outer(middles[here], numbers)
            values[here] += weight[:, None] * part.steady * np.exp(2j * np.pi * turns)
            weights[here] += weight
        return values / weights[:, None]


def part_begins(count: int, span: int) -> list[int]:
    """Return the frames where parts begin, so that `count` frames lie within parts."""
    return [*range(0, count - span, max(1, span // 2)), count - span]


@dataclass(frozen=True)
class Hum:
    """The harmonics of the mains in signals.

    Attributes
    ----------
    hertz : ndarray of float, shape (signals,)
        The exact frequency of the mains in each signal.
    numbers : ndarray of uint32, shape (harmonics,)
        Which harmonics there are; 1 is the mains' own frequency.
    tracks : tuple of Track
        The harmonics of each signal, as bins of frames see them.
    scale : ndarray of float, shape (signals, harmonics)
        The amplitudes of harmonics beside what bins see of them.
    frames : Frames
        The frames, whose middles are the knots between which harmonics lie on lines.
    sr : float
        Samples a second.
    count : int
        How many frames there are.
    """

    hertz: np.ndarray
    numbers: np.ndarray
    tracks: tuple[Track, ...]
    scale: np.ndarray
    frames: Frames
    sr: float
    count: int

    def knots(self, start: int, end: int) -> tuple[int, np.ndarray]:
        """Return the harmonics at all knots that samples `start` to `end` lie between.

        Returns
        -------
        int
            The sample of the first of these knots.
        ndarray of complex128, shape (signals, knots, harmonics)
            The amplitudes, and the phases at sample 0.
        """
        half, hop = self.frames.length // 2, self.frames.hop
        first = min(max(0, (start - half) // hop), self.count - 1)
        behind = min(max(first, (end - half) // hop + 1), self.count - 1) + 1
        middles = self.frames.middles(first, behind) / self.sr
        found = [track.values(first, middles, self.numbers) for track in self.tracks]
        return half + first * hop, np.stack(found) * self.scale[:, None]


def steady_harmonics(
    seen: np.ndarray, middles: np.ndarray, numbers: np.ndarray
) -> tuple[float, np.ndarray]:
    """Find the harmonics that have the same phase in most frames.

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
    off : float
        The Hz by which the mains is off.
    values : ndarray of complex, shape (harmonics,)
        The harmonics at time 0; 0 where there is none.
    """
    off = _rough_frequency(seen[:, :VOTING], middles, numbers[:VOTING])
    for _ in range(REFINED):
        turned = _turned(seen[:, :VOTING], off, middles, numbers[:VOTING])
        off += _drift(turned, _clusters(turned), middles, numbers[:VOTING])
    return off, _clusters(_turned(seen, off, middles, numbers))


def _turned(seen: np.ndarray, off: float, middles: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Return harmonics beside phases of a mains that is `off` Hz off."""
    return seen * np.exp(-2j * np.pi * off * np.outer(middles, numbers))


def _rough_frequency(seen: np.ndarray, middles: np.ndarray, numbers: np.ndarray) -> float:
    """Return the Hz by which the mains is off: where bounded magnitudes add up to the most."""
    usual = np.median(np.abs(seen), axis=0)
    bounded = seen / (np.abs(seen) + usual + 1e-300) * np.sqrt(usual)  # the faint ones count less
    step = 1 / (4 * len(numbers) * (middles[-1] - middles[0]))
    tried = np.arange(-OFF, OFF, step)
    score = np.zeros(len(tried))
    mains = np.exp(-2j * np.pi * np.outer(tried, middles))
    turns = np.ones_like(mains)  # of the harmonics, which count from 1
    for column in bounded.T:
        turns *= mains
        score += np.abs(turns @ column)
    return float(tried[score.argmax()])


def _clusters(turned: np.ndarray) -> np.ndarray:
    """Return where most frames of each harmonic agree; 0 if there are few, or if many lack it."""
    size = np.abs(turned)
    # Squares of distances, since a root of each would be most of the work.
    distance = (turned.real[:, None] - turned.real) ** 2 + (turned.imag[:, None] - turned.imag) ** 2
    agreeing = np.count_nonzero(distance < (NEAR * size) ** 2, axis=0)
    best = agreeing.argmax(axis=0)[None]
    middle = np.take_along_axis(turned, best, axis=0)[0]
    share = np.take_along_axis(agreeing, best, axis=0)[0] / len(turned)
    lacking = (size < np.abs(middle) / 2).mean(axis=0)
    wide = NEAR * np.abs(middle) + 1e-300
    for _ in range(MOVED):
        away = np.abs(turned - middle)
        weights = 1 / (1 + (away / wide) ** 2) ** 2
        middle = (weights * turned).sum(axis=0) / weights.sum(axis=0)
        wide = np.maximum(wide / 2, np.minimum(wide, _median_below(2 * wide, away, wide)))
    enough = max(AGREEING, LEAST / len(turned))
    return np.where((share > enough) & (lacking < LACKING * share), middle, 0)


def _median_below(limit: np.ndarray, values: np.ndarray, default: np.ndarray) -> np.ndarray:
    """Return each column's median of the values below its limit; a default if there are none."""
    ordered, count = np.sort(values, axis=0), np.count_nonzero(values < limit, axis=0)
    middle = np.stack([np.maximum(count - 1, 0) // 2, np.minimum(count // 2, len(values) - 1)])
    return np.where(count, np.take_along_axis(ordered, middle, axis=0).mean(axis=0), default)


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
