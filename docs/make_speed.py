"""Write the page "How fast is it?" from the files of `pyclfft bench --json` in docs/results.

    python docs/make_speed.py [--check] [--output FILE]

Nobody types a number into that page. After a new run its files go to docs/results, and this is
called again.
"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from pyclfft.bench import render, stored
from pyclfft.bench.render import Results
from pyclfft.bench.rivals import Ours, OursOnHost, SciPy
from pyclfft.bench.table import Column, copy_column, listed, ratio
from pyclfft.errors import PyclfftError

DOCS = Path(__file__).resolve().parent

FASTER = 0.95  # a rival that takes less than this part of our time is faster
WIDTH = 100  # of lines of text

# Of the environment: what the text says elsewhere, and what only the JSON file needs to say.
ELSEWHERE = ("date", "device", "host", "driver", "platform", "system")


@dataclass(frozen=True)
class Run:
    """A measurement that the page shows.

    Attributes
    ----------
    title : str
        Where it was made.
    results, picture : str
        What it has written, as paths in docs.
    command : str
        What was called.
    calls : str
        The results of an earlier run, which alone has plan times and costs of calls; as a path in
        docs.
    """

    title: str
    results: str
    picture: str
    command: str
    calls: str = ""


RUNS = (
    Run(
        "On an NVIDIA H200",
        "results/h200.json",
        "results/h200.png",
        "for k in 1 2 3; do\n"
        "  pyclfft bench --device gpu --samples 5 --part $k/3 --json part$k.json\n"
        "done\n"
        "pyclfft bench --merge part?.json --json h200.json --plot h200.png",
        calls="results/calls/h200.json",
    ),
    Run(
        "On an NVIDIA H100",
        "results/h100.json",
        "results/h100.png",
        "pyclfft bench --device gpu --samples 5 --part 1/2 --json part1.json\n"
        "pyclfft bench --device gpu --samples 5 --part 2/2 --json part2.json\n"
        "pyclfft bench --merge part1.json part2.json --json h100.json --plot h100.png",
    ),
    Run(
        "On two cores of an Intel Xeon",
        "results/xeon.json",
        "results/xeon.png",
        "pyclfft bench --cpu --rivals fftw,scipy --samples 21 --json cpu.json --plot cpu.png",
    ),
    Run(
        "On two cores of an AMD EPYC with AVX2",
        "results/epyc.json",
        "results/epyc.png",
        "pyclfft bench --cpu --rivals fftw,scipy --json cpu.json --markdown cpu.md --plot cpu.png",
    ),
    Run(
        "On two cores of an AMD EPYC with AVX-512",
        "results/epyc-avx512.json",
        "results/epyc-avx512.png",
        "pyclfft bench --cpu --json cpu.json --plot cpu.png",
    ),
)

INTRODUCTION = """\
# How fast is it?

<!-- Written by docs/make_speed.py from docs/results: change those, and call it. -->

Each part of this page is one run of [`pyclfft bench`](benchmarks.md) on one machine. It shows
everything that the run has measured, including the rows in which pyclfft loses.
[Benchmarks](benchmarks.md) explains how the command measures, and [why others are
faster](benchmarks.md#why-others-are-faster) in certain rows. Times differ with the device, the
driver and the versions of all libraries, so measure on your own machine.

If pyclfft is 1.3 times as fast as another library, the library takes 1.3 times as much time. The
project has set itself targets for the *target rows*, which the text below each table names. The
column `copy` of a table is pyclfft's rate divided by the rate of a plain copy. If the name of a
commit ends with `+`, some files differed from the commit."""


def page() -> str:
    """Return the page."""
    sections = (section(run, stored.read(DOCS / run.results)) for run in RUNS)
    return "\n\n".join([INTRODUCTION, *sections]) + "\n"


def section(run: Run, results: Results) -> str:
    """Return what one run has measured."""
    contenders = ", ".join(results.contenders)
    commands = "The commands" if "\n" in run.command else "The command"
    parts = [
        f"## {run.title}",
        f"```sh\n{run.command}\n```",
        wrapped(f"{commands} {circumstances(run, results)}"),
        points(render.summary(results)),
        f"![Bars: the part of a plain copy's rate in each case, of {contenders}](../{run.picture})",
        "### Where others are faster",
        wrapped(
            f"In these rows another library takes less than {FASTER:g} of pyclfft's time. The"
            " number in brackets says how many times as fast it is:"
        ),
        points(faster(results)),
        "### All rows",
        render.case_table(columns(results), results.rows).markdown(),
        wrapped(results.view.legend),
        *extras(run, results),
    ]
    return "\n\n".join(parts)


def circumstances(run: Run, results: Results) -> str:
    """Say when and where it was measured, with what, and how fast the memory is."""
    where = results.environment
    versions = [f"{name} {text}" for name, text in where.items() if text and name not in ELSEWHERE]
    machine = "; host: ".join(filter(None, (where["device"], where.get("host", ""))))
    return (
        f"printed this on {where['date'].split()[0]}. Device: {machine}. Versions: "
        f"{'; '.join(versions)}. "
        f"{render.scope_line(results)}. [All results of this run](../{run.results})."
    )


def faster(results: Results) -> Iterator[str]:
    """Yield the rows that each rival is faster in, on each device."""
    for (rival, ours), device in product(pairs(results), results.devices or ("",)):
        names = [
            f"{row.workload.case.name} ({1 / part:.2f})"
            for row in results.rows
            if row.device == device and (part := ratio(row, rival, ours)) < FASTER
        ]
        who = " on ".join(filter(None, (f"{rival} compared with {ours}", device)))
        yield f"{who}: {listed(names)}"


def pairs(results: Results) -> Iterator[tuple[str, str]]:
    """Yield who is compared with whom: those two that do the same work."""
    for rival in results.libraries:
        yield rival, Ours.name
        if rival == SciPy.name and OursOnHost.name in results.contenders:
            yield rival, OursOnHost.name


def columns(results: Results) -> list[Column]:
    """Return the benchmark's columns; those of CPUs, for which lines have no room, with `copy`."""
    table = list(results.view.columns(results))
    headings = [column.heading for column in table]
    if "copy" not in headings:
        table.insert(headings.index("+-%") + 1, copy_column(results.copy))
    return table


def extras(run: Run, results: Results) -> Iterator[str]:
    """Yield plan times and costs of calls, if this run or an earlier one has measured any."""
    measured = stored.read(DOCS / run.calls) if run.calls else results
    tables = [each.markdown() for each in render.extra_tables(measured)]
    if tables:
        yield "### Plans and calls"
        yield "[Benchmarks](benchmarks.md#more) explains these tables."
    if run.calls:
        date, commit = (measured.environment[name] for name in ("date", "commit"))
        yield wrapped(
            "The command `pyclfft bench --device gpu --cases one-1024 --plan-time --call` printed "
            f"them on {date.split()[0]}, at commit {commit}, not at that of the rows above. "
            f"[All results of that run](../{run.calls})."
        )
    yield from tables


# --- text -----------------------------------------------------------------------------------------


def points(lines: Iterable[str]) -> str:
    """Return a list."""
    return "\n".join(wrapped(f"- {line}", indent="  ") for line in lines)


def wrapped(text: str, indent: str = "") -> str:
    """Break lines between words only."""
    return textwrap.fill(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the page, or compare it."""
    parser = argparse.ArgumentParser(description='Write the page "How fast is it?".')
    add = parser.add_argument
    add("--check", action="store_true", help="write nothing; fail if the page is another one")
    add(
        "--output", type=Path, default=DOCS / "explanation" / "speed.md", metavar="FILE",
        help="the page (default: docs/explanation/speed.md)",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    try:
        text = page()
        if not options.check:
            options.output.write_text(text, encoding="utf-8")
        elif options.output.read_text(encoding="utf-8") != text:
            raise SystemExit(f"{options.output} is not what docs/make_speed.py writes: call it")
    except (PyclfftError, OSError) as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
