"""Make impulse responses of rooms, and dry sounds to put into them; every run gives the same ones.

    python samples/make_rooms.py FOLDER

The folder then holds

- hall.wav: a rectangular hall by the image-source method, in stereo, 2.3 s
- noise.wav: noise that decays as a large church's sound does, in stereo, 2.3 s
- sweep.wav: a dry sweep from 20 Hz to 20 kHz on the left and white noise on the right, 4 s
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.io import wavfile

from pyclfft.convolution.rooms import decaying_noise, hall, sweep_and_noise

RATE = 48_000  # samples a second

# By the file's name, the function that makes the sound, and the sound's length in seconds.
SOUNDS = {
    "hall.wav": (hall, 2.3),
    "noise.wav": (decaying_noise, 2.3),
    "sweep.wav": (sweep_and_noise, 4.0),
}


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    folder = parser.parse_args(argv).folder
    folder.mkdir(exist_ok=True)
    for name, (make, seconds) in SOUNDS.items():
        wavfile.write(folder / name, RATE, make(seconds, RATE).T.astype(np.float32))
        print(folder / name)


if __name__ == "__main__":
    main()
