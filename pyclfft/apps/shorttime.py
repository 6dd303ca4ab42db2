"""Short-time Fourier transforms of signals on the host or on the device, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any
from warnings import warn

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
from numpy.typing import DTypeLike

from ..errors import DeviceMemoryError, PlanError
from ..planning.problem import (
    COMPLEX_DTYPE,
    READABLE,
    REAL_DTYPE,
    Layout,
    choose,
    contiguous_strides,
)
from ..runtime import device, memory
from ..runtime.executable import Executable, run_on_host
from ..transforms.call import converted, readable
from .frame_jobs import Job, executable_of, of_arrays
from .framing import Frames, Framing, Magnitudes, make_frames, make_magnitudes, positive
from .streaming import fill_in_pieces
from .windows import Window, require_overlap


def stft(
    y: Any,
    n_fft: int = 2048,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Window = "hann",
    center: bool = True,
    pad_mode: str = "constant",
    dtype: DTypeLike | None = None,
    out: Any = None,
    *,
    algorithm: str | None = None,
    queue: cl.CommandQueue | None = None,
) -> Any:
    """Compute the short-time Fourier transform of signals, as librosa.stft does.

    Element ``[..., k, t]`` of the result is bin k of the transform of frame t, which is around
    sample ``t * hop_length`` of the signal.

    Parameters
    ----------
    y : array_like or pyopencl.array.Array, shape (..., samples)
        Real signals.
    n_fft : int
        Points of a frame: any number.
    hop_length : int, optional
        Samples from one frame to the next; a quarter of `win_length` by default.
    win_length : int, optional
        Points of the window, in the middle of a frame; `n_fft` by default.
    window : str, float, tuple, callable or array_like
        As `scipy.signal.get_window` has it; a function of the number of points; or as many values.
    center : bool
        Frame t is around sample ``t * hop_length``, and the signal is continued at both ends by
        ``n_fft // 2`` samples. Otherwise it begins there.
    pad_mode : {"constant", "edge", "reflect", "symmetric", "linear_ramp"}
        How, by NumPy's names.
    dtype : {complex64, complex128}, optional
        Of the result, and the precision of all arithmetic: complex64 for float32 (and float16),
        complex128 for float64 and integers by default.
    out : like the result, optional
        Receives it; may have more frames, of which the first are filled.
    algorithm : str, optional
        Of the transform of a frame, as for `Plan`.
    queue : cl.CommandQueue, optional
        Where to run; the queue of a device array, or the default queue.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., 1 + n_fft // 2, frames)
        Of `dtype`. Bins of a frame are neighbours in memory on the host; a device array is in C
        order, since pyopencl's own functions want that, and is returned at once.

    Raises
    ------
    PlanError
        A ValueError: an option that makes no sense, no samples, or too few of them.
    DeviceError
        Double precision on a device without it.
    DeviceMemoryError
        Too large for the device.

    Notes
    -----
    A NaN or an infinity in the signal makes all bins of its frames NaN, and no others.

    References
    ----------
    J. B. Allen, L. R. Rabiner, "A unified approach to short-time Fourier analysis and synthesis",
    Proc. IEEE 65 (1977).

    Examples
    --------
    >>> import numpy as np
    >>> import pyclfft
    >>> y = np.cos(2 * np.pi * 0.125 * np.arange(1024, dtype="float32"))
    >>> spectra = pyclfft.stft(y, n_fft=64)
    >>> spectra.shape, int(abs(spectra[:, 10]).argmax())
    ((33, 65), 8)
    """
    frames = make_frames(n_fft, hop_length, win_length, window, center, pad_mode)
    signal, precision = real_signal(y, frames, dtype)
    return transformed(signal, frames, precision, out=out, algorithm=algorithm, queue=queue)


def istft(
    S: Any,  # noqa: N803  librosa's name
    hop_length: int | None = None,
    win_length: int | None = None,
    n_fft: int | None = None,
    window: Window = "hann",
    center: bool = True,
    length: int | None = None,
    *,
    algorithm: str | None = None,
    queue: cl.CommandQueue | None = None,
) -> Any:
    """Return the signals of which short-time Fourier transforms are closest to these.

    Parameters
    ----------
    S : array_like or pyopencl.array.Array, shape (..., 1 + n_fft // 2, frames)
        As `stft` leaves it; a device array of any strides.
    hop_length, win_length, window, center, algorithm, queue
        As given to `stft`.
    n_fft : int, optional
        Points of a frame; twice as many as steps between the first and the last bin by default.
    length : int, optional
        Samples wanted of each signal: fewer than all, or zeros follow.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., samples)
        float32 for complex64, float64 for complex128.

    Raises
    ------
    PlanError
        A ValueError: an option that makes no sense, or frames that leave some samples out, so that
        no signal can be found.
    DeviceError, DeviceMemoryError
        As `stft`.

    References
    ----------
    D. W. Griffin, J. S. Lim, "Signal estimation from modified short-time Fourier transform", IEEE
    Trans. ASSP-32 (1984).

    Examples
    --------
    >>> import numpy as np
    >>> import pyclfft
    >>> y = np.random.default_rng(1).standard_normal(1000)
    >>> np.allclose(pyclfft.istft(pyclfft.stft(y, n_fft=64), length=1000), y)
    True
    """
    spectra = readable(S)
    if spectra.ndim < 2:
        raise PlanError(f"spectra have the shape (..., bins, frames), not {spectra.shape}")
    if not spectra.size:
        raise PlanError(f"there are no spectra in an array of shape {spectra.shape}")
    precision, real = READABLE[spectra.dtype]
    if real:
        spectra = converted(spectra, COMPLEX_DTYPE[precision])
    *outer, bins, count = spectra.shape
    n_fft = max(1, 2 * (bins - 1)) if n_fft is None else n_fft
    frames = make_frames(n_fft, hop_length, win_length, window, center)
    require_overlap(np.frombuffer(frames.window), frames.hop)
    samples = frames.n_fft + frames.hop * (count - 1) - 2 * frames.before
    if length is not None:
        samples = positive("length", length)
        count = min(count, -(-(samples + 2 * frames.before) // frames.hop))
    if samples < 1:
        raise PlanError("the one frame is too short for center=True: give a length")
    framing = replace(frames.over(samples, prod(outer), precision), frames=count)
    job = Job(framing, frames.window, None, algorithm, back=True)
    shape = (*outer, samples)
    if isinstance(spectra, cl_array.Array):
        queue = _queue_of(spectra, queue)
        result = _new_array(queue, spectra.allocator, shape, framing.dtype)
        job = replace(job, layout=_layout(spectra, framing))
        _enqueue(executable_of(queue.context, job), queue, spectra, result)
        return result
    queue = queue or device.default_queue()
    stored = memory.contiguous(spectra.swapaxes(-1, -2))
    strides = contiguous_strides((framing.signals, *stored.shape[-2:]))
    job = replace(job, layout=Layout((framing.signals, count, bins), strides))
    signals = memory.empty(shape, framing.dtype)
    run_on_host(executable_of(queue.context, job), queue, stored, signals)
    return signals


def spectrogram(
    y: Any,
    n_fft: int = 2048,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Window = "hann",
    center: bool = True,
    pad_mode: str = "constant",
    dtype: DTypeLike | None = None,
    *,
    power: float = 1.0,
    normalize: str | None = None,
    db: bool = False,
    ref: float | str = 1.0,
    amin: float | None = None,
    top_db: float | None = 80.0,
    preset: str | None = None,
    algorithm: str | None = None,
    queue: cl.CommandQueue | None = None,
) -> Any:
    """Compute the magnitudes of a short-time Fourier transform, scaled on the device.

    Parameters
    ----------
    y, n_fft, hop_length, win_length, window, center, pad_mode, algorithm, queue
        As of `stft`.
    dtype : {float32, float64}, optional
        Of the result, and the precision of all arithmetic: that of the signal by default.
    power : float
        Exponent of the magnitude: 1 for amplitudes, 2 for power.
    normalize : {None, "max"}
        Divide by the greatest of all numbers, which is 1 then.
    db : bool
        Return decibels, 20 log10 of amplitudes and 10 log10 of power beside `ref`.
    ref : float or "max"
        What is 0 dB: a number, or the greatest one of all.
    amin : float, optional
        Least number of which the logarithm is taken: 1e-5 to the power of `power` by default, which
        is 1e-5 for amplitudes and 1e-10 for power.
    top_db : float, optional
        No result is more decibels below the greatest; None for no such limit.
    preset : {None, "music-analysis"}
        All that could be asked for above, in place of it, as in music analysis: frames of 2048
        samples, 1024 apart, no window, not centred, the signal filled with zeros to a multiple of
        2048; bins 0 to 1023, divided by the greatest of all. The result has the shape
        (1024, 2 chunks - 1) for `chunks` times 2048 samples.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., 1 + n_fft // 2, frames)
        Of real numbers. With several signals the greatest is that of all. If one of the numbers is
        no number, neither is the greatest, nor what is relative to it.

    Raises
    ------
    PlanError, DeviceError, DeviceMemoryError
        As `stft`.

    Notes
    -----
    Squares of magnitudes have to be numbers of the precision: up to 1e19 in single precision.

    Examples
    --------
    >>> import numpy as np
    >>> import pyclfft
    >>> y = np.cos(2 * np.pi * 0.125 * np.arange(1024, dtype="float32"))
    >>> decibels = pyclfft.spectrogram(y, n_fft=64, db=True, ref="max")
    >>> print(decibels.max(), decibels.min())
    0.0 -80.0
    """
    wanted = None if dtype is None else _complex_of(dtype)
    if preset is not None:
        choose("preset", preset, PRESETS)
        asked = (n_fft, hop_length, win_length, window, center, pad_mode, power, normalize, db)
        if isinstance(window, np.ndarray) or asked != USUAL:
            raise PlanError(f"preset={preset!r} says all of that: leave the other options out")
        frames, magnitudes = PRESETS[preset]
    else:
        frames = make_frames(n_fft, hop_length, win_length, window, center, pad_mode)
        magnitudes = make_magnitudes(power, normalize, db, ref, amin, top_db)
    signal, precision = real_signal(y, frames, wanted)
    return transformed(
        signal, frames, precision, magnitudes=magnitudes, algorithm=algorithm, queue=queue
    )


# What `spectrogram` does unless it is asked for something else: frames, power, normalize, db.
USUAL = (2048, None, None, "hann", True, "constant", 1.0, None, False)

# What is wanted for music analysis; its frames fill a signal with zeros to whole chunks.
PRESETS = {
    "music-analysis": (
        replace(make_frames(2048, 1024, window="boxcar", center=False), chunk=2048),
        Magnitudes(bins=1024, relative=True),
    ),
}


def _complex_of(dtype: DTypeLike) -> np.dtype:
    precision, real = READABLE.get(np.dtype(dtype), ("", False))
    if not real:
        raise PlanError(f"dtype must be float32 or float64, not {np.dtype(dtype)}")
    return COMPLEX_DTYPE[precision]


def real_signal(y: Any, frames: Frames, dtype: DTypeLike | None) -> tuple[Any, str]:
    """Return real signals of a dtype that the device reads, and the precision.

    Parameters
    ----------
    y : array_like or pyopencl.array.Array
        As given to `stft`.
    frames : Frames
        That they have to be long enough for.
    dtype : dtype, optional
        Of spectra.

    Returns
    -------
    ndarray or pyopencl.array.Array
        float32 or float64.
    str
        "single" or "double".

    Raises
    ------
    PlanError
        They make no sense.
    """
    signal = readable(y)
    if not signal.ndim or not signal.shape[-1]:
        raise PlanError(f"the signal has no samples: its shape is {signal.shape}")
    samples = signal.shape[-1]
    if frames.n_fft > frames.extent(samples):
        raise PlanError(
            f"n_fft = {frames.n_fft} is more than the {samples} samples of the signal: "
            "choose a smaller one, or center=True"
        )
    if frames.center and frames.n_fft > samples:
        warn(f"n_fft = {frames.n_fft} is more than the {samples} samples", stacklevel=3)
    wanted = COMPLEX_DTYPE[READABLE[signal.dtype][0]] if dtype is None else np.dtype(dtype)
    precision, real = READABLE.get(wanted, ("", True))
    if real:
        raise PlanError(f"dtype must be complex64 or complex128, not {wanted}")
    if signal.dtype.kind == "c":
        raise PlanError(f"the signal is complex ({signal.dtype}): take its real part")
    if signal.dtype != REAL_DTYPE[precision]:
        signal = converted(signal, REAL_DTYPE[precision])
    return signal, precision


# --- running --------------------------------------------------------------------------------------


def transformed(
    signal: Any,
    frames: Frames,
    precision: str,
    *,
    out: Any = None,
    magnitudes: Magnitudes | None = None,
    algorithm: str | None = None,
    queue: cl.CommandQueue | None = None,
) -> Any:
    """Transform signals, checked, where they are.

    Parameters
    ----------
    signal, precision
        As of `real_signal`.
    frames : Frames
        Of the signals.
    out : like the result, optional
        Receives it.
    magnitudes : Magnitudes, optional
        Numbers that are wanted instead of spectra.
    algorithm, queue
        As of `stft`.

    Returns
    -------
    ndarray or pyopencl.array.Array
        As of `stft` or `spectrogram`.
    """
    *outer, samples = signal.shape
    signals = prod(outer)
    bins = magnitudes.bins if magnitudes and magnitudes.bins else frames.n_fft // 2 + 1
    shape = (*outer, bins, frames.count(samples))
    dtype = (REAL_DTYPE if magnitudes else COMPLEX_DTYPE)[precision]
    if out is not None:
        out = _checked_out(out, signal, shape, dtype)
    if not prod(shape):
        return _nothing(signal, shape, dtype) if out is None else out
    if isinstance(signal, cl_array.Array):
        queue = _queue_of(signal, queue)
        context = queue.context
        result = _new_array(queue, signal.allocator, shape, dtype) if out is None else out
        given = (signal.shape, signal.strides, signal.offset)
        left = (result.shape, result.strides, result.offset)
        key = (context, given, left, frames, magnitudes, algorithm, precision)

        def make() -> Executable:
            framing = frames.over(samples, signals, precision, *_places(signal))
            layout = _layout(result, framing)
            job = Job(framing, frames.window, magnitudes, algorithm, layout)
            return executable_of(context, job)

        _enqueue(of_arrays.get(key, make), queue, signal, result)
        return result
    queue = queue or device.default_queue()
    job = Job(frames.over(samples, signals, precision), frames.window, magnitudes, algorithm)
    stored = memory.empty((*outer, shape[-1], bins), dtype)  # frame by frame
    signal = memory.contiguous(signal)
    try:
        run_on_host(executable_of(queue.context, job), queue, signal, stored)
    except DeviceMemoryError:
        rows, pages = signal.reshape(-1, samples), stored.reshape(-1, shape[-1], bins)
        fill_in_pieces(rows, frames, precision, job, queue.context, pages)
    if out is None:
        return stored.swapaxes(-1, -2)
    out[...] = stored.swapaxes(-1, -2)
    return out


# --- arrays on the device -------------------------------------------------------------------------


def _enqueue(
    executable: Executable, queue: cl.CommandQueue, source: cl_array.Array, target: cl_array.Array
) -> None:
    given: Any = source.base_data
    result: Any = target.base_data
    events = [*source.events, *target.events]
    target.events[:] = [executable.enqueue(queue, given, result, events)]


def _queue_of(array: cl_array.Array, queue: cl.CommandQueue | None) -> cl.CommandQueue:
    """Return where to run on a device array."""
    context: Any = array.context
    queue = queue or array.queue or device.queue_of(context)
    if queue.context != context:
        raise PlanError("the queue is of another context than the array")
    return queue


def _new_array(
    queue: cl.CommandQueue, allocator: Any, shape: tuple[int, ...], dtype: np.dtype
) -> cl_array.Array:
    allocate = allocator or memory.allocator(queue.context)
    data = allocate(prod(shape) * dtype.itemsize)
    return cl_array.Array(queue, shape, dtype, allocator=allocator, data=data)


def _places(signal: cl_array.Array) -> tuple[int, int]:
    """Return where signals of a device array begin, and how far apart, in samples."""
    item = signal.dtype.itemsize
    pitch = _pitch(signal.shape[:-1], signal.strides[:-1])
    if pitch is None or pitch < 0 or (signal.shape[-1] > 1 and signal.strides[-1] != item):
        raise PlanError(
            "samples of device arrays lie one behind the other, and signals equally far apart, "
            f"not in strides of {signal.strides} bytes: copy the array"
        )
    return signal.offset // item, pitch // item


def _layout(array: cl_array.Array, framing: Framing) -> Layout:
    """Return where the spectra of a device array of shape (..., bins, frames) lie.

    With fewer bins than a transform has, as though it had all of them: a hook leaves the others
    out.
    """
    item = array.dtype.itemsize
    pitch = _pitch(array.shape[:-2], array.strides[:-2])
    if pitch is None:
        raise PlanError(
            f"spectra of several signals lie equally far apart in device arrays, not in strides of "
            f"{array.strides} bytes: copy the array"
        )
    bins = array.shape[-2]
    if array.dtype.kind == "f" and bins != framing.bins:
        pitch, bins = pitch // bins * framing.bins, framing.bins
    strides = (pitch // item, array.strides[-1] // item, array.strides[-2] // item)
    return Layout((framing.signals, framing.frames, bins), strides, array.offset // item)


def _pitch(shape: Sequence[int], strides: Sequence[int]) -> int | None:
    """Return the distance between neighbours of all dimensions as one; None if they differ."""
    joined: list[tuple[int, int]] = []
    for extent, stride in zip(shape, strides, strict=True):
        if extent == 1:
            continue
        if joined and joined[-1][1] == extent * stride:
            joined[-1] = (joined[-1][0] * extent, stride)
        else:
            joined.append((extent, stride))
    if len(joined) > 1:
        return None
    return joined[0][1] if joined else 0


def _checked_out(out: Any, signal: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
    """Return the part of a caller's array that receives the result."""
    on_device = isinstance(signal, cl_array.Array)
    if not isinstance(out, cl_array.Array if on_device else np.ndarray):
        raise PlanError(
            f"out must be a {'device array' if on_device else 'NumPy array'}, as the signal is"
        )
    if out.dtype != dtype or out.shape[:-1] != shape[:-1] or out.shape[-1] < shape[-1]:
        raise PlanError(
            f"out must be {dtype} of shape {shape}, or with more frames, "
            f"not {out.dtype} of shape {out.shape}"
        )
    if on_device:
        _require_apart(out, signal)
    if not on_device and not out.flags.writeable:
        raise PlanError("out is read-only: pass an array that can be written to")
    return out if out.shape == shape else out[..., : shape[-1]]


def _require_apart(out: Any, signal: Any) -> None:
    """Refuse a device array that a kernel cannot write while it reads the signal."""
    if out.context != signal.context:
        raise PlanError("out is of another context than the signal")
    (first, last), (begin, end) = _bytes_of(out), _bytes_of(signal)
    if out.base_data == signal.base_data and first < end and begin < last:
        raise PlanError("out shares memory with the signal: pass another array")


def _bytes_of(array: cl_array.Array) -> tuple[int, int]:
    """Return where a device array begins and ends in its buffer."""
    steps = [(n - 1) * stride for n, stride in zip(array.shape, array.strides, strict=True)]
    first = array.offset + sum(min(step, 0) for step in steps)
    return first, array.offset + sum(max(step, 0) for step in steps) + array.dtype.itemsize


def _nothing(signal: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
    """Return the result for no signals at all."""
    if not isinstance(signal, cl_array.Array):
        return np.empty(shape, dtype)
    return cl_array.Array(_queue_of(signal, None), shape, dtype)
