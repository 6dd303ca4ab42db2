"""Short-time Fourier transforms of signals on the host or on the device, and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import Any
from warnings import warn

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
from numpy.typing import DTypeLike

from ..errors import DeviceMemoryError, PlanError
from ..planning.parameters import Given, Values, as_key
from ..planning.precision import COMPLEX_DTYPE, READABLE, REAL_DTYPE
from ..planning.problem import Layout, choose, contiguous_strides
from ..runtime import memory
from ..runtime.executable import Executable
from ..runtime.limit import max_device_bytes
from ..runtime.operation import (
    allocator_of,
    new_array,
    new_like,
    queue_for,
    require_out,
    run,
)
from ..transforms.call import converted, readable
from .frame_jobs import Job, executable_of, of_arrays
from .framing import PADDINGS, Frames, Framing, Magnitudes, make_frames, make_magnitudes, positive
from .streaming import fill_back_in_pieces, fill_in_pieces, require_pieces_back
from .windows import Window

PadMode = str | Callable[..., Any]


def stft(
    y: Any,
    n_fft: int = 2048,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Window = "hann",
    center: bool = True,
    *,
    dtype: DTypeLike | None = None,
    pad_mode: PadMode = "constant",
    out: Any = None,
    algorithm: str | None = None,
    parameters: Values | None = None,
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
        A window as `scipy.signal.get_window` takes it, a function that returns the weights of a
        number of points, or the weights themselves.
    center : bool
        If it is set, the middle of frame t is sample ``t * hop_length``, and the signal is
        continued at both ends by ``n_fft // 2`` samples. Otherwise frame t begins at that sample.
    dtype : {complex64, complex128}, optional
        The dtype of the result, and so the precision of all arithmetic. The default is complex64
        for float32 and float16, and complex128 for float64 and integers. Where `out` is given, its
        dtype counts instead.
    pad_mode : {"constant", "edge", "reflect", "symmetric", "linear_ramp", "empty"} or function
        How the signal is continued if `center` is set. The names are those of `numpy.pad`; "empty"
        gives zeros, too. A function is called as `numpy.pad` calls it, for NumPy signals only.
    out : ndarray or pyopencl.array.Array, shape (..., 1 + n_fft // 2, frames or more), optional
        The array that receives the result, complex64 or complex128: a NumPy array for host signals,
        a device array for device signals. If it has more frames than the result, the first ones
        are filled and returned.
    algorithm : str, optional
        The algorithm of the transforms, as for `Plan`.
    parameters : mapping, optional
        Values of parameters of the kernels, as for `Plan`.
    queue : cl.CommandQueue, optional
        The queue to run on. The default is the queue of a device array, or the default queue.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., 1 + n_fft // 2, frames)
        The spectra, of `dtype`. In a NumPy array the bins of a frame are neighbours in memory. A
        device array is in C order, because pyopencl's own functions need that; it is returned at
        once.

    Raises
    ------
    PlanError
        A ValueError: an option makes no sense, or the signal has no samples, or too few.
    DeviceError
        The device has no double precision, and the result needs it.
    DeviceMemoryError
        The device has too little memory.

    See Also
    --------
    istft : The inverse.
    spectrogram : Magnitudes, scaled on the device.
    StreamingSTFT : The transform of a signal that comes block by block.
    fft_frequencies : The frequencies of the bins.

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
    y, frames = _framed(y, n_fft, hop_length, win_length, window, center, pad_mode)
    signal, precision = real_signal(y, frames, _wanted(dtype, out, y, SPECTRA))
    return transformed(
        signal, frames, precision, out=out, algorithm=algorithm, values=as_key(parameters),
        queue=queue,
    )  # fmt: skip


def istft(
    stft_matrix: Any,
    hop_length: int | None = None,
    win_length: int | None = None,
    n_fft: int | None = None,
    window: Window = "hann",
    center: bool = True,
    *,
    dtype: DTypeLike | None = None,
    length: int | None = None,
    out: Any = None,
    algorithm: str | None = None,
    parameters: Values | None = None,
    queue: cl.CommandQueue | None = None,
) -> Any:
    """Find the signals whose short-time Fourier transforms are closest, as librosa.istft does.

    Parameters
    ----------
    stft_matrix : array_like or pyopencl.array.Array, shape (..., 1 + n_fft // 2, frames)
        Spectra as `stft` returns them; a device array may have any strides.
    hop_length, win_length, window, center, algorithm, parameters, queue
        The values that were given to `stft`.
    n_fft : int, optional
        Points of a frame. The default is twice the number of steps from the first bin to the last.
        If there are more bins than a frame of `n_fft` points has, the highest are left out; if
        there are fewer, the missing bins count as zeros.
    dtype : {float32, float64}, optional
        The dtype of the result, and so the precision of all arithmetic. The default is float32 for
        complex64, and float64 for complex128. Where `out` is given, its dtype counts instead.
    length : int, optional
        Samples of each resulting signal. If there are more in the spectra, the last are left out;
        if there are fewer, zeros follow.
    out : ndarray or pyopencl.array.Array, shape (..., samples), optional
        The array that receives the result: float32 or float64, for spectra on the host also
        complex64 or complex128. It is a NumPy array for spectra on the host, a device array for
        spectra on the device.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., samples)
        `out` where it is given, otherwise a new array of `dtype`.

    Raises
    ------
    PlanError
        A ValueError: an option makes no sense, or there are neither frames nor a `length`.
    DeviceError, DeviceMemoryError
        As `stft` raises them.

    See Also
    --------
    stft : The forward transform.

    Notes
    -----
    Every frame is multiplied by the window once more, overlapping frames are added, and each sample
    is divided by the sum of the squared windows over it. If this sum is below the smallest normal
    number of the precision (1.2e-38 or 2.2e-308), the sample is not divided. So it is 0 if no frame
    holds it, for example between frames that are further apart than the window is long. If the sum
    is small, as at both ends with ``center=False``, the rounding errors of the spectra are divided
    by a small number, too.

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
    wanted = _wanted(dtype, out, stft_matrix, SIGNALS if out is None else (*SIGNALS, *SPECTRA))
    spectra, precision = _complex_spectra(stft_matrix, wanted)
    if length is not None and not spectra.shape[-1]:
        spectra = _silent_frame(spectra)
    n_fft = max(1, 2 * (spectra.shape[-2] - 1)) if n_fft is None else n_fft
    frames = make_frames(n_fft, hop_length, win_length, window, center)
    framing = _framing_back(frames, spectra.shape, length, precision)
    shape = (*spectra.shape[:-2], framing.samples)
    if out is not None:
        out = _checked_out(out, spectra, shape)
    if not prod(shape):
        return new_like(spectra, shape, framing.dtype) if out is None else out
    job = Job(framing, frames.window, None, algorithm, back=True, values=as_key(parameters))
    back = _back_on_device if isinstance(spectra, cl_array.Array) else _back_on_host
    return back(spectra, job, shape, out, queue)


def spectrogram(
    y: Any,
    n_fft: int = 2048,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Window = "hann",
    center: bool = True,
    *,
    pad_mode: PadMode = "constant",
    dtype: DTypeLike | None = None,
    power: float = 1.0,
    normalize: str | None = None,
    db: bool = False,
    ref: float | str = 1.0,
    amin: float | None = None,
    top_db: float | None = 80.0,
    preset: str | None = None,
    algorithm: str | None = None,
    parameters: Values | None = None,
    queue: cl.CommandQueue | None = None,
) -> Any:
    """Compute the magnitudes of a short-time Fourier transform, scaled on the device.

    Parameters
    ----------
    y, n_fft, hop_length, win_length, window, center, pad_mode, algorithm, parameters, queue
        The parameters of `stft`.
    dtype : {float32, float64}, optional
        The dtype of the result, and so the precision of all arithmetic. By default it is the
        precision in which `stft` transforms the signal.
    power : float
        The exponent of the magnitudes: 1 for amplitudes, 2 for power.
    normalize : {None, "max"}
        With "max" all numbers are divided by the greatest of them, which becomes 1.
    db : bool
        Return decibels relative to `ref`: 20 log10 of amplitudes, 10 log10 of power.
    ref : float or "max"
        The number that is 0 dB; "max" stands for the greatest number of all.
    amin : float, optional
        Numbers below this one count as this one, before the logarithm is taken. The default is 1e-5
        to the power of `power`: 1e-5 for amplitudes, 1e-10 for power.
    top_db : float, optional
        Results that are more than `top_db` below the greatest are raised to this limit; None sets
        no limit.
    preset : {None, "music-analysis"}
        A name for a set of options that music analysis uses. Frames have 2048 samples, are 1024
        samples apart, and have no window. They are not centred, and zeros fill the signal up to a
        multiple of 2048. The result has the bins 0 to 1023, divided by the greatest number of all;
        a signal of 2048 c samples gives the shape (1024, 2 c - 1). If you give a preset, you must
        not give options of frames, `power`, `normalize` or `db`.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., 1 + n_fft // 2, frames)
        Real numbers. If there are several signals, the greatest number is sought in all of them
        together. If one of the numbers is NaN, the greatest number and all that is relative to it
        are NaN, too.

    Raises
    ------
    PlanError, DeviceError, DeviceMemoryError
        As `stft` raises them.

    See Also
    --------
    stft : The complex transform.
    power_to_db : Decibels of powers.
    amplitude_to_db : Decibels of magnitudes.

    Notes
    -----
    The squares of magnitudes must not overflow: in single precision magnitudes go up to 1e19.

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
        y, frames = _framed(y, n_fft, hop_length, win_length, window, center, pad_mode)
        magnitudes = make_magnitudes(power, normalize, db, ref, amin, top_db)
    signal, precision = real_signal(y, frames, wanted)
    return transformed(
        signal, frames, precision, magnitudes=magnitudes, algorithm=algorithm,
        values=as_key(parameters), queue=queue,
    )  # fmt: skip


# The defaults of `spectrogram` that a preset takes the place of, in the order of its parameters.
USUAL = (2048, None, None, "hann", True, "constant", 1.0, None, False)

# The sets of options that `spectrogram` knows by names.
PRESETS = {
    "music-analysis": (
        replace(make_frames(2048, 1024, window="boxcar", center=False), chunk=2048),
        Magnitudes(bins=1024, relative=True),
    ),
}


# The dtypes that the results of `stft` and `istft` may have.
SPECTRA = tuple(COMPLEX_DTYPE.values())
SIGNALS = tuple(REAL_DTYPE.values())


def _framed(
    y: Any,
    n_fft: int,
    hop_length: int | None,
    win_length: int | None,
    window: Window,
    center: bool,
    pad_mode: PadMode,
) -> tuple[Any, Frames]:
    """Return signals and how they are framed; a function for `pad_mode` pads the signals here."""
    if not (center and callable(pad_mode)):
        mode: Any = pad_mode
        return y, make_frames(n_fft, hop_length, win_length, window, center, mode)
    if isinstance(y, cl_array.Array):
        raise PlanError(
            f"a function pads NumPy arrays only: choose pad_mode from {', '.join(PADDINGS)}"
        )
    frames = make_frames(n_fft, hop_length, win_length, window, center=False)
    signal = np.asarray(y)
    if signal.ndim:
        width = [(0, 0)] * (signal.ndim - 1) + [(frames.n_fft // 2, frames.n_fft // 2)]
        signal = np.pad(signal, width, pad_mode)
    return signal, frames


def _complex_of(dtype: DTypeLike) -> np.dtype:
    precision, real = READABLE.get(np.dtype(dtype), ("", False))
    if not real:
        raise PlanError(f"dtype must be float32 or float64, not {np.dtype(dtype)}")
    return COMPLEX_DTYPE[precision]


def _wanted(
    dtype: DTypeLike | None, out: Any, given: Any, known: Sequence[np.dtype]
) -> np.dtype | None:
    """Return the dtype that a caller wants the result to have, or None if the caller does not say.

    Parameters
    ----------
    dtype, out
        What the caller asks for; the dtype of `out` counts if both are given.
    given : array_like or pyopencl.array.Array
        The input; if it is on the device, `out` has to be there, too, otherwise on the host.
    known : sequence of dtype
        The dtypes that the caller may ask for.

    Raises
    ------
    PlanError
        `out` is not where the input is or is read-only, or the dtype is not a known one.
    """
    if out is None:
        name, wanted = "dtype", None if dtype is None else np.dtype(dtype)
    else:
        require_out(given, out)
        name, wanted = "out", out.dtype
    if wanted is not None and wanted not in known:
        raise PlanError(f"{name} must be {' or '.join(map(str, known))}, not {wanted}")
    return wanted


def _complex_spectra(given: Any, wanted: np.dtype | None) -> tuple[Any, str]:
    """Return the spectra given to `istft`, complex, and their precision: "single" or "double".

    Parameters
    ----------
    given : array_like or pyopencl.array.Array
        The spectra that a caller gives to `istft`.
    wanted : dtype, optional
        The dtype that the caller wants the signals to have, which decides the precision.

    Raises
    ------
    PlanError
        The spectra have no bins, or fewer than two dimensions.
    """
    spectra = readable(given)
    if spectra.ndim < 2:
        raise PlanError(f"spectra have the shape (..., bins, frames), not {spectra.shape}")
    if not spectra.shape[-2]:
        raise PlanError(f"there are no bins in spectra of the shape {spectra.shape}")
    precision = READABLE[spectra.dtype if wanted is None else wanted][0]
    if spectra.dtype != COMPLEX_DTYPE[precision]:
        spectra = converted(spectra, COMPLEX_DTYPE[precision])
    return spectra, precision


def _silent_frame(spectra: Any) -> Any:
    """Return one frame of zeros in the place of spectra that have no frames."""
    shape = (*spectra.shape[:-1], 1)
    if isinstance(spectra, cl_array.Array):
        return cl_array.zeros(queue_for(None, spectra), shape, spectra.dtype)
    return np.zeros(shape, spectra.dtype)


def _framing_back(
    frames: Frames, shape: Sequence[int], length: int | None, precision: str
) -> Framing:
    """Return the frames to plan for spectra of a shape and for signals of a length."""
    *outer, _, count = shape
    if length is not None:
        samples = positive("length", length)
        count = min(count, -(-(samples + 2 * frames.before) // frames.hop))
    elif count:
        samples = frames.n_fft + frames.hop * (count - 1) - 2 * frames.before
    else:
        raise PlanError(f"there are no frames in spectra of the shape {shape}: give a length")
    return replace(frames.over(samples, prod(outer), precision), frames=count)


def real_signal(y: Any, frames: Frames, dtype: DTypeLike | None) -> tuple[Any, str]:
    """Return real signals of a dtype that the device reads, and the precision.

    Parameters
    ----------
    y : array_like or pyopencl.array.Array
        The signals that a caller gives to `stft`.
    frames : Frames
        The frames for which the signals have to be long enough.
    dtype : dtype, optional
        The dtype that the spectra are to have.

    Returns
    -------
    ndarray or pyopencl.array.Array
        The signals, of float32 or float64.
    str
        "single" or "double".

    Raises
    ------
    PlanError
        The signals are complex, without samples or too short, or the dtype is not complex.
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
    values: Given = (),
    queue: cl.CommandQueue | None = None,
) -> Any:
    """Transform checked signals; the result is where the signals are, on the host or on the device.

    Parameters
    ----------
    signal, precision
        What `real_signal` returns.
    frames : Frames
        How the signals are framed.
    out : ndarray or pyopencl.array.Array, optional
        The array that receives the result.
    magnitudes : Magnitudes, optional
        The numbers that are wanted instead of spectra.
    algorithm, queue
        The parameters of `stft`.
    values : tuple of (str, object)
        The parameters of the kernels, as `as_key` returns them.

    Returns
    -------
    ndarray or pyopencl.array.Array
        What `stft` returns, or `spectrogram` if magnitudes are wanted.
    """
    *outer, samples = signal.shape
    signals = prod(outer)
    bins = magnitudes.bins if magnitudes and magnitudes.bins else frames.n_fft // 2 + 1
    shape = (*outer, bins, frames.count(samples))
    dtype = (REAL_DTYPE if magnitudes else COMPLEX_DTYPE)[precision]
    if out is not None:
        out = _checked_out(out, signal, shape, longer=True)
    if not prod(shape):
        return new_like(signal, shape, dtype) if out is None else out
    if isinstance(signal, cl_array.Array):
        queue = queue_for(queue, signal)
        context = queue.context
        result = new_array(queue, allocator_of(signal, queue), shape, dtype) if out is None else out
        given = (signal.shape, signal.strides, signal.offset)
        left = (result.shape, result.strides, result.offset)
        key = (context, given, left, frames, magnitudes, algorithm, precision, values)

        def make() -> Executable:
            framing = frames.over(samples, signals, precision, *_places(signal))
            layout = _layout(result, framing)
            job = Job(framing, frames.window, magnitudes, algorithm, layout, values=values)
            return executable_of(context, job)

        run(of_arrays.get(key, make), queue, signal, result)
        return result
    queue = queue_for(queue)
    framing = frames.over(samples, signals, precision)
    job = Job(framing, frames.window, magnitudes, algorithm, values=values)
    stored = memory.empty((*outer, shape[-1], bins), dtype)  # frame by frame
    executable = _executable_that_fits(job, queue.context, signal.nbytes + stored.nbytes)
    if not _done_at_once(executable, queue, signal, stored):
        rows, pages = signal.reshape(-1, samples), stored.reshape(-1, shape[-1], bins)
        fill_in_pieces(rows, frames, precision, job, queue.context, pages)
    if out is None:
        return stored.swapaxes(-1, -2)
    out[...] = stored.swapaxes(-1, -2)
    return out


def _executable_that_fits(job: Job, context: cl.Context, nbytes: int) -> Executable | None:
    """Return the executable of a job on arrays of so many bytes in all.

    Return None if the device, or the limit, has no room for the arrays and for the workspace.
    """
    limit = max_device_bytes()
    try:
        executable = executable_of(context, job)
    except DeviceMemoryError:
        return None
    fits = limit is None or nbytes + executable.schedule.workspace_bytes <= limit
    return executable if fits else None


def _done_at_once(
    executable: Executable | None, queue: cl.CommandQueue, source: np.ndarray, target: np.ndarray
) -> bool:
    """Run an executable on NumPy arrays; return False if there is none, or no room for the arrays.

    The error must be gone before the pieces are transformed, because it still refers to memory.
    """
    if executable is None:
        return False
    try:
        run(executable, queue, source, target)
    except DeviceMemoryError:
        return False
    return True


def _back_on_host(
    spectra: np.ndarray,
    job: Job,
    shape: tuple[int, ...],
    out: np.ndarray | None,
    queue: cl.CommandQueue | None,
) -> np.ndarray:
    """Turn spectra on the host into signals of a shape."""
    queue = queue_for(queue)
    framing = job.framing
    stored = spectra.swapaxes(-1, -2)
    frames, bins = stored.shape[-2:]
    strides = contiguous_strides((framing.signals, frames, bins))
    job = replace(job, layout=Layout((framing.signals, framing.frames, bins), strides))
    nbytes = stored.nbytes + prod(shape) * framing.dtype.itemsize
    executable = _executable_that_fits(job, queue.context, nbytes)
    if executable is None:
        require_pieces_back(job, bins, queue.context)  # before the host makes room
    if out is not None and out.dtype == framing.dtype and out.flags.c_contiguous:
        signals = out
    else:
        signals = memory.empty(shape, framing.dtype)
    if not _done_at_once(executable, queue, stored, signals):
        pages, rows = stored.reshape(-1, frames, bins), signals.reshape(framing.signals, -1)
        fill_back_in_pieces(pages, job, queue.context, rows)
    if out is None or out is signals:
        return signals
    out[...] = signals
    return out


def _back_on_device(
    spectra: cl_array.Array,
    job: Job,
    shape: tuple[int, ...],
    out: cl_array.Array | None,
    queue: cl.CommandQueue | None,
) -> cl_array.Array:
    """Enqueue a job that turns spectra on the device into signals of a shape."""
    queue = queue_for(queue, spectra)
    dtype = job.framing.dtype
    result = new_array(queue, allocator_of(spectra, queue), shape, dtype) if out is None else out
    if result.dtype != dtype:
        raise PlanError(f"out must be {dtype} on the device, not {result.dtype}")
    first, pitch = _places(result)
    framing = replace(job.framing, first=first, pitch=pitch)
    job = replace(job, framing=framing, layout=_layout(spectra, framing))
    run(executable_of(queue.context, job), queue, spectra, result)
    return result


# --- arrays on the device -------------------------------------------------------------------------


def _places(signal: cl_array.Array) -> tuple[int, int]:
    """Return where the signals of a device array begin, and how far apart they are, in samples."""
    item = signal.dtype.itemsize
    pitch = _pitch(signal.shape[:-1], signal.strides[:-1])
    if pitch is None or pitch < 0 or (signal.shape[-1] > 1 and signal.strides[-1] != item):
        raise PlanError(
            "in a device array, samples must lie one behind the other and signals equally far "
            f"apart, not in strides of {signal.strides} bytes: copy the array"
        )
    return signal.offset // item, pitch // item


def _layout(array: cl_array.Array, framing: Framing) -> Layout:
    """Return where the spectra of a device array of shape (..., bins, frames) lie.

    If the array has fewer bins than a transform, the layout is that of an array with all bins: a
    hook leaves the others out.
    """
    item = array.dtype.itemsize
    pitch = _pitch(array.shape[:-2], array.strides[:-2])
    if pitch is None:
        raise PlanError(
            "in a device array, the spectra of several signals must lie equally far apart, not in "
            f"strides of {array.strides} bytes: copy the array"
        )
    bins = array.shape[-2]
    if array.dtype.kind == "f" and bins != framing.bins:
        pitch, bins = pitch // bins * framing.bins, framing.bins
    strides = (pitch // item, array.strides[-1] // item, array.strides[-2] // item)
    return Layout((framing.signals, framing.frames, bins), strides, array.offset // item)


def _pitch(shape: Sequence[int], strides: Sequence[int]) -> int | None:
    """Return the distance between neighbours if all dimensions are walked as one, else None."""
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


def _checked_out(out: Any, given: Any, shape: tuple[int, ...], longer: bool = False) -> Any:
    """Return the part of a caller's array that receives the result.

    Parameters
    ----------
    out : ndarray or pyopencl.array.Array
        The caller's array.
    given : ndarray or pyopencl.array.Array
        The input, which is on the host if `out` is there, and otherwise on the device.
    shape : tuple of int
        The shape of the result.
    longer : bool
        The last dimension of `out` may be longer.

    Raises
    ------
    PlanError
        The result cannot be written to the array.
    """
    fits = out.shape[:-1] == shape[:-1] and out.ndim == len(shape)
    if not fits or out.shape[-1] < shape[-1] or (out.shape != shape and not longer):
        raise PlanError(
            f"out must have the shape {shape}{', or more frames' * longer}, not {out.shape}"
        )
    if isinstance(given, cl_array.Array):
        _require_apart(out, given)
    return out if out.shape == shape else out[..., : shape[-1]]


def _require_apart(out: Any, signal: Any) -> None:
    """Refuse a device array that a kernel cannot write while it reads the input."""
    if out.context != signal.context:
        raise PlanError(
            "out belongs to another context than the input: make it on the input's queue"
        )
    (first, last), (begin, end) = _bytes_of(out), _bytes_of(signal)
    if out.base_data == signal.base_data and first < end and begin < last:
        raise PlanError("out shares memory with the input: pass another array")


def _bytes_of(array: cl_array.Array) -> tuple[int, int]:
    """Return where a device array begins and ends in its buffer."""
    steps = [(n - 1) * stride for n, stride in zip(array.shape, array.strides, strict=True)]
    first = array.offset + sum(min(step, 0) for step in steps)
    return first, array.offset + sum(max(step, 0) for step in steps) + array.dtype.itemsize
