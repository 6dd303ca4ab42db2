"""
Keep the edges of a photograph
==============================

A high-pass filter removes slow changes of brightness and keeps edges. The cut-off decides how
fine a detail has to be in order to stay.

Picture: the camera man of scikit-image, CC0 by Lav Varshney.
"""

import matplotlib.pyplot as plt
from skimage import data

import pyclfft

photograph = data.camera()

# %%
# A cut-off of 16 bins keeps all waves with at least 16 periods across the picture. A Gaussian
# shape lets the gain rise slowly, so that the edges have no ripples beside them.

coarse = pyclfft.filter_image(photograph, "highpass", 16, shape="gaussian", pad="mirror")
fine = pyclfft.filter_image(photograph, "highpass", 64, shape="gaussian", pad="mirror")

figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), layout="constrained")
for ax, picture, title in zip(
    axes, (photograph, coarse, fine), ("photograph", "from 16 bins on", "from 64 bins on")
):
    ax.imshow(picture, cmap="gray")
    ax.set_title(title)
    ax.axis("off")
plt.show()
