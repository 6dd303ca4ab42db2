"""Make sounds that are no notes: white noise, drums and chirps; a seed gives the same one always.

    python samples/make_noises.py FOLDER [--seeds 10]

`pyclfft.notes` finds no note in them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from scipy.io import wavfile

RATE = 22050  # samples a second
SECONDS = 4.0
BEAT = 0.25  # seconds from one stroke of a drum to the next


def white_noise(seed: int, sr: int = RATE) -> np.ndarray:
    """Return noise that is equally strong at all frequencies, float32, up to 1."""
    return _full_scale(np.random.default_rng(seed).standard_normal(round(SECONDS * sr)))


def drums(seed: int, sr: int = RATE) -> np.ndarray:
    """Return bass drum, snare drum and hi-hat, each stroke a little different, float32, up to 1."""
    rng = np.random.default_rng(seed)
    y = np.zeros(round(SECONDS * sr))
    for beat in range(round(SECONDS / BEAT)):
        begin = round(beat * BEAT * sr)
        strokes = [hi_hat] if rng.random() < 0.8 else []
        strokes += [bass_drum] if beat % 4 == 0 or rng.random() < 0.2 else []
        strokes += [snare_drum] if beat % 4 == 2 or rng.random() < 0.1 else []
        for stroke in strokes:
            sound = rng.uniform(0.6, 1.0) * stroke(rng, sr)
            end = min(len(y), begin + len(sound))
            y[begin:end] += sound[: end - begin]
    return _full_scale(y)


def bass_drum(rng: np.random.Generator, sr: int) -> np.ndarray:
    """Return a stroke whose pitch falls at once, with a click."""
    t = np.arange(round(0.4 * sr)) / sr
    low, high = rng.uniform(42, 58), rng.uniform(120, 220)
    fall = rng.uniform(0.02, 0.05)  # seconds to 1/e of the way down
    turns = low * t + (high - low) * fall * (1 - np.exp(-t / fall))
    click = rng.standard_normal(len(t)) * np.exp(-t / 0.004)
    return np.sin(2 * np.pi * turns) * np.exp(-t / rng.uniform(0.06, 0.12)) + 0.3 * click


def snare_drum(rng: np.random.Generator, sr: int) -> np.ndarray:
    """Return a stroke of two tones of the skin, out of tune, below the noise of the wires."""
    t = np.arange(round(0.3 * sr)) / sr
    skin = rng.uniform(165, 200)
    tones = np.sin(2 * np.pi * skin * t) + 0.7 * np.sin(2 * np.pi * 1.6 * skin * t)
    wires = rng.standard_normal(len(t)) * np.exp(-t / rng.uniform(0.05, 0.09))
    return 0.5 * tones * np.exp(-t / 0.03) + 0.7 * wires


def hi_hat(rng: np.random.Generator, sr: int) -> np.ndarray:
    """Return a stroke of noise without low frequencies."""
    t = np.arange(round(0.15 * sr)) / sr
    noise = np.diff(rng.standard_normal(len(t) + 2), 2)
    return 0.2 * noise * np.exp(-t / rng.uniform(0.01, 0.04))


def chirps(seed: int, sr: int = RATE) -> np.ndarray:
    """Return two sines that glide over two octaves at least, up or down, float32, up to 1."""
    rng = np.random.default_rng(seed)
    half = round(SECONDS / 2 * sr)
    t = np.arange(half) / sr
    parts = []
    for _ in range(2):
        low = rng.uniform(80, 400)
        high = low * 2 ** rng.uniform(2, 4)
        rate = np.log(high / low) / t[-1]
        geometric = low * np.expm1(rate * t) / rate  # takes the same time for every octave
        linear = low * t + (high - low) * t**2 / (2 * t[-1])
        turns = geometric if rng.random() < 0.5 else linear
        sound = np.sin(2 * np.pi * turns) * np.sin(np.pi * t / t[-1]) ** 0.2
        parts.append(sound[::-1] if rng.random() < 0.5 else sound)
    return _full_scale(np.concatenate(parts))


def _full_scale(y: np.ndarray) -> np.ndarray:
    return (y / np.abs(y).max()).astype(np.float32)


# By the names of the files.
SOUNDS: dict[str, Callable[[int], np.ndarray]] = {
    "white_noise": white_noise,
    "drums": drums,
    "chirps": chirps,
}


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--seeds", type=int, default=10, help="sounds of a kind (default: 10)")
    chosen = parser.parse_args(argv)
    chosen.folder.mkdir(exist_ok=True)
    for name, make in SOUNDS.items():
        for seed in range(chosen.seeds):
            path = chosen.folder / f"{name}{seed}.wav"
            wavfile.write(path, RATE, make(seed))
            print(path)


if __name__ == "__main__":
    main()
