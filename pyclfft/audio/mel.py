"""Mels: the scale, spectrograms by bands of it, and their cepstral coefficients (MFCC)."""

from __future__ import annotations

import warnings
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
from numpy.typing import DTypeLike

from ..errors import PlanError
from ..planning.parameters import parameters_for
from ..planning.pass_parts import extrema_group
from ..runtime import describe
from ..runtime.operation import new_array
from ..transforms import dct
from .framing import positive
from .magnitude_spectrogram import number
from .on_device import launch, precision_of, queue_with, real_samples, result_like, uploaded
from .stft import PadMode, spectrogram
from .windows import Window

SOURCE = "audio/melBands.cl"

# --- the scale ------------------------------------------------------------------------------------

MEL_STEP = 200 / 3  # Slaney's scale: Hz a mel below 1000 Hz; above, it is logarithmic
MEL_BREAK = 1000.0
MEL_LOG = np.log(6.4) / 27
HTK_FACTOR, HTK_CORNER = 2595.0, 700.0  # of the HTK's scale


def mel_of(hertz: np.ndarray, htk: bool = False) -> np.ndarray:
    """Return where frequencies are on a mel scale: Slaney's, librosa's default, or the HTK's.

    Parameters
    ----------
    hertz : ndarray
        Frequencies.
    htk : bool
        Take the scale of the Hidden Markov Model Toolkit.

    Returns
    -------
    ndarray of float64

    References
    ----------
    M. Slaney, "Auditory Toolbox", Interval Research technical report 1998-010 (1998).
    """
    hertz = np.asarray(hertz, np.float64)
    if htk:
        return HTK_FACTOR * np.log10(1 + hertz / HTK_CORNER)
    above = MEL_BREAK / MEL_STEP + np.log(np.maximum(hertz, MEL_BREAK) / MEL_BREAK) / MEL_LOG
    return np.where(hertz < MEL_BREAK, hertz / MEL_STEP, above)


def hertz_of_mel(mel: np.ndarray, htk: bool = False) -> np.ndarray:
    """Return the frequencies of places on a mel scale, the inverse of `mel_of`."""
    mel = np.asarray(mel, np.float64)
    if htk:
        return HTK_CORNER * (10 ** (mel / HTK_FACTOR) - 1)
    over = np.maximum(mel - MEL_BREAK / MEL_STEP, 0)
    return np.where(over > 0, MEL_BREAK * np.exp(MEL_LOG * over), mel * MEL_STEP)


# --- the filter bank ------------------------------------------------------------------------------


class FilterBank(NamedTuple):
    """Triangles over bins, as the kernel melBands reads them.

    Attributes
    ----------
    triangles : ndarray of uint32, shape (bands, 3)
        Of each band the first bin, the number of bins, and the place of its first weight.
    weights : ndarray of float64
        The weights of all bands, one band after the other.
    """

    triangles: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, matrix: np.ndarray) -> FilterBank:
        """Return the bank of a matrix of shape (bands, bins)."""
        present = matrix != 0
        first = present.argmax(axis=1)
        last = matrix.shape[1] - present[:, ::-1].argmax(axis=1)
        count = np.where(present.any(axis=1), last - first, 0)
        begin = np.cumsum(count) - count
        rows = [row[a : a + n] for row, a, n in zip(matrix, first, count, strict=True)]
        return cls(np.stack([first, count, begin], axis=1).astype(np.uint32), np.concatenate(rows))


def mel_matrix(
    sr: float,
    n_fft: int,
    n_mels: int = 128,
    fmin: float = 0.0,
    fmax: float | None = None,
    htk: bool = False,
    norm: str | float | None = "slaney",
    dtype: DTypeLike = np.float32,
) -> np.ndarray:
    """Return the weight of each bin in each band of mels, as librosa.filters.mel does.

    Parameters
    ----------
    sr : float
        Samples a second.
    n_fft : int
        Points of a frame.
    n_mels, fmin, fmax, htk, norm, dtype
        The parameters of `melspectrogram`.

    Returns
    -------
    ndarray of `dtype`, shape (n_mels, 1 + n_fft // 2)

    Raises
    ------
    PlanError
        An option makes no sense.

    Warns
    -----
    UserWarning
        A band is so narrow that no bin lies in it.
    """
    n_mels, sr = positive("n_mels", n_mels), number("sr", sr)
    top = sr / 2 if fmax is None else number("fmax", fmax)
    if not 0 <= fmin < top:
        raise PlanError(
            f"0 <= fmin < fmax must hold, not {fmin:g} and {top:g}: choose other limits"
        )
    places = np.linspace(mel_of(np.array(fmin), htk), mel_of(np.array(top), htk), n_mels + 2)
    edges = hertz_of_mel(places, htk)
    bins = np.arange(1 + n_fft // 2) * (sr / n_fft)
    ramps = edges[:, None] - bins
    widths = np.diff(edges)[:, None]
    weights = np.minimum(-ramps[:-2] / widths[:-1], ramps[2:] / widths[1:]).clip(0).astype(dtype)
    weights = (weights * _factors(weights, edges, norm)).astype(dtype)
    if not ((edges[:-2] == 0) | (weights.max(axis=1) > 0)).all():
        warnings.warn(
            f"no bin lies in some of the {n_mels} bands of mels, which will be 0: choose a smaller "
            "n_mels or a greater n_fft",
            stacklevel=4,
        )
    return weights


def _factors(weights: np.ndarray, edges: np.ndarray, norm: str | float | None) -> Any:
    """Return the factor of each band, shape (bands, 1)."""
    if norm is None:
        return 1.0
    if norm == "slaney":
        return 2 / (edges[2:] - edges[:-2])[:, None]
    if isinstance(norm, str):
        raise PlanError(f"norm must be 'slaney', None or the number of a norm, not {norm!r}")
    sizes = np.linalg.norm(weights.astype(np.float64), ord=norm, axis=1, keepdims=True)
    return 1 / np.where(sizes < np.finfo(weights.dtype).tiny, 1.0, sizes)


@lru_cache(maxsize=16)
def _bank(*asked: Any) -> FilterBank:
    return FilterBank.of(mel_matrix(*asked))


# --- spectrograms ---------------------------------------------------------------------------------


def melspectrogram(
    *,
    y: Any = None,
    sr: float = 22050,
    S: Any = None,  # noqa: N803  librosa's name
    n_fft: int = 2048,
    hop_length: int = 512,
    win_length: int | None = None,
    window: Window = "hann",
    center: bool = True,
    pad_mode: PadMode = "constant",
    power: float = 2.0,
    n_mels: int = 128,
    fmin: float = 0.0,
    fmax: float | None = None,
    htk: bool = False,
    norm: str | float | None = "slaney",
    dtype: DTypeLike = np.float32,
    queue: cl.CommandQueue | None = None,
) -> Any:
    """Compute a spectrogram by bands of mels, as librosa.feature.melspectrogram does.

    Parameters
    ----------
    y : array_like or pyopencl.array.Array, shape (..., samples), optional
        Real signals.
    sr : float
        Samples a second.
    S : array_like or pyopencl.array.Array, shape (..., bins, frames), optional
        A spectrogram in the place of signals; it is taken as it is, whatever `power` says.
    n_fft, hop_length, win_length, window, center, pad_mode
        The parameters of `stft`. Where `S` is given, `n_fft` follows from its number of bins.
    power : float
        The exponent of the magnitudes: 1 for amplitudes, 2 for power.
    n_mels : int
        The number of bands.
    fmin, fmax : float
        The lower edge of the lowest band and the upper edge of the highest one, in Hz; `fmax` is
        half of `sr` by default.
    htk : bool
        Take the HTK's mel scale rather than Slaney's.
    norm : {"slaney", None} or float
        "slaney" divides each triangle by half of its width in Hz. With None each triangle's peak is
        1. A number, also ``inf``, divides each triangle by its norm of that order.
    dtype : dtype
        The dtype of the weights of the filter bank.
    queue : cl.CommandQueue, optional
        The queue to run on. The default is the queue of a device array, or the default queue.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., n_mels, frames)
        The bands, of the dtype that `spectrogram` has for the signals; on the device if the input
        is there.

    Warns
    -----
    UserWarning
        A band is so narrow that no bin lies in it.

    Raises
    ------
    PlanError
        A ValueError: an option makes no sense, or neither or both of `y` and `S` are given.
    DeviceError, DeviceMemoryError
        As `stft` raises them.

    See Also
    --------
    mfcc : Cepstral coefficients of the bands.
    spectrogram : All bins.
    power_to_db : Decibels of the bands.

    References
    ----------
    S. S. Stevens, J. Volkmann, E. B. Newman, "A scale for the measurement of the psychological
    magnitude pitch", J. Acoust. Soc. Am. 8 (1937).

    Examples
    --------
    >>> import numpy as np
    >>> import pyclfft
    >>> t = np.arange(22050, dtype="float32") / 22050
    >>> bands = pyclfft.melspectrogram(y=np.sin(2 * np.pi * 440 * t), sr=22050)
    >>> bands.shape, int(bands.mean(axis=1).argmax())
    ((128, 44), 16)
    """
    if (y is None) == (S is None):
        raise PlanError("give either signals y or a spectrogram S")
    given = real_samples(y if S is None else S, "y" if S is None else "S")
    if S is not None:
        if given.ndim < 2:
            raise PlanError(f"S has the shape (..., bins, frames), not {given.shape}")
        n_fft = n_fft if n_fft // 2 + 1 == given.shape[-2] else 2 * (given.shape[-2] - 1)
    asked = (sr, positive("n_fft", n_fft), n_mels, fmin, fmax, htk, norm, np.dtype(dtype))
    bank = _bank(*asked)
    queue = queue_with(queue, precision_of(given), given)
    spectra = uploaded(given, queue)
    if S is None:
        spectra = spectrogram(
            spectra, n_fft, hop_length, win_length, window, center, pad_mode=pad_mode, power=power,
            queue=queue,
        )  # fmt: skip
    bands = _by_bands(spectra, bank, queue)
    return bands if isinstance(given, cl_array.Array) else bands.get()


def _by_bands(spectra: cl_array.Array, bank: FilterBank, queue: cl.CommandQueue) -> cl_array.Array:
    """Return the bands of spectra of shape (..., bins, frames)."""
    *outer, bins, frames = spectra.shape
    count = len(bank.triangles)
    bands = result_like(spectra, queue, (*outer, count, frames), spectra.dtype)
    launch(
        queue, "melBands", SOURCE, (frames, count, prod(outer)), spectra, bands, bank.triangles,
        bank.weights.astype(spectra.dtype), frames, bins, count, precision=precision_of(spectra),
    )  # fmt: skip
    return bands


# --- cepstral coefficients ------------------------------------------------------------------------

LEAST_POWER, RANGE_DB = 1e-10, 80.0  # the defaults of `power_to_db`


def mfcc(
    *,
    y: Any = None,
    sr: float = 22050,
    S: Any = None,  # noqa: N803  librosa's name
    n_mfcc: int = 20,
    dct_type: int = 2,
    norm: str | None = "ortho",
    lifter: float = 0,
    mel_norm: str | float | None = "slaney",
    queue: cl.CommandQueue | None = None,
    **kwargs: Any,
) -> Any:
    """Compute mel-frequency cepstral coefficients, as librosa.feature.mfcc does.

    They are the cosine transform of the decibels of `melspectrogram`, over its bands.

    Parameters
    ----------
    y : array_like or pyopencl.array.Array, shape (..., samples), optional
        Real signals.
    sr : float
        Samples a second.
    S : array_like or pyopencl.array.Array, shape (..., bands, frames), optional
        Decibels of bands of mels, in the place of signals.
    n_mfcc : int
        The number of coefficients, from the lowest on; there are at most as many as bands.
    dct_type : {1, 2, 3}
        The type of the cosine transform.
    norm : {"ortho", None}
        The norm of the cosine transform, as for `dct`.
    lifter : float
        If it is above 0, coefficient n, counted from 1, is multiplied by
        ``1 + lifter / 2 * sin(pi * n / lifter)``.
    mel_norm : {"slaney", None} or float
        The parameter `norm` of `melspectrogram`.
    queue : cl.CommandQueue, optional
        The queue to run on. The default is the queue of a device array, or the default queue.
    **kwargs
        Other parameters of `melspectrogram`, if signals are given.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., n_mfcc, frames)
        The coefficients; on the device if the input is there. Levels that are more than 80 dB below
        the greatest level of all signals are raised to this limit.

    Raises
    ------
    PlanError, DeviceError, DeviceMemoryError
        As `melspectrogram` raises them.

    See Also
    --------
    melspectrogram : The bands.
    dct : The cosine transform.

    References
    ----------
    S. Davis, P. Mermelstein, "Comparison of parametric representations for monosyllabic word
    recognition in continuously spoken sentences", IEEE Trans. ASSP-28 (1980).

    Examples
    --------
    >>> import numpy as np
    >>> import pyclfft
    >>> y = np.random.default_rng(1).standard_normal(22050)
    >>> pyclfft.mfcc(y=y, sr=22050, n_mfcc=13).shape
    (13, 44)
    """
    n_mfcc = positive("n_mfcc", n_mfcc)
    if not lifter >= 0:
        raise PlanError(f"lifter must not be negative, not {lifter!r}")
    if (y is None) == (S is None):
        raise PlanError("give either signals y or decibels of bands S")
    if S is not None and kwargs:
        raise PlanError(f"{', '.join(kwargs)} belongs to signals: leave it out where S is given")
    given = real_samples(y if S is None else S, "y" if S is None else "S")
    queue = queue_with(queue, precision_of(given), given)
    levels = uploaded(given, queue)
    if S is None:
        levels = melspectrogram(y=levels, sr=sr, norm=mel_norm, queue=queue, **kwargs)
        _to_decibels(levels, queue)
    coefficients = dct(levels, dct_type, axis=-2, norm=norm)
    result = _lifted(coefficients, n_mfcc, lifter, queue)
    return result if isinstance(given, cl_array.Array) else result.get()


def _to_decibels(powers: cl_array.Array, queue: cl.CommandQueue) -> None:
    """Turn powers into decibels in place, as `power_to_db` does, 80 dB down from the greatest."""
    traits, count, precision = describe.traits(queue.device), powers.size, precision_of(powers)
    parameters = parameters_for(traits)
    group = extrema_group(traits, parameters, powers.dtype.itemsize)
    groups = max(1, min(parameters["extrema_groups"], count // group))
    parts, top = (new_array(queue, None, (n,), powers.dtype) for n in (groups, 1))
    options: dict[str, Any] = {"precision": precision, "GROUP": group, "RELATIVE": 0, "DECIBELS": 1}
    for values, found, of, several in ((powers, parts, count, groups), (parts, top, groups, 1)):
        launch(
            queue, "greatest", "audio/relate.cl", (several * group,), values, found, np.uint64(of),
            group=group, **options,
        )  # fmt: skip
    launch(
        queue, "relate", "audio/relate.cl", (count,), powers, top, np.uint64(count),
        1.0, 10.0, LEAST_POWER, RANGE_DB, **options,
    )  # fmt: skip


def _lifted(
    coefficients: cl_array.Array, kept: int, lifter: float, queue: cl.CommandQueue
) -> cl_array.Array:
    """Return the first coefficients, each times the factor that `lifter` gives it."""
    *outer, count, frames = coefficients.shape
    kept = min(kept, count)
    order = np.arange(1, kept + 1)
    factors = 1 + lifter / 2 * np.sin(np.pi * order / lifter) if lifter else np.ones(kept)
    result = result_like(coefficients, queue, (*outer, kept, frames), coefficients.dtype)
    launch(
        queue, "lifted", SOURCE, (frames, kept, prod(outer)), coefficients, result,
        factors.astype(coefficients.dtype), frames, count, kept,
        precision=precision_of(coefficients),
    )  # fmt: skip
    return result
