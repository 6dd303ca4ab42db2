"""Which measured parameters a device and a problem get: a pure look-up that the planner asks.

What was measured on a device more like this one replaces what was measured on one less like it.
From the least to the most specific: the default, a device of the same vendor and type, one of the
same architecture, the same device, and what the user has measured here.

References
----------
C. Nugteren, "CLBlast: a tuned OpenCL BLAS library", IWOCL 2018, for the order of fallbacks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from .parameters import GIVEN, Parameters, Values, brief, parameters_for
from .problem import COMPLEX_DTYPE, KINDS, Problem
from .traits import Traits


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
