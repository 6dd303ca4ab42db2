"""What the commands share: options, reports, progress, tables, errors as one line on stderr."""

from __future__ import annotations

import argparse
import contextlib
import copy
import logging
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import inf
from types import ModuleType
from typing import Any, Literal, NoReturn

import pyopencl as cl
from tqdm import tqdm

from .errors import PyclfftError
from .planning.solvers import BY_NAME
from .progress import Progress
from .runtime.profile import PassTime, merge_repeats, totals
from .streams import DASH

logger = logging.getLogger(__name__)

# The shells' exit status of a program that Ctrl-C or a closed pipe has ended: 128 + the signal.
INTERRUPTED = 130
PIPE_CLOSED = 141
FAILED = 2


def run(function: Callable[[], int | None], prog: str) -> int:
    """Run the body of a command; an error that a user's machine can cause becomes one line.

    An error becomes the line ``prog: error: message`` on stderr; a warning, also one in pyclfft's
    log, becomes ``prog: warning: message``. Errors that only a mistake of ours can cause still show
    their traceback; if logging is at level DEBUG, every error does.

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
        an OpenCL runtime; 130 after Ctrl-C; 141, without a message, if the program that reads
        stdout has ended.

    Examples
    --------
    >>> def main(argv: list[str] | None = None) -> int:
    ...     return run(lambda: show(argv), "pyclfft info")
    """
    with _warnings_as_lines(prog), _any_text():
        return _attempt(function, prog)


def _attempt(function: Callable[[], int | None], prog: str) -> int:
    """Run a function for `run`, which has taken over warnings."""
    try:
        status = function() or 0
        if sys.stdout is not None:  # None if the shell has closed it
            sys.stdout.flush()  # now, not when Python ends, we notice that a reader has ended
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


def run_each(functions: Iterable[Callable[[], int | None]], prog: str) -> int:
    """Run one function after another; after an error in one, the others still run.

    Parameters
    ----------
    functions : iterable of callable
        The functions, each of which is run as `run` does; but warnings are taken over once for
        all, because threads that work for several functions may warn, too.
    prog : str
        The command as a user calls it.

    Returns
    -------
    int
        The greatest exit status of all functions. Ctrl-C and a closed pipe end the loop.
    """
    status = 0
    with _warnings_as_lines(prog), _any_text():
        for function in functions:
            status = max(status, _attempt(function, prog))
            if status > FAILED:
                break
    return status


# --- arguments ------------------------------------------------------------------------------------


class Paragraphs(argparse.HelpFormatter):
    """Wraps each paragraph of a description or an epilog, and keeps those that begin with a space.

    Blank lines separate paragraphs.
    """

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        fill = super()._fill_text
        paragraphs = text.split("\n\n")
        return "\n\n".join(
            each if each.startswith(" ") else fill(each, width, indent) for each in paragraphs
        )


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line, as all errors are, and exit with 2."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"formatter_class": Paragraphs, **options})

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the arguments, and end the program."""
        self.exit(FAILED, f"{self.prog}: error: {message} (see {self.prog} --help)\n")

    def parse_mixed(self, argv: Sequence[str]) -> argparse.Namespace:
        """Parse arguments whose options stand before, between and behind the names of files."""
        argv, names = names_behind_dashes(argv)
        return self.parse_intermixed_args([*argv, *names])


def names_behind_dashes(argv: Sequence[str]) -> tuple[Sequence[str], list[str]]:
    """Split arguments at ``--``, behind which every word is a file, also ``-q.png``.

    argparse forgets ``--`` where options may follow files.

    Parameters
    ----------
    argv : sequence of str
        The arguments that the user has typed.

    Returns
    -------
    sequence of str
        The arguments before ``--``.
    list of str
        The names behind it, so that none looks like an option: ``./-q.png``.
    """
    if "--" not in argv:
        return argv, []
    at = list(argv).index("--")
    return argv[:at], [
        os.curdir + os.sep + name if name.startswith("-") and name != DASH else name
        for name in argv[at + 1 :]
    ]


def add_device(
    parser: argparse._ActionsContainer,
    does: str = "use this device",
    otherwise: str = 'the device that "pyclfft info" marks',
) -> None:
    """Add the option ``--device``, whose values mean the same in all commands."""
    parser.add_argument(
        "--device", metavar="SPEC",
        help=f'{does}: a part of its name, "gpu", "cpu", or a number that "pyclfft info" shows: a '
        f"platform such as 1, or a device such as 0:1 (default: {otherwise})",
    )  # fmt: skip


def add_algorithm(
    parser: argparse._ActionsContainer, does: str = "transform by this algorithm", more: str = ""
) -> None:
    """Add the option ``--algorithm``; the error about an unknown name lists all names."""
    parser.add_argument(
        "--algorithm", metavar="NAME", choices=tuple(BY_NAME),
        help=f"{does}, such as stockham or radix2; {more}an unknown NAME lists all "
        "(default: the first that suits the length and the device)",
    )  # fmt: skip


def add_quiet(parser: argparse._ActionsContainer) -> None:
    """Add the option ``-q``, ``--quiet``."""
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="print nothing but warnings and errors"
    )


def parse_count(text: str) -> int:
    """Read a positive whole number written as ``65536``, ``2^20``, ``2**20`` or ``1e6``.

    Raises
    ------
    ValueError
        The text is no positive whole number.
    """
    base, power, exponent = text.replace("**", "^").partition("^")
    try:
        value = float(base) ** int(exponent) if power else float(text)
    except OverflowError:
        value = inf
    except ValueError:
        value = 0
    if not 1 <= value < 2**63 or value != int(value):
        raise ValueError(f"{text!r} is not a positive whole number")
    return int(value)


def count(text: str) -> int:
    """Return the number that `parse_count` reads: the type of an option for argparse."""
    try:
        return parse_count(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def natural(text: str) -> int:
    """Return a whole number from 0 on: the type of an option for argparse."""
    return 0 if text == "0" else count(text)


def number(least: float = -inf) -> Callable[[str], float]:
    """Return the type of an option that is a finite number, `least` or more."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = inf
        if not least <= value < inf:
            wanted = f"number from {least:g} on" if least > -inf else "finite number"
            raise argparse.ArgumentTypeError(f"{text!r} is no {wanted}")
        return value

    return parse


def positive(text: str) -> float:
    """Parse an option's value that is a finite number above 0."""
    try:
        value = float(text)
    except ValueError:
        value = inf
    if not 0 < value < inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return value


# --- what a command says --------------------------------------------------------------------------


class Report:
    """The lines that a command prints about its work.

    Parameters
    ----------
    quiet : bool
        Print no lines.
    to : {"stderr", "stdout"}
        Where the lines go: to stderr if the command's result is a file, which may be standard
        output; to stdout if the lines themselves are the result.
    """

    def __init__(self, quiet: bool = False, to: Literal["stderr", "stdout"] = "stderr") -> None:
        self.quiet = quiet
        self._to = to
        # tqdm makes its lock when it is first asked, and fails later if Ctrl-C comes just then.
        tqdm.get_lock()
        self._heading: list[str] = []

    def heading(self, *lines: str) -> None:
        """Keep lines until others follow, so that an error that comes first stands alone."""
        self._heading += lines

    def __call__(self, *lines: str) -> None:
        """Print lines, above the progress bar if there is one."""
        if not self.quiet:
            _print([*self._heading, *lines], self._to)
        self._heading = []


class Clock:
    """Adds up how long steps take on the host; a step may come more than once.

    Steps of several threads may overlap. The clock starts with the first step.

    Parameters
    ----------
    progress : Progress, optional
        The bar whose title names the current step.
    subject : str
        What the steps are about, for example the name of a file; it begins the title.
    """

    def __init__(self, progress: Progress | None = None, subject: str = "") -> None:
        self.steps: dict[str, float] = {}
        self._progress, self._subject = progress, subject
        self._begin: float | None = None

    @contextlib.contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Return a context whose time counts as part of a step."""
        if self._progress:
            self._progress.title = f"{self._subject}: {name}"
        begin = time.perf_counter()
        self._begin = begin if self._begin is None else self._begin
        yield
        self.steps[name] = self.steps.get(name, 0.0) + time.perf_counter() - begin

    @property
    def total(self) -> float:
        """Seconds since the first step began; 0 before it."""
        return 0.0 if self._begin is None else time.perf_counter() - self._begin

    def __str__(self) -> str:
        steps = ", ".join(f"{name} {1e3 * took:.1f} ms" for name, took in self.steps.items())
        return f"{steps}, total {1e3 * self.total:.1f} ms"


def describe(error: BaseException) -> str:
    """Put an error into words, on one line.

    Parameters
    ----------
    error : exception
        The error, of any type.

    Returns
    -------
    str
        The first line of the error's message, because a compiler's log may follow it. The words for
        an OSError begin with the file's name, as those of other programs do; if a file could not
        be renamed, with its new name.
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
        The cells of each row; all rows have the same length.
    header : sequence of str
        The headings of the columns; no headings by default.
    align : str
        For each column ``"<"`` (left) or ``">"`` (right). Columns for which it is too short are
        aligned left.

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


def timing_report(*tables: str) -> str:
    """Return tables of times with empty lines around each, for `Report`."""
    return "\n{}\n".format("\n\n".join(tables))


def step_table(clock: Clock, names: Mapping[str, str]) -> str:
    """Return the time of every step on the host, and their total, as a table.

    Parameters
    ----------
    clock : Clock
        The clock that has timed the steps.
    names : mapping of str to str
        What people read in the place of a step's own name.

    Returns
    -------
    str
        Lines of text; times in ms.
    """
    rows = [(names.get(name, name), f"{1e3 * took:.3f}") for name, took in clock.steps.items()]
    return table([*rows, ("total", f"{1e3 * clock.total:.3f}")], ("step", "ms"), "<>")


def pass_table(times: Sequence[PassTime]) -> str:
    """Return a row for every pass and transfer of a run on a device, in order.

    Parameters
    ----------
    times : sequence of PassTime
        The times of the run, from the device's profiling events.

    Returns
    -------
    str
        Lines of text; times in ms. Neighbours of one kernel share a row.
    """
    rows = []
    for each, launches in merge_repeats(times):
        step = each.step if launches == 1 else ""
        rows.append((each.name, str(launches), f"{each.ms:.3f}", f"{each.gb_per_s:.1f}", step))
    return table(rows, ("pass", "launches", "ms", "GB/s", "step"), "<>>><")


def kernel_table(times: Sequence[PassTime]) -> str:
    """Return the launches and the time of every kernel and transfer, and their sum, as a table.

    Parameters
    ----------
    times : sequence of PassTime
        The times of a run, from the device's profiling events.

    Returns
    -------
    str
        Lines of text; times in ms.
    """
    sums = [(name, str(launches), f"{ms:.3f}") for name, (launches, ms) in totals(times).items()]
    sums.append(("all", str(len(times)), f"{sum(each.ms for each in times):.3f}"))
    return table(sums, ("kernel", "launches", "ms"), "<>>")


def _say(prog: str, kind: str, message: str) -> None:
    _print([f"{prog}: {kind}: {message}"], "stderr")


def _print(lines: Sequence[str], to: str) -> None:
    """Print lines; if there is a progress bar, draw it anew below them."""
    stream: Any = getattr(sys, to)
    if stream is None:  # because the shell has closed it
        return
    with tqdm.external_write_mode(file=stream):
        # One call writes all lines with their ends. Where Python writes at once what it is given
        # (PYTHONUNBUFFERED), print writes a line's end by itself, and Ctrl-C may come before it.
        stream.write("".join(f"{line}\n" for line in lines))
        stream.flush()


@contextlib.contextmanager
def _warnings_as_lines(prog: str) -> Iterator[None]:
    """Show warnings without the line of our source, which tells a user nothing."""
    ours = logging.getLogger("pyclfft")
    before = ours.handlers
    # The handler of a command that calls this one goes; a program's own handlers stay.
    ours.handlers = [each for each in before if not isinstance(each, _AsLines)]
    if not ours.hasHandlers():
        ours.addHandler(_AsLines(prog))
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_, **__: _say(prog, "warning", str(message))
        try:
            yield
        finally:
            ours.handlers = before


@contextlib.contextmanager
def _any_text() -> Iterator[None]:
    """Print characters that stdout's encoding lacks as their numbers, as Python does on stderr.

    They are in names of files that are not UTF-8, or in names of devices, if the locale is C.
    """
    stream, before = sys.stdout, getattr(sys.stdout, "errors", None)
    if not hasattr(stream, "reconfigure"):  # it is closed, or a program has replaced it
        yield
        return
    stream.reconfigure(errors="backslashreplace")
    try:
        yield
    finally:
        if not stream.closed:
            stream.reconfigure(errors=before)


class _AsLines(logging.Handler):
    """Shows warnings and errors in the log in the way in which the commands show warnings."""

    def __init__(self, prog: str) -> None:
        super().__init__(logging.WARNING)
        self.prog = prog

    def emit(self, record: logging.LogRecord) -> None:
        """Show a record of the log."""
        _say(self.prog, "warning", record.getMessage())


def _forget_stdout() -> None:
    """Redirect stdout to nowhere, so that Python's last flush of it does not fail, too."""
    with contextlib.suppress(OSError, ValueError):  # stdout may be no file, as in tests
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# --- commands with the name of a function ---------------------------------------------------------


class CallableModule(ModuleType):
    """A command's module that is also the function of its name; see `make_callable`."""

    _function: Callable[..., Any]

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Call the function."""
        return self._function(*arguments, **options)

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        """The function, where inspect.signature and inspect.getsource look for it."""
        return self._function

    def __reduce__(self) -> tuple[Any, ...]:
        """Let the function stand for the module in a copy and in a pickle."""
        return copy.copy, (self._function,)


def make_callable(name: str, function: Callable[..., Any]) -> None:
    """Let a command's module be called as the function whose name it has.

    Importing the module ``pyclfft.NAME`` puts it in the place of the function ``pyclfft.NAME``.
    Nobody has to import a command, but tools do that import all modules, and so does whoever calls
    its ``main``. What they find there then is both: it has the function's signature and docstring.

    Parameters
    ----------
    name : str
        The module's ``__name__``. A module that runs as a program is left as it is, because nobody
        imports it.
    function : callable
        The function, from the library.
    """
    module = None if name == "__main__" else sys.modules.get(name)
    if module is None:  # run by runpy, which imports no module of this name
        return
    module.__class__ = CallableModule
    module.__doc__ = function.__doc__
    # help() lists the names in __all__, with their signatures.
    named = {"__all__": [function.__name__], function.__name__: function}
    vars(module).update(named, _function=function)
