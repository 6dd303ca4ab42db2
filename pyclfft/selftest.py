"""``python -m pyclfft selftest``: check what every device of this machine computes."""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from math import ceil, inf
from typing import Any

import pyopencl as cl

from . import commandline, selftest_cases, selftest_random, selftest_tally
from .commandline import Progress, Report
from .errors import PyclfftError
from .files import atomic_write, require_writable
from .runtime.choice import select_device
from .runtime.describe import device_label
from .runtime.runtimes import defect, listing
from .selftest_cases import Outcome

PROG = "pyclfft selftest"

# Every platform with its devices, as `listing` returns them.
Groups = Sequence[tuple[Any, Sequence[Any]]]

COLD_CHECK = 1.4  # the most seconds that a check takes if its kernels have to be compiled
FULL_ON_CPU, FULL = 100_000, 10_000  # random cases of --full, on a CPU and on any other device


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; the process's by default.

    Returns
    -------
    int
        Exit status: 0; 1 if a device fails a check; 2 without a device, or after an error.
    """
    return commandline.run(lambda: _main(sys.argv[1:] if argv is None else argv), PROG)


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    result = commandline.Parser(
        prog=PROG,
        description="Compare what every device computes with NumPy's results in double precision, "
        "and random transforms with SciPy's results in the next higher precision.",
        epilog="The first run compiles the kernels of all checks, which takes a minute or two; "
        "with --quick it takes less than 15 s on two cores. Later runs take seconds. The exit "
        'status is 1 if a device fails a check. "pyclfft info --report" writes the results to a '
        "file, with all that is known of the devices. A run of random cases keeps its state in the "
        "data folder: the same call, or one with more cases or minutes, goes on where it ended.",
    )
    add = result.add_argument
    much = result.add_mutually_exclusive_group()
    much.add_argument(
        "--quick", action="store_true", help="make a few of the checks, one of each family"
    )
    much.add_argument(
        "--full", action="store_true",
        help=f"make all checks, then run {FULL_ON_CPU:,} random cases on each CPU and {FULL:,} on "
        "each other device, which takes from minutes to an hour",
    )  # fmt: skip
    much.add_argument(
        "--minutes", metavar="M", type=commandline.positive,
        help="run random cases for M minutes on each device",
    )  # fmt: skip
    much.add_argument(
        "--cases", metavar="N", type=commandline.count, help="run the first N random cases"
    )
    add("--seed", metavar="S", type=commandline.natural,
        help="the seed of the random cases (default: 0); case number k of a seed is always the "
        "same")  # fmt: skip
    add("--points", metavar="N", type=commandline.count,
        help="the most elements of an array in a random case (default: "
        f"{selftest_random.POINTS:,})")  # fmt: skip
    add("--restart", action="store_true",
        help="begin with the first random case, whatever has run before")  # fmt: skip
    add("--json", metavar="FILE", help="write the results of the random cases")
    commandline.add_device(result, "check only this device", "all devices")
    commandline.add_quiet(result)
    return result


def _main(argv: Sequence[str]) -> int:
    options = parser().parse_args(argv)
    is_random = options.full or options.minutes or options.cases
    _require_random(options, is_random)
    groups = examined()
    chosen = select_device(options.device)  # which says what is missing, if there is none
    tested = [each for each in numbered(groups) if not options.device or each[1] == chosen]
    report = Report(options.quiet, to="stdout")
    problems: list[str] = []
    if options.full or not is_random:
        problems += run(tested, report, quick=options.quick, quiet=options.quiet)
    if is_random:
        problems += run_random(tested, report, options, " ".join([PROG, *argv]))
    if options.quiet and problems:
        Report(to="stdout")(*(problem.strip() for problem in problems))
    return int(bool(problems))


def _require_random(options: argparse.Namespace, is_random: bool) -> None:
    """Refuse options that say nothing about the fixed checks, and a file that cannot be written."""
    for name in ("seed", "points", "restart", "json"):
        if getattr(options, name) not in (None, False) and not is_random:
            raise PyclfftError(
                f"--{name} is about random cases: add --full, --minutes M or --cases N"
            )
    if options.json:
        require_writable(options.json)  # before the cases, which take minutes


# --- devices --------------------------------------------------------------------------------------


def examined() -> Groups:
    """Return all platforms with their devices, after finding out which devices are usable."""
    groups = listing()
    with warnings.catch_warnings():  # needless, because the output says why a device is not used
        warnings.simplefilter("ignore", RuntimeWarning)
        for _, device in numbered(groups):
            defect(device)
    return groups


def numbered(groups: Groups) -> Iterator[tuple[str, Any]]:
    """Yield every device with the index that `use_device` takes."""
    for p, (_, devices) in enumerate(groups):
        for d, device in enumerate(devices):
            yield f"{p}:{d}", device


# --- checks ---------------------------------------------------------------------------------------


def run(
    tested: Sequence[tuple[str, Any]],
    say: Callable[[str], None],
    *,
    quick: bool = False,
    quiet: bool = False,
) -> list[str]:
    """Check devices one after the other, and say how each check goes.

    Parameters
    ----------
    tested : sequence of (str, pyopencl.Device)
        Indices and devices. A device that is not usable is named, but neither passes nor fails.
    say : callable
        Called with every line at once, because a driver may crash the process in the next check.
    quick : bool
        Make a few of the checks only.
    quiet : bool
        Show no progress bar.

    Returns
    -------
    list of str
        The full words about each check that has failed; empty if all devices pass.
    """
    usable = [device for _, device in tested if not defect(device)]
    checks = sum(selftest_cases.count(device, quick) for device in usable)
    say(f"\n{expectation(checks, len(usable), quick)}")
    problems: list[str] = []
    with Progress(checks, "checks", quiet) as progress:
        for index, device in tested:
            problems += _run_one(f"{index} {device_label(device)}", device, say, quick, progress)
    return problems


def expectation(checks: int, devices: int, quick: bool) -> str:
    """Return in words how long a number of checks takes."""
    seconds = ceil(checks * COLD_CHECK)
    first = f"{seconds} s" if seconds < 60 else f"{ceil(seconds / 60)} minutes"
    where = "one device" if devices == 1 else f"{devices} devices"
    hint = "" if quick else "; --quick makes a few of them"
    return (
        f"{checks} checks on {where} take up to {first} the first time, while kernels are compiled,"
        f"\nand seconds from then on{hint}"
    )


def _run_one(
    title: str, device: Any, say: Callable[[str], None], quick: bool, progress: Progress
) -> list[str]:
    """Check one device; return what has failed."""
    progress.title = title
    say(f"\nSelf-test of {title}")
    if reason := defect(device):
        say(f"  not used: {reason}")
        return []
    start = time.perf_counter()
    outcomes = []
    for outcome in selftest_cases.check(device, quick):
        say(_line(outcome))
        outcomes.append(outcome)
        progress.done += 1
    failed = [outcome for outcome in outcomes if not outcome.passed]
    say(f"  {_verdict(len(outcomes), len(failed))} in {time.perf_counter() - start:.1f} s")
    return [f"\n{_line(outcome)}\n  on {title}\n{outcome.problem}" for outcome in failed]


def _line(outcome: Outcome) -> str:
    what = f"  {outcome.name:<40}  {outcome.precision}  "
    if outcome.problem:
        return f"{what}FAIL: {outcome.problem.splitlines()[0]}"
    word = "pass" if outcome.passed else "FAIL"
    return f"{what}error {outcome.error:7.1e}  bound {outcome.bound:7.1e}  {word}"


def _verdict(checks: int, failed: int) -> str:
    return f"FAIL: {failed} of {checks} checks" if failed else f"pass: {checks} checks"


# --- random cases ---------------------------------------------------------------------------------


def run_random(
    tested: Sequence[tuple[str, Any]],
    say: Callable[..., None],
    options: argparse.Namespace,
    command: str,
) -> list[str]:
    """Run random cases on devices one after the other, and say what comes of them.

    Parameters
    ----------
    tested : sequence of (str, pyopencl.Device)
        Indices and devices. A device that is not usable is left out.
    say : callable
        Called with lines of text.
    options : argparse.Namespace
        The command's options.
    command : str
        The command as it was called, for the JSON file.

    Returns
    -------
    list of str
        The full words about each case that has failed; empty if there is none.
    """
    tallies: list[selftest_tally.Tally] = []
    problems: list[str] = []
    for index, device in tested:
        if not defect(device):
            tally = _tally_of(device, options)
            tallies.append(tally)
            problems += _run_cases(index, device, tally, say, options)
            if options.json:  # after each device, so that nothing is lost
                with atomic_write(options.json, "w") as file:
                    json.dump(selftest_tally.document(tallies, command), file, indent=1)
    return problems


def _tally_of(device: cl.Device, options: argparse.Namespace) -> selftest_tally.Tally:
    """Return what has come of the run before, or the tally of a new run."""
    run = device, options.seed or 0, options.points or selftest_random.POINTS
    known = None if options.restart else selftest_tally.load(selftest_tally.state_file(*run))
    return known or selftest_tally.new_tally(*run)


def _run_cases(
    index: str,
    device: cl.Device,
    tally: selftest_tally.Tally,
    say: Callable[..., None],
    options: argparse.Namespace,
) -> list[str]:
    """Run random cases on one device; return what has failed, in this call or before."""
    title = f"{index} {device_label(device)}"
    full = FULL_ON_CPU if device.type & cl.device_type.CPU else FULL
    until = sys.maxsize if options.minutes else options.cases or full
    seconds = 60 * options.minutes if options.minutes else inf
    path = selftest_tally.state_file(device, tally.seed, tally.points)
    say(f"\nRandom cases of seed {tally.seed} on {title}")
    if tally.next:
        say(f"  {tally.next:,} cases of earlier calls count: {path} (--restart begins again)")
        for each in tally.failures:
            say(_failure_lines(each))
    begin = time.monotonic()
    with Progress(
        ceil(min(until, seconds)), "s" if options.minutes else "cases", options.quiet
    ) as bar:
        bar.title = title
        for failure in selftest_tally.advance(tally, device, index, until, seconds, path):
            bar.done = int(time.monotonic() - begin) if options.minutes else tally.next
            if failure:
                say(_failure_lines(failure))
    table = commandline.table(selftest_tally.rows(tally), selftest_tally.HEADER, "<<>>>>>>")
    say(*(f"  {line}" for line in table.splitlines()), f"  {_random_verdict(tally)}")
    return [f"\n{_failure_lines(each)}\n  on {title}" for each in tally.failures]


def _failure_lines(failure: selftest_tally.Failure) -> str:
    return f"  FAIL: case {failure.case}: {failure.problem}\n    {failure.line}"


def _random_verdict(tally: selftest_tally.Tally) -> str:
    cases = tally.next - tally.skipped
    of = f"{cases:,} random cases of {selftest_tally.plans(tally)} plans"
    skipped = f"; {tally.skipped:,} more need double precision" if tally.skipped else ""
    word = f"FAIL: {tally.failed} of {of}" if tally.failed else f"pass: {of}"
    return f"{word} in {tally.seconds:.0f} s{skipped}"


if __name__ == "__main__":
    sys.exit(main())
