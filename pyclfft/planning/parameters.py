"""The parameters of kernels: their names, the values that each may have, and the defaults."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any, Protocol

from ..errors import PlanError
from .factor import LARGEST_OF_PASSES, MAX_PASSES, MAX_STAGES, MAX_STEPS, RADICES
from .traits import Traits

Factors = tuple[tuple[int, ...], ...]
Value = int | str | Factors


GIVEN = "given"  # the origin of parameters that a caller sets


# --- what values a parameter may have -------------------------------------------------------------


class Allowed(Protocol):
    """The values that a parameter may have; as a text, what they are."""

    def take(self, value: Any) -> Value:
        """Return a value as plans want it.

        Raises
        ------
        TypeError, ValueError, OverflowError
            It is none of these.
        """


@dataclass(frozen=True)
class Range:
    """Whole numbers from `least` to `most`, and perhaps -1, for which a rule decides."""

    least: int
    most: int
    or_rule: bool = False

    def take(self, value: Any) -> int:
        """Return the number; see `Allowed`."""
        number = _whole(value)
        if not (self.least <= number <= self.most or (self.or_rule and number == -1)):
            raise ValueError(value)
        return number

    def __str__(self) -> str:
        return f"{'-1 or ' if self.or_rule else ''}a whole number from {self.least} to {self.most}"


@dataclass(frozen=True)
class OneOf:
    """A few whole numbers."""

    numbers: tuple[int, ...]

    def take(self, value: Any) -> int:
        """Return the number; see `Allowed`."""
        number = _whole(value)
        if number not in self.numbers:
            raise ValueError(value)
        return number

    def __str__(self) -> str:
        return f"one of {', '.join(map(str, self.numbers))}"


@dataclass(frozen=True)
class Lists:
    """Lists of factors.

    Attributes
    ----------
    shortest, longest : int
        How many factors a list has.
    among : tuple of int
        What the factors may be; empty where 2 and all above it may be.
    """

    shortest: int
    longest: int
    among: tuple[int, ...] = ()

    def take(self, value: Any) -> Factors:
        """Return the lists as tuples; see `Allowed`."""
        lists = tuple(tuple(_whole(each) for each in factors) for factors in value)
        for factors in lists:
            fits = set(factors) <= set(self.among) if self.among else min(factors, default=0) > 1
            if not (fits and self.shortest <= len(factors) <= self.longest):
                raise ValueError(value)
        return lists

    def __str__(self) -> str:
        among = f"of {', '.join(map(str, self.among))}" if self.among else "above 1"
        return f"lists of {self.shortest} to {self.longest} factors {among}, such as [[4, 16]]"


@dataclass(frozen=True)
class GroupSize:
    """Sizes of work-groups as texts, "64" or "16x16"; none where the parameter `group` decides."""

    form: re.Pattern[str] = re.compile(r"([1-9][0-9]{0,3}(x[1-9][0-9]{0,3})?)?")

    def take(self, value: Any) -> str:
        """Return the text; see `Allowed`."""
        if not self.form.fullmatch(value):
            raise ValueError(value)
        return str(value)

    def __str__(self) -> str:
        return 'the size of a work-group, such as "64" or "16x16"'


class Solvers:
    """The names of all solvers, and no name where it is not known which one is best."""

    def take(self, value: Any) -> str:
        """Return the name; see `Allowed`."""
        if value not in self._names():
            raise ValueError(value)
        return str(value)

    def __str__(self) -> str:
        return f"one of {', '.join(self._names()[1:])}"

    def _names(self) -> tuple[str, ...]:
        from .solvers import BY_NAME  # which look up their parameters here

        return ("", *BY_NAME)


def _whole(value: Any) -> int:
    """Return a whole number, such as 64 or 64.0, as an int."""
    number = int(value)
    if number != value:
        raise ValueError(value)
    return number


# --- the parameters -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Parameter:
    """One of them.

    Attributes
    ----------
    gpu, cpu : int, str or tuple of tuple of int
        Default on a GPU, and on a CPU.
    allowed : Allowed
        The values that it may have. Whatever they are, plans are valid and results are right.
    meaning : str
        What it decides.
    """

    gpu: Value
    cpu: Value
    allowed: Allowed
    meaning: str


# The textbook's kernels whose work-groups can be tuned one by one: the parameter group_NAME.
GROUPED = ("spinFact", "bitReverse", "butterfly", "norm", "transpose", "highPassFilter")
# Work-items of a group, where a device allows as many; points of a transform; bytes in a cache.
ITEMS, POINTS, BYTES = Range(1, 2**13), Range(0, 2**16), Range(0, 2**26)
PASS_RADICES = tuple(each for each in RADICES if each <= LARGEST_OF_PASSES)

# Lists of factors are looked at for one whose product is the length in question; where there is
# none, and where a number is -1, a rule decides.
PARAMETERS: Mapping[str, Parameter] = {
    "algorithm": Parameter("", "", Solvers(), "the solver that is asked first"),
    "group": Parameter(128, 256, ITEMS, "work-items in a group of the textbook's kernels"),
    **{
        f"group_{kernel}": Parameter(
            "", "", GroupSize(), f"work-items in a group of {kernel}"
        )
        for kernel in GROUPED
    },
    "transpose_tile": Parameter(
        16, 32, Range(0, 64),
        "edge of a block of transposeBlocked; 0 takes the textbook's transpose",
    ),
    "direct_tile": Parameter(
        128, 64, ITEMS, "inputs that the direct transform stages at a time"
    ),
    "factors": Parameter(
        (), (), Lists(2, MAX_STEPS), "lengths of the steps of a long transform"
    ),
    "stockham_radices": Parameter((), (), Lists(1, MAX_STAGES, RADICES), "radices of the stages"),
    "stockham_points": Parameter(
        -1, -1, Range(1, 32, or_rule=True), "points that a work-item holds at most"
    ),
    "stockham_columns": Parameter(
        -1, -1, OneOf((-1, 4, 8, 16, 32)), "columns side by side in a work-group"
    ),
    "stockham_parts": Parameter(
        -1, -1, OneOf((-1, 1, 2, 4)),
        "parts in which columns exchange their points, the more the less memory",
    ),
    "stockham_banks": Parameter(
        128, 128, Range(1, 1024),
        "bytes of local memory served at once, between which gaps are left",
    ),
    "stockham_items": Parameter(
        512, 256, Range(16, ITEMS.most),
        "work-items in a group at most; a CPU keeps the registers of all on a stack",
    ),
    "stockham_group": Parameter(128, 64, ITEMS, "work-items in a group of short rows"),
    "local_items": Parameter(1024, 64, ITEMS, "work-items in a group of local-radix2 at most"),
    "local_frames": Parameter(
        0, 0, Range(0, 2**31 - 1), "its transforms in a launch; 0 for all of them in one"
    ),
    "smooth_hooks": Parameter(
        1, 0, OneOf((0, 1)),
        "1 where a filter's exp and pow are quicker in a transform's store than as a pass",
    ),
    "lanes_radices": Parameter(
        (), (), Lists(1, MAX_PASSES, PASS_RADICES), "radices of the passes on a CPU's vectors"
    ),
    "lanes_width": Parameter(
        -1, -1, OneOf((-1, 1, 2, 4, 8, 16)), "lanes of a CPU's vectors that are used"
    ),
    "lanes_local": Parameter(
        0, 128 * 1024, BYTES, "bytes of local memory that a work-item alone may have"
    ),  # some devices promise too much
    "lanes_workspace": Parameter(
        0, 4 * 1024 * 1024, BYTES,
        "bytes of workspace that a work-item may have, to stay in a cache of its own",
    ),
    "lanes_alone": Parameter(
        0, 512 * 1024, BYTES,
        "bytes of workspace that a work-item may have where there are fewer transforms than cores",
    ),
    "lanes_groups": Parameter(
        8, 8, Range(1, 1024),
        "so many work-items for each core share a launch, where they need no workspace",
    ),
    "lanes_staged": Parameter(
        0, 4096, BYTES, "bytes of rows, at most, that are put together before they leave a cache"
    ),
    "lanes_shared": Parameter(
        0, 1024, POINTS,
        "rows of so many points are shared by cores, if there are fewer blocks of them",
    ),
    "small_smooth": Parameter(
        0, 256, POINTS,
        "the kernel for all lengths takes a smooth transform of up to so many points",
    ),
    "small_other": Parameter(
        0, 512, POINTS,
        "the kernel for all lengths takes a transform that is not smooth of up to so many points",
    ),
    "small_points": Parameter(
        0, 1024, POINTS,
        "the kernel for all lengths takes transforms of up to so many points together",
    ),
    "small_single": Parameter(
        0, 2048, POINTS,
        "where kernels with barriers are slow, the kernel for all lengths takes a single transform "
        "that is not smooth of up to so many points",
    ),
    "stream_bytes": Parameter(
        0, 4 * 1024 * 1024, Range(0, 2**40),
        "results of so many bytes go past the caches, unless they replace the source; 0: never",
    ),
    "fused": Parameter(
        -1, -1, OneOf((-1, 0, 1)),
        "1 joins two passes wherever that can be, 0 nowhere, -1 where it should pay",
    ),
    "fused_chunks": Parameter(
        24, 24, Range(1, 1024), "of two passes in one launch, so many chunks fill the L2"
    ),
    "fused_lag": Parameter(
        4, 4, Range(1, 1024),
        "so many chunks the first of two is ahead; fewer if they must be larger",
    ),
}  # fmt: skip

Values = Mapping[str, Any]
DEFAULTS: dict[str, Values] = {
    "gpu": {name: each.gpu for name, each in PARAMETERS.items()},
    "cpu": {name: each.cpu for name, each in PARAMETERS.items()},
}


@dataclass(frozen=True)
class Parameters(Mapping[str, Any]):
    """The parameters of a plan.

    Attributes
    ----------
    table : mapping of str to int, str or tuple
        All of `PARAMETERS`.
    origins : mapping of str to str
        Where those come from that are not the default.
    """

    table: Values
    origins: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        return self.table[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.table)

    def __len__(self) -> int:
        return len(self.table)

    def over(self, values: Values, origin: str) -> Parameters:
        """Return them with some replaced, which come from `origin`."""
        changed = {name: value for name, value in values.items() if value != self.table[name]}
        origins = {name: each for name, each in self.origins.items() if name not in values}
        return Parameters({**self.table, **changed}, {**origins, **dict.fromkeys(changed, origin)})

    def __str__(self) -> str:
        """Name those that are not the default, by their origins."""
        by_origin: dict[str, list[str]] = {}
        for name, origin in self.origins.items():
            by_origin.setdefault(origin, []).append(f"{name} {shown(self.table[name])}")
        parts = (f"{', '.join(names)} ({origin})" for origin, names in by_origin.items())
        return "; ".join(parts) or "default"


def shown(value: Value) -> str:
    """Return a value for people: factors as ``4x4x16``."""
    if isinstance(value, tuple):
        return " ".join("x".join(map(str, each)) for each in value) or "-"
    return str(value)


def factors_of(parameters: Values, name: str, n: int) -> tuple[int, ...] | None:
    """Return the first of a parameter's lists of factors whose product is n, or None."""
    return next((each for each in parameters[name] if prod(each) == n), None)


def parameters_for(traits: Traits) -> Parameters:
    """Return the default parameters of a device.

    Parameters
    ----------
    traits : Traits
        Of the device.

    Returns
    -------
    parameters : Parameters
    """
    return Parameters(DEFAULTS["cpu" if traits.is_cpu else "gpu"])


def checked(values: Any) -> dict[str, Value]:
    """Return parameters as plans want them: lists as tuples.

    Parameters
    ----------
    values : mapping of str to int, str or iterable
        By their names.

    Returns
    -------
    dict of str to int, str or tuple

    Raises
    ------
    PlanError
        There is no parameter of a name, or it cannot have the value. The error names what it can.
    """
    if not isinstance(values, Mapping):
        raise PlanError(f"parameters are a mapping of names to values, not {brief(values)}")
    return {name: _checked(name, value) for name, value in values.items()}


def _checked(name: Any, value: Any) -> Value:
    if name not in PARAMETERS:
        names = ", ".join(PARAMETERS)
        raise PlanError(f"unknown parameter {brief(name)}: choose from {names}")
    allowed = PARAMETERS[name].allowed
    try:
        return allowed.take(value)
    except (TypeError, ValueError, OverflowError):
        raise PlanError(f"parameter {name} must be {allowed}, not {brief(value)}") from None


_BRIEF = reprlib.Repr()
_BRIEF.maxstring = _BRIEF.maxother = 80


def brief(value: Any) -> str:
    """Return a value as Python writes it, for a message: cut short where it is long."""
    try:
        return _BRIEF.repr(value)
    except ValueError:  # a number of more digits than Python prints
        return f"a very large {type(value).__name__}"
