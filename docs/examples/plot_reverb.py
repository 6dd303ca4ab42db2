"""
Put a drum into a hall
======================

Convolution with the impulse response of a room puts a dry sound into that room.

Sounds: ``loop_tabla.flac``, a recording of a tabla that Debian's package ``sonic-pi-samples``
contains (licence: CC0), and a hall whose echoes ``pyclfft.convolution.rooms`` computes from the
positions of its walls. If the package is not installed, the program takes ``tune.wav`` instead,
which ``samples/make_sound.py`` has computed.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import pyclfft
from pyclfft.audio.audiofile import read_audio
from pyclfft.convolution.rooms import hall

recording = Path("/usr/share/sonic-pi/samples/loop_tabla.flac")
samples = next(p / "samples" for p in Path.cwd().parents if (p / "samples/tune.wav").exists())
path = recording if recording.exists() else samples / "tune.wav"
sound = read_audio(path, channel="mix")
dry, sr = sound.samples[0], sound.info.sr
response = hall(2.3, sr)[0]  # the left one of two microphones

# %%
# The convolution takes one call. The result is longer than the dry sound, because the hall goes on
# sounding.

wet = pyclfft.convolve(dry, response.astype("float32"))
wet *= np.abs(dry).max() / np.abs(wet).max()

figure, axes = plt.subplots(2, 2, figsize=(10, 5), sharex="col", layout="constrained")
for (wave, levels), signal, title in zip(axes, (dry, wet), ("dry", "in the hall")):
    wave.plot(np.arange(len(signal)) / sr, signal, linewidth=0.5)
    wave.set(title=title, ylabel="amplitude", xlim=(0, len(wet) / sr))
    picture = pyclfft.spectrogram(signal, n_fft=1024, db=True, ref="max")
    levels.imshow(
        picture, origin="lower", aspect="auto", vmin=-80, vmax=0, cmap="magma",
        extent=(0, len(signal) / sr, 0, sr / 2000),
    )  # fmt: skip
    levels.set(title=title, ylabel="frequency in kHz", xlim=(0, len(wet) / sr))
for ax in axes[1]:
    ax.set_xlabel("time in seconds")
plt.show()
