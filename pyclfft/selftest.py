"""``python -m pyclfft selftest``: check what every device of this machine computes."""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from math import ceil
from typing import Any

from . import commandline, selftest_cases
from .commandline import Progress, Report
from .runtime.choice import select_device
from .runtime.describe import device_label
from .runtime.runtimes import defect, listing
from .selftest_cases import Outcome

PROG = "pyclfft selftest"

# Every platform with its devices, as `listing` returns them.
Groups = Sequence[tuple[Any, Sequence[Any]]]

COLD_CHECK = 1.4  # the most seconds that a check takes if its kernels have to be compiled


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
        description="Compare what every device computes with NumPy's results in double precision.",
        epilog="The first run compiles the kernels of all checks, which takes a minute or two; "
        "with --quick it takes less than 15 s on two cores. Later runs take seconds. The exit "
        'status is 1 where a device fails a check. "pyclfft info --report" writes the results to a '
        "file, with all that is known of the devices.",
    )
    result.add_argument(
        "--quick", action="store_true", help="make a few of the checks, one of each family"
    )
    commandline.add_device(result, "check only this device", "all devices")
    commandline.add_quiet(result)
    return result


def _main(argv: Sequence[str]) -> int:
    options = parser().parse_args(argv)
    groups = examined()
    chosen = select_device(options.device)  # which says what is missing, if there is none
    tested = [each for each in numbered(groups) if not options.device or each[1] == chosen]
    report = Report(options.quiet, to="stdout")
    problems = run(tested, report, quick=options.quick, quiet=options.quiet)
    if options.quiet and problems:
        Report(to="stdout")(*(problem.strip() for problem in problems))
    return int(bool(problems))


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


if __name__ == "__main__":
    sys.exit(main())
