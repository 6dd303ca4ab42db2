"""The parameters of kernels: their defaults, and which measured ones a device and a problem get.

A pure look-up that the planner asks. What is measured better replaces what is measured worse, from
the least to the most specific: the default, a device of the same vendor and type, one of the same
architecture, the same device, and what the user has measured here.

References
----------
C. Nugteren, "CLBlast: a tuned OpenCL BLAS library", IWOCL 2018, for the order of fallbacks.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, Protocol

from ..errors import PlanError
from ..planning.factor import (
    LARGEST_OF_PASSES,
    MAX_PASSES,
    MAX_STAGES,
    MAX_STEPS,
    RADICES,
)
from ..planning.problem import COMPLEX_DTYPE, KINDS, Problem
from ..planning.traits import Traits

Factors = tuple[tuple[int, ...], ...]
Value = int | str | Factors


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
        from ..planning.solvers import BY_NAME  # which look up their parameters here

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


# --- measured ones --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Identity:
    """Which device it is, from what only this to what many others are.

    Attributes
    ----------
    platform, name, driver : str
        As the runtime says.
    architecture : str
        Such as ``"sm_90"``, or a runtime with the width of the vectors that it uses.
    vendor : str
        Of a GPU; of a CPU the runtime's.
    type : str
        ``"gpu"`` or ``"cpu"``.
    """

    platform: str
    name: str
    driver: str
    architecture: str
    vendor: str
    type: str

    def origin(self, other: Identity) -> str:
        """Return why what was measured on another device holds here, or nothing."""
        return next((name for name, alike in ALIKE.items() if alike(self, other)), "")


# From the most specific to the least.
ALIKE = {
    "device": lambda a, b: (a.platform, a.name) == (b.platform, b.name),
    "architecture": lambda a, b: (
        a.architecture != "" and (a.vendor, a.architecture) == (b.vendor, b.architecture)
    ),
    "vendor": lambda a, b: (a.vendor, a.type) == (b.vendor, b.type),
}
USER = "user"
GIVEN = "given"
ORIGINS = (GIVEN, USER, *ALIKE)


LAYOUTS = ROWS, COLUMNS = "rows", "columns"  # of a class of problems


@dataclass(frozen=True)
class Workclass:
    """Problems that share their tuned parameters.

    Attributes
    ----------
    kind, precision : str
        As a `Problem` has them; direction and scale make no difference.
    lengths : tuple of int
        Along the transformed axes.
    layout : str
        ``"rows"``, if the last of these is the last of the array, else ``"columns"``.
    batch : int
        Logarithm to base 2 of the number of transforms, rounded down.
    algorithm : str
        The only solver; empty where it is chosen.
    """

    kind: str
    precision: str
    lengths: tuple[int, ...]
    layout: str
    batch: int
    algorithm: str = ""

    def __str__(self) -> str:
        lengths = "x".join(map(str, self.lengths))
        by = f" by {self.algorithm}" if self.algorithm else ""
        return f"{self.kind} {self.precision} {lengths} {self.layout} 2^{self.batch}{by}"

    @classmethod
    def of(cls, problem: Problem, algorithm: str | None = None) -> Workclass:
        """Return that of a problem, and of the only solver where it is not chosen."""
        lengths = tuple(problem.shape[axis] for axis in problem.axes)
        batch = prod(problem.shape) // max(1, prod(lengths))
        by_rows = len(problem.shape) - 1 in problem.axes
        return cls(
            problem.kind,
            problem.precision,
            lengths,
            ROWS if by_rows else COLUMNS,
            max(1, batch).bit_length() - 1,
            algorithm or "",
        )

    @classmethod
    def parse(cls, text: str) -> Workclass:
        """Return the class that `str` has written as a text.

        Raises
        ------
        ValueError
            The text is that of no class.
        """
        try:
            kind, precision, lengths, layout, batch, *by = text.split()
            points = tuple(int(each) for each in lengths.split("x"))
            found = cls(kind, precision, points, layout, int(batch[2:]), "".join(by[1:]))
        except ValueError:
            found = None
        # Numbers can be written in several ways, of which `str` uses one.
        if found is None or str(found) != text or not found._is_possible():
            raise ValueError(f"{brief(text)} names no class of problems")
        return found

    def _is_possible(self) -> bool:
        """Whether there are problems of the class."""
        return (
            self.kind in KINDS
            and self.precision in COMPLEX_DTYPE
            and min(self.lengths) > 0
            and self.layout in LAYOUTS
            and self.batch >= 0
            and self.algorithm.isprintable()
        )

    def distance(self, other: Workclass) -> int | None:
        """Return how far another batch is, in powers of two; None for other problems."""
        if replace(self, batch=0) != replace(other, batch=0):
            return None
        return abs(self.batch - other.batch)


MOST_DISTANT = 2  # batches from a quarter to four times as large have the same best parameters


@dataclass(frozen=True)
class Entry:
    """What was found to be best.

    Attributes
    ----------
    identity : Identity
        Of the device that it was measured on.
    workclass : Workclass or None
        Of the problem; None for what holds for all that has nothing better.
    values : mapping
        Of parameters that are not the default's.
    sources : str
        Hash of the kernels that were measured.
    ms, default_ms : float
        One transform's time with these, and with the defaults; both in turns.
    date, effort : str
        When, and how thoroughly.
    """

    identity: Identity
    workclass: Workclass | None
    values: Values
    sources: str = ""
    ms: float = 0.0
    default_ms: float = 0.0
    date: str = ""
    effort: str = ""


def look_up(
    workclass: Workclass | None,
    identity: Identity,
    traits: Traits,
    shipped: Iterable[Entry] = (),
    user: Iterable[Entry] = (),
    sources: str = "",
) -> Parameters:
    """Return the parameters of a problem on a device.

    Parameters
    ----------
    workclass : Workclass or None
        Of the problem; None for what is the same for all problems.
    identity, traits : Identity, Traits
        Of the device.
    shipped : iterable of Entry
        What we have measured, on this device or others.
    user : iterable of Entry
        What the user has. It counts for the same driver and kernels only: with others it may be
        worse than the default.
    sources : str
        Hash of the kernels of now.

    Returns
    -------
    found : Parameters
    """
    by_origin: dict[str, list[Entry]] = {}
    for each in shipped:
        by_origin.setdefault(identity.origin(each.identity), []).append(each)
    by_origin[USER] = [
        each for each in user if each.identity == identity and each.sources == sources
    ]
    found = parameters_for(traits)
    for origin in reversed(ORIGINS):
        for each in by_origin.get(origin, ()):
            if each.workclass is None:
                found = found.over(each.values, origin)
    origin, closest = _closest(by_origin, workclass) if workclass else ("", None)
    return found.over(closest.values, origin) if closest else found


def _closest(
    by_origin: Mapping[str, Sequence[Entry]], workclass: Workclass
) -> tuple[str, Entry | None]:
    """Return the entry for the most similar batch, and of several the most specific origin's.

    Of a device that only has its vendor in common, single problems say little.
    """
    near = [
        (distance, ORIGINS.index(origin), number, origin, each)
        for origin in (USER, "device", "architecture")
        for number, each in enumerate(by_origin.get(origin, ()))
        if each.workclass
        if (distance := workclass.distance(each.workclass)) is not None
        if distance <= MOST_DISTANT
    ]
    if not near:
        return "", None
    *_, origin, entry = min(near, key=lambda found: found[:3])
    return origin, entry
