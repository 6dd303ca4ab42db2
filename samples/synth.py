"""Render a scale, an arpeggio or chords by adding partials up, with the notes that were played.

python samples/synth.py chords chords.wav --timbre organ --noise 0.01
"""

from __future__ import annotations

import argparse
import wave
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

MAJOR, MINOR, SEVENTH = (0, 4, 7), (0, 3, 7), (0, 4, 7, 10)
MAJOR_STEPS = (0, 2, 4, 5, 7, 9, 11, 12)
CADENCE = ((0, MAJOR), (9, MINOR), (5, MAJOR), (7, MAJOR), (0, MAJOR))  # I vi IV V I
LEAD = 0.1  # seconds of silence before the first note


class Tone(NamedTuple):
    """A note that is played: when and how long its key is down, in seconds, and which key."""

    onset: float
    duration: float
    midi: float


@dataclass(frozen=True)
class Timbre:
    """How a note sounds.

    Attributes
    ----------
    partials : int
        Harmonics, the fundamental among them.
    slope : float
        Amplitude of harmonic m is ``m ** -slope``.
    even : float
        Gain of even harmonics, which a clarinet hardly has.
    decay : float
        Seconds in which the fundamental falls to 1/e; harmonic m falls m ** 0.5 times as fast.
    attack, fall, sustain, release : float
        Envelope: seconds up, seconds down to the level that is held, that level, seconds to
        silence from the end of a note on.
    vibrato, rate : float
        Greatest deviation in semitones, and times a second.
    """

    partials: int = 12
    slope: float = 1.0
    even: float = 1.0
    decay: float = np.inf
    attack: float = 0.01
    fall: float = 0.05
    sustain: float = 0.8
    release: float = 0.05
    vibrato: float = 0.0
    rate: float = 5.5


TIMBRES = {
    "organ": Timbre(partials=8, sustain=1.0),
    "piano": Timbre(partials=16, slope=1.2, decay=0.6, attack=0.003, sustain=1.0),
    "plucked": Timbre(partials=14, slope=0.8, decay=0.3, attack=0.002, sustain=1.0),
    "reed": Timbre(partials=15, slope=1.0, even=0.15, attack=0.03, sustain=0.9),
    "bright": Timbre(partials=60, slope=0.3, decay=0.8, sustain=1.0),
    "bowed": Timbre(partials=18, slope=0.9, attack=0.06, sustain=0.9, release=0.08, vibrato=0.2),
}


def scale(root: float = 60, steps: Sequence[float] = MAJOR_STEPS, beat: float = 0.4) -> list[Tone]:
    """Play steps up from a root one after the other, each for nearly a beat."""
    return [Tone(LEAD + i * beat, 0.9 * beat, root + step) for i, step in enumerate(steps)]


def arpeggio(
    root: float = 48, chord: Sequence[int] = MAJOR, octaves: int = 3, beat: float = 0.25
) -> list[Tone]:
    """Play the notes of a chord up through octaves and down again."""
    up = [12 * octave + step for octave in range(octaves) for step in chord]
    return scale(root, [*up, 12 * octaves, *up[::-1]], beat)


def chords(
    root: float = 60,
    progression: Sequence[tuple[int, Sequence[int]]] = CADENCE,
    beat: float = 0.8,
) -> list[Tone]:
    """Play chords, each a step from the root and the intervals above it."""
    return [
        Tone(LEAD + i * beat, 0.9 * beat, root + step + interval)
        for i, (step, intervals) in enumerate(progression)
        for interval in intervals
    ]


def melody(seed: int, count: int = 24, low: int = 48, high: int = 84) -> list[Tone]:
    """Play a random walk of notes between two keys, of random lengths, some with rests behind."""
    rng = np.random.default_rng(seed)
    tones, when, key = [], LEAD, int(rng.integers(low + 7, high - 7))
    for _ in range(count):
        length = float(rng.choice([0.15, 0.2, 0.3, 0.4, 0.6]))
        tones.append(Tone(when, 0.92 * length, key))
        when += length + (length if rng.random() < 0.15 else 0)
        key += int(rng.choice([-12, -7, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 7, 12]))
        key = min(max(key, low), high)
    return tones


def progression(seed: int, count: int = 12, low: int = 48, high: int = 67) -> list[Tone]:
    """Play random triads and sevenths in random inversions, in close position."""
    rng = np.random.default_rng(seed)
    tones, when = [], LEAD
    for _ in range(count):
        intervals = (MAJOR, MINOR, SEVENTH)[rng.choice(3, p=[0.45, 0.45, 0.1])]
        turned = int(rng.integers(len(intervals)))
        keys = [*intervals[turned:], *(each + 12 for each in intervals[:turned])]
        root = int(rng.integers(low, high)) - keys[0]
        length = float(rng.choice([0.4, 0.6, 0.9]))
        tones += [Tone(when, 0.92 * length, root + key) for key in keys]
        when += length
    return tones


PIECES = {"scale": scale, "arpeggio": arpeggio, "chords": chords}


def envelope(timbre: Timbre, held: float, t: np.ndarray) -> np.ndarray:
    """Return the gain of a note at times after its onset."""
    level = np.interp(t, [0, timbre.attack, timbre.attack + timbre.fall], [0, 1, timbre.sustain])
    return level * np.clip(1 - (t - held) / timbre.release, 0, 1)


def tone_samples(tone: Tone, timbre: Timbre, sr: float, rng: np.random.Generator) -> np.ndarray:
    """Render one note, with random phases."""
    t = np.arange(int((tone.duration + timbre.release) * sr) + 1) / sr
    pitch = 440 * 2 ** ((tone.midi - 69) / 12)
    bend = timbre.vibrato * np.sin(2 * np.pi * timbre.rate * t + rng.uniform(0, 2 * np.pi))
    phase = 2 * np.pi * pitch * np.cumsum(2 ** (bend / 12)) / sr
    m = np.arange(1, timbre.partials + 1)[:, None]
    m = m[m * pitch < 0.45 * sr][:, None]  # none beyond the Nyquist frequency
    gains = m**-timbre.slope * np.where(m % 2, 1, timbre.even) * np.exp(-t * m**0.5 / timbre.decay)
    partials = gains * np.sin(m * phase + rng.uniform(0, 2 * np.pi, m.shape))
    return partials.sum(axis=0) * envelope(timbre, tone.duration, t)


def render(
    tones: Sequence[Tone],
    timbre: Timbre = TIMBRES["piano"],
    sr: float = 22050,
    noise: float = 0.0,
    seed: int = 0,
) -> np.ndarray:
    """Render notes.

    Parameters
    ----------
    tones : sequence of Tone
        Ground truth.
    timbre : Timbre
        Of all notes.
    sr : float
        Samples a second.
    noise : float
        Standard deviation of white noise beside the greatest sample.
    seed : int
        Of phases and noise.

    Returns
    -------
    ndarray of float32, shape (samples,)
        Half a second longer than the notes; the greatest sample is 0.9.
    """
    rng = np.random.default_rng(seed)
    end = max((tone.onset + tone.duration for tone in tones), default=0.0)
    y = np.zeros(int((end + timbre.release + 0.5) * sr))
    for tone in tones:
        first, samples = round(tone.onset * sr), tone_samples(tone, timbre, sr, rng)
        y[first : first + len(samples)] += samples
    y *= 0.9 / max(abs(y).max(initial=0), 1e-9)
    return (y + noise * rng.standard_normal(len(y))).astype(np.float32)


def write_wav(path: str, y: np.ndarray, sr: int) -> None:
    """Write 16-bit mono."""
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(sr)
        file.writeframes((np.clip(y, -1, 1) * 32767).astype("<i2").tobytes())


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Render music with known notes to a WAV file.")
    parser.add_argument("piece", choices=PIECES)
    parser.add_argument("output", metavar="FILE.wav")
    parser.add_argument("--timbre", choices=TIMBRES, default="piano")
    parser.add_argument("--root", type=float, default=60, help="MIDI number (default: 60, C4)")
    parser.add_argument("--beat", type=float, default=0.4, help="seconds (default: 0.4)")
    parser.add_argument("--noise", type=float, default=0, help="standard deviation (default: 0)")
    parser.add_argument("--vibrato", type=float, help="semitones")
    parser.add_argument("--sr", type=int, default=22050, help="samples a second (default: 22050)")
    parser.add_argument("--seed", type=int, default=0, help="of phases and noise (default: 0)")
    chosen = parser.parse_args(arguments)
    timbre = TIMBRES[chosen.timbre]
    if chosen.vibrato is not None:
        timbre = replace(timbre, vibrato=chosen.vibrato)
    tones = PIECES[chosen.piece](chosen.root, beat=chosen.beat)
    write_wav(chosen.output, render(tones, timbre, chosen.sr, chosen.noise, chosen.seed), chosen.sr)
    print("onset  duration  midi")
    for tone in tones:
        print(f"{tone.onset:5.2f}  {tone.duration:8.2f}  {tone.midi:4g}")


if __name__ == "__main__":
    main()
