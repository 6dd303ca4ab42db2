"""A soak: a stream plays for minutes, and the memory of the process must not grow meanwhile."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import cycle
from mmap import PAGESIZE
from pathlib import Path
from typing import Any

import numpy as np
import pyopencl as cl

from ..convolution.playback import Player, play
from ..convolution.streaming import StreamingConvolver
from ..errors import PyclfftError
from ..runtime import memory
from .convolve_realtime import RATE, Setting, noise, stream_of
from .render import Part, Table

STATISTICS = Path("/proc/self/statm")  # of this process, by Linux; the second number counts pages
WARM_UP = 0.05  # of the time: what the first blocks allocate once is not growth
GROWTH = 4 * 2**20  # bytes by which the resident set may differ; the allocator of C varies by less
MOMENTS = ("start", "middle", "end")
MIB = 2**20


@dataclass(frozen=True)
class Moment:
    """What the process holds at a moment.

    Attributes
    ----------
    name : str
        "start", "middle" or "end".
    seconds : float
        The seconds since the stream began.
    resident : int
        The bytes of the process in the host's memory.
    allocated : int
        The bytes of device memory that pyclfft has allocated since the stream began.
    """

    name: str
    seconds: float
    resident: int
    allocated: int


@dataclass(frozen=True)
class Soak:
    """A stream that has played for minutes.

    Attributes
    ----------
    minutes : float
        How long it has played.
    setting : Setting
        What has played.
    method : str
        The method that the stream took.
    moments : tuple of Moment
        The memory at the start, in the middle and at the end.
    load : float
        Mean compute time divided by the duration of a block.
    missed : int
        How many blocks took longer than they last.
    """

    minutes: float
    setting: Setting
    method: str
    moments: tuple[Moment, ...]
    load: float
    missed: int

    @property
    def grows(self) -> bool:
        """Whether the memory has grown between the start and the end."""
        start, *_, end = self.moments
        return end.resident - start.resident > GROWTH or end.allocated > start.allocated


def require_statistics() -> None:
    """Refuse a system that does not tell how much memory a process has.

    Raises
    ------
    PyclfftError
        The system is not Linux.
    """
    if not STATISTICS.exists():
        raise PyclfftError(f"--soak reads {STATISTICS}, which {sys.platform} lacks: use Linux")


def measure_soak(minutes: float, setting: Setting, queue: cl.CommandQueue) -> Soak:
    """Play noise in a room for minutes, and note the memory meanwhile."""
    stream, seconds = stream_of(setting, queue), 60 * minutes
    moments: list[Moment] = []
    before, begun = memory.allocated_bytes(), time.perf_counter()

    def note() -> None:
        passed = time.perf_counter() - begun
        resident = int(STATISTICS.read_text().split()[1]) * PAGESIZE
        allocated = memory.allocated_bytes() - before
        moments.append(Moment(MOMENTS[len(moments)], passed, resident, allocated))

    def show(player: Player) -> None:
        due = (WARM_UP * total, total / 2)
        if len(moments) < len(due) and player.played >= due[len(moments)]:
            note()

    total = round(seconds * RATE)
    player = Player(_endless(stream, setting), 2, total)
    with stream:
        play(player, setting.sink, 2, RATE, show)
        note()
    assert stream.load is not None  # the setting has a sample rate
    return Soak(
        minutes, setting, stream.method, tuple(moments), stream.load.mean, stream.missed_deadlines
    )


def _endless(stream: StreamingConvolver, setting: Setting) -> Iterator[np.ndarray]:
    """Yield the stream's result of a second of noise, again and again."""
    dry = noise(1.0)
    begins = range(0, dry.shape[1] - setting.block + 1, setting.block)
    for begin in cycle(begins):
        yield stream.push(dry[:, begin : begin + setting.block])


def parts(soak: Soak) -> Iterator[Part]:
    """Yield the paragraphs and the table of a soak."""
    setting = soak.setting
    yield (
        f"A stream plays noise for {soak.minutes:g} minutes in a stereo room of "
        f"{setting.ir_seconds:g} s to {setting.sink}, by the method {soak.method}, in blocks of "
        f"{setting.block} frames. The resident set is the memory of the process; on a CPU device "
        "the device's memory is part of it. The last column is what pyclfft has allocated on the "
        "device since the stream began."
    )
    yield Table(
        ("moment", "after s", "resident set, MiB", "allocated, bytes"),
        tuple(
            (each.name, f"{each.seconds:.0f}", f"{each.resident / MIB:.1f}", str(each.allocated))
            for each in soak.moments
        ),
    )
    yield (
        f"{'The memory grows.' if soak.grows else 'The memory does not grow.'} A difference of "
        f"{GROWTH // MIB} MiB between the start and the end is allowed. Mean load "
        f"{soak.load:.2%}, {soak.missed} missed blocks."
    )


def document_of(soak: Soak) -> dict[str, Any]:
    """Return everything that was measured, for JSON."""
    return {**asdict(soak), "grows": soak.grows}
