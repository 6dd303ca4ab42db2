"""``python -m pyclfft selftest``: check what every device of this machine computes."""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from math import ceil, inf
from pathlib import Path
from typing import Any

import pyopencl as cl

from . import (
    commandline,
    selftest_cases,
    selftest_memory,
    selftest_random,
    selftest_stress,
    selftest_tally,
)
from .commandline import Progress, Report
from .errors import PyclfftError
from .files import atomic_write, private_folder, require_writable
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
        "data folder, unless it has --stress or --plans: the same call, or one with more cases or "
        "minutes, goes on where it ended.",
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
    much.add_argument(
        "--plans", metavar="N", type=commandline.count,
        help=f"make N plans on each device, {selftest_memory.LEAST} or more, and drop them; fail "
        "if that leaves memory behind",
    )  # fmt: skip
    add("--stress", action="store_true",
        help="run the random cases in several threads, which share plans and queues (default: "
        f"--minutes {selftest_stress.MINUTES:g})")  # fmt: skip
    add("--seed", metavar="S", type=commandline.natural,
        help="the seed of the random cases (default: 0); case number k of a seed is always the "
        "same")  # fmt: skip
    add("--points", metavar="N", type=commandline.count,
        help="the most elements of an array in a random case (default: "
        f"{selftest_random.POINTS:,}; {selftest_stress.POINTS:,} with --stress, "
        f"{selftest_memory.POINTS:,} with --plans)")  # fmt: skip
    add("--restart", action="store_true",
        help="begin with the first random case, whatever has run before")  # fmt: skip
    add("--json", metavar="FILE", help="write the results of random cases, or of --plans")
    commandline.add_device(result, "check only this device", "all devices")
    commandline.add_quiet(result)
    return result


def _main(argv: Sequence[str]) -> int:
    options = parser().parse_args(argv)
    if options.stress:
        _require_threads(options)
    is_random = options.full or options.minutes or options.cases or options.plans
    _require_random(options, is_random)
    _require_samples(options)
    groups = examined()
    chosen = select_device(options.device)  # which says what is missing, if there is none
    tested = [each for each in numbered(groups) if not options.device or each[1] == chosen]
    report = Report(options.quiet, to="stdout")
    problems: list[str] = []
    if options.full or not is_random:
        problems += run(tested, report, quick=options.quick, quiet=options.quiet)
    if is_random:
        way = _in_threads if options.stress else _plans if options.plans else _one_by_one
        problems += run_random(way, tested, report, options, " ".join([PROG, *argv]))
    if options.quiet and problems:
        Report(to="stdout")(*(problem.strip() for problem in problems))
    return int(bool(problems))


def _require_threads(options: argparse.Namespace) -> None:
    """Refuse options that --stress does not go with, and let it take its time."""
    for name in ("quick", "full", "cases", "plans", "restart"):
        if getattr(options, name):
            raise PyclfftError(f"--stress does not go with --{name}: add --minutes M, or nothing")
    options.minutes = options.minutes or selftest_stress.MINUTES


def _require_random(options: argparse.Namespace, is_random: bool) -> None:
    """Refuse options that say nothing about the fixed checks, and a file that cannot be written."""
    for name in ("seed", "points", "restart", "json"):
        if getattr(options, name) not in (None, False) and not is_random:
            raise PyclfftError(
                f"--{name} is about random cases: add --full, --minutes M, --cases N or --plans N"
            )
    if options.json:
        require_writable(options.json)  # before the cases, which take minutes


def _require_samples(options: argparse.Namespace) -> None:
    """Refuse so few plans that the memory after them cannot be compared with an earlier one."""
    if options.plans and options.plans < selftest_memory.LEAST:
        raise PyclfftError(
            f"--plans {options.plans} measures the memory only once, so that nothing can be "
            f"compared: make {selftest_memory.LEAST} plans or more, for example --plans 3000"
        )


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


# One way of running random cases on a device, which is given with its index. It says what comes of
# them, and returns what has failed, in words, and the results for the JSON file.
Way = Callable[
    [str, cl.Device, Callable[..., None], argparse.Namespace], tuple[list[str], dict[str, Any]]
]


def run_random(
    way: Way,
    tested: Sequence[tuple[str, Any]],
    say: Callable[..., None],
    options: argparse.Namespace,
    command: str,
) -> list[str]:
    """Run random cases on devices one after the other, and say what comes of them.

    Parameters
    ----------
    way : function
        Runs the cases on one device.
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
    runs: list[dict[str, Any]] = []
    problems: list[str] = []
    for index, device in tested:
        if not defect(device):
            failed, results = way(index, device, say, options)
            problems += failed
            runs.append(results)
            if options.json:  # after each device, so that nothing is lost
                with atomic_write(options.json, "w") as file:
                    json.dump(selftest_tally.document(runs, command), file, indent=1)
    return problems


def _tally_of(device: cl.Device, options: argparse.Namespace) -> selftest_tally.Tally:
    """Return what has come of the run before, or the tally of a new run."""
    run = device, options.seed or 0, options.points or selftest_random.POINTS
    known = None if options.restart else selftest_tally.load(selftest_tally.state_file(*run))
    return known or selftest_tally.new_tally(*run)


def _one_by_one(
    index: str, device: cl.Device, say: Callable[..., None], options: argparse.Namespace
) -> tuple[list[str], dict[str, Any]]:
    """Run random cases one after the other; what failed in earlier calls counts, too."""
    tally = _tally_of(device, options)
    title = f"{index} {device_label(device)}"
    full = FULL_ON_CPU if device.type & cl.device_type.CPU else FULL
    until = sys.maxsize if options.minutes else options.cases or full
    seconds = 60 * options.minutes if options.minutes else inf
    path, refusal = _state_file(device, tally)
    say(f"\nRandom cases of seed {tally.seed} on {title}")
    if tally.next:
        say(f"  {tally.next:,} cases of earlier calls count: {path} (--restart begins again)")
        for each in tally.failures:
            say(_failure_lines(each))
    if refusal:
        say(f"  what comes of the cases is not kept: {refusal}")
    begin = time.monotonic()
    with Progress(
        ceil(min(until, seconds)), "s" if options.minutes else "cases", options.quiet
    ) as bar:
        bar.title = title
        for failure in selftest_tally.advance(tally, device, index, until, seconds, path):
            bar.done = int(time.monotonic() - begin) if options.minutes else tally.next
            if failure:
                say(_failure_lines(failure))
    _say_tally(tally, say, _random_verdict(tally))
    return _problems_of(tally, title), {**asdict(tally), "plans": selftest_tally.plans(tally)}


def _in_threads(
    index: str, device: cl.Device, say: Callable[..., None], options: argparse.Namespace
) -> tuple[list[str], dict[str, Any]]:
    """Run random cases in several threads."""
    title, seconds = f"{index} {device_label(device)}", 60 * options.minutes
    stress = selftest_stress.Stress(
        device, index, options.seed or 0, options.points or selftest_stress.POINTS
    )
    say(f"\nRandom cases of seed {stress.tally.seed} in threads on {title}")
    begin = time.monotonic()
    with Progress(ceil(seconds), "s", options.quiet) as bar:
        bar.title = title
        for failure in stress.run(seconds):
            bar.done = int(time.monotonic() - begin)
            if failure:
                say(_failure_lines(failure))
    verdict = selftest_stress.verdict(stress)
    _say_tally(stress.tally, say, verdict)
    problems = _problems_of(stress.tally, title)
    if not stress.tally.next:
        problems.append(f"\n  {verdict}\n  on {title}")
    return problems, selftest_stress.record(stress)


def _plans(
    index: str, device: cl.Device, say: Callable[..., None], options: argparse.Namespace
) -> tuple[list[str], dict[str, Any]]:
    """Make plans and drop them, and look what memory that leaves behind."""
    label = device_label(device)
    points = options.points or selftest_memory.POINTS
    say(f"\nMemory while plans are made and dropped on {index} {label}")
    samples = []
    with Progress(options.plans, "plans", options.quiet) as bar:
        bar.title = f"{index} {label}"
        for sample in selftest_memory.run(device, options.plans, options.seed or 0, points):
            samples.append(sample)
            bar.done = sample.plans
    problems = selftest_memory.problems_of(samples)
    table = commandline.table(
        [selftest_memory.row(each) for each in samples], selftest_memory.HEADER, ">>>>>"
    )
    words = "FAIL: " + "; ".join(problems) if problems else f"pass: {options.plans:,} plans"
    say(*(f"  {line}" for line in table.splitlines()), f"  {words}")
    results = {"device": label, "problems": problems, "samples": [asdict(each) for each in samples]}
    return [f"\n  FAIL: {each}\n  on {index} {label}" for each in problems], results


def _say_tally(tally: selftest_tally.Tally, say: Callable[..., None], verdict: str) -> None:
    table = commandline.table(selftest_tally.rows(tally), selftest_tally.HEADER, "<<>>>>>>")
    say(*(f"  {line}" for line in table.splitlines()), f"  {verdict}")


def _problems_of(tally: selftest_tally.Tally, title: str) -> list[str]:
    return [f"\n{_failure_lines(each)}\n  on {title}" for each in tally.failures]


def _state_file(device: cl.Device, tally: selftest_tally.Tally) -> tuple[Path | None, str]:
    """Return the file that keeps the state of a run; None, and why, if it cannot be written."""
    path = selftest_tally.state_file(device, tally.seed, tally.points)
    try:
        private_folder(path.parent)
        require_writable(path)
    except OSError as error:
        return None, commandline.describe(error)
    return path, ""


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
