"""Any bytes give a value or one clear error: readers of images, sounds, tables and databases.

The bytes are random ones, and sound files of which some bytes are changed, cut off or put in.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests import fuzz_readers, readers
from tests.readers import READERS, Reader

hypothesis = pytest.importorskip("hypothesis")
st = pytest.importorskip("hypothesis.strategies")

EXAMPLES = 150


def changed(sound):
    """A strategy: bytes of a sound file with a few changes, or any bytes at all."""
    change = st.tuples(
        st.sampled_from(("replace", "insert", "cut", "repeat")),
        st.floats(0, 1),
        st.binary(min_size=1, max_size=6),
    )

    def apply(data, changes):
        for kind, where, new in changes:
            at = int(where * len(data))
            data = {
                "replace": data[:at] + new + data[at + len(new) :],
                "insert": data[:at] + new + data[at:],
                "cut": data[:at],
                "repeat": data + data[at:],
            }[kind][: 2**16]
        return data

    whole = st.builds(apply, st.sampled_from(sound), st.lists(change, min_size=1, max_size=4))
    return st.one_of(whole, st.binary(max_size=200))


def fuzz(name, path):
    """Read many damaged files."""

    @hypothesis.settings(
        max_examples=EXAMPLES, deadline=None, database=None, derandomize=True,
        report_multiple_bugs=False,
        suppress_health_check=list(hypothesis.HealthCheck),
    )  # fmt: skip
    @hypothesis.given(changed(READERS[name].sound))
    def check(data):
        readers.check(name, data, path)

    check()


@pytest.mark.parametrize("name", READERS)
def test_any_bytes(tmp_path, name):
    if name == "csv by pandas":
        pytest.importorskip("pandas")
    fuzz(name, tmp_path / "file")


@pytest.mark.parametrize("name", READERS)
def test_sound_files_are_read(tmp_path, name):
    """What is changed above is sound before."""
    for data in READERS[name].sound:
        path = tmp_path / "file"
        path.write_bytes(data)
        assert READERS[name].read(path) is not None


@pytest.fixture
def careless(monkeypatch):
    """A reader whose errors are none of ours."""

    def read(path: Path):
        return json.loads(path.read_bytes())

    monkeypatch.setitem(READERS, "careless", Reader(read, (b"{}",)))


def test_other_exceptions_are_found(tmp_path, careless):
    with pytest.raises(ValueError):
        fuzz("careless", tmp_path / "file")


def test_the_command_without_atheris(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "atheris", None)
    assert fuzz_readers.main(["--minutes", "1"]) == 2
    assert "pip install atheris" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("status", "said", "kept"),
    [(0, b"#27\tDONE   cov: 8\n", 0), (77, b"crash\n", 1), (0, b"no count\n", 1)],
)
def test_only_a_failure_keeps_its_folder(tmp_path, monkeypatch, capsys, status, said, kept):
    done = subprocess.CompletedProcess([], status, said)
    monkeypatch.setattr(fuzz_readers.importlib.util, "find_spec", lambda _: True)
    monkeypatch.setattr(fuzz_readers.subprocess, "run", lambda *_, **__: done)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert fuzz_readers.main(["pgm"]) == kept
    assert ("pass: 27 files" in capsys.readouterr().out) == (not kept)
    assert len(list(tmp_path.iterdir())) == kept


def test_the_command_refuses_an_unknown_reader(capsys):
    assert fuzz_readers.main(["nothing"]) == 2
    assert "choose from 'pgm'" in capsys.readouterr().err
