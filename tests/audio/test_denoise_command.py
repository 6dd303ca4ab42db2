"""The denoise command, as a user calls it."""

from __future__ import annotations

import io
import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest
from PIL import Image
from scipy.io import wavfile

import pyclfft
from pyclfft.audio import audiofile, sound_blocks
from pyclfft.audio.audiofile import read_audio
from pyclfft.audio.denoising import denoise
from tests.conftest import place_of
from tests.oracle import noise

main = import_module("pyclfft.denoise").main
SR = 8000


def sound(seconds=1.5, channels=2):
    t = np.arange(round(seconds * SR)) / SR
    tone = 0.3 * np.sin(2 * np.pi * 440 * t) + 0.05 * np.sin(2 * np.pi * 50 * t)
    return (tone + 0.03 * noise((channels, len(t)), "f8")).astype("f4")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    wavfile.write(tmp_path / "in.wav", SR, sound().T)
    wavfile.write(tmp_path / "deep.wav", SR, np.rint(32767 * sound().T).astype("i2"))
    wavfile.write(tmp_path / "noise.wav", SR, 0.03 * noise(SR, "f4"))
    wavfile.write(tmp_path / "fast.wav", 2 * SR, 0.03 * noise(SR, "f4"))
    wavfile.write(tmp_path / "one.wav", SR, sound(channels=1)[0])
    (tmp_path / "no_chunks.wav").write_bytes(b"RIFF\x04\0\0\0WAVE")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names_in(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.one_cpu
def test_by_subprocess(device, folder):
    before = names_in(folder)
    command = [sys.executable, "-m", "pyclfft.denoise", "in.wav", "--device", place_of(device)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout == ""
    lines = dict(line.split(maxsplit=1) for line in run.stderr.splitlines())
    assert lines["input"] == "in.wav: 1.50 s, 8000 Hz, stereo, 32-bit float WAV"
    assert lines["output"].startswith("in_denoised.wav: 32-bit float, -")
    assert names_in(folder) - before == {"in_denoised.wav"}


def test_the_file_holds_what_the_function_returns(device, folder):
    place = place_of(device)
    noisy = read_audio("in.wav").samples
    wanted = {
        "": {},
        "--reduction 20": {"reduction": 20},
        "--hum 50 --reduction 0": {"hum": 50, "reduction": 0},
        "--noise noise.wav": {"noise": read_audio("noise.wav").samples},
        "--noise-at 0.5 0.75": {"noise": noisy[:, 4000:10_000]},
    }
    for words, options in wanted.items():
        assert main(["in.wav", "out.wav", *words.split(), "--device", place, "-q"]) == 0
        result = read_audio("out.wav")
        assert result.sr == SR
        np.testing.assert_array_equal(result.samples, denoise(noisy, sr=SR, **options))
    assert main(["deep.wav", "out.wav", "-q"]) == 0
    assert read_audio("out.wav").info.kind == "16-bit WAV"
    assert main(["deep.wav", "out.wav", "-q", "--bit-depth", "24"]) == 0
    assert read_audio("out.wav").info.kind == "24-bit WAV"


@pytest.mark.one_cpu
def test_files_are_read_and_written_in_blocks(device, folder, monkeypatch):
    """The result is that of one block, and no more than a block of samples is read at a time."""
    place, asked = place_of(device), []
    real = audiofile.AudioReader.blocks

    def blocks(self, size=1000, **options):
        for block in real(self, size, **options):
            asked.append(block.shape[1])
            yield block

    monkeypatch.setattr(audiofile.AudioReader, "blocks", blocks)
    words = ["--hum", "50", "--device", place, "-q"]
    for name in ("in.wav", "deep.wav"):
        assert main([name, "one.wav", *words]) == 0
        asked.clear()
        with monkeypatch.context() as small:
            small.setattr(sound_blocks, "BLOCK_BYTES", 2**16)
            assert main([name, "many.wav", *words]) == 0
        assert max(asked) < 5000
        one, many = (read_audio(each).samples for each in ("one.wav", "many.wav"))
        assert np.abs(one - many).max() < 2**-15 + 1e-6


@pytest.mark.one_cpu
def test_the_limit_of_memory(device, folder, buffers):
    """Channels go through the device some at a time, as those of the function do."""
    samples = sound(5, 5)
    wavfile.write("five.wav", SR, samples.T)
    with pyclfft.limit_device_memory(2**20):
        assert main(["five.wav", "out.wav", "--device", place_of(device), "-q"]) == 0
        assert buffers.most <= 2**20
        np.testing.assert_array_equal(read_audio("out.wav").samples, denoise(samples, sr=SR))


@pytest.mark.one_cpu
def test_before_and_after(device, folder, capsys):
    pytest.importorskip("matplotlib")
    assert main(["in.wav", "out.wav", "--picture", "both.png", "--timing"]) == 0
    words = capsys.readouterr().err
    assert "picture both.png" in words
    assert [line.split()[0] for line in words.split("\n\n")[1].splitlines()][1:] == [
        "read", "denoise", "write", "draw", "total"
    ]  # fmt: skip
    picture = np.asarray(Image.open("both.png").convert("L"), float)
    assert picture.shape == (round(160 * 7.4), 1600)
    above, below = (picture[rows, 200:1200].mean() for rows in (slice(150, 450), slice(650, 950)))
    assert above > below + 20  # there is less noise: it is darker
    assert main(["in.wav", "out.wav", "-q", "--picture", "./"]) == 0
    assert (folder / "in_denoised.png").exists()


def test_pipes(folder):
    data = (folder / "in.wav").read_bytes()
    command = [sys.executable, "-m", "pyclfft", "denoise", "-", "-", "--quiet"]
    run = subprocess.run(command, input=data, capture_output=True, check=False)
    assert (run.returncode, run.stderr) == (0, b"")
    rate, samples = wavfile.read(io.BytesIO(run.stdout))
    assert (rate, samples.shape) == (SR, (12_000, 2))


BAD = {
    "missing file": (["no.wav"], "no.wav: No such file"),
    "not audio": (["no_chunks.wav"], "no_chunks.wav: no audio that can be read"),
    "nothing to do": (["in.wav", "--reduction", "0"], "changes nothing: give one of them"),
    "negative": (["in.wav", "--reduction=-3"], "no number from 0 on"),
    "mains": (["in.wav", "--hum", "55"], "invalid choice: 55"),
    "noise twice": (["in.wav", "--noise", "x.wav", "--noise-at", "0", "1"], "not allowed"),
    "no noise": (["in.wav", "--noise", "no.wav"], "no.wav: No such file"),
    "rate of noise": (["in.wav", "--noise", "fast.wav"], "16000 samples a second"),
    "late noise": (["in.wav", "--noise-at", "2", "1"], "choose another --noise-at"),
    "channels of noise": (["one.wav", "--noise", "in.wav"], "give noise of one channel"),
    "short noise": (["in.wav", "--noise-at", "0", "0.01"], "give a longer part"),
    "input is output": (["in.wav", "in.wav"], "is an input, too"),
    "same result": (["in.wav", "x.wav", "--picture", "x.wav"], "picture's name ends in .png"),
    "ending": (["in.wav", "x.mp3"], "sounds are written as .wav"),
    "depth": (["in.wav", "x.flac", "--bit-depth", "float"], "FLAC has samples of 16 or 24"),
    "no folder": (["in.wav", "no/x.wav"], "no/x.wav: No such file"),
    "quiet times": (["in.wav", "--quiet", "--timing"], "not allowed"),
    "no device": (["in.wav", "--device", "abacus"], "abacus"),
    "two streams": (["-", "--noise", "-"], "- is given twice"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_clear_line(case, folder, capsys):
    arguments, words = BAD[case]
    before = names_in(folder)
    try:
        status = main(arguments)
    except SystemExit as end:  # of argparse
        status = end.code
    (line,) = capsys.readouterr().err.splitlines()
    assert status == 2
    assert line.startswith("pyclfft denoise: error: ")
    assert words in line
    assert names_in(folder) == before
