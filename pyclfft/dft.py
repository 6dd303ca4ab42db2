"""``python -m pyclfft.dft``: the discrete Fourier transform of samples by its definition."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np

from . import commandline, streams
from .commandline import Clock, Report
from .distributed import csv_samples, direct
from .distributed.bins import wanted_bins
from .distributed.csv_samples import Samples, read_samples
from .distributed.rank_times import TOTAL, RankTimes, Step, repeated, write_times
from .distributed.ranked_dft import STEPS, broadcast, dft_over_ranks, expected_seconds
from .distributed.ranks import Ranks, take_device, world
from .distributed.spectrum_files import Spectrum, require_writer, write_spectrum
from .errors import RankError
from .files import require_writable
from .planning.precision import REAL_DTYPE
from .runtime.describe import device_label
from .runtime.queues import default_queue
from .transforms.real import rfft

PROG = "pyclfft dft"

FFT = "fft"
VARIANTS = (*direct.VARIANTS, FFT)
READ = "read"
LONG_S = 10.0  # seconds from which on a user hears beforehand of a faster way
LEAST_PRODUCTS = 10**7  # fewer products take no time that is worth an estimate

EPILOG = """\
Without -o the result goes beside its input, as NAME_dft.csv, with the columns frequency, real,
imaginary, magnitude and phase (in radians). A .npz file holds the arrays frequency and spectrum. A
picture (.png, .svg, .pdf) shows the samples, and the amplitudes with labelled peaks. A - is
standard input or standard output.

--sample-rate sets the sample rate. Without this option, the command computes the rate from a column
of times. It recognises this column by its header: t, time or seconds, or a header with another
unit, as in "time (ms)". If the file has no header but several columns, the first one counts as
times if it grows in equal steps. Without times, the rate is 1, so that frequencies are in cycles a
sample.

Several processes compute together under MPI: "mpiexec -n 4 pyclfft dft SAMPLES.csv". Each takes a
device. If processes share a CPU, each takes some of its cores. If all devices are of one kind, the
result equals that of a single process, bit for bit. All messages go to standard error."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; the process's by default.

    Returns
    -------
    int
        Exit status: 0, or 2 after an error on any rank.
    """
    return commandline.run(lambda: _main(sys.argv[1:] if argv is None else argv), PROG)


def _main(argv: Sequence[str]) -> int:
    try:
        ranks = world()
        with ranks.only_root_speaks():
            options = parser().parse_args(argv)
        with ranks.or_abort(), ranks.only_root_speaks(), ExitStack() as stack:
            _run(ranks, options, stack)
    except RankError:  # the rank that has failed says why
        return commandline.FAILED
    return 0


class Job(NamedTuple):
    """What the root alone knows.

    Attributes
    ----------
    source : Path or StandIn
        The file that holds the samples.
    target : Path or StandardOutput
        Where the spectrum goes.
    samples : Samples
        What was read.
    """

    source: streams.Source
    target: streams.Target
    samples: Samples

    @property
    def content(self) -> str:
        """What was read, in a few words."""
        values, rate = self.samples.values, self.samples.rate
        known = f", {rate:g} Hz" if self.samples.hertz else ""
        return f"{self.samples.column}, {len(values)} samples{known}"


def _run(ranks: Ranks, options: argparse.Namespace, stack: ExitStack) -> None:
    """Do this rank's part; only the root reads, writes and reports."""
    report, clock = Report(options.quiet), Clock()
    with ranks.together():
        device = take_device(ranks, options.device)
        job = _job(options, clock, stack) if ranks.root else None
    labels = ranks.collect(device_label(device))
    report.heading(*_devices(labels))
    values = job.samples.values.astype(REAL_DTYPE[options.precision]) if job else None
    _announce(ranks, values, options, report)
    with clock.step("transform"):
        found, times = _measured(ranks, values, options)
    with ranks.together():
        if job is not None:
            assert found is not None
            with clock.step("write"):
                _write(job, found, options)
            report(*_lines(job, found, options), f"time    {clock}")
            _tell_times(clock, times, options, report)


def _job(options: argparse.Namespace, clock: Clock, stack: ExitStack) -> Job:
    """Read the samples, once it is clear that the results can be written."""
    (source,) = stack.enter_context(streams.sources([options.samples], lambda beginning: ".csv"))
    target = streams.place(options.output, source, "_dft.csv")
    targets = [target, *([Path(options.timing_csv)] if options.timing_csv else [])]
    streams.prepare([source], targets, [options.output, options.timing_csv], several=False)
    for each in targets:
        if isinstance(each, Path):
            require_writable(each)
    if isinstance(target, Path):
        require_writer(target)
    with clock.step(READ):
        samples = read_samples(source, options.column, options.delimiter, options.sample_rate)
    return Job(source, target, samples)


def _devices(labels: Sequence[str]) -> list[str]:
    """Return what a report says of the devices of all ranks; nothing on the other ranks."""
    kinds = dict.fromkeys(labels)
    counts = [f"{label} x {labels.count(label)}" if len(labels) > 1 else label for label in kinds]
    lines = [f"device  {each}" for each in counts]
    if len(kinds) > 1:
        lines.append("note    the ranks' devices are of several kinds, which round differently")
    return lines


# --- the transform --------------------------------------------------------------------------------


def _announce(
    ranks: Ranks, values: np.ndarray | None, options: argparse.Namespace, report: Report
) -> None:
    """Say before a long computation that it will be long, and what is faster."""
    if options.variant == FFT:
        return
    there = broadcast(ranks, values)
    products = len(there) * (len(options.bins) if options.bins else len(there) // 2 + 1)
    expected = 0.0
    with ranks.together():
        if products > LEAST_PRODUCTS * ranks.size:
            expected = expected_seconds(
                ranks, there, options.bins, options.variant, default_queue()
            )  # fmt: skip
    expected = max(ranks.collect(expected), default=0.0)
    if expected > LONG_S:
        report(
            f"note    this will take about {_duration(expected)}: --variant {FFT} computes the "
            "same numbers by the fast Fourier transform"
        )


def _duration(seconds: float) -> str:
    for unit, length in (("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if seconds > 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"


def _measured(
    ranks: Ranks, values: np.ndarray | None, options: argparse.Namespace
) -> tuple[np.ndarray | None, RankTimes]:
    """Return the bins on the root, and how long each step took on each rank.

    If the user wants several repeats, one more comes before them, in which programs are built.
    """

    def transform(step: Step) -> np.ndarray | None:
        return _transformed(ranks, values, options, step)

    found, seconds = repeated(ranks, transform, 1 + (options.repeats or 0))
    return found, RankTimes((*STEPS, TOTAL), ranks.collect(seconds[1:] or seconds))


def _transformed(
    ranks: Ranks, values: np.ndarray | None, options: argparse.Namespace, step: Step
) -> np.ndarray | None:
    if options.variant != FFT:
        return dft_over_ranks(ranks, values, options.bins, variant=options.variant, step=step)
    with ranks.together():
        if values is None:
            return None
        with step("compute"):
            half = rfft(values)
        if options.bins is None:
            return np.asarray(half)
        wanted = wanted_bins(options.bins, len(values), real=True, sign=-1)
        return wanted.spread(half[list(wanted.computed)])


# --- results --------------------------------------------------------------------------------------


def _write(job: Job, found: np.ndarray, options: argparse.Namespace) -> None:
    bins = np.array(options.bins or range(len(found)), np.int64)
    samples = job.samples
    title = f"{job.source.name}: {job.content}"
    spectrum = Spectrum(bins, found, samples.values, samples.rate, samples.hertz, title)
    with streams.written(job.target, ".csv") as file:
        write_spectrum(file, spectrum)


def _lines(job: Job, found: np.ndarray, options: argparse.Namespace) -> list[str]:
    """Return what a report says of the work."""
    return [
        f"input   {job.source}: {job.content}",
        f"rate    {job.samples.rate_from}",
        f"dft     {len(found)} bins, {options.variant}, {options.precision} precision",
        f"output  {job.target}",
    ]


def _tell_times(
    clock: Clock, times: RankTimes, options: argparse.Namespace, report: Report
) -> None:
    """Print the times of all ranks, and write those of all repeats."""
    times = RankTimes(
        (READ, *times.steps),
        [
            [{**each, **({READ: clock.steps[READ]} if rank == 0 else {})} for each in repeats]
            for rank, repeats in enumerate(times.seconds)
        ],
    )
    if options.timing or options.repeats:
        report(commandline.timing_report(_times_table(times)))
    if options.timing_csv:
        write_times(options.timing_csv, times)
        report(f"times   {options.timing_csv}")


def _times_table(times: RankTimes) -> str:
    """Return the means over the repeats as a table, with a row for each rank."""
    ranks = range(len(times.seconds))
    rows = [[str(rank), *(_ms(times.mean(rank, step)) for step in times.steps)] for rank in ranks]
    for name, choose in (("mean", fmean), ("slowest", max)) if len(ranks) > 1 else ():
        rows.append([name, *(_ms(times.overall(choose, step)) for step in times.steps)])
    return commandline.table(rows, ("rank (ms)", *times.steps), "<" + ">" * len(times.steps))


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.3f}" if seconds >= 0 else "-"


# --- arguments ------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    result = commandline.Parser(
        prog=PROG,
        description="Compute the discrete Fourier transform of samples in a CSV file by its "
        "definition, for any number of samples, on one or several OpenCL devices.",
        epilog=EPILOG,
    )
    add = result.add_argument
    add("samples", type=streams.file_name, metavar="SAMPLES",
        help="a CSV file, with or without a header; lines that begin with # are comments; - reads "
        "standard input")  # fmt: skip
    add("-o", "--output", type=streams.file_name, metavar="PATH",
        help="where the spectrum goes: a file (.csv, .npz, .png, .svg, .pdf), a folder, or - for "
        "CSV on standard output")  # fmt: skip

    add = result.add_argument_group("samples").add_argument
    add("--column", metavar="NAME",
        help="the column of the samples: its name, or its number from 1 (default: the first column "
        "of numbers that does not hold times)")  # fmt: skip
    add("--delimiter", metavar="CHARACTER", type=_delimiter,
        help="what stands between cells, also tab or space (default: ; or tab or , or white space, "
        "the first of these that the first row contains)")  # fmt: skip
    add("--sample-rate", metavar="HZ", type=_rate,
        help="samples a second (default: what a column of times tells, see below)")  # fmt: skip

    group = result.add_argument_group("transform")
    add = group.add_argument
    add("--bins", metavar="K,...", type=_bins,
        help="the bins to compute, such as 0-99,200; bin K of N samples has the frequency K / N "
        "times the sample rate (default: 0 to N / 2)")  # fmt: skip
    add("--variant", choices=VARIANTS, default=direct.TILED,
        help="tiled, the fastest direct sum; global and local, where each work-item reads all "
        "samples from global or from local memory; sequential, a loop on the host, compiled by "
        "Numba; fft, the fast Fourier transform, on one device (default: tiled)")  # fmt: skip
    add("--precision", choices=tuple(REAL_DTYPE), default="double",
        help="the precision of the arithmetic (default: double)")  # fmt: skip
    commandline.add_device(group)

    group = result.add_argument_group("report")
    add = group.add_argument
    add("--repeats", metavar="N", type=commandline.count,
        help="transform N times after a first time that is not counted, and print the mean times "
        "of every step")  # fmt: skip
    add("--timing-csv", metavar="FILE", type=streams.file_name,
        help="write the times of every step, rank and repeat")  # fmt: skip
    talk = group.add_mutually_exclusive_group()
    talk.add_argument("--timing", action="store_true",
                      help="print the time of every step on every rank")  # fmt: skip
    commandline.add_quiet(talk)
    return result


def _delimiter(text: str) -> str:
    if len(text) != 1 and text not in csv_samples.NAMED:
        raise argparse.ArgumentTypeError(f"{text!r} is no character, nor tab or space")
    return text


def _rate(text: str) -> float:
    rate = commandline.number(0)(text)
    if not rate:
        raise argparse.ArgumentTypeError("a sample rate is above 0")
    return rate


def _bins(text: str) -> tuple[int, ...]:
    """Read numbers and ranges, such as ``0-99,200``."""
    found: list[int] = []
    for part in text.split(","):
        ends = re.fullmatch(r"\s*(\d+)\s*(?:-\s*(\d+)\s*)?", part)
        first, last = (int(ends[1]), int(ends[2] or ends[1])) if ends else (1, 0)
        if last < first:
            raise argparse.ArgumentTypeError(f"{part!r} is neither a bin nor a range such as 0-99")
        found += range(first, last + 1)
    return tuple(found)


commandline.make_callable(__name__, direct.dft)

if __name__ == "__main__":
    sys.exit(main())
