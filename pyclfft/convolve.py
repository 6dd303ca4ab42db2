"""``python -m pyclfft.convolve``: put a sound into a room, by the room's impulse response."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from . import commandline, streams
from .audio.audio_writing import DEPTHS, FLOAT, depth_of, require_writer, write_audio
from .audio.audiofile import AudioFile, read_audio
from .commandline import Clock, Progress, Report
from .convolution import functions, methods, playback, streaming
from .convolution.playback import Player, play, wet_blocks
from .convolution.responses import checked_ir, response_for
from .convolution.reverb import resampled, reverberate
from .convolution.streaming import StreamingConvolver
from .errors import PlanError
from .runtime.choice import select_device, use_device
from .runtime.describe import device_label
from .runtime.queues import default_queue

PROG = "pyclfft convolve"

OFFLINE = (methods.AUTO, *methods.METHODS)  # the methods of convolve, and those of streams
NORMALIZE = ("ir", "peak", "running")
# Options that only real time has, with their defaults.
ONLY_REALTIME = {"block_size": 256, "streams": 2, "latency": 0, "sink": playback.DEFAULT}
LOUD = 30  # decibels that the level meter shows

EPILOG = """\
If you do not name WET, the result goes beside DRY, as DRY_wet.wav. The ending of WET, .wav or
.flac, decides the format. With --realtime the result is played, and it is written only if you name
WET. A - is standard input or standard output. All messages go to standard error.

If the impulse response has one channel, it serves every channel of DRY. If it has as many channels
as DRY, each of them serves one channel of DRY. If DRY is stereo, the impulse response may also have
four channels (true stereo): left to left, left to right, right to left, right to right."""


class Take(NamedTuple):
    """What one call of the command has to do, after all checks.

    Attributes
    ----------
    dry, room : AudioFile
        The sound and the impulse response, as their files hold them.
    ir : ndarray, shape (channels, taps)
        The impulse response at the sound's rate.
    outputs : int
        The channels of the result.
    """

    dry: AudioFile
    room: AudioFile
    ir: np.ndarray
    outputs: int

    @property
    def total(self) -> int:
        """The frames of the whole result, with its tail."""
        return self.dry.samples.shape[1] + self.ir.shape[1] - 1


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
    _complete(options)
    with streams.sources([options.dry_file, options.ir_file]) as sources:
        target = _target(options, sources)
        use_device(select_device(options.device))
        report = Report(options.quiet)
        report.heading(f"device  {device_label(default_queue().device)}")
        clock = Clock()
        with clock.step("read"):
            take = _read(sources, options)
        convolve = _realtime if options.realtime else _offline
        lines = convolve(take, target, clock, options)
    report(
        f"dry     {sources[0]}: {take.dry.info}",
        f"room    {sources[1]}: {take.room.info}",
        *lines,
        f"time    {clock}",
    )
    if options.timing:
        report(commandline.timing_report(commandline.step_table(clock, {})))


def _read(sources: Sequence[streams.Source], options: argparse.Namespace) -> Take:
    """Read both sounds, and refuse those that do not fit."""
    dry = read_audio(sources[0], start=options.start, duration=options.duration)
    room = read_audio(sources[1])
    if room.sr != dry.sr and not options.resample:
        raise PlanError(
            f"{sources[1]} has {room.sr} samples a second and {sources[0]} has {dry.sr}: give "
            "--resample to convert the impulse response"
        )
    response = response_for(checked_ir(room.samples), len(dry.samples))
    if options.normalize == "ir" and not response.energy:
        raise PlanError(f"{sources[1]} is silent and cannot be normalized: take another room")
    ir = resampled(room.samples, room.sr, dry.sr)
    return Take(dry, room, ir, response.routing.outputs)


# --- from file to file ----------------------------------------------------------------------------


def _offline(
    take: Take, target: streams.Target | None, clock: Clock, options: argparse.Namespace
) -> list[str]:
    """Convolve all at once and write the result; return what to report."""
    assert target is not None
    with clock.step("convolve"):
        sound = reverberate(
            take.dry.samples, take.ir, wet=options.wet, dry=options.dry, method=options.method,
            normalize=options.normalize == "ir",
        )  # fmt: skip
    if options.trim:
        sound = sound[:, : take.dry.samples.shape[1]]
    if options.normalize == "peak":
        sound /= np.abs(sound).max() or 1
    return [_written(sound, take, target, clock, options)]


def _written(
    sound: np.ndarray, take: Take, target: streams.Target, clock: Clock, options: argparse.Namespace
) -> str:
    """Write a sound, and say what was written."""
    depth = options.bit_depth or depth_of(take.dry.info)
    with clock.step("write"), streams.written(target, ".wav") as file:
        quieter = write_audio(file, sound, take.dry.sr, depth)
    channels = {1: "mono", 2: "stereo"}.get(len(sound), f"{len(sound)} channels")
    kind = "32-bit float" if depth == FLOAT else f"{depth}-bit"
    words = f"{sound.shape[1] / take.dry.sr:.2f} s, {take.dry.sr} Hz, {channels}, {kind}"
    if quieter:
        words += f"; made quieter by {quieter:.1f} dB, so that it stays within full scale"
    return f"output  {target}: {words}"


# --- in real time ---------------------------------------------------------------------------------


def _realtime(
    take: Take, target: streams.Target | None, clock: Clock, options: argparse.Namespace
) -> list[str]:
    """Play the result while it is computed; return what to report."""
    sr = take.dry.sr
    with clock.step("prepare"):
        stream = StreamingConvolver(
            take.ir, block_size=options.block_size, sample_rate=sr, method=options.method,
            latency=options.latency, streams=options.streams, wet=options.wet, dry=options.dry,
            normalize=options.normalize, channels=len(take.dry.samples),
        )  # fmt: skip
    total = take.dry.samples.shape[1] if options.trim else take.total
    blocks = wet_blocks(stream, take.dry.samples, options.block_size, total)
    player = Player(blocks, take.outputs, total, record=target is not None)
    with stream, clock.step("play"), Progress(total, "frames", options.quiet) as progress:

        def show(player: Player) -> None:
            progress.reach(player.played)
            progress.title = _meter(player.level)

        play(player, options.sink, take.outputs, sr, show)
    load, latency = stream.load, stream.latency_ms
    assert load is not None
    lines = [
        f"stream  {stream.method}, blocks of {options.block_size} frames, played to {options.sink}",
        f"latency {stream.latency_samples} frames, {latency:.1f} ms, beside the sound card's own",
        f"load    {load.mean:.1%} of a block's time on average, {load.worst:.1%} at worst",
        f"missed  {stream.missed_deadlines} deadlines",
    ]
    if target is not None:
        sound = np.concatenate(player.recording, axis=1)
        lines.append(_written(sound, take, target, clock, options))
    return lines


def _meter(level: float) -> str:
    """Return a level in decibels with a bar that grows from -30 dB to full scale."""
    bar = "#" * round(max(0.0, level + LOUD) / LOUD * 10)
    return f"{max(level, playback.QUIET):6.1f} dB [{bar:10}]"


# --- arguments ------------------------------------------------------------------------------------


def _complete(options: argparse.Namespace) -> None:
    """Set the options of real time to their defaults; refuse options that contradict each other."""
    given = [name for name in ONLY_REALTIME if getattr(options, name) is not None]
    if given and not options.realtime:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise PlanError(f"{flags} belongs to real time: add --realtime")
    for name in set(ONLY_REALTIME) - set(given):
        setattr(options, name, ONLY_REALTIME[name])
    allowed, mode = (
        (streaming.METHODS, "in real time") if options.realtime else (OFFLINE, "from file to file")
    )
    if options.method not in allowed:
        raise PlanError(f"{mode} --method is {', '.join(allowed)}, not {options.method}")
    wrong = "peak" if options.realtime else "running"
    if options.normalize == wrong:
        other = "running" if options.realtime else "peak"
        raise PlanError(f"{mode} --normalize {wrong} is not possible: take {other}")
    if options.realtime:
        playback.require_sink(options.sink)


def _target(
    options: argparse.Namespace, sources: Sequence[streams.Source]
) -> streams.Target | None:
    """Return where the result is written, if it is, and refuse what could not be written."""
    targets: list[streams.Target] = []
    if options.wet_file or not options.realtime:
        targets.append(streams.place(options.wet_file, sources[0], "_wet.wav"))
    streams.require_no_terminal(targets)
    played = [] if options.sink in playback.BACKENDS else [Path(options.sink)]
    streams.prepare(sources, [*targets, *played], [options.wet_file], several=False)
    for target in targets:
        if isinstance(target, Path):
            require_writer(target, options.bit_depth)
    return targets[0] if targets else None


def parser() -> commandline.Parser:
    """Return the command's parser."""
    result = commandline.Parser(
        prog=PROG,
        description="Convolve a sound with the impulse response of a room on an OpenCL device, so "
        "that it sounds as it would there.",
        epilog=EPILOG,
    )
    add = result.add_argument
    add("dry_file", type=streams.file_name, metavar="DRY",
        help="the sound: WAV, FLAC ...; - reads standard input")  # fmt: skip
    add("ir_file", type=streams.file_name, metavar="IR",
        help="the impulse response: WAV, FLAC ...")  # fmt: skip
    add("wet_file", type=streams.file_name, metavar="WET", nargs="?",
        help="where the result goes: a file (.wav, .flac), a folder, or - for standard "
        "output")  # fmt: skip

    mix = result.add_argument_group("mix")
    add = mix.add_argument
    add("--wet", type=commandline.number(), default=1.0, metavar="N",
        help="the factor of the room's answer (default: 1)")  # fmt: skip
    add("--dry", type=commandline.number(), default=0.0, metavar="N",
        help="the factor of the sound itself (default: 0)")  # fmt: skip
    add("--normalize", choices=NORMALIZE,
        help="ir: scale the impulse response so that noise stays as loud as it was; peak: scale "
        "the result to full scale; running, in real time: divide by the greatest magnitude so far "
        "(default: none of them)")  # fmt: skip
    add("--trim", action="store_true",
        help="make the result as long as the sound: leave out the tail")  # fmt: skip

    part = result.add_argument_group("files")
    add = part.add_argument
    add("--start", type=commandline.number(0), default=0.0, metavar="SECONDS",
        help="where to begin in DRY (default: 0)")  # fmt: skip
    add("--duration", type=commandline.number(0), metavar="SECONDS",
        help="how much of DRY to take (default: all that follows)")  # fmt: skip
    add("--resample", action="store_true",
        help="convert the impulse response to the sample rate of DRY")  # fmt: skip
    add("--bit-depth", choices=DEPTHS,
        help="bits of a sample of the result, or float (default: as in DRY). Integers that would "
        "exceed full scale are scaled to it; float is never scaled")  # fmt: skip

    live = result.add_argument_group("real time")
    add = live.add_argument
    add("--realtime", action="store_true", help="play the result while it is computed")
    add("--sink", type=streams.file_name, metavar="NAME",
        help="where to play: default, the sound card; null, which nobody hears and which keeps the "
        "pace of a sound card; jack, a JACK server; or a WAV file, written without "
        "pauses")  # fmt: skip
    add("--block-size", type=commandline.count, metavar="N",
        help="the frames that are computed at once (default: 256)")  # fmt: skip
    add("--latency", type=commandline.natural, metavar="N",
        help="how many blocks later than the sound its result is played (default: 0)")  # fmt: skip
    add("--streams", type=commandline.count, metavar="N",
        help="how many queues copy and compute at the same time, with --method direct (default: "
        "2)")  # fmt: skip

    run = result.add_argument_group("computation")
    run.add_argument(
        "--method", choices=tuple(dict.fromkeys((*OFFLINE, *streaming.METHODS))),
        default=methods.AUTO,
        help="direct adds products. From file to file, fft multiplies spectra, and partitioned "
        "multiplies spectra of blocks. In real time, uniform has partitions as long as a block, "
        "and nonuniform has longer ones for the later parts (default: auto, the method that should "
        "be quickest)",
    )  # fmt: skip
    commandline.add_device(run)

    talk = result.add_argument_group("report").add_mutually_exclusive_group()
    talk.add_argument("--timing", action="store_true", help="print the time of every step")
    commandline.add_quiet(talk)
    return result


commandline.make_callable(__name__, functions.convolve)

if __name__ == "__main__":
    sys.exit(main())
