"""Spectrograms as pictures, by matplotlib: axes for frequencies, colours for decibels."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..advice import pip_install
from ..errors import FormatError, PlanError, PyclfftError
from .mel import hertz_of_mel, mel_of
from .notes import Note

FORMATS = ("png", "svg", "pdf")
SIZE, DPI = (10.0, 5.0), 160  # the picture's width and height in inches, and its pixels an inch
PANEL_INCHES = 3.2  # the height that each of several panels adds
MOST_PIXELS = 2**26  # of a picture; its sides have at most 2^16
MAX_COLUMNS, MAX_ROWS = 1200, 600  # the most levels: about as many as there are pixels for them
DRAWN = 0.75  # the part of a picture's sides that levels take beside axes and labels
PHASES = "hsv"  # a colour map whose ends are alike, and whose colours are all bright
LABEL_LIMIT = 80  # if there are more notes, their names are left out: nobody could read them
LABEL_POINTS = (24, 11)  # the width and height of a note's name, in points

A4_HZ, A4_MIDI = 440.0, 69
NOTE_NAMES = ("C", "C♯", "D", "D♯", "E", "F", "F♯", "G", "G♯", "A", "A♯", "B")
C1_HZ = A4_HZ * 2 ** (-45 / 12)


class Ticks(NamedTuple):
    """Where an axis has ticks: frequencies in Hz, some with words, the others between them."""

    labelled: tuple[tuple[float, str], ...]
    between: tuple[float, ...] = ()


# --- axes for frequencies -------------------------------------------------------------------------


def note_hz(midi: float) -> float:
    """Return the frequency of a MIDI note; note 69 is A4 with 440 Hz."""
    return float(A4_HZ * 2 ** ((midi - A4_MIDI) / 12))


def note_ticks(low: float, high: float) -> Ticks:
    """Return the notes to label from `low` to `high` Hz: each C, or each note if there are few."""
    first, last = (12 * np.log2(each / A4_HZ) + A4_MIDI for each in (low, high))
    notes = range(int(np.ceil(first)), int(np.floor(last)) + 1)
    named = [n for n in notes if n % 12 == 0]
    if len(named) < 2:
        named = list(notes)
    between = tuple(note_hz(n) for n in notes if n not in named) if last - first <= 60 else ()
    return Ticks(tuple((note_hz(n), f"{NOTE_NAMES[n % 12]}{n // 12 - 1}") for n in named), between)


def hertz_ticks(low: float, high: float) -> Ticks:
    """Return round frequencies from `low` to `high` Hz, an octave or a bit more apart."""
    round_ones = (step * 10.0**power for power in range(-3, 10) for step in (1, 2, 5))
    return Ticks(tuple((each, f"{each:g}") for each in round_ones if low <= each <= high))


def mel_ticks(low: float, high: float) -> Ticks:
    """Return the frequencies to label on the mel scale from `low` to `high` Hz."""
    octaves = (0.0, *(500.0 * 2**k for k in range(12)))
    known = tuple((each, f"{each:g}") for each in octaves if low <= each <= high)
    return Ticks(known) if len(known) > 2 else hertz_ticks(low, high)


@dataclass(frozen=True)
class FrequencyAxis:
    """A way to draw frequencies.

    Attributes
    ----------
    label : str
        The words beside the axis.
    place, hertz : callable
        The function from a frequency in Hz to the place where it is drawn, and its inverse.
    ticks, right : callable, optional
        The functions that return the ticks from one frequency to another, on the left side and on
        the right one. By default the left side has round numbers, and the right side nothing.
    lowest : float
        The least frequency at which the axis begins, in Hz; 0 if it may begin at 0 Hz.
    """

    label: str
    place: Callable[[np.ndarray], np.ndarray]
    hertz: Callable[[np.ndarray], np.ndarray]
    ticks: Callable[[float, float], Ticks] | None = None
    right: Callable[[float, float], Ticks] | None = None
    lowest: float = 0.0

    def places(self, *hertz: float) -> list[float]:
        """Return where frequencies are drawn."""
        return self.place(np.array(hertz, np.float64)).tolist()

    def low(self, sr: int, n_fft: int) -> float:
        """Return the frequency at which a picture begins, in Hz."""
        if not self.lowest:
            return 0.0
        return min(max(self.lowest, sr / n_fft), sr / 8)


AXES = {
    "linear": FrequencyAxis("Frequency (Hz)", np.asarray, np.asarray),
    "log": FrequencyAxis(
        "Note (A4 = 440 Hz)", np.log2, np.exp2, note_ticks, hertz_ticks, lowest=C1_HZ / 1.01
    ),
    "mel": FrequencyAxis(
        "Frequency (Hz), mel scale (Slaney)", mel_of, hertz_of_mel, mel_ticks
    ),
}  # fmt: skip


# --- what a picture can show ----------------------------------------------------------------------


class Levels:
    """The greatest amplitude in every cell of a picture, gathered block by block.

    A picture has fewer columns than a long sound has frames, and fewer rows than a long frame has
    bins. A cell shows the greatest amplitude of all its frames and bins, so that a short sound or a
    pure tone does not vanish, as it would in a mean. Where spectra are complex, a cell also has the
    phase of its greatest number.

    Parameters
    ----------
    axis : FrequencyAxis
        The axis along which rows stand.
    sr, n_fft : int
        The sample rate, and the points of a frame: bin k is at k sr / n_fft Hz.
    bins, frames : int
        How many bins each frame has, and how many frames are to come.
    limits : (float or None, float or None)
        The frequencies at the lower and the upper edge, in Hz; by default the axis's lowest one and
        half the sample rate.
    cells : (int, int)
        The most columns, and how many rows there are.

    Attributes
    ----------
    low, high : float
        The frequencies at the lower and the upper edge, in Hz.
    frames_a_column : int
        How many frames share a column.
    """

    def __init__(
        self,
        axis: FrequencyAxis,
        sr: int,
        n_fft: int,
        bins: int,
        frames: int,
        limits: tuple[float | None, float | None] = (None, None),
        cells: tuple[int, int] = (MAX_COLUMNS, MAX_ROWS),
    ) -> None:
        self.axis = axis
        low, high = limits
        self.low = axis.low(sr, n_fft) if low is None else low
        self.high = sr / 2 if high is None else min(high, sr / 2)
        self.frames_a_column = max(1, -(-frames // cells[0]))
        bottom, top = axis.places(self.low, self.high)
        edges = axis.hertz(np.linspace(bottom, top, cells[1] + 1))
        # A bin stands for half a bin on both sides of it.
        nearest = np.floor(edges * n_fft / sr + 0.5).astype(int)
        self._first = np.clip(nearest[:-1], 0, bins - 1)
        self._last = min(bins, int(nearest[-1]) + 1)
        self._columns: list[np.ndarray] = []
        self._waiting: list[np.ndarray] = []  # the frames of a column that is not full yet

    def add(self, spectra: np.ndarray) -> None:
        """Take the next frames.

        Parameters
        ----------
        spectra : ndarray, shape (bins, frames)
            The amplitudes, or complex64 numbers.
        """
        # The maximum over frames comes before that over bins, because this is many times faster.
        new = (_keys(spectra) if spectra.dtype.kind == "c" else spectra).T
        frames = np.concatenate([*self._waiting, new]) if self._waiting else new
        step = self.frames_a_column
        full = len(frames) // step * step
        self._columns.append(self._rows(frames[:full].reshape(-1, step, len(spectra))))
        self._waiting = [frames[full:].copy()] if full < len(frames) else []

    def _rows(self, frames: np.ndarray) -> np.ndarray:
        """Return the rows of columns: from shape (columns, frames, bins) to (columns, rows)."""
        bins = frames.max(axis=1)[:, : self._last]
        # If a row has no bin of its own, reduceat takes the nearest one.
        return np.maximum.reduceat(bins, self._first, axis=1)

    def _gathered(self) -> np.ndarray:
        rest = [self._rows(part[None]) for part in self._waiting]
        return np.concatenate([*self._columns, *rest]).T

    def values(self) -> np.ndarray:
        """Return the levels of all frames that have come.

        Returns
        -------
        ndarray of float32, shape (rows, columns)
            The levels; row 0 is the lowest frequency.
        """
        found = self._gathered()
        return _words(found >> np.uint64(32)) if found.dtype == np.uint64 else found

    def phases(self) -> np.ndarray:
        """Return the phase of each level, where spectra were complex: float32, -pi to pi."""
        return _words(self._gathered() & np.uint64(0xFFFFFFFF))


def _keys(spectra: np.ndarray) -> np.ndarray:
    """Return complex numbers as integers whose order is that of the magnitudes.

    The bits of a positive float32 are in the order of the numbers. Those of the magnitude come
    first, and those of the phase go with them.
    """
    magnitudes, phases = np.abs(spectra), np.angle(spectra)
    bits = (
        each.astype(np.float32).view(np.uint32).astype(np.uint64) for each in (magnitudes, phases)
    )
    return next(bits) << np.uint64(32) | next(bits)


def _words(keys: np.ndarray) -> np.ndarray:
    return keys.astype(np.uint32).view(np.float32)


@dataclass(frozen=True)
class Caption:
    """The words above a picture: its title and, in smaller letters, how the picture was made."""

    title: str
    details: str = ""


@dataclass(frozen=True)
class Look:
    """How a picture looks.

    Attributes
    ----------
    axis : str
        The name of its frequency axis in `AXES`.
    db : float
        Decibels from the greatest level to the darkest colour.
    colours : str
        The name of a colour map of matplotlib.
    size : (float, float) or None
        Width and height in inches; by default 10 by 5, and higher for several panels.
    dpi : float
        Pixels an inch.
    fmin, fmax : float or None
        The lowest and the highest frequency that is drawn, in Hz; by default the axis decides.
    title : str or None
        The words above the picture; by default the name of the file.
    axes : bool
        Draw axes, title and the scale of colours, rather than levels alone.
    phase : bool
        Draw phases as colours, the darker the softer.
    """

    axis: str = "linear"
    db: float = 80.0
    colours: str = "magma"
    size: tuple[float, float] | None = None
    dpi: float = DPI
    fmin: float | None = None
    fmax: float | None = None
    title: str | None = None
    axes: bool = True
    phase: bool = False

    def inches(self, panels: int = 1) -> tuple[float, float]:
        """Return width and height of a picture of so many panels, in inches."""
        if self.size is not None:
            return self.size
        return SIZE if panels == 1 else (SIZE[0], 1 + PANEL_INCHES * panels)

    def levels(
        self, sr: int, n_fft: int, bins: int, frames: int, panels: int = 1, name: str = "the sound"
    ) -> Levels:
        """Return empty levels, as many as the picture has pixels for.

        Raises
        ------
        PlanError
            The sound has no frequencies from `fmin` to `fmax`.
        """
        axis = AXES[self.axis]
        low = axis.low(sr, n_fft) if self.fmin is None else self.fmin
        high = sr / 2 if self.fmax is None else min(self.fmax, sr / 2)
        if not low < high:
            raise PlanError(
                f"{name}: has frequencies up to {sr / 2:g} Hz, and the picture would go from "
                f"{low:g} to {high:g} Hz: choose another --fmin or --fmax"
            )
        part = DRAWN if self.axes else 1.0
        width, height = (round(part * inches * self.dpi) for inches in self.inches(panels))
        is_usual = self.size is None and self.dpi == DPI and self.axes
        cells = (MAX_COLUMNS, MAX_ROWS) if is_usual else (max(1, width), max(1, height // panels))
        return Levels(axis, sr, n_fft, bins, frames, (low, high), cells)


@dataclass(frozen=True)
class Times:
    """When frames are.

    Attributes
    ----------
    first : float
        The middle of the first frame, in s.
    step : float
        Seconds from one frame to the next.
    begin, end : float
        The times at the edges of a picture, in s.
    """

    first: float
    step: float
    begin: float
    end: float

    def of(self, frames: int) -> np.ndarray:
        """Return the middles of the first `frames` frames, float64, in s."""
        return self.first + self.step * np.arange(frames)


# --- drawing --------------------------------------------------------------------------------------


def require_picture(path: str | os.PathLike[str], look: Look) -> None:
    """Refuse a picture that cannot be drawn, before anything is computed.

    Parameters
    ----------
    path : str or path
        The file of the picture.
    look : Look
        How it is to look.

    Raises
    ------
    FormatError
        The suffix of the file is not that of a picture.
    PlanError
        There is no such colour map, or the picture would have too many pixels, or none.
    PyclfftError
        matplotlib is not installed.
    """
    if _format(path) not in FORMATS:
        raise FormatError(
            f"{os.fspath(path)}: a picture's name ends in {', '.join('.' + f for f in FORMATS)}"
        )
    if look.colours not in _matplotlib("matplotlib").colormaps:
        raise PlanError(
            f"there is no colour map {look.colours!r}: take magma, viridis, cividis, gray_r or "
            "another of matplotlib.colormaps"
        )
    sides = [round(inches * look.dpi) for inches in look.inches()]
    if min(sides) < 1 or max(sides) >= 2**16 or prod(sides) > MOST_PIXELS:
        raise PlanError(
            f"a picture of {sides[0]} x {sides[1]} pixels is not drawn: choose another size, or "
            "another number of dots an inch"
        )
    if look.fmin is not None and look.fmax is not None and not look.fmin < look.fmax:
        raise PlanError(f"fmin is below fmax, not {look.fmin:g} and {look.fmax:g} Hz")
    if look.axis == "log" and look.fmin == 0:
        raise PlanError("an axis of notes has no place for 0 Hz: choose a greater fmin")


def draw(
    levels: Levels | Sequence[Levels],
    times: Times,
    caption: Caption,
    look: Look | None = None,
    *,
    names: Sequence[str] = (),
    onsets: Sequence[float] | np.ndarray = (),
    notes: Sequence[Note] = (),
) -> Any:
    """Draw a spectrogram, or several below each other.

    Parameters
    ----------
    levels : Levels, or sequence of Levels
        The levels of all frames, of one panel or of each.
    times : Times
        When the frames are.
    caption : Caption
        The words above the picture.
    look : Look, optional
        How the picture looks. The axis is that of the levels.
    names : sequence of str
        The words that stand in each panel, if there are several.
    onsets : sequence of float
        The times to mark by lines in the first panel, in s.
    notes : sequence of Note
        The notes to draw in the first panel as bars with names.

    Returns
    -------
    matplotlib.figure.Figure
        The figure, which pyplot does not know.

    Raises
    ------
    PyclfftError
        matplotlib is not installed.
    """
    look = look or Look()
    panels = [levels] if isinstance(levels, Levels) else list(levels)
    size = look.inches(len(panels))
    layout = {"layout": "constrained"} if look.axes else {}
    figure = _matplotlib("matplotlib.figure").Figure(size, **layout)
    spacing = None if look.axes else {"hspace": 0, "left": 0, "right": 1, "bottom": 0, "top": 1}
    grid = figure.subplots(len(panels), sharex=True, squeeze=False, gridspec_kw=spacing)[:, 0]
    greatest = max(panel.values().max(initial=0) for panel in panels)
    for axes, panel in zip(grid, panels, strict=True):
        image = _draw_panel(axes, panel, times, look, greatest)
    _mark(grid[0], panels[0].axis, onsets, notes, size)
    for axes, name in zip(grid, names, strict=False):
        _name_panel(axes, name)
    if not look.axes:
        for axes in figure.axes:
            axes.set_axis_off()
        return figure
    grid[-1].set_xlabel("Time (s)")
    bar = figure.colorbar(image, ax=figure.axes, pad=0.02, aspect=30)
    if look.phase:
        bar.set_label("Phase; the darker, the softer")
        bar.set_ticks(
            [-np.pi, -np.pi / 2, 0, np.pi / 2, np.pi], labels=["-π", "-π/2", "0", "π/2", "π"]
        )
    else:
        bar.set_label("Level (dB relative to the greatest)")
    bar.outline.set_linewidth(0.5)
    _caption(grid[0], caption)
    return figure


def _draw_panel(axes: Any, levels: Levels, times: Times, look: Look, greatest: float) -> Any:
    """Draw levels or phases with their axes; return what the scale of colours belongs to."""
    axis = levels.axis
    values = decibels(levels.values(), look.db, greatest)
    bottom, top = axis.places(levels.low, levels.high)
    left = times.first - times.step / 2
    right = left + values.shape[1] * levels.frames_a_column * times.step
    options: dict[str, Any] = {
        "origin": "lower", "aspect": "auto", "interpolation": "nearest",
        "extent": (left, right, bottom, top),
    }  # fmt: skip
    if look.phase:
        image = axes.imshow(levels.phases(), cmap=PHASES, vmin=-np.pi, vmax=np.pi, **options)
        image.set_alpha(1 + values / look.db)
        axes.set_facecolor("black")
    else:
        image = axes.imshow(values, cmap=look.colours, vmin=-look.db, vmax=0, **options)
    shown = max(left, times.begin), min(right, times.end)  # no frame is around the very ends
    axes.set(xlim=shown, ylim=(bottom, top))
    axes.set_ylabel(axis.label)
    if axis.ticks:
        _label(axes, axis, axis.ticks(levels.low, levels.high))
    if axis.right:
        other = axes.twinx()
        other.set(ylim=(bottom, top), ylabel="Frequency (Hz)")
        _label(other, axis, axis.right(levels.low, levels.high))
    return image


def _name_panel(axes: Any, name: str) -> None:
    """Write a panel's name into its corner, on any colours."""
    outline = _matplotlib("matplotlib.patheffects").withStroke
    axes.annotate(
        name, (0, 1), (6, -6), "axes fraction", "offset points", va="top", fontsize=10,
        color="white", path_effects=[outline(linewidth=2.5, foreground="black")], parse_math=False,
    )  # fmt: skip


def encode(figure: Any, path: str | os.PathLike[str], dpi: float = DPI) -> bytes:
    """Return a figure as the content of a file, in the format that its suffix names.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure that `draw` has returned.
    path : str or path
        A file name that ends with .png, .svg or .pdf.
    dpi : float
        Pixels an inch.

    Returns
    -------
    bytes
    """
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # an unknown letter of a file's name is a box
        figure.savefig(buffer, format=_format(path), dpi=dpi)
    return buffer.getvalue()


def decibels(
    amplitudes: np.ndarray, db: float | None = None, greatest: float | None = None
) -> np.ndarray:
    """Return amplitudes in decibels relative to the greatest.

    Parameters
    ----------
    amplitudes : ndarray
        The amplitudes, none below 0.
    db : float, optional
        Results that are further below the greatest are raised to -`db`, and so is silence. The
        default is 200.
    greatest : float, optional
        The amplitude of 0 dB; the greatest one by default.

    Returns
    -------
    ndarray
        The decibels, in the shape and the dtype of `amplitudes`. If all are silent, all are -`db`.
    """
    floor = 200.0 if db is None else db
    greatest = amplitudes.max(initial=0) if greatest is None else greatest
    if not greatest > 0:
        return np.full_like(amplitudes, -floor)
    with np.errstate(divide="ignore"):  # the logarithm of 0 is raised to the floor
        return np.maximum(20 * np.log10(amplitudes / greatest), -floor)


def _label(axes: Any, axis: FrequencyAxis, ticks: Ticks) -> None:
    axes.set_yticks(axis.places(*(f for f, _ in ticks.labelled)), [w for _, w in ticks.labelled])
    axes.set_yticks(axis.places(*ticks.between), minor=True)


def _mark(
    axes: Any,
    axis: FrequencyAxis,
    onsets: Any,
    notes: Sequence[Note],
    size: tuple[float, float],
) -> None:
    """Draw onsets as dotted lines and notes as bars, with outlines that show on any colours."""
    outline = _matplotlib("matplotlib.patheffects").withStroke
    around_line = outline(linewidth=2, foreground="0.3")
    around_bar = outline(linewidth=3, foreground="black")
    shown: dict[str, Any] = {}
    for onset in onsets:
        shown["onset"] = axes.axvline(
            onset, color="white", lw=0.9, ls=(0, (1, 2)), path_effects=[around_line]
        )
    for note, shift in zip(notes, _shifts(axes, axis, notes, size), strict=True):
        (place,) = axis.places(note_hz(note.midi))
        (shown["note"],) = axes.plot(
            (note.onset, note.onset + note.duration), (place, place), color="cyan", lw=1.8,
            solid_capstyle="butt", path_effects=[around_bar],
        )  # fmt: skip
        if len(notes) <= LABEL_LIMIT:
            axes.annotate(
                note.name, (note.onset, place), (2 + shift, 3), textcoords="offset points",
                fontsize=8, color="white", annotation_clip=True, clip_on=True,
                path_effects=[outline(linewidth=2, foreground="black")],
            )  # fmt: skip
    if shown:
        axes.legend(
            shown.values(), shown, loc="lower right", bbox_to_anchor=(1, 1), ncols=2, fontsize=8,
            frameon=True, facecolor="0.35", labelcolor="white", edgecolor="none", borderaxespad=0.3,
        )  # fmt: skip


def _shifts(
    axes: Any, axis: FrequencyAxis, notes: Sequence[Note], size: tuple[float, float]
) -> list[float]:
    """Return how far to the right each name stands, in points, so that names do not overlap."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    width, height = (72 * inches for inches in size)
    taken: list[tuple[float, float]] = []
    shifts = []
    for note in notes:
        (place,) = axis.places(note_hz(note.midi))
        x = first = (note.onset - left) / (right - left) * width
        y = (place - bottom) / (top - bottom) * height
        while any(abs(x - a) < LABEL_POINTS[0] and abs(y - b) < LABEL_POINTS[1] for a, b in taken):
            x += LABEL_POINTS[0]
        taken.append((x, y))
        shifts.append(x - first)
    return shifts


def _caption(axes: Any, caption: Caption) -> None:
    # A file's name may look like a formula, and may hold characters that cannot be printed.
    title = "".join(c if c.isprintable() else "?" for c in caption.title)
    title = title if len(title) <= 72 else f"{title[:34]} … {title[-34:]}"
    small: dict[str, Any] = {"fontsize": 8.5, "color": "0.3"}
    if not title:  # then the details take its place, for which the layout leaves room
        axes.set_title(caption.details, loc="left", pad=6, parse_math=False, **small)
        return
    axes.set_title(title, loc="left", fontsize=12, pad=20 if caption.details else 6,
                   parse_math=False)  # fmt: skip
    axes.annotate(
        caption.details, (0, 1), (0, 6), "axes fraction", "offset points",
        parse_math=False, in_layout=False, **small,
    )  # fmt: skip


def _format(path: str | os.PathLike[str]) -> str:
    return Path(path).suffix[1:].lower()


def _matplotlib(module: str) -> Any:
    """Import a module of matplotlib, which takes time and is not needed for anything else."""
    try:
        return import_module(module)
    except ImportError:
        raise PyclfftError(f"a picture needs matplotlib: {pip_install('pictures')}") from None
