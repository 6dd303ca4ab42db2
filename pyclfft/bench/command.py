"""``python -m pyclfft bench``: how fast transforms are here, beside other libraries'."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from .. import commandline
from ..planning.solvers import BY_NAME
from ..planning.traits import Traits
from ..runtime import device as devices
from . import render
from .calls import measure_calls
from .cases import ELEMENTS, Case, parse_count, select
from .compare import compare
from .environment import environment
from .plot import pyplot, write_plot
from .render import Results
from .rivals import AUTO, NONE, RIVALS, Contender, Ours, find_rivals
from .runner import Noise, Settings, copy_rate, measure, scipy_fft
from .startup import measure_startup

PROG = "pyclfft bench"
SETTINGS = Settings()
ELEMENTS_ON_CPU = 2**22
SINGLE, DOUBLE = 8, 16  # bytes of a complex number
BUFFERS = 8  # for all contenders together, in double precision


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; the process's by default.

    Returns
    -------
    int
        Exit status: 0; 1 where a result of ours is wrong, or `--compare` finds something slower;
        2 after an error.
    """
    return commandline.run(lambda: _main(sys.argv[1:] if argv is None else argv), PROG)


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    result = commandline.Parser(
        prog=PROG,
        description="Measure transforms of arrays on the device, check their results, and compare "
        "with other libraries, all taking turns. Let nothing else run on the device meanwhile.",
    )
    add = result.add_argument
    add(
        "--cases",
        metavar="NAME,...",
        default="all",
        help="groups or names of cases; * and ? are wildcards, ! leaves out (default: all)",
    )
    add("--list", action="store_true", help="show the cases and groups, and measure nothing")
    add(
        "--elements",
        metavar="N",
        type=_count,
        help="of each case in all, such as 2^20 or 1e6 (default: 2^26; on CPUs 2^22)",
    )
    add("--device", metavar="SPEC", help='a part of its name, "gpu", "cpu" or "0:1"')
    add("--algorithm", choices=BY_NAME, help="of ours (default: the first that applies)")
    add(
        "--rivals",
        metavar="NAME,...",
        default=AUTO,
        help=f"{AUTO} (all that there are), {NONE}, or of {', '.join(RIVALS)} (default: {AUTO})",
    )
    add(
        "--samples",
        metavar="N",
        type=_count,
        default=SETTINGS.samples,
        help=f"of each contender at each case (default: {SETTINGS.samples})",
    )
    add("--plan-time", action="store_true", help="measure the time from a plan to its first result")
    add("--call", action="store_true", help="measure what a call costs the host")
    add("--json", metavar="FILE", help="write everything; after each case, so that nothing is lost")
    add("--markdown", metavar="FILE", help="write the tables")
    add("--plot", metavar="FILE", help="draw bars (png, svg or pdf); needs matplotlib")
    add(
        "--compare",
        metavar=("BEFORE", "AFTER"),
        nargs=2,
        help="measure nothing, but compare two files of --json",
    )
    return result


def _count(text: str) -> int:
    try:
        return parse_count(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _main(argv: Sequence[str]) -> int:
    options = parser().parse_args(argv)
    if options.compare:
        comparison = compare(*options.compare)
        print(comparison)
        return int(comparison.slower)
    cases = select(options.cases.split(","))
    if options.list:
        print(render.case_list(options.elements or ELEMENTS, cases))
        return 0
    results = _measured(options, cases)
    _say_end(results)
    _write(options, results)
    return int(results.failed)


def _measured(options: argparse.Namespace, cases: Sequence[Case]) -> Results:
    """Measure all that is asked for."""
    device = devices.select_device(options.device)
    traits = devices.traits(device)
    elements = options.elements or default_elements(traits)
    _require(options)
    queue = devices.queue_of(devices.context_of(device))
    rivals, notes = find_rivals(options.rivals, queue)
    contenders = [Ours(queue, options.algorithm), *rivals]
    settings = replace(SETTINGS, samples=options.samples)
    results = Results(
        environment=environment(device, contenders),
        contenders=tuple(each.name for each in contenders),
        elements=elements,
        settings=settings,
        copy=copy_rate(queue, elements * SINGLE, settings),
    )
    if too_long := [case.name for case in cases if case.points > elements]:
        notes.append(f"longer than {elements:,}, left out: {', '.join(too_long)}")
    _say_beginning(results, notes)
    fitting = [case for case in cases if case.points <= elements]
    results = _measure_cases(results, fitting, contenders, options)
    if options.plan_time:
        startup = measure_startup(options.device, traits, elements, options.algorithm)
        results = replace(results, startup=tuple(startup))
    if options.call:
        results = replace(results, calls=tuple(measure_calls(queue, options.algorithm)))
    return results


def _measure_cases(
    results: Results,
    cases: Sequence[Case],
    contenders: Sequence[Contender],
    options: argparse.Namespace,
) -> Results:
    """Measure the cases; print and keep each as soon as it is known."""
    table, noise = render.columns(results), Noise()
    print(f"\n{render.header(table)}", flush=True)
    for case in cases:
        row = measure(case.sized(results.elements), contenders, noise, results.settings)
        results = replace(results, rows=(*results.rows, row))
        print(render.line(table, row), flush=True)
        _write_json(options, results)
    return results


def default_elements(traits: Traits) -> int:
    """Return how many elements suit a device: a power of two that its memory holds.

    Parameters
    ----------
    traits : Traits
        Of the device.

    Returns
    -------
    int
        2^26 or less, on CPUs 2^22 or less.
    """
    room = min(traits.max_alloc_bytes, traits.global_mem_bytes // BUFFERS) // DOUBLE
    return min(ELEMENTS_ON_CPU if traits.is_cpu else ELEMENTS, 1 << max(room, 1).bit_length() - 1)


def _require(options: argparse.Namespace) -> None:
    """Say what is missing now, not after minutes."""
    scipy_fft()
    if options.plot:
        pyplot()
    for name in (options.json, options.markdown, options.plot):
        if name and not Path(name).absolute().parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)


def _say_beginning(results: Results, notes: Sequence[str]) -> None:
    print(commandline.table(list(results.environment.items())))
    print(f"\n{results.elements:,} elements in each case; {render.copy_line(results)}")
    print(render.LEGEND, *notes, sep="\n")


def _say_end(results: Results) -> None:
    print("", *render.summary(results), sep="\n")
    for heading, rows in render.extra_tables(results):
        print(f"\n{commandline.table(rows, heading, '<' + '>' * (len(heading) - 1))}")


def _write(options: argparse.Namespace, results: Results) -> None:
    _write_json(options, results)
    if options.markdown:
        render.write(options.markdown, render.as_markdown(results))
    if options.plot:
        write_plot(options.plot, results)


def _write_json(options: argparse.Namespace, results: Results) -> None:
    if options.json:
        render.write(options.json, render.as_json(results))


if __name__ == "__main__":
    sys.exit(main())
