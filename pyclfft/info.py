"""``python -m pyclfft info``: the runtimes and devices of this machine, and whether they work."""

from __future__ import annotations

import argparse
import platform as host
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pyopencl as cl

from . import __version__, commandline, report, selftest
from .commandline import Report
from .errors import DeviceError, PyclfftError
from .files import atomic_write, cache_dir, require_writable
from .planning.traits import Traits
from .runtime import icd, wisdom
from .runtime.choice import select_device
from .runtime.describe import traits
from .runtime.runtimes import defect, without_devices
from .selftest import Groups, examined, numbered

PROG = "pyclfft info"
REPORT = "pyclfft-report.txt"
INDENT = " " * 7  # of lines below one that begins with "* 0:0  "
UNITS = ("B", "KiB", "MiB", "GiB")

# Every platform that shows no device, and the remedy, as `without_devices` returns them.
Asleep = Sequence[tuple[Any, str]]

# Columns of the table of limits: heading, side, and the cell of a device.
COLUMNS: tuple[tuple[str, str, Callable[[Any, Traits], str]], ...] = (
    ("type", "<", lambda device, _: type_of(device)),
    ("units", ">", lambda _, limits: str(limits.compute_units)),
    ("group", ">", lambda _, limits: str(limits.max_work_group_size)),
    ("items", "<", lambda _, limits: "x".join(map(str, limits.max_work_item_sizes))),
    ("local", ">", lambda _, limits: in_bytes(limits.local_mem_bytes)),
    ("global", ">", lambda _, limits: in_bytes(limits.global_mem_bytes)),
    ("buffer", ">", lambda _, limits: in_bytes(limits.max_alloc_bytes)),
    ("fp64", "<", lambda _, limits: yes_or_no(limits.fp64)),
    ("fp16", "<", lambda _, limits: yes_or_no(limits.fp16)),
)
LEGEND = """\
units: compute units; group: work-items in a work-group at most, items: along each dimension;
local, global: memory; buffer: largest allocation; fp64, fp16: double and half precision"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; the process's by default.

    Returns
    -------
    int
        Exit status: 0; 1 if a device fails its self-test; 2 without a device, or after an error.
    """
    return commandline.run(lambda: _main(sys.argv[1:] if argv is None else argv), PROG)


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    result = commandline.Parser(
        prog=PROG,
        description="Show the OpenCL runtimes and devices of this machine, and whether they work. "
        "A star marks the device that is used by default, or the one that --device names.",
    )
    add = result.add_argument
    add("--selftest", action="store_true",
        help='check the results of every device, too, as "pyclfft selftest" does')  # fmt: skip
    add("--report", metavar="FILE", nargs="?", const=REPORT,
        help="check the results, and write all that is known to a file, to be sent to us "
        f"(default: {REPORT})")  # fmt: skip
    add("--quick", action="store_true",
        help="with --selftest or --report: make a few of the checks, one of each "
        "family")  # fmt: skip
    commandline.add_device(result, "mark and check this device", "mark the default, check all")
    return result


def _main(argv: Sequence[str]) -> int:
    options = parser().parse_args(argv)
    if options.quick and not (options.selftest or options.report):
        raise PyclfftError("--quick makes a few of the checks: add --selftest or --report")
    if options.report:
        require_writable(options.report)  # before the checks, which take minutes
    said: list[str] = []

    tell = Report(to="stdout")

    def say(text: str) -> None:
        tell(text)
        said.append(text)

    say(versions())
    groups, asleep = examined(), without_devices()
    chosen, failure = _choose(options.device)
    if groups or asleep:
        mark = f"--device {options.device}" if options.device else "default"
        say(overview(groups, chosen, mark, asleep))
    problems: list[str] = []
    if options.selftest or options.report:
        tested = [each for each in numbered(groups) if options.device is None or each[1] == chosen]
        problems = selftest.run(tested, say, quick=options.quick)
    if options.report:
        ending = [f"No device: {failure}"] if failure else []
        _write_report(options.report, [*said, *problems, *ending, *details(groups, asleep)])
    if failure:
        raise failure
    return 1 if problems else 0


def _choose(spec: str | None) -> tuple[cl.Device | None, DeviceError | None]:
    """Select a device; return the error if there is none, so that all else can be shown first."""
    try:
        return select_device(spec), None
    except DeviceError as error:
        return None, error


# --- what there is --------------------------------------------------------------------------------


def versions() -> str:
    """Return the versions of pyclfft, its libraries and the system, and the cache's folder."""
    rows = (
        ("pyclfft", f"{__version__} in {Path(__file__).parent}"),
        ("pyopencl", cl.VERSION_TEXT),
        ("NumPy", np.__version__),
        ("Python", host.python_version()),
        ("system", host.platform()),
        ("cache", str(cache_dir())),
    )
    return commandline.table(rows)


def overview(groups: Groups, chosen: Any, mark: str = "default", asleep: Asleep = ()) -> str:
    """Return the tables of runtimes, devices and limits.

    Names have lines of their own, so that long names of devices do not widen the table of limits.

    Parameters
    ----------
    groups : sequence of (pyopencl.Platform, sequence of pyopencl.Device)
        The platforms and devices, as `listing` returns them.
    chosen : pyopencl.Device or None
        The device that is marked by a star.
    mark : str
        What the star means.
    asleep : sequence of (pyopencl.Platform, str)
        The platforms without devices, as `without_devices` returns them.

    Returns
    -------
    str
        Lines of at most 100 characters, unless a name is longer.
    """
    hint = icd.hint(platform.name for platform, _ in (*groups, *asleep))
    note = _wrapped("Note", hint) if hint else ""
    title = f"Runtimes and devices (* {mark})"
    names = "\n".join([title, *_names(groups, chosen), *_names_asleep(asleep)])
    parts = (names, _limits(groups, chosen), note)
    return "\n" + "\n\n".join(filter(None, parts))


def _names(groups: Groups, chosen: Any) -> Iterator[str]:
    for p, (platform, devices) in enumerate(groups):
        yield _wrapped(f"  {p}", _words(f"{platform.name}, {platform.version}"))
        for d, device in enumerate(devices):
            yield _wrapped(f"{_mark(device, chosen)} {p}:{d}", _title(device))
            if reason := defect(device):
                yield _wrapped("", f"not used: {reason}")


def _names_asleep(asleep: Asleep) -> Iterator[str]:
    """Yield the runtimes without devices. They have no number, because nobody can choose them."""
    for platform, remedy in asleep:
        yield _wrapped("  -", _words(f"{platform.name}, {platform.version}"))
        yield _wrapped("", f"no device: {remedy}" if remedy else "no device")


def _limits(groups: Groups, chosen: Any) -> str:
    header = ["  ", *(heading for heading, _, _ in COLUMNS)]
    rows = [
        [f"{_mark(device, chosen)} {index}", *_cells(device)]
        for index, device in numbered(groups)
        if not defect(device)
    ]
    align = "<" + "".join(side for _, side, _ in COLUMNS)
    return f"{commandline.table(rows, header, align)}\n\n{LEGEND}" if rows else ""


def _cells(device: Any) -> list[str]:
    try:
        limits = traits(device)
    except cl.Error:  # a runtime that refuses to answer
        return ["?" for _ in COLUMNS]
    return [cell(device, limits) for *_, cell in COLUMNS]


def _title(device: Any) -> str:
    version = " ".join(device.version.split()[:2])  # "OpenCL 3.0"; the rest is the vendor's
    title = f"{_words(device.name)}, {version}, driver {_words(device.driver_version)}"
    known = tuned(device)
    return f"{title}; tuned problems: {known}" if known else title


def _mark(device: Any, chosen: Any) -> str:
    return "*" if chosen is not None and device == chosen else " "


def _wrapped(start: str, text: str) -> str:
    return textwrap.fill(
        text,
        report.WIDTH,
        initial_indent=f"{start:<{len(INDENT)}}",
        subsequent_indent=INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _words(text: str) -> str:
    return " ".join(text.replace("\0", "").split())


def type_of(device: Any) -> str:
    """Return a device's type, for example ``"GPU"``; a device may have several types at once."""
    return report.constant_names(cl.device_type, device.type & ~cl.device_type.DEFAULT)


def tuned(device: Any) -> str:
    """Return for how many problems parameters are known, such as ``"3 by user, 12 by device"``.

    "User" means the user's own measurements. The others are ours, of a device of this name, of this
    architecture, or of this vendor.
    """
    counts = wisdom.origins_of(device)
    return ", ".join(f"{count} by {origin}" for origin, count in counts.items())


def in_bytes(count: int) -> str:
    """Return a number of bytes in words, for example ``"48 KiB"`` or ``"139.8 GiB"``."""
    power = min(max(count.bit_length() - 1, 0) // 10, len(UNITS) - 1)
    return f"{count / 1024**power:.1f}".removesuffix(".0") + f" {UNITS[power]}"


def yes_or_no(value: bool) -> str:
    """Return "yes" or "no"."""
    return "yes" if value else "no"


# --- the report -----------------------------------------------------------------------------------


def details(groups: Groups, asleep: Asleep = ()) -> Iterator[str]:
    """Yield what only a report has: the environment, and every property of every device."""
    yield "\nEnvironment"
    for name, value in report.variables().items():
        yield report.paragraph(name, value)
    yield "\nRuntimes that no .icd file names"
    for entry in icd.unregistered():
        yield report.paragraph(entry.name, entry.library)
    for p, (platform, devices) in enumerate(groups):
        yield from _properties(f"{p}", platform)
        for d, device in enumerate(devices):
            yield from _properties(f"{p}:{d}", device)
    for platform, _ in asleep:
        yield from _properties(f"{platform.name.strip()}, which shows no device", platform)


def _properties(index: str, asked: cl.Platform | cl.Device) -> Iterator[str]:
    yield f"\nProperties of {index}"
    for name, value in report.properties(asked).items():
        yield report.paragraph(name, value)


def _write_report(path: str, lines: Sequence[str]) -> None:
    now = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    text = "\n".join([f"pyclfft report, {now}\n", *lines, ""])
    with atomic_write(path) as file:
        file.write(report.without_names(text).encode(errors="replace"))
    print(f"\nreport  {Path(path).absolute()}")


if __name__ == "__main__":
    sys.exit(main())
