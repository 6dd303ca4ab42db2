"""``python -m pyclfft bench dft``: the direct transform in parallel, beside a report's figures.

It measures the loop on the host, MPI's ranks, the kernels on a device and the fast transform, by
the number of samples, by the number of ranks, and by the work-items of a group.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import nan

from .. import commandline
from ..distributed.ranks import Ranks
from ..runtime import choice, describe, queues
from . import render, session
from .dft_plots import PICTURES, write_plots
from .dft_ranks import measure_over_ranks
from .dft_sweeps import (
    BOUND,
    GROUP_POINTS,
    GROUPS,
    LENGTHS,
    OVER_RANKS,
    POINTS,
    PROG,
    RANK_COUNTS,
    RANK_POINTS,
    RANKS,
    SWEEPS,
    Entry,
    Job,
    Results,
    as_json,
    jobs_alone,
    jobs_of_groups,
    jobs_of_ranks,
    measure_all,
    occupancy_at,
)
from .dft_view import as_markdown, as_text
from .environment import environment, host
from .rivals import cores

SAMPLES = 5
LIMIT_S = 20.0
REPORTS_RANKS = 8  # for which the report draws the time by length
ALL = "all"


def main(argv: Sequence[str]) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str
        Arguments of the command, after ``bench dft``.

    Returns
    -------
    int
        Exit status: 0 if all went well; 1 if a result is wrong; 2 after an error.
    """
    return commandline.run(lambda: _main(argv), PROG)


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    result = commandline.Parser(
        prog=PROG,
        description="Measure the direct transform of real samples in double precision: as a loop "
        "on the host, over MPI's ranks, and by the kernels of a device. Measure the fast Fourier "
        "transform, too. A time lasts from the samples on the host to the bins on the host. "
        f"Results are compared with NumPy's. A relative error above {BOUND:g} is wrong. Let "
        "nothing else run meanwhile.",
    )
    session.add_options(
        result,
        SAMPLES,
        f"several pictures, to whose names it adds {', '.join(f'-{each}' for each in PICTURES)}",
    )
    add = result.add_argument
    add(
        "--sweep",
        metavar="NAME,...",
        type=_sweeps,
        default=tuple(SWEEPS),
        help="; ".join(f"{name}: {what}" for name, what in SWEEPS.items())
        + f"; {ALL} (default: {ALL})",
    )
    add(
        "--points",
        metavar="N,...",
        type=counts,
        default=POINTS,
        help="the numbers of samples in the sweep over lengths (default: 100 to 100000)",
    )
    add(
        "--ranks",
        metavar="N,...",
        type=counts,
        default=RANK_COUNTS,
        help="the numbers of ranks in the sweep over ranks (default: "
        f"{','.join(map(str, RANK_COUNTS))})",
    )
    add(
        "--rank-points",
        metavar="N",
        type=commandline.count,
        default=RANK_POINTS,
        help=f"the number of samples in the sweep over ranks (default: {RANK_POINTS})",
    )
    add(
        "--limit",
        metavar="S",
        type=_seconds,
        default=LIMIT_S,
        help="if a transform should take longer, measure fewer samples and scale their time "
        f"(default: {LIMIT_S:g} s)",
    )
    return result


def _sweeps(text: str) -> tuple[str, ...]:
    """Return the sweeps that the text of ``--sweep`` names, in the order of `SWEEPS`."""
    names = text.split(",")
    if unknown := [name for name in names if name not in (*SWEEPS, ALL)]:
        raise argparse.ArgumentTypeError(
            f"there is no sweep {unknown[0]!r}: choose from {', '.join((*SWEEPS, ALL))}"
        )
    return tuple(name for name in SWEEPS if name in names or ALL in names)


def counts(text: str) -> tuple[int, ...]:
    """Return numbers in order."""
    return tuple(sorted({commandline.count(each) for each in text.split(",")}))


def _seconds(text: str) -> float:
    seconds = commandline.number(0)(text)
    if not seconds:
        raise argparse.ArgumentTypeError("the limit is above 0")
    return seconds


def _main(argv: Sequence[str]) -> int:
    options = parser().parse_args(argv)
    session.require(options)
    device = choice.select_device(options.device)
    choice.use_device(device)
    about = {**environment((device,), ()), "host": host()}
    results = Results(about, cores(), options.limit, {})
    print(commandline.table(list(about.items())), flush=True)
    tasks = [task for sweep in options.sweep for task in TASKS[sweep](options)]
    with commandline.Progress(len(tasks), "parts") as progress:
        for sweep, title, measured in tasks:
            progress.title = title
            for entry in measured():
                results = results.with_entry(sweep, entry)
                if options.json:
                    render.write(options.json, as_json(results))
            progress.done += 1
    print("", as_text(results), sep="\n")
    if options.markdown:
        render.write(options.markdown, as_markdown(results))
    if options.plot:
        write_plots(options.plot, results)
    return int(results.wrong)


# --- what each sweep measures ---------------------------------------------------------------------

Task = tuple[str, str, Callable[[], Iterator[Entry]]]  # a sweep, what is measured, and how


def _alone(options: argparse.Namespace, jobs: Sequence[Job]) -> Iterator[Entry]:
    queue = queues.default_queue()
    return measure_all(Ranks(), jobs, queue, options.samples, options.limit)


def _over_ranks(options: argparse.Namespace, jobs: Sequence[Job]) -> Iterator[Entry]:
    yield from measure_over_ranks(jobs, options.device, options.samples, options.limit)


def _lengths(options: argparse.Namespace) -> Iterator[Task]:
    yield LENGTHS, "one process", partial(_alone, options, jobs_alone(options.points))
    for ranks in sorted({cores(), REPORTS_RANKS}):
        jobs = jobs_of_ranks(options.points, ranks)
        yield LENGTHS, f"{ranks} ranks", partial(_over_ranks, options, jobs)


def _ranks(options: argparse.Namespace) -> Iterator[Task]:
    for ranks in options.ranks:
        jobs = [Job(variant, options.rank_points, ranks) for variant in OVER_RANKS]
        yield RANKS, f"{ranks} ranks", partial(_over_ranks, options, jobs)


def _groups(options: argparse.Namespace) -> Iterator[Task]:
    def measured() -> Iterator[Entry]:
        queue = queues.default_queue()
        most = describe.traits(queue.device).max_work_group_size
        for entry in _alone(options, jobs_of_groups(GROUP_POINTS, most)):
            known = nan if entry.reason else occupancy_at(queue.context, entry.job)
            yield replace(entry, occupancy=known)

    yield GROUPS, "work-items a group", measured


TASKS: dict[str, Callable[[argparse.Namespace], Iterator[Task]]] = {
    LENGTHS: _lengths,
    RANKS: _ranks,
    GROUPS: _groups,
}
