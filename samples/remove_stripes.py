"""Remove stripes: put two waves onto a picture, find them in its spectrum, take them away again.

    python samples/remove_stripes.py [FOLDER]

writes two pictures to FOLDER, the current one by default.
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

import pyclfft

image = np.asarray(Image.open(Path(__file__).with_name("scene.pgm")))  # uint8, (512, 512)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

# Two waves, of 5 pixels across and of 7.7 pixels aslant, as a faulty scanner leaves them.
y, x = np.indices(image.shape)
waves = 15 * np.cos(2 * np.pi * 0.2 * x) + 25 * np.cos(2 * np.pi * (0.07 * y + 0.11 * x))
striped = np.clip(image + waves, 0, 255).astype(np.uint8)

# In the spectrum a wave is a peak: one point, and its mirror image.
peaks = pyclfft.find_notches(striped)
for fy, fx in peaks:
    print(
        f"peak at ({fy:.3f}, {fx:.3f}) cycles a pixel: {1 / np.hypot(fy, fx):.1f} pixels a period"
    )

# A notch removes what lies around them; points="auto" would find them by itself.
clean = pyclfft.filter_image(striped, "notch", points=peaks)

for name, result in (("striped", striped), ("clean", clean)):
    path = (folder / f"scene_{name}.png").resolve()
    Image.fromarray(result).save(path)
    error = abs(result.astype(float) - image).mean()
    print(f"{name}: mean error {error:.1f} of 255, in {path}")
