"""Peaks of spectra: found where stripes are, and nowhere else; then removed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyopencl.array as cl_array
import pytest
import skimage.data
from skimage.metrics import peak_signal_noise_ratio

import pyclfft
from pyclfft import filter_image, find_notches
from pyclfft.errors import PlanError
from pyclfft.image.imagefile import read_image

pytestmark = pytest.mark.one_cpu

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
PHOTOS = ("camera", "moon", "coins", "grass", "gravel")


def photo(name):
    return getattr(skimage.data, name)()


def with_wave(image, fy, fx, amplitude):
    y, x = np.indices(image.shape)
    wave = amplitude * np.cos(2 * np.pi * (fy * y + fx * x) + 1)
    return np.clip(np.rint(image + wave), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("name", PHOTOS)
def test_photographs_have_no_peaks(device, name):
    assert find_notches(photo(name)) == []


@pytest.mark.parametrize("name", ["scene.pgm", "letters.pgm", "gradient.pgm", "colours.png"])
def test_samples_have_no_peaks(device, name):
    assert find_notches(read_image(SAMPLES / name).pixels) == []


@pytest.mark.parametrize("seed", range(10))
def test_noise_has_no_peaks(device, seed):
    assert find_notches(np.random.default_rng(seed).random((200, 300))) == []


@pytest.mark.parametrize(
    ("fy", "fx", "amplitude"),
    [
        (0, 0.1, 20),
        (0.03, 0.07, 10),
        (0.213, -0.17, 8),
        (0.5, 0, 10),
        (0, 0.5, 10),
        (0.31, 0.44, 4),
    ],
)
@pytest.mark.parametrize("name", ["camera", "coins"])
def test_stripes_are_found_and_removed(device, name, fy, fx, amplitude):
    image = photo(name)
    striped = with_wave(image, fy, fx, amplitude)
    peaks = find_notches(striped)
    bins = np.multiply(image.shape, np.subtract(peaks[0], (fy, fx)))
    assert abs(bins).max() < 0.3
    assert len(peaks) <= 2
    clean = filter_image(striped, "notch", points="auto")
    np.testing.assert_array_equal(clean, filter_image(striped, "notch", points=peaks))
    before = peak_signal_noise_ratio(image, striped)
    assert peak_signal_noise_ratio(image, clean) > before + 8


def test_a_halftone_is_found(device):
    """Dots of a screen that is turned by 30 degrees; its two waves come first."""
    image = photo("camera") / 255
    y, x = np.indices(image.shape)
    angle, period = np.deg2rad(30), 5
    u = (np.cos(angle) * x + np.sin(angle) * y) / period
    v = (-np.sin(angle) * x + np.cos(angle) * y) / period
    screen = 0.5 + (np.cos(2 * np.pi * u) + np.cos(2 * np.pi * v)) / 4
    peaks = find_notches((image > screen).astype(np.uint8) * 255)
    wanted = [(np.sin(angle) / period, np.cos(angle) / period),
              (np.cos(angle) / period, -np.sin(angle) / period)]  # fmt: skip
    np.testing.assert_allclose(sorted(peaks[:2]), sorted(wanted), rtol=0, atol=1e-3)


def test_colours_stacks_and_device_arrays(device, queue):
    striped = with_wave(photo("camera"), 0.11, 0.23, 10)
    (peak,) = find_notches(striped)
    np.testing.assert_allclose(peak, (0.11, 0.23), atol=1e-3)
    colours = np.dstack([striped, striped, photo("camera"), np.zeros_like(striped)])
    assert find_notches(colours) == [pytest.approx(peak, abs=3e-4)]
    stack = np.stack([photo("camera"), striped])
    assert find_notches(stack, axes=(1, 2)) == [pytest.approx(peak, abs=3e-4)]
    there = cl_array.to_device(queue, striped)
    assert find_notches(there) == [peak]
    clean = filter_image(there, "notch", points="auto")
    np.testing.assert_array_equal(clean.get(), filter_image(striped, "notch", points=[peak]))


def test_what_has_no_peak_stays(device):
    image = photo("coins")
    np.testing.assert_array_equal(filter_image(image, "notch", points="auto"), image)
    assert find_notches(np.ones((10, 500))) == []  # too small for a look around a peak
    assert find_notches(np.zeros((64, 64))) == []


@pytest.mark.parametrize(
    ("image", "says"),
    [
        (np.zeros((8, 8), complex), "real pixels"),
        (np.zeros(8), "shape"),
        (np.full((8, 8), np.nan), "NaN or infinity"),
    ],
)
def test_what_is_no_image_is_refused(queue, image, says):
    with pytest.raises(PlanError, match=says):
        find_notches(image)


def test_a_mask_has_no_image_to_look_at(queue):
    with pytest.raises(PlanError, match="find_notches"):
        pyclfft.filter_mask((64, 64), "notch", points="auto")
