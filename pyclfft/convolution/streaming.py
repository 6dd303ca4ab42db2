"""Convolution of signals that come block by block, for example from a microphone."""

from __future__ import annotations

import time
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
from numpy.typing import ArrayLike, DTypeLike

from ..errors import PlanError, PyclfftError
from ..planning.planner import require_precision
from ..planning.precision import READABLE
from ..planning.problem import choose
from ..runtime import describe, forks, memory, wisdom
from ..runtime.operation import failed, queue_for, require_out
from .circular import CircularEngine
from .delays import Delay
from .engines import Engine
from .loads import Load, LoadMeter
from .partitioned import PartitionedEngine
from .partitions import (
    Costs,
    Stages,
    cheapest_stages,
    cost,
    costs_of,
    direct_cost,
    several_stages,
    uniform,
)
from .responses import Response, checked_ir, response_for, usual_inputs
from .voices import Fade, Voice

AUTO, DIRECT, UNIFORM, NONUNIFORM = METHODS = ("auto", "direct", "uniform", "nonuniform")
RUNNING, IR = "running", "ir"
NORMALIZED = (None, RUNNING, IR)
FADE = 1024  # frames
MEASURED_BLOCKS = 4  # at least so many are measured before a stream begins
MEASURED_SECONDS = 1.0  # and no more after so long


@dataclass(frozen=True)
class Options:
    """The checked parameters of a `StreamingConvolver`, as that documents them."""

    block_size: int
    sample_rate: float | None
    method: str
    latency: int
    streams: int
    wet: float
    dry: float
    normalize: str | None
    dtype: np.dtype

    def __post_init__(self) -> None:
        _require_count("block_size", self.block_size, 1)
        _require_count("latency", self.latency, 0)
        _require_count("streams", self.streams, 1)
        choose("method", self.method, METHODS)
        if self.normalize not in NORMALIZED:
            raise PlanError(f"normalize must be None, 'running' or 'ir', not {self.normalize!r}")
        if self.sample_rate is not None and not 0 < self.sample_rate < np.inf:
            raise PlanError(f"sample_rate must be positive, not {self.sample_rate!r}")
        for name in ("wet", "dry"):
            if not np.isfinite(getattr(self, name)):
                raise PlanError(f"{name} must be a finite number, not {getattr(self, name)!r}")
        if not READABLE.get(self.dtype, ("", False))[1]:
            raise PlanError(f"dtype must be float32 or float64, not {self.dtype}")

    @property
    def precision(self) -> str:
        """The precision of the arithmetic."""
        return READABLE[self.dtype][0]


class StreamingConvolver:
    """A convolution of signals that come block by block, such as reverb in real time.

    The results of `push` and `close`, joined in order, are the full convolution of all blocks at
    once. Without latency each push returns as many frames as it is given.

    Parameters
    ----------
    ir : array_like of float, shape (taps,), (channels, taps) or (outputs, inputs, taps)
        The impulse response. A response ``(taps,)`` serves each channel of the signal by itself. A
        response ``(channels, taps)`` has a row for each channel of the signal; if the signal is
        mono, the result has as many channels as the response. Four rows make true stereo of a
        stereo signal: left to left, left to right, right to left, right to right. A response
        ``(outputs, inputs, taps)`` has an impulse response from each input to each output, and each
        output is the sum of what it gets from all inputs.
    block_size : int
        The frames that are computed at once. Blocks of other lengths are taken too: without latency
        each is computed when it comes, in parts that end where a block of `block_size` does. A part
        takes about as long as a whole block.
    sample_rate : float, optional
        The frames that are played in a second. With it the stream measures its load, counts missed
        deadlines, and refuses a response that is too long for this device.
    method : {"auto", "direct", "uniform", "nonuniform"}
        "direct" sums by the definition, in a circular buffer on the device; its results are, bit
        for bit, those of `convolve` with this method. "uniform" cuts the response into partitions
        as long as a block, and multiplies spectra. "nonuniform" has longer partitions for the later
        parts of the response, and spreads their work over several blocks. "auto" takes the method
        that should be the quickest.
    latency : int
        By how many blocks the result comes later than the signal. If it is 0, each push waits until
        the device has computed its frames. Otherwise the device computes while the caller plays,
        and the first pushes return fewer frames than they are given, or none.
    streams : int
        How many queues copy and compute at the same time, if the method is "direct" and `latency`
        is not 0. With one queue, copies wait for kernels.
    wet, dry : float
        The gains of the convolved and of the unchanged signal.
    normalize : {None, "running", "ir"}
        "running" divides the results of each push by the greatest magnitude so far, so that the
        volume falls at each new one. "ir" scales the response so that its loudest output has the
        energy 1, and noise keeps its loudness.
    dtype : {"float32", "float64"}
        The dtype of the results, and so the precision of all arithmetic.
    queue : cl.CommandQueue, optional
        A queue whose context the stream runs in, on queues of its own; the default queue by
        default.
    channels : int, optional
        The channels of the blocks. If it is not given, the first block decides, and its push takes
        longer unless it has as many channels as the response suggests.

    Raises
    ------
    PlanError
        A ValueError: an option makes no sense, the response is empty or has taps that are not
        finite, or it is too long for real time on this device.
    PrecisionError, DeviceMemoryError, BuildError
        The device lacks double precision or memory, or a kernel does not compile.

    See Also
    --------
    convolve : Convolve whole signals.

    Notes
    -----
    A NaN in the signal makes as many NaNs of the result as the response has taps, by the method
    "direct". By the other methods, it makes NaNs of whole blocks, those in which a partition of the
    response meets the NaN. All later results are those of a signal with a zero in the place of the
    NaN, bit for bit.

    References
    ----------
    W. G. Gardner, "Efficient convolution without input-output delay", Journal of the Audio
    Engineering Society 43 (3), 1995.

    F. Wefers, "Partitioned convolution algorithms for real-time auralization", dissertation, RWTH
    Aachen, 2015.

    Examples
    --------
    >>> import numpy as np
    >>> import pyclfft
    >>> rng = np.random.default_rng(1)
    >>> dry = rng.standard_normal(3000).astype("float32")
    >>> ir = rng.standard_normal(1000) * np.exp(-np.arange(1000) / 200)
    >>> stream = pyclfft.StreamingConvolver(ir, block_size=128)
    >>> parts = [stream.push(block) for block in np.split(dry, 20)] + [stream.close()]
    >>> np.allclose(np.concatenate(parts), np.convolve(dry, ir), atol=1e-3)
    True
    """

    def __init__(
        self,
        ir: ArrayLike,
        *,
        block_size: int = 256,
        sample_rate: float | None = None,
        method: str = AUTO,
        latency: int = 0,
        streams: int = 2,
        wet: float = 1.0,
        dry: float = 0.0,
        normalize: str | None = None,
        dtype: DTypeLike = "float32",
        queue: cl.CommandQueue | None = None,
        channels: int | None = None,
    ) -> None:
        self._options = Options(
            block_size, sample_rate, method, latency, streams, wet, dry, normalize, np.dtype(dtype)
        )
        self._ir = checked_ir(ir)
        if channels is not None:
            _require_count("channels", channels, 1)
        self._device_queue = queue_for(queue)
        require_precision(self._options.precision, describe.traits(self._device_queue.device))
        self._meter = LoadMeter(sample_rate) if sample_rate else None
        self._pushed = self._returned = 0  # frames of the signal and of its result
        self._peak = 0.0  # the running maximum
        self._ended = ""  # why no more blocks are taken
        self._is_flat = False  # whether the last block had no axis of channels
        self._inputs = channels or 0  # the channels of the blocks, once they are known
        self._response: Response
        self._voices: list[Voice]
        self._open(channels or usual_inputs(self._ir))

    # --- attributes -------------------------------------------------------------------------------

    @property
    def method(self) -> str:
        """The method that is used: "direct", "uniform" or "nonuniform"."""
        return self._plan(self._response)[0]

    @property
    def latency_samples(self) -> int:
        """How many frames later than the signal its result comes."""
        return self._options.latency * self._options.block_size

    @property
    def latency_ms(self) -> float | None:
        """How many milliseconds later the result comes; None without a sample rate."""
        rate = self._options.sample_rate
        return 1000 * self.latency_samples / rate if rate else None

    @property
    def load(self) -> Load | None:
        """Compute time divided by the duration of the frames: mean and worst of all blocks.

        Without latency, compute time is what a push takes. With latency it is the time from a
        block's launch until the device has its result. Without a sample rate the load is None.
        """
        return self._meter.load if self._meter else None

    @property
    def missed_deadlines(self) -> int:
        """How many pushes have taken longer than their frames last; 0 without a sample rate."""
        return self._meter.missed if self._meter else 0

    # --- the stream -------------------------------------------------------------------------------

    def push(self, block: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """Take the next frames and return those of the result that are due.

        Parameters
        ----------
        block : array_like of real numbers, shape (frames,) or (channels, frames)
            Any number of frames, also none, of as many channels as the first block had.
        out : ndarray, shape (frames,) or (outputs, frames), optional
            Receives the result; it may have room for more frames. Then the push allocates neither
            an array nor memory of the device.

        Returns
        -------
        ndarray, shape (frames,) or (outputs, frames)
            As many frames as the block has, but fewer at the beginning of a stream with latency. It
            has no axis of channels if neither the block nor the response has one. If there is an
            `out`, it is a part of that.

        Raises
        ------
        PlanError
            The block is complex or has other channels than the first one, `out` does not fit, or
            the stream has ended.
        DeviceError
            The device has failed. `out` then holds zeros, and the stream has ended.
        """
        begun = time.perf_counter()
        frames = self._checked(block)
        count = frames.shape[1]
        due = max(0, self._pushed + count - self.latency_samples) - self._returned
        result, shown = self._result(out, due)
        self._run(frames, result)
        if self._meter is not None and count:
            seconds = time.perf_counter() - begun
            self._meter.add_push(seconds, count)
            if not self._options.latency:
                self._meter.add_work(seconds, count)
        return shown

    def close(self) -> np.ndarray:
        """End the signal and return the rest of the result: what was late, and the tail.

        Returns
        -------
        ndarray, shape (frames,) or (outputs, frames)
            As many frames as bring the total to N + M - 1, for N frames of signal and
            M taps. There are none if no frame was pushed.

        Raises
        ------
        PlanError
            The stream has ended.
        DeviceError
            The device has failed.
        """
        self._require_open()
        total = max(each.end(self._pushed) for each in self._voices) if self._pushed else 0
        result, shown = self._result(None, max(total, self._pushed) - self._returned)
        silence = np.zeros((self._response.routing.inputs, self._options.block_size))
        written = 0
        while written < result.shape[1]:
            written += self._step(silence, result[:, written:])
        self._end("the stream is closed: make another one for the next signal")
        return shown

    def set_ir(self, ir: ArrayLike, fade: int = FADE) -> None:
        """Change the impulse response, for all frames that come from now on.

        The signal x fades from the old response to the new one: while a factor g rises from 0 to 1,
        (1 - g) x is convolved with the old response and g x with the new one, and both results are
        added. So each sound rings on in the room in which it began. As long as the old room rings,
        both convolutions are computed.

        The call takes as long as making a new stream. While a sound card plays, call it only if the
        stream's latency is longer than that.

        Parameters
        ----------
        ir : array_like
            The new response, as the constructor takes it, for as many inputs and outputs.
        fade : int
            The frames that g takes to rise in a straight line; with 0 it is 1 at once.

        Raises
        ------
        PlanError
            The response is refused as by the constructor, or it has other outputs than the old one.
        """
        self._require_open()
        _require_count("fade", fade, 0)
        checked = checked_ir(ir)
        response = response_for(checked, self._response.routing.inputs)
        if response.routing.outputs != self._response.routing.outputs:
            raise PlanError(
                f"the new response makes {response.routing.outputs} channels, the old one "
                f"{self._response.routing.outputs}: make another stream for it"
            )
        frames = fade if self._pushed else 0
        voice = self._voice(response, Fade(self._pushed, frames))
        for each in self._voices:
            each.fade_out(Fade(self._pushed, frames))
        self._voices = [*self._voices, voice] if self._pushed else [voice]
        self._ir, self._response = checked, response

    def __enter__(self) -> StreamingConvolver:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._ended:
            self._end("the stream is closed: make another one for the next signal")

    # --- beginning and end ------------------------------------------------------------------------

    def _open(self, inputs: int) -> None:
        """Make everything ready for blocks of a number of channels."""
        options = self._options
        self._response = response_for(self._ir, inputs)
        routing = self._response.routing
        if options.dry and routing.inputs not in (1, routing.outputs):
            raise PlanError(
                f"dry= needs as many inputs as outputs, not {routing.inputs} and "
                f"{routing.outputs}: leave it out, or add the dry signal yourself"
            )
        self._voices = [self._voice(self._response, Fade(0, 0))]
        block = options.block_size
        self._given = np.zeros((routing.inputs, block), options.dtype)
        self._mixed = np.zeros((routing.outputs, block), options.dtype)
        self._magnitudes = np.zeros((routing.outputs, block), options.dtype)
        held = self.latency_samples + block
        self._dry = Delay(routing.inputs, held, options.dtype) if options.dry else None

    def _voice(self, response: Response, fade_in: Fade) -> Voice:
        options, routing = self._options, response.routing
        gain = options.wet
        if options.normalize == IR and response.energy:
            gain /= response.energy**0.5
        try:
            engine, cycle = self._engine(response.scaled(gain))
            self._measure(engine, routing.inputs, routing.outputs, cycle)
        except cl.Error as error:
            raise failed(self._device_queue, error) from error
        block, dtype = options.block_size, options.dtype
        return Voice(
            engine, response.length, routing.inputs, routing.outputs, block, dtype, fade_in
        )

    def _plan(self, response: Response) -> tuple[str, Stages]:
        """Return the name of the method, which is not "auto", and the stages of its partitions."""
        costs = costs_of(wisdom.parameters_of(self._device_queue.device))
        return _plan(self._options.method, response, self._options.block_size, costs)

    def _engine(self, response: Response) -> tuple[Engine, int]:
        """Return an engine, and the number of blocks after which its work repeats itself."""
        options, context = self._options, self._device_queue.context
        method, stages = self._plan(response)
        # With latency, one block may be fed and another one launched before the oldest is fetched.
        launches = options.latency + 2 if options.latency else 1
        if method == DIRECT:
            return CircularEngine(
                context, response, options.block_size, options.streams, options.precision, launches
            ), 1
        flags: Any = cl.command_queue_properties.PROFILING_ENABLE
        queue = cl.CommandQueue(context, properties=flags)
        engine = PartitionedEngine(queue, response, stages, options.precision, launches)
        return engine, stages[-1].block // stages[0].block

    def _measure(self, engine: Engine, inputs: int, outputs: int, cycle: int) -> None:
        """Compute silence, which compiles the kernels, and refuse too long a response."""
        options = self._options
        silence = np.zeros((inputs, options.block_size), options.dtype)
        result = np.zeros((outputs, options.block_size), options.dtype)

        def compute() -> float:
            begun = time.perf_counter()
            engine.feed(silence)
            engine.launch()
            engine.fetch(result)
            return time.perf_counter() - begun

        for _ in range(2 * cycle):
            compute()
        seconds: list[float] = []
        while len(seconds) < max(cycle, MEASURED_BLOCKS) and sum(seconds) < MEASURED_SECONDS:
            seconds.append(compute())
        mean = sum(seconds) / len(seconds)
        if options.sample_rate and mean > options.block_size / options.sample_rate:
            raise PlanError(
                f"the impulse response is too long for real time: {self._device_queue.device.name} "
                f"takes {1000 * mean:.1f} ms for a block of "
                f"{1000 * options.block_size / options.sample_rate:.1f} ms. Cut it, take a larger "
                "block_size or the method 'nonuniform', or leave sample_rate out if nothing plays"
            )

    def _end(self, why: str) -> None:
        """Take no more blocks, and let go of the device."""
        self._ended = why
        self._voices = []

    def _require_open(self) -> None:
        forks.require_own_process()
        if self._ended:
            raise PlanError(self._ended)

    # --- one block --------------------------------------------------------------------------------

    def _checked(self, block: ArrayLike) -> np.ndarray:
        """Return a block as an array of the shape (channels, frames)."""
        self._require_open()
        if isinstance(block, cl_array.Array):
            raise PlanError("streams take NumPy arrays: call .get() first, or convolve all at once")
        array = np.asarray(block)
        if array.dtype.kind not in "biuf":
            raise PlanError(f"a block has real numbers, not {array.dtype}")
        if array.ndim not in (1, 2):
            raise PlanError(
                f"a block has the shape (frames,) or (channels, frames), not {array.shape}"
            )
        frames = array if array.ndim == 2 else array[None]
        inputs = frames.shape[0]
        if self._inputs not in (0, inputs):
            raise PlanError(
                f"the stream has {self._inputs} channels, this block has {inputs}: give as many "
                "channels every time"
            )
        if inputs != self._response.routing.inputs:
            self._open(inputs)
        self._inputs = inputs
        self._is_flat = array.ndim == 1
        return frames

    def _result(self, out: np.ndarray | None, due: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the array of all outputs for the result, and that array as the caller sees it."""
        outputs, dtype = self._response.routing.outputs, self._options.dtype
        flat = self._is_flat and outputs == 1
        if out is None:
            result = memory.empty((outputs, due), dtype)
            return result, result[0] if flat else result
        require_out((), out)
        rows = out[None] if out.ndim == 1 else out
        if out.dtype != dtype or rows.ndim != 2 or rows.shape[0] != outputs or rows.shape[1] < due:
            wanted = f"({due},)" if flat else f"({outputs}, {due})"
            raise PlanError(
                f"out must be an array of {dtype} with the shape {wanted} or more frames, not of "
                f"{out.dtype} with the shape {out.shape}"
            )
        return rows[:, :due], out[..., :due]

    def _run(self, frames: np.ndarray, result: np.ndarray) -> None:
        """Compute frames in steps of at most a block."""
        written = 0
        for begin in range(0, frames.shape[1], self._options.block_size):
            piece = frames[:, begin : begin + self._options.block_size]
            written += self._step(piece, result[:, written:], result)

    def _step(self, frames: np.ndarray, rest: np.ndarray, result: np.ndarray | None = None) -> int:
        """Compute at most a block of frames, and return how many frames of the result are new.

        Parameters
        ----------
        frames : ndarray
            The frames.
        rest : ndarray
            Receives what is due, unless it has less room.
        result : ndarray, optional
            What is silent if the device fails; `rest` by default.
        """
        given = self._given[:, : frames.shape[1]]
        np.copyto(given, frames, casting="unsafe")
        try:
            mixed = self._mix(given, rest.shape[1])
        except (cl.Error, PyclfftError) as error:
            (rest if result is None else result).fill(0)
            self._end("the device has failed in mid-stream: make another stream")
            if isinstance(error, cl.Error):
                raise failed(self._device_queue, error) from error
            raise
        rest[:, : mixed.shape[1]] = mixed
        return mixed.shape[1]

    def _mix(self, given: np.ndarray, room: int) -> np.ndarray:
        """Compute the next frames of the result: of all voices and of the dry signal together."""
        at, count = self._pushed, given.shape[1]
        self._pushed += count
        due = min(room, max(0, self._pushed - self.latency_samples) - self._returned)
        mixed = self._mixed[:, :due]
        mixed.fill(0)
        if self._options.latency:
            for each in self._voices:
                each.feed(given, at)
            for each in self._voices:
                each.mix(self._returned, mixed, self._meter)
        else:
            for each in self._voices:
                each.play(given[:, :due], at, mixed)
        if self._dry is not None:
            self._dry.put(given)
            heard = self._given[:, :due]
            self._dry.take(heard)
            np.multiply(heard, self._options.dry, out=heard)
            mixed += heard
        if self._options.normalize == RUNNING:
            self._normalize(mixed)
        self._returned += due
        if len(self._voices) > 1:
            self._voices = [each for each in self._voices if not each.is_over(self._returned)]
        return mixed

    def _normalize(self, mixed: np.ndarray) -> None:
        """Divide frames by the running maximum; NaN and infinity do not count."""
        magnitudes = self._magnitudes[:, : mixed.shape[1]]
        np.abs(mixed, out=magnitudes)
        for row in magnitudes:  # NumPy would copy parts of several rows
            greatest = np.max(row, initial=0)
            if not np.isfinite(greatest):
                greatest = np.max(row, initial=0, where=np.isfinite(row))
            self._peak = max(self._peak, float(greatest))
        if self._peak:
            mixed /= self._peak


def _plan(method: str, response: Response, block: int, costs: Costs) -> tuple[str, Stages]:
    """Return a method's name, which is not "auto", and the stages of its partitions."""
    routing, taps = response.routing, response.length
    terms, channels = routing.outputs * routing.terms, routing.inputs + routing.outputs
    if method == DIRECT:
        return DIRECT, ()
    if method == UNIFORM:
        return UNIFORM, uniform(taps, block)
    if method == NONUNIFORM:
        return NONUNIFORM, several_stages(taps, block, terms, channels, costs)
    stages = cheapest_stages(taps, block, terms, channels, costs)
    partitioned = cost(stages, terms, channels, block, costs)
    if direct_cost(taps, block, terms, channels, costs) < partitioned:
        return DIRECT, ()
    return (UNIFORM if len(stages) == 1 else NONUNIFORM), stages


def _require_count(name: str, number: Any, least: int) -> None:
    """Refuse what is no integer, or below the least one."""
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < least:
        raise PlanError(f"{name} must be an integer from {least} on, not {number!r}")
