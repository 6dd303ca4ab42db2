"""What the commands share: errors as one line on stderr, and tables of text."""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from math import inf
from typing import NoReturn

import pyopencl as cl

from .errors import PyclfftError

logger = logging.getLogger(__name__)

# What the shell says of a program that Ctrl-C or a closed pipe has ended: 128 + the signal.
INTERRUPTED = 130
PIPE_CLOSED = 141
FAILED = 2

# What an option --device takes.
DEVICE = (
    'a part of its name, "gpu", "cpu", a platform such as "1" or a device such as "0:1" in the '
    'order of "pyclfft info"'
)


def run(function: Callable[[], int | None], prog: str) -> int:
    """Run the body of a command; what can go wrong on a user's machine becomes one line.

    The line is ``prog: error: message`` on stderr; warnings, and what pyclfft logs as a warning,
    become ``prog: warning: message``. A mistake of ours still shows its traceback; with logging at
    level DEBUG every error does.

    Parameters
    ----------
    function : callable
        Called without arguments. It returns the exit status, or None for 0, and it may exit by
        SystemExit, as argparse does.
    prog : str
        The command as a user calls it, such as ``"pyclfft info"``; argparse gets the same `prog`.

    Returns
    -------
    int
        What `function` has returned; 2 after a PyclfftError, OSError, MemoryError or an error of
        an OpenCL runtime; 130 after Ctrl-C; 141, without a word, where the reader of stdout has
        gone.

    Examples
    --------
    >>> def main(argv: list[str] | None = None) -> int:
    ...     return run(lambda: show(argv), "pyclfft info")
    """
    try:
        with _warnings_as_lines(prog):
            status = function() or 0
            sys.stdout.flush()  # a reader that has gone is noticed here, not at the very end
            return status
    except BrokenPipeError:
        _forget_stdout()
        return PIPE_CLOSED
    except KeyboardInterrupt:
        _say(prog, "error", "interrupted")
        return INTERRUPTED
    except (PyclfftError, OSError, MemoryError, cl.Error) as error:
        logger.debug("%s", prog, exc_info=True)
        _say(prog, "error", describe(error))
        return FAILED


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line too, like all others, and exit with 2."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the arguments, and end."""
        self.exit(FAILED, f"{self.prog}: error: {message} (see {self.prog} --help)\n")


def describe(error: BaseException) -> str:
    """Put an error into words, on one line.

    Parameters
    ----------
    error : exception
        Any.

    Returns
    -------
    str
        Its message's first line (a compiler's log may follow it in full). An OSError's begins with
        the file's name, as other programs' messages do; of two names, the new one of a file that
        was to be renamed.
    """
    if isinstance(error, OSError) and error.filename is not None:
        name = error.filename if error.filename2 is None else error.filename2
        return f"{os.fsdecode(name)}: {error.strerror}"
    if type(error) is MemoryError:  # Python's own says nothing
        return "out of memory"
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def table(rows: Sequence[Sequence[str]], header: Sequence[str] = (), align: str = "") -> str:
    """Lay out text in columns, two spaces apart.

    Parameters
    ----------
    rows : sequence of sequence of str
        All of one length.
    header : sequence of str
        Stands above the columns; none by default.
    align : str
        For each column ``"<"`` (left) or ``">"`` (right); left where it ends early.

    Returns
    -------
    str
        Lines without spaces at their ends, and without a newline after the last.

    Examples
    --------
    >>> print(table([("write", "0.5"), ("norm", "12.0")], ("kernel", "ms"), "<>"))
    kernel    ms
    write    0.5
    norm    12.0
    """
    lines = [header, *rows] if header else list(rows)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    sides = align.ljust(len(widths), "<")
    return "\n".join(
        "  ".join(
            f"{cell:{side}{width}}" for cell, side, width in zip(line, sides, widths, strict=True)
        ).rstrip()
        for line in lines
    )


def parse_count(text: str) -> int:
    """Read a positive whole number written as ``65536``, ``2^20``, ``2**20`` or ``1e6``.

    Raises
    ------
    ValueError
        It is none.
    """
    base, power, exponent = text.replace("**", "^").partition("^")
    try:
        value = float(base) ** int(exponent) if power else float(text)
    except OverflowError:
        value = inf
    except ValueError:
        value = 0
    if not 1 <= value < 2**63 or value != int(value):
        raise ValueError(f"{text!r} is no positive whole number")
    return int(value)


def count(text: str) -> int:
    """Return the number that `parse_count` reads: the type of an option for argparse."""
    try:
        return parse_count(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _say(prog: str, kind: str, message: str) -> None:
    print(f"{prog}: {kind}: {message}", file=sys.stderr)


@contextlib.contextmanager
def _warnings_as_lines(prog: str) -> Iterator[None]:
    """Show warnings without the place in our source, which tells a user nothing."""
    ours = logging.getLogger("pyclfft")
    before = ours.handlers
    ours.handlers = [each for each in before if not isinstance(each, _AsLines)]  # of a command
    if not ours.hasHandlers():  # of a program, which decides itself what becomes of its log
        ours.addHandler(_AsLines(prog))
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_, **__: _say(prog, "warning", str(message))
        try:
            yield
        finally:
            ours.handlers = before


class _AsLines(logging.Handler):
    """Shows what is logged as a warning, or as worse, as the commands show warnings."""

    def __init__(self, prog: str) -> None:
        super().__init__(logging.WARNING)
        self.prog = prog

    def emit(self, record: logging.LogRecord) -> None:
        """Show a record."""
        _say(self.prog, "warning", record.getMessage())


def _forget_stdout() -> None:
    """Let Python's last flush of stdout go nowhere instead of failing once more."""
    with contextlib.suppress(OSError, ValueError):  # stdout may be no file, as in tests
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
