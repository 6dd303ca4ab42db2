"""The contenders of ``bench convolve``: each method of pyclfft beside other libraries, in turns."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from math import ceil, nan, prod
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from ..convolution.blocks import WHOLE_PRIMES
from ..convolution.functions import convolve
from ..convolution.methods import AUTO, DIRECT, FFT, PARTITIONED
from ..planning.accuracy import relative_error
from ..planning.factor import next_fast_len
from ..runtime import describe, memory
from .convolve_cases import RATE, SINGLE, Case
from .rivals import cores
from .runner import FAILED, Settings, Turn, in_rounds
from .statistics import Spread, spread

HOST, DEVICE = "NumPy to NumPy", "on the device"
OURS = "pyclfft"
BOUND = 1e-6  # of relative errors: PERFORMANCE.md's for direct sums of up to 1e5 products
CHECKED = 256  # elements of each result that are checked: both ends, and random ones
PAUSE_S = 0.02  # so that the threads of the contender before fall asleep
PILOT_PRODUCTS = 2**24  # of the first, short call of a contender that may be slow


@dataclass(frozen=True)
class Entry:
    """What one contender has achieved at one case.

    Attributes
    ----------
    name, where : str
        Name of the contender, and whether its arrays are on the host or on the device.
    ms : Spread
        Milliseconds of one call; those of the shorter first input divided by `share`.
    share : float
        The part of the first input on which the contender was measured: 1 for all of it.
    error : float
        Relative L2 error of the checked elements.
    word, reason : str
        Why it was not measured, in one word and in full. Both are empty if it was measured.
    """

    name: str
    where: str
    ms: Spread = field(default_factory=Spread)
    share: float = 1.0
    error: float = nan
    word: str = ""
    reason: str = ""

    @property
    def ours(self) -> bool:
        """Whether the contender is a method of pyclfft."""
        return self.name.startswith(OURS)

    @property
    def extrapolated(self) -> bool:
        """Whether the time was scaled from that of a shorter input."""
        return self.share < 1

    @property
    def wrong(self) -> bool:
        """Whether the contender is ours, was measured, and has a wrong result; NaN is wrong."""
        return self.ours and not self.word and not self.error <= BOUND


class Ready(NamedTuple):
    """A contender that is ready to be called.

    Attributes
    ----------
    call : callable
        Does the work and returns the result.
    synchronize : callable
        Waits until all calls are done.
    fetch : callable
        Takes a result; returns it as a NumPy array.
    """

    call: Callable[[], Any]
    synchronize: Callable[[], object] = lambda: None
    fetch: Callable[[Any], np.ndarray] = np.asarray


class Work(NamedTuple):
    """The inputs of a convolution, and the queue on which pyclfft convolves them."""

    case: Case
    first: np.ndarray
    second: np.ndarray
    queue: cl.CommandQueue


Prepare = Callable[[Work], Ready]


class Contender(NamedTuple):
    """A contender.

    Attributes
    ----------
    name, where : str
        Its name, and whether its arrays are on the host or on the device.
    prepare : callable
        Makes it ready, or raises ImportError if it cannot take part.
    direct : bool
        Whether it adds all products, and so may take very long.
    """

    name: str
    where: str
    prepare: Prepare
    direct: bool = False


# --- pyclfft --------------------------------------------------------------------------------------


def _ours(method: str, where: str) -> Contender:
    prepare = _ours_on_host if where == HOST else _ours_on_device
    return Contender(
        f"{OURS} {method}", where, lambda work: prepare(work, method), method == DIRECT
    )


def _ours_on_host(work: Work, method: str) -> Ready:
    axes = work.case.axes
    return Ready(
        lambda: convolve(work.first, work.second, method=method, axes=axes, queue=work.queue)
    )


def _ours_on_device(work: Work, method: str) -> Ready:
    allocator = memory.allocator(work.queue.context)
    first, second = (
        cl_array.to_device(work.queue, each, allocator=allocator)
        for each in (work.first, work.second)
    )
    out: Any = cl_array.empty(work.queue, _shape(work.case), np.float32, allocator=allocator)
    return Ready(
        lambda: convolve(first, second, method=method, axes=work.case.axes, out=out),
        work.queue.finish,
        lambda result: result.get(),
    )


# --- others ---------------------------------------------------------------------------------------


def _scipy(name: str) -> Prepare:
    """Return SciPy's function of this name, with a worker for each core."""

    def prepare(work: Work) -> Ready:
        function = getattr(import_module("scipy.signal"), name)
        set_workers = import_module("scipy.fft").set_workers

        def call() -> np.ndarray:
            with set_workers(cores()):
                return function(work.first, work.second, axes=work.case.axes)

        return Ready(call)

    return prepare


def _scipy_direct(work: Work) -> Ready:
    function = import_module("scipy.signal").convolve
    return Ready(lambda: _by_channel(work.case, function, work.first, work.second, np))


def _by_channel(case: Case, function: Any, first: Any, second: Any, arrays: Any) -> Any:
    """Convolve directly by a function of SciPy's or CuPy's, which convolve along all axes only."""
    if not case.by_channel:
        return function(first, second, method="direct")
    channels = zip(first, second, strict=True)
    return arrays.stack([function(*each, method="direct") for each in channels])


def _pedalboard(work: Work) -> Ready:
    """Return pedalboard's plug-in. Its result ends with its input, which zeros prolong."""
    if not work.case.room:
        raise ImportError("pedalboard convolves sounds only")
    plugin = import_module("pedalboard").Convolution(work.second, 1.0, RATE)
    padded = np.pad(work.first, ((0, 0), (0, work.case.taps - 1)))
    # The plug-in scales each response by a factor of its own, which a click makes known.
    click = np.zeros_like(work.second)
    click[:, 0] = 1
    heard = plugin.process(click, RATE, reset=True).astype(np.float64)
    scale = float((heard * work.second).sum() / (work.second.astype(np.float64) ** 2).sum())
    return Ready(
        lambda: plugin.process(padded, RATE, reset=True), fetch=lambda result: result / scale
    )


def _torch_on(place: str, prepare: Callable[[Work, Any, str], Ready]) -> Prepare:
    """Return a contender of PyTorch's on the host ("cpu") or on the device ("cuda")."""

    def ready(work: Work) -> Ready:
        torch = import_module("torch")
        if place == "cuda":
            _require_same(work, torch.cuda.is_available() and torch.cuda.get_device_name())
        return prepare(work, torch, place)

    return ready


def _require_same(work: Work, found: object) -> None:
    """Refuse to compare devices of different names."""
    if found != work.queue.device.name:
        raise ImportError(f"it does not see {work.queue.device.name}")


def _torch_fft(work: Work, torch: Any, place: str) -> Ready:
    """Return a product of spectra, of lengths with the factors 2, 3, 5 and 7."""
    along = [d for d, each in enumerate(work.case.dimensions) if each.convolved]
    full = [work.case.dimensions[d].full for d in along]
    lengths = [next_fast_len(each, WHOLE_PRIMES) for each in full]
    first, second = (torch.from_numpy(each).to(place) for each in (work.first, work.second))

    def call() -> Any:
        spectra = (torch.fft.rfftn(each, lengths, along) for each in (first, second))
        result = torch.fft.irfftn(next(spectra) * next(spectra), lengths, along)
        for axis, each in zip(along, full, strict=True):
            result = result.narrow(axis, 0, each)
        return result

    return _torch_ready(torch, place, call)


def _torch_direct(work: Work, torch: Any, place: str) -> Ready:
    """Return `conv1d`, which correlates, and so takes the shorter input backwards."""
    if work.first.ndim > 1 and not work.case.by_channel:
        raise ImportError("conv1d convolves along one axis")
    short, long = sorted((work.first, work.second), key=np.size)
    long, short = (
        torch.from_numpy(np.atleast_2d(each).copy()).to(place) for each in (long, short[..., ::-1])
    )
    channels, taps = short.shape

    def call() -> Any:
        return torch.nn.functional.conv1d(
            long[None], short[:, None], padding=taps - 1, groups=channels
        ).reshape(*work.first.shape[:-1], -1)

    return _torch_ready(torch, place, call)


def _torch_ready(torch: Any, place: str, call: Callable[[], Any]) -> Ready:
    synchronize = torch.cuda.synchronize if place == "cuda" else lambda: None
    return Ready(call, synchronize, lambda result: result.cpu().numpy())


def _cupy(name: str) -> Prepare:
    """Return CuPy's function of this name, on the device."""

    def prepare(work: Work) -> Ready:
        cupy = import_module("cupy")
        function = getattr(import_module("cupyx.scipy.signal"), name)
        _require_same(work, cupy.cuda.runtime.getDeviceProperties(0)["name"].decode())
        first, second = cupy.asarray(work.first), cupy.asarray(work.second)

        def call() -> Any:
            if name == "convolve":
                return _by_channel(work.case, function, first, second, cupy)
            return function(first, second, axes=work.case.axes)

        return Ready(call, cupy.cuda.runtime.deviceSynchronize, cupy.asnumpy)

    return prepare


METHODS = (DIRECT, FFT, PARTITIONED, AUTO)
SCIPY_DIRECT = "scipy convolve, direct"
SCIPY_FFT, SCIPY_OA = "scipy fftconvolve", "scipy oaconvolve"
PEDALBOARD, CUPY_FFT = "pedalboard", "cupy fftconvolve"
CONTENDERS = (
    *(_ours(method, HOST) for method in METHODS),
    Contender(SCIPY_DIRECT, HOST, _scipy_direct, True),
    Contender(SCIPY_FFT, HOST, _scipy("fftconvolve")),
    Contender(SCIPY_OA, HOST, _scipy("oaconvolve")),
    Contender(PEDALBOARD, HOST, _pedalboard),
    Contender("torch conv1d, CPU", HOST, _torch_on("cpu", _torch_direct), True),
    Contender("torch FFT, CPU", HOST, _torch_on("cpu", _torch_fft)),
    *(_ours(method, DEVICE) for method in METHODS),
    Contender("torch conv1d", DEVICE, _torch_on("cuda", _torch_direct), True),
    Contender("torch FFT", DEVICE, _torch_on("cuda", _torch_fft)),
    Contender("cupy convolve, direct", DEVICE, _cupy("convolve"), True),
    Contender(CUPY_FFT, DEVICE, _cupy("fftconvolve")),
    Contender("cupy oaconvolve", DEVICE, _cupy("oaconvolve")),
)


LIBRARIES = ("scipy", "pedalboard", "torch", "cupy")


def versions() -> dict[str, str]:
    """Return the versions of the contenders' libraries that are installed."""
    found = {}
    for name in LIBRARIES:
        with suppress(ImportError):
            found[name] = str(import_module(name).__version__)
    return found


# --- the measurement ------------------------------------------------------------------------------


def taking_part(case: Case, queue: cl.CommandQueue) -> list[Contender]:
    """Return the contenders of a case.

    Arrays on a device whose memory is the host's are measured in the single cases only, since they
    save no copy there. Direct sums of whole images would take minutes, and are left out.
    """
    separate = not describe.traits(queue.device).is_cpu
    return [
        each
        for each in CONTENDERS
        if (each.where == HOST or separate or case.sweep == SINGLE)
        and not (each.direct and len(case.dimensions) > 1 and not case.by_channel)
    ]


def measure_case(
    case: Case, queue: cl.CommandQueue, settings: Settings, limit_s: float
) -> tuple[Entry, ...]:
    """Measure all contenders at one case in turns, and check all results.

    Parameters
    ----------
    case : Case
        The case.
    queue : cl.CommandQueue
        Queue on which pyclfft runs.
    settings : Settings
        How long to measure.
    limit_s : float
        Seconds of one call from which on a contender is measured on a shorter first input.

    Returns
    -------
    tuple of Entry
        One for each contender of the case, in the order of `CONTENDERS`.
    """
    work = Work(case, *case.inputs(), queue)
    expected = _expected(work)
    entries: list[Entry] = []
    turns: dict[int, Turn] = {}
    for each in taking_part(case, queue):
        entry = Entry(each.name, each.where)
        try:
            shorter = _fitting(each, work, limit_s) if each.direct else work
            ready = each.prepare(shorter)
            wanted = expected if shorter is work else _expected(shorter)
            error = _error(ready.fetch(ready.call()), shorter.case, wanted)
            turns[len(entries)] = Turn(ready.call, ready.synchronize, settings)
            share = shorter.first.shape[-1] / work.first.shape[-1]
            entry = replace(entry, error=error, share=share)
        except ImportError as missing:
            entry = replace(entry, word="-", reason=str(missing))
        except Exception as failure:  # a rival's failure does not end the measurement
            if entry.ours:
                raise
            entry = replace(entry, word=FAILED, reason=f"{failure}".split("\n")[0])
        entries.append(entry)
    for turn in in_rounds(turns.values(), settings.samples):
        time.sleep(PAUSE_S)
        turn.take()
    return tuple(
        replace(each, ms=spread([ms / each.share for ms in turns[n].ms])) if n in turns else each
        for n, each in enumerate(entries)
    )


def _fitting(contender: Contender, work: Work, limit_s: float) -> Work:
    """Return the work, or a part of it if all of it would take longer than the limit."""
    whole = work.first.shape[-1]
    length = min(whole, max(1, PILOT_PRODUCTS * whole // work.case.products))
    while length < whole:
        part = _beginning(work, length)
        seconds = _seconds(contender.prepare(part))
        if seconds * whole / length <= limit_s:
            break
        if seconds >= limit_s / 8:
            return part
        length = min(whole, ceil(length * limit_s / 4 / seconds))
    return work


def _beginning(work: Work, length: int) -> Work:
    """Return the work with a shorter first input."""
    first = np.ascontiguousarray(work.first[..., :length])
    return work._replace(case=replace(work.case, first=first.shape), first=first)


def _seconds(ready: Ready) -> float:
    """Return how long a call takes, after a first one, which may compile kernels."""
    ready.call()
    ready.synchronize()
    start = time.perf_counter()
    ready.call()
    ready.synchronize()
    return time.perf_counter() - start


# --- the reference --------------------------------------------------------------------------------


def _error(result: np.ndarray, case: Case, expected: np.ndarray) -> float:
    """Return the relative error of the checked elements."""
    shape = _shape(case)
    if result.shape != shape:
        raise ValueError(f"the result has the shape {result.shape} instead of {shape}")
    return relative_error(np.array([result[place] for place in _places(shape)]), expected)


def _expected(work: Work) -> np.ndarray:
    """Return the checked elements, summed in double precision."""
    return np.array([_exact(work, place) for place in _places(_shape(work.case))])


def _shape(case: Case) -> tuple[int, ...]:
    return tuple(each.result for each in case.dimensions)


def _places(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the indices of the checked elements, of which random ones stand for the whole."""
    size = prod(shape)
    inner = np.random.default_rng(4).integers(0, size, CHECKED - 2)
    found = np.unravel_index([0, size - 1, *inner], shape)
    return [tuple(map(int, place)) for place in zip(*found, strict=True)]


def _exact(work: Work, place: tuple[int, ...]) -> float:
    """Return one element of the convolution, summed in double precision."""
    first, second = [], []  # the parts of the inputs whose elements meet; the second one backwards
    for each, n in zip(work.case.dimensions, place, strict=True):
        if each.convolved:
            low, high = max(0, n - each.second + 1), min(n, each.first - 1)
            first.append(slice(low, high + 1))
            second.append(slice(n - high, n - low + 1))
        else:
            first.append(slice(n, n + 1))
            second.append(slice(n, n + 1))
    convolved = tuple(d for d, each in enumerate(work.case.dimensions) if each.convolved)
    one = work.first[tuple(first)].astype(np.float64)
    other = np.flip(work.second[tuple(second)], convolved).astype(np.float64)
    return float(np.vdot(one, other))
