"""Editing sounds by their spectrograms: ranges of time and frequency made louder or softer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, inf, isnan, prod
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..errors import PlanError
from ..planning.precision import COMPLEX_DTYPE
from .framing import positive
from .magnitude_spectrogram import number
from .on_device import launch, precision_of, queue_with, real_samples, result_like, uploaded
from .stft import istft, stft

SOURCE = "audio/regions.cl"


class Region(NamedTuple):
    """A range of time and frequency, and how much louder it becomes.

    Attributes
    ----------
    start, end : float
        Where the range begins and ends, in seconds.
    fmin, fmax : float
        The lowest and the highest frequency, in Hz.
    gain : float
        Decibels: -6 for half the amplitude; minus infinity, the default, erases.
    fade : float
        The seconds in which the gain rises at the start and falls at the end, inside the range.
    slope : float
        The Hz over which the gain rises from `fmin` on and falls up to `fmax`, inside the range.

    See Also
    --------
    edit_spectrogram : Make regions of a signal louder or softer, or erase them.
    """

    start: float = 0.0
    end: float = inf
    fmin: float = 0.0
    fmax: float = inf
    gain: float = -inf
    fade: float = 0.02
    slope: float = 50.0

    @property
    def factor(self) -> float:
        """The factor of amplitudes in the middle of the region."""
        return 10.0 ** (self.gain / 20)


def edit_spectrogram(
    y: Any,
    regions: Iterable[Region | Sequence[float]],
    *,
    sr: float,
    n_fft: int = 2048,
    hop_length: int | None = None,
    queue: cl.CommandQueue | None = None,
) -> Any:
    """Make ranges of time and frequency louder or softer, or erase them.

    Parameters
    ----------
    y : array_like or pyopencl.array.Array, shape (..., samples)
        Real signals.
    regions : iterable of Region
        What changes; a tuple or a list has the attributes of a `Region` in order. Where regions
        overlap, both gains count.
    sr : float
        Samples a second.
    n_fft : int
        Points of a frame: more of them tell frequencies apart better, fewer tell times.
    hop_length : int, optional
        Samples from one frame to the next; a quarter of `n_fft` by default, and at most half.
    queue : cl.CommandQueue, optional
        The queue to run on. The default is the queue of a device array, or the default queue.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., samples)
        The signals with the changes, as a new array: float32 for float32 and float16, otherwise
        float64. All samples that lie in no frame of a region are those of `y`, to the last bit.

    Raises
    ------
    PlanError
        A ValueError: a region is empty, or an option makes no sense.
    DeviceError, DeviceMemoryError
        As `stft` raises them.

    See Also
    --------
    denoise : Remove noise and hum.
    stft : The spectra whose bins change.

    Notes
    -----
    The gain of a frame is that at its middle, and a frame reaches half of `n_fft` samples to both
    sides of it. A region that begins at 0 or ends behind the signal reaches over the signal's end
    without a fade; one that begins at 0 Hz or ends behind sr / 2 reaches over that without a slope.

    Examples
    --------
    Erase a tone of 3 kHz and leave that of 440 Hz:

    >>> import numpy as np
    >>> import pyclfft
    >>> t = np.arange(22050) / 22050
    >>> tones = [np.sin(2 * np.pi * f * t) for f in (440, 3000)]
    >>> y = pyclfft.edit_spectrogram(sum(tones), [pyclfft.Region(fmin=2500)], sr=22050)
    >>> bool(abs(y - tones[0])[2048:-2048].max() < 1e-6)  # both tones begin and end with a click
    True
    """
    sr, n_fft = number("sr", sr), positive("n_fft", n_fft)
    hop = max(1, n_fft // 4) if hop_length is None else positive("hop_length", hop_length)
    if n_fft < 2 or hop > n_fft // 2:
        raise PlanError(
            f"frames have 2 points at least and overlap by half, not {n_fft} points, {hop} apart"
        )
    wanted = [_checked(each) for each in regions]
    signal = real_samples(y)
    queue = queue_with(queue, precision_of(signal), signal)
    framing = _Framing(sr, n_fft, hop, signal.shape[-1])
    stretch = _stretch(wanted, framing)
    if isinstance(signal, cl_array.Array):
        return _on_device(signal, wanted, framing, stretch, queue)
    result = np.array(signal)
    if stretch is None:
        return result
    rows = result.reshape(-1, framing.samples)
    inside = slice(max(0, stretch.first), min(framing.samples, stretch.end))
    before, behind = inside.start - stretch.first, stretch.end - inside.stop
    held = uploaded(np.pad(rows[:, inside], ((0, 0), (before, behind))), queue)
    change = _change(held, wanted, framing, stretch, queue)
    _add(held, change, 0, queue)
    rows[:, inside] = held.get()[:, before : before + inside.stop - inside.start]
    return result


def _checked(given: Region | Sequence[float]) -> Region:
    """Return a region, or raise a PlanError that says what is wrong with it."""
    try:
        region = Region(*map(float, given))
    except (TypeError, ValueError):
        raise PlanError(
            f"a region has the numbers {', '.join(Region._fields)}, not {given!r}"
        ) from None
    if any(map(isnan, region)) or region.gain == inf:
        raise PlanError(f"a region has numbers, and its gain is finite or -inf: not {region}")
    if not (region.start < region.end and region.fmin < region.fmax):
        raise PlanError(f"a region has start < end and fmin < fmax, not {region}")
    if region.fade < 0 or region.slope < 0:
        raise PlanError(f"fade and slope of a region are not negative, as in {region}")
    return region


@dataclass(frozen=True)
class _Framing:
    """Frames whose middles are multiples of `hop`, also before signals and behind them."""

    sr: float
    n_fft: int
    hop: int
    samples: int

    @property
    def numbers(self) -> range:
        """The numbers of all frames that hold samples of the signals."""
        half = self.n_fft / 2
        return range(floor(-half / self.hop) + 1, ceil((self.samples - 1 + half) / self.hop))

    @property
    def reach(self) -> int:
        """How many frames on each side of one overlap with it."""
        return ceil(self.n_fft / self.hop)

    def by_frame(self, region: Region, frames: range) -> np.ndarray:
        """Return the weight of a region for each frame, by its middle."""
        start = -inf if region.start <= 0 else region.start
        end = inf if region.end >= self.samples / self.sr else region.end
        return _ramp(np.array(frames) * (self.hop / self.sr), start, end, region.fade)

    def by_bin(self, region: Region) -> np.ndarray:
        """Return the weight of a region for each bin."""
        hertz = np.arange(self.n_fft // 2 + 1) * (self.sr / self.n_fft)
        low = -inf if region.fmin <= 0 else region.fmin
        high = inf if region.fmax >= self.sr / 2 else region.fmax
        return _ramp(hertz, low, high, region.slope)


def _ramp(at: np.ndarray, begin: float, end: float, width: float) -> np.ndarray:
    """Return weights from 0 to 1: 0 outside, and half a cosine of a width inside each edge."""
    inside = np.minimum(at - begin, end - at)
    width = min(width, (end - begin) / 2)
    part = np.clip(inside / width, 0, 1) if width > 0 else (inside >= 0).astype(float)
    return np.sin(np.pi / 2 * part) ** 2


@dataclass(frozen=True)
class _Stretch:
    """The frames that may change, with as many on both sides as overlap with them.

    Attributes
    ----------
    frames : range
        The numbers of the frames.
    first, end : int
        The first sample of the first frame, and the one behind the last frame.
    """

    frames: range
    first: int
    end: int


def _stretch(regions: Sequence[Region], framing: _Framing) -> _Stretch | None:
    """Return the stretch that holds all frames of regions; None if no frame changes."""
    frames = framing.numbers
    touched = np.zeros(len(frames), bool)
    for region in regions:
        if framing.by_bin(region).any():
            touched |= framing.by_frame(region, frames) > 0
    if not touched.any():
        return None
    found = np.flatnonzero(touched)
    begin = frames[int(found[0])] - framing.reach
    end = frames[int(found[-1])] + framing.reach + 1
    first = begin * framing.hop - framing.n_fft // 2
    length = (end - 1 - begin) * framing.hop + framing.n_fft
    return _Stretch(range(begin, end), first, first + length)


def _change(
    held: cl_array.Array,
    regions: Sequence[Region],
    framing: _Framing,
    stretch: _Stretch,
    queue: cl.CommandQueue,
) -> cl_array.Array:
    """Return what is to be added to the samples of a stretch, shape (signals, samples)."""
    signals, length = held.shape
    frames, bins, precision = len(stretch.frames), framing.n_fft // 2 + 1, precision_of(held)
    spectra = result_like(held, queue, (signals, frames, bins), COMPLEX_DTYPE[precision])
    turned = spectra.transpose((0, 2, 1))
    options: dict[str, Any] = {"hop_length": framing.hop, "center": False, "queue": queue}
    stft(held, framing.n_fft, out=turned, **options)
    real = held.dtype
    launch(
        queue, "changeOfRegions", SOURCE, (bins, frames, signals), spectra,
        np.array([each.factor for each in regions], real),
        np.array([framing.by_frame(each, stretch.frames) for each in regions], real),
        np.array([framing.by_bin(each) for each in regions], real),
        len(regions), frames, bins, precision=precision,
    )  # fmt: skip
    return istft(turned, n_fft=framing.n_fft, length=length, **options)


def _add(signals: cl_array.Array, change: cl_array.Array, first: int, queue: Any) -> None:
    """Add the changes of a stretch that begins at a sample to signals of shape (..., samples)."""
    count, length = change.shape
    samples = signals.shape[-1]
    launch(
        queue, "addStretch", SOURCE, (length, count), signals, change, np.uint64(samples),
        np.uint64(samples), np.int64(first), np.uint64(length), precision=precision_of(signals),
    )  # fmt: skip


def _on_device(
    signal: cl_array.Array,
    regions: Sequence[Region],
    framing: _Framing,
    stretch: _Stretch | None,
    queue: cl.CommandQueue,
) -> cl_array.Array:
    """Return a device array with the changes of regions."""
    plain = uploaded(signal, queue)
    count, samples = prod(signal.shape[:-1]), signal.shape[-1]
    result = result_like(signal, queue, signal.shape, signal.dtype)
    _cut(plain, result, 0, samples, count, queue)
    if stretch is not None:
        length = stretch.end - stretch.first
        held = result_like(signal, queue, (count, length), signal.dtype)
        _cut(plain, held, stretch.first, length, count, queue)
        _add(result, _change(held, regions, framing, stretch, queue), stretch.first, queue)
    return result


def _cut(
    signals: cl_array.Array,
    target: cl_array.Array,
    first: int,
    length: int,
    count: int,
    queue: cl.CommandQueue,
) -> None:
    """Copy a stretch of signals to another device array."""
    samples = signals.shape[-1]
    launch(
        queue, "cutStretch", SOURCE, (length, count), signals, target, np.uint64(samples),
        np.uint64(samples), np.int64(first), np.uint64(length), precision=precision_of(signals),
    )  # fmt: skip
