"""Sounds without noise and hum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..errors import PlanError
from ..planning.precision import COMPLEX_DTYPE, READABLE, REAL_DTYPE
from ..transforms.call import converted
from .hum import without_hum
from .magnitude_spectrogram import frame_points, number
from .noise_levels import found_levels, given_levels, signals_at_once
from .on_device import launch, precision_of, queue_with, real_samples, result_like, uploaded
from .sound_blocks import (
    Block,
    Signals,
    Sound,
    bytes_of_a_block,
    evenly,
    frames_of_a_block,
    sound_of,
    spectra_of,
)
from .stft import istft

SOURCE = "audio/noise.cl"

SECONDS = 0.0929  # the length of frames: 2048 samples at 22050 Hz
OVERLAP = 4  # frames begin a quarter of a frame apart
MORE = OVERLAP - 1  # frames beside the one that begins with a sample that hold it, too
MEMORY = 0.4  # the share of the frame before in the first estimate of what is no noise
LEAST_FRAMES = 32  # frames of a block, if there are so many signals that it has to be short
WIDE = 3  # as in noise.cl: the frames before one, and those behind it, that its gain depends on


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
        Noise alone, for example a second before the music begins. By default the level of the noise
        is found in `y` itself.
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
    Each bin is multiplied by a gain that is computed from the power of the bin and the power of
    the noise, as in a Wiener filter. A first estimate of the music's power is carried from frame to
    frame, so that noise does not flicker. It looks at neighbouring bins, too, so that it finds
    partials that move. A second estimate follows an attack at once. If the bins around a bin, in
    the frames before and behind, hold hardly more power than noise would, the bin counts as noise,
    whatever its own power. If no noise is given, its level is found from the small powers of
    neighbouring bins, so that tones that sound all the time do not count as noise.

    Hum is a sum of sines that go on for seconds with the same phase. Their exact frequency, their
    amplitudes and their phases are found, and the sines are subtracted. So a note between two
    harmonics of the hum stays as it is.

    Long signals go through the device in blocks: once for the hum, once for the level of the noise,
    and once for the result. Apart from rounding errors, the result does not depend on the blocks.

    References
    ----------
    Y. Ephraim, D. Malah, "Speech enhancement using a minimum mean-square error short-time spectral
    amplitude estimator", IEEE Trans. ASSP-32 (1984).

    C. Plapous, C. Marro, P. Scalart, "Improved signal-to-noise ratio estimation for speech
    enhancement", IEEE Trans. ASLP 14 (2006).

    I. Cohen, B. Berdugo, "Speech enhancement for non-stationary noise environments", Signal
    Processing 81 (2001): whether there is a signal, from the powers around a bin.

    W. L. Deemer, D. F. Votaw, "Estimation of parameters of truncated or censored exponential
    distributions", Ann. Math. Statist. 26 (1955): the level of noise, from its small powers.

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
    wanted = Wanted.checked(sr, reduction, hum)
    given = real_samples(y)
    queue = queue_with(queue, precision_of(given), given)
    on_device = isinstance(given, cl_array.Array)
    rows = (uploaded(given, queue) if on_device else given).reshape(-1, given.shape[-1])
    alone = None if noise is None else _noise_alone(noise, len(rows), rows.dtype, queue)
    result = result_like(given, queue, rows.shape, rows.dtype) if on_device else np.empty_like(rows)
    for group, blocks in cleaned(sound_of(rows, queue), alone, wanted, queue):
        for block in blocks:
            if on_device:
                block.paste(result, group.start, queue)
            else:
                result[group, block.first : block.first + block.length] = block.get()
    return result.reshape(given.shape)


def _noise_alone(noise: Any, count: int, dtype: np.dtype, queue: cl.CommandQueue) -> Sound:
    """Return noise of one channel or of `count` channels."""
    given = real_samples(noise, "noise")
    if given.dtype != dtype:
        given = converted(given, dtype)
    if isinstance(given, cl_array.Array):
        given = uploaded(given, queue)
    rows = given.reshape(-1, given.shape[-1])
    if len(rows) not in (1, count):
        raise PlanError(
            f"noise has {len(rows)} channels, and the signals have {count}: give noise of one "
            "channel, or of each"
        )
    return sound_of(rows, queue)


# --- of arrays and of files -----------------------------------------------------------------------


@dataclass(frozen=True)
class Wanted:
    """What is to be removed; attributes as the parameters of `denoise`."""

    sr: float
    reduction: float
    hum: int | None

    @classmethod
    def checked(cls, sr: Any, reduction: Any, hum: int | None) -> Wanted:
        """Return what a caller wants, or raise a PlanError that says what makes no sense."""
        sr, reduction = number("sr", sr), number("reduction", reduction, -1)
        if reduction < 0:
            raise PlanError(f"reduction is a number of decibels from 0 on, not {reduction:g}")
        return cls(sr, reduction, hum)

    def points(self, samples: int) -> int:
        """Return the points of a frame, for signals of so many samples."""
        return min(frame_points(self.sr, SECONDS), max(16, 1 << (samples.bit_length() - 1)))


def cleaned(
    sound: Sound, noise: Sound | None, wanted: Wanted, queue: cl.CommandQueue
) -> list[tuple[slice, Iterator[Block]]]:
    """Remove noise and hum from a sound, some channels at a time, block by block.

    Parameters
    ----------
    sound : Sound
        The sound, which is read up to three times, or more often where the limit of the device's
        memory leaves room for the histograms of few bins.
    noise : Sound or None
        Noise alone, of one channel or of as many as the sound has.
    wanted : Wanted
        What is to be removed.
    queue : cl.CommandQueue
        The queue to run on.

    Returns
    -------
    list of (slice, iterator of Block)
        Some channels, and the blocks of their result. The blocks of all channels begin at the same
        samples. An iterator that waits holds no block on the device.

    Raises
    ------
    PlanError
        The sound is too short for hum, or the noise is shorter than a frame. The iterators raise
        the error.
    """
    groups = _groups(sound, wanted)
    together = _samples_of_a_block(sound.some(groups[0]), wanted)

    def blocks(group: slice) -> Iterator[Block]:
        alone = None
        if noise is not None:
            alone = noise.some(slice(None) if noise.count == 1 else group)
        return _cleaned(sound.some(group), alone, wanted, together, queue)

    return [(group, blocks(group)) for group in groups]


def _groups(sound: Sound, wanted: Wanted) -> list[slice]:
    """Return which channels are treated at once: as many as there is room for."""
    points = wanted.points(sound.samples)
    spectrum = (points // 2 + 1) * COMPLEX_DTYPE[READABLE[sound.dtype][0]].itemsize
    frames = min(LEAST_FRAMES, sound.samples * OVERLAP // points + 1)
    most = max(1, min(signals_at_once(points), bytes_of_a_block() // (frames * spectrum)))
    together = evenly(sound.count, most)
    return [
        slice(first, min(first + together, sound.count))
        for first in range(0, sound.count, together)
    ]


def _samples_of_a_block(signals: Signals, wanted: Wanted) -> int:
    """Return how many samples of the result a block has."""
    points = wanted.points(signals.samples)
    hop = points // OVERLAP
    most = max(OVERLAP, frames_of_a_block(signals, points) - MORE - 2 * WIDE)
    return evenly(-(-signals.samples // hop), most) * hop


def _cleaned(
    signals: Signals, noise: Signals | None, wanted: Wanted, together: int, queue: cl.CommandQueue
) -> Iterator[Block]:
    """Yield the result of some channels, `together` samples a block."""
    if wanted.hum is not None:
        signals = without_hum(signals, wanted.sr, wanted.hum, queue)
    points = wanted.points(signals.samples)
    if wanted.reduction:
        levels = _levels(signals, noise, wanted, queue)
        yield from _suppressed(signals, levels, wanted.reduction, together, points, queue)
        return
    for first in range(0, signals.samples, together):
        length = min(together, signals.samples - first)
        yield Block(first, length, 0, signals.cut(first, length))


def _levels(
    signals: Signals, noise: Signals | None, wanted: Wanted, queue: cl.CommandQueue
) -> np.ndarray:
    """Return the power of noise in each bin, shape (signals, bins)."""
    points = wanted.points(signals.samples)
    hop = points // OVERLAP
    if noise is None:
        return found_levels(signals, points, hop, queue)
    if noise.samples < points:
        raise PlanError(
            f"noise has {noise.samples} samples, and a frame has {points}: give a longer part, of "
            f"{ceil(1000 * points / wanted.sr) / 1000:g} s or more"
        )
    return np.broadcast_to(
        given_levels(noise, points, hop, queue), (signals.count, points // 2 + 1)
    )


def _suppressed(
    signals: Signals, levels: np.ndarray, reduction: float, together: int, points: int,
    queue: cl.CommandQueue,
) -> Iterator[Block]:  # fmt: skip
    """Yield signals without noise, `together` samples a block.

    Four frames hold each sample, so that the samples of a block need three frames more than there
    are hops in it; the next block computes these again, from the state that the first of them
    begins with. The gains need `WIDE` frames more on both sides.
    """
    hop, real = points // OVERLAP, REAL_DTYPE[signals.precision]
    known = uploaded(np.ascontiguousarray(levels, real), queue)
    states = uploaded(np.zeros(levels.shape, real), queue)
    before = (MORE + WIDE) * hop

    def block(first: int) -> Block:
        spectra = spectra_of(signals.cut(first - before, together + 2 * before), points, hop, queue)
        frames = _suppress(spectra, known, states, together // hop, reduction, queue)
        length = (frames.shape[1] - 1) * hop + points
        turned = frames.transpose((0, 2, 1))
        result = istft(turned, hop, n_fft=points, center=False, length=length, queue=queue)
        return Block(first, min(together, signals.samples - first), MORE * hop, result)

    yield from map(block, range(0, signals.samples, together))


def _suppress(
    spectra: cl_array.Array, levels: cl_array.Array, states: cl_array.Array, hops: int,
    reduction: float, queue: cl.CommandQueue,
) -> cl_array.Array:  # fmt: skip
    """Remove noise from the frames of a block of so many hops, in place; return these frames."""
    count, frames, bins = spectra.shape
    options: dict[str, Any] = {"precision": precision_of(spectra), "WIDE": WIDE}
    near = result_like(spectra, queue, spectra.shape, spectra.dtype)
    launch(
        queue, "nearPowers", SOURCE, (bins, frames, count), spectra, near, frames, bins, **options
    )
    launch(
        queue, "suppressNoise", SOURCE, (bins, count), spectra, near, levels, states, frames, bins,
        WIDE, hops + MORE, WIDE + hops, MEMORY, 10 ** (-reduction / 20), **options,
    )  # fmt: skip
    return spectra[:, WIDE : WIDE + hops + MORE]
