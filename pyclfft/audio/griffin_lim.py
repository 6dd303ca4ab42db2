"""Signals from magnitudes alone: the phases are sought by Griffin's and Lim's algorithm."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
from numpy.typing import DTypeLike

from ..errors import PlanError
from ..planning.precision import COMPLEX_DTYPE, REAL_DTYPE
from ..transforms.call import readable
from .on_device import launch, precision_of, queue_with, result_like, uploaded
from .stft import PadMode, istft, stft
from .windows import Window

SOURCE = "audio/phases.cl"
INITS = ("random", None)


def griffinlim(
    S: Any,  # noqa: N803  librosa's name
    *,
    n_iter: int = 32,
    hop_length: int | None = None,
    win_length: int | None = None,
    n_fft: int | None = None,
    window: Window = "hann",
    center: bool = True,
    dtype: DTypeLike | None = None,
    length: int | None = None,
    pad_mode: PadMode = "constant",
    momentum: float = 0.99,
    init: str | None = "random",
    random_state: int | np.random.RandomState | np.random.Generator | None = None,
    queue: cl.CommandQueue | None = None,
) -> Any:
    """Find signals whose spectrograms are close to given magnitudes, as librosa.griffinlim does.

    Parameters
    ----------
    S : array_like or pyopencl.array.Array, shape (..., 1 + n_fft // 2, frames)
        Magnitudes, as ``abs(stft(y))`` or `spectrogram` returns them.
    n_iter : int
        How often spectra become signals, and these spectra again.
    hop_length, win_length, n_fft, window, center, dtype, length
        The parameters of `istft`.
    pad_mode : str
        The parameter of `stft`.
    momentum : float
        By how much each step overshoots, which makes the search faster: 0 for the original
        algorithm, and at most 1, above which the search may fail.
    init : {"random", None}
        The phases to begin with: random ones, or zeros.
    random_state : int, numpy.random.Generator or numpy.random.RandomState, optional
        Where random phases come from; the same number gives the same phases as in librosa.
    queue : cl.CommandQueue, optional
        The queue to run on. The default is the queue of a device array, or the default queue.

    Returns
    -------
    ndarray or pyopencl.array.Array, shape (..., samples)
        The signals; on the device if `S` is there. All iterations stay on the device.

    Warns
    -----
    UserWarning
        `momentum` is above 1.

    Raises
    ------
    PlanError
        A ValueError: an option makes no sense, or `S` does not have frames of bins.
    DeviceError, DeviceMemoryError
        As `stft` raises them.

    See Also
    --------
    istft : The inverse where the phases are known.
    spectrogram : The magnitudes of a signal.

    Notes
    -----
    Rounding errors grow from iteration to iteration. So the signal of the same phases on another
    device, or from librosa, sounds alike, but its samples differ after many iterations.

    References
    ----------
    D. W. Griffin, J. S. Lim, "Signal estimation from modified short-time Fourier transform", IEEE
    Trans. ASSP-32 (1984).

    N. Perraudin, P. Balazs, P. L. Søndergaard, "A fast Griffin-Lim algorithm", IEEE WASPAA (2013).

    Examples
    --------
    >>> import numpy as np
    >>> import pyclfft
    >>> y = np.sin(2 * np.pi * 0.05 * np.arange(4096))
    >>> S = pyclfft.spectrogram(y, n_fft=256)
    >>> z = pyclfft.griffinlim(S, random_state=1)
    >>> error = np.linalg.norm(pyclfft.spectrogram(z, n_fft=256) - S) / np.linalg.norm(S)
    >>> z.shape, bool(error < 0.05)
    ((4096,), True)
    """
    if init not in INITS:
        raise PlanError(f"init must be 'random' or None, not {init!r}")
    rng = _generator(random_state)
    if momentum < 0:
        raise PlanError(f"momentum must not be negative, not {momentum!r}")
    if momentum > 1:
        warnings.warn(f"with momentum = {momentum:g}, above 1, the search may fail", stacklevel=2)
    given = readable(S)
    if given.ndim < 2 or not given.size:
        raise PlanError(f"S has the shape (..., bins, frames), not {given.shape}")
    precision = precision_of(given)
    queue = queue_with(queue, precision, given)
    there: dict[str, Any] = {
        "hop_length": hop_length, "win_length": win_length, "window": window, "center": center,
        "n_fft": max(1, 2 * (given.shape[-2] - 1)) if n_fft is None else n_fft, "queue": queue,
    }  # fmt: skip
    turns = rng.random(size=given.shape) if init else np.zeros(given.shape)
    search = _Search(given, turns, queue)
    before = None
    for _ in range(n_iter):
        signal = istft(search.spectra, length=length, **there)
        rebuilt = stft(signal, pad_mode=pad_mode, **there)
        search.step(rebuilt, before, momentum / (1 + momentum))
        before = rebuilt
    result = istft(search.spectra, dtype=dtype, length=length, **there)
    return result if isinstance(given, cl_array.Array) else result.get()


class _Search:
    """The spectra of a search: their magnitudes are known, and their phases change.

    Parameters
    ----------
    given : ndarray or pyopencl.array.Array, shape (..., bins, frames)
        The magnitudes.
    turns : ndarray of float64, shape (..., bins, frames)
        The phases to begin with, in turns.
    queue : cl.CommandQueue
        The queue to run on.
    """

    def __init__(self, given: Any, turns: np.ndarray, queue: cl.CommandQueue) -> None:
        self.queue, self.precision = queue, precision_of(given)
        self.wanted = uploaded(given, queue)
        self.spectra = result_like(given, queue, given.shape, COMPLEX_DTYPE[self.precision])
        start = uploaded(turns.astype(REAL_DTYPE[self.precision]), queue)
        self._launch("firstPhases", self.wanted, start, self.spectra, np.uint64(given.size))

    def step(self, rebuilt: cl_array.Array, before: cl_array.Array | None, share: float) -> None:
        """Take the phases of a signal's spectra, less a share of what these were before."""
        if rebuilt.shape != self.spectra.shape:
            raise PlanError(
                f"S has the shape {self.spectra.shape}, but the spectra of its signals have the "
                f"shape {rebuilt.shape}: give the n_fft of S, and leave length out or let it be "
                "that of the signal"
            )
        share = 0.0 if before is None else float(share)
        self._launch(
            "nextPhases", self.wanted, rebuilt, rebuilt if before is None else before,
            self.spectra, np.uint64(rebuilt.size), share,
            float(np.finfo(self.spectra.dtype).tiny),
        )  # fmt: skip

    def _launch(self, kernel: str, *arguments: Any) -> None:
        kind = "COMPLEX" if self.wanted.dtype.kind == "c" else "REAL"
        items = (self.spectra.size,)
        launch(self.queue, kernel, SOURCE, items, *arguments, precision=self.precision, GIVEN=kind)


def _generator(random_state: Any) -> np.random.RandomState | np.random.Generator:
    """Return where random phases come from, as librosa chooses it."""
    if random_state is None:
        return np.random.default_rng()
    if isinstance(random_state, (int, np.integer)):
        return np.random.RandomState(random_state)
    if isinstance(random_state, (np.random.RandomState, np.random.Generator)):
        return random_state
    raise PlanError(
        f"random_state must be a number or a generator of numpy.random, not {random_state!r}"
    )
