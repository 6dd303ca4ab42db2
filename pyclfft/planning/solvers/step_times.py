"""How long the launches of a long transform take on a GPU, as multiples of a copy of its points.

The four-step algorithm has many ways to split a length, and each way has launches of its own. The
tables were fitted to the times of 7,900 of these launches on an H100, of 17 lengths from 48,000 to
2^25 and of all kinds. Three things explain most of a launch's time: what it does at its two ends,
how many columns a work-group has, and in how many parts the group exchanges its points.
"""

from __future__ import annotations

from math import gcd

from ..factor import is_power_of_two
from ..precision import COMPLEX_DTYPE, REAL_DTYPE
from .stockham import LINE_BYTES, SECTOR_BYTES, GroupLaunch

LEAST_TIME = 0.95  # of any launch

# The columns of the tables: how many transforms a work-group does side by side, and in how many
# parts it exchanges their points.
SHAPES = (
    (32, 1), (16, 1), (16, 2), (16, 4), (8, 1), (8, 2), (8, 4), (4, 1), (4, 2), (4, 4),
)  # fmt: skip
# The rows: what a launch loads and stores. A spectrum is the half that real numbers need. Cosine
# transforms have hooks at their ends, which load or store each number at another place.
TIMES = {
    "single": {
        "complex": (1.01, 1.04, 1.11, 1.18, 1.20, 1.33, 1.10, 1.31, 1.35, 1.26),
        "from numbers": (1.81, 1.26, 1.44, 1.56, 1.36, 1.81, 1.38, 1.70, 1.76, 2.00),
        "to spectrum": (1.03, 1.17, 1.17, 1.14, 1.20, 1.18, 1.17, 0.96, 1.29, 1.35),
        "from spectrum": (1.10, 1.11, 1.15, 1.28, 1.23, 1.51, 1.19, 1.46, 1.47, 1.41),
        "to numbers": (1.04, 1.11, 1.14, 1.41, 1.53, 1.52, 1.49, 1.56, 1.57, 1.99),
        "hook from numbers": (1.82, 1.36, 1.55, 1.62, 1.35, 1.81, 1.48, 1.67, 1.84, 1.83),
        "to spectrum hook": (1.38, 1.41, 1.79, 1.67, 1.46, 1.66, 1.80, 1.79, 1.98, 1.89),
        "hook from spectrum": (1.49, 1.61, 2.51, 2.13, 2.06, 2.55, 2.15, 2.04, 3.03, 2.21),
        "to numbers hook": (2.08, 2.11, 2.31, 2.48, 2.21, 2.43, 2.51, 2.76, 2.94, 3.18),
    },
    "double": {
        "complex": (1.00, 1.02, 1.03, 1.03, 1.04, 1.14, 1.06, 1.03, 1.37, 1.21),
        "from numbers": (1.41, 1.18, 1.22, 1.22, 1.15, 1.35, 1.19, 1.22, 1.72, 1.80),
        "to spectrum": (0.99, 1.09, 1.10, 1.10, 1.25, 1.16, 1.31, 1.10, 1.29, 1.38),
        "from spectrum": (1.06, 1.07, 1.10, 1.10, 1.07, 1.26, 1.09, 1.10, 1.56, 1.38),
        "to numbers": (1.04, 1.08, 1.15, 1.15, 1.10, 1.45, 1.13, 1.15, 1.66, 1.54),
    },
}
# What makes a launch longer, by a share of the table's time: a third stage of a power of two; a
# large first radix, if a hook makes numbers of half a spectrum for it; a fourth stage whose points
# are exchanged in parts; two parts, unless the length is a power of two; four parts, for which an
# H200's faster memory leaves less time; groups with columns of two rows in the last step of a
# cosine transform; stores of columns, of points or of numbers, that begin within sectors of the
# cache, by the share of a run that lies in these sectors, and more if runs of complex results
# in single precision are shorter than a line of the cache; stores of rows of few points.
THIRD_STAGE = {"single": 0.13, "double": 0.0}
LARGE_FIRST, MADE_FOR_LARGE_FIRST = 32, 0.15
FOURTH_STAGE, FOUR_PARTS = 0.4, 0.05
TWO_PARTS, TWO_PARTS_OF_POWER = 0.1, -0.1
CROSSING = 0.25
POINTS_IN_SECTORS = {"single": 0.99, "double": 0.39}
SHORT_RUNS_IN_SECTORS = {"single": 0.7, "double": 0.0}
NUMBERS_IN_SECTORS = {"single": 0.69, "double": 0.29}
FEW = {"single": 0.32, "double": 0.14}
FEWEST = 40  # points of a row that are not few


def time_of(launch: GroupLaunch, first: bool) -> float:
    """Return about how long a launch takes, as a multiple of the time to copy the points once.

    Parameters
    ----------
    launch : GroupLaunch
        A launch of the four-step algorithm.
    first : bool
        Whether it reads the transform's own input.
    """
    precision, shape = launch.problem.precision, launch.group.shape
    times, what = TIMES[precision], _what(launch, first)
    row = times[what] if what in times else times[what.replace("hook", "").strip()]
    return row[_column(shape.transforms, shape.parts)] * (1 + _longer(launch, what))


def _longer(launch: GroupLaunch, what: str) -> float:
    """Return by which share a launch takes longer than its place in the tables says.

    If a hook makes numbers of half a spectrum in single precision, loads take so long that a third
    stage makes no difference, but the registers of a large first radix do.
    """
    precision, group, n = launch.problem.precision, launch.group, launch.batch.n
    stages, parts, power = len(group.stages.radices), group.shape.parts, is_power_of_two(n)
    made = (what, precision) == ("hook from spectrum", "single")
    shares = (
        (stages > 2 and power and not made, THIRD_STAGE[precision]),
        (made and group.stages.radices[0] >= LARGE_FIRST, MADE_FOR_LARGE_FIRST),
        (stages > 3 and parts > 1, FOURTH_STAGE),
        (parts == 2, TWO_PARTS_OF_POWER if power else TWO_PARTS),
        (parts == 4, FOUR_PARTS),
        (_crosses_rows(launch), CROSSING),
        (launch.batch.stores_columns, _longer_within_sectors(launch)),
        (n < FEWEST and not launch.batch.stores_columns, FEW[precision]),
    )
    return sum(share for applies, share in shares if applies)


def _what(launch: GroupLaunch, first: bool) -> str:
    """Return what a launch loads and stores: the name of a row of the tables."""
    ends, hooks, last = launch.ends, launch.problem.hooks, not launch.step.leaves
    before = "hook " if first and hooks.load and hooks.load.replaces else ""
    after = " hook" if last and hooks.store and hooks.store.replaces else ""
    if ends.source == "REAL":
        return before + "from numbers"
    if ends.target == "REAL":
        return "to numbers" + after
    if ends.fold:
        return "to spectrum" + after
    return before + "from spectrum" if ends.source == "HERMITIAN" and first else "complex"


def _column(transforms: int, parts: int) -> int:
    """Return the number of the tables' column that is nearest to a shape of work-groups."""
    if (transforms, parts) in SHAPES:
        return SHAPES.index((transforms, parts))
    return min(
        range(len(SHAPES)),
        key=lambda number: (abs(SHAPES[number][0] - transforms), abs(SHAPES[number][1] - parts)),
    )


def _crosses_rows(launch: GroupLaunch) -> bool:
    """Whether groups of a cosine transform's last step may have columns of two rows."""
    hook = launch.problem.hooks.store
    return bool(launch.ends.fold and hook and hook.replaces and not launch.group.apart)


def _longer_within_sectors(launch: GroupLaunch) -> float:
    """Return by which share a launch takes longer because its runs of columns cross sectors."""
    precision, target = launch.problem.precision, launch.ends.target
    weight = (NUMBERS_IN_SECTORS if target == "REAL" else POINTS_IN_SECTORS)[precision]
    run = launch.group.transforms * COMPLEX_DTYPE[precision].itemsize
    if target == "COMPLEX" and run < LINE_BYTES:
        weight += SHORT_RUNS_IN_SECTORS[precision]
    return weight * _within_sectors(launch)


def _within_sectors(launch: GroupLaunch) -> float:
    """Return the share of a run of columns' stores in sectors of which the run has a part only."""
    batch, group = launch.batch, launch.group
    real = launch.ends.target == "REAL"
    itemsize = (REAL_DTYPE if real else COMPLEX_DTYPE)[launch.problem.precision].itemsize
    columns = group.transforms * (2 if real and launch.ends.pair else 1)
    nearest, *others = batch.dimensions
    beside = 0 if group.apart else nearest.extent % columns
    pieces = 1 + (columns - 1) / nearest.extent if beside else 1.0
    begins = gcd(nearest.extent, columns) if beside else columns
    places = (batch.target.stride, begins, *(each.target for each in others))
    aligned = gcd(SECTOR_BYTES, *(each * itemsize for each in places))
    return pieces * (SECTOR_BYTES - aligned) / min(columns * itemsize, LINE_BYTES)
