"""The filter command, as a user calls it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pyclfft.apps.pgm import read_pgm, write_pgm
from pyclfft.filter import main, separate_radius
from pyclfft.runtime import device as devices_module

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
    for platform, (_, members) in enumerate(devices_module.listing()):
        if device in members:
            return f"{platform}:{members.index(device)}"
    raise AssertionError("the device is not listed")


def test_by_subprocess_on_every_device(device, spec, scene):
    command = [sys.executable, "-m", "pyclfft.filter", scene, "--highpass", "--device", spec]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    result = scene.with_name("scene_highpass.pgm")
    assert devices_module.device_label(device) in run.stdout
    assert str(result) in run.stdout
    for step in ("read", "plan", "filter", "write"):
        assert f"{step} " in run.stdout.splitlines()[-1]
    pixels, maxval = read_pgm(result)
    assert maxval == 255
    expected = 255 * highpass(read_pgm(scene)[0], 64)
    assert np.abs(pixels - expected).max() <= 0.51


def test_timing_prints_the_textbooks_rows(device, spec, scene, capsys):
    assert (
        main([f"--device={spec}", "--timing", "--algorithm=radix2", "--highpass", str(scene)]) == 0
    )
    printed = capsys.readouterr().out
    rows = [line.split() for line in printed.split("kernel ")[1].splitlines()[1:] if line]
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
        (["--bandpass", "1", "2", "a.pgm"], ["--bandpass", "1", "2", "a.pgm"]),
    ],
)
def test_radius_does_not_swallow_a_file(typed, meant):
    assert separate_radius(typed) == meant


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["--highpass"], "scene_highpass.pgm"),
        (["--lowpass", "20"], "scene_lowpass.pgm"),
        (["--bandpass", "5", "20"], "scene_bandpass.pgm"),
        (["--bandstop", "0.1", "0.2", "--unit", "cycles/px"], "scene_bandstop.pgm"),
        (["--highpass", "-o", "other.png"], "other.png"),
        (["--highpass", "-o", "new/"], "new/scene_highpass.pgm"),
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


def test_depth_colour_and_alpha_are_kept(tmp_path):
    deep = tmp_path / "deep.pgm"
    write_pgm(deep, np.arange(0, 4096, dtype=np.uint16).reshape(64, 64), 4095)
    assert main([str(deep), "--lowpass", "5"]) == 0
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


def test_spectrum_and_mask(scene, tmp_path):
    spectrum, mask = tmp_path / "spectrum.png", tmp_path / "mask.png"
    assert main([str(scene), "--highpass", "--spectrum", str(spectrum), "--mask", str(mask)]) == 0
    gains = np.asarray(Image.open(mask))
    y, x = np.mgrid[-256:256, -256:256]
    assert np.array_equal(gains, np.where(np.hypot(y, x) >= 64, 255, 0))
    drawn = np.asarray(Image.open(spectrum))
    assert np.unravel_index(drawn.argmax(), drawn.shape) == (256, 256)


BAD_INPUT = {
    "missing file": (["missing.pgm", "--highpass"], "missing.pgm"),
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


def test_image_larger_than_the_device(scene, monkeypatch, capsys):
    real = devices_module.traits

    def small(device):
        from dataclasses import replace

        return replace(real(device), global_mem_bytes=2**20, max_alloc_bytes=2**18)

    monkeypatch.setattr(devices_module, "traits", small)
    assert main([str(scene), "--highpass", "12.5"]) == 2
    assert "bytes" in capsys.readouterr().err
    assert not scene.with_name("scene_highpass.pgm").exists()
