"""Files of what was found out about a sound: arrays for NumPy, CSV tables, and pictures."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from ..files import atomic_write
from .sound_analysis import Analysis
from .spectrogram_picture import Caption, decibels, draw, encode

File = str | os.PathLike[str]


class Writer(NamedTuple):
    """How a result becomes a file.

    Attributes
    ----------
    write : callable
        Writes an analysis to a file, and returns what a report adds to the file's name.
    needs : {"levels", "spectra", "notes"}
        What the file needs of an analysis; see `Request`.
    ending : str
        What follows the sound's name in the file's; ``{}`` stands for a picture's format.
    step : str
        The name of the step that writing is, in a list of times.
    """

    write: Callable[[File, Analysis], str]
    needs: str
    ending: str
    step: str


def write_npz(path: File, analysis: Analysis) -> str:
    """Write amplitudes, frequencies and times as arrays for NumPy."""
    assert analysis.spectra is not None
    request = analysis.request
    with atomic_write(path) as file:
        np.savez(
            file, S=analysis.spectra, quantity=request.quantity, frequencies=analysis.frequencies,
            times=analysis.times.of(analysis.count), sr=analysis.info.sr,
            n_fft=request.frames.n_fft, hop=request.frames.hop, window=request.window,
        )  # fmt: skip
    return f": S ({request.quantity}) of shape {analysis.spectra.shape}"


def write_csv(path: File, analysis: Analysis) -> str:
    """Write decibels: a row for each frame, behind its time, below a row of frequencies."""
    assert analysis.spectra is not None
    levels, times = decibels(analysis.spectra), analysis.times.of(analysis.count)
    rows = (
        [f"{middle:.6f}", *map("%.2f".__mod__, column.tolist())]
        for middle, column in zip(times, levels.T, strict=True)
    )
    _write_rows(path, ["time_s", *(f"{hertz:.10g}" for hertz in analysis.frequencies)], rows)
    return f": decibels of {analysis.count} frames"


NOTE_COLUMNS = ("onset_s", "duration_s", "note", "midi", "cents", "strength", "confidence")


def write_notes(path: File, analysis: Analysis) -> str:
    """Write a row for each note."""
    rows = (
        [f"{n.onset:.4f}", f"{n.duration:.4f}", n.name, f"{n.midi:g}", f"{n.cents:.1f}",
         f"{n.strength:.6g}", f"{n.confidence:.3f}"]
        for n in analysis.notes
    )  # fmt: skip
    _write_rows(path, NOTE_COLUMNS, rows)
    return f": {len(analysis.notes)} notes, {len(analysis.onsets)} onsets"


def write_picture(path: File, analysis: Analysis) -> str:
    """Draw the levels, with onsets and notes if there are any, in the format of the name."""
    request = analysis.request
    title = analysis.name if request.look.title is None else request.look.title
    caption = Caption(title, f"{analysis.info.sr} Hz, {request.framing}")
    names = [f"channel {number}" for number in range(len(analysis.levels))]
    figure = draw(
        analysis.levels, analysis.times, caption, request.look,
        names=names if len(names) > 1 else (), onsets=analysis.onsets, notes=analysis.notes,
    )  # fmt: skip
    data = encode(figure, path, request.look.dpi)
    with atomic_write(path) as file:
        file.write(data)
    return ""


def _write_rows(path: File, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    with atomic_write(path) as file:  # as bytes, so that sharps are UTF-8 on every system
        for row in chain([header], rows):
            file.write((",".join(row) + "\n").encode())


# In the order in which the files are written.
WRITERS = {
    "npz": Writer(write_npz, "spectra", "_spectrogram.npz", "write"),
    "csv": Writer(write_csv, "spectra", "_spectrogram.csv", "write"),
    "notes": Writer(write_notes, "notes", "_notes.csv", "write"),
    "picture": Writer(write_picture, "levels", "_spectrogram.{}", "draw"),
}
