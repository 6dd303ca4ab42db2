"""Transform NumPy arrays: find the two tones in a noisy signal, then transform along any axes.

python samples/transform.py
"""

import numpy as np

import pyclfft

# One second at 4096 samples a second: tones of 440 and 1000 Hz, and noise twice as strong.
rate = 4096
t = np.arange(rate) / rate
signal = np.sin(2 * np.pi * 440 * t) + 0.5 * np.cos(2 * np.pi * 1000 * t)
signal += np.random.default_rng(1).normal(scale=2, size=rate)
signal = signal.astype("float32")  # float32 gives complex64, float64 gives complex128

spectrum = pyclfft.fft(signal)  # bin k is k Hz; the upper half mirrors the lower one
loudest = sorted(int(k) for k in np.argsort(abs(spectrum[: rate // 2]))[-2:])
print(f"loudest: {loudest} Hz")

# The inverse gives the signal back, here as a complex array without imaginary part.
back = pyclfft.ifft(spectrum)
print("round trip:", np.allclose(back, signal, atol=1e-5))

# Any number of axes, any lengths; arguments, results and errors are scipy.fft's.
cube = np.random.default_rng(2).random((6, 20, 32), dtype="float32")
result = pyclfft.fftn(cube, axes=(0, 2), norm="ortho")
print(f"fftn: {result.shape} {result.dtype}, as NumPy:", end=" ")
print(np.allclose(result, np.fft.fftn(cube, axes=(0, 2), norm="ortho"), atol=1e-5))

# A plan does the set-up once; printed, it shows every kernel that a call launches.
plan = pyclfft.Plan((16, 256), "complex64", axes=-1)
rows = plan(np.ones((16, 256), "complex64"))
print(f"plan: first bins {rows[:2, 0].real}")
print(plan)
