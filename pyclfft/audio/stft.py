"""Short-time Fourier transforms of signals on the host or on the device, and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import prod
from typing import Any, NamedTuple
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
from ..runtime.cache import remembers_latest
from ..runtime.executable import Executable
from ..runtime.limit import max_device_bytes
from ..runtime.operation import allocator_of, new_array, queue_for, require_out, run
from ..transforms.call import converted, readable, readable_dtype
from .frame_jobs import MAX_TRANSFORMS, Job, executable_of
from .framing import PADDINGS, Frames, Magnitudes, make_frames, make_magnitudes, positive
from .places import Place, first_and_pitch, in_c_order, layout_of, require_apart
from .streaming import fill_back_in_pieces, fill_in_pieces, require_pieces_back
from .windows import NAMES, Window

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
    values = as_key(parameters)
    asked = (n_fft, hop_length, win_length, window, center, pad_mode)
    if isinstance(y, cl_array.Array):
        return _on_device(_stft_call, window, y, out, queue, algorithm, values, dtype, *asked)
    y, frames = _framed(y, *asked)
    if out is not None:
        require_out(y, out)
    wanted = _wanted(dtype, out, SPECTRA)
    return _on_host(y, frames, None, wanted, algorithm, values, out, queue)


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
    values = as_key(parameters)
    asked = (n_fft, hop_length, win_length, window, center, length)
    if isinstance(stft_matrix, cl_array.Array):
        return _on_device(
            _istft_call, window, stft_matrix, out, queue, algorithm, values, dtype, *asked
        )
    if out is not None:
        require_out(stft_matrix, out)
    spectra = readable(stft_matrix)
    job = _job_back(spectra.shape, spectra.dtype, out, algorithm, values, dtype, *asked)
    return _back_on_host(spectra, job, out, queue)


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
    values = as_key(parameters)
    asked = (
        n_fft, hop_length, win_length, window, center, pad_mode, power, normalize, db, ref, amin,
        top_db,
    )  # fmt: skip
    if isinstance(y, cl_array.Array):
        return _on_device(
            _spectrogram_call, window, y, None, queue, algorithm, values, dtype, preset, *asked
        )
    wanted = _complex_of(dtype)
    y, frames, magnitudes = _numbers(y, preset, *asked)
    return _on_host(y, frames, magnitudes, wanted, algorithm, values, None, queue)


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


# --- what a caller asks for -----------------------------------------------------------------------


def _framed(
    y: Any,
    n_fft: int,
    hop_length: int | None,
    win_length: int | None,
    window: Window,
    center: bool,
    pad_mode: PadMode,
) -> tuple[Any, Frames]:
    """Return signals and how they are framed; a function for `pad_mode` pads the signals here.

    Signals on the device are represented by their `Place`.
    """
    if not (center and callable(pad_mode)):
        mode: Any = pad_mode
        return y, make_frames(n_fft, hop_length, win_length, window, center, mode)
    if isinstance(y, Place):
        raise PlanError(
            f"a function pads NumPy arrays only: choose pad_mode from {', '.join(PADDINGS)}"
        )
    frames = make_frames(n_fft, hop_length, win_length, window, center=False)
    signal = np.asarray(y)
    if signal.ndim:
        width = [(0, 0)] * (signal.ndim - 1) + [(frames.n_fft // 2, frames.n_fft // 2)]
        signal = np.pad(signal, width, pad_mode)
    return signal, frames


def _numbers(
    y: Any,
    preset: str | None,
    n_fft: int,
    hop_length: int | None,
    win_length: int | None,
    window: Window,
    center: bool,
    pad_mode: PadMode,
    power: float,
    normalize: str | None,
    db: bool,
    *decibels: Any,
) -> tuple[Any, Frames, Magnitudes]:
    """Return signals as `_framed` does, and the numbers that `spectrogram` makes of them."""
    framing = (n_fft, hop_length, win_length, window, center, pad_mode)
    if preset is None:
        return *_framed(y, *framing), make_magnitudes(power, normalize, db, *decibels)
    choose("preset", preset, PRESETS)
    if isinstance(window, np.ndarray) or (*framing, power, normalize, db) != USUAL:
        raise PlanError(f"preset={preset!r} says all of that: leave the other options out")
    return y, *PRESETS[preset]


def _complex_of(dtype: DTypeLike | None) -> np.dtype | None:
    """Return the dtype of the spectra whose magnitudes have a dtype that a caller asks for."""
    if dtype is None:
        return None
    precision, real = READABLE.get(np.dtype(dtype), ("", False))
    if not real:
        raise PlanError(f"dtype must be float32 or float64, not {np.dtype(dtype)}")
    return COMPLEX_DTYPE[precision]


def _wanted(dtype: DTypeLike | None, out: Any, known: Sequence[np.dtype]) -> np.dtype | None:
    """Return the dtype that a caller wants the result to have, or None if the caller does not say.

    Parameters
    ----------
    dtype : dtype, optional
        The dtype that the caller asks for.
    out : ndarray or Place, optional
        The caller's array for the result, or its place on the device. If it is given, its dtype
        counts.
    known : sequence of dtype
        The dtypes that the caller may ask for.

    Raises
    ------
    PlanError
        The dtype is not a known one.
    """
    if out is None:
        name, wanted = "dtype", None if dtype is None else np.dtype(dtype)
    else:
        name, wanted = "out", out.dtype
    if wanted is not None and wanted not in known:
        raise PlanError(f"{name} must be {' or '.join(map(str, known))}, not {wanted}")
    return wanted


class Result(NamedTuple):
    """What comes of signals.

    Attributes
    ----------
    precision : {"single", "double"}
        The precision of the transforms.
    shape : tuple of int
        The shape of the result.
    dtype : dtype
        The dtype of the result.
    caution : str
        A warning to the caller, or an empty string.
    """

    precision: str
    shape: tuple[int, ...]
    dtype: np.dtype
    caution: str


def _result(
    shape: tuple[int, ...],
    dtype: np.dtype,
    frames: Frames,
    magnitudes: Magnitudes | None,
    wanted: np.dtype | None,
) -> Result:
    """Return what comes of signals of a shape and of a readable dtype.

    Parameters
    ----------
    shape, dtype
        The shape and the dtype of the signals.
    frames : Frames
        How the signals are framed.
    magnitudes : Magnitudes, optional
        The numbers that are wanted instead of spectra.
    wanted : dtype, optional
        The dtype that the spectra are to have.

    Raises
    ------
    PlanError
        The signals are complex, without samples or too short.
    """
    if not shape or not shape[-1]:
        raise PlanError(f"the signal has no samples: its shape is {shape}")
    *outer, samples = shape
    longer = f"n_fft = {frames.n_fft} is more than the {samples} samples"
    if frames.n_fft > frames.extent(samples):
        raise PlanError(f"{longer} of the signal: choose a smaller one, or center=True")
    if dtype.kind == "c":
        raise PlanError(f"the signal is complex ({dtype}): take its real part")
    precision = READABLE[dtype if wanted is None else wanted][0]
    bins = magnitudes.bins if magnitudes and magnitudes.bins else frames.n_fft // 2 + 1
    return Result(
        precision,
        (*outer, bins, frames.count(samples)),
        (REAL_DTYPE if magnitudes else COMPLEX_DTYPE)[precision],
        longer if frames.center and frames.n_fft > samples else "",
    )


def _job_back(
    shape: tuple[int, ...],
    readable_as: np.dtype,
    out: Any,
    algorithm: str | None,
    values: Given,
    dtype: DTypeLike | None,
    n_fft: int | None,
    hop_length: int | None,
    win_length: int | None,
    window: Window,
    center: bool,
    length: int | None,
) -> Job:
    """Return the job of `istft`, without layouts, for spectra of a shape.

    Parameters
    ----------
    shape : tuple of int
        The shape of the spectra.
    readable_as : dtype
        The dtype in which a device would read the spectra.
    out : ndarray or Place, optional
        The caller's array for the signals, or its place on the device.
    algorithm, dtype, n_fft, hop_length, win_length, window, center, length
        The parameters of `istft`.
    values : tuple of (str, object)
        The parameters of the kernels, as `as_key` returns them.

    Raises
    ------
    PlanError
        The spectra have no bins, or fewer than two dimensions, or an option makes no sense.
    """
    wanted = _wanted(dtype, out, SIGNALS if out is None else (*SIGNALS, *SPECTRA))
    if len(shape) < 2:
        raise PlanError(f"spectra have the shape (..., bins, frames), not {shape}")
    *outer, bins, count = shape
    if not bins:
        raise PlanError(f"there are no bins in spectra of the shape {shape}")
    n_fft = max(1, 2 * (bins - 1)) if n_fft is None else n_fft
    frames = make_frames(n_fft, hop_length, win_length, window, center)
    if length is not None:
        samples = positive("length", length)
        count = min(max(1, count), -(-(samples + 2 * frames.before) // frames.hop))
    elif count:
        samples = frames.n_fft + frames.hop * (count - 1) - 2 * frames.before
    else:
        raise PlanError(f"there are no frames in spectra of the shape {shape}: give a length")
    precision = READABLE[readable_as if wanted is None else wanted][0]
    framing = replace(frames.over(samples, prod(outer), precision), frames=count)
    return Job(framing, frames.window, None, algorithm, back=True, values=values)


def _require_shape(out: Any, shape: tuple[int, ...], longer: bool = False) -> None:
    """Refuse an array for the result, or its place, that has another shape than the result.

    If `longer` is set, the last dimension of the array may be longer.
    """
    fits = out.shape[:-1] == shape[:-1] and len(out.shape) == len(shape)
    if not fits or out.shape[-1] < shape[-1] or (out.shape != shape and not longer):
        raise PlanError(
            f"out must have the shape {shape}{', or more frames' * longer}, not {out.shape}"
        )


# --- arrays on the host ---------------------------------------------------------------------------


def _on_host(
    y: Any,
    frames: Frames,
    magnitudes: Magnitudes | None,
    wanted: np.dtype | None,
    algorithm: str | None,
    values: Given,
    out: np.ndarray | None,
    queue: cl.CommandQueue | None,
) -> np.ndarray:
    """Transform signals on the host; the parameters are those of `_result` and `stft`."""
    signal = readable(y)
    precision, shape, dtype, caution = _result(
        signal.shape, signal.dtype, frames, magnitudes, wanted
    )
    if caution:
        warn(caution, stacklevel=3)
    if signal.dtype != REAL_DTYPE[precision]:
        signal = converted(signal, REAL_DTYPE[precision])
    if out is not None:
        _require_shape(out, shape, longer=True)
        out = out if out.shape == shape else out[..., : shape[-1]]
    if not prod(shape):
        return memory.empty(shape, dtype) if out is None else out
    *outer, samples = signal.shape
    bins = shape[-2]
    queue = queue_for(queue)
    framing = frames.over(samples, prod(outer), precision)
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
    spectra: np.ndarray, job: Job, out: np.ndarray | None, queue: cl.CommandQueue | None
) -> np.ndarray:
    """Turn spectra on the host into signals."""
    framing = job.framing
    shape = (*spectra.shape[:-2], framing.samples)
    if out is not None:
        _require_shape(out, shape)
    if not prod(shape):
        return memory.empty(shape, framing.dtype) if out is None else out
    dtype = COMPLEX_DTYPE[framing.precision]
    if spectra.dtype != dtype:
        spectra = converted(spectra, dtype)
    if not spectra.shape[-1]:
        spectra = np.zeros((*spectra.shape[:-1], 1), dtype)
    queue = queue_for(queue)
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


# --- arrays on the device -------------------------------------------------------------------------


class DeviceCall(NamedTuple):
    """What a call on device arrays does, beside the checks that need the arrays themselves.

    Attributes
    ----------
    steps : tuple of callable
        What is done to the input first: each step turns a device array into another one.
    executable : Executable or None
        What then turns the input into the result; None if the result is empty.
    shape : tuple of int
        The shape of the result.
    dtype : dtype
        The dtype of the result.
    caution : str
        A warning to the caller, or an empty string.
    """

    steps: tuple[Callable[[cl_array.Array], cl_array.Array], ...]
    executable: Executable | None
    shape: tuple[int, ...]
    dtype: np.dtype
    caution: str = ""


def _on_device(
    way: Callable[..., DeviceCall],
    window: Window,
    given: cl_array.Array,
    out: Any,
    queue: cl.CommandQueue | None,
    *options: Any,
) -> cl_array.Array:
    """Enqueue a call on a device array and return its result at once.

    The device may do its work in the time that a call takes, so every line counts.

    Parameters
    ----------
    way : callable
        `_stft_call`, `_istft_call` or `_spectrogram_call`.
    window, out, queue
        Parameters of `stft`.
    given : pyopencl.array.Array
        The input.
    *options : object
        What else `way` takes.
    """
    if out is not None and not isinstance(out, cl_array.Array):
        require_out(given, out)
    steps, executable, shape, dtype, caution = _call_of(
        window,
        way,
        given.context,
        (given.shape, given.strides, given.offset, given.dtype),
        None if out is None else (out.shape, out.strides, out.offset, out.dtype),
        *options,
    )
    if caution:
        warn(caution, stacklevel=3)
    for step in steps:
        given = step(given)
    queue = given.queue if queue is None and given.queue is not None else queue_for(queue, given)
    if out is None:
        out = new_array(queue, allocator_of(given, queue), shape, dtype)
    else:
        if out.queue is not queue or out.base_data == given.base_data:
            require_apart(out, given)
        if out.shape != shape:
            out = out[..., : shape[-1]]
    if executable is not None:
        run(executable, queue, given, out)
    return out


def _call_of(window: Window, *key: Any) -> DeviceCall:
    """Return what a call does; it is remembered if equal windows have equal weights."""
    if isinstance(window, NAMES):
        try:
            return _remembered(*key)
        except TypeError:  # an option cannot be hashed, or is of a type that is refused
            pass
    return _made(*key)


def _made(
    way: Callable[..., DeviceCall],
    context: cl.Context,
    given: tuple[Any, ...],
    left: tuple[Any, ...] | None,
    *options: Any,
) -> DeviceCall:
    """Return what a call does whose input, and room for the result, lie at these places."""
    return way(context, Place(*given), None if left is None else Place(*left), *options)


# A call asks it before any option is checked. Since types count, too, an option that is refused,
# such as 2048.0 points, is not taken for an equal one, such as 2048.
_remembered = remembers_latest("frames", MAX_TRANSFORMS, typed=True)(_made)


def _stft_call(
    context: cl.Context,
    given: Place,
    left: Place | None,
    algorithm: str | None,
    values: Given,
    dtype: DTypeLike | None,
    *asked: Any,
) -> DeviceCall:
    """Return what `stft` does; the last parameters are those of `_framed`."""
    _, frames = _framed(given, *asked)
    wanted = _wanted(dtype, left, SPECTRA)
    return _call_forward(context, given, left, frames, None, wanted, algorithm, values)


def _spectrogram_call(
    context: cl.Context,
    given: Place,
    left: None,
    algorithm: str | None,
    values: Given,
    dtype: DTypeLike | None,
    *asked: Any,
) -> DeviceCall:
    """Return what `spectrogram` does; the last parameters are those of `_numbers`."""
    wanted = _complex_of(dtype)
    _, frames, magnitudes = _numbers(given, *asked)
    return _call_forward(context, given, left, frames, magnitudes, wanted, algorithm, values)


def _call_forward(
    context: cl.Context,
    given: Place,
    left: Place | None,
    frames: Frames,
    magnitudes: Magnitudes | None,
    wanted: np.dtype | None,
    algorithm: str | None,
    values: Given,
) -> DeviceCall:
    """Return what a call on signals does; the parameters are those of `_result` and `Job`."""
    read = readable_dtype(given.dtype)
    precision, shape, dtype, caution = _result(given.shape, read, frames, magnitudes, wanted)
    source, steps = _converted(given, read, REAL_DTYPE[precision])
    target = _target(left, shape, dtype, longer=True)
    if not prod(shape):
        return DeviceCall(steps, None, shape, dtype, caution)
    *outer, samples = source.shape
    framing = frames.over(samples, prod(outer), precision, *first_and_pitch(source))
    layout = layout_of(target, framing)
    job = Job(framing, frames.window, magnitudes, algorithm, layout, values=values)
    return DeviceCall(steps, executable_of(context, job), shape, dtype, caution)


def _istft_call(
    context: cl.Context,
    given: Place,
    left: Place | None,
    algorithm: str | None,
    values: Given,
    *asked: Any,
) -> DeviceCall:
    """Return what `istft` does; the last parameters are those of `_job_back`."""
    read = readable_dtype(given.dtype)
    job = _job_back(given.shape, read, left, algorithm, values, *asked)
    framing = job.framing
    source, steps = _converted(given, read, COMPLEX_DTYPE[framing.precision])
    if not source.shape[-1]:
        source = in_c_order((*source.shape[:-1], 1), source.dtype)
        steps = (*steps, _silent_frame)
    shape = (*source.shape[:-2], framing.samples)
    target = _target(left, shape, framing.dtype)
    if not prod(shape):
        return DeviceCall(steps, None, shape, framing.dtype)
    if target.dtype != framing.dtype:
        raise PlanError(f"out must be {framing.dtype} on the device, not {target.dtype}")
    first, pitch = first_and_pitch(target)
    framing = replace(framing, first=first, pitch=pitch)
    job = replace(job, framing=framing, layout=layout_of(source, framing))
    return DeviceCall(steps, executable_of(context, job), shape, framing.dtype)


def _converted(
    place: Place, *dtypes: np.dtype
) -> tuple[Place, tuple[Callable[[cl_array.Array], cl_array.Array], ...]]:
    """Return where an input lies after it was converted to some dtypes, and the steps to there."""
    steps: tuple[Any, ...] = ()
    for dtype in dtypes:
        if dtype != place.dtype:
            place = in_c_order(place.shape, dtype)
            steps = (*steps, partial(converted, dtype=dtype))
    return place, steps


def _silent_frame(spectra: cl_array.Array) -> cl_array.Array:
    """Return one frame of zeros in the place of spectra that have no frames."""
    return cl_array.zeros(queue_for(None, spectra), (*spectra.shape[:-1], 1), spectra.dtype)


def _target(
    left: Place | None, shape: tuple[int, ...], dtype: np.dtype, longer: bool = False
) -> Place:
    """Return where the result lies: where the caller left room for it, or in a new array.

    The last dimension of the caller's array may be longer if `longer` is set.
    """
    if left is None:
        return in_c_order(shape, dtype)
    _require_shape(left, shape, longer)
    return left._replace(shape=shape)
