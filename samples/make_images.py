"""Draw the sample images of this folder; every run gives the same ones.

    python samples/make_images.py [--output FOLDER]

Everything is computed with numpy: no fonts, no photographs, no random state but fixed seeds.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # also runs where nothing is installed

from pyclfft.apps.imagefile import ImageFile, write_image

# Strokes of letters on a grid of 5 x 7 points: polylines of points "xy", y downwards.
GLYPHS = {
    "A": "0602204246 0444",
    "B": "003041423303 334445360600",
    "C": "4130100105163645",
    "D": "00204244260600",
    "E": "40000646 0333",
    "F": "400006 0333",
    "G": "41301001051636454323",
    "H": "0006 4046 0343",
    "I": "1030 2026 1636",
    "J": "4045361605",
    "K": "0006 400346",
    "L": "000646",
    "M": "0600234046",
    "N": "06004640",
    "O": "103041453616050110",
    "P": "06003041423303",
    "Q": "103041453616050110 2446",
    "R": "06003041423303 2346",
    "S": "413010010213334445361605",
    "T": "0040 2026",
    "U": "000516364540",
    "V": "002640",
    "W": "0016233640",
    "X": "0046 4006",
    "Y": "002340 2326",
    "Z": "00400646",
    "0": "103041453616050110 1531",
    "1": "112026 1636",
    "2": "01103041420646",
    "3": "01103041423313 334445361605",
    "4": "36300444",
    "5": "400002324345361605",
    "6": "413010010516364544 334433 03",
    "7": "004026",
    "8": "103041423313020110 130405163645443313",
    "9": "051636454130100102134 3",
    " ": "",
}


def grid(height: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows (height, 1) and columns (1, width) of an image, float64."""
    return np.arange(height)[:, None] + 0.0, np.arange(width)[None, :] + 0.0


def smoothstep(low: float, high: float, x: np.ndarray) -> np.ndarray:
    """Rise from 0 at `low` to 1 at `high` without corners."""
    t = np.clip((x - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


def noise(y: np.ndarray, x: np.ndarray, seed: int) -> np.ndarray:
    """Interpolate random values at the integer points of the plane; in 0..1, period 256."""
    # Raw output, because numpy keeps that the same for ever, unlike its distributions.
    lattice = (np.random.PCG64(seed).random_raw(65536) >> 11).reshape(256, 256) * 2.0**-53
    y, x = np.broadcast_arrays(y, x)
    row, column = np.floor(y).astype(int), np.floor(x).astype(int)
    down, right = smoothstep(0, 1, y - row), smoothstep(0, 1, x - column)

    def corner(i: int, j: int) -> np.ndarray:
        return lattice[(row + i) % 256, (column + j) % 256]

    top = corner(0, 0) * (1 - right) + corner(0, 1) * right
    bottom = corner(1, 0) * (1 - right) + corner(1, 1) * right
    return top * (1 - down) + bottom * down


def clouds(y: np.ndarray, x: np.ndarray, seed: int, octaves: int) -> np.ndarray:
    """Sum noise over octaves, each twice as fine and half as strong; about 0..1, mean 0.5."""
    total = sum(noise(y * 2**k, x * 2**k, seed + k) / 2**k for k in range(octaves))
    return total / (2 - 2.0 ** (1 - octaves))


def ridges(y: np.ndarray, x: np.ndarray, seed: int, octaves: int) -> np.ndarray:
    """Like `clouds`, but creased where the noise crosses its mean, as mountains are."""
    total, weight = np.zeros(np.broadcast(y, x).shape), np.ones(())
    for k in range(octaves):
        crease = (1 - abs(2 * noise(y * 2**k, x * 2**k, seed + k) - 1)) ** 2
        total, weight = total + weight * crease / 2.3**k, np.clip(1.5 * crease, 0, 1)
    return total / 1.7


def mountains(size: int, horizon: int) -> np.ndarray:
    """Render the land beyond the lake and the sky; shape (horizon, size), 0..1."""
    row, column = grid(horizon, size)
    z = 11 * 1.0035 ** np.arange(620)[:, None]  # distances, nearest first
    x = z * (column / size - 0.5)
    shore = smoothstep(10, 26, z + 0.22 * x**2 / z + 5 * clouds(x / 3, 0 * x, 60, 4) - 2.5)
    height = shore * (0.3 + 9.5 * ridges(z / 17 + 20.6, x / 17 + 9.1, 40, 9) ** 1.3) - 0.02
    slope_z = np.gradient(height, axis=0) / np.gradient(z, axis=0)
    slope_x = np.gradient(height, axis=1) / np.gradient(x, axis=1)
    steep = np.sqrt(slope_x**2 + slope_z**2)
    light = (0.85 * slope_x + 0.3 * slope_z + 0.35) / np.sqrt(1 + steep**2)

    snow = smoothstep(2.6, 3.6, height + 2 * clouds(z, x, 80, 5) - 0.35 * steep)
    forest = smoothstep(1.6, 0.9, height) * 0.5
    rock = (0.3 + 0.3 * clouds(4 * z, 4 * x, 90, 4)) * (1 - forest)
    ground = (rock + (1 - rock) * snow) * (0.25 + 0.85 * np.clip(light, 0, 1))
    haze = 1 - np.exp(-z / 90)
    ground = ground * (1 - haze) + 0.85 * haze

    cloud = smoothstep(0.48, 0.8, clouds(row / 110 + 5, column / 330, 20, 7))
    sky = 0.42 + 0.38 * row / horizon
    sky = sky + (0.97 - sky) * cloud * 0.9
    # For every pixel the first distance at which the land rises above its line of sight.
    skyline = np.maximum.accumulate(height / z, axis=0)
    sight = 0.9 * (horizon - row[:, 0]) / size
    first = np.stack([np.searchsorted(line, sight) for line in skyline.T], axis=1)
    land = np.take_along_axis(ground, np.minimum(first, len(z) - 1), axis=0)
    return np.where(first < len(z), land, sky)


def mirror(upper: np.ndarray, size: int) -> np.ndarray:
    """Add below the picture (rows, size) its image in rippled water; shape (size, size)."""
    horizon = len(upper)
    row, column = grid(size - horizon, size)
    depth = row / (size - horizon)  # 0 far away, 1 at our feet
    far = 8 / (depth + 0.02)  # distance on the water
    waves = clouds(far * 4, (column - size / 2) * far / 260, 120, 5) - 0.5
    source = horizon - 1 - row - waves * 150 * depth - waves * 6
    sway = column + (clouds(far * 4 + 50, (column - size / 2) * far / 260, 130, 4) - 0.5) * 30 * depth
    mirrored = upper[np.clip(source, 0, horizon - 1).astype(int), np.clip(sway, 0, size - 1).astype(int)]
    water = mirrored * (0.86 - 0.25 * depth) + 0.03 + 0.25 * smoothstep(0.1, 0.35, waves) * depth
    return np.concatenate([upper, water])


def inside(row: np.ndarray, column: np.ndarray, corners: list[tuple[float, float]]) -> np.ndarray:
    """Mask of a convex polygon with corners (x, y), clockwise on the screen."""
    mask = np.ones(np.broadcast(row, column).shape, bool)
    for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1], strict=True):
        mask &= (x1 - x0) * (row - y0) >= (y1 - y0) * (column - x0)
    return mask


def boat(row: np.ndarray, column: np.ndarray) -> list[tuple[np.ndarray, float]]:
    """Masks and shades of a sailing boat, its waterline at row 0 and its mast at column 0."""
    shapes = (
        (0.93, [(6, -14), (6, -128), (64, -14)]),
        (0.72, [(-2, -118), (-2, -14), (-44, -14)][::1]),
        (0.1, [(0, -138), (4, -138), (4, -8), (0, -8)]),
        (0.16, [(-62, -12), (74, -12), (56, 6), (-46, 6)]),
        (0.8, [(-62, -12), (74, -12), (73, -8), (-60, -8)]),
    )
    return [(inside(row, column, corners), shade) for shade, corners in shapes]


def paint_firs(image: np.ndarray) -> np.ndarray:
    """Paint firs and grass on the near shore."""
    size = len(image)
    row, column = grid(size, size)
    needles = noise(row / 3, column / 2, 150)
    for x, base, height, width in ((120, 1000, 620, 130), (250, 1010, 420, 95), (20, 1010, 480, 110), (925, 1010, 330, 80), (1000, 1015, 470, 105)):
        t = (row - base + height) / height
        layer = (t * (9 + height / 80)) % 1
        reach = width * t * (0.55 + 0.45 * layer) * (0.55 + 0.6 * noise(row / 7, (column > x) * 9.5, x))
        tree = (t > 0) & (t < 1) & (abs(column - x) < reach * (0.7 + 0.5 * needles) + 2)
        shade = 0.05 + 0.2 * needles * (0.6 + 0.4 * layer) + 0.1 * (x - column) / width
        image = np.where(tree, np.clip(shade, 0.02, 1), image)
    bank = size * (0.93 + 0.00016 * abs(column - 600) * -1 + 0.03) + 14 * clouds(column / 60, 0 * column, 160, 6)
    grass = 0.08 + 0.3 * noise(row / 14 + noise(row / 40, column / 30, 172), column / 2.2, 170) ** 2
    blades = bank - 22 * noise(0 * column, column / 2.5, 171)
    return np.where(row > blades, grass, image)


def scene() -> ImageFile:
    """Render mountains above a lake that mirrors them, firs on the near shore and a boat."""
    size = 1024  # twice the result's, then averaged: smooth outlines
    image = mirror(mountains(size, 560), size)
    row, column = grid(size, size)
    wobble = column + 10 * (noise(row / 3, 0 * row, 140) - 0.5)
    for mask, shade in boat(760 - row, wobble - 590):
        image = np.where(mask & (row > 760), 0.6 * shade + 0.4 * image * 0.8, image)
    for mask, shade in boat(row - 760, column - 590):
        image = np.where(mask, shade, image)
    image = paint_firs(image)
    image = image.reshape(512, 2, 512, 2).mean(axis=(1, 3))
    return ImageFile((255 * np.clip(image, 0, 1) + 0.5).astype(np.uint8), 255)


if __name__ == "__main__":
    write_image("/tmp/imgwork/scene.pgm", scene())
