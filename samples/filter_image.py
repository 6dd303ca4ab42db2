"""Filter an image: take the fine detail out of a picture, and look at what was taken.

    python samples/filter_image.py [FOLDER]

writes two pictures to FOLDER, the current one by default.
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

import pyclfft

image = np.asarray(Image.open(Path(__file__).with_name("scene.pgm")))  # uint8, (512, 512)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

# A period of 24 pixels is the border between coarse and fine. A Gaussian leaves no rings around
# edges, and mirrored surroundings keep the left edge from leaking into the right one.
border = {"cutoff": 24, "unit": "px-period", "shape": "gaussian", "pad": "mirror"}

# The coarse part is an image like the one it came from, and keeps its exposure.
smooth = pyclfft.filter_image(image, "lowpass", **border)

# The fine part has both signs. Its magnitude is drawn, the greatest one in white.
detail = pyclfft.filter_image(image, "highpass", **border)

print(f"on {pyclfft.default_device().name}, {image.shape[1]} x {image.shape[0]} pixels")
for name, result in (("smooth", smooth), ("detail", detail)):
    path = (folder / f"scene_{name}.png").resolve()
    Image.fromarray(result).save(path)
    print(f"{name}: mean {result.mean():.1f}, standard deviation {result.std():.1f}, in {path}")
print(f"image:  mean {image.mean():.1f}, standard deviation {image.std():.1f}")
