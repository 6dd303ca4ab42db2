"""
Sharpen a blurred photograph
============================

If you know how a picture was blurred, you can undo most of the blur. Dividing by the blur's
transfer function would amplify the noise beyond all bounds; Wiener's filter finds a compromise.

Picture: the camera man of scikit-image, CC0 by Lav Varshney.
"""

import matplotlib.pyplot as plt
import numpy as np
from skimage import data

import pyclfft

original = data.camera().astype("float32") / 255
blur = np.zeros((1, 15), "float32") + 1 / 15  # the camera moved by 15 pixels
rng = np.random.default_rng(0)
blurred = pyclfft.convolve(np.pad(original, ((0, 0), (7, 7)), "wrap"), blur, mode="valid")
blurred += 0.01 * rng.standard_normal(blurred.shape, "float32")

# %%
# ``balance`` weighs noise against sharpness: the larger it is, the smoother is the result.

sharp = pyclfft.wiener(blurred, blur, balance=0.01)

figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), layout="constrained")
for ax, picture, title in zip(
    axes, (original, blurred, sharp), ("original", "blurred, with noise", "restored")
):
    ax.imshow(picture, cmap="gray", vmin=0, vmax=1)
    ax.set_title(title)
    ax.axis("off")
plt.show()
