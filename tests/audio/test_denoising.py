"""denoise: how much better noisy music becomes, and that hum goes and music stays."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pyopencl.array as cl_array
import pytest

import pyclfft
from pyclfft.audio import sound_blocks
from pyclfft.audio.denoising import denoise
from pyclfft.audio.hum import Frames, part_begins, steady_harmonics
from pyclfft.audio.noise_levels import ENTRIES, SHIFT, level_of
from pyclfft.errors import PlanError
from tests.oracle import noise

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
SR = 22050


def decibels(power):
    return 10 * np.log10(power)


def ratio(clean, result):
    """The signal-to-noise ratio in decibels."""
    return decibels(np.square(clean).sum() / np.square(result - clean).sum())


def noisy(clean, ratio=10.0, seed=0):
    added = np.random.default_rng(seed).standard_normal(clean.shape)
    added *= np.sqrt(np.square(clean).mean() / np.square(added).mean() / 10 ** (ratio / 10))
    return clean + added


def tune():
    make = runpy.run_path(str(SAMPLES / "make_sound.py"))
    return make["sound"]() / 2.0**15, make["RATE"]


@pytest.fixture
def pieces(synth):
    """Music by the synth and by make_sound.py: name -> (samples, sample rate)."""
    piano = {
        name: (synth.render(make(), sr=SR).astype(float), SR) for name, make in synth.PIECES.items()
    }
    return {**piano, "tune": tune()}


# --- noise ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.one_cpu)])
def test_music_under_noise_becomes_better(device, pieces, seed):
    for name, (clean, sr) in pieces.items():
        y = noisy(clean, seed=seed).astype("f4")
        result = denoise(y, sr=sr)
        assert result.dtype == np.float32
        assert ratio(clean, result) - ratio(clean, y) > 8, name  # 6 are wanted


@pytest.mark.one_cpu
def test_all_timbres(device, synth):
    """Chords with vibrato are the hardest: gains that know the clean powers reach 6.7 dB there."""
    for name, timbre in synth.TIMBRES.items():
        for piece, make in synth.PIECES.items():
            clean = synth.render(make(), timbre, SR).astype(float)
            y = noisy(clean)
            least = 5 if (name, piece) == ("bowed", "chords") else 6.5
            assert ratio(clean, denoise(y, sr=SR)) - ratio(clean, y) > least, (name, piece)


@pytest.mark.one_cpu
def test_noise_that_is_left_does_not_twinkle(device):
    """Single bins that stay loud would sound like bells: the powers would have a longer tail.

    Powers of noise have a fourth moment, beside their mean's square, of 2; musical noise has more.
    """
    y = np.random.default_rng(4).standard_normal(10 * SR)
    left = denoise(y, sr=SR)[4096:-4096]
    frames = np.lib.stride_tricks.sliding_window_view(left, 2048)[::512] * np.hanning(2048)
    power = np.abs(np.fft.rfft(frames, axis=1)[:, 1:-1]) ** 2
    assert np.square(power).mean() / power.mean() ** 2 < 3


# --- blocks ---------------------------------------------------------------------------------------


@pytest.mark.one_cpu
@pytest.mark.parametrize(
    "options", [{}, {"hum": 50}, {"hum": 50, "reduction": 0}, {"noise": "beside"}]
)
def test_blocks_do_not_show(device, queue, monkeypatch, options):
    """Of the host and of the device; hum and its phase go on over blocks."""
    rng = np.random.default_rng(2)
    t = np.arange(5 * 4000 + 123) / 4000
    tone = np.sin(2 * np.pi * 443 * t) * (t % 1 < 0.6)
    y = np.stack([tone, 0.5 * tone, tone]) + 0.1 * rng.standard_normal((3, len(t)))
    y = (y + hum_of(len(t), 4000, 50.02)).astype("f4")
    if options == {"noise": "beside"}:
        options = {"noise": 0.1 * rng.standard_normal((3, 9000)).astype("f4")}
    whole = denoise(y, sr=4000, **options)
    assert np.abs(whole - y).max() > 0.05
    there = cl_array.to_device(queue, y)
    for nbytes in (140_000, 2**14):  # two signals at once, and then one, in blocks of few frames
        monkeypatch.setattr(sound_blocks, "BLOCK_BYTES", nbytes)
        for result in (denoise(y, sr=4000, **options), denoise(there, sr=4000, **options).get()):
            assert np.abs(result - whole).max() < 3e-5


@pytest.mark.parametrize("options", [{}, {"hum": 50}, {"noise": noise((5, 9000), "f4")}])
def test_the_limit_of_memory(device, buffers, options):
    """All buffers together heed it, however long the sound is, and however many channels it has.

    The histograms of one channel alone would be twice as large as the limit.
    """
    y = noise((5, 60_000), "f4")
    with pyclfft.limit_device_memory(2**20):
        result = denoise(y, sr=8000, **options)
    assert buffers.most <= 2**20
    whole = denoise(y, sr=8000, **options)
    assert buffers.most > 2**23
    assert np.abs(result - whole).max() < 3e-5


# --- levels ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [1, 0.5, 0.25])
def test_the_level_of_noise_under_music(share):
    """However few of the powers are those of noise, where the others are far above."""
    rng = np.random.default_rng(1)
    power = 5.0 * rng.exponential(size=(1000, 60))
    power = np.where(rng.random(power.shape) < share, power, 1e4 * (1 + rng.random(power.shape)))
    entries = power.astype("f4").view(np.uint32) >> SHIFT
    histogram = np.stack([np.bincount(each, minlength=ENTRIES) for each in entries.T], axis=1)
    assert np.abs(level_of(histogram) / 5 - 1).max() < 0.15
    silent = histogram.copy()
    silent[0] += 1000  # digital silence is no noise
    np.testing.assert_array_equal(level_of(silent), level_of(histogram))
    assert (level_of(np.zeros((ENTRIES, 3), int)) == 0).all()


@pytest.mark.one_cpu
def test_noise_that_is_given(device, queue, pieces):
    """Also noise with a colour of its own, which no smooth level would describe."""
    clean, sr = pieces["chords"]
    rng = np.random.default_rng(3)
    t = np.arange(len(clean)) / sr
    hiss = 0.02 * rng.standard_normal(len(clean) + sr)
    whistle = 0.05 * np.sin(2 * np.pi * 5003 * np.arange(len(hiss)) / sr)
    added = hiss + whistle
    y = clean + added[: len(t)]
    result = denoise(y, sr=sr, noise=added[len(t) :], reduction=30)
    assert ratio(clean, result) - ratio(clean, y) > 10
    again = denoise(y, sr=sr, noise=cl_array.to_device(queue, added[len(t) :]), reduction=30)
    np.testing.assert_array_equal(again, result)
    two = denoise(np.stack([y, 0.5 * y]), sr=sr, noise=np.stack([added, 0.5 * added]), reduction=30)
    np.testing.assert_allclose(two[1], 0.5 * two[0], atol=1e-9)


def test_device_arrays_stay_there(device, queue):
    y = noise((2, 9000), "f4")
    there = cl_array.to_device(queue, y)
    for options in ({}, {"hum": 50}, {"hum": 50, "reduction": 0}, {"reduction": 0}):
        result = denoise(there, sr=8000, **options)
        assert isinstance(result, cl_array.Array)
        assert result.base_data is not there.base_data
        np.testing.assert_array_equal(result.get(), denoise(y, sr=8000, **options))
        np.testing.assert_array_equal(there.get(), y)


@pytest.mark.one_cpu
def test_signals_do_not_mix(device):
    y = noise((2, 3, 5000), "f8")
    y[1] *= 1e5
    together = denoise(y, sr=8000, hum=50)
    for place in np.ndindex(2, 3):
        np.testing.assert_array_equal(together[place], denoise(y[place], sr=8000, hum=50))


@pytest.mark.one_cpu
@pytest.mark.parametrize("reduction", [0, 3, 20])
def test_noise_alone_gets_softer_by_the_reduction(device, reduction):
    y = noise(60_000, "f4")
    inner = slice(4000, -4000)
    level = decibels(np.square(denoise(y, sr=8000, reduction=reduction)[inner]).mean())
    before = decibels(np.square(y[inner]).mean())
    assert before - level == pytest.approx(reduction, abs=0.05 + 0.1 * reduction)


@pytest.mark.one_cpu
@pytest.mark.parametrize("samples", [1, 15, 100, 3000])
def test_short_and_silent_sounds(device, samples):
    silent = np.zeros(samples, "f4")
    np.testing.assert_array_equal(denoise(silent, sr=SR), silent)
    assert np.isfinite(denoise(noise(samples, "f4"), sr=SR)).all()


@pytest.mark.one_cpu
def test_a_nan_stays_in_its_frames(device):
    y = noise(40_000, "f4")
    y[20_000] = np.nan
    result = denoise(y, sr=SR)
    assert np.isfinite(result[:17_000]).all()
    assert np.isfinite(result[23_000:]).all()


# --- hum ------------------------------------------------------------------------------------------


def hum_of(samples, sr, mains, level=0.1):
    t = np.arange(samples) / sr
    return level * sum(np.sin(2 * np.pi * k * mains * t + k) / k for k in range(1, 16))


def amplitude(y, hertz, sr):
    """The amplitude of a sine in a signal, under a Hann window."""
    n = np.arange(len(y))
    window = np.hanning(len(n))
    return 2 * abs((y * window * np.exp(-2j * np.pi * hertz * n / sr)).sum()) / window.sum()


@pytest.mark.parametrize("mains", [50, 60, 49.93, 60.03])
@pytest.mark.parametrize("name", ["tune", pytest.param("chords", marks=pytest.mark.one_cpu)])
def test_hum_goes_and_music_stays(device, pieces, name, mains):
    """Every harmonic by 30 dB, while partials keep their amplitude within 0.5 dB."""
    clean, sr = pieces[name]
    hum = hum_of(len(clean), sr, mains)
    result = denoise((clean + hum).astype("f4"), sr=sr, hum=round(mains / 10) * 10)
    left = result - clean
    for k in range(1, 16):
        before, after = (amplitude(each, k * mains, sr) for each in (hum, left))
        assert after < 10 ** (-30 / 20) * before, k
    chord = (440.0, 554.365262, 659.255114, 880.0) if name == "tune" else (261.63, 329.63, 391.995)
    for hertz in (m * each for each in chord for m in (1, 2)):
        change = amplitude(result, hertz, sr) / amplitude(clean, hertz, sr)
        assert abs(20 * np.log10(change)) < 0.5, hertz


@pytest.mark.one_cpu
def test_without_hum_nothing_is_taken_for_it(device, pieces):
    """A note whose partial is at a harmonic of the mains is a note."""
    for clean, sr in pieces.values():
        np.testing.assert_array_equal(denoise(clean, sr=sr, hum=50, reduction=0), clean)
    t = np.arange(5 * SR) / SR
    note = np.where((t > 1) & (t < 2), np.sin(2 * np.pi * 2200 * t), 0)
    np.testing.assert_array_equal(denoise(note, sr=SR, hum=50, reduction=0), note)


@pytest.mark.one_cpu
def test_hum_that_changes_in_a_long_sound(device):
    """Its frequency drifts by 0.02 Hz, and its level falls to a half."""
    sr, t = 8000, np.arange(40 * 8000) / 8000
    turns = 50.0 * t + 0.01 * 40 / np.pi * np.sin(np.pi * t / 40)
    hum = (1 - t / 80) * sum(np.sin(2 * np.pi * k * turns) / k for k in (1, 2, 3))
    result = denoise(hum + 1e-3 * noise(t.shape, "f8"), sr=sr, hum=50, reduction=0)
    assert decibels(np.square(result).mean() / np.square(hum).mean()) < -25


def test_the_frequency_is_found():
    rng = np.random.default_rng(1)
    middles, numbers = 0.1 + 0.04 * np.arange(200), np.arange(1, 13)
    seen = np.exp(2j * np.pi * 0.137 * np.outer(middles, numbers)) / numbers
    loud = rng.random(seen.shape) < 0.4  # music, in so many frames
    seen[loud] += 5 * np.exp(2j * np.pi * rng.random(loud.sum()))
    off, values = steady_harmonics(seen, middles, numbers)
    assert off == pytest.approx(0.137, abs=1e-4)
    assert np.abs(values - 1 / numbers).max() < 0.02


def test_parts_of_hum_hold_all_frames():
    assert part_begins(10, 10) == [0]
    assert part_begins(25, 10) == [0, 5, 10, 15]
    assert Frames(100, 20).count(199) == 5
    np.testing.assert_array_equal(Frames(100, 20).middles(2, 4), [90, 110])


# --- errors ---------------------------------------------------------------------------------------

Y = noise((2, 9000), "f4")
BAD = {
    "rate": ({"sr": -1}, "sr must be a number above 0"),
    "reduction": ({"reduction": -0.5}, "reduction is a number of decibels from 0 on"),
    "infinite": ({"reduction": np.inf}, "reduction must be a number"),
    "mains": ({"hum": 55}, "hum is 50 or 60"),
    "channels": ({"noise": noise((3, 9000), "f4")}, "noise has 3 channels"),
    "short noise": ({"noise": noise(100, "f4")}, "give a longer part"),
    "complex noise": ({"noise": noise(9000, "c8")}, "noise is complex"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named(case):
    options, words = BAD[case]
    with pytest.raises(PlanError) as caught:
        denoise(Y, **{"sr": 8000, **options})
    assert words in str(caught.value)


def test_a_sound_that_cannot_hold_hum():
    with pytest.raises(PlanError, match="100 samples a second holds no hum of 60 Hz"):
        denoise(Y, sr=100, hum=60)


def test_a_sound_too_short_for_hum():
    with pytest.raises(PlanError, match=r"in 0\.4 s of sound or more, but .* 0\.125 s"):
        denoise(Y[:, :1000], sr=8000, hum=50)
