"""Make impulse responses of rooms, and dry sounds to put into them; every run gives the same ones.

    python samples/make_rooms.py FOLDER

The folder then holds

- hall.wav: a rectangular hall by the image-source method, in stereo, 2.3 s
- noise.wav: noise that decays as a large church's sound does, in stereo, 2.3 s
- sweep.wav: a dry sweep from 20 Hz to 20 kHz on the left and white noise on the right, 4 s

References
----------
J. B. Allen, D. A. Berkley, "Image method for efficiently simulating small-room acoustics", J.
Acoust. Soc. Am. 65 (1979).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
from scipy.io import wavfile

RATE = 48_000  # samples a second
SECONDS = 2.3
SOUND = 343.0  # metres that sound travels in a second

HALL = (24.0, 15.0, 9.0)  # length, width, height in metres
SOURCE = (5.0, 7.0, 1.6)  # where the sound comes from
EARS = ((17.0, 6.9, 1.7), (17.0, 7.1, 1.7))  # where it is heard, left and right
REFLECTED = 0.86  # the share of a sound's pressure that a wall leaves
DECAY = 2.0  # seconds in which the noise loses 60 dB


def image_sources(ear: Sequence[float], taps: int) -> np.ndarray:
    """Return the impulse response of the hall at one ear.

    Each wall is a mirror. Along an axis of the length L, the images of a source at s are at
    2 k L + s and 2 k L - s, after |2 k| and |2 k - 1| reflections. Each image is heard after the
    time of its distance, and fainter by it.
    """
    reach = [int(taps / RATE * SOUND / (2 * side)) + 1 for side in HALL]
    places, bounces = [], []
    for side, at, most in zip(HALL, SOURCE, reach, strict=True):
        k = np.arange(-most, most + 1)
        places.append(np.concatenate((2 * k * side + at, 2 * k * side - at)))
        bounces.append(np.concatenate((np.abs(2 * k), np.abs(2 * k - 1))))
    response = np.zeros(taps)
    for (x, more), (y, others) in product(
        zip(places[0], bounces[0], strict=True), zip(places[1], bounces[1], strict=True)
    ):
        distance = np.sqrt((x - ear[0]) ** 2 + (y - ear[1]) ** 2 + (places[2] - ear[2]) ** 2)
        tap = np.rint(distance / SOUND * RATE).astype(int)
        heard = tap < taps
        level = REFLECTED ** (more + others + bounces[2][heard]) / distance[heard]
        np.add.at(response, tap[heard], level)
    return response


def hall() -> np.ndarray:
    """Return the impulse response of the hall, shape (2, taps)."""
    response = np.stack([image_sources(ear, round(SECONDS * RATE)) for ear in EARS])
    return response / np.abs(response).max()


def decaying_noise() -> np.ndarray:
    """Return noise that decays exponentially, shape (2, taps)."""
    time = np.arange(round(SECONDS * RATE)) / RATE
    noise = np.random.default_rng(1).standard_normal((2, time.size))
    response = noise * 10 ** (-3 * time / DECAY)
    return response / np.abs(response).max()


def sweep() -> np.ndarray:
    """Return a sweep from 20 Hz to 20 kHz beside white noise, shape (2, samples)."""
    seconds = 4.0
    time = np.arange(round(seconds * RATE)) / RATE
    octaves = np.log(20_000 / 20)
    phase = 2 * np.pi * 20 * seconds / octaves * (np.exp(time / seconds * octaves) - 1)
    noise = np.random.default_rng(2).uniform(-1, 1, time.size)
    return 0.5 * np.stack((np.sin(phase), noise))


SOUNDS = {"hall.wav": hall, "noise.wav": decaying_noise, "sweep.wav": sweep}


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    folder = parser.parse_args(argv).folder
    folder.mkdir(exist_ok=True)
    for name, make in SOUNDS.items():
        wavfile.write(folder / name, RATE, make().T.astype(np.float32))
        print(folder / name)


if __name__ == "__main__":
    main()
