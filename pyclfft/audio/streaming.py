"""Short-time Fourier transforms of signals that come in blocks, or that are too long at once."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
from numpy.typing import ArrayLike, DTypeLike

from ..errors import DeviceMemoryError, PlanError
from ..planning.precision import COMPLEX_DTYPE, READABLE, REAL_DTYPE
from ..planning.problem import plain_layout
from ..runtime import memory, queues
from ..runtime.limit import max_device_bytes
from ..runtime.operation import require_queue
from ..runtime.pipeline import IN_FLIGHT, Pipeline, Work
from ..runtime.profile import Recorder
from .frame_jobs import Job, executable_of
from .framing import Frames, Framing, Magnitudes, make_frames, relate
from .windows import Window

PIECE_BYTES = 16 * 2**20  # bytes of the spectra of a piece: few for a device, many for a launch


class Held(NamedTuple):
    """A stretch of signals.

    Attributes
    ----------
    samples : ndarray, shape (signals, count)
        The samples of the stretch.
    start : int
        The place of the stretch's first sample in a signal.
    ended : bool
        The signals end where the stretch ends.
    """

    samples: np.ndarray
    start: int
    ended: bool

    @property
    def end(self) -> int:
        """The place behind the stretch's last sample in a signal."""
        return self.start + self.samples.shape[-1]


def _piece_bytes() -> int:
    """Return how many bytes the spectra of a piece may have.

    Several pieces are in flight, and each has samples and workspace beside its spectra.
    """
    limit = max_device_bytes()
    return PIECE_BYTES if limit is None else min(PIECE_BYTES, limit // (4 * IN_FLIGHT))


class Piece(NamedTuple):
    """Frames that are transformed at once, and the samples they need."""

    frames: slice
    samples: slice
    framing: Framing


class FrameStream:
    """Transforms stretches of signals, in pieces of bounded size.

    Parameters
    ----------
    frames : Frames
        How the signals are framed.
    precision : {"single", "double"}
        The precision of all arithmetic.
    magnitudes : Magnitudes, optional
        The numbers that are wanted instead of spectra. They cannot be relative to the greatest
        number, which is not known before the end.
    algorithm : str, optional
        The algorithm of the transforms.
    context : cl.Context, optional
        The context to run in, of one device; the default queue's by default.
    recorder : Recorder, optional
        Receives the events of all pieces.
    """

    def __init__(
        self,
        frames: Frames,
        precision: str,
        magnitudes: Magnitudes | None = None,
        algorithm: str | None = None,
        context: cl.Context | None = None,
        recorder: Recorder | None = None,
    ) -> None:
        self.frames = frames
        self.precision = precision
        self.magnitudes = magnitudes
        self.algorithm = algorithm
        self.context = context or queues.default_queue().context
        self.bins = (magnitudes.bins if magnitudes else 0) or frames.n_fft // 2 + 1
        self.dtype = (REAL_DTYPE if magnitudes else COMPLEX_DTYPE)[precision]
        self._pipeline = Pipeline(self.context, recorder)

    def fill(self, held: Held, frames: slice, result: np.ndarray) -> None:
        """Transform frames whose samples are held.

        Parameters
        ----------
        held : Held
            The samples.
        frames : slice
            The numbers of the frames.
        result : ndarray, shape (signals, frames, bins)
            Receives the spectra, or the magnitudes if they are wanted.
        """
        self._pipeline.run(
            Work(
                self._executable(piece.framing),
                held.samples[:, piece.samples],
                result[:, piece.frames.start - frames.start : piece.frames.stop - frames.start],
            )
            for piece in self._pieces(held, frames)
        )

    def _executable(self, framing: Framing) -> Any:
        return executable_of(
            self.context, Job(framing, self.frames.window, self.magnitudes, self.algorithm)
        )

    def _pieces(self, held: Held, frames: slice) -> Iterator[Piece]:
        """Yield pieces in order. No piece holds frames that need padding and others that do not."""
        signals = held.samples.shape[0]
        most = max(1, _piece_bytes() // (signals * self.bins * self.dtype.itemsize))
        inside = self._inside(held, frames)
        for part in (slice(frames.start, inside.start), inside, slice(inside.stop, frames.stop)):
            for begin in range(part.start, part.stop, most):
                yield self._piece(held, slice(begin, min(begin + most, part.stop)), part is inside)

    def _inside(self, held: Held, frames: slice) -> slice:
        """Return which of the frames need no padding."""
        first = -(-self.frames.before // self.frames.hop)
        behind = self.frames.available(held.end)
        begin = min(max(frames.start, first), frames.stop)
        return slice(begin, max(begin, min(frames.stop, behind)))

    def _piece(self, held: Held, frames: slice, inside: bool) -> Piece:
        asked = self.frames
        count, signals = frames.stop - frames.start, held.samples.shape[0]
        begin = frames.start * asked.hop - asked.before
        if inside:  # the plan does not depend on the piece's place, so that pieces share one
            samples = (count - 1) * asked.hop + asked.n_fft
            first = begin - held.start
            framing = replace(
                asked.over(samples, signals, self.precision), frames=count, before=0, pad=0
            )
            return Piece(
                frames, slice(first, first + samples), replace(framing, padding="constant")
            )
        # The padding may mirror as many samples inside the signal as lie outside.
        first = max(held.start, min(begin, held.end - asked.before - 1))
        behind = max(begin + (count - 1) * asked.hop + asked.n_fft, first + asked.before + 1)
        end = min(held.end, behind)
        framing = asked.over(end - first, signals, self.precision)
        framing = replace(framing, frames=count, before=first - begin)
        return Piece(frames, slice(first - held.start, end - held.start), framing)


def fill_in_pieces(
    signals: np.ndarray,
    frames: Frames,
    precision: str,
    job: Job,
    context: cl.Context,
    result: np.ndarray,
) -> None:
    """Transform signals piece by piece, because a device has no room for all of them at once.

    Parameters
    ----------
    signals : ndarray, shape (signals, samples)
        The signals.
    frames, precision
        How the signals are framed, and the precision of all arithmetic.
    job : Job
        The job that the device had no room for.
    context : cl.Context
        The context to run in, of one device.
    result : ndarray, shape (signals, frames, bins)
        Receives the spectra or magnitudes. If these are relative to the greatest number, the host
        computes the last step.
    """
    numbers = job.magnitudes
    alone = replace(numbers, relative=False, decibels=False) if numbers else None
    stream = FrameStream(frames, precision, alone, job.algorithm, context)
    stream.fill(Held(signals, 0, True), slice(0, result.shape[1]), result)
    if numbers and (numbers.relative or numbers.decibels):
        relate(result, numbers)


def fill_back_in_pieces(
    spectra: np.ndarray, job: Job, context: cl.Context, result: np.ndarray
) -> None:
    """Turn spectra into signals piece by piece, because a device has no room for all at once.

    A piece holds whole signals, or a stretch of one signal and all frames that reach into it. So
    neighbouring pieces have some frames in common, and each sample is the work of one piece.

    Parameters
    ----------
    spectra : ndarray, shape (signals, frames, bins)
        The spectra; there may be more frames than the job has.
    job : Job
        The job that the device had no room for.
    context : cl.Context
        The context to run in, of one device.
    result : ndarray, shape (signals, samples)
        Receives the signals.
    """
    signals, stretches = _pieces_back(job.framing)

    def work(first: int, stretch: Piece) -> Work:
        together = slice(first, first + signals)
        source, target = spectra[together, stretch.frames], result[together, stretch.samples]
        part = replace(stretch.framing, signals=len(source))
        fewer = replace(job, framing=part, layout=plain_layout(source.shape))
        return Work(executable_of(context, fewer), source, target)

    Pipeline(context).run(
        work(first, stretch)
        for first in range(0, job.framing.signals, signals)
        for stretch in stretches
    )


def require_pieces_back(job: Job, bins: int, context: cl.Context) -> None:
    """Refuse a job whose pieces fit neither the device nor the limit of its memory.

    Parameters
    ----------
    job : Job
        The job that the device has no room for.
    bins : int
        How many bins each spectrum has.
    context : cl.Context
        The context to run in, of one device.

    Raises
    ------
    DeviceMemoryError
        The frames are so long, or so far apart, that pieces cannot be shorter.
    """
    signals, stretches = _pieces_back(job.framing)
    largest = max(
        (each.framing for each in stretches), key=lambda part: (part.frames, part.samples)
    )
    layout = plain_layout((signals, largest.frames, bins))
    fewer = replace(job, framing=replace(largest, signals=signals), layout=layout)
    workspace = executable_of(context, fewer).schedule.workspace_bytes
    each = fewer.samples_bytes + fewer.results_bytes + workspace
    limit = max_device_bytes()
    if limit is not None and IN_FLIGHT * each > limit:
        raise DeviceMemoryError(
            f"{limit:,} bytes are too few for {IN_FLIGHT} pieces of {each:,} bytes, and pieces of "
            "these frames cannot be shorter: allow more memory"
        )


def _pieces_back(framing: Framing) -> tuple[int, list[Piece]]:
    """Return how many signals a piece holds, and the stretches of a signal, one or more.

    All stretches but the first and the last have one length and begin where a frame begins, so that
    they share a plan.
    """
    n_fft, hop, count = framing.n_fft, framing.hop, framing.frames
    numbers = 2 * framing.bins + n_fft + hop  # of a frame: its spectrum, its points, new samples
    wanted = 2 * _piece_bytes() // (numbers * framing.dtype.itemsize)
    from_before = -(-n_fft // hop) - 1  # frames that begin before a stretch and reach into it
    most = max(wanted, 2 * from_before + 1)  # so that at most half of the frames come twice
    begin, end = framing.before, framing.before + framing.samples  # as points from frame 0 on
    step = end if most >= count else (most - from_before) * hop
    edges = [begin, *range((begin // step + 1) * step, end, step), end]
    stretches = []
    for start, stop in itertools.pairwise(edges):
        first = min(max(0, (start - n_fft) // hop + 1), start // hop, count - 1)
        last = min(max(first, (stop - 1) // hop), count - 1)
        part = replace(
            framing, frames=last - first + 1, samples=stop - start, pitch=stop - start, first=0,
            before=start - first * hop,
        )  # fmt: skip
        stretches.append(Piece(slice(first, last + 1), slice(start - begin, stop - begin), part))
    return min(framing.signals, max(1, most // count)), stretches


class StreamingSTFT:
    """A short-time Fourier transform of signals that come block by block.

    The results of `push` and `close`, joined in order, are what `stft` returns for all blocks at
    once.

    Parameters
    ----------
    n_fft, hop_length, win_length, window, center, pad_mode, algorithm
        The parameters of `stft`.
    dtype : {complex64, complex128}
        The dtype of the spectra, and so the precision of all arithmetic. It does not depend on the
        dtype of the blocks, because it has to be known before the first one comes.
    power : float, optional
        If it is given, the results are magnitudes to this power, real numbers, instead of spectra.
    queue : cl.CommandQueue, optional
        A queue whose context the stream runs in, on queues of its own; the default queue by
        default.
    recorder : Recorder, optional
        Receives the events of all uploads, kernels and downloads (`bench stft`).

    Raises
    ------
    PlanError
        A ValueError: an option makes no sense.

    See Also
    --------
    stft : Transform whole signals.
    spectrogram : The magnitudes of whole signals.
    StreamingConvolver : Convolve signals that come block by block.

    Examples
    --------
    >>> import numpy as np
    >>> import pyclfft
    >>> y = np.random.default_rng(1).standard_normal(10000).astype("float32")
    >>> stream = pyclfft.StreamingSTFT(n_fft=512)
    >>> parts = [stream.push(block) for block in np.split(y, 20)] + [stream.close()]
    >>> spectra = np.concatenate(parts, axis=-1)
    >>> np.allclose(spectra, pyclfft.stft(y, n_fft=512), atol=1e-4)
    True
    """

    def __init__(
        self,
        n_fft: int = 2048,
        hop_length: int | None = None,
        win_length: int | None = None,
        window: Window = "hann",
        center: bool = True,
        *,
        pad_mode: str = "constant",
        dtype: DTypeLike = np.complex64,
        power: float | None = None,
        algorithm: str | None = None,
        queue: cl.CommandQueue | None = None,
        recorder: Recorder | None = None,
    ) -> None:
        self._frames = make_frames(n_fft, hop_length, win_length, window, center, pad_mode)
        precision, real = READABLE.get(np.dtype(dtype), ("", True))
        if real:
            raise PlanError(f"dtype must be complex64 or complex128, not {np.dtype(dtype)}")
        if power is not None and not power > 0:
            raise PlanError(f"power must be positive, not {power!r}")
        magnitudes = None if power is None else Magnitudes(float(power))
        require_queue(queue)
        context = queue.context if queue else None
        self._stream = FrameStream(
            self._frames, precision, magnitudes, algorithm, context, recorder
        )
        self._dtype = REAL_DTYPE[precision]
        self._shape: tuple[int, ...] | None = None  # of blocks, without the axis of samples
        self._held = Held(np.empty((0, 0), self._dtype), 0, False)
        self._done = 0  # frames that have been returned

    @property
    def latency(self) -> int:
        """Samples that have to come after the middle of a frame before the frame is complete.

        If `pad_mode` is "reflect" and `n_fft` is even, the first frame needs one more.
        """
        return self._frames.n_fft - self._frames.n_fft // 2 - 1

    def push(self, block: ArrayLike) -> np.ndarray:
        """Take the next samples and return the frames that they complete.

        Parameters
        ----------
        block : array_like, shape (..., samples)
            Any number of samples, also none, of the signals that the first block had.

        Returns
        -------
        ndarray, shape (..., 1 + n_fft // 2, frames)
            The frames, often none.

        Raises
        ------
        PlanError
            The block is complex or has other signals than the first one, or the stream is closed.
        DeviceError, DeviceMemoryError
            As `stft` raises them.
        """
        if self._held.ended:
            raise PlanError("the stream is closed: make another one for the next signal")
        if isinstance(block, cl_array.Array):
            raise PlanError("streams take NumPy arrays: call .get() first, or stft for all at once")
        samples = self._checked(np.asarray(block))
        joined = np.concatenate([self._held.samples, samples], axis=1)
        self._held = Held(joined, self._held.start, False)
        return self._transformed(max(self._done, self._frames.available(self._held.end)))

    def close(self) -> np.ndarray:
        """End the signals and return the last frames, which reach over their ends.

        Returns
        -------
        ndarray, shape (..., 1 + n_fft // 2, frames)

        Raises
        ------
        PlanError
            The signals have no samples.
        """
        if self._shape is None or not self._held.end:
            raise PlanError("the signal has no samples: push some before the stream is closed")
        self._held = self._held._replace(ended=True)
        return self._transformed(max(self._done, self._frames.count(self._held.end)))

    def _checked(self, block: np.ndarray) -> np.ndarray:
        """Return a block as an array of the shape (signals, samples)."""
        if block.dtype.kind == "c":
            raise PlanError(f"the signal is complex ({block.dtype}): take its real part")
        if block.dtype.kind not in "biuf":
            raise PlanError(f"a block has real numbers, not {block.dtype}")
        if not block.ndim:
            raise PlanError("a block has the shape (..., samples): give it an axis")
        if self._shape is None:
            self._shape = block.shape[:-1]
            signals = int(np.prod(self._shape))
            self._held = Held(np.empty((signals, 0), self._dtype), 0, False)
        if block.shape[:-1] != self._shape:
            raise PlanError(
                f"blocks before had the shape {(*self._shape, 'samples')}, this one has "
                f"{block.shape}: give as many signals every time"
            )
        signals = self._held.samples.shape[0]
        return block.astype(self._dtype, copy=False).reshape(signals, block.shape[-1])

    def _transformed(self, stop: int) -> np.ndarray:
        """Return the frames before number `stop`, and forget samples that no later frame needs."""
        held, done = self._held, self._done
        count = stop - done
        result = memory.empty((held.samples.shape[0], count, self._stream.bins), self._stream.dtype)
        if result.size:
            self._stream.fill(held, slice(done, stop), result)
        self._done = stop
        needed = stop * self._frames.hop - self._frames.before
        kept = max(held.start, min(needed, held.end - self._frames.before - 1))
        self._held = held._replace(samples=held.samples[:, kept - held.start :], start=kept)
        assert self._shape is not None
        return result.reshape(*self._shape, count, self._stream.bins).swapaxes(-1, -2)
