"""Convolution in real time: whole minutes at the pace of a sound card, and loads beside pedalboard.

A stream is fed block by block as a sound card asks for them; what each block takes on the host is
noted. Then the same stream and pedalboard's plug-in take turns, a second of sound each, without
pauses, and their loads are compared: compute time divided by the duration of the sound.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from importlib import import_module
from math import nan
from typing import Any

import numpy as np
import pyopencl as cl

from ..convolution.playback import Player, play, wet_blocks
from ..convolution.rooms import decaying_noise
from ..convolution.streaming import StreamingConvolver
from . import convolve_streams
from .convolve_streams import Overlap
from .convolve_sweeps import PROG
from .documents import read_document
from .render import Part, Table
from .table import number

RATE = 48_000
SECONDS, IR_S, RUNS = 60.0, 2.3, 3
BLOCK, LATENCY = 256, 2
PERCENTILES = (50.0, 99.0, 99.9, 100.0)
TARGET_PERCENTILE, TARGET_SHARE = 99.9, 0.5  # of compute time, at most so much of a block
TURNS = 11  # seconds of sound that the stream and its rival compute in turns
RIVAL = "pedalboard"


@dataclass(frozen=True)
class Setting:
    """What is measured.

    Attributes
    ----------
    seconds, ir_seconds : float
        The length of the sound and of the impulse response, both in stereo at 48 kHz.
    block, latency : int
        The frames of a block, and the latency in blocks.
    method, sink : str
        The method of the stream, and where it is played.
    """

    seconds: float
    ir_seconds: float
    block: int
    latency: int
    method: str
    sink: str

    @property
    def block_ms(self) -> float:
        """How long a block lasts, in milliseconds."""
        return 1e3 * self.block / RATE


@dataclass(frozen=True)
class Run:
    """One performance.

    Attributes
    ----------
    ms : tuple of float
        The milliseconds of compute time that blocks take on the host, at `PERCENTILES`.
    load : float
        Mean compute time divided by the duration of a block.
    missed : int
        How many blocks took longer than they last.
    late : int
        Of these, how many came later than the latency allows: each is a gap that is heard.
    """

    ms: tuple[float, ...]
    load: float
    missed: int
    late: int


@dataclass(frozen=True)
class Results:
    """Everything that ``bench convolve --realtime`` has measured.

    Attributes
    ----------
    environment : dict of str to str
        Devices, versions and the commit, by name.
    setting : Setting
        What was measured.
    method : str
        The method that the stream took.
    runs : tuple of Run
        The performances.
    loads : dict of str to float
        The mean load of each contender without pauses; the median over seconds of sound.
    overlaps : tuple of Overlap
        Whether copies and computing of the method "direct" overlap, by the number of streams.
    """

    environment: dict[str, str]
    setting: Setting
    method: str = ""
    runs: tuple[Run, ...] = ()
    loads: dict[str, float] = field(default_factory=dict)
    overlaps: tuple[Overlap, ...] = ()


def measure_run(setting: Setting, queue: cl.CommandQueue) -> tuple[Run, str]:
    """Play noise in a room once; return what it took, and the stream's method."""
    dry = noise(setting.seconds)
    stream = stream_of(setting, queue)
    total = dry.shape[1]
    times: list[float] = []
    player = Player(_timed(wet_blocks(stream, dry, setting.block, total), times), 2, total)
    with stream:
        play(player, setting.sink, 2, RATE, lambda _: None)
    taken = np.array(times[2 * setting.latency + 1 :])  # without those before the first result
    limit = setting.block / RATE
    return Run(
        tuple(1e3 * np.percentile(taken, PERCENTILES)),
        float(taken.mean() / limit),
        int((taken > limit).sum()),
        int((taken > limit * (1 + setting.latency)).sum()),
    ), stream.method


def measure_loads(setting: Setting, queue: cl.CommandQueue) -> dict[str, float]:
    """Return the mean loads of the stream and of its rival, if that is installed, in turns."""
    dry = noise(1.0)
    blocks = [
        np.ascontiguousarray(dry[:, at : at + setting.block])
        for at in range(0, dry.shape[1] - setting.block + 1, setting.block)
    ]
    stream = stream_of(setting, queue)
    contenders: dict[str, Callable[[np.ndarray], Any]] = {"pyclfft": stream.push}
    try:
        plugin = import_module(RIVAL).Convolution(room_of(setting), 1.0, RATE)
        contenders[RIVAL] = lambda block: plugin.process(block, RATE, reset=False)
    except ImportError:
        pass
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(TURNS + 1):
        for name, push in contenders.items():
            begun = time.perf_counter()
            for block in blocks:
                push(block)
            seconds[name].append(time.perf_counter() - begun)
    duration = len(blocks) * setting.block / RATE
    return {name: float(np.median(taken[1:]) / duration) for name, taken in seconds.items()}


def room_of(setting: Setting) -> np.ndarray:
    """Return the impulse response of a setting."""
    return decaying_noise(setting.ir_seconds, RATE).astype(np.float32)


def noise(seconds: float) -> np.ndarray:
    """Return stereo noise."""
    rng = np.random.default_rng(0)
    return 0.1 * rng.standard_normal((2, round(seconds * RATE)), np.float32)


def stream_of(setting: Setting, queue: cl.CommandQueue) -> StreamingConvolver:
    """Return a new stream through the room of a setting."""
    return StreamingConvolver(
        room_of(setting), block_size=setting.block, sample_rate=RATE, method=setting.method,
        latency=setting.latency, normalize="ir", channels=2, queue=queue,
    )  # fmt: skip


def _timed(blocks: Iterator[np.ndarray], times: list[float]) -> Iterator[np.ndarray]:
    """Yield blocks, and note the seconds that each one took."""
    while True:
        begun = time.perf_counter()
        try:
            block = next(blocks)
        except StopIteration:
            return
        times.append(time.perf_counter() - begun)
        yield block


# --- how it is shown ------------------------------------------------------------------------------


def parts(results: Results) -> Iterator[Part]:
    """Yield all paragraphs and tables."""
    setting = results.setting
    yield (
        f"A stream convolves stereo noise of {setting.seconds:g} s with an impulse response of "
        f"{setting.ir_seconds:g} s at {RATE:,} Hz, by the method {results.method}, in blocks of "
        f"{setting.block} frames, which last {setting.block_ms:.2f} ms each. The sink "
        f'"{setting.sink}" plays the result {setting.latency} blocks later than the noise comes. '
        "The table shows how many milliseconds a block takes on the host: half of all blocks take "
        "no more than the median, 99 % take no more than the next column says, and so on. A block "
        "is missed if it takes longer than it lasts. It is late if it takes longer than its "
        "duration and the latency together. A late block is heard as a gap."
    )
    yield runs_table(results.runs)
    worst = max((run.ms[PERCENTILES.index(TARGET_PERCENTILE)] for run in results.runs), default=nan)
    yield (
        f"The {TARGET_PERCENTILE}th percentile is at most {worst:.2f} ms, which is "
        f"{worst / setting.block_ms:.0%} of a block (target: below {TARGET_SHARE:.0%}). "
        f"{sum(run.late for run in results.runs)} blocks were late (target: none)."
    )
    if results.loads:
        yield (
            "The next table shows the mean load if blocks are computed without pauses. The load "
            "is the compute time divided by the duration of the sound."
        )
        rows = tuple((name, f"{load:.2%}") for name, load in results.loads.items())
        yield Table(("contender", "load"), rows)
    if results.overlaps:
        yield from convolve_streams.parts(results.overlaps)


def runs_table(runs: tuple[Run, ...]) -> Table:
    """Return the table of all performances."""
    names = ("median", *(f"{each:g} %" for each in PERCENTILES[1:-1]), "worst")
    rows = tuple(
        (str(count), *(number(ms, ".3f") for ms in run.ms), f"{run.load:.1%}",
         str(run.missed), str(run.late))
        for count, run in enumerate(runs, 1)
    )  # fmt: skip
    return Table(("run", *names, "load", "missed", "late"), rows)


def document_of(results: Results) -> dict[str, Any]:
    """Return everything that was measured, for JSON."""
    return asdict(results)


def results_of(document: Mapping[str, Any]) -> Results:
    """Return what `document_of` has written."""
    return Results(
        document["environment"],
        Setting(**document["setting"]),
        document["method"],
        tuple(Run(**{**each, "ms": tuple(each["ms"])}) for each in document["runs"]),
        document["loads"],
        tuple(Overlap(**each) for each in document["overlaps"]),
    )


def read(path: str | os.PathLike[str]) -> Results:
    """Read a file of ``bench convolve --realtime --json``; `read_document` says how it can fail."""
    return read_document(path, results_of, PROG)
