"""
Look at a narrow band with a magnifying glass
=============================================

A plain transform of n samples knows n frequencies, equally spaced from zero to the sample rate.
If two tones lie close together, it may show a single peak whose top falls between two of its
frequencies. The zoom transform computes as many frequencies as you like within a band.

Signal: two tones, computed here.
"""

import matplotlib.pyplot as plt
import numpy as np

import pyclfft

rate, n = 8000, 16000  # two seconds
t = np.arange(n) / rate
signal = np.sin(2 * np.pi * 440.0 * t) + 0.8 * np.sin(2 * np.pi * 441.3 * t)

# %%
# The plain transform has a value every half hertz. ``zoom_fft`` computes 1000 values between
# 436 and 446 Hz.

plain = np.abs(pyclfft.rfft(signal)) * 2 / n
zoomed = np.abs(pyclfft.zoom_fft(signal, [436, 446], 1000, fs=rate)) * 2 / n

figure, ax = plt.subplots(figsize=(8, 3.5), layout="constrained")
ax.plot(np.linspace(436, 446, 1000, endpoint=False), zoomed, label="zoom_fft, 1000 values")
ax.plot(pyclfft.rfftfreq(n, 1 / rate), plain, "o", label="rfft, a value every 0.5 Hz")
ax.set(xlim=(436, 446), xlabel="frequency in Hz", ylabel="amplitude")
ax.legend()
plt.show()

# %%
# The zoom transform adds no information: how close two tones may be depends on how long you
# listen. But it draws what the samples know, without gaps.
