"""Cut-offs in any unit become integers that decide without rounding which bins pass."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import numpy as np
import pytest

from pyclfft.errors import PlanError
from pyclfft.image.bands import KINDS, SHAPES, UNITS, make_band


def frequency(k, image, plane, unit):
    """Of bin k along one side, exactly, by each unit's definition."""
    k = min(k, plane - k)
    per_pixel = Fraction(k, plane)
    return {
        "bin": per_pixel * image,
        "nyquist": per_pixel / Fraction(1, 2),
        "cycles/px": per_pixel,
        "px-period": per_pixel,
    }[unit]


def stopped(band, plane):
    """The bins of an ideal low pass at `low` and at `high` that the kernels stop."""
    rows, columns = ([min(k, n - k) for k in range(n)] for n in plane)
    distances = np.array(
        [[band.row_weight * r * r + band.column_weight * c * c for c in columns] for r in rows],
        np.uint64,
    )
    return [distances >= np.uint64(ceil(square)) for square in (band.low, band.high)]


CUTOFFS = {  # in each unit, two that meet bins of 50 exactly, and two that meet none
    "bin": [(5, 10), (3.3, 7.2)],
    "nyquist": [(0.2, 0.28), (0.15, 0.61)],
    "cycles/px": [(0.1, 0.3), (0.11, 0.23)],
    "px-period": [(10, 5), (9, 3.5)],
}


@pytest.mark.parametrize(
    ("image", "plane"), [((50, 50), (50, 50)), ((50, 20), (64, 32)), ((7, 9), (7, 9))]
)
@pytest.mark.parametrize("unit", UNITS)
def test_bins_are_told_apart_exactly(unit, image, plane):
    for given in CUTOFFS[unit]:
        scale = Fraction(min(image), 50) if unit == "bin" else 1
        cutoffs = [Fraction(str(value)) * scale for value in given]
        band = make_band(image, plane, "bandpass", cutoffs, unit=unit)
        wanted = [1 / value if unit == "px-period" else value for value in cutoffs]
        for found, cutoff in zip(stopped(band, plane), wanted, strict=True):
            for row, column in np.ndindex(plane):
                r = frequency(row, image[0], plane[0], unit)
                c = frequency(column, image[1], plane[1], unit)
                assert found[row, column] == (r * r + c * c >= cutoff * cutoff), (row, column)


def test_numbers_mean_what_they_are_written_as():
    """0.1 in binary lies above one tenth, and bin 5 of 50 would fall below it."""
    exact = make_band((50, 50), (50, 50), "highpass", Fraction(1, 10), unit="cycles/px")
    for same in (0.1, np.float64(0.1), np.float32(0.1), [0.1]):
        band = make_band((50, 50), (50, 50), "highpass", same, unit="cycles/px")
        assert (band.low, band.high) == (exact.low, exact.high)
    assert exact.low == 25 * exact.row_weight


@pytest.mark.parametrize(
    ("image", "plane", "unit", "weights"),
    [
        ((8, 8), (8, 8), "bin", (1, 1)),
        ((8, 50), (8, 50), "bin", (1, 1)),
        ((12, 6), (16, 8), "bin", (9, 9)),
        ((10, 6), (16, 16), "bin", (25, 9)),
        ((6, 4), (6, 4), "cycles/px", (4, 9)),
        ((6, 4), (6, 4), "px-period", (4, 9)),
        ((1, 3), (1, 3), "nyquist", (36, 4)),
    ],
)
def test_weights(image, plane, unit, weights):
    band = make_band(image, plane, unit=unit)
    assert (band.row_weight, band.column_weight) == weights


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("bin", Fraction(5, 2)),
        ("nyquist", Fraction(1, 4)),
        ("cycles/px", Fraction(1, 8)),
        ("px-period", 8),
    ],
)
@pytest.mark.parametrize("kind", ["highpass", "lowpass"])
def test_default_cutoff(kind, unit, expected):
    """The textbook's eighth of the shorter side, and as much in the other units."""
    default = make_band((20, 32), (20, 32), kind, unit=unit)
    given = make_band((20, 32), (20, 32), kind, expected, unit=unit)
    assert (default.low, default.high) == (given.low, given.high)
    assert default.kind == kind
    assert (default.shape, default.order, default.keep_dc) == ("ideal", 2.0, False)


def test_default_cutoff_of_a_pixel_is_allowed():
    for unit in UNITS:
        assert make_band((1, 1), (1, 1), unit=unit).low > 0


def test_periods_may_come_in_either_order():
    bands = [
        make_band((50, 50), (50, 50), "bandstop", cutoff, unit="px-period")
        for cutoff in ((4, 10), (10, 4))
    ]
    assert bands[0].low == bands[1].low < bands[0].high == bands[1].high


def test_everything_up_to_the_corner_is_allowed():
    corner = make_band((6, 8), (6, 8), "highpass", 5)
    assert corner.low == 25
    with pytest.raises(PlanError, match="farthest"):
        make_band((6, 8), (6, 8), "highpass", 5.0001)
    assert make_band((6, 8), (6, 8), "lowpass", 0).high == 0
    assert make_band((6, 8), (6, 8), "bandpass", (0, 5)).low == 0


def test_options_reach_the_band():
    for kind in KINDS:
        for shape in SHAPES:
            cutoff = (1, 2) if kind.startswith("band") else 2
            order = 3.5 if shape == "butterworth" else None
            options = {"shape": shape, "order": order, "keep_dc": True}
            band = make_band((8, 8), (8, 8), kind, cutoff, **options)
            assert (band.kind, band.shape, band.order, band.keep_dc) == (
                kind, shape, order or 2, True
            )  # fmt: skip


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("arguments", "options", "says"),
    [
        (("highpass", -1), {}, "negative"),
        (("highpass", -1e-9), {}, "negative"),
        (("bandpass", (-2, 3)), {}, "negative"),
        (("highpass", 100), {}, "farthest"),
        (("lowpass", 0.8), {"unit": "cycles/px"}, "farthest"),
        (("lowpass", 1.5), {"unit": "nyquist"}, "farthest"),
        (("lowpass", 1), {"unit": "px-period"}, "farthest"),
        (("bandpass", (1, 100)), {}, "farthest"),
        (("highpass", NAN), {}, "finite number"),
        (("highpass", INF), {}, "finite number"),
        (("highpass", "many"), {}, "1 cut-off"),
        (("highpass", True), {}, "finite number"),
        (("highpass", 0), {"unit": "px-period"}, "above 0"),
        (("bandpass",), {}, "two cut-offs"),
        (("bandstop", 3), {}, "2 cut-offs"),
        (("bandpass", (1, 2, 3)), {}, "2 cut-offs"),
        (("highpass", (1, 2)), {}, "1 cut-off, not 1 to 2"),
        (("bandpass", (3, 3)), {}, "low < high"),
        (("bandpass", (4, 3)), {}, "low < high"),
        (("bandpass", (4, 4)), {"unit": "px-period"}, "low < high"),
        (("hipass",), {}, "kind 'hipass', should be one of lowpass, highpass"),
        (("highpass",), {"unit": "hertz"}, "unit 'hertz'"),
        (("highpass",), {"shape": "box"}, "shape 'box'"),
        (("highpass",), {"order": 3}, 'shape is ideal: add shape="butterworth", or leave out or'),
        (("lowpass", 5), {"order": 2, "shape": "gaussian"}, "the shape is gaussian: add shape="),
        (("highpass",), {"shape": "butterworth", "order": 0}, "order must be above 0"),
        (("highpass",), {"shape": "butterworth", "order": -1}, "order must be above 0"),
        (("highpass",), {"shape": "butterworth", "order": NAN}, "order must be above 0"),
        (("highpass",), {"shape": "butterworth", "order": INF}, "order must be above 0"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, options, says):
    with pytest.raises(PlanError, match=says) as raised:
        make_band((16, 12), (16, 12), *arguments, **options)
    assert "\n" not in str(raised.value)


def test_distances_that_no_integer_holds_are_refused():
    side = 2**17
    with pytest.raises(PlanError, match="too large"):
        make_band((side - 1, side + 1), (side - 1, side + 1), unit="cycles/px")
    assert make_band((side, 2 * side), (side, 2 * side), unit="cycles/px").row_weight == 4


@pytest.mark.parametrize("size", [(0, 4), (4, 0), (-1, 4)])
def test_images_without_a_pixel_are_refused(size):
    with pytest.raises(PlanError, match="at least one pixel"):
        make_band(size, size)


def test_text():
    band = make_band((16, 16), (16, 16), "bandpass", (1, 2.5), shape="butterworth", keep_dc=True)
    assert band.text == "bandpass 1 to 2.5 bin, butterworth of order 2, DC kept"
