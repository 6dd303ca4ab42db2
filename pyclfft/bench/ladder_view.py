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
FASTEST = "fastest rung"  # stands for the rung that is the fastest at a length
STEPS = (  # pairs of algorithms: from the first to the second, one thing changes
    ("ladder1", "ladder2"),
    ("ladder2", "ladder3"),
    ("ladder3", "ladder4"),
    ("ladder3", "compact"),
    ("ladder3", "radix2"),
    ("ladder4", "stockham"),
)
SHOWN = tuple(2**k for k in (6, 10, 14, 18, 22))  # lengths in short tables, beside the longest one

LEGEND = f"""\
milliseconds of one transform, median, those of the device with arrays there; GB/s: input read once
and result written once, by the {FASTEST} of the report's five; radix2 and {OUTLOOK[1]}: what the
report would have done next"""


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
        yield f"{slower} / {faster}, {_mean(results, slower, faster)}"
    for name in RUNGS:
        yield f"{name} is the {FASTEST} {_where_fastest(results, name)}"
    for report, here in claims(results).items():
        yield f"the report: {report}; here: {here}"


def _mean(results: Results, slower: str, faster: str) -> str:
    """Return the mean of slower / faster over all lengths, with its least and greatest value."""
    ratios = {points(row): speedup(row, faster, slower) for row in results.rows}
    known = {name: ratio for name, ratio in ratios.items() if isfinite(ratio)}
    extremes = [f"{known[at]:.3g} ({at})" for at in sorted(known, key=known.__getitem__)]
    mean = table.mean_of(list(ratios.values()), "lengths", None)
    return f"{mean}, {' to '.join(extremes[:1] + extremes[-1:]) or '-'}"


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
    pairs = [
        *(("fastest", FASTEST, name) for name in over),
        *((BEST, BEST, name) for name in fftws(over)),
    ]
    rows = [
        [points(row), *(table.number(speedup(row, *pair), ".3g") for _, *pair in pairs)]
        for row in results.rows
    ]
    return Table(["times as fast", *(f"{who} / {name}" for who, _, name in pairs)], rows)


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
    return "; the host: ".join(filter(None, (where["device"], where.get("host", ""))))


def _best_of_stages(results: Results) -> str:
    """Say at which lengths BEST is the fastest of the rungs that launch a kernel for each stage."""
    rivals = tuple(name for name in RUNGS if name not in (BEST, "compact"))
    return _where(results, lambda row: all(speedup(row, BEST, name) > 1 for name in rivals))


def _faster_than_fftw(name: str) -> Callable[[Results], str]:
    """Return an answer to a claim: at which lengths a rung beats FFTW, by FFTW's threads."""

    def here(results: Results) -> str:
        return _by_fftw(
            results, lambda fftw: _where(results, lambda row: speedup(row, name, fftw) > 1)
        )

    return here


def _at_most(results: Results) -> str:
    def most(fftw: str) -> str:
        ratios = {points(row): speedup(row, BEST, fftw) for row in results.rows}
        at = max(ratios, key=lambda each: ratios[each] if isfinite(ratios[each]) else 0.0)
        return f"{table.number(ratios[at], '.3g')} times, at {at} points"

    return _by_fftw(results, most)


def _by_fftw(results: Results, answer: Callable[[str], str]) -> str:
    """Return `answer` for each of FFTW's contenders, which differ in their numbers of threads."""
    answers = [f"{name}: {answer(name)}" for name in fftws(results.contenders)]
    return "; ".join(answers) or "FFTW was not measured"


def _neighbours(results: Results) -> str:
    """Say how much faster than ladder3's the stages of ladder4 are, and the whole of ladder4 is."""
    row = results.rows[-1]
    stages = table.number(stages_speedup(results, row.workload.case.points), ".3g")
    whole = table.number(speedup(row, "ladder4", BEST), ".3g")
    return f"at {points(row)} points: stages {stages} times as fast, all of it {whole} times"


def _where_fastest(results: Results, name: str) -> str:
    """Say at which lengths a rung is the fastest of the five."""
    return _where(results, lambda row: ms(row, name) == ms(row, FASTEST))


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
    Claim("measured on a GeForce GTX 1650; the host: a Ryzen 5 5600H", _machine),
    Claim(
        "ladder2 is no big improvement on ladder1",
        lambda results: f"ladder1 / ladder2: {_mean(results, 'ladder1', 'ladder2')}",
    ),
    Claim("ladder3 is the best with a launch for each stage", _best_of_stages),
    Claim("ladder3 beats FFTW from 2^14 points on", _faster_than_fftw(BEST)),
    Claim("ladder3 has at most 3 times the speed of FFTW", _at_most),
    Claim("ladder4 has faster stages; the extra passes eat the gain", _neighbours),
    Claim(
        "compact wins below 2^6 and up to 2^10 points (of the five)",
        lambda results: _where_fastest(results, "compact"),
    ),
    Claim(
        "compact wins below 2^6 and up to 2^10 points (beside FFTW)",
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
