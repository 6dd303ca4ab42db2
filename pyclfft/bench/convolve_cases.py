"""What ``bench convolve`` convolves: a thesis' sweeps over lengths, and single cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np

from ..convolution.rooms import decaying_noise, hall, sweep_and_noise
from ..convolution.shapes import Dimensions, dimensions_of

RATE = 44_100  # samples a second
IR_SECONDS = (0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0)
IR_TAPS = tuple(2**n for n in range(4, 14))  # short responses, for which direct sums are quickest
DRY_SECONDS = tuple(map(float, range(30, 301, 30)))
DRY_OF_IR_SWEEP = 16.0  # seconds of the dry sound in the sweeps over impulse responses
IR_OF_DRY_SWEEP = 2.5  # seconds of the hall's response in the sweep over dry sounds
HALL, NOISE = "hall", "noise"
ROOMS: Mapping[str, Callable[[float, int], np.ndarray]] = {HALL: hall, NOISE: decaying_noise}

IR, SHORT, DRY, SINGLE = "ir", "short", "dry", "single"

# Each sweep and what it measures, for help texts and headings.
SWEEPS = {
    IR: "impulse responses of 0.25 to 5 s",
    SHORT: "impulse responses of 16 to 8192 taps, among which direct sums meet transforms",
    DRY: "dry sounds of 30 to 300 s",
    SINGLE: "two images, two signals, and half a minute of sound in a room",
}


@dataclass(frozen=True)
class Case:
    """A convolution to measure.

    Attributes
    ----------
    sweep : str
        The sweep to which it belongs.
    name : str
        What is convolved, in a few words.
    first, second : tuple of int
        Shapes of the two inputs.
    by_channel : bool
        Whether each row of the one input is convolved with the same row of the other. Otherwise the
        inputs are convolved along all their axes.
    room : str
        Whose impulse response the second input is. Without a room both inputs are noise.
    """

    sweep: str
    name: str
    first: tuple[int, ...]
    second: tuple[int, ...]
    by_channel: bool = False
    room: str = ""

    @property
    def axes(self) -> int | None:
        """The axes of the convolution, as functions of pyclfft and of scipy.signal take them."""
        return -1 if self.by_channel else None

    @property
    def dimensions(self) -> Dimensions:
        """The dimensions of the full convolution."""
        return dimensions_of(self.first, self.second, "full", self.axes)

    @property
    def products(self) -> int:
        """The number of products that a direct sum adds."""
        along = prod(each.first * each.second for each in self.dimensions if each.convolved)
        return along * prod(each.full for each in self.dimensions if not each.convolved)

    @property
    def taps(self) -> int:
        """The number of samples of the second input along the last axis."""
        return self.second[-1]

    @property
    def ir_s(self) -> float:
        """How long the impulse response is, in seconds."""
        return self.taps / RATE

    @property
    def dry_s(self) -> float:
        """How long the dry sound is, in seconds."""
        return self.first[-1] / RATE

    def inputs(self) -> tuple[np.ndarray, np.ndarray]:
        """Return both inputs, of float32."""
        if self.room:
            dry = sweep_and_noise(self.dry_s, RATE)
            return dry.astype(np.float32), _response(self.room, self.taps).astype(np.float32)
        random = np.random.default_rng(3)
        first, second = (random.uniform(-0.5, 0.5, each) for each in (self.first, self.second))
        return first.astype(np.float32), second.astype(np.float32)


def _reverb(sweep: str, name: str, room: str, dry: float, taps: int) -> Case:
    """Return a case of a stereo sound in a room."""
    return Case(sweep, name, (2, round(dry * RATE)), (2, taps), True, room)


@lru_cache(1)  # the cases of a sweep over dry sounds have the same response
def _response(room: str, taps: int) -> np.ndarray:
    return ROOMS[room](taps / RATE, RATE)


def cases_of(sweep: str, seconds: float) -> Iterator[Case]:
    """Yield the cases of a sweep.

    Parameters
    ----------
    sweep : str
        One of `SWEEPS`.
    seconds : float
        The length of the longest dry sound. In the sweep over dry sounds, longer ones are left out;
        elsewhere, a sound that would be longer becomes as short.
    """
    dry = min(DRY_OF_IR_SWEEP, seconds)
    if sweep == IR:
        for room in ROOMS:
            for ir in IR_SECONDS:
                yield _reverb(sweep, f"{room}, {ir:g} s", room, dry, round(ir * RATE))
    elif sweep == SHORT:
        for taps in IR_TAPS:
            yield _reverb(sweep, f"{NOISE}, {taps} taps", NOISE, dry, taps)
    elif sweep == DRY:
        taps = round(IR_OF_DRY_SWEEP * RATE)
        for dry in tuple(each for each in DRY_SECONDS if each <= seconds) or (seconds,):
            yield _reverb(sweep, f"{dry:g} s in the {HALL}", HALL, dry, taps)
    else:
        yield Case(sweep, "1024 x 1024 with 1024 x 1024", (1024, 1024), (1024, 1024))
        yield Case(sweep, "1,000,000 with 10,000", (1_000_000,), (10_000,))
        long = min(30.0, seconds)
        yield _reverb(sweep, f"{long:g} s stereo with 112,608 taps", HALL, long, 112_608)
