"""The checks of the self-test: small cases whose results are compared with NumPy's, in float64.

Each case runs by itself: if a device fails one of them, in whatever way, the others are still
reported. The checks need no library but NumPy, so that any installation can check any device.
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
from .planning.precision import COMPLEX_DTYPE, REAL_DTYPE
from .runtime import describe, queues
from .runtime.plan import Plan

# A filtered image has been through two transforms.
FILTER_FACTOR = 2
# Rounding to 8 bits moves a value by half a level at most; the filtered noise has 127 in the mean.
EIGHT_BIT_BOUND = 0.5 / 127


class Case(Protocol):
    """One check, which may be made in several precisions."""

    @property
    def name(self) -> str:
        """A few words that say what is computed."""

    @property
    def precisions(self) -> tuple[str, ...]:
        """The precisions in which the check can be made."""

    def bound(self, precision: str) -> float:
        """Return the largest relative error that is allowed."""

    def compute(self, precision: str, queue: cl.CommandQueue) -> tuple[np.ndarray, np.ndarray]:
        """Return the device's result and NumPy's result."""


@dataclass(frozen=True)
class Transform:
    """A Fourier transform of noise.

    Attributes
    ----------
    what : str
        The transform's name, for people.
    shape, axes : tuple of int
        The shape of the input, and the axes that are transformed.
    direction : {"forward", "inverse"}
        The sign of the exponent: minus for forward.
    real : bool
        The input is real.
    half : bool
        Only half of the spectrum is computed; for a real input the other half follows from it.
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
        """The check's name, for example ``"1-D forward, 1024"``."""
        return f"{self.what} {self.direction}, {_sizes(self.shape)}"

    def bound(self, precision: str) -> float:
        """Return the bound of a transform of these lengths."""
        return transform_bound([self.shape[axis] for axis in self.axes], precision)

    def compute(self, precision: str, queue: cl.CommandQueue) -> tuple[np.ndarray, np.ndarray]:
        """Transform a NumPy array."""
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
    """A cosine or sine transform (type II) of rows of noise, and its inverse.

    Attributes
    ----------
    what : str
        The transform's name, for people.
    kind : {"dct2", "dst2"}
        The `kind` of its `Plan`.
    shape : (int, int)
        How many rows there are, and how many numbers a row has.
    """

    what: str
    kind: str
    shape: tuple[int, int]

    precisions = ("single", "double")

    @property
    def name(self) -> str:
        """The check's name, for example ``"cosine transform, 5 x 64"``."""
        return f"{self.what}, {_sizes(self.shape)}"

    def bound(self, precision: str) -> float:
        """Return the bound of two transforms, the second of which is the inverse."""
        return 2 * transform_bound(self.shape[1:], precision)

    def compute(self, precision: str, queue: cl.CommandQueue) -> tuple[np.ndarray, np.ndarray]:
        """Return the results of the transform and its inverse, stacked, and the right results."""
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
        The filter's name, for people.
    shape : (int, int)
        The height and the width of the image.
    cutoff : int
        The cut-off, in bins.
    eight_bits : bool
        Pixels are whole numbers from 0 to 255, before and after the filter, instead of real ones.
    """

    what: str
    shape: tuple[int, int]
    cutoff: int
    eight_bits: bool = False

    @property
    def name(self) -> str:
        """The check's name, for example ``"high pass of an image, 48 x 64"``."""
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
        """Filter an image that is a NumPy array."""
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


# The checks of --quick, which leaves little time for compiling: (name of a case, precision).
QUICK = {
    ("batch forward, 50 x 64", "single"),
    ("1-D forward, 1009", "single"),
    ("half spectrum forward, 6 x 1000", "single"),
    ("high pass of an 8-bit image, 48 x 64", "single"),
    ("batch forward, 50 x 64", "double"),
}


@dataclass(frozen=True)
class Outcome:
    """The outcome of one check.

    Attributes
    ----------
    name, precision : str
        The check.
    error, bound : float
        The relative L2 error, and the largest that is allowed.
    problem : str
        Why there is no result; empty if there is one.
    """

    name: str
    precision: str
    error: float
    bound: float
    problem: str = ""

    @property
    def passed(self) -> bool:
        """Whether there is a result and its error is within the bound, which NaN is not."""
        return not self.problem and self.error <= self.bound


def check(device: cl.Device, quick: bool = False) -> Iterator[Outcome]:
    """Make the checks on a device in every precision that it has, without raising an exception.

    Parameters
    ----------
    device : pyopencl.Device
        Any device. The choice of `use_device` does not change.
    quick : bool
        Make the checks in `QUICK` only.

    Yields
    ------
    Outcome
        The outcome of each case in each precision, at once.
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
    """Return "single", and "double" if the device has double precision or does not answer."""
    try:
        return ("single", "double") if describe.traits(device).fp64 else ("single",)
    except cl.Error:
        return "single", "double"


def _outcome(case: Case, precision: str, device: cl.Device) -> Outcome:
    error, problem = nan, ""
    try:
        queue = queues.queue_of(queues.context_of(device))
        error = relative_error(*case.compute(precision, queue))
    except Exception as exception:  # of any type: each is the outcome of this check
        problem = f"{type(exception).__name__}: {exception}"
    return Outcome(case.name, precision, error, case.bound(precision), problem)


# --- the other way to compute it ------------------------------------------------------------------


def noise(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Return uniform numbers in [-0.5, 0.5), the same in every call; complex ones in both parts."""
    generator = np.random.default_rng(1)
    x = generator.random(shape) - 0.5
    if dtype.kind == "c":
        x = x + 1j * (generator.random(shape) - 0.5)
    return x.astype(dtype)


def cosines(n: int, sine: bool = False) -> np.ndarray:
    """Return the orthogonal matrix of the cosine or sine transform (type II) of n numbers."""
    row, odd = np.arange(n)[:, None], 2 * np.arange(n) + 1
    angle = np.pi / (2 * n) * ((row + sine) * odd % (4 * n))  # cosines of small angles are exact
    matrix = np.sin(angle) if sine else np.cos(angle)
    return matrix * sqrt(2 / n) * np.where(row == (n - 1 if sine else 0), sqrt(0.5), 1)


def high_pass(image: np.ndarray, cutoff: float) -> np.ndarray:
    """Return the magnitude of an ideal high pass, in double precision."""
    rows, columns = (np.minimum(np.arange(n), n - np.arange(n)) for n in image.shape)
    passes = rows[:, None] ** 2 + columns**2 >= cutoff**2
    return np.abs(np.fft.ifft2(np.fft.fft2(image.astype(np.float64)) * passes))


def _sizes(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))
