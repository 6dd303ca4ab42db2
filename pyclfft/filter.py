"""``python -m pyclfft.filter``: filter image files in the frequency domain."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np

from . import commandline
from .apps.bands import KINDS, SHAPES, UNITS
from .apps.imagefile import ImageFile, can_write, check_output, read_image, write_image
from .apps.imaging import CHANNELS, PADS, PARTS, SCALES, filter_job, filter_mask, image_filter
from .errors import PlanError
from .planning.solvers import BY_NAME
from .runtime.device import default_queue, device_label, select_device, use_device
from .runtime.profile import PassTime, Recorder, merge_repeats, profiling_queue, totals
from .transforms import fft2

PROG = "pyclfft filter"
ONE_RADIUS = ("--highpass", "--lowpass")
UNSET = object()  # an option that was not given; None is a radius left to the default

# options that go to filter_job, and to filter_mask, by their own names
MASK_OPTIONS = ("unit", "shape", "order", "keep_dc")
JOB_OPTIONS = (*MASK_OPTIONS, "pad", "channels", "scale", "part", "algorithm")

EPILOG = """\
Without -o a result is written beside its input, as NAME_highpass.pgm and so on. RADIUS is an eighth
of the image's shorter side by default. Numbers may be fractions such as 1/8. Spectra
and gains are drawn with DC in the middle."""
SCALING = (
    "0 to the greatest value (max, the default), the least to the greatest (stretch), "
    "0 to white (clip), or nothing, for real numbers (none)"
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
        Exit status: 0, or 2 after an error in any input.
    """
    return commandline.run(lambda: _main(sys.argv[1:] if argv is None else argv), PROG)


def _main(argv: Sequence[str]) -> int:
    options = parser().parse_intermixed_args(separate_radius(argv))
    jobs = _outputs(options)
    use_device(select_device(options.device))
    print(f"device  {device_label(default_queue().device)}")
    status = 0
    for source, target in jobs:
        # An error in one image leaves the others to be done, Ctrl-C does not.
        status |= commandline.run(partial(_filter_file, source, target, options), PROG)
        if status > commandline.FAILED:
            break
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
    add("inputs", nargs="+", type=Path, metavar="INPUT", help="PGM, PNG, TIFF, JPEG ...")
    add("-o", "--output", metavar="PATH", help="file for one input, or a folder")

    kinds = result.add_mutually_exclusive_group(required=True)
    for kind, passes in (("highpass", "r >= RADIUS"), ("lowpass", "r < RADIUS")):
        kinds.add_argument(
            f"--{kind}", nargs="?", default=UNSET, type=_radius, metavar="RADIUS",
            help=f"pass frequencies {passes}",
        )  # fmt: skip
    for kind, passes in (("bandpass", "LOW <= r < HIGH"), ("bandstop", "all others")):
        kinds.add_argument(
            f"--{kind}", nargs=2, default=UNSET, type=_number, metavar=("LOW", "HIGH"),
            help=f"pass {passes}",
        )  # fmt: skip

    add("--unit", choices=UNITS, default="bin", help="of RADIUS, LOW and HIGH (default: bin)")
    add("--shape", choices=SHAPES, default="ideal", help="from pass to stop (default: ideal)")
    add("--order", type=float, default=2, help="of a Butterworth filter (default: 2)")
    add("--keep-dc", action="store_true", help="leave the mean brightness as it is")
    add("--pad", choices=PADS, default="none", help="what stands around the image")
    add("--channels", choices=CHANNELS, default="each", help="of a colour image")
    add("--scale", choices=SCALES, default="max", help="what becomes black to white: " + SCALING)
    add("--part", choices=PARTS, default="magnitude", help="of the filtered values")
    add("--algorithm", choices=BY_NAME, help="of the transforms (default: the first that applies)")
    add("--device", metavar="SPEC", help=commandline.DEVICE)
    add("--spectrum", type=Path, metavar="FILE", help="also draw the input's spectrum")
    add("--mask", type=Path, metavar="FILE", help="also draw the filter's gains")
    add("--timing", action="store_true", help="print the device's time of every pass and transfer")
    return result


def separate_radius(argv: Sequence[str]) -> list[str]:
    """Keep an optional RADIUS from swallowing the file name that follows its option.

    Parameters
    ----------
    argv : sequence of str
        As typed.

    Returns
    -------
    list of str
        ``--highpass 20`` as ``--highpass=20``, and ``--highpass FILE`` as ``--highpass= FILE``.
    """
    result: list[str] = []
    for word in argv:
        last = result[-1] if result else ""
        if last[:-1] in ONE_RADIUS and last[-1] == "=" and _is_number(word):
            result[-1] = last + word
        else:
            result.append(word + "=" if word in ONE_RADIUS else word)
    return result


def _is_number(text: str) -> bool:
    try:
        Fraction(text)
    except (ValueError, ZeroDivisionError):
        return False
    return True


def _radius(text: str) -> Fraction | None:
    return _number(text) if text else None


def _number(text: str) -> Fraction:
    if not _is_number(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number")
    return Fraction(text)


def _outputs(options: argparse.Namespace) -> list[tuple[Path, Path]]:
    """Return (input, output) of every image, and refuse what would lose a file."""
    inputs: list[Path] = options.inputs
    several = len(inputs) > 1
    if several and (options.spectrum or options.mask):
        raise PlanError("--spectrum and --mask take one input: call the command once for each")
    wanted = options.output
    folder = wanted is not None and (several or wanted.endswith("/") or Path(wanted).is_dir())
    pairs = []
    for source in inputs:
        suffix = source.suffix if can_write(source) else ".png"
        name = f"{source.stem}_{_kind(options)}{suffix}"
        beside = source.with_name(name)
        pairs.append((source, Path(wanted, name) if folder else Path(wanted or beside)))
    written = [target for _, target in pairs] + [f for f in (options.spectrum, options.mask) if f]
    places = [path.resolve() for path in written]
    read = {source.resolve() for source in inputs}
    for path, place in zip(written, places, strict=True):
        if place in read:
            raise PlanError(f"{path} is an input too: name another output with -o")
        if places.count(place) > 1:
            raise PlanError(f"{path} would be written twice: filter these inputs one by one")
    if folder:
        Path(wanted).mkdir(exist_ok=True)
    return pairs


def _kind(options: argparse.Namespace) -> str:
    return next(kind for kind in KINDS if getattr(options, kind) is not UNSET)


# --- one image ------------------------------------------------------------------------------------


class StopWatch:
    """Names steps and how long each took on the host."""

    def __init__(self) -> None:
        self._steps: list[tuple[str, float]] = []
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        """End a step and begin the next."""
        now = time.perf_counter()
        self._steps.append((name, now - self._last))
        self._last = now

    def __str__(self) -> str:
        return ", ".join(f"{name} {seconds * 1e3:.1f} ms" for name, seconds in self._steps)


def _filter_file(source: Path, target: Path, options: argparse.Namespace) -> None:
    watch = StopWatch()
    image = read_image(source)
    job = filter_job(
        image.pixels,
        _kind(options),
        getattr(options, _kind(options)),
        maxval=image.maxval,
        **{name: getattr(options, name) for name in JOB_OPTIONS},
    )
    blank = np.empty(job.shape, job.result_dtype)
    check_output(target, _like(image, blank))
    watch.lap("read")

    queue = default_queue()
    ready = image_filter(job, queue.context)
    recorder = Recorder() if options.timing else None
    watch.lap("plan")
    result = ready(image.pixels, profiling_queue(queue.context) if recorder else queue, recorder)
    watch.lap("filter")
    write_image(target, _like(image, result))
    watch.lap("write")

    height, width = job.shape[:2]
    print(f"input   {source}: {width} x {height} pixels, {image.kind}")
    print(f"filter  {job.band}")
    print(f"output  {target}")
    print(f"time    {watch}")
    if options.spectrum:
        write_image(options.spectrum, _picture(spectrum_picture(image.pixels)))
        print(f"output  {options.spectrum}: the input's spectrum")
    if options.mask:
        gains = filter_mask(
            (height, width), job.band.kind, getattr(options, job.band.kind),
            **{name: getattr(options, name) for name in MASK_OPTIONS},
        )  # fmt: skip
        write_image(options.mask, _picture(np.fft.fftshift(gains)))
        print(f"output  {options.mask}: the filter's gains")
    if recorder:
        print(timing_table(recorder.times()))


def _like(image: ImageFile, pixels: np.ndarray) -> ImageFile:
    """Return pixels as an image with another's alpha; real numbers have white at 1."""
    if pixels.dtype == image.pixels.dtype:
        return ImageFile(pixels, image.maxval, image.alpha)
    alpha = None if image.alpha is None else np.float32(image.alpha) / np.float32(image.maxval)
    return ImageFile(pixels, 1, alpha)


def _picture(values: np.ndarray) -> ImageFile:
    """Return values 0 .. 1 as an 8-bit grey image."""
    return ImageFile(np.rint(255 * values).astype(np.uint8), 255)


def spectrum_picture(pixels: np.ndarray) -> np.ndarray:
    """Return an image's log-magnitude spectrum, DC in the middle, stretched to 0 .. 1.

    Parameters
    ----------
    pixels : ndarray, shape (height, width) or (height, width, 3)
        Colours are averaged.

    Returns
    -------
    ndarray of float, shape (height, width)
    """
    grey = pixels.astype(np.float32)
    grey = grey.mean(axis=2) if grey.ndim == 3 else grey
    logarithm = np.log1p(np.abs(np.fft.fftshift(fft2(grey))))
    logarithm -= logarithm.min()
    return logarithm / (logarithm.max() or 1)


def timing_table(times: Sequence[PassTime]) -> str:
    """Return every pass in order, neighbours of one kernel joined, then the sum of each kernel.

    Parameters
    ----------
    times : sequence of PassTime
        Of one run.

    Returns
    -------
    str
        Lines of text; times in ms, from the device's profiling events.
    """
    rows = []
    for each, count in merge_repeats(times):
        step = each.step if count == 1 else ""
        rows.append((each.name, str(count), f"{each.ms:.3f}", f"{each.gb_per_s:.1f}", step))
    passes = commandline.table(rows, ("pass", "launches", "ms", "GB/s", "step"), "<>>><")
    sums = [(name, str(count), f"{ms:.3f}") for name, (count, ms) in totals(times).items()]
    sums.append(("all", str(len(times)), f"{sum(each.ms for each in times):.3f}"))
    return f"\n{passes}\n\n{commandline.table(sums, ('kernel', 'launches', 'ms'), '<>>')}\n"


if __name__ == "__main__":
    sys.exit(main())
