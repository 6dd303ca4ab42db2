"""``python -m pyclfft.convolve``: put a sound into a room, by the room's impulse response."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from . import commandline, streams
from .audio.audio_writing import DEPTHS, FLOAT, depth_of, require_writer, write_audio
from .audio.audiofile import AudioFile, read_audio
from .commandline import Clock, Progress, Report
from .convolution import functions
from .convolution.methods import AUTO, METHODS
from .convolution.reverb import of_unit_energy, paths_of, resampled, reverberate
from .errors import PlanError
from .runtime.choice import select_device, use_device
from .runtime.describe import device_label
from .runtime.queues import default_queue

PROG = "pyclfft convolve"
NORMALIZE = ("ir", "peak")

EPILOG = """\
The result goes beside DRY, as DRY_wet.wav, if WET is not named; its ending, .wav or .flac, is its
format. A - is standard input or standard output. An impulse response of one channel serves every
channel of DRY; one of as many channels as DRY serves each with its own; four channels for a stereo
DRY are true stereo: left to left, left to right, right to left, right to right. All messages go to
standard error."""


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
    options = parser().parse_args(argv)
    with streams.sources([options.dry_file, options.ir_file]) as sources:
        target = streams.place(options.wet_file, sources[0], "_wet.wav")
        streams.require_no_terminal([target])
        streams.prepare(sources, [target], [options.wet_file], several=False)
        if isinstance(target, Path):
            require_writer(target, options.bit_depth)
        use_device(select_device(options.device))
        report = Report(options.quiet)
        report.heading(f"device  {device_label(default_queue().device)}")
        with (
            Progress(3, "steps", options.quiet) as progress,
            streams.written(target, ".wav") as file,
        ):
            clock = Clock(progress, str(sources[0]))
            with clock.step("read"):
                dry = read_audio(sources[0], start=options.start, duration=options.duration)
                room = read_audio(sources[1])
                ir = _impulse_response(room, dry, sources, options)
            with clock.step("convolve"):
                sound = reverberate(
                    dry.samples, ir, wet=options.wet, dry=options.dry, method=options.method
                )
            if options.trim:
                sound = sound[:, : dry.samples.shape[1]]
            with clock.step("write"):
                depth = options.bit_depth or depth_of(dry.info)
                quieter = write_audio(file, _normalized(sound, options), dry.sr, depth)
    report(
        f"dry     {sources[0]}: {dry.info}",
        f"room    {sources[1]}: {room.info}",
        f"output  {target}: {_description(sound, dry.sr, depth, quieter)}",
        f"time    {clock}",
    )
    if options.timing:
        report(commandline.timing_report(commandline.step_table(clock, {})))


def _impulse_response(
    room: AudioFile, dry: AudioFile, sources: Sequence[streams.Source], options: argparse.Namespace
) -> np.ndarray:
    """Return the impulse response at the sound's rate, after all checks."""
    if room.sr != dry.sr and not options.resample:
        raise PlanError(
            f"{sources[1]} has {room.sr} samples a second and {sources[0]} has {dry.sr}: give "
            "--resample to convert the impulse response"
        )
    paths_of(room.samples, len(dry.samples))  # refuses channels that do not fit
    ir = resampled(room.samples, room.sr, dry.sr)
    return of_unit_energy(ir) if options.normalize == "ir" else ir


def _normalized(sound: np.ndarray, options: argparse.Namespace) -> np.ndarray:
    peak = np.abs(sound).max()
    return sound / peak if options.normalize == "peak" and peak else sound


def _description(sound: np.ndarray, sr: int, depth: str, quieter: float) -> str:
    channels = {1: "mono", 2: "stereo"}.get(len(sound), f"{len(sound)} channels")
    kind = "32-bit float" if depth == FLOAT else f"{depth}-bit"
    words = f"{sound.shape[1] / sr:.2f} s, {sr} Hz, {channels}, {kind}"
    if not quieter:
        return words
    return f"{words}; made quieter by {quieter:.1f} dB, so that it stays within full scale"


# --- arguments ------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
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
        "the result to full scale (default: neither)")  # fmt: skip
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

    run = result.add_argument_group("computation")
    run.add_argument(
        "--method", choices=(AUTO, *METHODS), default=AUTO,
        help="direct: add products; fft: multiply spectra; partitioned: of blocks (default: auto, "
        "what should be quickest)",
    )  # fmt: skip
    commandline.add_device(run)

    talk = result.add_argument_group("report").add_mutually_exclusive_group()
    talk.add_argument("--timing", action="store_true", help="print the time of every step")
    commandline.add_quiet(talk)
    return result


commandline.make_callable(__name__, functions.convolve)

if __name__ == "__main__":
    sys.exit(main())
