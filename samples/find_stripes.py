"""Find the stripes in a picture by the peaks of its spectrum, and take them out.

    python samples/find_stripes.py [FOLDER]

writes the striped picture and the clean one to FOLDER, the current one by default.
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

import pyclfft

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
scene = np.asarray(Image.open(Path(__file__).with_name("scene.pgm"))).astype(np.float32)

# Stripes as a scanner or a bad cable draws them: 10 pixels apart, in two directions.
y, x = np.mgrid[:512, :512]
striped = scene + 20 * np.sin(2 * np.pi * (0.08 * x + 0.06 * y)) + 15 * np.sin(2 * np.pi * 0.1 * y)

found = pyclfft.spectrum(striped, window="hann")
for peak in found.peaks:
    print(f"stripes {peak.period:.2f} pixels apart, in direction {peak.angle:.0f} degrees")

# Gains over the whole spectrum: 0 around each peak and its mirror image, else 1.
fy, fx = np.fft.fftfreq(512)[:, None], np.fft.fftfreq(512)
gains = np.ones((512, 512), np.float32)
for peak in found.peaks:
    for sign in (1, -1):
        gains[np.hypot(fy - sign * peak.fy, fx - sign * peak.fx) < 2.5 / 512] = 0
clean = pyclfft.filter_image(striped, mask=gains)

for name, picture in (("striped", striped), ("clean", clean)):
    path = (folder / f"scene_{name}.png").resolve()
    Image.fromarray(np.clip(picture, 0, 255).astype(np.uint8)).save(path)
    print(f"{name}: {np.abs(picture - scene).mean():.1f} from the scene on average, in {path}")
