"""Magnitudes of a signal, in which onsets, pitch classes and notes are sought.

The magnitudes come from the device, by `spectrogram`, or from the caller. The search looks at some
thousands of frames only, so it runs in NumPy.
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

ONSET_SECONDS = 0.0929  # the length of frames in which onsets are sought: 2048 samples at 22050 Hz
PITCH_SECONDS = 0.1858  # the length of frames in which pitches are told apart
NOTHING = 1e-30  # magnitudes up to here are silence, because their inverse is no float32


@dataclass(frozen=True, eq=False)
class MagnitudeSpectrogram:
    """A magnitude spectrogram; `magnitudes_of` has checked it.

    Attributes
    ----------
    values : ndarray of float32, shape (frames, bins)
        The magnitudes, frame by frame.
    sr : float
        Samples a second.
    n_fft, hop : int
        Points of a frame, and samples from one frame to the next.
    greatest : float
        The greatest magnitude of all; 0 if there are no frames.
    """

    values: np.ndarray
    sr: float
    n_fft: int
    hop: int
    greatest: float

    @property
    def lag(self) -> int:
        """The number of frames in which a window rises from half of its height to its height."""
        return max(1, round(self.n_fft / 4 / self.hop))

    @property
    def rate(self) -> float:
        """Frames a second."""
        return self.sr / self.hop


def frame_points(sr: float, seconds: float) -> int:
    """Return the power of two whose samples last about so many seconds."""
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
        A signal. An array of two dimensions is taken as `S`.
    S : array_like or pyopencl.array.Array, shape (bins, frames), or None
        Magnitudes.
    sr : float
        Samples a second.
    n_fft, hop : int
        How the signal is framed. If `S` is given, `n_fft` follows from the number of its bins.
    queue : cl.CommandQueue, optional
        The queue to run on.

    Returns
    -------
    MagnitudeSpectrogram

    Raises
    ------
    PlanError
        Neither or both of `y` and `S` are given, or the given one makes no sense.
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
    """Return the magnitudes of a signal; parameters and errors are those of `magnitudes_of`."""
    if y.ndim != 1:
        raise PlanError(f"the signal has the shape {y.shape}, not (samples,): mix its channels")
    if y.dtype.kind not in "iuf":
        raise PlanError(f"the signal is of {y.dtype}: give real numbers")
    if 0 < y.shape[0] < n_fft:  # `spectrogram` would warn of a signal shorter than a frame
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
    """Raise a PlanError if a shape is that of channels rather than of bins and frames."""
    bins, frames = shape
    if bins < 9 or (frames <= 2 and bins > 2**15):
        raise PlanError(
            f"the shape {shape} looks like samples of several channels: "
            f"mix them, for example by y.mean(axis={int(bins >= 9)})"
        )


def _greatest(values: np.ndarray) -> float:
    greatest = float(values.max(initial=0))
    if not np.isfinite(greatest):  # because a NaN anywhere makes the maximum NaN
        raise PlanError(
            "the signal holds NaN, infinity or numbers too large to be squared: change them"
        )
    return greatest if greatest > NOTHING else 0.0


def number(name: str, value: Any, least: float = 0.0) -> float:
    """Return a value that is a finite number above `least`, or raise a PlanError with its name."""
    try:
        result = float(value)
    except (TypeError, ValueError):
        result = float("nan")
    if not least < result < float("inf"):
        raise PlanError(f"{name} must be a number above {least:g}, not {value!r}")
    return result


def spectral_peaks(spectra: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the peaks of magnitudes, and their exact places between the bins.

    Parameters
    ----------
    spectra : ndarray, shape (frames, bins)
        Magnitudes.

    Returns
    -------
    strength : ndarray, shape (frames, bins)
        The height of the peak at a bin; 0 if there is none.
    bins : ndarray, shape (frames, bins)
        The place of the peak in bins: the vertex of the parabola through the logarithms of three
        neighbouring magnitudes.
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
