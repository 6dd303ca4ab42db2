"""The program cache, which makes programs of kernel files and macros and builds each only once."""

from __future__ import annotations

import hashlib
import logging
import re
import shlex
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, cast

import pyopencl as cl

from ..errors import BuildError
from . import disk, loss
from .cache import BoundedCache, registered
from .describe import code_identity
from .vendors import has_warnings, keeps_programs, runtime_of

logger = logging.getLogger("pyclfft")

Defines = tuple[tuple[str, str], ...]

MEMORY_LIMIT = 256  # programs
DISK_LIMIT = 256 * 2**20  # bytes
MAGIC = b"pyclfft program 1\n"  # begins every stored program; its number changes with the layout
FILE = r"(?:\w+/)*\w+\.cl"  # a kernel file is named by its path below cl/: "textbook/norm.cl"
INCLUDE = re.compile(rf'#include "({FILE})".*')  # begins with words, which are found at once
# Most compilers write "textbook/norm.cl:8:12: error: ...", but PoCL writes
# "error: textbook/norm.cl:8:12: ...". NVIDIA's names no file and writes "<kernel>:8".
FLAT_PLACE = re.compile(r"<kernel>:(\d+)")
ERROR_PLACE = re.compile(
    rf"^(?=.*\berror\b).*?({FILE}|hook(?::[a-z]+)+):(\d+)", re.MULTILINE
)  # the place of an error in a kernel file or in a caller's hook
HOOKS = "hooks.cl"
DECLARATIONS = "declarations.cl"

_programs: BoundedCache[cl.Program] = registered("programs", BoundedCache(MEMORY_LIMIT))


def program(context: cl.Context, source: str, defines: Defines = (), hooks: str = "") -> cl.Program:
    """Return a program from memory, from the disk, or newly built.

    Parameters
    ----------
    context : cl.Context
        A context of one device.
    source : str
        The kernel file, by its path below ``cl/``, for example ``"textbook/norm.cl"``.
    defines : tuple of (str, str)
        Macros and their values.
    hooks : str
        The text that replaces hooks.cl; with an empty text hooks.cl stays.

    Returns
    -------
    cl.Program

    Raises
    ------
    BuildError
        The kernel does not compile; the error holds the log and the source line.
    """
    key = (context, source, defines, hooks)
    return _programs.get(key, lambda: _load_or_build(context, source, defines, hooks))


def _load_or_build(context: cl.Context, source: str, defines: Defines, hooks: str) -> cl.Program:
    text, (device,) = source_text(source, hooks, defines), context.devices
    if keeps_programs(device):
        return cl.Program(_build(context, source, text, defines))
    path = _disk_path(device, text)
    loaded = _load(context, path)
    if loaded is None:
        loaded = _build(context, source, text, defines)
        _store(path, cast("list[bytes]", loaded.get_info(cl.program_info.BINARIES))[0])
    return cl.Program(loaded)


# --- source ---------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def kernel_folder() -> Path:
    """Return the folder of the ``.cl`` files: in an installed package, or beside it in a checkout.

    Raises
    ------
    BuildError
        There is no such folder: the installation is incomplete.
    """
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "cl", package.parent / "cl"):
        if (folder / "prelude.cl").is_file():
            return folder
    raise BuildError(f"no kernels found beside {package}: install pyclfft again")


def kernel_files() -> dict[str, Path]:
    """Return all kernel files, sorted by their paths below ``cl/``, which have "/" everywhere."""
    folder = kernel_folder()
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.cl")}
    return dict(sorted(files.items()))


def source_text(name: str, hooks: str = "", defines: Defines = ()) -> str:
    """Return the text of a kernel file, with the included files in place of its includes.

    The text has #line directives, so that compilers report the files' own lines. An include at the
    beginning of a line, as of prelude.cl, appears once, although several files may have it. An
    indented include, as of a template from which each include makes another function, appears each
    time.

    The text begins with the macros. A compiler's options could hold them, too, but runtimes
    disagree about options with spaces: Mesa's rusticl 22.3 crashes where one has quotes.

    Parameters
    ----------
    name : str
        The kernel file, by its path below ``cl/``, for example ``"textbook/norm.cl"``.
    hooks : str
        The text that replaces hooks.cl, which may include other files; with an empty text hooks.cl
        stays.
    defines : tuple of (str, str)
        Macros and their values.

    Returns
    -------
    str

    Raises
    ------
    BuildError
        `name`, or an include, names no kernel file.
    """
    macros = "".join(f"#define {macro} {value}\n" for macro, value in defines)
    return macros + _with_includes(name, hooks, set())


def _with_includes(name: str, hooks: str, seen: set[str]) -> str:
    seen.add(name)
    given = hooks if name == HOOKS else ""
    first, includes = _split(given) if given else file_pieces(f"{kernel_folder()}/{name}", name)
    parts = [f'#line 1 "{name}"\n{first}']
    for again, file, line, following in includes:
        if again or file not in seen:
            parts.append(_with_includes(file, hooks, seen) + "\n")
        parts.append(f'#line {line} "{name}"{following}')
    return "".join(parts)


class Include(NamedTuple):
    """An include of a kernel file, and the text from there to the next one.

    Attributes
    ----------
    again : str
        The spaces before the include, if any: with them the file is included each time.
    file : str
        The included file, by its path below ``cl/``.
    line : int
        The number of the line after the include.
    following : str
        The text between this include and the next one.
    """

    again: str
    file: str
    line: int
    following: str


Pieces = tuple[str, tuple[Include, ...]]  # the text before the first include, and the includes


@lru_cache(maxsize=512)
def file_pieces(path: str, name: str) -> Pieces:
    """Return a kernel file in pieces, which is read once, since most programs share most files.

    Raises
    ------
    BuildError
        There is no such file; the message names one with a similar path, if there is one.
    """
    try:
        with open(path, "rb", buffering=0) as file:  # a plan opens dozens of files
            return _split(file.read().decode().replace("\r\n", "\n"))
    except FileNotFoundError:
        alike = [each for each in kernel_files() if Path(each).name == Path(name).name]
        remedy = f"do you mean {alike[0]}?" if alike else f"see {kernel_folder()}"
        raise BuildError(f"no kernel file is called {name}: {remedy}") from None


def _split(text: str) -> Pieces:
    found = []
    for each in INCLUDE.finditer(text):
        begin = text.rfind("\n", 0, each.start()) + 1
        again = text[begin : each.start()]
        if not again.strip(" \t"):  # the directive is alone on its line
            found.append((begin, again, each))
    begins = [begin for begin, _, _ in found] + [len(text)]
    includes, line = [], 1 + text.count("\n", 0, begins[0])
    for (_, again, each), end in zip(found, begins[1:], strict=True):
        following = text[each.end() : end]
        includes.append(Include(again, each[1], line + 1, following))
        line += following.count("\n")
    return text[: begins[0]], tuple(includes)


# --- building -------------------------------------------------------------------------------------


def _build(context: cl.Context, source: str, text: str, defines: Defines) -> cl._Program:
    # These are pyopencl's inner class and method. Its class Program would use pyopencl's own disk
    # cache, whose lock files outlive a killed process and make the next one wait. Its method build
    # would warn of every log, even of Intel's report of success.
    (device,) = context.devices
    built = _built_without_header(context, text)
    if built is None:
        built = cl._Program(context, text)
        try:
            built._build(b"", [device])
        except cl.Error as error:
            if loss.is_lost(error, context):
                raise loss.lost(error, context) from error
            log = _log(built, device, text) or str(error)
            raise _build_error(source, text, defines, device, log) from None
    log = _log(built, device, text)
    logger.log(
        logging.WARNING if has_warnings(log) else logging.DEBUG,
        "%s built for %s with %s: %s", source, device.name, _flags(defines), log or "no log",
    )  # fmt: skip
    return built


def _built_without_header(context: cl.Context, text: str) -> cl._Program | None:
    """Return a program built with declarations.cl instead of the runtime's own long header.

    The result is None if the runtime reads no such header, or if the program needs more of it than
    declarations.cl has, as a caller's hook may.
    """
    (device,) = context.devices
    macro = runtime_of(device).header
    if not macro:
        return None
    built = cl._Program(context, f"{source_text(DECLARATIONS)}\n{text}")
    try:
        built._build(f"-D{macro}".encode(), [device])
    except cl.Error:
        return None
    return built


def _log(built: cl._Program, device: cl.Device, text: str) -> str:
    """Return a build's log, in which every place names the kernel file and its own line."""
    with suppress(cl.Error):
        log = str(built.get_build_info(device, cl.program_build_info.LOG)).strip("\0 \n\t")
        return FLAT_PLACE.sub(lambda place: _place_in_files(text, int(place[1])), log)
    return ""


def _place_in_files(text: str, number: int) -> str:
    """Return ``file:line`` of a line of `text`, since NVIDIA's compiler ignores #line."""
    lines = text.splitlines()[:number]
    last = max((i for i, line in enumerate(lines) if line.startswith("#line ")), default=None)
    if last is None:  # the text begins with the macros
        return f"macros:{number}"
    _, first, name = lines[last].replace('"', "").split()
    return f"{name}:{int(first) + number - last - 2}"


def _line_at(text: str, name: str, number: int) -> str:
    """Return the line of `text` that its #line directives call ``name:number``, or ""."""
    here, count = "", 0
    for line in text.splitlines():
        if line.startswith("#line "):
            _, first, here = line.replace('"', "").split()
            count = int(first)
            continue
        if (here, count) == (name, number):
            return line.strip()
        count += 1
    return ""


def _flags(defines: Defines) -> str:
    """Return macros as a person gives them to clang in a shell."""
    flags = (shlex.quote(f"-D{name}={value}") for name, value in defines)
    return " ".join(flags) or "default macros"


def _build_error(
    source: str, text: str, defines: Defines, device: cl.Device, log: str
) -> BuildError:
    """Return the error of a failed build, which says where it failed and holds the whole log."""
    line = ""
    place = ERROR_PLACE.search(log)
    if place:
        found = _line_at(text, place[1], int(place[2]))
        line = f"{place[1]}:{place[2]}: {found}" if found else ""
    where = f" at {line}" if line else ""
    return BuildError(
        f"{device.name} cannot build {source} ({_flags(defines)}){where}\n{log}",
        log=log,
        source_line=line,
    )


# --- on disk --------------------------------------------------------------------------------------


def _disk_path(device: cl.Device, text: str) -> Path:
    """Return where a program is stored, by a hash of all that its machine code depends on."""
    identity = "\0".join((*code_identity(device), text))
    name = hashlib.sha256(identity.encode()).hexdigest()
    return disk.folder("programs") / f"{name}.bin"


def _load(context: cl.Context, path: Path) -> cl._Program | None:
    """Return a stored program, or None where it is missing, damaged or refused by the driver."""
    try:
        data = path.read_bytes()
        header, binary = data[: len(MAGIC) + 32], data[len(MAGIC) + 32 :]
        if header != MAGIC + hashlib.sha256(binary).digest():
            logger.debug("%s is damaged and will be built again", path)
            return None
        loaded = cl._Program(context, [context.devices[0]], [binary])
        loaded._build(b"", [context.devices[0]])
    except FileNotFoundError:
        return None
    except (OSError, cl.Error) as error:
        logger.debug("%s cannot be used and will be built again: %s", path, error)
        return None
    disk.note_use(path)
    return loaded


def _store(path: Path, binary: bytes) -> None:
    """Store a program for later processes. If the disk refuses, they build it again."""
    disk.store(path, (MAGIC, hashlib.sha256(binary).digest(), binary), DISK_LIMIT)
