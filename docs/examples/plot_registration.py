"""
Find how far a picture has moved
================================

Two photographs of one scene rarely show it at the same place. Phase correlation finds the
distance, even to a fraction of a pixel.

Picture: Greek coins from Pompeii, from scikit-image; no known copyright restrictions.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import ndimage
from skimage import data

import pyclfft

first = data.coins().astype("float32")
second = ndimage.shift(first, (12.4, -7.3), mode="grid-wrap")  # moved down and to the left

# %%
# ``phase_cross_correlation`` returns by how many pixels the second picture has to be moved so
# that it lies on the first one. With ``upsample_factor=10`` the answer is exact to a tenth of a
# pixel.

shift, error, _ = pyclfft.phase_cross_correlation(first, second, upsample_factor=10)
print("move by", shift, "pixels")

# %%
# Moving the second picture back leaves hardly any difference.

back = ndimage.shift(second, shift, mode="grid-wrap")
figure, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained")
axes[0].imshow(first, cmap="gray")
axes[0].set_title("first picture")
for ax, other, title in zip(axes[1:], (second, back), ("difference before", "difference after")):
    ax.imshow(np.abs(first - other), cmap="gray", vmin=0, vmax=128)
    ax.set_title(title)
for ax in axes:
    ax.axis("off")
plt.show()
