"""``pyclfft convolve``: sounds in rooms, from file to file."""

from __future__ import annotations

import time

import numpy as np
import pytest
import scipy.signal
from scipy.io import wavfile

from pyclfft.audio.audio_writing import integers, write_audio
from pyclfft.audio.audiofile import read_audio
from pyclfft.convolution.playback import Player
from pyclfft.convolution.reverb import resampled, reverberate
from pyclfft.convolution.streaming import StreamingConvolver
from pyclfft.convolve import main
from pyclfft.errors import DeviceError
from tests.oracle import noise, relative_error

RATE = 8000


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name, samples, rate=RATE):
    wavfile.write(name, rate, np.ascontiguousarray(np.transpose(samples)))


def expected_wet(dry, ir):
    """By SciPy, in double precision, channel by channel."""
    dry, ir = (np.asarray(each, np.float64) for each in (dry, ir))
    if (len(dry), len(ir)) == (2, 4):
        left, right = dry
        pairs = [(left, ir[0]), (left, ir[1]), (right, ir[2]), (right, ir[3])]
        parts = [scipy.signal.convolve(*pair) for pair in pairs]
        return np.stack((parts[0] + parts[2], parts[1] + parts[3]))
    count = max(len(dry), len(ir))
    rows = zip(
        np.broadcast_to(dry, (count, dry.shape[1])), np.broadcast_to(ir, (count, ir.shape[1])),
        strict=True,
    )  # fmt: skip
    return np.stack([scipy.signal.convolve(*pair) for pair in rows])


@pytest.mark.parametrize("method", ["auto", "direct", "fft", "partitioned"])
@pytest.mark.parametrize(("inputs", "channels"), [(1, 1), (2, 2), (1, 2), (2, 1), (3, 3), (2, 4)])
def test_channels(folder, inputs, channels, method):
    dry, ir = noise((inputs, 3000), "f4"), noise((channels, 700), "f4")
    write("dry.wav", dry)
    write("ir.wav", ir)
    assert main(["dry.wav", "ir.wav", "--method", method, "--quiet"]) == 0
    found = read_audio("dry_wet.wav")
    assert found.sr == RATE
    assert found.info.kind == "32-bit float WAV"
    assert relative_error(found.samples, expected_wet(dry, ir)) < 1e-6


def test_mix_and_part(folder):
    dry, ir = noise((2, 4000), "f4"), noise((1, 500), "f4")
    write("dry.wav", dry)
    write("ir.wav", ir)
    options = ["--wet", "0.25", "--dry", "-2", "--start", "0.1", "--duration", "0.25", "--trim"]
    assert main(["dry.wav", "ir.wav", "out.wav", *options]) == 0
    part = dry[:, 800:2800].astype(float)
    expected = 0.25 * expected_wet(part, ir)[:, :2000] - 2 * part
    assert relative_error(read_audio("out.wav").samples, expected) < 1e-6


@pytest.mark.parametrize("depth", ["16", "24", "32"])
def test_integers_stay_within_full_scale(folder, capfd, depth):
    dry, ir = noise((1, 900), "f4"), 3 * noise((1, 100), "f4")
    write("dry.wav", dry)
    write("ir.wav", ir)
    assert main(["dry.wav", "ir.wav", "out.wav", "--bit-depth", depth]) == 0
    expected = expected_wet(dry, ir)
    peak = np.abs(expected).max()
    assert peak > 1
    assert f"made quieter by {20 * np.log10(peak):.1f} dB" in capfd.readouterr().err
    found = read_audio("out.wav")
    assert found.info.kind == f"{depth}-bit WAV"
    assert np.abs(found.samples - expected / peak).max() < 2.0 ** (1 - int(depth)) + 2e-6
    assert main(["dry.wav", "ir.wav", "out.wav", "--bit-depth", "float"]) == 0
    assert np.abs(read_audio("out.wav").samples).max() == pytest.approx(peak, rel=1e-5)


def test_the_depth_is_the_sounds_own(folder):
    write("dry.wav", (noise((1, 900), "f4") * 2000).astype(np.int16))
    write("ir.wav", noise((1, 10), "f4"))
    assert main(["dry.wav", "ir.wav"]) == 0
    assert read_audio("dry_wet.wav").info.kind == "16-bit WAV"


def test_flac(folder):
    pytest.importorskip("soundfile")
    write("dry.wav", noise((2, 900), "f4") / 20)
    write("ir.wav", np.eye(1, 30, 7, dtype="f4"))
    assert main(["dry.wav", "ir.wav", "out.flac", "--bit-depth", "24"]) == 0
    found = read_audio("out.flac")
    assert found.info.kind == "24-bit FLAC"
    assert np.abs(found.samples[:, 7:907] - read_audio("dry.wav").samples).max() < 2.0**-23


def test_normalize(folder):
    dry, ir = noise((2, 4000), "f4"), 9 * noise((2, 500), "f4")
    write("dry.wav", dry)
    write("ir.wav", ir)
    assert main(["dry.wav", "ir.wav", "out.wav", "--normalize", "ir"]) == 0
    energy = np.square(ir, dtype=float).sum(axis=1).max()
    found = read_audio("out.wav").samples
    assert relative_error(found, expected_wet(dry, ir) / np.sqrt(energy)) < 1e-6
    assert main(["dry.wav", "ir.wav", "out.wav", "--normalize", "peak"]) == 0
    assert np.abs(read_audio("out.wav").samples).max() == pytest.approx(1, abs=1e-6)


def test_resample(folder, capfd):
    write("dry.wav", noise((1, 4000), "f4"))
    write("ir.wav", noise((1, 600), "f4"), 2 * RATE)
    assert main(["dry.wav", "ir.wav"]) == 2
    assert "give --resample" in capfd.readouterr().err
    assert main(["dry.wav", "ir.wav", "--resample"]) == 0
    assert read_audio("dry_wet.wav").info.samples == 4000 + 300 - 1
    # A response that is smooth has the same spectrum at either rate.
    slow = np.hanning(400)[None]
    assert resampled(slow, 2 * RATE, RATE).sum() == pytest.approx(slow.sum(), rel=1e-3)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no.wav", "ir.wav"], "no.wav: No such file"),
        (["dry.wav", "no.wav"], "no.wav: No such file"),
        (["dry.wav", "three.wav"], "give one of 1 or 2 channels, or 4 for true stereo"),
        (["dry.wav", "ir.wav", "dry.wav"], "dry.wav is an input, too"),
        (["dry.wav", "ir.wav", "ir.wav"], "ir.wav is an input, too"),
        (["dry.wav", "ir.wav", "out.mp3"], "sounds are written as .wav, .flac"),
        (["dry.wav", "ir.wav", "out.flac", "--bit-depth", "float"], "16 or 24 bits, not float"),
        (["dry.wav", "silent.wav", "--normalize", "ir"], "silent and cannot be normalized"),
        (["dry.wav", "nan.wav"], "nan.wav: some samples are NaN or infinite"),
        (["dry.wav", "ir.wav", "--start", "9"], "choose an earlier start"),
        (["dry.wav", "ir.wav", "--wet", "nan"], "'nan' is no finite number"),
        (["dry.wav", "text.wav"], "text.wav"),
        (["dry.wav", "ir.wav", "--block-size", "64"], "--block-size belongs to real time"),
        (["dry.wav", "ir.wav", "--method", "uniform"], "--method is auto, direct, fft"),
        (["dry.wav", "ir.wav", "--normalize", "running"], "take peak"),
        (["dry.wav", "ir.wav", "--realtime", "--method", "fft"], "--method is auto, direct, uni"),
        (["dry.wav", "ir.wav", "--realtime", "--normalize", "peak"], "take running"),
        (["dry.wav", "ir.wav", "--realtime", "--sink", "x.mp3"], "is no sink: take default, null"),
        (["dry.wav", "ir.wav", "--realtime", "--sink", "dry.wav"], "dry.wav is an input, too"),
        (["dry.wav", "ir.wav", "x.wav", "--realtime", "--sink", "x.wav"], "be written twice"),
        (["dry.wav", "ir.wav", "--realtime", "--latency", "-1"], "'-1' is not a positive whole"),
    ],
)
def test_errors(folder, capfd, arguments, words):
    write("dry.wav", noise((2, 900), "f4"))
    write("ir.wav", noise((2, 90), "f4"))
    write("three.wav", noise((3, 90), "f4"))
    write("silent.wav", np.zeros((1, 90), "f4"))
    write("nan.wav", np.full((1, 90), np.nan, "f4"))
    (folder / "text.wav").write_text("no sound at all")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    try:
        status = main(arguments)
    except SystemExit as end:
        status = end.code
    assert status == 2
    said = capfd.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_reverberate_keeps_what_it_is_given():
    dry, ir = noise((2, 50), "f4"), noise((2, 9), "f4")
    copies = dry.copy(), ir.copy()
    reverberate(dry, ir, wet=0.5, dry=0.5, normalize=True)
    np.testing.assert_array_equal(dry, copies[0])
    np.testing.assert_array_equal(ir, copies[1])


def test_integers_round_and_stop_at_full_scale():
    assert list(integers(np.array([0, 1, -1, 0.5, 2, -2]), 16)) == [
        0, 32767, -32768, 16384, 32767, -32768,
    ]  # fmt: skip


def test_a_file_is_whole_or_not_there(folder, monkeypatch):
    (folder / "old.wav").write_bytes(b"old")

    def full(*_):
        raise OSError("the disk is full")

    monkeypatch.setattr("pyclfft.audio.audio_writing._wav_bytes", full)
    with pytest.raises(OSError, match="the disk is full"):
        write_audio("old.wav", np.zeros((1, 5)), RATE, "16")
    assert [path.name for path in folder.iterdir()] == ["old.wav"]
    assert (folder / "old.wav").read_bytes() == b"old"


# --- in real time ---------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["auto", "direct", "uniform", "nonuniform"])
@pytest.mark.parametrize("latency", [0, 2])
def test_played_is_what_is_written_offline(folder, capfd, method, latency):
    dry, ir = noise((2, 3000), "f4"), noise((2, 700), "f4")
    write("dry.wav", dry)
    write("ir.wav", ir)
    options = ["--realtime", "--sink", "heard.wav", "--block-size", "128", "--method", method]
    options += ["--latency", str(latency), "--normalize", "ir"]
    assert main(["dry.wav", "ir.wav", "kept.wav", *options]) == 0
    said = capfd.readouterr().err
    assert f"latency {128 * latency} frames, {128 * latency / RATE * 1000:.1f} ms" in said
    for words in ("load ", "missed ", "deadlines"):
        assert words in said
    energy = np.square(ir, dtype=float).sum(axis=1).max()
    expected = expected_wet(dry, ir) / np.sqrt(energy)
    kept, heard = read_audio("kept.wav").samples, read_audio("heard.wav").samples
    assert relative_error(kept, expected) < 1e-6
    assert heard.shape == kept.shape
    assert np.abs(heard - np.clip(kept, -1, 1)).max() < 2.0**-14


def test_the_null_sink_keeps_the_pace(folder, capfd):
    pytest.importorskip("miniaudio")
    write("dry.wav", noise((1, RATE // 2), "f4"))
    write("ir.wav", noise((1, 200), "f4"))
    begun = time.perf_counter()
    assert main(["dry.wav", "ir.wav", "--realtime", "--sink", "null", "--trim"]) == 0
    assert time.perf_counter() - begun >= 0.4
    assert "played to null" in capfd.readouterr().err


def test_a_failure_in_mid_stream_ends_in_silence(folder, capfd, monkeypatch):
    write("dry.wav", noise((1, 3000), "f4"))
    write("ir.wav", noise((1, 200), "f4"))
    push, calls = StreamingConvolver.push, []

    def fail_later(self, block):
        calls.append(block)
        if len(calls) == 4:
            raise DeviceError("the device has gone: plug it in again")
        return push(self, block)

    monkeypatch.setattr(StreamingConvolver, "push", fail_later)
    options = ["--realtime", "--sink", "heard.wav", "--block-size", "256"]
    assert main(["dry.wav", "ir.wav", "kept.wav", *options]) == 2
    assert "plug it in again" in capfd.readouterr().err
    assert sorted(path.name for path in folder.iterdir()) == ["dry.wav", "ir.wav"]
    player = Player(iter([np.ones((1, 5)), None]), 1, 9)
    assert list(player.take(8)[:, 0]) == [32767] * 5 + [0] * 3
    assert player.ended.is_set()


def test_no_sound_card_is_one_line(folder, capfd):
    miniaudio = pytest.importorskip("miniaudio")
    write("dry.wav", noise((1, 3000), "f4"))
    write("ir.wav", noise((1, 200), "f4"))

    def none(**options):
        raise miniaudio.MiniaudioError("no suitable audio backend found")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(miniaudio, "PlaybackDevice", none)
        assert main(["dry.wav", "ir.wav", "--realtime"]) == 2
    said = capfd.readouterr().err
    assert "no sound can be played to 'default'" in said
    assert "try --sink null" in said
    assert said.count("\n") == 1
