"""``python -m pyclfft bench convolve``: convolutions of sounds beside published figures."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from .. import commandline
from ..convolution.ladder import CHUNK, GROUP
from ..errors import PyclfftError
from ..runtime import choice, queues
from . import convolve_ladder, render, session
from .convolve_ladder import DRY_S, IR_S, LIMIT_S
from .environment import environment

PROG = "pyclfft bench convolve"
SAMPLES = 3
SCHEMA = 1  # version of the JSON's layout


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
        description="Measure convolutions of stereo sounds, and check their results. Let nothing "
        "else run meanwhile.",
    )
    session.add_options(result, SAMPLES, "how many times as fast as the plain kernel each rung is")
    add = result.add_argument
    add(
        "--ladder",
        action="store_true",
        help="what each optimisation of direct convolution buys, offline and in real time, beside "
        "the factors that a master's thesis has published",
    )
    add(
        "--dry",
        metavar="S",
        type=_seconds,
        default=DRY_S,
        help=f"how many seconds of sound are convolved (default: {DRY_S:g})",
    )
    add(
        "--ir",
        metavar="S",
        type=_seconds,
        default=IR_S,
        help=f"how long the impulse response is (default: {IR_S:g})",
    )
    add(
        "--chunk",
        metavar="N",
        type=commandline.count,
        default=CHUNK,
        help=f"frames of a chunk in real time, a multiple of {GROUP} (default: {CHUNK})",
    )
    add(
        "--limit",
        metavar="S",
        type=_seconds,
        default=LIMIT_S,
        help="seconds for all samples of a rung; a rung that needs more is measured on a part of "
        f"the result and marked as extrapolated (default: {LIMIT_S:g})",
    )
    return result


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e5:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds above 0")
    return seconds


def _main(argv: Sequence[str]) -> int:
    options = parser().parse_args(argv)
    session.require(options)
    if not options.ladder:
        raise PyclfftError("nothing to measure: choose --ladder")
    if options.chunk % GROUP:
        raise PyclfftError(f"--chunk must be a multiple of the group's {GROUP} items")
    return _climb(options)


def _climb(options: argparse.Namespace) -> int:
    """Measure the ladder, and print and write what was found."""
    device = choice.select_device(options.device)
    context = queues.context_of(device)
    about = environment((device,), ())
    print(commandline.table(list(about.items())), flush=True)
    results = convolve_ladder.Results(
        about,
        options.dry,
        options.ir,
        options.chunk,
        options.samples,
        convolve_ladder.measure_climbs(
            context, options.dry, options.ir, options.chunk, options.samples, options.limit
        ),
    )
    parts = tuple(convolve_ladder.parts(results))
    print("", render.text_of(parts), sep="\n")
    if options.json:
        document = {"schema": SCHEMA, **convolve_ladder.document_of(results)}
        render.write(options.json, render.json_of(document))
    if options.markdown:
        title = "The ladder of direct convolution"
        render.write(options.markdown, render.page_of(title, about, parts))
    if options.plot:
        convolve_ladder.write_plot(options.plot, results)
    return int(results.wrong)
