"""``python -m pyclfft.spectrogram``: draw the spectrograms of sounds, or write their numbers."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from math import inf
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl

from . import commandline, streams
from .advice import pip_install
from .audio import stft as shorttime
from .audio.audiofile import AudioInfo, AudioReader, Channel, open_audio
from .audio.frame_jobs import Job, executable_of
from .audio.framing import Frames, Magnitudes, make_frames
from .audio.notes import notes
from .audio.onsets import onsets
from .audio.spectrogram_picture import (
    AXES,
    FORMATS,
    Caption,
    Levels,
    Note,
    Times,
    decibels,
    draw,
    encode,
    require_picture,
)
from .audio.stft import PRESETS
from .commandline import Clock, Progress, Report
from .errors import PlanError
from .files import atomic_write
from .runtime import memory
from .runtime.choice import select_device, use_device
from .runtime.describe import device_label, traits
from .runtime.executable import run_on_host
from .runtime.operation import queue_for
from .runtime.profile import PassTime, Recorder, profiling_queue, totals
from .runtime.queues import default_queue

PROG = "pyclfft spectrogram"
File = Path | streams.StandIn  # to write
POINTS = 2**22  # of the frames that are transformed at a time: so much memory is enough
RELATED_POINTS = 2**27  # of frames that are together where the device divides by the greatest

PART = ("start", "duration", "channel")  # options that say what of a sound is wanted
# Options that a preset decides, and those that only a picture shows, with their defaults.
FRAMING = {"n_fft": 2048, "hop": None, "window": "hann"}
PICTURE = {"db": 80.0, "cmap": "magma", "axis": "linear", "format": "png"}

EPILOG = f"""\
Without -o, --notes, --csv and --npz the picture stands beside its input, as NAME_spectrogram.png;
with any of them only what they name is made. A - is standard input or standard output: "pyclfft
spectrogram - --csv - < a.wav". For several inputs -o, --notes, --csv and --npz name folders. WAV
needs nothing else; other sounds need soundfile ({pip_install("sounds")}), and pictures matplotlib
({pip_install("pictures")}). Everything that the command says goes to standard error."""


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
    give_name_back()
    return commandline.run(lambda: _main(sys.argv[1:] if argv is None else argv), PROG)


def _main(argv: Sequence[str]) -> int:
    options = parser().parse_args(argv)
    frames, magnitudes = _framing(options)
    with streams.sources(options.inputs) as inputs:
        jobs = _jobs(inputs, options)
        use_device(select_device(options.device))
        report = Report(options.quiet)
        report.heading(f"device  {device_label(default_queue().device)}")
        return commandline.run_each(
            (partial(_make, *job, frames, magnitudes, options, report) for job in jobs), PROG
        )


def _make(
    source: streams.Source,
    targets: dict[str, streams.Target],
    frames: Frames,
    magnitudes: Magnitudes,
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
        count = frames.count(audio.extent(options.start, options.duration)[1])
        progress = stack.enter_context(Progress(count, "frames", options.quiet))
        clock = Clock(progress, audio.path)
        result = _analyse(
            audio, frames, magnitudes, options, targets.keys(), clock, times, progress
        )
        if "notes" in targets:
            with clock.step("notes"):
                result = _with_notes(audio, result, options)
        for kind, file in files.items():
            with clock.step(WRITERS[kind].step):
                words = WRITERS[kind].write(file, result, options)
            lines.append(f"output  {targets[kind]}{words}")
    report(
        f"input   {audio.path}: {audio.info}",
        f"frames  {result.count}: {result.details}",
        *lines,
        f"time    {clock}",
    )
    if times is not None:
        report(timing_table(clock, times))


# --- arguments ------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
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
        help="hann (default), hamming, boxcar or another window of scipy.signal, its parameters "
        "behind a comma: kaiser,8.6")  # fmt: skip
    add("--preset", choices=PRESETS,
        help="frames of 2048 samples, 1024 apart, without a window; bins 0 to 1023")  # fmt: skip
    commandline.add_algorithm(frames)
    commandline.add_device(frames)

    part = result.add_argument_group("part of the sound")
    add = part.add_argument
    add("--channel", type=_channel, default="mix", metavar="N",
        help="the number of one channel, from 0, or mix, the mean of all (default: "
        "mix)")  # fmt: skip
    add("--start", type=_number(0), default=0.0, metavar="SECONDS",
        help="where to begin (default: 0)")  # fmt: skip
    add("--duration", type=_number(0), metavar="SECONDS",
        help="how much to take (default: all that follows)")  # fmt: skip

    picture = result.add_argument_group("picture")
    add = picture.add_argument
    add("--format", choices=FORMATS,
        help="the format of pictures that -o does not name (default: png)")  # fmt: skip
    add("--db", type=_number(1), metavar="RANGE",
        help="the decibels from the greatest level to the darkest colour (default: "
        "80)")  # fmt: skip
    add("--cmap", metavar="NAME", help="a colour map of matplotlib (default: magma)")
    scales = picture.add_mutually_exclusive_group()
    scales.add_argument("--log-frequency", dest="axis", action="store_const", const="log",
                        help="draw every octave equally high, labelled with notes")  # fmt: skip
    scales.add_argument("--mel", dest="axis", action="store_const", const="mel",
                        help="draw frequencies on the mel scale (Slaney's, as librosa's "
                        "default)")  # fmt: skip

    talk = result.add_argument_group("report").add_mutually_exclusive_group()
    talk.add_argument("--timing", action="store_true",
                      help="print the time of every step and kernel")  # fmt: skip
    commandline.add_quiet(talk)
    return result


def _number(least: float) -> Callable[[str], float]:
    """Return the type of an option that is a number, `least` or more."""

    def number(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = -inf
        if not least <= value < inf:
            raise argparse.ArgumentTypeError(f"{text!r} is no number from {least:g} on")
        return value

    return number


def _channel(text: str) -> Channel:
    if text == "mix":
        return "mix"
    if text.isdecimal():
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no channel: take 0, 1, ... or mix")


def _window(text: str) -> str | tuple[Any, ...]:
    """Read a window's name, with its parameters behind commas."""
    name, *parameters = text.split(",")
    try:
        return (name, *map(float, parameters)) if parameters else name
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: behind a comma stands a number") from None


def _jobs(
    inputs: Sequence[streams.Source], options: argparse.Namespace
) -> list[tuple[streams.Source, dict[str, streams.Target]]]:
    """Return what is made of each sound and where it goes; refuse what would be lost or end late.

    A picture is made where it is asked for, or nothing else is.
    """
    several = len(inputs) > 1
    named = {kind: getattr(options, kind) for kind in WRITERS}
    wanted = [kind for kind in WRITERS if named[kind]] or ["picture"]
    _complete_picture(options, "picture" in wanted, several)
    endings = {kind: writer.ending.format(options.format) for kind, writer in WRITERS.items()}
    jobs = [
        (source, {k: streams.place(named[k], source, endings[k], several) for k in wanted})
        for source in inputs
    ]
    written = {kind: [targets[kind] for _, targets in jobs] for kind in wanted}
    for picture in written.get("picture", ()):
        suffix = f".{options.format}" if isinstance(picture, streams.StandardOutput) else ""
        require_picture(f"{picture}{suffix}", options.cmap)
    streams.require_no_terminal([*written.get("picture", ()), *written.get("npz", ())])
    streams.prepare(inputs, chain(*written.values()), named.values())
    return jobs


def _complete_picture(options: argparse.Namespace, drawn: bool, several: bool) -> None:
    """Set the picture's options to their defaults, unless they make no sense."""
    given = [name for name in PICTURE if getattr(options, name) is not None]
    if given and not drawn:
        flags = {"axis": "--log-frequency" if options.axis == "log" else "--mel"}
        named = ", ".join(flags.get(name, f"--{name}") for name in given)
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
    """Return how to frame and what to compute, and complete the options by their defaults."""
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


# --- from a file to spectra -----------------------------------------------------------------------


def spectra_of_file(
    audio: AudioReader,
    frames: Frames,
    magnitudes: Magnitudes,
    part: Mapping[str, Any],
    *,
    algorithm: str | None = None,
    queue: cl.CommandQueue | None = None,
    clock: Clock | None = None,
    times: list[PassTime] | None = None,
) -> Iterator[np.ndarray]:
    """Compute magnitudes of a file's frames part by part, whatever its length.

    Parameters
    ----------
    audio : AudioReader
        The file.
    frames : Frames
        How it is framed, with zeros outside of it.
    magnitudes : Magnitudes
        What is wanted. What is relative to the greatest number, which is known only at the end,
        takes all frames at once.
    part : mapping
        The `start`, `duration` and `channel` of `AudioReader.blocks`; one channel, or "mix".
    algorithm : str, optional
        Of the transforms.
    queue : cl.CommandQueue, optional
        Where to run.
    clock : Clock, optional
        Is told of the steps "read", "plan" (after the first piece is read) and "transform".
    times : list of PassTime, optional
        Receives the times of what the device did; needs a profiling queue.

    Yields
    ------
    ndarray of float32, shape (bins, frames)
        One behind the other: the same numbers as of the whole sound at once.

    Raises
    ------
    FormatError, PlanError, DeviceError, DeviceMemoryError
        As of `AudioReader.blocks` and `spectrogram`.

    Notes
    -----
    All pieces are alike, with the zeros around the sound among their samples: they share one plan,
    which is made while the host reads. `FrameStream`, which takes any padding, plans those at both
    ends apart, often with a kernel of their own to build, which would only begin when they come.
    """
    queue, clock = queue_for(queue), clock or Clock()
    _, samples = audio.extent(part["start"], part["duration"])
    most = frames.count(samples) if magnitudes.relative else POINTS // frames.n_fft
    together = max(1, min(frames.count(samples), most))
    bins = magnitudes.bins or frames.n_fft // 2 + 1
    length = (together - 1) * frames.hop + frames.n_fft
    framing = replace(frames, center=False, chunk=1).over(length, 1, "single")
    job = Job(framing, frames.window, magnitudes, algorithm)
    # Kernels are built and twiddles uploaded while the host still reads the file.
    with ThreadPoolExecutor(1) as planner:
        planned = planner.submit(executable_of, queue.context, job)
        pieces = _pieces(_filled(audio, frames, part), length, together * frames.hop)
        with clock.step("read"):
            piece = next(pieces, None)
        with clock.step("plan"):  # as much of it as reading has not hidden
            executable = planned.result()
    while piece is not None:
        count = max(0, (len(piece) - frames.n_fft) // frames.hop + 1)
        if not count:
            return
        with clock.step("transform"):
            # The last piece is as long as the others, so that nothing has to be planned for it.
            missing = length - len(piece)
            signal = np.pad(piece, (0, missing)) if missing else piece
            spectra = memory.empty((together, bins), np.dtype(np.float32))
            # One for each piece: events keep the memory that they were about.
            recorder = None if times is None else Recorder()
            run_on_host(executable, queue, signal, spectra, recorder)
            if recorder and times is not None:
                times += recorder.times()
        yield spectra[:count].T
        with clock.step("read"):
            piece = next(pieces, None)


def _filled(audio: AudioReader, frames: Frames, part: Mapping[str, Any]) -> Iterator[np.ndarray]:
    """Yield the samples, and the zeros before and behind them that frames go over."""
    yield np.zeros(frames.before, np.float32)
    samples = 0
    for block in audio.blocks(**part):
        samples += block.shape[1]
        yield block[0]
    yield np.zeros(frames.extent(samples) - samples - frames.before, np.float32)


def _pieces(blocks: Iterator[np.ndarray], length: int, step: int) -> Iterator[np.ndarray]:
    """Cut blocks anew: `length` samples every `step`, and what is left at the end."""
    waiting: list[np.ndarray] = []
    count = 0
    for block in blocks:
        waiting.append(block)
        count += len(block)
        while count >= max(length, step):
            joined = np.concatenate(waiting)
            yield joined[:length]
            waiting = [joined[step:]]
            count -= step
    yield np.concatenate(waiting)[:length]


# --- what becomes of them -------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Analysis:
    """What is known of a sound.

    Attributes
    ----------
    name : str
        Of its file.
    info : AudioInfo
        Of its file.
    frames : Frames
        How it was framed.
    times : Times
        Of the frames.
    count : int
        Of frames.
    details : str
        Of frames and window, in words.
    levels : Levels or None
        For the picture, where one is wanted.
    spectra : ndarray of float32, shape (bins, frames), or None
        All amplitudes, where they are wanted.
    onsets : ndarray
        Times, in s.
    notes : tuple of Note
        That were found.
    """

    name: str
    info: AudioInfo
    frames: Frames
    times: Times
    count: int
    details: str
    levels: Levels | None = None
    spectra: np.ndarray | None = None
    onsets: np.ndarray = field(default_factory=lambda: np.empty(0))
    notes: tuple[Note, ...] = ()

    @property
    def frequencies(self) -> np.ndarray:
        """Of the bins, in Hz."""
        assert self.spectra is not None
        return np.arange(len(self.spectra)) * self.info.sr / self.frames.n_fft


def _analyse(
    audio: AudioReader,
    frames: Frames,
    magnitudes: Magnitudes,
    options: argparse.Namespace,
    wanted: Collection[str],
    clock: Clock,
    device_times: list[PassTime] | None,
    progress: Progress,
) -> Analysis:
    sr = audio.info.sr
    first, samples = audio.extent(options.start, options.duration)
    if frames.n_fft > samples:
        warnings.warn(
            f"{audio.path}: n_fft = {frames.n_fft} is more than the {samples} samples", stacklevel=2
        )
    total, bins = frames.count(samples), magnitudes.bins or frames.n_fft // 2 + 1
    levels = spectra = None
    if "picture" in wanted:
        levels = Levels(AXES[options.axis], sr, frames.n_fft, bins, total)
    if "csv" in wanted or "npz" in wanted:
        spectra = np.empty((total, bins), np.float32).T
    # Of a sound that is too long to be transformed at once the host divides by the greatest.
    on_device = magnitudes.relative and _fits_at_once(frames, samples)
    blocks = spectra_of_file(
        audio, frames, replace(magnitudes, relative=on_device), _part(options),
        algorithm=options.algorithm,
        queue=profiling_queue(default_queue().context) if options.timing else None,
        clock=clock, times=device_times,
    )  # fmt: skip
    count, greatest = _gather(blocks, levels, spectra, clock, progress)
    if not greatest:
        warnings.warn(f"{audio.path}: the sound is silent", stacklevel=2)
    if spectra is not None:
        spectra = spectra[:, :count]  # a file may end before it says so
        if magnitudes.relative and not on_device:
            spectra /= greatest or 1
    middle = first if frames.center else first + frames.n_fft / 2
    times = Times(middle / sr, frames.hop / sr, first / sr, (first + samples) / sr)
    window = options.window if isinstance(options.window, str) else repr(options.window)
    details = f"n_fft {frames.n_fft}, hop {frames.hop}, window {window}"
    return Analysis(
        Path(audio.path).name, audio.info, frames, times, count, details, levels, spectra
    )


def _fits_at_once(frames: Frames, samples: int) -> bool:
    """Whether samples, spectra and magnitudes of a whole sound fit the device, and the host."""
    points, item = frames.count(samples) * frames.n_fft, np.dtype(np.float32).itemsize
    sizes = {"samples": frames.extent(samples) * item, "spectra": points * item}
    sizes["magnitudes"] = points // 2 * item
    return points <= RELATED_POINTS and traits(default_queue().device).holds(sizes)


def _part(options: argparse.Namespace) -> dict[str, Any]:
    """Return what of the file is wanted, as `AudioReader.blocks` takes it."""
    return {name: getattr(options, name) for name in PART}


def _gather(
    blocks: Iterator[np.ndarray],
    levels: Levels | None,
    spectra: np.ndarray | None,
    clock: Clock,
    progress: Progress,
) -> tuple[int, np.float32]:
    """Take all frames, for the picture and into an array; return how many and the greatest."""
    count, greatest = 0, np.float32(0)
    for block in blocks:
        end = count + block.shape[1]
        if levels is not None:
            with clock.step("draw"):
                levels.add(block)
        if spectra is not None:
            spectra[:, count:end] = block
        greatest = max(greatest, block.max())
        progress.done = count = end
    return count, greatest


def _with_notes(audio: AudioReader, analysis: Analysis, options: argparse.Namespace) -> Analysis:
    """Find onsets and notes; their times are those of the file."""
    parts = audio.blocks(**_part(options))
    y, sr, begin = np.concatenate([each[0] for each in parts]), audio.info.sr, analysis.times.begin
    starts = onsets(y, sr, units="time") + begin
    found = (
        Note(n.onset + begin, n.duration, n.name, n.midi, n.cents, n.strength) for n in notes(y, sr)
    )
    return replace(analysis, onsets=starts, notes=tuple(found))


# --- outputs --------------------------------------------------------------------------------------


def _write_npz(path: File, analysis: Analysis, options: argparse.Namespace) -> str:
    quantity = "amplitude relative to the greatest" if options.preset else "amplitude"
    assert analysis.spectra is not None
    with atomic_write(path) as file:
        np.savez(
            file, S=analysis.spectra, quantity=quantity, frequencies=analysis.frequencies,
            times=analysis.times.of(analysis.count), sr=analysis.info.sr,
            n_fft=analysis.frames.n_fft, hop=analysis.frames.hop, window=str(options.window),
        )  # fmt: skip
    return f": S ({quantity}) of shape {analysis.spectra.shape}"


def _write_csv(path: File, analysis: Analysis, options: argparse.Namespace) -> str:
    assert analysis.spectra is not None
    levels, times = decibels(analysis.spectra), analysis.times.of(analysis.count)
    rows = (
        [f"{middle:.6f}", *map("%.2f".__mod__, column.tolist())]
        for middle, column in zip(times, levels.T, strict=True)
    )
    _write_rows(path, ["time_s", *(f"{hertz:.10g}" for hertz in analysis.frequencies)], rows)
    return f": decibels of {analysis.count} frames"


def _write_notes(path: File, analysis: Analysis, options: argparse.Namespace) -> str:
    rows = (
        [f"{n.onset:.4f}", f"{n.duration:.4f}", n.name, f"{n.midi:g}", f"{n.cents:.1f}",
         f"{n.strength:.6g}"]
        for n in analysis.notes
    )  # fmt: skip
    _write_rows(path, ("onset_s", "duration_s", "note", "midi", "cents", "strength"), rows)
    return f": {len(analysis.notes)} notes, {len(analysis.onsets)} onsets"


def _write_rows(path: File, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    with atomic_write(path) as file:  # as bytes: sharps are UTF-8 everywhere
        for row in chain([header], rows):
            file.write((",".join(row) + "\n").encode())


def _write_picture(path: File, analysis: Analysis, options: argparse.Namespace) -> str:
    caption = Caption(analysis.name, f"{analysis.info.sr} Hz, {analysis.details}")
    assert analysis.levels is not None
    figure = draw(
        analysis.levels, analysis.times, caption, db=options.db, colours=options.cmap,
        onsets=analysis.onsets, notes=analysis.notes,
    )  # fmt: skip
    data = encode(figure, path)
    with atomic_write(path) as file:
        file.write(data)
    return ""


class Writer(NamedTuple):
    """How a result is written, what its name ends with, and the step of the clock that it is."""

    write: Callable[[File, Analysis, argparse.Namespace], str]
    ending: str
    step: str


WRITERS = {
    "npz": Writer(_write_npz, "_spectrogram.npz", "write"),
    "csv": Writer(_write_csv, "_spectrogram.csv", "write"),
    "notes": Writer(_write_notes, "_notes.csv", "write"),
    "picture": Writer(_write_picture, "_spectrogram.{}", "draw"),
}


# --- times ----------------------------------------------------------------------------------------


def timing_table(clock: Clock, times: Sequence[PassTime]) -> str:
    """Return the time of every step on the host, then that of every kernel on the device.

    Parameters
    ----------
    clock : Clock
        Of the run.
    times : sequence of PassTime
        From the device's profiling events.

    Returns
    -------
    str
        Lines of text; times in ms. The transfers and kernels are part of "transform".
    """
    names = {"transform": "upload and transform"}
    steps = [(names.get(name, name), f"{1e3 * took:.3f}") for name, took in clock.steps.items()]
    steps.append(("total", f"{1e3 * clock.total:.3f}"))
    sums = [(name, str(count), f"{ms:.3f}") for name, (count, ms) in totals(times).items()]
    sums.append(("all", str(len(times)), f"{sum(each.ms for each in times):.3f}"))
    kernels = commandline.table(sums, ("kernel", "launches", "ms"), "<>>")
    return f"\n{commandline.table(steps, ('step', 'ms'), '<>')}\n\n{kernels}\n"


# --- a module of the same name as a function ------------------------------------------------------


class _Callable(ModuleType):
    """A module that can be called: importing it puts it into the function's place.

    Nobody has to import a command, but who does, such as a tool that imports all modules, still
    finds `pyclfft.spectrogram` to compute spectrograms.
    """

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return shorttime.spectrogram(*arguments, **options)


def give_name_back() -> None:
    """Let `pyclfft.spectrogram` be the function again."""
    setattr(sys.modules[__package__], "spectrogram", shorttime.spectrogram)  # noqa: B010


sys.modules[__name__].__class__ = _Callable

if __name__ == "__main__":
    sys.exit(main())
