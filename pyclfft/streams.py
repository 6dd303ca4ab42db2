"""Standard input and output where commands take files: ``-``, and where results go.

Standard input is copied to a temporary file, because readers seek in a file. A result for standard
output is written to a temporary file first, so that either the whole result comes out, or nothing.
The functions that read and write files need not know any of this: they get a path-like object.
"""

from __future__ import annotations

import argparse
import errno
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from .errors import PlanError
from .progress import is_terminal

# Endings of the names of files. A name that ends so is no folder, and cannot hold several results.
FILES = {
    ".csv", ".flac", ".jpeg", ".jpg", ".npz", ".pdf", ".pgm", ".png", ".svg", ".tif", ".tiff",
    ".wav",
}  # fmt: skip
DASH = "-"


@dataclass(frozen=True)
class StandIn(os.PathLike[str]):
    """A temporary file in the place of standard input or output.

    Attributes
    ----------
    path : Path
        The file.
    name : str
        What the file stands for; people read this name in errors and reports.
    """

    path: Path
    name: str

    def __fspath__(self) -> str:
        return str(self.path)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class StandardOutput:
    """Standard output in the place of a file to write."""

    def __str__(self) -> str:
        return "standard output"


Source = Path | StandIn
Target = Path | StandardOutput


def file_name(text: str) -> str:
    """Return the name of a file, but refuse an empty one: the type of an option for argparse."""
    if not text:
        raise argparse.ArgumentTypeError("the name of a file is empty")
    return text


# --- where results come from and go ---------------------------------------------------------------


@contextmanager
def sources(
    names: Sequence[str], suffix_of: Callable[[bytes], str] = lambda beginning: ""
) -> Iterator[list[Source]]:
    """Yield the files to read; a copy takes the place of standard input and of any other pipe.

    Parameters
    ----------
    names : sequence of str
        The names that the user has typed.
    suffix_of : callable, optional
        Takes the first bytes of a file and returns the suffix for its format, such as ``".png"``.

    Yields
    ------
    list of Path or StandIn
        A file for each name. The name of a copy is ``stdin`` with the suffix.

    Raises
    ------
    PlanError
        Standard input is named twice, or it is a terminal or closed.
    """
    if names.count(DASH) > 1:
        raise PlanError("- is given twice, but standard input can be read only once")
    with ExitStack() as stack:
        yield [stack.enter_context(_source(name, suffix_of)) for name in names]


@contextmanager
def _source(name: str, suffix_of: Callable[[bytes], str]) -> Iterator[Source]:
    if name == DASH:
        with _copy(_standard_input(), suffix_of) as path:
            yield StandIn(path, "standard input")
    elif Path(name).is_fifo():
        with open(name, "rb") as pipe, _copy(pipe, suffix_of) as path:
            yield StandIn(path, name)
    else:
        yield Path(name)


def _standard_input() -> IO[bytes]:
    fault = "closed" if sys.stdin is None else "a terminal" if is_terminal(sys.stdin) else ""
    if fault:
        raise PlanError(
            f"standard input is {fault}: pipe a file into it, or name one in the place of -"
        )
    return sys.stdin.buffer


@contextmanager
def _copy(stream: IO[bytes], suffix_of: Callable[[bytes], str]) -> Iterator[Path]:
    with TemporaryDirectory(prefix="pyclfft-") as folder:
        beginning = stream.read(64)
        path = Path(folder, f"stdin{suffix_of(beginning)}")
        with path.open("wb") as file:
            file.write(beginning)
            shutil.copyfileobj(stream, file)
        yield path


def place(
    wanted: str | None, source: Source, ending: str, several: bool = False, below: str = ""
) -> Target:
    """Return where a result goes.

    Parameters
    ----------
    wanted : str or None
        What the user asks for: a file, a folder, ``-``, or nothing.
    source : Path or StandIn
        The file that is read.
    ending : str
        If the user names no file, the result's name is that of the source without its suffix, and
        then this ending.
    several : bool
        There are several sources, so that `wanted` has to be a folder.
    below : str
        The path from this folder to that of the result.

    Returns
    -------
    Path or StandardOutput
        If the user asks for nothing, a file beside the source, or standard output if the source
        came through a pipe.

    Raises
    ------
    PlanError
        Several results are to go to standard output, or to a file, or to a name that looks like
        that of a file.
    """
    name = f"{Path(source).stem}{ending}"
    if wanted is None:
        return Path(source).parent / name if isinstance(source, Path) else StandardOutput()
    if wanted == DASH:
        if several:
            raise PlanError("standard output holds one result: name a folder for several inputs")
        return StandardOutput()
    if several and Path(wanted).is_file():
        raise PlanError(f"{wanted} is a file, but several results need a folder: name a folder")
    if several and not is_folder(wanted) and Path(wanted).suffix.lower() in FILES:
        raise PlanError(
            f"{wanted} names a file, but several results need a folder: name a folder, or end its "
            f"name in {os.sep}"
        )
    return Path(wanted, below, name) if several or is_folder(wanted) else Path(wanted)


def is_folder(name: str) -> bool:
    """Return whether a name is that of a folder, or ends as only that of a folder does."""
    return name.endswith(("/", os.sep)) or Path(name).is_dir()


def is_open(wanted: str, several: bool) -> bool:
    """Return whether `place` chooses the name, and with it the format, of a result."""
    return several or wanted == DASH or is_folder(wanted)


def prepare(
    read: Sequence[Source],
    written: Iterable[Target],
    named: Iterable[str | None],
    *,
    several: bool | None = None,
) -> None:
    """Refuse results that would be lost, then make the folders that the user has named.

    Parameters
    ----------
    read : sequence of Path or StandIn
        All inputs.
    written : iterable of Path or StandardOutput
        Where all results go.
    named : iterable of str or None
        What the user has typed for the results: files, folders, ``-``, or nothing.
    several : bool, optional
        Whether each name is that of a folder for several results; by default it is if there are
        several inputs.

    Raises
    ------
    PlanError
        A result would replace an input or another result.
    OSError
        The folder of a file is missing, or a folder cannot be made.
    """
    written = list(written)
    names = [name for name in named if name]
    several = len(read) > 1 if several is None else several
    inputs = {Path(source).resolve() for source in read}
    taken: set[Path | StandardOutput] = set()
    for target in written:
        where = target.resolve() if isinstance(target, Path) else target
        if where in inputs:
            raise PlanError(f"{target} is an input, too: give the result another name")
        if where in taken:
            raise PlanError(
                f"{target} would be written twice: treat the inputs one by one, or give the "
                "results different names"
            )
        taken.add(where)
    for name in names:
        if not is_open(name, several) and not Path(name).absolute().parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    for name in names:
        if name != DASH and is_open(name, several):
            Path(name).mkdir(exist_ok=True)
    for target in written:
        if isinstance(target, Path) and any(
            Path(name) in target.parents for name in names if is_open(name, several)
        ):
            target.parent.mkdir(parents=True, exist_ok=True)


def require_no_terminal(targets: Iterable[Target]) -> None:
    """Refuse to fill a terminal with bytes that nobody can read.

    Raises
    ------
    PlanError
        Standard output is among the targets, and it is a terminal.
    """
    if StandardOutput() in targets and is_terminal(sys.stdout):
        raise PlanError("the result would go to the terminal: redirect it, or name a file with -o")


@contextmanager
def written(target: Target, suffix: str) -> Iterator[Path | StandIn]:
    """Yield the file to write; a stand-in for standard output is copied there at the end.

    Parameters
    ----------
    target : Path or StandardOutput
        Where the result goes.
    suffix : str
        The suffix of the stand-in, which names its format.

    Yields
    ------
    Path or StandIn
        The file to write.
    """
    if isinstance(target, Path):
        yield target
        return
    with TemporaryDirectory(prefix="pyclfft-") as folder:
        file = Path(folder, f"stdout{suffix}")
        yield StandIn(file, str(target))
        try:
            with file.open("rb") as content:
                shutil.copyfileobj(content, sys.stdout.buffer)
            sys.stdout.buffer.flush()
        except OSError as error:
            error.filename = str(target)
            raise
