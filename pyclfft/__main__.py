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
    "bench": ("pyclfft.bench.command", "measure transforms, beside other libraries"),
    "filter": ("pyclfft.filter", "filter image files in the frequency domain"),
    "info": ("pyclfft.info", "show runtimes and devices, test them, write a report"),
    "spectrogram": ("pyclfft.spectrogram", "draw the spectrogram of an audio file"),
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
    if name in COMMANDS:
        module, _ = COMMANDS[name]
        return import_module(module).main(rest)
    if name in ANSWERS:
        print(ANSWERS[name]())
        return 0
    known = ", ".join(COMMANDS)
    print(f"{PROG}: error: unknown command {name!r}: choose from {known}", file=sys.stderr)
    return commandline.FAILED


def usage() -> str:
    """Return what the commands are."""
    commands = commandline.table([(f"  {name}", what) for name, (_, what) in COMMANDS.items()])
    return (
        f"usage: {PROG} COMMAND [ARGUMENT ...]\n\n{commands}\n\n"
        f"{PROG} COMMAND --help explains a command; {PROG} --version names the version."
    )


def version() -> str:
    """Return name and version."""
    return f"{PROG} {__version__}"


# Options that stand in a command's place.
ANSWERS = {"--help": usage, "-h": usage, "--version": version}


if __name__ == "__main__":
    sys.exit(main())
