"""The cases that the benchmark measures, as data; their names, their groups, and how to choose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import groupby
from math import isqrt, prod
from typing import Any

import numpy as np

from ..errors import PlanError
from ..planning.precision import COMPLEX_DTYPE, REAL_DTYPE

ELEMENTS = 2**26  # numbers that each case transforms in all, unless --elements gives another count
FILTER = "filter"  # the kind of an image filter
TINY = 64  # most points of a transform whose time is nearly all spent on memory


@dataclass(frozen=True)
class Case:
    """One row of the benchmark. The number of elements, chosen later, sets the size of its batch.

    Attributes
    ----------
    lengths : tuple of int
        Lengths of one transform. For r2c and c2r they are those of the real array.
    kind : {"c2c", "r2c", "c2r", "dct2", "dct3", "filter"}
        What goes in and comes out, by the names that `Plan` uses; or the high pass of an 8-bit
        image (see `filters`).
    direction : {"forward", "inverse"}
        Direction of the transform, which sets the sign of the exponent.
    precision : {"single", "double"}
        Precision of the numbers and of the arithmetic.
    batch : int
        How many transforms are computed at once; 0 means as many as the elements allow.
    columns : bool
        True if the transforms run along the first axis of the array, so that they lie side by
        side; False if they lie one after the other.
    target : bool
        Whether PERFORMANCE.md sets a target for this case.
    """

    lengths: tuple[int, ...]
    kind: str = "c2c"
    direction: str = "forward"
    precision: str = "single"
    batch: int = 0
    columns: bool = False
    target: bool = False

    @property
    def name(self) -> str:
        """Unique name: for example ``"1024"``, ``"2^20"``, ``"128^3"`` or ``"r2c-double-1024"``."""
        said = {
            self.kind: self.kind != "c2c",
            "inverse": self.kind == "c2c" and self.direction == "inverse",
            "double": self.precision == "double",
            "columns": self.columns,
            "one": self.batch == 1 and self.kind != FILTER,
        }
        return "-".join([*(word for word, true in said.items() if true), size_name(self.lengths)])

    @property
    def cosine(self) -> int:
        """Type of the cosine transform (2 or 3), or 0 if the case is no cosine transform."""
        return int(self.kind[3:]) if self.kind.startswith("dct") else 0

    @property
    def fits_any(self) -> bool:
        """Whether the case is measured however few elements are to be transformed."""
        return self.kind == FILTER

    @property
    def points(self) -> int:
        """Number of points of one transform."""
        return prod(self.lengths)

    @property
    def groups(self) -> tuple[str, ...]:
        """Names of the groups to which this case belongs."""
        return tuple(name for name, belongs in GROUPS.items() if belongs(self))

    def sized(self, elements: int) -> Workload:
        """Return this case with the largest batch that `elements` allow, at least 1 transform."""
        return Workload(self, self.batch or max(1, elements // self.points))


@dataclass(frozen=True)
class Workload:
    """A case with the size of its batch: what a contender has to transform.

    Attributes
    ----------
    case : Case
        The case, which says what one transform is.
    batch : int
        How many transforms are computed at once.
    """

    case: Case
    batch: int

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array to transform. For r2c and c2r it is that of the real array."""
        return self._batched(self.case.lengths)

    @property
    def axes(self) -> tuple[int, ...]:
        """Axes of the array along which it is transformed."""
        first = 0 if self.case.columns else 1
        return tuple(range(first, first + len(self.case.lengths)))

    @property
    def source_lengths(self) -> tuple[int, ...]:
        """Lengths of one transform's input."""
        return _half(self.case.lengths) if self.case.kind == "c2r" else self.case.lengths

    @property
    def result_lengths(self) -> tuple[int, ...]:
        """Lengths of one transform's result."""
        return _half(self.case.lengths) if self.case.kind == "r2c" else self.case.lengths

    @property
    def source_shape(self) -> tuple[int, ...]:
        """Shape of the input array."""
        return self._batched(self.source_lengths)

    @property
    def result_shape(self) -> tuple[int, ...]:
        """Shape of the array that receives the result."""
        return self._batched(self.result_lengths)

    @property
    def source_dtype(self) -> np.dtype:
        """Type of the input's numbers."""
        return self._dtype(real=self.case.kind not in ("c2c", "c2r"))

    @property
    def result_dtype(self) -> np.dtype:
        """Type of the result's numbers."""
        return self._dtype(real=self.case.kind not in ("c2c", "r2c"))

    @property
    def nbytes(self) -> int:
        """Fewest bytes that have to move: the input is read once, the result written once."""
        read = prod(self.source_shape) * self.source_dtype.itemsize
        return read + prod(self.result_shape) * self.result_dtype.itemsize

    @property
    def checked(self) -> tuple[int, ...]:
        """Indices of the checked transforms of the batch: the first, the middle and the last."""
        return tuple(sorted({0, self.batch // 2, self.batch - 1}))

    def one(self, array: Any, index: int) -> Any:
        """Return a view of the transform `index` of the batch, in an array of any library."""
        return array[:, index] if self.case.columns else array[index]

    def _batched(self, lengths: tuple[int, ...]) -> tuple[int, ...]:
        return (*lengths, self.batch) if self.case.columns else (self.batch, *lengths)

    def _dtype(self, real: bool) -> np.dtype:
        if self.case.kind == FILTER:
            return np.dtype(np.uint8)
        return (REAL_DTYPE if real else COMPLEX_DTYPE)[self.case.precision]


def _half(lengths: tuple[int, ...]) -> tuple[int, ...]:
    """Return the lengths of a real array's half spectrum; the other half is its mirror image."""
    return (*lengths[:-1], lengths[-1] // 2 + 1)


# --- the cases ------------------------------------------------------------------------------------

TARGETS: tuple[tuple[int, ...], ...] = (
    *((n,) for n in (256, 1024, 4096, 8192, 16384)),
    *((2**k,) for k in (16, 18, 20, 22, 24, 26)),
    *((n,) for n in (1000, 3125, 2197)),
    *((n,) for n in (1009, 4099, 10007, 999983)),
    *((n, n) for n in (512, 1024, 2048, 4096, 8192)),
    *((n, n, n) for n in (128, 256)),
)
INVERSE = ((1024,), (4096,), (2**16,), (2**20,), (1000,), (1024, 1024), (128, 128, 128))
DOUBLE = ((1024,), (4096,), (2**16,), (2**20,), (1000,), (1024, 1024))
REAL = ((1024,), (4096,), (1000,), (2**20,), (1024, 1024), (128, 128, 128))
REAL_KINDS = {"r2c": "forward", "c2r": "inverse"}
ODD = ((105,), (225,), (499,), (1023,), (1025,))  # odd lengths: their real rows cannot be packed
COSINE = ((1024,), (1000,), (2**20,), (1024, 1024))
UNEVEN = ((1000, 1000), (100, 100, 100), (1080, 1920))
ALONE = ((1024,), (99991,), (999983,), (2**16,), (2**20,), (512, 512), (1024, 1024), (2048, 2048))
SMALL = ((8,), (16,), (32,), (64,))
PRIMES = ((17,), (97,), (127,), (257,), (641,), (8191,))
PRIME_COLUMNS = ((97,), (257,))
# Lengths and shapes beside the targets, so that no user finds a size that nobody has measured: each
# of every kind and in both precisions.
WIDE: tuple[tuple[int, ...], ...] = (
    *((n,) for n in (7680, 12000, 48000, 96000, 3**12, 10**6)),
    *((2**k,) for k in (17, 19, 21, 23, 25)),
    *((n,) for n in (17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 251, 521, 65537)),
    (720, 1280), (2160, 3840), (257, 1023), (499, 499),
    (96, 96, 96), (200, 200, 200), (512, 512, 512),
)  # fmt: skip
WIDE_KINDS = (
    *((kind, precision) for kind in ("c2c", "r2c", "c2r") for precision in COMPLEX_DTYPE),
    *((kind, "single") for kind in ("dct2", "dct3")),
)
# Short rows, each of which has few work-items, or one.
SHORT = (*((n,) for n in (5, 8, 12, 24, 30, 60, 100, 240)), (16, 16), (16, 16, 16))
IMAGES = ((512, 512), (4000, 3000), (6000, 8000))

_MANY_CASES: tuple[Case, ...] = (
    *(Case(lengths, target=True) for lengths in TARGETS),
    *(Case(lengths, direction="inverse") for lengths in INVERSE),
    *(Case(lengths, precision="double") for lengths in DOUBLE),
    *(Case(lengths, kind, way) for kind, way in REAL_KINDS.items() for lengths in REAL),
    *(Case(lengths, kind, way) for kind, way in REAL_KINDS.items() for lengths in ODD),
    *(Case(lengths) for lengths in ODD),
    *(Case((4096,), kind, way, "double") for kind, way in REAL_KINDS.items()),
    *(Case(lengths, kind) for kind in ("dct2", "dct3") for lengths in COSINE),
    *(Case(lengths) for lengths in UNEVEN),
    Case((4096,), columns=True),
    *(Case(lengths, batch=1) for lengths in ALONE),
    *(Case(lengths) for lengths in SMALL),
    *(Case(lengths) for lengths in PRIMES),
    *(Case(lengths, columns=True) for lengths in PRIME_COLUMNS),
    *(Case(lengths, FILTER, batch=1) for lengths in IMAGES),
)
_WIDE_CASES = tuple(
    case
    for lengths in (*WIDE, *SHORT)
    for kind, precision in WIDE_KINDS
    if (case := Case(lengths, kind, REAL_KINDS.get(kind, "forward"), precision)) not in _MANY_CASES
)
CASES: tuple[Case, ...] = (*_MANY_CASES, *_WIDE_CASES)

# Names of the cases that `--cpu` measures. PERFORMANCE.md's targets for CPUs were set with the
# cases of CPU_TARGETS and with 1009, a prime, which is no longer among them. One call of 1024
# points takes hardly longer than its launch, which no kernel can shorten (LAUNCH_BOUND).
CPU_TARGETS = (
    "256", "1024", "4096", "16384", "2^16", "2^18", "2^20", "2^22", "1000",
    "one-512^2", "one-1024^2", "one-2048^2",
)  # fmt: skip
CPU_OTHERS = (
    "one-1024",
    "r2c-1024", "r2c-4096", "r2c-1000", "r2c-2^20", "r2c-1024^2",
    "105", "225", "499", "1023", "1025",
    "r2c-105", "r2c-225", "r2c-499", "r2c-1023", "r2c-1025",
    "c2r-105", "c2r-225", "c2r-499", "c2r-1023", "c2r-1025",
    "double-1024", "double-4096", "double-2^16", "double-2^20", "double-1000", "double-1024^2",
    "dct2-1024", "dct3-1024", "dct2-1000", "dct2-1024^2",
    "128^3", "3125", "2197", "1000^2", "100^3", "1920x1080",
    "17", "127", "1009", "4099", "8191", "one-99991", "one-999983",
    "filter-512^2", "filter-3000x4000", "filter-8000x6000",
)  # fmt: skip
LAUNCH_BOUND = ("one-1024",)

GROUPS: dict[str, Callable[[Case], bool]] = {
    "all": lambda _: True,
    "target": lambda case: case.target,
    "cpu": lambda case: case.name in CPU_TARGETS + CPU_OTHERS,
    "cpu-target": lambda case: case.name in CPU_TARGETS,
    "launch-bound": lambda case: case.name in LAUNCH_BOUND,
    "1d": lambda case: len(case.lengths) == 1,
    "2d": lambda case: len(case.lengths) == 2,
    "3d": lambda case: len(case.lengths) == 3,
    "inverse": lambda case: case.direction == "inverse",
    "double": lambda case: case.precision == "double",
    "real": lambda case: case.kind in REAL_KINDS,
    "dct": lambda case: case.cosine > 0,
    "odd": lambda case: any(n & (n - 1) for n in case.lengths),  # not a power of two
    "prime": lambda case: any(_is_odd_prime(n) for n in case.lengths),
    "columns": lambda case: case.columns,
    "one": lambda case: case.batch == 1 and case.kind != FILTER,
    "filter": lambda case: case.kind == FILTER,
    "tiny": lambda case: case.points <= TINY,
    "wide": lambda case: case in _WIDE_CASES,
}


def select(patterns: Iterable[str]) -> tuple[Case, ...]:
    """Choose cases by their names or groups.

    Parameters
    ----------
    patterns : iterable of str
        Names of groups, or names of cases, in which ``*`` and ``?`` are wildcards. If a pattern
        begins with ``!``, its cases are taken away from the cases that the other patterns choose,
        or from all cases if there are no other patterns.

    Returns
    -------
    tuple of Case
        The chosen cases in the order of `CASES`.

    Raises
    ------
    PlanError
        If a pattern matches no case and no group.
    """
    patterns = list(patterns)
    unwanted = _cases(pattern[1:] for pattern in patterns if pattern.startswith("!"))
    wanted = [pattern for pattern in patterns if not pattern.startswith("!")] or ["all"]
    return tuple(case for case in _cases(wanted) if case not in unwanted)


def _cases(patterns: Iterable[str]) -> list[Case]:
    """Return the cases that at least one pattern matches, in the order of `CASES`."""
    found: set[Case] = set()
    for pattern in patterns:
        matching = {case for case in CASES if _matches(case, pattern)}
        if not matching:
            raise PlanError(
                f"no case or group {pattern!r}: groups are {', '.join(GROUPS)}; --list names cases"
            )
        found |= matching
    return [case for case in CASES if case in found]


def _matches(case: Case, pattern: str) -> bool:
    return GROUPS[pattern](case) if pattern in GROUPS else fnmatchcase(case.name, pattern)


# --- sizes as text --------------------------------------------------------------------------------


def size_name(lengths: Sequence[int]) -> str:
    """Return ``"1000"``, ``"2^20"``, ``"512^2"`` (a square), ``"100^3"``, ``"1920x1080"`` or alike.

    If the lengths differ, the width comes first, as it does for pictures and screens.
    """
    (first, *others) = [(n, len(list(same))) for n, same in groupby(lengths)]
    if others:
        return "x".join(map(str, reversed(lengths)))
    n, count = first
    if count > 1:
        return f"{n}^{count}"
    return f"2^{n.bit_length() - 1}" if n >= 2**16 and not n & (n - 1) else str(n)


def _is_odd_prime(n: int) -> bool:
    return n > 2 and all(n % divisor for divisor in range(2, isqrt(n) + 1))
