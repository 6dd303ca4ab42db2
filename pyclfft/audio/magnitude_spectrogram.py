"""Magnitudes of a signal, in which onsets, pitch classes and notes are sought.

They come from the device, by `spectrogram`, or from the caller; what follows looks at some
thousands of frames and runs in NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..errors import PlanError
from .framing import positive
from .stft import spectrogram

ONSET_SECONDS = 0.0929  # of a frame in which onsets are sought: 2048 samples at 22050 Hz
PITCH_SECONDS = 0.1858  # of a frame in which pitches are told apart
NOTHING = 1e-30  # magnitudes that are silence: their inverse is no float32


@dataclass(frozen=True, eq=False)
class MagnitudeSpectrogram:
    """A magnitude spectrogram, checked.

    Attributes
    ----------
    values : ndarray of float32, shape (frames, bins)
        Frame by frame.
    sr : float
        Samples a second.
    n_fft, hop : int
        Points of a frame, and samples from one to the next.
    greatest : float
        Of all magnitudes; 0 for no frames.
    """

    values: np.ndarray
    sr: float
    n_fft: int
    hop: int
    greatest: float

    @property
    def lag(self) -> int:
        """Frames in which a window rises from half its height to all of it."""
        return max(1, round(self.n_fft / 4 / self.hop))

    @property
    def rate(self) -> float:
        """Frames a second."""
        return self.sr / self.hop


def frame_points(sr: float, seconds: float) -> int:
    """Return the power of two that is closest to so many seconds."""
    return 2 ** max(4, round(log2(sr * seconds)))


def magnitudes_of(
    y: Any,
    S: Any,  # noqa: N803  librosa's name
    sr: float,
    n_fft: int,
    hop: int,
    queue: cl.CommandQueue | None = None,
) -> MagnitudeSpectrogram:
    """Return the magnitudes of a signal, or those that a caller has.

    Parameters
    ----------
    y : array_like or pyopencl.array.Array, shape (samples,), or None
        A signal. Of two dimensions, it is taken as `S`.
    S : array_like or pyopencl.array.Array, shape (bins, frames), or None
        Magnitudes.
    sr : float
        Samples a second.
    n_fft, hop : int
        How the signal is framed; with `S`, its bins tell `n_fft`.
    queue : cl.CommandQueue, optional
        Where to run.

    Returns
    -------
    MagnitudeSpectrogram

    Raises
    ------
    PlanError
        Neither or both are given, or what is given makes no sense.
    """
    sr = number("sr", sr)
    hop = positive("hop_length", hop)
    if (y is None) == (S is None):
        raise PlanError("give either a signal y or a magnitude spectrogram S")
    given = y if S is None else S
    given = given if isinstance(given, cl_array.Array) else np.asarray(given)
    if S is not None or given.ndim == 2:
        values = _spectrogram_values(given)
        return MagnitudeSpectrogram(values, sr, 2 * (values.shape[1] - 1), hop, _greatest(values))
    return signal_magnitudes(given, sr, positive("n_fft", n_fft), hop, queue)


def signal_magnitudes(
    y: Any, sr: float, n_fft: int, hop: int, queue: cl.CommandQueue | None = None
) -> MagnitudeSpectrogram:
    """Return the magnitudes of a signal; parameters and errors as of `magnitudes_of`."""
    if y.ndim != 1:
        raise PlanError(f"the signal has the shape {y.shape}, not (samples,): mix its channels")
    if y.dtype.kind not in "iuf":
        raise PlanError(f"the signal is of {y.dtype}: give real numbers")
    if 0 < y.shape[0] < n_fft:  # which a transform would warn of
        y = y.get() if isinstance(y, cl_array.Array) else y
        y = np.pad(y, (0, n_fft - len(y)))
    found = spectrogram(y, n_fft, hop, dtype=np.float32, queue=queue)
    values = found.get() if isinstance(found, cl_array.Array) else found
    if y.dtype.kind in "iu":
        values = values / np.float32(np.iinfo(y.dtype).max)
    return MagnitudeSpectrogram(values.T, sr, n_fft, hop, _greatest(values))


def _spectrogram_values(given: Any) -> np.ndarray:
    values = given.get() if isinstance(given, cl_array.Array) else given
    if values.ndim != 2:
        raise PlanError(f"a spectrogram has the shape (bins, frames), not {values.shape}")
    if values.dtype.kind not in "iuf":
        raise PlanError(f"the spectrogram is of {values.dtype}: give magnitudes, abs(S)")
    refuse_channels(values.shape)
    if values.min(initial=0) < 0:
        raise PlanError("the spectrogram has negative numbers: give magnitudes, not decibels")
    return values.T.astype(np.float32, copy=False)


def refuse_channels(shape: tuple[int, ...]) -> None:
    """Raise a PlanError where a shape is that of channels rather than of bins and frames."""
    bins, frames = shape
    if bins < 9 or (frames <= 2 and bins > 2**15):
        raise PlanError(
            f"the shape {shape} looks like samples of several channels: "
            f"mix them, for example by y.mean(axis={int(bins >= 9)})"
        )


def _greatest(values: np.ndarray) -> float:
    greatest = float(values.max(initial=0))
    if not np.isfinite(greatest):  # as a NaN anywhere makes it
        raise PlanError(
            "the signal holds NaN, infinity or numbers too large to be squared: change them"
        )
    return greatest if greatest > NOTHING else 0.0


def number(name: str, value: Any, least: float = 0.0) -> float:
    """Return a finite number above the least one, or raise a PlanError that names it."""
    try:
        result = float(value)
    except (TypeError, ValueError):
        result = float("nan")
    if not least < result < float("inf"):
        raise PlanError(f"{name} must be a number above {least:g}, not {value!r}")
    return result


def spectral_peaks(spectra: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the peaks of magnitudes, and where they are between the bins.

    Parameters
    ----------
    spectra : ndarray, shape (frames, bins)
        Magnitudes.

    Returns
    -------
    strength : ndarray, shape (frames, bins)
        Height of the peak at a bin; 0 where there is none.
    bins : ndarray, shape (frames, bins)
        Vertex of the parabola through the logarithms of three magnitudes.
    """
    tiny = np.float32(1e-12)
    logs = np.log(np.maximum(spectra, tiny))
    left, middle, right = logs[:, :-2], logs[:, 1:-1], logs[:, 2:]
    is_peak = (middle > left) & (middle >= right) & (spectra[:, 1:-1] > tiny)
    bend = np.where(is_peak, 2 * middle - left - right, 1)
    shift = np.where(is_peak, (right - left) / (2 * np.maximum(bend, 1e-6)), 0)
    height = np.where(is_peak, np.exp(middle + 0.25 * (right - left) * shift), 0)
    edges = ((0, 0), (1, 1))
    return np.pad(height, edges), np.arange(spectra.shape[1]) + np.pad(shift, edges)
