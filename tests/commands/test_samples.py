"""The stored sample images are those that samples/make_images.py draws."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

from pyclfft.image.imagefile import read_image

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
EXPECTED = {
    "zoneplate.pgm": ((512, 512), 255),
    "checkerboard.pgm": ((512, 512), 255),
    "letters.pgm": ((512, 512), 255),
    "scene.pgm": ((512, 512), 255),
    "gradient.pgm": ((199, 301), 255),
    "depth12.pgm": ((160, 256), 4095),
    "colours.png": ((128, 192, 3), 255),
}


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    folder = tmp_path_factory.mktemp("samples") / "new"
    runpy.run_path(str(SAMPLES / "make_images.py"))["main"](["--output", str(folder)])
    return folder


@pytest.mark.parametrize("name", EXPECTED)
def test_the_script_draws_what_is_stored(drawn, name):
    stored, again = read_image(SAMPLES / name), read_image(drawn / name)
    assert (stored.pixels.shape, stored.maxval) == EXPECTED[name]
    np.testing.assert_array_equal(again.pixels, stored.pixels)
    if name.endswith(".pgm"):  # a PNG's bytes depend on the version of zlib
        assert (drawn / name).read_bytes() == (SAMPLES / name).read_bytes()


def test_there_are_no_others(drawn):
    assert {path.name for path in drawn.iterdir()} == set(EXPECTED)
    assert sum((SAMPLES / name).stat().st_size for name in EXPECTED) < 2_000_000


def test_the_message_in_depth12_does_not_survive_8_bits():
    pixels = read_image(SAMPLES / "depth12.pgm").pixels.astype(float)

    def message(samples):
        """Contrast of what passes the default high pass, inside the letters over outside."""
        spectrum = np.fft.fft2(samples)
        y, x = np.fft.fftfreq(160)[:, None] * 160, np.fft.fftfreq(256)[None, :] * 256
        passed = abs(np.fft.ifft2(np.where(y**2 + x**2 >= 20**2, spectrum, 0)))
        return passed[60:100, 40:225].mean() / passed[120:].mean()

    assert message(pixels) > 3
    assert message(np.floor(pixels / 16)) < 1.5
