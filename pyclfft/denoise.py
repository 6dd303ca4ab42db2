"""``python -m pyclfft.denoise``: remove noise and hum from a sound."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyopencl as cl

from . import commandline, streams
from .audio import denoising
from .audio.audio_writing import DEPTHS, FLOAT, depth_of, require_writer, write_blocks
from .audio.audiofile import AudioReader, open_audio
from .audio.denoising_picture import before_and_after
from .audio.hum import MAINS
from .audio.sound_blocks import Block, Sound, Tally, sound_of_file
from .audio.spectrogram_picture import Look, require_picture
from .commandline import Clock, Report
from .errors import PlanError
from .files import atomic_write
from .runtime.choice import select_device, use_device
from .runtime.describe import device_label
from .runtime.queues import default_queue

PROG = "pyclfft denoise"

EPILOG = """\
If you do not name OUT, the result goes beside IN, as IN_denoised.wav. The ending of OUT, .wav or
.flac, decides the format. A - is standard input or standard output. If you give neither --noise nor
--noise-at, the command finds the level of the noise from the softest parts of each range of
frequencies. IN and OUT may be larger than memory, because they are read and written in blocks. All
messages go to standard error."""


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


def _main(argv: Sequence[str]) -> None:
    options = parser().parse_mixed(argv)
    if not options.reduction and options.hum is None:
        raise PlanError("--reduction 0 without --hum changes nothing: give one of them")
    names = [options.sound, *([options.noise] if options.noise else [])]
    with ExitStack() as stack:
        sources = stack.enter_context(streams.sources(names))
        target, picture = _targets(options, sources)
        use_device(select_device(options.device))
        queue = default_queue()
        report = Report(options.quiet)
        report.heading(f"device  {device_label(queue.device)}")
        clock = Clock()
        audio = stack.enter_context(open_audio(sources[0]))
        with clock.step("read"):
            before = Tally.of(audio.blocks())
            sound = sound_of_file(audio, before.samples, queue)
            noise = _noise(sources[1:], audio, before.samples, options, queue, stack)
        clean, after = stack.enter_context(_denoised(sound, noise, target, audio, clock, options))
        lines = [_written(clean, after, before, target, clock, audio, options)]
        if picture is not None:
            lines.append(_drawn(audio, clean, sources[0], picture, clock))
    report(f"input   {sources[0]}: {audio.info}", *lines, f"time    {clock}")
    if options.timing:
        report(commandline.timing_report(commandline.step_table(clock, {})))


def _noise(
    sources: Sequence[streams.Source],
    audio: AudioReader,
    samples: int,
    options: argparse.Namespace,
    queue: cl.CommandQueue,
    stack: ExitStack,
) -> Sound | None:
    """Return noise alone, from a file or from a part of the sound, if the user has named one."""
    sr = audio.info.sr
    if options.noise_at is not None:
        start, seconds = options.noise_at
        first, end = round(start * sr), round((start + seconds) * sr)
        if not 0 <= first < min(end, samples):
            raise PlanError(
                f"the sound lasts {samples / sr:.3f} s and has no noise of {seconds:g} s at "
                f"{start:g} s: choose another --noise-at"
            )
        return sound_of_file(audio, min(end, samples) - first, queue, first)
    if not sources:
        return None
    noise = stack.enter_context(open_audio(sources[0]))
    if noise.info.sr != sr:
        raise PlanError(
            f"{sources[0]} has {noise.info.sr} samples a second, and the sound has {sr}: convert "
            "one of them"
        )
    if noise.info.channels not in (1, audio.info.channels):
        raise PlanError(
            f"{sources[0]} has {noise.info.channels} channels, and the sound has "
            f"{audio.info.channels}: give noise of one channel, or of each"
        )
    return sound_of_file(noise, Tally.of(noise.blocks()).samples, queue)


@contextmanager
def _denoised(
    sound: Sound,
    noise: Sound | None,
    target: streams.Target,
    audio: AudioReader,
    clock: Clock,
    options: argparse.Namespace,
) -> Iterator[tuple[AudioReader, Tally]]:
    """Yield the result as an open temporary file, because its peak is known only at the end."""
    wanted = denoising.Wanted.checked(audio.info.sr, options.reduction, options.hum)
    beside = target.absolute().parent if isinstance(target, Path) else None
    with TemporaryDirectory(prefix=".pyclfft-", dir=beside) as folder:
        path, tally = Path(folder, "clean.wav"), Tally()
        with clock.step("denoise"):
            groups = denoising.cleaned(sound, noise, wanted, default_queue())
            parts = zip(*(map(Block.get, blocks) for _, blocks in groups), strict=True)
            all_channels = tally.watched(map(np.concatenate, parts))
            write_blocks(
                path, all_channels, (sound.count, sound.samples), audio.info.sr, FLOAT, 0.0
            )
        with open_audio(path) as clean:
            yield clean, tally


def _written(
    clean: AudioReader,
    after: Tally,
    before: Tally,
    target: streams.Target,
    clock: Clock,
    audio: AudioReader,
    options: argparse.Namespace,
) -> str:
    """Write the result, and say what was written."""
    depth = options.bit_depth or depth_of(audio.info)
    shape = clean.info.channels, after.samples
    with clock.step("write"), streams.written(target, ".wav") as file:
        quieter = write_blocks(file, clean.blocks(), shape, clean.info.sr, depth, after.peak)
    kind = "32-bit float" if depth == FLOAT else f"{depth}-bit"
    words = f"{kind}, {after.level - before.level:+.1f} dB on average"
    if quieter:
        words += f"; made quieter by {quieter:.1f} dB, so that it stays within full scale"
    return f"output  {target}: {words}"


def _drawn(
    before: AudioReader, after: AudioReader, source: streams.Source, picture: streams.Target,
    clock: Clock,
) -> str:  # fmt: skip
    """Draw the sound before and after; say where."""
    with clock.step("draw"), streams.written(picture, ".png") as file:
        data = before_and_after(before, after, Path(source).name, file)
        with atomic_write(file) as opened:
            opened.write(data)
    return f"picture {picture}"


# --- arguments ------------------------------------------------------------------------------------


def _targets(
    options: argparse.Namespace, sources: Sequence[streams.Source]
) -> tuple[streams.Target, streams.Target | None]:
    """Return where the result and the picture go, and refuse what could not be written."""
    target = streams.place(options.result, sources[0], "_denoised.wav")
    picture = None
    if options.picture is not None:
        picture = streams.place(options.picture, sources[0], "_denoised.png")
        suffix = ".png" if isinstance(picture, streams.StandardOutput) else ""
        require_picture(f"{picture}{suffix}", Look())
    targets = [target] if picture is None else [target, picture]
    streams.require_no_terminal(targets)
    if isinstance(target, Path):
        require_writer(target, options.bit_depth)
    streams.prepare(sources, targets, [options.result, options.picture], several=False)
    return target, picture


def parser() -> commandline.Parser:
    """Return the command's parser."""
    result = commandline.Parser(
        prog=PROG,
        description="Remove steady noise, and the hum of the mains, from a sound on an OpenCL "
        "device.",
        epilog=EPILOG,
    )
    add = result.add_argument
    add("sound", type=streams.file_name, metavar="IN",
        help="the sound: WAV, FLAC ...; - reads standard input")  # fmt: skip
    add("result", type=streams.file_name, metavar="OUT", nargs="?",
        help="where the result goes: a file (.wav, .flac), a folder, or - for standard "
        "output")  # fmt: skip
    add("--picture", type=streams.file_name, metavar="PATH",
        help="draw the sound before and after: a file (.png, .svg, .pdf), a folder, or - for "
        "standard output")  # fmt: skip

    what = result.add_argument_group("what is removed")
    add = what.add_argument
    add("--reduction", type=commandline.number(0), default=12.0, metavar="DB",
        help="the most decibels by which noise gets softer; 0 leaves it (default: 12)")  # fmt: skip
    known = what.add_mutually_exclusive_group().add_argument
    known("--noise", type=streams.file_name, metavar="FILE",
          help="a sound with noise alone, of the same sample rate")  # fmt: skip
    known("--noise-at", type=commandline.number(0), nargs=2, metavar=("START", "SECONDS"),
          help="a part of IN with noise alone")  # fmt: skip
    add("--hum", type=int, choices=MAINS,
        help="remove the hum of the mains: its frequency in Hz")  # fmt: skip

    files = result.add_argument_group("files")
    files.add_argument(
        "--bit-depth", choices=DEPTHS,
        help="bits of a sample of the result, or float (default: as in IN)",
    )  # fmt: skip
    commandline.add_device(result.add_argument_group("computation"))

    talk = result.add_argument_group("report").add_mutually_exclusive_group()
    talk.add_argument("--timing", action="store_true", help="print the time of every step")
    commandline.add_quiet(talk)
    return result


commandline.make_callable(__name__, denoising.denoise)

if __name__ == "__main__":
    sys.exit(main())
