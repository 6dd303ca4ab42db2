"""
Find layers in a volume
=======================

Volumes from microscopes and scanners are filtered in three dimensions at once. Here a band-pass
filter finds structures of a certain size in a volume that is full of noise.

Volume: random blobs, computed by scikit-image.
"""

import matplotlib.pyplot as plt
import numpy as np
from skimage import data

import pyclfft

blobs = data.binary_blobs(96, blob_size_fraction=0.15, n_dim=3, volume_fraction=0.3, rng=1)
rng = np.random.default_rng(0)
volume = blobs + rng.standard_normal(blobs.shape, "float32")

# %%
# The blobs are about 14 voxels wide. A Gaussian band pass keeps what has a size of 10 to 60
# voxels.

found = pyclfft.filter_volume(
    volume.astype("float32"), "bandpass", (10, 60), unit="px-period", shape="gaussian", part="real"
)

figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), layout="constrained")
for ax, picture, title in zip(
    axes, (blobs[48], volume[48], found[48]), ("blobs, slice 48", "with noise", "filtered")
):
    ax.imshow(picture, cmap="gray")
    ax.set_title(title)
    ax.axis("off")
plt.show()
