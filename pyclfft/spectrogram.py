"""``python -m pyclfft.spectrogram``: draw the spectrogram of an audio file."""

from __future__ import annotations

import argparse
import errno
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from math import inf
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl
from tqdm import tqdm

from . import commandline
from .apps import shorttime
from .apps.audiofile import AudioInfo, AudioReader, Channel, open_audio
from .apps.frame_jobs import Job, executable_of
from .apps.framing import Frames, Magnitudes, make_frames
from .apps.notes import notes
from .apps.onsets import onsets
from .apps.shorttime import PRESETS
from .apps.spectrogram_picture import (
    AXES,
    Caption,
    Levels,
    Note,
    Times,
    decibels,
    draw,
    encode,
    require_picture,
)
from .errors import PlanError
from .files import atomic_write
from .planning.solvers import BY_NAME
from .runtime import memory
from .runtime.device import default_queue, device_label, select_device, traits, use_device
from .runtime.executable import run_on_host
from .runtime.profile import PassTime, Recorder, profiling_queue, totals

PROG = "pyclfft spectrogram"
POINTS = 2**22  # of the frames that are transformed at a time: so much memory is enough
RELATED_POINTS = 2**27  # of frames that are together where the device divides by the greatest

PART = ("start", "duration", "channel")  # options that say what of a file is wanted
FRAMING = {"n_fft": 2048, "hop": None, "window": "hann"}  # those that a preset decides; defaults

EPILOG = """\
Without -o the picture is written beside its input, as NAME_spectrogram.png. Levels are relative to
the greatest. Of a long file each column shows the greatest level of its frames. Formats: WAV; with
soundfile (pip install 'pyclfft[audio]') also FLAC, OGG, AIFF, MP3 and others."""


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


def _main(argv: Sequence[str]) -> None:
    options = parser().parse_args(argv)
    outputs = _outputs(options)
    require_picture(outputs["picture"], options.cmap)
    frames, magnitudes = _framing(options)
    use_device(select_device(options.device))
    print(f"device  {device_label(default_queue().device)}")
    clock = Clock()
    times: list[PassTime] | None = [] if options.timing else None
    with open_audio(options.input) as audio:
        print(f"input   {audio.path}: {audio.info}")
        result = _analyse(audio, frames, magnitudes, options, clock, times)
        if options.notes:
            with clock.step("notes"):
                result = _with_notes(audio, result, options)
    print(f"frames  {result.count}: {result.details}")
    for name, path in outputs.items():
        with clock.step(WRITERS[name].step):
            words = WRITERS[name].write(path, result, options)
        print(f"output  {path}{words}")
    print(f"time    {clock}")
    if times is not None:
        print(timing_table(clock, times))


# --- arguments ------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    result = commandline.Parser(
        prog=PROG,
        description="Draw the spectrogram of an audio file, computed on an OpenCL device.",
        epilog=EPILOG,
    )
    add = result.add_argument
    add("input", type=Path, metavar="INPUT", help="WAV, FLAC, OGG, AIFF, MP3 ...")
    add("-o", "--output", metavar="PATH", help="file (.png, .svg, .pdf), or a folder")

    frames = result.add_argument_group("frames")
    add = frames.add_argument
    add("--n-fft", type=commandline.count, metavar="N", help="samples of each (default: 2048)")
    add("--hop", type=commandline.count, metavar="N",
        help="samples from one to the next (default: a quarter of a frame)")  # fmt: skip
    add("--window", type=_window, metavar="NAME",
        help="hann (default), hamming, boxcar or any of scipy.signal; kaiser,8.6")  # fmt: skip
    add("--preset", choices=PRESETS, help="frames of 2048 samples, 1024 apart, without a window; "
        "bins 0 to 1023")  # fmt: skip
    add("--algorithm", choices=BY_NAME, help="of the transforms (default: the first that applies)")
    add("--device", metavar="SPEC", help='part of a name, "gpu", "cpu", or as in "pyclfft info"')

    part = result.add_argument_group("part of the sound")
    add = part.add_argument
    add("--channel", type=_channel, default="mix", metavar="N",
        help="one channel, from 0, or the mean of all (mix, the default)")  # fmt: skip
    add("--start", type=_number(0), default=0.0, metavar="SECONDS", help="where to begin")
    add("--duration", type=_number(0), metavar="SECONDS", help="how much (default: to the end)")

    picture = result.add_argument_group("picture")
    add = picture.add_argument
    add("--db", type=_number(1), default=80.0, metavar="RANGE",
        help="decibels from the greatest level to the darkest colour (default: 80)")  # fmt: skip
    add("--cmap", default="magma", metavar="NAME",
        help="colour map of matplotlib (default: magma)")  # fmt: skip
    scales = picture.add_mutually_exclusive_group()
    scales.add_argument("--log-frequency", dest="axis", action="store_const", const="log",
                        help="every octave equally high, labelled with notes")  # fmt: skip
    scales.add_argument("--mel", dest="axis", action="store_const", const="mel",
                        help="the mel scale (Slaney's, as librosa's default)")  # fmt: skip
    result.set_defaults(axis="linear")

    others = result.add_argument_group("other results")
    add = others.add_argument
    add("--notes", type=Path, metavar="FILE",
        help="find onsets and notes, draw them, and write the notes as CSV")  # fmt: skip
    add("--csv", type=Path, metavar="FILE",
        help="write decibels relative to the greatest: a row for each frame, its time first, "
        "below a row of frequencies")  # fmt: skip
    add("--npz", type=Path, metavar="FILE",
        help="write amplitudes S, frequencies, times, sr, n_fft, hop, window")  # fmt: skip
    add("--timing", action="store_true", help="print the time of every step and kernel")
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


def _outputs(options: argparse.Namespace) -> dict[str, Path]:
    """Return the files to write, by what they are, and refuse what would lose one or end late."""
    source, wanted = options.input, options.output
    name = f"{source.stem}_spectrogram.png"
    path = Path(wanted) if wanted else source.with_name(name)
    if wanted and (wanted.endswith("/") or path.is_dir()):
        path /= name
    files = {"npz": options.npz, "csv": options.csv, "notes": options.notes, "picture": path}
    outputs = {kind: path for kind, path in files.items() if path}
    taken = {source.resolve(): "is the input"}
    for kind, path in outputs.items():
        place = path.resolve()
        if place in taken:
            raise PlanError(f"{path} {taken[place]}: name another file")
        taken[place] = f"would be written twice, as {kind} too"
        if path.is_dir() or not path.parent.is_dir():
            code = errno.EISDIR if path.is_dir() else errno.ENOENT
            raise OSError(code, os.strerror(code), str(path))
    return outputs


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
    queue, clock = queue or default_queue(), clock or Clock()
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
    levels : Levels
        For the picture.
    spectra : ndarray of float32, shape (bins, frames), or None
        All amplitudes, where they are wanted.
    onsets : ndarray
        Times, in s.
    notes : tuple of Note
        That were found.
    """

    info: AudioInfo
    frames: Frames
    times: Times
    count: int
    details: str
    levels: Levels
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
    clock: Clock,
    device_times: list[PassTime] | None,
) -> Analysis:
    sr = audio.info.sr
    first, samples = audio.extent(options.start, options.duration)
    if frames.n_fft > samples:
        warnings.warn(f"n_fft = {frames.n_fft} is more than the {samples} samples", stacklevel=2)
    total, bins = frames.count(samples), magnitudes.bins or frames.n_fft // 2 + 1
    levels = Levels(AXES[options.axis], sr, frames.n_fft, bins, total)
    keep = options.csv or options.npz
    # Of a sound that is too long to be transformed at once the host divides by the greatest.
    on_device = magnitudes.relative and _fits_at_once(frames, samples)
    spectra = np.empty((total, bins), np.float32).T if keep else None
    blocks = spectra_of_file(
        audio, frames, replace(magnitudes, relative=on_device), _part(options),
        algorithm=options.algorithm,
        queue=profiling_queue(default_queue().context) if options.timing else None,
        clock=clock, times=device_times,
    )  # fmt: skip
    count, greatest = _gather(blocks, total, levels, spectra, clock)
    if not greatest:
        warnings.warn("the sound is silent", stacklevel=2)
    if spectra is not None:
        spectra = spectra[:, :count]  # a file may end before it says so
        if magnitudes.relative and not on_device:
            spectra /= greatest or 1
    middle = first if frames.center else first + frames.n_fft / 2
    times = Times(middle / sr, frames.hop / sr, first / sr, (first + samples) / sr)
    window = options.window if isinstance(options.window, str) else repr(options.window)
    details = f"n_fft {frames.n_fft}, hop {frames.hop}, window {window}"
    return Analysis(audio.info, frames, times, count, details, levels, spectra)


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
    total: int,
    levels: Levels,
    spectra: np.ndarray | None,
    clock: Clock,
) -> tuple[int, np.float32]:
    """Take all frames, for the picture and into an array; return how many and the greatest."""
    count, greatest = 0, np.float32(0)
    # A bar on a terminal, for what takes longer than a moment.
    with tqdm(total=total, unit=" frames", disable=None, leave=False, delay=0.5) as bar:
        for block in blocks:
            end = count + block.shape[1]
            with clock.step("draw"):
                levels.add(block)
            if spectra is not None:
                spectra[:, count:end] = block
            greatest = max(greatest, block.max())
            count = end
            bar.update(block.shape[1])
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


def _write_npz(path: Path, analysis: Analysis, options: argparse.Namespace) -> str:
    quantity = "amplitude relative to the greatest" if options.preset else "amplitude"
    assert analysis.spectra is not None
    with atomic_write(path) as file:
        np.savez(
            file, S=analysis.spectra, quantity=quantity, frequencies=analysis.frequencies,
            times=analysis.times.of(analysis.count), sr=analysis.info.sr,
            n_fft=analysis.frames.n_fft, hop=analysis.frames.hop, window=str(options.window),
        )  # fmt: skip
    return f": S ({quantity}) of shape {analysis.spectra.shape}"


def _write_csv(path: Path, analysis: Analysis, options: argparse.Namespace) -> str:
    assert analysis.spectra is not None
    levels, times = decibels(analysis.spectra), analysis.times.of(analysis.count)
    rows = (
        [f"{middle:.6f}", *map("%.2f".__mod__, column.tolist())]
        for middle, column in zip(times, levels.T, strict=True)
    )
    _write_rows(path, ["time_s", *(f"{hertz:.10g}" for hertz in analysis.frequencies)], rows)
    return f": decibels of {analysis.count} frames"


def _write_notes(path: Path, analysis: Analysis, options: argparse.Namespace) -> str:
    rows = (
        [f"{n.onset:.4f}", f"{n.duration:.4f}", n.name, f"{n.midi:g}", f"{n.cents:.1f}",
         f"{n.strength:.6g}"]
        for n in analysis.notes
    )  # fmt: skip
    _write_rows(path, ("onset_s", "duration_s", "note", "midi", "cents", "strength"), rows)
    return f": {len(analysis.notes)} notes, {len(analysis.onsets)} onsets"


def _write_rows(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    with atomic_write(path) as file:  # as bytes: sharps are UTF-8 everywhere
        for row in chain([header], rows):
            file.write((",".join(row) + "\n").encode())


def _write_picture(path: Path, analysis: Analysis, options: argparse.Namespace) -> str:
    caption = Caption(options.input.name, f"{analysis.info.sr} Hz, {analysis.details}")
    figure = draw(
        analysis.levels, analysis.times, caption, db=options.db, colours=options.cmap,
        onsets=analysis.onsets, notes=analysis.notes,
    )  # fmt: skip
    data = encode(figure, path)
    with atomic_write(path) as file:
        file.write(data)
    return ""


class Writer(NamedTuple):
    """How a file is written, and the step of the clock that this belongs to."""

    write: Callable[[Path, Analysis, argparse.Namespace], str]
    step: str


WRITERS = {
    "npz": Writer(_write_npz, "write"),
    "csv": Writer(_write_csv, "write"),
    "notes": Writer(_write_notes, "write"),
    "picture": Writer(_write_picture, "draw"),
}


# --- times ----------------------------------------------------------------------------------------


class Clock:
    """Adds up how long steps take on the host, each of which may come often."""

    def __init__(self) -> None:
        self.steps: dict[str, float] = {}
        self._begin = time.perf_counter()

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Count what happens within as part of a step."""
        begin = time.perf_counter()
        yield
        self.steps[name] = self.steps.get(name, 0.0) + time.perf_counter() - begin

    @property
    def total(self) -> float:
        """Seconds since the clock was made."""
        return time.perf_counter() - self._begin

    def __str__(self) -> str:
        steps = ", ".join(f"{name} {1e3 * took:.1f} ms" for name, took in self.steps.items())
        return f"{steps}, total {1e3 * self.total:.1f} ms"


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
