"""Impulse responses of rooms, and dry sounds to put into them: every call returns the same numbers.

References
----------
J. B. Allen, D. A. Berkley, "Image method for efficiently simulating small-room acoustics", J.
Acoust. Soc. Am. 65 (1979).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from ..errors import PlanError

SOUND = 343.0  # metres that sound travels in a second

HALL = (24.0, 15.0, 9.0)  # length, width, height in metres
SOURCE = (5.0, 7.0, 1.6)  # where the sound comes from
EARS = ((17.0, 6.9, 1.7), (17.0, 7.1, 1.7))  # where it is heard, left and right
REFLECTED = 0.86  # the share of a sound's pressure that a wall leaves
DECAY = 2.0  # seconds in which the noise loses 60 dB


def hall(seconds: float, rate: int) -> np.ndarray:
    """Return the impulse response of a rectangular hall by the image-source method.

    Parameters
    ----------
    seconds : float
        How long the response is. A longer response begins with the samples of a shorter one.
    rate : int
        Samples a second.

    Returns
    -------
    ndarray of float64, shape (2, taps)
        What is heard on the left and on the right; the largest magnitude is 1.

    Raises
    ------
    PlanError
        The response would end before the sound arrives.
    """
    response = np.stack([_heard_at(ear, round(seconds * rate), rate) for ear in EARS])
    if not response.any():
        silence = min(np.linalg.norm(np.subtract(ear, SOURCE)) for ear in EARS) / SOUND
        raise PlanError(f"the hall is silent for {silence:.3f} s: take a response that is longer")
    return response / np.abs(response).max()


def _heard_at(ear: Sequence[float], taps: int, rate: int) -> np.ndarray:
    """Return the impulse response of the hall at one ear.

    Each wall is a mirror. Along an axis of the length L, the images of a source at s are at
    2 k L + s and 2 k L - s, after |2 k| and |2 k - 1| reflections. Each image is heard after the
    time of its distance, and fainter by it.
    """
    reach = [int(taps / rate * SOUND / (2 * side)) + 1 for side in HALL]
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
        tap = np.rint(distance / SOUND * rate).astype(int)
        heard = tap < taps
        level = REFLECTED ** (more + others + bounces[2][heard]) / distance[heard]
        np.add.at(response, tap[heard], level)
    return response


def decaying_noise(seconds: float, rate: int) -> np.ndarray:
    """Return white noise that loses 60 dB in `DECAY` seconds, as the sound of a church does.

    Parameters
    ----------
    seconds : float
        How long the noise is.
    rate : int
        Samples a second.

    Returns
    -------
    ndarray of float64, shape (2, taps)
        The largest magnitude is 1.
    """
    time = np.arange(round(seconds * rate)) / rate
    noise = np.random.default_rng(1).standard_normal((2, time.size))
    response = noise * 10 ** (-3 * time / DECAY)
    return response / np.abs(response).max()


def sweep_and_noise(seconds: float, rate: int) -> np.ndarray:
    """Return a sweep from 20 Hz to 20 kHz on the left, beside white noise on the right.

    Parameters
    ----------
    seconds : float
        How long the sound is.
    rate : int
        Samples a second.

    Returns
    -------
    ndarray of float64, shape (2, samples)
        Magnitudes are at most 0.5.
    """
    time = np.arange(round(seconds * rate)) / rate
    octaves = np.log(20_000 / 20)
    phase = 2 * np.pi * 20 * seconds / octaves * (np.exp(time / seconds * octaves) - 1)
    noise = np.random.default_rng(2).uniform(-1, 1, time.size)
    return 0.5 * np.stack((np.sin(phase), noise))
