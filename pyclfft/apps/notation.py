"""What is written down of music: onsets, notes and pitch classes, each of a module of its own."""

from __future__ import annotations

from .chroma import chroma
from .notes import Note, notes
from .onsets import onsets

__all__ = ["Note", "chroma", "notes", "onsets"]
