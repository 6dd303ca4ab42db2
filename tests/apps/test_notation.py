"""Onsets, chroma and notes of synthesised music, whose notes are known."""

from __future__ import annotations

import runpy
import sys
import time
import wave
from pathlib import Path

import numpy as np
import pyopencl.array as cl_array
import pytest

import pyclfft
from pyclfft.apps.notation import Note, chroma, notes, onsets
from pyclfft.errors import PlanError

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
SR = 22050


@pytest.fixture(scope="module")
def synth():
    """samples/synth.py as a module, for this file alone."""
    before = sys.modules.get("synth")
    sys.path.insert(0, str(SAMPLES))
    try:
        import synth
    finally:
        sys.path.remove(str(SAMPLES))
    yield synth
    sys.modules.pop("synth", None)
    if before:
        sys.modules["synth"] = before


@pytest.fixture(scope="module")
def music(synth):
    """A cadence of triads for a piano, and what is played."""
    tones = synth.chords(60)
    return synth.render(tones, synth.TIMBRES["piano"], SR, noise=0.002), tones


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


# --- notes ----------------------------------------------------------------------------------------


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
    assert len(notes(y, SR, threshold=1)) == 1
    assert max(keys(notes(y, SR, fmin=200, fmax=270))) == 60
    assert notes(y, SR, min_duration=5) == []


@pytest.mark.one_cpu
def test_silence_and_noise_have_no_notes(device):
    assert notes(np.zeros(SR), SR) == []
    rng = np.random.default_rng(1)
    assert notes(np.full(SR, 1e-38, np.float32), SR) == []
    for level in (1e-6, 1.0):
        assert notes(level * rng.standard_normal(2 * SR), SR) == []


def test_device_arrays(device, queue, music):
    y, tones = music
    on_device = cl_array.to_device(queue, y)
    pairs(notes(on_device, SR), tones)
    assert np.array_equal(onsets(on_device, SR), onsets(y, SR))
    np.testing.assert_allclose(chroma(on_device, SR), chroma(y, SR), atol=1e-5)
    S = pyclfft.spectrogram(on_device, n_fft=2048, hop_length=512)  # noqa: N806
    assert np.array_equal(onsets(S=S, sr=SR), onsets(y, SR))


# --- onsets ---------------------------------------------------------------------------------------


@pytest.mark.one_cpu
@pytest.mark.parametrize("sr", [22050, 44100])
def test_onsets_of_a_melody(device, synth, sr):
    tones = synth.melody(7)
    for timbre in ("piano", "plucked"):
        y = synth.render(tones, synth.TIMBRES[timbre], sr, noise=0.002)
        found = onsets(y, sr, units="time")
        assert len(found) == len(tones)
        assert np.abs(found - [tone.onset for tone in tones]).max() <= 0.04


@pytest.mark.one_cpu
def test_vibrato_is_no_onset(device, synth):
    """Half a semitone up and down: the maximum filter keeps it from being an onset."""
    timbre = synth.Timbre(partials=10, sustain=1.0, vibrato=0.5, attack=0.02)
    y = synth.render([synth.Tone(0.3, 2.5, 64)], timbre, SR)
    (first,) = onsets(y, SR, units="time")
    assert first == pytest.approx(0.3, abs=0.05)


@pytest.mark.one_cpu
def test_units_and_spectrograms_agree(device, music):
    y, _ = music
    seconds = onsets(y, SR, units="time")
    samples = onsets(y, SR, units="samples")
    frames = onsets(y, SR)
    np.testing.assert_allclose(samples / SR, seconds, atol=1 / SR)
    assert np.abs(frames * 512 - samples).max() <= 256
    assert frames.dtype.kind == samples.dtype.kind == "i"
    S = pyclfft.spectrogram(y, n_fft=2048, hop_length=512)  # noqa: N806
    assert np.array_equal(onsets(S, SR), frames)
    np.testing.assert_allclose(onsets(S=100 * S, sr=SR, units="time"), seconds, atol=1e-4)


@pytest.mark.one_cpu
def test_backtrack_delta_and_wait(device, music):
    y, tones = music
    starts = sorted({tone.onset for tone in tones})
    back, plain = onsets(y, SR, backtrack=True, units="time"), onsets(y, SR, units="time")
    assert (back <= plain).all()
    assert (np.abs(back - starts) < 0.1).all()
    assert len(onsets(y, SR, delta=10)) == 0
    assert len(onsets(y, SR, wait=1.0)) == (len(starts) + 1) // 2


@pytest.mark.one_cpu
def test_a_hit_in_the_first_sample_is_an_onset_but_noise_is_not(device):
    rng = np.random.default_rng(3)
    hits = rng.standard_normal(SR) * np.exp(-np.arange(SR) / 2000)
    found = onsets(np.concatenate([hits, hits]), SR, units="time")
    np.testing.assert_allclose(found, [0, 1], atol=0.03)
    assert len(onsets(rng.standard_normal(3 * SR), SR)) == 0
    assert len(onsets(np.zeros(SR), SR)) == 0


# --- chroma ---------------------------------------------------------------------------------------


@pytest.mark.one_cpu
def test_chroma_of_chords(device, music):
    y, tones = music
    classes = chroma(y, SR)
    assert classes.shape == (12, 1 + len(y) // 512)
    assert classes.max(axis=0)[10:100] == pytest.approx(1)
    for onset in {tone.onset for tone in tones}:
        wanted = {tone.midi % 12 for tone in tones if tone.onset == onset}
        middle = int((onset + 0.3) * SR / 512)
        assert set(np.argsort(classes[:, middle])[-3:].tolist()) == wanted


@pytest.mark.full
@pytest.mark.one_cpu
def test_chroma_is_librosas(device, music):
    librosa = pytest.importorskip("librosa")
    y, _ = music
    ours = chroma(y, SR, norm=2)
    theirs = librosa.feature.chroma_stft(y=y, sr=SR, n_fft=4096, hop_length=512, norm=2)
    loud = slice(10, 160)
    assert (ours * theirs).sum(axis=0)[loud].min() > 0.9


@pytest.mark.one_cpu
def test_chroma_options(device, synth, music):
    y, _ = music
    np.testing.assert_allclose(chroma(y, SR, norm=1).sum(axis=0)[10:100], 1, rtol=1e-5)
    raw = chroma(y, SR, norm=None)
    np.testing.assert_allclose(chroma(2 * y, SR, norm=None), 4 * raw, rtol=1e-4)
    S = pyclfft.spectrogram(y, n_fft=4096, hop_length=512)  # noqa: N806
    np.testing.assert_allclose(chroma(S, SR), chroma(y, SR), atol=1e-5)
    assert not chroma(np.zeros(SR), SR).any()

    sharp = synth.render([synth.Tone(0.0, 1.0, 60.4)], sr=SR)
    found, told = chroma(sharp, SR), chroma(sharp, SR, tuning=0.4)
    np.testing.assert_allclose(found[:, 10:30], told[:, 10:30], atol=0.05)
    wrong = chroma(sharp, SR, tuning=0.0)
    assert wrong[1, 20] > 2 * told[1, 20]  # C sharp


# --- input ----------------------------------------------------------------------------------------

NOISE = np.random.default_rng(0).standard_normal(4096)
BAD = {
    "nothing": (lambda: onsets(), "give either"),
    "both": (lambda: chroma(NOISE, S=np.ones((65, 9))), "give either"),
    "NaN": (lambda: notes(np.where(NOISE > 3, np.nan, NOISE)), "NaN"),
    "infinity": (lambda: onsets(np.where(NOISE > 3, np.inf, NOISE)), "holds NaN, infinity"),
    "NaN in S": (lambda: chroma(S=np.full((65, 9), np.nan)), "NaN"),
    "stereo": (lambda: onsets(np.zeros((2, 99999))), "mix them"),
    "stereo of soundfile": (lambda: onsets(np.zeros((99999, 2))), "mix them"),
    "notes of S": (lambda: notes(np.ones((65, 9))), "signal of shape"),
    "three dimensions": (lambda: onsets(np.ones((2, 3, 4))), "mix its channels"),
    "no samples": (lambda: notes(np.zeros(0)), "no samples"),
    "complex": (lambda: onsets(NOISE * 1j), "real numbers"),
    "complex S": (lambda: onsets(S=np.ones((65, 9)) * 1j), r"abs\(S\)"),
    "decibels": (lambda: onsets(S=-np.ones((65, 9))), "not decibels"),
    "sr": (lambda: onsets(NOISE, 0), "sr must be"),
    "sr of text": (lambda: notes(NOISE, "fast"), "sr must be"),
    "hop": (lambda: onsets(NOISE, hop_length=0), "hop_length"),
    "n_fft of notes": (lambda: notes(NOISE, n_fft=0.5), "n_fft"),
    "n_fft": (lambda: chroma(NOISE, n_fft=-1), "n_fft"),
    "short frames": (lambda: onsets(NOISE, n_fft=2), "choose a larger"),
    "units": (lambda: onsets(NOISE, units="hours"), "units"),
    "delta": (lambda: onsets(NOISE, delta=float("nan")), "delta"),
    "norm": (lambda: chroma(NOISE, norm=-1), "norm"),
    "range": (lambda: notes(NOISE, fmin=500, fmax=100), "fmax"),
    "beyond Nyquist": (lambda: notes(NOISE, 4000), "smaller fmax"),
    "threshold": (lambda: notes(NOISE, threshold=2), "up to 1"),
    "polyphony": (lambda: notes(NOISE, polyphony=0), "polyphony"),
}


@pytest.mark.one_cpu
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_clear_error(device, case):
    call, remedy = BAD[case]
    with pytest.raises(PlanError, match=remedy) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.mark.one_cpu
@pytest.mark.filterwarnings("error")
def test_very_short_signals(device):
    for length in (1, 100, 2000, 5000):
        y = np.sin(0.1 * np.arange(length))
        assert chroma(y).shape[0] == 12
        assert len(onsets(y)) <= 1
        assert len(notes(y)) <= 1


# --- samples --------------------------------------------------------------------------------------


def test_synth_writes_what_it_says(tmp_path, capsys):
    path = tmp_path / "scale.wav"
    main = runpy.run_path(str(SAMPLES / "synth.py"))["main"]
    main(["scale", str(path), "--root", "57", "--sr", "16000", "--noise", "0.01"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 9
    assert lines[1].split() == ["0.10", "0.36", "57"]
    with wave.open(str(path)) as file:
        assert file.getframerate() == 16000
        assert file.getnframes() / 16000 == pytest.approx(0.1 + 7.9 * 0.4 + 0.55, abs=0.05)


def test_synth_is_the_same_for_a_seed(synth):
    tones = synth.scale()
    first, again = (synth.render(tones, noise=0.1, seed=5) for _ in range(2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, synth.render(tones, noise=0.1, seed=6))


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


@pytest.mark.full
@pytest.mark.one_cpu
def test_three_minutes_take_little(device, synth):
    y = np.tile(synth.render(synth.progression(1, 40), sr=SR), 7)[: 180 * SR]
    for call, seconds in ((onsets, 2), (chroma, 2), (notes, 6)):
        call(y[: 5 * SR], SR)
        start = time.perf_counter()
        call(y, SR)
        assert time.perf_counter() - start < seconds


@pytest.mark.one_cpu
@pytest.mark.parametrize("name", ["loop_amen", "loop_compus", "loop_tabla"])
def test_onsets_of_recorded_drums_are_librosas(device, name):
    librosa, soundfile = (pytest.importorskip(each) for each in ("librosa", "soundfile"))
    path = Path("/usr/share/sonic-pi/samples") / f"{name}.flac"
    if not path.exists():
        pytest.skip("no recordings: apt install sonic-pi-samples")
    samples, sr = soundfile.read(path, dtype="float32")
    y = samples.mean(axis=1) if samples.ndim == 2 else samples
    ours, theirs = onsets(y, sr, units="time"), librosa.onset.onset_detect(y=y, sr=sr, units="time")
    assert len(ours) == pytest.approx(len(theirs), abs=1)
    near = np.abs(ours[:, None] - theirs).min(axis=1) <= 0.05
    assert near.mean() > 0.95
