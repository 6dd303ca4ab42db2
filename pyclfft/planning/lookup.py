"""The look-up of tuned parameters for a device and a problem, without any OpenCL.

The more the device of a measurement resembles this one, the more its values count. From the least
to the most specific, these origins replace each other: the default, a device of the same vendor and
type, a device of the same architecture, the same device, and the user's own measurements.

References
----------
C. Nugteren, "CLBlast: a tuned OpenCL BLAS library", IWOCL 2018, for the order of fallbacks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log2, prod

from .parameters import GIVEN, Parameters, Values, brief, parameters_for
from .precision import COMPLEX_DTYPE
from .problem import KINDS, Problem
from .traits import Traits


@dataclass(frozen=True)
class Identity:
    """What identifies a device, from the most specific to the most general.

    Attributes
    ----------
    platform, name, driver : str
        The names of the platform and of the device, and the version of the driver, as the runtime
        gives them.
    architecture : str
        For example ``"sm_90"``; for a CPU the runtime and the width of the vectors that it uses.
    vendor : str
        The vendor of a GPU; for a CPU the vendor of the runtime.
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
        """Return what this device has in common with another one: a key of `ALIKE`, or ""."""
        return next((name for name, alike in ALIKE.items() if alike(self, other)), "")


# Whether two devices are alike, from the most specific to the least specific test.
ALIKE = {
    "device": lambda a, b: (a.platform, a.name) == (b.platform, b.name),
    "architecture": lambda a, b: (
        a.architecture != "" and (a.vendor, a.architecture) == (b.vendor, b.architecture)
    ),
    "vendor": lambda a, b: (a.vendor, a.type) == (b.vendor, b.type),
}
USER = "user"
ORIGINS = (GIVEN, USER, *ALIKE)


LAYOUTS = ROWS, COLUMNS = "rows", "columns"  # the layouts of a class of problems

# What is built on transforms has classes of its own. Their lengths are: the points of a frame and
# the samples from one to the next; the sides of an image's transform; the extents of the longer
# input, and those of the other one. Behind "filter-" stands the scale of the results, and behind
# "convolve-" the part of the result that is wanted.
FRAMES = STFT, ISTFT = "stft", "istft"
FILTERS = tuple(f"filter-{scale}" for scale in ("none", "clip", "max", "stretch"))
CONVOLUTIONS = tuple(f"convolve-{mode}" for mode in ("full", "same", "valid"))
PRODUCTS = (*FRAMES, *FILTERS, *CONVOLUTIONS)


@dataclass(frozen=True)
class Workclass:
    """A class of problems that share their tuned parameters.

    Attributes
    ----------
    kind, precision : str
        The kind and the precision of the problems. Direction and scale make no difference.
    lengths : tuple of int
        The lengths along the transformed axes, or those that `PRODUCTS` have.
    layout : str
        ``"rows"`` if the array's last axis is transformed, ``"columns"`` otherwise. Those of frames
        are ``"columns"`` if the frames of a bin are neighbours in memory.
    batch : int
        The logarithm to base 2 of the number of transforms, rounded down.
    algorithm : str
        The only solver that may be used; empty if the planner chooses.
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
        """Return the class of a problem; `algorithm` is the only solver that may be used."""
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
        """Return the class whose `str` is the text.

        Raises
        ------
        ValueError
            The text is not the `str` of a class.
        """
        try:
            kind, precision, lengths, layout, batch, *by = text.split()
            points = tuple(int(each) for each in lengths.split("x"))
            found = cls(kind, precision, points, layout, int(batch[2:]), "".join(by[1:]))
        except ValueError:
            found = None
        # A number can be written in several ways; only the way of `str` is accepted.
        if found is None or str(found) != text or not found._is_possible():
            raise ValueError(f"{brief(text)} names no class of problems")
        return found

    def _is_possible(self) -> bool:
        """Whether a problem of this class can exist."""
        return (
            self.kind in (*KINDS, *PRODUCTS)
            and self.precision in COMPLEX_DTYPE
            and min(self.lengths) > 0
            and self.layout in LAYOUTS
            and self.batch >= 0
            and self.algorithm.isprintable()
        )

    def distance(self, other: Workclass) -> int | None:
        """Return by how many powers of two the batches of two classes differ.

        The samples between frames, and the extents of convolved inputs, may differ like batches. If
        the classes differ in anything else, the result is None.
        """
        fixed = self._fixed
        if replace(self, batch=0, lengths=()) != replace(other, batch=0, lengths=()):
            return None
        if len(self.lengths) != len(other.lengths) or self.lengths[:fixed] != other.lengths[:fixed]:
            return None
        pairs = zip(self.lengths[fixed:], other.lengths[fixed:], strict=True)
        return abs(self.batch - other.batch) + sum(round(abs(log2(a / b))) for a, b in pairs)

    @property
    def _fixed(self) -> int:
        """How many lengths two classes must share to have a distance."""
        if self.kind in CONVOLUTIONS:
            return 0
        return 1 if self.kind in FRAMES else len(self.lengths)


MOST_DISTANT = 2  # batches from a quarter to four times as large have the same best parameters
Workclasses = tuple[Workclass, ...]


@dataclass(frozen=True)
class Entry:
    """The parameters that were found to be best for a class of problems on a device.

    Attributes
    ----------
    identity : Identity
        The device on which they were measured.
    workclass : Workclass or None
        The class of problems; None if they are for all problems that have no better entry.
    values : mapping
        The parameters whose values are not the default, by name.
    sources : str
        The hash of the kernels that were measured.
    ms, default_ms : float
        The time of one transform in milliseconds, with these parameters and with the defaults; both
        were measured in turns.
    date, effort : str
        When the parameters were measured, and with which effort.
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
    workclasses: Workclasses,
    identity: Identity,
    traits: Traits,
    shipped: Iterable[Entry] = (),
    user: Iterable[Entry] = (),
    sources: str = "",
) -> Parameters:
    """Return the parameters of a problem on a device.

    Parameters
    ----------
    workclasses : tuple of Workclass
        The classes of the problem, of which the first one with an entry counts: that of an image
        filter stands before that of its transform. Without any, the parameters are those that are
        the same for all problems.
    identity, traits : Identity, Traits
        The identity and the traits of the device.
    shipped : iterable of Entry
        The entries that come with pyclfft, measured on this device or on others.
    user : iterable of Entry
        The user's own entries. They count only if they were measured on this device with this
        driver and these kernels; otherwise they may be worse than the default.
    sources : str
        The hash of the kernels that are in use now.

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
    for workclass in workclasses:
        origin, closest = _closest(by_origin, workclass)
        if closest:
            return found.over(closest.values, origin)
    return found


def _closest(
    by_origin: Mapping[str, Sequence[Entry]], workclass: Workclass
) -> tuple[str, Entry | None]:
    """Return the origin and the entry for the most similar batch, or "" and None if there is none.

    If several entries are equally similar, the one with the most specific origin counts. Entries of
    devices that have only the vendor in common do not count, because their best parameters for a
    single problem say little about this device. Neither do factors of another device: they say how
    often the points go through its memory, whose speed devices of one architecture do not share.
    With an H200's three launches, an H100 took 1.2 times as long for 2^23 points.
    """
    near = [
        (distance, ORIGINS.index(origin), number, origin, each)
        for origin in (USER, "device", "architecture")
        for number, each in enumerate(by_origin.get(origin, ()))
        if each.workclass and not (origin == "architecture" and "factors" in each.values)
        if (distance := workclass.distance(each.workclass)) is not None
        if distance <= MOST_DISTANT
    ]
    if not near:
        return "", None
    *_, origin, entry = min(near, key=lambda found: found[:3])
    return origin, entry
