"""See which OpenCL devices there are, and run the same transform on each.

    python samples/choose_device.py [DEVICE]

DEVICE is a part of a name, "gpu", "cpu", or an index such as 0:1; it replaces the default.
"""

import sys
import time

import numpy as np

import pyclfft

if len(sys.argv) > 1:
    pyclfft.use_device(sys.argv[1])  # or the environment variable PYCLFFT_DEVICE
default = pyclfft.default_device()

x = np.random.default_rng(4).random(4096) - 0.5
exact = np.fft.fft(x)

for device in pyclfft.devices():  # best first; devices that do not work have been left out
    pyclfft.use_device(device)
    start = time.perf_counter()
    spectrum = pyclfft.fft(x.astype("float32"))  # the first call builds the kernels
    first = time.perf_counter() - start
    error = np.linalg.norm(spectrum - exact) / np.linalg.norm(exact)
    mark = "*" if device == default else " "
    print(f"{mark} {device.name.strip()} ({device.platform.name.strip()})")
    print(f"    first call {first * 1e3:.1f} ms, relative error {error:.1e}")

pyclfft.use_device(default)
print(f"transforms of NumPy arrays run on {pyclfft.default_device().name.strip()}")
