"""What the lab does with a sound: its spectrogram, parts of it, rooms."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image
from scipy.signal import fftconvolve

import pyclfft
from pyclfft.audio.audio_writing import write_audio
from pyclfft.audio.audiofile import read_audio
from pyclfft.errors import FormatError, PlanError, PyclfftError
from pyclfft.lab import sounds
from pyclfft.lab.sound_tabs import MAX_EDITS, Piece, SoundTab
from pyclfft.lab.sounds import CHOICES, View
from tests.lab_process import SAMPLES

librosa = pytest.importorskip("librosa")
pytestmark = pytest.mark.one_cpu

SR = 8000
TIMES = np.arange(SR * 2) / SR


def sound_of(samples, tmp_path, name="a sound.wav", sr=SR):
    path = tmp_path / "file.wav"
    write_audio(path, np.atleast_2d(samples).astype(np.float32), sr, "16")
    return sounds.open_sound(path.read_bytes(), name)


@pytest.fixture
def two_tones(tmp_path):
    """A second of 500 Hz, then one of 2000 Hz, in two channels."""
    tone = 0.5 * np.sin(2 * np.pi * np.where(TIMES < 1, 500, 2000) * TIMES)
    return sound_of([tone, 0.5 * tone], tmp_path)


@pytest.mark.parametrize("axis", CHOICES["axis"])
def test_levels_are_librosas(device, queue, two_tones, axis):
    view = View(n_fft=1024, axis=axis)
    found = sounds.levels(two_tones, view, queue)
    magnitudes = np.abs(librosa.stft(two_tones.mix, n_fft=1024, hop_length=256))
    expected = librosa.amplitude_to_db(magnitudes, ref=np.max, top_db=view.db)
    assert found.shape == (sounds.ROWS, expected.shape[1])
    edges = view.frequencies(SR)
    assert (np.diff(edges) > 0).all()
    assert edges[-1] == pytest.approx(SR / 2)
    for row in range(0, sounds.ROWS, 37):
        first, last = (round(edge * 1024 / SR) for edge in edges[row : row + 2])
        best = expected[first : max(last, first + 1)].max(axis=0)
        np.testing.assert_allclose(found[row], best, atol=0.01)


def test_the_picture_says_the_levels():
    levels = np.array([[-80.0, -40.0], [0.0, -200.0]])
    grey = np.asarray(Image.open(io.BytesIO(sounds.picture(levels, View(db=80)))))
    np.testing.assert_array_equal(grey, [[255, 0], [0, 128]])


def test_a_long_spectrogram_keeps_its_loudest_columns(device, queue, tmp_path):
    click = np.zeros(256 * 3000)
    click[256 * 1500] = 1
    found = sounds.levels(sound_of(click, tmp_path), View(n_fft=256, overlap=2), queue)
    assert found.shape[1] <= sounds.COLUMNS
    assert found.max() == 0
    assert abs(found.max(axis=0).argmax() / found.shape[1] - 0.5) < 0.01


def test_a_spectrogram_that_is_too_large_is_refused(device, queue, two_tones, monkeypatch):
    monkeypatch.setattr(sounds, "MAX_LEVELS", 1000)
    with pytest.raises(PlanError, match="choose less overlap"):
        sounds.levels(two_tones, View(), queue)


def test_notes_have_their_frequencies(device, queue):
    sound = sounds.open_sound((SAMPLES / "tune.wav").read_bytes(), "tune.wav")
    found = sounds.found_notes(sound, queue)
    heard = pyclfft.notes(read_audio(SAMPLES / "tune.wav", channel="mix").samples[0], sr=11025)
    assert [each["name"] for each in found] == [each.name for each in heard]
    for each in found:
        assert each["hz"] == pytest.approx(librosa.note_to_hz(each["name"]), rel=0.03)


def test_a_rectangle_is_cut_out(device, queue, two_tones):
    sent = {"start": "0.5", "end": "1.5", "low": "300", "high": "800"}
    part = sounds.cut(two_tones, sounds.parse_rectangle(sent), queue)
    assert part.samples.shape == (2, SR)
    tone, rest = part.samples[:, 1000:3500], part.samples[:, 4800:7000]
    np.testing.assert_allclose(tone, two_tones.samples[:, 5000:7500], atol=0.01)
    assert np.abs(rest).max() < 0.01  # the other tone is gone
    assert part.file_name("part") == "a sound_part.wav"


def test_a_short_rectangle_is_cut_out(device, queue, two_tones):
    sent = {"start": "0.5", "end": "0.51", "low": "0", "high": "4000"}
    part = sounds.cut(two_tones, sounds.parse_rectangle(sent), queue)
    np.testing.assert_allclose(part.samples, two_tones.samples[:, 4000:4080], atol=1e-4)
    with pytest.raises(PlanError, match="draw a longer one"):
        sounds.cut(two_tones, sounds.Rectangle(5, 6, 0, 100), queue)


@pytest.mark.parametrize(
    "changes", [{"end": "0"}, {"start": "-1"}, {"low": "x"}, {"high": "nan"}, {"end": "inf"}]
)
def test_what_is_no_rectangle_is_refused(changes):
    right = {"start": "0.5", "end": "1.5", "low": "300", "high": "800"}
    with pytest.raises(PlanError, match="draw a rectangle"):
        sounds.parse_rectangle({**right, **changes})
    with pytest.raises(PlanError, match="draw a rectangle"):
        sounds.parse_rectangle({})


def test_a_room_answers(device, queue, two_tones, tmp_path):
    taps = np.exp(-np.arange(2000) / 300) * np.random.default_rng(1).normal(size=2000) * 0.1
    room = sound_of(taps, tmp_path, "hall.wav")
    wet = sounds.in_room(two_tones, room, queue)
    taps = room.samples[0].astype(float)
    for dry, found in zip(two_tones.samples, wet.samples, strict=True):
        expected = fftconvolve(dry.astype(float), taps) / np.sqrt((taps**2).sum())
        np.testing.assert_allclose(found, expected, atol=1e-4)
    assert wet.words.endswith("in hall.wav")


def test_a_room_that_makes_the_sound_too_long_is_refused(device, queue, two_tones, monkeypatch):
    monkeypatch.setattr(sounds, "MAX_SAMPLES", two_tones.samples.size + 10)
    with pytest.raises(PlanError, match="open a shorter part"):
        sounds.in_room(two_tones, two_tones, queue)


def test_a_sound_is_saved_as_it_came(two_tones, tmp_path):
    (tmp_path / "again.wav").write_bytes(sounds.wav(two_tones))
    again = read_audio(tmp_path / "again.wav")
    np.testing.assert_array_equal(again.samples, two_tones.samples)
    assert again.info.kind == "16-bit WAV"


@pytest.mark.parametrize(
    ("data", "words"), [(b"", "empty"), (b"hello", "a.wav: "), (b"RIFF", "a.wav: ")]
)
def test_what_is_no_sound_is_refused(data, words):
    with pytest.raises(FormatError, match=words) as caught:
        sounds.open_sound(data, "../a.wav")
    assert "/tmp" not in str(caught.value)


def test_a_sound_of_too_many_samples_is_refused(two_tones, monkeypatch):
    monkeypatch.setattr(sounds, "MAX_SAMPLES", two_tones.samples.size - 1)
    with pytest.raises(FormatError, match="open a shorter part"):
        sounds.open_sound(sounds.wav(two_tones), "a.wav")


@pytest.mark.parametrize(
    ("name", "value"), [("n_fft", 3), ("n_fft", "2048"), ("axis", "x"), ("db", None), ("x", 1)]
)
def test_a_control_that_is_none_is_refused(name, value):
    with pytest.raises(PyclfftError):
        View().changed(name, value)


def test_regions_are_erased_and_made_louder(device, queue, two_tones):
    """Each tone by itself: the other one, and what lies before and behind, stays as it was."""
    sent = {"start": "0.2", "end": "0.8", "low": "300", "high": "800", "gain": "-inf"}
    louder = {"start": "1.2", "end": "1.8", "low": "1500", "high": "2500", "gain": "-6.0206"}
    regions = (sounds.parse_region(sent), sounds.parse_region(louder))
    found = sounds.edited(two_tones, regions, queue)
    before = two_tones.samples
    assert np.abs(found.samples[:, 3000:5000]).max() < 0.01
    np.testing.assert_allclose(found.samples[:, 11000:13000], before[:, 11000:13000] / 2, atol=0.01)
    np.testing.assert_allclose(found.samples[:, :400], before[:, :400], atol=1e-5)
    assert found.words.endswith("edited 2 times")


@pytest.mark.parametrize("gain", [None, "x", "nan", "61", "inf"])
def test_a_gain_that_is_none_is_refused(gain):
    sent = {"start": "0", "end": "1", "low": "0", "high": "1"}
    with pytest.raises(PlanError, match="decibels up to 60"):
        sounds.parse_region(sent if gain is None else {**sent, "gain": gain})


def test_what_is_done_to_a_sound_is_undone(device, queue, two_tones, tmp_path):
    room = sound_of([0.5, 0.25], tmp_path, "hall.wav")
    region = sounds.Region(0.2, 0.8, 300, 800)
    piece = Piece(two_tones).with_edit(region).with_edit(region).in_room(room)
    assert piece.sound(queue).words.endswith("16-bit WAV, edited 2 times, in hall.wav")
    piece = piece.undone().in_room(None)
    assert piece.sound(queue).words.endswith("16-bit WAV, edited 1 time")
    assert piece.undone().sound(queue) is two_tones
    for _ in range(MAX_EDITS - 1):
        piece = piece.with_edit(region)
    with pytest.raises(PlanError, match="undo some"):
        piece.with_edit(region)


def test_each_change_of_a_tab_counts(two_tones):
    tab, opened = SoundTab(), []
    with pytest.raises(PlanError, match="open one first"):
        tab.require_piece()
    tab.on_open = lambda is_new: opened.append((tab.version, is_new))
    piece = Piece(two_tones)
    tab.show(piece, two_tones)
    tab.show(piece.undone(), two_tones)
    tab.set("db", 60)
    tab.use("")
    assert (opened, tab.version, tab.view.db) == ([(1, True), (2, False)], 4, 60)
