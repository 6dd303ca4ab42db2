"""``python -m pyclfft tune``: find the fastest parameters for this device, and look after them."""

from __future__ import annotations

import argparse
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from math import inf, isfinite
from pathlib import Path
from statistics import geometric_mean

import pyopencl as cl

from .. import commandline
from ..bench.table import Column, header, line
from ..commandline import Progress, Report
from ..errors import PyclfftError
from ..planning import database
from ..planning.lookup import PRODUCTS, Entry, Identity
from ..planning.parameters import PARAMETERS, shown
from ..planning.precision import COMPLEX_DTYPE
from ..planning.problem import KINDS
from ..runtime import choice, describe, wisdom
from .asked import cases_of
from .cases import Case
from .search import EFFORTS, Timing
from .space import Candidate
from .tuner import STEPS, Tuned, tune_case

PROG = "pyclfft tune"
EPILOG = (
    "The results go to a file in your data folder, from which later plans take them: print(plan) "
    "names the parameters that come from there. Each result is stored as soon as it is known, so "
    "that after Ctrl-C the same command goes on where it stopped.",
    "These are the parameters. The value -1 leaves the choice to a rule. If a value consists of "
    "lists of factors, a transform takes the first list whose product is its length; if there is "
    "none, a rule decides. The textbook kernels are those of the algorithm radix2 and of its image "
    "filter.",
)
LEAST_WIDTH = 60  # least columns of the help; narrower lines have no room for text beside names


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments of the command; by default those of the process.

    Returns
    -------
    int
        Exit status: 0 if all went well; 1 if something could not be tuned; 2 after an error.
    """
    return commandline.run(lambda: _main(sys.argv[1:] if argv is None else argv), PROG)


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    result = commandline.Parser(
        prog=PROG,
        description="Find the fastest parameters of transforms, frames, image filters and "
        "convolutions on this device, by measuring. Let nothing else run meanwhile.",
        epilog=epilog(max(LEAST_WIDTH, shutil.get_terminal_size().columns - 2)),
    )
    add = result.add_argument
    commandline.add_device(result)
    add("--n", metavar="N,...", help="lengths of rows, frames or signals, such as 256,1000,2^20")
    add("--shape", metavar="AxB,...", help="extents of images and volumes, such as 512x512")
    add(
        "--batch",
        metavar="N",
        type=commandline.count,
        help="how many transforms, frames, images or signals a call takes at once (default: many)",
    )
    add(
        "--columns",
        action="store_true",
        help="tune columns, which lie side by side, rather than rows; for stft and istft, frames "
        "that lie side by side, as in a device array in C order",
    )
    add(
        "--kind",
        choices=(*KINDS, *PRODUCTS),
        metavar="KIND",
        help="the kind of transform, as Plan names it (default: c2c), or what is built on "
        "transforms: stft or istft; filter- and a scale of filter_image, such as filter-none; "
        "convolve- and a mode, such as convolve-full. An unknown KIND lists all",
    )
    add(
        "--hop",
        metavar="N",
        type=commandline.count,
        help="samples from one frame to the next (default: a quarter of a frame)",
    )
    add("--taps", metavar="N", help="extents of a convolution's kernel, such as 1000 or 31x31")
    add(
        "--precision",
        choices=COMPLEX_DTYPE,
        default="single",
        help="the precision of the numbers (default: single)",
    )
    commandline.add_algorithm(
        result,
        "tune only this algorithm",
        "plans that ask for it use the result. For radix2, each kernel's work-groups are tuned "
        "too; ",
    )
    add("--effort", choices=("estimate", *EFFORTS), default="measure",
        help="estimate shows the plan; measure (default) changes one parameter after the other; "
        "exhaustive tries all structures first")  # fmt: skip
    add(
        "--time-limit",
        metavar="S",
        type=float,
        default=inf,
        help="end after S seconds (default: when all is tuned)",
    )
    add("--verbose", action="store_true", help="print the time of every candidate")
    add("--db", metavar="FILE", help="use this database instead of the user's own")
    does = result.add_mutually_exclusive_group()
    add = does.add_argument
    add("--show", action="store_true", help="print all entries of the device, and measure nothing")
    add("--export", metavar="FILE", help="write the database to a file")
    add("--import", metavar="FILE", dest="import_", help="add a file to the database")
    add("--forget", action="store_true", help="delete all entries of the device")
    return result


def epilog(width: int) -> str:
    """Return what follows the options in the command's help, in lines of at most `width`."""
    column = max(map(len, PARAMETERS))
    lines = [textwrap.fill(each, width) + "\n" for each in EPILOG]
    for name, each in PARAMETERS.items():
        allowed = "the name of an algorithm" if name == "algorithm" else each.allowed
        for first, text in ((name, each.meaning), ("", f"Value: {allowed}.")):
            beside = textwrap.TextWrapper(
                width, initial_indent=f"  {first:{column}}  ",
                subsequent_indent=" " * (column + 4), break_on_hyphens=False,
            )  # fmt: skip
            lines.append(beside.fill(text))
    return "\n".join(lines)


def _main(argv: Sequence[str]) -> int:
    options = parser().parse_args(argv)
    path = Path(options.db) if options.db else database.user_file()
    if options.export:
        return _export(path, options.export)
    if options.import_:
        return _import(path, options.import_)
    chosen = choice.select_device(options.device)
    if options.forget:
        return _forget(path, describe.identity(chosen))
    if options.show:
        return _show(path, chosen)
    return _tune(options, path, chosen)


# --- tuning ---------------------------------------------------------------------------------------


COLUMNS = (
    Column("problem", 36, lambda tuned: tuned.problem + ("" if tuned.complete else " ..."), "<"),
    Column("default ms", 10, lambda tuned: f"{tuned.default_ms:.4g}"),
    Column("tuned ms", 9, lambda tuned: f"{tuned.ms:.4g}"),
    Column("gain", 5, lambda tuned: f"{tuned.gain:.2f}"),
    Column("tried", 5, lambda tuned: str(tuned.measured)),
    Column("parameters", 10, lambda tuned: _values(tuned.parameters), "<"),
)


def _tune(options: argparse.Namespace, path: Path, chosen: cl.Device) -> int:
    sizes = [*_sizes("--n", options.n, 1), *_sizes("--shape", options.shape, 2)]
    taps = next(_sizes("--taps", options.taps), None)
    problems = cases_of(options, sizes, taps, describe.traits(chosen))
    print(describe.device_label(chosen))
    if options.effort == "estimate":
        for problem in problems:
            print(f"{problem.workclass(options.algorithm)}: "
                  f"{problem.known(chosen, options.algorithm)}")  # fmt: skip
        return 0
    deadline = time.monotonic() + options.time_limit
    print(header(COLUMNS), flush=True)
    failures = 0
    clocks = set()
    report = Report(to="stdout")
    with Progress(STEPS * len(problems)) as progress:
        for number, problem in enumerate(problems):
            left = deadline - time.monotonic()
            if left <= 0:
                report(f"time is up: {len(problems) - number} problems are left as they were")
                break
            name = str(problem.workclass(options.algorithm))
            progress.title, progress.done = name, STEPS * number
            try:
                tuned = tune_case(
                    problem, chosen, options.algorithm, options.effort,
                    left / (len(problems) - number), path, progress.add,
                    _teller(report, problem) if options.verbose else lambda *_: None,
                )  # fmt: skip
            except PyclfftError as error:
                failures += 1
                report(f"{name}: {commandline.describe(error)}")
                continue
            clocks.add(tuned.clock)
            report(line(COLUMNS, tuned))
            for text in _groups(tuned):
                report(f"  {text}")
            for values, reason in tuned.failed.items():
                report(f"  could not win: {values}: {reason}")
    if "host" in clocks:
        print("measured by the host's clock, as this runtime's events do not agree with it")
    print(f"kept in {path}")
    return int(failures > 0)


def _teller(report: Report, case: Case) -> Callable[[Candidate, Timing], None]:
    """Return a function that reports a candidate: its time, the rate, and its parameters."""

    def tell(candidate: Candidate, timing: Timing) -> None:
        rate = f"{timing.ms:9.4g} ms {case.nbytes / timing.ms / 1e6:7.0f} GB/s"
        report(f"  {rate if isfinite(timing.ms) else timing.reason}  {_values(candidate.values)}")

    return tell


def _groups(tuned: Tuned) -> Iterator[str]:
    """Yield a line for each kernel whose work-groups were tuned by themselves."""
    width = max((len(each.kernel) for each in tuned.kernels), default=0)
    for each in tuned.kernels:
        beside = f"{each.default_ms:.4g} ms in groups of {each.default}"
        if each.size == each.default:
            beside = "the default"
        yield f"{each.kernel:<{width}} in groups of {each.size:<5} {each.ms:.4g} ms; {beside}"


def _values(values: object) -> str:
    assert isinstance(values, dict)
    return ", ".join(f"{name} {shown(value)}" for name, value in values.items()) or "default"


def _sizes(option: str, text: str | None, least: int = 0) -> Iterator[tuple[int, ...]]:
    """Yield the extents of each transform from a text such as ``512x512,1000x2000``."""
    for each in text.split(",") if text else ():
        try:
            lengths = tuple(commandline.count(part) for part in each.split("x"))
        except argparse.ArgumentTypeError as error:
            raise PyclfftError(f"{option} {each}: {error}") from None
        if least and (len(lengths) > 1) != (least > 1):
            hint = "take --shape" if least == 1 else "take --n"
            raise PyclfftError(f"{option} {each}: {hint} for {len(lengths)} extents")
        yield lengths


# --- what is known --------------------------------------------------------------------------------


def _show(path: Path, chosen: cl.Device) -> int:
    """Print all entries that hold for a device, the user's own first."""
    identity = describe.identity(chosen)
    user = [each for each in database.read(path) if each.identity == identity]
    ours = [
        (origin, each)
        for each in wisdom.shipped_entries(identity)
        if (origin := identity.origin(each.identity))
    ]
    rows = [
        *(_entry_cells("user", each) for each in user),
        *(_entry_cells(origin, each) for origin, each in ours),
    ]
    print(describe.device_label(chosen))
    if not rows:
        print(f"nothing is tuned: every parameter has its default; {PROG} measures")
        return 0
    heading = ("problem", "from", "default ms", "tuned ms", "gain", "date", "parameters")
    print(commandline.table(rows, heading, "<<>>><<"))
    gains = [each.default_ms / each.ms for each in (*user, *(each for _, each in ours)) if each.ms]
    mean, most = geometric_mean(gains), max(gains)
    print(f"the defaults take {mean:.3f} times as long in the geometric mean, {most:.2f} at most")
    if any(each.sources != wisdom.sources_hash() for each in user):
        print("*: measured with other kernels than today's, and so left out: tune again")
    return 0


def _entry_cells(origin: str, entry: Entry) -> tuple[str, ...]:
    stale = "*" if origin == "user" and entry.sources != wisdom.sources_hash() else ""
    return (
        str(entry.workclass or "all"),
        origin + stale,
        f"{entry.default_ms:.4g}",
        f"{entry.ms:.4g}",
        f"{entry.default_ms / entry.ms:.2f}" if entry.ms else "-",
        entry.date,
        _values(dict(entry.values)),
    )


def _export(path: Path, target: str) -> int:
    entries = database.load(path)
    database.update(target, lambda known: database.merged(known, entries))
    print(f"{_counted(len(entries))} written to {target}")
    return 0


def _import(path: Path, source: str) -> int:
    entries = database.load(source)
    database.update(path, lambda known: database.merged(known, entries))
    print(f"{_counted(len(entries))} added to {path}")
    return 0


def _forget(path: Path, identity: Identity) -> int:
    before = database.read(path)
    kept = database.update(
        path, lambda known: [each for each in known if each.identity != identity]
    )
    print(f"{_counted(len(before) - len(kept))} deleted from {path}")
    return 0


def _counted(entries: int) -> str:
    return f"{entries} entry" if entries == 1 else f"{entries} entries"


if __name__ == "__main__":
    sys.exit(main())
