"""
See the notes of a tune
=======================

A spectrogram shows which frequencies a sound contains at each moment. ``pyclfft.notes`` goes
one step further and finds the notes themselves.

Sound: ``tune.wav``, computed by ``samples/make_sound.py``.
"""

from pathlib import Path

import matplotlib.pyplot as plt

import pyclfft
from pyclfft.audio.audiofile import read_audio

samples = next(p / "samples" for p in Path.cwd().parents if (p / "samples/tune.wav").exists())
sound = read_audio(samples / "tune.wav", channel="mix")
y, sr = sound.samples[0], sound.info.sr

# %%
# Frames of 2048 samples tell neighbouring notes apart. A hop of 256 samples draws a column
# every 23 milliseconds.

levels = pyclfft.spectrogram(y, n_fft=2048, hop_length=256, db=True, ref="max")
times = pyclfft.frames_to_time(range(levels.shape[1]), sr=sr, hop_length=256)
frequencies = pyclfft.fft_frequencies(sr=sr, n_fft=2048)

# %%
# Each white line is a note that pyclfft has found, from its beginning to its end.

figure, ax = plt.subplots(figsize=(9, 4), layout="constrained")
mesh = ax.pcolormesh(times, frequencies, levels, vmin=-80, vmax=0, cmap="magma", rasterized=True)
for note in pyclfft.notes(y, sr=sr):
    hertz = float(pyclfft.midi_to_hz(note.midi))
    ax.plot([note.onset, note.onset + note.duration], [hertz, hertz], "w", linewidth=2)
    ax.annotate(note.name, (note.onset, hertz), (0, 5), textcoords="offset points", color="w")
ax.set(xlabel="time in seconds", ylabel="frequency in Hz", ylim=(100, 2000), yscale="log")
figure.colorbar(mesh, label="level in dB")
plt.show()
