"""Sounds without noise and hum."""

from __future__ import annotations

from math import log, prod
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..errors import PlanError
from ..planning.precision import COMPLEX_DTYPE, REAL_DTYPE
from ..transforms.call import converted
from .hum import remove_hum
from .magnitude_spectrogram import frame_points, number
from .on_device import launch, precision_of, queue_with, real_samples, result_like, uploaded
from .stft import istft, stft

SOURCE = "audio/noise.cl"

SECONDS = 0.0929  # the length of frames: 2048 samples at 22050 Hz
OVERLAP = 4  # frames begin a quarter of a frame apart
QUIET = 0.3  # the part of all frames in which a bin is taken to hold noise alone
AROUND, LOW = 24, 0.3  # bins on each side, and the part of them that holds no partials
MEMORY = 0.95  # the share of the frame before in the first estimate of what is no noise


def denoise(
    y: Any,
    *,
    sr: float,
    noise: Any = None,
    reduction: float = 12.0,
    hum: int | None = None,
    queue: cl.CommandQueue | None = None,
) -> Any:
    """Remove steady noise, such as that of a tape or of a fan, and the hum of the mains.

    Parameters
    ----------
    y : array_like or pyopencl.array.Array, shape (..., samples)
        Real signals.
    sr : float
        Samples a second.
    noise : array_like or pyopencl.array.Array, shape (samples,) or that of signals, optional
        Noise alone, for example a second before the music begins. By default the noise is sought in
        the quieter frames of each bin of `y`.
    reduction : float
        The most decibels by which a bin gets softer; 0 leaves noise as it is.
    hum : {None, 50, 60}
        The frequency of the mains, in Hz, whose hum is removed with all its harmonics up to 3 kHz.
    queue : cl.CommandQueue, optional
        The queue to run on. The default is the queue of a device array, or the default queue.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., samples)
        The signals without noise: float32 for float32 and float16, otherwise float64.

    Raises
    ------
    PlanError
        A ValueError: an option makes no sense, or the signals are too short for `hum`.
    DeviceError, DeviceMemoryError
        As `stft` raises them.

    See Also
    --------
    edit_spectrogram : Change ranges of time and frequency.

    Notes
    -----
    Each bin is multiplied by a gain that follows from its power beside that of the noise, as in a
    Wiener filter. A first estimate goes on from frame to frame, so that noise does not flicker; a
    second one follows an attack at once. Where no noise is given, its level is a low quantile of
    each bin's power over time, then of neighbouring bins, so that tones that sound all the time are
    no noise.

    Hum is a sum of sines that go on for seconds with the same phase; their exact frequency, their
    amplitudes and phases are found, and they are subtracted. So a note between two harmonics stays
    as it is.

    References
    ----------
    Y. Ephraim, D. Malah, "Speech enhancement using a minimum mean-square error short-time spectral
    amplitude estimator", IEEE Trans. ASSP-32 (1984).

    C. Plapous, C. Marro, P. Scalart, "Improved signal-to-noise ratio estimation for speech
    enhancement", IEEE Trans. ASLP 14 (2006).

    Examples
    --------
    >>> import numpy as np
    >>> import pyclfft
    >>> t = np.arange(2 * 22050) / 22050
    >>> clean = np.sin(2 * np.pi * 440 * t)
    >>> noisy = clean + 0.2 * np.random.default_rng(1).standard_normal(t.size)
    >>> better = pyclfft.denoise(noisy, sr=22050)
    >>> bool(np.std(better - clean) < 0.35 * np.std(noisy - clean))
    True
    """
    sr = number("sr", sr)
    reduction = number("reduction", reduction, -1)
    if reduction < 0:
        raise PlanError(f"reduction is a number of decibels from 0 on, not {reduction:g}")
    given = real_samples(y)
    precision = precision_of(given)
    queue = queue_with(queue, precision, given)
    samples, count = given.shape[-1], prod(given.shape[:-1])
    on_device = isinstance(given, cl_array.Array)
    signals = _rows(given, queue)
    if on_device and (hum is not None or not reduction):  # the caller's own memory stays as it is
        signals = signals.copy(queue)
    if hum is not None:
        remove_hum(signals, sr, hum, queue)
    if reduction:
        n_fft = min(frame_points(sr, SECONDS), max(16, 1 << (samples.bit_length() - 1)))
        spectra = _spectra(signals, n_fft, queue)
        if noise is None:
            levels = _levels_within(spectra, queue)
        else:
            levels = _levels_of(noise, n_fft, count, precision, queue)
        _suppress(spectra, levels, reduction, queue)
        turned = spectra.transpose((0, 2, 1))
        signals = istft(turned, n_fft // OVERLAP, n_fft=n_fft, length=samples, queue=queue)
    result = signals.reshape(given.shape)
    return result if on_device else result.get()


def _rows(given: Any, queue: cl.CommandQueue) -> cl_array.Array:
    """Return signals on the device in the shape (signals, samples)."""
    return uploaded(given, queue).reshape(-1, given.shape[-1])


def _spectra(
    signals: cl_array.Array, n_fft: int, queue: cl.CommandQueue, center: bool = True
) -> cl_array.Array:
    """Return spectra of the shape (signals, frames, bins)."""
    count, samples = signals.shape
    hop = n_fft // OVERLAP
    frames = (samples if center else samples - n_fft) // hop + 1
    shape = (count, frames, n_fft // 2 + 1)
    spectra = result_like(signals, queue, shape, COMPLEX_DTYPE[precision_of(signals)])
    stft(signals, n_fft, hop, center=center, out=spectra.transpose((0, 2, 1)), queue=queue)
    return spectra


def _levels_within(spectra: cl_array.Array, queue: cl.CommandQueue) -> np.ndarray:
    """Return the power of the noise in spectra, by bins, shape (signals, bins)."""
    _, frames, bins = spectra.shape
    rank = int(QUIET * (frames - 1))
    quiet = _powers("quantilePowers", spectra, queue, rank)
    means = quiet / -log(1 - (rank + 0.5) / frames)  # as the powers of white noise are distributed
    around = min(AROUND, bins - 1)
    padded = np.pad(means, ((0, 0), (around, around)), mode="reflect")
    near = np.lib.stride_tricks.sliding_window_view(padded, 2 * around + 1, axis=1)
    return np.quantile(near, LOW, axis=-1)


def _levels_of(
    noise: Any, n_fft: int, count: int, precision: str, queue: cl.CommandQueue
) -> np.ndarray:
    """Return the mean power of noise that is given, by bins, shape (signals, bins)."""
    given = real_samples(noise, "noise")
    if precision_of(given) != precision:
        given = converted(given, REAL_DTYPE[precision])
    rows = _rows(given, queue)
    if len(rows) not in (1, count):
        raise PlanError(
            f"noise has {len(rows)} channels, and the signals have {count}: give noise of one "
            "channel, or of each"
        )
    if rows.shape[1] < n_fft:
        raise PlanError(
            f"noise has {rows.shape[1]} samples, and a frame has {n_fft}: give a longer part"
        )
    levels = _powers("meanPowers", _spectra(rows, n_fft, queue, center=False), queue)
    return np.broadcast_to(levels, (count, levels.shape[1]))


def _powers(kernel: str, spectra: cl_array.Array, queue: cl.CommandQueue, *more: int) -> np.ndarray:
    """Return a number for each bin of each signal, by a kernel, as float64 on the host."""
    signals, frames, bins = spectra.shape
    precision = precision_of(spectra)
    levels = result_like(spectra, queue, (signals, bins), REAL_DTYPE[precision])
    launch(
        queue, kernel, SOURCE, (bins, signals), spectra, levels, frames, bins, *more,
        precision=precision,
    )  # fmt: skip
    return levels.get().astype(np.float64)


def _suppress(
    spectra: cl_array.Array, levels: np.ndarray, reduction: float, queue: cl.CommandQueue
) -> None:
    """Multiply spectra by their gains, in place."""
    signals, frames, bins = spectra.shape
    precision = precision_of(spectra)
    real = REAL_DTYPE[precision]
    launch(
        queue, "suppressNoise", SOURCE, (bins, signals), spectra,
        np.ascontiguousarray(levels, real), frames, bins, MEMORY, 10 ** (-reduction / 20),
        precision=precision,
    )  # fmt: skip
