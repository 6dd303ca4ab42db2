"""Peaks of an image's spectrum: what stripes, moire and halftones leave there."""

from __future__ import annotations

from typing import Any


def find_notches(image: Any, *, axes: tuple[int, int] | None = None) -> list[tuple[float, float]]:
    raise NotImplementedError
