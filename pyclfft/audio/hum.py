"""Hum: the mains' frequency and its harmonics, found in a sound and taken away.

Spectra of long frames are computed on the device. Of them only the bins of harmonics come to the
host, which decides what is hum: it goes on for seconds with the same phase, and music does not.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..errors import PlanError
from ..planning.precision import COMPLEX_DTYPE
from .on_device import launch, precision_of, result_like
from .stft import stft

SOURCE = "audio/hum.cl"

MAINS = (50, 60)  # Hz
LEAST_PERIODS = 10  # the fewest periods of the mains in a frame
HOPS = 5  # frames begin a fifth of a frame apart
HIGHEST = 3000.0  # Hz: up to here harmonics are sought
VOTING = 10  # the harmonics that tell the exact frequency
OFF, GRID = 0.5, 2001  # Hz by which the mains may be off, and how many frequencies are tried
AROUND = 15  # the frames on each side whose median a harmonic is
STEADY = 0.5  # the least magnitude of a harmonic's median beside the median of its magnitudes


class Hum(NamedTuple):
    """The harmonics of the mains in signals.

    Attributes
    ----------
    hertz : float
        The exact frequency of the mains.
    numbers : ndarray of uint32, shape (harmonics,)
        Which harmonics there are; 1 is the mains' own frequency.
    values : ndarray of complex128, shape (signals, knots, harmonics)
        The amplitude and the phase at sample 0 of each harmonic, at some samples.
    first, hop : int
        The sample of the first knot, and how far it is from one to the next.
    """

    hertz: float
    numbers: np.ndarray
    values: np.ndarray
    first: int
    hop: int


class Frames(NamedTuple):
    """Frames of a whole number of periods of the mains: `length` points, `hop` apart."""

    periods: int
    length: int
    hop: int

    @classmethod
    def of(cls, mains: int, sr: float, samples: int) -> Frames:
        """Return frames of a second, or shorter ones for a shorter signal."""
        periods = min(mains, int(samples * mains / sr))
        if periods < LEAST_PERIODS:
            raise PlanError(
                f"hum of {mains} Hz is found in {LEAST_PERIODS / mains:g} s of sound at least, not "
                f"in {samples / sr:.3f} s: leave hum out"
            )
        length = min(samples, round(periods * sr / mains))
        return cls(periods, length, max(1, length // HOPS))


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
    turn = round(hum.hertz / sr * 2**64)
    launch(
        queue, "subtractHum", SOURCE, (samples, count), signals,
        hum.values.astype(COMPLEX_DTYPE[precision]), hum.numbers, len(hum.numbers),
        hum.values.shape[1], *map(np.uint64, (samples, turn, hum.first, hum.hop)),
        precision=precision,
    )  # fmt: skip


def find_hum(
    signals: cl_array.Array, sr: float, mains: int, frames: Frames, queue: cl.CommandQueue
) -> Hum:
    """Find the harmonics of the mains; the parameters are those of `remove_hum`."""
    spectra = _spectra(signals, frames, queue)
    count = int(min(HIGHEST, 0.45 * sr) / mains)
    numbers = np.arange(1, count + 1)
    begins = np.arange(spectra.shape[1]) * frames.hop / sr  # seconds
    nominal = _bins(spectra, numbers * frames.periods, queue)
    hertz = exact_frequency(nominal, begins, mains)
    places = numbers * (hertz * frames.length / sr)
    nearest = np.rint(places).astype(int)
    values = _bins(spectra, nearest, queue)
    # The phase that a bin shows is that in the middle of a frame, seen from the frame's begin.
    off = places - nearest
    turns = np.outer(begins * hertz, numbers) + off / 2
    values *= 4 / frames.length / _hann_response(off) * np.exp(-2j * np.pi * turns)
    steady = _steady(values)
    present = steady.any(axis=(0, 1))
    return Hum(
        hertz, numbers[present].astype(np.uint32), steady[..., present], frames.length // 2,
        frames.hop,
    )  # fmt: skip


def _spectra(
    signals: cl_array.Array, frames: Frames, queue: cl.CommandQueue
) -> cl_array.Array:
    """Return spectra of the shape (signals, frames, bins)."""
    count, samples = signals.shape
    shape = (count, (samples - frames.length) // frames.hop + 1, frames.length // 2 + 1)
    spectra = result_like(signals, queue, shape, COMPLEX_DTYPE[precision_of(signals)])
    turned = spectra.transpose((0, 2, 1))
    stft(signals, frames.length, frames.hop, center=False, out=turned, queue=queue)
    spectra.events[:] = turned.events
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


def exact_frequency(values: np.ndarray, begins: np.ndarray, mains: float) -> float:
    """Return the frequency of the mains that explains best how phases go on from frame to frame.

    Parameters
    ----------
    values : ndarray of complex, shape (signals, frames, harmonics)
        The bins of the nominal harmonics.
    begins : ndarray of float, shape (frames,)
        Where frames begin, in s.
    mains : float
        The nominal frequency, in Hz.

    Returns
    -------
    float
        In Hz. Every frame and every harmonic has one vote, so that loud notes do not count more.
    """
    if len(begins) < 2:
        return mains
    values = values[..., :VOTING]
    step = begins[1] - begins[0]
    numbers = np.arange(1, values.shape[-1] + 1)
    turned = values[:, 1:] * values[:, :-1].conj() * np.exp(-2j * np.pi * numbers * mains * step)
    votes = (turned / np.maximum(np.abs(turned), 1e-300)).sum(axis=(0, 1))
    tried = np.linspace(-OFF, OFF, GRID)
    score = (votes * np.exp(-2j * np.pi * np.outer(tried, numbers) * step)).real.sum(axis=1)
    best = tried[score.argmax()]
    # The votes are close to the best frequency now: the mean of what they are off tells the rest.
    off = np.angle(votes * np.exp(-2j * np.pi * numbers * best * step))
    weights = np.abs(votes) * numbers
    rest = (weights * off).sum() / max((weights * numbers).sum(), 1e-300) / (2 * np.pi * step)
    return float(mains + best + rest)


def _hann_response(off: np.ndarray) -> np.ndarray:
    """Return how a Hann window sees a sine that is so many bins off, beside one in the middle."""
    return np.sinc(off) / (1 - off**2)


def _steady(values: np.ndarray) -> np.ndarray:
    """Return what goes on with the same phase: the median of neighbouring frames, or 0."""
    padded = np.pad(values, ((0, 0), (AROUND, AROUND), (0, 0)), mode="reflect" if (
        values.shape[1] > AROUND) else "edge")
    near = np.lib.stride_tricks.sliding_window_view(padded, 2 * AROUND + 1, axis=1)
    middle = np.median(near.real, axis=-1) + 1j * np.median(near.imag, axis=-1)
    usual = np.median(np.abs(near), axis=-1)
    return np.where(np.abs(middle) > STEADY * usual, middle, 0)
