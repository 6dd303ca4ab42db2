"""Passes: what one kernel launch does, and the buffers that a sequence of them needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import prod

COUNTERS = "counters"  # workspace that is zero before the first launch and after each


class Role(Enum):
    """What an argument is to its pass, before buffers are assigned."""

    SOURCE = "source"  # read; what the pass before has left
    TARGET = "target"  # written; another buffer than the source, unless the pass `aliases`
    DATA = "data"  # read and written in place


@dataclass(frozen=True)
class Buffer:
    """A buffer by name.

    "in" and "out" are the caller's of each call, "hook:load:NAME" and "hook:store:NAME" those of
    hooks; all others are workspace.
    """

    name: str


@dataclass(frozen=True)
class Scalar:
    """A number by value, of the given NumPy dtype."""

    dtype: str
    value: int | float | complex


@dataclass(frozen=True)
class FirstGroup:
    """The number of a launch's first work-group (uint), of a pass that takes several launches."""


@dataclass(frozen=True)
class Vector:
    """A short vector by value, such as a uint4."""

    dtype: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class Roots:
    """Roots of unity exp(-2 pi i k / n), k < n: computed on the host, uploaded once."""

    n: int
    precision: str


@dataclass(frozen=True)
class RootSeries:
    """Roots of unity exp(-2 pi i (first + k step) / n), k < count: computed on the host."""

    n: int
    first: int
    step: int
    count: int
    precision: str


@dataclass(frozen=True)
class SpinFactors:
    """Roots of unity exp(-2 pi i k / n), k < n / 2, of an even n: computed by spinFact, once."""

    n: int
    precision: str


@dataclass(frozen=True)
class DigitRoots:
    """Roots of unity by the digits of their exponents: computed on the host, uploaded once.

    Row d of `digits` holds exp(-2 pi i k 2^(d bits) / n), 0 <= k < 2^bits, so that a product of one
    of each row is any power.
    """

    n: int
    bits: int
    digits: int
    precision: str


@dataclass(frozen=True)
class StageTwiddles:
    """Twiddles of Stockham's stages, one after the other: computed on the host, uploaded once.

    For a stage of radix R after stages whose radices have the product S they are
    exp(-2 pi i r j / (R S)), 1 <= r < R, 0 <= j < S, row by row.

    With `back` those of the stages in reverse order follow.

    A real row of odd length has one stage of radix `real_radix`, the first one, or with `real_last`
    the last one. Of each of its butterflies only the results, or points, 0 .. real_radix // 2 are
    kept, and their number is what `radices` has in its place.
    """

    radices: tuple[int, ...]
    precision: str
    back: bool = False
    real_radix: int = 0
    real_last: bool = False


@dataclass(frozen=True)
class PassTwiddles:
    """Twiddles of passes on lanes, the last pass first: computed on the host, uploaded once.

    For a pass of radix R with S points below they are exp(-2 pi i j k / (R S)), 0 <= j < S,
    1 <= k < R, row by row.
    """

    radices: tuple[int, ...]
    precision: str


@dataclass(frozen=True)
class PassSteps:
    """What passes on lanes do, for a kernel of all lengths: computed on the host, uploaded once.

    The radices, and then for each block of the last pass the row of its first result.
    """

    radices: tuple[int, ...]


@dataclass(frozen=True)
class LaneTwiddles:
    """Twiddles between rows and columns of a matrix, for lanes: computed on the host.

    They are exp(-2 pi i r c / (rows columns)), 1 <= r < rows, for each block of `lanes` columns c,
    `together` times; the last may overlap the one before. Real parts of all lanes come before their
    imaginary parts.
    """

    rows: int
    columns: int
    lanes: int
    precision: str
    together: int = 1


@dataclass(frozen=True)
class LaneRoots:
    """Roots of unity exp(-2 pi i k c / n), k < points, for lanes c: computed on the host.

    Real parts of all lanes come before their imaginary parts.
    """

    n: int
    points: int
    lanes: int
    precision: str


@dataclass(frozen=True)
class BlockRoots:
    """Roots of unity exp(-2 pi i k c / n), k < points, for the first lane c of each block."""

    n: int
    points: int
    blocks: int
    lanes: int
    precision: str


@dataclass(frozen=True)
class Chirp:
    """Bluestein's chirp exp(-pi i k^2 / n), k < n: computed on the host, uploaded once."""

    n: int
    precision: str


@dataclass(frozen=True)
class ChirpSpectrum:
    """Spectrum of the conjugate chirp, over m for the transform back: computed on the host.

    The chirp is symmetric around 0, in m points. Where a transform of m points is several steps of
    `factors`, the spectrum is in the order in which they leave it.
    """

    n: int
    factors: tuple[int, ...]
    precision: str


@dataclass(frozen=True)
class LaneChirp:
    """The chirp of n points for lanes of the columns of a matrix: computed on the host.

    Zeros fill the last vector. Real parts of all lanes come before their imaginary parts.
    """

    n: int
    lanes: int
    precision: str


@dataclass(frozen=True)
class LaneSpectrum:
    """The spectrum of a chirp for lanes of the rows of a matrix, one block of rows after the other.

    As `ChirpSpectrum`, of which the first of `factors` are the rows, a multiple of `lanes`. Real
    parts of all lanes come before their imaginary parts.
    """

    n: int
    factors: tuple[int, ...]
    lanes: int
    precision: str


@dataclass(frozen=True)
class Constants:
    """A few integers (int64), uploaded once."""

    values: tuple[int, ...]


Table = (
    Roots
    | RootSeries
    | SpinFactors
    | DigitRoots
    | StageTwiddles
    | PassTwiddles
    | PassSteps
    | LaneTwiddles
    | LaneRoots
    | BlockRoots
    | Chirp
    | ChirpSpectrum
    | LaneChirp
    | LaneSpectrum
    | Constants
)
Argument = Role | Buffer | Scalar | Vector | FirstGroup | Table


@dataclass(frozen=True)
class Pass:
    """One launch of one kernel.

    Attributes
    ----------
    kernel : str
        The kernel's name.
    source : str
        Its file in ``cl/``.
    defines : tuple of (str, str)
        What the file is compiled with.
    global_size, local_size : tuple of int
        Work-items in all and in a group; the one is a multiple of the other.
    arguments : mapping of str to Argument
        By the names of the kernel's parameters, in the kernel's order.
    reads, writes : int
        Bytes that have to be moved at least.
    leaves : int
        Bytes of the buffer that receives the result, where that is more than `writes`.
    hooks : str
        Text in hooks.cl's place, what a caller adds to the load or the store.
    step : str
        What the pass does, for people: "stage 3 of 9".
    scratch : tuple of (str, int)
        Workspace of its own beside source and target, by name, with its bytes.
    table : str
        Name of the scratch buffer that this pass fills and nobody changes later: a second pass
        alike is left out.
    aliases : bool
        The target may also be the source: each work-group reads all that it overwrites first.
    stays : bool
        A pass that aliases is better in place than from one buffer to another.
    radices : tuple of tuple of int
        Of the transforms in it, if it has any.
    groups_a_launch : int
        Work-groups of a launch, which is then one of several and has a `FirstGroup` among its
        arguments; 0 for one launch of all.
    local_bytes : int
        Of local memory that each work-group takes.
    """

    kernel: str
    source: str
    defines: tuple[tuple[str, str], ...]
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]
    arguments: Mapping[str, Argument]
    reads: int
    writes: int
    step: str = ""
    scratch: tuple[tuple[str, int], ...] = ()
    table: str = ""
    aliases: bool = False
    stays: bool = True
    leaves: int = 0
    hooks: str = ""
    radices: tuple[tuple[int, ...], ...] = ()
    groups_a_launch: int = 0
    local_bytes: int = 0

    @property
    def target_bytes(self) -> int:
        """Bytes of the buffer that receives the result."""
        return max(self.leaves, self.writes)

    @property
    def moves(self) -> bool:
        """Whether it writes to another buffer than it reads."""
        return Role.TARGET in self.arguments.values()

    def __str__(self) -> str:
        sizes = f"{_times(self.global_size)} / {_times(self.local_size)}"
        arguments = self.arguments.values()
        buffers = [argument.name for argument in arguments if isinstance(argument, Buffer)]
        return f"{self.kernel:<17} {sizes:<24} {' '.join(buffers):<11} {self.step}".rstrip()


@dataclass(frozen=True)
class Schedule:
    """Passes with their buffers assigned.

    Attributes
    ----------
    passes : tuple of Pass
        In order.
    workspace : tuple of (str, int)
        Buffers beside "in" and "out", with their bytes. They hold anything, but `COUNTERS` zeros.
    """

    passes: tuple[Pass, ...]
    workspace: tuple[tuple[str, int], ...]

    @property
    def tables(self) -> frozenset[Table]:
        """What is computed once for the passes, on the host or by spinFact."""
        return frozenset(
            argument
            for each in self.passes
            for argument in each.arguments.values()
            if isinstance(argument, Table)
        )

    @property
    def workspace_bytes(self) -> int:
        """Bytes of all workspace buffers."""
        return sum(size for _, size in self.workspace)

    def __str__(self) -> str:
        lines = [f"{number:>3} {each}" for number, each in enumerate(self.passes, 1)]
        return "\n".join([*lines, f"    workspace: {self.workspace_bytes} bytes"])


def assign_buffers(
    passes: Sequence[Pass], out_bytes: int, *, in_place: bool = False, frugal: bool = False
) -> Schedule:
    """Give every pass its buffers: results alternate so that the last one lands in "out".

    Parameters
    ----------
    passes : sequence of Pass
        With `Role` arguments. The first one must not work in place, since "in" is not ours.
    out_bytes : int
        Size of "out"; results in between use it where they fit, and workspace "a" and "b" else. 0
        where only the last pass may touch it: it has gaps that are not ours.
    in_place : bool
        "in" and "out" are the same memory, so the first result must go elsewhere, unless that pass
        `aliases`.
    frugal : bool
        Every pass that can stay in place does, so that there is less workspace.

    Returns
    -------
    Schedule

    Raises
    ------
    ValueError
        Passes that cannot be put in order so: a mistake in a solver, not of a user.
    """
    passes = without_repeated_tables(passes)
    first = next((index for index, each in enumerate(passes) if each.moves), None)
    if first is None or any(Role.DATA in each.arguments.values() for each in passes[:first]):
        raise ValueError("the first pass must be out of place")
    protected = in_place and not passes[first].aliases  # "in" must outlive the first pass
    # A pass whose target may be its source stays where it is, but the first, which has "in".
    moving = [
        index
        for index, each in enumerate(passes)
        if each.moves and (index == first or not (each.aliases and (each.stays or frugal)))
    ]
    if protected and len(moving) == 1:  # then the last such pass moves too, back to "out"
        moving += [index for index, each in enumerate(passes) if each.aliases][-1:]
    if protected and len(moving) == 1:
        raise ValueError("one pass alone cannot work in place")

    targets = {}
    later = ""  # what the next moving pass writes, and so may not read
    for index in reversed(moving):
        fits = passes[index].target_bytes == out_bytes and not (protected and index == first)
        names = ("out", "a", "b") if fits or index == moving[-1] else ("a", "b")
        targets[index] = later = next(name for name in names if name != later)

    current = "in"
    assigned = []
    sizes: dict[str, int] = {}
    for index, each in enumerate(passes):
        target = targets.get(index, current)
        buffers = {Role.SOURCE: current, Role.DATA: current, Role.TARGET: target}
        arguments = {
            name: Buffer(buffers[argument]) if isinstance(argument, Role) else argument
            for name, argument in each.arguments.items()
        }
        assigned.append(replace(each, arguments=arguments))
        current = target
        for name, size in (*each.scratch, (target, each.target_bytes)):
            if name not in ("in", "out"):
                sizes[name] = max(size, sizes.get(name, 0))
    return Schedule(tuple(assigned), tuple(sorted(sizes.items())))


def without_repeated_tables(passes: Iterable[Pass]) -> tuple[Pass, ...]:
    """Leave out passes that fill a table which an earlier one has filled already."""
    kept: list[Pass] = []
    filled = set()
    for each in passes:
        if each.table in filled:
            continue
        filled |= {each.table} - {""}
        kept.append(each)
    return tuple(kept)


def launch_size(
    items: Sequence[int], preferred: int, limits: Sequence[int], group_limit: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return (global size, local size) of a range of columns, rows, and matrices of a batch.

    The group takes as many of the `preferred` work-items as it can along the first dimension, then
    along the second, and the range is rounded up to whole groups there: kernels check their bounds.
    A third dimension is exact, and its groups are one matrix deep.

    Parameters
    ----------
    items : sequence of int
        Work-items needed along each dimension, at least 1 each.
    preferred : int
        Work-items wanted in a group: a power of two.
    limits, group_limit : sequence of int, int
        The device's limits along each dimension and for a whole group.

    Returns
    -------
    global_size, local_size : tuple of int
    """
    room = min(preferred, group_limit)
    local = []
    for count, limit in zip(items[:2], limits, strict=False):
        size = min(room, limit, 1 << (count - 1).bit_length())
        local.append(size)
        room //= size
    local += [1] * (len(items) - len(local))
    rounded = tuple(-(-count // size) * size for count, size in zip(items, local, strict=True))
    return rounded, tuple(local)


def _times(sizes: Sequence[int]) -> str:
    """Return sizes as "512x16", leaving out trailing ones."""
    shown = list(sizes)
    while len(shown) > 1 and shown[-1] == 1:
        shown.pop()
    return "x".join(map(str, shown)) if prod(shown) else "0"
