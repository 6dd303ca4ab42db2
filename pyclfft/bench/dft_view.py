"""How the results of ``bench dft`` are shown: tables, a report's figures beside ours, Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import inf, isnan, nan
from typing import NamedTuple

from ..distributed.direct_plans import GLOBAL, LOCAL, TILED
from ..distributed.rank_times import TOTAL
from ..distributed.ranked_dft import STEPS
from . import render
from .dft_sweeps import (
    BOUND,
    FFT,
    GROUPS,
    LENGTHS,
    RANKS,
    SEQUENTIAL,
    SWEEPS,
    WAIT,
    Entry,
    Results,
)
from .render import Part, Table
from .runner import WRONG
from .table import listed

SCALED = "~"  # before a time that was scaled from that of fewer samples
HARDWARE = "an i5-4670K at 4.3 GHz with 4 threads and on a GTX 970"
PUBLISHED_S = {"sequential": 24.0, "MPI": 2.0, "GPU": 1.0}  # of 20,000 samples, in seconds
PUBLISHED_POINTS = 20_000
MPI_IS_AHEAD_BELOW = 5000  # samples, the report says

LEGEND = (
    "A time is the number of milliseconds from real samples of float64 on the host to the bins 0 "
    "to N / 2 on the host. The table by the number of samples shows medians; the "
    "others show means over ranks and repeats. "
    f"{SCALED} before a time says that one transform would have taken longer than the limit: the "
    "benchmark measured fewer samples and multiplied their time by the square of the ratio. A dash "
    "means that the contender did not take part. "
    f"{WRONG} stands beside a result whose relative error is above {BOUND:g}. sequential is a "
    "loop on the host, compiled by Numba, on one core; global, local and tiled are kernels on the "
    "device; fft is the fast Fourier transform on the device. Ranks that share a CPU have shares "
    "of its cores."
)


def parts(results: Results) -> Iterator[Part]:
    """Yield all paragraphs and tables."""
    yield LEGEND
    for sweep, what in SWEEPS.items():
        if results.of(sweep):
            yield f"{what[0].upper()}{what[1:]}:"
            yield TABLES[sweep](results)
    yield from absent(results)
    if results.of(GROUPS) and all(isnan(each.occupancy) for each in results.of(GROUPS)):
        yield (
            "The occupancy is not known, because this is no GPU of NVIDIA: other runtimes tell "
            "neither how many work-items a unit can hold nor how many registers a kernel takes."
        )
    yield f"The report measured on {HARDWARE}. This table shows its figures beside ours:"
    yield beside_the_report(results)


# --- tables ---------------------------------------------------------------------------------------


def lengths_table(results: Results) -> Table:
    """Return the total times by contender and number of samples."""
    entries = results.of(LENGTHS)
    points = sorted({each.job.points for each in entries})
    rows = []
    for name in dict.fromkeys(each.job.name for each in entries):
        own = {each.job.points: each for each in entries if each.job.name == name}
        rows.append([name, *(_time(own.get(n)) for n in points)])
    return Table(["ms", *(f"{n:,}" for n in points)], rows)


def ranks_table(results: Results) -> Table:
    """Return the parts of the time by variant and number of ranks."""
    entries = results.of(RANKS)
    shown = [*STEPS, WAIT, TOTAL]
    headings = [f"{entries[0].job.points:,} samples", *shown, "1 rank / this"]
    rows = []
    for each in entries:
        alone = results.of(RANKS, variant=each.job.variant, ranks=1)
        gain = alone[0].parts.get(TOTAL, nan) / each.parts.get(TOTAL, nan) if alone else nan
        rows.append([_marked(each, each.job.name), *_parts(each, shown), _number(gain, ".2f")])
    return Table(headings, rows)


def groups_table(results: Results) -> Table:
    """Return the parts of the time by kernel and work-items a group."""
    entries = results.of(GROUPS)
    shown = [*(step for step in STEPS if step not in ("broadcast", "gather")), TOTAL]
    headings = [f"{entries[0].job.points:,} samples", *shown, "occupancy"]
    rows = [
        [
            _marked(each, f"{each.job.variant}, groups of {each.job.group}"), *_parts(each, shown),
            _number(each.occupancy, ".0%"),
        ]
        for each in entries
    ]  # fmt: skip
    return Table(headings, rows)


TABLES: dict[str, Callable[[Results], Table]] = {
    LENGTHS: lengths_table,
    RANKS: ranks_table,
    GROUPS: groups_table,
}


def _marked(entry: Entry, name: str) -> str:
    return f"{name} {WRONG}" if entry.wrong else name


def _parts(entry: Entry, steps: Sequence[str]) -> list[str]:
    return [_number(entry.parts.get(step, nan), ".4g") for step in steps]


def _time(entry: Entry | None) -> str:
    if entry is None or entry.reason:
        return "-"
    text = f"{SCALED * entry.scaled}{entry.ms.median:.4g}"
    return f"{text} {WRONG}" if entry.wrong else text


def _number(value: float, form: str) -> str:
    return "-" if isnan(value) else f"{value:{form}}"


def absent(results: Results) -> Iterator[str]:
    """Yield who did not take part, with how many samples, and why with the fewest of them."""
    reasons: dict[str, dict[int, str]] = {}
    for entries in results.entries.values():
        for each in entries:
            if each.reason:
                reasons.setdefault(each.job.name, {})[each.job.points] = each.reason
    for name, by_points in sorted(reasons.items()):
        fewest = min(by_points)
        numbers = listed([f"{points:,}" for points in sorted(by_points)])
        yield (
            f"Not measured: {name} with {numbers} samples. The reason, for {fewest:,} samples: "
            f"{by_points[fewest]}."
        )


# --- beside the report ----------------------------------------------------------------------------


class Claim(NamedTuple):
    """A figure of the report.

    Attributes
    ----------
    text : str
        What it is about.
    published : str
        What the report says.
    answer : callable
        Takes the results; returns what was measured, or "" if that was left out.
    """

    text: str
    published: str
    answer: Callable[[Results], str]


def beside_the_report(results: Results) -> Table:
    """Return the report's figures beside what was measured."""
    rows = [[each.text, each.published, each.answer(results) or "-"] for each in CLAIMS]
    return Table([f"{PUBLISHED_POINTS:,} samples", "report", "here"], rows)


def ranks_at(results: Results, variant: str) -> dict[int, float]:
    """Return a variant's milliseconds by ranks, of as many samples as the report measures."""
    found: dict[int, float] = {}
    for sweep in (LENGTHS, RANKS):
        for each in results.of(sweep, variant=variant, points=PUBLISHED_POINTS):
            if each.job.ranks and not each.reason:
                found[each.job.ranks] = min(found.get(each.job.ranks, inf), each.ms.median)
    return found


def _alone(variant: str) -> Callable[[Results], str]:
    def answer(results: Results) -> str:
        ms = results.ms(LENGTHS, variant=variant, points=PUBLISHED_POINTS, ranks=0)
        return "" if isnan(ms) else f"{ms / 1e3:.3g} s"

    return answer


def _best_ranks(variant: str) -> Callable[[Results], str]:
    def answer(results: Results) -> str:
        known = ranks_at(results, variant)
        if not known:
            return ""
        best = min(known, key=known.__getitem__)
        return f"{known[best] / 1e3:.3g} s with {best} ranks"

    return answer


def _gain(results: Results) -> str:
    known = ranks_at(results, SEQUENTIAL)
    alone = results.ms(LENGTHS, variant=SEQUENTIAL, points=PUBLISHED_POINTS, ranks=0)
    if not known or isnan(alone):
        return ""
    return f"{alone / min(known.values()):.2g} times, on {results.threads} hardware threads"


def _optimum(results: Results) -> str:
    known = {
        each.job.ranks: each.ms.median
        for each in results.of(RANKS, variant=SEQUENTIAL)
        if not each.reason
    }
    if not known:
        return ""
    best = min(known, key=known.__getitem__)
    return f"{best} ranks, {best / results.threads:.2g} times the hardware threads"


def _crossing(results: Results) -> str:
    """Return for which numbers of samples the sequential loop over ranks beats the kernel."""
    most = max((each.job.ranks for each in results.of(LENGTHS, variant=SEQUENTIAL)), default=0)
    points = sorted({each.job.points for each in results.of(LENGTHS)})
    ahead = [
        n
        for n in points
        if results.ms(LENGTHS, variant=SEQUENTIAL, points=n, ranks=most)
        < results.ms(LENGTHS, variant=GLOBAL, points=n, ranks=0)
    ]
    if not most:
        return ""
    return f"{most} ranks are ahead at {', '.join(f'{n:,}' for n in ahead) or 'no length'}"


CLAIMS = (
    Claim("sequential loop", "24 s", _alone(SEQUENTIAL)),
    Claim("the loop over MPI's ranks", "2 s", _best_ranks(SEQUENTIAL)),
    Claim("on the GPU; here global, on the device", "1 s", _alone(GLOBAL)),
    Claim("the whole input in local memory", "slower than global", _alone(LOCAL)),
    Claim("tiled, on the device", "-", _alone(TILED)),
    Claim("tiled, over MPI's ranks", "-", _best_ranks(TILED)),
    Claim("fast Fourier transform, on the device", "-", _alone(FFT)),
    Claim("MPI's ranks over the sequential loop", "5 to 10 times", _gain),
    Claim("best number of ranks", "twice the hardware threads", _optimum),
    Claim(
        "the loop over MPI's ranks ahead of the GPU",
        f"below {MPI_IS_AHEAD_BELOW:,} samples",
        _crossing,
    ),
)


def as_text(results: Results) -> str:
    """Return all tables and paragraphs as lines of text."""
    return render.text_of(parts(results))


def as_markdown(results: Results) -> str:
    """Return all tables and paragraphs as a page of Markdown."""
    return render.page_of("The direct transform in parallel", results.environment, parts(results))
