"""Notes: pitch, time and strength.

A signal is cut at its onsets; the pitches of each part, found by `pitches`, are joined to notes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, log2
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl

from ..errors import PlanError
from .framing import positive
from .magnitude_spectrogram import (
    NOTHING,
    ONSET_SECONDS,
    PITCH_SECONDS,
    MagnitudeSpectrogram,
    frame_points,
    magnitudes_of,
    number,
    refuse_channels,
)
from .note_confidence import THRESHOLD, confidence_of
from .onsets import find_onsets
from .pitches import Pitches, find_pitches, make_search
from .units import hz_to_midi, midi_to_note

BLOCK = 0.4  # the longest sound, in seconds, whose pitches are sought together
SILENCE = 1e-4  # the part of the greatest magnitude below which all is silence: -80 dB
TRACKED = 3  # the harmonics that tell how long a note sounds
RISE = 1.25  # the factor by which the harmonics of a note rise if it is struck again
LATE = 0.1  # seconds behind an onset; a note that begins later does not begin with this onset
ECHO = 0.25  # the part of the next note's strength below which a short note is left out
FADED = 0.1  # the part of a note's greatest magnitude below which the note has ended
FAINT = 0.02  # the part of the greatest strength of all below which a note is not heard


class Note(NamedTuple):
    """A note that was heard.

    Attributes
    ----------
    onset, duration : float
        When the note begins, and how long it lasts, in seconds.
    name : str
        The note's name, for example "C♯4".
    midi : int
        The note's MIDI number; 60 is C4.
    cents : float
        How many cents the pitch is above that of the name, if A4 is 440 Hz: -50 to 50.
    strength : float
        The amplitude divided by that of the strongest note: 0 to 1.
    confidence : float
        How surely this is a note, 0 to 1: it keeps its pitch, it lasts, and its harmonics stand
        out.

    See Also
    --------
    notes : Find the notes of a signal.
    midi_to_hz : The frequency of a MIDI number.
    """

    onset: float
    duration: float
    name: str
    midi: int
    cents: float
    strength: float
    confidence: float = 1.0


def notes(
    y: Any,
    sr: float = 22050,
    *,
    n_fft: int | None = None,
    hop_length: int = 512,
    fmin: float = 55.0,
    fmax: float = 2093.0,
    polyphony: int = 4,
    threshold: float = THRESHOLD,
    salience: float = 0.35,
    delta: float = 0.01,
    min_duration: float = 0.05,
    queue: cl.CommandQueue | None = None,
) -> list[Note]:
    """Find the notes of a melody, or of music with few notes at a time.

    Parameters
    ----------
    y : array_like or pyopencl.array.Array, shape (samples,)
        A signal.
    sr : float
        Samples a second.
    n_fft : int, optional
        Points of a frame in which pitches are told apart. The default is the power of two next to
        186 ms, 4096 at 22050 Hz.
    hop_length : int
        Samples from one frame to the next.
    fmin, fmax : float
        The lowest and the highest fundamental, in Hz; from A1 to C7 by default.
    polyphony : int
        The most notes at the same time: 1 for melodies.
    threshold : float
        Notes are left out if their confidence is below this number, 0 to 1. With 0 all notes are
        returned, also what is heard in speech, in drums and in chirps.
    salience : float
        Notes are left out if their salience, divided by that of the most salient note at the same
        time, is below this number, 0 to 1.
    delta : float
        The parameter of `onsets`.
    min_duration : float
        Notes that last less than this number of seconds are left out.
    queue : cl.CommandQueue, optional
        The queue to run on. The default is the queue of a device array, or the default queue.

    Returns
    -------
    list of Note
        The notes by onset, then by pitch. Silence, noise, drums and chirps have no notes.

    Raises
    ------
    PlanError, DeviceError, DeviceMemoryError
        As `onsets` raises them.

    See Also
    --------
    onsets : Where sounds begin.
    chroma : Energy by pitch class.

    Notes
    -----
    The signal is cut at its onsets. In each part the salience of every pitch is computed, which is
    the sum of the strengths of its harmonics. The most salient pitch is taken, its harmonics are
    removed, and the next pitch is sought. Two notes an octave apart share their harmonics, so that
    the upper one is found only if it is louder than the overtones of the lower one would be.

    References
    ----------
    A. Klapuri, "Multiple fundamental frequency estimation by summing harmonic amplitudes", Proc.
    ISMIR (2006).

    Examples
    --------
    >>> import numpy as np
    >>> import pyclfft
    >>> t = np.arange(11025) / 22050
    >>> tones = [np.sin(2 * np.pi * f * t) * np.exp(-4 * t) for f in (261.63, 329.63, 392.0)]
    >>> y = np.concatenate([0 * t, *tones])
    >>> for note in pyclfft.notes(y):
    ...     print(f"{note.onset:.1f} {note.name} {note.midi}")
    0.5 C4 60
    1.0 E4 64
    1.5 G4 67
    """
    if np.ndim(y) == 2:
        refuse_channels(np.shape(y))
    if y is None or np.ndim(y) != 1:
        what = "None" if y is None else f"an array of shape {np.shape(y)}"
        raise PlanError(f"notes are found in a signal of shape (samples,), not in {what}")
    search = make_search(number("sr", sr), fmin, fmax, polyphony, salience)
    threshold = number("threshold", threshold, -1)
    if not 0 <= threshold <= 1:
        raise PlanError(f"threshold is a confidence from 0 to 1, not {threshold:g}")
    points = frame_points(sr, PITCH_SECONDS) if n_fft is None else positive("n_fft", n_fft)
    fine = magnitudes_of(y, None, sr, frame_points(sr, ONSET_SECONDS), hop_length, queue)
    blocks = Blocks.between(find_onsets(fine, number("delta", delta)), fine, points)
    coarse = magnitudes_of(y, None, sr, points, hop_length, queue)
    spectra = blocks.spectra(coarse)
    spectra[spectra.max(axis=1, initial=0) < SILENCE * max(coarse.greatest, NOTHING)] = 0
    pitches = find_pitches(spectra, sr / points, search)
    least = number("min_duration", min_duration, -1)
    return _named(list(_assembled(blocks, pitches, fine)), fine, least, threshold)


@dataclass(frozen=True, eq=False)
class Blocks:
    """Parts of a signal between its onsets.

    Attributes
    ----------
    edges : ndarray of float, shape (blocks + 1,)
        Where blocks begin and end, in frames.
    struck : ndarray of bool, shape (blocks,)
        Whether a block begins with an onset.
    margin : float
        How many frames at an edge hold sound of both blocks.
    """

    edges: np.ndarray
    struck: np.ndarray
    margin: float

    @classmethod
    def between(cls, found: np.ndarray, magnitudes: MagnitudeSpectrogram, points: int) -> Blocks:
        """Cut a signal at onsets, and long parts into blocks of equal length."""
        count = len(magnitudes.values)
        ends = np.concatenate([[0.0], found[found > 0], [float(count)]])
        struck_at = set(found.tolist())
        pieces = [
            np.linspace(a, b, max(1, ceil((b - a) / (BLOCK * magnitudes.rate))), endpoint=False)
            for a, b in pairwise(ends)
        ]
        edges = np.concatenate([*pieces, [float(count)]])
        struck = np.array([each in struck_at for each in edges[:-1].tolist()])
        return cls(edges, struck, points / 4 / magnitudes.hop)

    def spectra(self, magnitudes: MagnitudeSpectrogram) -> np.ndarray:
        """Return the mean magnitudes of blocks without their margins, shape (blocks, bins)."""
        values = magnitudes.values
        means = np.zeros((len(self.struck), values.shape[1]), np.float32)
        for i, (begin, end) in enumerate(pairwise(self.edges)):
            first = ceil(begin + self.margin) if self.struck[i] else ceil(begin)
            behind = i + 1 < len(self.struck) and self.struck[i + 1]
            last = int(end - self.margin) if behind else int(end)
            if last <= first and not self.struck[i]:
                continue  # no more than the window's view of the block behind
            if last <= first:  # short: the frame in the middle
                first = min(round((begin + end) / 2), len(values) - 1)
                last = first + 1
            means[i] = values[first:last].mean(axis=0)
        return means


# --- notes of pitches -----------------------------------------------------------------------------


@dataclass(eq=False)
class Sounding:
    """A note that may go on: its begin, its end so far, in frames, its strength and its pitch."""

    begin: float
    end: float
    strength: float
    hz: float

    def lengthen(self, end: float, strength: float, hz: float) -> None:
        """Let the note go on to a later end; its pitch is that of its strongest block."""
        self.end = end
        if strength > self.strength:
            self.strength, self.hz = strength, hz

    def is_at(self, hz: float) -> bool:
        """Return whether a pitch is the note's, within 0.6 semitones."""
        return abs(12 * log2(hz / self.hz)) < 0.6


def _assembled(blocks: Blocks, pitches: Pitches, fine: MagnitudeSpectrogram) -> Iterator[Sounding]:
    """Join pitches of neighbouring blocks to notes, unless a note is struck again."""
    active: list[Sounding] = []  # since the last onset, or held over it
    onset = 0.0
    for i, (begin, end) in enumerate(pairwise(blocks.edges.tolist())):
        if blocks.struck[i]:
            onset = begin
            yield from (each for each in active if each.end < begin)
            active = [each for each in active if each.end == begin]
        for hz, strength in zip(pitches.hz[i].tolist(), pitches.strength[i].tolist(), strict=True):
            if not hz:
                continue
            held = next((each for each in active if each.is_at(hz)), None)
            if held and not (blocks.struck[i] and _is_struck(fine, hz, begin)):
                held.lengthen(end, strength, hz)
                continue
            if held:
                active.remove(held)
                # A frame around the end of a note may have seen the onset behind it already.
                is_echo = begin - held.begin < 2 * blocks.margin
                if not (is_echo and held.strength < ECHO * strength):
                    yield held
            active.append(Sounding(_first_sound(fine, hz, onset, end), end, strength, hz))
    yield from active


def _track(fine: MagnitudeSpectrogram, hz: float, begin: float, end: float) -> np.ndarray:
    """Return the magnitudes of the lowest harmonics over time, shape (harmonics, frames)."""
    bins = np.rint(hz * np.arange(1, TRACKED + 1) * fine.n_fft / fine.sr).astype(int)
    bins = np.unique(np.minimum(bins, fine.values.shape[1] - 1))
    values = fine.values[max(0, round(begin)) : max(1, round(end))]
    return np.stack([values[:, max(0, b - 1) : b + 2].max(axis=1) for b in bins])


def _is_struck(fine: MagnitudeSpectrogram, hz: float, onset: float) -> bool:
    """Return whether all harmonics of a note that sounds already rise at an onset."""
    reach = fine.n_fft / 2 / fine.hop
    before = _track(fine, hz, onset - 1.5 * reach, onset + 1).min(axis=1)
    after = _track(fine, hz, onset, onset + 2 * reach).max(axis=1, initial=0)
    heard = after > 0.1 * after.max()
    return bool((after[heard] > RISE * before[heard]).all())


def _first_sound(fine: MagnitudeSpectrogram, hz: float, begin: float, end: float) -> float:
    """Return the frame at which a note begins, which may be far behind the begin of its block."""
    level = np.linalg.norm(_track(fine, hz, begin, end), axis=0)
    if not len(level):
        return begin
    first = int((level > 0.3 * level.max()).argmax())
    return begin + first if first > LATE * fine.rate else begin


def _last_sound(fine: MagnitudeSpectrogram, note: Sounding) -> float:
    """Return the frame at which a note has faded away."""
    level = np.linalg.norm(_track(fine, note.hz, note.begin, note.end), axis=0)
    if not len(level):
        return note.end
    loudest = int(level.argmax())
    faded = level[loudest:] < FADED * level[loudest]
    return note.begin + loudest + int(faded.argmax()) if faded.any() else note.end


def _named(
    found: list[Sounding], fine: MagnitudeSpectrogram, least: float, threshold: float
) -> list[Note]:
    """Return notes with their names; leave out those too short, too faint or too doubtful."""
    loudest = max((each.strength for each in found), default=1.0)
    result = []
    for each in found:
        end = _last_sound(fine, each)
        duration = (end - each.begin) / fine.rate
        strength = each.strength / loudest
        if duration < least or strength < FAINT:
            continue
        confidence = confidence_of(fine, each.hz, each.begin, end, strength)
        if confidence < threshold:
            continue
        pitch = float(hz_to_midi(each.hz))
        midi = round(pitch)
        cents = 100 * (pitch - midi)
        onset = each.begin / fine.rate
        name = midi_to_note(midi)
        result.append(Note(onset, duration, name, midi, cents, strength, confidence))
    return sorted(result, key=lambda note: (note.onset, note.midi))
