"""Fixtures: synthesised music, whose notes are known, and the memory that a call takes."""

from __future__ import annotations

import sys
import weakref
from pathlib import Path

import pyopencl as cl
import pytest

import pyclfft
from pyclfft.runtime import memory

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


class Buffers:
    """The bytes of the buffers that pyclfft holds on devices.

    Attributes
    ----------
    held : int
        The bytes now.
    most : int
        The greatest number of bytes so far.
    """

    def __init__(self) -> None:
        self.held = self.most = 0

    def add(self, nbytes: int) -> None:
        self.held += nbytes
        self.most = max(self.most, self.held)


@pytest.fixture
def buffers(monkeypatch):
    """Follow buffers until nothing refers to them; the caches are empty at first."""
    pyclfft.clear_cache()
    result, allocate = Buffers(), memory._buffer

    def followed(context, flags, nbytes, values=None):
        buffer = allocate(context, flags, nbytes, values)
        size = buffer.size
        result.add(size)
        weakref.finalize(buffer, result.add, -size)
        return buffer

    monkeypatch.setattr(cl, "Buffer", type("Buffer", (cl.Buffer,), {}))  # which has weak references
    monkeypatch.setattr(memory, "_buffer", followed)
    return result
