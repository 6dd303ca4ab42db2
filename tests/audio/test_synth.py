"""samples/synth.py: it writes what it says, and the same again."""

from __future__ import annotations

import runpy
import wave
from pathlib import Path

import numpy as np
import pytest

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


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
