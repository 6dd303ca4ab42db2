"""``python -m pyclfft.filter``: filter image files in the frequency domain."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np

from . import commandline, streams
from .commandline import Clock, Progress, Report
from .errors import PlanError
from .folders import Found, find_files
from .image.bands import SHAPES, TWO_CUTOFFS, UNITS
from .image.filter_files import DRAWINGS, FileJob, FilteredFile, FilterRequest, filter_files
from .image.filter_plans import CHANNELS, PADS, PARTS, SCALES
from .image.imagefile import FORMATS, can_write, suffix_of
from .image.kinds import AUTO, STRIPES, options_of
from .image.mask_pictures import read_gains
from .runtime.choice import select_device, use_device
from .runtime.describe import device_label
from .runtime.profile import PassTime
from .runtime.queues import default_queue

PROG = "pyclfft filter"
# The options that have no fixed count of numbers -> the most numbers that they take.
NUMBERS = {
    "--highpass": 1, "--lowpass": 1, "--unsharp": 1, "--highboost": 1, "--bandpass": 2,
    "--bandstop": 2, "--sigma": 2,
}  # fmt: skip
UNSET = object()  # the value of an option that was not given; None stands for the default number

# The options that choose a kind of filter -> the option of the kind that their value is.
KINDS = {
    "highpass": "cutoff", "lowpass": "cutoff", "bandpass": "cutoff", "bandstop": "cutoff",
    "notch": "points", "directional": "angle", "unsharp": "amount", "highboost": "boost",
    "homomorphic": "",
}  # fmt: skip
PRESETS = ("imagej",)  # kinds that go together with other defaults

# The further options of kinds, and those of `filter_image` beside them.
BAND_OPTIONS = (
    "cutoff", "unit", "shape", "order", "sigma", "keep_dc", "radius", "width", "stop", "gains",
    "large", "small", "stripes", "tolerance",
)  # fmt: skip
IMAGE_OPTIONS = ("pad", "channels", "scale", "part", "algorithm")

# The option that names a result -> what the report says behind the result's name.
WORDS = {"output": "", "spectrum": ": the input's spectrum", "mask": ": the filter's gains"}

EPILOG = """\
Without -o the result goes beside its input, for example as NAME_highpass.pgm. A - is standard
input or standard output: "pyclfft filter - --highpass < a.png > b.png". For several inputs -o,
--spectrum and --mask name folders. RADIUS is an eighth of the image's shorter side by default.
RADIUS, LOW and HIGH may be fractions such as 1/8. All pages of a TIFF file are filtered.

The defaults of --part and --scale depend on the kind. A high pass and a band pass show where the
picture changes: their defaults are magnitude and max. All other kinds, masks, and any kind with
--keep-dc make a picture like the input: their defaults are real and clip. By default images of
floats are neither scaled nor clipped: their --scale is none.

All messages go to standard error."""
SCALING = (
    "max takes 0 for black and the greatest value for white; stretch, the least and the greatest "
    "value; clip, 0 and the white of the input; none writes the numbers as they are. The default "
    "depends on the kind, see below"
)
WRAPS = (
    "note    the picture wraps round: each edge is filtered as if the opposite edge lay beside it; "
    "--pad mirror avoids that"
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; the process's by default.

    Returns
    -------
    int
        Exit status: 0, or 2 if there was an error in any input.
    """
    return commandline.run(lambda: _main(sys.argv[1:] if argv is None else argv), PROG)


def _main(argv: Sequence[str]) -> int:
    argv, names = commandline.names_behind_dashes(argv)
    options = parser().parse_intermixed_args([*join_numbers(argv), *names])
    _require_sense(options)
    gains = None if options.use_mask is UNSET else read_gains(options.use_mask)
    request = _request(options, gains)
    found = find_files(options.inputs, _results(options)) if options.recursive else None
    with streams.sources(found.files if found else options.inputs, suffix_of) as inputs:
        tasks = _tasks(inputs, options, found)
        use_device(select_device(options.device))
        report = Report(options.quiet)
        report.heading(f"device  {device_label(default_queue().device)}")
        with Progress(len(tasks), "images", options.quiet) as progress:
            unread = found.unread if found else ()
            status = commandline.run_each(
                _filter_all(tasks, unread, options, request, report, progress), PROG
            )
        if progress.done and status <= commandline.FAILED and request.others["pad"] == "none":
            report(WRAPS)
        return status


# --- arguments ------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    result = commandline.Parser(
        prog=PROG,
        description="Filter images in the frequency domain, on an OpenCL device.",
        epilog=EPILOG,
    )
    add = result.add_argument
    add("inputs", nargs="+", type=streams.file_name, metavar="INPUT",
        help="an image: PGM, PNG, TIFF, JPEG, PPM, BMP, WebP or GIF; - reads standard "
        "input")  # fmt: skip
    add("-o", "--output", type=streams.file_name, metavar="PATH",
        help="where the result goes: a file, a folder (for several inputs), or - for standard "
        "output")  # fmt: skip
    add("--format", choices=FORMATS, metavar="FORMAT",
        help="the format of results that -o does not name: " + ", ".join(FORMATS) +
        " (default: that of the input)")  # fmt: skip

    add("-r", "--recursive", action="store_true",
        help="filter all images in the folders INPUT and in the folders below; -o names the folder "
        "of the results, which gets the same folders")  # fmt: skip

    group = result.add_argument_group("filter", "One of these is needed.")
    kinds = group.add_mutually_exclusive_group(required=True)
    for kind, passes in (("highpass", "r >= RADIUS"), ("lowpass", "r < RADIUS")):
        kinds.add_argument(
            f"--{kind}", nargs="?", default=UNSET, type=_radius, metavar="RADIUS",
            help=f"pass the frequencies {passes}",
        )  # fmt: skip
    for kind, passes in (("bandpass", "LOW <= r < HIGH"), ("bandstop", "r < LOW and HIGH <= r")):
        kinds.add_argument(
            f"--{kind}", nargs="?", default=UNSET, type=_two_frequencies, metavar="LOW HIGH",
            help=f"pass the frequencies {passes}; without LOW and HIGH, --sigma tells them",
        )  # fmt: skip
    kinds.add_argument("--notch", action="append", type=_point, default=[], metavar="FY,FX",
        help="stop what lies around this frequency, in cycles a pixel, and around its mirror "
        "image; give it once for each frequency. --notch auto finds the frequencies of stripes, "
        "moire and halftones, and lists them")  # fmt: skip
    kinds.add_argument("--directional", default=UNSET, type=commandline.number(), metavar="ANGLE",
        help="pass the waves that run at this angle, in degrees: 0 for vertical stripes, 90 for "
        "horizontal stripes, 45 for stripes from the upper left to the lower right")  # fmt: skip
    kinds.add_argument("--unsharp", nargs="?", default=UNSET, type=_radius, metavar="AMOUNT",
        help="sharpen: add AMOUNT times the high pass (default: 1)")  # fmt: skip
    kinds.add_argument("--highboost", nargs="?", default=UNSET, type=_radius, metavar="BOOST",
        help="subtract the low pass from BOOST times the picture (default: 1.5)")  # fmt: skip
    kinds.add_argument("--homomorphic", action="store_const", default=UNSET, const=None,
        help="even out the light: filter the logarithm of the brightness by --gains")  # fmt: skip
    kinds.add_argument("--preset", choices=PRESETS, default=UNSET,
        help="imagej: do what ImageJ's band pass does, by the options --large, --small, --stripes "
        "and --tolerance, with the default --pad mirror")  # fmt: skip
    kinds.add_argument("--use-mask", default=UNSET, metavar="FILE",
        help="multiply the spectrum by the gains in a picture, which --mask draws, or which you "
        "have painted: black removes a frequency and white leaves it. DC is in the "
        "middle")  # fmt: skip

    add = result.add_argument_group("more about the filter").add_argument
    add("--unit", choices=UNITS,
        help="what RADIUS, LOW and HIGH count: periods across the image (bin, the default), "
        "fractions of the Nyquist frequency, cycles a pixel, or pixels a period")  # fmt: skip
    add("--shape", choices=SHAPES,
        help="how the gain goes from 1 to 0: at once (ideal, the default of the first four), as a "
        "Gaussian (the default of the others), or as a Butterworth filter")  # fmt: skip
    add("--order", type=float,
        help="the order of a Butterworth filter; higher orders cut more sharply "
        "(default: 2)")  # fmt: skip
    add("--sigma", nargs="?", type=_sigma, metavar="PIXELS [PIXELS]",
        help="in place of RADIUS and --unit: the standard deviation of the Gaussian with which a "
        "Gaussian low pass blurs the image. --bandpass and --bandstop take two of them in place of "
        "LOW and HIGH: --bandpass --sigma 1 4")  # fmt: skip
    add("--cutoff", type=_number, metavar="RADIUS",
        help="the cut-off of --unsharp, --highboost and --homomorphic, in place of --sigma "
        "(default: --sigma 2; for --homomorphic, --sigma is a sixteenth of the shorter "
        "side)")  # fmt: skip
    add("--keep-dc", action="store_true", help="leave the mean brightness as it is")
    add("--radius", type=commandline.positive, metavar="FREQUENCY",
        help="how far around its frequency --notch reaches, in cycles a pixel (default: 3 bins of "
        "the shorter side)")  # fmt: skip
    add("--width", type=commandline.positive, metavar="DEGREES",
        help="how wide the range of angles of --directional is (default: 30)")  # fmt: skip
    add("--stop", action="store_true",
        help="with --directional: stop these waves, and pass all others")  # fmt: skip
    add("--gains", nargs=2, type=commandline.number(), metavar=("LOW", "HIGH"),
        help="the factors by which --homomorphic multiplies low and high frequencies "
        "(default: 0.5 1.5)",
        )  # fmt: skip
    add("--large", type=commandline.positive, metavar="PIXELS",
        help="--preset imagej suppresses structures that are larger (default: 40)")  # fmt: skip
    add("--small", type=commandline.number(0), metavar="PIXELS",
        help="--preset imagej suppresses structures that are smaller (default: 3)")  # fmt: skip
    add("--stripes", choices=STRIPES,
        help="which stripes --preset imagej suppresses (default: none)")  # fmt: skip
    add("--tolerance", type=commandline.number(0), metavar="PERCENT",
        help="how far stripes may differ from the direction of --stripes (default: 5)")  # fmt: skip

    add = result.add_argument_group("image").add_argument
    add("--pad", choices=PADS,
        help="what stands around the image while it is transformed: the image again (none, the "
        "default), black (zero), its edge pixels (edge), or its mirror image (mirror); periodic "
        "filters the part of the image whose opposite edges fit together")  # fmt: skip
    add("--volume", action="store_true",
        help="filter the pages of a file as the slices of a volume, in three dimensions at "
        "once")  # fmt: skip
    add("--channels", choices=CHANNELS, default="each",
        help="filter each channel of a colour image (each, the default), or its brightness "
        "alone (luma)")  # fmt: skip
    add("--scale", choices=SCALES, help="which values become black and white: " + SCALING)
    add("--part", choices=PARTS,
        help="which real number each filtered, complex value becomes: its real part or its "
        "magnitude. The default depends on the kind, see below")  # fmt: skip

    group = result.add_argument_group("transforms")
    commandline.add_algorithm(group)
    commandline.add_device(group)

    group = result.add_argument_group("more results")
    add = group.add_argument
    add("--spectrum", type=streams.file_name, metavar="FILE",
        help="also draw the input's spectrum, as pyclfft spectrum does: .png, .svg or "
        ".pdf")  # fmt: skip
    add("--mask", type=streams.file_name, metavar="FILE",
        help="also draw the filter's gains, DC in the middle; a .tif file holds them "
        "exactly")  # fmt: skip
    talk = result.add_argument_group("report").add_mutually_exclusive_group()
    talk.add_argument("--timing", action="store_true",
                      help="print the device's time of every pass and transfer")  # fmt: skip
    commandline.add_quiet(talk)
    return result


def join_numbers(argv: Sequence[str]) -> list[str]:
    """Keep options that have no fixed count of numbers from swallowing the file name behind them.

    Parameters
    ----------
    argv : sequence of str
        The arguments that the user has typed.

    Returns
    -------
    list of str
        The arguments with ``--highpass=20`` in the place of ``--highpass 20``, with
        ``--sigma=1 4`` as one argument in the place of ``--sigma 1 4``, and with
        ``--highpass= FILE`` in the place of ``--highpass FILE``.
    """
    result: list[str] = []
    wanted = 0  # numbers that the last option may still take
    for word in argv:
        if wanted and _is_number(word):
            result[-1] += word if result[-1].endswith("=") else f" {word}"
            wanted -= 1
        else:
            wanted = NUMBERS.get(word, 0)
            result.append(word + "=" if wanted else word)
    return result


def _is_number(text: str) -> bool:
    try:
        Fraction(text)
    except (ValueError, ZeroDivisionError):
        return False
    return True


def _radius(text: str) -> Fraction | None:
    return _number(text) if text else None


def _two_frequencies(text: str) -> tuple[Fraction, ...] | None:
    values = tuple(map(_number, text.split()))
    if len(values) == 1:
        raise argparse.ArgumentTypeError(f"LOW and HIGH are two numbers, not {text} alone")
    return values or None


def _sigma(text: str) -> float | tuple[float, ...]:
    values = tuple(map(commandline.positive, text.split()))
    if not values:
        raise argparse.ArgumentTypeError("a width in pixels is needed, or two of them for a band")
    return values if len(values) > 1 else values[0]


def _number(text: str) -> Fraction:
    if not _is_number(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number")
    return Fraction(text)


def _point(text: str) -> tuple[float, float] | str:
    if text == AUTO:
        return text
    try:
        y, x = map(float, text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither {AUTO} nor two frequencies such as 0.05,0.125"
        ) from None
    return y, x


def _require_sense(options: argparse.Namespace) -> None:
    """Refuse options that contradict each other."""
    if options.order is not None and options.shape != "butterworth":
        usual = "ideal" if KINDS.get(_kind(options)) == "cutoff" else "gaussian"
        raise PlanError(
            f"--order is the order of a Butterworth filter, and the shape is "
            f"{options.shape or usual}: add --shape butterworth, or leave out --order"
        )
    _require_sigmas(options)
    for_images = {
        "mask": options.mask, "channels": options.channels == "luma",
        "algorithm": options.algorithm, "use-mask": options.use_mask is not UNSET,
    }  # fmt: skip
    for option, unfit in for_images.items():
        if options.volume and unfit:
            raise PlanError(f"--{option} is for images: leave out --{option} or --volume")
    if options.volume and options.use_mask is UNSET and KINDS.get(_kind(options)) != "cutoff":
        raise PlanError(
            f"--volume has --highpass, --lowpass, --bandpass and --bandstop, not {_kind(options)}"
        )
    if options.cutoff is not None and KINDS.get(_kind(options)) == "cutoff":
        raise PlanError(f"--cutoff is for other kinds: write --{_kind(options)} {options.cutoff}")
    if options.notch and AUTO in options.notch and len(options.notch) > 1:
        raise PlanError(f"--notch {AUTO} finds the frequencies itself: leave out the others")


def _require_sigmas(options: argparse.Namespace) -> None:
    """Refuse a band without its two ends, and a second width for a kind that has one."""
    kind, two = _kind(options), isinstance(options.sigma, tuple)
    if kind in TWO_CUTOFFS and getattr(options, kind) is None and not two:
        given = "" if options.sigma is None else f", not {options.sigma:g} alone"
        raise PlanError(
            f"--{kind} needs two frequencies, --{kind} LOW HIGH, or the widths of two Gaussians, "
            f"--{kind} --sigma 1 4{given}"
        )
    if two and kind not in TWO_CUTOFFS and kind in KINDS and "sigma" in options_of(kind):
        first, second = options.sigma
        raise PlanError(f"--{kind} takes one width: leave out one of --sigma {first:g} {second:g}")


@dataclass(frozen=True, eq=False)
class Task:
    """A file to filter, and the results that are made of it, by their names in `WORDS`."""

    source: streams.Source
    targets: dict[str, streams.Target]


@dataclass(frozen=True, eq=False)
class Run:
    """A task that has begun: its job, its clock, and what closes the files of its results."""

    task: Task
    job: FileJob
    clock: Clock
    outputs: contextlib.ExitStack


def _results(options: argparse.Namespace) -> list[str]:
    """Return the folders for results, which is all that the names of results are with -r."""
    if not options.output:
        raise PlanError("-r needs -o and a folder for the results, whose folders are those of DIR")
    return [path for name in WORDS if (path := getattr(options, name))]


def _tasks(
    inputs: Sequence[streams.Source], options: argparse.Namespace, found: Found | None
) -> list[Task]:
    """Return what is to be done; refuse results that would be lost."""
    several = len(inputs) > 1 or found is not None
    wanted = {name: getattr(options, name) for name in WORDS}
    if options.format and wanted["output"] and not streams.is_open(wanted["output"], several):
        raise PlanError(
            f"{wanted['output']} names its format itself: leave out --format {options.format}"
        )
    tasks = []
    for source in inputs:
        endings = {
            "output": f"_{_kind(options)}{_suffix(source, options)}",
            "spectrum": "_spectrum.png",
            "mask": "_mask.png",
        }
        below = found.below.get(Path(source), "") if found else ""
        tasks.append(
            Task(
                source,
                {
                    name: streams.place(path, source, endings[name], several, below)
                    for name, path in wanted.items()
                    if path or name == "output"
                },
            )
        )
    if found:
        tasks = _without_own_results(tasks)
    written = [target for task in tasks for target in task.targets.values()]
    streams.require_no_terminal(written)
    streams.prepare([task.source for task in tasks], written, wanted.values(), several=several)
    return tasks


def _without_own_results(tasks: list[Task]) -> list[Task]:
    """Leave out files that are results of others: of an earlier run into the same folder."""
    results = {target for task in tasks for target in task.targets.values()}
    return [task for task in tasks if task.source not in results]


def _suffix(source: streams.Source, options: argparse.Namespace) -> str:
    """Return the suffix of a result that the user has not named."""
    if options.format:
        return f".{options.format}"
    return Path(source).suffix if can_write(source) else ".png"


def _kind(options: argparse.Namespace) -> str:
    """Return the kind that was asked for, or "masked"."""
    if options.preset is not UNSET:
        return str(options.preset)
    given = (kind for kind in KINDS if getattr(options, kind) not in (UNSET, []))
    return next(given, "masked")


# --- one image ------------------------------------------------------------------------------------


def _filter_all(
    tasks: Sequence[Task],
    unread: Sequence[OSError],
    options: argparse.Namespace,
    request: FilterRequest,
    report: Report,
    progress: Progress,
) -> Iterator[Callable[[], None]]:
    """Yield a function for each file that reports what was done, or raises the file's error."""
    for error in unread:
        yield partial(_raise, error)
    with contextlib.ExitStack() as stack:
        runs = [_begin(task, options, request, progress, stack) for task in tasks]
        for run, future in zip(runs, filter_files([run.job for run in runs]), strict=True):
            yield partial(_end, run, future, report, progress)


def _raise(error: OSError) -> None:
    raise error


def _begin(
    task: Task,
    options: argparse.Namespace,
    request: FilterRequest,
    progress: Progress,
    everything: contextlib.ExitStack,
) -> Run:
    """Open what the results of a file are written to, until `_end`, or until all else ends."""
    clock = Clock(progress, str(task.source))
    outputs = everything.enter_context(contextlib.ExitStack())
    suffixes = dict.fromkeys(DRAWINGS, ".png") | {"output": _suffix(task.source, options)}
    files = {
        name: outputs.enter_context(streams.written(target, suffixes[name]))
        for name, target in task.targets.items()
    }
    times: list[PassTime] | None = [] if options.timing else None
    job = FileJob(task.source, files, request, clock.step, times)
    return Run(task, job, clock, outputs)


def _end(run: Run, future: Future[FilteredFile], report: Report, progress: Progress) -> None:
    # What goes to standard output goes there when this block ends without an error.
    with run.outputs:
        done = future.result()
    _report(run.task, run.job, run.clock, done, report)
    progress.add()


def _report(task: Task, job: FileJob, clock: Clock, done: FilteredFile, report: Report) -> None:
    page = "" if done.pages == 1 else " (of the first page)"
    report(
        f"input   {task.source}: {done.words}",
        f"filter  {done.band}",
        *(
            f"output  {target}{WORDS[name]}{page if name in DRAWINGS else ''}"
            for name, target in task.targets.items()
        ),
        f"time    {clock}",
    )
    if job.times is not None:
        tables = commandline.pass_table(job.times), commandline.kernel_table(job.times)
        report(commandline.timing_report(*tables))


def _request(options: argparse.Namespace, gains: np.ndarray | None) -> FilterRequest:
    pad = options.pad or ("none" if options.preset is UNSET else "mirror")
    others = {name: getattr(options, name) for name in IMAGE_OPTIONS} | {"pad": pad}
    band = {name: getattr(options, name) for name in BAND_OPTIONS}
    band = {name: value for name, value in band.items() if value is not None and value is not False}
    if gains is not None:
        return FilterRequest(band, others, gains, options.volume)
    kind = _kind(options)
    value = getattr(options, kind, None)
    if value == [AUTO]:
        value = AUTO
    if isinstance(value, Fraction) and KINDS[kind] != "cutoff":
        value = float(value)
    named = {KINDS[kind]: value} if KINDS.get(kind) and value is not None else {}
    return FilterRequest({"kind": kind} | band | named, others, volume=options.volume)


if __name__ == "__main__":
    sys.exit(main())
