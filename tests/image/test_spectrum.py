"""spectrum(), its peaks, and the command spectrum, against NumPy and SciPy in float64."""

from __future__ import annotations

import csv
import importlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyopencl.array as cl_array
import pytest
from PIL import Image
from scipy.signal import get_window
from skimage import data

import pyclfft
from pyclfft import figures
from pyclfft.image import spectrum_picture
from pyclfft.image.imagefile import ImageFile, write_images
from pyclfft.image.peaks import Peak, find_peaks
from pyclfft.image.spectrum_files import peak_rows
from pyclfft.runtime import cache
from pyclfft.spectrum import main

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
LUMA = np.array((0.299, 0.587, 0.114))
PAD_MODES = {"zero": "constant", "edge": "edge", "mirror": "symmetric"}


def brightness(image):
    """The numbers that are transformed, in float64."""
    image = np.asarray(image, float)
    if image.ndim == 2:
        return image
    return image[..., 0] if image.shape[2] == 1 else image[..., :3] @ LUMA


def expected(image, window=None, pad="none", shape=None):
    """Magnitudes by NumPy, DC in the middle."""
    values = brightness(image)
    if window:
        values = values * np.outer(*(get_window(window, n) for n in values.shape))
    if pad != "none":
        margins = [((o - i) // 2, o - i - (o - i) // 2)
                   for o, i in zip(shape, values.shape, strict=True)]  # fmt: skip
        values = np.pad(values, margins, mode=PAD_MODES[pad])
    return np.abs(np.fft.fftshift(np.fft.fft2(values)))


def random_image(shape, dtype, seed=1):
    return (200 * np.random.default_rng(seed).random(shape)).astype(dtype)


def require_close(magnitude, reference):
    bound = 1e-6 if magnitude.dtype == np.float32 else 1e-13
    np.testing.assert_allclose(magnitude, reference, rtol=0, atol=bound * reference.max())


# --- magnitudes -----------------------------------------------------------------------------------


@pytest.mark.one_cpu
@pytest.mark.parametrize("window", [None, "hann"])
@pytest.mark.parametrize(
    ("shape", "dtype", "pad"),
    [
        ((48, 64), "u1", "none"),
        ((33, 47), "f4", "none"),
        ((17, 13), "u2", "none"),  # primes
        ((1, 40), "f4", "none"),
        ((40, 1), "f4", "none"),
        ((36, 35, 3), "u1", "none"),
        ((20, 31, 4), "f4", "none"),
        ((8, 9, 1), "f2", "none"),
        ((24, 37), "u1", "zero"),
        ((24, 37), "f4", "edge"),
        ((25, 36, 3), "u1", "mirror"),
    ],
)
def test_magnitudes(device, shape, dtype, pad, window):
    image = random_image(shape, dtype)
    found = pyclfft.spectrum(image, window=window, pad=pad)
    assert found.magnitude.dtype == np.float32
    reference = expected(image, window, pad, found.magnitude.shape)
    require_close(found.magnitude, reference)
    for axis, length in zip((found.fy, found.fx), found.magnitude.shape, strict=True):
        np.testing.assert_array_equal(axis, np.fft.fftshift(np.fft.fftfreq(length)))
    decibels = 20 * np.log10(np.maximum(reference, 1e-10 * reference.max()) / reference.max())
    clear = decibels > -80
    np.testing.assert_allclose(found.decibels[clear], decibels[clear], atol=0.2)


@pytest.mark.parametrize("dtype", ["f8", "i4", "?"])
def test_double_precision(device, fp64, dtype):
    image = random_image((30, 21), dtype)
    found = pyclfft.spectrum(image, window="hann")
    assert found.magnitude.dtype == np.float64
    require_close(found.magnitude, expected(image, "hann"))


def test_lists(device, fp64):
    np.testing.assert_allclose(pyclfft.spectrum([[1, 2], [3, 4]]).magnitude, [[0, 4], [2, 10]])


@pytest.mark.parametrize("shape", [(48, 64), (21, 30, 3)])
def test_device_arrays_stay_there(device, queue, shape):
    image = random_image(shape, "u1")
    found = pyclfft.spectrum(cl_array.to_device(queue, image), window="hann")
    assert isinstance(found.magnitude, cl_array.Array)
    alone = pyclfft.spectrum(image, window="hann")
    np.testing.assert_array_equal(found.magnitude.get(), alone.magnitude)
    np.testing.assert_array_equal(found.decibels, alone.decibels)
    np.testing.assert_array_equal(found.profile, alone.profile)
    assert found.peaks == alone.peaks


def test_views_of_device_arrays(device, queue):
    image = random_image((40, 60), "f4")
    view = cl_array.to_device(queue, image)[3:35, 5:50:2]
    require_close(pyclfft.spectrum(view).magnitude.get(), expected(image[3:35, 5:50:2]))


def test_images_of_one_shape_share_a_plan(device):
    cache.clear("spectra")
    for seed in range(3):
        pyclfft.spectrum(random_image((16, 20), "f4", seed))
    assert pyclfft.cache_info().spectra[:2] == (2, 1)


@pytest.mark.parametrize(("window", "pad"), [(None, "none"), ("hann", "none"), ("hann", "mirror")])
def test_images_larger_than_the_device(device, window, pad):
    image = random_image((160, 127, 3), "u1")
    pyclfft.limit_device_memory(150_000)
    try:
        found = pyclfft.spectrum(image, window=window, pad=pad)
    finally:
        pyclfft.limit_device_memory(None)
    require_close(found.magnitude, expected(image, window, pad, found.magnitude.shape))


def test_a_black_image(device):
    found = pyclfft.spectrum(np.zeros((12, 16), np.uint8))
    assert not found.magnitude.any()
    assert found.peaks == ()
    assert (found.decibels == -200).all()


@pytest.mark.parametrize("shape", [(40, 64), (64, 41), (1, 30)])
def test_radial_profile(device, shape):
    found = pyclfft.spectrum(random_image(shape, "f4"))
    longer = max(shape)
    radius = np.hypot(np.fft.fftfreq(shape[0])[:, None], np.fft.fftfreq(shape[1])) * longer
    magnitude = np.fft.ifftshift(expected(random_image(shape, "f4")))
    assert len(found.radii) == longer // 2 + 1
    np.testing.assert_allclose(found.radii * longer, np.arange(longer // 2 + 1))
    for point, mean in enumerate(found.profile):
        ring = magnitude[np.rint(radius) == point]
        assert mean == pytest.approx(ring.mean(), rel=1e-5)


BAD = {
    "a stack": (np.zeros((3, 8, 9)), {}, "an image has the shape"),
    "no pixels": (np.zeros((0, 8), "f4"), {}, "at least one pixel"),
    "complex": (np.zeros((4, 4), "c8"), {}, "real pixels"),
    "NaN": (np.full((4, 4), np.nan, "f4"), {}, "NaN or infinity"),
    "window": (np.zeros((4, 4), "f4"), {"window": "kaiser"}, "invalid window 'kaiser'"),
    "pad": (np.zeros((4, 4), "f4"), {"pad": "wrap"}, "invalid pad 'wrap'"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_makes_no_sense_is_refused(queue, case):
    image, options, says = BAD[case]
    with pytest.raises(pyclfft.PlanError, match=says):
        pyclfft.spectrum(image, **options)


def test_nan_on_the_device_is_refused(queue):
    image = cl_array.to_device(queue, np.full((4, 4), np.nan, "f4"))
    with pytest.raises(pyclfft.PlanError, match="NaN or infinity"):
        pyclfft.spectrum(image)


# --- peaks ----------------------------------------------------------------------------------------


def wave(fy, fx, shape=(200, 300), amplitude=20, noise=5, seed=3):
    y, x = np.mgrid[: shape[0], : shape[1]]
    rough = np.random.default_rng(seed).normal(0, noise, shape)
    return 100 + amplitude * np.cos(2 * np.pi * (fy * y + fx * x)) + rough


@pytest.mark.parametrize("window", [None, "hann"])
@pytest.mark.parametrize(
    ("fy", "fx"),
    [(0, 0.1), (0.1, 0), (0.0131, 0.0717), (0.2, -0.13), (-0.31, 0.07), (0.25, 0.47), (0, 0.5)],
)
def test_a_wave_is_found_between_the_bins(window, fy, fx):
    image = wave(fy, fx)
    (peak,) = find_peaks(expected(image, window), window=window)
    assert peak.period == pytest.approx(1 / np.hypot(fy, fx), rel=0.005)
    turned = (peak.angle - np.degrees(np.arctan2(-fy, fx)) + 90) % 180 - 90
    assert abs(turned) < 0.6
    assert peak.fy > 0.5 / 200 or (abs(peak.fy) <= 0.5 / 200 and peak.fx > 0)


@pytest.mark.parametrize("pad", ["zero", "mirror"])
def test_a_wave_in_a_padded_image(device, pad):
    image = wave(0.0313, 0.0717).astype("f4")
    peak = pyclfft.spectrum(image, pad=pad).peaks[0]
    assert peak.period == pytest.approx(1 / np.hypot(0.0313, 0.0717), rel=0.01)


def test_the_most_prominent_peak_comes_first(device):
    image = wave(0, 0.1, amplitude=40) + wave(0.2, 0, amplitude=10) - 100
    first, second = pyclfft.spectrum(image.astype("f4")).peaks
    assert (round(first.period), round(first.angle)) == (10, 0)
    assert (round(second.period), round(second.angle)) == (5, 90)
    assert first.magnitude > second.magnitude
    assert first.prominence > second.prominence
    assert len(find_peaks(expected(image), limit=1)) == 1


@pytest.mark.parametrize(
    "name", ["camera", "coins", "moon", "clock", "astronaut", "coffee", "chelsea", "grass"]
)
def test_photographs_have_no_peaks(name):
    assert find_peaks(expected(getattr(data, name)())) == ()


def test_noise_has_no_peaks():
    for seed in range(5):
        assert find_peaks(expected(np.random.default_rng(seed).random((300, 400)))) == ()


def test_stripes_over_a_photograph():
    y, x = np.mgrid[:512, :512]
    stripes = data.camera() + 8 * np.sin(2 * np.pi * (0.07 * x + 0.0313 * y))
    for window in (None, "hann"):
        (peak,) = find_peaks(expected(stripes, window), window=window)
        assert (peak.fy, peak.fx) == pytest.approx((0.0313, 0.07), abs=3e-4)


def test_the_dots_of_a_halftone_print():
    """Dots in rows at 45 degrees, 8 pixels apart: two waves, and their multiples."""
    y, x = np.mgrid[:256, :256]
    u, v = (x + y) / 8, (x - y) / 8
    screen = np.cos(2 * np.pi * u) + np.cos(2 * np.pi * v)
    shade = np.linspace(-1.5, 1.5, 256)[None, :]
    peaks = find_peaks(expected(np.where(screen > shade, 255, 0), "hann"), window="hann")
    for angle in (45, 135):
        assert [p for p in peaks if abs(p.angle - angle) < 1
                and p.period == pytest.approx(8 / 2**0.5, rel=0.01)]  # fmt: skip


def test_a_ring_refuses_lines_of_any_direction():
    """A straight edge leaves a line in the spectrum, and what stands out of the line is no peak."""
    y, x = np.mgrid[:256, :256]
    edge = np.where(y > 0.6 * x + 40, 200.0, 50.0) + np.random.default_rng(1).normal(0, 1, x.shape)
    ring = {"around": "ring", "prominence": 9.0, "window": "hann"}
    assert find_peaks(expected(edge, "hann"), **ring) == ()
    (peak,) = find_peaks(expected(edge + wave(0.2, -0.13, x.shape, noise=0), "hann"), **ring)
    assert (peak.fy, peak.fx) == pytest.approx((0.2, -0.13), abs=3e-4)


def test_a_ring_compares_with_half_and_with_nearly_all_bins():
    """Of 312 bins in the ring, 9 may be as great as they like."""
    magnitude = np.random.default_rng(0).uniform(1, 2, (64, 64))
    magnitude[50, 40] = 30
    options = {"around": "ring", "prominence": 9.0}
    (peak,) = find_peaks(magnitude, **options)
    around = magnitude[41:60, 31:50].copy()
    around[6:13, 6:13] = np.nan
    ring = np.sort(around[~np.isnan(around)])
    assert ring.size == 312
    assert peak.prominence == pytest.approx(30 / max(ring[156], ring[302] / 3))
    magnitude[44, 33:42] = 11  # more than a third of the peak
    assert find_peaks(magnitude, **options)
    magnitude[44, 42] = 11
    assert not find_peaks(magnitude, **options)


def test_a_small_spectrum_has_no_ring():
    magnitude = np.ones((18, 40))
    magnitude[9, 30] = 100
    assert find_peaks(magnitude, around="ring") == ()
    assert len(find_peaks(magnitude)) == 1


def test_the_lowest_frequency_of_a_peak():
    magnitude = expected(wave(0, 0.03, noise=1))  # 9 bins
    assert len(find_peaks(magnitude, lowest=0.029, lowest_bins=9)) == 1
    assert find_peaks(magnitude, lowest=0.031) == ()
    assert find_peaks(magnitude, lowest_bins=9.1) == ()


@pytest.mark.parametrize("greater", [0, 32])
def test_rounding_does_not_hide_a_peak_at_the_nyquist_frequency(greater):
    """If the rows are odd, it lies between the first and the last row, which are neighbours."""
    magnitude = np.ones((33, 40))
    magnitude[[0, 32], 20] = 100
    magnitude[greater, 20] = np.nextafter(100, 101)
    (peak,) = find_peaks(magnitude)
    assert (peak.fy, peak.fx) == pytest.approx((0.5, 0), abs=0.02)


def test_what_stands_around_a_peak_has_two_names():
    with pytest.raises(pyclfft.PlanError, match="invalid around 'square'"):
        find_peaks(np.ones((30, 30)), around="square")


# --- the command ----------------------------------------------------------------------------------


@pytest.fixture
def striped(tmp_path):
    """A photograph with stripes 10 pixels apart, 200 x 300 pixels."""
    path = tmp_path / "striped.png"
    Image.fromarray(np.clip(wave(0, 0.1), 0, 255).astype(np.uint8)).save(path)
    return path


def test_the_picture_goes_beside_its_input(striped, capsys):
    assert main([str(striped)]) == 0
    said = capsys.readouterr().err
    assert "input   " in said
    assert "8-bit grey" in said
    assert "peaks   1" in said
    assert "10.00" in said
    picture = Image.open(striped.with_name("striped_spectrum.png"))
    assert min(picture.size) > 500


def test_a_frequency_that_is_rounded_to_zero_has_no_minus():
    ((_, _, fy, fx, _),) = peak_rows([Peak(0.1, -4e-5, 1.0, 1.0)])
    assert (fy, fx) == ("+0.1000", "+0.0000")


def test_json_and_csv_need_no_matplotlib(striped, tmp_path):
    """In a process that cannot import it."""
    arguments = [str(striped), "--json", str(tmp_path / "a.json"), "--csv", str(tmp_path / "a.csv"),
                 "--window", "hann", "--pad", "mirror"]  # fmt: skip
    code = f"import sys; sys.modules['matplotlib'] = None; from pyclfft.spectrum import main\n\
assert main({arguments!r}) == 0; sys.exit(main([{str(striped)!r}]))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 2, run.stderr
    assert run.stderr.splitlines()[-1] == (
        "pyclfft spectrum: error: a picture needs matplotlib: pip install matplotlib"
    )
    found = json.loads((tmp_path / "a.json").read_text())
    image = np.asarray(Image.open(striped))
    spectrum = pyclfft.spectrum(image, window="hann", pad="mirror")
    assert (found["height"], found["width"]) == image.shape
    assert (found["rows"], found["columns"]) == spectrum.magnitude.shape
    assert (found["window"], found["pad"]) == ("hann", "mirror")
    assert found["peaks"][0]["period"] == pytest.approx(10, rel=0.01)
    assert set(found["peaks"][0]) == {"fy", "fx", "period", "angle", "magnitude", "prominence"}
    np.testing.assert_allclose(found["radial_profile"]["magnitude"], spectrum.profile)
    rows = list(csv.reader((tmp_path / "a.csv").open()))
    assert rows[0] == ["frequency", "magnitude"]
    np.testing.assert_allclose(np.array(rows[1:], float)[:, 0], spectrum.radii, rtol=1e-8)
    np.testing.assert_allclose(np.array(rows[1:], float)[:, 1], spectrum.profile, rtol=1e-8)
    assert not striped.with_name("striped_spectrum.png").exists()


def test_several_inputs_and_an_error(striped, tmp_path, capsys):
    (tmp_path / "bad.png").write_text("no image")
    assert main([str(striped), str(tmp_path / "bad.png"), str(SAMPLES / "scene.pgm"), "--json",
                 str(tmp_path / "out")]) == 2  # fmt: skip
    said = capsys.readouterr().err
    assert len([line for line in said.splitlines() if "error: " in line]) == 1
    assert {each.name for each in (tmp_path / "out").iterdir()} == {
        "striped_spectrum.json", "scene_spectrum.json",
    }  # fmt: skip


def test_standard_input_and_output(striped):
    run = subprocess.run(
        [sys.executable, "-m", "pyclfft.spectrum", "-", "--json", "-", "-q"],
        input=striped.read_bytes(), capture_output=True, check=True,
    )  # fmt: skip
    assert run.stderr == b""
    assert json.loads(run.stdout)["image"] == "standard input"


@pytest.mark.parametrize("format", figures.FORMATS)
def test_formats_of_pictures(striped, tmp_path, format):
    assert main([str(striped), "--format", format, "-o", f"{tmp_path}/new/", "-q"]) == 0
    content = (tmp_path / "new" / f"striped_spectrum.{format}").read_bytes()
    assert content[:5] in (b"\x89PNG\r", b"<?xml", b"%PDF-")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["-o", "x.jpg"], "x.jpg: a picture's name ends in .png, .svg, .pdf"),
        (["-o", "x.png", "--format", "svg"], "leave out --format svg"),
        (["-o", "no/x.png"], "no/x.png: No such file"),
        (["--json", "striped.png"], "is an input"),
        (["--window", "flat"], "invalid choice: 'flat'"),
    ],
)
def test_bad_input_is_one_clear_line(striped, monkeypatch, capsys, arguments, says):
    monkeypatch.chdir(striped.parent)
    before = set(striped.parent.iterdir())
    try:
        status = main([striped.name, *arguments])
    except SystemExit as end:
        status = end.code
    assert status == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("pyclfft spectrum: error: ")
    assert says in line
    assert set(striped.parent.iterdir()) == before


def test_only_the_first_page_is_drawn(tmp_path, capsys):
    pages = [ImageFile(random_image((20, 30), "u1", seed), 255) for seed in range(2)]
    write_images(tmp_path / "two.tif", pages)
    assert main([str(tmp_path / "two.tif"), "--csv", str(tmp_path / "two.csv")]) == 0
    assert "further images, which are not read" in capsys.readouterr().err


def test_the_picture_shows_levels_peaks_and_profile(striped):
    spectrum = pyclfft.spectrum(np.asarray(Image.open(striped)))
    figure = spectrum_picture.draw(spectrum, "a title", "details")
    plane, line = figure.axes[:2]
    shown = plane.images[0].get_array()
    np.testing.assert_array_equal(shown, spectrum.decibels)
    marks = {tuple(np.ravel(each.get_data())) for each in plane.lines}
    (peak,) = spectrum.peaks
    assert marks == {(peak.fx, peak.fy), (-peak.fx, -peak.fy)}
    assert plane.texts[0].get_text() == "10 px"
    np.testing.assert_array_equal(line.lines[0].get_ydata(), spectrum.profile[1:])
    assert plane.get_title("left") == "a title"
    left, right, bottom, top = plane.images[0].get_extent()
    assert (left, top) == pytest.approx((-0.5 - 0.5 / 300, -0.5 - 0.5 / 200))
    assert (right, bottom) == pytest.approx((0.5 - 0.5 / 300, 0.5 - 0.5 / 200))


def test_large_spectra_are_gathered_by_their_greatest_values():
    values = np.zeros((2500, 30))
    values[1777, 4] = 1
    gathered = spectrum_picture._gathered(values)
    assert gathered.shape == (spectrum_picture.SIDE, 30)
    assert gathered[round(1777 / 2.5) - 1 : round(1777 / 2.5) + 1, 4].max() == 1


def test_long_names_and_odd_letters():
    assert figures.printable("a\nb") == "a?b"
    assert len(figures.printable("x" * 500)) <= 72


def test_the_plots_extra_is_there():
    text = (SAMPLES.parent / "setup.cfg").read_text()
    extras = text.partition("[options.extras_require]")[2].partition("\n[")[0]
    named = {
        name: set(extras.partition(f"\n{name} =")[2].partition(" =")[0].split())
        for name in ("plot", "audio")
    }
    assert "matplotlib" in named["plot"] & named["audio"]


def test_the_module_and_the_function_are_one():
    module = importlib.import_module("pyclfft.spectrum")
    assert module(np.eye(4, dtype="f4")).magnitude.shape == (4, 4)
