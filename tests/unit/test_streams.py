"""Where results go, and pipes in the place of files."""

from __future__ import annotations

import io
import os
import sys
import threading
from pathlib import Path

import pytest

from pyclfft import streams
from pyclfft.errors import PlanError
from pyclfft.streams import StandardOutput, StandIn, place, prepare, sources, written

STDIN = StandIn(Path("/tmp/x/stdin.pgm"), "standard input")


@pytest.mark.parametrize(
    ("wanted", "source", "several", "where"),
    [
        (None, Path("a.png"), False, Path("a_low.png")),
        (None, Path("in/a.b.png"), True, Path("in/a.b_low.png")),
        (None, STDIN, False, StandardOutput()),
        ("-", Path("a.png"), False, StandardOutput()),
        ("b.tif", Path("in/a.png"), False, Path("b.tif")),
        ("new/", Path("in/a.png"), False, Path("new/a_low.png")),
        ("new", Path("in/a.png"), True, Path("new/a_low.png")),
        ("folder", Path("in/a.png"), False, Path("folder/a_low.png")),
        ("new/", STDIN, False, Path("new/stdin_low.png")),
        (None, Path(), False, Path("_low.png")),  # reading it says what is wrong
        (None, Path("/"), False, Path("/_low.png")),
    ],
)
def test_place(wanted, source, several, where, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    assert place(wanted, source, "_low.png", several) == where


def test_several_results_need_a_folder(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "v1.png").mkdir()
    assert place(str(tmp_path / "v1.png"), Path("a.png"), "_low.png", several=True)
    for wanted in ("-", str(tmp_path / "file"), "new.png", "new.CSV"):
        with pytest.raises(PlanError, match="folder"):
            place(wanted, Path("a.png"), "_low.png", several=True)


def test_nothing_is_lost(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    a, b = Path("a"), Path("b")
    with pytest.raises(PlanError, match="b is an input, too"):
        prepare([a, b], [Path("c"), tmp_path / "b"], [None])
    with pytest.raises(PlanError, match="c would be written twice"):
        prepare([a, b], [Path("c"), tmp_path / "x" / ".." / "c"], [None])
    with pytest.raises(PlanError, match="standard output would be written twice"):
        prepare([a], [StandardOutput(), StandardOutput()], ["-", "-"])
    with pytest.raises(FileNotFoundError, match="no/c"):
        prepare([a], [Path("no/c")], ["new/", "no/c"])
    assert list(tmp_path.iterdir()) == []
    prepare([a], [Path("new/c")], ["new/", "-", None])
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_standard_input_is_a_file_with_a_name_for_people(monkeypatch):
    data = bytes(range(256)) * 1000
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    with sources(["a.png", "-"], lambda beginning: f".{len(beginning)}") as (file, copy):
        assert file == Path("a.png")
        assert str(copy) == "standard input"
        assert Path(copy).name == "stdin.64"
        assert Path(copy).read_bytes() == data
    assert not Path(copy).parent.exists()


@pytest.mark.parametrize("stdin", [None, "terminal"])
def test_no_standard_input(stdin, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stdin", stdin and Terminal())
    fault = "a terminal" if stdin else "closed"
    with pytest.raises(PlanError, match=f"is {fault}: pipe"), sources(["-"]):
        pass


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_named_pipe_is_copied_too(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"content",))
    writer.start()
    with sources([str(pipe)]) as (copy,):
        assert str(copy) == str(pipe)
        assert Path(copy).read_bytes() == b"content"
        assert place(None, copy, "_low.png") == StandardOutput()
    writer.join()


def test_standard_output_gets_a_result_once_it_is_complete(capfdbinary):
    with written(StandardOutput(), ".png") as file:
        assert Path(file).suffix == ".png"
        Path(file).write_bytes(b"a picture")
        assert capfdbinary.readouterr().out == b""
    assert capfdbinary.readouterr().out == b"a picture"


def test_standard_output_gets_nothing_after_an_error(capfdbinary):
    files = []

    def fail():
        with written(StandardOutput(), ".png") as file:
            files.append(Path(file))
            files[0].write_bytes(b"half a pic")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert capfdbinary.readouterr().out == b""
    assert not files[0].parent.exists()


def test_an_empty_name_is_none():
    with pytest.raises(Exception, match="the name of a file is empty"):
        streams.file_name("")
