"""Onsets of synthesised music, and of recorded drums."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyopencl.array as cl_array
import pytest

import pyclfft
from pyclfft.audio.onsets import onsets

SR = 22050


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
    S = pyclfft.spectrogram(y, n_fft=2048, hop_length=512)
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


def test_device_arrays(device, queue, music):
    y, _ = music
    on_device = cl_array.to_device(queue, y)
    assert np.array_equal(onsets(on_device, SR), onsets(y, SR))
    S = pyclfft.spectrogram(on_device, n_fft=2048, hop_length=512)
    assert np.array_equal(onsets(S=S, sr=SR), onsets(y, SR))


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
