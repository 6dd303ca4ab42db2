"""
Remove stripes from a photograph
================================

Interference, a worn scanner or the screen of a printer puts a regular pattern on a picture. In
the spectrum such a pattern is a few bright points. A notch filter removes these points and
nothing else.

Picture: the surface of the Moon, from scikit-image; public domain, NASA.
"""

import matplotlib.pyplot as plt
import numpy as np
from skimage import data

import pyclfft

moon = data.moon().astype("float32")
y, x = np.mgrid[: moon.shape[0], : moon.shape[1]]
striped = moon + 12 * np.sin(2 * np.pi * (0.11 * x + 0.06 * y))

# %%
# ``points="auto"`` lets pyclfft look for the bright points by itself. ``radius`` says how large
# a hole the filter makes around each of them.

clean = pyclfft.filter_image(striped, "notch", points="auto")
print(f"error before: {np.sqrt(np.mean((striped - moon) ** 2)):.2f}")
print(f"error after:  {np.sqrt(np.mean((clean - moon) ** 2)):.2f}")

figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), layout="constrained")
spectrum = np.fft.fftshift(np.log1p(np.abs(pyclfft.fft2(striped))))
for ax, picture, title in zip(
    axes, (striped, spectrum, clean), ("with stripes", "its spectrum", "without stripes")
):
    ax.imshow(picture, cmap="gray")
    ax.set_title(title)
    ax.axis("off")
plt.show()
