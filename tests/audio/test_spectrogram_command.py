"""The spectrogram command, as a user calls it, and the pictures that it draws."""

from __future__ import annotations

import csv
import io
import os
import shutil
import struct
import subprocess
import sys
import warnings
import wave
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from PIL import Image

import pyclfft
from pyclfft.audio import (
    analysis_files,
    audiofile,
    file_spectra,
    sound_analysis,
    spectrogram_picture,
)
from pyclfft.audio import stft as shorttime
from pyclfft.audio.audiofile import open_audio, read_audio
from pyclfft.audio.file_spectra import Part, spectra_of_file
from pyclfft.audio.framing import Magnitudes
from pyclfft.audio.spectrogram_picture import (
    AXES,
    MAX_COLUMNS,
    MAX_ROWS,
    Caption,
    Levels,
    Look,
    Note,
    Times,
    decibels,
    draw,
    encode,
    note_ticks,
    require_picture,
)
from pyclfft.commandline import Progress
from pyclfft.errors import PyclfftError
from pyclfft.runtime import describe
from tests.conftest import module_path, place_of

pytest.importorskip("matplotlib")

command = import_module("pyclfft.spectrogram")
main = command.main

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
SR, SAMPLE_COUNT = 11025, 55125  # of the sample


@pytest.fixture
def tune(tmp_path):
    return Path(shutil.copy(SAMPLES / "tune.wav", tmp_path))


@pytest.fixture
def no_picture(monkeypatch):
    """Leave out what takes most of the time; what would have been drawn."""
    drawn = []
    monkeypatch.setattr(
        analysis_files, "draw", lambda *given, **named: drawn.append((given, named))
    )
    monkeypatch.setattr(analysis_files, "encode", lambda *_: b"a picture")
    return drawn


@pytest.fixture
def y():
    return read_audio(SAMPLES / "tune.wav").samples[0].astype(float)


def write_wav(path, channels, sr=8000):
    """Write 16-bit samples, given in -1 to 1, of shape (channels, samples)."""
    values = np.rint(np.atleast_2d(channels) * 32767).astype("<i2")
    with wave.open(str(path), "wb") as file:
        file.setparams((len(values), 2, sr, 0, "NONE", ""))
        file.writeframes(values.T.tobytes())
    return path


def amplitudes(y, n_fft=2048, hop=512, window="hann", center=True):
    """The spectrogram in float64, of shape (bins, frames)."""
    weights = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(n_fft) / n_fft)
    weights = weights if window == "hann" else np.ones(n_fft)
    y = np.pad(y, n_fft // 2) if center else y
    frames = np.lib.stride_tricks.sliding_window_view(y, n_fft)[::hop]
    return np.abs(np.fft.rfft(frames * weights)).T


def assert_close(found, expected):
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= 3e-6 * expected.max()


# --- the whole way, on every device ---------------------------------------------------------------


@pytest.mark.one_cpu
def test_by_subprocess(device, tune):
    run = subprocess.run(
        [sys.executable, "-m", "pyclfft.spectrogram", tune, "--device", place_of(device)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert run.stdout == ""  # which is left to results
    # Among them may be one by which Matplotlib says that it builds a cache of its own.
    lines = dict(line.split(maxsplit=1) for line in run.stderr.splitlines())
    assert describe.device_label(device) in lines["device"]
    assert lines["input"] == f"{tune}: 5.00 s, 11025 Hz, mono, 16-bit WAV"
    assert lines["frames"] == "108: n_fft 2048, hop 512, window hann"
    assert lines["output"] == str(tune.with_name("tune_spectrogram.png"))
    for step in ("plan", "read", "transform", "draw", "total"):
        assert f"{step} " in lines["time"]
    assert Image.open(lines["output"]).size == (1600, 800)
    assert {path.name for path in tune.parent.iterdir()} == {"tune.wav", "tune_spectrogram.png"}


def test_numbers_for_numpy(device, tune, y, no_picture):
    path = tune.with_name("s.npz")
    assert main([str(tune), "--npz", str(path), "--device", place_of(device)]) == 0
    with np.load(path) as found:
        assert_close(found["S"], amplitudes(y))
        assert found["S"].dtype == np.float32
        np.testing.assert_allclose(found["frequencies"], np.arange(1025) * SR / 2048)
        np.testing.assert_allclose(found["times"], np.arange(108) * 512 / SR)
        stated = [str(found[key]) for key in ("quantity", "window", "sr", "n_fft", "hop")]
    assert stated == ["amplitude", "hann", "11025", "2048", "512"]


@pytest.mark.one_cpu
@pytest.mark.parametrize("algorithm", [[], ["--algorithm=local-radix2"]], ids=["engine", "report"])
@pytest.mark.parametrize("where", ["device", "host"])
def test_music_analysis(device, tune, y, no_picture, monkeypatch, capsys, algorithm, where):
    """The device divides by the greatest; the host does where not all frames fit at once."""
    if where == "host":
        monkeypatch.setattr(file_spectra, "RELATED_POINTS", 2**14)
        monkeypatch.setattr(file_spectra, "POINTS", 2**14)
    path = tune.with_name("s.npz")
    arguments = [str(tune), "--preset=music-analysis", "--npz", str(path), "--timing", *algorithm]
    assert main([*arguments, "--device", place_of(device)]) == 0
    kernels = capsys.readouterr().err.rpartition("\nkernel ")[2].split("\n")[1:]
    launches = {line.split()[0]: int(line.split()[1]) for line in kernels if line}
    assert launches.get("relate", 0) == (where == "device")
    assert launches["write"] == (1 if where == "device" else 7)
    y = np.pad(y, (0, -len(y) % 2048))
    expected = amplitudes(y, hop=1024, window="boxcar", center=False)[:1024]
    with np.load(path) as found:
        assert_close(found["S"], expected / expected.max())
        assert found["S"].shape == (1024, 2 * -(-SAMPLE_COUNT // 2048) - 1)
        assert found["times"][0] == 1024 / SR  # the middle of the first frame
        assert str(found["quantity"]) == "amplitude relative to the greatest"


@pytest.mark.one_cpu
def test_timing(device, tune, capsys, no_picture):
    arguments = [f"--device={place_of(device)}", "--timing", "--algorithm=local-radix2"]
    assert main([str(tune), *arguments]) == 0
    _, steps, kernels, *_ = capsys.readouterr().err.split("\n\n")
    took = {line[:20].strip(): float(line[20:]) for line in steps.split("\n")[1:]}
    assert list(took) == ["read", "plan", "upload and transform", "draw", "total"]
    assert took["total"] >= sum(took.values()) - took["total"]
    launches = {line.split()[0]: line.split()[1] for line in kernels.strip().split("\n")[1:]}
    assert len(launches) >= 4
    assert launches["write"] == launches["read"] == "1"


# --- files of any length --------------------------------------------------------------------------

PARTS = [  # framing, points of a part, how many parts
    ({"n_fft": 256, "hop_length": 64}, 10**9, 1),
    ({"n_fft": 256, "hop_length": 64}, 6000, 7),
    ({"n_fft": 256, "hop_length": 300}, 6000, 2),
    ({"n_fft": 64, "hop_length": 900}, 200, 4),
    ({"n_fft": 243, "hop_length": 331}, 1, 30),
    ({"n_fft": 256, "hop_length": 64, "center": False}, 6000, 7),
    ({"n_fft": 16384}, 6000, 3),
]


@pytest.mark.one_cpu
@pytest.mark.parametrize(("framing", "points", "count"), PARTS, ids=str)
def test_parts_are_the_spectrogram_of_the_whole(framing, points, count, device, monkeypatch):
    monkeypatch.setattr(file_spectra, "POINTS", points)
    monkeypatch.setattr(audiofile.AudioReader.blocks, "__defaults__", (777,))
    part = Part(start=0.5, duration=0.9, channel="mix")
    whole = read_audio(SAMPLES / "tune.wav", **vars(part)).samples[0]
    frames = shorttime.make_frames(**framing)
    with open_audio(SAMPLES / "tune.wav") as audio:
        blocks = list(spectra_of_file(audio, frames, Magnitudes(), part))
    assert len(blocks) == count
    hop, center = frames.hop, frames.center
    expected = amplitudes(whole.astype(float), frames.n_fft, hop, center=center)
    assert_close(np.concatenate(blocks, axis=1), expected[:, : frames.count(len(whole))])


def test_a_long_sound_needs_no_large_picture(tmp_path, monkeypatch, no_picture):
    """Its frames share columns, each of which shows the greatest; so does a click of one sample."""
    sound = np.zeros(400_000)
    sound[123_456] = 0.9
    path = write_wav(tmp_path / "click.wav", sound)
    monkeypatch.setattr(file_spectra, "POINTS", 64 * 3000)
    assert main([str(path), "--n-fft=64", "--hop=32", "--window=boxcar"]) == 0
    ((((levels,), *_), _),) = no_picture
    values = levels.values()
    assert levels.frames_a_column == 11
    assert values.shape == (MAX_ROWS, -(-12501 // 11))
    np.testing.assert_array_equal(np.flatnonzero(values.max(axis=0)), [123_456 // 32 // 11])
    np.testing.assert_allclose(values.max(axis=0).max(), 0.9, rtol=1e-4)


def test_a_bar_counts_frames(tune, no_picture, monkeypatch):
    bars = []

    class Bar(Progress):
        def __init__(self, total, unit, quiet):
            super().__init__(total, unit, quiet)
            self.states = []
            bars.append((total, unit, quiet, self.states))

        def __setattr__(self, name, value):
            super().__setattr__(name, value)
            if name == "done" and value:
                self.states.append(value)

    monkeypatch.setattr(command, "Progress", Bar)
    monkeypatch.setattr(file_spectra, "POINTS", 2048 * 50)
    assert main([str(tune)]) == 0
    assert main([str(tune), "-q"]) == 0
    assert bars == [(108, "frames", quiet, [50, 100, 108]) for quiet in (False, True)]


# --- what a picture shows -------------------------------------------------------------------------


def levels_of(spectra, axis="linear", sr=8000, n_fft=None):
    n_fft = n_fft or 2 * (len(spectra) - 1)
    result = Levels(AXES[axis], sr, n_fft, *spectra.shape)
    result.add(np.asarray(spectra, np.float32))
    return result


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("bins", [2, 33, 1025, 20_001])
def test_every_bin_is_in_the_row_of_its_frequency(axis, bins):
    sr, n_fft = 8000, 2 * (bins - 1)
    low = AXES[axis].low(sr, n_fft)
    for k in {round(low * n_fft / sr) + 1, bins // 3, bins // 2, bins - 2, bins - 1}:
        hertz = k * sr / n_fft
        if not low < hertz:
            continue
        spectra = np.zeros((bins, 3))
        spectra[k, 1] = 1
        rows = np.flatnonzero(levels_of(spectra, axis).values()[:, 1])
        assert len(rows)  # of many bins in a row none is lost
        assert np.ptp(rows) == len(rows) - 1
        bottom, place, top = AXES[axis].places(low, hertz, sr / 2)
        wanted = (place - bottom) / (top - bottom) * MAX_ROWS
        assert rows[0] - 1 <= wanted <= rows[-1] + 2


def test_columns_do_not_depend_on_blocks():
    spectra = np.random.default_rng(3).random((9, 5 * MAX_COLUMNS - 3)).astype(np.float32)
    whole = levels_of(spectra).values()
    parts = Levels(AXES["linear"], 8000, 16, *spectra.shape)
    for part in np.array_split(spectra, [1, 3, 4, 1000, 1001, 4000], axis=1):
        parts.add(part)
    assert whole.shape == (MAX_ROWS, MAX_COLUMNS)
    np.testing.assert_array_equal(parts.values(), whole)
    assert whole[0, -1] == spectra[0, -2:].max()  # two frames are left for the last


@pytest.mark.parametrize("axis", AXES)
def test_axes_go_forth_and_back(axis):
    hertz = np.array([20.0, 440, 999, 1000, 1001, 12_345])
    np.testing.assert_allclose(AXES[axis].hertz(AXES[axis].place(hertz)), hertz)
    assert np.all(np.diff(AXES[axis].place(hertz)) > 0)


def test_mel_and_notes_are_librosas():
    librosa = pytest.importorskip("librosa")
    hertz = np.array([0.0, 20, 440, 1000, 5000, 20_000])
    np.testing.assert_allclose(spectrogram_picture.mel_of(hertz), librosa.hz_to_mel(hertz))
    for ticks in (note_ticks(30, 20_000), note_ticks(300, 500)):
        frequencies, names = zip(*ticks.labelled, strict=True)
        assert librosa.hz_to_note(frequencies).tolist() == list(names)


def test_labels_of_notes():
    assert [name for _, name in note_ticks(32.5, 9000).labelled] == [f"C{n}" for n in range(1, 10)]
    assert not note_ticks(32.5, 9000).between
    assert [name for _, name in note_ticks(430, 500).labelled] == ["A4", "A♯4", "B4"]
    assert len(note_ticks(200, 1100).between) == 29 - 3
    assert note_ticks(430, 435).labelled == ()


def test_decibels():
    values = np.array([1, 0.1, 2, 0, 2e-5], np.float32)
    np.testing.assert_allclose(decibels(values, 80), [-6.0206, -26.0206, 0, -80, -80], atol=1e-4)
    assert decibels(values)[3] == -200
    assert decibels(values).dtype == np.float32
    assert decibels(np.zeros(2), 60).tolist() == [-60, -60]


def tone(hertz=1000.0, sr=8000, samples=8000):
    return 0.5 * np.sin(2 * np.pi * hertz * np.arange(samples) / sr)


def pixels_of(figure):
    figure.savefig(buffer := io.BytesIO(), format="rgba", dpi=100)
    height, width = (round(100 * inches) for inches in figure.get_size_inches()[::-1])
    return np.frombuffer(buffer.getvalue(), np.uint8).reshape(height, width, 4)[..., :3]


def open_figures():
    """The figures that pyplot keeps, which others may have opened."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    return pyplot.get_fignums() if pyplot else []


@pytest.mark.parametrize("axis", AXES)
def test_a_tone_is_drawn_at_its_frequency(axis):
    before = open_figures()
    spectra = amplitudes(tone(), n_fft=512, hop=128)
    times = Times(0, 128 / 8000, 0, 1)
    figure = draw(levels_of(spectra, axis), times, Caption("a tone", "details"))
    pixels = pixels_of(figure)
    axes = figure.axes[0]
    x, y = axes.transData.transform((0.5, AXES[axis].places(1000.0)[0]))
    column = pixels[:, int(x)].astype(int).sum(axis=1)
    inside = axes.get_window_extent()
    top, bottom = (len(pixels) - int(each) for each in (inside.y1, inside.y0))
    brightest = top + 5 + column[top + 5 : bottom - 5].argmax()
    assert abs(len(pixels) - y - brightest) < 12
    assert column[top + 20] < 30  # magma begins in black
    assert axes.get_xlabel() == "Time (s)"
    assert axes.get_ylabel() == AXES[axis].label
    assert axes.get_title(loc="left") == "a tone"
    assert figure.axes[-1].get_ylabel() == "Level (dB relative to the greatest)"
    assert figure.axes[-1].get_ylim() == (-80, 0)
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert {"linear": "1000", "log": "C6", "mel": "1000"}[axis] in labels
    assert open_figures() == before


def test_onsets_and_notes_are_marked():
    notes = [Note(0.2, 0.3, name, midi, 0, 1) for name, midi in (("A4", 69), ("A♯4", 70))]
    spectra = amplitudes(tone(), n_fft=512, hop=128)
    times = Times(0, 128 / 8000, 0, 1)
    figure = draw(levels_of(spectra), times, Caption("x"), onsets=[0.2, 0.7], notes=notes)
    axes = figure.axes[0]
    lines = [(*line.get_xdata(), *line.get_ydata()) for line in axes.lines]
    assert [line[0] for line in lines] == [0.2, 0.7, 0.2, 0.2]
    np.testing.assert_allclose(lines[2], (0.2, 0.5, 440, 440))
    names = {each.get_text(): each for each in axes.texts}
    assert {"A4", "A♯4"} <= set(names)
    assert names["A♯4"].xyann[0] > names["A4"].xyann[0] + 10  # not one over the other
    assert [each.get_text() for each in axes.get_legend().get_texts()] == ["onset", "note"]
    assert len(encode(figure, "x.png")) > 10_000


@pytest.mark.parametrize("name", ["a$b_$c.wav", "new\nline.wav", "音.wav", "x" * 300])
def test_any_name_can_be_a_title(name):
    figure = draw(levels_of(np.ones((5, 2))), Times(0, 1, 0, 2), Caption(name, name))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encode(figure, "x.png", dpi=30)
    assert len(figure.axes[0].get_title(loc="left")) <= 72


@pytest.mark.parametrize("title", ["", "a title"])
def test_all_words_above_a_picture_lie_in_it(title):
    figure = draw(levels_of(np.ones((5, 2))), Times(0, 1, 0, 2), Caption(title, "details"))
    figure.canvas.draw()
    texts = figure.findobj(lambda each: hasattr(each, "get_text"))
    words = [each for each in texts if each.get_text() in ("a title", "details")]
    assert len(words) == (2 if title else 1)
    assert all(each.get_window_extent().y1 <= figure.bbox.y1 for each in words)


@pytest.mark.parametrize(
    ("suffix", "magic"), [("svg", b"<?xml"), ("PDF", b"%PDF"), ("png", b"\x89P")]
)
def test_formats(suffix, magic):
    figure = draw(levels_of(np.zeros((5, 2))), Times(0, 1, 0, 2), Caption("silence"))
    assert encode(figure, f"x.{suffix}", dpi=30).startswith(magic)


def test_without_matplotlib(monkeypatch, tune, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(PyclfftError, match="pip install matplotlib"):
        require_picture("x.png", Look())
    assert main([str(tune)]) == 2
    assert "pip install matplotlib" in capsys.readouterr().err


# --- several sounds, standard input and output ----------------------------------------------------


def piped(data, *arguments):
    """Run the command with a standard input."""
    return subprocess.run(
        [sys.executable, "-m", "pyclfft.spectrogram", *arguments],
        input=data, capture_output=True, timeout=300, check=False,
        env={**os.environ, "PYTHONPATH": module_path()},
    )  # fmt: skip


def test_several_sounds_and_an_error_stops_only_its_own(tune, y, no_picture, capsys):
    folder = tune.parent
    half = write_wav(folder / "half.wav", y[:30_000], SR)
    (folder / "bad.wav").write_text("hello")
    names = [str(folder / name) for name in ("tune.wav", "bad.wav", "missing.wav", "half.wav")]
    results = folder / "new"
    assert main([*names, "--npz", str(results), "-o", str(results)]) == 2
    errors = [line for line in capsys.readouterr().err.splitlines() if ": error: " in line]
    assert len(errors) == 2
    assert names[1] in errors[0]
    assert names[2] in errors[1]
    made = {f"{name}_spectrogram.{end}" for name in ("tune", "half") for end in ("npz", "png")}
    assert {path.name for path in results.iterdir()} == made
    for name, count in (("tune", SAMPLE_COUNT), ("half", 30_000)):
        with np.load(results / f"{name}_spectrogram.npz") as found:
            assert_close(found["S"], amplitudes(y[:count]))
    assert [given[0][2].title for given in no_picture] == ["tune.wav", half.name]


def test_the_report_of_several_sounds_names_the_device_once(tune, no_picture, capsys):
    other = shutil.copy(tune, tune.with_name("other.wav"))
    assert main([str(tune), str(other)]) == 0
    words = [line.split()[0] for line in capsys.readouterr().err.splitlines()]
    assert words == ["device", *2 * ["input", "frames", "output", "time"]]


def test_standard_input_and_output(tune, y):
    done = piped(tune.read_bytes(), "-", "--npz", "-", "--quiet")
    assert (done.returncode, done.stderr) == (0, b"")
    with np.load(io.BytesIO(done.stdout)) as found:
        assert_close(found["S"], amplitudes(y))
    done = piped(tune.read_bytes(), "-", "--csv", "-", "--n-fft=64", "--hop=20000")
    assert [row.partition(b",")[0] for row in done.stdout.splitlines()] == [
        b"time_s", b"0.000000", b"1.814059", b"3.628118"
    ]  # fmt: skip
    report = done.stderr.decode().splitlines()
    assert report[1] == "input   standard input: 5.00 s, 11025 Hz, mono, 16-bit WAV"
    assert report[3] == "output  standard output: decibels of 3 frames"


@pytest.mark.parametrize("arguments", [["-"], ["-", "-o", "-"], ["-", "--format", "svg"]], ids=str)
def test_a_picture_of_standard_input_goes_to_standard_output(arguments, tune, tmp_path):
    done = piped(tune.read_bytes(), *arguments, "--quiet")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"<?xml" if "svg" in arguments else b"\x89PNG")


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"", "standard input: the file is empty"), (b"hello" * 9, "standard input: ")],
)
def test_errors_name_standard_input_and_nothing_comes_out(data, said):
    done = piped(data, "-", "--csv", "-")
    assert (done.returncode, done.stdout) == (2, b"")
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith(f"pyclfft spectrogram: error: {said}")


def test_numbers_need_no_matplotlib(tune, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main([str(tune), "--csv", str(tune.with_name("x.csv")), "-q", "--mel"]) == 0
    assert capsys.readouterr().err == (
        "pyclfft spectrogram: warning: no picture is drawn, where --mel would show: "
        "add -o to draw one\n"
    )
    assert {path.name for path in tune.parent.iterdir()} == {"tune.wav", "x.csv"}


# --- other outputs --------------------------------------------------------------------------------


def test_csv_is_decibels_of_the_same_numbers(tune, y, no_picture):
    table = tune.with_name("levels.csv")
    arguments = ["--n-fft=256", "--start=2", "--duration=1", "--csv", str(table)]
    assert main([str(tune), *arguments]) == 0
    with table.open(newline="") as file:
        (corner, *frequencies), *rows = csv.reader(file)
    assert corner == "time_s"
    np.testing.assert_allclose(np.array(frequencies, float), np.arange(129) * SR / 256, rtol=1e-9)
    values = np.array(rows, float)
    np.testing.assert_allclose(values[:, 0], 2 + np.arange(173) * 64 / SR, atol=1e-6)
    expected = amplitudes(y[2 * SR : 3 * SR], 256, 64)
    loud = expected > 1e-3 * expected.max()
    expected = 20 * np.log10(np.maximum(expected, 1e-12) / expected.max())
    assert values[:, 1:].max() == 0
    assert np.abs(values[:, 1:].T - expected)[loud].max() < 0.02


class FoundNote(NamedTuple):
    onset: float
    duration: float
    name: str
    midi: int
    cents: float
    strength: float
    confidence: float


@pytest.fixture
def asked(monkeypatch):
    """What stand-ins for `onsets` and `notes` were asked."""
    calls = []
    found = [
        FoundNote(0.25, 0.4, "C♯5", 73, -3.25, 0.5, 0.75),
        FoundNote(0.75, 0.4, "E5", 76, 0, 1, 1),
    ]

    def onsets(y, sr, units):
        calls.append((y, sr, units))
        return np.array([0.25, 0.75])

    def notes(y, sr, threshold):
        calls.append((y, sr, threshold))
        return found

    monkeypatch.setattr(sound_analysis, "onsets", onsets)
    monkeypatch.setattr(sound_analysis, "notes", notes)
    return calls


def test_notes(asked, tune, y, no_picture, capsys):
    table = tune.with_name("notes.csv")
    picture = str(tune.with_name("notes.png"))
    arguments = ["--start=2", "--duration=1.5", "--notes", str(table), "-o", picture]
    assert main([str(tune), *arguments]) == 0
    assert "2 notes, 2 onsets" in capsys.readouterr().err
    assert table.read_text(encoding="utf-8").splitlines() == [
        "onset_s,duration_s,note,midi,cents,strength,confidence",
        "2.2500,0.4000,C♯5,73,-3.2,0.5,0.750",
        "2.7500,0.4000,E5,76,0.0,1,1.000",
    ]
    (heard, *options), (again, *others) = asked
    assert options == [SR, "time"]
    assert others == [SR, 0.24]
    for samples in (heard, again):
        np.testing.assert_array_equal(samples, y[2 * SR : 2 * SR + round(1.5 * SR)])
    ((_, drawn),) = no_picture
    assert drawn["onsets"].tolist() == [2.25, 2.75]
    assert [note.onset for note in drawn["notes"]] == [2.25, 2.75]


def test_channels(tmp_path, no_picture):
    path = write_wav(tmp_path / "two.wav", [tone(1000), tone(2000)])
    peaks = []
    for channel in ("0", "1", "mix"):
        target = tmp_path / "s.npz"
        assert main([str(path), "--npz", str(target), "--channel", channel]) == 0
        with np.load(target) as found:
            middle = found["S"][:, 8]
            peaks.append(found["frequencies"][middle > 0.6 * middle.max()].tolist())
    assert peaks[0] == [1000]
    assert peaks[1] == [2000]
    assert peaks[2] == [1000, 2000]


def test_the_threshold_of_notes(asked, tune, no_picture):
    table = str(tune.with_name("notes.csv"))
    assert main([str(tune), "--notes", table, "--threshold", "0.5", "-q"]) == 0
    assert asked[1][2] == 0.5


# --- how a picture looks --------------------------------------------------------------------------


def test_panels_by_channel(tmp_path, no_picture, capsys):
    """Each has the levels of its channel; the bar counts the frames of both."""
    left, right = tone(1000), 0.5 * tone(2000)
    path = write_wav(tmp_path / "two.wav", [left, right])
    assert main([str(path), "--channel", "all"]) == 0
    (((panels, *_), named),) = no_picture
    assert named["names"] == ["channel 0", "channel 1"]
    for levels, y in zip(panels, (left, right), strict=True):
        expected = amplitudes(y).max()
        np.testing.assert_allclose(levels.values().max(), expected, rtol=1e-4)
    figure = draw(panels, Times(0, 512 / 8000, 0, 1), Caption("two"), names=named["names"])
    assert len(figure.axes) == 3  # and the scale of colours
    assert [axes.texts[-1].get_text() for axes in figure.axes[1:2]] == ["channel 1"]
    images = [axes.images[0].get_array() for axes in figure.axes[:2]]
    assert images[0].max() == 0
    assert images[1].max() == pytest.approx(-6.02, abs=0.01)  # beside the greatest of both
    assert [axes.get_xlabel() for axes in figure.axes[:2]] == ["", "Time (s)"]
    assert figure.get_size_inches().tolist() == [10, 7.4]


def test_phases(tmp_path, no_picture):
    """Those of the transform, in the cells of the greatest amplitudes."""
    y = tone(1000, samples=4000)
    path = write_wav(tmp_path / "tone.wav", y)
    arguments = ["--phase", "--n-fft=256", "--hop=64", "--npz", str(tmp_path / "x.npz")]
    assert main([str(path), *arguments, "-o", str(tmp_path / "x.png")]) == 0
    ((((levels,), *_, look), _),) = no_picture
    assert look.phase
    spectra = pyclfft.stft(read_audio(path).samples[0], 256, 64)
    row = int(1000 / 4000 * MAX_ROWS)
    np.testing.assert_allclose(levels.values()[row], abs(spectra[32]), rtol=1e-5)
    apart = np.exp(1j * levels.phases()[row]) - spectra[32] / abs(spectra[32])
    assert abs(apart[2:-2]).max() < 1e-4
    with np.load(tmp_path / "x.npz") as found:
        assert_close(found["S"], abs(spectra))
    figure = draw([levels], Times(0, 64 / 8000, 0, 0.5), Caption("phases"), look)
    assert figure.axes[-1].get_ylabel() == "Phase; the darker, the softer"
    assert figure.axes[-1].get_ylim() == pytest.approx((-np.pi, np.pi))
    colours = pixels_of(figure)
    assert (np.ptp(colours, axis=2) > 200).sum() > 1000  # bright colours, not grey


@pytest.mark.one_cpu
def test_the_preset_is_relative_beside_phases(device, tune, no_picture):
    numbers = tune.with_name("x.npz")
    arguments = ["--preset=music-analysis", "--phase", "--npz", str(numbers), "-o"]
    assert main([str(tune), *arguments, str(tune.with_name("x.png"))]) == 0
    with np.load(numbers) as found:
        assert found["S"].max() == 1
        assert len(found["S"]) == 1024


@pytest.mark.parametrize("axis", AXES)
def test_limits_of_frequencies(axis):
    spectra = np.zeros((513, 3), np.float32)
    spectra[[64, 300]] = [[1.0], [2.0]]  # 500 and 2344 Hz
    levels = Levels(AXES[axis], 8000, 1024, 513, 3, (250.0, 1000.0))
    levels.add(spectra)
    assert (levels.low, levels.high) == (250, 1000)
    rows = np.flatnonzero(levels.values()[:, 0])
    bottom, place, top = AXES[axis].places(250.0, 500.0, 1000.0)
    assert levels.values().max() == 1
    assert abs(rows.mean() / MAX_ROWS - (place - bottom) / (top - bottom)) < 0.01
    figure = draw(levels, Times(0, 1, 0, 3), Caption("x"))
    assert figure.axes[0].get_ylim() == pytest.approx((bottom, top))


def test_size_title_and_limits(tune):
    path = tune.with_name("x.png")
    arguments = ["--size=6x4", "--dpi=50", "--title=A $tune$", "--fmin=100", "--fmax=2000"]
    assert main([str(tune), "-o", str(path), "-q", *arguments]) == 0
    assert Image.open(path).size == (300, 200)


def test_the_look_reaches_the_picture(tune, no_picture):
    arguments = ["--title=A $tune$", "--fmin=100", "--fmax=2000", "--no-axes", "--db=60"]
    assert main([str(tune), *arguments]) == 0
    ((((levels,), _, caption, look), _),) = no_picture
    assert caption.title == "A $tune$"
    assert (levels.low, levels.high) == (100, 2000)
    assert look == Look(fmin=100, fmax=2000, title="A $tune$", axes=False, db=60)


def test_no_axes_means_levels_from_edge_to_edge(tune):
    path = tune.with_name("x.png")
    assert main([str(tune), "-o", str(path), "-q", "--no-axes", "--size=4x2", "--dpi=100"]) == 0
    picture = np.asarray(Image.open(path).convert("RGB")).astype(int)
    assert picture.shape == (200, 400, 3)
    assert (picture.sum(axis=2) < 700).all()  # no paper
    assert picture[:, 200:380].max() > 200  # notes up to the right side


def test_options_of_pictures_need_one(tune, capsys):
    arguments = ["--csv", str(tune.with_name("x.csv")), "--no-axes", "--size=6x4", "--phase", "-q"]
    assert main([str(tune), *arguments]) == 0
    assert "--size, --no-axes, --phase would show: add -o" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ([], {"tune_spectrogram.png"}),
        (["-o", "other.svg"], {"other.svg"}),
        (["-o", "."], {"tune_spectrogram.png"}),
        (["-o", "sub/"], {"sub/tune_spectrogram.png"}),
        (["-o", "new/"], {"new/tune_spectrogram.png"}),
        (["--format", "svg"], {"tune_spectrogram.svg"}),
        (["--format", "pdf", "-o", "sub"], {"sub/tune_spectrogram.pdf"}),
        (["--npz", "x.npz", "--csv", "x.csv"], {"x.npz", "x.csv"}),
        (["--npz", "x.npz", "-o", "x.png"], {"x.npz", "x.png"}),
        (
            ["--npz", "sub/", "--csv", "sub"],
            {"sub/tune_spectrogram.npz", "sub/tune_spectrogram.csv"},
        ),
    ],
)
def test_where_results_go(arguments, names, tune, monkeypatch, no_picture):
    folder = tune.parent
    (folder / "sub").mkdir()
    monkeypatch.chdir(folder)
    assert main(["tune.wav", *arguments]) == 0
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert files == names | {"tune.wav"}


def test_windows_with_parameters(tune, no_picture):
    path = tune.with_name("s.npz")
    pytest.importorskip("scipy")
    arguments = ["--window=kaiser,8.6", "--npz", str(path)]
    assert main([str(tune), *arguments]) == 0
    expected = pyclfft.spectrogram(read_audio(tune).samples[0], window=("kaiser", 8.6))
    with np.load(path) as found:
        assert_close(found["S"], expected)
        assert str(found["window"]) == "('kaiser', 8.6)"


@pytest.mark.parametrize("axis", [[], ["--log-frequency"], ["--mel"]], ids=str)
def test_very_short_slow_and_silent_sounds(axis, tmp_path, capsys):
    path = write_wav(tmp_path / "short.wav", np.zeros(3), sr=8)
    assert main([str(path), "--quiet", *axis]) == 0
    assert capsys.readouterr().err.splitlines() == [
        f"pyclfft spectrogram: warning: {path}: n_fft = 2048 is more than the 3 samples",
        f"pyclfft spectrogram: warning: {path}: the sound is silent",
    ]


def test_frames_of_one_sample(tune):
    assert main([str(tune), "--n-fft=1", "--duration=0.01", "--hop=1e6"]) == 0


# --- what goes wrong ------------------------------------------------------------------------------

BAD_INPUT = {
    "missing file": (["missing.wav"], "missing.wav: No such file"),
    "a folder": (["sub"], "sub: Is a directory"),
    "not audio": (["no_chunks.wav"], "no_chunks.wav: no audio that can be read"),
    "empty": (["empty.wav"], "empty.wav: the file is empty"),
    "no samples": (["none.wav"], "none.wav: no samples"),
    "no input": ([], "INPUT"),
    "an empty name": ([""], "the name of a file is empty"),
    "this folder": (["."], ".: Is a directory"),
    "all folders": (["/"], "/: Is a directory"),
    "an empty output": (["tune.wav", "--npz", ""], "the name of a file is empty"),
    "two of one name": (["tune.wav", "tune.wav"], "tune_spectrogram.png would be written twice"),
    "two in one file": (["tune.wav", "text.wav", "-o", "empty.wav"], "need a folder"),
    "two on one stream": (["tune.wav", "text.wav", "-o", "-"], "standard output holds one result"),
    "two results there": (["tune.wav", "--csv", "-", "--npz", "-"], "would be written twice"),
    "format said twice": (["tune.wav", "-o", "x.svg", "--format", "pdf"], "leave out --format pdf"),
    "quiet times": (["tune.wav", "--quiet", "--timing"], "not allowed"),
    "no such folder": (["tune.wav", "-o", "no/x.png"], "no/x.png: No such file"),
    "no such folder for numbers": (["tune.wav", "--csv", "no/x.csv"], "no/x.csv: No such file"),
    "no such folder for it": (["tune.wav", "-o", "no/such/"], "no/such: No such file"),
    "unknown suffix": (["tune.wav", "-o", "x.xyz"], "x.xyz: a picture's name ends in .png"),
    "input is output": (["tune.wav", "-o", "tune.wav"], "a picture's name ends in .png"),
    "input is CSV": (["tune.wav", "--csv", "sub/../tune.wav"], "is an input, too"),
    "two for one": (["tune.wav", "--csv", "x.png", "-o", "x.png"], "written twice"),
    "no such colours": (["tune.wav", "--cmap", "mauve"], "no colour map 'mauve': take magma"),
    "no such window": (["tune.wav", "--window", "bay"], "no window 'bay'"),
    "window's parameter": (["tune.wav", "--window", "kaiser,x"], "write a number after each comma"),
    "no such channel": (["tune.wav", "--channel", "1"], "no channel 1: take 0"),
    "channel's name": (["tune.wav", "--channel", "left"], "'left' is no channel"),
    "late start": (["tune.wav", "--start", "5"], "lasts 5.000 s"),
    "negative start": (["tune.wav", "--start=-1"], "no number from 0 on"),
    "no duration": (["tune.wav", "--duration", "0"], "duration is a positive"),
    "negative range": (["tune.wav", "--db=-80"], "no number from 1 on"),
    "no hop": (["tune.wav", "--hop", "0"], "not a positive whole number"),
    "frames": (["tune.wav", "--n-fft", "some"], "not a positive whole number"),
    "threshold alone": (["tune.wav", "--threshold", "0.5"], "belongs to notes: add --notes"),
    "threshold": (["tune.wav", "--notes=x.csv", "--threshold=1.5"], "from 0 to 1"),
    "size": (["tune.wav", "--size", "10"], "no size: write width and height as 10x5"),
    "no size": (["tune.wav", "--size", "0x5"], "no size: write width and height as 10x5"),
    "a huge size": (["tune.wav", "--size", "1000x1000"], "160000 x 160000 pixels is not drawn"),
    "no pixel": (["tune.wav", "--dpi", "0.01"], "0 x 0 pixels is not drawn"),
    "no dots": (["tune.wav", "--dpi", "0"], "no number above 0"),
    "limits": (["tune.wav", "--fmin", "900", "--fmax", "800"], "fmin is below fmax"),
    "above all": (["tune.wav", "--fmin", "6000"], "has frequencies up to 5512.5 Hz"),
    "notes of 0 Hz": (["tune.wav", "--log-frequency", "--fmin", "0"], "no place for 0 Hz"),
    "numbers of all": (["tune.wav", "--channel=all", "--npz=x.npz"], "--npz takes one channel"),
    "two axes": (["tune.wav", "--mel", "--log-frequency"], "not allowed"),
    "preset and frames": (["tune.wav", "--preset=music-analysis", "--n-fft=512"], "--n-fft too"),
    "no such device": (["tune.wav", "--device", "abacus"], "abacus"),
    "algorithm": (["tune.wav", "--n-fft=1000", "--algorithm=radix2"], "power of two"),
    "more than memory": (["tune.wav", "--n-fft=2^45"], ""),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_is_one_clear_line(case, tune, monkeypatch, capsys):
    arguments, expected = BAD_INPUT[case]
    folder = tune.parent
    monkeypatch.chdir(folder)
    (folder / "sub").mkdir()
    (folder / "no_chunks.wav").write_bytes(b"RIFF\x04\0\0\0WAVE")
    (folder / "empty.wav").touch()
    write_wav(folder / "none.wav", np.zeros(0))
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    try:
        status = main(arguments)
    except SystemExit as end:  # of argparse
        status = end.code
    (line,) = capsys.readouterr().err.splitlines()
    assert status == 2
    assert line.startswith("pyclfft spectrogram: error: ")
    assert expected in line
    after = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert after == before


def test_damage_at_the_end_leaves_nothing_half_written(tmp_path, capsys):
    samples = np.zeros(300_000, "<f4")
    samples[-1] = np.nan
    data = samples.tobytes()
    header = struct.pack("<4sIHHIIHH4sI", b"fmt ", 16, 3, 1, 8000, 32000, 4, 32, b"data", len(data))
    path = tmp_path / "nan.wav"
    path.write_bytes(
        b"RIFF" + struct.pack("<I", len(header) + len(data) + 4) + b"WAVE" + header + data
    )
    assert main([str(path), "--npz", str(tmp_path / "x.npz")]) == 2
    assert "NaN or infinite" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [path]
