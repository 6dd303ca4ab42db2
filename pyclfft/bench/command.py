"""``python -m pyclfft bench``: how fast transforms are here, beside other libraries'."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module

import pyopencl as cl

from .. import commandline
from ..errors import DeviceError, PyclfftError
from ..runtime import choice, describe, queues, runtimes, vendors
from ..tuning.tuner import ELEMENTS_ON_CPU, fitting_elements
from . import render, session
from .calls import measure_calls
from .cases import ELEMENTS, FILTER, Case, select
from .compare import compare
from .cpu import ON_CPUS
from .crossing import measure_crossing
from .environment import environment
from .merge import Part, merge
from .numpy_calls import measure_numpy_calls
from .plot import write_plot
from .render import ON_ONE_DEVICE, Results, View
from .rivals import (
    AUTO,
    CPU_RIVALS,
    NONE,
    RIVALS,
    Ours,
    OursInSteps,
    OursOnHost,
    find_rivals,
)
from .runner import Settings, Side, copy_rate
from .startup import measure_startup

PROG = "pyclfft bench"

# The benchmark's other measurements, each with its own options: name -> (module, what it does). A
# module is imported only if it is chosen. Its ``main(argv)`` returns the exit status.
SUBCOMMANDS = {
    "convolve": ("pyclfft.bench.convolve", "every method of convolution, and other libraries"),
    "dft": ("pyclfft.bench.dft", "the direct transform, over ranks and on devices"),
    "distributed": ("pyclfft.bench.distributed", "transforms over ranks and devices"),
    "ladder": ("pyclfft.bench.ladder", "what each step to a better radix-2 transform gains"),
    "lab": ("pyclfft.bench.lab", "how soon the page of pyclfft lab follows a slider"),
    "overlap": (
        "pyclfft.bench.overlap",
        "image files, with and without overlap of the steps",
    ),
    "pieces": ("pyclfft.bench.pieces", "arrays larger than the device, and copies alone"),
    "stft": ("pyclfft.bench.stft", "short-time Fourier transforms, and other libraries"),
    "threads": ("pyclfft.bench.threads", "calls of several threads, beside those of one thread"),
    "worksize": ("pyclfft.bench.worksize", "the textbook's kernels by the size of their groups"),
}

SETTINGS = Settings()
PAUSE_S = 0.02  # before each sample on CPUs, until FFTW's threads have stopped spinning
SINGLE = 8  # bytes of a complex number in single precision


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments of the command; by default those of the process.

    Returns
    -------
    int
        Exit status: 0 if all went well; 1 if a result of pyclfft is wrong or `--compare` finds
        that something has become slower; 2 after an error.
    """
    return commandline.run(lambda: _main(sys.argv[1:] if argv is None else argv), PROG)


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    result = commandline.Parser(
        prog=PROG,
        description="Measure transforms of arrays on the device, check their results, and compare "
        "with other libraries, which take turns with pyclfft. Let nothing else run on the device "
        "meanwhile.",
        epilog="Other commands measure other things. Each of them has its own --help:\n\n"
        + "\n".join(f"  {PROG} {name:12} {what}" for name, (_, what) in SUBCOMMANDS.items()),
    )
    session.add_options(result, SETTINGS.samples, "bars")
    add = result.add_argument
    add(
        "--cpu",
        action="store_true",
        help="measure all CPU devices, with arrays on the device and from NumPy to NumPy, and "
        "compare with libraries for CPUs",
    )
    add(
        "--cases",
        metavar="NAME,...",
        help="names of cases and groups; * and ? are wildcards, and ! leaves out the name that "
        "follows (default: all; with --cpu: cpu)",
    )
    add("--list", action="store_true", help="show the cases and groups, and measure nothing")
    add(
        "--elements",
        metavar="N",
        type=commandline.count,
        help="how many numbers each case transforms in all, such as 2^20 or 1e6 (default: 2^26; on "
        "CPUs 2^22)",
    )
    commandline.add_algorithm(result)
    add(
        "--rivals",
        metavar="NAME,...",
        default=AUTO,
        help=f"compare with these libraries: {AUTO} means all that are installed, and {NONE} means "
        f"no library. The names are {', '.join(RIVALS)}; with --cpu, {', '.join(CPU_RIVALS)} "
        f"(default: {AUTO})",
    )
    add(
        "--part",
        metavar="K/N",
        type=_part,
        help="measure only the K-th of N parts of the cases, if one command may not take as long "
        "as all cases need; --merge makes one table of the parts",
    )
    add("--plan-time", action="store_true", help="measure the time from a plan to its first result")
    add(
        "--call",
        action="store_true",
        help="measure what a call costs the host, and from how many points on pyclfft is faster "
        "than SciPy",
    )
    add(
        "--compare",
        metavar=("BEFORE", "AFTER"),
        nargs=2,
        help="measure nothing, but compare two files of --json",
    )
    add(
        "--merge",
        metavar="FILE",
        nargs="+",
        help="measure nothing, but join the files of --part K/N --json. The command refuses files "
        "whose devices or versions differ, or whose pyclfft or kernels differ",
    )
    return result


def _main(argv: Sequence[str]) -> int:
    if argv and argv[0] in SUBCOMMANDS:
        module, _ = SUBCOMMANDS[argv[0]]
        return import_module(module).main(argv[1:])
    options = parser().parse_args(argv)
    _refuse_beside_cpu(options)
    if options.compare:
        comparison = compare(*options.compare)
        print(comparison)
        return int(comparison.slower)
    if options.merge:
        merged = merge(options.merge)
        session.show(merged)
        return session.finish(merged, options, write_plot)
    cases = select((options.cases or ("cpu" if options.cpu else "all")).split(","))
    if options.part:
        cases = options.part.of(cases)
    if options.list:
        usual = ELEMENTS_ON_CPU if options.cpu else ELEMENTS
        print(render.case_list(options.elements or usual, cases))
        return 0
    return session.finish(_measured(options, cases), options, write_plot)


def _part(text: str) -> Part:
    """Return the part of the cases that the text of ``--part`` names."""
    try:
        return Part.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _refuse_beside_cpu(options: argparse.Namespace) -> None:
    """Refuse options about a single device, and ``--compare``, together with ``--cpu``."""
    names = ("device", "plan_time", "call", "compare")
    given = [f"--{name.replace('_', '-')}" for name in names if getattr(options, name)]
    if options.cpu and given:
        raise PyclfftError(
            f"--cpu measures all CPU devices together: it does not go with {given[0]}"
        )


@dataclass(frozen=True)
class _Field:
    """The devices that are measured, and the contenders on them."""

    devices: tuple[cl.Device, ...]
    queues: tuple[cl.CommandQueue, ...]
    sides: tuple[Side, ...]
    view: View
    notes: list[str]


def _one_device(options: argparse.Namespace) -> _Field:
    """Return pyclfft and its rivals on one device."""
    device = choice.select_device(options.device)
    queue = queues.queue_of(queues.context_of(device))
    rivals, notes = find_rivals(options.rivals, queue)
    side = Side((Ours(queue, options.algorithm), *rivals))
    return _Field((device,), (queue,), (side,), ON_ONE_DEVICE, notes)


def _cpu_devices(options: argparse.Namespace, cases: Sequence[Case]) -> _Field:
    """Return, for every CPU device, pyclfft in both ways and the rivals beside it.

    Where images are filtered, a filter made of pyclfft's transforms stands among the rivals.
    """
    found = tuple(each for each in runtimes.devices() if describe.traits(each).is_cpu)
    if not found:
        raise DeviceError(f"--cpu finds no CPU device. {vendors.remedies()}")
    taken = tuple(queues.queue_of(queues.context_of(device)) for device in found)
    rivals, notes = find_rivals(options.rivals, taken, CPU_RIVALS)
    if any(case.kind == FILTER for case in cases):
        rivals = [[OursInSteps(queue) for queue in taken], *rivals]
    own = [[kind(queue, options.algorithm) for kind in (Ours, OursOnHost)] for queue in taken]
    sides = (
        Side((*ours, *(each[n] for each in rivals)), name)
        for n, (ours, name) in enumerate(zip(own, _short_names(found), strict=True))
    )
    return _Field(found, taken, tuple(sides), ON_CPUS, notes)


def _short_names(found: Sequence[cl.Device]) -> list[str]:
    """Return each device's runtime as its name, with a number from a runtime's second one on."""
    names = [describe.runtime_name(device) for device in found]
    counts = [names[: n + 1].count(name) for n, name in enumerate(names)]
    return [
        f"{name} {count}" if count > 1 else name for name, count in zip(names, counts, strict=True)
    ]


def _measured(options: argparse.Namespace, cases: Sequence[Case]) -> Results:
    """Measure everything that the options ask for."""
    session.require(options)
    field = _cpu_devices(options, cases) if options.cpu else _one_device(options)
    traits = [describe.traits(device) for device in field.devices]
    elements = options.elements or min(map(fitting_elements, traits))
    contenders = field.sides[0].contenders
    pause_s = PAUSE_S if options.cpu else 0.0
    settings = replace(SETTINGS, samples=options.samples, pause_s=pause_s)
    copies = [copy_rate(queue, elements * SINGLE, settings) for queue in field.queues]
    results = Results(
        environment=environment(field.devices, contenders),
        contenders=tuple(each.name for each in contenders),
        elements=elements,
        settings=settings,
        copy=min(copies, key=lambda copy: copy.ms.median),  # CPU devices share one memory
        view=field.view,
        devices=tuple(side.device for side in field.sides) if options.cpu else (),
    )
    notes = list(field.notes)
    fitting = [case for case in cases if case.points <= elements or case.fits_any]
    if too_long := [case.name for case in cases if case not in fitting]:
        notes.append(f"longer than {elements:,}, left out: {', '.join(too_long)}")
    results = session.measure_cases(results, fitting, field.sides, options, notes)
    if options.plan_time:
        startup = measure_startup(options.device, traits[0], elements, options.algorithm)
        results = replace(results, startup=tuple(startup))
    if options.call:
        queue = field.queues[0]
        results = replace(
            results,
            calls=tuple(measure_calls(queue, options.algorithm)),
            crossing=tuple(measure_crossing(queue)),
            numpy_calls=tuple(measure_numpy_calls(queue)),
        )
    return results


if __name__ == "__main__":
    sys.exit(main())
