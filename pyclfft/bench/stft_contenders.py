"""The contenders of ``bench stft``: pyclfft, SciPy, librosa, PyTorch and torchaudio, in turns."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import import_module
from math import nan
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..audio.stft import istft, stft
from ..planning.accuracy import relative_error
from ..runtime import memory
from .runner import FAILED, Settings, Turn, in_rounds
from .statistics import Spread, spread
from .stft_launches import BOUND, HOP, N_FFT, RATE

HOST, DEVICE, BACK = "NumPy to NumPy", "on the device", "back, on the device"
OURS, OURS_BY_FRAME, COPY = "pyclfft", "pyclfft, frame by frame", "copy"
CHECKED = 16  # frames that are checked at the beginning, in the middle, and at the end


@dataclass(frozen=True)
class Entry:
    """What one contender has achieved.

    Attributes
    ----------
    name, where : str
        Name of the contender, and whether its arrays are on the host or on the device.
    ms : Spread
        Milliseconds in which it transforms the whole signal.
    error : float
        Relative L2 error of the checked frames.
    word, reason : str
        Why it was not measured, in one word and in full. Both are empty if it was measured.
    """

    name: str
    where: str
    ms: Spread = field(default_factory=Spread)
    error: float = nan
    word: str = ""
    reason: str = ""

    @property
    def wrong(self) -> bool:
        """Whether the contender is pyclfft, was measured, and has a wrong result."""
        return self.name.startswith(OURS) and not self.word and not self.error <= BOUND


class Ready(NamedTuple):
    """A contender that is ready to be called.

    Attributes
    ----------
    call : callable
        Does the work and returns the result.
    synchronize : callable
        Waits until all calls are done.
    fetch : callable
        Takes a result; returns it as a NumPy array of shape (bins, frames).
    first : int
        Number of the result's first frame; above 0 if the result leaves out frames before it.
    back : bool
        Whether the call turns spectra into samples, rather than samples into spectra.
    """

    call: Callable[[], Any]
    synchronize: Callable[[], object] = lambda: None
    fetch: Callable[[Any], np.ndarray] = np.asarray
    first: int = 0
    back: bool = False


def _ours_on_host(y: np.ndarray, queue: cl.CommandQueue) -> Ready:
    return Ready(lambda: stft(y, N_FFT, HOP, queue=queue))


def _scipy_strided(y: np.ndarray, queue: cl.CommandQueue) -> Ready:
    """Return SciPy on a view of frames. Without padding there are two frames fewer."""
    fft = import_module("scipy.fft")
    window = np.hanning(N_FFT + 1)[:-1].astype(y.dtype)
    frames = np.lib.stride_tricks.sliding_window_view(y, N_FFT)[::HOP]
    return Ready(lambda: fft.rfft(window * frames, axis=-1), fetch=np.transpose, first=1)


def _scipy_class(y: np.ndarray, queue: cl.CommandQueue) -> Ready:
    signal = import_module("scipy.signal")
    window = np.hanning(N_FFT + 1)[:-1]
    transform = signal.ShortTimeFFT(window, HOP, RATE, phase_shift=None)
    return Ready(lambda: transform.stft(y, p0=0))


def _librosa(y: np.ndarray, queue: cl.CommandQueue) -> Ready:
    librosa = import_module("librosa")
    return Ready(lambda: librosa.stft(y, n_fft=N_FFT, hop_length=HOP))


def _torch_on_host(y: np.ndarray, queue: cl.CommandQueue) -> Ready:
    return _torch(y, "cpu")


def _torch_on_gpu(y: np.ndarray, queue: cl.CommandQueue) -> Ready:
    _require_cuda(queue)
    return _torch(y, "cuda")


def _require_cuda(queue: cl.CommandQueue) -> None:
    torch = import_module("torch")
    if not torch.cuda.is_available() or torch.cuda.get_device_name() != queue.device.name:
        raise ImportError(f"PyTorch does not see {queue.device.name}")


def _torch(y: np.ndarray, place: str) -> Ready:
    torch = import_module("torch")
    signal, window = torch.from_numpy(y).to(place), torch.hann_window(N_FFT).to(place)

    def call() -> Any:
        return torch.stft(
            signal, N_FFT, HOP, window=window, pad_mode="constant", return_complex=True
        )

    synchronize = torch.cuda.synchronize if place == "cuda" else lambda: None
    return Ready(call, synchronize, lambda result: result.cpu().numpy())


def _torch_back(y: np.ndarray, queue: cl.CommandQueue) -> Ready:
    _require_cuda(queue)
    torch = import_module("torch")
    window, spectra = torch.hann_window(N_FFT).to("cuda"), _torch(y, "cuda").call()
    return Ready(
        lambda: torch.istft(spectra, N_FFT, HOP, window=window),
        torch.cuda.synchronize,
        lambda result: result.cpu().numpy(),
        back=True,
    )


def _torchaudio_on_gpu(y: np.ndarray, queue: cl.CommandQueue) -> Ready:
    _require_cuda(queue)
    torch, torchaudio = import_module("torch"), import_module("torchaudio")
    transform = torchaudio.transforms.Spectrogram(
        N_FFT, hop_length=HOP, power=None, pad_mode="constant"
    ).cuda()
    signal = torch.from_numpy(y).cuda()
    return Ready(
        lambda: transform(signal), torch.cuda.synchronize, lambda result: result.cpu().numpy()
    )


def _ours_on_device(y: np.ndarray, queue: cl.CommandQueue) -> Ready:
    """Return pyclfft with results of bins by frames in C order, as pyopencl's functions want."""
    return _on_device(y, queue, "C")


def _ours_by_frame(y: np.ndarray, queue: cl.CommandQueue) -> Ready:
    """Return pyclfft with the bins of a frame as neighbours, as NumPy's and torch's results are."""
    return _on_device(y, queue, "F")


def _on_device(y: np.ndarray, queue: cl.CommandQueue, order: str) -> Ready:
    signal = cl_array.to_device(queue, y, allocator=memory.allocator(queue.context))
    shape = (N_FFT // 2 + 1, 1 + len(y) // HOP)
    out: Any = cl_array.Array(
        queue, shape, np.complex64, order=order, allocator=memory.allocator(queue.context)
    )
    return Ready(
        lambda: stft(signal, N_FFT, HOP, out=out), queue.finish, lambda result: result.get()
    )


def _ours_back(y: np.ndarray, queue: cl.CommandQueue) -> Ready:
    """Return pyclfft's way back from spectra in C order."""
    return _back_on_device(y, queue, "C")


def _ours_back_by_frame(y: np.ndarray, queue: cl.CommandQueue) -> Ready:
    """Return pyclfft's way back from spectra with the bins of a frame as neighbours."""
    return _back_on_device(y, queue, "F")


def _back_on_device(y: np.ndarray, queue: cl.CommandQueue, order: str) -> Ready:
    spectra = _on_device(y, queue, order).call()
    samples: Any = cl_array.Array(
        queue, (len(y) // HOP * HOP,), np.float32, allocator=memory.allocator(queue.context)
    )
    return Ready(
        lambda: istft(spectra, HOP, out=samples),
        queue.finish,
        lambda result: result.get(),
        back=True,
    )


def _copy(y: np.ndarray, queue: cl.CommandQueue) -> Ready:
    """Return a copy with a transform's traffic: it reads the samples and writes as many bytes."""
    pairs, vectors = _traffic(y)
    return _copying(queue, "there", 8 * pairs, 16 * vectors, (pairs, vectors))


def _copy_back(y: np.ndarray, queue: cl.CommandQueue) -> Ready:
    """Return a copy with the traffic of the way back: it reads spectra and writes samples."""
    pairs, vectors = _traffic(y)
    return _copying(queue, "back", 16 * vectors, 8 * pairs, (vectors, pairs))


def _traffic(y: np.ndarray) -> tuple[int, int]:
    """Return the pairs of samples of a signal, and the vectors of 16 bytes of its spectra."""
    return y.nbytes // 8, (N_FFT // 2 + 1) * (1 + len(y) // HOP) * 8 // 16


def _copying(
    queue: cl.CommandQueue, name: str, reads: int, writes: int, counts: tuple[int, int]
) -> Ready:
    """Return a kernel of COPY_TEXT that reads and writes so many bytes."""
    source = memory.allocate(queue.context, reads)
    target = memory.allocate(queue.context, writes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some compilers warn although nothing is wrong
        built = cl.Program(queue.context, COPY_TEXT).build()
    kernel = cl.Kernel(built, name)
    kernel.set_args(source, target, *map(np.uint32, counts))
    size = -(-max(counts) // 256) * 256
    cl.enqueue_fill_buffer(queue, source, np.uint8(0), 0, reads)

    def call() -> Any:
        event = cl.enqueue_nd_range_kernel(queue, kernel, (size,), (256,))
        return source, target, event  # the buffers live as long as the call's result

    return Ready(call, queue.finish)


# The last branch of the way back is never taken, but the compiler does not know that, and so it
# loads all vectors.
COPY_TEXT = """
kernel void there(global const float2 *src, global float4 *dst, uint pairs, uint vectors)
{
    uint i = get_global_id(0);
    float2 v = i < pairs ? src[i] : (float2)(0);
    if (i < vectors)
        dst[i] = (float4)(v, v);
}

kernel void back(global const float4 *src, global float2 *dst, uint vectors, uint pairs)
{
    uint i = get_global_id(0);
    float4 v = i < vectors ? src[i] : (float4)(0);
    if (i < pairs || v.x + v.y + v.z + v.w != 0)
        dst[i] = v.xy + v.zw;
}
"""

# Each contender: its name, where its arrays are, and the function that makes it ready.
CONTENDERS: tuple[tuple[str, str, Callable[[np.ndarray, cl.CommandQueue], Ready]], ...] = (
    (OURS, HOST, _ours_on_host),
    ("scipy.fft, strided", HOST, _scipy_strided),
    ("scipy ShortTimeFFT", HOST, _scipy_class),
    ("librosa", HOST, _librosa),
    ("torch.stft, CPU", HOST, _torch_on_host),
    (OURS, DEVICE, _ours_on_device),
    (OURS_BY_FRAME, DEVICE, _ours_by_frame),
    (COPY, DEVICE, _copy),
    ("torch.stft", DEVICE, _torch_on_gpu),
    ("torchaudio", DEVICE, _torchaudio_on_gpu),
    (OURS, BACK, _ours_back),
    (OURS_BY_FRAME, BACK, _ours_back_by_frame),
    (COPY, BACK, _copy_back),
    ("torch.istft", BACK, _torch_back),
)


def measure_contenders(
    y: np.ndarray, queue: cl.CommandQueue, settings: Settings
) -> tuple[Entry, ...]:
    """Measure all contenders on one signal in turns, and check all results.

    Parameters
    ----------
    y : ndarray of float32
        The signal.
    queue : cl.CommandQueue
        Queue on which pyclfft runs.
    settings : Settings
        How long to measure.

    Returns
    -------
    tuple of Entry
        One for each contender, in the order of `CONTENDERS`.
    """
    entries: list[Entry] = []
    turns: dict[int, Turn] = {}
    for name, where, prepare in CONTENDERS:
        try:
            ready = prepare(y, queue)
            wrong = nan if name == COPY else _error_of(ready, y)
            turns[len(entries)] = Turn(ready.call, ready.synchronize, settings)
            entries.append(Entry(name, where, error=wrong))
        except ImportError as error:
            entries.append(Entry(name, where, word="-", reason=str(error)))
        except Exception as error:  # a rival's failure does not end the measurement
            if name.startswith(OURS):
                raise
            entries.append(Entry(name, where, word=FAILED, reason=f"{error}".split("\n")[0]))
    for turn in in_rounds(turns.values(), settings.samples):
        turn.take()
    return tuple(
        replace(each, ms=spread(turns[n].ms)) if n in turns else each
        for n, each in enumerate(entries)
    )


def _error_of(ready: Ready, y: np.ndarray) -> float:
    """Return the relative error of a contender's result."""
    result = np.asarray(ready.fetch(ready.call()))
    return (
        relative_error(result, y[: len(result)]) if ready.back else _error(result, ready.first, y)
    )


def _error(spectra: np.ndarray, first: int, y: np.ndarray) -> float:
    """Return the relative error of the checked frames, beside NumPy in double precision."""
    last = len(y) // HOP - 2  # number of the last frame that needs no padding
    numbers = [
        t
        for begin in (2, last // 2, last - CHECKED)
        for t in range(begin, min(begin + CHECKED, last))
    ]
    window = np.hanning(N_FFT + 1)[:-1]
    frames = np.stack([y[t * HOP - N_FFT // 2 :][:N_FFT] for t in numbers]).astype(np.float64)
    expected = np.fft.rfft(window * frames)
    return relative_error(np.asarray(spectra)[:, [t - first for t in numbers]].T, expected)
