"""``python -m pyclfft.spectrogram``: draw the spectrograms of sounds, or write their numbers."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Collection, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain
from typing import Any

from . import commandline, streams
from .advice import pip_install
from .audio import stft as shorttime
from .audio.analysis_files import WRITERS
from .audio.audiofile import Channel, open_audio
from .audio.file_spectra import Part
from .audio.framing import Frames, Magnitudes, make_frames
from .audio.note_confidence import THRESHOLD
from .audio.sound_analysis import Request, analyse
from .audio.spectrogram_picture import FORMATS, Look, require_picture
from .audio.stft import PRESETS
from .commandline import Clock, Progress, Report
from .errors import PlanError
from .runtime.choice import select_device, use_device
from .runtime.describe import device_label
from .runtime.profile import PassTime
from .runtime.queues import default_queue

PROG = "pyclfft spectrogram"

# The options that a preset decides, and the options of pictures, with their defaults.
FRAMING = {"n_fft": 2048, "hop": None, "window": "hann"}
PICTURE = {
    "db": Look.db, "cmap": Look.colours, "axis": Look.axis, "format": "png", "size": Look.size,
    "dpi": Look.dpi, "fmin": Look.fmin, "fmax": Look.fmax, "title": Look.title, "axes": Look.axes,
    "phase": Look.phase,
}  # fmt: skip
# The flags of options that are not "--" and their name.
FLAGS = {"axes": "no-axes"}
# What people read of the step that uploads samples and runs kernels.
STEPS = {"transform": "upload and transform"}

EPILOG = f"""\
If none of -o, --notes, --csv and --npz is given, the picture goes beside its input, as
NAME_spectrogram.png; otherwise only the files that they name are made. A - is standard input or
standard output: "pyclfft spectrogram - --csv - < a.wav". For several inputs -o, --notes, --csv and
--npz name folders. WAV files need no other library; other sounds need soundfile
({pip_install("sounds")}), and pictures need matplotlib ({pip_install("pictures")}). All messages go
to standard error."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; the process's by default.

    Returns
    -------
    int
        Exit status: 0, or 2 after an error.
    """
    return commandline.run(lambda: _main(sys.argv[1:] if argv is None else argv), PROG)


def _main(argv: Sequence[str]) -> int:
    options = parser().parse_mixed(argv)
    frames, magnitudes = _framing(options)
    with streams.sources(options.inputs) as inputs:
        jobs = _jobs(inputs, options)
        request = _request(options, frames, magnitudes, jobs[0][1])
        use_device(select_device(options.device))
        report = Report(options.quiet)
        report.heading(f"device  {device_label(default_queue().device)}")
        return commandline.run_each(
            (partial(_make, *job, request, options, report) for job in jobs), PROG
        )


def _make(
    source: streams.Source,
    targets: dict[str, streams.Target],
    request: Request,
    options: argparse.Namespace,
    report: Report,
) -> None:
    """Make all that is wanted of one sound."""
    times: list[PassTime] | None = [] if options.timing else None
    lines = []
    with ExitStack() as stack:
        # What goes to standard output goes there when this block ends without an error.
        files = {
            kind: stack.enter_context(streams.written(target, f".{options.format}"))
            for kind, target in targets.items()
        }
        audio = stack.enter_context(open_audio(source))
        panels = len(request.part.panels(audio))
        count = panels * request.frames.count(request.part.extent(audio)[1])
        progress = stack.enter_context(Progress(count, "frames", options.quiet))
        clock = Clock(progress, audio.path)
        result = analyse(audio, request, step=clock.step, advance=progress.reach, times=times)
        for kind, file in files.items():
            with clock.step(WRITERS[kind].step):
                words = WRITERS[kind].write(file, result)
            lines.append(f"output  {targets[kind]}{words}")
    report(
        f"input   {audio.path}: {audio.info}",
        f"frames  {result.count}: {request.framing}",
        *lines,
        f"time    {clock}",
    )
    if times is not None:
        tables = commandline.step_table(clock, STEPS), commandline.kernel_table(times)
        report(commandline.timing_report(*tables))


# --- arguments ------------------------------------------------------------------------------------


def parser() -> commandline.Parser:
    """Return the command's parser."""
    result = commandline.Parser(
        prog=PROG,
        description="Draw the spectrograms of sounds, or write their numbers, computed on an "
        "OpenCL device.",
        epilog=EPILOG,
    )
    add = result.add_argument
    add("inputs", nargs="+", type=streams.file_name, metavar="INPUT",
        help="a sound: WAV, FLAC, OGG, AIFF, MP3 ...; - reads standard input")  # fmt: skip

    add = result.add_argument_group("results").add_argument
    add("-o", "--output", dest="picture", type=streams.file_name, metavar="PATH",
        help="where the picture goes: a file (.png, .svg, .pdf), a folder, or - for standard "
        "output")  # fmt: skip
    add("--notes", type=streams.file_name, metavar="FILE",
        help="find onsets and notes, and write the notes as CSV; -o then draws both")  # fmt: skip
    add("--threshold", type=_confidence, metavar="P",
        help="the least confidence of notes, 0 to 1 (default: 0.24)")  # fmt: skip
    add("--csv", type=streams.file_name, metavar="FILE",
        help="write decibels relative to the greatest level: a row for each frame, its time "
        "first, below a row of frequencies")  # fmt: skip
    add("--npz", type=streams.file_name, metavar="FILE",
        help="write arrays for NumPy: amplitudes S, frequencies, times, sr, n_fft, hop, "
        "window")  # fmt: skip

    frames = result.add_argument_group("frames")
    add = frames.add_argument
    add("--n-fft", type=commandline.count, metavar="N",
        help="the samples of a frame (default: 2048)")  # fmt: skip
    add("--hop", type=commandline.count, metavar="N",
        help="the samples from one frame to the next (default: a quarter of a frame)")  # fmt: skip
    add("--window", type=_window, metavar="NAME",
        help="hann (default), hamming, boxcar or another window of scipy.signal, with its "
        "parameters after commas: kaiser,8.6")  # fmt: skip
    add("--preset", choices=PRESETS,
        help="frames of 2048 samples, 1024 apart, without a window; bins 0 to 1023")  # fmt: skip
    commandline.add_algorithm(frames)
    commandline.add_device(frames)

    part = result.add_argument_group("part of the sound")
    add = part.add_argument
    add("--channel", type=_channel, default="mix", metavar="N",
        help="the number of one channel, from 0; mix, the mean of all; or all, which draws a panel "
        "for each (default: mix)")  # fmt: skip
    add("--start", type=commandline.number(0), default=0.0, metavar="SECONDS",
        help="where to begin (default: 0)")  # fmt: skip
    add("--duration", type=commandline.number(0), metavar="SECONDS",
        help="how much to take (default: all that follows)")  # fmt: skip

    picture = result.add_argument_group("picture")
    add = picture.add_argument
    add("--format", choices=FORMATS,
        help="the format of pictures that -o does not name (default: png)")  # fmt: skip
    add("--db", type=commandline.number(1), metavar="RANGE",
        help="the decibels from the greatest level to the darkest colour (default: "
        "80)")  # fmt: skip
    add("--cmap", metavar="NAME", help="a colour map of matplotlib (default: magma)")
    scales = picture.add_mutually_exclusive_group()
    scales.add_argument("--log-frequency", dest="axis", action="store_const", const="log",
                        help="draw every octave equally high, labelled with notes")  # fmt: skip
    scales.add_argument("--mel", dest="axis", action="store_const", const="mel",
                        help="draw frequencies on the mel scale (Slaney's, as librosa's "
                        "default)")  # fmt: skip

    add("--fmin", type=commandline.number(0), metavar="HZ",
        help="the lowest frequency of the picture (default: 0, or C1 with "
        "--log-frequency)")  # fmt: skip
    add("--fmax", type=commandline.positive, metavar="HZ",
        help="the highest frequency of the picture (default: half the sample rate)")  # fmt: skip
    add("--phase", action="store_true", default=None,
        help="draw phases as colours, darker where the sound is softer")  # fmt: skip
    add("--size", type=_size, metavar="WxH",
        help="width and height in inches (default: 10x5, and higher for several "
        "panels)")  # fmt: skip
    add("--dpi", type=commandline.positive, metavar="N",
        help="pixels an inch (default: 160)")  # fmt: skip
    add("--title", metavar="TEXT",
        help="the words above the picture (default: the name of the sound)")  # fmt: skip
    add("--no-axes", dest="axes", action="store_false", default=None,
        help="draw nothing but levels, from edge to edge")  # fmt: skip

    talk = result.add_argument_group("report").add_mutually_exclusive_group()
    talk.add_argument("--timing", action="store_true",
                      help="print the time of every step and kernel")  # fmt: skip
    commandline.add_quiet(talk)
    return result


def _channel(text: str) -> Channel:
    if text == "mix":
        return "mix"
    if text == "all":
        return "all"
    if text.isdecimal():
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no channel: take 0, 1, ..., mix or all")


def _confidence(text: str) -> float:
    value = commandline.number(0)(text)
    if value > 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no confidence: take a number from 0 to 1")
    return value


def _size(text: str) -> tuple[float, float]:
    """Read the two sides of a picture, such as 10x5."""
    try:
        width, height = map(float, text.lower().split("x"))
    except ValueError:
        width = height = 0.0
    if not (0 < width < 1e6 and 0 < height < 1e6):
        raise argparse.ArgumentTypeError(f"{text!r} is no size: write width and height as 10x5")
    return width, height


def _window(text: str) -> str | tuple[Any, ...]:
    """Read a window's name, with its parameters behind commas."""
    name, *parameters = text.split(",")
    try:
        return (name, *map(float, parameters)) if parameters else name
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: write a number after each comma") from None


def _jobs(
    inputs: Sequence[streams.Source], options: argparse.Namespace
) -> list[tuple[streams.Source, dict[str, streams.Target]]]:
    """Return each sound with the kinds of files that are made of it and where they go.

    A picture is made if the user asks for one, or for nothing else. A result that could not be
    written is refused here, before the work.
    """
    several = len(inputs) > 1
    named = {kind: getattr(options, kind) for kind in WRITERS}
    wanted = [kind for kind in WRITERS if named[kind]] or ["picture"]
    if options.channel == "all" and set(wanted) != {"picture"}:
        flags = ", ".join(f"--{kind}" for kind in wanted if kind != "picture")
        raise PlanError(f"{flags} takes one channel: give --channel mix or a number, not all")
    if options.threshold is not None and not options.notes:
        raise PlanError("--threshold belongs to notes: add --notes")
    _complete_picture(options, "picture" in wanted, several)
    endings = {kind: writer.ending.format(options.format) for kind, writer in WRITERS.items()}
    jobs = [
        (source, {k: streams.place(named[k], source, endings[k], several) for k in wanted})
        for source in inputs
    ]
    written = {kind: [targets[kind] for _, targets in jobs] for kind in wanted}
    for picture in written.get("picture", ()):
        suffix = f".{options.format}" if isinstance(picture, streams.StandardOutput) else ""
        require_picture(f"{picture}{suffix}", _look(options))
    streams.require_no_terminal([*written.get("picture", ()), *written.get("npz", ())])
    streams.prepare(inputs, chain(*written.values()), named.values())
    return jobs


def _complete_picture(options: argparse.Namespace, drawn: bool, several: bool) -> None:
    """Set the picture's options to their defaults; refuse them if there is no use for them."""
    given = [name for name in PICTURE if getattr(options, name) is not None]
    if given and not drawn:
        flags = {"axis": "--log-frequency" if options.axis == "log" else "--mel"}
        named = ", ".join(flags.get(name, f"--{FLAGS.get(name, name)}") for name in given)
        warnings.warn(
            f"no picture is drawn, where {named} would show: add -o to draw one", stacklevel=2
        )
    if options.format and options.picture and not streams.is_open(options.picture, several):
        raise PlanError(
            f"{options.picture} names its format itself: leave out --format {options.format}"
        )
    for name in set(PICTURE) - set(given):
        setattr(options, name, PICTURE[name])


def _framing(options: argparse.Namespace) -> tuple[Frames, Magnitudes]:
    """Return how to frame and what to compute; set the options to their defaults."""
    given = [name for name in FRAMING if getattr(options, name) is not None]
    if options.preset and given:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise PlanError(f"--preset {options.preset} decides {flags} too: leave out one of them")
    if options.preset:
        options.window = "boxcar"
        return PRESETS[options.preset]
    for name in set(FRAMING) - set(given):
        setattr(options, name, FRAMING[name])
    return make_frames(options.n_fft, options.hop, window=options.window), Magnitudes()


def _request(
    options: argparse.Namespace, frames: Frames, magnitudes: Magnitudes, kinds: Collection[str]
) -> Request:
    """Return what is wanted of each sound so that these kinds of files can be made."""
    return Request(
        frames,
        magnitudes,
        window=str(options.window),
        part=Part(options.start, options.duration, options.channel),
        needs={WRITERS[kind].needs for kind in kinds},
        look=_look(options),
        threshold=THRESHOLD if options.threshold is None else options.threshold,
        algorithm=options.algorithm,
    )


def _look(options: argparse.Namespace) -> Look:
    """Return how pictures look, when the options are complete."""
    return Look(
        options.axis, options.db, options.cmap, options.size, options.dpi, options.fmin,
        options.fmax, options.title, options.axes, options.phase,
    )  # fmt: skip


commandline.make_callable(__name__, shorttime.spectrogram)

if __name__ == "__main__":
    sys.exit(main())
