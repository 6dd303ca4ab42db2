"""``python -m pyclfft completion SHELL``: a script with which a shell completes our commands."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

from . import commandline
from .advice import pip_install
from .errors import PyclfftError

PROG = "pyclfft completion"
SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")
FILES = (
    "INPUT",
    "PATH",
    "FILE",
    "BEFORE",
    "DRY",
    "IR",
    "WET",
    "SAMPLES",
    "IN",
    "OUT",
)  # the metavars of arguments that name files

EPILOG = f"""\
To install it, once:

  bash   mkdir -p ~/.local/share/bash-completion/completions
         pyclfft completion bash > ~/.local/share/bash-completion/completions/pyclfft
  zsh    mkdir -p ~/.zfunc && pyclfft completion zsh > ~/.zfunc/_pyclfft
         and in ~/.zshrc, before compinit: fpath+=~/.zfunc
  fish   pyclfft completion fish > ~/.config/fish/completions/pyclfft.fish
  tcsh   pyclfft completion tcsh > ~/.pyclfft.tcsh, and in ~/.tcshrc: source ~/.pyclfft.tcsh

A new shell completes commands, options, their choices, and names of files. Writing the script
needs shtab: {pip_install("completion")}"""


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


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    result = commandline.Parser(
        prog=PROG,
        description="Print a script with which a shell completes pyclfft's commands and options.",
        epilog=EPILOG,
    )
    result.add_argument(
        "shell", metavar="SHELL", choices=SHELLS, help=f"one of {', '.join(SHELLS)}"
    )
    return result


def _main(argv: Sequence[str]) -> None:
    options = parser().parse_args(argv)
    print(_shtab().complete(tree(), options.shell))


def _shtab() -> Any:
    try:
        return import_module("shtab")
    except ImportError:
        raise PyclfftError(f"shell completion needs shtab: {pip_install('completion')}") from None


# --- all commands as one parser -------------------------------------------------------------------


def tree() -> argparse.ArgumentParser:
    """Return a parser of all commands and subcommands that says which arguments name files.

    Returns
    -------
    argparse.ArgumentParser
        The parser, which only shtab reads; nothing is parsed with it.
    """
    from .__main__ import COMMANDS, PROG

    root = argparse.ArgumentParser(prog=PROG)
    root.add_argument("--version", action="store_true", help="show the version")
    commands = root.add_subparsers()
    for name, (module, what) in COMMANDS.items():
        _add(commands, name, what, import_module(module))
    explained = commands.add_parser("help", help="explain a command")
    explained.add_argument(
        "command", choices=tuple(COMMANDS), nargs="?", help="the command to explain"
    )
    return root


def _add(commands: Any, name: str, what: str, module: ModuleType) -> None:
    """Add a command, with its subcommands if it has any."""
    parser = module.parser()
    for action in _arguments(parser):
        action.complete = _shtab().FILE
    added = commands.add_parser(name, parents=[parser], add_help=False, help=what)
    subcommands = getattr(module, "SUBCOMMANDS", {})
    if subcommands:
        inner = added.add_subparsers()
        for each, (path, words) in subcommands.items():
            _add(inner, each, words, import_module(path))


def _arguments(parser: argparse.ArgumentParser) -> Iterator[Any]:
    """Yield the arguments of a parser that name files."""
    for action in parser._actions:
        names = action.metavar if isinstance(action.metavar, tuple) else (action.metavar,)
        if set(names) & set(FILES):
            yield action


if __name__ == "__main__":
    sys.exit(main())
