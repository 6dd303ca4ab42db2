"""Passes: what one kernel launch does, and the buffers that a sequence of passes needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod

from .arguments import Buffer, FirstGroup, Role, Scalar, Vector
from .problem import Problem
from .tables import Table

COUNTERS = "counters"  # the workspace that is zero before the first launch and after every launch
Argument = Role | Buffer | Scalar | Vector | FirstGroup | Table


@dataclass(frozen=True)
class Pass:
    """One launch of one kernel.

    Attributes
    ----------
    kernel : str
        The kernel's name.
    source : str
        The kernel's file, as a path within ``cl/``.
    defines : tuple of (str, str)
        The macros with which the file is compiled: their names and values.
    global_size, local_size : tuple of int
        The number of work-items in all and in each work-group along each dimension; the first is a
        multiple of the second.
    arguments : mapping of str to Argument
        The kernel's arguments by the names of its parameters, in the kernel's order.
    reads, writes : int
        The least number of bytes that the pass has to read and to write.
    leaves : int
        The size in bytes of the buffer that receives the result, if it is more than `writes`.
    hooks : str
        The text that stands in the place of hooks.cl: what a caller adds to the load or the store.
    step : str
        What the pass does, for people: "stage 3 of 9".
    scratch : tuple of (str, int)
        The workspace that the pass needs beside its source and target: names and bytes of buffers.
    table : str
        The name of a scratch buffer that this pass fills and that no other pass changes. A later
        pass that fills the same table is left out.
    aliases : bool
        Whether the target may also be the source, because each work-group reads everything that it
        overwrites before it writes.
    stays : bool
        Whether a pass that `aliases` runs better in place than from one buffer to another.
    radices : tuple of tuple of int
        The radices of each transform that the pass does; empty if it does none.
    groups_a_launch : int
        The most work-groups that one launch takes, where the pass is split into several launches
        and has a `FirstGroup` among its arguments; 0 where one launch takes all work-groups.
    local_bytes : int
        The local memory that each work-group takes, in bytes.
    computes : Problem, optional
        The transform that the pass computes as a whole, from its source to its target, or together
        with the passes beside it that have the same one, from the first one's source to the last
        one's target. Tests use it to run these passes in NumPy; others leave it out.

    See Also
    --------
    pyclfft.Plan : A planned transform, which consists of passes.
    pyclfft.runtime.profile.PassTime : The time that a pass took on the device.
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
    computes: Problem | None = field(default=None, compare=False, repr=False)

    @property
    def target_bytes(self) -> int:
        """The size in bytes of the buffer that receives the result."""
        return max(self.leaves, self.writes)

    @property
    def moves(self) -> bool:
        """Whether the pass has a target, so that it may write another buffer than it reads."""
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
        The passes in the order of their launches.
    workspace : tuple of (str, int)
        The names and bytes of the buffers beside "in" and "out". `COUNTERS` holds zeros at the
        beginning; what the others hold does not matter.
    """

    passes: tuple[Pass, ...]
    workspace: tuple[tuple[str, int], ...]

    @property
    def tables(self) -> frozenset[Table]:
        """The tables of the passes, which the host, or the kernel spinFact, computes once."""
        return frozenset(
            argument
            for each in self.passes
            for argument in each.arguments.values()
            if isinstance(argument, Table)
        )

    @property
    def workspace_bytes(self) -> int:
        """The number of bytes of all workspace buffers together."""
        return sum(size for _, size in self.workspace)

    def __str__(self) -> str:
        lines = [f"{number:>3} {each}" for number, each in enumerate(self.passes, 1)]
        return "\n".join([*lines, f"    workspace: {self.workspace_bytes} bytes"])


def assign_buffers(
    passes: Sequence[Pass], out_bytes: int, *, in_place: bool = False, frugal: bool = False
) -> Schedule:
    """Give every pass its buffers, alternating so that the last result lands in "out".

    Parameters
    ----------
    passes : sequence of Pass
        Passes with `Role` arguments. The first pass must not work in place, because "in" belongs to
        the caller.
    out_bytes : int
        The size of "out". A result in between takes "out" if it has exactly this size, and
        otherwise the workspace "a" or "b". Give 0 if only the last pass may touch "out", because
        "out" has gaps that belong to the caller.
    in_place : bool
        Whether "in" and "out" are the same memory. The first result must then go elsewhere, unless
        the first pass `aliases`.
    frugal : bool
        Whether every pass that can work in place does, which needs less workspace.

    Returns
    -------
    Schedule

    Raises
    ------
    ValueError
        The passes cannot be given buffers in this way. The mistake is a solver's, not a user's.
    """
    passes = without_repeated_tables(passes)
    first = next((index for index, each in enumerate(passes) if each.moves), None)
    if first is None or any(Role.DATA in each.arguments.values() for each in passes[:first]):
        raise ValueError("the first pass must be out of place")
    protected = in_place and not passes[first].aliases  # the first pass must leave "in" whole
    # A pass whose target may be its source works in place, except the first, whose source is "in".
    moving = [
        index
        for index, each in enumerate(passes)
        if each.moves and (index == first or not (each.aliases and (each.stays or frugal)))
    ]
    if protected and len(moving) == 1:  # then the last pass that aliases moves too, back to "out"
        moving += [index for index, each in enumerate(passes) if each.aliases][-1:]
    if protected and len(moving) == 1:
        raise ValueError("one pass alone cannot work in place")

    targets = {}
    later = ""  # the buffer that the next moving pass writes, and therefore may not read
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
    """Return the passes without those that fill a table which an earlier pass has filled."""
    kept: list[Pass] = []
    filled = set()
    for each in passes:
        if each.table in filled:
            continue
        filled |= {each.table} - {""}
        kept.append(each)
    return tuple(kept)


def launch_size(
    items: Sequence[int], preferred: int, limits: Sequence[int], group_limit: int, bits: int = 1
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return (global size, local size) for work-items over columns, rows and matrices of a batch.

    The group takes as many of the `preferred` work-items as it can along the first dimension, then
    along the second. Along these two the global size is rounded up to whole groups: kernels check
    their bounds. Along the third dimension it is exact, and a group is one matrix deep.

    Parameters
    ----------
    items : sequence of int
        The number of work-items needed along each dimension, at least 1.
    preferred : int
        The number of work-items wanted in a group, a power of two.
    limits, group_limit : sequence of int, int
        The most work-items that the device allows in a group along each dimension, and in all.
    bits : int
        Along a dimension with fewer than the `preferred` work-items, the size of the group is a
        power of 2^bits: the more bits, the fewer sizes there are.

    Returns
    -------
    global_size, local_size : tuple of int
    """
    room = min(preferred, group_limit)
    local = []
    for count, limit in zip(items[:2], limits, strict=False):
        size = min(room, limit, 1 << (count - 1).bit_length() // bits * bits)
        local.append(size)
        room //= size
    local += [1] * (len(items) - len(local))
    rounded = tuple(-(-count // size) * size for count, size in zip(items, local, strict=True))
    return rounded, tuple(local)


def _times(sizes: Sequence[int]) -> str:
    """Return sizes as a text like "512x16", without trailing sizes of 1."""
    shown = list(sizes)
    while len(shown) > 1 and shown[-1] == 1:
        shown.pop()
    return "x".join(map(str, shown)) if prod(shown) else "0"
