"""``python -m pyclfft bench ladder``: five versions of a radix-2 transform, and what each one buys.

One transform of 2, 4, 8 .. points at a time. On the device: by every rung of the ladder, and by the
algorithm that we use. On the host: by a recursion as it is taught, by NumPy, and by FFTW.
"""

from __future__ import annotations

import argparse
from cmath import exp
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isfinite, nan, pi
from pathlib import Path
from typing import Any

import numpy as np
import pyopencl as cl

from .. import commandline
from ..errors import PlanError
from ..planning.solvers import BY_NAME, ladder
from ..runtime import device as devices
from ..runtime.plan import Plan
from . import session, table
from .cases import Case, Workload, size_name
from .environment import environment
from .plot import pyplot, save
from .render import Results, View
from .rivals import AUTO, FFTW, Call, Contender, OnHost, Ours, find_rivals
from .runner import Outcome, Row, Settings, Side, copy_rate
from .table import Column

PROG = "pyclfft bench ladder"
RUNGS = tuple(solver.name for solver in ladder.SOLVERS)
FASTEST = "fastest rung"
STEPS = (  # from one rung to another that changes one thing
    ("ladder1", "ladder2"),
    ("ladder2", "ladder3"),
    ("ladder3", "ladder4"),
    ("ladder3", "compact"),
)
LONGEST = 2**22
LONGEST_RECURSION = 2**20  # more would take longer than all else together
SETTINGS = Settings(samples=21, budget_s=1.0)


# --- contenders -----------------------------------------------------------------------------------


class Rung(Ours):
    """A version of the ladder, by its name."""

    def __init__(self, queue: cl.CommandQueue, algorithm: str) -> None:
        super().__init__(queue, algorithm)
        self.name = algorithm

    def plan(self, workload: Workload) -> Plan:
        """Plan; what it cannot take it refuses with one reason for all lengths."""
        try:
            return super().plan(workload)
        except PlanError as error:
            raise PlanError(f"it takes {BY_NAME[self.name].requirement}") from error


class NumPy(OnHost):
    """numpy.fft, on one core. It allocates its result."""

    name = "numpy"
    version = np.__version__

    def prepare(self, workload: Workload, source: np.ndarray) -> Call:
        """Return the call."""
        return self._keeping(workload, lambda: np.fft.fft(source))


class Recursive(OnHost):
    """The fast Fourier transform as it is taught, from a list to a list."""

    name = "recursive"
    version = "in Python, in double precision"

    def prepare(self, workload: Workload, source: np.ndarray) -> Call:
        """Return the call, unless it takes too long."""
        if workload.case.points > LONGEST_RECURSION:
            raise PlanError(f"over {size_name((LONGEST_RECURSION,))} points it takes too long")
        points = source[0].tolist()
        return self._keeping(workload, lambda: recursive_fft(points))

    def fetch(self, indices: Sequence[int]) -> np.ndarray:
        """Return the result as an array."""
        return np.array([self._result])


def recursive_fft(x: Sequence[complex]) -> Sequence[complex]:
    """Transform 2^k points by transforming those of even and those of odd indices.

    Parameters
    ----------
    x : sequence of complex
        The points.

    Returns
    -------
    sequence of complex
        As many.

    References
    ----------
    J. W. Cooley, J. W. Tukey, "An algorithm for the machine calculation of complex Fourier
    series", Math. Comp. 19 (1965).
    """
    n = len(x)
    if n == 1:
        return x
    even, odd = recursive_fft(x[::2]), recursive_fft(x[1::2])
    pairs = [(a, exp(-2j * pi * k / n) * b) for k, (a, b) in enumerate(zip(even, odd, strict=True))]
    return [a + b for a, b in pairs] + [a - b for a, b in pairs]


# --- the command ----------------------------------------------------------------------------------


def main(argv: Sequence[str]) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str
        Arguments, behind ``bench ladder``.

    Returns
    -------
    int
        Exit status: 0; 1 where a result of ours is wrong; 2 after an error.
    """
    return commandline.run(lambda: _main(argv), PROG)


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    result = commandline.Parser(
        prog=PROG,
        description="Measure the five versions of a radix-2 transform beside each other, the "
        "algorithm that we use, NumPy, FFTW if pyFFTW is there, and a recursion in Python: one "
        "transform of 2, 4, 8 .. points at a time. Let nothing else run meanwhile.",
    )
    session.add_options(
        result,
        SETTINGS.samples,
        "time, bandwidth and speed-up over the length: three files, whose names have -time, "
        "-bandwidth and -speedup before the extension",
    )
    result.add_argument(
        "--longest",
        metavar="N",
        type=_power_of_two,
        default=LONGEST,
        help=f"points of the longest transform (default: {size_name((LONGEST,))})",
    )
    return result


def _power_of_two(text: str) -> int:
    n = commandline.count(text)
    if n & (n - 1) or not 2 <= n <= ladder.MAX_LENGTH:
        most = size_name((ladder.MAX_LENGTH,))
        raise argparse.ArgumentTypeError(f"{text!r} is no power of two from 2 to {most}")
    return n


def _main(argv: Sequence[str]) -> int:
    options = parser().parse_args(argv)
    session.require(options)
    device = devices.select_device(options.device)
    queue = devices.queue_of(devices.context_of(device))
    fftw, notes = find_rivals(AUTO, queue, {"fftw": lambda _: FFTW()})
    rungs = (Rung(queue, name) for name in RUNGS)
    contenders: tuple[Contender, ...] = (Ours(queue), *rungs, *fftw, NumPy(), Recursive())
    cases = [Case((2**k,), batch=1) for k in range(1, options.longest.bit_length())]
    settings = replace(SETTINGS, samples=options.samples)
    results = Results(
        environment=environment((device,), contenders),
        contenders=tuple(each.name for each in contenders),
        elements=options.longest,
        settings=settings,
        copy=copy_rate(queue, cases[-1].sized(1).nbytes // 2, settings),
        view=VIEW,
    )
    results = session.measure_cases(results, cases, (Side(contenders),), options, notes)
    return session.finish(results, options, write_plots)


# --- what is shown --------------------------------------------------------------------------------


LEGEND = f"""\
milliseconds of one transform, median, those of the device with arrays there; GB/s: input read once
and result written once, by the {FASTEST}; behind it the others' times over that rung's: above 1
where it is faster"""


def ms(row: Row, name: str) -> float:
    """Return a contender's time, or the least of the rungs'; not a number where there is none."""
    names = RUNGS if name == FASTEST else (name,)
    times = [each.ms.median for each in row.outcomes if each.contender in names]
    return min(filter(isfinite, times), default=nan)


def gb_per_s(row: Row, name: str) -> float:
    """Return a contender's effective bandwidth."""
    return row.workload.nbytes / ms(row, name) / 1e6


def speedup(row: Row, name: str, over: str) -> float:
    """Return how many times as fast a contender is as another one."""
    return ms(row, over) / ms(row, name)


def others(contenders: Sequence[str]) -> list[str]:
    """Return the names of what the ladder is compared with."""
    return [name for name in contenders if name not in RUNGS]


def points(row: Row) -> str:
    """Return the length as text."""
    return size_name(row.workload.case.lengths)


def columns(results: Results) -> tuple[Column, ...]:
    """Return the columns: everybody's time, and what the fastest rung comes to."""
    return (
        Column("points", 6, points),
        *(_time(n, name) for n, name in enumerate(results.contenders)),
        Column("GB/s", 6, lambda row: table.number(gb_per_s(row, FASTEST), ".3g")),
        *(_speedup(name) for name in others(results.contenders)),
    )


def _time(n: int, name: str) -> Column:
    return Column(name, max(8, len(name)), lambda row: table.time(row.outcomes[n]))


def _speedup(over: str) -> Column:
    heading = f"/{over}"
    return Column(
        heading, len(heading), lambda row: table.number(speedup(row, FASTEST, over), ".3g")
    )


def summary(results: Results) -> Iterator[str]:
    """Yield what each step up the ladder buys, how it stands beside the others, and who wins."""
    steps = (*STEPS, *((name, FASTEST) for name in others(results.contenders)))
    for slower, faster in steps:
        ratios = {points(row): speedup(row, faster, slower) for row in results.rows}
        known = {name: ratio for name, ratio in ratios.items() if isfinite(ratio)}
        extremes = [f"{known[at]:.3g} ({at})" for at in sorted(known, key=known.__getitem__)]
        mean = table.mean_of(list(ratios.values()), "lengths", None)
        yield f"{slower} / {faster}, {mean}, {' to '.join(extremes[:1] + extremes[-1:])}"
    for name in RUNGS:
        won = [points(row) for row in results.rows if ms(row, name) == ms(row, FASTEST)]
        yield f"{name} is the {FASTEST} for: {table.listed(won)}"


def figures(row: Row, outcome: Outcome) -> dict[str, Any]:
    """Return an outcome's bandwidth, and how many times as fast it is as each of the others."""
    name = outcome.contender
    over = others([each.contender for each in row.outcomes])
    return {
        "gb_per_s": gb_per_s(row, name),
        "speedup": {other: speedup(row, name, other) for other in over},
    }


VIEW = View(
    columns, LEGEND, summary, scope="one transform at a time of up to {:,} points", figures=figures
)


# --- pictures -------------------------------------------------------------------------------------


def write_plots(path: str, results: Results) -> None:
    """Draw run time, bandwidth and speed-up over the length, on logarithmic axes.

    Parameters
    ----------
    path : str
        To whose name -time, -bandwidth and -speedup are added, before the extension, which names
        the format: png, svg, pdf; png without one.
    results : Results
        What was measured.
    """
    rows, everyone = results.rows, results.contenders
    pictures = {
        "time": (
            "milliseconds for one transform",
            {name: [ms(row, name) for row in rows] for name in everyone},
        ),
        "bandwidth": (
            "GB/s, input read once and result written once",
            {name: [gb_per_s(row, name) for row in rows] for name in everyone},
        ),
        "speedup": (
            f"speed of the {FASTEST}, as a multiple",
            {
                f"of {name}": [speedup(row, FASTEST, name) for row in rows]
                for name in others(everyone)
            },
        ),
    }
    target = Path(path)
    for word, (label, lines) in pictures.items():
        name = f"{target.stem}-{word}{target.suffix or '.png'}"
        _draw(target.with_name(name), label, lines, results)


def _draw(path: Path, label: str, lines: dict[str, list[float]], results: Results) -> None:
    plots = pyplot()
    figure, axes = plots.subplots(figsize=(9, 5.5), layout="constrained")
    lengths = [row.workload.case.points for row in results.rows]
    for name, values in lines.items():
        style = "o-" if name in RUNGS else "s--"
        axes.plot(lengths, values, style, markersize=3.5, label=name)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("points")
    axes.set_ylabel(label)
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small", ncols=2)
    title = f"{results.environment['device']}, {results.environment['date']}"
    axes.set_title(title, fontsize="small", wrap=True)
    save(figure, path, dpi=100)
    plots.close(figure)
