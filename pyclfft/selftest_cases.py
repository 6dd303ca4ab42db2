"""The checks of the self-test: small cases against NumPy in double precision.

Each case runs on its own, so that a device which fails one of them, in
whatever way, still reports the others. Nothing but NumPy is needed, so that any installation can
check any device.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import nan, sqrt
from typing import Protocol

import numpy as np
import pyopencl as cl

from .image.filtering import filter_image
from .planning.accuracy import relative_error, transform_bound
from .planning.problem import COMPLEX_DTYPE, REAL_DTYPE
from .runtime import describe, queues
from .runtime.plan import Plan

# A filtered image has been through two transforms.
FILTER_FACTOR = 2
# Rounding to 8 bits moves a value by half a level at most; the filtered noise has 127 in the mean.
EIGHT_BIT_BOUND = 0.5 / 127


class Case(Protocol):
    """One row of the tables below."""

    @property
    def name(self) -> str:
        """What is computed, in a few words."""

    @property
    def precisions(self) -> tuple[str, ...]:
        """In which precisions."""

    def bound(self, precision: str) -> float:
        """Return the largest relative error allowed."""

    def compute(self, precision: str, queue: cl.CommandQueue) -> tuple[np.ndarray, np.ndarray]:
        """Return the device's result, and NumPy's."""


@dataclass(frozen=True)
class Transform:
    """A Fourier transform of noise.

    Attributes
    ----------
    what : str
        For people.
    shape, axes : tuple of int
        Of the input, and what to transform of it.
    direction : {"forward", "inverse"}
        Sign of the exponent: minus for forward.
    real : bool
        The input is real.
    half : bool
        Of a real array's spectrum only the half that says all is left.
    """

    what: str
    shape: tuple[int, ...]
    axes: tuple[int, ...]
    direction: str = "forward"
    real: bool = False
    half: bool = False

    precisions = ("single", "double")

    @property
    def name(self) -> str:
        """Such as ``"1-D forward, 1024"``."""
        return f"{self.what} {self.direction}, {_sizes(self.shape)}"

    def bound(self, precision: str) -> float:
        """Return PERFORMANCE.md's bound."""
        return transform_bound([self.shape[axis] for axis in self.axes], precision)

    def compute(self, precision: str, queue: cl.CommandQueue) -> tuple[np.ndarray, np.ndarray]:
        """Transform an array of the host."""
        dtype = (REAL_DTYPE if self.real else COMPLEX_DTYPE)[precision]
        x = noise(self.shape, dtype)
        kind = "r2c" if self.half else "c2c"
        plan = Plan(self.shape, dtype, self.axes, kind, self.direction, context=queue.context)
        if self.half:
            return plan(x, queue=queue), np.fft.rfftn(x.astype(np.float64), axes=self.axes)
        reference = {"forward": np.fft.fftn, "inverse": np.fft.ifftn}[self.direction]
        return plan(x, queue=queue), reference(x.astype(np.complex128), axes=self.axes)


@dataclass(frozen=True)
class Cosine:
    """A cosine or sine transform of rows of noise, type II, and back to the noise.

    Attributes
    ----------
    what : str
        For people.
    kind : {"dct2", "dst2"}
        As `Plan` has it.
    shape : (int, int)
        Rows, and numbers in each.
    """

    what: str
    kind: str
    shape: tuple[int, int]

    precisions = ("single", "double")

    @property
    def name(self) -> str:
        """Such as ``"cosine transform, 5 x 64"``."""
        return f"{self.what}, {_sizes(self.shape)}"

    def bound(self, precision: str) -> float:
        """Return the bound of two transforms, the second of which is the inverse."""
        return 2 * transform_bound(self.shape[1:], precision)

    def compute(self, precision: str, queue: cl.CommandQueue) -> tuple[np.ndarray, np.ndarray]:
        """Return the transform and its inverse side by side, and what they should be."""
        x = noise(self.shape, REAL_DTYPE[precision])
        there, back = (
            Plan(self.shape, x.dtype, 1, self.kind, direction, "ortho", context=queue.context)
            for direction in ("forward", "inverse")
        )
        result = there(x, queue=queue)
        returned = back(result, queue=queue)
        expected = x.astype(np.float64) @ cosines(self.shape[1], sine=self.kind == "dst2").T
        return np.stack([result, returned]), np.stack([expected, x.astype(np.float64)])


@dataclass(frozen=True)
class HighPass:
    """An ideal high pass of an image of noise.

    Attributes
    ----------
    what : str
        For people.
    shape : (int, int)
        Height and width.
    cutoff : int
        In bins.
    eight_bits : bool
        Whole numbers 0 .. 255 in and out, instead of real ones.
    """

    what: str
    shape: tuple[int, int]
    cutoff: int
    eight_bits: bool = False

    @property
    def name(self) -> str:
        """Such as ``"high pass of an image, 48 x 64"``."""
        return f"{self.what}, {_sizes(self.shape)}"

    @property
    def precisions(self) -> tuple[str, ...]:
        """8-bit images are transformed in single precision."""
        return ("single",) if self.eight_bits else ("single", "double")

    def bound(self, precision: str) -> float:
        """Return the bound of two transforms, or of rounding to 8 bits."""
        transforms = FILTER_FACTOR * transform_bound(self.shape, precision)
        return EIGHT_BIT_BOUND if self.eight_bits else transforms

    def compute(self, precision: str, queue: cl.CommandQueue) -> tuple[np.ndarray, np.ndarray]:
        """Filter an image of the host."""
        dtype, white, scale = (
            (np.dtype(np.uint8), 255, "max")
            if self.eight_bits
            else (REAL_DTYPE[precision], 1, "none")
        )
        image = ((noise(self.shape, np.dtype(np.float64)) + 0.5) * white).astype(dtype)
        result = filter_image(image, "highpass", self.cutoff, scale=scale, queue=queue)
        expected = high_pass(image, self.cutoff)
        return result, expected * (white / expected.max() if scale == "max" else 1)


CASES: tuple[Case, ...] = (
    Transform("1-D", (1024,), (0,)),
    Transform("1-D", (1024,), (0,), "inverse"),
    Transform("1-D", (1000,), (0,)),
    Transform("1-D", (1000,), (0,), "inverse"),
    Transform("1-D", (1009,), (0,)),
    Transform("1-D", (70000,), (0,)),
    Transform("batch", (50, 64), (1,)),
    Transform("batch of real rows", (7, 243), (1,), real=True),
    Transform("2-D", (32, 128), (0, 1)),
    Transform("2-D", (48, 100), (0, 1), "inverse"),
    Transform("axes 0 and 2 of 3-D", (16, 5, 8), (0, 2)),
    Transform("axis 1 of 3-D", (4, 30, 8), (1,), "inverse"),
    Transform("half spectrum", (6, 1000), (1,), real=True, half=True),
    Transform("2-D half spectrum", (30, 45), (0, 1), real=True, half=True),
    Cosine("cosine transform", "dct2", (5, 64)),
    Cosine("sine transform", "dst2", (3, 45)),
    HighPass("high pass of an image", (48, 64), 5),
    HighPass("high pass of an 8-bit image", (48, 64), 5, eight_bits=True),
)


# What is checked where little time is left for compiling: (name of a case, precision).
QUICK = {
    ("batch forward, 50 x 64", "single"),
    ("1-D forward, 1009", "single"),
    ("half spectrum forward, 6 x 1000", "single"),
    ("high pass of an 8-bit image, 48 x 64", "single"),
    ("batch forward, 50 x 64", "double"),
}


@dataclass(frozen=True)
class Outcome:
    """How one case went.

    Attributes
    ----------
    name, precision : str
        Which case.
    error, bound : float
        Relative L2 error, and what is allowed.
    problem : str
        Why there is no result; empty where there is one.
    """

    name: str
    precision: str
    error: float
    bound: float
    problem: str = ""

    @property
    def passed(self) -> bool:
        """Whether there is a result within the bound; not a number is not within it."""
        return not self.problem and self.error <= self.bound


def check(device: cl.Device, quick: bool = False) -> Iterator[Outcome]:
    """Run the cases on a device, as far as it has the precision; no exception leaves this.

    Parameters
    ----------
    device : pyopencl.Device
        Any device; `use_device`'s choice does not change.
    quick : bool
        Run those in `QUICK` only.

    Yields
    ------
    Outcome
        One for each case and precision, as soon as it is known.
    """
    for case, precision in _chosen(device, quick):
        yield _outcome(case, precision, device)


def count(device: cl.Device, quick: bool = False) -> int:
    """Return how many outcomes `check` yields."""
    return len(_chosen(device, quick))


def _chosen(device: cl.Device, quick: bool) -> list[tuple[Case, str]]:
    return [
        (case, precision)
        for precision in precisions_of(device)
        for case in CASES
        if precision in case.precisions and (not quick or (case.name, precision) in QUICK)
    ]


def precisions_of(device: cl.Device) -> tuple[str, ...]:
    """Return "single", and "double" where the device computes in it or does not answer at all."""
    try:
        return ("single", "double") if describe.traits(device).fp64 else ("single",)
    except cl.Error:
        return "single", "double"


def _outcome(case: Case, precision: str, device: cl.Device) -> Outcome:
    error, problem = nan, ""
    try:
        queue = queues.queue_of(queues.context_of(device))
        error = relative_error(*case.compute(precision, queue))
    except Exception as exception:  # whatever it is, it is this device's result
        problem = f"{type(exception).__name__}: {exception}"
    return Outcome(case.name, precision, error, case.bound(precision), problem)


# --- the other way to compute it ------------------------------------------------------------------


def noise(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Return the same uniform numbers in [-0.5, 0.5) every time, in both parts if complex."""
    generator = np.random.default_rng(1)
    x = generator.random(shape) - 0.5
    if dtype.kind == "c":
        x = x + 1j * (generator.random(shape) - 0.5)
    return x.astype(dtype)


def cosines(n: int, sine: bool = False) -> np.ndarray:
    """Return the orthogonal matrix of the cosine or sine transform of type II of n numbers."""
    row, odd = np.arange(n)[:, None], 2 * np.arange(n) + 1
    angle = np.pi / (2 * n) * ((row + sine) * odd % (4 * n))  # small ones are exact
    matrix = np.sin(angle) if sine else np.cos(angle)
    return matrix * sqrt(2 / n) * np.where(row == (n - 1 if sine else 0), sqrt(0.5), 1)


def high_pass(image: np.ndarray, cutoff: float) -> np.ndarray:
    """Return the magnitude of an ideal high pass, in double precision."""
    rows, columns = (np.minimum(np.arange(n), n - np.arange(n)) for n in image.shape)
    passes = rows[:, None] ** 2 + columns**2 >= cutoff**2
    return np.abs(np.fft.ifft2(np.fft.fft2(image.astype(np.float64)) * passes))


def _sizes(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))
