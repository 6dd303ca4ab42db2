"""Sounds written to files, beside what Python's own module and SciPy read in them."""

from __future__ import annotations

import os
import wave

import numpy as np
import pytest
from scipy.io import wavfile

from pyclfft.audio.audio_writing import write_audio, write_blocks
from pyclfft.audio.audiofile import open_audio, read_audio
from tests.oracle import noise


@pytest.mark.parametrize("depth", ["16", "24", "32"])
@pytest.mark.parametrize("channels", [1, 3])
def test_integers_as_python_reads_them(tmp_path, depth, channels):
    path, samples, bits = tmp_path / "a.wav", noise((channels, 333), "f8"), int(depth)
    assert write_audio(path, samples, 12_345, depth) == 0
    with wave.open(str(path)) as file:
        assert file.getparams()[:4] == (channels, bits // 8, 12_345, 333)
        data = np.frombuffer(file.readframes(333), np.uint8).reshape(-1, bits // 8)
    wide = np.zeros((len(data), 4), np.uint8)
    wide[:, 4 - bits // 8 :] = data
    found = wide.view("<i4")[:, 0].reshape(-1, channels).T / 2.0**31
    assert np.abs(found - samples).max() <= 2.0**-bits
    assert path.stat().st_size % 2 == 0


def test_floats_as_scipy_reads_them(tmp_path):
    samples = 3 * noise((2, 100), "f4")  # beyond full scale, and not scaled
    assert write_audio(tmp_path / "a.wav", samples, 8000, "float") == 0
    rate, found = wavfile.read(tmp_path / "a.wav")
    assert (rate, found.dtype) == (8000, np.float32)
    np.testing.assert_array_equal(found.T, samples)


@pytest.mark.parametrize("name", ["a.wav", "a.flac"])
def test_blocks_make_the_file_of_the_whole(tmp_path, name):
    if name.endswith("flac"):
        pytest.importorskip("soundfile")
    samples = 3 * noise((2, 1000), "f4")
    peak = float(np.abs(samples).max())
    quieter = write_audio(tmp_path / name, samples, 8000, "16")
    assert quieter == pytest.approx(20 * np.log10(peak))
    parts = np.split(samples, [1, 400, 401], axis=1)
    many = tmp_path / f"many-{name}"
    assert write_blocks(many, parts, (2, 1000), 8000, "16", peak) == quieter
    np.testing.assert_array_equal(read_audio(many).samples, read_audio(tmp_path / name).samples)


def test_more_than_4_gib_are_read_again(tmp_path):
    """The file is sparse: no samples are written."""
    path, samples = tmp_path / "long.wav", 2**31 + 5
    write_blocks(path, [], (1, samples), 48_000, "24", 0.0)
    os.truncate(path, path.stat().st_size + 3 * samples)
    with open_audio(path) as audio:
        assert (audio.info.sr, audio.info.channels, audio.info.samples) == (48_000, 1, samples)
        (block,) = audio.blocks(start=(samples - 10) / 48_000)
        assert block.shape[1] == pytest.approx(10, abs=1)
