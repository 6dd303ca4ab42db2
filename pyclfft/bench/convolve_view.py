"""How the results of ``bench convolve`` are shown: legends, tables, Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import nan

from . import render
from .convolve_cases import IR, SWEEPS, Case
from .convolve_claims import CLAIMS, HARDWARE, TARGETS, beside_results
from .convolve_contenders import BOUND, HOST, OURS, Entry
from .convolve_sweeps import OUR_AUTO, Point, Results
from .render import Part, Table
from .runner import WRONG
from .table import mean_speed, number

EXTRAPOLATED = "~"  # before a time that was scaled from that of a shorter signal

LEGEND = (
    "Each time is the median in milliseconds of one call; its inputs and its result are arrays of "
    f"float32. The contenders take turns, each with a few calls after a pause. {EXTRAPOLATED} "
    "before a time says that one call would have taken longer than the limit: the contender was "
    "measured on a shorter signal, and the time was scaled by the signals' lengths. A dash "
    f"means that the contender did not take part. {WRONG} stands beside a result of {OURS} whose "
    f"relative error against sums in double precision is above {BOUND:g}. SciPy's transforms have "
    "a worker for each core, and its direct sums run on one core."
)


def parts(results: Results) -> Iterator[Part]:
    """Yield all paragraphs and tables."""
    yield LEGEND
    yield from times(results)
    yield from absent(results.points)
    yield (
        "The next table shows which method auto takes, and how many milliseconds each method of "
        "pyclfft takes from NumPy to NumPy: as the cost model expects, and as measured. The model "
        "counts the processor time of all cores together, without the transfers to the device "
        "and back."
    )
    yield costs_table(results.points)
    yield f"The thesis compares {HARDWARE}. These are its claims, with what was measured here:"
    yield from beside_results(CLAIMS, results)
    yield "These are our targets, with what was measured here:"
    yield from beside_results(TARGETS, results)
    yield from summary(results)


def times(results: Results) -> Iterator[Part]:
    """Yield the times of each sweep, with a table for each room."""
    for sweep, what in SWEEPS.items():
        points = results.of(sweep)
        for room in dict.fromkeys(point.case.room for point in points if sweep == IR):
            yield f"Times for {what}, {room}:"
            yield times_table(results.of(sweep, room))
        if points and sweep != IR:
            yield f"Times for {what}:"
            yield times_table(points)


def times_table(points: Sequence[Point]) -> Table:
    """Return the times of all contenders that were measured at any point."""
    present = dict.fromkeys(
        (each.name, each.where) for point in points for each in point.entries if not each.word
    )
    rows = [
        [f"{name}, {where}", *(_time(point.entry(name, where)) for point in points)]
        for name, where in present
    ]
    return Table(["ms", *(_heading(point.case) for point in points)], rows)


def _heading(case: Case) -> str:
    """Return the name of a case without the room, which stands above the table."""
    return case.name.removeprefix(f"{case.room}, ")


def _time(entry: Entry | None) -> str:
    if entry is None or entry.word:
        return entry.word if entry else "-"
    text = f"{EXTRAPOLATED * entry.extrapolated}{entry.ms.median:.4g}"
    return f"{text} {WRONG}" if entry.wrong else text


def absent(points: Sequence[Point]) -> Iterator[str]:
    """Yield who did not take part, and why."""
    reasons = {
        f"{each.name} ({each.where}): {each.reason}"
        for point in points
        for each in point.entries
        if each.word
    }
    if reasons:
        yield f"Not measured: {'; '.join(sorted(reasons))}."


def costs_table(points: Sequence[Point]) -> Table:
    """Return the method that "auto" takes, and expected beside measured times."""
    methods = list(dict.fromkeys(method for point in points for method in point.expected_ms))
    headings = ["case", "auto takes", "quickest"]
    for method in methods:
        headings += [f"{method}: expected", "measured"]
    return Table(headings, [_cost_row(point, methods) for point in points])


def _cost_row(point: Point, methods: Sequence[str]) -> list[str]:
    row = [point.case.name, point.auto, quickest(point) or "-"]
    for method in methods:
        row += [
            number(point.expected_ms.get(method, nan), ".4g"),
            _time(point.entry(f"{OURS} {method}")) if method in point.expected_ms else "-",
        ]
    return row


def quickest(point: Point) -> str:
    """Return the method of pyclfft that was quickest from NumPy to NumPy; "" if none was measured.

    Methods that the cost model leaves out are other methods under another name.
    """
    times = {method: point.ms(f"{OURS} {method}") for method in point.expected_ms}
    known = {method: ms for method, ms in times.items() if ms > 0}
    return min(known, key=known.__getitem__, default="")


def summary(results: Results) -> Iterator[str]:
    """Say how many times as fast as each rival pyclfft's method "auto" is, from NumPy to NumPy."""
    rivals = dict.fromkeys(
        each.name
        for point in results.points
        for each in point.entries
        if not each.ours and each.where == HOST
    )
    for name in rivals:
        ratios = [point.ms(name) / point.ms(OUR_AUTO) for point in results.points]
        yield f"{mean_speed(OUR_AUTO, name, ratios, 'cases')}."


def as_text(results: Results) -> str:
    """Return all tables and paragraphs as lines of text."""
    return render.text_of(parts(results))


def as_markdown(results: Results) -> str:
    """Return all tables and paragraphs as a page of Markdown."""
    return render.page_of("Convolution", results.environment, parts(results))
