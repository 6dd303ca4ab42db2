"""Remove noise and the hum of the mains from music, erase a whistle, and say what became better.

python samples/denoise_sound.py
"""

import sys
from pathlib import Path

import numpy as np

import pyclfft

sys.path.insert(0, str(Path(__file__).parent))
import make_sound

clean, sr = make_sound.sound() / 2**15, make_sound.RATE
t = np.arange(len(clean)) / sr


def ratio(y: np.ndarray) -> float:
    """Return the signal-to-noise ratio in decibels."""
    return 10 * float(np.log10(np.square(clean).sum() / np.square(y - clean).sum()))


hiss = np.std(clean) * 10**-0.5 * np.random.default_rng(1).standard_normal(len(t))  # 10 dB below
hum = 0.05 * sum(np.sin(2 * np.pi * 50 * k * t) / k for k in range(1, 9))
better = pyclfft.denoise(clean + hiss, sr=sr)
print(f"noise: {ratio(clean + hiss):.1f} dB before, {ratio(better):.1f} dB after")
left = pyclfft.denoise(clean + hum, sr=sr, hum=50, reduction=0) - clean
print(f"hum: softer by {20 * np.log10(np.std(hum) / np.std(left)):.0f} dB")

whistle = 0.1 * np.sin(2 * np.pi * 4500 * t) * ((t > 1.8) & (t < 2.2))
erased = pyclfft.edit_spectrogram(clean + whistle, [pyclfft.Region(1.7, 2.3, 4300, 4700)], sr=sr)
print(f"whistle: {ratio(clean + whistle):.1f} dB before, {ratio(erased):.1f} dB after")
print("before 1.6 s nothing has changed:", bool((erased == clean)[: int(1.6 * sr)].all()))
