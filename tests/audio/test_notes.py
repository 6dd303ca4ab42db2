"""Notes of synthesised music."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import numpy as np
import pyopencl.array as cl_array
import pytest

from pyclfft.audio.audiofile import read_audio
from pyclfft.audio.notes import Note, notes
from pyclfft.errors import PlanError

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
SPEECH = sorted(Path("/usr/share/sounds/alsa").glob("Front_*.wav"))
SR = 22050


def keys(found):
    return [note.midi for note in found]


def pairs(found, tones, tolerance=0.05):
    """Pair each note with its tone: all have to be right, and none is missing."""
    assert sorted(keys(found)) == sorted(tone.midi for tone in tones)
    wanted = sorted(tones, key=lambda tone: (tone.onset, tone.midi))
    heard = sorted(found, key=lambda note: (round(note.onset / 0.1), note.midi))
    matched = list(zip(heard, wanted, strict=True))
    for note, tone in matched:
        assert note.midi == tone.midi
        assert abs(note.onset - tone.onset) <= tolerance
    return matched


@pytest.mark.one_cpu
@pytest.mark.parametrize("timbre", ["organ", "piano", "plucked", "reed", "bright"])
@pytest.mark.parametrize("root", [36, 48, 72])
def test_scale(device, synth, timbre, root):
    """No octave is mistaken, with strong and with missing overtones, low and high."""
    tones = synth.scale(root, beat=0.3)
    y = synth.render(tones, synth.TIMBRES[timbre], SR)
    for note, tone in pairs(notes(y, SR), tones):
        assert abs(note.cents) < 5
        assert 0.02 < note.strength <= 1
        assert 0.7 * tone.duration < note.duration < 1.5 * tone.duration


@pytest.mark.one_cpu
@pytest.mark.parametrize("root", [36, 48])
def test_strong_overtones_are_no_notes(device, synth, root):
    """Of 60 partials as strong as the fundamental."""
    tones = synth.scale(root, beat=0.3)
    y = synth.render(tones, synth.Timbre(60, 0.0, decay=0.8, sustain=1.0), SR)
    for note, _ in pairs(notes(y, SR), tones):
        assert abs(note.cents) < 5


def test_triads_on_every_device(device, music):
    y, tones = music
    found = notes(y, SR)
    assert all(isinstance(note, Note) for note in found)
    for note, _ in pairs(found, tones):
        assert abs(note.cents) < 10
    assert [note.name for note in found[:3]] == ["C4", "E4", "G4"]
    assert found == sorted(found, key=lambda note: (note.onset, note.midi))


@pytest.mark.one_cpu
def test_strength_and_duration(device, synth):
    """Half as loud is half as strong; a held note lasts while others come and go."""
    organ, shift = synth.TIMBRES["organ"], int(1.0 * SR)
    long = synth.render([synth.Tone(0.2, 1.6, 60)], organ, SR)
    short = synth.render([synth.Tone(0.2, 0.5, 67)], organ, SR)
    long[shift : shift + len(short)] += 0.5 * short[: len(long) - shift]
    first, second = notes(long, SR)
    assert (first.midi, second.midi) == (60, 67)
    assert first.duration == pytest.approx(1.6, abs=0.15)
    assert second.onset == pytest.approx(1.2, abs=0.05)
    assert second.duration == pytest.approx(0.5, abs=0.15)
    assert first.strength == 1
    assert 0.3 < second.strength < 0.7


@pytest.mark.one_cpu
@pytest.mark.parametrize("apart", [-30, 20, 45])
def test_cents(device, synth, apart):
    y = synth.render([synth.Tone(0.2, 0.6, 57 + apart / 100)], sr=SR)
    (note,) = notes(y, SR)
    assert note.midi == 57
    assert note.cents == pytest.approx(apart, abs=3)


@pytest.mark.one_cpu
def test_a_key_that_is_struck_again_is_another_note(device, synth):
    tones = synth.scale(55, [0, 0, 0, 0], beat=0.4)
    pairs(notes(synth.render(tones, synth.TIMBRES["piano"], SR), SR), tones)


@pytest.mark.one_cpu
def test_other_rates_and_integers(device, synth):
    tones = synth.chords(55, synth.CADENCE[:2])
    y = synth.render(tones, sr=44100)
    pairs(notes(y, 44100), tones)
    pairs(notes((y * 32767).astype(np.int16), 44100), tones)
    pairs(notes(y, 44100, n_fft=8192, hop_length=1024), tones)


@pytest.mark.one_cpu
def test_polyphony_and_range_bound_what_is_found(device, synth):
    tones = synth.chords(60, [(0, synth.MAJOR)])
    y = synth.render(tones, sr=SR)
    assert keys(notes(y, SR)) == [60, 64, 67]
    assert len(notes(y, SR, polyphony=1, fmax=11000)) == 1
    assert len(notes(y, SR, polyphony=2)) == 2
    assert len(notes(y, SR, salience=1)) == 1
    assert max(keys(notes(y, SR, fmin=200, fmax=270))) == 60
    assert notes(y, SR, min_duration=5) == []


@pytest.mark.one_cpu
def test_silence_and_noise_have_no_notes(device):
    assert notes(np.zeros(SR), SR) == []
    rng = np.random.default_rng(1)
    assert notes(np.full(SR, 1e-38, np.float32), SR) == []
    for level in (1e-6, 1.0):
        assert notes(level * rng.standard_normal(2 * SR), SR) == []


@pytest.fixture
def make_noises():
    return runpy.run_path(str(SAMPLES / "make_noises.py"))


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", ["white_noise", "drums", "chirps"])
def test_what_is_no_note_has_none(device, make_noises, name):
    """By default; each has some without a threshold, but for noise."""
    doubtful = []
    for seed in range(10):
        y = make_noises["SOUNDS"][name](seed)
        assert notes(y, make_noises["RATE"]) == []
        doubtful += notes(y, make_noises["RATE"], threshold=0)
    assert bool(doubtful) == (name != "white_noise")
    assert all(note.confidence < 0.24 for note in doubtful)


@pytest.mark.one_cpu
@pytest.mark.skipif(not SPEECH, reason="alsa-utils, whose files are speech, is not installed")
def test_speech_has_hardly_a_note(device):
    for path in SPEECH:
        sound = read_audio(path, channel="mix")
        assert len(notes(sound.samples[0], sound.sr)) <= 1, path
        assert len(notes(sound.samples[0], sound.sr, threshold=0)) > 1, path


@pytest.mark.one_cpu
def test_confidence(device, synth, music):
    """A threshold leaves out what is below it, and nothing else; music is far above it."""
    y, _ = music
    found = notes(y, SR)
    assert all(0.4 < note.confidence <= 1 for note in found)
    assert notes(y, SR, threshold=0) == found
    middle = float(np.median([note.confidence for note in found]))
    assert notes(y, SR, threshold=middle) == [n for n in found if n.confidence >= middle]
    (sine,) = notes(np.sin(2 * np.pi * 440 * np.arange(SR) / SR), SR)
    assert sine.confidence > 0.4
    bowed = synth.render([synth.Tone(0.2, 0.6, 60)], synth.TIMBRES["bowed"], SR)
    organ = synth.render([synth.Tone(0.2, 0.6, 60)], synth.TIMBRES["organ"], SR)
    assert 0.3 < notes(bowed, SR)[0].confidence < notes(organ, SR)[0].confidence


@pytest.mark.parametrize("threshold", [-0.1, 1.5, "high"])
def test_a_threshold_is_a_confidence(threshold):
    with pytest.raises(PlanError, match="threshold"):
        notes(np.zeros(SR), SR, threshold=threshold)


def test_device_arrays(device, queue, music):
    y, tones = music
    pairs(notes(cl_array.to_device(queue, y), SR), tones)


@pytest.mark.full
@pytest.mark.one_cpu
def test_precision_and_recall(device, synth):
    """Of random pieces: no worse than the how-to says, but for a margin."""
    sys.path.insert(0, str(SAMPLES))
    try:
        import score_notes
    finally:
        sys.path.remove(str(SAMPLES))
    sums = {}
    for task, _, score in score_notes.synthesised(range(2000, 2001), SR, None):
        sums.setdefault(task, score_notes.Score()).add(score)
    for task, least in {
        "notes, melody": 0.85,
        "notes, chords": 0.9,
        "onsets, melody": 0.85,
    }.items():
        score = sums[task]
        assert score.right >= least * max(score.found, score.true), (task, str(score))


def test_what_is_no_signal_is_named():
    stereo = np.zeros((2, 22050))
    for channels, axis in ((stereo, 0), (stereo.T.repeat(2, axis=0), 1)):
        with pytest.raises(PlanError, match=rf"several channels: mix them.*y.mean\(axis={axis}\)"):
            notes(channels)
    with pytest.raises(PlanError, match=r"signal of shape \(samples,\), not in an array of shape"):
        notes(np.zeros((1025, 40)))
    with pytest.raises(PlanError, match="not in None"):
        notes(None)
