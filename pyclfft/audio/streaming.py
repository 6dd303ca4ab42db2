"""Short-time Fourier transforms of signals that come block by block, or are too long at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
from numpy.typing import ArrayLike, DTypeLike

from ..errors import PlanError
from ..planning.problem import COMPLEX_DTYPE, READABLE, REAL_DTYPE
from ..runtime import memory, queues
from ..runtime.operation import require_queue
from ..runtime.pipeline import Pipeline, Work
from ..runtime.profile import Recorder
from .frame_jobs import Job, executable_of
from .framing import Frames, Framing, Magnitudes, make_frames, relate
from .windows import Window

PIECE_BYTES = 16 * 2**20  # of spectra: small beside a device's memory, long beside a launch


class Held(NamedTuple):
    """A stretch of signals.

    Attributes
    ----------
    samples : ndarray, shape (signals, count)
        One behind the other.
    start : int
        The number of the first one among all of a signal.
    ended : bool
        The signals end where these do.
    """

    samples: np.ndarray
    start: int
    ended: bool

    @property
    def end(self) -> int:
        """The number of the sample behind the last one."""
        return self.start + self.samples.shape[-1]


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
        Of the signals.
    precision : {"single", "double"}
        Of all arithmetic.
    magnitudes : Magnitudes, optional
        Numbers that are wanted instead of spectra; not relative to others, which are unknown.
    algorithm : str, optional
        Of the transforms.
    context : cl.Context, optional
        Of one device.
    recorder : Recorder, optional
        Is told the events of all pieces.
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
            Of signals.
        frames : slice
            Numbers of the frames.
        result : ndarray, shape (signals, frames, bins)
            Receives what they become.
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
        """Yield pieces in order; those that reach over an end of the signals apart from others."""
        signals = held.samples.shape[0]
        most = max(1, PIECE_BYTES // (signals * self.bins * self.dtype.itemsize))
        inside = self._inside(held, frames)
        for part in (slice(frames.start, inside.start), inside, slice(inside.stop, frames.stop)):
            for begin in range(part.start, part.stop, most):
                yield self._piece(held, slice(begin, min(begin + most, part.stop)), part is inside)

    def _inside(self, held: Held, frames: slice) -> slice:
        """Return which of the frames need no samples that are not there."""
        first = -(-self.frames.before // self.frames.hop)
        behind = self.frames.available(held.end)
        begin = min(max(frames.start, first), frames.stop)
        return slice(begin, max(begin, min(frames.stop, behind)))

    def _piece(self, held: Held, frames: slice, inside: bool) -> Piece:
        asked = self.frames
        count, signals = frames.stop - frames.start, held.samples.shape[0]
        begin = frames.start * asked.hop - asked.before
        if inside:  # where it is in a signal does not matter: others alike need no new plan
            samples = (count - 1) * asked.hop + asked.n_fft
            first = begin - held.start
            framing = replace(
                asked.over(samples, signals, self.precision), frames=count, before=0, pad=0
            )
            return Piece(
                frames, slice(first, first + samples), replace(framing, padding="constant")
            )
        # What is outside may be an image of as many samples inside.
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
    """Transform signals for which a device has no room at once.

    Parameters
    ----------
    signals : ndarray, shape (signals, samples)
        All of them.
    frames, precision
        How they are framed, and computed with.
    job : Job
        What was to be done at once.
    context : cl.Context
        Of one device.
    result : ndarray, shape (signals, frames, bins)
        Receives what the frames become. What is relative to all numbers is computed on the host.
    """
    numbers = job.magnitudes
    alone = replace(numbers, relative=False, decibels=False) if numbers else None
    stream = FrameStream(frames, precision, alone, job.algorithm, context)
    stream.fill(Held(signals, 0, True), slice(0, result.shape[1]), result)
    if numbers and (numbers.relative or numbers.decibels):
        relate(result, numbers)


class StreamingSTFT:
    """A short-time Fourier transform of signals that come block by block.

    What `push` and `close` return, one behind the other, is what `stft` returns for all blocks at
    once.

    Parameters
    ----------
    n_fft, hop_length, win_length, window, center, pad_mode, algorithm
        As of `stft`.
    dtype : {complex64, complex128}
        Of spectra, and the precision of all arithmetic: complex64 by default, whatever blocks are
        of, since nobody has seen one yet.
    power : float, optional
        Return magnitudes to this power, real numbers, rather than spectra.
    queue : cl.CommandQueue, optional
        Of the context to run in, where more queues are made; the default device's by default.
    recorder : Recorder, optional
        Is told the events of all uploads, kernels and downloads (`bench stft`).

    Raises
    ------
    PlanError
        A ValueError: an option that makes no sense.

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
        self._shape: tuple[int, ...] | None = None  # of what is before the samples in blocks
        self._held = Held(np.empty((0, 0), self._dtype), 0, False)
        self._done = 0  # frames

    @property
    def latency(self) -> int:
        """Samples that have to come after the one in the middle of a frame.

        One more for the first frame where a reflection stands before it and `n_fft` is even.
        """
        return self._frames.n_fft - self._frames.n_fft // 2 - 1

    def push(self, block: ArrayLike) -> np.ndarray:
        """Take the next samples and return the frames that are complete with them.

        Parameters
        ----------
        block : array_like, shape (..., samples)
            Any number of samples, also none; as many signals every time.

        Returns
        -------
        ndarray, shape (..., 1 + n_fft // 2, frames)
            Often of no frames.

        Raises
        ------
        PlanError
            Blocks of other signals than before, complex ones, or the stream is closed.
        DeviceError, DeviceMemoryError
            As `stft`.
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
            There were no samples at all.
        """
        if self._shape is None or not self._held.end:
            raise PlanError("the signal has no samples: push some before the stream is closed")
        self._held = self._held._replace(ended=True)
        return self._transformed(max(self._done, self._frames.count(self._held.end)))

    def _checked(self, block: np.ndarray) -> np.ndarray:
        """Return a block as samples of a row of signals."""
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
        """Return frames up to a number, and forget samples that no other frame needs."""
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
