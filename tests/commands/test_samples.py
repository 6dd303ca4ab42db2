"""The sample images are those that their script draws; rooms and sounds are what they say."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

from pyclfft.audio.audiofile import read_audio
from pyclfft.convolution import rooms as room_models
from pyclfft.errors import PlanError
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


# --- rooms ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rooms(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rooms")
    runpy.run_path(str(SAMPLES / "make_rooms.py"))["main"]([str(folder)])
    return folder


@pytest.mark.parametrize("name", ["hall.wav", "noise.wav", "sweep.wav"])
def test_rooms_are_sounds(rooms, name):
    sound = read_audio(rooms / name)
    assert (sound.sr, len(sound.samples)) == (48_000, 2)
    assert 0.45 < np.abs(sound.samples).max() <= 1


def test_the_hall_answers_first_by_the_direct_way(rooms):
    """The first tap is the direct sound, the next one the nearest wall's or the floor's echo."""
    source = np.array(room_models.SOURCE)
    for ear, heard in zip(room_models.EARS, read_audio(rooms / "hall.wav").samples, strict=True):
        first, second, *_ = np.flatnonzero(heard)
        below = source * (1, 1, -1)
        for tap, image in ((first, source), (second, below)):
            distance = np.linalg.norm(image - ear)
            assert abs(tap - distance / room_models.SOUND * 48_000) < 1
        assert heard[first] == pytest.approx(np.abs(heard).max())


def test_a_longer_response_of_the_hall_begins_as_a_shorter_one():
    short, long = (room_models.hall(seconds, 8000) for seconds in (0.2, 0.5))
    assert (short.shape, long.shape) == ((2, 1600), (2, 4000))
    np.testing.assert_allclose(long[:, :1600], short, rtol=1e-12)


def test_a_response_that_ends_before_the_sound_arrives_is_refused():
    with pytest.raises(PlanError, match=r"the hall is silent for 0\.03\d s: take a response"):
        room_models.hall(0.03, 8000)


def test_the_noise_decays_by_60_decibels(rooms):
    noise = read_audio(rooms / "noise.wav").samples.astype(float)
    levels = [np.square(noise[:, at : at + 4800]).mean() for at in (0, 96_000)]
    assert 10 * np.log10(levels[0] / levels[1]) == pytest.approx(60, abs=1)
