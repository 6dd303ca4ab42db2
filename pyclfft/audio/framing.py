"""Frames of signals: what a caller asks for, and what is planned for it.

`Frames` say how a caller wants signals of any length to be framed. A `Framing` says the same of
signals of one length, for the planner. `Magnitudes` are the real numbers that spectra become.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ..errors import PlanError
from ..planning.precision import REAL_DTYPE
from ..planning.problem import choose
from .windows import Window, frame_window

MOST = 2**31 - 1  # the greatest number to which kernels count

# How a signal is continued, by NumPy's names, in the order of the numbers in frames.cl.
PADDINGS = ("constant", "edge", "reflect", "symmetric", "linear_ramp")


@dataclass(frozen=True)
class Framing:
    """Frames of signals that all have one length.

    Attributes
    ----------
    n_fft : int
        Points of a frame.
    hop : int
        Samples from one frame to the next.
    frames : int
        How many frames each signal has.
    samples : int
        How many samples each signal has.
    signals : int
        How many signals there are.
    before : int
        How many samples before a signal its first frame begins.
    padding : str
        How a signal is continued at both ends: one of `PADDINGS`.
    pad : int
        By how many samples a signal is continued at each end.
    windowed : bool
        Points are multiplied by a window on the way to spectra. On the way back they are always
        multiplied by the dual window.
    precision : {"single", "double"}
        The precision of samples and spectra.
    first, pitch : int
        Where the first signal begins in memory, and how far it is from one signal to the next, in
        samples.
    """

    n_fft: int
    hop: int
    frames: int
    samples: int
    signals: int = 1
    before: int = 0
    padding: str = "constant"
    pad: int = 0
    windowed: bool = True
    precision: str = "single"
    first: int = 0
    pitch: int = 0

    @property
    def bins(self) -> int:
        """How many bins a frame's spectrum has."""
        return self.n_fft // 2 + 1

    @property
    def points(self) -> int:
        """How many points all frames have together."""
        return self.signals * self.frames * self.n_fft

    @property
    def dtype(self) -> np.dtype:
        """The dtype of samples."""
        return REAL_DTYPE[self.precision]


@dataclass(frozen=True)
class Magnitudes:
    """The real numbers that spectra become.

    Attributes
    ----------
    exponent : float
        The exponent of the magnitudes.
    bins : int
        How many bins of each spectrum are wanted, from the lowest on; 0 for all.
    relative : bool
        The numbers are divided by the greatest of all, or decibels are relative to it.
    decibels : bool
        The numbers are decibels.
    reference : float
        The number that is 0 dB, unless decibels are relative.
    least : float
        Numbers below this one count as this one when decibels are computed.
    span : float
        Decibels are at most so far below the greatest.
    """

    exponent: float = 1.0
    bins: int = 0
    relative: bool = False
    decibels: bool = False
    reference: float = 1.0
    least: float = 1e-5
    span: float = float("inf")


@dataclass(frozen=True)
class Frames:
    """How a caller wants signals to be framed; `make_frames` has checked it.

    Attributes
    ----------
    n_fft, hop : int
        Points of a frame, and samples from one to the next.
    window : bytes
        The weight of each point, float64.
    windowed : bool
        Not all weights are 1.
    center : bool
        The middle of frame t, rather than its beginning, is sample ``t * hop``.
    pad_mode : str
        How a signal is continued: one of `PADDINGS`.
    chunk : int
        Signals are filled with zeros to a multiple of this number of samples.
    """

    n_fft: int
    hop: int
    window: bytes
    windowed: bool = True
    center: bool = True
    pad_mode: str = "constant"
    chunk: int = 1

    @property
    def before(self) -> int:
        """How many samples before a signal its first frame begins."""
        return self.n_fft // 2 if self.center else 0

    def count(self, samples: int) -> int:
        """Return how many frames a signal of so many samples has."""
        return max(0, (self.extent(samples) - self.n_fft) // self.hop + 1)

    def available(self, samples: int) -> int:
        """Return how many frames are complete when so many samples of a signal are known.

        Only with the padding "reflect", which leaves out the first sample, may a frame need one
        sample more than lie within it.
        """
        if self.pad_mode == "reflect" and samples <= self.before:
            return 0
        return max(0, (samples + self.before - self.n_fft) // self.hop + 1)

    def extent(self, samples: int) -> int:
        """Return how many samples a signal and its padding have together."""
        return -(-samples // self.chunk) * self.chunk + 2 * self.before

    def over(
        self, samples: int, signals: int, precision: str, first: int = 0, pitch: int | None = None
    ) -> Framing:
        """Return what is to be planned for signals of so many samples.

        The signals lie one behind the other in memory, unless `first` and `pitch` say where the
        first one begins and how far it is from one to the next.
        """
        return Framing(
            n_fft=self.n_fft,
            hop=self.hop,
            frames=self.count(samples),
            samples=samples,
            signals=signals,
            before=self.before,
            padding=self.pad_mode,
            pad=self.before,
            windowed=self.windowed,
            precision=precision,
            first=first,
            pitch=samples if pitch is None else pitch,
        )


def make_frames(
    n_fft: int = 2048,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Window = "hann",
    center: bool = True,
    pad_mode: str = "constant",
) -> Frames:
    """Check how a caller wants signals to be framed; the parameters are those of `stft`.

    Raises
    ------
    PlanError
        A number, the window or the mode makes no sense.
    """
    n_fft = positive("n_fft", n_fft)
    length = n_fft if win_length is None else positive("win_length", win_length)
    hop = max(1, length // 4) if hop_length is None else positive("hop_length", hop_length)
    if not center or pad_mode == "empty":  # there is no padding, or its values do not matter
        pad_mode = "constant"
    choose("pad_mode", pad_mode, PADDINGS)
    asked: Any = (n_fft, hop, length, window, bool(center), pad_mode)
    # Windows with names are made once, which saves time in calls with short signals.
    return _frames(*asked) if isinstance(window, str) else _frames.__wrapped__(*asked)


@lru_cache(maxsize=64)
def _frames(
    n_fft: int, hop: int, length: int, window: Window, center: bool, pad_mode: str
) -> Frames:
    weights = frame_window(window, length, n_fft)
    return Frames(n_fft, hop, weights.tobytes(), not (weights == 1).all(), center, pad_mode)


def positive(name: str, value: Any) -> int:
    """Return a value that is a positive integer of 31 bits, or raise a PlanError with its name."""
    try:
        number = operator.index(value)
    except TypeError:
        number = 0
    if number < 1:
        raise PlanError(f"{name} must be a positive integer, not {value!r}")
    if number > MOST:
        raise PlanError(f"{name} must be {MOST} at most, not {number}")
    return number


def make_magnitudes(
    power: float = 1.0,
    normalize: str | None = None,
    db: bool = False,
    ref: float | str = 1.0,
    amin: float | None = None,
    top_db: float | None = 80.0,
) -> Magnitudes:
    """Check what numbers a caller wants; parameters and errors are those of `spectrogram`."""
    if not power > 0:
        raise PlanError(f"power must be positive, not {power!r}")
    if normalize not in (None, "max"):
        raise PlanError(f"normalize must be None or 'max', not {normalize!r}")
    if not db:
        return Magnitudes(float(power), relative=normalize == "max")
    if normalize:
        raise PlanError("decibels are relative to ref: leave normalize out, or db")
    ref = "max" if ref in (np.max, np.amax, max) else ref
    if not isinstance(ref, (int, float, np.number)) and ref != "max":
        raise PlanError(f"ref must be a number or 'max', not {ref!r}")
    least = max(1e-5**power, float(np.finfo(float).tiny)) if amin is None else float(amin)
    if not least > 0:
        raise PlanError(f"amin must be positive, not {amin!r}")
    if top_db is not None and not top_db >= 0:
        raise PlanError(f"top_db must not be negative, not {top_db!r}")
    return Magnitudes(
        float(power),
        relative=ref == "max",
        decibels=True,
        reference=1.0 if isinstance(ref, str) else abs(float(ref)),
        least=least,
        span=float("inf") if top_db is None else float(top_db),
    )


def relate(values: np.ndarray, magnitudes: Magnitudes) -> None:
    """Divide numbers by the greatest, or turn them into decibels, in place, as relate.cl does.

    Parameters
    ----------
    values : ndarray
        Magnitudes as a transform leaves them.
    magnitudes : Magnitudes
        The numbers that they are to become.
    """
    greatest = values.max()
    reference = greatest if magnitudes.relative else magnitudes.reference
    if not magnitudes.decibels:
        if reference != 0:
            values /= reference
        return
    factor, least = 20 / magnitudes.exponent, magnitudes.least
    base = np.log10(np.maximum(values.dtype.type(least), reference))
    lowest = (
        factor * (np.log10(np.maximum(values.dtype.type(least), greatest)) - base) - magnitudes.span
    )
    np.maximum(values, least, out=values)
    np.log10(values, out=values)
    values -= base
    values *= factor
    np.maximum(values, lowest, out=values)
