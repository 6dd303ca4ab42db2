"""The filter command, as a user calls it."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageCms

from pyclfft.filter import join_numbers, main
from pyclfft.image.imagefile import ImageFile, read_images, write_images
from pyclfft.image.pgm import read_pgm, write_pgm
from pyclfft.runtime import conveyor, describe, runtimes
from pyclfft.spectrum import main as spectrum_command

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
TEXTBOOK = ("write", "spinFact", "bitReverse", "butterfly", "norm", "highPassFilter", "read")


def highpass(pixels, radius):
    """The textbook's filter in float64, as pixels."""
    height, width = pixels.shape
    dy, dx = (np.minimum(np.arange(n), n - np.arange(n)) for n in (height, width))
    keep = np.hypot(dy[:, None], dx[None, :]) >= radius
    magnitude = np.abs(np.fft.ifft2(np.fft.fft2(pixels.astype(float)) * keep))
    return magnitude / magnitude.max()


@pytest.fixture
def scene(tmp_path):
    return Path(shutil.copy(SAMPLES / "scene.pgm", tmp_path))


@pytest.fixture
def spec(device):
    """What --device takes for the device of the test."""
    for platform, (_, members) in enumerate(runtimes.listing()):
        if device in members:
            return f"{platform}:{members.index(device)}"
    raise AssertionError("the device is not listed")


def test_by_subprocess_on_every_device(device, spec, scene):
    command = [sys.executable, "-m", "pyclfft.filter", scene, "--highpass", "--device", spec]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    result = scene.with_name("scene_highpass.pgm")
    assert run.stdout == ""  # which is left to results
    assert describe.device_label(device) in run.stderr
    assert str(result) in run.stderr
    *_, time, note = run.stderr.splitlines()
    for step in ("read", "plan", "filter", "write"):
        assert f"{step} " in time
    assert "the picture wraps round" in note
    pixels, maxval = read_pgm(result)
    assert maxval == 255
    expected = 255 * highpass(read_pgm(scene)[0], 64)
    assert np.abs(pixels - expected).max() <= 0.51


def test_timing_prints_the_textbooks_rows(device, spec, scene, capsys):
    assert (
        main([f"--device={spec}", "--timing", "--algorithm=radix2", "--highpass", str(scene)]) == 0
    )
    printed = capsys.readouterr().err
    totals = printed.split("kernel ")[1].split("\n\n")[0]
    rows = [line.split() for line in totals.splitlines()[1:]]
    launches = {row[0]: int(row[1]) for row in rows}
    assert set(TEXTBOOK) < set(launches)
    assert launches["butterfly"] == 4 * 9
    assert launches["bitReverse"] == 4
    assert launches["spinFact"] == 1
    assert launches["write"] == launches["read"] == 1
    assert sum(count for name, count in launches.items() if name.startswith("transpose")) == 2
    assert all(float(row[2]) >= 0 for row in rows)
    assert float(rows[-1][2]) > 0


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["--highpass", "a.pgm"], ["--highpass=", "a.pgm"]),
        (["--highpass", "20", "a.pgm"], ["--highpass=20", "a.pgm"]),
        (["a.pgm", "--lowpass", "1/8"], ["a.pgm", "--lowpass=1/8"]),
        (["--highpass", "-4", "a.pgm"], ["--highpass=-4", "a.pgm"]),
        (["a.pgm", "--highpass"], ["a.pgm", "--highpass="]),
        (["--highpass", "-o", "x", "a.pgm"], ["--highpass=", "-o", "x", "a.pgm"]),
        (["--highpass=3", "4"], ["--highpass=3", "4"]),
        (["--bandpass", "1", "2", "a.pgm"], ["--bandpass=1 2", "a.pgm"]),
        (["--bandpass", "a.pgm", "--sigma", "1", "4"], ["--bandpass=", "a.pgm", "--sigma=1 4"]),
        (["--sigma", "2", "a.pgm", "7"], ["--sigma=2", "a.pgm", "7"]),
    ],
)
def test_radius_does_not_swallow_a_file(typed, meant):
    assert join_numbers(typed) == meant


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["--highpass"], "scene_highpass.pgm"),
        (["--lowpass", "20"], "scene_lowpass.pgm"),
        (["--bandpass", "5", "20"], "scene_bandpass.pgm"),
        (["--bandstop", "0.1", "0.2", "--unit", "cycles/px"], "scene_bandstop.pgm"),
        (["--highpass", "-o", "other.png"], "other.png"),
        (["--highpass", "-o", "new/"], "new/scene_highpass.pgm"),
        (["--highpass", "--format", "png"], "scene_highpass.png"),
        (["--highpass", "-o", "new/", "--format", "tif"], "new/scene_highpass.tif"),
    ],
)
def test_where_results_go(arguments, name, scene, monkeypatch):
    monkeypatch.chdir(scene.parent)
    before = set(scene.parent.rglob("*"))
    assert main(["scene.pgm", *arguments]) == 0
    new = {path for path in set(scene.parent.rglob("*")) - before if path.is_file()}
    assert new == {scene.parent / name}


def test_several_inputs_share_a_plan_and_an_error_stops_only_its_own(scene, tmp_path, capsys):
    other = Path(shutil.copy(SAMPLES / "letters.pgm", tmp_path))
    status = main([str(scene), str(tmp_path / "missing.pgm"), str(other), "--lowpass", "-o",
                   str(tmp_path / "out")])  # fmt: skip
    captured = capsys.readouterr()
    assert status == 2
    assert [line for line in captured.err.splitlines() if "missing.pgm" in line]
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert written == {"scene_lowpass.pgm", "letters_lowpass.pgm"}


def test_drawings_of_several_inputs_go_to_folders(scene, tmp_path):
    other = shutil.copy(SAMPLES / "letters.pgm", tmp_path)
    drawings = tmp_path / "drawings"
    assert main([str(scene), other, "--highpass", "-q", "--mask", str(drawings), "--spectrum",
                 str(drawings)]) == 0  # fmt: skip
    assert {path.name for path in drawings.iterdir()} == {
        f"{name}_{what}.png" for name in ("scene", "letters") for what in ("mask", "spectrum")
    }


def test_a_quiet_command_says_nothing(scene, capfd):
    assert main([str(scene), "--highpass", "--quiet"]) == 0
    assert capfd.readouterr() == ("", "")


# --- standard input and output --------------------------------------------------------------------


def piped(data, *arguments):
    """Run the command with a standard input."""
    return subprocess.run(
        [sys.executable, "-m", "pyclfft.filter", *arguments],
        input=data, capture_output=True, timeout=300, check=False,
    )  # fmt: skip


def opened(data):
    image = Image.open(io.BytesIO(data))
    return image.format, np.asarray(image)


@pytest.mark.parametrize("output", [[], ["-o", "-"]], ids=str)
def test_standard_input_and_output(output, scene):
    done = piped(scene.read_bytes(), "-", "--highpass", "20", *output)
    assert done.returncode == 0, done.stderr
    assert main([str(scene), "--highpass", "20", "-q"]) == 0
    assert done.stdout == scene.with_name("scene_highpass.pgm").read_bytes()
    report = done.stderr.decode().splitlines()
    assert report[1] == "input   standard input: 512 x 512 pixels, 8-bit grey"
    assert report[3] == "output  standard output"


def test_the_format_of_standard_output(scene, tmp_path):
    buffer = io.BytesIO()
    Image.fromarray(read_pgm(scene)[0]).save(buffer, "TIFF")
    tiff = piped(buffer.getvalue(), "-", "--highpass", "-q")
    assert opened(tiff.stdout)[0] == "TIFF"  # as the input
    png = piped(buffer.getvalue(), "-", "--highpass", "-q", "--format", "png")
    assert opened(png.stdout)[0] == "PNG"
    np.testing.assert_array_equal(opened(png.stdout)[1], opened(tiff.stdout)[1])
    gif = io.BytesIO()
    Image.fromarray(read_pgm(scene)[0]).save(gif, "GIF")
    assert opened(piped(gif.getvalue(), "-", "--highpass", "-q").stdout)[0] == "PNG"
    mask = piped(b"", str(scene), "--highpass", "-q", "--mask", "-", "-o", str(tmp_path / "x.pgm"))
    assert opened(mask.stdout)[0] == "PNG"


def test_standard_input_into_a_folder(scene, tmp_path):
    done = piped(scene.read_bytes(), "-", "--lowpass", "20", "-o", f"{tmp_path}/new/")
    assert (done.returncode, done.stdout) == (0, b"")
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["stdin_lowpass.pgm"]


@pytest.mark.parametrize(
    ("data", "arguments", "said"),
    [
        (b"", ["-"], "standard input: the file is empty"),
        (b"P5 3 3 255\n123", ["-"], "standard input: the raster is truncated"),
        (b"P5 2 2 255\n1234", ["-", "--scale", "none"], "standard output: PGM cannot hold"),
        (b"", ["-", "-"], "- is given twice"),
        (b"", ["-", "scene.pgm", "-o", "-"], "standard output holds one result"),
    ],
)
def test_errors_name_the_streams_and_nothing_comes_out(data, arguments, said):
    done = piped(data, *arguments, "--highpass")
    assert (done.returncode, done.stdout) == (2, b"")
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith(f"pyclfft filter: error: {said}")


class Terminal(io.TextIOWrapper):
    def isatty(self):
        return True


def test_terminals_are_no_files(scene, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", Terminal(io.BytesIO()))
    assert main(["-", "--highpass", "-o", "x.pgm"]) == 2
    assert "standard input is a terminal: pipe a file into it" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdout", Terminal(io.BytesIO()))
    assert main([str(scene), "--highpass", "-o", "-"]) == 2
    assert "the result would go to the terminal: redirect it" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device")
def test_standard_output_that_is_full(scene):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "pyclfft.filter", scene, "--highpass", "-o", "-"],
            stdout=full, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == b"pyclfft filter: error: standard output: No space left on device\n"


def test_depth_colour_and_alpha_are_kept(tmp_path):
    deep = tmp_path / "deep.pgm"
    write_pgm(deep, np.arange(0, 4096, dtype=np.uint16).reshape(64, 64), 4095)
    assert main([str(deep), "--lowpass", "5"]) == 0
    pixels, maxval = read_pgm(tmp_path / "deep_lowpass.pgm")
    assert (maxval, pixels.dtype) == (4095, np.uint16)
    assert pixels.mean() == pytest.approx(4095 / 2, abs=1)
    assert main([str(deep), "--lowpass", "5", "--scale", "max", "--part", "magnitude"]) == 0
    pixels, maxval = read_pgm(tmp_path / "deep_lowpass.pgm")
    assert (maxval, pixels.dtype, pixels.max()) == (4095, np.uint16, 4095)

    colour = tmp_path / "colour.png"
    rgba = np.random.default_rng(1).integers(0, 256, (20, 30, 4), dtype=np.uint8)
    Image.fromarray(rgba).save(colour)
    assert main([str(colour), "--lowpass", "3", "--channels", "luma", "--part", "real",
                 "--scale", "clip"]) == 0  # fmt: skip
    result = np.asarray(Image.open(tmp_path / "colour_lowpass.png"))
    assert result.shape == rgba.shape
    assert np.array_equal(result[..., 3], rgba[..., 3])


def test_the_exposure_of_a_dark_picture_is_kept(tmp_path):
    dark = np.random.default_rng(5).integers(0, 50, (60, 80), dtype=np.uint8)
    Image.fromarray(dark).save(tmp_path / "dark.png")
    results = {}
    for arguments in (
        ["--lowpass", "10"], ["--bandstop", "5", "10"], ["--highpass", "10", "--keep-dc"],
        ["--highpass", "10"],
    ):  # fmt: skip
        assert main([str(tmp_path / "dark.png"), *arguments, "--shape", "gaussian"]) == 0
        name = f"dark_{arguments[0][2:]}.png"
        results[" ".join(arguments)] = np.asarray(Image.open(tmp_path / name))
    textbook = results.pop("--highpass 10")
    assert textbook.max() == 255
    for arguments, result in results.items():
        assert result.mean() == pytest.approx(dark.mean(), abs=1), arguments


def test_the_textbooks_high_pass_of_a_pgm(scene):
    """Magnitudes, the greatest in white, by default and on request."""
    results = []
    for options in ([], ["--part", "magnitude", "--scale", "max"]):
        assert main([str(scene), "--highpass", *options]) == 0
        results.append(scene.with_name("scene_highpass.pgm").read_bytes())
    assert results[0] == results[1]
    pixels, _ = read_pgm(scene.with_name("scene_highpass.pgm"))
    assert np.abs(pixels - 255 * highpass(read_pgm(scene)[0], 64)).max() <= 0.51


@pytest.mark.parametrize("inputs", [1, 2])
def test_one_line_says_that_edges_wrap(scene, tmp_path, inputs, capsys):
    sources = [scene, Path(shutil.copy(scene, tmp_path / "copy.pgm"))][:inputs]
    arguments = [*map(str, sources), "--highpass"]
    assert main(arguments) == 0
    (line,) = [each for each in capsys.readouterr().err.splitlines() if "wrap" in each]
    assert "--pad mirror" in line
    for pad in ("zero", "edge", "mirror"):
        assert main([*arguments, "--pad", pad]) == 0
    assert main([str(tmp_path / "missing.pgm"), "--highpass"]) == 2
    assert "wrap" not in capsys.readouterr().err


PAGES = {
    "grey": [(np.uint8, (30, 40)), (np.uint8, (30, 40)), (np.uint8, (12, 20))],
    "of unlike depth": [(np.uint8, (30, 40)), (np.uint16, (30, 40)), (np.float32, (9, 8))],
    "in colour": [(np.uint8, (30, 40, 3)), (np.uint8, (30, 40))],
    "float64": [(np.float64, (30, 40)), (np.float64, (30, 40))],
}


def page(dtype, shape, seed=0):
    values = np.random.default_rng(seed).random(shape)
    white = 1 if np.dtype(dtype).kind == "f" else np.iinfo(dtype).max
    return ImageFile((values * white).astype(dtype), white)


@pytest.mark.parametrize("name", PAGES)
def test_all_pages_are_filtered(tmp_path, name, capsys):
    images = [page(*each, seed) for seed, each in enumerate(PAGES[name])]
    write_images(tmp_path / "stack.tif", images)
    assert main([str(tmp_path / "stack.tif"), "--lowpass", "3"]) == 0
    assert f"{len(images)} pages" in capsys.readouterr().err
    results = read_images(tmp_path / "stack_lowpass.tif")
    assert len(results) == len(images)
    for number, (image, result) in enumerate(zip(images, results, strict=True)):
        write_images(tmp_path / "one.tif", [image])
        assert main([str(tmp_path / "one.tif"), "--lowpass", "3"]) == 0
        (alone,) = read_images(tmp_path / "one_lowpass.tif")
        assert result.pixels.dtype == image.pixels.dtype
        np.testing.assert_array_equal(result.pixels, alone.pixels, err_msg=str(number))


def test_pages_go_where_there_is_room_for_them(tmp_path, capsys):
    write_images(tmp_path / "stack.tif", [page(np.uint8, (8, 9))] * 2)
    assert main([str(tmp_path / "stack.tif"), "--highpass", "-o", str(tmp_path / "x.png")]) == 2
    assert "PNG cannot hold 2 images; write .pgm or .tif" in capsys.readouterr().err
    assert main([str(tmp_path / "stack.tif"), "--highpass", "-o", str(tmp_path / "x.pgm")]) == 0
    assert len(read_images(tmp_path / "x.pgm")) == 2
    assert main([str(tmp_path / "x.pgm"), "--lowpass"]) == 0
    assert len(read_images(tmp_path / "x_lowpass.pgm")) == 2


def test_profile_resolution_and_exif_are_kept(tmp_path):
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    exif = Image.Exif()
    exif[0x010F] = "a camera"
    pixels = np.random.default_rng(1).integers(0, 256, (20, 30, 3), dtype=np.uint8)
    for suffix in ("jpg", "png", "tif"):
        Image.fromarray(pixels).save(
            tmp_path / f"photo.{suffix}", icc_profile=profile, dpi=(300, 150), exif=exif
        )
        assert main([str(tmp_path / f"photo.{suffix}"), "--lowpass", "5"]) == 0
        with Image.open(tmp_path / f"photo_lowpass.{suffix}") as result:
            assert result.info["icc_profile"] == profile
            assert result.info["dpi"] == pytest.approx((300, 150), abs=0.02)
            assert result.getexif()[0x010F] == "a camera"


def test_floats_are_neither_scaled_nor_clipped(tmp_path):
    pixels = np.random.default_rng(2).normal(size=(20, 24)) * 1000
    for dtype, tolerance in ((np.float32, 2e-3), (np.float64, 1e-10)):
        write_images(tmp_path / "a.tif", [ImageFile(pixels.astype(dtype), 1)])
        assert main([str(tmp_path / "a.tif"), "--lowpass", "4"]) == 0
        (result,) = read_images(tmp_path / "a_lowpass.tif")
        y, x = (np.minimum(np.arange(n), n - np.arange(n)) for n in pixels.shape)
        gains = np.hypot(y[:, None], x) < 4
        expected = np.fft.ifft2(np.fft.fft2(pixels) * gains).real
        assert result.pixels.dtype == dtype
        np.testing.assert_allclose(result.pixels, expected, rtol=0, atol=tolerance)


def test_spectrum_and_mask(scene, tmp_path):
    spectrum, mask = tmp_path / "spectrum.png", tmp_path / "mask.png"
    assert main([str(scene), "--highpass", "--spectrum", str(spectrum), "--mask", str(mask)]) == 0
    gains = np.asarray(Image.open(mask))
    y, x = np.mgrid[-256:256, -256:256]
    assert np.array_equal(gains, np.where(np.hypot(y, x) >= 64, 255, 0))
    assert spectrum_command([str(scene), "-o", str(tmp_path / "alone.png"), "-q"]) == 0
    drawn, alone = (np.asarray(Image.open(tmp_path / f"{n}.png")) for n in ("spectrum", "alone"))
    np.testing.assert_array_equal(drawn, alone)


BAD_INPUT = {
    "missing file": (["missing.pgm", "--highpass"], "missing.pgm"),
    "this folder": ([".", "--lowpass", "30"], ".: Is a directory"),
    "all folders": (["/", "--highpass"], "/: Is a directory"),
    "an empty name": (["", "--highpass"], "the name of a file is empty"),
    "an empty output": (["scene.pgm", "--highpass", "-o", ""], "the name of a file is empty"),
    "order of an ideal filter": (["scene.pgm", "--highpass", "--order", "4"], "shape is ideal"),
    "order of a Gaussian": (
        ["scene.pgm", "--highpass", "--order=4", "--shape=gaussian"],
        "shape is gaussian",
    ),
    "format said twice": (["scene.pgm", "--highpass", "-o", "x.png", "--format=tif"], "leave out"),
    "drawing's format": (["scene.pgm", "--highpass", "--mask", "x.xyz"], "x.xyz: no format"),
    "spectrum's format": (["scene.pgm", "--highpass", "--spectrum", "x.bmp"], "x.bmp: a picture"),
    "no such algorithm": (["scene.pgm", "--highpass", "--algorithm", "fast"], "'stockham'"),
    "quiet times": (["scene.pgm", "--highpass", "--quiet", "--timing"], "not allowed"),
    "not an image": (["text.pgm", "--highpass"], "text.pgm"),
    "truncated": (["short.pgm", "--highpass"], "short.pgm"),
    "negative radius": (["scene.pgm", "--highpass", "-3"], "negative"),
    "radius beyond the image": (["scene.pgm", "--lowpass", "363"], "362"),
    "low above high": (["scene.pgm", "--bandpass", "9", "3"], "low < high"),
    "no filter": (["scene.pgm"], "--highpass"),
    "two filters": (["scene.pgm", "--highpass", "--lowpass"], "not allowed"),
    "not a number": (["scene.pgm", "--highpass=x"], "not a number"),
    "no such folder": (["scene.pgm", "--highpass", "-o", "no/x.pgm"], "no/x.pgm"),
    "unknown suffix": (["scene.pgm", "--highpass", "-o", "x.xyz"], "x.xyz"),
    "floats in PGM": (["scene.pgm", "--highpass", "--scale", "none"], ".tif"),
    "input is output": (["scene.pgm", "--highpass", "-o", "scene.pgm"], "is an input"),
    "two for one": (["scene.pgm", "sub/scene.pgm", "--highpass", "-o", "out"], "twice"),
    "no such device": (["scene.pgm", "--highpass", "--device", "abacus"], "abacus"),
    "not a power of two": (["odd.pgm", "--highpass", "--algorithm", "radix2"], "power of two"),
}


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_is_one_clear_line(case, scene, monkeypatch):
    arguments, expected = BAD_INPUT[case]
    folder = scene.parent
    monkeypatch.chdir(folder)
    (folder / "text.pgm").write_text("hello")
    (folder / "short.pgm").write_bytes(scene.read_bytes()[:5000])
    write_pgm(folder / "odd.pgm", np.zeros((5, 7), np.uint8), 255)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    run = subprocess.run(
        [sys.executable, "-m", "pyclfft.filter", *arguments],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 2
    (line,) = run.stderr.splitlines()
    assert line.startswith("pyclfft filter: error: ")
    assert expected in line
    after = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert after == before


def test_no_device_is_one_clear_line(scene, tmp_path):
    empty = tmp_path / "vendors"
    empty.mkdir()
    run = subprocess.run(
        [sys.executable, "-m", "pyclfft.filter", scene, "--highpass"],
        env={**os.environ, "OCL_ICD_VENDORS": str(empty)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if run.returncode == 0:  # a loader with a runtime of its own beside it, as some wheels bring
        pytest.skip("this loader finds a runtime without vendors files")
    assert run.returncode == 2
    (line,) = run.stderr.splitlines()
    assert "pip install intel-opencl-rt" in line or "driver" in line
    assert not scene.with_name("scene_highpass.pgm").exists()


def test_image_larger_than_the_device(scene, monkeypatch):
    real = describe.traits

    def small(device):
        from dataclasses import replace

        return replace(real(device), global_mem_bytes=2**20, max_alloc_bytes=2**18)

    monkeypatch.setattr(describe, "traits", small)
    moved, run = [], conveyor.Conveyor.run
    monkeypatch.setattr(
        conveyor.Conveyor, "run", lambda self, works: moved.append(1) or run(self, works)
    )
    mask = scene.with_name("mask.png")
    assert main([str(scene), "--highpass", "12.5", "--mask", str(mask)]) == 0
    assert moved
    given, _ = read_pgm(scene)
    result, _ = read_pgm(scene.with_name("scene_highpass.pgm"))
    assert np.abs(result - 255 * highpass(given, 12.5)).max() <= 0.51
    radius = np.hypot(*np.ogrid[-256:256, -256:256])
    np.testing.assert_array_equal(np.asarray(Image.open(mask)), 255 * (radius >= 12.5))
