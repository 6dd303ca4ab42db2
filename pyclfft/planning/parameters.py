"""The parameters of kernels: their names, the values that each may have, and the defaults."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any, Protocol

from ..errors import PlanError
from .factor import LARGEST_LANE_RADIX, MAX_LANE_STAGES, MAX_STAGES, MAX_STEPS, RADICES
from .traits import Traits

Factors = tuple[tuple[int, ...], ...]
Value = int | float | str | Factors


GIVEN = "given"  # the origin of parameters that a caller sets


# --- what values a parameter may have -------------------------------------------------------------


class Allowed(Protocol):
    """The values that a parameter may have; the `str` of this object describes them."""

    def take(self, value: Any) -> Value:
        """Return a value as plans want it.

        Raises
        ------
        TypeError, ValueError, OverflowError
            The parameter may not have this value.
        """


@dataclass(frozen=True)
class Range:
    """Whole numbers from `least` to `most`.

    With `or_rule`, -1 is allowed too: a rule then chooses the number.
    """

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
class Amount:
    """Numbers from 0 to `most`, also those that are not whole."""

    most: float = 1e12

    def take(self, value: Any) -> float:
        """Return the number; see `Allowed`."""
        number = float(value)
        if isinstance(value, str) or not 0 <= number <= self.most:
            raise ValueError(value)
        return number

    def __str__(self) -> str:
        return f"a number from 0 to {self.most:g}"


@dataclass(frozen=True)
class OneOf:
    """The whole numbers in `numbers` and no others."""

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
        The least and the most factors in a list.
    among : tuple of int
        The numbers that factors may be. If it is empty, they may be any number from 2 on.
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
    """Sizes of work-groups as texts, for example "64" or "16x16".

    If the text is empty, the parameter `group` decides the size.
    """

    form: re.Pattern[str] = re.compile(r"([1-9][0-9]{0,3}(x[1-9][0-9]{0,3})?)?")

    def take(self, value: Any) -> str:
        """Return the text; see `Allowed`."""
        if not self.form.fullmatch(value):
            raise ValueError(value)
        return str(value)

    def __str__(self) -> str:
        return 'the size of a work-group, such as "64" or "16x16"'


@dataclass(frozen=True)
class Names:
    """The names in `names`; an empty name leaves the choice to a rule."""

    names: tuple[str, ...]

    def take(self, value: Any) -> str:
        """Return the name; see `Allowed`."""
        if not isinstance(value, str) or value not in ("", *self.names):
            raise ValueError(value)
        return value

    def __str__(self) -> str:
        return f'"" or one of {", ".join(self.names)}'


class Solvers:
    """The names of all solvers; an empty name says that none is known to be the best."""

    def take(self, value: Any) -> str:
        """Return the name; see `Allowed`."""
        if value not in self._names():
            raise ValueError(value)
        return str(value)

    def __str__(self) -> str:
        return f"one of {', '.join(self._names()[1:])}"

    def _names(self) -> tuple[str, ...]:
        from .solvers import BY_NAME  # the solvers import this module

        return ("", *BY_NAME)


def _whole(value: Any) -> int:
    """Return a whole number, for example 64 or 64.0, as an int."""
    number = int(value)
    if number != value:
        raise ValueError(value)
    return number


# --- the parameters -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Parameter:
    """A parameter of kernels or of their choice.

    Attributes
    ----------
    gpu, cpu : int, float, str or tuple of tuple of int
        The default on a GPU, and the default on a CPU.
    allowed : Allowed
        The values that the parameter may have. With each of them plans are valid and results right.
    meaning : str
        What the parameter decides, in sentences that stand by themselves.
    """

    gpu: Value
    cpu: Value
    allowed: Allowed
    meaning: str


# The textbook's kernels that have a parameter group_NAME for the size of their work-groups.
GROUPED = ("spinFact", "bitReverse", "butterfly", "norm", "transpose", "highPassFilter")
# Allowed numbers of work-items in a group (a device may allow fewer), of points of a transform, and
# of bytes in a cache.
ITEMS, POINTS, BYTES = Range(1, 2**13), Range(0, 2**16), Range(0, 2**26)
AMOUNT = Amount()
LANE_RADICES = tuple(each for each in RADICES if each <= LARGEST_LANE_RADIX)

# The methods of convolution, by the names that callers give.
CONVOLVE_METHODS = ("direct", "fft", "partitioned")
# What convolutions cost: the end of a parameter's name, its default on GPUs and on CPUs, and its
# meaning. Those of CPUs were measured as processor time, with Intel's runtime on 2 cores of an AMD
# EPYC (Zen 5). Those of GPUs were measured on an H200.
COSTS = (
    (
        "direct", 30e3, 45e3,
        "How many nanoseconds the smallest convolution by the definition takes.",
    ),
    ("spectral", 120e3, 85e3, "How many nanoseconds the smallest convolution by transforms takes."),
    (
        "product", 4e-4, 0.65,
        "How many nanoseconds a product takes in a convolution by the definition along several "
        "axes.",
    ),
    (
        "register", 6.5e-5, 0.022,
        "How many nanoseconds a product takes in a convolution by the definition along one axis.",
    ),
    (
        "edge", 6.5e-5, 0.25,
        "How many nanoseconds a product takes in a convolution by the definition along one axis, "
        "for a result near an end, to which not all taps contribute.",
    ),
    (
        "operation", 5e-4, 0.07,
        "How many nanoseconds one operation takes at one point of a transform.",
    ),
    ("cached", 2.0**14, 2.0**15, "The most points of a transform that the cache of a core holds."),
    (
        "uncached", 1.0, 3.4,
        "If a transform has more points than cost_cached: how many operations each doubling of its "
        "length adds at each point.",
    ),
)  # fmt: skip
ESTIMATES = "The function convolve estimates the times of its methods from it."
# What the partitions of StreamingConvolver cost: the end of a name, the default and the meaning.
UNIT = "The unit is the cost of a product of two bins."
PARTITION_COSTS = (
    ("launch", 10e3, "What a launch costs for the partitions that are longer than a block."),
    ("point", 0.4, "What a point of a transform costs for each doubling of the length."),
    ("tap", 0.1, "What a product by the definition costs."),
    ("copy", 30e3, "What it costs to copy a channel to the buffer of the method direct, and back."),
)

# The planner searches a parameter's lists of factors for one whose product is the length that it
# splits. If no list fits, or if a number is -1, a rule decides.
PARAMETERS: Mapping[str, Parameter] = {
    "algorithm": Parameter(
        "", "", Solvers(),
        "The algorithm that is tried first. The others follow in their usual order.",
    ),
    "group": Parameter(
        128, 256, ITEMS,
        "How many work-items share a work-group in the textbook kernels, and in kernels that only "
        "copy or reorder arrays.",
    ),
    **{
        f"group_{kernel}": Parameter(
            "", "", GroupSize(),
            f"The size of the work-groups of the textbook kernel {kernel}. If it is empty, the "
            "parameter group says how large they are.",
        )
        for kernel in GROUPED
    },
    "transpose_tile": Parameter(
        16, 32, Range(0, 64),
        "The edge, in elements, of the square blocks that the kernel transposeBlocked swaps "
        "through local memory. With 0 the textbook kernel transpose is used instead.",
    ),
    "direct_tile": Parameter(
        128, 64, ITEMS,
        "How many inputs the algorithm direct, which adds n^2 products, stages in local memory at "
        "a time. Its work-groups have as many work-items.",
    ),
    "pitch_bytes": Parameter(
        -1, -1, OneOf((-1, 0, 32, 64, 128, 256)),
        "Between two passes of a transform of real numbers, along several axes or in three passes "
        "along one axis, the rows of spectra begin at multiples of this number of bytes. With 0 "
        "they lie without gaps, and with -1 a rule decides.",
    ),
    "upwards": Parameter(
        -1, -1, OneOf((-1, 0, 1)),
        "If a transform along several axes may begin with any of them: with 1 it begins with the "
        "first axis, with 0 it begins with the last axis, and with -1 a rule decides.",
    ),
    "factors": Parameter(
        (), (), Lists(2, MAX_STEPS),
        "How a transform that is too long for one kernel is split into steps: the product of the "
        "factors is the length of the transform, and each factor is the length of one step.",
    ),
    "stockham_radices": Parameter(
        (), (), Lists(1, MAX_STAGES, RADICES),
        "The radices of the stages of a Stockham transform in a work-group. Their product is the "
        "length of the transform.",
    ),
    "stockham_points": Parameter(
        -1, -1, Range(1, 32, or_rule=True),
        "The most points that one work-item of the Stockham kernel holds in registers.",
    ),
    "stockham_columns": Parameter(
        -1, -1, OneOf((-1, 4, 8, 16, 32)),
        "How many neighbouring columns a work-group of the Stockham kernel transforms together. "
        "More columns make longer runs in memory, fewer take less local memory.",
    ),
    "stockham_parts": Parameter(
        -1, -1, OneOf((-1, 1, 2, 4)),
        "In how many parts, one after the other, a work-group that transforms columns exchanges "
        "its points through local memory. More parts take less local memory, but more barriers. "
        "Groups of istft have one part or two, in both layouts. With -1 a rule decides.",
    ),
    "stockham_apart": Parameter(
        -1, -1, OneOf((-1, 0, 1)),
        "Whether the columns of each matrix begin with a work-group of the Stockham kernel, so "
        "that no group takes columns of two matrices: 1 means always, 0 never, -1 where it should "
        "pay.",
    ),
    "stockham_in_place": Parameter(
        -1, -1, OneOf((-1, 0, 1)),
        "Whether a pass of the Stockham kernel overwrites its source where this is allowed: 1 "
        "means always, 0 only if there is no memory for another buffer, -1 where it should pay.",
    ),
    "stockham_banks": Parameter(
        128, 128, Range(1, 1024),
        "How many bytes of local memory the device serves at once. The Stockham kernel leaves gaps "
        "between runs of this length, so that fewer accesses conflict.",
    ),
    "stockham_items": Parameter(
        512, 256, Range(16, ITEMS.most),
        "The most work-items in a work-group of the Stockham kernel. CPU runtimes keep the "
        "registers of a whole group on a stack, so that large groups are slow there.",
    ),
    "stockham_group": Parameter(
        -1, 64, Range(1, ITEMS.most, or_rule=True),
        "The size of the work-groups of the Stockham kernel, in work-items, if rows are short: a "
        "group then transforms as many rows as have room in it. -1 means 128, or fewer where a "
        "rule expects that fewer rows are quicker.",
    ),
    "stockham_mirrored": Parameter(
        -1, -1, Range(1, ITEMS.most, or_rule=True),
        "The fewest work-items of a row of real numbers for which each work-item of the Stockham "
        "kernel owns both numbers k and n - k of its spectrum. Fewer exchange them through local "
        "memory. -1 means 128 in single precision and 32 in double precision.",
    ),
    "axes_group": Parameter(
        -1, -1, Range(1, ITEMS.most, or_rule=True),
        "The size of the work-groups, in work-items, that transform all axes of small arrays in "
        "one launch. With -1 a rule decides.",
    ),
    "axes_points": Parameter(
        -1, -1, Range(1, 2**20, or_rule=True),
        "How many points a work-group that transforms all axes of small arrays has about: it "
        "takes as many arrays as have fewer points together. With -1 a rule decides.",
    ),
    "local_items": Parameter(
        1024, 64, ITEMS,
        "The most work-items in a work-group of the algorithm local-radix2, which transforms each "
        "row within one work-group.",
    ),
    "local_frames": Parameter(
        0, 0, Range(0, 2**31 - 1),
        "How many transforms one launch of the algorithm local-radix2 does. With 0 one launch does "
        "all of them.",
    ),
    "lanes_radices": Parameter(
        (), (), Lists(1, MAX_LANE_STAGES, LANE_RADICES),
        "The radices of a transform in the lanes of a CPU's vectors, one for each stage over its "
        "points. Their product is the number of points.",
    ),
    "lanes_width": Parameter(
        -1, -1, OneOf((-1, 1, 2, 4, 8, 16)),
        "How many lanes of a CPU's vectors are used, counted as 32-bit numbers. More than the CPU "
        "has are not used.",
    ),
    "lanes_local": Parameter(
        0, 128 * 1024, BYTES,
        "The most bytes of local memory that a work-item of a CPU kernel uses for scratch data. A "
        "work-item that needs more uses global memory for them.",
    ),  # some devices report more local memory than they have
    "lanes_workspace": Parameter(
        0, 4 * 1024 * 1024, BYTES,
        "The most bytes of scratch data that a work-item of a CPU kernel may need. They should fit "
        "the cache of one core. A transform that needs more is planned in another way.",
    ),
    "lanes_alone": Parameter(
        0, 512 * 1024, BYTES,
        "The most bytes of scratch data for which a work-item transforms a whole row if there are "
        "fewer rows than CPU cores. If a row needs more, several cores share it.",
    ),
    "lanes_groups": Parameter(
        8, 8, Range(1, 1024),
        "How many work-items a launch of a CPU kernel has for each core, at most, if scratch data "
        "are in local memory. Otherwise it has one for each core.",
    ),
    "lanes_staged": Parameter(
        0, 4096, BYTES,
        "The longest row, in bytes, whose results a CPU kernel gathers in scratch memory, so that "
        "it can write whole cache lines past the caches.",
    ),
    "lanes_shared": Parameter(
        0, 1024, POINTS,
        "If there are fewer blocks of transforms than CPU cores: from how many points on all cores "
        "share each transform, in several launches.",
    ),
    "small_smooth": Parameter(
        0, 256, POINTS,
        "The most points of a transform without prime factors above 13 that is left to the "
        "algorithm small, whose one CPU kernel serves all lengths, so that a new length compiles "
        "nothing.",
    ),
    "small_other": Parameter(
        0, 512, POINTS,
        "The most points of a transform with a prime factor above 13 that is left to the algorithm "
        "small, whose one CPU kernel serves all lengths, so that a new length compiles nothing.",
    ),
    "small_points": Parameter(
        0, 1024, POINTS,
        "The most points that all transforms of a call may have together to be left to the "
        "algorithm small, whose one CPU kernel serves all lengths.",
    ),
    "small_single_smooth": Parameter(
        0, 512, POINTS,
        "The value that small_smooth has for a single transform on a CPU runtime that is slow with "
        "barriers. The kernel of the algorithm small needs no barrier.",
    ),
    "small_single_other": Parameter(
        0, 2048, POINTS,
        "The value that small_other has for a single transform on a CPU runtime that is slow with "
        "barriers. The kernel of the algorithm small needs no barrier.",
    ),
    "stft_points": Parameter(
        1024, 1024, POINTS,
        "The fewest points of a frame for which stft takes stft_group, stft_columns and stft_parts "
        "instead of stockham_group, stockham_columns and stockham_parts.",
    ),
    "stft_group": Parameter(
        32, 0, Range(0, ITEMS.most),
        "The value that stft takes instead of stockham_group if the bins of a frame are neighbours "
        "in memory. With 0 it takes stockham_group.",
    ),
    "stft_columns": Parameter(
        -1, 0, OneOf((-1, 0, 4, 8, 16, 32)),
        "The value that stft takes instead of stockham_columns if the frames of a bin are "
        "neighbours in memory: how many frames share a work-group. With 0 it takes "
        "stockham_columns, and with -1 a rule decides by where sectors of the cache begin.",
    ),
    "stft_parts": Parameter(
        1, 0, OneOf((0, 1, 2, 4)),
        "The value that stft takes instead of stockham_parts if the frames of a bin are neighbours "
        "in memory. With 0 it takes stockham_parts.",
    ),
    "istft_frames": Parameter(
        -1, 0, Range(0, 64, or_rule=True),
        "How many frames a work-group of istft transforms and adds up on a GPU, including those "
        "that a neighbour may transform too. With 0 one launch transforms all frames and another "
        "one adds them up, and with -1 a rule decides.",
    ),
    "istft_meets": Parameter(
        -1, 0, OneOf((-1, 0, 1)),
        "Whether neighbouring work-groups of istft add up what they have at their border (1), or "
        "both transform the frames there (0). With -1 a rule decides. It makes no difference on a "
        "device whose work-groups may not wait for each other.",
    ),
    "istft_chunk": Parameter(
        0, 0, Range(0, 2**40),
        "About how many bytes of frames istft transforms before it adds them up, so that they are "
        "still in a cache. With 0 it transforms all frames first.",
    ),
    "extrema_group": Parameter(
        128, 128, Range(1, 1024),
        "The size of the work-groups that look for the least and the greatest value of an image, "
        "or for the greatest of a spectrogram. It is rounded down to a power of two.",
    ),
    "extrema_groups": Parameter(
        256, 256, Range(1, 2**16),
        "The most work-groups that look for the least and the greatest value of an image, or for "
        "the greatest of a spectrogram.",
    ),
    "filter_rows": Parameter(
        4, 4, Range(1, 1024),
        "How many work-items for each core of a CPU share the rows of an image when filtered "
        "values become pixels.",
    ),
    "convolve_method": Parameter(
        "", "", Names(CONVOLVE_METHODS),
        "The method that convolve takes for \"auto\". If it is empty, the expected times decide.",
    ),
    "convolve_block": Parameter(
        0, 0, Range(0, 2**31 - 1),
        "The length of the transforms into which the method partitioned cuts each axis, if it is "
        "between the extents of the two inputs. With 0 the expected times decide.",
    ),
    "convolve_lengths": Parameter(
        -1, -1, OneOf((-1, 0, 1)),
        "The lengths of the transforms of whole axes: 1 means powers of two, 0 the least without "
        "prime factors above 7, and -1 leaves it to a rule.",
    ),
    "convolve_group": Parameter(
        64, 64, Range(1, 1024),
        "The size of the work-groups of the kernel that convolves by the definition along several "
        "axes, or numbers that are not floats.",
    ),
    "taps_group": Parameter(
        -1, -1, Range(1, 1024, or_rule=True),
        "The size of the work-groups that convolve by the definition along one axis on a GPU. With "
        "-1 a rule decides.",
    ),
    "taps_outputs": Parameter(
        -1, -1, OneOf((-1, 1, 2, 4, 8, 16, 32)),
        "How many results a work-item holds in registers while a GPU convolves by the definition "
        "along one axis. With -1 a rule decides.",
    ),
    "taps_split": Parameter(
        4, 4, Range(0, 1024),
        "If there are fewer work-groups than this for each compute unit, a convolution by the "
        "definition along one axis gives each tile of taps a work-group of its own.",
    ),
    "partition_group": Parameter(
        64, 1, Range(1, 1024),
        "The size of the work-groups that multiply the partitions of StreamingConvolver.",
    ),
    "partition_width": Parameter(
        2, 16, OneOf((2, 4, 8, 16)),
        "How many real numbers a work-item multiplies at once in the partitions of "
        "StreamingConvolver.",
    ),
    "partition_tile": Parameter(
        1, 4, OneOf((1, 2, 4, 8)),
        "How many vectors of partition_width a work-item adds up side by side.",
    ),
    **{
        f"cost_{name}": Parameter(gpu, cpu, AMOUNT, f"{meaning} {ESTIMATES}")
        for name, gpu, cpu, meaning in COSTS
    },
    **{
        f"partition_{name}": Parameter(number, number, AMOUNT, f"{meaning} {UNIT}")
        for name, number, meaning in PARTITION_COSTS
    },
    "stream_bytes": Parameter(
        0, 4 * 1024 * 1024, Range(0, 2**40),
        "From how many bytes on a CPU writes results past its caches, unless they replace the "
        "input. With 0 it never does.",
    ),
    "fused": Parameter(
        -1, -1, OneOf((-1, 0, 1)),
        "Whether two passes share one launch, so that the second finds the results of the first in "
        "the L2 cache: 1 means wherever this is possible, 0 never, -1 where it should pay.",
    ),
    "fused_chunks": Parameter(
        24, 24, Range(1, 1024),
        "Two passes that share one launch follow each other from chunk to chunk of the data. This "
        "parameter says how many chunks fill the L2 cache, and so how large a chunk is.",
    ),
    "fused_lag": Parameter(
        4, 4, Range(1, 1024),
        "Two passes that share one launch follow each other from chunk to chunk of the data. The "
        "first pass is so many chunks ahead of the second; fewer if chunks have to be larger than "
        "fused_chunks wishes.",
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
    table : mapping of str to int, float, str or tuple
        The value of each parameter, by the names in `PARAMETERS`.
    origins : mapping of str to str
        The origin of each value that is not the default, by the parameter's name.
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
        """Return these parameters with other values for some, which come from `origin`."""
        changed = {name: value for name, value in values.items() if value != self.table[name]}
        origins = {name: each for name, each in self.origins.items() if name not in values}
        return Parameters({**self.table, **changed}, {**origins, **dict.fromkeys(changed, origin)})

    def __str__(self) -> str:
        """Name the parameters whose values are not the default, with their origins."""
        by_origin: dict[str, list[str]] = {}
        for name, origin in self.origins.items():
            by_origin.setdefault(origin, []).append(f"{name} {shown(self.table[name])}")
        parts = (f"{', '.join(names)} ({origin})" for origin, names in by_origin.items())
        return "; ".join(parts) or "default"


def shown(value: Value) -> str:
    """Return a value as a text for people: a list of factors as ``4x4x16``."""
    if isinstance(value, tuple):
        return " ".join("x".join(map(str, each)) for each in value) or "-"
    return f"{value:g}" if isinstance(value, float) else str(value)


def factors_of(parameters: Values, name: str, n: int) -> tuple[int, ...] | None:
    """Return the first of a parameter's lists of factors whose product is n, or None."""
    return next((each for each in parameters[name] if prod(each) == n), None)


def parameters_for(traits: Traits) -> Parameters:
    """Return the default parameters of a device.

    Parameters
    ----------
    traits : Traits
        The traits of the device.

    Returns
    -------
    parameters : Parameters
    """
    return Parameters(DEFAULTS["cpu" if traits.is_cpu else "gpu"])


def checked(values: Any) -> dict[str, Value]:
    """Return parameters as plans take them, with tuples instead of lists.

    Parameters
    ----------
    values : mapping of str to int, float, str or iterable
        The values of parameters by their names.

    Returns
    -------
    dict of str to int, float, str or tuple

    Raises
    ------
    PlanError
        No parameter has one of the names, or a parameter may not have its value. The error lists
        the names, or describes the values that the parameter may have.
    """
    if not isinstance(values, Mapping):
        raise PlanError(f"parameters are a mapping of names to values, not {brief(values)}")
    return {name: _checked(name, value) for name, value in values.items()}


Given = tuple[tuple[str, Value], ...]


def as_key(values: Any) -> Given:
    """Return what `checked` returns as a key of caches, in the order of the names; () for None."""
    return () if values is None else tuple(sorted(checked(values).items()))


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
    """Return a value for a message, as Python writes it, but shortened if it is long."""
    try:
        return _BRIEF.repr(value)
    except ValueError:  # the number has more digits than Python prints
        return f"a very large {type(value).__name__}"
