"""Make the sample sound of this folder; every run gives the same one.

    python samples/make_sound.py [--output FILE]

It begins with a sine that rises through five octaves, A2 to A7. Then come the notes of a chord, A4,
C#5, E5 and A5, each with overtones that fade, and the chord itself. See `NOTES` for when.
"""

from __future__ import annotations

import argparse
import wave
from collections.abc import Sequence
from pathlib import Path

import numpy as np

RATE = 11025  # samples a second
SECONDS = 5.0
RISE = (0.1, 1.5, 110.0, 3520.0)  # begin, end in s; from, to in Hz

# Begin in s, lasting so long, frequencies in Hz.
NOTES = (
    (1.75, 0.4, (440.0,)),
    (2.25, 0.4, (554.365262,)),
    (2.75, 0.4, (659.255114,)),
    (3.25, 0.4, (880.0,)),
    (3.75, 1.1, (440.0, 554.365262, 659.255114, 880.0)),
)
OVERTONES = (1.0, 0.5, 0.25, 0.15, 0.08)  # from the note itself on
FADE = 0.02  # seconds from silence to full loudness, and back


def envelope(time: np.ndarray, begin: float, end: float) -> np.ndarray:
    """Return 1 between two times and 0 outside, without clicks."""
    inside = np.minimum(time - begin, end - time) / FADE
    return np.sin(np.pi / 2 * np.clip(inside, 0, 1)) ** 2


def rising_sine(time: np.ndarray) -> np.ndarray:
    """Return the sine that takes the same time for every octave."""
    begin, end, low, high = RISE
    rate = np.log(high / low) / (end - begin)
    phase = 2 * np.pi * low * np.expm1(rate * np.clip(time - begin, 0, end - begin)) / rate
    return envelope(time, begin, end) * np.sin(phase)


def note(time: np.ndarray, begin: float, seconds: float, frequency: float) -> np.ndarray:
    """Return a note that fades, its higher overtones sooner."""
    since = np.clip(time - begin, 0, None)
    partials = (
        part * np.exp(-1.5 * k * since) * np.sin(2 * np.pi * k * frequency * since)
        for k, part in enumerate(OVERTONES, 1)
    )
    return envelope(time, begin, begin + seconds) * sum(partials)


def sound() -> np.ndarray:
    """Return all samples, int16."""
    time = np.arange(round(RATE * SECONDS)) / RATE
    result = 0.5 * rising_sine(time)
    for begin, seconds, frequencies in NOTES:
        for frequency in frequencies:
            loudness = 0.35 / len(frequencies) ** 0.5
            result += loudness * note(time, begin, seconds, frequency)
    return np.rint(2**15 * result).astype("<i2")


def main(argv: Sequence[str] | None = None) -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description="Make the sample sound.")
    default = Path(__file__).resolve().parent / "tune.wav"
    parser.add_argument("--output", type=Path, default=default, metavar="FILE", help="where to")
    path = parser.parse_args(argv).output
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(sound().tobytes())


if __name__ == "__main__":
    main()
