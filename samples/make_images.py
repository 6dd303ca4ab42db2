"""Draw the sample images of this folder; every run gives the same ones.

    python samples/make_images.py [--output FOLDER]

Everything is computed with numpy: no font, no photograph, no randomness but from fixed seeds.
"""

from __future__ import annotations

import argparse
from itertools import pairwise
from pathlib import Path

import numpy as np

from pyclfft.image.imagefile import ImageFile, write_image

# Letters as strokes on a grid of 5 x 7 points: polylines of points "xy", y downwards.
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
    "6": "4130100105163645443303",
    "7": "004026",
    "8": "103041423313020110 130405163645443313",
    "9": "0516364541301001021343",
    " ": "",
}

# Firs of the scene, back to front: column, row of the foot, height, width to each side.
FIRS = (
    (20, 1010, 480, 110),
    (925, 1010, 330, 80),
    (1000, 1015, 470, 105),
    (120, 1000, 620, 130),
    (250, 1010, 420, 95),
)

# The scene's boat: shade and corners (x, y) around the foot of its mast, clockwise.
BOAT = (
    (0.93, ((6, -14), (6, -128), (64, -14))),
    (0.72, ((-2, -118), (-2, -14), (-44, -14))),
    (0.11, ((0, -138), (4, -138), (4, -8), (0, -8))),
    (0.16, ((-62, -12), (74, -12), (56, 6), (-46, 6))),
    (0.80, ((-62, -12), (74, -12), (73, -8), (-60, -8))),
)


def grid(height: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows (height, 1) and columns (1, width) of an image, float64."""
    return np.arange(height)[:, None] + 0.0, np.arange(width)[None, :] + 0.0


def grey(brightness: np.ndarray, maxval: int = 255) -> ImageFile:
    """Round brightness from 0 to 1 to an image of integers."""
    samples = np.floor(maxval * np.clip(brightness, 0, 1) + 0.5)
    return ImageFile(samples.astype(np.uint8 if maxval < 256 else np.uint16), maxval)


def smoothstep(low: float, high: float, x: np.ndarray) -> np.ndarray:
    """Rise from 0 at `low` to 1 at `high` without corners; fall if `high` is below `low`."""
    t = np.clip((x - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


def noise(y: np.ndarray, x: np.ndarray, seed: int) -> np.ndarray:
    """Interpolate between random values at the integer points of the plane; 0 to 1."""
    # Raw output, because numpy keeps that the same for ever, unlike its distributions.
    lattice = (np.random.PCG64(seed).random_raw(65536) >> 11).reshape(256, 256) * 2.0**-53
    y, x = np.broadcast_arrays(y, x)
    row, column = np.floor(y).astype(int), np.floor(x).astype(int)
    down, right = smoothstep(0, 1, y - row), smoothstep(0, 1, x - column)

    def between(i: int) -> np.ndarray:
        left_value = lattice[(row + i) % 256, column % 256]
        right_value = lattice[(row + i) % 256, (column + 1) % 256]
        return left_value + (right_value - left_value) * right

    return between(0) + (between(1) - between(0)) * down


def clouds(y: np.ndarray, x: np.ndarray, seed: int, octaves: int) -> np.ndarray:
    """Average noise over octaves, each twice as fine and half as strong; 0 to 1."""
    total = sum(noise(y * 2**k, x * 2**k, seed + k) / 2**k for k in range(octaves))
    return total / (2 - 2.0 ** (1 - octaves))


def ridges(y: np.ndarray, x: np.ndarray, seed: int, octaves: int) -> np.ndarray:
    """Sum noise folded at its mean, which makes crests; finer crests only on coarser ones."""
    total, weight = np.zeros(np.broadcast(y, x).shape), np.ones(())
    for k in range(octaves):
        crest = (1 - abs(2 * noise(y * 2**k, x * 2**k, seed + k) - 1)) ** 2
        total, weight = total + weight * crest / 2.3**k, np.clip(1.5 * crest, 0, 1)
    return total / 1.7


def stroke(ink: np.ndarray, start: np.ndarray, end: np.ndarray, thickness: float) -> None:
    """Draw a line with round ends, antialiased, from `start` to `end` (x, y) into `ink`."""
    row, column = grid(*ink.shape)
    (x, y), (dx, dy) = start, end - start
    along = np.clip(((column - x) * dx + (row - y) * dy) / (dx**2 + dy**2), 0, 1)
    distance = np.sqrt((column - x - along * dx) ** 2 + (row - y - along * dy) ** 2)
    np.maximum(ink, np.clip(thickness / 2 - distance + 0.5, 0, 1), out=ink)


def write_text(ink: np.ndarray, text: str, x: float, y: float, unit: float) -> None:
    """Draw a line of text into `ink` with its top left corner at (x, y); letters 6 units high."""
    for place, letter in enumerate(text):
        for polyline in GLYPHS[letter].split():
            points = np.array([float(digit) for digit in polyline]).reshape(-1, 2)
            points = points * unit + (x + place * 5.6 * unit, y)
            for start, end in pairwise(points):
                low, high = np.minimum(start, end) - unit, np.maximum(start, end) + unit
                (left, top), (right, bottom) = np.maximum(low, 0).astype(int), high.astype(int)
                corner = (left, top)
                stroke(ink[top:bottom, left:right], start - corner, end - corner, 0.9 * unit)


def zone_plate() -> ImageFile:
    """Rings whose frequency grows with the radius and reaches Nyquist's in the corners."""
    row, column = grid(512, 512)
    return grey(0.5 + 0.5 * np.cos(np.pi * ((row - 256) ** 2 + (column - 256) ** 2) / 512 / 2**0.5))


def checkerboard() -> ImageFile:
    """Squares of 32 x 32 pixels."""
    row, column = grid(512, 512)
    return grey(0.1 + 0.8 * ((row // 32 + column // 32) % 2))


def letters() -> ImageFile:
    """Dark letters of several sizes on light paper."""
    ink = np.zeros((512, 512))
    write_text(ink, "FFT", 40, 38, 27)
    write_text(ink, "PYCLFFT", 42, 240, 11.2)
    write_text(ink, "0123456789", 42, 334, 7.8)
    write_text(ink, "PACK MY BOX WITH FIVE", 42, 402, 3.7)
    write_text(ink, "DOZEN LIQUOR JUGS", 42, 438, 3.7)
    write_text(ink, "SPHINX OF BLACK QUARTZ JUDGE MY VOW", 42, 476, 2.2)
    return grey(0.92 - 0.86 * ink)


def gradient() -> ImageFile:
    """Ramp, shaded ball and bars that grow finer, in a rectangle with odd sides."""
    row, column = grid(199, 301)
    image = 0.15 + 0.7 * column / 300 + 0 * row
    bars = 0.5 + 0.5 * np.cos(2 * np.pi * (0.02 * column + 0.0006 * column**2))
    image = np.where((row > 138) & (row < 180), 0.1 + 0.8 * bars, image)
    x, y = (column - 105.3) / 52, (row - 70.3) / 52
    disc = x**2 + y**2
    lit = (0.85 * np.sqrt(np.clip(1 - disc, 0, 1)) - 0.35 * x - 0.4 * y) * 0.8 + 0.1
    return grey(np.where(disc < 1, lit, image))


def depth12() -> ImageFile:
    """Waves of 12 bits with a message fainter than one step of 8 bits: a high pass shows it."""
    row, column = grid(160, 256)
    # Only the lowest frequencies, all periodic, so that the message is all that passes.
    across, down = 2 * np.pi * column / 256, 2 * np.pi * row / 160
    waves = 0.5 + 0.2 * np.cos(across + 0.7) + 0.15 * np.cos(2 * down - across + 1.1)
    ink = np.zeros((160, 256))
    write_text(ink, "12 BIT", 44, 64, 5.4)
    return grey(waves + 10 / 4095 * ink, maxval=4095)


def colours() -> ImageFile:
    """Three overlapping lights, red, green and blue, on a rough wall."""
    row, column = grid(128, 192)
    wall = 0.12 + 0.1 * clouds(row / 12, column / 12, 11, 5)
    channels = []
    for y, x in ((46.3, 72.7), (46.3, 120.3), (83.7, 96.3)):
        distance = np.sqrt((row - y) ** 2 + (column - x) ** 2)
        channels.append(wall + smoothstep(38, 34, distance) * (0.8 - 0.006 * distance))
    samples = np.floor(255 * np.clip(np.dstack(channels), 0, 1) + 0.5)
    return ImageFile(samples.astype(np.uint8), 255)


def mountains(size: int, horizon: int) -> np.ndarray:
    """Render the land beyond the lake and the sky; shape (horizon, size), 0 to 1."""
    row, column = grid(horizon, size)
    z = 11 * 1.0035 ** np.arange(620)[:, None]  # distances, nearest first
    x = z * (column / size - 0.5)
    shore = smoothstep(10, 26, z + 0.22 * x**2 / z + 5 * clouds(x / 3, 0 * x, 60, 4) - 2.5)
    height = shore * (0.3 + 9.5 * ridges(z / 17 + 20.6, x / 17 + 9.1, 40, 9) ** 1.3) - 0.02

    slope_z = np.gradient(height, axis=0) / np.gradient(z, axis=0)
    slope_x = np.gradient(height, axis=1) / np.gradient(x, axis=1)
    steep = np.sqrt(slope_x**2 + slope_z**2)
    light = (0.85 * slope_x + 0.3 * slope_z + 0.35) / np.sqrt(1 + steep**2)  # from the left
    snow = smoothstep(2.6, 3.6, height + 2 * clouds(z, x, 80, 5) - 0.35 * steep)
    forest = 0.5 * smoothstep(1.6, 0.9, height)
    rock = (0.3 + 0.3 * clouds(4 * z, 4 * x, 90, 4)) * (1 - forest)
    ground = (rock + (1 - rock) * snow) * (0.32 + 0.2 * light + 0.6 * np.clip(light, 0, 1))
    haze = 1 - np.exp(-z / 90)
    ground = ground * (1 - haze) + 0.85 * haze

    sky = 0.42 + 0.38 * row / horizon
    cover = 0.9 * smoothstep(0.48, 0.8, clouds(row / 110 + 5, column / 330, 20, 7))
    sky = sky + (0.97 - sky) * cover
    # Each pixel shows the first distance at which the land rises above its line of sight.
    skyline = np.maximum.accumulate(height / z, axis=0)
    sight = 0.9 * (horizon - row[:, 0]) / size
    first = np.stack([np.searchsorted(line, sight) for line in skyline.T], axis=1)
    land = np.take_along_axis(ground, np.minimum(first, len(z) - 1), axis=0)
    return np.where(first < len(z), land, sky)


def lake(above: np.ndarray, size: int) -> np.ndarray:
    """Render the water that mirrors the picture above it; shape (size - len(above), size)."""
    horizon = len(above)
    row, column = grid(size - horizon, size)
    near = row / (size - horizon)  # 0 at the far shore, 1 at our feet
    distance = 8 / (near + 0.02)
    y, x = 4 * distance, (column - size / 2) * distance / 260
    waves, sway = clouds(y, x, 120, 5) - 0.5, clouds(y + 50, x, 130, 4) - 0.5
    seen_row = np.clip(horizon - 1 - row - waves * (6 + 150 * near), 0, horizon - 1)
    seen_column = np.clip(column + 30 * near * sway, 0, size - 1)
    mirrored = above[seen_row.astype(int), seen_column.astype(int)]
    return 0.03 + mirrored * (0.86 - 0.25 * near) + 0.25 * near * smoothstep(0.1, 0.35, waves)


def inside(row: np.ndarray, column: np.ndarray, corners: tuple) -> np.ndarray:
    """Mask of a convex polygon with corners (x, y), clockwise on the screen."""
    mask = np.ones(np.broadcast(row, column).shape, bool)
    for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1], strict=True):
        mask &= (x1 - x0) * (row - y0) >= (y1 - y0) * (column - x0)
    return mask


def add_boat(image: np.ndarray, y: int, x: int) -> np.ndarray:
    """Paint the boat with its foot at row `y` and column `x`, and its image in the water."""
    row, column = grid(*image.shape)
    rippled = column + 10 * (noise(row / 3, 0 * row, 140) - 0.5)
    for shade, corners in BOAT:
        mirrored = inside(y - row, rippled - x, corners) & (row > y)
        image = np.where(mirrored, 0.6 * shade + 0.3 * image, image)
    for shade, corners in BOAT:
        image = np.where(inside(row - y, column - x, corners), shade, image)
    return image


def add_near_shore(image: np.ndarray) -> np.ndarray:
    """Paint firs and grass in the foreground."""
    row, column = grid(*image.shape)
    needles = noise(row / 3, column / 2, 150)
    for x, foot, height, width in FIRS:
        t = (row - foot + height) / height  # 0 at the tip, 1 at the foot
        whorl = (t * (9 + height / 80)) % 1
        ragged = (0.55 + 0.6 * noise(row / 7, 9.5 * (column > x), x)) * (0.7 + 0.5 * needles)
        reach = width * t * (0.55 + 0.45 * whorl) * ragged + 2
        shade = 0.05 + needles * (0.12 + 0.08 * whorl) + 0.1 * (x - column) / width
        fir = (t > 0) & (t < 1) & (abs(column - x) < reach)
        image = np.where(fir, np.clip(shade, 0.02, 1), image)
    bank = 983 - 0.164 * abs(column - 600) + 14 * clouds(column / 60, 0 * column, 160, 6)
    blades = bank - 22 * noise(0 * column, column / 2.5, 171)
    bend = noise(row / 40, column / 30, 172)
    grass = 0.08 + 0.3 * noise(row / 14 + bend, column / 2.2, 170) ** 2
    return np.where(row > blades, grass, image)


def scene() -> ImageFile:
    """Mountains above a lake that mirrors them, a boat, firs on the near shore."""
    size = 1024  # twice the result's, then averaged: smooth outlines
    above = mountains(size, 560)
    image = np.concatenate([above, lake(above, size)])
    image = add_near_shore(add_boat(image, 760, 590))
    return grey(image.reshape(512, 2, 512, 2).mean(axis=(1, 3)))


IMAGES = {
    "zoneplate.pgm": zone_plate,
    "checkerboard.pgm": checkerboard,
    "letters.pgm": letters,
    "scene.pgm": scene,
    "gradient.pgm": gradient,
    "depth12.pgm": depth12,
    "colours.png": colours,
}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Draw the sample images.")
    parser.add_argument(
        "--output",
        type=Path,
        default=Path(__file__).parent,
        metavar="FOLDER",
        help="where to write them (default: beside this script)",
    )
    folder = parser.parse_args(arguments).output
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in IMAGES.items():
        write_image(folder / name, draw())
        print(folder / name)


if __name__ == "__main__":
    main()
