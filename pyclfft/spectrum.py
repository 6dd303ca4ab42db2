"""``python -m pyclfft.spectrum``: draw the spectra of images, find their peaks, write numbers."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain

from . import commandline, figures, streams
from .advice import pip_install
from .commandline import Clock, Progress, Report
from .errors import PlanError
from .image import spectrum as image_spectrum
from .image.filter_plans import PADS_OF_LOADS
from .image.imagefile import read_image, suffix_of
from .image.spectrum_files import PEAK_HEADER, WRITERS, SpectrumOfFile, peak_rows
from .runtime.choice import select_device, use_device
from .runtime.describe import device_label
from .runtime.queues import default_queue

PROG = "pyclfft spectrum"

EPILOG = f"""\
If none of -o, --json and --csv is given, the picture goes beside its input, as NAME_spectrum.png;
otherwise only the files that they name are made. A - is standard input or standard output:
"pyclfft spectrum - --json - < a.png". For several inputs -o, --json and --csv name folders.
Pictures need matplotlib ({pip_install("pictures")}); --json and --csv do not. Frequencies are in
cycles a pixel, periods in pixels, and angles in degrees anticlockwise from the right: vertical
stripes have 0. All messages go to standard error."""


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
    options = parser().parse_mixed(argv)
    with streams.sources(options.inputs, suffix_of) as inputs:
        jobs = _jobs(inputs, options)
        use_device(select_device(options.device))
        report = Report(options.quiet)
        report.heading(f"device  {device_label(default_queue().device)}")
        with Progress(len(inputs), "images", options.quiet) as progress:
            return commandline.run_each(
                (partial(_make, *job, options, report, progress) for job in jobs), PROG
            )


def parser() -> commandline.Parser:
    """Return the command's parser."""
    result = commandline.Parser(
        prog=PROG,
        description="Draw the spectra of images, find their peaks, such as those of stripes and "
        "halftone, or write their numbers, computed on an OpenCL device.",
        epilog=EPILOG,
    )
    add = result.add_argument
    add("inputs", nargs="+", type=streams.file_name, metavar="INPUT",
        help="an image: PGM, PNG, TIFF, JPEG, PPM, BMP, WebP or GIF; - reads standard "
        "input")  # fmt: skip

    add = result.add_argument_group("results").add_argument
    add("-o", "--output", dest="picture", type=streams.file_name, metavar="PATH",
        help="where the picture goes: a file (.png, .svg, .pdf), a folder, or - for standard "
        "output")  # fmt: skip
    add("--json", type=streams.file_name, metavar="FILE",
        help="write the peaks (frequency, period, angle, prominence) and the radial profile as "
        "JSON")  # fmt: skip
    add("--csv", type=streams.file_name, metavar="FILE",
        help="write the radial profile as CSV: the mean magnitude at each frequency")  # fmt: skip
    add("--format", choices=figures.FORMATS,
        help="the format of pictures that -o does not name (default: png)")  # fmt: skip

    group = result.add_argument_group("transform")
    add = group.add_argument
    add("--window", choices=("none", "hann"), default="none",
        help="let the image fade to black towards its edges (hann), so that edges that do not "
        "match draw no cross; none is the default")  # fmt: skip
    add("--pad", choices=PADS_OF_LOADS, default="none",
        help="what stands around the image while it is transformed: the image again (none, the "
        "default), black (zero), its edge pixels (edge), or its mirror image (mirror)")  # fmt: skip
    commandline.add_device(group)
    commandline.add_quiet(result.add_argument_group("report"))
    return result


def _jobs(
    inputs: Sequence[streams.Source], options: argparse.Namespace
) -> list[tuple[streams.Source, dict[str, streams.Target]]]:
    """Return each image with the kinds of files that are made of it and where they go."""
    several = len(inputs) > 1
    named = {kind: getattr(options, kind) for kind in WRITERS}
    wanted = [kind for kind in WRITERS if named[kind]] or ["picture"]
    if options.format and options.picture and not streams.is_open(options.picture, several):
        raise PlanError(
            f"{options.picture} names its format itself: leave out --format {options.format}"
        )
    endings = {
        kind: writer.ending.format(options.format or "png") for kind, writer in WRITERS.items()
    }
    jobs = [
        (source, {k: streams.place(named[k], source, endings[k], several) for k in wanted})
        for source in inputs
    ]
    written = {kind: [targets[kind] for _, targets in jobs] for kind in wanted}
    for picture in written.get("picture", ()):
        on_stdout = isinstance(picture, streams.StandardOutput)
        suffix = f".{options.format or 'png'}" if on_stdout else ""
        figures.require_picture(f"{picture}{suffix}")
    streams.require_no_terminal(written.get("picture", ()))
    streams.prepare(inputs, chain(*written.values()), named.values())
    return jobs


def _make(
    source: streams.Source,
    targets: dict[str, streams.Target],
    options: argparse.Namespace,
    report: Report,
    progress: Progress,
) -> None:
    """Make all that is wanted of one image."""
    clock = Clock(progress, str(source))
    window = None if options.window == "none" else options.window
    with ExitStack() as stack:
        # What goes to standard output goes there when this block ends without an error.
        files = {
            kind: stack.enter_context(streams.written(target, f".{options.format or 'png'}"))
            for kind, target in targets.items()
        }
        with clock.step("read"):
            image = read_image(source)
        with clock.step("transform"):
            found = image_spectrum.spectrum(image.pixels, window=window, pad=options.pad)
        result = SpectrumOfFile(found, str(source), image.pixels.shape[:2], window, options.pad)
        with clock.step("write"):
            for kind, file in files.items():
                WRITERS[kind].write(file, result)
    peaks = commandline.table(peak_rows(found.peaks), PEAK_HEADER, ">>>>>") if found.peaks else ""
    report(
        f"input   {source}: {image.pixels.shape[1]} x {image.pixels.shape[0]} pixels, {image.kind}",
        *(f"output  {target}" for target in targets.values()),
        f"time    {clock}",
        f"peaks   {len(found.peaks) or 'none'}",
        *peaks.splitlines(),
    )
    progress.add()


commandline.make_callable(__name__, image_spectrum.spectrum)

if __name__ == "__main__":
    sys.exit(main())
