"""Frames of signals: what a caller asks for, checked, and what is to be planned.

`Frames` are what a caller asks for, of signals of any length; `Framing` is what is planned for so
many samples of them; `Magnitudes` are what spectra become.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ..errors import PlanError
from ..planning.problem import REAL_DTYPE, choose
from .windows import Window, frame_window

MOST = 2**31 - 1  # that a kernel counts to

# NumPy's names of what stands outside of a signal, in the order of frames.cl.
PADDINGS = ("constant", "edge", "reflect", "symmetric", "linear_ramp")


@dataclass(frozen=True)
class Framing:
    """Frames of signals.

    Attributes
    ----------
    n_fft : int
        Points of a frame.
    hop : int
        Samples from one frame to the next.
    frames : int
        Of each signal.
    samples : int
        Of each signal.
    signals : int
        How many.
    before : int
        Samples before a signal at which its first frame begins.
    padding : str
        What stands there, and behind its end: one of `PADDINGS`.
    pad : int
        Samples of it on either side.
    windowed : bool
        Points are multiplied by a window.
    precision : {"single", "double"}
        Of samples and spectra.
    first, pitch : int
        Where the first signal begins in memory, and how far the next one is, in samples.
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
        """Of a frame's spectrum."""
        return self.n_fft // 2 + 1

    @property
    def points(self) -> int:
        """Of all frames."""
        return self.signals * self.frames * self.n_fft

    @property
    def dtype(self) -> np.dtype:
        """Of samples."""
        return REAL_DTYPE[self.precision]


@dataclass(frozen=True)
class Magnitudes:
    """Real numbers that spectra become.

    Attributes
    ----------
    exponent : float
        Of the magnitude.
    bins : int
        The first so many of each spectrum; 0 for all.
    relative : bool
        They are divided by the greatest of all, or decibels are relative to it.
    decibels : bool
        They are logarithms.
    reference : float
        Of decibels that are not relative.
    least : float
        Decibels are those of this number at least.
    span : float
        None is more decibels below the greatest.
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
    """How a caller wants signals to be framed, checked.

    Attributes
    ----------
    n_fft, hop : int
        Points of a frame, and samples from one to the next.
    window : bytes
        Weight of each point, float64.
    windowed : bool
        Whether points do not all weigh 1.
    center : bool
        Frame t is around sample t hop, rather than from there on.
    pad_mode : str
        What stands outside of a signal.
    chunk : int
        Signals are filled with zeros to a multiple of so many samples.
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
        """Samples before a signal at which its first frame begins."""
        return self.n_fft // 2 if self.center else 0

    def count(self, samples: int) -> int:
        """Return how many frames a signal has."""
        return max(0, (self.extent(samples) - self.n_fft) // self.hop + 1)

    def available(self, samples: int) -> int:
        """Return how many frames need no sample behind the first so many of a signal.

        A reflection, which leaves out the first sample, is the only padding for which a frame may
        need one more than lie within it.
        """
        if self.pad_mode == "reflect" and samples <= self.before:
            return 0
        return max(0, (samples + self.before - self.n_fft) // self.hop + 1)

    def extent(self, samples: int) -> int:
        """Return over how many samples frames go, with those before and behind a signal."""
        return -(-samples // self.chunk) * self.chunk + 2 * self.before

    def over(
        self, samples: int, signals: int, precision: str, first: int = 0, pitch: int | None = None
    ) -> Framing:
        """Return what is to be planned for signals of so many samples, one behind the other.

        Unless it is said where the first of them begins and how far the next one is.
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
    """Check how a caller wants signals to be framed; parameters as of `stft`.

    Raises
    ------
    PlanError
        Numbers, a window or a mode that make no sense.
    """
    n_fft = positive("n_fft", n_fft)
    length = n_fft if win_length is None else positive("win_length", win_length)
    hop = max(1, length // 4) if hop_length is None else positive("hop_length", hop_length)
    if not center or pad_mode == "empty":  # nothing is padded, or with whatever one likes
        pad_mode = "constant"
    choose("pad_mode", pad_mode, PADDINGS)
    asked: Any = (n_fft, hop, length, window, bool(center), pad_mode)
    # Windows that are known by name are made once, for calls with short signals.
    return _frames(*asked) if isinstance(window, str) else _frames.__wrapped__(*asked)


@lru_cache(maxsize=64)
def _frames(
    n_fft: int, hop: int, length: int, window: Window, center: bool, pad_mode: str
) -> Frames:
    weights = frame_window(window, length, n_fft)
    return Frames(n_fft, hop, weights.tobytes(), not (weights == 1).all(), center, pad_mode)


def positive(name: str, value: Any) -> int:
    """Return a positive integer of 31 bits, or raise a PlanError that names it."""
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
    """Check what numbers a caller wants; parameters and errors as of `spectrogram`."""
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
    """Relate numbers on the host to the greatest of all, in place, as relate.cl does.

    Parameters
    ----------
    values : ndarray
        Magnitudes as a transform leaves them.
    magnitudes : Magnitudes
        What they are to become.
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
