"""Fixtures: synthesised music, whose notes are known."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


@pytest.fixture(scope="module")
def synth():
    """samples/synth.py as a module, for one file alone."""
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
    return synth.render(tones, synth.TIMBRES["piano"], 22050, noise=0.002), tones
