"""How measurements are shown: as lines and tables of text, as Markdown and as JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any, NamedTuple

from .. import commandline
from ..files import atomic_write
from .calls import CallCost
from .cases import GROUPS, REAL_KINDS, Case
from .crossing import CallTimes, crossing
from .kernels import KernelTime
from .numpy_calls import NumpyTimes
from .rivals import CuFFT, Ours, OursInSteps, OursOnHost
from .runner import FAILED, WRONG, CopyRate, Outcome, Row, Settings
from .startup import Startup
from .table import Column, copy_column, factors, listed, mean_speed, number, target_note, time

SCHEMA = 1  # version of the JSON's layout
BEHIND = 1.05  # our time over a rival's, above which a row counts as behind

# PERFORMANCE.md's targets: the geometric mean of a rival's time divided by ours is at least this.
MEANS = {"cuFFT": 1.2, "VkFFT": 1.3}
MEANS_OF_ALL = {"cuFFT": 1.25, "VkFFT": 1.2}  # over all rows, where the group wide is measured
LAUNCH_BOUND_POINTS = 2**20  # up to so many points, the launch decides about a single transform
BEHIND_FFTW = 1.25  # times FFTW's time that a call from NumPy to NumPy may take
CALL_US = {"per pass": 3.0, "beside plan": 8.0}


# --- how every report is laid out -----------------------------------------------------------------


class Table(NamedTuple):
    """A table. Its first column is aligned to the left, all others to the right.

    Attributes
    ----------
    headings : sequence of str
        Heading of each column.
    rows : sequence of sequence of str
        Cells of each row, one for each heading.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]

    def text(self) -> str:
        """Return the table as lines of text."""
        return commandline.table(self.rows, self.headings, "<" + ">" * (len(self.headings) - 1))

    def markdown(self) -> str:
        """Return the table in Markdown."""
        lines = [self.headings, ["---", *("---:" for _ in self.headings[1:])], *self.rows]
        return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


Part = str | Table  # a part of a report: a paragraph or a table


def text_of(parts: Iterable[Part]) -> str:
    """Return a report as lines of text."""
    return "\n\n".join(each if isinstance(each, str) else each.text() for each in parts)


def page_of(title: str, environment: Mapping[str, str], parts: Iterable[Part]) -> str:
    """Return a report as a page of Markdown; after its title it says where it was measured."""
    where = "\n".join(f"- {name}: {value}" for name, value in environment.items())
    laid_out = (each if isinstance(each, str) else each.markdown() for each in parts)
    return "\n\n".join((f"# {title}", where, *laid_out)) + "\n"


def json_of(document: Mapping[str, Any]) -> str:
    """Return a report as JSON. NaN and infinities become null."""
    return json.dumps(_finite(document), indent=1) + "\n"


def _finite(value: Any) -> Any:
    """Replace the numbers that JSON cannot express by None."""
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def write(path: str | os.PathLike[str], text: str) -> None:
    """Write a whole file, or nothing if that fails."""
    with atomic_write(path) as file:
        file.write(text.encode())


# --- the results of cases -------------------------------------------------------------------------


def no_figures(row: Row, outcome: Outcome) -> dict[str, Any]:
    """Return no figures: the JSON of an outcome has enough of its own."""
    return {}


def no_tables(results: Results) -> Iterator[Table]:
    """Yield no table beside the table of cases."""
    yield from ()


@dataclass(frozen=True)
class View:
    """What a benchmark shows of its results.

    Attributes
    ----------
    columns : callable
        Takes the results; returns the columns of the table of cases.
    legend : str
        Whole sentences that say what the headings mean, on several lines.
    summary : callable
        Takes the results; yields lines that sum up the rows.
    scope : str
        What is measured, in a few words, with a place for the number of elements.
    figures : callable
        Takes a row and one of its outcomes; returns what the JSON says of the outcome beside what
        was measured.
    tables : callable
        Takes the results; yields tables that sum up all rows.
    """

    columns: Callable[[Results], tuple[Column, ...]]
    legend: str
    summary: Callable[[Results], Iterator[str]]
    scope: str = "{:,} elements in each case"
    figures: Callable[[Row, Outcome], Mapping[str, Any]] = no_figures
    tables: Callable[[Results], Iterator[Table]] = no_tables


@dataclass(frozen=True)
class Results:
    """Everything that a benchmark has measured.

    Attributes
    ----------
    environment : dict of str to str
        Where it was measured: devices, versions, date and the like, by name.
    contenders : tuple of str
        Names of the contenders, pyclfft's first.
    elements : int
        How many numbers each case transforms in all.
    settings : Settings
        How long each case was measured.
    copy : CopyRate
        Speed of a plain copy in the device's memory.
    view : View
        How the results are shown.
    rows : tuple of Row
        One row for each case and device.
    startup : tuple of Startup
        Times from a plan's beginning to its first result.
    calls : tuple of CallCost
        Times that calls cost the host.
    crossing : tuple of CallTimes
        Times of single calls from NumPy to NumPy, of SciPy and of pyclfft.
    numpy_calls : tuple of NumpyTimes
        Times of calls from NumPy to NumPy of larger arrays, beside SciPy and FFTW.
    devices : tuple of str
        Short names of the CPU devices that were measured together; empty if one device was.
    kernels : tuple of KernelTime
        Times of single kernels.
    """

    environment: Mapping[str, str]
    contenders: tuple[str, ...]
    elements: int
    settings: Settings
    copy: CopyRate
    view: View
    rows: tuple[Row, ...] = ()
    startup: tuple[Startup, ...] = ()
    calls: tuple[CallCost, ...] = ()
    crossing: tuple[CallTimes, ...] = ()
    numpy_calls: tuple[NumpyTimes, ...] = ()
    devices: tuple[str, ...] = ()
    kernels: tuple[KernelTime, ...] = ()

    @property
    def rivals(self) -> tuple[str, ...]:
        """Names of the contenders other than pyclfft."""
        return tuple(name for name in self.contenders if name not in (Ours.name, OursOnHost.name))

    @property
    def libraries(self) -> tuple[str, ...]:
        """Names of the other libraries: the rivals but pyclfft's own filter in steps."""
        return tuple(name for name in self.rivals if name != OursInSteps.name)

    @property
    def failed(self) -> bool:
        """Whether a result of pyclfft is wrong, or pyclfft has failed to compute one."""
        return any(each.status in (WRONG, FAILED) for row in self.rows for each in row.own)


# --- ours beside rivals on one device -------------------------------------------------------------


def _columns(results: Results) -> tuple[Column, ...]:
    """Return all columns of pyclfft, then every rival's time, error and time divided by ours."""
    ours, *rivals = results.contenders
    return (
        Column("case", 16, lambda row: row.name, "<"),
        Column("batch", 7, lambda row: str(row.workload.batch)),
        Column(f"{ours} ms", 10, lambda row: time(row.ours)),
        Column("+-%", 4, lambda row: number(row.ours.ms.percent, ".1f")),
        copy_column(results.copy),
        Column("error", 7, lambda row: number(row.ours.error, ".1e")),
        *(column for n, name in enumerate(rivals, 1) for column in _of_rival(name, n)),
        Column("", 6, verdict, "<"),
    )


def _of_rival(name: str, n: int) -> Iterator[Column]:
    yield Column(f"{name} ms", 8, lambda row: time(row.outcomes[n]))
    yield Column("error", 7, lambda row: number(row.outcomes[n].error, ".1e"))
    yield Column("/ours", 5, lambda row: number(row.ratio(row.outcomes[n]), ".2f"))


LEGEND = f"""\
Each time is the median of the milliseconds that one transform of the whole batch takes.
"+-%" is half the distance between the quartiles of pyclfft's time, in percent of the median.
"copy" divides the rate of pyclfft, as if it read the input once and wrote the result once, by the
rate of a plain copy.
"error" is the largest relative L2 error of the contender to its left, over the first, the middle
and the last transform.
"/ours" divides the time of the library to its left by pyclfft's time: above 1, pyclfft is faster.
The target rows are the cases of the group target. The project has set targets for their means.
A target row ends with "behind" if a library is over {BEHIND:g} times as fast as pyclfft.
A row ends with "WRONG" if the result of pyclfft is wrong."""


def verdict(row: Row) -> str:
    """Return WRONG, or "behind" for a target row slower than the fastest rival, or nothing."""
    if row.ours.status == WRONG:
        return WRONG
    return "behind" if row.workload.case.target and row.behind > BEHIND else ""


def _beside_targets(results: Results) -> Iterator[str]:
    """Yield the means over the target rows, and the names of the target rows that are behind."""
    targets = [row for row in results.rows if row.workload.case.target]
    ours, *rivals = results.contenders
    for n, name in enumerate(rivals, 1):
        ratios = [row.ratio(row.outcomes[n]) for row in targets]
        target = target_note(MEANS.get(name))
        yield mean_speed(ours, name, ratios, "target rows", *target)
    if rivals and targets:
        behind = {row.name: row.behind for row in targets if row.behind > BEHIND}
        faster = f"is over {BEHIND:g} times as fast as {ours}"
        yield f"target rows in which a library {faster}: {factors(behind)}"
    if rivals and any(
        "wide" in row.workload.case.groups and row not in targets for row in results.rows
    ):
        yield from _beside_all(results)


def _beside_all(results: Results) -> Iterator[str]:
    """Yield the means over all rows, and the names of all rows that are behind.

    Single transforms that their launch decides about are left out.
    """
    rows = [
        row
        for row in results.rows
        if row.workload.batch > 1 or row.workload.case.points > LAUNCH_BOUND_POINTS
    ]
    ours, *rivals = results.contenders
    for n, name in enumerate(rivals, 1):
        compared = [row for row in rows if not _is_cupys(row, name)]
        ratios = [row.ratio(row.outcomes[n]) for row in compared]
        yield mean_speed(ours, name, ratios, "rows", *target_note(MEANS_OF_ALL.get(name)))
    behind = {row.name: row.behind for row in rows if row.behind > BEHIND}
    yield f"rows in which a library is over {BEHIND:g} times as fast as {ours}: {factors(behind)}"


def _is_cupys(row: Row, contender: str) -> bool:
    """Whether the time of cuFFT is that of CuPy's cosine transform, which allocates its result."""
    return contender == CuFFT.name and row.workload.case.cosine > 0


ON_ONE_DEVICE = View(_columns, LEGEND, _beside_targets)


# --- what follows from the rows -------------------------------------------------------------------


def summary(results: Results) -> Iterator[str]:
    """Yield lines that sum up the rows, and lines that tell what is wrong."""
    yield from results.view.summary(results)
    wrong = [row.name for row in results.rows if any(each.status == WRONG for each in row.own)]
    yield f"wrong results: {listed(wrong)}"
    yield from _beside_complex(results.rows)
    yield from reasons(results.rows)
    if results.crossing:
        yield crossing_line(results.crossing)
    if results.numpy_calls:
        yield from numpy_lines(results.numpy_calls)


def crossing_line(times: Sequence[CallTimes]) -> str:
    """Say from how many points on pyclfft's single calls are faster, and how to tell SciPy so."""
    fewest = crossing(times)
    if fewest is None:
        most = max(each.points for each in times)
        return f"SciPy's single calls from NumPy to NumPy are faster up to {most:,} points"
    return (
        "pyclfft's single calls from NumPy to NumPy are faster than SciPy's from "
        f"{fewest:,} points on; to let SciPy serve the shorter calls, write "
        f"scipy.fft.set_backend(pyclfft.scipy_backend(smallest={fewest}))"
    )


def numpy_lines(times: Sequence[NumpyTimes]) -> Iterator[str]:
    """Say which arrays SciPy and FFTW transform in less time from NumPy to NumPy."""
    for most, faster in (
        ("SciPy's time", [each for each in times if each.beside_scipy < 1]),
        (
            f"{BEHIND_FFTW:g} times FFTW's time",
            [each for each in times if each.beside_fftw < 1 / BEHIND_FFTW],
        ),
    ):
        found = listed([f"{each.array} of {each.nbytes // 2**10} KiB" for each in faster])
        yield f"arrays for which pyclfft takes more than {most} from NumPy to NumPy: {found}"


def _beside_complex(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the times of real rows of odd lengths over the times of equal complex rows.

    It yields nothing where the complex rows were not measured. One complex transform could compute
    two real rows in half the time. But a row must not depend on another one, so that each real row
    of an odd length has a transform of its own.
    """

    def key(row: Row) -> tuple:
        case = row.workload.case
        return row.device, case.lengths, case.precision, case.batch, case.columns

    complex_rows = {key(row): row.ours for row in rows if row.workload.case.kind == "c2c"}
    found = [
        f"{row.name} {row.ours.ms.median / beside.ms.median:.2f}"
        for row in rows
        if row.workload.case.kind in REAL_KINDS and row.workload.case.lengths[-1] % 2
        if (beside := complex_rows.get(key(row)))
    ]
    if found:
        yield (
            "time of real rows of odd lengths, divided by the time of complex rows of the same "
            f"lengths: {', '.join(found)}"
        )


def reasons(rows: Sequence[Row]) -> Iterator[str]:
    """Yield why contenders were not measured: each reason once, with the cases it concerns."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for row in rows:
        for each in row.outcomes:
            if each.word:
                first = each.reason.strip().splitlines()[0]
                found.setdefault((each.contender, each.word, first), []).append(row.name)
    for (contender, word, reason), names in found.items():
        yield f"{contender} {word}: {', '.join(names)}: {reason}"


def startup_table(startup: Sequence[Startup]) -> Table:
    """Return the table of the times from a plan to its first result."""
    rows = [
        [each.case, str(each.programs), f"{each.cold.median:.3f}", f"{each.warm.median * 1e3:.1f}"]
        for each in startup
    ]
    return Table(["plan to first result", "programs", "cold s", "warm ms"], rows)


def calls_table(calls: Sequence[CallCost]) -> Table:
    """Return the table of the times that calls cost the host."""
    names = "call (us of the host)", "passes", "plan", "pyopencl", "allocating", "function"
    rows = [
        [
            each.case, str(each.passes),
            *(f"{way.median:.1f}" for way in (each.plan, each.raw, each.allocating)),
            f"{each.functional.median:.1f}",
            f"{each.per_pass:.1f}", f"{each.beside_plan:.1f}",
        ]
        for each in calls
    ]  # fmt: skip
    limits = (f"{name} (<= {most:g})" for name, most in CALL_US.items())
    return Table([*names, *limits], rows)


def crossing_table(times: Sequence[CallTimes]) -> Table:
    """Return the table of single calls of SciPy and of pyclfft: one row for each length."""
    kinds = dict.fromkeys((each.function, each.dtype) for each in times)
    headings = (f"{function} {dtype}: SciPy" for function, dtype in kinds)
    rows: dict[int, list[str]] = {each.points: [str(each.points)] for each in times}
    for each in times:
        rows[each.points] += f"{each.scipy.median:.1f}", f"{each.ours.median:.1f}"
    columns = (column for heading in headings for column in (heading, "pyclfft"))
    return Table(["points of one call (us)", *columns], list(rows.values()))


def numpy_table(times: Sequence[NumpyTimes]) -> Table:
    """Return the table of calls from NumPy to NumPy: one row for each array."""
    headings = ("array (us)", "KiB", "pyclfft out=", "pyclfft", "SciPy", "/ours", "FFTW", "/ours")
    rows = [
        [
            each.array, str(each.nbytes // 2**10), f"{each.out.median:.1f}",
            f"{each.function.median:.1f}", f"{each.scipy.median:.1f}", f"{each.beside_scipy:.2f}",
            *((f"{each.fftw.median:.1f}", f"{each.beside_fftw:.2f}") if each.fftw else ("-", "-")),
        ]
        for each in times
    ]  # fmt: skip
    return Table(headings, rows)


def extra_tables(results: Results) -> Iterator[Table]:
    """Yield the further tables, of what was measured beside the cases."""
    if results.startup:
        yield startup_table(results.startup)
    if results.calls:
        yield calls_table(results.calls)
    if results.crossing:
        yield crossing_table(results.crossing)
    if results.numpy_calls:
        yield numpy_table(results.numpy_calls)
    yield from results.view.tables(results)


def scope_line(results: Results) -> str:
    """Say what was measured and how fast a plain copy is."""
    copy = results.copy
    return (
        f"{results.view.scope.format(results.elements)}; a plain copy of {copy.nbytes:,} bytes "
        f"takes {copy.ms.median:.4g} ms (+-{copy.ms.percent:.1f} %) and reads and writes "
        f"{copy.gb_per_s:,.0f} GB/s"
    )


def case_list(elements: int, cases: Sequence[Case]) -> str:
    """Return a table of the cases that can be measured, and the names of the groups."""
    rows = [
        (case.name, _times(case.sized(elements).shape), str(case.sized(elements).source_dtype),
         ", ".join(group for group in case.groups if group != "all"))
        for case in cases
    ]  # fmt: skip
    table = commandline.table(rows, ("case", "array", "input", "groups"))
    return f"{table}\n\ngroups: {', '.join(GROUPS)}"


def _times(sizes: Sequence[int]) -> str:
    return " x ".join(map(str, sizes))


# --- files ----------------------------------------------------------------------------------------


def as_markdown(results: Results) -> str:
    """Return the whole report as a page of Markdown."""
    parts: list[Part] = [
        f"{scope_line(results)}.",
        case_table(results.view.columns(results), results.rows),
        " ".join(results.view.legend.split("\n")),
        "\n".join(f"- {each}" for each in summary(results)),
        *extra_tables(results),
    ]
    return page_of("Benchmark", results.environment, parts)


def case_table(columns: Sequence[Column], rows: Sequence[Row]) -> Table:
    """Return the table of the cases."""
    cells = [[column.cell(row) for column in columns] for row in rows]
    return Table([column.heading for column in columns], cells)


def as_json(results: Results) -> str:
    """Return the whole report as JSON."""
    document = {
        "schema": SCHEMA,
        "environment": dict(results.environment),
        "contenders": results.contenders,
        "devices": results.devices,
        "elements": results.elements,
        "settings": asdict(results.settings),
        "copy": {**asdict(results.copy), "gb_per_s": results.copy.gb_per_s},
        "rows": [_row(row, results) for row in results.rows],
        "summary": list(summary(results)),
        "startup": [asdict(each) for each in results.startup],
        "calls": [
            {**asdict(each), "per_pass": each.per_pass, "beside_plan": each.beside_plan}
            for each in results.calls
        ],
        "crossing": [asdict(each) for each in results.crossing],
        "numpy_calls": [asdict(each) for each in results.numpy_calls],
        "kernels": [asdict(each) for each in results.kernels],
    }
    return json_of(document)


def _row(row: Row, results: Results) -> dict[str, Any]:
    workload = row.workload
    return {
        "case": workload.case.name,
        "device": row.device,
        **asdict(workload.case),
        "batch": workload.batch,
        "shape": workload.shape,
        "nbytes": workload.nbytes,
        "groups": workload.case.groups,
        "outcomes": {
            each.contender: {
                **asdict(each),
                "status": each.status,
                "fraction": results.copy.fraction(workload.nbytes, each.ms.median),
                "ratio": row.ratio(each),
                **results.view.figures(row, each),
            }
            for each in row.outcomes
        },
    }
