"""The gains of kinds that the host computes, against formulas written anew."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest

from pyclfft.errors import PlanError
from pyclfft.image.bands import KINDS, Band
from pyclfft.image.kinds import (
    ALL_KINDS,
    MAKERS,
    computed_gains,
    imagej_square,
    make_rule,
    options_of,
)

SIZES = ((24, 36), (17, 25), (32, 32), (16, 21))
OPTIONS = {
    "notch": {"points": [(0.11, -0.23), (0, 0.3)]},
    "directional": {"angle": 20},
    "unsharp": {},
    "highboost": {},
    "homomorphic": {},
    "imagej": {"stripes": "horizontal"},
}


def gains(kind, size, *, plane=None, half=False, **options):
    plane = plane or size
    return computed_gains(make_rule(size, plane, kind, options), plane, half, np.float64)


def grid(plane):
    """The frequencies of all bins in cycles a pixel."""
    return np.meshgrid(*map(np.fft.fftfreq, plane), indexing="ij")


def test_every_kind_has_an_example():
    assert set(OPTIONS) == set(MAKERS)
    assert (*KINDS, *OPTIONS) == ALL_KINDS


@pytest.mark.parametrize(("kind", "size"), list(product(OPTIONS, SIZES)))
def test_gains_are_those_of_real_images(kind, size):
    """A frequency and its negative have one gain, so that half of the columns tell all."""
    whole = gains(kind, size, **OPTIONS[kind])
    mirrored = np.roll(whole[::-1, ::-1], (1, 1), (0, 1))
    np.testing.assert_allclose(whole, mirrored, rtol=0, atol=1e-13)
    half = gains(kind, size, half=True, **OPTIONS[kind])
    np.testing.assert_array_equal(half, whole[:, : size[1] // 2 + 1])


def test_gains_in_blocks(monkeypatch):
    expected = {kind: gains(kind, (24, 36), **OPTIONS[kind]) for kind in OPTIONS}
    monkeypatch.setattr("pyclfft.image.kinds.GAINS_AT_ONCE", 100)
    for kind, whole in expected.items():
        np.testing.assert_array_equal(gains(kind, (24, 36), **OPTIONS[kind]), whole)


@pytest.mark.parametrize("kind", ["notch", "directional", "imagej"])
@pytest.mark.parametrize("size", SIZES)
def test_the_mean_stays(kind, size):
    assert gains(kind, size, **OPTIONS[kind])[0, 0] == 1


# --- notch ----------------------------------------------------------------------------------------

SHAPES = {
    "ideal": lambda ratio: (ratio < 1) * 1.0,
    "gaussian": lambda ratio: np.exp(-(ratio**2) / 2),
    "butterworth": lambda ratio: 1 / (1 + ratio**6),
}


@pytest.mark.parametrize(("shape", "size"), list(product(SHAPES, SIZES)))
@pytest.mark.parametrize("mirrored", [True, False])
def test_notches(shape, size, mirrored):
    """The nearest of a point's periodic images counts: spectra wrap round."""
    points = [(0.11, -0.23), (0.47, 0.02)]
    options = {"radius": 0.09, "shape": shape, "mirrored": mirrored}
    options |= {"order": 3} if shape == "butterworth" else {}
    fy, fx = grid(size)
    expected = np.ones(size)
    for y, x in points + [(-y, -x) for y, x in points] * mirrored:
        images = [np.hypot(fy - y - i, fx - x - j) for i, j in product((-1, 0, 1), repeat=2)]
        expected *= 1 - SHAPES[shape](np.min(images, axis=0) / 0.09)
    expected[0, 0] = 1
    found = gains("notch", size, points=points, **options)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    rule = make_rule(size, size, "notch", {"points": points, **options})
    assert rule.symmetric == mirrored


def test_the_radius_of_a_notch_by_default():
    fy, fx = grid((40, 60))
    found = gains("notch", (40, 60), points=[(0.1, 0.2)])
    squared = np.minimum((fy - 0.1) ** 2 + (fx - 0.2) ** 2, (fy + 0.1) ** 2 + (fx + 0.2) ** 2)
    alone = 1 - np.exp(-squared / 2 / (3 / 40) ** 2)
    assert abs(found - alone)[fy * fx > 0.01].max() < 0.02  # but for the other notch, far away


def test_what_a_notch_says():
    rule = make_rule((100, 100), (100, 100), "notch", {"points": [(0, 0.2), (0.1, -0.1)]})
    assert str(rule) == "notch at 2 points (fy, fx) in cycles/px, radius 0.03, gaussian"
    assert rule.details == (
        "(0.0000, 0.2000): period 5.00 px, angle 0.0 degrees",
        "(0.1000, -0.1000): period 7.07 px, angle 45.0 degrees",
    )
    one = make_rule((100, 100), (100, 100), "notch", {"points": [(0, 0.2)]})
    assert str(one).startswith("notch at 1 point (")


# --- directional ----------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [0, 20, 90, 135, -45, 200])
@pytest.mark.parametrize("stop", [True, False])
def test_directions(angle, stop):
    size = (31, 45)  # odd sides have no bin that stands for two frequencies
    fy, fx = grid(size)
    across = np.array([np.cos(np.deg2rad(angle)), -np.sin(np.deg2rad(angle))])  # x, and y downwards
    radius = np.hypot(fx, fy)
    radius[0, 0] = 1
    cosine = np.abs(fx * across[0] + fy * across[1]) / radius
    apart = np.degrees(np.arccos(np.clip(cosine, 0, 1)))
    expected = np.exp(-((apart / 20) ** 2) / 2)
    expected = 1 - expected if stop else expected
    expected[0, 0] = 1
    found = gains("directional", size, angle=angle, width=40, stop=stop)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize(("angle", "axis"), [(0, 1), (90, 0)])
def test_vertical_stripes_are_at_0_degrees(angle, axis):
    found = gains("directional", (24, 24), angle=angle, width=10, shape="ideal")
    along = found[0] if axis == 1 else found[:, 0]
    assert along.all()
    assert not found[8, 8]


# --- emphasis -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "options", "low", "high", "sigma"),
    [
        ("unsharp", {}, 1, 2, 2),
        ("unsharp", {"amount": 0.7, "sigma": 3}, 1, 1.7, 3),
        ("highboost", {}, 0.5, 1.5, 2),
        ("highboost", {"boost": 3, "sigma": 1.5}, 2, 3, 1.5),
        ("homomorphic", {}, 0.5, 1.5, 24 / 16),
        ("homomorphic", {"gains": (0.2, 3), "sigma": 4}, 0.2, 3, 4),
    ],
)
def test_low_and_high_frequencies_have_gains(kind, options, low, high, sigma):
    fy, fx = grid((24, 36))
    lowpass = np.exp(-2 * (np.pi * sigma) ** 2 * (fy**2 + fx**2))
    expected = low * lowpass + high * (1 - lowpass)
    np.testing.assert_allclose(gains(kind, (24, 36), **options), expected, rtol=0, atol=1e-12)
    kept = gains(kind, (24, 36), **options, keep_dc=True)
    assert kept[0, 0] == 1
    kept[0, 0] = expected[0, 0]
    np.testing.assert_allclose(kept, expected, rtol=0, atol=1e-12)


def test_an_emphasis_by_any_low_pass():
    size = (24, 24)
    fy, fx = grid(size)
    ideal = gains("unsharp", size, cutoff=0.2, unit="cycles/px", shape="ideal")
    np.testing.assert_array_equal(ideal, np.where(np.hypot(fy, fx) < 0.2, 1, 2))
    smooth = gains("unsharp", size, cutoff=6)  # bins; a Gaussian by default
    expected = 2 - np.exp(-0.5 * 24**2 * (fy**2 + fx**2) / 6**2)
    np.testing.assert_allclose(smooth, expected, rtol=0, atol=1e-12)


# --- ImageJ ---------------------------------------------------------------------------------------


def imagej_reference(side, large, small, stripes, tolerance):
    """The factors of ImageJ's FFTFilter, for a square whose side is a power of two.

    With the distances i and j of a bin from DC along a row and along a column, they are
    (1 - exp(-(i^2 + j^2) L^2)) exp(-(i^2 + j^2) S^2), with L = 2 large / side and S = 2 small /
    side; horizontal stripes multiply them by 1 - exp(-i^2 s^2), vertical ones by 1 - exp(-j^2 s^2),
    with s = (100 - tolerance) / 100; DC stays.
    """
    factors = np.empty((side, side))
    scale_large, scale_small = (2 * large / side) ** 2, (2 * small / side) ** 2
    sharp = ((100 - tolerance) / 100) ** 2
    for row, column in product(range(side), repeat=2):
        j, i = min(row, side - row), min(column, side - column)
        factor = 1 - np.exp(-j * j * scale_large) * np.exp(-i * i * scale_large)
        factor *= np.exp(-j * j * scale_small) * np.exp(-i * i * scale_small)
        if stripes != "none":
            across = i if stripes == "horizontal" else j
            factor *= 1 - np.exp(-across * across * sharp)
        factors[row, column] = factor
    factors[0, 0] = 1
    return factors


@pytest.mark.parametrize("stripes", ["none", "horizontal", "vertical"])
@pytest.mark.parametrize("tolerance", [5, 60])
def test_imagejs_formula(stripes, tolerance):
    """Of an image of 40 x 30 pixels, ImageJ transforms 64 x 64."""
    options = {"large": 20, "small": 2, "stripes": stripes, "tolerance": tolerance}
    found = gains("imagej", (30, 40), plane=(64, 64), **options)
    expected = imagej_reference(64, **options)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_imagejs_defaults():
    found = gains("imagej", (40, 40), plane=(64, 64))
    np.testing.assert_allclose(found, imagej_reference(64, 40, 3, "none", 5), rtol=1e-9)


@pytest.mark.parametrize(
    ("size", "side"),
    [((1, 1), 2), ((42, 10), 64), ((10, 43), 128), ((341, 341), 512), ((342, 1), 1024)],
)
def test_imagejs_square(size, side):
    """The least power of two from 2 on that is at least 1.5 times the longer side."""
    assert imagej_square(size) == (side, side)


def test_imagejs_stripes_are_counted_in_imagejs_bins():
    """Whatever the transform: 96 bins instead of 128 cover the same frequencies."""
    found = gains("imagej", (64, 64), plane=(96, 96), stripes="vertical", large=1e6, small=0)
    f = np.fft.fftfreq(96) * 128
    expected = 1 - np.exp(-((0.95 * f) ** 2))
    np.testing.assert_allclose(found[:, 5], expected, rtol=0, atol=1e-12)


# --- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "options", "says"),
    [
        ("blur", {}, "invalid kind 'blur', should be one of lowpass, .*, notch, "),
        ("notch", {}, "notch needs points="),
        ("notch", {"points": "auto"}, "find_notches"),
        ("notch", {"points": "all"}, "not 'all'"),
        ("notch", {"points": 7}, "points is a list"),
        ("notch", {"points": [0.1, 0.2]}, r"a point is \(fy, fx\)"),
        ("notch", {"points": [(0.1, 0.6)]}, "-0.5 to 0.5"),
        ("notch", {"points": [(0.1, np.nan)]}, "-0.5 to 0.5"),
        ("notch", {"points": [(0, 0)]}, "mean"),
        ("notch", {"points": [(0, 0.1)], "radius": 0}, "radius must be above 0"),
        ("notch", {"points": [(0, 0.1)], "radius": "wide"}, "radius is a number"),
        ("notch", {"points": [(0, 0.1)], "order": 2}, "shape is gaussian"),
        ("notch", {"points": [(0, 0.1)], "shape": "square"}, "invalid shape"),
        ("notch", {"points": [(0, 0.1)], "cutoff": 3}, "notch does not take cutoff: .* points"),
        ("directional", {}, "angle="),
        ("directional", {"angle": np.inf}, "finite"),
        ("directional", {"angle": 0, "width": -1}, "width must be above 0"),
        ("directional", {"angle": 0, "width": 190}, "at most 180"),
        ("unsharp", {"amount": "much"}, "amount is a number"),
        ("unsharp", {"unit": "nyquist"}, "needs a cutoff"),
        ("unsharp", {"cutoff": 3, "sigma": 2}, "sigma"),
        ("unsharp", {"boost": 2}, "does not take boost: .* amount, .*cutoff"),
        ("highboost", {"boost": np.nan}, "finite"),
        ("homomorphic", {"gains": 2}, "gains are those of low and of high"),
        ("homomorphic", {"gains": (1, None)}, "a gain is a number"),
        ("homomorphic", {"logarithmic": False}, "does not take logarithmic"),
        ("imagej", {"large": 0}, "large must be above 0"),
        ("imagej", {"small": -1}, "small must be at least 0"),
        ("imagej", {"tolerance": 101}, "0 to 100"),
        ("imagej", {"tolerance": True}, "tolerance is a number"),
        ("imagej", {"stripes": "diagonal"}, "invalid stripes"),
        ("lowpass", {"radius": 3}, "lowpass does not take radius: .* sigma"),
        ("lowpass", {"sigma": 0}, "above 0"),
        ("lowpass", {"sigma": np.nan}, "above 0 and finite"),
        ("lowpass", {"sigma": "wide"}, "sigma is a number of pixels"),
        ("lowpass", {"sigma": 2, "unit": "bin"}, "takes the place of cutoff and unit"),
        ("lowpass", {"sigma": 2, "shape": "ideal"}, "shape is ideal"),
        ("bandpass", {"sigma": 2}, r"two different widths: sigma=\(1, 4\)"),
        ("bandstop", {"sigma": (2, 2)}, "two different widths"),
        ("lowpass", {"sigma": (1, 4)}, "one width"),
    ],
)
def test_what_makes_no_sense_is_refused(kind, options, says):
    with pytest.raises(PlanError, match=says) as raised:
        make_rule((24, 36), (24, 36), kind, options)
    assert "\n" not in str(raised.value)


def test_the_radial_kinds_are_bands():
    band = make_rule((24, 36), (24, 36), "lowpass", {"sigma": 2})
    assert isinstance(band, Band)
    assert str(band) == "lowpass sigma 2 px, gaussian"
    assert make_rule((24, 36), (24, 36), "bandstop", {"sigma": np.array([1.5, 4])})
    assert re.match("bandstop sigma 1.5 to 4 px", str(make_rule(
        (24, 36), (24, 36), "bandstop", {"sigma": (1.5, 4)}
    )))  # fmt: skip


def test_options_are_known_by_their_makers():
    assert options_of("lowpass") == ("cutoff", "unit", "shape", "order", "sigma", "keep_dc")
    assert set(options_of("unsharp")) == {"amount", *options_of("lowpass")}
    assert {"points", "radius", "mirrored"} < set(options_of("notch"))
