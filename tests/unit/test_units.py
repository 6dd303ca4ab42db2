"""Units, by known values and beside librosa."""

from __future__ import annotations

import numpy as np
import pyopencl.array as cl_array
import pytest

from pyclfft.audio import units
from pyclfft.errors import PlanError

TIMES = [0.0, 0.1, 0.5, 1.23456, 100.0]
COUNTS = [-1, 0, 1, 511, 512, 513, 100_000]
PITCHES = [0, 20.4, 59.5, 60.5, 61, 69, 69.3, 127]
NAMES = ["C", "c4", "A4", "C#4+20", "Cb-1", "D♭𝄪2", "e!3", "F##", "B𝄫3-30", "Bb5"]
LEVELS = np.array([[0, 1e-7, 0.1], [1, 3.5, 20]])

# Name -> argument and options of calls: each has to answer as librosa does.
CALLS = {
    "frames_to_samples": [(COUNTS, {}), (3, {"hop_length": 100, "n_fft": 2048})],
    "samples_to_frames": [(COUNTS, {}), (COUNTS, {"hop_length": 100, "n_fft": 2048})],
    "frames_to_time": [(COUNTS, {}), (3, {}), (3, {"sr": 44100, "hop_length": 100, "n_fft": 512})],
    "time_to_frames": [(TIMES, {}), (1.5, {}), (TIMES, {"sr": 48000, "n_fft": 2048})],
    "samples_to_time": [(COUNTS, {}), (100, {"sr": 8000})],
    "time_to_samples": [(TIMES, {}), (1.5, {"sr": 8000})],
    "hz_to_midi": [([0, 27.5, 440, 441], {}), (440, {})],
    "midi_to_hz": [(PITCHES, {}), (69, {})],
    "midi_to_note": [
        (PITCHES, {}),
        (61, {}),
        (PITCHES, {"cents": True}),
        (PITCHES, {"octave": False, "unicode": False}),
        ([[60], [61]], {}),
    ],
    "hz_to_note": [([27.5, 440, 445], {}), (445.0, {"cents": True}), (31.0, {"octave": False})],
    "note_to_midi": [(NAMES, {}), ("A4", {}), (NAMES, {"round_midi": False})],
    "note_to_hz": [(NAMES, {}), ("A4", {}), ("C#4+20", {"round_midi": False})],
    "amplitude_to_db": [
        (LEVELS, {}),
        (LEVELS.astype("f4"), {"ref": np.max, "top_db": 30}),
        (LEVELS * 1j, {"ref": -2, "top_db": None}),
        (0.5, {"amin": 0.7}),
        (-LEVELS, {}),
        ([1, 2], {}),
    ],
    "power_to_db": [
        (LEVELS, {}),
        (LEVELS.astype("f4"), {"ref": np.max, "top_db": 30}),
        (LEVELS, {"ref": 2, "top_db": None, "amin": 1e-20}),
        (-LEVELS, {}),
        (7, {}),
    ],
    "db_to_amplitude": [(LEVELS, {}), (-20, {"ref": 2})],
    "db_to_power": [(LEVELS, {}), (-20, {"ref": 2})],
}


@pytest.mark.filterwarnings("ignore")  # librosa's own
@pytest.mark.parametrize("name", CALLS)
def test_as_librosa(name):
    librosa = pytest.importorskip("librosa")
    for argument, options in CALLS[name]:
        ours = getattr(units, name)(argument, **options)
        theirs = getattr(librosa, name)(argument, **options)
        assert np.shape(ours) == np.shape(theirs)
        assert np.asarray(ours).dtype.kind == np.asarray(theirs).dtype.kind
        if np.asarray(theirs).dtype.kind == "U":
            assert np.array_equal(ours, theirs)
        else:
            assert np.asarray(ours).dtype == np.asarray(theirs).dtype
            np.testing.assert_allclose(ours, theirs, rtol=1e-6)


@pytest.mark.parametrize(("sr", "n_fft"), [(22050, 2048), (10, 5), (44100.0, 1)])
def test_fft_frequencies(sr, n_fft):
    found = units.fft_frequencies(sr=sr, n_fft=n_fft)
    np.testing.assert_allclose(found, np.fft.rfftfreq(n_fft, 1 / sr))


def test_there_and_back():
    numbers = np.arange(-30, 128)  # below 0, librosa names the wrong octave
    assert np.array_equal(units.note_to_midi(units.midi_to_note(numbers)), numbers)
    np.testing.assert_allclose(units.hz_to_midi(units.midi_to_hz(numbers)), numbers, atol=1e-12)
    frames = np.arange(1000)
    assert np.array_equal(units.samples_to_frames(units.frames_to_samples(frames)), frames)
    decibels = np.linspace(-60, 20, 9)
    np.testing.assert_allclose(
        units.amplitude_to_db(units.db_to_amplitude(decibels)), decibels, atol=1e-9
    )
    np.testing.assert_allclose(units.power_to_db(units.db_to_power(decibels)), decibels, atol=1e-9)


def test_a_natural_is_no_accidental():
    assert units.note_to_midi(["C♮4", "C4"]).tolist() == [60, 60]


@pytest.mark.parametrize(
    ("call", "remedy"),
    [
        (lambda: units.note_to_midi("H4"), "like C4"),
        (lambda: units.note_to_midi(["C4", ""]), "like C4"),
        (lambda: units.note_to_hz("4"), "like C4"),
        (lambda: units.midi_to_note(60, octave=False, cents=True), "octave"),
        (lambda: units.hz_to_note([0, 440]), "0 Hz"),
        (lambda: units.amplitude_to_db(1, amin=0), "amin must be positive"),
        (lambda: units.power_to_db(1, top_db=-1), "top_db must not be negative"),
        (lambda: units.fft_frequencies(n_fft=0), "positive integer"),
    ],
)
def test_bad_input_names_the_remedy(call, remedy):
    with pytest.raises(PlanError, match=remedy):
        call()


@pytest.mark.parametrize(
    "name", ["amplitude_to_db", "power_to_db", "db_to_amplitude", "db_to_power"]
)
def test_a_device_array_is_no_object(name, queue):
    with pytest.raises(PlanError, match=r"pass S\.get\(\) instead of a device array"):
        getattr(units, name)(cl_array.to_device(queue, np.ones(4, "f4")))
