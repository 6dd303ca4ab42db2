"""``python -m pyclfft bench convolve``: convolution beside other libraries, and beside a thesis.

It measures every method of `pyclfft.convolve` and the methods of other libraries over the lengths
of impulse responses and of dry sounds, as a thesis on convolution reverb does, and at single cases.
With ``--ladder`` it measures the thesis' optimisations of direct convolution, one at a time, and
with ``--realtime`` a stream that is played at the pace of a sound card.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

import pyopencl as cl

from .. import commandline
from ..convolution.ladder import CHUNK, GROUP
from ..convolution.playback import BACKENDS, NULL, require_sink
from ..convolution.streaming import METHODS as STREAM_METHODS
from ..errors import PyclfftError
from ..runtime import choice, queues
from . import convolve_ladder, render, session
from . import convolve_realtime as realtime
from . import convolve_soak as soak
from .convolve_cases import DRY_OF_IR_SWEEP, DRY_SECONDS, SWEEPS, cases_of
from .convolve_contenders import BOUND, versions
from .convolve_ladder import DRY_S, IR_S
from .convolve_plots import PICTURES, write_plots
from .convolve_streams import measure_overlaps
from .convolve_sweeps import PROG, Results, as_json, measure_point
from .convolve_view import as_markdown, as_text
from .environment import environment, host
from .runner import Settings

SETTINGS = Settings(samples=5, sample_s=0.02, slow_s=0.1, budget_s=1.0)
LADDER_SCHEMA = REALTIME_SCHEMA = 1  # versions of the layouts of their JSON
ALL = "all"
LIMIT_S = 20.0


def main(argv: Sequence[str]) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str
        Arguments of the command, after ``bench convolve``.

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
        description="Measure all methods of convolution, and compare them with SciPy, pedalboard, "
        "PyTorch and CuPy, as far as they are installed. The sounds are stereo in single precision "
        "at 44.1 kHz, and the sweeps change the lengths of impulse responses and of dry sounds. "
        "Results are compared with sums in double precision. A result of pyclfft is wrong if its "
        f"relative error is above {BOUND:g}. Let nothing else run meanwhile.",
    )
    session.add_options(
        result,
        SETTINGS.samples,
        f"several pictures, to whose names it adds {', '.join(f'-{each}' for each in PICTURES)}",
    )
    result.add_argument(
        "--sweep",
        metavar="NAME,...",
        type=_sweeps,
        default=tuple(SWEEPS),
        help="; ".join(f"{name}: {what}" for name, what in SWEEPS.items())
        + f"; {ALL} (default: {ALL})",
    )
    result.add_argument(
        "--seconds",
        metavar="S",
        type=commandline.positive,
        default=max(DRY_SECONDS),
        help="leave out dry sounds that are longer, and shorten the dry sound of "
        f"{DRY_OF_IR_SWEEP:g} s with which impulse responses are measured "
        f"(default: {max(DRY_SECONDS):g})",
    )
    result.add_argument(
        "--limit",
        metavar="S",
        type=commandline.positive,
        default=LIMIT_S,
        help="if direct sums would take longer, measure them on a shorter signal and scale their "
        f"time by the lengths; 1 makes a quick run (default: {LIMIT_S:g} s)",
    )
    add = result.add_argument_group("ladder").add_argument
    add(
        "--ladder",
        action="store_true",
        help="measure instead what each optimisation of direct convolution gains, offline and in "
        "real time, and show the factors that a master's thesis has published",
    )
    add(
        "--dry",
        metavar="S",
        type=commandline.positive,
        help="how many seconds of sound are convolved "
        f"(default: {DRY_S:g}; in real time {realtime.SECONDS:g})",
    )
    add(
        "--ir",
        metavar="S",
        type=commandline.positive,
        help="how many seconds the impulse response lasts "
        f"(default: {IR_S:g}; in real time {realtime.IR_S:g})",
    )
    add(
        "--chunk",
        metavar="N",
        type=commandline.count,
        default=CHUNK,
        help=f"frames of a chunk in real time, a multiple of {GROUP} (default: {CHUNK})",
    )
    add = result.add_argument_group("real time").add_argument
    add(
        "--realtime",
        action="store_true",
        help="measure instead a stream that is played at the pace of a sound card, and compare its "
        "load with that of pedalboard, if pedalboard is installed",
    )
    add(
        "--sink",
        metavar="NAME",
        choices=tuple(BACKENDS),
        default=NULL,
        help="null, a sound card that nobody hears; jack, a JACK server; or default, the sound "
        "card (default: null)",
    )
    add(
        "--block-size",
        metavar="N",
        type=commandline.count,
        default=realtime.BLOCK,
        help=f"frames of a block (default: {realtime.BLOCK})",
    )
    add(
        "--latency",
        metavar="N",
        type=commandline.natural,
        default=realtime.LATENCY,
        help=f"how many blocks later the result is played (default: {realtime.LATENCY})",
    )
    add(
        "--method",
        choices=STREAM_METHODS,
        default=STREAM_METHODS[0],
        help="the method of the stream (default: auto)",
    )
    add(
        "--runs",
        metavar="N",
        type=commandline.count,
        default=realtime.RUNS,
        help=f"how many times the sound is played (default: {realtime.RUNS})",
    )
    add(
        "--soak",
        metavar="MINUTES",
        type=commandline.positive,
        help="play instead for MINUTES, and fail if the memory of the process, or what "
        "pyclfft has allocated on the device, grows meanwhile",
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


def _main(argv: Sequence[str]) -> int:
    options = parser().parse_args(argv)
    session.require(options)
    if options.ladder:
        if options.chunk % GROUP:
            raise PyclfftError(f"--chunk must be a multiple of the group's {GROUP} items")
        return _climb(options)
    if options.soak:
        return _soak(options)
    if options.realtime:
        return _perform(options)
    device = choice.select_device(options.device)
    queue = queues.queue_of(queues.context_of(device))
    settings = replace(SETTINGS, samples=options.samples)
    where = {**environment((device,), ()), "host": host(), **versions()}
    results = Results(where, options.limit, options.samples)
    print(commandline.table(list(results.environment.items())), flush=True)
    cases = [case for sweep in options.sweep for case in cases_of(sweep, options.seconds)]
    with commandline.Progress(len(cases), "cases") as progress:
        for case in cases:
            progress.title = case.name
            point = measure_point(case, queue, settings, options.limit)
            results = replace(results, points=(*results.points, point))
            if options.json:
                render.write(options.json, as_json(results))
            progress.done += 1
    print("", as_text(results), sep="\n")
    if options.markdown:
        render.write(options.markdown, as_markdown(results))
    if options.plot:
        write_plots(options.plot, results)
    return int(results.wrong)


def _climb(options: argparse.Namespace) -> int:
    """Measure the ladder, and print and write what was found."""
    device = choice.select_device(options.device)
    context = queues.context_of(device)
    about = environment((device,), ())
    print(commandline.table(list(about.items())), flush=True)
    dry, ir = options.dry or DRY_S, options.ir or IR_S
    results = convolve_ladder.Results(
        about,
        dry,
        ir,
        options.chunk,
        options.samples,
        convolve_ladder.measure_climbs(
            context, dry, ir, options.chunk, options.samples, options.limit
        ),
    )
    parts = tuple(convolve_ladder.parts(results))
    print("", render.text_of(parts), sep="\n")
    if options.json:
        document = {"schema": LADDER_SCHEMA, **convolve_ladder.document_of(results)}
        render.write(options.json, render.json_of(document))
    if options.markdown:
        title = "The ladder of direct convolution"
        render.write(options.markdown, render.page_of(title, about, parts))
    if options.plot:
        convolve_ladder.write_plot(options.plot, results)
    return int(results.wrong)


def _perform(options: argparse.Namespace) -> int:
    """Measure a stream in real time, and print and write what was found."""
    queue, about, setting = _performance(options)
    results = realtime.Results(about, setting)
    with commandline.Progress(options.runs, "runs") as progress:
        for _ in range(options.runs):
            run, method = realtime.measure_run(setting, queue)
            results = replace(results, method=method, runs=(*results.runs, run))
            progress.done += 1
    overlaps = measure_overlaps(queue, realtime.room_of(setting), setting.block)
    results = replace(results, loads=realtime.measure_loads(setting, queue), overlaps=overlaps)
    parts = tuple(realtime.parts(results))
    print("", render.text_of(parts), sep="\n")
    if options.json:
        document = {"schema": REALTIME_SCHEMA, **realtime.document_of(results)}
        render.write(options.json, render.json_of(document))
    if options.markdown:
        render.write(options.markdown, render.page_of("Convolution in real time", about, parts))
    return 0


def _soak(options: argparse.Namespace) -> int:
    """Let a stream play for minutes, print and write its memory; the status is 1 if that grows."""
    soak.require_statistics()
    queue, about, setting = _performance(options)
    measured = soak.measure_soak(options.soak, setting, queue)
    parts = tuple(soak.parts(measured))
    print("", render.text_of(parts), sep="\n")
    if options.json:
        document = {"schema": REALTIME_SCHEMA, "environment": about, **soak.document_of(measured)}
        render.write(options.json, render.json_of(document))
    if options.markdown:
        render.write(options.markdown, render.page_of("Convolution for minutes", about, parts))
    return int(measured.grows)


def _performance(
    options: argparse.Namespace,
) -> tuple[cl.CommandQueue, dict[str, str], realtime.Setting]:
    """Return the queue of a stream, what it runs on, and what it plays, once that is checked."""
    require_sink(options.sink)
    if options.plot:
        raise PyclfftError("--realtime and --soak draw no picture: leave --plot out")
    device = choice.select_device(options.device)
    queue = queues.queue_of(queues.context_of(device))
    about = {**environment((device,), ()), "host": host(), **versions()}
    print(commandline.table(list(about.items())), flush=True)
    setting = realtime.Setting(
        options.dry or realtime.SECONDS, options.ir or realtime.IR_S, options.block_size,
        options.latency, options.method, options.sink,
    )  # fmt: skip
    return queue, about, setting
