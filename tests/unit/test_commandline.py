"""What commands share: errors as lines, tables, and the table of commands."""

from __future__ import annotations

import errno
import io
import logging
import os
import re
import struct
import subprocess
import sys
import threading
import types
import warnings
from importlib import import_module
from pathlib import Path

import numpy as np
import pyopencl as cl
import pytest

import pyclfft
from pyclfft import __main__ as commands
from pyclfft import commandline, errors
from pyclfft import progress as bars
from pyclfft.commandline import Progress, Report, run, run_each, table

ROOT = Path(pyclfft.__path__[0]).parent
PYTHONPATH = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
ENVIRONMENT = os.environ | {"PYTHONPATH": PYTHONPATH}


def python(*arguments, **options):
    return subprocess.run(
        [sys.executable, *arguments],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=300,
        **options,
    )


def raising(error):
    def function():
        raise error

    return function


# ---------------------------------------------------------------- run


@pytest.mark.parametrize(("returned", "status"), [(None, 0), (0, 0), (1, 1), (2, 2)])
def test_status_is_what_the_function_returns(capsys, returned, status):
    assert run(lambda: returned, "pyclfft x") == status
    assert capsys.readouterr() == ("", "")


def array_too_large():
    np.empty(2**60, np.uint8)


ERRORS = {
    "ours": (raising(errors.PlanError("no such thing: do that")), "no such thing: do that"),
    "with a log": (
        raising(errors.BuildError("it cannot build\nlog 1\nlog 2", log="log 1\nlog 2")),
        "it cannot build",
    ),
    "blank line first": (raising(errors.DeviceError("\n why\nmore")), "why"),
    "without a message": (raising(errors.DeviceError()), "DeviceError"),
    "file": (Path("/no/such/file").stat, "/no/such/file: No such file or directory"),
    "file's name in bytes": (raising(FileNotFoundError(2, "Not there", b"/no")), "/no: Not there"),
    "disk full": (raising(OSError(errno.ENOSPC, "No space left")), "[Errno 28] No space left"),
    "memory": (raising(MemoryError()), "out of memory"),
    "device's memory": (raising(errors.DeviceMemoryError("too large")), "too large"),
    "OpenCL": (raising(cl.RuntimeError("clFinish failed: OUT_OF_RESOURCES")), "clFinish failed"),
    "array": (array_too_large, "Unable to allocate"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_an_error_is_one_line_and_status_2(capsys, case):
    function, message = ERRORS[case]
    assert run(function, "pyclfft info") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"pyclfft info: error: {message}")
    assert err.count("\n") == 1
    assert err.endswith("\n")
    if case in ("ours", "with a log", "blank line first", "memory"):
        assert err == f"pyclfft info: error: {message}\n"


def test_of_a_failed_renaming_the_new_name_is_told(capsys, tmp_path):
    (tmp_path / "temporary").touch()
    (tmp_path / "folder").mkdir()
    assert run(lambda: (tmp_path / "temporary").replace(tmp_path / "folder"), "pyclfft x") == 2
    said = capsys.readouterr().err
    assert f"error: {tmp_path / 'folder'}: " in said
    assert "temporary" not in said


def test_control_c(capsys):
    assert run(raising(KeyboardInterrupt()), "pyclfft x") == 130
    assert capsys.readouterr().err == "pyclfft x: error: interrupted\n"


def test_a_mistake_of_ours_and_an_exit_pass_through():
    with pytest.raises(ZeroDivisionError):
        run(lambda: 1 // 0, "pyclfft x")
    with pytest.raises(SystemExit, match="2"):
        run(lambda: sys.exit(2), "pyclfft x")


def test_the_traceback_is_in_the_debug_log(caplog):
    with caplog.at_level(logging.DEBUG, "pyclfft"):
        run(raising(errors.PlanError("why")), "pyclfft x")
    assert [record.exc_info[0] for record in caplog.records] == [errors.PlanError]


def test_a_warning_is_one_line_and_nothing_stays_changed(capsys):
    before = warnings.showwarning, list(warnings.filters)

    def function():
        warnings.simplefilter("always")
        warnings.warn("take care", RuntimeWarning, stacklevel=1)

    assert run(function, "pyclfft x") == 0
    assert capsys.readouterr().err == "pyclfft x: warning: take care\n"
    assert (warnings.showwarning, list(warnings.filters)) == before


LOGGING = """
import logging, sys
from pyclfft import commandline
logger = logging.getLogger("pyclfft.runtime.choice")
if sys.argv[1:]:
    logging.basicConfig(format="mine: %(message)s")

def work():
    logger.info("nothing")
    logger.warning("%r fits 2 devices", "epyc")

commandline.run(lambda: commandline.run(work, "pyclfft x"), "pyclfft")
print(logging.getLogger("pyclfft").handlers)
"""


@pytest.mark.parametrize(("arguments", "begin"), [([], "pyclfft x: warning: "), (["-"], "mine: ")])
def test_what_is_logged_as_a_warning_is_one_line_too(arguments, begin):
    """Unless the program that calls the command has handlers of its own."""
    process = subprocess.run(
        [sys.executable, "-c", LOGGING, *arguments], capture_output=True, text=True, check=True
    )
    assert process.stderr == f"{begin}'epyc' fits 2 devices\n"
    assert process.stdout == "[]\n"


@pytest.mark.skipif(sys.platform == "win32", reason="no such pipes")
@pytest.mark.parametrize("lines", [1, 100_000])
def test_a_reader_that_has_gone_ends_it_quietly(lines):
    code = (
        "import sys\nfrom pyclfft.commandline import run\n"
        f"sys.exit(run(lambda: print('line\\n' * {lines}), 'pyclfft x'))"
    )
    read, write = os.pipe()
    os.close(read)
    try:
        process = subprocess.run(
            [sys.executable, "-c", code],
            env=ENVIRONMENT,
            stdout=write,
            stderr=subprocess.PIPE,
            timeout=300,
        )
    finally:
        os.close(write)
    assert (process.returncode, process.stderr) == (141, b"")


def test_an_error_in_one_leaves_the_others_to_be_run(capsys):
    done = []
    functions = [
        lambda: done.append(1),
        raising(errors.FormatError("the second is damaged")),
        lambda: done.append(3) or 1,
    ]
    assert run_each(functions, "pyclfft x") == 2
    assert done == [1, 3]
    assert capsys.readouterr().err == "pyclfft x: error: the second is damaged\n"
    assert run_each([], "pyclfft x") == 0


def test_control_c_ends_the_others_too():
    done = []
    functions = [
        raising(errors.FormatError("no")), raising(KeyboardInterrupt()), lambda: done.append(3)
    ]  # fmt: skip
    assert run_each(functions, "pyclfft x") == 130
    assert done == []


@pytest.mark.parametrize("closed", ["stdout", "stderr", "stdin"])
def test_a_closed_stream_is_no_mistake_of_ours(monkeypatch, closed):
    monkeypatch.setattr(sys, closed, None)
    report = Report()
    assert run(lambda: report("a line"), "pyclfft x") == 0
    assert run(raising(errors.PlanError("why")), "pyclfft x") == 2
    with Progress(3):
        pass


# ---------------------------------------------------------------- report and progress


def test_a_report_goes_to_stderr_or_to_stdout_and_a_quiet_one_nowhere(capsys):
    Report()("one", "two")
    assert capsys.readouterr() == ("", "one\ntwo\n")
    Report(to="stdout")("one")
    assert capsys.readouterr() == ("one\n", "")
    Report(quiet=True)("one")
    assert capsys.readouterr() == ("", "")


def test_lines_and_their_ends_are_one_write(monkeypatch):
    """If Ctrl-C came between a line and its end, the error would stand behind the line."""
    written = []
    stream = io.StringIO()
    monkeypatch.setattr(stream, "write", written.append)
    monkeypatch.setattr(sys, "stderr", stream)
    Report()("one", "two")
    assert written == ["one\ntwo\n"]


def test_a_heading_waits_for_other_lines(capsys):
    report = Report()
    report.heading("device  x")
    assert capsys.readouterr().err == ""
    report("input   a")
    report("input   b")
    assert capsys.readouterr().err == "device  x\ninput   a\ninput   b\n"


PROGRESS = """
import sys
from pyclfft import progress as bars
from pyclfft.commandline import Progress, Report
bars.PROGRESS_AFTER, bars.PROGRESS_STEP = {after}, 0.01
with Progress(4, "images", quiet={quiet}) as progress:
    progress.title = "a.png: read"
    progress.done += 3
    {wait}
    Report()("input   a.png")
"""


def on_terminal(after, quiet=False, wait="pass", until=None):
    """What a command leaves on a terminal; it is answered once it shows what is waited for."""
    pty = pytest.importorskip("pty", reason="no such terminals")
    termios = import_module("termios")
    ours, theirs = pty.openpty()
    import_module("fcntl").ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    code = PROGRESS.format(after=after, quiet=quiet, wait=wait)
    process = subprocess.Popen(
        [sys.executable, "-c", code], env=ENVIRONMENT, stdin=subprocess.PIPE, stderr=theirs
    )
    os.close(theirs)
    watchdog = threading.Timer(60, process.kill)
    watchdog.start()
    shown = b""
    while block := _read(ours):
        shown += block
        if until and re.search(until, shown.decode(errors="replace")):
            process.stdin.write(b"\n")
            process.stdin.flush()
            until = None
    os.close(ours)
    process.stdin.close()
    assert process.wait() == 0
    watchdog.cancel()
    return shown.decode()


def _read(terminal):
    try:
        return os.read(terminal, 10_000)
    except OSError:  # how Linux says that the other end is closed
        return b""


def test_a_bar_is_on_terminals_for_what_takes_long_and_is_gone_at_the_end():
    shown = on_terminal(
        0, wait="sys.stdin.readline()", until=r"a\.png: read: +75%.* 3/4 .*images/s"
    )
    line = shown.rindex("input   a.png")
    assert shown[:line].endswith("\r")  # the bar does not stand before the line
    assert shown[shown.rindex("\r") :].strip() == ""


def test_no_bar_for_what_is_quick():
    assert on_terminal(60).split("\r\n") == ["input   a.png", ""]


def test_no_bar_for_what_is_quiet():
    assert on_terminal(0, True, "import time; time.sleep(0.1)").split("\r\n") == [
        "input   a.png",
        "",
    ]


def test_no_second_bar_inside_of_the_first():
    inner = "with Progress(7, 'inner'): import time; time.sleep(0.2)"
    assert "inner" not in on_terminal(0, wait=inner)


def test_no_bar_without_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr(bars, "PROGRESS_AFTER", 0)
    with Progress(2) as progress:
        progress.add()
    assert capsys.readouterr() == ("", "")


# ---------------------------------------------------------------- table


def test_table():
    rows = [("write", "0.5", "up"), ("norm", "12.0", "")]
    assert table(rows, ("kernel", "ms", "step"), "<>").splitlines() == [
        "kernel    ms  step",
        "write    0.5  up",
        "norm    12.0",
    ]


def test_table_without_header_or_rows():
    assert table([("a", "b"), ("ccc", "d")]) == "a    b\nccc  d"
    assert table([("a", "1"), ("b", "10")], align=">>") == "a   1\nb  10"
    assert table([], ("a", "b")) == "a  b"
    assert table([]) == ""


def test_table_refuses_rows_of_different_lengths():
    with pytest.raises(ValueError):
        table([("a", "b"), ("c",)])


# ---------------------------------------------------------------- the commands


def test_every_command_exists(monkeypatch):
    assert {"bench", "info", "selftest", "filter", "spectrogram"} <= set(commands.COMMANDS)
    for name, (module, what) in commands.COMMANDS.items():
        if hasattr(pyclfft, name):  # a function, in whose place an import puts the command
            monkeypatch.setattr(pyclfft, name, getattr(pyclfft, name))
        assert re.fullmatch(rf"pyclfft\.{name}|pyclfft\.\w+\.command", module)
        assert what
        assert callable(import_module(module).main)


@pytest.mark.parametrize("arguments", [[], ["help"], ["--help"], ["-h"]])
def test_help_names_every_command(capsys, arguments):
    assert commands.main(arguments) == 0
    out = capsys.readouterr().out
    assert out.startswith("usage: pyclfft COMMAND")
    for name, (_, what) in commands.COMMANDS.items():
        assert any(line.split() == [name, *what.split()] for line in out.splitlines())


@pytest.mark.parametrize("name", commands.COMMANDS)
def test_no_help_lists_all_algorithms(name):
    """17 names in the first lines bury what a command takes."""
    text = import_module(commands.COMMANDS[name][0]).parser().format_help()
    assert "ladder2" not in text
    assert "--algorithm NAME" in text or "--algorithm" not in text


@pytest.mark.parametrize("command", [["filter"], ["selftest"], ["bench", "ladder"]], ids=str)
def test_help_of_a_command(capsys, command):
    with pytest.raises(SystemExit, match="0"):
        commands.main(["help", *command])
    assert capsys.readouterr().out.startswith(f"usage: pyclfft {' '.join(command)} ")


@pytest.mark.parametrize(
    ("words", "extra"),
    [("filter extra", "extra"), ("bench ladder more", "more"), ("info --selftest", "--selftest")],
)
def test_help_refuses_what_it_would_ignore(capsys, words, extra):
    assert commands.main(["help", *words.split()]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"pyclfft: error: help explains one command: leave out {extra!r}\n"


def test_help_of_an_unknown_command(capsys):
    assert commands.main(["help", "infos"]) == 2
    assert capsys.readouterr().err.startswith("pyclfft: error: unknown command 'infos'")


def test_version(capsys):
    assert commands.main(["--version"]) == 0
    assert capsys.readouterr().out == f"pyclfft {pyclfft.__version__}\n"


@pytest.mark.parametrize("arguments", [["infos"], ["--no-option"], ["", "info"]])
def test_unknown_command(capsys, arguments):
    assert commands.main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"pyclfft: error: unknown command {arguments[0]!r}: choose from ")
    assert "info" in err
    assert err.count("\n") == 1


def test_a_command_gets_the_other_arguments_and_its_status_is_returned(monkeypatch):
    module = types.ModuleType("pyclfft_test_command")
    given = []
    module.main = lambda argv: given.append(argv) or 7
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(commands.COMMANDS, "test", (module.__name__, "is a test"))
    assert commands.main(["test", "--version", "x"]) == 7
    assert given == [["--version", "x"]]


def test_process_arguments_are_the_default(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["pyclfft", "--version"])
    assert commands.main() == 0
    assert pyclfft.__version__ in capsys.readouterr().out


def test_a_module_is_imported_only_for_its_command():
    code = (
        "import sys, pyclfft.__main__ as m\nm.main(['--help']); m.main(['nonsense'])\n"
        "print('loaded', *(x for x, _ in m.COMMANDS.values() if x in sys.modules))"
    )
    process = python("-c", code)
    assert process.stdout.splitlines()[-1] == "loaded", process.stderr


def test_the_library_imports_no_command():
    code = (
        "import sys, pyclfft, pkgutil, importlib\n"
        "own = ['pyclfft.commandline', 'pyclfft.__main__', 'pyclfft.report', 'pyclfft.streams',\n"
        "       'pyclfft.selftest_cases']\n"
        "for folder in ('audio', 'image', 'planning', 'runtime', 'tuning'):\n"
        "    package = importlib.import_module(f'pyclfft.{folder}')\n"
        "    names = [each.name for each in pkgutil.iter_modules(package.__path__)]\n"
        "    assert names, folder\n"
        "    for name in names:\n"
        "        if name != 'command': importlib.import_module(f'pyclfft.{folder}.{name}')\n"
        "loaded = set(sys.modules)\n"
        "import pyclfft.__main__ as m\n"
        "own += [module for module, _ in m.COMMANDS.values()]\n"
        "print(len(own), *loaded.intersection(own))"
    )
    process = python("-c", code)
    assert process.returncode == 0, process.stderr
    assert process.stdout.split() == [str(5 + len(commands.COMMANDS))]


@pytest.mark.parametrize(
    ("arguments", "status"), [(["--version"], 0), (["nonsense"], 2), (["info", "--nonsense"], 2)]
)
def test_as_a_module(arguments, status, tmp_path):
    process = python("-m", "pyclfft", *arguments, cwd=tmp_path)
    assert process.returncode == status
    assert "Traceback" not in process.stderr


def test_constants_are_the_shells():
    assert (commandline.FAILED, commandline.INTERRUPTED, commandline.PIPE_CLOSED) == (2, 130, 141)


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("convolve", ["dry_file", "ir_file", "wet_file"]),
        ("denoise", ["sound", "result"]),
        ("spectrogram", ["inputs"]),
        ("spectrum", ["inputs"]),
    ],
)
def test_options_may_stand_between_files(command, names):
    """And behind ``--`` a name may look like an option."""
    first, last = [f"{number}.wav" for number in range(max(1, len(names) - 1))], "-q.wav"
    options = import_module(f"pyclfft.{command}").parser().parse_mixed([*first, "-q", "--", last])
    files = [getattr(options, name) for name in names]
    assert (files if len(names) > 1 else files[0]) == [*first, f"{os.curdir}{os.sep}{last}"]
    assert options.quiet
