"""The filter command's kinds and masks: what their options mean, against the function's results."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import pyclfft
from pyclfft.filter import join_numbers, main
from pyclfft.image.imagefile import read_image

pytestmark = pytest.mark.one_cpu

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


@pytest.fixture
def picture(tmp_path, monkeypatch, device):
    """A small picture with stripes, in the current folder."""
    monkeypatch.chdir(tmp_path)
    scene = read_image(SAMPLES / "scene.pgm").pixels[200:328, 100:260]
    wave = 20 * np.cos(2 * np.pi * 0.2 * np.arange(160))
    Image.fromarray(np.clip(scene + wave, 0, 255).astype(np.uint8)).save("a.png")
    return np.asarray(Image.open("a.png"))


KINDS = {
    "--notch 0,0.2 --radius 0.02": ("notch", {"points": [(0, 0.2)], "radius": 0.02}),
    "--notch=-0.1,0.2 --notch 0.3,0 --shape ideal": (
        "notch", {"points": [(-0.1, 0.2), (0.3, 0)], "shape": "ideal"},
    ),
    "--notch auto": ("notch", {"points": "auto"}),
    "--directional 30": ("directional", {"angle": 30}),
    "--directional -30 --width 10 --stop": (
        "directional", {"angle": -30, "width": 10, "stop": True},
    ),
    "--unsharp": ("unsharp", {}),
    "--unsharp 1/2 --sigma 3": ("unsharp", {"amount": 0.5, "sigma": 3}),
    "--highboost 2 --cutoff 20 --shape butterworth --order 3": (
        "highboost", {"boost": 2, "cutoff": 20, "shape": "butterworth", "order": 3},
    ),
    "--homomorphic --gains 0.3 2 --keep-dc": ("homomorphic", {"gains": (0.3, 2), "keep_dc": True}),
    "--preset imagej": ("imagej", {"pad": "mirror"}),
    "--preset imagej --large 30 --small 0 --stripes vertical --tolerance 9 --pad edge": (
        "imagej", {"large": 30, "small": 0, "stripes": "vertical", "tolerance": 9, "pad": "edge"},
    ),
    "--lowpass --sigma 2": ("lowpass", {"sigma": 2}),
    "--bandpass --sigma 1 4": ("bandpass", {"sigma": (1, 4)}),
    "--sigma 5 0.5 --bandstop": ("bandstop", {"sigma": (5, 0.5)}),
    "--bandpass 1/8 20": ("bandpass", {"cutoff": (0.125, 20)}),
    "--highpass --pad periodic": ("highpass", {"pad": "periodic"}),
}  # fmt: skip


@pytest.mark.parametrize("words", KINDS)
def test_options_are_those_of_the_function(picture, words):
    kind, options = KINDS[words]
    assert main(["a.png", *words.split(), "-q"]) == 0
    result = np.asarray(Image.open(f"a_{kind}.png"))
    np.testing.assert_array_equal(result, pyclfft.filter_image(picture, kind, **options))


def test_points_that_are_found_are_listed(picture, capsys):
    assert main(["a.png", "--notch", "auto"]) == 0
    lines = capsys.readouterr().err.splitlines()
    (first,) = [line for line in lines if line.startswith("filter  notch at 1 point")]
    listed = lines[lines.index(first) + 1]
    assert listed == "        (0.0000, 0.2000): period 5.00 px, angle 0.0 degrees"


def test_an_optional_number_does_not_swallow_a_file():
    assert join_numbers(["--unsharp", "a.png"]) == ["--unsharp=", "a.png"]
    assert join_numbers(["--highboost", "2", "a.png"]) == ["--highboost=2", "a.png"]


# --- masks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("pad", ["none", "mirror"])
def test_masks_that_are_drawn_can_be_used(picture, pad):
    options = ["--pad", pad, "-q"]
    assert main(["a.png", "--lowpass", "20", "--mask", "m.png", *options]) == 0
    assert main(["a.png", "--use-mask", "m.png", *options]) == 0
    drawn = np.asarray(Image.open("m.png"))
    assert drawn.shape == ((128, 160) if pad == "none" else (192, 240))
    gains = pyclfft.filter_mask(picture.shape, "lowpass", 20, pad=pad)
    np.testing.assert_array_equal(drawn, 255 * np.fft.fftshift(gains))
    results = [
        np.asarray(Image.open(f"a_{name}.png")).astype(int) for name in ("lowpass", "masked")
    ]
    assert abs(results[0] - results[1]).max() <= 1  # another kernel rounds otherwise


def test_imagejs_mask_can_be_used(picture, capsys):
    """It has ImageJ's square of 256 bins. The preset stretches the contrast only if asked to."""
    assert main(["a.png", "--preset", "imagej", "--mask", "m.tif"]) == 0
    assert "filter  imagej, structures of 3 to 40 pixels" in capsys.readouterr().err
    gains = np.fft.ifftshift(np.asarray(Image.open("m.tif")))
    assert gains.shape == (256, 256)
    np.testing.assert_array_equal(gains, pyclfft.filter_mask((128, 160), "imagej", pad="mirror"))
    assert main(["a.png", "--use-mask", "m.tif", "--pad", "mirror", "-q"]) == 0
    results = [np.asarray(Image.open(f"a_{name}.png")).astype(int) for name in ("imagej", "masked")]
    assert abs(results[0] - results[1]).max() <= 1
    assert results[0].max() < 255
    assert main(["a.png", "--preset", "imagej", "--scale", "stretch", "-q"]) == 0
    stretched = np.asarray(Image.open("a_imagej.png"))
    assert (stretched.min(), stretched.max()) == (0, 255)


def test_a_tiff_holds_gains_exactly(picture):
    assert main(["a.png", "--unsharp", "3", "--mask", "m.tif", "-q"]) == 0
    gains = np.asarray(Image.open("m.tif"))
    expected = pyclfft.filter_mask(picture.shape, "unsharp", amount=3)
    np.testing.assert_array_equal(np.fft.ifftshift(gains), expected)
    assert main(["a.png", "--use-mask", "m.tif", "-q"]) == 0
    results = [
        np.asarray(Image.open(f"a_{name}.png")).astype(int) for name in ("unsharp", "masked")
    ]
    assert abs(results[0] - results[1]).max() <= 1


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "I;16"])
def test_painted_masks(picture, mode):
    """Of any depth, and with equal colours, as programs for pictures save them; floats, too."""
    gains = np.full(picture.shape, 255, np.uint8)
    gains[64, 80 - 32] = gains[64, 80 + 32] = 0  # 32 periods across 160 pixels: the stripes
    gains[:, :20] = 51
    painted = Image.fromarray(gains)
    if mode == "I;16":
        painted = Image.fromarray(gains.astype(np.uint16) * 257)
    painted = painted if mode in ("L", "I;16") else painted.convert(mode)
    painted.save("m.png")
    assert main(["a.png", "--use-mask", "m.png", "-q"]) == 0
    mask = np.fft.ifftshift(gains / 255)
    expected = np.clip(np.fft.ifft2(np.fft.fft2(picture) * mask).real, 0, 255)
    assert abs(np.asarray(Image.open("a_masked.png")) - expected).max() < 0.51


def test_a_mask_for_several_pictures_and_drawn_again(picture, capsys):
    shutil.copy("a.png", "b.png")
    assert main(["a.png", "--lowpass", "20", "--shape", "gaussian", "--mask", "m.png", "-q"]) == 0
    assert main(["a.png", "b.png", "--use-mask", "m.png", "-o", "out/", "--mask", "again/"]) == 0
    assert "filter  mask of 160 x 128 float32, whole" in capsys.readouterr().err
    assert {path.name for path in Path("out").iterdir()} == {"a_masked.png", "b_masked.png"}
    assert Path("again/a_mask.png").read_bytes() == Path("m.png").read_bytes()


BAD = {
    "--notch x": "neither auto nor two frequencies",
    "--notch 0,0.7": "-0.5 to 0.5",
    "--notch auto --notch 0,0.1": "leave out the others",
    "--notch 0,0.1 --order 2": "shape is gaussian",
    "--directional east": "argument --directional",
    "--directional 0 --width 0": "argument --width",
    "--unsharp --radius 0.1": "unsharp does not take radius",
    "--unsharp --mask m.png": "m.png: this filter's gains go from 1 to 2",
    "--bandstop 3 9 --sigma 2": "leave out one or the other",
    "--bandpass": "--bandpass LOW HIGH, or the widths of two Gaussians, --bandpass --sigma 1 4",
    "--bandpass 3": "LOW and HIGH are two numbers, not 3 alone",
    "--bandpass --sigma 2": "--bandpass --sigma 1 4, not 2 alone",
    "--bandstop --sigma 2 2": "two different widths",
    "--lowpass --sigma 1 4": "--lowpass takes one width: leave out one of --sigma 1 4",
    "--lowpass --sigma": "a width in pixels is needed, or two of them for a band",
    "--lowpass --sigma 0 4": "argument --sigma",
    "--directional 0 --sigma 1 4": "directional does not take sigma",
    "--lowpass 3 --sigma 2": "leave out one or the other",
    "--lowpass --cutoff 3": "write --lowpass 3",
    "--homomorphic --part magnitude": "leave out part",
    "--preset gimp": "argument --preset",
    "--preset imagej --unsharp": "not allowed",
    "--preset imagej --tolerance 200": "0 to 100",
    "--highpass --pad periodic --algorithm radix2": "leave out algorithm",
    "--use-mask none.png": "none.png: No such file",
    "--use-mask colours.png": "colours.png: gains are grey",
    "--use-mask small.png": "has 100 x 128 gains, and the transform of this image 160 x 128",
    "--use-mask a.png --unsharp": "not allowed",
    "--use-mask a.png --sigma 3": "leave out sigma",
}


@pytest.mark.parametrize("words", BAD)
def test_bad_input_is_one_clear_line(picture, words, capsys):
    shutil.copy(SAMPLES / "colours.png", "colours.png")
    Image.fromarray(picture[:, :100]).save("small.png")
    before = {path.name for path in Path().iterdir()}
    try:
        status = main(["a.png", *words.split()])
    except SystemExit as end:  # argparse ends the program by itself
        status = end.code
    assert status == 2
    said = [line for line in capsys.readouterr().err.splitlines() if line[:7] != "device "]
    (line,) = said
    assert line.startswith("pyclfft filter: error: ")
    assert BAD[words] in line
    assert {path.name for path in Path().iterdir()} == before
