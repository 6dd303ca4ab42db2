"""Write the figures of the page "See what makes a kernel fast" from docs/results/ladder-*.json.

    python docs/make_ladder.py [--check] [--output FILE]

The text of docs/explanation/ladder.md is written by hand and names no measured number. What stands
between "<!-- figures: ... -->" and "<!-- end of figures -->" is written by this script. After a new
run of `pyclfft bench ladder` its files go to docs/results, and this is called again.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from make_speed import Run, circumstances, points, wrapped

from pyclfft.bench import ladder_view, render, stored, table
from pyclfft.bench.cases import size_name
from pyclfft.bench.ladder_plots import PICTURES, path_of
from pyclfft.bench.render import Results, Table
from pyclfft.bench.rivals import Ours
from pyclfft.bench.runner import Row
from pyclfft.errors import PyclfftError

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / "explanation" / "ladder.md"
REGION = re.compile(r"(<!-- figures: (.+?) -->\n).*?(<!-- end of figures -->)", re.DOTALL)
SHOWN_ERRORS = tuple(2**k for k in (10, 16, 20))

ALTERNATIVES = {  # of the pictures, for those who do not see them
    "time": "Milliseconds of one transform over its length, of every contender",
    "bandwidth": "GB/s of input and result over the length, of every contender",
    "speedup": "How many times as fast each rung is as FFTW and as the recursion, over the length",
    "kernels": "Milliseconds of each kernel alone over the length, a panel for each algorithm",
}


@dataclass(frozen=True)
class Measured:
    """One run of the benchmark.

    Attributes
    ----------
    file : Path
        Its JSON.
    results : Results
        What that holds.
    """

    file: Path
    results: Results

    @property
    def machine(self) -> str:
        """The device and its runtime, without the driver's version."""
        device, driver, _ = self.results.environment["device"].partition(", driver ")
        return device + ")" * bool(driver)


def measured() -> list[Measured]:
    """Return all runs that are stored."""
    files = sorted((DOCS / "results").glob("ladder-*.json"))
    if not files:
        raise PyclfftError("docs/results has no ladder-*.json: run pyclfft bench ladder --json")
    return [Measured(file, stored.read(file, ladder_view.VIEW)) for file in files]


# --- what the regions show ------------------------------------------------------------------------


def step(runs: Sequence[Measured], slower: str, faster: str) -> str:
    """Return how many times as fast one rung is as another, by machine and length."""

    def figure(row: Row) -> str:
        return table.number(ladder_view.speedup(row, faster, slower), ".3g")

    return _by_length(runs, f"speed of `{faster}` / speed of `{slower}`", {"": figure})


def times(runs: Sequence[Measured], *names: str) -> str:
    """Return the milliseconds of one transform, by machine, contender and length."""
    figures = {
        f": `{name}`": lambda row, name=name: table.number(ladder_view.ms(row, name), ".3g")
        for name in names
    }
    return _by_length(runs, "ms of one transform", figures)


def _by_length(
    runs: Sequence[Measured], heading: str, figures: Mapping[str, Callable[[Row], str]]
) -> str:
    """Return a table with a line for each machine and figure, and a column for each length."""
    found = [
        (run.machine + name, {ladder_view.points(row): figure(row) for row in _rows(run)})
        for run in runs
        for name, figure in figures.items()
    ]
    lengths = [ladder_view.points(row) for row in max(map(_rows, runs), key=len)]
    lines = [[name, *(cells.get(n, "-") for n in lengths)] for name, cells in found]
    return Table([heading, *lengths], lines).markdown()


def _rows(run: Measured) -> list[Row]:
    return ladder_view.shown_rows(run.results)


def alone(runs: Sequence[Measured], *algorithms: str) -> str:
    """Return the milliseconds of some algorithms' kernels alone, by machine."""
    tables = []
    for run in runs:
        headings, *lines = _kernels(run, algorithms)
        if lines:
            tables.append(Table([f"{run.machine}: {headings[0]}", *headings[1:]], lines).markdown())
    return "\n\n".join(tables)


def _kernels(run: Measured, algorithms: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the headings and then the lines of the benchmark's table, of some algorithms only."""
    headings, lines = ladder_view.kernels_table(run.results)
    yield headings
    yield from (line for line in lines if line[0].partition(":")[0] in algorithms)


def claims(runs: Sequence[Measured]) -> str:
    """Return each claim of the report with every machine's answer."""
    answers = [(run.machine, ladder_view.claims(run.results)) for run in runs]
    return "\n".join(
        f"- The report says: {claim.report}.\n"
        + "\n".join(
            wrapped(f"  - {machine}: {answer[claim.report]}.", indent="    ")
            for machine, answer in answers
        )
        for claim in ladder_view.CLAIMS
    )


def exactness(runs: Sequence[Measured]) -> str:
    """Return the relative errors of the rungs and of our default, by machine and length."""
    lines = [
        [
            f"{run.machine}: {who}",
            *(table.number(_error(run, n, names), ".2e") for n in SHOWN_ERRORS),
        ]
        for run in runs
        for who, names in (("the five", ladder_view.RUNGS), (f"`{Ours.name}`", (Ours.name,)))
    ]
    lengths = [size_name((n,)) for n in SHOWN_ERRORS]
    return Table(["relative L2 error in single precision", *lengths], lines).markdown()


def _error(run: Measured, length: int, names: Sequence[str]) -> float:
    """Return the largest error of some contenders at a length; not a number where none is known."""
    errors = (
        each.error
        for row in run.results.rows
        for each in row.outcomes
        if row.workload.case.points == length and each.contender in names and not each.word
    )
    return max(errors, default=float("nan"))


def machines(runs: Sequence[Measured]) -> str:
    """Return all that each run has measured, a section for each."""
    return "\n\n".join(map(_section, runs))


def _section(run: Measured) -> str:
    name = f"results/{run.file.name}"
    said = Run(run.machine, name, "", "pyclfft bench ladder")
    lines = (
        line for line in render.summary(run.results) if not line.startswith(ladder_view.CLAIMED)
    )
    picture = f"../{name[:-5]}.png"
    shown = [each for each in PICTURES if path_of(str(run.file.with_suffix(".png")), each).exists()]
    parts = [
        f"## On {run.machine}",
        wrapped(f"`{said.command}` {circumstances(said, run.results)}"),
        *(f"![{ALTERNATIVES[each]}]({path_of(picture, each)})" for each in shown),
        points(lines),
        render.case_table(ladder_view.columns(run.results), run.results.rows).markdown(),
        wrapped(ladder_view.LEGEND),
        *(each.markdown() for each in render.extra_tables(run.results)),
    ]
    return "\n\n".join(parts)


REGIONS: Mapping[str, Callable[..., str]] = {
    "step": step,
    "times": times,
    "alone": alone,
    "claims": claims,
    "exactness": exactness,
    "machines": machines,
}


def page(text: str) -> str:
    """Return the page with the figures of the stored runs in its regions."""
    runs = measured()

    def written(region: re.Match[str]) -> str:
        begin, words, end = region.groups()
        kind, *arguments = words.split()
        return f"{begin}\n{REGIONS[kind](runs, *arguments)}\n\n{end}"

    return REGION.sub(written, text)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the page, or compare it."""
    parser = argparse.ArgumentParser(description="Write the figures of the ladder's page.")
    add = parser.add_argument
    add("--check", action="store_true", help="write nothing; fail if the figures are other ones")
    add(
        "--output", type=Path, default=PAGE, metavar="FILE",
        help="the page, which has the regions to fill (default: docs/explanation/ladder.md)",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    try:
        before = options.output.read_text(encoding="utf-8")
        text = page(before)
        if not options.check:
            options.output.write_text(text, encoding="utf-8")
        elif before != text:
            raise SystemExit(f"{options.output} is not what docs/make_ladder.py writes: call it")
    except (PyclfftError, OSError) as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
