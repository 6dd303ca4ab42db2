"""Chroma of synthesised music."""

from __future__ import annotations

import numpy as np
import pyopencl.array as cl_array
import pytest

import pyclfft
from pyclfft.audio.chroma import chroma

SR = 22050


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
    S = pyclfft.spectrogram(y, n_fft=4096, hop_length=512)
    np.testing.assert_allclose(chroma(S, SR), chroma(y, SR), atol=1e-5)
    assert not chroma(np.zeros(SR), SR).any()

    sharp = synth.render([synth.Tone(0.0, 1.0, 60.4)], sr=SR)
    found, told = chroma(sharp, SR), chroma(sharp, SR, tuning=0.4)
    np.testing.assert_allclose(found[:, 10:30], told[:, 10:30], atol=0.05)
    wrong = chroma(sharp, SR, tuning=0.0)
    assert wrong[1, 20] > 2 * told[1, 20]  # C sharp


def test_device_arrays(device, queue, music):
    y, _ = music
    on_device = cl_array.to_device(queue, y)
    np.testing.assert_allclose(chroma(on_device, SR), chroma(y, SR), atol=1e-5)
