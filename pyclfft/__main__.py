"""``python -m pyclfft COMMAND``, and the console script ``pyclfft``: runs the command."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

from . import __version__, commandline

PROG = "pyclfft"

# command -> (module, what it does). The module is imported only when its command is chosen; its
# ``main(argv)`` returns the exit status.
COMMANDS = {
    "bench": ("pyclfft.bench.command", "measure transforms, and compare with other libraries"),
    "completion": ("pyclfft.completion", "print a script that lets a shell complete commands"),
    "convolve": ("pyclfft.convolve", "put sounds into rooms by impulse responses"),
    "denoise": ("pyclfft.denoise", "remove noise and hum from sounds"),
    "dft": ("pyclfft.dft", "transform samples in a CSV file by the definition, also under MPI"),
    "filter": ("pyclfft.filter", "filter images in the frequency domain"),
    "info": ("pyclfft.info", "show runtimes and devices, write a report"),
    "lab": ("pyclfft.lab.command", "open a page to play with the spectra of images and sounds"),
    "selftest": ("pyclfft.selftest", "check the results of every device"),
    "spectrogram": ("pyclfft.spectrogram", "draw spectrograms of sounds, find notes"),
    "spectrum": ("pyclfft.spectrum", "draw spectra of images, find stripes and halftone"),
    "tune": ("pyclfft.tuning.command", "find the fastest parameters for a device"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that the arguments name.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; the process's by default.

    Returns
    -------
    int
        Exit status: the command's; 2 for an unknown one.
    """
    return commandline.run(lambda: _main(sys.argv[1:] if argv is None else argv), PROG)


def _main(argv: Sequence[str]) -> int:
    name, *rest = argv or ["--help"]
    if name == "help" and rest:
        name, *rest = rest
        if extra := _behind_a_command(name, rest):
            print(f"{PROG}: error: help explains one command: leave out {extra!r}", file=sys.stderr)
            return commandline.FAILED
        rest.append("--help")
    if name in COMMANDS:
        module, _ = COMMANDS[name]
        return import_module(module).main(rest)
    if name in ANSWERS:
        print(ANSWERS[name]())
        return 0
    known = ", ".join(COMMANDS)
    print(f"{PROG}: error: unknown command {name!r}: choose from {known}", file=sys.stderr)
    return commandline.FAILED


def _behind_a_command(name: str, words: Sequence[str]) -> str:
    """Return the words behind a command and, if they name one, its subcommand."""
    module, _ = COMMANDS.get(name, ("", ""))
    known = getattr(import_module(module), "SUBCOMMANDS", ()) if module else ()
    return " ".join(words[bool(words and words[0] in known) :])


def usage() -> str:
    """Return what the commands are."""
    commands = commandline.table([(f"  {name}", what) for name, (_, what) in COMMANDS.items()])
    return (
        f"usage: {PROG} COMMAND [ARGUMENT ...]\n\n{commands}\n\n"
        f"{PROG} help COMMAND explains a command; {PROG} --version names the version."
    )


def version() -> str:
    """Return name and version."""
    return f"{PROG} {__version__}"


# What stands in a command's place and is answered at once.
ANSWERS = {"help": usage, "--help": usage, "-h": usage, "--version": version}


if __name__ == "__main__":
    sys.exit(main())
