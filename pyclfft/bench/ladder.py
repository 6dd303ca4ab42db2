"""``python -m pyclfft bench ladder``: five versions of a radix-2 transform, and what each one buys.

One transform of 2, 4, 8 .. points at a time is computed on the device and on the host. On the
device: by every rung of the ladder, by the two algorithms that its report would have tried next,
and by the algorithm that pyclfft chooses. On the host: by a compiled recursion, by NumPy, and by
FFTW.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from itertools import chain
from typing import Any

import numpy as np
import pyopencl as cl

from .. import commandline
from ..errors import PlanError
from ..planning.solvers import BY_NAME
from ..planning.solvers.textbook import ladder
from ..runtime import choice, queues
from ..runtime.plan import Plan
from . import recursion, session
from .cases import Case, Workload, size_name
from .environment import environment, host
from .kernels import kernel_times
from .ladder_plots import PICTURES, write_plots
from .ladder_view import OUTLOOK, RUNGS, VIEW
from .render import Results
from .rivals import AUTO, FFTW, Call, Contender, OnHost, Ours, cores, find_rivals
from .runner import Noise, Settings, Side, copy_rate

PROG = "pyclfft bench ladder"
LONGEST = 2**22
SETTINGS = Settings(samples=21, budget_s=1.0)


# --- contenders -----------------------------------------------------------------------------------


class Rung(Ours):
    """One of the ladder's five rungs, or one of the two algorithms of its outlook, by name."""

    def __init__(self, queue: cl.CommandQueue, algorithm: str) -> None:
        super().__init__(queue, algorithm)
        self.name = algorithm

    def plan(self, workload: Workload) -> Plan:
        """Plan; if the algorithm does not take the length, give one reason for all lengths."""
        try:
            return super().plan(workload)
        except PlanError as error:
            raise PlanError(f"it takes {BY_NAME[self.name].requirement}") from error


class NumPy(OnHost):
    """numpy.fft on one core. It allocates its result."""

    name = "numpy"
    version = np.__version__

    def prepare(self, workload: Workload, source: np.ndarray) -> Call:
        """Return a call of numpy.fft, which keeps its result."""
        return self._keeping(workload, lambda: np.fft.fft(source))


class Recursive(OnHost):
    """The fast Fourier transform as it is taught: a compiled recursion on one core."""

    name = recursion.NAME

    def __init__(self) -> None:
        self._transform = recursion.compiled_recursion()
        self.version = f"Numba {import_module('numba').__version__}, single precision, 1 thread"

    def prepare(self, workload: Workload, source: np.ndarray) -> Call:
        """Return a call of the recursion, which keeps its result."""
        points = np.ascontiguousarray(source[0])
        return self._keeping(workload, lambda: self._transform(points))

    def fetch(self, indices: Sequence[int]) -> np.ndarray:
        """Return the result as an array of one transform."""
        return np.array([self._result])


def _fftws() -> list[Contender]:
    """Return FFTW with one thread, and if there are several cores, FFTW with one thread a core."""
    return [FFTW(threads) for threads in sorted({1, cores()})]


# Baselines, each of which may need a library; `find_rivals` says which libraries are missing.
BASELINES: Mapping[str, Callable[[Any], list[Contender]]] = {
    "fftw": lambda _: _fftws(),
    "numpy": lambda _: [NumPy()],
    recursion.NAME: lambda _: [Recursive()],
}


# --- the command ----------------------------------------------------------------------------------


def main(argv: Sequence[str]) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str
        Arguments of the command, after ``bench ladder``.

    Returns
    -------
    int
        Exit status: 0 if all went well; 1 if a result of pyclfft is wrong; 2 after an error.
    """
    return commandline.run(lambda: _main(argv), PROG)


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    result = commandline.Parser(
        prog=PROG,
        description="Compare five versions of a radix-2 transform from a course's report with the "
        "two algorithms that the report would have tried next, with the algorithm that pyclfft "
        "chooses by itself, with NumPy, with FFTW if pyFFTW is installed (once with one thread, "
        "once with one thread for each core), and with a compiled recursion if Numba is "
        "installed. Each of them computes one transform of 2, 4, 8 .. points at a time. Then each "
        "kernel is measured alone. Let nothing else run meanwhile.",
    )
    session.add_options(
        result,
        SETTINGS.samples,
        "time, bandwidth, speed-up and each kernel alone over the length: four files, whose names "
        f"have -{', -'.join(PICTURES[:-1])} and -{PICTURES[-1]} before the extension",
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
    device = choice.select_device(options.device)
    queue = queues.queue_of(queues.context_of(device))
    baselines, notes = find_rivals(AUTO, None, BASELINES)
    rungs = [Rung(queue, name) for name in (*RUNGS, *OUTLOOK)]
    contenders: tuple[Contender, ...] = (Ours(queue), *rungs, *chain.from_iterable(baselines))
    cases = [Case((2**k,), batch=1) for k in range(1, options.longest.bit_length())]
    settings = replace(SETTINGS, samples=options.samples)
    results = Results(
        environment={**environment((device,), contenders), "host": host()},
        contenders=tuple(each.name for each in contenders),
        elements=options.longest,
        settings=settings,
        copy=copy_rate(queue, cases[-1].sized(1).nbytes // 2, settings),
        view=VIEW,
    )
    results = session.measure_cases(results, cases, (Side(contenders),), options, notes)
    noise = Noise()
    kernels = (kernel_times(rungs, case, noise, settings) for case in cases)
    results = replace(results, kernels=tuple(chain.from_iterable(kernels)))
    return session.finish(results, options, write_plots)
