"""Filter a stack of slices in two ways: each slice on its own, and all of them as one volume.

    python samples/filter_stack.py [FOLDER]

writes two TIFF files to FOLDER, the current one by default: the noisy stack and the smooth volume.
"""

import sys
from pathlib import Path

import numpy as np

import pyclfft
from pyclfft.image.imagefile import ImageFile, write_images

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

# A bright ball in the dark, in 48 slices of 64 x 64 voxels, under noise.
z, y, x = np.mgrid[:48, :64, :64]
ball = np.where(np.hypot(np.hypot(z - 24, y - 32), x - 32) < 14, 180, 40)
noise = np.random.default_rng(1).normal(0, 40, ball.shape)
stack = np.clip(ball + noise, 0, 255).astype(np.uint8)

# What is finer than 8 voxels goes. Mirrored surroundings keep the first slice from the last one.
border = {"cutoff": 8, "unit": "px-period", "shape": "gaussian", "pad": "mirror"}
slices = pyclfft.filter_image(stack, "lowpass", axes=(1, 2), **border)
volume = pyclfft.filter_volume(stack, "lowpass", **border)

# How far each is from the ball without noise, as a root mean square.
errors = [np.sqrt(np.mean((each.astype(float) - ball) ** 2)) for each in (stack, slices, volume)]
print("error: {:.1f} before, {:.1f} slice by slice, {:.1f} as a volume".format(*errors))
for name, result in (("noisy", stack), ("smooth", volume)):
    path = (folder / f"ball_{name}.tif").resolve()
    write_images(path, [ImageFile(each, 255) for each in result])
    print(f"{name}: {len(result)} pages in {path}")
