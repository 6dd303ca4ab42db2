"""What ``bench ladder`` shows: times, what each step buys, and the claims of a course's report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import isfinite, nan
from typing import Any

from ..planning.solvers.textbook import ladder
from . import table
from .cases import size_name
from .kernels import KernelTime
from .render import Results, Table, View
from .rivals import FFTW
from .runner import Outcome, Row
from .table import Column

RUNGS = tuple(solver.name for solver in ladder.SOLVERS)
OUTLOOK = ("radix2", "stockham")  # the algorithms that the report would have tried next
BEST = "ladder3"  # by the report the best of the rungs that launch a kernel for each stage
FASTEST = "the fastest rung"  # stands for the rung that is the fastest at a length
STEPS = (  # pairs of algorithms: from the first to the second, one thing changes
    ("ladder1", "ladder2"),
    ("ladder2", "ladder3"),
    ("ladder3", "ladder4"),
    ("ladder3", "compact"),
    ("ladder3", "radix2"),
    ("ladder4", "stockham"),
)
CLAIMED = "the report says: "  # begins a line about one of the report's claims
SHOWN = tuple(2**k for k in (6, 10, 14, 18, 22))  # lengths in short tables, beside the longest one

LEGEND = """\
Each time is the median of the milliseconds that one transform takes.
ladder1, ladder2, ladder3, ladder4 and compact are the five rungs: versions of a radix-2 transform
in a course's report on OpenCL. The report would have tried radix2 and stockham next.
The column "pyclfft" is the algorithm that pyclfft chooses by itself.
These eight run on the device, with arrays on the device; all others run on the host's processor.
"GB/s" is the rate of the fastest rung, as if it read the input once and wrote the result once."""


# --- figures --------------------------------------------------------------------------------------


def ms(row: Row, name: str) -> float:
    """Return the time of a contender, or for FASTEST the rungs' least; NaN if there is none."""
    names = RUNGS if name == FASTEST else (name,)
    times = [each.ms.median for each in row.outcomes if each.contender in names]
    return min(filter(isfinite, times), default=nan)


def gb_per_s(row: Row, name: str) -> float:
    """Return a contender's effective bandwidth: input read once and result written once."""
    return row.workload.nbytes / ms(row, name) / 1e6


def speedup(row: Row, name: str, over: str) -> float:
    """Return the time of the contender `over` divided by that of the contender `name`."""
    return ms(row, over) / ms(row, name)


def others(contenders: Sequence[str]) -> list[str]:
    """Return the names of the contenders with which the ladder is compared."""
    return [name for name in contenders if name not in (*RUNGS, *OUTLOOK)]


def fftws(contenders: Sequence[str]) -> list[str]:
    """Return the names of FFTW's contenders, which differ in their numbers of threads."""
    return [name for name in contenders if name.startswith(FFTW.name)]


def points(row: Row) -> str:
    """Return the length of a row's transform as text."""
    return size_name(row.workload.case.lengths)


def shown_rows(results: Results) -> list[Row]:
    """Return the rows whose lengths short tables show."""
    return [
        row
        for row in results.rows
        if row.workload.case.points in (*SHOWN, results.rows[-1].workload.case.points)
    ]


def stage_kernel(algorithm: str) -> str:
    """Return the name of the kernel by which an algorithm computes its stages."""
    return {"radix2": "butterfly"}.get(algorithm, algorithm)


def stages_speedup(results: Results, length: int) -> float:
    """Return the time of all stages of ladder3 divided by that of ladder4's, by events."""
    taken = {
        each.kernel: each.ms.median
        for each in results.kernels
        if each.points == length and each.kernel == stage_kernel(each.algorithm)
    }
    return taken.get("ladder3", nan) / taken.get("ladder4", nan)


# --- the table of the cases -----------------------------------------------------------------------


def columns(results: Results) -> tuple[Column, ...]:
    """Return the columns: the time of every contender, and the bandwidth of the fastest rung."""
    return (
        Column("points", 6, points),
        *(_time(n, name) for n, name in enumerate(results.contenders)),
        Column("GB/s", 6, lambda row: table.number(gb_per_s(row, FASTEST), ".3g")),
    )


def _time(n: int, name: str) -> Column:
    return Column(name, max(8, len(name)), lambda row: table.time(row.outcomes[n]))


def summary(results: Results) -> Iterator[str]:
    """Yield what each step buys, which rung wins where, and the report's claims with answers."""
    steps = (*STEPS, *((name, FASTEST) for name in others(results.contenders)))
    for slower, faster in steps:
        yield _mean_speed(results, faster, slower)
    for name in RUNGS:
        yield _where_fastest(results, name)
    for report, here in claims(results).items():
        yield f"{CLAIMED}{report}; measured here: {here}"


def _mean_speed(results: Results, name: str, over: str) -> str:
    """Say how many times as fast `name` is as `over`: the mean over all lengths, and extremes."""
    ratios = {points(row): speedup(row, name, over) for row in results.rows}
    known = sorted(filter(lambda at: isfinite(ratios[at]), ratios), key=ratios.__getitem__)
    extremes = [f"{ratios[at]:.3g} times at {at} points" for at in (*known[:1], *known[-1:])]
    note = f"from {' to '.join(extremes)}"
    return table.mean_speed(name, over, list(ratios.values()), "lengths", note)


def figures(row: Row, outcome: Outcome) -> dict[str, Any]:
    """Return an outcome's bandwidth, and its speed divided by that of each baseline."""
    name = outcome.contender
    over = others([each.contender for each in row.outcomes])
    return {
        "gb_per_s": gb_per_s(row, name),
        "speedup": {other: speedup(row, name, other) for other in over},
    }


# --- the other tables -----------------------------------------------------------------------------


def tables(results: Results) -> Iterator[Table]:
    """Yield the table of speed-ups by length, and that of single kernels if they were measured."""
    yield speedups_table(results)
    if results.kernels:
        yield kernels_table(results)


def speedups_table(results: Results) -> Table:
    """Return the table of speed-ups: the fastest rung's over all baselines, BEST's over FFTW's."""
    over = others(results.contenders)
    pairs = [*((FASTEST, name) for name in over), *((BEST, name) for name in fftws(over))]
    rows = [
        [points(row), *(table.number(speedup(row, *pair), ".3g") for pair in pairs)]
        for row in results.rows
    ]
    headings = [" / ".join(pair).removeprefix("the ") for pair in pairs]
    return Table(["points: speed / speed", *headings], rows)


def kernels_table(results: Results) -> Table:
    """Return the table of every kernel's milliseconds, at the lengths of short tables."""
    lengths = [row.workload.case.points for row in shown_rows(results)]
    found: dict[tuple[str, str], dict[int, KernelTime]] = {}
    for each in results.kernels:
        found.setdefault((each.algorithm, each.kernel), {})[each.points] = each
    rows = [
        [
            f"{algorithm}: {kernel}",
            *(
                table.number(by_length[n].ms.median, ".3g") if n in by_length else "-"
                for n in lengths
            ),
        ]
        for (algorithm, kernel), by_length in found.items()
    ]
    return Table(
        ["kernel alone, ms of all its launches", *(size_name((n,)) for n in lengths)], rows
    )


@dataclass(frozen=True)
class Claim:
    """A claim of the report, and how to find what was measured here in its place.

    Attributes
    ----------
    report : str
        The report's claim, in our words.
    here : callable
        Takes the results; returns as text what they say about the claim.
    """

    report: str
    here: Callable[[Results], str]


def claims(results: Results) -> dict[str, str]:
    """Return the report's machine and claims, each with what was measured here."""
    return {claim.report: claim.here(results) for claim in CLAIMS}


def _machine(results: Results) -> str:
    where = results.environment
    host = f", and its host {where['host']}" if where.get("host") else ""
    return f"the device is {where['device']}{host}"


def _best_of_stages(results: Results) -> str:
    """Say at which lengths BEST is the fastest of the rungs that launch a kernel for each stage."""
    rivals = tuple(name for name in RUNGS if name not in (BEST, "compact"))
    where = _where(results, lambda row: all(speedup(row, BEST, name) > 1 for name in rivals))
    return f"{BEST} is faster than {', '.join(rivals[:-1])} and {rivals[-1]} {where}"


def _faster_than_fftw(name: str) -> Callable[[Results], str]:
    """Return an answer to a claim: at which lengths a rung beats FFTW, by FFTW's threads."""

    def answer(results: Results, fftw: str) -> str:
        where = _where(results, lambda row: speedup(row, name, fftw) > 1)
        return f"{name} is faster than {fftw} {where}"

    return lambda results: _by_fftw(results, answer)


def _at_most(results: Results) -> str:
    """Say how many times as fast as FFTW the rung BEST is at most, by FFTW's threads."""
    return _by_fftw(results, _most)


def _most(results: Results, fftw: str) -> str:
    ratios = {points(row): speedup(row, BEST, fftw) for row in results.rows}
    at = max(ratios, key=lambda each: ratios[each] if isfinite(ratios[each]) else 0.0)
    most = table.number(ratios[at], ".3g")
    return f"{BEST} is at most {most} times as fast as {fftw}, at {at} points"


def _by_fftw(results: Results, answer: Callable[[Results, str], str]) -> str:
    """Return `answer` for each of FFTW's contenders, which differ in their numbers of threads."""
    answers = [answer(results, name) for name in fftws(results.contenders)]
    return "; ".join(answers) or "FFTW was not measured"


def _neighbours(results: Results) -> str:
    """Compare the stages of ladder4 with those of ladder3, and then the whole transforms."""
    row = results.rows[-1]
    stages = table.number(stages_speedup(results, row.workload.case.points), ".3g")
    whole = table.number(speedup(row, "ladder4", BEST), ".3g")
    return (
        f"at {points(row)} points, ladder4 computes the stages {stages} times as fast as {BEST}, "
        f"and the whole transform {whole} times as fast"
    )


def _where_fastest(results: Results, name: str) -> str:
    """Say at which lengths a rung is the fastest of the five."""
    return f"{name} is {FASTEST} {_where(results, lambda row: ms(row, name) == ms(row, FASTEST))}"


def _where(results: Results, holds: Callable[[Row], bool]) -> str:
    """Say at which lengths `holds` is true; runs of neighbouring lengths are joined."""
    runs = []
    for true, run in groupby(results.rows, holds):
        names = [points(row) for row in run]
        if true:
            runs.append(names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}")
    return f"at {table.listed(runs)} points" if runs else "at no length"


# The report's machine and its conclusions, in our words.
CLAIMS = (
    Claim("the device was a GeForce GTX 1650, and its host a Ryzen 5 5600H", _machine),
    Claim(
        "ladder2 is no big improvement on ladder1",
        lambda results: _mean_speed(results, "ladder2", "ladder1"),
    ),
    Claim("ladder3 is the best rung that launches a kernel for each stage", _best_of_stages),
    Claim("ladder3 is faster than FFTW from 2^14 points on", _faster_than_fftw(BEST)),
    Claim("ladder3 is at most 3 times as fast as FFTW", _at_most),
    Claim("ladder4 gains time in its stages and loses it in its additional passes", _neighbours),
    Claim(
        "compact wins below 2^6 and up to 2^10 points, which may mean: against the other rungs",
        lambda results: _where_fastest(results, "compact"),
    ),
    Claim(
        "compact wins below 2^6 and up to 2^10 points, which may mean: against FFTW",
        _faster_than_fftw("compact"),
    ),
)

VIEW = View(
    columns,
    LEGEND,
    summary,
    scope="One transform at a time of up to {:,} points",
    figures=figures,
    tables=tables,
)
